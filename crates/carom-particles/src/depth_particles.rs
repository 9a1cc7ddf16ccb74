//! Particles against the depth buffer of a camera.
//!
//! - A particle moves by its velocity. It has hit the surface in its pixel if it is then behind
//!   the surface's plane by at most the thickness.
//! - It moves back along its velocity to that plane, is reflected about the buffer's normal, and
//!   moves on for the rest of the step.
//! - A particle that comes out of the surface started behind it. It is reported as killed, so that
//!   it does not appear in front.
//! - A surface is at least as thick as the depth that the particle covers between two samples. So a
//!   fast particle does not skip it.
//!
//! The plane is that of the surface at the centre of the pixel. It is exact for flat surfaces of
//! any slope.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.10.1; C. Tchou, Halo Reach
//! Effects Tech, GDC 2011.
//! Differs: particles move back to the plane of the surface, not to its depth alone; the thickness
//! grows with the speed.

use crate::bounce::advance_all;
use crate::camera::Projection;
use crate::sweep::Sweep;
use crate::{Bounce, DepthBuffer, OutcomeCounts, ParticleError, StepOutcome};
use alloc::vec::Vec;
use carom_lanes::dispatch;
use glam::{DVec3, Vec2, Vec3};

impl DepthBuffer {
    /// Moves particles for `dt` seconds by their velocities, and lets them bounce off the surfaces
    /// that the camera sees. Positions and velocities are in the world. Sets `outcomes` to the
    /// outcome of each particle, and reuses its memory.
    ///
    /// A particle moves in a straight line: add gravity to the velocities before. The caller should
    /// remove particles with [`StepOutcome::Killed`].
    ///
    /// # Errors
    /// If there are not as many velocities as positions, or a number is not finite. If the time is
    /// negative, or a setting is out of its range. Nothing moves then.
    pub fn advance(
        &self,
        positions: &mut [Vec3],
        velocities: &mut [Vec3],
        dt: f32,
        bounce: &Bounce,
        outcomes: &mut Vec<StepOutcome>,
    ) -> Result<OutcomeCounts, ParticleError> {
        let view = View::new(self);
        advance_all(positions, velocities, dt, bounce, outcomes, |positions, velocities, outcomes| {
            dispatch(Sweep { view: &view, positions, velocities, outcomes, dt, bounce });
        })
    }
}

/// The camera of a buffer in single precision.
pub(crate) struct View<'a> {
    pub(crate) buffer: &'a DepthBuffer,
    pub(crate) eye: Vec3,
    pub(crate) right: Vec3,
    pub(crate) up: Vec3,
    pub(crate) forward: Vec3,
    /// Whether the rays meet in the eye.
    pub(crate) is_perspective: bool,
    /// Pixels per unit of the picture's half extents.
    pub(crate) scale: Vec2,
    /// The size in pixels.
    pub(crate) size: Vec2,
}

