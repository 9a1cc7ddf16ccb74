//! The point of a shape's surface closest to a given point, and the signed distance.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.1.

use super::super::num::{Vec3, wide, widen};
use super::{
    Capsule, Cone, ConvexHull, ConvexPolygon, Cuboid, Cylinder, Ellipsoid, Frustum, HalfSpace,
    PointProjection, Segment, Sphere, TaperedCapsule, Tetrahedron, Triangle,
};
use crate::FeatureId;
use crate::normal::polygon_normal;
use crate::point_ellipsoid::closest_on_ellipsoid;
use crate::point_on::{OnFace, point_plane, point_polygon, point_rim, point_segment, point_triangle};
use crate::round::radial;
use carom_math::scaling::{hypot, length, unit};
use glam::DVec3;

/// Returns the projection on a sheet or thread, which has no inside.
fn on_sheet(p: DVec3, on: OnFace) -> PointProjection {
    PointProjection::from_wide(on.point, length(p - on.point), on.feature)
}

/// Returns the projection of a point that is NaN or infinite: some point of the shape, infinitely
/// far away.
fn from_nowhere(on: DVec3) -> PointProjection {
    PointProjection::from_wide(on, f64::INFINITY, FeatureId::UNKNOWN)
}

impl Sphere {
    /// Returns the point of the surface closest to `point`, with its signed distance. Everything
    /// is in the ball's frame.
    pub fn project_point(&self, point: Vec3) -> PointProjection {
        let (p, r) = (widen(point), wide(self.radius()));
        // At the centre every direction is equally good.
        let out = unit(p).unwrap_or(DVec3::X);
        PointProjection::from_wide(out * r, length(p) - r, FeatureId::UNKNOWN)
    }
}

impl Capsule {
    /// Returns the point of the surface closest to `point`, with its signed distance. Everything
    /// is in the capsule's frame.
    pub fn project_point(&self, point: Vec3) -> PointProjection {
        let (p, h, r) = (widen(point), wide(self.half_height()), wide(self.radius()));
        let on_core = DVec3::new(0.0, p.y.clamp(-h, h), 0.0);
        let feature = if p.y <= -h {
            FeatureId::vertex(1)
        } else if h <= p.y {
            FeatureId::vertex(0)
        } else {
            FeatureId::edge(0)
        };
        // On the segment every perpendicular direction is equally good.
        let out = unit(p - on_core).unwrap_or(DVec3::X);
        PointProjection::from_wide(on_core + out * r, length(p - on_core) - r, feature)
    }
}

impl TaperedCapsule {
    /// Returns the point of the surface closest to `point`, with its signed distance. Everything
    /// is in the shape's frame.
    pub fn project_point(&self, point: Vec3) -> PointProjection {
        let (p, taper) = (widen(point), self.taper());
        if !p.is_finite() {
            return from_nowhere(DVec3::Y * taper.half_height);
        }
        let on_ball = |center: DVec3, radius: f64, end: u32| {
            // At a centre every direction that meets the ball is equally good: down from the lower
            // one, up from the upper.
            let outwards = if end == 0 { DVec3::Y } else { -DVec3::Y };
            let out = unit(p - center).unwrap_or(outwards);
            PointProjection::from_wide(
                center + out * radius,
                length(p - center) - radius,
                FeatureId::vertex(end),
            )
        };
        let Some((sine, cosine)) = taper.slope else {
            // One ball contains the other.
            let (center, radius, end) = taper.larger();
            return on_ball(center, radius, end);
        };
        let (upper, lower) = (DVec3::Y * taper.half_height, -DVec3::Y * taper.half_height);
        let (x, z, across) = radial(p.x, p.z);
        // On the axis every perpendicular direction is equally good.
        let (x, z) = if across == 0.0 { (1.0, 0.0) } else { (x, z) };
        // The mantle spans between its contact circles. Beyond them the ball is nearest, also from
        // inside.
        let beyond = |center: DVec3| (p.y - center.y) * cosine - across * sine;
        if beyond(lower) <= 0.0 {
            return on_ball(lower, taper.lower, 1);
        }
        if 0.0 <= beyond(upper) {
            return on_ball(upper, taper.upper, 0);
        }
        let distance = across * cosine + (p.y + taper.half_height) * sine - taper.lower;
        let normal = DVec3::new(cosine * x, sine, cosine * z);
        PointProjection::from_wide(p - normal * distance, distance, FeatureId::edge(0))
    }
}

