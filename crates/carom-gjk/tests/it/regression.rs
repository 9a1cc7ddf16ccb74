//! Cases that once were wrong.

use crate::cloud::Cloud;
use crate::rng::Rng;
use crate::truth::{Mix, check};
use carom_geom::SupportMap;
use carom_geom::f64::{Capsule, Cone, Cuboid, Cylinder, Ellipsoid, Segment, Sphere, Triangle};
use carom_gjk::wide::signed_distance;
use carom_gjk::{GjkSettings, Outcome};
use carom_math::WidePose;
use glam::{DMat3, DQuat, DVec3};

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

/// A capsule from the axis of a tall cylinder outwards (dartsim/dart#3324): where the depth search
/// ended at its limit the points of A and B were 10 apart at a depth of 1.2.
#[test]
fn points_of_a_search_that_gives_up_belong_together() {
    let (cylinder, capsule) = (Cylinder::new(10.0, 1.0).unwrap(), Capsule::new(1.5, 0.2).unwrap());
    let rotation = DMat3::from_cols(DVec3::Y, -DVec3::X, DVec3::Z);
    for depth_rounds in [1, 5, 20, 256] {
        let settings = GjkSettings::default().with_max_iterations(128, depth_rounds);
        let pose = WidePose { rotation, translation: DVec3::new(1.5, 0.0, 0.0) };
        let found = signed_distance(&cylinder, &capsule, &pose, &settings, None);
        let along = (found.point_b - found.point_a).dot(found.normal);
        assert!((along - found.distance).abs() < 1e-12, "{depth_rounds}: {found:?}");
        // Early on the normal is a rough one, and the points are those of a rough polytope inside.
        let across = (found.point_a - found.point_b).cross(found.normal).length();
        assert!(across < if depth_rounds < 256 { 1.5 } else { 1e-4 }, "{depth_rounds}: {found:?}");
        if depth_rounds == 256 {
            assert!((found.distance + 1.2).abs() < 1e-9, "{found:?}");
        }
    }
}

/// Both ways round.
fn both(a: &dyn SupportMap, b: &dyn SupportMap, pose: &WidePose, truth: f64, tolerance: f64) {
    let settings = GjkSettings::default();
    for r in [
        signed_distance(a, b, pose, &settings, None),
        signed_distance(b, a, &pose.inverse(), &settings, None),
    ] {
        assert!((r.distance - truth).abs() <= tolerance, "{truth:e} {r:?}");
        assert!(r.lower_bound <= truth + tolerance && truth <= r.upper_bound + tolerance, "{truth:e} {r:?}");
        assert_ne!(r.outcome, Outcome::Undecided, "{r:?}");
    }
}

#[test]
fn a_needle_in_a_ball_whose_first_tetrahedron_was_inside_out() {
    // The rounded volume of the first tetrahedron had either sign; the depth came out as the
    // needle's length more.
    let mut rng = Rng(5);
    for radius in [8e-12, 4.93e-10, 1.9e-7] {
        for ball in [25.0, 36.195, 12.0] {
            let (cone, sphere) = (Cone::new(12.0, radius).unwrap(), Sphere::new(ball).unwrap());
            let needle = Cuboid::new(DVec3::new(radius, 12.0, radius)).unwrap();
            for _ in 0..40 {
                let height = [0.0, 3.0, -7.25][rng.below(3)];
                let pose = WidePose::from_quat(rng.rotation(), DVec3::Y * height);
                both(&cone, &sphere, &pose, -ball - radius * (12.0 - height) / 24.0, 4e-11);
                both(&needle, &sphere, &pose, -ball - radius, 4e-11);
            }
        }
    }
}

#[test]
fn parallel_needles_whose_nearest_edge_ended_at_the_origin() {
    // The nearest point of an edge so near its end that the other end's product could not tell: the
    // search stood still, and what lay beside a flat difference counted as in it.
    let t = 4.366347370544971e-9;
    let slanted = Segment::new(DVec3::new(t, 1.0, 0.0), DVec3::new(0.0, -1.0, t)).unwrap();
    let straight = Capsule::new(1.0, 0.1 * t).unwrap();
    both(&slanted, &straight, &WidePose::IDENTITY, t / 2f64.sqrt() - 0.1 * t, 1e-15);
}

