//! Clear, touching or overlapping, and how deep: against whole numbers.

use carom_geom::f64::{ConvexHull, TriMesh};
use carom_math::f64::Pose;
use carom_query::f64::{
    MeshShape, SolidOverlap, SolidRelation, holds_component, solid_overlap, solid_relation,
};
use carom_testkit::meshes::BOX_TRIANGLES;
use carom_testkit::random::Random;
use glam::DVec3;

const HERE: Pose = Pose::IDENTITY;

type Int3 = [i64; 3];

fn mesh(corners: &[Int3], triangles: &[[u32; 3]]) -> MeshShape {
    let position_of = |p: &Int3| DVec3::from_array(p.map(|x| x as f64));
    MeshShape::new(TriMesh::new(corners.iter().map(position_of).collect(), triangles.to_vec()).unwrap())
        .unwrap()
}

fn at(by: Int3) -> Pose {
    Pose::from_translation(DVec3::from_array(by.map(|x| x as f64)))
}

/// Unit cells without their common faces.
fn of_cells(cells: &[Int3]) -> MeshShape {
    let (mut corners, mut triangles) = (Vec::new(), Vec::new());
    for cell in cells {
        for axis in 0..3 {
            for side in [0, 1] {
                let mut beyond = *cell;
                beyond[axis] += 2 * side - 1;
                if cells.contains(&beyond) {
                    continue;
                }
                let corner = |i: i64, k: i64| {
                    let mut p = *cell;
                    p[axis] += side;
                    p[(axis + 1) % 3] += i;
                    p[(axis + 2) % 3] += k;
                    p
                };
                let mut quad = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                if side == 0 {
                    quad.reverse();
                }
                let first = corners.len() as u32;
                corners.extend(quad);
                triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
            }
        }
    }
    mesh(&corners, &triangles)
}

fn cuboid(low: Int3, high: Int3) -> MeshShape {
    let corner = |i: usize| [0, 1, 2].map(|axis| if i >> axis & 1 == 0 { low[axis] } else { high[axis] });
    mesh(&(0..8).map(corner).collect::<Vec<_>>(), &BOX_TRIANGLES)
}

fn check(a: &MeshShape, pose_a: &Pose, b: &MeshShape, pose_b: &Pose, expected: SolidRelation, what: &str) {
    assert_eq!(solid_relation(a, pose_a, b, pose_b), Some(expected), "{what}");
    assert_eq!(solid_relation(b, pose_b, a, pose_a), Some(expected), "{what}, the other way");
}

/// The bounds hold: B moved by the separation is free, and the deep point has room on both sides.
fn check_depth(a: &MeshShape, b: &MeshShape, pose_b: &Pose) -> SolidOverlap {
    let found = solid_overlap(a, &HERE, b, pose_b).unwrap();
    assert!(0.0 <= found.at_least && found.at_least <= found.at_most, "{found:?}");
    let moved = Pose::from_translation(pose_b.translation + found.separation * (1.0 + 1e-12));
    assert_ne!(solid_relation(a, &HERE, b, &moved), Some(SolidRelation::Overlapping), "{found:?}");
    assert!((found.separation.length() - found.at_most).abs() <= 1e-9 * found.at_most);
    found
}

