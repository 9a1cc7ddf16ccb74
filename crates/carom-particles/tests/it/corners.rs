//! Fast grains in V-shaped corners, in wedges, in slits and on holes narrower than they are: none
//! gets through, in whatever order the walls come, and they keep their velocity along both walls.

use crate::connected::sheet;
use crate::soft_bodies::block;
use carom_math::{Pose, Quat, Vec3};
use carom_particles::{
    BodyBoundary, Cloth, ClothSettings, DistanceFn, FieldBoundary, Grains, ParticleBody, ParticleSettings,
    ParticleSolver, SoftBody, SoftBodySettings, Solid, SolidPass, Surface, Surroundings,
};
use carom_scenes::Rng;
use core::sync::atomic::{AtomicUsize, Ordering};

const DT: f32 = 1.0 / 60.0;
const RADIUS: f32 = 0.02;

/// The velocity of one radius in a substep.
const RADIUS_PER_SUBSTEP: f32 = RADIUS * 240.0;

/// A box.
#[derive(Clone, Copy, Debug)]
struct Plate {
    pose: Pose,
    half: Vec3,
}

impl Plate {
    /// A box whose upper face has its middle at a point.
    fn under(point: Vec3, turn: Quat, half: Vec3) -> Plate {
        Plate { pose: Pose::new(turn, point - turn * Vec3::Y * half.y), half }
    }

    fn distance(&self, point: Vec3) -> (f32, Vec3) {
        let p = self.pose.inverse_transform_point(point);
        let out = p.abs() - self.half;
        let (d, normal) = if out.max_element() < 0.0 {
            let axis = Vec3::AXES[out.max_position()];
            (out.max_element(), axis * p.signum())
        } else {
            let outside = out.max(Vec3::ZERO) * p.signum();
            (outside.length(), outside.normalize_or(Vec3::Y))
        };
        (d, self.pose.transform_vector(normal))
    }
}

/// How the walls are given.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Each is a field, in this order.
    Fields,
    /// Each is a field, in the opposite order.
    Reversed,
    /// Each is a fixed body.
    Bodies,
    /// All are one field.
    One,
}

const KINDS: [Kind; 4] = [Kind::Fields, Kind::Reversed, Kind::Bodies, Kind::One];

/// Steps grains among walls without friction.
fn fly(solver: &mut ParticleSolver, kind: Kind, walls: &[Plate], n_steps: u32) {
    fly_with(solver, None, kind, walls, n_steps);
}

/// Steps particles, and a solid of them, among walls without friction.
fn fly_with(
    solver: &mut ParticleSolver,
    mut solid: Option<&mut dyn ParticleBody>,
    kind: Kind,
    walls: &[Plate],
    n_steps: u32,
) {
    let surface = Surface::default().with_friction(0.0);
    let nearest = |p: Vec3| {
        let all = walls.iter().map(|wall| wall.distance(p));
        all.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap()
    };
    let single: Vec<_> = walls.iter().map(|wall| move |p: Vec3| wall.distance(p)).collect();
    let mut distances: Vec<DistanceFn<'_>> = single.iter().map(|wall| wall as DistanceFn<'_>).collect();
    match kind {
        Kind::Reversed => distances.reverse(),
        Kind::One => distances = vec![&nearest],
        _ => {}
    }
    let fields: Vec<_> = distances.iter().map(|&distance| FieldBoundary { distance, surface }).collect();
    let body = |&distance| BodyBoundary { surface, ..BodyBoundary::fixed(distance, Pose::IDENTITY) };
    let mut bodies: Vec<_> = distances.iter().map(body).collect();
    for _ in 0..n_steps {
        let mut constraints = |pass: &mut SolidPass<'_>| {
            if let Some(solid) = &mut solid {
                pass.project(*solid).unwrap();
            }
        };
        let mut around = match kind {
            Kind::Bodies => Surroundings { bodies: &mut bodies, ..Surroundings::default() },
            _ => Surroundings { fields: &fields, ..Surroundings::default() },
        };
        around.constraints = Some(&mut constraints);
        solver.step_in(DT, &mut around).unwrap();
    }
}

