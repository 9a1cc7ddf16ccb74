//! Meshes that change their shape: the trees that follow them, a few queries in each step, and a
//! cloth against itself.
//!
//! - `refit` is a step of a knot: new positions, trees that follow, and one small query. parry and
//!   obvhs are given the boxes of the triangles, and computing these is timed too.
//! - `ask N boxes` is a step with N small queries. The peers need a refit of the whole tree for
//!   it. Vertices move back and forth by a thousandth of the size. Times are means over steps,
//!   because lazy trees are refitted in some of them.
//! - `follow: VOLUME` is a tree of such volumes that follows the vertices of a bending knot, and a
//!   tree that is fitted again.
//! - `door: QUESTION` is a step of a knot through carom-query: new vertices, and one query. parry
//!   does the same by `set_vertices`, which refits its tree.
//! - `morph`, `linear skin`, `dual quaternion skin`, `modes` are a step of a knot that follows from
//!   parameters, with one small query. The peers compute all vertices by carom's code, and the
//!   boxes of all triangles.
//! - `morph, slanted needle` is the same for a needle that is not along an axis: boxes, balls and
//!   k-DOPs of the nodes, and in each case a test of the candidates.
//! - `crossings of a sheet` is a waving sheet against itself, with normal cones, without, and on a
//!   budget.
//! - `edit: 20 faces` removes some faces of that sheet and adds them again. The trees of the peers
//!   are rebuilt.
//! - `push-out: WAY` is a step of a waving sheet that lies in a ball, or of a ball in a ball, and
//!   depth and direction of each vertex in it. parry projects the vertices, or casts the same rays.
//! - The cloth is generated: a sheet that is rolled up, whose waves grow until its turns meet.
//!   With the data set there is also a cloth that lies crumpled on a ball. Its rows begin with
//!   `real`. The peer is ipc-toolkit, if Python has it; barriers have no peer.
//!
//! ipc-toolkit counts candidates, and its boxes are not rounded outwards. So counts may differ by a
//! ten-thousandth. Its free step is shorter than the certified one, by at most a quarter here.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

#[path = "deform/known.rs"]
mod known;
#[path = "deform/push_out.rs"]
mod push_out;

use carom_benches::peers::ipctk::Cloth;
use carom_benches::peers::{obvhs as obvhs_peer, parry};
use carom_benches::trees::boxes;
use carom_benches::{Answers, Comparison, Row, Runner, Unit};
use carom_bounds::{Aabb, BoundingVolume as _, KDop, Obb, Rss, Sphere};
use carom_bvh::{BuildSettings, Bvh, TreeVolume};
use carom_deform::{
    AutoTree, Cones, DeformableMesh, FeatureSearch, FollowingTree, HybridTree, LazyTree, PairKind,
    RebuiltTree, RefitTree,
};
use carom_geom::TriMesh;
use carom_math::{Interval, Pose, Ray};
use carom_query::{MeshShape, Shape, cast_ray, intersects, project_point};
use carom_scenes::Rng;
use carom_scenes::mesh::{Knot, torus_knot};
use carom_testkit::{data, meshes};
use glam::{DVec3, Vec3};
use obvhs::BvhBuildParams;
use parry3d::math::Pose as ParryPose;
use parry3d::partitioning::{Bvh as ParryBvh, BvhBuildStrategy, BvhWorkspace};
use parry3d::query::{PointQuery as _, RayCast as _};
use parry3d::shape::TriMesh as ParryMesh;
use std::cell::{Cell, RefCell};
use std::hint::black_box;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Relative tolerance of counts of candidates.
const ROUNDED_COUNT: f64 = 1e-4;

/// The allowed relative shortfall of a free step that was found by safe steps.
const SHORT_STEP: f64 = 0.25;

