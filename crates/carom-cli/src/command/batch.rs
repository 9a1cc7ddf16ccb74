//! `carom batch`: a question in JSON on each line, an answer in JSON on each line, in order.
//!
//! A bad line gets an error as its answer and does not end the run. Answers are flushed when no
//! further question waits, so that another program can write and read in turn.

use crate::args::BatchArgs;
use crate::batch_shape::{Shapes, check_members};
use crate::command::{ray, sweep};
use crate::remarks::Remarks;
use crate::report::{self, Outcome};
use crate::solid::{Solid, Winding};
use carom_ccd::{Element, ElementSettings};
use carom_io::scene_json::{read_in_rows, read_numbers};
use carom_math::f64::{Interval, Ray};
use carom_math::tol;
use carom_query::QueryCost;
use carom_query::f64::{intersects_counted, project_point_counted};
use glam::DVec3;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};

/// The most bytes of a line. A longer line is cut, which gives an error: a mesh of millions of
/// triangles belongs in a file.
const MAX_LINE_BYTES: u64 = 1 << 30;

/// Runs the command.
pub fn run(args: &BatchArgs, winding: Winding) -> Result<Outcome, String> {
    let input: Box<dyn Read> = match &args.file {
        Some(path) => Box::new(File::open(path).map_err(|e| format!("{}: {e}", path.display()))?),
        None => Box::new(std::io::stdin()),
    };
    let mut reader = BufReader::new(input);
    let mut out = BufWriter::new(std::io::stdout().lock());
    match answer_all(&mut reader, &mut out, winding) {
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(Outcome::Nothing),
        Err(e) => Err(format!("batch: {e}")),
        Ok(()) => Ok(Outcome::Nothing),
    }
}

/// Answers every line.
pub fn answer_all(
    reader: &mut BufReader<impl Read>,
    out: &mut impl Write,
    winding: Winding,
) -> std::io::Result<()> {
    let mut shapes = Shapes::new(winding);
    let mut line = Vec::new();
    let mut number = 0u64;
    loop {
        line.clear();
        if reader.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line)? == 0 {
            return out.flush();
        }
        number += 1;
        if line.trim_ascii().is_empty() {
            continue;
        }
        // Editors may put a byte order mark before the first line.
        let mark: &[u8] = if number == 1 { b"\xef\xbb\xbf" } else { b"" };
        let answer = answer_line(line.strip_prefix(mark).unwrap_or(&line), number, &mut shapes);
        answer.write(out)?;
        if reader.buffer().is_empty() {
            out.flush()?;
        }
    }
}

/// The answer to one line.
struct Answer<'a> {
    /// As it is written in the question: a number may have more digits than a [`Value`] holds.
    id: Option<&'a RawValue>,
    /// The other members, at least one.
    members: Map<String, Value>,
}

impl Answer<'_> {
    fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        let id = self.id.map_or("null", RawValue::get);
        let members = serde_json::to_string(&self.members)?;
        writeln!(out, "{{\"id\":{id},{}", members.trim_start_matches('{'))
    }
}

/// Returns the answer to one line.
fn answer_line<'a>(line: &'a [u8], number: u64, shapes: &mut Shapes) -> Answer<'a> {
    let refused = |id, error: String| {
        let error = error.split_whitespace().collect::<Vec<_>>().join(" ");
        Answer { id, members: Map::from_iter([("error".to_owned(), json!(error))]) }
    };
    let at_line = |e: serde_json::Error| refused(None, format!("line {number}: {e}"));
    let question: Value = match serde_json::from_slice(line) {
        Ok(question) => question,
        Err(e) => return at_line(e),
    };
    if !question.is_object() {
        return refused(None, "not an object".to_owned());
    }
    let id = match serde_json::from_slice::<HashMap<String, &RawValue>>(line) {
        Ok(members) => members.get("id").copied(),
        Err(e) => return at_line(e),
    };
    match answer(&question, shapes) {
        Ok(members) => Answer { id, members },
        Err(error) => refused(id, error),
    }
}

