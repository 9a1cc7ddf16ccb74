//! A distance field as one of two shapes.
//!
//! The torus is a field of 128 cells along each axis, with a band of three. Bodies of about 12
//! cells are near it (up to a cell apart), at the border of the band, or far away. The mesh of the
//! torus answers the same, in carom and in parry.

use crate::settings;
use carom_benches::peers::parry;
use carom_benches::{Answers, Comparison, Row, Runner, Unit};
use carom_geom::{Capsule, Cuboid, DistanceField, Sphere, TriMesh};
use carom_math::{Interval, Pose, Quat, Ray, tol};
use carom_query::{
    ImpactSettings, MeshShape, Motion, Shape, Workspace, cast, cast_ray, contact_with, distance,
    distance_with, motion_of,
};
use carom_scenes::Rng;
use carom_scenes::mesh::icosphere;
use carom_sdf::{BakeSettings, FieldShape, SdfGrid, SparseSdf};
use glam::Vec3;
use parry3d::query::ShapeCastOptions;
use parry3d::shape::{Ball, SharedShape};
use std::cell::RefCell;
use std::hint::black_box;
use std::sync::Arc;

/// Poses of a row.
const N: usize = 32;

/// Distances of bodies from the torus, in cells.
const NEAR: [f32; 2] = [0.1, 1.0];
const AT_BORDER: [f32; 2] = [2.5, 4.0];
const FAR: [f32; 2] = [20.0, 40.0];

/// A torus in four forms.
struct Torus {
    dense: Shape,
    sparse: Shape,
    mesh: Shape,
    theirs: SharedShape,
    cell: f32,
    error: f64,
}

struct Body {
    name: &'static str,
    shape: Shape,
    theirs: SharedShape,
    /// The part of the error that comes from the field of the body.
    error: f64,
}

fn mesh_shape(mesh: &TriMesh) -> Shape {
    Shape::Mesh(Arc::new(MeshShape::new(mesh.clone()).expect("a small mesh")))
}

fn their_mesh(mesh: &TriMesh) -> SharedShape {
    SharedShape::new(parry::mesh(mesh.vertices(), mesh.indices()).expect("a mesh"))
}

fn bound(field: &dyn DistanceField) -> f64 {
    field.error_bound() + tol::FIELD_SEARCH * field.resolution()
}

fn torus(mesh: &TriMesh) -> Torus {
    let settings = settings(128).with_band(3.0);
    let dense = FieldShape::new(SdfGrid::from_mesh(mesh, &settings).expect("the torus is in the grid"));
    let sparse = FieldShape::new(SparseSdf::from_mesh(mesh, &settings).expect("the torus is in the grid"));
    let (cell, error) = (dense.resolution() as f32, bound(&dense));
    Torus {
        dense: Shape::Field(Arc::new(dense)),
        sparse: Shape::Field(Arc::new(sparse)),
        mesh: mesh_shape(mesh),
        theirs: their_mesh(mesh),
        cell,
        error,
    }
}

fn bodies() -> Vec<Body> {
    let ball = icosphere(320).scaled(0.13);
    let ball = TriMesh::new(ball.vertices_f32(), ball.triangles).expect("a ball is a mesh");
    let settings = BakeSettings::default().with_resolution(24).with_band(3.0);
    let field = FieldShape::new(SdfGrid::from_mesh(&ball, &settings).expect("the ball is in the grid"));
    let half = Vec3::new(0.16, 0.1, 0.13);
    let error = bound(&field);
    let body = |name, shape, theirs| Body { name, shape, theirs, error: 0.0 };
    vec![
        body("ball", Shape::Sphere(Sphere::new(0.13).expect("a radius")), SharedShape::new(Ball::new(0.13))),
        body(
            "box",
            Shape::Cuboid(Cuboid::new(half).expect("sizes")),
            SharedShape::cuboid(half.x, half.y, half.z),
        ),
        body(
            "capsule",
            Shape::Capsule(Capsule::new(0.1, 0.07).expect("sizes")),
            SharedShape::capsule_y(0.1, 0.07),
        ),
        body("mesh", mesh_shape(&ball), their_mesh(&ball)),
        Body { name: "field", shape: Shape::Field(Arc::new(field)), theirs: their_mesh(&ball), error },
    ]
}

