//! Tests of the numbers of cells, over all magnitudes.

use super::Cells;

/// Returns all powers of two, and the numbers next to them.
fn numbers() -> Vec<f32> {
    let mut all = vec![0.0_f32, -0.0];
    for exponent in 0..255_u32 {
        for bits in [0, 1, 2, 0x40_0000, 0x7f_fffe, 0x7f_ffff] {
            let x = f32::from_bits(exponent << 23 | bits);
            all.extend([x, -x]);
        }
    }
    all.sort_by(f32::total_cmp);
    all
}

#[test]
fn cells_grow_and_neighbours_are_adjacent() {
    let mut n_near = 0;
    for radius in [0.0, 1e-45, 1e-40, 1e-20, 0.1, 1.0, 3.0, 1e10, 1e31, f32::MAX] {
        let cells = Cells::new(f64::from(radius));
        let numbers = numbers();
        for pair in numbers.windows(2) {
            assert!(cells.cell(pair[0]) <= cells.cell(pair[1]), "{pair:?} {radius}");
        }
        for &x in &numbers {
            // The farthest numbers within the radius.
            for sign in [-1.0, 1.0] {
                let mut y = (f64::from(x) + sign * f64::from(radius)) as f32;
                if y.is_finite() && f64::from(radius) < (f64::from(x) - f64::from(y)).abs() {
                    y = if sign < 0.0 { y.next_up() } else { y.next_down() };
                }
                if y.is_finite() && (f64::from(x) - f64::from(y)).abs() <= f64::from(radius) {
                    let apart = cells.cell(x).abs_diff(cells.cell(y));
                    assert!(apart <= 1, "{x:e} {y:e} {radius:e} {apart}");
                    n_near += usize::from(x != y);
                }
            }
        }
    }
    assert!(8000 < n_near, "{n_near}");
}

#[test]
fn numbers_beyond_the_radius_do_not_crowd_a_cell() {
    let cells = Cells::new(0.1);
    for x in [3e6_f32, 1e10, 1e30, f32::MAX.next_down()] {
        assert_eq!(cells.cell(x) + 1, cells.cell(x.next_up()), "{x}");
        assert_eq!(cells.cell(-x) - 1, cells.cell(-x.next_up()), "{x}");
    }
    assert!(cells.cell(f32::MAX) < i32::MAX && i32::MIN + 1 < cells.cell(f32::MIN));
}
