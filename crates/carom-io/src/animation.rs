//! Animations: keys over time, and the values between them.
//!
//! 1. A channel drives one property of one node by keys at times that do not descend, in seconds.
//! 2. `Step` keeps the value of the last key, `Linear` goes straight, and rotations by slerp the
//!    short way. `CubicSpline` is a Hermite spline, whose tangents count per second.
//! 3. Before the first key its value holds, and after the last key its value.
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
    /// In the words of the format.
    pub fn name(self) -> &'static str {
        match self {
            Property::Translation => "translation",
            Property::Rotation => "rotation",
            Property::Scale => "scale",
            Property::Weights => "weights",
        }
    }
}

/// How values follow between two keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpolation {
    /// The value of the earlier key.
    Step,
    /// On a straight line; rotations at a constant rate.
    Linear,
    /// A spline through the values, with a tangent on both sides of each key.
    CubicSpline,
}

/// The keys of one property of one node.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    pub(crate) node: usize,
    pub(crate) property: Property,
    pub(crate) interpolation: Interpolation,
    /// Seconds; at least one.
    pub(crate) times: Arc<Vec<f64>>,
    /// For each key its numbers; those of a spline are the tangent before, the value, the tangent
    /// after. All are finite.
    pub(crate) values: Arc<Vec<f64>>,
}

impl Channel {
    /// The number of the node in [`AnimatedModel::nodes`](crate::AnimatedModel::nodes).
    pub fn node(&self) -> usize {
        self.node
    }

    /// What it drives.
    pub fn property(&self) -> Property {
        self.property
    }

    /// How values follow between two keys.
    pub fn interpolation(&self) -> Interpolation {
        self.interpolation
    }

    /// The times of the keys in seconds, none before the one in front of it.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Sets `out` to the value at a time in seconds. A NaN counts as a time before the first key.
    pub fn sample_into(&self, seconds: f64, out: &mut Vec<f64>) {
        out.clear();
        // The keys from here on are later.
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

    /// The numbers of a key; of a spline three times those of a value.
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

/// From one unit quaternion to another the short way, at a constant rate.
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

/// A quaternion with the length 1. Zeros turn nothing; what is not finite stays so.
pub(crate) fn unit_rotation(rotation: [f64; 4]) -> [f64; 4] {
    let length = DQuat::from_array(rotation).length();
    if length == 0.0 {
        return [0.0, 0.0, 0.0, 1.0];
    }
    if length.is_finite() { rotation.map(|x| x / length) } else { rotation }
}

/// Channels with a name that play together.
#[derive(Clone, Debug, PartialEq)]
pub struct Animation {
    pub(crate) number: usize,
    pub(crate) name: Option<String>,
    pub(crate) channels: Vec<Channel>,
}

impl Animation {
    /// Its number in the file.
    pub fn number(&self) -> usize {
        self.number
    }

    /// The name, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// No two drive the same property of a node.
    pub fn channels(&self) -> &[Channel] {
        &self.channels
    }

    /// The time of its last key in seconds; 0 without a channel.
    pub fn end(&self) -> f64 {
        self.channels.iter().filter_map(|channel| channel.times.last()).fold(0.0, |end, t| end.max(*t))
    }
}
