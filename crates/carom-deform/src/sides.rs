//! Push-out by history: each vertex keeps its side of a sheet, so cloth does not jump through.
//!
//! - A vertex within reach of a sheet has a contact with it: the nearest point, and the side on
//!   which it came within reach. If a vertex is found in a solid, its side of the nearest wall is
//!   the one without the solid (`solids.rs`).
//! - In the next step the nearest point moves along the sheet from where it was. So a vertex that
//!   was pressed through a thin solid stays with the face that it came through, although the
//!   opposite face is nearer.
//! - A vertex on its own side takes the nearest point of the whole sheet. If that point is on the
//!   border of an open sheet, the vertex may go around it: its side is the one where it is.
//! - A vertex that moves farther than the reach in one step, relative to its point of the sheet,
//!   was placed there, and its contact is forgotten. So is that of a vertex out of reach, which
//!   cannot pass the sheet by a smaller step.
//!
//! Reference: R. Bridson, R. Fedkiw, J. Anderson, Robust Treatment of Collisions, Contact and
//! Friction for Cloth Animation, 2002 (the side at the start of a step decides); Akenine-Moller et
//! al., Real-Time Rendering, 4th ed., 25.7. Differs: sides are kept for longer than a step.

use crate::bounds::grown;
use crate::deformable::{DeformableMesh, MAX_POSITION};
use crate::error::DeformError;
use crate::push_out::{PushOut, unit};
use crate::sheets::{Nearest, Sheets};
use crate::solids::{Wall, walls};
use crate::update::FollowingTree;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_math::ops::sqrt;
use glam::{DVec3, Vec3};

/// rounding: 64 u. A nearest point is off by less, in parts of its coordinates.
const POINT_ERROR: f64 = 32.0 * f64::EPSILON;

/// On which side of a collider each vertex of a cloth is. Keep one for each pair of cloth and
/// collider.
#[derive(Clone, Debug)]
pub struct ContactSides {
    reach: f32,
    sheets: Sheets,
    /// For each sheet, whether it is a wall of a solid.
    walls: Vec<Option<Wall>>,
    /// Sorted by vertex and sheet: the contacts of the last update, and those of the one in
    /// progress.
    contacts: Vec<Contact>,
    next: Vec<Contact>,
    /// The count of renumberings of the cloth in the last update. `contacts` has its numbers of
    /// vertices.
    n_renumberings: u32,
    /// The number of copies of vertices that have the contacts of their originals.
    n_copies: usize,
    near_faces: Vec<u32>,
    /// For each sheet within reach of a vertex, the nearest point.
    near: Vec<(u32, Nearest)>,
    /// For each sheet with a contact that lasts, its nearest point and whether the side is the
    /// front.
    followed: Vec<(u32, (Nearest, bool))>,
    found: Vec<PushOut>,
}

/// A vertex within reach of a sheet.
#[derive(Clone, Copy, Debug)]
struct Contact {
    vertex: u32,
    sheet: u32,
    face: u32,
    weights: [f64; 3],
    /// The vector from the point of the sheet to the vertex.
    offset: DVec3,
    is_front: bool,
}

/// An update in progress. It borrows the meshes, so nothing moves meanwhile.
#[must_use = "an update does nothing until `run` or `finish` is called"]
pub struct SideUpdate<'a, U: FollowingTree> {
    memory: &'a mut ContactSides,
    collider: &'a mut DeformableMesh<U>,
    positions: &'a [Vec3],
    vertices: &'a [u32],
    thickness: f64,
    /// The index in `vertices` of the next vertex, and that of the first contact whose vertex is
    /// not below it.
    vertex: usize,
    contact: usize,
    counters: PushOutCounters,
    is_done: bool,
}

/// The vertices to push out.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PushOuts<'a> {
    /// Sorted by vertex.
    pub push_outs: &'a [PushOut],
    /// The cost of the update.
    pub counters: PushOutCounters,
}

/// The cost of an update, in counts that depend only on the input and on the state before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PushOutCounters {
    /// Vertices tested.
    pub vertices: u64,
    /// Contacts, or hits of rays, that were followed from the update before.
    pub followed: u64,
    /// Contacts that were forgotten because the vertex is out of reach or was placed anew, and
    /// rays that left their face.
    pub forgotten: u64,
    /// Nearest points of faces, or rays against faces, that were computed.
    pub face_tests: u64,
    /// Rays that were cast through the tree.
    pub casts: u64,
}

