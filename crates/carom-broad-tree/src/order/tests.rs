//! The curve is a curve.

use super::{hilbert, hilbert_lanes};
use alloc::vec::Vec;
use carom_lanes::{Kernel, Simd, U32Lanes, dispatch};

/// All cells of a cube, with their places.
fn places(axis_bits: u32) -> Vec<(u32, [u32; 3])> {
    let n = 1u32 << axis_bits;
    let mut places = Vec::new();
    for cell in 0..n * n * n {
        let cell = [cell % n, cell / n % n, cell / (n * n)];
        places.push((hilbert(cell, axis_bits), cell));
    }
    places.sort_unstable();
    places
}

#[test]
fn each_step_goes_to_a_neighbour() {
    for axis_bits in 1..6 {
        let places = places(axis_bits);
        assert!(places.iter().enumerate().all(|(i, place)| place.0 == i as u32), "every place once");
        for pair in places.windows(2) {
            let steps: u32 = (0..3).map(|axis| pair[0].1[axis].abs_diff(pair[1].1[axis])).sum();
            assert_eq!(steps, 1, "{pair:?}");
        }
    }
}

#[test]
fn eight_at_once_are_the_same() {
    struct Both<'a>(&'a [(u32, [u32; 3])], u32);
    impl Kernel for Both<'_> {
        type Output = ();
        #[inline(always)]
        fn run<S: Simd>(self, simd: S) {
            for eight in self.0.as_chunks::<8>().0 {
                let cell = [0, 1, 2].map(|axis| S::U32x8::load(simd, &eight.map(|(_, cell)| cell[axis])));
                assert_eq!(hilbert_lanes(simd, cell, self.1).to_array(), eight.map(|(place, _)| place));
            }
        }
    }
    for axis_bits in 1..6 {
        dispatch(Both(&places(axis_bits), axis_bits));
    }
}
