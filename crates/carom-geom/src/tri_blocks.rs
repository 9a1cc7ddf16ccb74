//! Eight triangles against eight in another frame: which pairs may meet, and bounds of their
//! distances.
//!
//! The corners of the second block are transformed to the frame and units of the first, all at
//! once, in `f32`. Each of its triangles that is near the first block's box is tested against the
//! eight. "Apart" is proved by separating axes.
//!
//! Distances come from the fifteen candidates: edge pairs, and corners over faces. Each candidate
//! is a pair of points of the two triangles, whatever the rounding. The length of the least
//! difference n is therefore an upper bound. The gap of the projections on n is a lower bound, and
//! close to the upper bound if n is nearly the shortest difference. Candidates need no error bound
//! of their own. For nearly parallel edges and slivers the bounds are loose but valid; `f64`
//! decides the rest.
//!
//! The axis of the nearest pair so far is tested first, on all eight at once. It also separates
//! most nearby pairs, which saves a third of the instructions for queries on close surfaces.
//!
//! Rounding, with u = 2^-24. S is the largest coordinate of both blocks: 2 for the first. For the
//! second it is 2 times the row sums of the matrix, plus those of the translation.
//!
//! A coordinate of the first block has error u S. One of the second has u S for itself, u S for the
//! matrix and u S for the translation. Products and sums add 4 u S: less than 7 u S together. Let
//! |n| be the sum of the absolute coordinates of an axis n. A projection on n rounds by 3 u S |n|.
//! A gap has error 14 u S |n|, and 2 u S |n| for the difference. The bound is 18 u S |n|, which
//! covers its own rounding.
//!
//! A difference of two points has error 8 u S from its corners. The edges and the difference of
//! corners add 2 u S each; two products and two sums add 8 u S. That is 22 u S in a coordinate and
//! 39 u S in length; 54 u S are added.
//!
//! Reference: V. Lumelsky, On Fast Computation of Distance Between Line Segments, Information
//! Processing Letters 21, 1985; C. Ericson, Real-Time Collision Detection, 2005, 5.1.5 and 5.1.9;
//! S. Boyd, L. Vandenberghe, Convex Optimization, 2004, 5.5 (a feasible dual point bounds the
//! optimum).
//! Differs: eight at a time, each result with a certificate.

use crate::tri_tri_lanes::{
    MAX_COORDINATE, Margin, TriBlock8, UNDERFLOW, Vec3x8, cross, dot, gap, near, sub,
};
use carom_lanes::{F32Lanes, Kernel, MaskLanes, Simd, dispatch};
use carom_math::{WidePose, rounding, scaling::balanced};
use glam::DVec3;

/// Error bound of a gap, 18 u, from rounding.
const ERROR: f64 = 18.0 * 0.5 * f32::EPSILON as f64;

/// The error bound of a difference of points, in units of the bound of a gap.
const POINTS: f32 = 3.0;

/// Rounding: above the relative error of a length, or of a quotient by a length, 8 u.
const LENGTH: f32 = 4.0 * f32::EPSILON;

/// Bounds of the distances of eight triangles from eight.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct BlockDistances {
    /// For each triangle of the second block, the triangles of the first as bits. A bit is set if
    /// the pair may be within the query distance and the least upper bound.
    pub lanes: [u32; 8],
    /// Lower bounds, by triangle of the second block, then of the first; in lengths times `scale`.
    /// Unspecified if the bit is not set.
    pub at_least: [[f32; 8]; 8],
    /// A power of two.
    pub scale: f64,
    /// An upper bound of the least distance of all pairs; at most the query distance.
    pub at_most: f64,
    /// An axis in the first block's frame, of any length, that is tested first. On return it is the
    /// shortest difference of points found. An axis that separates the nearest triangles separates
    /// most of those around them.
    pub axis: DVec3,
}

impl TriBlock8 {
    /// For each triangle of `other`, which `other_in_self` places, returns the triangles of this
    /// block that it may meet, as bits. A bit that is not set is a proof that the two do not meet.
    pub fn may_meet(&self, other: &TriBlock8, other_in_self: &WidePose) -> [u32; 8] {
        dispatch(MayMeet::<false> { block: self, other, other_in_self, within: 0.0 })
    }

    /// [`TriBlock8::may_meet`] for a distance: a bit that is not set is a proof that the two are
    /// farther apart.
    pub fn may_be_within(&self, other: &TriBlock8, other_in_self: &WidePose, within: f64) -> [u32; 8] {
        dispatch(MayMeet::<true> { block: self, other, other_in_self, within })
    }

