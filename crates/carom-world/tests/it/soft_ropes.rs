//! Ropes that carry bodies: how far they stretch, how they swing, and their energy.

use crate::scenes::{CheckedStep, DT, ball, cuboid, restored};
use carom_math::Vec3;
use carom_world::{BodyDesc, BodyId, RopeSettings, SoftBodyDesc, SoftBodyId, SoftSettings, World};

/// Mass of a metre of rope.
const DENSITY: f32 = 0.1;

const RADIUS: f32 = 0.2;

/// A rope hangs from a pin, and a ball from its end.
struct Hung {
    world: World,
    rope: SoftBodyId,
    load: BodyId,
    length: f32,
    /// From the end of the rope to the centre of the ball.
    gap: f32,
}

/// A rope of `length` with `n` links along a direction, and a ball of `ratio` times its mass, with
/// this damping of its velocity.
fn hung(length: f32, n: u32, ratio: f32, settings: RopeSettings, along: Vec3, damping: f32) -> Hung {
    let mut world = World::new();
    let points: Vec<Vec3> = (0..=n).map(|k| along * (length * k as f32 / n as f32)).collect();
    let desc = SoftBodyDesc::rope(&points, settings).with_density(DENSITY).with_pinned(&[0]);
    let rope = world.insert_soft_body(desc).unwrap();
    let gap = RADIUS + length / n as f32;
    let load = BodyDesc::dynamic(ball(RADIUS)).with_mass(ratio * DENSITY * length);
    let load = load.with_damping(damping, 0.0);
    let load = world.insert(load.with_position(points[n as usize] + along * gap)).unwrap();
    world.soft_body_mut(rope).unwrap().attach(n, load).unwrap();
    Hung { world, rope, load, length, gap }
}

/// The present length of a rope.
fn length_of(world: &World, rope: SoftBodyId) -> f32 {
    let at = world.soft_body(rope).unwrap();
    at.positions().windows(2).map(|pair| pair[0].distance(pair[1])).sum()
}

/// The energy of a rope that is pinned at its first vertex, without that of stretching.
fn energy_of(world: &World, rope: SoftBodyId, length: f32) -> f64 {
    let view = world.soft_body(rope).unwrap();
    let n = view.positions().len() - 1;
    let link = f64::from(DENSITY * length) / n as f64;
    let mut sum = 0.0;
    for (k, (p, v)) in view.positions().iter().zip(view.velocities()).enumerate() {
        let mass = if k == 0 || k == n { 0.5 * link } else { link };
        let speed_sq = if k == 0 { 0.0 } else { f64::from(v.length_squared()) };
        sum += mass * (0.5 * speed_sq + 9.81 * f64::from(p.y));
    }
    sum
}

impl Hung {
    fn stretch(&self) -> f32 {
        length_of(&self.world, self.rope) / self.length
    }

    /// The weight of all, times the length.
    fn scale(&self, ratio: f32) -> f64 {
        9.81 * f64::from((ratio + 0.5) * DENSITY * self.length * (self.length + self.gap))
    }

    /// Energy of the ball and of the rope, without that of stretching.
    fn energy(&self) -> f64 {
        let sum = energy_of(&self.world, self.rope, self.length);
        let load = self.world.body(self.load).unwrap();
        sum + f64::from(load.motion().kinetic_energy())
            + f64::from(load.mass()) * 9.81 * f64::from(load.position().y)
    }
}

/// 1 m to 10 m and 10 to 200 links, with the settings by default: at rest with loads of 1 to 10,000
/// times the mass of the rope, and swung from the side.
#[test]
fn no_load_stretches_a_rope_that_does_not_stretch() {
    for (length, n) in [(1.0, 10), (1.0, 50), (10.0, 200), (2.0, 200)] {
        for ratio in [1.0, 100.0, 1000.0, 10000.0] {
            for along in [Vec3::NEG_Y, Vec3::X] {
                let mut scene = hung(length, n, ratio, RopeSettings::default(), along, 0.0);
                let (start, scale) = (scene.energy(), scene.scale(ratio));
                let (mut longest, mut gained) = (1.0_f32, 0.0_f64);
                for _ in 0..60 {
                    scene.world.checked_step(DT).unwrap();
                    longest = longest.max(scene.stretch());
                    gained = gained.max((scene.energy() - start) / scale);
                }
                println!("{length} m, {n} links, {ratio}, {along}: {longest}, gained {gained:.1e}");
                assert!(longest < 1.001, "{length} m, {n} links, {ratio}, {along}: {longest}");
                assert!(gained < 1e-5, "{length} m, {n} links, {ratio}, {along}: {gained}");
            }
        }
    }
}

