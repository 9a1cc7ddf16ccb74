//! Scenes and queries whose results have known bits: the same on every target, with every instruction set, any broad
//! phase, and glam with or without SIMD.
//!
//! The program prints one line a hash. On `wasm32-unknown-unknown` the library is a module that node and browsers load.
//! `cargo xtask golden` runs both where their targets are and writes the table in the README of carom-world.

mod battery;
mod dice;
mod scenes;
#[cfg(target_family = "wasm")]
pub mod wasm;

pub use battery::{QUERIES, query_hash};
pub use scenes::{DT, Fill, HASHES, Scene, scenes};

use carom_broad_tree::DynamicBvh;

/// What a scene or a query was refused for.
pub type Error = Box<dyn core::error::Error>;

/// Returns one line a hash, name first; an error in the place of a hash that could not be had.
pub fn report() -> String {
    let shown = |name: &str, hash: Result<u64, Error>| match hash {
        Ok(hash) => format!("{name}: {hash:016x}\n"),
        Err(error) => format!("{name}: {error}\n"),
    };
    let mut text: String =
        scenes::<DynamicBvh>().iter().map(|scene| shown(scene.name, scene.run(DynamicBvh::new()))).collect();
    text += &shown("queries", query_hash());
    text
}
