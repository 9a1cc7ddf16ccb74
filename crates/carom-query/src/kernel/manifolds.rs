//! Contact manifolds of any pair: what a solver rests bodies on.
//!
//! Balls and capsules by closed forms, boxes by separating axes; every other convex pair by GJK and
//! EPA, then clipping of the two features that face each other; half-spaces by the feature that
//! faces them; meshes and compounds part by part, one manifold for each; fields by places of the
//! other shape, one manifold for each direction.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.3; E. Catto, Contact
//! Manifolds, GDC 2007.

use super::super::num::geom::{Contact, FeatureId, HalfSpace, Manifold};
use super::super::num::sat::{Chosen, Witness, box_box, feature_walk::Places, manifold_from_normal_with};
use super::super::num::{Pose, Real, Vec3, narrow, narrow_real, widen, widen_real};
use super::pair::{Frames, wide};
use super::shape::{Kind, Shape};
use super::{compound::Compound, field_manifolds, mesh_convex, mesh_mesh, round_pair, special};
use crate::closest::Closest;
use crate::cost::{Count, Counting, QueryCost};
use crate::workspace::Workspace;
use alloc::vec::Vec;
use carom_geom::{Feature, SupportMap};
use carom_gjk::GjkCache;
use carom_math::WidePose;
use glam::DVec3;

/// What one query leaves behind for the next one on the same pair; keep one per pair, in either
/// order of the two.
///
/// A pair of convex shapes that could have more than four contacts keeps those that it had, while
/// none that is left out is deeper by more than an eighth of the prediction. With a new cache the
/// deepest is always there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ManifoldCache {
    pub(super) gjk: GjkCache,
    /// Of hulls that were apart: where the walk on their features ended.
    #[cfg_attr(feature = "serde", serde(default))]
    pub(super) places: Option<Places>,
    /// Which contacts were kept of many.
    #[cfg_attr(feature = "serde", serde(default))]
    pub(super) chosen: Chosen,
}

impl ManifoldCache {
    /// Knows nothing yet.
    pub const fn new() -> ManifoldCache {
        ManifoldCache { gjk: GjkCache::new(), places: None, chosen: Chosen::new() }
    }
}

/// Appends the manifolds of two shapes that are apart by at most `prediction`: none, one, or, for
/// meshes and compounds, one for every pair of parts that touch. World frame, normals from A to B.
///
/// A negative distance of a contact is how deep it is. Feature ids are the same again while the
/// same features touch.
///
/// Allocates where meshes meet meshes; [`manifolds_with`] does not, but for what `out` takes.
pub fn manifolds(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    prediction: Real,
    cache: &mut ManifoldCache,
    out: &mut Vec<Manifold>,
) {
    if !push_convex(a, pose_a, b, pose_b, prediction, cache, out, ()) {
        push_any(a, pose_a, b, pose_b, prediction, cache, &mut Workspace::default(), out, ());
    }
}

/// [`manifolds`] in memory that the caller keeps; it may be the same for all pairs.
pub fn manifolds_with(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    prediction: Real,
    cache: &mut ManifoldCache,
    memory: &mut Workspace,
    out: &mut Vec<Manifold>,
) {
    if !push_convex(a, pose_a, b, pose_b, prediction, cache, out, ()) {
        push_any(a, pose_a, b, pose_b, prediction, cache, memory, out, ());
    }
}

/// [`manifolds_with`], with its cost added to `cost`: the search for the places, not the clipping.
pub fn manifolds_counted(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    prediction: Real,
    cache: &mut ManifoldCache,
    memory: &mut Workspace,
    out: &mut Vec<Manifold>,
    cost: &mut QueryCost,
) {
    let count = Counting::new(cost);
    if !push_convex(a, pose_a, b, pose_b, prediction, cache, out, count) {
        push_any(a, pose_a, b, pose_b, prediction, cache, memory, out, count);
    }
}

/// Appends the manifold of two convex shapes, which needs no memory, and says whether they are
/// that.
#[inline]
fn push_convex(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    prediction: Real,
    cache: &mut ManifoldCache,
    out: &mut Vec<Manifold>,
    count: impl Count,
) -> bool {
    if round_pair::push(a, || wide(pose_a), b, || wide(pose_b), prediction, out) {
        count.add_pair();
        return true;
    }
    let (Kind::Convex(map_a), Kind::Convex(map_b)) = (a.kind(), b.kind()) else { return false };
    let frames = Frames::new(pose_a, pose_b);
    if push_convex_pair(a, map_a, b, map_b, &frames.b_in_a, prediction, cache, out, count)
        && let Some(manifold) = out.last_mut()
    {
        place(manifold, &frames.a);
    }
    true
}

