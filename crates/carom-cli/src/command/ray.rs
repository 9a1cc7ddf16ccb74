//! `carom ray`: where a line meets a mesh or a shape.

use crate::args::RayArgs;
use crate::load;
use crate::remarks::Remarks;
use crate::report::{self, Outcome, spaced};
use crate::solid::{self, ShapeSpec, Solid, Winding};
use carom_geom::barycentric;
use carom_io::{Part, Placement, without_controls};
use carom_math::f64::{Interval, Ray};
use carom_query::QueryCost;
use carom_query::f64::{cast_ray_all_counted, cast_ray_counted};
use glam::DVec3;
use serde_json::{Map, Value, json};

/// A hit of a ray with one of several solids.
pub struct Hit {
    /// Position along the ray, in lengths of its direction.
    pub t: f64,
    /// Index of the triangle; `None` for a shape that is not a mesh.
    pub triangle: Option<u32>,
    /// Unit vector out of the surface.
    pub normal: DVec3,
    /// Weights of the triangle's corners; `None` for a shape that is not a mesh.
    pub barycentric: Option<[f64; 3]>,
    /// Whether the ray meets the surface from behind.
    pub is_back_face: bool,
}

/// Runs the command.
pub fn run(args: &RayArgs, winding: Winding) -> Result<Outcome, String> {
    let direction = DVec3::from_array(args.dir.0);
    if direction == DVec3::ZERO {
        return Err("--dir: the direction is zero".to_owned());
    }
    let ray = Ray::new(DVec3::from_array(args.from.0), direction);
    let interval = if args.both { Interval::BOTH } else { Interval::FORWARD };
    let mut remarks = Remarks::default();
    let options = args.reading.options(false);
    let solids: Vec<(Option<String>, Solid)> = match &args.file.0 {
        ShapeSpec::File(file) => {
            let model = load::load(file, &options, &mut remarks).map_err(|e| e.to_string())?;
            let has_parts = 1 < model.parts.len();
            let name = |part: &Part| has_parts.then(|| part.name.clone());
            model
                .parts
                .iter()
                .map(|part| {
                    Ok((name(part), Solid::of_part(part, &load::full_name(file, part, has_parts), winding)?))
                })
                .collect::<Result<_, String>>()?
        }
        spec => {
            vec![(None, solid::build_with(spec, 1.0, &Placement::IDENTITY, winding, &options)?)]
        }
    };
    let mut hits: Vec<(Option<&str>, Hit)> = Vec::new();
    let mut cost = QueryCost::default();
    for (part, solid) in &solids {
        remarks.add(&solid.remarks);
        let mut found = cast(solid, &ray, interval, args.all, &mut cost);
        if !args.raw {
            found = merged(found, solid, &ray);
        }
        note_normals(&found, solid, &mut remarks);
        hits.extend(found.into_iter().map(|hit| (part.as_deref(), hit)));
    }
    remarks.print();
    if args.all {
        hits.sort_by(|x, y| x.1.t.total_cmp(&y.1.t));
    } else {
        hits.sort_by(|x, y| nearer(x.1.t, y.1.t));
        hits.truncate(1);
    }
    let mut document = Map::new();
    if args.cost {
        document.insert("cost".to_owned(), report::cost_members(&cost));
    }
    let cost = report::cost_line(&document);
    if args.json {
        let hits: Vec<Value> = hits.iter().map(|(part, hit)| hit_members(hit, *part).into()).collect();
        document.insert("schema".to_owned(), json!("carom.ray.v1"));
        document.insert("hits".to_owned(), json!(hits));
        remarks.add_to(&mut document);
        report::print(&Value::Object(document).to_string())?;
    } else if hits.is_empty() {
        report::print("no hit")?;
    } else {
        for (part, hit) in &hits {
            let part = part.map_or(String::new(), |p| format!("{}, ", without_controls(p)));
            let triangle = hit.triangle.map_or(String::new(), |t| format!("triangle {t}, "));
            let (point, normal) = (spaced(ray.at(hit.t)), spaced(hit.normal));
            let t = report::number(hit.t);
            report::print(&format!("t {t}: {part}{triangle}at {point}, normal {normal}"))?;
        }
    }
    if let Some(cost) = cost.filter(|_| !args.json) {
        report::print(&cost)?;
    }
    Ok(remarks.outcome(!hits.is_empty()))
}

