//! Trees of volumes, the mid phase: build, refit, and walk them, without knowing what is in the leaves.
//!
//! A [`Bvh`] knows primitives by their numbers and their bounds; the geometry stays the caller's. Every walk gives
//! candidates, never too few (tests: `conform`). The caller's function decides about them.
//!
//! All builders are behind [`Bvh::build`], which takes a [`BuildMethod`], and [`Builder`], which keeps its memory and knows
//! [by use](Builder::rebuild_by_use) and [from triangles](Bvh::from_triangles) besides. What changes has a type of its own that
//! holds a tree to be asked: [`EditedBvh`] for parts that come and go, [`WatchedBvh`] for primitives that all move,
//! `LazyBvh` (with `std`) for much that is seldom asked about.
//!
//! ```
//! use carom_bounds::Aabb;
//! use carom_bvh::{BuildSettings, Bvh, TimedPair, TimedSearch, TimedSettings, Until, closest_pair, visit_pairs};
//! use carom_math::WidePose;
//! use core::ops::ControlFlow;
//! use glam::{DVec3, Vec3};
//!
//! // A row of small boxes; the tree has the number of each.
//! let boxes: Vec<Aabb> = (0..100)
//!     .map(|i| Aabb { min: Vec3::new(i as f32, 0.0, 0.0), max: Vec3::new(i as f32 + 0.5, 1.0, 1.0) })
//!     .collect();
//! let row: Bvh = Bvh::build(&boxes, &BuildSettings::default().with_max_leaf(1))?;
//!
//! // Which may a box touch?
//! let mut found = Vec::new();
//! row.visit_box(&Aabb { min: Vec3::splat(0.25), max: Vec3::new(2.25, 0.5, 0.5) }, |leaf| {
//!     found.extend_from_slice(leaf.primitives);
//!     ControlFlow::Continue(())
//! });
//! found.sort();
//! assert_eq!(found, [0, 1, 2]);
//!
//! // Which pairs of two rows may touch, the second one standing 98 further on?
//! let further = WidePose { translation: DVec3::new(98.0, 0.0, 0.0), ..WidePose::IDENTITY };
//! let mut pairs = Vec::new();
//! visit_pairs(&row, &row, &further, |a, b| {
//!     pairs.push((a, b));
//!     ControlFlow::Continue(())
//! });
//! pairs.sort();
//! assert_eq!(pairs, [(98, 0), (99, 1)]);
//!
//! // And when it stands 102 further on, which two are closest? The distance of primitives is ours to tell.
//! let further = WidePose { translation: DVec3::new(102.0, 0.0, 0.0), ..WidePose::IDENTITY };
//! let gap = |a: u32, b: u32, _bound: f64| Some(102.0 + f64::from(b) - (f64::from(a) + 0.5));
//! let closest = closest_pair(&row, &row, &further, f64::INFINITY, gap);
//! assert_eq!(closest.pair, Some((99, 0, 2.5)));
//! assert!(closest.counters.primitives < 10); // of 10,000 pairs
//!
//! // With little time: bounds that hold the distance at every stop, and the same answer in the end.
//! let mut search = TimedSearch::default();
//! let mut pair = TimedPair::new(&row, &row, &further, gap);
//! search.start(1, &TimedSettings::distance());
//! search.run(&mut pair, Until::done().with_steps(2))?;
//! let early = search.answer(0);
//! assert!(early.lower < 2.5 && 2.5 < early.upper && early.found.is_none());
//! search.run(&mut pair, Until::done())?;
//! assert_eq!(search.answer(0).found, Some(2.5));
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! # What can be asked
//! One place: [`Bvh::visit_box`], [`Bvh::visit_volume`], [`Bvh::visit_point`], [`Bvh::visit_sphere`], [`FrustumSearch::visit`]; one by
//! one [`Bvh::in_box`], many at once [`Bvh::in_boxes`]. Rays, the first hit, any, all: [`Bvh::visit_ray`]. Near a point:
//! [`Bvh::nearest`], [`Bvh::k_nearest`], [`Bvh::visit_near`]. Two trees: [`visit_pairs`], [`closest_pair`],
//! [`PairSearch::visit_closer_pairs`]; one with itself: [`Bvh::visit_self_pairs`].
//!
//! ```
//! use carom_bounds::{Aabb, Frustum};
//! use carom_bvh::{BoxAxes, BuildSettings, Bvh, Descent, FrustumSearch, PairSearch, PairSettings, visit_pairs_with};
//! use carom_math::{Plane, WidePose};
//! use core::ops::ControlFlow;
//! use glam::{DVec3, Vec3};
//!
//! let boxes: Vec<Aabb> = (0..100)
//!     .map(|i| Aabb { min: Vec3::new(i as f32, 0.0, 0.0), max: Vec3::new(i as f32 + 0.5, 1.0, 1.0) })
//!     .collect();
//! let row: Bvh = Bvh::build(&boxes, &BuildSettings::default().with_max_leaf(1))?;
//!
//! // The three boxes nearest to a point. The distance of primitives is ours to tell.
//! let point = DVec3::new(20.4, 0.5, 0.5);
//! let gap = |i: u32, _bound: f64| {
//!     let b = &boxes[i as usize];
//!     Some((b.min.as_dvec3() - point).max(point - b.max.as_dvec3()).max(DVec3::ZERO).length())
//! };
//! let mut nearest = Vec::new();
//! row.k_nearest(point, 3, f64::INFINITY, &mut nearest, gap);
//! assert_eq!(nearest.iter().map(|n| n.0).collect::<Vec<_>>(), [20, 21, 19]);
//!
//! // What a point is in, and what a ball touches.
//! let mut found = Vec::new();
//! row.visit_point(point, |leaf| {
//!     found.extend_from_slice(leaf.primitives);
//!     ControlFlow::Continue(())
//! });
//! assert_eq!(found, [20]);
//! assert!(row.visit_sphere(DVec3::new(0.0, 5.0, 0.0), 4.0, |_| ControlFlow::Break(())).stopped);
//!
//! // What may be in view: here a block of space, by planes whose normals point outwards.
//! let sides = [(Vec3::X, 9.75), (-Vec3::X, 0.25), (Vec3::Y, 2.0), (-Vec3::Y, 2.0), (Vec3::Z, 2.0), (-Vec3::Z, 2.0)];
//! let frustum = Frustum::new(sides.map(|(normal, out)| Plane { normal, d: -out })).expect("finite planes");
//! let mut seen = 0;
//! FrustumSearch::default().visit(&row, &frustum, |leaf, _is_inside| {
//!     seen += leaf.primitives.len();
//!     ControlFlow::Continue(())
//! });
//! assert_eq!(seen, 10);
//!
//! // One by one, to stop early; many boxes at once.
//! assert!(row.in_box(&boxes[7]).next().is_some_and(|leaf| leaf.primitives == [7]));
//! let (mut starts, mut all) = (Vec::new(), Vec::new());
//! row.in_boxes(&boxes[..3], &mut starts, &mut all);
//! assert_eq!((starts, all), (vec![0, 1, 2, 3], vec![0, 1, 2]));
//!
//! // Two rows side by side, 0.3 apart: which pairs may break a tolerance of 0.1, or of 0.4?
//! let beside = WidePose { translation: DVec3::new(0.0, 1.3, 0.0), ..WidePose::IDENTITY };
//! let mut search = PairSearch::default();
//! let breaks = |_, _| ControlFlow::Break(());
//! assert!(!search.visit_closer_pairs(&row, &row, &beside, 0.1, breaks).stopped);
//! assert!(search.visit_closer_pairs(&row, &row, &beside, 0.4, breaks).stopped);
//!
//! // A walk of two trees in another way: the first tree down to its leaves, all fifteen axes.
//! let settings = PairSettings::default().with_descent(Descent::AFirst).with_axes(BoxAxes::FacesAndEdges);
//! let visit = visit_pairs_with(&row, &row, &WidePose::IDENTITY, &settings, |_, _| ControlFlow::Continue(()));
//! assert!(visit.counters.leaves >= 100);
//! # Ok::<(), carom_bvh::BvhError>(())
//! ```
//!
//! # Which volume when
//! - [`Obb`](carom_bounds::Obb), by [`Bvh::from_triangles`], for rigid meshes: the fastest to say yes or no and to find all pairs,
//!   above all where surfaces come close; its build takes three times that of boxes.
//! - [`Aabb`](carom_bounds::Aabb) for what moves within: it alone refits, builds fastest, and is smallest but for spheres. For rays.
//! - [`Rss`](carom_bounds::Rss) where distances of rigid parts are asked again and again: as fast as oriented boxes or faster, in
//!   two thirds of the memory, for a build that takes a dozen times as long.
//! - [`Sphere`](carom_bounds::Sphere) where memory counts or everything turns; [`Lss`](carom_bounds::Lss) for limbs and cables, not for
//!   surfaces.
//! - [`KDop`](carom_bounds::KDop) meets as little as oriented boxes do, in as much memory: 44 ns to bring one of 18 planes into the other
//!   frame, which was 4.7 microseconds before weights were found once for each pose (some 1 microsecond: a quick yes or no takes twice
//!   as long as in oriented boxes). A timed search still finds them for each pair of volumes.
//!
//! Meshes of 81,920 and 70,000 triangles, leaves of at most 8, every volume fitted ([`Bvh::fitted`]); times over those of oriented
//! boxes in the same run. `cargo xtask bench volumes`, its quick sizes, 2026-11-21, one thread of an AMD EPYC shared with other
//! builds; all answers agreed. Times of 20 % are noise. Since then the fit of `Rss` and `Lss` has come down to a third of its
//! instructions; the queries of `KDop<18>` are of 2026-11-22.
//!
//! | | build | bytes per triangle | shallow: yes/no | all pairs | distance | close: yes/no | distance |
//! |---|---|---|---|---|---|---|---|
//! | `Obb` | 1 | 36.8 | 1 | 1 | 1 | 1 | 1 |
//! | `Aabb` | 0.33 | 19.0 | 2.1 | 2.0 | 3.4 | 6.4 | 2.7 |
//! | `Rss` | 38 | 26.1 | 1.6 | 1.1 | 1.2 | 2.7 | 0.9 |
//! | `Lss` | 41 | 22.5 | 4.5 | 2.1 | 5.5 | 13 | 3.6 |
//! | `Sphere` | 2.4 | 15.4 | 4.9 | 2.6 | 5.7 | 27 | 3.9 |
//! | `KDop<18>` | 3.9 | 40.3 | 2.0 | 1.2 | 1.2 | 2.0 | 1.0 |
//! | parry's boxes | | | 3.3 | 7.6 | 2000 | 15 | 4000 |
//!
//! # Which nodes when
//! Trees of boxes that are built once and asked often can be packed: every query is the same, and finds the same, but for
//! distances of two trees and searches on time, which they do not have. They do not refit.
//! - [`Bvh`], nodes of eight boxes as they are: for all that changes, for pairs, and where nothing speaks for another.
//! - [`QuantizedBvh`], eight boxes in bytes: half of the memory with everything, nodes three eighths; no slower for rays and boxes,
//!   as less has to be fetched. For large scenes that stand still. [`QuantizedBvh::from`] takes any tree of boxes as it is.
//! - [`Bvh4`], four boxes, and [`QuantizedBvh4`], four in bytes and one line of the cache to a node: for those who want narrow
//!   nodes; here nothing is faster for them.
//!
//! Closest hits of rays and primitives in small boxes, one at a time, over the triangles of a knot, leaves of at most four, built by
//! [`BuildQuality::High`]; times over those of nodes of eight in the same run, 2026-11-22, one thread of an AMD EPYC shared
//! with other builds. All answers agreed. Times of 10 % are noise.
//!
//! | | bytes per triangle | rays, 100,000 | a million | boxes, 100,000 | a million |
//! |---|---|---|---|---|---|
//! | eight | 29 to 33 | 1 | 1 | 1 | 1 |
//! | eight in bytes | 14 to 15 | 0.96 | 0.91 | 0.96 | 0.97 |
//! | four | 25 to 26 | 1.16 | 1.07 | 1.03 | 1.11 |
//! | four in bytes | 15 | 1.20 | 1.03 | 0.92 | 1.00 |
//!
//! # Which way to walk
//! Counts over those of the default (the larger one, six axes), in trees of oriented boxes, shallow, all pairs: n_v volumes tested,
//! n_p pairs of triangles handed out. They depend on nothing but the input.
//!
//! | [`PairSettings`] | n_v | n_p | time |
//! |---|---|---|---|
//! | larger, 15 axes | 0.86 | 0.78 | 0.94 |
//! | alternate, 6 axes | 1.05 | 1.00 | 1.01 |
//! | alternate, 15 axes | 0.90 | 0.79 | 0.98 |
//! | A first, 6 axes | 3.1 | 1.00 | 1.36 |
//! | B first, 6 axes | 5.7 | 1.03 | 1.72 |
//!
//! Alternating is as good as comparing sizes where both trees are alike; one tree first never is. The nine edge axes pay a little
//! where leaves are many, and nothing where nothing touches (close, yes/no: 0.81 of the tests in 1.02 of the time).
//!
//! [`PairSearch::closest_pair_with`] goes the same ways; there, over loose soups of triangles, alternating tests as many volumes
//! as opening the larger one, and one tree first a fifth more.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod aabb8;
mod build;
mod children;
mod cost;
mod counters;
mod descent;
mod distance;
mod edited;
mod graft;
mod kdop8;
#[cfg(feature = "std")]
mod lazy;
mod nearest;
mod node4;
mod obb8;
mod obb_tree;
mod overlaps;
mod places;
mod quality;
mod quantized;
mod ray;
mod ray_batch;
mod ray_stack;
mod refit;
mod relative;
mod self_pairs;
mod sphere8;
mod stack;
mod swept8;
mod timed;
mod tree;
mod validate;
mod visit;
mod visit_pairs;
mod volumes;
mod watched;
mod wide;

