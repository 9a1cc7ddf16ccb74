//! A convex piece of a level, given by the planes around it, and its faces as polygons.
//!
//! Faces are cut out of large squares, one plane after the other. Then each corner is computed
//! anew from the three planes that meet in it. The size of the squares therefore does not affect
//! the corners.
//!
//! Degenerate input: a plane that repeats another or touches nothing gets no face. An open brush
//! is refused, and so are an empty one, one of no thickness, and numbers that are not finite. The
//! error names the first plane at fault if there is one.
//!
//! Reference: I. Sutherland, G. Hodgman, Reentrant Polygon Clipping, 1974; Quake's map format
//! (idTech, 1996: brushes as half-spaces).

use crate::planes::SplitPlane;
use crate::tree::Contents;
use alloc::vec::Vec;
use carom_math::{scaling, tol};
use core::fmt;
use glam::DVec3;

/// A polygon in the surface of a brush.
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    /// The plane; its normal points out of the brush.
    pub plane: SplitPlane,
    /// The index of the plane among those given.
    pub number: usize,
    /// Counter-clockwise seen from outside.
    pub corners: Vec<DVec3>,
}

/// A convex piece of a level.
#[derive(Clone, Debug, PartialEq)]
pub struct Brush {
    faces: Vec<Face>,
    contents: Contents,
    size: f64,
}

/// The reason that a brush was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BrushError {
    /// The plane with this index has a NaN, an infinite coordinate, or one beyond 2^40.
    NotFinite(usize),
    /// The normal of the plane with this index has no direction.
    NoNormal(usize),
    /// The planes do not close: the face of the plane with this index extends to infinity.
    Open(usize),
    /// No point is behind all planes, or all such points are in one plane.
    Empty,
    /// No bit of the contents is set.
    NoContents,
}

impl fmt::Display for BrushError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BrushError::NotFinite(plane) => {
                write!(f, "plane {plane} of the brush has a number that is NaN, infinite or beyond 2^40")
            }
            BrushError::NoNormal(plane) => write!(f, "plane {plane} of the brush has no direction"),
            BrushError::Open(plane) => write!(f, "the brush is open: the face of plane {plane} has no end"),
            BrushError::Empty => write!(f, "the brush is empty: no space is behind all of its planes"),
            BrushError::NoContents => write!(f, "the brush has no contents"),
        }
    }
}

impl core::error::Error for BrushError {}

/// 2^40: up to this size, rounding of products of three coordinates does not matter to faces.
pub(crate) const LARGEST: f64 = 1_099_511_627_776.0;

/// The largest coordinate of a brush, over the largest distance of its planes from the origin.
const REACH: f64 = 4096.0;

/// A corner of a polygon, and the plane of the edge that leaves it.
#[derive(Clone, Copy)]
struct Corner {
    position: DVec3,
    /// `None` for an edge of the original square.
    edge: Option<usize>,
}

impl Brush {
    /// Returns the space behind all planes. Each normal points out of the brush and may have any
    /// length: a plane is all points with `normal . x = offset`. Errors: see [`BrushError`].
    pub fn from_planes(planes: &[SplitPlane], contents: Contents) -> Result<Brush, BrushError> {
        if contents.is_empty() {
            return Err(BrushError::NoContents);
        }
        let mut units = Vec::with_capacity(planes.len());
        for (i, plane) in planes.iter().enumerate() {
            let is_number = |x: f64| x.abs() <= LARGEST;
            let SplitPlane { normal, offset } = *plane;
            if !(is_number(normal.x) && is_number(normal.y) && is_number(normal.z) && is_number(offset)) {
                return Err(BrushError::NotFinite(i));
            }
            let unit = scaling::unit(normal).ok_or(BrushError::NoNormal(i))?;
            let offset = offset / scaling::length(normal);
            if !is_number(offset) {
                return Err(BrushError::NotFinite(i));
            }
            units.push(SplitPlane { normal: unit, offset });
        }
        let far = units.iter().fold(0.0_f64, |far, plane| far.max(plane.offset.abs()));
        // Planes that all pass through the origin have only that point in common, or are open.
        let far = if far == 0.0 { 1.0 } else { far };
        let mut faces = Vec::new();
        for number in 0..units.len() {
            if let Some(corners) = face(&units, number, far)? {
                faces.push(Face { plane: units[number], number, corners });
            }
        }
        let size = faces
            .iter()
            .flat_map(|face| &face.corners)
            .fold(0.0_f64, |size, p| size.max(p.abs().max_element()));
        let has_room = faces.len() >= 4
            && faces.iter().any(|face| {
                let least = corners_of(&faces).fold(0.0_f64, |least, p| least.min(face.plane.height(p)));
                least < -tol::BSP_THIN * size
            });
        if !has_room {
            return Err(BrushError::Empty);
        }
        Ok(Brush { faces, contents, size })
    }

