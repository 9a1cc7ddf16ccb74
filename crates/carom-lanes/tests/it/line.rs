//! Lines shared by several threads have the same contents as those of one thread.
//!
//! Reference: `carom_lanes::SharedLine`.

use carom_lanes::{F32Lanes, Kernel, Line, SharedLine, Simd, dispatch};
use std::sync::Barrier;

const N: usize = 1000;

fn lines() -> Vec<Line> {
    let row = |k: usize| core::array::from_fn(|lane| (8 * k + lane) as f32 - 0.5);
    (0..N).map(|k| Line { front: row(2 * k), back: row(2 * k + 1) }).collect()
}

#[test]
fn a_shared_line_has_the_same_rows() {
    let mut lines = lines();
    // All bits are preserved, also signs of zero and payloads of NaN.
    lines[7].front =
        [0.0, -0.0, f32::NAN, f32::from_bits(0xffc1_2345), f32::MIN_POSITIVE, f32::MAX, 1e-45, -1.0];
    let before = lines.clone();
    let bits = |row: [f32; 8]| row.map(f32::to_bits);
    let shared = SharedLine::of(&mut lines);
    assert_eq!(shared.len(), N);
    for (shared, line) in shared.iter().zip(&before) {
        assert_eq!((bits(shared.front()), bits(shared.back)), (bits(line.front), bits(line.back)));
    }
    shared[3].set_front(&before[7].front);
    assert_eq!(bits(lines[3].front), bits(before[7].front));
    assert_eq!(lines[3].back, before[3].back);
    assert_eq!((lines[2], lines[4]), (before[2], before[4]));
    assert!(SharedLine::of(&mut []).is_empty());
}

/// Adds one to the front row of every `every`-th line from `first` on.
struct Raise<'a> {
    lines: &'a [SharedLine],
    first: usize,
    every: usize,
}

impl Kernel for Raise<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let one = S::F32x8::splat(simd, 1.0);
        let mut k = self.first;
        while k < self.lines.len() {
            let row = simd.load_shared(&self.lines[k]);
            simd.store_shared(&self.lines[k], row + one);
            k += self.every;
        }
    }
}

#[test]
fn threads_see_what_others_wrote() {
    let mut lines = lines();
    let before = lines.clone();
    let n_threads = 4;
    let barrier = Barrier::new(n_threads);
    {
        let shared = SharedLine::of(&mut lines);
        let work = |own: usize| {
            for round in 0..50 {
                // In every round, each thread has the lines of another one.
                dispatch(Raise { lines: shared, first: (own + round) % n_threads, every: n_threads });
                barrier.wait();
            }
        };
        std::thread::scope(|scope| {
            for own in 0..n_threads {
                let work = &work;
                scope.spawn(move || work(own));
            }
        });
    }
    for (line, before) in lines.iter().zip(&before) {
        assert_eq!(line.front, before.front.map(|x| x + 50.0));
        assert_eq!(line.back, before.back);
    }
}
