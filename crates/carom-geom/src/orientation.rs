//! Finds the triangles of a closed mesh to flip so that all face outwards.
//!
//! Neighbours over an edge run along it in opposite directions. This rule orients a component up
//! to one choice, and the sign of its volume decides that. A component inside an odd number of
//! others bounds a cavity and faces inwards. All signs are exact. A mesh with an edge of one
//! triangle, or of more than two, has no orientation; nor has a one-sided surface.
//!
//! Reference: S. Takayama, A. Jacobson, L. Kavan, O. Sorkine-Hornung, A Simple Method for
//! Correcting Facet Orientations in Polygon Meshes Based on Ray Casting, JCGT 3(4), 2014, section 1
//! (propagation over manifold edges).
//! Differs: the sign of the volume and containment choose between the two orientations of a
//! component, not rays.

use crate::ray_mesh::{HalfLine, half_line};
use crate::weld::weld;
use alloc::vec;
use alloc::vec::Vec;
use carom_math::exact_number::{ExactNumber, ExactVec3};
use carom_math::predicates::{orient2d_along, orient3d};
use glam::DVec3;

/// Number of vertices of a component that are tested against another component.
const MAX_SAMPLES: usize = 16;

/// Marks the absence of a component.
const NONE: u32 = u32::MAX;

/// The orientation of a mesh: the triangles to flip so that all face outwards.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Orientation {
    /// Each edge has two triangles. With these triangles flipped, all face away from the solid.
    Known {
        /// Numbers of triangles, ascending; empty if the mesh is right as it is.
        turned: Vec<u32>,
    },
    /// Inside and outside cannot be distinguished.
    Unknown(Ambiguity),
}

/// Why a mesh has no inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ambiguity {
    /// Edges have one triangle, or more than two.
    NotClosed {
        /// Number of edges of one triangle.
        n_boundary: usize,
        /// Number of edges of more than two triangles.
        n_non_manifold: usize,
    },
    /// Neighbours have opposite orientations, and the orientation is to be kept.
    Flipped,
    /// The surface is one-sided, like a Klein bottle.
    OneSided,
    /// A component crosses itself, and its signed volumes cancel.
    NoVolume,
}

impl core::fmt::Display for Ambiguity {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Ambiguity::NotClosed { n_boundary, n_non_manifold } => {
                write!(f, "edges of one triangle: {n_boundary}, of more than two: {n_non_manifold}")
            }
            Ambiguity::Flipped => write!(f, "neighbours are turned against each other"),
            Ambiguity::OneSided => write!(f, "the surface has one side"),
            Ambiguity::NoVolume => write!(f, "a component crosses itself and has no volume"),
        }
    }
}

impl Orientation {
    /// Returns the triangles to flip; `None` if inside and outside cannot be distinguished.
    pub fn turned(&self) -> Option<&[u32]> {
        match self {
            Orientation::Known { turned } => Some(turned),
            Orientation::Unknown(_) => None,
        }
    }
}

/// Returns the orientation of triangles given by their corners; corners with equal coordinates are
/// one vertex. The time is that of sorting corners and edges. Components with overlapping boxes
/// cost at worst the product of their sizes.
pub fn orientation(corners: &[[DVec3; 3]]) -> Orientation {
    let (triangles, _) = weld(corners);
    let links = match links(&triangles) {
        Ok(links) => links,
        Err(why) => return Orientation::Unknown(why),
    };
    let Some((mut components, mut is_turned)) = components(corners, &triangles, &links) else {
        return Orientation::Unknown(Ambiguity::OneSided);
    };
    for component in &mut components {
        let sign = volume_sign(corners, &component.triangles, &is_turned);
        if sign == 0.0 && !is_flat(corners, &component.triangles) {
            return Orientation::Unknown(Ambiguity::NoVolume);
        }
        if sign < 0.0 {
            component.turn(&mut is_turned);
        }
    }
    // Depths are computed before any component is flipped, because containment does not depend on
    // orientation.
    let depth = |a: &Component| components.iter().filter(|b| b.contains(a, corners, &is_turned)).count();
    let inwards: Vec<bool> = components.iter().map(|a| depth(a) % 2 == 1).collect();
    for (component, is_inwards) in components.iter().zip(inwards) {
        if is_inwards {
            component.turn(&mut is_turned);
        }
    }
    let turned = (0..).zip(&is_turned).filter(|(_, turned)| **turned).map(|(t, _)| t).collect();
    Orientation::Known { turned }
}

