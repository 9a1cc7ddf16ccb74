//! A mesh whose edges are collapsed one after the other: the triangles at each vertex, and the
//! collapses allowed.
//!
//! Corners with equal coordinates are one vertex. A vertex is free if its triangles form one
//! closed fan, all oriented alike. Every other vertex is locked: on a border, at an edge of three
//! triangles, or between flipped or doubled triangles. A locked vertex stays in place, and only
//! free neighbours may collapse into it. A collapse must keep fans closed (the link condition),
//! and must not flip a triangle.
//!
//! Reference: T. Dey, H. Edelsbrunner, S. Guha, D. Nekhayev, Topology Preserving Edge Contraction,
//! Publications de l'Institut Mathematique 66, 1999 (the link condition).

use crate::surface::Unit;
use alloc::vec;
use alloc::vec::Vec;
use carom_geom::TriMesh;
use carom_math::ops::sqrt;
use carom_math::predicates::orient3d;
use carom_math::tol;
use glam::DVec3;

/// The side of the surface on which a new vertex must be, so that the solid only grows, or only
/// shrinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Outwards,
    Inwards,
}

/// An edge collapse: vertex `gone` merges into `keep`, which moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Collapse {
    pub(crate) keep: u32,
    pub(crate) gone: u32,
    /// The new position of `keep`, exact in `f32`.
    pub(crate) position: DVec3,
}

/// A mesh whose edges are collapsed, at unit size (see `surface.rs`).
#[derive(Clone, Debug)]
pub(crate) struct Patch {
    pub(crate) positions: Vec<DVec3>,
    pub(crate) faces: Vec<[u32; 3]>,
    pub(crate) is_alive: Vec<bool>,
    /// The living faces at each vertex.
    pub(crate) around: Vec<Vec<u32>>,
    pub(crate) is_locked: Vec<bool>,
    pub(crate) n_alive: usize,
}

impl Patch {
    /// Returns the mesh at unit size. Triangles with a repeated corner are dropped if another
    /// triangle has all of their corners.
    pub(crate) fn new(mesh: &TriMesh, unit: Unit) -> Patch {
        let (positions, faces) = weld(mesh, unit);
        let mut around = vec![Vec::new(); positions.len()];
        for (face, t) in (0_u32..).zip(&faces) {
            for (i, &v) in t.iter().enumerate() {
                if !t[..i].contains(&v) {
                    around[v as usize].push(face);
                }
            }
        }
        let mut is_alive = vec![true; faces.len()];
        for (face, t) in faces.iter().enumerate() {
            if has_repeated_corner(t) {
                let holds_it = |&other: &u32| {
                    let o = &faces[other as usize];
                    !has_repeated_corner(o) && t.iter().all(|v| o.contains(v))
                };
                is_alive[face] = !around[t[0] as usize].iter().any(holds_it);
            }
        }
        for faces in &mut around {
            faces.retain(|&face| is_alive[face as usize]);
        }
        let n_alive = is_alive.iter().filter(|&&alive| alive).count();
        let mut patch = Patch { positions, faces, is_alive, around, is_locked: Vec::new(), n_alive };
        patch.is_locked = (0..patch.positions.len() as u32).map(|v| !patch.is_closed_fan(v)).collect();
        patch
    }

    /// Whether the faces at a vertex form one closed circle.
    fn is_closed_fan(&self, vertex: u32) -> bool {
        let faces = &self.around[vertex as usize];
        let mut rim: Vec<(u32, u32)> = Vec::with_capacity(faces.len());
        for &face in faces {
            match opposite(&self.faces[face as usize], vertex) {
                Some(edge) if edge.0 != edge.1 && edge.0 != vertex && edge.1 != vertex => rim.push(edge),
                _ => return false,
            }
        }
        let Some(&(first, mut at)) = rim.first() else { return false };
        for n_visited in 1..=rim.len() {
            let mut following = rim.iter().filter(|edge| edge.0 == at);
            let Some(next) = following.next() else { return false };
            if following.next().is_some() {
                return false;
            }
            if at == first {
                return n_visited == rim.len() && 3 <= rim.len();
            }
            at = next.1;
        }
        false
    }

