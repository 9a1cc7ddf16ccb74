//! Meshes to bake.

use carom_geom::TriMesh;
use carom_scenes::mesh::{Gear, Knot, MeshData, bumpy_icosphere, gear, torus, torus_knot};
use glam::Vec3;

/// A mesh of generated data.
pub(crate) fn mesh(data: &MeshData) -> TriMesh {
    TriMesh::new(data.vertices_f32(), data.triangles.clone()).unwrap()
}

/// Vertices with their coordinates, and triangles.
pub(crate) fn of(vertices: &[[f32; 3]], triangles: &[[u32; 3]]) -> TriMesh {
    TriMesh::new(vertices.iter().map(|v| Vec3::from_array(*v)).collect(), triangles.to_vec()).unwrap()
}

/// A box between two corners, facing outwards.
pub(crate) fn cuboid(min: [f32; 3], max: [f32; 3]) -> TriMesh {
    let vertices: Vec<[f32; 3]> = (0..8)
        .map(|i| [0, 1, 2].map(|axis| if i >> axis & 1 == 0 { min[axis] } else { max[axis] }))
        .collect();
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles: Vec<[u32; 3]> =
        faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    of(&vertices, &triangles)
}

/// All triangles of several meshes as one.
pub(crate) fn joined(meshes: &[&TriMesh]) -> TriMesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for mesh in meshes {
        let first = vertices.len() as u32;
        vertices.extend_from_slice(mesh.vertices());
        triangles.extend(mesh.indices().iter().map(|t| t.map(|v| v + first)));
    }
    TriMesh::new(vertices, triangles).unwrap()
}

/// Each triangle with vertices of its own.
pub(crate) fn unwelded(mesh: &TriMesh) -> TriMesh {
    let vertices: Vec<Vec3> = (0..mesh.n_triangles() as u32).flat_map(|t| mesh.points(t)).collect();
    let triangles = (0..mesh.n_triangles() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    TriMesh::new(vertices, triangles).unwrap()
}

/// The mesh with other vertices.
pub(crate) fn moved(mesh: &TriMesh, by: impl Fn(Vec3) -> Vec3) -> TriMesh {
    TriMesh::new(mesh.vertices().iter().map(|v| by(*v)).collect(), mesh.indices().to_vec()).unwrap()
}

/// The mesh without some triangles.
pub(crate) fn without(mesh: &TriMesh, is_left_out: impl Fn(usize) -> bool) -> TriMesh {
    let kept = mesh.indices().iter().enumerate().filter(|(t, _)| !is_left_out(*t)).map(|(_, t)| *t).collect();
    TriMesh::new(mesh.vertices().to_vec(), kept).unwrap()
}

/// The mesh turned inside out.
pub(crate) fn inverted(mesh: &TriMesh) -> TriMesh {
    let mut mesh = mesh.clone();
    mesh.turn_over(&(0..mesh.n_triangles() as u32).collect::<Vec<_>>());
    mesh
}

/// Closed meshes that do not cross themselves, by name.
pub(crate) fn closed() -> Vec<(&'static str, TriMesh)> {
    vec![
        ("box", cuboid([-1.0, -0.5, -0.75], [1.0, 0.5, 0.75])),
        ("torus", mesh(&torus(1.0, 0.4, 300))),
        ("bumpy ball", mesh(&bumpy_icosphere(300, 0.3, 7))),
        ("knot", mesh(&torus_knot(&Knot::default(), 400))),
        ("gear", mesh(&gear(&Gear::new(8, 0.25)))),
    ]
}

/// A box whose lid is missing.
pub(crate) fn open_box() -> TriMesh {
    without(&cuboid([-1.0, -0.5, -0.75], [1.0, 0.5, 0.75]), |t| t == 2 || t == 3)
}
