//! Fast particles that pass surfaces closely, land on them and glide along them: what flies by
//! keeps its velocity, and what slides has the friction of Coulomb.

use crate::blocks::block;
use carom_math::{Pose, Vec3};
use carom_particles::{
    BodyBoundary, DistanceFn, FieldBoundary, Grains, Liquid, ParticleSettings, ParticleSolver, Surface,
    Surroundings,
};

const DT: f32 = 1.0 / 60.0;
const GRAVITY: f32 = 9.81;

/// The kinds of boundary that a floor can be.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Plane,
    Field,
    Fixed,
    /// A body of 1000 kg that does not turn.
    Dynamic,
}

const KINDS: [Kind; 4] = [Kind::Plane, Kind::Field, Kind::Fixed, Kind::Dynamic];

fn floor(p: Vec3) -> (f32, Vec3) {
    (p.y, Vec3::Y)
}

/// A solver with a floor of this kind at height 0, if that is a plane.
fn solver(kind: Kind, radius: f32, gravity: Vec3, friction: f32) -> ParticleSolver {
    let settings = ParticleSettings::new(radius).with_gravity(gravity).with_contacts(true);
    let mut solver = ParticleSolver::new(settings).unwrap();
    if kind == Kind::Plane {
        solver.add_plane(Vec3::Y, 0.0, &Surface::default().with_friction(friction)).unwrap();
    }
    solver
}

/// Adds a grain with this velocity.
fn throw(solver: &mut ParticleSolver, friction: f32, position: Vec3, velocity: Vec3) -> u32 {
    let grain = solver.add_grains(&Grains::default().with_friction(friction), &[position]).unwrap().start;
    solver.set_particle(grain, position, velocity).unwrap();
    grain
}

/// Makes a step over a floor of this kind.
fn step(solver: &mut ParticleSolver, kind: Kind, friction: f32) {
    step_over(solver, kind, friction, &floor);
}

fn step_over(solver: &mut ParticleSolver, kind: Kind, friction: f32, distance: DistanceFn<'_>) {
    let surface = Surface::default().with_friction(friction);
    let fields = [FieldBoundary { distance, surface }];
    let is_dynamic = kind == Kind::Dynamic;
    let mut bodies = [BodyBoundary {
        surface,
        inverse_mass: if is_dynamic { 1e-3 } else { 0.0 },
        ..BodyBoundary::fixed(distance, Pose::IDENTITY)
    }];
    let mut around = match kind {
        Kind::Plane => Surroundings::default(),
        Kind::Field => Surroundings { fields: &fields, ..Surroundings::default() },
        Kind::Fixed | Kind::Dynamic => Surroundings { bodies: &mut bodies, ..Surroundings::default() },
    };
    solver.step_in(DT, &mut around).unwrap();
}

/// A grain that comes near a floor or a ball without touching it keeps its velocity, at any speed
/// for which a substep is less than 64 radii.
#[test]
fn r_what_flies_by_touches_nothing() {
    for kind in KINDS {
        for radius in [0.05, 0.01] {
            for speed in [1.0, 10.0, 60.0] {
                let velocity = Vec3::new(speed, -0.1, 0.0);
                let mut solver = solver(kind, radius, Vec3::ZERO, 0.0);
                let start = Vec3::Y * (1.2 * radius);
                let grain = throw(&mut solver, 0.0, start, velocity);
                step(&mut solver, kind, 0.0);
                let [position, now] = [solver.position(grain), solver.velocity(grain)].map(Option::unwrap);
                assert_eq!(now, velocity, "{kind:?}, {radius}, {speed}");
                assert!((position - start - velocity * DT).length() < 1e-5, "{kind:?}, {radius}: {position}");
                assert!(solver.contacts().is_empty());
                // Past a ball, as near.
                let ball = |p: Vec3| (p.length() - 0.3, p.normalize_or(Vec3::Y));
                let velocity = Vec3::X * speed;
                let start = Vec3::new(-0.5 * speed * DT, 0.3 + 1.1 * radius, 0.0);
                solver.set_particle(grain, start, velocity).unwrap();
                if kind != Kind::Plane {
                    step_over(&mut solver, kind, 0.0, &ball);
                    assert_eq!(solver.velocity(grain), Some(velocity), "ball, {kind:?}, {radius}, {speed}");
                    assert!(solver.contacts().is_empty());
                }
            }
        }
    }
}

