//! Certified times of impact of two moving bodies, rotation included.
//!
//! ```
//! use carom_ccd::{ImpactSettings, Motion, Proposal, TimeOfImpact, time_of_impact};
//! use carom_geom::f64::Cuboid;
//! use carom_gjk::{GjkCache, GjkSettings, nearest_simplex};
//! use carom_math::glam::{DQuat, DVec3};
//!
//! // A plank rotates on the spot, and a rotating parcel flies by.
//! let (plank, parcel) = (Cuboid::new(DVec3::new(2.0, 0.1, 0.5))?, Cuboid::new(DVec3::splat(0.5))?);
//! let spin = Motion::new(DQuat::IDENTITY, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO, DVec3::Z * 3.0)?;
//! let (from, velocity) = (DVec3::new(-3.0, 1.6, 0.0), DVec3::new(6.0, 0.0, 0.0));
//! let flight = Motion::new(DQuat::IDENTITY, from, DVec3::ZERO, velocity, DVec3::new(0.0, 1.0, 2.0))?;
//!
//! // A search for nearest points proposes an axis. The proposal is checked, not trusted.
//! let mut cache = GjkCache::new();
//! let propose = |b_in_a: &_, tolerance| {
//!     let gjk = GjkSettings::default().with_distance_tolerance(tolerance);
//!     let near = nearest_simplex(&plank, &parcel, b_in_a, &gjk, Some(&mut cache));
//!     Proposal {
//!         axis: near.axis,
//!         points_a: near.points_a,
//!         points_b: near.points_b,
//!         n_points: near.n_points,
//!         weights: near.weights,
//!     }
//! };
//! let answer = time_of_impact(&plank, &spin, &parcel, &flight, &ImpactSettings::default(), propose);
//!
//! let TimeOfImpact::Hit(impact) = answer else { panic!("{answer:?}") };
//! // Nothing touches before `t_lo`. At `t_hi` they certainly touch.
//! assert!(0.2 < impact.t_lo && impact.t_hi < 0.6 && impact.t_hi - impact.t_lo < 1e-3, "{impact:?}");
//! assert!((impact.point_a - impact.point_b).length() < 1e-3);
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! Every answer is a proof (tests: `sweeps`, `hard`). It is a bracket of the first contact, a lower
//! bound of the distance, or a time until which nothing touches. In a [`Motion`] one point of the
//! body moves along a line, and the body rotates about it at a constant rate.
//!
//! ```
//! use carom_ccd::Motion;
//! use carom_math::glam::{DQuat, DVec3};
//!
//! // Half a turn a second about z, while the centre goes two metres along x.
//! let (velocity, spin) = (DVec3::new(2.0, 0.0, 0.0), DVec3::new(0.0, 0.0, core::f64::consts::PI));
//! let motion = Motion::new(DQuat::IDENTITY, DVec3::ZERO, DVec3::ZERO, velocity, spin).unwrap();
//! let tip = motion.pose_at(1.0).transform_point(DVec3::X);
//! assert!((tip - DVec3::X).length() < 1e-15);
//! ```
//!
//! Any other motion is a [`Path`]: a pose at each time, and a bound on the acceleration. A
//! [`Chain`] of links in joints gives such paths.
//!
//! ```
//! use carom_ccd::{Chain, ChainMotion, Link, LinkJoint, Motion, Path};
//! use carom_math::glam::{DQuat, DVec3};
//!
//! // Two links of 1 m, each turning about z by a quarter turn in a second.
//! let joint = LinkJoint::Revolute { axis: DVec3::Z };
//! let on = |parent, at| Link { parent, on_parent: (DQuat::IDENTITY, at), joint };
//! let chain = Chain::new(vec![on(None, DVec3::ZERO), on(Some(0), DVec3::X)])?;
//! let base = Motion::fixed(DQuat::IDENTITY, DVec3::ZERO)?;
//! let quarter = core::f64::consts::FRAC_PI_2;
//! let motion = ChainMotion::new(&chain, base, &[0.0; 2], &[quarter; 2])?;
//! let hand = motion.link(1).expect("there are two");
//! let tip = hand.pose_at(1.0).transform_point(DVec3::X);
//! assert!((tip - DVec3::new(-1.0, 1.0, 0.0)).length() < 1e-15);
//! // No point of the hand is accelerated by more: (pi / 2)^2 for the elbow, pi^2 for the hand.
//! assert!((hand.acceleration(1.0, 0.0, 1.0) - 5.0 * quarter * quarter).abs() < 1e-12);
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! Bodies that only translate have closed forms: balls against planes, balls and polygons, capsules
//! against triangles, boxes along the axes. Polytopes are solved on their separating axes.
//! Deforming surfaces are tested vertex against face and edge against edge.
//!
//! ```
//! use carom_ccd::{
//!     Element, ElementSettings, ImpactSettings, Motion, MovingSphere, Polygon, Polyhedron, Sides, SimplePolygon,
//!     polyhedra_time_of_impact,
//! };
//! use carom_math::glam::{DQuat, DVec3};
//!
//! let floor = [DVec3::ZERO, DVec3::Z * 4.0, DVec3::X * 4.0];
//! let ball = MovingSphere::new(DVec3::new(1.0, 3.0, 1.0), 0.5, DVec3::new(0.0, -10.0, 0.0))?;
//! let answer = ball.against_polygon(&Polygon::triangle(floor)?, Sides::Front, 1.0);
//! let impact = answer.hit().expect("it falls on the floor");
//! assert!(impact.t_lo <= 0.25 && 0.25 <= impact.t_hi && impact.t_hi - impact.t_lo < 1e-14);
//! assert!((ball.center_at(impact.t_lo) - DVec3::new(1.0, 0.5, 1.0)).length() < 1e-13);
//!
//! // A floor with a corner cut out: the ball falls through the gap. Corners that form no polygon
//! // give an error with the reason.
//! let corner = |x: f64, z: f64| DVec3::new(x, 0.0, z);
//! let around = [corner(0.0, 0.0), corner(0.0, 4.0), corner(4.0, 4.0), corner(4.0, 2.0), corner(2.0, 2.0), corner(2.0, 0.0)];
//! let notched = SimplePolygon::new(&around)?;
//! assert!(ball.against_simple_polygon(&notched, Sides::Both, 1.0).hit().is_some());
//! let other = MovingSphere::new(DVec3::new(3.0, 3.0, 1.0), 0.5, DVec3::new(0.0, -10.0, 0.0))?;
//! assert!(other.against_simple_polygon(&notched, Sides::Both, 1.0).hit().is_none());
//! let crossed = [around[0], around[2], around[1], around[3]];
//! assert_eq!(SimplePolygon::new(&crossed).unwrap_err().to_string(), "edge 0 meets edge 2");
//!
//! // A vertex and a face. Each corner moves along its own line.
//! let start = [DVec3::new(1.0, 1.0, 1.0), floor[0], floor[1], floor[2]];
//! let end = [DVec3::new(1.0, -1.0, 1.0), floor[0], floor[1], floor[2] + DVec3::Y];
//! assert!(Element::vertex_face(start, end)?.time_of_impact(&ElementSettings::default()).hit().is_some());
//!
//! // Bodies of triangles, convex or not, that also turn: vertices against faces, edges against edges.
//! let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
//! let body = Polyhedron::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
//! let still = Motion::fixed(DQuat::IDENTITY, DVec3::ZERO)?;
//! let thrown = Motion::new(DQuat::IDENTITY, DVec3::splat(2.0), DVec3::ZERO, DVec3::splat(-2.0), DVec3::Y)?;
//! let settings = ImpactSettings::default().with_target_distance(1e-3).with_max_time(1.0);
//! let answer = polyhedra_time_of_impact(&body, &still, &body, &thrown, &settings);
//! assert!(answer.hit().is_some_and(|impact| 0.5 < impact.t_lo && impact.t_hi < 1.0));
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod aabb;
mod advance;
mod approach;
mod ball_triangle;
mod body_pair;
mod capsule_triangle;
mod chain;
mod chord;
mod conservative;
mod counters;
mod departure;
mod dynamic_sat;
mod earliest;
mod element;
mod impact;
mod inclusion;
mod motion;
mod moving_sphere;
mod nearest;
mod overlap;
mod path;
mod plane;
mod polyhedra;
mod portal;
mod proposal;
mod schedule;
mod search;
mod separation;
mod settings;
mod simple_polygon;
mod sphere_triangle;
mod spheres;
mod sweep;
mod time_of_impact;
mod translate;
mod turn;

