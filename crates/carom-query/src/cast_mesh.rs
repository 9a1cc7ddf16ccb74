//! A moving convex shape against a moving mesh. Time intervals are processed in order: each through
//! the tree, then triangle by triangle; see [`crate::cast_against`].
//!
//! If many triangles are near the sweep, and its box is large because of the motion, the interval
//! is halved. Without rotation one walk through the tree is enough; see [`crate::cast_straight`].
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.11.

use crate::cast_against::Against;
use crate::cast_leaving::IgnoredPlanes;
use crate::cast_straight;
use crate::impact::CastQuery;
use crate::mesh_shape::MeshShape;
use crate::workspace::CastMemory;
use carom_ccd::{Earliest, Sweep, Tally, TimeOfImpact};
use carom_geom::{SupportMap, WideMesh};

/// The shortest interval that is halved, as a fraction of the time searched: 2^-14.
const MIN_INTERVAL: f64 = 1.0 / (1_u64 << 14) as f64;

/// Returns when a moving convex shape first comes within the target distance of a moving mesh.
pub(crate) fn convex(
    a: &MeshShape<impl WideMesh>,
    b: &dyn SupportMap,
    query: &CastQuery<'_, impl Tally>,
    memory: &mut CastMemory,
) -> TimeOfImpact {
    let (start, end) = (query.settings.start_time, query.settings.max_time);
    let sweep = Sweep::new(query.motion_a, query.motion_b, start, end);
    let leaf = Against::new(a, query, IgnoredPlanes::of_mesh(a, b, query));
    if let Some(answer) = cast_straight::convex(leaf, b, &sweep) {
        return answer;
    }
    let mut earliest = Earliest::new();
    let CastMemory { spans, triangles, .. } = memory;
    spans.clear();
    spans.push((start, end));
    while let Some((from, to)) = spans.pop() {
        let until = earliest.until(end);
        // Contact is certain before this interval.
        if until <= from && start < from {
            break;
        }
        let to = to.min(until);
        let slab = sweep.slab(from, to);
        let can_halve = MIN_INTERVAL * (end - start) < to - from;
        if !leaf.near(&slab, b, can_halve, triangles) {
            let middle = 0.5 * (from + to);
            spans.push((middle, to));
            spans.push((from, middle));
            continue;
        }
        leaf.search(&slab, b, 0, [from, to], triangles, &mut earliest);
    }
    earliest.answer()
}
