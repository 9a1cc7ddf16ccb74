//! The exact boxes of features. Trees are fitted to them, and two features are candidates if their
//! boxes touch.
//!
//! The box of a feature holds its vertices now, or at both ends of the step, grown by a margin. A
//! vertex moves along a straight line, so the box of both ends holds the feature at all times
//! between. The margin is subtracted and added in `f32`. The result is moved to the next number
//! outwards, so the box contains the feature (test: `impacts::every_contact_is_found`).
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.7; IEEE 754-2019, 5.3.1
//! (nextUp, nextDown).

use carom_bounds::{Aabb, BoundingVolume};
use glam::Vec3;

/// The times that a box covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeSpan {
    /// The present: the positions that were set last.
    #[default]
    Now,
    /// The step from the positions before to the present ones.
    Step,
}

/// The exact boxes of all features of one kind, at present or over the step.
#[derive(Clone, Copy, Debug)]
pub struct Bounds<'a> {
    pub(crate) before: &'a [Vec3],
    pub(crate) after: &'a [Vec3],
    /// The vertices of the features, one feature after the other.
    pub(crate) corners: &'a [u32],
    /// The number of vertices of a feature: 1, 2 or 3.
    pub(crate) n_corners: usize,
    pub(crate) over: TimeSpan,
    /// The growth of boxes on every side: a length, not negative.
    pub(crate) margin: f32,
}

impl Bounds<'_> {
    /// The number of features.
    #[inline]
    pub fn len(&self) -> usize {
        self.corners.len() / self.n_corners
    }

    /// Whether there is no feature.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.corners.is_empty()
    }

    /// The box of a feature, rounded outwards; the empty box for a number that no feature has.
    #[inline]
    pub fn of(&self, feature: u32) -> Aabb {
        let first = feature as usize * self.n_corners;
        let corners = self.corners.get(first..first + self.n_corners).unwrap_or(&[]);
        self.around(corners)
    }

    /// The boxes of all features, by their numbers.
    pub(crate) fn collect(&self, out: &mut alloc::vec::Vec<Aabb>) {
        out.clear();
        match self.n_corners {
            3 => out.extend(self.corners.as_chunks::<3>().0.iter().map(|corners| self.around(corners))),
            2 => out.extend(self.corners.as_chunks::<2>().0.iter().map(|corners| self.around(corners))),
            _ => out.extend(self.corners.iter().map(|corner| self.around(&[*corner]))),
        }
    }

    /// The box of these vertices, rounded outwards.
    #[inline(always)]
    fn around(&self, corners: &[u32]) -> Aabb {
        let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for &corner in corners {
            let p = self.after[corner as usize];
            (min, max) = (lower(min, p), upper(max, p));
        }
        if self.over == TimeSpan::Step {
            for &corner in corners {
                let p = self.before[corner as usize];
                (min, max) = (lower(min, p), upper(max, p));
            }
        }
        grown(&Aabb { min, max }, self.margin)
    }
}

/// The lower of two numbers on each axis. A mesh refuses NaN, so one comparison suffices; glam's
/// `min` makes a second one for NaN.
#[inline(always)]
fn lower(a: Vec3, b: Vec3) -> Vec3 {
    let low = |a: f32, b: f32| if b < a { b } else { a };
    Vec3::new(low(a.x, b.x), low(a.y, b.y), low(a.z, b.z))
}

/// The upper of two numbers on each axis.
#[inline(always)]
fn upper(a: Vec3, b: Vec3) -> Vec3 {
    let high = |a: f32, b: f32| if a < b { b } else { a };
    Vec3::new(high(a.x, b.x), high(a.y, b.y), high(a.z, b.z))
}

/// A box that holds every point within `margin` of the box on every axis.
#[inline]
pub(crate) fn grown(aabb: &Aabb, margin: f32) -> Aabb {
    if !(0.0 < margin) {
        return *aabb;
    }
    // A difference rounds to the nearest number, so the next number outwards is beyond the exact
    // difference.
    let low = aabb.min - margin;
    let high = aabb.max + margin;
    Aabb {
        min: Vec3::new(low.x.next_down(), low.y.next_down(), low.z.next_down()),
        max: Vec3::new(high.x.next_up(), high.y.next_up(), high.z.next_up()),
    }
}

/// Returns the box of the corners of a face.
#[inline]
pub(crate) fn box_of([p, q, r]: [Vec3; 3]) -> Aabb {
    Aabb { min: p.min(q).min(r), max: p.max(q).max(r) }
}

/// Returns the box around all given boxes.
pub(crate) fn around(boxes: impl Iterator<Item = Aabb>) -> Aabb {
    boxes.fold(Aabb::EMPTY, |all, aabb| all.merged(&aabb))
}
