//! Rays of one precision, compiled for `f32` and again for `f64`. The module around it has the
//! names of the types.

use super::super::{BRUTE, CHUNK, Closed, Count, MAX_PRINTED, files};
use super::{Vec3, geom, math, narrow, narrow_turn, query, widen};
use carom_geom::ray_mesh::{self, Placement};
use carom_testkit::random::Random;
use glam::DVec3;

pub(in super::super) struct Body {
    pub(in super::super) closed: Closed,
    mesh: query::MeshShape,
    shape: query::Shape,
}

/// Returns the meshes of the real data that bound a solid in this precision.
pub(in super::super) fn bodies() -> Vec<Body> {
    let closed = files().into_iter().filter_map(|(name, data)| {
        let vertices: Vec<Vec3> = data.vertices.iter().map(|p| narrow(*p)).collect();
        let mesh = geom::TriMesh::new(vertices, data.indices).ok()?;
        if !mesh.is_solid() {
            return None;
        }
        let wide: Vec<DVec3> = mesh.vertices().iter().map(|p| widen(*p)).collect();
        let closed = Closed::new(name, mesh.iter_corners().collect(), wide, mesh.indices())?;
        if !narrow(DVec3::splat(100.0 * closed.radius)).is_finite() {
            println!("{} is passed over: poses take it beyond the numbers of this precision", closed.name);
            return None;
        }
        let mesh = query::MeshShape::new(mesh).ok()?;
        let shape = query::Shape::Mesh(std::sync::Arc::new(mesh.clone()));
        Some(Body { closed, mesh, shape })
    });
    closed.collect()
}

pub(in super::super) fn run(
    body: &Body,
    first: u64,
    random: &mut Random,
    count: &mut Count,
    failures: &mut Vec<String>,
) {
    let mut hits = Vec::new();
    for number in first..first + CHUNK {
        ray(body, number, random, count, failures, &mut hits);
    }
}

fn ray(
    body: &Body,
    number: u64,
    random: &mut Random,
    count: &mut Count,
    failures: &mut Vec<String>,
    hits: &mut Vec<geom::RayHit>,
) {
    let closed = &body.closed;
    let turn = glam::DQuat::from_xyzw(
        random.range(-1.0, 1.0),
        random.range(-1.0, 1.0),
        random.range(-1.0, 1.0),
        random.range(-1.0, 1.0),
    );
    let shift = random.cube_point() * (closed.radius * [0.0, 1.0, 10.0][random.below(3)]);
    let pose = if random.below(8) == 0 || turn.length_squared() < 0.01 {
        math::Pose::IDENTITY
    } else {
        math::Pose::new(narrow_turn(turn.normalize()), narrow(shift))
    };
    let wide = pose.wide();
    let (target, is_corner) = closed.target(number, random);
    let target = narrow(wide.transform_point(target));
    let is_inside = random.below(2) == 0;
    let (start, winding) = if is_inside {
        closed.inside[random.below(closed.inside.len())]
    } else {
        (closed.outside(random), 0)
    };
    let origin = narrow(wide.transform_point(start));
    let ray = math::Ray::new(origin, (target - origin) * [1.0, 0.3, 7.0][random.below(3)]);
    let forward = math::Interval::FORWARD;
    let mut fail = |what: &str, n: &mut u64| {
        *n += 1;
        if failures.len() < MAX_PRINTED {
            failures.push(format!(
                "{} {}: {what}: {pose:?} {ray:?}",
                closed.name,
                std::any::type_name::<Vec3>()
            ));
        }
    };
    if is_inside {
        count.from_inside += 1;
    } else {
        count.from_outside += 1;
    }
    count.at_corners += u64::from(is_corner);

    hits.clear();
    query::ray_crossings(&body.mesh, &pose, &ray, forward, hits);
    let (n_crossings, sum) = (hits.len(), signed(hits));
    if sum != winding || n_crossings % 2 != winding.unsigned_abs() as usize % 2 {
        fail("crossings", &mut count.wrong);
    }
    hits.clear();
    query::cast_ray_all(&body.shape, &pose, &ray, forward, hits);
    let n_touches = hits.len();
    let found = query::cast_ray(&body.shape, &pose, &ray, forward);
    if is_inside && found.is_none() {
        fail("escape", &mut count.escapes);
    }
    if found != hits.first().copied() || n_touches < n_crossings {
        fail("first and all hits", &mut count.wrong);
    }
    let expected = if 0 < winding { Placement::Inside } else { Placement::Outside };
    if query::placement(&body.mesh, &pose, origin) != expected {
        fail("placement", &mut count.wrong);
    }
    if number.is_multiple_of(4) {
        // The segment from there to a point outside.
        let end = narrow(wide.transform_point(closed.outside(random)));
        let segment = math::Ray::new(origin, end - origin);
        hits.clear();
        query::ray_crossings(&body.mesh, &pose, &segment, math::Interval::new(0.0, 1.0), hits);
        if signed(hits) != winding {
            fail("segment", &mut count.wrong);
        }
    }
    if number.is_multiple_of(BRUTE) {
        count.brute += 1;
        // The same transform as in the queries, so that all triangles get the same line.
        let o = wide.inverse_transform_point(widen(ray.origin));
        let d = wide.inverse_transform_vector(widen(ray.direction));
        let ahead = |hit: &ray_mesh::TriangleHit| 0.0 <= hit.t;
        let crosses = closed.corners.iter().filter_map(|t| ray_mesh::line_crosses(o, d, t));
        let touches = closed.corners.iter().filter_map(|t| ray_mesh::line_touches(o, d, t));
        if crosses.filter(ahead).count() != n_crossings || touches.filter(ahead).count() != n_touches {
            fail("the tree", &mut count.wrong);
        }
    }
}

/// Returns the number of outward crossings minus that of inward ones.
fn signed(hits: &[geom::RayHit]) -> i32 {
    hits.iter().map(|hit| if hit.is_back_face { 1 } else { -1 }).sum()
}
