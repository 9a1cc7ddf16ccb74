//! Finds the pairs that touch in sand among boulders, with a radius for each body. Usage: `sizes
//! [N]`.
//!
//! One grid for the largest radius would give each grain thousands of candidates. The hierarchical
//! grid gives each size its own cells. Then the sand alone, with one radius, is searched by a grid
//! and by a tree of boxes.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)] // A program, never without std.

use carom_neighbours::{HierarchicalGrid, NeighbourGrid, NeighbourSearch, NeighbourTree, Reach};
use glam::Vec3;
use std::error::Error;
use std::time::Instant;

/// Radii of a grain and of a boulder, in metres.
const RADII: [f32; 2] = [0.005, 0.25];

/// One body of this many is a boulder.
const ONE_BOULDER_IN: usize = 1000;

fn main() -> Result<(), Box<dyn Error>> {
    let n: usize = std::env::args().nth(1).map_or(Ok(100_000), |word| word.parse())?;
    // Points that fill a cube evenly, from multiples of irrational numbers.
    let side = (n as f32).cbrt() * 0.012;
    let steps = [0.819_172_5_f64, 0.671_043_6, 0.549_700_5];
    let position_of = |i: usize| Vec3::from(steps.map(|step| (i as f64 * step).fract() as f32)) * side;
    let points: Vec<Vec3> = (1..=n).map(position_of).collect();
    let radii: Vec<f32> = (0..n).map(|i| RADII[usize::from(i % ONE_BOULDER_IN == 0)]).collect();
    let is_boulder = |i: u32| radii[i as usize] == RADII[1];

    let mut bodies = HierarchicalGrid::new(Reach::Sum);
    let mut pairs = Vec::new();
    let start = Instant::now();
    bodies.set_points(&points, &radii)?;
    bodies.collect_pairs(&mut pairs)?;
    let time = start.elapsed();
    let mut n_pairs = [0; 3];
    for [a, b] in &pairs {
        n_pairs[usize::from(is_boulder(*a)) + usize::from(is_boulder(*b))] += 1;
    }
    let [sand, mixed, boulders] = n_pairs;
    println!("{n} bodies in a cube of {side:.2} m: {time:.1?} by a hierarchical grid");
    println!("  {sand} pairs of grains, {mixed} of a grain and a boulder, {boulders} of boulders");

    // Grains alone: two touch within twice their radius.
    let grains: Vec<Vec3> = (0..).zip(&points).filter(|&(i, _)| !is_boulder(i)).map(|(_, &p)| p).collect();
    let (mut grid, mut tree) = (NeighbourGrid::new(2.0 * RADII[0])?, NeighbourTree::new(2.0 * RADII[0])?);
    let mut found = [Vec::new(), Vec::new()];
    let searches: [(&str, &mut dyn NeighbourSearch); 2] = [("grid", &mut grid), ("tree", &mut tree)];
    for ((name, search), found) in searches.into_iter().zip(&mut found) {
        let start = Instant::now();
        search.set_points(&grains)?;
        search.collect_pairs(found)?;
        println!("  {} pairs of grains by a {name}, {:.1?}", found.len(), start.elapsed());
        found.sort_unstable();
    }
    if found[0] == found[1] && found[0].len() == sand {
        Ok(())
    } else {
        Err("the searches find other pairs".into())
    }
}
