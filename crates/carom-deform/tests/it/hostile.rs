//! Inputs of the worst kind: empty, degenerate, doubled, tiny and huge meshes, against brute
//! force.

use crate::scenes::grid;
use carom_bounds::Aabb;
use carom_ccd::{Element, ElementSettings, TimeOfImpact};
use carom_deform::{
    AutoTree, BoneWeights, Cones, ContactSides, DeformError, DeformableMesh, DualQuaternionTree, FeaturePair,
    FeatureSearch, FollowingTree, HybridTree, LazyTree, LinearSkinTree, MAX_POSITION, ModalTree, MorphTree,
    OverlapRegion, PairKind, RayDepths, RebuiltTree, RefitTree, VoxelOverlap,
};
use carom_geom::tri_distance::{point_triangle_within, segment_segment_within};
use carom_testkit::oracle::triangle::hulls_meet;
use carom_testkit::random::Random;
use glam::{DVec3, Vec3};

const SCALES: [f32; 5] = [1e-44, 1e-30, 1.0, 1e25, MAX_POSITION * 0.25];

/// Meshes at a scale, each with the positions of a next step.
fn meshes(scale: f32) -> Vec<(String, DeformableMesh, Vec<Vec3>)> {
    let mut random = Random::new(3);
    let soup: Vec<Vec3> = (0..24).map(|_| random.cube_point().as_vec3()).collect();
    let of = |n: u32| (0..n).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect::<Vec<_>>();
    let square = [Vec3::ZERO, Vec3::X, Vec3::Z, Vec3::X + Vec3::Z, Vec3::Y, Vec3::NEG_Y];
    let line: Vec<Vec3> = (0..9).map(|i| Vec3::splat(i as f32 / 9.0)).collect();
    let all = [
        ("nothing", vec![], vec![]),
        ("a vertex without faces", vec![Vec3::X], vec![]),
        ("a face that is a point", vec![Vec3::X], vec![[0, 0, 0]]),
        ("many faces at one point", vec![Vec3::X; 9], of(3)),
        ("faces that repeat a vertex", square.to_vec(), vec![[0, 0, 1], [4, 5, 5], [2, 3, 2], [0, 3, 1]]),
        ("three equal faces", square.to_vec(), vec![[0, 1, 2], [0, 1, 2], [2, 1, 0]]),
        ("equal faces of other vertices", [&square[..3], &square[..3], &square[..3]].concat(), of(3)),
        ("four faces at an edge", square.to_vec(), vec![[0, 1, 2], [0, 1, 3], [0, 1, 4], [1, 0, 5]]),
        ("faces on a line", line, of(3)),
        ("a soup", soup, of(8)),
        ("a flat sheet", (0..16).map(|i| Vec3::new((i % 4) as f32, 0.0, (i / 4) as f32)).collect(), grid(4)),
    ];
    all.into_iter()
        .map(|(name, positions, triangles)| {
            let positions: Vec<Vec3> = positions.iter().map(|p| *p * scale).collect();
            let next = positions.iter().map(|p| Vec3::new(p.z, -p.x, p.y * 0.5)).collect();
            let mesh = DeformableMesh::from_triangles(&positions, triangles).unwrap();
            (format!("{name}, scale {scale:e}"), mesh, next)
        })
        .collect()
}

fn wide<const N: usize>(positions: &[Vec3], vertices: [u32; N]) -> [DVec3; N] {
    vertices.map(|v| positions[v as usize].as_dvec3())
}

