//! When do two moving shapes touch? Straight and turning motions, and paths of poses.

use crate::array::{self, array3};
use crate::shape::PyShape;
use crate::{error, pose};
use carom_math::f64::Pose;
use carom_query::f64 as query;
use carom_query::{ImpactSettings, Motion, TimeOfImpact, Workspace};
use glam::DVec3;
use numpy::PyArray1;
use pyo3::prelude::*;

/// The first contact of two moving shapes, or the proof that there is none. World frame.
#[pyclass(frozen, module = "carom")]
pub(crate) struct Cast {
    answer: TimeOfImpact,
    end: f64,
}

#[pymethods]
impl Cast {
    /// "hit", "clear" or "undecided".
    #[getter]
    fn status(&self) -> &'static str {
        match self.answer {
            TimeOfImpact::Hit(_) => "hit",
            TimeOfImpact::Clear(_) => "clear",
            TimeOfImpact::Undecided(_) => "undecided",
        }
    }

    /// Whether they surely touch. False for "undecided", too: ask `status` whether they stay apart.
    #[getter]
    fn hit(&self) -> bool {
        self.answer.hit().is_some()
    }

    /// The time before which nothing touches: of a hit the start of its bracket, and the end of the
    /// search if they stay apart.
    #[getter]
    fn safe_until(&self) -> f64 {
        self.answer.safe_until(self.end)
    }

    /// The time by which they surely touch; `None` if there is no hit.
    #[getter]
    fn touching_at(&self) -> Option<f64> {
        self.answer.hit().map(|hit| hit.t_hi)
    }

    /// A proved lower bound of the distance during a motion without a contact; `None` otherwise.
    #[getter]
    fn clearance(&self) -> Option<f64> {
        match &self.answer {
            TimeOfImpact::Clear(clear) => Some(clear.distance),
            _ => None,
        }
    }

    /// The point on A at the contact, (3,); `None` if there is no hit.
    #[getter]
    fn point_a<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.answer.hit().map(|hit| array3(py, hit.point_a))
    }

    /// The point on B at the contact, (3,); `None` if there is no hit.
    #[getter]
    fn point_b<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.answer.hit().map(|hit| array3(py, hit.point_b))
    }

    /// Unit vector from A to B at the contact, (3,); `None` if there is no hit.
    #[getter]
    fn normal<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.answer.hit().map(|hit| array3(py, hit.normal))
    }

    /// The triangles or parts that touch; `None` if there is no hit.
    #[getter]
    fn parts(&self) -> Option<(u32, u32)> {
        self.answer.hit().map(|hit| (hit.part_a, hit.part_b))
    }

    fn __repr__(&self) -> String {
        match &self.answer {
            TimeOfImpact::Hit(hit) => format!("Cast(hit, {:?} <= t <= {:?})", hit.t_lo, hit.t_hi),
            TimeOfImpact::Clear(clear) => format!("Cast(clear, distance >= {:?})", clear.distance),
            TimeOfImpact::Undecided(open) => format!("Cast(undecided, safe until {:?})", open.t_safe),
        }
    }
}

type AnyOr<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// Builds a motion of a shape from its pose and velocities, or to another pose in a time.
fn motion(
    shape: &PyShape,
    start: &Pose,
    (linear, angular, center): (DVec3, DVec3, DVec3),
    name: &str,
) -> PyResult<Motion> {
    // The centre is a point of the shape in the frame of Python.
    let rotation = start.rotation;
    let motion = Motion::new(rotation, start.translation, center, linear, angular);
    let motion = motion.map_err(|e| error::value(name, e))?;
    Ok(in_crate(shape, motion))
}

/// Returns the motion of the frame of the crate.
fn in_crate(shape: &PyShape, motion: Motion) -> Motion {
    match &shape.frame {
        None => motion,
        Some(frame) => motion.of_part((frame.rotation, frame.translation)),
    }
}

fn settings(max_time: f64, target_distance: f64) -> PyResult<ImpactSettings> {
    if !(0.0 <= max_time && max_time.is_finite()) {
        return Err(error::value("max_time", "must be finite and not negative"));
    }
    if !(0.0 <= target_distance && target_distance.is_finite()) {
        return Err(error::value("target_distance", "must be finite and not negative"));
    }
    let settings = ImpactSettings::default().with_max_time(max_time);
    Ok(settings.with_target_distance(target_distance).with_distance(true))
}

