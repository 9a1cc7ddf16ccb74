//! `carom.World`: joints, their motors and limits, and those that broke.

use crate::array::{array, array3, vector};
use crate::error::{self, WorldError};
use crate::motor::PyMotor;
use crate::pose;
use crate::single;
use crate::world::PyWorld;
use carom_world::{AxisLimit, BodyId, JointAxis, JointDesc, JointId, JointKind, JointMut, Motor, Spring};
use numpy::PyArray1;
use pyo3::prelude::*;
use std::collections::BTreeMap;

/// The state of a joint.
#[pyclass(frozen, get_all, module = "carom")]
pub(crate) struct JointState {
    /// One of the kinds of `World.add_joint`.
    kind: &'static str,
    /// The numbers of the two bodies.
    bodies: (i64, i64),
    /// The angle of a revolute joint or a screw, in radians; `None` for other kinds.
    angle: Option<f64>,
    /// The place of a prismatic joint or a screw along its axis, a length; `None` for other kinds.
    translation: Option<f64>,
    /// The speed of a revolute joint or a screw (radians per time) or of a prismatic joint (length
    /// per time); `None` for other kinds.
    speed: Option<f64>,
    /// (3,) the force on the second body in the last step, in the world.
    force: Py<PyArray1<f64>>,
    /// (3,) the torque on the second body about its joint point, in the world.
    torque: Py<PyArray1<f64>>,
    /// How far the joint points are from where the joint holds them, a length.
    error: f64,
}

/// A joint that broke in the last step.
#[pyclass(frozen, get_all, module = "carom")]
pub(crate) struct BrokenJoint {
    /// The number that it had.
    joint: i64,
    /// The numbers of the two bodies.
    bodies: (i64, i64),
    /// The force at which it broke, the mean over the step.
    force: f64,
    /// The torque at which it broke, the mean over the step.
    torque: f64,
}

/// The axes of a joint by their names.
const AXES: [(&str, JointAxis); 6] = [
    ("x", JointAxis::X),
    ("y", JointAxis::Y),
    ("z", JointAxis::Z),
    ("ang_x", JointAxis::AngX),
    ("ang_y", JointAxis::AngY),
    ("ang_z", JointAxis::AngZ),
];

fn axis_of(name: &str, argument: &str) -> PyResult<JointAxis> {
    let found = AXES.iter().find(|(known, _)| *known == name).map(|(_, axis)| *axis);
    found.ok_or_else(|| {
        let wanted = "must be of \"x\", \"y\", \"z\", \"ang_x\", \"ang_y\", \"ang_z\"";
        error::value(argument, format!("{wanted}, not {name:?}"))
    })
}

/// Reads the limit of an axis: "free", "locked", or two numbers.
fn axis_limit(value: &Bound<'_, PyAny>, argument: &str) -> PyResult<AxisLimit> {
    if let Ok((min, max)) = value.extract::<(f32, f32)>() {
        return Ok(AxisLimit::Between(min, max));
    }
    match value.extract::<String>().as_deref() {
        Ok("free") => Ok(AxisLimit::Free),
        Ok("locked") => Ok(AxisLimit::Locked),
        _ => Err(error::value(argument, "must be \"free\", \"locked\" or two numbers")),
    }
}

/// A pair of points or frames in Python.
type TwoOf<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// Returns an argument that the kind needs.
fn needed<T>(value: Option<T>, kind: &str, name: &str) -> PyResult<T> {
    value.ok_or_else(|| error::value(name, format!("is needed for the kind {kind:?}")))
}

