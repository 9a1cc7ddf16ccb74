//! Bodies among particles, both ways: what sinks, what floats and how deep.

use crate::blocks::{add_tank, block, positions};
use carom_math::{Mat3, Pose, Vec3};
use carom_particles::{
    Bearer, BodyBoundary, FieldBoundary, Grains, Liquid, ParticleSettings, ParticleSolver, Support, Surface,
    Surroundings,
};

const DT: f32 = 1.0 / 60.0;
const GRAVITY: f32 = 9.81;

/// The length and width of the tank.
const SIDE: f32 = 0.84;

/// A ball in so many particles of water along each axis for some seconds, moved by its weight and
/// what the water does. Returns its mean height over the last half second.
fn ball_in_water(n: [u32; 3], radius: f32, density: f32, start: f32, seconds: f32) -> f32 {
    let spacing = SIDE / n[0] as f32;
    let settings = ParticleSettings::new(spacing / 2.0);
    let mut solver = ParticleSolver::new(settings).unwrap();
    let mut positions = block(n, spacing, Vec3::ZERO);
    let mut center = Vec3::new(0.5 * SIDE, start, 0.5 * SIDE);
    positions.retain(|p| radius + 0.5 * spacing < p.distance(center));
    solver.add_liquid(&Liquid::default(), &positions).unwrap();
    add_tank(&mut solver, SIDE, SIDE, &Surface::default());
    let mass = density * 4.0 / 3.0 * core::f32::consts::PI * radius.powi(3);
    let ball = |p: Vec3| (p.length() - radius, p.normalize_or(Vec3::Y));
    let (mut velocity, mut spin) = (Vec3::ZERO, Vec3::ZERO);
    let (mut height, mut n_measured) = (0.0, 0);
    let n_steps = (seconds / DT) as u32;
    for step in 0..n_steps {
        let mut bodies = [BodyBoundary {
            inverse_mass: 1.0 / mass,
            inverse_inertia: Mat3::IDENTITY * (2.5 / (mass * radius * radius)),
            linear_velocity: velocity,
            angular_velocity: spin,
            ..BodyBoundary::fixed(&ball, Pose::from_translation(center))
        }];
        let mut surroundings = Surroundings { bodies: &mut bodies, ..Surroundings::default() };
        solver.step_in(DT, &mut surroundings).unwrap();
        velocity += bodies[0].impulse / mass - Vec3::Y * (GRAVITY * DT);
        spin += bodies[0].angular_impulse * (2.5 / (mass * radius * radius));
        center += velocity * DT;
        if center.y < radius {
            center.y = radius;
            velocity.y = velocity.y.max(0.0);
        }
        if n_steps < step + 30 {
            height += center.y;
            n_measured += 1;
        }
    }
    height / n_measured as f32
}

/// The height of the water's surface with a ball whose center is at a height: the volume of water
/// and of the part of the ball below the surface fill the tank.
fn surface(volume: f32, area: f32, radius: f32, center: f32) -> f32 {
    let (mut low, mut high) = (0.0, 2.0);
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if middle * area < volume + cap(radius, middle - center + radius) {
            low = middle
        } else {
            high = middle
        }
    }
    low
}

/// The volume of a ball below a height above its lowest point.
fn cap(radius: f32, height: f32) -> f32 {
    let h = height.clamp(0.0, 2.0 * radius);
    core::f32::consts::PI * h * h * (radius - h / 3.0)
}

/// Archimedes: the weight of the ball is that of the water which it displaces. With particles of
/// two sizes.
#[test]
fn a_light_ball_floats_as_deep_as_archimedes_says() {
    let radius = 0.24;
    let seconds = if std::env::var_os("CAROM_SLOW").is_some() { 8.0 } else { 1.5 };
    for (n, density) in
        [([14, 9, 14], 300.0), ([14, 9, 14], 600.0), ([10, 6, 10], 300.0), ([10, 6, 10], 600.0)]
    {
        let spacing = SIDE / n[0] as f32;
        // In equilibrium the ball displaces its mass of water.
        let displaced = density / 1000.0 * 4.0 / 3.0 * core::f32::consts::PI * radius * radius * radius;
        let mut depth = 0.0;
        while cap(radius, depth) < displaced {
            depth += 1e-4;
        }
        // Start where it should float, in the water that is there.
        let start = n[1] as f32 * spacing + radius - depth;
        let center = Vec3::new(0.5 * SIDE, start, 0.5 * SIDE);
        let water = block(n, spacing, Vec3::ZERO);
        let n_left = water.iter().filter(|p| radius + 0.5 * spacing < p.distance(center)).count();
        let volume = n_left as f32 * spacing.powi(3);
        let height = ball_in_water(n, radius, density, start, seconds);
        let level = surface(volume, SIDE * SIDE, radius, height);
        let measured = level - (height - radius);
        println!(
            "spacing {spacing}, density {density}: {measured} deep, wanted {depth}; at {height}, water to {level}"
        );
        assert!((measured / depth - 1.0).abs() < 0.05, "{measured} {depth}");
    }
}

