//! What a world must answer so that something can walk in it: sweeps of a figure, rays, and the way
//! out of the solid.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.5 (moving bodies); K. Fauerby,
//! Improved Collision Detection and Response, 2003 (what sliding asks of a sweep). Differs: a
//! distance is kept, so that no answer hangs on the last bit.

use crate::figure::Figure;
use carom_math::WidePose;
use glam::DVec3;

/// The number of what was met, where the world does not tell its things apart.
pub const NO_OBJECT: u32 = u32::MAX;

/// Where a ray meets the world.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RayHit {
    /// Where along the segment, 0 to 1.
    pub t: f64,
    /// Of length 1, against the ray; zero where the ray starts in something.
    pub normal: DVec3,
    /// What was met, by a number of the world's.
    pub object: u32,
    /// Which part of it: the triangle of a mesh.
    pub part: u32,
    /// Length per second: how fast what was met moves there.
    pub velocity: DVec3,
}

impl RayHit {
    /// Met here, something that stands still and has no number.
    pub fn new(t: f64, normal: DVec3) -> RayHit {
        RayHit { t, normal, object: NO_OBJECT, part: 0, velocity: DVec3::ZERO }
    }

    /// The same hit on this part of this object.
    #[must_use]
    pub fn on(self, object: u32, part: u32) -> RayHit {
        RayHit { object, part, ..self }
    }

    /// The same hit on something that moves.
    #[must_use]
    pub fn moving(self, velocity: DVec3) -> RayHit {
        RayHit { velocity, ..self }
    }
}

/// A world that rays can be cast into.
pub trait RaySweep {
    /// The first place where the segment from `from` to `from + way` meets the world, from
    /// whichever side. `None` where there is none, and for a segment with a NaN.
    ///
    /// `last` is a hit of nearly the same segment a moment ago, if there was one: a world may look
    /// there first. The answer is the same.
    fn ray(&mut self, from: DVec3, way: DVec3, last: Option<&RayHit>) -> Option<RayHit>;

    /// Returns the current pose of an object; `None` if the world does not know it, as by default.
    ///
    /// A character that stands on the object follows this pose exactly. Without it the character
    /// follows the velocity of the hits.
    fn pose_of(&self, object: u32) -> Option<WidePose> {
        let _ = object;
        None
    }
}

/// What a moving figure comes near to first.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SweepHit {
    /// How much of the way is free, 0 to 1: there the figure is as far away as it was asked to
    /// keep, or as near as it started.
    pub t: f64,
    /// How far away it is then, a length; 0 where it starts in something.
    pub gap: f64,
    /// Out of what was met, of length 1; zero where the figure starts in it.
    pub normal: DVec3,
    /// Where what was met is nearest then.
    pub point: DVec3,
    /// The figure overlaps something where it starts: see [`Sweep::nearest_free`].
    pub starts_inside: bool,
    /// What was met is an edge or a corner there, and the normal depends on the figure.
    pub is_edge: bool,
    /// A length: so far the point of an edge may be off, along the plane across the normal.
    pub blur: f64,
    /// What was met, by a number of the world's.
    pub object: u32,
    /// Which part of it: the triangle of a mesh.
    pub part: u32,
    /// Length per second: how fast what was met moves there.
    pub velocity: DVec3,
}

impl SweepHit {
    /// Met after this part of the way, at this distance, a face that stands still and has no
    /// number.
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

    /// The figure is in something where it starts.
    pub fn inside(place: DVec3) -> SweepHit {
        SweepHit { starts_inside: true, ..SweepHit::new(0.0, 0.0, DVec3::ZERO, place) }
    }

    /// The same hit, on an edge that is where the point is to within this length.
    #[must_use]
    pub fn on_edge(self, blur: f64) -> SweepHit {
        SweepHit { is_edge: true, blur, ..self }
    }

    /// The same hit on this part of this object.
    #[must_use]
    pub fn on(self, object: u32, part: u32) -> SweepHit {
        SweepHit { object, part, ..self }
    }

    /// The same hit on something that moves.
    #[must_use]
    pub fn moving(self, velocity: DVec3) -> SweepHit {
        SweepHit { velocity, ..self }
    }
}

/// A world that a figure can walk in. It stands still while it is asked.
///
/// Asked with `&mut`, so that a world can keep its workspace: warm calls need not allocate.
pub trait Sweep: RaySweep {
    /// What the figure comes nearer to than `keep`, a length above 0, first on its way from `from`
    /// by `way`.
    ///
    /// Never late: the figure is free up to `t`, and farther than 0 from everything. What it is
    /// near to already counts only if it comes nearer still; so a figure that moves along or away
    /// is not held. `None` where the way is free, and for a way with a NaN.
    fn sweep(&mut self, figure: &Figure, from: DVec3, way: DVec3, keep: f64) -> Option<SweepHit>;

    /// The figure overlaps nothing at this place.
    fn is_free(&mut self, figure: &Figure, place: DVec3) -> bool;

    /// A place near by where the figure is free, itself where it is. `None` where none was found,
    /// and for a place with a NaN.
    fn nearest_free(&mut self, figure: &Figure, place: DVec3) -> Option<DVec3>;

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
        way: DVec3,
        keep: f64,
        carrier: u32,
    ) -> Option<SweepHit> {
        let hit = self.sweep(figure, from, way, keep)?;
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
    fn ray(&mut self, from: DVec3, way: DVec3, last: Option<&RayHit>) -> Option<RayHit> {
        self.world.ray(from, way, last)
    }

    fn pose_of(&self, object: u32) -> Option<WidePose> {
        self.world.pose_of(object)
    }
}

impl<W: Sweep + ?Sized> Sweep for CarriedSweep<'_, W> {
    fn sweep(&mut self, figure: &Figure, from: DVec3, way: DVec3, keep: f64) -> Option<SweepHit> {
        self.world.sweep_carried(figure, from, way, keep, self.carrier)
    }

    fn is_free(&mut self, figure: &Figure, place: DVec3) -> bool {
        self.world.is_free(figure, place)
    }

    fn nearest_free(&mut self, figure: &Figure, place: DVec3) -> Option<DVec3> {
        self.world.nearest_free(figure, place)
    }
}

impl<W: RaySweep + ?Sized> RaySweep for &mut W {
    fn ray(&mut self, from: DVec3, way: DVec3, last: Option<&RayHit>) -> Option<RayHit> {
        (**self).ray(from, way, last)
    }

    fn pose_of(&self, object: u32) -> Option<WidePose> {
        (**self).pose_of(object)
    }
}

impl<W: Sweep + ?Sized> Sweep for &mut W {
    fn sweep(&mut self, figure: &Figure, from: DVec3, way: DVec3, keep: f64) -> Option<SweepHit> {
        (**self).sweep(figure, from, way, keep)
    }

    fn is_free(&mut self, figure: &Figure, place: DVec3) -> bool {
        (**self).is_free(figure, place)
    }

    fn nearest_free(&mut self, figure: &Figure, place: DVec3) -> Option<DVec3> {
        (**self).nearest_free(figure, place)
    }

    fn sweep_carried(
        &mut self,
        figure: &Figure,
        from: DVec3,
        way: DVec3,
        keep: f64,
        carrier: u32,
    ) -> Option<SweepHit> {
        (**self).sweep_carried(figure, from, way, keep, carrier)
    }
}
