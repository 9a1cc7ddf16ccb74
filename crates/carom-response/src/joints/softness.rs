//! Spring and damper of a soft constraint, as factors for the impulses of a substep.
//!
//! Reference: E. Catto, Soft Constraints, GDC 2011.

/// Spring and damper of a soft constraint, as factors for impulses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Softness {
    /// Bias speed per length of the error.
    pub(crate) bias_rate: f32,
    /// Factor of the impulse that a rigid joint would need.
    pub(crate) mass_scale: f32,
    /// Factor of the accumulated impulse, which is subtracted.
    pub(crate) impulse_scale: f32,
}

impl Softness {
    pub(crate) const RIGID: Softness = Softness { bias_rate: 0.0, mass_scale: 1.0, impulse_scale: 0.0 };

    /// Computes the factors. `frequency` is in cycles per unit of time, `damping` relative to the
    /// critical one, `h` is the length of a substep.
    pub(crate) fn new(frequency: f32, damping: f32, h: f32) -> Softness {
        if !(0.0 < frequency) {
            return Softness::RIGID;
        }
        let omega = 2.0 * core::f32::consts::PI * frequency;
        let a1 = 2.0 * damping + h * omega;
        let a2 = h * omega * a1;
        let a3 = 1.0 / (1.0 + a2);
        Softness { bias_rate: omega / a1, mass_scale: a2 * a3, impulse_scale: a3 }
    }
}
