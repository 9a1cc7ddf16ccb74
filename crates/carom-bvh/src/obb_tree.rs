//! Trees of oriented boxes over triangles, for rigid meshes whose surfaces come close, above all
//! parallel ones.
//!
//! The splits are those of axis-aligned boxes. Each subtree then gets a box in the frame of its
//! surface. Prefix sums of the moments give the covariance of any subtree in constant time. The
//! corners of its triangles are projected on the axes of the box, eight at a time.
//!
//! Reference: S. Gottschalk, M. C. Lin, D. Manocha, OBBTree, 1996, 4.
//! Differs: the frame uses the mean normal if the surface has one. The axis-aligned box is kept if
//! it is smaller. Splits follow the surface area heuristic, except in [`Bvh::along_own_axes`].

use crate::build::{BuildSettings, Builder, OwnAxes, SplitAt, own_axes};
use crate::scale::{UNIT, inverse_power_of_two};
use crate::tree::{Bvh, BvhError};
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume, Moments, Obb};
use carom_lanes::{F32Lanes, Kernel, Simd, dispatch};
use carom_math::rounding;
use glam::{DMat3, DVec3, Vec3};

/// Volumes of boxes are compared after this fraction of the size is added to each half extent.
/// Otherwise rounding would decide between flat boxes.
const THICKNESS: f64 = 1e-4;

/// The corners of triangles by component, in the order of the tree.
struct Corners {
    x: Vec<f32>,
    y: Vec<f32>,
    z: Vec<f32>,
}

/// The least and largest coordinates of corners along three axes.
struct Project<'a> {
    corners: &'a Corners,
    first: usize,
    end: usize,
    axes: [[f32; 3]; 3],
}

impl Kernel for Project<'_> {
    type Output = ([f32; 3], [f32; 3]);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> ([f32; 3], [f32; 3]) {
        let mut low = [S::F32x8::splat(simd, f32::INFINITY); 3];
        let mut high = [S::F32x8::splat(simd, f32::NEG_INFINITY); 3];
        let x = self.corners.x.get(self.first..self.end).unwrap_or(&[]);
        let y = self.corners.y.get(self.first..self.end).unwrap_or(&[]);
        let z = self.corners.z.get(self.first..self.end).unwrap_or(&[]);
        let n = x.len();
        let last = n.saturating_sub(1);
        let mut at = 0;
        while at < n {
            // A partial group is padded with its last corner.
            let px = S::F32x8::load_or(simd, x, at, x[last]);
            let py = S::F32x8::load_or(simd, y, at, y[last]);
            let pz = S::F32x8::load_or(simd, z, at, z[last]);
            for k in 0..3 {
                let a = self.axes[k];
                let along = px * S::F32x8::splat(simd, a[0])
                    + py * S::F32x8::splat(simd, a[1])
                    + pz * S::F32x8::splat(simd, a[2]);
                low[k] = along.min(low[k]);
                high[k] = along.max(high[k]);
            }
            at += 8;
        }
        (
            [low[0].reduce_min(), low[1].reduce_min(), low[2].reduce_min()],
            [high[0].reduce_max(), high[1].reduce_max(), high[2].reduce_max()],
        )
    }
}

impl Bvh<Obb> {
    /// Builds a tree of oriented boxes over `n` triangles; `triangle(i)` returns the corners of
    /// triangle i. No triangles give the empty tree. A corner that is not finite is refused with
    /// its triangle's number.
    ///
    /// The boxes also contain all points that round to these corners. So the corners may be those
    /// of `f64` triangles, rounded.
    pub fn from_triangles(
        n: usize,
        triangle: impl Fn(u32) -> [Vec3; 3],
        settings: &BuildSettings,
    ) -> Result<Bvh<Obb>, BvhError> {
        let mut tree = Bvh::empty();
        Builder::default().rebuild_from_triangles(&mut tree, n, triangle, settings)?;
        Ok(tree)
    }

    /// [`Bvh::from_triangles`], but each range is split along the longest axis of its own box. If
    /// that separates no centres, the second axis is used, or the third.
    ///
    /// This is the build of RAPID, for comparison. It is slower than [`Bvh::from_triangles`], and
    /// queries do somewhat more work: see the bench `volumes`. It can also stop at a depth.
    pub fn along_own_axes(
        n: usize,
        triangle: impl Fn(u32) -> [Vec3; 3],
        settings: &OwnAxes,
    ) -> Result<Bvh<Obb>, BvhError> {
        let boxes = boxes_of(n, &triangle)?;
        let (mut tree, mut builder) = (Bvh::empty(), Builder::default());
        let ends = (settings.max_leaf.max(1), settings.max_depth);
        builder.binary_by(&boxes, ends, |rows| own_axes::part(rows, &triangle, settings.at))?;
        if settings.at == SplitAt::Median {
            builder.open_fullest();
        }
        builder.collapse_oriented(&mut tree, &boxes, triangle);
        Ok(tree)
    }
}

