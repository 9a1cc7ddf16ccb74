//! Distance and gradient at a point, by linear interpolation between the eight nodes around it.
//!
//! The gradient is that of the interpolated distance. A batch takes eight points at a time, with
//! eight gathers.
//!
//! Reference: M. Jones, J. Baerentzen, M. Sramek, 3D Distance Fields: A Survey of Techniques and
//! Applications, IEEE TVCG 12(4), 2006, section 2.
//! Differs: outside of the grid the distance to it is added to the value at its border. A solid
//! that reaches the border ends there, as for rays.

use crate::stored::Stored;
use alloc::vec::Vec;
use carom_lanes::{F32Lanes, Kernel, Simd, U32Lanes, dispatch};
use carom_math::ops::sqrt;
use glam::{UVec3, Vec3};

/// The distance at a point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Sample {
    /// The distance to the surface, a length: negative inside. It is infinite, and the gradient 0,
    /// for a point that is not finite. So it is if the distance to the grid, squared or in cells,
    /// is beyond `f32`.
    pub distance: f32,
    /// The change of the distance along each axis. It points away from the surface, with a length
    /// near 1; shorter at ridges, and 0 beyond the band.
    pub gradient: Vec3,
}

/// The positions of the nodes, in `f32`.
#[derive(Clone, Copy)]
struct Frame {
    origin: Vec3,
    cell: f32,
    inverse: f32,
    cells: Vec3,
}

impl Frame {
    fn new(field: &impl Stored) -> Frame {
        let grid = field.header().grid;
        Frame {
            origin: grid.wide_bounds().0.as_vec3(),
            cell: grid.cell(),
            inverse: 1.0 / grid.cell(),
            cells: grid.cells().as_vec3(),
        }
    }
}

/// The sample at a point; see [`Field::sample`](crate::Field::sample).
pub(crate) fn sample(field: &impl Stored, point: Vec3) -> Sample {
    let frame = Frame::new(field);
    let wanted = (point - frame.origin) * frame.inverse;
    // NaN becomes 0 here, and counts as outside below.
    let clamp = |x: f32, high: f32| if 0.0 < x { if x < high { x } else { high } } else { 0.0 };
    let position = Vec3::from_array([0, 1, 2].map(|axis| clamp(wanted[axis], frame.cells[axis])));
    let cell = position.as_uvec3().min(field.header().grid.cells() - UVec3::ONE);
    let part = position - cell.as_vec3();
    let v = field.values_of_cell(cell);
    let mix = |a: f32, b: f32, t: f32| a + t * (b - a);
    let along_x = [0, 2, 4, 6].map(|i| mix(v[i], v[i + 1], part.x));
    let along_y = [0, 2].map(|i| mix(along_x[i], along_x[i + 1], part.y));
    let value = mix(along_y[0], along_y[1], part.z);
    let slopes_x = [0, 2, 4, 6].map(|i| v[i + 1] - v[i]);
    let slope_x = mix(mix(slopes_x[0], slopes_x[1], part.y), mix(slopes_x[2], slopes_x[3], part.y), part.z);
    let slope_y = mix(along_x[1] - along_x[0], along_x[3] - along_x[2], part.z);
    let slope = Vec3::new(slope_x, slope_y, along_y[1] - along_y[0]) * frame.inverse;
    let beyond = (wanted - position) * frame.cell;
    let beyond_sq = beyond.x * beyond.x + beyond.y * beyond.y + beyond.z * beyond.z;
    let gap = sqrt(beyond_sq);
    if !(gap < f32::INFINITY) {
        return Sample { distance: f32::INFINITY, gradient: Vec3::ZERO };
    }
    let is_in = gap == 0.0;
    // A solid at the border ends there: beside it only the way to the grid counts.
    let is_cut = !is_in && value < 0.0;
    let gradient = |axis: usize| {
        if is_in || (beyond[axis] == 0.0 && !is_cut) { slope[axis] } else { beyond[axis] / gap }
    };
    let distance = if is_cut { gap } else { value + gap };
    Sample { distance, gradient: Vec3::new(gradient(0), gradient(1), gradient(2)) }
}

/// The samples at points; see [`Field::sample_batch`](crate::Field::sample_batch).
pub(crate) fn sample_batch(field: &impl Stored, points: &[Vec3], out: &mut Vec<Sample>) {
    out.clear();
    out.resize(points.len(), Sample::default());
    sample_into(field, points, out);
}

