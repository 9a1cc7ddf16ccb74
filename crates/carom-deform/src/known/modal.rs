//! Spheres of reduced coordinates, from the amplitudes of modes alone: a BD-tree.
//!
//! Each node has a sphere of its rest positions, and for each mode a sphere of its displacements.
//! The centre for present amplitudes is the sum of the centres, each displacement centre times its
//! amplitude. The radius is the sum of the radii, each times the absolute amplitude. This holds
//! because the offset of a vertex from the centre is the sum of the offsets of its terms.
//!
//! Queries are tested against the box of the sphere. A face is an answer if its box touches the
//! query, and a ball around three vertices need not hold their box.
//!
//! Slack. A vertex and a centre are sums of k + 1 terms in `f64`, each off by at most sqrt(3) k u
//! of the sum of the terms' sizes, u = 2^-53; the radius is off by k u of itself.
//! [`tol::MODAL_ROUNDING`] covers these. Rounding the vertex to `f32` moves each coordinate by at
//! most 2^-24 of itself, or by 2^-150 if it is subnormal: in all by less than 2^-23 of the largest
//! coordinate plus 2^-149. The rounding of the centre to `f32` is computed and added.
//!
//! Reference: D. James, D. Pai, BD-Tree: Output-Sensitive Collision Detection for Reduced
//! Deformable Models, 2004, 3. Differs: the centre moves by the middle of a node's displacements
//! instead of their mean, and rounding is covered.

use super::displacements::Displacements;
use super::morph::box_of;
use super::node_lists::NodeLists;
use super::sealed::Sealed;
use super::{Deformation, KnownError, KnownTree};
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume, Sphere};
use carom_math::{rounding, tol};
use glam::Vec3;

/// A tree over a mesh that moves by modes.
pub type ModalTree = KnownTree<Modes>;

/// Modes, for [`ModalTree`].
#[derive(Clone, Debug)]
pub struct Modes {
    fields: Displacements,
    /// The sphere of the rest positions of each node.
    rest: Vec<Sphere>,
    lists: NodeLists<Sphere>,
    scratch: Vec<u32>,
    points: Vec<Vec3>,
}

impl ModalTree {
    /// Returns a tree over triangles. A vertex is at its `rest` position plus the sum of amplitude
    /// times displacement. Each mode has a displacement for each vertex. All amplitudes are 0 at
    /// first.
    ///
    /// Errors: the first bad position or displacement, a wrong number of displacements, a face
    /// with a vertex that does not exist, or too many elements: see [`KnownError`].
    pub fn new<T: AsRef<[Vec3]>>(
        rest: &[Vec3],
        modes: &[T],
        faces: Vec<[u32; 3]>,
    ) -> Result<ModalTree, KnownError> {
        let fields = Displacements::new(rest, modes)?;
        let (rest, lists) = (Vec::new(), NodeLists::default());
        let (scratch, points) = (Vec::new(), Vec::new());
        KnownTree::with_deformation(Modes { fields, rest, lists, scratch, points }, faces)
    }

    /// Sets the amplitudes, one for each mode, of any sign. On an error nothing changes.
    pub fn set_amplitudes(&mut self, amplitudes: &[f32]) -> Result<(), KnownError> {
        self.deformation_mut().fields.set(amplitudes)
    }
}

impl Sealed for Modes {}

impl Deformation for Modes {
    type Volume = Sphere;
    type Query = Aabb;

    fn rest(&self) -> &[Vec3] {
        &self.fields.rest
    }

    fn add_node(&mut self, vertices: &[u32]) {
        let Modes { fields, rest, lists, scratch, points } = self;
        rest.push(sphere_of(vertices.iter().map(|&vertex| fields.rest[vertex as usize]), points));
        fields.targets_of(vertices, scratch);
        lists.push(scratch.iter().map(|&mode| {
            (mode, sphere_of(vertices.iter().map(|&vertex| fields.by_target(vertex, mode)), points))
        }));
    }

    fn volume(&self, node: usize) -> Sphere {
        let rest = &self.rest[node];
        if rest.radius < 0.0 {
            return Sphere::EMPTY;
        }
        let (mut center, mut radius) = (rest.center.as_dvec3(), f64::from(rest.radius));
        for (mode, sphere) in self.lists.of(node) {
            let amplitude = f64::from(self.fields.weights[*mode as usize]);
            center += sphere.center.as_dvec3() * amplitude;
            radius += f64::from(sphere.radius) * amplitude.abs();
        }
        let rounded = center.as_vec3();
        let moved = (rounded.as_dvec3() - center).abs().element_sum();
        let n = self.lists.of(node).len() as f64 + 4.0;
        let summed = tol::MODAL_ROUNDING * n * (self.fields.reach + radius);
        // rounding: of a vertex to `f32`, 2^-23 of its largest coordinate, or a subnormal of
        // 2^-149.
        let of_vertex =
            (center.abs().max_element() + radius) * f64::from(f32::EPSILON) + f64::from(f32::from_bits(1));
        Sphere { center: rounded, radius: rounding::up(radius + moved + summed + of_vertex) }
    }

    fn tested(volume: &Sphere) -> Aabb {
        volume.to_aabb()
    }

    fn position(&self, vertex: u32) -> Vec3 {
        self.fields.position(vertex)
    }
}

/// A sphere of points about the middle of their box; `points` is memory.
fn sphere_of(all: impl Iterator<Item = Vec3>, points: &mut Vec<Vec3>) -> Sphere {
    points.clear();
    points.extend(all);
    let aabb = box_of(points.iter().copied());
    Sphere::about((aabb.min.as_dvec3() + aabb.max.as_dvec3()) * 0.5, points)
}
