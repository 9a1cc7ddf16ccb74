//! The clock of the workspace: all time is read here.
//!
//! There is no clock without the standard library, nor on `wasm32-unknown-unknown`, because the
//! standard clock panics there.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.6 (time-critical collision
//! detection).

/// A moment of a clock that never goes back; without a clock all moments are the same.
#[derive(Clone, Copy, Debug)]
pub struct Moment(imp::Instant);

/// Whether there is a clock. Without one, budgets in time are refused, and measured times are zero.
pub const IS_THERE: bool = imp::IS_THERE;

impl Moment {
    /// Reads the clock.
    #[inline]
    pub fn now() -> Moment {
        Moment(imp::now())
    }

    /// Seconds from an earlier moment to this one; 0 without a clock.
    #[inline]
    pub fn seconds_since(&self, earlier: Moment) -> f64 {
        imp::seconds_between(earlier.0, self.0)
    }

    /// Seconds from this moment until now; 0 without a clock.
    #[inline]
    pub fn elapsed(&self) -> f64 {
        Moment::now().seconds_since(*self)
    }
}

#[cfg(all(feature = "std", not(all(target_family = "wasm", target_os = "unknown"))))]
mod imp {
    pub(super) use std::time::Instant;

    pub(super) const IS_THERE: bool = true;

    pub(super) fn now() -> Instant {
        Instant::now()
    }

    pub(super) fn seconds_between(earlier: Instant, later: Instant) -> f64 {
        later.duration_since(earlier).as_secs_f64()
    }
}

#[cfg(not(all(feature = "std", not(all(target_family = "wasm", target_os = "unknown")))))]
mod imp {
    /// The only moment there is.
    #[derive(Clone, Copy, Debug)]
    pub(super) struct Instant;

    pub(super) const IS_THERE: bool = false;

    pub(super) fn now() -> Instant {
        Instant
    }

    pub(super) fn seconds_between(_: Instant, _: Instant) -> f64 {
        0.0
    }
}
