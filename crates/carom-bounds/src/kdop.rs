//! Discrete oriented polytopes: intersections of K/2 slabs in fixed directions.
//!
//! Directions have components -1, 0 and 1, so an offset is a sum of coordinates. A test is K exact
//! comparisons. A merge is K maxima, and exact. Rotation is expensive: it computes and rotates the
//! vertices.
//!
//! Reference: J. Klosowski, M. Held, J. Mitchell, H. Sowizral, K. Zikan, Efficient Collision
//! Detection Using Bounding Volume Hierarchies of k-DOPs, 1998; Akenine-Moller et al., Real-Time
//! Rendering, 4th ed., 22.2 and 25.2.3.
//! Differs: each half-space has its own offset, with the sign of its own direction.

use crate::Aabb;
use crate::kdop_turn::{Code, bound_along};
use crate::kdop_vertices::Polytope;
use crate::outward::{LENGTH, UNDERFLOW, size_of, sum_up, sum3_up};
use crate::volume::BoundingVolume;
use carom_math::ops::sqrt;
use carom_math::{WidePose, rounding};
use glam::{DVec3, Vec3};

/// All x with `d . x <= offset` for K directions d: those of [`Slabs::DIRECTIONS`], then their
/// negatives. K is 6, 14, 18 or 26.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct KDop<const K: usize> {
    /// The offset along each direction, in units of the direction's length. All are minus infinity
    /// in `EMPTY`.
    #[cfg_attr(feature = "serde", serde(with = "crate::array_serde"))]
    pub offsets: [f32; K],
}

/// The directions of a k-DOP.
pub trait Slabs: sealed::Sealed {
    /// K/2 directions with components -1, 0 and 1, no two of them parallel; the axes come first.
    const DIRECTIONS: &'static [[i8; 3]];

    /// The index of each half-space, 255 if there is none. Direction (x, y, z) is at position
    /// 9 (x + 1) + 3 (y + 1) + z + 1.
    const INDEX_OF_DIRECTION: [u8; 27] = index_table(Self::DIRECTIONS);
}

const fn index_table(directions: &[[i8; 3]]) -> [u8; 27] {
    let mut indices = [u8::MAX; 27];
    let mut i = 0;
    while i < directions.len() {
        let d = directions[i];
        // A negated direction is at the mirrored position.
        let from_middle = d[0] as isize * 9 + d[1] as isize * 3 + d[2] as isize;
        indices[(13 + from_middle) as usize] = i as u8;
        indices[(13 - from_middle) as usize] = (i + directions.len()) as u8;
        i += 1;
    }
    indices
}

pub(crate) mod sealed {
    /// Seals [`Slabs`](super::Slabs) to four values of K.
    pub trait Sealed {
        /// The weights of a rotation: [`KDopRotation`](crate::KDopRotation).
        type Weights: Copy + core::fmt::Debug + Send + Sync + AsRef<[[f32; 8]]> + AsMut<[[f32; 8]]>;

        /// All of them 0.
        const NO_WEIGHTS: Self::Weights;
    }
}

/// The axes, and the normals of a cube's corners and edges.
const DIRECTIONS_26: [[i8; 3]; 13] = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [1, 1, 1],
    [1, 1, -1],
    [1, -1, 1],
    [1, -1, -1],
    [1, 1, 0],
    [1, -1, 0],
    [1, 0, 1],
    [1, 0, -1],
    [0, 1, 1],
    [0, 1, -1],
];

/// The axes and the normals of a cube's edges.
const DIRECTIONS_18: [[i8; 3]; 9] =
    [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, -1, 0], [1, 0, 1], [1, 0, -1], [0, 1, 1], [0, 1, -1]];

impl sealed::Sealed for KDop<6> {
    type Weights = [[f32; 8]; 6];

    const NO_WEIGHTS: Self::Weights = [[0.0; 8]; 6];
}

impl sealed::Sealed for KDop<14> {
    type Weights = [[f32; 8]; 84];

