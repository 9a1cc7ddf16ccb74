//! Builds the tree from brushes: every plane that divides a cell is the plane of a brush's face.
//!
//! Pieces of brushes descend the tree. Candidates to split a cell are the planes of the faces in
//! it. The plane chosen cuts few pieces and leaves about as many on either side. Faces in that
//! plane become part of the boundary of the two new cells. If all faces of a piece are in the
//! boundary, the piece fills its cell, and the cell gets its contents. Brushes may overlap, touch,
//! or contain each other.
//!
//! Degenerate input: a brush no thicker than the tolerance is left out. Faces in one plane share a
//! node. A piece that extends beyond a plane by no more than the tolerance is not cut. So
//! T-junctions and thin gaps between brushes cause no cuts.
//!
//! Reference: W. Thibault, B. Naylor, Set Operations on Polyhedra Using Binary Space Partitioning
//! Trees, 1987; Akenine-Moller et al., Real-Time Rendering, 4th ed., 19.1.2 and 25.5
//! (surface-aligned trees).

use crate::bevel::bevels;
use crate::brush::Brush;
use crate::fragment::{Fragment, PlaneSide, double_area};
use crate::planes::{PlaneTable, SplitPlane};
use crate::tree::{BspReport, BspTree, Contents, LEAF, Leaf, Node};
use alloc::vec::Vec;
use carom_math::tol;
use core::fmt;
use glam::DVec3;
use hashbrown::HashMap;

/// The edges of solid cells to bevel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bevels {
    /// None: bodies are stopped early at sharp edges.
    None,
    /// Edges between faces whose normals are more than a right angle apart.
    #[default]
    Edges,
    /// All edges but the bluntest, all corners, and a box around the cell. These are three to four
    /// times as many planes, which are only tested when a body is about to touch.
    All,
}

/// Settings for building a tree.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BspSettings {
    /// The edges to bevel. Default: [`Bevels::Edges`].
    pub bevels: Bevels,
    /// The number of planes tried for each node, those with the largest faces first; at least 1.
    /// Default: 64.
    pub max_tried: u32,
    /// The cost of one cut, in units of one piece of imbalance between the two sides. Default: 4.
    pub cost_of_cut: f64,
    /// The share of a mesh's surface that may be open, 0 to 1: [`BspError::Open`]. With 1 every
    /// mesh has a tree. A group of connected cells is then solid if the winding number at the
    /// middle of its thickest cell is at least a half. Default: 0.004.
    pub max_open: f64,
    /// The most pieces that may be cut in two: [`BspError::Entangled`]. The default, `u32::MAX`,
    /// is no limit, and meshes and brushes that cross each other many times may take very long.
    /// Levels need a few cuts per face at most (test:
    /// `entangled::ordinary_levels_stay_far_below_the_limits`).
    pub max_splits: u32,
    /// The most tests of corners against planes while cells are divided: [`BspError::Entangled`].
    /// Default: `u64::MAX`, no limit.
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
    /// Returns these settings with other bevels.
    #[must_use]
    pub fn with_bevels(self, bevels: Bevels) -> BspSettings {
        BspSettings { bevels, ..self }
    }

    /// Returns these settings with another number of planes to try.
    #[must_use]
    pub fn with_max_tried(self, max_tried: u32) -> BspSettings {
        BspSettings { max_tried, ..self }
    }

    /// Returns these settings with another cost of a cut.
    #[must_use]
    pub fn with_cost_of_cut(self, cost_of_cut: f64) -> BspSettings {
        BspSettings { cost_of_cut, ..self }
    }

    /// Returns these settings with limits for a number of faces. The limits are far above the
    /// needs of levels. If faces cross each other very often, the build stops within seconds.
    #[must_use]
    pub fn with_limits_for(self, n_faces: usize) -> BspSettings {
        const SPLITS: [u32; 2] = [1 << 16, 1 << 6];
        const WORK: [u64; 2] = [1 << 30, 1 << 13];
        let n = u32::try_from(n_faces).unwrap_or(u32::MAX);
        let max_splits = SPLITS[0].saturating_add(SPLITS[1].saturating_mul(n));
        BspSettings { max_splits, max_work: WORK[0] + WORK[1] * u64::from(n), ..self }
    }

    /// Returns these settings with another limit of cuts, and without a limit of tests.
    #[must_use]
    pub fn with_max_splits(self, max_splits: u32) -> BspSettings {
        BspSettings { max_splits, max_work: u64::MAX, ..self }
    }

    /// Returns these settings with another share of the surface that may be open.
    #[must_use]
    pub fn with_max_open(self, max_open: f64) -> BspSettings {
        BspSettings { max_open, ..self }
    }
}

