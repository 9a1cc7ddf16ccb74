//! Settings of single contacts: springs, bounds of impulses, mass scales, rolling and
//! spinning friction.
//!
//! - A spring pushes with stiffness times overlap plus damping times speed, and does not pull. It
//!   has no slop and no push-out speed, and it is not relaxed: its speed is real.
//! - The force follows from the overlap at the start of the substep, so a spring without damping
//!   loses no energy. If a spring is too stiff for this, a part of the overlap is that at the end
//!   of the substep. This is stable for any stiffness.
//! - A bound of the impulse is divided equally among the substeps, so it bounds the force.
//! - A mass scale applies to one contact only. Such a contact does not keep the total momentum.
//! - All of it is written once per step into the [`GroupDetails`] of groups that have such a
//!   contact. Other groups have none.
//!
//! Reference: E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, 2006, I.1.2
//! (symplectic Euler); Jolt Physics, `ContactSettings::mInvMassScale1`.

use crate::contacts::summary::Summary;
use crate::impulses::group::{Group, GroupDetails};
use crate::settings::SolverError;
use crate::sleep::rest::Touch;
use carom_geom::MAX_CONTACTS;
use carom_math::{Real, Vec3};

/// The stiffest spring, as the square of its phase per substep in radians. It is as good as rigid,
/// and no product with it overflows.
const MAX_PHASE_SQ: Real = 1e6;

/// A spring up to this square of the phase per substep uses only the overlap at the start of the
/// substep. Symplectic Euler is stable up to 4.
const EXPLICIT_PHASE_SQ: Real = 1.0;

/// Settings of one contact in the next step: [`Solver::contact_settings_mut`].
///
/// [`Solver::contact_settings_mut`]: crate::Solver::contact_settings_mut
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ContactSettings {
    /// Index of the contact among those of the step.
    pub contact: u32,
    /// For each contact point: the largest normal impulse in the step, in mass times speed. Not
    /// negative, and infinite for no bound. If one of them is finite, the contact does not bounce.
    /// Default: infinite.
    pub max_impulse: [Real; MAX_CONTACTS],
    /// Force per length of overlap of each contact point; 0 for a rigid contact. Not negative. A
    /// contact with a spring does not bounce. Default: 0.
    pub stiffness: Real,
    /// Force per speed of each contact point, if it has a spring. Not negative. Default: 0.
    pub damping: Real,
    /// Rolling friction: the largest torque against rolling divided by the normal force, a length.
    /// Not negative. Default: 0.
    pub rolling_friction: Real,
    /// Spinning friction: the largest torque about the normal against spinning, divided by the
    /// normal force, a length. Not negative. Default: 0.
    pub spinning_friction: Real,
    /// Factors of the masses of A and B in this contact. At least [`MIN_MASS_SCALE`]; infinite for
    /// a side that is not pushed. Default: 1 and 1.
    pub mass_scales: [Real; 2],
}

impl ContactSettings {
    /// Returns the settings of an ordinary contact, of this index.
    pub const fn new(contact: u32) -> ContactSettings {
        ContactSettings {
            contact,
            max_impulse: [Real::INFINITY; MAX_CONTACTS],
            stiffness: 0.0,
            damping: 0.0,
            rolling_friction: 0.0,
            spinning_friction: 0.0,
            mass_scales: [1.0; 2],
        }
    }

    /// Whether all numbers are in their ranges.
    pub fn is_sound(&self) -> bool {
        self.bad_number().is_none()
    }

    /// Returns the first number that is out of its range, with its name.
    fn bad_number(&self) -> Option<(&'static str, Real)> {
        let is_amount = |x: Real| 0.0 <= x && x < Real::INFINITY;
        let is_scale = |scale: Real| (MIN_MASS_SCALE..=Real::INFINITY).contains(&scale);
        let bounds = self.max_impulse.map(|bound| ("max_impulse", bound, 0.0 <= bound));
        let spring = [
            ("stiffness", self.stiffness),
            ("damping", self.damping),
            ("rolling_friction", self.rolling_friction),
            ("spinning_friction", self.spinning_friction),
        ];
        let spring = spring.map(|(name, x)| (name, x, is_amount(x)));
        let scales = self.mass_scales.map(|scale| ("mass_scales", scale, is_scale(scale)));
        let bad = bounds.into_iter().chain(spring).chain(scales).find(|(.., is_good)| !is_good);
        bad.map(|(name, x, _)| (name, x))
    }

    fn has_spring(&self) -> bool {
        0.0 < self.stiffness
    }

