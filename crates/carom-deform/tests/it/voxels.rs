//! Two meshes in voxels: `false` is proved, and `true` means that they are near each other.

use crate::region::{ball, comb, couples, mesh};
use crate::scenes::{grid, waves};
use carom_bounds::{Aabb, BoundingVolume};
use carom_deform::{DeformError, DeformableMesh, FeatureSearch, OverlapRegion, VoxelOverlap};
use carom_geom::tri_distance::segment_triangle;
use carom_testkit::random::Random;
use glam::{DVec3, Vec3};

/// One word a row, and two.
const RESOLUTIONS: [u32; 4] = [1, 7, 32, 70];

fn all_sizes() -> Vec<VoxelOverlap> {
    RESOLUTIONS.map(|resolution| VoxelOverlap::new(resolution).unwrap()).into()
}

/// The meshes with all positions through a map.
fn mapped(original: &DeformableMesh, map: impl Fn(Vec3) -> Vec3) -> DeformableMesh {
    let positions: Vec<Vec3> = original.positions().iter().map(|p| map(*p)).collect();
    mesh(&positions, original.faces().to_vec())
}

#[test]
fn meshes_that_touch_are_never_denied() {
    let (mut voxels, mut region) = (all_sizes(), OverlapRegion::default());
    let (mut n_touch, mut n_denied) = (0, 0);
    for (name, a, b) in couples() {
        let maps: [&dyn Fn(Vec3) -> Vec3; 5] = [
            &|p| p,
            &|p| Vec3::new(p.z, p.x, p.y),
            &|p| p * 1e-38 + Vec3::new(0.0, 1e-38, 0.0),
            &|p| p * 1e25,
            &|p| p * Vec3::new(1e20, 1.0, 1e-20),
        ];
        for map in maps {
            let (a, b) = (mapped(&a, map), mapped(&b, map));
            let do_touch = !region.crossings(&a, &b).finish().pairs.is_empty();
            n_touch += usize::from(do_touch);
            for voxels in &mut voxels {
                let answers = [voxels.may_touch(&a, &b), voxels.may_touch(&b, &a)];
                assert_eq!(answers[0], answers[1], "{name}");
                assert!(answers[0] || !do_touch, "{name}");
                n_denied += usize::from(!answers[0]);
            }
        }
    }
    assert!(200 < n_touch && 200 < n_denied, "{n_touch} {n_denied}");
}

/// A rope has no face, and was denied to touch anything.
#[test]
fn r_ropes_that_touch_are_never_denied() {
    let rope = |ends: [Vec3; 2]| DeformableMesh::from_segments(&ends, vec![[0, 1]]).unwrap();
    let left = mesh(&[Vec3::ZERO, Vec3::Y, Vec3::Z], vec![[0, 1, 2]]);
    let through = rope([Vec3::new(-1.0, 0.25, 0.25), Vec3::new(1.0, 0.25, 0.25)]);
    let across = rope([Vec3::new(0.0, -1.0, 0.25), Vec3::new(0.0, 1.0, 0.25)]);
    let beside = rope([Vec3::new(-1.0, 0.9, 0.9), Vec3::new(1.0, 0.9, 0.9)]);
    let mut random = Random::new(8);
    let (mut n_touch, mut n_denied) = (0, 0);
    for voxels in &mut all_sizes() {
        for (a, b) in [(&left, &through), (&through, &left), (&through, &across), (&left, &across)] {
            assert!(voxels.may_touch(a, b));
        }
        n_denied += usize::from(!voxels.may_touch(&left, &beside));
        for _ in 0..300 {
            let [p, q, r, s, t] = [(); 5].map(|()| random.cube_point().as_vec3());
            let face = [p, q, r].map(Vec3::as_dvec3);
            let do_touch = segment_triangle(&[s.as_dvec3(), t.as_dvec3()], &face).distance == 0.0;
            let (face, rope) = (mesh(&[p, q, r], vec![[0, 1, 2]]), rope([s, t]));
            let answers = [voxels.may_touch(&face, &rope), voxels.may_touch(&rope, &face)];
            assert_eq!(answers[0], answers[1]);
            assert!(answers[0] || !do_touch, "{p} {q} {r} {s} {t}");
            n_touch += usize::from(do_touch);
            n_denied += usize::from(!answers[0]);
        }
    }
    assert!(30 < n_touch && 100 < n_denied, "{n_touch} {n_denied}");
}

