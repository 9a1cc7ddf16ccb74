//! Contact manifolds of a signed distance field: sample points of the other shape, one manifold for
//! each direction.
//!
//! - A convex shape contributes its deepest point, its vertices, and the feature that faces the
//!   field. It also contributes the field's local minima over that feature, and the ends of its
//!   core along its axes.
//! - Each point has the field's distance and gradient. Points with similar normals form a manifold.
//! - A mesh is handled triangle by triangle.
//! - A half-space or another field is tilted slightly in four directions. The nearest point of each
//!   tilted pose is a contact. So is a convex shape on a torus, which has no vertices. A torus that
//!   stands on its rim has one contact, so that it rolls.
//!
//! Reference: M. Macklin, K. Erleben, M. Mueller, N. Chentanez, S. Jeschke, Z. Corse, Local
//! Optimization for Robust Signed Distance Field Collision, PACMCGIT 3(1), 2020; G. van den Bergen,
//! Physics for Game Programmers: Contact Manifolds, GDC 2010 (the tilted shape).

use crate::cost::Count;
use crate::field_lows::visit_lows;
use crate::field_normals::normals_at;
use crate::field_pair::{FieldOther, FieldQuery};
use crate::manifold_sink::ManifoldSink;
use crate::spread::spread;
use crate::workspace::FieldTouch;
use alloc::vec::Vec;
use carom_geom::{Feature, FeatureId, MAX_FEATURE_POINTS, SupportMap, WideMesh};
use carom_math::ops::sin_cos;
use carom_math::scaling::{length, unit};
use carom_math::{WidePose, tol};
use glam::{DMat3, DQuat, DVec3};

/// Cosine of the largest angle between the normal of a manifold and that of a contact in it: 15
/// degrees.
const SAME_NORMAL_COSINE: f64 = 0.966;

/// In radians: the angle by which a shape is tilted.
const TILT: f64 = 1.0 / 32.0;

/// Cosine of the angle between the normal and the axis of a torus, 18 degrees. A torus that lies
/// flatter has contacts all around; any other stands on one point of its rim.
const FLAT_COSINE: f64 = 0.95;

/// In cells: points that are closer together count as one.
const SAME_POSITION: f64 = 1.0 / 64.0;

/// Reports the manifolds of a field and another shape, in the field's frame. Those of a mesh are
/// unsorted.
pub(crate) fn visit_manifolds<M: WideMesh>(
    query: &FieldQuery<'_, impl Count>,
    b: &FieldOther<'_, M>,
    touches: &mut Vec<FieldTouch>,
    out: &mut dyn ManifoldSink,
) {
    query.counted(b, |query, b| match b {
        FieldOther::Convex(b) => of_any_convex::<M>(query, *b, 0, touches, out),
        FieldOther::Mesh(b) => query.visit_triangles(b, |triangle, limit| {
            let query = &FieldQuery { limit, ..*query };
            of_any_convex::<M>(query, &b.mesh().triangle(triangle), triangle, touches, out);
            limit
        }),
        FieldOther::HalfSpace(_) | FieldOther::Field(_) => of_tilted(query, b, 0, touches, out),
    });
}

/// Collects the touches of a convex shape: of a tilted one for a torus.
fn of_any_convex<M: WideMesh>(
    query: &FieldQuery<'_, impl Count>,
    b: &dyn SupportMap,
    part_b: u32,
    touches: &mut Vec<FieldTouch>,
    out: &mut dyn ManifoldSink,
) {
    if query.field.ring().is_some() {
        of_tilted(query, &FieldOther::<M>::Convex(b), part_b, touches, out);
    } else {
        of_convex(query, b, part_b, touches, out);
    }
}

fn of_convex(
    query: &FieldQuery<'_, impl Count>,
    b: &dyn SupportMap,
    part_b: u32,
    touches: &mut Vec<FieldTouch>,
    out: &mut dyn ManifoldSink,
) {
    let FieldQuery { field: a, b_in_a, limit, .. } = *query;
    let Some(found) = query.nearest_convex(b) else { return };
    if !(found.closest.distance <= limit) {
        return;
    }
    touches.clear();
    let (closest, margin) = (found.closest, b.margin());
    let same_sq = (SAME_POSITION * a.resolution()) * (SAME_POSITION * a.resolution());
    let mut offer = |core: DVec3, feature: FeatureId| {
        let Some(sample) = a.sample(core) else { return };
        let distance = sample.distance - margin;
        if !(distance <= limit) || touches.iter().any(|t| (t.core - core).length_squared() <= same_sq) {
            return;
        }
        normals_at(a, core, &sample, |normal| touches.push(FieldTouch { distance, core, normal, feature }));
    };
    for (number, vertex) in (0..).map_while(|number| b.vertex(number).map(|vertex| (number, vertex))) {
        offer(b_in_a.transform_point(vertex), FeatureId::vertex(number));
    }
    let down = -b_in_a.inverse_transform_vector(closest.normal);
    let mut feature = Feature::new();
    b.feature(down, &mut feature);
    for (&point, &id) in feature.points().iter().zip(feature.ids()) {
        offer(b_in_a.transform_point(point), id);
    }
    b.feature_within(down, tol::INCIDENT_SINE, &mut feature);
    let mut corners = [DVec3::ZERO; MAX_FEATURE_POINTS];
    let corners = &mut corners[..feature.points().len()];
    for (corner, point) in corners.iter_mut().zip(feature.points()) {
        *corner = b_in_a.transform_point(*point);
    }
    visit_lows(a, corners, limit + margin, |core| offer(core, FeatureId::UNKNOWN));
    if b.vertex(0).is_none() {
        for axis in DVec3::AXES.into_iter().flat_map(|axis| [axis, -axis]) {
            offer(b_in_a.transform_point(b.support(axis).point), FeatureId::UNKNOWN);
        }
    }
    let core = closest.point_b + closest.normal * margin;
    if touches.iter().all(|t| same_sq < (t.core - core).length_squared()) {
        let (distance, normal, feature) = (closest.distance, closest.normal, FeatureId::UNKNOWN);
        touches.push(FieldTouch { distance, core, normal, feature });
    }
    push_groups(touches, margin, part_b, out);
}

