//! Checked construction of triangle meshes.

use carom_geom::{MeshError, TriMesh};
use glam::Vec3;

#[test]
fn names_the_first_offender() {
    let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
    assert!(TriMesh::new(vertices.clone(), vec![[0, 1, 2]]).is_ok());
    assert_eq!(TriMesh::new(vertices.clone(), vec![]), Err(MeshError::Empty));
    let error = TriMesh::new(vertices.clone(), vec![[0, 1, 2], [0, 3, 9], [7, 0, 0]]);
    assert_eq!(error, Err(MeshError::IndexOutOfRange { triangle: 1, index: 3, n_vertices: 3 }));
    let broken = vec![Vec3::ZERO, Vec3::new(0.0, f32::NAN, 0.0), Vec3::INFINITY];
    assert_eq!(TriMesh::new(broken, vec![[0, 1, 2]]), Err(MeshError::NotFinite { vertex: 1 }));
}

#[test]
fn box_is_around_the_triangles_alone() {
    let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::splat(100.0)];
    let mesh = TriMesh::new(vertices, vec![[0, 1, 2]]).unwrap();
    assert_eq!(mesh.aabb().max, Vec3::new(1.0, 1.0, 0.0));
    assert_eq!(mesh.triangle_aabb(0), mesh.aabb());
}
