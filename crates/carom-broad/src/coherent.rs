//! A broad phase around any index of boxes, fast when things move a little and when everything jumps.
//!
//! Boxes that move a little stay within fat boxes; the index of the fat boxes and the list of [`Candidates`] found in
//! it are kept for many frames. A box that leaves its fat box is loose until the next rebuild: it asks the index by
//! itself. When many are loose, the index is made anew, which costs no more than a sort. When boxes move so far that
//! lists die young, no list is kept: the index is made of the exact boxes and gives the pairs as they are.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1.3 (dynamic trees with fat boxes).
//! Differs: rebuilt instead of repaired, so the index never decays; margins follow each box's own motion; pairs are
//! exact, whatever the margins.

mod candidates;
mod ingest;
mod policy;
mod queries;

pub use policy::CoherentSettings;

use crate::{
    BoxHit, BroadPhase, BroadPhaseError, Contents, Counters, EventLog, Filter, Found, Groups, Mobility, Pair,
    PairFilter, ProxyId, ProxyTable, sort_pairs,
};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use candidates::Candidates;
use carom_bounds::{Aabb, BoundingVolume, Culling};
use carom_lanes::dispatch;
use carom_math::{Interval, Ray};
use core::ops::ControlFlow;
use glam::Vec3;
use ingest::Ingest;
use policy::{Motion, Policy};

/// Boxes looked at to learn how things move.
const N_SAMPLES: u64 = 1024;

/// What an index holds: the live boxes that are within their fat boxes.
#[derive(Clone, Copy, Debug)]
pub struct Residents<'a> {
    boxes: &'a [Aabb],
    fat: &'a [Aabb],
}

impl<'a> Residents<'a> {
    /// The exact boxes by slot.
    #[inline]
    pub fn boxes(self) -> &'a [Aabb] {
        self.boxes
    }

    /// The index still holds the box of this slot.
    #[inline]
    pub fn has(self, slot: u32) -> bool {
        let fat = &self.fat[slot as usize];
        fat.min.x <= fat.max.x
    }

    /// Their slots, in order.
    pub fn slots(self) -> impl Iterator<Item = u32> {
        (0..self.fat.len() as u32).filter(move |&slot| self.has(slot))
    }
}

/// An index of fat boxes that is made anew now and then and kept in between.
///
/// Boxes that leave their fat boxes are told to [`FatIndex::forget`]; they are no [`Residents`] from then on. In the visits what is
/// visited is decided on the exact boxes, as [`SpatialIndex`](crate::SpatialIndex) says it, and only residents are.
pub trait FatIndex: Default {
    /// Is made anew of these boxes, [`Aabb::EMPTY`] in slots that are not live. `are_statics_same`: static boxes, and which
    /// boxes are static, are what they were the last time.
    fn rebuild(&mut self, fat: &[Aabb], proxies: &ProxyTable, are_statics_same: bool);

    /// Adds every pair of touching fat boxes once, but for pairs of two static ones, to `found`. Pairs of what was forgotten do not
    /// matter.
    fn find(&mut self, found: &mut Found);

    /// The box of a slot left.
    fn forget(&mut self, slot: u32) {
        let _ = slot;
    }

