//! A scanned room as voxels and as a point cloud, against a moving shape: touch and distance.
//!
//! - The room is the cells on the surfaces of boxes. carom merges cells to larger boxes; a further
//!   entry has a box for each cell. The moving shapes are balls, boxes, capsules and hulls.
//! - parry's voxels answer only whether shapes touch. For distances parry gets compounds: of the
//!   merged boxes, and of a ball for each point. carom's compounds of the same parts are a further
//!   entry.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

use carom_benches::peers::parry;
use carom_benches::{Answers, Comparison, Row, Runner, Unit};
use carom_geom::ConvexHull;
use carom_math::{Pose, Quat, Vec3};
use carom_query::{
    Cluster, ClusterPart, Shape, ShapeKind, VoxelBox, Voxels, Workspace, contact, distance_with, intersects,
};
use carom_testkit::random::Random;
use glam::DVec3;
use parry3d::math::{IVector, Pose as ParryPose};
use parry3d::query;
use parry3d::shape::{Ball, Capsule, Compound, Cuboid, SharedShape, Voxels as ParryVoxels};
use std::hint::black_box;
use std::sync::Arc;

/// Queries in one call.
const PER_CALL: usize = 400;

/// Pairs nearer to touching than this, in metres, are left out: parry computes in `f32`.
const MARGIN: f32 = 1e-3;

/// Tolerance of distances: the coordinates are up to 5, in `f32`.
const TOLERANCE: f64 = 1e-4;

/// The size of the room, in metres.
const ROOM: Vec3 = Vec3::new(5.0, 2.5, 4.0);

/// The lower and upper ends of the boxes whose surfaces were scanned, in metres.
const SCANNED: [[[f32; 3]; 2]; 5] = [
    [[0.0, 0.0, 0.0], [5.0, 2.5, 4.0]],
    [[1.5, 0.7, 1.0], [2.8, 0.9, 2.6]],
    [[3.9, 0.0, 0.4], [4.5, 1.9, 1.2]],
    [[0.5, 0.0, 2.9], [1.3, 0.8, 3.5]],
    [[2.2, 1.8, 1.7], [2.6, 2.3, 2.1]],
];

fn main() {
    let mut runner = Runner::new("clusters");
    let sizes = if runner.is_quick() { &[0.1][..] } else { &[0.1, 0.05][..] };
    for &cell in sizes {
        let room = Room::new(cell);
        for (workload, is_near) in [
            ("voxels touch", true),
            ("points touch", true),
            ("voxels distance", false),
            ("points distance", false),
        ] {
            if runner.wants(workload) {
                let kind = if workload.starts_with("voxels") { &room.voxels } else { &room.points };
                let queries = queries(&kind.carom, is_near, &mut Random::new(7));
                if is_near {
                    touch(&mut runner, workload, kind, &queries)
                } else {
                    gap(&mut runner, workload, kind, &queries)
                }
            }
        }
    }
}

/// One room in the representations of the programs.
struct Scan {
    n_parts: u64,
    carom: Shape,
    /// A box for each cell, for voxels alone.
    single: Option<Shape>,
    /// carom's compound of the merged boxes or of the balls.
    parts: Shape,
    /// parry's voxels, for voxels alone.
    voxels: Option<ParryVoxels>,
    compound: Compound,
}

struct Room {
    voxels: Scan,
    points: Scan,
}

