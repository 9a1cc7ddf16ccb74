//! A figure that walks: a generated mesh whose vertices follow the bones of a skeleton.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 4.4 (linear blend skinning).

use crate::mesh::MeshData;
use alloc::vec::Vec;
use carom_math::ops::sqrt;
use glam::{DQuat, DVec3};
use libm::{cos, sin};

/// A mesh, its bones, and the weights with which vertices follow them.
#[derive(Clone, Debug, PartialEq)]
pub struct SkinnedMesh {
    /// The mesh at rest, in metres. It stands on the height 0 and faces along x.
    pub rest: MeshData,
    /// The bones. A parent comes before its children; the first bone is its own parent.
    pub bones: Vec<Bone>,
    /// For each vertex two bones, and the weight of the second.
    pub follows: Vec<([u32; 2], f64)>,
}

/// A bone, which turns about its joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bone {
    /// Index of the parent.
    pub parent: u32,
    /// The place of its joint at rest.
    pub joint: DVec3,
}

impl SkinnedMesh {
    /// Returns the vertices if each bone is turned by an angle about the z axis, in radians and
    /// relative to its parent. The first bone carries all others.
    pub fn posed(&self, angles: &[f64]) -> Vec<DVec3> {
        let placed = self.placed(angles);
        let by = |bone: u32, p: DVec3| {
            let (turn, at) = placed[bone as usize];
            at + turn * (p - self.bones[bone as usize].joint)
        };
        self.rest
            .vertices
            .iter()
            .zip(&self.follows)
            .map(|(p, ([a, b], share))| by(*a, *p) * (1.0 - share) + by(*b, *p) * *share)
            .collect()
    }

    /// Returns the rotation of each bone and the place of its joint, for the angles of
    /// [`SkinnedMesh::posed`].
    pub fn placed(&self, angles: &[f64]) -> Vec<(DQuat, DVec3)> {
        let mut placed: Vec<(DQuat, DVec3)> = Vec::with_capacity(self.bones.len());
        for (i, bone) in self.bones.iter().enumerate() {
            let half = 0.5 * angles.get(i).copied().unwrap_or(0.0);
            let turn = DQuat::from_xyzw(0.0, 0.0, sin(half), cos(half));
            placed.push(match placed.get(bone.parent as usize) {
                Some((parent_turn, parent_at)) => {
                    let joint =
                        *parent_at + *parent_turn * (bone.joint - self.bones[bone.parent as usize].joint);
                    (*parent_turn * turn, joint)
                }
                None => (turn, bone.joint),
            });
        }
        placed
    }

    /// Returns the angles of the bones of [`walking_figure`], and the distance in metres that the
    /// figure has walked, after a number of steps of both feet.
    pub fn stride(steps: f64) -> (Vec<f64>, f64) {
        let phase = core::f64::consts::TAU * steps;
        let leg = |phase: f64| {
            let thigh = 0.5 * sin(phase);
            // The knee bends while the leg swings forward.
            let knee = -0.15 - 0.85 * (0.5 + 0.5 * cos(phase)) * (0.5 + 0.5 * cos(phase));
            [thigh, knee, -(thigh + knee) * 0.8]
        };
        let arm = |phase: f64| [-0.45 * sin(phase), 0.35 + 0.2 * sin(-phase)];
        let mut angles = alloc::vec![-0.04, 0.04];
        for side in [phase, phase + core::f64::consts::PI] {
            angles.extend(leg(side));
            angles.extend(arm(side));
        }
        (angles, 1.45 * steps)
    }
}

