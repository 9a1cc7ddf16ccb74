//! Bodies and rays through a level of brushes: a BSP tree with shifted planes, a BVH of the same
//! brushes, and parry.
//!
//! One level is generated. Two levels of a game are added if the real data is present. Bodies are
//! those of its players, free at the start, with displacements of 4 to 1,024 units. Times of
//! impact of the BVH are compared with parry's. The BSP tree must not be later. It may be early
//! near edges, because shifted planes meet farther outside (`cargo xtask truth levels` counts by
//! how much).
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

use carom_benches::peers::parry;
use carom_benches::{Answers, Comparison, Row, Runner, Unit};
use carom_bsp::{
    Ball, BallGroup, Bevels, Body, Brush, BspSettings, BspTree, Contents, Cylinder, PlacedBall, Point,
    Points, TraceStack,
};
use carom_geom::{Cuboid, Cylinder as CylinderShape, Sphere};
use carom_math::{Interval, Pose, Ray};
use carom_query::{
    Compound, CompoundPart, ImpactSettings, Motion, Shape, TimeOfImpact, Workspace, cast_ray, cast_with,
};
use carom_testkit::oracle::brush::{generated_level, real_level};
use carom_testkit::random::Random;
use glam::{DQuat, DVec3, Quat, Vec3};
use parry3d::query::{RayCast as _, ShapeCastOptions, cast_shapes};
use parry3d::shape::{Compound as ParryCompound, Shape as ParryShape, SharedShape, TriMesh};
use std::sync::Arc;

/// Tolerance of times of impact in `f32`.
const TOLERANCE: f64 = 0.01;

/// One level, in the form of each program.
struct Level {
    n: u64,
    edges: BspTree,
    all: BspTree,
    brushes: Shape,
    brushes_peer: ParryCompound,
    surface: Shape,
    surface_peer: TriMesh,
    sweeps: Vec<(DVec3, DVec3)>,
}

fn main() {
    let mut runner = Runner::new("levels");
    let mut levels = vec![level(&large(generated_level(1, 400)))];
    for name in ["lq_e0m1", "lq_e1m1"] {
        levels.extend(real_level(name).map(|brushes| level(&brushes)));
    }
    for level in &levels {
        if runner.wants("ray") {
            rays(&mut runner, level);
        }
        if runner.wants("three balls") {
            groups(&mut runner, level);
        }
        let half = Vec3::new(16.0, 16.0, 28.0);
        let up = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
        let middle = DVec3::new(0.0, 0.0, 28.0);
        let corners: Vec<DVec3> = (0..8)
            .map(|i| {
                let side = |bit: i32| if i >> bit & 1 == 0 { -1.0 } else { 1.0 };
                DVec3::new(16.0 * side(0), 16.0 * side(1), 28.0 * side(2))
            })
            .collect();
        let ball = Shape::Sphere(Sphere::new(16.0).expect("a size"));
        let ball_peer = SharedShape::ball(16.0);
        sweeps(
            &mut runner,
            level,
            "ball",
            &Ball { radius: 16.0 },
            &ball,
            &*ball_peer,
            Quat::IDENTITY,
            DVec3::ZERO,
        );
        let upright = Cylinder { axis: DVec3::Z, radius: 16.0, height: 56.0 };
        let cylinder = Shape::Cylinder(CylinderShape::new(28.0, 16.0).expect("a size"));
        let cylinder_peer = SharedShape::cylinder(28.0, 16.0);
        sweeps(&mut runner, level, "cylinder", &upright, &cylinder, &*cylinder_peer, up, middle);
        let cuboid = Shape::Cuboid(Cuboid::new(half).expect("a size"));
        let cuboid_peer = SharedShape::cuboid(16.0, 16.0, 28.0);
        sweeps(
            &mut runner,
            level,
            "box",
            &Points(&corners),
            &cuboid,
            &*cuboid_peer,
            Quat::IDENTITY,
            DVec3::ZERO,
        );
    }
}

/// Returns the brushes scaled to the units of the game.
fn large(brushes: Vec<Brush>) -> Vec<Brush> {
    let scaled = |brush: &Brush| {
        let mut planes: Vec<_> = brush.faces().iter().map(|face| face.plane).collect();
        planes.iter_mut().for_each(|plane| plane.offset *= 64.0);
        Brush::from_planes(&planes, Contents::SOLID).ok()
    };
    brushes.iter().filter_map(scaled).collect()
}

