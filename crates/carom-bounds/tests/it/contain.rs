//! All kinds and fits of volumes contain their points in exact arithmetic, also after merges,
//! poses, margins and refits.
//!
//! `CAROM_VOLUMES` sets the number of volumes, otherwise 40,000 (`cargo xtask volumes` runs ten
//! million).

use carom_bounds::{Aabb, BoundingVolume, KDop, Lss, Obb, Rss, Slabs, Sphere};
use carom_math::{Pose, WidePose};
use carom_testkit::conform::dice::Dice;
use carom_testkit::oracle::contain::Contains;
use glam::{DMat3, DQuat, DVec3, Quat, Vec3};
use std::collections::BTreeMap;

/// The numbers of checked volumes and points, by the name of the fit or operation.
#[derive(Default)]
struct Tally {
    checked: BTreeMap<String, (u64, u64)>,
    infinite: u64,
}

impl Tally {
    fn volumes(&self) -> u64 {
        self.checked.values().map(|n| n.0).sum()
    }

    /// Asserts that all points lie in the volume, placed by the pose.
    fn check<V: BoundingVolume + Contains>(
        &mut self,
        name: &str,
        volume: &V,
        pose: &WidePose,
        points: &[DVec3],
    ) {
        for &p in points {
            assert!(volume.surrounds(pose, p), "{name}: {volume:?} lost {p:?} under {pose:?}");
        }
        self.infinite += u64::from(*volume == V::EVERYTHING);
        let entry = self.checked.entry(name.to_string()).or_default();
        if entry.0.is_multiple_of(16) {
            assert!(volume.center().is_finite(), "{name}: {volume:?}");
            assert!(!volume.volume().is_nan() && !volume.surface_area().is_nan(), "{name}: {volume:?}");
        }
        entry.0 += 1;
        entry.1 += points.len() as u64;
    }
}

/// Returns a size: mostly 1, otherwise a tiny or huge number.
fn magnitude(dice: &mut Dice) -> f64 {
    match dice.below(40) {
        0..3 => 1e30,
        3..6 => 1e-30,
        6..9 => 1e-44,
        9..11 => 3e38,
        11 => 1e-310,
        12..15 => 1e6,
        _ => 1.0,
    }
}

/// Returns a few points: a cloud, a grid, a plane, a line or one point, near or far from the
/// origin, in `f32` or `f64`.
fn points(dice: &mut Dice) -> Vec<DVec3> {
    let most = [3, 8, 20, 60][dice.below(4)];
    let n = 1 + dice.below(most);
    let size = magnitude(dice);
    let offset = dice.point(1.0).as_dvec3() * [0.0, 1.0, 1e5, 1e9][dice.below(4)] * size;
    let turn = DQuat::from_xyzw(
        f64::from(dice.range(-1.0, 1.0)),
        f64::from(dice.range(-1.0, 1.0)),
        f64::from(dice.range(-1.0, 1.0)),
        1.0,
    )
    .normalize();
    let turn = if dice.one_in(3) { DQuat::IDENTITY } else { turn };
    let flat = [DVec3::ONE, DVec3::new(1.0, 1.0, 0.0), DVec3::X, DVec3::ZERO, DVec3::new(1.0, 0.1, 0.01)]
        [dice.below(5)];
    let on_grid = dice.one_in(3);
    let narrow = !dice.one_in(3);
    (0..n)
        .map(|_| {
            let p = dice.point(2.0);
            let p = if on_grid { p.round() } else { p };
            let p = turn * (p.as_dvec3() * flat) * size + offset;
            // A point beyond f32 is not rounded.
            if narrow && p.as_vec3().is_finite() { p.as_vec3().as_dvec3() } else { p }
        })
        .collect()
}

fn pose(dice: &mut Dice, size: f64) -> Pose {
    let axis = Quat::from_xyzw(
        dice.range(-1.0, 1.0),
        dice.range(-1.0, 1.0),
        dice.range(-1.0, 1.0),
        dice.range(0.1, 1.0),
    );
    let turn = if dice.one_in(5) { Quat::from_rotation_x(core::f32::consts::FRAC_PI_2) } else { axis };
    let far = dice.point(1.0) * [0.0, 1.0, 1e6, 1e37][dice.below(4)];
    let far = if dice.one_in(2) { far } else { far * (size.min(1e30) as f32) };
    Pose::new(turn.normalize(), if far.is_finite() { far } else { Vec3::ZERO })
}

