//! The specification keeps its own contract.

use carom_broad::BruteForce;
use carom_testkit::conform;

#[test]
fn conforms_to_broad_phase() {
    conform::broad_phase::check(BruteForce::new);
}

#[test]
fn conforms_to_spatial_index() {
    conform::spatial_index::check(BruteForce::new);
}

#[test]
fn batches_on_one_two_and_seven_threads() {
    conform::threads::check_batches("brute force", BruteForce::new);
}
