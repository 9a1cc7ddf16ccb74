//! Warm queries allocate nothing: those on pairs of meshes, and rays.

use crate::support::bumpy_sheet;
use carom_math::{Interval, Pose, Quat, Ray, Vec3};
use carom_query::{
    ManifoldCache, MeshShape, Shape, Workspace, cast_ray_batch, contact_with, distance_with, intersects,
    manifolds_with, triangle_pairs,
};
use carom_testkit::random::Random;
use std::sync::Arc;

fn sheet(n: u32) -> Arc<MeshShape> {
    Arc::new(MeshShape::new(bumpy_sheet(n, 0.1)).unwrap())
}

#[test]
fn pairs_of_meshes_and_rays() {
    let mesh = sheet(40);
    let shape = Shape::Mesh(mesh.clone());
    let mut random = Random::new(5);
    let poses: Vec<Pose> = (0..40)
        .map(|round| {
            let turn = random.cube_point().as_vec3() * if round % 2 == 0 { 0.01 } else { 3.0 };
            // From far apart to through each other.
            let up = round as f32 / 40.0 * 0.4 - 0.1;
            Pose::new(Quat::from_scaled_axis(turn), Vec3::new(0.01, up, 0.02))
        })
        .collect();
    let rays: Vec<Ray> = (0..200)
        .map(|_| {
            let (from, to) = (random.cube_point().as_vec3(), random.cube_point().as_vec3());
            Ray::new(from * 2.0, to - from * 2.0)
        })
        .collect();
    let (mut memory, mut pairs, mut hits) = (Workspace::default(), Vec::new(), Vec::new());
    let (mut manifolds, mut cache) = (Vec::new(), ManifoldCache::new());
    let (mut n_met, mut n_apart) = (0, 0);
    let mut query_all = || {
        for pose in &poses {
            pairs.clear();
            triangle_pairs(&mesh, &Pose::IDENTITY, &mesh, pose, &mut pairs);
            let meets = intersects(&shape, &Pose::IDENTITY, &shape, pose);
            let distance = distance_with(&shape, &Pose::IDENTITY, &shape, pose, &mut memory);
            let contact = contact_with(&shape, &Pose::IDENTITY, &shape, pose, 0.05, &mut memory);
            manifolds.clear();
            let here = Pose::IDENTITY;
            manifolds_with(&shape, &here, &shape, pose, 0.001, &mut cache, &mut memory, &mut manifolds);
            assert_eq!(meets, !pairs.is_empty());
            assert!(!meets || !manifolds.is_empty());
            assert_eq!(meets, distance.distance == 0.0);
            assert_eq!(distance.distance <= 0.05, contact.is_some());
            if meets { n_met += 1 } else { n_apart += 1 }
        }
        hits.clear();
        cast_ray_batch(&shape, &Pose::IDENTITY, &rays, Interval::FORWARD, &mut hits);
    };
    query_all();
    let measured = allocation_counter::measure(&mut query_all);
    assert_eq!(measured.count_total, 0, "{measured:?}");
    assert!(20 < n_met && 20 < n_apart, "{n_met} {n_apart}");
    assert!(hits.iter().flatten().count() > 20);
}
