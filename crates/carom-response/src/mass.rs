//! Mass of a body in the world frame, and which contacts its motion leaves behind.
//!
//! Reference: E. Catto, Modeling and Solving Constraints, GDC 2009 (effective masses).

use crate::lane_vec::Lanes;
use carom_geom::Contact;
use carom_math::{Mat3, Real, Vec3};

/// Mass of a body in the world frame, fixed for the step; zero for what does not move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MassData {
    pub(crate) inverse_mass: Real,
    /// xx, yy, zz, xy, xz, yz.
    pub(crate) inverse_inertia: [Real; 6],
    pub(crate) center: Vec3,
    /// From 0 to 1: it has come to rest, and no overlap has to be undone for its sake. What cannot
    /// move is at rest.
    pub(crate) calm: Real,
    /// When the step begins.
    pub(crate) velocity: Vec3,
    /// Square of a relative speed: a body that passes another one faster moves farther than its
    /// size in the step.
    pub(crate) max_contact_speed_sq: Real,
    /// It turns too far in the step for contacts to follow.
    pub(crate) spins_far: bool,
}

impl MassData {
    /// Of what cannot move.
    pub(crate) const NONE: MassData = MassData {
        inverse_mass: 0.0,
        inverse_inertia: [0.0; 6],
        center: Vec3::ZERO,
        calm: 1.0,
        velocity: Vec3::ZERO,
        max_contact_speed_sq: Real::INFINITY,
        spins_far: false,
    };

    /// Inverse mass and inertia; how calm it is.
    pub(crate) fn row(&self) -> Lanes {
        let [xx, yy, zz, xy, xz, yz] = self.inverse_inertia;
        [self.inverse_mass, xx, yy, zz, xy, xz, yz, self.calm]
    }

    /// Returns whether the body moves or turns too far in the step for its contacts with `other` to
    /// follow.
    fn outruns(&self, other: &MassData) -> bool {
        self.spins_far || self.max_contact_speed_sq < (self.velocity - other.velocity).length_squared()
    }

    /// Returns whether a contact of a body that outruns it acts on the centre of the body, wherever
    /// it touches.
    ///
    /// A body that spins fast has turned its contact away before the step is over, and something
    /// else of it is there. Once it is in deep, its contacts may part at each step while its centre
    /// goes on. `outwards` is the unit normal that points to this body, `lever` the contact from
    /// its centre.
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

/// Returns which of two bodies contacts hold at its centre, if they hold one: 0 for A, 1 for B.
///
/// Both bodies get the impulse on one line, or the pair would gain angular momentum: so it is one
/// centre for both. If both bodies outrun their contacts, it is that of the lighter one.
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