impl ContactSides {
    /// Returns an empty memory for a collider. The reach is a length, above 0 and at most
    /// [`MAX_POSITION`](crate::MAX_POSITION). Choose it above the sum of a vertex's travel in a
    /// step and its depth: deeper contacts are forgotten.
    ///
    /// The faces and present positions of the collider are read here. Closed sheets are walls of
    /// solids, whatever the winding of their faces. A closed sheet inside another is the wall of a
    /// cavity (tests: `solids::r_turned_solids_push_outwards`,
    /// `solids::r_a_hollow_solid_pulls_nothing_in`).
    ///
    /// Errors: [`DeformError::BadReach`] for a reach out of its range.
    pub fn new<U: FollowingTree>(
        collider: &DeformableMesh<U>,
        reach: f32,
    ) -> Result<ContactSides, DeformError> {
        if !(0.0 < reach && reach <= MAX_POSITION) {
            return Err(DeformError::BadReach { reach });
        }
        let mut sheets = Sheets::new(collider.faces(), collider.positions().len());
        let walls = walls(&sheets, collider.positions());
        sheets.turn(|sheet| walls[sheet as usize].is_some_and(|wall| wall.is_turned));
        Ok(ContactSides {
            reach,
            sheets,
            walls,
            contacts: Vec::new(),
            next: Vec::new(),
            n_renumberings: 0,
            n_copies: 0,
            near_faces: Vec::new(),
            near: Vec::new(),
            followed: Vec::new(),
            found: Vec::new(),
        })
    }

