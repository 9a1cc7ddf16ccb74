//! An escapement by contact of its shapes, driven by a wound spring: the wheel advances tooth by
//! tooth at the rate of the balance.

use crate::scenes::{CheckedStep, DT};
use carom_math::{Pose, Quat, Vec3, rotation};
use carom_scenes::{BodySpec, Escapement, MOVEMENT_BODIES, SceneSpec, ShapeSpec, clockwork};
use carom_testkit::scene_world;
use carom_world::{JointDesc, JointId, JointKind, TorsionSpring, World, WorldSettings};
use core::f64::consts::TAU;

const FREE: JointKind = JointKind::FREE_REVOLUTE;

/// Times at which a swing goes up through 0, and what a wheel has turned by then.
#[derive(Default)]
struct Swings {
    last: f64,
    n_steps: u32,
    crossings: Vec<(f64, f64)>,
}

impl Swings {
    fn note(&mut self, angle: f64, turned: f64) {
        self.n_steps += 1;
        if self.last < 0.0 && 0.0 <= angle {
            let back = angle / (angle - self.last);
            self.crossings.push(((f64::from(self.n_steps) - back) * f64::from(DT), turned));
        }
        self.last = angle;
    }

    /// Mean period.
    fn period(&self) -> f64 {
        let (first, last) = (self.crossings[0], self.crossings[self.crossings.len() - 1]);
        (last.0 - first.0) / (self.crossings.len() - 1) as f64
    }

    /// Radians of the wheel from each crossing to the next.
    fn advances(&self) -> impl Iterator<Item = f64> + '_ {
        self.crossings.windows(2).map(|pair| pair[1].1 - pair[0].1)
    }
}

/// An escape wheel and a balance before a plate, without gravity; their hinges, and the closed form
/// of the balance's period.
fn movement(torque: f32) -> (World, [JointId; 2], f64) {
    let escapement = Escapement::default();
    let turn = |angle: f64| Quat::from_rotation_z(angle as f32);
    let pivot = escapement.pivot().extend(0.0).as_vec3();
    let mut scene = SceneSpec::default();
    let plate = ShapeSpec::Cuboid { half_extents: Vec3::new(4.0, 4.0, 0.1) };
    scene.bodies.push(BodySpec::fixed(plate, Pose::from_translation(Vec3::NEG_Z)));
    let parts = escapement.wheel();
    let mut wheel =
        BodySpec::new(ShapeSpec::Compound { parts }, Pose::new(turn(escapement.start_angle()), Vec3::ZERO));
    (wheel.density, wheel.friction) = (0.4, 0.0);
    let mut parts = escapement.anchor();
    for x in [-2.5, 2.5] {
        let weight = ShapeSpec::Cuboid { half_extents: Vec3::splat(0.35) };
        parts.push((Pose::from_translation(Vec3::new(x, 0.0, 0.8)), weight));
    }
    let mut balance = BodySpec::new(ShapeSpec::Compound { parts }, Pose::new(turn(0.1), pivot));
    (balance.density, balance.friction) = (20.0, 0.0);
    scene.bodies.extend([wheel, balance]);
    let mut settings = WorldSettings::default().with_prediction(0.1);
    settings.solver = settings.solver.with_gravity(Vec3::ZERO);
    let mut world = World::with_settings(settings);
    let ids = scene_world::fill(&mut world, &scene);
    let along_z = rotation::arc(Vec3::X, Vec3::Z);
    let hinges = [(1, Vec3::ZERO), (2, pivot)].map(|(body, at)| {
        let (frame, own) = (Pose::new(along_z, at + Vec3::Z), Pose::new(along_z, Vec3::ZERO));
        world.insert_joint(JointDesc::new(ids[0], ids[body], FREE).with_frames(frame, own)).unwrap()
    });
    let body = world.body(ids[2]).unwrap().motion();
    let inertia = 1.0 / body.inverse_inertia.z_axis.z
        + body.center_of_mass.truncate().length_squared() / body.inverse_mass;
    let omega = TAU as f32;
    let hairspring = TorsionSpring::new(inertia * omega * omega, 0.0).with_damping(inertia * omega / 20.0);
    world.joint_mut(hinges[1]).unwrap().set_torsion_spring(Some(hairspring)).unwrap();
    world
        .joint_mut(hinges[0])
        .unwrap()
        .set_torsion_spring(Some(TorsionSpring::new(torque / 100.0, 100.0)))
        .unwrap();
    (world, hinges, 1.0)
}

#[test]
fn the_wheel_advances_tooth_by_tooth_at_the_rate_of_the_balance() {
    let tooth = TAU / 15.0;
    for torque in [20.0, 40.0] {
        let (mut world, [wheel, balance], period) = movement(torque);
        let mut swings = Swings::default();
        let start = world.joint(wheel).unwrap().angle().unwrap();
        let mut deepest = 0.0f32;
        for _ in 0..3600 {
            world.checked_step(DT).unwrap();
            swings.note(
                world.joint(balance).unwrap().angle().unwrap(),
                world.joint(wheel).unwrap().angle().unwrap() - start,
            );
            let contacts = world.contacts().flat_map(|view| view.manifolds).flat_map(|m| m.contacts());
            deepest = contacts.map(|contact| contact.distance).fold(deepest, f32::min);
        }
        let (n, rate) = (swings.crossings.len(), swings.period() / period);
        let (low, high) = swings.advances().fold((f64::INFINITY, 0.0f64), |(l, h), x| (l.min(x), h.max(x)));
        println!(
            "torque {torque}: {n} periods in 60 s, {rate:.4} of the balance's own; each lets {:.3} to {:.3} teeth go; \
             deepest contact {deepest:.4}",
            low / tooth,
            high / tooth
        );
        assert!((57..=63).contains(&n), "{n}");
        assert!((rate - 1.0).abs() < 0.02, "{rate}");
        assert!(0.8 < low / tooth && high / tooth < 1.2, "{low} {high}");
        let mean = swings.advances().sum::<f64>() / (n - 1) as f64 / tooth;
        assert!((mean - 1.0).abs() < 0.005, "{mean}");
        assert!(-0.05 < deepest, "{deepest}");
    }
}

