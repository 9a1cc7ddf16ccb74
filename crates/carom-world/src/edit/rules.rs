//! The response of a pair of bodies, and its effect on their pairs in the broad phase.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.9 (response).

use crate::bodies::checks::check_response;
use crate::contacts::rules::set;
use crate::{BodyId, World, WorldError};
use carom_broad::{BroadPhase, Pair};
use carom_response::Response;

impl<B: BroadPhase> World<B> {
    /// Returns the response of two bodies to each other. It is that of the pair if one is set.
    /// Otherwise it follows from both bodies: [`Response::of_pair`].
    ///
    /// Errors: a stale body.
    pub fn pair_response(&self, a: BodyId, b: BodyId) -> Result<Response, WorldError> {
        self.bodies.index_of(a)?;
        self.bodies.index_of(b)?;
        Ok(self.contacts.rules.of(Pair { a: a.index.min(b.index), b: a.index.max(b.index) }))
    }

    /// Sets the response of two bodies to each other. It has precedence over the responses of the
    /// bodies; `None` removes it. Wakes both and the bodies that they touched.
    ///
    /// Errors: a stale body, the same body twice, or a number of the response out of its range.
    pub fn set_pair_response(
        &mut self,
        a: BodyId,
        b: BodyId,
        response: impl Into<Option<Response>>,
    ) -> Result<(), WorldError> {
        let response = response.into();
        let indices = [self.bodies.index_of(a)?, self.bodies.index_of(b)?];
        response.map_or(Ok(()), check_response)?;
        if a == b {
            return Err(WorldError::SameBody(a));
        }
        for (id, index) in [a, b].into_iter().zip(indices) {
            self.wake_around(id);
            self.note_new_rule(index);
        }
        set(&mut self.contacts.rules.of_pairs, [a.index.min(b.index), a.index.max(b.index)], response);
        Ok(())
    }

    /// Makes the pairs of a body due. Pairs whose response changes to or from [`Response::Pass`]
    /// are replaced by new pairs.
    pub(crate) fn note_new_rule(&mut self, index: usize) {
        self.bodies.is_stale[index] = true;
        self.contacts.is_renumbered = true;
        self.contacts.is_changed = true;
    }
}
