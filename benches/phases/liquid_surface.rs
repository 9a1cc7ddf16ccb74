//! The surface of a liquid of many particles, as a mesh.
//!
//! The slow reference computes the field at each node of one dense grid in `f64`, from the
//! particles near it, which a tree of kiddo finds. It counts the cells with nodes on both sides
//! and the edges between both sides, and sums the volume of the nodes inside. It is timed too, and
//! makes no mesh.

use carom_benches::{Answers, Comparison, Row, Runner, Unit};
use carom_particles::{SurfaceMesh, liquid_surface};
use carom_scenes::Rng;
use glam::{DVec3, IVec3, Vec3};
use kiddo::SquaredEuclidean;

/// The radius of a particle.
const RADIUS: f32 = 0.01;

/// Largest offset of a particle from its place in a lattice, in radii.
const SHIFT: f64 = 0.4;

/// Radius of the weight of a particle, in radii.
const REACH: f32 = 4.0;

/// Twice the sum of weights below which a node is outside.
const FULL_WEIGHT: f64 = 0.6;

/// The results of the reference.
struct Truth {
    n_vertices: usize,
    n_triangles: usize,
    volume: f64,
}

/// Returns the particles of water in waves, with drops above it.
fn water() -> Vec<Vec3> {
    let mut rng = Rng::new(9);
    let mut positions = Vec::new();
    let spacing = 2.0 * RADIUS;
    for x in 0..60 {
        for z in 0..60 {
            let height = 10.0 + 4.0 * (0.2 * f64::from(x)).sin() + 3.0 * (0.3 * f64::from(z)).cos();
            for y in 0..height as i32 {
                let shift = DVec3::from_array([0; 3].map(|_| rng.range(-SHIFT, SHIFT)));
                positions.push((IVec3::new(x, y, z).as_vec3() + 0.5) * spacing + shift.as_vec3() * RADIUS);
            }
        }
    }
    for _ in 0..2000 {
        let at = DVec3::from_array([0; 3].map(|_| rng.unit()));
        positions.push((at * DVec3::new(1.2, 0.5, 1.2) + DVec3::Y * 0.5).as_vec3());
    }
    positions
}

/// Computes the reference, on a grid around all particles whose cells are as long as a radius.
fn truth(positions: &[Vec3]) -> Truth {
    let tree = crate::kiddo_tree(positions);
    let (radius, reach) = (f64::from(RADIUS), RADIUS * REACH);
    let all = positions
        .iter()
        .fold([Vec3::INFINITY, Vec3::NEG_INFINITY], |[low, high], p| [low.min(*p), high.max(*p)]);
    let low = ((all[0] - reach) / RADIUS).floor().as_ivec3() - 1;
    let n = ((all[1] + reach) / RADIUS).ceil().as_ivec3() + 2 - low;
    let index = |at: IVec3| ((at.z * n.y + at.y) * n.x + at.x) as usize;
    let mut is_inside = vec![false; n.element_product() as usize];
    let nodes =
        || (0..n.z).flat_map(move |z| (0..n.y).flat_map(move |y| (0..n.x).map(move |x| IVec3::new(x, y, z))));
    for at in nodes() {
        let node = (low + at).as_dvec3() * radius;
        let query = node.as_vec3().to_array();
        let near = tree.query(&query).within::<SquaredEuclidean<f32>>(reach * reach).unsorted().execute();
        let (mut weights, mut sum) = (0.0_f64, DVec3::ZERO);
        for position in near.iter().map(|near| positions[near.item as usize].as_dvec3()) {
            let part = 1.0 - node.distance_squared(position) / f64::from(reach * reach);
            let weight = f64::max(part, 0.0).powi(3);
            (weights, sum) = (weights + weight, sum + position * weight);
        }
        let to_surface =
            (node - sum / weights).length() + radius * (1.0 - 2.0 * (weights / FULL_WEIGHT).min(1.0));
        // Unless no particle is near.
        is_inside[index(at)] = to_surface < 0.0;
    }
    let (mut n_vertices, mut n_edges, mut n_inside) = (0, 0, 0);
    for at in nodes().filter(|at| (*at + 1).cmplt(n).all()) {
        let inside = |i: i32| is_inside[index(at + IVec3::new(i & 1, i >> 1 & 1, i >> 2))];
        let own = inside(0);
        n_inside += usize::from(own);
        n_vertices += usize::from((1..8).any(|i| inside(i) != own));
        n_edges += [1, 2, 4].into_iter().filter(|&i| inside(i) != own).count();
    }
    Truth { n_vertices, n_triangles: 2 * n_edges, volume: n_inside as f64 * radius.powi(3) }
}

fn volume(mesh: &SurfaceMesh) -> f64 {
    let of_triangle = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|i| mesh.vertices[i as usize].as_dvec3());
        a.cross(b).dot(c) / 6.0
    };
    mesh.triangles.iter().map(of_triangle).sum()
}

/// The row of the surface.
pub(crate) fn row(runner: &mut Runner) {
    let workload = "surface of a liquid";
    if !runner.wants(workload) {
        return;
    }
    let positions = water();
    let surface = || liquid_surface(&positions, RADIUS, RADIUS).expect("finite");
    let (mesh, truth_is) = (surface(), truth(&positions));
    let mut answers = Answers::new();
    for (what, ours, wanted) in [
        ("vertices", mesh.vertices.len(), truth_is.n_vertices),
        ("triangles", mesh.triangles.len(), truth_is.n_triangles),
    ] {
        // A node on the surface, up to rounding, may be on either side.
        answers.number(what, ours as f64, wanted as f64, 1e-4 * wanted as f64);
    }
    answers.number("volume", volume(&mesh), truth_is.volume, 0.02 * truth_is.volume);
    let row = Row { workload, size: positions.len() as u64, unit: Unit::Ms, per_call: 1 };
    let comparison = Comparison::new(answers)
        .entry("carom", || drop(std::hint::black_box(surface())))
        .entry("node by node, no mesh", || _ = std::hint::black_box(truth(&positions).n_vertices));
    runner.compare_slow(row, comparison);
}
