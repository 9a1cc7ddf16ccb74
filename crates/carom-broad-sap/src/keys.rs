//! Converts floats to integer keys with the same order, and sorts them by radix.
//!
//! Reference: M. Herf, Radix Tricks, 2001 (floats as sortable integers; eleven bits a pass); P.
//! Terdiman, Radix Sort Revisited, 2000.

use alloc::vec::Vec;

/// Bits of one pass.
const PASS_BITS: u32 = 11;

/// Lists shorter than this are sorted by comparisons: clearing the counters would cost more.
const MIN_RADIX_KEYS: usize = 512;

/// Returns an integer with the order of the number; the two zeros are equal. The number is not
/// NaN.
#[inline(always)]
pub(crate) fn ordered(x: f32) -> u32 {
    // -0 + 0 is +0.
    let bits = (x + 0.0).to_bits();
    bits ^ if bits >> 31 == 1 { u32::MAX } else { 1 << 31 }
}

/// Sorts by the upper 32 bits, stably: equal ones keep their order, which is that of the lower 32
/// bits.
pub(crate) fn sort_by_upper_half(keys: &mut Vec<u64>, scratch: &mut Vec<u64>) {
    if keys.len() < MIN_RADIX_KEYS {
        // The same order as a stable sort by the upper half, without its memory.
        keys.sort_unstable();
        return;
    }
    scratch.clear();
    scratch.resize(keys.len(), 0);
    let mask = (1_usize << PASS_BITS) - 1;
    let mut counts = [[0_u32; 1 << PASS_BITS]; 3];
    for key in keys.iter() {
        for (pass, counts) in counts.iter_mut().enumerate() {
            counts[(key >> (32 + PASS_BITS * pass as u32)) as usize & mask] += 1;
        }
    }
    for (pass, counts) in counts.iter_mut().enumerate() {
        let shift = 32 + PASS_BITS * pass as u32;
        // All keys are equal in these bits: this pass is skipped.
        if counts.iter().any(|&count| count as usize == keys.len()) {
            continue;
        }
        let mut sum = 0;
        for count in counts.iter_mut() {
            sum += core::mem::replace(count, sum);
        }
        for &key in keys.iter() {
            let entry = &mut counts[(key >> shift) as usize & mask];
            scratch[*entry as usize] = key;
            *entry += 1;
        }
        core::mem::swap(keys, scratch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_in_the_order_of_the_numbers() {
        let numbers = [f32::NEG_INFINITY, f32::MIN, -1.0, -1e-45, 0.0, 1e-45, 1.0, f32::MAX, f32::INFINITY];
        assert!(numbers.windows(2).all(|pair| ordered(pair[0]) < ordered(pair[1])));
        assert_eq!(ordered(-0.0), ordered(0.0));
    }

    #[test]
    fn sorted_and_stable() {
        for n in [0, 1, 5, MIN_RADIX_KEYS - 1, MIN_RADIX_KEYS, 5000] {
            let mut state = 7_u64;
            let mut keys: Vec<u64> = (0..n as u64)
                .map(|i| {
                    state =
                        state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    // Few distinct keys of all sizes, so that many are equal.
                    let key = (state >> 60) << (state >> 33 & 31);
                    (key & u64::from(u32::MAX)) << 32 | i
                })
                .collect();
            let mut expected = keys.clone();
            expected.sort_by_key(|key| key >> 32);
            sort_by_upper_half(&mut keys, &mut Vec::new());
            assert_eq!(keys, expected);
        }
    }
}
