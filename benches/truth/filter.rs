//! The rate at which exact arithmetic is needed on real meshes. Among the pairs of triangles that
//! the trees and the eight-at-once test leave over, it counts those for which plain `f64` is
//! uncertain. It compares the number of intersecting pairs with the published count.
//!
//! The mesh pairs are those of `pairs/cases.json`, each mesh placed as published. Every mesh is
//! also tested against itself, without triangles that share a corner, as in
//! `pairs/self_intersections.json`.

use crate::{Options, work};
use carom_bounds::Aabb;
use carom_bvh::{BuildSettings, Bvh, visit_leaf_pairs};
use carom_geom::tri_tri;
use carom_geom::tri_tri_lanes::TriBlock8;
use carom_math::WidePose;
use carom_testkit::{data, meshes};
use core::ops::ControlFlow;
use glam::DVec3;
use serde_json::Value;

#[derive(Clone, Copy, Default)]
struct Count {
    cases: u64,
    /// The number of pairs in leaves that overlap.
    leaf_pairs: u64,
    /// The number of pairs that the eight-at-once separating axis test could not exclude.
    candidates: u64,
    unsure: u64,
    meet: u64,
    wrong: u64,
}

/// Runs all cases. Returns whether every published count was found.
pub(crate) fn run(options: &Options) -> bool {
    let (Some(pairs), Some(selves)) =
        (data::json("pairs/cases.json"), data::json("pairs/self_intersections.json"))
    else {
        return true;
    };
    let of = |value: &Value, key: &str| value[key].as_array().cloned().unwrap_or_default();
    let mut is_right = true;
    println!(
        "{:22} {:>6} {:>12} {:>10} {:>9} {:>9} {:>6}",
        "", "cases", "leaf pairs", "asked", "unsure", "meet", "wrong"
    );
    let (pairs, selves) = (of(&pairs, "cases"), of(&selves, "meshes"));
    let mut kinds: Vec<String> = pairs.iter().map(|case| kind(case).to_owned()).collect();
    kinds.sort();
    kinds.dedup();
    let mut sum = Count::default();
    for wanted_kind in &kinds {
        let cases: Vec<&Value> = pairs.iter().filter(|case| kind(case) == wanted_kind).collect();
        sum.add(&count(&cases, options, one_pair, wanted_kind));
    }
    is_right &= sum.print("all pairs");
    let selves: Vec<&Value> = selves.iter().collect();
    is_right & (count(&selves, options, one_mesh, "meshes on themselves").wrong == 0)
}

/// Returns the kind of a case, without the size of a gap.
fn kind(case: &Value) -> &str {
    case["kind"].as_str().and_then(|kind| kind.split(':').next()).unwrap_or("")
}

fn count(cases: &[&Value], options: &Options, one: fn(&Value) -> Option<Count>, name: &str) -> Count {
    let mut sum = Count::default();
    let tallies = work::in_chunks(cases.len() as u64, options, |number, tally: &mut Count| {
        match one(cases[number as usize]) {
            Some(count) => tally.add(&count),
            None => tally.wrong += 1,
        }
    });
    tallies.iter().for_each(|tally| sum.add(tally));
    sum.print(name);
    sum
}

impl Count {
    fn add(&mut self, other: &Count) {
        self.cases += other.cases;
        self.leaf_pairs += other.leaf_pairs;
        self.candidates += other.candidates;
        self.unsure += other.unsure;
        self.meet += other.meet;
        self.wrong += other.wrong;
    }

    /// Prints the row. Returns whether nothing is wrong.
    fn print(&self, name: &str) -> bool {
        let part = 100.0 * self.unsure as f64 / self.candidates.max(1) as f64;
        let Count { cases, leaf_pairs, candidates, meet, wrong, .. } = self;
        println!("{name:22} {cases:>6} {leaf_pairs:>12} {candidates:>10} {part:7.3} % {meet:>9} {wrong:>6}");
        *wrong == 0
    }
}

