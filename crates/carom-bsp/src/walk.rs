//! The traversal behind sweeps, contents and free positions. It finds the pieces of a body's path
//! on which the body is in filled cells.
//!
//! The rule: shift each plane of a cell out by the reach of the body. The body is in the cell if
//! it is behind all of them by more than the tolerance.
//!
//! A body thinner than the tolerance, such as a point, may be on neither side of a plane. It then
//! touches the cells on both sides, and is in solid if every cell that it touches is solid.
//! - In a seam between brushes, in a line of many seams, or in the corner of eight boxes it is
//!   inside.
//! - On an outer face, edge or corner it is on the surface, and free.
//! - Cells without room do not count. Planes meant to be one, or to meet in one line, leave
//!   slivers and prisms between them that no body enters.
//! - The room of a cell about a position is the widest cone behind the planes that the body is on
//!   or near: see [`tol::BSP_ROOM`].
//!
//! A moving body that is so thin is on a plane during a stretch of its path. The walk treats that
//! stretch as a part of its own. It visits the cells in front of the plane and, if they are solid,
//! those behind it. If both are solid, the body is inside. Sweeps skip crossings hardly longer
//! than the tolerance, because the cells on either side are met anyway.
//!
//! Degenerate cases: while a body is on a plane, bevels are ignored, because they only cut off
//! space outside the cell.
//!
//! Reference: S. Melax, Dynamic Plane Shifting BSP Traversal, Graphics Interface 2000; B. Naylor,
//! J. Amanatides, W. Thibault, Merging BSP Trees Yields Polyhedral Set Operations, 1990 (points in
//! a plane belong to the cells on both sides).
//! Differs: a stack instead of recursion; cells without room.

use crate::body::Body;
use crate::planes::SplitPlane;
use crate::tree::{BspTree, Contents, LEAF};
use alloc::vec::Vec;
use carom_math::{scaling, tol};
use glam::DVec3;

/// The length of a stretch on a plane, in tolerances, up to which a sweep merely crosses the
/// plane.
const MAX_CROSSING_TOLERANCES: f64 = 8.0;

/// The distance of a plane from a body, in tolerances, up to which the plane counts for the room
/// of the cell about the body.
///
/// Coordinates of real levels are rounded by about the tolerance. Planes meant to meet in one line
/// therefore leave prisms there, which are not filled where they are thinner than the tolerance.
/// If two planes meet at 8 degrees, the third wall of such a prism is 7 tolerances away.
const MAX_SLIVER_TOLERANCES: f64 = 16.0;

/// The part of the segment in a cell, or in the subtree of a node.
#[derive(Clone, Copy, Debug)]
struct PathSegment {
    child: u32,
    /// The last plane that the body is on, as an index into the seams of the stack, counted from
    /// 1. 0 for none.
    on: u32,
    /// From here on the body is in the cell by more than the tolerance.
    low: f64,
    high: f64,
    /// The time at which the last plane passed was touched; below 0 if that was before the start.
    touch: f64,
    /// The last plane passed.
    entry: Entry,
}

/// A plane: twice its index, plus 1 if the cell is in front of it. From [`BEVEL`] on, a bevel:
/// [`BEVEL`] plus its index.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Entry(u64);

const BEVEL: u64 = 1 << 40;
const NO_ENTRY: Entry = Entry(u64::MAX);

/// A piece of the path on which the body is in filled cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// The time at which the last plane passed was touched; below 0 if that was before the start.
    pub(crate) touch: f64,
    /// The last plane passed, with the cell behind it; `None` if the body was inside from the
    /// start.
    pub(crate) entry: Option<SplitPlane>,
    pub(crate) is_bevel: bool,
    /// One of the filled leaves that the body is in; a body on planes is in several.
    pub(crate) leaf: u32,
    /// The bits that the contents of all these leaves share.
    pub(crate) contents: Contents,
}

/// A plane that a body is on, and the side of it being visited: first the front.
#[derive(Clone, Copy, Debug)]
struct Seam {
    plane: u32,
    side: Side,
    /// The plane higher in the tree that the body is on, as in [`PathSegment`].
    above: u32,
    /// The child behind the plane.
    back: u32,
    /// One of the filled leaves in which the body was found so far; [`LEAF`] for none.
    leaf: u32,
    /// The bits that the contents of these leaves share.
    contents: Contents,
}

