//! Compares searches on the points of a scan, if the file is present.

use carom_neighbours::{NeighbourGrid, NeighbourLists, NeighbourSearch, NeighbourTree, is_within};
use carom_testkit::data;
use glam::Vec3;

/// Returns the points of a table with objects on it. They are floats after the text header of the
/// file.
fn scan() -> Option<Vec<Vec3>> {
    let bytes = std::fs::read(data::find("points/table_scene_mug.ply")?).ok()?;
    let head = b"end_header\n";
    let start = bytes.windows(head.len()).position(|window| window == head)? + head.len();
    let numbers: Vec<f32> =
        bytes[start..].chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    Some(numbers.chunks_exact(3).map(Vec3::from_slice).collect())
}

#[test]
fn neighbours_of_a_scan_are_those_of_brute_force() {
    let Some(points) = scan() else { return };
    assert_eq!(points.len(), 23_760);
    let (mut lists, mut of_tree) = (NeighbourLists::default(), NeighbourLists::default());
    for radius in [0.0, 0.001, 0.01] {
        let mut grid = NeighbourGrid::new(radius).unwrap();
        let mut tree = NeighbourTree::new(radius).unwrap();
        grid.set_points(&points).unwrap();
        tree.set_points(&points).unwrap();
        grid.collect_lists(&mut lists).unwrap();
        tree.collect_lists(&mut of_tree).unwrap();
        lists.sort();
        of_tree.sort();
        for point in 0..points.len() as u32 {
            assert_eq!(lists.of(point), of_tree.of(point), "{radius} {point}");
        }
        for point in (0..points.len()).step_by(61) {
            let is_near = |&other: &usize| other != point && is_within(points[point], points[other], radius);
            let expected: Vec<u32> = (0..points.len()).filter(is_near).map(|other| other as u32).collect();
            assert_eq!(lists.of(point as u32), expected, "{radius} {point}");
        }
        let mean = lists.neighbours().len() as f64 / points.len() as f64;
        assert!(if radius < 0.01 { mean < 5.0 } else { 20.0 < mean }, "{radius}: {mean}");
    }
}
