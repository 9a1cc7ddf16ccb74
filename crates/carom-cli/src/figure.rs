//! Figures: meshes that are deformed by parameters, and a search for those of their faces that
//! touch.
//!
//! 1. A tree of a known deformation finds the faces in a box without a refit. Other figures have a
//!    tree that is refitted.
//! 2. Two figures: each face of the first that reaches the box of the second queries the tree of
//!    the second. Exact signs decide whether two faces cross or are near.
//! 3. A figure with itself: all faces are visited, so a refitted tree is faster. Files split
//!    vertices for their looks; vertices in one place at first count as one.
//!
//! Reference: T. Larsson, T. Akenine-Moller, Efficient Collision Detection for Models Deformed by
//! Morphing, 2003 (boxes on demand).

use crate::player::{FaceState, PlayerMesh, SurfaceFrame};
use crate::touches::Touches;
use carom_bounds::{Aabb, BoundingVolume};
use carom_deform::{DeformError, DeformableMesh, FeatureSearch, LinearSkinTree, MorphTree, RefitTree};
use carom_geom::tri_distance::{closest_points, point_triangle_within};
use carom_math::Vec3;
use glam::{Affine3A, DVec3};
use std::collections::HashMap;

/// A tree of a known deformation.
enum Known {
    Skin(Box<LinearSkinTree>),
    Morph(Box<MorphTree>),
}

/// A mesh and what its faces touch.
pub(crate) struct Figure {
    known: Option<Known>,
    faces: Vec<[u32; 3]>,
    /// The positions for the present parameters, and the box around them.
    positions: Vec<Vec3>,
    bounds: Aabb,
    /// The same faces, by the first of the vertices that are in one place. With a known
    /// deformation, [`Figure::touch_itself`] sets its positions; else [`Figure::set`] does.
    joined: DeformableMesh<RefitTree>,
    search: FeatureSearch,
    touches: Touches,
}

