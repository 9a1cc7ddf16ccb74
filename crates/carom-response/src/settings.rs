//! Settings of the solver, and its errors.
//!
//! Each setting has a lower and an upper bound, far beyond any use. Within them a step neither
//! panics nor runs forever (test: `settings::settings_at_their_bounds_are_allowed`, carom-world).

use carom_math::{Real, Vec3};

/// The upper bound of settings that have no narrower one.
pub(crate) const MAX_SETTING: Real = 1e9;

/// The bounds of the unit of length. Lengths times it neither overflow nor underflow.
const LENGTH_UNITS: [Real; 2] = [1e-9, 1e9];

/// The upper bound of [`SolverSettings::max_load_factor`].
const MAX_LOAD_FACTOR: u32 = 16;

/// The largest component of gravity, in world units of length per time squared.
const MAX_GRAVITY: Real = 1e18;

/// Settings of the solver. The defaults are for metres, kilograms and seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SolverSettings {
    /// Acceleration of all dynamic bodies, in the world frame. World units of length per time
    /// squared. Default: (0, -9.81, 0).
    pub gravity: Vec3,
    /// Number of equal substeps of a step, from 1 to [`SolverSettings::MAX_SUBSTEPS`]. Each
    /// substep solves all contacts once and relaxes them once. A step that is shorter than the
    /// last ones has fewer substeps, of about the same length. More substeps make stacks stiffer:
    /// a house of cards of five floors stands with 4 (test:
    /// `stacks::a_card_house_of_five_floors_stands`). Default: 6.
    pub substeps: u32,
    /// The largest factor by which the number of substeps grows under heavy loads: while a body
    /// carries many times its own weight, such as a crate under a tank. From 1 to 16. In a step
    /// with a budget the factor is 1. Default: 4.
    pub max_load_factor: u32,
    /// The number of world units of length in one metre, such as 100 for centimetres. Lengths,
    /// speeds and accelerations below are in multiples of this unit. Default: 1.
    pub length_unit: Real,
    /// Stiffness of joints, as a frequency in cycles per unit of time. Default: 120.
    pub joint_frequency: Real,
    /// Damping of joints, as a ratio to the critical damping. Default: 5.
    pub joint_damping: Real,
    /// Fraction of the overlap beyond the slop that is corrected per unit of time. At most a
    /// quarter is corrected per substep. Default: 12.
    pub push_out_rate: Real,
    /// The largest speed at which a contact pushes its two overlapping bodies apart, length per
    /// time. Two contacts in a row add up their speeds, so the bodies above a body that grows may
    /// be faster (test: `rest::a_body_that_grows_under_others_throws_none_up`, carom-world).
    /// Default: 1.
    pub push_out_speed: Real,
    /// Overlap that is not corrected, so that a pile can come to rest; a length. It doubles for
    /// bodies that have been at rest for `sleep_delay`, in islands of four bodies or more.
    /// Default: 0.005.
    pub slop: Real,
    /// Speed of approach below which bodies do not bounce, length per time. Default: 0.2.
    pub restitution_threshold: Real,
    /// Bodies slower than this may fall asleep, length per time. Rotation counts as the speed at
    /// the radius of gyration. Default: 0.1.
    pub sleep_speed: Real,
    /// Time for which all bodies of an island must be at rest before it falls asleep, in units of
    /// time. An island that a motor or a spring moves stays awake. Default: 0.5.
    pub sleep_delay: Real,
    /// Deceleration of calm bodies in islands of four bodies or more, length per time squared. A
    /// body is calm if it stayed near its position and no motor moves its island, even if it may
    /// not sleep. Without this deceleration the top of a tall stack sways for minutes, because one
    /// iteration corrects a lean late. Default: 0.3.
    pub settle_braking: Real,
    /// Whether islands fall asleep. Default: true.
    pub sleep: bool,
    /// The largest speed of a body, length per time. Default: 1000.
    pub max_speed: Real,
}

impl Default for SolverSettings {
    fn default() -> SolverSettings {
        SolverSettings {
            gravity: Vec3::new(0.0, -9.81, 0.0),
            substeps: 6,
            max_load_factor: 4,
            length_unit: 1.0,
            joint_frequency: 120.0,
            joint_damping: 5.0,
            push_out_rate: 12.0,
            push_out_speed: 1.0,
            slop: 0.005,
            restitution_threshold: 0.2,
            sleep_speed: 0.1,
            sleep_delay: 0.5,
            settle_braking: 0.3,
            sleep: true,
            max_speed: 1000.0,
        }
    }
}

