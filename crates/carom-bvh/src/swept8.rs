//! Eight swept spheres side by side.
//!
//! The gap of two volumes along any direction is a lower bound of their distance. Two directions
//! are tested: that of the line of centres, and that of a line between two near points of the
//! cores. A few projections from one core to the other and back find these points.
//!
//! Reference: E. Larsen, S. Gottschalk, M. C. Lin, D. Manocha, Fast Proximity Queries with Swept
//! Sphere Volumes, 1999; W. Cheney, A. Goldstein, Proximity Maps for Convex Sets, 1959 (projecting
//! back and forth finds the closest points).
//! Differs: a fixed number of projections. The slack, twice that of axis-aligned boxes, covers the
//! rounding of the rotation.

use crate::ray_lanes::RayLanes;
use crate::relative::Relative;
use crate::scale::UNIT;
use crate::tree::TreeVolume;
use crate::volumes::{Volumes8, dot, load3, sealed::Sealed, splat3};
use carom_bounds::{Aabb, BoundingVolume, SweptSphere};
use carom_lanes::{F32Lanes, MaskLanes, Simd};
use glam::{DMat3, Vec3};

/// Eight swept spheres by component.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Swept8<const E: usize> {
    pub(crate) center: [[f32; 8]; 3],
    pub(crate) radius: [f32; 8],
    pub(crate) edges: [[[f32; 8]; 3]; E],
}

/// A swept sphere in the frame of another tree, in scaled lengths.
#[derive(Clone, Copy, Debug)]
pub struct PlacedSwept<const E: usize> {
    center: [f32; 3],
    radius: f32,
    edges: [[f32; 3]; E],
}

impl<const E: usize> TreeVolume for SweptSphere<E> {
    type Volumes8 = Swept8<E>;
}

impl<const E: usize> Sealed for Swept8<E> {}

/// The relative rounding error of squared distances is less than this.
const SQUARED: f32 = 16.0 * UNIT;

/// Projections from one core to the other and back.
const ROUNDS: usize = 3;

/// A squared scaled length. A direction with a smaller square is rounding noise: its length,
/// 1e-15, is far below the slack, some 2e-6.
const NO_DIRECTION: f32 = 1e-30;

/// The placed volume (B) and each of the eight (A), in scaled lengths. It has the vector from A's
/// centre to B's, both cores, and the sum of the radii and the slack.
struct Pair<S: Simd, const E: usize> {
    t: [S::F32x8; 3],
    edges_a: [[S::F32x8; 3]; E],
    edges_b: [[S::F32x8; 3]; E],
    reach: S::F32x8,
}

impl<S: Simd, const E: usize> Pair<S, E> {
    /// Scales the eight volumes; the placed one is already scaled.
    #[inline(always)]
    fn new(simd: S, all: &Swept8<E>, placed: &PlacedSwept<E>, scale: f32, slack: f32) -> Pair<S, E> {
        let zero = S::F32x8::splat(simd, 0.0);
        let scale = S::F32x8::splat(simd, scale);
        let mut t = splat3(simd, placed.center);
        let center = load3(simd, &all.center);
        for k in 0..3 {
            t[k] = t[k] - center[k] * scale;
        }
        let (mut edges_a, mut edges_b) = ([[zero; 3]; E], [[zero; 3]; E]);
        for j in 0..E {
            let edge = load3(simd, &all.edges[j]);
            edges_a[j] = [edge[0] * scale, edge[1] * scale, edge[2] * scale];
            edges_b[j] = splat3(simd, placed.edges[j]);
        }
        let reach = S::F32x8::load(simd, &all.radius) * scale + S::F32x8::splat(simd, placed.radius + slack);
        Pair { t, edges_a, edges_b, reach }
    }

    /// A lower bound of the distance, by the gap along `n`; 0 if `n` is too short to be a
    /// direction.
    #[inline(always)]
    fn gap_along(&self, simd: S, n: [S::F32x8; 3]) -> S::F32x8 {
        let zero = S::F32x8::splat(simd, 0.0);
        let length_sq = dot::<S>(n, n);
        let mut gap = dot::<S>(self.t, n).abs();
        for j in 0..E {
            gap = gap - dot::<S>(self.edges_a[j], n).abs() - dot::<S>(self.edges_b[j], n).abs();
        }
        let is_direction = S::F32x8::splat(simd, NO_DIRECTION).lt(length_sq);
        let length = S::F32x8::select(is_direction, length_sq, S::F32x8::splat(simd, 1.0)).sqrt();
        let gap = (gap / length - self.reach).max(zero);
        S::F32x8::select(is_direction, gap, zero)
    }