#[pymethods]
impl PyWorld {
    /// Joins two bodies, and returns the number of the joint. They do not collide, unless
    /// `contacts` says so.
    ///
    /// Kinds, with what they leave free: "weld" nothing; "revolute" the rotation about the axis;
    /// "prismatic" the translation along it; "cylindrical" both; "screw" the rotation, which moves
    /// the second body by `lead` in each turn; "universal" two rotations;
    /// "spherical" all rotations; "six_dof" all but what `axis_limits` names; "distance" all, with
    /// the distance of two points from `min_length` to `length`; "rope" all, with a distance of at
    /// most `length`; "pulley" a rope over two `supports`; "gear" and "rack_and_pinion" couple two
    /// joints, whose numbers are `a` and `b`.
    #[pyo3(signature = (kind, a, b, *, anchor = None, anchors = None, axis = None, frames = None, limits = None, motor = None, cone = None, twist = None, axis_limits = None, axis_motors = None, length = None, min_length = None, supports = None, ratio = None, lead = None, spring = None, break_force = None, break_torque = None, contacts = false))]
    fn add_joint(
        &mut self,
        kind: &str,
        a: u32,
        b: u32,
        anchor: Option<&Bound<'_, PyAny>>,
        anchors: Option<TwoOf<'_>>,
        axis: Option<&Bound<'_, PyAny>>,
        frames: Option<TwoOf<'_>>,
        limits: Option<(f32, f32)>,
        motor: Option<&Bound<'_, PyMotor>>,
        cone: Option<f32>,
        twist: Option<(f32, f32)>,
        axis_limits: Option<BTreeMap<String, Bound<'_, PyAny>>>,
        axis_motors: Option<BTreeMap<String, Bound<'_, PyMotor>>>,
        length: Option<f32>,
        min_length: Option<f32>,
        supports: Option<TwoOf<'_>>,
        ratio: Option<f32>,
        lead: Option<f32>,
        spring: Option<(f32, f32)>,
        break_force: Option<f32>,
        break_torque: Option<f32>,
        contacts: bool,
    ) -> PyResult<u32> {
        let number = self.joints.next("joints")?;
        let point = |object: &Bound<'_, PyAny>, name| vector(object, name).map(|point| point.as_vec3());
        let uses_length = matches!(kind, "distance" | "rope" | "pulley");
        let uses_ratio = matches!(kind, "pulley" | "gear" | "rack_and_pinion");
        let strays = [
            ("length", length.is_some() && !uses_length),
            ("min_length", min_length.is_some() && kind != "distance"),
            ("supports", supports.is_some() && kind != "pulley"),
            ("ratio", ratio.is_some() && !uses_ratio),
            ("lead", lead.is_some() && kind != "screw"),
        ];
        if let Some((name, _)) = strays.into_iter().find(|(_, is_stray)| *is_stray) {
            return Err(error::value(name, format!("is not for the kind {kind:?}")));
        }
        let mut desc = match kind {
            "gear" | "rack_and_pinion" => {
                let (one, other) = (self.joint_id(a)?, self.joint_id(b)?);
                let ratio = needed(ratio, kind, "ratio")?;
                match kind {
                    "gear" => JointDesc::gear(one, other, ratio),
                    _ => JointDesc::rack_and_pinion(one, other, ratio),
                }
            }
            "pulley" => {
                let (one, other) = needed(supports, kind, "supports")?;
                let supports = [point(&one, "supports")?, point(&other, "supports")?];
                let (ratio, length) = (ratio.unwrap_or(1.0), needed(length, kind, "length")?);
                JointDesc::pulley(self.id(a)?, self.id(b)?, supports, ratio, length)
            }
            "screw" => JointDesc::screw(self.id(a)?, self.id(b)?, needed(lead, kind, "lead")?),
            "distance" | "rope" => {
                let max = needed(length, kind, "length")?;
                let min = if kind == "rope" { 0.0 } else { min_length.unwrap_or(max) };
                JointDesc::distance(self.id(a)?, self.id(b)?, min, max)
            }
            other => {
                let make: fn(BodyId, BodyId) -> JointDesc = match other {
                    "weld" => JointDesc::weld,
                    "revolute" => JointDesc::revolute,
                    "prismatic" => JointDesc::prismatic,
                    "cylindrical" => JointDesc::cylindrical,
                    "universal" => JointDesc::universal,
                    "spherical" => JointDesc::spherical,
                    "six_dof" => JointDesc::six_dof,
                    _ => return Err(error::value("kind", format!("there is no joint {other:?}"))),
                };
                make(self.id(a)?, self.id(b)?)
            }
        };
        match (anchor, anchors, frames) {
            (None, None, None) => {}
            (Some(one), None, None) => desc = desc.with_anchor(point(one, "anchor")?),
            (None, Some((one, other)), None) => {
                desc = desc.with_anchors(point(&one, "anchors")?, point(&other, "anchors")?);
            }
            (None, None, Some((one, other))) if axis.is_none() => {
                let frame = |object| single::pose(&pose::pose(Some(object), "frames")?);
                desc = desc.with_frames(frame(&one)?, frame(&other)?);
            }
            _ => {
                let what = "give one of anchor, anchors and frames; frames have the axis along x";
                return Err(error::value("frames", what));
            }
        }
        if let Some(axis) = axis {
            let direction = vector(axis, "axis")?;
            let unit = direction.try_normalize().ok_or_else(|| error::value("axis", "has no direction"))?;
            desc = desc.with_axis(unit.as_vec3());
        }
        if let Some((min, max)) = limits {
            desc = desc.with_limits(min, max);
        }
        if let Some(motor) = motor {
            desc = desc.with_motor(motor.get().motor);
        }
        if let Some(cone) = cone {
            desc = desc.with_cone(cone);
        }
        if let Some((min, max)) = twist {
            desc = desc.with_twist(min, max);
        }
        for (name, limit) in axis_limits.iter().flatten() {
            let limit = axis_limit(limit, &format!("axis_limits[{name:?}]"))?;
            desc = desc.with_axis_limit(axis_of(name, "axis_limits")?, limit);
        }
        for (name, motor) in axis_motors.iter().flatten() {
            desc = desc.with_axis_motor(axis_of(name, "axis_motors")?, motor.get().motor);
        }
        if let Some((frequency, damping_ratio)) = spring {
            desc = desc.with_spring(Spring::new(frequency, damping_ratio));
        }
        if let Some(force) = break_force {
            desc = desc.with_break_force(force);
        }
        if let Some(torque) = break_torque {
            desc = desc.with_break_torque(torque);
        }
        let desc = desc.with_contacts(contacts).with_user_data(u64::from(number));
        let id = self.world.insert_joint(desc);
        Ok(self.joints.push(id.map_err(|e| error::world(format!("joint {kind:?} of {a} and {b}: {e}")))?))
    }

