//! The velocities of the two bodies of each lane of a group, while impulses change them.

use crate::impulses::group::Group;
use crate::impulses::lane_vec::{Motion, States, Sym3, V3, gather_motion, scatter_motion};
use carom_lanes::{F32Lanes, Simd};

/// The velocities of A and B in eight lanes, with their inverse masses and inertias.
#[derive(Clone, Copy)]
pub(crate) struct PairMotion<S: Simd> {
    pub(crate) a: Motion<S>,
    pub(crate) b: Motion<S>,
    pub(crate) mass_a: S::F32x8,
    pub(crate) mass_b: S::F32x8,
    pub(crate) inertia_a: Sym3<S::F32x8>,
    pub(crate) inertia_b: Sym3<S::F32x8>,
}

impl<S: Simd> PairMotion<S> {
    /// Reads the velocities. Call it before other loads, which would be spilled to the stack.
    #[inline(always)]
    pub(crate) fn gather<B: States>(simd: S, g: &Group, states: &B) -> PairMotion<S> {
        PairMotion {
            a: gather_motion(simd, states, &g.body_a),
            b: gather_motion(simd, states, &g.body_b),
            mass_a: S::F32x8::load(simd, &g.inverse_mass_a),
            mass_b: S::F32x8::load(simd, &g.inverse_mass_b),
            inertia_a: Sym3::load(simd, &g.inverse_inertia_a),
            inertia_b: Sym3::load(simd, &g.inverse_inertia_b),
        }
    }

    /// Applies an impulse and an angular impulse to `b`, and their opposites to `a`.
    #[inline(always)]
    pub(crate) fn apply(&mut self, linear: V3<S::F32x8>, [angular_a, angular_b]: [V3<S::F32x8>; 2]) {
        self.a.v = self.a.v - linear * self.mass_a;
        self.b.v = self.b.v + linear * self.mass_b;
        self.a.w = self.a.w - self.inertia_a.transform(angular_a);
        self.b.w = self.b.w + self.inertia_b.transform(angular_b);
    }

    /// Applies an angular impulse to `b`, and its opposite to `a`.
    #[inline(always)]
    pub(crate) fn twist(&mut self, angular: V3<S::F32x8>) {
        self.a.w = self.a.w - self.inertia_a.transform(angular);
        self.b.w = self.b.w + self.inertia_b.transform(angular);
    }

    /// Writes the velocities of the movable bodies in these lanes, one bit for each.
    #[inline(always)]
    pub(crate) fn scatter<B: States>(&self, simd: S, g: &Group, states: &mut B, lanes: u8) {
        scatter_motion(simd, states, &g.body_a, g.movable_a & lanes, &self.a);
        scatter_motion(simd, states, &g.body_b, g.movable_b & lanes, &self.b);
    }
}