impl Cuboid {
    /// Returns the point of the surface closest to `point`, with its signed distance. Everything
    /// is in the box's frame.
    pub fn project_point(&self, point: Vec3) -> PointProjection {
        let (p, h) = (widen(point), widen(self.half_extents()));
        if !p.is_finite() {
            return from_nowhere(h);
        }
        let beyond = p.abs() - h;
        let sign_bit = |axis: usize| u32::from(p[axis] < 0.0);
        if beyond.max_element() <= 0.0 {
            // Inside: the nearest face.
            let axis = (0..3).fold(0, |best, axis| if beyond[best] < beyond[axis] { axis } else { best });
            let mut on = p;
            on[axis] = if p[axis] < 0.0 { -h[axis] } else { h[axis] };
            let feature = FeatureId::face(2 * axis as u32 + sign_bit(axis));
            return PointProjection::from_wide(on, beyond[axis], feature);
        }
        let on = p.clamp(-h, h);
        let out = [0, 1, 2].map(|axis| 0.0 < beyond[axis]);
        let feature = match out.iter().filter(|&&o| o).count() {
            1 => {
                let axis = out.iter().position(|&o| o).unwrap_or(0);
                FeatureId::face(2 * axis as u32 + sign_bit(axis))
            }
            2 => {
                let axis = out.iter().position(|&o| !o).unwrap_or(0);
                let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
                FeatureId::edge(4 * axis as u32 + (sign_bit(j) | sign_bit(k) << 1))
            }
            _ => FeatureId::vertex(sign_bit(0) | sign_bit(1) << 1 | sign_bit(2) << 2),
        };
        PointProjection::from_wide(on, length(beyond.max(DVec3::ZERO)), feature)
    }
}

impl Cylinder {
    /// Returns the point of the surface closest to `point`, with its signed distance. Everything
    /// is in the cylinder's frame.
    pub fn project_point(&self, point: Vec3) -> PointProjection {
        let (p, h, r) = (widen(point), wide(self.half_height()), wide(self.radius()));
        if !p.is_finite() {
            return from_nowhere(DVec3::Y * h);
        }
        let (x, z, distance) = radial(p.x, p.z);
        // On the axis every perpendicular direction is equally good.
        let (x, z) = if distance == 0.0 { (1.0, 0.0) } else { (x, z) };
        let (out, over) = (distance - r, p.y.abs() - h);
        let is_lower = p.y < 0.0;
        let cap = if is_lower { -h } else { h };
        if out <= 0.0 && out <= over {
            // Over a cap, or inside and nearer to a cap.
            let on = DVec3::new(p.x, cap, p.z);
            return PointProjection::from_wide(on, over, FeatureId::face(u32::from(is_lower)));
        }
        if over <= 0.0 {
            // Beside the mantle, or inside and nearer to it.
            return PointProjection::from_wide(DVec3::new(r * x, p.y, r * z), out, FeatureId::face(2));
        }
        let on = DVec3::new(r * x, cap, r * z);
        PointProjection::from_wide(on, hypot(out, over), FeatureId::edge(u32::from(is_lower)))
    }
}

