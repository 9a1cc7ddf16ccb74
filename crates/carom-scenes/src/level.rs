//! Levels of convex blocks, as planes for worlds of brushes and as triangles for worlds of meshes.
//! The geometry of both is the same.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.5 (levels that characters
//! walk in).

use crate::mesh::MeshData;
use alloc::vec::Vec;
use carom_math::ops;
use glam::DVec3;

/// A convex piece of a level.
#[derive(Clone, Debug, PartialEq, Default)]
#[non_exhaustive]
pub struct Block {
    /// Its corners.
    pub corners: Vec<DVec3>,
    /// Polygons of indices of corners, counter-clockwise seen from outside.
    pub faces: Vec<Vec<u32>>,
}

impl Block {
    /// Returns a box between two corners.
    pub fn cuboid(low: [f64; 3], high: [f64; 3]) -> Block {
        let (low, high) = (DVec3::from(low), DVec3::from(high));
        let size = high - low;
        let outline = [[0.0, 0.0], [0.0, size.z], [size.x, size.z], [size.x, 0.0]];
        Block::extruded(&outline, low, [DVec3::X, DVec3::Z, DVec3::Y * size.y])
    }

    /// Returns a prism: a convex polygon of points (x, z), from one height to another.
    pub fn prism(outline: &[[f64; 2]], bottom: f64, top: f64) -> Block {
        let up = DVec3::Y * (top - bottom);
        Block::extruded(outline, DVec3::Y * bottom, [DVec3::X, DVec3::Z, up])
    }

    /// Returns a regular prism about (x, z).
    pub fn pillar(x: f64, z: f64, radius: f64, n_sides: usize, bottom: f64, top: f64) -> Block {
        let outline: Vec<[f64; 2]> = (0..n_sides.max(3))
            .map(|i| {
                let angle = core::f64::consts::TAU * (i as f64 + 0.5) / n_sides.max(3) as f64;
                [x + radius * libm::cos(angle), z + radius * libm::sin(angle)]
            })
            .collect();
        Block::prism(&outline, bottom, top)
    }

    /// Returns a ramp of this width that rises from the edge through `foot` along `direction`, a
    /// horizontal vector, to `height` at its end.
    pub fn ramp(foot: [f64; 3], direction: [f64; 3], height: f64, width: f64) -> Block {
        let (foot, along) = (DVec3::from(foot), DVec3::from(direction));
        let across = along.cross(DVec3::Y);
        let across = across * (width / ops::sqrt(across.length_squared()));
        let outline = [[0.0, 0.0], [1.0, 0.0], [1.0, height]];
        Block::extruded(&outline, foot - across * 0.5, [along, DVec3::Y, across])
    }

    /// Returns a convex polygon in the plane of the first two axes, extruded along the third.
    pub fn extruded(outline: &[[f64; 2]], origin: DVec3, axes: [DVec3; 3]) -> Block {
        let [u, v, w] = axes;
        let n = outline.len() as u32;
        let bottom = outline.iter().map(|[a, b]| origin + u * *a + v * *b);
        let mut corners: Vec<DVec3> = bottom.collect();
        corners.extend_from_within(..);
        for corner in &mut corners[n as usize..] {
            *corner += w;
        }
        let mut faces: Vec<Vec<u32>> =
            (0..n).map(|i| alloc::vec![i, (i + 1) % n, (i + 1) % n + n, i + n]).collect();
        faces.push((0..n).rev().collect());
        faces.push((n..2 * n).collect());
        let mut block = Block { corners, faces };
        let middle = block.corners.iter().sum::<DVec3>() / f64::from(2 * n);
        for i in 0..block.faces.len() {
            let (normal, offset) = block.plane(i);
            if offset < normal.dot(middle) {
                block.faces[i].reverse();
            }
        }
        block
    }

    /// Returns the outward unit normal of a face, and the distance of its plane from the origin
    /// along it.
    pub fn plane(&self, face: usize) -> (DVec3, f64) {
        let corner = |i: u32| self.corners[i as usize];
        let face = &self.faces[face];
        // Twice the area, as a vector.
        let first = corner(face[0]);
        let area = |pair: &[u32]| (corner(pair[0]) - first).cross(corner(pair[1]) - first);
        let normal = face[1..].windows(2).map(area).sum::<DVec3>();
        let normal = normal / ops::sqrt(normal.length_squared());
        (normal, normal.dot(first))
    }

    /// Returns the planes of all faces.
    pub fn planes(&self) -> impl Iterator<Item = (DVec3, f64)> + '_ {
        (0..self.faces.len()).map(|face| self.plane(face))
    }

    fn push_triangles(&self, mesh: &mut MeshData) {
        let first = mesh.vertices.len() as u32;
        mesh.vertices.extend(&self.corners);
        for face in &self.faces {
            for pair in face[1..].windows(2) {
                mesh.triangles.push([face[0], pair[0], pair[1]].map(|corner| corner + first));
            }
        }
    }
}

/// A level of convex blocks. They may touch and overlap.
#[derive(Clone, Debug, PartialEq, Default)]
#[non_exhaustive]
pub struct Level {
    /// The blocks.
    pub blocks: Vec<Block>,
    /// Places on the ground where a character may start.
    pub starts: Vec<DVec3>,
}

impl Level {
    /// Returns the faces of all blocks, including hidden ones.
    pub fn mesh(&self) -> MeshData {
        let mut mesh = MeshData::default();
        for block in &self.blocks {
            block.push_triangles(&mut mesh);
        }
        mesh
    }

    /// Adds a box.
    pub fn cuboid(&mut self, low: [f64; 3], high: [f64; 3]) {
        self.blocks.push(Block::cuboid(low, high));
    }

    /// Adds steps that rise from `foot` along `direction`, a horizontal unit vector. Each step is
    /// a block that reaches to the end of the last one.
    pub fn stairs(
        &mut self,
        foot: [f64; 3],
        direction: [f64; 3],
        n: usize,
        rise: f64,
        depth: f64,
        width: f64,
    ) {
        let (foot, along) = (DVec3::from(foot), DVec3::from(direction));
        let across = along.cross(DVec3::Y) * width;
        for i in 0..n {
            let outline = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
            let origin = foot + along * (i as f64 * depth) - across * 0.5;
            let axes = [along * ((n - i) as f64 * depth), DVec3::Y * ((i + 1) as f64 * rise), across];
            self.blocks.push(Block::extruded(&outline, origin, axes));
        }
    }

    /// Adds four walls inside of the border of the square of this half size.
    pub fn enclose(&mut self, half: f64, thickness: f64, height: f64) {
        let inner = half - thickness;
        self.cuboid([-half, 0.0, -half], [half, height, -inner]);
        self.cuboid([-half, 0.0, inner], [half, height, half]);
        self.cuboid([-half, 0.0, -inner], [-inner, height, inner]);
        self.cuboid([inner, 0.0, -inner], [half, height, inner]);
    }
}