/// Vertex-face and edge-edge pairs of one mesh that share no vertex, with their positions before
/// and now.
fn all_pairs(mesh: &DeformableMesh) -> Vec<(FeaturePair, [DVec3; 4], [DVec3; 4])> {
    let mut all = Vec::new();
    let mut add = |kind, a, b, v: [u32; 4]| {
        all.push((FeaturePair { kind, a, b }, wide(mesh.before(), v), wide(mesh.positions(), v)));
    };
    for &vertex in mesh.surface_vertices() {
        for (face, &[a, b, c]) in (0..).zip(mesh.faces()) {
            if ![a, b, c].contains(&vertex) {
                add(PairKind::VertexFace, vertex, face, [vertex, a, b, c]);
            }
        }
    }
    for (i, &[a, b]) in (0..).zip(mesh.edges()) {
        for (j, &[c, d]) in (0..).zip(mesh.edges()).skip(i as usize + 1) {
            if ![c, d].contains(&a) && ![c, d].contains(&b) {
                add(PairKind::EdgeEdge, i, j, [a, b, c, d]);
            }
        }
    }
    all.sort_unstable_by_key(|(pair, _, _)| *pair);
    all
}

fn check_searches(name: &str, mesh: &mut DeformableMesh, max_distance: f32) {
    let all = all_pairs(mesh);
    let mut search = FeatureSearch::default().with_cones(Cones::Always);
    let reach = f64::from(max_distance) + f64::from(mesh.thickness());
    let expected: Vec<FeaturePair> = all
        .iter()
        .filter(|(pair, _, [p, q, r, s])| match pair.kind {
            PairKind::VertexFace => point_triangle_within(*p, &[*q, *r, *s], reach),
            _ => segment_segment_within(&[*p, *q], &[*r, *s], reach),
        })
        .map(|(pair, _, _)| *pair)
        .collect();
    let mut near = search.within(&mut *mesh, max_distance);
    assert!(near.progress() <= 1.0 && (!near.run(0) || expected.is_empty()), "{name}");
    let found: Vec<FeaturePair> = near.finish().pairs.iter().map(|near| near.pair).collect();
    assert_eq!(found, expected, "{name}, within {max_distance:e}");

    let settings = ElementSettings::default().with_minimum_separation(f64::from(mesh.thickness()));
    let impacts = search.impacts(&mut *mesh).finish();
    let step = impacts.free_step();
    assert!((0.0..=1.0).contains(&step.fraction), "{name} {step:?}");
    for (pair, start, end) in &all {
        let element = match pair.kind {
            PairKind::VertexFace => Element::vertex_face(*start, *end),
            _ => Element::edge_edge(*start, *end),
        };
        let is_hit = matches!(element.unwrap().time_of_impact(&settings), TimeOfImpact::Hit(_));
        let is_found = impacts.pairs.binary_search_by_key(pair, |impact| impact.pair).is_ok();
        assert!(!is_hit || is_found, "{name}: {pair:?}");
    }

    let corners: Vec<[DVec3; 3]> = mesh.faces().iter().map(|t| wide(mesh.positions(), *t)).collect();
    let mut expected = Vec::new();
    for (i, s) in mesh.faces().iter().enumerate() {
        for (j, t) in mesh.faces().iter().enumerate().skip(i + 1) {
            if !s.iter().any(|v| t.contains(v)) && hulls_meet(&corners[i], &corners[j]) {
                expected.push(FeaturePair { kind: PairKind::FaceFace, a: i as u32, b: j as u32 });
            }
        }
    }
    assert_eq!(search.crossings(&mut *mesh).finish().pairs, expected, "{name}");
}

#[test]
fn searches_of_the_worst_meshes_are_those_of_brute_force() {
    for scale in SCALES {
        for (name, mut mesh, next) in meshes(scale) {
            check_searches(&name, &mut mesh, 0.0);
            mesh.set_positions(&next).unwrap();
            for (thickness, max_distance) in [(0.0, scale * 0.25), (scale * 0.5, 0.0), (scale, f32::MAX)] {
                mesh.set_thickness(thickness).unwrap();
                check_searches(&name, &mut mesh, max_distance);
            }
        }
    }
}

#[test]
fn a_thickness_far_from_the_size_is_kept() {
    for thickness in [1e-40, 1e-30, 1.0, 1e20, MAX_POSITION] {
        for (name, mut mesh, next) in meshes(1.0) {
            mesh.set_positions(&next).unwrap();
            mesh.set_thickness(thickness).unwrap();
            check_searches(&format!("{name}, thickness {thickness:e}"), &mut mesh, 0.0);
        }
    }
}

