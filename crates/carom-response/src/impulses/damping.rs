//! Damping of contacts, from step to step.
//!
//! With one iteration per substep, each contact acts as an undamped spring. A tower that is put
//! down hops and sways for seconds, and leans more with each hop. So an impulse loses a part of
//! its difference from its mean over the last steps: see [`Damping`]. A constant load equals its
//! mean and does not change.
//!
//! Reference: C. Zener, Elasticity and Anelasticity of Metals, 1948 (a spring beside a spring with
//! a damper: the standard linear solid).

use carom_math::Real;

/// The mean of a contact whose impulse is not known yet. No impulse is negative.
pub(crate) const NO_MEAN: Real = -1.0;

/// The part of an impulse that is lost from step to step.
///
/// Let k be the stiffness, a and b the rates `LOSS_RATE` and `FOLLOW_RATE`, and w the angular
/// frequency. Then a contact has the complex stiffness k (i w + b) / (i w + a + b). It is k for an
/// impact and k b / (a + b) for a lasting load. Between them it damps, and most at
/// w^2 = b (a + b): at 4 Hz. Deep contacts are not damped, because their impulses push bodies out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Damping {
    /// The part of its difference from the mean that an impulse loses from step to step.
    loss: Real,
    /// The part of this difference by which the mean follows.
    follow: Real,
}

impl Damping {
    /// Rate per unit of time. With twice as much, a tower of ten boxes leans 1.6 times as far.
    const LOSS_RATE: Real = 8.0;
    /// The largest loss per substep. With few substeps, contacts are soft enough without more.
    const MAX_LOSS: Real = 1.0 / 45.0;
    /// Rate per unit of time.
    const FOLLOW_RATE: Real = 20.0;

    /// Returns the damping for steps of length `dt` with substeps of length `h`.
    pub(crate) fn new(dt: Real, h: Real) -> Damping {
        let part = |rate: Real| rate * dt / (1.0 + rate * dt);
        let loss_rate = Damping::LOSS_RATE.min(Damping::MAX_LOSS / h);
        Damping { loss: part(loss_rate), follow: part(Damping::FOLLOW_RATE) }
    }

    /// Returns the impulse for the next step, and its mean.
    pub(crate) fn apply(self, impulse: Real, mean: Real, is_deep: bool) -> Normal {
        let loss = if is_deep { 0.0 } else { self.loss };
        let mean = if mean < 0.0 { impulse } else { mean };
        let difference = impulse - mean;
        let mean = mean + self.follow * difference;
        // After an overflow the impulse is dropped.
        if mean.is_finite() { Normal { impulse: impulse - loss * difference, mean } } else { Normal::NONE }
    }
}

/// The normal impulse of a contact in a substep, and its mean over the last steps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Normal {
    pub(crate) impulse: Real,
    pub(crate) mean: Real,
}

impl Normal {
    pub(crate) const NONE: Normal = Normal { impulse: 0.0, mean: NO_MEAN };
}
