//! Compares the choice with all possible ways of collapsing small trees.

use super::*;
use crate::build::rows::Row;
use carom_bounds::Aabb;
use glam::Vec3;

/// Pseudorandom numbers.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) % n
    }

    /// A row of the given number of primitives. Some rows are flat, thin or points.
    fn leaf(&mut self) -> Row {
        let mut number = |n| self.below(n) as f32;
        let min = Vec3::new(number(20), number(20), number(20));
        let size = Vec3::new(number(4), number(3), number(6));
        Row::new(&Aabb { min, max: min + size }, 0, self.below(4) as u32 + 1)
    }

    /// Grows a tree with the given number of leaves below the node at this index.
    fn grow(&mut self, nodes: &mut Vec<Row>, at: usize, n_leaves: u64) {
        if n_leaves == 1 {
            nodes[at] = self.leaf();
            return;
        }
        let child = nodes.len();
        nodes.extend([Row::EMPTY; 2]);
        let n_left = 1 + self.below(n_leaves - 1);
        self.grow(nodes, child, n_left);
        self.grow(nodes, child + 1, n_leaves - n_left);
        let (left, right) = (nodes[child], nodes[child + 1]);
        nodes[at] = left.merged(&right);
        nodes[at].set_numbers(child as u32, left.count() + right.count());
    }
}

/// The limits and the costs.
struct Rules {
    max_leaf: u32,
    lanes: u32,
    width: usize,
    unit: f32,
}

impl Rules {
    fn chance(&self, row: &Row) -> f64 {
        f64::from(row.half_area(self.unit) + BASE_PROBABILITY)
    }

    fn leaf(&self, row: &Row) -> f64 {
        self.chance(row) * f64::from(LEAF) * f64::from(row.count().div_ceil(self.lanes))
    }

    /// All ways of replacing a node by its descendants, or by itself.
    fn cuts(&self, nodes: &[Row], n: usize) -> Vec<Vec<usize>> {
        let mut all = vec![vec![n]];
        let left = nodes[n].tag() as usize;
        if left != 0 {
            for a in self.cuts(nodes, left) {
                for b in self.cuts(nodes, left + 1) {
                    all.push([a.as_slice(), b.as_slice()].concat());
                }
            }
        }
        all.retain(|cut| cut.len() <= self.width);
        all
    }

    /// The least cost of a node in one slot, over all cuts below it.
    fn least(&self, nodes: &[Row], n: usize) -> f64 {
        let row = &nodes[n];
        let leaf = self.leaf(row);
        if row.tag() == 0 {
            return leaf;
        }
        let mut least = if row.count() <= self.max_leaf { leaf } else { f64::INFINITY };
        for cut in self.cuts(nodes, n).iter().filter(|cut| 1 < cut.len()) {
            let below: f64 = cut.iter().map(|&child| self.least(nodes, child)).sum();
            least = least.min(self.chance(row) + below);
        }
        least
    }

    /// The cost of the choice for a node in one slot. Panics if the choice is not allowed.
    fn chosen(&self, before: &[Row], binary: &Binary, n: usize) -> f64 {
        let row = &binary.nodes[n];
        if row.tag() == 0 {
            assert!(before[n].tag() == 0 || row.count() <= self.max_leaf, "a leaf of {}", row.count());
            return self.leaf(row);
        }
        let mut children = vec![row.tag() as usize, row.tag() as usize + 1];
        while let Some(open) = children.iter().position(|&child| 0.0 <= binary.worth[child]) {
            let left = binary.nodes[children[open]].tag() as usize;
            assert_ne!(left, 0, "a leaf is opened");
            children[open] = left;
            children.push(left + 1);
        }
        assert!(children.len() <= self.width, "{} children", children.len());
        self.chance(row) + children.iter().map(|&child| self.chosen(before, binary, child)).sum::<f64>()
    }
}

#[test]
fn no_other_collapse_is_cheaper() {
    let mut dice = Dice(7);
    let mut choices = Vec::new();
    let (mut n_merged, mut n_full, mut n_deep) = (0, 0, 0);
    for round in 0..600 {
        let n_leaves = 1 + dice.below(11);
        let mut nodes = vec![Row::EMPTY];
        dice.grow(&mut nodes, 0, n_leaves);
        if round % 10 == 0 {
            // All boxes are the same point: every area is 0.
            for row in &mut nodes {
                let (tag, count) = (row.tag(), row.count());
                *row = Row::new(&Aabb { min: Vec3::ONE, max: Vec3::ONE }, tag, count);
            }
        }
        let size = nodes[0].aabb().extents().max_element();
        let unit = inverse_power_of_two(f64::from(size)).min(LARGEST_SCALE) as f32;
        let max_leaf = [1, 4, 8, 16][dice.below(4) as usize];
        let lanes = [1, 4, 8][dice.below(3) as usize];
        // Narrow nodes too: even a few leaves need several of them.
        let width = [2, 3, 4, 8][dice.below(4) as usize];
        let rules = Rules { max_leaf, lanes, width, unit };
        let least = rules.least(&nodes, 0);
        let before = nodes.clone();
        let mut binary = Binary { nodes, order: Vec::new(), worth: Vec::new() };
        let reported = f64::from(choose(&mut binary, max_leaf, lanes, width, &mut choices));
        let chosen = rules.chosen(&before, &binary, 0);
        // `f32` sums of a few dozen terms.
        let rounding = 1e-5 * least;
        assert!(
            (reported - least).abs() <= rounding,
            "round {round}: {reported} is reported, {least} is the least"
        );
        assert!((chosen - least).abs() <= rounding, "round {round}: {chosen} is chosen, {least} the least");
        let is_merged = |n: usize| before[n].tag() != 0 && binary.nodes[n].tag() == 0;
        n_merged += usize::from((0..before.len()).any(is_merged));
        n_full += usize::from(width < n_leaves as usize && binary.nodes[0].tag() != 0);
        n_deep += usize::from(binary.worth.iter().any(|&worth| 0.0 <= worth));
    }
    // The mix was fair.
    assert!(40 < n_merged && 100 < n_full && 100 < n_deep, "{n_merged}, {n_full}, {n_deep}");
}
