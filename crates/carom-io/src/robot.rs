//! The joints of a robot: what moves, between which limits, and where each link is for given
//! values.
//!
//! A robot is a tree of links. The transform of a link is that of the link above it, then the
//! origin of the joint between them, then the motion of the joint. A joint that mimics another has
//! no value of its own.
//!
//! Reference: Open Robotics, URDF XML specification, elements joint, limit and mimic; R. Murray,
//! Z. Li, S. Sastry, A Mathematical Introduction to Robotic Manipulation, 1994, 2.2 (Rodrigues'
//! formula).

use crate::error::{Location, ReadError};
use crate::part::Placement;
use carom_math::ops::sin_cos;
use core::fmt;
use std::collections::HashMap;
use std::path::Path;

/// The accepted excess of a value over a limit, relative to the larger limit, because printing
/// rounds values.
const LIMIT_SLACK: f64 = 1e-9;

/// The axis of a joint whose file gives none.
pub(crate) const USUAL_AXIS: [f64; 3] = [1.0, 0.0, 0.0];

/// The motion that a joint allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RobotJointKind {
    /// No motion.
    Fixed,
    /// A rotation about the axis; values are in radians.
    Revolute,
    /// A translation along the axis; values are in the file's unit of length, which is metres in
    /// URDF.
    Prismatic,
    /// A motion that is not read, such as that of floating and planar joints. The joint stays at
    /// its origin, with a note, but its links are not connected by it.
    Other,
}

/// The rule of a joint that follows another one: `multiplier * value + offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mimic {
    /// The index of the joint that it follows.
    pub joint: usize,
    /// The factor.
    pub multiplier: f64,
    /// The value if the other joint is at zero, in radians or a length.
    pub offset: f64,
}

/// A joint of a robot.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RobotJoint {
    /// Its name in the file.
    pub name: String,
    /// The motion that it allows.
    pub kind: RobotJointKind,
    /// The indices of the links above and below it.
    pub links: [usize; 2],
    /// From the frame of the joint at zero to that of the link above.
    pub origin: Placement,
    /// The unit axis in the frame of the joint; that of x for a joint that does not move and has
    /// no direction.
    pub axis: [f64; 3],
    /// The least and the largest value, in order and finite, if it has limits. A joint that follows
    /// another one may leave its own limits.
    pub limits: Option<[f64; 2]>,
    /// The joint that it follows, if it follows one.
    pub mimic: Option<Mimic>,
}

impl RobotJoint {
    /// Returns the transform of the link below to the frame of the joint at zero.
    fn motion(&self, value: f64) -> Placement {
        let [x, y, z] = self.axis;
        match self.kind {
            RobotJointKind::Fixed | RobotJointKind::Other => Placement::IDENTITY,
            RobotJointKind::Prismatic => {
                let mut moved = Placement::IDENTITY;
                (moved.0[3], moved.0[7], moved.0[11]) = (value * x, value * y, value * z);
                moved
            }
            RobotJointKind::Revolute => {
                let (s, c) = sin_cos(value);
                let v = 1.0 - c;
                #[rustfmt::skip]
                let turned = [
                    c + v * x * x, v * x * y - s * z, v * x * z + s * y, 0.0,
                    v * y * x + s * z, c + v * y * y, v * y * z - s * x, 0.0,
                    v * z * x - s * y, v * z * y + s * x, c + v * z * z, 0.0,
                    0.0, 0.0, 0.0, 1.0,
                ];
                Placement(turned)
            }
        }
    }
}

/// The reason why values of joints are refused.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RobotError {
    /// No joint has this name.
    Unknown {
        /// The name.
        name: String,
        /// The joints that have values.
        known: Vec<String>,
    },
    /// The joint has two values.
    Repeated {
        /// The name of the joint.
        name: String,
    },
    /// The joint does not move.
    Fixed {
        /// The name of the joint.
        name: String,
    },
    /// The joint follows another one.
    Mimics {
        /// The name of the joint.
        name: String,
        /// The name of the one that it follows.
        followed: String,
    },
    /// The value is outside of the limits, or not finite.
    Value {
        /// The name of the joint.
        name: String,
        /// The value, in radians or a length.
        value: f64,
        /// The limits.
        limits: Option<[f64; 2]>,
    },
}

