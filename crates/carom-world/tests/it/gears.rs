//! A train of gears: concave meshes that drive each other by their teeth alone.

use crate::of_unit_density;
use crate::scenes::{CheckedStep, DT};
use carom_geom::TriMesh;
use carom_math::{Pose, Quat, Vec3};
use carom_query::{MeshShape, Shape};
use carom_scenes::mesh::{Gear, gear};
use carom_world::{BodyDesc, BodyId, JointDesc, JointKind, Motor, World, WorldSettings};
use core::f64::consts::TAU;
use std::sync::Arc;

/// Teeth one after the other, and from the start again. Even numbers, so that a gear has teeth on
/// both sides or gaps on both.
const TEETH: [u32; 4] = [24, 32, 16, 40];

/// Pitch diameter over teeth.
const MODULE: f64 = 0.1;

/// How much thinner each tooth is, as a fraction of the module.
const BACKLASH: f64 = 0.1;

/// Radians a second of the first gear.
const SPEED: f32 = 1.0;

/// Gears in a row that mesh, on arbors that stand still; the first has a motor.
fn train(n: usize) -> (World, Vec<(BodyId, u32)>) {
    let mut settings = WorldSettings::default();
    settings.solver = settings.solver.with_gravity(Vec3::ZERO).with_sleep(false);
    let mut world = World::with_settings(settings);
    let kinds = TEETH.map(|teeth| {
        let mut of = Gear::new(teeth, MODULE);
        (of.width, of.n_flank, of.backlash) = (0.3, 3, BACKLASH);
        let data = gear(&of);
        let mesh = TriMesh::new(data.vertices_f32(), data.triangles).unwrap();
        (Shape::Mesh(Arc::new(MeshShape::new(mesh).unwrap())), of.pitch_radius() as f32)
    });
    let mut gears = Vec::new();
    let mut x = 0.0;
    for i in 0..n {
        let (teeth, (shape, radius)) = (TEETH[i % 4], &kinds[i % 4]);
        x += if i == 0 { 0.0 } else { radius + kinds[(i - 1) % 4].1 };
        // A gap where the neighbours have a tooth.
        let half = if i % 2 == 1 { 0.5 * core::f32::consts::PI / teeth as f32 } else { 0.0 };
        let pose = Pose::new(Quat::from_xyzw(0.0, 0.0, half.sin(), half.cos()), Vec3::X * x);
        let arbor = world
            .insert(BodyDesc::fixed(crate::scenes::ball(0.01)).with_position(Vec3::X * x).with_sensor(true))
            .unwrap();
        let own = world.insert(of_unit_density(shape.clone()).with_pose(pose).with_friction(0.0)).unwrap();
        let motor = (i == 0).then_some(Motor::velocity(SPEED).with_max_force(5.0));
        world
            .insert_joint(
                JointDesc::new(arbor, own, JointKind::Revolute { limits: None, motor })
                    .with_anchor(Vec3::X * x)
                    .with_axis(Vec3::Z),
            )
            .unwrap();
        gears.push((own, teeth));
    }
    (world, gears)
}

/// The result of a run of a gear train.
struct Run {
    /// Radians of the first gear.
    turned: f64,
    /// The largest difference of the arcs of two neighbours along their pitch circles.
    worst: f64,
    /// The most manifolds at a time.
    n_manifolds: usize,
}

fn run(n: usize, n_steps: usize) -> Run {
    let (mut world, gears) = train(n);
    let angle = |world: &World, id: BodyId| {
        let q = world.body(id).unwrap().rotation();
        2.0 * f64::from(q.z).atan2(f64::from(q.w))
    };
    let mut last: Vec<f64> = gears.iter().map(|&(id, _)| angle(&world, id)).collect();
    let mut turned = vec![0.0; gears.len()];
    // Way of the teeth, the direction of every other gear turned around.
    let travel_of =
        |turned: &[f64], k: usize| turned[k] * f64::from(gears[k].1) * 0.5 * MODULE * [1.0, -1.0][k % 2];
    let mut run = Run { turned: 0.0, worst: 0.0, n_manifolds: 0 };
    let start = std::time::Instant::now();
    for _ in 0..n_steps {
        world.checked_step(DT).unwrap();
        run.n_manifolds = run.n_manifolds.max(world.contacts().map(|view| view.manifolds.len()).sum());
        for (k, &(id, _)) in gears.iter().enumerate() {
            let now = angle(&world, id);
            let step = now - last[k];
            turned[k] += step - (step / TAU).round() * TAU;
            last[k] = now;
        }
        for k in 1..n {
            run.worst = run.worst.max((travel_of(&turned, k) - travel_of(&turned, k - 1)).abs());
        }
    }
    run.turned = turned[0];
    println!(
        "{n} gears, {n_steps} steps of {:.2} ms: the first has turned by {:.3} rad; neighbours differ by {:.4} at most; {} \
         manifolds at most",
        start.elapsed().as_secs_f64() * 1e3 / n_steps as f64,
        run.turned,
        run.worst,
        run.n_manifolds
    );
    run
}

/// How far a gear may lag behind the one before, as a length along the pitch circles. The teeth of
/// both are thinner by [`BACKLASH`].
const PLAY: f64 = 2.0 * BACKLASH * MODULE + 0.005;

#[test]
fn six_gears_turn_at_the_ratios_of_their_teeth() {
    let run = run(6, 210);
    assert!(run.worst < PLAY, "{}", run.worst);
    assert!(1.2 < run.turned, "{}", run.turned);
}

/// Eight seconds; with `CAROM_SLOW` a minute.
#[test]
fn twenty_four_gears_turn_at_the_ratios_of_their_teeth() {
    let is_slow = std::env::var_os("CAROM_SLOW").is_some();
    let seconds = if is_slow { 60 } else { 8 };
    let run = run(24, seconds * 60);
    assert!(run.worst < PLAY, "{}", run.worst);
    // The motor needs 6 s to bring all of it to its speed.
    assert!(SPEED as f64 * (seconds as f64 - 5.0) < run.turned, "{}", run.turned);
    assert!(run.n_manifolds < 24 * 8, "{}", run.n_manifolds);
}