/// Faces that touch in one point exactly, at the borders of voxels too: a corner of one is a point
/// of the other.
#[test]
fn faces_that_touch_in_a_point_are_never_denied() {
    let (mut voxels, mut region) = (all_sizes(), OverlapRegion::default());
    let mut random = Random::new(5);
    let mut n_touch = 0;
    for round in 0..3000 {
        let n = [2, 8, 1000][round % 3];
        let mut lattice = || random.grid_point(n).as_vec3();
        let [p, q, r, s, t] = [(); 5].map(|()| lattice());
        // Halves of an edge are exact here.
        let touch = if round % 2 == 0 { p } else { (p + q) * 0.5 };
        let scale = [1.0, 1e-30, 1e24, 0.1][round % 4];
        let a = mesh(&[p * scale, q * scale, r * scale], vec![[0, 1, 2]]);
        let b = mesh(&[touch * scale, s * scale, t * scale * 64.0], vec![[0, 1, 2]]);
        if region.crossings(&a, &b).finish().pairs.is_empty() {
            continue;
        }
        n_touch += 1;
        for voxels in &mut voxels {
            assert!(voxels.may_touch(&a, &b), "{p} {q} {r} {s} {t} {scale}");
        }
    }
    assert!(1500 < n_touch, "{n_touch}");
}

/// Meshes with points in one voxel are within its diagonal of each other.
#[test]
fn meshes_in_one_voxel_are_near() {
    let (mut voxels, mut trees) = (all_sizes(), FeatureSearch::default());
    let (mut n_near, mut n_far) = (0, 0);
    let sheets = |gap: f32| {
        let at = |by: f32| waves(16, 0.3, 0.0).iter().map(|p| *p + Vec3::Y * by).collect::<Vec<_>>();
        (mesh(&at(0.0), grid(16)), mesh(&at(gap), grid(16)))
    };
    let balls =
        |gap: f64| (ball(DVec3::ZERO, 1.0), ball(DVec3::new(2.0 + gap, 0.0, 0.0) * DVec3::splat(0.9), 1.0));
    let couples =
        [sheets(0.5), sheets(0.05), sheets(0.005), balls(0.1), balls(0.3), (comb(9, 0.0), comb(9, 0.5))];
    for (mut a, mut b) in couples {
        let bounds = |mesh: &DeformableMesh| Aabb::from_points(mesh.positions());
        let Some(region) = bounds(&a).intersection(&bounds(&b)) else { continue };
        for (voxels, resolution) in voxels.iter_mut().zip(RESOLUTIONS).skip(1) {
            let diagonal = region.extents().max_element() / resolution as f32 * 1.7321;
            if voxels.may_touch(&a, &b) {
                let near = trees.within((&mut a, &mut b), diagonal).finish().pairs.len();
                let crossing = trees.crossings((&mut a, &mut b)).finish().pairs.len();
                assert!(0 < near + crossing, "{resolution}");
                n_near += 1;
            } else {
                n_far += 1;
            }
        }
    }
    assert!(10 < n_near && 3 < n_far, "{n_near} {n_far}");
}

#[test]
fn any_split_gives_the_same_answer() {
    let (mut n_stops, mut n_early) = (0, 0);
    let mut voxels = VoxelOverlap::new(32).unwrap();
    for (name, a, b) in couples() {
        let expected = voxels.may_touch(&a, &b);
        let counters = voxels.counters();
        for budget in [1, 100] {
            let mut search = voxels.search(&a, &b);
            while !search.run(budget) {
                assert!(search.may_touch(), "not known yet: {name}");
                n_stops += 1;
            }
            assert!(search.run(0));
            n_early += usize::from(search.may_touch());
            assert_eq!((search.may_touch(), search.counters()), (expected, counters), "{name}");
        }
    }
    assert!(1000 < n_stops && 10 < n_early, "{n_stops} {n_early}");
}

#[test]
fn resolutions_are_checked() {
    for resolution in [0, 513, u32::MAX] {
        let refused = VoxelOverlap::new(resolution).map(|_| ());
        assert_eq!(refused, Err(DeformError::BadResolution { resolution }));
    }
    assert!(VoxelOverlap::new(512).is_ok());
}
