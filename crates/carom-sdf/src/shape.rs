//! The deepest point of a convex shape in a field.
//!
//! The search starts at the center of the shape. Each step goes towards the support point against
//! the gradient, as long as the distance falls. If the field is convex near the shape, as around a
//! convex body, the search ends at the deepest point. Otherwise it may end at a local one.
//!
//! Reference: M. Macklin, K. Erleben, M. Mueller, N. Chentanez, S. Jeschke, Z. Corse, Local
//! Optimization for Robust Signed Distance Field Collision, PACMCGIT 3(1), 2020, section 3 (the
//! method of M. Frank and P. Wolfe).

use crate::bounds::bounds;
use crate::sample::sample;
use crate::stored::Stored;
use carom_geom::SupportMap;
use carom_math::{WidePose, tol};
use glam::DVec3;

/// The most steps of a search.
const MAX_STEPS: u32 = 64;

/// The most halvings of a step.
const MAX_HALVINGS: u32 = 8;

/// The deepest point of a convex shape in a field.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct DeepestPoint {
    /// The deepest point found in the core of the shape, in the field's frame.
    pub point: DVec3,
    /// The sampled distance there, less the margin of the shape: a length, negative if the shape
    /// is in the surface. Another point of the shape may be deeper.
    pub distance: f64,
    /// A certain lower bound on the distance of each point of the shape; minus infinity if nothing
    /// is known.
    pub at_least: f64,
    /// The gradient of the sampled distance at the point, of any length.
    pub gradient: DVec3,
}

/// See [`Field::deepest_of_shape`](crate::Field::deepest_of_shape).
pub(crate) fn deepest_of_shape(
    field: &impl Stored,
    shape: &impl SupportMap,
    pose: &WidePose,
) -> DeepestPoint {
    let center = pose.transform_point(shape.center());
    let margin = shape.margin();
    let (mut point, mut found) = (center, sample(field, center.as_vec3()));
    let tolerance = tol::FIELD_SURFACE * f64::from(field.header().grid.cell());
    for _ in 0..MAX_STEPS {
        let gradient = found.gradient.as_dvec3();
        let target = pose.transform_point(shape.support(pose.inverse_transform_vector(-gradient)).point);
        // The gain of the whole segment, if the field were linear.
        if !(tolerance < gradient.dot(point - target)) {
            break;
        }
        let mut best = None;
        let mut offset = target - point;
        for _ in 0..MAX_HALVINGS {
            let next = sample(field, (point + offset).as_vec3());
            let least = best.map_or(found, |(_, best)| best);
            if next.distance < least.distance {
                best = Some((point + offset, next));
            } else if best.is_some() {
                break;
            }
            offset *= 0.5;
        }
        let Some(next) = best else { break };
        (point, found) = next;
    }
    // A distance changes by no more than the point moves, and all of the shape is within its
    // radius of the center.
    let reach = shape.radius() + margin;
    DeepestPoint {
        point,
        distance: f64::from(found.distance) - margin,
        at_least: bounds(field, center).least - reach,
        gradient: found.gradient.as_dvec3(),
    }
}