impl Room {
    fn new(cell: f32) -> Room {
        let n = (ROOM / cell).ceil().to_array().map(|n| n as usize);
        let mut is_occupied = vec![false; n[0] * n[1] * n[2]];
        let (mut cells, mut keys, mut centers) = (Vec::new(), Vec::new(), Vec::new());
        for (number, flag) in is_occupied.iter_mut().enumerate() {
            let key = [number / (n[1] * n[2]), number / n[2] % n[1], number % n[2]];
            let center = (Vec3::from_array(key.map(|k| k as f32)) + 0.5) * cell;
            *flag = SCANNED
                .iter()
                .any(|[low, high]| is_surface(center, [low, high].map(|v| Vec3::from_array(*v)), cell));
            if *flag {
                cells.push(VoxelBox::cell(key.map(|k| k as u16)));
                keys.push(IVector::new(key[0] as i32, key[1] as i32, key[2] as i32));
                centers.push(center);
            }
        }
        let size = Vec3::splat(cell);
        let merged = Voxels::from_grid(n, &is_occupied, Vec3::ZERO, size).expect("cells are occupied");
        let boxes = (0..merged.n_parts())
            .map(|number| {
                let (part, center) = merged.part(number);
                let ClusterPart::Cuboid(part) = part else { unreachable!("parts of voxels are boxes") };
                let shape = SharedShape::new(Cuboid::new(parry::vector(part.half_extents())));
                (parry::pose(&Pose::from_translation(center.as_vec3())), shape)
            })
            .collect();
        let single = Voxels::new(Vec3::ZERO, size, cells).expect("cells are occupied");
        let merged = Shape::Voxels(Arc::new(merged));
        let radius = 0.3 * cell;
        let balls = centers.iter().map(|center| {
            (parry::pose(&Pose::from_translation(*center)), SharedShape::new(Ball::new(radius)))
        });
        let n_parts = keys.len() as u64;
        println!("    {n_parts} cells of {cell} m, {} boxes after merging", merged.n_parts());
        let cloud = Shape::point_cloud(centers.clone(), radius).expect("points are finite");
        Room {
            points: Scan {
                n_parts,
                compound: Compound::new(balls.collect()),
                parts: parts_of(&cloud),
                carom: cloud,
                single: None,
                voxels: None,
            },
            voxels: Scan {
                n_parts,
                parts: parts_of(&merged),
                carom: merged,
                single: Some(Shape::Voxels(Arc::new(single))),
                voxels: Some(ParryVoxels::new(parry::vector(size), &keys)),
                compound: Compound::new(boxes),
            },
        }
    }
}

/// Returns the parts of a cluster as a compound.
fn parts_of(cluster: &Shape) -> Shape {
    let ShapeKind::Cluster(cluster) = cluster.kind() else { unreachable!("voxels or points") };
    let part = |number| {
        let (part, center) = cluster.part(number);
        (Shape::from(part), Pose::from_translation(center.as_vec3()))
    };
    Shape::compound((0..cluster.n_parts()).map(part).collect()).expect("poses are finite")
}

/// Whether a cell with this centre meets the surface of a box.
fn is_surface(center: Vec3, [low, high]: [Vec3; 2], cell: f32) -> bool {
    let inside = (center - low).min(high - center).min_element();
    inside.abs() < cell && -0.5 * cell < inside
}

/// A moving shape for both programs.
struct Query {
    shape: Shape,
    pose: Pose,
    peer: Box<dyn parry3d::shape::Shape>,
    peer_pose: ParryPose,
}

/// Returns shapes in the room. Near ones touch in about half of the cases; others are apart.
fn queries(room: &Shape, is_near: bool, random: &mut Random) -> Vec<Query> {
    let mut made = Vec::new();
    let mut n_touching = 0;
    while made.len() < PER_CALL {
        let [a, b] = [random.range(0.05, 0.15), random.range(0.1, 0.3)].map(|x| x as f32);
        let (shape, peer): (Shape, Box<dyn parry3d::shape::Shape>) = match made.len() % 4 {
            0 => (Shape::sphere(b).expect("b is above 0"), Box::new(Ball::new(b))),
            1 => {
                let half = Vec3::new(a, b, 0.5 * a);
                (Shape::cuboid(half).expect("above 0"), Box::new(Cuboid::new(parry::vector(half))))
            }
            2 => (Shape::capsule(b, a).expect("above 0"), Box::new(Capsule::new_y(b, a))),
            _ => {
                let points: Vec<DVec3> = (0..16).map(|_| random.cube_point() * f64::from(b)).collect();
                let narrow: Vec<Vec3> = points.iter().map(|p| p.as_vec3()).collect();
                let Ok(hull) = ConvexHull::from_points(&narrow) else { continue };
                let Some(peer) = parry::hull(&points) else { continue };
                (Shape::Hull(Arc::new(hull)), Box::new(peer))
            }
        };
        let at = Vec3::new(
            random.range(0.0, 1.0) as f32,
            random.range(0.0, 1.0) as f32,
            random.range(0.0, 1.0) as f32,
        );
        let turn = Quat::from_scaled_axis((random.cube_point() * 3.0).as_vec3());
        let pose = Pose::new(turn, at * ROOM);
        let near =
            contact(room, &Pose::IDENTITY, &shape, &pose, 10.0).expect("the room is near").contact.distance;
        let is_touching = near < 0.0;
        let is_wanted = if is_near { 2 * n_touching <= made.len() || !is_touching } else { !is_touching };
        if near.abs() < MARGIN || !is_wanted {
            continue;
        }
        n_touching += usize::from(is_touching);
        let peer_pose = parry::pose(&pose);
        made.push(Query { shape, pose, peer, peer_pose });
    }
    println!("    {n_touching} of {PER_CALL} touch");
    made
}

