//! The parts of a compound or of a cluster, for queries that answer part by part.

use super::super::num::{widen, widen_quat};
use super::cluster::Cluster;
use super::compound::Compound;
use super::shape::{Shape, ShapeKind};
use super::{cluster_pair, dispatch};
use crate::cluster_search::at;
use crate::cost::Count;
use crate::swept_box::SweptBox;
use crate::workspace::CastMemory;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_bvh::Counters;
use carom_math::{WidePose, rounding};
use core::ops::ControlFlow;
use glam::{DQuat, DVec3};

/// Shapes that move as one.
pub(super) enum PartList<'a> {
    Compound(&'a Compound),
    Cluster(&'a dyn Cluster),
}

impl<'a> PartList<'a> {
    /// Returns the parts of a compound or a cluster; `None` for any other shape.
    pub(super) fn of(shape: &'a Shape) -> Option<PartList<'a>> {
        match shape.kind() {
            ShapeKind::Compound(a) => Some(PartList::Compound(a)),
            ShapeKind::Cluster(a) => Some(PartList::Cluster(a)),
            _ => None,
        }
    }

    pub(super) fn len(&self) -> u32 {
        match self {
            PartList::Compound(a) => a.parts().len() as u32,
            PartList::Cluster(a) => a.n_parts(),
        }
    }

    /// Visits the parts that a moving box may touch within `time`, as index and box, unsorted.
    pub(super) fn parts_on_path(
        &self,
        swept: &SweptBox,
        time: f64,
        mut part: impl FnMut(u32, &Aabb),
    ) -> Counters {
        match self {
            PartList::Compound(a) => a.boxes().parts_on_path(swept, time, part),
            PartList::Cluster(a) => {
                swept.visit_tree(a.tree(), time, |number| part(number, &a.part_box(number)))
            }
        }
    }

    /// Returns the indices of the parts that may be within `limit` of B, in a list of `memory`
    /// that the caller gives back. Those of a compound are sorted. Those of a cluster are in the
    /// order of its tree.
    pub(super) fn near(
        &self,
        b: &Shape,
        b_in_a: &WidePose,
        limit: f64,
        memory: &mut CastMemory,
        count: impl Count,
    ) -> Vec<(f64, u32)> {
        let mut near = memory.orders.pop().unwrap_or_default();
        near.clear();
        match self {
            PartList::Compound(a) => {
                let around = b.placed_box(b_in_a).inflated(rounding::up(limit));
                a.boxes().collect_near(&around, &mut near, count);
            }
            PartList::Cluster(a) => {
                let touches =
                    |part: &Shape, b_in_part: &WidePose| dispatch::intersects(part, b, b_in_part, count);
                cluster_pair::visit_near(*a, b, b_in_a, limit, &touches, count, &mut |number| {
                    near.push((0.0, number));
                    ControlFlow::Continue(())
                });
            }
        }
        near
    }

    /// Calls `use_part` with a part, its pose as matrix and as rotation and translation, and its
    /// first number. `None` if there is no such part.
    pub(super) fn with<T>(
        &self,
        index: u32,
        use_part: impl FnOnce(&Shape, &WidePose, (DQuat, DVec3), u32) -> T,
    ) -> Option<T> {
        match self {
            PartList::Compound(a) => {
                let (index, part) = (index as usize, a.parts().get(index as usize)?);
                let part_frame = (widen_quat(part.pose.rotation), widen(part.pose.translation));
                Some(use_part(&part.shape, a.part_pose(index), part_frame, a.first_number(index)))
            }
            PartList::Cluster(a) => {
                let (shape, center) = (index < a.n_parts()).then(|| a.part(index))?;
                Some(use_part(&shape.into(), &at(center), (DQuat::IDENTITY, center), index))
            }
        }
    }
}
