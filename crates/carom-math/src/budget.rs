//! How long something may go on: without end, for so many steps of work, or for so long.
//!
//! What a step of work is, the function says that takes the budget. A count of steps gives the same
//! answer in every run and on every machine; a time does not, and cannot.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.6 (time-critical collision
//! detection).

use core::time::Duration;

/// How long something may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Budget {
    /// To its end.
    #[default]
    Unlimited,
    /// So many steps of work: the same answer in every run.
    Steps(u64),
    /// So long, from the call on. Refused without a clock
    /// ([`clock::IS_THERE`](crate::clock::IS_THERE)).
    Time(Duration),
}
