//! Search for a point deep inside two solids.
//!
//! Candidates are a grid in the common box, and points at many depths behind triangles and beside
//! intersections of the surfaces, for thin overlaps. The deepest is improved by steps along the
//! axes.
//! The distances that it compares are exact to rounding.

use crate::contains_point::solid_placement_of;
use crate::mesh_mesh;
use crate::mesh_shape::MeshShape;
use crate::nearest_triangle::surface_distance;
use alloc::vec::Vec;
use carom_geom::WideMesh;
use carom_geom::ray_mesh::Placement;
use carom_geom::tri_intersection::intersection;
use carom_math::WidePose;
use carom_math::scaling::unit;
use glam::DVec3;

/// Relative rounding of an extent in `f64`.
pub(crate) const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Grid points along each axis of the common box.
const N_POINTS: usize = 6;

/// The most triangles of a solid behind which points are tried.
const MAX_TRIANGLES: usize = 1 << 12;

/// The most intersections of two triangles beside which points are tried.
const MAX_CROSSINGS: usize = 1 << 6;

/// Returns a point inside both, far from both surfaces, and the sum of these distances. If none is
/// found, a point on both surfaces up to rounding, and 0.
pub(crate) fn deep_point<M: WideMesh>(a: &MeshShape<M>, b: &MeshShape<M>) -> (DVec3, f64) {
    let ((low_a, high_a), (low_b, high_b)) = (a.mesh().wide_bounds(), b.mesh().wide_bounds());
    let (low, high) = (low_a.max(low_b), high_a.min(high_b));
    let depth = |p: DVec3| {
        let is_inside = |shape| solid_placement_of(shape, p, ()) == Some(Placement::Inside);
        if !(is_inside(a) && is_inside(b)) {
            return 0.0;
        }
        let sum = surface_distance(a, p) + surface_distance(b, p);
        (sum * (1.0 - ROUNDING) - ROUNDING * p.abs().max_element()).max(0.0)
    };
    let mut best = (low * 0.5 + high * 0.5, 0.0);
    let test = |p: DVec3, best: &mut (DVec3, f64)| {
        // The depth is that of the stored point.
        let p = M::rounded(p);
        let found = depth(p);
        if best.1 < found {
            *best = (p, found);
            return true;
        }
        false
    };
    let n = N_POINTS;
    for i in 0..n * n * n {
        let position = DVec3::new((i % n) as f64, (i / n % n) as f64, (i / n / n) as f64) + 0.5;
        test(low + (high - low) * position / n as f64, &mut best);
    }
    // Points behind the corners and the centres of triangles, for thin overlaps.
    let mut on_both = Vec::new();
    for (one, other) in [(a, b), (b, a)] {
        for t in 0..one.mesh().n_triangles().min(MAX_TRIANGLES) as u32 {
            let [p, q, r] = one.mesh().corners(t);
            let middle = (p + q + r) / 3.0;
            for p in [p * 0.99 + middle * 0.01, middle] {
                if (p.cmpge(low) & p.cmple(high)).all()
                    && solid_placement_of(other, p, ()) == Some(Placement::Inside)
                {
                    let travel = surface_distance(other, p) * 0.5;
                    test(p - one.topology().normal(t) * travel, &mut best);
                }
            }
            on_both.extend([p, q, r].into_iter().filter(|p| {
                (p.cmpge(low) & p.cmple(high)).all()
                    && !matches!(solid_placement_of(other, *p, ()), Some(Placement::Outside) | None)
            }));
        }
    }
    let mut pairs = Vec::new();
    mesh_mesh::triangle_pairs(a, b, &WidePose::IDENTITY, &mut pairs, ());
    let every = pairs.len().div_ceil(MAX_CROSSINGS).max(1);
    for &(t_a, t_b) in pairs.iter().step_by(every) {
        let shared = intersection(&a.mesh().corners(t_a), &b.mesh().corners(t_b));
        let n_points = shared.points().len();
        if n_points == 0 {
            continue;
        }
        on_both.extend(shared.points());
        let middle = shared.points().iter().fold(DVec3::ZERO, |sum, p| sum + *p) / n_points as f64;
        let normals = a.topology().normal(t_a) + b.topology().normal(t_b);
        if let Some(out) = unit(normals) {
            let size = (high - low).max_element();
            for bits in [2, 5, 8, 12, 20, 30] {
                test(middle - out * size / (1_u64 << bits) as f64, &mut best);
            }
        }
    }
    if !on_both.is_empty() {
        // For two convex solids the mean of these points is inside both.
        let middle = on_both.iter().fold(DVec3::ZERO, |sum, p| sum + *p) / on_both.len() as f64;
        if !test(middle, &mut best) && best.1 == 0.0 {
            best.0 = M::rounded(on_both[on_both.len() - 1]);
        }
    }
    let mut step = (high - low).max_element() / n as f64;
    for _ in 0..40 {
        let moves = [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z];
        let has_moved = moves.into_iter().any(|direction| test(best.0 + direction * step, &mut best));
        if !has_moved {
            step *= 0.5;
        }
    }
    best
}
