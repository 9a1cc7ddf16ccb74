//! The corpus of public failures: every question that other libraries are known to have answered
//! wrong is answered right, in both precisions.

use carom_testkit::corpus::{Precision, carom::answers, entries, judge};

/// A ratio to the largest coordinate: the precision of `f32` after a dozen roundings.
const SINGLE: f64 = 1e-6;
/// The depth of round shapes is searched for to a fraction of 1e-10; all else is better.
const DOUBLE: f64 = 1e-10;

#[test]
fn every_public_failure_is_answered_right() {
    let mut wrong = Vec::new();
    let mut n_answers = 0;
    for entry in entries() {
        for (i, case) in entry.cases.iter().enumerate() {
            for (precision, tolerance) in [(Precision::Single, SINGLE), (Precision::Double, DOUBLE)] {
                for answer in answers(case, precision) {
                    n_answers += 1;
                    if let Err(error) = judge(case, &answer, precision, tolerance) {
                        wrong.push(format!("{}: case {i}, {precision:?}: {error}", entry.thread));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {n_answers}\n{}", wrong.len(), wrong.join("\n"));
}
