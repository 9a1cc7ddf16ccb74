//! Tests of `ray_box_entry`: it reports every box that the ray meets.

use carom_bounds::Aabb;
use carom_broad::ray_box_entry;
use carom_math::{Interval, Ray};
use glam::{DVec3, Vec3};
use proptest::prelude::*;

fn unit() -> Aabb {
    Aabb { min: Vec3::ZERO, max: Vec3::ONE }
}

#[test]
fn through_a_face_an_edge_and_a_corner() {
    let entry = |origin: Vec3, direction: Vec3| {
        ray_box_entry(&Ray::new(origin, direction), &unit(), Interval::FORWARD)
    };
    let near = |x: Option<f32>, t: f32| x.is_some_and(|x| x <= t && t - x <= 1e-6 * t.abs());
    assert!(near(entry(Vec3::new(-2.0, 0.5, 0.5), Vec3::X), 2.0));
    assert!(near(entry(Vec3::new(-2.0, 0.0, 0.5), Vec3::X), 2.0), "along a face");
    assert!(near(entry(Vec3::new(-2.0, 1.0, 0.0), Vec3::X), 2.0), "along an edge");
    assert!(near(entry(Vec3::new(-1.0, -1.0, -1.0), Vec3::ONE), 1.0), "into a corner");
    assert!(near(entry(Vec3::new(-1.0, 1.0, 0.5), Vec3::new(1.0, 0.0, -0.0)), 1.0));
    assert_eq!(entry(Vec3::new(-1.0, 1.001, 0.5), Vec3::X), None);
    assert_eq!(entry(Vec3::new(2.0, 0.5, 0.5), Vec3::X), None, "behind");
    assert_eq!(entry(Vec3::splat(0.5), Vec3::X), Some(0.0), "from inside");
    assert_eq!(entry(Vec3::splat(0.5), Vec3::ZERO), Some(0.0), "a point inside");
    assert_eq!(entry(Vec3::splat(1.5), Vec3::ZERO), None, "a point outside");
}

#[test]
fn the_interval_counts() {
    let ray = Ray::new(Vec3::new(-2.0, 0.5, 0.5), Vec3::X);
    let entry = |min, max| ray_box_entry(&ray, &unit(), Interval::new(min, max));
    assert!(entry(0.0, 2.0).is_some(), "entered at the end");
    assert_eq!(entry(0.0, 1.999), None);
    assert_eq!(entry(2.5, 9.0), Some(2.5));
    assert!(entry(3.0, 9.0).is_some(), "left at the start");
    assert_eq!(entry(3.001, 9.0), None);
    assert_eq!(entry(1.0, 0.0), None);
    assert_eq!(entry(f32::NAN, 9.0), None);
    assert_eq!(entry(0.0, f32::NAN), None);
}

proptest! {
    /// A ray aimed at a point of the box meets the box, at any place and scale.
    #[test]
    fn a_point_of_the_box_is_never_missed(
        corner in prop::array::uniform3(-1e3f32..1e3),
        size in prop::array::uniform3(0.0f32..10.0),
        within in prop::array::uniform3(0.0f64..=1.0),
        origin in prop::array::uniform3(-1e3f32..1e3),
        scale in -30i32..30,
    ) {
        let scale = 2.0f32.powi(scale);
        let min = Vec3::from(corner) * scale;
        let aabb = Aabb { min, max: min + Vec3::from(size) * scale };
        let target = aabb.min.as_dvec3().lerp(aabb.max.as_dvec3(), 0.5)
            + (aabb.max.as_dvec3() - aabb.min.as_dvec3()) * (DVec3::from(within) - 0.5) * 0.99;
        let origin = Vec3::from(origin) * scale;
        let direction = (target - origin.as_dvec3()).as_vec3();
        let ray = Ray::new(origin, direction);
        // The narrowed direction may pass beside a box that is thin as seen from afar; then the
        // exact ray does too.
        let exact = |t: f64| origin.as_dvec3() + direction.as_dvec3() * t;
        let at = exact(1.0);
        let is_inside = at.cmple(aabb.max.as_dvec3()).all() && aabb.min.as_dvec3().cmple(at).all();
        let entry = ray_box_entry(&ray, &aabb, Interval::FORWARD);
        prop_assert!(!is_inside || entry.is_some_and(|t| t <= 1.0));
        if let Some(t) = entry {
            // The entry point is on the box, up to the rounding of t.
            let slack = 1e-6 * (origin.as_dvec3() - at).length().max(at.length());
            let p = exact(f64::from(t));
            prop_assert!((aabb.min.as_dvec3() - slack).cmple(p).all() && p.cmple(aabb.max.as_dvec3() + slack).all());
        }
    }
}
