//! Mass of a body in the world frame, and the test whether it moves too far for its contacts.
//!
//! Reference: E. Catto, Modeling and Solving Constraints, GDC 2009 (effective masses).

use crate::impulses::lane_vec::Lanes;
use carom_geom::Contact;
use carom_math::{Mat3, Real, Vec3};

/// The mass of a body in the world frame, constant during a step. It is zero for a body that does
/// not move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MassData {
    pub(crate) inverse_mass: Real,
    /// The inverse inertia tensor: xx, yy, zz, xy, xz, yz.
    pub(crate) inverse_inertia: [Real; 6],
    pub(crate) center: Vec3,
    /// How calm the body is, from 0 to 1. Overlap with a calm body is corrected less. Bodies that
    /// cannot move are calm.
    pub(crate) rest_weight: Real,
    /// Velocity at the start of the step.
    pub(crate) velocity: Vec3,
    /// Square of the relative speed above which the body moves farther than its size in a step.
    pub(crate) max_contact_speed_sq: Real,
    /// Whether it turns too far in the step for its contacts.
    pub(crate) spins_far: bool,
}

impl MassData {
    /// Returns the square of a mean radius of gyration; 0 for a body that cannot turn.
    pub(crate) fn mean_radius_sq(&self) -> Real {
        let [xx, yy, zz, ..] = self.inverse_inertia;
        let sum = xx + yy + zz;
        if 0.0 < sum { 3.0 * self.inverse_mass / sum } else { 0.0 }
    }

    /// The mass of bodies that cannot move.
    pub(crate) const NONE: MassData = MassData {
        inverse_mass: 0.0,
        inverse_inertia: [0.0; 6],
        center: Vec3::ZERO,
        rest_weight: 1.0,
        velocity: Vec3::ZERO,
        max_contact_speed_sq: Real::INFINITY,
        spins_far: false,
    };

    /// Returns inverse mass, inverse inertia, and rest weight as a row.
    pub(crate) fn row(&self) -> Lanes {
        let [xx, yy, zz, xy, xz, yz] = self.inverse_inertia;
        [self.inverse_mass, xx, yy, zz, xy, xz, yz, self.rest_weight]
    }

    /// Whether the body moves or turns too far in the step for its contacts with `other`.
    fn outruns(&self, other: &MassData) -> bool {
        self.spins_far || self.max_contact_speed_sq < (self.velocity - other.velocity).length_squared()
    }

    /// Whether a contact acts on the centre of a body that outruns it, instead of the contact
    /// point.
    ///
    /// A body that spins fast turns its anchor away within the step, and another part of it
    /// arrives at the contact. If it overlaps deeply, its anchors may separate in each step while
    /// its centre moves deeper. `outwards` is the unit normal that points to this body, and
    /// `lever` the vector from its centre to the contact.
    fn is_held_at_center(&self, lever: Vec3, outwards: Vec3, distance: Real, slop: Real) -> bool {
        if !(distance < -slop) {
            return false;
        }
        let center = 0.5 * distance - lever.dot(outwards);
        center < 0.0 || center * center < 0.25 * lever.length_squared()
    }

    pub(crate) fn inertia_matrix(&self) -> Mat3 {
        let [xx, yy, zz, xy, xz, yz] = self.inverse_inertia;
        Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz))
    }
}

/// Returns the body on whose centre contacts act, if any: 0 for A, 1 for B.
///
/// Both bodies get the impulse along one line, because otherwise the pair would gain angular
/// momentum. So both use the centre of the same body. If both bodies outrun their contacts, it is
/// the lighter body.
#[inline]
pub(crate) fn held_center(
    [a, b]: [&MassData; 2],
    normal: Vec3,
    contacts: &[Contact],
    slop: Real,
) -> Option<usize> {
    let is_held = |body: &MassData, other: &MassData, outwards: Vec3| {
        body.outruns(other)
            && contacts.iter().any(|c| {
                let lever = (c.point_a + c.point_b) * 0.5 - body.center;
                body.is_held_at_center(lever, outwards, c.distance, slop)
            })
    };
    match (is_held(a, b, -normal), is_held(b, a, normal)) {
        (true, true) => Some(usize::from(a.inverse_mass < b.inverse_mass)),
        (true, false) => Some(0),
        (false, true) => Some(1),
        (false, false) => None,
    }
}
