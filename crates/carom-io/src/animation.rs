//! Animations: keys over time, and the values between them.
//!
//! 1. A channel drives one property of one node by keys. Their times are in seconds and do not
//!    descend.
//! 2. `Step` keeps the value of the last key. `Linear` interpolates linearly, and rotations by
//!    slerp along the shorter arc. `CubicSpline` is a Hermite spline with tangents per second.
//! 3. Before the first key the value of the first key holds; after the last key that of the last.
//!
//! Reference: Khronos Group, glTF 2.0 Specification, 2021, 3.11 and appendix C.

use carom_math::ops::{acos, sin_cos};
use glam::DQuat;
use std::sync::Arc;

/// The property of a node that a channel drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Property {
    /// Three lengths.
    Translation,
    /// A unit quaternion x, y, z, w.
    Rotation,
    /// Three factors.
    Scale,
    /// One number for each morph target of the node's mesh.
    Weights,
}

impl Property {
    /// Returns the name that glTF uses.
    pub fn name(self) -> &'static str {
        match self {
            Property::Translation => "translation",
            Property::Rotation => "rotation",
            Property::Scale => "scale",
            Property::Weights => "weights",
        }
    }
}

/// The interpolation between two keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpolation {
    /// Keeps the value of the earlier key.
    Step,
    /// Interpolates linearly; rotations at a constant angular rate.
    Linear,
    /// A Hermite spline through the values, with one tangent before and one after each key.
    CubicSpline,
}

/// The keys of one property of one node.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    pub(crate) node: usize,
    pub(crate) property: Property,
    pub(crate) interpolation: Interpolation,
    /// In seconds, not descending; at least one.
    pub(crate) times: Arc<Vec<f64>>,
    /// The numbers of each key, all finite. A spline has three values for each key: tangent before,
    /// value, tangent after.
    pub(crate) values: Arc<Vec<f64>>,
}

impl Channel {
    /// Returns the index of the node in [`AnimatedModel::nodes`](crate::AnimatedModel::nodes).
    pub fn node(&self) -> usize {
        self.node
    }

    /// Returns the property that the channel drives.
    pub fn property(&self) -> Property {
        self.property
    }

    /// Returns the interpolation between two keys.
    pub fn interpolation(&self) -> Interpolation {
        self.interpolation
    }

    /// Returns the times of the keys in seconds, not descending.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Sets `out` to the value at a time in seconds. A NaN counts as a time before the first key.
    /// Rotations are unit quaternions.
    pub fn sample_into(&self, seconds: f64, out: &mut Vec<f64>) {
        out.clear();
        // The first key that is later than `seconds`.
        let next = self.times.partition_point(|time| *time <= seconds);
        let last = next.saturating_sub(1);
        if next == 0 || next == self.times.len() || self.interpolation == Interpolation::Step {
            out.extend_from_slice(self.value(last));
        } else {
            let length = self.times[next] - self.times[last];
            let u = (seconds - self.times[last]) / length;
            let (v, w) = (self.value(last), self.value(next));
            match (self.interpolation, self.property) {
                (Interpolation::CubicSpline, _) => {
                    let (b, a) = (self.tangent_after(last), self.tangent_before(next));
                    let (u2, u3) = (u * u, u * u * u);
                    let value = |i: usize| {
                        (2.0 * u3 - 3.0 * u2 + 1.0) * v[i]
                            + length * (u3 - 2.0 * u2 + u) * b[i]
                            + (3.0 * u2 - 2.0 * u3) * w[i]
                            + length * (u3 - u2) * a[i]
                    };
                    out.extend((0..v.len()).map(value));
                }
                (_, Property::Rotation) => out.extend(slerp(v, w, u)),
                _ => out.extend(v.iter().zip(w).map(|(v, w)| v * (1.0 - u) + w * u)),
            }
        }
        if self.property == Property::Rotation {
            let unit = unit_rotation([out[0], out[1], out[2], out[3]]);
            out.copy_from_slice(&unit);
        }
    }

    /// Returns the numbers of a key: three values for a spline, else one.
    fn key(&self, key: usize) -> &[f64] {
        let n = self.values.len() / self.times.len();
        &self.values[n * key..n * (key + 1)]
    }

    fn value(&self, key: usize) -> &[f64] {
        let numbers = self.key(key);
        match self.interpolation {
            Interpolation::CubicSpline => &numbers[numbers.len() / 3..2 * (numbers.len() / 3)],
            _ => numbers,
        }
    }

    fn tangent_before(&self, key: usize) -> &[f64] {
        let numbers = self.key(key);
        &numbers[..numbers.len() / 3]
    }

    fn tangent_after(&self, key: usize) -> &[f64] {
        let numbers = self.key(key);
        &numbers[2 * (numbers.len() / 3)..]
    }
}

/// Interpolates between two unit quaternions along the shorter arc at a constant rate; `u` in
/// 0..=1.
fn slerp(v: &[f64], w: &[f64], u: f64) -> [f64; 4] {
    let dot: f64 = v.iter().zip(w).map(|(v, w)| v * w).sum();
    let angle = acos(dot.abs().min(1.0));
    let (sine, _) = sin_cos(angle);
    let (first, second) = if sine == 0.0 {
        // Equal rotations.
        (1.0 - u, u)
    } else {
        (sin_cos(angle * (1.0 - u)).0 / sine, sin_cos(angle * u).0 / sine)
    };
    // A quaternion and its negative are the same rotation.
    let second = if dot < 0.0 { -second } else { second };
    core::array::from_fn(|i| first * v[i] + second * w[i])
}

/// Normalizes a quaternion. Zeros become the identity; a quaternion that is not finite stays as it
/// is.
pub(crate) fn unit_rotation(rotation: [f64; 4]) -> [f64; 4] {
    let length = DQuat::from_array(rotation).length();
    if length == 0.0 {
        return [0.0, 0.0, 0.0, 1.0];
    }
    if length.is_finite() { rotation.map(|x| x / length) } else { rotation }
}

/// A set of channels that play together, with an optional name.
#[derive(Clone, Debug, PartialEq)]
pub struct Animation {
    pub(crate) number: usize,
    pub(crate) name: Option<String>,
    pub(crate) channels: Vec<Channel>,
}

impl Animation {
    /// Returns its index in the file.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Returns the name, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the channels. No two drive the same property of a node.
    pub fn channels(&self) -> &[Channel] {
        &self.channels
    }

    /// Returns the time of the last key in seconds; 0 without a channel.
    pub fn end(&self) -> f64 {
        self.channels.iter().filter_map(|channel| channel.times.last()).fold(0.0, |end, t| end.max(*t))
    }
}
