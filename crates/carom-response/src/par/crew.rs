//! The threads that solve a step, colour after colour.
//!
//! They are called once for all colours of a stage and meet at the end of each. Nobody waits for who has not come: the groups of a colour
//! are handed out in pieces, and whoever is there takes what is left, so that one thread alone comes to the end, in a pool that is busy
//! otherwise or on a machine with fewer cores than threads. Who finds nothing left waits for the pieces that others work at, a while by
//! looking, then by giving its core away.
//!
//! Every member has its own part of each colour first. The numbers of bodies ascend in a colour, so in each it has the bodies that it had
//! in the one before.
//!
//! In a pile of 10,000 boxes two threads wait for 0.17 of the 2.9 milliseconds of all stages; calls of rayon for every colour, by halves, took
//! 0.37. A task that kept the others looking for work through the whole step, so that they need not be woken, gained a fiftieth, and
//! took their cores.
//!
//! Reference: E. Catto, Simulation Islands and Solver2D, box2d.org, 2023 and 2024 (stages and colours handed out by atomic counters);
//! M. Herlihy, N. Shavit, The Art of Multiprocessor Programming, 2008, chapter 17 (barriers).

use crate::impulse::{Group, Pass, Stepper};
use crate::lane_vec::State;
use crate::pieces;
use alloc::vec::Vec;
use carom_lanes::SharedLine;
use core::hint::spin_loop;
use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Groups per piece: at least; and at most, some 3 microseconds of work.
const PIECE: (usize, usize) = (4, 16);

/// So many pieces has a member of the largest colour, if they are not too small: the last ones are done by whoever is early.
const PIECES_PER_MEMBER: usize = 8;

/// Fewer groups of the largest colour are not worth another member.
const LEAST_GROUPS: usize = 8;

/// How often it is looked whether others are done before the core is given away: some 10 microseconds.
const LOOKS: usize = 400;

/// A number alone in its line of the cache.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Count(AtomicUsize);

/// A colour.
#[derive(Debug)]
struct Color {
    /// Its pieces.
    pieces: Range<usize>,
    /// How many of them are done.
    done: Count,
}

impl Color {
    /// The pieces that a member of so many has first; the caller has the only one.
    fn part(&self, member: usize, n_members: usize) -> Range<usize> {
        let begin = |member: usize| self.pieces.start + (member * self.pieces.len()).div_ceil(n_members);
        begin(member)..begin(member + 1)
    }
}

/// The groups of a step, in the order of colours, for several threads.
#[derive(Debug)]
pub(crate) struct Crew<'a> {
    pieces: Vec<Mutex<&'a mut [Group]>>,
    colors: Vec<Color>,
    /// Colour by colour, per member: how many of the pieces that it has first are taken.
    taken: Vec<Count>,
    n_members: usize,
}

/// Counts what it is told as done when it goes, also when that is by a panic: others would wait forever.
struct Doing<'a> {
    n: usize,
    done: &'a AtomicUsize,
}

impl Drop for Doing<'_> {
    fn drop(&mut self) {
        if 0 < self.n {
            // What was written at the pieces is seen by who sees this.
            self.done.fetch_add(self.n, Ordering::Release);
        }
    }
}

impl<'a> Crew<'a> {
    /// Of so many members, for groups whose colours begin where `class_starts` says, in pieces of so many.
    fn new(
        mut groups: &'a mut [Group],
        class_starts: &[u32],
        n_members: usize,
        per_piece: usize,
    ) -> Crew<'a> {
        let mut pieces = Vec::with_capacity(groups.len() / per_piece + class_starts.len());
        let mut colors = Vec::with_capacity(class_starts.len());
        for class in class_starts.windows(2) {
            let (of_class, rest) = groups.split_at_mut((class[1] - class[0]) as usize);
            groups = rest;
            let first = pieces.len();
            pieces.extend(of_class.chunks_mut(per_piece).map(Mutex::new));
            colors.push(Color { pieces: first..pieces.len(), done: Count::default() });
        }
        let taken = (0..colors.len() * n_members).map(|_| Count::default()).collect();
        Crew { pieces, colors, taken, n_members }
    }

    fn run(&mut self, states: &mut [State], pass: &Pass) {
        let counts = self.colors.iter_mut().map(|color| &mut color.done).chain(&mut self.taken);
        counts.for_each(|count| *count.0.get_mut() = 0);
        self.call(0..self.n_members, SharedLine::of(states), pass);
    }

    /// Calls these members; the first of them is the caller.
    fn call(&self, members: Range<usize>, states: &[SharedLine], pass: &Pass) {
        if members.len() == 1 {
            return self.work(members.start, states, pass);
        }
        let middle = members.start.midpoint(members.end);
        rayon::join(
            || self.call(members.start..middle, states, pass),
            || self.call(middle..members.end, states, pass),
        );
    }

    fn work(&self, member: usize, states: &[SharedLine], pass: &Pass) {
        for (color, taken) in self.colors.iter().zip(self.taken.chunks(self.n_members)) {
            let mut doing = Doing { n: 0, done: &color.done.0 };
            // One's own part, then those of the next.
            for member in (member..self.n_members).chain(0..member) {
                let part = color.part(member, self.n_members);
                let taken = &taken[member].0;
                while taken.load(Ordering::Relaxed) < part.len() {
                    let next = taken.fetch_add(1, Ordering::Relaxed);
                    if part.len() <= next {
                        break;
                    }
                    doing.n += 1;
                    let mut groups =
                        self.pieces[part.start + next].lock().unwrap_or_else(PoisonError::into_inner);
                    carom_lanes::dispatch(Stepper { groups: &mut groups, states, pass });
                }
            }
            drop(doing);
            let mut n_looks = 0;
            // What was written at the pieces that are done is seen from here on.
            while color.done.0.load(Ordering::Acquire) < color.pieces.len() {
                n_looks += 1;
                if n_looks < LOOKS { spin_loop() } else { std::thread::yield_now() }
            }
        }
    }
}

