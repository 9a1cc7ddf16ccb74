//! Three clouds of drops drift apart. In each step it counts the groups of drops that hang
//! together. Usage: `neighbours [SIDE]`.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)] // A program, never without std.

use carom_neighbours::{NeighbourGrid, NeighbourLists, NeighbourSearch};
use glam::Vec3;
use std::error::Error;

/// Drops within this distance, in metres, hang together.
const RADIUS: f32 = 0.015;

/// Returns a cube of drops, 1 cm apart, at a corner.
fn cloud(side: usize, corner: Vec3) -> impl Iterator<Item = Vec3> {
    let at = |i: usize| i as f32 * 0.01;
    let drop = move |i: usize| Vec3::new(at(i % side), at(i / side % side), at(i / side / side));
    (0..side * side * side).map(move |i| corner + drop(i))
}

/// Returns the number of groups: a drop and its neighbours are in one group.
fn n_groups(lists: &NeighbourLists) -> usize {
    let (mut is_visited, mut open, mut n) = (vec![false; lists.len()], Vec::new(), 0);
    for &first in lists.points() {
        if is_visited[first as usize] {
            continue;
        }
        n += 1;
        is_visited[first as usize] = true;
        open.push(first);
        while let Some(drop) = open.pop() {
            for &near in lists.of(drop) {
                if !is_visited[near as usize] {
                    is_visited[near as usize] = true;
                    open.push(near);
                }
            }
        }
    }
    n
}

fn main() -> Result<(), Box<dyn Error>> {
    let side: usize = std::env::args().nth(1).map_or(Ok(20), |word| word.parse())?;
    let side = side.clamp(1, 100);
    // The clouds begin side by side. Velocities are in metres per step.
    let position_of = |cloud: usize| Vec3::X * (cloud * side) as f32 * 0.01;
    let mut drops: Vec<Vec3> = (0..3).flat_map(|i| cloud(side, position_of(i))).collect();
    let velocity = |drop: usize| Vec3::X * 0.002 * (drop / (side * side * side)) as f32;

    // Both keep their memory from step to step.
    let mut grid = NeighbourGrid::new(RADIUS)?;
    let mut lists = NeighbourLists::default();
    for step in 0..6 {
        grid.set_points(&drops)?;
        grid.collect_lists(&mut lists)?;
        let mean = lists.neighbours().len() as f64 / lists.len() as f64;
        println!(
            "step {step}: {} groups of {} drops, {mean:.1} neighbours each",
            n_groups(&lists),
            lists.len()
        );
        for (i, drop) in drops.iter_mut().enumerate() {
            *drop += velocity(i);
        }
    }

    // Drops near any position, and near the points of another set.
    let mut near = Vec::new();
    grid.collect_near(Vec3::splat(0.005), &mut near);
    println!("{} drops are near the middle of the first cell", near.len());
    let sensors = [Vec3::ZERO, Vec3::splat(-1.0)];
    grid.collect_lists_between(&sensors, &mut lists)?;
    println!("a sensor in the corner feels {} drops, one outside {}", lists.of(0).len(), lists.of(1).len());
    grid.set_points(&drops)?;
    grid.collect_lists(&mut lists)?;
    if n_groups(&lists) == 3 { Ok(()) } else { Err("the clouds are not three groups".into()) }
}
