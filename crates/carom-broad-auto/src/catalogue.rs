//! Every broad phase by its name: for programs whose users choose one, and for what has to hold for
//! all of them.
//!
//! A new algorithm gets a line in [`ALGORITHMS`], and is in the benches, in `carom pairs`, and in
//! the tests on real boxes.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1 (most of them).

use crate::{Auto, KdOctree};
use alloc::boxed::Box;
use carom_bounds::{Aabb, BoundingVolume};
use carom_broad::{BroadPhase, BruteForce, FoundBy, PointFilter, SpatialIndex};
use carom_broad_grid::{
    CoherentGrid, HierarchicalGrid, LooseOctree, LooseQuadtree, SpatialHash, UniformGrid,
};
use carom_broad_sap::{
    AutoBoxPruning, AxisPruner, BoxPruning, MultiBoxPruning, MultiSap, RegionAxes, RegionPruner, Regions,
    SapSettings, SweepAndPrune, SweepSort,
};
use carom_broad_tree::{DynamicBvh, KdTree, RebuiltBvh};

/// Boxes that a region holds, of the algorithms that are told regions.
const PER_REGION: usize = 200;

/// Regions along an axis, at most.
const MAX_SIDE: usize = 32;

/// A broad phase with its spatial queries.
pub trait Whole: BroadPhase + SpatialIndex + Send + Sync {}

impl<B: BroadPhase + SpatialIndex + Send + Sync> Whole for B {}

/// How the work for each box grows where many boxes are spread evenly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Growth {
    /// Hardly, however the boxes move.
    Even,
    /// Hardly, while most boxes keep their order along the axes; where all of them jump, with their
    /// number.
    EvenWhileCalm,
    /// With the number to the power of 2/3: it looks along one axis.
    OneAxis,
    /// With the number: each is tested against each.
    EachAgainstEach,
}

/// What an algorithm is told of the place before it is given boxes; of consequence for its speed
/// alone.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Where most boxes will be.
    pub bounds: Aabb,
    /// About how many there will be.
    pub n_boxes: usize,
}

/// An algorithm.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Listed {
    /// The name of its type: lower case, words joined by hyphens.
    pub name: &'static str,
    /// What to expect of it.
    pub growth: Growth,
    make: fn(&Place) -> Box<dyn Whole>,
}

impl Listed {
    /// A broad phase of this kind, without boxes.
    pub fn make(&self, place: &Place) -> Box<dyn Whole> {
        (self.make)(place)
    }
}

const fn listed(name: &'static str, growth: Growth, make: fn(&Place) -> Box<dyn Whole>) -> Listed {
    Listed { name, growth, make }
}

/// All of them; the first is the one to start with.
pub const ALGORITHMS: &[Listed] = &[
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
    listed("multi-box-pruning", Growth::Even, |place| {
        Box::new(MultiBoxPruning::with_finder(RegionPruner::new(place.regions())))
    }),
    listed("multi-sap", Growth::EvenWhileCalm, |place| {
        Box::new(MultiSap::with_finder(RegionAxes::new(place.regions(), SapSettings::default())))
    }),
    listed("sweep-and-prune", Growth::EvenWhileCalm, |_| Box::new(SweepAndPrune::new())),
    listed("box-pruning", Growth::OneAxis, |_| Box::new(BoxPruning::new())),
    listed("sweep-sort", Growth::OneAxis, |_| Box::new(SweepSort::new())),
    listed("point-filter", Growth::OneAxis, |_| {
        Box::new(FoundBy::with_finder(PointFilter::new(AxisPruner::default())))
    }),
    listed("brute-force", Growth::EachAgainstEach, |_| Box::new(BruteForce::new())),
];

/// The algorithm of this name.
pub fn by_name(name: &str) -> Option<&'static Listed> {
    ALGORITHMS.iter().find(|listed| listed.name == name)
}

impl Place {
    /// Around these boxes.
    pub fn of(boxes: &[Aabb]) -> Place {
        let bounds = boxes.iter().fold(Aabb::EMPTY, |all, aabb| all.merged(aabb));
        Place { bounds, n_boxes: boxes.len() }
    }

    /// A grid of regions with a few hundred boxes in each; none in a place that has no finite size.
    fn regions(&self) -> Regions {
        let fits = |side: &usize| PER_REGION * side * side * side <= self.n_boxes;
        let side = (2..=MAX_SIDE).take_while(fits).last().unwrap_or(1) as u32;
        Regions::grid(&self.bounds, [side; 3]).unwrap_or_default()
    }
}
