//! Casts of what spins beyond all sense: bounded work, nothing passed over, and a contact that can
//! be followed is told.

use crate::support::bumpy_sheet;
use carom_geom::{Cuboid, TriMesh};
use carom_math::{Pose, Vec3};
use carom_query::{
    Compound, CompoundPart, ImpactCounters, ImpactSettings, MeshShape, Motion, Shape, TimeOfImpact,
    Workspace, cast, cast_counted, cast_with, distance,
};
use glam::{DQuat, DVec3};
use std::sync::Arc;

fn pyramid() -> Shape {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|p| p - Vec3::splat(0.25));
    let triangles = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    Shape::Mesh(Arc::new(MeshShape::new(TriMesh::new(corners.to_vec(), triangles).unwrap()).unwrap()))
}

fn cuboid(half: Vec3) -> Shape {
    Shape::Cuboid(Cuboid::new(half).unwrap())
}

fn row() -> Shape {
    let part = |x: f32| CompoundPart { shape: pyramid(), pose: Pose::from_translation(Vec3::X * x) };
    Shape::Compound(Arc::new(Compound::new(vec![part(-0.4), part(0.4)]).unwrap()))
}

fn still() -> Motion {
    Motion::fixed(DQuat::IDENTITY, DVec3::ZERO).unwrap()
}

fn flight(from: f64, speed: f64, spin: f64) -> Motion {
    let spin = DVec3::new(1.0, 0.3, 0.1).normalize() * spin;
    let (from, speed) = (DVec3::new(from, 0.1, 0.05), DVec3::X * -speed);
    Motion::new(DQuat::IDENTITY, from, DVec3::ZERO, speed, spin).unwrap()
}

/// The work does not grow with the spin without bound: two pyramids of four triangles, 2 apart, 10
/// m/s, 1e8 rad/s took half a minute.
#[test]
fn absurd_spin_takes_bounded_work() {
    let sheet = Shape::Mesh(Arc::new(MeshShape::new(bumpy_sheet(6, 0.1)).unwrap()));
    let shapes = [pyramid(), cuboid(Vec3::splat(0.3)), row(), sheet];
    let mut memory = Workspace::default();
    let settings = ImpactSettings::default().with_target_distance(0.005);
    for (i, a) in shapes.iter().enumerate() {
        for (j, b) in shapes.iter().enumerate() {
            for spin in [4e2, 1e3, 1e5, 1e8, 1e12, 1e20, 1e38, 1e150, 1e300] {
                for (from, speed) in [(0.9, 10.0), (2.0, 10.0), (2.0, 0.0), (2.0, 1000.0)] {
                    let mut counters = ImpactCounters::default();
                    let motions = [still(), flight(from, speed, spin)];
                    cast_counted(a, &motions[0], b, &motions[1], &settings, &mut memory, &mut counters);
                    let work = counters.volume_updates + counters.proposals + counters.separations / 4;
                    assert!(work < 200_000, "{i} {j}, {spin:e} rad/s from {from}: {counters:?}");
                }
            }
        }
    }
}

/// Before the time that is told as safe nothing touches; what never comes into the ball in which a
/// body turns is clear of it.
#[test]
fn what_spins_is_not_passed_over() {
    let target = 0.005;
    let settings = ImpactSettings::default().with_target_distance(target);
    let shapes = [pyramid(), cuboid(Vec3::splat(0.3)), row()];
    let mut n_hits = 0;
    for a in &shapes {
        for b in &shapes {
            for spin in [4.1e2, 1e3, 1e4, 1e6] {
                for swap in [false, true] {
                    let motions = [still(), flight(2.5, 5.0, spin)];
                    let [k, l] = if swap { [1, 0] } else { [0, 1] };
                    let answer = cast(a, &motions[k], b, &motions[l], &settings);
                    let safe = answer.safe_until(1.0);
                    // They go through each other.
                    assert!(!matches!(answer, TimeOfImpact::Clear(_)) && safe < 0.5, "{spin}: {answer:?}");
                    let pose = |motion: &Motion, t: f64| {
                        let pose = motion.pose_at(t);
                        let rotation = DQuat::from_mat3(&pose.rotation).normalize();
                        Pose::new(rotation.as_quat(), pose.translation.as_vec3())
                    };
                    let apart =
                        |t: f64| distance(a, &pose(&motions[k], t), b, &pose(&motions[l], t)).distance;
                    for i in 0..400 {
                        let t = safe * f64::from(i) / 400.0;
                        assert!(target - 2e-5 < f64::from(apart(t)), "{spin}, at {t}: {answer:?}");
                    }
                    if let TimeOfImpact::Hit(impact) = answer {
                        n_hits += 1;
                        assert!(f64::from(apart(impact.t_hi)) < target + 2e-5, "{spin}: {answer:?}");
                    }
                    if let TimeOfImpact::Undecided(undecided) = answer {
                        assert!(f64::from(apart(safe)) < undecided.distance + 2e-5, "{spin}: {answer:?}");
                    }
                    let aside = Motion::new(
                        DQuat::IDENTITY,
                        DVec3::new(2.5, 4.0, 0.0),
                        DVec3::ZERO,
                        DVec3::X * -5.0,
                        motions[1].angular(),
                    );
                    let motions = [still(), aside.unwrap()];
                    let answer = cast(a, &motions[k], b, &motions[l], &settings);
                    let TimeOfImpact::Clear(clear) = answer else { panic!("{spin}: {answer:?}") };
                    assert!(target < clear.distance && clear.distance < 4.0, "{spin}: {answer:?}");
                }
            }
        }
    }
    assert!(40 < n_hits, "{n_hits}");
}

/// Bodies that touch from the start are reported so, however they spin. A blade with a short way
/// is followed to its impact.
#[test]
fn a_contact_that_can_be_followed_is_reported() {
    let mut memory = Workspace::default();
    let settings = ImpactSettings::default().with_target_distance(0.005);
    for spin in [1e3, 1e8, 1e20] {
        let motion = flight(0.3, 0.0, spin);
        let answer = cast_with(&pyramid(), &still(), &row(), &motion, &settings, &mut memory);
        let impact = answer.hit().expect("they overlap");
        assert_eq!((impact.t_lo, impact.t_hi), (0.0, 0.0), "{spin}: {impact:?}");
    }
    // A blade in the plane of x and y, whose tip comes to a wall after nearly half a turn.
    let blade = Shape::Compound(Arc::new(
        Compound::new(vec![CompoundPart {
            shape: cuboid(Vec3::new(0.5, 0.05, 0.05)),
            pose: Pose::from_translation(Vec3::X * 0.5),
        }])
        .unwrap(),
    ));
    let wall = cuboid(Vec3::new(0.1, 2.0, 2.0));
    for spin in [1e2, 1e3, 1e6, 1e9] {
        let at = DVec3::X * 1.05;
        let turning = Motion::new(DQuat::IDENTITY, at, DVec3::ZERO, DVec3::ZERO, DVec3::Z * spin).unwrap();
        let answer = cast(&wall, &still(), &blade, &turning, &settings);
        let impact = answer.hit().unwrap_or_else(|| panic!("{spin}: {answer:?}"));
        let turned = [impact.t_lo * spin, impact.t_hi * spin];
        assert!(2.5 < turned[0] && turned[1] < 3.1 && turned[1] - turned[0] < 1e-3, "{spin}: {turned:?}");
    }
}
