//! Each setter refuses numbers out of their range, names them with their value, and changes
//! nothing.

use crate::scenes::{DT, ball, cuboid, ground, is_bad};
use carom_geom::MassProperties;
use carom_math::glam::DVec3;
use carom_math::{Mat3, Pose, Quat, Vec3};
use carom_world::{
    BodyDesc, BodyMut, ColliderDesc, ColliderMut, Material, PartMaterial, Response, World, WorldError,
};

/// A call with one number: the name that its error gives to the number, whether a negative one is
/// bad, and the call.
type Call<Setter> = (&'static str, bool, Setter);
type SetOfBody = fn(&mut BodyMut<'_>, f32) -> Result<(), WorldError>;
type SetOfCollider = fn(&mut ColliderMut<'_>, f32) -> Result<(), WorldError>;
type SetOfWorld = fn(&mut World, f32) -> Result<(), WorldError>;

/// A vector with a number in its second place.
fn y(x: f32) -> Vec3 {
    Vec3::new(1.0, x, 0.0)
}

const OF_BODIES: [Call<SetOfBody>; 21] = [
    ("linear velocity", false, |body, x| body.set_linear_velocity(y(x)).map(drop)),
    ("angular velocity", false, |body, x| body.set_angular_velocity(y(x)).map(drop)),
    ("force", false, |body, x| body.set_constant_force(y(x), Vec3::ZERO).map(drop)),
    ("torque", false, |body, x| body.set_constant_force(Vec3::ZERO, y(x)).map(drop)),
    ("force", false, |body, x| body.apply_force(y(x)).map(drop)),
    ("torque", false, |body, x| body.apply_torque(y(x)).map(drop)),
    ("impulse", false, |body, x| body.apply_impulse(y(x)).map(drop)),
    ("point", false, |body, x| body.apply_impulse_at(Vec3::X, y(x)).map(drop)),
    ("angular impulse", false, |body, x| body.apply_angular_impulse(y(x)).map(drop)),
    ("mass", true, |body, x| body.set_mass(x).map(drop)),
    ("mass", true, |body, x| {
        body.set_mass_properties(MassProperties::new(x, Vec3::ZERO, Mat3::IDENTITY)).map(drop)
    }),
    ("center of mass", false, |body, x| {
        body.set_mass_properties(MassProperties::new(1.0, y(x), Mat3::IDENTITY)).map(drop)
    }),
    ("friction", true, |body, x| body.set_friction(x).map(drop)),
    ("restitution", true, |body, x| body.set_restitution(x).map(drop)),
    ("impulse threshold", true, |body, x| body.set_impulse_threshold(x).map(drop)),
    ("linear damping", true, |body, x| body.set_damping(x, 0.0).map(drop)),
    ("angular damping", true, |body, x| body.set_damping(0.0, x).map(drop)),
    ("gravity scale", false, |body, x| body.set_gravity_scale(x).map(drop)),
    ("max linear speed", true, |body, x| body.set_max_speeds(x, 1.0).map(drop)),
    ("surface spin", false, |body, x| body.set_surface_velocity(Vec3::ZERO, y(x)).map(drop)),
    ("impulse of a knock", true, |body, x| body.set_response(Response::Knock { impulse: x }).map(drop)),
];

const OF_COLLIDERS: [Call<SetOfCollider>; 7] = [
    ("friction", true, |collider, x| collider.set_material(Material::new(x, 0.0)).map(drop)),
    ("restitution", true, |collider, x| collider.set_material(Material::new(0.0, x)).map(drop)),
    ("rolling friction", true, |collider, x| {
        collider.set_material(Material::default().with_rolling_friction(x)).map(drop)
    }),
    ("spinning friction", true, |collider, x| {
        collider.set_material(Material::default().with_spinning_friction(x)).map(drop)
    }),
    ("density", true, |collider, x| collider.set_density(x).map(drop)),
    ("impulse threshold", true, |collider, x| collider.set_impulse_threshold(x).map(drop)),
    ("restitution", true, |collider, x| {
        collider.set_part_materials([PartMaterial::new(Material::new(0.5, x))]).map(drop)
    }),
];

const OF_WORLDS: [Call<SetOfWorld>; 5] = [
    ("prediction", true, |world, x| world.set_settings(world.settings().with_prediction(x))),
    ("recycling", true, |world, x| world.set_settings(world.settings().with_recycling(x))),
    ("density", true, |world, x| world.insert(BodyDesc::dynamic(ball(1.0)).with_density(x)).map(drop)),
    ("mass", true, |world, x| world.insert(BodyDesc::dynamic(ball(1.0)).with_mass(x)).map(drop)),
    ("restitution", true, |world, x| {
        let part = PartMaterial::new(Material::new(0.5, x));
        world.insert(BodyDesc::fixed(ColliderDesc::new(ball(1.0)).with_part_materials([part]))).map(drop)
    }),
];

#[test]
fn every_setter_names_the_number_and_changes_nothing() {
    let mut world: World = World::new();
    world.insert(ground()).unwrap();
    let id = world.insert(BodyDesc::dynamic(cuboid(Vec3::splat(0.5))).with_position(Vec3::Y * 0.5)).unwrap();
    let collider = world.body(id).unwrap().colliders().next().unwrap().id();
    for _ in 0..10 {
        world.step(DT).unwrap();
    }
    let before = format!("{:?}", world.snapshot());
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0] {
        for (name, _, set) in OF_BODIES.iter().filter(|call| bad != -1.0 || call.1) {
            let refused = set(&mut world.body_mut(id).unwrap(), bad);
            assert!(is_bad(refused, name, bad), "{name} of {bad}: {refused:?}");
        }
        for (name, _, set) in OF_COLLIDERS.iter().filter(|call| bad != -1.0 || call.1) {
            let refused = set(&mut world.collider_mut(collider).unwrap(), bad);
            assert!(is_bad(refused, name, bad), "{name} of {bad}: {refused:?}");
        }
        for (name, _, set) in OF_WORLDS.iter().filter(|call| bad != -1.0 || call.1) {
            let refused = set(&mut world, bad);
            assert!(is_bad(refused, name, bad), "{name} of {bad}: {refused:?}");
        }
        let pose = Pose { rotation: Quat::IDENTITY, translation: y(bad) };
        if bad != -1.0 {
            assert!(matches!(world.body_mut(id).unwrap().set_pose(pose), Err(WorldError::Pose(_))));
            assert!(world.set_origin(DVec3::X * f64::from(bad)).is_err());
        }
        assert_eq!(format!("{:?}", world.snapshot()), before, "{bad}");
    }
    let text = world.body_mut(id).unwrap().set_friction(-0.5).unwrap_err().to_string();
    assert_eq!(text, "friction may not be -0.5");
}
