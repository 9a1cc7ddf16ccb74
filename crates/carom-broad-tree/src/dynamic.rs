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
use crate::find::{Descent, Found};
use crate::order::SpatialOrder;
use crate::tree::Tree;
use crate::{canonical, find, query};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume};
use carom_broad::{
    BoxHit, BroadPhase, BroadPhaseError, Counters, EventLog, Filter, Groups, Mobility, Pair, PairFilter,
    ProxyId, ProxyTable, SpatialIndex, point_box_distance, ray_box_entry,
};
use carom_math::{Interval, Ray};
use core::ops::ControlFlow;
use glam::Vec3;

/// How a [`DynamicBvh`] goes about it. The pairs do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct TreeSettings {
    /// Keep lists of candidates while motion is coherent. Without, the tree is made anew for every change.
    pub keep_lists: bool,
    /// For how many frames of its own motion a fat box has room; at least 1.
    pub margin_frames: f32,
}

impl Default for TreeSettings {
    fn default() -> TreeSettings {
        TreeSettings { keep_lists: true, margin_frames: 8.0 }
    }
}

impl TreeSettings {
    /// With lists, or without.
    pub const fn with_keep_lists(mut self, keep_lists: bool) -> TreeSettings {
        self.keep_lists = keep_lists;
        self
    }

    /// With room for this many frames.
    pub const fn with_margin_frames(mut self, margin_frames: f32) -> TreeSettings {
        self.margin_frames = margin_frames;
        self
    }
}

/// A list that lived shorter than this was not worth making.
const SHORT_LIFE: u32 = 3;

/// After this many short lives in a row no list is made for a while.
const SHORT_LIVES: u32 = 2;

/// For how many rebuilds, at first and at most.
const LISTLESS: (u32, u32) = (8, 64);

/// Mean motion per frame, as a share of the box's size, above which a list is not even tried.
const JUMP: f64 = 0.2 / 3.0;

/// The most that a mean margin may be, as a share of the size.
const MARGIN_SHARE: f64 = 0.15;

/// Boxes on a tree made anew when it pays; [`BroadPhase`] and [`SpatialIndex`].
///
/// Memory: 144 bytes per box (table 40, fat box 24, place and drift 8, tree 32, ordering 40), 13 per candidate (up to
/// twice the pairs), 20 per pair while searching.
#[derive(Default)]
pub struct DynamicBvh {
    settings: TreeSettings,
    proxies: ProxyTable,
    pair_filter: Option<PairFilter>,
    /// A box's groups are not the default ones; never unset.
    has_groups: bool,
    tree: Tree,
    /// By slot: what the box may move in without leaving the tree; empty for one that is not in the tree.
    fat: Vec<Aabb>,
    /// By slot: where in the tree, or where in `loose`.
    place: Vec<u32>,
    /// By slot: the largest move lately, decaying.
    pace: Vec<f32>,
    /// Live slots that are not in the tree.
    loose: Vec<u32>,
    /// All are, and `loose` is not kept.
    all_loose: bool,
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

/// What decides between lists and none.
#[derive(Clone, Copy, Debug, Default)]
struct Policy {
    /// Frames since the rebuild.
    life: u32,
    has_margins: bool,
    short_lives: u32,
    listless_left: u32,
    penalty: u32,
}

#[derive(Default)]
struct Work {
    order: SpatialOrder,
    descent: Descent,
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

