//! Momentum changes the path of the search, but not its result.

use super::{MAX_ROUNDS, Momentum, distance};
use carom_geom::{ConvexHull, Cuboid, SupportMap};
use carom_gjk::{GjkSettings, wide};
use carom_math::{Vec3, WidePose};
use carom_scenes::Rng;
use glam::{DQuat, DVec3};

const ALL: [Momentum; 3] = [Momentum::None, Momentum::Nesterov, Momentum::Polyak];

/// Compares the distances with that of carom-gjk, which it returns.
fn check<A: SupportMap, B: SupportMap>(a: &A, b: &B, b_in_a: &WidePose, what: &str) -> f64 {
    let own = wide::distance(a, b, b_in_a, &GjkSettings::default(), None).distance;
    let reach = a.radius() + b.radius() + b_in_a.translation.length();
    for momentum in ALL {
        let found = distance(a, b, b_in_a, momentum);
        assert!(found.n_rounds < MAX_ROUNDS, "{what}, {momentum:?}: {found:?}, {b_in_a:?}");
        let off = (found.distance - own).abs();
        assert!(off <= 1e-12 * reach, "{what}, {momentum:?}: {found:?}, but {own:e}, {b_in_a:?}");
    }
    own
}

fn hull(n: usize, radii: Vec3, rng: &mut Rng) -> ConvexHull {
    let points: Vec<Vec3> = (0..n).map(|_| rng.direction().as_vec3() * radii).collect();
    ConvexHull::from_points(&points).expect("points of an ellipsoid have a hull")
}

fn pose(turn: DQuat, position: DVec3) -> WidePose {
    WidePose::from_quat(turn, position)
}

#[test]
fn hulls_at_random() {
    let mut rng = Rng::new(3);
    let hulls = [8, 8, 32, 128].map(|n| hull(n, Vec3::new(1.0, 0.7, 0.5), &mut rng));
    let (mut n_apart, mut n_together) = (0, 0);
    for round in 0..3000 {
        let (a, b) = (&hulls[rng.below(4)], &hulls[rng.below(4)]);
        let position = rng.direction() * rng.range(0.0, 4.0);
        let own = check(a, b, &pose(rng.rotation(), position), &format!("round {round}"));
        n_apart += usize::from(0.0 < own);
        n_together += usize::from(own == 0.0);
    }
    assert!(1000 < n_apart && 300 < n_together, "{n_apart} apart, {n_together} not");
}

/// Long, flat and tiny shapes beside large ones, with parallel faces and parallel edges: near each
/// other, far away, and touching.
#[test]
fn ugly_pairs() {
    let mut rng = Rng::new(4);
    let cuboid = |x: f32, y: f32, z: f32| Cuboid::new(Vec3::new(x, y, z)).expect("extents are positive");
    let boxes =
        [cuboid(0.5, 0.5, 0.5), cuboid(1.0, 0.01, 0.01), cuboid(1.0, 1.0, 0.001), cuboid(1e-3, 1e-3, 1e-3)];
    let (mut n_near, mut n_apart) = (0, 0);
    for round in 0..3000 {
        let (a, b) = (&boxes[rng.below(4)], &boxes[rng.below(4)]);
        let axis = DVec3::AXES[rng.below(3)];
        let turn = match rng.below(3) {
            0 => DQuat::IDENTITY,
            1 => DQuat::from_axis_angle(axis, core::f64::consts::FRAC_PI_4),
            _ => rng.rotation(),
        };
        let halves = a.half_extents().as_dvec3() + b.half_extents().as_dvec3();
        let gap = [0.0, 1e-9, 1e-3, 1.0, 1e3][rng.below(5)];
        let beside = if rng.below(2) == 0 { DVec3::ZERO } else { rng.direction() * halves };
        let position = beside + axis * (halves.length() * f64::from(u8::from(turn != DQuat::IDENTITY)));
        let position = position + axis * (halves.dot(axis) + gap);
        let own = check(a, b, &pose(turn, position), &format!("round {round}"));
        n_near += usize::from(own < 1e-3);
        n_apart += usize::from(1e-3 <= own);
    }
    assert!(300 < n_near && 1000 < n_apart, "{n_near} near, {n_apart} apart");
}