/// Two triangles of an edge, and whether they run along it in the same direction.
type Link = (u32, u32, bool);

/// Returns the edges of all triangles without repeated corners, sorted: the lower vertex, the
/// higher one, the triangle, and whether it runs from the lower to the higher.
pub(crate) fn sorted_edges(triangles: &[[u32; 3]]) -> Vec<(u32, u32, u32, bool)> {
    let mut edges = Vec::with_capacity(3 * triangles.len());
    for (number, t) in (0u32..).zip(triangles) {
        if has_repeated_corner(t) {
            continue;
        }
        for i in 0..3 {
            let (from, to) = (t[i], t[(i + 1) % 3]);
            edges.push((from.min(to), from.max(to), number, from < to));
        }
    }
    edges.sort_unstable();
    edges
}

/// Returns the links over all edges.
fn links(triangles: &[[u32; 3]]) -> Result<Vec<Link>, Ambiguity> {
    let edges = sorted_edges(triangles);
    let mut links = Vec::with_capacity(edges.len() / 2);
    let (mut n_boundary, mut n_non_manifold) = (0, 0);
    for same in edges.chunk_by(|e, f| (e.0, e.1) == (f.0, f.1)) {
        match same {
            [_] => n_boundary += 1,
            [e, f] => links.push((e.2, f.2, e.3 == f.3)),
            _ => n_non_manifold += 1,
        }
    }
    let is_closed = n_boundary == 0 && n_non_manifold == 0;
    if is_closed { Ok(links) } else { Err(Ambiguity::NotClosed { n_boundary, n_non_manifold }) }
}

/// Whether two corners of a triangle are the same vertex.
pub(crate) fn has_repeated_corner(t: &[u32; 3]) -> bool {
    t[0] == t[1] || t[1] == t[2] || t[2] == t[0]
}

/// Triangles that are connected by edges.
struct Component {
    triangles: Vec<u32>,
    min: DVec3,
    max: DVec3,
}

impl Component {
    fn turn(&self, is_turned: &mut [bool]) {
        for &t in &self.triangles {
            is_turned[t as usize] = !is_turned[t as usize];
        }
    }

    /// Whether another component lies inside this one, judged by some of its vertices.
    fn contains(&self, other: &Component, corners: &[[DVec3; 3]], is_turned: &[bool]) -> bool {
        let is_within = self.min.cmple(other.min).all() && other.max.cmple(self.max).all();
        if !is_within || core::ptr::eq(self, other) {
            return false;
        }
        let step = other.triangles.len().div_ceil(MAX_SAMPLES).max(1);
        let mut is_inside = false;
        for &t in other.triangles.iter().step_by(step) {
            match self.winding(corners[t as usize][0], corners, is_turned) {
                Some(0) => return false,
                Some(_) => is_inside = true,
                // On this surface: not decisive.
                None => {}
            }
        }
        is_inside
    }

    /// Returns the winding number of the component around a point; `None` on its surface.
    fn winding(&self, p: DVec3, corners: &[[DVec3; 3]], is_turned: &[bool]) -> Option<i64> {
        let mut winding = 0;
        for &t in &self.triangles {
            match half_line(p, &corners[t as usize]) {
                HalfLine::Misses => {}
                HalfLine::StartsIn => return None,
                HalfLine::Crosses { is_back_face } => {
                    winding += if is_back_face != is_turned[t as usize] { 1 } else { -1 };
                }
            }
        }
        Some(winding)
    }
}

