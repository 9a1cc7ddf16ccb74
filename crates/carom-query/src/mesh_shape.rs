//! A triangle mesh with its bounding volume hierarchies.
//!
//! The boxes of the tree are `f32`. If a mesh is so large or so small that `f32` would overflow or
//! underflow, its tree is scaled to size one. The scale is a power of two, so scaling does not
//! round.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.2 (a tree per body, built in
//! its own frame).

use crate::lazy::Lazy;
use alloc::borrow::Cow;
use alloc::vec::Vec;
use carom_bounds::{Aabb, Obb};
use carom_bvh::{BuildMethod, BuildSettings, Bvh, BvhError, Collapse, Leaf, WindingTree};
use carom_geom::line_lanes::LineBlock8;
use carom_geom::mesh_topology::MeshTopology;
use carom_geom::tri_tri_lanes::TriBlock8;
use carom_geom::{Ambiguity, Orientation, WideMesh};
use carom_math::{WidePose, rounding, scaling};
use glam::DVec3;

/// Between these lengths the squares and cubes of coordinates, and their differences, are normal
/// `f32` numbers.
const SMALLEST: f64 = 1.0 / LARGEST;
const LARGEST: f64 = (1_u64 << 32) as f64;

/// Triangles in a leaf at most: as many as are tested at once.
pub(crate) const MAX_LEAF: u32 = 8;

/// A surface of triangles, ready for queries. Queries of two shapes use only the surface. Queries
/// about points and about solids also use the inside.
#[derive(Clone, Debug)]
pub struct MeshShape<M> {
    mesh: M,
    tree: Bvh,
    /// The triangles of each leaf of `tree`, in its coordinates, for rays.
    line_blocks: Vec<LineBlock8>,
    /// The data for queries of two meshes.
    surface: Lazy<Surface>,
    surface_settings: BuildSettings,
    /// Winding numbers of a mesh that is not closed; `None` for a closed one.
    open: Lazy<Option<WindingTree>>,
    /// One flag for each triangle that faces inwards; empty if none does.
    sides: Lazy<Sides>,
    keeps_orientation: bool,
    /// For contacts with other meshes; about 100 bytes per triangle.
    topology: Lazy<MeshTopology>,
    scale: f64,
    low: DVec3,
    high: DVec3,
}

impl<M: WideMesh> MeshShape<M> {
    /// Builds the tree in about half a microsecond per triangle. Fails only for 2^28 triangles or
    /// more.
    ///
    /// Queries of two meshes use a second tree. It is built by the first such query, or by
    /// [`MeshShape::prepare_pairs`]; without the standard library it is built at once.
    pub fn new(mesh: M) -> Result<MeshShape<M>, BvhError> {
        let settings = BuildSettings::default().with_max_leaf(MAX_LEAF);
        // Only this tree is collapsed. The tree for pairs of meshes is not.
        let collapse = Collapse::Cheapest { lanes: MAX_LEAF };
        MeshShape::with_trees(
            mesh,
            &settings.with_method(BuildMethod::Sah).with_collapse(collapse),
            &settings,
        )
    }

    /// [`MeshShape::new`] with other settings for the trees. A leaf has at most eight triangles,
    /// whatever the settings say.
    pub fn with_settings(mesh: M, settings: &BuildSettings) -> Result<MeshShape<M>, BvhError> {
        let settings = settings.with_max_leaf(settings.max_leaf.min(MAX_LEAF));
        MeshShape::with_trees(mesh, &settings, &settings)
    }

    /// Builds with separate settings for the tree of boxes and for that of oriented boxes.
    fn with_trees(
        mesh: M,
        settings: &BuildSettings,
        of_surface: &BuildSettings,
    ) -> Result<MeshShape<M>, BvhError> {
        let (low, high) = mesh.wide_bounds();
        let scale = scale_for(low, high);
        let tree: Bvh = Bvh::build(&boxes(&mesh, scale), settings)?;
        let line_blocks = tree.leaves().map(|leaf| line_block(&mesh, leaf.primitives, scale)).collect();
        let surface = Lazy::new(|| Surface::new(&mesh, scale, of_surface));
        let open = Lazy::new(|| winding_tree(&mesh, &tree, scale));
        let (keeps_orientation, sides) = (false, Lazy::new(|| Sides::of(&mesh)));
        let topology = Lazy::new(|| topology_of(&mesh));
        Ok(MeshShape {
            mesh,
            tree,
            line_blocks,
            surface,
            surface_settings: *of_surface,
            open,
            sides,
            keeps_orientation,
            topology,
            scale,
            low,
            high,
        })
    }

