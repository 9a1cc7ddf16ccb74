//! The cost of queries: counts checked by hand, sums over parts, and answers that counting does not
//! change.

use crate::zoo::{box_mesh, shapes};
use carom_geom::{ConvexHull, Cuboid, Cylinder, Sphere, TriMesh};
use carom_math::{Interval, Pose, Quat, Ray, Vec3};
use carom_query::{
    Compound, CompoundPart, ImpactCounters, ImpactSettings, ManifoldCache, MeshShape, QueryCost, Shape,
    Workspace, cast_counted, cast_ray, cast_ray_all, cast_ray_all_counted, cast_ray_counted, contact_counted,
    contact_with, distance_counted, distance_with, intersects, intersects_counted, manifolds_counted,
    manifolds_with, motion_of, project_point, project_point_counted, solid_placement,
    solid_placement_counted,
};
use carom_scenes::mesh::torus;
use carom_testkit::random::Random;
use core::fmt::Debug;
use std::sync::Arc;

fn ball(radius: f32) -> Shape {
    Shape::Sphere(Sphere::new(radius).unwrap())
}

fn cuboid(half: Vec3) -> Shape {
    Shape::Cuboid(Cuboid::new(half).unwrap())
}

fn hull(half: Vec3) -> Shape {
    Shape::Hull(Arc::new(ConvexHull::from_points(box_mesh(half).vertices()).unwrap()))
}

fn mesh(mesh: TriMesh) -> Shape {
    Shape::Mesh(Arc::new(MeshShape::new(mesh).unwrap()))
}

fn ring(n: usize) -> TriMesh {
    let ring = torus(0.4, 0.15, n);
    TriMesh::new(ring.vertices_f32(), ring.triangles).unwrap()
}

fn at(x: f32, y: f32, z: f32) -> Pose {
    Pose::from_translation(Vec3::new(x, y, z))
}

/// The costs of the four questions about a pair: touch, distance, contact, manifolds.
fn costs(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, prediction: f32) -> [QueryCost; 4] {
    let mut costs = [QueryCost::default(); 4];
    let (mut memory, mut cache, mut list) = (Workspace::default(), ManifoldCache::new(), Vec::new());
    let [touch, near, contact_cost, many] = &mut costs;
    intersects_counted(a, pose_a, b, pose_b, touch);
    distance_counted(a, pose_a, b, pose_b, &mut memory, near);
    contact_counted(a, pose_a, b, pose_b, prediction, &mut memory, contact_cost);
    manifolds_counted(a, pose_a, b, pose_b, prediction, &mut cache, &mut memory, &mut list, many);
    costs
}

/// One pair in closed form.
fn one_pair() -> QueryCost {
    let mut cost = QueryCost::default();
    cost.pair_tests = 1;
    cost
}

#[test]
fn closed_forms_cost_one_pair_and_no_iteration() {
    for b in [at(0.8, 0.0, 0.0), at(3.0, 0.0, 0.0), at(0.0, 0.0, 0.0)] {
        assert_eq!(costs(&ball(0.5), &Pose::IDENTITY, &ball(0.5), &b, 0.1), [one_pair(); 4]);
        let slab = cuboid(Vec3::new(1.0, 0.2, 1.0));
        assert_eq!(costs(&slab, &Pose::IDENTITY, &ball(0.5), &b, 0.1), [one_pair(); 4]);
    }
}

#[test]
fn boxes_end_at_the_first_axis_that_separates_them() {
    let cube = cuboid(Vec3::splat(0.5));
    for (number, b) in [at(2.0, 0.0, 0.0), at(0.0, 2.0, 0.0), at(0.0, 0.0, 2.0)].iter().enumerate() {
        let [touch, _, _, many] = costs(&cube, &Pose::IDENTITY, &cube, b, 0.1);
        let mut expected = one_pair();
        expected.axes = number as u64 + 1;
        assert_eq!((touch, many), (expected, expected));
    }
}