    /// Removes a joint.
    fn remove_joint(&mut self, joint: u32) -> PyResult<()> {
        let id = self.joint_id(joint)?;
        self.world.remove_joint(id).map_err(error::world)?;
        self.joints.remove(id);
        Ok(())
    }

    /// The numbers of the joints, ascending, (n,). Those that broke, and those of removed bodies,
    /// are gone.
    fn joints<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        array(py, self.world.joints().map(|joint| joint.user_data() as i64).collect())
    }

    /// The state of a joint.
    fn joint(&self, py: Python<'_>, joint: u32) -> PyResult<JointState> {
        let id = self.joint_id(joint)?;
        let view = self.world.joint(id).map_err(error::world)?;
        let [a, b] = view.bodies();
        Ok(JointState {
            kind: name_of(&view.kind()),
            bodies: (self.bodies.number(a), self.bodies.number(b)),
            angle: view.angle(),
            translation: view.translation(),
            speed: view.speed().map(f64::from),
            force: array3(py, view.force().as_dvec3()).unbind(),
            torque: array3(py, view.torque().as_dvec3()).unbind(),
            error: f64::from(view.error()),
        })
    }

    /// Sets the motor of the one axis of a revolute or prismatic joint or a screw, or of an axis of
    /// another kind: "x", "y", "z", "ang_x", "ang_y" or "ang_z". `None` has no motor.
    #[pyo3(signature = (joint, motor, axis = None))]
    fn set_motor(
        &mut self,
        joint: u32,
        motor: Option<&Bound<'_, PyMotor>>,
        axis: Option<&str>,
    ) -> PyResult<()> {
        let motor: Option<Motor> = motor.map(|motor| motor.get().motor);
        let axis = axis.map(|axis| axis_of(axis, "axis")).transpose()?;
        self.change_joint(joint, |view| match axis {
            None => view.set_motor(motor).map(|_| ()),
            Some(axis) => view.set_axis_motor(axis, motor).map(|_| ()),
        })
    }

    /// Sets the limits of the one axis of a revolute joint or a screw (radians) or of a prismatic
    /// joint; `None` has none.
    #[pyo3(signature = (joint, limits))]
    fn set_limits(&mut self, joint: u32, limits: Option<(f32, f32)>) -> PyResult<()> {
        self.change_joint(joint, |view| view.set_limits(limits.map(|(min, max)| [min, max])).map(|_| ()))
    }

    /// Sets the limit of an axis of a joint of several: "free", "locked", or the least and the
    /// largest place or angle.
    fn set_axis_limit(&mut self, joint: u32, axis: &str, limit: &Bound<'_, PyAny>) -> PyResult<()> {
        let (axis, limit) = (axis_of(axis, "axis")?, axis_limit(limit, "limit")?);
        self.change_joint(joint, |view| view.set_axis_limit(axis, limit).map(|_| ()))
    }

    /// Sets the length of a rope or pulley; of the kind "distance" also the least one, which is
    /// otherwise the same.
    #[pyo3(signature = (joint, length, min_length = None))]
    fn set_length(&mut self, joint: u32, length: f32, min_length: Option<f32>) -> PyResult<()> {
        let kind = self.world.joint(self.joint_id(joint)?).map_err(error::world)?.kind();
        self.change_joint(joint, |view| match kind {
            JointKind::Distance { min: 0.0, .. } => {
                view.set_distance(min_length.unwrap_or(0.0), length).map(|_| ())
            }
            JointKind::Distance { .. } => view.set_distance(min_length.unwrap_or(length), length).map(|_| ()),
            _ => view.set_length(length).map(|_| ()),
        })
    }

    /// The joints that broke in the last step.
    fn broken_joints(&self) -> Vec<BrokenJoint> {
        let broken = self.world.broken_joints().iter();
        let broken = broken.map(|event| BrokenJoint {
            joint: event.user_data as i64,
            bodies: (self.bodies.number(event.a), self.bodies.number(event.b)),
            force: f64::from(event.force),
            torque: f64::from(event.torque),
        });
        broken.collect()
    }
}

