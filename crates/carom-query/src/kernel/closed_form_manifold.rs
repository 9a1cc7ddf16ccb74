//! Manifolds of pairs with a closed form: balls, capsules and boxes, except two boxes.
//!
//! The nearest or deepest point is the contact. A ball has one contact, and so has a capsule that
//! stands on an end or lies across an edge. If a capsule lies along a face or an edge, the two
//! features are clipped, as for other pairs.
//!
//! Balls and capsules are computed in the world frame, with only the needed axes of a rotation.
//! This takes a third of the time of clipping in A's frame: `benches/notes/carom-query.md`.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.1.3 and 5.1.9; E. Catto, Contact
//! Manifolds, GDC 2007.
//! Differs: capsules that are within a degree of parallel touch in two points.

use super::super::num::geom::{Capsule, Contact, Cuboid, Manifold, Sphere};
use super::super::num::sat::Chosen;
use super::super::num::{Real, narrow, narrow_real, widen_real};
use super::closed_form::{ball, half_of, stick};
use super::convex_manifold::{around, push_new};
use super::method::{ConvexMethod, RoundPair, convex_method};
use super::shape::Shape;
use crate::round_cores::{
    Cores, capsule_capsule, capsule_sphere, cuboid_capsule, cuboid_sphere, sphere_sphere,
};
use alloc::vec::Vec;
use carom_geom::{FeatureId, FeatureKind, SupportMap};
use carom_math::{WidePose, tol};
use glam::DVec3;

/// Appends the manifold of two shapes that are apart by at most `prediction`. Returns whether the
/// pair has a closed form. Both poses and the manifold are in one frame. Only the needed part of a
/// pose is computed.
#[inline]
pub(super) fn push(
    a: &Shape,
    wide_a: impl Fn() -> WidePose,
    b: &Shape,
    wide_b: impl Fn() -> WidePose,
    prediction: Real,
    out: &mut Vec<Manifold>,
) -> bool {
    let ConvexMethod::ClosedForm { pair, is_swapped } = convex_method(a, b) else { return false };
    let first = || if is_swapped { wide_b() } else { wide_a() };
    let second = || if is_swapped { wide_a() } else { wide_b() };
    let found = match pair {
        RoundPair::Spheres(a, b) => {
            let origin = first().translation;
            let cores = sphere_sphere(ball(a), ball(b), second().translation - origin);
            Touch::new(&cores, origin, |_| [FeatureId::UNKNOWN; 2])
        }
        RoundPair::CuboidSphere(a, b) => on_box(a, &first(), b, second().translation),
        RoundPair::CapsuleSphere(a, b) => on_capsule(a, &first(), b, second().translation),
        RoundPair::Capsules(a, b) => {
            let (first, second) = (first(), second());
            let (axis, along) = (first.rotation.y_axis, second.rotation.y_axis);
            let center = second.translation - first.translation;
            let cores = capsule_capsule(stick(a), axis, first.rotation.x_axis, stick(b), center, along);
            let touch = Touch::new(&cores, first.translation, |normal| {
                [capsule_feature(a, axis, normal), capsule_feature(b, along, -normal)]
            });
            let is_edge = |id: FeatureId| matches!(id.kind(), FeatureKind::Edge(_));
            if is_edge(touch.features[0])
                && is_edge(touch.features[1])
                && is_parallel(axis, along, cores.normal)
            {
                let b_in_a = second.relative_to(&first);
                let (center, along) = (b_in_a.translation, b_in_a.rotation.y_axis);
                let cores = capsule_capsule(stick(a), DVec3::Y, DVec3::X, stick(b), center, along);
                push_stretch(a, &first, b, &b_in_a, &cores, prediction, out, false);
                return true;
            }
            touch
        }
        RoundPair::CuboidCapsule(a, b) => {
            return push_box_capsule(a, &first(), b, &second(), prediction, out, is_swapped);
        }
    };
    let found = if is_swapped { found.swapped() } else { found };
    found.push_to(prediction, out);
    true
}

/// The single contact of two shapes, in the frame of the answer.
struct Touch {
    distance: f64,
    normal: DVec3,
    point_a: DVec3,
    point_b: DVec3,
    features: [FeatureId; 2],
}

impl Touch {
    /// Creates a touch from cores about an origin; `features` takes the normal.
    #[inline(always)]
    fn new(cores: &Cores, origin: DVec3, features: impl FnOnce(DVec3) -> [FeatureId; 2]) -> Touch {
        Touch {
            distance: cores.signed(),
            normal: cores.normal,
            point_a: origin + (cores.a + cores.normal * cores.margin_a),
            point_b: origin + (cores.b - cores.normal * cores.margin_b),
            features: features(cores.normal),
        }
    }

