//! A distance field as one of two shapes: distance, contact, manifolds, rays, points and casts.
//!
//! The slow methods are the mesh from which the field was baked, samples at many points of the
//! other shape, samples along a ray, and contacts at many times of a cast.

use crate::bytes::Bytes;
use carom_geom::{
    Capsule, ConvexHull, Cuboid, DistanceField, Ellipsoid, HalfSpace, Segment, Sphere, SupportMap, TriMesh,
};
use carom_math::{Interval, Pose, Ray, tol};
use carom_query::{
    ImpactSettings, ManifoldCache, MeshShape, Outcome, Shape, TimeOfImpact, cast, cast_ray, cast_ray_all,
    contact, distance, intersects, manifolds, motion_of, project_point,
};
use carom_sdf::{Accuracy, BakeSettings, Field, FieldShape, SdfGrid, SparseSdf};
use glam::{DVec3, Vec3};
use std::sync::Arc;

/// A field, and its properties by other means.
struct Baked {
    field: Arc<dyn DistanceField + Send + Sync>,
    shape: Shape,
    /// The mesh, if the field is off from its distance by no more than the bound.
    mesh: Option<Shape>,
    band: f64,
    /// In words.
    what: String,
}

/// The other shape, and points of it.
struct Other {
    shape: Shape,
    core: Core,
    margin: f64,
    /// The same as a field.
    baked: Option<Baked>,
}

/// The core of a shape: the shape without its margin.
enum Core {
    Convex(Box<dyn SupportMap>),
    Corners(Vec<[DVec3; 3]>),
    /// Nothing is known of its points.
    Unknown,
}

/// Sends all queries about a small field and any other shape, at any poses.
pub fn field_pairs(input: &[u8]) {
    let mut bytes = Bytes::new(input);
    let (Some(a), Some(b)) = (baked(&mut bytes), other(&mut bytes)) else { return };
    let [pose_a, pose_b] = [(); 2].map(|()| Pose::new(bytes.rotation_f32(), bytes.point_f32()));
    let prediction = bytes.size().abs() as f32;
    let near = contact(&a.shape, &pose_a, &b.shape, &pose_b, f32::INFINITY);
    let within = contact(&a.shape, &pose_a, &b.shape, &pose_b, prediction);
    let apart = distance(&a.shape, &pose_a, &b.shape, &pose_b);
    let meets = intersects(&a.shape, &pose_a, &b.shape, &pose_b);
    let mut list = Vec::new();
    manifolds(&a.shape, &pose_a, &b.shape, &pose_b, prediction, &mut ManifoldCache::new(), &mut list);
    let is_finite = [pose_a, pose_b].iter().all(|p| p.rotation.is_finite() && p.translation.is_finite());
    let size = reach(&a.shape) + reach(&b.shape) + reach_of(&pose_a) + reach_of(&pose_b);
    if !(is_finite && 1e-12 < size && size < 1e12) {
        return;
    }
    let fields = (&a.what, b.baked.as_ref().map(|b| &b.what));
    let context = || format!("{fields:?} {pose_a:?} {:?} {pose_b:?} {prediction}", b.shape);
    let slack = ROUNDED * size;
    let Some(near) = near else {
        // A field without a place near its surface is nowhere.
        assert!(apart.distance.is_infinite() && !meets && within.is_none(), "{apart:?} {}", context());
        return;
    };
    let doubt = doubt(near.outcome) + slack;
    let signed = f64::from(near.contact.distance);
    assert!(near.contact.normal.is_normalized(), "{near:?} {}", context());
    assert!(near.contact.point_a.is_finite() && near.contact.point_b.is_finite(), "{near:?} {}", context());
    // The queries agree with each other.
    assert!((f64::from(apart.distance) - signed.max(0.0)).abs() <= doubt, "{apart:?} {near:?} {}", context());
    assert!(!meets || signed <= doubt, "{near:?} {}", context());
    assert!(meets || -doubt <= signed, "{near:?} {}", context());
    match within {
        Some(within) => {
            assert!(within.contact.distance <= prediction, "{within:?} {}", context());
            let other = f64::from(within.contact.distance);
            let doubt = doubt + self::doubt(within.outcome);
            assert!((other - signed).abs() <= doubt, "{within:?} {near:?} {}", context());
        }
        // A prediction of NaN finds nothing.
        None => assert!(!(signed + doubt < f64::from(prediction)), "{near:?} {}", context()),
    }
    // The shapes are exchanged.
    let swapped = distance(&b.shape, &pose_b, &a.shape, &pose_a);
    assert!(
        f64::from((swapped.distance - apart.distance).abs()) <= doubt + self::doubt(swapped.outcome),
        "{swapped:?} {apart:?} {}",
        context()
    );
    for contact in list.iter().flat_map(|manifold| manifold.contacts()) {
        assert!(contact.point_a.is_finite() && contact.point_b.is_finite(), "{contact:?} {}", context());
        assert!(contact.normal.is_normalized(), "{contact:?} {}", context());
        assert!(f64::from(contact.distance) <= f64::from(prediction) + doubt, "{contact:?} {}", context());
        // Contacts of two fields are those of tilted ones, each off by its own doubt.
        let doubt = if b.baked.is_some() { 2.0 * doubt } else { doubt };
        assert!(signed - doubt <= f64::from(contact.distance), "{contact:?} {near:?} {}", context());
    }

    let pair = Pair { a: &a, pose_a: &pose_a, b: &b, pose_b: &pose_b };
    check_samples(pair, signed, doubt, &mut bytes, &context);
    check_mesh(pair, &near, doubt, &context);
    check_ray_and_point(&a, &pose_a, &mut bytes);
    check_cast(pair, &mut bytes);
}