/// Without friction a grain that lands obliquely and glides on keeps its velocity along the floor.
/// With friction it loses the coefficient times the speed of its impact, and then the coefficient
/// times gravity, until it rests.
#[test]
fn r_gliding_grains_have_the_friction_of_coulomb() {
    for kind in KINDS {
        for radius in [0.05, 0.01] {
            for (speed, fall) in [(1.0, 0.0), (3.0, 0.0), (12.0, 0.0), (12.0, 3.0), (40.0, 5.0)] {
                for friction in [0.0, 0.2, 0.5] {
                    let mut solver = solver(kind, radius, Vec3::NEG_Y * GRAVITY, friction);
                    let start = Vec3::Y * radius;
                    let grain = throw(&mut solver, friction, start, Vec3::new(speed, -fall, 0.0));
                    let mut time = 0.0;
                    for n in 0..60 {
                        step(&mut solver, kind, friction);
                        time = (n + 1) as f32 * DT;
                        let velocity = solver.velocity(grain).unwrap();
                        let expected = (speed - friction * (fall + GRAVITY * time)).max(0.0);
                        let name = format!("{kind:?}, {radius}, {speed}, {fall}, {friction}, {time}");
                        assert!(
                            (velocity.x - expected).abs() < 0.01 * speed,
                            "{name}: {velocity} {expected}"
                        );
                        assert!(velocity.z == 0.0 && velocity.y.abs() < 0.01, "{name}: {velocity}");
                    }
                    let slid =
                        |v: f32| if friction == 0.0 { v * time } else { v * v / (2.0 * friction * GRAVITY) };
                    let [first, last] = [speed, speed - friction * GRAVITY * time].map(|v| slid(v.max(0.0)));
                    if fall == 0.0 {
                        let expected = if friction == 0.0 { first } else { first - last };
                        let position = solver.position(grain).unwrap();
                        assert!(
                            (position.x - expected).abs() < 0.02 * expected + 0.3 * DT * speed,
                            "{position} {expected}"
                        );
                        assert!((position.y - radius).abs() < 0.01 * radius, "{position}");
                    }
                }
            }
        }
    }
}

/// On a slide grains are accelerated by gravity along it, less the friction.
#[test]
fn r_grains_run_down_a_slide() {
    for radius in [0.05, 0.01] {
        for kind in [Kind::Field, Kind::Fixed] {
            for friction in [0.0, 0.3] {
                let normal = Vec3::new(0.6, 0.8, 0.0);
                let slide = move |p: Vec3| (p.dot(normal), normal);
                let mut solver = solver(kind, radius, Vec3::NEG_Y * GRAVITY, friction);
                let grain = throw(&mut solver, friction, normal * radius, Vec3::ZERO);
                for _ in 0..60 {
                    step_over(&mut solver, kind, friction, &slide);
                }
                let velocity = solver.velocity(grain).unwrap();
                let expected = GRAVITY * (0.6 - friction * 0.8);
                let along = Vec3::new(0.8, -0.6, 0.0) * expected;
                assert!(
                    (velocity - along).length() < 0.01 * expected,
                    "{kind:?}, {radius}: {velocity} {along}"
                );
            }
        }
    }
}