fn level(brushes: &[Brush]) -> Level {
    let tree = |bevels| {
        BspTree::from_brushes(brushes, &BspSettings::default().with_bevels(bevels)).expect("not too many")
    };
    let (edges, all) = (tree(Bevels::Edges), tree(Bevels::All));
    let mut parts = Vec::new();
    let mut parts_peer = Vec::new();
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for brush in brushes {
        let corners: Vec<Vec3> = brush.corners().map(|p| p.as_vec3()).collect();
        let distinct: Vec<Vec3> =
            corners.iter().enumerate().filter(|(i, p)| !corners[..*i].contains(p)).map(|c| *c.1).collect();
        let hull = carom_geom::ConvexHull::from_points(&distinct).expect("a brush is solid");
        parts.push(CompoundPart { shape: Shape::Hull(Arc::new(hull)), pose: Pose::IDENTITY });
        let points: Vec<DVec3> = distinct.iter().map(|p| p.as_dvec3()).collect();
        if let Some(hull) = parry::hull(&points) {
            parts_peer.push((parry3d::math::Pose::IDENTITY, SharedShape::new(hull)));
        }
        for face in brush.faces() {
            let first = vertices.len() as u32;
            vertices.extend(face.corners.iter().map(|p| p.as_vec3()));
            triangles.extend((2..face.corners.len() as u32).map(|i| [first, first + i - 1, first + i]));
        }
    }
    println!("{} brushes, {} triangles: {:?}", brushes.len(), triangles.len(), edges.report());
    let surface_peer = parry::mesh(&vertices, &triangles).expect("parry builds the mesh");
    let mesh = carom_geom::TriMesh::new(vertices, triangles).expect("numbers and vertices");
    let surface = carom_query::MeshShape::new(mesh).expect("not too large");
    let mut random = Random::new(61);
    let (low, high) = edges.bounds();
    let player = Cylinder { axis: DVec3::Z, radius: 23.0, height: 56.0 };
    let mut sweeps = Vec::new();
    while sweeps.len() < 400 {
        let from = if random.below(2) == 0 {
            low + (high - low) * (random.cube_point() * 0.5 + 0.5)
        } else {
            let faces = brushes[random.below(brushes.len())].faces();
            let face = &faces[random.below(faces.len())];
            face.corners.iter().sum::<DVec3>() / face.corners.len() as f64
                + face.plane.normal * random.range(30.0, 80.0)
        };
        let from = from.as_vec3().as_dvec3();
        // No body starts inside a brush: this cylinder contains all of them.
        if all.contents_within(&player, from - DVec3::new(0.0, 0.0, 28.0)).is_empty() {
            let displacement =
                random.cube_point().normalize_or(DVec3::X) * 4.0 * random.range(0.0, 8.0).exp2();
            sweeps.push((from, displacement.as_vec3().as_dvec3()));
        }
    }
    Level {
        n: brushes.len() as u64,
        edges,
        all,
        brushes: Shape::Compound(Arc::new(Compound::new(parts).expect("parts"))),
        brushes_peer: ParryCompound::new(parts_peer),
        surface: Shape::Mesh(Arc::new(surface)),
        surface_peer,
        sweeps,
    }
}

fn rays(runner: &mut Runner, level: &Level) {
    let mut stack = TraceStack::new();
    let mut ours = |tree: &BspTree, from: DVec3, displacement: DVec3| {
        tree.trace_with(&Point, from, displacement, Contents::SOLID, &mut stack).map(|hit| hit.t)
    };
    let by_tree = |from: DVec3, displacement: DVec3| {
        let ray = Ray::new(from.as_vec3(), displacement.as_vec3());
        let interval = Interval::new(0.0, 1.0);
        cast_ray(&level.surface, &Pose::IDENTITY, &ray, interval).map(|hit| f64::from(hit.t))
    };
    let theirs = |from: DVec3, displacement: DVec3| {
        let ray =
            parry3d::query::Ray::new(parry::vector(from.as_vec3()), parry::vector(displacement.as_vec3()));
        level.surface_peer.cast_local_ray(&ray, 1.0, false).map(f64::from)
    };
    let mut answers = Answers::new();
    for (i, (from, displacement)) in level.sweeps.iter().enumerate() {
        let (t, u, v) = (
            ours(&level.edges, *from, *displacement),
            by_tree(*from, *displacement),
            theirs(*from, *displacement),
        );
        let number = |t: Option<f64>| t.unwrap_or(2.0);
        answers.number(&format!("ray {i}"), number(t), number(u), TOLERANCE);
        answers.number(&format!("ray {i}, parry"), number(u), number(v), TOLERANCE);
    }
    let row = Row { workload: "ray", size: level.n, unit: Unit::Ns, per_call: level.sweeps.len() as u64 };
    let comparison = Comparison::new(answers)
        .entry("carom BSP", || {
            for (from, displacement) in &level.sweeps {
                std::hint::black_box(ours(&level.edges, *from, *displacement));
            }
        })
        .entry("carom BVH", || {
            for (from, displacement) in &level.sweeps {
                std::hint::black_box(by_tree(*from, *displacement));
            }
        })
        .entry("parry", || {
            for (from, displacement) in &level.sweeps {
                std::hint::black_box(theirs(*from, *displacement));
            }
        });
    runner.compare(row, comparison);
}