fn answer(question: &Value, shapes: &mut Shapes) -> Result<Map<String, Value>, String> {
    let op = question.get("op").and_then(Value::as_str).ok_or("no \"op\"")?;
    check_members(question, &members_of(op)?)?;
    let wants = |key: &str| match question.get(key) {
        None => Ok(false),
        Some(value) => value.as_bool().ok_or_else(|| format!("{key:?} is {value}, not true or false")),
    };
    let (wants_cost, wants_proof) = (wants("cost")?, wants("proof")?);
    let (mut members, mut cost) = (Map::new(), QueryCost::default());
    match op {
        "distance" | "contact" => {
            let (a, b) = (shapes.read(question, "a")?, shapes.read(question, "b")?);
            members = report::distance_members(&a, &b, op == "contact", &mut cost);
            if wants_proof && let Some(plane) = report::plane_members(&a, &b) {
                members.insert("plane".to_owned(), plane);
            }
            let mut remarks = remarks_of(&[&a, &b]);
            if members.get("contact").is_some_and(Value::is_null) {
                [&a, &b].iter().filter_map(|solid| solid.ambiguity()).for_each(|why| remarks.note(why));
            }
            add_remarks(&mut members, &remarks);
        }
        "cast" => {
            let (a, b) = (shapes.read(question, "a")?, shapes.read(question, "b")?);
            let angular = match question.get("rotate_by") {
                None => DVec3::ZERO,
                Some(_) => sweep::angular(&list(question, "rotate_by")?)
                    .map_err(|e| format!("\"rotate_by\": {e}"))?,
            };
            members = sweep::members(&a, &b, vector(question, "by")?, angular, wants_cost, wants_proof)?;
            add_remarks(&mut members, &remarks_of(&[&a, &b]));
        }
        "vertex_face" | "edge_edge" => {
            let (start, end) = (corners(question, "start")?, corners(question, "end")?);
            let element = if op == "edge_edge" {
                Element::edge_edge(start, end)
            } else {
                Element::vertex_face(start, end)
            };
            let element = element.map_err(|e| e.to_string())?;
            let separation = match question.get("min_separation") {
                None => 0.0,
                Some(value) => value
                    .as_f64()
                    .filter(|s| (0.0..=tol::MAX_LENGTH).contains(s))
                    .ok_or_else(|| format!("a \"min_separation\" of {value}"))?,
            };
            let settings = ElementSettings::default().with_minimum_separation(separation);
            members = sweep::time_members(&element.time_of_impact(&settings));
        }
        "intersects" => {
            let (a, b) = (shapes.read(question, "a")?, shapes.read(question, "b")?);
            if let (Some(mesh_a), Some(mesh_b)) = (a.mesh(), b.mesh()) {
                let n = report::count_pairs(mesh_a, mesh_b, &mut cost);
                members.insert("intersects".to_owned(), json!(0 < n));
                members.insert("triangle_pairs".to_owned(), json!(n));
            } else {
                let is_hit = intersects_counted(&a.shape, &a.pose, &b.shape, &b.pose, &mut cost);
                members.insert("intersects".to_owned(), json!(is_hit));
            }
            if wants_proof && members["intersects"] == json!(false) {
                members.extend(report::proof_members(&a, &b));
            }
            add_remarks(&mut members, &remarks_of(&[&a, &b]));
        }
        "ray" => {
            let solid = shapes.read(question, "a")?;
            let ray = Ray::new(vector(question, "origin")?, vector(question, "dir")?);
            if ray.direction == DVec3::ZERO {
                return Err("\"dir\" is zero".to_owned());
            }
            let interval = if wants("both")? { Interval::BOTH } else { Interval::FORWARD };
            let mut hits = ray::cast(&solid, &ray, interval, wants("all")?, &mut cost);
            if wants("merge")? {
                hits = ray::merged(hits, &solid, &ray);
            }
            let mut remarks = remarks_of(&[&solid]);
            ray::note_normals(&hits, &solid, &mut remarks);
            let hits: Vec<Value> = hits.iter().map(|h| ray::hit_members(h, None).into()).collect();
            members.insert("hits".to_owned(), json!(hits));
            add_remarks(&mut members, &remarks);
        }
        "point" => {
            let solid = shapes.read(question, "a")?;
            let point = vector(question, "point")?;
            let projection = project_point_counted(&solid.shape, &solid.pose, point, &mut cost)
                .ok_or("the shape is empty")?;
            members.insert("distance".to_owned(), json!(projection.distance.abs()));
            members.insert("nearest".to_owned(), report::list(projection.point));
            members.insert("inside".to_owned(), json!(projection.inside));
            let mut remarks = remarks_of(&[&solid]);
            if projection.inside.is_none() {
                let backwards = || format!("{}: the surface winds backwards around the point", solid.name);
                remarks.note(solid.ambiguity().unwrap_or_else(backwards));
            }
            add_remarks(&mut members, &remarks);
        }
        _ => return Err(unknown_op(op)),
    }
    if wants_cost && matches!(op, "distance" | "contact" | "intersects" | "ray" | "point") {
        members.insert("cost".to_owned(), report::cost_members(&cost));
    }
    Ok(members)
}