    /// Bounds the distances of all pairs of a triangle of this block and one of `other`, which
    /// `other_in_self` places. Only distances up to `within` are bounded. `out` passes the axis
    /// from the previous pair of blocks.
    pub fn distances(
        &self,
        other: &TriBlock8,
        other_in_self: &WidePose,
        within: f64,
        out: &mut BlockDistances,
    ) {
        dispatch(Distances { block: self, other, other_in_self, within, out });
    }
}

impl Default for BlockDistances {
    fn default() -> BlockDistances {
        BlockDistances {
            lanes: [0; 8],
            at_least: [[0.0; 8]; 8],
            scale: 1.0,
            at_most: f64::INFINITY,
            axis: DVec3::ZERO,
        }
    }
}

/// The triangles of the second block in the units of the first.
struct Placed {
    corners: [[[f32; 8]; 3]; 3],
    /// The triangles near the first block's box.
    near: u32,
    /// Error bound of a gap, per unit of the sum of the axis's absolute coordinates.
    error: f32,
}

/// Places the second block in the units of the first. `None` if the numbers do not allow a proof.
#[inline(always)]
fn place<S: Simd>(
    simd: S,
    block: &TriBlock8,
    other: &TriBlock8,
    pose: &WidePose,
    within: f32,
) -> Option<Placed> {
    let r = &pose.rotation;
    let middle = ((r.x_axis * other.center.x + r.y_axis * other.center.y) + r.z_axis * other.center.z)
        + pose.translation
        - block.center;
    let t = middle * block.scale;
    let ratio = block.scale / other.scale;
    let columns = [r.x_axis * ratio, r.y_axis * ratio, r.z_axis * ratio];
    let extent = (columns[0].abs() + columns[1].abs() + columns[2].abs()) * 2.0;
    let size = (extent + t.abs()).max_element().max(2.0);
    // About twenty roundings of numbers not larger than these.
    let far = (other.center.abs().element_sum() + 6.0 / other.scale)
        + (pose.translation.abs().max_element() + block.center.abs().max_element());
    let error = ERROR * size + 64.0 * f64::EPSILON * far * block.scale;
    // A maximum may drop a NaN.
    if !(t.is_finite()
        && extent.is_finite()
        && size <= f64::from(MAX_COORDINATE)
        && error <= f64::from(MAX_COORDINATE))
    {
        return None;
    }
    let error = rounding::up(error);
    let reach = S::F32x8::splat(simd, error + UNDERFLOW);
    let zero = S::F32x8::splat(simd, 0.0);
    let mut placed = Placed { corners: [[[0.0; 8]; 3]; 3], near: 0, error };
    let (mut gap_sq, mut x) = (zero, [[zero; 3]; 3]);
    for corner in 0..3 {
        for axis in 0..3 {
            x[corner][axis] = S::F32x8::load(simd, &other.corners[corner][axis]);
        }
    }
    for axis in 0..3 {
        let m = [columns[0][axis] as f32, columns[1][axis] as f32, columns[2][axis] as f32];
        let m = [S::F32x8::splat(simd, m[0]), S::F32x8::splat(simd, m[1]), S::F32x8::splat(simd, m[2])];
        let t = S::F32x8::splat(simd, t[axis] as f32);
        let mut moved = [zero; 3];
        for corner in 0..3 {
            moved[corner] = dot::<S>(m, x[corner]) + t;
            moved[corner].store(&mut placed.corners[corner][axis]);
        }
        let low = moved[0].min(moved[1]).min(moved[2]);
        let high = moved[0].max(moved[1]).max(moved[2]);
        let gap = (low - S::F32x8::splat(simd, block.high[axis]))
            .max(S::F32x8::splat(simd, block.low[axis]) - high);
        let gap = (gap - reach).max(zero);
        gap_sq = gap_sq + gap * gap;
    }
    // Squares and sums round by less than 4 u.
    let limit_sq = S::F32x8::splat(simd, within * within * (1.0 + 8.0 * f32::EPSILON));
    placed.near = !limit_sq.lt(gap_sq).bits() & ((1_u32 << other.n_triangles) - 1);
    Some(placed)
}

