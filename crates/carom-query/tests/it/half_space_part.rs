//! A half-space as a part of a compound: every question is answered as by the parts alone.

use crate::zoo::shapes;
use carom_geom::Manifold;
use carom_math::{Interval, Pose, Quat, Ray, Vec3};
use carom_query::{
    Compound, CompoundPart, ImpactSettings, ManifoldCache, Neighbour, Shape, TimeOfImpact, cast, cast_ray,
    cast_ray_all, contact, distance, intersects, manifolds, motion_of, project_point, separating_plane,
    smooth_internal_edges,
};
use carom_testkit::random::Random;
use std::sync::Arc;

fn pose(random: &mut Random, reach: f32) -> Pose {
    let mut unit = || random.range(-1.0, 1.0) as f32;
    let turn = Quat::from_scaled_axis(Vec3::new(unit(), unit(), unit()) * 3.0);
    Pose::new(turn, Vec3::new(unit(), unit(), unit()) * reach)
}

fn compound(parts: &[CompoundPart]) -> Shape {
    Shape::Compound(Arc::new(Compound::new(parts.to_vec()).unwrap()))
}

/// A box, a tilted plane below, and a ball; or only the plane; or more boxes than are searched
/// without a tree.
fn grounds() -> Vec<Vec<CompoundPart>> {
    let part = |shape: Shape, pose: Pose| CompoundPart { shape, pose };
    let at = |x: f32, y: f32| Pose::from_translation(Vec3::new(x, y, 0.1));
    let plane = part(
        Shape::half_space(Vec3::new(0.1, 1.0, 0.0)).unwrap(),
        Pose::new(Quat::from_rotation_z(0.2), Vec3::new(0.0, -1.0, 0.0)),
    );
    let block = part(Shape::cuboid(Vec3::new(0.4, 0.2, 0.3)).unwrap(), at(-0.5, 0.0));
    let ball = part(Shape::sphere(0.3).unwrap(), at(0.6, 0.1));
    let mut row: Vec<_> = (0..20).map(|i| part(block.shape.clone(), at(i as f32 - 10.0, 0.0))).collect();
    row.push(plane.clone());
    vec![vec![block, plane.clone(), ball], vec![plane], row]
}

/// The placed parts of a ground, each as it is alone.
fn alone(parts: &[CompoundPart], pose: &Pose) -> Vec<(Shape, Pose)> {
    parts.iter().map(|part| (part.shape.clone(), *pose * part.pose)).collect()
}

#[test]
fn answers_are_those_of_the_parts() {
    let mut random = Random::new(21);
    let (mut n_apart, mut n_together) = (0, 0);
    for parts in grounds() {
        let ground = compound(&parts);
        for (name, shape) in shapes() {
            for round in 0..40 {
                let pose_a = pose(&mut random, 1.0);
                let mut pose_b = pose(&mut random, 1.0 + 0.05 * round as f32);
                pose_b.translation += pose_a.translation;
                let what = format!("{name}, {} parts, {pose_a:?}, {pose_b:?}", parts.len());
                let alone = alone(&parts, &pose_a);
                let touches = alone.iter().any(|(part, at)| intersects(part, at, &shape, &pose_b));
                let apart = (alone.iter())
                    .map(|(part, at)| distance(part, at, &shape, &pose_b).distance)
                    .fold(f32::INFINITY, f32::min);
                // A search in a field ends within a tolerance, which depends on where it begins.
                let slack = if matches!(shape, Shape::Field(_)) { 2e-3 } else { 1e-5 };
                for (a, at, b, bt) in
                    [(&ground, &pose_a, &shape, &pose_b), (&shape, &pose_b, &ground, &pose_a)]
                {
                    if slack < apart || apart == 0.0 {
                        assert_eq!(intersects(a, at, b, bt), touches, "{what}");
                    }
                    let found = distance(a, at, b, bt);
                    assert!((found.distance - apart).abs() <= slack, "{what}: {found:?}, {apart}");
                }
                if touches {
                    n_together += 1
                } else {
                    n_apart += 1
                }
                let deepest = (alone.iter())
                    .filter_map(|(part, at)| contact(part, at, &shape, &pose_b, 0.05))
                    .map(|near| near.contact.distance)
                    .reduce(f32::min);
                let near = contact(&ground, &pose_a, &shape, &pose_b, 0.05).map(|near| near.contact.distance);
                let is_same = |(a, b): (f32, f32)| a == b || (a - b).abs() <= slack * (1.0 + a.abs());
                match deepest.zip(near) {
                    Some(both) => assert!(is_same(both), "{what}: {both:?}"),
                    None => {
                        let at_limit = |x: Option<f32>| x.is_none_or(|x| (x - 0.05).abs() <= slack);
                        assert!(at_limit(deepest) && at_limit(near), "{what}: {deepest:?} {near:?}");
                    }
                }
            }
        }
    }
    assert!(500 < n_apart && 500 < n_together, "{n_apart} apart, {n_together} together");
}

