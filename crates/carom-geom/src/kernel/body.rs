//! The bodies that `closest` and `overlap` take, and their decomposition into convex figures.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 4 and 5.

use super::super::num::{Pose, Vec3, wide, widen};
use super::{Capsule, ConvexPolygon, Cuboid, Frustum, Segment, Sphere, Tetrahedron, Triangle};
use crate::figure::{Figure, Frame};
use carom_bounds::Aabb;
use carom_math::WidePose;
use glam::DVec3;

pub(crate) mod sealed {
    use super::{Figure, WidePose};

    /// A body as one convex figure, or as the union of several; none for an empty box.
    pub trait Figures {
        /// Returns the figures, placed by the pose, or in the body's own frame without a pose.
        fn figures(&self, pose: Option<&WidePose>) -> impl Iterator<Item = Figure>;
    }
}
use sealed::Figures;

/// A body that [`closest`](super::closest) and [`overlap`](super::overlap) take: a point (`Vec3`),
/// [`Segment`], [`Triangle`], [`ConvexPolygon`], [`Sphere`], [`Capsule`], [`Cuboid`], [`Aabb`],
/// [`Tetrahedron`], [`Frustum`].
pub trait Body: Figures {}

/// A body with a thin core: a point (`Vec3`), [`Segment`], [`Triangle`], [`ConvexPolygon`],
/// [`Sphere`], [`Capsule`].
pub trait ThinBody: Body {}

impl<T: Figures> Body for T {}
impl ThinBody for Vec3 {}
impl ThinBody for Segment {}
impl ThinBody for Triangle {}
impl ThinBody for ConvexPolygon<'_> {}
impl ThinBody for Sphere {}
impl ThinBody for Capsule {}

/// Returns the pose in `f64`; `None` for the identity, so that nothing is rounded.
pub(super) fn pose_of(pose: &Pose) -> Option<WidePose> {
    // Without a pose nothing is rounded.
    (*pose != Pose::IDENTITY).then(|| pose.wide())
}

fn transform(pose: Option<&WidePose>, p: DVec3) -> DVec3 {
    pose.map_or(p, |pose| pose.transform_point(p))
}

fn thin<const N: usize>(
    pose: Option<&WidePose>,
    corners: [DVec3; N],
    radius: f64,
) -> core::iter::Once<Figure> {
    core::iter::once(Figure::thin(&corners.map(|p| transform(pose, p)), radius))
}

impl Figures for Vec3 {
    fn figures(&self, pose: Option<&WidePose>) -> impl Iterator<Item = Figure> {
        thin(pose, [widen(*self)], 0.0)
    }
}

impl Figures for Segment {
    fn figures(&self, pose: Option<&WidePose>) -> impl Iterator<Item = Figure> {
        thin(pose, [widen(self.a()), widen(self.b())], 0.0)
    }
}

impl Figures for Triangle {
    fn figures(&self, pose: Option<&WidePose>) -> impl Iterator<Item = Figure> {
        thin(pose, self.corners_wide(), 0.0)
    }
}

impl Figures for ConvexPolygon<'_> {
    fn figures(&self, pose: Option<&WidePose>) -> impl Iterator<Item = Figure> {
        let pose = pose.copied();
        self.fan().flat_map(move |t| thin(pose.as_ref(), t.map(|v| self.corner_wide(v)), 0.0))
    }
}

impl Figures for Sphere {
    fn figures(&self, pose: Option<&WidePose>) -> impl Iterator<Item = Figure> {
        thin(pose, [DVec3::ZERO], wide(self.radius()))
    }
}

impl Figures for Capsule {
    fn figures(&self, pose: Option<&WidePose>) -> impl Iterator<Item = Figure> {
        let up = DVec3::new(0.0, wide(self.half_height()), 0.0);
        thin(pose, [up, -up], wide(self.radius()))
    }
}

impl Figures for Cuboid {
    fn figures(&self, pose: Option<&WidePose>) -> impl Iterator<Item = Figure> {
        let half = widen(self.half_extents());
        core::iter::once(match pose {
            Some(pose) => Figure::oriented_box(Frame { center: pose.translation, axes: pose.rotation, half }),
            None => Figure::aabb(-half, half),
        })
    }
}

impl Figures for Aabb {
    fn figures(&self, pose: Option<&WidePose>) -> impl Iterator<Item = Figure> {
        let (min, max) = (self.min.as_dvec3(), self.max.as_dvec3());
        let figure = match pose {
            Some(pose) => Figure::oriented_box(Frame {
                center: pose.transform_point(0.5 * (min + max)),
                axes: pose.rotation,
                half: 0.5 * (max - min),
            }),
            None => Figure::aabb(min, max),
        };
        // The empty box has no figure.
        min.cmple(max).all().then_some(figure).into_iter()
    }
}

impl Figures for Tetrahedron {
    fn figures(&self, pose: Option<&WidePose>) -> impl Iterator<Item = Figure> {
        let [a, b, c, d] = self.corners_wide();
        // The first face of the tetrahedron gives the orientation of the corners.
        let corners = if self.face(3) == [0, 2, 1] { [a, b, c, d] } else { [a, c, b, d] };
        core::iter::once(Figure::tetrahedron(&corners.map(|p| transform(pose, p))))
    }
}

impl Figures for Frustum {
    fn figures(&self, pose: Option<&WidePose>) -> impl Iterator<Item = Figure> {
        let corners = [0, 1, 2, 3, 4, 5, 6, 7].map(|v| transform(pose, self.corner_wide(v)));
        core::iter::once(Figure::frustum(&corners))
    }
}
