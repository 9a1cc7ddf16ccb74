//! `carom.Material` and `carom.Filter`: the surface of a collider, and what it meets.

use crate::array::{array3, vector_or_zero};
use crate::error;
use carom_broad::Groups;

use carom_world::{CombineRule, Filter, Material};
use numpy::PyArray1;
use pyo3::prelude::*;

/// The rules by their names.
const RULES: [(&str, CombineRule); 5] = [
    ("average", CombineRule::Average),
    ("min", CombineRule::Min),
    ("multiply", CombineRule::Multiply),
    ("geometric_mean", CombineRule::GeometricMean),
    ("max", CombineRule::Max),
];

fn rule(name: &str, argument: &str) -> PyResult<CombineRule> {
    let found = RULES.iter().find(|(known, _)| *known == name).map(|(_, rule)| *rule);
    found.ok_or_else(|| {
        let known: Vec<String> = RULES.iter().map(|(known, _)| format!("{known:?}")).collect();
        error::value(argument, format!("must be one of {}, not {name:?}", known.join(", ")))
    })
}

fn name_of(rule: CombineRule) -> &'static str {
    RULES.iter().find(|(_, known)| *known == rule).map_or("", |(name, _)| name)
}

/// The surface of a collider. It does not change.
#[pyclass(frozen, module = "carom", name = "Material")]
pub(crate) struct PyMaterial {
    pub(crate) material: Material,
}

#[pymethods]
impl PyMaterial {
    #[new]
    #[pyo3(signature = (friction = 0.5, restitution = 0.0, *, rolling_friction = 0.0, spinning_friction = 0.0, friction_rule = "geometric_mean", restitution_rule = "max", surface_velocity = None, surface_spin = None))]
    fn new(
        friction: f32,
        restitution: f32,
        rolling_friction: f32,
        spinning_friction: f32,
        friction_rule: &str,
        restitution_rule: &str,
        surface_velocity: Option<&Bound<'_, PyAny>>,
        surface_spin: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyMaterial> {
        let rules = (rule(friction_rule, "friction_rule")?, rule(restitution_rule, "restitution_rule")?);
        let velocity = vector_or_zero(surface_velocity, "surface_velocity")?.as_vec3();
        let spin = vector_or_zero(surface_spin, "surface_spin")?.as_vec3();
        let numbers = [
            ("friction", friction),
            ("restitution", restitution),
            ("rolling_friction", rolling_friction),
            ("spinning_friction", spinning_friction),
        ];
        for (name, value) in numbers {
            if !(0.0 <= value && value.is_finite()) {
                return Err(error::value(name, format!("must be finite and not negative, not {value}")));
            }
        }
        let material = Material::new(friction, restitution)
            .with_rules(rules.0, rules.1)
            .with_rolling_friction(rolling_friction)
            .with_spinning_friction(spinning_friction)
            .with_surface_velocity(velocity, spin);
        Ok(PyMaterial { material })
    }

    /// Coulomb's coefficient.
    #[getter]
    fn friction(&self) -> f32 {
        self.material.friction
    }

    /// 0 does not bounce, 1 keeps the speed.
    #[getter]
    fn restitution(&self) -> f32 {
        self.material.restitution
    }

    /// How far the support lies ahead of the point of contact of a body that rolls, a length.
    #[getter]
    fn rolling_friction(&self) -> f32 {
        self.material.rolling_friction
    }

    /// The largest torque about the normal against a spin divided by the normal force, a length.
    #[getter]
    fn spinning_friction(&self) -> f32 {
        self.material.spinning_friction
    }

    /// How two frictions become one: "average", "min", "multiply", "geometric_mean" or "max". If
    /// the two rules differ, the later in this list counts.
    #[getter]
    fn friction_rule(&self) -> &'static str {
        name_of(self.material.friction_rule)
    }

    /// How two restitutions become one.
    #[getter]
    fn restitution_rule(&self) -> &'static str {
        name_of(self.material.restitution_rule)
    }

    /// The velocity of the surface against its body, as of a belt, in the collider's frame, (3,):
    /// length per time.
    #[getter]
    fn surface_velocity<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array3(py, self.material.surface_velocity.as_dvec3())
    }

    /// The angular velocity of the surface against its body, as of a turntable, in the collider's
    /// frame, (3,): radians per time.
    #[getter]
    fn surface_spin<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array3(py, self.material.surface_spin.as_dvec3())
    }

    fn __repr__(&self) -> String {
        format!("<carom.Material, friction {}, restitution {}>", self.friction(), self.restitution())
    }
}

/// The groups that a collider meets. It does not change.
///
/// Two colliders meet if each is in a group of the other's mask, and their families differ or are
/// 0.
#[pyclass(frozen, module = "carom", name = "Filter")]
pub(crate) struct PyFilter {
    pub(crate) filter: Filter,
}

#[pymethods]
impl PyFilter {
    #[new]
    #[pyo3(signature = (groups = 1, mask = u32::MAX, family = 0))]
    fn new(groups: u32, mask: u32, family: u32) -> PyFilter {
        let filter = Filter::new(Groups::from_bits_retain(groups), Groups::from_bits_retain(mask));
        PyFilter { filter: filter.with_family(family) }
    }

    /// The groups that it is in, 32 bits.
    #[getter]
    fn groups(&self) -> u32 {
        self.filter.groups.bits()
    }

    /// The groups that it meets, 32 bits.
    #[getter]
    fn mask(&self) -> u32 {
        self.filter.mask.bits()
    }

    /// Colliders of one family do not meet, such as the limbs of one figure. 0 is no family.
    #[getter]
    fn family(&self) -> u32 {
        self.filter.family
    }

    fn __repr__(&self) -> String {
        format!(
            "<carom.Filter, groups {:#x}, mask {:#x}, family {}>",
            self.groups(),
            self.mask(),
            self.family()
        )
    }
}
