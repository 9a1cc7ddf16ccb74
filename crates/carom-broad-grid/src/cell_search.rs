//! Lists the tests in and between kept cells. A pair that shares several cells is found in only
//! one of them.
//!
//! A pair belongs to the least cell that contains parts of both boxes. On every axis this is the
//! first cell of one of the two. So a cell groups its boxes by the axes on which it is their
//! second cell. Two groups are tested only if they have no such axis in common. The rule compares
//! integers before any box test, so a pair of another cell costs no test. Boxes of a lower level
//! test the cell above as if placed there, from their least cell within it.
//!
//! Reference: J.-P. Dittrich and B. Seeger, Data Redundancy and Duplicate Detection in Spatial
//! Join Processing, ICDE 2000 (the common cell of the least corner); D. Tsitsigkos et al., A
//! Two-layer Partitioning for Non-point Spatial Data, ICDE 2021 (classes within a cell).

use crate::find::Search;
use crate::nodes::{Key, Node, Nodes};
use crate::packed::Packed;
use crate::sparse::CellSpan;
use crate::walk::CellPartners;
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume};
use carom_broad::{Mobility, ProxyTable};

/// Sets of axes as bits. After each set, the later sets without an axis in common with it are
/// contiguous.
const ORDER: [u8; 8] = [0, 1, 6, 2, 4, 5, 3, 7];

/// The rank of a set of axes in [`ORDER`].
const RANKS: [u8; 8] = [0, 1, 3, 6, 4, 5, 2, 7];

/// Contiguous boxes of a cell with the same tests.
#[derive(Clone, Copy, Debug)]
struct Group {
    begin: u32,
    /// The axes on which the cell is the second of these boxes.
    seconds: u8,
    is_static: bool,
}

/// The data of the search.
#[derive(Clone, Debug, Default)]
pub(crate) struct CellSearch {
    pub(crate) packed: Packed,
    pub(crate) partners: CellPartners,
    /// The groups of one cell after the other, and then the end of the last.
    groups: Vec<Group>,
    /// By node: the begin and end of its groups; unspecified if there are none.
    spans: Vec<(u32, u32)>,
    /// By node, for loose cells: the bounds of its members; unspecified if there are none.
    filled: Vec<Aabb>,
    /// Members of the current cell, each with the rank of its group.
    members: Vec<(u8, u32)>,
}

impl CellSearch {
    /// Writes the members of all cells into contiguous arrays.
    pub(crate) fn fill(&mut self, nodes: &Nodes, proxies: &ProxyTable, spans: &[CellSpan], is_loose: bool) {
        if is_loose {
            self.partners.find_loose(nodes);
        } else {
            self.partners.find_tight(nodes);
        }
        self.groups.clear();
        self.packed.slots.clear();
        self.spans.resize(nodes.nodes.len(), (0, 0));
        for i in 0..self.partners.occupied.len() {
            let number = self.partners.occupied[i] as usize;
            let first = self.groups.len() as u32;
            self.part(nodes, &nodes.nodes[number], proxies, spans);
            self.spans[number] = (first, self.groups.len() as u32);
        }
        let n = self.packed.slots.len();
        self.groups.push(Group { begin: n as u32, seconds: 0, is_static: false });
        self.packed.gather(proxies.boxes(), n);
        if is_loose {
            self.filled.resize(nodes.nodes.len(), Aabb::EMPTY);
            for &number in &self.partners.occupied {
                let (first, last) = self.spans[number as usize];
                let (begin, end) = (self.begin(first as usize), self.begin(last as usize));
                self.filled[number as usize] = self.packed.bounds(begin as usize, end as usize);
            }
        }
    }