#[test]
fn a_plate_beside_the_centre_of_a_ball() {
    // An edge that passes the origin much nearer than it is long has noise for a direction; the
    // triangle beside it has not.
    let h = 1.4428858638418479e-17;
    let plate = Cylinder::new(h, 0.01).unwrap();
    let at = DVec3::new(-2.830464742106861e-13, -2.1984627467220405e-13, -2.940037253182087e-12);
    for rotation in
        [DQuat::IDENTITY, DQuat::from_rotation_x(0.7), DQuat::from_xyzw(0.1, 0.7, -0.5, 0.5).normalize()]
    {
        let pose = WidePose::from_quat(rotation, at);
        both(&plate, &Sphere::new(0.01).unwrap(), &pose, at.y.abs() - h - 0.01, 1e-17);
    }
}

#[test]
fn a_splinter_beside_a_beam() {
    // The next corner of the difference was fifty times as far away as the distance: the step to
    // the edge between them was lost in the rounding of that corner, and the search stood still
    // with its bounds apart.
    let splinter =
        Cuboid::new(DVec3::new(0.004062459511607518, 1.946830699022618e-6, 1.0395910323447215e-6)).unwrap();
    let beam = Cuboid::new(DVec3::new(0.10873946354213762, 21.085508269757042, 0.04221939733181068)).unwrap();
    let rotation = DMat3::from_cols(
        DVec3::new(-0.9326687588245464, -0.33944760288079495, 0.12208321428911675),
        DVec3::new(-0.33689244776444266, 0.698636174422849, -0.6311980469132401),
        DVec3::new(0.12896691417554548, -0.6298276118798609, -0.7659534674911712),
    );
    let translation = DVec3::new(7.378337453996497, -15.250824356663651, 12.589384878827948);
    let pose = WidePose { rotation, translation };
    let r = signed_distance(&splinter, &beam, &pose, &GjkSettings::default(), None);
    assert!(r.upper_bound - r.lower_bound <= 1e-12 * r.distance, "{r:?}");
}

/// A disc on a needle, both next to nothing across: the first triangle was a line, its normal any,
/// and the depth without end.
#[test]
fn a_first_triangle_that_is_a_line() {
    let needle = Ellipsoid::new(DVec3::new(0.0, 3.081488e-33, 0.2767374)).unwrap();
    let disc = Cone::new(0.0, 1.540744e-33).unwrap();
    for turn in [0.0, -1.0, 0.5, 3.0] {
        let rotation = DMat3::from_rotation_z(turn);
        let pose = WidePose { rotation, translation: DVec3::ZERO };
        let found = signed_distance(&needle, &disc, &pose, &GjkSettings::default(), None);
        assert_ne!(found.outcome, Outcome::Undecided, "{found:?}");
        assert!(found.distance.abs() <= 1e-14, "{found:?}");
        assert!(found.point_a.is_finite() && found.point_b.is_finite(), "{found:?}");
    }
}

/// Two corners of the difference that were 1e-88 apart: the square of the square of that vanished,
/// and the edge between them was called touching.
#[test]
fn corners_that_are_all_but_one() {
    const HALF: f64 = core::f64::consts::FRAC_1_SQRT_2;
    let barrel = Cylinder::new(2.0, 3.0).unwrap();
    let plate = Ellipsoid::new(DVec3::new(4.0, 0.0, 93.4609375)).unwrap();
    for z in [2.481158528708714e-177, 1e-160, 1e-100, 1e-80, 1e-60, 1e-40, 1e-20, 0.0] {
        let quarter = DQuat::from_xyzw(0.0, HALF, 0.0, HALF);
        let pose = WidePose::from_quat(quarter, DVec3::new(1.99999999992815, -3.0, z));
        let found = signed_distance(&barrel, &plate, &pose, &GjkSettings::default(), None);
        assert!((found.distance - 1.0).abs() < 1e-14 && found.lower_bound <= 1.0, "{z:e}: {found:?}");
    }
}

