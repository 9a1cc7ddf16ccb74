//! The tree keeps the contract, with lists and without.

use carom_broad_tree::{DynamicBvh, TreeSettings};
use carom_testkit::conform;

#[test]
fn conforms_to_broad_phase() {
    conform::broad_phase::check(DynamicBvh::new);
}

#[test]
fn conforms_without_lists() {
    let settings = TreeSettings::default().with_keep_lists(false);
    conform::broad_phase::check(|| DynamicBvh::with_settings(settings));
}

#[test]
fn conforms_with_wide_margins() {
    let settings = TreeSettings::default().with_margin_frames(100.0);
    conform::broad_phase::check(|| DynamicBvh::with_settings(settings));
}

#[test]
fn conforms_to_spatial_index() {
    conform::spatial_index::check(DynamicBvh::new);
}
