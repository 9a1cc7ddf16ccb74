//! Contact manifolds of a signed distance field, in the stored precision.

use super::super::num::geom::{Manifold, TriMesh};
use super::super::num::{Real, widen_real};
use super::convex_manifold::Within;
use crate::cost::Count;
use crate::field_manifolds::visit_manifolds;
use crate::field_pair::{FieldOther, FieldQuery};
use crate::workspace::Workspace;
use alloc::vec::Vec;
use carom_geom::DistanceField;
use carom_math::WidePose;

/// Appends the manifolds of a field and another shape, in the field's frame. Those of a mesh are
/// sorted by triangle.
pub(super) fn manifolds(
    a: &dyn DistanceField,
    b: &FieldOther<'_, TriMesh>,
    b_in_a: &WidePose,
    prediction: Real,
    memory: &mut Workspace,
    out: &mut Vec<Manifold>,
    count: impl Count,
) {
    let first = out.len();
    let within = &mut Within { prediction, out };
    let query = &FieldQuery::new(a, b_in_a, widen_real(prediction), count);
    visit_manifolds(query, b, &mut memory.touches, within);
    if let FieldOther::Mesh(_) = b {
        out[first..].sort_unstable_by_key(|manifold| manifold.contacts().first().map_or(0, |c| c.part_b));
    }
}
