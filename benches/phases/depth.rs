//! Penetration depth of hulls that overlap a little and a lot: by GJK and EPA, and for small hulls
//! by separating axes.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

use carom_benches::peers::parry;
use carom_benches::scenes::{HullPair, Hulls};
use carom_benches::{Answers, Comparison, Row, Runner, Unit};
use carom_geom::ConvexHull;
use carom_gjk::{GjkSettings, intersects, penetration};
use carom_sat::hull_hull::separation;
use glam::DVec3;
use parry3d::math::Pose as ParryPose;
use parry3d::query::details;
use parry3d::shape::ConvexPolyhedron;

/// Tolerance of the depth: as large as the rounding of the hulls to `f32`.
const TOLERANCE: f64 = 1e-4;

/// The largest number of vertices for the search over all axes.
const MAX_ALL_AXES_VERTICES: usize = 8;

fn main() {
    let mut runner = Runner::new("depth");
    let settings = GjkSettings::default();
    for n in [8, 32, 128, 512] {
        let scene = Hulls::new(n, 11);
        let hulls: Vec<ConvexHull> = scene
            .points
            .iter()
            .map(|points| {
                let points: Vec<_> = points.iter().map(|p| p.as_vec3()).collect();
                ConvexHull::from_points(&points).expect("points of an ellipsoid have a hull")
            })
            .collect();
        let peers: Vec<ConvexPolyhedron> =
            scene.points.iter().map(|points| parry::hull(points).expect("parry builds the hull")).collect();
        for (workload, depth) in [("shallow", 0.01), ("deep", 0.5)] {
            if runner.wants(workload) {
                let pairs = scene.pushed(2000, depth, 5, |pair| {
                    intersects(&hulls[pair.a], &hulls[pair.b], &pair.b_in_a, &settings, None).intersects
                });
                compare(&mut runner, workload, n, &scene, &hulls, &peers, &pairs);
            }
        }
    }
}

fn compare(
    runner: &mut Runner,
    workload: &str,
    n: usize,
    scene: &Hulls,
    hulls: &[ConvexHull],
    peers: &[ConvexPolyhedron],
    pairs: &[HullPair],
) {
    let settings = GjkSettings::default();
    let poses: Vec<ParryPose> = pairs.iter().map(|pair| parry::pose(&pair.b_in_a)).collect();
    let ours = |pair: &HullPair| penetration(&hulls[pair.a], &hulls[pair.b], &pair.b_in_a, &settings, None);
    let theirs = |pair: &HullPair, pose: &ParryPose| {
        details::contact_support_map_support_map(pose, &peers[pair.a], &peers[pair.b], 0.0)
    };

    let by_axes = |pair: &HullPair| separation(&hulls[pair.a], &hulls[pair.b], &pair.b_in_a.wide());

    // The width of the overlap along any direction is an upper bound of the depth. carom's depth
    // has to be the width along its own normal, and may not be above the width along the peer's:
    // then no better normal is known.
    let mut certificate = Answers::new();
    let mut answers = Answers::new();
    for (i, (pair, pose)) in pairs.iter().zip(&poses).enumerate() {
        let Some(own) = ours(pair) else {
            certificate.equal(&format!("pair {i} meets"), &false, &true);
            continue;
        };
        let depth = -f64::from(own.distance);
        if n <= MAX_ALL_AXES_VERTICES {
            let found = by_axes(pair).map_or(f64::NAN, |found| -f64::from(found.distance));
            certificate.number(&format!("pair {i}: depth and least overlap"), depth, found, TOLERANCE);
        }
        let width = width(scene, pair, own.normal.as_dvec3());
        certificate.number(&format!("pair {i}: depth and own width"), depth, width, TOLERANCE);
        let Some(contact) = theirs(pair, pose) else {
            answers.equal(&format!("pair {i} meets"), &true, &false);
            continue;
        };
        let normal = DVec3::new(contact.normal1.x.into(), contact.normal1.y.into(), contact.normal1.z.into());
        let bound = self::width(scene, pair, normal.normalize_or_zero());
        certificate.number(
            &format!("pair {i}: below the peer's width"),
            (depth - bound).max(0.0),
            0.0,
            TOLERANCE,
        );
        answers.number(&format!("pair {i}"), depth, -f64::from(contact.dist), TOLERANCE);
    }
    println!("    carom's certificates: {} of {} fail", certificate.differ, certificate.compared);
    if let Some(first) = &certificate.first {
        println!("    first: {first}");
    }

    let row = Row { workload, size: n as u64, unit: Unit::Ns, per_call: pairs.len() as u64 };
    let mut comparison = Comparison::new(answers).entry("carom", || {
        for pair in pairs {
            std::hint::black_box(ours(pair));
        }
    });
    if n <= MAX_ALL_AXES_VERTICES {
        comparison = comparison.entry("carom-sat", || {
            for pair in pairs {
                std::hint::black_box(by_axes(pair));
            }
        });
    }
    let comparison = comparison.entry("parry", || {
        for (pair, pose) in pairs.iter().zip(&poses) {
            std::hint::black_box(theirs(pair, pose));
        }
    });
    runner.compare(row, comparison);
}

/// Returns how far B must move along the unit vector `normal`, from A to B, until a plane separates
/// them.
fn width(scene: &Hulls, pair: &HullPair, normal: DVec3) -> f64 {
    let wide = pair.b_in_a.wide();
    let most_a = scene.points[pair.a].iter().map(|p| p.dot(normal)).fold(f64::NEG_INFINITY, f64::max);
    let least_b = scene.points[pair.b]
        .iter()
        .map(|p| wide.transform_point(*p).dot(normal))
        .fold(f64::INFINITY, f64::min);
    most_a - least_b
}