    /// Follows the vertices of the cloth to their present positions. Finds vertices on the wrong
    /// side of a sheet of the collider, or nearer to it than half the sum of the thicknesses. A
    /// vertex is found once for each such sheet. The collider is that of [`ContactSides::new`], at
    /// any positions. If its faces were edited, it is refused. If vertices of the cloth were
    /// removed, all sides are forgotten, because the others have new numbers (test:
    /// `sides::removed_vertices_pass_no_side_on`). A copy that an edit made has the side of its
    /// original (test: `sides::r_torn_cloth_keeps_its_side`). Other added vertices have none yet.
    ///
    /// An update that is dropped before its end changes nothing, and one without new positions
    /// repeats the answer.
    pub fn update<'a, T: FollowingTree, U: FollowingTree>(
        &'a mut self,
        cloth: &'a DeformableMesh<T>,
        collider: &'a mut DeformableMesh<U>,
    ) -> Result<SideUpdate<'a, U>, DeformError> {
        let (own, other) = (self.sheets.faces(), collider.faces());
        if own != other {
            let face = own.iter().zip(other).position(|(s, t)| s != t);
            return Err(DeformError::OtherCollider { face: face.unwrap_or(own.len().min(other.len())) });
        }
        if self.n_renumberings != cloth.n_renumberings() {
            self.n_renumberings = cloth.n_renumberings();
            self.forget();
        }
        self.copy_contacts(cloth.copies());
        self.next.clear();
        self.found.clear();
        let thickness = 0.5 * (f64::from(cloth.thickness()) + f64::from(collider.thickness()));
        Ok(SideUpdate {
            memory: self,
            collider,
            positions: cloth.positions(),
            vertices: cloth.surface_vertices(),
            thickness,
            vertex: 0,
            contact: 0,
            counters: PushOutCounters::default(),
            is_done: false,
        })
    }

    /// Forgets all sides: each vertex is on the side where the next update finds it.
    pub fn forget(&mut self) {
        self.contacts.clear();
    }

    /// Gives new copies of vertices, the last ones of these, the contacts of their originals.
    fn copy_contacts(&mut self, copies: &[[u32; 2]]) {
        for &[copy, original] in copies.get(self.n_copies..).unwrap_or_default() {
            let first = self.contacts.partition_point(|contact| contact.vertex < original);
            let n = self.contacts[first..].partition_point(|contact| contact.vertex == original);
            // A copy has a higher number than all vertices before it.
            for index in first..first + n {
                self.contacts.push(Contact { vertex: copy, ..self.contacts[index] });
            }
        }
        self.n_copies = copies.len();
    }

    /// Lists the nearest point of each sheet among the faces found, in the order of the sheets.
    fn list_near(&mut self, positions: &[Vec3], p: DVec3, counters: &mut PushOutCounters) {
        self.near.clear();
        self.near_faces.sort_unstable_by_key(|&face| (self.sheets.sheet(face), face));
        for &face in &self.near_faces {
            let sheet = self.sheets.sheet(face);
            let last = self.near.last_mut();
            let is_farther = |(last, nearest): &(u32, Nearest)| {
                *last == sheet && nearest.distance_sq < self.sheets.box_distance_sq(positions, face, p)
            };
            if last.as_deref().is_some_and(is_farther) {
                continue;
            }
            counters.face_tests += 1;
            let found = self.sheets.nearest(positions, face, p);
            match last {
                Some((last, nearest)) if *last == sheet => {
                    if found.distance_sq < nearest.distance_sq {
                        *nearest = found;
                    }
                }
                _ => self.near.push((sheet, found)),
            }
        }
    }

    /// Follows a contact to the present positions. Returns its nearest point and side, or `None`
    /// if it is forgotten.
    fn follow(
        &self,
        contact: &Contact,
        positions: &[Vec3],
        p: DVec3,
        reach: f64,
        counters: &mut PushOutCounters,
    ) -> Option<(Nearest, bool)> {
        counters.followed += 1;
        let offset = p - self.sheets.point(positions, contact.face, contact.weights);
        let travel_sq = (offset - contact.offset).length_squared();
        let walked = self.sheets.descend_to_nearest(positions, contact.face, p, &mut counters.face_tests);
        let farthest = reach * reach;
        let lasts = travel_sq <= farthest && walked.distance_sq <= farthest;
        counters.forgotten += u64::from(!lasts);
        lasts.then_some((walked, contact.is_front))
    }

    fn is_front(&self, positions: &[Vec3], at: &Nearest, p: DVec3) -> bool {
        0.0 <= (p - at.point).dot(self.sheets.feature(positions, at).normal)
    }

    /// Whether a vertex without a contact with this wall leaves its solid through it, if it is
    /// found in the solid. That is the nearest wall of a solid whose walls have no contact with
    /// the vertex.
    fn is_way_out(&self, at: &Nearest) -> bool {
        let sheet = self.sheets.sheet(at.face);
        let solid_of = |sheet: u32| self.walls[sheet as usize].map(|wall| wall.outer);
        let solid = solid_of(sheet);
        let is_same = |other: u32| solid_of(other) == solid;
        let is_nearer = |other: u32, found: &Nearest| {
            found.distance_sq < at.distance_sq || (found.distance_sq == at.distance_sq && other < sheet)
        };
        solid.is_some()
            && !self.followed.iter().any(|(other, _)| is_same(*other))
            && !self.near.iter().any(|(other, found)| is_same(*other) && is_nearer(*other, found))
    }

    /// Returns the contact of a vertex with a sheet; `old` is the result of following its last
    /// contact.
    fn contact(
        &self,
        vertex: u32,
        p: DVec3,
        positions: &[Vec3],
        old: Option<(Nearest, bool)>,
        near: Option<Nearest>,
    ) -> Option<(Contact, Nearest)> {
        let (at, is_front) = match (old, near) {
            // The vertex is on the wrong side.
            (Some((walked, is_front)), _) if self.is_front(positions, &walked, p) != is_front => {
                (walked, is_front)
            }
            (Some((_, is_front)), Some(near)) => (near, is_front),
            (Some(old), None) => old,
            (None, Some(near)) => (near, self.is_way_out(&near) || self.is_front(positions, &near, p)),
            (None, None) => return None,
        };
        let may_change = self.sheets.feature(positions, &at).is_border;
        let is_front = if may_change { self.is_front(positions, &at, p) } else { is_front };
        let (face, weights) = (at.face, at.weights);
        let sheet = self.sheets.sheet(face);
        Some((Contact { vertex, sheet, face, weights, offset: p - at.point, is_front }, at))
    }

    fn push_out(
        &self,
        contact: &Contact,
        at: &Nearest,
        p: DVec3,
        positions: &[Vec3],
        thickness: f64,
    ) -> Option<PushOut> {
        let feature = self.sheets.feature(positions, at);
        let distance = sqrt(at.distance_sq);
        let sign = if contact.is_front { 1.0 } else { -1.0 };
        let is_own_side = (0.0 <= contact.offset.dot(feature.normal)) == contact.is_front;
        let depth = if is_own_side { thickness - distance } else { thickness + distance };
        // The offset is along the normal inside a face, and rounding alone very near an edge.
        let error = POINT_ERROR * p.abs().max(at.point.abs()).max_element();
        let direction = if feature.is_inside_face || distance <= error {
            unit(feature.normal * sign)
        } else {
            unit(if is_own_side { contact.offset } else { -contact.offset })
        };
        let direction = direction?;
        (0.0 < depth).then_some(PushOut { vertex: contact.vertex, face: Some(at.face), direction, depth })
    }
}

