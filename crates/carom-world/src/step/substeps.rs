//! Forces of the caller: before a step for all awake bodies, and before each substep.
//!
//! - [`World::for_each_active`](crate::World::for_each_active) applies forces for the next step to
//!   all awake bodies, on several threads.
//! - [`StepOptions::with_on_substep`] sets a callback before each substep. So a force that depends
//!   on the position of a body, such as that of a stiff spring, is as accurate as the substeps
//!   are.
//!
//! [`StepOptions::with_on_substep`]: crate::StepOptions::with_on_substep
//!
//! Reference: Jolt Physics, `PhysicsStepListener`; E. Catto, Solver2D, box2d.org, 2024 (substeps).

use crate::BodyId;
use crate::bodies::traits::Traits;
#[cfg(feature = "parallel")]
use crate::par::{CHUNK_LENGTH, is_serial};
use carom_math::{Pose, Vec3};
use carom_response::{self as response, BodyMotion};
#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// An awake dynamic body, to which forces can be applied. Vectors and points are in the world
/// frame.
///
/// Forces act in the next step or substep. A call changes nothing if a number in it, or the
/// result, is not finite.
#[derive(Debug)]
pub struct BodyForces<'a> {
    id: BodyId,
    user_data: u64,
    motion: &'a mut BodyMotion,
}

impl BodyForces<'_> {
    /// Returns the handle of the body.
    pub fn id(&self) -> BodyId {
        self.id
    }

    /// Returns the user data of the body.
    pub fn user_data(&self) -> u64 {
        self.user_data
    }

    /// Returns the pose of the body.
    pub fn pose(&self) -> Pose {
        self.motion.pose
    }

    /// Returns the centre of mass, in the world frame.
    pub fn center(&self) -> Vec3 {
        self.motion.center
    }

    /// Returns the mass; it is infinite if forces do not move the body.
    pub fn mass(&self) -> f32 {
        1.0 / self.motion.inverse_mass
    }

    /// Returns the velocity of the centre of mass, length per time.
    pub fn linear_velocity(&self) -> Vec3 {
        self.motion.linear_velocity
    }

    /// Returns the angular velocity, in radians per time.
    pub fn angular_velocity(&self) -> Vec3 {
        self.motion.angular_velocity
    }

    /// Returns the velocity of the material point of the body that is now at `point`, length per
    /// time.
    pub fn velocity_at(&self, point: Vec3) -> Vec3 {
        self.motion.linear_velocity + self.motion.angular_velocity.cross(point - self.motion.center)
    }

    /// Adds a force on the centre of mass, mass times length per time squared (newtons).
    pub fn apply_force(&mut self, force: Vec3) {
        self.push(force, Vec3::ZERO);
    }

    /// Adds a force at a point of the world, mass times length per time squared (newtons).
    pub fn apply_force_at(&mut self, force: Vec3, point: Vec3) {
        self.push(force, (point - self.motion.center).cross(force));
    }

    /// Adds a torque, force times length.
    pub fn apply_torque(&mut self, torque: Vec3) {
        self.push(Vec3::ZERO, torque);
    }

    /// Changes the velocities at once by an impulse at a point of the world, mass times length per
    /// time. An impulse at [`BodyForces::center`] changes only the linear velocity.
    pub fn apply_impulse(&mut self, impulse: Vec3, point: Vec3) {
        let motion = &self.motion;
        let linear = motion.linear_velocity + impulse * motion.inverse_mass;
        let turn = motion.inverse_inertia * (point - motion.center).cross(impulse);
        self.set_velocity(linear, motion.angular_velocity + turn);
    }

    /// Changes the angular velocity at once by an angular impulse, mass times area per time.
    pub fn apply_angular_impulse(&mut self, impulse: Vec3) {
        let turn = self.motion.inverse_inertia * impulse;
        self.set_velocity(self.motion.linear_velocity, self.motion.angular_velocity + turn);
    }

    /// Sets the velocity of the centre of mass and the angular velocity at once. Length per time,
    /// and radians per time.
    pub fn set_velocity(&mut self, linear: Vec3, angular: Vec3) {
        if linear.is_finite() && angular.is_finite() {
            (self.motion.linear_velocity, self.motion.angular_velocity) = (linear, angular);
        }
    }

    fn push(&mut self, force: Vec3, torque: Vec3) {
        let (force, torque) = (self.motion.force + force, self.motion.torque + torque);
        if force.is_finite() && torque.is_finite() {
            (self.motion.force, self.motion.torque) = (force, torque);
        }
    }
}

