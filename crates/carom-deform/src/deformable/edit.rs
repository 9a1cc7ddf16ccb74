//! Edits of a mesh: elements are removed and added, and the mesh separates at joints.
//!
//! - Elements are the triangles, segments or tetrahedra of the mesh. Those that stay keep their
//!   order, and new ones come last. Vertices keep their numbers, and new ones come last. Edges,
//!   and the faces of tetrahedra, get the numbers that a mesh made anew would have.
//! - Two elements are joined if they share an edge (triangles), a face (tetrahedra) or a vertex
//!   (segments). If a joint is separated, the elements around each of its vertices fall into
//!   groups that the remaining joints hold together. The group with the lowest element keeps the
//!   vertex; each other group gets a copy. A vertex with one group is not copied.
//! - Vertices that count as one because they have the same position are separated as one.
//! - The trees follow at the next search or query, several edits at once. Each feature stays where
//!   it was in the tree, and a copy is added near its original. The update computes all boxes of
//!   the mesh, and allocates.
//!
//! Reference: J. O'Brien, J. Hodgins, Graphical Modeling and Animation of Brittle Fracture, 1999,
//! 3.3 (a vertex is copied for each side of a crack). Differs: no element is split; remove it and
//! add its pieces.

use super::{
    DeformableMesh, Elements, check_count, check_vertices, checked_travel, edges_of, sorted_lists, surface,
    triangle_edges, vertices_of,
};
use crate::error::DeformError;
use crate::update::FollowingTree;
use alloc::vec;
use alloc::vec::Vec;
use carom_bvh::ADDED;
use core::ops::Range;
use glam::Vec3;

/// The numbers of the added vertices and elements.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AddedElements {
    /// The vertices: the last ones.
    pub vertices: Range<u32>,
    /// The triangles, segments or tetrahedra: the last ones.
    pub elements: Range<u32>,
}

/// The features of a mesh after an edit.
struct Edited {
    inside: Elements,
    faces: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
    edge_owners: Vec<u32>,
}

/// For a mesh of triangles.
impl<T: FollowingTree> DeformableMesh<T> {
    /// Removes triangles, by their numbers; a number may occur twice. The others keep their order,
    /// as with `Vec::retain`. Vertices stay: see [`DeformableMesh::remove_unused_vertices`]. On an
    /// error nothing changes.
    pub fn remove_faces(&mut self, faces: &[u32]) -> Result<(), DeformError> {
        let rest = without(self.own_triangles()?, faces)?;
        self.apply(of_triangles(rest)?, &[]);
        Ok(())
    }

    /// Adds vertices, and then triangles of old or new vertices. The new vertices are at rest:
    /// their positions before and now are the same. An error about a new position has the number
    /// that the vertex would get; one about a triangle has its index in `faces`. On an error
    /// nothing changes.
    pub fn add_faces(
        &mut self,
        positions: &[Vec3],
        faces: &[[u32; 3]],
    ) -> Result<AddedElements, DeformError> {
        let all = self.with_added(self.own_triangles()?, positions, faces)?;
        let edited = of_triangles(all)?;
        Ok(self.apply_added(edited, positions, faces.len()))
    }

    /// Tears the mesh along edges, each given by its two vertices. The triangles beside a torn
    /// edge separate unless something else joins them. So one edge inside a sheet does nothing. An
    /// edge that ends at the border, or two in a row, open the sheet.
    ///
    /// Returns for each new vertex the one that it copies. New vertices come last. They have the
    /// positions of their originals, before and now. The caller extends arrays by vertex: `for
    /// from in made { masses.push(masses[from as usize]) }`. On an error nothing changes.
    pub fn tear(&mut self, edges: &[[u32; 2]]) -> Result<Vec<u32>, DeformError> {
        let parted = self.split_features(self.own_triangles()?, edges)?;
        let edited = of_triangles(parted.elements)?;
        Ok(self.apply_parted(edited, parted.made, &parted.labels))
    }

    fn own_triangles(&self) -> Result<&[[u32; 3]], DeformError> {
        if let Elements::Triangles = self.inside { Ok(&self.faces) } else { Err(DeformError::OtherElements) }
    }
}

