//! The first contact among many pairs of parts, each answered by itself.
//!
//! Contact is certain at the least of the proved times, and nothing touches before all brackets
//! begin. A part that is undecided before that makes the bracket begin where it is; it is never
//! dropped.
//!
//! Reference: none needed.

use crate::{Clear, Impact, TimeOfImpact, Undecided};

/// Collects the answers about parts of two bodies.
#[derive(Clone, Copy, Debug)]
pub struct Earliest {
    /// The proof that is earliest, and the earliest beginning of a bracket.
    hit: Option<(Impact, f64)>,
    undecided: Option<Undecided>,
    clear: f64,
}

impl Earliest {
    /// Nothing was asked yet.
    pub const fn new() -> Earliest {
        Earliest { hit: None, undecided: None, clear: f64::INFINITY }
    }

    /// One more pair of parts, asked about until [`Earliest::until`] at least.
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

    /// Parts that are never nearer than `distance`.
    pub fn add_clear(&mut self, distance: f64) {
        self.clear = self.clear.min(distance);
    }

    /// Until when it makes sense to ask about another pair: contact is certain then, or all the
    /// time is over.
    pub fn until(&self, max_time: f64) -> f64 {
        self.hit.map_or(max_time, |(impact, _)| impact.t_hi.min(max_time))
    }

    /// When the bracket of the contact that is known begins: a part that does not touch before adds
    /// nothing. Infinite where none is known.
    pub fn begin(&self) -> f64 {
        self.hit.map_or(f64::INFINITY, |(_, begin)| begin)
    }

    /// Of a part no more is known than that it does not touch before this: the bracket of the
    /// contact that is known begins no later.
    pub fn begin_at(&mut self, t: f64) {
        if let Some((_, begin)) = &mut self.hit {
            *begin = begin.min(t);
        }
    }

    /// The answer for the whole bodies.
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