impl Placed {
    #[inline(always)]
    fn triangle(&self, lane: usize) -> [[f32; 3]; 3] {
        let c = &self.corners;
        [
            [c[0][0][lane & 7], c[0][1][lane & 7], c[0][2][lane & 7]],
            [c[1][0][lane & 7], c[1][1][lane & 7], c[1][2][lane & 7]],
            [c[2][0][lane & 7], c[2][1][lane & 7], c[2][2][lane & 7]],
        ]
    }
}

/// Returns the corners of a block as lanes.
#[inline(always)]
fn corners<S: Simd>(simd: S, block: &TriBlock8) -> [Vec3x8<S>; 3] {
    let mut b = [[S::F32x8::splat(simd, 0.0); 3]; 3];
    for corner in 0..3 {
        for axis in 0..3 {
            b[corner][axis] = S::F32x8::load(simd, &block.corners[corner][axis]);
        }
    }
    b
}

/// Returns the first `n` of eight bits, or of four.
#[inline(always)]
fn first(n: u32) -> u32 {
    (1 << n) - 1
}

/// Whether triangles may meet or, `APART`, be within a distance.
struct MayMeet<'a, const APART: bool> {
    block: &'a TriBlock8,
    other: &'a TriBlock8,
    other_in_self: &'a WidePose,
    within: f64,
}

impl<const APART: bool> Kernel for MayMeet<'_, APART> {
    type Output = [u32; 8];

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> [u32; 8] {
        let MayMeet { block, other, other_in_self, within } = self;
        let mut lanes = [0; 8];
        let used = first(block.n_triangles);
        let within = if APART { rounding::up(within * block.scale) } else { 0.0 };
        let placed =
            if within <= MAX_COORDINATE { place(simd, block, other, other_in_self, within) } else { None };
        let Some(placed) = placed else {
            for lane in 0..other.n_triangles as usize & 15 {
                lanes[lane & 7] = used;
            }
            return lanes;
        };
        if placed.near == 0 {
            return lanes;
        }
        let b = corners(simd, block);
        let mut rest = placed.near;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize & 7;
            rest &= rest - 1;
            lanes[lane] = near::<S, APART>(simd, &placed.triangle(lane), &b, placed.error, within) & used;
        }
        lanes
    }
}

struct Distances<'a> {
    block: &'a TriBlock8,
    other: &'a TriBlock8,
    other_in_self: &'a WidePose,
    within: f64,
    out: &'a mut BlockDistances,
}

impl Kernel for Distances<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Distances { block, other, other_in_self, within, out } = self;
        out.lanes = [0; 8];
        out.scale = block.scale;
        out.at_most = within;
        let used = first(block.n_triangles);
        let mut limit = rounding::up(within * block.scale);
        let Some(placed) = place(simd, block, other, other_in_self, limit) else {
            for lane in 0..other.n_triangles as usize & 15 {
                out.lanes[lane & 7] = used;
                out.at_least[lane & 7] = [0.0; 8];
            }
            return;
        };
        if placed.near == 0 {
            return;
        }
        let corners = corners(simd, block);
        let along = Along::<S>::new(simd, balanced(out.axis).as_vec3().to_array(), &corners);
        let mut margin = Margin::<S>::new(simd, placed.error, limit);
        let (low, high, near) = along.others(simd, &placed, &margin);
        let mut rest = placed.near & near;
        if rest == 0 {
            return;
        }
        let figure = Figure::new(corners);
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize & 7;
            rest &= rest - 1;
            let mut is_near = along.near(simd, low[lane], high[lane], &margin);
            if is_near.bits() & used == 0 {
                continue;
            }
            let (at, is_near_box) = margin.boxes::<true>(simd, &placed.triangle(lane), &figure.corners);
            is_near = is_near & is_near_box;
            if is_near.bits() & used == 0 {
                continue;
            }
            let a = Figure::<S>::new(at);
            is_near = is_near
                & margin.near::<true>(a.normal, &at, &figure.corners)
                & margin.near::<true>(figure.normal, &at, &figure.corners);
            let lanes = is_near.bits() & used;
            if lanes == 0 {
                continue;
            }
            let n = shortest::<S>(simd, &a, &figure);
            let length = dot::<S>(n, n).sqrt();
            let sum = n[0].abs() + n[1].abs() + n[2].abs();
            let error = S::F32x8::splat(simd, placed.error);
            let proved = gap::<S>(n, &at, &figure.corners) - error * sum - S::F32x8::splat(simd, UNDERFLOW);
            let at_least = proved / length * S::F32x8::splat(simd, 1.0 - 2.0 * LENGTH);
            let at_most =
                length * S::F32x8::splat(simd, 1.0 + LENGTH) + error * S::F32x8::splat(simd, POINTS);
            at_least.store(&mut out.at_least[lane]);
            let mut less = at_most.lt(S::F32x8::splat(simd, limit)).bits() & lanes;
            if less != 0 {
                let (at_most, n) = (at_most.to_array(), [n[0].to_array(), n[1].to_array(), n[2].to_array()]);
                while less != 0 {
                    let i = less.trailing_zeros() as usize & 7;
                    less &= less - 1;
                    if at_most[i] < limit {
                        limit = at_most[i];
                        out.axis = DVec3::new(f64::from(n[0][i]), f64::from(n[1][i]), f64::from(n[2][i]));
                    }
                }
                out.at_most = f64::from(limit) / block.scale;
                margin = Margin::<S>::new(simd, placed.error, limit);
            }
            // NaN, from coincident points, counts as near.
            out.lanes[lane] = lanes & !S::F32x8::splat(simd, limit).lt(at_least).bits();
        }
    }
}

