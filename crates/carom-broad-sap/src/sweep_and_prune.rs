//! Incremental sweep and prune as a broad phase.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1.1; see `sap.rs` for how it
//! works.

use crate::sap::{MAX_BOXES, Sap};
use crate::settings::SapSettings;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::{Changes, Filter, Found, FoundBy, PairFinder, ProxyTable};

/// Sorted ends on three axes, kept from frame to frame.
///
/// Costs what changes: O(n + s) for s trades of ends, which is little where motion is slow and
/// grows with the number of boxes that pass each other on any axis, wherever they are on the
/// others: about n^(5/3) where everything moves at random. One box that crosses a crowd is
/// expensive, and so is everything that jumps: that frame sorts anew. For few boxes that move
/// slowly, and for few movers among many.
///
/// `SweepAndPrune::new()`, or `SweepAndPrune::with_finder(SortedAxes::new(settings))`.
///
/// Memory: 96 bytes per slot, 17 to 26 per pair, beside that of [`FoundBy`].
pub type SweepAndPrune = FoundBy<SortedAxes>;

/// The finder of [`SweepAndPrune`].
#[derive(Clone, Debug, Default)]
pub struct SortedAxes {
    settings: SapSettings,
    sap: Sap,
    coming: Vec<u32>,
    going: Vec<u32>,
    new: Vec<(u32, Aabb)>,
}

impl SortedAxes {
    /// With these settings.
    pub fn new(settings: SapSettings) -> SortedAxes {
        SortedAxes { settings, sap: Sap::new(settings.skipped_axis), ..SortedAxes::default() }
    }

    /// How many ends have traded places since it exists.
    pub fn n_trades(&self) -> u64 {
        self.sap.counts.trades
    }

    /// How many ends have been looked at since it exists, trades not counted: the n of O(n + s),
    /// six to a box.
    pub fn n_ends(&self) -> u64 {
        self.sap.counts.ends
    }
}

impl PairFinder for SortedAxes {
    const MAX_SLOTS: usize = MAX_BOXES;

    fn came(&mut self, slot: u32, _: &Aabb, _: &Filter) {
        self.coming.push(slot);
    }

    fn moved(&mut self, slot: u32, aabb: &Aabb) {
        // What waits to come has its box read when it comes.
        if self.sap.has(slot) {
            self.sap.set(slot, *aabb);
        }
    }

    fn left(&mut self, slot: u32, _: &Aabb, _: &Filter) {
        // What has not come yet need not go.
        if self.sap.has(slot) {
            self.going.push(slot);
        }
    }

    fn find(&mut self, proxies: &ProxyTable, _: &[u32], found: &mut Found) {
        let SortedAxes { settings, sap, coming, going, new } = self;
        let before = sap.counts;
        // A slot may have been left more than once, and be taken again.
        going.sort_unstable();
        going.dedup();
        coming.sort_unstable();
        coming.dedup();
        new.clear();
        let is_live = |slot: &&u32| proxies.is_live(**slot as usize);
        new.extend(coming.iter().filter(is_live).map(|&slot| (slot, proxies.boxes()[slot as usize])));
        sap.exchange(going, new, settings.max_trades);
        going.clear();
        coming.clear();
        for (a, b) in sap.pairs() {
            found.push(a, b);
        }
        sap.counts.report(&before, found);
        found.candidates += sap.n_pairs() as u64;
    }

    fn bytes(&self) -> usize {
        let SortedAxes { sap, coming, going, new, .. } = self;
        sap.bytes() + 4 * (coming.capacity() + going.capacity()) + new.capacity() * size_of::<(u32, Aabb)>()
    }

    fn validate(&self, _: &ProxyTable, slots: &[u32], _: Changes) -> Result<(), String> {
        if !self.coming.is_empty() || !self.going.is_empty() || self.sap.is_unsettled() {
            return Ok(());
        }
        if self.sap.len() != slots.len() {
            return Err(format!("{} boxes are sorted, {} are live", self.sap.len(), slots.len()));
        }
        self.sap.validate()
    }
}
