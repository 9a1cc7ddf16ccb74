//! State and scratch memory of the stages of continuous detection.
//!
//! Reference: E. Catto, Continuous Collision, Game Developers Conference, 2013.

use crate::bodies::solids::Part;
use crate::contacts::pair_state::PairState;
use crate::continuous::core_ball::Core;
use crate::continuous::core_cache::CoreCache;
use crate::continuous::flight::Flight;
use alloc::vec::Vec;
use carom_math::Vec3;
use carom_math::glam::{DQuat, DVec3};
use carom_query::{Motion, Workspace};

/// The stops and paths of fast bodies in a step, by number, and scratch memory. Times are fractions
/// of the step.
#[derive(Default)]
pub(crate) struct Sweeps {
    pub(crate) stops: Vec<f64>,
    pub(crate) flights: Vec<Option<Flight>>,
    /// The velocities of bodies before the solver.
    pub(crate) starts: Vec<(u32, [Vec3; 2])>,
    pub(crate) rotations: Vec<DQuat>,
    /// The least distance of a body from the others on its path; 0 if one overlaps it.
    pub(super) clearances: Vec<f64>,
    /// Whether a body may not turn, because an overlap would deepen.
    pub(super) is_turn_locked: Vec<bool>,
    pub(crate) attachments: Vec<Attachment>,
    pub(crate) memory: Workspace,
    pub(crate) slides: Slides,
    /// Pairs of a body that was moved back and a movable body beside it.
    pub(crate) beside: Vec<(u32, u32)>,
    /// A body that was moved back, then the bodies beside it, with the energy that each gained.
    pub(crate) beside_gains: Vec<(usize, f64)>,
    /// Bodies that were moved back, ascending.
    pub(crate) put_back: Vec<u32>,
}

/// Whether joints hold a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Attachment {
    Free,
    Jointed,
    /// The anchors of a joint are farther apart than the width of the body.
    Torn,
}

/// Scratch memory of the slides.
#[derive(Default)]
pub(crate) struct Slides {
    /// Pairs of a stopped body and a body near it.
    pub(super) pairs: Vec<(u32, u32)>,
    /// The bodies near the body that slides.
    pub(super) near: Vec<Near>,
    /// Unit vectors into the walls beside the body that slides.
    pub(super) walls: Vec<DVec3>,
    /// Unit vectors into the bodies beside it that were stopped as well.
    pub(super) stopped: Vec<DVec3>,
}

/// A body near the body that slides.
pub(super) struct Near {
    pub(super) index: usize,
    /// The shapes of the body that slides and of this one.
    pub(super) parts: [Part; 2],
    pub(super) motion: Motion,
    /// The distance that is kept. `None` if the two overlap: then only the core is swept.
    pub(super) target: Option<f64>,
}

/// The motion of a body in a step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Travel {
    pub(super) displacement: Vec3,
    /// The largest displacement of the middle of a part by rotation. For a surface or a kinematic
    /// body, it is the largest displacement of any point.
    pub(super) turned: f32,
    /// The largest displacement of a point by rotation.
    pub(super) swept: f32,
}

/// Scratch memory of the guard.
#[derive(Default)]
pub(crate) struct Guard {
    /// The travels, by number of the body.
    pub(super) travels: Vec<Travel>,
    /// Pairs of a body that is swept and the other body of the pair.
    pub(super) pairs: Vec<(u32, u32)>,
    /// Bodies that left their boxes.
    pub(super) escaped: Vec<u32>,
    pub(super) surfaces: Vec<u32>,
    pub(super) cores: Vec<Core>,
    /// The cores of one collider, on a body with several.
    pub(super) part_cores: Vec<Core>,
    pub(super) core_cache: CoreCache,
    pub(crate) memory: Workspace,
}

impl Guard {
    /// Returns an upper bound of the relative displacement of two bodies in the step.
    pub(crate) fn travel_of_pair(&self, a: usize, b: usize) -> f32 {
        let (a, b) = (self.travels[a], self.travels[b]);
        (a.displacement - b.displacement).length() + a.swept + b.swept
    }
}

/// The contacts that a pair had at the start of the step.
pub(crate) struct StartContacts {
    pub(super) slot: u32,
    pub(super) first: u32,
    pub(super) n: u32,
    pub(super) drift: f32,
    pub(super) has_lost: bool,
}

impl StartContacts {
    pub(super) fn of(slot: u32, state: &PairState) -> StartContacts {
        let PairState { first, n, drift, has_lost, .. } = *state;
        StartContacts { slot, first, n, drift, has_lost }
    }
}
