//! Setters that change all colliders of a body, on a body with one collider and on one with
//! several: the result is as if the body had been inserted with the change.

use crate::of_unit_density;
use crate::scenes::{CheckedStep, DT, ball, cuboid, ground};
use carom_math::{Pose, Quat, Vec3};
use carom_world::{
    ActiveHooks, BodyDesc, BodyId, ColliderDesc, CombineRule, EventKind, Filter, Groups, Hooks, LockedAxes,
    Mobility, PairView, Response, StepOptions, World,
};

/// The ball is in this group and of this family.
const BALLS: Groups = Groups::from_bits_retain(2);
const FAMILY: u32 = 3;

/// A body that slides and tips, of one collider or of two at poses of their own.
fn crate_of(n_colliders: usize) -> BodyDesc {
    let first = ColliderDesc::new(cuboid(Vec3::new(0.4, 0.5, 0.3)));
    let desc = if n_colliders == 1 {
        BodyDesc::dynamic(first)
    } else {
        let turned = Pose::new(Quat::from_rotation_y(0.7), Vec3::new(-0.3, 0.0, 0.0));
        let other = ColliderDesc::new(cuboid(Vec3::new(0.2, 0.4, 0.3)));
        BodyDesc::dynamic(first.with_pose(turned))
            .with_collider(other.with_position(Vec3::new(0.4, 0.1, 0.0)))
    };
    desc.with_density(1.0)
        .with_pose(Pose::new(Quat::from_rotation_z(0.2), Vec3::new(0.0, 0.8, 0.0)))
        .with_linear_velocity(Vec3::new(2.0, 0.0, 0.5))
        .with_angular_velocity(Vec3::new(0.5, 1.0, -0.3))
}

/// A filter that rejects all pairs for which it is called.
struct NoPairs;

impl Hooks for NoPairs {
    fn filter_pair(&self, _: &PairView<'_>) -> bool {
        false
    }
}

/// The results of a run: states after one second and after six, whether the body sleeps then, and
/// the counts of impulse events and of contacts that began, sensors apart.
type Trace = ([u64; 2], bool, [usize; 3]);

fn run(desc: BodyDesc, change: impl Fn(&mut World, BodyId)) -> Trace {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    let body = world.insert(desc).unwrap();
    let hit = of_unit_density(ball(0.3)).with_position(Vec3::new(2.0, 0.5, 0.0));
    let hit = hit.with_groups(BALLS, Groups::all()).with_family(FAMILY);
    world.insert(hit.with_linear_velocity(Vec3::new(-3.0, 0.0, 0.0))).unwrap();
    change(&mut world, body);
    let mut counts = [0; 3];
    let hashes = [60, 300].map(|n| {
        for _ in 0..n {
            world.step_with(DT, StepOptions::new().with_hooks(&NoPairs)).unwrap();
            world.validate().unwrap();
            counts[0] += world.impulse_events().len();
            for event in world.events().iter().filter(|event| event.kind == EventKind::Began) {
                counts[1 + usize::from(event.is_sensor)] += 1;
            }
        }
        world.state_hash()
    });
    (hashes, world.body(body).unwrap().is_sleeping(), counts)
}

/// The belt of a body in the frame of each collider.
fn with_belt(desc: BodyDesc, velocity: Vec3, spin: Vec3) -> BodyDesc {
    let mut desc = desc;
    for collider in &mut desc.colliders {
        let at_collider = velocity + spin.cross(collider.pose.translation);
        let [own, own_spin] = [at_collider, spin].map(|v| collider.pose.inverse_transform_vector(v));
        collider.material = collider.material.with_surface_velocity(own, own_spin);
    }
    desc
}