fn main() {
    let mut runner = Runner::new("deform");
    let sizes: &[usize] = if runner.is_quick() { &[100_000] } else { &[100_000, 1_000_000] };
    for &n in sizes {
        let knot = torus_knot(&Knot::default(), n);
        let vertices = knot.vertices_f32();
        let moved: Vec<Vec3> = vertices.iter().map(|v| *v + 0.001 * (*v * 7.0).map(f32::sin)).collect();
        let mut rng = Rng::new(5);
        for (workload, n_queries) in
            [("refit", 1), ("ask 1 box", 1), ("ask 10 boxes", 10), ("ask 100 boxes", 100)]
        {
            // Query boxes are around vertices, so that each finds something.
            let queries: Vec<Aabb> = (0..n_queries)
                .map(|_| vertices[rng.below(vertices.len())].as_dvec3())
                .map(|p| Aabb::around(p - DVec3::splat(0.02), p + DVec3::splat(0.02)))
                .collect();
            if runner.wants(workload) {
                box_queries(&mut runner, workload, [&vertices, &moved], &knot.triangles, &queries);
            }
        }
    }
    volumes(&mut runner);
    door(&mut runner);
    known::known(&mut runner);
    sheet(&mut runner);
    edits(&mut runner);
    push_out::race(&mut runner);
    let (before, after, faces) = rolled_cloth(if runner.is_quick() { 60 } else { 215 });
    cloth(&mut runner, "", &before, &after, &faces, [0.25, 1.0].map(|part| part * ROLL_GAP as f32));
    let real = meshes::mesh("cloth_ball92").zip(data::find("sequences/cloth_ball/positions_frame93.f32"));
    if let Some((mesh, file)) = real {
        let before: Vec<Vec3> = mesh.vertices.iter().map(|p| p.as_vec3()).collect();
        let bytes = std::fs::read(file).expect("the file is there");
        let numbers: Vec<f32> =
            bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        let after: Vec<Vec3> = numbers.chunks_exact(3).map(Vec3::from_slice).collect();
        cloth(&mut runner, "real ", &before, &after, &mesh.indices, [0.02, 0.1]);
    }
}

/// A step of a mesh and a few box queries.
struct Step<T> {
    mesh: DeformableMesh<T>,
    turn: usize,
    found: Vec<u32>,
}

impl<T: FollowingTree> Step<T> {
    fn new(positions: &[Vec3], triangles: &[[u32; 3]]) -> Step<T> {
        let mesh = DeformableMesh::from_triangles(positions, triangles.to_vec());
        Step { mesh: mesh.expect("vertices of a scene are finite").with_trees(), turn: 0, found: Vec::new() }
    }

    fn run(&mut self, positions: [&[Vec3]; 2], queries: &[Aabb]) {
        self.turn ^= 1;
        self.mesh.set_positions(positions[self.turn]).expect("vertices of a scene are finite");
        self.found.clear();
        queries.iter().for_each(|query| self.mesh.collect_faces_touching(query, &mut self.found));
    }
}

