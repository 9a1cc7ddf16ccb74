//! The time at which two moving polytopes first touch, by dense sampling, as a reference for times
//! of impact.
//!
//! The greatest separation over all candidate axes is computed at evenly spaced times. A local
//! minimum is refined, and the first crossing of 0 is found by bisection. Poses use quaternions
//! and the standard library's sines, which no search under test uses. A time that is found is
//! right. A contact shorter than a sample may be missed.
//!
//! Reference: S. Gottschalk, Separating Axis Theorem, TR96-024, UNC Chapel Hill, 1996; W. Press et
//! al., Numerical Recipes, 3rd ed., 2007, 10.2 (golden section).

use super::convex::BruteHull;
use super::sat::box_corners;
use glam::{DQuat, DVec3};

/// A convex polytope as its corners, the normals of its faces and the directions of its edges.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Corners.
    pub points: Vec<DVec3>,
    /// Unit normals of the faces, one of each opposite pair.
    normals: Vec<DVec3>,
    /// Unit vectors along the edges, one of each parallel family.
    edges: Vec<DVec3>,
    /// Radius of a ball about the origin that contains it.
    radius: f64,
}

impl Figure {
    /// Returns a box with these half extents.
    pub fn cuboid(half: DVec3) -> Figure {
        let points = box_corners(half, |p| p);
        Figure { points, normals: DVec3::AXES.to_vec(), edges: DVec3::AXES.to_vec(), radius: half.length() }
    }

    /// Returns the hull of points that do not lie in one plane.
    pub fn hull(points: &[DVec3]) -> Figure {
        let hull = BruteHull::new(points);
        let different = |all: &mut Vec<DVec3>, v: DVec3| {
            if all.iter().all(|old| old.cross(v).length_squared() > 1e-24) {
                all.push(v);
            }
        };
        let (mut normals, mut edges) = (Vec::new(), Vec::new());
        for &normal in &hull.normals {
            different(&mut normals, normal);
        }
        for edge in &hull.edges {
            different(&mut edges, (points[edge[1]] - points[edge[0]]).normalize());
        }
        let radius = points.iter().map(|p| p.length()).fold(0.0, f64::max);
        Figure { points: points.to_vec(), normals, edges, radius }
    }
}

/// The motion of a body: `x(t) = center + linear * t + turn(angular * t) * rotation * (x -
/// local_center)`.
#[derive(Clone, Copy, Debug)]
pub struct Path {
    /// Orientation at the time 0.
    pub rotation: DQuat,
    /// The point of the body, in its own frame, that moves in a straight line.
    pub local_center: DVec3,
    /// The place of that point at time 0.
    pub center: DVec3,
    /// Its velocity.
    pub linear: DVec3,
    /// The rotation axis times radians per unit of time.
    pub angular: DVec3,
}

impl Path {
    /// Returns the path of a body at rest, with its frame's origin at `center`.
    pub fn fixed(rotation: DQuat, center: DVec3) -> Path {
        Path { rotation, local_center: DVec3::ZERO, center, linear: DVec3::ZERO, angular: DVec3::ZERO }
    }

    /// Returns the orientation, and the place of the frame's origin, at time `t`.
    pub fn at(&self, t: f64) -> (DQuat, DVec3) {
        let rotation = DQuat::from_scaled_axis(self.angular * t) * self.rotation.normalize();
        (rotation, self.center + self.linear * t - rotation * self.local_center)
    }
}