#[test]
fn regions_and_voxels_of_the_worst_meshes_miss_nothing() {
    let (mut region, mut n_found) = (OverlapRegion::default(), 0);
    for scale in SCALES {
        let all = meshes(scale);
        for (name_a, a, _) in &all {
            for (name_b, b, _) in &all {
                let mut expected = Vec::new();
                for (i, s) in (0..).zip(a.faces()) {
                    for (j, t) in (0..).zip(b.faces()) {
                        if hulls_meet(&wide(a.positions(), *s), &wide(b.positions(), *t)) {
                            expected.push(FeaturePair { kind: PairKind::FaceFace, a: i, b: j });
                        }
                    }
                }
                assert_eq!(region.crossings(a, b).finish().pairs, expected, "{name_a}, {name_b}");
                for resolution in [1, 7, 65] {
                    let may_touch = VoxelOverlap::new(resolution).unwrap().may_touch(a, b);
                    assert!(may_touch || expected.is_empty(), "{name_a}, {name_b}, {resolution} voxels");
                }
                n_found += expected.len();
            }
        }
    }
    assert!(1000 < n_found, "{n_found}");
}

#[test]
fn push_outs_of_the_worst_meshes_are_finite() {
    for scale in SCALES {
        for (name_a, mut cloth, next) in meshes(scale) {
            for (name_b, mut collider, _) in meshes(scale) {
                let mut sides = ContactSides::new(&collider, scale.max(f32::MIN_POSITIVE)).unwrap();
                let mut rays = RayDepths::new(0);
                for positions in [cloth.positions().to_vec(), next.clone()] {
                    cloth.set_positions(&positions).unwrap();
                    let mut update = sides.update(&cloth, &mut collider).unwrap();
                    assert_eq!(update.run(0), cloth.surface_vertices().is_empty());
                    let found = update.finish().push_outs.to_vec();
                    let by_rays = rays.update(&cloth, &mut collider).finish().push_outs;
                    for push_out in found.iter().chain(by_rays) {
                        let length = push_out.direction.length();
                        assert!((length - 1.0).abs() < 1e-6, "{name_a}, {name_b}: {push_out:?}");
                        assert!(0.0 < push_out.depth && push_out.depth.is_finite(), "{push_out:?}");
                    }
                }
            }
        }
    }
}

/// Queries that contain a point, everything or nothing.
fn queries() -> Vec<Aabb> {
    let (p, nan) = (Vec3::new(0.5, 0.0, 0.5), Vec3::new(0.5, f32::NAN, 0.5));
    [
        (p, p),
        (Vec3::splat(-1.0), Vec3::splat(0.5)),
        (Vec3::MIN, Vec3::MAX),
        (Vec3::NEG_INFINITY, Vec3::INFINITY),
        (Vec3::INFINITY, Vec3::NEG_INFINITY),
        (p + Vec3::X * 0.1, p),
        (Vec3::splat(0.25), Vec3::new(1.0, 0.2, 1.0)),
        (nan, p),
        (p, nan),
        (nan, nan),
    ]
    .map(|(min, max)| Aabb { min, max })
    .to_vec()
}

/// Faces whose boxes touch the query; a query without a point touches none.
fn touching(mesh: &DeformableMesh, query: &Aabb) -> Vec<u32> {
    let is_hit = |t: &[u32; 3]| {
        let corners = t.map(|v| mesh.positions()[v as usize]);
        let (min, max) =
            (corners[0].min(corners[1]).min(corners[2]), corners[0].max(corners[1]).max(corners[2]));
        (0..3).all(|k| query.min[k] <= query.max[k] && query.min[k] <= max[k] && min[k] <= query.max[k])
    };
    (0..).zip(mesh.faces()).filter(|(_, t)| is_hit(t)).map(|(face, _)| face).collect()
}

