//! What a solver is told once, and what it may refuse.
//!
//! Every setting has a lower and an upper bound. They are far beyond any use; inside of them a step
//! neither leaves the numbers nor takes forever.

use carom_math::{Real, Vec3};

/// The largest number for settings that have no narrower bound.
pub(crate) const MAX_SETTING: Real = 1e9;

/// The smallest and the largest unit of length: lengths times it neither overflow nor underflow.
const LENGTH_UNITS: [Real; 2] = [1e-9, 1e9];

/// The largest factor of substeps under heavy loads.
const MAX_LOAD_FACTOR: u32 = 16;

/// The largest component of gravity, in world units.
const MAX_GRAVITY: Real = 1e18;

/// How the solver works. The defaults are for metres, kilograms and seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SolverSettings {
    /// Acceleration of everything dynamic.
    pub gravity: Vec3,
    /// Into how many equal parts a step is cut, each with one pass over all contacts; the last has
    /// one more, to relax them. From 1 to [`SolverSettings::MAX_SUBSTEPS`]. More make stacks
    /// stiffer: ten boxes stand on 3, a house of cards of five floors on 4, twenty boxes on 5.
    pub substeps: u32,
    /// How many times as many substeps there may be while bodies carry many times their own weight:
    /// a crate under a tank. From 1 to 16. A step on a budget never has more than `substeps`.
    pub max_load_factor: u32,
    /// A length of the world that is one metre: all lengths and speeds below count in it.
    pub length_unit: Real,
    /// Stiffness of joints, cycles per unit of time.
    pub joint_frequency: Real,
    /// Damping of joints, in units of the critical damping.
    pub joint_damping: Real,
    /// Which part of an overlap beyond the slop is undone per unit of time; never more than a
    /// quarter of it per substep.
    pub push_out_rate: Real,
    /// The fastest that overlapping bodies are pushed apart.
    pub push_out_speed: Real,
    /// Overlap that is left alone: room in which a pile can come to rest. Twice as much once both
    /// bodies have been slow for the delay, in islands of four and more.
    pub slop: Real,
    /// Slower than this, bodies meet without bouncing.
    pub restitution_threshold: Real,
    /// Bodies slower than this, turning included, may fall asleep.
    pub sleep_speed: Real,
    /// For how long all bodies of an island must be slow before it falls asleep. One with a motor
    /// that is to turn, or a spring that turns, stays awake.
    pub sleep_delay: Real,
    /// Speed per unit of time that bodies in islands of four and more lose once they have stayed
    /// near their place, whether they may sleep or not, and no motor drives them: as rolling
    /// friction brakes. Without it the top of a tall stack sways for minutes, because a few passes
    /// over the contacts answer a lean a little late.
    pub settle_braking: Real,
    /// Islands fall asleep at all.
    pub sleep: bool,
    /// The fastest that a body may move.
    pub max_speed: Real,
}

impl Default for SolverSettings {
    fn default() -> SolverSettings {
        SolverSettings {
            gravity: Vec3::new(0.0, -9.81, 0.0),
            substeps: 6,
            max_load_factor: 4,
            length_unit: 1.0,
            joint_frequency: 60.0,
            joint_damping: 5.0,
            push_out_rate: 12.0,
            push_out_speed: 1.0,
            slop: 0.005,
            restitution_threshold: 0.5,
            sleep_speed: 0.1,
            sleep_delay: 0.5,
            settle_braking: 0.3,
            sleep: true,
            max_speed: 1000.0,
        }
    }
}

impl SolverSettings {
    /// The most substeps of a step.
    pub const MAX_SUBSTEPS: u32 = 1024;

    /// Refuses a step whose length is negative or not finite, and settings that
    /// [`SolverSettings::validate`] refuses.
    pub fn check(&self, dt: Real) -> Result<(), SolverError> {
        if !(0.0 <= dt && dt.is_finite()) {
            return Err(SolverError::BadStep);
        }
        self.validate()
    }