/// When do two moving shapes come within `target_distance` of each other?
///
/// Each starts at its pose and moves with a linear velocity (length per unit of time) and an
/// angular one (an axis times radians per unit of time). It turns about `center`, a point in its
/// own frame. The search goes from time 0 to `max_time`.
#[pyfunction]
#[pyo3(signature = (a, b, pose_a = None, pose_b = None, *, linear_a = None, angular_a = None, center_a = None, linear_b = None, angular_b = None, center_b = None, max_time = 1.0, target_distance = 0.0))]
pub(crate) fn cast(
    py: Python<'_>,
    a: &Bound<'_, PyShape>,
    b: &Bound<'_, PyShape>,
    pose_a: AnyOr<'_, '_>,
    pose_b: AnyOr<'_, '_>,
    linear_a: AnyOr<'_, '_>,
    angular_a: AnyOr<'_, '_>,
    center_a: AnyOr<'_, '_>,
    linear_b: AnyOr<'_, '_>,
    angular_b: AnyOr<'_, '_>,
    center_b: AnyOr<'_, '_>,
    max_time: f64,
    target_distance: f64,
) -> PyResult<Cast> {
    let (a, b) = (a.get(), b.get());
    let vectors = |linear, angular, center, side: &str| {
        Ok::<_, PyErr>((
            array::vector_or_zero(linear, &format!("linear_{side}"))?,
            array::vector_or_zero(angular, &format!("angular_{side}"))?,
            array::vector_or_zero(center, &format!("center_{side}"))?,
        ))
    };
    let of_a = vectors(linear_a, angular_a, center_a, "a")?;
    let motion_a = motion(a, &pose::pose(pose_a, "pose_a")?, of_a, "motion of A")?;
    let of_b = vectors(linear_b, angular_b, center_b, "b")?;
    let motion_b = motion(b, &pose::pose(pose_b, "pose_b")?, of_b, "motion of B")?;
    let settings = settings(max_time, target_distance)?;
    let answer = py.detach(|| query::cast(&a.shape, &motion_a, &b.shape, &motion_b, &settings));
    Ok(Cast { answer, end: max_time })
}

/// When do two shapes that follow paths come within `target_distance` of each other?
///
/// A path is an array of poses, at the given times; one pose stands still. Between two poses the
/// origin of the shape moves in a straight line, and the shape turns the short way at a constant
/// rate. Times increase; without them the poses are at 0, 1, 2 and so on.
#[pyfunction]
#[pyo3(signature = (a, b, path_a = None, path_b = None, times = None, *, target_distance = 0.0))]
pub(crate) fn cast_along(
    py: Python<'_>,
    a: &Bound<'_, PyShape>,
    b: &Bound<'_, PyShape>,
    path_a: AnyOr<'_, '_>,
    path_b: AnyOr<'_, '_>,
    times: Option<Vec<f64>>,
    target_distance: f64,
) -> PyResult<Cast> {
    let (a, b) = (a.get(), b.get());
    let paths = [pose::Poses::read(path_a, "path_a")?, pose::Poses::read(path_b, "path_b")?];
    let n = pose::common_len(&paths[0], &paths[1])?;
    let times = times.unwrap_or_else(|| (0..n).map(|i| i as f64).collect());
    if times.len() != n {
        return Err(error::value("times", format!("{} times, but the path has {n} poses", times.len())));
    }
    if let Some(i) = (0..n).find(|&i| !times[i].is_finite() || (0 < i && times[i] <= times[i - 1])) {
        return Err(error::value(&format!("times[{i}]"), "times must be finite and increase"));
    }
    let base = settings(0.0, target_distance)?;
    let mut memory = Workspace::default();
    let mut least = f64::INFINITY;
    for i in 1..n {
        let duration = times[i] - times[i - 1];
        let step = |path: &pose::Poses, shape: &PyShape, name: &str| {
            let ends = [path.at(i - 1), path.at(i)].map(|pose| (pose.rotation, pose.translation));
            let motion = Motion::between(ends[0], ends[1], DVec3::ZERO, duration);
            Ok::<_, PyErr>(in_crate(shape, motion.map_err(|e| error::value(&format!("{name}[{i}]"), e))?))
        };
        let (motion_a, motion_b) = (step(&paths[0], a, "path_a")?, step(&paths[1], b, "path_b")?);
        let settings = base.with_max_time(duration);
        let answer =
            py.detach(|| query::cast_with(&a.shape, &motion_a, &b.shape, &motion_b, &settings, &mut memory));
        py.check_signals()?;
        if let TimeOfImpact::Clear(clear) = &answer {
            least = least.min(clear.distance);
        } else {
            return Ok(Cast { answer: later(answer, times[i - 1]), end: times[n - 1] });
        }
    }
    let Some(&end) = times.last() else { return Err(error::value("times", "no pose")) };
    if n == 1 {
        let poses = [paths[0].at(0), paths[1].at(0)].map(|pose| (pose.rotation, pose.translation));
        let still = poses.map(|(rotation, translation)| Motion::fixed(rotation, translation));
        let [still_a, still_b] = still.map(|motion| motion.map_err(|e| error::value("path", e)));
        let (still_a, still_b) = (in_crate(a, still_a?), in_crate(b, still_b?));
        let answer = query::cast(&a.shape, &still_a, &b.shape, &still_b, &base);
        return Ok(Cast { answer: later(answer, end), end });
    }
    Ok(Cast { answer: TimeOfImpact::Clear(carom_ccd::Clear::new(least)), end })
}

/// Returns an answer with its times counted from an earlier zero.
fn later(answer: TimeOfImpact, by: f64) -> TimeOfImpact {
    match answer {
        TimeOfImpact::Hit(mut hit) => {
            hit.t_lo += by;
            hit.t_hi += by;
            TimeOfImpact::Hit(hit)
        }
        TimeOfImpact::Undecided(mut open) => {
            open.t_safe += by;
            TimeOfImpact::Undecided(open)
        }
        clear => clear,
    }
}
