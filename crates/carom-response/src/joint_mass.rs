//! Mass ratios in joints: joints treat no body as much lighter than the heaviest one of its joint
//! system.
//!
//! A tension T at a lever r acts on a link like a spring of stiffness T r. A joint impulse keeps
//! its direction for a substep h. So a link of inertia I becomes unstable from about h^2 T r = 4 I
//! on. More iterations do not help, because only the inertia limits it. Also, the stiffness of a
//! joint is proportional to the lighter mass, so a light link makes a weak joint.
//!
//! 1. Bodies that move by forces and are connected by joints form a system. Fixed and kinematic
//!    bodies connect nothing and have no mass.
//! 2. Joints of a system use an inverse mass of at most [`MAX_RATIO`] times the least one in it.
//!    The inverse inertia is scaled alike. Gravity, contacts and forces use the true mass.
//! 3. The inverse inertia of a scaled body is reduced further, by up to [`MAX_TURN_FACTOR`],
//!    because a load that swings pulls with several times its weight.
//! 4. The scales are computed once per step. They depend only on the connections, not on tensions,
//!    so they store no energy.
//!
//! Reference: R. E. Tarjan, Efficiency of a Good But Not Linear Set Union Algorithm, JACM 22(2),
//! 1975.
//! Tried: an inertia that follows the tension; it adds energy to bodies that spin fast.

use crate::island::DisjointSets;
use crate::mass::MassData;
use alloc::vec::Vec;
use carom_math::Real;

/// The largest ratio of two masses that the joints of a system use.
const MAX_RATIO: Real = 300.0;

/// The largest factor by which the inertia of a light body is raised more than its mass.
const MAX_TURN_FACTOR: Real = 3.0;

/// Factors of the inverse mass and of the inverse inertia of a body, for its joints. At most 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct JointScale {
    pub(crate) moving: Real,
    pub(crate) turning: Real,
}

impl JointScale {
    /// Joints use the true mass and inertia.
    pub(crate) const NONE: JointScale = JointScale { moving: 1.0, turning: 1.0 };
}

/// The masses that joints use in a step, by slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct JointMasses {
    systems: DisjointSets,
    /// Per system, under its root: the inverse mass of the heaviest body.
    least_inverse: Vec<Real>,
}

impl JointMasses {
    /// Finds the systems. `links` are the slots of the two bodies of each joint; their order does
    /// not matter.
    pub(crate) fn find(&mut self, masses: &[MassData], links: impl Iterator<Item = (usize, usize)>) {
        self.systems.reset(masses.len());
        self.least_inverse.clear();
        self.least_inverse.resize(masses.len(), Real::INFINITY);
        for (a, b) in links {
            if has_mass(&masses[a]) && has_mass(&masses[b]) {
                self.systems.join(a as u32, b as u32);
            }
        }
        for (slot, mass) in masses.iter().enumerate().filter(|(_, mass)| has_mass(mass)) {
            let least = &mut self.least_inverse[self.systems.root(slot as u32) as usize];
            *least = least.min(mass.inverse_mass);
        }
    }

    /// Returns the factors for the body in a slot.
    pub(crate) fn scale(&mut self, masses: &[MassData], slot: usize) -> JointScale {
        let own = &masses[slot];
        if !has_mass(own) {
            return JointScale::NONE;
        }
        let max_inverse_mass = MAX_RATIO * self.least_inverse[self.systems.root(slot as u32) as usize];
        if own.inverse_mass <= max_inverse_mass {
            return JointScale::NONE;
        }
        let moving = max_inverse_mass / own.inverse_mass;
        JointScale { moving, turning: moving * moving.max(1.0 / MAX_TURN_FACTOR) }
    }
}

/// Whether a body moves by forces and can be pushed away.
fn has_mass(mass: &MassData) -> bool {
    0.0 < mass.inverse_mass
}
