//! Tests of indices in sorted lists of cells, and of ranges of slots.

use super::{Sorted, cell_key, seek};
use alloc::vec::Vec;
use glam::Vec3;

#[test]
fn any_guess_finds_the_index() {
    let cells: Vec<u128> = (0..40).map(|i| 3 * i * i).collect();
    for n in [0, 1, 2, 7, 40] {
        let cells = &cells[..n];
        for cell in 0..4800 {
            let expected = cells.iter().filter(|&&other| other < cell).count();
            for guess in [0, 1, 5, n / 2, n, n + 3] {
                assert_eq!(seek(cells, guess, cell), expected, "{n} {cell} {guess}");
            }
        }
    }
}

#[test]
fn keys_sort_by_z_then_y_then_x() {
    let mut cells = Vec::new();
    for z in [-5, 0, 5] {
        for y in [i32::MIN, -1, 0, i32::MAX] {
            for x in [-2, -1, 0, 7] {
                cells.push(cell_key([x, y, z]));
            }
        }
    }
    assert!(cells.is_sorted() && cells.iter().all(|&cell| cell >> 96 == 0));
}

/// Both sorts give the same slots and the same ranges.
#[test]
fn a_table_and_a_list_of_cells_say_the_same() {
    let points: Vec<Vec3> =
        (0..600).map(|i| Vec3::new((i % 7) as f32, (i % 11) as f32, (i % 5) as f32) * 0.5 - 1.0).collect();
    let mut table = Sorted::new(0.5);
    table.sort(&points).unwrap();
    let mut list = table.clone();
    list.sort_by_keys(&points);
    list.has_table = false;
    assert!(table.has_table);
    assert_eq!(table.points, list.points);
    let mut n_slots = 0;
    let (mut hints, mut none) = ([0; 9], [0; 9]);
    for z in -8..8 {
        for y in -8..8 {
            for x in -8..8 {
                let around = list.around([x, y, z], &mut hints);
                for (one, other) in table.around([x, y, z], &mut none).iter().zip(&around) {
                    assert!(one == other || (one.is_empty() && other.is_empty()), "{x} {y} {z}");
                    n_slots += one.len();
                }
            }
        }
    }
    assert!(10_000 < n_slots, "{n_slots}");
}