fn box_queries(
    runner: &mut Runner,
    workload: &str,
    positions: [&[Vec3]; 2],
    triangles: &[[u32; 3]],
    queries: &[Aabb],
) {
    let mut lazy = Step::<LazyTree>::new(positions[0], triangles);
    let mut auto = Step::<AutoTree>::new(positions[0], triangles);
    let mut refit = Step::<RefitTree>::new(positions[0], triangles);
    let mut hybrid = Step::<HybridTree>::new(positions[0], triangles);
    let mut rebuilt = Step::<RebuiltTree>::new(positions[0], triangles);
    let first = boxes(positions[0], triangles);
    let box_of = |turn: usize, triangle: [u32; 3]| {
        let [a, b, c] = triangle.map(|v| positions[turn][v as usize]);
        Aabb { min: a.min(b).min(c), max: a.max(b).max(c) }
    };

    let parry_boxes: Vec<_> = first.iter().map(parry::aabb).collect();
    let mut parry_tree = ParryBvh::from_leaves(BvhBuildStrategy::Binned, &parry_boxes);
    let (mut workspace, mut parry_turn, parry_found) = (BvhWorkspace::default(), 0, RefCell::new(Vec::new()));
    let mut run_parry = || {
        parry_turn ^= 1;
        for (i, &triangle) in triangles.iter().enumerate() {
            parry_tree.insert_or_update_partially(parry::aabb(&box_of(parry_turn, triangle)), i as u32, 0.0);
        }
        parry_tree.refit(&mut workspace);
        let mut found = parry_found.borrow_mut();
        found.clear();
        for query in queries {
            let around = parry::aabb(query);
            let touching = parry_tree.intersect_aabb(&around);
            found.extend(touching.filter(|&i| box_of(parry_turn, triangles[i as usize]).overlaps(query)));
        }
    };

    let mut obvhs_boxes: Vec<_> = first.iter().map(obvhs_peer::aabb).collect();
    let mut obvhs_tree = obvhs_peer::build(&obvhs_boxes, BvhBuildParams::fastest_build());
    let (mut obvhs_turn, obvhs_found) = (0, RefCell::new(Vec::new()));
    let mut run_obvhs = || {
        obvhs_turn ^= 1;
        for (aabb, &triangle) in obvhs_boxes.iter_mut().zip(triangles) {
            *aabb = obvhs_peer::aabb(&box_of(obvhs_turn, triangle));
        }
        obvhs_peer::refit(&mut obvhs_tree, &obvhs_boxes);
        let mut found = obvhs_found.borrow_mut();
        found.clear();
        for query in queries {
            obvhs_tree.aabb_traverse(obvhs_peer::aabb(query), |tree, node| {
                let node = &tree.nodes[node as usize];
                let first = node.first_index as usize;
                let own = &tree.primitive_indices[first..first + node.prim_count as usize];
                let touches = |&i: &u32| box_of(obvhs_turn, triangles[i as usize]).overlaps(query);
                found.extend(own.iter().copied().filter(touches));
                true
            });
        }
    };

    refit.run(positions, queries);
    lazy.run(positions, queries);
    auto.run(positions, queries);
    hybrid.run(positions, queries);
    rebuilt.run(positions, queries);
    run_parry();
    run_obvhs();
    let sorted = |found: &[u32]| {
        let mut sorted = found.to_vec();
        sorted.sort_unstable();
        sorted
    };
    let ours = sorted(&refit.found);
    let mut answers = Answers::new();
    for (what, found) in [
        ("lazy", &lazy.found),
        ("auto", &auto.found),
        ("hybrid", &hybrid.found),
        ("rebuilt", &rebuilt.found),
        ("parry", &parry_found.borrow()),
        ("obvhs", &obvhs_found.borrow()),
    ] {
        answers.equal(what, &ours, &sorted(found));
    }
    let row = Row { workload, size: triangles.len() as u64, unit: Unit::Us, per_call: 1 };
    let comparison = Comparison::new(answers);
    // The first entry is what a user would choose.
    let comparison = if workload == "refit" {
        comparison.entry("carom refit", || refit.run(positions, queries))
    } else {
        comparison
            .entry("carom lazy", || lazy.run(positions, queries))
            .entry("carom refit", || refit.run(positions, queries))
    };
    let comparison = comparison
        .entry("carom auto", || auto.run(positions, queries))
        .entry("carom hybrid", || hybrid.run(positions, queries))
        .entry("carom rebuilt", || rebuilt.run(positions, queries))
        .entry("parry refit", run_parry)
        .entry("obvhs refit", run_obvhs);
    runner.frames(row, 60, comparison, || {});
}

/// Returns the vertices of the knot, bent a little.
fn bent(vertices: &[Vec3]) -> Vec<Vec3> {
    vertices.iter().map(|v| *v + 0.05 * (*v * 3.0).map(f32::sin)).collect()
}

/// Volumes of each kind that follow a bending knot, beside a tree of such volumes that is fitted
/// again.
fn volumes(runner: &mut Runner) {
    follow_volumes::<Aabb>(runner, "follow: box");
    follow_volumes::<KDop<14>>(runner, "follow: 14-DOP");
    follow_volumes::<KDop<18>>(runner, "follow: 18-DOP");
    follow_volumes::<Sphere>(runner, "follow: sphere");
    follow_volumes::<Obb>(runner, "follow: oriented box");
    follow_volumes::<Rss>(runner, "follow: swept rectangle");
}