/// The start of a substep. It gives access to the bodies, at the poses after the substep before.
#[derive(Debug)]
pub struct Substep<'a> {
    inner: response::Substep<'a>,
    names: Names<'a>,
}

impl Substep<'_> {
    /// Returns the index of the substep within the step, from 0.
    pub fn index(&self) -> u32 {
        self.inner.index
    }

    /// Returns the number of substeps of the step.
    pub fn count(&self) -> u32 {
        self.inner.count
    }

    /// Returns the length of the substep, a time.
    pub fn dt(&self) -> f32 {
        self.inner.dt
    }

    /// Returns a dynamic body that moves in this step. `None` for a body that sleeps, is suspended
    /// by a budget, is not dynamic, or was removed.
    pub fn body(&mut self, id: BodyId) -> Option<BodyForces<'_>> {
        let index = self.inner.active.binary_search(&id.index).ok()?;
        let motion = self.inner.motions.get_mut(index).filter(|motion| motion.is_dynamic)?;
        let user_data = self.names.user_data(id.index);
        (self.names.id(id.index) == id).then_some(BodyForces { id, user_data, motion })
    }

    /// Calls `f` for each dynamic body that moves in this step, on several threads with the feature
    /// `parallel`.
    pub fn for_each_active(&mut self, f: impl Fn(&mut BodyForces<'_>) + Sync) {
        self.names.visit(self.inner.active, self.inner.motions, &f);
    }
}

/// Tables with the handles and the user data of bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Names<'a> {
    pub(crate) generations: &'a [u32],
    pub(crate) traits: &'a [Traits],
}

impl Names<'_> {
    fn id(&self, index: u32) -> BodyId {
        BodyId { index, generation: self.generations[index as usize] }
    }

    fn user_data(&self, index: u32) -> u64 {
        self.traits[index as usize].user_data
    }

    /// Calls `f` for each dynamic body of the list.
    pub(crate) fn visit(
        &self,
        bodies: &[u32],
        motions: &mut [BodyMotion],
        f: &(impl Fn(&mut BodyForces<'_>) + Sync),
    ) {
        let visit = |(bodies, motions): (&[u32], &mut [BodyMotion])| {
            for (&index, motion) in bodies.iter().zip(motions).filter(|(_, motion)| motion.is_dynamic) {
                f(&mut BodyForces { id: self.id(index), user_data: self.user_data(index), motion });
            }
        };
        #[cfg(feature = "parallel")]
        if !is_serial(bodies.len()) {
            let chunks = bodies.par_chunks(CHUNK_LENGTH).zip(motions.par_chunks_mut(CHUNK_LENGTH));
            return chunks.for_each(visit);
        }
        visit((bodies, motions));
    }
}

/// A callback that may panic within a step. The panic is resumed after the step.
pub(crate) struct Guarded<'a> {
    callback: Option<&'a mut dyn FnMut(&mut Substep<'_>)>,
    #[cfg(feature = "std")]
    panic: Option<alloc::boxed::Box<dyn core::any::Any + Send>>,
}

impl<'a> Guarded<'a> {
    pub(crate) fn new(callback: Option<&'a mut dyn FnMut(&mut Substep<'_>)>) -> Guarded<'a> {
        Guarded {
            callback,
            #[cfg(feature = "std")]
            panic: None,
        }
    }

    /// Whether there is a callback.
    pub(crate) fn is_there(&self) -> bool {
        self.callback.is_some()
    }

    pub(crate) fn call(&mut self, inner: response::Substep<'_>, names: Names<'_>) {
        let Some(callback) = &mut self.callback else { return };
        let mut substep = Substep { inner, names };
        #[cfg(not(feature = "std"))]
        callback(&mut substep);
        #[cfg(feature = "std")]
        {
            let call = core::panic::AssertUnwindSafe(|| callback(&mut substep));
            if let Err(panic) = std::panic::catch_unwind(call) {
                (self.panic, self.callback) = (Some(panic), None);
            }
        }
    }

    /// Resumes the panic, if there was one.
    pub(crate) fn end(self) {
        #[cfg(feature = "std")]
        if let Some(panic) = self.panic {
            std::panic::resume_unwind(panic);
        }
    }
}