/// The first block projected on one axis.
struct Along<S: Simd> {
    axis: Vec3x8<S>,
    /// For each triangle.
    low: S::F32x8,
    high: S::F32x8,
}

impl<S: Simd> Along<S> {
    #[inline(always)]
    fn new(simd: S, axis: [f32; 3], corners: &[Vec3x8<S>; 3]) -> Along<S> {
        let axis =
            [S::F32x8::splat(simd, axis[0]), S::F32x8::splat(simd, axis[1]), S::F32x8::splat(simd, axis[2])];
        let (low, high) = interval::<S>(axis, corners);
        Along { axis, low, high }
    }

    /// Returns the intervals of the second block's triangles, and which of them are near the first
    /// block's.
    #[inline(always)]
    fn others(&self, simd: S, placed: &Placed, margin: &Margin<S>) -> ([f32; 8], [f32; 8], u32) {
        let mut corners = [[self.low; 3]; 3];
        for corner in 0..3 {
            for axis in 0..3 {
                corners[corner][axis] = S::F32x8::load(simd, &placed.corners[corner][axis]);
            }
        }
        let (low, high) = interval::<S>(self.axis, &corners);
        let (least, most) =
            (S::F32x8::splat(simd, self.low.reduce_min()), S::F32x8::splat(simd, self.high.reduce_max()));
        let gap = (low - most).max(least - high);
        (low.to_array(), high.to_array(), !margin.needed::<true>(self.axis).lt(gap).bits())
    }

    /// Returns the triangles of the first block that are near the interval of one of the second.
    #[inline(always)]
    fn near(&self, simd: S, low: f32, high: f32, margin: &Margin<S>) -> <S::F32x8 as F32Lanes<8>>::Mask {
        let gap = (S::F32x8::splat(simd, low) - self.high).max(self.low - S::F32x8::splat(simd, high));
        !margin.needed::<true>(self.axis).lt(gap)
    }
}

/// Returns the intervals of triangles on an axis.
#[inline(always)]
fn interval<S: Simd>(axis: Vec3x8<S>, corners: &[Vec3x8<S>; 3]) -> (S::F32x8, S::F32x8) {
    let (p, q, r) = (dot::<S>(axis, corners[0]), dot::<S>(axis, corners[1]), dot::<S>(axis, corners[2]));
    (p.min(q).min(r), p.max(q).max(r))
}

/// Eight triangles with their derived vectors.
struct Figure<S: Simd> {
    corners: [Vec3x8<S>; 3],
    /// From each corner to the next.
    edges: [Vec3x8<S>; 3],
    lengths_sq: [S::F32x8; 3],
    /// The cross product of the first two edges.
    normal: Vec3x8<S>,
}

impl<S: Simd> Figure<S> {
    #[inline(always)]
    fn new(corners: [Vec3x8<S>; 3]) -> Figure<S> {
        let edges = [
            sub::<S>(corners[1], corners[0]),
            sub::<S>(corners[2], corners[1]),
            sub::<S>(corners[0], corners[2]),
        ];
        let lengths_sq =
            [dot::<S>(edges[0], edges[0]), dot::<S>(edges[1], edges[1]), dot::<S>(edges[2], edges[2])];
        Figure { corners, edges, lengths_sq, normal: cross::<S>(edges[0], edges[1]) }
    }
}