fn follow_volumes<V: TreeVolume>(runner: &mut Runner, workload: &str) {
    if !runner.wants(workload) {
        return;
    }
    let knot = torus_knot(&Knot::default(), if runner.is_quick() { 10_000 } else { 100_000 });
    let (rest, faces) = (knot.vertices_f32(), knot.triangles);
    let both = [bent(&rest), rest];
    let (all_boxes, settings) = (boxes(&both[1], &faces), BuildSettings::default());
    let fit = |vertices: &[Vec3], numbers: &[u32]| {
        let own = numbers.iter().flat_map(|&i| faces[i as usize]).map(|v| vertices[v as usize]);
        V::from_points(&own.collect::<Vec<Vec3>>())
    };
    let mut tree = Bvh::<V>::fitted(&all_boxes, &settings, |numbers| fit(&both[1], numbers))
        .expect("boxes of a scene are finite");
    let corners: Vec<[u32; 3]> = tree.primitives().iter().map(|&i| faces[i as usize]).collect();
    let mut turn = 1;
    let mut follow = |tree: &mut Bvh<V>| {
        turn = 1 - turn;
        tree.refit_points(&both[turn], &corners).expect("vertices of a scene are finite");
    };
    follow(&mut tree);
    let boxes_of_moved = boxes(&both[0], &faces);
    let anew =
        || Bvh::<V>::fitted(&boxes_of_moved, &settings, |numbers| fit(&both[0], numbers)).expect("as above");
    // Volumes contain the triangles, not their boxes.
    let has_vertex_in = |i: u32, query: &Aabb| {
        faces[i as usize].iter().any(|&v| query.overlaps(&Aabb::from_point(both[0][v as usize])))
    };
    let mut rng = Rng::new(8);
    let (mut answers, mut tests) = (Answers::new(), [0; 2]);
    let fresh = anew();
    for _ in 0..100 {
        let p = both[0][rng.below(both[0].len())].as_dvec3();
        let query = Aabb::around(p - DVec3::splat(0.02), p + DVec3::splat(0.02));
        let mut found = [&tree, &fresh].map(|tree| {
            let mut found = Vec::new();
            let visit = tree.visit_box(&query, |leaf| {
                let own = leaf.primitives.iter().copied();
                found.extend(own.filter(|&i| has_vertex_in(i, &query)));
                ControlFlow::Continue(())
            });
            found.sort_unstable();
            (found, visit.counters.volume_tests + visit.counters.primitives)
        });
        tests = [0, 1].map(|i| tests[i] + found[i].1);
        let [ours, theirs] = [0, 1].map(|i| core::mem::take(&mut found[i].0));
        answers.equal("fitted anew", &ours, &theirs);
    }
    let row = Row { workload, size: faces.len() as u64, unit: Unit::Ms, per_call: 1 };
    let comparison = Comparison::new(answers)
        .entry("carom refit", || follow(&mut tree))
        .entry("carom fitted anew", || _ = black_box(anew()));
    runner.compare_slow(row, comparison);
    println!("    tests of 100 small boxes: {} after a refit, {} fitted anew", tests[0], tests[1]);
}

/// The answer of a ray that hits nothing.
const MISS: f32 = -1.0;

/// The answer of a mesh as a number.
type Question<'a, M> = &'a dyn Fn(&M) -> f32;