impl fmt::Display for RobotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RobotError::Unknown { name, known } => {
                write!(f, "no joint {name}; joints that move are: {}", known.join(" "))
            }
            RobotError::Repeated { name } => write!(f, "joint {name} has two values"),
            RobotError::Fixed { name } => write!(f, "joint {name} does not move"),
            RobotError::Mimics { name, followed } => {
                write!(f, "joint {name} follows joint {followed} and has no value of its own")
            }
            RobotError::Value { name, value, limits: Some([low, high]) } => {
                write!(f, "joint {name}: {value} is not between its limits {low} and {high}")
            }
            RobotError::Value { name, value, limits: None } => {
                write!(f, "joint {name}: {value} is not finite")
            }
        }
    }
}

impl core::error::Error for RobotError {}

/// The links and joints of a robot.
///
/// ```
/// use carom_io::Format;
///
/// let arm = br#"<robot name="arm">
///   <link name="base"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
///   <link name="hand"><collision><origin xyz="1 0 0"/><geometry><sphere radius="0.1"/></geometry></collision></link>
///   <joint name="shoulder" type="revolute">
///     <parent link="base"/><child link="hand"/><axis xyz="0 0 1"/><limit lower="-2" upper="2"/>
///   </joint>
/// </robot>"#;
/// let mut model = carom_io::parse(arm, Format::Urdf, "arm.urdf".as_ref())?;
/// let values = model.robot.as_ref().unwrap().values(&[("shoulder", core::f64::consts::FRAC_PI_2)])?;
/// model.set_joints(&values)?;
/// let hand = model.parts[1].world_mesh()?;
/// assert!(hand.vertices.iter().all(|v| 0.89 < v.y));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Robot {
    name: String,
    links: Vec<String>,
    /// The index of each link by its name.
    link_numbers: HashMap<String, usize>,
    joints: Vec<RobotJoint>,
    /// The index of each joint by its name.
    joint_numbers: HashMap<String, usize>,
    /// The rule of each joint that mimics; `None` for the other joints.
    rules: Vec<Option<Rule>>,
    /// The joint above each link; `None` for a root.
    above: Vec<Option<usize>>,
    /// The links, each after the one above it.
    order: Vec<usize>,
    /// The link of each part, and the placements of its pieces in the frame of that link.
    parts: Vec<(usize, Vec<Placement>)>,
}

/// The value of a joint as `multiplier * value + offset` of one with a value of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rule {
    leader: usize,
    multiplier: f64,
    offset: f64,
}

/// A joint as it is written in a file.
#[derive(Debug)]
pub(crate) struct RawJoint {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) origin: Placement,
    pub(crate) axis: [f64; 3],
    pub(crate) limits: Option<[f64; 2]>,
    /// The joint that it follows, multiplier, offset.
    pub(crate) mimic: Option<(String, f64, f64)>,
    pub(crate) parent: String,
    pub(crate) child: String,
}

impl RawJoint {
    pub(crate) fn new(name: String, kind: String) -> RawJoint {
        RawJoint {
            name,
            kind,
            origin: Placement::IDENTITY,
            axis: USUAL_AXIS,
            limits: None,
            mimic: None,
            parent: String::new(),
            child: String::new(),
        }
    }

    fn error(&self, path: &Path, reason: impl Into<String>) -> ReadError {
        ReadError::at(path, Location::Item(format!("joint {}", self.name)), reason.into())
    }

    /// Returns the joint between two links, by their indices. `numbers` has the indices of joints.
    ///
    /// Errors: an axis without direction.
    fn joint(
        &self,
        links: [usize; 2],
        numbers: &HashMap<String, usize>,
        path: &Path,
        notes: &mut Vec<String>,
    ) -> Result<RobotJoint, ReadError> {
        let kind = match self.kind.as_str() {
            "fixed" => RobotJointKind::Fixed,
            "revolute" | "continuous" => RobotJointKind::Revolute,
            "prismatic" => RobotJointKind::Prismatic,
            other => {
                let what = if other.is_empty() { "without a type" } else { other };
                notes.push(format!("joint {} is {what} and stays at its origin", self.name));
                RobotJointKind::Other
            }
        };
        let length = self.axis.iter().map(|x| x * x).sum::<f64>().sqrt();
        let axis = match 0.0 < length && length.is_finite() {
            true if length == 1.0 => self.axis,
            true => self.axis.map(|x| x / length),
            false if is_moving(kind) => {
                return Err(self.error(path, format!("the axis {:?} has no direction", self.axis)));
            }
            false => USUAL_AXIS,
        };
        let limits = self.limits.filter(|_| self.kind != "continuous");
        let is_range = |[low, high]: &[f64; 2]| low <= high && low.is_finite() && high.is_finite();
        if let Some([low, high]) = limits.filter(|limits| is_moving(kind) && !is_range(limits)) {
            let name = &self.name;
            notes.push(format!("joint {name}: its limits {low} and {high} are no range and do not count"));
        }
        let mimic = self.mimic.as_ref().and_then(|(followed, multiplier, offset)| {
            let joint = numbers.get(followed).copied();
            if joint.is_none() {
                notes.push(format!("joint {} mimics {followed}, which is not there", self.name));
            }
            joint.map(|joint| Mimic { joint, multiplier: *multiplier, offset: *offset })
        });
        Ok(RobotJoint {
            name: self.name.clone(),
            kind,
            links,
            origin: self.origin,
            axis,
            limits: limits.filter(is_range),
            mimic,
        })
    }
}