/// The groups of a step, in the order of colours: as [`pieces::Colors`], and for several threads.
#[derive(Debug)]
pub(crate) enum Colors<'a> {
    Alone(pieces::Colors<'a>),
    Shared(Crew<'a>),
}

impl<'a> Colors<'a> {
    pub(crate) fn new(groups: &'a mut [Group], class_starts: &'a [u32]) -> Colors<'a> {
        let most = class_starts.windows(2).map(|class| class[1] - class[0]).max().unwrap_or(0) as usize;
        let n_members = rayon::current_num_threads().min(most / LEAST_GROUPS);
        if n_members < 2 {
            return Colors::Alone(pieces::Colors::new(groups, class_starts));
        }
        let per_piece = (most / (PIECES_PER_MEMBER * n_members)).clamp(PIECE.0, PIECE.1);
        Colors::Shared(Crew::new(groups, class_starts, n_members, per_piece))
    }

    pub(crate) fn run(&mut self, states: &mut [State], pass: &Pass) {
        match self {
            Colors::Alone(colors) => colors.run(states, pass),
            Colors::Shared(crew) => crew.run(states, pass),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::impulse::Stage;
    use crate::lane_vec::REST;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    const N_BODIES: usize = 4096;
    const STARTS: [u32; 5] = [0, 200, 201, 201, 256];

    const PASS: Pass = Pass {
        stage: Stage::Solve,
        inverse_h: 240.0,
        ratio: 1.0,
        push_out_rate: 60.0,
        push_out_speed: 3.0,
        slop: 0.005,
        most_kept: 32.0,
    };

    /// Groups whose lanes push bodies apart, each body once in a colour.
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
        pieces::Colors::new(&mut groups(), &STARTS).run(&mut states, &PASS);
        assert!(states[..200].iter().all(|state| state.front != REST.front));
        states
    }

    #[test]
    fn who_comes_alone_does_all() {
        for member in 0..3 {
            let (mut groups, mut states) = (groups(), vec![REST; N_BODIES + 1]);
            let crew = Crew::new(&mut groups, &STARTS, 3, 8);
            let shared = SharedLine::of(&mut states);
            crew.work(member, shared, &PASS);
            // Nothing is left for who comes late, and nothing to wait for.
            crew.work((member + 1) % 3, shared, &PASS);
            assert!(states == serial(), "{member}");
        }
    }

    #[test]
    fn all_pieces_are_some_members() {
        for (n_members, n_pieces) in [(1, 5), (2, 1), (2, 7), (7, 3), (7, 0), (7, 700)] {
            let color = Color { pieces: 10..10 + n_pieces, done: Count::default() };
            let mut next = 10;
            for member in 0..n_members {
                let part = color.part(member, n_members);
                assert_eq!(part.start, next);
                next = part.end;
            }
            assert_eq!(next, color.pieces.end);
        }
    }

    #[test]
    fn a_panic_of_one_does_not_let_the_others_wait() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let (mut groups, mut states) = (groups(), vec![REST; N_BODIES + 1]);
        groups[100].body_a[3] = u32::MAX;
        let mut crew = Crew::new(&mut groups, &STARTS, 3, 8);
        let run = || pool.install(|| crew.run(&mut states, &PASS));
        assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
    }

    #[test]
    fn stages_follow_each_other() {
        let (mut groups_of_one, mut expected) = (groups(), vec![REST; N_BODIES + 1]);
        let mut colors = pieces::Colors::new(&mut groups_of_one, &STARTS);
        (0..20).for_each(|_| colors.run(&mut expected, &PASS));
        for n_threads in [1, 2, 7] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
            let (mut groups, mut states) = (groups(), vec![REST; N_BODIES + 1]);
            let mut crew = Crew::new(&mut groups, &STARTS, 7, 4);
            pool.install(|| (0..20).for_each(|_| crew.run(&mut states, &PASS)));
            assert!(states == expected, "{n_threads} threads");
        }
    }
}
