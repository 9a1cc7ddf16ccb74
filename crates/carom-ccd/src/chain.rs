//! Links in joints, such as a robot arm, a digger, or a door on its hinge. Each link moves relative
//! to its parent.
//!
//! A joint rotates or slides at a constant rate. The position of a point is a sum of vectors, one
//! for each joint and one for the point. Each is rotated by all joints before it.
//!
//! - Let a vector of length r be rotated by joints with rates w1, w2, .... Its second derivative is
//!   at most `(w1 + w2 + ...)^2 r`.
//! - If it also grows at the rate v, add `2 (w1 + w2 + ...) v`.
//! - The sum bounds the acceleration of the point in any configuration.
//!
//! Two links of a chain are seen from their nearest common ancestor, whose motion does not affect
//! their distance.
//!
//! Reference: X. Zhang, S. Redon, M. Lee, Y. Kim, Continuous Collision Detection for Articulated
//! Models using Taylor Models and Temporal Culling, SIGGRAPH 2007, 4; M. Tang, Y. Kim, D. Manocha,
//! C2A, ICRA 2009 (bounds of links, summed up).
//! Differs: bounds of accelerations instead of speeds.

use crate::chord::UNIT;
use crate::path::{Path, path_time_of_impact};
use crate::{ImpactSettings, Motion, Proposal, TimeOfImpact};
use alloc::vec::Vec;
use carom_geom::SupportMap;
use carom_math::{WidePose, ops, scaling, tol};
use core::fmt;
use glam::{DQuat, DVec3};

/// The kind of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum LinkJoint {
    /// The link is fixed. The value of the joint is not used.
    Fixed,
    /// The link rotates about an axis through its origin. The value is in radians.
    Revolute {
        /// A vector of any length except 0, in the frame of the link.
        axis: DVec3,
    },
    /// The link slides along an axis. The value is a length.
    Prismatic {
        /// A vector of any length except 0, in the frame of the link.
        axis: DVec3,
    },
}

/// One link of a chain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// The number of the parent link, less than its own. `None` is the base.
    pub parent: Option<usize>,
    /// The frame of the link in that of its parent, with the joint at 0: orientation and position.
    pub on_parent: (DQuat, DVec3),
    /// The joint to the parent.
    pub joint: LinkJoint,
}

/// The error of a chain or of its motion.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ChainError {
    /// The parent of this link does not come before it.
    Parent {
        /// The number of the link.
        link: usize,
    },
    /// The frame of this link, its axis, or the value or rate of its joint is NaN or infinite.
    NotFinite {
        /// The number of the link.
        link: usize,
    },
    /// The rotation of this link's frame is not a unit quaternion. Its length is too far from 1 to
    /// be a rounding error.
    NotUnit {
        /// The number of the link.
        link: usize,
        /// The length.
        length: f64,
    },
    /// The axis of this link's joint has no length.
    NoAxis {
        /// The number of the link.
        link: usize,
    },
    /// The number of values or rates is not that of the links.
    Count {
        /// The number of links.
        links: usize,
        /// The number of given values or rates.
        given: usize,
    },
    /// The time between two positions is not a positive number.
    Duration(f64),
}

impl fmt::Display for ChainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChainError::Parent { link } => write!(f, "the parent of link {link} does not come before it"),
            ChainError::NotFinite { link } => write!(f, "link {link} has a number that is NaN or infinite"),
            ChainError::NotUnit { link, length } => {
                write!(f, "the rotation of link {link} has length {length}, not 1")
            }
            ChainError::NoAxis { link } => write!(f, "the axis of link {link} has no length"),
            ChainError::Count { links, given } => write!(f, "{given} numbers for {links} links"),
            ChainError::Duration(time) => {
                write!(f, "the time between the positions is {time}, not positive")
            }
        }
    }
}

impl core::error::Error for ChainError {}

/// A tree of links.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    links: Vec<Link>,
}

impl Chain {
    /// Builds a chain from links, parents before their children. The error names the first invalid
    /// link.
    pub fn new(mut links: Vec<Link>) -> Result<Chain, ChainError> {
        for (number, link) in links.iter_mut().enumerate() {
            if link.parent.is_some_and(|parent| number <= parent) {
                return Err(ChainError::Parent { link: number });
            }
            let (rotation, position) = &mut link.on_parent;
            if !(rotation.is_finite() && position.is_finite()) {
                return Err(ChainError::NotFinite { link: number });
            }
            let length = ops::sqrt(rotation.length_squared());
            if !((length - 1.0).abs() <= tol::QUATERNION_LENGTH) {
                return Err(ChainError::NotUnit { link: number, length });
            }
            *rotation *= 1.0 / length;
            if let LinkJoint::Revolute { axis } | LinkJoint::Prismatic { axis } = &mut link.joint {
                if !axis.is_finite() {
                    return Err(ChainError::NotFinite { link: number });
                }
                *axis = scaling::unit(*axis).ok_or(ChainError::NoAxis { link: number })?;
            }
        }
        Ok(Chain { links })
    }