/// A field and another shape, at their poses.
#[derive(Clone, Copy)]
struct Pair<'a> {
    a: &'a Baked,
    pose_a: &'a Pose,
    b: &'a Other,
    pose_b: &'a Pose,
}

/// Relative to the size of the scene: what the rounding of poses and answers to `f32` adds.
const ROUNDED: f64 = 1e-5;

fn reach(shape: &Shape) -> f64 {
    if matches!(shape, Shape::HalfSpace(_)) {
        return 0.0;
    }
    let bounds = shape.aabb(&Pose::IDENTITY);
    f64::from(bounds.min.abs().max(bounds.max.abs()).max_element())
}

fn reach_of(pose: &Pose) -> f64 {
    pose.translation.as_dvec3().length()
}

fn doubt(outcome: Outcome) -> f64 {
    match outcome {
        Outcome::Exact => 0.0,
        Outcome::Within(doubt) => doubt,
        _ => f64::INFINITY,
    }
}

/// A box, a hull, any triangles, or a ball that is a function; dense or sparse, with a band or
/// without.
fn baked(bytes: &mut Bytes<'_>) -> Option<Baked> {
    let settings = BakeSettings::default()
        .with_resolution(1 + bytes.below(12) as u32)
        .with_band([2.0, 3.5, f32::INFINITY][bytes.below(3)])
        .with_max_nodes(40_000);
    let is_sparse = bytes.byte().is_multiple_of(2);
    let mesh = match bytes.below(4) {
        0 => box_mesh(bytes.sizes().as_vec3())?,
        1 => {
            let points: Vec<Vec3> = (0..4 + bytes.below(8)).map(|_| bytes.point_f32()).collect();
            let hull = ConvexHull::from_points(&points).ok()?;
            let triangles =
                (0..hull.n_faces() as u32).flat_map(|face| fan(hull.face_vertices(face))).collect();
            TriMesh::new(hull.vertices().to_vec(), triangles).ok()?
        }
        2 => {
            let n = 3 + bytes.below(6);
            let points: Vec<Vec3> = (0..n).map(|_| bytes.point_f32()).collect();
            let triangles = (0..n).map(|_| [(); 3].map(|()| bytes.below(n) as u32)).collect();
            TriMesh::new(points, triangles).ok()?
        }
        _ => {
            // The box contains the ball, if there is one.
            let radius = bytes.size();
            let reach = bytes.sizes().abs().max(DVec3::splat(radius));
            let ball = |p: DVec3| p.length() - radius;
            let field = SdfGrid::from_function(-reach, reach, &settings, Accuracy::Exact, ball).ok()?;
            return Some(Baked::new(field, None));
        }
    };
    Some(if is_sparse {
        Baked::new(SparseSdf::from_mesh(&mesh, &settings).ok()?, Some(mesh))
    } else {
        Baked::new(SdfGrid::from_mesh(&mesh, &settings).ok()?, Some(mesh))
    })
}

