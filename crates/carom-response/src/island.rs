//! Islands: bodies that touch each other, directly or through others.
//!
//! Disjoint sets over the contacts and joints of moving bodies; what cannot move joins nothing. An
//! island is at rest for as long as all of it has been. [`Sleepers`](crate::Sleepers) puts it to
//! sleep.
//!
//! Reference: E. Catto, Simulation Islands, box2d.org, 2023; R. E. Tarjan, Efficiency of a Good But
//! Not Linear Set Union Algorithm, JACM 22(2), 1975.
//! Differs: the root of a set is its lowest number, so that names of islands do not depend on the
//! order of contacts. Only bodies that move have a place in the sets, in the order of their
//! numbers.

use alloc::vec::Vec;
use carom_math::Real;

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

    /// Makes one set of the sets of two numbers.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        if a < b {
            self.parent[b as usize] = a;
        } else {
            self.parent[a as usize] = b;
        }
    }
}

/// Which moving body belongs to which island, by places.
#[derive(Clone, Debug, Default)]
pub(crate) struct Islands {
    sets: DisjointSets,
    /// Per island, under its root: how long all of it has been at rest.
    rest_times: Vec<Real>,
    /// Per island, under its root: how many belong together.
    sizes: Vec<u32>,
    /// Per island, under its root: a motor is to turn something.
    is_driven: Vec<bool>,
    pub(crate) n_islands: usize,
    pub(crate) n_awake: usize,
}

impl Islands {
    /// Every moving body an island of its own.
    pub(crate) fn begin(&mut self, n_bodies: usize) {
        self.sets.reset(n_bodies);
    }

    /// Two moving bodies belong together.
    pub(crate) fn join(&mut self, a: u32, b: u32) {
        self.sets.join(a, b);
    }

    /// Counts, when all are joined; `is_many` becomes, per place, whether so many or more belong
    /// together.
    pub(crate) fn count(&mut self, many: u32, is_many: &mut Vec<bool>) {
        let n = self.sets.parent.len();
        self.sizes.clear();
        self.sizes.resize(n, 0);
        for place in 0..n as u32 {
            let root = self.sets.root(place);
            self.sets.parent[place as usize] = root;
            self.sizes[root as usize] += 1;
        }
        self.is_driven.clear();
        self.is_driven.resize(n, false);
        is_many.clear();
        is_many.extend(self.sets.parent.iter().map(|&root| many <= self.sizes[root as usize]));
    }

    /// After counting: a motor is to turn the body at this place, and with it its island. However
    /// slow it is, it is not coming to rest: a motor may take long to get a heavy train going.
    pub(crate) fn drive(&mut self, place: u32) {
        let root = self.sets.parent[place as usize];
        self.is_driven[root as usize] = true;
    }

    /// After counting: by place, the first one of the island.
    pub(crate) fn roots(&self) -> &[u32] {
        &self.sets.parent
    }

    /// After counting: how many bodies belong to the island of this root.
    pub(crate) fn size(&self, root: u32) -> usize {
        self.sizes[root as usize] as usize
    }

    /// Takes out of `is_many` what motors drive.
    pub(crate) fn leave_out_driven(&self, is_many: &mut [bool]) {
        for (is_many, &root) in is_many.iter_mut().zip(&self.sets.parent) {
            *is_many &= !self.is_driven[root as usize];
        }
    }

    /// Finds for how long each island has been at rest. `is_active` says which places move by
    /// forces, `rest_times` for how long these have been at rest.
    pub(crate) fn finish(&mut self, is_active: &[bool], rest_times: &[Real]) {
        let n = self.sets.parent.len();
        self.rest_times.clear();
        self.rest_times.resize(n, Real::INFINITY);
        self.n_islands = 0;
        self.n_awake = 0;
        for place in (0..n).filter(|&place| is_active[place]) {
            let root = self.sets.parent[place] as usize;
            self.n_islands += usize::from(root == place);
            self.n_awake += 1;
            let time = if self.is_driven[root] { 0.0 } else { rest_times[place] };
            let all = &mut self.rest_times[root];
            *all = all.min(time);
        }
    }

    /// After [`Islands::finish`]: for how long all of the island of this root has been at rest.
    pub(crate) fn rest_time(&self, root: u32) -> Real {
        self.rest_times[root as usize]
    }
}
