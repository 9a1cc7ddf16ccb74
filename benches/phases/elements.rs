//! Moving primitives and elements: balls against balls, planes and polygons, capsules against
//! triangles, boxes against boxes, vertices against faces, edges against edges.
//!
//! No peer has times of impact of the elements. The search by boxes of time and place is carom's
//! own, as the usual way to answer such queries. `published` are the 4,779 queries of the data set,
//! if it is present, and `slowest` is the one of them that takes longest.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

use carom_benches::peers::parry;
use carom_benches::{Answers, Comparison, Row, Runner, Unit};
use carom_ccd::{
    Chain, ChainMotion, Earliest, Element, ElementSettings, ImpactSettings, Link, LinkJoint, Motion,
    MovingAabb, MovingCapsule, MovingPolytope, MovingSphere, Path, Polygon, Polyhedron, Proposal, SheetPlane,
    Sides, SimplePolygon, TimeOfImpact, path_time_of_impact, polyhedra_time_of_impact, time_of_impact,
};
use carom_geom::f64::Cuboid as Box64;
use carom_gjk::{GjkSettings, nearest_simplex};
use carom_math::{Pose, WidePose};
use carom_testkit::conform::element_ccd::{self, Kind};
use carom_testkit::meshes::BOX_TRIANGLES;
use carom_testkit::random::Random;
use glam::{DQuat, DVec3};
use parry3d::math::Pose as ParryPose;
use parry3d::query::{NonlinearRigidMotion, ShapeCastOptions, cast_shapes, cast_shapes_nonlinear};
use parry3d::shape::{Ball, Capsule, Cuboid, HalfSpace, Shape as ParryShape, TriMesh, Triangle};
use std::hint::black_box;
use std::time::Instant;

/// Different inputs in one call.
const N: usize = 2000;

/// Tolerance of times of about 1: parry computes in `f32`.
const TOLERANCE: f64 = 2e-3;

/// Box size, relative to the scene, at which the search by boxes stops, as its authors propose.
const BOX_TOLERANCE: f64 = 1e-6;

/// The largest number of boxes of the search: the published limit.
const MAX_BOXES: u32 = 1_000_000;

fn main() {
    let mut runner = Runner::new("elements");
    let mut random = Random::new(23);
    balls(&mut runner, &mut random);
    bodies(&mut runner, &mut random);
    for (workload, kind) in [("vertex-face", Kind::VertexFace), ("edge-edge", Kind::EdgeEdge)] {
        if runner.wants(workload) {
            let elements: Vec<Element> = (0..N).map(|_| generated(&mut random, kind)).collect();
            race(&mut runner, workload, &elements);
        }
    }
    let published: Option<Vec<Element>> = element_ccd::published()
        .map(|queries| queries.iter().map(|(_, q)| element(q.kind, q.start, q.end)).collect());
    if let (true, Some(elements)) = (runner.wants("published"), &published) {
        race(&mut runner, "published", elements);
    }
    if let (true, Some(elements)) = (runner.wants("slowest"), &published) {
        let time = |element: &Element| {
            let once = || {
                let start = Instant::now();
                for _ in 0..20 {
                    black_box(element.time_of_impact(&ElementSettings::default()));
                }
                start.elapsed()
            };
            (0..5).map(|_| once()).min()
        };
        let slowest = elements.iter().max_by_key(|element| time(element)).expect("the set is not empty");
        race(&mut runner, "slowest", &[*slowest]);
    }
}

fn element(kind: Kind, start: [DVec3; 4], end: [DVec3; 4]) -> Element {
    match kind {
        Kind::VertexFace => Element::vertex_face(start, end),
        Kind::EdgeEdge => Element::edge_edge(start, end),
    }
    .expect("vertices are finite")
}

/// Returns small features that pass near each other, like those of two surfaces in a time step.
fn generated(random: &mut Random, kind: Kind) -> Element {
    let n_a = if kind == Kind::VertexFace { 1 } else { 2 };
    let (from, displacement) = (random.cube_point(), random.cube_point() * 2.0);
    let start =
        core::array::from_fn(|i| random.cube_point() * 0.5 + if i < n_a { from } else { DVec3::ZERO });
    let end = core::array::from_fn(|i| {
        start[i] + random.cube_point() * 0.1 + if i < n_a { displacement } else { DVec3::ZERO }
    });
    element(kind, start, end)
}

