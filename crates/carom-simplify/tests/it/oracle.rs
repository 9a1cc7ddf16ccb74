//! Slow and obviously right computations, which test every triangle.

use carom_geom::TriMesh;
use carom_geom::ray_mesh::{HalfLine, half_line};
use carom_geom::tri_distance::point_triangle;
use carom_math::predicates::orient2d_along;
use carom_scenes::Rng;
use carom_scenes::mesh::MeshData;
use carom_simplify::Simplified;
use glam::DVec3;

pub(crate) fn mesh(data: &MeshData) -> TriMesh {
    TriMesh::new(data.vertices_f32(), data.triangles.clone()).unwrap()
}

/// The winding number of a closed mesh around a point, exact; `None` on its surface.
pub(crate) fn winding(mesh: &TriMesh, p: DVec3) -> Option<i64> {
    let mut winding = 0;
    for t in mesh.iter_corners() {
        match half_line(p, &t) {
            HalfLine::Misses => {}
            HalfLine::StartsIn => return None,
            HalfLine::Crosses { .. } => {
                winding += if 0.0 < orient2d_along(0, t[0], t[1], t[2]) { 1 } else { -1 }
            }
        }
    }
    Some(winding)
}

/// Points of the surface: corners of random triangles, and points inside them.
pub(crate) fn samples(mesh: &TriMesh, n: usize, rng: &mut Rng) -> Vec<DVec3> {
    (0..n)
        .map(|i| {
            let [a, b, c] = mesh.corners(rng.below(mesh.n_triangles()) as u32);
            if i % 3 == 0 {
                return a;
            }
            let (u, v) = (rng.unit(), rng.unit());
            let (u, v) = if 1.0 < u + v { (1.0 - u, 1.0 - v) } else { (u, v) };
            a + (b - a) * u + (c - a) * v
        })
        .collect()
}

pub(crate) fn distance(mesh: &TriMesh, p: DVec3) -> f64 {
    let mut least = f64::INFINITY;
    for t in mesh.iter_corners() {
        let (low, high) = (t[0].min(t[1]).min(t[2]), t[0].max(t[1]).max(t[2]));
        // The triangle is not nearer than its box.
        if (low - p).max(p - high).max_element() < least {
            least = least.min(point_triangle(p, &t).distance);
        }
    }
    least
}

/// Checks that samples of each surface are within the bounds. Returns the greatest distance of a
/// sample as a fraction of the bound.
pub(crate) fn check_bounds(old: &TriMesh, new: &Simplified, n: usize, rng: &mut Rng) -> f64 {
    let (min, max) = old.wide_bounds();
    // Samples inside triangles are off by their own rounding.
    let rounding = 1e-14 * min.abs().max(max.abs()).max_element();
    let farthest = |from: &TriMesh, to: &TriMesh, bound: f64, rng: &mut Rng| {
        let most = samples(from, n, rng).iter().map(|p| distance(to, *p)).fold(0.0, f64::max);
        assert!(most <= bound + rounding, "{most} beyond {bound}");
        most
    };
    let to_old = farthest(&new.mesh, old, new.new_to_old, rng);
    let to_new = farthest(old, &new.mesh, new.old_to_new, rng);
    if new.error() == 0.0 { 1.0 } else { to_old.max(to_new) / new.error() }
}
