//! What has to hold for any bytes: the bodies of the fuzz targets.
#![forbid(unsafe_code)]

mod bytes;

use bytes::Bytes;
use carom_geom::{SupportMap, f64 as geom, tri_distance, tri_tri};
use carom_gjk::{GjkSettings, Outcome, f64 as gjk};
use carom_io::Format;
use carom_math::f64::Pose;
use std::path::Path;

/// A file of this format is refused, or gives parts whose triangles point at vertices that are there.
pub fn parse(bytes: &[u8], format: Format) {
    // A folder that does not exist: nothing that the file names is found.
    let path = Path::new("no-such-folder/input");
    match carom_io::parse(bytes, format, path) {
        Err(error) => {
            let line = error.to_string();
            assert!(!line.contains('\n'), "more than one line: {line:?}");
            assert!(line.len() < 2000, "a long line: {line:?}");
        }
        Ok(model) => {
            for (i, part) in model.parts.iter().enumerate() {
                assert!(
                    model.parts[..i].iter().all(|other| other.name != part.name),
                    "two parts {:?}",
                    part.name
                );
                let Ok(mesh) = part.world_mesh() else { continue };
                assert!(mesh.vertices.iter().all(|v| v.is_finite()));
                let n = mesh.vertices.len();
                assert!(mesh.triangles.iter().flatten().all(|&v| (v as usize) < n));
            }
        }
    }
}

/// Two triangles: the test is symmetric, and the distance is 0 exactly where it says yes.
pub fn triangles(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let a = [bytes.point(), bytes.point(), bytes.point()];
    let b = [bytes.point(), bytes.point(), bytes.point()];
    let meets = tri_tri::intersects(&a, &b);
    let closest = tri_distance::closest_points(&a, &b);
    if a.iter().chain(&b).all(|p| p.is_finite()) {
        assert_eq!(meets, tri_tri::intersects(&b, &a), "{a:?} {b:?}");
        assert_eq!(meets, tri_tri::intersects(&[a[1], a[2], a[0]], &[b[0], b[2], b[1]]), "{a:?} {b:?}");
        assert_eq!(meets, closest.distance == 0.0, "{a:?} {b:?} {closest:?}");
        assert!(!closest.distance.is_nan(), "{a:?} {b:?}");
    }
}

/// Two convex shapes: the answers are numbers, the bounds are in order, and the shapes may be exchanged.
pub fn convex(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let (Some(a), Some(b)) = (shape(&mut bytes), shape(&mut bytes)) else { return };
    let Ok(b_in_a) = Pose::try_new(bytes.rotation(), bytes.point()) else { return };
    let settings = GjkSettings::default();
    let signed = gjk::signed_distance(&*a, &*b, &b_in_a, &settings, None);
    assert!(!signed.distance.is_nan() && !signed.normal.is_nan(), "{signed:?}");
    assert!(signed.lower_bound <= signed.upper_bound || signed.upper_bound.is_nan(), "{signed:?}");
    let distance = gjk::distance(&*a, &*b, &b_in_a, &settings, None);
    assert!(0.0 <= distance.distance && distance.lower_bound <= distance.distance, "{distance:?}");
    let meets = gjk::intersects(&*a, &*b, &b_in_a, &settings, None).intersects;

    // What follows is compared to within rounding, which is relative to the size of the scene.
    let size = a.radius() + a.margin() + b.radius() + b.margin() + b_in_a.translation.length();
    if !(1e-100 < size && size < 1e100) {
        return;
    }
    let tolerance = 1e-6 * size;
    // Bounds hold whatever the outcome: what two searches know about the same pair cannot contradict.
    let mirrored = gjk::signed_distance(&*b, &*a, &b_in_a.inverse(), &settings, None);
    assert!(mirrored.lower_bound <= signed.upper_bound + tolerance, "{signed:?} {mirrored:?}");
    assert!(signed.lower_bound <= mirrored.upper_bound + tolerance, "{signed:?} {mirrored:?}");
    if signed.outcome == Outcome::Undecided || mirrored.outcome == Outcome::Undecided {
        return;
    }
    // A curved shape may end with bounds that are some way apart, and says so.
    let tolerance = tolerance + width(&signed) + width(&mirrored);
    if signed.distance.abs() > tolerance {
        assert_eq!(meets, signed.distance < 0.0, "{signed:?}");
    }
    assert!((distance.distance - signed.distance.max(0.0)).abs() <= tolerance, "{distance:?} {signed:?}");
    assert!((mirrored.distance - signed.distance).abs() <= tolerance, "{signed:?} {mirrored:?}");
}

/// How far apart the bounds are.
fn width(answer: &gjk::SignedDistance) -> f64 {
    answer.upper_bound - answer.lower_bound
}

/// A shape with the measures that the bytes give; `None` where its constructor refuses them.
fn shape(bytes: &mut Bytes<'_>) -> Option<Box<dyn SupportMap>> {
    Some(match bytes.byte() % 8 {
        0 => Box::new(geom::Sphere::new(bytes.float()).ok()?),
        1 => Box::new(geom::Capsule::new(bytes.float(), bytes.float()).ok()?),
        2 => Box::new(geom::Cuboid::new(bytes.point()).ok()?),
        3 => Box::new(geom::Cylinder::new(bytes.float(), bytes.float()).ok()?),
        4 => Box::new(geom::Cone::new(bytes.float(), bytes.float()).ok()?),
        5 => Box::new(geom::Ellipsoid::new(bytes.point()).ok()?),
        6 => Box::new(geom::Triangle::new(bytes.point(), bytes.point(), bytes.point()).ok()?),
        _ => Box::new(geom::Segment::new(bytes.point(), bytes.point()).ok()?),
    })
}
