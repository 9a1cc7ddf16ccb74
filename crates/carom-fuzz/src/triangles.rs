//! Triangles, segments and points: exact tests are compared with exact arithmetic, and distances
//! with the tests.

use crate::bytes::Bytes;
use carom_geom::{segment_triangle, tri_distance, tri_intersection, tri_tri};
use carom_testkit::oracle::triangle as exact;
use glam::DVec3;

/// The range of sizes in which distances are tested. Beyond it, squares leave the range of `f64`.
const RANGE: (f64, f64) = (1e-60, 1e60);

/// For two triangles the intersection test is exact and symmetric, and the distance is 0 exactly
/// if they intersect.
pub fn triangles(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let is_slow = bytes.byte().is_multiple_of(8);
    let a = [bytes.point(), bytes.point(), bytes.point()];
    let b = [bytes.point(), bytes.point(), bytes.point()];
    let meets = tri_tri::intersects(&a, &b);
    let found = tri_distance::closest_points(&a, &b);
    let common = tri_intersection::intersection(&a, &b);
    if !a.iter().chain(&b).all(|p| p.is_finite()) {
        return;
    }
    let size = a.iter().chain(&b).map(|p| p.abs().max_element()).fold(0.0, f64::max);
    let context = || format!("{a:?} {b:?}");
    assert_eq!(meets, tri_tri::intersects(&b, &a), "{}", context());
    assert_eq!(meets, tri_tri::intersects(&[a[1], a[2], a[0]], &[b[0], b[2], b[1]]), "{}", context());
    assert_eq!(meets, found.distance == 0.0, "{} {found:?}", context());
    assert!(!found.distance.is_nan(), "{}", context());
    assert_eq!(meets, !common.points().is_empty(), "{} {common:?}", context());
    if is_slow && size < 1e20 {
        assert_eq!(meets, exact::hulls_meet(&a, &b), "{}", context());
        let segment = segment_triangle::segment_meets_triangle(&[a[0], a[1]], &b);
        assert_eq!(segment, exact::hulls_meet(&a[..2], &b), "segment {}", context());
        assert_eq!(
            segment_triangle::point_in_triangle(a[0], &b),
            exact::hulls_meet(&a[..1], &b),
            "{}",
            context()
        );
        let segments = segment_triangle::segments_meet(&[a[0], a[1]], &[b[0], b[1]]);
        assert_eq!(segments, exact::hulls_meet(&a[..2], &b[..2]), "{}", context());
    }
    if !(RANGE.0 < size && size < RANGE.1) {
        return;
    }
    let tolerance = 1e-13 * size;
    // A subset is not nearer than the whole, and no sampled point is nearer than the answer.
    let point = tri_distance::point_triangle(a[0], &b).distance;
    let segment = tri_distance::segment_triangle(&[a[0], a[1]], &b).distance;
    let segments = tri_distance::segment_segment(&[a[0], a[1]], &[b[0], b[1]]).distance;
    assert!(found.distance <= segment + tolerance, "{} {found:?} {segment}", context());
    assert!(
        segment <= point + tolerance && segment <= segments + tolerance,
        "{} {segment} {point}",
        context()
    );
    for i in 0..5 {
        let w =
            [[0.25, 0.25, 0.5], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0], [0.125, 0.75, 0.125], [0.0, 0.5, 0.5]][i];
        let at = |t: &[DVec3; 3]| t[0] * w[0] + t[1] * w[1] + t[2] * w[2];
        let between = at(&a).distance(at(&b));
        assert!(found.distance <= between + tolerance, "{} {found:?} {between}", context());
    }
}
