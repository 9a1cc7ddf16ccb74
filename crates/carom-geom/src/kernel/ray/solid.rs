//! Rays against solids: which ends of the chord of a ray's line count.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.6 to 22.9; see `chord.rs` for
//! each solid.

use super::super::super::num::{Interval, Ray, wide, widen};
use super::super::{
    Capsule, Cone, ConvexHull, Cuboid, Cylinder, Ellipsoid, Frustum, HalfSpace, RayHit, RayHits, Sphere,
    TaperedCapsule, Tetrahedron,
};
use super::{every, first};
use crate::chord::{self, Chord};
use crate::facets::{self, Facets};
use crate::{FeatureId, SupportMap};
use carom_math::scaling::unit;
use glam::DVec3;

impl Sphere {
    fn chord(&self, o: DVec3, d: DVec3) -> Option<Chord> {
        chord::ball(o, d, DVec3::ZERO, wide(self.radius()), FeatureId::UNKNOWN)
    }
}

impl Capsule {
    fn chord(&self, o: DVec3, d: DVec3) -> Option<Chord> {
        chord::capsule(o, d, wide(self.half_height()), wide(self.radius()))
    }
}

impl TaperedCapsule {
    fn chord(&self, o: DVec3, d: DVec3) -> Option<Chord> {
        let taper = self.taper();
        match taper.slope {
            Some(slope) => chord::tapered_capsule(o, d, taper.half_height, [taper.upper, taper.lower], slope),
            // One ball contains the other.
            None => {
                let (center, radius, end) = taper.larger();
                chord::ball(o, d, center, radius, FeatureId::vertex(end))
            }
        }
    }
}

impl Cuboid {
    fn chord(&self, o: DVec3, d: DVec3) -> Option<Chord> {
        chord::aabb(o, d, -widen(self.half_extents()), widen(self.half_extents()))
    }
}

impl Cylinder {
    fn chord(&self, o: DVec3, d: DVec3) -> Option<Chord> {
        chord::cylinder(o, d, wide(self.half_height()), wide(self.radius()))
    }
}

impl Cone {
    fn chord(&self, o: DVec3, d: DVec3) -> Option<Chord> {
        chord::cone(o, d, wide(self.half_height()), wide(self.radius()))
    }
}

impl Ellipsoid {
    fn chord(&self, o: DVec3, d: DVec3) -> Option<Chord> {
        chord::ellipsoid(o, d, widen(self.radii()))
    }
}

impl Frustum {
    fn chord(&self, o: DVec3, d: DVec3) -> Option<Chord> {
        facets::chord(o, d, self)
    }
}

impl HalfSpace {
    fn chord(&self, o: DVec3, d: DVec3) -> Option<Chord> {
        chord::half_space(o, d, self.normal_wide(), 0.0, FeatureId::face(0))
    }
}

impl Tetrahedron {
    fn chord(&self, o: DVec3, d: DVec3) -> Option<Chord> {
        facets::chord(o, d, self)
    }
}

impl ConvexHull {
    fn chord(&self, o: DVec3, d: DVec3) -> Option<Chord> {
        facets::chord(o, d, self)
    }
}

/// Ray queries of shapes that a line meets in one chord.
macro_rules! ray_queries {
    ($($shape:ty),*) => {$(
        impl $shape {
            /// Returns the first hit of a ray, given in the frame of the shape, in the interval.
            /// With `solid` the inside counts too: a ray whose interval begins inside hits there.
            pub fn cast_ray(&self, ray: &Ray, interval: Interval, solid: bool) -> Option<RayHit> {
                first(ray, interval, solid, |o, d| self.chord(o, d))
            }

            /// Returns the entry and the exit of a ray, given in the frame of the shape, that lie
            /// in the interval.
            pub fn ray_hits(&self, ray: &Ray, interval: Interval) -> RayHits {
                every(ray, interval, |o, d| self.chord(o, d))
            }
        }
    )*};
}

ray_queries!(
    Sphere,
    Capsule,
    TaperedCapsule,
    Cuboid,
    Cylinder,
    Cone,
    Ellipsoid,
    Frustum,
    HalfSpace,
    Tetrahedron,
    ConvexHull
);

impl Facets for Frustum {
    fn ball(&self) -> (DVec3, f64) {
        (self.center(), self.radius())
    }

    fn n_faces(&self) -> u32 {
        6
    }

    fn plane(&self, face: u32) -> Option<(DVec3, f64)> {
        let offset = [-wide(self.near()), wide(self.far())].get(face as usize).copied().unwrap_or(0.0);
        Some((unit(self.face_direction(face as usize))?, offset))
    }

    fn face_chord(&self, face: u32, o: DVec3, d: DVec3) -> Option<Chord> {
        let ring = self.face(face as usize);
        chord::polygon(o, d, ring.len(), |i| self.corner_wide(ring[i]))
    }
}

impl Facets for Tetrahedron {
    fn ball(&self) -> (DVec3, f64) {
        (self.center(), self.radius())
    }

    fn n_faces(&self) -> u32 {
        4
    }

    fn plane(&self, face: u32) -> Option<(DVec3, f64)> {
        let normal = self.face_normal(face as usize)?;
        Some((normal, normal.dot(self.corners_wide()[self.face(face as usize)[0]])))
    }

    fn face_chord(&self, face: u32, o: DVec3, d: DVec3) -> Option<Chord> {
        let corners = self.corners_wide();
        chord::triangle(o, d, &self.face(face as usize).map(|v| corners[v]))
    }
}

impl Facets for ConvexHull {
    fn ball(&self) -> (DVec3, f64) {
        (self.center(), self.radius())
    }

    fn n_faces(&self) -> u32 {
        self.n_faces() as u32
    }

    fn plane(&self, face: u32) -> Option<(DVec3, f64)> {
        Some((self.face_normal(face), self.face_offset(face)))
    }

    fn face_chord(&self, face: u32, o: DVec3, d: DVec3) -> Option<Chord> {
        let ring = self.face_vertices(face);
        chord::polygon(o, d, ring.len(), |i| widen(self.vertices()[ring[i] as usize]))
    }
}
