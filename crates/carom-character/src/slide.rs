//! Move and slide: along one plane, in the crease of two, until a corner of three stops it.
//!
//! After each contact what is left of the way goes on along the vector that is nearest to the wish
//! and goes into no surface that the figure still touches ([`crate::nearest_allowed`]). Surfaces
//! that it has left are forgotten.
//!
//! Degenerate cases: a second contact with one wall is not a crease; a figure that came too near is
//! first moved out by what is missing of its skin; a way that ends nowhere is given up after a
//! number of contacts, with what is left of it reported.
//!
//! Reference: K. Fauerby, Improved Collision Detection and Response, 2003; P. Nettle, Generic
//! Collision Detection for Games Using Ellipsoids, 2000. Differs: all planes that are touched count
//! at once, so that there is no jitter between them.

use crate::cone::nearest_allowed;
use crate::figure::Figure;
use crate::sweep::{Sweep, SweepHit};
use alloc::vec::Vec;
use carom_math::{scaling, tol};
use glam::DVec3;

/// After so many contacts a way is given up.
pub(crate) const MOST_CONTACTS: usize = 12;

/// Who has less than this part of the skin left is moved out.
const TOO_NEAR: f64 = 0.5;

/// Something that a figure slid along or was stopped by.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Contact {
    /// Where it is, in the world.
    pub point: DVec3,
    /// Out of it, of length 1.
    pub normal: DVec3,
    /// What it is, by a number of the world's.
    pub object: u32,
    /// Which part of it: the triangle of a mesh.
    pub part: u32,
    /// How fast it moves there.
    pub velocity: DVec3,
    /// Length per second, not negative: how fast the figure would have gone into it; for a mere
    /// way, its length into it.
    pub approach: f64,
}

/// The end of a way.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Slide {
    /// Where the figure is.
    pub place: DVec3,
    /// What is left of the way; zero where it was gone to its end, if not straight.
    pub left: DVec3,
    /// The figure starts in something, and stays where it is.
    pub starts_inside: bool,
}

/// Moves a figure from `place` by `way`, at the distance `skin` from everything, sliding along what
/// it meets; contacts are appended. A NaN anywhere leaves it where it is.
pub fn move_and_slide(
    world: &mut (impl Sweep + ?Sized),
    figure: &Figure,
    place: DVec3,
    way: DVec3,
    skin: f64,
    contacts: &mut Vec<Contact>,
) -> Slide {
    slide_along(world, figure, place, way, skin, contacts, &mut Touched::default())
}

/// The same with a list of planes that is kept, and emptied first.
pub(crate) fn slide_along(
    world: &mut (impl Sweep + ?Sized),
    figure: &Figure,
    place: DVec3,
    way: DVec3,
    skin: f64,
    contacts: &mut Vec<Contact>,
    touched: &mut Touched,
) -> Slide {
    touched.clear();
    let mut slide = Slide { place, left: way, starts_inside: false };
    if !(place.is_finite() && way.is_finite() && 0.0 < skin) {
        return slide;
    }
    let mut rest = 1.0;
    for _ in 0..MOST_CONTACTS {
        touched.forget(slide.place, skin);
        let along = nearest_allowed(way, &touched.normals) * rest;
        if along == DVec3::ZERO {
            break;
        }
        let (next, hit) = advance(world, figure, slide.place, along, skin);
        slide.place = next;
        let Some(hit) = hit else {
            rest = 0.0;
            break;
        };
        if hit.starts_inside {
            slide.starts_inside = true;
            break;
        }
        rest *= 1.0 - hit.t;
        contacts.push(Contact::of(&hit, along));
        touched.add(&hit, None, slide.place);
    }
    slide.left = way * rest;
    slide
}

/// Goes along a straight way until something is met; then moves out if that is too near.
pub(crate) fn advance(
    world: &mut (impl Sweep + ?Sized),
    figure: &Figure,
    place: DVec3,
    way: DVec3,
    skin: f64,
) -> (DVec3, Option<SweepHit>) {
    let Some(hit) = world.sweep(figure, place, way, skin) else { return (place + way, None) };
    let mut place = place + way * hit.t;
    if !hit.starts_inside && hit.gap < TOO_NEAR * skin {
        let out = hit.normal * (skin - hit.gap);
        let free = world.sweep(figure, place, out, skin).map_or(1.0, |hit| hit.t);
        place += out * free;
    }
    (place, Some(hit))
}

impl Contact {
    /// What was met by a figure that moves with this velocity.
    pub(crate) fn of(hit: &SweepHit, velocity: DVec3) -> Contact {
        Contact {
            point: hit.point,
            normal: hit.normal,
            object: hit.object,
            part: hit.part,
            velocity: hit.velocity,
            approach: (hit.velocity - velocity).dot(hit.normal).max(0.0),
        }
    }
}

/// Planes that a figure touches, with the place where it came to each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Touched {
    /// Nothing goes into these.
    pub(crate) normals: Vec<DVec3>,
    /// Where each was met, and out of what.
    met: Vec<(DVec3, DVec3)>,
}

impl Touched {
    pub(crate) fn clear(&mut self) {
        self.normals.clear();
        self.met.clear();
    }

    /// A surface, and perhaps a second plane that stands for it too.
    pub(crate) fn add(&mut self, hit: &SweepHit, second: Option<DVec3>, place: DVec3) {
        for normal in [Some(hit.normal), second].into_iter().flatten() {
            let is_same = |old: &DVec3| (*old - normal).length_squared() <= SAME_SQ;
            match self.normals.iter().position(is_same) {
                Some(old) => {
                    self.normals[old] = normal;
                    self.met[old] = (place, hit.normal);
                }
                None => {
                    self.normals.push(normal);
                    self.met.push((place, hit.normal));
                }
            }
        }
    }

    /// Leaves out what the figure has moved away from.
    pub(crate) fn forget(&mut self, place: DVec3, skin: f64) {
        for i in (0..self.met.len()).rev() {
            let (met, normal) = self.met[i];
            if 2.0 * skin < normal.dot(place - met) {
                self.met.swap_remove(i);
                self.normals.swap_remove(i);
            }
        }
    }
}

/// The square of a sine.
const SAME_SQ: f64 = tol::CHARACTER_SAME * tol::CHARACTER_SAME;

/// The part of a normal across `up`, of length 1; `None` for one along it.
pub(crate) fn flattened(normal: DVec3, up: DVec3) -> Option<DVec3> {
    scaling::unit(normal - up * normal.dot(up))
}
