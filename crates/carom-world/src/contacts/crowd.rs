//! A limit on the number of pairs, for thousands of bodies at one point.
//!
//! Ten thousand such bodies have fifty million pairs, whose contacts would need tens of gigabytes.
//! Above two million pairs, the pairs are examined in their order. A pair is left out if both of
//! its bodies already have [`MIN_PARTNERS`] pairs. So each body keeps this many pairs, and each
//! body on a floor keeps its pair with the floor. When bodies separate, the limit no longer
//! applies.
//!
//! Reference: G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, 1.3 (the
//! number of pairs is what a scene costs).

use alloc::vec::Vec;
use carom_broad::Pair;

/// Up to this number all pairs are kept.
const MIN_THINNED_PAIRS: usize = 1 << 21;

/// The number of pairs that each body keeps.
const MIN_PARTNERS: u32 = 32;

/// Removes pairs if there are too many, and returns how many it removed. Pairs for which `wanted`
/// holds stay. `counts` is scratch memory.
pub(crate) fn thin_out(
    pairs: &mut Vec<Pair>,
    n_bodies: usize,
    counts: &mut Vec<u32>,
    wanted: impl Fn(Pair) -> bool,
) -> usize {
    let n = pairs.len();
    if n <= MIN_THINNED_PAIRS || n / MIN_PARTNERS as usize <= n_bodies {
        return 0;
    }
    counts.clear();
    counts.resize(n_bodies, 0);
    pairs.retain(|&pair| {
        let [of_a, of_b] = [pair.a, pair.b].map(|body| counts[body as usize]);
        let stays = of_a < MIN_PARTNERS || of_b < MIN_PARTNERS || wanted(pair);
        counts[pair.a as usize] += u32::from(stays);
        counts[pair.b as usize] += u32::from(stays);
        stays
    });
    // Frees the memory of the removed pairs.
    pairs.shrink_to_fit();
    n - pairs.len()
}