/// A query of a knot with new vertices, through `MeshShape` of carom-query.
fn door(runner: &mut Runner) {
    let wanted = ["door: ray", "door: point", "door: ball"];
    if !wanted.iter().any(|workload| runner.wants(workload)) {
        return;
    }
    let knot = torus_knot(&Knot::default(), if runner.is_quick() { 10_000 } else { 100_000 });
    let (rest, faces) = (knot.vertices_f32(), knot.triangles);
    let both = [bent(&rest), rest];
    let mesh = TriMesh::new(both[1].clone(), faces.clone()).expect("a scene's mesh is one");
    let ours = RefCell::new(Arc::new(MeshShape::new(mesh).expect("a scene's mesh has a tree")));
    let fresh = || {
        let mesh = TriMesh::new(both[0].clone(), faces.clone()).expect("a scene's mesh is one");
        Arc::new(MeshShape::new(mesh).expect("a scene's mesh has a tree"))
    };
    let theirs = RefCell::new(parry::mesh(&both[1], &faces).expect("parry takes the mesh"));
    let their_vertices =
        [0, 1].map(|turn: usize| both[turn].iter().map(|v| parry::vector(*v)).collect::<Vec<_>>());
    let turns = [const { Cell::new(1_usize) }; 2];
    let next = |k: usize| turns[k].replace(1 - turns[k].get()) ^ 1;
    let follow = || {
        let mut ours = ours.borrow_mut();
        Arc::make_mut(&mut ours).set_vertices(&both[next(0)]).expect("vertices of a scene are finite");
        Shape::Mesh(ours.clone())
    };
    let follow_parry = || theirs.borrow_mut().set_vertices(&their_vertices[next(1)]);

    let here = Pose::IDENTITY;
    // The ray goes from outside to a vertex, so that it hits the knot at least at one of the
    // moments.
    let aim = both[0][both[0].len() / 2];
    let start = Vec3::new(0.3, 0.4, 4.0);
    let along = (aim - start).normalize();
    let ray = Ray::new(start, along);
    let their_ray = parry3d::query::Ray::new(parry::vector(start), parry::vector(along));
    let ball = Shape::Sphere(carom_geom::Sphere::new(0.1).expect("a radius"));
    let ball_at = Pose::from_translation(both[0][both[0].len() / 3] + 0.05);
    let their_ball = parry3d::shape::Ball::new(0.1);
    let by_ray = |mesh: &Shape| cast_ray(mesh, &here, &ray, Interval::FORWARD).map_or(MISS, |hit| hit.t);
    let by_point = |mesh: &Shape| project_point(mesh, &here, start).map_or(f32::NAN, |near| near.distance);
    let by_ball = |mesh: &Shape| f32::from(u8::from(intersects(mesh, &here, &ball, &ball_at)));
    let peer_by_ray = |mesh: &ParryMesh| mesh.cast_local_ray(&their_ray, f32::MAX, false).unwrap_or(MISS);
    let peer_by_point = |mesh: &ParryMesh| mesh.distance_to_local_point(parry::vector(start), false);
    let peer_by_ball = |mesh: &ParryMesh| {
        let meets = parry3d::query::intersection_test(
            &ParryPose::IDENTITY,
            mesh,
            &parry::pose(&ball_at),
            &their_ball,
        );
        f32::from(u8::from(meets.is_ok_and(|meets| meets.intersecting)))
    };
    let questions: [(Question<'_, Shape>, Question<'_, ParryMesh>); 3] =
        [(&by_ray, &peer_by_ray), (&by_point, &peer_by_point), (&by_ball, &peer_by_ball)];
    for (workload, (question, peer_question)) in wanted.into_iter().zip(questions) {
        if !runner.wants(workload) {
            continue;
        }
        let mut answers = Answers::new();
        turns.iter().for_each(|turn| turn.set(1));
        for _ in 0..2 {
            let ours = question(&follow());
            follow_parry();
            let theirs = peer_question(&theirs.borrow());
            answers.number("parry", ours.into(), theirs.into(), 1e-4);
        }
        let row = Row { workload, size: faces.len() as u64, unit: Unit::Ms, per_call: 1 };
        let comparison = Comparison::new(answers)
            .entry("carom", || _ = black_box(question(&follow())))
            .entry("carom built anew", || _ = black_box(question(&Shape::Mesh(fresh()))))
            .entry("parry set_vertices", || {
                follow_parry();
                black_box(peer_question(&theirs.borrow()));
            })
            .entry("parry built anew", || {
                let mesh = parry::mesh(&both[0], &faces).expect("parry takes the mesh");
                black_box(peer_question(&mesh));
            });
        runner.compare_slow(row, comparison);
    }
}

