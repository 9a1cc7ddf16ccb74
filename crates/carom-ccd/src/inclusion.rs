//! The time of impact of linearly moving elements, by halving boxes of time and position: slow,
//! simple and correct.
//!
//! A point of one feature minus a point of the other is linear in each of t, u and v. So over a box
//! its coordinates lie between those at the eight corners. A box over which some coordinate stays
//! away from zero holds no contact. The others are halved, the earliest first. The first box that
//! is too small to halve gives the time before which nothing touches.
//!
//! Reference: J. Snyder, A. Woodbury, K. Fleischer, B. Currin, A. Barr, Interval Methods for
//! Multi-Point Collisions between Time-Dependent Curved Surfaces, SIGGRAPH 1993; B. Wang et al., A
//! Large-Scale Benchmark and an Inclusion-Based Algorithm for Continuous Collision Detection, ACM
//! TOG 40(5), 2021.
//! Differs: the rounding bound comes from the differences of the vertices, so it scales with them.

use crate::element::{Element, ElementKind, edge_edge_differences, vertex_face_differences};
use crate::{Clear, TimeOfImpact, Undecided, Why};
use alloc::collections::BinaryHeap;
use carom_math::scaling::scale_of;
use carom_math::tol;
use core::cmp::Ordering;
use glam::DVec3;

/// A box of time and of positions on the features, with the number of halvings of each.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cell {
    t: [f64; 2],
    u: [f64; 2],
    v: [f64; 2],
}

impl Eq for Cell {}

impl Ord for Cell {
    /// The earliest box is the greatest. On a tie, it is the one with the earlier end.
    fn cmp(&self, other: &Cell) -> Ordering {
        other.t[0].total_cmp(&self.t[0]).then(other.t[1].total_cmp(&self.t[1]))
    }
}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Cell) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Element {
    /// As [`Element::time_of_impact`], by boxes. The answer is clear, or undecided from a time
    /// before which nothing touches.
    ///
    /// `tolerance` is relative to the largest difference of two vertices. Boxes over which the
    /// difference varies by less are not halved. After `max_boxes` boxes the answer is what is
    /// known by then. It allocates memory for the boxes in the queue.
    pub fn time_of_impact_by_inclusion(
        &self,
        minimum_separation: f64,
        tolerance: f64,
        max_boxes: u32,
    ) -> TimeOfImpact {
        let differences = |p: &[DVec3; 4]| match self.kind() {
            ElementKind::VertexFace => {
                let [a, b, c] = vertex_face_differences(p);
                // The weights of the corners are those of a parallelogram, of which one half is
                // used.
                [a, c, b + c - a, b]
            }
            ElementKind::EdgeEdge => edge_edge_differences(p),
        };
        let (start, end) = (differences(self.start()), differences(self.end()));
        let most = start.iter().chain(&end).fold(0.0, |most: f64, w| most.max(w.abs().max_element()));
        let scale = scale_of(most);
        let corners = [start.map(|w| w * scale), end.map(|w| w * scale)];
        let target = minimum_separation.max(0.0) * scale;
        let size = most * scale;
        // Three linear interpolations of rounded differences: 16 u, 2^-53 each, in each coordinate.
        let delta = 16.0 * f64::EPSILON * size;
        let tolerance = tolerance.max(tol::ELEMENT_GAP) * size;
        let mut queue = BinaryHeap::new();
        queue.push(Cell { t: [0.0, 1.0], u: [0.0, 1.0], v: [0.0, 1.0] });
        let mut n_boxes = 0;
        while let Some(cell) = queue.pop() {
            n_boxes += 1;
            let (low, high, spread) = range(&corners, &cell);
            // If one coordinate is away from zero by more than the target, so is the distance.
            if target < low.max(-high).max_element() - delta {
                continue;
            }
            let extent = (high - low).max_element();
            let is_small = extent <= tolerance;
            if is_small || max_boxes <= n_boxes {
                let why = if is_small { Why::WithinRounding } else { Why::StepsSpent };
                let distance = low.abs().max(high.abs()).length() + delta;
                return TimeOfImpact::Undecided(Undecided::new(cell.t[0], distance / scale, why));
            }
            for half in halves(&cell, spread) {
                // In a triangle only positions with u + v <= 1 count.
                if self.kind() == ElementKind::EdgeEdge || half.u[0] + half.v[0] <= 1.0 {
                    queue.push(half);
                }
            }
        }
        TimeOfImpact::Clear(Clear::new(minimum_separation.max(0.0)))
    }
}

/// Returns the least and the largest coordinates over the cell, and their variation with each of t,
/// u and v.
fn range(corners: &[[DVec3; 4]; 2], cell: &Cell) -> (DVec3, DVec3, [f64; 3]) {
    let at = |t: f64, u: f64, v: f64| {
        let w: [DVec3; 4] = core::array::from_fn(|i| corners[0][i] * (1.0 - t) + corners[1][i] * t);
        (w[0] * (1.0 - v) + w[1] * v) * (1.0 - u) + (w[3] * (1.0 - v) + w[2] * v) * u
    };
    let values: [DVec3; 8] = core::array::from_fn(|i| at(cell.t[i & 1], cell.u[i >> 1 & 1], cell.v[i >> 2]));
    let low = values.iter().fold(DVec3::INFINITY, |low, v| low.min(*v));
    let high = values.iter().fold(DVec3::NEG_INFINITY, |high, v| high.max(*v));
    let spread = core::array::from_fn(|axis| {
        let bit = 1 << axis;
        let between =
            |i: usize| if i & bit == 0 { (values[i | bit] - values[i]).abs().max_element() } else { 0.0 };
        (0..8).map(between).fold(0.0, f64::max)
    });
    (low, high, spread)
}

/// Returns the two halves, split across the parameter with the largest variation.
fn halves(cell: &Cell, spread: [f64; 3]) -> [Cell; 2] {
    let [t, u, v] = spread;
    let (mut first, mut second) = (*cell, *cell);
    let cut = |low: &mut [f64; 2], high: &mut [f64; 2]| {
        let middle = 0.5 * (low[0] + low[1]);
        (low[1], high[0]) = (middle, middle);
    };
    if u <= t && v <= t {
        cut(&mut first.t, &mut second.t);
    } else if v <= u {
        cut(&mut first.u, &mut second.u);
    } else {
        cut(&mut first.v, &mut second.v);
    }
    [first, second]
}
