//! Cases that once were wrong.

use crate::cloud::Cloud;
use crate::truth::{Mix, check};
use carom_geom::f64::{Capsule, Cylinder};
use carom_gjk::GjkSettings;
use carom_gjk::wide::signed_distance;
use carom_math::WidePose;
use glam::{DMat3, DVec3};

#[test]
fn concentric_copies_whose_polytope_lost_its_convexity() {
    let a = Cloud::new(vec![
        DVec3::new(0.6983572187875451, -0.15505919699132578, -0.45716684248933365),
        DVec3::new(0.42244631845056113, 0.1921945302508249, 0.3821020399057062),
        DVec3::new(0.5234721608547279, -0.10666655105784491, -0.0967172048080104),
        DVec3::new(0.6784349792240382, 0.0859663361543467, 0.20575585109942288),
        DVec3::new(0.07914496234023408, 0.5821944097836037, 0.21372860871627078),
        DVec3::new(0.5498592650055323, -0.6171060202890881, 0.43555289692006915),
        DVec3::new(-0.1343489556040769, 0.13925068300509702, -0.6278586229837262),
        DVec3::new(-0.5957263896856706, 0.4637030659020786, -0.06880387861477864),
    ]);
    let rotation = DMat3::from_cols(
        DVec3::new(0.30012597693865894, -0.1273522834018321, 0.9453601397768762),
        DVec3::new(-0.5890191949028522, -0.8042826240231458, 0.07865016675404224),
        DVec3::new(0.7503204555405719, -0.5804402265580688, -0.3163990477081218),
    );
    let pose = WidePose { rotation, translation: DVec3::ZERO };
    let hull = a.hull();
    check(&a, &a, &hull, &hull, &pose, 1e-13, &mut Mix::default(), "concentric");
}

/// A capsule from the axis of a tall cylinder outwards (dartsim/dart#3324): where the depth search ended at its limit
/// the points of A and B were 10 apart at a depth of 1.2.
#[test]
fn points_of_a_search_that_gives_up_belong_together() {
    let (cylinder, capsule) = (Cylinder::new(10.0, 1.0).unwrap(), Capsule::new(1.5, 0.2).unwrap());
    let rotation = DMat3::from_cols(DVec3::Y, -DVec3::X, DVec3::Z);
    for depth_rounds in [1, 5, 20, 256] {
        let settings = GjkSettings::default().with_max_iterations(128, depth_rounds);
        let pose = WidePose { rotation, translation: DVec3::new(1.5, 0.0, 0.0) };
        let found = signed_distance(&cylinder, &capsule, &pose, &settings, None);
        // Early on the normal is a rough one, and the points are those of a rough polytope inside.
        let across = (found.point_a - found.point_b).cross(found.normal).length();
        assert!(across < if depth_rounds < 256 { 1.5 } else { 1e-4 }, "{depth_rounds}: {found:?}");
        if depth_rounds == 256 {
            assert!((found.distance + 1.2).abs() < 1e-9, "{found:?}");
        }
    }
}