    /// Visits the slots whose boxes touch the query.
    fn visit_box(
        &self,
        residents: Residents<'_>,
        query: &Aabb,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()>;

    /// Visits the slots whose boxes are not called outside.
    fn visit_culled(
        &self,
        residents: Residents<'_>,
        classify: &mut dyn FnMut(&Aabb) -> Culling,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()>;

    /// Visits the slots whose boxes the ray meets, and gives back the end of the interval.
    fn visit_ray(
        &self,
        residents: Residents<'_>,
        ray: &Ray,
        interval: Interval,
        visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
    ) -> ControlFlow<(), f32>;

    /// Visits the slots whose boxes are near the finite point, and gives back the largest distance that still counts.
    fn visit_near(
        &self,
        residents: Residents<'_>,
        point: Vec3,
        max_distance: f32,
        visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
    ) -> ControlFlow<(), f32>;

    /// As [`BroadPhase::visit_volumes`].
    fn visit_volumes(&self, visit: &mut dyn FnMut(usize, &Aabb)) {
        let _ = visit;
    }

    /// Bytes of memory in use or kept.
    fn bytes(&self) -> usize;

    /// Checks that it holds the residents, each somewhere in its fat box. Slow; for tests.
    fn validate(&self, residents: Residents<'_>) -> Result<(), String>;
}

/// Boxes in an index made anew when it pays; [`BroadPhase`] and [`SpatialIndex`](crate::SpatialIndex).
///
/// Memory: 76 bytes per box (table 40, fat box 24, place, pace and count 12), 13 per candidate (up to twice the pairs), 20 per pair
/// while searching, and the index.
#[derive(Default)]
pub struct Coherent<I> {
    settings: CoherentSettings,
    proxies: ProxyTable,
    pair_filter: Option<PairFilter>,
    /// A box's groups are not the default ones; never unset.
    has_groups: bool,
    index: I,
    /// By slot: what the box may move in without leaving the index; empty for one that is not in it.
    fat: Vec<Aabb>,
    /// By slot: where in `loose`, for one that is there.
    place: Vec<u32>,
    /// By slot: the largest move lately, decaying.
    pace: Vec<f32>,
    /// Live slots that are not in the index.
    loose: Vec<u32>,
    /// All are, and `loose` is not kept.
    all_loose: bool,
    candidates: Candidates,
    /// A static box came, went or moved, or a box became static or ceased to be, since the last rebuild.
    have_statics_changed: bool,
    /// A box is static; never unset.
    has_statics: bool,
    /// The list was not yet found in this index.
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
    found: Found,
    counts: Vec<u32>,
    escaped: Vec<u32>,
    sweep: Vec<(Aabb, u32)>,
    loose_pairs: Vec<Pair>,
    pairs: Vec<Pair>,
}

impl<I: FatIndex> Coherent<I> {
    /// No boxes.
    pub fn new() -> Coherent<I> {
        Coherent::default()
    }

    /// No boxes, other settings.
    pub fn with_settings(settings: CoherentSettings) -> Coherent<I> {
        Coherent { settings, ..Coherent::default() }
    }

    /// Bytes of memory that this holds on to, without the table of proxies and the log of events.
    pub fn bytes(&self) -> usize {
        let Work { found, counts, escaped, sweep, loose_pairs, pairs } = &self.work;
        let slots = [&self.place, &self.loose, counts, escaped].map(Vec::capacity);
        self.index.bytes()
            + self.fat.capacity() * size_of::<Aabb>()
            + 4 * (slots.iter().sum::<usize>() + self.pace.capacity())
            + self.candidates.bytes()
            + found.bytes()
            + sweep.capacity() * size_of::<(Aabb, u32)>()
            + (loose_pairs.capacity() + pairs.capacity()) * size_of::<Pair>()
    }

    fn residents(&self) -> Residents<'_> {
        Residents { boxes: self.proxies.boxes(), fat: &self.fat }
    }

    /// The most loose boxes before the index is made anew.
    fn loose_limit(&self) -> usize {
        (self.proxies.n_live() / policy::LOOSE_PART).max(32)
    }

    #[inline]
    fn is_resident(&self, slot: u32) -> bool {
        self.residents().has(slot)
    }

    /// From the index to the loose ones.
    fn evict(&mut self, slot: u32) {
        if self.all_loose || !self.is_resident(slot) {
            return;
        }
        self.index.forget(slot);
        self.fat[slot as usize] = Aabb::EMPTY;
        self.place[slot as usize] = self.loose.len() as u32;
        self.loose.push(slot);
        self.has_dead = true;
    }

    /// The index is of no use any more.
    fn loosen_all(&mut self) {
        self.all_loose = true;
        self.loose.clear();
    }

    fn note_filter(&mut self, filter: &Filter) {
        let is_static = filter.mobility == Mobility::Static;
        self.has_statics |= is_static;
        self.have_statics_changed |= is_static;
        self.has_groups |= filter.membership.is_empty() || filter.mask != Groups::all();
    }

    /// How a sample of the boxes moves.
    fn sample_motion(&self) -> Motion {
        let n_slots = self.proxies.n_slots() as u64;
        let (mut n, mut n_fast, mut ratios, mut paces) = (0, 0, 0.0f64, 0.0f64);
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
                if policy::JUMP * size < pace {
                    n_fast += 1;
                } else {
                    ratios += pace / size;
                    paces += pace;
                }
            }
        }
        let n_slow = f64::from((n - n_fast).max(1));
        Motion {
            fast_share: f64::from(n_fast) / f64::from(n.max(1)),
            mean_ratio: ratios / n_slow,
            mean_pace: paces / n_slow,
        }
    }

