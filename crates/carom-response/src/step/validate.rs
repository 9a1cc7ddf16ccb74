//! Validation of bodies, joints, and the memory of the last step.
//!
//! State that was stored and loaded may contain anything. The checks cover all that a step relies
//! on, and each one names the first wrong entry. A step keeps these invariants, so tests may run
//! the checks after each step.

use crate::bodies::body::{Body, BodyKind};
use crate::contacts::contact::ContactImpulse;
use crate::impulses::impulse_list::CachedImpulse;
use crate::joints::joint::Joint;
use crate::solver::{Solver, SolverMemory};
use carom_math::Pose;

/// An entry of a table that is inconsistent with the rest of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inconsistency {
    /// The table, and what is wrong with the entry.
    pub what: &'static str,
    /// The index of the entry in the table; 0 if there is no table.
    pub index: usize,
}

impl core::fmt::Display for Inconsistency {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "entry {}: {}", self.index, self.what)
    }
}

impl core::error::Error for Inconsistency {}

/// Fails with the description if the condition does not hold.
fn demand(holds: bool, what: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(what) }
}

/// Whether a pose is finite, and its rotation is a rotation.
fn is_rigid(pose: &Pose) -> bool {
    Pose::try_new(pose.rotation, pose.translation).is_ok()
}

impl Body {
    /// Checks the values and flags of a body. The error says what is wrong.
    pub fn validate(&self) -> Result<(), &'static str> {
        demand(self.is_finite(), "a body with a number that is not finite")?;
        demand(is_rigid(&self.pose), "a body whose pose is not a rotation")?;
        let inertia = &self.inverse_inertia;
        let diagonal = [inertia.x_axis.x, inertia.y_axis.y, inertia.z_axis.z];
        demand(
            0.0 <= self.inverse_mass && diagonal.iter().all(|&x| 0.0 <= x),
            "a body with a negative mass or moment of inertia",
        )?;
        demand(0.0 <= self.linear_damping && 0.0 <= self.angular_damping, "a body with a negative damping")?;
        demand(self.rest.times().iter().all(|time| 0.0 <= *time), "a body with a negative time of rest")?;
        let is_dynamic = self.kind == BodyKind::Dynamic;
        demand(is_dynamic || !self.is_sleeping, "a sleeping body that is not dynamic")
    }
}

impl Joint {
    /// Checks a joint between two of `n_bodies` bodies. The error says what is wrong.
    pub fn validate(&self, n_bodies: usize) -> Result<(), &'static str> {
        demand(self.has_bodies(n_bodies), "a joint without two different bodies")?;
        demand(
            self.check_settings().is_ok(),
            "a joint with a setting out of its bounds, or not of its kind",
        )?;
        demand(
            is_rigid(&self.frame_a) && is_rigid(&self.frame_b),
            "a joint with a frame that is no rotation",
        )?;
        demand(self.winding.is_sound(), "a joint with an angle beyond pi")?;
        demand(self.is_gear_sound(), "a gear without its parts, or with a number out of its bounds")?;
        demand(self.load.is_sound(), "a joint with a load that is not finite")?;
        let is_length = 0.0 <= self.impulse.substep && self.impulse.substep.is_finite();
        demand(is_length && self.impulse.is_finite(), "a joint with an impulse that is not finite")
    }
}

impl SolverMemory {
    /// Checks the cached impulses, for `n_bodies` bodies.
    pub fn validate(&self, n_bodies: usize) -> Result<(), Inconsistency> {
        let at = |index| move |what| Inconsistency { what, index };
        let is_length = |h: f32| 0.0 <= h && h.is_finite();
        demand(self.load.is_sound(), "the load of the world").map_err(at(0))?;
        demand(is_length(self.cache_h), "the length of the substep of cached impulses").map_err(at(0))?;
        for (index, cached) in self.cached.iter().enumerate() {
            cached.validate(n_bodies).map_err(at(index))?;
        }
        for (index, (body, h, cached)) in self.asleep.iter().enumerate() {
            cached.validate(n_bodies).map_err(at(index))?;
            demand(cached.manifold_key.key.bodies().contains(body), "a cached impulse of another body")
                .map_err(at(index))?;
            demand(is_length(*h), "the length of the substep of a cached impulse").map_err(at(index))?;
        }
        Ok(())
    }
}

impl CachedImpulse {
    fn validate(&self, n_bodies: usize) -> Result<(), &'static str> {
        let key = self.manifold_key.key;
        demand(key.is_between(n_bodies), "a cached impulse that is not between two bodies")?;
        // Impulses may be infinite: after an overflow they stay in the cache, and the next step
        // drops them.
        demand(
            self.manifold_key.is_sound(),
            "a cached impulse with too many contacts, or a position that is not finite",
        )
    }
}

impl Solver {
    /// Checks the settings and the memory for `n_bodies` bodies. It copies the memory, so it is for
    /// tests.
    pub fn validate(&self, n_bodies: usize) -> Result<(), Inconsistency> {
        let settings = demand(self.settings().validate().is_ok(), "a setting of the solver");
        settings.map_err(|what| Inconsistency { what, index: 0 })?;
        self.memory().validate(n_bodies)?;
        let is_finite = |impulse: &ContactImpulse| impulse.normal.iter().all(|x| x.is_finite());
        match self.contact_impulses().iter().position(|impulse| !is_finite(impulse)) {
            Some(index) => Err(Inconsistency { what: "a reported impulse that is not finite", index }),
            None => Ok(()),
        }
    }
}
