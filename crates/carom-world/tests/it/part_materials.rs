//! Materials by part: triangles, cells of a height field, and parts of a compound.

use crate::scenes::{CheckedStep, DT, ball, cuboid};
use carom_geom::{HeightField, MassProperties};
use carom_math::{Interval, Mat3, Pose, Ray, Vec3};
use carom_query::{HeightFieldShape, Shape};
use carom_world::{BodyDesc, BodyId, ColliderDesc, Material, PartMaterial, QueryFilter, World, WorldError};
use std::sync::Arc;

const ICE: f32 = 0.0;
const ROUGH: f32 = 0.5;
const GRAVITY: f32 = 9.81;

/// A floor of two squares of 20 m beside each other, which meet at x = 0: two triangles each.
fn floor() -> Shape {
    let (near, far) = (-20.0, 20.0);
    let vertices = [near, 0.0, far].into_iter().flat_map(|x| [near, far].map(|z| Vec3::new(x, 0.0, z)));
    Shape::mesh(vertices.collect(), vec![[0, 1, 2], [2, 1, 3], [2, 3, 4], [4, 3, 5]]).unwrap()
}

fn part(friction: f32, restitution: f32, user_data: u64) -> PartMaterial {
    PartMaterial::new(Material::new(friction, restitution)).with_user_data(user_data)
}

/// Ice for x < 0, and rough ground beyond.
fn road() -> ColliderDesc {
    let (ice, rough) = (part(ICE, 0.0, 1), part(ROUGH, 0.0, 2));
    ColliderDesc::new(floor()).with_part_materials(vec![ice, ice, rough, rough])
}

/// A box of 0.2 m that slides along x at 4 m/s, one metre before the rough ground.
fn slider() -> BodyDesc {
    BodyDesc::dynamic(cuboid(Vec3::splat(0.1)))
        .with_friction(ROUGH)
        .with_position(Vec3::new(-1.0, 0.1, 0.3))
        .with_linear_velocity(Vec3::X * 4.0)
}

/// Slides the box on this ground for `n_steps`. Returns the world and the box.
fn slide(ground: BodyDesc, n_steps: u32) -> (World, BodyId) {
    let mut world = World::new();
    world.insert(ground).unwrap();
    let body = world.insert(slider()).unwrap();
    for _ in 0..n_steps {
        world.checked_step(DT).unwrap();
    }
    (world, body)
}

/// On ice the box keeps its speed. Beyond the edge friction grows with the share of its bottom on
/// the rough ground. With all of it there, the box stops after v^2 / (2 mu g).
#[test]
fn a_box_slides_from_ice_to_rough_ground_as_coulomb_says() {
    for shape in ["mesh", "compound", "height field"] {
        let ground = match shape {
            "mesh" => road(),
            "compound" => halves(),
            _ => field(),
        };
        let (world, body) = slide(BodyDesc::fixed(ground.clone()), 14);
        let on_ice = world.body(body).unwrap().linear_velocity().x;
        assert!((on_ice - 4.0).abs() < 1e-3, "{shape}: {on_ice} on ice");
        let (world, body) = slide(BodyDesc::fixed(ground), 200);
        let end = world.body(body).unwrap().position().x;
        // The middle of the box is above the edge when half of its weight is on rough ground.
        let expected = 4.0 * 4.0 / (2.0 * ROUGH * GRAVITY);
        println!("{shape}: stops at {end}, by Coulomb's law at {expected}");
        // A step has the friction of the place where it begins.
        assert!((end - expected).abs() < 4.0 * DT, "{shape}: {end}, not {expected}");
    }
}

/// Two boxes side by side as one collider.
fn halves() -> ColliderDesc {
    let half = |x: f32| (cuboid(Vec3::new(10.0, 0.5, 20.0)), Pose::from_translation(Vec3::new(x, -0.5, 0.0)));
    let shape = Shape::compound(vec![half(-10.0), half(10.0)]).unwrap();
    ColliderDesc::new(shape).with_part_materials(vec![part(ICE, 0.0, 1), part(ROUGH, 0.0, 2)])
}

/// Four rows of cells of 10 m, flat.
fn field() -> ColliderDesc {
    let field = HeightField::new([5, 5], [10.0, 10.0], vec![0.0; 25]).unwrap();
    let shape = HeightFieldShape::new(field).unwrap();
    let mesh = shape.mesh().mesh();
    let is_icy = |triangle: u32| mesh.corners(triangle).iter().map(|corner| corner.x).sum::<f64>() < 0.0;
    let parts = (0..mesh.n_triangles() as u32).map(is_icy);
    let parts: Vec<_> =
        parts.map(|is_icy| if is_icy { part(ICE, 0.0, 1) } else { part(ROUGH, 0.0, 2) }).collect();
    ColliderDesc::new(Shape::HeightField(Arc::new(shape))).with_part_materials(parts)
}