    /// Builds the tree for pairs of meshes, so that the first query of two meshes takes no longer
    /// than the next.
    pub fn prepare_pairs(&self) {
        self.own_surface();
    }

    /// Changes the positions of the vertices, and refits the trees that are built. On an error
    /// nothing changes.
    pub(crate) fn move_vertices<E>(&mut self, change: impl FnOnce(&mut M) -> Result<(), E>) -> Result<(), E> {
        change(&mut self.mesh)?;
        (self.low, self.high) = self.mesh.wide_bounds();
        self.scale = scale_for(self.low, self.high);
        let MeshShape { mesh, tree, surface, scale, .. } = self;
        let refitted = tree.refit_with(|_, triangle| aabb_of(mesh.corners(triangle), *scale));
        debug_assert!(refitted.is_ok(), "the scale brings all into range: {refitted:?}");
        for (block, leaf) in self.line_blocks.iter_mut().zip(tree.leaves()) {
            *block = line_block(mesh, leaf.primitives, *scale);
        }
        if let Some(surface) = surface.get_mut() {
            surface.refit(mesh, *scale);
        }
        self.open = Lazy::new(|| winding_tree(&self.mesh, &self.tree, self.scale));
        self.sides = Lazy::new(|| self.find_sides());
        self.topology = Lazy::new(|| topology_of(&self.mesh));
        Ok(())
    }

    /// Rebuilds the trees for the present vertices, after refits have made them slow. The trees
    /// get the default settings, also after [`MeshShape::with_settings`]. Answers do not change,
    /// except for the choice among equally good results. Errors are those of [`MeshShape::new`];
    /// on an error nothing changes.
    pub fn rebuild(&mut self) -> Result<(), BvhError> {
        let keeps_orientation = self.keeps_orientation;
        *self = MeshShape::new(self.mesh.clone())?;
        if keeps_orientation {
            self.keeps_orientation = true;
            self.sides = Lazy::new(|| self.find_sides());
        }
        Ok(())
    }

    /// Returns the same mesh with its triangles taken as facing outwards. It then has an inside if
    /// each edge is used equally often in both directions. The inside is the set of points with a
    /// winding number above one half.
    #[must_use]
    pub fn with_kept_orientation(mut self) -> MeshShape<M> {
        self.keeps_orientation = true;
        self.sides = Lazy::new(|| self.find_sides());
        self
    }

    /// Whether the triangles are taken as facing outwards: [`MeshShape::with_kept_orientation`].
    pub fn keeps_orientation(&self) -> bool {
        self.keeps_orientation
    }

    /// Returns why the mesh does not define an inside; `None` if it does. See
    /// [`Orientation`](carom_geom::Orientation).
    pub fn ambiguity(&self) -> Option<Ambiguity> {
        match self.sides() {
            Sides::Known(_) => None,
            Sides::Unknown(why) => Some(*why),
        }
    }

    /// Returns which triangles face inwards. Computed by the first query about the inside.
    pub(crate) fn sides(&self) -> &Sides {
        self.sides.get(|| self.find_sides())
    }

    fn find_sides(&self) -> Sides {
        match (self.keeps_orientation, self.is_solid()) {
            (false, _) => Sides::of(&self.mesh),
            (true, true) => Sides::Known(Vec::new()),
            (true, false) => Sides::kept(&self.mesh),
        }
    }

    /// Returns the triangles.
    pub fn mesh(&self) -> &M {
        &self.mesh
    }

    /// Returns the tree over the triangles, in the mesh's coordinates times [`MeshShape::scale`].
    pub fn tree(&self) -> &Bvh {
        &self.tree
    }

    /// Returns the factor from the mesh's coordinates to those of its trees, a power of two.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Whether the mesh bounds a solid with its present orientation: each edge is used equally
    /// often in both directions. Every point off the surface then has an integer winding number.
    pub fn is_solid(&self) -> bool {
        self.open().is_none()
    }

    /// Returns which triangles are adjacent. Computed by the first query for contacts with another
    /// mesh, in a few microseconds per triangle; without the standard library by
    /// [`MeshShape::new`].
    pub fn topology(&self) -> &MeshTopology {
        self.topology.get(|| topology_of(&self.mesh))
    }

    /// Returns the tree for winding numbers; `None` if the mesh is closed.
    pub(crate) fn open(&self) -> Option<&WindingTree> {
        self.open.get(|| winding_tree(&self.mesh, &self.tree, self.scale)).as_ref()
    }

