//! Robots and the shapes around them: the pose of each part for given joint values, and which
//! parts touch.
//!
//! - A part is a shape on a link of a robot, or a fixed one: a mesh, a primitive, a point cloud,
//!   an octree.
//! - Balls around the parts exclude most pairs.
//! - Parts touch if they share a point, or if a piece of one lies in a closed mesh of the other.
//!   If a piece lies in the box of an open mesh, it is not known whether they touch.
//!
//! Reference: none needed.

use crate::outward_mesh::outward_mesh;
use crate::part::{Ball, PartShape, any_of, reach_from};
use carom_io::{Model, Robot};
use carom_math::f64::Pose;
use carom_query::f64::{Shape, distance, intersects};
use glam::DVec3;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The support of a part.
enum Attachment {
    Fixed(Pose),
    /// The robot, the link, and the pose of the shape in the frame of the link.
    OnLink(usize, usize, Pose),
}

/// A shape in the cell.
struct Part {
    shape: PartShape,
    hold: Attachment,
}

/// The nearest of some pairs of parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestPair {
    /// The parts.
    pub parts: [usize; 2],
    /// Their distance, a length; 0 if they share a point, or if a piece of one lies in the other
    /// or may do so.
    pub distance: f64,
    /// Whether [`Workcell::touches`] is known for them. If not, `distance` is 0, which is only a
    /// lower bound. The pair then hides those at larger distances.
    pub is_decided: bool,
    /// The nearest points of both, in the world. For a piece in a mesh, those of the surfaces.
    pub points: [DVec3; 2],
}

/// Robots, and parts that are attached to their links or fixed.
///
/// Collisions of all pairs at once leave out the allowed pairs, and those of two fixed parts.
#[derive(Default)]
pub struct Workcell {
    robots: Vec<Robot>,
    parts: Vec<Part>,
    /// Low index first.
    pub(crate) allowed: BTreeSet<[usize; 2]>,
}

impl Workcell {
    /// Returns a cell with these robots and without parts.
    pub fn new(robots: Vec<Robot>) -> Workcell {
        Workcell { robots, ..Workcell::default() }
    }

    /// Returns the cell of one robot and its parts, in the order of the model. Closed meshes are
    /// turned to face outwards, and a link is the union of its collision elements. A model without
    /// a robot gives an empty cell.
    ///
    /// Errors: the first part whose mesh is refused, by name.
    pub fn of_model(model: &Model) -> Result<Workcell, String> {
        let Some(robot) = &model.robot else { return Ok(Workcell::default()) };
        let mut cell = Workcell::new(vec![robot.clone()]);
        for (part, link) in model.parts_on_links().iter().zip(robot.part_links()) {
            let (mesh, _) = outward_mesh(part).map_err(|e| format!("{}: {e}", part.name))?;
            cell.push_on_link(0, link, Shape::Mesh(Arc::new(mesh)), Pose::IDENTITY);
        }
        Ok(cell)
    }

    /// Adds a fixed part, at a pose in the world. Returns its index: the number of parts before.
    pub fn push_fixed(&mut self, shape: Shape, pose: Pose) -> usize {
        self.push(shape, Attachment::Fixed(pose))
    }

    /// Adds a part on a link, at a pose in the frame of the link. `robot` is an index in
    /// [`Workcell::robots`], and `link` one in [`Robot::links`]. Returns the index of the part.
    ///
    /// # Panics
    /// If there is no such robot or link.
    pub fn push_on_link(&mut self, robot: usize, link: usize, shape: Shape, in_link: Pose) -> usize {
        let is_there = self.robots.get(robot).is_some_and(|robot| link < robot.links().len());
        assert!(is_there, "no link {link} of a robot {robot}");
        self.push(shape, Attachment::OnLink(robot, link, in_link))
    }

    fn push(&mut self, shape: Shape, hold: Attachment) -> usize {
        self.parts.push(Part { shape: PartShape::new(shape), hold });
        self.parts.len() - 1
    }

