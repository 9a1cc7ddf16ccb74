//! The queries that a world must answer for a walking figure: sweeps of a figure, rays, and the
//! nearest free position.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.5 (moving bodies); K. Fauerby,
//! Improved Collision Detection and Response, 2003 (sweeps for sliding). Differs: the figure keeps
//! a distance from obstacles, so answers do not depend on the last bit.

use crate::figure::Figure;
use carom_math::WidePose;
use glam::DVec3;

/// The object of a hit in a world that does not distinguish its objects.
pub const NO_OBJECT: u32 = u32::MAX;

/// A hit of a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RayHit {
    /// The parameter along the segment, 0 to 1.
    pub t: f64,
    /// The unit normal against the ray. It is zero for a ray that starts inside the world, if the
    /// world returns a hit at the start ([`RaySweep::ray`]).
    pub normal: DVec3,
    /// Whether the ray starts inside the solid that it hits. A surface without a solid behind it,
    /// such as an open mesh or a height field, has no inside.
    pub starts_inside: bool,
    /// The index of the object in the world.
    pub object: u32,
    /// The part of the object: the triangle of a mesh.
    pub part: u32,
    /// The velocity of the object there, length per second.
    pub velocity: DVec3,
}

impl RayHit {
    /// Returns a hit on an object that stands still and has no index.
    pub fn new(t: f64, normal: DVec3) -> RayHit {
        let starts_inside = false;
        RayHit { t, normal, starts_inside, object: NO_OBJECT, part: 0, velocity: DVec3::ZERO }
    }

    /// Returns the same hit of a ray that starts inside the solid, or does not.
    #[must_use]
    pub fn starting_inside(self, starts_inside: bool) -> RayHit {
        RayHit { starts_inside, ..self }
    }

    /// Returns the same hit on this part of this object.
    #[must_use]
    pub fn on(self, object: u32, part: u32) -> RayHit {
        RayHit { object, part, ..self }
    }

    /// Returns the same hit on something that moves.
    #[must_use]
    pub fn moving(self, velocity: DVec3) -> RayHit {
        RayHit { velocity, ..self }
    }
}

/// A world for ray casts.
pub trait RaySweep {
    /// Returns the first hit of the segment from `from` to `from + displacement`, on either side
    /// of a surface. `None` if there is none, and for a segment with a NaN.
    ///
    /// If the segment starts inside a shape, `ShapeWorld` and `WorldSweep` return the far side. A
    /// `BspWorld` returns a hit at the start, with the normal zero. [`RayHit::starts_inside`] tells
    /// both.
    ///
    /// `last` is a recent hit of nearly the same segment, if there was one. A world may test that
    /// first; the answer is the same.
    fn ray(&mut self, from: DVec3, displacement: DVec3, last: Option<&RayHit>) -> Option<RayHit>;

    /// Returns the current pose of a part of an object; `None` if the world does not know it, as by
    /// default.
    ///
    /// A character that stands on the part follows this pose exactly. Without it the character
    /// follows the velocity of the hits.
    fn pose_of(&self, object: u32, part: u32) -> Option<WidePose> {
        let _ = (object, part);
        None
    }

    /// Returns the generation of an object: a number that is different for each object that gets
    /// the same index. `None` if there is no such object now, or nothing can hit it any more. By
    /// default indices are not reused, and it is `None` for all of them.
    ///
    /// A character leaves its ground if the generation changes between two calls.
    fn generation_of(&self, object: u32) -> Option<u32> {
        let _ = object;
        None
    }
}

/// The first obstacle that a moving figure comes near to.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SweepHit {
    /// The free fraction of the displacement, 0 to 1. There the figure is at the distance to keep,
    /// or as near as it started.
    pub t: f64,
    /// The distance from the obstacle then, a length; 0 if the figure starts in it.
    pub gap: f64,
    /// The unit normal out of the obstacle; zero if the figure starts in it.
    pub normal: DVec3,
    /// The nearest point of the obstacle then.
    pub point: DVec3,
    /// Whether the figure overlaps something at the start: see [`Sweep::nearest_free`].
    pub starts_inside: bool,
    /// Whether the obstacle is an edge or a corner there, so that the normal depends on the
    /// figure.
    pub is_edge: bool,
    /// The uncertainty of the point of an edge, a length along the plane across the normal.
    pub blur: f64,
    /// The index of the object in the world.
    pub object: u32,
    /// The part of the object: the triangle of a mesh.
    pub part: u32,
    /// The velocity of the object there, length per second.
    pub velocity: DVec3,
}

impl SweepHit {
    /// Returns a hit after the fraction `t` of the displacement, at the distance `gap`. It is on a
    /// face of an object that stands still and has no index.
    pub fn new(t: f64, gap: f64, normal: DVec3, point: DVec3) -> SweepHit {
        SweepHit {
            t,
            gap,
            normal,
            point,
            starts_inside: false,
            is_edge: false,
            blur: 0.0,
            object: NO_OBJECT,
            part: 0,
            velocity: DVec3::ZERO,
        }
    }

    /// Returns the hit of a figure that starts in an obstacle.
    pub fn inside(position: DVec3) -> SweepHit {
        SweepHit { starts_inside: true, ..SweepHit::new(0.0, 0.0, DVec3::ZERO, position) }
    }

