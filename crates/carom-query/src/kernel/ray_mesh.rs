//! A line against the triangles of a mesh: the first hit, or all hits.
//!
//! All triangles are tested against the same line, and each test is exact. So a line cannot pass
//! between two neighbours, and the number of crossings of a closed mesh is right.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.8 (rays and triangles).

use super::super::num::geom::RayHit;
use super::super::num::{Interval, Real, Vec3, narrow, narrow_real, widen_real};
use super::line::Line;
use super::mesh_shape::MeshShape;
use crate::cost::Count;
use alloc::vec::Vec;
use carom_bvh::{Leaf, RayLine};
use carom_geom::line_lanes::{BlockLine, LineLanes};
use carom_geom::ray_mesh::{self, TriangleHit};
use carom_math::scaling;
use core::ops::ControlFlow;
use glam::DVec3;

/// Returns the first triangle that the line touches.
pub(super) fn first_triangle(
    mesh: &MeshShape,
    line: &Line,
    interval: Interval,
    count: impl Count,
) -> Option<RayHit> {
    let mut nearest = Nearest::new(interval);
    visit(mesh, line, interval, ray_mesh::line_touches, count, |touch| nearest.offer(touch));
    nearest.hit(mesh)
}

/// A triangle that a line touches.
#[derive(Clone, Copy)]
pub(super) struct Touch {
    t: f64,
    is_back_face: bool,
    triangle: u32,
    /// Eight times the index of its leaf, plus the lane, if known.
    placed_index: Option<u32>,
}

/// The nearest hit so far.
#[derive(Clone, Copy)]
pub(super) struct Nearest {
    /// Hits beyond it are ignored.
    max: f64,
    best: Option<(Real, Touch)>,
}

impl Nearest {
    pub(super) fn new(interval: Interval) -> Nearest {
        Nearest { max: widen_real(interval.max), best: None }
    }

    /// Offers a hit. Returns the t up to which further hits matter.
    #[inline]
    pub(super) fn offer(&mut self, touch: Touch) -> f64 {
        // Hits that are equal after rounding are ordered by number, as in the list of all hits.
        let t = narrow_real(touch.t);
        let is_before =
            |(least, best): (Real, Touch)| t < least || (t == least && touch.triangle < best.triangle);
        if self.best.is_none_or(is_before) {
            self.best = Some((t, touch));
            self.max = widen_real(t.next_up());
        }
        self.max
    }

    #[inline]
    pub(super) fn hit(&self, mesh: &MeshShape) -> Option<RayHit> {
        self.best.map(|(t, touch)| triangle_hit(mesh, t, touch))
    }
}

/// Appends all triangles that `rule` selects.
pub(super) fn visit_all(
    mesh: &MeshShape,
    line: &Line,
    interval: Interval,
    rule: Rule,
    out: &mut Vec<RayHit>,
    count: impl Count,
) {
    let max = widen_real(interval.max);
    visit(mesh, line, interval, rule, count, |touch| {
        out.push(triangle_hit(mesh, narrow_real(touch.t), touch));
        max
    });
}

/// Selects triangles: those that the line touches, or those that it crosses.
pub(super) type Rule = fn(DVec3, DVec3, &[DVec3; 3]) -> Option<TriangleHit>;

/// A line in the coordinates of a mesh and of its tree.
#[derive(Clone, Copy)]
pub(super) struct MeshLine {
    origin: DVec3,
    direction: DVec3,
    min: f64,
    /// Decreases as hits are found.
    max: f64,
    block_line: BlockLine,
    /// In the tree's coordinates, t over `pace`.
    pub(super) in_tree: RayLine,
    pace: f64,
}

impl MeshLine {
    /// Converts a line to the coordinates of a mesh and its tree. `None` if the origin is so far
    /// from so small a mesh that it overflows the tree's coordinates.
    #[inline]
    pub(super) fn new(mesh: &MeshShape, line: &Line, interval: Interval) -> Option<MeshLine> {
        let Line { origin, direction, .. } = *line;
        let (min, max) = (widen_real(interval.min), widen_real(interval.max));
        let scale = mesh.scale();
        let position = origin * scale;
        if !position.is_finite() {
            return None;
        }
        let mut steps = direction * scale;
        // A direction that underflows or overflows in the tree's coordinates is normalised. The
        // limits of t are scaled too, rounded outwards.
        let mut pace = 1.0;
        if !(f64::MIN_POSITIVE / f64::EPSILON <= steps.abs().max_element() && steps.is_finite()) {
            pace = scaling::scale_of(direction.abs().max_element());
            steps = direction * pace * scale;
        }
        let t_min = if pace == 1.0 { min } else { (min / pace).next_down() };
        let in_tree = RayLine { origin: position, direction: steps, t_min, t_max: max };
        let block_line = BlockLine::new(position, direction);
        let mut line = MeshLine { origin, direction, min, max, block_line, in_tree, pace };
        line.in_tree.t_max = line.limit();
        Some(line)
    }

