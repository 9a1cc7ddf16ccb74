//! Exact separating-axis test of two convex bodies with corners.
//!
//! Disjoint bodies are separated along a face normal of their Minkowski difference. Every such
//! normal is the product of two edges, of one body or of both. The bodies are projected on each in
//! `f64`, with a bound on the error. An axis that surely separates ends the search; axes that
//! surely do not are dropped. Axes in doubt are projected again in exact numbers. If all edges lie
//! in one plane or on one line, the difference has no volume. The axes across it and along its rim
//! are then tested too.
//!
//! Reference: S. Gottschalk, M. C. Lin, D. Manocha, OBBTree, 1996, 4; D. Eberly, Intersection of
//! Convex Objects: The Method of Separating Axes, 2001.
//! Differs: exact signs; flat and degenerate bodies are treated as the sets that they are.

use crate::figure::Figure;
use carom_math::exact_number::{ExactNumber, ExactVec3};
use carom_math::scaling::scale_of;
use glam::DVec3;

/// Rounding of the projections of two bodies on a product of edges, relative to the largest
/// products.
///
/// An edge has one rounding, a product of two edges five, a projection eight more, each of half
/// this epsilon.
const PROJECTION_ERROR: f64 = 16.0 * f64::EPSILON;

/// Far above the loss of products by underflow, if the figure is scaled to 1.
const UNDERFLOW: f64 = 1.0e-300;

/// Maximum number of edges of two bodies that count, and of their pairs.
const MAX_EDGES: usize = 12;

/// Whether the two bodies without their radii have a common point. Touching counts.
///
/// Exact for the given corners, and for the given axes and half extents of an oriented box.
pub(crate) fn meet(a: &Figure, b: &Figure) -> bool {
    if a.frame().is_none() && b.frame().is_none() {
        // Comparisons of given corners are cheap and exact.
        let ([min_a, max_a], [min_b, max_b]) = (extremes(a), extremes(b));
        if (min_a.cmpgt(max_b) | min_b.cmpgt(max_a)).any() {
            return false;
        }
    }
    let pair = Pair::new(a, b);
    let mut in_doubt = 0_u128;
    let mut has_volume = false;
    for (number, [i, j]) in pair.products().enumerate() {
        match pair.along(i, j, &mut has_volume) {
            Some(true) => return false,
            Some(false) => {}
            None => in_doubt |= 1 << number,
        }
    }
    if has_volume && in_doubt == 0 {
        return true;
    }
    !is_apart_exactly(a, b, &pair, in_doubt, has_volume)
}

fn extremes(figure: &Figure) -> [DVec3; 2] {
    let first = figure.corners()[0];
    figure.bounds().unwrap_or_else(|| {
        figure.corners()[1..].iter().fold([first; 2], |[min, max], p| [min.min(*p), max.max(*p)])
    })
}

/// Two bodies, scaled to size 1, relative to a corner of the first.
struct Pair {
    edges: [DVec3; MAX_EDGES],
    /// The ends of each edge as given; an axis of a box is stored as zero and the axis.
    ends: [[DVec3; 2]; MAX_EDGES],
    n_edges_a: usize,
    n_edges: usize,
    bodies: [Projected; 2],
    /// Greatest coordinates of both bodies.
    reach: DVec3,
}

struct Projected {
    points: [DVec3; 8],
    n_points: usize,
    axes: [DVec3; 3],
    reach: DVec3,
}

impl Pair {
    fn new(a: &Figure, b: &Figure) -> Pair {
        let origin = a.corners()[0];
        let size = a
            .corners()
            .iter()
            .chain(b.corners())
            .fold(0.0, |m: f64, p| m.max((*p - origin).abs().max_element()));
        let scale = scale_of(size);
        let bodies = [a, b].map(|figure| Projected::new(figure, origin, scale));
        let mut pair = Pair {
            edges: [DVec3::ZERO; MAX_EDGES],
            ends: [[DVec3::ZERO; 2]; MAX_EDGES],
            n_edges_a: 0,
            n_edges: 0,
            reach: bodies[0].reach + bodies[1].reach,
            bodies,
        };
        pair.add_edges(a, scale);
        pair.n_edges_a = pair.n_edges;
        pair.add_edges(b, scale);
        pair
    }

    fn add_edges(&mut self, figure: &Figure, scale: f64) {
        let mut add = |from: DVec3, to: DVec3, scale: f64| {
            // An edge without length is no edge.
            if from != to && self.n_edges < MAX_EDGES {
                self.edges[self.n_edges] = (to - from) * scale;
                self.ends[self.n_edges] = [from, to];
                self.n_edges += 1;
            }
        };
        match figure.frame() {
            Some(frame) => {
                for axis in (0..3).filter(|&axis| frame.half[axis] != 0.0) {
                    add(DVec3::ZERO, frame.axes.col(axis), 1.0);
                }
            }
            None => figure.edges().for_each(|[from, to]| add(from, to, scale)),
        }
    }

    /// Returns pairs of edges. Pairs of one body come first; they give the face normals.
    fn products(&self) -> impl Iterator<Item = [usize; 2]> + use<> {
        let (n_a, n) = (self.n_edges_a, self.n_edges);
        let within =
            |from: usize, end: usize| (from..end).flat_map(move |i| (i + 1..end).map(move |j| [i, j]));
        within(0, n_a).chain(within(n_a, n)).chain((0..n_a).flat_map(move |i| (n_a..n).map(move |j| [i, j])))
    }