    /// Creates a touch from cores in A's frame.
    #[inline(always)]
    fn placed(cores: &Cores, frame: &WidePose, features: [FeatureId; 2]) -> Touch {
        Touch {
            distance: cores.signed(),
            normal: frame.transform_vector(cores.normal),
            point_a: frame.transform_point(cores.a + cores.normal * cores.margin_a),
            point_b: frame.transform_point(cores.b - cores.normal * cores.margin_b),
            features,
        }
    }

    /// Swaps A and B.
    #[inline(always)]
    fn swapped(self) -> Touch {
        Touch {
            distance: self.distance,
            normal: -self.normal,
            point_a: self.point_b,
            point_b: self.point_a,
            features: [self.features[1], self.features[0]],
        }
    }

    /// Appends the manifold, if the shapes are within `prediction`.
    #[inline(always)]
    fn push_to(self, prediction: Real, out: &mut Vec<Manifold>) {
        if !(self.distance <= widen_real(prediction) && self.normal.is_finite()) {
            return;
        }
        let normal = narrow(self.normal);
        let distance = narrow_real(self.distance);
        let contact = Contact::new(narrow(self.point_a), narrow(self.point_b), normal, distance);
        let manifold = push_new(normal, out);
        manifold.push(contact.with_features(self.features[0], self.features[1]));
    }
}

#[inline(always)]
fn on_box(a: &Cuboid, frame: &WidePose, b: &Sphere, center: DVec3) -> Touch {
    let cores = cuboid_sphere(half_of(a), ball(b), frame.inverse_transform_point(center));
    Touch::placed(&cores, frame, [a.feature_id(cores.normal), FeatureId::UNKNOWN])
}

#[inline(always)]
fn on_capsule(a: &Capsule, frame: &WidePose, b: &Sphere, center: DVec3) -> Touch {
    let axis = frame.rotation.y_axis;
    let cores = capsule_sphere(stick(a), axis, frame.rotation.x_axis, ball(b), center - frame.translation);
    Touch::new(&cores, frame.translation, |normal| [capsule_feature(a, axis, normal), FeatureId::UNKNOWN])
}

/// Returns the feature of a capsule along this axis that faces a plane with this outward normal.
#[inline(always)]
fn capsule_feature(capsule: &Capsule, axis: DVec3, normal: DVec3) -> FeatureId {
    capsule.feature_id(DVec3::new(0.0, axis.dot(normal), 0.0))
}

/// Whether two lines that rest on a plane with this normal touch along an interval.
#[inline]
fn is_parallel(along_a: DVec3, along_b: DVec3, normal: DVec3) -> bool {
    // The sine of the angle between the lines, seen along the normal, is small.
    let sine = along_a.cross(along_b).dot(normal);
    sine * sine <= tol::PARALLEL_EDGES_SQ
}

#[inline(always)]
fn push_box_capsule(
    a: &Cuboid,
    frame: &WidePose,
    b: &Capsule,
    wide_b: &WidePose,
    prediction: Real,
    out: &mut Vec<Manifold>,
    is_swapped: bool,
) -> bool {
    let center = frame.inverse_transform_point(wide_b.translation);
    let along = frame.inverse_transform_vector(wide_b.rotation.y_axis);
    let Some(cores) = cuboid_capsule(half_of(a), stick(b), center, along) else { return false };
    let normal = cores.normal;
    let features = [a.feature_id(normal), capsule_feature(b, along, -normal)];
    let is_stretch = match (features[0].kind(), features[1].kind()) {
        (FeatureKind::Face(_), FeatureKind::Edge(_)) => true,
        (FeatureKind::Edge(edge), FeatureKind::Edge(_)) => {
            // There are four edges along each axis.
            is_parallel(DVec3::AXES[(edge / 4) as usize % 3], along, normal)
        }
        _ => false,
    };
    if is_stretch {
        push_stretch(a, frame, b, &wide_b.relative_to(frame), &cores, prediction, out, is_swapped);
    } else {
        let touch = Touch::placed(&cores, frame, features);
        let touch = if is_swapped { touch.swapped() } else { touch };
        touch.push_to(prediction, out);
    }
    true
}

/// Appends the contacts of a capsule that lies along a face or an edge.
#[inline(never)]
fn push_stretch<A: SupportMap>(
    a: &A,
    frame: &WidePose,
    b: &Capsule,
    b_in_a: &WidePose,
    cores: &Cores,
    prediction: Real,
    out: &mut Vec<Manifold>,
    is_swapped: bool,
) {
    let Some(mut manifold) = around(a, b, b_in_a, &cores.closest(), prediction, &mut Chosen::new()) else {
        return;
    };
    if is_swapped {
        manifold = manifold.swapped();
    }
    manifold.transform(frame);
    out.push(manifold);
}