impl<'a, U: FollowingTree> SideUpdate<'a, U> {
    /// Continues until about `budget` vertices and faces were tested; one vertex may exceed it.
    /// Returns whether the update is complete. The answer does not depend on how the budget is
    /// split (test: `sides::any_split_gives_the_same_answer`).
    pub fn run(&mut self, budget: u64) -> bool {
        let spent = |counters: &PushOutCounters| counters.vertices + counters.face_tests;
        let start = spent(&self.counters);
        while let Some(&vertex) = self.vertices.get(self.vertex) {
            if budget <= spent(&self.counters) - start {
                return false;
            }
            self.update_vertex(vertex);
            self.vertex += 1;
            self.counters.vertices += 1;
        }
        if !self.is_done {
            core::mem::swap(&mut self.memory.contacts, &mut self.memory.next);
            self.is_done = true;
        }
        true
    }

    fn update_vertex(&mut self, vertex: u32) {
        let at = self.positions[vertex as usize];
        let p = at.as_dvec3();
        let reach = f64::from(self.memory.reach).max(self.thickness);
        while self.memory.contacts.get(self.contact).is_some_and(|contact| contact.vertex < vertex) {
            self.contact += 1;
        }
        let margin = carom_math::rounding::up(self.distance_upper_bound(vertex, p).min(reach));
        self.memory.near_faces.clear();
        let around = grown(&Aabb { min: at, max: at }, margin);
        self.collider.collect_faces_touching(&around, &mut self.memory.near_faces);
        let (positions, memory) = (self.collider.positions(), &mut *self.memory);
        memory.list_near(positions, p, &mut self.counters);
        memory.near.retain(|(_, near)| near.distance_sq <= reach * reach);
        memory.followed.clear();
        while let Some(&old) = memory.contacts.get(self.contact).filter(|contact| contact.vertex == vertex) {
            self.contact += 1;
            let found = memory.follow(&old, positions, p, reach, &mut self.counters);
            memory.followed.extend(found.map(|found| (old.sheet, found)));
        }
        // Sheets with a contact and sheets that are near, both in ascending order.
        let (mut n_old, mut n_near) = (0, 0);
        loop {
            let old = memory.followed.get(n_old).copied();
            let near = memory.near.get(n_near).copied();
            let sheets = [old.map(|(sheet, _)| sheet), near.map(|(sheet, _)| sheet)];
            let Some(sheet) = sheets.into_iter().flatten().min() else { break };
            let old = old.filter(|(other, _)| *other == sheet).map(|(_, old)| old);
            let near = near.filter(|(other, _)| *other == sheet).map(|(_, near)| near);
            n_old += usize::from(old.is_some());
            n_near += usize::from(near.is_some());
            let Some((contact, at)) = memory.contact(vertex, p, positions, old, near) else { continue };
            memory.next.push(contact);
            memory.found.extend(memory.push_out(&contact, &at, p, positions, self.thickness));
        }
    }

    /// Returns an upper bound on the distance from a vertex to the nearest point of the collider.
    /// It is the distance to the face of its contact if there is only one sheet.
    fn distance_upper_bound(&mut self, vertex: u32, p: DVec3) -> f64 {
        let memory = &*self.memory;
        let old = memory.contacts.get(self.contact).filter(|contact| contact.vertex == vertex);
        let Some(old) = old.filter(|_| memory.sheets.n_sheets() == 1) else { return f64::INFINITY };
        self.counters.face_tests += 1;
        let at = memory.sheets.nearest(self.collider.positions(), old.face, p);
        sqrt(at.distance_sq) + POINT_ERROR * p.abs().max(at.point.abs()).max_element()
    }

    /// Runs to the end and returns the push-outs.
    pub fn finish(mut self) -> PushOuts<'a> {
        self.run(u64::MAX);
        let SideUpdate { memory, counters, .. } = self;
        PushOuts { push_outs: &memory.found, counters }
    }

    /// The push-outs found so far, sorted by vertex.
    pub fn found_so_far(&self) -> &[PushOut] {
        &self.memory.found
    }

    /// The cost of the update so far.
    pub fn counters(&self) -> PushOutCounters {
        self.counters
    }

    /// The fraction of the vertices tested so far, from 0 to 1.
    pub fn progress(&self) -> f64 {
        if self.vertices.is_empty() { 1.0 } else { self.vertex as f64 / self.vertices.len() as f64 }
    }
}
