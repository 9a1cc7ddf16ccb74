//! Random scripts of everything that can be done to a world: nothing panics, and the broad phase
//! cannot be seen.

use crate::of_unit_density;
use crate::scenes::{CheckedStep, ball, cuboid, ground, world_on};
use carom_broad::{BroadPhase, BruteForce, Mobility, SpatialIndex};
use carom_broad_tree::DynamicBvh;
use carom_geom::{Capsule, Cone, ConvexHull, Cylinder, SupportMap, SupportPoint, TriMesh};
use carom_math::{Interval, Pose, Quat, Ray, Vec3};
use carom_query::{Compound, CompoundPart, MeshShape, Shape};
use carom_testkit::conform::dice::Dice;
use carom_world::{BodyDesc, BodyId, Groups, JointDesc, JointId, JointKind, QueryFilter, World};
use std::sync::Arc;

/// A support map that contradicts itself.
struct Nonsense(f64);

impl SupportMap for Nonsense {
    fn support(&self, direction: carom_math::glam::DVec3) -> SupportPoint {
        SupportPoint { point: -direction * self.0, vertex: carom_geom::NO_VERTEX }
    }
    fn center(&self) -> carom_math::glam::DVec3 {
        carom_math::glam::DVec3::ZERO
    }
    fn radius(&self) -> f64 {
        self.0.abs()
    }
}

fn shape(dice: &mut Dice) -> Shape {
    let r = dice.range(0.2, 0.8);
    match dice.below(10) {
        0 => ball(r),
        1 => Shape::Capsule(Capsule::new(r, 0.3).unwrap()),
        2 => Shape::Cylinder(Cylinder::new(r, 0.4).unwrap()),
        3 => Shape::Cone(Cone::new(r, 0.5).unwrap()),
        4 => {
            let points: Vec<Vec3> = (0..12).map(|_| dice.point(0.6)).collect();
            Shape::Hull(Arc::new(ConvexHull::from_points(&points).unwrap()))
        }
        5 => {
            let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|p| p - Vec3::splat(0.25));
            let faces = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
            let mesh = TriMesh::new(corners.to_vec(), faces).unwrap();
            Shape::Mesh(Arc::new(MeshShape::new(mesh).unwrap()))
        }
        6 => {
            let part = |x: f32| CompoundPart { shape: ball(0.3), pose: Pose::from_translation(Vec3::X * x) };
            Shape::Compound(Arc::new(Compound::new(vec![part(-0.4), part(0.4)]).unwrap()))
        }
        _ => cuboid(Vec3::new(r, dice.range(0.2, 0.8), 0.5)),
    }
}

fn pose(dice: &mut Dice) -> Pose {
    let at = dice.point(4.0) + Vec3::Y * 4.0;
    let scale = if dice.one_in(60) { 1e12 } else { 1.0 };
    Pose::new(Quat::from_scaled_axis(dice.point(2.0)), at * scale)
}