#[test]
fn manifolds_name_the_part() {
    let mut random = Random::new(22);
    let mut n_planes = 0;
    for parts in grounds() {
        let ground = compound(&parts);
        for (name, shape) in shapes().iter().filter(|(_, shape)| shape.is_convex()) {
            for _ in 0..30 {
                let (pose_a, pose_b) = (pose(&mut random, 0.5), pose(&mut random, 1.5));
                let mut found = Vec::new();
                manifolds(&ground, &pose_a, shape, &pose_b, 0.05, &mut ManifoldCache::new(), &mut found);
                let mut expected = Vec::new();
                for (number, (part, at)) in (0..).zip(alone(&parts, &pose_a)) {
                    let mut own = Vec::new();
                    manifolds(&part, &at, shape, &pose_b, 0.05, &mut ManifoldCache::new(), &mut own);
                    n_planes += usize::from(matches!(part, Shape::HalfSpace(_)) && !own.is_empty());
                    expected.extend(own.into_iter().map(|manifold| (number, manifold)));
                }
                assert_eq!(found.len(), expected.len(), "{name}");
                for (found, (number, expected)) in found.iter().zip(&expected) {
                    assert!((found.normal() - expected.normal()).length() < 1e-4, "{name}");
                    assert_eq!(found.contacts().len(), expected.contacts().len(), "{name}");
                    assert!(found.contacts().iter().all(|contact| contact.part_a == *number), "{name}");
                }
            }
        }
    }
    assert!(200 < n_planes, "{n_planes}");
}

#[test]
fn rays_and_points_meet_the_nearest_part() {
    let mut random = Random::new(23);
    let mut n_hits = 0;
    for parts in grounds() {
        let ground = compound(&parts);
        for _ in 0..300 {
            let whole_pose = pose(&mut random, 1.0);
            let from = pose(&mut random, 3.0);
            let ray = Ray::new(from.translation, from.rotation * Vec3::X);
            let alone = alone(&parts, &whole_pose);
            let first = (alone.iter())
                .filter_map(|(part, at)| cast_ray(part, at, &ray, Interval::FORWARD))
                .map(|hit| hit.t)
                .reduce(f32::min);
            let hit = cast_ray(&ground, &whole_pose, &ray, Interval::FORWARD);
            assert_eq!(hit.is_some(), first.is_some());
            if let (Some(hit), Some(first)) = (hit, first) {
                n_hits += 1;
                assert!((hit.t - first).abs() <= 1e-4 * (1.0 + first), "{hit:?} {first}");
                assert!((hit.part as usize) < parts.len());
            }
            let (mut all, mut n_alone) = (Vec::new(), 0);
            cast_ray_all(&ground, &whole_pose, &ray, Interval::BOTH, &mut all);
            for (part, at) in &alone {
                let mut own = Vec::new();
                cast_ray_all(part, at, &ray, Interval::BOTH, &mut own);
                n_alone += own.len();
            }
            assert_eq!(all.len(), n_alone);
            let point = from.translation;
            let nearest = (alone.iter())
                .filter_map(|(part, at)| project_point(part, at, point))
                .map(|found| found.distance)
                .fold(f32::INFINITY, f32::min);
            let found = project_point(&ground, &whole_pose, point).unwrap();
            assert!((found.distance - nearest).abs() <= 1e-5 * (1.0 + nearest.abs()));
        }
    }
    assert!(300 < n_hits, "{n_hits}");
}