#[test]
fn searches_count_features_rounds_and_supports() {
    let blocks = [hull(Vec3::splat(0.5)), hull(Vec3::new(0.4, 0.3, 0.2))];
    let turned = Pose::new(Quat::from_scaled_axis(Vec3::new(0.3, 0.4, 0.2)), Vec3::new(1.5, 0.1, 0.2));
    let [touch, near, ..] = costs(&blocks[0], &Pose::IDENTITY, &blocks[1], &turned, 0.1);
    // GJK says whether they touch; a walk on features says how far apart they are.
    assert!(1 <= touch.iterations && touch.iterations <= touch.supports && touch.feature_pairs == 0);
    assert!(1 <= near.feature_pairs && (near.iterations, near.supports, near.axes) == (0, 0, 0), "{near:?}");

    let drum = Shape::Cylinder(Cylinder::new(0.4, 0.3).unwrap());
    let [touch, near, contact_cost, many] = costs(&drum, &Pose::IDENTITY, &drum, &at(0.3, 0.2, 0.0), 0.1);
    for cost in [touch, near, contact_cost, many] {
        assert!(cost.pair_tests == 1 && 1 <= cost.iterations && cost.iterations <= cost.supports);
    }
    // Only the depth asks for rounds of a second search.
    assert_eq!((touch.depth_iterations, near.depth_iterations), (0, 0));
    assert!(1 <= contact_cost.depth_iterations && contact_cost.depth_iterations == many.depth_iterations);

    let ground = shapes().into_iter().find(|(name, _)| *name == "half-space").unwrap().1;
    let [touch, near, contact_cost, _] = costs(&ground, &Pose::IDENTITY, &drum, &at(0.0, 2.0, 0.0), 0.1);
    let mut expected = one_pair();
    expected.supports = 1;
    assert_eq!([touch, near, contact_cost], [expected; 3]);
}

#[test]
fn meshes_test_no_more_than_all_triangles_and_all_where_all_bounds_overlap() {
    let mut random = Random::new(11);
    let (knot, cube) = (mesh(ring(600)), cuboid(Vec3::splat(0.2)));
    let n = match &knot {
        Shape::Mesh(mesh) => mesh.mesh().n_triangles() as u64,
        _ => 0,
    };
    let mut n_less = 0;
    for _ in 0..60 {
        let turn = Quat::from_scaled_axis(random.cube_point().as_vec3() * 3.0);
        let b = Pose::new(turn, random.cube_point().as_vec3() * 0.8);
        for cost in costs(&knot, &Pose::IDENTITY, &cube, &b, 0.05) {
            assert!(cost.pair_tests <= cost.primitives && cost.primitives <= n, "{cost:?}");
            assert!(cost.leaves <= cost.primitives && cost.nodes <= cost.volume_tests, "{cost:?}");
            n_less += usize::from(0 < cost.primitives && cost.primitives < n / 2);
        }
        for cost in costs(&knot, &Pose::IDENTITY, &knot, &b, 0.01) {
            assert!(cost.primitives <= 2 * n * n, "{cost:?}");
        }
    }
    assert!(100 < n_less, "{n_less}");
    // All of the mesh is in the box.
    let [.., contact_cost, many] =
        costs(&knot, &Pose::IDENTITY, &cuboid(Vec3::splat(2.0)), &Pose::IDENTITY, 0.0);
    assert_eq!([contact_cost.primitives, contact_cost.pair_tests, many.primitives, many.pair_tests], [n; 4]);

    // Many triangles in one place, and as many across them.
    let fan = |corners: [Vec3; 3]| mesh(TriMesh::new(corners.to_vec(), vec![[0, 1, 2]; 20]).unwrap());
    let (flat, upright) = (fan([Vec3::X, Vec3::Z, Vec3::NEG_X]), fan([Vec3::Y, Vec3::Z, Vec3::NEG_Y]));
    let [touch, _, contact_cost, _] = costs(&flat, &Pose::IDENTITY, &upright, &Pose::IDENTITY, 0.0);
    assert_eq!((contact_cost.primitives, contact_cost.pair_tests), (400, 400));
    // The first pair is the answer.
    assert!(touch.leaves == 1 && touch.pair_tests == 1, "{touch:?}");
}

