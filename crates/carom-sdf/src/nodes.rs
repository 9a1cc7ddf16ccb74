//! Iterates over boxes of nodes, cells or blocks, and reads the value of any node of a field.
//!
//! Reference: M. Jones, J. Baerentzen, M. Sramek, 3D Distance Fields: A Survey of Techniques and
//! Applications, IEEE TVCG 12(4), 2006, section 2.

use crate::stored::Stored;
use glam::UVec3;

/// The indices from `low` on, the end not included: x first, then y, then z.
pub(crate) fn indices(low: UVec3, end: UVec3) -> impl Iterator<Item = UVec3> + Clone {
    (low.z..end.z)
        .flat_map(move |z| (low.y..end.y).flat_map(move |y| (low.x..end.x).map(move |x| UVec3::new(x, y, z))))
}

/// The value of a node of the grid.
pub(crate) fn node_value(field: &impl Stored, node: UVec3) -> f32 {
    let cell = node.min(field.header().grid.cells() - UVec3::ONE);
    let [y, z] = field.strides();
    let offset = node - cell;
    field.table()[field.lowest_node_index(cell) + (offset.x + offset.y * y + offset.z * z) as usize]
}

/// The values of all nodes at the border of the grid, some of them several times.
pub(crate) fn border_values(field: &impl Stored) -> impl Iterator<Item = f32> {
    let (last, nodes) = (field.header().grid.cells(), field.header().grid.nodes());
    (0..3)
        .flat_map(move |axis| {
            let (mut low, mut high) = (nodes, UVec3::ZERO);
            low[axis] = 1;
            high[axis] = last[axis];
            indices(UVec3::ZERO, low).chain(indices(high, nodes))
        })
        .map(|node| node_value(field, node))
}
