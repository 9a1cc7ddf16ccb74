//! Masses that joints use: the true masses, except for a light body between two heavy ones.
//!
//! A tension T at a lever r acts on a link like a spring of stiffness T r. A joint impulse keeps
//! its direction for a substep h. So a link of inertia I becomes unstable from about h^2 T r = 4 I
//! on. More iterations do not help, because only the inertia limits it. Also, the stiffness of a
//! joint is proportional to the lighter mass, so a light link makes a weak joint.
//!
//! 1. The tension of a link is limited by the lighter one of the bodies that it connects. So
//!    joints use the true mass and inertia of a light body that is not between heavy ones: one
//!    that hangs on a heavy body, an arm, a wheel in the air (test:
//!    `unequal_joints::motors_act_on_true_masses`, in carom-world).
//! 2. The load of a body is the mass that it carries between others: see [`LoadPaths`]. Fixed and
//!    kinematic bodies count as one body of infinite mass. Contacts connect as joints do: a wheel
//!    on the ground carries its car. Gears couple rotations, not positions, so they carry nothing.
//! 3. Joints use an inverse mass of at most [`MAX_RATIO`] times that of the load. If the load is
//!    heavier than the heaviest body that joints connect with the body, the mass of that heaviest
//!    body is used instead. The inverse inertia is scaled by the same factor. Gravity, contacts
//!    and forces use the true mass.
//! 4. The inverse inertia of a scaled body is reduced further, by up to [`MAX_TURN_FACTOR`]. A load
//!    that swings or is jerked pulls with several times its weight.
//! 5. At the end of a lever, a body is as light as its inertia allows: see [`inverse_at`]. The rule
//!    for masses holds for this mass too, by adding inertia. The lever of a body is the vector to
//!    one of its joint points. If a joint transmits torque, it is also the vector to the centre of
//!    the load.
//! 6. The scales are computed once per step. They depend only on the connections, not on tensions,
//!    so they store no energy.
//!
//! Reference: R. E. Tarjan, Efficiency of a Good But Not Linear Set Union Algorithm, JACM 22(2),
//! 1975.
//! Tried: an inertia that follows the tension; it adds energy to bodies that spin fast.

use crate::bodies::free::delta_rotation;
use crate::bodies::mass::MassData;
use crate::impulses::lane_vec::State;
use crate::joints::load_paths::LoadPaths;
use crate::sleep::island::DisjointSets;
use alloc::vec::Vec;
use carom_math::glam::DMat3;
use carom_math::{Mat3, Quat, Real, Vec3};

/// The largest ratio of a load to the mass of a body that carries it, for its joints.
pub(crate) const MAX_RATIO: Real = 300.0;

/// The largest factor by which the inertia of a light body is raised more than its mass.
const MAX_TURN_FACTOR: Real = 3.0;

/// The inverse mass and the inverse inertia of a body, for its joints, in the world frame.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct JointMass {
    pub(crate) moving: Real,
    pub(crate) turning: Mat3,
}

/// A lever of a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lever {
    /// The slot of the body.
    pub(crate) slot: usize,
    /// The vector from its centre of mass to the end of the lever.
    pub(crate) arm: Vec3,
    /// The slot of the body whose centre is the end of the lever; `None` for a joint point.
    pub(crate) load: Option<usize>,
    /// The inverse mass at its end: see [`inverse_at`].
    pub(crate) inverse: Real,
}

/// The masses that joints use in a step, by slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct JointMasses {
    systems: DisjointSets,
    /// By root of a system: the inverse mass of its heaviest body.
    least_inverse: Vec<Real>,
    /// By slot: the inverse mass. One entry more stands for all bodies without a mass.
    inverse: Vec<Real>,
    paths: LoadPaths,
    /// By root of an island: whether loads matter in it. Empty if they matter in none.
    is_uneven: Vec<bool>,
    /// By slot: the lever at which a body is lightest, and its inverse mass there.
    levers: Vec<(Vec3, Real)>,
    /// The slots of the bodies of joints, ascending.
    bodies: Vec<u32>,
    /// The slots of those of these bodies whose mass is scaled.
    scaled: Vec<u32>,
    /// For each of `bodies`: its mass at the start of the step.
    starts: Vec<JointMass>,
    /// By slot, for the bodies of joints: its mass at the present pose.
    present: Vec<JointMass>,
}

/// A pair of slots.
type Link = (usize, usize);

impl JointMasses {
    /// Begins a step: no body is scaled.
    pub(crate) fn begin(&mut self) {
        self.scaled.clear();
    }

