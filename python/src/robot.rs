//! `carom.Robot`: the links and joints of a URDF file, where links are for many values of joints,
//! which of them collide, and when they first do along a trajectory.
//!
//! - Values of joints are arrays with a column for each joint with a value of its own. Joints that
//!   mimic follow.
//! - Allowed pairs are left out of all answers.
//! - Obstacles are parts after those of the links: shapes that stand still, or hang on a link.

use crate::array::{array, array_rows, as_floats, shape_text};
use crate::error::{self, ReadError};
use crate::pose::{self, to_seven};
use crate::shape::PyShape;
use crate::work;
use carom_io::{Options, RobotJointKind};
use carom_math::f64::Pose;
use carom_query::f64::Shape;
use carom_robot::{
    AllowedSearch, AllowedSettings, FirstContact, JointPath, NearestPair, Workcell, outward_mesh, srdf_text,
};
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// A pair of names of links, and why their collisions do not count.
type NamedPair = (String, String, String);

/// A joint of a robot.
#[pyclass(frozen, get_all, module = "carom")]
pub(crate) struct RobotJoint {
    /// Its name.
    name: String,
    /// One of "fixed", "revolute" (radians), "prismatic" (a length), and "other", which stays at
    /// its origin.
    kind: &'static str,
    /// The link above it.
    parent: String,
    /// The link below it.
    child: String,
    /// The unit axis in the frame of the joint, three numbers.
    axis: (f64, f64, f64),
    /// The least and the largest value; `None` without limits.
    limits: Option<(f64, f64)>,
    /// The joint that it follows, the factor and the offset: `factor * value + offset`. `None` if
    /// it has a value of its own.
    mimic: Option<(String, f64, f64)>,
}

#[pymethods]
impl RobotJoint {
    fn __repr__(&self) -> String {
        format!("<carom.RobotJoint {:?}, {}, {:?} to {:?}>", self.name, self.kind, self.parent, self.child)
    }
}

/// The nearest pair of parts for each row of `q`. Frame of the root.
#[pyclass(frozen, get_all, module = "carom")]
pub(crate) struct RobotDistances {
    /// (n,) lengths; 0 if the parts collide or may collide, infinite without a pair.
    distance: Py<PyArray1<f64>>,
    /// (n,) whether it is known that the parts collide, or that they do not. If it is not, one of
    /// them may lie in a mesh that is not closed, and no pair is known to collide.
    is_decided: Py<PyArray1<bool>>,
    /// (n, 2) indices of `Robot.parts`; -1 without a pair.
    parts: Py<PyArray2<i64>>,
    /// (n, 2, 3) the nearest points of the surfaces; NaN without a pair.
    points: Py<PyArray3<f64>>,
}

/// The first contact of two parts along a trajectory.
#[pyclass(frozen, get_all, module = "carom")]
pub(crate) struct JointContact {
    /// The first link or obstacle.
    a: String,
    /// The second link or obstacle.
    b: String,
    /// The time, in seconds. Before it the parts are apart, or from `undecided_from` on not known
    /// to be apart.
    time: f64,
    /// The index of the last row that is not later.
    row: usize,
    /// The distance at that time, a length. `None` if it is not known whether the parts meet then:
    /// the search gave up there, or a part may lie in an open mesh.
    distance: Option<f64>,
    /// The time from which it is not known whether the parts met before `time`, in seconds; `None`
    /// if they are apart until then.
    undecided_from: Option<f64>,
}

#[pymethods]
impl JointContact {
    fn __repr__(&self) -> String {
        let or_none = |x: Option<f64>| x.map_or("None".to_owned(), |x| format!("{x:?}"));
        let (distance, from) = (or_none(self.distance), or_none(self.undecided_from));
        format!(
            "JointContact({:?}, {:?}, time={:?}, row={}, distance={distance}, undecided_from={from})",
            self.a, self.b, self.time, self.row
        )
    }
}

/// An obstacle: a part that the file does not have.
struct Obstacle {
    name: String,
    shape: PyShape,
}

