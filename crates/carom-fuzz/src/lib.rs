//! The bodies of the fuzz targets: checks that must hold for arbitrary bytes, one for each family
//! of queries.
//!
//! A body takes arbitrary numbers from its bytes and calls the queries. Either the input is refused
//! by a typed error, or the answers agree with each other and with a slower method. The body panics
//! if they do not. The tests of this crate run the bodies on random bytes for a moment (test:
//! `main::every_body_is_run`). `cargo xtask fuzz` runs them for any time.
#![forbid(unsafe_code)]
// Bodies fail by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used)]
#![allow(clippy::duplicate_mod)] // The two precisions of `pairs` are one text.

mod bounds;
mod broad;
mod bvh;
mod bytes;
mod changing;
mod convex;
mod deform;
mod elements;
mod field_pairs;
mod hooks;
mod hull;
mod impacts;
mod known;
mod levels;
mod manifolds;
mod mesh;
mod neighbours;
#[path = "pairs/double.rs"]
mod pairs_double;
#[path = "pairs/single.rs"]
mod pairs_single;
mod particles;
mod renewal;
mod sdf;
mod soft_world;
mod solver;
mod sphere_triangle;
mod tori;
mod triangles;
mod vehicles;
mod world;

pub use bounds::bounds;
pub use broad::broad;
pub use bvh::bvh;
pub use changing::changing;
pub use convex::convex;
pub use deform::deform;
pub use elements::elements;
pub use field_pairs::field_pairs;
pub use hooks::hooks;
pub use hull::hull;
pub use impacts::impacts;
pub use known::known;
pub use levels::levels;
pub use manifolds::manifolds;
pub use mesh::mesh;
pub use neighbours::neighbours;
pub use pairs_double::{pairs as pairs_f64, tables as tables_f64};
pub use pairs_single::{pairs, tables};
pub use particles::particles;
pub use renewal::renewal;
pub use sdf::sdf;
pub use soft_world::soft_world;
pub use solver::solver;
pub use sphere_triangle::sphere_triangle;
pub use tori::tori;
pub use triangles::triangles;
pub use vehicles::vehicles;
pub use world::world;

/// A body by the name of its target.
pub type Body = (&'static str, fn(&[u8]));

/// All bodies in this crate. Bodies that read files are beside their targets.
pub const BODIES: [Body; 30] = [
    ("convex", convex),
    ("triangles", triangles),
    ("hooks", hooks),
    ("hull", hull),
    ("impacts", impacts),
    ("known", known),
    ("levels", levels),
    ("mesh", mesh),
    ("neighbours", neighbours),
    ("bounds", bounds),
    ("broad", broad),
    ("bvh", bvh),
    ("changing", changing),
    ("deform", deform),
    ("elements", elements),
    ("field_pairs", field_pairs),
    ("manifolds", manifolds),
    ("pairs", pairs),
    ("pairs_f64", pairs_f64),
    ("particles", particles),
    ("renewal", renewal),
    ("tori", tori),
    ("sdf", sdf),
    ("soft_world", soft_world),
    ("solver", solver),
    ("sphere_triangle", sphere_triangle),
    ("tables", tables),
    ("tables_f64", tables_f64),
    ("vehicles", vehicles),
    ("world", world),
];
