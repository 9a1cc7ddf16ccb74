//! Volumes that share a point exactly are never reported apart. Lower bounds are below the
//! distance and near it.

use carom_bounds::{Aabb, BoundingVolume, KDop, Lss, Obb, Rss, Sphere, SweptSphere};
use carom_math::{Pose, WidePose};
use carom_testkit::conform::dice::Dice;
use carom_testkit::oracle::contain::Contains;
use glam::{DVec3, Quat, Vec3};

fn turn(dice: &mut Dice) -> Quat {
    let mut x = || dice.range(-1.0, 1.0);
    Quat::from_xyzw(x(), x(), x(), 1.0).normalize()
}

/// Returns the corners of a turned box; some are flat or thin.
fn corners(dice: &mut Dice, scale: f32) -> Vec<Vec3> {
    let flat = [Vec3::ONE, Vec3::new(1.0, 1.0, 0.0), Vec3::new(1.0, 0.1, 0.01)][dice.below(3)];
    let pose = Pose::new(turn(dice), dice.point(2.0));
    let half = (dice.point(0.5) + 1.0) * flat;
    (0..8)
        .map(|i| {
            let sign = Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32) * 2.0 - 1.0;
            pose.transform_point(half * sign) * scale
        })
        .collect()
}

/// Moves B so that one of its points is as near to a point of A as `f32` allows. If both volumes
/// contain that point exactly, they must overlap.
fn shared<V: BoundingVolume + Contains>(name: &str) {
    let (mut dice, stay) = (Dice::new(17), WidePose::IDENTITY);
    let (mut met, mut beside) = (0, 0);
    for i in 0..3000 {
        let scale = [1.0, 1e-20, 1e15, 1e-40][i % 4];
        let (a, b) = (corners(&mut dice, scale), corners(&mut dice, scale));
        let (p, q) = (a[i % 8], b[dice.below(8)]);
        // A corner of a box is on its boundary: B then only touches.
        let b: Vec<Vec3> = b.iter().map(|x| *x - q + p).collect();
        let (va, vb) = (V::from_points(&a), V::from_points(&b));
        let p = p.as_dvec3();
        assert!(va.surrounds(&stay, p), "{name}");
        if !vb.surrounds(&stay, p) {
            beside += 1;
            continue;
        }
        met += 1;
        assert!(va.overlaps(&vb) && vb.overlaps(&va), "{name}: {va:?} {vb:?} share {p:?}");
        assert_eq!(va.distance_lower_bound(&vb), 0.0, "{name}: {va:?} {vb:?} share {p:?}");
    }
    assert!(1000 < met, "{name}: {met} met, {beside} beside");
}

#[test]
fn volumes_that_share_a_point_are_never_apart() {
    shared::<Aabb>("Aabb");
    shared::<Sphere>("Sphere");
    shared::<Obb>("Obb");
    shared::<Lss>("Lss");
    shared::<Rss>("Rss");
    shared::<KDop<6>>("KDop<6>");
    shared::<KDop<14>>("KDop<14>");
    shared::<KDop<18>>("KDop<18>");
    shared::<KDop<26>>("KDop<26>");
}

#[test]
fn the_six_axes_say_yes_where_the_fifteen_do() {
    let mut dice = Dice::new(18);
    let (mut apart, mut kept) = (0, 0);
    for _ in 0..20_000 {
        let mut one = || Obb::new(dice.point(2.0), turn(&mut dice), dice.point(0.5).abs() + 0.01).unwrap();
        let (a, b) = (one(), one());
        assert!(!a.overlaps(&b) || a.overlaps_lite(&b));
        apart += usize::from(!a.overlaps(&b));
        kept += usize::from(!a.overlaps(&b) && a.overlaps_lite(&b));
    }
    // The nine edge axes reject a few per cent of the separated pairs.
    assert!(5000 < apart && 20 < kept && kept * 10 < apart, "{kept} of {apart}");
}

fn swept<const E: usize>(dice: &mut Dice) -> SweptSphere<E> {
    let turn = turn(dice);
    let axes = [turn * Vec3::X, turn * Vec3::Y];
    let edges = core::array::from_fn(|j| axes[j] * if dice.one_in(8) { 0.0 } else { dice.range(0.0, 2.0) });
    SweptSphere::new(dice.point(3.0), edges, dice.range(0.0, 0.3)).unwrap()
}

/// Returns the distance of the cores by projecting back and forth, many times (W. Cheney, A.
/// Goldstein, 1959); from above.
fn core_distance<const E: usize>(a: &SweptSphere<E>, b: &SweptSphere<E>) -> f64 {
    let project = |s: &SweptSphere<E>, p: DVec3| {
        let (c, mut on) = (s.center.as_dvec3(), s.center.as_dvec3());
        for e in s.edges.map(|e| e.as_dvec3()) {
            if e != DVec3::ZERO {
                on += e * ((p - c).dot(e) / e.length_squared()).clamp(-1.0, 1.0);
            }
        }
        on
    };
    let (mut p, mut q) = (a.center.as_dvec3(), b.center.as_dvec3());
    for _ in 0..5000 {
        let before = p;
        q = project(b, p);
        p = project(a, q);
        if before == p {
            break;
        }
    }
    (p - q).length()
}

