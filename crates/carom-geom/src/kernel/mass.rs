//! Mass, centre of mass and inertia of solids of uniform density.
//!
//! Polyhedra are summed over the tetrahedra from a nearby point to each triangle. Let a, b, c be
//! the corners relative to that point, and s = a + b + c. The integral of x x^T over the
//! tetrahedron is det(a, b, c) / 120 (a a^T + b b^T + c c^T + s s^T).
//!
//! Reference: M. Kallay, Computing the Moment of Inertia of a Solid Defined by a Triangle Mesh,
//! Journal of Graphics Tools 11(2), 2006; for the round shapes, R. Featherstone, Rigid Body
//! Dynamics Algorithms, 2008, 2.13 (shifting inertia).

use super::super::num::{
    Mat3, Pose, Quat, Real, Vec3, narrow, narrow_matrix, real, symmetric_eigen, wide, widen, widen_matrix,
};
use super::{Capsule, Cone, ConvexHull, Cuboid, Cylinder, Ellipsoid, Frustum, Sphere, Tetrahedron, TriMesh};
use crate::distance_field::SolidMoments;
use carom_math::scaling::scale_of;
use core::f64::consts::PI;
use glam::{DMat3, DVec3};

/// The mass data of a rigid body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct MassProperties {
    /// Mass: density times volume.
    pub mass: Real,
    /// Centre of mass.
    pub center: Vec3,
    /// Inertia tensor about the centre of mass, in the axes of the frame, in mass times length
    /// squared.
    pub inertia: Mat3,
}

impl MassProperties {
    /// Zero mass.
    pub const ZERO: MassProperties = MassProperties { mass: 0.0, center: Vec3::ZERO, inertia: Mat3::ZERO };

    /// Creates mass properties from mass, centre, and inertia tensor about the centre.
    pub const fn new(mass: Real, center: Vec3, inertia: Mat3) -> MassProperties {
        MassProperties { mass, center, inertia }
    }

    /// Creates mass properties from the moments of a solid and its density, mass per volume. Zero
    /// if the density is NaN, infinite or negative.
    pub fn of_moments(moments: &SolidMoments, density: Real) -> MassProperties {
        of_unit(moments.volume, moments.center, moments.inertia, density)
    }

    /// Returns the same solid placed by a pose, in the parent frame.
    pub fn placed(&self, pose: &Pose) -> MassProperties {
        let pose = pose.wide();
        let inertia = pose.rotation * widen_matrix(self.inertia) * pose.rotation.transpose();
        MassProperties {
            mass: self.mass,
            center: narrow(pose.transform_point(widen(self.center))),
            inertia: narrow_matrix(symmetric(inertia)),
        }
    }

    /// Returns the principal moments, the least first, and the rotation from the frame of the
    /// principal axes to this one.
    pub fn principal(&self) -> (Vec3, Quat) {
        let eigen = symmetric_eigen(self.inertia);
        (eigen.values, Quat::from_mat3(&eigen.vectors))
    }