fn touch(runner: &mut Runner, workload: &str, scan: &Scan, queries: &[Query]) {
    let ours = |room: &Shape, query: &Query| intersects(room, &Pose::IDENTITY, &query.shape, &query.pose);
    let theirs = |room: &dyn parry3d::shape::Shape, query: &Query| {
        let here = parry::pose(&Pose::IDENTITY);
        query::intersection_test(&here, room, &query.peer_pose, &*query.peer)
            .expect("parry has it")
            .intersecting
    };
    let mut answers = Answers::new();
    for (i, query) in queries.iter().enumerate() {
        let own = ours(&scan.carom, query);
        if let Some(room) = &scan.single {
            answers.equal(&format!("{i}, single cells"), &own, &ours(room, query));
        }
        answers.equal(&format!("{i}, compound"), &own, &ours(&scan.parts, query));
        if let Some(room) = &scan.voxels {
            answers.equal(&format!("{i}, parry's voxels"), &own, &theirs(room, query));
        }
        answers.equal(&format!("{i}, parry's compound"), &own, &theirs(&scan.compound, query));
    }
    let row = Row { workload, size: scan.n_parts, unit: Unit::Ns, per_call: PER_CALL as u64 };
    let all = |test: &dyn Fn(&Query) -> bool| queries.iter().for_each(|query| _ = black_box(test(query)));
    let mut comparison = Comparison::new(answers).entry("carom", || all(&|query| ours(&scan.carom, query)));
    if let Some(room) = &scan.single {
        comparison = comparison.entry("carom, single cells", move || all(&|query| ours(room, query)));
    }
    comparison = comparison.entry("carom, compound", || all(&|query| ours(&scan.parts, query)));
    comparison = comparison.entry("parry, compound", || all(&|query| theirs(&scan.compound, query)));
    if let Some(room) = &scan.voxels {
        comparison = comparison.entry("parry, voxels", move || all(&|query| theirs(room, query)));
    }
    runner.compare(row, comparison);
}

fn gap(runner: &mut Runner, workload: &str, scan: &Scan, queries: &[Query]) {
    let ours = |room: &Shape, query: &Query, memory: &mut Workspace| {
        distance_with(room, &Pose::IDENTITY, &query.shape, &query.pose, memory).distance
    };
    let theirs = |query: &Query| {
        let here = parry::pose(&Pose::IDENTITY);
        let found = query::distance(&here, &scan.compound, &query.peer_pose, &*query.peer);
        found.expect("parry has it").distance
    };
    let mut answers = Answers::new();
    let mut memory = Workspace::default();
    for (i, query) in queries.iter().enumerate() {
        let own = f64::from(ours(&scan.carom, query, &mut memory));
        if let Some(room) = &scan.single {
            let single = f64::from(ours(room, query, &mut memory));
            answers.number(&format!("{i}, single cells"), own, single, TOLERANCE);
        }
        let compound = f64::from(ours(&scan.parts, query, &mut memory));
        answers.number(&format!("{i}, compound"), own, compound, TOLERANCE);
        answers.number(&format!("{i}, parry"), own, f64::from(theirs(query)), TOLERANCE);
    }
    let row = Row { workload, size: scan.n_parts, unit: Unit::Ns, per_call: PER_CALL as u64 };
    let all = |room: &Shape, memory: &mut Workspace| {
        queries.iter().for_each(|query| _ = black_box(ours(room, query, memory)));
    };
    let [mut first, mut second, mut third] = [(); 3].map(|()| Workspace::default());
    let mut comparison = Comparison::new(answers).entry("carom", || all(&scan.carom, &mut first));
    if let Some(room) = &scan.single {
        comparison = comparison.entry("carom, single cells", || all(room, &mut second));
    }
    comparison = comparison.entry("carom, compound", || all(&scan.parts, &mut third));
    comparison = comparison.entry("parry, compound", || {
        queries.iter().for_each(|query| _ = black_box(theirs(query)));
    });
    runner.compare(row, comparison);
}
