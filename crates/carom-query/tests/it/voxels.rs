//! Voxels: merging of grids, meshes as voxels, seams between cells, and what is refused.

use crate::zoo::{box_mesh, shapes};
use carom_math::{Interval, Pose, Ray, Vec3};
use carom_query::{
    Cluster, MeshShape, Shape, VoxelBox, Voxels, VoxelsError, cast_ray, intersects, project_point,
};
use carom_scenes::mesh::torus;
use carom_testkit::random::Random;
use std::sync::Arc;

#[test]
fn grids_are_covered_once() {
    let mut random = Random::new(2);
    for _ in 0..300 {
        let n = [1 + random.below(9), 1 + random.below(9), 1 + random.below(9)];
        let share = random.unit();
        let flags: Vec<bool> = (0..n[0] * n[1] * n[2]).map(|_| random.unit() < share).collect();
        let found = Voxels::from_grid(n, &flags, Vec3::ZERO, Vec3::ONE);
        if !flags.contains(&true) {
            assert_eq!(found.unwrap_err(), VoxelsError::Empty);
            continue;
        }
        let mut times = vec![0; flags.len()];
        for part in found.unwrap().boxes() {
            for x in part.first[0]..=part.last[0] {
                for y in part.first[1]..=part.last[1] {
                    for z in part.first[2]..=part.last[2] {
                        times[(usize::from(x) * n[1] + usize::from(y)) * n[2] + usize::from(z)] += 1;
                    }
                }
            }
        }
        assert!(times.iter().zip(&flags).all(|(&times, &flag)| times == i32::from(flag)));
    }
    // A full grid is one box.
    let full = Voxels::from_grid([50, 40, 30], &[true; 60_000], Vec3::ZERO, Vec3::ONE).unwrap();
    assert_eq!(full.boxes(), [VoxelBox { first: [0; 3], last: [49, 39, 29] }]);
    assert_eq!(full.boxes()[0].n_cells(), 60_000);
}

#[test]
fn the_first_offender_is_named() {
    let one = VoxelBox::cell([0; 3]);
    let new = |origin, cell, boxes: &[VoxelBox]| Voxels::new(origin, cell, boxes.to_vec()).unwrap_err();
    assert_eq!(new(Vec3::ZERO, Vec3::ONE, &[]), VoxelsError::Empty);
    assert_eq!(new(Vec3::NAN, Vec3::ONE, &[one]), VoxelsError::BadOrigin);
    for bad in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert_eq!(new(Vec3::ZERO, Vec3::new(1.0, bad, 1.0), &[one]), VoxelsError::BadCellSize);
    }
    let turned = VoxelBox { first: [3, 0, 0], last: [2, 0, 0] };
    assert_eq!(new(Vec3::ZERO, Vec3::ONE, &[one, turned]), VoxelsError::Inverted(1));
    let far = VoxelBox::cell([9, 0, 0]);
    assert_eq!(new(Vec3::ZERO, Vec3::splat(2e29), &[one, far]), VoxelsError::TooFar(1));
    let grid = |n, flags: &[bool]| Voxels::from_grid(n, flags, Vec3::ZERO, Vec3::ONE).unwrap_err();
    assert_eq!(grid([2; 3], &[true; 7]), VoxelsError::WrongCount { expected: 8, given: 7 });
    assert_eq!(grid([70_000, 1, 1], &[true]), VoxelsError::TooMany);
    assert_eq!(grid([0, 1, 1], &[]), VoxelsError::Empty);
    assert_eq!(grid([2; 3], &[true; 7]).to_string(), "7 flags for 8 cells");
    let mesh = MeshShape::new(box_mesh(Vec3::ONE)).unwrap();
    for bad in [0.0, f32::NAN, -1.0] {
        assert_eq!(Voxels::from_mesh(&mesh, bad, true).unwrap_err(), VoxelsError::BadCellSize);
    }
    assert_eq!(Voxels::from_mesh(&mesh, 1e-6, false).unwrap_err(), VoxelsError::TooMany);
    let (_, Shape::HeightField(open)) = &shapes()[14] else { panic!("the height field") };
    assert_eq!(Voxels::from_mesh(open.mesh(), 0.1, true).unwrap_err(), VoxelsError::NoInside);
    assert!(Voxels::from_mesh(open.mesh(), 0.1, false).is_ok());
}