    /// Chooses margins and makes the index.
    fn rebuild(&mut self) {
        let motion = self.sample_motion();
        let frames = self.policy.begin(&self.settings, &motion, self.proxies.n_live());
        let Coherent { proxies, fat, pace, has_statics, .. } = self;
        let (boxes, filters) = (proxies.boxes(), proxies.filters());
        fat.clear();
        if frames == 0.0 {
            fat.extend_from_slice(boxes);
        } else {
            let limit = Vec3::splat(f32::MAX);
            let (frames, least) = (frames as f32, 0.5 * motion.mean_pace as f32);
            fat.extend(boxes.iter().zip(&*pace).enumerate().map(|(slot, (aabb, &pace))| {
                let margin = (frames * if pace < least { least } else { pace }).min(0.25 * mean_size(aabb));
                // Static boxes have no margin, so that an index may keep what it made of them; nor has what never moved. Not a
                // branch: which boxes move is not to be guessed.
                let is_static = *has_statics && filters[slot].mobility == Mobility::Static;
                let margin = if 0.0 < pace && !is_static { margin } else { 0.0 };
                // Rounding to nearest is monotone: the fat box holds the box.
                Aabb { min: (aabb.min - margin).max(-limit), max: (aabb.max + margin).min(limit) }
            }));
        }

        self.index.rebuild(&self.fat, &self.proxies, !self.have_statics_changed);
        self.have_statics_changed = false;
        self.loose.clear();
        self.all_loose = false;
        self.needs_list = true;
        self.has_dead = false;
        self.candidates.restart_drift();
        self.counters.rebuilds += 1;
    }

    /// Finds the candidates in the index.
    fn find_list(&mut self) {
        let Coherent { index, work, candidates, proxies, counters, .. } = self;
        let Work { found, counts, .. } = work;
        found.clear();
        index.find(found);
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
    }

