//! Soft things on the parts and colliders of a body, each with its own friction and restitution.

use crate::scenes::{CheckedStep, DT, cuboid};
use crate::soft::tetrahedra;
use carom_math::{Pose, Vec3};
use carom_query::Shape;
use carom_world::{
    BodyDesc, ClothSettings, ColliderDesc, Grains, Material, PartMaterial, ParticlePhase, ParticlesDesc,
    RopeSettings, SoftBodyDesc, SoftBodySettings, SoftThing, World,
};

const GRAVITY: f32 = 9.81;
/// The tilt of gravity towards x: about 17 degrees.
const SLOPE: f32 = 0.3;
const THICKNESS: f32 = 0.05;

/// Two triangles for z < 0 and two beyond, 20 m wide, with these materials.
fn two_halves(near: Material, far: Material) -> BodyDesc {
    let (low, high) = (-10.0, 10.0);
    let vertices = [low, 0.0, high].into_iter().flat_map(|z| [low, high].map(|x| Vec3::new(x, 0.0, z)));
    let floor = Shape::mesh(vertices.collect(), vec![[0, 2, 1], [1, 2, 3], [2, 4, 3], [3, 4, 5]]).unwrap();
    let [near, far] = [near, far].map(PartMaterial::new);
    BodyDesc::fixed(ColliderDesc::new(floor).with_part_materials(vec![near, near, far, far]))
}

/// The same floor of two boxes: the colliders of one body.
fn two_colliders(near: Material, far: Material) -> BodyDesc {
    let half = |z: f32, material: Material| {
        let at = Pose::from_translation(Vec3::new(0.0, -0.5, z));
        ColliderDesc::new(cuboid(Vec3::new(10.0, 0.5, 5.0))).with_pose(at).with_material(material)
    };
    BodyDesc::fixed(half(-5.0, near)).with_collider(half(5.0, far))
}

/// Puts a cloth, a rope, a soft body and a grain on the floor, beside each other along x.
fn put_each(world: &mut World, z: f32) -> [SoftThing; 4] {
    let at = |x: f32| Vec3::new(x, 0.5 * THICKNESS, z);
    let cloth = SoftBodyDesc::grid([0.4, 0.4], [6, 6], ClothSettings::default()).with_position(at(-4.0));
    let line: Vec<Vec3> = (0..8).map(|i| Vec3::X * (0.07 * i as f32)).collect();
    let rope = SoftBodyDesc::rope(&line, RopeSettings::default()).with_position(at(-2.0));
    let (vertices, cells) = tetrahedra([3, 1, 3], 0.1);
    let stiff = SoftBodySettings::default().with_youngs_modulus(1e6);
    let block = SoftBodyDesc::volume(&vertices, &cells, stiff);
    let low = vertices.iter().map(|vertex| vertex.y).fold(f32::INFINITY, f32::min);
    let block = block.with_position(at(0.0) - Vec3::Y * low);
    let soft = [cloth, rope, block].map(|desc| {
        let desc = desc.with_thickness(THICKNESS).with_friction(1.0);
        SoftThing::Body(world.insert_soft_body(desc).unwrap())
    });
    let grains = ParticlePhase::Grains(Grains::default().with_friction(1.0));
    let grain = ParticlesDesc::new(grains, 0.5 * THICKNESS).with_positions(&[at(3.0)]);
    let grain = SoftThing::Particles(world.insert_particles(grain).unwrap());
    [soft[0], soft[1], soft[2], grain]
}

/// Returns the mean place of a thing along x.
fn middle(world: &World, thing: SoftThing) -> f32 {
    let positions = match thing {
        SoftThing::Body(id) => world.soft_body(id).unwrap().positions(),
        SoftThing::Particles(id) => world.particles(id).unwrap().positions(),
    };
    positions.iter().map(|position| position.x).sum::<f32>() / positions.len() as f32
}

/// On the icy half of a slope a thing slides as Galilei says. On the rough half it holds, because
/// the friction is larger than the slope.
#[test]
fn each_kind_slides_on_ice_and_holds_on_rough_ground() {
    let (ice, rough) = (Material::new(0.0, 0.0), Material::new(1.0, 0.0));
    for (name, floor) in [("mesh", two_halves(ice, rough)), ("colliders", two_colliders(ice, rough))] {
        let mut world = World::new();
        world.solver_settings_mut().gravity = Vec3::new(GRAVITY * SLOPE, -GRAVITY, 0.0);
        world.insert(floor).unwrap();
        let [on_ice, on_rough] = [-2.0, 2.0].map(|z| put_each(&mut world, z));
        let starts = [on_ice, on_rough].map(|things| things.map(|thing| middle(&world, thing)));
        let n = 60;
        (0..n).for_each(|_| _ = world.checked_step(DT).unwrap());
        let time = n as f32 * DT;
        let fall = 0.5 * GRAVITY * SLOPE * time * time;
        for k in 0..4 {
            let slid = middle(&world, on_ice[k]) - starts[0][k];
            let crept = middle(&world, on_rough[k]) - starts[1][k];
            println!("{name} {k}: {slid:.4} m of {fall:.4} m on ice, {crept:.4} m on rough ground");
            assert!((slid / fall - 1.0).abs() < 0.05, "{name} {k}: {slid} {fall}");
            assert!(crept.abs() < 0.01, "{name} {k}: {crept}");
        }
    }
}

/// Grains leap from the part that bounces, and lie on the other one.
#[test]
fn grains_bounce_where_the_part_does() {
    let (dead, lively) = (Material::new(0.5, 0.0), Material::new(0.5, 0.8));
    for floor in [two_halves(dead, lively), two_colliders(dead, lively)] {
        let mut world = World::new();
        world.insert(floor).unwrap();
        let positions = [-2.0, 2.0].map(|z| Vec3::new(0.3, 1.0, z));
        let grains = ParticlesDesc::new(ParticlePhase::Grains(Grains::default()), 0.05);
        let grains = world.insert_particles(grains.with_positions(&positions)).unwrap();
        let (mut highest, mut has_met) = ([0.0_f32; 2], false);
        for _ in 0..60 {
            world.checked_step(DT).unwrap();
            let heights = [0, 1].map(|k| world.particles(grains).unwrap().positions()[k].y);
            has_met |= heights[0] < 0.06;
            if has_met {
                highest = [0, 1].map(|k| highest[k].max(heights[k]));
            }
        }
        println!("they rise to {highest:?} m");
        // 0.8 of the speed is 0.64 of the height above contact.
        assert!(highest[0] < 0.08 && (highest[1] - 0.05 - 0.64 * 0.95).abs() < 0.05, "{highest:?}");
    }
}
