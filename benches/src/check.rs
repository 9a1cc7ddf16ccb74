//! Answers first: what every contestant says is compared before anything is timed.

/// How the answers of the contestants compare.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// How many answers were compared.
    pub compared: u64,
    /// How many of them differ by more than the tolerance stated.
    pub differ: u64,
    /// The first that differs, in words.
    pub first: Option<String>,
}

impl Answers {
    /// Nothing compared yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Compares two numbers; `tolerance` is absolute. Two that are not numbers differ.
    pub fn number(&mut self, what: &str, ours: f64, theirs: f64, tolerance: f64) {
        self.is((ours - theirs).abs() <= tolerance, || format!("{what}: carom {ours}, peer {theirs}"));
    }

    /// Compares anything that can be equal.
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
            let (who, pair) = if is_ours { ("carom", a) } else { ("the peer", b) };
            if is_ours {
                i += 1
            } else {
                j += 1
            }
            self.differ += 1;
            self.first.get_or_insert_with(|| format!("{what}: only {who} has {pair:?}"));
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
