//! Builds the tree from brushes: every plane that divides a cell is that of a face of a brush.
//!
//! Pieces of brushes sink through the tree. Of the planes of the faces that are in a cell the one is taken that cuts few pieces and
//! leaves about as many on either side; faces in it become boundary. A piece with nothing but boundary around it is its cell, and the cell
//! solid: brushes may overlap, touch, or be in each other.
//!
//! Degenerate input: faces in one plane share a node; a piece that reaches over a plane by no more than the tolerance is not cut, so
//! neither are T-junctions nor thin gaps between brushes.
//!
//! Reference: W. Thibault, B. Naylor, Set Operations on Polyhedra Using Binary Space Partitioning Trees, 1987; Akenine-Moller et al.,
//! Real-Time Rendering, 4th ed., 19.1.2 and 25.5 (surface-aligned trees).

use crate::bevel::bevels;
use crate::brush::Brush;
use crate::fragment::{Fragment, Place, double_area};
use crate::planes::PlaneTable;
use crate::tree::{BspReport, BspTree, Contents, LEAF, Leaf, Node};
use alloc::vec::Vec;
use carom_math::tol;
use core::fmt;
use glam::DVec3;
use hashbrown::HashMap;

/// Which edges of solid cells are bevelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bevels {
    /// None: bodies are stopped early at sharp edges.
    None,
    /// Those between faces that look more than a right angle apart.
    #[default]
    Edges,
    /// All edges but the bluntest, all corners, and a box around the cell: three to four times as many planes, which are only looked at
    /// where a body is about to touch.
    All,
}

/// How a tree is built.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BspSettings {
    /// Which edges are bevelled.
    pub bevels: Bevels,
    /// How many planes are tried for each node, those of the largest faces; at least 1.
    pub max_tried: u32,
    /// What a cut costs, in pieces that one side has more than the other.
    pub cost_of_cut: f64,
}

impl Default for BspSettings {
    fn default() -> BspSettings {
        BspSettings { bevels: Bevels::default(), max_tried: 64, cost_of_cut: 4.0 }
    }
}

impl BspSettings {
    /// These settings with other bevels.
    #[must_use]
    pub fn with_bevels(self, bevels: Bevels) -> BspSettings {
        BspSettings { bevels, ..self }
    }

    /// These settings with another number of planes to be tried.
    #[must_use]
    pub fn with_max_tried(self, max_tried: u32) -> BspSettings {
        BspSettings { max_tried, ..self }
    }

    /// These settings with another cost of a cut.
    #[must_use]
    pub fn with_cost_of_cut(self, cost_of_cut: f64) -> BspSettings {
        BspSettings { cost_of_cut, ..self }
    }
}

/// Why no tree was built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BspError {
    /// There would be more than 2^30 cells.
    TooMany,
}

impl fmt::Display for BspError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BspError::TooMany => write!(f, "the tree would have more than 2^30 cells"),
        }
    }
}

impl core::error::Error for BspError {}

/// A cell to be divided, and the reference to it in its parent.
struct Task {
    fragments: Vec<Fragment>,
    contents: Contents,
    parent: Option<(u32, usize)>,
    depth: u32,
}

impl BspTree {
    /// A tree around these brushes, which may overlap. Takes time in proportion to their number times its logarithm, as a rule.
    pub fn from_brushes(brushes: &[Brush], settings: &BspSettings) -> Result<BspTree, BspError> {
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for corner in brushes.iter().flat_map(Brush::corners) {
            (low, high) = (low.min(corner), high.max(corner));
        }
        let size = if brushes.is_empty() { 0.0 } else { low.abs().max(high.abs()).max_element() };
        let thin = tol::BSP_THIN * size;
        let mut table = PlaneTable::new(thin);
        let fragments = brushes.iter().map(|brush| Fragment::of_brush(brush, &mut table)).collect();
        let mut tree = BspTree {
            planes: Vec::new(),
            nodes: Vec::new(),
            leaves: Vec::new(),
            bevels: Vec::new(),
            root: LEAF,
            thin,
            low,
            high,
            report: BspReport::default(),
        };
        let mut stack = Vec::new();
        stack.push(Task { fragments, contents: Contents::empty(), parent: None, depth: 0 });
        while let Some(task) = stack.pop() {
            let reference = tree.divide(task, &table, settings, &mut stack)?;
            tree.report.depth = tree.report.depth.max(reference.1);
        }
        tree.report.nodes = tree.nodes.len() as u32;
        tree.report.leaves = tree.leaves.len() as u32;
        tree.report.planes = table.planes.len() as u32;
        tree.report.bevels = tree.bevels.len() as u32;
        tree.planes = table.planes;
        Ok(tree)
    }

