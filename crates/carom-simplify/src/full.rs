//! Decides whether a hull lies in a solid, so that its deviation is 0: a proof by exact signs, or
//! no answer.
//!
//! If no triangle enters the open hull, the solid fills all of it or none, and one point decides.
//! A triangle stays outside if a plane of the hull separates it: the triangle is on or above the
//! plane, the hull on or below. Triangles separated only by an edge of the hull and an edge of
//! their own are not recognised. Then the distance has to be measured.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, section 5.2.1 (separating axes),
//! with the planes of the hull alone.

use crate::surface::Surface;
use carom_bounds::Aabb;
use carom_math::predicates::orient3d;
use core::ops::ControlFlow;
use glam::DVec3;

/// The maximum number of comparisons of a triangle and a face. A hull that needs more is measured.
const MAX_PAIRS: usize = 1 << 18;

/// Whether a hull is proved to lie in the solid that the closed surface encloses. False also if
/// there is no proof. `hull` has the triangles of the hull's surface. By exact signs, no corner is
/// above the plane of any of them.
pub(crate) fn is_surely_full(hull: &[[DVec3; 3]], surface: &Surface) -> bool {
    let corners = || hull.iter().flatten();
    let (low, high) =
        corners().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), &p| (low.min(p), high.max(p)));
    let middle = corners().fold(DVec3::ZERO, |sum, &p| sum + p) / (3 * hull.len()).max(1) as f64;
    if !surface.contains_strictly(middle) {
        return false;
    }
    let mut n_left = MAX_PAIRS;
    // The last triangle was beyond this face. The next triangles are likely to be beyond it too.
    let mut last = 0;
    let visit = surface.tree().visit_box(&Aabb::around(low, high), |leaf| {
        for &number in leaf.primitives {
            let t = surface.triangle(number);
            let is_beside =
                (0..3).any(|k| t.iter().all(|p| p[k] <= low[k]) || t.iter().all(|p| high[k] <= p[k]));
            if is_beside {
                continue;
            }
            let mut is_beyond = |face: usize| {
                n_left = n_left.saturating_sub(1);
                let [a, b, c] = hull[face];
                t.iter().all(|p| orient3d(a, b, c, *p) <= 0.0)
            };
            let Some(face) = (0..hull.len()).map(|i| (last + i) % hull.len()).find(|&face| is_beyond(face))
            else {
                return ControlFlow::Break(());
            };
            last = face;
        }
        if n_left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    !visit.stopped
}
