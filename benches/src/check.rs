//! Comparison of the answers of all programs, before anything is timed.

/// The result of comparing the answers of the programs.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// The number of answers compared.
    pub compared: u64,
    /// The number of answers that differ by more than their tolerance.
    pub differ: u64,
    /// A sentence about the first different answer.
    pub first: Option<String>,
}

impl Answers {
    /// Returns a result without comparisons.
    pub fn new() -> Self {
        Self::default()
    }

    /// Compares two numbers; `tolerance` is absolute. NaN differs from every number.
    pub fn number(&mut self, what: &str, ours: f64, theirs: f64, tolerance: f64) {
        self.is((ours - theirs).abs() <= tolerance, || format!("{what}: carom {ours}, peer {theirs}"));
    }

    /// Compares two values by `==`.
    pub fn equal<T: PartialEq + std::fmt::Debug>(&mut self, what: &str, ours: &T, theirs: &T) {
        self.is(ours == theirs, || format!("{what}: carom {ours:?}, peer {theirs:?}"));
    }

    /// Compares two sets of pairs, given sorted, and counts the pairs that only one of them has.
    pub fn pairs(&mut self, what: &str, ours: &[(u32, u32)], theirs: &[(u32, u32)]) {
        let (mut i, mut j) = (0, 0);
        while i < ours.len() || j < theirs.len() {
            self.compared += 1;
            let (a, b) = (ours.get(i), theirs.get(j));
            if a == b {
                (i, j) = (i + 1, j + 1);
                continue;
            }
            let is_ours = b.is_none_or(|b| a.is_some_and(|a| a < b));
            let (owner, pair) = if is_ours { ("carom", a) } else { ("the peer", b) };
            if is_ours {
                i += 1
            } else {
                j += 1
            }
            self.differ += 1;
            self.first.get_or_insert_with(|| format!("{what}: only {owner} has {pair:?}"));
        }
    }

    fn is(&mut self, is_same: bool, say: impl FnOnce() -> String) {
        self.compared += 1;
        if !is_same {
            self.differ += 1;
            self.first.get_or_insert_with(say);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_counted() {
        let mut answers = Answers::new();
        answers.number("a", 1.0, 1.1, 0.2);
        answers.number("b", 1.0, f64::NAN, 0.2);
        answers.equal("c", &1, &1);
        assert_eq!((answers.compared, answers.differ), (3, 1));
        let mut answers = Answers::new();
        answers.pairs("d", &[(0, 1), (0, 2), (3, 4)], &[(0, 1), (2, 3), (3, 4), (5, 6)]);
        assert_eq!((answers.compared, answers.differ), (5, 3));
        assert_eq!(answers.first.as_deref(), Some("d: only carom has Some((0, 2))"));
    }
}
