//! A half-space against a shape of any kind. A half-space is given by its outward unit normal; its
//! plane goes through the origin of its frame.
//!
//! The support point against the normal is the point of a convex body that is nearest to the plane,
//! or deepest below it.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.2.3 (box against plane, by
//! support).

use crate::closest::Closest;
use crate::cost::Count;
use crate::spread::spread;
use carom_geom::{Feature, FeatureId, SupportMap};
use carom_math::WidePose;
use glam::DVec3;

/// Returns the point of a convex shape that is nearest to a half-space, or deepest in it.
pub(crate) fn closest_convex(
    normal: DVec3,
    b: &dyn SupportMap,
    b_in_a: &WidePose,
    count: impl Count,
) -> Closest {
    count.add(|cost| (cost.pair_tests, cost.supports) = (cost.pair_tests + 1, cost.supports + 1));
    let down = -b_in_a.inverse_transform_vector(normal);
    let lowest = b.support_exact(down, b.support(down));
    let point_b = b_in_a.transform_point(lowest.point) - normal * b.margin();
    on_plane(normal, point_b)
}

/// Returns the contact of the lowest of some points, given in A's frame; `None` without points. Its
/// `part_b` is the index of the point.
pub(crate) fn closest_points(normal: DVec3, points: impl Iterator<Item = DVec3>) -> Option<Closest> {
    let mut best: Option<(f64, DVec3, u32)> = None;
    for (number, point) in points.enumerate() {
        let height = normal.dot(point);
        if best.is_none_or(|(lowest, ..)| height < lowest) {
            best = Some((height, point, number as u32));
        }
    }
    best.map(|(_, point, number)| {
        let mut closest = on_plane(normal, point);
        closest.part_b = number;
        closest
    })
}

/// Returns the contact of two half-spaces. They overlap without bound unless their normals are
/// exactly opposite.
pub(crate) fn closest_half_space(
    normal_a: DVec3,
    normal_b: DVec3,
    b_in_a: &WidePose,
    count: impl Count,
) -> Closest {
    count.add_pair();
    let normal_b = b_in_a.transform_vector(normal_b);
    let sum = normal_a + normal_b;
    // Normals that are opposite up to rounding count as parallel planes: the gap is the same
    // everywhere.
    let rounding = 8.0 * f64::EPSILON;
    if sum.length_squared() <= rounding * rounding {
        return on_plane(normal_a, b_in_a.translation);
    }
    // The planes cross, or A and B lie on the same side of parallel planes: the depth has no
    // bound.
    let line = normal_a.cross(normal_b);
    let point = if line.length_squared() <= rounding * rounding {
        normal_a * normal_a.dot(b_in_a.translation).min(0.0)
    } else {
        // The point of the common line that is nearest to the origin of A.
        let height = normal_b.dot(b_in_a.translation);
        let across = line.cross(normal_a);
        across * (height / across.dot(normal_b))
    };
    Closest::new(f64::NEG_INFINITY, point, point, normal_a)
}

fn on_plane(normal: DVec3, point: DVec3) -> Closest {
    let height = normal.dot(point);
    Closest::new(height, point - normal * height, point, normal)
}

/// The most points of a feature and of a side together.
const MAX_NEAR: usize = carom_geom::MAX_FEATURE_POINTS + 2;

/// Reports points of a convex shape near a half-space: those of the feature that faces the plane,
/// and of the side that leans toward it. At most four are kept: the deepest, and those that span
/// the largest area. Each has its height above the plane, at most `limit`. `normal` is a unit
/// vector.
pub(crate) fn visit_contacts(
    normal: DVec3,
    b: &dyn SupportMap,
    b_in_a: &WidePose,
    limit: f64,
    mut contact: impl FnMut(f64, DVec3, FeatureId),
) {
    let down = -b_in_a.inverse_transform_vector(normal);
    let mut feature = Feature::new();
    b.feature(down, &mut feature);
    let mut near = [(0.0, DVec3::ZERO, FeatureId::UNKNOWN); MAX_NEAR];
    let mut n = 0;
    let mut collect = |feature: &Feature, margin: f64| {
        for (&point, &id) in feature.points().iter().zip(feature.ids()) {
            let point = b_in_a.transform_point(point) - normal * margin;
            let height = normal.dot(point);
            // A corner of a leaning side may already be in the list.
            if height <= limit && near[..n].iter().all(|(.., other)| *other != id) {
                near[n] = (height, point, id);
                n += 1;
            }
        }
    };
    collect(&feature, b.margin());
    if feature.points().len() < 3 && b.leaning_side(down, &mut feature) {
        collect(&feature, 0.0);
    }
    spread(&near[..n]).for_each(|index| {
        let (height, point, id) = near[index];
        contact(height, point, id);
    });
}