impl SolverSettings {
    /// The largest number of substeps of a step.
    pub const MAX_SUBSTEPS: u32 = 1024;

    /// Checks the length of a step, which must be finite and not negative, and the settings: see
    /// [`SolverSettings::validate`].
    pub fn check(&self, dt: Real) -> Result<(), SolverError> {
        if !(0.0 <= dt && dt.is_finite()) {
            return Err(SolverError::BadStep);
        }
        self.validate()
    }

    /// Returns the overlap that is not corrected, a length.
    pub(crate) fn slop_length(&self) -> Real {
        self.slop * self.length_unit
    }

    /// Checks the settings. The error names the first one out of bounds.
    ///
    /// `substeps` is from 1 to [`SolverSettings::MAX_SUBSTEPS`], `max_load_factor` from 1 to 16,
    /// and `length_unit` from 1e-9 to 1e9. A component of gravity is at most 1e18 in absolute
    /// value. Every other number is from 0 to 1e9.
    pub fn validate(&self) -> Result<(), SolverError> {
        let numbers = [
            (self.joint_frequency, "joint_frequency"),
            (self.joint_damping, "joint_damping"),
            (self.push_out_rate, "push_out_rate"),
            (self.push_out_speed, "push_out_speed"),
            (self.slop, "slop"),
            (self.restitution_threshold, "restitution_threshold"),
            (self.sleep_speed, "sleep_speed"),
            (self.sleep_delay, "sleep_delay"),
            (self.settle_braking, "settle_braking"),
            (self.max_speed, "max_speed"),
        ];
        // NaN is in no range.
        let gravity = self.gravity.to_array();
        let is_in_range = |x: &Real| (-MAX_GRAVITY..=MAX_GRAVITY).contains(x);
        gravity.into_iter().try_for_each(|x| demand(is_in_range(&x), "gravity", x))?;
        let is_count = (1..=SolverSettings::MAX_SUBSTEPS).contains(&self.substeps);
        demand(is_count, "substeps", self.substeps as Real)?;
        let is_factor = (1..=MAX_LOAD_FACTOR).contains(&self.max_load_factor);
        demand(is_factor, "max_load_factor", self.max_load_factor as Real)?;
        let is_unit = (LENGTH_UNITS[0]..=LENGTH_UNITS[1]).contains(&self.length_unit);
        demand(is_unit, "length_unit", self.length_unit)?;
        numbers.into_iter().try_for_each(|(x, name)| demand((0.0..=MAX_SETTING).contains(&x), name, x))
    }

    /// Sets the gravity.
    #[must_use]
    pub fn with_gravity(mut self, gravity: Vec3) -> SolverSettings {
        self.gravity = gravity;
        self
    }

    /// Sets the largest factor of the number of substeps under heavy loads.
    #[must_use]
    pub fn with_max_load_factor(mut self, max_load_factor: u32) -> SolverSettings {
        self.max_load_factor = max_load_factor;
        self
    }

    /// Sets the number of substeps.
    #[must_use]
    pub fn with_substeps(mut self, substeps: u32) -> SolverSettings {
        self.substeps = substeps;
        self
    }

    /// Sets whether islands fall asleep.
    #[must_use]
    pub fn with_sleep(mut self, sleep: bool) -> SolverSettings {
        self.sleep = sleep;
        self
    }

    /// Sets the number of world units of length in one metre.
    #[must_use]
    pub fn with_length_unit(mut self, length_unit: Real) -> SolverSettings {
        self.length_unit = length_unit;
        self
    }

    /// Sets the speed of approach below which bodies do not bounce, in multiples of the unit of
    /// length per time.
    #[must_use]
    pub fn with_restitution_threshold(mut self, restitution_threshold: Real) -> SolverSettings {
        self.restitution_threshold = restitution_threshold;
        self
    }
}

