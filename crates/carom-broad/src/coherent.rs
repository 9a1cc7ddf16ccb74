//! A broad phase around any index of boxes. It is fast for small motion, and also if everything
//! jumps.
//!
//! Boxes that move a little stay within fat boxes. The index of the fat boxes and its list of
//! [`Candidates`] are kept for many frames. A box that leaves its fat box is loose until the next
//! rebuild: it queries the index itself. If many will be loose soon, the next index and list are
//! built over three frames. The old ones are used meanwhile. If boxes move so far that lists die
//! young, no list is kept. The index then holds the exact boxes and gives the pairs directly.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1.3 (dynamic trees with fat
//! boxes).
//! Differs: rebuilt instead of repaired, so the index never degrades; margins follow the motion of
//! each box; pairs are exact for all margins.

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

/// Boxes in an index that is rebuilt when it pays; a [`BroadPhase`](crate::BroadPhase) and a
/// [`SpatialIndex`](crate::SpatialIndex).
///
/// Memory: 80 bytes per box (table 40, fat box 24, index, pace and counts 16). Each candidate takes
/// 13 (up to twice as many as pairs), each pair 24 during a search; the index comes on top. A list
/// built over several frames takes 24 more per box and a second index. If few boxes move per frame,
/// add 8 per box, 4 per candidate and 16 per pair.
#[derive(Default)]
pub struct Coherent<I> {
    settings: CoherentSettings,
    proxies: ProxyTable,
    pair_filter: Option<PairFilter>,
    /// Whether some box has groups other than the default; never unset.
    has_groups: bool,
    index: I,
    /// By slot: the fat box in the index; empty for a box that is not in it.
    fat: Vec<Aabb>,
    /// By slot: the position in `loose`, for a loose box.
    place: Vec<u32>,
    /// By slot: the largest recent move, decaying.
    pace: Vec<f32>,
    /// Live slots that are not in the index.
    loose: Vec<u32>,
    /// Whether all boxes are loose, and `loose` is not kept.
    all_loose: bool,
    candidates: Candidates,
    /// Whether, since the last rebuild, a static box was added, removed or moved, or a box became
    /// static or ceased to be.
    have_statics_changed: bool,
    /// Whether some box is static; never unset.
    has_statics: bool,
    /// Whether the list was not yet found in this index.
    needs_list: bool,
    /// The index and the list that will replace these.
    next: Next<I>,
    /// Eighths of the search with pairs in `work.found`; of the next index if there is one.
    n_found: usize,
    /// Number of these pairs that `work.sorted` holds, sorted.
    n_sorted: usize,
    leavers: Leavers,
    stirred: Stirred,
    is_changed: bool,
    /// Boxes and pairs sorted since the last search.
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

/// The boxes that moved since the last search, while they are few. Some may be removed since, or
/// listed twice.
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
    /// Returns a broad phase without boxes.
    pub fn new() -> Coherent<I> {
        Coherent::default()
    }

    /// Returns a broad phase without boxes, with these settings.
    pub fn with_settings(settings: CoherentSettings) -> Coherent<I> {
        Coherent { settings, ..Coherent::default() }
    }

    /// Returns the bytes of memory held, without the table of proxies and the log of events.
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

    /// Returns the most loose boxes before the index is rebuilt.
    fn loose_limit(&self) -> usize {
        (self.proxies.n_live() / self.policy.loose_part()).max(32)
    }

    #[inline]
    fn is_resident(&self, slot: u32) -> bool {
        self.residents().has(slot)
    }

    /// Makes a box loose, in the index in use and in the next one.
    fn expel(&mut self, slot: u32) {
        self.next.evict(slot);
        self.evict(slot);
    }

    /// Makes a box of the index loose.
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

    /// Drops the index: all boxes are loose.
    fn loosen_all(&mut self) {
        self.all_loose = true;
        self.loose.clear();
    }

    /// Notes that a static box has changed.
    fn note_statics(&mut self) {
        self.have_statics_changed = true;
        self.next.have_statics_changed = true;
    }

    fn note_filter(&mut self, filter: &Filter) {
        let is_static = filter.mobility == Mobility::Fixed;
        self.has_statics |= is_static;
        if is_static {
            self.note_statics();
        }
        self.has_groups |= filter.membership.is_empty() || filter.mask != Groups::all();
    }

    /// Adds a new box as loose.
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
