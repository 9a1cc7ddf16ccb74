//! Ragdolls on stairs: nothing explodes. `cargo xtask truth tumble` runs 10,000 falls.

use carom_testkit::tumble::{TumbleTally, tumble};

#[test]
fn no_ragdoll_explodes_on_the_stairs() {
    let mut all = TumbleTally::default();
    for seed in 0..40 {
        let n_dolls = if seed % 20 == 9 { 6 } else { 1 };
        tumble(n_dolls, seed % 2 == 1, 7000 + seed, &mut all);
    }
    println!("{all:?}");
    assert!(all.is_right(), "{all:?}");
    // Ragdolls that are not thrown hard enough to be hurt would show nothing.
    assert!(0.01 < all.depth && 0.01 < all.gap && 0.5 < all.speed, "{all:?}");
}

/// Each of two blocks of stairs pushed an arm between them into the other, harder with every step,
/// until the ragdoll was thrown away with forty times the energy of its fall. The second seed is
/// another such case.
#[test]
fn a_ragdoll_between_two_blocks_is_not_thrown_away() {
    for (n_dolls, seed) in [(6, 199), (1, 47)] {
        let mut seen = TumbleTally::default();
        tumble(n_dolls, false, 1 << 40 ^ seed, &mut seen);
        println!("{seen:?}");
        assert!(seen.wrong == 0 && seen.gap < 0.3, "{seen:?}");
    }
}

/// Each of two stairs pushed a limb that came deep into both within a step into the other. One limb
/// never came out, and one was thrown out.
#[test]
fn a_ragdoll_deep_in_two_stairs_comes_out() {
    for (n_dolls, seed) in [(1, 3260), (6, 3638), (1, 9832)] {
        let mut seen = TumbleTally::default();
        tumble(n_dolls, false, 1 << 40 ^ seed, &mut seen);
        println!("{seen:?}");
        assert!(seen.wrong == 0 && seen.restless == 0 && seen.rise < 0.1 && seen.bend < 1.0, "{seen:?}");
    }
}

/// A limb that is fast was stopped wherever it touched, and its joints threw it back in every step.
#[test]
fn limbs_that_are_fast_come_to_rest_and_hold_together() {
    let mut seen = TumbleTally::default();
    for seed in 0..4 {
        tumble(1, true, 1 << 40 ^ seed, &mut seen);
    }
    println!("{seen:?}");
    assert!(seen.wrong == 0 && seen.restless == 0 && seen.gap < 0.2 && seen.depth < 0.1, "{seen:?}");
}
