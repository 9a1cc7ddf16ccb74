//! What one body touches.
//!
//! Reference: E. Catto, Box2D 3.1, `b2Body_GetContactData`, 2025.

use crate::contacts::events::ContactView;
use crate::{BodyId, World, WorldError};
use carom_broad::BroadPhase;

impl<B: BroadPhase> World<B> {
    /// The contacts of a body at the last detection, in the order of the pairs: as
    /// [`World::contacts`], which it goes through.
    ///
    /// Errors: a stale handle.
    pub fn contacts_of(&self, id: BodyId) -> Result<impl Iterator<Item = ContactView<'_>>, WorldError> {
        self.bodies.index_of(id)?;
        Ok(self.contacts().filter(move |view| view.a == id || view.b == id))
    }

    /// The bodies that a body touched at the last detection, each once. Sensors count, and what is
    /// inside a sensor.
    ///
    /// Errors: a stale handle.
    pub fn touching(&self, id: BodyId) -> Result<impl Iterator<Item = BodyId> + '_, WorldError> {
        let contacts = self.contacts_of(id)?.filter(|view| view.is_touching);
        Ok(contacts.map(move |view| if view.a == id { view.b } else { view.a }))
    }
}
