//! The active bodies, kept from step to step, so that sleeping bodies cost nothing.
//!
//! A body that is not static is in one of these states:
//!
//! | state | meaning | queries |
//! |---|---|---|
//! | moving | moves in this step | `list`, `has` |
//! | halted | awake, but left out of this step by a budget | `is_halted` |
//! | sleeping | left out of steps until something wakes it | `sleepers` |
//!
//! Moving and halted bodies together are awake (`awake`, `is_awake`). No body carries a flag of
//! being halted.
//!
//! Reference: E. Catto, Simulation Islands, box2d.org, 2023 (sleeping islands are put away).

use alloc::vec::Vec;
use carom_response::{Body, BodyKind, Sleepers, Solver};

/// The bodies that are awake, kinematic ones included.
#[derive(Clone, Debug, Default)]
pub(crate) struct Movers {
    /// Numbers of the awake bodies, ascending. Later additions wait in `new` for `settle`.
    list: Vec<u32>,
    new: Vec<u32>,
    /// By number: whether the body is in one of the two lists.
    is_in: Vec<bool>,
    /// Whether a budget halts some bodies. If so, `moving` lists the others, ascending, and `moves`
    /// has them by number.
    has_halted: bool,
    moving: Vec<u32>,
    moves: Vec<bool>,
    /// The kinematic bodies of `list`.
    driven: Vec<u32>,
    /// A body was added, fell asleep or was removed since the last call of `settle`.
    is_unsettled: bool,
    /// The groups of sleeping bodies.
    sleepers: Sleepers,
}

fn may_move(body: &Body) -> bool {
    body.kind != BodyKind::Fixed && !body.is_sleeping
}

impl Movers {
    /// Returns the active bodies of a restored world, of which `halted` are halted.
    pub(crate) fn of(bodies: &[Body], sleepers: &Sleepers, halted: &[u32]) -> Movers {
        let mut movers = Movers { sleepers: sleepers.clone(), ..Movers::default() };
        for (number, body) in bodies.iter().enumerate() {
            if may_move(body) {
                movers.add(number);
            }
        }
        movers.has_halted = !halted.is_empty();
        if movers.has_halted {
            movers.moves = bodies.iter().map(may_move).collect();
            halted.iter().for_each(|&number| movers.moves[number as usize] = false);
            movers.moving =
                (0..).zip(&movers.moves).filter(|(_, moves)| **moves).map(|(number, _)| number).collect();
        }
        movers
    }

    /// Adds a body that was inserted or that wakes.
    pub(crate) fn add(&mut self, body: usize) {
        if self.is_in.len() <= body {
            self.is_in.resize(body + 1, false);
        }
        if !self.is_in[body] {
            self.is_in[body] = true;
            self.new.push(body as u32);
            self.is_unsettled = true;
        }
    }

    /// Notes that a body was removed.
    pub(crate) fn unsettle(&mut self) {
        self.is_unsettled = true;
    }

    /// Wakes a body and the bodies that fell asleep with it. Its time at rest starts from zero,
    /// also if it was awake.
    pub(crate) fn wake(&mut self, bodies: &mut [Body], body: usize) {
        let sleepers = core::mem::take(&mut self.sleepers);
        sleepers.wake_each(bodies, body, |woken| self.add(woken));
        self.sleepers = sleepers;
    }

    /// After a step: puts to sleep the islands that are at rest. Returns how many bodies fell
    /// asleep.
    pub(crate) fn fall_asleep(&mut self, bodies: &mut [Body], solver: &Solver) -> usize {
        let n_fallen = self.sleepers.fall_asleep(bodies, solver);
        self.is_unsettled |= 0 < n_fallen;
        n_fallen
    }

    /// The groups of sleeping bodies.
    pub(crate) fn sleepers(&self) -> &Sleepers {
        &self.sleepers
    }

