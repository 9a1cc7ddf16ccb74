//! Shapes of any kind as a world to walk in: meshes and height fields by the triangles near the
//! way, convex shapes as they are, half-spaces as planes; each may move.
//!
//! Objects are looked at one after the other, by their boxes: for a few dozen. A level is one mesh
//! or compound.
//!
//! A mesh is its surface, and both of its sides are. Who overlaps triangles is pushed out of the
//! one that it is deepest in, of closed meshes to the front, again and again; if that does not
//! help, the nearest free of many places around is taken.
//!
//! A distance field is the surface of its samples, as triangles, and solid if it tells inside from
//! outside.
//!
//! Reference: K. Fauerby, Improved Collision Detection and Response, 2003 (swept ellipsoids against
//! triangles); Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.4 (rays against the triangle
//! that was hit last). Differs: any convex figure, without scaling space.

use crate::approach::Approach;
use crate::field_faces::visit_faces;
use crate::figure::Figure;
use crate::sweep::{RayHit, RaySweep, Sweep, SweepHit};
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume as _};
use carom_geom::f64::Triangle;
use carom_geom::ray_mesh::Placement;
use carom_geom::{DistanceField, SupportMap};
use carom_gjk::{GjkSettings, wide};
use carom_math::f64::{Interval, Pose, Ray};
use carom_math::{WidePose, rounding, scaling, tol};
use carom_query::f64::{MeshShape, Shape, placement, ray_cast};
use core::ops::ControlFlow;
use glam::DVec3;

/// Something in the world.
#[derive(Clone, Debug)]
struct Object {
    shape: Shape,
    pose: Pose,
    wide: WidePose,
    aabb: Aabb,
    /// Of the origin of its frame.
    linear: DVec3,
    angular: DVec3,
}

impl Object {
    /// A little after the ray meets a triangle of the mesh, nearly; `None` for what is no mesh, and
    /// where the ray passes by.
    fn ray_triangle(&self, from: DVec3, way: DVec3, triangle: u32) -> Option<f64> {
        let Shape::Mesh(mesh) = &self.shape else { return None };
        if mesh.mesh().n_triangles() <= triangle as usize {
            return None;
        }
        let [a, b, c] = mesh.mesh().corners(triangle);
        let (from, way) = (self.wide.inverse_transform_point(from), self.wide.inverse_transform_vector(way));
        let (u, v, w) = (b - a, c - a, from - a);
        let (across, side) = (way.cross(v), w.cross(u));
        let scale = 1.0 / u.dot(across);
        let (s, t, far) = (w.dot(across) * scale, way.dot(side) * scale, v.dot(side) * scale);
        let is_hit = 0.0 <= s && 0.0 <= t && s + t <= 1.0 && 0.0 <= far;
        // 2^-20 more, for rounding; if nothing is hit by then after all, the whole way is looked
        // at.
        is_hit.then_some(far + (1.0 + far) / (1_u64 << 20) as f64)
    }

    fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.linear + self.angular.cross(point - self.pose.translation)
    }
}

/// A world of shapes, each with a number from 0.
#[derive(Clone, Debug, Default)]
pub struct ShapeWorld {
    objects: Vec<Object>,
    /// Scratch memory of [`Sweep::sweep_carried`].
    passed: Vec<u32>,
}

impl ShapeWorld {
    /// With nothing in it.
    pub fn new() -> ShapeWorld {
        ShapeWorld::default()
    }

    /// Adds a shape; its number.
    pub fn insert(&mut self, shape: Shape, pose: Pose) -> u32 {
        let aabb = shape.aabb(&pose);
        let wide = pose.wide();
        self.objects.push(Object { shape, pose, wide, aabb, linear: DVec3::ZERO, angular: DVec3::ZERO });
        self.objects.len() as u32 - 1
    }

