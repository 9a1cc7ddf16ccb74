//! Scenes that move bodies obey the laws of physics.

use carom_audit::{Audit, AuditSettings};
use carom_scenes::{SceneSpec, ants, bench_pile, bullets, pile, stairs, works};
use carom_testkit::scene_world::fill;
use carom_world::World;

const DT: f32 = 1.0 / 60.0;

fn audited(name: &str, scene: &SceneSpec, n_steps: u32) {
    audited_with(AuditSettings::default(), name, scene, n_steps);
}

fn audited_with(settings: AuditSettings, name: &str, scene: &SceneSpec, n_steps: u32) {
    let mut world = World::new();
    fill(&mut world, scene);
    let mut audit = Audit::new(settings);
    for _ in 0..n_steps {
        audit.begin(&world);
        world.step(DT).unwrap();
        audit.end(&world, DT);
    }
    for fault in audit.faults() {
        println!("{name}: {fault}");
    }
    assert_eq!(audit.n_faults(), 0, "{name}");
}

/// Returns `large` if `CAROM_SLOW` is set, and `small` otherwise.
fn size(small: usize, large: usize) -> usize {
    if std::env::var_os("CAROM_SLOW").is_some() { large } else { small }
}

#[test]
fn piles() {
    for seed in 1..=size(2, 8) as u64 {
        audited("pile", &pile(size(100, 1000), seed), size(150, 3600) as u32);
        // Its boxes overlap at the start, and push-out adds energy.
        let settings = AuditSettings::default().with_max_gain(f64::INFINITY);
        let scene = bench_pile(size(60, 1000), seed);
        audited_with(settings, "bench pile", &scene, size(120, 3600) as u32);
    }
}

/// After a long fall a body moves farther than its size in a step, and contacts between such
/// bodies move with them.
#[test]
fn a_pile_that_falls_from_high_up() {
    for seed in 1..=size(1, 20) as u64 {
        audited("high pile", &pile(size(300, 2000), seed), size(110, 300) as u32);
    }
}

#[test]
fn ragdolls_on_stairs() {
    for seed in 1..=size(3, 20) as u64 {
        audited("stairs", &stairs(size(2, 24), seed), size(180, 3600) as u32);
    }
}

#[test]
fn gears_of_a_clock() {
    audited("works", &works(size(4, 24)), size(60, 600) as u32);
}

#[test]
fn bullets_at_a_wall() {
    for seed in 1..=size(2, 8) as u64 {
        audited("bullets", &bullets(size(60, 1000), seed), size(60, 600) as u32);
    }
}

/// The ants stand still: their driver is not part of the scene.
#[test]
fn a_hill_of_ants() {
    audited("ants", &ants(size(20, 200), 1).scene, size(60, 600) as u32);
}

/// Elastic bodies gain no energy over many bounces, with the lag of the integration corrected.
#[test]
fn bounces_of_restitution_one_give_no_energy() {
    use carom_geom::{Cuboid, HalfSpace, Sphere};
    use carom_math::Vec3;
    use carom_query::Shape;
    use carom_world::BodyDesc;
    for (height, dt) in [(1.0, DT), (5.0, DT), (20.0, DT), (3.0, 1.0 / 30.0), (3.0, 1.0 / 240.0)] {
        let mut world = World::new();
        let floor = Shape::HalfSpace(HalfSpace::new(Vec3::Y).unwrap());
        world.insert(BodyDesc::fixed(floor).with_restitution(1.0)).unwrap();
        let shapes =
            [Shape::Sphere(Sphere::new(0.5).unwrap()), Shape::Cuboid(Cuboid::new(Vec3::splat(0.4)).unwrap())];
        for (i, shape) in shapes.into_iter().enumerate() {
            let position = Vec3::new(3.0 * i as f32, height, 0.0);
            world.insert(BodyDesc::dynamic(shape).with_position(position).with_restitution(1.0)).unwrap();
        }
        let mut audit = Audit::new(AuditSettings::default());
        for _ in 0..1800 {
            audit.begin(&world);
            world.step(dt).unwrap();
            audit.end(&world, dt);
        }
        assert!(audit.faults().is_empty(), "{height} {dt}: {:#?}", audit.faults());
    }
}
