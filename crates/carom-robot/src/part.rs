//! The shape of a part: how far it reaches, and which of its points decide whether it lies in a
//! solid.
//!
//! - The reach is a bound from vertices, from the boxes of a cluster's parts, or from a box.
//! - A part is one shape, or the shapes of a compound. Each of them has some sample points: a
//!   corner of each connected piece of a mesh, the middle of each part of a cluster, a point of a
//!   convex shape. If surfaces do not meet, each piece is inside or outside as a whole. So these
//!   points decide.
//!
//! Reference: none needed.

use carom_geom::f64::TriMesh;
use carom_geom::ray_mesh::Placement;
use carom_math::f64::Pose;
use carom_query::f64::{MeshShape, Shape, ShapeKind, holds_component, project_point, solid_placement};
use glam::DVec3;
use std::collections::HashMap;

/// The fraction of the radius by which balls are enlarged, for rounded poses and lengths.
const RADIUS_SLACK: f64 = 1e-9;

/// A ball around a part.
pub(crate) struct Ball {
    middle: DVec3,
    /// Infinite for a half-space, and at a pose that is not finite.
    radius: f64,
}

impl Ball {
    /// Returns a lower bound of the distance of two parts. It is negative or 0 if the balls may
    /// meet.
    pub(crate) fn gap(&self, other: &Ball) -> f64 {
        (self.middle - other.middle).length() * (1.0 - RADIUS_SLACK) - self.radius - other.radius
    }
}

/// One shape of a part.
struct SubShape {
    shape: Shape,
    /// In the frame of the part; `None` if both frames are the same.
    in_part: Option<Pose>,
    /// A point of each connected piece; empty for a cluster, whose parts are visited instead.
    corners: Vec<DVec3>,
}

/// A shape with the data for tests of a part.
pub(crate) struct PartShape {
    pub(crate) shape: Shape,
    /// A ball around it in its frame.
    ball: Ball,
    members: Vec<SubShape>,
}

impl PartShape {
    pub(crate) fn new(shape: Shape) -> PartShape {
        let middle = middle_of(&shape);
        let radius = reach_from(&shape, middle) * (1.0 + RADIUS_SLACK);
        let members = match shape.kind() {
            ShapeKind::Compound(compound) => {
                let parts = compound.parts().iter();
                parts.map(|part| member(part.shape.clone(), Some(part.pose))).collect()
            }
            _ => vec![member(shape.clone(), None)],
        };
        PartShape { shape, ball: Ball { middle, radius }, members }
    }

    /// Returns the ball around the part in the world.
    pub(crate) fn ball_at(&self, pose: &Pose) -> Ball {
        let middle = pose.transform_point(self.ball.middle);
        match pose.is_finite() && middle.is_finite() {
            true => Ball { middle, radius: self.ball.radius },
            // A NaN or an infinity proves nothing.
            false => Ball { middle: DVec3::ZERO, radius: f64::INFINITY },
        }
    }

    /// Whether a piece of another part lies in a closed mesh of this one, if their surfaces do not
    /// meet. `None` if that is not known: a piece lies in the box of a mesh without an inside.
    pub(crate) fn contains_piece_of(
        &self,
        pose: &Pose,
        other: &PartShape,
        pose_other: &Pose,
    ) -> Option<bool> {
        any_of(self.members.iter().map(|outer| {
            let ShapeKind::Mesh(mesh) = outer.shape.kind() else { return Some(false) };
            let pose = outer.placed(pose);
            any_of(other.members.iter().map(|inner| inner.lies_in(mesh, &pose, &inner.placed(pose_other))))
        }))
    }

    /// Whether a mesh of the part does not tell inside from outside.
    pub(crate) fn has_open_mesh(&self) -> bool {
        let is_open = |member: &SubShape| match member.shape.kind() {
            ShapeKind::Mesh(mesh) => mesh.ambiguity().is_some(),
            _ => false,
        };
        self.members.iter().any(is_open)
    }
}

/// Whether one of the answers is true. `None` if none is true and one of them is not known.
pub(crate) fn any_of(answers: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let mut is_known = true;
    for answer in answers {
        match answer {
            Some(true) => return Some(true),
            Some(false) => {}
            None => is_known = false,
        }
    }
    is_known.then_some(false)
}

impl SubShape {
    fn placed(&self, pose: &Pose) -> Pose {
        self.in_part.map_or(*pose, |in_part| *pose * in_part)
    }

    /// Whether a piece of this shape, at `pose`, lies in a mesh whose surface it does not meet.
    /// `None` if that is not known.
    fn lies_in(&self, mesh: &MeshShape, pose_mesh: &Pose, pose: &Pose) -> Option<bool> {
        let lies_in = |corner: DVec3| is_inside(mesh, pose_mesh, pose.transform_point(corner));
        let by_corners = match self.shape.kind() {
            ShapeKind::Cluster(cluster) => {
                any_of((0..cluster.n_parts()).map(|number| lies_in(cluster.part(number).1)))
            }
            _ => any_of(self.corners.iter().map(|corner| lies_in(*corner))),
        };
        match (by_corners, self.shape.kind()) {
            // A piece that reaches out of the box of an open mesh does not lie in it.
            (None, ShapeKind::Mesh(inner)) => holds_component(mesh, pose_mesh, inner, pose),
            (known, _) => known,
        }
    }
}

