//! Edits: separated and joined elements, numbers, errors, and trees.

use crate::scenes::{grid, waves};
use carom_bounds::Aabb;
use carom_deform::{
    AutoTree, DeformError, DeformableMesh, FeatureSearch, FollowingTree, HybridTree, LazyTree, RebuiltTree,
    RefitTree,
};
use carom_geom::mesh_topology::{MeshTopology, NO_TRIANGLE};
use carom_testkit::random::Random;
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};

/// Checks that features, numbers, owners and answers are those of a mesh made anew.
fn check_like_new(mesh: &mut DeformableMesh, what: &str) {
    let mut anew = DeformableMesh::from_triangles(mesh.before(), mesh.faces().to_vec()).unwrap();
    anew.set_positions(mesh.positions()).unwrap();
    assert_eq!(mesh.edges(), anew.edges(), "{what}");
    assert_eq!(mesh.edge_owners(), anew.edge_owners(), "{what}");
    assert_eq!(mesh.surface_vertices(), anew.surface_vertices(), "{what}");
    let mut search = FeatureSearch::default();
    let near = search.within(&mut *mesh, 0.25).finish().pairs.to_vec();
    assert_eq!(near, search.within(&mut anew, 0.25).finish().pairs, "{what}");
    let impacts = search.impacts(&mut *mesh).finish().pairs.to_vec();
    assert_eq!(impacts, search.impacts(&mut anew).finish().pairs, "{what}");
    check_topology(mesh, what);
}

/// Checks the topology by positions against that by numbers, with a different position for each
/// vertex.
fn check_topology(mesh: &DeformableMesh, what: &str) {
    let mut random = Random::new(5);
    let positions: Vec<_> = mesh.positions().iter().map(|_| random.cube_point()).collect();
    let corners: Vec<_> = mesh.faces().iter().map(|t| t.map(|v| positions[v as usize])).collect();
    let topology = MeshTopology::new(&corners);
    assert_eq!(topology.n_vertices(), mesh.surface_vertices().len(), "{what}");
    let mut numbers: BTreeMap<[u32; 2], Vec<u32>> = BTreeMap::new();
    for (t, face) in (0..).zip(mesh.faces()) {
        for k in 0..3 {
            let (v, w) = (face[k], face[(k + 1) % 3]);
            numbers.entry([v.min(w), v.max(w)]).or_default().push(t);
        }
    }
    let owners: BTreeMap<[u32; 2], u32> =
        mesh.edges().iter().copied().zip(mesh.edge_owners().iter().copied()).collect();
    for (t, face) in (0..).zip(mesh.faces()) {
        for k in 0..3 {
            let (v, w) = (face[k], face[(k + 1) % 3]);
            let edge = [v.min(w), v.max(w)];
            let beyond = topology.neighbours(t)[k];
            let is_known = beyond != NO_TRIANGLE || numbers[&edge].len() == 1;
            assert!(!is_known || numbers[&edge].iter().all(|&f| f == t || f == beyond), "{what}: {t} {k}");
            assert!(!is_known || topology.is_owner(t, k) == (owners[&edge] == t), "{what}: {t} {k}");
        }
    }
}

/// Checks that corners at an end of a torn edge share their vertex if, and only if, faces lead
/// from one to the other over edges at this vertex that are not torn. All other corners stay as
/// they are.
fn check_torn(before: &[[u32; 3]], after: &[[u32; 3]], torn: &[[u32; 2]], made: &[u32], n_vertices: usize) {
    let torn: BTreeSet<[u32; 2]> = torn.iter().map(|&[v, w]| [v.min(w), v.max(w)]).collect();
    let ends: BTreeSet<u32> = torn.iter().flatten().copied().collect();
    let origin = |v: u32| made.get((v as usize).wrapping_sub(n_vertices)).copied().unwrap_or(v);
    assert!(before.iter().zip(after).all(|(t, u)| *t == u.map(origin)));
    for vertex in 0..n_vertices as u32 {
        let corner = |i: usize| before[i].iter().position(|&v| v == vertex).map(|k| after[i][k]);
        let around: Vec<usize> = (0..before.len()).filter(|&i| corner(i).is_some()).collect();
        let mut group: Vec<usize> = (0..around.len()).collect();
        // One pass for each face, so the lowest number reaches all faces of a group.
        for _ in &around {
            for (i, &f) in around.iter().enumerate() {
                for (j, &g) in around.iter().enumerate() {
                    let shared = before[f].iter().find(|v| **v != vertex && before[g].contains(v));
                    let is_whole = |&v: &u32| !torn.contains(&[v.min(vertex), v.max(vertex)]);
                    if shared.is_some_and(is_whole)
                        || before[f].iter().any(|v| *v != vertex && is_whole(v) && before[g].contains(v))
                    {
                        group[i] = group[i].min(group[j]);
                    }
                }
            }
        }
        for (i, &f) in around.iter().enumerate() {
            for (j, &g) in around.iter().enumerate() {
                let is_one = !ends.contains(&vertex) || group[i] == group[j];
                assert_eq!(corner(f) == corner(g), is_one, "vertex {vertex}, faces {f} and {g}");
            }
        }
        // The lowest face keeps the vertex.
        assert!(around.first().is_none_or(|&f| corner(f) == Some(vertex)));
    }
}

