//! The chord of a line through a convex polytope: from its planes if these are certain, else from
//! its faces.
//!
//! A line enters through the last plane that it meets against the normal, and leaves through the
//! first of the others. The error of each t is the rounding of a height over the speed towards the
//! plane. If the errors leave the order of entry and exit open, the faces are tested one by one,
//! exactly. This happens if the line grazes, or if two opposite planes coincide in `f64`.
//!
//! Reference: E. Haines, Fast Ray-Convex Polyhedron Intersection, Graphics Gems II, 1991.
//! Differs: a bound on every quotient, and an exact answer beyond it.

use crate::FeatureId;
use crate::chord::{Chord, End};
use carom_math::ops::sqrt;
use carom_math::scaling::length;
use glam::DVec3;

/// A convex polytope, its faces numbered.
pub(crate) trait Facets {
    /// Returns the centre and the radius of a ball around it.
    fn ball(&self) -> (DVec3, f64);

    fn n_faces(&self) -> u32;

    /// Returns the outward unit normal and offset; `None` for a face without area.
    fn plane(&self, face: u32) -> Option<(DVec3, f64)>;

    /// Returns the chord of a line in the face. Whether the line meets the face is exact.
    fn face_chord(&self, face: u32, o: DVec3, d: DVec3) -> Option<Chord>;
}

/// Rounding of the height of a point over a plane, relative to the size of the figure. About thirty
/// roundings, those of the plane included.
const HEIGHT: f64 = 32.0 * f64::EPSILON;

/// The largest error of an end, in units of the rounding of a height. A grazing line with a larger
/// error gets its ends from the faces.
const GRAZING: f64 = 1024.0;

/// Returns the part of a line inside a polytope.
pub(crate) fn chord<F: Facets>(o: DVec3, d: DVec3, body: &F) -> Option<Chord> {
    if d == DVec3::ZERO {
        // A polytope with a face without area has no inside.
        let is_below = |face: u32| body.plane(face).is_some_and(|(n, offset)| n.dot(o) <= offset);
        return (0..body.n_faces()).all(is_below).then(Chord::all);
    }
    match by_planes(o, d, body) {
        Sure::Meets(chord) => Some(chord),
        Sure::Misses => None,
        Sure::No => by_faces(o, d, body),
    }
}

enum Sure {
    Meets(Chord),
    Misses,
    No,
}

fn by_planes<F: Facets>(o: DVec3, d: DVec3, body: &F) -> Sure {
    let (center, radius) = body.ball();
    // From the line's point nearest to the centre, so that a far origin costs few digits.
    let speed_sq = d.length_squared();
    let middle = (center - o).dot(d) / speed_sq;
    let p = o + d * middle;
    let reach = o.abs().max_element() + center.abs().max_element() + radius;
    let error = reach * HEIGHT;
    let beside = length(p - center);
    if radius + error < beside {
        return Sure::Misses;
    }
    // The polytope lies within this many lengths of the direction.
    let half = (radius + error) / sqrt(speed_sq);
    let none = End::new(f64::NAN, DVec3::ZERO, FeatureId::UNKNOWN);
    // The computed ends, with the latest and earliest t of entry, and the earliest and latest t of
    // exit.
    let (mut enter, mut exit) = (none, none);
    let (mut enter_high, mut enter_low) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    let (mut exit_low, mut exit_high) = (f64::INFINITY, f64::INFINITY);
    for face in 0..body.n_faces() {
        let Some((normal, offset)) = body.plane(face) else { continue };
        let (above, speed) = (normal.dot(p) - offset, normal.dot(d));
        let change = speed.abs() * half;
        if above + change < -error {
            // The ball of the polytope lies far below this plane.
            continue;
        }
        if error < above - change {
            return Sure::Misses;
        }
        let (t, doubt) = (-above / speed, error / speed.abs());
        if speed < 0.0 {
            if !(t <= enter.t) {
                enter = End::new(t, normal, FeatureId::face(face));
            }
            (enter_high, enter_low) = (enter_high.max(t + doubt), enter_low.max(t - doubt));
        } else if 0.0 < speed {
            if !(exit.t <= t) {
                exit = End::new(t, normal, FeatureId::face(face));
            }
            (exit_low, exit_high) = (exit_low.min(t - doubt), exit_high.min(t + doubt));
        } else {
            // Parallel to a plane, and in it to rounding.
            return Sure::No;
        }
    }
    if exit_high < enter_low {
        return Sure::Misses;
    }
    let doubt = (enter_high - enter.t).max(exit.t - exit_low) * sqrt(speed_sq);
    // False for NaN.
    if enter_high <= exit_low && doubt <= GRAZING * error {
        enter.t += middle;
        exit.t += middle;
        return Sure::Meets(Chord { enter, exit });
    }
    Sure::No
}

#[cold]
fn by_faces<F: Facets>(o: DVec3, d: DVec3, body: &F) -> Option<Chord> {
    let mut found: Option<Chord> = None;
    for face in 0..body.n_faces() {
        let Some(chord) = body.face_chord(face, o, d) else { continue };
        let plane = body.plane(face);
        let own = |end: End| match plane {
            Some((normal, _)) => End::new(end.t, normal, FeatureId::face(face)),
            None => End::new(end.t, end.normal, FeatureId::face(face)),
        };
        let (enter, exit) = (own(chord.enter), own(chord.exit));
        let Some(Chord { enter: first, exit: last }) = &mut found else {
            found = Some(Chord { enter, exit });
            continue;
        };
        // If several faces have one t, the one with the steepest incidence counts.
        let is_sooner = |a: &End, b: &End| a.t < b.t || (a.t == b.t && a.normal.dot(d) < b.normal.dot(d));
        if is_sooner(&enter, first) {
            *first = enter;
        }
        if last.t < exit.t || (last.t == exit.t && last.normal.dot(d) < exit.normal.dot(d)) {
            *last = exit;
        }
    }
    found
}
