//! Trees of bounding volumes, the mid phase: builds, refits and walks. The leaves hold primitives
//! of any kind.
//!
//! A [`Bvh`] stores the index and the bounds of each primitive; the caller keeps the geometry.
//! Every query reports all primitives that match, and perhaps others (tests: `conform`). The
//! caller's function tests them exactly.
//!
//! [`Bvh::build`] takes a [`BuildMethod`], [`Bvh::from_triangles`] takes triangles. A [`Builder`]
//! reuses its memory, and builds for [known queries](Builder::rebuild_query_driven). Trees that
//! change have types of their own: [`EditedBvh`] for parts that come and go, [`AdaptiveBvh`] for
//! primitives that all move. `LazyBvh` (with `std`) is for large scenes with few queries.
//!
//! ```
//! use carom_bounds::Aabb;
//! use carom_bvh::{BuildSettings, Bvh, AnytimePair, AnytimeSearch, AnytimeSettings, Until,
//! closest_pair, visit_pairs};
//! use carom_math::WidePose;
//! use core::ops::ControlFlow;
//! use glam::{DVec3, Vec3};
//!
//! // A row of small boxes; the tree has the number of each.
//! let boxes: Vec<Aabb> = (0..100)
//!     .map(|i| Vec3::X * i as f32)
//!     .map(|min| Aabb { min, max: min + Vec3::new(0.5, 1.0, 1.0) })
//!     .collect();
//! let row: Bvh = Bvh::build(&boxes, &BuildSettings::default().with_max_leaf(1))?;
//!
//! // The boxes that a query box may touch.
//! let mut found = Vec::new();
//! row.visit_box(&Aabb { min: Vec3::splat(0.25), max: Vec3::new(2.25, 0.5, 0.5) }, |leaf| {
//!     found.extend_from_slice(leaf.primitives);
//!     ControlFlow::Continue(())
//! });
//! found.sort();
//! assert_eq!(found, [0, 1, 2]);
//!
//! // The pairs of two rows that may touch; the second row is displaced by 98.
//! let further = WidePose { translation: DVec3::new(98.0, 0.0, 0.0), ..WidePose::IDENTITY };
//! let mut pairs = Vec::new();
//! visit_pairs(&row, &row, &further, |a, b| {
//!     pairs.push((a, b));
//!     ControlFlow::Continue(())
//! });
//! pairs.sort();
//! assert_eq!(pairs, [(98, 0), (99, 1)]);
//!
//! // The closest pair at a displacement of 102. The caller computes the distance of primitives.
//! let further = WidePose { translation: DVec3::new(102.0, 0.0, 0.0), ..WidePose::IDENTITY };
//! let gap = |a: u32, b: u32, _bound: f64| Some(102.0 + f64::from(b) - (f64::from(a) + 0.5));
//! let closest = closest_pair(&row, &row, &further, f64::INFINITY, gap);
//! assert_eq!(closest.pair, Some((99, 0, 2.5)));
//! assert!(closest.counters.primitives < 10); // of 10,000 pairs
//!
//! // With little time: bounds of the distance at each stop, and the same result in the end.
//! let mut search = AnytimeSearch::default();
//! let mut pair = AnytimePair::new(&row, &row, &further, gap);
//! search.start(1, &AnytimeSettings::distance());
//! search.run(&mut pair, Until::done().with_steps(2))?;
//! let early = search.answer(0);
//! assert!(early.lower < 2.5 && 2.5 < early.upper && early.found.is_none());
//! search.run(&mut pair, Until::done())?;
//! assert_eq!(search.answer(0).found, Some(2.5));
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! # Queries
//! - One region: [`Bvh::visit_box`], [`Bvh::visit_point`], [`Bvh::visit_sphere`],
//!   [`FrustumSearch::visit`]. One by one: [`Bvh::in_box`]; many at once: [`Bvh::in_boxes`].
//! - Rays (the first hit, any, all): [`Bvh::visit_ray`].
//! - Near a point: [`Bvh::nearest`], [`Bvh::k_nearest`], [`Bvh::visit_near`].
//! - Two trees: [`visit_pairs`], [`closest_pair`], [`PairSearch::visit_closer_pairs`]. One tree
//!   with itself: [`Bvh::visit_self_pairs`].
//!
//! ```
//! use carom_bounds::{Aabb, Frustum};
//! use carom_bvh::{BoxAxes, BuildSettings, Bvh, Descent, FrustumSearch, PairSearch, PairSettings,
//! visit_pairs_with};
//! use carom_math::{Plane, WidePose};
//! use core::ops::ControlFlow;
//! use glam::{DVec3, Vec3};
//!
//! let boxes: Vec<Aabb> = (0..100)
//!     .map(|i| Vec3::X * i as f32)
//!     .map(|min| Aabb { min, max: min + Vec3::new(0.5, 1.0, 1.0) })
//!     .collect();
//! let row: Bvh = Bvh::build(&boxes, &BuildSettings::default().with_max_leaf(1))?;
//!
//! // The three boxes nearest to a point. The caller computes the distance of primitives.
//! let point = DVec3::new(20.4, 0.5, 0.5);
//! let gap = |i: u32, _bound: f64| {
//!     let b = &boxes[i as usize];
//!     Some((b.min.as_dvec3() - point).max(point - b.max.as_dvec3()).max(DVec3::ZERO).length())
//! };
//! let mut nearest = Vec::new();
//! row.k_nearest(point, 3, f64::INFINITY, &mut nearest, gap);
//! assert_eq!(nearest.iter().map(|n| n.0).collect::<Vec<_>>(), [20, 21, 19]);
//!
//! // The boxes that contain a point, or touch a ball.
//! let mut found = Vec::new();
//! row.visit_point(point, |leaf| {
//!     found.extend_from_slice(leaf.primitives);
//!     ControlFlow::Continue(())
//! });
//! assert_eq!(found, [20]);
//! assert!(row.visit_sphere(DVec3::new(0.0, 5.0, 0.0), 4.0, |_| ControlFlow::Break(())).stopped);
//!
//! // The boxes in a frustum: here a block of space, by planes with outward normals.
//! let sides = [(Vec3::X, 9.75), (-Vec3::X, 0.25), (Vec3::Y, 2.0), (-Vec3::Y, 2.0), (Vec3::Z, 2.0),
//! (-Vec3::Z, 2.0)];
//! let frustum = Frustum::new(sides.map(|(normal, out)| Plane { normal, d: -out })).expect("finite
//! planes");
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
//! // Two rows side by side, 0.3 apart: tests for pairs closer than 0.1, and than 0.4.
//! let beside = WidePose { translation: DVec3::new(0.0, 1.3, 0.0), ..WidePose::IDENTITY };
//! let mut search = PairSearch::default();
//! let breaks = |_, _| ControlFlow::Break(());
//! assert!(!search.visit_closer_pairs(&row, &row, &beside, 0.1, breaks).stopped);
//! assert!(search.visit_closer_pairs(&row, &row, &beside, 0.4, breaks).stopped);
//!
//! // A walk of two trees with settings: the first tree down to its leaves, all fifteen axes.
//! let settings =
//! PairSettings::default().with_descent(Descent::AFirst).with_axes(BoxAxes::FacesAndEdges);
//! let visit = visit_pairs_with(&row, &row, &WidePose::IDENTITY, &settings, |_, _|
//! ControlFlow::Continue(()));
//! assert!(visit.counters.leaves >= 100);
//! # Ok::<(), carom_bvh::BvhError>(())
//! ```
//!
//! # Choice of the volume
//! - [`Obb`](carom_bounds::Obb), by [`Bvh::from_triangles`], for rigid meshes. It is the fastest
//!   for overlap tests and for all pairs, above all if surfaces come close. A build takes longer
//!   than with boxes. [`Bvh::along_own_axes`] splits along the axes of the oriented boxes instead
//!   of the coordinate axes, as RAPID does.
//! - [`Aabb`](carom_bounds::Aabb) for rays, and for bodies that deform. It builds and refits
//!   fastest, and only spheres need less memory. [`Bvh::refit_points`] refits volumes of any kind
//!   to points that moved.
//! - [`Rss`](carom_bounds::Rss) for many distance queries on rigid parts. It needs less memory
//!   than oriented boxes. Its build, like that of `Lss`, is slow.
//! - [`Sphere`](carom_bounds::Sphere) if memory counts or if all bodies turn.
//! - [`Lss`](carom_bounds::Lss) for limbs and cables, not for surfaces.
//! - [`KDop`](carom_bounds::KDop) rejects as many pairs as oriented boxes, in as much memory. Its
//!   planes are transformed once for each pose, so a quick overlap test takes longer.
//!
//! # Choice of the nodes
//! Trees of boxes that are built once and queried often can be packed. Packed trees have the same
//! queries and the same answers (tests: `nodes`). They have no distances of two trees and no
//! anytime searches, and they cannot be refitted.
//! - [`Bvh`], nodes of eight boxes in `f32`: the default, for trees that change, and for pairs.
//! - [`QuantizedBvh`], eight boxes with coordinates of one byte, so queries read less memory. Use
//!   it for large static scenes. [`QuantizedBvh::from`] converts any tree of boxes.
//! - [`Bvh4`] and [`QuantizedBvh4`], four boxes: for narrow nodes, one cache line each if
//!   quantized.
//!
//! # Settings of a walk
//! The default opens the larger of two nodes. Alternation tests about as many volumes if both
//! trees are alike. Opening one tree down to its leaves first costs several times as many tests.
//! The nine edge axes ([`PairSettings`]) save a little time if there are many leaves, and none if
//! nothing touches.
//!
//! [`PairSearch::closest_pair_with`] takes the same settings, but ignores the axes.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod aabb8;
mod adaptive;
mod anytime;
mod build;
mod children;
mod cost;
mod counters;
mod descent;
mod distance;
mod edited;
mod kdop8;
#[cfg(feature = "std")]
mod lazy;
mod nearest;
mod node4;
mod obb8;
mod obb_tree;
mod overlaps;
mod proximity;
mod quality;
mod quantized;
mod ray;
mod ray_batch;
mod ray_lanes;
mod ray_stack;
mod refit;
mod relative;
mod renumber;
mod scale;
mod self_pairs;
mod sphere8;
mod splice;
mod stack;
mod swept8;
mod tree;
mod validate;
mod visit;
mod visit_pairs;
mod volumes;
mod wide;
mod winding;