#[test]
fn a_heavy_ball_sinks() {
    let height = ball_in_water([14, 9, 14], 0.15, 3000.0, 0.5, 1.5);
    println!("ends at {height}");
    assert!(height < 0.17, "{height}");
}

/// A field as a basin: nothing gets out, and no fast grain passes a thin wall.
#[test]
fn fields_hold_particles() {
    let bowl = |p: Vec3| {
        let d = p.length();
        ((d - 1.0).abs() - 0.02, p.normalize_or(Vec3::Y) * if d < 1.0 { -1.0 } else { 1.0 })
    };
    let fields = [FieldBoundary { distance: &bowl, surface: Surface::default() }];
    let mut solver = ParticleSolver::new(ParticleSettings::new(0.05)).unwrap();
    let mut points = block([8, 8, 8], 0.1, Vec3::splat(-0.4));
    points.retain(|p| p.length() < 0.4);
    let water = solver.add_liquid(&Liquid::default(), &points).unwrap();
    let grains = solver.add_grains(&Grains::default(), &[Vec3::Y * 0.5, Vec3::X * 0.5]).unwrap();
    for (id, speed) in grains.clone().zip([400.0, 90.0]) {
        let position = solver.position(id).unwrap();
        solver.set_particle(id, position, position * speed).unwrap();
    }
    for _ in 0..120 {
        solver.step_in(DT, &mut Surroundings { fields: &fields, ..Surroundings::default() }).unwrap();
    }
    let farthest = positions(&solver).iter().map(|p| p.length()).fold(0.0, f32::max);
    println!("{} particles, farthest {farthest}", water.len() + grains.len());
    assert!(farthest < 0.94, "{farthest}");
}

/// The momentum that pushes a body comes out of the particles.
#[test]
fn a_body_takes_the_momentum_that_particles_lose() {
    let settings = ParticleSettings::new(0.05).with_gravity(Vec3::ZERO);
    let mut solver = ParticleSolver::new(settings).unwrap();
    let ids = solver.add_liquid(&Liquid::default(), &block([5, 5, 5], 0.1, Vec3::ZERO)).unwrap();
    for id in ids.clone() {
        solver.set_particle(id, solver.position(id).unwrap(), Vec3::X * 3.0).unwrap();
    }
    let wall = |p: Vec3| {
        let out = p.abs() - Vec3::new(0.1, 0.6, 0.6);
        let outside = out.max(Vec3::ZERO) * p.signum();
        if out.max_element() < 0.0 {
            (out.x, Vec3::X * p.x.signum())
        } else {
            (outside.length(), outside.normalize())
        }
    };
    let (mut pose, mut velocity, mut turn) =
        (Pose::from_translation(Vec3::new(0.8, 0.2, 0.3)), Vec3::ZERO, Vec3::ZERO);
    let inertia = Mat3::IDENTITY * 20.0;
    for _ in 0..30 {
        let mut bodies = [BodyBoundary {
            inverse_mass: 1.0 / 50.0,
            inverse_inertia: inertia.inverse(),
            linear_velocity: velocity,
            angular_velocity: turn,
            ..BodyBoundary::fixed(&wall, pose)
        }];
        solver.step_in(DT, &mut Surroundings { bodies: &mut bodies, ..Surroundings::default() }).unwrap();
        velocity += bodies[0].impulse / 50.0;
        turn += bodies[0].angular_impulse / 20.0;
        pose.translation += velocity * DT;
    }
    let left: Vec3 = ids.map(|id| solver.velocity(id).unwrap()).sum();
    let total = left + velocity * 50.0;
    println!("particles {left}, body {}, total {total}", velocity * 50.0);
    assert!((total - Vec3::X * 375.0).length() < 0.02, "{total}");
    assert!(100.0 < velocity.x * 50.0);
}