/// For a mesh of segments.
impl<T: FollowingTree> DeformableMesh<T> {
    /// Removes segments, by their numbers in the order in which they were given: as
    /// [`DeformableMesh::remove_faces`].
    pub fn remove_segments(&mut self, segments: &[u32]) -> Result<(), DeformError> {
        let rest = without(self.own_segments()?, segments)?;
        self.apply(of_segments(rest)?, &[]);
        Ok(())
    }

    /// Adds vertices and segments: as [`DeformableMesh::add_faces`].
    pub fn add_segments(
        &mut self,
        positions: &[Vec3],
        segments: &[[u32; 2]],
    ) -> Result<AddedElements, DeformError> {
        let all = self.with_added(self.own_segments()?, positions, segments)?;
        let edited = of_segments(all)?;
        Ok(self.apply_added(edited, positions, segments.len()))
    }

    /// Cuts ropes at vertices: each segment there gets its own copy of the vertex. Returns the
    /// same as [`DeformableMesh::tear`].
    pub fn cut(&mut self, vertices: &[u32]) -> Result<Vec<u32>, DeformError> {
        let parted = self.split_features(self.own_segments()?, vertices.as_chunks::<1>().0)?;
        let edited = of_segments(parted.elements)?;
        Ok(self.apply_parted(edited, parted.made, &parted.labels))
    }

    /// The segments by their numbers; empty for a mesh of other elements.
    pub fn segments(&self) -> &[[u32; 2]] {
        if let Elements::Segments(all) = &self.inside { all } else { &[] }
    }

    fn own_segments(&self) -> Result<&[[u32; 2]], DeformError> {
        if let Elements::Segments(all) = &self.inside { Ok(all) } else { Err(DeformError::OtherElements) }
    }
}

/// For a mesh of tetrahedra.
impl<T: FollowingTree> DeformableMesh<T> {
    /// Removes tetrahedra, by their numbers: as [`DeformableMesh::remove_faces`]. Faces that they
    /// covered join the surface.
    pub fn remove_tetrahedra(&mut self, tetrahedra: &[u32]) -> Result<(), DeformError> {
        let rest = without(self.own_tetrahedra()?, tetrahedra)?;
        self.apply(of_tetrahedra(rest)?, &[]);
        Ok(())
    }

    /// Adds vertices and tetrahedra: as [`DeformableMesh::add_faces`].
    pub fn add_tetrahedra(
        &mut self,
        positions: &[Vec3],
        tetrahedra: &[[u32; 4]],
    ) -> Result<AddedElements, DeformError> {
        let all = self.with_added(self.own_tetrahedra()?, positions, tetrahedra)?;
        let edited = of_tetrahedra(all)?;
        Ok(self.apply_added(edited, positions, tetrahedra.len()))
    }

    /// Breaks the body along faces between tetrahedra, each given by its three vertices: as
    /// [`DeformableMesh::tear`] along edges. If the two sides separate, their faces join the
    /// surface.
    pub fn fracture(&mut self, faces: &[[u32; 3]]) -> Result<Vec<u32>, DeformError> {
        let parted = self.split_features(self.own_tetrahedra()?, faces)?;
        let edited = of_tetrahedra(parted.elements)?;
        Ok(self.apply_parted(edited, parted.made, &parted.labels))
    }

    /// The tetrahedra by their numbers; empty for a mesh of other elements.
    pub fn tetrahedra(&self) -> &[[u32; 4]] {
        if let Elements::Tetrahedra(all) = &self.inside { all } else { &[] }
    }

    fn own_tetrahedra(&self) -> Result<&[[u32; 4]], DeformError> {
        if let Elements::Tetrahedra(all) = &self.inside { Ok(all) } else { Err(DeformError::OtherElements) }
    }
}

