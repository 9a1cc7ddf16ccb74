//! Times of impact: convex bodies moving straight and turning, bodies swept across a mesh of 70,000
//! triangles, two meshes, and the first contact of one body among many. Boxes along the axes and
//! conservative advancement have rows of their own.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

use carom_benches::mesh_pairs::Body;
use carom_benches::peers::parry;
use carom_benches::scenes::Hulls;
use carom_benches::{Answers, Comparison, Row, Runner, Unit};
use carom_bounds::{Aabb, Shaft};
use carom_ccd::{Earliest, MovingAabb, Proposal, conservative_advancement, time_of_impact};
use carom_geom::{ConvexHull, Cuboid, Sphere};
use carom_gjk::{GjkCache, GjkSettings, nearest_simplex};
use carom_math::WidePose;
use carom_query::{
    ImpactQueue, ImpactSettings, Motion, MovingShape, Shape, TimeOfImpact, Workspace, cast, cast_with,
};
use carom_scenes::Rng;
use carom_scenes::mesh::{Knot, bumpy_icosphere, torus_knot};
use glam::{DQuat, DVec3};
use parry3d::math::{Pose as ParryPose, Rotation};
use parry3d::query::{
    NonlinearRigidMotion, ShapeCastOptions, Sweep, ToiProxy, cast_shapes, cast_shapes_nonlinear,
    sweep_time_of_impact,
};
use parry3d::shape::{Ball, Cuboid as ParryCuboid, Shape as ParryShape};
use std::sync::Arc;

/// Tolerance of times: the effect of `f32` and of distance tolerances on a slow approach.
const TOLERANCE: f64 = 0.02;

/// A moving body, and another one that is at rest or moves.
struct Case {
    a: usize,
    b: usize,
    motions: [Motion; 2],
    paths: [NonlinearRigidMotion; 2],
    sweeps: [Sweep; 2],
}

fn main() {
    let mut runner = Runner::new("impact");
    for n in [8, 32, 128] {
        for (workload, angle) in
            [("linear", 0.0), ("rotating 0.2", 0.2), ("rotating 1", 1.0), ("rotating 3", 3.0)]
        {
            if runner.wants(workload) {
                hulls(&mut runner, workload, n, angle);
            }
        }
    }
    for (workload, angle) in [("boxes 0", 0.0), ("boxes 0.78", 0.78), ("boxes 3", 3.0)] {
        if runner.wants(workload) {
            boxes(&mut runner, workload, angle);
        }
    }
    if runner.wants("advancement") {
        advancement(&mut runner);
    }
    if runner.wants("boxes along the axes") {
        axis_boxes(&mut runner);
    }
    mesh(&mut runner);
    for (workload, angle) in [("mesh-mesh 0", 0.0), ("mesh-mesh 0.5", 0.5), ("mesh-mesh 3", 3.0)] {
        if runner.wants(workload) {
            meshes(&mut runner, workload, angle);
        }
    }
    for workload in ["first of meshes", "first of hulls"] {
        for n in [20, 200] {
            if runner.wants(workload) {
                first_of_many(&mut runner, workload, n);
            }
        }
    }
}

fn single(v: DVec3) -> DVec3 {
    v.as_vec3().as_dvec3()
}

fn case(a: usize, b: usize, states: [(DQuat, DVec3, DVec3, DVec3); 2]) -> Case {
    let states = states.map(|(q, p, v, w)| (q.as_quat().as_dquat(), single(p), single(v), single(w)));
    let pose = |q: DQuat, p: DVec3| {
        let q = q.as_quat();
        ParryPose::from_parts(parry::vector(p.as_vec3()), Rotation::from_xyzw(q.x, q.y, q.z, q.w))
    };
    let zero = parry::vector(glam::Vec3::ZERO);
    Case {
        a,
        b,
        motions: states.map(|(q, p, v, w)| Motion::new(q, p, DVec3::ZERO, v, w).expect("finite numbers")),
        paths: states.map(|(q, p, v, w)| {
            NonlinearRigidMotion::new(
                pose(q, p),
                zero,
                parry::vector(v.as_vec3()),
                parry::vector(w.as_vec3()),
            )
        }),
        sweeps: states.map(|(q, p, v, w)| {
            Sweep::from_poses(&pose(q, p), &pose(DQuat::from_scaled_axis(w) * q, p + v), zero)
        }),
    }
}

