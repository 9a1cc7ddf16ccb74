//! Morph targets, modes and skins: a query computes only the vertices near it.

use crate::Step;
use carom_benches::peers::parry;
use carom_benches::{Answers, Comparison, Row, Runner, Unit};
use carom_bounds::{Aabb, BoundingVolume as _, KDop, Slabs};
use carom_deform::known::{BoneWeights, Deformation, KnownTree, Modes, Morph, MorphKDop};
use carom_deform::{
    DualQuaternionTree, KnownError, LinearSkinTree, ModalTree, MorphKDopTree, MorphTree, RefitTree,
};
use carom_math::Pose;
use carom_scenes::mesh::{Knot, torus_knot};
use glam::{Affine3A, DVec3, Quat, Vec3};
use parry3d::partitioning::{Bvh as ParryBvh, BvhBuildStrategy, BvhWorkspace};
use std::cell::Cell;
use std::hint::black_box;

/// Trees of known deformations, of which a query visits a small part.
pub(crate) fn known(runner: &mut Runner) {
    let knot = torus_knot(&Knot::default(), 100_000);
    let (rest, faces) = (knot.vertices_f32(), knot.triangles);
    let fields = [5.0_f32, 7.0, 9.0, 11.0]
        .map(|rate| rest.iter().map(|p| 0.01 * (*p * rate).map(f32::sin)).collect::<Vec<Vec3>>());
    let middle = rest[rest.len() / 2].as_dvec3();
    let query = Aabb::around(middle - DVec3::splat(0.05), middle + DVec3::splat(0.05));
    // Eight bones along x, each vertex between two of them.
    let coordinate_of = |p: &Vec3| ((p.x + 1.5) / 3.0 * 7.0).clamp(0.0, 6.999);
    let bones: Vec<[u16; 2]> =
        rest.iter().map(|p| [coordinate_of(p) as u16, coordinate_of(p) as u16 + 1]).collect();
    let weights: Vec<[f32; 2]> =
        rest.iter().map(|p| [1.0 - coordinate_of(p).fract(), coordinate_of(p).fract()]).collect();
    let bones = || BoneWeights::new(&bones, &weights, 8).expect("the weights have the sum 1");
    let pose = |bone: usize, turn: usize| {
        let angle = 0.02 * bone as f32 * (1.0 - turn as f32);
        Pose::new(Quat::from_rotation_z(angle), Vec3::new(0.0, 0.01 * angle, 0.0))
    };
    let poses = [0, 1].map(|turn| core::array::from_fn::<_, 8, _>(|bone| pose(bone, turn)));
    let maps = poses.map(|all| all.map(|p| Affine3A::from_rotation_translation(p.rotation, p.translation)));
    let factors = [[0.2, -0.4, 1.0, 0.3], [-0.2, 0.4, 0.5, 0.3]];

    let tree = MorphTree::new(&rest, &fields, faces.clone()).expect("the targets fit");
    race_known(runner, "morph", tree, &query, |tree, turn| tree.set_weights(&factors[turn]));
    needle(runner, &rest, &fields, &faces, &factors);
    let tree = ModalTree::new(&rest, &fields, faces.clone()).expect("the modes fit");
    race_known(runner, "modes", tree, &query, |tree, turn| tree.set_amplitudes(&factors[turn]));
    let tree = LinearSkinTree::new(&rest, bones(), faces.clone()).expect("the skin fits");
    race_known(runner, "linear skin", tree, &query, |tree, turn| tree.set_bones(&maps[turn]));
    let tree = DualQuaternionTree::new(&rest, bones(), faces).expect("the skin fits");
    race_known(runner, "dual quaternion skin", tree, &query, |tree, turn| tree.set_bones(&poses[turn]));
}

/// Sets the weights of a turn and queries. Returns the number of candidates, and of those that
/// touch the needle.
type QueryFn<'a> = Box<dyn FnMut(usize) -> [usize; 2] + 'a>;

