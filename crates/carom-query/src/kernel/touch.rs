//! The touches of a body: its neighbours, their manifolds, and the pieces that the contacts lie
//! on.

use super::super::num::geom::Manifold;
use super::super::num::sat::manifold_along;
use super::super::num::{Pose, Real, narrow, widen};
use super::shape::Shape;
use carom_geom::{Feature, SupportMap};
use carom_math::scaling::unit;
use carom_math::{WidePose, tol};
use core::ops::Range;
use glam::DVec3;

/// A shape that a body touches, and the range of their manifolds.
#[derive(Clone, Debug)]
pub struct Neighbour<'a> {
    pub(super) shape: &'a Shape,
    pub(super) pose: WidePose,
    pub(super) is_a: bool,
    pub(super) manifolds: Range<usize>,
}

impl<'a> Neighbour<'a> {
    /// Creates a neighbour from its shape and its pose in the world. `manifolds` is the range of
    /// its manifolds in the list that is passed with the neighbours. With `is_a` the neighbour is
    /// A in these manifolds and the body is B, else the other way round.
    pub fn new(shape: &'a Shape, pose: &Pose, is_a: bool, manifolds: Range<usize>) -> Neighbour<'a> {
        Neighbour { shape, pose: pose.wide(), is_a, manifolds }
    }

    /// Returns the normal of one of its manifolds, from the neighbour to the body.
    pub(super) fn outward(&self, manifold: &Manifold) -> DVec3 {
        let normal = widen(manifold.normal());
        if self.is_a { normal } else { -normal }
    }
}

/// One manifold, seen from the body.
#[derive(Clone, Copy)]
pub(super) struct Touch {
    /// From the neighbour to the body.
    pub(super) normal: DVec3,
    /// Part of the neighbour.
    pub(super) part: u32,
    /// Part of the body.
    pub(super) own_part: u32,
}

impl Touch {
    /// Returns the touch of a manifold; `None` without contacts. Also `None` for two meshes, whose
    /// contacts are already those of whole faces.
    pub(super) fn of(
        neighbour: &Neighbour<'_>,
        body: &Shape,
        manifolds: &[Manifold],
        index: usize,
    ) -> Option<Touch> {
        let manifold = manifolds.get(index)?;
        let contact = manifold.contacts().first()?;
        let (theirs, own) =
            if neighbour.is_a { (contact.part_a, contact.part_b) } else { (contact.part_b, contact.part_a) };
        if neighbour.shape.is_mesh_part(theirs) && body.is_mesh_part(own) {
            return None;
        }
        Some(Touch { normal: neighbour.outward(manifold), part: theirs, own_part: own })
    }

    /// Sets the two part numbers in the manifold.
    pub(super) fn with_parts(&self, neighbour: &Neighbour<'_>, made: Manifold) -> Manifold {
        if neighbour.is_a {
            made.with_parts(self.part, self.own_part)
        } else {
            made.with_parts(self.own_part, self.part)
        }
    }

    /// Returns the contacts of the same two parts along another normal, from the neighbour to the
    /// body. World frame.
    pub(super) fn along(
        &self,
        neighbour: &Neighbour<'_>,
        normal: DVec3,
        body: &Shape,
        pose: &WidePose,
        prediction: Real,
    ) -> Manifold {
        let two =
            |a: &dyn SupportMap, pose_a: &WidePose, b: &dyn SupportMap, pose_b: &WidePose, normal: DVec3| {
                let turned = pose_a.inverse_transform_vector(normal);
                let mut made = manifold_along(a, b, &pose_b.relative_to(pose_a), turned, prediction);
                made.transform(pose_a);
                made
            };
        let made = neighbour.shape.with_part(self.part, &neighbour.pose, |piece, pose_piece| {
            body.with_part(self.own_part, pose, |own, pose_own| {
                if neighbour.is_a {
                    two(piece, pose_piece, own, pose_own, normal)
                } else {
                    two(own, pose_own, piece, pose_piece, -normal)
                }
            })
        });
        self.with_parts(neighbour, made.flatten().unwrap_or(Manifold::new(narrow(normal))))
    }
}

/// A manifold of a neighbour, by its index in the list of all.
#[derive(Clone, Copy)]
pub(super) struct Touching<'a> {
    pub(super) neighbour: &'a Neighbour<'a>,
    pub(super) index: usize,
    /// `None` if there is no contact any more.
    pub(super) touch: Option<Touch>,
    /// The corners of the piece if it is a triangle, in the world. They are cached, because
    /// lookups for each pair of touches took a quarter of a step.
    pub(super) triangle: Option<[DVec3; 3]>,
    /// The normal of the triangle, towards the body; zero without area.
    pub(super) face: Option<DVec3>,
    /// The extent of the piece along the normal of the touch: its plane.
    pub(super) plane: Option<f64>,
    /// Whether the piece is a triangle whose inside is touched, not an edge or a corner. `None` if
    /// it is not a triangle.
    pub(super) is_inside: Option<bool>,
}

