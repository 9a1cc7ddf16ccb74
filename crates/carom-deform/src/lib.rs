//! Meshes that change their shape (cloth, ropes, soft bodies, skins): which of their parts touch,
//! or will touch, themselves and others.
//!
//! A [`DeformableMesh`] has triangles, segments or tetrahedra. It stores the positions of its
//! vertices before and after a step. In each step, call
//! [`set_positions`](DeformableMesh::set_positions) and search. A [`FeatureSearch`] searches one
//! mesh or two:
//! - [`within`](FeatureSearch::within): which vertices and faces, and which pairs of edges, are
//!   within a distance now, decided exactly (test: `within::pairs_are_those_of_fractions`).
//! - [`impacts`](FeatureSearch::impacts): which of them touch during the step, and when, with no
//!   contact missed (test: `impacts::every_contact_is_found`).
//! - [`crossings`](FeatureSearch::crossings): which faces have a point in common now, decided
//!   exactly (test: `real_data::crossings_are_those_of_the_data`).
//! - [`candidates_within`](FeatureSearch::candidates_within) and
//!   [`candidates_over_step`](FeatureSearch::candidates_over_step): the same by boxes alone.
//!
//! Vertices, edges and faces are the features of a mesh. An answer lists each pair of features
//! once, sorted by kind and numbers.
//!
//! ```
//! use carom_deform::{DeformableMesh, FeatureSearch};
//! use glam::Vec3;
//!
//! // A strip of two triangles, and a flap that is folded over it but not joined to it.
//! let flat = [[0, 0, 0], [4, 0, 0], [0, 0, 4], [4, 0, 4], [1, 2, 1], [2, 2, 1], [1, 2, 2]];
//! let mut positions = flat.map(|[x, y, z]| Vec3::new(x as f32, y as f32, z as f32));
//! let mut cloth = DeformableMesh::from_triangles(&positions, vec![[0, 1, 2], [1, 3, 2], [4, 5, 6]])?
//!     .with_thickness(0.25)?;
//! let mut search = FeatureSearch::default(); // Memory, kept from step to step.
//!
//! // The flap goes down, from 2 above the strip to 1 below it.
//! positions[4..].iter_mut().for_each(|p| p.y = -1.0);
//! cloth.set_positions(&positions)?;
//! let step = search.impacts(&mut cloth).finish().free_step();
//! // It may go down by 1.75 of 3, until the two sheets touch: they are a quarter apart then.
//! assert!((step.fraction - 1.75 / 3.0).abs() < 1e-6);
//!
//! // What is within 0.5 there? The thickness comes on top.
//! positions[4..].iter_mut().for_each(|p| p.y = 0.5);
//! cloth.set_positions(&positions)?;
//! let near = search.within(&mut cloth, 0.5).finish();
//! assert!(near.pairs.iter().all(|pair| pair.distance <= 0.75) && !near.pairs.is_empty());
//! # Ok::<(), carom_deform::DeformError>(())
//! ```
//!
//! # Neighbours
//! Features that share a vertex touch. They are left out, and counted in
//! [`DeformCounters::neighbours`]. Features that coincide without a shared vertex are found. For
//! meshes whose seams are not welded, see [`DeformableMesh::with_neighbours_by_place`].
//!
//! # Smooth surfaces
//! Most smooth parts of a mesh cannot cross themselves. A cone of normals and a test of the
//! contour prove that for a part. With [`FeatureSearch::with_cones`], searches for crossings of
//! one mesh leave out such parts. The answers are the same (test:
//! `cones::cones_change_no_answer`). The other searches do not use cones. Features of a flat part
//! can be within a distance of each other, and the proof does not hold over a step.
//!
//! # Two meshes, a budget, threads
//! Each question takes `&mut mesh` or `(&mut a, &mut b)`. Two meshes touch at half the sum of
//! their thicknesses. A [`Search`] can be stopped and resumed, and any split of the budget gives
//! the same answer (test: `budget::any_split_gives_the_same_answer`). The call that starts a
//! search refits and walks the trees; the budget does not bound that. With the feature `parallel`
//! threads share a search, and the answer is the same (test:
//! `threads::any_number_of_threads_gives_the_same`).
//!
//! ```
//! use carom_deform::{DeformableMesh, FeatureSearch, LazyTree};
//! use carom_bounds::Aabb;
//! use glam::Vec3;
//!
//! let at = |x: f32| [Vec3::new(x, 0.0, 0.0), Vec3::new(x, 1.0, 0.0), Vec3::new(x, 0.0, 1.0)];
//! let mut left = DeformableMesh::from_triangles(&at(0.0), vec![[0, 1, 2]])?;
//! let rope = [Vec3::new(-1.0, 0.25, 0.25), Vec3::new(1.0, 0.25, 0.25)];
//! let mut rope = DeformableMesh::from_segments(&rope, vec![[0, 1]])?;
//! let mut search = FeatureSearch::default();
//! let mut near = search.within((&mut left, &mut rope), 0.25);
//! while !near.run(1) {} // A little at a time.
//! // The rope passes two edges at 0.25, and its ends are farther from the face.
//! assert_eq!(near.finish().pairs.len(), 2);
//!
//! // For few questions in each step: trees that compute only the boxes near a question.
//! let mut left = left.with_trees::<LazyTree>();
//! left.set_positions(&at(0.5))?;
//! let mut faces = Vec::new();
//! left.collect_faces_touching(&Aabb { min: Vec3::ZERO, max: Vec3::ONE }, &mut faces);
//! assert_eq!(faces, [0]);
//! # Ok::<(), carom_deform::DeformError>(())
//! ```
//!
//! # Edits
//! [`remove_faces`](DeformableMesh::remove_faces) and [`add_faces`](DeformableMesh::add_faces)
//! change the triangles; use both to remesh. [`tear`](DeformableMesh::tear) separates a mesh along
//! edges. [`cut`](DeformableMesh::cut) does so for ropes, and
//! [`fracture`](DeformableMesh::fracture) for bodies of tetrahedra. Vertices keep their numbers
//! and elements their order; new ones come last. Edges get new numbers. Answers after an edit are
//! those of a mesh made anew (test: `edit::remeshing_is_removing_and_adding`).
//!
//! ```
//! use carom_deform::{DeformableMesh, FeatureSearch};
//! use glam::Vec3;
//!
//! let corners = [[0, 0], [1, 0], [0, 1], [1, 1]].map(|[x, z]| Vec3::new(x as f32, 0.0, z as f32));
//! let mut sheet = DeformableMesh::from_triangles(&corners, vec![[0, 1, 2], [1, 3, 2]])?;
//! let mut weights = vec![1.0, 2.0, 3.0, 4.0]; // Of the caller, for each vertex.
//! // The two triangles part: the second gets vertices of its own.
//! let made = sheet.tear(&[[1, 2]])?;
//! made.iter().for_each(|&from| weights.push(weights[from as usize]));
//! assert_eq!((sheet.faces()[1], &weights[4..]), ([4, 3, 5], &[2.0, 3.0][..]));
//! // The triangles still touch, and share no vertex now: so the search finds them.
//! let mut search = FeatureSearch::default();
//! assert!(!search.within(&mut sheet, 0.0).finish().pairs.is_empty());
//! # Ok::<(), carom_deform::DeformError>(())
//! ```
//!
//! # Two meshes without trees, and push-outs
//! [`OverlapRegion`] gives the crossings of two meshes by halving the region that both cover.
//! [`VoxelOverlap`] says whether they may touch. [`ContactSides`] remembers on which side of a
//! collider each vertex is, and returns how far to push it back. [`RayDepths`] does so along rays.
//!
//! ```
//! use carom_deform::{ContactSides, DeformableMesh, OverlapRegion};
//! use glam::Vec3;
//!
//! let floor = [Vec3::ZERO, Vec3::new(0.0, 0.0, 4.0), Vec3::new(4.0, 0.0, 0.0)];
//! let mut floor = DeformableMesh::from_triangles(&floor, vec![[0, 1, 2]])?;
//! let flap = |y: f32| [Vec3::new(1.0, y, 1.0), Vec3::new(1.0, 2.0, 1.0), Vec3::new(1.0, 2.0, 2.0)];
//! let mut cloth = DeformableMesh::from_triangles(&flap(0.25), vec![[0, 1, 2]])?;
//! let mut sides = ContactSides::new(&floor, 1.0)?;
//! assert!(sides.update(&cloth, &mut floor)?.finish().push_outs.is_empty());
//!
//! // A corner goes through the floor, and is pushed back up.
//! cloth.set_positions(&flap(-0.5))?;
//! assert_eq!(OverlapRegion::default().crossings(&cloth, &floor).finish().pairs.len(), 1);
//! let found = sides.update(&cloth, &mut floor)?.finish().push_outs;
//! assert_eq!((found[0].vertex, found[0].depth, found[0].direction.y), (0, 0.5, 1.0));
//! # Ok::<(), carom_deform::DeformError>(())
//! ```
//!
//! # Which tree when
//! All give the same answers (test: `update::all_trees_give_the_same_answers`), and [`AutoTree`],
//! the default, chooses by counted costs. Another one may cost less:
//! - [`RefitTree`] if each step searches the whole mesh.
//! - [`LazyTree`] if each step has a few small queries.
//! - [`RebuiltTree`] if the motion separates features that were near each other.
//! - [`HybridTree`] is the scheme of the book (Real-Time Rendering, 25.7), for comparison.
//!
//! # Known deformations
//! If the vertices follow from a few parameters, a pass over them is not needed. The trees in
//! [`known`] compute a node's volume from the parameters when a query comes to it. [`MorphTree`]
//! is for morph targets, and [`MorphKDopTree`] if queries are k-DOPs. [`LinearSkinTree`] and
//! [`DualQuaternionTree`] are for skins, [`ModalTree`] is for modes of vibration. The answers are
//! those from all vertices (test: `known::answers_are_those_of_brute_force`).
//!
//! ```
//! use carom_bounds::Aabb;
//! use carom_deform::{KnownError, MorphTree};
//! use glam::Vec3;
//!
//! // A square of two triangles, and a target that lifts one corner by 1.
//! let rest = [Vec3::ZERO, Vec3::X, Vec3::Z, Vec3::new(1.0, 0.0, 1.0)];
//! let lift = [Vec3::ZERO, Vec3::ZERO, Vec3::ZERO, Vec3::Y];
//! let mut tree = MorphTree::new(&rest, &[lift], vec![[0, 1, 2], [1, 3, 2]])?;
//! tree.set_weights(&[-0.5])?;
//! let below = Aabb { min: Vec3::new(0.0, -1.0, 0.0), max: Vec3::new(1.0, -0.25, 1.0) };
//! let mut faces = Vec::new();
//! tree.collect_faces_touching(&below, &mut faces);
//! assert_eq!((faces, tree.position(3).y), (vec![1], -0.5));
//! # Ok::<(), KnownError>(())
//! ```
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod barrier;
mod bounds;
mod candidates;
mod cones;
mod counters;
mod crossings;
mod cull;
mod deformable;
mod error;
mod impacts;
pub mod known;
mod leaf_pairs;
mod pair;
#[cfg(feature = "parallel")]
mod par;
mod push_out;
mod ray_depths;
mod region;
mod search;
mod separation;
mod sheets;
mod sides;
mod solids;
mod surface;
mod update;
mod view;
mod voxels;
mod within;

