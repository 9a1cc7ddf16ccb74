//! Tests of characters and vehicles, against closed forms and slower computations.

#![allow(clippy::unwrap_used)]
mod carriers;
mod cars;
mod cone;
mod disabled;
mod escalators;
mod far;
mod fields;
mod figures_and_bodies;
mod figures_change;
mod half_spaces;
mod impacts;
mod in_world;
mod kept_state;
mod knocks;
mod limits;
mod motion;
mod one_way;
mod rates;
mod rays;
mod rides;
mod slow_steps;
mod soft;
mod soft_pushes;
mod vehicle_grips;
mod vehicle_grounds;
mod vehicle_loads;
mod vehicle_rest;
mod vehicles;
mod walks;
mod worlds;
