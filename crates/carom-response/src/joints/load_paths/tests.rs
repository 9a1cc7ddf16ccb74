//! Loads against the best of all simple paths, on small random graphs.

use super::LoadPaths;
use alloc::vec;
use alloc::vec::Vec;
use carom_math::Real;

/// Returns the least value, over all simple paths through `middle`, of the larger inverse mass of
/// their two ends.
fn best_path(inverse: &[Real], links: &[(usize, usize)], middle: usize) -> Real {
    let mut best = Real::INFINITY;
    let mut used = vec![false; inverse.len()];
    used[middle] = true;
    first_half(inverse, links, middle, middle, &mut used, &mut best);
    best
}

fn others(links: &[(usize, usize)], vertex: usize) -> Vec<usize> {
    let other = |&(a, b): &(usize, usize)| match vertex {
        v if v == a => Some(b),
        v if v == b => Some(a),
        _ => None,
    };
    links.iter().filter_map(other).collect()
}

/// Extends the path from `at`. Each place on it is an end, from which the second half begins.
fn first_half(
    inverse: &[Real],
    links: &[(usize, usize)],
    middle: usize,
    at: usize,
    used: &mut [bool],
    best: &mut Real,
) {
    for next in others(links, at) {
        if !used[next] {
            used[next] = true;
            second_half(inverse, links, (middle, inverse[next]), used, best);
            first_half(inverse, links, middle, next, used, best);
            used[next] = false;
        }
    }
}

fn second_half(
    inverse: &[Real],
    links: &[(usize, usize)],
    (at, first): (usize, Real),
    used: &mut [bool],
    best: &mut Real,
) {
    for next in others(links, at) {
        if !used[next] {
            *best = best.min(first.max(inverse[next]));
            used[next] = true;
            second_half(inverse, links, (next, first), used, best);
            used[next] = false;
        }
    }
}

#[test]
fn the_load_is_that_of_the_best_path() {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut below = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % n as u64) as usize
    };
    let mut paths = LoadPaths::default();
    let (mut n_carry, mut n_free) = (0, 0);
    for _ in 0..3000 {
        let n = 1 + below(7);
        let inverse: Vec<Real> = (0..n).map(|_| below(6) as Real).collect();
        // Trees, cycles, separate parts, and repeated pairs.
        let links: Vec<_> =
            (0..below(2 + 2 * n)).map(|_| (below(n), below(n))).filter(|(a, b)| a != b).collect();
        paths.find(&inverse, links.iter().copied());
        for vertex in 0..n {
            let expected = best_path(&inverse, &links, vertex);
            assert_eq!(paths.inverse_load(vertex), expected, "{vertex} of {inverse:?}, {links:?}");
            *(if expected < Real::INFINITY { &mut n_carry } else { &mut n_free }) += 1;
        }
        let turned = links.iter().rev().map(|&(a, b)| (b, a));
        let before: Vec<Real> = (0..n).map(|vertex| paths.inverse_load(vertex)).collect();
        paths.find(&inverse, turned);
        assert!((0..n).all(|vertex| paths.inverse_load(vertex) == before[vertex]));
    }
    assert!(1000 < n_carry && 1000 < n_free, "{n_carry} {n_free}");
}
