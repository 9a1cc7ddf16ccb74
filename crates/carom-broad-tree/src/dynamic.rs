//! A broad phase over a tree of boxes, fast when things move a little and when everything jumps.
//!
//! Boxes that move a little stay within fat boxes; the tree over the fat boxes and the list of [`Candidates`] found in
//! it are kept for many frames. A box that leaves its fat box is loose until the next rebuild: it asks the tree by
//! itself. When many are loose, the tree is made anew, which costs no more than a sort. When boxes move so far that
//! lists die young, no list is kept: the tree is made over the exact boxes and gives the pairs as they are.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1.3 (dynamic trees with fat boxes).
//! Differs: rebuilt instead of repaired, so its quality never decays; margins follow each box's own motion; pairs are
//! exact, whatever the margins.

use crate::candidates::Candidates;
use crate::find::{Descent, Tasks, all_pairs};
use crate::ingest::Ingest;
use crate::order::SpatialOrder;
use crate::policy::{Policy, TreeSettings};
use crate::query;
use crate::tree::Tree;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume};
use carom_broad::{
    BroadPhase, BroadPhaseError, Contents, Counters, EventLog, Filter, Found, Groups, Mobility, Pair,
    PairFilter, ProxyId, ProxyTable, sort_pairs,
};
use carom_lanes::dispatch;
use core::ops::ControlFlow;
use glam::Vec3;

/// Boxes looked at to learn how things move.
const N_SAMPLES: u64 = 1024;

/// Boxes on a tree made anew when it pays; [`BroadPhase`] and [`SpatialIndex`](carom_broad::SpatialIndex).
///
/// Memory: 144 bytes per box (table 40, fat box 24, place and drift 8, tree 32, ordering 40), 13 per candidate (up to
/// twice the pairs), 20 per pair while searching.
#[derive(Default)]
pub struct DynamicBvh {
    settings: TreeSettings,
    pub(crate) proxies: ProxyTable,
    pair_filter: Option<PairFilter>,
    /// A box's groups are not the default ones; never unset.
    has_groups: bool,
    pub(crate) tree: Tree,
    /// By slot: what the box may move in without leaving the tree; empty for one that is not in the tree.
    fat: Vec<Aabb>,
    /// By slot: where in the tree, or where in `loose`.
    place: Vec<u32>,
    /// By slot: the largest move lately, decaying.
    pace: Vec<f32>,
    /// Live slots that are not in the tree.
    pub(crate) loose: Vec<u32>,
    /// All are, and `loose` is not kept.
    pub(crate) all_loose: bool,
    candidates: Candidates,
    /// The list was not yet found in this tree.
    needs_list: bool,
    /// Slots left the list.
    has_dead: bool,
    is_changed: bool,
    policy: Policy,
    work: Work,
    counters: Counters,
    log: EventLog,
}

#[derive(Default)]
struct Work {
    order: SpatialOrder,
    descent: Descent,
    tasks: Tasks,
    found: Found,
    counts: Vec<u32>,
    escaped: Vec<u32>,
    sweep: Vec<u32>,
    loose_pairs: Vec<Pair>,
    pairs: Vec<Pair>,
}

impl DynamicBvh {
    /// No boxes.
    pub fn new() -> DynamicBvh {
        DynamicBvh::default()
    }

    /// No boxes, other settings.
    pub fn with_settings(settings: TreeSettings) -> DynamicBvh {
        DynamicBvh { settings, ..DynamicBvh::default() }
    }

    /// The most loose boxes before the tree is made anew.
    fn loose_limit(&self) -> usize {
        (self.proxies.n_live() / 32).max(32)
    }

    #[inline]
    fn is_resident(&self, slot: u32) -> bool {
        self.fat[slot as usize].min.x <= self.fat[slot as usize].max.x
    }

    /// From the tree to the loose ones.
    fn evict(&mut self, slot: u32) {
        if self.all_loose || !self.is_resident(slot) {
            return;
        }
        self.tree.clear_lane(self.place[slot as usize]);
        self.fat[slot as usize] = Aabb::EMPTY;
        self.place[slot as usize] = self.loose.len() as u32;
        self.loose.push(slot);
        self.has_dead = true;
    }

    /// The tree is of no use any more.
    fn loosen_all(&mut self) {
        self.all_loose = true;
        self.loose.clear();
    }

    fn note_groups(&mut self, filter: &Filter) {
        self.has_groups |= filter.membership.is_empty() || filter.mask != Groups::all();
    }

