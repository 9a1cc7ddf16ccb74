//! Every instruction set gives the bits of the generic one, which gives those of the definition.

use crate::ops::{AllOps, Answers};
use carom_lanes::{Level, detected, dispatch_on};
use proptest::prelude::*;

const UGLY: [f32; 16] = [
    0.0,
    -0.0,
    f32::NAN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    1.0,
    -1.5,
    f32::MAX,
    f32::MIN_POSITIVE,
    1e-45,
    -1e-45,
    2_147_483_520.0,
    2_147_483_648.0,
    4_294_967_296.0,
    0.999_999_94,
    -f32::NAN,
];

fn compare(input: impl Fn() -> AllOps<'static>) -> Result<(), TestCaseError> {
    let expected: Answers = dispatch_on(Level::Generic, input());
    for level in [Level::Sse2, Level::Avx2, Level::Neon, Level::Simd128] {
        let got = dispatch_on(level, input());
        prop_assert_eq!(expected.len(), got.len());
        for (want, got) in expected.iter().zip(&got) {
            prop_assert_eq!(want, got, "{:?}", level);
        }
    }
    Ok(())
}

fn leak<T>(x: T) -> &'static T {
    Box::leak(Box::new(x))
}

#[test]
fn the_machine_that_tests_has_more_than_the_generic_set() {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    assert_ne!(detected(), Level::Generic);
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    assert_eq!(detected(), Level::Generic);
}

#[test]
fn ugly_numbers_give_the_same_bits_everywhere() {
    let u = leak(core::array::from_fn(|i| [0, 1, 4, 5, u32::MAX, 1 << 31, (1 << 31) - 1, 3][i % 8]));
    for turn in 0..16 {
        let b: [f32; 16] = core::array::from_fn(|i| UGLY[(i + turn) % 16]);
        let v: [u32; 16] = core::array::from_fn(|i| u[(i + turn) % 16]);
        let (b, v) = (leak(b), leak(v));
        for bits in [0, 1, 0x8000, 0xffff, 0x5a5a_a5a5, u32::MAX] {
            compare(|| AllOps { a: &UGLY, b, u, v, bits }).unwrap();
        }
    }
}

#[test]
fn all_masks_of_eight_lanes_compress_alike() {
    let u = leak(core::array::from_fn(|i| 100 + i as u32));
    for bits in 0..256 {
        let answers = dispatch_on(detected(), AllOps { a: &UGLY, b: &UGLY, u, v: u, bits });
        let expected: Vec<u32> = (0..8).filter(|i| bits >> i & 1 != 0).map(|i| 100 + i).collect();
        let wide: Vec<_> = answers.iter().filter(|(name, _)| *name == "compress").collect();
        assert_eq!(wide[1].1, expected);
        compare(|| AllOps { a: &UGLY, b: &UGLY, u, v: u, bits: bits | bits << 9 }).unwrap();
    }
}

#[test]
fn the_generic_set_is_the_definition() {
    let a: [f32; 16] = core::array::from_fn(|i| i as f32 - 3.5);
    let b: [f32; 16] = core::array::from_fn(|i| 4.0 - i as f32);
    let u: [u32; 16] = core::array::from_fn(|i| i as u32);
    let answers = dispatch_on(Level::Generic, AllOps { a: &a, b: &b, u: &u, v: &u, bits: 0b1010 });
    let of = |name: &str, width: usize| {
        let all: Vec<_> = answers.iter().filter(|(n, _)| *n == name).collect();
        all[[4, 8, 16].iter().position(|w| *w == width).unwrap()].1.clone()
    };
    assert_eq!(of("add", 8), vec![0.5f32.to_bits(); 8]);
    assert_eq!(of("lt", 8), [0b0000_1111]);
    assert_eq!(of("trunc", 8), [0, 0, 0, 0, 0, 1, 2, 3]);
    assert_eq!(of("swap", 4), [(-1.5f32), -0.5, -3.5, -2.5].map(f32::to_bits));
    assert_eq!(of("compress", 4), [1, 3]);
    assert_eq!(of("select", 4), [4.0f32, -2.5, 2.0, -0.5].map(f32::to_bits));
    assert_eq!(of("reduce_min", 16), [(-3.5f32).to_bits()]);
    assert_eq!(of("reduce_sum", 16), [(64.0f32).to_bits()]);
    let rows: Vec<_> = answers.iter().filter(|(n, _)| *n == "transpose8").collect();
    for (j, row) in rows.iter().enumerate() {
        let expected: Vec<u32> =
            (0..8).map(|i| (a[(3 * i + j) % 16] + (8 * i + j) as f32).to_bits()).collect();
        assert_eq!(row.1, expected);
    }
    let row: Vec<u32> = (0..8).map(|j| (a[(15 + j) % 16] + (40 + j) as f32).to_bits()).collect();
    let shared: Vec<_> =
        answers.iter().filter(|(n, _)| *n == "store_shared" || *n == "load_shared").collect();
    assert_eq!((&shared[0].1, &shared[1].1), (&row, &row));
    // The other rows are unchanged.
    let (none, ones) = ([0.0f32.to_bits(); 8], [1.0f32.to_bits(); 8]);
    assert_eq!(shared[2].1, [none, ones, none, ones, none, ones].concat());
}

fn any_f32() -> impl Strategy<Value = f32> {
    prop_oneof![any::<u32>().prop_map(f32::from_bits), -8.0f32..8.0, (0usize..16).prop_map(|i| UGLY[i])]
}

fn any_u32() -> impl Strategy<Value = u32> {
    prop_oneof![any::<u32>(), 0u32..8]
}

proptest! {
    #[test]
    fn any_numbers_give_the_same_bits_everywhere(
        a in prop::array::uniform16(any_f32()),
        b in prop::array::uniform16(any_f32()),
        u in prop::array::uniform16(any_u32()),
        v in prop::array::uniform16(any_u32()),
        bits in any::<u32>(),
    ) {
        let (a, b, u, v) = (leak(a), leak(b), leak(u), leak(v));
        compare(|| AllOps { a, b, u, v, bits })?;
    }
}
