//! A contest: several programs do the same work in turn, round by round, so that a slow minute of
//! the machine strikes all of them.
//!
//! Reference: A. Georges, D. Buytaert, L. Eeckhout, Statistically Rigorous Java Performance
//! Evaluation, OOPSLA 2007 (medians over interleaved repetitions).

use crate::check::Answers;
use crate::clock::{thread_ns, wall_ns};

/// A round of one contestant is repeated until it has lasted this long, so that the clock's steps
/// do not matter.
const ROUND_NS: f64 = 4e6;

/// Who has run for so long sits out the frames that are left.
const PATIENCE_NS: f64 = 2e9;

/// One workload and those who do it.
pub struct Contest<'a> {
    pub(crate) answers: Answers,
    contestants: Vec<Contestant<'a>>,
    /// Nobody sits out a frame.
    is_whole: bool,
    clock: fn() -> f64,
}

struct Contestant<'a> {
    name: &'static str,
    work: Work<'a>,
}

enum Work<'a> {
    /// Is timed here.
    Timed(Box<dyn FnMut() + 'a>),
    /// Runs elsewhere, and tells how many nanoseconds it took.
    Told(Box<dyn FnMut() -> f64 + 'a>),
}

impl Contestant<'_> {
    /// Calls so many times; nanoseconds per call.
    fn call(&mut self, repeats: u32, clock: fn() -> f64) -> f64 {
        match &mut self.work {
            Work::Timed(work) => {
                let start = clock();
                (0..repeats).for_each(|_| work());
                (clock() - start) / f64::from(repeats)
            }
            Work::Told(work) => (0..repeats).map(|_| work()).sum::<f64>() / f64::from(repeats),
        }
    }
}

/// What a contestant took, in nanoseconds per call.
#[derive(Clone, Debug)]
pub struct Times {
    /// Who.
    pub name: &'static str,
    /// The median, or the mean where calls differ from each other.
    pub typical: f64,
    /// The longest.
    pub worst: f64,
}

impl<'a> Contest<'a> {
    /// A contest may begin once its answers were compared.
    pub fn new(answers: Answers) -> Self {
        Self { answers, contestants: Vec::new(), is_whole: false, clock: thread_ns }
    }

    /// Adds a contestant; the first is carom.
    pub fn entry(mut self, name: &'static str, work: impl FnMut() + 'a) -> Self {
        self.contestants.push(Contestant { name, work: Work::Timed(Box::new(work)) });
        self
    }

    /// Adds a contestant that runs in another process: `work` returns the nanoseconds that one call
    /// took.
    pub fn told_entry(mut self, name: &'static str, work: impl FnMut() -> f64 + 'a) -> Self {
        self.contestants.push(Contestant { name, work: Work::Told(Box::new(work)) });
        self
    }

    /// Of frames that go on from each other everybody does all, however long it takes: where early
    /// ones are harder than late ones, who does fewer has the harder work.
    pub fn of_whole_runs(mut self) -> Self {
        self.is_whole = true;
        self
    }

    /// Times what passes, not what this thread works: for those who work on several threads.
    pub fn by_the_wall(mut self) -> Self {
        self.clock = wall_ns;
        self
    }

    /// Calls that are all alike: medians over `rounds`.
    pub(crate) fn alike(&mut self, rounds: usize) -> Vec<Times> {
        let clock = self.clock;
        // The first call warms caches and tells how often a round has to call.
        let repeats: Vec<u32> = self
            .contestants
            .iter_mut()
            .map(|contestant| {
                contestant.call(1, clock);
                if matches!(contestant.work, Work::Told(_)) {
                    return 1;
                }
                let once = contestant.call(1, clock).max(1.0);
                (ROUND_NS / once).ceil().clamp(1.0, 1e6) as u32
            })
            .collect();
        let mut samples = vec![Vec::with_capacity(rounds); self.contestants.len()];
        let n = self.contestants.len();
        for round in 0..rounds {
            for turn in 0..n {
                let i = (round + turn) % n;
                samples[i].push(self.contestants[i].call(repeats[i], clock));
            }
        }
        self.times(samples, median)
    }

