//! Settings for baking a field.

use crate::error::SdfError;
use crate::grid::{Grid, cell_for, check_box};
use glam::DVec3;

/// The choice of a field's cells.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Spacing {
    /// This many cells along the longest side of the mesh. There may be a few less, because the
    /// cell size is rounded up to twelve binary digits.
    Resolution(u32),
    /// Cells of this size, a length.
    Cell(f32),
    /// This grid; it must hold the mesh.
    Grid(Grid),
}

/// Settings for baking a field. The default is a dense distance at all nodes, 64 cells along the
/// longest side.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BakeSettings {
    /// The choice of cells. Default: 64 cells, [`Spacing::Resolution`].
    pub spacing: Spacing,
    /// The number of cells from the surface up to which values are distances. Beyond, they are the
    /// band, with the sign of their side. At least 2; infinite for distances everywhere. Default:
    /// infinite.
    pub band: f32,
    /// The number of cells added on each side of the mesh. Not used with [`Spacing::Grid`].
    /// Default: 2.
    pub padding: u32,
    /// The most nodes that may be stored. A node takes 4 bytes. Default: 2^28.
    pub max_nodes: u64,
}

impl Default for BakeSettings {
    fn default() -> BakeSettings {
        BakeSettings { spacing: Spacing::Resolution(64), band: f32::INFINITY, padding: 2, max_nodes: 1 << 28 }
    }
}

impl BakeSettings {
    /// Returns these settings with this many cells along the longest side of the mesh.
    #[must_use]
    pub fn with_resolution(self, resolution: u32) -> BakeSettings {
        BakeSettings { spacing: Spacing::Resolution(resolution), ..self }
    }

    /// Returns these settings with cells of a size, a length.
    #[must_use]
    pub fn with_cell(self, cell: f32) -> BakeSettings {
        BakeSettings { spacing: Spacing::Cell(cell), ..self }
    }

    /// Returns these settings with a given grid, such as that of another field.
    #[must_use]
    pub fn with_grid(self, grid: Grid) -> BakeSettings {
        BakeSettings { spacing: Spacing::Grid(grid), ..self }
    }

    /// Returns these settings with distances up to this many cells from the surface.
    #[must_use]
    pub fn with_band(self, band: f32) -> BakeSettings {
        BakeSettings { band, ..self }
    }

    /// Returns these settings with this many cells around the mesh.
    #[must_use]
    pub fn with_padding(self, padding: u32) -> BakeSettings {
        BakeSettings { padding, ..self }
    }

    /// Returns these settings with another limit on the number of nodes.
    #[must_use]
    pub fn with_max_nodes(self, max_nodes: u64) -> BakeSettings {
        BakeSettings { max_nodes, ..self }
    }

    /// Returns the grid for the box between two corners.
    pub(crate) fn grid(&self, min: DVec3, max: DVec3) -> Result<Grid, SdfError> {
        let cell = match self.spacing {
            Spacing::Grid(grid) => return Ok(grid),
            Spacing::Cell(cell) => cell,
            Spacing::Resolution(resolution) => cell_for((max - min).max_element(), resolution)?,
        };
        Grid::around(min, max, cell, self.padding)
    }

    /// Returns the grid for a surface that is between two corners, which a given grid must hold.
    pub(crate) fn grid_around(&self, min: DVec3, max: DVec3) -> Result<Grid, SdfError> {
        check_box(min, max)?;
        let grid = self.grid(min, max)?;
        let (low, high) = grid.wide_bounds();
        let is_held = |axis: &usize| low[*axis] <= min[*axis] && max[*axis] <= high[*axis];
        match (0..3).find(|axis| !is_held(axis)) {
            Some(axis) => Err(SdfError::BoxOutsideGrid { axis }),
            None => Ok(grid),
        }
    }

    /// The band as a length.
    pub(crate) fn band_length(&self, grid: &Grid) -> Result<f32, SdfError> {
        // Nodes beyond the band share one sign only if no surface fits between two of them.
        if !(2.0 <= self.band) {
            return Err(SdfError::BadBand { band: self.band });
        }
        Ok(self.band * grid.cell())
    }
}