    /// Returns a box with these least and greatest coordinates. Errors: see [`BrushError`].
    pub fn cuboid(low: DVec3, high: DVec3, contents: Contents) -> Result<Brush, BrushError> {
        let sides = [DVec3::X, DVec3::Y, DVec3::Z];
        let planes: Vec<SplitPlane> = sides
            .iter()
            .flat_map(|&n| {
                [
                    SplitPlane { normal: n, offset: n.dot(high) },
                    SplitPlane { normal: -n, offset: -n.dot(low) },
                ]
            })
            .collect();
        Brush::from_planes(&planes, contents)
    }

    /// The polygons around the brush; a plane that touches nothing has none.
    pub fn faces(&self) -> &[Face] {
        &self.faces
    }

    /// The contents of the brush.
    pub fn contents(&self) -> Contents {
        self.contents
    }

    /// The largest absolute coordinate.
    pub fn size(&self) -> f64 {
        self.size
    }

    /// The corners of all faces; a corner is repeated for each face that it is in.
    pub fn corners(&self) -> impl Iterator<Item = DVec3> + '_ {
        corners_of(&self.faces)
    }
}

fn corners_of(faces: &[Face]) -> impl Iterator<Item = DVec3> + '_ {
    faces.iter().flat_map(|face| face.corners.iter().copied())
}

/// Returns the polygon of one plane behind all the others; `None` if nothing of it is left.
fn face(planes: &[SplitPlane], number: usize, far: f64) -> Result<Option<Vec<DVec3>>, BrushError> {
    let own = planes[number];
    let (u, v) = own.normal.any_orthonormal_pair();
    let side = 2.0 * REACH * far;
    let middle = own.normal * own.offset;
    let mut polygon: Vec<Corner> = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
        .iter()
        .map(|&(x, y)| Corner { position: middle + (u * x + v * y) * side, edge: None })
        .collect();
    // Bounds the rounding of the square's corners, which cuts inherit.
    let thin = tol::BSP_THIN * far;
    for (i, plane) in planes.iter().enumerate() {
        if i == number {
            continue;
        }
        let turn = plane.normal.cross(own.normal).length_squared();
        if turn <= tol::BSP_SAME_NORMAL * tol::BSP_SAME_NORMAL {
            // Parallel planes: the first of several equal ones has the face.
            let ahead = own.offset - plane.offset * plane.normal.dot(own.normal).signum();
            let is_same_direction = 0.0 < plane.normal.dot(own.normal);
            let is_hidden = if is_same_direction {
                thin < ahead || (ahead.abs() <= thin && i < number)
            } else {
                ahead < thin
            };
            if is_hidden {
                return Ok(None);
            }
            continue;
        }
        polygon = cut(&polygon, plane, i);
        if polygon.len() < 3 {
            return Ok(None);
        }
    }
    let mut corners: Vec<DVec3> = Vec::with_capacity(polygon.len());
    for (i, corner) in polygon.iter().enumerate() {
        let before = polygon[(i + polygon.len() - 1) % polygon.len()].edge;
        let position = match (before, corner.edge) {
            (Some(a), Some(b)) => intersection_point(&own, &planes[a], &planes[b]).unwrap_or(corner.position),
            _ => corner.position,
        };
        if REACH * far < position.abs().max_element() {
            return Err(BrushError::Open(number));
        }
        if corners.last().is_none_or(|last| thin < (*last - position).length()) {
            corners.push(position);
        }
    }
    while 1 < corners.len() && (corners[0] - corners[corners.len() - 1]).length() <= thin {
        corners.pop();
    }
    Ok((corners.len() >= 3).then_some(corners))
}

/// Returns the part of a polygon behind a plane with this index.
fn cut(polygon: &[Corner], plane: &SplitPlane, number: usize) -> Vec<Corner> {
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (i, corner) in polygon.iter().enumerate() {
        let next = &polygon[(i + 1) % polygon.len()];
        let (here, there) = (plane.height(corner.position), plane.height(next.position));
        let crossing = || corner.position + (next.position - corner.position) * (here / (here - there));
        if here <= 0.0 {
            kept.push(*corner);
            if 0.0 < there && here < 0.0 {
                kept.push(Corner { position: crossing(), edge: Some(number) });
            } else if 0.0 < there {
                // The new edge starts at the corner itself.
                if let Some(last) = kept.last_mut() {
                    last.edge = Some(number);
                }
            }
        } else if there < 0.0 {
            kept.push(Corner { position: crossing(), edge: corner.edge });
        }
    }
    kept
}

/// Returns the point that three planes have in common, by Cramer's rule; `None` unless there is
/// exactly one.
fn intersection_point(a: &SplitPlane, b: &SplitPlane, c: &SplitPlane) -> Option<DVec3> {
    let across = b.normal.cross(c.normal);
    let volume = a.normal.dot(across);
    if volume.abs() <= tol::BSP_SAME_NORMAL {
        return None;
    }
    let sum = across * a.offset + c.normal.cross(a.normal) * b.offset + a.normal.cross(b.normal) * c.offset;
    Some(sum / volume)
}
