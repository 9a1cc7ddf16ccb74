//! Who moves, kept from step to step, so that who sleeps is not looked at; and who wakes together.
//!
//! Reference: E. Catto, Simulation Islands, box2d.org, 2023 (sleeping islands are put away).

use alloc::vec::Vec;
use carom_response::{Body, BodyKind};

/// The bodies that are awake, or that their owner may move.
#[derive(Clone, Debug, Default)]
pub(crate) struct Movers {
    /// Their numbers, ascending; those that came since are in `new`.
    list: Vec<u32>,
    new: Vec<u32>,
    /// By number: it is in one of the two lists.
    is_in: Vec<bool>,
    /// By number, of who sleeps: the next of those that fell asleep with it, in a ring.
    next: Vec<u32>,
    /// Island and number of those that fell asleep; memory.
    fallen: Vec<(u32, u32)>,
}

fn may_move(body: &Body) -> bool {
    body.kind != BodyKind::Fixed && !body.is_sleeping
}

impl Movers {
    /// Those of a world that was restored.
    pub(crate) fn of(bodies: &[Body]) -> Movers {
        let mut movers = Movers::default();
        for (number, body) in bodies.iter().enumerate() {
            if may_move(body) {
                movers.add(number);
            }
        }
        let sleeps = |(_, body): &(usize, &Body)| body.is_sleeping;
        let sleepers = bodies.iter().enumerate().filter(sleeps);
        movers.fallen = sleepers.map(|(number, body)| (body.island, number as u32)).collect();
        movers.close_rings(bodies.len());
        movers
    }

    /// A body that came, or wakes.
    pub(crate) fn add(&mut self, body: usize) {
        if self.is_in.len() <= body {
            self.is_in.resize(body + 1, false);
        }
        if !self.is_in[body] {
            self.is_in[body] = true;
            self.new.push(body as u32);
        }
    }

    /// Wakes a body and all that fell asleep with it.
    pub(crate) fn wake(&mut self, bodies: &mut [Body], body: usize) {
        let mut at = body;
        while bodies[at].is_sleeping {
            bodies[at].is_sleeping = false;
            bodies[at].sleep_time = 0.0;
            self.add(at);
            at = self.next.get(at).map_or(at, |&next| next as usize);
        }
    }

    /// Who does not move any more goes, who is new gets its place.
    pub(crate) fn settle(&mut self, bodies: &[Body]) {
        let Movers { list, new, is_in, .. } = self;
        let mut stays = |number: &u32| {
            let stays = may_move(&bodies[*number as usize]);
            is_in[*number as usize] = stays;
            stays
        };
        list.retain(&mut stays);
        new.retain(&mut stays);
        if !new.is_empty() {
            list.append(new);
            list.sort_unstable();
        }
        is_in.resize(bodies.len(), false);
    }

    /// After a step: who fell asleep in it will wake together.
    pub(crate) fn note_sleepers(&mut self, bodies: &[Body]) {
        self.fallen.clear();
        for &number in &self.list {
            let body = &bodies[number as usize];
            if body.is_sleeping {
                self.fallen.push((body.island, number));
            }
        }
        self.close_rings(bodies.len());
    }

    fn close_rings(&mut self, n_bodies: usize) {
        self.next.resize(n_bodies, 0);
        self.fallen.sort_unstable();
        for ring in self.fallen.chunk_by(|x, y| x.0 == y.0) {
            for (own, following) in ring.iter().zip(ring.iter().skip(1).chain(ring.first())) {
                self.next[own.1 as usize] = following.1;
            }
        }
    }

    /// Their numbers, ascending, when all have settled.
    pub(crate) fn list(&self) -> &[u32] {
        &self.list
    }

    /// The body is one of them.
    #[inline]
    pub(crate) fn has(&self, body: u32) -> bool {
        self.is_in.get(body as usize).is_some_and(|is_in| *is_in)
    }
}
