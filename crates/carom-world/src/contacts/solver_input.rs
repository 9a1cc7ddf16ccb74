//! The contacts as input of the solver: links to the manifolds, with friction and restitution.
//!
//! Two passes, also on several threads: `select` finds the pairs to be solved, and `write_links`
//! writes a link for each of their manifolds.
//!
//! Reference: E. Catto, Modeling and Solving Constraints, GDC 2009 (friction of a pair).

use crate::bodies::solids::Solids;
use crate::bodies::traits::Traits;
use crate::contacts::pair_state::{NOT_SOLVED, PairState};
use crate::contacts::rules::Rules;
#[cfg(feature = "parallel")]
use crate::par::CHUNK_LENGTH;
use carom_geom::Manifold;
use carom_response::{ContactLink, Response};

/// The input of both passes, besides the pair states.
pub(crate) struct SolverInput<'a> {
    /// By body: whether the solver moves it.
    pub(crate) is_active: &'a [bool],
    pub(crate) traits: &'a [Traits],
    pub(crate) rules: &'a Rules,
    /// All colliders with the manifolds, if some colliders or parts have materials of their own.
    pub(crate) colliders: Option<(Solids<'a>, [&'a [Manifold]; 2])>,
    /// The number of manifolds of active pairs. In the indices of the solver, the manifolds of
    /// pairs at rest follow after these.
    pub(crate) n_manifolds: u32,
}

/// Counts of a chunk: pair states to be solved, and their manifolds.
#[derive(Clone, Copy, Default)]
pub(crate) struct SolvedCounts {
    pub(crate) n_solved: u32,
    pub(crate) n_contacts: u32,
}

impl SolverInput<'_> {
    /// Selects the pair states to be solved among those at the places `active_pairs`, and writes
    /// their places to the front of `solved`. The others are marked as not solved. `states` begins
    /// at place `first`.
    pub(crate) fn select(
        &self,
        (states, first): (&mut [PairState], u32),
        active_pairs: &[u32],
        solved: &mut [u32],
    ) -> SolvedCounts {
        let mut part = SolvedCounts::default();
        for &index in active_pairs {
            let state = &mut states[(index - first) as usize];
            let (a, b) = (state.a.index as usize, state.b.index as usize);
            let is_pushed = !state.is_sensor & !state.is_disabled;
            let is_solved = is_pushed & (self.is_active[a] | self.is_active[b]);
            let n = u32::from(is_solved) * state.n;
            // Branchless: always write, advance only if kept.
            solved[part.n_solved as usize] = index;
            part.n_solved += u32::from(n != 0);
            part.n_contacts += n;
            // Pair states that were just tested already have this value.
            if state.first_solved != NOT_SOLVED {
                state.first_solved = NOT_SOLVED;
            }
        }
        part
    }

    /// Writes the contacts of the pair states at the places `solved` to `out`. The first contact
    /// has number `number`, and `states` begins at place `first`.
    pub(crate) fn write_links(
        &self,
        (states, first): (&mut [PairState], u32),
        solved: &[u32],
        number: u32,
        out: &mut [ContactLink],
    ) {
        let (mut out, mut first_solved) = (out.iter_mut(), number);
        for &index in solved {
            let state = &mut states[(index - first) as usize];
            state.first_solved = first_solved;
            first_solved += state.n;
            let is_new = core::mem::take(&mut state.is_unsolved);
            let (a, b) = (state.a.index, state.b.index);
            let (traits_a, traits_b) = (&self.traits[a as usize], &self.traits[b as usize]);
            // Bodies that stick must not bounce before they are joined. Friction would change their
            // angular momentum, because it acts at two points a gap apart.
            let sticks = self.rules.of(state.pair()) == Response::Stick;
            let [friction, restitution] = if sticks { [0.0; 2] } else { traits_a.mixed_with(traits_b) };
            let first = if state.is_at_rest { self.n_manifolds + state.first } else { state.first };
            if let Some((solids, [active, at_rest])) = &self.colliders
                && solids.has_materials(a as usize, b as usize)
                && !sticks
            {
                let found = if state.is_at_rest { &at_rest[state.range()] } else { &active[state.range()] };
                for (number, (manifold, out)) in (first..).zip(found.iter().zip(&mut out)) {
                    let [friction, restitution] = solids.mixed([a as usize, b as usize], manifold);
                    *out = ContactLink::new(a, b, number, friction, restitution).with_new(is_new);
                }
                continue;
            }
            for (number, out) in (first..first + state.n).zip(&mut out) {
                *out = ContactLink::new(a, b, number, friction, restitution).with_new(is_new);
            }
        }
    }
}

