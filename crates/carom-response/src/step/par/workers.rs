//! The threads that solve a step, colour after colour.
//!
//! - They start once for all colours of a stage, and synchronise at the end of each colour.
//! - Each thread has its own share of each colour: the same bodies in every colour. It also loads
//!   and stores these groups, so few cache lines move between cores.
//! - Chunks of a share halve (guided scheduling), so the last ones are small and idle threads can
//!   help.
//! - A thread that finished its share spins for a while, and then takes chunks of others (work
//!   stealing). So even a single thread finishes all chunks, for example in a busy pool.
//! - If no chunk is left, a thread waits for the others: it spins, then yields its core.
//!
//! Reference: E. Catto, Simulation Islands and Solver2D, box2d.org, 2023 and 2024 (stages and
//! colours handed out by atomic counters); M. Herlihy, N. Shavit, The Art of Multiprocessor
//! Programming, 2008, chapter 17 (barriers).
//! Tried: rayon calls for every colour; twice the waiting time. Figures:
//! `benches/notes/carom-world.md`.

use crate::impulses::classes::ColorClasses;
use crate::impulses::group::{Group, Pass};
use crate::impulses::lane_vec::State;
use crate::impulses::solve::run;
use crate::step::chunks;
use alloc::vec::Vec;
use carom_lanes::SharedLine;
use core::hint::spin_loop;
use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The least number of groups per chunk.
///
/// Each chunk is half of the remaining part of its share. The last ones are small, so idle threads
/// can help. There are few chunks, because each one costs a store for which the next one waits.
/// With fixed chunks of 16 groups, all stages took 10 % longer.
const MIN_CHUNK_GROUPS: usize = 8;

/// The least number of groups of the largest colour per thread.
const MIN_WORKER_GROUPS: usize = 8;

/// The number of spins before a thread takes chunks of others, and again before it yields its
/// core: some 10 microseconds.
///
/// A stolen chunk moves its states to another core and back. Without this delay, twice as many
/// states move, and on two cores without a common cache a pass takes 10 % longer.
const MAX_SPINS: usize = 400;

/// A counter in a cache line of its own, to avoid false sharing.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Count(AtomicUsize);

/// The chunks of one colour.
#[derive(Debug)]
struct Color {
    n_chunks: usize,
    /// The number of chunks that are done.
    done: Count,
}

/// The chunks of a colour that belong to one thread, in descending size.
#[derive(Debug)]
struct Share {
    chunks: Range<usize>,
    /// The number of chunks that threads have taken.
    taken: Count,
}

/// The groups of a step, in the order of colours, for several threads.
#[derive(Debug)]
pub(crate) struct Workers<'a> {
    chunks: Vec<Mutex<&'a mut [Group]>>,
    colors: Vec<Color>,
    /// The shares: colour by colour, for each thread.
    shares: Vec<Share>,
    n_workers: usize,
}

/// Adds the number of chunks to `done` when it is dropped, even by a panic. Otherwise the other
/// threads would wait forever.
struct DoneOnDrop<'a> {
    n: usize,
    done: &'a AtomicUsize,
}

impl Drop for DoneOnDrop<'_> {
    fn drop(&mut self) {
        if 0 < self.n {
            // Release: the writes to the chunks are visible to a thread that reads this count.
            self.done.fetch_add(self.n, Ordering::Release);
        }
    }
}

