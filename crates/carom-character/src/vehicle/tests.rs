//! The rays of a wheel.

use super::{RayHit, RaySweep, WheelDesc, cast};
use alloc::vec::Vec;
use glam::DVec3;

/// A solid that holds the start of each ray. Keeps the heights of the starts.
#[derive(Default)]
struct Solid {
    heights: Vec<f64>,
}

impl RaySweep for Solid {
    fn ray(&mut self, from: DVec3, _: DVec3, _: Option<&RayHit>) -> Option<RayHit> {
        self.heights.push(from.y);
        Some(RayHit::new(0.5, DVec3::NEG_Y).starting_inside(true))
    }
}

/// A ray that starts in a load starts lower the next time, and none is cast twice.
#[test]
fn rays_of_a_wheel_start_lower_each_time() {
    let desc = WheelDesc::new(0.35).with_travel(0.25);
    let cases: [(f64, &[f64]); 6] = [
        (0.6, &[0.6, 0.25, 0.0]),
        (0.25, &[0.25, 0.0]),
        (0.2, &[0.2, 0.0]),
        (0.0, &[0.0]),
        (-0.1, &[-0.1]),
        (-0.5, &[-0.5]),
    ];
    for (highest, expected) in cases {
        let mut solid = Solid::default();
        assert_eq!(cast(&mut solid, DVec3::ZERO, DVec3::Y, &desc, (highest, 0.1)), None);
        assert_eq!(solid.heights, expected, "{highest}");
    }
}
