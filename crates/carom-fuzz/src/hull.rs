//! Convex hulls of points.

use crate::bytes::Bytes;
use carom_geom::f64::{ConvexHull, FlatHull, HullError};
use carom_geom::{NO_VERTEX, SupportMap};
use carom_math::predicates::orient3d;
use glam::DVec3;

/// A hull is closed, and all points are below all faces. Refused points are flat or have a bad
/// coordinate.
pub fn hull(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let n = bytes.below(40);
    let mut points: Vec<DVec3> = Vec::with_capacity(n);
    for i in 0..n {
        // Points of a grid, points between two others, copies.
        let p = match bytes.byte() % 8 {
            0 if 1 < i => (points[bytes.below(i)] + points[bytes.below(i)]) * 0.5,
            1 if 0 < i => points[bytes.below(i)],
            2..=4 => {
                let b = bytes.byte();
                DVec3::new(f64::from(b % 4), f64::from(b / 4 % 4), f64::from(b / 16 % 4))
            }
            _ => bytes.point(),
        };
        points.push(p);
    }
    check(&points, &mut bytes);
    // The f32 twin on the rounded points.
    let rounded: Vec<glam::Vec3> = points.iter().map(|p| p.as_vec3()).collect();
    if let Ok(hull) = carom_geom::ConvexHull::from_points(&rounded) {
        let size = rounded.iter().map(|p| p.as_dvec3().abs().max_element()).fold(0.0, f64::max);
        for face in 0..hull.n_faces() as u32 {
            for p in &rounded {
                let height = hull.face_normal(face).dot(p.as_dvec3()) - hull.face_offset(face);
                assert!(height <= 32.0 * f64::from(f32::EPSILON) * size, "{height:e} {p} {rounded:?}");
            }
        }
    }
}

fn check(points: &[DVec3], bytes: &mut Bytes<'_>) {
    let is_good = |p: &DVec3| p.is_finite() && p.abs().max_element() <= carom_math::tol::MAX_LENGTH;
    let hull = match ConvexHull::from_points(points) {
        Ok(hull) => hull,
        Err(HullError::Empty) => return assert!(points.is_empty()),
        Err(HullError::NotFinite { point }) => return assert!(!points[point].is_finite()),
        Err(HullError::TooLarge { point }) => return assert!(!is_good(&points[point])),
        Err(HullError::Flat(flat)) => {
            let corners = match &flat {
                FlatHull::Point(p) => vec![*p],
                FlatHull::Segment(p, q) => vec![*p, *q],
                FlatHull::Polygon(corners) => corners.clone(),
            };
            assert!(corners.iter().all(|p| points.contains(p)), "{flat:?} {points:?}");
            // If products of coordinates leave the range of `f64`, signs are not exact.
            let sizes = || points.iter().flat_map(|p| p.abs().to_array()).filter(|x| 0.0 < *x);
            if sizes().fold(f64::INFINITY, f64::min) < 1e-60 || 1e60 < sizes().fold(0.0, f64::max) {
                return;
            }
            let range = sizes().fold(0.0, f64::max) / sizes().fold(f64::INFINITY, f64::min);
            for p in points.iter().filter(|_| range < 1e30) {
                for window in points.windows(3) {
                    assert_eq!(orient3d(window[0], window[1], window[2], *p), 0.0, "{flat:?} {points:?}");
                }
            }
            return;
        }
        Err(error) => panic!("{error:?} {points:?}"),
    };
    assert!(points.iter().all(is_good));
    let (n_vertices, n_edges, n_faces) = (hull.vertices().len(), hull.n_edges(), hull.n_faces());
    assert_eq!(n_vertices + n_faces, n_edges + 2, "{points:?}");
    assert!(hull.vertices().iter().all(|v| points.contains(v)), "{points:?}");
    let size = points.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
    let low = points.iter().fold(DVec3::INFINITY, |low, p| low.min(*p));
    let extent = points.iter().map(|p| (*p - low).max_element()).fold(0.0, f64::max);
    let tolerance = 64.0 * f64::EPSILON * size;
    for face in 0..n_faces as u32 {
        let (normal, offset) = (hull.face_normal(face), hull.face_offset(face));
        assert!((normal.length() - 1.0).abs() < 1e-12, "{normal} {points:?}");
        for p in points {
            let height = normal.dot(*p) - offset;
            assert!(height <= tolerance, "{height:e} above face {face}: {p} {points:?}");
        }
        for &vertex in hull.face_vertices(face) {
            let height = normal.dot(hull.vertices()[vertex as usize]) - offset;
            assert!(-tolerance <= height, "{height:e} below face {face} {points:?}");
        }
        for half_edge in hull.face_half_edges(face) {
            let edge = hull.half_edges()[half_edge as usize];
            let twin = hull.half_edges()[edge.twin as usize];
            assert_eq!((twin.twin, edge.face), (half_edge, face), "{points:?}");
            let end = hull.half_edges()[hull.next(half_edge) as usize].origin;
            assert_eq!(twin.origin, end, "{points:?}");
        }
    }
    assert!(hull.inscribed_center().is_finite() && 0.0 <= hull.inscribed_radius());
    // Support points, compared with a scan of every point.
    let map = hull.apex_map(u32::from(bytes.byte() % 12));
    for _ in 0..4 {
        let Some(direction) = bytes.point().try_normalize() else { continue };
        let highest = points.iter().map(|p| p.dot(direction)).fold(f64::NEG_INFINITY, f64::max);
        let fast = hull.support(direction);
        assert!(fast.vertex != NO_VERTEX && hull.vertex(fast.vertex) == Some(fast.point));
        let slack = hull.support_slack();
        assert!(highest - slack - tolerance <= fast.point.dot(direction), "{direction} {points:?}");
        let exact = hull.support_exact(direction, fast);
        assert!(highest - tolerance <= exact.point.dot(direction), "{direction} {extent} {points:?}");
        let mapped = hull.support_by(&map, direction);
        assert!(highest - tolerance <= mapped.point.dot(direction), "{direction} {extent} {points:?}");
        assert_eq!(hull.vertex(mapped.vertex), Some(mapped.point));
    }
}
