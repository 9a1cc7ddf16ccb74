//! The size of a body for the recycling of contacts.
//!
//! Reference: rapier 0.32, `contact_recycling`.

use crate::bodies::roundness::Roundness;
use carom_geom::SupportMap;
use carom_query::{Shape, ShapeKind};

/// The size of a shape for recycling. It is read for each active pair in each step. So it is
/// stored apart from the shape, which is large.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Size {
    /// A finite shape with corners, edges and faces, sharp or with one rounding radius, or a
    /// compound of sharp parts. `radius` is the largest distance of a point from the origin of the
    /// body.
    Small { radius: f32 },
    /// A half-space, mesh, height field or distance field, or a compound with such a part. Contacts
    /// are recycled by the size of the other body.
    Large,
    /// Contacts are not recycled. There is no body, or it is fast, or its mesh was deformed, or
    /// its shape is another one, round or a cluster. Contacts move on a round shape when it turns.
    Other,
}

impl Size {
    pub(crate) fn of(shape: &Shape, is_fast: bool) -> Size {
        let small = |map: &dyn SupportMap| Size::Small {
            radius: (map.center().length() + map.radius() + map.margin()) as f32,
        };
        if is_fast {
            return Size::Other;
        }
        match (shape, shape.kind()) {
            (
                Shape::Cuboid(_) | Shape::Hull(_) | Shape::Sphere(_) | Shape::Capsule(_),
                ShapeKind::Convex(map),
            ) => small(map),
            (_, ShapeKind::Convex(_)) => Size::Other,
            (_, ShapeKind::HalfSpace(_) | ShapeKind::Mesh(_)) | (Shape::Field(_), _) => Size::Large,
            (_, ShapeKind::Compound(compound)) => {
                let mut size = Size::Small { radius: 0.0 };
                for part in compound.parts() {
                    let reach = part.pose.translation.length();
                    size = match (size, Size::of(&part.shape, false), Roundness::of(&part.shape)) {
                        (Size::Small { radius }, Size::Small { radius: own }, Roundness::Sharp) => {
                            Size::Small { radius: radius.max(reach + own) }
                        }
                        (Size::Large, Size::Small { .. }, Roundness::Sharp)
                        | (Size::Small { .. } | Size::Large, Size::Large, _) => Size::Large,
                        _ => return Size::Other,
                    };
                }
                size
            }
            // A torus or a cluster.
            (_, ShapeKind::Field(_) | ShapeKind::Cluster(_)) => Size::Other,
        }
    }
}

/// Returns whether A is the smaller body, and the radius of the smaller body about its origin.
/// `None` if the contacts of the two are not recycled.
pub(crate) fn smaller(a: Size, b: Size) -> Option<(bool, f32)> {
    match (a, b) {
        (Size::Small { radius: a }, Size::Small { radius: b }) => Some((a <= b, a.min(b))),
        (Size::Small { radius }, Size::Large) => Some((true, radius)),
        (Size::Large, Size::Small { radius }) => Some((false, radius)),
        _ => None,
    }
}