/// Two hulls that start about two sizes apart and fly at each other, both turning; nine in ten
/// meet.
fn hulls(runner: &mut Runner, workload: &str, n: usize, angle: f64) {
    let scene = Hulls::new(n, 11);
    let shapes: Vec<Shape> = scene
        .points
        .iter()
        .map(|points| {
            let points: Vec<_> = points.iter().map(|p| p.as_vec3()).collect();
            Shape::Hull(Arc::new(
                ConvexHull::from_points(&points).expect("points of an ellipsoid have a hull"),
            ))
        })
        .collect();
    let peers: Vec<Box<dyn ParryShape>> = scene
        .points
        .iter()
        .map(|points| Box::new(parry::hull(points).expect("parry builds the hull")) as Box<dyn ParryShape>)
        .collect();
    let clouds: Vec<Vec<_>> = scene
        .points
        .iter()
        .map(|points| points.iter().map(|p| parry::vector(p.as_vec3())).collect())
        .collect();
    let mut rng = Rng::new(21);
    let cases: Vec<Case> = (0..1000)
        .map(|_| {
            let (a, b) = (rng.below(16), rng.below(16));
            let from = rng.direction() * rng.range(2.2, 3.5);
            let aim = rng.direction() * rng.range(0.0, 1.0) - from;
            let still = (rng.rotation(), DVec3::ZERO, DVec3::ZERO, rng.direction() * angle);
            case(a, b, [still, (rng.rotation(), from, aim, rng.direction() * angle)])
        })
        .collect();
    pairs(runner, workload, n, angle, &shapes, &peers, &clouds, &cases);
}

