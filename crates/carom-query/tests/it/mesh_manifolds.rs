//! Input of a solver for two meshes: few manifolds, along normals that a body can rest on.

use carom_geom::{Cuboid, Manifold, TriMesh};
use carom_math::{Pose, Quat, Vec3};
use carom_query::{ManifoldCache, MeshShape, Shape, contact, intersects, manifolds};
use carom_scenes::mesh::{MeshData, icosphere, torus};
use carom_testkit::random::Random;
use std::sync::Arc;

fn shape(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Shape {
    Shape::Mesh(Arc::new(MeshShape::new(TriMesh::new(vertices, triangles).unwrap()).unwrap()))
}

fn made(data: &MeshData) -> Shape {
    shape(data.vertices_f32(), data.triangles.clone())
}

/// A closed box, each face of n by n squares with corners of its own.
fn box_mesh(half: Vec3, n: u32) -> Shape {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let first = vertices.len() as u32;
            for i in 0..=n {
                for j in 0..=n {
                    let [u, v] = [i, j].map(|k| 2.0 * k as f32 / n as f32 - 1.0);
                    let mut p = Vec3::ZERO;
                    (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) = (side, u, v);
                    vertices.push(p * half);
                }
            }
            for c in 0..n * n {
                let at = |i: u32, j: u32| first + (c / n + i) * (n + 1) + c % n + j;
                let [p, q, r, s] = [at(0, 0), at(1, 0), at(1, 1), at(0, 1)];
                let both = if side < 0.0 { [[p, r, q], [p, s, r]] } else { [[p, q, r], [p, r, s]] };
                triangles.extend(both);
            }
        }
    }
    shape(vertices, triangles)
}

/// An open sheet in the plane y = 0, its front up, or down.
fn sheet(half: f32, n: u32, is_turned: bool) -> Shape {
    let step = 2.0 * half / n as f32;
    let mut vertices = Vec::new();
    for i in 0..=n {
        for j in 0..=n {
            vertices.push(Vec3::new(i as f32 * step - half, 0.0, j as f32 * step - half));
        }
    }
    let mut triangles = Vec::new();
    for c in 0..n * n {
        let at = |i: u32, j: u32| (c / n + i) * (n + 1) + c % n + j;
        let [p, q, r, s] = [at(0, 0), at(1, 0), at(1, 1), at(0, 1)];
        let both = if is_turned { [[p, q, r], [p, r, s]] } else { [[p, r, q], [p, s, r]] };
        triangles.extend(both);
    }
    shape(vertices, triangles)
}

fn manifolds_of(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, prediction: f32) -> Vec<Manifold> {
    let mut out = Vec::new();
    manifolds(a, pose_a, b, pose_b, prediction, &mut ManifoldCache::new(), &mut out);
    for manifold in &out {
        assert!((manifold.normal().length() - 1.0).abs() < 1e-5);
        assert!(!manifold.is_empty());
        for contact in manifold.contacts() {
            assert!(contact.distance <= prediction);
            let along = (contact.point_b - contact.point_a).dot(manifold.normal());
            assert!((along - contact.distance).abs() < 1e-4, "{contact:?}");
        }
    }
    out
}

fn at(x: f32, y: f32, z: f32) -> Pose {
    Pose::from_translation(Vec3::new(x, y, z))
}

fn turn(random: &mut Random) -> Quat {
    let p = random.cube_point().as_vec3();
    Quat::from_xyzw(p.x, p.y, p.z, random.range(-1.0, 1.0) as f32).normalize()
}