/// A robot of a URDF file: links, joints, self-collision, allowed pairs, obstacles.
///
/// `q` is an array of values of joints, (k,) or (n, k), in the order of `free_joints`: radians, or
/// lengths for joints that slide. Without it the values of `set_joints` count, zero at first.
/// Closed meshes are solids. A pair of which one part may lie in another mesh counts as colliding.
/// Raises ReadError for a file that is no robot.
#[pyclass(module = "carom")]
pub(crate) struct Robot {
    cell: Workcell,
    shapes: Vec<PyShape>,
    /// Their parts come after those of `shapes`.
    obstacles: Vec<Obstacle>,
    /// The joints with a value of their own.
    free: Vec<usize>,
    /// The value of each joint.
    values: Vec<f64>,
    /// By indices of parts, low first, with the reason.
    allowed: BTreeMap<[usize; 2], String>,
    /// Remarks of the reader.
    notes: Vec<String>,
    unread: Vec<String>,
}

/// Values of the free joints: the numbers, row by row, and whether they were one row alone.
struct Values {
    rows: Vec<Vec<f64>>,
    is_one: bool,
}

#[pymethods]
impl Robot {
    #[new]
    #[pyo3(signature = (path, *, keep_going = false, allow_outside = false))]
    fn new(py: Python<'_>, path: PathBuf, keep_going: bool, allow_outside: bool) -> PyResult<Robot> {
        let options = Options::default().with_keep_going(keep_going).with_allow_outside(allow_outside);
        let model = py.detach(|| carom_io::read_with(&path, &options));
        let model = model.map_err(|e| ReadError::new_err(e.to_string()))?;
        let refused = |what: String| ReadError::new_err(format!("{}: {what}", path.display()));
        let Some(robot) = &model.robot else { return Err(refused("not a robot".to_owned())) };
        let mut cell = Workcell::new(vec![robot.clone()]);
        let mut shapes = Vec::new();
        for (part, link) in model.parts_on_links().iter().zip(robot.part_links()) {
            let mesh = py.detach(|| outward_mesh(part));
            let (mesh, _) = mesh.map_err(|e| refused(format!("{}: {e}", part.name)))?;
            let shape = PyShape::plain(Shape::Mesh(Arc::new(mesh)));
            cell.push_on_link(0, link, shape.shape.clone(), Pose::IDENTITY);
            shapes.push(shape);
        }
        let free = robot.free_joints().collect();
        let values = robot.values(&[]).map_err(|e| refused(e.to_string()))?;
        let (notes, unread) = (model.notes, model.unread);
        let (obstacles, allowed) = (Vec::new(), BTreeMap::new());
        Ok(Robot { cell, shapes, obstacles, free, values, allowed, notes, unread })
    }

    /// The name of the robot; empty if the file gives none.
    #[getter]
    fn name(&self) -> String {
        self.robot().name().to_owned()
    }

    /// The names of all links, in the order of the file.
    #[getter]
    fn links(&self) -> Vec<String> {
        self.robot().links().to_vec()
    }

    /// The names of the links with geometry, in the order of the file, then those of the obstacles.
    #[getter]
    fn parts(&self) -> Vec<String> {
        (0..self.cell.n_parts()).map(|part| self.part_name(part).to_owned()).collect()
    }

    /// The joints, in the order of the file.
    #[getter]
    fn joints(&self) -> Vec<RobotJoint> {
        let robot = self.robot();
        let joint = |joint: &carom_io::RobotJoint| RobotJoint {
            name: joint.name.clone(),
            kind: match joint.kind {
                RobotJointKind::Revolute => "revolute",
                RobotJointKind::Prismatic => "prismatic",
                RobotJointKind::Fixed => "fixed",
                _ => "other",
            },
            parent: robot.links()[joint.links[0]].clone(),
            child: robot.links()[joint.links[1]].clone(),
            axis: joint.axis.into(),
            limits: joint.limits.map(<(f64, f64)>::from),
            mimic: joint.mimic.map(|m| (robot.joints()[m.joint].name.clone(), m.multiplier, m.offset)),
        };
        robot.joints().iter().map(joint).collect()
    }

    /// The names of the joints with a value of their own: the columns of `q`.
    #[getter]
    fn free_joints(&self) -> Vec<String> {
        self.free.iter().map(|at| self.robot().joints()[*at].name.clone()).collect()
    }

