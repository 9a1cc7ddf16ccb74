//! A kd-tree with planes that are kept from frame to frame. Boxes cut by a plane belong to its
//! node.
//!
//! A box belongs to the lowest node with a region that strictly contains it. So two boxes can
//! touch only if one's node is the other's or an ancestor of it. Each frame does these steps.
//! Boxes that left their regions, or no longer cross their planes, move up and then down to their
//! nodes. Bad planes are moved or removed, and leaves that are too full get a plane. Each node
//! keeps its boxes almost sorted along one axis and sweeps them, eight at a time. Boxes of
//! ancestors that reach into the boxes of the node take part.
//!
//! Reference: Y. Serpa, M. Rodrigues, Flexible Use of Temporal and Spatial Reasoning for Fast and
//! Scalable CPU Broad-Phase Collision Detection Using KD-Trees, Computer Graphics Forum 38 (1),
//! 2019.
//! Differs: nodes are computed per box from its previous node, not by moving windows of one list.
//! If the mean cuts badly, the median and the other axes are tried, so one far box does no harm. A
//! good plane is kept until it is worse by a margin. Boxes from above are tested against the
//! bounds of a subtree's boxes, not its region. Static boxes form their own list at each node, and
//! are not tested against each other.
//!
//! It is in this crate because its lists are blocks of eight, like those of the trees, with the
//! same ray tests.

pub(crate) mod pack;
#[cfg(feature = "parallel")]
mod par;
pub(crate) mod planes;
mod query;
pub(crate) mod search;

use self::pack::Packed;
use self::planes::Planes;
use self::search::{Jobs, Work};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::{FinderIndex, FromFinder, PairBuffer, PairFinder, ProxyChanges, ProxyTable};

/// A kd-tree with kept planes, for coherent motion of boxes of any sizes, evenly distributed or
/// not. Each frame visits all boxes, even if few of them move; [`DynamicBvh`](crate::DynamicBvh)
/// with its list is faster then. Rays take longer than in the trees of boxes (bench: `broad`,
/// rays).
///
/// Memory: 86 bytes per box, beside that of [`FromFinder`].
pub type KdTree = FromFinder<PlaneTree>;

/// The finder of [`KdTree`].
#[derive(Clone, Debug, Default)]
pub struct PlaneTree {
    planes: Planes,
    packed: Packed,
    jobs: Jobs,
    work: Work,
}

impl PlaneTree {
    /// Returns how many boxes have changed nodes since it was created, new ones included.
    pub fn n_relocated(&self) -> u64 {
        self.planes.n_relocated
    }

    /// Returns how many planes have been set, moved or removed since it was created.
    pub fn n_reworked(&self) -> u64 {
        self.planes.n_reworked
    }

    /// Returns the number of planes.
    pub fn n_planes(&self) -> usize {
        self.planes.sequence.len() / 2
    }
}

impl PairFinder for PlaneTree {
    const SKIPS_STATICS: bool = true;

    fn refresh(&mut self, proxies: &ProxyTable, slots: &[u32], changes: ProxyChanges) -> u64 {
        let before = self.planes.n_reworked;
        self.planes.update(proxies.boxes(), slots, changes.members);
        self.packed.fill(&mut self.planes, proxies);
        u64::from(before != self.planes.n_reworked)
    }

    fn find(&mut self, _: &ProxyTable, _: &[u32], found: &mut PairBuffer) {
        let PlaneTree { planes, packed, jobs, work } = self;
        jobs.plan(planes, packed, found);
        #[cfg(feature = "parallel")]
        par::run_jobs(planes, packed, jobs, work, found);
        #[cfg(not(feature = "parallel"))]
        search::run(planes, packed, jobs, 0..jobs.len(), work, found);
    }

    fn index(&self, changes: ProxyChanges) -> Option<&dyn FinderIndex> {
        if changes.is_any() { None } else { Some(self) }
    }

    fn visit_volumes(&self, visit: &mut dyn FnMut(usize, &Aabb)) {
        for &number in &self.planes.sequence {
            let node = &self.planes.nodes[number as usize];
            if 0 < node.population {
                visit(node.depth as usize, &node.filled);
            }
        }
    }

    fn bytes(&self) -> usize {
        self.planes.bytes() + self.packed.bytes() + self.jobs.bytes() + self.work.bytes()
    }

    fn validate(&self, proxies: &ProxyTable, slots: &[u32], changes: ProxyChanges) -> Result<(), String> {
        if changes.is_any() {
            return Ok(());
        }
        self.planes.validate(proxies.boxes())?;
        self.packed.validate(&self.planes, proxies.boxes())?;
        let mut held: Vec<u32> = self.planes.order.clone();
        held.sort_unstable();
        if held == slots {
            return Ok(());
        }
        Err(format!("{} boxes at the nodes, {} live", held.len(), slots.len()))
    }
}
