//! Nodes of other kinds: four children, and boxes in bytes. They pass the suite of trees; their
//! costs and their memory are compared.

use carom_bounds::{Aabb, BoundingVolume};
use carom_bvh::{
    BoxNode4, BuildMethod, BuildSettings, Bvh, Bvh4, Child, QuantizedBvh, QuantizedBvh4, WideNode,
};
use carom_testkit::conform::bvh::{bvh_of_nodes, corpus};
use carom_testkit::conform::dice::Dice;
use core::ops::ControlFlow;
use glam::Vec3;

#[test]
fn nodes_of_four() {
    bvh_of_nodes(|boxes| Bvh4::packed(boxes, &BuildSettings::default().with_max_leaf(2)));
}

#[test]
fn boxes_in_bytes() {
    let by_curve = BuildSettings::default().with_method(BuildMethod::Morton);
    bvh_of_nodes(|boxes| QuantizedBvh::packed(boxes, &by_curve));
}

#[test]
fn boxes_in_bytes_by_fours() {
    bvh_of_nodes(|boxes| QuantizedBvh4::packed(boxes, &BuildSettings::default().with_max_leaf(1)));
}

/// The leaves that a box meets, by a test of one volume after the other.
fn met_one_by_one<N: WideNode<carom_bounds::Aabb8>>(tree: &Bvh<Aabb, N>, probe: &Aabb) -> Vec<u32> {
    let (mut met, mut stack) = (Vec::new(), vec![0]);
    while let Some(node) = stack.pop() {
        for (reference, child) in tree.children(node) {
            if !tree.volume(reference).overlaps(probe) {
                continue;
            }
            match child {
                Child::Node(node) => stack.push(node),
                Child::Leaf(leaf) => met.push(leaf.index),
            }
        }
    }
    met.sort_unstable();
    met
}

/// Volumes that are decoded eight at a time have the same bits as those that are decoded alone:
/// probes touch them at corners.
fn opened_as_read<N: WideNode<carom_bounds::Aabb8>>() -> usize {
    let mut n_met = 0;
    for (name, boxes) in corpus() {
        let tree = Bvh::<Aabb, N>::packed(&boxes, &BuildSettings::default().with_max_leaf(1)).unwrap();
        let corners = (0..tree.n_nodes() as u32)
            .flat_map(|node| tree.children(node).map(|(reference, _)| tree.volume(reference)))
            .flat_map(|volume| [volume.min, volume.max]);
        let beside = |at: Vec3| [at, at.map(f32::next_up), at.map(f32::next_down)];
        for point in corners.step_by(3).flat_map(beside) {
            let probe = Aabb::from_point(point);
            let mut met = Vec::new();
            tree.visit_box(&probe, |leaf| {
                met.push(leaf.index);
                ControlFlow::Continue(())
            });
            met.sort_unstable();
            // A probe outside the tree's own box meets nothing.
            let expected =
                if tree.bounds().overlaps(&probe) { met_one_by_one(&tree, &probe) } else { Vec::new() };
            assert_eq!(met, expected, "{name}: {point}");
            n_met += met.len();
        }
    }
    n_met
}

#[test]
fn lanes_and_single_volumes_agree() {
    let counts = [
        opened_as_read::<carom_bvh::Node8<carom_bounds::Aabb8>>(),
        opened_as_read::<BoxNode4>(),
        opened_as_read::<carom_bvh::QuantizedNode8>(),
        opened_as_read::<carom_bvh::QuantizedNode4>(),
    ];
    assert!(counts.iter().all(|&n| 2000 < n), "{counts:?}");
}

#[test]
fn they_take_less_and_cost_little_more() {
    let mut dice = Dice::new(41);
    let boxes: Vec<Aabb> = (0..20_000).map(|_| dice.aabb(10.0, 0.3)).collect();
    let settings = BuildSettings::default().with_max_leaf(8);
    let tree = Bvh::<Aabb>::build(&boxes, &settings).unwrap();
    let eight = tree.quality();
    let bytes = |quality: carom_bvh::Quality, node: usize| {
        // Four bytes for every primitive, and four for every leaf.
        let rest = 4.0 + 4.0 * (quality.leaves + 1) as f64 / boxes.len() as f64;
        let nodes = (node * quality.nodes) as f64 / boxes.len() as f64;
        assert!((quality.bytes_per_primitive - rest - nodes).abs() < 1e-9);
        println!("SAH cost {:.2}, bytes per primitive {rest:.2} + {nodes:.2}", quality.sah_cost);
        nodes
    };
    let all = [
        bytes(eight, 256),
        bytes(QuantizedBvh::from(&tree).quality(), 96),
        bytes(Bvh4::packed(&boxes, &settings).unwrap().quality(), 128),
        bytes(QuantizedBvh4::packed(&boxes, &settings).unwrap().quality(), 64),
    ];
    assert!(all[1] < 6.0 && all[1] < all[3] && all[3] < all[2], "{all:?}");
    let cost = QuantizedBvh::from(&tree).quality().sah_cost;
    assert!(eight.sah_cost < cost && cost < 1.03 * eight.sah_cost, "{cost}");
}

#[test]
fn a_tree_is_packed_as_it_is() {
    for (name, boxes) in corpus() {
        let tree = Bvh::<Aabb>::build(&boxes, &BuildSettings::default()).unwrap();
        let packed = QuantizedBvh::from(&tree);
        packed.validate(&boxes).unwrap();
        assert_eq!(packed.primitives(), tree.primitives(), "{name}");
        assert_eq!(packed.n_leaves(), tree.n_leaves(), "{name}");
    }
    // An edited tree may have nodes out of use.
    let boxes = corpus()[4].1.clone();
    let mut edited = carom_bvh::EditedBvh::build(&boxes).unwrap();
    for number in (0..boxes.len() as u32).filter(|i| i % 3 != 0) {
        edited.remove(edited.part(number).unwrap()).unwrap();
    }
    let packed = QuantizedBvh::from(edited.tree());
    let mut found = Vec::new();
    packed.visit_box(&packed.bounds(), |leaf| {
        found.extend_from_slice(leaf.primitives);
        ControlFlow::Continue(())
    });
    found.sort_unstable();
    assert_eq!(found, (0..boxes.len() as u32).filter(|i| i % 3 == 0).collect::<Vec<_>>());
}
