//! Depth and direction of the vertices that are in a ball which changes: by a field, by history and
//! by rays.
//!
//! A sheet that waves lies in the ball, and for rays a second ball. parry projects the vertices on
//! the ball, or on a mesh with pseudo-normals, or casts the same rays. The depths agree. parry
//! does not store the side of a vertex.

use crate::{grid, waving_sheet};
use carom_benches::peers::parry;
use carom_benches::{Answers, Comparison, Row, Runner, Unit};
use carom_deform::{ContactSides, DeformableMesh, PushOut, RayDepths, RefitTree};
use carom_scenes::mesh::icosphere;
use glam::{DVec3, Vec3};
use parry3d::query::{PointQuery, RayCast as _};
use parry3d::shape::{Ball as ParryBall, FeatureId, TriMesh as ParryMesh, TriMeshFlags};
use std::cell::Cell;
use std::hint::black_box;

/// Returns the number of vertices that are pushed out, and the largest depth.
fn n_and_deepest(depths: impl Iterator<Item = f64>) -> (f64, f64) {
    depths.fold((0.0, 0.0), |(n, deepest), depth| (n + 1.0, depth.max(deepest)))
}

/// Depth and direction of vertices in a ball that changes: by a field, by history and by rays.
pub(super) fn race(runner: &mut Runner) {
    let wanted = ["push-out: field", "push-out: history", "push-out: rays"];
    if !wanted.iter().any(|workload| runner.wants(workload)) {
        return;
    }
    let n = if runner.is_quick() { 60 } else { 316 };
    let (round, thickness, reach) = (icosphere(20_000), 0.02_f32, 0.25_f32);
    let wobbling = |phase: f32| -> Vec<Vec3> {
        let radius = |p: Vec3| 1.0 + 0.02 * (5.0 * p.x + phase).sin();
        round.vertices_f32().iter().map(|p| *p * radius(*p)).collect()
    };
    let balls = [0.0, 0.05].map(wobbling);
    let sheets = [0.0, 0.05].map(|phase| waving_sheet(n, 2.0, 0.9, phase));
    let inner = [0.1, 0.0].map(|phase| {
        wobbling(phase).iter().map(|p| *p * 0.75 + Vec3::new(0.9, 0.3, 0.2)).collect::<Vec<Vec3>>()
    });
    let mesh = |positions: &[Vec3], faces: &[[u32; 3]]| {
        let mesh = DeformableMesh::from_triangles(positions, faces.to_vec());
        mesh.expect("vertices of a scene are finite").with_trees::<RefitTree>()
    };
    let sheet = || mesh(&sheets[0], &grid(n)).with_thickness(thickness).expect("the thickness is allowed");
    let (mut by_field, mut by_history, mut ball) = (sheet(), sheet(), mesh(&balls[0], &round.triangles));
    let (mut body, mut around) = (mesh(&inner[0], &round.triangles), ball.clone());
    let (mut sides, mut rays) =
        (ContactSides::new(&ball, reach).expect("the reach is allowed"), RayDepths::new(8));
    let turns = [const { Cell::new(0_usize) }; 6];
    let next = |k: usize| turns[k].replace(1 - turns[k].get()) ^ 1;
    let set_positions = |mesh: &mut DeformableMesh<RefitTree>, positions: &[Vec3]| {
        mesh.set_positions(positions).expect("vertices of a scene are finite");
    };
    let depths = |found: &[PushOut]| n_and_deepest(found.iter().map(|push_out| push_out.depth));
    let field = |p: DVec3| Some((p.length() - 1.0, p.normalize_or(DVec3::Y)));
    let mut found = Vec::new();
    let mut field = || {
        set_positions(&mut by_field, &sheets[next(0)]);
        found.clear();
        by_field.collect_push_outs(&field, &mut found);
        depths(&found)
    };
    let mut history = || {
        let turn = next(1);
        set_positions(&mut by_history, &sheets[turn]);
        set_positions(&mut ball, &balls[turn]);
        depths(sides.update(&by_history, &mut ball).expect("the ball is the same").finish().push_outs)
    };
    let mut ray = || {
        let turn = next(2);
        set_positions(&mut body, &inner[turn]);
        set_positions(&mut around, &balls[turn]);
        depths(rays.update(&body, &mut around).finish().push_outs)
    };

    let vertices = balls.each_ref().map(|ball| ball.iter().map(|v| parry::vector(*v)).collect::<Vec<_>>());
    let oriented = || {
        ParryMesh::with_flags(vertices[0].clone(), round.triangles.clone(), TriMeshFlags::ORIENTED)
            .expect("parry takes the mesh")
    };
    let (mut their_ball, mut their_around) = (oriented(), oriented());
    let half = f64::from(0.5 * thickness);
    let projected = |shape: &dyn PointQuery, positions: &[Vec3]| {
        n_and_deepest(positions.iter().filter_map(|p| {
            let p = parry::vector(*p);
            let near = shape.project_local_point_with_max_dist(p, false, reach)?;
            let distance = f64::from((near.point - p).length());
            let depth = half + if near.is_inside { distance } else { -distance };
            (0.0 < depth).then_some(depth)
        }))
    };
    let mut their_field = || projected(&ParryBall::new(1.0), &sheets[next(3)]);
    let mut their_history = || {
        let turn = next(4);
        their_ball.set_vertices(&vertices[turn]);
        projected(&their_ball, &sheets[turn])
    };
    let mut normals = Vec::new();
    let mut their_rays = || {
        let turn = next(5);
        their_around.set_vertices(&vertices[turn]);
        normals.clear();
        normals.resize(inner[turn].len(), Vec3::ZERO);
        for face in &round.triangles {
            let [a, b, c] = face.map(|v| inner[turn][v as usize]);
            face.iter().for_each(|&v| normals[v as usize] += (b - a).cross(c - a));
        }
        n_and_deepest(inner[turn].iter().zip(&normals).filter_map(|(p, normal)| {
            let along = parry::vector(-normal.normalize());
            let ray = parry3d::query::Ray::new(parry::vector(*p), along);
            let hit = their_around.cast_local_ray_and_get_normal(&ray, f32::MAX, false)?;
            // A triangle is hit from its back side.
            (hit.feature == FeatureId::Face(1)).then_some(f64::from(hit.time_of_impact))
        }))
    };
    let mut race = |workload: &str,
                    size: usize,
                    ours: &mut dyn FnMut() -> (f64, f64),
                    theirs: &mut dyn FnMut() -> (f64, f64)| {
        if !runner.wants(workload) {
            return;
        }
        let mut answers = Answers::new();
        for _ in 0..2 {
            let ((n, deepest), (their_n, their_deepest)) = (ours(), theirs());
            // parry rounds to `f32`, and vertices lie at the border.
            answers.number("vertices", n, their_n, 1e-3 * n);
            answers.number("deepest", deepest, their_deepest, 1e-4);
        }
        let row = Row { workload, size: size as u64, unit: Unit::Ms, per_call: 1 };
        let comparison = Comparison::new(answers)
            .entry("carom", || _ = black_box(ours()))
            .entry("parry", || _ = black_box(theirs()));
        runner.compare_slow(row, comparison);
    };
    race(wanted[0], n * n, &mut field, &mut their_field);
    race(wanted[1], n * n, &mut history, &mut their_history);
    race(wanted[2], inner[0].len(), &mut ray, &mut their_rays);
}
