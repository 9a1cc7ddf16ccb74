//! The solids of a collider: which closed sheets are their walls, and where the solid is.
//!
//! - The sign of the volume in a closed sheet says which of its sides is outside. So neither the
//!   winding of the file nor a face that is turned in it counts.
//! - A closed sheet in an even number of others is the outer wall of a solid. In an odd number it
//!   is the wall of a cavity in the innermost of them.
//! - A sheet is in another if all its vertices are: a half-line from each crosses an odd number of
//!   faces, decided exactly. Closed sheets that cross each other are solids that overlap.
//! - A closed sheet without volume, such as two faces back to back, is no wall.
//!
//! Reference: J. Foley, A. van Dam, S. Feiner, J. Hughes, Computer Graphics: Principles and
//! Practice, 2nd ed., 1990, 12.5 (shells of a boundary representation).

use crate::bounds::box_of;
use crate::sheets::{Sheets, corners_of};
use crate::update::build_tree;
use alloc::vec;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_bvh::Bvh;
use carom_geom::ray_mesh::line_crosses;
use core::ops::ControlFlow;
use glam::{DVec3, Vec3};

/// The part of the sum of absolute terms below which a volume is rounding.
const NO_VOLUME: f64 = 1e-12;

/// A closed sheet that is a wall of a solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wall {
    /// The sheet that is the outer wall of the same solid.
    pub(crate) outer: u32,
    /// Whether the front of the sheet, as it is, is the side of the solid.
    pub(crate) is_turned: bool,
}

/// Returns for each sheet whether, and of which solid, it is a wall.
pub(crate) fn walls(sheets: &Sheets, positions: &[Vec3]) -> Vec<Option<Wall>> {
    let mut faces: Vec<u32> = (0..sheets.faces().len() as u32).collect();
    faces.sort_by_key(|&face| sheets.sheet(face));
    let of_sheets: Vec<&[u32]> = faces.chunk_by(|&f, &g| sheets.sheet(f) == sheets.sheet(g)).collect();
    let volumes: Vec<f64> = (0..)
        .zip(&of_sheets)
        .map(|(sheet, faces)| if sheets.is_closed(sheet) { volume(sheets, positions, faces) } else { 0.0 })
        .collect();
    let around = if 1 < volumes.iter().filter(|volume| **volume != 0.0).count() {
        let faces = faces.iter().copied().filter(|&face| volumes[sheets.sheet(face) as usize] != 0.0);
        let faces = Faces::new(sheets, positions, faces.collect());
        let around_all = |(faces_of, volume): (&&[u32], &f64)| {
            if *volume == 0.0 { Vec::new() } else { faces.around_all(faces_of) }
        };
        of_sheets.iter().zip(&volumes).map(around_all).collect()
    } else {
        vec![Vec::new(); volumes.len()]
    };
    let wall = |sheet: usize| {
        let is_cavity = around[sheet].len() % 2 == 1;
        // The innermost is in the most others.
        let innermost = around[sheet].iter().copied().max_by_key(|&other| around[other as usize].len());
        let outer = innermost.filter(|_| is_cavity).unwrap_or(sheet as u32);
        (volumes[sheet] != 0.0).then_some(Wall { outer, is_turned: (volumes[sheet] < 0.0) != is_cavity })
    };
    (0..volumes.len()).map(wall).collect()
}

/// Returns six times the volume in a closed sheet, positive if its front is outside; 0 if it is
/// rounding.
fn volume(sheets: &Sheets, positions: &[Vec3], faces: &[u32]) -> f64 {
    let corners = |face: u32| corners_of(&sheets.faces()[face as usize], positions);
    let origin = faces.first().map_or(DVec3::ZERO, |&face| corners(face)[0]);
    let (mut sum, mut size) = (0.0, 0.0);
    for &face in faces {
        let [a, b, c] = corners(face).map(|p| p - origin);
        let term = a.dot(b.cross(c));
        sum += if sheets.is_turned(face) { -term } else { term };
        size += term.abs();
    }
    if size * NO_VOLUME < sum.abs() { sum } else { 0.0 }
}

/// The faces of the closed sheets, in a tree.
struct Faces<'a> {
    sheets: &'a Sheets,
    positions: &'a [Vec3],
    faces: Vec<u32>,
    tree: Bvh,
}

impl<'a> Faces<'a> {
    fn new(sheets: &'a Sheets, positions: &'a [Vec3], faces: Vec<u32>) -> Faces<'a> {
        let bounds =
            |face: &u32| box_of(sheets.faces()[*face as usize].map(|vertex| positions[vertex as usize]));
        let boxes: Vec<Aabb> = faces.iter().map(bounds).collect();
        Faces { sheets, positions, tree: build_tree(&boxes), faces }
    }

    /// Returns the other sheets around all vertices of the faces of one.
    fn around_all(&self, faces: &[u32]) -> Vec<u32> {
        let mut vertices: Vec<u32> =
            faces.iter().flat_map(|&face| self.sheets.faces()[face as usize]).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let own = faces.first().map(|&face| self.sheets.sheet(face));
        let mut all: Option<Vec<u32>> = None;
        for vertex in vertices {
            let mut around = self.around(self.positions[vertex as usize]);
            around.retain(|&sheet| Some(sheet) != own && all.as_ref().is_none_or(|all| all.contains(&sheet)));
            if around.is_empty() {
                return around;
            }
            all = Some(around);
        }
        all.unwrap_or_default()
    }

    /// Returns the sheets that have a point inside, or on them.
    fn around(&self, point: Vec3) -> Vec<u32> {
        let half_line = Aabb { min: point, max: Vec3::new(f32::INFINITY, point.y, point.z) };
        // Each crossing, and whether it is at the point itself.
        let mut crossings: Vec<(u32, bool)> = Vec::new();
        let _ = self.tree.visit_box(&half_line, |leaf| {
            for &index in leaf.primitives {
                let face = self.faces[index as usize];
                let corners = corners_of(&self.sheets.faces()[face as usize], self.positions);
                if let Some(hit) = line_crosses(point.as_dvec3(), DVec3::X, &corners)
                    && 0.0 <= hit.t
                {
                    crossings.push((self.sheets.sheet(face), hit.t == 0.0));
                }
            }
            ControlFlow::Continue(())
        });
        crossings.sort_unstable();
        crossings
            .chunk_by(|s, t| s.0 == t.0)
            .filter(|of_one| of_one.len() % 2 == 1 || of_one.iter().any(|(_, is_on)| *is_on))
            .map(|of_one| of_one[0].0)
            .collect()
    }
}