pub use aabb8::PlacedAabb;
pub use adaptive::{AdaptiveBvh, Followed};
pub use anytime::{
    AnytimeAnswer, AnytimeError, AnytimeGoal, AnytimeOrder, AnytimePair, AnytimePairs, AnytimeRun,
    AnytimeSearch, AnytimeSettings, ApproximateContact, Certainty, Ended, LeafPair, Undecided, Until,
};
pub use build::{BuildMethod, BuildQuality, BuildSettings, Builder, Collapse, OwnAxes, SplitAt};
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
pub use proximity::FrustumSearch;
pub use quality::Quality;
pub use quantized::{QuantizedBvh, QuantizedBvh4, QuantizedNode4, QuantizedNode8};
pub use ray::RayLine;
pub use ray_batch::{IN_FLIGHT, LeafAnswer, RayBatch, RayTurn};
pub use ray_lanes::RayLanes;
pub use relative::Relative;
pub use renumber::{ADDED, Renumbered};
pub use sphere8::{PlacedSphere, Sphere8};
pub use swept8::{PlacedSwept, Swept8};
pub use tree::{Bvh, BvhError, Leaf, MAX_COORDINATE, Node8, TreeVolume};
pub use validate::Defect;
pub use visit_pairs::{visit_leaf_pairs, visit_leaf_pairs_with, visit_pairs, visit_pairs_with};
pub use volumes::Volumes8;
pub use wide::WideNode;
pub use winding::{WindingNumber, WindingTree};
