//! What ends a run early: a count of steps, a moment, a flag, or a question to the caller; several
//! at once.
//!
//! Reading a clock costs as much as a step or two, so it is read, and the caller asked, once in
//! [`READ_EVERY`] units of effort: a unit is eight volumes tested or one pair of primitives. Units
//! take from 30 ns to half a microsecond, which makes some 2 microseconds between two readings.
//! With 32 units the median search came back 5 microseconds after its deadline, with 8 it comes
//! after 1.5 (EPYC, November 2026). What is longest between two readings, over all pairs of the
//! bench's clock, each taken as the least of 12 equal runs: 11 microseconds to find what touches
//! (one in 10,000 above 9), 29 for distances (one in 10,000 above 19). What comes back later than
//! that was kept from the processor.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.6 (time-critical collision
//! detection).

use carom_math::Budget;
use core::sync::atomic::{AtomicBool, Ordering};
#[cfg(feature = "std")]
use std::time::Instant;

/// The clock of the system, read where there is one.
#[cfg(feature = "std")]
fn now() -> Option<Instant> {
    carom_math::clock::IS_THERE.then(Instant::now)
}

/// Units of effort between two readings of the clock.
const READ_EVERY: u32 = 8;

/// What ends a run: whatever comes first of all that it was given; the end of the work, when it was
/// given nothing.
#[derive(Default)]
pub struct Until<'a> {
    steps: Option<u64>,
    #[cfg(feature = "std")]
    deadline: Option<Instant>,
    /// A time was given, and there is no clock.
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
    /// The steps were spent.
    Steps,
    /// The time was over.
    Deadline,
    /// The flag was set.
    Flag,
    /// The caller's function said so.
    Asked,
    /// The budget was a time, and there is no clock ([`carom_math::clock`]): nothing was done.
    NoClock,
}

impl<'a> Until<'a> {
    /// The end of the work.
    pub fn done() -> Until<'a> {
        Until::default()
    }

    /// So many steps: the same answer in every run.
    pub fn with_steps(self, steps: u64) -> Until<'a> {
        Until { steps: Some(steps), ..self }
    }

    /// This moment.
    #[cfg(feature = "std")]
    pub fn with_deadline(self, deadline: Instant) -> Until<'a> {
        Until { deadline: Some(deadline), ..self }
    }

    /// The flag is set, by another thread or by a signal; it is looked at before every step.
    pub fn with_flag(self, flag: &'a AtomicBool) -> Until<'a> {
        Until { flag: Some(flag), ..self }
    }

    /// The function answers true; it is asked as often as a clock would be read, and before the
    /// first step.
    pub fn with_question(self, question: &'a mut dyn FnMut() -> bool) -> Until<'a> {
        Until { question: Some(question), ..self }
    }
}

/// A time counts from this conversion on. Without a clock the run ends before its first step
/// ([`Ended::NoClock`]).
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

/// A run's account of what it has spent.
pub(crate) struct Meter<'a> {
    until: Until<'a>,
    pub(crate) steps: u64,
    /// Since the clock was read.
    effort: u32,
}

impl<'a> Meter<'a> {
    pub(crate) fn new(until: Until<'a>) -> Meter<'a> {
        // The clock is read before the first step.
        Meter { until, steps: 0, effort: READ_EVERY }
    }

    /// Why to stop before the next step, if so.
    #[inline(always)]
    pub(crate) fn is_over(&mut self) -> Option<Ended> {
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

    /// A step was made.
    #[inline(always)]
    pub(crate) fn step(&mut self) {
        self.steps += 1;
    }

    /// Units of effort were spent.
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
        question().then_some(Ended::Asked)
    }
}