/// The boxes of the published comparison of misses.
fn boxes(runner: &mut Runner, workload: &str, angle: f64) {
    let mut rng = Rng::new(22);
    let halves: Vec<DVec3> = (0..64)
        .map(|_| single(DVec3::new(rng.range(0.05, 1.05), rng.range(0.05, 1.05), rng.range(0.05, 1.05))))
        .collect();
    let shapes: Vec<Shape> =
        halves.iter().map(|h| Shape::Cuboid(Cuboid::new(h.as_vec3()).expect("a size"))).collect();
    let peers: Vec<Box<dyn ParryShape>> = halves
        .iter()
        .map(|h| Box::new(ParryCuboid::new(parry::vector(h.as_vec3()))) as Box<dyn ParryShape>)
        .collect();
    let clouds: Vec<Vec<_>> = halves
        .iter()
        .map(|&h| {
            carom_testkit::oracle::sat::box_corners(h, |p| p)
                .iter()
                .map(|p| parry::vector(p.as_vec3()))
                .collect()
        })
        .collect();
    let cases: Vec<Case> = (0..1000)
        .map(|_| {
            let mut cube = |reach: f64| {
                DVec3::new(rng.range(-reach, reach), rng.range(-reach, reach), rng.range(-reach, reach))
            };
            let (from, linear) = (cube(2.5), cube(4.0));
            let still = (rng.rotation(), DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
            let moving = (rng.rotation(), from, linear, rng.direction() * angle);
            case(rng.below(64), rng.below(64), [still, moving])
        })
        .collect();
    pairs(runner, workload, 8, angle, &shapes, &peers, &clouds, &cases);
}

/// Hulls that turn: conservative advancement beside the search for a root along an axis, with the
/// same GJK.
fn advancement(runner: &mut Runner) {
    let workload = "advancement";
    let hulls: Vec<ConvexHull> = Hulls::new(32, 11)
        .points
        .iter()
        .map(|points| points.iter().map(|p| p.as_vec3()).collect::<Vec<_>>())
        .map(|points| ConvexHull::from_points(&points).expect("points of an ellipsoid have a hull"))
        .collect();
    let mut rng = Rng::new(33);
    let cases: Vec<Case> = (0..500)
        .map(|_| {
            let from = rng.direction() * rng.range(2.2, 3.5);
            let aim = rng.direction() * rng.range(0.0, 1.0) - from;
            let still = (rng.rotation(), DVec3::ZERO, DVec3::ZERO, rng.direction());
            case(rng.below(16), rng.below(16), [still, (rng.rotation(), from, aim, rng.direction())])
        })
        .collect();
    let settings = ImpactSettings::default();
    let search = |case: &Case, is_advancement: bool| {
        let (a, b) = (&hulls[case.a], &hulls[case.b]);
        let mut cache = GjkCache::new();
        let propose = |b_in_a: &WidePose, tolerance: f64| {
            let gjk = GjkSettings::default().with_distance_tolerance(tolerance);
            let near = nearest_simplex(a, b, b_in_a, &gjk, Some(&mut cache));
            Proposal {
                axis: near.axis,
                points_a: near.points_a,
                points_b: near.points_b,
                n_points: near.n_points,
                weights: near.weights,
            }
        };
        let [motion_a, motion_b] = &case.motions;
        if is_advancement {
            conservative_advancement(a, motion_a, b, motion_b, &settings, propose)
        } else {
            time_of_impact(a, motion_a, b, motion_b, &settings, propose)
        }
    };
    let mut answers = Answers::new();
    for (i, case) in cases.iter().enumerate() {
        // The brackets hold the same time.
        let is_same = match (search(case, true), search(case, false)) {
            (TimeOfImpact::Hit(x), TimeOfImpact::Hit(y)) => x.t_lo <= y.t_hi && y.t_lo <= x.t_hi,
            (TimeOfImpact::Clear(_), TimeOfImpact::Clear(_)) => true,
            _ => false,
        };
        answers.equal(&format!("{workload} case {i}"), &is_same, &true);
    }
    let row = Row { workload, size: 32, unit: Unit::Ns, per_call: cases.len() as u64 };
    let all = |is_advancement: bool| {
        for case in &cases {
            std::hint::black_box(search(case, is_advancement));
        }
    };
    let comparison = Comparison::new(answers)
        .entry("carom advancement", || all(true))
        .entry("carom roots along an axis", || all(false));
    runner.compare(row, comparison);
}

/// Axis-aligned boxes, one of which moves: when they meet, whether they meet, and whether a shaft
/// around the path of the moving one meets the other.
fn axis_boxes(runner: &mut Runner) {
    let workload = "boxes along the axes";
    let mut rng = Rng::new(34);
    let cases: Vec<([DVec3; 2], [DVec3; 2], DVec3)> = (0..2000)
        .map(|_| {
            let mut half = || single(rng.in_box(DVec3::splat(0.05), DVec3::splat(1.0)));
            let halves = [half(), half()];
            let from = single(rng.in_box(DVec3::splat(-2.5), DVec3::splat(2.5)));
            (halves, [DVec3::ZERO, from], single(rng.in_box(DVec3::splat(-4.0), DVec3::splat(4.0))))
        })
        .collect();
    let ours = |(halves, positions, displacement): &([DVec3; 2], [DVec3; 2], DVec3)| {
        let moving = |i: usize, velocity: DVec3| {
            MovingAabb::new(positions[i] - halves[i], positions[i] + halves[i], velocity)
                .expect("finite numbers")
        };
        moving(0, DVec3::ZERO).time_of_impact(&moving(1, *displacement), 1.0)
    };
    let shaft = |(halves, positions, displacement): &([DVec3; 2], [DVec3; 2], DVec3)| {
        let at = |i: usize, position: DVec3| Aabb::around(position - halves[i], position + halves[i]);
        Shaft::new(&at(1, positions[1]), &at(1, positions[1] + *displacement)).overlaps(&at(0, positions[0]))
    };
    let theirs = |(halves, positions, displacement): &([DVec3; 2], [DVec3; 2], DVec3)| {
        let [a, b] = halves.map(|half| ParryCuboid::new(parry::vector(half.as_vec3())));
        let pose = |position: DVec3| ParryPose::from_translation(parry::vector(position.as_vec3()));
        let options = ShapeCastOptions::with_max_time_of_impact(1.0);
        let zero = parry::vector(glam::Vec3::ZERO);
        let displacement = parry::vector(displacement.as_vec3());
        cast_shapes(&pose(positions[0]), zero, &a, &pose(positions[1]), displacement, &b, options)
            .ok()
            .flatten()
            .map(|hit| hit.time_of_impact)
    };
    let mut answers = Answers::new();
    for (i, case) in cases.iter().enumerate() {
        let impact = ours(case);
        compare(&mut answers, &format!("{workload} case {i}"), &impact, theirs(case));
        // A shaft contains the path, rounded outwards.
        let is_hit = matches!(impact, TimeOfImpact::Hit(_));
        answers.equal(&format!("shaft {i}"), &(is_hit && !shaft(case)), &false);
    }
    let n_false =
        cases.iter().filter(|case| shaft(case) && !matches!(ours(case), TimeOfImpact::Hit(_))).count();
    println!("    {n_false} of {} shafts are met by boxes that the moving one does not meet", cases.len());
    let row = Row { workload, size: cases.len() as u64, unit: Unit::Ns, per_call: cases.len() as u64 };
    let comparison = Comparison::new(answers)
        .entry("carom time of impact", || {
            for case in &cases {
                std::hint::black_box(ours(case));
            }
        })
        .entry("carom shaft", || {
            for case in &cases {
                std::hint::black_box(shaft(case));
            }
        })
        .entry("parry cast", || {
            for case in &cases {
                std::hint::black_box(theirs(case));
            }
        });
    runner.compare(row, comparison);
}

/// Compares carom with parry's casts and its sweep.
fn pairs(
    runner: &mut Runner,
    workload: &str,
    size: usize,
    angle: f64,
    shapes: &[Shape],
    peers: &[Box<dyn ParryShape>],
    clouds: &[Vec<parry3d::math::Vector>],
    cases: &[Case],
) {
    let settings = ImpactSettings::default();
    let ours =
        |case: &Case| cast(&shapes[case.a], &case.motions[0], &shapes[case.b], &case.motions[1], &settings);
    let theirs = |case: &Case| parry_cast(case, angle, &*peers[case.a], &*peers[case.b]);
    let swept = |case: &Case| {
        let (a, b) =
            (ToiProxy::from_points(&clouds[case.a], 0.0), ToiProxy::from_points(&clouds[case.b], 0.0));
        sweep_time_of_impact(&a, &case.sweeps[0], &b, &case.sweeps[1], 1.0, 0.005)
    };
    let row = Row { workload, size: size as u64, unit: Unit::Ns, per_call: cases.len() as u64 };
    let comparison = race(workload, cases, ours, theirs).entry("parry sweep", || {
        for case in cases {
            std::hint::black_box(swept(case));
        }
    });
    // Some of the peer's answers are wrong.
    runner.compare(row, comparison);
}

/// parry's cast of bodies that move straight, or turn too.
fn parry_cast(case: &Case, angle: f64, a: &dyn ParryShape, b: &dyn ParryShape) -> Option<f32> {
    let [path_a, path_b] = &case.paths;
    let hit = if angle == 0.0 {
        let options = ShapeCastOptions::with_max_time_of_impact(1.0);
        cast_shapes(&path_a.start, path_a.linvel, a, &path_b.start, path_b.linvel, b, options)
    } else {
        cast_shapes_nonlinear(path_a, a, path_b, b, 0.0, 1.0, true)
    };
    hit.ok().flatten().map(|hit| hit.time_of_impact)
}

/// A comparison of carom and parry over all cases.
fn race<'a>(
    what: &str,
    cases: &'a [Case],
    mut ours: impl FnMut(&Case) -> TimeOfImpact + 'a,
    theirs: impl Fn(&Case) -> Option<f32> + 'a,
) -> Comparison<'a> {
    let mut answers = Answers::new();
    for (i, case) in cases.iter().enumerate() {
        compare(&mut answers, &format!("{what} case {i}"), &ours(case), theirs(case));
    }
    Comparison::new(answers)
        .entry("carom", move || {
            for case in cases {
                std::hint::black_box(ours(case));
            }
        })
        .entry("parry", move || {
            for case in cases {
                std::hint::black_box(theirs(case));
            }
        })
}

