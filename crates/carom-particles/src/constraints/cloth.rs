//! Cloth: the edges of a triangle mesh keep their lengths and resist bending. Overstretched edges
//! break.
//!
//! - Edges are links. Their compliance follows from the areas beside them, so that the stretch of
//!   a cloth does not depend on its resolution.
//! - Two triangles resist bending about their common edge. The cloth may be curved at rest.
//! - If the cloth does not tear, tethers to its pins keep it near its size under a heavy load.
//! - An edge breaks if its strain exceeds a limit. Its triangles are removed from the mesh, and
//!   the caller gets their indices. The particles stay.
//!
//! An edge may have any number of triangles: each one and the next bend about it. Triangles may
//! have no area.
//!
//! Reference: M. Mueller et al., Position Based Dynamics, 2007, 4.1 (cloth of stretching and
//! bending); M. Bergou et al., A Quadratic Bending Model for Inextensible Surfaces, 2006.

use super::bends::{Bends, hinges};
use super::edges::{edges_of, links_along};
use super::links::Links;
use super::tethers::{TautParticle, Tethers};
use super::{ConstraintError, ParticleBody, check_elements, check_rest, check_setting, check_step};
use alloc::vec::Vec;
use core::ops::Range;
use glam::Vec3;

/// The stiffness, damping and strength of a cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClothSettings {
    /// Tension per strain, a force over a length, not negative: the modulus times the thickness.
    /// Infinite for a cloth that does not stretch. Default: infinite.
    pub stretch_stiffness: f32,
    /// Flexural rigidity, a force times a length, not negative: the moment per width that bends
    /// the cloth to a radius of 1. It is exact for equilateral triangles, and for halved squares
    /// along their sides. Default: 0.
    pub bend_stiffness: f32,
    /// The damping rate of stretching and bending, per second; not negative. Default: 0.
    pub damping: f32,
    /// The strain beyond which an edge breaks, relative to its length, above 0. Infinite for a
    /// cloth that does not tear. Default: infinite.
    pub tear_strain: f32,
}

impl Default for ClothSettings {
    /// Returns settings for a cloth that does not stretch or tear, and bends freely.
    fn default() -> ClothSettings {
        ClothSettings {
            stretch_stiffness: f32::INFINITY,
            bend_stiffness: 0.0,
            damping: 0.0,
            tear_strain: f32::INFINITY,
        }
    }
}

impl ClothSettings {
    /// Returns these settings with another stiffness against stretching, a force over a length.
    #[must_use]
    pub fn with_stretch_stiffness(self, stretch_stiffness: f32) -> ClothSettings {
        ClothSettings { stretch_stiffness, ..self }
    }

    /// Returns these settings with another stiffness against bending, a force times a length.
    #[must_use]
    pub fn with_bend_stiffness(self, bend_stiffness: f32) -> ClothSettings {
        ClothSettings { bend_stiffness, ..self }
    }

    /// Returns these settings with another rate of damping per second.
    #[must_use]
    pub fn with_damping(self, damping: f32) -> ClothSettings {
        ClothSettings { damping, ..self }
    }

    /// Returns these settings with another tear strain.
    #[must_use]
    pub fn with_tear_strain(self, tear_strain: f32) -> ClothSettings {
        ClothSettings { tear_strain, ..self }
    }

    fn check(&self) -> Result<(), ConstraintError> {
        check_setting("stretch_stiffness", self.stretch_stiffness, true)?;
        check_setting("bend_stiffness", self.bend_stiffness, true)?;
        check_setting("damping", self.damping, true)?;
        if 0.0 < self.tear_strain {
            return Ok(());
        }
        Err(ConstraintError::BadSetting { name: "tear_strain", value: self.tear_strain })
    }
}

/// The edges and triangles that broke in a cloth.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Torn {
    /// The edges that were stretched too far, ascending: two particle indices each, from 0 in the
    /// cloth, the lower one first.
    pub edges: Vec<[u32; 2]>,
    /// The triangles that were removed, ascending, as indices in the list that the cloth was made
    /// from.
    pub triangles: Vec<u32>,
}

/// A cloth on a triangle mesh.
#[derive(Clone, Debug)]
pub struct Cloth {
    settings: ClothSettings,
    rest: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    /// The indices of the triangles in the list that the cloth was made from.
    numbers: Vec<u32>,
    links: Links,
    bends: Bends,
    tethers: Tethers,
    /// Whether a substep began, so that particles may have been pinned.
    begins: bool,
}

impl Cloth {
    /// Returns a cloth of triangles, given by particle indices from 0, at these rest positions.
    /// `first` is the index of the first particle in the arrays of all particles.
    ///
    /// # Errors
    /// Names the first particle whose position is not finite, the first triangle with particles
    /// that do not exist or are repeated, or the setting that is out of range.
    pub fn new(
        first: usize,
        rest: &[Vec3],
        triangles: &[[u32; 3]],
        settings: &ClothSettings,
    ) -> Result<Cloth, ConstraintError> {
        check_rest(rest)?;
        check_elements(rest.len(), triangles.iter().copied())?;
        settings.check()?;
        let numbers = (0..triangles.len() as u32).collect();
        Cloth::of(first, rest.to_vec(), triangles.to_vec(), numbers, settings)
    }