    /// The corners of a face.
    pub(crate) fn corners(&self, face: u32) -> [DVec3; 3] {
        self.faces[face as usize].map(|v| self.positions[v as usize])
    }

    /// The corners of a face after a collapse.
    pub(crate) fn corners_after(&self, face: u32, collapse: &Collapse) -> [DVec3; 3] {
        self.faces[face as usize].map(|v| {
            if v == collapse.keep || v == collapse.gone {
                collapse.position
            } else {
                self.positions[v as usize]
            }
        })
    }

    /// The other vertices of the faces at a vertex, in order.
    pub(crate) fn neighbours(&self, vertex: u32) -> Vec<u32> {
        let mut all: Vec<u32> = self.around[vertex as usize]
            .iter()
            .flat_map(|&face| self.faces[face as usize])
            .filter(|&v| v != vertex)
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Returns the faces that a collapse changes or removes: those at the removed vertex, and
    /// those at the kept one if it moves.
    pub(crate) fn changed<'a>(&'a self, collapse: &'a Collapse) -> impl Iterator<Item = u32> + Clone + 'a {
        let moves = self.positions[collapse.keep as usize] != collapse.position;
        let at_gone = &self.around[collapse.gone as usize];
        let at_keep = self.around[collapse.keep as usize].iter();
        let at_keep = at_keep.filter(move |face| moves && !self.has(**face, collapse.gone));
        at_gone.iter().chain(at_keep).copied()
    }

    /// Whether a face has this vertex.
    pub(crate) fn has(&self, face: u32, vertex: u32) -> bool {
        self.faces[face as usize].contains(&vertex)
    }

    /// Whether the collapse keeps every fan closed and makes no face that exists already.
    pub(crate) fn keeps_fans(&self, collapse: &Collapse) -> bool {
        let Collapse { keep, gone, .. } = *collapse;
        let n_shared_faces = self.around[gone as usize].iter().filter(|&&face| self.has(face, keep)).count();
        let of_keep = self.neighbours(keep);
        let n_shared = self.neighbours(gone).iter().filter(|v| of_keep.binary_search(v).is_ok()).count();
        if n_shared_faces != 2 || n_shared != 2 {
            return false;
        }
        let rim = |face: &u32, vertex| {
            let (p, q) = opposite(&self.faces[*face as usize], vertex)?;
            Some((p.min(q), p.max(q)))
        };
        let mut rims: Vec<(u32, u32)> = Vec::new();
        for (vertex, other) in [(gone, keep), (keep, gone)] {
            let faces = self.around[vertex as usize].iter().filter(|&&face| !self.has(face, other));
            rims.extend(faces.filter_map(|face| rim(face, vertex)));
        }
        rims.sort_unstable();
        // A locked vertex may have doubled faces; they do not touch the removed vertex.
        let mut at_gone = self.around[gone as usize].iter().filter(|&&face| !self.has(face, keep));
        at_gone.all(|face| {
            rim(face, gone).is_some_and(|edge| rims.iter().filter(|&&other| other == edge).count() == 1)
        })
    }

    /// Whether no remaining face turns over or loses its area.
    pub(crate) fn keeps_normals(&self, collapse: &Collapse) -> bool {
        let Collapse { keep, gone, .. } = *collapse;
        self.changed(collapse).filter(|&face| !(self.has(face, keep) && self.has(face, gone))).all(|face| {
            let (before, after) = (normal(&self.corners(face)), normal(&self.corners_after(face, collapse)));
            let lengths_sq = before.length_squared() * after.length_squared();
            // A face without area has no side to turn to.
            before == DVec3::ZERO
                || (0.0 < lengths_sq && tol::COLLAPSE_TURN * sqrt(lengths_sq) < before.dot(after))
        })
    }

    /// Whether the new vertex is beyond, or on, the plane of every face that changes, by exact
    /// signs.
    ///
    /// If so, the collapse adds to the surface the boundaries of tetrahedra from these faces to
    /// the new vertex, all with the same orientation. So no winding number decreases (outwards) or
    /// increases (inwards).
    pub(crate) fn is_beyond(&self, collapse: &Collapse, direction: Direction) -> bool {
        self.changed(collapse).all(|face| {
            let [a, b, c] = self.corners(face);
            // Positive below the face, inside.
            let side = orient3d(a, b, c, collapse.position);
            match direction {
                Direction::Outwards => side <= 0.0,
                Direction::Inwards => 0.0 <= side,
            }
        })
    }

    /// Makes the collapse. The faces at the edge are removed; the others at `gone` are now at
    /// `keep`.
    pub(crate) fn apply(&mut self, collapse: &Collapse) {
        let Collapse { keep, gone, position } = *collapse;
        self.positions[keep as usize] = position;
        for face in core::mem::take(&mut self.around[gone as usize]) {
            let t = self.faces[face as usize];
            if t.contains(&keep) {
                self.is_alive[face as usize] = false;
                self.n_alive -= 1;
                for v in t {
                    self.around[v as usize].retain(|&other| other != face);
                }
            } else {
                self.faces[face as usize] = t.map(|v| if v == gone { keep } else { v });
                self.around[keep as usize].push(face);
            }
        }
    }

    /// The living faces.
    pub(crate) fn alive(&self) -> impl Iterator<Item = u32> + '_ {
        (0_u32..).zip(&self.is_alive).filter(|(_, alive)| **alive).map(|(face, _)| face)
    }
}