/// For a mesh of any elements.
impl<T: FollowingTree> DeformableMesh<T> {
    /// Removes the vertices that no element has, which edits leave behind. Returns the old number
    /// of each remaining vertex; their order stays. After this call
    /// [`DeformableMesh::set_positions`] takes fewer positions.
    ///
    /// If a vertex was removed, [`ContactSides`](crate::ContactSides) and
    /// [`RayDepths`](crate::RayDepths) of this mesh forget what they know about its vertices. So
    /// call it while no vertex is on the wrong side of an open collider.
    pub fn remove_unused_vertices(&mut self) -> Vec<u32> {
        let mut numbers = vec![ADDED; self.after.len()];
        let mut mark = |vertices: &[u32]| vertices.iter().for_each(|&vertex| numbers[vertex as usize] = 0);
        match &self.inside {
            Elements::Triangles => mark(self.faces.as_flattened()),
            Elements::Segments(segments) => mark(segments.as_flattened()),
            Elements::Tetrahedra(tetrahedra) => mark(tetrahedra.as_flattened()),
        }
        let origins: Vec<u32> = (0..).zip(&numbers).filter(|(_, n)| **n != ADDED).map(|(v, _)| v).collect();
        for (number, &origin) in (0..).zip(&origins) {
            numbers[origin as usize] = number;
        }
        let renumber = |vertices: &mut [u32]| vertices.iter_mut().for_each(|v| *v = numbers[*v as usize]);
        // Renumbering keeps the order of vertices, so features keep their numbers and trees stay.
        renumber(&mut self.vertices);
        renumber(self.edges.as_flattened_mut());
        renumber(self.faces.as_flattened_mut());
        match &mut self.inside {
            Elements::Triangles => {}
            Elements::Segments(segments) => renumber(segments.as_flattened_mut()),
            Elements::Tetrahedra(tetrahedra) => renumber(tetrahedra.as_flattened_mut()),
        }
        if !self.stands_for.is_empty() {
            // The lowest remaining vertex represents the others.
            let mut lowest = vec![ADDED; numbers.len()];
            self.stands_for = (0..)
                .zip(&origins)
                .map(|(number, &origin)| {
                    let first = &mut lowest[self.stands_for[origin as usize] as usize];
                    *first = (*first).min(number);
                    *first
                })
                .collect();
        }
        if origins.len() < self.after.len() {
            self.n_renumberings = self.n_renumberings.wrapping_add(1);
            self.copies.clear();
        }
        let kept = |moment: &[Vec3]| origins.iter().map(|&origin| moment[origin as usize]).collect();
        (self.before, self.after) = (kept(&self.before), kept(&self.after));
        origins
    }

    /// Returns the present elements and the added ones, or the first error.
    fn with_added<const N: usize>(
        &self,
        elements: &[[u32; N]],
        positions: &[Vec3],
        added: &[[u32; N]],
    ) -> Result<Vec<[u32; N]>, DeformError> {
        let n_before = self.after.len();
        checked_travel(positions, positions).map_err(|error| match error {
            DeformError::NotFinite { vertex } => DeformError::NotFinite { vertex: n_before + vertex },
            DeformError::TooLarge { vertex } => DeformError::TooLarge { vertex: n_before + vertex },
            other => other,
        })?;
        check_count(n_before + positions.len())?;
        check_vertices(n_before + positions.len(), added)?;
        Ok([elements, added].concat())
    }

    fn apply_added(&mut self, edited: Edited, positions: &[Vec3], n_elements: usize) -> AddedElements {
        let made = vec![ADDED; positions.len()];
        self.apply(edited, &made);
        let first = self.after.len() as u32;
        self.before.extend_from_slice(positions);
        self.after.extend_from_slice(positions);
        let n_vertices = self.after.len() as u32;
        if !self.stands_for.is_empty() {
            self.stands_for.extend(first..n_vertices);
        }
        let end = match &self.inside {
            Elements::Triangles => self.faces.len(),
            Elements::Segments(all) => all.len(),
            Elements::Tetrahedra(all) => all.len(),
        };
        AddedElements { vertices: first..n_vertices, elements: (end - n_elements) as u32..end as u32 }
    }

    fn apply_parted(&mut self, edited: Edited, made: Vec<u32>, labels: &[[u32; 2]]) -> Vec<u32> {
        self.apply(edited, &made);
        for &origin in &made {
            self.copies.push([self.after.len() as u32, origin]);
            self.before.push(self.before[origin as usize]);
            self.after.push(self.after[origin as usize]);
        }
        if !self.stands_for.is_empty() {
            self.stands_for.resize(self.after.len(), 0);
            labels.iter().for_each(|&[vertex, label]| self.stands_for[vertex as usize] = label);
        }
        made
    }

