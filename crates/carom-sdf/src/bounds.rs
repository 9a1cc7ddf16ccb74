//! Certain bounds of the distance at a point.
//!
//! A distance changes by no more than the point moves. So each node around the point gives an
//! interval: its value, plus or minus the distance to the node. The result is the intersection of
//! the intervals.
//!
//! Reference: J. Hart, Sphere Tracing: A Geometric Method for the Antialiased Ray Tracing of
//! Implicit Surfaces, The Visual Computer 12(10), 1996, section 2.
//! Differs: the bound holds between samples, rounding included.

use crate::bake::Accuracy;
use crate::sign::SignMethod;
use crate::stored::Stored;
use carom_math::ops::sqrt;
use glam::{DVec3, UVec3};

/// A bound on the relative error of a length after several roundings.
pub(crate) const ROUNDING_RATIO: f64 = 16.0 * f64::EPSILON;

/// An interval that contains the signed distance at a point. Both ends are lengths.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct DistanceBounds {
    /// Not above the distance; minus infinity if nothing is known.
    pub least: f64,
    /// Not below the distance; infinity if nothing is known.
    pub greatest: f64,
}

impl DistanceBounds {
    /// Nothing is known.
    pub const UNKNOWN: DistanceBounds = DistanceBounds { least: f64::NEG_INFINITY, greatest: f64::INFINITY };

    /// Returns a certain lower bound on the distance to the surface, a length without sign; 0 if
    /// none is known.
    pub fn clearance(&self) -> f64 {
        self.least.max(-self.greatest).max(0.0)
    }

    /// Whether the point is certainly inside.
    pub fn is_inside(&self) -> bool {
        self.greatest < 0.0
    }

    /// Whether the point is certainly outside.
    pub fn is_outside(&self) -> bool {
        0.0 < self.least
    }
}

/// The bounds at a point; see [`Field::bounds`](crate::Field::bounds).
pub(crate) fn bounds(field: &impl Stored, point: DVec3) -> DistanceBounds {
    let header = field.header();
    if header.accuracy == Accuracy::Estimate || !point.is_finite() {
        return DistanceBounds::UNKNOWN;
    }
    let (min, max) = header.grid.wide_bounds();
    let inner = point.clamp(min, max);
    let found = inner_bounds(field, inner);
    let gap = (point - inner).length();
    if gap == 0.0 {
        return found;
    }
    // All of the surface is inside the grid, which is convex.
    let surface_distance = found.least.max(0.0);
    let at_most = |size: f64| (gap + size.max(0.0)) * (1.0 + ROUNDING_RATIO);
    // Beyond the grid of a closed mesh is outside. A function may be below 0 there, and an open
    // mesh has no certain side.
    let may_be_inside = matches!(header.sign, SignMethod::Given | SignMethod::Winding { .. });
    let corners = field.values_of_cell(header.grid.cell_of(inner));
    if may_be_inside && corners.iter().any(|value| *value <= 0.0) {
        let greatest = at_most(found.greatest.max(-found.least));
        return DistanceBounds { least: -greatest, greatest };
    }
    DistanceBounds {
        least: sqrt(gap * gap + surface_distance * surface_distance) * (1.0 - ROUNDING_RATIO),
        greatest: at_most(found.greatest),
    }
}

/// The bounds at a point of the grid.
fn inner_bounds(field: &impl Stored, point: DVec3) -> DistanceBounds {
    let header = field.header();
    let cell = header.grid.cell_of(point);
    let corners = field.values_of_cell(cell);
    let is_signed = header.sign.is_certain();
    let (mut least, mut greatest) = (f64::NEG_INFINITY, f64::INFINITY);
    for (value, node) in corners.into_iter().zip(corner_nodes(cell)) {
        let node_distance = (point - header.grid.node(node)).length() * (1.0 + ROUNDING_RATIO);
        let value = if is_signed { value } else { value.abs() };
        let [low, high] = value_bounds(value, header.band);
        least = least.max(low - node_distance);
        greatest = greatest.min(high + node_distance);
    }
    // Rounding of the sums.
    let slack = ROUNDING_RATIO * f64::from(header.grid.cell());
    (least, greatest) =
        (least - slack - ROUNDING_RATIO * least.abs(), greatest + slack + ROUNDING_RATIO * greatest.abs());
    if !is_signed {
        least = least.max(0.0);
        // The sign is that of all nodes around, or unknown.
        let is_inside = corners.iter().any(|v| *v < 0.0);
        let is_outside = corners.iter().any(|v| 0.0 < *v);
        (least, greatest) = match (is_inside, is_outside) {
            (true, true) => (-greatest, greatest),
            (true, false) => (-greatest, -least),
            _ => (least, greatest),
        };
    }
    if header.accuracy == Accuracy::Exact {
        return DistanceBounds { least, greatest };
    }
    // A value is a lower bound: the surface may be farther.
    DistanceBounds {
        least: if 0.0 < least { least } else { f64::NEG_INFINITY },
        greatest: if greatest < 0.0 { greatest } else { f64::INFINITY },
    }
}

/// Returns the interval of the distance at a node, given its value.
pub(crate) fn value_bounds(value: f32, band: f32) -> [f64; 2] {
    // The value is rounded, and cut at the band.
    let low = if value <= -band { f64::NEG_INFINITY } else { f64::from(value.next_down()) };
    let high = if band <= value { f64::INFINITY } else { f64::from(value.next_up()) };
    [low, high]
}

/// The nodes of a cell in the order of [`Field::corners`](crate::Field::corners).
pub(crate) fn corner_nodes(cell: UVec3) -> [UVec3; 8] {
    core::array::from_fn(|i| cell + UVec3::new(i as u32 & 1, i as u32 >> 1 & 1, i as u32 >> 2))
}
