//! A moving mesh against a moving mesh: nodes of one tree, each with a time interval, against the
//! other tree.
//!
//! A node of B's tree is a box that moves with B. The box around its sweep, in A's frame, is
//! searched in A's tree. If nothing is found, the node is done for this interval. Otherwise the
//! interval is halved if the sweep is longer than the node, else the node is opened. At a leaf each
//! triangle of B is cast against A as a convex body.
//!
//! Reference: X. Zhang, S. Redon, M. Lee, Y. Kim, Continuous Collision Detection for Articulated
//! Models using Taylor Models and Temporal Culling, ACM SIGGRAPH 2007.
//! Differs: no queue; earlier intervals come first, and a proved contact ends all later ones.

use crate::cast_against::Against;
use crate::cast_leaving::IgnoredPlanes;
use crate::impact::{CastQuery, PlacedBox};
use crate::mesh_shape::MeshShape;
use crate::workspace::{CastMemory, TreePart, Workspace};
use carom_bounds::Aabb;
use carom_bvh::Child;
use carom_ccd::{Earliest, Sweep, Tally, TimeOfImpact};
use carom_geom::WideMesh;

/// The shortest interval that is halved, as a fraction of the time searched: 2^-14.
const MIN_INTERVAL: f64 = 1.0 / (1_u64 << 14) as f64;

/// Returns when two moving meshes first come within the target distance of each other.
pub(crate) fn meshes<M: WideMesh>(
    a: &MeshShape<M>,
    b: &MeshShape<M>,
    query: &CastQuery<'_, impl Tally>,
    memory: &mut Workspace,
) -> TimeOfImpact {
    let (start, end) = (query.settings.start_time, query.settings.max_time);
    let sweep = Sweep::new(query.motion_a, query.motion_b, start, end);
    let against = Against::new(a, query, IgnoredPlanes::of_meshes(a, b, query, memory));
    let mut earliest = Earliest::new();
    let tree = b.tree();
    let placed =
        |aabb: &Aabb| PlacedBox::new(aabb.min.as_dvec3() / b.scale(), aabb.max.as_dvec3() / b.scale());
    let CastMemory { parts, triangles, .. } = &mut memory.casts;
    parts.clear();
    parts.push((TreePart::Root, start, end));
    while let Some((part, from, to)) = parts.pop() {
        let until = earliest.until(end);
        // Contact is certain before this interval.
        if until <= from && start < from {
            continue;
        }
        let to = to.min(until);
        let slab = sweep.slab(from, to);
        let around = match part {
            TreePart::Root => placed(&tree.bounds()),
            TreePart::Node { reference, .. } | TreePart::Leaf { reference, .. } => {
                placed(&tree.volume(reference))
            }
        };
        if !against.is_near(&slab, &around) {
            earliest.add_clear(against.room(&around));
            continue;
        }
        if MIN_INTERVAL * (end - start) < to - from && against.is_long(&slab, &around) {
            let middle = 0.5 * (from + to);
            parts.push((part, middle, to));
            parts.push((part, from, middle));
            continue;
        }
        let node = match part {
            TreePart::Root => 0,
            TreePart::Node { number, .. } => number,
            TreePart::Leaf { number, .. } => {
                for &triangle in tree.leaf(number).primitives {
                    let shape = b.mesh().triangle(triangle);
                    against.near(&slab, &shape, false, triangles);
                    let to = earliest.until(to);
                    against.search(&slab, &shape, triangle, [from, to], triangles, &mut earliest);
                }
                continue;
            }
        };
        for (reference, child) in tree.children(node).rev() {
            let part = match child {
                Child::Node(number) => TreePart::Node { number, reference },
                Child::Leaf(leaf) => TreePart::Leaf { number: leaf.index, reference },
            };
            parts.push((part, from, to));
        }
    }
    earliest.answer()
}