impl View<'_> {
    fn new(buffer: &DepthBuffer) -> View<'_> {
        let pose = &buffer.camera.pose;
        let axis = |axis: DVec3| pose.transform_vector(axis).as_vec3();
        let (is_perspective, half) = match buffer.camera.projection {
            Projection::Perspective { half } => (true, half.as_vec2()),
            Projection::Orthographic { half } => (false, half.as_vec2()),
        };
        let size = Vec2::new(buffer.width as f32, buffer.height as f32);
        View {
            buffer,
            eye: pose.translation.as_vec3(),
            right: axis(DVec3::X),
            up: axis(DVec3::Y),
            forward: axis(DVec3::NEG_Z),
            is_perspective,
            scale: size * 0.5 / half,
            size,
        }
    }

    /// Returns the column and row of the pixel of a point, and the depth of the point; `None` out
    /// of view.
    fn pixel_of(&self, point: Vec3) -> Option<([u32; 2], f32)> {
        let offset = point - self.eye;
        let depth = self.forward.dot(offset);
        if !self.buffer.is_in_range(depth) {
            return None;
        }
        let width = if self.is_perspective { 1.0 / depth } else { 1.0 };
        // The same order of operations as in the sweep.
        let position = Vec2::new(self.right.dot(offset), -self.up.dot(offset)) * (self.scale * width);
        let pixel = self.size * 0.5 + position;
        let is_seen = 0.0 <= pixel.x && pixel.x < self.size.x && 0.0 <= pixel.y && pixel.y < self.size.y;
        is_seen.then_some(([pixel.x as u32, pixel.y as u32], depth))
    }

    /// Returns the point at the centre of a pixel at a depth.
    fn surface(&self, [column, row]: [u32; 2], depth: f32) -> Vec3 {
        let pixel = Vec2::new(column as f32 + 0.5, row as f32 + 0.5);
        let width = if self.is_perspective { depth } else { 1.0 };
        let position = (pixel - self.size * 0.5) / self.scale * width;
        self.eye + self.forward * depth + self.right * position.x - self.up * position.y
    }

    /// Returns the surface in the pixel of a point; `None` out of view.
    fn sample_at(&self, point: Vec3) -> Option<SurfaceSample> {
        let ([column, row], depth) = self.pixel_of(point)?;
        let pixel = self.buffer.pixel(column, row);
        let surface_depth = self.buffer.depths[pixel];
        let normal = self.buffer.normals[pixel];
        // An empty pixel has infinite depth and a zero normal.
        let surface =
            if surface_depth < f32::INFINITY { self.surface([column, row], surface_depth) } else { point };
        Some(SurfaceSample { behind: depth - surface_depth, surface, normal })
    }

    pub(crate) fn advance(
        &self,
        position: &mut Vec3,
        velocity: &mut Vec3,
        dt: f32,
        bounce: &Bounce,
    ) -> StepOutcome {
        let start = *position;
        let piece = dt / bounce.samples as f32;
        let toward = self.forward.dot(*velocity);
        let thickness = bounce.thickness.max(toward.abs() * piece);
        if toward < 0.0
            && let Some(time) = self.comes_out(start, *velocity, dt, thickness)
        {
            *position = start + *velocity * time;
            return StepOutcome::Killed;
        }
        let mut outcome = StepOutcome::Free;
        for sample in 1..=bounce.samples {
            let time = if sample == bounce.samples { dt } else { piece * sample as f32 };
            *position = start + *velocity * time;
            let Some(surface_sample) = self.sample_at(*position) else {
                outcome = StepOutcome::Outside;
                continue;
            };
            let over = surface_sample.over(*position);
            if !(-thickness < surface_sample.behind && over < 0.0) {
                outcome = StepOutcome::Free;
                continue;
            }
            let speed = velocity.dot(surface_sample.normal);
            let since = (over / speed).clamp(0.0, time);
            let hit = *position - *velocity * since;
            // Behind a steep surface a particle is soon deep, though it has just passed through.
            let goes_through = || 0.0 <= surface_sample.over(start) && self.is_surface(hit, thickness);
            if thickness < surface_sample.behind && !goes_through() {
                outcome = StepOutcome::Hidden;
                continue;
            }
            if !(speed < 0.0) {
                return StepOutcome::Killed;
            }
            *velocity = bounce.reflect(*velocity, surface_sample.normal);
            *position = hit + *velocity * (since + (dt - time));
            *position -= surface_sample.normal * surface_sample.over(*position).min(0.0);
            return StepOutcome::Bounced;
        }
        outcome
    }

    /// Returns the time at which a particle that starts behind a surface comes out toward the
    /// camera; `None` if it does not in this step.
    fn comes_out(&self, start: Vec3, velocity: Vec3, dt: f32, thickness: f32) -> Option<f32> {
        let sample = self.sample_at(start)?;
        let (over, speed) = (sample.over(start), velocity.dot(sample.normal));
        if !(over < 0.0 && 0.0 < speed) {
            return None;
        }
        let time = -over / speed;
        if !(time <= dt) {
            return None;
        }
        // If it comes out beside the surface, it was only hidden.
        self.is_surface(start + velocity * time, thickness).then_some(time)
    }

    /// Whether the visible surface is near a point.
    fn is_surface(&self, point: Vec3, thickness: f32) -> bool {
        self.sample_at(point).is_some_and(|sample| sample.behind.abs() <= thickness)
    }
}

/// The surface in the pixel of a point.
struct SurfaceSample {
    /// The depth of the point minus that of the surface.
    behind: f32,
    /// The point of the surface at the centre of the pixel.
    surface: Vec3,
    /// Zero if nothing is seen.
    normal: Vec3,
}

impl SurfaceSample {
    /// Returns the signed distance of a point above the plane of the surface.
    fn over(&self, point: Vec3) -> f32 {
        (point - self.surface).dot(self.normal)
    }
}
