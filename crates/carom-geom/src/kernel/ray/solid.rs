//! Rays against solids: which ends of the chord of a ray's line count.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.6 to 22.9; see `chord.rs` for each solid.

use super::super::super::num::{Interval, Ray, wide, widen};
use super::super::{
    Capsule, Cone, ConvexHull, Cuboid, Cylinder, Ellipsoid, Frustum, HalfSpace, RayHit, RayHits, Sphere,
    TaperedCapsule, Tetrahedron,
};
use super::{every, first};
use crate::FeatureId;
use crate::chord::{self, Chord};
use glam::DVec3;

impl Sphere {
    fn chord(&self, o: DVec3, d: DVec3) -> Option<Chord> {
        chord::ball(o, d, DVec3::ZERO, wide(self.radius()), FeatureId::UNKNOWN)
    }

    /// The first hit of a ray given in the ball's frame, see [`RayHit`]; `solid`: the inside counts as well.
    pub fn ray_cast(&self, ray: &Ray, interval: Interval, solid: bool) -> Option<RayHit> {
        first(ray, interval, solid, |o, d| self.chord(o, d))
    }

    /// Where a ray given in the ball's frame enters and where it leaves, as far as that is in the interval.
    pub fn ray_hits(&self, ray: &Ray, interval: Interval) -> RayHits {
        every(ray, interval, |o, d| self.chord(o, d))
    }
}

impl Capsule {
    fn chord(&self, o: DVec3, d: DVec3) -> Option<Chord> {
        chord::capsule(o, d, wide(self.half_height()), wide(self.radius()))
    }

    /// The first hit of a ray given in the capsule's frame, see [`RayHit`]; `solid`: the inside counts as well.
    pub fn ray_cast(&self, ray: &Ray, interval: Interval, solid: bool) -> Option<RayHit> {
        first(ray, interval, solid, |o, d| self.chord(o, d))
    }

    /// Where a ray given in the capsule's frame enters and where it leaves, as far as that is in the interval.
    pub fn ray_hits(&self, ray: &Ray, interval: Interval) -> RayHits {
        every(ray, interval, |o, d| self.chord(o, d))
    }
}

impl TaperedCapsule {
    fn chord(&self, o: DVec3, d: DVec3) -> Option<Chord> {
        let taper = self.taper();
        match taper.slope {
            Some(slope) => chord::tapered_capsule(o, d, taper.half_height, [taper.upper, taper.lower], slope),
            // One ball holds the other.
            None => {
                let (center, radius, end) = taper.larger();
                chord::ball(o, d, center, radius, FeatureId::vertex(end))
            }
        }
    }

    /// The first hit of a ray given in the shape's frame, see [`RayHit`]; `solid`: the inside counts as well.
    pub fn ray_cast(&self, ray: &Ray, interval: Interval, solid: bool) -> Option<RayHit> {
        first(ray, interval, solid, |o, d| self.chord(o, d))
    }

    /// Where a ray given in the shape's frame enters and where it leaves, as far as that is in the interval.
    pub fn ray_hits(&self, ray: &Ray, interval: Interval) -> RayHits {
        every(ray, interval, |o, d| self.chord(o, d))
    }
}

impl Cuboid {
    fn chord(&self, o: DVec3, d: DVec3) -> Option<Chord> {
        chord::aabb(o, d, -widen(self.half_extents()), widen(self.half_extents()))
    }

    /// The first hit of a ray given in the box's frame, see [`RayHit`]; `solid`: the inside counts as well.
    pub fn ray_cast(&self, ray: &Ray, interval: Interval, solid: bool) -> Option<RayHit> {
        first(ray, interval, solid, |o, d| self.chord(o, d))
    }

    /// Where a ray given in the box's frame enters and where it leaves, as far as that is in the interval.
    pub fn ray_hits(&self, ray: &Ray, interval: Interval) -> RayHits {
        every(ray, interval, |o, d| self.chord(o, d))
    }
}

impl Cylinder {
    fn chord(&self, o: DVec3, d: DVec3) -> Option<Chord> {
        chord::cylinder(o, d, wide(self.half_height()), wide(self.radius()))
    }

    /// The first hit of a ray given in the cylinder's frame, see [`RayHit`]; `solid`: the inside counts as well.
    pub fn ray_cast(&self, ray: &Ray, interval: Interval, solid: bool) -> Option<RayHit> {
        first(ray, interval, solid, |o, d| self.chord(o, d))
    }

    /// Where a ray given in the cylinder's frame enters and where it leaves, as far as that is in the interval.
    pub fn ray_hits(&self, ray: &Ray, interval: Interval) -> RayHits {
        every(ray, interval, |o, d| self.chord(o, d))
    }
}

impl Cone {
    fn chord(&self, o: DVec3, d: DVec3) -> Option<Chord> {
        chord::cone(o, d, wide(self.half_height()), wide(self.radius()))
    }