/// A solver with grains that do not meet each other, at these places with these velocities.
fn grains(gravity: Vec3, all: &[(Vec3, Vec3)]) -> Vec<ParticleSolver> {
    let settings = ParticleSettings::new(RADIUS).with_gravity(gravity);
    let one = |&(position, velocity): &(Vec3, Vec3)| {
        let mut solver = ParticleSolver::new(settings).unwrap();
        let id = solver.add_grains(&Grains::default().with_friction(0.0), &[position]).unwrap().start;
        solver.set_particle(id, position, velocity).unwrap();
        solver
    };
    all.iter().map(one).collect()
}

/// Returns how many grains get to where `is_lost` says.
fn n_lost(
    all: &[(Vec3, Vec3)],
    kind: Kind,
    walls: &[Plate],
    n_steps: u32,
    is_lost: impl Fn(Vec3) -> bool,
) -> usize {
    let mut solvers = grains(Vec3::NEG_Y * 9.81, all);
    solvers.iter_mut().for_each(|solver| fly(solver, kind, walls, n_steps));
    solvers.iter().filter(|solver| is_lost(solver.position(0).unwrap())).count()
}

/// Two plates of this thickness with their tip at the origin, this steep.
fn v_shape(slope: f32, thickness: f32) -> [Plate; 2] {
    [-1.0, 1.0].map(|side: f32| {
        let turn = Quat::from_rotation_z(side * slope);
        Plate::under(turn * Vec3::X * side, turn, Vec3::new(1.0, 0.5 * thickness, 1.0))
    })
}