/// Returns the greatest separation of two figures over all candidate axes at time `t`. It is
/// positive exactly if they are apart, and then at most their distance. If the balls around them
/// are apart, it is the distance of the balls. If negative, it is minus the depth.
pub fn gap(a: (&Figure, &Path), b: (&Figure, &Path), t: f64) -> f64 {
    let ((turn_a, at_a), (turn_b, at_b)) = (a.1.at(t), b.1.at(t));
    let between_balls = (at_b - at_a).length() - a.0.radius - b.0.radius;
    if 0.0 < between_balls {
        return between_balls;
    }
    // In A's frame.
    let turn = turn_a.conjugate() * turn_b;
    let shift = turn_a.conjugate() * (at_b - at_a);
    let points_b: Vec<DVec3> = b.0.points.iter().map(|&p| turn * p + shift).collect();
    let edges_b: Vec<DVec3> = b.0.edges.iter().map(|&e| turn * e).collect();
    let mut most = f64::NEG_INFINITY;
    let mut try_axis = |n: DVec3| {
        let range = |points: &[DVec3]| {
            let along = points.iter().map(|p| p.dot(n));
            along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
        };
        let ((low_a, high_a), (low_b, high_b)) = (range(&a.0.points), range(&points_b));
        most = most.max(low_b - high_a).max(low_a - high_b);
    };
    a.0.normals.iter().for_each(|&n| try_axis(n));
    b.0.normals.iter().for_each(|&n| try_axis(turn * n));
    for e in &a.0.edges {
        for f in &edges_b {
            let n = e.cross(*f);
            let length = n.length();
            if length > 1e-9 {
                try_axis(n / length);
            }
        }
    }
    most
}

/// The result of sampling a function of time.
#[derive(Clone, Copy, Debug)]
pub struct SampledMinimum {
    /// The first time found at which it is not above 0.
    pub first: Option<f64>,
    /// The least value found.
    pub least: f64,
}

/// Returns the first time at which `gap` falls to 0 between two times, by `n_samples` intervals.
pub fn first_contact(
    mut gap: impl FnMut(f64) -> f64,
    start: f64,
    end: f64,
    n_samples: usize,
) -> SampledMinimum {
    let time = |i: usize| start + (end - start) * (i as f64 / n_samples as f64);
    let values: Vec<f64> = (0..=n_samples).map(|i| gap(time(i))).collect();
    let mut least = values.iter().fold(f64::INFINITY, |least, &value| least.min(value));
    for i in 0..=n_samples {
        let mut below = (values[i] <= 0.0).then(|| time(i));
        let is_least = 0 < i && i < n_samples && values[i] <= values[i - 1] && values[i] <= values[i + 1];
        // A minimum is refined if the curve could reach 0 between the samples.
        if below.is_none()
            && is_least
            && values[i] < 2.0 * (values[i - 1] - values[i]).max(values[i + 1] - values[i])
        {
            let (t, value) = golden(&mut gap, time(i - 1), time(i + 1));
            least = least.min(value);
            if value <= 0.0 {
                below = Some(t);
            }
        }
        if let Some(mut late) = below {
            // A refined minimum is in the interval before or after this sample.
            let mut early = if i == 0 { start } else { time(i - 1) };
            if gap(early) <= 0.0 {
                return SampledMinimum { first: Some(early), least };
            }
            for _ in 0..80 {
                let middle = 0.5 * (early + late);
                if gap(middle) <= 0.0 {
                    late = middle;
                } else {
                    early = middle;
                }
            }
            return SampledMinimum { first: Some(late), least };
        }
    }
    SampledMinimum { first: None, least }
}

/// Returns a minimum between two times, by golden section search.
fn golden(gap: &mut impl FnMut(f64) -> f64, mut low: f64, mut high: f64) -> (f64, f64) {
    const PART: f64 = 0.618_033_988_749_894_9;
    let (mut x, mut y) = (high - PART * (high - low), low + PART * (high - low));
    let (mut at_x, mut at_y) = (gap(x), gap(y));
    for _ in 0..60 {
        if at_x < at_y {
            (high, y, at_y) = (y, x, at_x);
            x = high - PART * (high - low);
            at_x = gap(x);
        } else {
            (low, x, at_x) = (x, y, at_y);
            y = low + PART * (high - low);
            at_y = gap(y);
        }
    }
    if at_x < at_y { (x, at_x) } else { (y, at_y) }
}