fn check_queries<T: FollowingTree>(mesh: &DeformableMesh, next: &[Vec3]) {
    let (mut plain, mut tree) = (mesh.clone(), mesh.clone().with_trees::<T>());
    for positions in [mesh.positions(), next, next, mesh.positions()] {
        plain.set_positions(positions).unwrap();
        tree.set_positions(positions).unwrap();
        for query in queries() {
            let mut found = Vec::new();
            tree.collect_faces_touching(&query, &mut found);
            assert_eq!(found, touching(&plain, &query), "{} {query:?}", std::any::type_name::<T>());
        }
    }
}

#[test]
fn all_trees_give_the_same_for_queries_of_the_worst_kind() {
    for scale in SCALES {
        for (_, mesh, next) in meshes(scale) {
            check_queries::<RefitTree>(&mesh, &next);
            check_queries::<LazyTree>(&mesh, &next);
            check_queries::<HybridTree>(&mesh, &next);
            check_queries::<RebuiltTree>(&mesh, &next);
            check_queries::<AutoTree>(&mesh, &next);
            let (rest, faces) = (mesh.positions(), mesh.faces().to_vec());
            let bones =
                BoneWeights::new(&vec![[0, 9]; rest.len()], &vec![[1.0, 0.0]; rest.len()], 1).unwrap();
            let none: [Vec<Vec3>; 0] = [];
            let mut morph = MorphTree::new(rest, &none, faces.clone()).unwrap();
            morph.set_weights(&[]).unwrap();
            let mut modal = ModalTree::new(rest, &none, faces.clone()).unwrap();
            let mut linear = LinearSkinTree::new(rest, bones.clone(), faces.clone()).unwrap();
            let mut dual = DualQuaternionTree::new(rest, bones, faces).unwrap();
            for query in queries() {
                let mut found = [const { Vec::new() }; 4];
                morph.collect_faces_touching(&query, &mut found[0]);
                modal.collect_faces_touching(&query, &mut found[1]);
                linear.collect_faces_touching(&query, &mut found[2]);
                dual.collect_faces_touching(&query, &mut found[3]);
                let expected = touching(&mesh, &query);
                assert!(found.iter().all(|found| *found == expected), "{query:?}: {found:?} {expected:?}");
            }
        }
    }
}

#[test]
fn a_skin_without_bones_or_vertices_is_empty() {
    let bones = BoneWeights::new::<0>(&[], &[], 0).unwrap();
    assert!(BoneWeights::new::<0>(&[[]], &[[]], 0).is_err());
    let mut linear = LinearSkinTree::new(&[], bones.clone(), vec![]).unwrap();
    let mut dual = DualQuaternionTree::new(&[], bones, vec![]).unwrap();
    linear.set_bones(&[]).unwrap();
    dual.set_bones(&[]).unwrap();
    let mut found = Vec::new();
    for query in queries() {
        linear.collect_faces_touching(&query, &mut found);
        dual.collect_faces_touching(&query, &mut found);
    }
    assert!(found.is_empty(), "{found:?}");
}

