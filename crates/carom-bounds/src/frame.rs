//! A frame in which squares and products of coordinates are safe. Its origin is a point of the
//! data; its unit is a power of two near the size of the data.

use carom_math::scaling;
use glam::DVec3;

/// An offset and a scale.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    origin: DVec3,
    scale: f64,
}

impl Frame {
    /// Returns the frame of points; its origin is the first of them.
    pub(crate) fn of<P: Copy + Into<DVec3>>(points: &[P]) -> Frame {
        let Some(&first) = points.first() else { return Frame { origin: DVec3::ZERO, scale: 1.0 } };
        let origin: DVec3 = first.into();
        let size = points.iter().fold(0.0_f64, |size, &p| {
            let p: DVec3 = p.into();
            size.max((p - origin).abs().max_element())
        });
        Frame { origin, scale: scaling::scale_of(size) }
    }

    /// Transforms a point into this frame; its coordinates are below 2.
    #[inline]
    pub(crate) fn enter(&self, p: impl Into<DVec3>) -> DVec3 {
        let p: DVec3 = p.into();
        (p - self.origin) * self.scale
    }

    /// Transforms a point of this frame back, up to rounding.
    #[inline]
    pub(crate) fn leave(&self, p: DVec3) -> DVec3 {
        p / self.scale + self.origin
    }
}
