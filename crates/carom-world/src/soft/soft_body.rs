//! A soft body: the constraints between its vertices, and its pinned and attached vertices.
//!
//! Reference: M. Macklin, M. Mueller, N. Chentanez, XPBD: Position-Based Simulation of Compliant
//! Constrained Dynamics, 2016.

use crate::BodyId;
use crate::soft::desc::{SoftBodyDesc, SoftBodyKind};
use crate::soft::error::{SoftError, check_finite};
use crate::soft::load::SoftLoad;
use alloc::sync::Arc;
use alloc::vec::Vec;
use carom_geom::TriMesh;
use carom_math::{Vec3, ops};
use carom_particles::{Cloth, ParticleBody, ParticleError, Rope, SoftBody};
use carom_query::MeshShape;

/// The constraints between the vertices.
#[derive(Clone, Debug)]
pub(crate) enum Constraint {
    Cloth(Cloth),
    Rope(Rope),
    Volume(SoftBody),
}

/// A vertex that is attached to a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Held {
    pub(crate) vertex: u32,
    pub(crate) body: BodyId,
    /// The attachment point in the body's frame.
    pub(crate) point: Vec3,
}

/// A cloth, a rope or a soft body.
#[derive(Clone, Debug)]
pub(crate) struct SoftPart {
    /// Its elements and settings; a torn cloth has the remaining triangles.
    pub(crate) kind: SoftBodyKind,
    pub(crate) rest: Vec<Vec3>,
    pub(crate) constraint: Constraint,
    pub(crate) masses: Vec<f32>,
    /// The pinned vertices, ascending, with their target positions after the next step.
    pub(crate) pins: Vec<(u32, Vec3)>,
    /// The attached vertices, ascending.
    pub(crate) held: Vec<Held>,
    /// The force in the next step only.
    pub(crate) force: Vec3,
    /// The loads in the next step, and those of the last one.
    pub(crate) loads: Vec<SoftLoad>,
    pub(crate) last_loads: Vec<SoftLoad>,
    pub(crate) friction: f32,
    pub(crate) restitution: f32,
    /// The surface of a cloth or of tetrahedra, at the present positions.
    pub(crate) mesh: Option<Arc<MeshShape>>,
}

impl SoftPart {
    /// Checks a description and builds its constraints, for particles from the index `first` on.
    pub(crate) fn new(desc: &SoftBodyDesc, first: usize) -> Result<SoftPart, SoftError> {
        if desc.vertices.is_empty() {
            return Err(SoftError::Empty);
        }
        let is_amount = |x: f32| 0.0 <= x && x < f32::INFINITY;
        let numbers = [(desc.density, "density"), (desc.friction, "friction")];
        if let Some(&(value, what)) = numbers.iter().find(|(x, _)| !is_amount(*x)) {
            return Err(SoftError::BadValue { what, value });
        }
        if !(0.0..=1.0).contains(&desc.restitution) {
            return Err(SoftError::BadValue { what: "restitution", value: desc.restitution });
        }
        check_finite(desc.position, "position")?;
        check_finite(desc.velocity, "velocity")?;
        let constraint = constraint_of(&desc.kind, &desc.vertices, first)?;
        let masses = masses_of(&desc.kind, &desc.vertices, desc.density);
        let is_mass = |mass: &f32| 0.0 < *mass && 0.0 < 1.0 / mass && *mass < f32::INFINITY;
        if let Some(vertex) = masses.iter().position(|mass| !is_mass(mass)) {
            return Err(SoftError::NoMass { vertex });
        }
        let positions: Vec<Vec3> = desc.vertices.iter().map(|vertex| *vertex + desc.position).collect();
        if let Some(vertex) = desc.pinned.iter().find(|vertex| positions.len() <= **vertex as usize) {
            return Err(SoftError::NoSuchVertex { vertex: *vertex as usize });
        }
        let mut pins: Vec<(u32, Vec3)> =
            desc.pinned.iter().map(|&vertex| (vertex, positions[vertex as usize])).collect();
        pins.sort_by_key(|(vertex, _)| *vertex);
        pins.dedup_by_key(|(vertex, _)| *vertex);
        Ok(SoftPart {
            kind: desc.kind.clone(),
            rest: desc.vertices.clone(),
            constraint,
            masses,
            pins,
            held: Vec::new(),
            force: Vec3::ZERO,
            loads: Vec::new(),
            last_loads: Vec::new(),
            friction: desc.friction,
            restitution: desc.restitution,
            mesh: mesh_of(&desc.kind, &positions)?,
        })
    }