#[test]
fn a_box_stands_on_a_floor_on_its_corners() {
    let floors = [box_mesh(Vec3::new(4.0, 1.0, 4.0), 1), box_mesh(Vec3::new(4.0, 1.0, 4.0), 9)];
    for floor in &floors {
        for n in [1, 3] {
            let body = box_mesh(Vec3::new(0.5, 0.3, 0.4), n);
            for height in [-0.02, -0.003, 0.0, 0.004] {
                for (x, z, angle) in [(0.1, 0.2, 0.0), (1.7, -0.3, 0.5), (-2.0, 3.1, 1.1)] {
                    let pose = Pose::new(Quat::from_rotation_y(angle), Vec3::new(x, 1.3 + height, z));
                    let found = manifolds_of(floor, &Pose::IDENTITY, &body, &pose, 0.02);
                    assert_eq!(found.len(), 1, "{found:?}");
                    assert!((found[0].normal() - Vec3::Y).length() < 1e-5, "{found:?}");
                    assert_eq!(found[0].contacts().len(), 4);
                    let corners = [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]];
                    for [u, v] in corners {
                        let corner = pose.transform_point(Vec3::new(0.5 * u, -0.3, 0.4 * v));
                        let is_there = |c: &carom_geom::Contact| (c.point_b - corner).length() < 1e-4;
                        assert!(found[0].contacts().iter().any(is_there), "{corner} {found:?}");
                    }
                    for contact in found[0].contacts() {
                        assert!((contact.distance - height).abs() < 1e-5, "{contact:?}");
                    }
                }
            }
        }
    }
}

/// Over the edge of a table, and across it, the normal stays upright.
#[test]
fn a_box_over_the_edge_of_another_is_held_from_below() {
    let table = box_mesh(Vec3::new(1.0, 0.5, 1.0), 4);
    let body = box_mesh(Vec3::new(0.5, 0.25, 0.3), 2);
    for i in 0..40 {
        let angle = 0.16 * i as f32;
        let pose = Pose::new(Quat::from_rotation_y(angle), Vec3::new(0.9, 0.745, 0.02 * i as f32));
        let found = manifolds_of(&table, &Pose::IDENTITY, &body, &pose, 0.02);
        assert_eq!(found.len(), 1, "{i} {found:?}");
        assert!(0.9999 < found[0].normal().y && 2 < found[0].contacts().len(), "{i} {found:?}");
    }
}

/// Boxes and cuboids know the same: the least way out of each other, or the distance.
#[test]
fn boxes_push_as_cuboids_do() {
    let mut random = Random::new(91);
    let (mut n_deep, mut n_apart, mut n_edges) = (0, 0, 0);
    for round in 0..3000 {
        let half = [random.cube_point(), random.cube_point()].map(|p| (p.abs() + 0.3).as_vec3());
        let n = 1 + round % 3;
        let (pose_a, turn_b) =
            (Pose::new(turn(&mut random), random.cube_point().as_vec3()), turn(&mut random));
        let away = turn(&mut random) * Vec3::X;
        let cuboids = half.map(|half| Shape::Cuboid(Cuboid::new(half).unwrap()));
        // Moved apart along a random direction until they are as deep as wanted.
        let wanted = random.range(-0.04, 0.015) as f32;
        let (mut low, mut high) = (0.0, 8.0);
        for _ in 0..40 {
            let middle: f32 = 0.5 * (low + high);
            let pose_b = Pose::new(turn_b, pose_a.translation + away * middle);
            let found = contact(&cuboids[0], &pose_a, &cuboids[1], &pose_b, 10.0);
            if found.is_none_or(|c| wanted < c.contact.distance) { high = middle } else { low = middle }
        }
        let pose_b = Pose::new(turn_b, pose_a.translation + away * high);
        let truth = contact(&cuboids[0], &pose_a, &cuboids[1], &pose_b, 10.0).unwrap().contact;
        let meshes = half.map(|half| box_mesh(half, n));
        let found = manifolds_of(&meshes[0], &pose_a, &meshes[1], &pose_b, 0.02);
        // Whether B is free after the motion of a manifold. Corners count that are within six
        // degrees of the outermost, so normals and depths may be off by a little.
        let is_separating = |m: &Manifold| {
            let depth = -m.deepest().unwrap().distance;
            let moved = Pose::new(pose_b.rotation, pose_b.translation + m.normal() * depth);
            let there = contact(&cuboids[0], &pose_a, &cuboids[1], &moved, 10.0).unwrap().contact;
            (depth + truth.distance).abs() < 2e-3 && there.distance.abs() < 2e-3
        };
        assert!(found.iter().any(is_separating), "{round}: {truth:?} {found:?}");
        // Nothing pulls them together.
        for manifold in &found {
            let is_along = 0.0 < manifold.normal().dot(truth.normal);
            assert!(is_along || is_separating(manifold), "{round}: {truth:?} {found:?}");
        }
        if truth.distance < 0.0 {
            n_deep += 1
        } else {
            n_apart += 1
        }
        n_edges += usize::from(
            [pose_a, pose_b]
                .iter()
                .all(|p| (p.rotation.conjugate() * truth.normal).abs().max_element() < 0.99),
        );
    }
    println!("{n_deep} deep, {n_apart} apart, {n_edges} edge to edge");
    assert!(1000 < n_deep && 500 < n_apart && 300 < n_edges);
}

