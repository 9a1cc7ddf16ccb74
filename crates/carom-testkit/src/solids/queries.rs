//! The queries in carom's types; compiled for `f32` and again for `f64`.

use super::super::{Answer, Mesh, Overlap};
use super::num::{geom, math, query, real, wide};
use crate::oracle::tetrahedra::Relation;
use glam::DVec3;
use math::{Pose, Vec3};
use query::{MeshShape, SolidRelation, solid_overlap, solid_relation};

/// Returns the answers for two meshes; `None` if carom cannot distinguish inside from outside.
pub(in super::super) fn answer([a, b]: [&Mesh; 2]) -> Option<Answer> {
    let (a, b) = (shape(a), shape(b));
    let here = Pose::IDENTITY;
    let relation = |a, b| {
        Some(match solid_relation(a, &here, b, &here)? {
            SolidRelation::Clear => Relation::Clear,
            SolidRelation::Touching => Relation::Touching,
            _ => Relation::Overlapping,
        })
    };
    let overlap = solid_overlap(&a, &here, &b, &here).map(|found| Overlap {
        at_least: wide(found.at_least),
        at_most: wide(found.at_most),
        separation: widen(found.separation),
        point: widen(found.point),
        is_exact: found.is_exact,
    });
    Some(Answer { relations: [relation(&a, &b)?, relation(&b, &a)?], overlap })
}

fn widen(v: Vec3) -> DVec3 {
    DVec3::new(wide(v.x), wide(v.y), wide(v.z))
}

fn shape(mesh: &Mesh) -> MeshShape {
    let vertices = mesh.vertices.iter().map(|p| Vec3::new(real(p.x), real(p.y), real(p.z))).collect();
    let mesh = geom::TriMesh::new(vertices, mesh.triangles.clone()).expect("a mesh");
    MeshShape::new(mesh).expect("few triangles")
}