#[test]
fn boxes_that_are_flush_nested_or_apart() {
    let a = cuboid([0, 0, 0], [20, 20, 20]);
    for (low, high, expected, depth) in [
        // Face on face, edge on edge, corner on corner, a corner inside a face.
        ([20, 0, 0], [40, 20, 20], SolidRelation::Touching, 0.0),
        ([20, 20, 0], [40, 40, 20], SolidRelation::Touching, 0.0),
        ([20, 20, 20], [40, 40, 40], SolidRelation::Touching, 0.0),
        ([20, 5, 5], [40, 9, 9], SolidRelation::Touching, 0.0),
        ([21, 0, 0], [40, 20, 20], SolidRelation::Clear, 0.0),
        // Flush on four sides, and deep by 1 and by 10.
        ([19, 0, 0], [39, 20, 20], SolidRelation::Overlapping, 1.0),
        ([10, 0, 0], [30, 20, 20], SolidRelation::Overlapping, 10.0),
        // The same; inside; inside and flush; around.
        ([0, 0, 0], [20, 20, 20], SolidRelation::Overlapping, 20.0),
        ([5, 6, 7], [10, 10, 10], SolidRelation::Overlapping, 10.0),
        ([0, 0, 0], [5, 20, 20], SolidRelation::Overlapping, 5.0),
        ([-5, -5, -5], [30, 30, 30], SolidRelation::Overlapping, 25.0),
        // A cross.
        ([5, 5, -5], [9, 9, 30], SolidRelation::Overlapping, 9.0),
        ([19, 19, 19], [40, 40, 40], SolidRelation::Overlapping, 1.0),
    ] {
        let b = cuboid(low, high);
        check(&a, &HERE, &b, &HERE, expected, &format!("{low:?} {high:?}"));
        if expected == SolidRelation::Overlapping {
            let found = check_depth(&a, &b, &HERE);
            assert!(found.is_exact && (found.at_most - depth).abs() < 1e-9, "{found:?} {depth}");
            assert!((found.at_least - depth).abs() < 1e-9, "{found:?} {depth}");
        } else {
            assert_eq!(solid_overlap(&a, &HERE, &b, &HERE), None);
        }
    }
    // Whatever is turned over.
    let turned =
        a.mesh().indices().iter().enumerate().map(|(i, t)| if i % 3 == 0 { [t[0], t[2], t[1]] } else { *t });
    let turned = TriMesh::new(a.mesh().vertices().to_vec(), turned.collect()).unwrap();
    let turned = MeshShape::new(turned).unwrap();
    check(
        &turned,
        &HERE,
        &cuboid([19, 0, 0], [39, 20, 20]),
        &HERE,
        SolidRelation::Overlapping,
        "turned over",
    );
    check(&turned, &HERE, &cuboid([20, 0, 0], [39, 20, 20]), &HERE, SolidRelation::Touching, "turned over");
    let open = TriMesh::new(a.mesh().vertices().to_vec(), a.mesh().indices()[2..].to_vec()).unwrap();
    assert_eq!(solid_relation(&MeshShape::new(open).unwrap(), &HERE, &a, &HERE), None);
}

#[test]
fn a_plug_fills_its_hole() {
    // A block with a cavity, and one with a hole through it.
    let all: Vec<Int3> = (0..27).map(|i| [i % 3, i / 3 % 3, i / 9]).collect();
    let hollow = of_cells(&all.iter().copied().filter(|c| *c != [1, 1, 1]).collect::<Vec<_>>());
    let pierced: Vec<Int3> = all.iter().copied().filter(|c| c[0] != 1 || c[1] != 1).collect();
    let pierced = of_cells(&pierced);
    let plug = of_cells(&[[1, 1, 1]]);
    let rod = of_cells(&[[1, 1, -1], [1, 1, 0], [1, 1, 1], [1, 1, 2], [1, 1, 3]]);
    check(&hollow, &HERE, &plug, &HERE, SolidRelation::Touching, "plug in a cavity");
    check(&pierced, &HERE, &plug, &HERE, SolidRelation::Touching, "plug in a hole");
    check(&pierced, &HERE, &rod, &HERE, SolidRelation::Touching, "rod in a hole");
    check(&hollow, &HERE, &rod, &HERE, SolidRelation::Overlapping, "rod through a cavity");
    let small = |low: f64, high: f64| {
        let shape = cuboid([0, 0, 0], [1, 1, 1]);
        let vertices = shape.mesh().vertices().iter().map(|v| *v * (high - low) + low).collect();
        MeshShape::new(TriMesh::new(vertices, shape.mesh().indices().to_vec()).unwrap()).unwrap()
    };
    check(&hollow, &HERE, &small(1.25, 1.75), &HERE, SolidRelation::Clear, "less than the cavity");
    check(&hollow, &HERE, &small(0.25, 0.75), &HERE, SolidRelation::Overlapping, "in the wall");
    check(&hollow, &HERE, &small(0.5, 1.0), &HERE, SolidRelation::Overlapping, "in the wall, at the cavity");
    check(&pierced, &HERE, &rod, &at([1, 0, 0]), SolidRelation::Overlapping, "rod beside the hole");
    let found = check_depth(&pierced, &rod, &at([1, 0, 0]));
    assert!(!found.is_exact && 0.9 < found.at_least && found.at_most < 1.01, "{found:?}");
}