pub use barrier::{Barrier, Stencil};
pub use bounds::{Bounds, TimeSpan};
pub use candidates::Candidates;
pub use cones::Cones;
pub use counters::{DeformCounters, TreeWork};
pub use crossings::Crossings;
pub use deformable::{AddedElements, DeformableMesh, MAX_ELEMENTS, MAX_POSITION};
pub use error::DeformError;
pub use impacts::{FreeStep, Impacts};
pub use known::{
    BoneWeights, DualQuaternionTree, KnownError, LinearSkinTree, ModalTree, MorphKDopTree, MorphTree,
};
pub use pair::{FeatureImpact, FeaturePair, NearPair, PairKind};
pub use push_out::{PushOut, SignedDistance};
pub use ray_depths::{RayDepths, RayUpdate};
pub use region::{OverlapRegion, RegionCounters, RegionResult, RegionSearch};
pub use search::{FeatureSearch, Search, SearchKind, SearchResult, SearchTarget};
pub use sides::{ContactSides, PushOutCounters, PushOuts, SideUpdate};
pub use update::{AutoTree, FollowingTree, HybridTree, LazyTree, RebuiltTree, RefitTree};
pub use voxels::{MAX_RESOLUTION, VoxelCounters, VoxelOverlap, VoxelSearch};
pub use within::Within;
