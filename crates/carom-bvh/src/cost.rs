//! The cost function of collision detection: t = n_v c_v + n_p c_p + n_u c_u.
//!
//! The counts come with each query and depend only on the input. The unit costs depend on the
//! machine, the kind of volume and the primitives. They are fitted once to measured queries by a
//! caller with a clock.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., eq. 25.3; S. Gottschalk, M. C.
//! Lin, D. Manocha, OBBTree, 1996, 6.
//! Differs: one volume is tested against eight at once, so a volume test is an eighth of such a
//! test.

use crate::counters::Counters;
use crate::tree::{Bvh, TreeVolume};

/// The unit costs of counted work, in any unit of time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Cost {
    /// A volume tested (c_v).
    pub volume_test: f64,
    /// A pair of primitives, or a primitive, in the reported leaves (c_p).
    pub primitive: f64,
    /// A volume that is recomputed (c_u).
    pub volume_update: f64,
}

impl Cost {
    /// From the three costs.
    pub fn new(volume_test: f64, primitive: f64, volume_update: f64) -> Cost {
        Cost { volume_test, primitive, volume_update }
    }

    /// The predicted time of this work, in the unit of the costs.
    pub fn predict(&self, work: &Counters) -> f64 {
        let [n_v, n_p, n_u] = counts(work);
        n_v * self.volume_test + n_p * self.primitive + n_u * self.volume_update
    }

    /// Fits the costs to measured queries, each with its time, by least squares of relative
    /// errors. No cost is below 0. Work that no query did costs 0. Times that are not positive and
    /// finite are skipped.
    pub fn fit(measured: &[(Counters, f64)]) -> Cost {
        let rows = || {
            measured
                .iter()
                .filter(|(_, time)| 0.0 < *time && time.is_finite())
                .map(|(work, time)| counts(work).map(|n| n / time))
        };
        // Tries all seven sets of free costs; the other costs are 0. For three unknowns this finds
        // the least squares with no cost below 0.
        let mut best = ([0.0; 3], f64::INFINITY);
        for free in 1_u32..8 {
            let (mut matrix, mut right) = ([[0.0; 3]; 3], [0.0; 3]);
            for row in rows() {
                for i in 0..3 {
                    right[i] += row[i];
                    for j in 0..3 {
                        matrix[i][j] += row[i] * row[j];
                    }
                }
            }
            for i in 0..3 {
                if free >> i & 1 == 0 {
                    (matrix[i], right[i]) = ([0.0; 3], 0.0);
                    matrix[i][i] = 1.0;
                }
            }
            let Some(cost) = solve(matrix, right) else { continue };
            let errors = rows().map(|row| {
                let error = row[0] * cost[0] + row[1] * cost[1] + row[2] * cost[2] - 1.0;
                error * error
            });
            let error: f64 = errors.sum();
            if cost.iter().all(|c| 0.0 <= *c) && error < best.1 {
                best = (cost, error);
            }
        }
        let [volume_test, primitive, volume_update] = best.0;
        Cost { volume_test, primitive, volume_update }
    }
}

impl<V: TreeVolume> Bvh<V> {
    /// The work of a refit of the whole tree: every volume is computed anew.
    pub fn refit_work(&self) -> Counters {
        // Each node but the root, and each leaf, has a volume in a lane. The volume of the root is
        // one more.
        Counters { volume_updates: (self.n_nodes() + self.n_leaves()) as u64, ..Counters::default() }
    }
}

fn counts(work: &Counters) -> [f64; 3] {
    [work.volume_tests as f64, work.primitives as f64, work.volume_updates as f64]
}

/// Gaussian elimination with the largest pivot; `None` if a pivot is 0.
fn solve(mut m: [[f64; 3]; 3], mut right: [f64; 3]) -> Option<[f64; 3]> {
    for i in 0..3 {
        let pivot = (i..3).max_by(|&p, &q| m[p][i].abs().total_cmp(&m[q][i].abs()))?;
        m.swap(i, pivot);
        right.swap(i, pivot);
        if m[i][i] == 0.0 || !m[i][i].is_finite() {
            return None;
        }
        for k in i + 1..3 {
            let factor = m[k][i] / m[i][i];
            for j in i..3 {
                m[k][j] -= factor * m[i][j];
            }
            right[k] -= factor * right[i];
        }
    }
    let z = right[2] / m[2][2];
    let y = (right[1] - m[1][2] * z) / m[1][1];
    let x = (right[0] - m[0][1] * y - m[0][2] * z) / m[0][0];
    [x, y, z].iter().all(|c| c.is_finite()).then_some([x, y, z])
}
