//! The neighbours of all slots, in the layout that the passes over particles read.
//!
//! - The lists are made once in a substep, and two passes read them in each iteration.
//! - Eight neighbours are loaded at a time. Those past the end of a row belong to the next row,
//!   and a mask excludes them. So rows need no padding.
//!
//! Reference: M. Macklin, M. Mueller, Position Based Fluids, ACM Transactions on Graphics 32(4),
//! 2013, algorithm 1.

use crate::ParticleError;
use crate::solver::store::{Row, Store, vector};
use alloc::vec::Vec;
use carom_lanes::{F32Lanes, Simd, U32Lanes};
use carom_neighbours::{
    HierarchicalGrid, NeighbourError, NeighbourGrid, NeighbourLists, NeighbourSearch, Reach,
};
use glam::Vec3;

/// The reach of contacts in a scene without liquids, in distances at rest.
const CONTACT_REACH: f32 = 1.5;

/// Returns the reach of contacts of particles with this radius.
pub(crate) fn contact_reach(radius: f32) -> f32 {
    2.0 * radius * CONTACT_REACH
}

/// Neighbours that are read at a time.
pub(crate) const LANES: usize = 8;

/// A search for neighbours, and its lists.
#[derive(Clone, Debug)]
pub(crate) struct Neighbours {
    grid: NeighbourGrid,
    lists: NeighbourLists,
    /// In place of the grid, if there are several radii.
    of_radii: HierarchicalGrid,
    radii: Vec<f32>,
    points: Vec<Vec3>,
    order: Vec<u32>,
    /// The range of each slot's row.
    ends: Vec<[u32; 2]>,
}

/// The rows of all slots.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows<'a> {
    pub(crate) neighbours: &'a [u32],
    pub(crate) ends: &'a [[u32; 2]],
}

impl Neighbours {
    /// A search within a reach, which is a length.
    pub(crate) fn new(reach: f32) -> Result<Neighbours, ParticleError> {
        let bad = |_| ParticleError::BadSetting { name: "radius", value: reach };
        Ok(Neighbours {
            grid: NeighbourGrid::new(reach).map_err(bad)?,
            lists: NeighbourLists::default(),
            of_radii: HierarchicalGrid::new(Reach::Larger),
            radii: Vec::new(),
            points: Vec::new(),
            order: Vec::new(),
            ends: Vec::new(),
        })
    }

    pub(crate) fn reach(&self) -> f32 {
        self.grid.radius()
    }

    /// Sorts places into cells. They are finite, or the first that is not is the error.
    fn set_points(&mut self, positions: &[Row], ids: &[u32]) -> Result<(), ParticleError> {
        self.points.clear();
        self.points.extend(positions.iter().map(vector));
        self.grid.set_points(&self.points).map_err(|error| match error {
            NeighbourError::NotFinite { point } => ParticleError::Exploded { particle: ids[point] },
            _ => ParticleError::TooMany,
        })
    }

    /// The order of slots by cells, and in a cell by [`Store::sort_slots`].
    pub(crate) fn order(&mut self, store: &Store) -> Result<&[u32], ParticleError> {
        self.set_points(&store.positions, &store.ids)?;
        self.order.clear();
        self.order.extend_from_slice(self.grid.order());
        for cell in self.grid.cells() {
            store.sort_slots(&mut self.order[cell]);
        }
        Ok(&self.order)
    }

    /// Finds the neighbours of all places, which are those of slots; at most `max_pairs` pairs.
    pub(crate) fn find(
        &mut self,
        store: &Store,
        positions: &[Row],
        max_pairs: usize,
    ) -> Result<(), ParticleError> {
        // Ends of rows are `u32`.
        let max_pairs = max_pairs.min(u32::MAX as usize / 2 - 1);
        if store.has_several_radii {
            self.find_by_radii(store, positions, max_pairs)?;
        } else {
            self.grid.set_max_pairs(max_pairs);
            self.set_points(positions, &store.ids)?;
            let found = self.grid.collect_lists(&mut self.lists);
            found.map_err(|_| ParticleError::TooDense { max_pairs })?;
        }
        self.ends.resize(positions.len(), [0; 2]);
        for (ends, &slot) in self.lists.offsets().windows(2).zip(self.lists.points()) {
            self.ends[slot as usize] = [ends[0] as u32, ends[1] as u32];
        }
        Ok(())
    }

    /// Does the same with a grid for each octave of radii. A liquid's reach is its kernel; that of
    /// others is the distance at which two of them may touch.
    fn find_by_radii(
        &mut self,
        store: &Store,
        positions: &[Row],
        max_pairs: usize,
    ) -> Result<(), ParticleError> {
        self.points.clear();
        self.points.extend(positions.iter().map(vector));
        self.radii.clear();
        let reach = self.grid.radius();
        self.radii.extend((0..positions.len()).map(|slot| {
            let group = store.group(slot);
            if group.is_fluid() { reach } else { contact_reach(group.radius) }
        }));
        let bad = |error| match error {
            NeighbourError::NotFinite { point } => ParticleError::Exploded { particle: store.ids[point] },
            NeighbourError::TooDense { .. } => ParticleError::TooDense { max_pairs },
            _ => ParticleError::TooMany,
        };
        self.of_radii.set_max_pairs(max_pairs);
        self.of_radii.set_points(&self.points, &self.radii).map_err(bad)?;
        self.of_radii.collect_lists(&mut self.lists).map_err(bad)
    }

    pub(crate) fn rows(&self) -> Rows<'_> {
        Rows { neighbours: self.lists.neighbours(), ends: &self.ends }
    }
}

impl<'a> Rows<'a> {
    /// The neighbours of a slot.
    #[inline(always)]
    pub(crate) fn of(&self, slot: usize) -> &'a [u32] {
        let [start, end] = self.ends[slot];
        &self.neighbours[start as usize..end as usize]
    }
}

/// Eight neighbours: differences from the own place, and their squares.
pub(crate) struct Eight<S: Simd> {
    /// Four times the neighbour: where its row of four numbers begins.
    pub(crate) index: S::U32x8,
    pub(crate) difference: [S::F32x8; 3],
    pub(crate) distance_sq: S::F32x8,
    /// The lanes that are neighbours.
    pub(crate) is_in_row: S::Mask8,
}

/// Loads eight neighbours from a place in the rows on; the row ends at `end`.
#[inline(always)]
pub(crate) fn load_eight<S: Simd>(
    simd: S,
    neighbours: &[u32],
    at: usize,
    end: usize,
    table: &[f32],
    own: [S::F32x8; 3],
) -> Eight<S> {
    let ids = S::U32x8::load_or(simd, neighbours, at, 0);
    let n_left = S::U32x8::splat(simd, (end - at).min(LANES) as u32);
    let index = ids.shl::<2>();
    let one = S::U32x8::splat(simd, 1);
    let (second, third) = (index + one, index + one + one);
    let x = own[0] - S::F32x8::gather(table, index);
    let y = own[1] - S::F32x8::gather(table, second);
    let z = own[2] - S::F32x8::gather(table, third);
    Eight {
        index,
        difference: [x, y, z],
        distance_sq: x * x + y * y + z * z,
        is_in_row: S::U32x8::iota(simd).lt(n_left),
    }
}