    /// Returns a box around the placed local box of the mesh, rounded outwards.
    pub(crate) fn placed_box(&self, pose: &WidePose) -> Aabb {
        box_around([self.low, self.high], pose)
    }

    /// Converts a point of the mesh's frame to the tree's coordinates. Overflow is clamped to the
    /// largest number.
    pub(crate) fn point_in_tree(&self, p: DVec3) -> DVec3 {
        let position = p * self.scale;
        if p.is_finite() { position.clamp(DVec3::MIN, DVec3::MAX) } else { position }
    }

    /// Converts a box of the mesh's frame to the tree's coordinates, rounded outwards.
    pub(crate) fn in_tree(&self, aabb: &Aabb) -> Aabb {
        Aabb {
            min: rounding::down3(aabb.min.as_dvec3() * self.scale),
            max: rounding::up3(aabb.max.as_dvec3() * self.scale),
        }
    }

    /// Returns the triangles of a leaf of a tree of [`MeshShape::surface_at`].
    pub(crate) fn leaf_block(&self, tree: &Bvh<Obb>, leaf: &Leaf<'_>) -> Cow<'_, TriBlock8> {
        let Surface { tree: own, blocks } = self.own_surface();
        let kept = core::ptr::eq(tree, own).then(|| blocks.get(leaf.index as usize)).flatten();
        kept.map_or_else(|| Cow::Owned(block(&self.mesh, leaf.primitives)), Cow::Borrowed)
    }

    /// Prefetches the triangles of a leaf of [`MeshShape::tree`], given by its index, for rays.
    #[inline]
    pub(crate) fn prefetch_block(&self, leaf: u32) {
        LineBlock8::prefetch(&self.line_blocks, leaf as usize);
    }

    /// Returns the triangles of a leaf of [`MeshShape::tree`], in its coordinates.
    #[inline]
    pub(crate) fn line_block(&self, leaf: u32) -> Option<&LineBlock8> {
        self.line_blocks.get(leaf as usize)
    }

    /// Returns the tree of oriented boxes, in the mesh's coordinates times [`MeshShape::scale`].
    pub(crate) fn surface(&self) -> &Bvh<Obb> {
        &self.own_surface().tree
    }

    fn own_surface(&self) -> &Surface {
        self.surface.get(|| Surface::new(&self.mesh, self.scale, &self.surface_settings))
    }

    /// Returns the tree of oriented boxes in the mesh's coordinates times this power of two, at
    /// most [`MeshShape::scale`]. A smaller scale is for a pair of meshes whose sizes differ by
    /// many powers of ten; the tree is then built anew.
    pub(crate) fn surface_at(&self, scale: f64) -> Cow<'_, Bvh<Obb>> {
        if scale == self.scale {
            return Cow::Borrowed(self.surface());
        }
        // The scale is at most that of the mesh. So corners that fitted a tree move inwards and
        // still fit.
        let settings = BuildSettings::default().with_max_leaf(MAX_LEAF);
        Cow::Owned(surface_tree(&self.mesh, scale, &settings).unwrap_or_default())
    }
}

/// The triangles that face inwards, if they are known.
#[derive(Clone, Debug)]
pub(crate) enum Sides {
    /// One flag for each triangle: whether it faces inwards. Empty if none does.
    Known(Vec<bool>),
    Unknown(Ambiguity),
}

impl Sides {
    fn of(mesh: &impl WideMesh) -> Sides {
        match mesh.orientation() {
            Orientation::Known { turned } => {
                let mut is_turned = Vec::new();
                if !turned.is_empty() {
                    is_turned.resize(mesh.n_triangles(), false);
                }
                for t in turned {
                    is_turned[t as usize] = true;
                }
                Sides::Known(is_turned)
            }
            Orientation::Unknown(why) => Sides::Unknown(why),
            // The enum is not exhaustive.
            _ => Sides::Unknown(Ambiguity::Flipped),
        }
    }

    /// Returns the result for a mesh with kept orientation whose edges are not balanced.
    fn kept(mesh: &impl WideMesh) -> Sides {
        match mesh.orientation() {
            Orientation::Unknown(why) => Sides::Unknown(why),
            _ => Sides::Unknown(Ambiguity::Flipped),
        }
    }
}

fn topology_of(mesh: &impl WideMesh) -> MeshTopology {
    let corners: Vec<_> = mesh.iter_corners().collect();
    MeshTopology::new(&corners)
}

/// The part of a mesh that only queries of two meshes read.
#[derive(Clone, Debug)]
struct Surface {
    /// Its oriented boxes separate surfaces that are close and parallel.
    tree: Bvh<Obb>,
    /// The triangles of each leaf, tested eight at a time.
    blocks: Vec<TriBlock8>,
}

