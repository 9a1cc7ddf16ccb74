//! Grids for points with different radii: one grid for each octave of radii.
//!
//! - Two points are a pair if their distance is at most the sum of their radii, or the larger one:
//!   [`Reach`]. Both are symmetric.
//! - The cells of a grid are as large as the reach of two of its largest points. So a point finds
//!   all points of its own octave, and of those above, in 27 cells of their grids. Each pair is
//!   found once, by its smaller point.
//! - Only octaves with points have a grid; there are 255 at most.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 7.2 (hierarchical grids).
//! Differs: a grid of sorted points for each octave, and no hashing.

use crate::error::NeighbourError;
use crate::lists::NeighbourLists;
use crate::rows::{NearSearch, Rule, Scan, Side};
use crate::sorted::Sorted;
use crate::walk::{RowMemory, RowSearch, in_order};
use crate::within::Band;
use crate::{DEFAULT_MAX_PAIRS, check_points, check_radius};
use alloc::vec::Vec;
use carom_lanes::dispatch;
use core::ops::ControlFlow;
use glam::Vec3;

/// The rule for the distance up to which two points with radii are neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// The sum of the radii: two balls that touch.
    #[default]
    Sum,
    /// The larger radius: at least one of the points is within the radius of the other.
    Larger,
}

impl Reach {
    /// Returns the reach of two points with these radii. It is symmetric to the bit.
    #[inline]
    pub fn of(self, a: f32, b: f32) -> f64 {
        match self {
            Reach::Sum => f64::from(a) + f64::from(b),
            Reach::Larger => f64::from(a.max(b)),
        }
    }
}

/// Points whose radii have one exponent.
#[derive(Clone, Debug)]
struct Level {
    points: Sorted,
    /// The radius of each slot.
    radii: Vec<f32>,
    least: f32,
    most: f32,
}

/// A search for pairs of points that have radii of their own.
///
/// A pair is within reach if dx dx + dy dy + dz dz <= reach reach, all in `f64`, as in
/// [`is_within`](crate::is_within).
#[derive(Clone, Debug)]
pub struct HierarchicalGrid {
    reach: Reach,
    max_pairs: usize,
    n_points: usize,
    /// Levels with small radii first. Levels beyond `n_levels` are reusable memory.
    levels: Vec<Level>,
    n_levels: usize,
    /// The points of one level.
    gathered: Vec<Vec3>,
    numbers: Vec<u32>,
    memory: RowMemory,
    pairs: Vec<[u32; 2]>,
}

/// Two radii for each pair.
struct OwnRadii<'a> {
    reach: Reach,
    queries: &'a [f32],
    candidates: &'a [f32],
}

impl Rule for OwnRadii<'_> {
    #[inline(always)]
    fn holds(&self, slot: usize, candidate: usize, distance_sq: f64) -> bool {
        let reach = self.reach.of(self.queries[slot], self.candidates[candidate]);
        distance_sq <= reach * reach
    }
}

impl HierarchicalGrid {
    /// Returns a search without points.
    pub fn new(reach: Reach) -> HierarchicalGrid {
        HierarchicalGrid {
            reach,
            max_pairs: DEFAULT_MAX_PAIRS,
            n_points: 0,
            levels: Vec::new(),
            n_levels: 0,
            gathered: Vec::new(),
            numbers: Vec::new(),
            memory: RowMemory::default(),
            pairs: Vec::new(),
        }
    }

    /// Sets the largest number of pairs of a result. It bounds the memory of results.
    #[must_use]
    pub fn with_max_pairs(self, max_pairs: usize) -> HierarchicalGrid {
        HierarchicalGrid { max_pairs, ..self }
    }

    /// Does the same as [`HierarchicalGrid::with_max_pairs`], for a search whose number of points
    /// grows.
    pub fn set_max_pairs(&mut self, max_pairs: usize) {
        self.max_pairs = max_pairs;
    }

    /// Returns the number of points.
    pub fn n_points(&self) -> usize {
        self.n_points
    }

    /// Replaces the points and their radii, which are in the unit of the points.
    ///
    /// An error names the first bad item, and nothing has changed. A radius must be finite and not
    /// negative.
    pub fn set_points(&mut self, points: &[Vec3], radii: &[f32]) -> Result<(), NeighbourError> {
        check(points, radii)?;
        (self.n_points, self.n_levels) = (points.len(), 0);
        // An octave is an exponent. Subnormal radii and 0 share one.
        let octave = |radius: f32| (radius.to_bits() << 1 >> 24) as usize;
        let mut has_points = [false; 256];
        radii.iter().for_each(|&radius| has_points[octave(radius)] = true);
        for exponent in (0..256).filter(|&exponent| has_points[exponent]) {
            let of_level = |&i: &u32| octave(radii[i as usize]) == exponent;
            self.numbers.clear();
            self.numbers.extend((0..points.len() as u32).filter(of_level));
            self.gathered.clear();
            self.gathered.extend(self.numbers.iter().map(|&i| points[i as usize]));
            let own = || self.numbers.iter().map(|&i| radii[i as usize]);
            let (least, most) = (own().fold(f32::INFINITY, f32::min), own().fold(0.0, f32::max));
            if self.levels.len() == self.n_levels {
                self.levels.push(Level { points: Sorted::new(0.0), radii: Vec::new(), least, most });
            }
            let level = &mut self.levels[self.n_levels];
            self.n_levels += 1;
            (level.least, level.most) = (least, most);
            level.points.set_reach(self.reach.of(most, most));
            level.points.sort(&self.gathered)?;
            // Replaces indices in the level by the caller's numbers.
            for point in &mut level.points.points[..self.numbers.len()] {
                *point = self.numbers[*point as usize];
            }
            level.radii.clear();
            let slots = &level.points.points[..self.numbers.len()];
            level.radii.extend(slots.iter().map(|&point| radii[point as usize]));
        }
        Ok(())
    }

