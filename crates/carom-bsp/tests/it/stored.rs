//! Trees as text: a sound one is the same, and a broken one is refused.

use carom_bsp::{Brush, BspSettings, BspTree, Contents};
use carom_math::glam::DVec3;
use serde_json::{Value, json};

/// A floor and two walls.
fn tree() -> BspTree {
    let cuboid =
        |low: [f64; 3], high: [f64; 3]| Brush::cuboid(low.into(), high.into(), Contents::SOLID).unwrap();
    let brushes = [
        cuboid([-8.0, -8.0, -1.0], [8.0, 8.0, 0.0]),
        cuboid([4.0, -8.0, 0.0], [4.5, 8.0, 3.0]),
        cuboid([-3.0, 2.0, 0.0], [1.0, 2.5, 3.0]),
    ];
    BspTree::from_brushes(&brushes, &BspSettings::default()).unwrap()
}

#[test]
fn a_tree_is_read_as_it_was_stored() {
    let tree = tree();
    let read: BspTree = serde_json::from_str(&serde_json::to_string(&tree).unwrap()).unwrap();
    assert_eq!(read, tree);
    assert_eq!(read.contents_at(DVec3::new(4.2, 0.0, 1.0)), Contents::SOLID);
}

/// The bounds of a tree without input are infinite, which JSON cannot write.
#[test]
fn a_tree_without_input_is_read_as_it_was_stored() {
    let tree = BspTree::from_brushes(&[], &BspSettings::default()).unwrap();
    assert_eq!(tree.bounds(), (DVec3::INFINITY, DVec3::NEG_INFINITY));
    let stored = serde_json::to_string(&tree).unwrap();
    let read: BspTree = serde_json::from_str(&stored).unwrap();
    assert_eq!(read, tree);
    assert_eq!(read.bounds(), tree.bounds());
    assert_eq!(read.contents_at(DVec3::splat(0.5)), Contents::empty());
    assert_eq!(serde_json::to_string(&read).unwrap(), stored);
    // Other values than numbers and null are refused.
    let mut stored = serde_json::to_value(tree).unwrap();
    for value in [json!("1"), json!([null, null]), json!([true, 0, 0]), Value::Null] {
        stored["low"] = value.clone();
        assert!(serde_json::from_value::<BspTree>(stored.clone()).is_err(), "{value}");
    }
}

/// Each change of one number to one that a walk cannot follow is an error.
#[test]
fn a_broken_tree_is_refused() {
    let stored: Value = serde_json::to_value(tree()).unwrap();
    let n = |name: &str| stored[name].as_array().unwrap().len() as u64;
    let first_node =
        (0..n("nodes")).find(|k| stored["nodes"][*k as usize]["children"][0].as_u64() < Some(1 << 31));
    let parent = first_node.unwrap();
    let shared = stored["nodes"][parent as usize]["children"][0].clone();
    let paths: Vec<(String, Value)> = vec![
        ("/nodes/0/children".into(), json!([0, 0])),
        (format!("/nodes/{parent}/children"), json!([parent, 1_u64 << 31])),
        (format!("/nodes/{parent}/children"), json!([shared, shared])),
        ("/nodes/0/children/1".into(), json!(n("nodes"))),
        ("/nodes/0/children/1".into(), json!((1_u64 << 31) + n("leaves"))),
        ("/nodes/0/plane".into(), json!(n("planes"))),
        ("/root".into(), json!(n("nodes"))),
        ("/root".into(), json!((1_u64 << 31) + n("leaves"))),
        ("/leaves/0/bevels".into(), json!([0, 4_294_967_295_u32])),
        ("/leaves/0/bevels".into(), json!([1, 0])),
        ("/planes/0/normal".into(), json!([0.0, 0.0, 2.0])),
        ("/planes/0/normal".into(), json!([0.0, 0.0, 0.0])),
        ("/thin".into(), json!(-1.0)),
    ];
    for (path, value) in paths {
        let mut broken = stored.clone();
        *broken.pointer_mut(&path).unwrap() = value.clone();
        let read = serde_json::from_value::<BspTree>(broken);
        assert!(read.is_err(), "{path}: {value}");
    }
}