/// A rope of a given stiffness is longer by the load that each link bears, over that stiffness.
#[test]
fn a_soft_rope_stretches_by_its_load() {
    for (n, ratio, strain) in [(10_u32, 100.0_f32, 0.05), (50, 10.0, 0.02), (50, 1000.0, 0.02)] {
        let weight = 9.81 * DENSITY * (ratio + 0.5);
        let settings = RopeSettings::default().with_stretch_stiffness(weight / strain).with_damping(20.0);
        let mut scene = hung(1.0, n, ratio, settings, Vec3::NEG_Y, 5.0);
        for _ in 0..300 {
            scene.world.checked_step(DT).unwrap();
        }
        let found = scene.stretch() - 1.0;
        println!("{n} links, {ratio}: longer by {found} of {strain}");
        assert!((found / strain - 1.0).abs() < 0.01, "{n} links, {ratio}: {found} of {strain}");
    }
}

/// A heavy ball on a rope swings with the period of the compound pendulum, and its energy is never
/// above that of the start.
#[test]
fn a_heavy_ball_on_a_rope_keeps_its_period() {
    for (length, n, ratio) in [(1.0_f32, 10, 100.0), (1.0, 50, 1000.0), (5.0, 100, 100.0)] {
        let angle = 10.0_f32.to_radians();
        let along = Vec3::new(angle.sin(), -angle.cos(), 0.0);
        let mut scene = hung(length, n, ratio, RopeSettings::default(), along, 0.0);
        let (start, scale) = (scene.energy(), scene.scale(ratio));
        let (mut crossings, mut gained) = (Vec::new(), 0.0_f64);
        let mut last = scene.world.body(scene.load).unwrap().position().x;
        for k in 0..600 {
            scene.world.checked_step(DT).unwrap();
            gained = gained.max((scene.energy() - start) / scale);
            let x = scene.world.body(scene.load).unwrap().position().x;
            if last < 0.0 && 0.0 <= x {
                crossings.push(DT * (k as f32 - x / (x - last)));
            }
            last = x;
        }
        // The ball turns with the rope. An amplitude of 10 degrees makes the period 0.2 % longer.
        let arm = length + scene.gap;
        let square = arm * arm + 0.4 * RADIUS * RADIUS;
        let wanted = 1.0019 * core::f32::consts::TAU * (square / (arm * 9.81)).sqrt();
        let found = (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f32;
        println!("{length} m, {n} links, {ratio}: {found} of {wanted} s, gained {gained:.1e}");
        assert!((found / wanted - 1.0).abs() < 0.01, "{found} of {wanted}");
        assert!(gained < 1e-5, "{gained}");
    }
}

/// Swung from the side, a ball loses this part of its energy in 20 s, and never gains any. Most of
/// it goes where the ball turns about the end of the rope.
#[test]
fn a_wide_swing_loses_bounded_energy_and_gains_none() {
    for (length, n, ratio, most) in
        [(1.0, 10, 10.0, 0.55), (1.0, 10, 100.0, 0.4), (1.0, 50, 1000.0, 0.5), (5.0, 50, 100.0, 0.06)]
    {
        let mut scene = hung(length, n, ratio, RopeSettings::default(), Vec3::X, 0.0);
        let (start, scale) = (scene.energy(), scene.scale(ratio));
        let mut gained = 0.0_f64;
        for _ in 0..1200 {
            scene.world.checked_step(DT).unwrap();
            gained = gained.max((scene.energy() - start) / scale);
        }
        let lost = (start - scene.energy()) / scale;
        println!("{length} m, {n} links, {ratio}: lost {lost:.4}, gained {gained:.1e}");
        assert!(lost < most, "{length} m, {n} links, {ratio}: {lost}");
        assert!(gained < 1e-5, "{length} m, {n} links, {ratio}: {gained}");
    }
}

/// A load is let go while it swings: no kick, and the rope alone stays as long as it is.
#[test]
fn a_rope_whose_load_is_let_go_stays_calm() {
    for (n, ratio) in [(10, 100.0), (100, 1000.0)] {
        for let_go in [10, 25, 40] {
            let mut scene = hung(1.0, n, ratio, RopeSettings::default(), Vec3::X, 0.0);
            (0..let_go).for_each(|_| {
                scene.world.checked_step(DT).unwrap();
            });
            let start = scene.energy();
            scene.world.soft_body_mut(scene.rope).unwrap().release(n).unwrap();
            let scale = scene.scale(ratio);
            let (mut gained, mut longest) = (0.0_f64, 1.0_f32);
            for _ in 0..60 {
                scene.world.checked_step(DT).unwrap();
                gained = gained.max((scene.energy() - start) / scale);
                longest = longest.max(scene.stretch());
            }
            println!("{n} links, {ratio}, let go at step {let_go}: {longest}, gained {gained:.1e}");
            assert!(longest < 1.001 && gained < 1e-3, "{n} links, {ratio}, {let_go}: {longest} {gained}");
        }
    }
}

/// A rope continues from a snapshot with the same bits, while it swings.
#[test]
fn a_swing_continues_from_a_snapshot() {
    let mut scene = hung(1.0, 20, 100.0, RopeSettings::default(), Vec3::X, 0.0);
    (0..30).for_each(|_| {
        scene.world.checked_step(DT).unwrap();
    });
    let mut restored: World = restored(&scene.world.snapshot(), &scene.world).unwrap();
    for _ in 0..30 {
        scene.world.checked_step(DT).unwrap();
        restored.checked_step(DT).unwrap();
        assert_eq!(scene.world.state_hash(), restored.state_hash());
    }
}

/// A plate hangs from four ropes, or from two slings which are pinned in their middles. So ropes
/// share a body, and a body has both ends of a rope.
#[test]
fn ropes_share_a_heavy_plate() {
    for ratio in [10.0_f32, 1000.0] {
        for has_slings in [false, true] {
            let mut world = World::new();
            let plate = BodyDesc::dynamic(cuboid(Vec3::new(0.5, 0.05, 0.5))).with_mass(0.4 * ratio);
            let plate = world.insert(plate).unwrap();
            let mut ropes = Vec::new();
            let mut hang = |points: &[Vec3], pin: u32, held: &[u32]| {
                let desc = SoftBodyDesc::rope(points, RopeSettings::default()).with_pinned(&[pin]);
                let rope = world.insert_soft_body(desc).unwrap();
                for &vertex in held {
                    world.soft_body_mut(rope).unwrap().attach(vertex, plate).unwrap();
                }
                ropes.push((rope, length_of(&world, rope)));
            };
            for z in [-0.4, 0.4] {
                if has_slings {
                    let at = |k: i32| k as f32 / 10.0 - 1.0;
                    let point = |k| Vec3::new(0.4 * at(k), 1.15 - at(k).abs(), z);
                    hang(&(0..=20).map(point).collect::<Vec<_>>(), 10, &[0, 20]);
                    continue;
                }
                for x in [-0.4, 0.4] {
                    let point = |k: i32| Vec3::new(x, 1.15 - 0.1 * k as f32, z);
                    hang(&(0..=10).map(point).collect::<Vec<_>>(), 0, &[10]);
                }
            }
            let (mut longest, mut fastest) = (1.0_f32, 0.0_f32);
            for _ in 0..120 {
                world.checked_step(DT).unwrap();
                for &(rope, length) in &ropes {
                    longest = longest.max(length_of(&world, rope) / length);
                }
                fastest = fastest.max(world.body(plate).unwrap().linear_velocity().length());
            }
            let at = world.body(plate).unwrap().position();
            println!("{ratio}, slings {has_slings}: {longest}, {fastest} m/s, at {at}");
            assert!(longest < 1.001 && fastest < 0.01 && at.length() < 1e-3, "{longest} {fastest} {at}");
        }
    }
}

/// Steps of 1/1000 s and of a tenth of a second in turn, and others: a rope alone and one with a
/// load fall from the side, and gain no energy.
#[test]
fn steps_of_many_lengths_give_a_rope_no_energy() {
    for lengths in [&[4.0_f32][..], &[24.0, 0.24], &[0.24, 24.0, 1.0], &[12.0, 1.0]] {
        let mut scene = hung(2.0, 20, 100.0, RopeSettings::default(), Vec3::X, 0.0);
        let points: Vec<Vec3> = (0..21).map(|k| Vec3::new(0.1 * k as f32, 0.0, 3.0)).collect();
        let desc = SoftBodyDesc::rope(&points, RopeSettings::default()).with_pinned(&[0]);
        let alone = scene.world.insert_soft_body(desc).unwrap();
        let (start, scale) = (scene.energy(), scene.scale(100.0));
        let start_alone = energy_of(&scene.world, alone, 2.0);
        let (mut gained, mut longest, mut gained_alone, mut time) = (0.0_f64, 1.0_f32, 0.0_f64, 0.0);
        for length in lengths.iter().cycle().take_while(|length| {
            time += **length / 240.0;
            time < 20.0
        }) {
            scene.world.checked_step(length / 240.0).unwrap();
            gained = gained.max((scene.energy() - start) / scale);
            longest = longest.max(scene.stretch()).max(length_of(&scene.world, alone) / 2.0);
            let now = energy_of(&scene.world, alone, 2.0);
            gained_alone = gained_alone.max((now - start_alone) / f64::from(9.81 * DENSITY * 2.0 * 2.0));
        }
        println!("{lengths:?}: {longest}, gained {gained:.1e}, alone {gained_alone:.1e}");
        assert!(longest < 1.001, "{lengths:?}: {longest}");
        assert!(gained < 1e-3 && gained_alone < 1e-3, "{lengths:?}: {gained} {gained_alone}");
    }
}

/// A rope over a round bar, with a heavy ball at each end. The bar pushes by passes, so the load
/// stretches the rope while it settles there.
#[test]
fn a_rope_over_a_bar_bears_its_loads() {
    let mut world = World::new();
    world.set_soft_settings(SoftSettings::default().with_iterations(16)).unwrap();
    let bar = world.insert(BodyDesc::fixed(ball(0.3)).with_friction(0.0)).unwrap();
    let (r, n) = (0.34_f32, 20);
    let mut points: Vec<Vec3> = (0..10).map(|k| Vec3::new(-r, 0.05 * k as f32 - 0.5, 0.0)).collect();
    for k in 0..=n {
        let angle = core::f32::consts::PI * (1.0 - k as f32 / n as f32);
        points.push(Vec3::new(r * angle.cos(), r * angle.sin(), 0.0));
    }
    points.extend((1..=10).map(|k| Vec3::new(r, -0.05 * k as f32, 0.0)));
    let desc = SoftBodyDesc::rope(&points, RopeSettings::default()).with_friction(0.0);
    let rope = world.insert_soft_body(desc).unwrap();
    let (length, last) = (length_of(&world, rope), points.len() as u32 - 1);
    for vertex in [0, last] {
        let load = BodyDesc::dynamic(ball(0.1)).with_mass(10.0 * DENSITY * length);
        let load = world.insert(load.with_position(points[vertex as usize] - Vec3::Y * 0.15)).unwrap();
        world.soft_body_mut(rope).unwrap().attach(vertex, load).unwrap();
    }
    let mut longest = 1.0_f32;
    for _ in 0..60 {
        world.checked_step(DT).unwrap();
        longest = longest.max(length_of(&world, rope) / length);
    }
    let end = length_of(&world, rope) / length;
    println!("{longest} at most, {end} at the end");
    assert!(longest < 1.02 && end < 1.01, "{longest} {end}");
    assert!(world.soft_body(rope).unwrap().touching().any(|body| body == bar));
}
