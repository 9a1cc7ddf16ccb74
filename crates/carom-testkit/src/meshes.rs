//! The triangles of a box, and the meshes of the real data.
//!
//! The files are OBJ with `v` and triangular `f` lines, and binary little-endian PLY of floats.
//!
//! Reference: data/README.md beside the meshes (the two formats are fixed there).

use crate::data;
use glam::DVec3;
use std::path::Path;

/// The vertices and triangles of a file.
#[derive(Clone, Debug)]
pub struct MeshData {
    /// Positions.
    pub vertices: Vec<DVec3>,
    /// Vertex numbers of each triangle, from 0.
    pub indices: Vec<[u32; 3]>,
}

/// The triangles of a box, facing outwards. Corner `i` is at the upper end of axis `k` if bit `k`
/// of `i` is set.
pub const BOX_TRIANGLES: [[u32; 3]; 12] = [
    [0, 2, 3],
    [0, 3, 1],
    [4, 5, 7],
    [4, 7, 6],
    [0, 1, 5],
    [0, 5, 4],
    [2, 6, 7],
    [2, 7, 3],
    [0, 4, 6],
    [0, 6, 2],
    [1, 3, 7],
    [1, 7, 5],
];

impl MeshData {
    /// Returns the corners of every triangle.
    pub fn corners(&self) -> Vec<[DVec3; 3]> {
        self.indices.iter().map(|t| t.map(|v| self.vertices[v as usize])).collect()
    }
}

/// Reads the mesh `meshes/<name>.obj` or `.ply`. Prints a line and returns `None` if the data is
/// not present.
pub fn mesh(name: &str) -> Option<MeshData> {
    let folder = data::find("meshes")?;
    let file =
        ["obj", "ply"].map(|ending| folder.join(format!("{name}.{ending}"))).into_iter().find(|f| f.exists());
    read(&file?)
}

/// Reads a mesh from a file in one of the two formats.
pub fn read(path: &Path) -> Option<MeshData> {
    let bytes = std::fs::read(path).ok()?;
    if path.extension().is_some_and(|e| e == "obj") {
        return obj(std::str::from_utf8(&bytes).ok()?);
    }
    ply(&bytes)
}

fn obj(text: &str) -> Option<MeshData> {
    let mut mesh = MeshData { vertices: Vec::new(), indices: Vec::new() };
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let mut next = || words.next()?.parse::<f64>().ok();
                mesh.vertices.push(DVec3::new(next()?, next()?, next()?));
            }
            Some("f") => {
                let mut next = || words.next()?.split('/').next()?.parse::<u32>().ok()?.checked_sub(1);
                mesh.indices.push([next()?, next()?, next()?]);
            }
            _ => {}
        }
    }
    Some(mesh)
}

fn ply(bytes: &[u8]) -> Option<MeshData> {
    const END: &[u8] = b"end_header\n";
    let end = bytes.windows(END.len()).position(|w| w == END)? + END.len();
    let header = std::str::from_utf8(&bytes[..end]).ok()?;
    let count = |what: &str| header.lines().find_map(|l| l.strip_prefix(what)?.trim().parse::<usize>().ok());
    let (n_vertices, n_faces) = (count("element vertex ")?, count("element face ")?);
    let (positions, faces) = bytes[end..].split_at_checked(12 * n_vertices)?;
    let float = |b: &[u8]| Some(f64::from(f32::from_le_bytes(b.try_into().ok()?)));
    let index = |b: &[u8]| Some(u32::from_le_bytes(b.try_into().ok()?));
    let vertices = positions
        .chunks_exact(12)
        .map(|p| Some(DVec3::new(float(&p[..4])?, float(&p[4..8])?, float(&p[8..])?)))
        .collect::<Option<Vec<_>>>()?;
    let indices = faces
        .chunks_exact(13)
        .take(n_faces)
        .map(|f| Some([index(&f[1..5])?, index(&f[5..9])?, index(&f[9..])?]))
        .collect::<Option<Vec<_>>>()?;
    (indices.len() == n_faces).then_some(MeshData { vertices, indices })
}