/// Returns poses at which a body is at a distance in this range of cells from the torus, and the
/// outward direction there.
fn poses(torus: &Torus, body: &Body, [least, most]: [f32; 2]) -> Vec<(Pose, Vec3)> {
    let mut rng = Rng::new(5);
    let mut unit = move || rng.unit() as f32;
    let pose = |_| {
        let [around, across] = [unit(), unit()].map(|part| part * std::f32::consts::TAU);
        let outward = Vec3::new(around.sin(), 0.0, around.cos());
        // The outer half of the torus, where nothing else is near.
        let normal = outward * across.sin().abs() + Vec3::Y * across.cos();
        let turn = Quat::from_scaled_axis(Vec3::new(unit(), unit(), unit()) * 3.0);
        let gap = torus.cell * (least + unit() * (most - least));
        let mut pose = Pose::new(turn, outward + normal * (0.7 + gap));
        for _ in 0..4 {
            let found = distance(&torus.mesh, &Pose::IDENTITY, &body.shape, &pose);
            pose.translation -= normal * (found.distance - gap);
        }
        (pose, normal)
    };
    (0..N).map(pose).collect()
}

pub(crate) fn pairs(runner: &mut Runner, mesh: &TriMesh) {
    let torus = torus(mesh);
    rays(runner, &torus);
    for body in bodies() {
        for (range, gap) in [("near", NEAR), ("at border", AT_BORDER), ("far", FAR)] {
            distances(runner, &torus, &body, range, gap);
        }
        contacts(runner, &torus, &body);
        casts(runner, &torus, &body);
    }
}

/// Returns a comparison of one query to each form of the torus. The answers of carom's fields and
/// of parry are compared with those of carom's mesh.
fn comparison<'a, T>(
    torus: &'a Torus,
    cases: &'a [T],
    error: f64,
    ours: &'a dyn Fn(&Shape, &T) -> f64,
    theirs: &'a dyn Fn(&T) -> f64,
) -> Comparison<'a> {
    let mut answers = Answers::new();
    for case in cases {
        let exact = ours(&torus.mesh, case);
        answers.number("field", ours(&torus.dense, case), exact, error);
        answers.number("sparse field", ours(&torus.sparse, case), exact, error);
        answers.number("mesh", exact, theirs(case), error);
    }
    let run = move |shape: &'a Shape| move || cases.iter().for_each(|case| _ = black_box(ours(shape, case)));
    Comparison::new(answers)
        .entry("carom", run(&torus.dense))
        .entry("carom sparse", run(&torus.sparse))
        .entry("carom mesh", run(&torus.mesh))
        .entry("parry", move || cases.iter().for_each(|case| _ = black_box(theirs(case))))
}

fn row(workload: &str) -> Row<'_> {
    row_of(workload, N)
}

/// Returns a row with this number of queries in a call.
fn row_of(workload: &str, n: usize) -> Row<'_> {
    Row { workload, size: n as u64, unit: Unit::Us, per_call: n as u64 }
}

fn distances(runner: &mut Runner, torus: &Torus, body: &Body, range: &str, gap: [f32; 2]) {
    let workload = format!("distance, {}, {range}", body.name);
    if !runner.wants(&workload) {
        return;
    }
    let poses = poses(torus, body, gap);
    let memory = RefCell::new(Workspace::default());
    let ours = |shape: &Shape, (pose, _): &(Pose, Vec3)| {
        let found = distance_with(shape, &Pose::IDENTITY, &body.shape, pose, &mut memory.borrow_mut());
        f64::from(found.distance)
    };
    let theirs = |(pose, _): &(Pose, Vec3)| {
        let (origin, pose) = (parry::pose(&Pose::IDENTITY), parry::pose(pose));
        let found = parry3d::query::distance(&origin, &*torus.theirs, &pose, &*body.theirs);
        found.map_or(f64::NAN, |found| f64::from(found.distance))
    };
    runner.compare(row(&workload), comparison(torus, &poses, torus.error + body.error, &ours, &theirs));
}