#[test]
fn what_other_edges_hold_together_stays_whole() {
    let mut random = Random::new(21);
    let (mut n_made, mut n_whole) = (0, 0);
    for round in 0..40 {
        let n = 5;
        let mut triangles = grid(n);
        if round % 4 == 1 {
            // Edges with three faces, and doubled faces.
            triangles.extend([[0, 6, 24], [6, 12, 4], [6, 7, 12], triangles[3], triangles[9]]);
        }
        let mut mesh = DeformableMesh::from_triangles(&waves(n, 0.3, 0.0), triangles).unwrap();
        mesh.set_positions(&waves(n, 0.5, 1.0)).unwrap();
        for _ in 0..3 {
            let (faces, n_vertices) = (mesh.faces().to_vec(), mesh.positions().len());
            let count = 1 + random.below([1, 4, 12, 40][round % 4]);
            let torn: Vec<[u32; 2]> = (0..count)
                .map(|_| {
                    let [v, w] = mesh.edges()[random.below(mesh.edges().len())];
                    if random.below(2) == 0 { [v, w] } else { [w, v] }
                })
                .collect();
            let made = mesh.tear(&torn).unwrap();
            check_torn(&faces, mesh.faces(), &torn, &made, n_vertices);
            for (moment, label) in [(mesh.before(), "before"), (mesh.positions(), "now")] {
                assert_eq!(moment.len(), n_vertices + made.len());
                for (new, &from) in (n_vertices..).zip(&made) {
                    assert_eq!(moment[new], moment[from as usize], "{label}");
                }
            }
            check_like_new(&mut mesh, &format!("round {round}"));
            (n_made, n_whole) = (n_made + made.len(), n_whole + usize::from(made.is_empty()));
        }
    }
    assert!(200 < n_made && 5 < n_whole, "{n_made} {n_whole}");
}

#[test]
fn a_sheet_that_is_torn_across_is_two() {
    let n = 6;
    let mut mesh = DeformableMesh::from_triangles(&waves(n, 0.0, 0.0), grid(n)).unwrap();
    let row = |i: u32| 2 * n as u32 + i;
    // An inner edge opens nothing, nor does an edge along the border. An edge from the border
    // inwards opens the sheet.
    assert_eq!(mesh.tear(&[[row(2), row(3)]]).unwrap(), [0; 0]);
    assert_eq!(mesh.tear(&[[0, 1]]).unwrap(), [0; 0]);
    assert_eq!(mesh.tear(&[]).unwrap(), [0; 0]);
    assert_eq!(mesh.tear(&[[row(0), row(1)]]).unwrap(), [row(0)]);
    // The first vertex was copied already.
    let rest: Vec<[u32; 2]> = (1..n as u32 - 1).map(|i| [row(i), row(i + 1)]).collect();
    let torn: Vec<[u32; 2]> = [[row(0), row(1)]].into_iter().chain(rest).collect();
    let made = mesh.tear(&torn).unwrap();
    assert_eq!(made, (1..n as u32).map(row).collect::<Vec<_>>());
    // No face of the lower side has a vertex of the upper side.
    let mut side = vec![0; mesh.positions().len()];
    for (i, face) in mesh.faces().iter().enumerate() {
        let own = if i < mesh.faces().len() * 2 / 5 { 1 } else { 2 };
        face.iter().for_each(|&v| side[v as usize] |= own);
    }
    assert!(side.iter().all(|&side| side != 3));
    // The two borders have the same positions, and count as contacts from now on.
    let mut search = FeatureSearch::default();
    let touching = search.within(&mut mesh, 0.0).finish();
    assert!(n <= touching.pairs.len(), "{}", touching.pairs.len());
    let apart: Vec<Vec3> =
        mesh.positions().iter().zip(&side).map(|(p, side)| *p + Vec3::Y * *side as f32).collect();
    mesh.set_positions(&apart).unwrap();
    assert_eq!(search.within(&mut mesh, 0.5).finish().pairs, []);
}