/// A slanted needle through morph targets: faces whose 26-DOPs touch that of the needle. Each tree
/// gives candidates by its own volumes, which are then tested.
fn needle(
    runner: &mut Runner,
    rest: &[Vec3],
    fields: &[Vec<Vec3>],
    faces: &[[u32; 3]],
    weights: &[[f32; 4]; 2],
) {
    let workload = "morph, slanted needle";
    if !runner.wants(workload) {
        return;
    }
    let middle = rest[rest.len() / 2];
    let ends = [middle - Vec3::new(0.5, 0.5, 0.48), middle + Vec3::new(0.5, 0.5, 0.48)];
    let new = "the targets fit";
    let mut boxes = MorphTree::new(rest, fields, faces.to_vec()).expect(new);
    let mut all = MorphTree::new(rest, fields, faces.to_vec()).expect(new);
    let mut balls = ModalTree::new(rest, fields, faces.to_vec()).expect(new);
    let mut kdop_14 = MorphKDopTree::<14>::new(rest, fields, faces.to_vec()).expect(new);
    let mut kdop_18 = MorphKDopTree::<18>::new(rest, fields, faces.to_vec()).expect(new);
    let mut kdop_26 = MorphKDopTree::<26>::new(rest, fields, faces.to_vec()).expect(new);
    let (exact, aabb) = (KDop::<26>::from_points(&ends), Aabb::from_points(&ends));
    let is_near = |corners: [Vec3; 3]| KDop::<26>::from_points(&corners).overlaps(&exact);
    let mut positions = Vec::new();
    all.positions_into(&mut positions);
    let mut step = Step::<RefitTree>::new(&positions, faces);
    let mut queries: [(&'static str, QueryFn<'_>); 6] = [
        ("carom 14-DOPs", query_fn(&mut kdop_14, KDop::from_points(&ends), weights, &is_near)),
        ("carom 18-DOPs", query_fn(&mut kdop_18, KDop::from_points(&ends), weights, &is_near)),
        ("carom 26-DOPs", query_fn(&mut kdop_26, exact, weights, &is_near)),
        ("carom boxes", query_fn(&mut boxes, aabb, weights, &is_near)),
        ("carom balls", query_fn(&mut balls, aabb, weights, &is_near)),
        (
            "carom refit",
            Box::new(|turn| {
                all.set_weights(&weights[turn]).expect("weights of a scene are allowed");
                all.positions_into(&mut positions);
                step.run([&positions, &positions], &[aabb]);
                let corners = |face: u32| faces[face as usize].map(|v| positions[v as usize]);
                let n = step.found.iter().filter(|&&face| is_near(corners(face))).count();
                [step.found.len(), n]
            }),
        ),
    ];
    let mut answers = Answers::new();
    for turn in [0, 1] {
        let counts: Vec<[usize; 2]> = queries.iter_mut().map(|(_, query)| query(turn)).collect();
        for (i, count) in counts.iter().enumerate() {
            println!("    {}: {} candidates, {} touch", queries[i].0, count[0], count[1]);
            answers.equal(queries[i].0, &count[1], &counts[5][1]);
        }
    }
    let row = Row { workload, size: faces.len() as u64, unit: Unit::Us, per_call: 1 };
    let mut comparison = Comparison::new(answers);
    for (name, mut query) in queries {
        let mut turn = 0;
        comparison = comparison.entry(name, move || {
            turn = 1 - turn;
            _ = black_box(query(turn));
        });
    }
    runner.compare(row, comparison);
}

/// New weights and one query, with a test of each candidate.
fn query_fn<'a, D: Deformation + Weighted>(
    tree: &'a mut KnownTree<D>,
    query: D::Query,
    weights: &'a [[f32; 4]; 2],
    is_near: &'a dyn Fn([Vec3; 3]) -> bool,
) -> QueryFn<'a> {
    let mut found = Vec::new();
    Box::new(move |turn| {
        D::set(tree, &weights[turn]);
        found.clear();
        tree.collect_faces_touching(&query, &mut found);
        let corners = |face: u32| tree.faces()[face as usize].map(|vertex| tree.position(vertex));
        [found.len(), found.iter().filter(|&&face| is_near(corners(face))).count()]
    })
}