    /// Combines several solids; the mass of an overlap counts twice.
    pub fn combined<'a>(parts: impl IntoIterator<Item = &'a MassProperties> + Clone) -> MassProperties {
        let (mut mass, mut moment) = (0.0, DVec3::ZERO);
        for part in parts.clone() {
            mass += wide(part.mass);
            moment += widen(part.center) * wide(part.mass);
        }
        if !(0.0 < mass && mass < f64::INFINITY) {
            return MassProperties::ZERO;
        }
        let center = moment * (1.0 / mass);
        let mut inertia = DMat3::ZERO;
        for part in parts {
            inertia +=
                widen_matrix(part.inertia) + point_inertia(widen(part.center) - center) * wide(part.mass);
        }
        MassProperties { mass: real(mass), center: narrow(center), inertia: narrow_matrix(inertia) }
    }

    /// Returns the mass properties of the solid inside a closed surface of triangles, given by
    /// their corners, counter-clockwise seen from outside.
    ///
    /// An inside-out surface gives a negative mass; an open surface may too. `density` must be
    /// finite and not negative, else the result is zero. The result is also zero without volume, or
    /// if mass, centre or inertia overflows. All numbers are finite.
    pub fn of_closed_surface<I>(triangles: I, density: Real) -> MassProperties
    where
        I: IntoIterator<Item = [DVec3; 3]>,
        I::IntoIter: Clone,
    {
        let triangles = triangles.into_iter();
        let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for p in triangles.clone().flatten() {
            (min, max) = (min.min(p), max.max(p));
        }
        if !(min.is_finite() && max.is_finite()) {
            return MassProperties::ZERO;
        }
        // From the middle, so that a far origin costs no digits.
        let origin = min * 0.5 + max * 0.5;
        // Scaled to a medium size, so that products of lengths neither underflow nor overflow.
        let scale = scale_of((max - min).max_element());
        let unit = 1.0 / scale;
        let (mut volume, mut moment, mut spread) = (0.0, DVec3::ZERO, DMat3::ZERO);
        for corners in triangles {
            let [a, b, c] = corners.map(|p| (p - origin) * scale);
            let (six_volumes, sum) = (a.dot(b.cross(c)), a + b + c);
            volume += six_volumes;
            moment += sum * six_volumes;
            spread += (outer(a) + outer(b) + outer(c) + outer(sum)) * six_volumes;
        }
        if volume == 0.0 || !spread.is_finite() {
            return MassProperties::ZERO;
        }
        let center = moment / (4.0 * volume);
        let volume = volume * (1.0 / 6.0);
        let spread = spread * (1.0 / 120.0) - outer(center) * volume;
        let trace = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z;
        let inertia = DMat3::from_diagonal(DVec3::splat(trace)) - spread;
        let (center, volume) = (origin + center * unit, volume * unit * unit * unit);
        let inertia = symmetric(inertia) * unit * unit * unit * unit * unit;
        // The centre of an open surface with cancelling parts may be anywhere, by rounding.
        let properties = of_unit(volume, center, inertia, density);
        let is_finite =
            properties.mass.is_finite() && properties.center.is_finite() && properties.inertia.is_finite();
        if is_finite { properties } else { MassProperties::ZERO }
    }
}

/// Scales by the density, if that is a valid number. Rounding differences of equal entries of the
/// inertia are removed.
pub(super) fn of_unit(volume: f64, center: DVec3, inertia: DMat3, density: Real) -> MassProperties {
    let density = wide(density);
    if !(0.0 <= density && density < f64::INFINITY) {
        return MassProperties::ZERO;
    }
    MassProperties {
        mass: real(volume * density),
        center: narrow(center),
        inertia: narrow_matrix(symmetric(inertia * density)),
    }
}

/// Returns the mass properties of a body whose inertia is diagonal. `moments` is the inertia per
/// volume.
fn round(volume: f64, center_y: f64, moments: DVec3, density: Real) -> MassProperties {
    of_unit(volume, DVec3::new(0.0, center_y, 0.0), DMat3::from_diagonal(moments * volume), density)
}

/// Returns v v^T.
pub(super) fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

/// Returns the inertia of a unit mass at v.
fn point_inertia(v: DVec3) -> DMat3 {
    DMat3::from_diagonal(DVec3::splat(v.length_squared())) - outer(v)
}

/// Returns the matrix made symmetric, without the rounding differences of equal entries.
pub(super) fn symmetric(m: DMat3) -> DMat3 {
    (m + m.transpose()) * 0.5
}

impl Sphere {
    /// Returns mass, centre and inertia, in the shape's frame. `density` is mass per volume,
    /// finite and not negative.
    pub fn mass_properties(&self, density: Real) -> MassProperties {
        let r = wide(self.radius());
        round(4.0 / 3.0 * PI * r * r * r, 0.0, DVec3::splat(0.4 * r * r), density)
    }
}

impl Capsule {
    /// Returns mass, centre and inertia, in the shape's frame. `density` is mass per volume,
    /// finite and not negative.
    pub fn mass_properties(&self, density: Real) -> MassProperties {
        let (h, r) = (wide(self.half_height()), wide(self.radius()));
        let (trunk, caps) = (2.0 * h * PI * r * r, 4.0 / 3.0 * PI * r * r * r);
        let across = trunk * (r * r / 4.0 + h * h / 3.0) + caps * (0.4 * r * r + h * h + 0.75 * h * r);
        let along = trunk * (0.5 * r * r) + caps * (0.4 * r * r);
        let inertia = DMat3::from_diagonal(DVec3::new(across, along, across));
        of_unit(trunk + caps, DVec3::ZERO, inertia, density)
    }
}