    /// Appends the members of a cell, group by group. Moving boxes come first, because static ones
    /// make no queries in their cell.
    fn part(&mut self, nodes: &Nodes, node: &Node, proxies: &ProxyTable, spans: &[CellSpan]) {
        let CellSearch { packed: Packed { slots, .. }, groups, members, .. } = self;
        let is_mixed = 0 < node.n_moving && node.n_moving < node.n;
        let filters = proxies.filters();
        members.clear();
        nodes.visit_members(node, |slot| {
            let is_static = if is_mixed {
                filters[slot as usize].mobility == Mobility::Fixed
            } else {
                node.n_moving == 0
            };
            let seconds = spans[slot as usize].seconds(node.key);
            members.push((RANKS[usize::from(seconds & 7)] | u8::from(is_static) << 3, slot));
        });
        members.sort_unstable_by_key(|&(kind, _)| kind);
        let mut last = None;
        for &(kind, slot) in members.iter() {
            if last != Some(kind) {
                last = Some(kind);
                let seconds = ORDER[usize::from(kind & 7)];
                groups.push(Group { begin: slots.len() as u32, seconds, is_static: 8 <= kind });
            }
            slots.push(slot);
        }
    }

    #[inline]
    fn begin(&self, group: usize) -> u32 {
        self.groups[group].begin
    }

    /// Visits the longest runs of boxes, among these groups, that the querying group tests.
    #[inline]
    fn runs(&self, query: Group, first: usize, last: usize, mut visit: impl FnMut(u32, u32)) {
        let is_tested =
            |group: &Group| query.seconds & group.seconds == 0 && !(query.is_static && group.is_static);
        let mut at = first;
        while at < last {
            let begin = at;
            while at < last && is_tested(&self.groups[at]) {
                at += 1;
            }
            if begin < at {
                visit(self.begin(begin), self.begin(at));
            }
            at += 1;
        }
    }

    /// Lists the tests of the boxes of a cell: the rest of the cell, and its partner cells.
    pub(crate) fn find_between(&self, nodes: &Nodes, index: usize, is_loose: bool, search: &mut Search) {
        let number = self.partners.occupied[index] as usize;
        let (first, last) = self.spans[number];
        let (first, last) = (first as usize, last as usize);
        for at in first..last {
            let query = self.groups[at];
            if query.is_static {
                break;
            }
            let (begin, end) = (query.begin, self.begin(at + 1));
            if query.seconds == 0 {
                // The boxes of this group also test each other.
                let end_of_all = self.begin(last);
                (begin..end).for_each(|index| search.push_task(index as usize, index + 1, end_of_all));
            } else {
                self.runs(query, at + 1, last, |first, last| {
                    (begin..end).for_each(|index| search.push_task(index as usize, first, last));
                });
            }
        }
        let Node { key, n_moving, .. } = nodes.nodes[number];
        for &other in self.partners.partners(index) {
            let Node { key: other_key, n_moving: other_n_moving, .. } = nodes.nodes[other as usize];
            if n_moving == 0 && other_n_moving == 0 {
                continue;
            }
            let filled = self.filled.get(other as usize).filter(|_| is_loose);
            if filled.is_some_and(|filled| !filled.overlaps(&self.filled[number])) {
                continue;
            }
            let edges = first_within(key, other_key.level);
            let (other_first, other_last) = self.spans[other as usize];
            for at in first..last {
                let query = self.groups[at];
                // This cell is the second of these boxes, and their first is in the same cell
                // above: the first makes the query.
                if query.seconds & !edges != 0 {
                    continue;
                }
                let (begin, end) = (query.begin, self.begin(at + 1));
                self.runs(query, other_first as usize, other_last as usize, |first, last| {
                    for index in begin..end {
                        let (min, max) = self.packed.corners(index as usize);
                        let own = Aabb { min: min.into(), max: max.into() };
                        if filled.is_none_or(|filled| filled.overlaps(&own)) {
                            search.push_task(index as usize, first, last);
                        }
                    }
                });
            }
        }
    }

    /// Returns the bytes in use or kept.
    pub(crate) fn bytes(&self) -> usize {
        self.packed.bytes()
            + self.partners.bytes()
            + self.groups.capacity() * size_of::<Group>()
            + self.spans.capacity() * size_of::<(u32, u32)>()
            + self.filled.capacity() * size_of::<Aabb>()
            + self.members.capacity() * size_of::<(u8, u32)>()
    }
}

/// Returns the axes on which the cell is the first of those in its cell of a higher level.
fn first_within(key: Key, level: i32) -> u8 {
    let first = key.ancestor(level).at.map(|at| i64::from(at) << (level - key.level).clamp(0, 31));
    (0..3).map(|axis| u8::from(i64::from(key.at[axis]) == first[axis]) << axis).sum()
}
