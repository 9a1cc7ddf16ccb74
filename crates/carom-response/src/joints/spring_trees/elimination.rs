//! The elimination of the bodies and joints of trees, from the leaves to the roots, and the
//! bounds of their rows.
//!
//! Reference: D. Baraff, Linear-Time Dynamics Using Lagrange Multipliers, SIGGRAPH 1996.

use crate::joints::mass::JointMass;
use crate::joints::six::{Six, add, dot, inverse, times};
use crate::joints::spring_trees::rows::{Bound, MAX_ROWS, Row};
use crate::joints::spring_trees::tree::{Link, Node, mass_of};
use core::ops::Range;

/// The number of solutions after which limits are added. Later ones only release rows, so they end.
const MAX_ADDING_ROUNDS: u32 = 4;

/// A pivot below this fraction of the largest entry of its kind is zero, up to the rounding of
/// inputs in `f32`: no body moves there.
const MIN_PIVOT: f64 = 1e-9;

/// A speed is beyond its bound if it exceeds it by this part of itself: more than the rounding of
/// the solution in `f64`.
const ROUNDING: f64 = 1e-9;

/// Trees that are solved together: their joints, bodies and rows.
pub(super) struct System<'a> {
    pub(super) links: &'a [Link],
    pub(super) nodes: &'a mut [Node],
    /// The bodies of these trees among all nodes.
    pub(super) own: Range<usize>,
    pub(super) rows: &'a mut [Row],
    /// For each joint its matrix D, decomposed: L below the diagonal, the inverse pivots on it.
    pub(super) factors: &'a mut [f64],
}

impl System<'_> {
    /// Finds the changes of all impulses and velocities.
    pub(super) fn solve(&mut self, masses: &[JointMass]) {
        let mut round = 0;
        loop {
            self.eliminate(masses);
            self.substitute();
            round += 1;
            let may_add = round < MAX_ADDING_ROUNDS;
            let mut has_changed = false;
            for link in self.links {
                has_changed |= link.check(&mut self.rows[link.rows()], self.nodes, may_add);
            }
            if !has_changed {
                return;
            }
        }
    }

    /// Eliminates all joints and bodies, leaves first.
    fn eliminate(&mut self, masses: &[JointMass]) {
        let System { links, nodes, own, rows, factors } = self;
        for node in &mut nodes[own.clone()] {
            node.mass = mass_of(&masses[node.slot as usize]);
            node.push = Six::default();
        }
        for link in links.iter() {
            for row in &rows[link.rows()] {
                let Bound::Impulse(given) = row.bound else { continue };
                add(&mut nodes[link.child as usize].push, &row.child, given);
                if let Some(parent) = link.parent {
                    add(&mut nodes[parent as usize].push, &row.parent, given);
                }
            }
        }
        for link in links.iter().rev() {
            let child = &mut nodes[link.child as usize];
            child.inverse = inverse(&child.mass);
            let (rows, factors) = (&mut rows[link.rows()], &mut factors[link.square()]);
            decompose(rows, factors, child);
            if let Some(parent) = link.parent {
                pass_on(rows, factors, &mut nodes[parent as usize]);
            }
        }
    }

    /// Finds the impulses and the velocities, roots first.
    fn substitute(&mut self) {
        let System { links, nodes, own, rows, factors } = self;
        for node in nodes[own.clone()].iter_mut().filter(|node| node.is_root) {
            node.change = times(&inverse(&node.mass), &node.push);
        }
        for link in links.iter() {
            let parent = link.parent.map_or(Six::default(), |node| nodes[node as usize].change);
            let (rows, factors) = (&mut rows[link.rows()], &factors[link.square()]);
            let mut solved = [0.0; MAX_ROWS];
            for (side, row) in solved.iter_mut().zip(rows.iter()) {
                *side = if row.is_given() { row.side } else { row.side - dot(&row.parent, &parent) };
            }
            solve(factors, &mut solved[..rows.len()]);
            let child = &mut nodes[link.child as usize];
            let mut push = child.push;
            for (row, solved) in rows.iter_mut().zip(solved) {
                if let Bound::Impulse(given) = row.bound {
                    row.change = given;
                } else {
                    row.change = solved;
                    add(&mut push, &row.child, solved);
                }
            }
            child.change = times(&child.inverse, &push);
        }
    }
}