    /// Returns the slots of the bodies whose masses are scaled in this step, ascending. Each
    /// carries at least [`MAX_RATIO`] times its mass.
    pub(crate) fn scaled(&self) -> impl Iterator<Item = u32> {
        self.scaled.iter().copied()
    }

    /// Finds the loads, and whether one of them matters. `links` are the slots of the two bodies
    /// of each joint that constrains positions, and `contacts` those of each contact. `islands`
    /// has the root of each moving body. The order of links and levers does not matter.
    pub(crate) fn find(
        &mut self,
        masses: &[MassData],
        islands: &[u32],
        links: impl Iterator<Item = Link> + Clone,
        contacts: impl Iterator<Item = Link> + Clone,
        levers: impl Iterator<Item = Lever> + Clone,
    ) {
        self.systems.reset(masses.len());
        self.least_inverse.clear();
        self.least_inverse.resize(masses.len(), Real::INFINITY);
        for (a, b) in links.clone() {
            if has_mass(&masses[a]) && has_mass(&masses[b]) {
                self.systems.join(a as u32, b as u32);
            }
        }
        for (slot, mass) in masses.iter().enumerate().filter(|(_, mass)| has_mass(mass)) {
            let least = &mut self.least_inverse[self.systems.root(slot as u32) as usize];
            *least = least.min(mass.inverse_mass);
        }
        self.load_levers(masses.len(), levers.clone());
        let JointMasses { systems, least_inverse, inverse, paths, is_uneven, levers: longest, .. } = self;
        is_uneven.clear();
        for (slot, mass) in masses.iter().enumerate().filter(|(_, mass)| has_mass(mass)) {
            let most = MAX_RATIO * least_inverse[systems.root(slot as u32) as usize];
            if most < mass.inverse_mass.max(longest[slot].1) {
                is_uneven.resize(masses.len(), false);
                is_uneven[islands[slot] as usize] = true;
            }
        }
        if is_uneven.is_empty() {
            return;
        }
        let fixed = masses.len();
        inverse.clear();
        inverse.extend(masses.iter().map(|mass| mass.inverse_mass));
        inverse.push(0.0);
        let vertex = |slot: usize| if has_mass(&masses[slot]) { slot } else { fixed };
        let is_near = |slot: usize| slot != fixed && is_uneven[islands[slot] as usize];
        let all = links.chain(contacts).map(|(a, b)| (vertex(a), vertex(b)));
        paths.find(inverse, all.filter(|&(a, b)| a != b && (is_near(a) || is_near(b))));
        // The heavier end of a path is held, so only the lighter one pulls at its lever.
        let (inverse, paths) = (core::mem::take(&mut self.inverse), core::mem::take(&mut self.paths));
        let is_load =
            |lever: &Lever| lever.load.is_none_or(|load| paths.inverse_load(lever.slot) <= inverse[load]);
        self.load_levers(masses.len(), levers.filter(is_load));
        (self.inverse, self.paths) = (inverse, paths);
    }

    /// Keeps, for each body, the lever at whose end it is lightest.
    fn load_levers(&mut self, n_slots: usize, levers: impl Iterator<Item = Lever>) {
        self.levers.clear();
        self.levers.resize(n_slots, (Vec3::ZERO, 0.0));
        // `for_each` runs over the parts of the chain one by one, which `for` does not.
        levers.for_each(|lever| {
            let longest = &mut self.levers[lever.slot];
            if longest.1 < lever.inverse {
                *longest = (lever.arm, lever.inverse);
            }
        });
    }

    /// Returns the lowest slot of the bodies that joints connect with the body in `slot`.
    pub(crate) fn system(&mut self, slot: usize) -> u32 {
        self.systems.root(slot as u32)
    }

    /// Loads the masses of the bodies of joints. `slots` may repeat.
    pub(crate) fn load(&mut self, masses: &[MassData], slots: impl Iterator<Item = usize>) {
        let mut bodies = core::mem::take(&mut self.bodies);
        bodies.clear();
        bodies.extend(slots.map(|slot| slot as u32));
        bodies.sort_unstable();
        bodies.dedup();
        self.starts.clear();
        self.present.resize(masses.len(), JointMass::default());
        for slot in bodies.iter().map(|&slot| slot as usize) {
            let own = &masses[slot];
            let mut mass = JointMass { moving: own.inverse_mass, turning: own.inertia_matrix() };
            let max_inverse = self.max_inverse(own, slot);
            if max_inverse < own.inverse_mass.max(self.levers[slot].1) {
                mass.limit(max_inverse, self.levers[slot].0);
                self.scaled.push(slot as u32);
            }
            self.starts.push(mass);
            self.present[slot] = mass;
        }
        self.bodies = bodies;
    }

