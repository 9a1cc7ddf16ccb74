//! Distance of two convex point sets by trying every pair of features, in `f64`.
//!
//! A hull is given by its supporting triangles and their edges. Triangles and edges inside the
//! hull do no harm, because their points belong to it. So the answer does not depend on a
//! tolerance.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.1 (closest points of points,
//! segments, triangles).

use glam::DVec3;

/// The convex hull of a few points by the definition: every triangle with all points on one side,
/// time n^4.
#[derive(Clone, Debug)]
pub struct BruteHull {
    /// The points, as given.
    pub points: Vec<DVec3>,
    /// Supporting triangles. A face with more corners appears as all triangles of its corners.
    pub triangles: Vec<[usize; 3]>,
    /// Unit normals of the triangles, outward; both for a flat set.
    pub normals: Vec<DVec3>,
    /// Edges of the triangles, diagonals of faces included; all pairs of points if there is no
    /// triangle.
    pub edges: Vec<[usize; 2]>,
}

impl BruteHull {
    /// Returns the hull of at least one point.
    pub fn new(points: &[DVec3]) -> BruteHull {
        let n = points.len();
        let size = points.iter().map(|p| (*p - points[0]).length()).fold(0.0, f64::max);
        let (mut triangles, mut normals) = (Vec::new(), Vec::new());
        let mut is_edge = vec![false; n * n];
        for k in 2..n {
            for j in 1..k {
                for i in 0..j {
                    let Some(normal) = triangle_normal(points[i], points[j], points[k]) else { continue };
                    let heights = || points.iter().map(|p| normal.dot(*p - points[i]));
                    let (low, high) =
                        heights().fold((0.0, 0.0), |(l, h), x| (f64::min(l, x), f64::max(h, x)));
                    // The tolerance is generous: an extra triangle just below the surface is
                    // harmless, a missing one is not.
                    let tolerance = 1e-9 * size;
                    if high <= tolerance || -tolerance <= low {
                        triangles.push([i, j, k]);
                        if high <= tolerance {
                            normals.push(normal);
                        }
                        if -tolerance <= low {
                            normals.push(-normal);
                        }
                        for (x, y) in [(i, j), (i, k), (j, k)] {
                            is_edge[x * n + y] = true;
                        }
                    }
                }
            }
        }
        if triangles.is_empty() {
            is_edge.fill(true);
        }
        let edges = (0..n)
            .flat_map(|i| (i + 1..n).map(move |j| [i, j]))
            .filter(|e| is_edge[e[0] * n + e[1]])
            .collect();
        BruteHull { points: points.to_vec(), triangles, normals, edges }
    }

    /// Returns the hull with transformed points and normals.
    pub fn map(&self, position_of: impl Fn(DVec3) -> DVec3, turn: impl Fn(DVec3) -> DVec3) -> BruteHull {
        BruteHull {
            points: self.points.iter().map(|p| position_of(*p)).collect(),
            triangles: self.triangles.clone(),
            normals: self.normals.iter().map(|n| turn(*n)).collect(),
            edges: self.edges.clone(),
        }
    }

    /// Whether it has no volume: a polygon, a segment or a point.
    pub fn is_flat(&self) -> bool {
        self.normals.len() != self.triangles.len() || self.triangles.is_empty()
    }

    fn triangle(&self, i: usize) -> [DVec3; 3] {
        self.triangles[i].map(|v| self.points[v])
    }

    fn edge(&self, i: usize) -> [DVec3; 2] {
        self.edges[i].map(|v| self.points[v])
    }
}

/// Returns the unit normal from the two shortest edges; `None` for a triangle without area.
fn triangle_normal(a: DVec3, b: DVec3, c: DVec3) -> Option<DVec3> {
    let mut edges = [b - a, c - b, a - c];
    let full = edges[0].cross(edges[1]);
    edges.sort_by(|x, y| x.length_squared().total_cmp(&y.length_squared()));
    let n = edges[0].cross(edges[1]);
    let n = if n.dot(full) < 0.0 { -n } else { n };
    let bound = edges[0].length() * edges[1].length();
    (n.length() > 1e-14 * bound).then(|| n.normalize())
}

/// Returns the distance and the nearest points of the surfaces of two hulls in one frame. It is
/// the distance of the solids if they are apart.
pub fn surface_distance(a: &BruteHull, b: &BruteHull) -> (f64, DVec3, DVec3) {
    let mut best = (f64::INFINITY, DVec3::ZERO, DVec3::ZERO);
    let mut offer = |pa: DVec3, pb: DVec3| {
        let d = pa.distance(pb);
        if d < best.0 {
            best = (d, pa, pb);
        }
    };
    for &p in &a.points {
        for &q in &b.points {
            offer(p, q);
        }
    }
    for i in 0..a.edges.len() {
        for j in 0..b.edges.len() {
            let (p, q) = segment_segment(a.edge(i), b.edge(j));
            offer(p, q);
        }
        for &q in &b.points {
            offer(point_segment(q, a.edge(i)), q);
        }
    }
    for j in 0..b.edges.len() {
        for &p in &a.points {
            offer(p, point_segment(p, b.edge(j)));
        }
    }
    for i in 0..a.triangles.len() {
        for &q in &b.points {
            if let Some(p) = point_triangle_inside(q, a.triangle(i)) {
                offer(p, q);
            }
        }
    }
    for j in 0..b.triangles.len() {
        for &p in &a.points {
            if let Some(q) = point_triangle_inside(p, b.triangle(j)) {
                offer(p, q);
            }
        }
    }
    best
}

/// Returns the point of a segment nearest to `p`.
pub fn point_segment(p: DVec3, [a, b]: [DVec3; 2]) -> DVec3 {
    let e = b - a;
    let ee = e.length_squared();
    if ee == 0.0 {
        return a;
    }
    let t = (p - a).dot(e) / ee;
    if t <= 0.0 {
        a
    } else if t < 1.0 {
        a + e * t
    } else {
        b
    }
}

/// Returns the nearest points of two segments: interior to both, or an end of one of them.
pub fn segment_segment(p: [DVec3; 2], q: [DVec3; 2]) -> (DVec3, DVec3) {
    let mut best = (p[0], point_segment(p[0], q));
    let mut offer = |x: DVec3, y: DVec3| {
        if x.distance_squared(y) < best.0.distance_squared(best.1) {
            best = (x, y);
        }
    };
    offer(p[1], point_segment(p[1], q));
    for end in q {
        offer(point_segment(end, p), end);
    }
    let (u, v, r) = (p[1] - p[0], q[1] - q[0], q[0] - p[0]);
    let n = u.cross(v);
    let nn = n.length_squared();
    if nn > 0.0 {
        let (s, t) = (r.cross(v).dot(n) / nn, r.cross(u).dot(n) / nn);
        if 0.0 < s && s < 1.0 && 0.0 < t && t < 1.0 {
            offer(p[0] + u * s, q[0] + v * t);
        }
    }
    best
}

/// Returns the projection of `p` on a triangle, if it falls inside.
pub fn point_triangle_inside(p: DVec3, [a, b, c]: [DVec3; 3]) -> Option<DVec3> {
    let n = triangle_normal(a, b, c)?;
    let q = p - n * n.dot(p - a);
    let inside = |x: DVec3, y: DVec3| 0.0 <= n.dot((y - x).cross(q - x));
    (inside(a, b) && inside(b, c) && inside(c, a)).then_some(q)
}