    /// The direction from a point of A's core to one of B's core, found by projections.
    #[inline(always)]
    fn direction(&self, simd: S) -> [S::F32x8; 3] {
        // Starts at the centres.
        let zero = S::F32x8::splat(simd, 0.0);
        let (mut p, mut q) = ([zero; 3], self.t);
        for _ in 0..ROUNDS {
            let on_b = project(simd, &self.edges_b, [p[0] - self.t[0], p[1] - self.t[1], p[2] - self.t[2]]);
            q = [on_b[0] + self.t[0], on_b[1] + self.t[1], on_b[2] + self.t[2]];
            p = project(simd, &self.edges_a, q);
        }
        [q[0] - p[0], q[1] - p[1], q[2] - p[2]]
    }

    #[inline(always)]
    fn gap(&self, simd: S) -> S::F32x8 {
        self.gap_along(simd, self.t).max(self.gap_along(simd, self.direction(simd)))
    }
}

/// The point that is nearest to `p` of a core whose centre is the origin.
#[inline(always)]
fn project<S: Simd, const E: usize>(simd: S, edges: &[[S::F32x8; 3]; E], p: [S::F32x8; 3]) -> [S::F32x8; 3] {
    let (one, least) = (S::F32x8::splat(simd, 1.0), S::F32x8::splat(simd, NO_DIRECTION));
    let zero = S::F32x8::splat(simd, 0.0);
    let mut on_core = [zero; 3];
    for j in 0..E {
        let e = edges[j];
        let share = (dot::<S>(p, e) / dot::<S>(e, e).max(least)).min(one).max(-one);
        for k in 0..3 {
            on_core[k] = on_core[k] + e[k] * share;
        }
    }
    on_core
}

impl<const E: usize> Volumes8 for Swept8<E> {
    type Volume = SweptSphere<E>;
    type Placed = PlacedSwept<E>;
    type Turn = ();

    const EMPTY: Swept8<E> =
        Swept8 { center: [[0.0; 8]; 3], radius: [f32::NEG_INFINITY; 8], edges: [[[0.0; 8]; 3]; E] };

    #[inline(always)]
    fn set(&mut self, lane: usize, volume: &SweptSphere<E>) {
        let i = lane & 7;
        for k in 0..3 {
            self.center[k][i] = volume.center[k];
            for j in 0..E {
                self.edges[j][k][i] = volume.edges[j][k];
            }
        }
        self.radius[i] = volume.radius;
    }

    #[inline(always)]
    fn get(&self, lane: usize) -> SweptSphere<E> {
        let i = lane & 7;
        let read = |from: &[[f32; 8]; 3]| Vec3::new(from[0][i], from[1][i], from[2][i]);
        let mut edges = [Vec3::ZERO; E];
        for j in 0..E {
            edges[j] = read(&self.edges[j]);
        }
        SweptSphere { center: read(&self.center), edges, radius: self.radius[i] }
    }

    #[inline(always)]
    fn size(&self, lane: usize) -> f32 {
        self.get(lane).size_key()
    }

    fn turn(_: &DMat3) {}

    #[inline(always)]
    fn to_frame<T>(volume: &SweptSphere<E>, relative: &Relative<T>) -> PlacedSwept<E> {
        let s = relative.scale;
        let scaled = |v: Vec3| [v.x * s, v.y * s, v.z * s];
        let mut edges = [[0.0; 3]; E];
        for j in 0..E {
            edges[j] = relative.direction(scaled(volume.edges[j]));
        }
        PlacedSwept { center: relative.point(scaled(volume.center)), radius: volume.radius * s, edges }
    }

    #[inline(always)]
    fn meets<S: Simd, T>(&self, simd: S, placed: &PlacedSwept<E>, relative: &Relative<T>) -> u32 {
        let pair = Pair::new(simd, self, placed, relative.scale, relative.slack * 2.0);
        let zero = S::F32x8::splat(simd, 0.0);
        // A pose that is NaN or infinite touches nothing.
        let is_somewhere = dot::<S>(pair.t, pair.t).lt(S::F32x8::splat(simd, f32::INFINITY));
        let meets = is_somewhere & pair.gap_along(simd, pair.t).le(zero);
        if !meets.any() {
            return 0;
        }
        (meets & pair.gap_along(simd, pair.direction(simd)).le(zero)).bits()
    }