    /// Returns the links. Axes are normalised.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Returns the nearest common ancestor of two links, which may be one of them. `None` is the
    /// base.
    fn common_ancestor(&self, a: usize, b: usize) -> Option<usize> {
        let (mut a, mut b) = (Some(a), Some(b));
        while a != b {
            // The link with the larger number is not an ancestor of the other.
            if b < a {
                a = self.links[a?].parent;
            } else {
                b = self.links[b?].parent;
            }
        }
        a
    }
}

/// The motion of a chain: its base by a motion, each joint at a constant rate.
#[derive(Clone, Debug)]
pub struct ChainMotion<'c> {
    chain: &'c Chain,
    base: Motion,
    values: Vec<f64>,
    rates: Vec<f64>,
}

impl<'c> ChainMotion<'c> {
    /// Builds the motion from the joint values at the time 0 and their rates, one for each link.
    /// The units are radians or lengths, and those per unit of time. Those of fixed joints are not
    /// used, but must be finite.
    pub fn new(
        chain: &'c Chain,
        base: Motion,
        values: &[f64],
        rates: &[f64],
    ) -> Result<ChainMotion<'c>, ChainError> {
        let links = chain.links.len();
        for given in [values.len(), rates.len()] {
            if given != links {
                return Err(ChainError::Count { links, given });
            }
        }
        let is_wrong = |link: &usize| !(values[*link].is_finite() && rates[*link].is_finite());
        if let Some(link) = (0..links).find(is_wrong) {
            return Err(ChainError::NotFinite { link });
        }
        Ok(ChainMotion { chain, base, values: values.to_vec(), rates: rates.to_vec() })
    }

    /// Builds the motion from joint values at the time 0 to values at the time `duration`. A
    /// revolute joint may rotate by more than a full turn.
    pub fn between(
        chain: &'c Chain,
        base: Motion,
        start: &[f64],
        end: &[f64],
        duration: f64,
    ) -> Result<ChainMotion<'c>, ChainError> {
        if !(0.0 < duration && duration.is_finite()) {
            return Err(ChainError::Duration(duration));
        }
        let links = chain.links.len();
        if let Some(given) = [start.len(), end.len()].into_iter().find(|&given| given != links) {
            return Err(ChainError::Count { links, given });
        }
        let rates: Vec<f64> = start.iter().zip(end).map(|(start, end)| (end - start) / duration).collect();
        ChainMotion::new(chain, base, start, &rates)
    }

    /// Returns the path of a link, or `None` if there is no such link.
    pub fn link(&self, number: usize) -> Option<LinkPath<'_>> {
        (number < self.chain.links.len()).then_some(LinkPath { motion: self, number, frame: Frame::Outer })
    }

    /// Returns the first time at which two links of the chain come within the target distance, by
    /// [`path_time_of_impact`]. `None` if there is no such link, or if they are the same.
    ///
    /// Links that share a joint usually overlap there, so the caller selects the pairs.
    pub fn links_time_of_impact<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
        &self,
        (link_a, a): (usize, &A),
        (link_b, b): (usize, &B),
        settings: &ImpactSettings,
        propose: impl FnMut(&WidePose, f64) -> Proposal,
    ) -> Option<TimeOfImpact> {
        let (path_a, path_b) = (self.link(link_a)?, self.link(link_b)?);
        if link_a == link_b {
            return None;
        }
        let frame = self.chain.common_ancestor(link_a, link_b).map_or(Frame::Base, Frame::Link);
        let [path_a, path_b] = [path_a, path_b].map(|path| LinkPath { frame, ..path });
        let mut answer = path_time_of_impact(a, &path_a, b, &path_b, settings, propose);
        if let TimeOfImpact::Hit(impact) = &mut answer {
            let frame = self.pose_of(frame, impact.t_hi);
            impact.point_a = frame.transform_point(impact.point_a);
            impact.point_b = frame.transform_point(impact.point_b);
            impact.normal = frame.transform_vector(impact.normal);
        }
        Some(answer)
    }

    /// Returns a frame in the outer frame.
    fn pose_of(&self, frame: Frame, t: f64) -> WidePose {
        match frame {
            Frame::Outer => WidePose::IDENTITY,
            Frame::Base => Motion::pose_at(&self.base, t),
            Frame::Link(number) => LinkPath { motion: self, number, frame: Frame::Outer }.pose_at(t),
        }
    }

    fn value_at(&self, link: usize, t: f64) -> f64 {
        self.values[link] + self.rates[link] * t
    }

    /// Returns the largest absolute value of a joint.
    fn farthest(&self, link: usize, start: f64, end: f64) -> f64 {
        self.value_at(link, start).abs().max(self.value_at(link, end).abs())
    }

    /// Returns the frame of a link in that of its parent.
    fn on_parent(&self, link: usize, t: f64) -> WidePose {
        let Link { on_parent: (rotation, position), joint, .. } = self.chain.links[link];
        let still = WidePose::from_quat(rotation, position);
        let value = self.value_at(link, t);
        let moved = match joint {
            LinkJoint::Fixed => return still,
            LinkJoint::Revolute { axis } => {
                let (sine, cosine) = ops::sin_cos(0.5 * value);
                let turn = axis * sine;
                WidePose::from_quat(DQuat::from_xyzw(turn.x, turn.y, turn.z, cosine), DVec3::ZERO)
            }
            LinkJoint::Prismatic { axis } => WidePose { translation: axis * value, ..WidePose::IDENTITY },
        };
        placed_on(&still, &moved)
    }
}

