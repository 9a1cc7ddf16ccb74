//! The threads that solve a step, colour after colour.
//!
//! - They are started once for all colours of a stage, and synchronise at the end of each colour.
//! - Each thread has its own part of each colour: the same bodies in every colour. It also loads
//!   and stores these groups, so few cache lines move between cores.
//! - Chunks of a part halve (guided scheduling), so the last ones are small and idle threads can
//!   help.
//! - A thread that finished its part spins for a while, then takes chunks of others (work
//!   stealing). So even one thread alone finishes, for example in a busy pool.
//! - If no chunk is left, it waits for the others: it spins, then yields its core.
//!
//! Reference: E. Catto, Simulation Islands and Solver2D, box2d.org, 2023 and 2024 (stages and
//! colours handed out by atomic counters); M. Herlihy, N. Shavit, The Art of Multiprocessor
//! Programming, 2008, chapter 17 (barriers).
//! Tried: rayon calls for every colour; twice the waiting time. Figures:
//! `benches/notes/carom-world.md`.

use crate::classes::Classes;
use crate::group::{Group, Pass};
use crate::impulse::Stepper;
use crate::lane_vec::State;
use crate::pieces;
use alloc::vec::Vec;
use carom_lanes::SharedLine;
use core::hint::spin_loop;
use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The least number of groups per chunk.
///
/// Each chunk is half of the rest of its part. The last ones are small, so idle threads can help.
/// There are few of them, because each chunk costs a store that the next one waits for. With fixed
/// chunks of 16 groups, all stages took 10 % longer.
const LEAST: usize = 8;

/// The least number of groups of the largest colour per thread.
const LEAST_GROUPS: usize = 8;

/// Spins before a thread takes chunks of others, and again before it yields its core: some 10
/// microseconds.
///
/// A stolen chunk moves its states to another core and back. Without this delay, twice as many
/// states move, and on two cores without a common cache a pass takes 10 % longer.
const LOOKS: usize = 400;

/// A counter in a cache line of its own (no false sharing).
#[derive(Debug, Default)]
#[repr(align(64))]
struct Count(AtomicUsize);

/// The chunks of one colour.
#[derive(Debug)]
struct Color {
    n_pieces: usize,
    /// The number of chunks that are done.
    done: Count,
}

/// The chunks of a colour that belong to one thread, in descending size.
#[derive(Debug)]
struct Part {
    pieces: Range<usize>,
    /// The number of chunks that are taken.
    taken: Count,
}

/// The groups of a step, in the order of colours, for several threads.
#[derive(Debug)]
pub(crate) struct Crew<'a> {
    pieces: Vec<Mutex<&'a mut [Group]>>,
    colors: Vec<Color>,
    /// Colour by colour, for each thread.
    parts: Vec<Part>,
    n_members: usize,
}

/// Adds the number of chunks to `done` when it is dropped, even by a panic. Otherwise other threads
/// would wait forever.
struct Doing<'a> {
    n: usize,
    done: &'a AtomicUsize,
}

impl Drop for Doing<'_> {
    fn drop(&mut self) {
        if 0 < self.n {
            // Release: the writes to the chunks are visible to a thread that reads this count.
            self.done.fetch_add(self.n, Ordering::Release);
        }
    }
}

