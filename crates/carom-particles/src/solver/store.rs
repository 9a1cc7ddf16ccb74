//! The particles of a solver: arrays by slot, and numbers that stay.
//!
//! - Particles of solids come first, and keep their slots, which constraints use as indices.
//! - Liquids, gas and grains are brought into the order of the cells of a grid before each step. So
//!   neighbours are near in memory.
//! - Each particle has a number, which never changes.
//!
//! Reference: M. Ihmsen et al., A Parallel SPH Implementation on Multi-Core CPUs, 2011, 3.2.

use crate::solver::group::{Group, Phase};
use alloc::vec::Vec;
use glam::Vec3;

/// A vector and a number beside it, in one line of the cache.
pub(crate) type Row = [f32; 4];

/// The vector of a row.
#[inline(always)]
pub(crate) fn vector(row: &Row) -> Vec3 {
    Vec3::new(row[0], row[1], row[2])
}

/// The particles of a solver.
#[derive(Clone, Debug, Default)]
pub(crate) struct Store {
    /// Where particles are, and their inverse masses.
    pub(crate) positions: Vec<Row>,
    /// Where they will be at the end of a substep, and their inverse masses.
    pub(crate) predicted: Vec<Row>,
    /// Velocities; the fourth numbers are free.
    pub(crate) velocities: Vec<Row>,
    pub(crate) phases: Vec<Phase>,
    /// The number of the particle in each slot.
    pub(crate) ids: Vec<u32>,
    /// The slot of each number.
    pub(crate) slots: Vec<u32>,
    /// Places at rest of the particles of solids, which are the first slots.
    pub(crate) rest: Vec<Vec3>,
    pub(crate) groups: Vec<Group>,
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

    /// Appends particles to those of liquids and grains.
    pub(crate) fn push(&mut self, phase: Phase, inverse_mass: f32, places: &[Vec3]) {
        for place in places {
            let (id, slot) = (self.slots.len() as u32, self.len() as u32);
            self.positions.push(place.extend(inverse_mass).to_array());
            self.velocities.push([0.0; 4]);
            self.phases.push(phase);
            self.ids.push(id);
            self.slots.push(slot);
        }
        self.predicted.resize(self.len(), [0.0; 4]);
    }

    /// Inserts particles behind those of other solids.
    pub(crate) fn push_solid(&mut self, phase: Phase, inverse_masses: &[f32], places: &[Vec3]) {
        let (at, first) = (self.n_solid(), self.slots.len() as u32);
        let rows = places.iter().zip(inverse_masses).map(|(place, &w)| place.extend(w).to_array());
        self.positions.splice(at..at, rows);
        self.velocities.splice(at..at, places.iter().map(|_| [0.0; 4]));
        self.phases.splice(at..at, places.iter().map(|_| phase));
        self.ids.splice(at..at, first..first + places.len() as u32);
        self.rest.extend_from_slice(places);
        self.slots.resize(self.ids.len(), 0);
        self.predicted.resize(self.len(), [0.0; 4]);
        self.number_slots();
    }

    /// Brings the particles that are not of solids into this order of slots.
    pub(crate) fn reorder(&mut self, order: &[u32]) {
        let first = self.n_solid();
        let is_free = |slot: &&u32| first <= **slot as usize;
        let Scratch { rows, numbers, phases } = &mut self.scratch;
        for array in [&mut self.positions, &mut self.velocities] {
            rows.clear();
            rows.extend_from_slice(&array[..first]);
            rows.extend(order.iter().filter(is_free).map(|&slot| array[slot as usize]));
            core::mem::swap(array, rows);
        }
        numbers.clear();
        numbers.extend_from_slice(&self.ids[..first]);
        numbers.extend(order.iter().filter(is_free).map(|&slot| self.ids[slot as usize]));
        core::mem::swap(&mut self.ids, numbers);
        phases.clear();
        phases.extend_from_slice(&self.phases[..first]);
        phases.extend(order.iter().filter(is_free).map(|&slot| self.phases[slot as usize]));
        core::mem::swap(&mut self.phases, phases);
        self.number_slots();
    }

    /// Finds the slots of all numbers.
    pub(crate) fn number_slots(&mut self) {
        for (slot, &id) in (0..).zip(&self.ids) {
            self.slots[id as usize] = slot;
        }
    }

    /// The slot of a number.
    pub(crate) fn slot(&self, id: u32) -> Option<usize> {
        self.slots.get(id as usize).map(|&slot| slot as usize)
    }

    /// What the group of a slot has in common.
    #[inline]
    pub(crate) fn group(&self, slot: usize) -> &Group {
        &self.groups[self.phases[slot].group()]
    }
}
