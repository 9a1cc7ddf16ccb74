//! Joints: their kinds, limits, motors and springs, and how they are solved.
//!
//! `joint` is a joint as its owner describes it. `constraints` loads all joints at the start of a
//! step. `passes` runs over them in a substep.
//! `step` solves one of them, with the rows of `rows`, `axes`, `gear`, `pulley` and `twist`.
//! `spring_trees` solves whole trees of joints with springs.
//! `mass` and `load_paths` compute the masses that rows use.

pub(crate) mod axes;
pub(crate) mod axis_limits;
pub(crate) mod axis_matrix;
pub(crate) mod constraints;
pub(crate) mod fault;
pub(crate) mod gear;
pub(crate) mod gear_parts;
pub(crate) mod joint;
pub(crate) mod kind;
pub(crate) mod load;
pub(crate) mod load_paths;
pub(crate) mod mass;
pub(crate) mod motor;
pub(crate) mod passes;
pub(crate) mod pulley;
pub(crate) mod rows;
pub(crate) mod six;
pub(crate) mod softness;
pub(crate) mod spring_trees;
pub(crate) mod state;
pub(crate) mod step;
pub(crate) mod torsion_spring;
pub(crate) mod twist;