/// The same script for any broad phase; the hashes tell.
fn run<B: BroadPhase + SpatialIndex + Default>(seed: u64) -> Vec<u64> {
    let mut dice = Dice::new(seed);
    let mut world = world_on::<B>();
    world.insert(ground()).unwrap();
    let mut bodies: Vec<BodyId> = Vec::new();
    let mut joints: Vec<JointId> = Vec::new();
    let mut trace = Vec::new();
    for _ in 0..60 {
        for _ in 0..dice.below(4) {
            let desc = match dice.below(8) {
                0 => BodyDesc::fixed(shape(&mut dice)),
                1 => BodyDesc::kinematic(shape(&mut dice))
                    .with_linear_velocity(dice.point(1.0))
                    .with_angular_velocity(dice.point(1.0)),
                2 => BodyDesc::fixed(shape(&mut dice)).with_sensor(true),
                3 => of_unit_density(shape(&mut dice))
                    .with_ccd(true)
                    .with_linear_velocity(dice.point(50.0))
                    .with_angular_velocity(Vec3::X),
                _ => of_unit_density(shape(&mut dice))
                    .with_linear_velocity(dice.point(3.0))
                    .with_angular_velocity(dice.point(3.0)),
            };
            let desc = desc.with_pose(pose(&mut dice)).with_restitution(dice.range(0.0, 0.5));
            bodies.push(world.insert(desc.with_family(dice.below(3) as u32)).unwrap());
        }
        // Handles may be stale: then it is an error, and nothing else.
        let pick = |dice: &mut Dice| bodies.get(dice.below(bodies.len())).copied();
        let mut changed = Vec::new();
        if let (Some(a), Some(b)) = (pick(&mut dice), pick(&mut dice)) {
            let (v, p) = (dice.point(5.0), pose(&mut dice));
            let bad = Vec3::new(f32::NAN, 1.0, f32::INFINITY);
            let kind = [
                JointKind::Weld,
                JointKind::Spherical { cone: 1.0, twist: None },
                JointKind::Revolute { limits: Some([-1.0, 1.0]), motor: None },
                JointKind::Distance { min: 0.5, max: 2.0 },
            ][dice.below(4)];
            match dice.below(28) {
                0 => changed.push(world.remove(a).is_ok()),
                1 => changed.push(world.body_mut(a).is_ok_and(|mut body| body.set_pose(p).is_ok())),
                2 => changed.push(world.body_mut(a).is_ok_and(|mut body| {
                    body.set_linear_velocity(v).and_then(|body| body.set_angular_velocity(v)).is_ok()
                })),
                3 => {
                    changed.push(world.body_mut(a).is_ok_and(|mut body| body.apply_impulse_at(v, v).is_ok()))
                }
                4 => changed
                    .push(world.body_mut(a).is_ok_and(|mut body| body.set_shape(shape(&mut dice)).is_ok())),
                5 => changed.push(world.body_mut(a).is_ok_and(|mut body| {
                    body.set_groups(Groups::from_bits_retain(3), Groups::all()).is_ok()
                })),
                6 => changed.push(
                    world
                        .body_mut(a)
                        .map(|mut body| {
                            body.wake();
                        })
                        .is_ok(),
                ),
                7 => changed.push(
                    world.body_mut(a).is_ok_and(|mut body| body.set_constant_force(v, Vec3::ZERO).is_ok()),
                ),
                8..11 => {
                    if let Ok(joint) =
                        world.insert_joint(JointDesc::new(a, b, kind).with_anchor(Vec3::Y).with_axis(Vec3::X))
                    {
                        joints.push(joint);
                    }
                }
                11 => {
                    if let Some(&joint) = joints.get(dice.below(joints.len())) {
                        changed.push(world.remove_joint(joint).is_ok());
                    }
                }
                12 => assert!(
                    !world.body_mut(a).is_ok_and(|mut body| body
                        .set_linear_velocity(bad)
                        .and_then(|body| body.set_angular_velocity(v))
                        .is_ok())
                        && !world.body_mut(a).is_ok_and(|mut body| body.set_constant_force(bad, v).is_ok())
                ),
                13 => {
                    if let Some(&joint) = joints.get(dice.below(joints.len())) {
                        changed.push(change_joint(&mut world, joint, kind));
                    }
                }
                14 => {
                    world.detect();
                }
                16 | 17 => {
                    let to = [Mobility::Fixed, Mobility::Kinematic, Mobility::Dynamic][dice.below(3)];
                    changed.push(world.body_mut(a).is_ok_and(|mut body| body.set_mobility(to).is_ok()));
                }
                18 => changed
                    .push(world.body_mut(a).is_ok_and(|mut body| body.set_mass(0.1 + v.x.abs()).is_ok())),
                19 => changed
                    .push(world.body_mut(a).is_ok_and(|mut body| body.set_sensor(dice.one_in(2)).is_ok())),
                20 => {
                    changed.push(world.body_mut(a).is_ok_and(|mut body| body.set_ccd(dice.one_in(2)).is_ok()))
                }
                21 => changed.push(
                    world.body_mut(a).is_ok_and(|mut body| body.set_family(dice.below(3) as u32).is_ok()),
                ),
                22 => changed.push(
                    world.body_mut(a).is_ok_and(|mut body| body.move_to(p).is_ok())
                        && world.body_mut(b).is_ok_and(|mut body| body.move_to(p).is_ok()),
                ),
                23 => changed.push(
                    world.body_mut(a).is_ok_and(|mut body| body.apply_force_at(v, p.translation).is_ok()),
                ),
                24..27 => {
                    let c = pick(&mut dice).unwrap_or(a);
                    let gear = insert_gear(&mut world, b, [a, c], &mut dice);
                    changed.push(gear.is_some());
                    joints.extend(gear.into_iter().flatten());
                }
                _ => {
                    world = crate::scenes::restored(&world.snapshot(), &world).unwrap();
                }
            }
        }
        world.checked_step(1.0 / [30.0, 60.0, 1e6][dice.below(3)]).unwrap();
        world.broad_phase().validate().unwrap();
        let ray = Ray::new(dice.point(6.0), dice.point(1.0));
        let hit = world.query(&QueryFilter::SOLID).cast_ray(&ray, Interval::FORWARD);
        trace.extend([world.state_hash(), world.events().len() as u64, world.contacts().count() as u64]);
        trace.extend(hit.map(|hit| u64::from(hit.hit.t.to_bits()) << 32 | u64::from(hit.body.index())));
        trace.extend(changed.into_iter().map(u64::from));
        let poses = world.body_ids().map(|id| world.body(id).unwrap().pose());
        assert!(poses.into_iter().all(|pose| pose.is_finite()));
    }
    trace
}