/// A waving sheet that does not cross itself, with normal cones and without.
fn sheet(runner: &mut Runner) {
    if !runner.wants("crossings of a sheet") {
        return;
    }
    let n = if runner.is_quick() { 60 } else { 224 };
    let positions = |phase: f32| -> Vec<Vec3> {
        let at = |i: usize| i as f32 / (n - 1) as f32;
        let coordinates = |i: usize| (at(i % n), at(i / n));
        let high = |x: f32, z: f32| 0.1 * ((9.0 * x + phase).sin() + (7.0 * z - phase).cos());
        (0..n * n).map(coordinates).map(|(x, z)| Vec3::new(x, high(x, z), z)).collect()
    };
    let both = [positions(0.0), positions(0.1)];
    let faces = grid(n);
    let mesh = || {
        let mesh = DeformableMesh::from_triangles(&both[0], faces.clone());
        mesh.expect("vertices of a scene are finite").with_trees::<RefitTree>()
    };
    let turns = [const { Cell::new(0_usize) }; 3];
    let mut with = (mesh(), FeatureSearch::default().with_cones(Cones::Auto));
    let mut without = (mesh(), FeatureSearch::default());
    let run = |k: usize, (mesh, search): &mut (DeformableMesh<RefitTree>, FeatureSearch)| {
        let turn = turns[k].replace(1 - turns[k].get());
        mesh.set_positions(&both[turn]).expect("vertices of a scene are finite");
        search.crossings(mesh).finish().pairs.len()
    };
    let mut in_parts = (mesh(), FeatureSearch::default());
    let run_in_parts = |(mesh, search): &mut (DeformableMesh<RefitTree>, FeatureSearch)| {
        let turn = turns[2].replace(1 - turns[2].get());
        mesh.set_positions(&both[turn]).expect("vertices of a scene are finite");
        let mut crossings = search.crossings(mesh);
        while !crossings.run(1000) {}
        crossings.finish().pairs.len()
    };
    let mut answers = Answers::new();
    let n_pairs = run(0, &mut with);
    answers.equal("crossings", &n_pairs, &run(1, &mut without));
    answers.equal("in parts", &n_pairs, &run_in_parts(&mut in_parts));
    let row = Row { workload: "crossings of a sheet", size: faces.len() as u64, unit: Unit::Ms, per_call: 1 };
    let comparison = Comparison::new(answers)
        .entry("carom cones", || _ = black_box(run(0, &mut with)))
        .entry("carom", || _ = black_box(run(1, &mut without)))
        .entry("carom in parts of 1000", || _ = black_box(run_in_parts(&mut in_parts)));
    runner.compare(row, comparison);
}

/// Some faces are removed and added again as the last ones, and one small query follows. Trees are
/// updated or rebuilt.
fn edits(runner: &mut Runner) {
    if !runner.wants("edit: 20 faces") {
        return;
    }
    let n = if runner.is_quick() { 60 } else { 224 };
    let positions = waving_sheet(n, 2.0, 0.0, 0.0);
    let mut mesh = DeformableMesh::from_triangles(&positions, grid(n))
        .expect("vertices of a scene are finite")
        .with_trees::<RefitTree>();
    let middle = positions[n * n / 2 + n / 2];
    let query = Aabb { min: middle - 0.01, max: middle + 0.01 };
    let faces = RefCell::new(grid(n));
    let found_in = |faces: &[[u32; 3]], found: &[u32]| {
        let mut found: Vec<[u32; 3]> = found.iter().map(|&face| faces[face as usize]).collect();
        found.sort_unstable();
        found
    };
    let mut first = 0;
    let mut edit = |found: &mut Vec<u32>| {
        first = (first + 4999) % (mesh.faces().len() - 20);
        let numbers: Vec<u32> = (first as u32..first as u32 + 20).collect();
        let taken = mesh.faces()[first..first + 20].to_vec();
        mesh.remove_faces(&numbers).expect("the faces are there");
        mesh.add_faces(&[], &taken).expect("the vertices are there");
        found.clear();
        mesh.collect_faces_touching(&query, found);
        let mut faces = faces.borrow_mut();
        faces.clear();
        faces.extend_from_slice(mesh.faces());
    };
    let build = |found: &mut Vec<u32>| {
        let mesh = DeformableMesh::from_triangles(&positions, faces.borrow().clone());
        let mut mesh = mesh.expect("vertices of a scene are finite").with_trees::<RefitTree>();
        found.clear();
        mesh.collect_faces_touching(&query, found);
    };
    let (mut found, mut anew, mut answers) = (Vec::new(), Vec::new(), Answers::new());
    build(&mut found);
    let before = found_in(&grid(n), &found);
    for _ in 0..20 {
        edit(&mut found);
        build(&mut anew);
        let faces = faces.borrow();
        answers.equal("as before", &found_in(&faces, &found), &before);
        answers.equal("the same faces", &found, &anew);
    }
    let row = Row { workload: "edit: 20 faces", size: grid(n).len() as u64, unit: Unit::Ms, per_call: 1 };
    let comparison = Comparison::new(answers)
        .entry("carom edit", || edit(&mut found))
        .entry("carom built anew", || build(&mut anew))
        .entry("parry built anew", || {
            black_box(parry::mesh(&positions, &faces.borrow()).expect("parry takes the mesh"));
        });
    runner.compare_slow(row, comparison);
}