    fn of(
        first: usize,
        rest: Vec<Vec3>,
        triangles: Vec<[u32; 3]>,
        numbers: Vec<u32>,
        settings: &ClothSettings,
    ) -> Result<Cloth, ConstraintError> {
        let edges = edges_of(&triangles);
        let links = links_along(&edges, &rest, &triangles, settings.stretch_stiffness);
        let bends = if 0.0 < settings.bend_stiffness {
            hinges(&rest, &triangles, &edges, settings.bend_stiffness.into())
        } else {
            Vec::new()
        };
        let particles = first..first + rest.len();
        let links = Links::of(particles.clone(), &links).with_damping(settings.damping)?;
        let bends = Bends::of(particles, &bends);
        let tethers = Tethers::default();
        Ok(Cloth { settings: *settings, rest, triangles, numbers, links, bends, tethers, begins: true })
    }

    /// Returns the remaining triangles, as particle indices from 0 in the cloth.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Breaks the edges that are stretched beyond the tear strain, and removes their triangles.
    /// Call it once in a frame, not between the passes of a substep. `positions` are those of all
    /// particles.
    ///
    /// # Errors
    /// If there are fewer positions than particles.
    pub fn tear(&mut self, positions: &[Vec3]) -> Result<Torn, ConstraintError> {
        check_step(&self.particles(), &[positions.len()], 1.0)?;
        let mut torn = Torn::default();
        if self.settings.tear_strain == f32::INFINITY {
            return Ok(torn);
        }
        let first = self.particles().start;
        let longest = 1.0 + f64::from(self.settings.tear_strain);
        let mut is_cut = alloc::vec![false; self.triangles.len()];
        for edge in edges_of(&self.triangles) {
            let [a, b] = edge.ends.map(|end| end as usize);
            let rest_sq = (self.rest[a].as_dvec3() - self.rest[b].as_dvec3()).length_squared();
            let offset = positions[first + a].as_dvec3() - positions[first + b].as_dvec3();
            // An edge without length has no strain.
            if 0.0 < rest_sq && longest * longest * rest_sq < offset.length_squared() {
                torn.edges.push(edge.ends);
                edge.triangles.iter().for_each(|&triangle| is_cut[triangle as usize] = true);
            }
        }
        if torn.edges.is_empty() {
            return Ok(torn);
        }
        let (mut triangles, mut numbers) = (Vec::new(), Vec::new());
        for ((&triangle, &number), is_cut) in self.triangles.iter().zip(&self.numbers).zip(is_cut) {
            if is_cut {
                torn.triangles.push(number);
            } else {
                triangles.push(triangle);
                numbers.push(number);
            }
        }
        let rest = core::mem::take(&mut self.rest);
        *self = Cloth::of(first, rest, triangles, numbers, &self.settings)?;
        Ok(torn)
    }
}

impl ParticleBody for Cloth {
    fn particles(&self) -> Range<usize> {
        self.links.particles()
    }

    fn move_to(&mut self, first: usize) {
        self.links.move_to(first);
        self.bends.move_to(first);
    }

    fn begin_step(&mut self) {
        self.links.begin_step();
        self.bends.begin_step();
        self.begins = true;
    }

    fn project(
        &mut self,
        positions: &mut [Vec3],
        inverse_masses: &[f32],
        dt: f32,
    ) -> Result<(), ConstraintError> {
        check_step(&self.particles(), &[positions.len(), inverse_masses.len()], dt)?;
        self.bends.project(positions, inverse_masses, dt);
        // Links come after, because a wrong length is more visible than a wrong curvature.
        self.links.project(positions, inverse_masses, dt)?;
        if self.settings.tear_strain == f32::INFINITY {
            let particles = self.particles();
            if core::mem::take(&mut self.begins) {
                let own = (&positions[particles.clone()], &inverse_masses[particles.clone()]);
                let mesh = (&self.rest[..], &self.triangles[..]);
                self.tethers.begin(mesh, self.settings.stretch_stiffness, own, dt);
            }
            self.tethers.project(positions, particles.start);
        }
        Ok(())
    }

    fn taut(&self) -> &[TautParticle] {
        self.tethers.taut()
    }

    fn damp(
        &self,
        positions: &[Vec3],
        velocities: &mut [Vec3],
        inverse_masses: &[f32],
        dt: f32,
    ) -> Result<(), ConstraintError> {
        self.links.damp(positions, velocities, inverse_masses, dt)?;
        self.bends.damp(positions, velocities, inverse_masses, self.settings.damping, dt);
        Ok(())
    }
}
