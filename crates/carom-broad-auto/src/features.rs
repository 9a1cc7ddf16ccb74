//! The input of the choice: the number of boxes, how many move, and how far relative to their
//! size.
//!
//! Reference: Y. Serpa, M. Rodrigues, Broadmark: A Testing Framework for Broad-Phase Collision
//! Detection Algorithms, Computer Graphics Forum, 2019 (the best algorithm depends on the number
//! of bodies and on their motion).

use carom_bounds::{Aabb, BoundingVolume};
use carom_broad::{ProxyId, ProxyTable};
use core::fmt;

/// Moves sampled per frame.
const SAMPLES: usize = 64;

/// A box that moves more than this share of its size in a frame jumps: it soon leaves any margin.
const JUMP: f64 = 0.1;

/// The features of the present motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Features {
    /// The number of boxes.
    pub n_boxes: usize,
    /// The share of boxes that were moved since the last search, 0 to 1.
    pub moved: f64,
    /// The mean displacement of those, relative to their size and at most 1 each.
    pub motion: f64,
    /// The share of all boxes that moved more than a tenth of their size, 0 to 1.
    pub jumped: f64,
}

impl fmt::Display for Features {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} boxes", self.n_boxes)?;
        if self.moved == 0.0 {
            return write!(f, " at rest");
        }
        let (moved, motion) = (100.0 * self.moved, 100.0 * self.motion);
        write!(f, ", {moved:.0} % of them moving {motion:.1} % of their size a frame")
    }
}

/// Sums over the moves since the last search.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Motion {
    n_moves: usize,
    n_samples: usize,
    n_jumps: usize,
    sum: f64,
}

impl Motion {
    /// Samples moves before they are made; invalid handles are skipped.
    pub(crate) fn note(&mut self, proxies: &ProxyTable, moves: &[(ProxyId, Aabb)]) {
        self.n_moves += moves.len();
        for &(id, aabb) in moves.iter().step_by(moves.len().div_ceil(SAMPLES).max(1)) {
            let Ok(slot) = proxies.check_id(0, id) else { continue };
            let old = proxies.boxes()[slot];
            let step = (aabb.center().as_dvec3() - old.center().as_dvec3()).abs().max_element();
            let size = (old.max.as_dvec3() - old.min.as_dvec3()).max_element();
            self.n_samples += 1;
            self.n_jumps += usize::from(JUMP * size < step);
            self.sum += if step < size { step / size } else { f64::from(u8::from(0.0 < step)) };
        }
    }

    /// Returns the features since the last call, and starts again.
    pub(crate) fn take(&mut self, n_boxes: usize) -> Features {
        let Motion { n_moves, n_samples, n_jumps, sum } = core::mem::take(self);
        let moved = (n_moves as f64 / n_boxes.max(1) as f64).min(1.0);
        Features {
            n_boxes,
            moved,
            motion: sum / n_samples.max(1) as f64,
            jumped: moved * n_jumps as f64 / n_samples.max(1) as f64,
        }
    }
}