    /// Removes a part. The indices of the parts after it decrease by one, in the allowed pairs
    /// too.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn remove(&mut self, part: usize) {
        self.parts.remove(part);
        let others = self.allowed.iter().filter(|pair| !pair.contains(&part));
        let renumbered = others.map(|pair| pair.map(|other| other - usize::from(part < other)));
        self.allowed = renumbered.collect();
    }

    /// Returns the robots.
    pub fn robots(&self) -> &[Robot] {
        &self.robots
    }

    /// Returns the number of parts.
    pub fn n_parts(&self) -> usize {
        self.parts.len()
    }

    /// Returns the shape of a part.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn shape(&self, part: usize) -> &Shape {
        &self.parts[part].shape.shape
    }

    /// Returns a bound on the distance of the points of a part on a link from the link's origin;
    /// infinite for a half-space.
    pub(crate) fn reach_on_link(&self, part: usize, in_link: &Pose) -> f64 {
        reach_from(self.shape(part), in_link.inverse_transform_point(DVec3::ZERO))
    }

    /// Returns the robot and the link that hold a part, and its pose in the frame of the link.
    /// `None` for a fixed part.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn link_of(&self, part: usize) -> Option<(usize, usize, &Pose)> {
        match &self.parts[part].hold {
            Attachment::Fixed(_) => None,
            Attachment::OnLink(robot, link, in_link) => Some((*robot, *link, in_link)),
        }
    }

    /// Returns the pose of each part in the world, for the values of all joints of each robot: see
    /// [`Robot::values`]. Values are in radians, or lengths for prismatic joints, in the order of
    /// [`Robot::joints`]. A missing robot or a missing value counts as 0 (test:
    /// `collisions::missing_joint_values_are_zero`).
    pub fn part_poses(&self, values: &[Vec<f64>]) -> Vec<Pose> {
        let links: Vec<Vec<Pose>> = self
            .robots
            .iter()
            .enumerate()
            .map(|(at, robot)| {
                let values = values.get(at).map_or(&[][..], Vec::as_slice);
                robot.link_placements(values).iter().map(|placement| placement.pose()).collect()
            })
            .collect();
        let pose = |part: &Part| match &part.hold {
            Attachment::Fixed(pose) => *pose,
            Attachment::OnLink(robot, link, in_link) => links[*robot][*link] * *in_link,
        };
        self.parts.iter().map(pose).collect()
    }

    /// Returns the balls around all parts in the world.
    pub(crate) fn balls(&self, poses: &[Pose]) -> Vec<Ball> {
        self.parts.iter().zip(poses).map(|(part, pose)| part.shape.ball_at(pose)).collect()
    }

    /// Returns the pose of one part, for the values of the joints of its robot.
    pub(crate) fn part_pose(&self, part: usize, values: &[f64]) -> Pose {
        match &self.parts[part].hold {
            Attachment::Fixed(pose) => *pose,
            Attachment::OnLink(robot, link, in_link) => {
                self.robots[*robot].link_placements(values)[*link].pose() * *in_link
            }
        }
    }

    /// Whether two parts share a point, at the poses of all parts. A closed mesh is a solid here,
    /// so a part inside it touches it. `None` if that is not known: the surfaces do not meet, and
    /// a piece of one part lies in the box of a mesh that does not tell inside from outside. It is
    /// not known either at a pose with a NaN or an infinity.
    ///
    /// # Panics
    /// If there is no such part, or no pose for it.
    pub fn touches(&self, parts: [usize; 2], poses: &[Pose]) -> Option<bool> {
        self.touches_at(parts, parts.map(|part| &poses[part]))
    }

    /// Whether two parts may share a point: whether [`Workcell::touches`] is not `Some(false)`. It
    /// is true if that is unknown (test: `cells::a_piece_inside_of_a_solid_touches_it`).
    ///
    /// # Panics
    /// Those of [`Workcell::touches`].
    pub fn is_touching(&self, parts: [usize; 2], poses: &[Pose]) -> bool {
        self.touches(parts, poses) != Some(false)
    }

    /// Does the same as [`Workcell::touches`] with the poses of the two parts.
    pub(crate) fn touches_at(&self, parts: [usize; 2], poses: [&Pose; 2]) -> Option<bool> {
        let [a, b] = parts.map(|part| &self.parts[part].shape);
        if !poses.iter().all(|pose| pose.is_finite()) {
            return None;
        }
        if 0.0 < gap_of_balls([a, b], poses) {
            return Some(false);
        }
        if intersects(&a.shape, poses[0], &b.shape, poses[1]) {
            return Some(true);
        }
        is_nested([a, b], poses)
    }

    /// Whether one of two parts has a mesh that does not tell inside from outside.
    pub(crate) fn has_open_mesh(&self, parts: [usize; 2]) -> bool {
        parts.iter().any(|part| self.parts[*part].shape.has_open_mesh())
    }

    /// Returns a lower bound on the distance of the surfaces of two parts at their poses. It is
    /// the distance itself, except for shapes whose distance has an error. 0 if they share a
    /// point.
    pub(crate) fn distance_at(&self, parts: [usize; 2], [in_a, in_b]: [&Pose; 2]) -> f64 {
        let [a, b] = parts.map(|part| &self.parts[part].shape.shape);
        distance(a, in_a, b, in_b).at_least().unwrap_or(0.0)
    }

    /// Returns the nearest of some pairs of parts, at the poses of all parts. `None` without
    /// pairs. Pairs that may touch have the distance 0, but those that surely touch come first. If
    /// several pairs are equally near, returns the first one of those with the nearest bounding
    /// balls.
    ///
    /// # Panics
    /// If a part does not exist, or has no pose.
    pub fn nearest(&self, pairs: &[[usize; 2]], poses: &[Pose]) -> Option<NearestPair> {
        let shapes = |parts: [usize; 2]| parts.map(|part| &self.parts[part].shape);
        let gap = |parts: &[usize; 2]| gap_of_balls(shapes(*parts), parts.map(|part| &poses[part]));
        let mut sorted: Vec<(f64, [usize; 2])> = pairs.iter().map(|parts| (gap(parts), *parts)).collect();
        sorted.sort_by(|x, y| x.0.total_cmp(&y.0));
        let mut best: Option<NearestPair> = None;
        let key = |pair: &NearestPair| (pair.distance, !pair.is_decided);
        for (gap, parts) in sorted {
            if best.is_some_and(|best| key(&best) == (0.0, false) || best.distance < gap) {
                break;
            }
            let ([a, b], [in_a, in_b]) = (shapes(parts), parts.map(|part| &poses[part]));
            let found = distance(&a.shape, in_a, &b.shape, in_b);
            let may_nest = gap <= 0.0 && 0.0 < found.distance;
            let is_finite = in_a.is_finite() && in_b.is_finite();
            let nested = match may_nest {
                _ if !is_finite => None,
                true => is_nested([a, b], [in_a, in_b]),
                false => Some(false),
            };
            let pair = NearestPair {
                parts,
                distance: if nested == Some(false) { found.distance } else { 0.0 },
                is_decided: nested.is_some(),
                points: [found.point_a, found.point_b],
            };
            if best.is_none_or(|best| key(&pair) < key(&best)) {
                best = Some(pair);
            }
        }
        best
    }
}

/// Whether a piece of one part lies in a closed mesh of the other, if their surfaces do not meet.
/// `None` if that is not known.
fn is_nested([a, b]: [&PartShape; 2], [in_a, in_b]: [&Pose; 2]) -> Option<bool> {
    any_of([a.contains_piece_of(in_a, b, in_b), b.contains_piece_of(in_b, a, in_a)])
}

/// Returns a lower bound of the distance of two parts: that of their balls. It is negative or 0 if
/// the balls may meet.
fn gap_of_balls([a, b]: [&PartShape; 2], [in_a, in_b]: [&Pose; 2]) -> f64 {
    a.ball_at(in_a).gap(&b.ball_at(in_b))
}
