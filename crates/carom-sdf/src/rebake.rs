//! Bakes a part of a field again after the mesh has changed there, with the same bits as a full
//! bake.
//!
//! If the old and the new mesh are closed and differ only in a box, no point outside of the box
//! changes sides. Values change only at points nearer to the box than the band.
//!
//! Reference: M. Jones, J. Baerentzen, M. Sramek, 3D Distance Fields: A Survey of Techniques and
//! Applications, IEEE TVCG 12(4), 2006.

use crate::bake::{Accuracy, Header};
use crate::grid::index_below;
use crate::sign::SignMethod;
use crate::surface::Surface;
use carom_bounds::Aabb;
use glam::UVec3;

/// Returns whether only the nodes that the change can reach must be computed; the sides of others
/// are unchanged.
pub(crate) fn is_local(header: &Header, surface: &Surface<'_>) -> bool {
    let method = surface.sides.method();
    let is_exact = matches!(method, SignMethod::WindingExact | SignMethod::Parity);
    is_exact && method == header.sign && header.accuracy == Accuracy::Exact && header.band.is_finite()
}

/// Returns the nodes that a change within a box can reach: first and last along each axis. `None`
/// if it reaches none.
pub(crate) fn reached(header: &Header, region: &Aabb) -> Option<[UVec3; 2]> {
    let (band, grid) = (f64::from(header.band), &header.grid);
    let (min, max) = (region.min.as_dvec3() - band, region.max.as_dvec3() + band);
    let (mut low, mut high) = (UVec3::ZERO, UVec3::ZERO);
    for axis in 0..3 {
        let first = f64::from(grid.first()[axis]);
        let from = (index_below(min[axis], grid.cell()) - first).max(0.0);
        let to = (index_below(max[axis], grid.cell()) - first + 1.0).min(f64::from(grid.cells()[axis]));
        // An empty box, a box beside the grid, or NaN.
        if !(from <= to) {
            return None;
        }
        (low[axis], high[axis]) = (from as u32, to as u32);
    }
    Some([low, high])
}
