//! Sorts both ends of every box along one line, sweeps, and keeps a list of active boxes.
//!
//! At its lower end a box is tested against the list; at its upper end it leaves the list. Along
//! an axis the ends are exact. Along a slanted line each box has a projected interval, rounded
//! outwards.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1.1; F. Liu, T. Harada, Y.
//! Lee, Y. J. Kim, Real-Time Collision Culling of a Million Bodies on Graphics Processing Units,
//! 2010 (the line of greatest variance).

use crate::axis;
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume};
use carom_broad::{FromFinder, PairBuffer, PairFinder, ProxyTable};
use glam::DVec3;

/// Sweeps one line. It is simple and makes the most tests: all boxes that overlap on the line are
/// tested.
///
/// `SweepSort::new()` sweeps along the axis of greatest variance,
/// `SweepSort::with_finder(Sweep::along(line))` along another line.
///
/// Memory: 60 bytes per slot beside that of [`FromFinder`].
pub type SweepSort = FromFinder<Sweep>;

/// The line of a sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SweepLine {
    /// The axis along which the centres vary most.
    #[default]
    GreatestVariance,
    /// The direction along which the centres vary most: their first principal component.
    Principal,
    /// The axis x.
    X,
    /// The axis y.
    Y,
    /// The axis z.
    Z,
}

/// The finder of [`SweepSort`].
#[derive(Clone, Debug, Default)]
pub struct Sweep {
    line: SweepLine,
    ends: Vec<End>,
    active: Vec<u32>,
    /// By slot: the position in `active`.
    indices: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct End {
    at: f64,
    slot: u32,
    is_upper: bool,
}

/// Relative rounding of three products and two sums, for two ends.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

impl Sweep {
    /// Creates a sweep along this line.
    pub fn along(line: SweepLine) -> Sweep {
        Sweep { line, ..Sweep::default() }
    }

    /// Makes `ends` both ends of every box, sorted. Lower ends come first at equal positions,
    /// because touching counts.
    fn sort(&mut self, slots: &[u32], boxes: &[Aabb]) {
        let ends = &mut self.ends;
        let direction = match self.line {
            SweepLine::GreatestVariance => DVec3::AXES[axis::of_greatest_variance(slots, boxes)],
            SweepLine::Principal => axis::principal(slots, boxes),
            SweepLine::X => DVec3::X,
            SweepLine::Y => DVec3::Y,
            SweepLine::Z => DVec3::Z,
        };
        // An axis needs no allowance for rounding: the other products are zero.
        let room = if DVec3::AXES.contains(&direction) { 0.0 } else { ROUNDING };
        ends.clear();
        for &slot in slots {
            let aabb = &boxes[slot as usize];
            let (low, high) = (aabb.min.as_dvec3() * direction, aabb.max.as_dvec3() * direction);
            let slack = (low.abs() + high.abs()).element_sum() * room;
            ends.push(End { at: low.min(high).element_sum() - slack, slot, is_upper: false });
            ends.push(End { at: low.max(high).element_sum() + slack, slot, is_upper: true });
        }
        ends.sort_unstable_by(|a, b| {
            // Adding zero makes the two zeros one.
            (a.at + 0.0).total_cmp(&(b.at + 0.0)).then(a.is_upper.cmp(&b.is_upper)).then(a.slot.cmp(&b.slot))
        });
    }
}

impl PairFinder for Sweep {
    fn find(&mut self, proxies: &ProxyTable, slots: &[u32], found: &mut PairBuffer) {
        let boxes = proxies.boxes();
        self.sort(slots, boxes);
        let Sweep { ends, active, indices, .. } = self;
        active.clear();
        indices.resize(boxes.len(), 0);
        for end in ends.iter() {
            if end.is_upper {
                // The last entry of the list fills the gap.
                let at = indices[end.slot as usize];
                active.swap_remove(at as usize);
                if let Some(&moved) = active.get(at as usize) {
                    indices[moved as usize] = at;
                }
                continue;
            }
            let aabb = &boxes[end.slot as usize];
            found.tests += active.len() as u64;
            for &other in active.iter() {
                if aabb.overlaps(&boxes[other as usize]) {
                    found.push(end.slot, other);
                }
            }
            indices[end.slot as usize] = active.len() as u32;
            active.push(end.slot);
        }
        found.nodes += 1;
    }

    fn bytes(&self) -> usize {
        let Sweep { ends, active, indices, .. } = self;
        ends.capacity() * size_of::<End>() + 4 * (active.capacity() + indices.capacity())
    }
}
