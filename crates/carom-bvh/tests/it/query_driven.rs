//! Trees that are built for known queries.

use carom_bounds::Aabb;
use carom_bvh::{BuildMethod, BuildSettings, Builder, Bvh, BvhError, Counters};
use carom_testkit::conform::bvh::bvh;
use carom_testkit::conform::dice::Dice;
use core::ops::ControlFlow;
use glam::Vec3;

fn by_use(boxes: &[Aabb], uses: &[u32], settings: &BuildSettings) -> Result<Bvh, BvhError> {
    let mut tree = Bvh::empty();
    Builder::default().rebuild_query_driven(&mut tree, boxes, uses, settings)?;
    Ok(tree)
}

#[test]
fn the_tree_answers_as_any_other() {
    let settings = BuildSettings::default();
    bvh(|boxes| by_use(boxes, &[], &settings));
    bvh(|boxes| {
        let uses: Vec<u32> = (0..boxes.len()).map(|i| if i % 7 == 0 { 1000 } else { 0 }).collect();
        by_use(boxes, &uses, &settings.with_max_leaf(1))
    });
}

/// Runs queries and counts what they reach.
fn load(tree: &Bvh, queries: &[Aabb], uses: &mut [u32]) -> Counters {
    let mut total = Counters::default();
    for query in queries {
        let visit = tree.visit_box(query, |leaf| {
            for &primitive in leaf.primitives {
                uses[primitive as usize] += 1;
            }
            ControlFlow::Continue(())
        });
        total += visit.counters;
    }
    total
}

#[test]
fn a_skewed_load_costs_less() {
    let mut dice = Dice::new(1);
    let boxes: Vec<Aabb> = (0..30_000).map(|_| dice.aabb(10.0, 0.1)).collect();
    // Nearly all queries go to one of three places, of half a thousandth of the whole each.
    let mut queries = |n: usize| -> Vec<Aabb> {
        (0..n)
            .map(|i| {
                let position =
                    [Vec3::splat(-5.0), Vec3::new(4.0, -3.0, 6.0), Vec3::new(7.0, 7.0, -8.0)][i % 3];
                let aabb = dice.aabb(if i % 50 == 0 { 10.0 } else { 0.8 }, 0.2);
                if i % 50 == 0 { aabb } else { Aabb { min: aabb.min + position, max: aabb.max + position } }
            })
            .collect()
    };
    let (learned, new_queries) = (queries(3000), queries(3000));
    let settings = BuildSettings::default().with_method(BuildMethod::Sah);
    let tree = Bvh::build(&boxes, &settings).unwrap();
    let mut uses = vec![0; boxes.len()];
    load(&tree, &learned, &mut uses);
    let tuned = by_use(&boxes, &uses, &settings).unwrap();
    tuned.validate(&boxes).unwrap();
    let before = load(&tree, &new_queries, &mut uses);
    let after = load(&tuned, &new_queries, &mut uses);
    println!(
        "nodes {} -> {}, volume tests {} -> {}, cost {:.1} -> {:.1}, depth {} -> {}",
        before.nodes,
        after.nodes,
        before.volume_tests,
        after.volume_tests,
        tree.quality().sah_cost,
        tuned.quality().sah_cost,
        tree.quality().depth,
        tuned.quality().depth
    );
    assert!(10 * after.nodes < 9 * before.nodes);
    assert!(10 * after.volume_tests < 9 * before.volume_tests);
    // In parts that queries rarely reach, the tree is deeper.
    assert!(tree.quality().depth < tuned.quality().depth);
}
