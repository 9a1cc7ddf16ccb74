//! Tolerance verification: whether any part of A is nearer to B than a clearance, and the list of
//! all violations.
//!
//! The clearance may differ for each pair of parts, such as a head and a bar, an arm and a rest.
//! Parts are triangles, the parts of compounds, and the points or boxes of clusters. The trees
//! skip pairs beyond the largest clearance. For each remaining pair the distance is searched up to
//! its own clearance.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.3.2 (tolerance
//! verification); E. Larsen, S. Gottschalk, M. Lin, D. Manocha, Fast Proximity Queries with Swept
//! Sphere Volumes, TR99-018, UNC Chapel Hill, 1999.

use super::super::num::{Pose, Real, widen_real};
use super::answer::Distance;
use super::dispatch;
use super::method::{Method, method};
use super::pair::are_infinite;
use super::part_list::PartList;
use super::shape::Shape;
use crate::closest::Closest;
use crate::field_pair::FieldOther;
use crate::workspace::Workspace;
use crate::{field_pair, mesh_convex, mesh_mesh};
use alloc::vec::Vec;
use carom_math::WidePose;

/// Returns the nearest points of two shapes if they are nearer than `clearance`, a length; else
/// `None`. World frame. The distance is 0 if they overlap. With a clearance of 0 the result is
/// `None`. It is the undecided distance 0 if a pose is not finite. The search stops as soon as the
/// clearance is proved.
pub fn nearer_than(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    clearance: Real,
    memory: &mut Workspace,
) -> Option<Distance> {
    if are_infinite(pose_a, pose_b) {
        return Some(Distance::UNDECIDED);
    }
    let limit = widen_real(clearance);
    let b_in_a = pose_b.wide().relative_to(&pose_a.wide());
    let closest = dispatch::distance(a, b, &b_in_a, limit, memory, ());
    (closest.distance.max(0.0) < limit).then(|| Distance::placed(&closest, &pose_a.wide()))
}

/// Appends the nearest points of every pair of parts that are nearer to each other than their
/// clearance. The list is sorted by A's part number, then by B's. World frame; the distance is 0
/// if two parts overlap.
///
/// `clearance` returns the clearance of a pair of parts. Its arguments are their numbers as in
/// [`Distance::part_a`] and [`Distance::part_b`], see
/// [`Compound::locate`](super::Compound::locate). A clearance is a length; one that is NaN or
/// above `most` is treated as `most`. If a pose is not finite, one undecided entry is added.
/// Allocates only to grow `out`.
pub fn clearance_violations(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    most: Real,
    clearance: &mut dyn FnMut(u32, u32) -> Real,
    memory: &mut Workspace,
    out: &mut Vec<Distance>,
) {
    if are_infinite(pose_a, pose_b) {
        out.push(Distance::UNDECIDED);
        return;
    }
    let first = out.len();
    let wide_a = pose_a.wide();
    let b_in_a = pose_b.wide().relative_to(&wide_a);
    let mut clearance_of = |part_a: u32, part_b: u32| widen_real(clearance(part_a, part_b).min(most));
    let mut report = |closest: &Closest| out.push(Distance::placed(closest, &wide_a));
    collect(a, b, &b_in_a, widen_real(most), &mut clearance_of, memory, &mut report);
    out[first..].sort_unstable_by_key(|violation| (violation.part_a, violation.part_b));
}

/// [`clearance_violations`] in A's frame.
fn collect(
    a: &Shape,
    b: &Shape,
    b_in_a: &WidePose,
    most: f64,
    clearance: &mut dyn FnMut(u32, u32) -> f64,
    memory: &mut Workspace,
    report: &mut dyn FnMut(&Closest),
) {
    match method(a, b) {
        Method::MeshConvex(a, b) => mesh_convex::nearer_than(a, b, b_in_a, most, clearance, report),
        Method::Meshes(a, b) => mesh_mesh::nearer_than(a, b, b_in_a, most, clearance, memory, report),
        Method::PlaneMesh(a, b) => {
            mesh_convex::nearer_than_half_space(a.normal_wide(), b, b_in_a, clearance, report);
        }
        Method::Field(a, FieldOther::Mesh(b)) => {
            field_pair::mesh_nearer_than(a, b, b_in_a, most, clearance, report);
        }
        Method::Parts(_) | Method::Cluster(_) => {
            let Some(a) = PartList::of(a) else { return };
            let near = a.near(b, b_in_a, most, &mut memory.casts, ());
            for &(_, index) in &near {
                a.with(index, |part, pose, _, first| {
                    let number = |part: u32| part.saturating_add(first);
                    let mut own = |part_a: u32, part_b: u32| clearance(number(part_a), part_b);
                    let mut report_part = |closest: &Closest| {
                        let placed = closest.placed(pose);
                        report(&Closest { part_a: number(placed.part_a), ..placed });
                    };
                    collect(part, b, &b_in_a.relative_to(pose), most, &mut own, memory, &mut report_part);
                });
            }
            memory.casts.orders.push(near);
        }
        // Both shapes have one part.
        Method::Convex(..) | Method::PlaneConvex(..) | Method::Planes(..) | Method::Field(..) => {
            let limit = clearance(0, 0);
            let closest = dispatch::distance(a, b, b_in_a, limit, memory, ());
            if closest.distance.max(0.0) < limit {
                report(&closest);
            }
        }
        Method::Swapped => {
            let a_in_b = b_in_a.inverse();
            let mut other = |part_b: u32, part_a: u32| clearance(part_a, part_b);
            let mut back = |closest: &Closest| report(&closest.swapped(&a_in_b));
            collect(b, a, &a_in_b, most, &mut other, memory, &mut back);
        }
    }
}
