//! A comparison: several programs that do the same work, and how their answers compared.

use crate::check::Answers;
use crate::clock::Clock;

/// One workload and the programs that do it.
pub struct Comparison<'a> {
    pub(crate) answers: Answers,
    pub(crate) entries: Vec<Entry<'a>>,
    /// Whether each entry runs all frames, however long they take.
    pub(crate) has_all_frames: bool,
    pub(crate) clock: Clock,
}

/// One program of a comparison.
pub(crate) struct Entry<'a> {
    pub(crate) name: &'static str,
    pub(crate) work: Work<'a>,
}

/// The work of an entry, and its clock.
pub(crate) enum Work<'a> {
    /// Timed by the clock of the comparison.
    Timed(Box<dyn FnMut() + 'a>),
    /// The work returns the nanoseconds that it took.
    SelfTimed(Box<dyn FnMut() -> f64 + 'a>),
}

impl Entry<'_> {
    /// Calls the work `n` times. Returns the nanoseconds of all calls together.
    pub(crate) fn run(&mut self, n: u64, clock: Clock) -> f64 {
        match &mut self.work {
            Work::Timed(work) => {
                let start = clock.ns();
                (0..n).for_each(|_| work());
                clock.ns() - start
            }
            Work::SelfTimed(work) => (0..n).map(|_| work()).sum(),
        }
    }
}

impl<'a> Comparison<'a> {
    /// Returns a comparison without entries. The answers of the programs were compared before.
    pub fn new(answers: Answers) -> Self {
        Self { answers, entries: Vec::new(), has_all_frames: false, clock: Clock::Thread }
    }

    /// Adds a program; the first is carom.
    pub fn entry(mut self, name: &'static str, work: impl FnMut() + 'a) -> Self {
        self.entries.push(Entry { name, work: Work::Timed(Box::new(work)) });
        self
    }

    /// Adds a program that runs in another process. `work` returns the nanoseconds of one call.
    pub fn self_timed(mut self, name: &'static str, work: impl FnMut() -> f64 + 'a) -> Self {
        self.entries.push(Entry { name, work: Work::SelfTimed(Box::new(work)) });
        self
    }

    /// Runs all frames of every entry, however long they take. If early frames are harder than late
    /// ones, a slow entry that stops early would have the harder work.
    pub fn all_frames(mut self) -> Self {
        self.has_all_frames = true;
        self
    }

    /// Measures wall-clock time instead of CPU time of this thread: for work on several threads.
    pub fn wall_clock(mut self) -> Self {
        self.clock = Clock::Wall;
        self
    }
}

/// The time of an entry, in nanoseconds per call.
#[derive(Clone, Debug)]
pub struct Times {
    /// The name of the entry.
    pub name: &'static str,
    /// criterion's median, or the mean of frames.
    pub typical: f64,
    /// The longest frame; NaN if all calls do the same work.
    pub worst: f64,
}
