//! Self-intersections: published counts, all pairs of small random meshes by other predicates, and
//! neighbours in each position.

use carom_geom::TriMesh;
use carom_geom::segment_triangle::segment_meets_triangle;
use carom_geom::tri_intersection::Intersection;
use carom_math::Vec3;
use carom_math::predicates::orient3d;
use carom_query::{MeshShape, SelfIntersection, intersection_curves, self_intersections};
use carom_testkit::random::Random;
use carom_testkit::{data, meshes};
use glam::DVec3;

/// Triangles of one mesh that touch without a common corner.
#[test]
fn published_answers() {
    let Some(table) = data::json("pairs/self_intersections.json") else { return };
    let mut n_checked = 0;
    for row in table["meshes"].as_array().unwrap() {
        let name = row["mesh"].as_str().unwrap();
        let Some(mesh) = meshes::mesh(name) else { return };
        let corners = mesh.corners();
        let mesh = carom_geom::f64::TriMesh::new(mesh.vertices, mesh.indices).unwrap();
        let pairs = self_intersections(&carom_query::f64::MeshShape::new(mesh).unwrap());
        let apart: Vec<&SelfIntersection> = pairs.iter().filter(|pair| pair.n_shared == 0).collect();
        assert_eq!(apart.len() as u64, row["self_pairs"].as_u64().unwrap(), "{name}");
        for some in row["some"].as_array().unwrap() {
            let of = |i: usize| some[i].as_u64().unwrap() as u32;
            assert!(apart.iter().any(|pair| (pair.a, pair.b) == (of(0), of(1))), "{name}: {some}");
        }
        for pair in &pairs {
            let [a, b] = [pair.a, pair.b].map(|t| corners[t as usize]);
            check_points(&a, &b, pair);
        }
        let curves = intersection_curves(&pairs);
        // Each segment that is not tiny is a part of a curve.
        let largest = corners.iter().flatten().fold(0.0, |most: f64, p| most.max(p.abs().max_element()));
        let is_long = |ends: [DVec3; 2]| 1e-9 * largest < ends[0].distance(ends[1]);
        let has_segments = pairs
            .iter()
            .any(|pair| matches!(pair.intersection, Intersection::Segment(ends) if is_long(ends)));
        assert!(!has_segments || !curves.is_empty(), "{name}");
        assert!(curves.iter().all(|curve| 2 <= curve.len()), "{name}");
        n_checked += 1;
    }
    assert_eq!(n_checked, 35);
}

/// The points of a pair lie in the boxes of both triangles, up to rounding.
fn check_points(a: &[DVec3; 3], b: &[DVec3; 3], pair: &SelfIntersection) {
    assert!(!pair.intersection.points().is_empty(), "{pair:?}");
    for t in [a, b] {
        let (low, high) = (t[0].min(t[1]).min(t[2]), t[0].max(t[1]).max(t[2]));
        let slack = (low.abs().max(high.abs())).max_element() * 1e-12;
        for p in pair.intersection.points() {
            let inside = p.clamp(low, high);
            assert!(inside.distance(*p) <= slack, "{pair:?} {t:?}");
        }
    }
}

/// Whether two triangles with area share more than their common corners, by edges against
/// triangles: what else they share ends at an edge of one of them, opposite of the common corner.
fn is_intersecting(a: &[DVec3; 3], b: &[DVec3; 3]) -> bool {
    let is_shared = |p: &DVec3| a.contains(p) && b.contains(p);
    let shared: Vec<DVec3> = a.iter().copied().filter(is_shared).collect();
    let meets = |s: &[DVec3; 3], t: &[DVec3; 3]| {
        (0..3).any(|i| {
            let edge = [s[i], s[(i + 1) % 3]];
            !edge.iter().any(is_shared) && segment_meets_triangle(&edge, t)
        })
    };
    match shared[..] {
        [] | [_] => meets(a, b) || meets(b, a),
        [p, q] => {
            let third = |t: &[DVec3; 3]| *t.iter().find(|p| !is_shared(p)).unwrap();
            let (c, d) = (third(a), third(b));
            // Coordinates are small integers.
            let (n, m) = ((q - p).cross(c - p), (q - p).cross(d - p));
            orient3d(p, q, c, d) == 0.0 && 0.0 < n.dot(m)
        }
        _ => true,
    }
}