/// Checks one volume, and the results of all operations on it.
fn life<V: BoundingVolume + Contains>(
    tally: &mut Tally,
    name: &str,
    dice: &mut Dice,
    fitted: V,
    points: &[DVec3],
    others: &[DVec3],
) {
    let stay = WidePose::IDENTITY;
    let size = points.iter().fold(0.0_f64, |size, p| size.max(p.abs().max_element()));
    tally.check(name, &fitted, &stay, points);
    let pose = pose(dice, size);
    tally.check(&format!("{name}, placed"), &fitted.transformed(&pose), &pose.wide(), points);
    let both = fitted.merged(&V::from_points(others));
    tally.check(&format!("{name}, merged"), &both, &stay, points);
    tally.check(&format!("{name}, merged"), &both, &stay, others);
    tally.check(&format!("{name}, refitted"), &fitted.refitted(others), &stay, others);
    let turned = V::from_points(others).transformed(&pose);
    let around = turned.refitted_around(&[V::EMPTY, fitted, V::from_points(others), fitted.refitted(others)]);
    tally.check(&format!("{name}, refitted around"), &around, &stay, points);
    tally.check(&format!("{name}, refitted around"), &around, &stay, others);
    let margin = dice.range(0.0, 1.0) * (size.min(1e37) as f32);
    let grown = both.inflated(margin);
    // Vectors that are shorter than the margin, with exact shares: 3, 4, 0 of 5 and 2, 2, 1 of 3.
    let short = f64::from(margin) * (1.0 - 1e-9);
    let shares = [
        DVec3::X,
        DVec3::NEG_Z,
        DVec3::new(0.6, -0.8, 0.0),
        DVec3::new(2.0, 2.0, 1.0) / 3.0,
        DVec3::splat(-0.577),
    ];
    let share = shares[dice.below(5)] * short;
    let moved: Vec<DVec3> = points.iter().map(|p| *p + share).filter(|p| p.is_finite()).collect();
    // The sum is rounded: far from the origin it may be outside the margin.
    if size * 1e-14 <= short * 1e-9 {
        tally.check(&format!("{name}, inflated"), &grown, &stay, &moved);
    }
    tally.check(&format!("{name}, placed again"), &grown.transformed(&pose), &pose.wide(), points);
    let aabb = fitted.to_aabb();
    tally.check(&format!("box of {name}"), &aabb, &stay, points);
    tally.check(&format!("{name} of a box"), &V::from_aabb(&aabb), &stay, points);
}

fn dops<const K: usize>(tally: &mut Tally, dice: &mut Dice, points: &[DVec3], others: &[DVec3])
where
    KDop<K>: Slabs,
{
    let dop = KDop::<K>::from_points(points);
    life(tally, &format!("KDop<{K}>"), dice, dop, points, others);
    let pose = pose(dice, 1.0).wide();
    tally.check(&format!("KDop<{K}>, loosely"), &dop.placed_loosely(&pose), &pose, points);
}

/// Checks fits to triangles, and boxes of moving bodies.
fn others_of_their_kind(tally: &mut Tally, dice: &mut Dice, points: &[DVec3]) {
    let stay = WidePose::IDENTITY;
    let narrow: Vec<Vec3> = points.iter().map(|p| p.as_vec3()).filter(|p| p.is_finite()).collect();
    let triangles: Vec<[Vec3; 3]> = narrow
        .iter()
        .enumerate()
        .map(|(i, &p)| [p, narrow[(i * 5 + 1) % narrow.len()], narrow[(i * 3 + 2) % narrow.len()]])
        .collect();
    let corners: Vec<DVec3> = triangles.as_flattened().iter().map(|p| p.as_dvec3()).collect();
    let fits = [
        ("Obb of a surface", Obb::from_triangles(&triangles)),
        ("Obb by surface", Obb::from_surface_covariance(&triangles)),
        ("Obb by regions", Obb::from_region_centers(&triangles, 1 + dice.below(6))),
        ("Obb by corners", Obb::from_point_covariance(&narrow)),
        ("Obb along axes", Obb::from_axes(DMat3::from_rotation_y(f64::from(dice.range(0.0, 3.0))), &narrow)),
    ];
    for (name, fitted) in fits {
        tally.check(name, &fitted, &stay, &corners);
    }
    tally.check("Sphere by Ritter", &Sphere::ritter(points), &stay, points);
    let centre = dice.point(1.0).as_dvec3();
    tally.check("Sphere about a point", &Sphere::about(centre, points), &stay, points);
    let fixed = Sphere::about(DVec3::ZERO, points);
    let aabb = Aabb::from_points(points);
    let turn = Pose::from_rotation(pose(dice, 1.0).rotation);
    tally.check("fixed Sphere", &fixed.inflated(fixed.radius * 1e-6), &turn.wide(), points);
    tally.check("fixed cube", &aabb.any_orientation(), &turn.wide(), points);
    // A body that moves and rotates, at five times.
    let start = pose(dice, 1.0);
    let (along, angle) = (dice.point(3.0), dice.range(-4.0, 4.0));
    let about = DVec3::new(0.48, 0.6, 0.64);
    let path = aabb.over_motion(&start, along, angle);
    for i in 0..5 {
        let t = f64::from(i) * 0.25;
        let turned = DQuat::from_axis_angle(about, f64::from(angle) * t) * start.rotation.as_dquat();
        let at = WidePose::from_quat(turned, start.translation.as_dvec3() + along.as_dvec3() * t);
        // The motion itself is computed in f64, and rounded.
        let room = (fixed.radius + start.translation.abs().max_element()) * 1e-12;
        tally.check("box of a motion", &path.inflated(room), &at, points);
    }
    let along = dice.point(5.0);
    let moved: Vec<DVec3> = points.iter().map(|p| *p + along.as_dvec3()).collect();
    if moved.iter().zip(points).all(|(m, p)| *m - *p == along.as_dvec3()) {
        tally.check("swept box", &aabb.swept(along), &stay, points);
        tally.check("swept box", &aabb.swept(along), &stay, &moved);
    }
}

