//! The contact solver: from contacts to impulses, eight manifolds at a time.
//!
//! - Before the substeps: `constraints` owns the groups of eight manifolds. `color` finds manifolds
//!   that share no body, and `rows` loads them into the lanes of a `group`. `cache` has their
//!   impulses of the last step, and `sleeping` those of pairs at rest. `seams` matches them across
//!   the pieces of a floor. `damping`, `load` and `balance` determine which part of these is used.
//! - In each substep: `impact` reflects bodies that bounce. `solve` has the iteration over normals,
//!   and `friction` that over tangents, with the levers of `carrier` on a body that turns.
//! - After the substeps: `take_back` removes the speed of push-out, `energy` bounds the energy
//!   that contacts add, `results` reads the impulses of groups, and `reports` owns them.

pub(crate) mod balance;
pub(crate) mod cache;
pub(crate) mod carrier;
pub(crate) mod classes;
pub(crate) mod color;
pub(crate) mod constraints;
pub(crate) mod damping;
pub(crate) mod energy;
pub(crate) mod friction;
pub(crate) mod group;
pub(crate) mod group_details;
pub(crate) mod impact;
pub(crate) mod impulse_list;
pub(crate) mod lane_vec;
pub(crate) mod load;
pub(crate) mod pair_motion;
pub(crate) mod reports;
pub(crate) mod results;
pub(crate) mod rows;
pub(crate) mod seams;
pub(crate) mod sleeping;
pub(crate) mod solve;
pub(crate) mod take_back;