/// Grains that fall into a V of two plates stay in it, at every slope, speed and order.
#[test]
fn r_fast_grains_stay_in_a_v() {
    let mut rng = Rng::new(1);
    let mut failed = Vec::new();
    for slope in [30.0_f32, 45.0, 60.0, 70.0, 75.0, 80.0, 85.0] {
        let slope = slope.to_radians();
        for thickness in [0.04, 0.01] {
            let walls = v_shape(slope, thickness);
            for speed in [2.0, 4.0, 6.0, 8.0, 20.0] {
                let mut all = Vec::new();
                while all.len() < 50 {
                    let [x, y, z, tilt] = [(-0.1, 0.1), (0.2, 0.6), (-0.2, 0.2), (-0.2, 0.2)]
                        .map(|(a, b)| rng.range(a, b) as f32);
                    let place = Vec3::new(x, y, z);
                    let direction = Vec3::new(tilt, -1.0, 0.3 * tilt).normalize();
                    if walls.iter().all(|wall| RADIUS < wall.distance(place).0) && x.abs() * slope.tan() < y {
                        all.push((place, direction * speed * RADIUS_PER_SUBSTEP));
                    }
                }
                for kind in KINDS {
                    let is_lost = |p: Vec3| p.y + 0.5 * RADIUS < p.x.abs() * slope.tan();
                    let lost = n_lost(&all, kind, &walls, 5, is_lost);
                    if 0 < lost {
                        failed.push((slope.to_degrees(), thickness, speed, kind, lost));
                    }
                }
            }
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}

/// Grains that run along a floor into the wedge under a leaning plate pass neither.
#[test]
fn r_fast_grains_stay_in_the_wedge_under_a_ramp() {
    let mut failed = Vec::new();
    for angle in [20.0_f32, 30.0, 45.0, 60.0, 80.0] {
        let angle = angle.to_radians();
        let floor = Plate::under(Vec3::ZERO, Quat::IDENTITY, Vec3::new(2.0, 0.02, 1.0));
        // Its lower end is at x = 1, and it leans against the direction of the grains.
        let along = Vec3::new(-angle.cos(), angle.sin(), 0.0);
        let turn = Quat::from_rotation_arc(Vec3::X, along);
        let lower = if 0.0 < (turn * Vec3::Y).dot(Vec3::NEG_X) {
            turn
        } else {
            turn * Quat::from_rotation_x(core::f32::consts::PI)
        };
        let ramp = Plate::under(Vec3::X + along, lower, Vec3::new(1.0, 0.005, 1.0));
        let inner = lower * Vec3::Y;
        for speed in [3.0, 5.0, 8.0, 12.0] {
            let mut all = Vec::new();
            for k in 0..20 {
                for height in [1.05, 1.5, 2.5] {
                    let place = Vec3::new(-0.5 + 0.05 * k as f32, height * RADIUS, 0.0);
                    if RADIUS < ramp.distance(place).0 && 0.0 < (place - Vec3::X).dot(inner) {
                        all.push((place, Vec3::new(speed, -0.1, 0.05) * RADIUS_PER_SUBSTEP));
                    }
                }
            }
            assert!(20 < all.len());
            for kind in KINDS {
                let is_lost = |p: Vec3| p.y < 0.4 * RADIUS || (p - Vec3::X).dot(inner) < 0.4 * RADIUS;
                let lost = n_lost(&all, kind, &[floor, ramp], 6, is_lost);
                if 0 < lost {
                    failed.push((angle.to_degrees(), speed, kind, lost, all.len()));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}

/// In the tip of a pyramid that stands on its head, of three or four plates, grains stay.
#[test]
fn r_fast_grains_stay_in_the_tip_of_a_pyramid() {
    let mut rng = Rng::new(2);
    let mut failed = Vec::new();
    for n in [3, 4] {
        for slope in [40.0_f32, 60.0, 75.0] {
            let slope = slope.to_radians();
            let walls: Vec<Plate> = (0..n)
                .map(|k| {
                    let about = Quat::from_rotation_y(core::f32::consts::TAU * k as f32 / n as f32);
                    let turn = about * Quat::from_rotation_z(slope);
                    Plate::under(turn * Vec3::X * 0.5, turn, Vec3::new(0.5, 0.01, 1.0))
                })
                .collect();
            let normals: Vec<Vec3> = walls.iter().map(|wall| wall.pose.transform_vector(Vec3::Y)).collect();
            for speed in [4.0, 8.0] {
                let mut all = Vec::new();
                while all.len() < 40 {
                    let [x, y, z] =
                        [(-0.1, 0.1), (0.3, 0.5), (-0.1, 0.1)].map(|(a, b)| rng.range(a, b) as f32);
                    let place = Vec3::new(x, y, z);
                    if normals.iter().all(|normal| 1.2 * RADIUS < normal.dot(place)) {
                        all.push((place, Vec3::new(0.1, -1.0, -0.07) * speed * RADIUS_PER_SUBSTEP));
                    }
                }
                for kind in KINDS {
                    let is_lost = |p: Vec3| normals.iter().any(|normal| normal.dot(p) < 0.4 * RADIUS);
                    let lost = n_lost(&all, kind, &walls, 5, is_lost);
                    if 0 < lost {
                        failed.push((n, slope.to_degrees(), speed, kind, lost));
                    }
                }
            }
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}

/// No grain falls through a slit narrower than 0.8 of its diameter, however fast it is.
#[test]
fn r_fast_grains_do_not_pass_a_slit_narrower_than_they_are() {
    let mut rng = Rng::new(3);
    let mut failed = Vec::new();
    for width in [0.0, 0.3, 0.5, 0.6, 0.7, 0.75, 0.8] {
        for thickness in [0.25, 1.0, 4.0] {
            let half = Vec3::new(0.5, thickness * RADIUS, 1.0);
            let walls = [-1.0, 1.0]
                .map(|side| Plate::under(Vec3::X * side * (0.5 + width * RADIUS), Quat::IDENTITY, half));
            for speed in [1.0, 2.0, 3.0, 5.0, 8.0, 12.0] {
                let all: Vec<_> = (0..60)
                    .map(|_| {
                        let [x, y, tilt] =
                            [(-2.0, 2.0), (2.0, 8.0), (-0.5, 0.5)].map(|(a, b)| rng.range(a, b) as f32);
                        let direction = Vec3::new(tilt, -1.0, 0.2 * tilt).normalize();
                        (Vec3::new(x, y, 0.0) * RADIUS, direction * speed * RADIUS_PER_SUBSTEP)
                    })
                    .collect();
                for kind in KINDS {
                    let lost = n_lost(&all, kind, &walls, 5, |p| p.y < -0.6 * RADIUS);
                    if 0 < lost {
                        failed.push((width, thickness, speed, kind, lost));
                    }
                }
            }
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}

/// A grain that is shot into a V along its tip keeps the velocity along that.
#[test]
fn grains_keep_their_velocity_along_a_v() {
    for slope in [30.0_f32, 45.0, 60.0, 70.0] {
        let walls = v_shape(slope.to_radians(), 0.02);
        for speed in [3.0, 8.0] {
            let velocity = Vec3::new(0.2, -1.0, 1.0) * speed * RADIUS_PER_SUBSTEP;
            // Above the middle of the V, less than what it flies in a step.
            let place = Vec3::new(0.0, 0.02 + RADIUS / slope.to_radians().cos(), -0.8);
            for kind in KINDS {
                let mut solvers = grains(Vec3::ZERO, &[(place, velocity)]);
                fly(&mut solvers[0], kind, &walls, 1);
                let now = solvers[0].velocity(0).unwrap();
                assert!((now.z - velocity.z).abs() < 0.05 * velocity.z, "{slope}, {speed}, {kind:?}: {now}");
            }
        }
    }
}

/// A grain in a slit that is narrower than it goes on along both walls, however they are turned.
#[test]
fn r_fast_grains_go_on_in_a_slit() {
    let mut rng = Rng::new(4);
    let mut failed = Vec::new();
    for gap in [1.05, 1.3, 1.6, 1.9, 1.95] {
        for turn in [Quat::IDENTITY, rng.rotation().as_quat()] {
            let half = Vec3::new(2.0, 0.1, 2.0);
            let over = turn * Quat::from_rotation_x(core::f32::consts::PI);
            let offset = turn * Vec3::Y * (0.5 * gap * RADIUS);
            let walls = [Plate::under(-offset, turn, half), Plate::under(offset, over, half)];
            for speed in [0.7, 1.5, 4.0] {
                for (at, toward) in [(0.0, 0.0), (0.0, 0.01), (0.02, -0.1), (-0.01, -0.3)] {
                    let velocity = turn * Vec3::new(0.8, toward, 0.6) * speed * RADIUS_PER_SUBSTEP;
                    let start = turn * Vec3::new(-0.5, at * RADIUS, -0.5);
                    for kind in KINDS {
                        let mut solvers = grains(Vec3::ZERO, &[(start, velocity)]);
                        fly(&mut solvers[0], kind, &walls, 3);
                        let now = turn.inverse() * solvers[0].velocity(0).unwrap();
                        let expected = Vec3::new(0.8, 0.0, 0.6) * speed * RADIUS_PER_SUBSTEP;
                        if 0.02 * expected.length() < (now.with_y(0.0) - expected).length() {
                            failed.push((gap, speed, at, toward, kind, now / RADIUS_PER_SUBSTEP));
                        }
                    }
                }
            }
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}

/// A plate that slides closely over a floor carries no grain along, and stops none that moves.
#[test]
fn r_fast_grains_do_not_stick_under_a_sliding_plate() {
    let surface = Surface::default().with_friction(0.0);
    let floor = |p: Vec3| (p.y, Vec3::Y);
    let fields = [FieldBoundary { distance: &floor, surface }];
    let plate = |p: Vec3| (-p.y, Vec3::NEG_Y);
    for gap in [1.2, 1.9] {
        for speed in [0.0, 1.0, 3.0] {
            let velocity = Vec3::new(0.0, 0.02, speed) * RADIUS_PER_SUBSTEP;
            let mut solvers = grains(Vec3::ZERO, &[(Vec3::Y * (0.5 * gap * RADIUS), velocity)]);
            let pose = Pose::from_translation(Vec3::Y * (gap * RADIUS));
            let belt = Vec3::X * (3.0 * RADIUS_PER_SUBSTEP);
            let moving = BodyBoundary { surface, linear_velocity: belt, ..BodyBoundary::fixed(&plate, pose) };
            let mut bodies = [moving];
            for _ in 0..3 {
                let mut around =
                    Surroundings { fields: &fields, bodies: &mut bodies, ..Surroundings::default() };
                solvers[0].step_in(DT, &mut around).unwrap();
                bodies[0].pose.translation += belt * DT;
            }
            let now = solvers[0].velocity(0).unwrap();
            let difference = (now - velocity).with_y(0.0).length() / RADIUS_PER_SUBSTEP;
            assert!(difference < 0.02 * speed + 0.01, "{gap}, {speed}: {now}");
        }
    }
}

/// A grain that meets both plates of a funnel in one substep slides on to its tip.
#[test]
fn a_fast_grain_slides_to_the_tip_of_a_funnel() {
    let mut failed = Vec::new();
    for slope in [55.0_f32, 60.0, 70.0] {
        let walls = v_shape(slope.to_radians(), 0.1);
        let rest = Vec3::Y * (RADIUS / slope.to_radians().cos());
        for (speed, height) in [(10.0, 9.0), (15.0, 8.0), (20.0, 12.0)] {
            for side in [-1.0, 1.0] {
                let start = Vec3::new(-0.2 * side * height / slope.to_radians().tan(), height, 0.0) * RADIUS;
                let velocity = Vec3::new(0.1 * side, -1.0, 0.0) * speed * RADIUS_PER_SUBSTEP;
                for kind in KINDS {
                    let mut solvers = grains(Vec3::ZERO, &[(start, velocity)]);
                    fly(&mut solvers[0], kind, &walls, 1);
                    let apart = (solvers[0].position(0).unwrap() - rest) / RADIUS;
                    if 1.0 < apart.length() {
                        failed.push((slope, speed, height, side, kind, apart));
                    }
                }
            }
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}

/// A grain that leaves a leaning wall keeps its velocity as it lands on the floor beside it.
#[test]
fn r_a_fast_grain_leaves_a_corner() {
    let mut failed = Vec::new();
    let floor = Plate::under(Vec3::ZERO, Quat::IDENTITY, Vec3::new(2.0, 0.1, 1.0));
    for lean in [0.0_f32, 5.0, 20.0, 45.0, 60.0] {
        // It leans over the floor on the side of x.
        let turn = Quat::from_rotation_z(-(90.0 + lean).to_radians());
        let wall = Plate::under(turn * Vec3::NEG_X, turn, Vec3::new(1.0, 0.05, 1.0));
        let normal = turn * Vec3::Y;
        // This deep in both.
        for depth in [0.0, 0.05, 0.2] {
            let room = (1.0 - depth) * RADIUS;
            let start = Vec3::new((room - room * normal.y) / normal.x, room, 0.0);
            for speed in [1.0, 3.0, 8.0] {
                let velocity = Vec3::new(1.0, -0.2, 0.3) * speed * RADIUS_PER_SUBSTEP;
                for kind in KINDS {
                    let mut solvers = grains(Vec3::ZERO, &[(start, velocity)]);
                    fly(&mut solvers[0], kind, &[floor, wall], 1);
                    let now = solvers[0].velocity(0).unwrap();
                    let lost = (velocity - now).with_y(0.0);
                    if 0.05 * velocity.length() < lost.length() && now.x < velocity.x {
                        failed.push((lean, depth, speed, kind, now / RADIUS_PER_SUBSTEP));
                    }
                }
            }
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}

/// Fast grains that land on a floor ask only the obstacles near them for their distances.
#[test]
fn r_fast_grains_ask_no_obstacle_far_away() {
    let n_asked = AtomicUsize::new(0);
    let floor = |p: Vec3| (p.y, Vec3::Y);
    let ball = |p: Vec3| {
        n_asked.fetch_add(1, Ordering::Relaxed);
        (p.length() - 0.1, p.normalize_or(Vec3::Y))
    };
    let fields = [FieldBoundary { distance: &floor, surface: Surface::default() }];
    let pose = |k: i32| Pose::from_translation(Vec3::new(2.0 + (k % 10) as f32, 0.1, 0.5 * (k / 10) as f32));
    let mut bodies: Vec<_> = (0..200).map(|k| BodyBoundary::fixed(&ball, pose(k))).collect();
    let settings = ParticleSettings::new(RADIUS).with_gravity(Vec3::NEG_Y * 9.81);
    let mut solver = ParticleSolver::new(settings).unwrap();
    let at = |k: i32| Vec3::new((k % 20) as f32, 2.0 + (k / 400) as f32, (k / 20 % 20) as f32);
    let points: Vec<Vec3> = (0..1200).map(|k| at(k) * (2.2 * RADIUS)).collect();
    let ids = solver.add_grains(&Grains::default(), &points).unwrap();
    for id in ids {
        let velocity = Vec3::new(0.2, -1.0, 0.1) * (4.0 * RADIUS_PER_SUBSTEP);
        solver.set_particle(id, solver.position(id).unwrap(), velocity).unwrap();
    }
    let mut around = Surroundings { fields: &fields, bodies: &mut bodies, ..Surroundings::default() };
    solver.step_in(DT, &mut around).unwrap();
    // For each body some clusters of grains, in four substeps of two stages of three rounds.
    let n_asked = n_asked.into_inner();
    assert!(n_asked < 200 * 24 * 20, "{n_asked}");
    assert!((0..1200).all(|id| 0.4 * RADIUS < solver.position(id).unwrap().y));
}

/// A cloth and a soft body that are laid or thrown into a steep V stay in it. They press their
/// lowest vertices against both plates, and slide on along its tip.
#[test]
fn cloth_and_soft_bodies_stay_in_a_steep_v() {
    let mut failed = Vec::new();
    for slope in [60.0_f32, 75.0] {
        let walls = v_shape(slope.to_radians(), 0.04);
        for is_cloth in [true, false] {
            for (speed, kind) in [(0.0, Kind::Fields), (2.0, Kind::Bodies), (20.0, Kind::Reversed)] {
                let (mut points, triangles, cells) = if is_cloth {
                    let (points, triangles) = sheet(7, 7, 1.0 / 12.0);
                    (points, triangles, Vec::new())
                } else {
                    let (points, cells) = block([2, 2, 2], 0.1);
                    (points, Vec::new(), cells)
                };
                let middle = points.iter().sum::<Vec3>() / points.len() as f32;
                points.iter_mut().for_each(|p| *p += Vec3::new(-0.02, 1.2, -0.1) - middle);
                let settings = ParticleSettings::new(RADIUS).with_gravity(Vec3::NEG_Y * 9.81);
                let mut solver = ParticleSolver::new(settings).unwrap();
                let masses = vec![if is_cloth { 0.002 } else { 0.3 }; points.len()];
                let made = solver.add_solid(&Solid::default().with_friction(0.0), &points, &masses).unwrap();
                let (first, soft) = (made.indices.start as usize, SoftBodySettings::default());
                let mut body: Box<dyn ParticleBody> = if is_cloth {
                    Box::new(Cloth::new(first, &points, &triangles, &ClothSettings::default()).unwrap())
                } else {
                    let soft = soft.with_youngs_modulus(1e5);
                    Box::new(SoftBody::new(first, &points, &cells, &soft).unwrap())
                };
                for id in made.ids.clone() {
                    let velocity = Vec3::new(0.0, -speed, 0.3);
                    solver.set_particle(id, solver.position(id).unwrap(), velocity).unwrap();
                }
                fly_with(&mut solver, Some(&mut *body), kind, &walls, 90);
                let all: Vec<Vec3> = made.ids.clone().map(|id| solver.position(id).unwrap()).collect();
                let is_out = |p: &&Vec3| p.y + 0.5 * RADIUS < p.x.abs() * slope.to_radians().tan();
                let n_out = all.iter().filter(is_out).count();
                let along = made.ids.clone().map(|id| solver.velocity(id).unwrap().z).sum::<f32>();
                let along = along / all.len() as f32;
                if 0 < n_out || 0.02 < (along - 0.3).abs() {
                    failed.push((slope, is_cloth, speed, kind, n_out, along));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}
