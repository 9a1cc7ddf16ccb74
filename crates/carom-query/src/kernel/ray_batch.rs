//! Many rays against one shape. Several rays traverse a mesh alternately, which hides memory
//! latency.
//!
//! The block of triangles of the next leaf is prefetched, and contains all data of that leaf. Other
//! rays advance meanwhile. Each ray does the same computation as alone.
//!
//! Tried: sorting rays by octant and by the point nearest to the centre; saves 9 % of the time and
//! costs 6 %. More in `benches/notes/carom-query.md`.
//!
//! Reference: S. Chen, A. Ailamaki, P. Gibbons, T. Mowry, Improving Hash Join Performance through
//! Prefetching, 2004 (the rounds of a chain of dependent loads).

use super::super::num::geom::RayHit;
use super::super::num::{Interval, Pose, Ray};
use super::line::Line;
use super::mesh_shape::MeshShape;
use super::ray::{cast_ray, placed};
use super::ray_mesh::{MeshLine, Nearest};
use super::shape::Shape;
use alloc::vec::Vec;
use carom_bvh::{IN_FLIGHT, Leaf, LeafAnswer, RayBatch, RayLine, RayTurn};
use carom_geom::ray_mesh;
use carom_math::WidePose;
use core::ops::ControlFlow;

/// [`cast_ray`] for many rays: appends one answer for each, in their order. World frame.
///
/// The rays are interleaved, which saves time for large meshes. The answers are those of single
/// rays, to the bit.
pub fn cast_ray_batch(
    shape: &Shape,
    pose: &Pose,
    rays: &[Ray],
    interval: Interval,
    out: &mut Vec<Option<RayHit>>,
) {
    let Shape::Mesh(mesh) = shape else {
        out.extend(rays.iter().map(|ray| cast_ray(shape, pose, ray, interval)));
        return;
    };
    let first = out.len();
    out.resize(first + rays.len(), None);
    let mut batch = MeshRays {
        shape,
        mesh,
        pose,
        wide: pose.wide(),
        interval,
        rays,
        out: &mut out[first..],
        next: 0,
        slots: [None; IN_FLIGHT],
    };
    mesh.tree().visit_rays(&mut batch);
}

struct MeshRays<'a> {
    shape: &'a Shape,
    mesh: &'a MeshShape,
    pose: &'a Pose,
    wide: WidePose,
    interval: Interval,
    rays: &'a [Ray],
    /// One slot for each ray.
    out: &'a mut [Option<RayHit>],
    /// The first ray that has not started.
    next: usize,
    slots: [Option<Flying>; IN_FLIGHT],
}

/// A ray in progress.
#[derive(Clone, Copy)]
struct Flying {
    ray: usize,
    line: MeshLine,
    nearest: Nearest,
}

impl RayBatch for MeshRays<'_> {
    fn next(&mut self, slot: usize) -> Option<(usize, RayLine)> {
        if let Some(done) = self.slots[slot].take() {
            self.out[done.ray] = done.nearest.hit(self.mesh).map(|hit| placed(hit, &self.wide));
        }
        loop {
            let ray = self.next;
            let query_ray = self.rays.get(ray)?;
            self.next += 1;
            let Some(line) = Line::new(&self.wide, query_ray, true) else { continue };
            let Some(line) = MeshLine::new(self.mesh, &line, self.interval).filter(|_| line.is_plain())
            else {
                // The line is out of range in the coordinates of the tree. The ray is cast by
                // itself.
                self.out[ray] = cast_ray(self.shape, self.pose, query_ray, self.interval);
                continue;
            };
            self.slots[slot] = Some(Flying { ray, line, nearest: Nearest::new(self.interval) });
            return Some((ray, line.in_tree));
        }
    }

    #[inline]
    fn ahead(&mut self, leaf: u32) {
        self.mesh.prefetch_block(leaf);
    }

    #[inline]
    fn leaf(&mut self, turn: RayTurn, leaf: Leaf<'_>, t_max: f64) -> ControlFlow<(), LeafAnswer> {
        let Some(Flying { line, nearest, .. }) = &mut self.slots[turn.slot] else {
            return ControlFlow::Break(());
        };
        let lanes = line.touched(self.mesh, &leaf);
        if lanes.may == 0 {
            return ControlFlow::Continue(LeafAnswer::UpTo(t_max));
        }
        line.test(self.mesh, &leaf, lanes, &ray_mesh::line_touches, (), &mut |touch| nearest.offer(touch));
        ControlFlow::Continue(LeafAnswer::UpTo(line.limit()))
    }
}