    /// Gives the mesh these features. `made` has the origin of each new vertex, or `ADDED`.
    fn apply(&mut self, edited: Edited, made: &[u32]) {
        let Edited { inside, faces, edges, edge_owners } = edited;
        let vertices = vertices_of(&edges, &faces);
        let n_before = self.after.len();
        let origin =
            |vertex: u32| made.get((vertex as usize).wrapping_sub(n_before)).copied().unwrap_or(vertex);
        let origins = [
            origins_of(self.vertices.as_chunks::<1>().0, vertices.as_chunks().0, origin),
            origins_of(&self.edges, &edges, origin),
            origins_of(&self.faces, &faces, origin),
        ];
        for (tracked, origins) in self.trees.iter_mut().zip(origins) {
            tracked.origins = Some(match tracked.origins.take() {
                None => origins,
                Some(first) => {
                    origins.iter().map(|&i| first.get(i as usize).copied().unwrap_or(ADDED)).collect()
                }
            });
        }
        (self.inside, self.vertices) = (inside, vertices);
        (self.edges, self.edge_owners, self.faces) = (edges, edge_owners, faces);
    }

    /// Returns the elements after a separation at `joints`.
    fn split_features<const N: usize, const F: usize>(
        &self,
        elements: &[[u32; N]],
        joints: &[[u32; F]],
    ) -> Result<SplitFeatures<N>, DeformError> {
        let n_vertices = self.after.len();
        let stands_for = |vertex: u32| self.stands_for.get(vertex as usize).copied().unwrap_or(vertex);
        let key = |joint: [u32; F]| sorted(joint.map(stands_for));
        let mut torn = Vec::with_capacity(joints.len());
        let mut is_end = vec![false; n_vertices];
        for (index, &joint) in joints.iter().enumerate() {
            if joint.iter().any(|&vertex| n_vertices <= vertex as usize) {
                return Err(DeformError::NoSuchJoint { index });
            }
            torn.push(key(joint));
            key(joint).iter().for_each(|&vertex| is_end[vertex as usize] = true);
        }
        // For each vertex, the joints of the elements around it.
        let mut around: Vec<(u32, [u32; F], u32)> = Vec::new();
        for (number, element) in (0..).zip(elements) {
            if !element.iter().any(|&vertex| is_end[stands_for(vertex) as usize]) {
                continue;
            }
            for without in 0..N {
                let joint = key(core::array::from_fn(|i| element[if i < without { i } else { i + 1 }]));
                let ends = joint.iter().filter(|&&vertex| is_end[vertex as usize]);
                around.extend(ends.map(|&vertex| (vertex, joint, number)));
            }
        }
        around.sort_unstable();
        around.dedup();
        let is_there = |joint: &[u32; F]| {
            let slot = around.partition_point(|&(vertex, other, _)| (vertex, other) < (joint[0], *joint));
            around.get(slot).is_some_and(|(_, other, _)| other == joint)
        };
        if let Some(index) = torn.iter().position(|joint| !is_there(joint)) {
            return Err(DeformError::NoSuchJoint { index });
        }
        torn.sort_unstable();
        let mut parted = SplitFeatures { elements: elements.to_vec(), made: Vec::new(), labels: Vec::new() };
        for fan in around.chunk_by(|a, b| a.0 == b.0) {
            split_fan(fan, &torn, stands_for, n_vertices, &mut parted);
        }
        check_count(n_vertices + parted.made.len())?;
        Ok(parted)
    }
}

/// Elements that have parted.
struct SplitFeatures<const N: usize> {
    elements: Vec<[u32; N]>,
    /// For each new vertex, the one that it copies.
    made: Vec<u32>,
    /// Vertices, and those that they count as from now on.
    labels: Vec<[u32; 2]>,
}