/// The side of a plane being visited, and the reason.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Side {
    /// The body is on the plane: the front is visited first, then the back.
    Front,
    Behind,
    /// The body is near the plane, but not on it. Only the side that it is on is visited.
    NearInFront,
    NearBehind,
}

/// A work stack for the traversal. It is kept between sweeps, so that they allocate nothing.
#[derive(Clone, Debug, Default)]
pub struct TraceStack {
    parts: Vec<PathSegment>,
    seams: Vec<Seam>,
    normals: Vec<DVec3>,
}

impl TraceStack {
    /// Returns an empty stack, without room yet.
    pub fn new() -> TraceStack {
        TraceStack::default()
    }

    /// Starts with the whole segment in the whole tree.
    fn begin(&mut self, root: u32) {
        self.seams.clear();
        self.parts.clear();
        self.parts.push(PathSegment {
            child: root,
            on: 0,
            low: 0.0,
            high: 1.0,
            touch: f64::NEG_INFINITY,
            entry: NO_ENTRY,
        });
    }

    fn seam(&self, on: u32) -> Option<&Seam> {
        self.seams.get((on as usize).checked_sub(1)?)
    }

    fn push_seam(&mut self, part: PathSegment, child: u32, seam: Seam) {
        self.seams.push(seam);
        self.parts.push(PathSegment { child, on: self.seams.len() as u32, ..part });
    }
}

/// A body on its path; the body stays where it is if `STILL`.
pub(crate) struct Walk<'a, B, const STILL: bool> {
    tree: &'a BspTree,
    body: &'a B,
    from: DVec3,
    displacement: DVec3,
    mask: Contents,
    /// The longest crossing of a plane that is skipped.
    most_crossed: f64,
}

impl<'a, B: Body> Walk<'a, B, false> {
    /// Begins a sweep that needs only the first pieces met.
    pub(crate) fn sweep(
        tree: &'a BspTree,
        body: &'a B,
        segment: [DVec3; 2],
        mask: Contents,
        stack: &mut TraceStack,
    ) -> Self {
        Walk {
            most_crossed: MAX_CROSSING_TOLERANCES * tree.thin,
            ..Self::all(tree, body, segment, mask, stack)
        }
    }
}

impl<'a, B: Body> Walk<'a, B, true> {
    /// Begins a walk of length zero.
    pub(crate) fn still(
        tree: &'a BspTree,
        body: &'a B,
        position: DVec3,
        mask: Contents,
        stack: &mut TraceStack,
    ) -> Self {
        Self::all(tree, body, [position, DVec3::ZERO], mask, stack)
    }
}

impl<'a, B: Body, const STILL: bool> Walk<'a, B, STILL> {
    /// Begins a walk that finds all pieces, however short. The segment is a point and a vector.
    pub(crate) fn all(
        tree: &'a BspTree,
        body: &'a B,
        [from, displacement]: [DVec3; 2],
        mask: Contents,
        stack: &mut TraceStack,
    ) -> Self {
        stack.begin(tree.root);
        Walk { tree, body, from, displacement, mask, most_crossed: 0.0 }
    }
}

