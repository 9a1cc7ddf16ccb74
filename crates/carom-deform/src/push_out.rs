//! The depth and the direction by which to push a vertex out, and the trait of colliders with a
//! signed distance.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.9 (response needs a depth
//! and a direction).

use crate::deformable::DeformableMesh;
use crate::update::FollowingTree;
use alloc::vec::Vec;
use carom_math::ops::sqrt;
use glam::DVec3;

/// A vertex that is nearer to a collider than the thickness allows, or in it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PushOut {
    /// The vertex of the cloth, by its index in [`DeformableMesh::positions`].
    pub vertex: u32,
    /// The face of the collider that it is pushed from; none for a signed distance.
    pub face: Option<u32>,
    /// The direction of the push: a vector of length 1.
    pub direction: DVec3,
    /// The distance to push: a length above 0. If no other face is near, the vertex is then a
    /// thickness away from the collider.
    pub depth: f64,
}

/// Something that knows how far a point is outside of it: a rigid body, a field of samples. A
/// closure is one too.
pub trait SignedDistance {
    /// Returns the distance from a point to the surface, a length, negative inside. Also returns
    /// the direction in which it grows fastest, of length 1. `None` if it is not known.
    fn signed_distance(&self, point: DVec3) -> Option<(f64, DVec3)>;
}

impl<F: Fn(DVec3) -> Option<(f64, DVec3)>> SignedDistance for F {
    fn signed_distance(&self, point: DVec3) -> Option<(f64, DVec3)> {
        self(point)
    }
}

impl<T: FollowingTree> DeformableMesh<T> {
    /// Adds to `out`, in ascending order, each vertex of the surface that is nearer to the
    /// collider than half of the thickness, or in it. A vertex whose distance or direction is NaN
    /// or infinite is left out.
    pub fn collect_push_outs(&self, collider: &impl SignedDistance, out: &mut Vec<PushOut>) {
        let thickness = 0.5 * f64::from(self.thickness());
        for &vertex in self.surface_vertices() {
            let point = self.positions()[vertex as usize].as_dvec3();
            let Some((distance, direction)) = collider.signed_distance(point) else { continue };
            let depth = thickness - distance;
            if 0.0 < depth && depth.is_finite() && direction.is_finite() {
                out.push(PushOut { vertex, face: None, direction, depth });
            }
        }
    }
}

/// A vector with length 1, if it has a direction.
pub(crate) fn unit(v: DVec3) -> Option<DVec3> {
    let largest = v.abs().max_element();
    if !(0.0 < largest && largest.is_finite()) {
        return None;
    }
    // Scaled first: squares neither vanish nor overflow.
    let v = v / largest;
    Some(v / sqrt(v.length_squared()))
}
