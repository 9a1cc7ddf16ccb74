//! Clusters as few boxes: each part is covered, and faces look outwards.

use carom_cli::cluster_picture::{PictureBox, few_boxes};
use carom_cli::player::PlayerMesh;
use carom_testkit::random::Random;
use glam::DVec3;

/// Each middle is in a box that is drawn. The boxes are at most as many as allowed, and not far
/// fewer.
#[test]
fn all_parts_are_covered_by_few_boxes() {
    let mut random = Random::new(4);
    let mut at = |n: usize| random.below(n) as f64;
    let boxes: Vec<PictureBox> = (0..3000)
        .map(|i| PictureBox {
            middle: DVec3::new(at(1000), at(300), at(20)),
            half: DVec3::splat(if i % 100 == 0 { 30.0 } else { 0.5 }),
        })
        .collect();
    for max in [4000, 3000, 2999, 500, 60, 3, 1] {
        let few = few_boxes(&boxes, max);
        assert!(few.len() <= max && max.min(3000) <= 9 * few.len(), "{max}: {}", few.len());
        let holds = |one: &PictureBox, of: &PictureBox| {
            (one.middle - of.middle).abs().cmple(of.half * (1.0 + 1e-12)).all()
        };
        assert!(boxes.iter().all(|one| few.iter().any(|of| holds(one, of))), "{max}");
        assert_eq!(few == boxes, 3000 <= max);
    }
}

#[test]
fn faces_are_oriented_outwards() {
    let mut mesh = PlayerMesh::default();
    let one = PictureBox { middle: DVec3::new(3.0, -1.0, 2.0), half: DVec3::new(0.5, 1.0, 1.5) };
    one.push_to(&mut mesh, |corner| corner.as_vec3());
    let volume = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| mesh.vertices[v as usize]);
        a.dot(b.cross(c)) / 6.0
    };
    assert!((mesh.triangles.iter().map(volume).sum::<f32>() - 6.0).abs() < 1e-4);
}
