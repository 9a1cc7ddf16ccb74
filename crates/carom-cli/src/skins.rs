//! Surfaces among the particles of a solver: kept apart, and searched for faces that cross.
//!
//! The search of carom-deform finds near features at the start of a substep, and
//! [`FeatureContacts`] limits how far particles move from there. Boundaries move particles after
//! that, so the floor is enforced before.
//!
//! Reference: L. Wu et al., A Safe and Fast Repulsion Method for GPU-based Cloth Self Collisions,
//! 2020, section 4.

use crate::player::PlayerMesh;
use crate::report::text;
use carom_deform::{DeformableMesh, FeatureSearch, NearPair, RefitTree};
use carom_math::Vec3;
use carom_particles::{FeatureContacts, NearFeatures, SolidPass};

/// The surfaces of a scene, searched for faces that cross.
pub(crate) struct Crossings {
    meshes: Vec<DeformableMesh<RefitTree>>,
    search: FeatureSearch,
}

impl Crossings {
    pub(crate) fn new(surfaces: &[PlayerMesh]) -> Result<Crossings, String> {
        let mesh_of = |surface: &PlayerMesh| {
            let mesh = DeformableMesh::from_triangles(&surface.vertices, surface.triangles.clone());
            mesh.map(|mesh| mesh.with_trees()).map_err(text)
        };
        let meshes = surfaces.iter().map(mesh_of).collect::<Result<_, _>>()?;
        Ok(Crossings { meshes, search: FeatureSearch::default() })
    }

    /// Returns the number of pairs of faces that share a point, of one mesh or of two, by exact
    /// tests. `positions` has the positions of the vertices of all meshes.
    pub(crate) fn count(&mut self, positions: &[Vec3]) -> Result<usize, String> {
        let mut left = positions;
        for mesh in &mut self.meshes {
            let (own, rest) = left.split_at(mesh.positions().len());
            mesh.set_positions(own).map_err(text)?;
            left = rest;
        }
        let mut n = 0;
        for i in 0..self.meshes.len() {
            let (before, rest) = self.meshes.split_at_mut(i);
            let mesh = &mut rest[0];
            n += self.search.crossings(&mut *mesh).finish().pairs.len();
            for other in before {
                n += self.search.crossings((&mut *mesh, other)).finish().pairs.len();
            }
        }
        Ok(n)
    }
}

/// A collider that keeps bag and jelly from passing through themselves and each other. Their
/// particles are the first of all solids.
pub(crate) struct Skin {
    mesh: DeformableMesh<RefitTree>,
    search: FeatureSearch,
    contacts: FeatureContacts,
    near: Vec<NearFeatures>,
    /// The particles at the start of the substep.
    before: Vec<Vec3>,
    floor: f32,
}

impl Skin {
    /// Returns a collider of two surfaces. The faces of each have indices of its own particles,
    /// from 0.
    pub(crate) fn new(
        positions: [&[Vec3]; 2],
        faces: [&[[u32; 3]]; 2],
        spacing: f32,
    ) -> Result<Skin, String> {
        let first = positions[0].len() as u32;
        let second = faces[1].iter().map(|face| face.map(|corner| first + corner));
        let faces: Vec<[u32; 3]> = faces[0].iter().copied().chain(second).collect();
        let positions = &positions.concat()[..];
        let mesh = DeformableMesh::from_triangles(positions, faces).map_err(text)?.with_trees();
        let contacts = FeatureContacts::new(0..positions.len(), 0.1 * spacing, 0.6 * spacing, 0.3);
        Ok(Skin {
            mesh,
            search: FeatureSearch::default(),
            contacts: contacts.map_err(text)?,
            near: Vec::new(),
            before: positions.to_vec(),
            floor: 0.5 * spacing,
        })
    }

    /// Applies the last constraint of an iteration. `is_last` marks the last iteration of a
    /// substep. Only boundaries move particles after it, so the floor is enforced here.
    pub(crate) fn project(&mut self, pass: &mut SolidPass<'_>, is_last: bool) -> Result<(), String> {
        let n = self.before.len();
        let (own, masses) = (&mut pass.positions[..n], &pass.inverse_masses[..n]);
        own.iter_mut().for_each(|p| p.y = p.y.max(self.floor));
        self.contacts.project(&self.before, own, masses).map_err(text)?;
        if self.contacts.needs_search(&self.before, own, Vec3::ZERO).map_err(text)? {
            self.mesh.set_positions(&self.before).map_err(text)?;
            self.near.clear();
            let pairs = self.search.within(&mut self.mesh, self.contacts.reach()).finish().pairs.to_vec();
            self.near.extend(pairs.iter().map(|pair| own_features(pair, &self.mesh, 0)));
            self.contacts.set(&self.before, &self.near).map_err(text)?;
        }
        if is_last {
            self.contacts.limit(own, Vec3::ZERO).map_err(text)?;
            self.before.copy_from_slice(own);
        }
        Ok(())
    }
}

/// Converts a pair of features of one mesh whose first vertex is the particle `first`.
pub(crate) fn own_features(pair: &NearPair, mesh: &DeformableMesh<RefitTree>, first: u32) -> NearFeatures {
    let stencil = pair.stencil(mesh, mesh);
    NearFeatures {
        particles: stencil.vertices.map(|vertex| first + vertex),
        weights: stencil.weights.map(|weight| weight as f32),
        ..apart(pair)
    }
}

/// Converts a pair without its particles: the distance of its features, and the direction between
/// them.
pub(crate) fn apart(pair: &NearPair) -> NearFeatures {
    NearFeatures {
        particles: [0; 4],
        weights: [0.0; 4],
        point: Vec3::ZERO,
        is_obstacle: false,
        normal: (pair.point_a - pair.point_b).normalize_or_zero().as_vec3(),
        distance: pair.distance as f32,
    }
}