/// Appends the manifolds of two shapes of any kind.
fn push_any(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    prediction: Real,
    cache: &mut ManifoldCache,
    memory: &mut Workspace,
    out: &mut Vec<Manifold>,
    count: impl Count,
) {
    let frames = Frames::new(pose_a, pose_b);
    let first = out.len();
    collect(a, b, &frames.b_in_a, prediction, cache, memory, out, count);
    for manifold in &mut out[first..] {
        place(manifold, &frames.a);
    }
}

/// [`manifolds`] in A's frame.
fn collect(
    a: &Shape,
    b: &Shape,
    b_in_a: &WidePose,
    prediction: Real,
    cache: &mut ManifoldCache,
    memory: &mut Workspace,
    out: &mut Vec<Manifold>,
    count: impl Count,
) {
    match (a.kind(), b.kind()) {
        (Kind::Convex(map_a), Kind::Convex(map_b)) => {
            if round_pair::push(a, || WidePose::IDENTITY, b, || *b_in_a, prediction, out) {
                count.add_pair();
            } else {
                push_convex_pair(a, map_a, b, map_b, b_in_a, prediction, cache, out, count);
            }
        }
        (Kind::HalfSpace(a), Kind::Convex(b)) => out.extend(on_half_space(a, b, b_in_a, prediction, count)),
        // Two half-spaces overlap without end or not at all: there is nothing to rest on.
        (Kind::HalfSpace(_), Kind::HalfSpace(_)) => {}
        (Kind::Mesh(a), Kind::Convex(b)) => mesh_convex::manifolds(a, b, b_in_a, prediction, out, count),
        (Kind::Mesh(a), Kind::Mesh(b)) => mesh_mesh::manifolds(a, b, b_in_a, prediction, memory, out, count),
        (Kind::HalfSpace(a), Kind::Mesh(b)) => {
            mesh_convex::on_half_space(a, b, b_in_a, prediction, out, count)
        }
        (Kind::Field(a), Kind::Convex(_) | Kind::HalfSpace(_) | Kind::Mesh(_) | Kind::Field(_)) => {
            field_manifolds::manifolds(a, &b.kind(), b_in_a, prediction, memory, out, count);
        }
        (Kind::Compound(a), _) => parts(a, b, b_in_a, prediction, memory, out, count),
        (Kind::Convex(_), Kind::HalfSpace(_) | Kind::Mesh(_) | Kind::Field(_) | Kind::Compound(_))
        | (Kind::HalfSpace(_), Kind::Field(_) | Kind::Compound(_))
        | (Kind::Mesh(_), Kind::HalfSpace(_) | Kind::Field(_) | Kind::Compound(_))
        | (Kind::Field(_), Kind::Compound(_)) => {
            let first = out.len();
            let a_in_b = b_in_a.inverse();
            collect(b, a, &a_in_b, prediction, cache, memory, out, count);
            for manifold in &mut out[first..] {
                *manifold = manifold.swapped();
                place(manifold, b_in_a);
            }
        }
    }
}

/// One convex pair, not of those in [`round_pair`], in A's frame; says whether there is a manifold.
fn push_convex_pair(
    a: &Shape,
    map_a: &dyn SupportMap,
    b: &Shape,
    map_b: &dyn SupportMap,
    b_in_a: &WidePose,
    prediction: Real,
    cache: &mut ManifoldCache,
    out: &mut Vec<Manifold>,
    count: impl Count,
) -> bool {
    if let (Shape::Cuboid(a), Shape::Cuboid(b)) = (a, b) {
        // Written where it stays: it is long, and a vector read where numbers were just written
        // waits for them.
        let manifold = push_new(Vec3::ZERO, out);
        count.add_pair();
        let found = box_box::write_manifold_counted(
            a.half_extents(),
            b.half_extents(),
            b_in_a,
            prediction,
            &mut cache.chosen,
            manifold,
            count,
        );
        if !found {
            out.pop();
        }
        return found;
    }
    let closest = special::signed(a, map_a, b, map_b, b_in_a, widen_real(prediction), Some(cache), count);
    let manifold = around(map_a, map_b, b_in_a, &closest, prediction, &mut cache.chosen);
    let found = manifold.is_some();
    out.extend(manifold);
    found
}

/// A manifold without contacts at the end of the list, to be filled there.
#[inline(always)]
pub(super) fn push_new(normal: Vec3, out: &mut Vec<Manifold>) -> &mut Manifold {
    let place = out.len();
    out.push(Manifold::new(normal));
    &mut out[place]
}

/// The contacts around the nearest or deepest points of two convex shapes; of many, those `chosen`
/// the last time.
pub(super) fn around<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    b_in_a: &WidePose,
    closest: &Closest,
    prediction: Real,
    chosen: &mut Chosen,
) -> Option<Manifold> {
    if !(closest.distance <= widen_real(prediction)) {
        return None;
    }
    let witness = Witness {
        normal: narrow(closest.normal),
        distance: narrow_real(closest.distance),
        point_a: narrow(closest.point_a),
        point_b: narrow(closest.point_b),
    };
    let manifold = manifold_from_normal_with(a, b, b_in_a, &witness, prediction, chosen);
    (!manifold.is_empty()).then_some(manifold)
}

