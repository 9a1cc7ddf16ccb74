//! Supports of hulls: the scan that queries use, a plain scan, climbing, and climbing from an apex
//! map.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

use carom_benches::scenes::Hulls;
use carom_benches::{Answers, Comparison, Row, Runner, Unit};
use carom_geom::{ConvexHull, SupportMap, SupportPoint};
use carom_scenes::Rng;
use glam::{DQuat, DVec3};

/// Cells along a side of the cube: worth it for a large hull.
const N_SIDE: u32 = 32;

fn main() {
    let mut runner = Runner::new("support");
    for n in [8, 16, 32, 64, 128, 256, 512, 1024, 4096] {
        let points: Vec<_> = Hulls::new(n, 11).points.remove(0).iter().map(|p| p.as_vec3()).collect();
        let hull = ConvexHull::from_points(&points).expect("points of an ellipsoid have a hull");
        let mut rng = Rng::new(5);
        let mut direction = || DVec3::new(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0), rng.range(-1.0, 1.0));
        let scattered: Vec<DVec3> = (0..4000).map(|_| direction()).collect();
        // Half a degree between directions, about an axis that changes every 100 directions.
        let mut turning = Vec::new();
        for _ in 0..40 {
            let (axis, mut d) = (direction().normalize(), direction());
            for _ in 0..100 {
                turning.push(d);
                d = DQuat::from_axis_angle(axis, 0.0087) * d;
            }
        }
        for (workload, directions) in [("scattered", scattered), ("turning", turning)] {
            if runner.wants(workload) {
                measure(&mut runner, workload, n, &hull, &directions);
            }
        }
    }
}

fn measure(runner: &mut Runner, workload: &str, n: usize, hull: &ConvexHull, directions: &[DVec3]) {
    let map = hull.apex_map(N_SIDE);
    let vertices: Vec<DVec3> = hull.vertices().iter().map(|v| v.as_dvec3()).collect();
    let plain = |d: DVec3| {
        let (mut best, mut most) = (0, f64::NEG_INFINITY);
        for (i, v) in vertices.iter().enumerate() {
            let along = v.dot(d);
            if most < along {
                (best, most) = (i as u32, along);
            }
        }
        best
    };
    let start = |vertex: u32| SupportPoint { point: DVec3::ZERO, vertex };
    let exact = |d: DVec3| hull.support_exact(d, hull.support(d)).vertex;
    let mut answers = Answers::new();
    for (i, &d) in directions.iter().enumerate() {
        let height = |vertex: u32| vertices[vertex as usize].dot(d);
        let truth = height(plain(d));
        let rounding = 1e-14 * d.length();
        answers.number(&format!("exact {i}"), height(exact(d)), truth, rounding);
        answers.number(&format!("map {i}"), height(hull.support_by(&map, d).vertex), truth, rounding);
        answers.number(
            &format!("climb {i}"),
            height(hull.support_exact(d, start(0)).vertex),
            truth,
            rounding,
        );
    }
    let row = Row { workload, size: n as u64, unit: Unit::Ns, per_call: directions.len() as u64 };
    let all = |support: &dyn Fn(DVec3) -> u32| {
        for &d in directions {
            std::hint::black_box(support(d));
        }
    };
    let comparison = Comparison::new(answers)
        .entry("carom scan", || all(&|d| hull.support(d).vertex))
        .entry("scan, exact", || all(&exact))
        .entry("apex map, exact", || all(&|d| hull.support_by(&map, d).vertex))
        .entry("climb from last, exact", || {
            let mut last = 0;
            for &d in directions {
                last = std::hint::black_box(hull.support_exact(d, start(last)).vertex);
            }
        })
        .entry("climb from 0, exact", || all(&|d| hull.support_exact(d, start(0)).vertex))
        .entry("plain scan in f64", || all(&plain));
    runner.compare(row, comparison);
}
