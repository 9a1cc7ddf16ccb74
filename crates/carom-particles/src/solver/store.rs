//! The particles of a solver: arrays by slot, and numbers that stay.
//!
//! - Before each step, particles are sorted by the cells of a grid, and in a cell by position. So
//!   neighbours are near in memory, and sums over them do not depend on the order in which
//!   particles were added.
//! - Each particle has a number, which sorting does not change. Particles of solids also have an
//!   index, which constraints use.
//!
//! Reference: M. Ihmsen et al., A Parallel SPH Implementation on Multi-Core CPUs, 2011, 3.2.

use crate::solver::group::{Group, Phase};
use alloc::vec::Vec;
use core::cmp::Ordering;
use glam::Vec3;

/// A vector and a number beside it, in one line of the cache.
pub(crate) type Row = [f32; 4];

/// The vector of a row.
#[inline(always)]
pub(crate) fn vector(row: &Row) -> Vec3 {
    Vec3::new(row[0], row[1], row[2])
}

/// In place of an index: the particle is not one of a solid.
pub(crate) const NO_SOLID: u32 = u32::MAX;

/// The particles of a solver.
#[derive(Clone, Debug, Default)]
pub(crate) struct Store {
    /// Positions of the particles, and their inverse masses.
    pub(crate) positions: Vec<Row>,
    /// Predicted positions at the end of a substep, and inverse masses.
    pub(crate) predicted: Vec<Row>,
    /// Velocities; the fourth numbers are free.
    pub(crate) velocities: Vec<Row>,
    pub(crate) phases: Vec<Phase>,
    /// The number of the particle in each slot.
    pub(crate) ids: Vec<u32>,
    /// The slot of each number.
    pub(crate) slots: Vec<u32>,
    /// The index among the particles of solids of each slot, or [`NO_SOLID`].
    pub(crate) solids: Vec<u32>,
    /// Slots and places at rest of the particles of solids, by index.
    pub(crate) solid_slots: Vec<u32>,
    pub(crate) rest: Vec<Vec3>,
    pub(crate) groups: Vec<Group>,
    /// Some group has a radius that is not that of the solver.
    pub(crate) has_several_radii: bool,
    scratch: Scratch,
}

/// Memory for a new order.
#[derive(Clone, Debug, Default)]
struct Scratch {
    rows: Vec<Row>,
    numbers: Vec<u32>,
    phases: Vec<Phase>,
}

impl Store {
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(crate) fn n_solid(&self) -> usize {
        self.rest.len()
    }

    /// Appends particles.
    pub(crate) fn push(&mut self, phase: Phase, inverse_mass: f32, positions: &[Vec3]) {
        for position in positions {
            self.push_one(phase, inverse_mass, *position, NO_SOLID);
        }
        self.predicted.resize(self.len(), [0.0; 4]);
    }

    /// Appends particles of a solid, whose places at rest are those of now.
    pub(crate) fn push_solid(&mut self, phase: Phase, inverse_masses: &[f32], positions: &[Vec3]) {
        for (position, &inverse_mass) in positions.iter().zip(inverse_masses) {
            let index = self.n_solid() as u32;
            self.solid_slots.push(self.len() as u32);
            self.rest.push(*position);
            self.push_one(phase, inverse_mass, *position, index);
        }
        self.predicted.resize(self.len(), [0.0; 4]);
    }

    fn push_one(&mut self, phase: Phase, inverse_mass: f32, position: Vec3, solid: u32) {
        let (id, slot) = (self.slots.len() as u32, self.len() as u32);
        self.positions.push(position.extend(inverse_mass).to_array());
        self.velocities.push([0.0; 4]);
        self.phases.push(phase);
        self.solids.push(solid);
        self.ids.push(id);
        self.slots.push(slot);
    }

    /// Brings the particles into this order of slots.
    pub(crate) fn reorder(&mut self, order: &[u32]) {
        let Scratch { rows, numbers, phases } = &mut self.scratch;
        for array in [&mut self.positions, &mut self.velocities] {
            gather(array, order, rows);
        }
        for array in [&mut self.ids, &mut self.solids] {
            gather(array, order, numbers);
        }
        gather(&mut self.phases, order, phases);
        self.number_slots();
    }

    /// Sorts slots by all properties of a particle but its number. So the order does not depend on
    /// the order in which particles were added. Equal particles stay in order.
    pub(crate) fn sort_slots(&self, slots: &mut [u32]) {
        slots.sort_unstable_by(|&a, &b| {
            let [i, j] = [a as usize, b as usize];
            let by_rows = |x: &Row, y: &Row| {
                x.iter()
                    .zip(y)
                    .map(|(x, y)| x.total_cmp(y))
                    .find(|order| order.is_ne())
                    .unwrap_or(Ordering::Equal)
            };
            by_rows(&self.positions[i], &self.positions[j])
                .then_with(|| by_rows(&self.velocities[i], &self.velocities[j]))
                .then_with(|| self.phases[i].0.cmp(&self.phases[j].0))
                .then(a.cmp(&b))
        });
    }

    /// Finds the slots of all numbers and indices.
    pub(crate) fn number_slots(&mut self) {
        for (slot, &id) in (0..).zip(&self.ids) {
            self.slots[id as usize] = slot;
        }
        for (slot, &solid) in (0..).zip(&self.solids) {
            if solid != NO_SOLID {
                self.solid_slots[solid as usize] = slot;
            }
        }
    }

    /// The slot of a number.
    pub(crate) fn slot(&self, id: u32) -> Option<usize> {
        self.slots.get(id as usize).map(|&slot| slot as usize)
    }

    /// The radius of a slot.
    #[inline]
    pub(crate) fn radius(&self, slot: usize) -> f32 {
        self.group(slot).radius
    }

    /// Returns the shared properties of a slot's group.
    #[inline]
    pub(crate) fn group(&self, slot: usize) -> &Group {
        &self.groups[self.phases[slot].group()]
    }
}

/// Brings an array into an order, by another one.
fn gather<T: Copy>(array: &mut Vec<T>, order: &[u32], scratch: &mut Vec<T>) {
    scratch.clear();
    scratch.extend(order.iter().map(|&slot| array[slot as usize]));
    core::mem::swap(array, scratch);
}
