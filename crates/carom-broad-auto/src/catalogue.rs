//! A list of all broad phases by name, for programs that let users choose one, and for tests of
//! all.
//!
//! A new algorithm gets a line in [`ALGORITHMS`]. It is then in the benches, in `carom pairs`, and
//! in the tests on real boxes.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1 (most of them).

use crate::{Auto, KdOctree};
use alloc::boxed::Box;
use carom_bounds::{Aabb, BoundingVolume};
use carom_broad::{BroadPhase, BruteForce, FromFinder, PointFilter, SpatialIndex};
use carom_broad_grid::{
    CoherentGrid, HierarchicalGrid, LooseOctree, LooseQuadtree, SpatialHash, UniformGrid,
};
use carom_broad_sap::{
    AutoBoxPruning, AxisPruner, BoxPruning, MultiBoxPruning, MultiSap, RegionAxes, RegionPruner, Regions,
    SapSettings, SweepAndPrune, SweepSort,
};
use carom_broad_tree::{DynamicBvh, KdTree, RebuiltBvh};

/// Boxes per region, for algorithms with given regions.
const PER_REGION: usize = 200;

/// The most regions along an axis.
const MAX_SIDE: usize = 32;

/// A broad phase with its spatial queries.
pub trait SpatialBroadPhase: BroadPhase + SpatialIndex + Send + Sync {}

impl<B: BroadPhase + SpatialIndex + Send + Sync> SpatialBroadPhase for B {}

/// The growth of the work per box, for many evenly distributed boxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Growth {
    /// About constant, for any motion.
    Even,
    /// About constant while most boxes keep their order along the axes; linear in the number of
    /// boxes if all jump.
    EvenWhileCalm,
    /// The number of boxes to the power of 2/3, because it sorts along one axis.
    OneAxis,
    /// Linear in the number of boxes: each box is tested against all others.
    EachAgainstEach,
}

/// Hints on the world, given before the boxes. They affect only the speed.
#[derive(Clone, Copy, Debug)]
pub struct WorldHints {
    /// The bounds of most boxes.
    pub bounds: Aabb,
    /// The approximate number of boxes.
    pub n_boxes: usize,
}

/// An algorithm.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct CatalogueEntry {
    /// The name of its type: lower case, words joined by hyphens.
    pub name: &'static str,
    /// The growth of its work per box.
    pub growth: Growth,
    make: fn(&WorldHints) -> Box<dyn SpatialBroadPhase>,
}

impl CatalogueEntry {
    /// Creates this broad phase, without boxes.
    pub fn make(&self, hints: &WorldHints) -> Box<dyn SpatialBroadPhase> {
        (self.make)(hints)
    }
}

const fn listed(
    name: &'static str,
    growth: Growth,
    make: fn(&WorldHints) -> Box<dyn SpatialBroadPhase>,
) -> CatalogueEntry {
    CatalogueEntry { name, growth, make }
}

/// All algorithms; the first is the recommended default.
pub const ALGORITHMS: &[CatalogueEntry] = &[
    listed("dynamic-bvh", Growth::Even, |_| Box::new(DynamicBvh::new())),
    listed("rebuilt-bvh", Growth::Even, |_| Box::new(RebuiltBvh::new())),
    listed("kd-tree", Growth::Even, |_| Box::new(KdTree::new())),
    listed("auto", Growth::Even, |_| Box::new(Auto::new())),
    listed("coherent-grid", Growth::Even, |_| Box::new(CoherentGrid::new())),
    listed("uniform-grid", Growth::Even, |_| Box::new(UniformGrid::new())),
    listed("hierarchical-grid", Growth::Even, |_| Box::new(HierarchicalGrid::new())),
    listed("spatial-hash", Growth::Even, |_| Box::new(SpatialHash::new())),
    listed("loose-octree", Growth::Even, |_| Box::new(LooseOctree::new())),
    listed("loose-quadtree", Growth::Even, |_| Box::new(LooseQuadtree::new())),
    listed("kd-octree", Growth::Even, |_| Box::new(KdOctree::new())),
    listed("auto-box-pruning", Growth::Even, |_| Box::new(AutoBoxPruning::new())),
    listed("multi-box-pruning", Growth::Even, |hints| {
        Box::new(MultiBoxPruning::with_finder(RegionPruner::new(hints.regions())))
    }),
    listed("multi-sap", Growth::EvenWhileCalm, |hints| {
        Box::new(MultiSap::with_finder(RegionAxes::new(hints.regions(), SapSettings::default())))
    }),
    listed("sweep-and-prune", Growth::EvenWhileCalm, |_| Box::new(SweepAndPrune::new())),
    listed("box-pruning", Growth::OneAxis, |_| Box::new(BoxPruning::new())),
    listed("sweep-sort", Growth::OneAxis, |_| Box::new(SweepSort::new())),
    listed("point-filter", Growth::OneAxis, |_| {
        Box::new(FromFinder::with_finder(PointFilter::new(AxisPruner::default())))
    }),
    listed("brute-force", Growth::EachAgainstEach, |_| Box::new(BruteForce::new())),
];

/// Returns the algorithm with this name.
pub fn by_name(name: &str) -> Option<&'static CatalogueEntry> {
    ALGORITHMS.iter().find(|listed| listed.name == name)
}

impl WorldHints {
    /// Returns the hints for these boxes.
    pub fn of(boxes: &[Aabb]) -> WorldHints {
        let bounds = boxes.iter().fold(Aabb::EMPTY, |all, aabb| all.merged(aabb));
        WorldHints { bounds, n_boxes: boxes.len() }
    }

    /// Returns a grid of regions with a few hundred boxes each; no regions if the bounds are not
    /// finite.
    fn regions(&self) -> Regions {
        let fits = |side: &usize| PER_REGION * side * side * side <= self.n_boxes;
        let side = (2..=MAX_SIDE).take_while(fits).last().unwrap_or(1) as u32;
        Regions::grid(&self.bounds, [side; 3]).unwrap_or_default()
    }
}