impl Surface {
    /// Builds the tree and its blocks. The mesh must have fewer than 2^28 triangles.
    fn new(mesh: &impl WideMesh, scale: f64, settings: &BuildSettings) -> Surface {
        let tree = surface_tree(mesh, scale, settings).unwrap_or_default();
        let blocks = tree.leaves().map(|leaf| block(mesh, leaf.primitives)).collect();
        Surface { tree, blocks }
    }

    /// Refits the tree to vertices that have moved, and stores the new triangles of its leaves.
    fn refit(&mut self, mesh: &impl WideMesh, scale: f64) {
        let refitted = self.tree.refit_with(|_, triangle| aabb_of(mesh.corners(triangle), scale));
        debug_assert!(refitted.is_ok(), "the scale brings all into range: {refitted:?}");
        for (own, leaf) in self.blocks.iter_mut().zip(self.tree.leaves()) {
            *own = block(mesh, leaf.primitives);
        }
    }
}

/// Builds a tree of oriented boxes. Corners are rounded to the nearest `f32`. With u = 2^-24 and S
/// the largest coordinate, this is an error below 2 u S along any axis. The walks of two trees
/// allow for 64 u S and need 35 u S.
fn surface_tree(mesh: &impl WideMesh, scale: f64, settings: &BuildSettings) -> Result<Bvh<Obb>, BvhError> {
    let corners = |triangle: u32| mesh.corners(triangle).map(|p| (p * scale).as_vec3());
    Bvh::from_triangles(mesh.n_triangles(), corners, settings)
}

/// Returns a block of up to eight triangles.
fn block(mesh: &impl WideMesh, triangles: &[u32]) -> TriBlock8 {
    let (corners, n) = corners_of(mesh, triangles);
    TriBlock8::new(&corners[..n])
}

/// Returns a block of up to eight triangles, in coordinates times the scale.
fn line_block(mesh: &impl WideMesh, triangles: &[u32], scale: f64) -> LineBlock8 {
    let (corners, n) = corners_of(mesh, triangles);
    LineBlock8::new(&corners[..n], triangles, scale)
}

/// Returns the corners of up to eight triangles, and their number.
fn corners_of(mesh: &impl WideMesh, triangles: &[u32]) -> ([[DVec3; 3]; MAX_LEAF as usize], usize) {
    let mut corners = [[DVec3::ZERO; 3]; MAX_LEAF as usize];
    for (corners, &triangle) in corners.iter_mut().zip(triangles) {
        *corners = mesh.corners(triangle);
    }
    (corners, triangles.len().min(MAX_LEAF as usize))
}

fn boxes(mesh: &impl WideMesh, scale: f64) -> Vec<Aabb> {
    mesh.iter_corners().map(|corners| aabb_of(corners, scale)).collect()
}

fn aabb_of([a, b, c]: [DVec3; 3], scale: f64) -> Aabb {
    Aabb::around(a.min(b).min(c) * scale, a.max(b).max(c) * scale)
}

/// Returns the power of two for the tree's coordinates of a mesh between these corners.
fn scale_for(low: DVec3, high: DVec3) -> f64 {
    let size = low.abs().max(high.abs()).max_element();
    let fits = size == 0.0 || (SMALLEST <= size && size <= LARGEST);
    if fits { 1.0 } else { scaling::scale_of(size) }
}

/// Builds the tree for winding numbers; `None` for a closed mesh.
fn winding_tree(mesh: &impl WideMesh, tree: &Bvh, scale: f64) -> Option<WindingTree> {
    (!mesh.is_solid()).then(|| WindingTree::new(tree, |t| mesh.corners(t).map(|p| p * scale)))
}

/// Returns a box around an oriented box, rounded outwards. The corners are in the frame of the box.
pub(crate) fn box_around([low, high]: [DVec3; 2], pose: &WidePose) -> Aabb {
    let (center, half) = ((low + high) * 0.5, (high - low) * 0.5);
    let r = &pose.rotation;
    let center = pose.transform_point(center);
    let extent = r.x_axis.abs() * half.x + r.y_axis.abs() * half.y + r.z_axis.abs() * half.z;
    // Bounds the rounding of about twenty operations, each relative to the largest operand.
    let reach = low.abs().max(high.abs()).max_element() + pose.translation.abs().max_element();
    let slack = reach * (32.0 * f64::EPSILON);
    Aabb::around(center - extent - slack, center + extent + slack)
}