fn check_edits<T: FollowingTree>(mesh: &DeformableMesh, next: &[Vec3]) {
    let mut mesh = mesh.clone().with_trees::<T>().with_neighbours_by_place();
    let mut search = FeatureSearch::default();
    let check = |mesh: &mut DeformableMesh<T>, search: &mut FeatureSearch| {
        let mut anew = DeformableMesh::from_triangles(mesh.before(), mesh.faces().to_vec()).unwrap();
        anew.set_positions(mesh.positions()).unwrap();
        assert_eq!(mesh.edges(), anew.edges());
        assert_eq!(mesh.surface_vertices(), anew.surface_vertices());
        // Neighbours differ, so boxes are compared alone.
        for query in queries() {
            let (mut found, mut expected) = (Vec::new(), Vec::new());
            mesh.collect_faces_touching(&query, &mut found);
            anew.collect_faces_touching(&query, &mut expected);
            assert_eq!(found, expected, "{query:?}");
        }
        search.impacts(&mut *mesh).finish();
        search.crossings(&mut *mesh).finish();
    };
    let _ = search.candidates_within(&mut mesh, 0.5).finish();
    mesh.set_positions(next).unwrap();
    let faces = mesh.faces().to_vec();
    let edges: Vec<[u32; 2]> = mesh.edges().iter().flat_map(|&[v, w]| [[v, w], [w, v], [v, w]]).collect();
    let made = mesh.tear(&edges).unwrap();
    assert_eq!(mesh.positions().len(), next.len() + made.len());
    check(&mut mesh, &mut search);
    mesh.tear(mesh.edges().to_vec().as_slice()).unwrap();
    let every: Vec<u32> = (0..faces.len() as u32).chain(0..faces.len() as u32).collect();
    mesh.remove_faces(&every).unwrap();
    mesh.remove_faces(&[]).unwrap();
    check(&mut mesh, &mut search);
    mesh.add_faces(&[], &faces).unwrap();
    mesh.remove_faces(&every).unwrap();
    let n = mesh.positions().len() as u32;
    mesh.add_faces(&[Vec3::X, Vec3::Y, Vec3::Z], &[[n, n + 1, n + 2], [n, n, n], [n + 2, n + 1, n]]).unwrap();
    mesh.add_faces(&[], &faces).unwrap();
    check(&mut mesh, &mut search);
    mesh.remove_faces(&every[..every.len() / 2]).unwrap();
    mesh.remove_unused_vertices();
    check(&mut mesh, &mut search);
    let last: Vec<u32> = (0..mesh.faces().len() as u32).collect();
    mesh.remove_faces(&last).unwrap();
    mesh.remove_unused_vertices();
    assert_eq!((mesh.positions().len(), mesh.faces().len()), (0, 0));
    check(&mut mesh, &mut search);
}

#[test]
fn edits_that_remove_all_and_add_again_leave_a_mesh_as_made_anew() {
    for scale in SCALES {
        for (_, mesh, next) in meshes(scale) {
            check_edits::<RefitTree>(&mesh, &next);
            check_edits::<LazyTree>(&mesh, &next);
            check_edits::<HybridTree>(&mesh, &next);
            check_edits::<RebuiltTree>(&mesh, &next);
            check_edits::<AutoTree>(&mesh, &next);
        }
    }
}

#[test]
fn a_collider_with_other_faces_is_refused_also_if_there_are_as_many() {
    let positions = [0, 1, 2, 3, 4, 5].map(|i| Vec3::new((i % 3) as f32, (i / 3) as f32, (i * i) as f32));
    let collider = DeformableMesh::from_triangles(&positions, vec![[0, 1, 2], [3, 4, 5]]).unwrap();
    let cloth = collider.clone();
    let mut sides = ContactSides::new(&collider, 1.0).unwrap();
    // Fewer vertices, whose numbers are lower.
    let mut fewer = collider.clone();
    fewer.remove_faces(&[0]).unwrap();
    fewer.remove_unused_vertices();
    fewer.add_faces(&[], &[[0, 1, 2]]).unwrap();
    let mut turned = collider.clone();
    turned.remove_faces(&[1]).unwrap();
    turned.add_faces(&[], &[[3, 5, 4]]).unwrap();
    let mut more = collider.clone();
    more.add_faces(&[], &[[0, 1, 2]]).unwrap();
    let mut none = collider.clone();
    none.remove_faces(&[0, 1]).unwrap();
    for (mut other, face) in [(fewer, 1), (turned, 1), (more, 2), (none, 0)] {
        let refused = sides.update(&cloth, &mut other).map(|_| ());
        assert_eq!(refused, Err(DeformError::OtherCollider { face }));
    }
    let mut moved = collider.clone();
    moved.add_faces(&[Vec3::ONE], &[]).unwrap();
    assert!(sides.update(&cloth, &mut moved).is_ok(), "the faces are the same");
}

