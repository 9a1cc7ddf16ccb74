//! Whether a hull lies in a solid, so that it stands off nowhere: a proof by exact signs, or no answer.
//!
//! If no triangle enters the open hull, the solid fills all of it or nothing, and one point tells which. A triangle stays outside if
//! one plane of the hull has it on or above itself, and the hull on or below. Triangles that an edge of the hull and an
//! edge of their own keep apart are not recognised: then the distance has to be measured.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, section 5.2.1 (separating axes), with the planes of the hull alone.

use crate::surface::{Surface, Unit};
use carom_bounds::Aabb;
use carom_geom::ConvexHull;
use carom_math::predicates::{orient2d_along, orient3d};
use core::ops::ControlFlow;
use glam::DVec3;

/// Most pairs of a triangle and a face that are compared; a hull of more is measured.
const MAX_PAIRS: usize = 1 << 18;

/// The hull is surely in the solid that the surface, which is closed, encloses.
pub(crate) fn is_surely_full(hull: &ConvexHull, surface: &Surface, unit: Unit) -> bool {
    let places = || hull.vertices().iter().map(|&v| unit.enter(v));
    let (low, high) =
        places().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)));
    let middle = places().fold(DVec3::ZERO, |sum, p| sum + p) / hull.vertices().len().max(1) as f64;
    if !surface.contains_strictly(middle) {
        return false;
    }
    let n_faces = hull.n_faces() as u32;
    let mut planes = alloc::vec![None; n_faces as usize];
    let mut n_left = MAX_PAIRS;
    let mut plane = |face: u32| *planes[face as usize].get_or_insert_with(|| plane_of(hull, face, unit));
    // The face that the last triangle was beyond; its neighbours are likely to be beyond it too.
    let mut last = 0;
    let visit = surface.tree().visit_box(&Aabb::around(low, high), |leaf| {
        for &number in leaf.primitives {
            let t = surface.triangle(number);
            let is_beside =
                (0..3).any(|k| t.iter().all(|p| p[k] <= low[k]) || t.iter().all(|p| high[k] <= p[k]));
            if is_beside {
                continue;
            }
            let mut is_beyond = |face: u32| {
                n_left = n_left.saturating_sub(1);
                plane(face).is_some_and(|[a, b, c]| t.iter().all(|p| orient3d(a, b, c, *p) <= 0.0))
            };
            let Some(face) = (0..n_faces).map(|i| (last + i) % n_faces).find(|&face| is_beyond(face)) else {
                return ControlFlow::Break(());
            };
            last = face;
        }
        if n_left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    !visit.stopped
}

/// Three corners of a face whose plane has the whole hull on or below itself, exactly; `None` if there are none.
fn plane_of(hull: &ConvexHull, face: u32, unit: Unit) -> Option<[DVec3; 3]> {
    let place = |v: u32| unit.enter(hull.vertices()[v as usize]);
    let ring = hull.face_vertices(face);
    let mut corners = ring[1..].windows(2).map(|pair| [place(ring[0]), place(pair[0]), place(pair[1])]);
    let [a, b, c] = corners.find(|&[a, b, c]| (0..3).any(|axis| orient2d_along(axis, a, b, c) != 0.0))?;
    hull.vertices().iter().all(|&v| 0.0 <= orient3d(a, b, c, unit.enter(v))).then_some([a, b, c])
}