    /// Rotates the inertias of the bodies of joints to their present poses.
    pub(crate) fn turn(&mut self, states: &[State]) {
        for (&slot, start) in self.bodies.iter().zip(&self.starts) {
            let slot = slot as usize;
            self.present[slot].turning = turned_matrix(delta_rotation(&states[slot]), start.turning);
        }
    }

    /// Returns the masses at the present poses, by slot, for the bodies of joints.
    pub(crate) fn present(&self) -> &[JointMass] {
        &self.present
    }

    /// Returns the largest inverse mass that joints of a body use.
    fn max_inverse(&mut self, own: &MassData, slot: usize) -> Real {
        if self.is_uneven.is_empty() || !has_mass(own) {
            return Real::INFINITY;
        }
        // A contact may connect a body with a load that is in no joint with it.
        let heaviest = self.least_inverse[self.systems.root(slot as u32) as usize];
        MAX_RATIO * heaviest.max(self.paths.inverse_load(slot))
    }
}

impl JointMass {
    /// Makes a body heavier, so that its inverse mass is at most `max_inverse`, at its centre and
    /// at the end of its lever.
    fn limit(&mut self, max_inverse: Real, lever: Vec3) {
        let scale = max_inverse / self.moving;
        if scale < 1.0 {
            self.moving *= scale;
            self.turning *= scale * scale.max(1.0 / MAX_TURN_FACTOR);
        }
        let inverse = inverse_at(lever, &self.turning);
        if max_inverse < inverse {
            // The mean inertia about the axes across the lever.
            let inertia = lever.length_squared() / (3.0 * inverse);
            let factor = inverse / max_inverse;
            self.add_inertia(inertia * (factor * factor.min(MAX_TURN_FACTOR) - 1.0));
        }
    }

    /// Adds an inertia that is the same about all axes. Axes about which the body cannot turn stay
    /// locked.
    fn add_inertia(&mut self, inertia: Real) {
        let sum = invert(Mat3::IDENTITY + self.turning * inertia) * self.turning;
        self.turning = (sum + sum.transpose()) * 0.5;
    }
}

/// Returns the inverse mass of a body at the end of a lever, as far as its rotation determines it.
/// `turning` is the inverse inertia. For a rod that is held at its end, it is that of the rod.
pub(crate) fn inverse_at(lever: Vec3, turning: &Mat3) -> Real {
    // The trace of the inverse mass that an impulse at the end of the lever meets. For a rod of
    // mass m and length l, with 12 / (m l^2) about two axes and a lever of l / 2, it is 6 / m.
    let trace = turning.x_axis.x + turning.y_axis.y + turning.z_axis.z;
    (lever.length_squared() * trace - lever.dot(*turning * lever)) / 6.0
}

/// Rotates a symmetric tensor from the frame of its body to the world.
fn turned_matrix(rotation: Quat, tensor: Mat3) -> Mat3 {
    let r = Mat3::from_quat(rotation);
    let half = r * tensor;
    let entry = |i: usize, k: usize| {
        half.x_axis[i] * r.x_axis[k] + half.y_axis[i] * r.y_axis[k] + half.z_axis[i] * r.z_axis[k]
    };
    let (xy, xz, yz) = (entry(0, 1), entry(0, 2), entry(1, 2));
    Mat3::from_cols_array(&[entry(0, 0), xy, xz, xy, entry(1, 1), yz, xz, yz, entry(2, 2)])
}

/// Whether a body moves by forces and has a finite mass.
fn has_mass(mass: &MassData) -> bool {
    0.0 < mass.inverse_mass
}

/// Returns the inverse, or zero if neither body can turn, so that there is none. It is computed in
/// `f64`: see [`inverse_of`](crate::integrate::inverse_of).
pub(crate) fn invert(m: Mat3) -> Mat3 {
    let DMat3 { x_axis: x, y_axis: y, z_axis: z } = m.as_dmat3();
    let rows = DMat3::from_cols(y.cross(z), z.cross(x), x.cross(y));
    let determinant = z.dot(rows.z_axis);
    let inverse = (rows.transpose() * (1.0 / determinant)).as_mat3();
    if 0.0 < determinant && inverse.is_finite() { inverse } else { Mat3::ZERO }
}
