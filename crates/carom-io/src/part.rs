//! Parts: meshes as they stand in a file, and where they stand in the world.

use crate::error::{Place, ReadError};
use crate::limits::MAX_NOTES;
use glam::DVec3;
use std::path::Path;
use std::sync::Arc;

/// Vertices and triangles as a file gives them, checked: finite, in range, at least one triangle.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct RawMesh {
    /// Positions in the file's own unit and frame.
    pub vertices: Vec<DVec3>,
    /// Three vertex numbers each, in the order of the file; polygons are cut into triangles.
    pub triangles: Vec<[u32; 3]>,
}

impl RawMesh {
    /// The mesh, if it has triangles, finite vertices, and no vertex number that is none.
    pub(crate) fn checked(self, path: &Path) -> Result<RawMesh, ReadError> {
        self.checked_at(path, "")
    }

    /// [`RawMesh::checked`] for one of several meshes of a file, `item` its name there.
    pub(crate) fn checked_at(self, path: &Path, item: &str) -> Result<RawMesh, ReadError> {
        let place =
            |what: String| Place::Item(if item.is_empty() { what } else { format!("{item}, {what}") });
        let whole = || if item.is_empty() { Place::File } else { Place::Item(item.to_owned()) };
        if let Some(i) = self.vertices.iter().position(|v| !v.is_finite()) {
            let v = self.vertices[i];
            return Err(ReadError::at(path, place(format!("vertex {i}")), format!("{v} is not finite")));
        }
        if u32::try_from(self.vertices.len()).is_err() {
            return Err(ReadError::at(path, whole(), "more than 4294967295 vertices"));
        }
        for (i, triangle) in self.triangles.iter().enumerate() {
            if let Some(v) = triangle.iter().find(|v| self.vertices.len() <= **v as usize) {
                let reason = format!("vertex {v} of {}, counted from 0", self.vertices.len());
                return Err(ReadError::at(path, place(format!("triangle {i}")), reason));
            }
        }
        if self.triangles.is_empty() {
            return Err(ReadError::at(path, whole(), "the mesh is empty: no triangle"));
        }
        Ok(self)
    }

    /// Adds a convex polygon as a fan; fewer than three corners add nothing.
    pub(crate) fn push_polygon(&mut self, corners: &[u32]) {
        for pair in corners.windows(2).skip(1) {
            self.triangles.push([corners[0], pair[0], pair[1]]);
        }
    }

    /// Adds a strip; every second triangle runs the other way round. Triangles that repeat a corner
    /// only turn the strip and are left out.
    pub(crate) fn push_strip(&mut self, corners: &[u32]) {
        for (i, t) in corners.windows(3).enumerate() {
            if t[0] != t[1] && t[1] != t[2] && t[2] != t[0] {
                self.triangles.push(if i % 2 == 0 { [t[0], t[1], t[2]] } else { [t[1], t[0], t[2]] });
            }
        }
    }

    /// Some of the triangles, with the vertices that they use, in the order of the vertices.
    pub(crate) fn with_used_vertices(&self, mut triangles: Vec<[u32; 3]>) -> RawMesh {
        let used = used_vertices(&triangles);
        number_by(&used, &mut triangles);
        RawMesh { vertices: used.iter().map(|v| self.vertices[*v as usize]).collect(), triangles }
    }

    /// The number of a triangle that has an area, but none when its vertices are moved so.
    fn collapsed(&self, moved: impl Fn(DVec3) -> DVec3) -> Option<usize> {
        // A rotation leaves rounding errors, 2^-53 each.
        const ROUNDING: f64 = 1.0 / (1_u64 << 40) as f64;
        let is_flat = |[a, b, c]: [DVec3; 3]| {
            let (u, v) = (b - a, c - a);
            u.cross(v).length() <= ROUNDING * (u.length() * v.length())
        };
        self.triangles.iter().position(|t| {
            let corners = t.map(|v| self.vertices[v as usize]);
            !is_flat(corners) && is_flat(corners.map(&moved))
        })
    }
}

/// The vertex numbers of triangles, sorted.
pub(crate) fn used_vertices(triangles: &[[u32; 3]]) -> Vec<u32> {
    let mut used: Vec<u32> = triangles.as_flattened().to_vec();
    used.sort_unstable();
    used.dedup();
    used.shrink_to_fit();
    used
}

