//! The states of the active bodies during a step, by slot: loads them from the bodies, and stores
//! the results.
//!
//! - A state has the velocities, and the displacement since the start of the step.
//! - Masses are constant during a step.
//! - The motion without contacts tells what contacts changed.
//!
//! One more slot stands for all bodies that are not active.
//!
//! Reference: E. Catto, SIMD Matters, box2d.org, 2024 (body states).

use crate::bodies::active::ActiveBodies;
use crate::bodies::body::Body;
use crate::bodies::free::FreeMotion;
use crate::bodies::gyroscope::Gyroscope;
use crate::bodies::load::Forces;
use crate::bodies::mass::MassData;
use crate::bodies::motion_bounds::MotionBounds;
use crate::bodies::store::{Limits, Moved};
use crate::impulses::lane_vec::{REST, State};
use crate::joints::rows::Jointed;
use crate::memory;
use crate::sleep::island::Islands;
use crate::step::backend;
use crate::step::context::StepContext;
use crate::step::substep::BodyMotion;
use alloc::vec::Vec;
use carom_math::{Real, Vec3};

/// The states, masses and motions of the bodies of a step, by slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct BodyStates {
    pub(crate) states: Vec<State>,
    pub(crate) masses: Vec<MassData>,
    pub(crate) free: Vec<FreeMotion>,
    /// The velocity changes by joints in a substep. Empty if there are no joints.
    pub(crate) pushes: Vec<(Vec3, Vec3)>,
    /// The jointed bodies with unequal moments of inertia, in the order of their joints.
    pub(crate) gyroscopes: Vec<Gyroscope>,
    /// For how long each body has been at rest, at the end of a step.
    pub(crate) rest_times: Vec<Real>,
    pub(crate) bounds: MotionBounds,
    /// The motions that a callback reads and changes; workspace.
    pub(crate) motions: Vec<BodyMotion>,
}

impl BodyStates {
    /// Loads the active bodies at the start of a step.
    pub(crate) fn load(
        &mut self,
        context: &StepContext<'_>,
        bodies: &[Body],
        active: &ActiveBodies,
        islands: &Islands,
    ) {
        let &StepContext { settings, dt, h, .. } = context;
        let n = active.len();
        let BodyStates { states, masses, free, bounds, .. } = self;
        states.resize(n + 1, REST);
        masses.resize(n + 1, MassData::NONE);
        free.resize(n + 1, FreeMotion::NONE);
        let forces = Forces {
            bodies,
            gravity: settings.gravity,
            rest_from: 0.5 * settings.sleep_delay,
            rest_brake: settings.settle_braking * settings.length_unit * dt,
            h,
            dt,
        };
        let out = (&mut states[..n], &mut masses[..n], &mut free[..n]);
        backend::load_bodies(&forces, active.indices(), islands.settles(), out);
        (states[n], masses[n], free[n]) = (REST, MassData::NONE, FreeMotion::NONE);
        bounds.find(bodies, active.indices());
    }

    /// Writes the results of a step into the bodies, and finds their rest times.
    pub(crate) fn store(
        &mut self,
        context: &StepContext<'_>,
        bodies: &mut [Body],
        active: &ActiveBodies,
        islands: &Islands,
    ) {
        let &StepContext { settings, dt, .. } = context;
        let unit = settings.length_unit;
        let (max_speed, sleep_speed) = (settings.max_speed * unit, settings.sleep_speed * unit);
        let BodyStates { states, masses, free, rest_times, .. } = self;
        let moved = Moved { indices: active.indices(), states, masses, free, touches: islands.touches() };
        rest_times.resize(active.len(), 0.0);
        backend::store_bodies(&Limits { max_speed, sleep_speed, dt }, 0, bodies, &moved, rest_times);
    }

    /// Returns the states as joints change them.
    pub(crate) fn jointed(&mut self) -> Jointed<'_> {
        Jointed { states: &mut self.states, pushes: &mut self.pushes }
    }

    /// Turns the gyroscopes for a time `h`.
    pub(crate) fn turn_gyroscopes(&mut self, h: Real) {
        for gyroscope in &self.gyroscopes {
            gyroscope.turn(&mut self.states, &mut self.pushes, h);
        }
    }

    /// Removes the parts of the velocities beyond the bounds of the bodies.
    pub(crate) fn bound(&mut self) {
        self.bounds.apply(&mut self.states);
    }

    /// Whether a contact or the caller may have given energy to the body in this slot.
    pub(crate) fn may_gain_energy(&self, slot: usize) -> bool {
        self.free.get(slot).is_some_and(FreeMotion::may_be_given_energy)
    }

    /// Shrinks lists that are far larger than their contents.
    pub(crate) fn shrink_unused(&mut self) {
        memory::shrink_unused(&mut self.states);
        memory::shrink_unused(&mut self.masses);
        memory::shrink_unused(&mut self.free);
        memory::shrink_unused(&mut self.pushes);
    }
}