    /// Applies what was noted: drops bodies that sleep or are gone, and inserts new ones in order.
    /// While bodies are halted, the new ones are halted too.
    pub(crate) fn settle(&mut self, bodies: &[Body]) {
        if !core::mem::take(&mut self.is_unsettled) {
            return;
        }
        let Movers { list, new, is_in, has_halted, moving, moves, driven, .. } = self;
        let mut stays = |number: &u32| {
            let stays = may_move(&bodies[*number as usize]);
            is_in[*number as usize] = stays;
            stays
        };
        list.retain(&mut stays);
        new.retain(&mut stays);
        is_in.resize(bodies.len(), false);
        if *has_halted {
            moving.retain(|&number| is_in[number as usize]);
            moves.resize(bodies.len(), false);
            for (moves, is_in) in moves.iter_mut().zip(&*is_in) {
                *moves &= *is_in;
            }
        }
        if !new.is_empty() {
            list.append(new);
            list.sort_unstable();
        }
        driven.clear();
        let is_driven = |number: &u32| bodies[*number as usize].kind == BodyKind::Kinematic;
        driven.extend(list.iter().copied().filter(is_driven));
    }

    /// Makes the chosen and the kinematic bodies move, and halts all others.
    pub(crate) fn halt_others(&mut self, is_chosen: impl Fn(u32) -> bool) {
        self.has_halted = true;
        self.moving.clear();
        self.moves.clear();
        self.moves.resize(self.is_in.len(), false);
        self.moving.extend(self.list.iter().copied().filter(|&number| is_chosen(number)));
        if !self.driven.is_empty() {
            self.moving.extend_from_slice(&self.driven);
            self.moving.sort_unstable();
        }
        for &number in &self.moving {
            self.moves[number as usize] = true;
        }
    }

    /// Ends halting: all move again. Returns whether some were halted.
    pub(crate) fn resume(&mut self) -> bool {
        core::mem::take(&mut self.has_halted)
    }

    /// Whether the body is awake, but left out of this step by a budget.
    pub(crate) fn is_halted(&self, body: u32) -> bool {
        self.has_halted && self.is_awake(body) && !self.has(body)
    }

    /// The number of halted bodies.
    pub(crate) fn n_halted(&self) -> usize {
        if self.has_halted { self.list.len() - self.moving.len() } else { 0 }
    }

    /// Whether some bodies are halted.
    pub(crate) fn has_halted(&self) -> bool {
        self.has_halted
    }

    /// The numbers of the bodies that move in this step, ascending. Valid after `settle`.
    pub(crate) fn list(&self) -> &[u32] {
        if self.has_halted { &self.moving } else { &self.list }
    }

    /// The kinematic bodies among them.
    pub(crate) fn driven(&self) -> &[u32] {
        &self.driven
    }

    /// The numbers of the awake bodies: moving or halted.
    pub(crate) fn awake(&self) -> &[u32] {
        &self.list
    }

    /// By number: whether the body moves in this step. May be shorter than the table of bodies.
    fn flags(&self) -> &[bool] {
        if self.has_halted { &self.moves } else { &self.is_in }
    }

    /// Whether the body moves in this step.
    #[inline]
    pub(crate) fn has(&self, body: u32) -> bool {
        self.flags().get(body as usize).is_some_and(|moves| *moves)
    }

    /// Writes by number whether the solver moves the body: it is moving and dynamic. Valid after
    /// `settle`.
    pub(crate) fn tell_active(&self, bodies: &[Body], out: &mut Vec<bool>) {
        out.clear();
        out.extend_from_slice(self.flags());
        out.resize(bodies.len(), false);
        self.driven.iter().for_each(|&number| out[number as usize] = false);
        let is_active = |body: &Body| body.kind == BodyKind::Dynamic && !body.is_sleeping;
        debug_assert!(
            out.iter().zip(bodies).all(|(out, body)| !*out || is_active(body)),
            "not all have settled"
        );
    }

    /// Whether the body is moving or halted.
    #[inline]
    pub(crate) fn is_awake(&self, body: u32) -> bool {
        self.is_in.get(body as usize).is_some_and(|is_in| *is_in)
    }
}