impl Robot {
    /// Builds the tree of links. Adds a note for each joint of another type, which stays at its
    /// origin, for limits that are no range, and for each joint that mimics a missing one.
    ///
    /// Errors: two links or two joints of one name, a joint to a link that is not there, a link
    /// below two joints, a cycle, an axis without direction.
    pub(crate) fn new(
        name: String,
        links: Vec<String>,
        texts: &[RawJoint],
        path: &Path,
        notes: &mut Vec<String>,
    ) -> Result<Robot, ReadError> {
        let at_link = |link: &str| Location::Item(format!("link {link}"));
        let mut link_numbers: HashMap<String, usize> = HashMap::new();
        for (i, link) in links.iter().enumerate() {
            if link_numbers.insert(link.clone(), i).is_some() {
                return Err(ReadError::at(path, at_link(link), "is there twice"));
            }
        }
        let mut joint_numbers = HashMap::new();
        for (i, text) in texts.iter().enumerate() {
            if joint_numbers.insert(text.name.clone(), i).is_some() {
                return Err(text.error(path, "is there twice"));
            }
        }
        let mut above = vec![None; links.len()];
        let mut joints = Vec::new();
        for text in texts {
            let find = |name: &str| {
                let link = link_numbers.get(name).copied();
                link.ok_or_else(|| text.error(path, format!("there is no link {name}")))
            };
            let ends = [find(&text.parent)?, find(&text.child)?];
            if above[ends[1]].replace(joints.len()).is_some() {
                return Err(text.error(path, format!("link {} hangs on two joints", text.child)));
            }
            joints.push(text.joint(ends, &joint_numbers, path, notes)?);
        }
        let order = order_of(&joints, &above);
        let mut is_placed = vec![false; links.len()];
        order.iter().for_each(|link| is_placed[*link] = true);
        if let Some(link) = is_placed.iter().position(|is_placed| !is_placed) {
            return Err(ReadError::at(path, at_link(&links[link]), "the joints form a cycle"));
        }
        let roots: Vec<&str> =
            order.iter().filter(|link| above[**link].is_none()).map(|link| links[*link].as_str()).collect();
        if 1 < roots.len() {
            notes.push(format!(
                "no joint is above the links {}: each has its frame at the origin",
                crate::error::shortened(&roots.join(", "), crate::limits::MAX_NAME_CHARS)
            ));
        }
        let rules = rules_of(&joints).map_err(|joint| {
            let location = Location::Item(format!("joint {}", joints[joint].name));
            ReadError::at(path, location, "joints that mimic each other form a cycle")
        })?;
        let parts = Vec::new();
        Ok(Robot { name, links, link_numbers, joints, joint_numbers, rules, above, order, parts })
    }

    /// Adds a part: its link, and the placements of its pieces in the frame of the link.
    pub(crate) fn push_part(&mut self, link: usize, pieces: Vec<Placement>) {
        self.parts.push((link, pieces));
    }

    /// Replaces the placements of the pieces of all parts in the frames of their links.
    pub(crate) fn replace_pieces(&mut self, pieces: impl Iterator<Item = Vec<Placement>>) {
        for (part, pieces) in self.parts.iter_mut().zip(pieces) {
            part.1 = pieces;
        }
    }

    /// Returns the name of the robot; empty if the file gives none.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the names of the links, in the order of the file.
    pub fn links(&self) -> &[String] {
        &self.links
    }

    /// Returns the joints, in the order of the file.
    pub fn joints(&self) -> &[RobotJoint] {
        &self.joints
    }

    /// Returns the index of the link of this name.
    pub fn link(&self, name: &str) -> Option<usize> {
        self.link_numbers.get(name).copied()
    }