    /// Chooses margins and makes the tree.
    fn rebuild(&mut self) {
        let DynamicBvh { proxies, fat, pace, .. } = self;
        // Motion relative to size, so that neither giants nor bullets decide for all.
        let (mut ratios, mut paces) = (0.0f64, 0.0f64);
        for (aabb, &pace) in proxies.boxes().iter().zip(&*pace) {
            if 0.0 < pace && aabb.min.x <= aabb.max.x {
                let (pace, size) = (f64::from(pace), mean_size(aabb));
                ratios += if pace < size { pace / size } else { 1.0 };
                paces += pace.min(0.1 * size);
            }
        }
        let n_live = (proxies.n_live() as f64).max(1.0);
        let (mean_ratio, mean_pace) = (ratios / n_live, paces / n_live);
        let has_list = self.policy.decide(self.settings.keep_lists, mean_ratio);
        let frames = if has_list && 0.0 < mean_ratio {
            f64::from(self.settings.margin_frames).max(1.0).min(MARGIN_SHARE / mean_ratio)
        } else {
            0.0
        };
        fat.clear();
        fat.extend(proxies.boxes().iter().zip(&*pace).map(|(aabb, &pace)| {
            if 0.0 < pace && 0.0 < frames {
                let margin =
                    (frames * f64::from(pace).max(0.5 * mean_pace)).min(0.25 * mean_size(aabb)) as f32;
                let limit = Vec3::splat(f32::MAX);
                // Rounding to nearest is monotone: the fat box holds the box. An empty box stays empty.
                Aabb { min: (aabb.min - margin).max(-limit), max: (aabb.max + margin).min(limit) }
            } else {
                *aabb
            }
        }));
        self.policy.has_margins = 0.0 < frames;

        let DynamicBvh { tree, work, .. } = self;
        tree.clear();
        let mut is_all_dynamic = true;
        work.order.sort(
            &self.fat,
            |slot| self.proxies.is_live(slot),
            |slot| self.proxies.filters()[slot].mobility == Mobility::Static,
            |class, slots| {
                if class & crate::order::STATIC_CLASS != 0 && is_all_dynamic {
                    is_all_dynamic = false;
                    tree.first_static = tree.slots.len();
                }
                tree.push_slots(slots);
            },
        );
        if is_all_dynamic {
            tree.first_static = tree.slots.len();
        }
        tree.fill(&self.fat);
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
        let Work { descent, found, counts, .. } = work;
        found.clear();
        let (blocks, tests) = descent.run(tree);
        counters.nodes += blocks.len() as u64;
        #[cfg(feature = "parallel")]
        crate::par::open_leaves(tree, blocks, found);
        #[cfg(not(feature = "parallel"))]
        find::open_leaves(tree, blocks, found);
        counters.tests += tests + found.tests;
        let has_groups = self.has_groups;
        candidates.begin(!self.policy.has_margins, |pairs| {
            canonical::sort(found, proxies.n_slots(), counts, pairs);
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

impl Policy {
    /// Whether the next list is worth keeping.
    fn decide(&mut self, keep_lists: bool, mean_ratio: f64) -> bool {
        if self.has_margins {
            self.short_lives = if self.life < SHORT_LIFE { self.short_lives + 1 } else { 0 };
            if self.short_lives == 0 {
                self.penalty = LISTLESS.0;
            }
        }
        self.life = 0;
        if 0 < self.listless_left {
            self.listless_left -= 1;
            return false;
        }
        if SHORT_LIVES <= self.short_lives {
            // One more short life after the pause, and the next pause is twice as long.
            self.short_lives = SHORT_LIVES - 1;
            self.listless_left = self.penalty.max(LISTLESS.0);
            self.penalty = (2 * self.listless_left).min(LISTLESS.1);
            return false;
        }
        keep_lists && mean_ratio <= JUMP
    }
}

/// The mean of the three extents.
#[inline]
fn mean_size(aabb: &Aabb) -> f64 {
    let extents = aabb.max.as_dvec3() - aabb.min.as_dvec3();
    (extents.x + extents.y + extents.z) * (1.0 / 3.0)
}

/// The largest move of a side, finite.
#[inline]
fn largest_move(old: &Aabb, new: &Aabb) -> f32 {
    let (low, high) = ((new.min - old.min).abs(), (new.max - old.max).abs());
    let larger = |x: f32, y: f32| if x < y { y } else { x };
    larger(larger(larger(low.x, high.x), larger(low.y, high.y)), larger(low.z, high.z))
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
        let boxes = proxies.boxes_mut();
        work.escaped.clear();
        work.escaped.resize(moves.len(), 0);
        let (mut n_escaped, mut largest) = (0, 0.0f32);
        for (id, new) in moves {
            let slot = id.index() as usize;
            let step = largest_move(&boxes[slot], new).min(f32::MAX);
            let slowed = 0.9 * pace[slot];
            pace[slot] = if step < slowed { slowed } else { step };
            boxes[slot] = *new;
            let stays = fat[slot].contains(new);
            work.escaped[n_escaped] = slot as u32;
            n_escaped += usize::from(!stays);
            let counted = if stays { step } else { 0.0 };
            largest = if largest < counted { counted } else { largest };
        }
        if self.all_loose {
            return Ok(());
        }
        self.candidates.add_move(largest);
        if limit < n_escaped {
            self.loosen_all();
            return Ok(());
        }
        for i in 0..n_escaped {
            self.evict(self.work.escaped[i]);
        }
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

    fn refresh(&mut self) {
        if self.all_loose || self.loose_limit() < self.loose.len() {
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

    fn aabb(&self, id: ProxyId) -> Result<Aabb, BroadPhaseError> {
        self.proxies.check_id(0, id).map(|index| self.proxies.boxes()[index])
    }

    fn id_at(&self, index: u32) -> Option<ProxyId> {
        self.proxies.id_at(index)
    }

    fn len(&self) -> usize {
        self.proxies.n_live()
    }

    fn counters(&self) -> Counters {
        self.counters
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

    /// The slots that the tree does not hold.
    fn outside_tree(&self) -> impl Iterator<Item = u32> {
        let (all, listed) = if self.all_loose { (self.proxies.n_slots(), 0) } else { (0, self.loose.len()) };
        (0..all as u32)
            .filter(|&slot| self.proxies.is_live(slot as usize))
            .chain(self.loose[..listed].iter().copied())
    }
}

impl SpatialIndex for DynamicBvh {
    fn visit_box(&self, query: &Aabb, visit: &mut dyn FnMut(u32) -> ControlFlow<()>) {
        let boxes = self.proxies.boxes();
        if !self.all_loose && query::visit_box(&self.tree, boxes, query, visit).is_break() {
            return;
        }
        for slot in self.outside_tree() {
            if boxes[slot as usize].overlaps(query) && visit(slot).is_break() {
                return;
            }
        }
    }

    fn visit_ray(
        &self,
        ray: &Ray,
        mut interval: Interval,
        visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
    ) {
        let boxes = self.proxies.boxes();
        if !(ray.origin.is_finite() && ray.direction.is_finite()) {
            return;
        }
        if !self.all_loose {
            match query::visit_ray(&self.tree, boxes, ray, interval, visit) {
                ControlFlow::Continue(end) => interval.max = end,
                ControlFlow::Break(()) => return,
            }
        }
        for slot in self.outside_tree() {
            if let Some(at) = ray_box_entry(ray, &boxes[slot as usize], interval) {
                match visit(BoxHit { index: slot, at }) {
                    ControlFlow::Continue(end) => interval.max = end,
                    ControlFlow::Break(()) => return,
                }
            }
        }
    }

    fn visit_near(
        &self,
        point: Vec3,
        mut max_distance: f32,
        visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
    ) {
        let boxes = self.proxies.boxes();
        if !point.is_finite() {
            return;
        }
        if !self.all_loose {
            match query::visit_near(&self.tree, boxes, point, max_distance, visit) {
                ControlFlow::Continue(end) => max_distance = end,
                ControlFlow::Break(()) => return,
            }
        }
        for slot in self.outside_tree() {
            let at = point_box_distance(point, &boxes[slot as usize]);
            if at <= max_distance {
                match visit(BoxHit { index: slot, at }) {
                    ControlFlow::Continue(end) => max_distance = end,
                    ControlFlow::Break(()) => return,
                }
            }
        }
    }
}
