//! Finds the line along which the boxes are spread out most.
//!
//! Reference: F. Liu, T. Harada, Y. Lee, Y. J. Kim, Real-Time Collision Culling of a Million
//! Bodies on Graphics Processing Units, 2010, 4 (the sweep direction is the first principal
//! component).

use carom_bounds::Aabb;
use carom_math::symmetric_eigen;
use glam::{DMat3, DVec3};

/// At most this many boxes are sampled; any choice gives the same pairs.
const SAMPLES: usize = 4096;

/// Returns the covariance of the centres of a sample.
fn covariance(slots: &[u32], boxes: &[Aabb]) -> DMat3 {
    let step = slots.len().div_ceil(SAMPLES).max(1);
    let centers = || {
        slots.iter().step_by(step).map(|&slot| {
            let aabb = &boxes[slot as usize];
            (aabb.min.as_dvec3() + aabb.max.as_dvec3()) * 0.5
        })
    };
    let n = centers().count().max(1) as f64;
    let mean = centers().sum::<DVec3>() / n;
    let mut sum = DMat3::ZERO;
    for center in centers() {
        let d = center - mean;
        sum += DMat3::from_cols(d * d.x, d * d.y, d * d.z);
    }
    sum * (1.0 / n)
}

/// Returns the axis of greatest variance: 0, 1 or 2.
pub(crate) fn of_greatest_variance(slots: &[u32], boxes: &[Aabb]) -> usize {
    let m = covariance(slots, boxes);
    let variance = [m.x_axis.x, m.y_axis.y, m.z_axis.z];
    (1..3).fold(0, |best, axis| if variance[best] < variance[axis] { axis } else { best })
}

/// Returns the direction of greatest variance, of about unit length.
pub(crate) fn principal(slots: &[u32], boxes: &[Aabb]) -> DVec3 {
    let m = covariance(slots, boxes);
    let largest = m.x_axis.x.max(m.y_axis.y).max(m.z_axis.z);
    if !(0.0 < largest) {
        return DVec3::X;
    }
    let direction = symmetric_eigen((m * (1.0 / largest)).as_mat3()).vectors.z_axis.as_dvec3();
    if direction.is_finite() && direction != DVec3::ZERO { direction } else { DVec3::X }
}