impl Baked {
    fn new<F: Field + Send + 'static>(field: F, mesh: Option<TriMesh>) -> Baked {
        let is_known = field.sign_method().is_certain() || !field.sign_method().is_signed();
        let band = f64::from(field.band());
        let what = format!("{:?} {band} {:?} {:?}", field.grid(), field.sign_method(), field.accuracy());
        let field = Arc::new(FieldShape::new(field));
        let mesh = mesh.filter(|_| is_known).and_then(|mesh| MeshShape::new(mesh).ok());
        let mesh = mesh.map(|mesh| Shape::Mesh(Arc::new(mesh)));
        Baked { shape: Shape::Field(field.clone()), field, mesh, band, what }
    }
}

/// The triangles of a convex polygon.
fn fan(polygon: &[u32]) -> Vec<[u32; 3]> {
    polygon[1..].windows(2).map(|edge| [polygon[0], edge[0], edge[1]]).collect()
}

fn box_mesh(half: Vec3) -> Option<TriMesh> {
    let sign = |corner: u32, bit: u32| if corner & bit == 0 { -1.0 } else { 1.0 };
    let corner = |i: u32| half * Vec3::new(sign(i, 1), sign(i, 2), sign(i, 4));
    let sides = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = sides.into_iter().flat_map(|side| fan(&side)).collect();
    TriMesh::new((0..8).map(corner).collect(), triangles).ok()
}

/// A shape of each kind that a field distinguishes.
fn other(bytes: &mut Bytes<'_>) -> Option<Other> {
    let size = |bytes: &mut Bytes<'_>| bytes.size() as f32;
    let (shape, core, margin): (Shape, Core, f32) = match bytes.below(8) {
        0 => {
            let ball = Sphere::new(size(bytes)).ok()?;
            (Shape::Sphere(ball), Core::Convex(Box::new(Sphere::new(0.0).ok()?)), ball.radius())
        }
        1 => {
            let capsule = Capsule::new(size(bytes), size(bytes)).ok()?;
            let half = Vec3::Y * capsule.half_height();
            let axis = Segment::new(-half, half).ok()?;
            (Shape::Capsule(capsule), Core::Convex(Box::new(axis)), capsule.radius())
        }
        2 | 3 => {
            let cuboid = Cuboid::new(bytes.sizes().as_vec3()).ok()?;
            (Shape::Cuboid(cuboid), Core::Convex(Box::new(cuboid)), 0.0)
        }
        4 => {
            let ellipsoid = Ellipsoid::new(bytes.sizes().as_vec3()).ok()?;
            (Shape::Ellipsoid(ellipsoid), Core::Convex(Box::new(ellipsoid)), 0.0)
        }
        5 => (Shape::HalfSpace(HalfSpace::new(bytes.point_f32()).ok()?), Core::Unknown, 0.0),
        6 => {
            let n = 3 + bytes.below(6);
            let points: Vec<Vec3> = (0..n).map(|_| bytes.point_f32()).collect();
            let triangles = (0..n).map(|_| [(); 3].map(|()| bytes.below(n) as u32)).collect();
            let mesh = TriMesh::new(points, triangles).ok()?;
            let corners = mesh.iter_corners().collect();
            (Shape::Mesh(Arc::new(MeshShape::new(mesh).ok()?)), Core::Corners(corners), 0.0)
        }
        _ => {
            let baked = baked(bytes)?;
            let shape = baked.shape.clone();
            return Some(Other { shape, core: Core::Unknown, margin: 0.0, baked: Some(baked) });
        }
    };
    Some(Other { shape, core, margin: f64::from(margin), baked: None })
}

impl Other {
    /// A point of the core, in its own frame.
    fn point(&self, bytes: &mut Bytes<'_>) -> Option<DVec3> {
        let corners: [DVec3; 3] = match &self.core {
            Core::Convex(map) => [(); 3].map(|()| map.support(bytes.point()).point),
            Core::Corners(all) => all[bytes.below(all.len())],
            Core::Unknown => return None,
        };
        let [s, t] = [(); 2].map(|()| f64::from(bytes.byte()) / 255.0);
        let point = corners[0].lerp(corners[1].lerp(corners[2], s), t);
        point.is_finite().then_some(point)
    }
}

