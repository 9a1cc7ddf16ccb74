//! Particles for the tests of ropes, cloth and soft bodies, and what physics says about them.

use carom_math::Vec3;
use carom_particles::{ParticleBody, SmallSteps, StepMemory};
use carom_scenes::Rng;
use glam::{DMat3, DVec3};

/// Particles that bodies connect.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Particles {
    pub(crate) positions: Vec<Vec3>,
    pub(crate) velocities: Vec<Vec3>,
    pub(crate) inverse_masses: Vec<f32>,
}

impl Particles {
    /// At rest, each of this mass.
    pub(crate) fn new(positions: Vec<Vec3>, mass: f32) -> Particles {
        let n = positions.len();
        Particles { positions, velocities: vec![Vec3::ZERO; n], inverse_masses: vec![1.0 / mass; n] }
    }

    /// Velocities of up to `speed`, along each axis.
    pub(crate) fn stir(&mut self, rng: &mut Rng, speed: f64) {
        for velocity in &mut self.velocities {
            *velocity = crate::scenes::point(rng, speed);
        }
    }

    /// Frames of a sixtieth of a second each.
    pub(crate) fn run(&mut self, steps: &SmallSteps, n_frames: u32, body: &mut dyn ParticleBody) {
        let mut memory = StepMemory::default();
        for _ in 0..n_frames {
            let (positions, velocities) = (&mut self.positions, &mut self.velocities);
            steps
                .advance(
                    positions,
                    velocities,
                    &self.inverse_masses,
                    1.0 / 60.0,
                    &mut [&mut *body],
                    &mut memory,
                    |_, _| {},
                )
                .unwrap();
        }
    }

    fn mass(&self, i: usize) -> f64 {
        1.0 / f64::from(self.inverse_masses[i])
    }

    /// The momentum of free particles.
    pub(crate) fn momentum(&self) -> DVec3 {
        (0..self.positions.len()).map(|i| self.velocities[i].as_dvec3() * self.mass(i)).sum()
    }

    /// About the origin.
    pub(crate) fn angular_momentum(&self) -> DVec3 {
        let of = |i: usize| self.positions[i].as_dvec3().cross(self.velocities[i].as_dvec3());
        (0..self.positions.len()).map(|i| of(i) * self.mass(i)).sum()
    }

    /// Kinetic energy, and that of height, of particles that are not pinned.
    pub(crate) fn energy(&self, gravity: f64) -> f64 {
        let of = |i: usize| {
            let speed_sq = self.velocities[i].as_dvec3().length_squared();
            self.mass(i) * (0.5 * speed_sq + gravity * f64::from(self.positions[i].y))
        };
        (0..self.positions.len()).filter(|&i| 0.0 < self.inverse_masses[i]).map(of).sum()
    }

    pub(crate) fn fastest(&self) -> f32 {
        self.velocities.iter().map(|v| v.length()).fold(0.0, f32::max)
    }

    pub(crate) fn is_finite(&self) -> bool {
        self.positions.iter().chain(&self.velocities).all(|v| v.is_finite())
    }
}

/// No gravity, and the usual frame.
pub(crate) fn weightless() -> SmallSteps {
    SmallSteps::default().with_gravity(Vec3::ZERO)
}

/// The sums of mass times displacement of a projection, and of position cross that, as parts of
/// sums of lengths: displacements and positions, which are rounded. A single constraint keeps both;
/// of several, each turns nothing at the positions that the others have left.
pub(crate) fn kick(particles: &Particles, body: &mut dyn ParticleBody) -> [f64; 2] {
    let mut after = particles.clone();
    body.begin_step();
    body.project(&mut after.positions, &particles.inverse_masses, 1.0 / 480.0).unwrap();
    let (mut sums, mut sizes) = ([DVec3::ZERO; 2], [0.0; 2]);
    for i in 0..particles.positions.len() {
        let moved = after.positions[i].as_dvec3() - particles.positions[i].as_dvec3();
        let linear = moved * particles.mass(i);
        let angular = particles.positions[i].as_dvec3().cross(linear);
        sums = [sums[0] + linear, sums[1] + angular];
        let (far, size) = (particles.positions[i].as_dvec3().length(), linear.length());
        let rounded = particles.mass(i) * far;
        sizes = [sizes[0] + size + rounded, sizes[1] + far * (size + rounded)];
    }
    assert!(after.positions != particles.positions);
    [sums[0].length() / sizes[0], sums[1].length() / sizes[1]]
}

/// By how much momentum, and angular momentum, have changed, as parts of the sums of their lengths.
pub(crate) fn drifts(before: &Particles, after: &Particles) -> [f64; 2] {
    let (mut linear, mut angular) = (0.0, 0.0);
    for i in 0..before.positions.len() {
        let momentum = before.velocities[i].as_dvec3() * before.mass(i);
        linear += momentum.length();
        angular += before.positions[i].as_dvec3().cross(momentum).length();
    }
    let moved = (after.momentum() - before.momentum()).length();
    [moved / linear, (after.angular_momentum() - before.angular_momentum()).length() / angular]
}

/// Shakes the positions by up to `size` along each axis.
pub(crate) fn shaken(positions: &[Vec3], rng: &mut Rng, size: f64) -> Vec<Vec3> {
    positions.iter().map(|p| *p + crate::scenes::point(rng, size)).collect()
}

/// A level sheet of `n` by `m` points, `spacing` apart, with two triangles in each square.
pub(crate) fn sheet(n: u32, m: u32, spacing: f32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let at = |i: u32| Vec3::new((i % n) as f32, 0.0, (i / n) as f32) * spacing;
    let corners = (0..n * (m - 1)).filter(|i| i % n < n - 1);
    let squares = corners.flat_map(|i| [[i, i + n, i + 1], [i + 1, i + n, i + n + 1]]);
    ((0..n * m).map(at).collect(), squares.collect())
}

/// A turn about an axis that is none of the frame's, and a shift.
pub(crate) fn turned(points: &[Vec3]) -> Vec<Vec3> {
    let turn = DMat3::from_axis_angle(DVec3::new(2.0, -1.0, 2.0) / 3.0, 1.1);
    points.iter().map(|p| (turn * p.as_dvec3() + DVec3::new(0.3, -0.2, 0.5)).as_vec3()).collect()
}

/// A level sheet of `m` rows of `n` points with equilateral triangles, `spacing` apart.
pub(crate) fn equilateral_sheet(n: u32, m: u32, spacing: f32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let (mut points, mut triangles) = sheet(n, m, spacing);
    for (p, i) in points.iter_mut().zip(0..) {
        let row = i / n;
        *p = Vec3::new(p.x + 0.5 * spacing * (row % 2) as f32, 0.0, p.z * 0.75_f32.sqrt());
    }
    for square in triangles.chunks_mut(2) {
        let i = square[0][0];
        if i / n % 2 == 1 {
            // The row is shifted against the next one: the other diagonal is the short one.
            square.copy_from_slice(&[[i, i + n, i + n + 1], [i, i + n + 1, i + 1]]);
        }
    }
    (points, triangles)
}