/// If all parts have one material, the world has the bits of one whose collider has it.
#[test]
fn equal_materials_are_as_one() {
    let rough = part(ROUGH, 0.2, 0);
    let by_part = ColliderDesc::new(floor()).with_part_materials(vec![rough; 4]);
    let as_one = ColliderDesc::new(floor()).with_material(rough.material);
    let [(by_part, _), (as_one, _)] = [by_part, as_one].map(|ground| slide(BodyDesc::fixed(ground), 60));
    let states = [by_part, as_one]
        .map(|world| world.bodies().map(|body| (body.pose(), body.linear_velocity())).collect::<Vec<_>>());
    assert!(states[0] == states[1]);
}

/// Two balls fall beside each other: the one on the part that bounces rises to e^2 of its height,
/// the other one stays down.
#[test]
fn a_ball_bounces_on_a_part_that_bounces() {
    let mut world = World::new();
    let (dead, alive) = (part(0.5, 0.0, 1), part(0.5, 0.8, 2));
    world
        .insert(BodyDesc::fixed(
            ColliderDesc::new(floor()).with_part_materials(vec![dead, dead, alive, alive]),
        ))
        .unwrap();
    let ball = |x: f32| BodyDesc::dynamic(ball(0.2)).with_position(Vec3::new(x, 1.2, 0.3));
    let [down, up] = [-3.0, 3.0].map(|x| world.insert(ball(x)).unwrap());
    let mut highest = [0.0_f32; 2];
    for step in 0..70 {
        world.checked_step(DT).unwrap();
        for (highest, id) in highest.iter_mut().zip([down, up]) {
            // The first metre takes 0.45 s.
            if 30 < step {
                *highest = highest.max(world.body(id).unwrap().position().y - 0.2);
            }
        }
    }
    println!("{highest:?}");
    assert!(highest[0] < 0.01 && (highest[1] - 0.64).abs() < 0.03, "{highest:?}");
}

/// A belt on one triangle carries what lies on it; beside it a box stays. A ball stops rolling on
/// the part with rolling friction.
#[test]
fn belts_and_rolling_friction_by_part() {
    let mut world = World::new();
    let moving = Material::new(0.8, 0.0).with_surface_velocity(Vec3::Z * 2.0, Vec3::ZERO);
    let soft = Material::new(0.8, 0.0).with_rolling_friction(0.05);
    let parts = [moving, moving, soft, soft].map(PartMaterial::from);
    world.insert(BodyDesc::fixed(ColliderDesc::new(floor()).with_part_materials(parts))).unwrap();
    let cube = |x: f32| {
        let cube = BodyDesc::dynamic(cuboid(Vec3::splat(0.1))).with_friction(0.8);
        cube.with_position(Vec3::new(x, 0.1, 0.3))
    };
    let [carried, stays] = [-3.0, 3.0].map(|x| world.insert(cube(x)).unwrap());
    let ball = BodyDesc::dynamic(ball(0.2)).with_friction(0.8);
    let rolling = ball
        .with_position(Vec3::new(5.0, 0.2, 0.3))
        .with_linear_velocity(Vec3::X)
        .with_angular_velocity(Vec3::Z * -5.0);
    let rolling = world.insert(rolling).unwrap();
    for _ in 0..120 {
        world.checked_step(DT).unwrap();
    }
    let speed = |id: BodyId| world.body(id).unwrap().linear_velocity().length();
    assert!((speed(carried) - 2.0).abs() < 0.02, "{}", speed(carried));
    assert!(speed(stays) < 1e-3 && speed(rolling) < 1e-3, "{} {}", speed(stays), speed(rolling));
}

/// The bits do not depend on a snapshot in the middle, restored in place or elsewhere.
#[test]
fn a_snapshot_keeps_part_materials() {
    let (mut world, _) = slide(BodyDesc::fixed(road()), 20);
    let snapshot = world.snapshot();
    let mut other: World = World::new();
    other.restore(&snapshot).unwrap();
    let collider = other.bodies().next().unwrap().colliders().next().unwrap();
    assert_eq!(collider.part_materials().len(), 4);
    // A shape with other parts is refused.
    #[cfg(feature = "serde")]
    {
        let wrong = World::new().restore_with(&crate::scenes::reread(&snapshot), |_| Some(ball(1.0)));
        assert!(matches!(wrong, Err(WorldError::Inconsistent(_))));
    }
    for step in 0..60 {
        world.checked_step(DT).unwrap();
        other.checked_step(DT).unwrap();
        assert_eq!(other.state_hash(), world.state_hash(), "step {step}");
    }
}

