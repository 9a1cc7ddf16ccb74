//! What a broad phase is: one trait, one answer, and brute force as the executable specification.
//!
//! A broad phase is told boxes and says which of them touch. Every implementation of [`BroadPhase`] gives the same
//! pairs in the same order, so one is swapped for another by changing a type.
//!
//! ```
//! use carom_bounds::Aabb;
//! use carom_broad::{BroadPhase, BruteForce, Filter, Pair};
//! use glam::Vec3;
//!
//! let cube = |x: f32| Aabb { min: Vec3::new(x, 0.0, 0.0), max: Vec3::new(x + 1.0, 1.0, 1.0) };
//! let mut broad = BruteForce::new();
//! let a = broad.insert(cube(0.0), Filter::default())?;
//! let b = broad.insert(cube(1.0), Filter::default())?; // touching counts
//! let c = broad.insert(cube(5.0), Filter::default())?;
//! let mut pairs = Vec::new();
//! broad.pairs(&mut pairs);
//! assert_eq!(pairs, [Pair::new(a.index(), b.index())]);
//!
//! let (mut begun, mut ended) = (Vec::new(), Vec::new());
//! broad.events(&mut begun, &mut ended); // everything is new
//! broad.update(&[(a, cube(4.5))])?;
//! broad.events(&mut begun, &mut ended);
//! assert_eq!((begun, ended), (vec![Pair::new(a.index(), c.index())], vec![Pair::new(a.index(), b.index())]));
//!
//! broad.remove(b)?;
//! assert!(broad.update(&[(b, cube(0.0))]).is_err()); // a stale handle is an error, never another body
//! # Ok::<(), carom_broad::BroadPhaseError>(())
//! ```
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod brute_force;
mod canonical;
mod coherent;
mod contents;
mod error;
mod filter;
mod found;
mod found_by;
mod pair;
mod phase;
mod point_filter;
mod proxy;
mod spatial;

pub use brute_force::{BruteForce, EveryPair};
pub use canonical::{sort_pairs, wanted_pairs};
pub use coherent::{Coherent, CoherentSettings, FatIndex, Residents};
pub use contents::Contents;
pub use error::BroadPhaseError;
pub use filter::{Filter, Groups, Mobility, PairFilter};
pub use found::Found;
pub use found_by::{Changes, FinderIndex, FoundBy, PairFinder};
pub use pair::{EventLog, Pair};
pub use phase::{BroadPhase, Counters};
pub use point_filter::PointFilter;
pub use proxy::{ProxyId, ProxyTable};
pub use spatial::{BoxHit, SpatialIndex, point_box_distance, ray_box_entry, scan_box, scan_near, scan_ray};