    /// Where a shape is now, and how it moves: the velocity of its origin, length per second, and
    /// its spin, radians per second. False, and nothing changes, for the number of no shape and
    /// where something is not finite.
    pub fn set_motion(&mut self, object: u32, pose: Pose, linear: DVec3, angular: DVec3) -> bool {
        if !(pose.is_finite() && linear.is_finite() && angular.is_finite()) {
            return false;
        }
        let Some(object) = self.objects.get_mut(object as usize) else { return false };
        (object.pose, object.wide, object.linear, object.angular) = (pose, pose.wide(), linear, angular);
        object.aabb = object.shape.aabb(&pose);
        true
    }

    /// Where a shape is.
    pub fn pose(&self, object: u32) -> Option<&Pose> {
        self.objects.get(object as usize).map(|object| &object.pose)
    }

    /// Calls `part` for every convex part of what may touch the box, with its frame in the world;
    /// or for every half-space, as a plane.
    fn visit(&self, low: DVec3, high: DVec3, mut part: impl FnMut(u32, u32, &WidePose, Part<'_>)) {
        let aabb = if low.cmple(high).all() { Aabb::around(low, high) } else { Aabb::EVERYTHING };
        for (number, object) in self.objects.iter().enumerate() {
            if object.aabb.overlaps(&aabb) {
                let mut first = 0;
                visit_shape(
                    &object.shape,
                    &object.wide,
                    [low, high],
                    &mut first,
                    &mut |number_of, pose, found| {
                        part(number as u32, number_of, pose, found);
                    },
                );
            }
        }
    }

    /// A sweep that ignores the objects in `passed`.
    fn sweep_past(
        &self,
        figure: &Figure,
        from: DVec3,
        way: DVec3,
        keep: f64,
        passed: &[u32],
    ) -> Option<SweepHit> {
        if !(from.is_finite() && way.is_finite()) {
            return None;
        }
        let (low, high) = figure.swept_box(from, way);
        let mut best: Option<SweepHit> = None;
        let mut until = 1.0;
        self.visit(low - keep, high + keep, |object, number, pose, part| {
            if passed.contains(&object) {
                return;
            }
            let approach = Approach::new(figure, from, way, keep, pose);
            let hit = match part {
                Part::Plane(normal) => to_plane(&approach, normal),
                Part::Convex(shape, face) => {
                    if face.is_some_and(|face| approach.is_beside(face.normal, face.point)) {
                        return;
                    }
                    approach.to(shape, until).map(|hit| told(hit, shape, face))
                }
            };
            let Some(mut hit) = hit else { return };
            let rank = |hit: &SweepHit| (hit.t, !hit.starts_inside, hit.object, hit.part);
            hit = hit.on(object, number);
            if best.as_ref().is_none_or(|best| rank(&hit) < rank(best)) {
                // If several shapes are met in one moment, the first by number counts; a little
                // more is searched for that.
                until = hit.t.max(until.min(hit.t + keep));
                hit.normal = pose.transform_vector(hit.normal);
                hit.point = pose.transform_point(hit.point);
                best = Some(hit);
            }
        });
        best.map(|hit| {
            let velocity = self.objects.get(hit.object as usize).map(|object| object.velocity_at(hit.point));
            hit.moving(velocity.unwrap_or_default())
        })
    }

    /// Calls `visit` with the object of each part that the figure overlaps.
    fn visit_overlaps(&self, figure: &Figure, place: DVec3, mut visit: impl FnMut(u32)) {
        let (low, high) = figure.swept_box(place, DVec3::ZERO);
        self.visit(low, high, |object, _, pose, part| {
            let here = Approach::new(figure, place, DVec3::ZERO, 0.0, pose);
            let is_free = match part {
                Part::Plane(normal) => here.reach(-normal) < normal.dot(here.start.translation),
                Part::Convex(shape, face) => {
                    face.is_some_and(|face| here.is_beside(face.normal, face.point))
                        || !wide::intersects(shape, figure, &here.start, &GjkSettings::default(), None)
                            .intersects
                }
            };
            if !is_free {
                visit(object);
            }
        });
    }

    /// The way out of what the figure is deepest in, at least by a little; `None` where it is free.
    fn way_out(&self, figure: &Figure, place: DVec3) -> Option<DVec3> {
        let (low, high) = figure.swept_box(place, DVec3::ZERO);
        let mut deepest: Option<(f64, DVec3)> = None;
        let mut offer = |depth: f64, normal: DVec3| {
            if deepest.is_none_or(|deepest| deepest.0 < depth) {
                deepest = Some((depth, normal));
            }
        };
        self.visit(low, high, |_, _, pose, part| {
            let here = Approach::new(figure, place, DVec3::ZERO, 0.0, pose);
            match part {
                Part::Plane(normal) => {
                    let depth = here.reach(-normal) - normal.dot(here.start.translation);
                    if 0.0 <= depth {
                        offer(depth, pose.transform_vector(normal));
                    }
                }
                Part::Convex(shape, face) => {
                    let gap =
                        wide::signed_distance(shape, figure, &here.start, &GjkSettings::default(), None);
                    if !(gap.distance <= 0.0) {
                        return;
                    }
                    // Of a solid the front is the way out, however deep.
                    let front = face.filter(|face| face.is_solid && gap.normal.dot(face.normal) < 0.0);
                    let (depth, normal) = front.map_or((-gap.distance, gap.normal), |face| {
                        let height = face.normal.dot(here.start.translation - face.point);
                        (here.reach(-face.normal) - height, face.normal)
                    });
                    offer(depth, pose.transform_vector(normal));
                }
            }
        });
        deepest.map(|(depth, normal)| normal * (depth + OUT * figure.half_width()))
    }

    /// The place is within a closed mesh or the solid of a field.
    fn is_within(&self, place: DVec3) -> bool {
        self.objects.iter().any(|object| match &object.shape {
            Shape::Mesh(mesh) => mesh.is_solid() && placement(mesh, &object.pose, place) == Placement::Inside,
            Shape::Field(field) => field
                .sample(object.wide.inverse_transform_point(place))
                .is_some_and(|sample| sample.distance < 0.0),
            _ => false,
        })
    }
}

/// In half widths: who is pushed out is then so far away.
const OUT: f64 = 1.0 / 1024.0;

/// How often a figure is pushed out of something.
const MOST_PUSHES: usize = 16;

/// How far around a figure that could not be pushed out is looked for a place: this many quarters
/// of its half width.
const MOST_QUARTERS: u32 = 40;

/// A part of the world.
enum Part<'a> {
    /// A convex shape; a triangle with its plane, if it has one.
    Convex(&'a dyn SupportMap, Option<FacePlane>),
    /// All that is behind the plane through the origin with this normal.
    Plane(DVec3),
}

/// The plane of a triangle.
#[derive(Clone, Copy)]
struct FacePlane {
    normal: DVec3,
    point: DVec3,
    /// The triangle is one of a closed mesh.
    is_solid: bool,
}

/// `first` counts the parts, as the queries do.
fn visit_shape(
    shape: &Shape,
    pose: &WidePose,
    within: [DVec3; 2],
    first: &mut u32,
    part: &mut impl FnMut(u32, &WidePose, Part<'_>),
) {
    let mut convex = |shape: &dyn SupportMap| part(*first, pose, Part::Convex(shape, None));
    match shape {
        Shape::Sphere(s) => convex(s),
        Shape::Capsule(s) => convex(s),
        Shape::TaperedCapsule(s) => convex(s),
        Shape::Cuboid(s) => convex(s),
        Shape::Cylinder(s) => convex(s),
        Shape::Cone(s) => convex(s),
        Shape::Ellipsoid(s) => convex(s),
        Shape::Hull(s) => convex(&**s),
        Shape::Rounded(s) => convex(&**s),
        Shape::User(s) => convex(&**s),
        Shape::HalfSpace(s) => part(*first, pose, Part::Plane(s.normal_wide())),
        Shape::Mesh(mesh) => return visit_triangles(mesh, pose, within, first, part),
        Shape::HeightField(field) => return visit_triangles(field.mesh(), pose, within, first, part),
        Shape::Field(field) => visit_field(&**field, pose, within, *first, part),
        Shape::Compound(compound) => {
            // A part is no compound: this goes down once.
            for one in compound.parts() {
                let placed = one.pose.wide().relative_to(&pose.inverse());
                visit_part(&one.shape, &placed, within, first, part);
            }
            return;
        }
    }
    *first += 1;
}

/// The parts of a part of a compound.
fn visit_part(
    shape: &Shape,
    pose: &WidePose,
    within: [DVec3; 2],
    first: &mut u32,
    part: &mut dyn FnMut(u32, &WidePose, Part<'_>),
) {
    visit_shape(shape, pose, within, first, &mut |number: u32, pose: &WidePose, found: Part<'_>| {
        part(number, pose, found)
    });
}

/// The triangles of the surface of a field, all of them with one number.
fn visit_field(
    field: &dyn DistanceField,
    pose: &WidePose,
    within: [DVec3; 2],
    number: u32,
    part: &mut impl FnMut(u32, &WidePose, Part<'_>),
) {
    let (low, high) = box_in_frame(pose, within);
    visit_faces(field, [low, high], &mut |[a, b, c]| {
        let Some(normal) = scaling::unit((b - a).cross(c - a)) else { return };
        let face = FacePlane { normal, point: a, is_solid: field.has_inside() };
        if let Ok(triangle) = Triangle::new(a, b, c) {
            part(number, pose, Part::Convex(&triangle, Some(face)));
        }
    });
}

/// A box around a box of the world, in the frame of a shape.
fn box_in_frame(pose: &WidePose, [low, high]: [DVec3; 2]) -> (DVec3, DVec3) {
    let (middle, half) = ((low + high) * 0.5, (high - low) * 0.5);
    let r = pose.rotation.transpose();
    let middle = pose.inverse_transform_point(middle);
    let half = r.x_axis.abs() * half.x + r.y_axis.abs() * half.y + r.z_axis.abs() * half.z;
    // The roundings of some ten operations.
    let half = half + (middle.abs() + pose.translation.length() + half.max_element()) * (16.0 * f64::EPSILON);
    (middle - half, middle + half)
}

fn visit_triangles(
    mesh: &MeshShape,
    pose: &WidePose,
    within: [DVec3; 2],
    first: &mut u32,
    part: &mut impl FnMut(u32, &WidePose, Part<'_>),
) {
    let (low, high) = box_in_frame(pose, within);
    let scale = mesh.scale();
    let aabb = if low.cmple(high).all() {
        Aabb { min: rounding::down3(low * scale), max: rounding::up3(high * scale) }
    } else {
        Aabb::EVERYTHING
    };
    mesh.tree().visit_box(&aabb, |leaf| {
        for &number in leaf.primitives {
            let [a, b, c] = mesh.mesh().corners(number);
            if !(a.min(b).min(c).cmple(high).all() && low.cmple(a.max(b).max(c)).all()) {
                continue;
            }
            let face = scaling::unit((b - a).cross(c - a)).map(|normal| FacePlane {
                normal,
                point: a,
                is_solid: mesh.is_solid(),
            });
            part(*first + number, pose, Part::Convex(&mesh.mesh().triangle(number), face));
        }
        ControlFlow::Continue(())
    });
    *first += mesh.mesh().n_triangles() as u32;
}

impl RaySweep for ShapeWorld {
    fn ray(&mut self, from: DVec3, way: DVec3, last: Option<&RayHit>) -> Option<RayHit> {
        let ray = Ray::new(from, way);
        let mut best: Option<RayHit> = None;
        let mut until = 1.0;
        // What was hit last is likely to be hit again, and nothing behind it then counts.
        let likely = last.map_or(0, |last| last.object as usize).min(self.objects.len());
        let (before, after) = self.objects.split_at(likely);
        let numbered = after.iter().chain(before).zip((likely..self.objects.len()).chain(0..likely));
        for (object, number) in numbered {
            // The triangle that was hit last says how far to look, if it is hit again.
            let triangle = last.filter(|last| last.object == number as u32).map(|last| last.part);
            let near = triangle.and_then(|triangle| object.ray_triangle(from, way, triangle));
            let cast = |until: f64| ray_cast(&object.shape, &object.pose, &ray, Interval::new(0.0, until));
            let near = near.filter(|near| *near < until).and_then(cast);
            let Some(hit) = near.or_else(|| cast(until)) else { continue };
            let is_first = best.is_none_or(|best| (hit.t, number as u32) < (best.t, best.object));
            if is_first {
                until = hit.t;
                let against = if hit.is_back_face { -hit.normal } else { hit.normal };
                let velocity = object.velocity_at(from + way * hit.t);
                best = Some(RayHit::new(hit.t, against).on(number as u32, hit.part).moving(velocity));
            }
        }
        best
    }

    fn pose_of(&self, object: u32) -> Option<WidePose> {
        self.objects.get(object as usize).map(|object| object.wide)
    }
}

impl Sweep for ShapeWorld {
    fn sweep(&mut self, figure: &Figure, from: DVec3, way: DVec3, keep: f64) -> Option<SweepHit> {
        self.sweep_past(figure, from, way, keep, &[])
    }

    fn sweep_carried(
        &mut self,
        figure: &Figure,
        from: DVec3,
        way: DVec3,
        keep: f64,
        carrier: u32,
    ) -> Option<SweepHit> {
        let mut passed = core::mem::take(&mut self.passed);
        passed.clear();
        passed.push(carrier);
        self.visit_overlaps(figure, from, |object| {
            if !passed.contains(&object) {
                passed.push(object);
            }
        });
        let hit = self.sweep_past(figure, from, way, keep, &passed);
        self.passed = passed;
        hit
    }

    fn is_free(&mut self, figure: &Figure, place: DVec3) -> bool {
        let mut is_free = true;
        self.visit_overlaps(figure, place, |_| is_free = false);
        is_free
    }

    fn nearest_free(&mut self, figure: &Figure, place: DVec3) -> Option<DVec3> {
        if !place.is_finite() {
            return None;
        }
        let mut pushed = place;
        for _ in 0..MOST_PUSHES {
            match self.way_out(figure, pushed) {
                None if pushed == place || !self.is_within(pushed) => return Some(pushed),
                None => break,
                Some(way) => pushed += way,
            }
        }
        let quarter = 0.25 * figure.half_width();
        for ring in 1..=MOST_QUARTERS {
            for i in (0..27).filter(|i| *i != 13) {
                let third = |i: i32| f64::from(i % 3 - 1);
                let direction = DVec3::new(third(i), third(i / 3), third(i / 9));
                let Some(direction) = scaling::unit(direction) else { continue };
                let near = place + direction * (quarter * f64::from(ring));
                if self.is_free(figure, near) && !self.is_within(near) {
                    return Some(near);
                }
            }
        }
        None
    }
}

/// When the figure comes near the plane through the origin.
fn to_plane(approach: &Approach<'_>, normal: DVec3) -> Option<SweepHit> {
    let gap = normal.dot(approach.start.translation) - approach.reach(-normal);
    if gap < 0.0 {
        return Some(SweepHit::inside(approach.start.translation));
    }
    let rate = -normal.dot(approach.way);
    if !(0.0 < rate) || approach.keep < gap - rate {
        return None;
    }
    let t = ((gap - approach.keep) / rate).max(0.0);
    let left = gap - t * rate;
    let middle = approach.start.translation + approach.way * t;
    Some(SweepHit::new(t, left, normal, middle - normal * (normal.dot(middle))))
}

/// The hit, with what is there: a face, and then exactly its normal, or an edge.
fn told(hit: SweepHit, shape: &dyn SupportMap, face: Option<FacePlane>) -> SweepHit {
    if hit.starts_inside {
        return hit;
    }
    let normal = match face {
        Some(face) if face.normal.dot(hit.normal) < 0.0 => -face.normal,
        Some(face) => face.normal,
        // Round shapes have no edges, and shapes of other makers none that are known.
        None if shape.vertex(0).is_none() || 0.0 < shape.margin() => return hit,
        None => {
            let mut feature = carom_geom::Feature::new();
            shape.feature(hit.normal, &mut feature);
            feature.normal
        }
    };
    let is_face = (normal - hit.normal).length_squared() <= tol::CHARACTER_SAME * tol::CHARACTER_SAME;
    if is_face { SweepHit { normal, ..hit } } else { hit.on_edge(0.0) }
}