/// A grain slides down a large ball without friction, and leaves it at two thirds of its height.
/// Its energy stays.
#[test]
fn r_a_grain_leaves_a_ball_at_two_thirds_of_its_height() {
    for (radius, kind) in [(0.05, Kind::Field), (0.01, Kind::Field), (0.02, Kind::Fixed)] {
        let ball = |p: Vec3| (p.length() - 5.0, p.normalize_or(Vec3::Y));
        let mut solver = solver(kind, radius, Vec3::NEG_Y * GRAVITY, 0.0);
        let height = 5.0 + radius;
        let start = Vec3::new(0.5, (height * height - 0.25).sqrt(), 0.0);
        let grain = throw(&mut solver, 0.0, start, Vec3::ZERO);
        let mut left = 1.0;
        for _ in 0..240 {
            step_over(&mut solver, kind, 0.0, &ball);
            let position = solver.position(grain).unwrap();
            let speed = solver.velocity(grain).unwrap().length();
            let fallen = (2.0 * GRAVITY * (start.y - position.y).max(0.0)).sqrt();
            assert!((speed - fallen).abs() < 0.03 * fallen + 0.05, "{kind:?}, {radius}: {speed} {fallen}");
            if !solver.contacts().is_empty() {
                left = position.y / start.y;
            }
        }
        assert!((left - 2.0 / 3.0).abs() < 0.03, "{kind:?}, {radius}: {left}");
    }
}

/// In a corner a fast grain slides along the floor up to the wall, and not through it, though both
/// are thin and of one field.
#[test]
fn a_fast_grain_slides_to_the_wall_and_not_through_it() {
    let corner = |p: Vec3| {
        let [floor, wall] = [p.y.abs(), (p.x - 1.0).abs()];
        if floor < wall {
            (floor - 0.001, Vec3::Y * 1.0_f32.copysign(p.y))
        } else {
            (wall - 0.001, Vec3::X * 1.0_f32.copysign(p.x - 1.0))
        }
    };
    for kind in [Kind::Field, Kind::Fixed, Kind::Dynamic] {
        for radius in [0.05, 0.01] {
            for (speed, fall) in [(30.0, 0.0), (30.0, 20.0), (90.0, 90.0)] {
                let mut solver = solver(kind, radius, Vec3::ZERO, 0.0);
                let start = Vec3::Y * (1.5 * radius);
                let grain = throw(&mut solver, 0.0, start, Vec3::new(speed, -fall, 1.0));
                (0..6).for_each(|_| step_over(&mut solver, kind, 0.0, &corner));
                let [p, v] = [solver.position(grain), solver.velocity(grain)].map(Option::unwrap);
                let name = format!("{kind:?}, {radius}, {speed}, {fall}: {p} {v}");
                assert!(0.9 * radius < p.y && p.x < 1.0 - 0.9 * radius, "{name}");
                assert!(
                    0.5 < p.x && v.x.abs().max(v.y.abs()) < 0.01 * speed && (v.z - 1.0).abs() < 0.01,
                    "{name}"
                );
            }
        }
    }
}

/// Water that is poured along a floor without friction keeps its momentum along it.
#[test]
fn r_water_keeps_its_momentum_along_a_smooth_floor() {
    for kind in KINDS {
        let radius = 0.02;
        let mut solver = solver(kind, radius, Vec3::NEG_Y * GRAVITY, 0.0);
        let block = block([8, 3, 8], 2.0 * radius, Vec3::ZERO);
        let ids = solver.add_liquid(&Liquid::default(), &block).unwrap();
        for id in ids.clone() {
            solver.set_particle(id, solver.position(id).unwrap(), Vec3::X * 12.0).unwrap();
        }
        (0..60).for_each(|_| step(&mut solver, kind, 0.0));
        let n = ids.len() as f32;
        let mean = ids.map(|id| solver.velocity(id).unwrap()).sum::<Vec3>() / n;
        assert!((mean.x - 12.0).abs() < 0.02 && mean.y.abs() < 0.1, "{kind:?}: {mean}");
    }
}
