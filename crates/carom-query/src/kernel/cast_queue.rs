//! Impacts of many pairs of moving shapes in order of time: a priority queue by lower bounds of the
//! time of impact.
//!
//! 1. At first the bound of a pair is the time at which its bounding balls may meet.
//! 2. The pair with the earliest bound is searched, up to the earliest proved contact.
//! 3. It returns to the queue with a later bound or with its impact.
//! 4. An impact at the front of the queue is returned, because all others begin later.
//!
//! So only pairs that may touch earlier are searched, and no further than needed.
//!
//! Tried: searching a pair for an eighth of its time first, then twice as long; a third more
//! searches. Figures: `benches/notes/carom-query.md`.
//!
//! Reference: B. Mirtich, Timewarp Rigid Body Simulation, ACM SIGGRAPH 2000, and Impulse-based
//! Dynamic Simulation of Rigid Body Systems, 1996, 2.3 (collision heap by lower bounds of the
//! time).
//! Differs: certified bounds and brackets.

use super::cast::{self, ball_around};
use super::shape::Shape;
use crate::impact::CastQuery;
use crate::workspace::{Waiting, Workspace};
use carom_ccd::{
    Impact, ImpactCounters, ImpactSettings, Motion, NearInterval, TimeOfImpact, Undecided,
    near_interval_of_balls,
};
use core::cell::Cell;

/// A shape and its motion.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct MovingShape<'a> {
    /// The shape.
    pub shape: &'a Shape,
    /// Its motion, in one frame for all bodies.
    pub motion: Motion,
}

impl<'a> MovingShape<'a> {
    /// Creates a shape with a motion.
    pub fn new(shape: &'a Shape, motion: Motion) -> MovingShape<'a> {
        MovingShape { shape, motion }
    }
}

/// The first impact of a pair of bodies in a queue.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PairImpact {
    /// The number of the pair.
    pub pair: usize,
    /// The answer for the pair, a hit or undecided. No later pair of the queue touches before this
    /// bracket begins.
    pub time_of_impact: TimeOfImpact,
}

/// Why a queue was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImpactQueueError {
    /// The pair names a body that is not in the list.
    NoBody {
        /// The number of the pair.
        pair: usize,
    },
    /// There are more pairs than 2^32 - 1.
    TooManyPairs,
}

impl core::fmt::Display for ImpactQueueError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            ImpactQueueError::NoBody { pair } => {
                write!(f, "pair {pair} names a body that is not in the list")
            }
            ImpactQueueError::TooManyPairs => write!(f, "there are more pairs than 2^32 - 1"),
        }
    }
}

impl core::error::Error for ImpactQueueError {}

/// The impacts of many pairs, sorted by the start of their brackets. The iterator is lazy: it
/// searches only when the next impact is requested.
///
/// Callers can stop early: the first contact needs one call of `next`. Pairs that do not touch are
/// not returned.
#[derive(Debug)]
pub struct ImpactQueue<'a> {
    bodies: &'a [MovingShape<'a>],
    pairs: &'a [[u32; 2]],
    settings: ImpactSettings,
    memory: &'a mut Workspace,
    counters: Cell<ImpactCounters>,
}

impl<'a> ImpactQueue<'a> {
    /// Creates a queue of pairs of bodies, given by their indices in the list. The first body of a
    /// pair is A in its impact, the second is B. Here only the balls around the bodies are tested.
    /// [`ImpactSettings::wants_distance`] has no effect here.
    pub fn new(
        bodies: &'a [MovingShape<'a>],
        pairs: &'a [[u32; 2]],
        settings: &ImpactSettings,
        memory: &'a mut Workspace,
    ) -> Result<ImpactQueue<'a>, ImpactQueueError> {
        if u32::try_from(pairs.len()).is_err() {
            return Err(ImpactQueueError::TooManyPairs);
        }
        memory.casts.waiting.clear();
        memory.casts.found.clear();
        let settings = settings.with_distance(false);
        for (number, pair) in pairs.iter().enumerate() {
            let [Some(a), Some(b)] = pair.map(|body| bodies.get(body as usize)) else {
                return Err(ImpactQueueError::NoBody { pair: number });
            };
            let (from, end) = match (ball_around(a.shape), ball_around(b.shape)) {
                (Some(ball_a), Some(ball_b)) => {
                    match near_interval_of_balls(ball_a, &a.motion, ball_b, &b.motion, &settings) {
                        NearInterval::Never(_) => continue,
                        NearInterval::Between { start, end, .. } => (start, end),
                    }
                }
                _ => (settings.start_time, settings.max_time),
            };
            memory.casts.waiting.push(Waiting { from, end, pair: number as u32, found: u32::MAX });
        }
        Ok(ImpactQueue { bodies, pairs, settings, memory, counters: Cell::default() })
    }

    /// Returns a time before which no remaining pair touches; infinite if none is left.
    pub fn safe_until(&self) -> f64 {
        self.memory.casts.waiting.peek().map_or(f64::INFINITY, |first| first.from)
    }

    /// Returns the work since the start. A search for one pair of convex shapes, or of parts,
    /// counts as one of [`ImpactCounters::searches`].
    pub fn counters(&self) -> ImpactCounters {
        self.counters.get()
    }

    /// Returns the time by which one of the waiting pairs surely touches.
    fn surely_by(&self) -> f64 {
        let hits = self.memory.casts.found.iter().filter_map(TimeOfImpact::hit);
        hits.fold(f64::INFINITY, |first, hit| first.min(hit.t_hi))
    }

    /// Casts a pair over a part of its time.
    fn search(&mut self, pair: u32, times: [f64; 2]) -> TimeOfImpact {
        let [a, b] = self.pairs[pair as usize].map(|body| self.bodies[body as usize]);
        let query = CastQuery {
            motion_a: &a.motion,
            motion_b: &b.motion,
            settings: self.settings,
            tally: &self.counters,
        };
        cast::cast_any(a.shape, b.shape, &query.with_times(times), self.memory)
    }
}

impl Iterator for ImpactQueue<'_> {
    type Item = PairImpact;

    fn next(&mut self) -> Option<PairImpact> {
        loop {
            let mut first = self.memory.casts.waiting.pop()?;
            let found = &mut self.memory.casts.found;
            if let Some(slot) = found.get_mut(first.found as usize) {
                let time_of_impact = core::mem::replace(slot, RETURNED);
                if found.iter().all(|&answer| answer == RETURNED) {
                    found.clear();
                }
                return Some(PairImpact { pair: first.pair as usize, time_of_impact });
            }
            // An impact found at the same time comes first, so the interval is not empty.
            let to = self.surely_by().min(first.end);
            let mut answer = self.search(first.pair, [first.from, to]);
            if matches!(answer, TimeOfImpact::Undecided(_)) && to < first.end {
                // The end of the interval may be the cause, so the whole time is searched.
                answer = self.search(first.pair, [first.from, first.end]);
            }
            match answer {
                TimeOfImpact::Clear(_) => {
                    if to < first.end {
                        first.from = to;
                        self.memory.casts.waiting.push(first);
                    }
                    continue;
                }
                TimeOfImpact::Hit(Impact { t_lo: begin, .. })
                | TimeOfImpact::Undecided(Undecided { t_safe: begin, .. }) => {
                    first.from = first.from.max(begin);
                }
            }
            first.found = self.memory.casts.found.len() as u32;
            self.memory.casts.found.push(answer);
            self.memory.casts.waiting.push(first);
        }
    }
}

/// Marks an answer that was already returned.
const RETURNED: TimeOfImpact = TimeOfImpact::Clear(carom_ccd::Clear::new(f64::INFINITY));
