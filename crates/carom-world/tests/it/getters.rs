//! Each value that a setter of a body or a collider sets is returned by a getter. So an inspector
//! shows each value, and an undo sets it again.

use crate::scenes::{ball, cuboid};
use carom_broad::{Groups, Mobility};
use carom_geom::MassProperties;
use carom_math::glam::DVec3;
use carom_math::{Mat3, Pose, Quat, Vec3};
use carom_query::Shape;
use carom_world::{
    ActiveHooks, BodyDesc, BodyId, BodyMass, BodyMut, BodyRef, ColliderDesc, ColliderId, ColliderMut,
    ColliderRef, CombineRule, Filter, LockedAxes, Material, PartMaterial, Response, World, WorldError,
};

type OfBody =
    (&'static str, &'static str, fn(&mut BodyMut<'_>) -> Result<(), WorldError>, fn(&BodyRef<'_>) -> bool);
type OfCollider = (
    &'static str,
    &'static str,
    fn(&mut ColliderMut<'_>) -> Result<(), WorldError>,
    fn(&ColliderRef<'_>) -> bool,
);

const TURN: Quat = Quat::from_xyzw(0.6, 0.0, 0.0, 0.8);
const AT: Vec3 = Vec3::new(1.0, 2.0, 3.0);

fn material() -> Material {
    let material = Material::new(0.3, 0.4).with_rolling_friction(0.01).with_spinning_friction(0.02);
    material.with_rules(CombineRule::Min, CombineRule::Multiply).with_surface_velocity(Vec3::X, Vec3::Y)
}

fn filter() -> Filter {
    Filter::new(Groups::from_bits_retain(2), Groups::from_bits_retain(5)).with_family(7)
}

fn mass() -> MassProperties {
    MassProperties::new(3.0, Vec3::X * 0.1, Mat3::from_diagonal(Vec3::new(0.3, 0.4, 0.5)))
}

/// Whether a property of all its colliders has been set.
fn all(body: &BodyRef<'_>, is_set: fn(&ColliderRef<'_>) -> bool) -> bool {
    0 < body.colliders().count() && body.colliders().all(|collider| is_set(&collider))
}

/// Setters of a body with their getters. Those of colliders set the property of all colliders.
fn of_body() -> Vec<OfBody> {
    vec![
        (
            "set_pose",
            "pose",
            |b| b.set_pose(Pose::new(TURN, AT)).map(drop),
            |b| b.pose() == Pose::new(TURN, AT),
        ),
        ("set_position", "position", |b| b.set_position(AT).map(drop), |b| b.position() == AT),
        ("set_rotation", "rotation", |b| b.set_rotation(TURN).map(drop), |b| b.rotation() == TURN),
        (
            "set_wide_position",
            "wide_position",
            |b| b.set_wide_position(DVec3::new(1e5, 0.123_456_789, 0.0)).map(drop),
            // In f32 the second number would be wrong by 3e-9.
            |b| (b.wide_position() - DVec3::new(1e5, 0.123_456_789, 0.0)).length() < 1e-15,
        ),
        (
            "set_linear_velocity",
            "linear_velocity",
            |b| b.set_linear_velocity(AT).map(drop),
            |b| b.linear_velocity() == AT,
        ),
        (
            "set_angular_velocity",
            "angular_velocity",
            |b| b.set_angular_velocity(AT).map(drop),
            |b| b.angular_velocity() == AT,
        ),
        (
            "set_constant_force",
            "constant_force",
            |b| b.set_constant_force(AT, Vec3::X).map(drop),
            |b| b.constant_force() == [AT, Vec3::X],
        ),
        (
            "set_mobility",
            "mobility",
            |b| b.set_mobility(Mobility::Kinematic).map(drop),
            |b| b.mobility() == Mobility::Kinematic,
        ),
        ("set_mass", "mass", |b| b.set_mass(4.0).map(drop), |b| b.mass() == 4.0),
        (
            "set_mass_properties",
            "mass_properties",
            |b| b.set_mass_properties(mass()).map(drop),
            |b| b.mass_properties() == mass() && b.mass_source() == BodyMass::Given(mass()),
        ),
        (
            "set_mass_source",
            "mass_source",
            |b| b.set_mass_source(BodyMass::Total(4.0)).map(drop),
            |b| matches!(b.mass_source(), BodyMass::Given(mass) if mass.mass == 4.0),
        ),
        ("set_density", "density", |b| b.set_density(70.0).map(drop), |b| all(b, |c| c.density() == 70.0)),
        (
            "set_material",
            "material",
            |b| b.set_material(material()).map(drop),
            |b| all(b, |c| c.material() == material()),
        ),
        (
            "set_friction",
            "material",
            |b| b.set_friction(0.7).map(drop),
            |b| all(b, |c| c.material().friction == 0.7),
        ),
        (
            "set_restitution",
            "material",
            |b| b.set_restitution(0.7).map(drop),
            |b| all(b, |c| c.material().restitution == 0.7),
        ),
        (
            "set_combine_rules",
            "material",
            |b| b.set_combine_rules(CombineRule::Max, CombineRule::Min).map(drop),
            |b| {
                let rules = |m: Material| (m.friction_rule, m.restitution_rule);
                all(b, |c| c.material().friction_rule == CombineRule::Max)
                    && b.colliders().all(|c| rules(c.material()) == (CombineRule::Max, CombineRule::Min))
            },
        ),
        (
            "set_impulse_threshold",
            "impulse_threshold",
            |b| b.set_impulse_threshold(9.0).map(drop),
            |b| b.impulse_threshold() == 9.0 && all(b, |c| c.impulse_threshold() == 9.0),
        ),
        ("set_damping", "damping", |b| b.set_damping(0.1, 0.2).map(drop), |b| b.damping() == [0.1, 0.2]),
        (
            "set_gravity_scale",
            "gravity_scale",
            |b| b.set_gravity_scale(-2.0).map(drop),
            |b| b.gravity_scale() == -2.0,
        ),
        (
            "set_locked_axes",
            "locked_axes",
            |b| b.set_locked_axes(LockedAxes::OUT_OF_XY).map(drop),
            |b| b.locked_axes() == LockedAxes::OUT_OF_XY,
        ),
        (
            "set_max_speeds",
            "max_speeds",
            |b| b.set_max_speeds(3.0, 4.0).map(drop),
            |b| b.max_speeds() == [3.0, 4.0],
        ),
        (
            "set_sensor",
            "is_sensor",
            |b| b.set_sensor(true).map(drop),
            |b| b.is_sensor() && all(b, |c| c.is_sensor()),
        ),
        (
            "set_recorded_pushes",
            "records_pushes",
            |b| b.set_recorded_pushes(true).map(drop),
            |b| b.records_pushes(),
        ),
        ("set_ccd", "ccd", |b| b.set_ccd(true).map(drop), |b| b.ccd()),
        (
            "set_hooks",
            "hooks",
            |b| b.set_hooks(ActiveHooks::FILTER).map(drop),
            |b| b.hooks() == ActiveHooks::FILTER && all(b, |c| c.hooks() == ActiveHooks::FILTER),
        ),
        ("set_can_sleep", "can_sleep", |b| b.set_can_sleep(false).map(drop), |b| !b.can_sleep()),
        (
            "sleep",
            "is_sleeping",
            |b| {
                b.sleep();
                Ok(())
            },
            |b| b.is_sleeping(),
        ),
        ("set_family", "family", |b| b.set_family(3).map(drop), |b| b.family() == 3),
        (
            "set_groups",
            "groups",
            |b| b.set_groups(filter().groups, filter().mask).map(drop),
            |b| b.groups() == (filter().groups, filter().mask),
        ),
        (
            "set_filter",
            "filter",
            |b| b.set_filter(filter()).map(drop),
            |b| all(b, |c| c.filter() == filter()),
        ),
        (
            "set_user_data",
            "user_data",
            |b| {
                b.set_user_data(11);
                Ok(())
            },
            |b| b.user_data() == 11,
        ),
        ("set_enabled", "is_enabled", |b| b.set_enabled(false).map(drop), |b| !b.is_enabled()),
        (
            "set_surface_velocity",
            "surface_velocity",
            |b| b.set_surface_velocity(Vec3::X, Vec3::ZERO).map(drop),
            |b| b.surface_velocity() == [Vec3::X, Vec3::ZERO],
        ),
        (
            "set_response",
            "response",
            |b| b.set_response(Response::Pass).map(drop),
            |b| b.response() == Response::Pass,
        ),
        (
            "move_to",
            "target",
            |b| b.set_mobility(Mobility::Kinematic)?.move_to(Pose::new(TURN, AT)).map(drop),
            |b| b.target() == Some(Pose::new(TURN, AT)),
        ),
    ]
}

fn of_collider() -> Vec<OfCollider> {
    vec![
        (
            "set_shape",
            "shape",
            |c| c.set_shape(ball(0.25)).map(drop),
            |c| matches!(c.shape(), Shape::Sphere(sphere) if sphere.radius() == 0.25),
        ),
        (
            "set_local_pose",
            "local_pose",
            |c| c.set_local_pose(Pose::new(TURN, AT)).map(drop),
            |c| c.local_pose() == Pose::new(TURN, AT),
        ),
        (
            "set_material",
            "material",
            |c| c.set_material(material()).map(drop),
            |c| c.material() == material(),
        ),
        (
            "set_part_materials",
            "part_materials",
            |c| c.set_part_materials([PartMaterial::new(material())]).map(drop),
            |c| c.part_materials() == [PartMaterial::new(material())],
        ),
        ("set_filter", "filter", |c| c.set_filter(filter()).map(drop), |c| c.filter() == filter()),
        ("set_sensor", "is_sensor", |c| c.set_sensor(true).map(drop), |c| c.is_sensor()),
        ("set_density", "density", |c| c.set_density(70.0).map(drop), |c| c.density() == 70.0),
        (
            "set_hooks",
            "hooks",
            |c| c.set_hooks(ActiveHooks::COMBINE).map(drop),
            |c| c.hooks() == ActiveHooks::COMBINE,
        ),
        (
            "set_impulse_threshold",
            "impulse_threshold",
            |c| c.set_impulse_threshold(9.0).map(drop),
            |c| c.impulse_threshold() == 9.0,
        ),
        (
            "set_user_data",
            "user_data",
            |c| {
                c.set_user_data(11);
                Ok(())
            },
            |c| c.user_data() == 11,
        ),
    ]
}

/// Returns a world with a body of one collider and a body of two, and a collider of each.
fn two_bodies() -> (World, [(BodyId, ColliderId); 2]) {
    let mut world = World::new();
    let one = BodyDesc::dynamic(cuboid(Vec3::splat(0.5)));
    let ball = ColliderDesc::new(ball(0.5)).with_position(Vec3::X);
    let two = one.clone().with_collider(ball).with_position(Vec3::Y * 9.0);
    let ids = [one, two].map(|desc| world.insert(desc).unwrap());
    let first = ids.map(|id| (id, world.body(id).unwrap().colliders().next().unwrap().id()));
    (world, first)
}

#[test]
fn what_a_setter_sets_a_getter_returns() {
    for number in 0..2 {
        for (name, _, set, is_set) in of_body() {
            let (mut world, ids) = two_bodies();
            let (id, _) = ids[number];
            assert!(!is_set(&world.body(id).unwrap()), "{name}: set before");
            set(&mut world.body_mut(id).unwrap()).unwrap();
            assert!(is_set(&world.body(id).unwrap()), "{name}, body {number}");
            assert_eq!(world.validate(), Ok(()), "{name}");
            let mut other = World::new();
            other.restore(&world.snapshot()).unwrap();
            assert!(is_set(&other.body(id).unwrap()), "{name}, body {number}, from a snapshot");
        }
        for (name, _, set, is_set) in of_collider() {
            let (mut world, ids) = two_bodies();
            let (_, id) = ids[number];
            assert!(!is_set(&world.collider(id).unwrap()), "{name}: set before");
            set(&mut world.collider_mut(id).unwrap()).unwrap();
            assert!(is_set(&world.collider(id).unwrap()), "{name}, body {number}");
            assert_eq!(world.validate(), Ok(()), "{name}");
        }
    }
}

/// Returns the public functions of a source whose names begin so.
fn functions<'a>(source: &'a str, beginning: &str) -> Vec<&'a str> {
    let names = source.split("    pub fn ").skip(1).filter_map(|rest| rest.split(['(', '<']).next());
    names.filter(|name| name.starts_with(beginning)).collect()
}

