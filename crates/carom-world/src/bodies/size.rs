//! How large a body is, as the recycling of contacts asks it.
//!
//! Reference: rapier 0.32, `contact_recycling`.

use crate::contacts::carrying::round_of;
use carom_geom::SupportMap;
use carom_query::Shape;

/// What recycling knows of a body's shape: asked for every pair in every step, it stands apart from the shape, which is large.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Size {
    /// Corners, edges and faces, sharp or all rounded alike, or a compound of sharp parts.
    Small {
        /// Of all of it, about the origin of its body.
        radius: f32,
        /// Of what it rolls on: the distance of its surface from its core. 0 if it is sharp.
        rounding: f32,
    },
    /// Has flat parts, and may have no end.
    Large,
    /// Round in another way, so that its contacts move on it when it turns; or fast, or nobody's.
    /// Its contacts are not recycled.
    Other,
}

impl Size {
    pub(crate) fn of(shape: &Shape, is_fast: bool) -> Size {
        let small = |map: &dyn SupportMap| Size::Small {
            radius: (map.center().length() + map.radius() + map.margin()) as f32,
            rounding: round_of(shape),
        };
        match shape {
            _ if is_fast => Size::Other,
            Shape::Cuboid(cuboid) => small(cuboid),
            Shape::Hull(hull) => small(&**hull),
            Shape::Sphere(sphere) => small(sphere),
            Shape::Capsule(capsule) => small(capsule),
            Shape::HalfSpace(_) | Shape::Mesh(_) | Shape::HeightField(_) | Shape::Field(_) => Size::Large,
            Shape::Compound(compound) => {
                let radius = compound.parts().iter().try_fold(0.0_f32, |radius, part| {
                    match Size::of(&part.shape, false) {
                        Size::Small { radius: of_part, rounding: 0.0 } => {
                            Some(radius.max(part.pose.translation.length() + of_part))
                        }
                        _ => None,
                    }
                });
                radius.map_or(Size::Other, |radius| Size::Small { radius, rounding: 0.0 })
            }
            _ => Size::Other,
        }
    }

    pub(crate) fn rounding(self) -> f32 {
        if let Size::Small { rounding, .. } = self { rounding } else { 0.0 }
    }
}

/// Which of two bodies is the smaller one, A or not, and its radius about its origin; `None` where
/// contacts are not recycled.
pub(crate) fn smaller(a: Size, b: Size) -> Option<(bool, f32)> {
    match (a, b) {
        (Size::Small { radius: a, .. }, Size::Small { radius: b, .. }) => Some((a <= b, a.min(b))),
        (Size::Small { radius, .. }, Size::Large) => Some((true, radius)),
        (Size::Large, Size::Small { radius, .. }) => Some((false, radius)),
        _ => None,
    }
}
