//! An escapement by contact of its shapes: a wheel that a wound spring drives, and a balance that lets it go tooth by tooth.

use crate::scenes::DT;
use carom_math::{Pose, Quat, Vec3};
use carom_scenes::{BodySpec, Escapement, JointSpec, SceneSpec, ShapeSpec};
use carom_testkit::scene_world;
use carom_world::{BodyId, JointId, World, WorldSettings};
use core::f64::consts::TAU;

#[test]
fn probe() {
    let escapement = Escapement::default();
    let q: f32 = std::env::var("Q").map_or(20.0, |x| x.parse().unwrap());
    let torque: f32 = std::env::var("T").map_or(1.0, |x| x.parse().unwrap());
    let weight: f32 = std::env::var("W").map_or(20.0, |x| x.parse().unwrap());
    let mut scene = SceneSpec::default();
    let plate = ShapeSpec::Cuboid { half_extents: Vec3::new(4.0, 4.0, 0.1) };
    scene.bodies.push(BodySpec::fixed(plate, Pose::from_translation(Vec3::Z * -1.0)));
    let turn = |angle: f64| Quat::from_rotation_z(angle as f32);
    let mut wheel = BodySpec::new(ShapeSpec::Compound { parts: escapement.wheel() }, Pose::new(turn(escapement.start_angle()), Vec3::ZERO));
    wheel.density = 0.1;
    wheel.friction = 0.0;
    let mut parts = escapement.anchor();
    for x in [-2.5, 2.5] {
        parts.push((Pose::from_translation(Vec3::new(x, 0.0, 0.8)), ShapeSpec::Cuboid { half_extents: Vec3::splat(0.35) }));
    }
    let pivot = escapement.pivot().extend(0.0).as_vec3();
    let swing: f32 = std::env::var("S").map_or(0.12, |x| x.parse().unwrap());
    let mut anchor = BodySpec::new(ShapeSpec::Compound { parts }, Pose::new(turn(f64::from(swing)), pivot));
    anchor.density = weight;
    anchor.friction = 0.0;
    scene.bodies.extend([wheel, anchor]);
    let mut world = World::with_settings({
        let mut s = WorldSettings::default();
        s.solver = s.solver.with_gravity(Vec3::ZERO);
        s
    });
    let ids: Vec<BodyId> = scene_world::fill(&mut world, &scene);
    let axle = |b: usize, at: Vec3, spring: [f32; 3]| JointSpec::SpringAxle {
        a: 0, b, anchor_a: at + Vec3::Z, anchor_b: Vec3::ZERO, axis_a: Vec3::Z, axis_b: Vec3::Z,
        stiffness: spring[0], rest_angle: spring[1], damping: spring[2],
    };
    let _ = axle;
    let about = |world: &mut World, id: BodyId, at: Vec3| {
        // Joint frames agree with the plate: angle 0 is upright.
        let frame = Pose::new(carom_math::rotation::arc(Vec3::X, Vec3::Z), at + Vec3::Z);
        let own = Pose::new(carom_math::rotation::arc(Vec3::X, Vec3::Z), Vec3::ZERO);
        world.insert_joint(ids[0], id, carom_world::JointKind::Hinge { limits: None, motor: None }, frame, own).unwrap()
    };
    let wheel: JointId = about(&mut world, ids[1], Vec3::ZERO);
    let balance: JointId = about(&mut world, ids[2], pivot);
    let inertia = |id: BodyId| 1.0 / world.motion(id).unwrap().inverse_inertia.z_axis.z;
    let (iw, ib) = (inertia(ids[1]), inertia(ids[2]));
    let w = TAU as f32;
    let k = ib * w * w;
    world.set_joint_spring(balance, Some(carom_world::TorsionSpring::new(k, 0.0).with_damping(ib * w / q))).unwrap();
    world.set_joint_spring(wheel, Some(carom_world::TorsionSpring::new(torque / 100.0, 100.0))).unwrap();
    println!("inertia {iw} {ib}");
    let start = world.hinge_angle(wheel).unwrap();
    let (mut last, mut amp, mut ticks) = (start, 0.0f64, 0);
    let mut prev = 0.0f64;
    let mut deep = 0.0f32;
    for step in 0..3600 {
        world.step(DT).unwrap();
        let a = world.hinge_angle(balance).unwrap();
        let x = world.hinge_angle(wheel).unwrap();
        amp = amp.max(a.abs());
        for view in world.contacts() { for m in view.manifolds { for c in m.contacts() { deep = deep.min(c.distance); } } }
        if step < 130 && std::env::var("V").is_ok() { println!("{step} balance {a:.4} wheel {:.4}", (x - start) / (TAU / 15.0)); }
        if prev < 0.0 && 0.0 <= a {
            ticks += 1;
            if ticks % 6 == 0 { println!("t {:.2}: {ticks} periods, wheel {:.3} teeth, advance {:.3}, amp {amp:.4}", step as f32 * DT, (x - start) / (TAU / 15.0), (x - last) / (TAU / 15.0)); }
            last = x;
            amp = 0.0;
        }
        prev = a;
    }
    println!("deepest {deep}");
}
