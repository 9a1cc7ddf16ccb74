//! Sleep: islands, how long they have been at rest, and which of them are left out of steps.

pub(crate) mod island;
pub(crate) mod rest;
pub(crate) mod sleepers;
