//! Thousands of bodies at one point: some of their pairs do for all.
//!
//! Ten thousand have fifty million pairs, and memory for their contacts would be counted in tens of gigabytes. So beyond some millions,
//! a pair is left out of which both bodies have [`ENOUGH`] others already, in the order of the pairs. Each body keeps as many, or all that it
//! has; a floor keeps all that stands on it. As bodies part, the pairs become fewer, and all count again.
//!
//! Reference: G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, 1.3 (the number of pairs is what a scene costs).

use alloc::vec::Vec;
use carom_broad::Pair;

/// So many pairs are looked at, whoever they are.
const MANY: usize = 1 << 21;

/// Partners that a body keeps.
const ENOUGH: u32 = 32;

/// Leaves pairs out if there are too many, but none that is `wanted` in any case, and says how many; `counts` is memory.
pub(crate) fn thin_out(
    pairs: &mut Vec<Pair>,
    n_bodies: usize,
    counts: &mut Vec<u32>,
    wanted: impl Fn(Pair) -> bool,
) -> usize {
    let n = pairs.len();
    if n <= MANY || n / ENOUGH as usize <= n_bodies {
        return 0;
    }
    counts.clear();
    counts.resize(n_bodies, 0);
    pairs.retain(|&pair| {
        let [of_a, of_b] = [pair.a, pair.b].map(|body| counts[body as usize]);
        let stays = of_a < ENOUGH || of_b < ENOUGH || wanted(pair);
        counts[pair.a as usize] += u32::from(stays);
        counts[pair.b as usize] += u32::from(stays);
        stays
    });
    // What was kept does not need the room of what was found.
    pairs.shrink_to_fit();
    n - pairs.len()
}