/// Returns the outer frame of a frame that is given in another one.
fn placed_on(frame: &WidePose, inner: &WidePose) -> WidePose {
    WidePose {
        rotation: frame.rotation * inner.rotation,
        translation: frame.transform_point(inner.translation),
    }
}

/// The frame in which the path of a link is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frame {
    Outer,
    Base,
    /// The frame of an ancestor, or of the link itself.
    Link(usize),
}

/// The path of one link of a moving chain.
#[derive(Clone, Copy, Debug)]
pub struct LinkPath<'m> {
    motion: &'m ChainMotion<'m>,
    number: usize,
    frame: Frame,
}

impl LinkPath<'_> {
    /// Iterates over the link and its ancestors, up to the frame of the path.
    fn upwards(&self) -> impl Iterator<Item = usize> + '_ {
        let next = move |link: &usize| self.motion.chain.links[*link].parent;
        core::iter::successors(Some(self.number), next).take_while(|link| self.frame != Frame::Link(*link))
    }
}

impl Path for LinkPath<'_> {
    fn pose_at(&self, t: f64) -> WidePose {
        let mut pose = WidePose::IDENTITY;
        for link in self.upwards() {
            pose = placed_on(&self.motion.on_parent(link, t), &pose);
        }
        if self.frame == Frame::Outer { placed_on(&self.motion.pose_of(Frame::Base, t), &pose) } else { pose }
    }

    fn acceleration(&self, reach: f64, start: f64, end: f64) -> f64 {
        // Upwards: each joint rotates all vectors below it. `reach` is the sum of their lengths.
        let (mut reach, mut max_speed, mut max_acceleration) = (reach, 0.0, 0.0);
        let turn = |rate: f64, (reach, max_speed, max_acceleration): (f64, &mut f64, &mut f64)| {
            *max_acceleration += 2.0 * rate * *max_speed + rate * rate * reach;
            *max_speed += rate * reach;
        };
        for link in self.upwards() {
            let rate = self.motion.rates[link].abs();
            match self.motion.chain.links[link].joint {
                LinkJoint::Fixed => {}
                LinkJoint::Revolute { .. } => turn(rate, (reach, &mut max_speed, &mut max_acceleration)),
                LinkJoint::Prismatic { .. } => {
                    reach += self.motion.farthest(link, start, end);
                    max_speed += rate;
                }
            }
            reach += scaling::length(self.motion.chain.links[link].on_parent.1);
        }
        if self.frame == Frame::Outer {
            reach += scaling::length(self.motion.base.local_center());
            turn(scaling::length(self.motion.base.angular()), (reach, &mut max_speed, &mut max_acceleration));
        }
        max_acceleration * (1.0 + 64.0 * UNIT)
    }

    fn rounding(&self, reach: f64, start: f64, end: f64) -> f64 {
        // The error of each frame: about forty roundings of the lengths below it, and the roundings
        // of its angle.
        let (mut arm, mut sum) = (reach, 80.0 * reach);
        for link in self.upwards() {
            let value = self.motion.farthest(link, start, end);
            match self.motion.chain.links[link].joint {
                LinkJoint::Fixed => {}
                LinkJoint::Revolute { .. } => sum += 8.0 * value * arm,
                LinkJoint::Prismatic { .. } => arm += value,
            }
            arm += scaling::length(self.motion.chain.links[link].on_parent.1);
            sum += 80.0 * arm;
        }
        let of_base =
            if self.frame == Frame::Outer { self.motion.base.rounding(arm, start, end) } else { 0.0 };
        UNIT * sum + of_base
    }
}