/// Returns the components, and for each triangle whether it is flipped to agree with the first of
/// its component. `None` for a contradiction.
fn components(
    corners: &[[DVec3; 3]],
    triangles: &[[u32; 3]],
    links: &[Link],
) -> Option<(Vec<Component>, Vec<bool>)> {
    let n = triangles.len();
    let mut starts = vec![0_u32; n + 1];
    for &(a, b, _) in links {
        starts[a as usize + 1] += 1;
        starts[b as usize + 1] += 1;
    }
    for i in 0..n {
        starts[i + 1] += starts[i];
    }
    let mut next = starts.clone();
    let mut neighbours = vec![(0_u32, false); 2 * links.len()];
    for &(a, b, is_same) in links {
        for (from, to) in [(a, b), (b, a)] {
            neighbours[next[from as usize] as usize] = (to, is_same);
            next[from as usize] += 1;
        }
    }
    let mut is_turned = vec![false; n];
    let mut owner = vec![NONE; n];
    let mut components = Vec::new();
    let mut open = Vec::new();
    for seed in 0..n as u32 {
        if owner[seed as usize] != NONE || has_repeated_corner(&triangles[seed as usize]) {
            continue;
        }
        let number = components.len() as u32;
        let mut component =
            Component { triangles: Vec::new(), min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };
        owner[seed as usize] = number;
        open.push(seed);
        while let Some(t) = open.pop() {
            component.triangles.push(t);
            for p in corners[t as usize] {
                (component.min, component.max) = (component.min.min(p), component.max.max(p));
            }
            for &(other, is_same) in &neighbours[starts[t as usize] as usize..starts[t as usize + 1] as usize]
            {
                let wanted = is_turned[t as usize] != is_same;
                if owner[other as usize] == NONE {
                    owner[other as usize] = number;
                    is_turned[other as usize] = wanted;
                    open.push(other);
                } else if is_turned[other as usize] != wanted {
                    return None;
                }
            }
        }
        component.triangles.sort_unstable();
        components.push(component);
    }
    Some((components, is_turned))
}

/// Returns the sign of the volume that a closed component encloses; exact.
fn volume_sign(corners: &[[DVec3; 3]], triangles: &[u32], is_turned: &[bool]) -> f64 {
    let Some(&first) = triangles.first() else { return 0.0 };
    let apex = corners[first as usize][0];
    let (mut sum, mut size) = (0.0_f64, 0.0_f64);
    for &t in triangles {
        let [a, b, c] = corners[t as usize].map(|p| p - apex);
        let volume = a.dot(b.cross(c));
        sum += if is_turned[t as usize] { -volume } else { volume };
        let (u, v) = (b.abs(), c.abs());
        let products = DVec3::new(u.y * v.z + u.z * v.y, u.z * v.x + u.x * v.z, u.x * v.y + u.y * v.x);
        size += a.abs().dot(products);
    }
    // Rounding: about ten per term, and one per term for the sum.
    let error = (16.0 + triangles.len() as f64) * f64::EPSILON * size;
    if error < sum.abs() && sum.is_finite() && f64::MIN_POSITIVE < error {
        return sum.signum();
    }
    let mut sum = ExactNumber::from(0.0);
    for &t in triangles {
        let [a, b, c] = corners[t as usize].map(|p| ExactVec3::difference(p, apex));
        let volume = a.dot(&b.cross(&c));
        sum = if is_turned[t as usize] { &sum - &volume } else { &sum + &volume };
    }
    sum.sign()
}

/// Whether all triangles lie in one plane.
fn is_flat(corners: &[[DVec3; 3]], triangles: &[u32]) -> bool {
    let all = || triangles.iter().map(|&t| &corners[t as usize]);
    let has_area = |t: &&[DVec3; 3]| (0..3).any(|axis| orient2d_along(axis, t[0], t[1], t[2]) != 0.0);
    let Some([a, b, c]) = all().find(has_area) else { return true };
    all().flatten().all(|p| orient3d(*a, *b, *c, *p) == 0.0)
}
