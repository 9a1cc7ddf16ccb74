//! Robots and the meshes around them: where each part is for given joints, and which parts touch.
//!
//! - A part is a mesh on a link of a robot, or one that stands still.
//! - Balls around the parts leave out most pairs.
//! - Parts touch if their surfaces share a point, or if a piece of one lies in the other. Pieces do
//!   not share a vertex. One corner of each piece decides, because the surfaces do not meet.
//!
//! Reference: none needed.

use carom_geom::f64::TriMesh;
use carom_geom::ray_mesh::Placement as Place;
use carom_io::{Model, Robot};
use carom_math::f64::Pose;
use carom_query::f64::{MeshShape, Shape, distance, intersects, solid_placement};
use glam::DVec3;
use std::collections::HashMap;
use std::sync::Arc;

/// The part of a radius by which balls are larger, for rounded poses and lengths.
const RADIUS_SLACK: f64 = 1e-9;

/// The support of a part.
enum Hold {
    Fixed(Pose),
    /// The last is the pose of the mesh in the frame of the link.
    OnLink(usize, usize, Pose),
}

/// A mesh in the cell.
struct Part {
    shape: Shape,
    mesh: Arc<MeshShape>,
    hold: Hold,
    /// The middle of the box, and the radius around it.
    ball: (DVec3, f64),
    bounds: (DVec3, DVec3),
    /// A corner of each piece that shares no vertex with others.
    corners: Vec<DVec3>,
}

/// Robots, and parts that hang on their links or stand still.
#[derive(Default)]
pub struct Workcell {
    robots: Vec<Robot>,
    parts: Vec<Part>,
}

impl Workcell {
    /// Returns a cell with these robots and without parts.
    pub fn new(robots: Vec<Robot>) -> Workcell {
        Workcell { robots, parts: Vec::new() }
    }

    /// Returns the cell of one robot and its parts, in the order of the model. Closed meshes are
    /// turned to face outwards. A model without a robot gives an empty cell.
    ///
    /// Errors: the first part whose mesh is refused, by name.
    pub fn of_model(model: &Model) -> Result<Workcell, String> {
        let Some(robot) = &model.robot else { return Ok(Workcell::default()) };
        let mut cell = Workcell::new(vec![robot.clone()]);
        for (part, link) in model.parts_on_links().iter().zip(robot.part_links()) {
            let said = |e: &dyn core::fmt::Display| format!("{}: {e}", part.name);
            let raw = part.world_mesh().map_err(|e| said(&e))?;
            let mesh = TriMesh::new(raw.vertices, raw.triangles).map_err(|e| said(&e))?;
            let mesh = MeshShape::new(mesh.oriented().0).map_err(|e| said(&e))?;
            cell.push_on_link(0, link, Arc::new(mesh), Pose::IDENTITY);
        }
        Ok(cell)
    }

    /// Adds a part that stands still, at a pose in the world. Returns its index.
    pub fn push_fixed(&mut self, mesh: Arc<MeshShape>, pose: Pose) -> usize {
        self.push(mesh, Hold::Fixed(pose))
    }

    /// Adds a part on a link, at a pose in the frame of the link. Returns its index.
    pub fn push_on_link(&mut self, robot: usize, link: usize, mesh: Arc<MeshShape>, in_link: Pose) -> usize {
        let is_there = self.robots.get(robot).is_some_and(|robot| link < robot.links().len());
        debug_assert!(is_there, "no link {link} of a robot {robot}");
        self.push(mesh, Hold::OnLink(robot, link, in_link))
    }

    fn push(&mut self, mesh: Arc<MeshShape>, hold: Hold) -> usize {
        let bounds = mesh.mesh().wide_bounds();
        let middle = 0.5 * (bounds.0 + bounds.1);
        let vertices = mesh.mesh().vertices().iter();
        let radius = vertices.map(|v| (*v - middle).length()).fold(0.0, f64::max);
        let ball = (middle, radius * (1.0 + RADIUS_SLACK));
        let corners = corner_of_each_piece(mesh.mesh());
        let shape = Shape::Mesh(Arc::clone(&mesh));
        self.parts.push(Part { shape, mesh, hold, ball, bounds, corners });
        self.parts.len() - 1
    }

    /// Returns the robots.
    pub fn robots(&self) -> &[Robot] {
        &self.robots
    }

    /// Returns the number of parts.
    pub fn n_parts(&self) -> usize {
        self.parts.len()
    }

