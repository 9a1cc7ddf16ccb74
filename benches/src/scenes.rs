//! Scenes of pairs of shapes with their poses: pairs of hulls, and primitives near each other.
//!
//! Everything is computed in `f64` and rounded once, and every program gets the same rounded
//! numbers.

use carom_math::Pose;
use carom_scenes::{HULL_RADII, Rng, hull_points};
use glam::{DQuat, DVec3};

/// Hulls of one size, all of whose points are vertices.
pub struct Hulls {
    /// The points of each hull, representable in `f32`.
    pub points: Vec<Vec<DVec3>>,
}

/// Two hulls of a list, and the pose of the second in the frame of the first.
#[derive(Clone, Copy, Debug)]
pub struct HullPair {
    /// The first hull.
    pub a: usize,
    /// The second.
    pub b: usize,
    /// B in A's frame.
    pub b_in_a: Pose,
}

impl Hulls {
    /// Returns sixteen hulls of `n` vertices on an ellipsoid.
    pub fn new(n: usize, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let points = (0..16)
            .map(|_| hull_points(n, HULL_RADII, &mut rng).iter().map(|p| p.as_vec3().as_dvec3()).collect())
            .collect();
        Self { points }
    }

    /// Returns pairs with a gap of `gap` between their support planes along a random direction.
    pub fn apart(&self, n_pairs: usize, gap: f64, seed: u64) -> Vec<HullPair> {
        let mut rng = Rng::new(seed);
        (0..n_pairs)
            .map(|_| {
                let (a, b, turn, direction) = self.pick(&mut rng);
                let reach = self.reach(a, b, turn, direction);
                HullPair { a, b, b_in_a: rounded(turn, direction * (reach + gap)) }
            })
            .collect()
    }

    /// Returns pairs in which B moves in along a random direction until it touches A, and then by
    /// `depth`. `touches` returns whether a pair touches.
    pub fn pushed(
        &self,
        n_pairs: usize,
        depth: f64,
        seed: u64,
        mut touches: impl FnMut(&HullPair) -> bool,
    ) -> Vec<HullPair> {
        let mut rng = Rng::new(seed);
        (0..n_pairs)
            .map(|_| {
                let (a, b, turn, direction) = self.pick(&mut rng);
                let (mut inside, mut outside) = (0.0, self.reach(a, b, turn, direction));
                for _ in 0..40 {
                    let middle = 0.5 * (inside + outside);
                    if touches(&HullPair { a, b, b_in_a: rounded(turn, direction * middle) }) {
                        inside = middle;
                    } else {
                        outside = middle;
                    }
                }
                HullPair { a, b, b_in_a: rounded(turn, direction * (inside - depth)) }
            })
            .collect()
    }

    /// Returns sixteen runs of `n_steps` poses. Each is of one pair, `gap` apart, and B turns by
    /// half a degree per step.
    pub fn sequences(&self, n_steps: usize, gap: f64, seed: u64) -> Vec<Vec<HullPair>> {
        let mut rng = Rng::new(seed);
        (0..16)
            .map(|_| {
                let (a, b, turn, direction) = self.pick(&mut rng);
                let axis = rng.direction();
                // The distance is so large that they stay apart for each rotation of B: the
                // longest radius is 1.
                let position = direction * (self.reach(a, b, turn, direction) + gap);
                (0..n_steps)
                    .map(|step| {
                        let angle = (0.5 * step as f64).to_radians();
                        let turn = DQuat::from_axis_angle(axis, angle) * turn;
                        HullPair { a, b, b_in_a: rounded(turn, position) }
                    })
                    .collect()
            })
            .collect()
    }

    fn pick(&self, rng: &mut Rng) -> (usize, usize, DQuat, DVec3) {
        (rng.below(self.points.len()), rng.below(self.points.len()), rng.rotation(), rng.direction())
    }

    /// Returns the distance of B along `direction` at which the support planes touch.
    fn reach(&self, a: usize, b: usize, turn: DQuat, direction: DVec3) -> f64 {
        let most = |points: &[DVec3], direction: DVec3| {
            points.iter().map(|p| p.dot(direction)).fold(f64::NEG_INFINITY, f64::max)
        };
        most(&self.points[a], direction) + most(&self.points[b], turn.inverse() * -direction)
    }
}

/// Returns runs of sixteen poses each, 0.1 degrees and 0.001 apart. B is 0.45 to 0.95 from A, with
/// a random rotation.
pub fn primitive_runs(n_runs: usize, seed: u64) -> Vec<Vec<Pose>> {
    let mut rng = Rng::new(seed);
    (0..n_runs)
        .map(|_| {
            let position = rng.direction() * rng.range(0.45, 0.95);
            let (turn, axis, direction) = (rng.rotation(), rng.direction(), rng.direction());
            (0..16)
                .map(|step| {
                    let turn = DQuat::from_axis_angle(axis, (0.1 * f64::from(step)).to_radians()) * turn;
                    rounded(turn, position + direction * (0.001 * f64::from(step)))
                })
                .collect()
        })
        .collect()
}

/// Returns a pose rounded to `f32`, which every program gets.
pub fn rounded(rotation: DQuat, translation: DVec3) -> Pose {
    Pose::new(rotation.as_quat(), translation.as_vec3())
}