    /// The least and largest values of the free joints, (k, 2); infinite without limits.
    #[getter]
    fn limits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let limits = |at: &usize| self.robot().joints()[*at].limits;
        let endless = [f64::NEG_INFINITY, f64::INFINITY];
        array_rows(py, self.free.iter().map(|at| limits(at).unwrap_or(endless)).collect())
    }

    /// Notes on the reading, such as round shapes that are read as meshes.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    /// Things that may have a surface and were not read. If there is any, a check is incomplete.
    #[getter]
    fn unread(&self) -> Vec<String> {
        self.unread.clone()
    }

    /// The mesh of a link with geometry, in the frame of the link, or the shape of an obstacle.
    fn shape(&self, name: &str) -> PyResult<PyShape> {
        let part = self.part(name)?;
        let of_obstacle = || &self.obstacles[part - self.shapes.len()].shape;
        Ok(self.shapes.get(part).unwrap_or_else(of_obstacle).clone())
    }

    /// Adds a shape of the surroundings: any kind, with a name that no link and no other obstacle
    /// has. It stands still at a pose in the frame of the root. With `link` it hangs on that link,
    /// at a pose in the frame of the link, and may touch the link.
    ///
    /// A half-space cannot hang on a link.
    #[pyo3(signature = (name, shape, pose = None, *, link = None))]
    fn add_obstacle(
        &mut self,
        py: Python<'_>,
        name: String,
        shape: &Bound<'_, PyShape>,
        pose: Option<&Bound<'_, PyAny>>,
        link: Option<&str>,
    ) -> PyResult<()> {
        let is_taken = self.obstacles.iter().any(|other| other.name == name);
        if is_taken || self.robot().link(&name).is_some() {
            return Err(error::value("name", format!("{name} is there already")));
        }
        let shape = shape.get().clone();
        let placed_pose = shape.placed(&pose::pose(pose, "pose")?);
        match link {
            None => {
                py.detach(|| self.cell.push_fixed(shape.shape.clone(), placed_pose));
            }
            Some(link) => {
                if matches!(shape.shape, Shape::HalfSpace(_)) {
                    return Err(error::value("shape", "a half-space cannot hang on a link"));
                }
                let at = self.robot().link(link);
                let at = at.ok_or_else(|| error::value("link", format!("there is no link {link}")))?;
                let part = py.detach(|| self.cell.push_on_link(0, at, shape.shape.clone(), placed_pose));
                let on_link = |other: &usize| self.cell.link_of(*other).is_some_and(|hold| hold.1 == at);
                let own: Vec<usize> = (0..part).filter(on_link).collect();
                self.allowed.extend(own.into_iter().map(|other| ([other, part], "Adjacent".to_owned())));
            }
        }
        self.obstacles.push(Obstacle { name, shape });
        Ok(())
    }

    /// Removes an obstacle, and the allowed pairs with it.
    fn remove_obstacle(&mut self, name: &str) -> PyResult<()> {
        let at = self.obstacles.iter().position(|other| other.name == name);
        let at = at.ok_or_else(|| error::value("name", format!("there is no obstacle {name}")))?;
        let part = self.shapes.len() + at;
        self.obstacles.remove(at);
        self.cell.remove(part);
        let moved = |other: usize| if part < other { other - 1 } else { other };
        let kept = core::mem::take(&mut self.allowed).into_iter().filter(|(pair, _)| !pair.contains(&part));
        self.allowed = kept.map(|(pair, reason)| (pair.map(moved), reason)).collect();
        Ok(())
    }

    /// The names of the obstacles, in their order.
    #[getter]
    fn obstacles(&self) -> Vec<String> {
        self.obstacles.iter().map(|obstacle| obstacle.name.clone()).collect()
    }

    /// Sets the values of joints by their names, radians or lengths; others stay. Raises ValueError
    /// for the first name or value that the robot refuses, and then changes nothing.
    fn set_joints(&mut self, values: &Bound<'_, PyDict>) -> PyResult<()> {
        let values: Vec<(String, f64)> = values
            .iter()
            .map(|(name, value)| Ok((name.extract()?, value.extract()?)))
            .collect::<PyResult<_>>()?;
        let named: Vec<(&str, f64)> = values.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        self.robot().values(&named).map_err(|e| error::value("values", e))?;
        let mut now = self.values.clone();
        for (name, value) in named {
            if let Some(at) = self.robot().joint(name) {
                now[at] = value;
            }
        }
        self.robot().set_followers(&mut now);
        self.values = now;
        Ok(())
    }

    /// The values of all joints by their names, those that mimic and fixed ones, too.
    #[getter]
    fn joint_values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let values = PyDict::new(py);
        for (joint, value) in self.robot().joints().iter().zip(&self.values) {
            values.set_item(&joint.name, value)?;
        }
        Ok(values)
    }

    /// The pose of each link in the frame of the root as seven numbers, x, y, z, qx, qy, qz, qw: an
    /// array of the shape (links, 7), or (n, links, 7) for many rows of `q`.
    #[pyo3(signature = (q = None, *, threads = None))]
    fn link_poses<'py>(
        &self,
        py: Python<'py>,
        q: Option<&Bound<'py, PyAny>>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.each_link(py, q, threads, |placement| to_seven(&placement.pose()))
    }

    /// The pose of each link in the frame of the root as a matrix: an array of the shape (links, 4,
    /// 4), or (n, links, 4, 4) for many rows of `q`.
    #[pyo3(signature = (q = None, *, threads = None))]
    fn link_matrices<'py>(
        &self,
        py: Python<'py>,
        q: Option<&Bound<'py, PyAny>>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let matrices = self.each_link(py, q, threads, |placement| placement.0)?;
        let mut shape: Vec<usize> = matrices.getattr("shape")?.extract()?;
        shape.pop();
        shape.extend([4, 4]);
        matrices.call_method1("reshape", (shape,))
    }

    /// Leaves pairs of links or obstacles out of all checks: (name, name) or (name, name, reason)
    /// each.
    fn allow(&mut self, pairs: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut added = Vec::new();
        for pair in pairs.try_iter()? {
            let names: Vec<String> = pair?.extract()?;
            let (Some(a), Some(b), true) = (names.first(), names.get(1), names.len() <= 3) else {
                return Err(error::value("pairs", "a pair is (link, link) or (link, link, reason)"));
            };
            for name in [a, b] {
                if self.robot().link(name).is_none() && self.part(name).is_err() {
                    return Err(error::value("pairs", format!("there is no link {name}")));
                }
            }
            // A link without geometry is no part.
            if let (Ok(a), Ok(b)) = (self.part(a), self.part(b)) {
                added.push(([a.min(b), a.max(b)], names.get(2).cloned().unwrap_or_default()));
            }
        }
        self.allowed.extend(added);
        Ok(())
    }

    /// The pairs that are left out: (name, name, reason), sorted by the order of the parts.
    #[getter]
    fn allowed(&self) -> Vec<NamedPair> {
        self.allowed.iter().map(|(pair, reason)| self.named(*pair, reason)).collect()
    }

    /// Checks all pairs again, also those of an obstacle and the link that it hangs on.
    fn clear_allowed(&mut self) {
        self.allowed.clear();
    }

    /// The pairs of links with geometry that hang on one joint: (link, link, "Adjacent").
    fn adjacent(&self) -> Vec<NamedPair> {
        self.robot().adjacent_parts().into_iter().map(|pair| self.named(pair, "Adjacent")).collect()
    }

    /// The pairs of links that need no check, (link, link, reason), from random poses.
    ///
    /// Reasons: "Adjacent" on one joint, "Default" touching in the default pose, "Always" and
    /// "Never" in nearly all or none of the samples. In the default pose each joint is at zero, or
    /// in the middle of its limits if they exclude zero. Never is no proof. The same seed gives
    /// the same pairs. `allow` takes them.
    #[pyo3(signature = (samples = 10_000, *, seed = 1, always_share = 0.95, threads = None))]
    fn compute_allowed(
        &self,
        py: Python<'_>,
        samples: u32,
        seed: u64,
        always_share: f64,
        threads: Option<usize>,
    ) -> PyResult<Vec<NamedPair>> {
        let settings = AllowedSettings::default().with_samples(samples).with_seed(seed);
        let settings = settings.with_always_share(always_share);
        let search = py.detach(|| AllowedSearch::new(&self.cell, 0, &settings));
        let search = search.map_err(|e| error::value("robot", e))?;
        let found = search.run(|search, round| {
            let mut answers = vec![Vec::new(); round.len()];
            let jobs: Vec<(u32, &mut Vec<bool>)> = round.zip(answers.iter_mut()).collect();
            work::run(py, threads, jobs, |(sample, answer)| *answer = search.test(sample))?;
            Ok::<_, PyErr>(answers)
        })?;
        Ok(found.iter().map(|pair| self.named(pair.parts, pair.reason.name())).collect())
    }

    /// Writes pairs of links, or the allowed ones without obstacles, as an SRDF file.
    #[pyo3(signature = (path, pairs = None))]
    fn write_srdf(&self, path: PathBuf, pairs: Option<Vec<NamedPair>>) -> PyResult<()> {
        let of_links = || {
            let pairs = self.allowed.iter().filter(|(pair, _)| pair[1] < self.shapes.len());
            pairs.map(|(pair, reason)| self.named(*pair, reason)).collect()
        };
        let pairs = pairs.unwrap_or_else(of_links);
        let rows = pairs.iter().map(|(a, b, reason)| ([a.as_str(), b.as_str()], reason.as_str()));
        std::fs::write(&path, srdf_text(self.robot().name(), rows))?;
        Ok(())
    }

    /// Whether any two links, or a link and an obstacle, collide, without the allowed pairs: (n,),
    /// or a bool for one row.
    #[pyo3(signature = (q = None, *, threads = None))]
    fn collides<'py>(
        &self,
        py: Python<'py>,
        q: Option<&Bound<'py, PyAny>>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let values = self.read(q)?;
        let pairs = self.pairs();
        let found = each(py, threads, &values.rows, |row| {
            let poses = self.cell.part_poses(std::slice::from_ref(row));
            pairs.iter().any(|pair| self.cell.is_touching(*pair, &poses))
        })?;
        match (values.is_one, found.first()) {
            (true, Some(first)) => Ok(first.into_pyobject(py)?.to_owned().into_any()),
            _ => Ok(array(py, found).into_any()),
        }
    }

    /// The pairs of links and obstacles that collide, without the allowed ones: an array of the
    /// shape (m, 3) with the row of `q` and two indices of `parts`, sorted.
    #[pyo3(signature = (q = None, *, threads = None))]
    fn collisions<'py>(
        &self,
        py: Python<'py>,
        q: Option<&Bound<'py, PyAny>>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let values = self.read(q)?;
        let pairs = self.pairs();
        let found = each(py, threads, &values.rows, |row| -> Vec<[usize; 2]> {
            let poses = self.cell.part_poses(std::slice::from_ref(row));
            pairs.iter().copied().filter(|pair| self.cell.is_touching(*pair, &poses)).collect()
        })?;
        let rows = found.iter().enumerate();
        let rows =
            rows.flat_map(|(row, pairs)| pairs.iter().map(move |[a, b]| [row, *a, *b].map(|x| x as i64)));
        array_rows(py, rows.collect())
    }

    /// The nearest pair of a link and an obstacle for each row of `q`, without the allowed pairs.
    /// With `links` the pairs of two links count, too.
    #[pyo3(signature = (q = None, *, links = false, threads = None))]
    fn distances(
        &self,
        py: Python<'_>,
        q: Option<&Bound<'_, PyAny>>,
        links: bool,
        threads: Option<usize>,
    ) -> PyResult<RobotDistances> {
        let values = self.read(q)?;
        let n_links = self.shapes.len();
        let pairs: Vec<[usize; 2]> =
            self.pairs().into_iter().filter(|pair| links || n_links <= pair[1]).collect();
        let found = each(py, threads, &values.rows, |row| {
            self.cell.nearest(&pairs, &self.cell.part_poses(std::slice::from_ref(row)))
        })?;
        let of =
            |near: &Option<NearestPair>| near.map_or([-1, -1], |near| near.parts.map(|part| part as i64));
        let points = |near: &Option<NearestPair>| {
            near.map_or([[f64::NAN; 3]; 2], |near| near.points.map(|point| point.to_array()))
        };
        let all: Bound<'_, PyArray1<f64>> = array(py, found.iter().flat_map(points).flatten().collect());
        let distance = found.iter().map(|near| near.map_or(f64::INFINITY, |near| near.distance));
        let is_decided = found.iter().map(|near| near.is_none_or(|near| near.is_decided));
        Ok(RobotDistances {
            distance: array(py, distance.collect()).unbind(),
            is_decided: array(py, is_decided.collect()).unbind(),
            parts: array_rows(py, found.iter().map(of).collect())?.unbind(),
            points: all.reshape([found.len(), 2, 3])?.unbind(),
        })
    }

    /// When each pair of links, or of a link and an obstacle, first collides along a trajectory,
    /// between its rows too: sorted by time, without the allowed pairs.
    ///
    /// `q` has the shape (n, k); joints move at constant rates between its rows. `times` increase,
    /// in seconds; without them the rows are at 0, 1, 2 and so on. With `clearance`, a length,
    /// pairs that come within it count.
    #[pyo3(signature = (q, times = None, *, clearance = 0.0, threads = None))]
    fn first_contacts(
        &self,
        py: Python<'_>,
        q: &Bound<'_, PyAny>,
        times: Option<Vec<f64>>,
        clearance: f64,
        threads: Option<usize>,
    ) -> PyResult<Vec<JointContact>> {
        if !(0.0 <= clearance && clearance.is_finite()) {
            return Err(error::value("clearance", "must be finite and not negative"));
        }
        let rows = self.read(Some(q))?.rows;
        let times = times.unwrap_or_else(|| (0..rows.len()).map(|i| i as f64).collect());
        if times.len() != rows.len() {
            return Err(error::value("times", format!("{} times for {} rows", times.len(), rows.len())));
        }
        let path = py.detach(|| JointPath::new(&self.cell, times, vec![rows]));
        let path = path.map_err(|e| error::value("q", e))?;
        let pairs = self.pairs();
        let found = each(py, threads, &pairs, |pair| path.first_contact(*pair, clearance))?;
        let mut found: Vec<FirstContact> = found.into_iter().flatten().collect();
        found.sort_by(|x, y| x.time.total_cmp(&y.time));
        let contact = |met: FirstContact| {
            let [a, b] = met.parts.map(|part| self.part_name(part).to_owned());
            let FirstContact { time, row, distance, undecided_from, .. } = met;
            JointContact { a, b, time, row, distance, undecided_from }
        };
        Ok(found.into_iter().map(contact).collect())
    }

    fn __repr__(&self) -> String {
        let (links, joints) = (self.robot().links().len(), self.free.len());
        format!("<carom.Robot {:?}, {links} links, {joints} free joints>", self.robot().name())
    }
}