/// Gives each group of elements around a vertex its own copy of the vertex. The fan lists the
/// joints at the vertex, in order, with the elements that have them.
fn split_fan<const N: usize, const F: usize>(
    fan: &[(u32, [u32; F], u32)],
    torn: &[[u32; F]],
    stands_for: impl Fn(u32) -> u32,
    n_vertices: usize,
    parted: &mut SplitFeatures<N>,
) {
    let mut elements: Vec<u32> = fan.iter().map(|&(_, _, element)| element).collect();
    elements.sort_unstable();
    elements.dedup();
    // A forest: each element refers to one that is not behind it, and the first of a group to
    // itself.
    let mut above: Vec<usize> = (0..elements.len()).collect();
    fn root(above: &mut [usize], mut i: usize) -> usize {
        while above[i] != i {
            above[i] = above[above[i]];
            i = above[i];
        }
        i
    }
    let index_of = |element: u32| elements.partition_point(|&other| other < element);
    for same in fan.chunk_by(|a, b| a.1 == b.1) {
        if torn.binary_search(&same[0].1).is_ok() {
            continue;
        }
        let first = index_of(same[0].2);
        for &(_, _, element) in same {
            let (a, b) = (root(&mut above, first), root(&mut above, index_of(element)));
            above[a.max(b)] = a.min(b);
        }
    }
    let mut members: Vec<(usize, u32)> =
        (0..elements.len()).map(|i| (root(&mut above, i), elements[i])).collect();
    members.sort_unstable();
    // Vertices taken by earlier groups; with neighbours by place there may be several.
    let mut taken: Vec<u32> = Vec::new();
    for group in members.chunk_by(|a, b| a.0 == b.0) {
        let mut own: Vec<[u32; 2]> = Vec::new();
        for &(_, element) in group {
            for corner in &mut parted.elements[element as usize] {
                if n_vertices <= *corner as usize || stands_for(*corner) != fan[0].0 {
                    continue;
                }
                let new = match own.iter().find(|[vertex, _]| vertex == corner) {
                    Some(&[_, new]) => new,
                    None => {
                        let mut new = *corner;
                        if taken.contains(corner) {
                            new = (n_vertices + parted.made.len()) as u32;
                            parted.made.push(*corner);
                        }
                        own.push([*corner, new]);
                        new
                    }
                };
                *corner = new;
            }
        }
        let label = own.iter().map(|&[_, new]| new).min().unwrap_or(ADDED);
        parted.labels.extend(own.iter().map(|&[_, new]| [new, label]));
        taken.extend(own.iter().map(|&[vertex, _]| vertex));
    }
}

fn sorted<const N: usize>(mut vertices: [u32; N]) -> [u32; N] {
    vertices.sort_unstable();
    vertices
}

/// The elements without those with these numbers.
fn without<const N: usize>(elements: &[[u32; N]], numbers: &[u32]) -> Result<Vec<[u32; N]>, DeformError> {
    let mut stays = vec![true; elements.len()];
    for (index, &number) in numbers.iter().enumerate() {
        *stays.get_mut(number as usize).ok_or(DeformError::NoSuchElement { index })? = false;
    }
    Ok(elements.iter().zip(stays).filter(|(_, stays)| *stays).map(|(element, _)| *element).collect())
}

fn of_triangles(faces: Vec<[u32; 3]>) -> Result<Edited, DeformError> {
    let (edges, edge_owners) = edges_of(&faces, triangle_edges)?;
    Ok(Edited { inside: Elements::Triangles, faces, edges, edge_owners })
}

fn of_segments(segments: Vec<[u32; 2]>) -> Result<Edited, DeformError> {
    let (edges, edge_owners) = edges_of(&segments, |segment| [*segment])?;
    Ok(Edited { inside: Elements::Segments(segments), faces: Vec::new(), edges, edge_owners })
}

fn of_tetrahedra(tetrahedra: Vec<[u32; 4]>) -> Result<Edited, DeformError> {
    check_count(tetrahedra.len())?;
    let faces = surface(&tetrahedra);
    let (edges, edge_owners) = edges_of(&faces, triangle_edges)?;
    Ok(Edited { inside: Elements::Tetrahedra(tetrahedra), faces, edges, edge_owners })
}

/// Returns for each feature the number of one that had the same vertices before, or their
/// originals. `ADDED` if there was none.
fn origins_of<const N: usize>(
    before: &[[u32; N]],
    now: &[[u32; N]],
    origin: impl Fn(u32) -> u32,
) -> Vec<u32> {
    let known: Vec<([u32; N], u32)> = (0..).zip(before).map(|(i, feature)| (sorted(*feature), i)).collect();
    let known = sorted_lists(&known, |(feature, _)| feature[0]);
    let mut next = 0;
    let number = |feature: &[u32; N]| {
        let key = sorted(feature.map(&origin));
        // Most features come in the order that they had.
        if before.get(next).is_some_and(|other| sorted(*other) == key) {
            next += 1;
            return next as u32 - 1;
        }
        let index = known.partition_point(|(other, _)| *other < key);
        known.get(index).filter(|(other, _)| *other == key).map_or(ADDED, |(_, number)| {
            next = *number as usize + 1;
            *number
        })
    };
    now.iter().map(number).collect()
}