#[test]
fn two_round_bodies_touch_once_along_the_line_of_their_centres() {
    let mut random = Random::new(92);
    let ball = made(&icosphere(1280));
    let (mut n_most, mut n_once, mut n_touching) = (0, 0, 0);
    for round in 0..300 {
        let away = turn(&mut random) * Vec3::X;
        let pose_a = Pose::new(turn(&mut random), random.cube_point().as_vec3());
        let depth = [-0.01, -0.002, 0.002, 0.008][round % 4];
        let pose_b = Pose::new(turn(&mut random), pose_a.translation + away * (1.99 + depth));
        let found = manifolds_of(&ball, &pose_a, &ball, &pose_b, 0.02);
        if found.is_empty() {
            // The faces lie up to half a hundredth inside the ball, on either side.
            assert!(0.0 < depth, "{round}");
            continue;
        }
        // A triangle is 0.14 wide: its corners are 5 degrees from its normal, and two meet.
        let deepest = found.iter().min_by(|m, n| {
            let of = |m: &Manifold| m.deepest().unwrap().distance;
            of(m).total_cmp(&of(n))
        });
        let angle = deepest.unwrap().normal().angle_between(away).to_degrees();
        assert!(angle < 9.0, "{round}: {angle} {found:?}");
        n_most = n_most.max(found.len());
        n_touching += 1;
        n_once += usize::from(found.len() == 1);
        for manifold in &found {
            assert!(manifold.normal().angle_between(away).to_degrees() < 16.0, "{round} {found:?}");
        }
    }
    println!("{n_once} of {n_touching} touch once, {n_most} times at most");
    assert!(n_most <= 3 && 0.9 * n_touching as f64 <= n_once as f64, "{n_most} {n_once} {n_touching}");
}

/// A cube that has sunk into a floor of 1,000 triangles by as much as a solver lets it is pushed up
/// and nowhere else, wherever it is.
#[test]
fn a_cube_meets_no_ghost_on_a_flat_floor() {
    let mut random = Random::new(93);
    let (n_x, n_z) = (50, 10);
    let mut vertices = Vec::new();
    for i in 0..=n_x {
        for j in 0..=n_z {
            let is_inside = 0 < i && i < n_x && 0 < j && j < n_z;
            let off = if is_inside { random.cube_point().as_vec3() * 0.1 } else { Vec3::ZERO };
            vertices.push(Vec3::new(0.4 * i as f32 + off.x, 0.0, 0.4 * j as f32 + off.z));
        }
    }
    let cells = (0..n_x * n_z).flat_map(|c: u32| {
        let at = |i: u32, j: u32| (c / n_z + i) * (n_z + 1) + c % n_z + j;
        [[at(0, 0), at(0, 1), at(1, 1)], [at(0, 0), at(1, 1), at(1, 0)]]
    });
    let triangles: Vec<[u32; 3]> = cells.collect();
    assert_eq!(triangles.len(), 1000);
    let floor = shape(vertices, triangles);
    let cube = box_mesh(Vec3::splat(0.3), 2);
    for step in 0..2000 {
        let sunk = [0.0, 0.001, 0.004, 0.02][step % 4];
        let position =
            Vec3::new(0.6 + 0.009 * step as f32, 0.3 - sunk, 2.0 + 0.3 * (0.01 * step as f32).sin());
        let tilt = Quat::from_rotation_z(0.002 * (step as f32 * 0.1).sin());
        let pose = Pose::new(tilt * Quat::from_rotation_y(0.003 * step as f32), position);
        let found = manifolds_of(&floor, &Pose::IDENTITY, &cube, &pose, 0.02);
        assert_eq!(found.len(), 1, "{step} {found:?}");
        assert!((found[0].normal() - Vec3::Y).length() < 1e-5, "{step} {found:?}");
        assert!(2 < found[0].contacts().len(), "{step} {found:?}");
    }
}