#[test]
fn casts_find_the_first_part() {
    let mut random = Random::new(24);
    let settings = ImpactSettings::default();
    let (mut n_hits, mut n_clear) = (0, 0);
    for parts in grounds() {
        let ground = compound(&parts);
        for (name, shape) in shapes().iter().filter(|(_, shape)| shape.is_convex()) {
            for round in 0..12 {
                let whole_pose = pose(&mut random, 0.5);
                let from = pose(&mut random, 3.0);
                let displacement = pose(&mut random, 4.0).translation;
                let turn = if round % 2 == 0 { Vec3::ZERO } else { displacement };
                let still = |pose: &Pose| motion_of(pose, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO).unwrap();
                let moving = motion_of(&from, Vec3::ZERO, displacement, turn).unwrap();
                let time = |answer: TimeOfImpact| match answer {
                    TimeOfImpact::Hit(hit) => Some(hit.t_hi),
                    TimeOfImpact::Clear(_) => None,
                    TimeOfImpact::Undecided(undecided) => panic!("{name}: {undecided:?}"),
                };
                let first = (alone(&parts, &whole_pose).iter())
                    .filter_map(|(part, at)| time(cast(part, &still(at), shape, &moving, &settings)))
                    .reduce(f64::min);
                for found in [
                    time(cast(&ground, &still(&whole_pose), shape, &moving, &settings)),
                    time(cast(shape, &moving, &ground, &still(&whole_pose), &settings)),
                ] {
                    assert_eq!(found.is_some(), first.is_some(), "{name}: {found:?} {first:?}");
                    assert!(
                        found.zip(first).is_none_or(|(a, b)| (a - b).abs() < 1e-3),
                        "{name}: {found:?} {first:?}"
                    );
                }
                if first.is_some() { n_hits += 1 } else { n_clear += 1 }
            }
        }
    }
    assert!(50 < n_hits && 50 < n_clear, "{n_hits} hits, {n_clear} clear");
}

#[test]
fn a_plane_separates_where_the_ground_is_flat() {
    let plane = CompoundPart { shape: Shape::half_space(Vec3::Y).unwrap(), pose: Pose::IDENTITY };
    let block = CompoundPart {
        shape: Shape::cuboid(Vec3::splat(0.5)).unwrap(),
        pose: Pose::from_translation(Vec3::X),
    };
    let ground = compound(&[block, plane]);
    let ball = Shape::sphere(0.25).unwrap();
    let over = Pose::from_translation(Vec3::Y);
    let found = separating_plane(&ground, &Pose::IDENTITY, &ball, &over).unwrap();
    assert!((found.normal - Vec3::Y.as_dvec3()).length() < 1e-12, "{found:?}");
    assert!((found.end_of_a - 0.5).abs() < 1e-9 && (found.start_of_b - 0.75).abs() < 1e-9, "{found:?}");
    let low = Pose::from_translation(Vec3::Y * 0.6);
    assert!(separating_plane(&ground, &Pose::IDENTITY, &ball, &low).is_none());
    assert_eq!(ground.mass_properties(1.0).mass, 0.0);
    assert!(!ground.aabb(&Pose::IDENTITY).max.is_finite());
}

/// A box slides over the seam between a plane and a block that is let into it: the block's side
/// does not stop the box.
#[test]
fn a_seam_with_the_plane_is_smooth() {
    let plane = CompoundPart { shape: Shape::half_space(Vec3::Y).unwrap(), pose: Pose::IDENTITY };
    let block = CompoundPart {
        shape: Shape::cuboid(Vec3::new(0.5, 0.5, 5.0)).unwrap(),
        pose: Pose::from_translation(Vec3::new(0.5, -0.5, 0.0)),
    };
    let ground = compound(&[plane, block]);
    let slider = Shape::cuboid(Vec3::splat(0.5)).unwrap();
    // Sunk deeper than it protrudes over the seam: the least way out of the block is sideways.
    let at = Pose::from_translation(Vec3::new(-0.495, 0.49, 0.0));
    let mut found: Vec<Manifold> = Vec::new();
    manifolds(&ground, &Pose::IDENTITY, &slider, &at, 0.01, &mut ManifoldCache::new(), &mut found);
    assert!(found.iter().any(|manifold| manifold.normal().y < 0.5), "{found:?}");
    let neighbours = [Neighbour::new(&ground, &Pose::IDENTITY, true, 0..found.len())];
    smooth_internal_edges(&slider, &at, &neighbours, &mut found, 0.01, 1e-3);
    for manifold in found.iter().filter(|manifold| !manifold.contacts().is_empty()) {
        assert!((manifold.normal() - Vec3::Y).length() < 1e-6, "{manifold:?}");
    }
    assert!(found.iter().any(|manifold| manifold.contacts().iter().any(|contact| contact.part_a == 0)));
}
