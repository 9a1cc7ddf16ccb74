//! Builds the tree from brushes: every plane that divides a cell is that of a face of a brush.
//!
//! Pieces of brushes sink through the tree. Of the planes of the faces that are in a cell the one
//! is taken that cuts few pieces and leaves about as many on either side; faces in it become
//! boundary. A piece with nothing but boundary around it is its cell, and the cell solid: brushes
//! may overlap, touch, or be in each other.
//!
//! Degenerate input: a brush no thicker than the tolerance is left out; faces in one plane share a
//! node; a piece that reaches over a plane by no more than the tolerance is not cut, so neither are
//! T-junctions nor thin gaps between brushes.
//!
//! Reference: W. Thibault, B. Naylor, Set Operations on Polyhedra Using Binary Space Partitioning
//! Trees, 1987; Akenine-Moller et al., Real-Time Rendering, 4th ed., 19.1.2 and 25.5
//! (surface-aligned trees).

use crate::bevel::bevels;
use crate::brush::Brush;
use crate::fragment::{Fragment, Place, double_area};
use crate::planes::{PlaneTable, SplitPlane};
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
    /// All edges but the bluntest, all corners, and a box around the cell: three to four times as
    /// many planes, which are only looked at where a body is about to touch.
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
    /// How much of the surface of a mesh may be open, as a part of it, 0 to 1: [`BspError::Open`].
    /// With 1 every mesh has a tree, of cells that are solid where it winds at least half around
    /// their middles.
    pub max_open: f64,
    /// The most pieces that are cut in two: [`BspError::Entangled`]. Meshes and brushes that cross
    /// each other many times have no end otherwise; levels need a few for each face at most.
    pub max_splits: u32,
    /// The most corners that are held against planes while cells are divided:
    /// [`BspError::Entangled`].
    pub max_work: u64,
}

impl Default for BspSettings {
    fn default() -> BspSettings {
        BspSettings {
            bevels: Bevels::default(),
            max_tried: 64,
            cost_of_cut: 4.0,
            max_open: tol::BSP_OPEN,
            max_splits: u32::MAX,
            max_work: u64::MAX,
        }
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

    /// These settings with limits for so many faces: far more than levels need, and seconds at most
    /// where faces cross each other without end.
    #[must_use]
    pub fn with_limits_for(self, n_faces: usize) -> BspSettings {
        const SPLITS: [u32; 2] = [1 << 16, 1 << 6];
        const WORK: [u64; 2] = [1 << 30, 1 << 13];
        let n = u32::try_from(n_faces).unwrap_or(u32::MAX);
        let max_splits = SPLITS[0].saturating_add(SPLITS[1].saturating_mul(n));
        BspSettings { max_splits, max_work: WORK[0] + WORK[1] * u64::from(n), ..self }
    }

    /// These settings with another limit of cuts, and none of work.
    #[must_use]
    pub fn with_max_splits(self, max_splits: u32) -> BspSettings {
        BspSettings { max_splits, max_work: u64::MAX, ..self }
    }

    /// These settings with another part of the surface that may be open.
    #[must_use]
    pub fn with_max_open(self, max_open: f64) -> BspSettings {
        BspSettings { max_open, ..self }
    }
}

/// Why no tree was built.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum BspError {
    /// There would be more than 2^30 cells.
    TooMany,
    /// The vertex with this number has a NaN, an infinite coordinate, or one beyond 2^40.
    NotFinite(usize),
    /// The triangle with this number has a corner that is no vertex.
    NoVertex(usize),
    /// There is nothing in the mesh: no bit of the contents is set.
    NoContents,
    /// At this place the back of a triangle is seen from outside: the surface is open, or inside
    /// out.
    Open(DVec3),
    /// The faces cross each other too often, or are too many: so many pieces were cut in two when a
    /// limit of the settings was reached.
    Entangled(u32),
}