/// Returns the triangles of a mesh: vertices times a scale, then transformed by a row-major 4x4
/// matrix. Each operation is rounded once.
fn placed(name: &Value, scale: &Value, pose: Option<&Value>) -> Option<Vec<[DVec3; 3]>> {
    let scale = scale.as_f64().unwrap_or(1.0);
    let m: Option<Vec<f64>> =
        pose.and_then(Value::as_array).map(|p| p.iter().filter_map(Value::as_f64).collect());
    let position_of = |p: DVec3| {
        let p = p * scale;
        let Some(m) = m.as_ref().filter(|m| 12 <= m.len()) else { return p };
        let row = |i: usize| ((m[i] * p.x + m[i + 1] * p.y) + m[i + 2] * p.z) + m[i + 3];
        DVec3::new(row(0), row(4), row(8))
    };
    Some(meshes::mesh(name.as_str()?)?.corners().iter().map(|t| t.map(position_of)).collect())
}

fn one_pair(case: &Value) -> Option<Count> {
    let a = placed(&case["mesh_a"], &case["scale_a"], None)?;
    let b = placed(&case["mesh_b"], &case["scale_b"], Some(&case["pose_b"]))?;
    let mut found = compare(&a, &b, |_, _| true)?;
    found.wrong = u64::from(Some(found.meet) != case["expected"]["tri_pairs_exact"].as_u64());
    Some(found)
}

fn one_mesh(case: &Value) -> Option<Count> {
    let a = placed(&case["mesh"], &Value::Null, None)?;
    let is_wanted = |i: u32, j: u32| i < j && !a[i as usize].iter().any(|p| a[j as usize].contains(p));
    let mut found = compare(&a, &a, is_wanted)?;
    found.wrong = u64::from(Some(found.meet) != case["self_pairs"].as_u64());
    Some(found)
}

fn compare(a: &[[DVec3; 3]], b: &[[DVec3; 3]], is_wanted: impl Fn(u32, u32) -> bool) -> Option<Count> {
    // Trees are `f32`, so a power of two scales huge meshes into their range.
    let largest = a.iter().chain(b).flatten().fold(0.0, |m: f64, p| m.max(p.abs().max_element()));
    let scale = if largest < 1e9 { 1.0 } else { carom_math::scaling::scale_of(largest) };
    let tree = |triangles: &[[DVec3; 3]]| -> Option<Bvh> {
        let around =
            |[a, b, c]: &[DVec3; 3]| Aabb::around(a.min(*b).min(*c) * scale, a.max(*b).max(*c) * scale);
        let boxes: Vec<Aabb> = triangles.iter().map(around).collect();
        Bvh::build(&boxes, &BuildSettings::default().with_max_leaf(8)).ok()
    };
    let (tree_a, tree_b) = (tree(a)?, tree(b)?);
    let mut count = Count { cases: 1, ..Count::default() };
    visit_leaf_pairs(&tree_a, &tree_b, &WidePose::IDENTITY, |leaf_a, leaf_b| {
        let of_a: Vec<[DVec3; 3]> = leaf_a.primitives.iter().map(|&i| a[i as usize]).collect();
        let of_b: Vec<[DVec3; 3]> = leaf_b.primitives.iter().map(|&j| b[j as usize]).collect();
        let mut lanes = vec![0; of_b.len()];
        TriBlock8::new(&of_a).may_be_near(&of_b, 0.0, &mut lanes);
        for (j, &lanes) in lanes.iter().enumerate() {
            for i in 0..of_a.len() {
                if !is_wanted(leaf_a.primitives[i], leaf_b.primitives[j]) {
                    continue;
                }
                count.leaf_pairs += 1;
                if lanes >> i & 1 == 1 {
                    count.candidates += 1;
                    count.unsure += u64::from(tri_tri::intersects_filter(&of_a[i], &of_b[j]).is_none());
                    count.meet += u64::from(tri_tri::intersects(&of_a[i], &of_b[j]));
                }
            }
        }
        ControlFlow::Continue(())
    });
    Some(count)
}