/// Returns the vertices of a waving sheet: `n` by `n` vertices, with this side, around a height.
fn waving_sheet(n: usize, side: f32, height: f32, phase: f32) -> Vec<Vec3> {
    let at = |i: usize| side * (i as f32 / (n - 1) as f32 - 0.5);
    let coordinates = |i: usize| (at(i % n), at(i / n));
    let high = |x: f32, z: f32| height + 0.02 * ((9.0 * x + phase).sin() + (7.0 * z - phase).cos());
    (0..n * n).map(coordinates).map(|(x, z)| Vec3::new(x, high(x, z), z)).collect()
}

/// Returns the triangles of a grid of `n` by `n` vertices.
fn grid(n: usize) -> Vec<[u32; 3]> {
    let corners = (0..n * (n - 1)).filter(|v| v % n < n - 1);
    let faces = corners.flat_map(|v| [[v, v + n, v + 1], [v + 1, v + n, v + n + 1]]);
    faces.map(|face| face.map(|v| v as u32)).collect()
}

/// Distance of two turns of the roll.
const ROLL_GAP: f64 = 0.02;

/// A sheet of `n` by `n` vertices that is rolled up to three turns. Its waves grow until the turns
/// meet.
fn rolled_cloth(n: usize) -> (Vec<Vec3>, Vec<Vec3>, Vec<[u32; 3]>) {
    let at = |i: usize| i as f64 / (n - 1) as f64;
    let sheet = |height: f64| -> Vec<Vec3> {
        let position_of = |i: usize| {
            let (u, v) = (at(i % n), at(i / n));
            let turn = 3.0 * std::f64::consts::TAU * u;
            // The waves of neighbouring turns are opposite.
            let wave = height * ROLL_GAP * (40.0 * v + 5.5 * turn).sin();
            let radius = 0.3 + ROLL_GAP * 3.0 * u + wave;
            DVec3::new(radius * turn.cos(), radius * turn.sin(), 2.0 * v).as_vec3()
        };
        (0..n * n).map(position_of).collect()
    };
    (sheet(0.1), sheet(0.6), grid(n))
}