fn race(runner: &mut Runner, workload: &str, elements: &[Element]) {
    let settings = ElementSettings::default();
    let boxes = |element: &Element| element.time_of_impact_by_inclusion(0.0, BOX_TOLERANCE, MAX_BOXES);
    let mut answers = Answers::new();
    for (i, element) in elements.iter().enumerate() {
        // The time until which nothing touches. The search by boxes stops slightly before.
        let (ours, theirs) = (element.time_of_impact(&settings), boxes(element));
        let is_hit = ours.hit().is_some();
        let are_clear = matches!(theirs, TimeOfImpact::Clear(_));
        answers.equal(&format!("element {i}"), &(is_hit && are_clear), &false);
    }
    let row = Row { workload, size: elements.len() as u64, unit: Unit::Ns, per_call: elements.len() as u64 };
    let comparison = Comparison::new(answers)
        .entry("carom", || {
            for element in elements {
                black_box(black_box(element).time_of_impact(&settings));
            }
        })
        .entry("carom-boxes", || {
            for element in elements {
                black_box(boxes(black_box(element)));
            }
        });
    runner.compare(row, comparison);
}

/// The answer if there is no contact. Otherwise the answer is the time of the first contact.
const MISS: f64 = -1.0;

/// A body of parry: its shape, position and velocity.
type Peer<'a> = (&'a dyn ParryShape, ParryPose, DVec3);

fn time(found: &TimeOfImpact) -> f64 {
    found.hit().map_or(MISS, |hit| hit.t_hi)
}

/// Returns the time of parry's first contact; [`MISS`] if there is none.
fn cast((a, pose_a, velocity_a): Peer<'_>, (b, pose_b, velocity_b): Peer<'_>) -> f64 {
    let options = ShapeCastOptions::with_max_time_of_impact(1.0);
    let [v, w] = [velocity_a, velocity_b].map(|velocity| parry::vector(velocity.as_vec3()));
    cast_shapes(&pose_a, v, a, &pose_b, w, b, options)
        .ok()
        .flatten()
        .map_or(MISS, |hit| f64::from(hit.time_of_impact))
}

fn at(position: DVec3) -> ParryPose {
    ParryPose::from_translation(parry::vector(position.as_vec3()))
}

/// Returns a start position and a velocity towards the origin. About one body in two hits.
fn flight(random: &mut Random, size: f64) -> (DVec3, DVec3) {
    let from = random.cube_point() * 3.0;
    (from, (random.cube_point() * size - from) * 1.5)
}

fn moving(random: &mut Random, size: f64) -> MovingSphere {
    let (from, velocity) = flight(random, size);
    MovingSphere::new(from, random.range(0.1, 0.3), velocity).expect("numbers are finite")
}

fn parry_triangle(corners: &[DVec3; 3]) -> Triangle {
    let [a, b, c] = corners.map(|p| parry::vector(p.as_vec3()));
    Triangle::new(a, b, c)
}

