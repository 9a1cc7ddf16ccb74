//! Why a field was refused.

use carom_geom::MeshError;

/// Why a field was refused. A number is that of the first offender.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum SdfError {
    /// The mesh is invalid: it is empty, a coordinate is not finite, or a triangle has a vertex
    /// that does not exist.
    Mesh(MeshError),
    /// The size of a cell is not a length from 2^-70 to 2^70.
    BadCell {
        /// The size.
        cell: f32,
    },
    /// The resolution is 0.
    BadResolution,
    /// All vertices are one point, so a resolution gives no cell size: set the size itself.
    NoExtent,
    /// The band is less than 2 cells, or NaN.
    BadBand {
        /// The band, in cells.
        band: f32,
    },
    /// The grid has no cell along an axis.
    NoCells {
        /// The axis, from 0.
        axis: usize,
    },
    /// The grid would reach farther than 2^28 cells from the origin: move the data to it, or make
    /// cells larger.
    TooFar {
        /// The axis, from 0.
        axis: usize,
    },
    /// The corners of a box are exchanged along an axis, or NaN.
    BadBox {
        /// The axis, from 0.
        axis: usize,
    },
    /// The grid would have more nodes than the settings allow.
    TooManyNodes {
        /// The number of nodes it would have, at least.
        nodes: u64,
        /// The number allowed.
        allowed: u64,
    },
    /// The rows of the grid cross the surface too often to keep.
    TooManyCrossings {
        /// The number allowed.
        allowed: usize,
    },
    /// The mesh leaves the given grid.
    OutsideGrid {
        /// The first vertex outside.
        vertex: u32,
    },
    /// The box of a distance function leaves the given grid.
    BoxOutsideGrid {
        /// The axis, from 0.
        axis: usize,
    },
    /// A distance function returned NaN.
    NotANumber {
        /// The node, along x, y and z.
        node: [u32; 3],
    },
    /// The two fields have different grids or bands.
    OtherGrid,
    /// A field is unsigned: it has no inside for an intersection, a difference, or a union with a
    /// signed field.
    Unsigned,
    /// An offset is not finite, or it leaves less than two cells of the band.
    BadOffset {
        /// The offset.
        offset: f32,
    },
    /// An offset may move the surface out of the grid: bake with a padding of one cell more than
    /// the offset.
    OffsetLeavesGrid {
        /// The offset.
        offset: f32,
        /// The longest offset in that direction that keeps the surface in the grid for certain, a
        /// length.
        allowed: f32,
    },
    /// The bytes are not those of a field of this version, or end too early or too late.
    BadBytes {
        /// The reason.
        why: &'static str,
    },
}

impl core::fmt::Display for SdfError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            SdfError::Mesh(error) => error.fmt(f),
            SdfError::BadCell { cell } => write!(f, "a cell of {cell} is no length from 2^-70 to 2^70"),
            SdfError::BadResolution => write!(f, "a resolution of 0 cells"),
            SdfError::NoExtent => write!(f, "all vertices are one point; give the size of a cell"),
            SdfError::BadBand { band } => write!(f, "a band of {band} cells is less than 2, or no number"),
            SdfError::NoCells { axis } => write!(f, "the grid has no cells along axis {axis}"),
            SdfError::TooFar { axis } => {
                write!(f, "the grid reaches farther than 2^28 cells from the origin along axis {axis}")
            }
            SdfError::BadBox { axis } => {
                write!(f, "the corners of the box are exchanged along axis {axis}, or no numbers")
            }
            SdfError::TooManyNodes { nodes, allowed } => {
                write!(f, "the grid has {nodes} nodes, and {allowed} are allowed")
            }
            SdfError::TooManyCrossings { allowed } => {
                write!(f, "rows of the grid cross the surface more than {allowed} times")
            }
            SdfError::OutsideGrid { vertex } => write!(f, "vertex {vertex} is outside of the grid"),
            SdfError::BoxOutsideGrid { axis } => write!(f, "the box leaves the grid along axis {axis}"),
            SdfError::NotANumber { node: [x, y, z] } => {
                write!(f, "the distance function gave NaN at the node {x}, {y}, {z}")
            }
            SdfError::OtherGrid => write!(f, "the two fields have different grids or bands"),
            SdfError::Unsigned => write!(f, "an unsigned field has no inside"),
            SdfError::BadOffset { offset } => {
                write!(f, "an offset of {offset} is not finite, or leaves less than two cells of the band")
            }
            SdfError::OffsetLeavesGrid { offset, allowed } => {
                write!(f, "an offset of {offset} may leave the grid, and {allowed} is allowed: pad the grid")
            }
            SdfError::BadBytes { why } => write!(f, "not the bytes of a field: {why}"),
        }
    }
}

impl core::error::Error for SdfError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            SdfError::Mesh(error) => Some(error),
            _ => None,
        }
    }
}

impl From<MeshError> for SdfError {
    fn from(error: MeshError) -> SdfError {
        SdfError::Mesh(error)
    }
}
