//! The surface of a distance field near a box as triangles, for a figure to walk on.
//!
//! A cell that the surface crosses is cut into six tetrahedra. In each of them the distance counts
//! as linear, so the surface in it is one or two triangles. Neighbours share their edges, so the
//! surface has no gaps.
//!
//! Reference: A. Doi, A. Koide, An Efficient Method of Triangulating Equi-Valued Surfaces by Using
//! Tetrahedral Cells, IEICE Transactions E74(1), 1991.

use carom_geom::{CELL_TETRAHEDRA, DistanceField, LinearCut};
use glam::DVec3;

/// Calls `face` with the triangles whose boxes touch a box in the field's frame. They are
/// counter-clockwise as seen from outside.
pub(crate) fn visit_faces(field: &dyn DistanceField, within: [DVec3; 2], face: &mut dyn FnMut([DVec3; 3])) {
    let [from, to] = field.search_box();
    let [low, high] = within;
    let mut near = |[a, b, c]: [DVec3; 3]| {
        if a.min(b).min(c).cmple(high).all() && low.cmple(a.max(b).max(c)).all() {
            face([a, b, c]);
        }
    };
    visit_part(field, (from + to) * 0.5, (to - from) * 0.5, within, &mut near);
}

/// Halves a part of the field down to its cells.
fn visit_part(
    field: &dyn DistanceField,
    center: DVec3,
    half: DVec3,
    within: [DVec3; 2],
    face: &mut dyn FnMut([DVec3; 3]),
) {
    let [low, high] = within;
    let touches = (center - half).cmple(high).all() && low.cmple(center + half).all();
    if !touches || 0.0 < field.floor(center, half).least(half) {
        return;
    }
    let corner = |half: DVec3, i: usize| {
        let side = |bit: usize| if i & bit == 0 { -1.0 } else { 1.0 };
        center + half * DVec3::new(side(1), side(2), side(4))
    };
    // The part is one cell.
    if half.max_element() < 0.75 * field.resolution() {
        let mut values = [0.0; 8];
        for (i, value) in values.iter_mut().enumerate() {
            let Some(sample) = field.sample(corner(half, i)) else { return };
            *value = sample.distance;
        }
        for corners in CELL_TETRAHEDRA {
            faces_of(corners.map(|i| corner(half, i)), corners.map(|i| values[i]), face);
        }
        return;
    }
    let half = half * 0.5;
    for i in 0..8 {
        visit_part(field, corner(half, i), half, within, face);
    }
}

/// Calls `face` with the surface on which a linear function is 0 in a tetrahedron, from its values
/// at the corners. A value of 0 is inside.
fn faces_of(corners: [DVec3; 4], values: [f64; 4], face: &mut dyn FnMut([DVec3; 3])) {
    let linear = LinearCut::new(corners, values);
    let cut = |i, j| linear.between(i, j);
    let [lowest, .., highest] = linear.corners();
    let out = highest - lowest;
    let mut give = |[a, b, c]: [DVec3; 3]| {
        let side = (b - a).cross(c - a).dot(out);
        if 0.0 < side {
            face([a, b, c]);
        } else if side < 0.0 {
            face([a, c, b]);
        }
    };
    match linear.n_inside() {
        1 => give([cut(0, 1), cut(0, 2), cut(0, 3)]),
        2 => {
            give([cut(0, 2), cut(0, 3), cut(1, 3)]);
            give([cut(0, 2), cut(1, 3), cut(1, 2)]);
        }
        3 => give([cut(0, 3), cut(1, 3), cut(2, 3)]),
        _ => {}
    }
}