/// Without a drive the swing dies out, and no tooth goes.
#[test]
fn without_a_drive_no_tooth_goes() {
    let (mut world, [wheel, balance], _) = movement(0.0);
    let start = world.joint(wheel).unwrap().angle().unwrap();
    let mut widest = 0.0f64;
    for step in 0..3600 {
        world.checked_step(DT).unwrap();
        if 3000 < step {
            widest = widest.max(world.joint(balance).unwrap().angle().unwrap().abs());
        }
    }
    assert!(widest < 0.01, "{widest}");
    assert!((world.joint(wheel).unwrap().angle().unwrap() - start).abs() < TAU / 15.0);
}

/// A whole movement: the mainspring drives three pairs of mesh gears and the escape wheel. Each
/// period lets one tooth go, and the barrel turns by the ratio of the train.
#[test]
fn a_wound_mainspring_drives_a_train_at_the_rate_of_the_balance() {
    let mut world: World = World::new();
    let ids = scene_world::fill(&mut world, &clockwork(1));
    let joints: Vec<JointId> = world.joints().map(|joint| joint.id()).collect();
    assert_eq!(joints.len(), MOVEMENT_BODIES);
    let (barrel, balance) = (joints[0], joints[4]);
    let body = world.body(ids[5]).unwrap().motion();
    let arm = body.center_of_mass.truncate();
    let inertia = f64::from(1.0 / body.inverse_inertia.z_axis.z + arm.length_squared() / body.inverse_mass);
    let hairspring = world.joint(balance).unwrap().data().torsion_spring.unwrap();
    // Gravity holds the balance too, because its centre of mass is below the arbor.
    let gravity = f64::from(-9.81 * arm.y / body.inverse_mass);
    let period = TAU / ((f64::from(hairspring.stiffness) + gravity) / inertia).sqrt();
    let start = world.energy().total();
    let mainspring = |world: &World| {
        let joint = world.joint(barrel).unwrap().data();
        let [a, b] = [ids[0], ids[1]].map(|id| *world.body(id).unwrap().motion());
        joint.spring_energy(&a, &b, 0.0)
    };
    let (stored, mut lost) = (mainspring(&world), 0.0);
    let mut swings = Swings::default();
    for _ in 0..3600 {
        let before = world.joint(balance).unwrap().angle().unwrap();
        world.checked_step(DT).unwrap();
        let angle = world.joint(balance).unwrap().angle().unwrap();
        let speed = (angle - before) / f64::from(DT);
        lost += f64::from(hairspring.damping) * speed * speed * f64::from(DT);
        swings.note(angle, world.joint(barrel).unwrap().angle().unwrap());
    }
    let given = stored - mainspring(&world);
    let gained = world.energy().total() - start;
    let rate = swings.period() / period;
    let ratio = 15.0 * (40.0f64 / 16.0).powi(3) / TAU;
    let teeth = -swings.advances().sum::<f64>() * ratio / (swings.crossings.len() - 1) as f64;
    println!(
        "{} periods in 60 s, {rate:.4} of the balance's own; {teeth:.4} teeth in each; the mainspring stored {stored:.1} J \
         and gave {given:.2} J: {lost:.2} J went into the damping of the balance, {:.2} J into impacts of teeth",
        swings.crossings.len(),
        given - lost - (gained + given),
    );
    assert!((rate - 1.0).abs() < 0.04, "{rate}");
    assert!((teeth - 1.0).abs() < 0.02, "{teeth}");
    assert!(0.0 < given && given < stored);
    // The sum of all energies falls, by the damping at least.
    assert!(gained < -0.95 * lost, "{gained} {lost}");
    // The energy lost in impacts comes from the spring too.
    assert!(lost < given + 0.05 * stored, "{lost} {given}");
}

/// Sixty movements, 360 mesh gears, all simulated: counts, and every movement runs.
#[test]
fn hundreds_of_gears_run_at_once() {
    let n_movements = if std::env::var_os("CAROM_SLOW").is_some() { 60 } else { 6 };
    let n_steps = 300;
    let mut world: World = World::new();
    let ids = scene_world::fill(&mut world, &clockwork(n_movements));
    assert_eq!(ids.len(), 1 + n_movements * MOVEMENT_BODIES);
    let joints: Vec<JointId> = world.joints().map(|joint| joint.id()).collect();
    let mut narrow = 0.0;
    for _ in 0..n_steps {
        world.checked_step(DT).unwrap();
        narrow += world.stats().times.narrow;
    }
    println!(
        "{n_movements} movements: {} pairs of bodies, narrow phase {:.2} ms a step",
        world.stats().n_pairs,
        1e3 * narrow / f64::from(n_steps)
    );
    for movement in joints.chunks(MOVEMENT_BODIES) {
        let turned = -world.joint(movement[0]).unwrap().angle().unwrap();
        // From 4 to 6.25 periods of 0.0268 radians, and the backlash at the start.
        assert!((0.08..0.25).contains(&turned), "{turned}");
    }
    assert!(ids.iter().skip(1).all(|&id| world.body(id).map(|body| body.is_sleeping()) == Ok(false)));
}
