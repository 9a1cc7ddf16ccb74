//! Quickhull on exact signs: the convex hull of any finite points, as triangles.
//!
//! Every outside point is stored with one facet that it sees. The farthest such point is added. The
//! facets that it sees form one disc; new facets join the disc's rim to the point. The points of
//! removed facets move to new facets.
//!
//! A point that sees no new facet is inside. If it saw one facet beyond a rim edge and one before
//! it, it would also see the new facet between. That facet's plane lies in the pencil of the two.
//!
//! The argument needs exact signs, so visibility is decided by the exact predicate behind a filter.
//! Coplanar, collinear and repeated points need no special case: they see nothing strictly.
//!
//! Reference: C. Barber, D. Dobkin, H. Huhdanpaa, The Quickhull Algorithm for Convex Hulls, ACM
//! TOMS 22, 1996; J. R. Shewchuk, Adaptive Precision Floating-Point Arithmetic, 1997 (the error
//! bound of the filter).
//! Differs: no tolerance and no repair of concave facets; merging is a later and separate step.

use alloc::vec;
use alloc::vec::Vec;
use carom_math::predicates::{orient2d_along, orient3d, project};
use glam::DVec3;

/// Marks the absence of a triangle or a point.
pub(crate) const NONE: u32 = u32::MAX;

/// A closed, exactly convex surface of triangles, counter-clockwise seen from outside.
pub(crate) struct Triangulation {
    /// Corners, as indices of the input points.
    pub(crate) triangles: Vec<[u32; 3]>,
    /// Side i of triangle t goes from corner i to the next one; its number is 3 t + i. The entry is
    /// the number of the same side in the neighbour.
    pub(crate) twins: Vec<[u32; 3]>,
    /// Number of tests of a point against a plane.
    pub(crate) n_tests: u64,
}

/// Points that span no volume: indices of the input points.
#[derive(Debug, PartialEq)]
pub(crate) enum FlatPoints {
    /// All points coincide.
    Point(u32),
    /// All points are on a line, between these two.
    Segment(u32, u32),
    /// All points are in a plane: the corners of their hull in order.
    Polygon(Vec<u32>),
}

struct Facet {
    corners: [u32; 3],
    twins: [u32; 3],
    /// Not a unit vector.
    normal: DVec3,
    /// Rounding of the product with the normal: a point is surely off the plane if its difference
    /// to a corner exceeds it.
    error: f64,
    /// First of the outside points stored with this facet, or `NONE`.
    waiting: u32,
    farthest: u32,
    farthest_height: f64,
    is_alive: bool,
    /// The number of the last round that saw this facet.
    visible_in: u32,
}

struct Builder<'a> {
    points: &'a [DVec3],
    facets: Vec<Facet>,
    free: Vec<u32>,
    /// The next outside point of the same facet.
    next: Vec<u32>,
    /// For each point on the current rim, the new facet whose side starts there.
    rim_facet: Vec<u32>,
    /// Sum of the three sizes of the box around all points.
    extent: f64,
    /// Number of tests of a point against a plane.
    n_tests: u64,
}

/// Returns the convex hull of finite points; there must be fewer than `u32::MAX / 8`.
///
/// The largest coordinate should be near 1.
pub(crate) fn quickhull(points: &[DVec3]) -> Result<Triangulation, FlatPoints> {
    let simplex = first_simplex(points)?;
    let (mut min, mut max) = (points[0], points[0]);
    for &p in points {
        (min, max) = (min.min(p), max.max(p));
    }
    let mut builder = Builder {
        points,
        facets: Vec::new(),
        free: Vec::new(),
        next: vec![NONE; points.len()],
        rim_facet: vec![NONE; points.len()],
        extent: (max - min).element_sum(),
        n_tests: 0,
    };
    builder.start(simplex);
    builder.run();
    Ok(builder.finish())
}