    /// Whether the contact may add energy: it has a spring, or does not keep momentum.
    fn may_add_energy(&self) -> bool {
        self.has_spring() || self.mass_scales != [1.0; 2]
    }

    /// Updates the summary of the contact.
    pub(crate) fn apply_to(&self, summary: &mut Summary) {
        let is_bounded = self.max_impulse.iter().any(|bound| *bound < Real::INFINITY);
        summary.bounces &= !(self.has_spring() || is_bounded);
        if self.has_spring() {
            // The overlap of a spring is no error to be pushed out.
            summary.touch = summary.touch.min(Touch::Touching);
        }
    }

    /// Writes the settings into a lane of a group that is already loaded. `n_contacts` is the
    /// number of contact points, `h` the length of a substep, and `share` its fraction of the step.
    ///
    /// Returns whether the contact may give its bodies energy.
    pub(crate) fn load(
        &self,
        (group, lane): (&mut Group, usize),
        details: &mut GroupDetails,
        n_contacts: usize,
        (h, share): (Real, Real),
    ) -> bool {
        let [by_a, by_b] = self.mass_scales.map(|scale| 1.0 / scale);
        group.inverse_mass_a[lane] *= by_a;
        group.inverse_mass_b[lane] *= by_b;
        group.inverse_inertia_a.iter_mut().for_each(|lanes| lanes[lane] *= by_a);
        group.inverse_inertia_b.iter_mut().for_each(|lanes| lanes[lane] *= by_b);
        for (lanes, bound) in details.max_impulse.iter_mut().zip(self.max_impulse) {
            lanes[lane] = bound * share;
        }
        details.rolling[lane] = self.rolling_friction;
        details.spinning[lane] = self.spinning_friction;
        details.resists_rotation |= 0.0 < self.rolling_friction.max(self.spinning_friction);
        let inverse_effective_mass: Real =
            (0..n_contacts).map(|k| inverse_effective_mass(group, lane, k)).sum();
        if self.has_spring() && 0.0 < inverse_effective_mass {
            // An upper bound of the frequency of any motion against all points together.
            let unit = h * h * inverse_effective_mass;
            let stiffness = self.stiffness.min(MAX_PHASE_SQ / unit);
            let phase_sq = stiffness * unit;
            let at_end = if phase_sq <= EXPLICIT_PHASE_SQ { 0.0 } else { 0.5 };
            let damping = self.damping.min(MAX_PHASE_SQ / (h * inverse_effective_mass));
            details.push[lane] = h * stiffness;
            details.give[lane] = h * (damping + at_end * h * stiffness);
        }
        self.may_add_energy()
    }
}

/// The least mass scale. The value is a choice, and does not follow from rounding.
pub const MIN_MASS_SCALE: Real = 1e-3;

/// Inverse effective mass of a contact point along the normal.
fn inverse_effective_mass(group: &Group, lane: usize, k: usize) -> Real {
    let vector = |lanes: &[[Real; 8]; 3]| Vec3::new(lanes[0][lane], lanes[1][lane], lanes[2][lane]);
    let normal = vector(&group.normal);
    let of = |anchor: Vec3, inverse_mass: Real, inertia: &[[Real; 8]; 6]| {
        let turn = anchor.cross(normal);
        let [xx, yy, zz, xy, xz, yz] = inertia.map(|lanes| lanes[lane]);
        let turned = Vec3::new(
            xx * turn.x + xy * turn.y + xz * turn.z,
            xy * turn.x + yy * turn.y + yz * turn.z,
            xz * turn.x + yz * turn.y + zz * turn.z,
        );
        inverse_mass + turn.dot(turned)
    };
    let point = &group.points[k];
    of(vector(&point.anchor_a), group.inverse_mass_a[lane], &group.inverse_inertia_a)
        + of(vector(&point.anchor_b), group.inverse_mass_b[lane], &group.inverse_inertia_b)
}

/// Fails with the first entry that is out of its range, out of order, or not of one of
/// `n_contacts` contacts.
pub(crate) fn check(list: &[ContactSettings], n_contacts: usize) -> Result<(), SolverError> {
    for (index, settings) in list.iter().enumerate() {
        let is_after = index == 0 || list[index - 1].contact < settings.contact;
        let bad = settings.bad_number();
        let is_known = is_after && (settings.contact as usize) < n_contacts;
        if let Some((what, value)) = bad.or((!is_known).then_some(("contact", settings.contact as Real))) {
            return Err(SolverError::ContactSettings { index, what, value });
        }
    }
    Ok(())
}