    /// Calls that go on from each other, as frames do: the mean and the worst over `frames`, after
    /// `warm` that do not count. `between` runs before each frame, untimed. Of the slowest, fewer
    /// frames count, unless runs are whole.
    pub(crate) fn frames(&mut self, warm: usize, frames: usize, mut between: impl FnMut()) -> Vec<Times> {
        let (n, clock) = (self.contestants.len(), self.clock);
        let mut samples = vec![Vec::with_capacity(frames); n];
        let mut spent = vec![0.0; n];
        for frame in 0..warm + frames {
            between();
            for turn in 0..n {
                let i = (frame + turn) % n;
                if !self.is_whole && PATIENCE_NS < spent[i] && !samples[i].is_empty() {
                    continue;
                }
                let time = self.contestants[i].call(1, clock);
                spent[i] += time;
                if warm <= frame {
                    samples[i].push(time);
                }
            }
        }
        self.times(samples, mean)
    }

    fn times(&self, samples: Vec<Vec<f64>>, typical: impl Fn(&mut [f64]) -> f64) -> Vec<Times> {
        self.contestants
            .iter()
            .zip(samples)
            .map(|(contestant, mut samples)| Times {
                name: contestant.name,
                typical: typical(&mut samples),
                worst: samples.iter().copied().fold(0.0, f64::max),
            })
            .collect()
    }
}

/// The middle one, or the mean of the two in the middle; NaN of none.
pub fn median(samples: &mut [f64]) -> f64 {
    samples.sort_by(f64::total_cmp);
    let n = samples.len();
    if n == 0 {
        return f64::NAN;
    }
    0.5 * (samples[(n - 1) / 2] + samples[n / 2])
}

fn mean(samples: &mut [f64]) -> f64 {
    samples.iter().sum::<f64>() / samples.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(&mut []).is_nan());
        assert_eq!(mean(&mut [1.0, 3.0]), 2.0);
    }

    #[test]
    fn by_the_wall_waiting_counts() {
        let wait = || std::thread::sleep(std::time::Duration::from_millis(2));
        let both = |by_the_wall: bool| {
            let mut contest = Contest::new(Answers::new()).entry("waits", wait);
            contest = if by_the_wall { contest.by_the_wall() } else { contest };
            contest.alike(3)[0].typical
        };
        assert!(2e6 <= both(true));
        assert!(both(false) < 1e6);
    }

    #[test]
    fn the_one_who_does_more_takes_longer() {
        let sum = |n: u64| {
            move || {
                std::hint::black_box((0..n).map(std::hint::black_box).sum::<u64>());
            }
        };
        let mut contest = Contest::new(Answers::new()).entry("less", sum(2000)).entry("more", sum(20_000));
        let times = contest.alike(5);
        assert!(times[0].typical * 3.0 < times[1].typical, "{times:?}");
    }

    #[test]
    fn what_is_told_counts() {
        let mut contest = Contest::new(Answers::new()).told_entry("elsewhere", || 5e6);
        assert_eq!(contest.alike(3)[0].typical, 5e6);
        assert_eq!(contest.frames(0, 3, || {})[0].worst, 5e6);
    }

    #[test]
    fn whole_runs_wait_for_the_slow() {
        let slow = || {
            let start = thread_ns();
            while thread_ns() - start < 0.6 * PATIENCE_NS {}
        };
        let count = |is_whole: bool| {
            let calls = std::cell::Cell::new(0);
            let mut contest = Contest::new(Answers::new()).entry("slow", || {
                calls.set(calls.get() + 1);
                if calls.get() <= 2 {
                    slow();
                }
            });
            contest = if is_whole { contest.of_whole_runs() } else { contest };
            contest.frames(0, 5, || {});
            drop(contest);
            calls.get()
        };
        assert_eq!([count(false), count(true)], [2, 5]);
    }

    #[test]
    fn frames_go_on() {
        let frames = std::cell::Cell::new(0);
        let mut seen = Vec::new();
        let mut contest = Contest::new(Answers::new()).entry("a", || seen.push(frames.get()));
        contest.frames(1, 3, || frames.set(frames.get() + 1));
        drop(contest);
        assert_eq!(seen, [1, 2, 3, 4]);
    }
}
