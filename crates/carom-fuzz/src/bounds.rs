//! Bounding volumes: a volume contains its points after each operation, and volumes that are
//! reported as apart are apart.

use crate::bytes::Bytes;
use carom_bounds::{Aabb, BoundingVolume, KDop, Lss, Obb, Rss, Slabs, Sphere};
use carom_math::WidePose;
use glam::{DVec3, Vec3};

/// Every kind of volume contains the points it is made from, merged, inflated and placed.
pub fn bounds(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let kind = bytes.below(9);
    let set =
        |bytes: &mut Bytes<'_>| -> Vec<Vec3> { (0..bytes.below(10)).map(|_| bytes.point_f32()).collect() };
    let (a, b) = (set(&mut bytes), set(&mut bytes));
    let pose = WidePose::from_quat(bytes.rotation(), bytes.point());
    let margin = bytes.float() as f32;
    match kind {
        0 => check::<Aabb>(&a, &b, &pose, margin),
        1 => check::<Sphere>(&a, &b, &pose, margin),
        2 => check::<Obb>(&a, &b, &pose, margin),
        3 => check::<Rss>(&a, &b, &pose, margin),
        4 => check::<Lss>(&a, &b, &pose, margin),
        5 => dop::<14>(&a, &b, &pose, margin),
        6 => dop::<18>(&a, &b, &pose, margin),
        7 => dop::<26>(&a, &b, &pose, margin),
        _ => dop::<6>(&a, &b, &pose, margin),
    }
}

fn of_point<V: BoundingVolume>(p: DVec3) -> V {
    V::from_aabb(&Aabb::around(p, p))
}

fn contains<V: BoundingVolume>(volume: &V, points: &[Vec3], what: &str) {
    for p in points {
        assert!(volume.overlaps(&of_point(p.as_dvec3())), "{what} {volume:?} lost {p}");
        assert_eq!(volume.distance_lower_bound(&of_point(p.as_dvec3())), 0.0, "{what} {volume:?} {p}");
        assert!(volume.to_aabb().contains_point(*p), "the box of {what} {volume:?} lost {p}");
    }
}

/// Checks that centre, sizes and key are not NaN. Sizes may be infinite.
fn measured<V: BoundingVolume>(volume: &V) {
    assert!(volume.center().is_finite(), "{volume:?}");
    let is_measured = 0.0 <= volume.surface_area() && 0.0 <= volume.volume() && !volume.size_key().is_nan();
    assert!(is_measured, "{volume:?} {} {}", volume.surface_area(), volume.volume());
}

/// Checks that a placed volume contains the placed points. A pose with NaN has no requirement.
fn check_placed<V: BoundingVolume>(volume: V, placed: V, inside: &[Vec3], pose: &WidePose) {
    if inside.is_empty() {
        return assert_eq!(placed, V::EMPTY, "{volume:?}");
    }
    if !(pose.rotation.is_finite() && pose.translation.is_finite()) {
        return assert_eq!(placed, V::EVERYTHING, "{volume:?} by {pose:?}");
    }
    measured(&placed);
    for p in inside {
        let p = pose.transform_point(p.as_dvec3());
        assert!(placed.overlaps(&of_point(p)), "placed {placed:?} lost {p}");
    }
}

fn dop<const K: usize>(a: &[Vec3], b: &[Vec3], pose: &WidePose, margin: f32)
where
    KDop<K>: Slabs,
{
    check::<KDop<K>>(a, b, pose, margin);
    if a.iter().all(|p| p.is_finite()) {
        let volume = KDop::<K>::from_points(a);
        check_placed(volume, volume.placed_loosely(pose), a, pose);
        assert!(a.iter().all(|p| volume.contains_point(*p)), "{volume:?} {a:?}");
    }
}

fn check<V: BoundingVolume>(a: &[Vec3], b: &[Vec3], pose: &WidePose, margin: f32) {
    let (va, vb) = (V::from_points(a), V::from_points(b));
    if !a.iter().all(|p| p.is_finite()) {
        assert_eq!(va, V::EVERYTHING, "{a:?}");
        return;
    }
    contains(&va, a, "the volume");
    measured(&va);
    let around = a.iter().fold(Aabb::EMPTY, |all, p| all.merged(&Aabb::from_point(*p)));
    contains(&V::from_aabb(&around), a, "the volume of the box");
    let inflated = va.inflated(margin);
    contains(&inflated, a, "the inflated");
    if a.is_empty() {
        assert_eq!(va, V::EMPTY);
    } else if 0.0 < margin && margin < 1e30 {
        for axis in DVec3::AXES {
            let p = a[0].as_dvec3() + axis * f64::from(margin);
            assert!(inflated.overlaps(&of_point(p)), "{inflated:?} lost {p}");
        }
    }
    check_placed(va, va.placed(pose), a, pose);
    if !b.iter().all(|p| p.is_finite()) {
        return;
    }
    let merged = va.merged(&vb);
    contains(&merged, a, "the merged");
    contains(&merged, b, "the merged");
    measured(&merged);
    assert_eq!(va.overlaps(&vb), vb.overlaps(&va), "{va:?} {vb:?}");
    let bound = va.distance_lower_bound(&vb);
    assert!(0.0 <= bound && (bound == 0.0 || !va.overlaps(&vb)), "{bound} {va:?} {vb:?}");
    for p in a {
        for q in b {
            // Beyond this, squares leave the range of `f64`.
            let apart = p.as_dvec3().distance(q.as_dvec3());
            assert!(f64::from(bound) <= apart, "{bound} above {apart}: {va:?} {vb:?}");
        }
    }
    assert!(!a.iter().any(|p| b.contains(p)) || va.overlaps(&vb), "{va:?} {vb:?} share a point");
}