fn row(workload: &'static str) -> Row<'static> {
    Row { workload, size: 1, unit: Unit::Ns, per_call: N as u64 }
}

/// Balls that fly at balls, planes, triangles, and a polygon with a notch.
fn balls(runner: &mut Runner, random: &mut Random) {
    let still = ParryPose::IDENTITY;
    let own_ball = |ball: &MovingSphere| Ball::new(ball.radius() as f32);
    if runner.wants("sphere-sphere") {
        let pairs: Vec<[MovingSphere; 2]> =
            (0..N).map(|_| [moving(random, 1.0), moving(random, 1.0)]).collect();
        let ours = |i: usize| time(&pairs[i][0].against_sphere(&pairs[i][1], 1.0));
        let theirs = |i: usize| {
            let [a, b] = &pairs[i];
            cast((&own_ball(a), at(a.center()), a.velocity()), (&own_ball(b), at(b.center()), b.velocity()))
        };
        runner.compare(row("sphere-sphere"), comparison(compared(ours, theirs), ours, theirs));
    }
    if runner.wants("sphere-plane") {
        // parry's half space is solid: balls that start above it.
        let above = |ball: &MovingSphere| ball.radius() < ball.center().y;
        let balls: Vec<MovingSphere> =
            core::iter::repeat_with(|| moving(random, 1.0)).filter(above).take(N).collect();
        let plane = SheetPlane::new(DVec3::Y, 0.0).expect("a normal");
        let ours = |i: usize| time(&balls[i].against_plane(&plane, Sides::Both, 1.0));
        let floor = HalfSpace::new(parry::vector(glam::Vec3::Y));
        let theirs = |i: usize| {
            let ball = &balls[i];
            cast((&own_ball(ball), at(ball.center()), ball.velocity()), (&floor, still, DVec3::ZERO))
        };
        runner.compare(row("sphere-plane"), comparison(compared(ours, theirs), ours, theirs));
    }
    if runner.wants("sphere-triangle") {
        let triangles: Vec<[DVec3; 3]> =
            (0..N).map(|_| core::array::from_fn(|_| random.cube_point())).collect();
        let balls: Vec<MovingSphere> = (0..N).map(|_| moving(random, 0.8)).collect();
        let own: Vec<Polygon> =
            triangles.iter().map(|t| Polygon::triangle(*t).expect("corners are finite")).collect();
        let peers: Vec<Triangle> = triangles.iter().map(parry_triangle).collect();
        let ours = |i: usize| time(&balls[i].against_polygon(&own[i], Sides::Both, 1.0));
        let theirs = |i: usize| {
            let ball = &balls[i];
            cast((&own_ball(ball), at(ball.center()), ball.velocity()), (&peers[i], still, DVec3::ZERO))
        };
        runner.compare(row("sphere-triangle"), comparison(compared(ours, theirs), ours, theirs));
    }
    if runner.wants("sphere-notch") {
        let corner = |x: f64, z: f64| DVec3::new(x, 0.0, z);
        let around = [(-1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (1.0, 0.2), (0.0, 0.2), (0.0, -1.0)];
        let corners = around.map(|(x, z)| corner(x, z));
        let own = SimplePolygon::new(&corners).expect("a simple polygon");
        let vertices = corners.map(|p| parry::vector(p.as_vec3()));
        let peer = TriMesh::new(vertices.to_vec(), own.triangles().collect()).expect("parry takes the mesh");
        let balls: Vec<MovingSphere> = (0..N).map(|_| moving(random, 1.0)).collect();
        let ours = |i: usize| time(&balls[i].against_simple_polygon(&own, Sides::Both, 1.0));
        let theirs = |i: usize| {
            let ball = &balls[i];
            cast((&own_ball(ball), at(ball.center()), ball.velocity()), (&peer, still, DVec3::ZERO))
        };
        runner.compare(row("sphere-notch"), comparison(compared(ours, theirs), ours, theirs));
    }
}

/// Capsules that fly at triangles, boxes at boxes, and boxes along the axes.
fn bodies(runner: &mut Runner, random: &mut Random) {
    let still = ParryPose::IDENTITY;
    if runner.wants("capsule-triangle") {
        let triangles: Vec<[DVec3; 3]> =
            (0..N).map(|_| core::array::from_fn(|_| random.cube_point())).collect();
        let capsules: Vec<([DVec3; 2], f64, DVec3)> = (0..N)
            .map(|_| {
                let (from, velocity) = flight(random, 0.8);
                let half = random.cube_point() * 0.4;
                ([from - half, from + half], random.range(0.1, 0.3), velocity)
            })
            .collect();
        let own: Vec<MovingCapsule> = capsules
            .iter()
            .map(|(ends, radius, velocity)| {
                MovingCapsule::new(*ends, [*radius; 2], *velocity).expect("numbers are finite")
            })
            .collect();
        let peers: Vec<(Capsule, Triangle)> = capsules
            .iter()
            .zip(&triangles)
            .map(|((ends, radius, _), triangle)| {
                let [a, b] = ends.map(|p| parry::vector((p - ends[0]).as_vec3()));
                (Capsule::new(a, b, *radius as f32), parry_triangle(triangle))
            })
            .collect();
        let ours = |i: usize| {
            let found = own[i].against_triangle(&triangles[i], Sides::Both, 1.0);
            time(&found.expect("corners are finite"))
        };
        let theirs = |i: usize| {
            let ((capsule, triangle), (ends, _, velocity)) = (&peers[i], &capsules[i]);
            cast((capsule, at(ends[0]), *velocity), (triangle, still, DVec3::ZERO))
        };
        runner.compare(row("capsule-triangle"), comparison(compared(ours, theirs), ours, theirs));
    }
    if runner.wants("box-box") {
        let boxes: Vec<[(DVec3, DVec3, DQuat, DVec3); 2]> = (0..N)
            .map(|_| {
                core::array::from_fn(|_| {
                    let (from, velocity) = flight(random, 1.0);
                    let half = (random.cube_point().abs() + 0.2) * 0.4;
                    let axis = random.cube_point() * 2.0;
                    (from, half, DQuat::from_scaled_axis(axis), velocity)
                })
            })
            .collect();
        let own: Vec<[MovingPolytope; 2]> = boxes
            .iter()
            .map(|pair| {
                pair.map(|(from, half, turn, velocity)| {
                    let edges = [DVec3::X * half.x, DVec3::Y * half.y, DVec3::Z * half.z].map(|e| turn * e);
                    MovingPolytope::cuboid(from, edges, velocity).expect("a box")
                })
            })
            .collect();
        let peers: Vec<[(Cuboid, ParryPose); 2]> = boxes
            .iter()
            .map(|pair| {
                pair.map(|(from, half, turn, _)| {
                    let pose = parry::pose(&Pose { rotation: turn.as_quat(), translation: from.as_vec3() });
                    (Cuboid::new(parry::vector(half.as_vec3())), pose)
                })
            })
            .collect();
        let ours = |i: usize| time(&own[i][0].time_of_impact(&own[i][1], 1.0));
        let theirs = |i: usize| {
            let [(a, pose_a), (b, pose_b)] = &peers[i];
            cast((a, *pose_a, boxes[i][0].3), (b, *pose_b, boxes[i][1].3))
        };
        runner.compare(row("box-box"), comparison(compared(ours, theirs), ours, theirs));
    }
    if runner.wants("polyhedra") {
        polyhedra(runner, random);
    }
    if runner.wants("arms") {
        arms(runner, random);
    }
    if runner.wants("aabb-aabb") {
        let boxes: Vec<[(DVec3, DVec3, DVec3); 2]> = (0..N)
            .map(|_| {
                core::array::from_fn(|_| {
                    let (from, velocity) = flight(random, 1.0);
                    (from, (random.cube_point().abs() + 0.2) * 0.4, velocity)
                })
            })
            .collect();
        let own: Vec<[MovingAabb; 2]> = boxes
            .iter()
            .map(|pair| {
                pair.map(|(from, half, velocity)| {
                    MovingAabb::new(from - half, from + half, velocity).expect("numbers are finite")
                })
            })
            .collect();
        let peers: Vec<[Cuboid; 2]> = boxes
            .iter()
            .map(|pair| pair.map(|(_, half, _)| Cuboid::new(parry::vector(half.as_vec3()))))
            .collect();
        let ours = |i: usize| own[i][0].may_meet(&own[i][1], 1.0).map_or(MISS, |[start, _]| start);
        let theirs = |i: usize| {
            let [(from, _, v), (to, _, w)] = boxes[i];
            cast((&peers[i][0], at(from), v), (&peers[i][1], at(to), w))
        };
        runner.compare(row("aabb-aabb"), comparison(compared(ours, theirs), ours, theirs));
    }
}

/// Boxes on screws by vertices and faces, edges and edges, beside the search by axes for convex
/// bodies, and parry.
fn polyhedra(runner: &mut Runner, random: &mut Random) {
    const N_PAIRS: usize = 60;
    let settings = ImpactSettings::default().with_target_distance(1e-4).with_max_time(1.0);
    let pairs: Vec<[(DVec3, Motion); 2]> = (0..N_PAIRS)
        .map(|_| {
            core::array::from_fn(|_| {
                let (from, velocity) = flight(random, 1.0);
                let turn = DQuat::from_scaled_axis(random.cube_point() * 2.0);
                let spin = random.cube_point() * 3.0;
                let motion =
                    Motion::new(turn, from, DVec3::ZERO, velocity, spin).expect("numbers are finite");
                ((random.cube_point().abs() + 0.2) * 0.4, motion)
            })
        })
        .collect();
    let surface = |half: DVec3| {
        let sign = |i: u32, axis: u32| if i >> axis & 1 == 0 { -1.0 } else { 1.0 };
        let corners: Vec<DVec3> =
            (0..8).map(|i| half * DVec3::new(sign(i, 0), sign(i, 1), sign(i, 2))).collect();
        Polyhedron::new(&corners, &BOX_TRIANGLES).expect("a box")
    };
    let own: Vec<[Polyhedron; 2]> = pairs.iter().map(|pair| pair.map(|(half, _)| surface(half))).collect();
    let features = |i: usize| {
        let ([a, b], [(_, motion_a), (_, motion_b)]) = (&own[i], &pairs[i]);
        time(&polyhedra_time_of_impact(a, motion_a, b, motion_b, &settings))
    };
    let axes = |i: usize| {
        let [(half_a, motion_a), (half_b, motion_b)] = &pairs[i];
        let [a, b] = [half_a, half_b].map(|half| Box64::new(*half).expect("a box"));
        let found = time_of_impact(&a, motion_a, &b, motion_b, &settings, by_gjk(&a, &b));
        time(&found)
    };
    let theirs = |i: usize| {
        let moving = |(half, motion): &(DVec3, Motion)| {
            let pose =
                Pose { rotation: motion.rotation().as_quat(), translation: motion.center_at(0.0).as_vec3() };
            let [linear, angular] = [motion.linear(), motion.angular()].map(|v| parry::vector(v.as_vec3()));
            let path = NonlinearRigidMotion::new(parry::pose(&pose), Default::default(), linear, angular);
            (Cuboid::new(parry::vector(half.as_vec3())), path)
        };
        let [(a, path_a), (b, path_b)] = [moving(&pairs[i][0]), moving(&pairs[i][1])];
        cast_shapes_nonlinear(&path_a, &a, &path_b, &b, 0.0, 1.0, true)
            .ok()
            .flatten()
            .map_or(MISS, |hit| f64::from(hit.time_of_impact))
    };
    let mut answers = Answers::new();
    for i in 0..N_PAIRS {
        answers.number(&format!("pair {i}, by axes"), features(i), axes(i), TOLERANCE);
        answers.number(&format!("pair {i}, parry"), features(i), theirs(i), TOLERANCE);
    }
    let all = |answer: &dyn Fn(usize) -> f64| {
        for i in 0..N_PAIRS {
            black_box(answer(black_box(i)));
        }
    };
    let row = Row { workload: "polyhedra", size: 12, unit: Unit::Us, per_call: N_PAIRS as u64 };
    let comparison = Comparison::new(answers)
        .entry("carom by features", || all(&features))
        .entry("carom by axes", || all(&axes))
        .entry("parry", || all(&theirs));
    runner.compare(row, comparison);
}

/// Returns a function that finds the nearest points of two boxes, from which the searches start.
fn by_gjk(a: &Box64, b: &Box64) -> impl FnMut(&WidePose, f64) -> Proposal {
    move |b_in_a, tolerance| {
        let gjk = GjkSettings::default().with_distance_tolerance(tolerance);
        let near = nearest_simplex(a, b, b_in_a, &gjk, None);
        Proposal {
            axis: near.axis,
            points_a: near.points_a,
            points_b: near.points_b,
            n_points: near.n_points,
            weights: near.weights,
        }
    }
}

/// Arms of six links that swing past a box: the search along paths, and parry's distances at 256
/// times.
fn arms(runner: &mut Runner, random: &mut Random) {
    const N_ARMS: usize = 60;
    const N_LINKS: usize = 6;
    const N_TIMES: usize = 256;
    const BLOCK: f64 = 0.3;
    let settings = ImpactSettings::default().with_target_distance(1e-3).with_max_time(1.0);
    let link = |parent: Option<usize>, axis: DVec3| Link {
        parent,
        on_parent: (DQuat::IDENTITY, if parent.is_none() { DVec3::ZERO } else { DVec3::Y * 0.5 }),
        joint: LinkJoint::Revolute { axis },
    };
    let links = (0..N_LINKS).map(|k| link(k.checked_sub(1), [DVec3::Y, DVec3::Z, DVec3::Z][k % 3]));
    let chain = Chain::new(links.collect()).expect("parents come first");
    let base = Motion::fixed(DQuat::IDENTITY, DVec3::ZERO).expect("numbers are finite");
    let half = DVec3::new(0.05, 0.2, 0.05);
    let (body, block) = (Box64::new(half).expect("a box"), Box64::new(DVec3::splat(BLOCK)).expect("a box"));
    let arms: Vec<(ChainMotion<'_>, Motion)> = (0..N_ARMS)
        .map(|_| {
            let [values, rates] =
                [0, 1].map(|_| (0..N_LINKS).map(|_| random.range(-1.0, 1.0)).collect::<Vec<_>>());
            let motion = ChainMotion::new(&chain, base, &values, &rates).expect("one for each link");
            let at = random.cube_point() * 0.8 + DVec3::Y;
            (motion, Motion::fixed(DQuat::IDENTITY, at).expect("numbers are finite"))
        })
        .collect();
    let ours = |i: usize| {
        let (motion, obstacle) = &arms[i];
        let mut first = Earliest::new();
        for number in 0..N_LINKS {
            let path = motion.link(number).expect("the chain has it");
            let until = settings.with_max_time(first.until(1.0));
            first.add(path_time_of_impact(&body, &path, &block, obstacle, &until, by_gjk(&body, &block)));
        }
        time(&first.answer())
    };
    let [peer, peer_block] =
        [half, DVec3::splat(BLOCK)].map(|half| Cuboid::new(parry::vector(half.as_vec3())));
    let theirs = |i: usize| {
        let (motion, obstacle) = &arms[i];
        let placed = |pose: WidePose| {
            let rotation = DQuat::from_mat3(&pose.rotation).as_quat();
            parry::pose(&Pose { rotation, translation: pose.translation.as_vec3() })
        };
        let there = placed(obstacle.pose_at(0.0));
        for k in 0..=N_TIMES {
            let t = k as f64 / N_TIMES as f64;
            for number in 0..N_LINKS {
                let here = placed(motion.link(number).expect("the chain has it").pose_at(t));
                let gap = parry3d::query::distance(&here, &peer, &there, &peer_block)
                    .expect("parry has boxes")
                    .distance;
                if gap <= 1e-3 {
                    return t;
                }
            }
        }
        MISS
    };
    let mut answers = Answers::new();
    for i in 0..N_ARMS {
        // A sampled time is late by at most one step.
        answers.number(&format!("arm {i}"), ours(i), theirs(i), 1.0 / N_TIMES as f64 + TOLERANCE);
    }
    let all = |answer: &dyn Fn(usize) -> f64| {
        for i in 0..N_ARMS {
            black_box(answer(black_box(i)));
        }
    };
    let n_hits = (0..N_ARMS).filter(|&i| ours(i) != MISS).count();
    println!("    {n_hits} of {N_ARMS} arms touch the box");
    let row = Row { workload: "arms", size: N_LINKS as u64, unit: Unit::Us, per_call: N_ARMS as u64 };
    let comparison =
        Comparison::new(answers).entry("carom", || all(&ours)).entry("parry at 256 times", || all(&theirs));
    runner.compare(row, comparison);
}

/// Compares times of impact. Hits that only one of the two has must be grazing.
fn compared(ours: impl Fn(usize) -> f64, theirs: impl Fn(usize) -> f64) -> Answers {
    let mut answers = Answers::new();
    for i in 0..N {
        let (a, b) = (ours(i), theirs(i));
        answers.number(&format!("pair {i}"), a, b, TOLERANCE);
    }
    answers
}

fn comparison<'a>(
    answers: Answers,
    ours: impl Fn(usize) -> f64 + 'a,
    theirs: impl Fn(usize) -> f64 + 'a,
) -> Comparison<'a> {
    let all = |answer: &dyn Fn(usize) -> f64| {
        for i in 0..N {
            black_box(answer(black_box(i)));
        }
    };
    Comparison::new(answers).entry("carom", move || all(&ours)).entry("parry", move || all(&theirs))
}