    /// The first hit of a ray given in the cone's frame, see [`RayHit`]; `solid`: the inside counts as well.
    pub fn ray_cast(&self, ray: &Ray, interval: Interval, solid: bool) -> Option<RayHit> {
        first(ray, interval, solid, |o, d| self.chord(o, d))
    }

    /// Where a ray given in the cone's frame enters and where it leaves, as far as that is in the interval.
    pub fn ray_hits(&self, ray: &Ray, interval: Interval) -> RayHits {
        every(ray, interval, |o, d| self.chord(o, d))
    }
}

impl Ellipsoid {
    fn chord(&self, o: DVec3, d: DVec3) -> Option<Chord> {
        chord::ellipsoid(o, d, widen(self.radii()))
    }

    /// The first hit of a ray given in the ellipsoid's frame, see [`RayHit`]; `solid`: the inside counts as well.
    pub fn ray_cast(&self, ray: &Ray, interval: Interval, solid: bool) -> Option<RayHit> {
        first(ray, interval, solid, |o, d| self.chord(o, d))
    }

    /// Where a ray given in the ellipsoid's frame enters and where it leaves, as far as that is in the interval.
    pub fn ray_hits(&self, ray: &Ray, interval: Interval) -> RayHits {
        every(ray, interval, |o, d| self.chord(o, d))
    }
}

impl Frustum {
    fn chord(&self, o: DVec3, d: DVec3) -> Option<Chord> {
        chord::frustum(o, d, wide(self.near()), wide(self.far()), self.slopes_wide())
    }

    /// The first hit of a ray given in the frustum's frame, see [`RayHit`]; `solid`: the inside counts as well.
    pub fn ray_cast(&self, ray: &Ray, interval: Interval, solid: bool) -> Option<RayHit> {
        first(ray, interval, solid, |o, d| self.chord(o, d))
    }

    /// Where a ray given in the frustum's frame enters and where it leaves, as far as that is in the interval.
    pub fn ray_hits(&self, ray: &Ray, interval: Interval) -> RayHits {
        every(ray, interval, |o, d| self.chord(o, d))
    }
}

impl HalfSpace {
    fn chord(&self, o: DVec3, d: DVec3) -> Option<Chord> {
        chord::half_space(o, d, self.normal_wide(), 0.0, FeatureId::face(0))
    }

    /// The first hit of a ray given in the half-space's frame, see [`RayHit`]; `solid`: the inside counts as well.
    pub fn ray_cast(&self, ray: &Ray, interval: Interval, solid: bool) -> Option<RayHit> {
        first(ray, interval, solid, |o, d| self.chord(o, d))
    }

    /// Where a ray given in the half-space's frame enters and where it leaves, as far as that is in the interval.
    pub fn ray_hits(&self, ray: &Ray, interval: Interval) -> RayHits {
        every(ray, interval, |o, d| self.chord(o, d))
    }
}

impl Tetrahedron {
    fn chord(&self, o: DVec3, d: DVec3) -> Option<Chord> {
        let corners = self.corners_wide();
        let faces = [0, 1, 2, 3].map(|face| self.face(face).map(|v| corners[v]));
        if self.is_flat() {
            // Four sheets in one plane.
            return faces.iter().map(|f| chord::triangle(o, d, f)).fold(None, Chord::union);
        }
        let mut chord = Chord::all();
        for (number, face) in faces.iter().enumerate() {
            let Some(normal) = self.face_normal(number) else { continue };
            let feature = FeatureId::face(number as u32);
            chord = chord.intersection(chord::half_space(o, d, normal, normal.dot(face[0]), feature)?)?;
        }
        Some(chord)
    }

    /// The first hit of a ray given in the tetrahedron's frame, see [`RayHit`]; `solid`: the inside counts as well.
    pub fn ray_cast(&self, ray: &Ray, interval: Interval, solid: bool) -> Option<RayHit> {
        first(ray, interval, solid, |o, d| self.chord(o, d))
    }

    /// Where a ray given in the tetrahedron's frame enters and where it leaves, as far as that is in the interval.
    pub fn ray_hits(&self, ray: &Ray, interval: Interval) -> RayHits {
        every(ray, interval, |o, d| self.chord(o, d))
    }
}

impl ConvexHull {
    fn chord(&self, o: DVec3, d: DVec3) -> Option<Chord> {
        let mut chord = Chord::all();
        for face in 0..self.n_faces() as u32 {
            let (normal, offset) = (self.face_normal(face), self.face_offset(face));
            chord = chord.intersection(chord::half_space(o, d, normal, offset, FeatureId::face(face))?)?;
        }
        Some(chord)
    }

    /// The first hit of a ray given in the hull's frame, see [`RayHit`]; `solid`: the inside counts as well.
    pub fn ray_cast(&self, ray: &Ray, interval: Interval, solid: bool) -> Option<RayHit> {
        first(ray, interval, solid, |o, d| self.chord(o, d))
    }

    /// Where a ray given in the hull's frame enters and where it leaves, as far as that is in the interval.
    pub fn ray_hits(&self, ray: &Ray, interval: Interval) -> RayHits {
        every(ray, interval, |o, d| self.chord(o, d))
    }
}