/// Vertices that count as one by position are separated as one, and the two sides are no longer
/// neighbours.
#[test]
fn seams_by_position_tear_as_if_they_were_welded() {
    let n = 4;
    let flat = waves(n, 0.0, 0.0);
    // Each triangle has vertices of its own.
    let corners: Vec<Vec3> = grid(n).iter().flat_map(|t| t.map(|v| flat[v as usize])).collect();
    let soup: Vec<[u32; 3]> = (0..grid(n).len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let mut search = FeatureSearch::default();
    let mut welded = DeformableMesh::from_triangles(&flat, grid(n)).unwrap();
    let mut seams = DeformableMesh::from_triangles(&corners, soup).unwrap().with_neighbours_by_place();
    assert_eq!(search.within(&mut seams, 0.0).finish().pairs, []);
    // A corner of a triangle with the position of a vertex of the grid.
    let at = |v: u32| grid(n).as_flattened().iter().position(|&w| w == v).unwrap() as u32;
    let row: Vec<[u32; 2]> = (4..7).map(|v| [v, v + 1]).collect();
    assert_eq!(welded.tear(&row).unwrap().len(), 4);
    // No vertex is copied, because each triangle has its own.
    assert_eq!(seams.tear(&row.iter().map(|e| e.map(at)).collect::<Vec<_>>()).unwrap(), [0; 0]);
    let a = search.within(&mut welded, 0.0).finish().pairs.len();
    let b = search.within(&mut seams, 0.0).finish().pairs.len();
    assert!(0 < a && a <= b, "{a} {b}");
    // Moved apart along the tear, neither touches itself.
    for mesh in [&mut welded, &mut seams] {
        let mut is_low = vec![false; mesh.positions().len()];
        mesh.faces()[6..].iter().flatten().for_each(|&v| is_low[v as usize] = true);
        let apart: Vec<Vec3> = mesh
            .positions()
            .iter()
            .zip(&is_low)
            .map(|(p, is_low)| if *is_low { *p + Vec3::Y } else { *p })
            .collect();
        mesh.set_positions(&apart).unwrap();
        assert_eq!(search.within(&mut *mesh, 0.0).finish().pairs, []);
    }
}

#[test]
fn remeshing_is_removing_and_adding() {
    let mut random = Random::new(8);
    let n = 9;
    let mut mesh = DeformableMesh::from_triangles(&waves(n, 0.4, 0.0), grid(n)).unwrap();
    for round in 0..20 {
        // Some triangles are split at their middles.
        let mut split: Vec<u32> =
            (0..1 + random.below(12)).map(|_| random.below(mesh.faces().len()) as u32).collect();
        split.sort_unstable();
        split.dedup();
        let old: Vec<[u32; 3]> = split.iter().map(|&i| mesh.faces()[i as usize]).collect();
        let middles: Vec<Vec3> =
            old.iter().map(|t| t.iter().map(|&v| mesh.positions()[v as usize]).sum::<Vec3>() / 3.0).collect();
        let first = mesh.positions().len() as u32;
        let pieces: Vec<[u32; 3]> =
            (first..).zip(&old).flat_map(|(m, &[a, b, c])| [[a, b, m], [b, c, m], [c, a, m]]).collect();
        let expected: Vec<[u32; 3]> = (0..)
            .zip(mesh.faces())
            .filter(|(i, _)| !split.contains(i))
            .map(|(_, t)| *t)
            .chain(pieces.iter().copied())
            .collect();
        split.reverse();
        mesh.remove_faces(&split).unwrap();
        let added = mesh.add_faces(&middles, &pieces).unwrap();
        assert_eq!(mesh.faces(), expected);
        assert_eq!(added.vertices, first..first + middles.len() as u32);
        assert_eq!(added.elements, (expected.len() - pieces.len()) as u32..expected.len() as u32);
        check_like_new(&mut mesh, &format!("round {round}"));
        let moved: Vec<Vec3> =
            mesh.positions().iter().map(|p| *p + (random.cube_point() * 0.1).as_vec3()).collect();
        mesh.set_positions(&moved).unwrap();
        check_like_new(&mut mesh, &format!("round {round}, moved"));
    }
    // All faces are removed, and then some are added.
    mesh.remove_faces(&(0..mesh.faces().len() as u32).collect::<Vec<_>>()).unwrap();
    check_like_new(&mut mesh, "nothing");
    assert_eq!(mesh.remove_unused_vertices(), [0; 0]);
    let added = mesh.add_faces(&waves(n, 0.4, 0.0), &grid(n)).unwrap();
    assert_eq!(added.vertices, 0..81);
    check_like_new(&mut mesh, "all anew");
}

#[test]
fn unused_vertices_go_and_the_rest_keep_their_order() {
    let n = 7;
    let mut mesh =
        DeformableMesh::from_triangles(&waves(n, 0.4, 0.0), grid(n)).unwrap().with_neighbours_by_place();
    mesh.set_positions(&waves(n, 0.4, 0.5)).unwrap();
    mesh.tear(&[[6, 12], [12, 18], [18, 24], [10, 17], [17, 24], [24, 31]]).unwrap();
    mesh.remove_faces(&(0..30).collect::<Vec<_>>()).unwrap();
    let mut search = FeatureSearch::default();
    let pairs = search.within(&mut mesh, 0.5).finish().pairs.to_vec();
    let (was, faces) = (mesh.positions().to_vec(), mesh.faces().to_vec());
    let origins = mesh.remove_unused_vertices();
    assert!(origins.is_sorted() && origins.len() < was.len());
    assert_eq!(
        origins,
        mesh.remove_unused_vertices().iter().map(|&i| origins[i as usize]).collect::<Vec<_>>()
    );
    assert!(mesh.positions().iter().zip(&origins).all(|(p, &from)| *p == was[from as usize]));
    assert!(mesh.faces().iter().zip(&faces).all(|(t, u)| t.map(|v| origins[v as usize]) == *u));
    let same = search.within(&mut mesh, 0.5).finish().pairs;
    assert!(!pairs.is_empty() && pairs.iter().zip(same).all(|(p, q)| p.distance == q.distance));
    assert_eq!(pairs.len(), same.len());
    check_topology(&mesh, "");
}

#[test]
fn ropes_are_cut_and_bodies_break() {
    let points: Vec<Vec3> = (0..6).map(|i| Vec3::new(i as f32, 0.0, 0.0)).collect();
    let rope = (0..5).map(|i| [i, i + 1]).chain([[2, 5], [0, 1]]).collect();
    let mut rope = DeformableMesh::from_segments(&points, rope).unwrap();
    // Three segments end at vertex 2, and vertex 0 is the end of two equal segments.
    assert_eq!(rope.cut(&[2, 0]).unwrap(), [0, 2, 2]);
    assert_eq!(rope.edges(), [[0, 1], [1, 2], [3, 7], [3, 4], [4, 5], [5, 8], [1, 6]]);
    rope.remove_segments(&[0, 4]).unwrap();
    assert_eq!(rope.edges(), [[1, 2], [3, 7], [3, 4], [5, 8], [1, 6]]);
    let added = rope.add_segments(&[Vec3::Y], &[[9, 1], [9, 2]]).unwrap();
    assert_eq!((added.vertices, added.elements), (9..10, 5..7));
    assert_eq!(rope.edges().len(), 7);
    assert_eq!(rope.tear(&[[1, 2]]), Err(DeformError::OtherElements));

    // Two tetrahedra that share the face 1, 2, 4.
    let corners: Vec<Vec3> =
        (0..5).map(|i| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32)).collect();
    let mut body = DeformableMesh::from_tetrahedra(&corners, &[[0, 1, 2, 4], [1, 3, 2, 4]]).unwrap();
    assert_eq!(body.fracture(&[[4, 1, 2]]).unwrap(), [1, 2, 4]);
    assert_eq!((body.faces().len(), body.edges().len(), body.surface_vertices().len()), (8, 12, 8));
    let added = body.add_tetrahedra(&[Vec3::splat(2.0)], &[[1, 0, 2, 8]]).unwrap();
    assert_eq!((added.elements, body.faces().len()), (2..3, 10));
    body.remove_tetrahedra(&[0]).unwrap();
    assert_eq!(body.faces().len(), 8);
    let anew = DeformableMesh::from_tetrahedra(body.positions(), &[[5, 3, 6, 7], [1, 0, 2, 8]]).unwrap();
    assert_eq!((body.faces(), body.edges()), (anew.faces(), anew.edges()));
    assert_eq!(body.surface_vertices(), anew.surface_vertices());
    assert_eq!(body.remove_faces(&[0]), Err(DeformError::OtherElements));
}

