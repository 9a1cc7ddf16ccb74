//! An approximate contact from the deepest overlapping volumes, for a body that cannot wait for
//! the search.
//!
//! - The point is the mean of the midpoints between the balls around overlapping volumes. The
//!   midpoints lie along the curve in which two surfaces cross.
//! - If the curve is nearly planar, and wider than the volumes, the normal is that of the plane.
//!   Otherwise it is the mean of the directions from centres of A to centres of B, both of volumes
//!   and of whole bodies.
//! - Moving B by the depth along the normal separates all pairs of balls. The depth shrinks with
//!   the volumes.
//!
//! Reference: J. Dingliana, C. O'Sullivan, Graceful Degradation of Collision Handling in
//! Physically Based Animation, Eurographics 2000, 4.
//! Differs: it uses the normal of the contact plane if there is one, and balls around any volumes.

use super::pairs::AnytimePairs;
use super::queue::Entry;
use super::search::{AnytimeError, AnytimeSearch};
use super::state::{PairState, volume_of};
use crate::tree::TreeVolume;
use crate::volumes::Volumes8;
use alloc::vec::Vec;
use carom_math::{Mat3, scaling, symmetric_eigen};
use glam::{DMat3, DVec3};

/// The points are planar if the least eigenvalue of their covariance is below this fraction of the
/// next: a convention.
const PLANAR_RATIO: f32 = 0.25;

/// An approximate contact of two bodies, from volumes only, in the frame of A.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ApproximateContact {
    /// The middle of the overlap, a point in the frame of A.
    pub point: DVec3,
    /// Unit vector, from A to B.
    pub normal: DVec3,
    /// If B moves by this length along the normal, the balls around the overlap are apart.
    pub depth: f64,
    /// The number of pairs of volumes in the estimate.
    pub n_volumes: u64,
    /// The largest sum of radii of two of their balls. It bounds the error of the point and the
    /// depth.
    pub size: f64,
}

/// Sums over the deepest overlapping volumes of a pair of trees.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sum {
    deepest: u32,
    n: u64,
    /// The first point. Later points are relative to it, so that their squares keep their digits.
    first: DVec3,
    points: DVec3,
    products: DMat3,
    directions: DVec3,
    radii: f64,
    normal: DVec3,
    depth: f64,
    size: f64,
}

/// The balls around two volumes in the frame of A.
struct Balls {
    center_a: DVec3,
    center_b: DVec3,
    radius_a: f64,
    radius_b: f64,
}

impl Balls {
    fn new<V: TreeVolume>(volume_a: &V, volume_b: &V, state: &PairState) -> Balls {
        let ((center_a, radius_a), (center_b, radius_b)) =
            (V::Volumes8::ball(volume_a), V::Volumes8::ball(volume_b));
        Balls { center_a, center_b: state.b_in_a.transform_point(center_b), radius_a, radius_b }
    }

    fn of<V: TreeVolume>(entry: &Entry, pairs: &impl AnytimePairs<V>, state: &PairState) -> Balls {
        let (a, b) = pairs.trees(entry.pair);
        Balls::new(&volume_of(a, entry.a), &volume_of(b, entry.b), state)
    }

    /// The middle of the lens that both balls share.
    fn point(&self) -> DVec3 {
        let across = self.center_b - self.center_a;
        let apart = across.length();
        let Some(along) = scaling::unit(across) else { return self.center_a };
        self.center_a + along * (0.5 * (apart + self.radius_a - self.radius_b)).clamp(0.0, apart)
    }
}