#[test]
fn rays_and_points_count_triangles() {
    let knot = mesh(ring(600));
    let (mut hit, mut miss, mut all) = (QueryCost::default(), QueryCost::default(), QueryCost::default());
    let reach = Interval::new(0.0, 10.0);
    let ray = Ray::new(Vec3::new(-2.0, 0.01, 0.02), Vec3::X);
    assert!(cast_ray_counted(&knot, &Pose::IDENTITY, &ray, reach, &mut hit).is_some());
    assert!(cast_ray_counted(&knot, &at(0.0, 5.0, 0.0), &ray, reach, &mut miss).is_none());
    let mut hits = Vec::new();
    cast_ray_all_counted(&knot, &Pose::IDENTITY, &ray, reach, &mut hits, &mut all);
    assert_eq!((hits.len(), miss.leaves, miss.pair_tests), (4, 0, 0));
    assert!(1 <= hit.pair_tests && hit.pair_tests <= hit.primitives && hit.leaves < all.leaves);
    assert!(4 <= all.pair_tests && all.primitives < 100, "{all:?}");

    let (mut near, mut inside) = (QueryCost::default(), QueryCost::default());
    let Shape::Mesh(solid) = &knot else { panic!("a mesh") };
    project_point_counted(&knot, &Pose::IDENTITY, Vec3::new(0.4, 0.0, 0.0), &mut near).unwrap();
    let placement = solid_placement_counted(solid, &Pose::IDENTITY, Vec3::new(0.4, 0.0, 0.0), &mut inside);
    assert!(placement.is_some() && 1 <= inside.pair_tests && inside.pair_tests == inside.primitives);
    // The nearest triangle, then which side it is.
    assert!(inside.pair_tests < near.pair_tests && near.pair_tests == near.primitives);
    let mut cost = QueryCost::default();
    project_point_counted(&ball(1.0), &Pose::IDENTITY, Vec3::X, &mut cost).unwrap();
    cast_ray_counted(&ball(1.0), &Pose::IDENTITY, &ray, reach, &mut cost).unwrap();
    // A cost adds up.
    assert_eq!((cost.pair_tests, cost.iterations, cost.primitives), (2, 0, 0));
}

#[test]
fn fields_count_their_samples() {
    let shapes = shapes();
    let field = &shapes.iter().find(|(name, _)| *name == "field").unwrap().1;
    for (name, other) in &shapes {
        if *name == "compound" {
            continue;
        }
        for (a, b) in [(field, other), (other, field)] {
            for cost in costs(a, &Pose::IDENTITY, b, &at(0.1, 0.2, 0.0), 0.05) {
                assert!(1 <= cost.samples && 1 <= cost.pair_tests, "{name}: {cost:?}");
            }
        }
    }
}

#[test]
fn straight_casts_count_steps_and_supports() {
    let settings = ImpactSettings::default();
    let cast_counters = |a: &Shape, b: &Shape| {
        let still = motion_of(&Pose::IDENTITY, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO).unwrap();
        let moves = motion_of(&at(-3.0, 0.1, 0.0), Vec3::ZERO, Vec3::X * 4.0, Vec3::ZERO).unwrap();
        let mut counters = ImpactCounters::default();
        let answer = cast_counted(a, &still, b, &moves, &settings, &mut Workspace::default(), &mut counters);
        assert!(answer.hit().is_some());
        counters
    };
    let boxes = cast_counters(&cuboid(Vec3::splat(0.5)), &cuboid(Vec3::new(0.1, 0.2, 0.3)));
    assert!(boxes.searches == 1 && 1 <= boxes.iterations && boxes.iterations <= boxes.supports, "{boxes:?}");
    let knot = cast_counters(&mesh(ring(600)), &cuboid(Vec3::splat(0.1)));
    // Triangles are held against axes before they are searched for.
    assert!(knot.searches <= knot.separations && knot.searches < knot.primitives, "{knot:?}");
    assert!(1 <= knot.nodes && 1 <= knot.iterations && knot.iterations <= knot.supports, "{knot:?}");
}