#[test]
fn every_volume_holds_what_it_should() {
    let wanted: u64 = std::env::var("CAROM_VOLUMES").ok().and_then(|n| n.parse().ok()).unwrap_or(40_000);
    let mut tally = Tally::default();
    let mut dice = Dice::new(31);
    while tally.volumes() < wanted {
        let (points, others) = (points(&mut dice), points(&mut dice));
        let (a, b) = (&points, &others);
        life(&mut tally, "Aabb", &mut dice, Aabb::from_points(a), a, b);
        life(&mut tally, "Sphere", &mut dice, Sphere::from_points(a), a, b);
        life(&mut tally, "Obb", &mut dice, Obb::from_points(a), a, b);
        life(&mut tally, "Lss", &mut dice, Lss::from_points(a), a, b);
        life(&mut tally, "Rss", &mut dice, Rss::from_points(a), a, b);
        dops::<6>(&mut tally, &mut dice, a, b);
        dops::<14>(&mut tally, &mut dice, a, b);
        dops::<18>(&mut tally, &mut dice, a, b);
        dops::<26>(&mut tally, &mut dice, a, b);
        others_of_their_kind(&mut tally, &mut dice, a);
    }
    let checked: u64 = tally.checked.values().map(|n| n.1).sum();
    println!(
        "{} volumes, {checked} points in them, 0 outside; {} of them infinite",
        tally.volumes(),
        tally.infinite
    );
    for (name, (volumes, points)) in &tally.checked {
        println!("    {name}: {volumes} volumes, {points} points");
    }
    // Most volumes are finite, and some points are beyond f32.
    assert!(0 < tally.infinite && tally.infinite * 5 < tally.volumes(), "{} infinite", tally.infinite);
}

/// Tests the oracle: a point on the boundary is inside, and the next number beyond it is not.
#[test]
fn the_oracle_sees_one_unit_of_rounding() {
    let inside = Vec3::new(1.0, 0.5, 0.0).as_dvec3();
    let outside = DVec3::new(1.0 + f64::EPSILON, 0.5, 0.0);
    let corner = Vec3::ONE;
    let unit = Aabb { min: -corner, max: corner };
    let stay = WidePose::IDENTITY;
    assert!(unit.surrounds(&stay, inside) && !unit.surrounds(&stay, outside));
    let obb = Obb::from_aabb(&unit);
    assert!(obb.surrounds(&stay, inside) && !obb.surrounds(&stay, outside));
    let dop = KDop::<26>::from_aabb(&unit);
    assert!(dop.surrounds(&stay, inside) && !dop.surrounds(&stay, outside));
    assert!(
        dop.surrounds(&stay, DVec3::ONE) && !dop.surrounds(&stay, DVec3::new(1.0, 1.0, 1.0 + f64::EPSILON))
    );
    let sphere = Sphere { center: Vec3::new(0.0, 0.5, 0.0), radius: 1.0 };
    assert!(sphere.surrounds(&stay, inside) && !sphere.surrounds(&stay, outside));
    let lss = Lss { center: Vec3::new(0.0, 0.25, 0.0), edges: [Vec3::Y * 0.25], radius: 1.0 };
    assert!(lss.surrounds(&stay, inside) && !lss.surrounds(&stay, outside));
    assert!(!lss.surrounds(&stay, DVec3::new(1.0, 0.5 + f64::EPSILON, 0.0)));
    let rss = Rss { center: Vec3::ZERO, edges: [Vec3::X * 0.25, Vec3::Y], radius: 0.75 };
    assert!(rss.surrounds(&stay, inside) && !rss.surrounds(&stay, outside));
    assert!(
        rss.surrounds(&stay, DVec3::new(0.1, 0.2, 0.75))
            && !rss.surrounds(&stay, DVec3::new(0.1, 0.2, 0.75 + f64::EPSILON))
    );
    // Rotated by 90 degrees up to rounding: the matrix gives the position of the corner.
    let turn = WidePose::from_quat(DQuat::from_rotation_z(core::f64::consts::FRAC_PI_2), DVec3::X);
    assert!(Aabb::placed(&unit, &turn).surrounds(&turn, DVec3::ONE));
    assert!(!unit.surrounds(&turn, DVec3::NEG_ONE));
}
