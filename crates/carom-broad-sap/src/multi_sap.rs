//! Regions given by the user, each with its own sweep and prune: ends trade places only within a
//! region.
//!
//! Reference: P. Terdiman, Sweep-and-prune, 2007 (multi-SAP).
//! Differs: boxes that stick out of the union of all regions have a sweep and prune too, so no
//! pair is lost; see `regions.rs`.

use crate::members::Members;
use crate::regions::{Regions, TouchScratch};
use crate::sap::{Counts, MAX_BOXES, Sap};
use crate::settings::SapSettings;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::{Filter, FromFinder, PairBuffer, PairFinder, ProxyChanges, ProxyTable};
#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// Regions, each with three sorted axes. `MultiSap::with_finder(RegionAxes::new(regions,
/// settings))` creates it.
///
/// Memory: 30 bytes per slot and 112 for each region that a box touches. Each pair takes 17 to 26
/// in each region that has it. Add the memory of [`FromFinder`].
pub type MultiSap = FromFinder<RegionAxes>;

/// The finder of [`MultiSap`].
#[derive(Clone, Debug)]
pub struct RegionAxes {
    regions: Regions,
    settings: SapSettings,
    /// One per region, and one for boxes that stick out.
    parts: Vec<RegionSap>,
    /// By slot: the regions and the box numbers there, in the order of the regions.
    memberships: Vec<Vec<(u32, u32)>>,
    members: Members,
    touched: TouchScratch,
    current: Vec<u32>,
    numbers: Vec<(u32, u32)>,
}

/// The sweep and prune of a region, with its own numbering of boxes.
#[derive(Clone, Debug, Default)]
struct RegionSap {
    sap: Sap,
    slots: Vec<u32>,
    free: Vec<u32>,
    removed: Vec<u32>,
    inserted: Vec<(u32, Aabb)>,
}

impl RegionSap {
    fn take_number(&mut self, slot: u32) -> u32 {
        match self.free.pop() {
            Some(number) => {
                self.slots[number as usize] = slot;
                number
            }
            None => {
                self.slots.push(slot);
                self.slots.len() as u32 - 1
            }
        }
    }

    fn bytes(&self) -> usize {
        let RegionSap { sap, slots, free, removed: going, inserted: coming } = self;
        sap.bytes()
            + 4 * (slots.capacity() + free.capacity() + going.capacity())
            + coming.capacity() * size_of::<(u32, Aabb)>()
    }

    fn flush(&mut self, max_trades: u32) {
        self.sap.exchange(&self.removed, &self.inserted, max_trades);
        self.free.append(&mut self.removed);
        self.inserted.clear();
    }
}

impl Default for RegionAxes {
    /// Returns a finder without regions, in which every box sticks out.
    fn default() -> RegionAxes {
        RegionAxes::new(Regions::default(), SapSettings::default())
    }
}

impl RegionAxes {
    /// Creates a finder with these regions and settings.
    pub fn new(regions: Regions, settings: SapSettings) -> RegionAxes {
        let part = || RegionSap { sap: Sap::new(settings.skipped_axis), ..RegionSap::default() };
        RegionAxes {
            parts: (0..=regions.len()).map(|_| part()).collect(),
            regions,
            settings,
            memberships: Vec::new(),
            members: Members::default(),
            touched: TouchScratch::default(),
            current: Vec::new(),
            numbers: Vec::new(),
        }
    }

    /// Returns the sum of the counts of all regions.
    fn counts(&self) -> Counts {
        self.parts.iter().fold(Counts::default(), |all, part| all.plus(&part.sap.counts))
    }

    /// Passes insertions, removals and moves to the regions.
    fn sort_in(&mut self, proxies: &ProxyTable) {
        let RegionAxes { regions, parts, memberships, members, touched, current: now, numbers, .. } = self;
        for &slot in members.changed() {
            let aabb = proxies.boxes()[slot as usize];
            now.clear();
            if members.has(slot) {
                regions.touched(&aabb, touched, |region| now.push(region));
            }
            // Both lists are in the order of the regions.
            numbers.clear();
            let before = &mut memberships[slot as usize];
            let mut old = before.iter().copied().peekable();
            for &region in now.iter() {
                while let Some((gone, number)) = old.next_if(|&(other, _)| other < region) {
                    parts[gone as usize].removed.push(number);
                }
                let part = &mut parts[region as usize];
                if let Some((_, number)) = old.next_if(|&(other, _)| other == region) {
                    part.sap.set_box(number, aabb);
                    numbers.push((region, number));
                } else {
                    let number = part.take_number(slot);
                    part.inserted.push((number, aabb));
                    numbers.push((region, number));
                }
            }
            for (gone, number) in old {
                parts[gone as usize].removed.push(number);
            }
            before.clear();
            before.extend_from_slice(numbers);
        }
        members.clear_changed();
    }
}

impl PairFinder for RegionAxes {
    const MAY_REPEAT: bool = true;
    const MAX_SLOTS: usize = MAX_BOXES;

    fn on_insert(&mut self, slot: u32, _: &Aabb, _: &Filter) {
        self.members.set(slot, true);
        let n_slots = self.memberships.len().max(slot as usize + 1);
        self.memberships.resize_with(n_slots, Vec::new);
    }

    fn on_move(&mut self, slot: u32, _: &Aabb) {
        self.members.note_change(slot);
    }

    fn on_remove(&mut self, slot: u32, _: &Aabb, _: &Filter) {
        self.members.set(slot, false);
    }

    fn find(&mut self, proxies: &ProxyTable, _: &[u32], found: &mut PairBuffer) {
        self.sort_in(proxies);
        let before = self.counts();
        let max_trades = self.settings.max_trades;
        #[cfg(feature = "parallel")]
        self.parts.par_iter_mut().for_each(|part| part.flush(max_trades));
        #[cfg(not(feature = "parallel"))]
        self.parts.iter_mut().for_each(|part| part.flush(max_trades));
        for RegionSap { sap, slots, .. } in &self.parts {
            for (a, b) in sap.pairs() {
                found.push(slots[a as usize], slots[b as usize]);
            }
            found.candidates += sap.n_pairs() as u64;
        }
        self.counts().report(&before, found);
    }

    fn bytes(&self) -> usize {
        let RegionAxes { regions, parts, memberships, members, touched, current: now, numbers, .. } = self;
        let of_lists = 8 * memberships.iter().map(Vec::capacity).sum::<usize>();
        regions.bytes()
            + touched.bytes()
            + parts.iter().map(RegionSap::bytes).sum::<usize>()
            + parts.capacity() * size_of::<RegionSap>()
            + memberships.capacity() * size_of::<Vec<(u32, u32)>>()
            + of_lists
            + members.bytes()
            + 4 * now.capacity()
            + 8 * numbers.capacity()
    }

    fn validate(&self, _: &ProxyTable, _: &[u32], _: ProxyChanges) -> Result<(), String> {
        if !self.members.changed().is_empty() {
            return Ok(());
        }
        for (region, part) in self.parts.iter().enumerate() {
            part.sap.validate().map_err(|error| format!("region {region}: {error}"))?;
        }
        for (slot, members) in self.memberships.iter().enumerate() {
            for &(region, number) in members {
                let part = &self.parts[region as usize];
                if !part.sap.has(number) || part.slots[number as usize] as usize != slot {
                    return Err(format!("slot {slot} is not box {number} of region {region}"));
                }
            }
        }
        Ok(())
    }
}
