//! The trait of broad phases, and brute force as the executable specification.
//!
//! A broad phase takes boxes and finds those that touch. Every implementation of [`BroadPhase`]
//! gives the same pairs in the same order (suite: `carom_testkit::conform::broad_phase`). One is
//! swapped for another by changing a type.
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
//! // Boxes in a view frustum, and the first hits of many rays.
//! use carom_bounds::Frustum;
//! use carom_broad::{Answers, SpatialBatch, SpatialIndex};
//! use carom_math::{Interval, Plane, Ray};
//! let side = |normal: Vec3, d: f32| Plane { normal, d };
//! let view = Frustum::new([
//!     side(Vec3::X, -3.0), // x up to 3
//!     side(Vec3::NEG_X, 0.0), // and not below 0
//!     side(Vec3::Y, -9.0), side(Vec3::NEG_Y, -9.0), side(Vec3::Z, -9.0), side(Vec3::NEG_Z, -9.0),
//! ])?;
//! let (mut seen, mut first) = (Vec::new(), Answers::new());
//! broad.in_frustum(&view, &mut seen);
//! assert_eq!(seen, [b.index()]);
//! let rays = [Vec3::X, Vec3::NEG_X].map(|along| (Ray::new(Vec3::new(-1.0, 0.5, 0.5), along), Interval::FORWARD));
//! broad.first_hit_batch(&rays, &mut first);
//! let hit = first.of(0)[0];
//! assert!(hit.index == b.index() && (hit.at - 2.0).abs() < 1e-6); // rounded down
//! assert!(first.of(1).is_empty());
//!
//! broad.remove(b)?;
//! assert!(broad.update(&[(b, cube(0.0))]).is_err()); // a stale handle is an error, never another body
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod batch;
mod boxed;
mod brute_force;
mod canonical;
mod error;
mod filter;
mod from_finder;
mod id;
mod pair;
mod pair_buffer;
mod phase;
#[cfg(feature = "point-filter")]
mod point_filter;
mod proxy;
mod spatial;
mod state;
#[cfg(feature = "static-dynamic")]
mod static_dynamic;

pub use batch::{Answers, SpatialBatch};
pub use brute_force::{BruteForce, EveryPair};
pub use canonical::{sort_pairs, wanted_pairs};
pub use error::BroadPhaseError;
pub use filter::{Filter, Groups, Mobility, PairFilter};
pub use from_finder::{FinderIndex, FromFinder, PairFinder, ProxyChanges};
pub use id::ProxyId;
pub use pair::{EventLog, Pair};
pub use pair_buffer::PairBuffer;
pub use phase::{BroadPhase, Counters};
#[cfg(feature = "point-filter")]
pub use point_filter::PointFilter;
pub use proxy::ProxyTable;
pub use spatial::{
    BoxHit, SpatialIndex, point_box_distance, ray_box_entry, scan_box, scan_culled, scan_near, scan_ray,
};
pub use state::BroadPhaseState;
#[cfg(feature = "static-dynamic")]
pub use static_dynamic::StaticDynamic;