    /// The mean motion per frame of a sample: relative to size, so that neither giants nor bullets decide for all, and
    /// as a length, of which at most a tenth of the size counts.
    fn sample_motion(&self) -> (f64, f64) {
        let n_slots = self.proxies.n_slots() as u64;
        let (mut n, mut ratios, mut paces) = (0, 0.0f64, 0.0f64);
        for i in 0..N_SAMPLES.min(n_slots) {
            // Multiples of the golden ratio: no pattern in the numbering survives.
            let slot = if n_slots <= N_SAMPLES {
                i
            } else {
                ((i.wrapping_mul(0x9e37_79b9) & 0xffff_ffff) * n_slots) >> 32
            };
            let slot = slot as usize;
            if !self.proxies.is_live(slot) {
                continue;
            }
            n += 1;
            if 0.0 < self.pace[slot] {
                let (pace, size) =
                    (f64::from(self.pace[slot]), f64::from(mean_size(&self.proxies.boxes()[slot])));
                ratios += if pace < size { pace / size } else { 1.0 };
                paces += pace.min(0.1 * size);
            }
        }
        let n = f64::from(n.max(1));
        (ratios / n, paces / n)
    }

    /// Chooses margins and makes the tree.
    fn rebuild(&mut self) {
        let (mean_ratio, mean_pace) = self.sample_motion();
        let frames = self.policy.begin(&self.settings, mean_ratio, self.proxies.n_live());
        let DynamicBvh { proxies, fat, pace, .. } = self;
        fat.clear();
        fat.extend_from_slice(proxies.boxes());
        if 0.0 < frames {
            let limit = Vec3::splat(f32::MAX);
            let (frames, least) = (frames as f32, 0.5 * mean_pace as f32);
            for (fat, &pace) in fat.iter_mut().zip(&*pace) {
                if 0.0 < pace {
                    let margin = (frames * pace.max(least)).min(0.25 * mean_size(fat));
                    // Rounding to nearest is monotone: the fat box holds the box.
                    *fat = Aabb { min: (fat.min - margin).max(-limit), max: (fat.max + margin).min(limit) };
                }
            }
        }

        let DynamicBvh { tree, work, .. } = self;
        tree.rebuild(
            &mut work.order,
            &self.fat,
            |slot| self.proxies.is_live(slot),
            |slot| self.proxies.filters()[slot].mobility == Mobility::Static,
        );
        for (block, slots) in tree.slots.iter().enumerate() {
            for (lane, &slot) in slots.iter().enumerate() {
                if let Some(place) = self.place.get_mut(slot as usize) {
                    *place = (block * slots.len() + lane) as u32;
                }
            }
        }
        self.loose.clear();
        self.all_loose = false;
        self.needs_list = true;
        self.has_dead = false;
        self.candidates.restart_drift();
        self.counters.rebuilds += 1;
    }

    /// Finds the candidates in the tree.
    fn find_list(&mut self) {
        let DynamicBvh { tree, work, candidates, proxies, counters, .. } = self;
        let Work { descent, tasks, found, counts, .. } = work;
        found.clear();
        all_pairs(tree, descent, tasks, found);
        counters.nodes += found.nodes;
        counters.tests += found.tests;
        let has_groups = self.has_groups;
        candidates.begin(!self.policy.has_margins, |pairs| {
            sort_pairs(found.low(), found.high(), proxies.n_slots(), counts, pairs);
            if has_groups {
                let filters = proxies.filters();
                pairs.retain(|pair| filters[pair.a as usize].meets(&filters[pair.b as usize]));
            }
        });
        self.needs_list = false;
        self.has_dead = false;
    }

    /// The pairs that loose boxes are in, sorted.
    fn find_loose(&mut self) {
        let DynamicBvh { tree, work, proxies, loose, counters, .. } = self;
        let Work { sweep, loose_pairs, .. } = work;
        let (boxes, filters) = (proxies.boxes(), proxies.filters());
        loose_pairs.clear();
        for &slot in &*loose {
            // The tree holds no loose boxes.
            let _ = query::visit_box(tree, boxes, &boxes[slot as usize], &mut |other| {
                if filters[slot as usize].meets(&filters[other as usize]) {
                    loose_pairs.push(Pair::new(slot, other));
                }
                ControlFlow::Continue(())
            });
        }
        // Loose against loose: sorted along x and swept.
        sweep.clear();
        sweep.extend_from_slice(loose);
        sweep.sort_unstable_by(|&i, &j| {
            boxes[i as usize].min.x.total_cmp(&boxes[j as usize].min.x).then(i.cmp(&j))
        });
        for (place, &i) in sweep.iter().enumerate() {
            let aabb = &boxes[i as usize];
            for &j in &sweep[place + 1..] {
                if aabb.max.x < boxes[j as usize].min.x {
                    break;
                }
                counters.tests += 1;
                if aabb.overlaps(&boxes[j as usize]) && filters[i as usize].meets(&filters[j as usize]) {
                    loose_pairs.push(Pair::new(i, j));
                }
            }
        }
        loose_pairs.sort_unstable();
    }
}

