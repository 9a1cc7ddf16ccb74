//! Contact manifolds of a signed distance field, in the stored precision.

use super::super::num::geom::{Contact, Manifold, TriMesh};
use super::super::num::{Real, narrow, narrow_real, widen_real};
use crate::cost::Count;
use crate::field_manifolds::{FieldManifolds, visit_manifolds};
use crate::field_pair::FieldOther;
use crate::workspace::Workspace;
use alloc::vec::Vec;
use carom_geom::{DistanceField, FeatureId};
use carom_math::WidePose;
use glam::DVec3;

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
    visit_manifolds(a, b, b_in_a, widen_real(prediction), &mut memory.touches, out, count);
    if let FieldOther::Mesh(_) = b {
        out[first..].sort_unstable_by_key(|manifold| manifold.contacts().first().map_or(0, |c| c.part_b));
    }
}

impl FieldManifolds for Vec<Manifold> {
    fn start(&mut self, normal: DVec3) {
        self.push(Manifold::new(narrow(normal)));
    }

    fn add(&mut self, [point_a, point_b]: [DVec3; 2], distance: f64, feature_b: FeatureId, part_b: u32) {
        let Some(manifold) = self.last_mut() else { return };
        let contact =
            Contact::new(narrow(point_a), narrow(point_b), manifold.normal(), narrow_real(distance));
        manifold.push(contact.with_features(FeatureId::UNKNOWN, feature_b).with_parts(0, part_b));
    }
}
