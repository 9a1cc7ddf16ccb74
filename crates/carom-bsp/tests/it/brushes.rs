//! Brushes from planes: polygons at the right positions, and errors that name the fault.

use carom_bsp::{Brush, BrushError, Contents, SplitPlane};
use carom_testkit::oracle::brush::generated_level;
use carom_testkit::random::Random;
use glam::DVec3;

fn cube() -> Vec<SplitPlane> {
    [DVec3::X, DVec3::Y, DVec3::Z]
        .iter()
        .flat_map(|&n| [n, -n])
        .map(|normal| SplitPlane { normal, offset: 1.0 })
        .collect()
}

fn refused(planes: &[SplitPlane]) -> BrushError {
    Brush::from_planes(planes, Contents::SOLID).unwrap_err()
}

#[test]
fn faces_are_closed_polygons_in_their_planes() {
    for brush in generated_level(1, 300) {
        let mut edges: Vec<(DVec3, DVec3)> = Vec::new();
        for face in brush.faces() {
            for (i, &corner) in face.corners.iter().enumerate() {
                assert!(face.plane.height(corner).abs() < 1e-12 * brush.size());
                let next = face.corners[(i + 1) % face.corners.len()];
                let after = face.corners[(i + 2) % face.corners.len()];
                assert!(face.plane.normal.dot((next - corner).cross(after - next)) > 0.0, "not convex");
                edges.push((corner, next));
            }
        }
        // Each edge is traversed once in each direction.
        for (from, to) in &edges {
            let is_same = |a: &DVec3, b: &DVec3| (*a - *b).length() < 1e-9 * brush.size();
            let n = edges.iter().filter(|other| is_same(&other.0, to) && is_same(&other.1, from)).count();
            assert_eq!(n, 1);
        }
    }
}

#[test]
fn planes_that_do_nothing_do_no_harm() {
    let mut planes = cube();
    // A repeated plane, one far away, and one through a corner only.
    planes.push(planes[2]);
    planes.push(SplitPlane { normal: DVec3::ONE, offset: 40.0 });
    planes.push(SplitPlane { normal: DVec3::new(2.0, 2.0, 2.0), offset: 6.0 });
    let brush = Brush::from_planes(&planes, Contents::SOLID).unwrap();
    assert_eq!(brush.faces().len(), 6);
    assert!(brush.faces().iter().all(|face| face.corners.len() == 4 && face.number < 6));
}

#[test]
fn what_is_no_brush_is_refused_by_name() {
    let with = |i: usize, normal: DVec3, offset: f64| {
        let mut planes = cube();
        planes[i] = SplitPlane { normal, offset };
        planes
    };
    assert_eq!(refused(&with(3, DVec3::NAN, 1.0)), BrushError::NotFinite(3));
    assert_eq!(refused(&with(4, DVec3::X, f64::INFINITY)), BrushError::NotFinite(4));
    assert_eq!(refused(&with(5, DVec3::X, 2e12)), BrushError::NotFinite(5));
    assert_eq!(refused(&with(2, DVec3::ZERO, 1.0)), BrushError::NoNormal(2));
    assert!(matches!(refused(&cube()[..5]), BrushError::Open(_)));
    assert!(matches!(refused(&cube()[..2]), BrushError::Open(_)));
    assert_eq!(refused(&[]), BrushError::Empty);
    assert_eq!(refused(&with(1, -DVec3::X, -1.0)), BrushError::Empty);
    assert_eq!(refused(&with(1, -DVec3::X, -2.0)), BrushError::Empty);
    assert_eq!(Brush::from_planes(&cube(), Contents::empty()), Err(BrushError::NoContents));
    assert_eq!(BrushError::Open(4).to_string(), "the brush is open: the face of plane 4 has no end");
}

#[test]
fn size_and_position_do_not_matter() {
    let mut random = Random::new(3);
    for exponent in [-60, -20, 0, 20, 30] {
        let scale = f64::from(exponent).exp2();
        let mut planes = cube();
        planes.push(SplitPlane { normal: random.cube_point(), offset: 0.1 });
        let small = Brush::from_planes(&planes, Contents::SOLID).unwrap();
        for plane in &mut planes {
            plane.offset *= scale;
        }
        let large = Brush::from_planes(&planes, Contents::SOLID).unwrap();
        let scaled: Vec<DVec3> = small.corners().map(|p| p * scale).collect();
        assert_eq!(large.corners().collect::<Vec<_>>(), scaled, "2^{exponent}");
    }
}
