//! The smallest sphere is the smallest, and every sphere contains its points.

use carom_bounds::{Aabb, BoundingVolume, BoundsError, Sphere};
use glam::Vec3;
use proptest::prelude::*;

#[test]
fn known_spheres() {
    let close = |s: Sphere, c: Vec3, r: f32| {
        assert!((s.center - c).length() < 1e-6 * r && (s.radius - r).abs() < 2e-6 * r, "{s:?}");
    };
    close(Sphere::smallest(&[Vec3::X, Vec3::NEG_X]), Vec3::ZERO, 1.0);
    // An obtuse triangle: the longest side decides.
    close(Sphere::smallest(&[Vec3::X, Vec3::NEG_X, Vec3::new(0.0, 0.1, 0.0)]), Vec3::ZERO, 1.0);
    let cube: Vec<Vec3> =
        (0..8).map(|i| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32)).collect();
    close(Sphere::smallest(&cube), Vec3::splat(0.5), 0.75f32.sqrt());
    // Collinear, and all the same.
    let line: Vec<Vec3> = (0..11).map(|i| Vec3::ONE * i as f32).collect();
    close(Sphere::smallest(&line), Vec3::splat(5.0), 75.0f32.sqrt());
    assert_eq!(Sphere::smallest(&[Vec3::ONE; 7]).radius, 0.0);
    assert_eq!(Sphere::smallest::<Vec3>(&[]), Sphere::EMPTY);
}

#[test]
fn wrong_spheres_are_refused() {
    assert_eq!(Sphere::new(Vec3::NAN, 1.0), Err(BoundsError::NotFinite { axis: 0 }));
    assert_eq!(Sphere::new(Vec3::ZERO, -1.0), Err(BoundsError::Negative));
    assert_eq!(Sphere::new(Vec3::ZERO, f32::NAN), Err(BoundsError::Negative));
    assert!(Sphere::new(Vec3::ZERO, 0.0).is_ok());
}

#[test]
fn half_spaces_and_boxes() {
    let s = Sphere { center: Vec3::new(0.0, 2.0, 0.0), radius: 1.0 };
    assert!(s.overlaps_half_space(Vec3::Y * 3.0, 3.0) && !s.overlaps_half_space(Vec3::Y * 3.0, 2.99));
    assert!(s.overlaps_aabb(&Aabb { min: Vec3::new(1.0, 2.0, 0.0), max: Vec3::splat(3.0) }));
    assert!(!s.overlaps_aabb(&Aabb { min: Vec3::new(1.001, 2.0, 0.0), max: Vec3::splat(3.0) }));
    assert!(!Sphere::EMPTY.overlaps_aabb(&Aabb { min: Vec3::ZERO, max: Vec3::ONE }));
}

fn points() -> impl Strategy<Value = Vec<Vec3>> {
    // Points on a grid give many ties and dependent ones.
    let coordinate = prop_oneof![(-3i32..4).prop_map(|i| i as f32), -1.0f32..1.0];
    prop::collection::vec(prop::array::uniform3(coordinate).prop_map(Vec3::from), 1..24)
}

proptest! {
    #[test]
    fn no_sphere_through_few_points_is_smaller(p in points()) {
        let found = Sphere::smallest(&p);
        let ritter = Sphere::ritter(&p);
        for point in &p {
            let c = |s: &Sphere| (point.as_dvec3() - s.center.as_dvec3()).length();
            prop_assert!(c(&found) <= f64::from(found.radius) && c(&ritter) <= f64::from(ritter.radius));
        }
        prop_assert!(found.radius <= ritter.radius);
        // The lower bound of any enclosing sphere: half the distance of two points, the circle of
        // three.
        let mut least = 0.0_f64;
        for a in &p {
            for b in &p {
                least = least.max((a.as_dvec3() - b.as_dvec3()).length() * 0.5);
            }
        }
        prop_assert!(f64::from(found.radius) >= least * (1.0 - 1e-9));
        // The upper bound is that of Jung. No small step of the centre makes the sphere smaller.
        prop_assert!(f64::from(found.radius) <= least * 1.2248 + 1e-6);
        let radius_at = |c: glam::DVec3| p.iter().fold(0.0_f64, |r, q| r.max((q.as_dvec3() - c).length()));
        let c = found.center.as_dvec3();
        for k in 0..6 {
            let mut step = glam::DVec3::ZERO;
            step[k % 3] = if k < 3 { 1e-3 } else { -1e-3 };
            prop_assert!(radius_at(c + step) >= radius_at(c) - 1e-6 * (1.0 + radius_at(c)));
        }
    }

    #[test]
    fn a_merged_sphere_holds_both(a in points(), b in points(), shift in -20.0f32..20.0) {
        let b: Vec<Vec3> = b.iter().map(|p| *p + shift).collect();
        let both = Sphere::from_points(&a).merged(&Sphere::from_points(&b));
        for p in a.iter().chain(&b) {
            let d = (p.as_dvec3() - both.center.as_dvec3()).length();
            prop_assert!(d <= f64::from(both.radius) * (1.0 + 1e-15));
        }
    }
}