/// Thin plates on each other, and through each other a little, part the way they came.
#[test]
fn thin_plates_do_not_change_sides() {
    let plate = |half: f32| box_mesh(Vec3::new(1.0, half, 1.0), 3);
    for (half_a, half_b) in [(0.005, 0.005), (0.005, 0.5), (0.02, 0.005)] {
        let (a, b) = (plate(half_a), plate(half_b));
        for part in [-0.9, -0.5, 0.0, 0.5] {
            let sunk = part * f32::min(half_a, half_b);
            let pose = Pose::new(Quat::from_rotation_y(0.4), Vec3::new(0.3, half_a + half_b + sunk, 0.2));
            let found = manifolds_of(&a, &Pose::IDENTITY, &b, &pose, 0.02);
            assert!(!found.is_empty());
            for manifold in &found {
                assert!(0.999 < manifold.normal().y, "{half_a} {half_b} {part} {found:?}");
            }
        }
    }
}

/// On an open sheet a body is held on the side where it is, whichever way the triangles face.
#[test]
fn a_sheet_holds_from_both_sides() {
    let (body, plate) = (box_mesh(Vec3::splat(0.5), 2), box_mesh(Vec3::new(0.5, 0.01, 0.5), 2));
    for is_turned in [false, true] {
        let sheet = sheet(3.0, 8, is_turned);
        for side in [1.0, -1.0] {
            for (shape, half) in [(&body, 0.5), (&plate, 0.01)] {
                for height in [-0.004, 0.0, 0.004] {
                    let pose = Pose::new(Quat::from_rotation_y(0.3), Vec3::Y * side * (half + height));
                    let found = manifolds_of(&sheet, &Pose::IDENTITY, shape, &pose, 0.02);
                    assert_eq!(found.len(), 1, "{is_turned} {side} {height} {found:?}");
                    assert!(0.9999 < found[0].normal().y * side, "{found:?}");
                    assert_eq!(found[0].contacts().len(), 4);
                }
            }
        }
    }
}

/// A roof stands upside down in a groove of the same shape: both walls hold it, also where its
/// ridge has sunk below the fold.
#[test]
fn a_wedge_in_a_groove_rests_on_both_walls() {
    let prism = |profile: &[[f32; 2]], caps: &[[u32; 3]]| {
        let n = profile.len() as u32;
        let vertices =
            [-1.0, 1.0].iter().flat_map(|z| profile.iter().map(|p| Vec3::new(p[0], p[1], *z))).collect();
        let mut triangles = Vec::new();
        for i in 0..n {
            let j = (i + 1) % n;
            triangles.extend([[i, j, n + j], [i, n + j, n + i]]);
        }
        for &[p, q, r] in caps {
            triangles.extend([[p, r, q], [n + p, n + q, n + r]]);
        }
        shape(vertices, triangles)
    };
    let block = [[-1.0, -1.0], [1.0, -1.0], [1.0, 0.5], [0.0, -0.5], [-1.0, 0.5]];
    let groove = prism(&block, &[[0, 1, 3], [1, 2, 3], [0, 3, 4]]);
    let wedge = prism(&[[0.0, 0.0], [0.4, 0.4], [-0.4, 0.4]], &[[0, 1, 2]]);
    for sunk in [0.002, 0.01] {
        let found = manifolds_of(&groove, &Pose::IDENTITY, &wedge, &at(0.0, -0.5 - sunk, 0.1), 0.02);
        let side = 0.5_f32.sqrt();
        for wall in [Vec3::new(side, side, 0.0), Vec3::new(-side, side, 0.0)] {
            let holds = |m: &Manifold| (m.normal() - wall).length() < 1e-4 && 2 < m.contacts().len();
            assert!(found.iter().any(holds), "{sunk} {found:?}");
        }
        assert_eq!(found.len(), 2, "{found:?}");
    }
}