fn compare(answers: &mut Answers, what: &str, ours: &TimeOfImpact, theirs: Option<f32>) {
    match ours {
        TimeOfImpact::Hit(impact) => {
            answers.number(what, impact.t_hi, theirs.map_or(f64::NAN, f64::from), TOLERANCE);
        }
        TimeOfImpact::Clear(_) => answers.equal(what, &None, &theirs),
        // The query has no answer, which is not wrong.
        _ => answers.equal(what, &"undecided", &"decided"),
    }
}

/// A ball and a hull of 32 vertices, small and larger, swept across the knot.
fn mesh(runner: &mut Runner) {
    let body = Body::new(torus_knot(&Knot::default(), 70_000)).expect("the knot is a mesh");
    let peer = parry::mesh(&body.data.vertices_f32(), &body.data.triangles).expect("parry builds the mesh");
    let scene = Hulls::new(32, 11);
    for size in [0.05, 0.2] {
        let points: Vec<DVec3> = scene.points[0].iter().map(|p| single(*p * size)).collect();
        let singles: Vec<_> = points.iter().map(|p| p.as_vec3()).collect();
        let hull = Shape::Hull(Arc::new(ConvexHull::from_points(&singles).expect("points of an ellipsoid")));
        let ball = Shape::Sphere(Sphere::new(size as f32).expect("a size"));
        let (hull_peer, ball_peer) =
            (parry::hull(&points).expect("parry builds the hull"), Ball::new(size as f32));
        let bodies: [(&str, &Shape, &dyn ParryShape, f64); 4] = [
            ("sphere-mesh", &ball, &ball_peer, 0.0),
            ("convex-mesh", &hull, &hull_peer, 0.0),
            ("convex-mesh 0.5", &hull, &hull_peer, 0.5),
            ("convex-mesh 3", &hull, &hull_peer, 3.0),
        ];
        for (workload, shape, shape_peer, angle) in bodies {
            if !runner.wants(workload) {
                continue;
            }
            let mut rng = Rng::new(23);
            let n = if angle == 0.0 { 200 } else { 60 };
            let cases: Vec<Case> = (0..n)
                .map(|_| {
                    let (from, to) = (rng.direction() * 2.0, rng.direction() * rng.range(0.0, 1.0));
                    let still = (DQuat::IDENTITY, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
                    let moving = (rng.rotation(), from, (to - from) * 1.5, rng.direction() * angle);
                    case(0, 0, [still, moving])
                })
                .collect();
            let settings = ImpactSettings::default();
            let mut memory = Workspace::default();
            let ours = |case: &Case| {
                cast_with(&body.shape, &case.motions[0], shape, &case.motions[1], &settings, &mut memory)
            };
            let theirs = |case: &Case| parry_cast(case, angle, &peer, shape_peer);
            let row =
                Row { workload, size: (size * 100.0) as u64, unit: Unit::Us, per_call: cases.len() as u64 };
            runner.compare(row, race(workload, &cases, ours, theirs));
        }
    }
}

/// A bumpy ball flies at the knot, both of 10,000 triangles; both turn.
fn meshes(runner: &mut Runner, workload: &str, angle: f64) {
    const N: usize = 10_000;
    let ball = bumpy_icosphere(N, 0.05, 3).scaled(0.5);
    let [a, b] = [torus_knot(&Knot::default(), N), ball].map(|data| Body::new(data).expect("a mesh"));
    let [peer_a, peer_b] = [&a, &b].map(|body| {
        parry::mesh(&body.data.vertices_f32(), &body.data.triangles).expect("parry builds the mesh")
    });
    let mut rng = Rng::new(29);
    // The peer is slow.
    let cases: Vec<Case> = (0..if runner.is_quick() { 4 } else { 12 })
        .map(|_| {
            let (from, to) = (rng.direction() * 3.0, rng.direction() * rng.range(0.0, 1.5));
            let still = (DQuat::IDENTITY, DVec3::ZERO, DVec3::ZERO, rng.direction() * 0.5 * angle);
            case(0, 0, [still, (rng.rotation(), from, (to - from) * 1.2, rng.direction() * angle)])
        })
        .collect();
    let settings = ImpactSettings::default();
    let mut memory = Workspace::default();
    let ours = |case: &Case| {
        cast_with(&a.shape, &case.motions[0], &b.shape, &case.motions[1], &settings, &mut memory)
    };
    let theirs = |case: &Case| parry_cast(case, angle, &peer_a, &peer_b);
    let row = Row { workload, size: N as u64, unit: Unit::Us, per_call: cases.len() as u64 };
    runner.compare_slow(row, race(workload, &cases, ours, theirs));
}

/// The first contact of a body that flies through a field of others that turn on the spot: a queue
/// of all pairs, and a query of each pair over the whole time. Sizes are numbers of bodies.
fn first_of_many(runner: &mut Runner, workload: &str, n: usize) {
    let shape = if workload == "first of meshes" {
        Body::new(bumpy_icosphere(1_000, 0.05, 3).scaled(0.5)).expect("a mesh").shape
    } else {
        let points: Vec<_> = Hulls::new(32, 11).points[0].iter().map(|p| (*p * 0.5).as_vec3()).collect();
        Shape::Hull(Arc::new(ConvexHull::from_points(&points).expect("points of an ellipsoid")))
    };
    let mut rng = Rng::new(31);
    let still = |rng: &mut Rng, position: DVec3| {
        Motion::new(rng.rotation(), position, DVec3::ZERO, DVec3::ZERO, rng.direction())
            .expect("finite numbers")
    };
    let motions: Vec<Motion> = (0..n)
        .map(|_| {
            let position = DVec3::new(rng.range(-20.0, 20.0), rng.range(-5.0, 5.0), rng.range(-5.0, 5.0));
            still(&mut rng, position)
        })
        .collect();
    let flights: Vec<Motion> = (0..8)
        .map(|_| {
            let position = DVec3::new(-24.0, rng.range(-3.0, 3.0), rng.range(-3.0, 3.0));
            Motion::new(rng.rotation(), position, DVec3::ZERO, DVec3::X * 48.0, rng.direction() * 2.0)
                .expect("finite numbers")
        })
        .collect();
    let pairs: Vec<[u32; 2]> = (1..=n as u32).map(|other| [0, other]).collect();
    let settings = ImpactSettings::default();
    let (mut memory, mut other_memory) = (Workspace::default(), Workspace::default());
    let scenes: Vec<Vec<MovingShape<'_>>> = flights
        .iter()
        .map(|flight| [flight].into_iter().chain(&motions).map(|&m| MovingShape::new(&shape, m)).collect())
        .collect();
    let mut queue = |scene: &[MovingShape<'_>]| {
        let first =
            ImpactQueue::new(scene, &pairs, &settings, &mut memory).expect("bodies of the list").next();
        first.map(|first| first.time_of_impact)
    };
    let mut each = |scene: &[MovingShape<'_>]| {
        let mut earliest = Earliest::new();
        for body in &scene[1..] {
            let (a, b) = (&scene[0], body);
            earliest.add(cast_with(a.shape, &a.motion, b.shape, &b.motion, &settings, &mut other_memory));
        }
        earliest.answer()
    };
    let mut answers = Answers::new();
    for (i, scene) in scenes.iter().enumerate() {
        let (ours, all) = (queue(scene), each(scene));
        // The brackets hold the same time.
        let is_same = match (ours, all) {
            (Some(TimeOfImpact::Hit(x)), TimeOfImpact::Hit(y)) => x.t_lo <= y.t_hi && y.t_lo <= x.t_hi,
            (None, TimeOfImpact::Clear(_)) => true,
            _ => false,
        };
        answers.equal(&format!("{workload} scene {i}"), &is_same, &true);
    }
    let row = Row { workload, size: n as u64, unit: Unit::Us, per_call: scenes.len() as u64 };
    let comparison = Comparison::new(answers)
        .entry("carom", || {
            for scene in &scenes {
                std::hint::black_box(queue(scene));
            }
        })
        .entry("carom each", || {
            for scene in &scenes {
                std::hint::black_box(each(scene));
            }
        });
    runner.compare(row, comparison);
}