/// The least and greatest of products with an axis.
fn extent(axis: Int3, corners: &[Int3]) -> (i64, i64) {
    let dot = |p: &Int3| (0..3).map(|k| axis[k] * p[k]).sum::<i64>();
    let all: Vec<i64> = corners.iter().map(dot).collect();
    (*all.iter().min().unwrap(), *all.iter().max().unwrap())
}

fn cross(u: Int3, v: Int3) -> Int3 {
    [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
}

/// Separating axes in whole numbers; the least overlap along a unit axis as well.
fn expected(a: &[Int3], b: &[Int3]) -> (SolidRelation, f64) {
    let edges = |t: &[Int3]| {
        let pairs = (0..4).flat_map(|i| (0..i).map(move |k| (i, k)));
        pairs.map(|(i, k)| [0, 1, 2].map(|x| t[i][x] - t[k][x])).collect::<Vec<Int3>>()
    };
    let (edges_a, edges_b) = (edges(a), edges(b));
    let mut axes = Vec::new();
    for (own, other) in [(&edges_a, &edges_a), (&edges_b, &edges_b), (&edges_a, &edges_b)] {
        axes.extend(own.iter().flat_map(|u| other.iter().map(|v| cross(*u, *v))));
    }
    let (mut relation, mut least) = (SolidRelation::Overlapping, f64::INFINITY);
    for axis in axes.into_iter().filter(|axis| *axis != [0; 3]) {
        let ((low_a, high_a), (low_b, high_b)) = (extent(axis, a), extent(axis, b));
        let overlap = (high_a - low_b).min(high_b - low_a);
        if overlap < 0 {
            return (SolidRelation::Clear, 0.0);
        }
        if overlap == 0 {
            relation = SolidRelation::Touching;
        }
        let length = (axis.iter().map(|x| x * x).sum::<i64>() as f64).sqrt();
        least = least.min(overlap as f64 / length);
    }
    (relation, least)
}

#[test]
fn tetrahedra_on_a_small_grid() {
    let n = if std::env::var_os("CAROM_SLOW").is_some() { 40_000 } else { 2500 };
    let mut random = Random::new(101);
    let mut counts = [0; 3];
    let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    for _ in 0..n {
        let side = 3 + random.below(4);
        let mut next = |shift: i64| loop {
            let t = [0; 4].map(|_| [0; 3].map(|_| random.below(side) as i64));
            let [u, v, w] = [1, 2, 3].map(|i| [0, 1, 2].map(|x| t[i][x] - t[0][x]));
            let normal = cross(u, v);
            if (0..3).map(|k| normal[k] * w[k]).sum::<i64>() != 0 {
                return t.map(|[x, y, z]| [x + shift, y, z]);
            }
        };
        let (a, b) = (next(0), next((side as i64) / 2));
        let (shape_a, shape_b) = (mesh(&a, &faces), mesh(&b, &faces));
        let (relation, depth) = expected(&a, &b);
        check(&shape_a, &HERE, &shape_b, &HERE, relation, &format!("{a:?} {b:?}"));
        counts[relation as usize] += 1;
        if relation == SolidRelation::Overlapping && counts[relation as usize] % 10 == 0 {
            let found = check_depth(&shape_a, &shape_b, &HERE);
            assert!(found.is_exact && (found.at_most - depth).abs() < 1e-9, "{found:?} {depth} {a:?} {b:?}");
            assert!(
                depth - 1e-9 < found.at_least && found.at_least <= depth * (1.0 + 1e-12),
                "{found:?} {depth}"
            );
        }
    }
    assert!(counts.iter().all(|c| 100 < *c), "{counts:?}");
}

/// Bodies of cells, moved by whole cells: they overlap if they share a cell, and touch if cells
/// touch.
#[test]
fn bodies_of_cells() {
    let n = if std::env::var_os("CAROM_SLOW").is_some() { 6000 } else { 400 };
    let mut random = Random::new(102);
    let mut counts = [0; 3];
    let mut bodies = Vec::new();
    while bodies.len() < 40 {
        let size = 2 + random.below(2) as i64;
        let cells: Vec<Int3> = (0..size * size * size)
            .map(|i| [i % size, i / size % size, i / size / size])
            .filter(|_| random.below(3) != 0)
            .collect();
        if cells.is_empty() {
            continue;
        }
        let shape = of_cells(&cells);
        if shape.ambiguity().is_none() {
            bodies.push((cells, shape));
        }
    }
    for _ in 0..n {
        let ((cells_a, a), (cells_b, b)) = (&bodies[random.below(40)], &bodies[random.below(40)]);
        let by = [0; 3].map(|_| random.below(7) as i64 - 3);
        let gaps = cells_a.iter().flat_map(|p| {
            cells_b.iter().map(move |q| (0..3).map(|k| (q[k] + by[k] - p[k]).abs()).max().unwrap())
        });
        let relation = match gaps.min() {
            Some(0) => SolidRelation::Overlapping,
            Some(1) => SolidRelation::Touching,
            _ => SolidRelation::Clear,
        };
        check(a, &HERE, b, &at(by), relation, &format!("{cells_a:?} {cells_b:?} {by:?}"));
        counts[relation as usize] += 1;
        if relation == SolidRelation::Overlapping && counts[relation as usize] % 20 == 0 {
            check_depth(a, b, &at(by));
        }
    }
    assert!(counts.iter().all(|c| 20 < *c), "{counts:?}");
}

/// A component in a solid, beside it, and in the box of a mesh that has no inside.
#[test]
fn components_in_solids_and_in_open_meshes() {
    let large = cuboid([0, 0, 0], [9, 9, 9]);
    let open = TriMesh::new(large.mesh().vertices().to_vec(), large.mesh().indices()[2..].to_vec()).unwrap();
    let open = MeshShape::new(open).unwrap();
    // An angle: its box is that of the large cube, and a corner of it is free.
    let angle = of_cells(&[[0, 0, 0], [1, 0, 0], [0, 1, 0]]);
    let small = cuboid([0, 0, 0], [1, 1, 1]);
    let sheet = mesh(&[[0, 0, 0], [1, 0, 0], [0, 1, 0]], &[[0, 1, 2]]);
    let two = of_cells(&[[0, 0, 0], [20, 0, 0]]);
    for (outer, inner, by, expected) in [
        (&large, &small, [4, 4, 4], Some(true)),
        (&large, &sheet, [4, 4, 4], Some(true)),
        (&large, &two, [4, 4, 4], Some(true)),
        (&large, &two, [-16, 4, 4], Some(true)),
        (&large, &small, [12, 4, 4], Some(false)),
        (&large, &two, [-10, 4, 4], Some(false)),
        (&open, &small, [4, 4, 4], None),
        (&open, &two, [-16, 4, 4], None),
        (&open, &small, [12, 4, 4], Some(false)),
        (&open, &two, [-10, 4, 4], Some(false)),
        (&small, &large, [-4, -4, -4], Some(false)),
    ] {
        assert_eq!(holds_component(outer, &HERE, inner, &at(by)), expected, "{by:?}");
        // The same with both moved.
        let (here, there) = (at([3, -5, 7]), at([by[0] + 3, by[1] - 5, by[2] + 7]));
        assert_eq!(holds_component(outer, &here, inner, &there), expected, "{by:?}");
    }
    let beside = Pose::from_translation(DVec3::new(1.25, 1.25, 0.25));
    let tiny = Pose::from_translation(DVec3::new(0.25, 0.25, 0.25));
    let speck = MeshShape::new(
        TriMesh::new(vec![DVec3::ZERO, DVec3::X * 0.25, DVec3::Y * 0.25], vec![[0, 1, 2]]).unwrap(),
    )
    .unwrap();
    assert_eq!(holds_component(&angle, &HERE, &speck, &beside), Some(false));
    assert_eq!(holds_component(&angle, &HERE, &speck, &tiny), Some(true));
}

/// A random point of the unit sphere.
fn direction(random: &mut Random) -> DVec3 {
    loop {
        let point = random.cube_point();
        if (0.01..1.0).contains(&point.length()) {
            return point.normalize();
        }
    }
}

/// The hull of random points on a sphere, with `n` vertices, so 3 n - 6 edges.
fn round_solid(n: usize, random: &mut Random) -> MeshShape {
    let points: Vec<DVec3> = (0..n).map(|_| direction(random)).collect();
    let hull = ConvexHull::from_points(&points).unwrap();
    let corners: Vec<DVec3> = hull.vertices().to_vec();
    let fans = (0..hull.n_faces() as u32).flat_map(|face| {
        let ring = hull.face_vertices(face).to_vec();
        (1..ring.len() - 1).map(move |k| [ring[0], ring[k], ring[k + 1]]).collect::<Vec<_>>()
    });
    MeshShape::new(TriMesh::new(corners, fans.collect()).unwrap()).unwrap()
}

/// The least extent of both along any face normal and any cross product of edges.
fn least_extent(a: &MeshShape, b: &MeshShape, by: DVec3) -> f64 {
    let sides = |shape: &MeshShape| -> (Vec<DVec3>, Vec<DVec3>) {
        let mesh = shape.mesh();
        let corners = || mesh.indices().iter().map(|t| t.map(|v| mesh.vertices()[v as usize]));
        let normals = corners().map(|[p, q, r]| (q - p).cross(r - p).normalize());
        let edges = corners().flat_map(|[p, q, r]| [(p, q), (q, r), (r, p)]);
        let one_each = edges.filter(|(p, q)| p.to_array() < q.to_array()).map(|(p, q)| q - p);
        (normals.collect(), one_each.collect())
    };
    let (normals_a, edges_a) = sides(a);
    let (normals_b, edges_b) = sides(b);
    let crosses = edges_a.iter().flat_map(|u| edges_b.iter().map(move |v| u.cross(*v)));
    let axes = crosses.filter_map(DVec3::try_normalize).flat_map(|axis| [axis, -axis]);
    let extent = |axis: DVec3| {
        let most = |shape: &MeshShape, axis: DVec3| {
            shape.mesh().vertices().iter().map(|p| axis.dot(*p)).fold(f64::NEG_INFINITY, f64::max)
        };
        most(a, axis) + most(b, -axis) - axis.dot(by)
    };
    let all = normals_a.into_iter().chain(normals_b.into_iter().map(|n| -n)).chain(axes);
    all.map(extent).fold(f64::INFINITY, f64::min)
}

/// Bounds hold for round solids with few and with very many pairs of edges. For few pairs they are
/// exact.
#[test]
fn round_solids_have_bounds_that_hold() {
    let mut random = Random::new(31);
    for (n, travel, n_runs) in [(12, 0.5, 20), (40, 1.5, 3), (110, 1.7, 2)] {
        for _ in 0..n_runs {
            let [a, b] = [0, 1].map(|_| round_solid(n, &mut random));
            let by = direction(&mut random) * travel;
            let found = solid_overlap(&a, &HERE, &b, &Pose::from_translation(by)).unwrap();
            let depth = least_extent(&a, &b, by);
            let what = format!("{n} vertices: {found:?}, depth {depth}");
            assert!(
                found.at_least <= depth * (1.0 + 1e-12) && depth <= found.at_most * (1.0 + 1e-12),
                "{what}"
            );
            let n_pairs = (3 * n - 6) * (3 * n - 6);
            assert_eq!(found.is_exact, n_pairs <= 1 << 16, "{what}");
            assert!(!found.is_exact || found.at_most - found.at_least < 1e-9, "{what}");
            let apart = Pose::from_translation(by + found.separation * (1.0 + 1e-9));
            assert_ne!(solid_relation(&a, &HERE, &b, &apart), Some(SolidRelation::Overlapping), "{what}");
        }
    }
}