/// The samples at points, one for each.
pub(crate) fn sample_into(field: &impl Stored, points: &[Vec3], out: &mut [Sample]) {
    dispatch(Batch { field, frame: Frame::new(field), points, out });
}

struct Batch<'a, F> {
    field: &'a F,
    frame: Frame,
    points: &'a [Vec3],
    out: &'a mut [Sample],
}

impl<F: Stored> Kernel for Batch<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Batch { field, frame, points, out } = self;
        let mut first = 0;
        while first < points.len() {
            let n = (points.len() - first).min(8);
            let mut lanes = [[0.0; 8]; 3];
            for i in 0..n {
                let p = points[first + i];
                (lanes[0][i], lanes[1][i], lanes[2][i]) = (p.x, p.y, p.z);
            }
            let [distance, x, y, z] = eight(simd, field, &frame, &lanes);
            for i in 0..n {
                out[first + i] = Sample { distance: distance[i], gradient: Vec3::new(x[i], y[i], z[i]) };
            }
            first += 8;
        }
    }
}

/// Distances and gradients of eight points: the operations of [`sample`] in the same order.
#[inline(always)]
fn eight<S: Simd, F: Stored>(simd: S, field: &F, frame: &Frame, points: &[[f32; 8]; 3]) -> [[f32; 8]; 4] {
    let splat = |x: f32| S::F32x8::splat(simd, x);
    let (zero, one, inverse) = (splat(0.0), S::U32x8::splat(simd, 1), splat(frame.inverse));
    let origin = frame.origin.to_array();
    let cells = frame.cells.to_array();
    let last = (field.header().grid.cells() - UVec3::ONE).to_array();
    let mut wanted = [zero; 3];
    let mut position = [zero; 3];
    let mut part = [zero; 3];
    let mut cell = [one; 3];
    let mut axis = 0;
    while axis < 3 {
        wanted[axis] = (S::F32x8::load(simd, &points[axis]) - splat(origin[axis])) * inverse;
        position[axis] = wanted[axis].max(zero).min(splat(cells[axis]));
        cell[axis] = position[axis].trunc_to_u32().min(S::U32x8::splat(simd, last[axis]));
        part[axis] = position[axis] - cell[axis].to_f32();
        axis += 1;
    }
    let table = field.table();
    let [stride_y, stride_z] = field.strides().map(|stride| S::U32x8::splat(simd, stride));
    let at = field.lowest_node_indices(simd, cell);
    let above = at + stride_z;
    let row = |at: S::U32x8| (S::F32x8::gather(table, at), S::F32x8::gather(table, at + one));
    let (v0, v1) = row(at);
    let (v2, v3) = row(at + stride_y);
    let (v4, v5) = row(above);
    let (v6, v7) = row(above + stride_y);
    let [px, py, pz] = part;
    let (s0, s1, s2, s3) = (v1 - v0, v3 - v2, v5 - v4, v7 - v6);
    let (x0, x1, x2, x3) = (v0 + px * s0, v2 + px * s1, v4 + px * s2, v6 + px * s3);
    let (t0, t1) = (x1 - x0, x3 - x2);
    let (y0, y1) = (x0 + py * t0, x2 + py * t1);
    let slope_z = y1 - y0;
    let value = y0 + pz * slope_z;
    let (u0, u1) = (s0 + py * (s1 - s0), s2 + py * (s3 - s2));
    let slopes = [u0 + pz * (u1 - u0), t0 + pz * (t1 - t0), slope_z];
    let length = splat(frame.cell);
    let beyond = [
        (wanted[0] - position[0]) * length,
        (wanted[1] - position[1]) * length,
        (wanted[2] - position[2]) * length,
    ];
    let beyond_sq = beyond[0] * beyond[0] + beyond[1] * beyond[1] + beyond[2] * beyond[2];
    let gap = beyond_sq.sqrt();
    let is_near = gap.lt(splat(f32::INFINITY));
    let is_in = gap.eq(zero);
    let is_cut = zero.lt(gap) & value.lt(zero);
    let gradient = |axis: usize| {
        let is_slope = beyond[axis].eq(zero) & !is_cut | is_in;
        let away = beyond[axis] / gap;
        let here = S::F32x8::select(is_slope, slopes[axis] * inverse, away);
        S::F32x8::select(is_near, here, zero).to_array()
    };
    let distance = S::F32x8::select(is_cut, gap, value + gap);
    let distance = S::F32x8::select(is_near, distance, splat(f32::INFINITY));
    [distance.to_array(), gradient(0), gradient(1), gradient(2)]
}
