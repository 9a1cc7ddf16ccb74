//! Incremental sweep and prune as a broad phase.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1.1; see `sap.rs` for how it
//! works.

use crate::members::Members;
use crate::sap::{MAX_BOXES, Sap};
use crate::settings::SapSettings;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::{Filter, FromFinder, PairBuffer, PairFinder, ProxyChanges, ProxyTable};

/// Sorted ends on three axes, kept from frame to frame.
///
/// The cost is O(n + s) for s trades of ends. It is small for slow motion. It grows with the
/// number of boxes that pass each other on any axis, even if they are far apart on the others.
/// Slow random motion of all boxes costs about n^(5/3) (test:
/// `counts::trades_grow_with_the_power_five_thirds`). One box that crosses a crowd is expensive. A
/// frame in which everything jumps sorts from scratch. It suits few boxes that move slowly, and
/// few movers among many.
///
/// `SweepAndPrune::new()` creates it, or `SweepAndPrune::with_finder(SortedAxes::new(settings))`.
///
/// Memory: 102 bytes per slot, 17 to 26 per pair, beside that of [`FromFinder`].
pub type SweepAndPrune = FromFinder<SortedAxes>;

/// The finder of [`SweepAndPrune`].
#[derive(Clone, Debug, Default)]
pub struct SortedAxes {
    settings: SapSettings,
    sap: Sap,
    members: Members,
    removed: Vec<u32>,
    inserted: Vec<(u32, Aabb)>,
}

impl SortedAxes {
    /// Creates a finder with these settings.
    pub fn new(settings: SapSettings) -> SortedAxes {
        SortedAxes { settings, sap: Sap::new(settings.skipped_axis), ..SortedAxes::default() }
    }

    /// Returns how many ends have traded places since it was created.
    pub fn n_trades(&self) -> u64 {
        self.sap.counts.trades
    }

    /// Returns how many ends were visited since it was created, without trades: the n of O(n + s),
    /// six per box.
    pub fn n_ends(&self) -> u64 {
        self.sap.counts.ends
    }
}

impl PairFinder for SortedAxes {
    const MAX_SLOTS: usize = MAX_BOXES;

    fn on_insert(&mut self, slot: u32, _: &Aabb, _: &Filter) {
        self.members.set(slot, true);
    }

    fn on_move(&mut self, slot: u32, aabb: &Aabb) {
        // A pending insertion reads its box later.
        if self.sap.has(slot) {
            self.sap.set_box(slot, *aabb);
        }
    }

    fn on_remove(&mut self, slot: u32, _: &Aabb, _: &Filter) {
        self.members.set(slot, false);
    }

    fn find(&mut self, proxies: &ProxyTable, _: &[u32], found: &mut PairBuffer) {
        let SortedAxes { settings, sap, members, removed, inserted } = self;
        let before = sap.counts;
        // A slot that was freed and reused is in both lists.
        members.sort_changed();
        let changed = members.changed();
        removed.clear();
        removed.extend(changed.iter().copied().filter(|&slot| sap.has(slot)));
        inserted.clear();
        let box_of = |&slot: &u32| (slot, proxies.boxes()[slot as usize]);
        inserted.extend(changed.iter().filter(|&&slot| members.has(slot)).map(box_of));
        members.clear_changed();
        sap.exchange(removed, inserted, settings.max_trades);
        for (a, b) in sap.pairs() {
            found.push(a, b);
        }
        sap.counts.report(&before, found);
        found.candidates += sap.n_pairs() as u64;
    }

    fn bytes(&self) -> usize {
        let SortedAxes { sap, members, removed, inserted, .. } = self;
        sap.bytes()
            + members.bytes()
            + 4 * removed.capacity()
            + inserted.capacity() * size_of::<(u32, Aabb)>()
    }

    fn validate(&self, _: &ProxyTable, slots: &[u32], _: ProxyChanges) -> Result<(), String> {
        if !self.members.changed().is_empty() || self.sap.is_unsettled() {
            return Ok(());
        }
        if self.sap.len() != slots.len() {
            return Err(format!("{} boxes are sorted, {} are live", self.sap.len(), slots.len()));
        }
        self.sap.validate()
    }
}
