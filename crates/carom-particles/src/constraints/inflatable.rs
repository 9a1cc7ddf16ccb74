//! Inflatables: closed cloths around a volume of liquid or gas.
//!
//! - The volume of a closed triangle mesh is a sum over its triangles. Its derivative by a vertex
//!   is a sum of area vectors. The volume is one constraint on all particles.
//! - A liquid keeps its volume: a hard constraint.
//! - A gas has a pressure p with p V constant, and an ambient pressure acts against it. The step
//!   is implicit: the pressure at the end of a substep determines the change of volume. That is
//!   the positive root of a quadratic equation, so a step is stable at any pressure.
//!
//! An edge may have any number of triangles, as many on one side as on the other. Degenerate: the
//! volume of a mesh that collapsed to a line has no derivative, so it stays until its cloth opens
//! it.
//!
//! Reference: M. Mueller et al., Position Based Dynamics, 2007, 4.4 (cloth balloons); M. Macklin,
//! M. Mueller, N. Chentanez, XPBD, 2016. Differs: the law of Boyle and Mariotte, not a factor on
//! the volume.

use super::cloth::{Cloth, ClothSettings};
use super::{ConstraintError, ParticleBody, TautParticle, check_setting, check_step};
use alloc::vec::Vec;
use carom_math::ops::sqrt;
use core::ops::Range;
use glam::{DVec3, Vec3};

/// The content of an inflatable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Filling {
    /// A content that keeps its volume: the volume at rest times this ratio, above 0.
    Volume(f32),
    /// A gas. Pressures are forces over areas, not negative.
    Gas {
        /// Pressure at the volume at rest.
        pressure: f32,
        /// Pressure outside.
        ambient: f32,
    },
}

/// Settings of an inflatable: its skin and its content.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct InflatableSettings {
    /// The content. Default: it keeps the volume at rest, `Filling::Volume(1.0)`.
    pub filling: Filling,
    /// The skin. It does not tear: its tear strain is ignored. Default:
    /// [`ClothSettings::default`].
    pub skin: ClothSettings,
}

impl Default for InflatableSettings {
    fn default() -> InflatableSettings {
        InflatableSettings { filling: Filling::Volume(1.0), skin: ClothSettings::default() }
    }
}

impl InflatableSettings {
    /// Returns these settings with another filling.
    #[must_use]
    pub fn with_filling(self, filling: Filling) -> InflatableSettings {
        InflatableSettings { filling, ..self }
    }

    /// Returns these settings with another skin.
    #[must_use]
    pub fn with_skin(self, skin: ClothSettings) -> InflatableSettings {
        InflatableSettings { skin, ..self }
    }
}

/// A closed skin with a filling.
#[derive(Clone, Debug)]
pub struct Inflatable {
    skin: Cloth,
    filling: Filling,
    rest_volume: f64,
    /// The multiplier of the volume constraint in the substep: an energy times squared seconds,
    /// over a volume.
    multiplier: f64,
    /// The gradient of the volume by each particle; reused memory.
    gradients: Vec<DVec3>,
}

impl Inflatable {
    /// Returns an inflatable of triangles that are counter-clockwise from outside, given by
    /// particle indices from 0, at these rest positions. `first` is the index of the first particle
    /// in the arrays of all particles.
    ///
    /// # Errors
    /// Those of [`Cloth::new`]; the first edge at which the mesh is open; a mesh that encloses no
    /// volume; a filling out of its range.
    pub fn new(
        first: usize,
        rest: &[Vec3],
        triangles: &[[u32; 3]],
        settings: &InflatableSettings,
    ) -> Result<Inflatable, ConstraintError> {
        let skin = settings.skin.with_tear_strain(f32::INFINITY);
        let skin = Cloth::new(first, rest, triangles, &skin)?;
        check_closed(triangles)?;
        let mut gradients = alloc::vec![DVec3::ZERO; rest.len()];
        let rest_volume = volume_and_gradients(rest, triangles, &mut gradients);
        if !(0.0 < rest_volume) {
            return Err(ConstraintError::NoVolume { volume: rest_volume as f32 });
        }
        check_filling(settings.filling)?;
        Ok(Inflatable { skin, filling: settings.filling, rest_volume, multiplier: 0.0, gradients })
    }

    /// Replaces the filling.
    ///
    /// # Errors
    /// If the filling is out of its range. Nothing changes then.
    pub fn set_filling(&mut self, filling: Filling) -> Result<(), ConstraintError> {
        check_filling(filling)?;
        self.filling = filling;
        Ok(())
    }

    /// Returns the enclosed volume in cubed units of length. `positions` are those of all
    /// particles.
    ///
    /// # Errors
    /// If there are fewer positions than particles.
    pub fn volume(&self, positions: &[Vec3]) -> Result<f64, ConstraintError> {
        check_step(&self.particles(), &[positions.len()], 1.0)?;
        let positions = &positions[self.particles()];
        Ok(self.skin.triangles().iter().map(|&triangle| volume_six(positions, triangle)).sum::<f64>() / 6.0)
    }

    /// Returns the pressure inside minus the pressure outside at the end of a substep: a force over
    /// an area. `dt` is the time of the substep in seconds.
    pub fn overpressure(&self, dt: f32) -> f32 {
        (self.multiplier / (f64::from(dt) * f64::from(dt))) as f32
    }