/// A player of three balls that do not contain each other: head, chest and feet.
fn groups(runner: &mut Runner, level: &Level) {
    let balls = [(-20.0, 8.0), (4.0, 16.0), (28.0, 8.0)]
        .map(|(z, radius)| PlacedBall { center: DVec3::new(0.0, 0.0, z - 4.0), radius });
    let group = BallGroup::new(&balls).expect("three balls");
    let ours = |from: DVec3, displacement: DVec3, stack: &mut TraceStack| {
        level
            .edges
            .trace_group_with(&group, from, displacement, Contents::SOLID, stack)
            .map(|found| found.hit.t)
    };
    let shapes = balls.map(|ball| Shape::Sphere(Sphere::new(ball.radius as f32).expect("a size")));
    let still = Motion::new(DQuat::IDENTITY, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO)
        .expect("finite numbers");
    let settings = ImpactSettings::default();
    let mut memory = Workspace::default();
    let mut by_tree = |from: DVec3, displacement: DVec3| {
        let mut first = None;
        for (ball, shape) in balls.iter().zip(&shapes) {
            let motion =
                Motion::new(DQuat::IDENTITY, from + ball.center, DVec3::ZERO, displacement, DVec3::ZERO)
                    .expect("finite numbers");
            if let TimeOfImpact::Hit(hit) =
                cast_with(&level.brushes, &still, shape, &motion, &settings, &mut memory)
                && first.is_none_or(|first| hit.t_hi < first)
            {
                first = Some(hit.t_hi);
            }
        }
        first
    };
    let options = ShapeCastOptions::with_max_time_of_impact(1.0);
    let parts = balls.map(|ball| {
        let pose = parry::pose(&Pose::new(Quat::IDENTITY, ball.center.as_vec3()));
        (pose, SharedShape::ball(ball.radius as f32))
    });
    let compound = ParryCompound::new(parts.to_vec());
    let theirs = |from: DVec3, displacement: DVec3| {
        let pose = parry::pose(&Pose::new(Quat::IDENTITY, from.as_vec3()));
        let (origin, zero) = (parry3d::math::Pose::IDENTITY, parry::vector(Vec3::ZERO));
        let displacement = parry::vector(displacement.as_vec3());
        cast_shapes(&origin, zero, &level.brushes_peer, &pose, displacement, &compound, options)
            .ok()
            .flatten()
            .map(|hit| f64::from(hit.time_of_impact))
    };
    let mut answers = Answers::new();
    let mut stack = TraceStack::new();
    for (i, (from, displacement)) in level.sweeps.iter().enumerate() {
        let what = format!("three balls {i}");
        let number = |t: Option<f64>| t.unwrap_or(2.0);
        let tree = number(by_tree(*from, *displacement));
        answers.number(&what, tree, number(theirs(*from, *displacement)), TOLERANCE);
        let is_early = number(ours(*from, *displacement, &mut stack)) <= tree + TOLERANCE;
        answers.equal(&format!("{what}: late"), &is_early, &true);
    }
    let row =
        Row { workload: "three balls", size: level.n, unit: Unit::Ns, per_call: level.sweeps.len() as u64 };
    let comparison = Comparison::new(answers)
        .entry("carom BSP", || {
            for (from, displacement) in &level.sweeps {
                std::hint::black_box(ours(*from, *displacement, &mut stack));
            }
        })
        .entry("carom BVH", || {
            for (from, displacement) in &level.sweeps {
                std::hint::black_box(by_tree(*from, *displacement));
            }
        })
        .entry("parry", || {
            for (from, displacement) in &level.sweeps {
                std::hint::black_box(theirs(*from, *displacement));
            }
        });
    runner.compare(row, comparison);
}

