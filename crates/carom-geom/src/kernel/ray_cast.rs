//! Ray casts: which end of a chord a ray meets first.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.6 to 22.9 and 25.4 (hits behind the origin).

use super::super::num::{Interval, Ray, narrow, real, wide, widen};
use super::{
    Capsule, Cone, ConvexHull, Cuboid, Cylinder, Ellipsoid, HalfSpace, RayHit, Segment, Sphere,
    TaperedCapsule, Tetrahedron, Triangle,
};
use crate::FeatureId;
use crate::chord::{self, Chord};
use carom_math::scaling::{scale_of, unit};
use glam::DVec3;

/// The first hit of a ray, in the frame of the shape, with t in the interval, from the chord of its line.
///
/// `solid`: the inside counts as well, so a ray whose interval begins inside hits there at once. Otherwise the shape
/// is its surface, and such a ray hits where it leaves.
fn cast(
    ray: &Ray,
    interval: Interval,
    solid: bool,
    chord: impl FnOnce(DVec3, DVec3) -> Option<Chord>,
) -> Option<RayHit> {
    // A direction of any length: t of the scaled direction is t over the scale.
    let direction = widen(ray.direction);
    let scale = scale_of(direction.abs().max_element());
    let Chord { enter, exit } = chord(widen(ray.origin), direction * scale)?;
    let (low, high) = (wide(interval.min), wide(interval.max));
    let (first, last) = (enter.t * scale, exit.t * scale);
    let hit = |t: f64, normal: DVec3, feature: FeatureId, is_back_face: bool| {
        Some(RayHit::new(real(t), narrow(normal)).with_feature(feature).with_back_face(is_back_face))
    };
    if !(low <= high && first <= high && low <= last) {
        return None;
    }
    if low <= first && first.is_finite() {
        return hit(first, enter.normal, enter.feature, false);
    }
    if solid {
        // Begins inside. Where there is no beginning, as near to t = 0 as may be.
        let begin = if low.is_finite() { low } else { high.min(last).min(0.0) };
        return hit(begin, unit(-direction).unwrap_or(DVec3::ZERO), FeatureId::UNKNOWN, false);
    }
    if last <= high && last.is_finite() {
        return hit(last, exit.normal, exit.feature, true);
    }
    None
}

impl Sphere {
    /// The first hit of a ray given in the ball's frame, see [`RayHit`]; `solid`: the inside counts as well.
    pub fn ray_cast(&self, ray: &Ray, interval: Interval, solid: bool) -> Option<RayHit> {
        let radius = wide(self.radius());
        cast(ray, interval, solid, |o, d| chord::ball(o, d, DVec3::ZERO, radius, FeatureId::UNKNOWN))
    }
}

impl Capsule {
    /// The first hit of a ray given in the capsule's frame, see [`RayHit`]; `solid`: the inside counts as well.
    pub fn ray_cast(&self, ray: &Ray, interval: Interval, solid: bool) -> Option<RayHit> {
        let (h, r) = (wide(self.half_height()), wide(self.radius()));
        cast(ray, interval, solid, |o, d| chord::capsule(o, d, h, r))
    }
}

impl TaperedCapsule {
    /// The first hit of a ray given in the shape's frame, see [`RayHit`]; `solid`: the inside counts as well.
    pub fn ray_cast(&self, ray: &Ray, interval: Interval, solid: bool) -> Option<RayHit> {
        let taper = self.taper();
        cast(ray, interval, solid, |o, d| match taper.slope {
            Some(slope) => chord::tapered_capsule(o, d, taper.half_height, [taper.upper, taper.lower], slope),
            // One ball holds the other.
            None => {
                let (center, radius, end) = taper.larger();
                chord::ball(o, d, center, radius, FeatureId::vertex(end))
            }
        })
    }
}

impl Cuboid {
    /// The first hit of a ray given in the box's frame, see [`RayHit`]; `solid`: the inside counts as well.
    pub fn ray_cast(&self, ray: &Ray, interval: Interval, solid: bool) -> Option<RayHit> {
        let half = widen(self.half_extents());
        cast(ray, interval, solid, |o, d| {
            let slab = |axis: u32| {
                let features = [FeatureId::face(2 * axis), FeatureId::face(2 * axis + 1)];
                chord::slab(o, d, axis as usize, half[axis as usize], features)
            };
            slab(0)?.intersection(slab(1)?)?.intersection(slab(2)?)
        })
    }
}

