//! Difficult worlds: the number of tests stays below a limit per box and pair.

use carom_broad_tree::{DynamicBvh, KdTree, RebuiltBvh};
use carom_testkit::conform::cliffs;

#[test]
fn no_world_makes_it_fall_off() {
    let limit = |world: &str| match world {
        "giants" => 10.0,
        "crowd" => 15.0,
        "uniform" | "far" => 30.0,
        "outlier" | "line" | "plane" => 40.0,
        "needles" => 150.0,
        _ => 60.0,
    };
    cliffs::check("tree", DynamicBvh::new, limit);
    cliffs::check("rebuilt tree", RebuiltBvh::new, limit);
    cliffs::check("kd-tree", KdTree::new, limit);
}

#[test]
fn resting_static_ground_costs_nothing() {
    cliffs::static_ground_costs_nothing(&mut DynamicBvh::new());
    cliffs::static_ground_costs_nothing(&mut RebuiltBvh::new());
    cliffs::static_ground_costs_nothing(&mut KdTree::new());
}