impl<'a> Workers<'a> {
    /// Builds chunks of at least `least` groups of these colours, for `n_workers` threads.
    fn new(
        mut groups: &'a mut [Group],
        classes: &ColorClasses,
        n_workers: usize,
        least: usize,
    ) -> Workers<'a> {
        let mut chunks = Vec::new();
        let mut colors = Vec::with_capacity(classes.n_colors());
        let mut shares = Vec::with_capacity(classes.n_colors() * n_workers);
        for color in 0..classes.n_colors() {
            let first_of_color = chunks.len();
            for worker in 0..n_workers {
                let first = chunks.len();
                let mut left = classes.part(color, worker, n_workers).len();
                while 0 < left {
                    let n = (left / 2).max(least).min(left);
                    let (chunk, rest) = groups.split_at_mut(n);
                    chunks.push(Mutex::new(chunk));
                    (groups, left) = (rest, left - n);
                }
                shares.push(Share { chunks: first..chunks.len(), taken: Count::default() });
            }
            colors.push(Color { n_chunks: chunks.len() - first_of_color, done: Count::default() });
        }
        Workers { chunks, colors, shares, n_workers }
    }

    fn run(&mut self, states: &mut [State], pass: &Pass<'_>) {
        let dones = self.colors.iter_mut().map(|color| &mut color.done);
        let counts = dones.chain(self.shares.iter_mut().map(|share| &mut share.taken));
        counts.for_each(|count| *count.0.get_mut() = 0);
        self.call(0..self.n_workers, SharedLine::of(states), pass);
    }

    /// Starts these threads. The first one is the calling thread.
    fn call(&self, workers: Range<usize>, states: &[SharedLine], pass: &Pass<'_>) {
        if workers.len() == 1 {
            return self.work(workers.start, states, pass);
        }
        let middle = workers.start.midpoint(workers.end);
        rayon::join(
            || self.call(workers.start..middle, states, pass),
            || self.call(middle..workers.end, states, pass),
        );
    }

    fn work(&self, worker: usize, states: &[SharedLine], pass: &Pass<'_>) {
        let mut max_spins = MAX_SPINS;
        for (color, shares) in self.colors.iter().zip(self.shares.chunks(self.n_workers)) {
            self.take_chunks(color, &shares[worker], states, pass);
            let mut n_spins = 0;
            while !color.is_done() && n_spins < max_spins {
                n_spins += 1;
                spin_loop();
            }
            if !color.is_done() {
                // A thread is late, or does not come. The search begins after the share of this
                // thread, so that not all idle threads take from the same share.
                for share in shares[worker + 1..].iter().chain(&shares[..worker]) {
                    self.take_chunks(color, share, states, pass);
                }
                max_spins = 0;
            }
            while !color.is_done() {
                n_spins += 1;
                if n_spins < 2 * MAX_SPINS { spin_loop() } else { std::thread::yield_now() }
            }
        }
    }

    /// Solves the remaining chunks of a share.
    fn take_chunks(&self, color: &Color, share: &Share, states: &[SharedLine], pass: &Pass<'_>) {
        let mut doing = DoneOnDrop { n: 0, done: &color.done.0 };
        let Share { chunks, taken } = share;
        while taken.0.load(Ordering::Relaxed) < chunks.len() {
            let next = taken.0.fetch_add(1, Ordering::Relaxed);
            if chunks.len() <= next {
                return;
            }
            doing.n += 1;
            let mut groups = self.chunks[chunks.start + next].lock().unwrap_or_else(PoisonError::into_inner);
            run(&mut groups, states, pass);
        }
    }
}

impl Color {
    /// Whether all chunks are done. If so, the writes to them are visible from here on.
    fn is_done(&self) -> bool {
        self.n_chunks <= self.done.0.load(Ordering::Acquire)
    }
}

