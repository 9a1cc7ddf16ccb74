//! SIMD vectors, symmetric matrices and motions of eight bodies, with gather and scatter.
//!
//! A state is two rows of eight floats. Eight states, transposed, are the lanes. No operation is
//! fused, and lanes are never combined. So any instruction set and any grouping of the same
//! contacts give the same bits (tests: `par::one_two_and_seven_threads` and `cargo xtask golden`).
//!
//! Reference: E. Catto, SIMD Matters, box2d.org, 2024 (gathering bodies into wide contact
//! constraints).

use carom_lanes::{F32Lanes, Line, Simd};
use core::ops::{Add, Mul, Sub};

/// Eight floats in memory.
pub(crate) type Lanes = [f32; 8];

/// The motion of a body during a step. `front`: velocity, angular velocity, two unused numbers.
/// `back`: the translation and the rotation (quaternion x y z w) since the step began, one unused
/// number.
pub(crate) type State = Line;

/// The state of a body that does not move.
pub(crate) const REST: State = State { front: [0.0; 8], back: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0] };

/// The states of all bodies, for one thread or shared. The last one stands for all bodies that
/// cannot move.
pub(crate) trait States {
    fn n_states(&self) -> usize;
    fn motion<S: Simd>(&self, simd: S, body: u32) -> S::F32x8;
    fn delta(&self, body: u32) -> Lanes;
    fn set_motion<S: Simd>(&mut self, simd: S, body: u32, motion: S::F32x8);
}

impl States for &mut [State] {
    #[inline(always)]
    fn n_states(&self) -> usize {
        self.len()
    }
    #[inline(always)]
    fn motion<S: Simd>(&self, simd: S, body: u32) -> S::F32x8 {
        S::F32x8::load(simd, &self[body as usize].front)
    }
    #[inline(always)]
    fn delta(&self, body: u32) -> Lanes {
        self[body as usize].back
    }
    #[inline(always)]
    fn set_motion<S: Simd>(&mut self, _: S, body: u32, motion: S::F32x8) {
        self[body as usize].front = motion.to_array();
    }
}

/// Eight vectors.
#[derive(Clone, Copy)]
pub(crate) struct V3<F> {
    pub(crate) x: F,
    pub(crate) y: F,
    pub(crate) z: F,
}

impl<F: F32Lanes<8>> V3<F> {
    #[inline(always)]
    pub(crate) fn load(simd: F::Token, from: &[Lanes; 3]) -> V3<F> {
        V3 { x: F::load(simd, &from[0]), y: F::load(simd, &from[1]), z: F::load(simd, &from[2]) }
    }

    #[inline(always)]
    pub(crate) fn store(self, to: &mut [Lanes; 3]) {
        self.x.store(&mut to[0]);
        self.y.store(&mut to[1]);
        self.z.store(&mut to[2]);
    }

    /// Returns `yes` in lanes in which the mask is set, else `no`.
    #[inline(always)]
    pub(crate) fn select(mask: F::Mask, yes: V3<F>, no: V3<F>) -> V3<F> {
        V3 {
            x: F::select(mask, yes.x, no.x),
            y: F::select(mask, yes.y, no.y),
            z: F::select(mask, yes.z, no.z),
        }
    }

