//! Moving primitives and elements: balls against balls and triangles, vertices against faces, edges against edges.
//!
//! Of the elements nobody beside carom gives a time of impact; the search by boxes of time and place is carom's own, and stands for
//! how such queries are commonly answered. `published` are the 4,779 queries of the data set, where it is present, and
//! `slowest` the one of them that takes longest.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

use carom_benches::peers::parry;
use carom_benches::{Answers, Contest, Row, Runner, Unit};
use carom_ccd::{Element, ElementSettings, MovingSphere, Polygon, Sides, TimeOfImpact};
use carom_testkit::conform::element_ccd::{self, Kind};
use carom_testkit::random::Random;
use glam::DVec3;
use parry3d::math::Pose as ParryPose;
use parry3d::query::{ShapeCastOptions, cast_shapes};
use parry3d::shape::{Ball, Triangle};
use std::hint::black_box;
use std::time::Instant;

/// How many different inputs one call goes through.
const N: usize = 2000;

/// parry computes in `f32`: what a time of about 1 is off by.
const TOLERANCE: f64 = 2e-3;

/// Relative to the size: where the search by boxes stops, as its authors propose.
const BOX_TOLERANCE: f64 = 1e-6;

/// Boxes after which it gives up: the published limit.
const MAX_BOXES: u32 = 1_000_000;

fn main() {
    let mut runner = Runner::new("elements");
    let mut random = Random::new(23);
    balls(&mut runner, &mut random);
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

/// Small features that pass through each other's neighbourhood, as those of two surfaces in a time step.
fn generated(random: &mut Random, kind: Kind) -> Element {
    let n_a = if kind == Kind::VertexFace { 1 } else { 2 };
    let (from, way) = (random.cube_point(), random.cube_point() * 2.0);
    let start =
        core::array::from_fn(|i| random.cube_point() * 0.5 + if i < n_a { from } else { DVec3::ZERO });
    let end = core::array::from_fn(|i| {
        start[i] + random.cube_point() * 0.1 + if i < n_a { way } else { DVec3::ZERO }
    });
    element(kind, start, end)
}

fn race(runner: &mut Runner, workload: &str, elements: &[Element]) {
    let settings = ElementSettings::default();
    let boxes = |element: &Element| element.time_of_impact_by_inclusion(0.0, BOX_TOLERANCE, MAX_BOXES);
    let mut answers = Answers::new();
    for (i, element) in elements.iter().enumerate() {
        // Until when nothing touches: the boxes end where they are too small, which is before.
        let (ours, theirs) = (element.time_of_impact(&settings), boxes(element));
        let is_hit = ours.hit().is_some();
        let are_clear = matches!(theirs, TimeOfImpact::Clear(_));
        answers.equal(&format!("element {i}"), &(is_hit && are_clear), &false);
    }
    let row = Row { workload, size: elements.len() as u64, unit: Unit::Ns, per_call: elements.len() as u64 };
    let contest = Contest::new(answers)
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
    runner.alike(row, contest);
}

/// Balls that fly at balls and at triangles, one in two hits or so.
fn balls(runner: &mut Runner, random: &mut Random) {
    let moving = |random: &mut Random, size: f64| {
        let from = random.cube_point() * 3.0;
        MovingSphere::new(from, random.range(0.1, 0.3), (random.cube_point() * size - from) * 1.5)
            .expect("numbers are finite")
    };
    let miss = -1.0;
    let time = |found: TimeOfImpact| found.hit().map_or(miss, |hit| hit.t_hi);
    let row = |workload| Row { workload, size: 1, unit: Unit::Ns, per_call: N as u64 };
    let options = ShapeCastOptions::with_max_time_of_impact(1.0);
    let still = ParryPose::IDENTITY;
    let at = |p: DVec3| ParryPose::from_translation(parry::vector(p.as_vec3()));
    let cast =
        |ball: &MovingSphere, shape: &dyn parry3d::shape::Shape, place: &ParryPose, velocity: DVec3| {
            let own = Ball::new(ball.radius() as f32);
            let (v, w) = (parry::vector(ball.velocity().as_vec3()), parry::vector(velocity.as_vec3()));
            cast_shapes(&at(ball.center()), v, &own, place, w, shape, options)
                .ok()
                .flatten()
                .map_or(miss, |hit| f64::from(hit.time_of_impact))
        };
    if runner.wants("sphere-sphere") {
        let pairs: Vec<[MovingSphere; 2]> =
            (0..N).map(|_| [moving(random, 1.0), moving(random, 1.0)]).collect();
        let ours = |i: usize| time(pairs[i][0].against_sphere(&pairs[i][1], 1.0));
        let theirs = |i: usize| {
            let [a, b] = &pairs[i];
            cast(a, &Ball::new(b.radius() as f32), &at(b.center()), b.velocity())
        };
        let row = row("sphere-sphere");
        runner.alike(row, contest(compared(ours, theirs), ours, theirs));
    }
    if runner.wants("sphere-triangle") {
        let triangles: Vec<[DVec3; 3]> =
            (0..N).map(|_| core::array::from_fn(|_| random.cube_point())).collect();
        let balls: Vec<MovingSphere> = (0..N).map(|_| moving(random, 0.8)).collect();
        let own: Vec<Polygon> =
            triangles.iter().map(|t| Polygon::triangle(*t).expect("corners are finite")).collect();
        let peers: Vec<Triangle> = triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|p| parry::vector(p.as_vec3()));
                Triangle::new(a, b, c)
            })
            .collect();
        let ours = |i: usize| time(balls[i].against_polygon(&own[i], Sides::Both, 1.0));
        let theirs = |i: usize| cast(&balls[i], &peers[i], &still, DVec3::ZERO);
        let row = row("sphere-triangle");
        runner.alike(row, contest(compared(ours, theirs), ours, theirs));
    }
}

/// Times are alike where both hit, and one of them has a hit that the other has not only in passing.
fn compared(ours: impl Fn(usize) -> f64, theirs: impl Fn(usize) -> f64) -> Answers {
    let mut answers = Answers::new();
    for i in 0..N {
        let (a, b) = (ours(i), theirs(i));
        answers.number(&format!("pair {i}"), a, b, TOLERANCE);
    }
    answers
}

fn contest<'a>(
    answers: Answers,
    ours: impl Fn(usize) -> f64 + 'a,
    theirs: impl Fn(usize) -> f64 + 'a,
) -> Contest<'a> {
    let all = |answer: &dyn Fn(usize) -> f64| {
        for i in 0..N {
            black_box(answer(black_box(i)));
        }
    };
    Contest::new(answers).entry("carom", move || all(&ours)).entry("parry", move || all(&theirs))
}
