//! Time-critical searches: over one pair of trees or thousands, stopped at any moment, with bounds
//! at every stop.
//!
//! Read [`search`] first: one loop that takes pairs of volumes from a [`queue`] until it is told to
//! stop. [`until`] says when that is, [`pairs`] what the owner of the trees has to say, [`state`]
//! what is known of one pair of trees; [`answer`] and [`contact`] turn that into bounds and an
//! approximate contact. [`settings`] are the questions and the orders.

mod answer;
mod contact;
mod pairs;
mod queue;
mod search;
mod settings;
mod state;
mod until;

pub use answer::{Certainty, TimedAnswer};
pub use contact::ApproximateContact;
pub use pairs::{LeafPair, TimedPair, TimedPairs, Undecided};
pub use search::{TimedError, TimedRun, TimedSearch};
pub use settings::{TimedGoal, TimedOrder, TimedSettings};
pub use until::{Ended, Until};
