//! Islands: moving bodies that contacts and joints connect, directly or through others.
//!
//! Disjoint sets over the contacts and joints of moving bodies. A body that cannot move connects
//! nothing. The rest time of an island is the least rest time of its bodies.
//! [`Sleepers`](crate::Sleepers) puts islands to sleep.
//!
//! Reference: E. Catto, Simulation Islands, box2d.org, 2023; R. E. Tarjan, Efficiency of a Good But
//! Not Linear Set Union Algorithm, JACM 22(2), 1975.
//! Differs: the root of a set is its lowest index, so that the name of an island does not depend
//! on the order of contacts. The sets contain only bodies that move, by slot.

use alloc::vec::Vec;
use carom_math::Real;

/// A body that a step moved, with its island: the bodies that contacts and joints connect with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IslandMember {
    /// The index of the body.
    pub body: u32,
    /// The lowest index of a body of its island.
    pub island: u32,
    /// Time for which the whole island has been at rest.
    pub rest_time: Real,
}

/// Disjoint sets of the numbers from 0 on. The root of a set is its lowest number.
#[derive(Clone, Debug, Default)]
pub struct DisjointSets {
    parent: Vec<u32>,
}

impl DisjointSets {
    /// Makes every number below `n` a set of its own.
    pub fn reset(&mut self, n: usize) {
        self.parent.clear();
        self.parent.extend(0..n as u32);
    }

    /// Returns the root of the set of a number.
    pub fn root(&mut self, number: u32) -> u32 {
        let mut at = number;
        while self.parent[at as usize] != at {
            // Path halving.
            self.parent[at as usize] = self.parent[self.parent[at as usize] as usize];
            at = self.parent[at as usize];
        }
        at
    }

    /// Joins the sets of two numbers.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        if a < b {
            self.parent[b as usize] = a;
        } else {
            self.parent[a as usize] = b;
        }
    }
}

/// The island of each moving body, by slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Islands {
    sets: DisjointSets,
    /// By root: the least rest time of the island.
    rest_times: Vec<Real>,
    /// By root: the number of bodies of the island.
    sizes: Vec<u32>,
    /// By root: whether a motor or a spring moves a body of the island.
    is_powered: Vec<bool>,
    pub(crate) n_islands: usize,
    pub(crate) n_awake: usize,
}

impl Islands {
    /// Makes every moving body an island of its own.
    pub(crate) fn begin(&mut self, n_bodies: usize) {
        self.sets.reset(n_bodies);
    }

    /// Joins the islands of two moving bodies.
    pub(crate) fn join(&mut self, a: u32, b: u32) {
        self.sets.join(a, b);
    }

    /// Counts the bodies of the islands, after all joins. `is_many` gets, by slot, whether the
    /// island has `many` bodies or more.
    pub(crate) fn count(&mut self, many: u32, is_many: &mut Vec<bool>) {
        let n = self.sets.parent.len();
        self.sizes.clear();
        self.sizes.resize(n, 0);
        for index in 0..n as u32 {
            let root = self.sets.root(index);
            self.sets.parent[index as usize] = root;
            self.sizes[root as usize] += 1;
        }
        self.is_powered.clear();
        self.is_powered.resize(n, false);
        is_many.clear();
        is_many.extend(self.sets.parent.iter().map(|&root| many <= self.sizes[root as usize]));
    }

    /// Marks the island of a slot as moved by a motor or a spring. Call it after `count`. A
    /// powered island does not come to rest, however slow it is: a motor may take long to start a
    /// heavy train.
    pub(crate) fn mark_powered(&mut self, index: u32) {
        let root = self.sets.parent[index as usize];
        self.is_powered[root as usize] = true;
    }

    /// Returns the root of each slot. Call it after `count`.
    pub(crate) fn roots(&self) -> &[u32] {
        &self.sets.parent
    }

    /// Returns the number of bodies of the island of this root. Call it after `count`.
    pub(crate) fn size(&self, root: u32) -> usize {
        self.sizes[root as usize] as usize
    }

    /// Clears `is_many` for powered islands.
    pub(crate) fn leave_out_powered(&self, is_many: &mut [bool]) {
        for (is_many, &root) in is_many.iter_mut().zip(&self.sets.parent) {
            *is_many &= !self.is_powered[root as usize];
        }
    }

    /// Computes the rest time of each island. `is_active` says which slots move by forces;
    /// `rest_times` has the rest times of these.
    pub(crate) fn finish(&mut self, is_active: &[bool], rest_times: &[Real]) {
        let n = self.sets.parent.len();
        self.rest_times.clear();
        self.rest_times.resize(n, Real::INFINITY);
        self.n_islands = 0;
        self.n_awake = 0;
        for index in (0..n).filter(|&index| is_active[index]) {
            let root = self.sets.parent[index] as usize;
            self.n_islands += usize::from(root == index);
            self.n_awake += 1;
            let time = if self.is_powered[root] { 0.0 } else { rest_times[index] };
            let all = &mut self.rest_times[root];
            *all = all.min(time);
        }
    }

    /// Returns the rest time of the island of this root. Call it after [`Islands::finish`].
    pub(crate) fn rest_time(&self, root: u32) -> Real {
        self.rest_times[root as usize]
    }
}
