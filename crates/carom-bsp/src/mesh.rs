//! Builds the tree from closed triangle meshes. Planes divide cells until no cell has a triangle
//! inside.
//!
//! A box around the mesh is the first cell.
//! - Candidates to split a cell: the planes of its triangles, and three axis-aligned planes
//!   through the median of their first corners.
//! - The plane chosen cuts few triangles and leaves about as many on either side.
//! - A convex mesh is behind each plane of its triangles, so these planes alone give a tree as
//!   deep as the mesh has triangles. The axis-aligned planes prevent that.
//! - Triangles in a splitting plane become walls of the cells on both sides.
//! - Solid cells are found afterwards, from the walls and from winding numbers: see `label.rs`.
//!
//! Degenerate input: triangles of no area are left out. Meshes may overlap, touch and contain each
//! other. T-junctions and gaps up to the tolerance do not matter. Larger gaps are an error only if
//! they open much of the surface.
//!
//! Reference: W. Thibault, B. Naylor, Set Operations on Polyhedra Using Binary Space Partitioning
//! Trees, 1987; S. Melax, Dynamic Plane Shifting BSP Traversal, 2000 (trees of level geometry).

use crate::bevel::bevels;
use crate::brush::LARGEST;
use crate::build::{BspError, BspSettings, best_plane, tried_planes, work_of};
use crate::fragment::{Fragment, PlaneSide, Polygon, Side, side_of_points};
use crate::label::{Cell, label};
use crate::planes::{PlaneTable, SplitPlane};
use crate::tree::{BspTree, Contents, LEAF, Leaf, Node};
use alloc::vec::Vec;
use carom_math::scaling;
use glam::DVec3;

/// A cell to divide, and the reference to it in its parent.
struct Task {
    cell: Fragment,
    /// Polygons inside the cell.
    polygons: Vec<Polygon>,
    /// Polygons in the boundary of the cell.
    walls: Vec<Polygon>,
    parent: Option<(u32, usize)>,
    depth: u32,
}

/// Distance by which the first cell extends beyond the mesh, over the size of the mesh.
const AROUND: f64 = 0.125;

impl BspTree {
    /// Returns a tree of the space that closed triangles enclose, counter-clockwise seen from
    /// outside. One list may hold several meshes: the inside of each gets the contents.
    ///
    /// Errors: see [`BspError`]. A surface that is open or inside out is refused with a point at
    /// which this is so. A part thinner than some tens of [`BspTree::tolerance`] may count as
    /// open.
    ///
    /// An opening counts by its share of the whole surface: see [`BspSettings::max_open`]. A
    /// smaller one is accepted if the inside does not leak through it to the rim of the space
    /// around the mesh. Cells at such an opening may be solid outside the mesh and empty inside
    /// it.
    ///
    /// Build separate trees for meshes of very different sizes: the tolerance depends on the
    /// largest coordinate.
    pub fn from_mesh(
        vertices: &[DVec3],
        triangles: &[[u32; 3]],
        contents: Contents,
        settings: &BspSettings,
    ) -> Result<BspTree, BspError> {
        if contents.is_empty() {
            return Err(BspError::NoContents);
        }
        let corners = corners_of(vertices, triangles)?;
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for corner in corners.iter().flatten() {
            (low, high) = (low.min(*corner), high.max(*corner));
        }
        let mut tree = BspTree::empty(low, high);
        if corners.is_empty() {
            tree.leaves.push(Leaf { contents: Contents::empty(), bevels: [0; 2] });
            tree.report.leaves = 1;
            return Ok(tree);
        }
        let thin = tree.thin;
        let mut table = PlaneTable::new(thin);
        let polygons: Vec<Polygon> = corners.iter().filter_map(|t| polygon(t, &mut table, thin)).collect();
        let mut cells: Vec<Cell> = Vec::new();
        let mut solids: Vec<Fragment> = Vec::new();
        let around = AROUND * (high - low).max_element() + 4.0 * thin;
        let cell = around_all(low - around, high + around, &mut table);
        let outside: Vec<u32> = cell.sides.iter().map(|side| side.plane.plane).collect();
        let mut stack = Vec::new();
        stack.push(Task { cell, polygons, walls: Vec::new(), parent: None, depth: 0 });
        let mut work = 0;
        while let Some(mut task) = stack.pop() {
            work += work_of(task.polygons.iter().map(|polygon| polygon.corners.len()), settings);
            tree.check_limits(work, settings)?;
            let split = task.split(&mut table, settings, thin);
            let reference = match split {
                None => {
                    cells.push(Cell::new(&task.cell, &task.walls, &outside, &table, thin));
                    solids.push(task.cell);
                    let number = cells.len() as u32 - 1;
                    if LEAF / 2 <= number {
                        return Err(BspError::TooMany);
                    }
                    LEAF | number
                }
                Some((plane, cuts)) => {
                    let number = tree.nodes.len() as u32;
                    if LEAF / 2 <= number {
                        return Err(BspError::TooMany);
                    }
                    tree.nodes.push(Node { plane, children: [LEAF; 2] });
                    let [walls_ahead, walls_behind] =
                        divided(task.walls, plane, &table, thin, &mut tree.report.splits);
                    let [ahead, behind] =
                        divided(task.polygons, plane, &table, thin, &mut tree.report.splits);
                    let sides = cuts.into_iter().zip([(ahead, walls_ahead), (behind, walls_behind)]);
                    for (side, (cell, (polygons, mut walls))) in sides.enumerate() {
                        // Polygons in the plane itself are walls of both sides.
                        let (inside, more): (Vec<_>, Vec<_>) =
                            polygons.into_iter().partition(|polygon| polygon.plane.plane != plane);
                        walls.extend(more);
                        let parent = Some((number, side));
                        stack.push(Task { cell, polygons: inside, walls, parent, depth: task.depth + 1 });
                    }
                    number
                }
            };
            tree.report.depth = tree.report.depth.max(task.depth);
            match task.parent {
                Some((node, side)) => tree.nodes[node as usize].children[side] = reference,
                None => tree.root = reference,
            }
        }
        tree.planes = table.planes.clone();
        let is_solid = label(&tree, &cells, &corners, settings.max_open)?;
        for (cell, is_solid) in solids.iter().zip(is_solid) {
            let first = tree.bevels.len() as u32;
            if is_solid {
                bevels(cell, &table, settings.bevels, &mut tree.bevels);
            }
            let contents = if is_solid { contents } else { Contents::empty() };
            tree.leaves.push(Leaf { contents, bevels: [first, tree.bevels.len() as u32] });
            tree.report.filled_leaves += u32::from(is_solid);
        }
        tree.count();
        Ok(tree)
    }
}

