//! What a solver is told once, and what it may refuse.

use carom_math::{Real, Vec3};

/// How the solver works. The defaults are for metres, kilograms and seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SolverSettings {
    /// Acceleration of everything dynamic.
    pub gravity: Vec3,
    /// Into how many equal parts a step is cut, each with one pass over all contacts; the last has one more, to relax them. At least 1.
    /// More make stacks stiffer: ten boxes stand on 3, a house of cards of five floors on 4, twenty boxes on 5.
    pub substeps: u32,
    /// How many times as many substeps there may be while bodies carry many times their own weight: a crate
    /// under a tank. At least 1. A step on a budget never has more than `substeps`.
    pub max_load_factor: u32,
    /// A length of the world that is one metre: all lengths and speeds below count in it.
    pub length_unit: Real,
    /// Stiffness of joints, cycles per unit of time.
    pub joint_frequency: Real,
    /// Damping of joints, in units of the critical damping.
    pub joint_damping: Real,
    /// Which part of an overlap beyond the slop is undone per unit of time; never more than a quarter of it per substep.
    pub push_out_rate: Real,
    /// The fastest that overlapping bodies are pushed apart.
    pub push_out_speed: Real,
    /// Overlap that is left alone: room in which a pile can come to rest. Twice as much once both bodies have been slow for the delay, in
    /// islands of eight and more.
    pub slop: Real,
    /// Slower than this, bodies meet without bouncing.
    pub restitution_threshold: Real,
    /// Bodies slower than this, turning included, may fall asleep.
    pub sleep_speed: Real,
    /// For how long all bodies of an island must be slow before it falls asleep. One with a motor that is to turn stays awake.
    pub sleep_delay: Real,
    /// Speed per unit of time that bodies in islands of eight and more lose once they have been slow for the delay, whether they may sleep or
    /// not, and no motor drives them: as rolling friction brakes. Without it the top of a tall stack sways for minutes, because a few passes
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
    /// Whether a step of this length is refused, for its own sake or for that of a setting.
    pub fn check(&self, dt: Real) -> Result<(), SolverError> {
        let numbers = [
            dt,
            self.push_out_rate,
            self.joint_frequency,
            self.joint_damping,
            self.push_out_speed,
            self.slop,
            self.restitution_threshold,
            self.sleep_speed,
            self.sleep_delay,
            self.settle_braking,
            self.max_speed,
        ];
        let is_good = numbers.iter().all(|&x| 0.0 <= x && x.is_finite())
            && 0.0 < self.length_unit
            && self.length_unit.is_finite()
            && self.gravity.is_finite()
            && 0 < self.substeps
            && 0 < self.max_load_factor;
        if is_good { Ok(()) } else { Err(SolverError::BadStep) }
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
    /// The step, or a setting, is negative, infinite or NaN.
    BadStep,
    /// The body with this number has a number that is infinite or NaN.
    BodyNotFinite(usize),
    /// The number at this place of the list of those who move is that of no body, or not larger than the one before.
    Mover(usize),
    /// The manifold with this number names a body that does not exist, or the same one twice.
    ContactBody(usize),
    /// The contact with this number names a manifold that does not exist.
    ContactManifold(usize),
    /// The manifold with this number has a number that is infinite or NaN, or negative friction or restitution.
    ContactNotFinite(usize),
    /// The number at this place of the list of joints that move is that of no joint, or not larger than the one before.
    MovingJoint(usize),
    /// The joint with this number names a body that does not exist, or the same one twice.
    JointBody(usize),
    /// The joint with this number has a number that is infinite or NaN.
    JointNotFinite(usize),
}

impl core::fmt::Display for SolverError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            SolverError::BadStep => write!(f, "the time step or a setting is negative or not finite"),
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
