//! A broad phase around any index of boxes, fast when things move a little and when everything
//! jumps.
//!
//! Boxes that move a little stay within fat boxes; the index of the fat boxes and the list of
//! [`Candidates`] found in it are kept for many frames. A box that leaves its fat box is loose
//! until the next rebuild: it asks the index by itself. When many will be, the next index and list
//! are made over three frames, while these still answer. When boxes move so far that lists die
//! young, no list is kept: the index is made of the exact boxes and gives the pairs as they are.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1.3 (dynamic trees with fat
//! boxes).
//! Differs: rebuilt instead of repaired, so the index never decays; margins follow each box's own
//! motion; pairs are exact, whatever the margins.

mod broad_phase;
mod by_slot;
pub(crate) mod candidates;
mod index;
pub(crate) mod ingest;
mod loose;
mod narrow;
mod policy;
mod queries;
mod rebuild;
mod spread;

pub use index::{FatIndex, Residents};
pub use policy::CoherentSettings;

use crate::{Counters, EventLog, Filter, Found, Groups, Mobility, Pair, PairFilter, ProxyId, ProxyTable};
use alloc::vec::Vec;
use candidates::Candidates;
use carom_bounds::{Aabb, BoundingVolume};
use loose::Leavers;
use policy::Policy;
use spread::Next;

/// Boxes in an index made anew when it pays; [`BroadPhase`](crate::BroadPhase) and
/// [`SpatialIndex`](crate::SpatialIndex).
///
/// Memory: 80 bytes per box (table 40, fat box 24, place, pace and counts 16), 13 per candidate (up
/// to twice the pairs), 24 per pair while searching, and the index; for a list that is made over
/// some frames 24 more per box, and a second index; where few boxes move in a frame 8 more per box,
/// 4 per candidate and 16 per pair.
#[derive(Default)]
pub struct Coherent<I> {
    settings: CoherentSettings,
    proxies: ProxyTable,
    pair_filter: Option<PairFilter>,
    /// A box's groups are not the default ones; never unset.
    has_groups: bool,
    index: I,
    /// By slot: what the box may move in without leaving the index; empty for one that is not in
    /// it.
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
    /// A static box came, went or moved, or a box became static or ceased to be, since the last
    /// rebuild.
    have_statics_changed: bool,
    /// A box is static; never unset.
    has_statics: bool,
    /// The list was not yet found in this index.
    needs_list: bool,
    /// What is made to replace the index and the list.
    next: Next<I>,
    /// Eighths of the search whose pairs are in `work.found`: of the next index while there is one.
    n_found: usize,
    /// So many of these pairs are in `work.sorted`, in order.
    n_sorted: usize,
    leavers: Leavers,
    stirred: Stirred,
    is_changed: bool,
    /// Boxes and pairs put in order since the last search.
    sorted: u64,
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
    sorted: Vec<Pair>,
    part: Vec<Pair>,
}

/// Which boxes moved since the last search, as long as they are few; some may have left since, or
/// be there twice.
#[derive(Default)]
struct Stirred {
    slots: Vec<u32>,
    are_many: bool,
}

impl Stirred {
    fn add(&mut self, moves: &[(ProxyId, Aabb)], n_live: usize) {
        self.are_many |= n_live < (self.slots.len() + moves.len()) * policy::FEW_MOVE;
        if !self.are_many {
            self.slots.extend(moves.iter().map(|(id, _)| id.index()));
        }
    }

    fn clear(&mut self) {
        self.slots.clear();
        self.are_many = false;
    }
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
        let Work { found, counts, escaped, sweep, loose_pairs, pairs, sorted, part } = &self.work;
        let slots = [&self.place, &self.loose, &self.stirred.slots, counts, escaped].map(Vec::capacity);
        let lists = [loose_pairs, pairs, sorted, part].map(Vec::capacity);
        self.index.bytes()
            + self.next.bytes()
            + self.leavers.bytes()
            + self.fat.capacity() * size_of::<Aabb>()
            + 4 * (slots.iter().sum::<usize>() + self.pace.capacity())
            + self.candidates.bytes()
            + found.bytes()
            + sweep.capacity() * size_of::<(Aabb, u32)>()
            + lists.iter().sum::<usize>() * size_of::<Pair>()
    }

    fn residents(&self) -> Residents<'_> {
        Residents { boxes: self.proxies.boxes(), fat: &self.fat }
    }

    /// The most loose boxes before the index is made anew.
    fn loose_limit(&self) -> usize {
        (self.proxies.n_live() / self.policy.loose_part()).max(32)
    }

    #[inline]
    fn is_resident(&self, slot: u32) -> bool {
        self.residents().has(slot)
    }

    /// From the index to the loose ones, also when the next index takes over.
    fn expel(&mut self, slot: u32) {
        self.next.evict(slot);
        self.evict(slot);
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
        self.leavers.add(slot);
    }

    /// The index is of no use any more.
    fn loosen_all(&mut self) {
        self.all_loose = true;
        self.loose.clear();
    }

    /// A static box is not what it was.
    fn note_statics(&mut self) {
        self.have_statics_changed = true;
        self.next.have_statics_changed = true;
    }

    fn note_filter(&mut self, filter: &Filter) {
        let is_static = filter.mobility == Mobility::Static;
        self.has_statics |= is_static;
        if is_static {
            self.note_statics();
        }
        self.has_groups |= filter.membership.is_empty() || filter.mask != Groups::all();
    }

    /// A new box is loose.
    fn admit(&mut self, id: ProxyId, filter: &Filter) {
        let slot = id.index() as usize;
        let n_slots = self.proxies.n_slots();
        self.fat.resize(n_slots, Aabb::EMPTY);
        self.place.resize(n_slots, 0);
        self.pace.resize(n_slots, 0.0);
        self.fat[slot] = Aabb::EMPTY;
        self.next.admit(n_slots);
        self.note_filter(filter);
        self.is_changed = true;
        if !self.all_loose {
            self.place[slot] = self.loose.len() as u32;
            self.loose.push(slot as u32);
        }
    }
}