    /// Collects all pairs within reach, each once, the smaller number first.
    pub fn collect_pairs(&mut self, pairs: &mut Vec<[u32; 2]>) -> Result<(), NeighbourError> {
        pairs.clear();
        let mut memory = core::mem::take(&mut self.memory);
        let mut is_whole = true;
        self.each_pair_of_levels(|walk| {
            is_whole = walk.collect_pairs(self.max_pairs, &mut memory, pairs, in_order);
            if is_whole { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        self.memory = memory;
        if is_whole { Ok(()) } else { Err(NeighbourError::TooDense { max_pairs: self.max_pairs }) }
    }

    /// Collects for each point the points within reach of it.
    pub fn collect_lists(&mut self, lists: &mut NeighbourLists) -> Result<(), NeighbourError> {
        lists.clear();
        let mut pairs = core::mem::take(&mut self.pairs);
        let done = self.collect_pairs(&mut pairs);
        if done.is_ok() {
            lists.set_pairs(self.n_points, &pairs, true);
        }
        self.pairs = pairs;
        done
    }

    /// Collects for each of `others` the points within reach of it. `others` are not kept.
    pub fn collect_lists_between(
        &mut self,
        others: &[Vec3],
        radii: &[f32],
        lists: &mut NeighbourLists,
    ) -> Result<(), NeighbourError> {
        lists.clear();
        check(others, radii)?;
        let mut pairs = core::mem::take(&mut self.pairs);
        pairs.clear();
        let mut is_whole = true;
        for (i, (position, &radius)) in (0..).zip(others.iter().zip(radii)) {
            self.visit_near(*position, radius, &mut |point| {
                is_whole = pairs.len() < self.max_pairs;
                if !is_whole {
                    return ControlFlow::Break(());
                }
                pairs.push([i, point]);
                ControlFlow::Continue(())
            });
            if !is_whole {
                break;
            }
        }
        if is_whole {
            lists.set_pairs(others.len(), &pairs, false);
        }
        self.pairs = pairs;
        if is_whole { Ok(()) } else { Err(NeighbourError::TooDense { max_pairs: self.max_pairs }) }
    }

    /// Calls `visit` once with each pair within reach, the smaller number first, until it breaks.
    /// It keeps no list.
    pub fn visit_pairs(&mut self, visit: &mut dyn FnMut(u32, u32) -> ControlFlow<()>) {
        let mut memory = core::mem::take(&mut self.memory);
        self.each_pair_of_levels(|walk| {
            walk.visit(0..walk.queries.len(), &mut memory, |slot, row| {
                let own = walk.queries.points[slot];
                row.iter().try_for_each(|&other| visit(own.min(other), own.max(other)))
            })
        });
        self.memory = memory;
    }

    /// Calls `visit` with each point within reach of a ball at any position, until it breaks.
    ///
    /// A position that is not finite reaches nothing. Neither does a radius that is negative or
    /// not finite.
    pub fn visit_near(&self, point: Vec3, radius: f32, visit: &mut dyn FnMut(u32) -> ControlFlow<()>) {
        if !point.is_finite() || check_radius(radius).is_err() {
            return;
        }
        let position = point.to_array();
        for level in &self.levels[..self.n_levels] {
            let rule = OwnRadii { reach: self.reach, queries: &[radius], candidates: &level.radii };
            let most = self.reach.of(radius, level.most);
            let band = Band::between(self.reach.of(radius, level.least), most);
            let scan = Scan { candidates: &level.points, band, rule: &rule };
            // The ends are rounded, so one more cell on each side is searched.
            let end = |sign: f64| position.map(|x| (f64::from(x) + sign * most) as f32);
            let end = |sign: f64| end(sign).map(|x| x.clamp(f32::MIN, f32::MAX));
            let [low, high] = [level.points.cell(end(-1.0)), level.points.cell(end(1.0))];
            let cells = [low.map(|x| x - 1), high.map(|x| x + 1)];
            if dispatch(NearSearch { scan, position, cells, visit: &mut *visit }).is_break() {
                return;
            }
        }
    }

    /// Calls `search` for each level with itself, and with each coarser level.
    fn each_pair_of_levels(&self, mut search: impl FnMut(&RowSearch<'_, OwnRadii<'_>>) -> ControlFlow<()>) {
        let levels = &self.levels[..self.n_levels];
        for (i, coarse) in levels.iter().enumerate() {
            for (k, fine) in levels[..=i].iter().enumerate() {
                let rule = OwnRadii { reach: self.reach, queries: &fine.radii, candidates: &coarse.radii };
                let of = |a: f32, b: f32| self.reach.of(a, b);
                let band = Band::between(of(fine.least, coarse.least), of(fine.most, coarse.most));
                let scan = Scan { candidates: &coarse.points, band, rule: &rule };
                let side = if i == k { Side::Later } else { Side::All };
                if search(&RowSearch { scan, queries: &fine.points, side }).is_break() {
                    return;
                }
            }
        }
    }
}

/// Checks points and radii. The error names the first bad item.
fn check(points: &[Vec3], radii: &[f32]) -> Result<(), NeighbourError> {
    if points.len() != radii.len() {
        return Err(NeighbourError::WrongCount { points: points.len(), radii: radii.len() });
    }
    check_points(points)?;
    match radii.iter().position(|&radius| check_radius(radius).is_err()) {
        Some(point) => Err(NeighbourError::BadPointRadius { point }),
        None => Ok(()),
    }
}
