//! The passes of a substep over all joints, and their repetition if a contact stops a jointed
//! body.
//!
//! A joint and a contact of a light limb alternate: the contact stops the limb, and the joint
//! gives it a part of the momentum of the heavy body behind it. One pass removes only a small
//! part of this momentum, about the ratio of their masses. So the joint opens while the heavy body
//! continues to move.
//!
//! 1. A joint *parts* if its two points separate faster than [`MAX_PARTING_SPEED`] after the
//!    relaxation of a substep.
//! 2. Its system, the bodies that joints connect with it, is relaxed again: all joints of the
//!    system, then all contacts of its bodies. Bodies that touch none of them keep their velocities
//!    to the bit (test: `landings::a_landing_changes_no_bit_of_other_bodies`).
//! 3. The repetition ends if no joint parts, or after [`MAX_REPEATS`].
//! 4. A system that touches nothing is not repeated: nothing stops it.
//!
//! Reference: none; E. Catto, Solver2D, box2d.org, 2024, relaxes all constraints once.
//! Tried: as many passes with push-out and soft joints before the bodies move; joints open twice
//! as far. Figures: `benches/notes/carom-world.md`.

use crate::impulses::lane_vec::State;
use crate::joints::joint::{Joint, MovingJoints};
use crate::joints::mass::{JointMass, JointMasses};
use crate::joints::rows::{JointStep, Jointed, Solver, Substep};
use crate::joints::spring_trees::SpringTrees;
use alloc::vec::Vec;
use carom_math::Real;

/// Speed in metres per second, if the length unit is a metre.
pub(crate) const MAX_PARTING_SPEED: Real = 0.5;

/// The largest number of passes that are added to a substep.
pub(crate) const MAX_REPEATS: u32 = 8;

/// All joints that are solved in a step.
pub(crate) struct JointPasses<'a> {
    /// One for each of `indices`.
    pub(crate) steps: &'a mut [JointStep],
    pub(crate) joints: &'a mut [Joint],
    /// Indices of joints, ascending.
    pub(crate) indices: &'a [u32],
    pub(crate) masses: &'a mut JointMasses,
    pub(crate) landings: &'a mut Landings,
    pub(crate) trees: &'a mut SpringTrees,
    pub(crate) substep: Substep,
}

impl JointPasses<'_> {
    /// Calls `work` for each joint, in their order.
    fn each(&mut self, mut work: impl FnMut(&mut JointStep, &mut Joint, &[JointMass], &Substep)) {
        for (step, &index) in self.steps.iter_mut().zip(self.indices) {
            work(step, &mut self.joints[index as usize], self.masses.present(), &self.substep);
        }
    }

    /// Records states before the forces of a substep act. `is_first` says whether it is the first
    /// substep of a step.
    pub(crate) fn begin(&mut self, states: &[State], is_first: bool) {
        self.each(|step, joint, _, _| step.begin(joint, states, is_first));
    }

    /// Warm starts all joints.
    pub(crate) fn warm_start(&mut self, bodies: &mut Jointed<'_>) {
        self.each(|step, joint, masses, substep| step.warm_start(joint, masses, bodies, substep));
    }

    /// Solves all joints with springs and bias.
    pub(crate) fn solve(&mut self, bodies: &mut Jointed<'_>) {
        self.iterate(bodies, true);
    }

    /// Does one iteration of each joint, and solves the trees.
    fn iterate(&mut self, bodies: &mut Jointed<'_>, may_spring: bool) {
        if may_spring && self.trees.is_attached() {
            self.solve_trees(bodies, may_spring);
        }
        self.each(|step, joint, masses, substep| {
            if step.solver == Solver::Rows {
                step.solve(joint, masses, bodies, substep, may_spring);
            }
        });
        self.solve_trees(bodies, may_spring);
    }

    fn solve_trees(&mut self, bodies: &mut Jointed<'_>, may_spring: bool) {
        let JointPasses { steps, joints, indices, masses, trees, substep, .. } = self;
        trees.solve((steps, joints, indices), masses.present(), bodies, substep, may_spring);
    }

    /// Solves all joints without bias, at the poses after an integration.
    pub(crate) fn relax(&mut self, bodies: &mut Jointed<'_>) {
        if self.indices.is_empty() {
            return;
        }
        self.landings.begin();
        self.masses.turn(bodies.states);
        self.each(|step, joint, masses, substep| {
            step.follow(&joint.kind, masses, bodies.states);
            step.count_turns(joint, bodies.states, substep.h);
        });
        self.iterate(bodies, false);
    }

    /// Marks the systems that are relaxed again, and relaxes their joints. Returns whether there
    /// is such a system; if so, the contacts of these systems must follow. See [`Landings::mark`].
    pub(crate) fn repeat(&mut self, bodies: &mut Jointed<'_>, max_speed: Real) -> bool {
        let joints = MovingJoints { list: self.joints, indices: self.indices };
        let is_any = self.landings.mark(self.steps, joints, bodies.states, max_speed);
        for &k in &self.landings.marked {
            let joint = &mut self.joints[self.indices[k as usize] as usize];
            self.steps[k as usize].solve(joint, self.masses.present(), bodies, &self.substep, false);
        }
        is_any
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
    /// The joints of systems in contact, by their places among the joints that are solved.
    in_contact: Vec<u32>,
    /// The joints of systems that are relaxed again.
    marked: Vec<u32>,
}

