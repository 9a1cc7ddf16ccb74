//! Grids that are rebuilt after any motion.
//!
//! Boxes go into one grid. Boxes too long for its cells go into the next grid, recursively; so do
//! crowds of much smaller boxes. Each grid is searched by itself, and for each two grids one
//! queries the other. Static boxes have grids of their own, which are kept until a static box
//! changes. These are not searched by themselves, nor against each other.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 7.1 and 7.2.
//! Differs: built by one counting sort per frame, so a frame in which everything jumps costs as
//! much as any other.

use crate::find::{Search, in_chunks, order_by_cost};
use crate::level::{BuildWork, Level};
use crate::packed::WIDTH;
use crate::plan::Sample;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::{Filter, FinderIndex, Mobility, PairBuffer, PairFinder, ProxyChanges, ProxyTable};
use core::marker::PhantomData;
use core::ops::Range;

/// The most grids for the moving boxes, and for the static ones.
const MAX_LEVELS: usize = 24;

/// From this many grids on, crowds stay in their grid.
const MAX_CROWDS: usize = 12;

/// The rule that chooses the cells of a [`DenseGrid`]: [`Uniform`](crate::Uniform) or
/// [`Hierarchical`](crate::Hierarchical). It affects only the time.
pub trait Layout: Default + sealed::Sealed {}

pub(crate) mod sealed {
    use super::Members;
    use crate::cells::Cells;
    use crate::plan::Sample;
    use carom_bounds::Aabb;

    /// Restricts [`Layout`](super::Layout) to the layouts of this crate.
    pub trait Sealed {
        /// Partitions the members into lists, each of which starts a grid.
        fn part(boxes: &[Aabb], members: &[u32], lists: &mut Members);

        /// Returns the cells for some members; the last grid must accept all.
        fn cells(boxes: &[Aabb], members: &[u32], sample: &mut Sample, is_last: bool) -> Cells;
    }
}

/// Lists of slots, reused.
#[derive(Clone, Debug, Default)]
pub struct Members {
    lists: Vec<Vec<u32>>,
    n: usize,
}

impl Members {
    /// Returns the number of lists in use.
    pub(crate) fn len(&self) -> usize {
        self.n
    }

    /// Adds an empty list.
    pub(crate) fn push(&mut self) -> &mut Vec<u32> {
        if self.lists.len() == self.n {
            self.lists.push(Vec::new());
        }
        self.n += 1;
        let list = &mut self.lists[self.n - 1];
        list.clear();
        list
    }

    /// Returns the lists from this one on.
    pub(crate) fn since(&mut self, first: usize) -> &mut [Vec<u32>] {
        &mut self.lists[first..self.n]
    }

    /// Removes the last list; [`Members::keep`] returns its memory.
    fn pop(&mut self) -> Option<Vec<u32>> {
        self.n = self.n.checked_sub(1)?;
        let last = self.lists.len() - 1;
        self.lists.swap(self.n, last);
        self.lists.pop()
    }

    /// Keeps a list for reuse.
    fn keep(&mut self, list: Vec<u32>) {
        self.lists.push(list);
    }

    fn bytes(&self) -> usize {
        4 * self.lists.iter().map(Vec::capacity).sum::<usize>()
    }
}

/// The grids of moving boxes, or of static ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grids {
    levels: Vec<Level>,
    n: usize,
    /// The slots of all grids.
    members: Vec<u32>,
}

impl Grids {
    /// Returns the grids in use.
    pub(crate) fn levels(&self) -> &[Level] {
        &self.levels[..self.n]
    }

    /// Removes all grids.
    pub(crate) fn clear(&mut self) {
        self.n = 0;
        self.members.clear();
    }

    /// Rebuilds the grids from the members.
    pub(crate) fn rebuild<L: Layout>(&mut self, boxes: &[Aabb], work: &mut Work) {
        self.n = 0;
        if self.members.is_empty() {
            return;
        }
        L::part(boxes, &self.members, &mut work.lists);
        let mut is_stuck = false;
        while let Some(list) = work.lists.pop() {
            let in_all = self.n + work.lists.len();
            let is_last = is_stuck || MAX_LEVELS <= in_all + 2;
            let cells = L::cells(boxes, &list, &mut work.sample, is_last);
            if self.levels.len() == self.n {
                self.levels.push(Level::default());
            }
            let (mut long, mut crowd) = (core::mem::take(&mut work.long), core::mem::take(&mut work.crowd));
            let Work { build, sample, .. } = work;
            self.levels[self.n].build(cells, boxes, &list, build, &mut long, &mut crowd, |cells, crowd| {
                in_all < MAX_CROWDS && crowd.len() < list.len() && sample.would_part(boxes, crowd, cells)
            });
            self.n += usize::from(0 < self.levels[self.n].packed.n);
            // The sample missed all but the shortest boxes, so the next round measures all.
            is_stuck = long.len() == list.len();
            for rest in [&mut crowd, &mut long] {
                if !rest.is_empty() {
                    work.lists.push().append(rest);
                }
            }
            (work.long, work.crowd) = (long, crowd);
            work.lists.keep(list);
        }
    }

    /// Returns the bytes in use or kept.
    pub(crate) fn bytes(&self) -> usize {
        4 * self.members.capacity() + self.levels.iter().map(Level::bytes).sum::<usize>()
    }

