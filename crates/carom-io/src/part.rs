//! Parts: meshes as they are in a file, and their transforms to the world.

use crate::error::{Location, ReadError};
use crate::limits::MAX_NOTES;
use carom_math::f64::Pose;
use carom_math::tol;
use glam::{DMat3, DQuat, DVec3};
use std::path::Path;
use std::sync::Arc;

/// Vertices and triangles as a file gives them. They are checked: finite, indices in range, at
/// least one triangle.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct RawMesh {
    /// Positions in the file's own unit and frame.
    pub vertices: Vec<DVec3>,
    /// Three vertex indices each, in the order of the file. Polygons are triangulated.
    pub triangles: Vec<[u32; 3]>,
}

impl RawMesh {
    /// Returns the mesh. An error if it has no triangle, a vertex that is not finite, or an index
    /// out of range.
    pub(crate) fn checked(self, path: &Path) -> Result<RawMesh, ReadError> {
        self.checked_at(path, "")
    }

    /// Does the same as [`RawMesh::checked`] for one of several meshes of a file. `item` is its
    /// name there.
    pub(crate) fn checked_at(self, path: &Path, item: &str) -> Result<RawMesh, ReadError> {
        let item_location =
            |what: String| Location::Item(if item.is_empty() { what } else { format!("{item}, {what}") });
        let whole = || if item.is_empty() { Location::File } else { Location::Item(item.to_owned()) };
        if let Some(i) = self.vertices.iter().position(|v| !v.is_finite()) {
            let v = self.vertices[i];
            return Err(ReadError::at(
                path,
                item_location(format!("vertex {i}")),
                format!("{v} is not finite"),
            ));
        }
        if u32::try_from(self.vertices.len()).is_err() {
            return Err(ReadError::at(path, whole(), "more than 4294967295 vertices"));
        }
        for (i, triangle) in self.triangles.iter().enumerate() {
            if let Some(v) = triangle.iter().find(|v| self.vertices.len() <= **v as usize) {
                let reason = format!("vertex {v} of {}, counted from 0", self.vertices.len());
                return Err(ReadError::at(path, item_location(format!("triangle {i}")), reason));
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

    /// Adds a triangle strip; every second triangle is flipped. Triangles that repeat a corner
    /// only connect parts of the strip; they are left out.
    pub(crate) fn push_strip(&mut self, corners: &[u32]) {
        for (i, t) in corners.windows(3).enumerate() {
            if t[0] != t[1] && t[1] != t[2] && t[2] != t[0] {
                self.triangles.push(if i % 2 == 0 { [t[0], t[1], t[2]] } else { [t[1], t[0], t[2]] });
            }
        }
    }

    /// Returns a mesh of some triangles with the vertices that they use, in the order of the
    /// vertices.
    pub(crate) fn with_used_vertices(&self, mut triangles: Vec<[u32; 3]>) -> RawMesh {
        let used = used_vertices(&triangles);
        renumber(&used, &mut triangles);
        RawMesh { vertices: used.iter().map(|v| self.vertices[*v as usize]).collect(), triangles }
    }

    /// Returns the first triangle that has an area before the map `moved`, but none after it.
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

/// Returns the vertex indices that the triangles use, sorted and unique.
pub(crate) fn used_vertices(triangles: &[[u32; 3]]) -> Vec<u32> {
    let mut used: Vec<u32> = triangles.as_flattened().to_vec();
    used.sort_unstable();
    used.dedup();
    used.shrink_to_fit();
    used
}

/// Replaces vertex indices by their positions in the sorted list `used`.
pub(crate) fn renumber(used: &[u32], triangles: &mut [[u32; 3]]) {
    for v in triangles.as_flattened_mut() {
        *v = used.binary_search(v).unwrap_or(0) as u32;
    }
}

/// A row-major 4x4 affine matrix from a mesh's frame to the world; its last row is 0 0 0 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement(pub [f64; 16]);

impl Placement {
    /// The identity.
    pub const IDENTITY: Placement =
        Placement([1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]);

    /// Whether it moves without a turn or a scale.
    pub fn is_translation(&self) -> bool {
        let mut matrix = self.0;
        [3, 7, 11].into_iter().for_each(|k| matrix[k] = 0.0);
        Placement(matrix) == Placement::IDENTITY
    }

    /// Returns a scaling along the axes.
    pub(crate) fn scaling(scale: [f64; 3]) -> Placement {
        let mut placement = Placement::IDENTITY;
        for (k, s) in scale.into_iter().enumerate() {
            placement.0[5 * k] = s;
        }
        placement
    }

    /// Returns the placement of a matrix. The message of an error says what is wrong.
    ///
    /// Errors: a number is not finite, the last row is not 0 0 0 1, or the determinant is 0.
    pub fn checked(matrix: [f64; 16]) -> Result<Placement, String> {
        let placement = Placement::affine(matrix)?;
        if placement.determinant() == 0.0 {
            return Err("the matrix flattens: its determinant is 0".to_owned());
        }
        Ok(placement)
    }

    /// Returns the placement of a finite matrix with last row 0 0 0 1. The determinant may be 0.
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

    /// Returns the placement of a matrix that is written column by column, as in glTF. Rounding
    /// errors in its last row, as exporters that invert a matrix leave them, are removed.
    ///
    /// Errors: those of [`Placement::affine`].
    pub(crate) fn of_columns(columns: &[f64; 16]) -> Result<Placement, String> {
        let mut rows: [f64; 16] = core::array::from_fn(|e| columns[4 * (e % 4) + e / 4]);
        let last = [0.0, 0.0, 0.0, 1.0];
        if rows[12..].iter().zip(last).all(|(x, y)| (x - y).abs() <= tol::MATRIX_RIGIDITY) {
            rows[12..].copy_from_slice(&last);
        }
        Placement::affine(rows)
    }

    /// Returns how far the matrix is from a pure rotation: the largest absolute entry of R^T R - 1,
    /// and at least 2 for a mirror.
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

    /// Returns the determinant of the 3x3 part.
    pub fn determinant(&self) -> f64 {
        let m = &self.0;
        m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8])
            + m[2] * (m[4] * m[9] - m[5] * m[8])
    }

    /// Returns the pose of a placement that is rigid.
    pub fn pose(&self) -> Pose {
        let m = &self.0;
        let column = |c: usize| DVec3::new(m[c], m[4 + c], m[8 + c]);
        let rotation = DQuat::from_mat3(&DMat3::from_cols(column(0), column(1), column(2))).normalize();
        Pose::new(rotation, column(3))
    }

    /// Returns the product that applies `inner` first, then this placement.
    pub fn after(&self, inner: &Placement) -> Placement {
        let (a, b) = (&self.0, &inner.0);
        let entry = |i: usize, j: usize| (0..4).map(|k| a[4 * i + k] * b[4 * k + j]).sum();
        let mut product: [f64; 16] = core::array::from_fn(|e| entry(e / 4, e % 4));
        product[12..].copy_from_slice(&[0.0, 0.0, 0.0, 1.0]);
        Placement(product)
    }

    /// Transforms a point: `((r0 x + r1 y) + r2 z) + t` for each row. Each product and sum is
    /// rounded, so exact counts can be compared with tools that use the same formula.
    #[inline]
    pub fn apply(&self, p: DVec3) -> DVec3 {
        let m = &self.0;
        let row = |r: usize| ((m[r] * p.x + m[r + 1] * p.y) + m[r + 2] * p.z) + m[r + 3];
        DVec3::new(row(0), row(4), row(8))
    }
}

/// A mesh with its scale and placement. A part has one or more.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Shared by all pieces of the same file.
    pub mesh: Arc<RawMesh>,
    /// Applied to the vertices first.
    pub scale: [f64; 3],
    /// Applied after the scale: mesh frame to world.
    pub placement: Placement,
    /// The solid of the part that it belongs to. Pieces in a row with the same number bound one
    /// solid together. A link of a robot is the union of its collision elements, and each of these
    /// is a solid; other parts have one.
    pub solid: u32,
}

/// The effect of a scale and a placement on the areas of a mesh.
pub(crate) enum Flattening {
    /// Nothing is flattened.
    None,
    /// The map is singular, but no triangle loses its area.
    Harmless,
    /// The map is singular, and this triangle loses its area.
    Collapses(usize),
}

impl Piece {
    /// Appends the piece in world coordinates to a mesh: see [`Part::world_mesh`].
    fn append_to(&self, world: &mut RawMesh) -> Result<(), String> {
        let first = world.vertices.len() as u32;
        let scale = DVec3::from_array(self.scale);
        for (i, v) in self.mesh.vertices.iter().enumerate() {
            let placed = self.placement.apply(*v * scale);
            if !placed.is_finite() {
                return Err(format!("vertex {i}, {v}, overflows when placed"));
            }
            world.vertices.push(placed);
        }
        let is_mirrored = (self.placement.determinant() < 0.0)
            != (self.scale.iter().filter(|s| **s < 0.0).count() % 2 == 1);
        world.triangles.extend(self.mesh.triangles.iter().map(|t| {
            let [a, b, c] = t.map(|v| v + first);
            if is_mirrored { [a, c, b] } else { [a, b, c] }
        }));
        Ok(())
    }

