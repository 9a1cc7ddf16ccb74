//! The joint constraints of a step: loads them at its start, for the passes of the substeps.
//!
//! Reference: E. Catto, Solver2D, box2d.org, 2024 (soft joints).

use crate::bodies::active::ActiveBodies;
use crate::bodies::body::Body;
use crate::bodies::gyroscope::Gyroscope;
use crate::bodies::states::BodyStates;
use crate::contacts::step_contacts::StepContacts;
use crate::joints::joint::{Joint, MovingJoints};
use crate::joints::mass::JointMasses;
use crate::joints::passes::{JointPasses, Landings};
use crate::joints::rows::{JointStep, Substep};
use crate::joints::softness::Softness;
use crate::joints::spring_trees::SpringTrees;
use crate::sleep::island::Islands;
use crate::step::context::StepContext;
use alloc::vec::Vec;
use carom_math::Vec3;

/// The joints of the caller, and the indices of those that are solved.
pub(crate) struct MovingJointsMut<'a> {
    pub(crate) list: &'a mut [Joint],
    /// Ascending.
    pub(crate) indices: &'a [u32],
}

impl MovingJointsMut<'_> {
    pub(crate) fn view(&self) -> MovingJoints<'_> {
        MovingJoints { list: self.list, indices: self.indices }
    }

    /// After an overflow, the impulses of a joint start again at zero.
    pub(crate) fn reset_overflow(&mut self) {
        for &joint in self.indices {
            self.list[joint as usize].reset_overflow();
        }
    }
}

/// The joints of a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct JointConstraints {
    /// The indices of all joints, for a step that solves all; workspace.
    pub(crate) all: Vec<u32>,
    /// One for each joint that is solved.
    steps: Vec<JointStep>,
    masses: JointMasses,
    landings: Landings,
    trees: SpringTrees,
}

impl JointConstraints {
    /// Prepares each joint for a step, and marks the bodies of joints.
    pub(crate) fn load(
        &mut self,
        bodies: &[Body],
        joints: MovingJoints<'_>,
        contacts: &StepContacts,
        active: &ActiveBodies,
        islands: &Islands,
        states: &mut BodyStates,
    ) {
        let JointConstraints { steps, masses, landings, trees, .. } = self;
        let BodyStates { states, masses: true_masses, free, pushes, gyroscopes, .. } = states;
        let pair = |bodies: [u32; 2]| (active.slot(bodies[0]), active.slot(bodies[1]));
        let slots_of = |joint: &Joint| pair([joint.body_a, joint.body_b]);
        steps.clear();
        gyroscopes.clear();
        pushes.clear();
        for joint in joints.iter().filter(|joint| joint.torsion_spring.is_some()) {
            joint.bodies().for_each(|body| free[active.slot(body)].is_sprung = true);
        }
        let mut join = |slot, body| gyroscopes.extend(Gyroscope::join(&mut free[slot], slot, body));
        for joint in joints.iter() {
            let (a, b) = (&bodies[joint.body_a as usize], &bodies[joint.body_b as usize]);
            let (slot_a, slot_b) = slots_of(joint);
            let movable = (active.is_movable()[slot_a], active.is_movable()[slot_b]);
            if !(movable.0 || movable.1) {
                steps.push(JointStep::idle());
                continue;
            }
            let mut step = JointStep::new(joint, a, b, (slot_a, slot_b), movable);
            if let Some(gear) = &joint.gear {
                let mounts = gear.mounts.map(|body| active.slot(body));
                step.mount(gear, bodies, [a, b], mounts);
                for (slot, body) in mounts.into_iter().zip(gear.mounts) {
                    join(slot, &bodies[body as usize]);
                }
            }
            steps.push(step);
            join(slot_a, a);
            join(slot_b, b);
        }
        masses.begin();
        if !joints.indices.is_empty() {
            pushes.resize(states.len(), (Vec3::ZERO, Vec3::ZERO));
            let links = joints.iter().filter(|joint| joint.gear.is_none()).map(slots_of);
            let keys = contacts.active.iter().map(|&contact| contacts.summaries[contact as usize].key);
            let touching = keys.map(|key| pair(key.bodies()));
            let levers = steps.iter().zip(joints.iter());
            let levers = levers.flat_map(|(step, joint)| step.levers(joint, true_masses));
            masses.find(true_masses, islands.roots(), links, touching.clone(), levers);
            landings.find(masses, true_masses.len(), touching);
            let all = joints.iter().flat_map(Joint::bodies);
            masses.load(true_masses, all.map(|body| active.slot(body)));
        }
        for (step, joint) in steps.iter_mut().zip(joints.iter()) {
            step.follow(&joint.kind, masses.present(), states);
        }
        landings.find_joints(steps);
        trees.find(steps, (joints.list, joints.indices), true_masses);
    }

    /// Returns the joints to be solved in the substeps of a step.
    pub(crate) fn passes<'a>(
        &'a mut self,
        context: &StepContext<'_>,
        joints: &'a mut MovingJointsMut<'_>,
    ) -> JointPasses<'a> {
        let &StepContext { settings, h, .. } = context;
        let JointConstraints { steps, masses, landings, trees, .. } = self;
        let frequency = settings.joint_frequency.min(0.25 * (1.0 / h));
        let softness = Softness::new(frequency, settings.joint_damping, h);
        let substep = Substep { h, softness, slop: settings.slop_length() };
        let (joints, indices) = (&mut *joints.list, joints.indices);
        JointPasses { steps, joints, indices, masses, landings, trees, substep }
    }

    /// Returns the root of the island of each body whose mass is scaled for its joints.
    pub(crate) fn loaded_islands<'a>(&'a self, islands: &'a Islands) -> impl Iterator<Item = u32> + 'a {
        self.masses.scaled().map(|slot| islands.roots()[slot as usize])
    }
}