    /// Refuses settings out of their bounds, with the name of the first of them.
    ///
    /// `substeps` is from 1 to [`SolverSettings::MAX_SUBSTEPS`], `length_unit` from 1e-9 to 1e9, a
    /// component of gravity at most 1e18 in absolute value, and every other number from 0 to 1e9.
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
        if !self.gravity.to_array().iter().all(|x| (-MAX_GRAVITY..=MAX_GRAVITY).contains(x)) {
            return Err(SolverError::BadSetting("gravity"));
        }
        if !(1..=SolverSettings::MAX_SUBSTEPS).contains(&self.substeps) {
            return Err(SolverError::BadSetting("substeps"));
        }
        if !(1..=MAX_LOAD_FACTOR).contains(&self.max_load_factor) {
            return Err(SolverError::BadSetting("max_load_factor"));
        }
        if !(LENGTH_UNITS[0]..=LENGTH_UNITS[1]).contains(&self.length_unit) {
            return Err(SolverError::BadSetting("length_unit"));
        }
        match numbers.iter().find(|(x, _)| !(0.0..=MAX_SETTING).contains(x)) {
            Some(&(_, name)) => Err(SolverError::BadSetting(name)),
            None => Ok(()),
        }
    }

    /// The same with another gravity.
    #[must_use]
    pub fn with_gravity(mut self, gravity: Vec3) -> SolverSettings {
        self.gravity = gravity;
        self
    }

    /// The same with so many times as many substeps at most under heavy loads.
    #[must_use]
    pub fn with_max_load_factor(mut self, max_load_factor: u32) -> SolverSettings {
        self.max_load_factor = max_load_factor;
        self
    }

    /// The same with another number of substeps.
    #[must_use]
    pub fn with_substeps(mut self, substeps: u32) -> SolverSettings {
        self.substeps = substeps;
        self
    }

    /// The same, with islands that fall asleep or never do.
    #[must_use]
    pub fn with_sleep(mut self, sleep: bool) -> SolverSettings {
        self.sleep = sleep;
        self
    }

    /// The same for a world in which one metre has this length.
    #[must_use]
    pub fn with_length_unit(mut self, length_unit: Real) -> SolverSettings {
        self.length_unit = length_unit;
        self
    }

    /// The same with another speed below which nothing bounces.
    #[must_use]
    pub fn with_restitution_threshold(mut self, restitution_threshold: Real) -> SolverSettings {
        self.restitution_threshold = restitution_threshold;
        self
    }
}

/// Why a step was refused. Nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SolverError {
    /// The length of the step is negative, infinite or NaN.
    BadStep,
    /// The setting with this name is out of its bounds: [`SolverSettings::validate`].
    BadSetting(&'static str),
    /// The body with this number has a number that is infinite or NaN.
    BodyNotFinite(usize),
    /// The number at this place of the list of those who move is that of no body, or not larger
    /// than the one before.
    Mover(usize),
    /// The manifold with this number names a body that does not exist, or the same one twice.
    ContactBody(usize),
    /// The contact with this number names a manifold that does not exist.
    ContactManifold(usize),
    /// The manifold with this number has a number that is infinite or NaN, or negative friction or
    /// restitution.
    ContactNotFinite(usize),
    /// The surface velocity at this place of the list is not finite, of no contact, or of one not
    /// after the one before.
    SurfaceVelocity(usize),
    /// The number at this place of the list of joints that move is that of no joint, or not larger
    /// than the one before.
    MovingJoint(usize),
    /// The joint with this number names a body that does not exist, or the same one twice.
    JointBody(usize),
    /// The joint with this number has a number that is infinite or NaN.
    JointNotFinite(usize),
}

impl core::fmt::Display for SolverError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            SolverError::BadStep => write!(f, "the time step is negative or not finite"),
            SolverError::BadSetting(name) => write!(f, "the setting {name} is out of its bounds"),
            SolverError::BodyNotFinite(body) => write!(f, "body {body} has a number that is not finite"),
            SolverError::Mover(place) => {
                write!(
                    f,
                    "place {place} of the list of moving bodies is no body, or not after the one before"
                )
            }
            SolverError::ContactBody(contact) => {
                write!(f, "contact {contact} does not name two bodies of the world")
            }
            SolverError::ContactManifold(contact) => {
                write!(f, "contact {contact} names a manifold that does not exist")
            }
            SolverError::ContactNotFinite(contact) => {
                write!(f, "contact {contact} has a number that is not finite or negative")
            }
            SolverError::SurfaceVelocity(place) => write!(
                f,
                "the surface velocity at place {place} is not finite, or its contact is not after the one before"
            ),
            SolverError::MovingJoint(place) => {
                write!(
                    f,
                    "place {place} of the list of moving joints is no joint, or not after the one before"
                )
            }
            SolverError::JointBody(joint) => write!(f, "joint {joint} does not name two bodies of the world"),
            SolverError::JointNotFinite(joint) => write!(f, "joint {joint} has a number that is not finite"),
        }
    }
}

impl core::error::Error for SolverError {}
