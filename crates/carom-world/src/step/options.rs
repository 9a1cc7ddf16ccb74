//! Options of a step: its budget, its hooks, and a callback before each substep.
//!
//! Reference: E. Catto, Box2D 3.1, `b2World_Step`, 2025; Jolt Physics, `PhysicsStepListener`.

use crate::hooks::Hooks;
use crate::step::substeps::Substep;
use carom_math::Budget;

/// Options of a step.
#[derive(Default)]
#[non_exhaustive]
pub struct StepOptions<'a> {
    /// The bound of the work or the time of the step: see
    /// [`World::step_with_budget`](crate::World::step_with_budget). Default:
    /// [`Budget::Unlimited`].
    pub budget: Budget,
    /// The hooks, which are called within the step for pairs of colliders: see [`Hooks`]. Default:
    /// `None`.
    pub hooks: Option<&'a dyn Hooks>,
    /// The callback before each substep, which may apply forces: see [`Substep`]. Default: `None`.
    pub on_substep: Option<&'a mut dyn FnMut(&mut Substep<'_>)>,
}

impl<'a> StepOptions<'a> {
    /// Returns the default options.
    pub fn new() -> StepOptions<'a> {
        StepOptions::default()
    }

    /// Sets the budget.
    #[must_use]
    pub fn with_budget(self, budget: Budget) -> Self {
        StepOptions { budget, ..self }
    }

    /// Sets the hooks.
    #[must_use]
    pub fn with_hooks(self, hooks: &'a dyn Hooks) -> Self {
        StepOptions { hooks: Some(hooks), ..self }
    }

    /// Sets the callback before each substep.
    ///
    /// If it panics, the step is completed without it, and then the panic is resumed. Without the
    /// feature `std` the world cannot be used after a panic.
    #[must_use]
    pub fn with_on_substep(self, on_substep: &'a mut dyn FnMut(&mut Substep<'_>)) -> Self {
        StepOptions { on_substep: Some(on_substep), ..self }
    }
}

impl core::fmt::Debug for StepOptions<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("StepOptions")
            .field("budget", &self.budget)
            .field("has_hooks", &self.hooks.is_some())
            .field("has_on_substep", &self.on_substep.is_some())
            .finish()
    }
}
