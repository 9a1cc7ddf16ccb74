//! Cones along y, centred: the apex above, the base below.
//!
//! Face 1 is the base, 2 the mantle; edge 1 is the rim. Vertex 0 is the apex; vertices 16 to 31 are
//! the fixed corners of the base polygon.
//!
//! Reference: G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, 4.3.4.
//! Differs: the two supports decide between apex and rim. The sine of the cone's angle loses its
//! digits for needles and discs.

use super::super::num::{Pose, Real, wide};
use super::cylinder::cap_feature;
use crate::bound::aabb_from_support;
use crate::round::radial;
use crate::{Feature, FeatureId, NO_VERTEX, ShapeError, SupportMap, SupportPoint, check};
use carom_bounds::Aabb;
use carom_math::scaling::{balanced, hypot};
use glam::DVec3;

/// The hull of the apex (0, `half_height`, 0) and the disc of `radius` at height -`half_height`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Unchecked"))]
pub struct Cone {
    half_height: Real,
    radius: Real,
}

unchecked!(Cone { half_height: Real, radius: Real });

impl Cone {
    /// Creates a cone from half its height and the radius of its base. Both are lengths, finite
    /// and not negative.
    pub fn new(half_height: Real, radius: Real) -> Result<Cone, ShapeError> {
        check::size("half_height", wide(half_height))?;
        check::size("radius", wide(radius))?;
        Ok(Cone { half_height, radius })
    }

    /// Returns half the height.
    #[inline]
    pub fn half_height(&self) -> Real {
        self.half_height
    }

    /// Returns the radius of the base.
    #[inline]
    pub fn radius(&self) -> Real {
        self.radius
    }

    /// Returns a box around the placed cone, in the parent frame of the pose, rounded outwards.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        aabb_from_support(self, &pose.wide())
    }
}

impl SupportMap for Cone {
    /// Returns vertex 0, the apex, or a point of the rim.
    #[inline]
    fn support(&self, direction: DVec3) -> SupportPoint {
        let (h, r) = (wide(self.half_height), wide(self.radius));
        let direction = balanced(direction);
        let (x, z, horizontal) = radial(direction.x, direction.z);
        if r * horizontal <= 2.0 * h * direction.y {
            return SupportPoint { point: DVec3::new(0.0, h, 0.0), vertex: 0 };
        }
        SupportPoint { point: DVec3::new(r * x, -h, r * z), vertex: NO_VERTEX }
    }

    #[inline]
    fn vertex(&self, number: u32) -> Option<DVec3> {
        (number == 0).then(|| DVec3::new(0.0, wide(self.half_height), 0.0))
    }

    #[inline]
    fn center(&self) -> DVec3 {
        DVec3::ZERO
    }

    #[inline]
    fn radius(&self) -> f64 {
        hypot(wide(self.half_height), wide(self.radius)) * (1.0 + 4.0 * f64::EPSILON)
    }

    fn feature_within(&self, normal: DVec3, sine: f64, out: &mut Feature) {
        out.clear();
        let (h, r) = (wide(self.half_height), wide(self.radius));
        let apex = DVec3::new(0.0, h, 0.0);
        let (x, z, horizontal) = radial(normal.x, normal.z);
        if normal.y < 0.0 && horizontal <= sine {
            cap_feature(-h, r, true, out);
            return;
        }
        // The mantle's normal in the plane of the axis and the given normal: (2 h, r) over the
        // slant length.
        let slant = hypot(2.0 * h, r);
        let lean = horizontal * r - normal.y * 2.0 * h;
        if 0.0 < slant && 0.0 < horizontal * 2.0 * h + normal.y * r && lean.abs() <= sine * slant {
            let rim = DVec3::new(r * x, -h, r * z);
            out.id = FeatureId::face(2);
            out.push(apex, FeatureId::vertex(0));
            out.push(rim, FeatureId::edge(1));
            return;
        }
        let s = self.support(normal);
        out.id = if s.vertex == 0 { FeatureId::vertex(0) } else { FeatureId::edge(1) };
        out.push(s.point, out.id);
    }
}