/// Returns a jointed figure, 1.86 m high. Trunk, head, arms and legs are separate tubes of `n`
/// sides. Bones: trunk, head, and for each side thigh, shin, foot, upper arm and forearm.
pub fn walking_figure(n: usize) -> SkinnedMesh {
    let v = DVec3::new;
    let mut figure = SkinnedMesh { rest: MeshData::default(), bones: Vec::new(), follows: Vec::new() };
    let bone = |figure: &mut SkinnedMesh, parent: u32, joint: DVec3| {
        figure.bones.push(Bone { parent, joint });
        figure.bones.len() as u32 - 1
    };
    let trunk = bone(&mut figure, 0, v(0.0, 0.95, 0.0));
    let head = bone(&mut figure, trunk, v(0.0, 1.6, 0.0));
    figure.tube(
        n,
        &[v(0.0, 1.1, 0.0), v(0.0, 1.25, 0.0), v(0.0, 1.42, 0.0)],
        &[0.13, 0.12, 0.15],
        &[trunk; 2],
    );
    figure.tube(
        n,
        &[v(0.0, 1.67, 0.0), v(0.01, 1.72, 0.0), v(0.0, 1.78, 0.0)],
        &[0.075, 0.1, 0.075],
        &[head; 2],
    );
    for side in [-1.0, 1.0] {
        let z = 0.0758 * side;
        let thigh = bone(&mut figure, trunk, v(0.0, 0.87, z));
        let shin = bone(&mut figure, thigh, v(0.01, 0.49, z));
        let foot = bone(&mut figure, shin, v(0.0, 0.08, z));
        let path = [v(0.0, 0.87, z), v(0.01, 0.49, z), v(0.0, 0.06, z), v(0.18, 0.04, z)];
        figure.tube(n, &path, &[0.075, 0.058, 0.045, 0.035], &[thigh, shin, foot]);
        let z = 0.235 * side;
        let upper = bone(&mut figure, trunk, v(0.0, 1.38, z));
        let forearm = bone(&mut figure, upper, v(0.0, 1.1, z));
        let path = [v(0.0, 1.4, z), v(0.0, 1.1, z), v(0.03, 0.8, z)];
        figure.tube(n, &path, &[0.05, 0.042, 0.035], &[upper, forearm]);
    }
    figure
}

impl SkinnedMesh {
    /// Adds a closed tube along a path, with rounded ends. `radii` are at the corners of the path,
    /// and each segment has a bone.
    fn tube(&mut self, n: usize, path: &[DVec3], radii: &[f64], bones: &[u32]) {
        /// Rings of each segment, and the share of a segment next to a joint in which vertices
        /// follow both bones.
        const RINGS: usize = 12;
        const BLEND: f64 = 0.3;
        let first = self.rest.vertices.len() as u32;
        let n_parts = path.len() - 1;
        let mut rings = Vec::new();
        for i in 0..=n_parts * RINGS {
            let (part, t) = if i == n_parts * RINGS {
                (n_parts - 1, 1.0)
            } else {
                (i / RINGS, (i % RINGS) as f64 / RINGS as f64)
            };
            // A corner is rounded: the path is blended between the two straight lines.
            let along = |k: usize| path[k + 1] - path[k];
            let straight = path[part] + along(part) * t;
            let radius = radii[part] + (radii[part + 1] - radii[part]) * t;
            let (other, share) = if t < BLEND && 0 < part {
                (part - 1, 0.5 - 0.5 * t / BLEND)
            } else if 1.0 - BLEND < t && part + 1 < n_parts {
                (part + 1, 0.5 - 0.5 * (1.0 - t) / BLEND)
            } else {
                (part, 0.0)
            };
            let direction = along(part).normalize() * (1.0 - share) + along(other).normalize() * share;
            rings.push((straight, direction.normalize(), radius, ([bones[part], bones[other]], share)));
        }
        // Hemispheres at the ends: two more rings each, and a pole.
        let cap = |at: usize, sign: f64| {
            let (middle, direction, radius, follows) = rings[at];
            [0.5, 0.85].map(|h| {
                (middle + direction * (sign * h * radius), direction, radius * sqrt(1.0 - h * h), follows)
            })
        };
        let (mut start, end) = (cap(0, -1.0), cap(rings.len() - 1, 1.0));
        start.reverse();
        let poles = [(0, -1.0), (rings.len() - 1, 1.0)].map(|(at, sign)| {
            let (middle, direction, radius, follows) = rings[at];
            (middle + direction * (sign * radius), follows)
        });
        let rings: Vec<_> = start.into_iter().chain(rings).chain(end).collect();
        for (middle, direction, radius, follows) in &rings {
            // Each tube lies in a plane of constant z, so z is perpendicular to all of them.
            let across = direction.cross(DVec3::Z).normalize();
            for k in 0..n {
                let angle = core::f64::consts::TAU * k as f64 / n as f64;
                let out = DVec3::Z * cos(angle) + across * sin(angle);
                self.rest.vertices.push(*middle + out * *radius);
                self.follows.push(*follows);
            }
        }
        let at = |ring: usize, k: usize| first + (ring * n + k % n) as u32;
        for ring in 0..rings.len() - 1 {
            for k in 0..n {
                let [a, b, c, d] = [at(ring, k), at(ring, k + 1), at(ring + 1, k + 1), at(ring + 1, k)];
                self.rest.triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        for (position, follows) in poles {
            self.rest.vertices.push(position);
            self.follows.push(follows);
        }
        let low = first + (rings.len() * n) as u32;
        for k in 0..n {
            self.rest.triangles.push([at(0, k + 1), at(0, k), low]);
            self.rest.triangles.push([at(rings.len() - 1, k), at(rings.len() - 1, k + 1), low + 1]);
        }
    }
}
