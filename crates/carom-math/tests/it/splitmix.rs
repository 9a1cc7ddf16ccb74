//! Compares SplitMix64 with published numbers.

use carom_math::splitmix::{GAMMA, mixed, next};

/// The first numbers of the seed 1234567, as published beside implementations in other languages.
#[test]
fn numbers_of_a_published_seed() {
    let mut state = 1_234_567;
    let found: Vec<u64> = (0..5).map(|_| next(&mut state)).collect();
    let published = [
        6_457_827_717_110_365_317,
        3_203_168_211_198_807_973,
        9_817_491_932_198_370_423,
        4_593_380_528_125_082_431,
        16_408_922_859_458_223_821,
    ];
    assert_eq!(found, published);
    // The number at an index is computed without those before it.
    assert_eq!(mixed(GAMMA.wrapping_mul(4).wrapping_add(1_234_567)), published[3]);
}

/// The seeds 0 and the largest number are as good as others: half of the bits are ones.
#[test]
fn ugly_seeds() {
    for seed in [0, 1, u64::MAX, GAMMA, GAMMA.wrapping_neg()] {
        let mut state = seed;
        let ones: u32 = (0..1000).map(|_| next(&mut state).count_ones()).sum();
        assert!((31_500..32_500).contains(&ones), "{seed}: {ones}");
    }
}