/// The impulses of single particles, each at its place, add up to those on the body: of grains that
/// hit it beside its middle, and of water that presses on it from below.
#[test]
fn impulses_on_bodies_come_with_their_points() {
    let spacing = 0.06;
    let mut solver = ParticleSolver::new(ParticleSettings::new(spacing / 2.0).with_contacts(true)).unwrap();
    add_tank(&mut solver, 0.6, 0.6, &Surface::default());
    solver.add_liquid(&Liquid::default(), &block([10, 4, 10], spacing, Vec3::ZERO)).unwrap();
    let grains =
        solver.add_grains(&Grains::default(), &block([2, 2, 2], spacing, Vec3::new(0.3, 0.62, 0.3))).unwrap();
    let ball = |p: Vec3| (p.length() - 0.15, p.normalize_or(Vec3::Y));
    let center = Vec3::new(0.25, 0.4, 0.28);
    let (mut sum_of_all, mut turn_of_all, mut n_by_grains, mut n_by_water) = (Vec3::ZERO, 0.0, 0, 0);
    let (mut velocity, mut pose, mass) = (Vec3::ZERO, Pose::from_translation(center), 8.0);
    for _ in 0..40 {
        let mut bodies = [BodyBoundary {
            inverse_mass: 1.0 / mass,
            inverse_inertia: Mat3::IDENTITY * (2.5 / (mass * 0.15 * 0.15)),
            linear_velocity: velocity,
            ..BodyBoundary::fixed(&ball, pose)
        }];
        solver.step_in(DT, &mut Surroundings { bodies: &mut bodies, ..Surroundings::default() }).unwrap();
        let all = solver.body_impulses();
        let sum: Vec3 = all.iter().map(|impulse| impulse.impulse).sum();
        let turn: Vec3 =
            all.iter().map(|impulse| (impulse.point - pose.translation).cross(impulse.impulse)).sum();
        let [wanted, wanted_turn] = [bodies[0].impulse, bodies[0].angular_impulse];
        assert!((sum - wanted).length() <= 1e-4 * (1.0 + wanted.length()), "{sum} {wanted}");
        // The body moved in the step, and so did the points.
        let moved = 0.15 * wanted.length() * 0.2;
        assert!((turn - wanted_turn).length() <= moved + 1e-4, "{turn} {wanted_turn}");
        for impulse in all {
            let depth = impulse.point.distance(pose.translation) - 0.15;
            let is_grain = grains.contains(&impulse.particle);
            assert!(depth.abs() < if is_grain { 0.5 } else { 2.2 } * spacing, "{depth}");
            n_by_grains += u32::from(is_grain);
            n_by_water += u32::from(!is_grain);
        }
        sum_of_all += wanted;
        turn_of_all += (turn - wanted_turn).length();
        velocity += wanted / mass - Vec3::Y * (GRAVITY * DT);
        pose.translation += velocity * DT;
    }
    println!("{n_by_grains} of grains, {n_by_water} of water; {sum_of_all}; turns off by {turn_of_all}");
    assert!(10 < n_by_grains && 100 < n_by_water && 1.0 < sum_of_all.y);
    // Those of a step that failed are not there.
    let before = solver.body_impulses().to_vec();
    let mut settings = *solver.settings();
    settings.max_neighbours = 1;
    solver.set_settings(settings).unwrap();
    assert!(solver.step(DT).is_err());
    assert_eq!(solver.body_impulses(), before);
}

/// Grains that go many radii in a substep stop at a free body, and it gets their momentum: both
/// move on as one.
#[test]
fn fast_particles_share_their_momentum_with_a_body() {
    let wall = |p: Vec3| (p.x.abs() - 0.5, Vec3::X * 1.0_f32.copysign(p.x));
    for speed in [1.0, 20.0, 300.0] {
        for mass in [0.1, 3.0, 200.0] {
            let settings = ParticleSettings::new(0.05).with_gravity(Vec3::ZERO).with_contacts(true);
            let mut solver = ParticleSolver::new(settings).unwrap();
            let positions = [-0.4, 0.0, 0.4].map(|y| Vec3::new(-0.7, y, 0.0));
            let ids = solver.add_grains(&Grains::default(), &positions).unwrap();
            let own = 1.0 / solver.inverse_mass(ids.start).unwrap();
            for (id, position) in ids.clone().zip(positions) {
                solver.set_particle(id, position, Vec3::X * speed).unwrap();
            }
            let mut bodies =
                [BodyBoundary { inverse_mass: 1.0 / mass, ..BodyBoundary::fixed(&wall, Pose::IDENTITY) }];
            let dt = 0.4 / speed;
            let mut surroundings = Surroundings { bodies: &mut bodies, ..Surroundings::default() };
            solver.step_in(dt, &mut surroundings).unwrap();
            let gained = bodies[0].impulse.x;
            let kept: f32 = ids.map(|id| own * solver.velocity(id).unwrap().x).sum();
            let all = 3.0 * own * speed;
            assert!(
                ((gained + kept) / all - 1.0).abs() < 1e-4,
                "{speed}, {mass}: {gained} + {kept} of {all}"
            );
            let expected = all / (3.0 * own + mass) * mass;
            assert!((gained / expected - 1.0).abs() < 0.1, "{speed}, {mass}: {gained} {expected}");
            let listed: Vec3 = solver.body_impulses().iter().map(|impulse| impulse.impulse).sum();
            assert!((listed.x / gained - 1.0).abs() < 1e-4, "{listed} {gained}");
        }
    }
}

