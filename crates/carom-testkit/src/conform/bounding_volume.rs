//! The contract of every bounding volume: it contains its body, and does not report overlapping
//! bodies as apart.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.2.

use super::dice::Dice;
use carom_bounds::{Aabb, BoundingVolume};
use carom_math::Pose;
use glam::{DVec3, Quat, Vec3};

/// Returns sets of points, including degenerate ones.
pub fn point_sets() -> Vec<Vec<Vec3>> {
    let mut dice = Dice::new(7);
    let mut sets = vec![
        vec![Vec3::ZERO],
        vec![Vec3::new(1e6, -3.0, 1e-6); 5],
        vec![Vec3::X, Vec3::NEG_X],
        (0..9).map(|i| Vec3::new(0.1, 0.2, 0.3) * i as f32).collect(),
        (0..12).map(|i| Vec3::new((i % 4) as f32, 0.0, (i / 4) as f32)).collect(),
        (0..8).map(|i| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32)).collect(),
    ];
    for n in [2, 3, 4, 5, 20, 100] {
        for scale in [1.0, 1e-20, 1e15] {
            let turn = Quat::from_rotation_x(n as f32) * Quat::from_rotation_z(0.3);
            let offset = dice.point(3.0);
            sets.push(
                (0..n)
                    .map(|_| turn * (dice.point(1.0) * Vec3::new(5.0, 1.0, 0.1) + offset) * scale)
                    .collect(),
            );
        }
    }
    sets
}

/// Poses near and far.
fn poses(dice: &mut Dice, size: f32) -> Vec<Pose> {
    let mut poses = vec![Pose::IDENTITY];
    for i in 0..6 {
        let q = Quat::from_xyzw(dice.range(-1.0, 1.0), dice.range(-1.0, 1.0), dice.range(-1.0, 1.0), 1.0)
            .normalize();
        poses.push(Pose::new(q, dice.point(size * [0.0, 1.0, 1e4][i % 3])));
    }
    poses
}

fn volume_of_point<V: BoundingVolume>(p: DVec3) -> V {
    V::from_aabb(&Aabb::around(p, p))
}

/// Runs the suite on a kind of volume. Panics at the first wrong answer.
pub fn bounding_volume<V: BoundingVolume>() {
    let mut dice = Dice::new(11);
    assert_eq!(V::from_points::<Vec3>(&[]), V::EMPTY);
    assert_eq!(V::from_aabb(&Aabb::EMPTY), V::EMPTY);
    assert_eq!(V::EMPTY.merged(&V::EMPTY), V::EMPTY);
    assert_eq!(V::EMPTY.to_aabb(), Aabb::EMPTY);
    assert_eq!(V::EMPTY.refitted::<Vec3>(&[]), V::EMPTY);
    assert_eq!(V::EMPTY.refitted_around(&[]), V::EMPTY);
    assert_eq!(V::EMPTY.refitted_around(&[V::EMPTY; 3]), V::EMPTY);
    assert_eq!(V::EMPTY.refitted_around(&[V::EMPTY, V::EVERYTHING]), V::EVERYTHING);
    assert_eq!((V::EMPTY.volume(), V::EMPTY.surface_area()), (0.0, 0.0));
    let sets = point_sets();
    for points in &sets {
        let volume = V::from_points(points);
        let around = points.iter().fold(Aabb::EMPTY, |all, &p| all.merged(&Aabb::from_point(p)));
        contains(&volume, points);
        contains(&V::from_aabb(&around), points);
        assert!(V::from_aabb(&around).to_aabb().contains(&around));
        assert_eq!(V::EMPTY.merged(&volume), volume);
        assert_eq!(volume.merged(&V::EMPTY), volume);
        assert!(!volume.overlaps(&V::EMPTY) && !V::EMPTY.overlaps(&volume));
        assert!(volume.surface_area() >= 0.0 && volume.volume() >= 0.0);
        let size = around.extents().max_element() + around.min.abs().max_element();
        for pose in poses(&mut dice, size) {
            let placed = volume.transformed(&pose);
            for p in points {
                let p = pose.wide().transform_point(p.as_dvec3());
                assert!(placed.overlaps(&volume_of_point(p)), "{placed:?} lost {p}");
            }
        }
    }
    let mut apart = 0;
    for (i, a) in sets.iter().enumerate() {
        for b in &sets[i..] {
            let shift = Vec3::splat(dice.range(-4.0, 4.0));
            let b: Vec<Vec3> = b.iter().map(|&p| p + shift).collect();
            let (va, vb) = (V::from_points(a), V::from_points(&b));
            contains(&va.merged(&vb), a);
            contains(&va.merged(&vb), &b);
            contains(&va.refitted(&b), &b);
            let around = vb.refitted_around(&[va, V::EMPTY, vb]);
            contains(&around, a);
            contains(&around, &b);
            assert_eq!(va.overlaps(&vb), vb.overlaps(&va), "{va:?} {vb:?}");
            let least = a
                .iter()
                .flat_map(|p| b.iter().map(move |q| (p.as_dvec3() - q.as_dvec3()).length()))
                .fold(f64::INFINITY, f64::min);
            let bound = va.distance_lower_bound(&vb);
            assert!(f64::from(bound) <= least, "{bound} above {least}: {va:?} {vb:?}");
            assert!(bound >= 0.0 && (bound == 0.0 || !va.overlaps(&vb)));
            apart += usize::from(!va.overlaps(&vb));
            // Sharing one point counts as touching.
            let mut shared = b;
            shared.push(a[a.len() / 2]);
            assert!(va.overlaps(&V::from_points(&shared)));
        }
    }
    assert!(sets.len() < apart, "hardly any pair was apart: {apart}");
}

fn contains<V: BoundingVolume>(volume: &V, points: &[Vec3]) {
    let aabb = volume.to_aabb();
    for p in points {
        assert!(aabb.contains_point(*p), "the box of {volume:?} lost {p}");
        assert!(volume.overlaps(&volume_of_point(p.as_dvec3())), "{volume:?} lost {p}");
        assert_eq!(volume.distance_lower_bound(&volume_of_point(p.as_dvec3())), 0.0);
    }
}
