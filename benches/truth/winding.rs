//! Winding numbers by the tree against the sum over all triangles: the error, its bound, and the
//! time of both. The mesh is a bumpy ball of 1,000 to 400,000 triangles, whole and with one
//! triangle in a hundred removed.

use crate::Options;
use carom_benches::thread_ns;
use carom_geom::TriMesh;
use carom_geom::winding;
use carom_math::Pose;
use carom_query::{MeshShape, placement, winding_number};
use carom_scenes::mesh::bumpy_icosphere;
use carom_testkit::random::Random;
use glam::Vec3;

/// The approximate numbers of triangles of the meshes.
const SIZES: [usize; 5] = [1_000, 5_000, 20_000, 80_000, 400_000];
/// The number of points with a sum over all triangles.
const N_SUMMED: usize = 40;

/// Runs all meshes. Returns whether no error was above its bound.
pub(crate) fn run(options: &Options) -> bool {
    let n_points = options.count.unwrap_or(2_000) as usize;
    let mut is_right = true;
    println!("microseconds a point; worst error over its bound");
    println!(
        "{:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>8}",
        "triangles", "all of it", "1e-3", "1e-1", "inside", "closed", "error"
    );
    for size in SIZES {
        let data = bumpy_icosphere(size, 0.05, 3);
        let shape = |is_torn: bool| -> Option<MeshShape> {
            let kept = data.triangles.iter().enumerate().filter(|(i, _)| !is_torn || i % 100 != 7);
            let mesh = TriMesh::new(data.vertices_f32(), kept.map(|(_, t)| *t).collect()).ok()?;
            MeshShape::new(mesh).ok()
        };
        let (Some(closed), Some(torn)) = (shape(false), shape(true)) else { return false };
        is_right &= closed.is_solid() && !torn.is_solid();
        let mut random = Random::new(options.seed);
        let points: Vec<Vec3> = (0..n_points).map(|_| (random.cube_point() * 1.3).as_vec3()).collect();
        let here = Pose::IDENTITY;
        let mut worst = 0.0_f64;
        let start = thread_ns();
        let sums: Vec<f64> = points
            .iter()
            .take(N_SUMMED)
            .map(|p| winding::winding_number(p.as_dvec3(), torn.mesh().iter_corners()))
            .collect();
        let summed = (thread_ns() - start) / N_SUMMED as f64;
        for (p, sum) in points.iter().zip(&sums) {
            for tolerance in [1e-1, 1e-3] {
                let found = winding_number(&torn, &here, *p, tolerance);
                let off = (found.value - sum).abs();
                is_right &= off <= found.error + 1e-9 && found.error <= tolerance;
                worst = worst.max(off / found.error.max(1e-9));
            }
        }
        let time = |test: &dyn Fn(Vec3) -> bool| {
            let start = thread_ns();
            points.iter().for_each(|p| {
                std::hint::black_box(test(*p));
            });
            1e-3 * (thread_ns() - start) / n_points as f64
        };
        let fine = time(&|p| 0.5 < winding_number(&torn, &here, p, 1e-3).value);
        let rough = time(&|p| 0.5 < winding_number(&torn, &here, p, 1e-1).value);
        let inside = time(&|p| placement(&torn, &here, p) == carom_geom::ray_mesh::Placement::Inside);
        let exact = time(&|p| placement(&closed, &here, p) == carom_geom::ray_mesh::Placement::Inside);
        println!(
            "{:>10} {:>10.1} {fine:>10.2} {rough:>10.2} {inside:>10.2} {exact:>10.2} {worst:>8.3}",
            torn.mesh().n_triangles(),
            1e-3 * summed
        );
    }
    is_right
}