/// Appends one manifold for each direction of the touches, the deepest first.
fn push_groups(touches: &mut Vec<FieldTouch>, margin: f64, part_b: u32, out: &mut dyn ManifoldSink) {
    touches.sort_unstable_by(|x, y| x.distance.total_cmp(&y.distance));
    while let Some(first) = touches.first().copied() {
        let mut group = [(0.0, DVec3::ZERO, FeatureId::UNKNOWN); MAX_GROUP];
        let mut n = 0;
        touches.retain(|touch| {
            let is_alike = SAME_NORMAL_COSINE <= touch.normal.dot(first.normal);
            if is_alike && n < MAX_GROUP {
                group[n] = (touch.distance, touch.core, touch.feature);
                n += 1;
            }
            !is_alike
        });
        let normal = first.normal;
        out.start(normal);
        for index in spread(&group[..n]) {
            let (distance, core, id) = group[index];
            let point_b = core - normal * margin;
            let point_a = point_b - normal * distance;
            out.add([point_a, point_b], distance, [0, part_b], [FeatureId::UNKNOWN, id]);
        }
        out.end();
    }
}

/// The most touches that are considered for one manifold: the deepest ones.
const MAX_GROUP: usize = 32;

/// Collects the touches of a half-space or of a field, or of any shape that is not a compound and
/// touches a torus.
fn of_tilted(
    query: &FieldQuery<'_, impl Count>,
    b: &FieldOther<'_, impl WideMesh>,
    part_b: u32,
    touches: &mut Vec<FieldTouch>,
    out: &mut dyn ManifoldSink,
) {
    let FieldQuery { field: a, b_in_a, limit, .. } = *query;
    let Some(found) = query.nearest(b) else { return };
    let (closest, normal) = (found.closest, found.closest.normal);
    if !(normal.is_finite() && normal != DVec3::ZERO) {
        return;
    }
    touches.clear();
    let feature = FeatureId::UNKNOWN;
    touches.push(FieldTouch { distance: closest.distance, core: closest.point_b, normal, feature });
    let [low, high] = a.bounds();
    let side = unit(normal.any_orthonormal_vector()).unwrap_or(DVec3::X);
    let axes = [side, normal.cross(side), -side, -normal.cross(side)];
    // The ring's axis is y.
    let stands = a.ring().is_some() && normal.y.abs() < FLAT_COSINE;
    for axis in axes.into_iter().filter(|_| !stands) {
        let (sine, cosine) = sin_cos(0.5 * TILT);
        let along = axis * sine;
        let turn = DMat3::from_quat(DQuat::from_xyzw(along.x, along.y, along.z, cosine));
        let pivot = closest.point_b;
        let tilted = WidePose {
            rotation: turn * b_in_a.rotation,
            translation: pivot + turn * (b_in_a.translation - pivot),
        };
        // Tilting may bring it nearer by this.
        let reach = limit + TILT * length(high - low);
        let moved = FieldQuery { b_in_a: &tilted, limit: reach, ..*query };
        let Some(pair) = moved.nearest(b) else { continue };
        let point_a = pair.closest.point_a;
        // Back to the original pose: for a plane the point above, for a field its own point.
        let point_b = match b {
            FieldOther::HalfSpace(_) => point_a + normal * normal.dot(pivot - point_a),
            _ => pivot + turn.transpose() * (pair.closest.point_b - pivot),
        };
        let distance = normal.dot(point_b - point_a);
        if distance <= limit
            && touches.iter().all(|t| SAME_POSITION * a.resolution() < length(t.core - point_b))
        {
            touches.push(FieldTouch { distance, core: point_b, normal, feature });
        }
    }
    push_groups(touches, 0.0, part_b, out);
}