#[test]
fn random_meshes_have_the_pairs_of_all_pairs() {
    let mut random = Random::new(77);
    let mut by_shared = [[0_usize; 2]; 4];
    for round in 0..400 {
        // On a small grid most triangles are neighbours, and many lie in one plane.
        let n_vertices = 4 + random.below(12);
        let size = [2, 3, 5, 40][round % 4];
        let flat = round % 3 == 0;
        let mut coordinate = |is_flat: bool| if is_flat { 0.0 } else { random.below(size) as f32 };
        let vertices: Vec<Vec3> = (0..n_vertices)
            .map(|_| Vec3::new(coordinate(false), coordinate(false), coordinate(flat)))
            .collect();
        let mut triangles = Vec::new();
        for _ in 0..200 {
            let mut corner = || random.below(n_vertices) as u32;
            let t = [corner(), corner(), corner()];
            let [a, b, c] = t.map(|v| vertices[v as usize]);
            if (b - a).cross(c - a) != Vec3::ZERO && triangles.len() < 40 {
                triangles.push(t);
            }
        }
        if triangles.is_empty() {
            continue;
        }
        let mesh = TriMesh::new(vertices, triangles).unwrap();
        let corners: Vec<[DVec3; 3]> = mesh.iter_corners().collect();
        let found = self_intersections(&MeshShape::new(mesh).unwrap());
        let mut truth = Vec::new();
        for (i, a) in corners.iter().enumerate() {
            for (j, b) in corners.iter().enumerate().skip(i + 1) {
                let is_hit = is_intersecting(a, b);
                by_shared[a.iter().filter(|p| b.contains(p)).count()][usize::from(is_hit)] += 1;
                if is_hit {
                    truth.push((i as u32, j as u32));
                }
            }
        }
        let pairs: Vec<(u32, u32)> = found.iter().map(|pair| (pair.a, pair.b)).collect();
        assert_eq!(pairs, truth, "round {round}");
        for pair in &found {
            check_points(&corners[pair.a as usize], &corners[pair.b as usize], pair);
        }
    }
    let [apart, corner, edge, same] = by_shared;
    assert!([apart, corner, edge].as_flattened().iter().all(|n| 500 < *n) && 100 < same[1], "{by_shared:?}");
}

/// The pairs of two triangles.
fn pairs_of(corners: [[f32; 3]; 6]) -> Vec<SelfIntersection> {
    let mesh = TriMesh::new(corners.map(Vec3::from_array).to_vec(), vec![[0, 1, 2], [3, 4, 5]]).unwrap();
    self_intersections(&MeshShape::new(mesh).unwrap())
}

#[test]
fn neighbours_are_listed_only_if_they_meet_beyond() {
    let (o, x, y) = ([0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]);
    let with = |d, e, f| pairs_of([o, x, y, d, e, f]).len();
    // A common edge: beside it, upright, folded onto it, upright on the same side, and the same
    // triangle turned round.
    assert_eq!(with(x, o, [0.0, -4.0, 0.0]), 0);
    assert_eq!(with(x, o, [1.0, 1.0, 4.0]), 0);
    assert_eq!(with(x, o, [1.0, 1.0, 0.0]), 1);
    assert_eq!(with(x, o, [1.0, 1.0, 1.0e-30]), 0);
    assert_eq!(with(y, x, o), 1);
    // A common corner: beside it, through the triangle, along one side of it, and touching its
    // opposite edge.
    assert_eq!(with(o, [-1.0, 0.0, 0.0], [0.0, -1.0, 2.0]), 0);
    assert_eq!(with(o, [1.0, 1.0, -1.0], [1.0, 1.0, 1.0]), 1);
    assert_eq!(with(o, [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]), 1);
    assert_eq!(with(o, [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]), 0);
    // No common corner: a corner on an edge touches.
    assert_eq!(with([2.0, 0.0, 0.0], [2.0, -1.0, 0.0], [3.0, -1.0, 0.0]), 1);
    // Triangles without area: on the edge of their neighbour, and beyond it.
    assert_eq!(with(o, [2.0, 0.0, 0.0], x), 0);
    assert_eq!(with(o, [2.0, 0.0, 0.0], [3.0, 0.0, 0.0]), 1);
    assert_eq!(with(o, x, x), 0);
    assert_eq!(with(o, o, o), 0);
    assert_eq!(with(o, [-1.0, 0.0, 0.0], [-2.0, 0.0, 0.0]), 0);
    assert_eq!(with(o, o, [1.0, 1.0, 0.0]), 1);
    assert_eq!(with(o, o, [1.0, 1.0, 1.0]), 0);
}

/// Adds a box of side 2 from a corner.
fn add_box(vertices: &mut Vec<Vec3>, triangles: &mut Vec<[u32; 3]>, from: Vec3) {
    let first = vertices.len() as u32;
    vertices
        .extend((0..8).map(|i| from + 2.0 * Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32)));
    triangles.extend(meshes::BOX_TRIANGLES.iter().map(|t| t.map(|v| v + first)));
}

#[test]
fn curves_of_two_boxes_are_closed() {
    for shift in [Vec3::splat(1.0), Vec3::new(0.37, 0.71, 1.13), Vec3::new(-1.7, 0.3, 0.9)] {
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        let base = Vec3::new(0.1, -0.3, 7.7);
        add_box(&mut vertices, &mut triangles, base);
        add_box(&mut vertices, &mut triangles, base + shift);
        let mesh = TriMesh::new(vertices, triangles).unwrap();
        let pairs = self_intersections(&MeshShape::new(mesh).unwrap());
        assert!(pairs.iter().all(|pair| pair.a < 12 && 12 <= pair.b && pair.n_shared == 0));
        let curves = intersection_curves(&pairs);
        assert_eq!(curves.len(), 1, "{shift}");
        let curve = &curves[0];
        assert_eq!(curve.first(), curve.last());
        let length: f64 = curve.windows(2).map(|ends| ends[0].distance(ends[1])).sum();
        // The common part is a box; the curve has each of its three widths twice.
        let widths = (DVec3::splat(2.0) - shift.as_dvec3().abs()) * 2.0;
        assert!((length - widths.element_sum()).abs() < 1e-5, "{shift}: {length}");
    }
}