    /// Returns whether the scale and the placement flatten the piece, and the first triangle that
    /// loses its area.
    pub(crate) fn flattening(&self) -> Flattening {
        let Placement(m) = self.placement.after(&Placement::scaling(self.scale));
        if Placement(m).determinant() != 0.0 {
            return Flattening::None;
        }
        let largest = m.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        // Both are divided by their largest number. Flatness does not depend on it, and products
        // could overflow.
        let size = self.mesh.vertices.iter().map(|v| v.abs().max_element()).fold(0.0, f64::max);
        let linear = Placement(core::array::from_fn(|e| if e % 4 == 3 { 0.0 } else { m[e] / largest }));
        match self.mesh.collapsed(|v| linear.apply(v / size)) {
            Some(triangle) => Flattening::Collapses(triangle),
            None => Flattening::Harmless,
        }
    }
}

/// A named object that is tested for collisions as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Unique within the model.
    pub name: String,
    /// Its meshes, at least one.
    pub pieces: Vec<Piece>,
}

impl Part {
    /// Returns a part of one mesh with the identity as its placement.
    pub fn new(name: impl Into<String>, mesh: RawMesh) -> Part {
        let piece = Piece { mesh: Arc::new(mesh), scale: [1.0; 3], placement: Placement::IDENTITY, solid: 0 };
        Part { name: name.into(), pieces: vec![piece] }
    }