    const NO_WEIGHTS: Self::Weights = [[0.0; 8]; 84];
}

impl sealed::Sealed for KDop<18> {
    type Weights = [[f32; 8]; 72];

    const NO_WEIGHTS: Self::Weights = [[0.0; 8]; 72];
}

impl sealed::Sealed for KDop<26> {
    type Weights = [[f32; 8]; 344];

    const NO_WEIGHTS: Self::Weights = [[0.0; 8]; 344];
}

impl Slabs for KDop<6> {
    const DIRECTIONS: &'static [[i8; 3]] = DIRECTIONS_26.split_at(3).0;
}

impl Slabs for KDop<14> {
    const DIRECTIONS: &'static [[i8; 3]] = DIRECTIONS_26.split_at(7).0;
}

impl Slabs for KDop<18> {
    const DIRECTIONS: &'static [[i8; 3]] = &DIRECTIONS_18;
}

impl Slabs for KDop<26> {
    const DIRECTIONS: &'static [[i8; 3]] = &DIRECTIONS_26;
}

/// Returns a direction as a vector.
#[inline]
pub(crate) fn direction(d: [i8; 3]) -> DVec3 {
    DVec3::new(f64::from(d[0]), f64::from(d[1]), f64::from(d[2]))
}

/// Returns the smallest `f32` that is not below `x`. NaN gives infinity, because a sum beyond the
/// range of `f64` is undetermined.
#[inline]
fn up_or_endless(x: f64) -> f32 {
    if x.is_nan() { f32::INFINITY } else { rounding::up(x) }
}

/// Returns the extent of a point along a direction, rounded up; exact along the axes.
#[inline]
fn reach(d: [i8; 3], p: DVec3) -> f32 {
    sum3_up(f64::from(d[0]) * p.x, f64::from(d[1]) * p.y, f64::from(d[2]) * p.z)
}

impl<const K: usize> KDop<K>
where
    KDop<K>: Slabs,
{
    /// Returns the direction of half-space `i`, below K.
    #[inline]
    pub(crate) fn normal(i: usize) -> [i8; 3] {
        let d = Self::DIRECTIONS;
        if i < d.len() { d[i] } else { d[(i - d.len()) % d.len()].map(|x| -x) }
    }

    /// Whether the polytope is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.offsets[0] < -self.offsets[K / 2]
    }

    /// Whether the point lies in the polytope, up to a rounding error of `f64`.
    pub fn contains_point(&self, point: Vec3) -> bool {
        let p = point.as_dvec3();
        // A point's own extent, rounded up, may exceed an offset from other points.
        (0..K).all(|i| {
            let n = direction(Self::normal(i));
            let room = if i % (K / 2) < 3 { 0.0 } else { p.abs().dot(n.abs()) * LENGTH };
            n.dot(p) <= f64::from(self.offsets[i]) + room
        })
    }

    /// Whether it is bounded along each axis.
    fn is_bounded(&self) -> bool {
        (0..3).all(|k| self.offsets[k] < f32::INFINITY && self.offsets[K / 2 + k] < f32::INFINITY)
    }

    /// Raises the offsets to contain a point with an error of `room` in each coordinate.
    fn raise(&mut self, p: DVec3, room: f64) {
        for i in 0..K {
            let d = Self::normal(i);
            let n = direction(d);
            let along = n.dot(p);
            let lost = p.abs().dot(n.abs()) * LENGTH + room * n.abs().element_sum();
            if along + lost <= f64::from(self.offsets[i]) {
                continue;
            }
            let reach = if room == 0.0 { reach(d, p) } else { up_or_endless(along + lost) };
            self.offsets[i] = self.offsets[i].max(reach);
        }
    }

    /// Returns the vertices, up to rounding; some occur more than once. The list is empty for an
    /// empty or infinite polytope.
    pub fn vertices(&self) -> alloc::vec::Vec<DVec3> {
        Polytope::of(self).vertices
    }

    /// Returns a k-DOP around this one transformed by a pose, from its half-spaces instead of its
    /// vertices. That is far faster than [`BoundingVolume::placed`], and the result is somewhat
    /// larger.
    ///
    /// Each direction is a non-negative combination of three directions of this polytope, in a few
    /// ways. The same combination of the offsets is a bound (weak duality). The least bound is
    /// used.
    pub fn placed_loosely(&self, pose: &WidePose) -> KDop<K> {
        if self.is_empty() {
            return Self::EMPTY;
        }
        if !(self.is_bounded() && is_finite(pose)) {
            return Self::EVERYTHING;
        }
        let center = self.center().as_dvec3();
        let moved = pose.transform_point(center);
        // Relative to the centre, so that the offsets are small.
        let offset = |code: Code| -> f64 {
            let i = usize::from(Self::INDEX_OF_DIRECTION[code % 27]);
            match self.offsets.get(i) {
                Some(&offset) => f64::from(offset) - direction(Self::normal(i)).dot(center),
                None => f64::INFINITY,
            }
        };
        let size =
            (0..3).map(|k| f64::from(self.offsets[k].abs().max(self.offsets[K / 2 + k].abs()))).sum::<f64>()
                + pose.translation.abs().element_sum();
        // The rounding of a rotation: three products and their sums. The weighted lengths are
        // below 8 times the largest.
        let lost = if size == 0.0 { 0.0 } else { size * (64.0 * f64::EPSILON) + UNDERFLOW };
        let mut placed = Self::EMPTY;
        for i in 0..K {
            let n = direction(Self::normal(i));
            let turned = pose.rotation.transpose() * n;
            placed.offsets[i] = up_or_endless(bound_along(turned, &offset) + n.dot(moved) + lost);
        }
        placed
    }
}