/// Returns the name of a kind. Those of six degrees of freedom have one name.
fn name_of(kind: &JointKind) -> &'static str {
    match kind {
        JointKind::Weld => "weld",
        JointKind::Spherical { .. } => "spherical",
        JointKind::Revolute { .. } => "revolute",
        JointKind::Prismatic { .. } => "prismatic",
        JointKind::Screw { .. } => "screw",
        JointKind::SixDof(_) => "six_dof",
        JointKind::Distance { min: 0.0, .. } => "rope",
        JointKind::Distance { .. } => "distance",
        JointKind::Pulley { .. } => "pulley",
        JointKind::Gear { .. } => "gear",
        JointKind::RackAndPinion { .. } => "rack_and_pinion",
        // `add_joint` makes no other kind.
        _ => "other",
    }
}

impl PyWorld {
    /// Returns the handle of a joint, or an error that names its number.
    fn joint_id(&self, number: u32) -> PyResult<JointId> {
        let id = self.joints.handle(number).filter(|id| self.world.joint(*id).is_ok());
        id.ok_or_else(|| WorldError::new_err(format!("joint {number} does not exist")))
    }

    fn change_joint(
        &mut self,
        number: u32,
        change: impl FnOnce(&mut JointMut<'_>) -> Result<(), carom_world::WorldError>,
    ) -> PyResult<()> {
        let id = self.joint_id(number)?;
        let changed = self.world.joint_mut(id).and_then(|mut joint| change(&mut joint));
        changed.map_err(|e| error::world(format!("joint {number}: {e}")))
    }
}