impl Builder<'_> {
    fn start(&mut self, [a, b, c, d]: [u32; 4]) {
        // d lies below a, b, c. Sides: ab 0, bc 1, ca 2 of facet 0.
        let faces = [[a, b, c], [a, d, b], [b, d, c], [c, d, a]];
        let twins = [[5, 8, 11], [10, 6, 0], [4, 9, 1], [7, 3, 2]];
        for (corners, twins) in faces.into_iter().zip(twins) {
            let facet = self.new_facet(corners);
            self.facets[facet as usize].twins = twins;
        }
        for p in 0..self.points.len() as u32 {
            self.file(p, &[0, 1, 2, 3]);
        }
    }

    /// Adds one point after the other until no point is outside.
    fn run(&mut self) {
        let mut pending: Vec<u32> = (0..self.facets.len() as u32).collect();
        let (mut visible, mut rim, mut fresh) = (Vec::new(), Vec::new(), Vec::new());
        let mut round = 0;
        while let Some(top) = pending.pop() {
            let facet = &self.facets[top as usize];
            if !facet.is_alive || facet.waiting == NONE {
                continue;
            }
            round += 1;
            let apex = facet.farthest;
            self.find_visible(top, apex, round, &mut visible, &mut rim);
            fresh.clear();
            for &side in &rim {
                let (from, to) = self.side_ends(side);
                let outer = self.facets[(side / 3) as usize].twins[(side % 3) as usize];
                let facet = self.new_facet([from, to, apex]);
                self.facets[facet as usize].twins[0] = outer;
                self.facets[(outer / 3) as usize].twins[(outer % 3) as usize] = 3 * facet;
                self.rim_facet[from as usize] = facet;
                fresh.push(facet);
            }
            for &facet in &fresh {
                let to = self.facets[facet as usize].corners[1];
                let follower = self.rim_facet[to as usize];
                self.facets[facet as usize].twins[1] = 3 * follower + 2;
                self.facets[follower as usize].twins[2] = 3 * facet + 1;
            }
            for &old in &visible {
                let facet = &mut self.facets[old as usize];
                facet.is_alive = false;
                let mut p = core::mem::replace(&mut facet.waiting, NONE);
                while p != NONE {
                    let after = self.next[p as usize];
                    if p != apex {
                        self.file(p, &fresh);
                    }
                    p = after;
                }
            }
            self.free.extend_from_slice(&visible);
            pending.extend(fresh.iter().filter(|&&f| self.facets[f as usize].waiting != NONE));
        }
    }

    fn finish(self) -> Triangulation {
        let mut number = vec![NONE; self.facets.len()];
        let mut n_alive = 0;
        for (facet, number) in self.facets.iter().zip(&mut number) {
            if facet.is_alive {
                *number = n_alive;
                n_alive += 1;
            }
        }
        let alive = || self.facets.iter().filter(|f| f.is_alive);
        Triangulation {
            triangles: alive().map(|f| f.corners).collect(),
            twins: alive().map(|f| f.twins.map(|side| 3 * number[(side / 3) as usize] + side % 3)).collect(),
            n_tests: self.n_tests,
        }
    }

    fn new_facet(&mut self, corners: [u32; 3]) -> u32 {
        let [a, b, c] = corners.map(|p| self.points[p as usize]);
        let (u, v) = (b - a, c - a);
        let facet = Facet {
            corners,
            twins: [NONE; 3],
            normal: u.cross(v),
            // Eight roundings in each of the six products, whose sum is at most this product of
            // sums. The loss by underflow is far below the least normal number.
            error: 8.0 * f64::EPSILON * u.abs().element_sum() * v.abs().element_sum() * self.extent
                + 64.0 * f64::MIN_POSITIVE,
            waiting: NONE,
            farthest: NONE,
            farthest_height: 0.0,
            is_alive: true,
            visible_in: 0,
        };
        match self.free.pop() {
            Some(slot) => {
                self.facets[slot as usize] = facet;
                slot
            }
            None => {
                self.facets.push(facet);
                self.facets.len() as u32 - 1
            }
        }
    }

    /// Returns the height above the facet's plane, in units of the facet, if the point is strictly
    /// above it.
    #[inline]
    fn height_if_visible(&self, facet: u32, p: u32) -> Option<f64> {
        let f = &self.facets[facet as usize];
        let point = self.points[p as usize];
        let [a, b, c] = f.corners;
        let a = self.points[a as usize];
        let height = f.normal.dot(point - a);
        if f.error < height.abs() {
            return (0.0 < height).then_some(height);
        }
        // In doubt: exact sign.
        (orient3d(a, self.points[b as usize], self.points[c as usize], point) < 0.0)
            .then_some(height.max(0.0))
    }

    /// Stores the point with the first of the facets that it sees.
    fn file(&mut self, p: u32, facets: &[u32]) {
        for &facet in facets {
            self.n_tests += 1;
            let Some(height) = self.height_if_visible(facet, p) else { continue };
            let f = &mut self.facets[facet as usize];
            self.next[p as usize] = f.waiting;
            f.waiting = p;
            let is_farther = f.farthest == NONE
                || f.farthest_height < height
                // Equal heights: the last one in coordinate order is at a corner, not inside a
                // side.
                || f.farthest_height == height
                    && is_after(self.points[p as usize], self.points[f.farthest as usize]);
            if is_farther {
                (f.farthest, f.farthest_height) = (p, height);
            }
            return;
        }
    }

    /// Fills `visible` with the facets that the point sees, and `rim` with their sides to facets
    /// that it does not see.
    fn find_visible(
        &mut self,
        first: u32,
        apex: u32,
        round: u32,
        visible: &mut Vec<u32>,
        rim: &mut Vec<u32>,
    ) {
        visible.clear();
        rim.clear();
        visible.push(first);
        self.facets[first as usize].visible_in = round;
        let mut at = 0;
        while at < visible.len() {
            let facet = visible[at];
            at += 1;
            for i in 0..3 {
                let neighbour = self.facets[facet as usize].twins[i] / 3;
                if self.facets[neighbour as usize].visible_in == round {
                    continue;
                }
                self.n_tests += 1;
                if self.height_if_visible(neighbour, apex).is_some() {
                    self.facets[neighbour as usize].visible_in = round;
                    visible.push(neighbour);
                } else {
                    rim.push(3 * facet + i as u32);
                }
            }
        }
    }

    #[inline]
    fn side_ends(&self, side: u32) -> (u32, u32) {
        let corners = &self.facets[(side / 3) as usize].corners;
        (corners[(side % 3) as usize], corners[((side + 1) % 3) as usize])
    }
}