impl Builder {
    /// [`Bvh::from_triangles`] into an existing tree, whose memory is reused. On an error the tree
    /// stays as it was.
    pub fn rebuild_from_triangles(
        &mut self,
        tree: &mut Bvh<Obb>,
        n: usize,
        triangle: impl Fn(u32) -> [Vec3; 3],
        settings: &BuildSettings,
    ) -> Result<(), BvhError> {
        let boxes = boxes_of(n, &triangle)?;
        self.binary(&boxes, settings)?;
        self.widen(settings, 8);
        self.collapse_oriented(tree, &boxes, triangle);
        Ok(())
    }

    /// Collapses the binary tree. Each subtree gets the box that is fitted to its triangles.
    fn collapse_oriented(
        &mut self,
        tree: &mut Bvh<Obb>,
        boxes: &[Aabb],
        triangle: impl Fn(u32) -> [Vec3; 3],
    ) {
        let n = boxes.len();
        let all = boxes.iter().fold(Aabb::EMPTY, |all, b| all.merged(b));
        let origin = all.center().as_dvec3();
        let scale = inverse_power_of_two(f64::from(all.extents().max_element().max(0.0)));
        let mut sums = Vec::with_capacity(n + 1);
        let mut corners = Corners {
            x: Vec::with_capacity(3 * n),
            y: Vec::with_capacity(3 * n),
            z: Vec::with_capacity(3 * n),
        };
        let mut sum = Moments::default();
        sums.push(sum);
        for &i in self.order() {
            let points = triangle(i);
            let [a, b, c] = points.map(|p| (p.as_dvec3() - origin) * scale);
            sum.add_triangle(a, b, c);
            sums.push(sum);
            for p in points {
                corners.x.push(p.x);
                corners.y.push(p.y);
                corners.z.push(p.z);
            }
        }
        self.collapse(tree, |aabb, first, count| fit(aabb, first, count, &sums, &corners));
    }
}

/// The axis-aligned boxes of `n` triangles, or an error for the first triangle with a corner that
/// is NaN or infinite.
fn boxes_of(n: usize, triangle: impl Fn(u32) -> [Vec3; 3]) -> Result<Vec<Aabb>, BvhError> {
    if 1 << 28 <= n {
        return Err(BvhError::TooMany);
    }
    let mut boxes = Vec::with_capacity(n);
    for i in 0..n as u32 {
        let [a, b, c] = triangle(i);
        // `min` drops a NaN, so it is tested here.
        if !(a.is_finite() && b.is_finite() && c.is_finite()) {
            return Err(BvhError::NotFinite { primitive: i as usize });
        }
        boxes.push(Aabb { min: a.min(b).min(c), max: a.max(b).max(c) });
    }
    Ok(boxes)
}

/// A box around all points that round to points of `aabb`.
fn unrounded(aabb: &Aabb) -> Aabb {
    let (low, high) = (aabb.min.as_dvec3(), aabb.max.as_dvec3());
    let half_a_digit = f64::from(UNIT);
    Aabb::around(low - low.abs() * half_a_digit, high + high.abs() * half_a_digit)
}

/// Fits a box to a range of triangles: the oriented one, or `aabb` if that is smaller.
fn fit(aabb: &Aabb, first: usize, count: usize, sums: &[Moments], corners: &Corners) -> Obb {
    let straight = Obb::from_aabb(&unrounded(aabb));
    let (Some(before), Some(after)) = (sums.get(first), sums.get(first + count)) else { return straight };
    let frame = (*after - *before).surface_frame();
    let axes = frame.as_mat3();
    let (low, high) = dispatch(Project {
        corners,
        first: 3 * first,
        end: 3 * (first + count),
        axes: [axes.x_axis.to_array(), axes.y_axis.to_array(), axes.z_axis.to_array()],
    });
    let (low, high) = (DVec3::from(low.map(f64::from)), DVec3::from(high.map(f64::from)));
    let (middle, half) = ((low + high) * 0.5, (high - low) * 0.5);
    // The stored axes are orthonormal up to a rounding of 2^-22, so the transpose is the inverse.
    let stored: DMat3 = axes.as_dmat3();
    let center = (stored * middle).as_vec3();
    let reach = aabb.min.abs().max(aabb.max.abs()).as_dvec3().element_sum();
    let half = half + reach * f64::from(24.0 * UNIT);
    let thick = |h: DVec3| {
        let h = h + THICKNESS * f64::from(aabb.extents().max_element());
        h.x * h.y * h.z
    };
    if !half.is_finite() || thick(straight.half_extents.as_dvec3()) <= thick(half) {
        return straight;
    }
    Obb { center, axes, half_extents: rounding::up3(half) }
}