impl<B: Body, const STILL: bool> Walk<'_, B, STILL> {
    /// Returns the next piece of the path in contents that share a bit with the mask, nearest
    /// first as a rule. Pieces touched after `limit` may be left out. `cell` is called with the
    /// planes that bound the visited cells; each cell is behind its planes.
    #[inline]
    pub(crate) fn next(
        &self,
        limit: f64,
        stack: &mut TraceStack,
        mut cell: impl FnMut(&SplitPlane),
    ) -> Option<Piece> {
        while let Some(mut part) = stack.parts.pop() {
            if limit < part.touch {
                continue;
            }
            // The nearer child is not pushed: popping it again would wait for memory.
            while part.child & LEAF == 0
                && let Some(near) = self.descend(part, stack, &mut cell)
            {
                part = near;
            }
            if part.child & LEAF == 0 || limit < part.touch {
                continue;
            }
            let number = part.child & !LEAF;
            let Some(leaf) = self.tree.leaves.get(number as usize) else { continue };
            if part.on != 0 {
                if let Some(piece) = self.finish_leaf(part, number, leaf.contents, stack) {
                    return Some(piece);
                }
                continue;
            }
            if !leaf.contents.intersects(self.mask) {
                continue;
            }
            let [first, end] = leaf.bevels;
            let cut = (first..end).try_fold(part, |part, number| {
                let Some(plane) = self.tree.bevels.get(number as usize) else { return Some(part) };
                cell(plane);
                let (height, rate) = self.height(plane);
                self.cut(height, rate, self.body.reach(-plane.normal), part, Entry(BEVEL + u64::from(number)))
            });
            if let Some(part) = cut {
                return Some(self.to_piece(&part, number, leaf.contents));
            }
        }
        None
    }

    /// Returns the height of the body's start above a plane, and the change of height over the
    /// path.
    #[inline]
    fn height(&self, plane: &SplitPlane) -> (f64, f64) {
        let rate = if STILL { 0.0 } else { plane.normal.dot(self.displacement) };
        (plane.height(self.from), rate)
    }

    /// Returns the part of the segment behind a plane that is shifted out by the body's reach.
    #[inline]
    fn cut(
        &self,
        height: f64,
        rate: f64,
        reach: f64,
        part: PathSegment,
        entry: Entry,
    ) -> Option<PathSegment> {
        let mut part = part;
        // Positive until the body is behind the shifted plane by more than the tolerance.
        let above = height - (reach - self.tree.thin);
        if STILL {
            return (above < 0.0).then_some(part);
        }
        if rate < 0.0 {
            part.low = part.low.max(above / -rate);
            let touch = (height - reach) / -rate;
            if part.touch < touch && 0.0 < above {
                (part.touch, part.entry) = (touch, entry);
            }
        } else if 0.0 < rate {
            part.high = part.high.min(-above / rate);
        } else if 0.0 <= above {
            return None;
        }
        (part.low < part.high).then_some(part)
    }

    /// Returns the part on the side of a node's plane that is met first. Pushes the part on the
    /// other side, and below it the part in which the body is on the plane.
    #[inline]
    fn descend(
        &self,
        part: PathSegment,
        stack: &mut TraceStack,
        cell: &mut impl FnMut(&SplitPlane),
    ) -> Option<PathSegment> {
        let node = self.tree.nodes.get(part.child as usize)?;
        let plane = self.tree.planes.get(node.plane as usize)?;
        let [front, back] = node.children;
        let (up, down) = (self.body.reach(plane.normal), self.body.reach(-plane.normal));
        let (height, rate) = self.height(plane);
        let (mut of_front, mut of_behind) = (part.on, part.on);
        if up + down <= 2.0 * self.tree.thin {
            let (leaf, contents) =
                stack.seam(part.on).map_or((LEAF, Contents::all()), |seam| (seam.leaf, seam.contents));
            let seam = Seam { plane: node.plane, side: Side::Front, above: part.on, back, leaf, contents };
            if let Some([low, high]) = self.on([height, rate], [up, down], &part) {
                cell(plane);
                cell(&plane.flipped());
                stack.push_seam(PathSegment { low, high, ..part }, front, seam);
            }
            let near = MAX_SLIVER_TOLERANCES * self.tree.thin;
            if (height + rate * part.low).abs() <= near && (height + rate * part.high).abs() <= near {
                stack.seams.push(Seam { side: Side::NearInFront, ..seam });
                of_front = stack.seams.len() as u32;
                stack.seams.push(Seam { side: Side::NearBehind, ..seam });
                of_behind = stack.seams.len() as u32;
            }
        }
        let number = 2 * u64::from(node.plane);
        let in_front = self.cut(
            -height,
            -rate,
            up,
            PathSegment { child: front, on: of_front, ..part },
            Entry(number + 1),
        );
        let behind =
            self.cut(height, rate, down, PathSegment { child: back, on: of_behind, ..part }, Entry(number));
        if in_front.is_some() {
            cell(&plane.flipped());
        }
        if behind.is_some() {
            cell(plane);
        }
        match [in_front, behind] {
            [Some(ahead), Some(back)] => {
                let starts_behind = height + rate * part.low < 0.0;
                let (near, far) = if starts_behind { (back, ahead) } else { (ahead, back) };
                stack.parts.push(far);
                Some(near)
            }
            [only, None] | [None, only] => only,
        }
    }

    /// Returns the interval in which a body no thicker than twice the tolerance is on a plane.
    /// `None` if it is never on it or merely crosses it.
    fn on(&self, [height, rate]: [f64; 2], [up, down]: [f64; 2], part: &PathSegment) -> Option<[f64; 2]> {
        let thin = self.tree.thin;
        let (lowest, highest) = (down - thin, thin - up);
        let (low, high) = if rate == 0.0 {
            (lowest <= height && height <= highest).then_some((part.low, part.high))?
        } else {
            let (a, b) = ((lowest - height) / rate, (highest - height) / rate);
            (part.low.max(a.min(b)), part.high.min(a.max(b)))
        };
        // A crossing this short is within the tolerance, but one at the start counts.
        let is_short = 0.0 < low && (high - low) * scaling::length(self.displacement) <= self.most_crossed;
        (low < high && !is_short).then_some([low, high])
    }

    /// Handles a leaf that a body on planes has reached. Pushes the next side to visit, or returns
    /// the piece if no side is left. Returns `None` also if the leaf is free and has room.
    #[cold]
    fn finish_leaf(
        &self,
        part: PathSegment,
        number: u32,
        contents: Contents,
        stack: &mut TraceStack,
    ) -> Option<Piece> {
        let last = stack.seam(part.on)?;
        let mut met = (last.leaf, last.contents);
        if contents.intersects(self.mask) {
            met = (number, met.1 & contents);
        } else if self.has_room(part.on, stack) {
            return None;
        }
        let (leaf, contents) = met;
        let mut on = part.on;
        while let Some(&seam) = stack.seam(on) {
            if seam.side == Side::Front {
                stack.push_seam(part, seam.back, Seam { side: Side::Behind, leaf, contents, ..seam });
                return None;
            }
            on = seam.above;
        }
        (leaf != LEAF).then(|| self.to_piece(&part, leaf, contents))
    }

    fn to_piece(&self, part: &PathSegment, leaf: u32, contents: Contents) -> Piece {
        let PathSegment { low, high, touch, entry, .. } = *part;
        let is_bevel = entry != NO_ENTRY && BEVEL <= entry.0;
        let entry = if is_bevel {
            self.tree.bevels.get((entry.0 - BEVEL) as usize).copied()
        } else {
            let plane = self.tree.planes.get((entry.0 / 2) as usize);
            plane.map(|plane| if entry.0 % 2 == 1 { plane.flipped() } else { *plane })
        };
        Piece { low, high, touch, entry, is_bevel, leaf, contents }
    }

    /// Returns whether the cell is more than a sliver about the body. Near the body, the cell is
    /// bounded by the planes that the body is on or near. The cell has room if some direction
    /// leads away from all of them steeply enough. Also true if the body is on none of them,
    /// because the body is then well within the cell.
    #[cold]
    fn has_room(&self, on: u32, stack: &mut TraceStack) -> bool {
        let normals = &mut stack.normals;
        normals.clear();
        let mut on = on;
        let mut is_within = true;
        while let Some(seam) = stack.seams.get((on as usize).wrapping_sub(1)) {
            let Some(plane) = self.tree.planes.get(seam.plane as usize) else { break };
            let is_behind = matches!(seam.side, Side::Behind | Side::NearBehind);
            is_within &= matches!(seam.side, Side::NearInFront | Side::NearBehind);
            normals.push(if is_behind { plane.normal } else { -plane.normal });
            on = seam.above;
        }
        if is_within {
            return true;
        }
        let is_wide = |out: DVec3| {
            let least = tol::BSP_ROOM * scaling::length(out);
            least > 0.0 && normals.iter().all(|normal| least <= -normal.dot(out))
        };
        // The axis of the widest cone is near the mean of the normals if they are few. Otherwise
        // two or three planes that touch the cone determine it.
        let sum = normals.iter().fold(DVec3::ZERO, |sum, normal| sum + *normal);
        if is_wide(-sum) {
            return true;
        }
        for (i, a) in normals.iter().enumerate() {
            for (j, b) in normals.iter().enumerate().skip(i + 1) {
                let is_any = normals.iter().skip(j + 1).any(|c| {
                    let across = (*b - *a).cross(*c - *a);
                    is_wide(across) || is_wide(-across)
                });
                if is_any || is_wide(-(*a + *b)) {
                    return true;
                }
            }
        }
        false
    }
}
