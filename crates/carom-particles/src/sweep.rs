//! Moves the particles that certainly hit nothing, eight at a time, and leaves the others to the
//! exact step.
//!
//! A particle certainly hits nothing if it moves away from the camera, and ends in one of two
//! places: out of view, or in front of the surface in its pixel by more than the thickness. This
//! holds for most drops of rain. The operations are those of the exact step, in the same order, so
//! the bits are the same.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.10.1.

use crate::bounce::{Bounce, StepOutcome};
use crate::depth_particles::View;
use carom_lanes::{F32Lanes, Kernel, MaskLanes, Simd, U32Lanes};
use glam::Vec3;

/// A step of particles before a camera.
pub(crate) struct Sweep<'a> {
    pub(crate) view: &'a View<'a>,
    pub(crate) positions: &'a mut [Vec3],
    pub(crate) velocities: &'a mut [Vec3],
    pub(crate) outcomes: &'a mut [StepOutcome],
    pub(crate) dt: f32,
    pub(crate) bounce: &'a Bounce,
}

impl Kernel for Sweep<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Sweep { view, positions, velocities, outcomes, dt, bounce } = self;
        let n = positions.len();
        let mut first = 0;
        while first < n {
            let end = if n < first + 8 { n } else { first + 8 };
            // The bits of the lanes that are done.
            let mut is_done = 0;
            if bounce.samples == 1 && first + 8 <= n {
                is_done = pass::<S>(
                    simd,
                    view,
                    &mut positions[first..end],
                    &velocities[first..end],
                    &mut outcomes[first..end],
                    dt,
                    bounce,
                );
            }
            let mut i = first;
            while i < end {
                if is_done >> (i - first) & 1 == 0 {
                    outcomes[i] = view.advance(&mut positions[i], &mut velocities[i], dt, bounce);
                }
                i += 1;
            }
            first = end;
        }
    }
}

/// Moves those of eight particles that certainly hit nothing. Returns the bits of their lanes.
#[inline(always)]
fn pass<S: Simd>(
    simd: S,
    view: &View<'_>,
    positions: &mut [Vec3],
    velocities: &[Vec3],
    outcomes: &mut [StepOutcome],
    dt: f32,
    bounce: &Bounce,
) -> u32 {
    let (mut p, mut v) = ([[0.0; 8]; 3], [[0.0; 8]; 3]);
    let mut i = 0;
    while i < 8 {
        let (position, velocity) = (positions[i], velocities[i]);
        (p[0][i], p[1][i], p[2][i]) = (position.x, position.y, position.z);
        (v[0][i], v[1][i], v[2][i]) = (velocity.x, velocity.y, velocity.z);
        i += 1;
    }
    let v = [S::F32x8::load(simd, &v[0]), S::F32x8::load(simd, &v[1]), S::F32x8::load(simd, &v[2])];
    let time = splat::<S>(simd, dt);
    let ends = [
        S::F32x8::load(simd, &p[0]) + v[0] * time,
        S::F32x8::load(simd, &p[1]) + v[1] * time,
        S::F32x8::load(simd, &p[2]) + v[2] * time,
    ];
    let offset = [
        ends[0] - splat::<S>(simd, view.eye.x),
        ends[1] - splat::<S>(simd, view.eye.y),
        ends[2] - splat::<S>(simd, view.eye.z),
    ];
    let depth = dot::<S>(simd, view.forward, offset);
    let width = if view.is_perspective { splat::<S>(simd, 1.0) / depth } else { splat::<S>(simd, 1.0) };
    let x = splat::<S>(simd, 0.5 * view.size.x)
        + dot::<S>(simd, view.right, offset) * (splat::<S>(simd, view.scale.x) * width);
    let y = splat::<S>(simd, 0.5 * view.size.y)
        + -dot::<S>(simd, view.up, offset) * (splat::<S>(simd, view.scale.y) * width);
    let (zero, camera) = (splat::<S>(simd, 0.0), &view.buffer.camera);
    let is_seen = splat::<S>(simd, camera.near).le(depth)
        & depth.le(splat::<S>(simd, camera.far))
        & zero.le(x)
        & x.lt(splat::<S>(simd, view.size.x))
        & zero.le(y)
        & y.lt(splat::<S>(simd, view.size.y));
    let (column, row) = (S::F32x8::select(is_seen, x, zero), S::F32x8::select(is_seen, y, zero));
    let pixel = row.trunc_to_u32() * S::U32x8::splat(simd, view.buffer.width) + column.trunc_to_u32();
    let behind = depth - S::F32x8::gather(&view.buffer.depths, pixel);
    let toward = dot::<S>(simd, view.forward, v);
    let thickness = splat::<S>(simd, bounce.thickness).max(toward.abs() * time);
    let is_away = zero.le(toward);
    // NaN and numbers out of range fail the comparison, and are left to the exact step.
    let is_clear = is_seen & behind.le(-thickness);
    let clear = (is_away & is_clear).bits();
    let seen = is_seen.bits();
    let is_done = clear | (is_away.bits() & !seen);
    let ends = [ends[0].to_array(), ends[1].to_array(), ends[2].to_array()];
    let mut i = 0;
    while i < 8 {
        if is_done >> i & 1 == 1 {
            positions[i] = Vec3::new(ends[0][i], ends[1][i], ends[2][i]);
            outcomes[i] = if clear >> i & 1 == 1 { StepOutcome::Free } else { StepOutcome::Outside };
        }
        i += 1;
    }
    is_done
}

#[inline(always)]
fn splat<S: Simd>(simd: S, x: f32) -> S::F32x8 {
    S::F32x8::splat(simd, x)
}

#[inline(always)]
fn dot<S: Simd>(simd: S, axis: Vec3, v: [S::F32x8; 3]) -> S::F32x8 {
    splat::<S>(simd, axis.x) * v[0] + splat::<S>(simd, axis.y) * v[1] + splat::<S>(simd, axis.z) * v[2]
}
