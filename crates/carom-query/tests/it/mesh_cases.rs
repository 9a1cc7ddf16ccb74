//! Mesh against mesh: published pairs with exact answers. Points and rays under odd poses and at
//! the ends of the range.

use carom_geom::f64::TriMesh;
use carom_math::f64::Pose;
use carom_query::f64::{MeshShape, Shape, distance, intersects, triangle_pairs};
use carom_testkit::meshes::MeshData;
use carom_testkit::{data, meshes};
use glam::{DVec3, dvec3};
use serde_json::Value;
use std::sync::Arc;

/// The vertices times a scale, then moved by a row-major 4x4 matrix, each operation rounded once.
fn placed(mesh: &MeshData, scale: f64, pose: Option<&Value>) -> Arc<MeshShape> {
    let m: Option<Vec<f64>> =
        pose.map(|p| p.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect());
    let position_of = |p: &DVec3| {
        let p = *p * scale;
        let Some(m) = &m else { return p };
        let row = |i: usize| ((m[i] * p.x + m[i + 1] * p.y) + m[i + 2] * p.z) + m[i + 3];
        dvec3(row(0), row(4), row(8))
    };
    let vertices = mesh.vertices.iter().map(position_of).collect();
    Arc::new(MeshShape::new(TriMesh::new(vertices, mesh.indices.clone()).unwrap()).unwrap())
}

/// The numbers of triangle pairs, the yes or no, and the distance, against those of the file; how
/// far the distance is off.
fn check(label: &str, a: &Arc<MeshShape>, b: &Arc<MeshShape>, expected: &Value, size: f64) -> f64 {
    let here = Pose::IDENTITY;
    let mut pairs = Vec::new();
    triangle_pairs(a, &here, b, &here, &mut pairs);
    assert_eq!(pairs.len() as u64, expected["tri_pairs_exact"].as_u64().unwrap(), "{label}");
    assert!(pairs.is_sorted(), "{label}");
    if let Some(some) = expected["some_pairs"].as_array() {
        for pair in some {
            let pair = (pair[0].as_u64().unwrap() as u32, pair[1].as_u64().unwrap() as u32);
            assert!(pairs.binary_search(&pair).is_ok(), "{label}: {pair:?}");
        }
    }
    let (shape_a, shape_b) = (Shape::Mesh(a.clone()), Shape::Mesh(b.clone()));
    let yes = expected["intersect_exact"].as_bool().unwrap();
    assert_eq!(intersects(&shape_a, &here, &shape_b, &here), yes, "{label}");
    let got = distance(&shape_a, &here, &shape_b, &here);
    assert_eq!(got.distance == 0.0, yes, "{label}");
    let error = (got.distance - expected["distance_numpy"].as_f64().unwrap()).abs() / size;
    assert!(error <= 1e-9, "{label}: {error:e} of the size off");
    error
}

fn is_slow() -> bool {
    std::env::var_os("CAROM_SLOW").is_some()
}

#[test]
fn published_pairs() {
    let Some(table) = data::json("pairs/cases.json") else { return };
    let (mut n_checked, mut worst) = (0, 0.0f64);
    for case in table["cases"].as_array().unwrap() {
        let name = |key: &str| case[key].as_str().unwrap();
        let (Some(a), Some(b)) = (meshes::mesh(name("mesh_a")), meshes::mesh(name("mesh_b"))) else { return };
        let candidates = case["expected"]["aabb_overlap_pairs"].as_u64().unwrap();
        if !is_slow() && (50_000 < candidates || 12_000 < a.indices.len() + b.indices.len()) {
            continue;
        }
        let a = placed(&a, case["scale_a"].as_f64().unwrap(), None);
        let b = placed(&b, case["scale_b"].as_f64().unwrap(), Some(&case["pose_b"]));
        let label = format!("case {} {} {} {}", case["id"], name("mesh_a"), name("mesh_b"), name("kind"));
        let start = std::time::Instant::now();
        worst = worst.max(check(&label, &a, &b, &case["expected"], case["size"].as_f64().unwrap()));
        if std::time::Duration::from_millis(500) < start.elapsed() {
            println!("{label}: {:?}", start.elapsed());
        }
        n_checked += 1;
    }
    println!("{n_checked} pairs right; the distance is off by at most {worst:e} of the size");
    assert!(80 < n_checked);
}

