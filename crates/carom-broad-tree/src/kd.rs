//! A kd-tree whose planes are kept from frame to frame, with the boxes that a plane cuts at the
//! node of the plane.
//!
//! A box belongs to the lowest node whose region holds it, strictly: so two boxes can touch only if
//! they are at one node, or the one is above the other. In each frame the boxes that have left
//! their regions, or no longer lie across their planes, are taken to where they belong, up and down
//! again. Then the planes that have become bad are moved or taken away, and leaves that have become
//! too full get one. At each node the boxes are sorted along one axis, in which they mostly are
//! since the last frame, and swept, eight at a time; those of the nodes above that reach into the
//! boxes of a node come along.
//!
//! Reference: Y. Serpa, M. Rodrigues, Flexible Use of Temporal and Spatial Reasoning for Fast and
//! Scalable CPU Broad-Phase Collision Detection Using KD-Trees, Computer Graphics Forum 38 (1),
//! 2019.
//! Differs: places are computed for each box from the node where it was, not by moving windows of
//! one list; where the mean cuts badly the median is tried, and the other axes, so that one far box
//! spoils nothing; a plane that was good enough is kept until it is worse by a margin; boxes from
//! above are held against what a subtree's boxes fill, not against its region; static boxes are a
//! list of their own at each node, which no static box asks.
//!
//! It is in this crate because its lists are blocks of eight, as those of the trees are, and the
//! rays that meet them too.

mod ask;
pub(crate) mod pack;
#[cfg(feature = "parallel")]
mod par;
pub(crate) mod planes;
pub(crate) mod search;

use self::pack::Packed;
use self::planes::Planes;
use self::search::{Jobs, Work};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::{Changes, FinderIndex, Found, FoundBy, PairFinder, ProxyTable};

/// Kept planes. For coherent motion of boxes of any sizes, evenly spread or not; costs some time
/// per box in each frame even if nothing moves much, where [`DynamicBvh`](crate::DynamicBvh) has
/// its list. Rays take longer through it than through the trees of boxes (bench: `broad`, rays).
///
/// Memory: 86 bytes per box, beside that of [`FoundBy`].
pub type KdTree = FoundBy<PlaneTree>;

/// The finder of [`KdTree`].
#[derive(Clone, Debug, Default)]
pub struct PlaneTree {
    planes: Planes,
    packed: Packed,
    jobs: Jobs,
    work: Work,
}

impl PlaneTree {
    /// How many boxes have been taken from one node to another, new ones included, since it exists.
    pub fn n_relocated(&self) -> u64 {
        self.planes.n_relocated
    }

    /// How many planes have been set, moved or taken away since it exists.
    pub fn n_reworked(&self) -> u64 {
        self.planes.n_reworked
    }

    /// The number of planes.
    pub fn n_planes(&self) -> usize {
        self.planes.sequence.len() / 2
    }
}

impl PairFinder for PlaneTree {
    const SKIPS_STATICS: bool = true;

    fn refresh(&mut self, proxies: &ProxyTable, slots: &[u32], changes: Changes) -> u64 {
        let before = self.planes.n_reworked;
        self.planes.update(proxies.boxes(), slots, changes.members);
        self.packed.fill(&mut self.planes, proxies);
        u64::from(before != self.planes.n_reworked)
    }

    fn find(&mut self, _: &ProxyTable, _: &[u32], found: &mut Found) {
        let PlaneTree { planes, packed, jobs, work } = self;
        jobs.plan(planes, packed, found);
        #[cfg(feature = "parallel")]
        par::run_jobs(planes, packed, jobs, work, found);
        #[cfg(not(feature = "parallel"))]
        search::run(planes, packed, jobs, 0..jobs.len(), work, found);
    }

    fn index(&self, changes: Changes) -> Option<&dyn FinderIndex> {
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

    fn validate(&self, proxies: &ProxyTable, slots: &[u32], changes: Changes) -> Result<(), String> {
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