/// A small thing in the middle of a cone, which is as deep along a whole circle of directions: the
/// surface that was grown lost the origin.
#[test]
fn as_deep_all_around() {
    let cone = |h: f64, r: f64| Cone::new(h, r).unwrap();
    let turned = |x: DVec3, y: DVec3, z: DVec3| DMat3::from_cols(x, y, z);
    let cases: [(&str, &dyn SupportMap, &dyn SupportMap, WidePose, f64); 3] = [
        (
            "a box in a cone",
            &cone(952.77099609375, 398.4683532714844),
            &Cuboid::new(DVec3::new(0.006590788718312979, 0.0011303989449515939, 0.023915788158774376))
                .unwrap(),
            WidePose {
                rotation: DMat3::from_quat(DQuat::from_xyzw(0.0, 0.0, 0.46649608, -0.8845233).normalize()),
                translation: DVec3::new(0.0004191506802152738, -0.0006661915082782546, 0.0006686572170357338),
            },
            -195.03449624052314,
        ),
        (
            "a needle in a cone",
            &Cylinder::new(0.0015770284226164222, 0.006341399159282446).unwrap(),
            &cone(89.10153198242188, 48.30805587768555),
            WidePose {
                rotation: turned(
                    DVec3::new(0.8386400262160609, -0.39790209973567087, 0.37196347327966095),
                    DVec3::new(-0.07122498198646116, 0.5969206448375718, 0.7991324957150259),
                    DVec3::new(-0.5400091743381339, -0.6966775888405208, 0.472260975349441),
                ),
                translation: DVec3::ZERO,
            },
            -23.318233354171813,
        ),
        (
            "a cone in a cone",
            &cone(4.634397983551025, 4.658163547515869),
            &cone(0.0003398782864678651, 0.00017369269335176796),
            WidePose {
                rotation: turned(
                    DVec3::new(0.5077839407721683, 0.7899639232174714, -0.3436749474558016),
                    DVec3::new(0.7610609292098952, -0.5982750482497148, -0.2507054619907045),
                    DVec3::new(-0.4036604160975634, -0.13425336739412735, -0.9050051391120824),
                ),
                translation: DVec3::ZERO,
            },
            -2.081320803373304,
        ),
    ];
    for (name, a, b, pose, depth) in cases {
        let found = signed_distance(a, b, &pose, &GjkSettings::default(), None);
        println!("{name}: {found:?}");
        assert_ne!(found.outcome, Outcome::Undecided, "{name}: {found:?}");
        assert!(found.distance <= depth * (1.0 - 1e-4), "{name}: {found:?}");
        assert!(depth * (1.0 + 1e-3) <= found.distance && depth <= found.upper_bound, "{name}: {found:?}");
    }
}

/// A ball in the middle of a prism: as deep towards several faces. The normal was that of one of
/// them, the points those of another.
#[test]
fn points_belong_to_the_normal() {
    for n in [6, 8, 10, 12, 16] {
        let corners: Vec<DVec3> = (0..2 * n)
            .map(|i| {
                let (sine, cosine) = (core::f64::consts::TAU * f64::from(i / 2) / f64::from(n)).sin_cos();
                DVec3::new(0.7 * cosine, if i % 2 == 0 { -1.0 } else { 1.0 }, 0.9 * sine)
            })
            .collect();
        for (k, offset) in
            [DVec3::ZERO, DVec3::new(0.0, 0.1, 0.0), DVec3::new(1e-13, 0.0, 0.0)].into_iter().enumerate()
        {
            for turn in [0.0, 0.1, -2.0, 0.7] {
                let prism = Cloud::new(corners.clone());
                let ball = Capsule::new(0.01 * k as f64, 0.2).unwrap();
                let pose = WidePose::from_quat(DQuat::from_rotation_y(turn), offset);
                for found in [
                    signed_distance(&prism, &ball, &pose, &GjkSettings::default(), None),
                    signed_distance(&ball, &prism, &pose.inverse(), &GjkSettings::default(), None),
                ] {
                    let displacement = found.point_b - found.point_a;
                    let off = (displacement - found.normal * found.distance).length();
                    assert!(off < 1e-12 && found.distance < -0.3, "{n} {offset} {turn}: {off:e} {found:?}");
                }
            }
        }
    }
}