#[test]
fn published_motions() {
    let Some(folder) = data::find("pairs/fcl_motion") else { return };
    let mut n_checked = 0;
    for file in std::fs::read_dir(&folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|e| e != "json") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let motion: Value = serde_json::from_str(&text).unwrap();
        let mesh = |key: &str| meshes::read(&folder.join(motion[key].as_str().unwrap())).unwrap();
        let (mesh_a, mesh_b) = (mesh("mesh_a"), mesh("mesh_b"));
        let frames = motion["frames"].as_array().unwrap();
        let step = if is_slow() { 1 } else { 1 + frames.len() / 8 };
        for (number, frame) in frames.iter().enumerate().step_by(step) {
            // The published rotations have six digits, so they are placed as they are.
            let a = placed(&mesh_a, 1.0, Some(&frame["pose_a"]));
            let b = placed(&mesh_b, 1.0, Some(&frame["pose_b"]));
            let size = a.mesh().aabb().half_extents().length() + b.mesh().aabb().half_extents().length();
            check(&format!("{path:?} frame {number}"), &a, &b, &frame["expected"], f64::from(size));
            n_checked += 1;
        }
    }
    println!("{n_checked} frames right");
    assert!(20 < n_checked);
}

/// Points beyond the numbers of the tree, and of its scaling, have a nearest triangle all the same.
#[test]
fn a_mesh_has_a_point_nearest_to_any_position() {
    use carom_query::f64::project_point;
    for size in [1e-100, 1e-30, 1.0, 1e30, 1e40] {
        let vertices = vec![DVec3::ZERO, DVec3::X * size, DVec3::Y * size, DVec3::Z * size];
        let mesh = TriMesh::new(vertices, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).unwrap();
        let shape = Shape::Mesh(Arc::new(MeshShape::new(mesh).unwrap()));
        for far in [1e-300, 1.0, 1e38, 1e39, 1e100, 1e150, 1e200, 1e300, f64::MAX] {
            let found = project_point(&shape, &Pose::IDENTITY, DVec3::X * far);
            let found = found.unwrap_or_else(|| panic!("nothing near {far:e}, size {size:e}"));
            assert!(found.point.is_finite() && !found.distance.is_nan(), "{size:e} {far:e} {found:?}");
            if size < far && far < 1e100 {
                // If triangles are equally far to rounding, any of them may answer.
                let off = found.distance - (far - size);
                assert!(off.abs() <= 1e-12 * far, "{size:e} {far:e} {found:?}");
            }
        }
    }
}

/// A rotation that is a unit quaternion of f32 only counts normalised, for points and rays as for
/// pairs.
#[test]
fn rotations_off_unit_length_count_normalised() {
    use carom_geom::f64::Cuboid;
    use carom_math::f64::{Interval, Ray};
    use carom_query::f64::{cast_ray, project_point};
    use glam::DQuat;
    let shape = Shape::Cuboid(Cuboid::new(DVec3::new(1.0, 2.0, 3.0)).unwrap());
    let (mut n_off, mut n_hits) = (0, 0);
    for i in 0..50 {
        let turn = DQuat::from_euler(glam::EulerRot::XYZ, 0.1 * f64::from(i), 0.7, -0.3 * f64::from(i));
        let rotation = turn.as_quat().as_dquat();
        n_off += usize::from(1e-9 < (rotation.length() - 1.0).abs());
        let position = DVec3::new(3.0, -2.0, 5.0);
        let (off_unit, unit) = (Pose::new(rotation, position), Pose::new(rotation.normalize(), position));
        let point = DVec3::new(-40.0, 17.0, 30.0);
        let [a, b] = [off_unit, unit].map(|pose| project_point(&shape, &pose, point).unwrap());
        assert!(
            (a.point - b.point).length() < 1e-13 && (a.distance - b.distance).abs() < 1e-12,
            "{a:?} {b:?}"
        );
        let ray = Ray::new(point, position - point);
        let [a, b] = [off_unit, unit].map(|pose| cast_ray(&shape, &pose, &ray, Interval::FORWARD).unwrap());
        assert!((a.t - b.t).abs() < 1e-14 && (a.normal - b.normal).length() < 1e-14, "{a:?} {b:?}");
        n_hits += 1;
    }
    assert!(10 < n_off && n_hits == 50, "{n_off}");
}
