//! A dead-beat escapement: a wheel with pointed teeth, and an anchor with two pallets on the arbor
//! of a balance.
//!
//! 1. The wheel turns counter-clockwise about the origin. The anchor swings about a point above,
//!    where the tangents to the wheel at the two pallets meet.
//! 2. A tooth rests on the locking face of a pallet. That face lies along a circle about the
//!    anchor's arbor, so the tooth does not push the balance.
//! 3. As the pallet leaves, the tooth slides along its slanted end and pushes the balance on. Then
//!    another tooth drops on the other pallet. The wheel advances by half a tooth each time, one
//!    tooth in a period.
//! 4. All parts are convex prisms along z.
//!
//! Reference: M. Headrick, Origin and Evolution of the Anchor Clock Escapement, IEEE Control
//! Systems 22(2), 2002.
//! Differs: the inner locking face is one plane, so that the exit pallet is convex.

use crate::body::ShapeSpec;
use alloc::vec::Vec;
use carom_math::{Pose, Vec3};
use core::f64::consts::{FRAC_PI_2, TAU};
use glam::DVec2;
use libm::{atan2, cos, sin, tan};

/// The measures of an escapement. Angles of the anchor are about its arbor.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Escapement {
    /// Teeth of the wheel; at least 8.
    pub n_teeth: u32,
    /// Whole teeth between the pallets. Half a tooth more is between them.
    pub n_spanned: u32,
    /// The radius of the tips of the teeth.
    pub radius: f64,
    /// Half the width of all parts along z.
    pub half_width: f64,
    /// Radians over which a tooth pushes the anchor.
    pub lift: f64,
    /// Radians by which a tooth is locked when it drops.
    pub lock: f64,
}

impl Default for Escapement {
    /// Returns 15 teeth, 4.5 of them between the pallets, with radius 2.
    fn default() -> Escapement {
        Escapement { n_teeth: 15, n_spanned: 4, radius: 2.0, half_width: 0.15, lift: 0.055, lock: 0.025 }
    }
}

/// Width of a pallet along the path of the teeth, in units of half the pitch.
const PALLET: f64 = 0.7;

/// Thickness of the tip of a tooth, in the same units.
const TIP: f64 = 0.1;

/// The radius of the wheel between its teeth, in units of that of the tips.
const ROOT: f64 = 0.66;

/// Radians that a pallet reaches out from the wheel.
const REACH: f64 = 0.3;

impl Escapement {
    /// Returns the angle between two teeth, in radians.
    fn pitch(&self) -> f64 {
        TAU / f64::from(self.n_teeth.max(8))
    }

    /// Returns half the angle between the pallets about the wheel, in radians.
    fn half_span(&self) -> f64 {
        0.5 * (f64::from(self.n_spanned) + 0.5) * self.pitch()
    }

    /// Returns the place of the anchor's arbor, relative to the middle of the wheel.
    pub fn pivot(&self) -> DVec2 {
        DVec2::new(0.0, self.radius / cos(self.half_span()))
    }

    /// Returns the wheel about the z axis, with a tooth on the x axis.
    pub fn wheel(&self) -> Vec<(Pose, ShapeSpec)> {
        let (pitch, n_teeth) = (self.pitch(), self.n_teeth.max(8));
        let at = |radius: f64, angle: f64| DVec2::new(cos(angle), sin(angle)) * (radius * self.radius);
        let hub: Vec<DVec2> = (0..n_teeth).map(|tooth| at(ROOT, pitch * f64::from(tooth))).collect();
        let mut parts = alloc::vec![self.prism(&hub)];
        for tooth in 0..n_teeth {
            let front = pitch * f64::from(tooth);
            // The front leans back, so that only the tip touches a pallet.
            let root = cos(0.5 * pitch) * ROOT - 0.02;
            parts.push(self.prism(&[
                at(1.0, front),
                at(1.0, front - 0.5 * TIP * pitch),
                at(root, front - 0.55 * pitch),
                at(root, front - 0.15 * pitch),
            ]));
        }
        parts
    }

    /// Returns the pallets and the arms of the anchor about its arbor, in the middle of its swing.
    pub fn anchor(&self) -> Vec<(Pose, ShapeSpec)> {
        let (span, pivot) = (self.half_span(), self.pivot());
        let lever = self.radius * tan(span);
        let half = 0.25 * PALLET * self.pitch() * self.radius;
        let (locked, left) = (0.5 * (self.lock - self.lift), 0.5 * (self.lock + self.lift));
        let mut parts = Vec::new();
        for side in [1.0, -1.0] {
            // The entry pallet is on the right. It is lifted by a turn to the left, the exit pallet
            // by one to the right.
            let foot = DVec2::new(side * sin(span), cos(span)) * self.radius - pivot;
            let middle = atan2(foot.y, foot.x);
            let at = |radius: f64, out: f64| {
                let angle = middle + side * out;
                DVec2::new(cos(angle), sin(angle)) * radius
            };
            let (locking, leaving) = (lever + side * half, lever - side * half);
            let mut corners = alloc::vec![at(leaving, -left), at(locking, -locked)];
            // The locking face, and the back.
            let n_facets = if side < 0.0 { 1 } else { 6 };
            corners.extend((1..=n_facets).map(|k| at(locking, REACH * f64::from(k) / f64::from(n_facets))));
            corners.push(at(leaving, REACH));
            parts.push(self.prism(&corners));
            let arm = at(lever, REACH - 0.04);
            let across = DVec2::new(-arm.y, arm.x).normalize_or_zero() * half;
            parts.push(self.prism(&[across, -across, arm - across, arm + across]));
        }
        parts
    }

    /// Returns a prism of a flat convex outline, with the width of the escapement.
    fn prism(&self, outline: &[DVec2]) -> (Pose, ShapeSpec) {
        let ends = [-self.half_width, self.half_width];
        let points = ends.iter().flat_map(|z| outline.iter().map(move |p| p.extend(*z).as_vec3()));
        (Pose::from_translation(Vec3::ZERO), ShapeSpec::Hull { points: points.collect() })
    }

    /// Returns the angle in radians by which to turn a wheel, so that a tooth is about to drop on
    /// the exit pallet.
    pub fn start_angle(&self) -> f64 {
        FRAC_PI_2 + self.half_span() - 0.25 * PALLET * self.pitch() - 0.1 * self.pitch()
    }
}
