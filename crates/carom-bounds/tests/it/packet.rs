//! One box against eight gives what the box gives one by one.

use carom_bounds::{Aabb, Aabb8, BoundingVolume, overlaps_packets};
use carom_testkit::conform::dice::Dice;

#[test]
fn one_against_eight_is_eight_times_one() {
    let mut dice = Dice::new(3);
    let boxes: Vec<Aabb> = (0..100).map(|_| dice.aabb(2.0, 2.0)).collect();
    let packets: Vec<Aabb8> = boxes.chunks(8).map(Aabb8::from_boxes).collect();
    let mut hits = 0;
    for probe in &boxes {
        let mut found = vec![0; packets.len()];
        overlaps_packets(&packets, probe, &mut found);
        for (i, b) in boxes.iter().enumerate() {
            assert_eq!(found[i / 8] >> (i % 8) & 1 == 1, b.overlaps(probe));
            hits += usize::from(b.overlaps(probe));
        }
        // The empty places of the last packet.
        assert_eq!(found[12] >> 4, 0);
    }
    assert!(100 < hits && hits < 9000, "{hits}");
    assert_eq!(packets[0].get(3), boxes[3]);
    assert_eq!(packets[12].get(7), Aabb::EMPTY);
}
