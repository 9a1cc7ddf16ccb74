//! Queries of bodies with several colliders, against a walk over their single colliders.

use crate::scenes::{ball, cuboid, world_on};
use carom_broad::{BroadPhase, BruteForce, SpatialIndex};
use carom_broad_tree::DynamicBvh;
use carom_math::{Interval, Pose, Quat, Ray, Vec3};
use carom_query::{
    Compound, CompoundPart, ImpactSettings, Motion, Shape, cast_ray, cast_ray_all, intersects, motion_of,
    project_point,
};
use carom_testkit::conform::dice::Dice;
use carom_world::{BodyDesc, BodyId, ColliderDesc, ColliderId, Filter, Groups, Mobility, QueryFilter, World};
use std::sync::Arc;

fn at(shape: Shape, position: Vec3) -> ColliderDesc {
    ColliderDesc::new(shape).with_pose(Pose::from_translation(position))
}

const GROUPS: [Groups; 3] =
    [Groups::from_bits_retain(1), Groups::from_bits_retain(2), Groups::from_bits_retain(4)];

/// Bodies of one to six colliders of all kinds of shapes, groups and families, some of them
/// sensors.
fn crowd<B: BroadPhase + Default>(dice: &mut Dice) -> World<B> {
    let mut world = world_on::<B>();
    for number in 0..40 {
        let mobility = [Mobility::Fixed, Mobility::Kinematic, Mobility::Dynamic][number % 3];
        let pose = Pose::new(Quat::from_scaled_axis(dice.point(2.0)), dice.point(6.0));
        let mut desc = BodyDesc::empty(mobility).with_pose(pose);
        for _ in 0..1 + number % 6 {
            let part = |shape, position| CompoundPart { shape, pose: Pose::from_translation(position) };
            let shape = match dice.range(0.0, 3.0) as u32 {
                0 => ball(dice.range(0.1, 0.6)),
                1 => cuboid(Vec3::new(0.2, 0.3, 0.5)),
                _ => {
                    let parts = vec![part(ball(0.3), Vec3::X), part(cuboid(Vec3::splat(0.2)), Vec3::NEG_X)];
                    Shape::Compound(Arc::new(Compound::new(parts).unwrap()))
                }
            };
            let group = GROUPS[dice.range(0.0, 3.0) as usize % 3];
            let mask = if dice.range(0.0, 1.0) < 0.2 { GROUPS[0] } else { Groups::all() };
            let filter = Filter::new(group, mask).with_family(dice.range(0.0, 3.0) as u32);
            // Every fourth body has one collider at its frame.
            let position = if number % 6 == 0 && number % 4 == 0 { Vec3::ZERO } else { dice.point(1.0) };
            let collider = at(shape, position).with_filter(filter).with_sensor(dice.range(0.0, 1.0) < 0.25);
            desc = desc.with_collider(collider);
        }
        world.insert(desc).unwrap();
    }
    world
}

/// The colliders that pass, as a walk over all says.
fn passing<'a, B: BroadPhase>(
    world: &'a World<B>,
    filter: &'a QueryFilter<'a>,
) -> impl Iterator<Item = (ColliderId, &'a Shape, Pose)> + 'a {
    let all = world.bodies().flat_map(|body| body.colliders());
    let wanted = |collider: &carom_world::ColliderRef<'a, B>| {
        let (own, body) = (collider.filter(), collider.body());
        let is_kin = own.family != 0 && own.family == filter.filter.family;
        filter.mobilities.contains(&body.mobility())
            && own.groups.intersects(filter.filter.mask)
            && filter.filter.groups.intersects(own.mask)
            && !is_kin
            && (if collider.is_sensor() { filter.sensors } else { filter.solids })
            && !filter.excluded_bodies.contains(&body.id())
            && !filter.excluded_colliders.contains(&collider.id())
            && filter.predicate.is_none_or(|predicate| predicate(collider.id()))
    };
    all.filter(wanted).map(|collider| (collider.id(), collider.shape_in_body(), collider.body().pose()))
}