/// Decomposes D, from the mass of the child with its own children.
fn decompose(rows: &mut [Row], factors: &mut [f64], child: &Node) {
    let n = rows.len();
    let mut matrix = [[0.0; MAX_ROWS]; MAX_ROWS];
    for i in 0..n {
        let moved = times(&child.inverse, &rows[i].child);
        for k in 0..n {
            matrix[i][k] = dot(&moved, &rows[k].child);
        }
        let without = dot(&rows[i].child, &times(&child.inverse, &child.push));
        rows[i].side = rows[i].right - rows[i].speed - without;
    }
    for (i, row) in rows.iter_mut().enumerate() {
        match row.bound {
            Bound::Inside => (0..n).for_each(|k| matrix[i][k] += row.compliance(k)),
            Bound::Speed(speed) => row.side += speed - row.right,
            Bound::Impulse(_) => {
                for k in 0..n {
                    (matrix[i][k], matrix[k][i]) = (0.0, 0.0);
                }
                (matrix[i][i], row.side) = (1.0, 0.0);
            }
        }
    }
    // A row along which neither body can move has almost nothing on its diagonal.
    let most = |is_linear: bool| {
        let is_rigid = |i: usize, row: &Row| row.compliance(i) == 0.0 && !row.is_given();
        let entries =
            rows.iter().enumerate().filter(|(i, row)| row.is_linear == is_linear && is_rigid(*i, row));
        entries.fold(0.0f64, |most, (i, _)| most.max(matrix[i][i]))
    };
    let least = [most(false), most(true)].map(|most| MIN_PIVOT * most);
    let mut pivots = [0.0; MAX_ROWS];
    for i in 0..n {
        let floor = least[usize::from(rows[i].is_linear)];
        for k in 0..=i {
            let before: f64 = (0..k).map(|j| factors[i * n + j] * factors[k * n + j] * pivots[j]).sum();
            let rest = matrix[i][k] - before;
            if k < i {
                factors[i * n + k] = rest * factors[k * n + k];
            } else {
                let is_free = floor < rest && MIN_PIVOT * matrix[i][i] < rest;
                (pivots[i], factors[i * n + i]) = if is_free { (rest, 1.0 / rest) } else { (0.0, 0.0) };
            }
        }
    }
}

/// Solves D x = side.
fn solve(factors: &[f64], x: &mut [f64]) {
    let n = x.len();
    for i in 0..n {
        let before: f64 = (0..i).map(|k| factors[i * n + k] * x[k]).sum();
        x[i] -= before;
    }
    for i in (0..n).rev() {
        let after: f64 = (i + 1..n).map(|k| factors[k * n + i] * x[k]).sum();
        x[i] = x[i] * factors[i * n + i] - after;
    }
}

/// Adds the mass and the push of the child, as the joint passes them on, to the parent.
fn pass_on(rows: &[Row], factors: &[f64], parent: &mut Node) {
    let n = rows.len();
    let free = |(_, row): &(usize, &Row)| !row.is_given();
    let mut pushes = [0.0; MAX_ROWS];
    for (push, row) in pushes.iter_mut().zip(rows) {
        *push = row.side;
    }
    solve(factors, &mut pushes[..n]);
    for (k, row) in rows.iter().enumerate().filter(free) {
        add(&mut parent.push, &row.parent, pushes[k]);
        let mut answer = [0.0; MAX_ROWS];
        answer[k] = 1.0;
        solve(factors, &mut answer[..n]);
        let mut column = Six::default();
        for (j, other) in rows.iter().enumerate().filter(free) {
            add(&mut column, &other.parent, answer[j]);
        }
        for i in 0..6 {
            add(&mut parent.mass[i], &row.parent, column[i]);
        }
    }
}

impl Link {
    /// Makes rows beyond their bounds rows of given impulse or speed. If `may_add`, limits that
    /// are passed act again. Returns whether a row has changed.
    fn check(&self, rows: &mut [Row], nodes: &[Node], may_add: bool) -> bool {
        let (parent, child) = (self.parent, self.child);
        let mut is_any = false;
        for row in rows {
            let moved = dot(&row.child, &nodes[child as usize].change)
                + parent.map_or(0.0, |node| dot(&row.parent, &nodes[node as usize].change));
            let speed = row.speed + moved;
            let clamped = row.change.max(row.range[0]).min(row.range[1]);
            let old = row.bound;
            match old {
                Bound::Inside if clamped != row.change => row.bound = Bound::Impulse(clamped),
                Bound::Inside if row.max_speed * (1.0 + ROUNDING) < speed.abs() => {
                    row.bound = Bound::Speed(speed.signum() * row.max_speed);
                }
                Bound::Impulse(_)
                    if may_add
                        && row.kind.is_limit()
                        && speed + row.own_compliance() * row.change
                            < row.right - ROUNDING * (row.right.abs() + row.speed.abs()) =>
                {
                    row.bound = Bound::Inside;
                }
                _ => {}
            }
            is_any |= row.bound != old;
        }
        is_any
    }
}
