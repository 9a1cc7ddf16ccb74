//! Cases that users of other libraries have published as wrong, against the oracles. The data are
//! facts of the threads named; see also [`crate::polytopes`] for boxes stacked in a turned frame.

use crate::cloud::Cloud;
use crate::truth::{Mix, check};
use carom_math::WidePose;
use glam::{DMat3, DVec3};

fn v(p: [f64; 3]) -> DVec3 {
    DVec3::from_array(p)
}

fn checked(name: &str, a: Cloud, b: Cloud, pose: WidePose) -> Mix {
    let mut mix = Mix::default();
    for (fast_a, fast_b) in [(false, false), (true, true)] {
        let (mut a, mut b) = (a.clone(), b.clone());
        (a.is_fast, b.is_fast) = (fast_a, fast_b);
        check(&a, &b, &a.hull(), &b.hull(), &pose, 1e-13, &mut mix, name);
    }
    mix
}

fn moved(x: f64, y: f64, z: f64) -> WidePose {
    WidePose { translation: DVec3::new(x, y, z), ..WidePose::IDENTITY }
}

/// FEniCS/dolfinx#3653: a point and seven points; the iteration limit was reached.
#[test]
fn point_and_seven_points() {
    let a = Cloud::new(vec![v([44.2919, 39.7508, 18.8208])]);
    let b = Cloud::new(
        [
            [46.0659, 38.6251, 16.3637],
            [44.2764, 42.3867, 18.239],
            [50.0397, 38.4649, 19.9843],
            [47.1963, 40.4563, 19.1057],
            [48.0266, 38.5593, 18.2475],
            [45.1735, 40.495, 17.3336],
            [48.0415, 40.4456, 18.1963],
        ]
        .map(v)
        .to_vec(),
    );
    assert_eq!(checked("dolfinx 3653", a, b, WidePose::IDENTITY).apart, 2);
}

/// openGJK#52: overlapping slabs far from the origin; reported 3 mm apart.
#[test]
fn slabs_far_from_the_origin() {
    let slab = |x: [f64; 4], y: [f64; 4]| {
        Cloud::new((0..8).map(|i| DVec3::new(x[i % 4], y[i % 4], if i < 4 { 300.0 } else { 0.0 })).collect())
    };
    let a = slab([90945.08, 91077.46, 91454.92, 91322.54], [54122.54, 53745.082, 53877.46, 54254.918]);
    let b = slab([90919.64, 91162.62, 91480.36, 91237.38], [54037.383, 53719.637, 53962.617, 54280.363]);
    assert_eq!(checked("openGJK 52", a, b, WidePose::IDENTITY).overlap, 2);
}

/// distance3d#72: two overlapping boxes; an assertion failed.
#[test]
fn boxes_that_broke_an_assertion() {
    let a = Cloud::new(
        (0..8)
            .map(|i| {
                let pick = |bit: usize, low: f64, high: f64| if i & bit == 0 { low } else { high };
                DVec3::new(pick(4, -119.5, -89.5), pick(1, -120.5, -119.5), pick(2, -119.5, -120.5))
            })
            .collect(),
    );
    let b = Cloud::new(
        [
            [-90.0, -120.14644661, -120.85355335],
            [-90.0, -120.85355339, -120.14644656],
            [-90.70710679, -119.64644658, -120.35355338],
            [-90.70710679, -120.35355336, -119.64644659],
            [-89.29289321, -119.64644664, -120.35355341],
            [-89.29289321, -120.35355342, -119.64644662],
            [-90.0, -119.14644661, -119.85355344],
            [-90.0, -119.85355339, -119.14644665],
        ]
        .map(v)
        .to_vec(),
    );
    assert_eq!(checked("distance3d 72", a, b, WidePose::IDENTITY).overlap, 2);
}

/// fcl#493, fcl#495: boxes of one orientation that kiss; one half of the library said apart, the
/// other overlapping.
#[test]
fn boxes_that_kiss() {
    let rotation = DMat3::from_cols(
        v([0.94096063217417758029, -0.23569836841299879326, -0.2429801799032638987]),
        v([0.29296840037289501035, 0.92661523595848427348, 0.23569836841299884878]),
        v([0.16959541586174811667, -0.29296840037289506586, 0.94096063217417758029]),
    );
    let cube = || Cloud::cuboid(DVec3::splat(0.125));
    let first = WidePose {
        rotation,
        translation: v([0.073242100093223821977, 0.2316538089896212349, 1.3089245921032497399]),
    };
    let second = WidePose { rotation, translation: v([0.0, 0.0, 1.25]) };
    checked("fcl 493", cube(), cube(), second.relative_to(&first));
    checked("fcl 495", cube(), cube(), first.relative_to(&second));
}

/// libccd#25: cubes on top of each other; the direction was NaN.
#[test]
fn cubes_on_top_of_each_other() {
    let cube = || Cloud::cuboid(DVec3::ONE);
    assert_eq!(checked("libccd 25", cube(), cube(), moved(0.0, 0.0, 1.9)).overlap, 2);
}

/// fcl#508: unit boxes three apart; reported 3.16.
#[test]
fn unit_boxes_three_apart() {
    let cube = || Cloud::cuboid(DVec3::splat(0.5));
    for pose in [moved(4.0, 0.0, 0.0), moved(0.0, 4.0, 0.0), moved(0.0, 0.0, 4.0)] {
        let mix = checked("fcl 508", cube(), cube(), pose);
        assert_eq!((mix.apart, mix.distance), (2, 0.0));
    }
}

/// parry#315: unit cubes that touch along a face, an edge, a corner: the contact was elsewhere.
#[test]
fn unit_cubes_that_touch() {
    let cube = || Cloud::cuboid(DVec3::splat(0.5));
    for pose in [moved(1.0, 0.0, 0.0), moved(1.0, 0.25, -0.5), moved(1.0, 1.0, 0.3), moved(1.0, 1.0, 1.0)] {
        assert_eq!(checked("parry 315", cube(), cube(), pose).touching, 2);
    }
}

/// parry#429: a floor of 500 m and small boxes a little above it and a little in it.
#[test]
fn a_small_box_on_a_floor_of_500_metres() {
    let floor = || Cloud::cuboid(DVec3::new(250.0, 0.5, 250.0));
    for gap in [1e-3, 1e-6, 1e-9, -1e-9, -1e-6, -1e-3] {
        let mix =
            checked("parry 429", floor(), Cloud::cuboid(DVec3::splat(0.2)), moved(113.7, 0.7 + gap, -201.3));
        assert_eq!(mix.apart == 2, gap > 0.0);
    }
}

/// Millimetres and micrometres, where constant tolerances report touching.
#[test]
fn tiny_boxes() {
    for scale in [1e-3, 1e-6] {
        let cube = || Cloud::cuboid(DVec3::splat(0.5 * scale));
        for gap in [1e-4, -1e-4, 1e-7, -1e-7] {
            let mix = checked("tiny", cube(), cube(), moved(0.1 * scale, (1.0 + gap) * scale, 0.0));
            assert_eq!(mix.apart == 2, gap > 0.0);
        }
    }
}
