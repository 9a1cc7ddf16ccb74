//! The hull of a few points as a support map of the tests' own: exact, or with a choice of vertices
//! in `f32`.

use crate::rng::Rng;
use carom_geom::{SupportMap, SupportPoint};
use carom_math::WidePose;
use carom_testkit::oracle::convex::BruteHull;
use glam::DVec3;

#[derive(Clone, Debug)]
pub(crate) struct Cloud {
    pub(crate) points: Vec<DVec3>,
    pub(crate) is_fast: bool,
    pub(crate) margin: f64,
    center: DVec3,
    radius: f64,
}

impl Cloud {
    pub(crate) fn new(points: Vec<DVec3>) -> Cloud {
        let center = points.iter().sum::<DVec3>() / points.len() as f64;
        let radius = points.iter().map(|p| p.distance(center)).fold(0.0, f64::max);
        Cloud { points, is_fast: false, margin: 0.0, center, radius }
    }

    pub(crate) fn cuboid(h: DVec3) -> Cloud {
        Cloud::new(carom_testkit::oracle::sat::box_corners(h, |p| p))
    }

    /// Points in a ball or on a sphere, stretched along the axes.
    pub(crate) fn random(rng: &mut Rng, n: usize, stretch: DVec3) -> Cloud {
        Cloud::new((0..n).map(|_| rng.unit() * rng.range(0.5, 1.0) * stretch).collect())
    }

    pub(crate) fn scaled(&self, s: f64) -> Cloud {
        Cloud { is_fast: self.is_fast, ..Cloud::new(self.points.iter().map(|p| *p * s).collect()) }
    }

    pub(crate) fn placed(&self, pose: &WidePose) -> Vec<DVec3> {
        self.points.iter().map(|p| pose.transform_point(*p)).collect()
    }

    pub(crate) fn hull(&self) -> BruteHull {
        BruteHull::new(&self.points)
    }

    fn scan(&self, direction: DVec3) -> SupportPoint {
        let mut best = 0;
        for i in 1..self.points.len() {
            if self.points[best].dot(direction) < self.points[i].dot(direction) {
                best = i;
            }
        }
        SupportPoint { point: self.points[best], vertex: best as u32 }
    }
}

impl SupportMap for Cloud {
    fn support(&self, direction: DVec3) -> SupportPoint {
        if !self.is_fast {
            return self.scan(direction);
        }
        let d = direction.as_vec3();
        let mut best = 0;
        for i in 1..self.points.len() {
            if self.points[best].as_vec3().dot(d) < self.points[i].as_vec3().dot(d) {
                best = i;
            }
        }
        SupportPoint { point: self.points[best], vertex: best as u32 }
    }

    fn support_exact(&self, direction: DVec3, _near: SupportPoint) -> SupportPoint {
        self.scan(direction)
    }

    fn support_slack(&self) -> f64 {
        if self.is_fast { 1e-6 * (self.radius + self.center.length()) } else { 0.0 }
    }

    fn vertex(&self, number: u32) -> Option<DVec3> {
        self.points.get(number as usize).copied()
    }

    fn center(&self) -> DVec3 {
        self.center
    }

    fn radius(&self) -> f64 {
        self.radius
    }

    fn margin(&self) -> f64 {
        self.margin
    }
}