/// The reason why a step was refused. Nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum SolverError {
    /// The length of the step is negative, infinite or NaN.
    BadStep,
    /// A setting is out of bounds: [`SolverSettings::validate`].
    BadSetting {
        /// The name of the setting.
        name: &'static str,
        /// Its value. For gravity, the first component that is wrong.
        value: Real,
    },
    /// The body of this index has a number that is infinite or NaN.
    BodyNotFinite(usize),
    /// The list of active bodies is wrong at this position: the body does not exist, or the order
    /// is not ascending.
    ActiveBody(usize),
    /// The manifold of this index has a body that does not exist, or the same body twice.
    ContactBody(usize),
    /// The contact of this index has a manifold that does not exist.
    ContactManifold(usize),
    /// A manifold has a number that is infinite or NaN, or negative friction or restitution.
    ContactNumber {
        /// The index of the manifold.
        contact: usize,
        /// The name of the number.
        what: &'static str,
        /// Its value.
        value: Real,
    },
    /// The surface velocity at this position is not finite, has a contact that does not exist, or
    /// is not in ascending order.
    SurfaceVelocity(usize),
    /// An entry of [`Solver::round_contacts_mut`](crate::Solver::round_contacts_mut) is out of its
    /// range, out of order, or has a contact that does not exist. This is its position in the
    /// list.
    RoundContact(usize),
    /// An entry of [`Solver::contacts_at_impact_mut`](crate::Solver::contacts_at_impact_mut) is out
    /// of order, or has a contact that does not exist. This is its position in the list.
    ContactAtImpact(usize),
    /// An entry of the contact settings has a number out of its range. For an entry out of order,
    /// or without a contact, `what` is "contact" and `value` its index.
    ContactSettings {
        /// The position in the list of settings.
        index: usize,
        /// The name of the number.
        what: &'static str,
        /// Its value.
        value: Real,
    },
    /// The list of moving joints is wrong at this position: the joint does not exist, or the order
    /// is not ascending.
    MovingJoint(usize),
    /// The joint of this index has a body that does not exist, or the same body twice.
    JointBody(usize),
    /// The joint of this index has a number that is infinite or NaN, or bounds that are out of
    /// order.
    JointNotFinite(usize),
}

impl core::fmt::Display for SolverError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            SolverError::BadStep => write!(f, "the time step is negative or not finite"),
            SolverError::BadSetting { name, value } => {
                write!(f, "the setting {name} is {value}, out of its bounds")
            }
            SolverError::BodyNotFinite(body) => write!(f, "body {body} has a number that is not finite"),
            SolverError::ActiveBody(index) => {
                write!(f, "entry {index} of the list of active bodies does not exist or is out of order")
            }
            SolverError::ContactBody(contact) => {
                write!(f, "contact {contact} does not have two different bodies of the world")
            }
            SolverError::ContactManifold(contact) => {
                write!(f, "contact {contact} has no manifold")
            }
            SolverError::ContactNumber { contact, what, value } => {
                write!(f, "the {what} of contact {contact} is {value}")
            }
            SolverError::RoundContact(index) => write!(
                f,
                "round contact {index} is out of range, out of order, or belongs to no contact of the step"
            ),
            SolverError::ContactAtImpact(index) => {
                write!(f, "contact at impact {index} is out of order, or is no contact of the step")
            }
            SolverError::SurfaceVelocity(index) => write!(
                f,
                "surface velocity {index} is not finite, is out of order, or belongs to no contact of the step"
            ),
            SolverError::ContactSettings { index, what: "contact", value } => {
                write!(f, "contact settings {index} are out of order, or contact {value} does not exist")
            }
            SolverError::ContactSettings { index, what, value } => {
                write!(f, "the {what} of contact settings {index} is {value}")
            }
            SolverError::MovingJoint(index) => {
                write!(f, "entry {index} of the list of moving joints does not exist or is out of order")
            }
            SolverError::JointBody(joint) => {
                write!(f, "joint {joint} does not have two different bodies of the world")
            }
            SolverError::JointNotFinite(joint) => write!(f, "joint {joint} has a number that is not finite"),
        }
    }
}

impl core::error::Error for SolverError {}

/// Fails with the name and the value of a setting if `is_good` does not hold.
fn demand(is_good: bool, name: &'static str, value: Real) -> Result<(), SolverError> {
    if is_good { Ok(()) } else { Err(SolverError::BadSetting { name, value }) }
}