/// Bodies with their centres in one place, one of them next to nothing in one direction or two: the
/// search for the depth ended with the depth in hand, and nothing that proved it.
#[test]
fn thin_bodies_around_one_centre() {
    let cone = |h: f64, r: f64| Cone::new(h, r).unwrap();
    let posed = |x: [f64; 3], y: [f64; 3], z: [f64; 3], t: [f64; 3]| WidePose {
        rotation: DMat3::from_cols(DVec3::from_array(x), DVec3::from_array(y), DVec3::from_array(z)),
        translation: DVec3::from_array(t),
    };
    let cases: [(&str, &dyn SupportMap, &dyn SupportMap, WidePose, f64); 4] = [
        (
            "a ball in a flat cone",
            &Sphere::new(0.007898031733930111).unwrap(),
            &cone(0.00047781571629457176, 58.44944763183594),
            posed(
                [0.5306354968834193, -0.42226087972690796, -0.7349297373895984],
                [0.7956793115811436, -0.0506458355995971, 0.6035970779072538],
                [-0.29209656377479687, -0.9050584228593621, 0.309109767950286],
                [0.0; 3],
            ),
            -0.008375847450224683,
        ),
        (
            "a needle in a capsule",
            &Capsule::new(359.7420349121094, 752.429443359375).unwrap(),
            &Cylinder::new(0.025411544367671013, 1.085359571106892e-7).unwrap(),
            posed(
                [-0.6953387873051784, 0.0, 0.7186821069631301],
                [0.0, 1.0, 0.0],
                [-0.7186821069631301, 0.0, -0.6953387873051784],
                [-7.590826819959626e-10, -5.576748125391236e-10, -5.91417117666816e-10],
            ),
            -752.4294434669487,
        ),
        (
            "a ball in a flatter cone",
            &Sphere::new(f64::from(0.0005619041621685028_f32)).unwrap(),
            &cone(0.09156705439090729, 7186.19677734375),
            posed(
                [0.24701715466912644, -0.4824002545787054, -0.8404002139942428],
                [-0.9035287090826025, 0.19874350200208224, -0.3796536477837058],
                [0.35016909795510887, 0.8531066842982469, -0.3867694249070843],
                [0.0; 3],
            ),
            -0.09212895855307575,
        ),
        (
            "a splinter in a needle",
            &cone(3.1203442631522194e-5, 0.0004751428496092558),
            &Ellipsoid::new(DVec3::new(0.0007872686255723238, 329.4470520019531, 0.0017776229651644826))
                .unwrap(),
            posed(
                [0.21479020564293694, -0.7919048412044225, 0.5716221567056889],
                [0.20036032042565982, 0.6085623649963532, 0.7677939762130023],
                [-0.9558874983797998, -0.05038422756224048, 0.28937954325446813],
                [0.00021760370048148773, -7.25632674693801e-5, -0.00023647172255288312],
            ),
            -0.0010092916084904458,
        ),
    ];
    for (name, a, b, pose, depth) in cases {
        for r in [
            signed_distance(a, b, &pose, &GjkSettings::default(), None),
            signed_distance(b, a, &pose.inverse(), &GjkSettings::default(), None),
        ] {
            let tolerance = 1e-12 * (a.radius() + b.radius());
            assert!((r.distance - depth).abs() <= 1e-3 * depth.abs(), "{name}: {r:?}");
            assert!(
                r.lower_bound <= depth + tolerance && depth - tolerance <= r.upper_bound,
                "{name}: {r:?}"
            );
            assert!(r.upper_bound - r.lower_bound <= 1e-3 * depth.abs(), "{name}: {r:?}");
            assert_ne!(r.outcome, Outcome::Undecided, "{name}: {r:?}");
        }
    }
}

/// Thin bodies apart by a thousandth of the length of the longer, their centres in one place: a
/// support point that seemed nearer than the corner beside it, and was not but to rounding, became
/// the tip of a tetrahedron on whose other side the origin lay, and they met.
#[test]
fn a_tip_that_only_seemed_nearer() {
    let at = DVec3::new;
    let cases: [(&dyn SupportMap, &dyn SupportMap, WidePose, f64); 2] = [
        (
            &Cylinder::new(3.5851237043971196e-5, 1.6358882248823647e-6).unwrap(),
            &Segment::new(
                at(5.306573712005047e-6, -0.01295720785856247, 2.890592804760672e-5),
                at(-1.831876579672098e-5, 0.0009352858760394156, 2.412733738310635e-5),
            )
            .unwrap(),
            WidePose {
                rotation: DMat3::from_cols(
                    at(-0.3667852552726232, 0.928776598754122, 0.0533160962685878),
                    at(0.9063519578062899, 0.36967521178240204, -0.20461272290437268),
                    at(-0.20974914802044403, -0.026725781566883683, -0.9773899055670348),
                ),
                translation: at(6.236702269574261e-15, -7.795877836967828e-15, -8.315603026099014e-15),
            },
            2.2324601640985586e-5,
        ),
        (
            &Ellipsoid::new(at(0.005865730345249176, 0.004906491842120886, 0.017265863716602325)).unwrap(),
            &Triangle::new(
                at(0.5495802164077759, 1.5522781610488892, 1864.120849609375),
                at(4.077735900878906, -4.074972629547119, 1026.734375),
                at(-1.3826593160629272, -2.266582489013672, -2006.7391357421875),
            )
            .unwrap(),
            WidePose {
                rotation: DMat3::from_cols(
                    at(-0.13003240902001556, 0.28973886285762157, -0.9482314928088097),
                    at(0.8333050591694444, 0.5501852987217277, 0.05384064852034892),
                    at(0.5373027554061675, -0.7831650709910751, -0.3129827800574412),
                ),
                translation: at(0.0009632454444491051, 0.001204055709305065, 0.0012843233110193919),
            },
            0.46356675659586,
        ),
    ];
    for (a, b, pose, distance) in cases {
        both(a, b, &pose, distance, 1e-12 * (a.radius() + b.radius()));
    }
}

