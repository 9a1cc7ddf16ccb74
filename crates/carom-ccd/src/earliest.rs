//! The first contact among many pairs of parts, each with its own answer.
//!
//! Contact is certain at the least of the proved times. Nothing touches before the earliest bracket
//! begins. If a part is undecided before that, the bracket begins at its safe time. No part is
//! dropped.

use crate::{Clear, Impact, TimeOfImpact, Undecided};

/// Collects the answers of pairs of parts of two bodies.
#[derive(Clone, Copy, Debug)]
pub struct Earliest {
    /// The earliest proof, and the earliest start of a bracket.
    hit: Option<(Impact, f64)>,
    undecided: Option<Undecided>,
    clear: f64,
}

impl Earliest {
    /// Creates a collector without answers.
    pub const fn new() -> Earliest {
        Earliest { hit: None, undecided: None, clear: f64::INFINITY }
    }

    /// Adds the answer of a pair of parts. It must cover the time up to [`Earliest::until`].
    pub fn add(&mut self, answer: TimeOfImpact) {
        match answer {
            TimeOfImpact::Hit(impact) => {
                self.hit = Some(match self.hit {
                    Some((best, begin)) => {
                        let begin = begin.min(impact.t_lo);
                        if impact.t_hi < best.t_hi { (impact, begin) } else { (best, begin) }
                    }
                    None => (impact, impact.t_lo),
                });
            }
            TimeOfImpact::Undecided(undecided) => {
                if self.undecided.is_none_or(|first| undecided.t_safe < first.t_safe) {
                    self.undecided = Some(undecided);
                }
            }
            TimeOfImpact::Clear(clear) => self.add_clear(clear.distance),
        }
    }

    /// Adds parts that are never nearer than `distance`.
    pub fn add_clear(&mut self, distance: f64) {
        self.clear = self.clear.min(distance);
    }

    /// Returns the time up to which another pair has to be tested. By this time contact is
    /// certain, or it is `max_time`.
    pub fn until(&self, max_time: f64) -> f64 {
        self.hit.map_or(max_time, |(impact, _)| impact.t_hi.min(max_time))
    }

    /// Returns the start of the bracket of the known contact. A part that does not touch before it
    /// changes nothing. Infinite if no contact is known.
    pub fn begin(&self) -> f64 {
        self.hit.map_or(f64::INFINITY, |(_, begin)| begin)
    }

    /// Adds a part that is only known not to touch before `t`. The bracket of the known contact
    /// then begins at `t` or earlier.
    pub fn begin_at(&mut self, t: f64) {
        if let Some((_, begin)) = &mut self.hit {
            *begin = begin.min(t);
        }
    }

    /// Returns the answer for the whole bodies.
    pub fn answer(&self) -> TimeOfImpact {
        match (self.hit, self.undecided) {
            (Some((mut impact, begin)), undecided) => {
                impact.t_lo = undecided.map_or(begin, |undecided| begin.min(undecided.t_safe));
                TimeOfImpact::Hit(impact)
            }
            (None, Some(undecided)) => TimeOfImpact::Undecided(undecided),
            (None, None) => TimeOfImpact::Clear(Clear::new(self.clear)),
        }
    }
}

impl Default for Earliest {
    fn default() -> Earliest {
        Earliest::new()
    }
}