fn contacts(runner: &mut Runner, torus: &Torus, body: &Body) {
    let workload = format!("contact, {}", body.name);
    if !runner.wants(&workload) {
        return;
    }
    let poses = poses(torus, body, NEAR);
    let memory = RefCell::new(Workspace::default());
    // Within this reach all have a contact, in spite of the error of the field.
    let reach = 3.0 * torus.cell;
    let ours = |shape: &Shape, (pose, _): &(Pose, Vec3)| {
        let memory = &mut memory.borrow_mut();
        let found = contact_with(shape, &Pose::IDENTITY, &body.shape, pose, reach, memory);
        found.map_or(f64::NAN, |found| f64::from(found.contact.distance))
    };
    let theirs = |(pose, _): &(Pose, Vec3)| {
        let (origin, pose) = (parry::pose(&Pose::IDENTITY), parry::pose(pose));
        let found = parry3d::query::contact(&origin, &*torus.theirs, &pose, &*body.theirs, reach);
        found.ok().flatten().map_or(f64::NAN, |found| f64::from(found.dist))
    };
    runner.compare(row(&workload), comparison(torus, &poses, torus.error + body.error, &ours, &theirs));
}

/// From ten cells away, 20 cells in all, straight to the torus.
fn casts(runner: &mut Runner, torus: &Torus, body: &Body) {
    let workload = format!("cast, {}", body.name);
    if !runner.wants(&workload) {
        return;
    }
    let still = motion(&Pose::IDENTITY, Vec3::ZERO);
    // carom's mesh takes a sixth of a second against a field.
    let n = if body.name == "field" { 4 } else { N };
    let flights: Vec<(Motion, Pose, Vec3)> = poses(torus, body, [8.0, 12.0])
        .into_iter()
        .take(n)
        .map(|(pose, normal)| {
            let displacement = normal * (-20.0 * torus.cell);
            (motion(&pose, displacement), pose, displacement)
        })
        .collect();
    let ours = |shape: &Shape, (flight, _, displacement): &(Motion, Pose, Vec3)| {
        let found = cast(shape, &still, &body.shape, flight, &ImpactSettings::default());
        found.hit().map_or(f64::NAN, |hit| hit.t_hi * f64::from(displacement.length()))
    };
    let theirs = |(_, pose, displacement): &(Motion, Pose, Vec3)| {
        let (origin, pose) = (parry::pose(&Pose::IDENTITY), parry::pose(pose));
        let options = ShapeCastOptions::with_max_time_of_impact(1.0);
        let (rest, velocity) = (parry::vector(Vec3::ZERO), parry::vector(*displacement));
        let found = parry3d::query::cast_shapes(
            &origin,
            rest,
            &*torus.theirs,
            &pose,
            velocity,
            &*body.theirs,
            options,
        );
        let hit = found.ok().flatten();
        hit.map_or(f64::NAN, |hit| f64::from(hit.time_of_impact * displacement.length()))
    };
    // An error of the surface makes the contact earlier or later by the same distance.
    runner.compare(
        row_of(&workload, n),
        comparison(torus, &flights, 1.5 * (torus.error + body.error), &ours, &theirs),
    );
}

fn motion(pose: &Pose, displacement: Vec3) -> Motion {
    motion_of(pose, Vec3::ZERO, displacement, Vec3::ZERO).expect("finite")
}

/// Rays from all around to points of the torus.
fn rays(runner: &mut Runner, torus: &Torus) {
    if !runner.wants("ray") {
        return;
    }
    let mut rng = Rng::new(6);
    let mut unit = move || rng.unit() as f32;
    let rays: Vec<Ray> = (0..N)
        .map(|_| {
            let around = unit() * std::f32::consts::TAU;
            let target = Vec3::new(around.sin(), 0.0, around.cos());
            // Rays start above, so that they hit the tube from above and not sideways.
            let from = target + Vec3::new(unit() - 0.5, 1.0, unit() - 0.5) * 3.0;
            Ray::new(from, (target - from).normalize())
        })
        .collect();
    let ours = |shape: &Shape, ray: &Ray| {
        let hit = cast_ray(shape, &Pose::IDENTITY, ray, Interval::FORWARD);
        hit.map_or(f64::NAN, |hit| f64::from(hit.t))
    };
    let theirs = |ray: &Ray| {
        let ray = parry3d::query::Ray::new(parry::vector(ray.origin), parry::vector(ray.direction));
        let hit = torus.theirs.cast_local_ray(&ray, f32::MAX, true);
        hit.map_or(f64::NAN, f64::from)
    };
    runner.compare(row("ray"), comparison(torus, &rays, torus.error, &ours, &theirs));
}