/// `reference` is the centre of the body, from the point that the tree moves.
#[allow(clippy::too_many_arguments)] // One body, in the form of each program.
fn sweeps(
    runner: &mut Runner,
    level: &Level,
    workload: &str,
    body: &impl Body,
    shape: &Shape,
    shape_peer: &dyn ParryShape,
    turn: Quat,
    reference: DVec3,
) {
    if !runner.wants(workload) {
        return;
    }
    let trace = |tree: &BspTree, from: DVec3, displacement: DVec3, stack: &mut TraceStack| {
        tree.trace_with(body, from - reference, displacement, Contents::SOLID, stack).map(|hit| hit.t)
    };
    let motion = |from: DVec3, displacement: DVec3| {
        let turn = turn.as_dquat();
        Motion::new(turn, from, DVec3::ZERO, displacement, DVec3::ZERO).expect("finite numbers")
    };
    let still = Motion::new(DQuat::IDENTITY, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO)
        .expect("finite numbers");
    let settings = ImpactSettings::default();
    let mut memory = Workspace::default();
    let mut by_tree = |from: DVec3, displacement: DVec3| {
        cast_with(&level.brushes, &still, shape, &motion(from, displacement), &settings, &mut memory)
    };
    let options = ShapeCastOptions::with_max_time_of_impact(1.0);
    let theirs = |level_peer: &dyn ParryShape, from: DVec3, displacement: DVec3| {
        let pose = parry::pose(&Pose::new(turn, from.as_vec3()));
        let (origin, zero) = (parry3d::math::Pose::IDENTITY, parry::vector(Vec3::ZERO));
        cast_shapes(
            &origin,
            zero,
            level_peer,
            &pose,
            parry::vector(displacement.as_vec3()),
            shape_peer,
            options,
        )
        .ok()
        .flatten()
        .map(|hit| f64::from(hit.time_of_impact))
    };
    let mut answers = Answers::new();
    let mut stack = TraceStack::new();
    for (i, (from, displacement)) in level.sweeps.iter().enumerate() {
        let tree = match by_tree(*from, *displacement) {
            TimeOfImpact::Hit(impact) => Some(impact.t_hi),
            _ => None,
        };
        let what = format!("{workload} {i}");
        let number = |t: Option<f64>| t.unwrap_or(2.0);
        answers.number(
            &what,
            number(tree),
            number(theirs(&level.brushes_peer, *from, *displacement)),
            TOLERANCE,
        );
        for bsp in [&level.edges, &level.all] {
            let t = number(trace(bsp, *from, *displacement, &mut stack));
            answers.equal(&format!("{what}: late"), &(t <= number(tree) + TOLERANCE), &true);
        }
    }
    let mut stacks = [TraceStack::new(), TraceStack::new()];
    let [of_edges, of_all] = &mut stacks;
    let row = Row { workload, size: level.n, unit: Unit::Ns, per_call: level.sweeps.len() as u64 };
    let comparison = Comparison::new(answers)
        .entry("carom BSP", || {
            for (from, displacement) in &level.sweeps {
                std::hint::black_box(trace(&level.edges, *from, *displacement, of_edges));
            }
        })
        .entry("carom BSP, all bevels", || {
            for (from, displacement) in &level.sweeps {
                std::hint::black_box(trace(&level.all, *from, *displacement, of_all));
            }
        })
        .entry("carom BVH", || {
            for (from, displacement) in &level.sweeps {
                std::hint::black_box(by_tree(*from, *displacement));
            }
        })
        .entry("parry", || {
            for (from, displacement) in &level.sweeps {
                std::hint::black_box(theirs(&level.brushes_peer, *from, *displacement));
            }
        })
        .entry("parry, mesh", || {
            for (from, displacement) in &level.sweeps {
                std::hint::black_box(theirs(&level.surface_peer, *from, *displacement));
            }
        });
    // Times differ if a sweep ends at a grazing edge.
    runner.compare(row, comparison);
}
