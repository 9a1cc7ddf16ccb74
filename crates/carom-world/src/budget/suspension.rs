//! Suspension: if a budget does not suffice for all bodies, selects those that move and suspends
//! the others.
//!
//! Touching pairs in which neither body moves are reported as persisted.
//!
//! While bodies are suspended, no step moves all of a pile. So it comes to rest part by part, by
//! two rules in `step/waking.rs`:
//!
//! - A body that is slow for long enough falls asleep only if all suspended bodies that it touches
//!   have been slow for nearly as long.
//! - A body that is about to fall asleep wakes no other body.
//!
//! Reference: J. Dingliana, C. O'Sullivan, Graceful Degradation of Collision Handling in Physically
//! Based Animation, Eurographics 2000.

use crate::bodies::BodySet;
use crate::budget::BudgetState;
use crate::budget::time_critical::StepBudget;
use crate::contacts::ContactSet;
use crate::contacts::pair_state::PairState;
use crate::joints::Joints;

use carom_response::{Body, SolverSettings};

impl BudgetState {
    /// Selects the bodies that move: all, or as many as the budget is expected to allow.
    pub(crate) fn select_moving(
        &mut self,
        step_budget: &mut StepBudget,
        bodies: &mut BodySet,
        contacts: &mut ContactSet,
        joints: &Joints,
        settings: &SolverSettings,
    ) {
        let BodySet { motions, active, is_stale, .. } = bodies;
        let (round_robin, states) = (&mut self.round_robin, &contacts.states);
        let was_suspending = active.has_suspended();
        let mut costs = None;
        if step_budget.is_unlimited() || active.awake().is_empty() {
            round_robin.forget_counts();
        } else {
            let mut demand = round_robin.count(motions.len(), states, active);
            if step_budget.counts_work() {
                round_robin.count_manifolds(states, active, is_stale, &mut demand);
            }
            costs = step_budget.costs(&demand, was_suspending);
        }
        let Some(costs) = costs else {
            if active.resume() {
                // Deferred pairs are due now.
                (contacts.is_unsettled, contacts.is_changed) = (true, true);
            }
            self.cost_model.note_selection(false);
            return;
        };
        let unit = settings.length_unit;
        let slow = settings.sleep_speed * unit;
        let is_slow = |body: &Body| {
            let turning = body.angular_velocity * unit;
            body.linear_velocity.length_squared() + turning.length_squared() <= slow * slow
        };
        let chosen = round_robin.select(motions, active, joints, &costs, is_slow);
        active.suspend_others(|body| round_robin.is_chosen(body));
        let mut n_manifolds = 0;
        if step_budget.counts_work() {
            let moves = |state: &&PairState| {
                round_robin.is_chosen(state.a.index) || round_robin.is_chosen(state.b.index)
            };
            let moving = states.iter().filter(|state| !state.is_gap()).filter(moves);
            n_manifolds = moving.map(|state| state.n.max(1) as usize).sum();
        }
        step_budget.suspend_others(&chosen, n_manifolds);
        // The solver needs the contacts of the selected bodies.
        contacts.is_changed = true;
        self.cost_model.note_selection(true);
    }
}

#[cfg(test)]
mod tests {
    use crate::budget::time_critical::StepBudget;
    use crate::{BodyDesc, World};
    use carom_geom::{Cuboid, HalfSpace};
    use carom_math::{Budget, Vec3};
    use carom_query::Shape;

    fn choose(world: &mut World, step_budget: &mut StepBudget) {
        let World { settings, bodies, joints, contacts, budget, .. } = world;
        budget.select_moving(step_budget, bodies, contacts, joints, &settings.solver);
    }

    /// Bodies that were selected in a call that was deferred are selected again.
    #[test]
    fn a_selection_is_repeated_after_a_deferred_call() {
        let mut world = World::new();
        let cube = Shape::Cuboid(Cuboid::new(Vec3::splat(0.6)).unwrap());
        for i in 0..200 {
            let at = Vec3::new(i as f32, 0.0, 0.0);
            world.insert(BodyDesc::dynamic(cube.clone()).with_position(at)).unwrap();
        }
        world.step(0.01).unwrap();
        let mut chosen = Vec::new();
        for call in 0..6 {
            let mut step_budget = StepBudget::start(Budget::Steps(60), world.budget.cost_model, 6);
            choose(&mut world, &mut step_budget);
            assert!(step_budget.work().has_suspended);
            let active = world.bodies.active.moving().to_vec();
            // Every other call is deferred.
            if call % 2 == 0 {
                world.end_deferred_call(&step_budget, 0.01);
                chosen = active;
            } else {
                assert_eq!(chosen, active, "call {call}");
            }
        }
        let mut step_budget = StepBudget::start(Budget::Steps(60), world.budget.cost_model, 6);
        choose(&mut world, &mut step_budget);
        assert_ne!(chosen, world.bodies.active.moving());
    }

    /// A few manifolds are put to rest in each step. In none of these steps is the whole list moved
    /// to larger memory.
    #[test]
    fn there_is_room_for_all_that_will_rest() {
        let mut world = World::new();
        world.insert(BodyDesc::fixed(Shape::HalfSpace(HalfSpace::new(Vec3::Y).unwrap()))).unwrap();
        let cube = Shape::Cuboid(Cuboid::new(Vec3::splat(0.5)).unwrap());
        for i in 0..1000 {
            let at = Vec3::new(2.0 * (i % 40) as f32, 0.499, 2.0 * (i / 40) as f32);
            world.insert(BodyDesc::dynamic(cube.clone()).with_position(at)).unwrap();
        }
        let mut rooms = Vec::new();
        let mut sizes = Vec::new();
        for _ in 0..80 {
            let stats = world.step_with_budget(0.01, Budget::Steps(60)).unwrap();
            assert!(0 < stats.shortfall.n_suspended);
            rooms.push(world.contacts.sleeping.capacity());
            sizes.push(world.contacts.sleeping.len());
        }
        assert!(sizes[1] < 100 && 500 < sizes[79], "{sizes:?}");
        assert!(rooms.iter().all(|&room| room == rooms[0]), "{rooms:?}");
    }
}