    /// Returns the t in the tree beyond which the search stops.
    #[inline]
    pub(super) fn limit(&self) -> f64 {
        if self.pace == 1.0 { self.max } else { (self.max / self.pace).next_up() }
    }

    /// Returns the triangles of a leaf that the line may touch, tested eight at once in `f32`. Most
    /// triangles are rejected here.
    #[inline]
    pub(super) fn touched(&self, mesh: &MeshShape, leaf: &Leaf<'_>) -> LineLanes {
        mesh.line_block(leaf.index).map_or_else(LineLanes::default, |block| block.touched(&self.block_line))
    }

    /// Tests those triangles of a leaf; exact in doubtful cases.
    #[inline]
    pub(super) fn test(
        &mut self,
        mesh: &MeshShape,
        leaf: &Leaf<'_>,
        lanes: LineLanes,
        rule: &impl Fn(DVec3, DVec3, &[DVec3; 3]) -> Option<TriangleHit>,
        count: impl Count,
        hit: &mut impl FnMut(Touch) -> f64,
    ) {
        let mut left = lanes.may;
        while left != 0 {
            let lane = left.trailing_zeros();
            let bit = left & left.wrapping_neg();
            left ^= bit;
            count.add_pair();
            let index = leaf.index * 8 + lane;
            let Some((triangle, corners)) = placed_triangle(mesh, index) else { break };
            let found = if (lanes.from_front | lanes.from_back) & bit != 0 {
                Some(ray_mesh::sure_hit(self.origin, self.direction, &corners, lanes.from_back & bit != 0))
            } else {
                rule(self.origin, self.direction, &corners)
            };
            let Some(TriangleHit { t, is_back_face, .. }) = found else { continue };
            if self.min <= t && t <= self.max && narrow_real(t).is_finite() {
                self.max = self.max.min(hit(Touch { t, is_back_face, triangle, placed_index: Some(index) }));
            }
        }
    }
}

/// Returns the number and the corners of the triangle in a lane of a leaf.
#[inline]
fn placed_triangle(mesh: &MeshShape, index: u32) -> Option<(u32, [DVec3; 3])> {
    let block = mesh.line_block(index / 8)?;
    let (lane, scale) = (index as usize % 8, mesh.scale());
    let triangle = block.number(lane);
    // The reciprocal of the scale, a power of two, is exact.
    let corners = block.corners(lane, if scale == 1.0 { 1.0 } else { 1.0 / scale });
    Some((triangle, corners.unwrap_or_else(|| mesh.mesh().corners(triangle))))
}

/// Visits every selected triangle with its t, up to the t that `hit` returns.
fn visit(
    mesh: &MeshShape,
    line: &Line,
    interval: Interval,
    rule: impl Fn(DVec3, DVec3, &[DVec3; 3]) -> Option<TriangleHit>,
    count: impl Count,
    mut hit: impl FnMut(Touch) -> f64,
) {
    let Some(mut line) = MeshLine::new(mesh, line, interval) else {
        let (min, mut max) = (widen_real(interval.min), widen_real(interval.max));
        for triangle in 0..mesh.mesh().n_triangles() as u32 {
            let corners = mesh.mesh().corners(triangle);
            count.add_pair();
            let Some(found) = rule(line.origin, line.direction, &corners) else { continue };
            let TriangleHit { t, is_back_face, .. } = found;
            if min <= t && t <= max && narrow_real(t).is_finite() {
                max = max.min(hit(Touch { t, is_back_face, triangle, placed_index: None }));
            }
        }
        return;
    };
    let RayLine { origin, direction, t_min, t_max } = line.in_tree;
    let ahead = |leaf| mesh.prefetch_block(leaf);
    let walk = mesh.tree().visit_ray_with_prefetch(origin, direction, t_min, t_max, ahead, |leaf, _| {
        let lanes = line.touched(mesh, &leaf);
        line.test(mesh, &leaf, lanes, &rule, count, &mut hit);
        ControlFlow::Continue(line.limit())
    });
    count.add_walk(&walk.counters);
}

fn triangle_hit(mesh: &MeshShape, t: Real, touch: Touch) -> RayHit {
    let Touch { triangle, placed_index, is_back_face, .. } = touch;
    let placed = placed_index.and_then(|index| placed_triangle(mesh, index));
    let [a, b, c] = placed.map_or_else(|| mesh.mesh().corners(triangle), |(_, corners)| corners);
    let normal = scaling::unit(scaling::balanced(b - a).cross(scaling::balanced(c - a)));
    let normal: Vec3 = normal.map_or(Vec3::ZERO, narrow);
    RayHit::new(t, normal).with_part(triangle).with_back_face(is_back_face)
}
