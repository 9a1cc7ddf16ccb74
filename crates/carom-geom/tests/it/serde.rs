//! Shapes written and read again: the same, and checked on the way in.

use carom_geom::{
    Capsule, Cone, ConvexHull, Cuboid, Cylinder, Ellipsoid, Frustum, HalfSpace, HeightField, HullSettings,
    Rounded, Segment, Sphere, TaperedCapsule, Tetrahedron, Triangle,
};
use carom_testkit::random::Random;
use core::fmt::Debug;
use glam::Vec3;
use serde::{Serialize, de::DeserializeOwned};

fn there_and_back<T: Serialize + DeserializeOwned + PartialEq + Debug>(shape: T) {
    let text = serde_json::to_string(&shape).unwrap();
    assert_eq!(serde_json::from_str::<T>(&text).unwrap(), shape, "{text}");
}

#[test]
fn shapes_are_what_they_were() {
    there_and_back(Sphere::new(0.3).unwrap());
    there_and_back(Capsule::new(0.3, 0.1).unwrap());
    there_and_back(TaperedCapsule::new(0.3, 0.1, 0.2).unwrap());
    there_and_back(Rounded::new(Cone::new(0.3, 0.1).unwrap(), 0.05).unwrap());
    there_and_back(Cuboid::new(Vec3::new(0.1, 2.0, 3.0)).unwrap());
    there_and_back(Cylinder::new(0.3, 0.1).unwrap());
    there_and_back(Cone::new(0.3, 0.1).unwrap());
    there_and_back(Ellipsoid::new(Vec3::new(0.1, 2.0, 3.0)).unwrap());
    there_and_back(HalfSpace::new(Vec3::Y).unwrap());
    there_and_back(Segment::new(Vec3::X, Vec3::Y).unwrap());
    there_and_back(Triangle::new(Vec3::X, Vec3::Y, Vec3::Z).unwrap());
    there_and_back(Frustum::new(0.5, 2.0, 1.0, 0.75).unwrap());
    there_and_back(Tetrahedron::new(Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z).unwrap());
    assert_eq!(serde_json::to_string(&Sphere::new(0.5).unwrap()).unwrap(), r#"{"radius":0.5}"#);
}

#[test]
fn oblique_half_spaces_are_what_they_were() {
    let mut random = Random::new(7);
    let mut n_changed = 0;
    for _ in 0..1000 {
        let half_space = HalfSpace::new(random.cube_point().as_vec3()).unwrap();
        there_and_back(half_space);
        n_changed += usize::from(HalfSpace::new(half_space.normal()).unwrap() != half_space);
    }
    // Their normals are not the same when they are normalised once more.
    assert!(0 < n_changed);
    let long: HalfSpace = serde_json::from_str(r#"{"normal":[0.0,3.0,0.0]}"#).unwrap();
    assert_eq!(long.normal(), Vec3::Y);
}

#[test]
fn height_fields_are_what_they_were() {
    let heights = vec![0.0, 1.0, 0.5, -0.25, 0.125, 2.0];
    let field = HeightField::new([3, 2], [0.5, 2.0], heights).unwrap();
    there_and_back(field.clone());
    there_and_back(field.with_holes(&[1]).unwrap());
}

#[test]
fn hulls_are_what_they_were() {
    let mut random = Random::new(5);
    for n in [4, 10, 50, 200] {
        let points: Vec<Vec3> = (0..n).map(|_| random.cube_point().as_vec3()).collect();
        let hull = ConvexHull::from_points(&points).unwrap();
        let text = serde_json::to_string(&hull).unwrap();
        let other: ConvexHull = serde_json::from_str(&text).unwrap();
        assert_eq!(hull.vertices(), other.vertices());
        assert!(hull.half_edges() == other.half_edges(), "hull of {n}");
    }
}

/// Hulls that another build from the same vertices would change: unmerged facets, and corners
/// removed by a large tolerance.
#[test]
fn r_hulls_keep_the_faces_of_their_settings() {
    let mut random = Random::new(6);
    let cube = (0..8).map(|k| Vec3::from([1, 2, 4].map(|bit| if k & bit == 0 { -1.0 } else { 1.0 })));
    let mut roof: Vec<Vec3> = cube.collect();
    roof.push(Vec3::new(0.0, 1.0 + 3e-7, 0.0));
    let pebble: Vec<Vec3> = (0..300).map(|_| random.cube_point().normalize().as_vec3()).collect();
    let mut n_others = 0;
    for (points, tolerance) in [(&roof, 0.0), (&roof, 3.0), (&pebble, 0.0), (&pebble, 1e4), (&pebble, 5e4)] {
        let settings = HullSettings::default().with_coplanar_tolerance(tolerance);
        let hull = ConvexHull::from_points_with(points, &settings).unwrap();
        let read: ConvexHull = serde_json::from_str(&serde_json::to_string(&hull).unwrap()).unwrap();
        assert_eq!(hull.vertices(), read.vertices(), "{tolerance}");
        assert!(hull.half_edges() == read.half_edges(), "{tolerance}");
        assert_eq!((hull.n_faces(), hull.settings()), (read.n_faces(), read.settings()));
        for face in 0..hull.n_faces() as u32 {
            assert_eq!(hull.face_normal(face), read.face_normal(face));
            assert_eq!(hull.face_offset(face), read.face_offset(face));
        }
        let built = ConvexHull::from_points(hull.vertices()).unwrap();
        n_others += u32::from(built.half_edges() != hull.half_edges());
    }
    assert!(3 <= n_others, "{n_others} of 5 hulls would be others");
}

/// JSON has no infinity and no NaN.
#[test]
fn r_hulls_of_any_tolerance_are_read_back() {
    let corners = (0..8).map(|k| Vec3::from([1, 2, 4].map(|bit| if k & bit == 0 { -1.0 } else { 1.0 })));
    let corners: Vec<Vec3> = corners.collect();
    for tolerance in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -1.0, f64::MAX] {
        let settings = HullSettings::default().with_coplanar_tolerance(tolerance);
        let hull = ConvexHull::from_points_with(&corners, &settings).unwrap();
        let read: ConvexHull = serde_json::from_str(&serde_json::to_string(&hull).unwrap()).unwrap();
        assert_eq!(hull.vertices(), read.vertices(), "{tolerance}");
        assert!(hull.half_edges() == read.half_edges(), "{tolerance}");
    }
}

/// Rings that leave a hole, overlap, cross, turn the wrong way, or name no vertex.
#[test]
fn faces_that_are_not_those_of_the_hull_are_refused() {
    let tetrahedron = |faces: &str| {
        let vertices = "[[0.0,0.0,0.0],[1.0,0.0,0.0],[0.0,1.0,0.0],[0.0,0.0,1.0]]";
        serde_json::from_str::<ConvexHull>(&format!(r#"{{"vertices":{vertices},"faces":{faces}}}"#))
    };
    let hull = tetrahedron("[[0,2,1],[0,1,3],[0,3,2],[1,2,3]]").unwrap();
    assert_eq!((hull.n_faces(), hull.settings()), (4, HullSettings::default()));
    assert!(tetrahedron("[]").unwrap().half_edges() == hull.half_edges());
    for faces in [
        "[[0,2,1],[0,1,3],[0,3,2]]",
        "[[0,2,1],[0,1,3],[0,3,2],[1,2,3],[1,2,3]]",
        "[[0,2,1],[0,1,3],[0,3,2],[1,3,2]]",
        "[[0,2,1],[0,1,3],[0,3,2],[1,2,4]]",
        "[[0,2,1],[0,1,3],[0,3,2],[1,2]]",
        "[[0,2,1,3],[0,3,2],[1,2,3]]",
        "[[0,2,1],[0,1,2]]",
        "[[0,1,2,3]]",
        "[[]]",
    ] {
        let error = tetrahedron(faces).unwrap_err();
        assert!(error.to_string().contains("the faces are not those"), "{faces}: {error}");
    }
    // A point inside is no vertex.
    let inside = r#"{"vertices":[[0.0,0.0,0.0],[1.0,0.0,0.0],[0.0,1.0,0.0],[0.0,0.0,1.0],[0.1,0.1,0.1]],
        "faces":[[0,2,1],[0,1,3],[0,3,2],[1,2,3]]}"#;
    assert!(serde_json::from_str::<ConvexHull>(inside).is_err());
}

#[test]
fn bad_shapes_are_refused() {
    let error = serde_json::from_str::<Sphere>(r#"{"radius":-1.0}"#).unwrap_err();
    assert!(error.to_string().contains("radius is negative"), "{error}");
    assert!(serde_json::from_str::<ConvexHull>(r#"{"vertices":[[0.0,0.0,0.0]]}"#).is_err());
    let error =
        serde_json::from_str::<Rounded<Sphere>>(r#"{"core":{"radius":1.0},"radius":-1.0}"#).unwrap_err();
    assert!(error.to_string().contains("radius is negative"), "{error}");
    let field = r#"{"n_x":2,"n_z":2,"spacing_x":1.0,"spacing_z":1.0,"heights":[0.0,0.0,0.0],"holes":[]}"#;
    let error = serde_json::from_str::<HeightField>(field).unwrap_err();
    assert!(error.to_string().contains("3 heights are not one for each sample"), "{error}");
    assert!(serde_json::from_str::<Cone>(r#"{"half_height":1.0}"#).is_err());
}