/// The reason that no tree was built.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum BspError {
    /// There would be more than 2^30 cells.
    TooMany,
    /// The vertex with this index has a NaN, an infinite coordinate, or one beyond 2^40.
    NotFinite(usize),
    /// The triangle with this index has a corner whose vertex index is out of range.
    NoVertex(usize),
    /// No bit of the mesh's contents is set.
    NoContents,
    /// At this point the back of a triangle is seen from outside: the surface is open, or inside
    /// out.
    Open(DVec3),
    /// The faces cross each other too often, or are too many. The number is how many pieces had
    /// been cut in two when a limit of the settings was reached.
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

/// A cell to divide, and the reference to it in its parent.
struct Task {
    fragments: Vec<Fragment>,
    contents: Contents,
    parent: Option<(u32, usize)>,
    depth: u32,
}

impl BspTree {
    /// Returns a tree of these brushes, which may overlap. The time is O(n log n) in their number
    /// as a rule.
    ///
    /// Errors: too many cells, or a limit of the settings exceeded.
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

    /// Returns an error if the build exceeds the limits of the settings.
    pub(crate) fn check_limits(&self, work: u64, settings: &BspSettings) -> Result<(), BspError> {
        let splits = self.report.splits;
        if settings.max_splits < splits || settings.max_work < work {
            return Err(BspError::Entangled(splits));
        }
        Ok(())
    }

    /// Returns a tree without nodes and leaves; the coordinates bound its later contents.
    pub(crate) fn empty(low: DVec3, high: DVec3) -> BspTree {
        let size = low.abs().max(high.abs()).max_element();
        // The bounds of an empty set are infinite.
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

    /// Adds a node or a leaf for a cell. Returns its reference and depth.
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

    /// Returns the fragments in front of the plane and behind it.
    fn split(&mut self, fragments: Vec<Fragment>, plane: u32, table: &PlaneTable) -> [Vec<Fragment>; 2] {
        let split = table.planes[plane as usize];
        let (mut front, mut behind) = (Vec::new(), Vec::new());
        for mut fragment in fragments {
            match fragment.side_of(&split, self.thin) {
                PlaneSide::Front => front.extend(fragment.bound(plane, false).then_some(fragment)),
                PlaneSide::Behind => behind.extend(fragment.bound(plane, true).then_some(fragment)),
                PlaneSide::Both => {
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

/// Returns the number of tests of corners against planes that the choice of a plane takes. `faces`
/// yields the number of corners of each face.
pub(crate) fn work_of(faces: impl Iterator<Item = usize>, settings: &BspSettings) -> u64 {
    let (n_faces, n_corners) = faces.fold((0_u64, 0_u64), |(n, sum), corners| (n + 1, sum + corners as u64));
    n_corners.saturating_mul(n_faces.min(u64::from(settings.max_tried)))
}

/// Returns the plane that divides a cell; `None` if the cell is not to be divided.
fn choose(fragments: &[Fragment], table: &PlaneTable, settings: &BspSettings, thin: f64) -> Option<u32> {
    let sides = fragments.iter().flat_map(|fragment| &fragment.sides).filter(|side| !side.is_boundary);
    let tried = tried_planes(sides.map(|side| (side.plane.plane, &side.corners[..])), settings);
    let planes: Vec<(SplitPlane, u32)> =
        tried.iter().map(|&(plane, n_faces)| (table.planes[plane as usize], n_faces)).collect();
    let best = best_plane(&planes, settings, |split, _| {
        let mut counts = [0_u32; 3];
        for fragment in fragments {
            match fragment.side_of(split, thin) {
                PlaneSide::Front => counts[0] += 1,
                PlaneSide::Behind => counts[1] += 1,
                PlaneSide::Both => counts[2] += 1,
            }
        }
        Some(counts)
    })?;
    tried.iter().zip(&planes).find(|(_, plane)| plane.0 == best).map(|(tried, _)| tried.0)
}

/// Returns the planes of these faces to try, with the number of faces in each. They are those with
/// the largest total area, largest first.
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
    // Ties are broken by index, so the order of the hash table does not matter.
    tried.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.2.cmp(&b.2)));
    tried.truncate(settings.max_tried.max(1) as usize);
    tried.into_iter().map(|(_, n, plane)| (plane, n)).collect()
}

/// Returns the plane of least cost; each candidate comes with the number of faces in it. `count`
/// takes a plane and whether faces are in it. It returns the number of pieces in front, behind and
/// cut, or `None` if the plane is useless.
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