/// After an error of the solver: marks these contacts as not solved.
pub(crate) fn unmark_solved(states: &mut [PairState], active_pairs: &[u32], contacts: &[ContactLink]) {
    for &index in active_pairs {
        let state = &mut states[index as usize];
        state.is_unsolved |= contacts.get(state.first_solved as usize).is_some_and(|contact| contact.is_new);
        state.first_solved = NOT_SOLVED;
    }
}

/// Selects pair states like [`SolverInput::select`], on several threads. The output of each chunk
/// begins at the start of the chunk.
#[cfg(feature = "parallel")]
pub(crate) fn select_in_chunks(
    solver_input: &SolverInput<'_>,
    (states, first): (&mut [PairState], u32),
    active_pairs: &[u32],
    solved: &mut [u32],
    parts: &mut [SolvedCounts],
) {
    if parts.len() <= 1 {
        parts
            .iter_mut()
            .for_each(|part| *part = solver_input.select((&mut *states, first), active_pairs, solved));
        return;
    }
    let middle = parts.len() / 2;
    let (parts, parts_above) = parts.split_at_mut(middle);
    let (active_pairs, busy_above) = active_pairs.split_at(middle * CHUNK_LENGTH);
    let (solved, solved_above) = solved.split_at_mut(middle * CHUNK_LENGTH);
    let (states, states_above) = states.split_at_mut((busy_above[0] - first) as usize);
    rayon::join(
        || select_in_chunks(solver_input, (states, first), active_pairs, solved, parts),
        || {
            select_in_chunks(
                solver_input,
                (states_above, busy_above[0]),
                busy_above,
                solved_above,
                parts_above,
            )
        },
    );
}

/// Writes links like [`SolverInput::write_links`], on several threads, after [`select_in_chunks`].
#[cfg(feature = "parallel")]
pub(crate) fn write_links_in_chunks(
    solver_input: &SolverInput<'_>,
    (states, first): (&mut [PairState], u32),
    (active_pairs, solved): (&[u32], &[u32]),
    (parts, number): (&[SolvedCounts], u32),
    out: &mut [ContactLink],
) {
    if parts.len() <= 1 {
        let n_solved = parts.first().map_or(0, |part| part.n_solved);
        return solver_input.write_links((states, first), &solved[..n_solved as usize], number, out);
    }
    let middle = parts.len() / 2;
    let (parts, parts_above) = parts.split_at(middle);
    let n_contacts = parts.iter().map(|part| part.n_contacts).sum::<u32>();
    let (out, out_above) = out.split_at_mut(n_contacts as usize);
    let (active_pairs, busy_above) = active_pairs.split_at(middle * CHUNK_LENGTH);
    let (solved, solved_above) = solved.split_at(middle * CHUNK_LENGTH);
    let (states, states_above) = states.split_at_mut((busy_above[0] - first) as usize);
    let above = (parts_above, number + n_contacts);
    rayon::join(
        || write_links_in_chunks(solver_input, (states, first), (active_pairs, solved), (parts, number), out),
        || {
            write_links_in_chunks(
                solver_input,
                (states_above, busy_above[0]),
                (busy_above, solved_above),
                above,
                out_above,
            )
        },
    );
}
