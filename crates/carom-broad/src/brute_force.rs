//! Every box against every box: the executable specification, and the fastest for a few dozen boxes.
//!
//! The boxes are gathered once per search, coordinate by coordinate, and each is tested against all after it.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1: nm + n(n - 1)/2 tests.
//! Differs: static pairs are tested too and then dropped, like all pairs that their filters do not want.

use crate::proxy::ProxyTable;
use crate::{Found, FoundBy, PairFinder};
use alloc::vec::Vec;

/// All boxes in one list.
///
/// Memory: 28 bytes per slot, beside that of [`FoundBy`].
pub type BruteForce = FoundBy<EveryPair>;

/// The finder of [`BruteForce`].
#[derive(Clone, Debug, Default)]
pub struct EveryPair {
    sides: [Vec<f32>; 6],
}

impl PairFinder for EveryPair {
    fn find(&mut self, proxies: &ProxyTable, slots: &[u32], found: &mut Found) {
        for (side, values) in self.sides.iter_mut().enumerate() {
            values.clear();
            values.extend(slots.iter().map(|&slot| {
                let aabb = &proxies.boxes()[slot as usize];
                if side < 3 { aabb.min[side] } else { aabb.max[side - 3] }
            }));
        }
        let n = slots.len();
        let [min_x, min_y, min_z, max_x, max_y, max_z] = &self.sides;
        for i in 0..n {
            let aabb = proxies.boxes()[slots[i] as usize];
            for j in i + 1..n {
                let touches = (min_x[j] <= aabb.max.x)
                    & (aabb.min.x <= max_x[j])
                    & (min_y[j] <= aabb.max.y)
                    & (aabb.min.y <= max_y[j])
                    & (min_z[j] <= aabb.max.z)
                    & (aabb.min.z <= max_z[j]);
                if touches {
                    found.push(slots[i], slots[j]);
                }
            }
        }
        found.tests += n as u64 * (n as u64).saturating_sub(1) / 2;
        found.nodes += 1;
    }

    fn bytes(&self) -> usize {
        4 * self.sides.iter().map(Vec::capacity).sum::<usize>()
    }
}