/// The bodies that are relaxed again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Marks<'a> {
    systems: &'a [u32],
    is_marked: &'a [bool],
}

impl Marks<'_> {
    /// No bodies.
    pub(crate) const NONE: Marks<'static> = Marks { systems: &[], is_marked: &[] };

    /// Whether the body in this slot is relaxed again.
    pub(crate) fn includes(&self, slot: usize) -> bool {
        self.systems.get(slot).is_some_and(|&system| self.is_marked[system as usize])
    }
}

impl Landings {
    /// Finds the systems. `contacts` are the slots of the bodies of each contact.
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

    /// Finds the joints of the systems in contact.
    pub(crate) fn find_joints(&mut self, steps: &[JointStep]) {
        let (systems, touches) = (&self.systems, &self.touches);
        let is_in_contact = |step: &JointStep| touches[systems[step.own_slot()] as usize];
        let those = steps.iter().zip(0..).filter(|(step, _)| !step.is_idle && is_in_contact(step));
        self.marked.clear();
        self.in_contact.clear();
        self.in_contact.extend(those.map(|(_, k)| k));
    }

    /// Begins a substep: every system in contact is examined.
    fn begin(&mut self) {
        self.marked.clone_from(&self.in_contact);
    }

    /// Marks each system with a joint that parts faster than `max_speed`. After the first call in
    /// a substep, only marked systems are examined, because the others have not changed. Returns
    /// whether there is a marked system.
    fn mark(
        &mut self,
        steps: &[JointStep],
        joints: MovingJoints<'_>,
        states: &[State],
        max_speed: Real,
    ) -> bool {
        let Landings { systems, is_marked, marked, .. } = self;
        let system = |k: u32| systems[steps[k as usize].own_slot()] as usize;
        marked.iter().for_each(|&k| is_marked[system(k)] = false);
        for &k in marked.iter() {
            let (step, joint) = (&steps[k as usize], joints.get(k as usize));
            let is_rigid = joint.spring.is_none() && joint.kind.has_point_row();
            if is_rigid && max_speed * max_speed < step.parting_velocity(states).length_squared() {
                is_marked[system(k)] = true;
            }
        }
        marked.retain(|&k| is_marked[system(k)]);
        !marked.is_empty()
    }

    /// Returns the bodies whose contacts are solved again.
    pub(crate) fn marks(&self) -> Marks<'_> {
        Marks { systems: &self.systems, is_marked: &self.is_marked }
    }
}
