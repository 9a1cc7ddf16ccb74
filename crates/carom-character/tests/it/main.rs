//! Character movement, held against slower truths.

#![allow(clippy::unwrap_used)]
mod cone;
mod limits;
mod motion;
mod rates;
mod worlds;