/// Compares all queries with a walk over single colliders. Returns how many found something.
fn compare<B: BroadPhase + SpatialIndex>(
    world: &World<B>,
    filter: &QueryFilter<'_>,
    dice: &mut Dice,
) -> [usize; 4] {
    let mut n_found = [0; 4];
    let mut query = world.query(filter);
    for _ in 0..20 {
        let origin = dice.point(8.0);
        let ray = Ray::new(origin, dice.point(4.0) - origin);
        let hits = passing(world, filter).filter_map(|(id, shape, pose)| {
            cast_ray(shape, &pose, &ray, Interval::FORWARD).map(|hit| (hit.t, id))
        });
        let first = hits.min_by(|a, b| a.partial_cmp(b).unwrap());
        let found = query.cast_ray(&ray, Interval::FORWARD);
        assert_eq!(found.is_some(), first.is_some());
        if let (Some(found), Some((t, id))) = (found, first) {
            assert_eq!((found.collider, found.body), (id, id.body()));
            assert!((found.hit.t - t).abs() < 1e-4 * (1.0 + t), "{found:?} {t}");
            let own = world.collider(id).unwrap();
            let own = cast_ray(&own.shape(), &own.pose(), &ray, Interval::FORWARD).unwrap();
            assert_eq!(found.hit.part, own.part);
            n_found[0] += 1;
        }
        let (mut all, mut one) = (Vec::new(), Vec::new());
        for (id, shape, pose) in passing(world, filter) {
            one.clear();
            cast_ray_all(shape, &pose, &ray, Interval::FORWARD, &mut one);
            all.extend(one.iter().map(|_| id));
        }
        let mut names: Vec<ColliderId> =
            query.cast_ray_all(&ray, Interval::FORWARD).iter().map(|hit| hit.collider).collect();
        all.sort_unstable();
        names.sort_unstable();
        assert_eq!(names, all);

        let point = dice.point(5.0);
        let near = passing(world, filter)
            .filter_map(|(id, shape, pose)| Some((project_point(shape, &pose, point)?.distance, id)));
        let first = near.min_by(|a, b| a.partial_cmp(b).unwrap()).filter(|near| near.0 <= 2.0);
        let found = query.nearest(point, 2.0).map(|near| (near.projection.distance, near.collider));
        assert_eq!(found.map(|found| found.1), first.map(|near| near.1), "{found:?} {first:?}");
        n_found[1] += usize::from(first.is_some());

        let (shape, pose) = (cuboid(Vec3::new(0.3, 0.5, 0.9)), Pose::from_translation(point));
        let mut all: Vec<ColliderId> = passing(world, filter)
            .filter(|(_, other, at)| intersects(&shape, &pose, other, at))
            .map(|(id, ..)| id)
            .collect();
        all.sort_unstable();
        assert_eq!(query.overlap_shape(&shape, &pose), all);
        n_found[2] += usize::from(!all.is_empty());

        let path = motion_of(&pose, Vec3::ZERO, dice.point(6.0), dice.point(1.0)).unwrap();
        let settings = ImpactSettings::default().with_target_distance(1e-3);
        let times = passing(world, filter).map(|(id, other, at)| {
            let still = Motion::fixed(at.rotation.as_dquat(), at.translation.as_dvec3()).unwrap();
            let time = carom_query::cast(&shape, &path, other, &still, &settings);
            (time.safe_until(f64::INFINITY), id)
        });
        let first = times.min_by(|a, b| a.partial_cmp(b).unwrap()).filter(|(t, _)| *t < f64::INFINITY);
        let found = query.cast_motion(&shape, &path, &settings).map(|met| (met.safe_until(), met.collider));
        assert_eq!(found, first);
        n_found[3] += usize::from(first.is_some());
    }
    n_found
}