impl AnytimeSearch {
    /// Writes an approximate contact of each pair of trees to `out`, in their order. It is `None`
    /// if no volumes of the pair are known to overlap. That is so before the pair was begun, and
    /// if it is known to be apart. The trees must be those of the search.
    pub fn contacts<V: TreeVolume>(
        &mut self,
        pairs: &impl AnytimePairs<V>,
        out: &mut Vec<Option<ApproximateContact>>,
    ) -> Result<(), AnytimeError> {
        out.clear();
        let mut sums = core::mem::take(&mut self.sums);
        sums.clear();
        sums.resize(self.states.len(), Sum::default());
        for entry in self.overlapping() {
            if let Some(sum) = sums.get_mut(entry.pair as usize) {
                sum.deepest = sum.deepest.max(entry.level);
            }
        }
        // Breadth first, the waiting entries are of at most two levels. Leaves are the deepest.
        let is_deep =
            |entry: &Entry, sum: &Sum, i: usize| i < self.touching.len() || sum.deepest <= entry.level + 1;
        for (i, entry) in self.touching.iter().chain(self.overlapping()).enumerate() {
            let pair = entry.pair as usize;
            let (Some(sum), Some(state)) = (sums.get_mut(pair), self.states.get(pair)) else { continue };
            if is_deep(entry, sum, i) {
                if sum.n == 0 {
                    self.check(pairs, entry.pair)?;
                }
                sum.add(&Balls::of(entry, pairs, state));
            }
        }
        for (pair, (sum, state)) in sums.iter_mut().zip(&self.states).enumerate() {
            if 0 < sum.n {
                let (a, b) = pairs.trees(pair as u32);
                let whole = Balls::new(&a.bounds, &b.bounds, state);
                sum.normal = sum.normal(whole.center_b - whole.center_a);
            }
        }
        for (i, entry) in self.touching.iter().chain(self.overlapping()).enumerate() {
            let pair = entry.pair as usize;
            let (Some(sum), Some(state)) = (sums.get_mut(pair), self.states.get(pair)) else { continue };
            if is_deep(entry, sum, i) {
                let balls = Balls::of(entry, pairs, state);
                let radii = balls.radius_a + balls.radius_b;
                sum.depth = sum.depth.max(radii - (balls.center_b - balls.center_a).dot(sum.normal));
                sum.size = sum.size.max(radii);
            }
        }
        out.extend(sums.iter().zip(&self.states).map(|(sum, state)| sum.contact(state.unit)));
        out.resize(self.n_pairs as usize, None);
        self.sums = sums;
        Ok(())
    }

    /// Waiting volumes that overlap.
    fn overlapping(&self) -> impl Iterator<Item = &Entry> {
        let is_open = |entry: &&Entry| {
            let state = self.states.get(entry.pair as usize);
            entry.gap_sq == 0.0 && state.is_some_and(|state| state.is_open(entry.gap_sq))
        };
        self.queue.iter().filter(is_open)
    }
}

impl Sum {
    fn add(&mut self, balls: &Balls) {
        let point = balls.point();
        if self.n == 0 {
            self.first = point;
        }
        let p = point - self.first;
        self.n += 1;
        self.points += p;
        self.products += DMat3::from_cols(p * p.x, p * p.y, p * p.z);
        self.directions += balls.center_b - balls.center_a;
        self.radii += balls.radius_a + balls.radius_b;
    }

    /// The normal; `whole` is the vector from the centre of A to that of B.
    fn normal(&self, whole: DVec3) -> DVec3 {
        let mean = self.points / self.n as f64;
        let covariance = self.products * (1.0 / self.n as f64)
            - DMat3::from_cols(mean * mean.x, mean * mean.y, mean * mean.z);
        let largest = covariance.to_cols_array().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let mut plane = None;
        // A plane needs three points.
        if 3 <= self.n && 0.0 < largest {
            let eigen = symmetric_eigen((covariance * (1.0 / largest)).as_mat3());
            let wide = f64::from(eigen.values.y) * largest;
            let radii = self.radii / self.n as f64;
            if eigen.values.x <= PLANAR_RATIO * eigen.values.y && radii * radii <= wide {
                plane = scaling::unit(column(&eigen.vectors));
            }
        }
        // Small volumes on a crossing lie on all sides of each other. Then the centres of the
        // whole bodies decide.
        let straight = scaling::unit(whole).unwrap_or(DVec3::ZERO);
        let across = scaling::unit(self.directions * (2.0 / self.radii.max(f64::MIN_POSITIVE)) + straight);
        let across = across.unwrap_or(DVec3::X);
        let Some(normal) = plane else { return across };
        let side = normal.dot(across);
        if side < 0.0 { -normal } else { normal }
    }

    /// The contact in lengths.
    fn contact(&self, unit: f64) -> Option<ApproximateContact> {
        (0 < self.n).then(|| ApproximateContact {
            point: (self.first + self.points / self.n as f64) / unit,
            normal: self.normal,
            depth: self.depth.max(0.0) / unit,
            n_volumes: self.n,
            size: self.size / unit,
        })
    }
}

/// The axis of the least eigenvalue.
fn column(vectors: &Mat3) -> DVec3 {
    vectors.x_axis.as_dvec3()
}