    /// Returns the constraints for the solver.
    pub(crate) fn constraint_mut(&mut self) -> &mut dyn ParticleBody {
        match &mut self.constraint {
            Constraint::Cloth(cloth) => cloth,
            Constraint::Rope(rope) => rope,
            Constraint::Volume(body) => body,
        }
    }

    /// Whether the velocities are damped.
    pub(crate) fn is_damped(&self) -> bool {
        0.0 < self.damping()
    }

    /// Returns the rate of damping, per second.
    pub(crate) fn damping(&self) -> f32 {
        match &self.kind {
            SoftBodyKind::Cloth { settings, .. } => settings.damping,
            SoftBodyKind::Rope(settings) => settings.damping,
            SoftBodyKind::Volume { settings, .. } => settings.damping,
        }
    }

    /// Returns the inverse mass of a vertex: 0 if it is pinned.
    pub(crate) fn inverse_mass(&self, vertex: u32) -> f32 {
        let is_pinned = self.pins.binary_search_by_key(&vertex, |(pinned, _)| *pinned).is_ok();
        if is_pinned { 0.0 } else { 1.0 / self.masses[vertex as usize] }
    }

    /// Returns the mass of all vertices.
    pub(crate) fn mass(&self) -> f32 {
        self.masses.iter().sum()
    }

    /// Tears a cloth where it is overstretched. Returns whether it tore. `positions` are those of
    /// the particles of all soft bodies.
    pub(crate) fn tear(&mut self, positions: &[Vec3]) -> Result<bool, SoftError> {
        let (Constraint::Cloth(cloth), SoftBodyKind::Cloth { triangles, settings }) =
            (&mut self.constraint, &mut self.kind)
        else {
            return Ok(false);
        };
        if settings.tear_strain == f32::INFINITY || cloth.tear(positions)?.edges.is_empty() {
            return Ok(false);
        }
        *triangles = cloth.triangles().to_vec();
        Ok(true)
    }

    /// Moves the mesh to these positions; rebuilds it if the cloth was torn.
    pub(crate) fn follow(&mut self, positions: &[Vec3], is_torn: bool) -> Result<(), SoftError> {
        if is_torn {
            self.mesh = mesh_of(&self.kind, positions)?;
        } else if let Some(mesh) = &mut self.mesh {
            Arc::make_mut(mesh).set_vertices(positions)?;
        }
        Ok(())
    }
}

/// Returns the constraints for these vertices. The first one has the index `first` among the
/// particles of all soft bodies.
pub(crate) fn constraint_of(
    kind: &SoftBodyKind,
    rest: &[Vec3],
    first: usize,
) -> Result<Constraint, SoftError> {
    Ok(match kind {
        SoftBodyKind::Cloth { triangles, settings } => {
            Constraint::Cloth(Cloth::new(first, rest, triangles, settings)?)
        }
        SoftBodyKind::Rope(settings) => Constraint::Rope(Rope::new(first, rest, settings)?),
        SoftBodyKind::Volume { tetrahedra, settings } => {
            Constraint::Volume(SoftBody::new(first, rest, tetrahedra, settings)?)
        }
    })
}

