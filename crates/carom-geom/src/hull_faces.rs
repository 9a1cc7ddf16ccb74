//! A hull with given faces, which the exact hull of the corners must confirm.
//!
//! The sides of the faces cut the exact triangulation into regions. The faces are valid if each is
//! the rim of one region and nearly flat, if the regions are all triangles, and if every point is a
//! corner.

use crate::hull_build::{NONE, Triangulation, quickhull};
use crate::hull_merge::{Polytope, assembled, used_vertices};
use crate::normal::polygon_normal;
use alloc::vec;
use alloc::vec::Vec;
use glam::DVec3;

/// Returns the hull of points, scaled as [`quickhull`] needs it, with these faces: rings of
/// indices, counter-clockwise seen from outside. Corners of a face are at most `room` below its
/// highest. `None` if they are not valid.
pub(crate) fn with_faces(points: &[DVec3], faces: &[Vec<u32>], room: f64) -> Option<Polytope> {
    let surface = quickhull(points).ok()?;
    let vertices = used_vertices(points.len(), &surface);
    let face_of_side = rims(&surface, points.len(), faces)?;
    if vertices.len() != points.len() || !are_regions(&surface, &face_of_side, faces.len()) {
        return None;
    }
    let with_normal = |ring: &Vec<u32>| {
        let normal = polygon_normal(ring.len(), |i| points[ring[i] as usize])?;
        let heights = || ring.iter().map(|&v| normal.dot(points[v as usize]));
        let highest = heights().fold(f64::NEG_INFINITY, f64::max);
        heights().all(|height| highest - room <= height).then(|| (ring.clone(), normal))
    };
    let rings = faces.iter().map(with_normal).collect::<Option<Vec<_>>>()?;
    Some(assembled(rings, vertices, points, &surface))
}

/// Returns the face to the left of each side of a triangle, [`NONE`] inside a face. `None` if a
/// ring is not a simple polygon of such sides, if a side of a face has no face on its right, or if
/// a point is in no ring.
fn rims(surface: &Triangulation, n_points: usize, faces: &[Vec<u32>]) -> Option<Vec<u32>> {
    let mut sides: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * surface.triangles.len());
    for (t, &[a, b, c]) in (0u32..).zip(&surface.triangles) {
        sides.extend([([a, b], 3 * t), ([b, c], 3 * t + 1), ([c, a], 3 * t + 2)]);
    }
    sides.sort_unstable();
    let mut face_of_side = vec![NONE; sides.len()];
    let mut last_face = vec![NONE; n_points];
    for (face, ring) in (0u32..).zip(faces) {
        if ring.len() < 3 {
            return None;
        }
        for (i, &start) in ring.iter().enumerate() {
            let end = ring[(i + 1) % ring.len()];
            let found = sides.binary_search_by_key(&[start, end], |&(ends, _)| ends).ok()?;
            let is_taken = core::mem::replace(&mut face_of_side[sides[found].1 as usize], face) != NONE;
            let is_second = core::mem::replace(&mut last_face[start as usize], face) == face;
            if is_taken || is_second {
                return None;
            }
        }
    }
    let is_closed = (0..face_of_side.len()).all(|side| {
        let twin = surface.twins[side / 3][side % 3] as usize;
        (face_of_side[side] == NONE) == (face_of_side[twin] == NONE)
    });
    (is_closed && !last_face.contains(&NONE)).then_some(face_of_side)
}

/// Whether the triangles within the sides of each face are one region, and all are in a region.
fn are_regions(surface: &Triangulation, face_of_side: &[u32], n_faces: usize) -> bool {
    let mut face_of = vec![NONE; surface.triangles.len()];
    let mut is_found = vec![false; n_faces];
    let mut stack = Vec::new();
    for (first, &face) in face_of_side.iter().enumerate() {
        if face == NONE || is_found[face as usize] {
            continue;
        }
        is_found[face as usize] = true;
        stack.push(first as u32 / 3);
        while let Some(t) = stack.pop() {
            if core::mem::replace(&mut face_of[t as usize], face) == face {
                continue;
            }
            for i in 0..3 {
                match face_of_side[3 * t as usize + i] {
                    NONE => stack.push(surface.twins[t as usize][i] / 3),
                    other if other == face => {}
                    _ => return false,
                }
            }
        }
    }
    // A side in a region of another face was refused, so each side is in the region of its face.
    !face_of.contains(&NONE)
        && face_of_side.iter().enumerate().all(|(side, &face)| face == NONE || face_of[side / 3] == face)
}
