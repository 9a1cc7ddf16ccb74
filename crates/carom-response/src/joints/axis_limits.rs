//! The locked and the limited axes of a joint of six axes, solved together.
//!
//! A limit that is solved after another one is exact for itself only. On a long lever the rows of
//! two limits of a light body are nearly parallel, so each one gives back most of what the other
//! one removed.
//!
//! 1. The impulse of an axis is positive at its lower limit, negative at its upper limit, and zero
//!    between them (a linear complementarity problem with two sides).
//! 2. The first guess of the limits that act is the result of solving them one after the other.
//! 3. The limits of the guess are solved together with the locked axes. Each axis that contradicts
//!    the guess is changed: a limit that pulls is released, and one that is passed is added.
//! 4. After [`MAX_BLOCK_PIVOTS`] only the first of these axes is changed, which ends for every
//!    positive definite matrix. If rounding prevents that, the result of step 2 is kept.
//! 5. An axis that corrects an error yields by a part of the matrix, not of its own entry. So a
//!    limit on a long lever is as stiff as the other limits let it be.
//!
//! Reference: K. G. Murty, Linear Complementarity, Linear and Nonlinear Programming, 1988, 4.1.

use crate::joints::axes::AxisMatrix;
use crate::joints::softness::Softness;
use carom_math::Real;

/// The number of guesses in which all axes that contradict are changed.
const MAX_BLOCK_PIVOTS: usize = 8;

/// The number of all guesses. Six axes with three states each need far fewer.
const MAX_PIVOTS: usize = 32;

/// A speed is beyond its bound if it exceeds it by this part of itself: rounding in `f32`.
const SPEED_ROUNDING: f64 = 1e-6;

/// A locked or limited axis in one iteration. Its speed is that before the axes are solved
/// together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeldAxis {
    axis: usize,
    speed: f64,
    /// The impulse: that of the lower limit minus that of the upper one.
    impulse: f64,
    /// The least and the largest speed that is allowed.
    bounds: [f64; 2],
    /// Whether each bound yields to its impulse: it corrects an error.
    is_soft: [bool; 2],
    is_locked: bool,
}

/// The bound that acts on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Acting {
    Neither,
    Lower,
    Upper,
    Locked,
}

impl Acting {
    /// Returns the index of the bound; `None` if neither acts.
    fn side(self) -> Option<usize> {
        match self {
            Acting::Neither => None,
            Acting::Lower | Acting::Locked => Some(0),
            Acting::Upper => Some(1),
        }
    }
}

impl HeldAxis {
    /// Returns a locked axis with this coordinate, which should be 0.
    pub(crate) fn locked(
        axis: usize,
        (speed, impulse): (Real, Real),
        coordinate: Real,
        soft: Softness,
    ) -> HeldAxis {
        let (speed, impulse) = (f64::from(speed), f64::from(impulse));
        let bounds = [-f64::from(coordinate * soft.bias_rate); 2];
        HeldAxis { axis, speed, impulse, bounds, is_soft: [true; 2], is_locked: true }
    }

    /// Returns an axis with these distances from its limits.
    pub(crate) fn limited(
        axis: usize,
        (speed, impulse): (Real, Real),
        rooms: [Real; 2],
        soft: Softness,
        h: Real,
    ) -> HeldAxis {
        let (speed, impulse) = (f64::from(speed), f64::from(impulse));
        let [low, high] =
            rooms.map(|room| f64::from(if 0.0 < room { room / h } else { room * soft.bias_rate }));
        let is_soft = rooms.map(|room| room <= 0.0);
        HeldAxis { axis, speed, impulse, bounds: [-low, high], is_soft, is_locked: false }
    }

    fn guess(&self) -> Acting {
        if self.is_locked {
            Acting::Locked
        } else if 0.0 < self.impulse {
            Acting::Lower
        } else if self.impulse < 0.0 {
            Acting::Upper
        } else {
            Acting::Neither
        }
    }

    /// Returns the bound that acts, if the impulse becomes `impulse` and the speed `speed` while
    /// `acting` is assumed.
    fn corrected(&self, acting: Acting, impulse: f64, speed: f64) -> Acting {
        match acting {
            Acting::Lower if impulse < 0.0 => Acting::Neither,
            Acting::Upper if 0.0 < impulse => Acting::Neither,
            Acting::Lower | Acting::Upper | Acting::Locked => acting,
            Acting::Neither => {
                let rounding = SPEED_ROUNDING * (self.speed.abs() + speed.abs());
                if speed < self.bounds[0] - rounding {
                    Acting::Lower
                } else if self.bounds[1] + rounding < speed {
                    Acting::Upper
                } else {
                    Acting::Neither
                }
            }
        }
    }
}

/// Returns the changes of the impulses of all axes, by axis, that satisfy the locked and limited
/// axes together. `None` if no guess fits. `rows` is indexed by axis. Soft axes give the part
/// `share` of the response of rigid ones.
pub(crate) fn solve_together(
    matrix: &AxisMatrix,
    share: f64,
    rows: &[Option<HeldAxis>; 6],
) -> Option<[f64; 6]> {
    let rows = rows.iter().flatten();
    let yielding = 1.0 / share - 1.0;
    let mut acting = [Acting::Neither; 6];
    for row in rows.clone() {
        acting[row.axis] = row.guess();
    }
    for pivot in 0..MAX_PIVOTS {
        let mut changes = [0.0; 6];
        // The impulses of the bounds that yield.
        let mut yields = [0.0; 6];
        let mut is_soft = [false; 6];
        for row in rows.clone() {
            match acting[row.axis].side() {
                None => changes[row.axis] = -row.impulse,
                Some(side) if row.is_soft[side] => {
                    (is_soft[row.axis], yields[row.axis]) = (true, yielding * row.impulse);
                }
                Some(_) => {}
            }
        }
        let mut sides = [0.0; 6];
        for row in rows.clone() {
            let k = row.axis;
            if let Some(side) = acting[k].side() {
                let yields = if is_soft[k] { matrix.speed(k, &yields) } else { 0.0 };
                sides[k] = row.bounds[side] - row.speed - yields - matrix.speed(k, &changes);
            }
        }
        let held = matrix.hold(share, |k| acting[k] != Acting::Neither, |k| is_soft[k]);
        held.solve_into(&sides, &mut changes);
        let mut is_right = true;
        for row in rows.clone() {
            let (old, impulse) = (acting[row.axis], row.impulse + changes[row.axis]);
            let speed = row.speed + matrix.speed(row.axis, &changes);
            acting[row.axis] = row.corrected(old, impulse, speed);
            if acting[row.axis] != old {
                is_right = false;
                if MAX_BLOCK_PIVOTS <= pivot {
                    break;
                }
            }
        }
        if is_right {
            return Some(changes);
        }
    }
    None
}