/// The members of each kind of question, except `id`, `op`, `cost` and `proof`, which all have.
const MEMBERS: [(&str, &[&str]); 8] = [
    ("distance", &SHAPES),
    ("contact", &SHAPES),
    ("intersects", &SHAPES),
    ("cast", &["a", "b", "pose_a", "pose_b", "matrix_a", "matrix_b", "by", "rotate_by"]),
    ("ray", &["a", "pose_a", "matrix_a", "origin", "dir", "both", "all", "merge"]),
    ("point", &["a", "pose_a", "matrix_a", "point"]),
    ("vertex_face", &["start", "end", "min_separation"]),
    ("edge_edge", &["start", "end", "min_separation"]),
];

/// The members of a question about two shapes.
const SHAPES: [&str; 6] = ["a", "b", "pose_a", "pose_b", "matrix_a", "matrix_b"];

/// Returns the members that a question of this kind may have.
fn members_of(op: &str) -> Result<Vec<&'static str>, String> {
    let own = MEMBERS.iter().find(|(name, _)| *name == op).ok_or_else(|| unknown_op(op))?.1;
    Ok(["id", "op", "cost", "proof"].iter().chain(own).copied().collect())
}

fn unknown_op(op: &str) -> String {
    let known: Vec<&str> = MEMBERS.iter().map(|(name, _)| *name).collect();
    format!("unknown op {op:?}; known are {}", known.join(" "))
}

/// Returns the remarks on all shapes of a question.
fn remarks_of(solids: &[&Solid]) -> Remarks {
    let mut remarks = Remarks::default();
    solids.iter().for_each(|solid| remarks.add(&solid.remarks));
    remarks
}

/// Adds the lists of remarks that are not empty: most answers have none.
fn add_remarks(members: &mut Map<String, Value>, remarks: &Remarks) {
    for (key, lines) in [("notes", &remarks.notes), ("unread", &remarks.unread)] {
        if !lines.is_empty() {
            members.insert(key.to_owned(), json!(lines));
        }
    }
}

/// Reads three finite numbers.
fn vector(question: &Value, key: &str) -> Result<DVec3, String> {
    list::<3>(question, key).map(DVec3::from_array)
}

/// Reads `N` finite numbers.
fn list<const N: usize>(question: &Value, key: &str) -> Result<[f64; N], String> {
    let value = question.get(key).ok_or_else(|| format!("no {key:?}"))?;
    let numbers = read_numbers(value).map_err(|e| format!("{key:?}: {e}"))?;
    <[f64; N]>::try_from(numbers.as_slice())
        .map_err(|_| format!("{key:?}: {} numbers; {N} are needed", numbers.len()))
}

/// Reads four points: 12 numbers, flat or in lists of three.
fn corners(question: &Value, key: &str) -> Result<[DVec3; 4], String> {
    let value = question.get(key).ok_or_else(|| format!("no {key:?}"))?;
    let numbers = read_in_rows::<3>(value).map_err(|e| format!("{key:?}: {e}"))?;
    let numbers = <[f64; 12]>::try_from(numbers.as_slice())
        .map_err(|_| format!("{key:?}: {} numbers; 12 are needed", numbers.len()))?;
    Ok(core::array::from_fn(|i| DVec3::from_slice(&numbers[3 * i..3 * i + 3])))
}