#[test]
fn a_compound_costs_its_parts_and_a_box_for_each() {
    let parts: Vec<CompoundPart> = shapes()
        .into_iter()
        .filter(|(name, _)| !["half-space", "compound"].contains(name))
        // More parts have a tree.
        .take(16)
        .enumerate()
        .map(|(i, (_, shape))| CompoundPart { shape, pose: at(0.25 * (i % 3) as f32, 0.5, 0.125) })
        .collect();
    let n_parts = parts.len() as u64;
    let whole = Shape::Compound(Arc::new(Compound::new(parts.clone()).unwrap()));
    for other in [ball(0.9), cuboid(Vec3::splat(0.8)), mesh(ring(200))] {
        let pose = at(0.25, 0.375, 0.0);
        let [.., together] = costs(&whole, &Pose::IDENTITY, &other, &pose, 0.05);
        let mut sum = QueryCost::default();
        sum.volume_tests = n_parts;
        for part in &parts {
            let [.., alone] = costs(&part.shape, &part.pose, &other, &pose, 0.05);
            sum += alone;
        }
        assert_eq!(together, sum);
    }
}

/// A pose that may be anything.
fn ugly_pose(random: &mut Random) -> Pose {
    let turn = match random.below(4) {
        0 => Quat::IDENTITY,
        1 => Quat::from_rotation_z(core::f32::consts::FRAC_PI_2 * random.below(4) as f32),
        _ => Quat::from_scaled_axis(random.cube_point().as_vec3() * 3.0),
    };
    let mut position = random.cube_point().as_vec3();
    match random.below(12) {
        0 => position = Vec3::ZERO,
        1 => position = random.grid_point(3).as_vec3() * 0.5 - 0.5,
        2 => position *= 1e-20,
        3 => position *= 1e6,
        4 => position.x = [f32::NAN, f32::INFINITY, f32::MAX][random.below(3)],
        _ => {}
    }
    Pose::new(turn, position)
}

/// As text, in which NaN is equal to NaN.
fn check_same(what: &str, plain: &dyn Debug, counted: &dyn Debug) {
    assert_eq!(format!("{plain:?}"), format!("{counted:?}"), "{what}");
}