/// Whether `p` comes after `q` in the order by x, then y, then z.
fn is_after(p: DVec3, q: DVec3) -> bool {
    (q.x, q.y, q.z) < (p.x, p.y, p.z)
}

/// Returns four points that span a volume, the fourth below the first three. A quick search makes
/// the volume large.
fn first_simplex(points: &[DVec3]) -> Result<[u32; 4], FlatPoints> {
    // The two farthest apart among the extremes along the axes.
    let mut extremes = [0_usize; 6];
    for (i, p) in points.iter().enumerate() {
        for axis in 0..3 {
            // Ties go by the other coordinates, so that the extreme is a corner of the hull.
            let key = |p: DVec3| (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]);
            if key(*p) < key(points[extremes[2 * axis]]) {
                extremes[2 * axis] = i;
            }
            if key(points[extremes[2 * axis + 1]]) < key(*p) {
                extremes[2 * axis + 1] = i;
            }
        }
    }
    let (mut a, mut b, mut span) = (0, 0, 0.0);
    for &i in &extremes {
        for &j in &extremes {
            let distance_sq = (points[j] - points[i]).length_squared();
            if span < distance_sq {
                (a, b, span) = (i, j, distance_sq);
            }
        }
    }
    if a == b {
        // All extremes are equal: all points coincide.
        return Err(FlatPoints::Point(0));
    }
    // The farthest from their line; if rounding leaves doubt, any point off the line.
    let along = points[b] - points[a];
    let c = farthest(points, |p| along.cross(p - points[a]).length_squared());
    let is_off_line = |p: DVec3| !collinear(points[a], points[b], p);
    let c = if is_off_line(points[c]) {
        c
    } else {
        match points.iter().position(|&p| is_off_line(p)) {
            Some(c) => c,
            None => return Err(FlatPoints::Segment(a as u32, b as u32)),
        }
    };
    // The farthest from their plane; if rounding leaves doubt, any point off the plane.
    let normal = along.cross(points[c] - points[a]);
    let d = farthest(points, |p| normal.dot(p - points[a]).abs());
    let side = |p: DVec3| orient3d(points[a], points[b], points[c], p);
    let d = if side(points[d]) != 0.0 {
        d
    } else {
        match points.iter().position(|&p| side(p) != 0.0) {
            Some(d) => d,
            None => return Err(FlatPoints::Polygon(flat_hull(points, [a, b, c]))),
        }
    };
    let [a, b, c, d] = [a as u32, b as u32, c as u32, d as u32];
    Ok(if 0.0 < side(points[d as usize]) { [a, b, c, d] } else { [a, c, b, d] })
}

/// Returns the first of the points with the largest measure.
fn farthest(points: &[DVec3], measure: impl Fn(DVec3) -> f64) -> usize {
    let (mut best, mut most) = (0, f64::NEG_INFINITY);
    for (i, &p) in points.iter().enumerate() {
        let m = measure(p);
        if most < m {
            (best, most) = (i, m);
        }
    }
    best
}

/// Whether the points lie on a line, exactly: they do in all three projections.
fn collinear(a: DVec3, b: DVec3, c: DVec3) -> bool {
    (0..3).all(|axis| orient2d_along(axis, a, b, c) == 0.0)
}

/// Returns the hull of points in a plane, counter-clockwise in one of the three projections.
///
/// Reference: A. M. Andrew, Another Efficient Algorithm for Convex Hulls in Two Dimensions, 1979.
fn flat_hull(points: &[DVec3], [a, b, c]: [usize; 3]) -> Vec<u32> {
    let axis = (0..3).find(|&axis| orient2d_along(axis, points[a], points[b], points[c]) != 0.0).unwrap_or(2);
    let key = |i: u32| {
        let p = project(axis, points[i as usize]);
        (p.x, p.y)
    };
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.sort_by(|&i, &j| key(i).partial_cmp(&key(j)).unwrap_or(core::cmp::Ordering::Equal).then(i.cmp(&j)));
    let mut hull: Vec<u32> = Vec::new();
    for is_upper in [false, true] {
        let start = hull.len();
        let mut extend = |p: u32| {
            while start + 2 <= hull.len() {
                let (q, r) = (hull[hull.len() - 2], hull[hull.len() - 1]);
                if 0.0 < orient2d_along(axis, points[q as usize], points[r as usize], points[p as usize]) {
                    break;
                }
                hull.pop();
            }
            hull.push(p);
        };
        if is_upper {
            order.iter().rev().for_each(|&p| extend(p));
        } else {
            order.iter().for_each(|&p| extend(p));
        }
        // The last point begins the other chain.
        hull.pop();
    }
    hull
}
