//! Boxes along the axes of their frame, centred.
//!
//! Vertex v has the negative coordinate on axis i if bit i of v is set. Faces 2 i and 2 i + 1 are
//! the positive and the negative face of axis i. Edge 4 i + s runs along axis i. Bit 0 of s is the
//! sign bit of axis i + 1, bit 1 of axis i + 2.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 4.2 and 4.4.

use super::super::num::{Pose, Vec3, wide, widen};
use crate::bound::around_local;
use crate::{Feature, FeatureId, ShapeError, SupportMap, SupportPoint, check};
use carom_bounds::Aabb;
use carom_math::ops::sqrt;
use carom_math::tol;
use glam::DVec3;

/// All points within the half extents of the origin on each axis; flat if one is zero.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Unchecked"))]
pub struct Cuboid {
    half_extents: Vec3,
}

unchecked!(Cuboid { half_extents: Vec3 });

impl Cuboid {
    /// Creates a box from half its size on each axis: lengths that are finite and not negative.
    pub fn new(half_extents: Vec3) -> Result<Cuboid, ShapeError> {
        check::size("half_extents.x", wide(half_extents.x))?;
        check::size("half_extents.y", wide(half_extents.y))?;
        check::size("half_extents.z", wide(half_extents.z))?;
        Ok(Cuboid { half_extents })
    }

    /// Returns half the size on each axis.
    #[inline]
    pub fn half_extents(&self) -> Vec3 {
        self.half_extents
    }

    /// Returns a box around the placed box, in the parent frame of the pose, rounded outwards.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let pose = pose.wide();
        let h = widen(self.half_extents);
        let r = &pose.rotation;
        let extent = r.x_axis.abs() * h.x + r.y_axis.abs() * h.y + r.z_axis.abs() * h.z;
        around_local(-extent, extent, h.x + h.y + h.z, &pose)
    }

    /// Returns the corner with this number; see the head of this file.
    #[inline]
    fn corner(&self, number: u32) -> DVec3 {
        let h = widen(self.half_extents);
        let sign = |bit: u32, x: f64| if number & bit == 0 { x } else { -x };
        DVec3::new(sign(1, h.x), sign(2, h.y), sign(4, h.z))
    }

    /// Returns the feature that a plane with this outward unit normal rests on, within an angle of
    /// this sine.
    #[inline]
    fn part(&self, normal: DVec3, sine: f64) -> CuboidFeature {
        let vertex = self.support(normal).vertex;
        let (lying, along) = (normal * normal, normal.abs());
        // A face: its axis is nearly the normal.
        let axis = if along.y <= along.x && along.z <= along.x {
            0
        } else if along.z <= along.y {
            1
        } else {
            2
        };
        if 1.0 - sine * sine <= lying[axis] {
            return CuboidFeature::Face { axis, vertex };
        }
        // An edge: its axis is nearly in the plane.
        let axis = if along.x <= along.y && along.x <= along.z {
            0
        } else if along.y <= along.z {
            1
        } else {
            2
        };
        if along[axis] <= sine {
            CuboidFeature::Edge { axis, vertex }
        } else {
            CuboidFeature::Vertex { vertex }
        }
    }
}

impl SupportMap for Cuboid {
    #[inline]
    fn support(&self, direction: DVec3) -> SupportPoint {
        let vertex = u32::from(direction.x < 0.0)
            | u32::from(direction.y < 0.0) << 1
            | u32::from(direction.z < 0.0) << 2;
        SupportPoint { point: self.corner(vertex), vertex }
    }

    #[inline]
    fn vertex(&self, number: u32) -> Option<DVec3> {
        (number < 8).then(|| self.corner(number))
    }

    #[inline]
    fn center(&self) -> DVec3 {
        DVec3::ZERO
    }

    #[inline]
    fn radius(&self) -> f64 {
        sqrt(widen(self.half_extents).length_squared()) * (1.0 + 4.0 * f64::EPSILON)
    }

    fn feature_within(&self, normal: DVec3, sine: f64, out: &mut Feature) {
        out.clear();
        let part = self.part(normal, sine);
        out.id = part.id();
        let corner = |out: &mut Feature, v: u32| out.push(self.corner(v), FeatureId::vertex(v));
        match part {
            CuboidFeature::Face { axis, vertex } => {
                let (bit, j, k) = (1 << axis, 1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
                let side = vertex & bit;
                out.normal = DVec3::AXES[axis] * if side == 0 { 1.0 } else { -1.0 };
                // Counter-clockwise about +axis, the other way round about -axis.
                let ring = if side == 0 { [0, j, j | k, k] } else { [0, k, j | k, j] };
                for other in ring {
                    corner(out, side | other);
                }
            }
            CuboidFeature::Edge { axis, vertex } => {
                corner(out, vertex & !(1 << axis));
                corner(out, vertex | 1 << axis);
            }
            CuboidFeature::Vertex { vertex } => {
                corner(out, vertex);
            }
        }
    }

    #[inline]
    fn feature_id(&self, normal: DVec3) -> FeatureId {
        self.part(normal, tol::FEATURE_SINE).id()
    }
}

/// The feature that a plane rests on; a face or an edge has one of its vertices.
#[derive(Clone, Copy)]
enum CuboidFeature {
    Face { axis: usize, vertex: u32 },
    Edge { axis: usize, vertex: u32 },
    Vertex { vertex: u32 },
}

impl CuboidFeature {
    #[inline]
    fn id(self) -> FeatureId {
        match self {
            CuboidFeature::Face { axis, vertex } => FeatureId::face(2 * axis as u32 + (vertex >> axis & 1)),
            CuboidFeature::Edge { axis, vertex } => {
                let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
                FeatureId::edge(4 * axis as u32 + (vertex >> j & 1 | (vertex >> k & 1) << 1))
            }
            CuboidFeature::Vertex { vertex } => FeatureId::vertex(vertex),
        }
    }
}