impl Robot {
    fn robot(&self) -> &carom_io::Robot {
        &self.cell.robots()[0]
    }

    /// Returns the name of the link of a part, or that of the obstacle.
    fn part_name(&self, part: usize) -> &str {
        if let Some(obstacle) = part.checked_sub(self.shapes.len()).and_then(|at| self.obstacles.get(at)) {
            return &obstacle.name;
        }
        self.cell.link_of(part).map_or("", |(_, link, _)| &self.robot().links()[link])
    }

    /// Returns the part of a link or of an obstacle.
    fn part(&self, link: &str) -> PyResult<usize> {
        if let Some(at) = self.obstacles.iter().position(|obstacle| obstacle.name == link) {
            return Ok(self.shapes.len() + at);
        }
        let at = self.robot().link(link);
        let at = at.ok_or_else(|| error::value("link", format!("there is no link {link}")))?;
        let part = self.robot().part_links().position(|other| other == at);
        part.ok_or_else(|| error::value("link", format!("link {link} has no geometry")))
    }

    fn named(&self, pair: [usize; 2], reason: &str) -> NamedPair {
        let [a, b] = pair.map(|part| self.part_name(part).to_owned());
        (a, b, reason.to_owned())
    }

    /// Returns the pairs of parts that are checked, sorted: one of each may move.
    fn pairs(&self) -> Vec<[usize; 2]> {
        let n = self.cell.n_parts();
        let all = (0..n).flat_map(|a| (a + 1..n).map(move |b| [a, b]));
        let moves = |pair: &[usize; 2]| pair.iter().any(|part| self.cell.link_of(*part).is_some());
        all.filter(|pair| moves(pair) && !self.allowed.contains_key(pair)).collect()
    }