/// Faces that share no vertex are a sheet each.
#[test]
fn many_sheets_within_reach_cost_a_sort_and_no_more() {
    let n = 20_000_u32;
    let positions: Vec<Vec3> = (0..3 * n)
        .map(|i| Vec3::new((i % 3 == 1) as u8 as f32, i as f32 * 1e-6, (i % 3 == 2) as u8 as f32))
        .collect();
    let triangles = (0..n).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let mut collider = DeformableMesh::from_triangles(&positions, triangles).unwrap();
    let at = [Vec3::splat(0.1), Vec3::splat(0.11), Vec3::splat(0.12)];
    let cloth = DeformableMesh::from_triangles(&at, vec![[0, 1, 2]]).unwrap();
    let mut sides = ContactSides::new(&collider, 1.0).unwrap();
    let start = std::time::Instant::now();
    let counters = sides.update(&cloth, &mut collider).unwrap().finish().counters;
    assert_eq!(counters.face_tests, 3 * u64::from(n));
    assert!(start.elapsed().as_secs_f64() < 1.0, "{:?}", start.elapsed());
}

/// The contour of a strip has two long sides, whose segments all overlap along the short axis.
#[test]
fn cones_of_a_long_strip_take_few_tests_along_any_axis() {
    let n = 4000_u32;
    for turn in
        [|x: f32, y: f32| Vec3::new(x, y, 0.0), |x, y| Vec3::new(y, x, 0.0), |x, y| Vec3::new(0.0, y, x)]
    {
        let positions: Vec<Vec3> = (0..2 * n).map(|i| turn((i / 2) as f32, (i % 2) as f32)).collect();
        let triangles = (0..n - 1).flat_map(|i| {
            let [a, b, c, d] = [2 * i, 2 * i + 1, 2 * i + 2, 2 * i + 3];
            [[a, c, b], [b, c, d]]
        });
        let mut strip = DeformableMesh::from_triangles(&positions, triangles.collect()).unwrap();
        let mut search = FeatureSearch::default().with_cones(Cones::Always);
        let found = search.crossings(&mut strip).finish();
        assert_eq!(found.pairs, []);
        assert!(found.counters.cone_tests < 20 * u64::from(n), "{:?}", found.counters);
    }
}

#[test]
fn ropes_and_bodies_of_the_worst_kind_are_edited() {
    let mut search = FeatureSearch::default();
    let positions = [0, 1, 2, 3, 4].map(|i| Vec3::new(i as f32, (i * i % 3) as f32, (i % 2) as f32));
    let segments = vec![[0, 0], [0, 1], [1, 0], [0, 1], [1, 2], [1, 3], [1, 4], [1, 1]];
    let mut rope = DeformableMesh::from_segments(&positions, segments.clone()).unwrap();
    search.within(&mut rope, 1.0).finish();
    let made = rope.cut(&[1, 1, 0, 1]).unwrap();
    assert!(made.iter().all(|&from| from < 2), "{made:?}");
    assert!(rope.cut(&[99]).is_err());
    let ends: Vec<[Vec3; 2]> =
        rope.segments().iter().map(|s| s.map(|v| rope.positions()[v as usize])).collect();
    let before: Vec<[Vec3; 2]> = segments.iter().map(|s| s.map(|v| positions[v as usize])).collect();
    assert_eq!(ends, before, "nothing moves");
    let mut used: Vec<[u32; 2]> = rope.segments().to_vec();
    used.iter_mut().for_each(|segment| segment.sort_unstable());
    assert!(
        used[1..7].iter().enumerate().all(|(i, s)| used[i + 2..7].iter().all(|t| t[0] != s[0])),
        "{used:?}"
    );
    search.impacts(&mut rope).finish();
    rope.remove_segments(&[0, 1, 2, 3, 4, 5, 6, 7]).unwrap();
    assert_eq!(search.within(&mut rope, 1.0).finish().pairs.len(), 0);
    rope.add_segments(&[], &segments).unwrap();
    let mut anew = DeformableMesh::from_segments(rope.positions(), segments).unwrap();
    let near = search.within(&mut rope, 1.0).finish().pairs.to_vec();
    assert_eq!(near, search.within(&mut anew, 1.0).finish().pairs);

    let all = vec![[0, 0, 1, 2], [0, 1, 2, 3], [0, 1, 2, 3], [1, 1, 1, 1], [0, 1, 2, 4], [3, 2, 1, 0]];
    let mut body = DeformableMesh::from_tetrahedra(&positions, &all).unwrap();
    search.impacts(&mut body).finish();
    body.fracture(&[[0, 1, 2], [2, 1, 0], [1, 1, 1]]).unwrap();
    search.crossings(&mut body).finish();
    body.remove_tetrahedra(&[0, 1, 2, 3, 4, 5]).unwrap();
    assert_eq!((body.faces().len(), body.surface_vertices().len()), (0, 0));
    body.remove_unused_vertices();
    let added = body.add_tetrahedra(&positions, &all[1..2]).unwrap();
    assert_eq!((added.vertices, added.elements, body.faces().len()), (0..5, 0..1, 4));
    search.crossings(&mut body).finish();
}