impl fmt::Display for BspError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BspError::TooMany => write!(f, "the tree would have more than 2^30 cells"),
            BspError::NotFinite(vertex) => {
                write!(f, "vertex {vertex} has a coordinate that is NaN, infinite or beyond 2^40")
            }
            BspError::NoVertex(triangle) => write!(f, "triangle {triangle} has a corner that is no vertex"),
            BspError::NoContents => write!(f, "the mesh has no contents"),
            BspError::Open(at) => write!(
                f,
                "the surface is open or inside out: at ({}, {}, {}) the back of a triangle is seen from outside",
                at.x, at.y, at.z
            ),
            BspError::Entangled(splits) => {
                write!(
                    f,
                    "the faces cross each other too often, or are too many: no tree is made after {splits} splits"
                )
            }
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
    /// A tree around these brushes, which may overlap. Takes time in proportion to their number
    /// times its logarithm, as a rule.
    pub fn from_brushes(brushes: &[Brush], settings: &BspSettings) -> Result<BspTree, BspError> {
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for corner in brushes.iter().flat_map(Brush::corners) {
            (low, high) = (low.min(corner), high.max(corner));
        }
        let mut tree = BspTree::empty(low, high);
        let mut table = PlaneTable::new(tree.thin);
        let fragments = brushes.iter().map(|brush| Fragment::of_brush(brush, &mut table)).collect();
        let mut stack = Vec::new();
        stack.push(Task { fragments, contents: Contents::empty(), parent: None, depth: 0 });
        let mut work = 0;
        while let Some(task) = stack.pop() {
            work += work_of(
                task.fragments.iter().flat_map(|f| &f.sides).map(|side| side.corners.len()),
                settings,
            );
            tree.check_limits(work, settings)?;
            let reference = tree.divide(task, &table, settings, &mut stack)?;
            tree.report.depth = tree.report.depth.max(reference.1);
        }
        tree.planes = table.planes;
        tree.count();
        Ok(tree)
    }

    /// An error where more was done than the settings allow.
    pub(crate) fn check_limits(&self, work: u64, settings: &BspSettings) -> Result<(), BspError> {
        let splits = self.report.splits;
        if settings.max_splits < splits || settings.max_work < work {
            return Err(BspError::Entangled(splits));
        }
        Ok(())
    }

    /// Without anything in it; the coordinates are those of what will be.
    pub(crate) fn empty(low: DVec3, high: DVec3) -> BspTree {
        let size = low.abs().max(high.abs()).max_element();
        // The least coordinates of nothing are infinite.
        let size = if size.is_finite() { size } else { 0.0 };
        BspTree {
            planes: Vec::new(),
            nodes: Vec::new(),
            leaves: Vec::new(),
            bevels: Vec::new(),
            root: LEAF,
            thin: tol::BSP_THIN * size,
            low,
            high,
            report: BspReport::default(),
        }
    }

    /// Completes the report.
    pub(crate) fn count(&mut self) {
        self.report.nodes = self.nodes.len() as u32;
        self.report.leaves = self.leaves.len() as u32;
        self.report.planes = self.planes.len() as u32;
        self.report.bevels = self.bevels.len() as u32;
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
                Place::Front => front.extend(fragment.bound(plane, false).then_some(fragment)),
                Place::Behind => behind.extend(fragment.bound(plane, true).then_some(fragment)),
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

/// Corners that are held against planes to choose one, for faces with so many corners each.
pub(crate) fn work_of(faces: impl Iterator<Item = usize>, settings: &BspSettings) -> u64 {
    let (n_faces, n_corners) = faces.fold((0_u64, 0_u64), |(n, sum), corners| (n + 1, sum + corners as u64));
    n_corners.saturating_mul(n_faces.min(u64::from(settings.max_tried)))
}

/// The plane to divide a cell by; `None` where it is not to be divided.
fn choose(fragments: &[Fragment], table: &PlaneTable, settings: &BspSettings, thin: f64) -> Option<u32> {
    let sides = fragments.iter().flat_map(|fragment| &fragment.sides).filter(|side| !side.is_boundary);
    let tried = tried_planes(sides.map(|side| (side.plane.plane, &side.corners[..])), settings);
    let planes: Vec<(SplitPlane, u32)> =
        tried.iter().map(|&(plane, n_faces)| (table.planes[plane as usize], n_faces)).collect();
    let best = best_plane(&planes, settings, |split, _| {
        let mut counts = [0_u32; 3];
        for fragment in fragments {
            match fragment.place(split, thin) {
                Place::Front => counts[0] += 1,
                Place::Behind => counts[1] += 1,
                Place::Both => counts[2] += 1,
            }
        }
        Some(counts)
    })?;
    tried.iter().zip(&planes).find(|(_, plane)| plane.0 == best).map(|(tried, _)| tried.0)
}

/// The planes of these faces that are to be tried, with how many faces are in each: those with the
/// largest area, that first.
pub(crate) fn tried_planes<'a>(
    faces: impl Iterator<Item = (u32, &'a [DVec3])>,
    settings: &BspSettings,
) -> Vec<(u32, u32)> {
    let mut areas: HashMap<u32, (f64, u32)> = HashMap::new();
    for (plane, corners) in faces {
        let entry = areas.entry(plane).or_insert((0.0, 0));
        *entry = (entry.0 + double_area(corners), entry.1 + 1);
    }
    let mut tried: Vec<(f64, u32, u32)> =
        areas.into_iter().map(|(plane, (area, n))| (area, n, plane)).collect();
    // By number where they are alike, so that the order of the table is of no account.
    tried.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.2.cmp(&b.2)));
    tried.truncate(settings.max_tried.max(1) as usize);
    tried.into_iter().map(|(_, n, plane)| (plane, n)).collect()
}

/// Of planes with the number of faces in each the one that costs least. `count` says how many
/// pieces are in front, behind and cut, for a plane and whether faces are in it, or nothing where
/// it is of no use.
pub(crate) fn best_plane(
    tried: &[(SplitPlane, u32)],
    settings: &BspSettings,
    count: impl Fn(&SplitPlane, bool) -> Option<[u32; 3]>,
) -> Option<SplitPlane> {
    let mut best: Option<(f64, SplitPlane)> = None;
    for &(plane, n_faces) in tried {
        let Some([n_front, n_behind, n_cut]) = count(&plane, n_faces > 0) else { continue };
        let cost = f64::from(n_front.abs_diff(n_behind)) + settings.cost_of_cut * f64::from(n_cut)
            - f64::from(n_faces);
        if best.is_none_or(|best| cost < best.0) {
            best = Some((cost, plane));
        }
    }
    best.map(|best| best.1)
}