#[test]
fn exchanged_bodies_give_the_exchanged_answer() {
    let mut random = Random::new(94);
    let bodies = [made(&torus(0.7, 0.25, 400)), box_mesh(Vec3::new(0.6, 0.3, 0.5), 3), sheet(1.0, 4, false)];
    let mut n_manifolds = 0;
    for round in 0..300 {
        let (a, b) = (&bodies[round % 3], &bodies[random.below(3)]);
        let pose_a = Pose::new(turn(&mut random), random.cube_point().as_vec3());
        let pose_b = Pose::new(turn(&mut random), pose_a.translation + random.cube_point().as_vec3() * 0.8);
        let (there, back) =
            (manifolds_of(a, &pose_a, b, &pose_b, 0.02), manifolds_of(b, &pose_b, a, &pose_a, 0.02));
        n_manifolds += there.len();
        assert_eq!(there.is_empty(), back.is_empty(), "{round}");
        assert!(!intersects(a, &pose_a, b, &pose_b) || !there.is_empty(), "{round}");
        if there.is_empty() {
            continue;
        }
        let deepest = |all: &[Manifold]| {
            all.iter().filter_map(|m| m.deepest().copied()).min_by(|x, y| x.distance.total_cmp(&y.distance))
        };
        let (there, back) = (deepest(&there).unwrap(), deepest(&back).unwrap());
        assert!((there.distance - back.distance).abs() < 1e-4, "{round} {there:?} {back:?}");
    }
    println!("{n_manifolds} manifolds");
    assert!(300 < n_manifolds);
}

/// A surface on a copy of itself, moved by a bit: total, few manifolds, and nothing that is not a
/// number.
#[test]
fn a_mesh_on_itself_moved_by_a_bit() {
    let bodies =
        [made(&torus(0.7, 0.25, 400)), made(&icosphere(320)), box_mesh(Vec3::ONE, 3), sheet(1.0, 6, false)];
    for body in &bodies {
        for direction in
            [Vec3::ZERO, Vec3::Y * 1e-7, Vec3::new(1e-3, 2e-3, 1e-3), Vec3::new(0.02, -0.01, 0.03)]
        {
            let found = manifolds_of(body, &Pose::IDENTITY, body, &Pose::from_translation(direction), 0.01);
            assert!(!found.is_empty());
            assert!(found.len() < 800, "{}", found.len());
        }
    }
}

/// Contacts are known again: a body that creeps over a floor keeps the features of its corners.
#[test]
fn features_stay_while_a_body_creeps() {
    let (floor, body) = (box_mesh(Vec3::new(4.0, 1.0, 4.0), 9), box_mesh(Vec3::splat(0.5), 2));
    let mut last = None;
    for step in 0..50 {
        let found = manifolds_of(&floor, &Pose::IDENTITY, &body, &at(0.01 * step as f32, 1.499, 0.003), 0.02);
        let features: Vec<_> = found[0].contacts().iter().map(|c| (c.feature_a, c.feature_b)).collect();
        assert_eq!(*last.get_or_insert_with(|| features.clone()), features, "{step}");
    }
}

/// Heaps of a few triangles, some without area, some with an edge in common, near and far: where
/// the surfaces do not meet, nothing is deep.
#[test]
fn what_does_not_meet_is_not_deep() {
    let mut random = Random::new(77);
    let mut soup = |size: f32| {
        let vertices =
            (0..5).map(|_| random.cube_point().as_vec3() * size * random.below(3) as f32).collect();
        let triangles = (0..4).map(|_| [0; 3].map(|_: u32| random.below(5) as u32)).collect();
        shape(vertices, triangles)
    };
    let shapes: Vec<(Shape, Shape)> = (0..400).map(|i| (soup(1.0), soup([0.3, 1.0, 50.0][i % 3]))).collect();
    let mut random = Random::new(78);
    let (mut n_apart, mut n_contacts) = (0, 0);
    for (a, b) in &shapes {
        for _ in 0..10 {
            let pose = Pose::new(turn(&mut random), random.cube_point().as_vec3() * 1.5);
            let mut found = Vec::new();
            manifolds(a, &Pose::IDENTITY, b, &pose, 0.2, &mut ManifoldCache::new(), &mut found);
            if intersects(a, &Pose::IDENTITY, b, &pose) {
                continue;
            }
            n_apart += 1;
            for contact in found.iter().flat_map(Manifold::contacts) {
                n_contacts += 1;
                assert!(
                    -1e-3 < contact.distance && contact.distance <= 0.2,
                    "{contact:?} {a:?} {b:?} {pose:?}"
                );
            }
        }
    }
    assert!(500 < n_apart && 100 < n_contacts, "{n_apart} {n_contacts}");
}
