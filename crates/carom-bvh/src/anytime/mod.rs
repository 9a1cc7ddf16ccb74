//! Time-critical searches over one pair of trees or thousands, interruptible at any time, with
//! bounds at every stop.
//!
//! Read [`search`] first: one loop that takes pairs of volumes from a [`queue`] until it must
//! stop. [`until`] has the stop conditions, [`pairs`] the callbacks of the caller, and [`state`]
//! the data of a pair of trees. [`answer`] and [`contact`] turn the state into bounds and an
//! approximate contact. [`settings`] has the goals and the orders.

mod answer;
mod contact;
mod pairs;
mod queue;
mod search;
mod settings;
mod state;
mod until;

pub use answer::{AnytimeAnswer, Certainty};
pub use contact::ApproximateContact;
pub use pairs::{AnytimePair, AnytimePairs, LeafPair, Undecided};
pub use search::{AnytimeError, AnytimeRun, AnytimeSearch};
pub use settings::{AnytimeGoal, AnytimeOrder, AnytimeSettings};
pub use until::{Ended, Until};
