//! A tree of boxes around the points, for comparison with the grids.
//!
//! - Each point has a box of half the radius on each side. Boxes of two points within the radius
//!   touch.
//! - Pairs of leaves whose boxes touch give candidates, and the rule decides.
//! - Boxes are rounded outwards. Coordinates beyond the largest of a tree are clamped to it, so
//!   boxes that touch still touch.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1.3 and 25.10.2.

use crate::error::NeighbourError;
use crate::lists::NeighbourLists;
use crate::search::NeighbourSearch;
use crate::within::is_within;
use crate::{DEFAULT_MAX_PAIRS, check_points, check_radius};
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_bvh::{BuildMethod, BuildSettings, Builder, Bvh, BvhError, MAX_COORDINATE};
use carom_math::tol;
use core::ops::ControlFlow;
use glam::Vec3;

/// Points in a leaf.
const LEAF_POINTS: u32 = 8;

/// A search for neighbours by a tree of boxes, which is rebuilt for new points. There may be up to
/// 2^28 points.
#[derive(Debug)]
pub struct NeighbourTree {
    radius: f32,
    max_pairs: usize,
    points: Vec<Vec3>,
    boxes: Vec<Aabb>,
    tree: Bvh<Aabb>,
    builder: Builder,
    pairs: Vec<[u32; 2]>,
    row: Vec<u32>,
}

impl NeighbourTree {
    /// Returns a search for a radius, in the unit of the points. Error: a radius that is negative
    /// or not finite.
    pub fn new(radius: f32) -> Result<NeighbourTree, NeighbourError> {
        check_radius(radius)?;
        Ok(NeighbourTree {
            radius,
            max_pairs: DEFAULT_MAX_PAIRS,
            points: Vec::new(),
            boxes: Vec::new(),
            tree: Bvh::default(),
            builder: Builder::default(),
            pairs: Vec::new(),
            row: Vec::new(),
        })
    }

    /// Sets the largest number of pairs of a result. It bounds the memory of results.
    #[must_use]
    pub fn with_max_pairs(self, max_pairs: usize) -> NeighbourTree {
        NeighbourTree { max_pairs, ..self }
    }

    /// Returns the box of half the radius around a finite position.
    fn box_around(&self, position: Vec3) -> Aabb {
        // Slightly more than half, for the rounding of the rule.
        let half = 0.5 * f64::from(self.radius) * (1.0 + tol::NEIGHBOUR_BAND);
        let aabb = Aabb::from_center_radius(position.as_dvec3(), half);
        let limit = Vec3::splat(MAX_COORDINATE);
        Aabb { min: aabb.min.clamp(-limit, limit), max: aabb.max.clamp(-limit, limit) }
    }

    /// Adds a pair, or breaks if the limit is reached.
    fn add(&self, pairs: &mut Vec<[u32; 2]>, pair: [u32; 2]) -> ControlFlow<()> {
        if pairs.len() == self.max_pairs {
            return ControlFlow::Break(());
        }
        pairs.push(pair);
        ControlFlow::Continue(())
    }

    fn too_dense(&self) -> NeighbourError {
        NeighbourError::TooDense { max_pairs: self.max_pairs }
    }

    /// Visits all pairs within the radius.
    fn pairs(&self, mut visit: impl FnMut(u32, u32) -> ControlFlow<()>) -> ControlFlow<()> {
        let position = |point: u32| self.points[point as usize];
        let done = self.tree.visit_self_pairs(|a, b| {
            if is_within(position(a), position(b), self.radius) {
                visit(a, b)?;
            }
            ControlFlow::Continue(())
        });
        if done.stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Visits all points near a position.
    fn near(&self, position: Vec3, mut visit: impl FnMut(u32) -> ControlFlow<()>) -> ControlFlow<()> {
        let done = self.tree.visit_box(&self.box_around(position), |leaf| {
            for &point in leaf.primitives {
                if is_within(position, self.points[point as usize], self.radius) {
                    visit(point)?;
                }
            }
            ControlFlow::Continue(())
        });
        if done.stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl NeighbourSearch for NeighbourTree {
    fn radius(&self) -> f32 {
        self.radius
    }

    fn max_pairs(&self) -> usize {
        self.max_pairs
    }

    fn n_points(&self) -> usize {
        self.points.len()
    }

    fn set_points(&mut self, points: &[Vec3]) -> Result<(), NeighbourError> {
        check_points(points)?;
        let mut boxes = core::mem::take(&mut self.boxes);
        boxes.clear();
        boxes.extend(points.iter().map(|p| self.box_around(*p)));
        self.boxes = boxes;
        let settings = BuildSettings::default().with_method(BuildMethod::Morton).with_max_leaf(LEAF_POINTS);
        match self.builder.rebuild(&mut self.tree, &self.boxes, &settings) {
            Err(BvhError::NotFinite { primitive }) => {
                return Err(NeighbourError::NotFinite { point: primitive });
            }
            Err(_) => return Err(NeighbourError::TooMany),
            Ok(()) => {}
        }
        self.points.clear();
        self.points.extend_from_slice(points);
        Ok(())
    }

    fn collect_pairs(&mut self, pairs: &mut Vec<[u32; 2]>) -> Result<(), NeighbourError> {
        pairs.clear();
        if self.pairs(|a, b| self.add(pairs, [a, b])).is_break() {
            pairs.clear();
            return Err(self.too_dense());
        }
        Ok(())
    }

    fn collect_lists(&mut self, lists: &mut NeighbourLists) -> Result<(), NeighbourError> {
        lists.clear();
        let mut pairs = core::mem::take(&mut self.pairs);
        let done = self.collect_pairs(&mut pairs);
        if done.is_ok() {
            lists.set_pairs(self.points.len(), &pairs, true);
        }
        self.pairs = pairs;
        done
    }

    fn collect_lists_between(
        &mut self,
        others: &[Vec3],
        lists: &mut NeighbourLists,
    ) -> Result<(), NeighbourError> {
        lists.clear();
        check_points(others)?;
        let mut pairs = core::mem::take(&mut self.pairs);
        pairs.clear();
        let mut all = (0..).zip(others);
        let done =
            all.try_for_each(|(i, position)| self.near(*position, |point| self.add(&mut pairs, [i, point])));
        if done.is_continue() {
            lists.set_pairs(others.len(), &pairs, false);
        }
        self.pairs = pairs;
        if done.is_continue() { Ok(()) } else { Err(self.too_dense()) }
    }

    fn visit_pairs(&mut self, visit: &mut dyn FnMut(u32, u32) -> ControlFlow<()>) {
        let _ = self.pairs(visit);
    }

    fn visit_lists(&mut self, visit: &mut dyn FnMut(u32, &[u32]) -> ControlFlow<()>) {
        let mut row = core::mem::take(&mut self.row);
        for (point, position) in (0..).zip(&self.points) {
            row.clear();
            let _ = self.near(*position, |other| {
                if other != point {
                    row.push(other);
                }
                ControlFlow::Continue(())
            });
            if visit(point, &row).is_break() {
                break;
            }
        }
        self.row = row;
    }

    fn visit_near(&self, position: Vec3, visit: &mut dyn FnMut(u32) -> ControlFlow<()>) {
        if position.is_finite() {
            let _ = self.near(position, visit);
        }
    }
}