/// Each filter finds what a walk over the single colliders finds.
fn check<B: BroadPhase + SpatialIndex + Default>() {
    let mut dice = Dice::new(7);
    let world = crowd::<B>(&mut dice);
    let (bodies, odd): (Vec<BodyId>, fn(ColliderId) -> bool) =
        (world.body_ids().step_by(3).collect(), |id| id.index() % 2 == 1);
    let colliders: Vec<ColliderId> =
        world.bodies().flat_map(|body| body.colliders().take(2)).map(|collider| collider.id()).collect();
    let family = Filter::new(Groups::all(), Groups::all()).with_family(1);
    let filters = [
        QueryFilter::ALL,
        QueryFilter::SOLID,
        QueryFilter::FIXED,
        QueryFilter::DYNAMIC,
        QueryFilter::SENSORS,
        QueryFilter::ALL.with_mask(GROUPS[1]),
        QueryFilter::SOLID.with_mask(GROUPS[0] | GROUPS[2]),
        QueryFilter::SOLID.with_filter(Filter::new(GROUPS[1], Groups::all())),
        QueryFilter::ALL.with_filter(family),
        QueryFilter::ALL.without(&bodies),
        QueryFilter::SOLID.without_colliders(&colliders),
        QueryFilter::ALL.with_predicate(&odd),
    ];
    let mut n_found = [0; 4];
    for filter in &filters {
        let found = compare(&world, filter, &mut dice);
        n_found.iter_mut().zip(found).for_each(|(sum, n)| *sum += n);
    }
    println!("{n_found:?} of 240 rays, points, places and paths found something");
    assert!(n_found.iter().all(|&n| 30 < n && n < 238), "{n_found:?}");
}

#[test]
fn each_collider_by_itself() {
    check::<DynamicBvh>();
    check::<BruteForce>();
}

/// A body whose first collider is masked out is found by its second.
#[test]
fn the_second_collider_is_found() {
    let mut world = World::new();
    let first = ColliderDesc::new(ball(1.0)).with_filter(Filter::new(GROUPS[1], Groups::all()));
    let second = at(ball(0.5), Vec3::X * 0.7).with_filter(Filter::new(GROUPS[0], Groups::all()));
    let sensor = at(ball(2.0), Vec3::ZERO).with_sensor(true);
    let desc = BodyDesc::fixed(first).with_collider(second).with_collider(sensor);
    let body = world.insert(desc).unwrap();
    let ids: Vec<ColliderId> = world.body(body).unwrap().colliders().map(|collider| collider.id()).collect();
    let ray = Ray::new(Vec3::X * -5.0, Vec3::X);
    let hit = |filter: QueryFilter<'_>| {
        world.query(&filter).cast_ray(&ray, 100.0).map(|hit| (hit.hit.t, hit.collider))
    };
    assert_eq!(hit(QueryFilter::ALL), Some((3.0, ids[2])));
    assert_eq!(hit(QueryFilter::SOLID), Some((4.0, ids[0])));
    let masked = hit(QueryFilter::SOLID.with_mask(GROUPS[0])).unwrap();
    assert!((masked.0 - 5.2).abs() < 1e-5 && masked.1 == ids[1], "{masked:?}");
    assert_eq!(hit(QueryFilter::SENSORS), Some((3.0, ids[2])));
    assert_eq!(hit(QueryFilter::SOLID.without_colliders(&ids)), None);
    assert_eq!(hit(QueryFilter::SOLID.without(&[body])), None);
    assert_eq!(hit(QueryFilter::DYNAMIC), None);
    // A collider without a group is not found.
    world.collider_mut(ids[1]).unwrap().set_filter(Filter::new(Groups::empty(), Groups::all())).unwrap();
    assert!(world.query(&QueryFilter::SOLID.with_mask(GROUPS[0])).cast_ray(&ray, 100.0).is_none());
}
