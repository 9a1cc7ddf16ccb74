//! `carom ray`: where a line meets a mesh or a shape.

use crate::args::RayArgs;
use crate::load;
use crate::report::{self, Found, spaced};
use crate::solid::{self, ShapeSpec, Solid};
use carom_io::Placement;
use carom_math::f64::{Interval, Ray};
use carom_query::f64::{ray_cast, ray_cast_all};
use glam::DVec3;
use serde_json::{Map, Value, json};

/// Where a ray meets one of several solids.
pub struct Hit {
    /// Along the ray, in lengths of its direction.
    pub t: f64,
    /// Number of the triangle; `None` for a shape that is no mesh.
    pub triangle: Option<u32>,
    /// Unit vector out of the surface.
    pub normal: DVec3,
}

/// Runs the command.
pub fn run(args: &RayArgs) -> Result<Found, String> {
    let direction = DVec3::from_array(args.dir.0);
    if direction == DVec3::ZERO {
        return Err("--dir: the direction is zero".to_owned());
    }
    let ray = Ray::new(DVec3::from_array(args.from.0), direction);
    let interval = if args.both { Interval::BOTH } else { Interval::FORWARD };
    let solids: Vec<(Option<String>, Solid)> = match &args.file.0 {
        ShapeSpec::File(file) => {
            let model = load::load(file).map_err(|e| e.to_string())?;
            let has_parts = 1 < model.parts.len();
            let bake = |part| -> Result<Solid, String> {
                let mesh = solid::bake_part(part).map_err(|e| format!("{}: {e}", file.display()))?;
                Ok(Solid::baked(mesh, DVec3::ZERO))
            };
            model
                .parts
                .iter()
                .map(|part| Ok((has_parts.then(|| part.name.clone()), bake(part)?)))
                .collect::<Result<_, String>>()?
        }
        spec => vec![(None, solid::build(spec, 1.0, &Placement::IDENTITY)?)],
    };
    let mut hits: Vec<(Option<&str>, Hit)> = Vec::new();
    for (part, solid) in &solids {
        hits.extend(cast(solid, &ray, interval, args.all).into_iter().map(|hit| (part.as_deref(), hit)));
    }
    if args.all {
        hits.sort_by(|x, y| x.1.t.total_cmp(&y.1.t));
    } else {
        hits.sort_by(|x, y| nearer(x.1.t, y.1.t));
        hits.truncate(1);
    }
    if args.json {
        let hits: Vec<Value> = hits.iter().map(|(part, hit)| hit_members(hit, *part).into()).collect();
        report::print(&json!({"schema": "carom.ray.v1", "hits": hits}).to_string())?;
    } else if hits.is_empty() {
        report::print("no hit")?;
    } else {
        for (part, hit) in &hits {
            let part = part.map_or(String::new(), |p| format!("{p}, "));
            let triangle = hit.triangle.map_or(String::new(), |t| format!("triangle {t}, "));
            let (point, normal) = (spaced(ray.at(hit.t)), spaced(hit.normal));
            report::print(&format!("t {}: {part}{triangle}at {point}, normal {normal}", hit.t))?;
        }
    }
    Ok(if hits.is_empty() { Found::Nothing } else { Found::Something })
}

/// The hits of a ray with one solid, in order of t; without `is_all` the first alone, which for a line that runs
/// both ways is the one nearest to the origin.
pub fn cast(solid: &Solid, ray: &Ray, interval: Interval, is_all: bool) -> Vec<Hit> {
    let is_mesh = solid.mesh().is_some();
    let hit =
        |h: carom_geom::f64::RayHit| Hit { t: h.t, triangle: is_mesh.then_some(h.part), normal: h.normal };
    if is_all || interval == Interval::BOTH {
        let mut found = Vec::new();
        ray_cast_all(&solid.shape, &solid.pose, ray, interval, &mut found);
        let mut hits: Vec<Hit> = found.into_iter().map(hit).collect();
        if !is_all {
            hits.sort_by(|a, b| nearer(a.t, b.t));
            hits.truncate(1);
        }
        hits
    } else {
        ray_cast(&solid.shape, &solid.pose, ray, interval).map(hit).into_iter().collect()
    }
}

/// Nearer to the origin first, on either side.
fn nearer(a: f64, b: f64) -> core::cmp::Ordering {
    a.abs().total_cmp(&b.abs()).then(a.total_cmp(&b))
}

/// A hit as JSON.
pub fn hit_members(hit: &Hit, part: Option<&str>) -> Map<String, Value> {
    let mut members = Map::new();
    members.insert("t".to_owned(), json!(hit.t));
    if let Some(part) = part {
        members.insert("part".to_owned(), json!(part));
    }
    if let Some(triangle) = hit.triangle {
        members.insert("triangle".to_owned(), json!(triangle));
    }
    members.insert("normal".to_owned(), report::list(hit.normal));
    members
}