    /// Reads values of the free joints, and returns those of all joints.
    fn read(&self, q: Option<&Bound<'_, PyAny>>) -> PyResult<Values> {
        let Some(q) = q else { return Ok(Values { rows: vec![self.values.clone()], is_one: true }) };
        let floats = as_floats(q, "q")?.extract::<PyReadonlyArrayDyn<'_, f64>>()?;
        let (shape, k) = (floats.shape(), self.free.len());
        let (n_rows, is_one) = match *shape {
            [width] if width == k => (1, true),
            [n, width] if width == k => (n, false),
            _ => {
                let given = shape_text(shape);
                return Err(error::value(
                    "q",
                    format!("must have the shape ({k},) or (n, {k}), not {given}"),
                ));
            }
        };
        let numbers = floats.as_slice()?;
        let robot = self.robot();
        let mut rows = Vec::with_capacity(n_rows);
        for row in 0..n_rows {
            let mut values = vec![0.0; robot.joints().len()];
            for (joint, value) in self.free.iter().zip(&numbers[row * k..]) {
                let at = || if is_one { "q".to_owned() } else { format!("q[{row}]") };
                robot.check_value(*joint, *value).map_err(|e| error::value(&at(), e))?;
                values[*joint] = *value;
            }
            robot.set_followers(&mut values);
            rows.push(values);
        }
        Ok(Values { rows, is_one })
    }

