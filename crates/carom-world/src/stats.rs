//! What a step did and what it cost.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., figure 25.2 (the phases) and eq. 25.2 (the terms of
//! the cost).

use carom_math::clock::Moment;
use carom_response::StepStats;

/// Counts and times of the last [`World::step`](crate::World::step) or [`World::detect`](crate::World::detect).
///
/// The counts are the same in every run; the times are not.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[non_exhaustive]
pub struct Stats {
    /// Bodies in the world.
    pub n_bodies: usize,
    /// Pairs of boxes that touch.
    pub n_pairs: usize,
    /// Pairs of boxes that were left out, because both bodies have many others, and all pairs are more than memory is made for: thousands
    /// of bodies at one point. Nothing is told of them until others have parted.
    pub n_crowded: usize,
    /// Pairs of shapes that were looked at; the others have not moved, or hardly.
    pub n_tested: usize,
    /// Pairs that hardly moved, whose contacts were moved along with them ([`WorldSettings::recycling`](crate::WorldSettings::recycling)).
    pub n_recycled: usize,
    /// Pairs of shapes that touch.
    pub n_touching: usize,
    /// Manifolds of all pairs.
    pub n_manifolds: usize,
    /// Pairs with a fast body that were asked when they touch.
    pub n_swept: usize,
    /// Fast bodies that were stopped on their way, to go on in the next step: time goes by more slowly for them. A body that
    /// spins fast beside a wall may be stopped in every step.
    pub n_stopped: usize,
    /// Boxes tested against boxes.
    pub n_box_tests: u64,
    /// Bodies that fell asleep at its end.
    pub n_fallen: usize,
    /// What the solver did.
    pub solver: StepStats,
    /// Steps of work, in which a [`Budget`](carom_math::Budget) counts: pairs of shapes that were looked at, and manifolds
    /// that were solved, once for each substep.
    pub n_steps: u64,
    /// What was not done, because the budget was spent.
    pub undone: Undone,
    /// Seconds in each phase.
    pub times: PhaseTimes,
}

/// What a step left undone because its [`Budget`](carom_math::Budget) was spent; all zero without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Undone {
    /// Pairs of shapes in which something moved, and that were not looked at. They have their turn in the steps after.
    pub n_pairs: usize,
    /// Those of them that were never looked at: where they touch is not known.
    pub n_unknown: usize,
    /// Of the pairs never looked at, those that were kept from approaching, along the axis on which their boxes overlap
    /// least.
    pub n_stopped: usize,
    /// Contacts of the other pairs, carried over from when they were looked at; they moved with their bodies.
    pub n_carried: usize,
    /// Substeps that the solver did not make; those made were longer.
    pub n_substeps: u32,
    /// Bodies that were halted, because not even one substep of all fits: they were left where they are, with their velocities. They have
    /// their turn in the steps after ([`World::is_halted`](crate::World::is_halted)).
    ///
    /// In a step that is held these are all that could move, though none of them is marked.
    pub n_halted: usize,
    /// Nothing moved but what its owner moves: pairs are still to be looked at, or the response would have been late. The step goes on in the
    /// next call; contacts and events are told as far as they are known.
    pub is_held: bool,
}

/// Seconds in each phase; zero without a clock ([`carom_math::clock`]).
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[non_exhaustive]
pub struct PhaseTimes {
    /// Pairs of boxes.
    pub broad: f64,
    /// Contacts of shapes.
    pub narrow: f64,
    /// Velocities and places.
    pub response: f64,
    /// Boxes of what moved.
    pub refit: f64,
}

impl PhaseTimes {
    /// Seconds of the whole step.
    pub fn total(&self) -> f64 {
        self.broad + self.narrow + self.response + self.refit
    }
}

/// Measures one phase after the other.
#[derive(Clone, Copy)]
pub(crate) struct Clock {
    start: Moment,
    last: Moment,
}

impl Clock {
    pub(crate) fn start() -> Clock {
        let now = Moment::now();
        Clock { start: now, last: now }
    }

    /// Seconds since the start; 0 without a clock.
    pub(crate) fn since_start(&self) -> f64 {
        self.start.elapsed()
    }

    /// Seconds since the start or the last lap; 0 without a clock.
    pub(crate) fn lap(&mut self) -> f64 {
        let now = Moment::now();
        let lap = now.seconds_since(self.last);
        self.last = now;
        lap
    }
}
