//! Casts over an endless time, against the same over a short one.

use crate::support::bumpy_sheet;
use crate::zoo::shapes;
use carom_geom::HalfSpace;
use carom_math::Vec3;
use carom_query::{
    ImpactQueue, ImpactSettings, MeshShape, Motion, MovingShape, Shape, TimeOfImpact, Workspace, cast,
    cast_counted,
};
use glam::{DQuat, DVec3};
use std::sync::Arc;

fn motion(from: DVec3, linear: DVec3, angular: DVec3) -> Motion {
    Motion::new(DQuat::IDENTITY, from, DVec3::ZERO, linear, angular).unwrap()
}

fn settings() -> ImpactSettings {
    ImpactSettings::default().with_target_distance(1e-3)
}

/// A hit stays the hit, and what is clear does not become one.
#[test]
fn every_pair_of_shapes_is_cast_over_an_endless_time() {
    let shapes = shapes();
    let (mut n_hits, mut n_clear) = (0, 0);
    let still = motion(DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
    for (name_a, a) in &shapes {
        for (name_b, b) in &shapes {
            for (linear, spin) in [
                (DVec3::NEG_Y, DVec3::ZERO),
                (DVec3::NEG_Y, DVec3::new(0.2, -0.1, 0.1)),
                (DVec3::X, DVec3::ZERO),
            ] {
                // The angle of a plane that turns for ever is not known.
                if *name_b == "half-space" && spin != DVec3::ZERO {
                    continue;
                }
                let path = motion(DVec3::new(0.1, 4.0, 0.05), linear, spin);
                let short = cast(a, &still, b, &path, &settings().with_max_time(8.0));
                for end in [f64::INFINITY, f64::MAX, 1e20] {
                    let endless = cast(a, &still, b, &path, &settings().with_max_time(end));
                    let what =
                        || format!("{name_a}, {name_b}, {linear} {spin}, {end:e}: {short:?} {endless:?}");
                    match (&short, &endless) {
                        (TimeOfImpact::Hit(x), TimeOfImpact::Hit(y)) => {
                            n_hits += 1;
                            let slack = 1e-2;
                            assert!(x.t_lo <= y.t_hi + slack && y.t_lo <= x.t_hi + slack, "{}", what());
                        }
                        (TimeOfImpact::Hit(_), _) => panic!("{}", what()),
                        (TimeOfImpact::Clear(_), TimeOfImpact::Clear(_)) => n_clear += 1,
                        // A half-space may be met later.
                        (_, TimeOfImpact::Hit(y)) => assert!(7.9 < y.t_hi, "{}", what()),
                        _ => {}
                    }
                }
            }
        }
    }
    assert!(1500 < n_hits && 800 < n_clear, "{n_hits} {n_clear}");
}

/// Two meshes opened every node, and cast each triangle against each.
#[test]
fn r_an_endless_cast_costs_as_a_short_one() {
    let sheet = Shape::Mesh(Arc::new(MeshShape::new(bumpy_sheet(40, 0.1)).unwrap()));
    let ball = Shape::sphere(0.1).unwrap();
    let still = motion(DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
    for spin in [DVec3::ZERO, DVec3::X * 0.1] {
        let path = motion(DVec3::Y * 3.0, DVec3::NEG_Y, spin);
        for b in [&sheet, &ball] {
            let cost = |end: f64| {
                let mut counters = Default::default();
                let settings = settings().with_max_time(end);
                let mut memory = Workspace::default();
                let answer = cast_counted(&sheet, &still, b, &path, &settings, &mut memory, &mut counters);
                assert!(answer.hit().is_some(), "{spin} {end:e}: {answer:?}");
                counters.searches + counters.volume_tests
            };
            let short = cost(5.0);
            for end in [f64::INFINITY, 1e20, 1e6] {
                let endless = cost(end);
                assert!(endless <= 4 * short + 1000, "{spin} {end:e}: {endless} for {short}");
            }
        }
    }
}

#[test]
fn the_queue_of_an_endless_time() {
    let shapes = [Shape::cuboid(Vec3::ONE).unwrap(), Shape::sphere(0.5).unwrap()];
    let still = motion(DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
    let bodies = [
        MovingShape::new(&shapes[0], still),
        MovingShape::new(&shapes[1], motion(DVec3::Y * 5.0, DVec3::NEG_Y, DVec3::ZERO)),
        MovingShape::new(&shapes[1], motion(DVec3::X * 9.0, DVec3::NEG_X, DVec3::ZERO)),
        MovingShape::new(&shapes[1], motion(DVec3::X * 9.0, DVec3::X, DVec3::ZERO)),
    ];
    let mut memory = Workspace::default();
    let settings = settings().with_max_time(f64::INFINITY);
    let queue = ImpactQueue::new(&bodies, &[[0, 2], [0, 1], [0, 3]], &settings, &mut memory).unwrap();
    let found: Vec<(usize, f64)> =
        queue.map(|next| (next.pair, next.time_of_impact.hit().unwrap().t_hi)).collect();
    assert!(
        matches!(found[..], [(1, first), (0, second)] if (3.49..3.51).contains(&first)
        && (7.49..7.51).contains(&second)),
        "{found:?}"
    );
}

/// Opposite half-spaces that turn against each other cross at once, however long the time is.
#[test]
fn half_spaces_that_turn_for_ever_cross() {
    let [up, down] = [Vec3::Y, Vec3::NEG_Y].map(|n| Shape::HalfSpace(HalfSpace::new(n).unwrap()));
    let still = motion(DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
    for spin in [1.0, 1e-3] {
        let turning = motion(DVec3::Y * 2.0, DVec3::Y, DVec3::X * spin);
        for end in [1.0, 1e20, f64::MAX, f64::INFINITY] {
            let answer = cast(&up, &still, &down, &turning, &settings().with_max_time(end));
            let hit = answer.hit().unwrap_or_else(|| panic!("{spin} {end:e}: {answer:?}"));
            assert!(hit.t_hi * spin < 1e-6, "{spin} {end:e}: {hit:?}");
        }
    }
}
