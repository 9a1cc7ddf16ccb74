//! Queries of two shapes. Poses and answers are in the world frame.
//!
//! The relative pose is computed in `f64` ([`carom_math::WidePose`]). So bodies that are near each
//! other and far from the origin lose no precision. All else is computed in the frame of A.
//!
//! Degenerate: a pose with a NaN or an infinity. Nothing is proved, so the shapes count as not
//! apart: they intersect, and the answer of other queries is the undecided distance 0.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.3 and eq. 25.4.

use super::super::num::geom::ConvexHull;
use super::super::num::{Pose, Quat, Real, widen, widen_real};
use super::answer::{Distance, PairContact};
use super::mesh_shape::MeshShape;
use super::method::{ConvexMethod, Method, convex_method, method};
use super::shape::Shape;
use super::{closed_form, dispatch};
use crate::cost::{Count, Counting, QueryCost};
use crate::hull_pair;
use crate::manifold_cache::ManifoldCache;
use crate::mesh_mesh;
use crate::workspace::Workspace;
use alloc::vec::Vec;
use carom_math::WidePose;

/// Whether the two shapes share a point; touching counts.
///
/// A mesh is a surface: a shape wholly inside a closed mesh does not touch it.
pub fn intersects(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> bool {
    are_infinite(pose_a, pose_b) || dispatch::intersects(a, b, &relative(pose_a, pose_b), ())
}

/// [`intersects`], with its cost added to `cost`.
pub fn intersects_counted(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, cost: &mut QueryCost) -> bool {
    are_infinite(pose_a, pose_b) || dispatch::intersects(a, b, &relative(pose_a, pose_b), Counting::new(cost))
}

/// Returns the distance of two shapes, 0 if they share a point, and the two nearest points, in the
/// world frame.
///
/// Allocates working memory for two meshes. [`distance_with`] allocates only until its memory has
/// grown.
pub fn distance(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Distance {
    distance_with(a, pose_a, b, pose_b, &mut Workspace::default())
}

/// [`distance`] in memory that the caller keeps.
pub fn distance_with(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, memory: &mut Workspace) -> Distance {
    if are_infinite(pose_a, pose_b) {
        return Distance::UNDECIDED;
    }
    if let ConvexMethod::Hulls(a, b) = convex_method(a, b) {
        return distance_of_hulls(a, pose_a, b, pose_b, None, ());
    }
    let frames = frames(pose_a, pose_b);
    Distance::placed(&dispatch::distance(a, b, &frames.b_in_a, f64::INFINITY, memory, ()), &frames.a)
}

/// Returns the distance of two hulls.
///
/// The poses stay outside the kernel: with them inside, queries needed fewer instructions but were
/// about 8 % slower.
#[inline]
fn distance_of_hulls(
    a: &ConvexHull,
    pose_a: &Pose,
    b: &ConvexHull,
    pose_b: &Pose,
    cache: Option<&mut ManifoldCache>,
    count: impl Count,
) -> Distance {
    let frames = frames(pose_a, pose_b);
    Distance::placed(&hull_pair::distance(a, b, &frames.b_in_a, f64::INFINITY, cache, count), &frames.a)
}

/// [`distance_with`], with its cost added to `cost`.
pub fn distance_counted(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    memory: &mut Workspace,
    cost: &mut QueryCost,
) -> Distance {
    if are_infinite(pose_a, pose_b) {
        return Distance::UNDECIDED;
    }
    let frames = frames(pose_a, pose_b);
    let count = Counting::new(cost);
    Distance::placed(&dispatch::distance(a, b, &frames.b_in_a, f64::INFINITY, memory, count), &frames.a)
}

/// [`distance_with`] for a pair that is queried repeatedly while its bodies move little.
///
/// The search starts from the result of the last query: the features of hulls that were apart, else
/// the last simplex of GJK. Meshes and compounds gain nothing.
pub fn distance_cached(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    cache: &mut ManifoldCache,
    memory: &mut Workspace,
) -> Distance {
    if are_infinite(pose_a, pose_b) {
        return Distance::UNDECIDED;
    }
    if let ConvexMethod::Hulls(a, b) = convex_method(a, b) {
        return distance_of_hulls(a, pose_a, b, pose_b, Some(cache), ());
    }
    let Method::Convex(shapes) = method(a, b) else {
        return distance_with(a, pose_a, b, pose_b, memory);
    };
    let frames = frames(pose_a, pose_b);
    let closest = closed_form::distance(shapes, &frames.b_in_a, f64::INFINITY, Some(cache), ());
    Distance::placed(&closest, &frames.a)
}

/// Returns the deepest contact of two shapes, or their nearest points if they are apart. World
/// frame. `None` if they are farther apart than `prediction`, a length not below 0.
///
/// For convex shapes a negative distance is the penetration depth: the least translation that
/// separates them. For shapes that are not convex the depth may be local: see
/// [`PairContact::is_local`]. Two half-spaces that overlap have no finite depth: their distance is
/// minus infinity.
///
/// Allocates working memory for two meshes. [`contact_with`] allocates only until its memory has
/// grown.
pub fn contact(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, prediction: Real) -> Option<PairContact> {
    contact_with(a, pose_a, b, pose_b, prediction, &mut Workspace::default())
}

/// [`contact`] in memory that the caller keeps.
pub fn contact_with(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    prediction: Real,
    memory: &mut Workspace,
) -> Option<PairContact> {
    if are_infinite(pose_a, pose_b) {
        return Some(PairContact::UNDECIDED);
    }
    let frames = frames(pose_a, pose_b);
    let closest = dispatch::contact(a, b, &frames.b_in_a, widen_real(prediction), memory, ())?;
    Some(PairContact::placed(&closest, &frames.a))
}

/// [`contact_with`], with its cost added to `cost`.
pub fn contact_counted(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    prediction: Real,
    memory: &mut Workspace,
    cost: &mut QueryCost,
) -> Option<PairContact> {
    if are_infinite(pose_a, pose_b) {
        return Some(PairContact::UNDECIDED);
    }
    let frames = frames(pose_a, pose_b);
    let limit = widen_real(prediction);
    let closest = dispatch::contact(a, b, &frames.b_in_a, limit, memory, Counting::new(cost))?;
    Some(PairContact::placed(&closest, &frames.a))
}

/// Appends every pair of triangles of two meshes that share a point, touching included. The pairs
/// are sorted by A's number, then by B's.
///
/// The test is exact for A's corners and for B's corners moved into A's frame in `f64`. If the
/// poses are equal, the corners are not moved.
pub fn triangle_pairs(a: &MeshShape, pose_a: &Pose, b: &MeshShape, pose_b: &Pose, out: &mut Vec<(u32, u32)>) {
    mesh_mesh::triangle_pairs(a, b, &relative(pose_a, pose_b), out, ());
}

/// [`triangle_pairs`], with its cost added to `cost`.
pub fn triangle_pairs_counted(
    a: &MeshShape,
    pose_a: &Pose,
    b: &MeshShape,
    pose_b: &Pose,
    out: &mut Vec<(u32, u32)>,
    cost: &mut QueryCost,
) {
    mesh_mesh::triangle_pairs(a, b, &relative(pose_a, pose_b), out, Counting::new(cost));
}

/// Whether one of the poses has a NaN or an infinity.
#[inline]
pub(super) fn are_infinite(pose_a: &Pose, pose_b: &Pose) -> bool {
    !(pose_a.is_finite() && pose_b.is_finite())
}

/// Returns the pose of B in A's frame. Equal poses give the exact identity.
pub(super) fn relative(pose_a: &Pose, pose_b: &Pose) -> WidePose {
    frames(pose_a, pose_b).b_in_a
}

/// The frame of A, and the pose of B in it. They are one struct, because two values would be
/// copied.
pub(super) struct Frames {
    pub(super) a: WidePose,
    pub(super) b_in_a: WidePose,
}

/// Returns the frames of a pair. Equal poses give the exact identity.
#[inline(always)]
pub(super) fn frames(pose_a: &Pose, pose_b: &Pose) -> Frames {
    let mut frames = Frames::new(pose_a, pose_b);
    if pose_a == pose_b {
        frames.b_in_a = WidePose::IDENTITY;
    }
    frames
}

/// [`Pose::wide`] for a pose without rotation, such as that of a floor or a wall. Needs no
/// division.
#[inline(always)]
fn unturned(pose: &Pose) -> WidePose {
    WidePose { rotation: WidePose::IDENTITY.rotation, translation: widen(pose.translation) }
}

/// Returns a pose in `f64`; see [`unturned`].
#[inline(always)]
pub(super) fn wide(pose: &Pose) -> WidePose {
    if pose.rotation == Quat::IDENTITY { unturned(pose) } else { pose.wide() }
}

impl Frames {
    /// Returns the frames of a pair. Equal poses give the identity up to rounding.
    #[inline(always)]
    pub(super) fn new(pose_a: &Pose, pose_b: &Pose) -> Frames {
        let b = pose_b.wide();
        if pose_a.rotation == Quat::IDENTITY {
            // Products with the identity would give the same result.
            let a = unturned(pose_a);
            let translation = b.translation - a.translation;
            return Frames { a, b_in_a: WidePose { rotation: b.rotation, translation } };
        }
        let a = pose_a.wide();
        Frames { a, b_in_a: b.relative_to(&a) }
    }
}