/// Supports at the corners of a plate, at this height.
fn corners(height: f32, by: Bearer) -> [Support; 4] {
    [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]].map(|[x, z]| Support {
        point: Vec3::new(x, height, z),
        normal: Vec3::Y,
        velocity: Vec3::ZERO,
        friction: 0.5,
        by,
    })
}

/// A plate of 1 kg, whose top is at height 0.
fn plate() -> BodyBoundary<'static> {
    BodyBoundary {
        inverse_mass: 1.0,
        inverse_inertia: Mat3::from_diagonal(Vec3::new(3.0, 1.5, 3.0)),
        ..BodyBoundary::fixed(&|p| (p.y, Vec3::Y), Pose::IDENTITY)
    }
}

/// Lays grains of 100 kg on the first plate. They stay, and push by their weight, in newtons.
fn bear_grains(bodies: &mut [BodyBoundary<'_>]) -> (ParticleSolver, f32) {
    let mut solver = ParticleSolver::new(ParticleSettings::new(0.1)).unwrap();
    let positions = [[-0.5, 0.1, -0.5], [0.5, 0.1, 0.3], [0.2, 0.1, -0.4]].map(Vec3::from_array);
    let ids = solver.add_grains(&Grains::default(), &positions).unwrap();
    ids.clone().for_each(|id| solver.set_inverse_mass(id, 0.03).unwrap());
    for _ in 0..60 {
        let mut surroundings = Surroundings { bodies, ..Surroundings::default() };
        solver.step_in(DT, &mut surroundings).unwrap();
    }
    let weight = -bodies[0].impulse.y / DT;
    let lowest = ids.filter_map(|id| solver.position(id)).map(|p| p.y).fold(9.0, f32::min);
    assert!((lowest - 0.1).abs() < 0.01, "{lowest}");
    assert!((weight / 981.0 - 1.0).abs() < 0.05, "{weight}");
    (solver, weight)
}

/// A plate with four supports bears grains.
#[test]
fn a_supported_body_bears_particles() {
    let on_floor = corners(-0.1, Bearer::Firm);
    bear_grains(&mut [BodyBoundary { supports: &on_floor, ..plate() }]);
}

/// A stack of two plates bears grains. Their reaction is the push: the owner of the plates has
/// nothing left to apply.
#[test]
fn plates_on_each_other_bear_particles() {
    let (on_lower, on_floor) = (corners(-0.1, Bearer::Body(1)), corners(-0.2, Bearer::Firm));
    let lower = Pose::from_translation(Vec3::NEG_Y * 0.1);
    let mut bodies = [
        BodyBoundary { supports: &on_lower, ..plate() },
        BodyBoundary { supports: &on_floor, is_met: false, pose: lower, ..plate() },
    ];
    let (mut solver, weight) = bear_grains(&mut bodies);
    assert_eq!(bodies[1].impulse, Vec3::ZERO);
    for body in &bodies {
        let left = [body.impulse + body.taken[0], body.angular_impulse + body.taken[1]];
        assert!(left.iter().all(|left| left.length() < 0.01 * weight * DT), "{left:?}");
    }
    // A body that is not there.
    let on_none = corners(-0.1, Bearer::Body(2));
    bodies[0].supports = &on_none;
    let mut surroundings = Surroundings { bodies: &mut bodies, ..Surroundings::default() };
    assert!(solver.step_in(DT, &mut surroundings).is_err());
}