/// A ray reports the part, and its number is found by it.
#[test]
fn a_hit_names_its_part() {
    let mut world = World::new();
    world.insert(BodyDesc::fixed(road())).unwrap();
    for (x, number) in [(-3.0, 1), (3.0, 2)] {
        let ray = Ray::new(Vec3::new(x, 5.0, 0.3), Vec3::NEG_Y);
        let filter = QueryFilter::default();
        let hit = world.query(&filter).cast_ray(&ray, Interval::FORWARD).unwrap();
        let part = world.collider(hit.collider).unwrap().part_material(hit.hit.part).unwrap();
        assert_eq!(part.user_data, number);
    }
}

/// A wrong length is an error that names both numbers, and changes nothing.
#[test]
fn a_list_of_another_length_is_refused() {
    let mut world = World::new();
    let wrong = WorldError::PartMaterials { given: 3, parts: 4 };
    let three = vec![PartMaterial::default(); 3];
    let desc = ColliderDesc::new(floor()).with_part_materials(three.clone());
    assert_eq!(world.insert(BodyDesc::fixed(desc)).unwrap_err(), wrong);
    assert_eq!(wrong.to_string(), "3 part materials for a shape of 4 parts");
    assert!(world.is_empty());
    let ground = world.insert(BodyDesc::fixed(road())).unwrap();
    let id = world.body(ground).unwrap().colliders().next().unwrap().id();
    let materials = |world: &World| world.collider(id).unwrap().part_materials().to_vec();
    let known = materials(&world);
    assert_eq!(world.collider_mut(id).unwrap().set_part_materials(three).unwrap_err(), wrong);
    let bad = vec![part(f32::NAN, 0.0, 0), part(0.0, 0.0, 0), part(0.0, 0.0, 0), part(0.0, -1.0, 0)];
    assert!(world.collider_mut(id).unwrap().set_part_materials(bad).is_err());
    let ball = ball(1.0);
    let other = WorldError::PartMaterials { given: 4, parts: 1 };
    assert_eq!(world.collider_mut(id).unwrap().set_shape(ball.clone()).unwrap_err(), other);
    assert_eq!(world.body_mut(ground).unwrap().set_shape(ball.clone()).unwrap_err(), other);
    assert_eq!(materials(&world), known);
    // Without materials any shape will do, and a body of any shape may have one.
    world.collider_mut(id).unwrap().set_part_materials(Vec::new()).unwrap();
    assert!(materials(&world).is_empty());
    world.body_mut(ground).unwrap().set_shape(ball).unwrap();
    world.collider_mut(id).unwrap().set_part_materials([part(0.1, 0.0, 7)]).unwrap();
    assert_eq!(world.collider(id).unwrap().part_material(0).unwrap().user_data, 7);
}

/// Colliders that come and go have their own materials, and a number that is used again has none of
/// an earlier collider or body.
#[test]
fn part_materials_go_with_their_collider() {
    let mut world = World::new();
    let body = BodyDesc::dynamic(ball(0.5));
    let body = body.with_mass_properties(MassProperties::new(1.0, Vec3::ZERO, Mat3::IDENTITY));
    let body = world.insert(body).unwrap();
    let id = world.insert_collider(body, halves()).unwrap();
    assert_eq!(world.collider(id).unwrap().part_materials().len(), 2);
    world.remove_collider(id).unwrap();
    let id = world.insert_collider(body, ball(0.1)).unwrap();
    assert!(world.collider(id).unwrap().part_materials().is_empty());
    world.remove(body).unwrap();
    let ground = world.insert(BodyDesc::fixed(road())).unwrap();
    world.remove(ground).unwrap();
    let again = world.insert(BodyDesc::fixed(floor())).unwrap();
    assert!(world.body(again).unwrap().colliders().next().unwrap().part_materials().is_empty());
    world.checked_step(DT).unwrap();
}

/// Boxes that slide over the edge in many places at once.
#[cfg(feature = "parallel")]
#[test]
fn the_same_bits_on_one_two_and_seven_threads() {
    let run = |n: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        let mut world: World = World::new();
        world.insert(BodyDesc::fixed(road())).unwrap();
        for k in 0..300 {
            let at = Vec3::new(-1.0 - 0.25 * (k % 20) as f32, 0.1, 0.5 * (k / 20) as f32 - 7.0);
            world.insert(slider().with_position(at)).unwrap();
        }
        pool.install(|| {
            (0..60).map(|_| world.checked_step(DT).map(|_| ()).and(Ok(world.state_hash()))).collect()
        })
    };
    let one: Result<Vec<u64>, WorldError> = run(1);
    assert!(one.is_ok() && one == run(2) && one == run(7));
}
