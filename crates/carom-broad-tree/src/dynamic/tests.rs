//! Tests of the tree that is built in parts.

use super::{FatTree, N_BUILD_PARTS};
use crate::tree::NO_SLOT;
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume};
use carom_broad::{Filter, Mobility, ProxyTable};
use carom_broad_coherent::FatIndex;
use glam::Vec3;

const N: usize = 1000;

fn boxes() -> (Vec<Aabb>, ProxyTable) {
    let unit = |i: usize| {
        let min = Vec3::new((i % 10) as f32, (i / 10 % 10) as f32, (i / 100) as f32);
        let mobility = if i.is_multiple_of(9) { Mobility::Fixed } else { Mobility::Dynamic };
        (Aabb { min, max: min + 0.9 }, Filter::new(mobility))
    };
    let mut proxies = ProxyTable::new();
    proxies.insert_batch(&(0..N).map(unit).collect::<Vec<_>>(), &mut Vec::new()).unwrap();
    (proxies.boxes().to_vec(), proxies)
}

/// Returns the slots of the tree, in its order.
fn slots(tree: &FatTree) -> Vec<u32> {
    tree.tree.slots.as_flattened().iter().copied().filter(|&slot| slot != NO_SLOT).collect()
}

/// Building in parts gives the same tree as at once, and each part does only its own work.
#[test]
fn parts_are_the_whole() {
    let (fat, proxies) = boxes();
    let (mut at_once, mut current, mut next) = (FatTree::default(), FatTree::default(), FatTree::default());
    at_once.rebuild(&fat, &proxies, false);
    let n_made = |tree: &FatTree, current: &FatTree| {
        let (n_placed, n_filled) =
            (current.order.n_placed(), tree.tree.levels.iter().map(Vec::len).sum::<usize>());
        [n_placed, slots(tree).len(), n_filled]
    };
    let n_blocks = at_once.tree.levels.iter().map(Vec::len).sum::<usize>();
    let expected = [[N, 0, 0], [N, N, 0], [N, N, n_blocks]];
    assert_eq!(expected.len(), N_BUILD_PARTS);
    for (part, expected) in expected.into_iter().enumerate() {
        let is_last = next.rebuild_part(part, &mut current, &fat, &proxies, false);
        assert_eq!(is_last, part + 1 == N_BUILD_PARTS);
        assert_eq!(n_made(&next, &current), expected, "after part {part}");
    }
    assert_eq!(slots(&next), slots(&at_once));
    assert_eq!(next.indices, at_once.indices);
    assert_eq!(next.tree.levels, at_once.tree.levels);
    next.tree.validate(&fat).unwrap();
}

/// A box removed or added before a part is not in the tree; all others are, and can be forgotten.
#[test]
fn what_leaves_between_parts_is_not_in_the_tree() {
    let (mut fat, mut proxies) = boxes();
    let (mut current, mut next) = (FatTree::default(), FatTree::default());
    // A larger earlier tree leaves no traces.
    next.rebuild(&fat, &proxies, false);
    let mut left = Vec::new();
    for part in 0..N_BUILD_PARTS {
        next.rebuild_part(part, &mut current, &fat, &proxies, false);
        if part + 1 < N_BUILD_PARTS {
            for slot in (part..N).step_by(7) {
                fat[slot] = Aabb::EMPTY;
                left.push(slot as u32);
            }
            let far = Vec3::splat(50.0 + part as f32);
            proxies.insert(Aabb { min: far, max: far + 1.0 }, Filter::default()).unwrap();
            fat.push(Aabb::EMPTY);
        }
    }
    next.tree.validate(&fat).unwrap();
    let mut held = slots(&next);
    held.sort_unstable();
    let stayed: Vec<u32> = (0..N as u32).filter(|slot| !left.contains(slot)).collect();
    assert!(!left.is_empty() && held == stayed);
    for slot in stayed {
        assert_eq!(next.tree.slots.as_flattened()[next.indices[slot as usize] as usize], slot);
        next.forget(slot);
    }
    assert!(slots(&next).is_empty());
}