    /// The pairs that loose boxes are in, sorted.
    fn find_loose(&mut self) {
        let Coherent { index, work, proxies, fat, loose, counters, .. } = self;
        let Work { sweep, loose_pairs, .. } = work;
        let (boxes, filters) = (proxies.boxes(), proxies.filters());
        let residents = Residents { boxes, fat };
        loose_pairs.clear();
        for &slot in &*loose {
            let _ = index.visit_box(residents, &boxes[slot as usize], &mut |other| {
                if filters[slot as usize].meets(&filters[other as usize]) {
                    loose_pairs.push(Pair::new(slot, other));
                }
                ControlFlow::Continue(())
            });
        }
        // Loose against loose: sorted along x and swept, side by side.
        sweep.clear();
        sweep.extend(loose.iter().map(|&slot| (boxes[slot as usize], slot)));
        sweep.sort_unstable_by(|(a, i), (b, j)| a.min.x.total_cmp(&b.min.x).then(i.cmp(j)));
        for (place, &(aabb, i)) in sweep.iter().enumerate() {
            for (other, j) in &sweep[place + 1..] {
                if aabb.max.x < other.min.x {
                    break;
                }
                counters.tests += 1;
                if aabb.overlaps(other) && filters[i as usize].meets(&filters[*j as usize]) {
                    loose_pairs.push(Pair::new(i, *j));
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
        // It belongs near the last one: in steps that double, then by halves.
        let mut step = 1;
        while step <= kept && pair < out[kept - step] {
            step *= 2;
        }
        let from = kept.saturating_sub(step);
        let first = from + out[from..kept].partition_point(|&other| other < pair);
        let n = kept - first;
        out.copy_within(first..kept, end - n);
        end -= n;
        kept = first;
        end -= 1;
        out[end] = pair;
    }
}

impl<I: FatIndex> BroadPhase for Coherent<I> {
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
            self.have_statics_changed |= self.proxies.filters()[slot as usize].mobility == Mobility::Static;
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
        let Coherent { proxies, fat, pace, work, .. } = self;
        let ingest =
            Ingest { moves, boxes: proxies.boxes_mut(), fat, pace, limit, escaped: &mut work.escaped };
        let largest = dispatch(ingest);
        if self.has_statics && !self.have_statics_changed {
            let filters = self.proxies.filters();
            self.have_statics_changed =
                moves.iter().any(|(id, _)| filters[id.index() as usize].mobility == Mobility::Static);
        }
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
        let slot = self.proxies.check_id(0, id)?;
        let old = self.proxies.filters()[slot];
        self.note_filter(&old);
        self.proxies.set_filter(id, filter)?;
        self.note_filter(&filter);
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
        let Coherent { proxies, pair_filter, log, .. } =
            core::mem::replace(self, Coherent::with_settings(settings));
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
                self.note_filter(&filter);
            }
        }
        self.is_changed = true;
        self.loosen_all();
    }

    fn refresh(&mut self) {
        let n_live = self.proxies.n_live();
        let is_dear = self.policy.is_too_wide(n_live) || self.policy.is_too_dear(n_live);
        if self.all_loose || self.loose_limit() < self.loose.len() || is_dear {
            self.rebuild();
        }
    }

    fn pairs(&mut self, out: &mut Vec<Pair>) {
        self.refresh();
        let rebuilds = self.counters.rebuilds;
        self.counters = Counters::default();
        self.counters.rebuilds = rebuilds;
        if self.is_changed {
            self.policy.note_frame(self.loose.len());
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
            self.index.visit_volumes(visit);
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
        self.index.validate(self.residents())?;
        let mut n_loose = 0;
        for slot in 0..n_slots as u32 {
            let is_there = if self.is_resident(slot) {
                self.proxies.is_live(slot as usize)
                    && self.fat[slot as usize].contains(&self.proxies.boxes()[slot as usize])
            } else if self.proxies.is_live(slot as usize) {
                n_loose += 1;
                self.loose.get(self.place[slot as usize] as usize) == Some(&slot)
            } else {
                true
            };
            if !is_there {
                return Err(format!("slot {slot} is neither in its fat box nor loose"));
            }
        }
        if n_loose != self.loose.len() {
            return Err(format!("{} in the loose list, {n_loose} loose", self.loose.len()));
        }
        let is_current = !(self.is_changed || self.needs_list || self.has_dead);
        self.candidates.validate(self.proxies.boxes(), is_current)
    }
}

impl<I: FatIndex> Coherent<I> {
    /// A new box is loose.
    fn admit(&mut self, id: ProxyId, filter: &Filter) {
        let slot = id.index() as usize;
        let n_slots = self.proxies.n_slots();
        self.fat.resize(n_slots, Aabb::EMPTY);
        self.place.resize(n_slots, 0);
        self.pace.resize(n_slots, 0.0);
        self.fat[slot] = Aabb::EMPTY;
        self.note_filter(filter);
        self.is_changed = true;
        if !self.all_loose {
            self.place[slot] = self.loose.len() as u32;
            self.loose.push(slot as u32);
        }
    }
}
