//! Limits of an operation: none, a number of work steps, or a time.
//!
//! The function that takes the budget defines a work step. A count of steps gives the same result
//! in every run and on every machine; a time does not.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.6 (time-critical collision
//! detection).

use core::time::Duration;

/// A limit of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Budget {
    /// No limit.
    #[default]
    Unlimited,
    /// A number of work steps: the same result in every run.
    Steps(u64),
    /// A time, from the call on. Rejected as an error if there is no clock
    /// ([`clock::IS_AVAILABLE`](crate::clock::IS_AVAILABLE)).
    Time(Duration),
}