/// The mean of the three extents, finite; negative for the empty box.
#[inline]
fn mean_size(aabb: &Aabb) -> f32 {
    let extents = (aabb.max - aabb.min) * (1.0 / 3.0);
    (extents.x + extents.y + extents.z).min(f32::MAX)
}

/// Merges sorted `extra` into sorted `out`, from the back and in whole stretches.
fn merge(out: &mut Vec<Pair>, extra: &[Pair]) {
    let mut kept = out.len();
    out.resize(kept + extra.len(), Pair { a: 0, b: 0 });
    let mut end = out.len();
    for &pair in extra.iter().rev() {
        let first = out[..kept].partition_point(|&other| other < pair);
        let n = kept - first;
        out.copy_within(first..kept, end - n);
        end -= n;
        kept = first;
        end -= 1;
        out[end] = pair;
    }
}

impl BroadPhase for DynamicBvh {
    fn insert(&mut self, aabb: Aabb, filter: Filter) -> Result<ProxyId, BroadPhaseError> {
        let id = self.proxies.insert(aabb, filter)?;
        self.admit(id, &filter);
        Ok(id)
    }

    fn insert_batch(
        &mut self,
        boxes: &[(Aabb, Filter)],
        ids: &mut Vec<ProxyId>,
    ) -> Result<(), BroadPhaseError> {
        let first = ids.len();
        self.proxies.insert_batch(boxes, ids)?;
        for (id, (_, filter)) in ids[first..].iter().zip(boxes) {
            self.admit(*id, filter);
        }
        Ok(())
    }

    fn remove_batch(&mut self, ids: &[ProxyId]) -> Result<(), BroadPhaseError> {
        self.proxies.remove_batch(ids)?;
        for id in ids {
            let slot = id.index();
            self.log.note_removed(slot);
            self.pace[slot as usize] = 0.0;
            self.is_changed = true;
            if self.all_loose {
                self.fat[slot as usize] = Aabb::EMPTY;
                continue;
            }
            self.evict(slot);
            let place = self.place[slot as usize] as usize;
            self.loose.swap_remove(place);
            if let Some(&moved) = self.loose.get(place) {
                self.place[moved as usize] = place as u32;
            }
        }
        Ok(())
    }

    fn update(&mut self, moves: &[(ProxyId, Aabb)]) -> Result<(), BroadPhaseError> {
        self.proxies.check_moves(moves)?;
        if moves.is_empty() {
            return Ok(());
        }
        self.is_changed = true;
        let limit = self.loose_limit();
        let DynamicBvh { proxies, fat, pace, work, .. } = self;
        let ingest = Ingest { moves, boxes: proxies.boxes_mut(), fat, pace, escaped: &mut work.escaped };
        let largest = dispatch(ingest);
        if self.all_loose {
            return Ok(());
        }
        self.candidates.add_move(largest);
        let escaped = core::mem::take(&mut self.work.escaped);
        if limit < escaped.len() {
            self.loosen_all();
        } else {
            escaped.iter().for_each(|&slot| self.evict(slot));
        }
        self.work.escaped = escaped;
        Ok(())
    }

    fn set_filter(&mut self, id: ProxyId, filter: Filter) -> Result<(), BroadPhaseError> {
        self.proxies.set_filter(id, filter)?;
        self.note_groups(&filter);
        // Loose boxes ask their filters in every frame.
        self.evict(id.index());
        self.is_changed = true;
        Ok(())
    }

    fn set_pair_filter(&mut self, filter: Option<PairFilter>) {
        self.pair_filter = filter;
    }

    fn hand_over(&mut self) -> Contents {
        let settings = self.settings;
        let DynamicBvh { proxies, pair_filter, log, .. } =
            core::mem::replace(self, DynamicBvh::with_settings(settings));
        Contents::new(proxies, pair_filter, log)
    }

