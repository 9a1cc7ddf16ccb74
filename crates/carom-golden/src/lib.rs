//! Scenes and queries with results of known bits. The bits are the same on every target, with every
//! instruction set and any broad phase, and for glam with or without SIMD.
//!
//! The program prints one line for each hash. On `wasm32-unknown-unknown` the library is a module
//! that node and browsers load. `cargo xtask golden` runs both on the targets that it finds, and
//! writes the table in the README of carom-world.

mod battery;
mod budgets;
mod dice;
mod scenes;
#[cfg(target_family = "wasm")]
pub mod wasm;

pub use battery::{QUERIES, query_hash};
pub use budgets::time_budgets;
pub use scenes::{DT, Fill, HASHES, Scene, scenes};

use battery::Hash;
use carom_broad_tree::DynamicBvh;

/// The error of a scene or a query that was refused.
pub type Error = Box<dyn core::error::Error>;

/// Returns a line for each hash, name first, and a last line with the hash of all.
///
/// If a hash cannot be computed, its line has the error. A wrong answer to a budget in time has a
/// line of its own.
pub fn report() -> String {
    let mut found = Vec::new();
    let mut text = String::new();
    let mut show = |name: &str, hash: Result<u64, Error>| match hash {
        Ok(hash) => {
            found.push(hash);
            text += &format!("{name}: {hash:016x}\n");
        }
        Err(error) => text += &format!("{name}: {error}\n"),
    };
    for scene in scenes::<DynamicBvh>() {
        show(scene.name, scene.run(DynamicBvh::new()));
    }
    show("queries", query_hash());
    if let Err(error) = time_budgets() {
        text += &format!("budgets in time: {error}\n");
    }
    format!("{text}all: {:016x}\n", hash_of_all(&found))
}

/// Returns one hash of the states of all scenes and of the queries, in this order.
pub fn hash_of_all(hashes: &[u64]) -> u64 {
    let mut all = Hash::new();
    hashes.iter().for_each(|&hash| all.add(hash));
    all.0
}