    /// Returns the mesh of a part.
    pub fn mesh(&self, part: usize) -> &MeshShape {
        &self.parts[part].mesh
    }

    /// Returns the robot and the link that hold a part, and its pose in the frame of the link.
    /// `None` for a part that stands still.
    pub fn link_of(&self, part: usize) -> Option<(usize, usize, &Pose)> {
        match &self.parts[part].hold {
            Hold::Fixed(_) => None,
            Hold::OnLink(robot, link, in_link) => Some((*robot, *link, in_link)),
        }
    }

    /// Returns the pose of each part in the world, for the values of all joints of each robot: see
    /// [`Robot::values`].
    pub fn place(&self, values: &[Vec<f64>]) -> Vec<Pose> {
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
            Hold::Fixed(pose) => *pose,
            Hold::OnLink(robot, link, in_link) => links[*robot][*link] * *in_link,
        };
        self.parts.iter().map(pose).collect()
    }

    /// Returns the pose of one part, for the values of the joints of its robot.
    pub(crate) fn place_one(&self, part: usize, values: &[f64]) -> Pose {
        match &self.parts[part].hold {
            Hold::Fixed(pose) => *pose,
            Hold::OnLink(robot, link, in_link) => {
                self.robots[*robot].link_placements(values)[*link].pose() * *in_link
            }
        }
    }

    /// Whether two parts share a point, at the poses of all parts. A closed mesh is a solid here,
    /// so a part inside of another one touches it.
    pub fn is_touching(&self, parts: [usize; 2], poses: &[Pose]) -> bool {
        self.is_touching_at(parts, parts.map(|part| &poses[part]))
    }

    /// Does the same as [`Workcell::is_touching`] with the poses of the two parts.
    pub(crate) fn is_touching_at(&self, parts: [usize; 2], [in_a, in_b]: [&Pose; 2]) -> bool {
        let [a, b] = parts.map(|part| &self.parts[part]);
        let gap = (in_a.transform_point(a.ball.0) - in_b.transform_point(b.ball.0)).length();
        if a.ball.1 + b.ball.1 < gap * (1.0 - RADIUS_SLACK) {
            return false;
        }
        intersects(&a.shape, in_a, &b.shape, in_b) || a.holds(in_a, b, in_b) || b.holds(in_b, a, in_a)
    }

    /// Returns the distance of the surfaces of two parts at their poses; 0 if they share a point.
    pub(crate) fn distance_at(&self, parts: [usize; 2], [in_a, in_b]: [&Pose; 2]) -> f64 {
        let [a, b] = parts.map(|part| &self.parts[part].shape);
        distance(a, in_a, b, in_b).distance
    }
}

impl Part {
    /// Whether a piece of another part lies in this solid. The surfaces do not meet.
    fn holds(&self, pose: &Pose, other: &Part, pose_other: &Pose) -> bool {
        let (low, high) = self.bounds;
        other.corners.iter().any(|corner| {
            let corner = pose_other.transform_point(*corner);
            let here = pose.inverse_transform_point(corner);
            let is_near = low.cmple(here).all() && here.cmple(high).all();
            is_near && solid_placement(&self.mesh, pose, corner) == Some(Place::Inside)
        })
    }
}

/// Returns a corner of each piece of a mesh. Corners with equal coordinates are one vertex.
fn corner_of_each_piece(mesh: &TriMesh) -> Vec<DVec3> {
    let mut known: HashMap<[u64; 3], u32> = HashMap::new();
    // The vertex at the same place with the lowest number. Adding 0 makes -0 and 0 alike.
    let mut leader: Vec<u32> = (0_u32..)
        .zip(mesh.vertices())
        .map(|(i, v)| *known.entry((*v + 0.0).to_array().map(f64::to_bits)).or_insert(i))
        .collect();
    let root = |leader: &mut Vec<u32>, mut at: u32| {
        while leader[at as usize] != at {
            leader[at as usize] = leader[leader[at as usize] as usize];
            at = leader[at as usize];
        }
        at
    };
    for [a, b, c] in mesh.indices() {
        for other in [b, c] {
            let (x, y) = (root(&mut leader, *a), root(&mut leader, *other));
            leader[x.max(y) as usize] = x.min(y);
        }
    }
    let mut roots: Vec<u32> = mesh.indices().iter().map(|[corner, ..]| root(&mut leader, *corner)).collect();
    roots.sort_unstable();
    roots.dedup();
    roots.into_iter().map(|at| mesh.vertices()[at as usize]).collect()
}