    fn take_over(&mut self, contents: Contents) {
        self.hand_over();
        (self.proxies, self.pair_filter, self.log) = (contents.proxies, contents.pair_filter, contents.log);
        let n_slots = self.proxies.n_slots();
        self.fat.resize(n_slots, Aabb::EMPTY);
        self.place.resize(n_slots, 0);
        self.pace.resize(n_slots, 0.0);
        for slot in 0..n_slots {
            if self.proxies.is_live(slot) {
                let filter = self.proxies.filters()[slot];
                self.note_groups(&filter);
            }
        }
        self.is_changed = true;
        self.loosen_all();
    }

    fn refresh(&mut self) {
        let is_too_wide = self.policy.is_too_wide(self.proxies.n_live());
        if self.all_loose || self.loose_limit() < self.loose.len() || is_too_wide {
            self.rebuild();
        }
    }

    fn pairs(&mut self, out: &mut Vec<Pair>) {
        self.refresh();
        let rebuilds = self.counters.rebuilds;
        self.counters = Counters::default();
        self.counters.rebuilds = rebuilds;
        if self.is_changed {
            self.policy.life = self.policy.life.saturating_add(1);
            self.is_changed = false;
        }
        if self.needs_list {
            self.find_list();
        }
        if self.has_dead {
            let fat = &self.fat;
            self.candidates.bury(|slot| fat[slot as usize].min.x <= fat[slot as usize].max.x);
            self.has_dead = false;
        }
        self.counters.tests += self.candidates.recheck(self.proxies.boxes());
        out.clear();
        self.candidates.emit(out);
        self.policy.waste += (self.candidates.len() - out.len()) as u64;
        if !self.loose.is_empty() {
            self.find_loose();
            merge(out, &self.work.loose_pairs);
        }
        if let Some(keep) = &self.pair_filter {
            out.retain(|&pair| keep(pair));
        }
        self.counters.candidates = self.candidates.len() as u64;
        self.counters.pairs = out.len() as u64;
    }

    fn event_log(&mut self) -> (&mut EventLog, &mut Vec<Pair>) {
        (&mut self.log, &mut self.work.pairs)
    }

    fn proxies(&self) -> &ProxyTable {
        &self.proxies
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn visit_volumes(&self, visit: &mut dyn FnMut(usize, &Aabb)) {
        if !self.all_loose {
            self.tree.visit_volumes(visit);
        }
    }

    fn validate(&self) -> Result<(), String> {
        self.proxies.validate()?;
        let n_slots = self.proxies.n_slots();
        if [self.fat.len(), self.place.len(), self.pace.len()] != [n_slots; 3] {
            return Err(format!("tables of different length; {n_slots} slots"));
        }
        if self.all_loose {
            return Ok(());
        }
        self.tree.validate(self.proxies.boxes())?;
        let mut n_loose = 0;
        for slot in 0..n_slots as u32 {
            let place = self.place[slot as usize] as usize;
            let is_there = if self.is_resident(slot) {
                self.proxies.is_live(slot as usize)
                    && self.tree.slots.as_flattened().get(place) == Some(&slot)
                    && self.fat[slot as usize].contains(&self.proxies.boxes()[slot as usize])
            } else if self.proxies.is_live(slot as usize) {
                n_loose += 1;
                self.loose.get(place) == Some(&slot)
            } else {
                true
            };
            if !is_there {
                return Err(format!("slot {slot} is not at place {place}"));
            }
        }
        if n_loose != self.loose.len() {
            return Err(format!("{} in the loose list, {n_loose} loose", self.loose.len()));
        }
        let is_current = !(self.is_changed || self.needs_list || self.has_dead);
        self.candidates.validate(self.proxies.boxes(), is_current)
    }
}

impl DynamicBvh {
    /// A new box is loose.
    fn admit(&mut self, id: ProxyId, filter: &Filter) {
        let slot = id.index() as usize;
        let n_slots = self.proxies.n_slots();
        self.fat.resize(n_slots, Aabb::EMPTY);
        self.place.resize(n_slots, 0);
        self.pace.resize(n_slots, 0.0);
        self.fat[slot] = Aabb::EMPTY;
        self.note_groups(filter);
        self.is_changed = true;
        if !self.all_loose {
            self.place[slot] = self.loose.len() as u32;
            self.loose.push(slot as u32);
        }
    }
}
