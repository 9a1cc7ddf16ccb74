//! Stop conditions of a run: a number of steps, a deadline, a flag, a callback, or several of
//! them.
//!
//! Reading a clock costs as much as one or two steps. So the clock and the callback are polled
//! once in [`READ_EVERY`] units of effort. A unit is eight volume tests or one pair of primitives.
//! Polls are some 2 microseconds apart: see benches/notes.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.6 (time-critical collision
//! detection).

use carom_math::Budget;
use core::sync::atomic::{AtomicBool, Ordering};
#[cfg(feature = "std")]
use std::time::Instant;

/// The time of the system clock; `None` if there is no clock.
#[cfg(feature = "std")]
fn now() -> Option<Instant> {
    carom_math::clock::IS_AVAILABLE.then(Instant::now)
}

/// Units of effort between two polls.
const READ_EVERY: u32 = 8;

/// The stop conditions of a run; the first one that holds ends it. Without conditions a run ends
/// when all pairs are decided.
#[derive(Default)]
pub struct Until<'a> {
    steps: Option<u64>,
    #[cfg(feature = "std")]
    deadline: Option<Instant>,
    /// Whether a time limit was set, and there is no clock.
    needs_clock: bool,
    flag: Option<&'a AtomicBool>,
    question: Option<&'a mut dyn FnMut() -> bool>,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ended {
    /// Nothing is left to do.
    Done,
    /// The maximum number of steps was reached.
    Steps,
    /// The deadline has passed.
    Deadline,
    /// The flag was set.
    Flag,
    /// The caller's function returned true.
    Callback,
    /// The budget was a time, and there is no clock ([`carom_math::clock`]): no step was done.
    NoClock,
}

impl<'a> Until<'a> {
    /// Runs until all pairs are decided.
    pub fn done() -> Until<'a> {
        Until::default()
    }

    /// Stops after this many steps. Unlike a time limit, this gives the same result on every
    /// machine.
    pub fn with_steps(self, steps: u64) -> Until<'a> {
        Until { steps: Some(steps), ..self }
    }

    /// Stops at this time.
    #[cfg(feature = "std")]
    pub fn with_deadline(self, deadline: Instant) -> Until<'a> {
        Until { deadline: Some(deadline), ..self }
    }

    /// Stops when the flag is set by another thread or a signal. It is read before each step.
    pub fn with_flag(self, flag: &'a AtomicBool) -> Until<'a> {
        Until { flag: Some(flag), ..self }
    }

    /// Stops when the function returns true. It is called before the first step, and then as often
    /// as a clock would be read.
    pub fn with_callback(self, question: &'a mut dyn FnMut() -> bool) -> Until<'a> {
        Until { question: Some(question), ..self }
    }
}

/// A budget as a stop condition. A time starts at the conversion. Without a clock the run ends
/// before its first step ([`Ended::NoClock`]).
impl From<Budget> for Until<'_> {
    fn from(budget: Budget) -> Self {
        match budget {
            Budget::Steps(steps) => Until::done().with_steps(steps),
            #[cfg(feature = "std")]
            Budget::Time(time) => match now() {
                Some(now) => Until { deadline: now.checked_add(time), ..Until::done() },
                None => Until { needs_clock: true, ..Until::done() },
            },
            #[cfg(not(feature = "std"))]
            Budget::Time(_) => Until { needs_clock: true, ..Until::done() },
            _ => Until::done(),
        }
    }
}

impl core::fmt::Debug for Until<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let mut s = f.debug_struct("Until");
        s.field("steps", &self.steps).field("flag", &self.flag).field("asks", &self.question.is_some());
        #[cfg(feature = "std")]
        s.field("deadline", &self.deadline);
        s.finish()
    }
}

/// The steps and the effort of a run.
pub(crate) struct Meter<'a> {
    until: Until<'a>,
    pub(crate) steps: u64,
    /// The effort since the last poll.
    effort: u32,
}

impl<'a> Meter<'a> {
    pub(crate) fn new(until: Until<'a>) -> Meter<'a> {
        // The clock is read before the first step.
        Meter { until, steps: 0, effort: READ_EVERY }
    }

    /// The reason to stop before the next step, if any.
    #[inline(always)]
    pub(crate) fn stop_reason(&mut self) -> Option<Ended> {
        if self.until.steps == Some(self.steps) {
            return Some(Ended::Steps);
        }
        if self.until.flag.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Some(Ended::Flag);
        }
        if self.effort < READ_EVERY {
            return None;
        }
        self.effort = 0;
        self.read()
    }

    /// Counts a step.
    #[inline(always)]
    pub(crate) fn step(&mut self) {
        self.steps += 1;
    }

    /// Counts units of effort.
    #[inline(always)]
    pub(crate) fn spend(&mut self, effort: u32) {
        self.effort = self.effort.saturating_add(effort);
    }

    #[inline(never)]
    fn read(&mut self) -> Option<Ended> {
        if self.until.needs_clock {
            return Some(Ended::NoClock);
        }
        #[cfg(feature = "std")]
        if self.until.deadline.is_some_and(|deadline| now().is_some_and(|now| deadline <= now)) {
            return Some(Ended::Deadline);
        }
        let question = self.until.question.as_mut()?;
        question().then_some(Ended::Callback)
    }
}
