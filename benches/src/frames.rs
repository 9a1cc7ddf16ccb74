//! Times of frames, which criterion cannot measure: each frame continues from the one before and
//! has other work. Both the worst frame and the mean count.
//!
//! The entries alternate frame by frame, so that a slow phase of the machine affects all of them.

use crate::comparison::{Comparison, Times};

/// The time of an entry after which it skips the remaining frames, in nanoseconds.
const MAX_ENTRY_NS: f64 = 2e9;

/// Runs `warm` frames that do not count, then `frames`. `between` runs before each, untimed.
/// Returns the mean and the worst frame of each entry. Slow entries run fewer frames, unless the
/// comparison has all frames.
pub(crate) fn time(
    comparison: &mut Comparison<'_>,
    warm: usize,
    frames: usize,
    mut between: impl FnMut(),
) -> Vec<Times> {
    let (n, clock) = (comparison.entries.len(), comparison.clock);
    let mut samples = vec![Vec::with_capacity(frames); n];
    let mut spent = vec![0.0; n];
    for frame in 0..warm + frames {
        between();
        for turn in 0..n {
            let i = (frame + turn) % n;
            if !comparison.has_all_frames && MAX_ENTRY_NS < spent[i] && !samples[i].is_empty() {
                continue;
            }
            let time = comparison.entries[i].run(1, clock);
            spent[i] += time;
            if warm <= frame {
                samples[i].push(time);
            }
        }
    }
    let times = |(entry, samples): (&crate::comparison::Entry<'_>, Vec<f64>)| Times {
        name: entry.name,
        typical: samples.iter().sum::<f64>() / samples.len() as f64,
        worst: samples.iter().copied().fold(0.0, f64::max),
    };
    comparison.entries.iter().zip(samples).map(times).collect()
}

/// Returns the median: the middle one, or the mean of the two in the middle. NaN if there is none.
pub fn median(samples: &mut [f64]) -> f64 {
    samples.sort_by(f64::total_cmp);
    let n = samples.len();
    if n == 0 {
        return f64::NAN;
    }
    0.5 * (samples[(n - 1) / 2] + samples[n / 2])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Answers, thread_ns};

    #[test]
    fn medians() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(&mut []).is_nan());
    }

    #[test]
    fn the_wall_clock_counts_waiting() {
        let wait = || std::thread::sleep(std::time::Duration::from_millis(2));
        let mean = |is_wall: bool| {
            let mut comparison = Comparison::new(Answers::new()).entry("waits", wait);
            comparison = if is_wall { comparison.wall_clock() } else { comparison };
            time(&mut comparison, 0, 3, || {})[0].typical
        };
        assert!(2e6 <= mean(true));
        assert!(mean(false) < 1e6);
    }

    #[test]
    fn more_work_takes_longer() {
        let sum = |n: u64| {
            move || {
                std::hint::black_box((0..n).map(std::hint::black_box).sum::<u64>());
            }
        };
        let mut comparison =
            Comparison::new(Answers::new()).entry("less", sum(20_000)).entry("more", sum(200_000));
        let times = time(&mut comparison, 1, 20, || {});
        assert!(times[0].typical * 3.0 < times[1].typical, "{times:?}");
    }

    #[test]
    fn entries_may_time_themselves() {
        let mut own = [1e6, 5e6].into_iter().cycle();
        let mut comparison =
            Comparison::new(Answers::new()).self_timed("other process", || own.next().unwrap());
        let times = time(&mut comparison, 0, 4, || {});
        assert_eq!((times[0].typical, times[0].worst), (3e6, 5e6));
    }

    #[test]
    fn slow_entries_stop_early_unless_all_frames_run() {
        let slow = || {
            let start = thread_ns();
            while thread_ns() - start < 0.6 * MAX_ENTRY_NS {}
        };
        let count = |has_all: bool| {
            let calls = std::cell::Cell::new(0);
            let mut comparison = Comparison::new(Answers::new()).entry("slow", || {
                calls.set(calls.get() + 1);
                if calls.get() <= 2 {
                    slow();
                }
            });
            comparison = if has_all { comparison.all_frames() } else { comparison };
            time(&mut comparison, 0, 5, || {});
            drop(comparison);
            calls.get()
        };
        assert_eq!([count(false), count(true)], [2, 5]);
    }

    #[test]
    fn frames_follow_each_other() {
        let frames = std::cell::Cell::new(0);
        let mut recorded = Vec::new();
        let mut comparison = Comparison::new(Answers::new()).entry("a", || recorded.push(frames.get()));
        time(&mut comparison, 1, 3, || frames.set(frames.get() + 1));
        drop(comparison);
        assert_eq!(recorded, [1, 2, 3, 4]);
    }
}
