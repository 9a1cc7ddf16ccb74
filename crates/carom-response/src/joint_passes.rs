//! The passes of a substep over all joints, and their repetition if a contact stops a jointed body.
//!
//! A joint and a contact of a light limb take turns: the contact stops the limb, and the joint
//! gives it a part of the momentum of the heavy body behind it. One pass takes only about the ratio
//! of their masses. So the joint opens while the heavy body goes on.
//!
//! 1. A joint *parts* if its two points separate faster than [`MAX_PARTING_SPEED`] after the
//!    relaxation of a substep.
//! 2. Its system, the bodies that joints connect with it, is relaxed again: all joints of the
//!    system, then all contacts of its bodies. Other bodies keep their velocities to the bit.
//! 3. That ends if none parts, or after [`MAX_REPEATS`].
//! 4. A system that touches nothing is not repeated: nothing stops it.
//!
//! Reference: none; E. Catto, Solver2D, box2d.org, 2024, relaxes all constraints once.
//! Tried: as many passes with push-out and soft joints before the bodies move; joints open twice
//! as far. Figures: `benches/notes/carom-world.md`.

use crate::joint::{Joint, MovingJoints};
use crate::joint_kind::JointKind;
use crate::joint_mass::JointMasses;
use crate::joint_rows::{JointStep, Jointed, Substep};
use crate::lane_vec::State;
use crate::mass::MassData;
use alloc::vec::Vec;
use carom_math::Real;

/// Metres per second, if the length unit is a metre.
pub(crate) const MAX_PARTING_SPEED: Real = 0.5;

/// Passes that are added to a substep, at most.
pub(crate) const MAX_REPEATS: u32 = 8;

/// All joints that are solved in a step.
pub(crate) struct JointPasses<'a> {
    /// One for each of `places`.
    pub(crate) steps: &'a mut [JointStep],
    pub(crate) joints: &'a mut [Joint],
    /// Indices of joints, ascending.
    pub(crate) places: &'a [u32],
    pub(crate) masses: &'a [MassData],
    pub(crate) substep: Substep,
}

impl JointPasses<'_> {
    /// Calls `work` for each joint, in their order.
    fn each(&mut self, mut work: impl FnMut(&mut JointStep, &mut Joint, &[MassData], &Substep)) {
        for (step, &place) in self.steps.iter_mut().zip(self.places) {
            work(step, &mut self.joints[place as usize], self.masses, &self.substep);
        }
    }

    /// Records states before the forces of a substep act. `is_first`: of a step.
    pub(crate) fn begin(&mut self, states: &[State], is_first: bool) {
        self.each(|step, joint, _, substep| step.begin(joint, states, (substep.h, is_first)));
    }

    /// Warm starts all joints, then solves them with springs and bias.
    pub(crate) fn solve(&mut self, bodies: &mut Jointed<'_>) {
        self.each(|step, joint, masses, substep| step.warm_start(joint, masses, bodies, substep));
        self.each(|step, joint, masses, substep| step.solve(joint, masses, bodies, substep, true));
    }

    /// Solves all joints without bias, at the poses after an integration.
    pub(crate) fn relax(&mut self, bodies: &mut Jointed<'_>) {
        self.each(|step, joint, masses, _| step.follow(&joint.kind, masses, bodies.states));
        self.each(|step, joint, masses, substep| step.solve(joint, masses, bodies, substep, false));
    }

    /// See [`Landings::mark`].
    pub(crate) fn mark(&self, landings: &mut Landings, states: &[State], max_speed: Real) -> bool {
        let joints = MovingJoints { list: self.joints, places: self.places };
        landings.mark(self.steps, joints, states, max_speed)
    }

    /// Relaxes the joints of marked systems once more.
    pub(crate) fn repeat(&mut self, bodies: &mut Jointed<'_>, landings: &Landings) {
        self.each(|step, joint, masses, substep| {
            if landings.marks().includes(step.own_slot()) {
                step.solve(joint, masses, bodies, substep, false);
            }
        });
    }

    /// Adds the impulses of this substep to the loads.
    pub(crate) fn add_loads(&mut self, states: &[State]) {
        self.each(|step, joint, _, substep| step.add_load(joint, states, substep.h));
    }
}

/// The systems of bodies that joints connect, and those in which a joint parts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Landings {
    /// By slot: the lowest slot of its system.
    systems: Vec<u32>,
    /// By system: whether one of its bodies is in contact.
    touches: Vec<bool>,
    /// By system: whether it is relaxed again.
    is_marked: Vec<bool>,
}

/// Which bodies are relaxed again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Marks<'a> {
    systems: &'a [u32],
    is_marked: &'a [bool],
}

impl Marks<'_> {
    /// No body.
    pub(crate) const NONE: Marks<'static> = Marks { systems: &[], is_marked: &[] };

    /// Whether the body in this slot is relaxed again.
    pub(crate) fn includes(&self, slot: usize) -> bool {
        self.systems.get(slot).is_some_and(|&system| self.is_marked[system as usize])
    }
}

impl Landings {
    /// Finds the systems. `contacts` are the slots of the bodies of each contact. Without joints,
    /// no system is ever marked.
    pub(crate) fn find(
        &mut self,
        masses: &mut JointMasses,
        n_slots: usize,
        contacts: impl Iterator<Item = (usize, usize)>,
    ) {
        self.systems.clear();
        self.systems.extend((0..n_slots).map(|slot| masses.system(slot)));
        self.touches.clear();
        self.touches.resize(n_slots, false);
        self.is_marked.clear();
        self.is_marked.resize(n_slots, false);
        for (a, b) in contacts {
            self.touches[self.systems[a] as usize] = true;
            self.touches[self.systems[b] as usize] = true;
        }
    }

    /// Marks each system that is in contact and has a joint that parts faster than `max_speed`.
    /// Returns whether there is one.
    pub(crate) fn mark(
        &mut self,
        steps: &[JointStep],
        joints: MovingJoints<'_>,
        states: &[State],
        max_speed: Real,
    ) -> bool {
        self.is_marked.fill(false);
        let mut is_any = false;
        for (step, joint) in steps.iter().zip(joints.iter()).filter(|(step, _)| !step.is_idle) {
            let system = self.systems[step.own_slot()] as usize;
            let is_rigid = joint.spring.is_none() && holds_points(&joint.kind);
            let parts = || max_speed * max_speed < step.parting_velocity(states).length_squared();
            if self.touches[system] && is_rigid && parts() {
                self.is_marked[system] = true;
                is_any = true;
            }
        }
        is_any
    }

    pub(crate) fn marks(&self) -> Marks<'_> {
        Marks { systems: &self.systems, is_marked: &self.is_marked }
    }
}

/// Whether the joint holds the points of both bodies together by one impulse.
fn holds_points(kind: &JointKind) -> bool {
    matches!(kind, JointKind::Weld | JointKind::Spherical { .. } | JointKind::Revolute { .. })
}
