//! The only clock of the workspace.
//!
//! There is no clock without the standard library. There is none on `wasm32-unknown-unknown`
//! either, because the standard clock panics there; a program on that target can provide one with
//! [`provide`].
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.6 (time-critical collision
//! detection).

/// A moment of a monotonic clock. Without a clock all moments are the same.
#[derive(Clone, Copy, Debug)]
pub struct Moment(imp::Instant);

/// Whether there is a clock. Without one, budgets in time are rejected, and measured times are
/// zero.
pub const IS_AVAILABLE: bool = imp::IS_AVAILABLE;

/// Provides a clock for a target that has none: a function that returns seconds, and whose results
/// do not decrease. Measured times come from it, but [`IS_AVAILABLE`] stays false, and budgets in
/// time are still rejected.
///
/// Returns whether the function is used. False if the target has a clock, if one was lent before,
/// or without the standard library (test: `clock::a_clock_is_lent_only_where_none_is`).
pub fn provide(now: fn() -> f64) -> bool {
    imp::lend(now)
}

impl Moment {
    /// Reads the clock.
    #[inline]
    pub fn now() -> Moment {
        Moment(imp::now())
    }

    /// Returns the seconds from an earlier moment to this one; 0 without a clock.
    #[inline]
    pub fn seconds_since(&self, earlier: Moment) -> f64 {
        imp::seconds_between(earlier.0, self.0)
    }

    /// Returns the seconds from this moment until now; 0 without a clock.
    #[inline]
    pub fn elapsed(&self) -> f64 {
        Moment::now().seconds_since(*self)
    }
}

#[cfg(all(feature = "std", not(all(target_family = "wasm", target_os = "unknown"))))]
mod imp {
    pub(super) use std::time::Instant;

    pub(super) const IS_AVAILABLE: bool = true;

    pub(super) fn lend(_: fn() -> f64) -> bool {
        false
    }

    pub(super) fn now() -> Instant {
        Instant::now()
    }

    pub(super) fn seconds_between(earlier: Instant, later: Instant) -> f64 {
        later.duration_since(earlier).as_secs_f64()
    }
}

#[cfg(not(all(feature = "std", not(all(target_family = "wasm", target_os = "unknown")))))]
mod imp {
    #[cfg(feature = "std")]
    static LENT: std::sync::OnceLock<fn() -> f64> = std::sync::OnceLock::new();

    /// Seconds of the clock that was lent; 0 without one.
    #[derive(Clone, Copy, Debug)]
    pub(super) struct Instant(f64);

    pub(super) const IS_AVAILABLE: bool = false;

    #[cfg(feature = "std")]
    pub(super) fn lend(now: fn() -> f64) -> bool {
        LENT.set(now).is_ok()
    }

    #[cfg(not(feature = "std"))]
    pub(super) fn lend(_: fn() -> f64) -> bool {
        false
    }

    #[cfg(feature = "std")]
    pub(super) fn now() -> Instant {
        Instant(LENT.get().map_or(0.0, |now| now()))
    }

    #[cfg(not(feature = "std"))]
    pub(super) fn now() -> Instant {
        Instant(0.0)
    }

    pub(super) fn seconds_between(earlier: Instant, later: Instant) -> f64 {
        (later.0 - earlier.0).max(0.0)
    }
}