/// Adds a note that the normals of hits on a mesh without an inside are those of its triangles.
pub fn note_normals(hits: &[Hit], solid: &Solid, remarks: &mut Remarks) {
    if hits.is_empty() {
        return;
    }
    if let Some(why) = solid.ambiguity() {
        remarks.note(format!("{why}: normals are as the triangles face"));
    }
}

/// Returns the hits of a ray with one solid, in order of t, and adds the cost to `cost`. Without
/// `is_all` it returns only the first. For a line that runs both ways, that is the one nearest to
/// the origin.
pub fn cast(solid: &Solid, ray: &Ray, interval: Interval, is_all: bool, cost: &mut QueryCost) -> Vec<Hit> {
    let hit = |h: carom_geom::f64::RayHit| {
        let triangle = solid.mesh().map(|_| h.part);
        let barycentric =
            solid.mesh().and_then(|mesh| barycentric(&mesh.mesh().corners(h.part), ray.at(h.t)));
        Hit { t: h.t, triangle, normal: h.normal, barycentric, is_back_face: h.is_back_face }
    };
    if is_all || interval == Interval::BOTH {
        let mut found = Vec::new();
        cast_ray_all_counted(&solid.shape, &solid.pose, ray, interval, &mut found, cost);
        let mut hits: Vec<Hit> = found.into_iter().map(hit).collect();
        if !is_all {
            hits.sort_by(|a, b| nearer(a.t, b.t));
            hits.truncate(1);
        }
        hits
    } else {
        cast_ray_counted(&solid.shape, &solid.pose, ray, interval, cost).map(hit).into_iter().collect()
    }
}

/// Merges the hits on a mesh into one for each crossing. Triangles met at one place from one side,
/// as at an edge or a corner, become one hit. The triangle with the lowest index stands for all.
pub fn merged(hits: Vec<Hit>, solid: &Solid, ray: &Ray) -> Vec<Hit> {
    let Some(mesh) = solid.mesh() else { return hits };
    let (min, max) = mesh.mesh().wide_bounds();
    let size = min.abs().max(max.abs()).max_element().max(ray.origin.abs().max_element());
    // The rounding error of t, with room: 2^-40 of the largest coordinate.
    let room = size / ray.direction.length() / (1_u64 << 40) as f64;
    let mut merged: Vec<Hit> = Vec::with_capacity(hits.len());
    for hit in hits {
        let same = merged.iter_mut().rev().take_while(|other| (other.t - hit.t).abs() <= room);
        match same.into_iter().find(|other| other.is_back_face == hit.is_back_face) {
            Some(other) if hit.triangle < other.triangle => *other = Hit { t: other.t, ..hit },
            Some(_) => {}
            None => merged.push(hit),
        }
    }
    merged
}

/// Orders by the distance from the origin, on either side.
fn nearer(a: f64, b: f64) -> core::cmp::Ordering {
    a.abs().total_cmp(&b.abs()).then(a.total_cmp(&b))
}

/// Returns a hit as JSON members.
pub fn hit_members(hit: &Hit, part: Option<&str>) -> Map<String, Value> {
    let mut members = Map::new();
    members.insert("t".to_owned(), json!(hit.t));
    if let Some(part) = part {
        members.insert("part".to_owned(), json!(part));
    }
    if let Some(triangle) = hit.triangle {
        members.insert("triangle".to_owned(), json!(triangle));
    }
    if let Some(barycentric) = hit.barycentric {
        members.insert("barycentric".to_owned(), json!(barycentric));
    }
    members.insert("normal".to_owned(), report::list(hit.normal));
    members
}