/// A deformation with weights of targets.
trait Weighted: Deformation + Sized {
    fn set(tree: &mut KnownTree<Self>, weights: &[f32]);
}

impl Weighted for Morph {
    fn set(tree: &mut KnownTree<Morph>, weights: &[f32]) {
        tree.set_weights(weights).expect("weights of a scene are allowed");
    }
}

impl Weighted for Modes {
    fn set(tree: &mut KnownTree<Modes>, weights: &[f32]) {
        tree.set_amplitudes(weights).expect("weights of a scene are allowed");
    }
}

impl<const K: usize> Weighted for MorphKDop<K>
where
    KDop<K>: Slabs,
{
    fn set(tree: &mut KnownTree<MorphKDop<K>>, weights: &[f32]) {
        tree.set_weights(weights).expect("weights of a scene are allowed");
    }
}

fn race_known<D: Deformation<Query = Aabb> + Clone>(
    runner: &mut Runner,
    workload: &str,
    tree: KnownTree<D>,
    query: &Aabb,
    set: impl Fn(&mut KnownTree<D>, usize) -> Result<(), KnownError>,
) {
    if !runner.wants(workload) {
        return;
    }
    let set =
        |tree: &mut KnownTree<D>, turn: usize| set(tree, turn).expect("parameters of a scene are allowed");
    let (mut ours, mut theirs, mut parrys) = (tree.clone(), tree.clone(), tree);
    let mut found = Vec::new();
    let mut run_ours = |turn: usize| {
        set(&mut ours, turn);
        found.clear();
        ours.collect_faces_touching(query, &mut found);
        found.len()
    };

    let mut positions = Vec::new();
    theirs.positions_into(&mut positions);
    let mut all = Step::<RefitTree>::new(&positions, theirs.faces());
    let mut run_all = |turn: usize| {
        set(&mut theirs, turn);
        theirs.positions_into(&mut positions);
        all.run([&positions, &positions], core::slice::from_ref(query));
        all.found.len()
    };

    let faces = parrys.faces().to_vec();
    let mut points = Vec::new();
    parrys.positions_into(&mut points);
    let box_of = |points: &[Vec3], i: usize| {
        let [a, b, c] = faces[i].map(|v| points[v as usize]);
        Aabb { min: a.min(b).min(c), max: a.max(b).max(c) }
    };
    let boxes: Vec<_> = (0..faces.len()).map(|i| parry::aabb(&box_of(&points, i))).collect();
    let mut parry_tree = ParryBvh::from_leaves(BvhBuildStrategy::Binned, &boxes);
    let mut workspace = BvhWorkspace::default();
    let mut run_parry = |turn: usize| {
        set(&mut parrys, turn);
        parrys.positions_into(&mut points);
        for i in 0..faces.len() {
            parry_tree.insert_or_update_partially(parry::aabb(&box_of(&points, i)), i as u32, 0.0);
        }
        parry_tree.refit(&mut workspace);
        let around = parry::aabb(query);
        parry_tree.intersect_aabb(&around).filter(|&i| box_of(&points, i as usize).overlaps(query)).count()
    };

    let mut answers = Answers::new();
    for turn in [0, 1] {
        let ours = run_ours(turn);
        answers.equal("all vertices", &ours, &run_all(turn));
        answers.equal("parry", &ours, &run_parry(turn));
    }
    let row = Row { workload, size: faces.len() as u64, unit: Unit::Us, per_call: 1 };
    let turns = [const { Cell::new(0_usize) }; 3];
    let next = |k: usize| turns[k].replace(1 - turns[k].get());
    let comparison = Comparison::new(answers)
        .entry("carom", || _ = black_box(run_ours(next(0))))
        .entry("carom refit", || _ = black_box(run_all(next(1))))
        .entry("parry refit", || _ = black_box(run_parry(next(2))));
    runner.compare(row, comparison);
}