    #[inline(always)]
    fn meets_here<S: Simd>(&self, simd: S, volume: &SweptSphere<E>, here: &Relative) -> u32 {
        self.meets(simd, &Self::to_frame(volume, here), here)
    }

    #[inline(always)]
    fn meets_box<S: Simd>(&self, simd: S, aabb: &Aabb, here: &Relative) -> u32 {
        // Tests the box around the swept sphere against the box. Then tests the direction from the
        // core's centre to the nearest point of the box.
        let (scale, slack) = (here.scale, here.slack * 2.0);
        let zero = S::F32x8::splat(simd, 0.0);
        let reach =
            S::F32x8::load(simd, &self.radius) * S::F32x8::splat(simd, scale) + S::F32x8::splat(simd, slack);
        let center = load3(simd, &self.center);
        let (mut n, mut low, mut high) = ([zero; 3], [zero; 3], [zero; 3]);
        let mut meets = S::Mask8::from_bits(simd, 255);
        for k in 0..3 {
            let c = center[k] * S::F32x8::splat(simd, scale);
            // The box relative to the centre.
            low[k] = S::F32x8::splat(simd, aabb.min[k] * scale) - c;
            high[k] = S::F32x8::splat(simd, aabb.max[k] * scale) - c;
            n[k] = low[k].max(zero) + high[k].min(zero);
            let mut along = reach;
            for j in 0..E {
                along =
                    along + (S::F32x8::load(simd, &self.edges[j][k]) * S::F32x8::splat(simd, scale)).abs();
            }
            meets = meets & low[k].le(along) & (-high[k]).le(along);
        }
        // A lower bound of the box's gap along n, minus the reach of the core.
        let length_sq = dot::<S>(n, n);
        let mut gap = zero;
        for k in 0..3 {
            gap = gap + (low[k] * n[k]).min(high[k] * n[k]);
        }
        for j in 0..E {
            let edge = load3(simd, &self.edges[j]);
            gap = gap - (dot::<S>(edge, n) * S::F32x8::splat(simd, scale)).abs();
        }
        let is_direction = S::F32x8::splat(simd, NO_DIRECTION).lt(length_sq);
        let is_apart = is_direction & (reach * length_sq.sqrt()).lt(gap);
        (meets & !is_apart).bits()
    }

    #[inline(always)]
    fn gap_sq<S: Simd, T>(&self, simd: S, placed: &PlacedSwept<E>, relative: &Relative<T>) -> S::F32x8 {
        let gap = Pair::new(simd, self, placed, relative.scale, relative.slack * 2.0).gap(simd);
        gap * gap * S::F32x8::splat(simd, 1.0 - SQUARED)
    }

    #[inline(always)]
    fn gap_sq_point<S: Simd>(&self, simd: S, point: Vec3, scale: f32, slack: f32) -> S::F32x8 {
        // The difference is computed before scaling, so that far points keep their digits.
        let shifted = {
            let mut all = *self;
            for k in 0..3 {
                (S::F32x8::load(simd, &self.center[k]) - S::F32x8::splat(simd, point[k]))
                    .store(&mut all.center[k]);
            }
            all
        };
        let here = PlacedSwept { center: [0.0; 3], radius: 0.0, edges: [[0.0; 3]; E] };
        let gap = Pair::new(simd, &shifted, &here, scale, slack + SQUARED).gap(simd);
        gap * gap * S::F32x8::splat(simd, 1.0 - SQUARED)
    }

    #[inline(always)]
    fn enters<S: Simd>(&self, simd: S, ray: &RayLanes<S>, t_max: f32) -> (u32, S::F32x8) {
        // The boxes around the swept spheres.
        let rounding = S::F32x8::splat(simd, 8.0 * UNIT);
        let (mut low, mut high) = (load3(simd, &self.center), load3(simd, &self.center));
        for k in 0..3 {
            let mut reach = S::F32x8::load(simd, &self.radius);
            for j in 0..E {
                reach = reach + S::F32x8::load(simd, &self.edges[j][k]).abs();
            }
            let outer = reach + (reach + low[k].abs()) * rounding;
            low[k] = low[k] - outer;
            high[k] = high[k] + outer;
        }
        let (near, far) = ray.slabs(simd, &low, &high, t_max);
        RayLanes::meets(simd, near, far)
    }
}