    /// Projects the volume constraint once, on the positions of the body's particles.
    fn project_volume(&mut self, positions: &mut [Vec3], inverse_masses: &[f32], dt: f32) {
        let volume = volume_and_gradients(positions, self.skin.triangles(), &mut self.gradients);
        let mut give = 0.0;
        for (gradient, &mass) in self.gradients.iter().zip(inverse_masses) {
            give += gradient.length_squared() * f64::from(mass);
        }
        let time_sq = f64::from(dt) * f64::from(dt);
        let wanted = match self.filling {
            Filling::Volume(ratio) => self.rest_volume * f64::from(ratio),
            Filling::Gas { pressure, ambient } => {
                // With y the volume at the end: multiplier + (y - volume) / give
                // = time^2 (content / y - ambient).
                let content = f64::from(pressure) * self.rest_volume;
                let b = give * (self.multiplier + time_sq * f64::from(ambient)) - volume;
                let c = give * time_sq * content;
                let root = sqrt(b * b + 4.0 * c);
                // The form of the root that does not cancel.
                if 0.0 < b { 2.0 * c / (b + root) } else { 0.5 * (root - b) }
            }
        };
        let step = (wanted - volume) / give;
        // All particles are pinned, there is no gradient, or numbers are out of range.
        if !(0.0 < give && step.is_finite()) {
            return;
        }
        self.multiplier += step;
        for ((position, gradient), &mass) in positions.iter_mut().zip(&self.gradients).zip(inverse_masses) {
            let moved = position.as_dvec3() + *gradient * (step * f64::from(mass));
            if 0.0 < mass && moved.as_vec3().is_finite() {
                *position = moved.as_vec3();
            }
        }
    }
}

fn check_filling(filling: Filling) -> Result<(), ConstraintError> {
    match filling {
        Filling::Volume(ratio) if !(0.0 < ratio) => {
            Err(ConstraintError::BadSetting { name: "volume", value: ratio })
        }
        Filling::Volume(ratio) => check_setting("volume", ratio, false),
        Filling::Gas { pressure, ambient } => {
            check_setting("pressure", pressure, false)?;
            check_setting("ambient", ambient, false)
        }
    }
}

/// Checks that each edge has as many triangles on one side as on the other.
fn check_closed(triangles: &[[u32; 3]]) -> Result<(), ConstraintError> {
    let mut sides = Vec::with_capacity(3 * triangles.len());
    for &[a, b, c] in triangles {
        let side = |p: u32, q: u32| if p < q { ([p, q], 1) } else { ([q, p], -1) };
        sides.extend([side(a, b), side(b, c), side(c, a)]);
    }
    sides.sort_unstable();
    for of_edge in sides.chunk_by(|a, b| a.0 == b.0) {
        if of_edge.iter().map(|&(_, turn)| turn).sum::<i32>() != 0 {
            return Err(ConstraintError::OpenEdge { edge: of_edge[0].0 });
        }
    }
    Ok(())
}

/// Returns six times the volume of the tetrahedron of a triangle and the first particle, which is
/// near the others.
fn volume_six(positions: &[Vec3], triangle: [u32; 3]) -> f64 {
    let from = positions[0].as_dvec3();
    let [a, b, c] = triangle.map(|corner| positions[corner as usize].as_dvec3() - from);
    a.cross(b).dot(c)
}

/// Returns the volume, and writes its derivative by each particle.
fn volume_and_gradients(positions: &[Vec3], triangles: &[[u32; 3]], gradients: &mut [DVec3]) -> f64 {
    gradients.fill(DVec3::ZERO);
    let mut six = 0.0;
    for &triangle in triangles {
        let from = positions[0].as_dvec3();
        let [a, b, c] = triangle.map(|corner| positions[corner as usize].as_dvec3() - from);
        six += a.cross(b).dot(c);
        // The same vector serves all three corners: the exact ones differ by edge terms that cancel
        // between triangles.
        let area = (b - a).cross(c - a) / 6.0;
        triangle.iter().for_each(|&corner| gradients[corner as usize] += area);
    }
    six / 6.0
}

impl ParticleBody for Inflatable {
    fn particles(&self) -> Range<usize> {
        self.skin.particles()
    }

    fn move_to(&mut self, first: usize) {
        self.skin.move_to(first);
    }

    fn begin_step(&mut self) {
        self.skin.begin_step();
        self.multiplier = 0.0;
    }

    fn project(
        &mut self,
        positions: &mut [Vec3],
        inverse_masses: &[f32],
        dt: f32,
    ) -> Result<(), ConstraintError> {
        self.skin.project(positions, inverse_masses, dt)?;
        let particles = self.particles();
        self.project_volume(&mut positions[particles.clone()], &inverse_masses[particles], dt);
        Ok(())
    }

    fn taut(&self) -> &[TautParticle] {
        self.skin.taut()
    }

    fn damp(
        &self,
        positions: &[Vec3],
        velocities: &mut [Vec3],
        inverse_masses: &[f32],
        dt: f32,
    ) -> Result<(), ConstraintError> {
        self.skin.damp(positions, velocities, inverse_masses, dt)
    }
}