/// Replaces vertex numbers by their places in the sorted list.
pub(crate) fn number_by(used: &[u32], triangles: &mut [[u32; 3]]) {
    for v in triangles.as_flattened_mut() {
        *v = used.binary_search(v).unwrap_or(0) as u32;
    }
}

/// A row-major 4x4 matrix that places a mesh; its last row is 0 0 0 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement(pub [f64; 16]);

impl Placement {
    /// Nothing moves.
    pub const IDENTITY: Placement =
        Placement([1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]);

    /// A scale along the axes.
    pub(crate) fn scaling(scale: [f64; 3]) -> Placement {
        let mut placement = Placement::IDENTITY;
        for (k, s) in scale.into_iter().enumerate() {
            placement.0[5 * k] = s;
        }
        placement
    }

    /// The matrix, if it is finite, keeps volume above zero, and ends in 0 0 0 1; or what is wrong
    /// with it.
    pub fn checked(matrix: [f64; 16]) -> Result<Placement, String> {
        let placement = Placement::affine(matrix)?;
        if placement.determinant() == 0.0 {
            return Err("the matrix flattens: its determinant is 0".to_owned());
        }
        Ok(placement)
    }

    /// The matrix, if it is finite and ends in 0 0 0 1; it may flatten.
    pub(crate) fn affine(matrix: [f64; 16]) -> Result<Placement, String> {
        let placement = Placement(matrix);
        if let Some(i) = matrix.iter().position(|x| !x.is_finite()) {
            return Err(format!("number {i} of the matrix, {}, is not finite", matrix[i]));
        }
        if matrix[12..] != [0.0, 0.0, 0.0, 1.0] {
            return Err(format!("the last row is {:?}, not 0 0 0 1 (row-major order)", &matrix[12..]));
        }
        Ok(placement)
    }

    /// How far the matrix is from a pure rotation: the largest entry of R^T R - 1; 2 for a mirror.
    pub fn rigidity_error(&self) -> f64 {
        let m = &self.0;
        let mut worst: f64 = if self.determinant() < 0.0 { 2.0 } else { 0.0 };
        for i in 0..3 {
            for j in 0..3 {
                let dot: f64 = (0..3).map(|k| m[4 * k + i] * m[4 * k + j]).sum();
                worst = worst.max((dot - if i == j { 1.0 } else { 0.0 }).abs());
            }
        }
        worst
    }

    /// Of the 3x3 part.
    pub fn determinant(&self) -> f64 {
        let m = &self.0;
        m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8])
            + m[2] * (m[4] * m[9] - m[5] * m[8])
    }

    /// This placement after `inner`.
    pub fn after(&self, inner: &Placement) -> Placement {
        let (a, b) = (&self.0, &inner.0);
        let entry = |i: usize, j: usize| (0..4).map(|k| a[4 * i + k] * b[4 * k + j]).sum();
        let mut product: [f64; 16] = core::array::from_fn(|e| entry(e / 4, e % 4));
        product[12..].copy_from_slice(&[0.0, 0.0, 0.0, 1.0]);
        Placement(product)
    }

    /// `((r0 x + r1 y) + r2 z) + t` on each row, every product and sum rounded: the formula that
    /// exact counts of other tools can be compared with.
    #[inline]
    pub fn apply(&self, p: DVec3) -> DVec3 {
        let m = &self.0;
        let row = |r: usize| ((m[r] * p.x + m[r + 1] * p.y) + m[r + 2] * p.z) + m[r + 3];
        DVec3::new(row(0), row(4), row(8))
    }
}

/// A mesh with its scale and place; several make a part.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Shared by all pieces of the same file.
    pub mesh: Arc<RawMesh>,
    /// Applied to the vertices first.
    pub scale: [f64; 3],
    /// Applied after the scale: mesh frame to world.
    pub placement: Placement,
}

/// How a scale and a placement treat the thickness of a mesh.
pub(crate) enum Flattening {
    /// Nothing is flattened.
    None,
    /// An axis is flattened in which no triangle has an extent.
    Harmless,
    /// This triangle loses its area.
    Collapses(usize),
}