impl Cuboid {
    /// Returns mass, centre and inertia, in the shape's frame. `density` is mass per volume,
    /// finite and not negative.
    pub fn mass_properties(&self, density: Real) -> MassProperties {
        let h = widen(self.half_extents());
        let s = h * h;
        let moments = DVec3::new(s.y + s.z, s.z + s.x, s.x + s.y) * (1.0 / 3.0);
        round(8.0 * h.x * h.y * h.z, 0.0, moments, density)
    }
}

impl Cylinder {
    /// Returns mass, centre and inertia, in the shape's frame. `density` is mass per volume,
    /// finite and not negative.
    pub fn mass_properties(&self, density: Real) -> MassProperties {
        let (h, r) = (wide(self.half_height()), wide(self.radius()));
        let across = r * r / 4.0 + h * h / 3.0;
        round(2.0 * h * PI * r * r, 0.0, DVec3::new(across, 0.5 * r * r, across), density)
    }
}

impl Cone {
    /// Returns mass, centre and inertia, in the shape's frame. `density` is mass per volume,
    /// finite and not negative.
    pub fn mass_properties(&self, density: Real) -> MassProperties {
        let (h, r) = (wide(self.half_height()), wide(self.radius()));
        let across = 0.15 * (r * r + h * h);
        round(2.0 / 3.0 * h * PI * r * r, -0.5 * h, DVec3::new(across, 0.3 * r * r, across), density)
    }
}

impl Ellipsoid {
    /// Returns mass, centre and inertia, in the shape's frame. `density` is mass per volume,
    /// finite and not negative.
    pub fn mass_properties(&self, density: Real) -> MassProperties {
        let r = widen(self.radii());
        let s = r * r;
        let moments = DVec3::new(s.y + s.z, s.z + s.x, s.x + s.y) * 0.2;
        round(4.0 / 3.0 * PI * r.x * r.y * r.z, 0.0, moments, density)
    }
}

impl Tetrahedron {
    /// Returns mass, centre and inertia, in the shape's frame; zero if it is flat. `density` is
    /// mass per volume, finite and not negative.
    pub fn mass_properties(&self, density: Real) -> MassProperties {
        let corners = self.corners_wide();
        let faces = [0, 1, 2, 3].map(|face| self.face(face).map(|v| corners[v]));
        MassProperties::of_closed_surface(faces, density)
    }
}

impl Frustum {
    /// Returns mass, centre and inertia, in the shape's frame; zero if it is flat. `density` is
    /// mass per volume, finite and not negative.
    pub fn mass_properties(&self, density: Real) -> MassProperties {
        let corners = |face: usize| self.face(face).map(|v| self.corner_wide(v));
        let halves = (0..6).flat_map(|face| {
            let [a, b, c, d] = corners(face);
            [[a, b, c], [a, c, d]]
        });
        MassProperties::of_closed_surface(halves, density)
    }
}

impl ConvexHull {
    /// Returns mass, centre and inertia, in the shape's frame. `density` is mass per volume,
    /// finite and not negative.
    pub fn mass_properties(&self, density: Real) -> MassProperties {
        let corner = |v: u32| widen(self.vertices()[v as usize]);
        let fans = (0..self.n_faces() as u32).flat_map(|face| {
            let ring = self.face_vertices(face);
            ring[1..].windows(2).map(move |pair| [corner(ring[0]), corner(pair[0]), corner(pair[1])])
        });
        MassProperties::of_closed_surface(fans, density)
    }
}

impl TriMesh {
    /// Returns mass, centre and inertia of the solid that the mesh encloses, see
    /// [`MassProperties::of_closed_surface`]. The mesh must be closed, with triangles
    /// counter-clockwise seen from outside.
    pub fn mass_properties(&self, density: Real) -> MassProperties {
        let vertices = self.vertices();
        let triangles = self.indices().iter().map(|t| t.map(|v| widen(vertices[v as usize])));
        MassProperties::of_closed_surface(triangles, density)
    }
}