    /// Returns `N` numbers of each link for each row, as an array.
    fn each_link<'py, const N: usize>(
        &self,
        py: Python<'py>,
        q: Option<&Bound<'py, PyAny>>,
        threads: Option<usize>,
        numbers: impl Fn(&carom_io::Placement) -> [f64; N] + Sync,
    ) -> PyResult<Bound<'py, PyAny>> {
        let values = self.read(q)?;
        let found = each(py, threads, &values.rows, |row| -> Vec<f64> {
            self.robot().link_placements(row).iter().flat_map(&numbers).collect()
        })?;
        let n_links = self.robot().links().len();
        let all: Bound<'py, PyArray1<f64>> = array(py, found.concat());
        if values.is_one {
            return Ok(all.reshape([n_links, N])?.into_any());
        }
        let all: Bound<'py, PyArray3<f64>> = all.reshape([values.rows.len(), n_links, N])?;
        Ok(all.into_any())
    }
}

/// Calls a function for each entry, on threads without the interpreter's lock.
fn each<T: Sync, R: Clone + Default + Send>(
    py: Python<'_>,
    threads: Option<usize>,
    entries: &[T],
    query: impl Fn(&T) -> R + Sync,
) -> PyResult<Vec<R>> {
    let mut out = vec![R::default(); entries.len()];
    let len = work::job_len(entries.len(), 64);
    let jobs = entries.chunks(len).zip(out.chunks_mut(len)).collect();
    work::run(py, threads, jobs, |(entries, out): (&[T], &mut [R])| {
        for (entry, slot) in entries.iter().zip(out) {
            *slot = query(entry);
        }
    })?;
    Ok(out)
}

/// The pairs of links whose collisions do not count in an SRDF file: (link, link, reason), in its
/// order. `Robot.allow` takes them.
#[pyfunction]
pub(crate) fn read_srdf(py: Python<'_>, path: PathBuf) -> PyResult<Vec<NamedPair>> {
    let pairs = py.detach(|| carom_io::read_srdf(&path)).map_err(|e| ReadError::new_err(e.to_string()))?;
    let named = |pair: carom_io::DisabledPair| {
        let [a, b] = pair.links;
        (a, b, pair.reason)
    };
    Ok(pairs.into_iter().map(named).collect())
}
