//! Collisions of all pairs of parts that count, for one state of the joints or many.
//!
//! The ball around each part is placed once for each state. Pairs whose balls are apart need no
//! test of their shapes.
//!
//! Reference: none needed.

use crate::workcell::Workcell;
use carom_math::f64::Pose;

impl Workcell {
    /// Leaves pairs of parts out of [`Workcell::pairs`], in either order of their indices. Takes
    /// those of [`allowed_pairs`](crate::allowed_pairs), for example.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn allow(&mut self, pairs: impl IntoIterator<Item = [usize; 2]>) {
        for [a, b] in pairs {
            assert!(a.max(b) < self.n_parts(), "no part {}", a.max(b));
            self.allowed.insert([a.min(b), a.max(b)]);
        }
    }

    /// Returns the pairs that are left out, low index first, sorted.
    pub fn allowed(&self) -> impl ExactSizeIterator<Item = [usize; 2]> + '_ {
        self.allowed.iter().copied()
    }

    /// Forgets all allowed pairs.
    pub fn clear_allowed(&mut self) {
        self.allowed.clear();
    }

    /// Returns the pairs of parts of which at least one is on a robot, without the allowed ones:
    /// low index first, sorted.
    pub fn pairs(&self) -> Vec<[usize; 2]> {
        let n_parts = self.n_parts();
        let moves: Vec<bool> = (0..n_parts).map(|part| self.link_of(part).is_some()).collect();
        let all = (0..n_parts).flat_map(|a| (a + 1..n_parts).map(move |b| [a, b]));
        all.filter(|pair| pair.iter().any(|part| moves[*part]) && !self.allowed.contains(pair)).collect()
    }

    /// Whether a pair of [`Workcell::pairs`] collides, for the values of all joints of each robot:
    /// see [`Robot::values`](carom_io::Robot::values). A missing robot or a missing value counts
    /// as 0, as in [`Workcell::part_poses`]. A pair counts as colliding if it is unknown whether
    /// it touches, as in [`Workcell::is_touching`].
    pub fn collides(&self, values: &[Vec<f64>]) -> bool {
        self.has_collision(&self.pairs(), values)
    }

    /// Returns the answer of [`Workcell::collides`] for each of many states. Each state has the
    /// values of all joints of each robot, as in [`Workcell::part_poses`].
    ///
    /// The states do not depend on each other, so a caller may divide them among threads.
    pub fn collides_rows(&self, rows: &[Vec<Vec<f64>>]) -> Vec<bool> {
        let pairs = self.pairs();
        rows.iter().map(|values| self.has_collision(&pairs, values)).collect()
    }

    /// Returns the pairs of [`Workcell::pairs`] that collide, sorted. Pairs of which that is
    /// unknown are among them. `values` as in [`Workcell::collides`].
    pub fn collisions(&self, values: &[Vec<f64>]) -> Vec<[usize; 2]> {
        let (pairs, poses) = (self.pairs(), self.part_poses(values));
        self.touching(&pairs, &poses).collect()
    }

    /// Returns the pairs of [`Workcell::collisions`] for each of many states, each with the index
    /// of its state: sorted by both.
    pub fn collisions_rows(&self, rows: &[Vec<Vec<f64>>]) -> Vec<(usize, [usize; 2])> {
        let pairs = self.pairs();
        let mut found = Vec::new();
        for (row, values) in rows.iter().enumerate() {
            let poses = self.part_poses(values);
            found.extend(self.touching(&pairs, &poses).map(|pair| (row, pair)));
        }
        found
    }

    fn has_collision(&self, pairs: &[[usize; 2]], values: &[Vec<f64>]) -> bool {
        let poses = self.part_poses(values);
        self.touching(pairs, &poses).next().is_some()
    }

    /// Returns those of some pairs that may touch, in their order.
    fn touching<'a>(
        &'a self,
        pairs: &'a [[usize; 2]],
        poses: &'a [Pose],
    ) -> impl Iterator<Item = [usize; 2]> + 'a {
        let balls = self.balls(poses);
        let is_apart = move |[a, b]: [usize; 2]| 0.0 < balls[a].gap(&balls[b]);
        pairs.iter().copied().filter(move |pair| !is_apart(*pair) && self.is_touching(*pair, poses))
    }
}
