//! Rays in a batch answer as each does alone, to the bit.

use crate::zoo::shapes;
use carom_math::{Interval, Pose, Quat, Ray, Vec3};
use carom_query::{Shape, cast_ray, cast_ray_batch};
use carom_testkit::random::Random;

#[test]
fn a_batch_answers_as_single_rays_do() {
    let mut random = Random::new(9);
    let (mut n_hits, mut n_misses, mut n_meshes) = (0, 0, 0);
    for (name, shape) in shapes() {
        n_meshes += usize::from(matches!(shape, Shape::Mesh(_)));
        for round in 0..12 {
            let mut vector = || random.cube_point().as_vec3();
            let pose = Pose::new(Quat::from_scaled_axis(vector() * 2.0), vector());
            let n = [0, 1, 7, 8, 9, 200][round % 6];
            let mut rays: Vec<Ray> = (0..n)
                .map(|i| {
                    let origin = pose.translation + vector() * 2.0;
                    let aim = pose.translation + vector() * 0.3;
                    // Directions of any length, some so long or short that they go their own way.
                    let length = [1.0, 0.01, 1e30, 1e-36, 1e-42, 3e38][if i % 5 == 0 { i % 6 } else { 0 }];
                    Ray::new(origin, (aim - origin).normalize_or_zero() * length)
                })
                .collect();
            if 7 < n {
                rays[3].direction = Vec3::ZERO;
                rays[5].origin.x = f32::NAN;
                rays[6].direction.y = f32::INFINITY;
                rays[7].origin = Vec3::splat(3e38);
            }
            let interval =
                [Interval::FORWARD, Interval::BOTH, Interval::new(0.5, 1.5), Interval::new(2.0, 1.0)]
                    [round % 4];
            let mut out = vec![None];
            cast_ray_batch(&shape, &pose, &rays, interval, &mut out);
            assert_eq!((out.len(), out[0]), (n + 1, None));
            for (ray, hit) in rays.iter().zip(&out[1..]) {
                assert_eq!(*hit, cast_ray(&shape, &pose, ray, interval), "{name}: {ray:?} {pose:?}");
                if hit.is_some() { n_hits += 1 } else { n_misses += 1 }
            }
            // In another order, the same answers.
            rays.reverse();
            let mut reversed = Vec::new();
            cast_ray_batch(&shape, &pose, &rays, interval, &mut reversed);
            reversed.reverse();
            assert_eq!(reversed, out[1..], "{name}");
        }
    }
    assert!(2000 < n_hits && 1000 < n_misses && 0 < n_meshes, "{n_hits} {n_misses} {n_meshes}");
}