/// The groups of a step, in the order of colours: as in [`chunks::Colors`], or for several threads.
#[derive(Debug)]
pub(crate) enum Colors<'a> {
    Alone(chunks::Colors<'a>),
    Shared(Workers<'a>),
}

impl<'a> Colors<'a> {
    pub(crate) fn new(groups: &'a mut [Group], classes: &'a ColorClasses) -> Colors<'a> {
        let n_groups = classes.groups().map(|groups| groups.len()).max().unwrap_or(0);
        let n_workers = rayon::current_num_threads().min(n_groups / MIN_WORKER_GROUPS);
        if n_workers < 2 {
            return Colors::Alone(chunks::Colors::new(groups, classes));
        }
        Colors::Shared(Workers::new(groups, classes, n_workers, MIN_CHUNK_GROUPS))
    }

    pub(crate) fn run(&mut self, states: &mut [State], pass: &Pass<'_>) {
        match self {
            Colors::Alone(colors) => colors.run(states, pass),
            Colors::Shared(workers) => workers.run(states, pass),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::impulses::balance::Unbalanced;
    use crate::impulses::group::Stage;
    use crate::impulses::lane_vec::REST;
    use crate::joints::passes::Marks;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    const N_BODIES: usize = 4096;
    const STARTS: [u32; 5] = [0, 200, 201, 201, 256];

    const PASS: Pass<'static> = Pass {
        stage: Stage::Solve,
        inverse_h: 240.0,
        push_out_rate: 60.0,
        push_out_speed: 3.0,
        slop: 0.005,
        max_warm_start_speed: 32.0,
        details: &[],
        rounds: &[],
        elapsed: 0.0,
        marks: Marks::NONE,
        unbalanced: Unbalanced::NONE,
    };

    /// Groups whose lanes push bodies apart; a body is in one lane of a colour at most.
    fn groups() -> Vec<Group> {
        let mut groups = vec![Group::empty(N_BODIES as u32); 256];
        for class in STARTS.windows(2) {
            for k in class[0]..class[1] {
                let group = &mut groups[k as usize];
                for lane in 0..8 {
                    // Other partners in every colour.
                    let first = 8 * (k - class[0]) + lane;
                    group.body_a[lane as usize] = first;
                    group.body_b[lane as usize] = N_BODIES as u32 - 1 - first;
                    group.points[0].distance[lane as usize] = -0.01 - 0.001 * lane as f32;
                }
                (group.n_points, group.movable_a, group.movable_b) = (1, 255, 255);
                (group.inverse_mass_a, group.inverse_mass_b) = ([1.0; 8], [0.5 + 0.001 * k as f32; 8]);
                group.normal[1] = [1.0; 8];
                group.tangent[0] = [1.0; 8];
                group.points[0].normal_mass = [0.6; 8];
            }
        }
        groups
    }

    fn serial() -> Vec<State> {
        let mut states = vec![REST; N_BODIES + 1];
        chunks::Colors::new(&mut groups(), &ColorClasses::of_one_block(&STARTS)).run(&mut states, &PASS);
        assert!(states[..200].iter().all(|state| state.front != REST.front));
        states
    }

    #[test]
    fn one_worker_alone_solves_all() {
        for worker in 0..3 {
            let (mut groups, mut states) = (groups(), vec![REST; N_BODIES + 1]);
            let workers = Workers::new(&mut groups, &ColorClasses::of_one_block(&STARTS), 3, 8);
            let shared = SharedLine::of(&mut states);
            workers.work(worker, shared, &PASS);
            // Nothing is left for a late thread, and nothing to wait for.
            workers.work((worker + 1) % 3, shared, &PASS);
            assert!(states == serial(), "{worker}");
        }
    }

    #[test]
    fn every_group_is_in_one_chunk_and_every_chunk_belongs_to_a_worker() {
        for (n_workers, n_groups, least) in
            [(1, 5, 8), (2, 1, 8), (2, 7, 1), (7, 3, 1), (7, 0, 8), (7, 700, 8)]
        {
            let mut groups = vec![Group::empty(0); n_groups];
            for (k, group) in groups.iter_mut().enumerate() {
                group.body_a[0] = k as u32;
            }
            let mut workers = Workers::new(
                &mut groups,
                &ColorClasses::of_one_block(&[0, n_groups as u32]),
                n_workers,
                least,
            );
            assert_eq!((workers.colors.len(), workers.shares.len()), (1, n_workers));
            let mut next = 0;
            for Share { chunks, .. } in &workers.shares {
                assert_eq!(chunks.start, next);
                next = chunks.end;
            }
            assert_eq!((next, workers.colors[0].n_chunks), (workers.chunks.len(), workers.chunks.len()));
            let chunks = workers.chunks.iter_mut().map(|chunk| chunk.get_mut().unwrap());
            let numbers: Vec<u32> =
                chunks.flat_map(|chunk| chunk.iter().map(|group| group.body_a[0])).collect();
            assert_eq!(numbers, (0..n_groups as u32).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_panic_of_one_does_not_let_the_others_wait() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let (mut groups, mut states) = (groups(), vec![REST; N_BODIES + 1]);
        groups[100].body_a[3] = u32::MAX;
        let mut workers = Workers::new(&mut groups, &ColorClasses::of_one_block(&STARTS), 3, 8);
        let run = || pool.install(|| workers.run(&mut states, &PASS));
        assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
    }

    #[test]
    fn stages_follow_each_other() {
        let (mut groups_of_one, mut expected) = (groups(), vec![REST; N_BODIES + 1]);
        let classes = ColorClasses::of_one_block(&STARTS);
        let mut colors = chunks::Colors::new(&mut groups_of_one, &classes);
        (0..20).for_each(|_| colors.run(&mut expected, &PASS));
        for n_threads in [1, 2, 7] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
            let (mut groups, mut states) = (groups(), vec![REST; N_BODIES + 1]);
            let mut workers = Workers::new(&mut groups, &ColorClasses::of_one_block(&STARTS), 7, 4);
            pool.install(|| (0..20).for_each(|_| workers.run(&mut states, &PASS)));
            assert!(states == expected, "{n_threads} threads");
        }
    }
}
