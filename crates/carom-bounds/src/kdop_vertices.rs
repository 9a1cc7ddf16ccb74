//! The vertices of a k-DOP, the areas of its faces and its volume.
//!
//! Each vertex is the intersection of three planes, and there are few planes. So all triples are
//! tried. Points in all half-spaces, up to rounding, are kept. Directions have components -1, 0
//! and 1, so an intersection is a small integer combination of offsets, over a small integer. Its
//! error is known in advance, so no true vertex is lost.
//!
//! Reference: J. Klosowski et al., Efficient Collision Detection Using Bounding Volume Hierarchies
//! of k-DOPs, 1998, 4.2 (the hull's vertices are turned); B. Grünbaum, Convex Polytopes, 1967 (a
//! vertex is the meeting of facets).
//! Differs: no hull is computed.

use crate::kdop::{KDop, Slabs, direction};
use crate::rectangle::hull_area;
use alloc::vec::Vec;
use carom_math::ops::sqrt;
use glam::{DVec2, DVec3};

/// A k-DOP in `f64`.
pub(crate) struct Polytope {
    /// The vertices; each occurs once for each triple of its planes.
    pub(crate) vertices: Vec<DVec3>,
    /// The error bound of a vertex, in each coordinate and beyond any plane.
    pub(crate) room: f64,
    /// Normals and offsets of the planes.
    planes: Vec<(DVec3, f64)>,
}

impl Polytope {
    pub(crate) fn of<const K: usize>(dop: &KDop<K>) -> Polytope
    where
        KDop<K>: Slabs,
    {
        // A plane at infinity has no effect.
        let planes: Vec<(DVec3, f64)> = (0..K)
            .map(|i| (direction(KDop::<K>::normal(i)), f64::from(dop.offsets[i])))
            .filter(|plane| plane.1.is_finite())
            .collect();
        let size = planes.iter().fold(0.0_f64, |size, plane| size.max(plane.1.abs()));
        // Rounding, with u = 2^-53: three products with integers below 3, two sums and a quotient,
        // of at most 6 offsets. This is 24 u, and three times as much along a normal.
        let room = size * (64.0 * f64::EPSILON);
        let mut vertices = Vec::new();
        for i in 0..planes.len() {
            for j in i + 1..planes.len() {
                let ij = planes[i].0.cross(planes[j].0);
                for k in j + 1..planes.len() {
                    let determinant = ij.dot(planes[k].0);
                    if determinant == 0.0 {
                        continue;
                    }
                    let x = planes[j].0.cross(planes[k].0) * planes[i].1
                        + planes[k].0.cross(planes[i].0) * planes[j].1
                        + ij * planes[k].1;
                    let x = x / determinant;
                    if planes.iter().all(|plane| plane.0.dot(x) <= plane.1 + room) {
                        vertices.push(x);
                    }
                }
            }
        }
        Polytope { vertices, room, planes }
    }

    /// Returns the areas of the faces, each with its plane.
    fn faces(&self) -> impl Iterator<Item = (f64, &(DVec3, f64))> {
        self.planes.iter().map(|plane| {
            let length = sqrt(plane.0.length_squared());
            let (u, v) = (plane.0 / length).any_orthonormal_pair();
            let mut on_face: Vec<DVec2> = self
                .vertices
                .iter()
                .filter(|&x| plane.1 - self.room * 4.0 <= plane.0.dot(*x))
                .map(|x| DVec2::new(x.dot(u), x.dot(v)))
                .collect();
            (hull_area(&mut on_face), plane)
        })
    }

    /// Returns the surface area; a flat polytope counts both sides.
    pub(crate) fn area(&self) -> f64 {
        self.faces().map(|face| face.0).sum()
    }

    /// Returns the volume, as the sum of pyramids over the faces.
    pub(crate) fn volume(&self) -> f64 {
        let Some(&tip) = self.vertices.first() else { return 0.0 };
        let pyramid = |(area, plane): (f64, &(DVec3, f64))| {
            area * (plane.1 - plane.0.dot(tip)) / sqrt(plane.0.length_squared())
        };
        (self.faces().map(pyramid).sum::<f64>() / 3.0).max(0.0)
    }
}