#[test]
fn refused_edits_name_the_first_offender_and_change_nothing() {
    let n = 4;
    let mut mesh = DeformableMesh::from_triangles(&waves(n, 0.1, 0.0), grid(n)).unwrap();
    let before = format!("{mesh:?}");
    let p = Vec3::ZERO;
    let nan = Vec3::new(0.0, f32::NAN, 0.0);
    assert_eq!(mesh.remove_faces(&[3, 18, 19]), Err(DeformError::NoSuchElement { index: 1 }));
    assert_eq!(mesh.tear(&[[0, 1], [0, 2]]), Err(DeformError::NoSuchJoint { index: 1 }));
    assert_eq!(mesh.tear(&[[0, 99]]), Err(DeformError::NoSuchJoint { index: 0 }));
    assert_eq!(mesh.tear(&[[1, 1]]), Err(DeformError::NoSuchJoint { index: 0 }));
    let added = mesh.add_faces(&[p, p], &[[0, 1, 17], [0, 18, 1]]);
    assert_eq!(added, Err(DeformError::NoSuchVertex { element: 1 }));
    assert_eq!(mesh.add_faces(&[p, nan], &[]), Err(DeformError::NotFinite { vertex: 17 }));
    let far = [Vec3::X * 1e38];
    assert_eq!(mesh.add_faces(&far, &[[0, 99, 0]]), Err(DeformError::TooLarge { vertex: 16 }));
    assert_eq!(mesh.cut(&[0]), Err(DeformError::OtherElements));
    assert_eq!(mesh.fracture(&[]), Err(DeformError::OtherElements));
    assert_eq!(mesh.add_segments(&[], &[]), Err(DeformError::OtherElements));
    assert_eq!(mesh.add_tetrahedra(&[], &[]), Err(DeformError::OtherElements));
    assert_eq!(mesh.remove_segments(&[]), Err(DeformError::OtherElements));
    assert_eq!(mesh.remove_tetrahedra(&[]), Err(DeformError::OtherElements));
    assert_eq!(format!("{mesh:?}"), before);
}