/// Checks that no sample at a point of the other shape is below the answer, up to the gap that the
/// search left open.
fn check_samples(
    Pair { a, pose_a, b, pose_b }: Pair<'_>,
    signed: f64,
    doubt: f64,
    bytes: &mut Bytes<'_>,
    context: &dyn Fn() -> String,
) {
    let b_in_a = pose_b.wide().relative_to(&pose_a.wide());
    let left_open = doubt - a.field.error_bound();
    for _ in 0..32 {
        let Some(point) = b.point(bytes) else { return };
        let position = b_in_a.transform_point(point);
        let Some(sample) = a.field.sample(position) else { continue };
        let value = sample.distance - b.margin;
        assert!(signed <= value + left_open, "{value} at {position}, {signed}: {}", context());
    }
}

/// Checks that the distance is that of the mesh if they are apart. If they overlap, the reported
/// point must have the reported depth.
fn check_mesh(
    Pair { a, pose_a, b, pose_b }: Pair<'_>,
    near: &carom_query::PairContact,
    doubt: f64,
    context: &dyn Fn() -> String,
) {
    let mesh_b = match &b.baked {
        Some(baked) => baked.mesh.as_ref(),
        None => Some(&b.shape),
    };
    let (Some(mesh_a), Some(mesh_b)) = (&a.mesh, mesh_b) else { return };
    let signed = f64::from(near.contact.distance);
    if matches!(b.shape, Shape::HalfSpace(_)) {
        // Its depth is that of the lowest corner.
        let exact = contact(mesh_a, pose_a, mesh_b, pose_b, f32::INFINITY).unwrap();
        let error = f64::from(exact.contact.distance) - signed;
        assert!(error.abs() <= doubt, "{exact:?} {near:?} {}", context());
        return;
    }
    let exact = distance(mesh_a, pose_a, mesh_b, pose_b);
    let (least, doubt) = (f64::from(exact.distance), doubt + self::doubt(exact.outcome));
    assert!(signed <= least + doubt, "{exact:?} {near:?} {}", context());
    if 0.0 < signed {
        assert!(least <= signed + doubt, "{exact:?} {near:?} {}", context());
        return;
    }
    let core = near.contact.point_b + near.contact.normal * b.margin as f32;
    if b.baked.is_none()
        && let Some(found) = project_point(mesh_a, pose_a, core)
        && found.inside.is_some()
    {
        let depth = f64::from(found.distance) - b.margin;
        let is_cut = f64::from(found.distance) < -a.band;
        assert!(depth <= signed + doubt, "{found:?} {near:?} {}", context());
        assert!(is_cut || signed <= depth + doubt, "{found:?} {near:?} {}", context());
    }
}

/// Checks that samples along the ray change their sign at hits, and that the nearest point is as
/// near as that of the mesh.
fn check_ray_and_point(a: &Baked, pose: &Pose, bytes: &mut Bytes<'_>) {
    let ray = Ray::new(bytes.point_f32(), bytes.point_f32());
    let mut all = Vec::new();
    cast_ray_all(&a.shape, pose, &ray, Interval::BOTH, &mut all);
    let first = cast_ray(&a.shape, pose, &ray, Interval::BOTH);
    let found = project_point(&a.shape, pose, ray.origin);
    let size = reach(&a.shape) + reach_of(pose) + ray.origin.as_dvec3().length();
    let speed = ray.direction.as_dvec3().length();
    if !(1e-12 < size && size < 1e12) {
        return;
    }
    let context = || format!("{:?} {pose:?} {ray:?}", a.shape);
    let slack = ROUNDED * size;
    assert_eq!(first.as_ref(), all.first(), "{}", context());
    if let Some(found) = found {
        assert!(found.point.is_finite() && !found.distance.is_nan(), "{found:?} {}", context());
        if let Some(exact) = a.mesh.as_ref().and_then(|mesh| project_point(mesh, pose, ray.origin)) {
            let (distance, truth) = (f64::from(found.distance), f64::from(exact.distance));
            let doubt = a.field.error_bound() + tol::FIELD_SEARCH * a.field.resolution() + slack;
            let is_cut = truth < -a.band;
            let error = if found.inside.is_some() && exact.inside.is_some() {
                distance - truth
            } else {
                distance.abs() - truth.abs()
            };
            assert!(error.abs() <= doubt || is_cut, "{found:?} {exact:?} {}", context());
        }
    }
    if !(1e-6 < speed / size && speed / size < 1e6) {
        return;
    }
    let pose_a = pose.wide();
    let origin = pose_a.inverse_transform_point(ray.origin.as_dvec3());
    let direction = pose_a.inverse_transform_vector(ray.direction.as_dvec3());
    let [low, high] = a.field.bounds();
    // Times at which the line is near the field.
    let (middle, half) = ((low + high) * 0.5, 0.5 * (high - low).length());
    let closest = (middle - origin).dot(direction) / (speed * speed);
    for i in 0..64 {
        let t = closest + (f64::from(i) / 31.5 - 1.0) * 1.1 * half / speed;
        let sample = a.field.sample(origin + direction * t);
        if sample.is_some_and(|sample| sample.distance.abs() <= slack) {
            continue;
        }
        let is_inside = sample.is_some_and(|sample| sample.distance <= 0.0);
        // A line that leaves the grid leaves the solid, and one at its border may be on either
        // side.
        let is_near = all.iter().any(|hit| (f64::from(hit.t) - t).abs() * speed <= slack);
        let n_before = all.iter().filter(|hit| f64::from(hit.t) <= t).count();
        assert!(is_near || is_inside == (n_before % 2 == 1), "{t} {all:?} {}", context());
    }
}