pub use aabb::MovingAabb;
pub use approach::{Approach, first_approach};
pub use capsule_triangle::MovingCapsule;
pub use chain::{Chain, ChainError, ChainMotion, Link, LinkJoint, LinkPath};
pub use conservative::{conservative_advancement, conservative_advancement_counted};
pub use counters::{ImpactCounters, Tally};
pub use dynamic_sat::MovingPolytope;
pub use earliest::Earliest;
pub use element::{Element, ElementKind, ElementSettings};
pub use impact::{Clear, Impact, Proof, TimeOfImpact, Undecided, Why};
pub use motion::{Motion, MotionError};
pub use moving_sphere::{MovingSphere, SheetPlane, Sides};
pub use nearest::displacement_to_triangle;
pub use path::{Path, path_time_of_impact};
pub use plane::{half_space_time_of_impact, half_space_time_of_impact_counted};
pub use polyhedra::{Polyhedron, polyhedra_time_of_impact};
pub use proposal::Proposal;
pub use schedule::{approach_speed, contact_time_bound};
pub use settings::ImpactSettings;
pub use simple_polygon::{SimplePolygon, SimplePolygonError};
pub use sphere_triangle::{MAX_POLYGON_CORNERS, Polygon};
pub use spheres::{NearInterval, near_interval_of_balls};
pub use sweep::{Slab, Straight, Sweep};
pub use time_of_impact::{time_of_impact, time_of_impact_counted};