/// Trees follow a small tear without a build, and new features are near their originals. Several
/// edits are followed at once.
#[test]
fn trees_follow_a_small_tear_without_a_build() {
    fn check<T: FollowingTree>(name: &str) {
        let n = 80;
        let mut mesh =
            DeformableMesh::from_triangles(&waves(n, 0.2, 0.0), grid(n)).unwrap().with_trees::<T>();
        let before = mesh.tree_work();
        let row = |i: usize| (40 * n + i) as u32;
        for i in 0..20 {
            mesh.tear(&[[row(i), row(i + 1)]]).unwrap();
        }
        mesh.remove_faces(&[5, 6, 7]).unwrap();
        FeatureSearch::default().candidates_within(&mut mesh, 0.0).finish();
        for (work, before) in mesh.tree_work().iter().zip(before) {
            assert_eq!(work.edits, 1, "{name}");
            // Only full leaves along the tear.
            assert!(work.renewed < 400, "{name}: {}", work.renewed);
            assert!(work.updates - before.updates < 80_000, "{name}");
        }
        // Nearly as few tests as with a tree of the new mesh.
        let tests = |mesh: &mut DeformableMesh<T>| {
            let before = mesh.tree_work()[2].box_tests;
            for p in waves(n, 0.2, 0.0).iter().step_by(37) {
                mesh.collect_faces_touching(&Aabb { min: *p - 0.05, max: *p + 0.05 }, &mut Vec::new());
            }
            mesh.tree_work()[2].box_tests - before
        };
        let mut anew = DeformableMesh::from_triangles(mesh.positions(), mesh.faces().to_vec())
            .unwrap()
            .with_trees::<T>();
        let (followed, fresh) = (tests(&mut mesh), tests(&mut anew));
        assert!(10 * followed < 11 * fresh, "{name}: {followed} {fresh}");
        // If most features are new, the tree is rebuilt, and that is counted.
        mesh.add_faces(&[], &[grid(n), grid(n)].concat()).unwrap();
        mesh.collect_faces_touching(&Aabb { min: Vec3::ZERO, max: Vec3::ONE }, &mut Vec::new());
        let renewed = mesh.tree_work()[2].renewed;
        assert!(3 * 12_000 < renewed, "{name}: {renewed}");
    }
    check::<RefitTree>("refit");
    check::<LazyTree>("lazy");
    check::<HybridTree>("hybrid");
    check::<RebuiltTree>("rebuilt");
    check::<AutoTree>("auto");
}