/// Returns the mesh of the surface; `None` for a rope, and for a cloth that is torn to threads.
///
/// Errors: a position out of range.
pub(crate) fn mesh_of(kind: &SoftBodyKind, positions: &[Vec3]) -> Result<Option<Arc<MeshShape>>, SoftError> {
    let triangles = match kind {
        SoftBodyKind::Cloth { triangles, .. } => triangles.clone(),
        SoftBodyKind::Rope(_) => return Ok(None),
        SoftBodyKind::Volume { tetrahedra, .. } => surface_of(tetrahedra),
    };
    if triangles.is_empty() {
        return Ok(None);
    }
    let mesh = TriMesh::new(positions.to_vec(), triangles)?;
    let mesh = MeshShape::new(mesh).map_err(|_| ParticleError::TooMany)?;
    Ok(Some(Arc::new(mesh)))
}

/// Returns the triangles that only one tetrahedron has. They face outwards if its volume is
/// positive.
fn surface_of(tetrahedra: &[[u32; 4]]) -> Vec<[u32; 3]> {
    let faces_of = |[a, b, c, d]: [u32; 4]| [[a, c, b], [a, b, d], [b, c, d], [c, a, d]];
    let sorted = |mut face: [u32; 3]| {
        face.sort_unstable();
        face
    };
    let mut faces: Vec<[u32; 3]> = tetrahedra.iter().flat_map(|cell| faces_of(*cell)).collect();
    faces.sort_by_key(|face| sorted(*face));
    let same = faces.chunk_by(|a, b| sorted(*a) == sorted(*b));
    same.filter(|same| same.len() == 1).map(|same| same[0]).collect()
}

/// Returns the mass of each vertex: its share of the elements with it.
fn masses_of(kind: &SoftBodyKind, rest: &[Vec3], density: f32) -> Vec<f32> {
    let mut masses = alloc::vec![0.0; rest.len()];
    let at = |vertex: u32| rest[vertex as usize].as_dvec3();
    let mut share = |vertices: &[u32], size: f64| {
        let part = (size * f64::from(density) / vertices.len() as f64) as f32;
        vertices.iter().for_each(|&vertex| masses[vertex as usize] += part);
    };
    match kind {
        SoftBodyKind::Cloth { triangles, .. } => {
            for &[a, b, c] in triangles {
                let normal = (at(b) - at(a)).cross(at(c) - at(a));
                share(&[a, b, c], 0.5 * ops::sqrt(normal.length_squared()));
            }
        }
        SoftBodyKind::Rope(_) => {
            for a in 1..rest.len() as u32 {
                share(&[a - 1, a], ops::sqrt((at(a) - at(a - 1)).length_squared()));
            }
        }
        SoftBodyKind::Volume { tetrahedra, .. } => {
            for &[a, b, c, d] in tetrahedra {
                let volume = (at(b) - at(a)).cross(at(c) - at(a)).dot(at(d) - at(a)) / 6.0;
                share(&[a, b, c, d], volume.abs());
            }
        }
    }
    masses
}

/// Returns the mean length of the edges of all elements. An edge counts once for each element with
/// it.
pub(crate) fn mean_edge(kind: &SoftBodyKind, rest: &[Vec3]) -> f32 {
    let at = |vertex: u32| rest.get(vertex as usize).copied().unwrap_or(Vec3::ZERO);
    let (mut sum, mut n) = (0.0, 0.0);
    let mut add = |a: u32, b: u32| {
        sum += at(a).distance(at(b));
        n += 1.0;
    };
    match kind {
        SoftBodyKind::Cloth { triangles, .. } => {
            for &[a, b, c] in triangles {
                [(a, b), (b, c), (c, a)].into_iter().for_each(|(a, b)| add(a, b));
            }
        }
        SoftBodyKind::Rope(_) => (1..rest.len() as u32).for_each(|a| add(a - 1, a)),
        SoftBodyKind::Volume { tetrahedra, .. } => {
            for &[a, b, c, d] in tetrahedra {
                for (a, b) in [(a, b), (b, c), (c, a), (a, d), (b, d), (c, d)] {
                    add(a, b);
                }
            }
        }
    }
    sum / n
}