    #[inline(always)]
    pub(crate) fn dot(self, other: V3<F>) -> F {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    #[inline(always)]
    pub(crate) fn cross(self, other: V3<F>) -> V3<F> {
        V3 {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }
}

impl<F: F32Lanes<8>> Add for V3<F> {
    type Output = V3<F>;
    #[inline(always)]
    fn add(self, other: V3<F>) -> V3<F> {
        V3 { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl<F: F32Lanes<8>> Sub for V3<F> {
    type Output = V3<F>;
    #[inline(always)]
    fn sub(self, other: V3<F>) -> V3<F> {
        V3 { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

impl<F: F32Lanes<8>> Mul<F> for V3<F> {
    type Output = V3<F>;
    #[inline(always)]
    fn mul(self, scale: F) -> V3<F> {
        V3 { x: self.x * scale, y: self.y * scale, z: self.z * scale }
    }
}

/// Eight symmetric matrices: xx, yy, zz, xy, xz, yz.
#[derive(Clone, Copy)]
pub(crate) struct Sym3<F> {
    xx: F,
    yy: F,
    zz: F,
    xy: F,
    xz: F,
    yz: F,
}

impl<F: F32Lanes<8>> Sym3<F> {
    #[inline(always)]
    pub(crate) fn load(simd: F::Token, from: &[Lanes; 6]) -> Sym3<F> {
        Sym3 {
            xx: F::load(simd, &from[0]),
            yy: F::load(simd, &from[1]),
            zz: F::load(simd, &from[2]),
            xy: F::load(simd, &from[3]),
            xz: F::load(simd, &from[4]),
            yz: F::load(simd, &from[5]),
        }
    }

    #[inline(always)]
    pub(crate) fn transform(self, v: V3<F>) -> V3<F> {
        V3 {
            x: self.xx * v.x + self.xy * v.y + self.xz * v.z,
            y: self.xy * v.x + self.yy * v.y + self.yz * v.z,
            z: self.xz * v.x + self.yz * v.y + self.zz * v.z,
        }
    }
}

/// The velocities of eight bodies.
#[derive(Clone, Copy)]
pub(crate) struct Motion<S: Simd> {
    pub(crate) v: V3<S::F32x8>,
    pub(crate) w: V3<S::F32x8>,
}

#[inline(always)]
pub(crate) fn gather_motion<S: Simd>(simd: S, states: &impl States, bodies: &[u32; 8]) -> Motion<S> {
    // All checks come before the first load. A branch between loads would spill rows to the stack.
    let (bodies, n) = (*bodies, states.n_states());
    let mut lane = 0;
    while lane < 8 {
        assert!((bodies[lane] as usize) < n, "a group has a body without a state");
        lane += 1;
    }
    let rows = [
        states.motion(simd, bodies[0]),
        states.motion(simd, bodies[1]),
        states.motion(simd, bodies[2]),
        states.motion(simd, bodies[3]),
        states.motion(simd, bodies[4]),
        states.motion(simd, bodies[5]),
        states.motion(simd, bodies[6]),
        states.motion(simd, bodies[7]),
    ];
    let c = simd.transpose8(rows);
    Motion { v: V3 { x: c[0], y: c[1], z: c[2] }, w: V3 { x: c[3], y: c[4], z: c[5] } }
}

/// Writes back the lanes whose bit is set in `movable`.
#[inline(always)]
pub(crate) fn scatter_motion<S: Simd>(
    simd: S,
    states: &mut impl States,
    bodies: &[u32; 8],
    movable: u8,
    motion: &Motion<S>,
) {
    let zero = S::F32x8::splat(simd, 0.0);
    let (v, w) = (motion.v, motion.w);
    let rows = simd.transpose8([v.x, v.y, v.z, w.x, w.y, w.z, zero, zero]);
    let mut lane = 0;
    while lane < 8 {
        if movable >> lane & 1 != 0 {
            states.set_motion(simd, bodies[lane], rows[lane]);
        }
        lane += 1;
    }
}

/// Displacements and rotations of eight bodies since the step began.
#[derive(Clone, Copy)]
pub(crate) struct Delta<S: Simd> {
    pub(crate) p: V3<S::F32x8>,
    q: V3<S::F32x8>,
    q_w: S::F32x8,
}

impl<S: Simd> Delta<S> {
    /// Rotates a vector by the inverse rotation of the delta.
    #[inline(always)]
    pub(crate) fn turn_back(&self, simd: S, v: V3<S::F32x8>) -> V3<S::F32x8> {
        let two = S::F32x8::splat(simd, 2.0);
        let t = v.cross(self.q) * two;
        v + t * self.q_w + t.cross(self.q)
    }
}

#[inline(always)]
pub(crate) fn gather_delta<S: Simd>(simd: S, states: &impl States, bodies: &[u32; 8]) -> Delta<S> {
    let rows = [
        S::F32x8::load(simd, &states.delta(bodies[0])),
        S::F32x8::load(simd, &states.delta(bodies[1])),
        S::F32x8::load(simd, &states.delta(bodies[2])),
        S::F32x8::load(simd, &states.delta(bodies[3])),
        S::F32x8::load(simd, &states.delta(bodies[4])),
        S::F32x8::load(simd, &states.delta(bodies[5])),
        S::F32x8::load(simd, &states.delta(bodies[6])),
        S::F32x8::load(simd, &states.delta(bodies[7])),
    ];
    let c = simd.transpose8(rows);
    Delta { p: V3 { x: c[0], y: c[1], z: c[2] }, q: V3 { x: c[3], y: c[4], z: c[5] }, q_w: c[6] }
}