/// Checks that contacts before the time of impact are above 0, and near 0 at it.
fn check_cast(Pair { a, pose_a, b, pose_b }: Pair<'_>, bytes: &mut Bytes<'_>) {
    let mut turn = || if bytes.byte().is_multiple_of(2) { Vec3::ZERO } else { bytes.point_f32() };
    let turns = [turn(), turn()];
    // Any displacement, or one that leads to the field.
    let to_field = (pose_a.translation - pose_b.translation) * 1.5;
    let linear = if bytes.byte().is_multiple_of(4) { bytes.point_f32() } else { to_field };
    let still = motion_of(pose_a, Vec3::ZERO, Vec3::ZERO, turns[0]);
    let moving = motion_of(pose_b, Vec3::ZERO, linear, turns[1]);
    let (Ok(still), Ok(moving)) = (still, moving) else { return };
    let found = cast(&a.shape, &still, &b.shape, &moving, &ImpactSettings::default());
    let size = reach(&a.shape)
        + reach(&b.shape)
        + reach_of(pose_a)
        + reach_of(pose_b)
        + linear.as_dvec3().length()
        + if matches!(b.shape, Shape::HalfSpace(_)) { 1.0 } else { 0.0 };
    let turns: f32 = turns.iter().map(|turn| turn.length()).sum();
    if !(1e-12 < size && size < 1e12 && turns < 100.0) {
        return;
    }
    let context = || format!("{found:?} {:?} {still:?} {:?} {moving:?}", a.shape, b.shape);
    let slack = ROUNDED * size * f64::from(1.0 + turns);
    let at = |t: f64| {
        let [pose_a, pose_b] = [&still, &moving].map(|motion| {
            let pose = motion.pose_at(t);
            let turn = glam::DQuat::from_mat3(&pose.rotation).normalize().as_quat();
            Pose::new(turn, pose.translation.as_vec3())
        });
        contact(&a.shape, &pose_a, &b.shape, &pose_b, f32::INFINITY)
    };
    let error = a.field.error_bound() + b.baked.as_ref().map_or(0.0, |b| b.field.error_bound());
    let free = match &found {
        TimeOfImpact::Hit(hit) => {
            assert!(0.0 <= hit.t_lo && hit.t_lo <= hit.t_hi && hit.t_hi <= 1.0, "{}", context());
            if let Some(near) = at(hit.t_hi) {
                let least = f64::from(near.contact.distance) - doubt(near.outcome);
                let tolerance = tol::FIELD_SEARCH * a.field.resolution();
                assert!(least <= error + tolerance + slack, "{near:?} {}", context());
            }
            hit.t_lo
        }
        TimeOfImpact::Clear(_) => 1.0,
        TimeOfImpact::Undecided(undecided) => undecided.t_safe,
    };
    // Two fields are compared at one point or at two, which differ by both errors.
    let doubt = slack + if b.baked.is_some() { error } else { 0.0 };
    for i in 0..8 {
        let t = free * f64::from(i) / 8.0;
        if t == free {
            break;
        }
        if let Some(near) = at(t) {
            assert!(-doubt <= f64::from(near.contact.distance), "{near:?} at {t} {}", context());
        }
    }
}