impl Cone {
    /// Returns the point of the surface closest to `point`, with its signed distance. Everything
    /// is in the cone's frame.
    pub fn project_point(&self, point: Vec3) -> PointProjection {
        let (p, h, r) = (widen(point), wide(self.half_height()), wide(self.radius()));
        if !p.is_finite() {
            return from_nowhere(DVec3::Y * h);
        }
        let (x, z, distance) = radial(p.x, p.z);
        let (x, z) = if distance == 0.0 { (1.0, 0.0) } else { (x, z) };
        // In the half-plane through the axis and the point: two segments.
        let q = DVec3::new(distance, p.y, 0.0);
        let (center, rim, apex) = (DVec3::new(0.0, -h, 0.0), DVec3::new(r, -h, 0.0), DVec3::new(0.0, h, 0.0));
        let (base, mantle) = (point_segment(q, center, rim), point_segment(q, rim, apex));
        let (to_base, to_mantle) = (length(q - base.point), length(q - mantle.point));
        let (on, distance_out, feature) = if to_base < to_mantle {
            (base.point, to_base, if base.s < 1.0 { FeatureId::face(1) } else { FeatureId::edge(1) })
        } else if mantle.s <= 0.0 {
            (rim, to_mantle, FeatureId::edge(1))
        } else if mantle.s < 1.0 {
            (mantle.point, to_mantle, FeatureId::face(2))
        } else {
            (apex, to_mantle, FeatureId::vertex(0))
        };
        let is_inside = p.y.abs() <= h && distance <= r && distance * (2.0 * h) <= r * (h - p.y);
        let signed = if is_inside { -distance_out } else { distance_out };
        PointProjection::from_wide(DVec3::new(on.x * x, on.y, on.x * z), signed, feature)
    }
}

impl Ellipsoid {
    /// Returns the point of the surface closest to `point`, with its signed distance. Everything
    /// is in the ellipsoid's frame.
    pub fn project_point(&self, point: Vec3) -> PointProjection {
        // Negligible against any radius: 2^-600. Rounding spoils subnormal numbers.
        let least = DVec3::splat(f64::from_bits((1023 - 600) << 52));
        let p = widen(point);
        let p = DVec3::select(p.abs().cmplt(least), DVec3::ZERO, p);
        let (on, is_inside) = closest_on_ellipsoid(p, widen(self.radii()));
        let distance = length(p - on);
        PointProjection::from_wide(on, if is_inside { -distance } else { distance }, FeatureId::UNKNOWN)
    }
}

impl HalfSpace {
    /// Returns the point of the surface closest to `point`, with its signed distance. Everything
    /// is in the half-space's frame.
    pub fn project_point(&self, point: Vec3) -> PointProjection {
        let (on, distance) = point_plane(widen(point), self.normal_wide(), 0.0);
        PointProjection::from_wide(on, distance, FeatureId::face(0))
    }
}

impl Segment {
    /// Returns the point of the shape closest to `point`, with its distance. Everything is in the
    /// segment's frame.
    pub fn project_point(&self, point: Vec3) -> PointProjection {
        let p = widen(point);
        let on = point_segment(p, widen(self.a()), widen(self.b()));
        let feature = if on.s <= 0.0 {
            FeatureId::vertex(0)
        } else if on.s < 1.0 {
            FeatureId::edge(0)
        } else {
            FeatureId::vertex(1)
        };
        PointProjection::from_wide(on.point, length(p - on.point), feature)
    }
}

impl Triangle {
    /// Returns the point of the shape closest to `point`, with its distance. Everything is in the
    /// triangle's frame.
    pub fn project_point(&self, point: Vec3) -> PointProjection {
        let p = widen(point);
        on_sheet(p, point_triangle(p, &self.corners_wide()))
    }
}

impl ConvexPolygon<'_> {
    /// Returns the point of the shape closest to `point`, with its distance. Everything is in the
    /// frame of the corners.
    pub fn project_point(&self, point: Vec3) -> PointProjection {
        let (p, n_corners) = (widen(point), self.corners().len());
        let corner = |i: usize| self.corner_wide(i);
        on_sheet(
            p,
            match self.normal_wide() {
                Some(normal) => point_polygon(p, normal, n_corners, corner),
                None => point_rim(p, n_corners, corner),
            },
        )
    }
}