/// A triangle in the plane of a face of a box five hundred million times as large, and a
/// ten-thousandth of itself inside it: no polytope held the origin, and the answer said of itself
/// that it was none, while its bounds were nearer to each other than rounding.
#[test]
fn a_speck_on_a_large_face() {
    let at = DVec3::new;
    let speck = carom_geom::Triangle::new(
        at(-1.2732016330119222e-7, 7.262286061404666e-8, 3.633856522355927e-6).as_vec3(),
        at(-4.354709659537548e-8, -4.013524801393942e-8, 5.9340773077565245e-6).as_vec3(),
        at(6.87612811134386e-8, -6.500300031575534e-8, 4.887402155873133e-6).as_vec3(),
    )
    .unwrap();
    let slab =
        carom_geom::Cuboid::new(at(1395.8258056640625, 31.504005432128906, 1261.7310791015625).as_vec3())
            .unwrap();
    let pose = WidePose {
        rotation: DMat3::from_cols(
            at(0.8014658708494521, -0.3920515892726952, -0.451606033188534),
            at(-0.3920515892726952, 0.22580339557289708, -0.8918006379771791),
            at(0.451606033188534, 0.8918006379771791, 0.02726926642234917),
        ),
        translation: at(569.8053683290268, 1125.2125809406266, 34.40648420781902),
    };
    for (r, size) in [
        (signed_distance(&speck, &slab, &pose, &GjkSettings::default(), None), 3.1e3),
        (signed_distance(&slab, &speck, &pose.inverse(), &GjkSettings::default(), None), 3.1e3),
    ] {
        assert!(r.distance.abs() <= 1e-14 * size && r.upper_bound - r.lower_bound <= 1e-13 * size, "{r:?}");
        assert_eq!(r.outcome, Outcome::Exact, "{r:?}");
    }
}

/// A grain in the surface of a ball three hundred thousand times as large, both with one core
/// inside the other's end, a ten thousandth of a billionth of the size deep: the bounds of the
/// distance of the cores, as near each other as was asked for, had the margins between them, and
/// the answer was no.
#[test]
fn a_grain_in_the_surface_of_a_boulder() {
    use carom_geom::f64::TaperedCapsule;
    let grain =
        TaperedCapsule::new(0.0004151051980443299, 0.0002669945533853024, 0.00034660339588299394).unwrap();
    let boulder = TaperedCapsule::new(0.0004767612845171243, 87.0188980102539, 96.72728729248047).unwrap();
    let pose = WidePose::from_quat(
        DQuat::from_xyzw(0.0, 5.66159308743597e-17, 0.0, 1.0),
        DVec3::new(9.85317043280103, -74.01083833080857, 61.49420195955516),
    );
    for r in [
        signed_distance(&grain, &boulder, &pose, &GjkSettings::default(), None),
        signed_distance(&boulder, &grain, &pose.inverse(), &GjkSettings::default(), None),
    ] {
        assert!((r.distance + 2.12e-11).abs() < 3e-12, "{r:?}");
    }
    for r in [
        carom_gjk::wide::intersects(&grain, &boulder, &pose, &GjkSettings::default(), None),
        carom_gjk::wide::intersects(&boulder, &grain, &pose.inverse(), &GjkSettings::default(), None),
    ] {
        assert!(r.intersects, "{r:?}");
    }
}

/// Half of the gaps in `f32` were above the distance that they bound.
#[test]
fn r_the_gap_is_rounded_down() {
    let mut rng = Rng(71);
    let half = glam::Vec3::new(0.5, 0.25, 1.0);
    let (a, wide_a) = (carom_geom::Cuboid::new(half).unwrap(), Cuboid::new(half.as_dvec3()).unwrap());
    let (mut n_apart, mut n_down) = (0, 0);
    for _ in 0..300 {
        let turn = rng.rotation().as_quat();
        let pose = carom_math::Pose::new(turn, (rng.unit() * rng.range(0.0, 4.0)).as_vec3());
        let found = carom_gjk::intersects(&a, &a, &pose, &GjkSettings::default(), None);
        let wide = carom_gjk::wide::intersects(&wide_a, &wide_a, &pose.wide(), &GjkSettings::default(), None);
        assert_eq!(found.intersects, wide.intersects);
        let gap = f64::from(found.gap);
        assert!(gap <= wide.gap && wide.gap <= gap * (1.0 + 1.2e-7), "{found:?} {wide:?}");
        n_apart += usize::from(!found.intersects);
        n_down += usize::from(f64::from(wide.gap as f32) > wide.gap);
    }
    assert!(50 < n_apart && 20 < n_down, "{n_apart} {n_down}");
}
