//! The largest ball inside an intersection of half-spaces.
//!
//! Maximise the radius r of centre c under n_i . c + r <= h_i. This is a linear program in four
//! unknowns, solved by the dual simplex method. The basis holds four tight constraints whose
//! normals surround the origin. The most violated constraint enters until none is violated. The
//! final radius is measured against all planes, so the ball is inscribed even if the method stops
//! early.
//!
//! Reference: S. Boyd, L. Vandenberghe, Convex Optimization, 2004, 8.5.1 (Chebyshev centre); C.
//! Lemke, The Dual Method of Solving the Linear Programming Problem, 1954.

use glam::{DMat4, DVec3, DVec4};

/// Maximum number of exchanges of a constraint. Random hulls need about ten.
const MAX_EXCHANGES: usize = 200;

/// Rounding relative to the coordinates: normal, offset and height of a point have about twelve
/// roundings together.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Returns centre and radius of a ball inside all half-spaces (normal, offset): normal . x <=
/// offset, with unit normals.
///
/// `inside` is a point inside all half-spaces; their intersection lies within `reach`, a length, of
/// it.
pub(crate) fn inscribed_ball(planes: &[(DVec3, f64)], inside: DVec3, reach: f64) -> (DVec3, f64) {
    // Start with the four planes of a tetrahedron around everything.
    let s = 1.0 / carom_math::ops::sqrt(3.0_f64);
    let corners = [(1.0, 1.0, 1.0), (1.0, -1.0, -1.0), (-1.0, 1.0, -1.0), (-1.0, -1.0, 1.0)];
    let mut basis = corners.map(|(x, y, z)| (DVec3::new(x, y, z) * s, 2.0 * reach));
    let mut center = DVec3::ZERO;
    let mut last = f64::INFINITY;
    for _ in 0..MAX_EXCHANGES {
        // Rows are the constraints: (n, 1) . (c, r) = h.
        let rows = basis.map(|(n, _)| n.extend(1.0));
        let matrix = DMat4::from_cols(rows[0], rows[1], rows[2], rows[3]).transpose();
        let inverse = matrix.inverse();
        if !inverse.is_finite() {
            break;
        }
        let solution = inverse * DVec4::from_array(basis.map(|(_, h)| h));
        let (c, r) = (solution.truncate(), solution.w);
        if !solution.is_finite() || last < r {
            break;
        }
        last = r;
        center = c;
        let mut entering = None;
        let mut worst = 4.0 * f64::EPSILON * reach;
        for &(n, h) in planes {
            let excess = n.dot(c) + r - (h - n.dot(inside));
            if worst < excess {
                (entering, worst) = (Some((n, h - n.dot(inside))), excess);
            }
        }
        let Some(entering) = entering else { break };
        // Multipliers of the objective r, and of the new row, in terms of the basis.
        let weights = inverse.transpose() * DVec4::W;
        let shares = inverse.transpose() * entering.0.extend(1.0);
        let mut leaving = None;
        let mut least = f64::INFINITY;
        for i in 0..4 {
            if 0.0 < shares[i] && weights[i].max(0.0) / shares[i] < least {
                (leaving, least) = (Some(i), weights[i].max(0.0) / shares[i]);
            }
        }
        // No constraint can leave: rounding has spoilt the basis.
        let Some(leaving) = leaving else { break };
        basis[leaving] = entering;
    }
    let measure = |c: DVec3| planes.iter().fold(f64::INFINITY, |least, &(n, h)| least.min(h - n.dot(c)));
    // Rounding of a height over a plane. If a body is thinner than this, opposite planes do not
    // bound its length. A ball between them may be far from all vertices.
    let rounding = ROUNDING * (reach + inside.abs().element_sum());
    let (found, before) = (measure(inside + center), measure(inside));
    if before.max(rounding) < found { (inside + center, found) } else { (inside, before.max(0.0)) }
}
