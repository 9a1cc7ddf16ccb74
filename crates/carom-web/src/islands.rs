//! Islands: dynamic bodies that touch or are joined, directly or through others. Fixed and
//! kinematic bodies connect nothing.
//!
//! Each pair unites two sets (union-find). A set is identified by its least index.
//!
//! Reference: R. E. Tarjan, J. van Leeuwen, Worst-case analysis of set union algorithms, J. ACM,
//! 1984 (path halving).

use carom_broad::{BroadPhase, Mobility};
use carom_world::{BodyId, World};

/// Disjoint sets of indices; at first each index is a set of its own.
struct Sets(Vec<u32>);

impl Sets {
    /// Returns the least index of a set.
    fn least(&mut self, number: u32) -> u32 {
        let mut at = number as usize;
        while self.0[at] as usize != at {
            self.0[at] = self.0[self.0[at] as usize];
            at = self.0[at] as usize;
        }
        at as u32
    }

    fn unite(&mut self, a: u32, b: u32) {
        let (a, b) = (self.least(a), self.least(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

/// Returns for each index of a body the least index in its island. A body that does not move, and
/// an index without a body, is alone.
pub(crate) fn islands<B: BroadPhase>(world: &World<B>) -> Vec<u32> {
    let n_indices = world.body_ids().last().map_or(0, |id| id.index() + 1);
    let mut sets = Sets((0..n_indices).collect());
    let is_moved = |id: BodyId| world.body(id).is_ok_and(|body| body.mobility() == Mobility::Dynamic);
    let touching = world.contacts().filter(|contact| contact.is_touching && !contact.is_sensor);
    let joined = world.joints().map(|joint| joint.bodies());
    for [a, b] in touching.map(|contact| [contact.a, contact.b]).chain(joined) {
        if is_moved(a) && is_moved(b) {
            sets.unite(a.index(), b.index());
        }
    }
    (0..n_indices).map(|index| sets.least(index)).collect()
}
