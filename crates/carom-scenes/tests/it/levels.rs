//! Levels: convex blocks whose planes and triangles have the same geometry, with the same bits
//! everywhere.

use crate::hash;
use carom_scenes::{Level, arena, car_course, castle, corner_course, slope_course, step_course};

fn levels() -> [(&'static str, Level); 6] {
    [
        ("step", step_course(0.3)),
        ("slope", slope_course(0.5)),
        ("corner", corner_course(0.2)),
        ("arena", arena(1)),
        ("castle", castle()),
        ("car", car_course()),
    ]
}

#[test]
fn blocks_are_convex_and_closed() {
    for (name, level) in levels() {
        for (i, block) in level.blocks.iter().enumerate() {
            for (normal, offset) in block.planes() {
                let farthest = block.corners.iter().map(|p| normal.dot(*p) - offset).fold(f64::MIN, f64::max);
                assert!(
                    farthest.abs() < 1e-9,
                    "{name}, block {i}: a corner is {farthest} in front of a face"
                );
            }
            // Every edge occurs once in each direction.
            let mut edges: Vec<(u32, u32)> = Vec::new();
            for face in &block.faces {
                edges.extend((0..face.len()).map(|k| (face[k], face[(k + 1) % face.len()])));
            }
            edges.sort_unstable();
            edges.windows(2).for_each(|pair| assert_ne!(pair[0], pair[1], "{name}, block {i}"));
            assert!(edges.iter().all(|(a, b)| edges.binary_search(&(*b, *a)).is_ok()), "{name}, block {i}");
        }
        let mesh = level.mesh();
        let n: usize = level.blocks.iter().flat_map(|block| &block.faces).map(|face| face.len() - 2).sum();
        assert_eq!(mesh.triangles.len(), n, "{name}");
        assert!(!level.starts.is_empty(), "{name}");
    }
}

#[test]
fn the_same_bits_everywhere() {
    let hashes: Vec<u64> = levels()
        .iter()
        .map(|(_, level)| {
            let corners = level.blocks.iter().flat_map(|block| &block.corners);
            hash(corners.flat_map(|p| p.to_array()).map(f64::to_bits))
        })
        .collect();
    let expected: [u64; 6] = [
        0xb296_122b_ad6f_9673,
        0x852a_21d1_2233_a325,
        0x1fa3_0955_a3b1_7200,
        0x0633_97ea_bf34_bc0d,
        0x325a_d098_d233_0327,
        0x311f_9fe8_539e_aacf,
    ];
    assert_eq!(hashes, expected, "{hashes:x?}");
}