/// All corners of a fan are at one place, and none is shared.
#[test]
fn a_seam_of_many_vertices_at_one_position_is_torn() {
    let n = 600_u32;
    let rim = |i: u32| {
        let angle = std::f32::consts::TAU * (i % n) as f32 / n as f32;
        Vec3::new(angle.cos(), 0.0, angle.sin())
    };
    let positions: Vec<Vec3> = (0..n).flat_map(|i| [Vec3::ZERO, rim(i + 1), rim(i)]).collect();
    let faces: Vec<[u32; 3]> = (0..n).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let fan = DeformableMesh::from_triangles(&positions, faces).unwrap();
    let mut search = FeatureSearch::default();
    let mut welded = fan.clone().with_neighbours_by_place();
    assert_eq!(search.crossings(&mut welded).finish().pairs, []);
    // Each triangle has its own vertex already, so no vertex is made, but the two sides separate.
    let half = n / 2;
    assert!(welded.tear(&[[0, 1], [3 * half, 3 * half + 1]]).unwrap().is_empty());
    assert_eq!(search.crossings(&mut welded).finish().pairs.len(), (half * half) as usize);
    let all: Vec<[u32; 2]> = fan.edges().to_vec();
    assert!(welded.tear(&all).unwrap().is_empty());
    assert_eq!(search.crossings(&mut welded).finish().pairs.len(), (n * (n - 1) / 2) as usize);
}

#[test]
fn a_search_that_is_dropped_changes_no_later_answer() {
    let (mut search, mut region) =
        (FeatureSearch::default().with_cones(Cones::Always), OverlapRegion::default());
    let mut voxels = VoxelOverlap::new(16).unwrap();
    for (name, mut mesh, next) in meshes(1.0) {
        let mut other = mesh.clone();
        mesh.set_positions(&next).unwrap();
        let fresh = FeatureSearch::default().within(&mut mesh, 0.5).finish().pairs.to_vec();
        search.impacts((&mut mesh, &mut other)).run(1);
        search.crossings(&mut mesh).run(0);
        region.crossings(&mesh, &other).run(3);
        voxels.search(&mesh, &other).run(5);
        mesh.set_thickness(1.0).unwrap();
        search.candidates_over_step(&mut mesh).run(1);
        mesh.set_thickness(0.0).unwrap();
        assert_eq!(search.within(&mut mesh, 0.5).finish().pairs, fresh, "{name}");
        let mut by_trees = search.crossings((&mut mesh, &mut other));
        while !by_trees.run(1) {}
        assert!(by_trees.run(0) && by_trees.progress() == 1.0, "{name}");
        let by_trees = by_trees.finish().pairs.to_vec();
        let mut by_region = region.crossings(&mesh, &other);
        while !by_region.run(1) {}
        assert_eq!(by_region.finish().pairs, by_trees, "{name}");
        assert!(voxels.may_touch(&mesh, &other) || by_trees.is_empty(), "{name}");
    }
}
