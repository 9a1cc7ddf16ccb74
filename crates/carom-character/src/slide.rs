//! Move and slide: along one plane, in the crease of two, until a corner of three stops the
//! figure.
//!
//! After each contact the rest of the path follows the vector nearest to the wish that goes into
//! no touched surface ([`crate::nearest_allowed`]). Surfaces that the figure has left are
//! forgotten.
//!
//! Degenerate: a second contact with one wall is not a crease. A figure that came too near is
//! first moved out by the missing part of its skin. After a maximum number of contacts the rest of
//! the displacement is given up and reported.
//!
//! Reference: K. Fauerby, Improved Collision Detection and Response, 2003; P. Nettle, Generic
//! Collision Detection for Games Using Ellipsoids, 2000. Differs: all touched planes count at
//! once, so there is no jitter between them.

use crate::cone::nearest_allowed;
use crate::figure::Figure;
use crate::sweep::{Sweep, SweepHit};
use alloc::vec::Vec;
use carom_math::{scaling, tol};
use glam::DVec3;

/// The maximum number of contacts of one move.
pub(crate) const MAX_CONTACTS: usize = 12;

/// The fraction of the skin below which a figure is moved out.
const MIN_GAP_RATIO: f64 = 0.5;

/// A contact that a figure slid along or was stopped by.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Contact {
    /// The contact point, in the world.
    pub point: DVec3,
    /// The unit normal out of the object.
    pub normal: DVec3,
    /// The index of the object in the world.
    pub object: u32,
    /// The part of the object: the triangle of a mesh.
    pub part: u32,
    /// The velocity of the object there, in the world frame and in length per second.
    pub velocity: DVec3,
    /// The speed at which the figure would have gone into the object, length per second, not
    /// negative. From [`move_and_slide`] it is a length: the component of the rest of the
    /// displacement.
    pub approach: f64,
}

/// The result of a move.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Slide {
    /// The final position of the figure.
    pub position: DVec3,
    /// The rest of the displacement; zero if the figure used up the whole length, sliding
    /// included.
    pub left: DVec3,
    /// Whether the figure starts in an obstacle, and stays where it is.
    pub starts_inside: bool,
}

/// Moves a figure from a position by a displacement, and slides along obstacles. The figure keeps
/// the distance `skin` from everything. Contacts are appended. A NaN leaves the figure at
/// `position`, and so does a skin that is not above 0.
pub fn move_and_slide(
    world: &mut (impl Sweep + ?Sized),
    figure: &Figure,
    position: DVec3,
    displacement: DVec3,
    skin: f64,
    contacts: &mut Vec<Contact>,
) -> Slide {
    slide_along(world, figure, position, displacement, None, skin, contacts, &mut TouchedPlanes::default())
}

/// Does the same with a reused list of planes, which is cleared first. With the duration of the
/// move, in seconds, the approaches are speeds; within no time they are 0.
pub(crate) fn slide_along(
    world: &mut (impl Sweep + ?Sized),
    figure: &Figure,
    position: DVec3,
    displacement: DVec3,
    duration: Option<f64>,
    skin: f64,
    contacts: &mut Vec<Contact>,
    touched: &mut TouchedPlanes,
) -> Slide {
    touched.clear();
    let mut slide = Slide { position, left: displacement, starts_inside: false };
    if !(position.is_finite() && displacement.is_finite() && 0.0 < skin) {
        return slide;
    }
    let mut rest = 1.0;
    for _ in 0..MAX_CONTACTS {
        touched.forget(slide.position, skin);
        let allowed = nearest_allowed(displacement, &touched.normals);
        let along = allowed * rest;
        if along == DVec3::ZERO {
            break;
        }
        let (next, hit) = advance(world, figure, slide.position, along, skin);
        slide.position = next;
        let Some(hit) = hit else {
            rest = 0.0;
            break;
        };
        if hit.starts_inside {
            slide.starts_inside = true;
            break;
        }
        rest *= 1.0 - hit.t;
        let relative = match duration {
            // A length: the velocity of the object does not count.
            None => along,
            Some(0.0) => DVec3::ZERO,
            Some(duration) => allowed / duration - hit.velocity,
        };
        contacts.push(Contact::of(&hit, relative));
        touched.add(&hit, None, slide.position);
    }
    slide.left = displacement * rest;
    slide
}

/// Moves along a straight path up to the first obstacle. Moves the figure away from the obstacle
/// if it is too near.
pub(crate) fn advance(
    world: &mut (impl Sweep + ?Sized),
    figure: &Figure,
    position: DVec3,
    displacement: DVec3,
    skin: f64,
) -> (DVec3, Option<SweepHit>) {
    let Some(hit) = world.sweep(figure, position, displacement, skin) else {
        return (position + displacement, None);
    };
    let mut position = position + displacement * hit.t;
    if !hit.starts_inside && hit.gap < MIN_GAP_RATIO * skin {
        let out = hit.normal * (skin - hit.gap);
        let free = world.sweep(figure, position, out, skin).map_or(1.0, |hit| hit.t);
        position += out * free;
    }
    (position, Some(hit))
}

impl Contact {
    /// Returns the contact of a hit by a figure that moves relative to the object with this
    /// velocity.
    pub(crate) fn of(hit: &SweepHit, relative: DVec3) -> Contact {
        Contact {
            point: hit.point,
            normal: hit.normal,
            object: hit.object,
            part: hit.part,
            velocity: hit.velocity,
            approach: (-relative.dot(hit.normal)).max(0.0),
        }
    }
}

/// Planes that a figure touches, with its position at each contact.
#[derive(Clone, Debug, Default)]
pub(crate) struct TouchedPlanes {
    /// The normals that limit the motion.
    pub(crate) normals: Vec<DVec3>,
    /// The position of the figure at each contact, and the normal of the hit.
    met: Vec<(DVec3, DVec3)>,
}

impl TouchedPlanes {
    pub(crate) fn clear(&mut self) {
        self.normals.clear();
        self.met.clear();
    }

    /// Adds the plane of a hit, and optionally a second plane for the same surface.
    pub(crate) fn add(&mut self, hit: &SweepHit, second: Option<DVec3>, position: DVec3) {
        for normal in [Some(hit.normal), second].into_iter().flatten() {
            let is_same = |old: &DVec3| (*old - normal).length_squared() <= SAME_SQ;
            match self.normals.iter().position(is_same) {
                Some(old) => {
                    self.normals[old] = normal;
                    self.met[old] = (position, hit.normal);
                }
                None => {
                    self.normals.push(normal);
                    self.met.push((position, hit.normal));
                }
            }
        }
    }

    /// Removes the planes from which the figure has moved away.
    pub(crate) fn forget(&mut self, position: DVec3, skin: f64) {
        for i in (0..self.met.len()).rev() {
            let (met, normal) = self.met[i];
            if 2.0 * skin < normal.dot(position - met) {
                self.met.swap_remove(i);
                self.normals.swap_remove(i);
            }
        }
    }
}

/// The largest squared difference of unit normals that count as equal.
const SAME_SQ: f64 = tol::CHARACTER_SAME * tol::CHARACTER_SAME;

/// Returns the component of a normal across `up`, normalized; `None` for a normal along `up`.
pub(crate) fn flattened(normal: DVec3, up: DVec3) -> Option<DVec3> {
    scaling::unit(normal - up * normal.dot(up))
}