/// The normal of a triangle, with twice its area as the length.
pub(crate) fn normal(t: &[DVec3; 3]) -> DVec3 {
    (t[1] - t[0]).cross(t[2] - t[0])
}

/// The edge of a triangle that does not touch one of its vertices, in the triangle's direction.
fn opposite(t: &[u32; 3], vertex: u32) -> Option<(u32, u32)> {
    let i = t.iter().position(|&v| v == vertex)?;
    Some((t[(i + 1) % 3], t[(i + 2) % 3]))
}

fn has_repeated_corner(t: &[u32; 3]) -> bool {
    t[0] == t[1] || t[1] == t[2] || t[2] == t[0]
}

/// Returns the vertices that triangles use, at unit size, and the triangles over them. Vertices
/// with equal coordinates are merged.
fn weld(mesh: &TriMesh, unit: Unit) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let positions: Vec<DVec3> = mesh.vertices().iter().map(|&v| unit.enter(v)).collect();
    let mut is_used = vec![false; positions.len()];
    mesh.indices().iter().flatten().for_each(|&v| is_used[v as usize] = true);
    let mut order: Vec<u32> = (0..positions.len() as u32).filter(|&v| is_used[v as usize]).collect();
    let key = |v: u32| positions[v as usize].to_array();
    order.sort_unstable_by(|&v, &w| {
        let (p, q) = (key(v), key(w));
        p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])).then(p[2].total_cmp(&q[2])).then(v.cmp(&w))
    });
    // The first vertex at each position represents all of them.
    let mut first = vec![0; positions.len()];
    for (i, &v) in order.iter().enumerate() {
        let is_same = 0 < i && positions[order[i - 1] as usize] == positions[v as usize];
        first[v as usize] = if is_same { first[order[i - 1] as usize] } else { v };
    }
    let mut number = vec![u32::MAX; positions.len()];
    let mut used = Vec::new();
    let mut faces = Vec::with_capacity(mesh.n_triangles());
    for t in mesh.indices() {
        faces.push(t.map(|v| {
            let v = first[v as usize] as usize;
            if number[v] == u32::MAX {
                number[v] = used.len() as u32;
                used.push(positions[v]);
            }
            number[v]
        }));
    }
    (used, faces)
}
