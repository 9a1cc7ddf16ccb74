//! Computes a budget for each step, so that frames end at their deadline.
//!
//! A frame consists of a step and other work, such as drawing. The time of the other work is
//! predicted from earlier frames, and the step gets the remaining time:
//!
//! - The prediction is the running mean plus four running mean deviations, as in the timeout of
//!   TCP.
//! - The mean rises faster than it falls, because a late frame does more harm than a step with
//!   less work.
//! - The mean is updated by the median of the last three frames, so one slow frame hardly changes
//!   it.
//! - If steps take longer than their budgets, the budgets shrink by the same ratio.
//!
//! The controller reads no clock, so equal costs give equal budgets.
//!
//! Reference: V. Jacobson, Congestion Avoidance and Control, SIGCOMM 1988 (mean and deviation);
//! Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.6 and 19.9.3 (constant frame rates).

use carom_math::Budget;
use core::time::Duration;

/// The fraction of a change by which the mean follows in one frame: if costs rise, and if they
/// fall.
const MEAN_GAINS: [f64; 2] = [0.5, 0.125];

/// The fraction of a change by which the deviation follows in one frame.
const DEVIATION_GAIN: f64 = 0.25;

/// The number of deviations by which the prediction is above the mean.
const N_DEVIATIONS: f64 = 4.0;

/// A single cost is clamped to this many deviations above and below the mean, so that falling
/// costs do not increase the prediction.
const MAX_DEVIATIONS: [f64; 2] = [3.0, 1.0];

/// Running mean, mean deviation, and the last two costs.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Prediction {
    mean: f64,
    deviation: f64,
    last: [f64; 2],
}

impl Prediction {
    fn new(cost: f64) -> Prediction {
        Prediction { mean: cost, deviation: 0.0, last: [cost; 2] }
    }

    fn note(&mut self, cost: f64) {
        let [before, last] = self.last;
        self.last = [last, cost];
        let median = before.max(last).min(before.min(last).max(cost));
        let change = median - self.mean;
        let counts = MAX_DEVIATIONS[usize::from(cost < self.mean)] * self.deviation;
        let off = (cost - self.mean).abs().min(counts);
        self.mean += change * MEAN_GAINS[usize::from(change < 0.0)];
        self.deviation += (change.max(off) - self.deviation) * DEVIATION_GAIN;
    }

    /// Returns a cost that is rarely exceeded.
    fn high(&self) -> f64 {
        self.mean + N_DEVIATIONS * self.deviation
    }
}

/// Computes the budget of each step from the costs of the frames before.
///
/// ```
/// use carom_world::{Budget, FrameController, World};
/// use std::time::{Duration, Instant};
///
/// let mut world = World::new();
/// let mut frames = FrameController::new(Duration::from_millis(16));
/// for _ in 0..3 {
///     let start = Instant::now();
///     world.step_with_budget(1.0 / 60.0, frames.budget())?;
///     let step = start.elapsed();
///     // Draw the world here.
///     frames.note(step, start.elapsed());
/// }
/// assert!(matches!(frames.budget(), Budget::Time(budget) if budget <= Duration::from_millis(16)));
/// # Ok::<(), carom_world::WorldError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameController {
    /// The deadline of a frame, in seconds after its start.
    deadline: f64,
    least: f64,
    /// Seconds of a frame without its step; `None` before the first frame.
    rest: Option<Prediction>,
    /// The time of a step divided by its budget; 1 if it ends on time.
    overrun: Prediction,
}

impl FrameController {
    /// Returns a controller for frames that end within `deadline` of their start. The budget of a
    /// step is at least a sixteenth of the deadline. In the first frame it is half of the
    /// deadline.
    pub fn new(deadline: Duration) -> FrameController {
        let deadline = deadline.as_secs_f64();
        FrameController { deadline, least: deadline / 16.0, rest: None, overrun: Prediction::new(1.0) }
    }

    /// Sets the least budget of a step, so that bodies move even if the other work of a frame
    /// takes all the time.
    pub fn with_least(self, least: Duration) -> FrameController {
        FrameController { least: least.as_secs_f64(), ..self }
    }

    /// Returns the budget of the next step.
    pub fn budget(&self) -> Budget {
        Budget::Time(Duration::from_secs_f64(self.seconds()))
    }

    fn seconds(&self) -> f64 {
        let left = match &self.rest {
            Some(rest) => self.deadline - rest.high(),
            None => 0.5 * self.deadline,
        };
        (left / self.overrun.high()).max(self.least)
    }

    /// Records the time of the step of a frame, and the time of the whole frame, the step
    /// included. Call it at the end of the work of each frame, before the game waits for the
    /// display. A wait would count as work.
    pub fn note(&mut self, step: Duration, frame: Duration) {
        let budget = self.seconds();
        let cost = step.as_secs_f64();
        if 0.0 < budget {
            self.overrun.note((cost / budget).max(1.0));
        }
        let rest = frame.saturating_sub(step).as_secs_f64();
        match &mut self.rest {
            Some(known) => known.note(rest),
            None => self.rest = Some(Prediction::new(rest)),
        }
    }
}
