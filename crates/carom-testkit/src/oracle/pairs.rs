//! Every box against every box.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1 (n^2 tests).

use carom_bounds::Aabb;
use carom_broad::{Filter, Mobility, Pair};

/// Returns the pairs that touch, sorted. `boxes[i]` is the proxy with index i, `None` a free index.
pub fn touching(boxes: &[Option<(Aabb, Filter)>]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (a, first) in boxes.iter().enumerate() {
        for (b, second) in boxes.iter().enumerate().skip(a + 1) {
            let (Some((box_a, filter_a)), Some((box_b, filter_b))) = (first, second) else { continue };
            let apart =
                (0..3).any(|axis| box_a.max[axis] < box_b.min[axis] || box_b.max[axis] < box_a.min[axis]);
            let both_static = filter_a.mobility == Mobility::Fixed && filter_b.mobility == Mobility::Fixed;
            let strangers = (filter_a.membership & filter_b.mask).is_empty()
                || (filter_b.membership & filter_a.mask).is_empty();
            if !(apart || both_static || strangers) {
                pairs.push(Pair { a: a as u32, b: b as u32 });
            }
        }
    }
    pairs
}
