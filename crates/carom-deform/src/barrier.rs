//! The derivative of a pair's distance, and the barrier that keeps the pair apart.
//!
//! - The vector from the nearest point of the second feature to that of the first is a sum of
//!   weight times vertex. The weights are the barycentric ones of the two points, negative on the
//!   second.
//! - Moving a nearest point along its feature changes the distance only to second order, so the
//!   weights count as constant. The derivative of the distance by a vertex is its weight times the
//!   unit vector from the second point to the first.
//! - The barrier of a gap g below a reach r is -(g - r)^2 ln(g / r): it begins smoothly at the
//!   reach and has no bound at 0. The gap is the distance less the thickness.
//!
//! Degenerate: for parallel edges, and nearest points on the border of a feature, the distance has
//! this first derivative but no second one. If features touch, there is no direction and no
//! barrier.
//!
//! Reference: M. Li et al., Incremental Potential Contact, ACM TOG 39(4), 2020, 4.1 (the barrier).
//! Differs: a function of the gap, not of its square. A stencil has all vertices of both features,
//! with weight 0 if the nearest point does not depend on them.

use crate::deformable::DeformableMesh;
use crate::pair::{NearPair, PairKind};
use crate::update::FollowingTree;
use carom_math::ops;
use glam::{DVec3, Vec3};

/// The vertices that a distance depends on, with their weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stencil {
    /// The vertices of the first feature, then those of the second.
    pub vertices: [u32; 4],
    /// The number of vertices of the first feature. With two meshes, the others are vertices of
    /// the second mesh.
    pub n_first: usize,
    /// Weights with which the sum of weight times vertex is the vector from the second nearest
    /// point to the first. The weights of the first feature add up to 1, those of the second to
    /// -1.
    pub weights: [f64; 4],
}

/// The barrier of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Barrier {
    /// A length squared, not negative; 0 from the reach on.
    pub value: f64,
    /// The derivative with respect to each vertex of the stencil: lengths. Their sum is 0.
    pub gradient: [DVec3; 4],
}

impl NearPair {
    /// The vertices that the distance depends on. `a` and `b` are the meshes of the search, at the
    /// same positions; the same mesh twice if it was one.
    pub fn stencil<T: FollowingTree, U: FollowingTree>(
        &self,
        a: &DeformableMesh<T>,
        b: &DeformableMesh<U>,
    ) -> Stencil {
        let (i, j) = (self.pair.a as usize, self.pair.b as usize);
        let (first, second) = match self.pair.kind {
            PairKind::VertexFace => (&[self.pair.a][..], &b.faces()[j][..]),
            PairKind::FaceVertex => (&a.faces()[i][..], &[self.pair.b][..]),
            PairKind::EdgeEdge => (&a.edges()[i][..], &b.edges()[j][..]),
            // No search for distances returns this kind. A stencil has room for four vertices.
            PairKind::FaceFace => (&a.faces()[i][..], &b.faces()[j][..1]),
        };
        let mut stencil = Stencil { vertices: [0; 4], n_first: first.len(), weights: [0.0; 4] };
        let weights =
            [weights(first, a.positions(), self.point_a), weights(second, b.positions(), self.point_b)];
        let of_first = first.iter().zip(weights[0]);
        let of_second = second.iter().zip(weights[1].map(|weight| -weight));
        for (k, (&vertex, weight)) in of_first.chain(of_second).enumerate() {
            (stencil.vertices[k], stencil.weights[k]) = (vertex, weight);
        }
        stencil
    }

    /// The derivative of the distance by the vertices of the stencil; zeros if the features touch.
    pub fn distance_gradient(&self, stencil: &Stencil) -> [DVec3; 4] {
        let offset = self.point_a - self.point_b;
        let normal = if 0.0 < self.distance { offset / self.distance } else { DVec3::ZERO };
        stencil.weights.map(|weight| normal * weight)
    }

    /// The barrier of the pair and its derivative. The gap is the distance less `thickness`, and
    /// the barrier is 0 from the gap `reach` on; both are lengths. `None` if the gap is not
    /// positive, because the barrier has no bound at 0, or if the reach is not positive.
    pub fn barrier(&self, stencil: &Stencil, thickness: f64, reach: f64) -> Option<Barrier> {
        let gap = self.distance - thickness;
        if !(0.0 < gap && 0.0 < reach) {
            return None;
        }
        if reach <= gap {
            return Some(Barrier { value: 0.0, gradient: [DVec3::ZERO; 4] });
        }
        let (inside, log) = (gap - reach, ops::ln(gap / reach));
        let slope = -2.0 * inside * log - inside * inside / gap;
        let gradient = self.distance_gradient(stencil).map(|along| along * slope);
        Some(Barrier { value: -inside * inside * log, gradient })
    }
}

/// Returns the barycentric weights of a point of a vertex, an edge or a face. For a face without
/// area they are those of its longest edge, for an edge without length those of its first corner.
fn weights(corners: &[u32], positions: &[Vec3], point: DVec3) -> [f64; 3] {
    let at = |i: usize| positions[corners[i] as usize].as_dvec3();
    match corners.len() {
        2 => {
            let t = along(at(0), at(1), point);
            [1.0 - t, t, 0.0]
        }
        3 => {
            let (u, v, w) = (at(1) - at(0), at(2) - at(0), point - at(0));
            let normal = u.cross(v);
            let area_sq = normal.length_squared();
            let (b, c) = (w.cross(v).dot(normal) / area_sq, u.cross(w).dot(normal) / area_sq);
            if b.is_finite() && c.is_finite() {
                return [1.0 - b - c, b, c];
            }
            let length_sq = |i: usize| (at((i + 1) % 3) - at(i)).length_squared();
            let longest = (0..3).fold(0, |best, i| if length_sq(best) < length_sq(i) { i } else { best });
            let t = along(at(longest), at((longest + 1) % 3), point);
            let mut weights = [0.0; 3];
            (weights[longest], weights[(longest + 1) % 3]) = (1.0 - t, t);
            weights
        }
        _ => [1.0, 0.0, 0.0],
    }
}

/// Returns the fraction of the segment between two points at which a point projects onto it.
fn along(from: DVec3, to: DVec3, point: DVec3) -> f64 {
    let t = (point - from).dot(to - from) / (to - from).length_squared();
    if t.is_finite() { t } else { 0.0 }
}
