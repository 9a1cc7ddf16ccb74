//! Packets give the same results as tests of single boxes.

use carom_bounds::{
    Aabb, Aabb8, Aabb16, BoundingVolume, overlapping_pairs, overlaps_each, overlaps_packets,
    overlaps_packets_16,
};
use carom_testkit::conform::dice::Dice;

#[test]
fn one_against_many_is_many_times_one() {
    let mut dice = Dice::new(3);
    let boxes: Vec<Aabb> = (0..100).map(|_| dice.aabb(2.0, 2.0)).collect();
    let packets: Vec<Aabb8> = boxes.chunks(8).map(Aabb8::from_boxes).collect();
    let wide: Vec<Aabb16> = boxes.chunks(16).map(Aabb16::from_boxes).collect();
    let mut hits = 0;
    for probe in &boxes {
        let (mut found, mut found_16) = (vec![0; packets.len()], vec![0; wide.len()]);
        overlaps_packets(&packets, probe, &mut found);
        overlaps_packets_16(&wide, probe, &mut found_16);
        for (i, b) in boxes.iter().enumerate() {
            assert_eq!(found[i / 8] >> (i % 8) & 1 == 1, b.overlaps(probe));
            assert_eq!(found_16[i / 16] >> (i % 16) & 1 == 1, b.overlaps(probe));
            hits += usize::from(b.overlaps(probe));
        }
        // The empty lanes of the last packets.
        assert_eq!((found[12] >> 4, found_16[6] >> 4), (0, 0));
    }
    assert!(100 < hits && hits < 9000, "{hits}");
    assert_eq!(packets[0].get(3), boxes[3]);
    assert_eq!(packets[12].get(7), Aabb::EMPTY);
    assert_eq!(wide[1].get(2), boxes[18]);
}

#[test]
fn many_against_many_is_every_pair() {
    let mut dice = Dice::new(4);
    // More than one block of packets.
    let a: Vec<Aabb> = (0..90).map(|_| dice.aabb(2.0, 1.0)).collect();
    let b: Vec<Aabb> = (0..1500).map(|_| dice.aabb(2.0, 1.0)).collect();
    let packets: Vec<Aabb8> = b.chunks(8).map(Aabb8::from_boxes).collect();
    let mut pairs = vec![];
    overlapping_pairs(&a, &packets, &mut pairs);
    pairs.sort();
    let mut expected = vec![];
    for (i, x) in a.iter().enumerate() {
        expected
            .extend(b.iter().enumerate().filter(|(_, y)| x.overlaps(y)).map(|(j, _)| (i as u32, j as u32)));
    }
    assert_eq!(pairs, expected);
    assert!(1000 < pairs.len() && pairs.len() < 100_000, "{}", pairs.len());
}

#[test]
fn each_against_its_own_is_as_many_pairs() {
    let mut dice = Dice::new(5);
    let a: Vec<Aabb> = (0..77).map(|_| dice.aabb(1.0, 2.0)).collect();
    let b: Vec<Aabb> = (0..77).map(|_| dice.aabb(1.0, 2.0)).collect();
    let packed = |boxes: &[Aabb]| boxes.chunks(8).map(Aabb8::from_boxes).collect::<Vec<_>>();
    let mut found = vec![0; 10];
    overlaps_each(&packed(&a), &packed(&b), &mut found);
    let mut hits = 0;
    for i in 0..80 {
        let expected = i < 77 && a[i].overlaps(&b[i]);
        assert_eq!(found[i / 8] >> (i % 8) & 1 == 1, expected, "{i}");
        hits += u32::from(expected);
    }
    assert!(5 < hits && hits < 72, "{hits}");
}