    /// Returns the index of the joint of this name.
    pub fn joint(&self, name: &str) -> Option<usize> {
        self.joint_numbers.get(name).copied()
    }

    /// Returns the index of the link of each part of the model.
    pub fn part_links(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.parts.iter().map(|(link, _)| *link)
    }

    /// Returns the index of the joint above a link; `None` for a root.
    pub fn joint_above(&self, link: usize) -> Option<usize> {
        self.above.get(link).copied().flatten()
    }

    /// Returns a value for each joint, in radians, or a length for prismatic joints. A joint that
    /// is not named is at zero; a joint that mimics follows its leader.
    ///
    /// Errors: the first name that is not a joint with a value of its own, or that occurs again, or
    /// the first value that is not finite or outside of its limits.
    pub fn values(&self, named: &[(&str, f64)]) -> Result<Vec<f64>, RobotError> {
        let mut values = vec![0.0; self.joints.len()];
        for (number, (name, value)) in named.iter().enumerate() {
            let joint = self.movable(name)?;
            if named[..number].iter().any(|(other, _)| other == name) {
                return Err(RobotError::Repeated { name: (*name).to_owned() });
            }
            self.check_value(joint, *value)?;
            values[joint] = *value;
        }
        self.set_followers(&mut values);
        Ok(values)
    }

    /// Returns the indices of the joints with a value of their own: those that move and mimic no
    /// other.
    pub fn free_joints(&self) -> impl Iterator<Item = usize> + '_ {
        let is_free = |joint: &RobotJoint| is_moving(joint.kind) && joint.mimic.is_none();
        (0..self.joints.len()).filter(move |at| is_free(&self.joints[*at]))
    }

    /// Returns the same robot, whose joints have no limits: for recorded values, which may be a
    /// little outside of them.
    #[must_use]
    pub fn without_limits(mut self) -> Robot {
        self.joints.iter_mut().for_each(|joint| joint.limits = None);
        self
    }

    /// Checks a value of a joint, in radians or a length.
    ///
    /// Errors: the value is outside of the limits or not finite, or there is no such joint.
    pub fn check_value(&self, joint: usize, value: f64) -> Result<(), RobotError> {
        let Some(RobotJoint { name, limits, .. }) = self.joints.get(joint) else {
            return Err(self.unknown(&joint.to_string()));
        };
        let is_within = limits.is_none_or(|[low, high]| {
            let slack = LIMIT_SLACK * low.abs().max(high.abs());
            low - slack <= value && value <= high + slack
        });
        if is_within && value.is_finite() {
            return Ok(());
        }
        Err(RobotError::Value { name: name.clone(), value, limits: *limits })
    }

    /// Sets the values of joints that mimic from those of the others. `values` has one for each
    /// joint.
    pub fn set_followers(&self, values: &mut [f64]) {
        for (at, rule) in self.rules.iter().enumerate() {
            if let Some(rule) = rule {
                values[at] = rule.multiplier * values[rule.leader] + rule.offset;
            }
        }
    }

    /// Returns the index of the joint of a name, if it has a value of its own.
    fn movable(&self, name: &str) -> Result<usize, RobotError> {
        let at = self.joint(name).ok_or_else(|| self.unknown(name))?;
        let joint = &self.joints[at];
        let name = || joint.name.clone();
        match (joint.mimic, joint.kind) {
            (Some(mimic), _) => {
                let followed = self.joints[mimic.joint].name.clone();
                Err(RobotError::Mimics { name: name(), followed })
            }
            (_, kind) if is_moving(kind) => Ok(at),
            _ => Err(RobotError::Fixed { name: name() }),
        }
    }

    fn unknown(&self, name: &str) -> RobotError {
        let known = self.free_joints().map(|at| self.joints[at].name.clone()).collect();
        RobotError::Unknown { name: name.to_owned(), known }
    }

    /// Returns the placements of the pieces of each part in the frame of its link.
    pub(crate) fn pieces_on_links(&self) -> impl Iterator<Item = &[Placement]> {
        self.parts.iter().map(|(_, pieces)| pieces.as_slice())
    }

    /// Returns the transform of each link to the frame of its root. `values` has one for each
    /// joint, in radians, or a length for prismatic joints; a missing value is zero.
    pub fn link_placements(&self, values: &[f64]) -> Vec<Placement> {
        let mut placed = vec![Placement::IDENTITY; self.links.len()];
        for &link in &self.order {
            if let Some(at) = self.above[link] {
                let joint = &self.joints[at];
                let frame = placed[joint.links[0]].after(&joint.origin);
                let value = values.get(at).copied().unwrap_or(0.0);
                placed[link] = if value == 0.0 { frame } else { frame.after(&joint.motion(value)) };
            }
        }
        placed
    }

    /// Returns the placements of the pieces of each part, for a value of each joint.
    ///
    /// Errors: the first value that is not finite, or so large that a placement overflows.
    pub(crate) fn part_placements(&self, values: &[f64]) -> Result<Vec<Vec<Placement>>, RobotError> {
        let links = self.link_placements(values);
        let of = |(link, pieces): &(usize, Vec<Placement>)| -> Vec<Placement> {
            pieces.iter().map(|piece| links[*link].after(piece)).collect()
        };
        let placed: Vec<Vec<Placement>> = self.parts.iter().map(of).collect();
        let is_finite = |placement: &Placement| placement.0.iter().all(|x| x.is_finite());
        if let Some(at) = placed.iter().position(|pieces| !pieces.iter().all(is_finite)) {
            let bad = values.iter().position(|value| !value.is_finite());
            let bad = bad.or(self.above[self.parts[at].0]).unwrap_or(0);
            let name = self.joints.get(bad).map_or(String::new(), |joint| joint.name.clone());
            let value = values.get(bad).copied().unwrap_or(0.0);
            return Err(RobotError::Value { name, value, limits: None });
        }
        Ok(placed)
    }

    /// Returns the pairs of parts whose links are connected by one joint, fixed or not: lower index
    /// first, sorted. If a link has no part, the next one towards the root takes its place. Joints
    /// of other kinds connect nothing.
    pub fn adjacent_parts(&self) -> Vec<[usize; 2]> {
        let mut parts = vec![Vec::new(); self.links.len()];
        for (part, link) in self.part_links().enumerate() {
            parts[link].push(part);
        }
        // The nearest link above each link that has parts.
        let mut upper = vec![None; self.links.len()];
        let mut pairs = Vec::new();
        for &link in &self.order {
            let joint = self.above[link].map(|at| &self.joints[at]);
            upper[link] = joint.filter(|joint| joint.kind != RobotJointKind::Other).and_then(|joint| {
                let next = joint.links[0];
                if parts[next].is_empty() { upper[next] } else { Some(next) }
            });
            let own = &parts[link];
            let others = upper[link].map_or(&[][..], |upper| &parts[upper]);
            for (i, &part) in own.iter().enumerate() {
                let near = own[..i].iter().chain(others);
                pairs.extend(near.map(|&other| [part.min(other), part.max(other)]));
            }
        }
        pairs.sort_unstable();
        pairs
    }
}