/// Whether all numbers of the pose are finite.
fn is_finite(pose: &WidePose) -> bool {
    pose.rotation.is_finite() && pose.translation.is_finite()
}

impl<const K: usize> BoundingVolume for KDop<K>
where
    KDop<K>: Slabs,
{
    const EMPTY: KDop<K> = KDop { offsets: [f32::NEG_INFINITY; K] };

    const EVERYTHING: KDop<K> = KDop { offsets: [f32::INFINITY; K] };

    fn from_aabb(aabb: &Aabb) -> KDop<K> {
        if aabb.max.x < aabb.min.x {
            return Self::EMPTY;
        }
        let mut found = Self::EMPTY;
        for i in 0..K {
            let d = Self::normal(i);
            // The corner that is farthest along the direction. An axis with component 0 adds
            // nothing.
            let at = |k: usize| match d[k] {
                0 => 0.0,
                1 => f64::from(aabb.max[k]),
                _ => f64::from(-aabb.min[k]),
            };
            found.offsets[i] = sum3_up(at(0), at(1), at(2));
        }
        found
    }

    /// Returns the tight k-DOP, which is unique.
    fn from_points<P: Copy + Into<DVec3>>(points: &[P]) -> KDop<K> {
        let mut found = Self::EMPTY;
        for &p in points {
            let p: DVec3 = p.into();
            if !p.is_finite() {
                return Self::EVERYTHING;
            }
            found.raise(p, 0.0);
        }
        found
    }

    #[inline]
    fn merged(&self, other: &KDop<K>) -> KDop<K> {
        let mut offsets = self.offsets;
        for (mine, &theirs) in offsets.iter_mut().zip(&other.offsets) {
            *mine = mine.max(theirs);
        }
        KDop { offsets }
    }

    fn inflated(&self, margin: f32) -> KDop<K> {
        if !(0.0 < margin) || self.is_empty() {
            return *self;
        }
        let mut found = *self;
        for i in 0..K {
            let n = direction(Self::normal(i));
            let length = sqrt(n.length_squared());
            let length = if length == 1.0 { 1.0 } else { length * (1.0 + LENGTH) };
            found.offsets[i] = sum_up(f64::from(self.offsets[i]), f64::from(margin) * length);
        }
        found
    }

    #[inline]
    fn overlaps(&self, other: &KDop<K>) -> bool {
        let half = K / 2;
        (0..half).all(|i| {
            -other.offsets[half + i] <= self.offsets[i] && -self.offsets[half + i] <= other.offsets[i]
        })
    }

    /// Returns the largest gap between two parallel planes, or between two boxes of planes at
    /// right angles.
    fn distance_lower_bound(&self, other: &KDop<K>) -> f32 {
        if self.is_empty() || other.is_empty() {
            return f32::INFINITY;
        }
        let half = K / 2;
        let mut gaps_sq = [0.0_f64; 13];
        for i in 0..half.min(13) {
            let gap_of = |a: &KDop<K>, b: &KDop<K>| -f64::from(b.offsets[half + i]) - f64::from(a.offsets[i]);
            // Infinite planes leave no gap.
            let gap = gap_of(self, other).max(gap_of(other, self)).max(0.0);
            gaps_sq[i] = gap * gap / direction(Self::normal(i)).length_squared();
        }
        let mut best = gaps_sq[0] + gaps_sq[1] + gaps_sq[2];
        for i in 3..half {
            best = best.max(gaps_sq[i]);
            // An edge normal is perpendicular to one axis and to the other edge normal in its
            // plane, which is next.
            let (d, next) = (Self::normal(i), Self::normal((i + 1) % half));
            if let Some(k) = (0..3).find(|&k| d[k] == 0)
                && next[k] == 0
                && direction(d).dot(direction(next)) == 0.0
            {
                best = best.max(gaps_sq[i] + gaps_sq[(i + 1) % half] + gaps_sq[k]);
            }
        }
        rounding::down(sqrt(best) * (1.0 - LENGTH))
    }

    /// Returns the tight k-DOP around the transformed vertices.
    fn placed(&self, pose: &WidePose) -> KDop<K> {
        if self.is_empty() {
            return Self::EMPTY;
        }
        if !(self.is_bounded() && is_finite(pose)) {
            return Self::EVERYTHING;
        }
        let polytope = Polytope::of(self);
        // Slabs that contradict each other beyond rounding contain nothing; only their box is
        // used.
        if polytope.vertices.is_empty() {
            return Self::from_aabb(&Aabb::placed(&self.to_aabb(), pose));
        }
        let mut found = Self::EMPTY;
        let size = polytope.room + pose.translation.abs().element_sum() * (8.0 * f64::EPSILON);
        for &v in &polytope.vertices {
            // The vertex's own error, rotated, and the rounding of the products.
            let lost = size * 4.0 + v.abs().element_sum() * (8.0 * f64::EPSILON);
            found.raise(pose.transform_point(v), lost);
        }
        found
    }

    fn to_aabb(&self) -> Aabb {
        if self.is_empty() {
            return Aabb::EMPTY;
        }
        let (o, half) = (&self.offsets, K / 2);
        Aabb { min: -Vec3::new(o[half], o[half + 1], o[half + 2]), max: Vec3::new(o[0], o[1], o[2]) }
    }

    /// Returns the centre of the axis-aligned box.
    #[inline]
    fn center(&self) -> Vec3 {
        self.to_aabb().center()
    }

    fn surface_area(&self) -> f32 {
        if self.is_empty() || self.is_bounded() { size_of(Polytope::of(self).area()) } else { f32::INFINITY }
    }

    fn volume(&self) -> f32 {
        if self.is_empty() || self.is_bounded() {
            size_of(Polytope::of(self).volume())
        } else {
            f32::INFINITY
        }
    }

    /// Returns the sum of the widths along all directions, each in units of the direction's
    /// length.
    #[inline]
    fn size_key(&self) -> f32 {
        // Opposite offsets are added in f64, in which sums of finite offsets do not overflow. So
        // the result is not NaN.
        let mut sum = 0.0;
        for i in 0..K / 2 {
            sum += f64::from(self.offsets[i]) + f64::from(self.offsets[K / 2 + i]);
        }
        sum as f32
    }
}