    /// Returns the same hit on an edge, whose point is known to within the length `blur`.
    #[must_use]
    pub fn on_edge(self, blur: f64) -> SweepHit {
        SweepHit { is_edge: true, blur, ..self }
    }

    /// Returns the same hit on this part of this object.
    #[must_use]
    pub fn on(self, object: u32, part: u32) -> SweepHit {
        SweepHit { object, part, ..self }
    }

    /// Returns the same hit on something that moves.
    #[must_use]
    pub fn moving(self, velocity: DVec3) -> SweepHit {
        SweepHit { velocity, ..self }
    }
}

/// A world that a figure can walk in. It does not move during a query.
///
/// Queries take `&mut self`, so that a world can reuse memory and need not allocate.
pub trait Sweep: RaySweep {
    /// Returns the first obstacle to which the figure comes nearer than `keep`, a length above 0,
    /// as it moves from `from` by `displacement`.
    ///
    /// The hit is conservative: the figure is free up to `t`, at a distance above 0 from
    /// everything. An obstacle that is nearer than `keep` at the start counts only if the figure
    /// approaches it. So motion along it or away from it is free. `None` if the path is free, and
    /// for a displacement with a NaN.
    fn sweep(&mut self, figure: &Figure, from: DVec3, displacement: DVec3, keep: f64) -> Option<SweepHit>;

    /// Whether the figure overlaps nothing at this position.
    fn is_free(&mut self, figure: &Figure, position: DVec3) -> bool;

    /// Returns a nearby position at which the figure is free: `position` itself if it is free.
    /// `None` if no position was found, and for a position with a NaN.
    fn nearest_free(&mut self, figure: &Figure, position: DVec3) -> Option<DVec3>;

    /// Sweeps a figure that the object `carrier` carries. The carrier has already moved, so it is
    /// no obstacle, and neither is any object that the figure overlaps at the start.
    ///
    /// By default this is [`Sweep::sweep`] without hits on the carrier and without an overlap at
    /// the start. A world with several moving objects should exclude these objects from the sweep
    /// instead.
    fn sweep_carried(
        &mut self,
        figure: &Figure,
        from: DVec3,
        displacement: DVec3,
        keep: f64,
        carrier: u32,
    ) -> Option<SweepHit> {
        let hit = self.sweep(figure, from, displacement, keep)?;
        let is_carrier = hit.object == carrier && carrier != NO_OBJECT;
        if is_carrier || hit.starts_inside { None } else { Some(hit) }
    }
}

/// A world in which an object carries the figure: its sweeps are [`Sweep::sweep_carried`].
pub(crate) struct CarriedSweep<'a, W: ?Sized> {
    pub(crate) world: &'a mut W,
    pub(crate) carrier: u32,
}

impl<W: RaySweep + ?Sized> RaySweep for CarriedSweep<'_, W> {
    fn ray(&mut self, from: DVec3, displacement: DVec3, last: Option<&RayHit>) -> Option<RayHit> {
        self.world.ray(from, displacement, last)
    }

    fn pose_of(&self, object: u32, part: u32) -> Option<WidePose> {
        self.world.pose_of(object, part)
    }

    fn generation_of(&self, object: u32) -> Option<u32> {
        self.world.generation_of(object)
    }
}

impl<W: Sweep + ?Sized> Sweep for CarriedSweep<'_, W> {
    fn sweep(&mut self, figure: &Figure, from: DVec3, displacement: DVec3, keep: f64) -> Option<SweepHit> {
        self.world.sweep_carried(figure, from, displacement, keep, self.carrier)
    }

    fn is_free(&mut self, figure: &Figure, position: DVec3) -> bool {
        self.world.is_free(figure, position)
    }

    fn nearest_free(&mut self, figure: &Figure, position: DVec3) -> Option<DVec3> {
        self.world.nearest_free(figure, position)
    }
}

impl<W: RaySweep + ?Sized> RaySweep for &mut W {
    fn ray(&mut self, from: DVec3, displacement: DVec3, last: Option<&RayHit>) -> Option<RayHit> {
        (**self).ray(from, displacement, last)
    }

    fn pose_of(&self, object: u32, part: u32) -> Option<WidePose> {
        (**self).pose_of(object, part)
    }

    fn generation_of(&self, object: u32) -> Option<u32> {
        (**self).generation_of(object)
    }
}

impl<W: Sweep + ?Sized> Sweep for &mut W {
    fn sweep(&mut self, figure: &Figure, from: DVec3, displacement: DVec3, keep: f64) -> Option<SweepHit> {
        (**self).sweep(figure, from, displacement, keep)
    }

    fn is_free(&mut self, figure: &Figure, position: DVec3) -> bool {
        (**self).is_free(figure, position)
    }

    fn nearest_free(&mut self, figure: &Figure, position: DVec3) -> Option<DVec3> {
        (**self).nearest_free(figure, position)
    }

    fn sweep_carried(
        &mut self,
        figure: &Figure,
        from: DVec3,
        displacement: DVec3,
        keep: f64,
        carrier: u32,
    ) -> Option<SweepHit> {
        (**self).sweep_carried(figure, from, displacement, keep, carrier)
    }
}
