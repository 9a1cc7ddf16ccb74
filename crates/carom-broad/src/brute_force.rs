//! Tests every moving box against every box. It is the executable specification, and the fastest
//! for a few dozen boxes.
//!
//! Each search gathers the boxes coordinate by coordinate, the moving ones first. Each moving box
//! is tested against all boxes after it, so no two static boxes are tested.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1, eq. 25.1: nm + n(n - 1)/2
//! tests of n moving and m static boxes.

use crate::proxy::ProxyTable;
use crate::{FromFinder, Mobility, PairBuffer, PairFinder};
use alloc::vec::Vec;

/// All boxes in one list.
///
/// Memory: 28 bytes per slot, beside that of [`FromFinder`].
pub type BruteForce = FromFinder<EveryPair>;

/// The finder of [`BruteForce`].
#[derive(Clone, Debug, Default)]
pub struct EveryPair {
    /// The moving boxes, then the static ones.
    slots: Vec<u32>,
    sides: [Vec<f32>; 6],
}

impl PairFinder for EveryPair {
    const SKIPS_STATICS: bool = true;

    fn find(&mut self, proxies: &ProxyTable, slots: &[u32], found: &mut PairBuffer) {
        let is_static = |slot: &u32| proxies.filters()[*slot as usize].mobility == Mobility::Fixed;
        self.slots.clear();
        self.slots.extend(slots.iter().filter(|slot| !is_static(slot)));
        let n = self.slots.len();
        self.slots.extend(slots.iter().filter(|slot| is_static(slot)));
        for (side, values) in self.sides.iter_mut().enumerate() {
            values.clear();
            values.extend(self.slots.iter().map(|&slot| {
                let aabb = &proxies.boxes()[slot as usize];
                if side < 3 { aabb.min[side] } else { aabb.max[side - 3] }
            }));
        }
        let [min_x, min_y, min_z, max_x, max_y, max_z] = &self.sides;
        for i in 0..n {
            let aabb = proxies.boxes()[self.slots[i] as usize];
            for j in i + 1..self.slots.len() {
                let touches = (min_x[j] <= aabb.max.x)
                    & (aabb.min.x <= max_x[j])
                    & (min_y[j] <= aabb.max.y)
                    & (aabb.min.y <= max_y[j])
                    & (min_z[j] <= aabb.max.z)
                    & (aabb.min.z <= max_z[j]);
                if touches {
                    found.push(self.slots[i], self.slots[j]);
                }
            }
        }
        let (n, m) = (n as u64, (self.slots.len() - n) as u64);
        found.tests += n * m + n * n.saturating_sub(1) / 2;
        found.nodes += 1;
    }

    fn bytes(&self) -> usize {
        4 * (self.slots.capacity() + self.sides.iter().map(Vec::capacity).sum::<usize>())
    }
}
