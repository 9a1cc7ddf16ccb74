//! What a choice is made from: how many boxes there are, how many move, and how far beside their
//! size.
//!
//! Reference: Y. Serpa, M. Rodrigues, Broadmark: A Testing Framework for Broad-Phase Collision
//! Detection Algorithms, Computer Graphics Forum, 2019 (which algorithm is best depends on the
//! number of bodies and on how they move).

use carom_bounds::{Aabb, BoundingVolume};
use carom_broad::{ProxyId, ProxyTable};
use core::fmt;

/// Moves looked at in a frame.
const SAMPLES: usize = 64;

/// A box that moves more than this share of its size in a frame jumps: no margin holds it for long.
const JUMP: f64 = 0.1;

/// What is going on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Features {
    /// How many boxes there are.
    pub n_boxes: usize,
    /// The part of them that was moved since the last search, 0 to 1.
    pub moved: f64,
    /// How far those moved, on average, beside their own size; more than its size counts as its
    /// size.
    pub motion: f64,
    /// The part of all boxes that moved more than a tenth of their size, 0 to 1.
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
    /// Looks at moves that are about to be made; handles that are not good are passed over.
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

    /// What has gone on, and begins to count anew.
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
