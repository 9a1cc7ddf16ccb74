//! SplitMix64: random bits of a seed, the same on every machine.
//!
//! - The state grows by a constant, so the number with any index costs no more than the next one.
//! - A state is mixed into 64 bits by two rounds of shifts and products. The mixing is a
//!   bijection: different states give different numbers.
//!
//! Reference: G. Steele, D. Lea, C. Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA
//! 2014, figure 17.

/// The increment of a state: 2^64 divided by the golden ratio, made odd.
pub const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns the bits of a state, mixed.
pub const fn mixed(state: u64) -> u64 {
    let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Advances a state, which starts at a seed, and returns the next 64 random bits.
///
/// ```
/// use carom_math::splitmix;
///
/// let mut state = 1_234_567;
/// assert_eq!(splitmix::next(&mut state), 6_457_827_717_110_365_317);
/// ```
pub const fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(GAMMA);
    mixed(*state)
}