fn near_the_distance<const E: usize>(name: &str) {
    let mut dice = Dice::new(19);
    let (mut apart, mut loose) = (0, 0);
    for _ in 0..1500 {
        let (a, b) = (swept::<E>(&mut dice), swept::<E>(&mut dice));
        let radii = f64::from(a.radius) + f64::from(b.radius);
        let (distance, bound) = (core_distance(&a, &b) - radii, f64::from(a.distance_lower_bound(&b)));
        assert!(bound <= distance.max(0.0) + 1e-9, "{name}: {bound} above {distance}: {a:?} {b:?}");
        assert!(a.overlaps(&b) || 0.0 < bound, "{name}: apart, and no distance");
        if 0.0 < distance {
            apart += 1;
            // If cores are nearly parallel, the projections converge slowly and stay above the
            // distance.
            loose += usize::from(bound < distance * (1.0 - 1e-5) - 1e-5);
        }
    }
    assert!(500 < apart && loose * 100 < apart, "{name}: {loose} of {apart} are loose");
}

#[test]
fn swept_spheres_know_their_distance() {
    near_the_distance::<1>("Lss");
    near_the_distance::<2>("Rss");
}

#[test]
fn infinite_volumes_meet_all() {
    fn check<V: BoundingVolume>() {
        let (all, some) = (V::EVERYTHING, V::from_points(&[Vec3::X, Vec3::Y, Vec3::splat(2.0)]));
        assert!(all.overlaps(&some) && some.overlaps(&all) && all.overlaps(&all));
        assert_eq!(all.distance_lower_bound(&some), 0.0);
        assert_eq!(all.merged(&some), all);
        assert_eq!(some.merged(&all), all);
        assert_eq!(all.merged(&V::EMPTY), all);
        assert_eq!(all.inflated(1.0), all);
        assert_eq!(V::EMPTY.inflated(1.0), V::EMPTY);
        let pose = Pose::new(Quat::from_rotation_x(1.0), Vec3::ONE);
        assert_eq!(all.transformed(&pose), all);
        assert_eq!(V::EMPTY.transformed(&pose), V::EMPTY);
        assert_eq!(all.to_aabb(), Aabb::EVERYTHING);
        assert_eq!(V::from_aabb(&Aabb::EVERYTHING), all);
        assert_eq!((all.volume(), all.surface_area()), (f32::INFINITY, f32::INFINITY));
        assert!(all.center().is_finite() && V::EMPTY.center().is_finite());
        // A point that is not finite gives the volume of all points.
        assert_eq!(V::from_points(&[Vec3::X, Vec3::NAN]), all);
        assert_eq!(V::from_points(&[DVec3::X, DVec3::INFINITY]), all);
        // Points far beyond f32 give a volume that is infinite at least on their side.
        let far = V::from_points(&[DVec3::splat(1e60), DVec3::ZERO]);
        assert!(far.overlaps(&all) && far.to_aabb().max == Vec3::INFINITY);
    }
    check::<Aabb>();
    check::<Sphere>();
    check::<Obb>();
    check::<Lss>();
    check::<Rss>();
    check::<KDop<6>>();
    check::<KDop<14>>();
    check::<KDop<18>>();
    check::<KDop<26>>();
}

/// The areas and volumes of a k-DOP that is known: the cube with its corners and edges cut off.
#[test]
fn a_polytope_knows_its_volume() {
    let near = |x: f32, y: f64| assert!((f64::from(x) - y).abs() < 1e-5 * y, "{x} {y}");
    let corners: Vec<Vec3> =
        (0..8).map(|i| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32) * 2.0 - 1.0).collect();
    near(KDop::<26>::from_points(&corners).volume(), 8.0);
    near(KDop::<6>::from_points(&corners).surface_area(), 24.0);
    // The octahedron is a 14-DOP: volume 4/3, eight triangles with sides of length root 2.
    let tips = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z];
    near(KDop::<14>::from_points(&tips).volume(), 4.0 / 3.0);
    near(KDop::<14>::from_points(&tips).surface_area(), 4.0 * 3.0f64.sqrt());
    near(KDop::<6>::from_points(&tips).volume(), 8.0);
    // The same in an 18-DOP: the rhombic dodecahedron, of volume 2 with edge normals at distance
    // root 1/2.
    near(KDop::<18>::from_points(&tips).volume(), 2.0);
    // Rotated by its vertices the polytope stays small. By its half-spaces it grows a little more.
    let pose = Pose::from_rotation(Quat::from_rotation_y(0.4)).wide();
    let dop = KDop::<14>::from_points(&tips);
    let (tight, loose) = (dop.placed(&pose), dop.placed_loosely(&pose));
    let exact = KDop::<14>::from_points(&tips.map(|p| pose.transform_point(p.as_dvec3())));
    assert!(tight.volume() < exact.volume() * 1.00001 && tight.volume() <= loose.volume() * 1.00001);
    assert!(loose.volume() < exact.volume() * 1.5, "{} {}", loose.volume(), exact.volume());
}