/// Returns the corners of each triangle.
///
/// Errors: a vertex beyond the range, an index without a vertex.
fn corners_of(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<Vec<[DVec3; 3]>, BspError> {
    let is_in_range = |v: &DVec3| v.to_array().iter().all(|x| x.abs() <= LARGEST);
    if let Some(vertex) = vertices.iter().position(|v| !is_in_range(v)) {
        return Err(BspError::NotFinite(vertex));
    }
    let mut corners = Vec::with_capacity(triangles.len());
    for (number, triangle) in triangles.iter().enumerate() {
        let [a, b, c] = triangle.map(|vertex| vertices.get(vertex as usize));
        match (a, b, c) {
            (Some(a), Some(b), Some(c)) => corners.push([*a, *b, *c]),
            _ => return Err(BspError::NoVertex(number)),
        }
    }
    Ok(corners)
}

impl Task {
    /// Returns the plane that divides the cell, and the parts of the cell in front and behind.
    /// `None` if no polygon is left inside. Polygons that turn out to lie in the boundary become
    /// walls.
    fn split(
        &mut self,
        table: &mut PlaneTable,
        settings: &BspSettings,
        thin: f64,
    ) -> Option<(u32, [Fragment; 2])> {
        let mut may_be_axis = true;
        while !self.polygons.is_empty() {
            let split = self.choose(table, settings, thin, may_be_axis)?;
            let number = table.find_or_add(&split).plane;
            let split = table.planes[number as usize];
            if self.cell.side_of(&split, thin) == PlaneSide::Both
                && let [Some(ahead), Some(behind)] = self.cell.cut(number, &split, thin)
            {
                return Some((number, [ahead, behind]));
            }
            let (walls, inside): (Vec<_>, Vec<_>) =
                self.polygons.drain(..).partition(|polygon| polygon.plane.plane == number);
            self.polygons = inside;
            may_be_axis &= !walls.is_empty();
            for mut wall in walls {
                // The wall belongs to the side that it lies in.
                let off = |side: &Side| {
                    let plane = table.planes[side.plane.plane as usize];
                    wall.corners.iter().fold(0.0_f64, |off, corner| off.max(plane.height(*corner).abs()))
                };
                let nearest = self.cell.sides.iter().min_by(|a, b| off(a).total_cmp(&off(b)));
                if let Some(side) = nearest {
                    wall.assign_plane(side.plane.plane, table);
                }
                self.walls.push(wall);
            }
        }
        None
    }

    fn choose(
        &self,
        table: &PlaneTable,
        settings: &BspSettings,
        thin: f64,
        may_be_axis: bool,
    ) -> Option<SplitPlane> {
        let faces = self.polygons.iter().map(|polygon| (polygon.plane.plane, &polygon.corners[..]));
        let mut tried: Vec<(SplitPlane, u32)> = tried_planes(faces, settings)
            .into_iter()
            .map(|(plane, n_faces)| (table.planes[plane as usize], n_faces))
            .collect();
        if may_be_axis {
            for normal in [DVec3::X, DVec3::Y, DVec3::Z] {
                let mut coordinates: Vec<f64> =
                    self.polygons.iter().map(|polygon| normal.dot(polygon.corners[0])).collect();
                let middle = coordinates.len() / 2;
                let (_, offset, _) = coordinates.select_nth_unstable_by(middle, f64::total_cmp);
                tried.push((SplitPlane { normal, offset: *offset }, 0));
            }
        }
        let all = self.polygons.len() as u32;
        best_plane(&tried, settings, |split, is_face| {
            let mut counts = [0_u32; 3];
            for polygon in &self.polygons {
                match side_of_points(&polygon.corners, split, thin) {
                    PlaneSide::Front => counts[0] += 1,
                    PlaneSide::Behind => counts[1] += 1,
                    PlaneSide::Both => counts[2] += 1,
                }
            }
            // An axis-aligned plane must leave fewer polygons on both sides, or the recursion
            // would not end.
            let [front, behind, cut] = counts;
            (is_face || (front + cut < all && behind + cut < all)).then_some(counts)
        })
    }
}

/// Returns a triangle as a polygon; `None` for one of no area.
fn polygon(corners: &[DVec3; 3], table: &mut PlaneTable, thin: f64) -> Option<Polygon> {
    let [a, b, c] = *corners;
    let across = (b - a).cross(c - a);
    let longest = (b - a).length().max((c - b).length()).max((a - c).length());
    // `across.length()` over the longest side is the height. A triangle no higher than the
    // tolerance has no usable normal.
    if !(thin * longest < across.length()) {
        return None;
    }
    let normal = scaling::unit(across)?;
    let plane = table.find_or_add(&SplitPlane { normal, offset: normal.dot((a + b + c) / 3.0) });
    Some(Polygon { plane, corners: corners.to_vec() })
}

/// Returns a box; all of its sides are boundary.
fn around_all(low: DVec3, high: DVec3, table: &mut PlaneTable) -> Fragment {
    let mut sides = Vec::with_capacity(6);
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for is_high in [false, true] {
            let mut normal = DVec3::ZERO;
            normal[axis] = if is_high { 1.0 } else { -1.0 };
            let offset = if is_high { high[axis] } else { -low[axis] };
            let mut corners: Vec<DVec3> = [(false, false), (true, false), (true, true), (false, true)]
                .iter()
                .map(|&(at_u, at_v)| {
                    let mut corner = DVec3::ZERO;
                    corner[axis] = if is_high { high[axis] } else { low[axis] };
                    corner[u] = if at_u { high[u] } else { low[u] };
                    corner[v] = if at_v { high[v] } else { low[v] };
                    corner
                })
                .collect();
            if !is_high {
                corners.reverse();
            }
            let plane = table.find_or_add(&SplitPlane { normal, offset });
            sides.push(Side { plane, is_boundary: true, corners });
        }
    }
    Fragment::new(Contents::empty(), sides)
}

/// Returns the polygons in front of a plane and behind it; those in the plane are in both.
fn divided(
    polygons: Vec<Polygon>,
    plane: u32,
    table: &PlaneTable,
    thin: f64,
    n_cuts: &mut u32,
) -> [Vec<Polygon>; 2] {
    let split = &table.planes[plane as usize];
    let (mut ahead, mut behind) = (Vec::new(), Vec::new());
    for mut polygon in polygons {
        let is_in_plane = polygon.corners.iter().all(|corner| split.height(*corner).abs() <= thin);
        if polygon.plane.plane == plane || is_in_plane {
            polygon.assign_plane(plane, table);
            ahead.push(polygon.clone());
            behind.push(polygon);
            continue;
        }
        match side_of_points(&polygon.corners, split, thin) {
            PlaneSide::Front => ahead.push(polygon),
            PlaneSide::Behind => behind.push(polygon),
            PlaneSide::Both => {
                *n_cuts += 1;
                let [front, back] = polygon.cut(split, thin);
                ahead.extend(front);
                behind.extend(back);
            }
        }
    }
    [ahead, behind]
}
