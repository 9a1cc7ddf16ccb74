//! The angular velocity of the axis between two features of rotating bodies.
//!
//! The normal of a face rotates with its body. The normal of two crossing edges is their cross
//! product, and its derivative gives the rate. Nothing is known about an axis between corners, so
//! it stays fixed. Any rate is valid. A good one makes the axis follow the contact.
//!
//! Reference: E. Catto, Continuous Collision, Game Developers Conference 2013 (separation functions
//! of features).
//! Differs: edges of both bodies. A rate of turning replaces the feature itself.

use crate::Proposal;
use crate::body_pair::{BodyPair, Placed};
use carom_geom::SupportMap;
use glam::DVec3;

/// Edges with a squared sine below this are parallel: the direction of their cross product is
/// arbitrary.
const PARALLEL_SQ: f64 = carom_math::tol::GJK_TOUCHING;

/// Returns the angular velocity of the axis for the features of a proposal. Zero for a fixed axis.
pub(crate) fn turn_of_feature<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    pair: &BodyPair<'_, A, B>,
    placed: &Placed,
    proposal: &Proposal,
) -> DVec3 {
    if !pair.a.turns() && !pair.b.turns() {
        return DVec3::ZERO;
    }
    let n = proposal.n_points.min(4);
    let (on_a, n_a) = distinct(&proposal.points_a[..n]);
    let (on_b, n_b) = distinct(&proposal.points_b[..n]);
    if 3 <= n_a && n_b < 3 {
        return pair.a.angular();
    }
    if 3 <= n_b {
        return pair.b.angular();
    }
    if n_a != 2 || n_b != 2 {
        return DVec3::ZERO;
    }
    let edge_a = placed.rotation_a * (on_a[1] - on_a[0]);
    let edge_b = placed.rotation_b * (on_b[1] - on_b[0]);
    let normal = edge_a.cross(edge_b);
    let length_sq = normal.length_squared();
    if !(PARALLEL_SQ * edge_a.length_squared() * edge_b.length_squared() < length_sq) {
        return DVec3::ZERO;
    }
    let change = pair.a.angular().cross(edge_a).cross(edge_b) + edge_a.cross(pair.b.angular().cross(edge_b));
    normal.cross(change) / length_sq
}

/// Returns the first two distinct points, and the number of distinct points.
fn distinct(points: &[DVec3]) -> ([DVec3; 2], usize) {
    let mut found = [DVec3::ZERO; 4];
    let mut n = 0;
    for &point in points {
        if !found[..n].contains(&point) {
            found[n] = point;
            n += 1;
        }
    }
    ([found[0], found[1]], n)
}
