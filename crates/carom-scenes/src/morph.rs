//! A head with morph targets: a generated mesh.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 4.5 (the base, plus weighted
//! differences to it).

use crate::mesh::{MeshData, icosphere};
use alloc::vec::Vec;
use glam::DVec3;
use libm::exp;

/// A mesh, and morph targets that are added to it with weights of either sign.
#[derive(Clone, Debug, PartialEq)]
pub struct MorphMesh {
    /// The mesh if all weights are 0.
    pub base: MeshData,
    /// For each target the displacement of each vertex at weight 1.
    pub targets: Vec<Vec<DVec3>>,
}

impl MorphMesh {
    /// Returns the vertices for these weights. Missing weights are 0.
    pub fn blended(&self, weights: &[f64]) -> Vec<DVec3> {
        let mut vertices = self.base.vertices.clone();
        for (target, weight) in self.targets.iter().zip(weights) {
            for (vertex, difference) in vertices.iter_mut().zip(target) {
                *vertex += *difference * *weight;
            }
        }
        vertices
    }
}

/// Returns a head of height about 1 around the origin that faces along x, with about this number
/// of triangles. Its targets are a long nose, full cheeks and a high skull. Negative weights have
/// the opposite effect.
pub fn morph_head(n_triangles: usize) -> MorphMesh {
    // A bump around a direction: 1 there, and small beyond the width.
    let bump = |p: DVec3, at: DVec3, width: f64| exp(-(p - at).length_squared() / (width * width));
    let nose = |p: DVec3| bump(p, DVec3::new(1.0, -0.05, 0.0), 0.27);
    let mut base = icosphere(n_triangles);
    let directions = base.vertices.clone();
    for vertex in &mut base.vertices {
        let p = *vertex;
        let eyes = [-0.33, 0.33].map(|z| bump(p, DVec3::new(0.9, 0.25, z), 0.16));
        let chin = bump(p, DVec3::new(0.6, -0.8, 0.0), 0.35);
        let out = 0.16 * nose(p) + 0.05 * chin - 0.05 * (eyes[0] + eyes[1]);
        *vertex = p * DVec3::new(0.42, 0.5, 0.38) + DVec3::X * out;
    }
    let target = |difference: &dyn Fn(DVec3) -> DVec3| directions.iter().map(|p| difference(*p)).collect();
    let cheeks = |p: DVec3| {
        let at = [-0.62, 0.62].map(|z| bump(p, DVec3::new(0.7, -0.3, z), 0.4));
        p * (0.14 * (at[0] + at[1]))
    };
    let skull = |p: DVec3| DVec3::Y * (0.2 * p.y.max(0.0) * p.y.max(0.0));
    let targets = alloc::vec![target(&|p| DVec3::X * (0.28 * nose(p))), target(&cheeks), target(&skull)];
    MorphMesh { base, targets }
}