/// The points of a feature and of a side.
const MAX_NEAR: usize = carom_geom::MAX_FEATURE_POINTS + 2;

/// The points of the feature that faces the plane and of the side that leans toward it, at most
/// four of them: the deepest and those that span most.
pub(super) fn on_half_space(
    a: &HalfSpace,
    b: &dyn SupportMap,
    b_in_a: &WidePose,
    prediction: Real,
    count: impl Count,
) -> Option<Manifold> {
    count.add_pair();
    let normal = a.normal_wide();
    let down = -b_in_a.inverse_transform_vector(normal);
    let mut feature = Feature::new();
    b.feature(down, &mut feature);
    let mut near = [(0.0, DVec3::ZERO, FeatureId::UNKNOWN); MAX_NEAR];
    let mut n = 0;
    let mut collect = |feature: &Feature, margin: f64| {
        for (&point, &id) in feature.points().iter().zip(feature.ids()) {
            let point = b_in_a.transform_point(point) - normal * margin;
            let height = normal.dot(point);
            // A corner of a leaning side may be here already.
            if height <= widen_real(prediction) && near[..n].iter().all(|(.., other)| *other != id) {
                near[n] = (height, point, id);
                n += 1;
            }
        }
    };
    collect(&feature, b.margin());
    if feature.points().len() < 3 && b.leaning_side(down, &mut feature) {
        collect(&feature, 0.0);
    }
    if n == 0 {
        return None;
    }
    let mut manifold = Manifold::new(narrow(normal));
    for index in spread(&near[..n]) {
        let (height, point, id) = near[index];
        let contact =
            Contact::new(narrow(point - normal * height), narrow(point), narrow(normal), narrow_real(height));
        manifold.push(contact.with_features(FeatureId::UNKNOWN, id));
    }
    Some(manifold)
}

/// Up to four of the points: the deepest, the one farthest from it, and the farthest from their
/// line on either side.
pub(super) fn spread(points: &[(f64, DVec3, FeatureId)]) -> impl Iterator<Item = usize> {
    let mut chosen = [usize::MAX; 4];
    if points.len() <= 4 {
        for (index, slot) in chosen.iter_mut().enumerate().take(points.len()) {
            *slot = index;
        }
    } else {
        let least = |key: &dyn Fn(usize) -> f64| {
            (0..points.len()).fold(0, |best, i| if key(i) < key(best) { i } else { best })
        };
        let first = least(&|i| points[i].0);
        let origin = points[first].1;
        let second = least(&|i| -(points[i].1 - origin).length_squared());
        let line = points[second].1 - origin;
        let center = points.iter().fold(DVec3::ZERO, |sum, p| sum + p.1) / points.len() as f64;
        // Any vector that is not along the line serves to tell its two sides apart in the plane of
        // the feature.
        let up = line.cross(center - origin);
        let side = |i: usize| line.cross(points[i].1 - origin).dot(up);
        chosen = [first, second, least(&|i| -side(i)), least(&|i| side(i))];
        for i in 1..4 {
            if chosen[..i].contains(&chosen[i]) {
                chosen[i] = usize::MAX;
            }
        }
    }
    chosen.into_iter().filter(|&index| index != usize::MAX)
}

/// Every part of a compound near B.
fn parts(
    a: &Compound,
    b: &Shape,
    b_in_a: &WidePose,
    prediction: Real,
    memory: &mut Workspace,
    out: &mut Vec<Manifold>,
    count: impl Count,
) {
    let reach = b.placed_box(b_in_a).inflated(carom_math::rounding::up(widen_real(prediction)));
    for (part, pose, first_number) in a.near(reach, count) {
        let first = out.len();
        // Many pairs of parts share the one cache of the bodies: each starts cold.
        let mut cache = ManifoldCache::new();
        collect(part, b, &b_in_a.relative_to(pose), prediction, &mut cache, memory, out, count);
        for manifold in &mut out[first..] {
            place(manifold, pose);
            for contact in manifold.contacts_mut() {
                contact.part_a = contact.part_a.saturating_add(first_number);
            }
        }
    }
}

/// Moves the manifold out of the frame that `frame` places.
pub(super) fn place(manifold: &mut Manifold, frame: &WidePose) {
    manifold.set_normal(narrow(frame.transform_vector(widen(manifold.normal()))));
    for contact in manifold.contacts_mut() {
        contact.point_a = narrow(frame.transform_point(widen(contact.point_a)));
        contact.point_b = narrow(frame.transform_point(widen(contact.point_b)));
    }
}
