//! What the stages of continuous detection keep, and hand to each other.
//!
//! Reference: E. Catto, Continuous Collision, Game Developers Conference, 2013.

use crate::continuous::core_ball::Core;
use crate::continuous::core_cache::CoreCache;
use crate::continuous::flight::Flight;
use alloc::vec::Vec;
use carom_math::Vec3;
use carom_math::glam::{DQuat, DVec3};
use carom_query::{Motion, Workspace};

/// When the fast bodies are stopped, by number, in shares of the step, and the paths of bodies that are swept; memory of the casts.
#[derive(Default)]
pub(crate) struct Sweeps {
    pub(crate) stops: Vec<f64>,
    pub(crate) flights: Vec<Option<Flight>>,
    /// The velocities of bodies before the solver.
    pub(crate) starts: Vec<(u32, [Vec3; 2])>,
    pub(crate) rotations: Vec<DQuat>,
    /// How near a body comes to what it is swept against; 0 if something overlaps it.
    pub(super) clearances: Vec<f64>,
    /// Bodies that may not turn, because an overlap would deepen.
    pub(super) is_held: Vec<bool>,
    pub(crate) limbs: Vec<Limb>,
    pub(crate) memory: Workspace,
    pub(crate) slides: Slides,
    /// Bodies that were put back, and bodies that may move with which they have pairs.
    pub(crate) beside: Vec<(u32, u32)>,
    /// A body that was put back, then those beside it, with the energy that each gained.
    pub(crate) payers: Vec<(usize, f64)>,
    /// Bodies that were put back, in rising order.
    pub(crate) put_back: Vec<u32>,
}

/// Whether a body hangs in joints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Limb {
    Not,
    Held,
    /// From one that is farther away than the body is wide.
    Torn,
}

/// Memory of the slides.
#[derive(Default)]
pub(crate) struct Slides {
    /// The bodies that were stopped, and what is near them.
    pub(super) pairs: Vec<(u32, u32)>,
    /// What is near one of them.
    pub(super) near: Vec<Near>,
    /// Unit vectors into the walls beside it.
    pub(super) walls: Vec<DVec3>,
    /// Unit vectors into those beside it that were stopped as well.
    pub(super) stopped: Vec<DVec3>,
}

/// Something near a body that slides.
pub(super) struct Near {
    pub(super) index: usize,
    pub(super) motion: Motion,
    /// No nearer than this; where they overlap it is the core of the body that goes through nothing.
    pub(super) target: Option<f64>,
}

/// How far a body went in a step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Way {
    pub(super) displacement: Vec3,
    /// By turning, the farthest of its middles; of a surface or a driven body, the farthest point.
    pub(super) turned: f32,
    /// By turning, the farthest point of any body.
    pub(super) swept: f32,
}

/// Memory of the guard.
#[derive(Default)]
pub(crate) struct Guard {
    /// By number.
    pub(super) ways: Vec<Way>,
    /// Bodies to be swept, and the other body of each pair.
    pub(super) pairs: Vec<(u32, u32)>,
    /// Bodies that left their boxes.
    pub(super) leavers: Vec<u32>,
    pub(super) surfaces: Vec<u32>,
    pub(super) cores: Vec<Core>,
    pub(super) core_cache: CoreCache,
    pub(crate) memory: Workspace,
}

impl Guard {
    /// How far two bodies moved against each other in the step, at most.
    pub(crate) fn travel_of_pair(&self, a: usize, b: usize) -> f32 {
        let (a, b) = (self.ways[a], self.ways[b]);
        (a.displacement - b.displacement).length() + a.swept + b.swept
    }
}