fn member(shape: Shape, in_part: Option<Pose>) -> SubShape {
    let corners = match shape.kind() {
        ShapeKind::Mesh(mesh) => corner_of_each_piece(mesh.mesh()),
        ShapeKind::Convex(convex) => vec![convex.support(DVec3::X).point],
        ShapeKind::Field(_) => {
            let near = project_point(&shape, &Pose::IDENTITY, DVec3::ZERO);
            near.map(|near| near.point).into_iter().collect()
        }
        // A half-space is infinite, so it is not inside. Compounds are not nested.
        ShapeKind::HalfSpace(_) | ShapeKind::Cluster(_) | ShapeKind::Compound(_) => Vec::new(),
    };
    SubShape { shape, in_part, corners }
}

/// Whether a point of the world is inside a mesh. `None` if it is in the box of the mesh, which
/// does not tell inside from outside.
fn is_inside(mesh: &MeshShape, pose: &Pose, point: DVec3) -> Option<bool> {
    let (low, high) = mesh.mesh().wide_bounds();
    let here = pose.inverse_transform_point(point);
    if !(low.cmple(here).all() && here.cmple(high).all()) {
        return Some(false);
    }
    solid_placement(mesh, pose, point).map(|placement| placement == Placement::Inside)
}

/// Returns the middle of the box around a shape; the origin for a half-space.
fn middle_of(shape: &Shape) -> DVec3 {
    if let ShapeKind::Mesh(mesh) = shape.kind() {
        let (low, high) = mesh.mesh().wide_bounds();
        return 0.5 * (low + high);
    }
    let aabb = shape.aabb(&Pose::IDENTITY);
    let middle = 0.5 * (aabb.min.as_dvec3() + aabb.max.as_dvec3());
    if middle.is_finite() { middle } else { DVec3::ZERO }
}

/// Returns a bound on the distance of the points of a shape from a point of its frame; infinite
/// for a half-space.
pub(crate) fn reach_from(shape: &Shape, point: DVec3) -> f64 {
    let of_box = |low: DVec3, high: DVec3| (low - point).abs().max((high - point).abs()).length();
    match shape.kind() {
        ShapeKind::Mesh(mesh) => {
            let vertices = mesh.mesh().vertices().iter();
            vertices.map(|v| (*v - point).length()).fold(0.0, f64::max)
        }
        ShapeKind::Cluster(cluster) => (0..cluster.n_parts())
            .map(|number| cluster.part_box(number))
            .map(|aabb| of_box(aabb.min.as_dvec3(), aabb.max.as_dvec3()))
            .fold(0.0, f64::max),
        ShapeKind::Compound(compound) => {
            let parts = compound.parts().iter();
            let reach = |pose: &Pose, shape| reach_from(shape, pose.inverse_transform_point(point));
            parts.map(|part| reach(&part.pose, &part.shape)).fold(0.0, f64::max)
        }
        ShapeKind::HalfSpace(_) => f64::INFINITY,
        ShapeKind::Convex(_) | ShapeKind::Field(_) => {
            let aabb = shape.aabb(&Pose::IDENTITY);
            of_box(aabb.min.as_dvec3(), aabb.max.as_dvec3())
        }
    }
}

/// Returns a corner of each connected piece of a mesh. Corners with equal coordinates are one
/// vertex.
fn corner_of_each_piece(mesh: &TriMesh) -> Vec<DVec3> {
    let mut known: HashMap<[u64; 3], u32> = HashMap::new();
    // The lowest vertex with the same position. Adding 0 makes -0 and 0 alike.
    let mut leader: Vec<u32> = (0_u32..)
        .zip(mesh.vertices())
        .map(|(i, v)| *known.entry((*v + 0.0).to_array().map(f64::to_bits)).or_insert(i))
        .collect();
    let root = |leader: &mut Vec<u32>, mut at: u32| {
        while leader[at as usize] != at {
            leader[at as usize] = leader[leader[at as usize] as usize];
            at = leader[at as usize];
        }
        at
    };
    for [a, b, c] in mesh.indices() {
        for other in [b, c] {
            let (x, y) = (root(&mut leader, *a), root(&mut leader, *other));
            leader[x.max(y) as usize] = x.min(y);
        }
    }
    let mut roots: Vec<u32> = mesh.indices().iter().map(|[corner, ..]| root(&mut leader, *corner)).collect();
    roots.sort_unstable();
    roots.dedup();
    roots.into_iter().map(|at| mesh.vertices()[at as usize]).collect()
}