/// Changes each collider through its own view.
fn each_collider(world: &mut World, body: BodyId, change: impl Fn(&mut carom_world::ColliderMut<'_>)) {
    let colliders: Vec<_> = world.body(body).unwrap().colliders().map(|collider| collider.id()).collect();
    colliders.into_iter().for_each(|id| change(&mut world.collider_mut(id).unwrap()));
}

#[test]
fn a_body_with_changed_colliders_is_as_one_that_was_inserted_so() {
    type Describe = fn(BodyDesc) -> BodyDesc;
    type Change = fn(&mut World, BodyId);
    let cases: Vec<(&str, Describe, Change)> = vec![
        (
            "groups",
            |d| d.with_groups(Groups::DEFAULT, !BALLS),
            |w, b| {
                w.body_mut(b).unwrap().set_groups(Groups::DEFAULT, !BALLS).unwrap();
            },
        ),
        ("family", |d| d.with_family(FAMILY), |w, b| _ = w.body_mut(b).unwrap().set_family(FAMILY).unwrap()),
        (
            "filter",
            |d| d.with_filter(Filter::default().with_family(FAMILY)),
            |w, b| {
                each_collider(w, b, |collider| {
                    collider.set_filter(Filter::default().with_family(FAMILY)).unwrap();
                });
            },
        ),
        (
            "hooks",
            |d| d.with_hooks(ActiveHooks::FILTER),
            |w, b| {
                w.body_mut(b).unwrap().set_hooks(ActiveHooks::FILTER).unwrap();
            },
        ),
        (
            "impulse threshold",
            |d| d.with_impulse_threshold(0.1),
            |w, b| {
                w.body_mut(b).unwrap().set_impulse_threshold(0.1).unwrap();
            },
        ),
        (
            "surface velocity",
            |d| with_belt(d, Vec3::new(1.5, 0.0, 0.5), Vec3::Y * 0.5),
            |w, b| {
                w.body_mut(b).unwrap().set_surface_velocity(Vec3::new(1.5, 0.0, 0.5), Vec3::Y * 0.5).unwrap();
            },
        ),
        (
            "response",
            |d| d.with_response(Response::Pass),
            |w, b| {
                w.body_mut(b).unwrap().set_response(Response::Pass).unwrap();
            },
        ),
        (
            "rolling friction",
            |mut d| {
                d.colliders.iter_mut().for_each(|c| c.material = c.material.with_rolling_friction(0.2));
                d
            },
            |w, b| {
                let material = w.body(b).unwrap().colliders().next().unwrap().material();
                each_collider(w, b, |collider| {
                    collider.set_material(material.with_rolling_friction(0.2)).unwrap();
                });
            },
        ),
        (
            "may not sleep",
            |d| d.with_can_sleep(false),
            |w, b| {
                w.body_mut(b).unwrap().set_can_sleep(false).unwrap();
            },
        ),
        (
            "friction",
            |d| d.with_friction(0.05),
            |w, b| {
                w.body_mut(b).unwrap().set_friction(0.05).unwrap();
            },
        ),
        (
            "restitution",
            |d| d.with_restitution(0.9),
            |w, b| {
                w.body_mut(b).unwrap().set_restitution(0.9).unwrap();
            },
        ),
        (
            "combine rules",
            |d| d.with_friction(2.0).with_combine_rules(CombineRule::Max, CombineRule::Max),
            |w, b| {
                let mut body = w.body_mut(b).unwrap();
                body.set_friction(2.0).unwrap();
                body.set_combine_rules(CombineRule::Max, CombineRule::Max).unwrap();
            },
        ),
        ("sensor", |d| d.with_sensor(true), |w, b| _ = w.body_mut(b).unwrap().set_sensor(true).unwrap()),
        (
            "locked axes",
            |d| d.with_locked_axes(LockedAxes::OUT_OF_XY),
            |w, b| {
                w.body_mut(b).unwrap().set_locked_axes(LockedAxes::OUT_OF_XY).unwrap();
            },
        ),
        (
            "static, with a velocity",
            |mut d| {
                d.mobility = Mobility::Fixed;
                d
            },
            |w, b| {
                let mut body = w.body_mut(b).unwrap();
                body.set_mobility(Mobility::Fixed).unwrap().set_linear_velocity(Vec3::X * 3.0).unwrap();
                body.set_angular_velocity(Vec3::Y).unwrap();
            },
        ),
    ];
    for n_colliders in [1, 2] {
        let plain = run(crate_of(n_colliders), |_, _| ());
        for (name, describe, change) in &cases {
            let expected = run(describe(crate_of(n_colliders)), |_, _| ());
            assert_eq!(run(crate_of(n_colliders), change), expected, "{name}, {n_colliders} colliders");
            assert_ne!(expected, plain, "{name} changes nothing here");
        }
    }
}

/// A constant force acts as the same force that is applied in each step, and through a change of
/// mobility and back.
#[test]
fn a_constant_force_is_a_force_in_each_step() {
    let (force, torque) = (Vec3::new(0.3, 0.1, -0.2), Vec3::new(0.01, 0.02, 0.0));
    for n_colliders in [1, 2] {
        let run = |is_constant: bool, changes_mobility: bool| {
            let mut world = World::new();
            world.insert(ground()).unwrap();
            let body = world.insert(crate_of(n_colliders).with_can_sleep(false)).unwrap();
            let mut view = world.body_mut(body).unwrap();
            if is_constant {
                view.set_constant_force(force, torque).unwrap();
            }
            if changes_mobility {
                let motion = *world.body(body).unwrap().motion();
                let mut view = world.body_mut(body).unwrap();
                view.set_mobility(Mobility::Fixed).unwrap().set_mobility(Mobility::Dynamic).unwrap();
                view.set_linear_velocity(motion.linear_velocity).unwrap();
                view.set_angular_velocity(motion.angular_velocity).unwrap();
            }
            for _ in 0..120 {
                if !is_constant {
                    let mut view = world.body_mut(body).unwrap();
                    view.apply_force(force).unwrap().apply_torque(torque).unwrap();
                }
                world.checked_step(DT).unwrap();
            }
            let motion = world.body(body).unwrap().motion();
            (motion.pose, motion.linear_velocity, motion.angular_velocity)
        };
        assert_eq!(run(true, false), run(false, false), "{n_colliders}");
        assert_eq!(run(true, true), run(true, false), "{n_colliders}");
    }
}
