//! `carom trace`: where a body that moves through a level first meets it, by a BSP tree with
//! shifted planes.

use crate::args::TraceArgs;
use crate::load;
use crate::remarks::Remarks;
use crate::report::{self, Outcome, counted, spaced};
use crate::solid::{self, Winding};
use carom_bsp::{Bevels, Body, Brush, BspError, BspSettings, BspTree, Contents, Point, Supported};
use carom_io::map::{self, Map as Level};
use carom_io::{Placement, without_controls};
use carom_query::f64::{Shape, ShapeKind};
use glam::{DMat3, DQuat, DVec3};
use serde_json::{Map, Value, json};

/// A convex shape and its rotation, as a body for the tree.
struct Turned {
    shape: Shape,
    rotation: DMat3,
}

impl Body for Turned {
    fn reach(&self, normal: DVec3) -> f64 {
        match self.shape.kind() {
            ShapeKind::Convex(shape) => Supported { shape, rotation: self.rotation }.reach(normal),
            // Other shapes are refused before.
            _ => 0.0,
        }
    }
}

/// Runs the command.
pub fn run(args: &TraceArgs) -> Result<Outcome, String> {
    let [from, to] = [args.from, args.to].map(|numbers| DVec3::from_array(numbers.0));
    let mut remarks = Remarks::default();
    let body = match &args.shape {
        None => None,
        Some(shape) => {
            let turn = args.turn.map_or(DQuat::IDENTITY, |turn| DQuat::from_array(turn.0));
            if !(turn.length() > 0.5 && turn.length() < 2.0) {
                return Err("--turn: the quaternion has to have the length 1".to_owned());
            }
            let options = args.reading.options(false);
            let solid = solid::build_with(&shape.0, 1.0, &Placement::IDENTITY, Winding::Kept, &options)?;
            if !solid.shape.is_convex() {
                let name = solid.shape.name();
                return Err(format!("--shape: a {name} is no convex body; hull:FILE is"));
            }
            remarks.add(&solid.remarks);
            Some(Turned { shape: solid.shape, rotation: DMat3::from_quat(turn.normalize()) })
        }
    };
    let (tree, mut level) = level(args, &mut remarks)?;
    remarks.print();
    let report = tree.report();
    level.insert("nodes".to_owned(), json!(report.nodes));
    level.insert("depth".to_owned(), json!(report.depth));
    level.insert("splits".to_owned(), json!(report.splits));
    level.insert("bevels".to_owned(), json!(report.bevels));
    let mut document = match &body {
        Some(body) => members(&tree, body, from, to),
        None => members(&tree, &Point, from, to),
    };
    let is_hit = document["hit"] == json!(true);
    if args.json {
        document.insert("schema".to_owned(), json!("carom.trace.v1"));
        document.insert("level".to_owned(), Value::Object(level));
        remarks.add_to(&mut document);
        report::print(&Value::Object(document).to_string())?;
    } else {
        report::print(&sentence(&document))?;
    }
    Ok(remarks.outcome(is_hit))
}

/// Builds the tree of a level. Returns it with JSON members on its input.
fn level(args: &TraceArgs, remarks: &mut Remarks) -> Result<(BspTree, Map<String, Value>), String> {
    let bevels = match args.bevels.as_str() {
        "none" => Bevels::None,
        "edges" => Bevels::Edges,
        _ => Bevels::All,
    };
    let settings = BspSettings::default().with_bevels(bevels);
    let mut of = Map::new();
    let is_map = args.level.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("map"));
    let said = |error: BspError| {
        let advice = match error {
            BspError::Entangled(_) => "; --max-splits raises the limit",
            _ => "",
        };
        format!("{}: {error}{advice}", args.level.display())
    };
    let limited = |n_faces: usize| match args.max_splits {
        Some(n) => settings.with_max_splits(n),
        None => settings.with_limits_for(n_faces),
    };
    if is_map {
        let read = map::read(&args.level).map_err(|e| e.to_string())?;
        let brushes = brushes(&read, args, remarks)?;
        of.insert("brushes".to_owned(), json!(brushes.len()));
        let settings = limited(brushes.iter().map(|brush| brush.faces().len()).sum());
        let tree = BspTree::from_brushes(&brushes, &settings).map_err(said)?;
        return Ok((tree, of));
    }
    let options = args.reading.options(args.keep_going);
    let model = load::load(&args.level, &options, remarks).map_err(|e| e.to_string())?;
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for part in &model.parts {
        let name = load::full_name(&args.level, part, 1 < model.parts.len());
        let mesh = part.world_mesh().map_err(|e| format!("{name}: {e}"))?;
        let first = vertices.len() as u32;
        vertices.extend(mesh.vertices);
        triangles.extend(mesh.triangles.iter().map(|t| t.map(|v| v + first)));
    }
    of.insert("triangles".to_owned(), json!(triangles.len()));
    let settings = limited(triangles.len());
    let build = |settings| BspTree::from_mesh(&vertices, &triangles, Contents::SOLID, settings);
    match build(&settings) {
        Err(error @ BspError::Open(_)) if args.keep_going => {
            remarks.unread.push(said(error));
            Ok((build(&settings.with_max_open(1.0)).map_err(said)?, of))
        }
        tree => Ok((tree.map_err(said)?, of)),
    }
}

