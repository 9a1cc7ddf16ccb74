//! The reason why a joint or one of its settings is refused.

use crate::settings::MAX_SETTING;
use carom_math::Real;

/// The first thing that is wrong with a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum JointFault {
    /// Both ends are the same body.
    SameBody,
    /// A kind of joint has no setting of this name.
    NotOfKind(&'static str),
    /// A kind of joint needs this: for instance, a gear needs two joints.
    Needs(&'static str),
    /// A number is NaN or out of its range.
    BadValue {
        /// The name of the setting.
        what: &'static str,
        /// Its value.
        value: Real,
    },
}

impl core::fmt::Display for JointFault {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            JointFault::SameBody => write!(f, "a joint needs two different bodies"),
            JointFault::NotOfKind(what) => write!(f, "this kind of joint has no {what}"),
            JointFault::Needs(what) => write!(f, "this kind of joint needs {what}"),
            JointFault::BadValue { what, value } => write!(f, "the {what} of a joint is {value}"),
        }
    }
}

impl core::error::Error for JointFault {}

/// Fails with the name and the value of a number if `is_good` does not hold.
pub(crate) fn demand(is_good: bool, what: &'static str, value: Real) -> Result<(), JointFault> {
    if is_good { Ok(()) } else { Err(JointFault::BadValue { what, value }) }
}

/// Fails unless the number is from 0 to [`MAX_SETTING`].
pub(crate) fn demand_setting(what: &'static str, value: Real) -> Result<(), JointFault> {
    // NaN is in no range.
    demand((0.0..=MAX_SETTING).contains(&value), what, value)
}

/// Fails unless the bounds are in order and allow a finite number. `names` has the name of the
/// lower bound and that of the upper one.
pub(crate) fn demand_bounds([low, high]: [Real; 2], names: [&'static str; 2]) -> Result<(), JointFault> {
    demand(low < Real::INFINITY, names[0], low)?;
    demand(low <= high && Real::NEG_INFINITY < high, names[1], high)
}
