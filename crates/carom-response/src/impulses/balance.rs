//! Bodies whose cached impulses do not balance.
//!
//! - A body that is jammed between two others has a large impulse on either side. The two cancel.
//!   If one contact ends or its normal turns, the other impulse would throw the body away.
//! - By its warm start, a body that rests or is jammed gains almost no speed and no spin, whatever
//!   the load. A body that gains more than [`MAX_GAIN`], and is in a deep overlap, is
//!   *unbalanced*.
//! - Before the first substep is solved, the contacts of unbalanced bodies are reduced to a small
//!   impulse.
//!
//! Reference: none; E. Catto, Iterative Dynamics with Temporal Coherence, GDC 2005, warm starts
//! without a check.
//! Tried: bodies that gain 2 m/s; piles that land on themselves sink, as many of their bodies do.
//! Figures: `benches/notes/carom-world.md`.

use crate::bodies::free::motion;
use crate::bodies::mass::MassData;
use crate::impulses::lane_vec::State;
use crate::sleep::rest::Touch;
use alloc::vec::Vec;
use carom_math::Vec3;

/// Speed in metres per second, if the length unit is a metre.
const MAX_GAIN: f32 = 5.0;

/// Speed in metres per second, for [`Unbalanced::max_speed`].
const MAX_KEPT_SPEED: f32 = 2.0;

/// The bodies that the warm start of a step would throw.
#[derive(Clone, Debug, Default)]
pub(crate) struct Balance {
    /// By slot: both velocities before a part of the warm start.
    before: Vec<(Vec3, Vec3)>,
    /// By slot: the velocities gained by the whole warm start. Empty if nothing is measured.
    gains: Vec<(Vec3, Vec3)>,
    /// By slot: whether the body is unbalanced. Empty if all are balanced.
    is_unbalanced: Vec<bool>,
}

impl Balance {
    /// Begins a substep. Only the first one of a step is measured, and only if some body is in a
    /// deep overlap: `touches` are by slot.
    pub(crate) fn begin(&mut self, is_first: bool, touches: &[Touch]) {
        self.is_unbalanced.clear();
        self.gains.clear();
        if is_first && touches.contains(&Touch::Deep) {
            self.gains.resize(touches.len(), (Vec3::ZERO, Vec3::ZERO));
        }
    }

    /// Calls `warm_start`, and adds the velocities that the bodies gain by it.
    pub(crate) fn measure(&mut self, states: &mut [State], warm_start: impl FnOnce(&mut [State])) {
        if self.gains.is_empty() {
            return warm_start(states);
        }
        self.before.clear();
        self.before.extend(states.iter().map(motion));
        warm_start(states);
        for ((gain, before), state) in self.gains.iter_mut().zip(&self.before).zip(&*states) {
            let (v, w) = motion(state);
            *gain = (gain.0 + (v - before.0), gain.1 + (w - before.1));
        }
    }

    /// After all parts of the warm start: finds the unbalanced bodies. `masses` are by slot.
    pub(crate) fn find(
        &mut self,
        masses: &[MassData],
        touches: &[Touch],
        length_unit: f32,
    ) -> Unbalanced<'_> {
        let max_gain_sq = (MAX_GAIN * length_unit) * (MAX_GAIN * length_unit);
        let is_thrown = |(((linear, angular), mass), touch): ((&(Vec3, Vec3), &MassData), &Touch)| {
            let spin_sq = mass.mean_radius_sq() * angular.length_squared();
            *touch == Touch::Deep && max_gain_sq < linear.length_squared() + spin_sq
        };
        let bodies = || self.gains.iter().zip(masses).zip(touches);
        if bodies().any(is_thrown) {
            self.is_unbalanced.extend(bodies().map(is_thrown));
        }
        Unbalanced { slots: &self.is_unbalanced, max_speed: MAX_KEPT_SPEED * length_unit }
    }
}

/// The bodies whose contacts are reduced to a small impulse.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unbalanced<'a> {
    /// By slot: whether the body is unbalanced. Empty if there is none.
    slots: &'a [bool],
    /// Each contact keeps at most the impulse that gives its bodies this speed.
    pub(crate) max_speed: f32,
}

impl Unbalanced<'_> {
    /// No bodies.
    pub(crate) const NONE: Unbalanced<'static> = Unbalanced { slots: &[], max_speed: 0.0 };

    /// Whether there is no unbalanced body.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Whether the body in this slot is unbalanced.
    pub(crate) fn includes(&self, slot: usize) -> bool {
        self.slots.get(slot).is_some_and(|is_unbalanced| *is_unbalanced)
    }
}