impl Piece {
    /// Whether the piece is flattened.
    pub(crate) fn flattening(&self) -> Flattening {
        let Placement(m) = self.placement.after(&Placement::scaling(self.scale));
        if Placement(m).determinant() != 0.0 {
            return Flattening::None;
        }
        let largest = m.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        // The sizes of vertices and of the matrix do not matter, and could overflow.
        let size = self.mesh.vertices.iter().map(|v| v.abs().max_element()).fold(0.0, f64::max);
        let linear = Placement(core::array::from_fn(|e| if e % 4 == 3 { 0.0 } else { m[e] / largest }));
        match self.mesh.collapsed(|v| linear.apply(v / size)) {
            Some(triangle) => Flattening::Collapses(triangle),
            None => Flattening::Harmless,
        }
    }
}

/// A thing with a name that either collides with others or not.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Unique within what was read.
    pub name: String,
    /// At least one.
    pub pieces: Vec<Piece>,
}

impl Part {
    /// A part of one mesh as it stands.
    pub fn new(name: impl Into<String>, mesh: RawMesh) -> Part {
        let piece = Piece { mesh: Arc::new(mesh), scale: [1.0; 3], placement: Placement::IDENTITY };
        Part { name: name.into(), pieces: vec![piece] }
    }

    /// All triangles of the part.
    pub fn n_triangles(&self) -> usize {
        self.pieces.iter().map(|p| p.mesh.triangles.len()).sum()
    }

    /// The part as one mesh in world coordinates: scale, then place, without fused operations;
    /// pieces in order.
    ///
    /// A piece that is mirrored has its triangles turned over, so that outside stays outside. Fails
    /// when a coordinate overflows; the message names the vertex.
    pub fn world_mesh(&self) -> Result<RawMesh, String> {
        let mut world = RawMesh::default();
        for piece in &self.pieces {
            let first = world.vertices.len() as u32;
            let scale = DVec3::from_array(piece.scale);
            for (i, v) in piece.mesh.vertices.iter().enumerate() {
                let placed = piece.placement.apply(*v * scale);
                if !placed.is_finite() {
                    return Err(format!("vertex {i}, {v}, overflows when placed"));
                }
                world.vertices.push(placed);
            }
            let is_mirrored = (piece.placement.determinant() < 0.0)
                != (piece.scale.iter().filter(|s| **s < 0.0).count() % 2 == 1);
            world.triangles.extend(piece.mesh.triangles.iter().map(|t| {
                let [a, b, c] = t.map(|v| v + first);
                if is_mirrored { [a, c, b] } else { [a, b, c] }
            }));
        }
        Ok(world)
    }
}

/// Adds a line to a list of notes, which stays short.
pub(crate) fn push_note(notes: &mut Vec<String>, note: String) {
    match notes.len() {
        n if n < MAX_NOTES => notes.push(note),
        MAX_NOTES => notes.push("and more, which are not listed".to_owned()),
        _ => {}
    }
}

/// What a file holds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Model {
    /// In the order of the file.
    pub parts: Vec<Part>,
    /// The unit of length that the format demands; `None` where the file's author chose.
    pub unit: Option<&'static str>,
    /// The axis that points up by the format; `None` where the file's author chose.
    pub up: Option<&'static str>,
    /// Notes on how it was read: shapes approximated, polygons that are not flat. Each is one line,
    /// as is each that is unread.
    pub notes: Vec<String>,
    /// Things that may have a surface and were not read. A check of the parts is not complete then.
    pub unread: Vec<String>,
}

impl Model {
    /// Parts in the file's own unit and frame.
    pub(crate) fn new(parts: Vec<Part>) -> Model {
        Model { parts, unit: None, up: None, notes: Vec::new(), unread: Vec::new() }
    }
}

/// Makes names unique: the second `gear` becomes `gear#2`.
pub fn make_names_unique(parts: &mut [Part]) {
    make_unique(parts.iter_mut().map(|part| &mut part.name));
}

/// Makes each of these names unique.
pub(crate) fn make_unique<'a>(names: impl Iterator<Item = &'a mut String>) {
    let mut seen = std::collections::HashSet::new();
    let mut next: std::collections::HashMap<String, usize> = std::collections::HashMap::new();
    for name in names {
        if !seen.insert(name.clone()) {
            let n = next.entry(name.clone()).or_insert(2);
            let mut unique = format!("{name}#{n}");
            while !seen.insert(unique.clone()) {
                *n += 1;
                unique = format!("{name}#{n}");
            }
            *n += 1;
            *name = unique;
        }
    }
}