    /// Checks that the members are in their cells, with these boxes.
    pub(crate) fn validate(&self, boxes: &[Aabb]) -> Result<(), String> {
        let mut listed: Vec<u32> = Vec::new();
        for level in self.levels() {
            for cell in 0..level.cells.n_cells() as u32 {
                let (begin, end) = level.run(cell, cell);
                for index in begin..end {
                    let slot = level.packed.slots[index as usize];
                    let aabb = &boxes[slot as usize];
                    let strides = level.cells.strides();
                    let own: u32 =
                        (0..3).map(|axis| level.cells.cell(axis, aabb.min[axis]) * strides[axis]).sum();
                    let fits = (0..3).all(|axis| aabb.extents()[axis] <= level.cells.reach[axis]);
                    let corners = level.packed.corners(index as usize);
                    if own != cell || !fits || corners != (aabb.min.to_array(), aabb.max.to_array()) {
                        return Err(format!("slot {slot} at place {index} of cell {cell}: {aabb:?}"));
                    }
                    listed.push(slot);
                }
            }
        }
        listed.sort_unstable();
        if listed == self.members {
            return Ok(());
        }
        Err(format!("{} boxes in the grids, {} members", listed.len(), self.members.len()))
    }
}

/// Scratch memory to build and search grids.
#[derive(Default)]
pub(crate) struct Work {
    lists: Members,
    long: Vec<u32>,
    crowd: Vec<u32>,
    sample: Sample,
    build: BuildWork,
    pub(crate) search: Search,
}

impl Work {
    /// Returns the bytes in use or kept.
    pub(crate) fn bytes(&self) -> usize {
        let Work { lists, long, crowd, sample, build, search } = self;
        lists.bytes()
            + 4 * (long.capacity() + crowd.capacity())
            + sample.bytes()
            + build.bytes()
            + search.bytes()
    }
}

/// Grids rebuilt in every frame: the finder of [`UniformGrid`](crate::UniformGrid) and
/// [`HierarchicalGrid`](crate::HierarchicalGrid).
#[derive(Default)]
pub struct DenseGrid<L: Layout> {
    moving: Grids,
    fixed: Grids,
    work: Work,
    layout: PhantomData<L>,
}

impl<L: Layout> DenseGrid<L> {
    /// Returns all grids, of moving and of static boxes.
    pub(crate) fn levels(&self) -> impl Iterator<Item = &Level> {
        self.moving.levels().iter().chain(self.fixed.levels())
    }
}

impl<L: Layout> PairFinder for DenseGrid<L> {
    const SKIPS_STATICS: bool = true;

    fn refresh(&mut self, proxies: &ProxyTable, slots: &[u32], changes: ProxyChanges) -> u64 {
        let DenseGrid { moving, fixed, work, .. } = self;
        let have_static_members_changed =
            changes.members && regroup(slots.iter().copied(), proxies.filters(), moving, fixed, work);
        moving.rebuild::<L>(proxies.boxes(), work);
        if changes.statics || have_static_members_changed {
            fixed.rebuild::<L>(proxies.boxes(), work);
        }
        1
    }

    fn find(&mut self, _: &ProxyTable, _: &[u32], found: &mut PairBuffer) {
        let DenseGrid { moving, fixed, work, .. } = self;
        core::mem::swap(found, &mut work.search.found);
        find_all(moving, fixed, 0..8, &mut work.search);
        core::mem::swap(found, &mut work.search.found);
    }

    fn index(&self, changes: ProxyChanges) -> Option<&dyn FinderIndex> {
        if changes.is_any() { None } else { Some(self) }
    }

    fn bytes(&self) -> usize {
        self.moving.bytes() + self.fixed.bytes() + self.work.bytes()
    }

    fn validate(&self, proxies: &ProxyTable, _: &[u32], changes: ProxyChanges) -> Result<(), String> {
        if changes.is_any() {
            return Ok(());
        }
        self.moving.validate(proxies.boxes())?;
        self.fixed.validate(proxies.boxes())
    }
}

/// Makes these slots the members, the static ones separately. Returns whether the static members
/// have changed.
pub(crate) fn regroup(
    slots: impl Iterator<Item = u32>,
    filters: &[Filter],
    moving: &mut Grids,
    fixed: &mut Grids,
    work: &mut Work,
) -> bool {
    moving.members.clear();
    let mut fixed_before = core::mem::take(&mut work.long);
    core::mem::swap(&mut fixed_before, &mut fixed.members);
    fixed.members.clear();
    for slot in slots {
        let is_static = filters[slot as usize].mobility == Mobility::Fixed;
        (if is_static { &mut fixed.members } else { &mut moving.members }).push(slot);
    }
    let are_others = fixed_before != fixed.members;
    fixed_before.clear();
    work.long = fixed_before;
    are_others
}

/// Finds all pairs of touching boxes with a moving one, or these eighths of them.
pub(crate) fn find_all(moving: &Grids, fixed: &Grids, eighths: Range<usize>, search: &mut Search) {
    for (i, level) in moving.levels().iter().enumerate() {
        find(level, None, &eighths, search);
        for other in moving.levels()[i + 1..].iter().chain(fixed.levels()) {
            find(level, Some(other), &eighths, search);
        }
    }
}

/// Finds the touching boxes of one grid, or of two. One box of each pair is among these eighths of
/// the querying boxes.
fn find(level: &Level, other: Option<&Level>, eighths: &Range<usize>, search: &mut Search) {
    let (queries, targets) = match other {
        None => (level, None),
        Some(other) => {
            let (queries, targets) = order_by_cost(level, other);
            (queries, Some(targets))
        }
    };
    // Rounded to whole blocks.
    let n = queries.packed.n;
    let end_of =
        |eighths: usize| if eighths < 8 { (n / 8 * eighths).next_multiple_of(WIDTH).min(n) } else { n };
    in_chunks(end_of(eighths.start)..end_of(eighths.end), search, |first, last, search| {
        crate::find::find_between(queries, targets, first, last, search)
    });
}