/// Returns the brushes of a level, and adds remarks on what else is in it. A brush that cannot be
/// read is an error, or unread with `--keep-going`.
fn brushes(level: &Level, args: &TraceArgs, remarks: &mut Remarks) -> Result<Vec<Brush>, String> {
    let file = without_controls(&args.level.display().to_string());
    let (brushes, refused) = level.brushes(&args.level, map::usual_contents);
    if let (Some(first), false) = (refused.first(), args.keep_going) {
        return Err(first.to_string());
    }
    remarks.unread.extend(refused.iter().map(ToString::to_string));
    let mut blocks: Vec<(&str, usize, usize)> = Vec::new();
    for block in &level.unread {
        match blocks.iter_mut().find(|(name, ..)| *name == block.name) {
            Some((.., n)) => *n += 1,
            None => blocks.push((&block.name, block.line, 1)),
        }
    }
    for (name, line, n) in blocks {
        let name = if name.is_empty() { "without planes" } else { name };
        let more = if n == 1 { String::new() } else { format!(", and {} more", n - 1) };
        remarks.unread.push(format!("{file}: line {line}: a block {name} is not read{more}"));
    }
    let passed = |class: &str, entity: &map::Entity| {
        entity.brushes.iter().filter(|brush| map::usual_contents(class, brush).is_empty()).count()
    };
    let n_passed: usize = level.entities.iter().map(|entity| passed(entity.class(), entity)).sum();
    if 0 < n_passed {
        let n = counted(n_passed, "brush", "brushes");
        remarks.note(format!("{file}: {n} of triggers, hints and the like stop nothing and are left out"));
    }
    Ok(brushes)
}

/// Returns the answer of `trace` as JSON members, without the schema and the level.
fn members(tree: &BspTree, body: &impl Body, from: DVec3, to: DVec3) -> Map<String, Value> {
    let hit = tree.trace(body, from, to - from, Contents::SOLID);
    let starts_inside = hit.is_some_and(|hit| hit.starts_inside);
    let mut members = Map::new();
    members.insert("hit".to_owned(), json!(hit.is_some()));
    members.insert("fraction".to_owned(), json!(hit.map_or(1.0, |hit| hit.t)));
    members.insert("position".to_owned(), report::list(hit.map_or(to, |hit| hit.position)));
    let normal = hit.filter(|hit| !hit.starts_inside).map(|hit| report::list(hit.normal));
    members.insert("normal".to_owned(), normal.unwrap_or(Value::Null));
    members.insert("start_solid".to_owned(), json!(starts_inside));
    if starts_inside {
        let free = tree.nearest_free(body, from, Contents::SOLID);
        members.insert("free".to_owned(), free.map_or(Value::Null, report::list));
    }
    members
}

/// Returns the answer as text for people.
fn sentence(d: &Map<String, Value>) -> String {
    let vector = |key: &str| {
        let x = |i: usize| d[key][i].as_f64().unwrap_or(f64::NAN);
        spaced(DVec3::new(x(0), x(1), x(2)))
    };
    if d["hit"] != json!(true) {
        return format!("no hit: free to {}", vector("position"));
    }
    if d["start_solid"] == json!(true) {
        return match &d["free"] {
            Value::Null => "starts in the level; no free place was found".to_owned(),
            _ => format!("starts in the level; free at {}", vector("free")),
        };
    }
    let fraction = report::number(d["fraction"].as_f64().unwrap_or(f64::NAN));
    format!("hit at {fraction} of the way, at {}, normal {}", vector("position"), vector("normal"))
}
