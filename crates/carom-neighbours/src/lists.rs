//! The neighbours of all points: one array of numbers, and the start of each point's row.
//!
//! Rows are in the order in which a search visits the points. So successive rows belong to points
//! that are close in space. They are also close in memory if the caller keeps them in that order.
//!
//! Reference: M. Ihmsen et al., A Parallel SPH Implementation on Multi-Core CPUs, 2011, 3.

use alloc::vec::Vec;

/// The neighbours of all points, as compressed rows. The memory is reused.
#[derive(Clone, Debug)]
pub struct NeighbourLists {
    /// The point of each row.
    points: Vec<u32>,
    /// The row of each point.
    rows: Vec<u32>,
    /// The start of each row, and the end of the last.
    offsets: Vec<usize>,
    /// The rows, and memory that is not used now.
    pub(crate) memory: Vec<u32>,
}

impl Default for NeighbourLists {
    fn default() -> NeighbourLists {
        NeighbourLists { points: Vec::new(), rows: Vec::new(), offsets: alloc::vec![0], memory: Vec::new() }
    }
}

impl NeighbourLists {
    /// Returns the number of rows, which is that of the points.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Returns the neighbours of a point; an empty slice if there is no such point.
    pub fn of(&self, point: u32) -> &[u32] {
        self.rows.get(point as usize).map_or(&[], |&row| self.row(row as usize))
    }

    /// Returns all points with their neighbours, in the order of the rows, which is the fastest
    /// order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, &[u32])> {
        self.points.iter().enumerate().map(|(row, &point)| (point, self.row(row)))
    }

    /// Returns the point of each row.
    pub fn points(&self) -> &[u32] {
        &self.points
    }

    /// Returns the start of each row in [`NeighbourLists::neighbours`], and the end of the last
    /// row: one number more than there are rows.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// Returns all rows, one after the other.
    pub fn neighbours(&self) -> &[u32] {
        &self.memory[..self.n_neighbours()]
    }

    /// Sorts each row in ascending order. Then all searches give equal rows.
    pub fn sort(&mut self) {
        for ends in self.offsets.windows(2) {
            self.memory[ends[0]..ends[1]].sort_unstable();
        }
    }

    fn row(&self, row: usize) -> &[u32] {
        &self.memory[self.offsets[row]..self.offsets[row + 1]]
    }

    fn n_neighbours(&self) -> usize {
        self.offsets.last().copied().unwrap_or(0)
    }

    /// Removes all rows and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.points.clear();
        self.rows.clear();
        self.offsets.clear();
        self.offsets.push(0);
    }

    /// Begins rows for these points. Their ends are set later, by [`NeighbourLists::parts`].
    pub(crate) fn begin(&mut self, points: &[u32]) {
        self.clear();
        self.points.extend_from_slice(points);
        self.rows.resize(points.len(), 0);
        for (row, &point) in (0..).zip(points) {
            self.rows[point as usize] = row;
        }
        self.offsets.resize(points.len() + 1, 0);
    }

    /// Returns the ends of the rows, and the memory of the rows.
    pub(crate) fn parts(&mut self) -> (&mut [usize], &mut Vec<u32>) {
        (&mut self.offsets[1..], &mut self.memory)
    }

    /// Sets one row per point, in the order of their numbers, from pairs. The second number of a
    /// pair is added to the row of the first. If `both`, the first is also added to the row of the
    /// second.
    pub(crate) fn set_pairs(&mut self, n_rows: usize, pairs: &[[u32; 2]], both: bool) {
        self.clear();
        self.points.extend(0..n_rows as u32);
        self.rows.extend(0..n_rows as u32);
        // Counts are stored two entries later, so that they become the ends of rows while these
        // are filled.
        self.offsets.resize(n_rows + 2, 0);
        for &[a, b] in pairs {
            self.offsets[a as usize + 2] += 1;
            if both {
                self.offsets[b as usize + 2] += 1;
            }
        }
        for row in 2..self.offsets.len() {
            self.offsets[row] += self.offsets[row - 1];
        }
        let n = self.n_neighbours();
        if self.memory.len() < n {
            self.memory.resize(n, 0);
        }
        let mut add = |row: u32, neighbour: u32| {
            let end = &mut self.offsets[row as usize + 1];
            self.memory[*end] = neighbour;
            *end += 1;
        };
        for &[a, b] in pairs {
            add(a, b);
            if both {
                add(b, a);
            }
        }
        self.offsets.truncate(n_rows + 1);
    }
}
