//! Brush worlds against the list of their brushes.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod brushes;
mod entangled;
mod groups;
mod levels;
mod meshes;
mod oracle;
mod points;
mod seams;
mod stored;
mod traces;
