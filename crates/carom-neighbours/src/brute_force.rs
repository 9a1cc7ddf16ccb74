//! Tests all pairs one by one: the executable specification of a search for neighbours.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.10.2 (pairs within a
//! radius).

use crate::error::NeighbourError;
use crate::lists::NeighbourLists;
use crate::search::NeighbourSearch;
use crate::within::is_within;
use crate::{DEFAULT_MAX_PAIRS, check_points, check_radius};
use alloc::vec::Vec;
use core::ops::ControlFlow;
use glam::Vec3;

/// A search that tests all pairs, for tests and for a few points.
#[derive(Clone, Debug)]
pub struct BruteForce {
    radius: f32,
    max_pairs: usize,
    points: Vec<Vec3>,
}

impl BruteForce {
    /// Returns a search for a radius, in the unit of the points. Error: a radius that is negative
    /// or not finite.
    pub fn new(radius: f32) -> Result<BruteForce, NeighbourError> {
        check_radius(radius)?;
        Ok(BruteForce { radius, max_pairs: DEFAULT_MAX_PAIRS, points: Vec::new() })
    }

    /// Sets the largest number of pairs of a result.
    #[must_use]
    pub fn with_max_pairs(self, max_pairs: usize) -> BruteForce {
        BruteForce { max_pairs, ..self }
    }

    /// Makes `pairs` the near pairs of a point of `others` and a point of the search that `wanted`
    /// accepts.
    fn pairs_of(
        &self,
        others: &[Vec3],
        pairs: &mut Vec<[u32; 2]>,
        wanted: impl Fn(u32, u32) -> bool,
    ) -> Result<(), NeighbourError> {
        pairs.clear();
        for (a, p) in (0..).zip(others) {
            for (b, q) in (0..).zip(&self.points) {
                if !wanted(a, b) || !is_within(*p, *q, self.radius) {
                    continue;
                }
                if pairs.len() == self.max_pairs {
                    pairs.clear();
                    return Err(NeighbourError::TooDense { max_pairs: self.max_pairs });
                }
                pairs.push([a, b]);
            }
        }
        Ok(())
    }
}

impl NeighbourSearch for BruteForce {
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
        self.points.clear();
        self.points.extend_from_slice(points);
        Ok(())
    }

    fn collect_pairs(&mut self, pairs: &mut Vec<[u32; 2]>) -> Result<(), NeighbourError> {
        self.pairs_of(&self.points, pairs, |a, b| a < b)
    }

    fn collect_lists(&mut self, lists: &mut NeighbourLists) -> Result<(), NeighbourError> {
        lists.clear();
        let mut pairs = Vec::new();
        self.collect_pairs(&mut pairs)?;
        lists.set_pairs(self.points.len(), &pairs, true);
        Ok(())
    }

    fn collect_lists_between(
        &mut self,
        others: &[Vec3],
        lists: &mut NeighbourLists,
    ) -> Result<(), NeighbourError> {
        lists.clear();
        check_points(others)?;
        let mut pairs = Vec::new();
        self.pairs_of(others, &mut pairs, |_, _| true)?;
        lists.set_pairs(others.len(), &pairs, false);
        Ok(())
    }

    fn visit_pairs(&mut self, visit: &mut dyn FnMut(u32, u32) -> ControlFlow<()>) {
        for (a, p) in (0..).zip(&self.points) {
            for (b, q) in (0..).zip(&self.points).skip(a as usize + 1) {
                if is_within(*p, *q, self.radius) && visit(a, b).is_break() {
                    return;
                }
            }
        }
    }

    fn visit_lists(&mut self, visit: &mut dyn FnMut(u32, &[u32]) -> ControlFlow<()>) {
        let mut row = Vec::new();
        for (a, p) in (0..).zip(&self.points) {
            row.clear();
            let all = (0..).zip(&self.points);
            row.extend(all.filter(|(b, q)| *b != a && is_within(*p, **q, self.radius)).map(|(b, _)| b));
            if visit(a, &row).is_break() {
                return;
            }
        }
    }

    fn visit_near(&self, position: Vec3, visit: &mut dyn FnMut(u32) -> ControlFlow<()>) {
        for (b, q) in (0..).zip(&self.points) {
            if is_within(position, *q, self.radius) && visit(b).is_break() {
                return;
            }
        }
    }
}