    /// Returns the number of triangles of the part.
    pub fn n_triangles(&self) -> usize {
        self.pieces.iter().map(|p| p.mesh.triangles.len()).sum()
    }

    /// Returns the part as one mesh in world coordinates, piece after piece. Each vertex is scaled,
    /// then placed, without fused operations.
    ///
    /// The triangles of a mirrored piece are flipped, so that their outsides stay outside.
    ///
    /// Errors: a coordinate overflows; the message names the vertex.
    pub fn world_mesh(&self) -> Result<RawMesh, String> {
        let mut world = RawMesh::default();
        for piece in &self.pieces {
            piece.append_to(&mut world)?;
        }
        Ok(world)
    }

    /// Returns a mesh in world coordinates for each solid of the part. In a row they are
    /// [`Part::world_mesh`].
    ///
    /// Errors: those of [`Part::world_mesh`].
    pub fn solid_meshes(&self) -> Result<Vec<RawMesh>, String> {
        let mesh = |pieces: &[Piece]| {
            let mut mesh = RawMesh::default();
            pieces.iter().try_for_each(|piece| piece.append_to(&mut mesh))?;
            Ok(mesh)
        };
        self.pieces.chunk_by(|a, b| a.solid == b.solid).map(mesh).collect()
    }
}

/// Adds a line to a list of notes. Beyond [`MAX_NOTES`] the list ends with one line that says so.
pub(crate) fn push_note(notes: &mut Vec<String>, note: String) {
    match notes.len() {
        n if n < MAX_NOTES => notes.push(note),
        MAX_NOTES => notes.push("and more, which are not listed".to_owned()),
        _ => {}
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
