//! carom's answers to the corpus, in both precisions.

mod broad;
mod double;
mod single;

use super::shape::Precision;
use super::{Answer, Case};

/// Returns carom's answers to a case. There are several if bodies or corners can be exchanged, and
/// all must be right.
pub fn answers(case: &Case, precision: Precision) -> Vec<Answer> {
    if let Case::Boxes { steps, .. } = case {
        return vec![Answer::Pairs(broad::pairs(steps))];
    }
    match precision {
        Precision::Single => single::queries::answers(case),
        Precision::Double => double::queries::answers(case),
    }
}