impl<'a> Crew<'a> {
    /// Builds chunks of at least `least` groups of these colours, for `n_members` threads.
    fn new(mut groups: &'a mut [Group], classes: &Classes, n_members: usize, least: usize) -> Crew<'a> {
        let mut pieces = Vec::new();
        let mut colors = Vec::with_capacity(classes.n_colors());
        let mut parts = Vec::with_capacity(classes.n_colors() * n_members);
        for color in 0..classes.n_colors() {
            let first_of_color = pieces.len();
            for member in 0..n_members {
                let first = pieces.len();
                let mut left = classes.part(color, member, n_members).len();
                while 0 < left {
                    let n = (left / 2).max(least).min(left);
                    let (piece, rest) = groups.split_at_mut(n);
                    pieces.push(Mutex::new(piece));
                    (groups, left) = (rest, left - n);
                }
                parts.push(Part { pieces: first..pieces.len(), taken: Count::default() });
            }
            colors.push(Color { n_pieces: pieces.len() - first_of_color, done: Count::default() });
        }
        Crew { pieces, colors, parts, n_members }
    }

    fn run(&mut self, states: &mut [State], pass: &Pass<'_>) {
        let dones = self.colors.iter_mut().map(|color| &mut color.done);
        let counts = dones.chain(self.parts.iter_mut().map(|part| &mut part.taken));
        counts.for_each(|count| *count.0.get_mut() = 0);
        self.call(0..self.n_members, SharedLine::of(states), pass);
    }

    /// Starts these threads; the first one is the caller.
    fn call(&self, members: Range<usize>, states: &[SharedLine], pass: &Pass<'_>) {
        if members.len() == 1 {
            return self.work(members.start, states, pass);
        }
        let middle = members.start.midpoint(members.end);
        rayon::join(
            || self.call(members.start..middle, states, pass),
            || self.call(middle..members.end, states, pass),
        );
    }

    fn work(&self, member: usize, states: &[SharedLine], pass: &Pass<'_>) {
        let mut patience = LOOKS;
        for (color, parts) in self.colors.iter().zip(self.parts.chunks(self.n_members)) {
            self.take_pieces(color, &parts[member], states, pass);
            let mut n_looks = 0;
            while !color.is_done() && n_looks < patience {
                n_looks += 1;
                spin_loop();
            }
            if !color.is_done() {
                // A thread is late, or does not come. The search begins after the own part, so that
                // not all idle threads take from the same part.
                for part in parts[member + 1..].iter().chain(&parts[..member]) {
                    self.take_pieces(color, part, states, pass);
                }
                patience = 0;
            }
            while !color.is_done() {
                n_looks += 1;
                if n_looks < 2 * LOOKS { spin_loop() } else { std::thread::yield_now() }
            }
        }
    }

    /// Solves the remaining chunks of a part.
    fn take_pieces(&self, color: &Color, part: &Part, states: &[SharedLine], pass: &Pass<'_>) {
        let mut doing = Doing { n: 0, done: &color.done.0 };
        let Part { pieces, taken } = part;
        while taken.0.load(Ordering::Relaxed) < pieces.len() {
            let next = taken.0.fetch_add(1, Ordering::Relaxed);
            if pieces.len() <= next {
                return;
            }
            doing.n += 1;
            let mut groups = self.pieces[pieces.start + next].lock().unwrap_or_else(PoisonError::into_inner);
            carom_lanes::dispatch(Stepper { groups: &mut groups, states, pass });
        }
    }
}

impl Color {
    /// Whether all chunks are done. If so, the writes to them are visible from here on.
    fn is_done(&self) -> bool {
        self.n_pieces <= self.done.0.load(Ordering::Acquire)
    }
}

/// The groups of a step, in the order of colours: as in [`pieces::Colors`], or for several threads.
#[derive(Debug)]
pub(crate) enum Colors<'a> {
    Alone(pieces::Colors<'a>),
    Shared(Crew<'a>),
}

impl<'a> Colors<'a> {
    pub(crate) fn new(groups: &'a mut [Group], classes: &'a Classes) -> Colors<'a> {
        let most = classes.groups().map(|groups| groups.len()).max().unwrap_or(0);
        let n_members = rayon::current_num_threads().min(most / LEAST_GROUPS);
        if n_members < 2 {
            return Colors::Alone(pieces::Colors::new(groups, classes));
        }
        Colors::Shared(Crew::new(groups, classes, n_members, LEAST))
    }

    pub(crate) fn run(&mut self, states: &mut [State], pass: &Pass<'_>) {
        match self {
            Colors::Alone(colors) => colors.run(states, pass),
            Colors::Shared(crew) => crew.run(states, pass),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::Stage;
    use crate::lane_vec::REST;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    const N_BODIES: usize = 4096;
    const STARTS: [u32; 5] = [0, 200, 201, 201, 256];

    const PASS: Pass<'static> = Pass {
        stage: Stage::Solve,
        inverse_h: 240.0,
        push_out_rate: 60.0,
        push_out_speed: 3.0,
        slop: 0.005,
        most_kept: 32.0,
        drives: &[],
        elapsed: 0.0,
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
        pieces::Colors::new(&mut groups(), &Classes::of_one_block(&STARTS)).run(&mut states, &PASS);
        assert!(states[..200].iter().all(|state| state.front != REST.front));
        states
    }

    #[test]
    fn who_comes_alone_does_all() {
        for member in 0..3 {
            let (mut groups, mut states) = (groups(), vec![REST; N_BODIES + 1]);
            let crew = Crew::new(&mut groups, &Classes::of_one_block(&STARTS), 3, 8);
            let shared = SharedLine::of(&mut states);
            crew.work(member, shared, &PASS);
            // Nothing is left for a late thread, and nothing to wait for.
            crew.work((member + 1) % 3, shared, &PASS);
            assert!(states == serial(), "{member}");
        }
    }

    #[test]
    fn every_group_is_in_one_piece_and_every_piece_is_some_members() {
        for (n_members, n_groups, least) in
            [(1, 5, 8), (2, 1, 8), (2, 7, 1), (7, 3, 1), (7, 0, 8), (7, 700, 8)]
        {
            let mut groups = vec![Group::empty(0); n_groups];
            for (k, group) in groups.iter_mut().enumerate() {
                group.body_a[0] = k as u32;
            }
            let mut crew =
                Crew::new(&mut groups, &Classes::of_one_block(&[0, n_groups as u32]), n_members, least);
            assert_eq!((crew.colors.len(), crew.parts.len()), (1, n_members));
            let mut next = 0;
            for Part { pieces, .. } in &crew.parts {
                assert_eq!(pieces.start, next);
                next = pieces.end;
            }
            assert_eq!((next, crew.colors[0].n_pieces), (crew.pieces.len(), crew.pieces.len()));
            let pieces = crew.pieces.iter_mut().map(|piece| piece.get_mut().unwrap());
            let numbers: Vec<u32> =
                pieces.flat_map(|piece| piece.iter().map(|group| group.body_a[0])).collect();
            assert_eq!(numbers, (0..n_groups as u32).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_panic_of_one_does_not_let_the_others_wait() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let (mut groups, mut states) = (groups(), vec![REST; N_BODIES + 1]);
        groups[100].body_a[3] = u32::MAX;
        let mut crew = Crew::new(&mut groups, &Classes::of_one_block(&STARTS), 3, 8);
        let run = || pool.install(|| crew.run(&mut states, &PASS));
        assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
    }

    #[test]
    fn stages_follow_each_other() {
        let (mut groups_of_one, mut expected) = (groups(), vec![REST; N_BODIES + 1]);
        let classes = Classes::of_one_block(&STARTS);
        let mut colors = pieces::Colors::new(&mut groups_of_one, &classes);
        (0..20).for_each(|_| colors.run(&mut expected, &PASS));
        for n_threads in [1, 2, 7] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
            let (mut groups, mut states) = (groups(), vec![REST; N_BODIES + 1]);
            let mut crew = Crew::new(&mut groups, &Classes::of_one_block(&STARTS), 7, 4);
            pool.install(|| (0..20).for_each(|_| crew.run(&mut states, &PASS)));
            assert!(states == expected, "{n_threads} threads");
        }
    }
}