pub use aabb8::PlacedAabb;
pub use build::{BuildMethod, BuildQuality, BuildSettings, Builder, Collapse};
pub use children::Child;
pub use cost::Cost;
pub use counters::{Counters, Visit};
pub use descent::{BoxAxes, Descent, PairSettings};
pub use distance::{ClosestPair, PairSearch, closest_pair};
pub use edited::{EditError, EditedBvh, PartId};
pub use kdop8::{KDop8, PlacedKDop};
#[cfg(feature = "std")]
pub use lazy::{Built, LazyBvh};
pub use node4::{BoxNode4, Bvh4};
pub use obb8::{Obb8, PlacedObb};
pub use overlaps::InBox;
pub use places::FrustumSearch;
pub use quality::Quality;
pub use quantized::{QuantizedBvh, QuantizedBvh4, QuantizedNode4, QuantizedNode8};
pub use ray::{RayLanes, RayLine};
pub use ray_batch::{IN_FLIGHT, LeafAnswer, RayBatch, RayTurn};
pub use relative::Relative;
pub use sphere8::{PlacedSphere, Sphere8};
pub use swept8::{PlacedSwept, Swept8};
pub use timed::{
    ApproximateContact, Certainty, Ended, LeafPair, TimedAnswer, TimedError, TimedGoal, TimedOrder,
    TimedPair, TimedPairs, TimedRun, TimedSearch, TimedSettings, Undecided, Until,
};
pub use tree::{Bvh, BvhError, Leaf, MAX_COORDINATE, Node8, TreeVolume};
pub use validate::Defect;
pub use visit_pairs::{visit_leaf_pairs, visit_leaf_pairs_with, visit_pairs, visit_pairs_with};
pub use volumes::Volumes8;
pub use watched::{Followed, WatchedBvh};
pub use wide::WideNode;
