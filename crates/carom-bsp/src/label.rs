//! Decides which cells of a divided mesh are solid.
//!
//! - Cells that meet in a side without any wall form one room. The winding number of the mesh
//!   around one point of the thickest cell decides for the whole room. So it is computed once per
//!   room, not once per cell.
//! - From an empty room only the fronts of walls are seen. If a back is seen, the surface is open
//!   there or inside out.
//! - The rim of the space around the mesh is empty. If a room at the rim is solid, the inside
//!   leaks out through an opening.
//!
//! Reference: A. Jacobson, L. Kavan, O. Sorkine-Hornung, Robust Inside-Outside Segmentation using
//! Generalized Winding Numbers, ACM TOG 32(4), 2013 (which likewise decides cells of a division,
//! not points); R. Tarjan, Efficiency of a Good But Not Linear Set Union Algorithm, 1975.

use crate::build::BspError;
use crate::fragment::{Fragment, Polygon, double_area};
use crate::planes::PlaneTable;
use crate::tree::{BspTree, LEAF};
use alloc::vec::Vec;
use carom_geom::winding::winding_number;
use glam::DVec3;

/// A leaf cell, with its walls and its connections to neighbours.
pub(crate) struct Cell {
    middle: DVec3,
    /// The distance from the middle to the nearest side.
    depth: f64,
    /// The plane of each side without walls, and a point just beyond the side.
    doors: Vec<(u32, DVec3)>,
    /// Twice the area of the walls whose back faces the cell.
    backs: f64,
    /// The middle of one of these walls.
    back: DVec3,
    /// Whether the cell reaches the rim of the space around the mesh.
    is_rim: bool,
}

impl Cell {
    pub(crate) fn new(
        cell: &Fragment,
        walls: &[Polygon],
        outside: &[u32],
        table: &PlaneTable,
        thin: f64,
    ) -> Cell {
        let middle = mean(cell.sides.iter().flat_map(|side| &side.corners));
        let mut doors = Vec::new();
        let mut depth = f64::INFINITY;
        let (mut backs, mut back, mut is_rim) = (0.0, middle, false);
        for side in &cell.sides {
            let plane = table.outward(side.plane);
            depth = depth.min(-plane.height(middle));
            let own = walls.iter().filter(|wall| wall.plane.plane == side.plane.plane);
            let mut has_wall = false;
            for wall in own {
                has_wall = true;
                // The wall faces out of the cell, as the cell's side does.
                if wall.plane.is_flipped == side.plane.is_flipped {
                    backs += double_area(&wall.corners);
                    back = mean(wall.corners.iter());
                }
            }
            let number = side.plane.plane;
            // A side hardly wider than the tolerance has no usable middle to cross.
            let round = side.corners.iter().map(|corner| (*corner - side.corners[0]).length());
            let longest = round.fold(0.0, f64::max);
            let is_wide = 32.0 * thin * longest < double_area(&side.corners);
            is_rim |= is_wide && outside.contains(&number);
            if !has_wall && is_wide && !outside.contains(&number) {
                doors.push((number, mean(side.corners.iter()) + plane.normal * (2.0 * thin)));
            }
        }
        Cell { middle, depth, doors, backs, back, is_rim }
    }
}

fn mean<'a>(points: impl Iterator<Item = &'a DVec3>) -> DVec3 {
    let (sum, n) = points.fold((DVec3::ZERO, 0.0), |(sum, n), point| (sum + *point, n + 1.0));
    if n == 0.0 { DVec3::ZERO } else { sum / n }
}

/// For each cell, in the order of the leaves of the tree, whether it is solid.
pub(crate) fn label(
    tree: &BspTree,
    cells: &[Cell],
    triangles: &[[DVec3; 3]],
    max_open: f64,
) -> Result<Vec<bool>, BspError> {
    let mut rooms: Vec<u32> = (0..cells.len() as u32).collect();
    for (number, cell) in cells.iter().enumerate() {
        for (plane, door) in &cell.doors {
            let next = tree.leaf_at(*door) & !LEAF;
            // The neighbour must have a door in the same plane: a wall that only one of the two
            // cells has still separates them.
            if !cells[next as usize].doors.iter().any(|back| back.0 == *plane) {
                continue;
            }
            let (a, b) = (find_root(&mut rooms, number as u32), find_root(&mut rooms, next));
            rooms[a.max(b) as usize] = a.min(b);
        }
    }
    // The thickest cell of each room decides for it.
    let mut representative: Vec<Option<u32>> = alloc::vec![None; cells.len()];
    for number in 0..cells.len() as u32 {
        let own = &mut representative[find_root(&mut rooms, number) as usize];
        let is_thicker = own.is_none_or(|old| cells[old as usize].depth < cells[number as usize].depth);
        if is_thicker {
            *own = Some(number);
        }
    }
    let is_solid: Vec<bool> = representative
        .iter()
        .map(|number| {
            number.is_some_and(|number| {
                0.5 <= winding_number(cells[number as usize].middle, triangles.iter().copied())
            })
        })
        .collect();
    let labels: Vec<bool> =
        (0..cells.len() as u32).map(|number| is_solid[find_root(&mut rooms, number) as usize]).collect();
    if 1.0 <= max_open {
        return Ok(labels);
    }
    if let Some(leak) = (0..cells.len()).find(|&number| cells[number].is_rim && labels[number]) {
        return Err(BspError::Open(widest_back(&mut rooms, cells, leak as u32)));
    }
    // Cracks show backs too, but hardly any area.
    let mut open = 0.0;
    let mut widest = (0.0, DVec3::ZERO);
    for (cell, _) in cells.iter().zip(&labels).filter(|(_, is_solid)| !**is_solid) {
        open += cell.backs;
        if widest.0 < cell.backs {
            widest = (cell.backs, cell.back);
        }
    }
    let all: f64 = triangles.iter().map(|t| double_area(t)).sum();
    if max_open * all < open { Err(BspError::Open(widest.1)) } else { Ok(labels) }
}

/// Returns a point of the walls that show the largest area of backs to one cell of a room. `cell`
/// is a cell of the room. If no backs are seen, returns the middle of `cell`.
fn widest_back(rooms: &mut [u32], cells: &[Cell], cell: u32) -> DVec3 {
    let own = find_root(rooms, cell);
    let mut widest = (0.0, cells[cell as usize].middle);
    for number in 0..cells.len() as u32 {
        let other = &cells[number as usize];
        if widest.0 < other.backs && find_root(rooms, number) == own {
            widest = (other.backs, other.back);
        }
    }
    widest.1
}

/// Returns the cell that represents a whole room (the root of the union-find set).
fn find_root(rooms: &mut [u32], cell: u32) -> u32 {
    let mut at = cell;
    while rooms[at as usize] != at {
        let next = rooms[at as usize];
        rooms[at as usize] = rooms[next as usize];
        at = next;
    }
    at
}