/// Whether joints of a kind have values other than zero.
fn is_moving(kind: RobotJointKind) -> bool {
    matches!(kind, RobotJointKind::Revolute | RobotJointKind::Prismatic)
}

/// Returns how each joint that mimics follows from one with a value of its own.
///
/// Errors: the first joint whose leaders form a cycle.
fn rules_of(joints: &[RobotJoint]) -> Result<Vec<Option<Rule>>, usize> {
    let mut rules: Vec<Option<Rule>> = vec![None; joints.len()];
    let mut met_from = vec![usize::MAX; joints.len()];
    for start in 0..joints.len() {
        // Follows the leaders up to a joint whose rule is known or that has a value of its own.
        // The rules are set on the way back.
        let mut followers = Vec::new();
        let mut at = start;
        while let (Some(mimic), None) = (joints[at].mimic, rules[at]) {
            if met_from[at] == start {
                return Err(start);
            }
            met_from[at] = start;
            followers.push((at, mimic));
            at = mimic.joint;
        }
        for (joint, Mimic { joint: next, multiplier, offset }) in followers.into_iter().rev() {
            let leader = rules[next].unwrap_or(Rule { leader: next, multiplier: 1.0, offset: 0.0 });
            rules[joint] = Some(Rule {
                leader: leader.leader,
                multiplier: multiplier * leader.multiplier,
                offset: multiplier * leader.offset + offset,
            });
        }
    }
    Ok(rules)
}

/// Returns the links that can be reached from a root, each after the one above it.
fn order_of(joints: &[RobotJoint], above: &[Option<usize>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..above.len()).filter(|link| above[*link].is_none()).collect();
    let mut below = vec![Vec::new(); above.len()];
    joints.iter().for_each(|joint| below[joint.links[0]].push(joint.links[1]));
    let mut at = 0;
    while let Some(&link) = order.get(at) {
        order.extend(&below[link]);
        at += 1;
    }
    order
}