#[test]
fn nothing_panics_and_the_broad_phase_changes_nothing() {
    let n = if std::env::var_os("CAROM_SLOW").is_some() { 400 } else { 12 };
    for seed in 0..n {
        assert_eq!(run::<DynamicBvh>(seed), run::<BruteForce>(seed), "seed {seed}");
    }
}

#[test]
fn shapes_that_contradict_themselves_do_no_harm() {
    for size in [0.5, -0.5, 0.0, f64::NAN, f64::INFINITY, 1e300] {
        let mut world: World = World::new();
        world.insert(ground()).unwrap();
        world.insert(of_unit_density(ball(0.5)).with_position(Vec3::Y)).unwrap();
        let shape = Shape::User(Arc::new(Nonsense(size)));
        let mass = carom_geom::MassProperties::new(1.0, Vec3::ZERO, carom_math::Mat3::IDENTITY);
        let desc = of_unit_density(shape).with_mass_properties(mass).with_position(Vec3::Y * 1.5);
        if world.insert(desc.with_angular_velocity(Vec3::ONE)).is_err() {
            continue;
        }
        for _ in 0..20 {
            // A contact of such a shape may be refused by the solver.
            let _ = world.checked_step(1.0 / 60.0);
        }
    }
}

/// Calls the setter that belongs to a kind, whatever the kind of the joint is. Returns whether it
/// was accepted.
fn change_joint<B: BroadPhase>(world: &mut World<B>, joint: JointId, kind: JointKind) -> bool {
    let Ok(mut joint) = world.joint_mut(joint) else { return false };
    match kind {
        JointKind::Spherical { cone, .. } => joint.set_cone(cone).is_ok(),
        JointKind::Revolute { limits, .. } => joint.set_limits(limits).is_ok(),
        JointKind::Distance { min, max } => joint.set_distance(min, max).is_ok(),
        _ => joint.set_break_force(1000.0).is_ok(),
    }
}

/// Joins two bodies to a mount, and couples the two joints by a gear or a rack. Returns all three;
/// `None` if one of them was refused.
fn insert_gear<B: BroadPhase>(
    world: &mut World<B>,
    mount: BodyId,
    bodies: [BodyId; 2],
    dice: &mut Dice,
) -> Option<[JointId; 3]> {
    let (is_rack, ratio) = (dice.one_in(3), dice.range(0.5, 2.0));
    let first = if is_rack { JointDesc::prismatic } else { JointDesc::revolute };
    let [one, other] = [first(mount, bodies[0]), JointDesc::revolute(mount, bodies[1])]
        .map(|desc| desc.with_anchor(Vec3::Y));
    let (one, other) = (world.insert_joint(one).ok()?, world.insert_joint(other).ok()?);
    let gear = if is_rack { JointDesc::rack_and_pinion } else { JointDesc::gear };
    let gear = world.insert_joint(gear(one, other, ratio).with_break_torque(dice.range(1.0, 100.0))).ok()?;
    Some([one, other, gear])
}