/// Returns the least of the fifteen candidate differences of a point of `b` from a point of `a`.
#[inline(always)]
fn shortest<S: Simd>(simd: S, a: &Figure<S>, b: &Figure<S>) -> Vec3x8<S> {
    let one = S::F32x8::splat(simd, 1.0);
    let mut best = sub::<S>(a.corners[0], b.corners[0]);
    let mut best_sq = dot::<S>(best, best);
    let (mut inverse_a, mut inverse_b) = (a.lengths_sq, b.lengths_sq);
    for i in 0..3 {
        inverse_a[i] = one / a.lengths_sq[i];
        inverse_b[i] = one / b.lengths_sq[i];
    }
    for i in 0..3 {
        for j in 0..3 {
            let (u, v) = (a.edges[i], b.edges[j]);
            let r = sub::<S>(a.corners[i], b.corners[j]);
            let (uv, ur, vr) = (dot::<S>(u, v), dot::<S>(u, r), dot::<S>(v, r));
            let determinant = a.lengths_sq[i] * b.lengths_sq[j] - uv * uv;
            // Parallel edges, or points: NaN becomes 0. Any start is valid, because the projections
            // then find the nearest.
            let s = clamp_unit::<S>(simd, (uv * vr - ur * b.lengths_sq[j]) / determinant);
            let t = clamp_unit::<S>(simd, (uv * s + vr) * inverse_b[j]);
            let s = clamp_unit::<S>(simd, (uv * t - ur) * inverse_a[i]);
            let n = difference::<S>(r, u, s, v, t);
            keep_less::<S>(&mut best, &mut best_sq, n, None);
        }
    }
    for corner in 0..3 {
        let (n, is_inside) = over::<S>(simd, a.corners[corner], b);
        keep_less::<S>(&mut best, &mut best_sq, n, Some(is_inside));
        let (n, is_inside) = over::<S>(simd, b.corners[corner], a);
        keep_less::<S>(&mut best, &mut best_sq, n, Some(is_inside));
    }
    best
}

/// Returns a point less its projection on a face, and the lanes with the projection inside. The
/// sign follows the point; lengths and axes have no sign.
#[inline(always)]
fn over<S: Simd>(simd: S, p: Vec3x8<S>, t: &Figure<S>) -> (Vec3x8<S>, <S::F32x8 as F32Lanes<8>>::Mask) {
    let zero = S::F32x8::splat(simd, 0.0);
    // Edges from the second corner to the third and to the first.
    let (u, v) = (t.edges[1], [-t.edges[0][0], -t.edges[0][1], -t.edges[0][2]]);
    let (uu, vv, uv) = (t.lengths_sq[1], t.lengths_sq[0], dot::<S>(u, v));
    let w = sub::<S>(p, t.corners[1]);
    let (uw, vw) = (dot::<S>(u, w), dot::<S>(v, w));
    let inverse = S::F32x8::splat(simd, 1.0) / (uu * vv - uv * uv);
    let (along_u, along_v) = ((vv * uw - uv * vw) * inverse, (uu * vw - uv * uw) * inverse);
    let is_inside = zero.le(along_u) & zero.le(along_v) & (along_u + along_v).le(S::F32x8::splat(simd, 1.0));
    (difference::<S>(w, u, -along_u, v, along_v), is_inside)
}

/// Returns r + s u - t v.
#[inline(always)]
fn difference<S: Simd>(r: Vec3x8<S>, u: Vec3x8<S>, s: S::F32x8, v: Vec3x8<S>, t: S::F32x8) -> Vec3x8<S> {
    [r[0] + u[0] * s - v[0] * t, r[1] + u[1] * s - v[1] * t, r[2] + u[2] * s - v[2] * t]
}

#[inline(always)]
fn keep_less<S: Simd>(
    best: &mut Vec3x8<S>,
    best_sq: &mut S::F32x8,
    n: Vec3x8<S>,
    only: Option<<S::F32x8 as F32Lanes<8>>::Mask>,
) {
    let length_sq = dot::<S>(n, n);
    let mut is_less = length_sq.lt(*best_sq);
    if let Some(only) = only {
        is_less = is_less & only;
    }
    *best_sq = S::F32x8::select(is_less, length_sq, *best_sq);
    for k in 0..3 {
        best[k] = S::F32x8::select(is_less, n[k], best[k]);
    }
}

/// Clamps to [0, 1]; NaN gives 0.
#[inline(always)]
fn clamp_unit<S: Simd>(simd: S, x: S::F32x8) -> S::F32x8 {
    x.max(S::F32x8::splat(simd, 0.0)).min(S::F32x8::splat(simd, 1.0))
}