/// Every cell alone: occupied if the mesh touches it, or holds its centre.
#[test]
fn a_mesh_is_inside_its_voxels() {
    let ring = torus(0.5, 0.2, 800);
    let shape = Shape::mesh(ring.vertices_f32(), ring.triangles).unwrap();
    let Shape::Mesh(mesh) = &shape else { panic!("a mesh") };
    for is_solid in [false, true] {
        let cell = 0.07;
        let voxels = Voxels::from_mesh(mesh, cell, is_solid).unwrap();
        let is_occupied = |at: [u16; 3]| {
            let is_in = |part: &VoxelBox| (0..3).all(|k| (part.first[k]..=part.last[k]).contains(&at[k]));
            voxels.boxes().iter().filter(|part| is_in(part)).count()
        };
        let brick = Shape::cuboid(Vec3::splat(0.5 * cell)).unwrap();
        let mut n = 0;
        for x in 0..21 {
            for y in 0..7 {
                for z in 0..21 {
                    let center = voxels.origin()
                        + Vec3::new(f32::from(x), f32::from(y), f32::from(z)) * cell
                        + 0.5 * cell;
                    let at = Pose::from_translation(center);
                    let on = project_point(&shape, &Pose::IDENTITY, center).unwrap();
                    let truth =
                        intersects(&shape, &Pose::IDENTITY, &brick, &at) || (is_solid && on.is_inside);
                    let times = is_occupied([x, y, z]);
                    // Rounding decides where a face touches.
                    assert!(times <= 1 && (times == 1 || !truth), "{x} {y} {z}");
                    n += usize::from(truth != (times == 1));
                }
            }
        }
        assert!(n <= 4, "{n} cells differ");
        let whole = Shape::Voxels(Arc::new(voxels));
        for corner in mesh.mesh().vertices() {
            assert!(project_point(&whole, &Pose::IDENTITY, *corner).unwrap().distance <= 0.0);
        }
        let volume = whole.mass_properties(1.0).mass;
        let own = shape.mass_properties(1.0).mass;
        assert_eq!(own < volume, is_solid || own < volume, "{own} {volume}");
        println!("{own} {volume} {}", whole.n_parts());
    }
}

/// No ray passes between cells that share a face, with sizes that are no binary fractions.
#[test]
fn seams_are_closed() {
    let mut random = Random::new(7);
    let cells: Vec<VoxelBox> = (0..900).map(|k| VoxelBox::cell([k / 30, 0, k % 30])).collect();
    let floor = Shape::Voxels(Arc::new(
        Voxels::new(Vec3::new(-1.1, -0.1, -1.7), Vec3::new(0.1, 0.1, 0.1), cells).unwrap(),
    ));
    for k in 0..20_000 {
        let seam = |low: f32, k: usize| low + 0.1 * (1 + k % 29) as f32;
        let (x, z) =
            (seam(-1.1, k), if k % 2 == 0 { seam(-1.7, k / 29) } else { random.range(-1.6, 1.2) as f32 });
        let from = Vec3::new(x, 1.0, z) + if k % 3 == 0 { Vec3::ZERO } else { random.cube_point().as_vec3() };
        let ray = Ray::new(from, Vec3::new(x, 0.0, z) - from);
        let hit = cast_ray(&floor, &Pose::IDENTITY, &ray, Interval::FORWARD).expect("the floor is closed");
        // A slanted ray may meet the face between two cells at the same t.
        let is_top = hit.normal == Vec3::Y || ray.direction.x != 0.0;
        assert!((hit.t - 1.0).abs() < 1e-4 && is_top, "{hit:?} {ray:?}");
    }
}

#[test]
fn an_octree_cell_of_the_largest_size_is_one_box() {
    let all = VoxelBox { first: [0; 3], last: [u16::MAX; 3] };
    let whole = Voxels::new(Vec3::splat(-3276.8), Vec3::splat(0.1), vec![all]).unwrap();
    assert_eq!(all.n_cells(), 1 << 48);
    let (_, center) = whole.part(0);
    assert!(center.abs().max_element() < 1e-3, "{center}");
}