impl Cylinder {
    /// The first hit of a ray given in the cylinder's frame, see [`RayHit`]; `solid`: the inside counts as well.
    pub fn ray_cast(&self, ray: &Ray, interval: Interval, solid: bool) -> Option<RayHit> {
        let (h, r) = (wide(self.half_height()), wide(self.radius()));
        cast(ray, interval, solid, |o, d| chord::cylinder(o, d, h, r))
    }
}

impl Cone {
    /// The first hit of a ray given in the cone's frame, see [`RayHit`]; `solid`: the inside counts as well.
    pub fn ray_cast(&self, ray: &Ray, interval: Interval, solid: bool) -> Option<RayHit> {
        let (h, r) = (wide(self.half_height()), wide(self.radius()));
        cast(ray, interval, solid, |o, d| chord::cone(o, d, h, r))
    }
}

impl Ellipsoid {
    /// The first hit of a ray given in the ellipsoid's frame, see [`RayHit`]; `solid`: the inside counts as well.
    pub fn ray_cast(&self, ray: &Ray, interval: Interval, solid: bool) -> Option<RayHit> {
        let radii = widen(self.radii());
        cast(ray, interval, solid, |o, d| chord::ellipsoid(o, d, radii))
    }
}

impl HalfSpace {
    /// The first hit of a ray given in the half-space's frame, see [`RayHit`]; `solid`: the inside counts as well.
    pub fn ray_cast(&self, ray: &Ray, interval: Interval, solid: bool) -> Option<RayHit> {
        let normal = self.normal_wide();
        cast(ray, interval, solid, |o, d| chord::half_space(o, d, normal, 0.0, FeatureId::face(0)))
    }
}

impl Segment {
    /// Where a ray given in the segment's frame meets it: exactly, so rarely. See [`RayHit`].
    pub fn ray_cast(&self, ray: &Ray, interval: Interval) -> Option<RayHit> {
        let (a, b) = (widen(self.a()), widen(self.b()));
        cast(ray, interval, true, |o, d| chord::segment(o, d, a, b))
    }
}

impl Triangle {
    /// Where a ray given in the triangle's frame meets it, edges and corners included, from either side: from behind,
    /// as a back face. A ray along the triangle meets its edge. Exact in whether it does. See [`RayHit`].
    pub fn ray_cast(&self, ray: &Ray, interval: Interval) -> Option<RayHit> {
        let corners = self.corners_wide();
        let hit = cast(ray, interval, true, |o, d| chord::triangle(o, d, &corners))?;
        Some(hit.with_back_face(hit.feature == FeatureId::face(1)))
    }
}

impl Tetrahedron {
    /// The first hit of a ray given in the tetrahedron's frame, see [`RayHit`]; `solid`: the inside counts as well.
    pub fn ray_cast(&self, ray: &Ray, interval: Interval, solid: bool) -> Option<RayHit> {
        let corners = self.corners_wide();
        cast(ray, interval, solid, |o, d| {
            let faces = [0, 1, 2, 3].map(|face| self.face(face).map(|v| corners[v]));
            if self.is_flat() {
                // Four sheets in one plane.
                return faces.iter().map(|f| chord::triangle(o, d, f)).fold(None, Chord::union);
            }
            let mut chord = Chord::all();
            for face in 0..4 {
                let Some(normal) = self.face_normal(face) else { continue };
                let offset = normal.dot(faces[face][0]);
                chord = chord.intersection(chord::half_space(
                    o,
                    d,
                    normal,
                    offset,
                    FeatureId::face(face as u32),
                )?)?;
            }
            Some(chord)
        })
    }
}

impl ConvexHull {
    /// The first hit of a ray given in the hull's frame, see [`RayHit`]; `solid`: the inside counts as well.
    pub fn ray_cast(&self, ray: &Ray, interval: Interval, solid: bool) -> Option<RayHit> {
        cast(ray, interval, solid, |o, d| {
            let mut chord = Chord::all();
            for face in 0..self.n_faces() as u32 {
                let (normal, offset) = (self.face_normal(face), self.face_offset(face));
                chord =
                    chord.intersection(chord::half_space(o, d, normal, offset, FeatureId::face(face))?)?;
            }
            Some(chord)
        })
    }
}