/// The deformation that a figure follows.
pub(crate) enum Parameters<'a> {
    /// The bones of a skin.
    Bones(&'a [Affine3A]),
    /// The weights of morph targets.
    Weights(&'a [f32]),
    /// The positions of all vertices, for a figure without a known deformation.
    Positions(Vec<Vec3>),
}

impl Figure {
    /// Returns a figure for a skin, with its present bones.
    pub(crate) fn of_skin(tree: LinearSkinTree) -> Result<Figure, DeformError> {
        let mut positions = Vec::new();
        tree.positions_into(&mut positions);
        let faces = tree.faces().to_vec();
        Ok(Figure { known: Some(Known::Skin(Box::new(tree))), ..Figure::of_mesh(positions, faces)? })
    }

    /// Returns a figure for morph targets, with their present weights.
    pub(crate) fn of_morph(tree: MorphTree) -> Result<Figure, DeformError> {
        let mut positions = Vec::new();
        tree.positions_into(&mut positions);
        let faces = tree.faces().to_vec();
        Ok(Figure { known: Some(Known::Morph(Box::new(tree))), ..Figure::of_mesh(positions, faces)? })
    }

    /// Returns a figure for a mesh without a known deformation.
    pub(crate) fn of_mesh(positions: Vec<Vec3>, faces: Vec<[u32; 3]>) -> Result<Figure, DeformError> {
        let mut firsts: HashMap<[u32; 3], u32> = HashMap::new();
        // Faces with a vertex that does not exist are refused below. Zeros of both signs are one
        // place.
        let mut first = |vertex: u32| match positions.get(vertex as usize) {
            Some(p) => *firsts.entry((*p + Vec3::ZERO).to_array().map(f32::to_bits)).or_insert(vertex),
            None => vertex,
        };
        let joined = faces.iter().map(|face| face.map(&mut first)).collect();
        let joined = DeformableMesh::from_triangles(&positions, joined)?.with_trees();
        let (bounds, touches) = (Aabb::from_points(&positions), Touches::new(&joined));
        let search = FeatureSearch::default();
        Ok(Figure { known: None, faces, positions, bounds, joined, search, touches })
    }

    /// Changes the parameters; an error says what is wrong with them, such as another kind.
    pub(crate) fn set(&mut self, parameters: Parameters<'_>) -> Result<(), String> {
        match (&mut self.known, parameters) {
            (Some(Known::Skin(tree)), Parameters::Bones(bones)) => {
                tree.set_bones(bones).map_err(|e| e.to_string())?;
                tree.positions_into(&mut self.positions);
            }
            (Some(Known::Morph(tree)), Parameters::Weights(weights)) => {
                tree.set_weights(weights).map_err(|e| e.to_string())?;
                tree.positions_into(&mut self.positions);
            }
            (None, Parameters::Positions(positions)) => {
                self.joined.set_positions(&positions).map_err(|e| e.to_string())?;
                self.positions = positions;
            }
            _ => return Err("parameters of another kind".to_owned()),
        }
        self.bounds = Aabb::from_points(&self.positions);
        Ok(())
    }

    /// Returns the box around the vertices.
    pub(crate) fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// Replaces `found` by the faces whose boxes touch `query`.
    fn collect(&mut self, query: &Aabb, found: &mut Vec<u32>) {
        found.clear();
        match &mut self.known {
            Some(Known::Skin(tree)) => tree.collect_faces_touching(query, found),
            Some(Known::Morph(tree)) => tree.collect_faces_touching(query, found),
            None => self.joined.collect_faces_touching(query, found),
        }
    }

    fn triangle(&self, face: u32) -> [Vec3; 3] {
        self.faces[face as usize].map(|vertex| self.positions[vertex as usize])
    }

    /// Marks faces that cross others of the figure, and with a reach also those at most this far
    /// from others. Returns how many pairs cross.
    pub(crate) fn touch_itself(&mut self, reach: Option<f32>) -> Result<usize, String> {
        self.joined.set_positions(&self.positions).map_err(|e| e.to_string())?;
        if let Some(reach) = reach {
            self.touches.add_own(&mut self.search, &mut self.joined, reach);
        }
        Ok(self.touches.add_own_crossings(&mut self.search, &mut self.joined))
    }

    /// Marks faces of two figures that cross or are at most `reach` apart. Returns how many such
    /// pairs there are, and how many of them cross.
    pub(crate) fn touch(&mut self, other: &mut Figure, reach: f32) -> [usize; 2] {
        let (mut n_pairs, mut n_crossing) = (0, 0);
        let (mut own, mut found) = (Vec::new(), Vec::new());
        self.collect(&other.bounds.inflated(reach), &mut own);
        for &face in &own {
            let triangle = self.triangle(face);
            other.collect(&Aabb::from_points(&triangle).inflated(reach), &mut found);
            for &of_other in &found {
                let Some(state) = contact_state(&triangle, &other.triangle(of_other), reach) else {
                    continue;
                };
                n_pairs += 1;
                n_crossing += usize::from(state == FaceState::Crosses);
                self.touches.mark_face(face, state);
                other.touches.mark_face(of_other, state);
            }
        }
        [n_pairs, n_crossing]
    }

    /// Marks faces that a ball touches. Returns how many there are.
    pub(crate) fn touch_ball(&mut self, middle: Vec3, radius: f32) -> usize {
        let (mut n, mut found) = (0, Vec::new());
        let query = Aabb::from_center_radius(middle.as_dvec3(), f64::from(radius));
        self.collect(&query, &mut found);
        for &face in &found {
            let triangle = self.triangle(face).map(|p| p.as_dvec3());
            if point_triangle_within(middle.as_dvec3(), &triangle, f64::from(radius)) {
                n += 1;
                self.touches.mark_face(face, FaceState::TouchesOther);
            }
        }
        n
    }

    /// Returns the present positions and the states of the faces, and resets the states.
    pub(crate) fn take_frame(&mut self) -> SurfaceFrame {
        SurfaceFrame { vertices: self.positions.clone(), faces: self.touches.take() }
    }

    pub(crate) fn drawn(&self) -> PlayerMesh {
        PlayerMesh { vertices: self.positions.clone(), triangles: self.faces.clone() }
    }
}

/// Returns how two triangles meet; `None` if they are more than `reach` apart.
fn contact_state(a: &[Vec3; 3], b: &[Vec3; 3], reach: f32) -> Option<FaceState> {
    let wide = |t: &[Vec3; 3]| t.map(|p: Vec3| -> DVec3 { p.as_dvec3() });
    let distance = closest_points(&wide(a), &wide(b)).distance;
    if distance == 0.0 {
        return Some(FaceState::Crosses);
    }
    (distance <= f64::from(reach)).then_some(FaceState::TouchesOther)
}