    /// Makes a node or a leaf of a cell; its reference and depth.
    fn divide(
        &mut self,
        task: Task,
        table: &PlaneTable,
        settings: &BspSettings,
        stack: &mut Vec<Task>,
    ) -> Result<(u32, u32), BspError> {
        let Task { mut fragments, mut contents, parent, depth } = task;
        let solid = fragments.iter().position(|f| f.contents.contains(Contents::SOLID) && f.fills_cell());
        let first_bevel = self.bevels.len() as u32;
        let reference = if let Some(solid) = solid {
            bevels(&fragments[solid], table, settings.bevels, &mut self.bevels);
            contents |= fragments[solid].contents;
            self.leaf(contents, first_bevel)?
        } else {
            let mut filling = None;
            fragments.retain(|fragment| {
                let fills = fragment.fills_cell();
                if fills {
                    contents |= fragment.contents;
                    filling = Some(fragment.clone());
                }
                !fills
            });
            match choose(&fragments, table, settings, self.thin) {
                None => {
                    if let Some(cell) = filling {
                        bevels(&cell, table, settings.bevels, &mut self.bevels);
                    }
                    self.leaf(contents, first_bevel)?
                }
                Some(plane) => {
                    let number = self.nodes.len() as u32;
                    if LEAF / 2 <= number {
                        return Err(BspError::TooMany);
                    }
                    self.nodes.push(Node { plane, children: [LEAF; 2] });
                    let sides = self.split(fragments, plane, table);
                    for (side, fragments) in sides.into_iter().enumerate() {
                        let parent = Some((number, side));
                        stack.push(Task { fragments, contents, parent, depth: depth + 1 });
                    }
                    number
                }
            }
        };
        match parent {
            Some((node, side)) => self.nodes[node as usize].children[side] = reference,
            None => self.root = reference,
        }
        Ok((reference, depth))
    }

    fn leaf(&mut self, contents: Contents, first_bevel: u32) -> Result<u32, BspError> {
        let number = self.leaves.len() as u32;
        if LEAF / 2 <= number {
            return Err(BspError::TooMany);
        }
        self.leaves.push(Leaf { contents, bevels: [first_bevel, self.bevels.len() as u32] });
        self.report.filled_leaves += u32::from(!contents.is_empty());
        Ok(LEAF | number)
    }

    /// What is in front of the plane and behind.
    fn split(&mut self, fragments: Vec<Fragment>, plane: u32, table: &PlaneTable) -> [Vec<Fragment>; 2] {
        let split = table.planes[plane as usize];
        let (mut front, mut behind) = (Vec::new(), Vec::new());
        for mut fragment in fragments {
            match fragment.place(&split, self.thin) {
                Place::Front => {
                    fragment.bound(plane);
                    front.push(fragment);
                }
                Place::Behind => {
                    fragment.bound(plane);
                    behind.push(fragment);
                }
                Place::Both => {
                    self.report.splits += 1;
                    let [ahead, back] = fragment.cut(plane, &split, self.thin);
                    front.extend(ahead);
                    behind.extend(back);
                }
            }
        }
        [front, behind]
    }
}

/// The plane to divide a cell by; `None` where it is not to be divided.
fn choose(fragments: &[Fragment], table: &PlaneTable, settings: &BspSettings, thin: f64) -> Option<u32> {
    let mut areas: HashMap<u32, (f64, u32)> = HashMap::new();
    for side in fragments.iter().flat_map(|fragment| &fragment.sides).filter(|side| !side.is_boundary) {
        let entry = areas.entry(side.plane.plane).or_insert((0.0, 0));
        *entry = (entry.0 + double_area(&side.corners), entry.1 + 1);
    }
    let mut tried: Vec<(f64, u32, u32)> =
        areas.into_iter().map(|(plane, (area, n))| (area, n, plane)).collect();
    // The largest first; by number where they are alike, so that the order of the table is of no account.
    tried.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.2.cmp(&b.2)));
    tried.truncate(settings.max_tried.max(1) as usize);
    let mut best: Option<(f64, u32)> = None;
    for (_, n_faces, plane) in tried {
        let split = table.planes[plane as usize];
        let (mut n_front, mut n_behind, mut n_cut) = (0_u32, 0_u32, 0_u32);
        for fragment in fragments {
            match fragment.place(&split, thin) {
                Place::Front => n_front += 1,
                Place::Behind => n_behind += 1,
                Place::Both => n_cut += 1,
            }
        }
        let cost = f64::from(n_front.abs_diff(n_behind)) + settings.cost_of_cut * f64::from(n_cut)
            - f64::from(n_faces);
        if best.is_none_or(|best| cost < best.0) {
            best = Some((cost, plane));
        }
    }
    best.map(|best| best.1)
}