impl Frustum {
    /// Returns the point of the surface closest to `point`, with its signed distance. Everything
    /// is in the frustum's frame.
    pub fn project_point(&self, point: Vec3) -> PointProjection {
        let p = widen(point);
        let (near, far, slopes) = (wide(self.near()), wide(self.far()), self.slopes_wide());
        let room = slopes * -p.z;
        let is_inside = near <= -p.z && -p.z <= far && p.x.abs() <= room.x && p.y.abs() <= room.y;
        // A NaN point, or one at non-finite distance, keeps this result.
        let mut best = PointProjection::from_wide(self.corner_wide(0), f64::INFINITY, FeatureId::vertex(0));
        let mut least = f64::INFINITY;
        for face in 0..6 {
            let ring = self.face(face);
            let corner = |i: usize| self.corner_wide(ring[i]);
            // A near face that is a point has no area, nor have faces of a flat frustum that are
            // segments.
            let on = match polygon_normal(4, corner) {
                Some(normal) => point_polygon(p, normal, 4, corner),
                None => point_rim(p, 4, corner),
            };
            let distance = length(p - on.point);
            if distance < least {
                let signed = if is_inside { -distance } else { distance };
                best = PointProjection::from_wide(on.point, signed, self.feature_of(face, on.feature));
                least = distance;
            }
        }
        best
    }
}

impl Tetrahedron {
    /// Returns the point of the surface closest to `point`, with its signed distance. Everything
    /// is in the tetrahedron's frame.
    pub fn project_point(&self, point: Vec3) -> PointProjection {
        let (p, corners) = (widen(point), self.corners_wide());
        let mut best = None;
        let mut least = f64::INFINITY;
        let mut is_inside = !self.is_flat();
        for face in 0..4 {
            let ring = self.face(face).map(|v| corners[v]);
            if let Some(normal) = self.face_normal(face) {
                is_inside &= normal.dot(p - ring[0]) <= 0.0;
            }
            let on = point_triangle(p, &ring);
            let distance = length(p - on.point);
            if distance < least {
                (best, least) = (Some((face, on)), distance);
            }
        }
        let Some((face, on)) = best else {
            // A NaN point, or one at non-finite distance.
            return PointProjection::from_wide(corners[0], f64::INFINITY, FeatureId::vertex(0));
        };
        let feature = self.feature_of(face, on.feature);
        PointProjection::from_wide(on.point, if is_inside { -least } else { least }, feature)
    }
}

impl ConvexHull {
    /// Returns the point of the surface closest to `point`, with its signed distance. Everything
    /// is in the hull's frame.
    pub fn project_point(&self, point: Vec3) -> PointProjection {
        let p = widen(point);
        if !p.is_finite() {
            return from_nowhere(widen(self.vertices()[0]));
        }
        let height = |face: u32| self.face_normal(face).dot(p) - self.face_offset(face);
        let (mut top, mut most) = (0, f64::NEG_INFINITY);
        for face in 0..self.n_faces() as u32 {
            if most < height(face) {
                (top, most) = (face, height(face));
            }
        }
        if most <= 0.0 {
            // Inside: the nearest plane is reached inside its own face.
            let on = p - self.face_normal(top) * most;
            return PointProjection::from_wide(on, most, FeatureId::face(top));
        }
        // Outside: the closest face in sight, tested from the highest plane on. No face is nearer
        // than its plane.
        let (mut best, mut least) = (self.closest_on_face(p, top), f64::INFINITY);
        for face in core::iter::once(top).chain(0..self.n_faces() as u32) {
            let height = height(face);
            if height <= 0.0 || least <= height {
                continue;
            }
            let on = self.closest_on_face(p, face);
            let distance = length(p - on.point);
            if distance < least {
                (best, least) = (on, distance);
            }
        }
        PointProjection::from_wide(best.point, least, best.feature)
    }

    fn closest_on_face(&self, p: DVec3, face: u32) -> OnFace {
        let ring = self.face_vertices(face);
        let corner = |i: usize| widen(self.vertices()[ring[i] as usize]);
        let on = point_polygon(p, self.face_normal(face), ring.len(), corner);
        // Numbers within the face become those of the hull.
        let feature = self.feature_of(face, on.feature);
        OnFace { feature, ..on }
    }
}