/// A cloth against itself: candidates, pairs that are near, contacts of a step, crossings.
fn cloth(
    runner: &mut Runner,
    prefix: &str,
    before: &[Vec3],
    after: &[Vec3],
    faces: &[[u32; 3]],
    distances: [f32; 2],
) {
    let all = [
        "candidates within",
        "candidates of a step",
        "pairs within",
        "barriers within",
        "free step",
        "crossings",
    ];
    if !all.iter().any(|workload| runner.wants(&format!("{prefix}{workload}"))) {
        return;
    }
    let mesh = DeformableMesh::from_triangles(before, faces.to_vec());
    let mut mesh = mesh.expect("vertices of a scene are finite").with_trees::<RefitTree>();
    mesh.set_positions(after).expect("vertices of a scene are finite");
    let mut search = FeatureSearch::default();
    let peer = RefCell::new(Cloth::start(before, after, faces));
    let query_peer = |question: &str| {
        peer.borrow_mut().as_mut().map_or((Vec::new(), f64::NAN), |peer| peer.query(question))
    };
    let has_peer = peer.borrow().is_some();
    let mut race = |workload: &str, question: &str, answers: Answers, work: &mut dyn FnMut()| {
        let workload = format!("{prefix}{workload}");
        let row = Row { workload: &workload, size: faces.len() as u64, unit: Unit::Ms, per_call: 1 };
        let mut comparison = Comparison::new(answers).entry("carom", work);
        if has_peer && !question.is_empty() {
            comparison = comparison.self_timed("ipctk", || query_peer(question).1);
        }
        runner.compare_slow(row, comparison);
    };
    let count = |pairs: &[carom_deform::FeaturePair]| {
        let edges = pairs.iter().filter(|pair| pair.kind == PairKind::EdgeEdge).count();
        [edges as f64, (pairs.len() - edges) as f64]
    };
    let compare = |answers: &mut Answers, ours: &[f64], theirs: &[f64], part: f64| {
        for (&ours, &theirs) in ours.iter().zip(theirs) {
            answers.number("", ours, theirs, part * ours.abs());
        }
    };
    for distance in distances {
        let mut answers = Answers::new();
        let question = format!("candidates {distance}");
        let found = search.candidates_within(&mut mesh, distance).finish();
        compare(&mut answers, &count(found.pairs), &query_peer(&question).0, ROUNDED_COUNT);
        race(&format!("candidates within {distance}"), &question, answers, &mut || {
            mesh.set_positions(after).expect("vertices of a scene are finite");
            black_box(search.candidates_within(&mut mesh, distance).finish().pairs.len());
        });
    }
    let step = |mesh: &mut DeformableMesh<RefitTree>| {
        mesh.set_positions(before).expect("vertices of a scene are finite");
        mesh.set_positions(after).expect("vertices of a scene are finite");
    };
    step(&mut mesh);
    let mut answers = Answers::new();
    let found = search.candidates_over_step(&mut mesh).finish();
    compare(&mut answers, &count(found.pairs), &query_peer("step").0, ROUNDED_COUNT);
    race("candidates of a step", "step", answers, &mut || {
        step(&mut mesh);
        black_box(search.candidates_over_step(&mut mesh).finish().pairs.len());
    });

    let [distance, _] = distances;
    let question = format!("within {distance}");
    let mut answers = Answers::new();
    let near = search.within(&mut mesh, distance).finish();
    let least = near.pairs.iter().map(|pair| pair.distance).fold(f64::INFINITY, f64::min);
    // Both are right up to the rounding of a square root of squares.
    for theirs in query_peer(&question).0 {
        answers.number("least distance", least, theirs, 1e-6);
    }
    race(&format!("pairs within {distance}"), &question, answers, &mut || {
        mesh.set_positions(after).expect("vertices of a scene are finite");
        black_box(search.within(&mut mesh, distance).finish().pairs.len());
    });

    let near = search.within(&mut mesh, distance).finish().pairs.to_vec();
    let reach = f64::from(distance);
    let barriers = || {
        let all = near.iter().filter_map(|pair| pair.barrier(&pair.stencil(&mesh, &mesh), 0.0, reach));
        all.map(|barrier| barrier.gradient.iter().sum::<DVec3>().length()).fold(0.0, f64::max)
    };
    let mut answers = Answers::new();
    // The barrier forces of a pair have no resultant.
    answers.number("sum of a gradient", barriers(), 0.0, 1e-12);
    race(&format!("barriers within {distance}"), "", answers, &mut || _ = black_box(barriers()));

    let mut answers = Answers::new();
    step(&mut mesh);
    let free = search.impacts(&mut mesh).finish().free_step();
    // A cloth that meets itself at the beginning has no free step to compare.
    if free.n_at_start == 0 {
        compare(&mut answers, &[free.fraction], &query_peer("free").0, SHORT_STEP);
    }
    race("free step", "free", answers, &mut || {
        step(&mut mesh);
        black_box(search.impacts(&mut mesh).finish().free_step());
    });

    let mut answers = Answers::new();
    let crosses = !search.crossings(&mut mesh).finish().pairs.is_empty();
    for theirs in query_peer("crossings").0 {
        answers.equal("whether it crosses itself", &crosses, &(theirs != 0.0));
    }
    race("crossings", "crossings", answers, &mut || {
        mesh.set_positions(after).expect("vertices of a scene are finite");
        black_box(search.crossings(&mut mesh).finish().pairs.len());
    });
}