    /// Returns whether the product of two edges separates: certainly, certainly not, or in doubt
    /// (`None`). Sets `has_volume` if some three edges surely span a volume.
    fn along(&self, i: usize, j: usize, has_volume: &mut bool) -> Option<bool> {
        let (u, v) = (self.edges[i], self.edges[j]);
        let (yz, zy) = (u.y * v.z, u.z * v.y);
        let (zx, xz) = (u.z * v.x, u.x * v.z);
        let (xy, yx) = (u.x * v.y, u.y * v.x);
        let axis = DVec3::new(yz - zy, zx - xz, xy - yx);
        let size = DVec3::new(yz.abs() + zy.abs(), zx.abs() + xz.abs(), xy.abs() + yx.abs());
        let error = |reach: DVec3| PROJECTION_ERROR * reach.dot(size) + UNDERFLOW;
        if !*has_volume {
            *has_volume = self.edges[..self.n_edges].iter().any(|e| error(e.abs()) < e.dot(axis).abs());
        }
        let error = error(self.reach);
        if !error.is_finite() {
            return None;
        }
        let ([low_a, high_a], [low_b, high_b]) = (self.bodies[0].project(axis), self.bodies[1].project(axis));
        let gap = (low_b - high_a).max(low_a - high_b);
        if error < gap {
            Some(true)
        } else if gap < -error {
            Some(false)
        } else {
            None
        }
    }
}

impl Projected {
    fn new(figure: &Figure, origin: DVec3, scale: f64) -> Projected {
        let mut points = [DVec3::ZERO; 8];
        let mut axes = [DVec3::ZERO; 3];
        let middle;
        let centers = match (figure.frame(), figure.bounds()) {
            (Some(frame), _) => {
                axes = [0, 1, 2].map(|i| frame.axes.col(i) * (frame.half[i] * scale));
                core::slice::from_ref(&frame.center)
            }
            (None, Some([min, max])) => {
                // Two more roundings, covered by the error bound.
                let half = (max * 0.5 - min * 0.5) * scale;
                axes = [0, 1, 2].map(|i| DVec3::AXES[i] * half[i]);
                middle = min * 0.5 + max * 0.5;
                core::slice::from_ref(&middle)
            }
            (None, None) => figure.corners(),
        };
        for (room, p) in points.iter_mut().zip(centers) {
            *room = (*p - origin) * scale;
        }
        let n_points = centers.len();
        // The error of a box's middle is relative to its coordinates, not to its distance from the
        // origin here.
        let rounded = if figure.bounds().is_some() { (centers[0] * scale).abs() } else { DVec3::ZERO };
        let reach = rounded
            + points[..n_points].iter().fold(DVec3::ZERO, |m, p| m.max(p.abs()))
            + axes[0].abs()
            + axes[1].abs()
            + axes[2].abs();
        Projected { points, n_points, axes, reach }
    }

    #[inline]
    fn project(&self, axis: DVec3) -> [f64; 2] {
        let first = self.points[0].dot(axis);
        let [mut low, mut high] = [first; 2];
        for p in &self.points[1..self.n_points] {
            let along = p.dot(axis);
            low = low.min(along);
            high = high.max(along);
        }
        let half = self.axes[0].dot(axis).abs() + self.axes[1].dot(axis).abs() + self.axes[2].dot(axis).abs();
        [low - half, high + half]
    }
}

/// Whether an axis in doubt separates the bodies: the exact part of [`meet`], after its filter.
#[cold]
fn is_apart_exactly(a: &Figure, b: &Figure, pair: &Pair, in_doubt: u128, has_volume: bool) -> bool {
    let edge = |i: usize| ExactVec3::difference(pair.ends[i][1], pair.ends[i][0]);
    let separates = |axis: &ExactVec3| {
        let ([low_a, high_a], [low_b, high_b]) = (project(a, axis), project(b, axis));
        0.0 < (&low_b - &high_a).sign() || 0.0 < (&low_a - &high_b).sign()
    };
    let mut any_normal = None;
    let mut has_volume = has_volume;
    for (number, [i, j]) in pair.products().enumerate() {
        let is_in_doubt = in_doubt >> number & 1 == 1;
        if !is_in_doubt && has_volume {
            continue;
        }
        let axis = edge(i).cross(&edge(j));
        // Parallel edges span nothing.
        if axis.is_zero() {
            continue;
        }
        if is_in_doubt && separates(&axis) {
            return true;
        }
        if !has_volume {
            has_volume = (0..pair.n_edges).any(|k| edge(k).dot(&axis).sign() != 0.0);
            any_normal = Some(axis);
        }
    }
    if has_volume {
        return false;
    }
    if let Some(normal) = any_normal {
        // All edges in one plane: test the axis across it, and those along the rim.
        return separates(&normal) || (0..pair.n_edges).any(|i| separates(&normal.cross(&edge(i))));
    }
    // All edges on one line, or no edges: test the axis along it, and those across it.
    let axes = DVec3::AXES.map(ExactVec3::from);
    if pair.n_edges == 0 {
        return axes.iter().any(separates);
    }
    let along = edge(0);
    separates(&along) || axes.iter().any(|axis| separates(&along.cross(axis)))
}

fn project(figure: &Figure, axis: &ExactVec3) -> [ExactNumber; 2] {
    let along = |p: DVec3| ExactVec3::from(p).dot(axis);
    match figure.frame() {
        Some(frame) => {
            let mut half = ExactNumber::ZERO;
            for i in 0..3 {
                half = &half + &(&along(frame.axes.col(i)) * &ExactNumber::from(frame.half[i])).abs();
            }
            let center = along(frame.center);
            [&center - &half, &center + &half]
        }
        None => {
            let first = along(figure.corners()[0]);
            let (mut low, mut high) = (first.clone(), first);
            for p in &figure.corners()[1..] {
                let along = along(*p);
                if (&along - &low).sign() < 0.0 {
                    low = along;
                } else if 0.0 < (&along - &high).sign() {
                    high = along;
                }
            }
            [low, high]
        }
    }
}
