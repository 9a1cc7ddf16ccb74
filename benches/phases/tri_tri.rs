//! Intersection of two triangles: carom's exact test and parry's test of two convex shapes, on the
//! same pairs.
//!
//! Exact arithmetic answers first. carom must agree with it in every pair; the report counts the
//! pairs in which parry does not.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

use carom_benches::peers::parry;
use carom_benches::{Answers, Comparison, Row, Runner, Unit};
use carom_bounds::Aabb;
use carom_bvh::{BuildSettings, Bvh, visit_pairs};
use carom_geom::tri_tri::intersects;
use carom_math::WidePose;
use carom_testkit::oracle::triangle::hulls_meet;
use carom_testkit::random::Random;
use carom_testkit::triangle_pairs::{self, Family, Placement};
use carom_testkit::{data, meshes};
use core::ops::ControlFlow;
use glam::{DVec3, Vec3};
use parry3d::query::details::intersection_test_support_map_support_map;
use parry3d::shape::Triangle;

/// Pairs of one workload.
const N_PAIRS: usize = 2048;

/// The corners that every program gets.
type Pair = [[Vec3; 3]; 2];

fn main() {
    let mut runner = Runner::new("tri_tri");
    let mut random = Random::new(6);
    let wide = |t: &[Vec3; 3]| t.map(|p| p.as_dvec3());
    let meet = |pair: &Pair| hulls_meet(&wide(&pair[0]), &wide(&pair[1]));

    // Corners in a cube: boxes that overlap, triangles that do not.
    let near = gather(|| random_pair(&mut random), |pair| boxes_overlap(pair) && !meet(pair));
    compare(&mut runner, "separated", &near, &meet);
    let crossing = gather(|| random_pair(&mut random), |pair| meet(pair));
    compare(&mut runner, "crossing", &crossing, &meet);
    let coplanar = gather(|| family_pair(&mut random, Family::Coplanar), boxes_overlap);
    compare(&mut runner, "coplanar", &coplanar, &meet);
    let shared = gather(|| family_pair(&mut random, Family::SharedCorners), |_| true);
    compare(&mut runner, "shared corners", &shared, &meet);
    let touching = gather(|| family_pair(&mut random, Family::CornerOnFace), boxes_overlap);
    compare(&mut runner, "corner on face", &touching, &meet);
    for (name, a, b) in [
        ("screw in nut", "screw_big", "nut_big"),
        ("drill and spot", "ycb_power_drill", "spot"),
        ("cubes of pipes", "hilbert_cube", "hilbert_cube"),
    ] {
        if let Some(pairs) = leaf_pairs(a, b) {
            compare(&mut runner, name, &pairs, &meet);
        }
    }
}

fn gather(mut make: impl FnMut() -> Pair, is_wanted: impl Fn(&Pair) -> bool) -> Vec<Pair> {
    core::iter::repeat_with(&mut make).filter(is_wanted).take(N_PAIRS).collect()
}

fn random_pair(random: &mut Random) -> Pair {
    [0; 2].map(|_| [0; 3].map(|_| random.cube_point().as_vec3()))
}

/// Returns a pair of triangles with integer corners that `f32` represents.
fn family_pair(random: &mut Random, family: Family) -> Pair {
    loop {
        let [a, b] = triangle_pairs::pair(random, family).map(|t| Placement::Plain.apply(&t));
        let is_small = |t: &[DVec3; 3]| t.iter().all(|p| p.abs().max_element() < 16_777_216.0);
        if is_small(&a) && is_small(&b) {
            return [a, b].map(|t| t.map(|p| p.as_vec3()));
        }
    }
}

fn bounds(t: &[Vec3; 3]) -> (Vec3, Vec3) {
    (t[0].min(t[1]).min(t[2]), t[0].max(t[1]).max(t[2]))
}

fn boxes_overlap(pair: &Pair) -> bool {
    let ((low_a, high_a), (low_b, high_b)) = (bounds(&pair[0]), bounds(&pair[1]));
    low_a.cmple(high_b).all() && low_b.cmple(high_a).all()
}

/// Returns pairs of triangles in overlapping leaves of two real meshes, which are scaled to one
/// size and pushed into each other.
fn leaf_pairs(a: &str, b: &str) -> Option<Vec<Pair>> {
    let scaled_triangles = |name: &str, turn: glam::DQuat| -> Option<Vec<[Vec3; 3]>> {
        data::find("meshes")?;
        let corners = meshes::mesh(name)?.corners();
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for p in corners.iter().flatten() {
            (low, high) = (low.min(*p), high.max(*p));
        }
        let size = (high - low).max_element();
        Some(
            corners.iter().map(|t| t.map(|p| (turn * ((p - (low + high) * 0.5) / size)).as_vec3())).collect(),
        )
    };
    let triangles_a = scaled_triangles(a, glam::DQuat::IDENTITY)?;
    let triangles_b =
        scaled_triangles(b, glam::DQuat::from_rotation_z(0.4) * glam::DQuat::from_rotation_x(0.3))?;
    let tree = |triangles: &[[Vec3; 3]]| -> Bvh {
        let boxes: Vec<Aabb> =
            triangles.iter().map(|t| Aabb { min: bounds(t).0, max: bounds(t).1 }).collect();
        Bvh::build(&boxes, &BuildSettings::default()).expect("a real mesh has a tree")
    };
    let mut all = Vec::new();
    visit_pairs(&tree(&triangles_a), &tree(&triangles_b), &WidePose::IDENTITY, |i, j| {
        all.push([triangles_a[i as usize], triangles_b[j as usize]]);
        ControlFlow::Continue(())
    });
    let step = all.len().div_ceil(N_PAIRS).max(1);
    Some(all.into_iter().step_by(step).collect())
}

fn compare(runner: &mut Runner, name: &str, pairs: &[Pair], meet: &impl Fn(&Pair) -> bool) {
    if !runner.wants(name) {
        return;
    }
    let ours = |pair: &Pair| intersects(&pair[0].map(|p| p.as_dvec3()), &pair[1].map(|p| p.as_dvec3()));
    let here = parry3d::math::Pose::IDENTITY;
    let peers: Vec<[Triangle; 2]> =
        pairs.iter().map(|pair| pair.map(|t| Triangle::from(t.map(parry::vector)))).collect();
    let theirs = |pair: &[Triangle; 2]| intersection_test_support_map_support_map(&here, &pair[0], &pair[1]);
    let mut answers = Answers::new();
    let mut n_meet = 0;
    for (pair, peer) in pairs.iter().zip(&peers) {
        let expected = meet(pair);
        n_meet += usize::from(expected);
        assert_eq!(ours(pair), expected, "carom is wrong: {pair:?}");
        answers.equal(name, &expected, &theirs(peer));
    }
    println!("{name}: {n_meet} of {} meet; parry is wrong about {}", pairs.len(), answers.differ);
    let row = Row { workload: name, size: pairs.len() as u64, unit: Unit::Ns, per_call: pairs.len() as u64 };
    let comparison = Comparison::new(answers)
        .entry("carom", || {
            for pair in pairs {
                std::hint::black_box(ours(std::hint::black_box(pair)));
            }
        })
        .entry("parry", || {
            for peer in &peers {
                std::hint::black_box(theirs(std::hint::black_box(peer)));
            }
        });
    runner.compare(row, comparison);
}
