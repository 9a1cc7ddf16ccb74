//! Convex solids by their support points, and the separation of two of them that a direction
//! proves.
//!
//! It shares no code with the support maps of carom-geom, so that it can judge them. A polytope is
//! all of its points, which are tested one by one. Candidates for the farthest are compared again
//! with 106 bits.
//!
//! Reference: G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, 2.3
//! (support functions).

use carom_math::WidePose;
use carom_math::double_double::{DoubleDouble, DoubleDoubleVec3};
use glam::DVec3;

/// The hull of some points, or a round shape about the origin with its axis along y.
#[derive(Clone, Debug)]
pub enum Core {
    /// Points, at least one.
    Points(Vec<DVec3>),
    /// The half axes of an ellipsoid.
    Ellipsoid(DVec3),
    /// Half the height, and the radius.
    Cylinder(f64, f64),
    /// Half the height, and the radius of the base, which is below.
    Cone(f64, f64),
    /// The hull of a point at this height and of a ball of this radius at minus the height.
    Drop(f64, f64),
}

/// A core with a radius all around.
#[derive(Clone, Debug)]
pub struct Solid {
    /// The solid without the radius.
    pub core: Core,
    /// The radius, not below 0.
    pub radius: f64,
}

impl Solid {
    /// Returns the farthest point of the core along a direction of any length.
    pub fn farthest(&self, n: DVec3) -> DVec3 {
        // The point of a disc about the y axis.
        let rim = |y: f64, r: f64| {
            let flat = DVec3::new(n.x, 0.0, n.z).normalize_or_zero();
            flat * r + DVec3::new(0.0, y, 0.0)
        };
        match &self.core {
            Core::Points(points) => points[farthest(points, n)],
            Core::Ellipsoid(half) => {
                let scaled = (n * *half).normalize_or_zero();
                scaled * *half
            }
            Core::Cylinder(h, r) => rim(if n.y < 0.0 { -h } else { *h }, *r),
            Core::Cone(h, r) => {
                let (apex, base) = (DVec3::new(0.0, *h, 0.0), rim(-h, *r));
                if base.dot(n) < apex.dot(n) { apex } else { base }
            }
            Core::Drop(h, r) => {
                let apex = DVec3::new(0.0, *h, 0.0);
                let ball = n.normalize_or_zero() * *r - apex;
                if ball.dot(n) < apex.dot(n) { apex } else { ball }
            }
        }
    }

    /// Returns the radius of a ball about the origin that contains the solid.
    pub fn reach(&self) -> f64 {
        self.radius
            + match &self.core {
                Core::Points(points) => points.iter().map(|p| p.length()).fold(0.0, f64::max),
                Core::Ellipsoid(half) => half.max_element(),
                Core::Cylinder(h, r) | Core::Cone(h, r) => h.hypot(*r),
                Core::Drop(h, r) => h + r,
            }
    }
}

fn farthest(points: &[DVec3], n: DVec3) -> usize {
    let (mut best, mut most) = (0, f64::NEG_INFINITY);
    for (i, p) in points.iter().enumerate() {
        let height = p.x * n.x + p.y * n.y + p.z * n.z;
        if most < height {
            (best, most) = (i, height);
        }
    }
    best
}

/// Returns a point transformed by a pose, in 106 bits.
pub fn placed(pose: &WidePose, p: DVec3) -> DoubleDoubleVec3 {
    let r = &pose.rotation;
    let part = |axis: DVec3, x: f64| DoubleDoubleVec3::from(axis) * DoubleDouble::from(x);
    part(r.x_axis, p.x) + part(r.y_axis, p.y) + part(r.z_axis, p.z) + DoubleDoubleVec3::from(pose.translation)
}

/// Two solids, B placed in the frame of A: the difference B - A of their cores.
pub struct Difference<'a> {
    a: &'a Solid,
    b: &'a Solid,
    pose: WidePose,
    /// Points of B in A's frame, rounded.
    points_b: Vec<DVec3>,
    /// The sum of the two radii.
    pub radius: f64,
    /// A bound of all coordinates in the computation, to which rounding errors are relative.
    pub size: f64,
}

impl<'a> Difference<'a> {
    /// Returns the difference of two solids, with the pose of B.
    pub fn new(a: &'a Solid, b: &'a Solid, pose: WidePose) -> Difference<'a> {
        let points_b = match &b.core {
            Core::Points(points) => points.iter().map(|p| placed(&pose, *p).to_dvec3()).collect(),
            _ => Vec::new(),
        };
        let size = a.reach() + b.reach() + pose.translation.length();
        Difference { a, b, pose, points_b, radius: a.radius + b.radius, size }
    }

    /// Returns the point of the difference of the cores that is lowest along a direction.
    pub fn lowest(&self, n: DVec3) -> DVec3 {
        let b = match &self.b.core {
            Core::Points(_) => self.points_b[farthest(&self.points_b, -n)],
            _ => {
                let local = self.pose.rotation.transpose() * -n;
                placed(&self.pose, self.b.farthest(local)).to_dvec3()
            }
        };
        b - self.a.farthest(n)
    }

    /// Returns the separation of the solids along any direction, which is not above their signed
    /// distance. Points are compared with 106 bits. So the sign for polytopes is right beyond any
    /// rounding of `f64`.
    pub fn room(&self, n: DVec3) -> f64 {
        let Some(n) = n.try_normalize() else { return f64::NEG_INFINITY };
        let (wide, down) = (DoubleDoubleVec3::from(n), DoubleDoubleVec3::from(-n));
        let top = match &self.a.core {
            Core::Points(points) => self.most(points, points, n, |p| DoubleDoubleVec3::from(p).dot(wide)),
            _ => self.a.farthest(n).dot(n).into(),
        };
        let low = match &self.b.core {
            Core::Points(points) => {
                self.most(points, &self.points_b, -n, |p| placed(&self.pose, p).dot(down))
            }
            _ => {
                let local = self.pose.rotation.transpose() * -n;
                placed(&self.pose, self.b.farthest(local)).dot(down)
            }
        };
        let room = -(top + low);
        // The length of `n`, which is 1 to rounding.
        (room / wide.dot(wide)).to_f64() * n.length() - self.radius
    }

    /// Returns the largest exact height among the points that rounding cannot distinguish.
    fn most(
        &self,
        points: &[DVec3],
        rounded: &[DVec3],
        n: DVec3,
        height: impl Fn(DVec3) -> DoubleDouble,
    ) -> DoubleDouble {
        let limit = rounded[farthest(rounded, n)].dot(n) - 8.0 * f64::EPSILON * self.size;
        let near = points.iter().zip(rounded).filter(|(_, p)| limit <= p.dot(n));
        let heights = near.map(|(p, _)| height(*p));
        heights.reduce(|m, x| if (m - x).is_negative() { x } else { m }).unwrap_or_default()
    }
}