/// No setter is without a getter. `set_shape` of a body is in the test of colliders.
#[test]
fn each_setter_has_a_getter() {
    let views = concat!(
        include_str!("../../src/queries/body_ref.rs"),
        include_str!("../../src/queries/collider_ref.rs")
    );
    let getters = functions(views, "");
    let bodies =
        concat!(include_str!("../../src/edit/body_mut.rs"), include_str!("../../src/edit/body_settings.rs"));
    let (of_body, of_collider) = (of_body(), of_collider());
    let known: Vec<(&str, &str)> = of_body.iter().map(|case| (case.0, case.1)).collect();
    let known_of_colliders: Vec<(&str, &str)> = of_collider.iter().map(|case| (case.0, case.1)).collect();
    let setters = functions(bodies, "set_");
    let setters_of_colliders = functions(include_str!("../../src/edit/collider_mut.rs"), "set_");
    assert!(30 <= setters.len() && 10 <= setters_of_colliders.len());
    for setter in setters.iter().filter(|name| **name != "set_shape") {
        assert!(known.iter().any(|(name, _)| name == setter), "BodyMut::{setter} has no getter");
    }
    for setter in &setters_of_colliders {
        assert!(
            known_of_colliders.iter().any(|(name, _)| name == setter),
            "ColliderMut::{setter} has no getter"
        );
    }
    for (setter, getter) in known.iter().chain(&known_of_colliders) {
        assert!(getters.contains(getter), "{setter}: there is no getter {getter}");
    }
}