impl<'a> Touching<'a> {
    pub(super) fn of(
        neighbour: &'a Neighbour<'a>,
        index: usize,
        body: &Shape,
        manifolds: &[Manifold],
    ) -> Touching<'a> {
        let touch = Touch::of(neighbour, body, manifolds, index);
        let triangle = touch.and_then(|touch| neighbour.shape.triangle_corners(touch.part, &neighbour.pose));
        let face = touch.zip(triangle).map(|(touch, [a, b, c])| {
            let across = unit((b - a).cross(c - a)).unwrap_or(DVec3::ZERO);
            if across.dot(touch.normal) < 0.0 { -across } else { across }
        });
        let is_inside = touch
            .zip(face)
            .map(|(touch, face)| (face - touch.normal).abs().max_element() <= tol::SAME_NORMAL);
        let mut touching = Touching { neighbour, index, touch, triangle, face, plane: None, is_inside };
        touching.plane = touch.and_then(|touch| touching.reach(&touch, touch.normal));
        touching
    }

    /// Gives the touch the normal and the offset of a plane of the piece. The contact still counts
    /// as one with an edge.
    pub(super) fn turn_to(&mut self, normal: DVec3, plane: f64) {
        if let Some(touch) = &mut self.touch {
            touch.normal = normal;
            self.face = self.face.map(|_| normal);
            self.plane = Some(plane);
        }
    }

    /// Returns the normal of the face of the piece towards the body, if the contact's normal
    /// differs from it a little.
    pub(super) fn face_normal(&self) -> Option<DVec3> {
        let touch = self.touch?;
        let face = match self.face {
            Some(face) => face,
            None => self.neighbour.shape.with_part(touch.part, &self.neighbour.pose, |map, pose| {
                let mut feature = Feature::new();
                map.feature(pose.inverse_transform_vector(touch.normal), &mut feature);
                (3 <= feature.points().len()).then(|| pose.transform_vector(feature.normal))
            })??,
        };
        let lean = (face - touch.normal).abs().max_element();
        (tol::SAME_NORMAL < lean && lean <= tol::FEATURE_SINE).then_some(face)
    }

    /// Returns the extent of the piece of a touch along a unit vector.
    pub(super) fn reach(&self, touch: &Touch, up: DVec3) -> Option<f64> {
        if let Some([a, b, c]) = self.triangle {
            return Some(up.dot(a).max(up.dot(b)).max(up.dot(c)));
        }
        reach(self.neighbour.shape, touch.part, &self.neighbour.pose, up)
    }
}

/// Returns all touches of a body, with the indices of their manifolds.
pub(super) fn touches<'a>(
    neighbours: &'a [Neighbour<'a>],
    body: &'a Shape,
    manifolds: &'a [Manifold],
) -> impl Iterator<Item = (&'a Neighbour<'a>, usize, Touch)> {
    let numbered = |other: &'a Neighbour<'a>| other.manifolds.clone().map(move |k| (other, k));
    neighbours
        .iter()
        .flat_map(numbered)
        .filter_map(move |(other, k)| Touch::of(other, body, manifolds, k).map(|touch| (other, k, touch)))
}

/// Returns the extent of a part along a unit vector, in the frame in which `pose` places it. A
/// half-space has one only along its normal.
pub(super) fn reach(shape: &Shape, part: u32, pose: &WidePose, up: DVec3) -> Option<f64> {
    if let Some((normal, point)) = shape.plane_of_part(part, pose) {
        let is_along = (normal - up).abs().max_element() <= tol::SAME_NORMAL;
        return is_along.then(|| up.dot(point));
    }
    shape.with_part(part, pose, |map, pose| {
        let direction = pose.inverse_transform_vector(up);
        let point = map.support_exact(direction, map.support(direction)).point;
        up.dot(pose.transform_point(point)) + map.margin()
    })
}