#[test]
fn counting_changes_no_answer() {
    let shapes = shapes();
    let mut random = Random::new(12);
    let mut sum = QueryCost::default();
    for (name_a, a) in &shapes {
        for (name_b, b) in &shapes {
            for _ in 0..8 {
                let (pose_a, pose_b) = (ugly_pose(&mut random), ugly_pose(&mut random));
                let what = &format!("{name_a} and {name_b}, {pose_a:?}, {pose_b:?}");
                let (memory, cost) = (&mut Workspace::default(), &mut QueryCost::default());
                let meet = intersects_counted(a, &pose_a, b, &pose_b, cost);
                check_same(what, &intersects(a, &pose_a, b, &pose_b), &meet);
                let near = distance_counted(a, &pose_a, b, &pose_b, memory, cost);
                check_same(what, &distance_with(a, &pose_a, b, &pose_b, memory), &near);
                let found_contact = contact_counted(a, &pose_a, b, &pose_b, 0.1, memory, cost);
                check_same(what, &contact_with(a, &pose_a, b, &pose_b, 0.1, memory), &found_contact);
                let (mut lists, mut caches) = ([Vec::new(), Vec::new()], [ManifoldCache::new(); 2]);
                let ([list, counted], [cache, other]) = (&mut lists, &mut caches);
                manifolds_with(a, &pose_a, b, &pose_b, 0.1, cache, memory, list);
                manifolds_counted(a, &pose_a, b, &pose_b, 0.1, other, memory, counted, cost);
                check_same(what, list, counted);
                check_same(what, cache, other);
                // A place that is not a number is in no tree.
                let is_counted = *cost != QueryCost::default();
                assert!(is_counted || !(pose_a.is_finite() && pose_b.is_finite()), "{what}");
                sum += *cost;
            }
        }
        for _ in 0..40 {
            let (pose, other) = (ugly_pose(&mut random), ugly_pose(&mut random));
            let what = &format!("{name_a}, {pose:?}, {other:?}");
            let (cost, point) = (&mut QueryCost::default(), other.translation);
            let ray = Ray::new(point, random.cube_point().as_vec3() * [1.0, 1e-30, 1e30][random.below(3)]);
            let reach = Interval::new(-1.0, 3.0);
            let hit = cast_ray_counted(a, &pose, &ray, reach, cost);
            check_same(what, &cast_ray(a, &pose, &ray, reach), &hit);
            let mut lists = [Vec::new(), Vec::new()];
            cast_ray_all(a, &pose, &ray, reach, &mut lists[0]);
            cast_ray_all_counted(a, &pose, &ray, reach, &mut lists[1], cost);
            check_same(what, &lists[0], &lists[1]);
            let near = project_point_counted(a, &pose, point, cost);
            check_same(what, &project_point(a, &pose, point), &near);
            if let Shape::Mesh(mesh) = a {
                let placement = solid_placement_counted(mesh, &pose, point, cost);
                check_same(what, &solid_placement(mesh, &pose, point), &placement);
            }
            sum += *cost;
        }
    }
    // Every count is counted by some query.
    let QueryCost { nodes, volume_tests, leaves, primitives, pair_tests, .. } = sum;
    let QueryCost { axes, feature_pairs, iterations, depth_iterations, supports, samples, .. } = sum;
    let trees = [nodes, volume_tests, leaves, primitives, pair_tests];
    let searches = [axes, feature_pairs, iterations, depth_iterations, supports, samples];
    assert!(trees.iter().chain(&searches).all(|count| 20 < *count), "{sum:?}");
}

#[test]
fn counts_are_the_same_on_any_thread() {
    let shapes = shapes();
    let mut random = Random::new(13);
    let list: Vec<_> = (0..240)
        .map(|i| {
            (i % shapes.len(), random.below(shapes.len()), ugly_pose(&mut random), ugly_pose(&mut random))
        })
        .collect();
    let costs_of = |&(a, b, pose_a, pose_b): &(usize, usize, Pose, Pose)| {
        costs(&shapes[a].1, &pose_a, &shapes[b].1, &pose_b, 0.05)
    };
    let alone: Vec<[QueryCost; 4]> = list.iter().map(costs_of).collect();
    for n_threads in [1, 2, 5] {
        let together: Vec<[QueryCost; 4]> = std::thread::scope(|scope| {
            let chunks = list.chunks(list.len().div_ceil(n_threads));
            let threads: Vec<_> =
                chunks.map(|chunk| scope.spawn(|| chunk.iter().map(costs_of).collect::<Vec<_>>())).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(alone, together);
    }
}

#[test]
fn both_precisions_count_alike() {
    use carom_math::f64::Pose as Pose64;
    let sides = Vec3::new(0.5, 0.25, 0.75);
    let (single, double) = (
        cuboid(sides),
        carom_query::f64::Shape::Cuboid(carom_geom::f64::Cuboid::new(sides.as_dvec3()).unwrap()),
    );
    for i in 0..20 {
        let position = Vec3::new(0.125 * i as f32, 0.25, 0.5);
        let costs = &mut [QueryCost::default(); 2];
        let meet = intersects_counted(
            &single,
            &Pose::IDENTITY,
            &single,
            &Pose::from_translation(position),
            &mut costs[0],
        );
        let there = Pose64::from_translation(position.as_dvec3());
        let twin =
            carom_query::f64::intersects_counted(&double, &Pose64::IDENTITY, &double, &there, &mut costs[1]);
        assert_eq!((meet, costs[0]), (twin, costs[1]));
        assert!(1 <= costs[0].axes);
    }
}
