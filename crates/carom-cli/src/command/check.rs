//! `carom check`: which parts collide, how deep, where, and which come closer than a clearance.
//!
//! A broad phase over the boxes of the parts gives candidate pairs. Exact tests decide which pairs
//! collide, and distances decide which are too close.

use crate::args::{Attachment, CheckArgs};
use crate::command::trajectory;
use crate::load::{self, Loaded};
use crate::progress;
use crate::remarks::Remarks;
use crate::report::{self, Contact, Outcome, counted, number, spaced};
use crate::robots::{self, Attached, PlacedRobot};
use crate::scene_page;
use crate::self_report::SelfReport;
use crate::solid::{self, ShapeSpec, Solid, Winding};
use carom_bounds::Aabb;
use carom_broad::{BroadPhase, Filter, SpatialIndex};
use carom_broad_tree::DynamicBvh;
use carom_io::{Part, Placement, Trajectory, read_trajectory, without_controls};
use carom_query::QueryCost;
use carom_query::f64::{SolidRelation, contact, distance};
use carom_robot::JointPath;
use core::ops::ControlFlow;
use glam::DVec3;
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// A pair of parts that is listed.
pub struct PairReport {
    /// Index of the first part.
    pub a: usize,
    /// Index of the second part.
    pub b: usize,
    /// Pairs of triangles that share a point; exact.
    pub triangle_pairs: usize,
    /// The contact of the parts as solids.
    pub contact: Contact,
    /// Whether the surfaces meet or one part lies in the other; `None` if that is not known.
    pub intersects: Option<bool>,
    /// Distance from surface to surface; 0 if the parts intersect.
    pub distance: f64,
    /// Upper bound of the depth of two solids that overlap; for other meshes, the depth of the
    /// deepest pair of triangles. `None` if the parts are apart, or if it is not known.
    pub depth: Option<f64>,
    /// A point of both parts, or the point of A nearest to B.
    pub point: DVec3,
}

/// The kinds of listed pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The surfaces meet, or one part lies in the other.
    Collides,
    /// The surfaces do not meet and are nearer than the clearance. Then it does not matter whether
    /// one part lies in the other.
    TooClose,
    /// It is not known whether one part lies in the other.
    Undecided,
}

impl PairReport {
    /// Returns the kind of the pair for this clearance, a length.
    pub fn finding(&self, clearance: f64) -> Finding {
        match self.intersects {
            Some(true) => Finding::Collides,
            None if clearance <= self.distance => Finding::Undecided,
            _ => Finding::TooClose,
        }
    }
}

/// All parts that are checked, with unique names.
struct Parts {
    names: Vec<String>,
    solids: Vec<Solid>,
    robots: Vec<PlacedRobot>,
    attached: Vec<Attached>,
    trajectory: Option<Trajectory>,
    /// Pairs of indices, low first.
    ignored: HashSet<(usize, usize)>,
    /// The unit and the up axis.
    frame: (Option<&'static str>, Option<&'static str>),
}

impl Parts {
    fn read(args: &CheckArgs, winding: Winding, remarks: &mut Remarks) -> Result<Parts, String> {
        let options = args.reading.options(args.keep_going).with_time(args.time);
        let (clusters, models): (Vec<PathBuf>, Vec<PathBuf>) =
            args.files.iter().cloned().partition(|file| solid::has_extension(file, &CLUSTERS));
        let mut files = Vec::new();
        if !models.is_empty() {
            files = load::load_all(&models, &options, remarks)?;
        }
        let trajectory = args.robots.trajectory.as_ref().map(|file| read_trajectory(file));
        let mut trajectory = trajectory.transpose().map_err(|e| e.to_string())?;
        if args.robots.ignore_limits {
            robots::ignore_limits(&mut files);
        }
        if let Some(Trajectory { joints, rows, .. }) = &mut trajectory {
            robots::drop_dependent(joints, rows, &[], &files, remarks);
        }
        let named = match &trajectory {
            Some(trajectory) => trajectory::first_row(trajectory),
            None => robots::named_values(&args.robots, &files, remarks)?,
        };
        robots::set(&mut files, &named)?;
        let frame = load::frame_of(files.iter().map(|f| &f.model));
        let mut robots = robots::robots(&files);
        let (names, solids, numbers) = build_solids(files, winding, args.keep_going, remarks)?;
        robots::renumber(&mut robots, &numbers);
        let ignored = robots::ignored(&robots, &args.robots, remarks)?;
        let mut parts = Parts { names, solids, robots, attached: Vec::new(), trajectory, ignored, frame };
        for file in &clusters {
            let solid = cluster(file, args.point_radius, &Placement::IDENTITY);
            parts.push(file, solid, args.keep_going, remarks)?;
        }
        for Attachment { link, file } in &args.robots.attach {
            let (robot, link, placement) = robots::link_placement(&parts.robots, link, &named)?;
            let solid = match solid::has_extension(file, &CLUSTERS) {
                true => cluster(file, args.point_radius, &placement),
                false => solid::build_on_robot(file, &placement, winding, &options),
            };
            let part = parts.push(file, solid, args.keep_going, remarks)?;
            parts.attached.extend(part.map(|part| Attached { part, robot, link }));
        }
        if parts.solids.is_empty() {
            remarks.print();
            return Err("no part could be read".to_owned());
        }
        remarks.add_all(parts.solids.iter().map(|solid| &solid.remarks));
        parts.ignored.extend(ignored_pairs(&args.ignore, &parts.names, remarks)?);
        robots::ignore_own_link(&parts.attached, &parts.robots, &mut parts.ignored);
        Ok(parts)
    }

    /// Adds the solid of a file, and returns its index. If `keep_going`, lists it as unread instead
    /// of an error.
    fn push(
        &mut self,
        file: &Path,
        solid: Result<Solid, String>,
        keep_going: bool,
        remarks: &mut Remarks,
    ) -> Result<Option<usize>, String> {
        match solid {
            Ok(solid) => {
                self.names.push(new_name(file, &self.names));
                self.solids.push(solid);
                Ok(Some(self.solids.len() - 1))
            }
            Err(e) if keep_going => {
                remarks.unread.push(e);
                Ok(None)
            }
            Err(e) => Err(e),
        }
    }

    /// Returns the pairs that collide or are nearer than the clearance. With `--json-lines`, prints
    /// each as soon as it is found.
    fn listed(&self, args: &CheckArgs, clearance: f64) -> Result<Vec<PairReport>, String> {
        let all: Vec<usize> = (0..self.solids.len()).collect();
        let candidates = candidates(&self.solids, &all, clearance, args.max_pairs)?;
        let mut listed = Vec::new();
        let test = |&(a, b): &(usize, usize)| {
            if self.ignored.contains(&(a, b)) { None } else { examine(a, b, &self.solids, clearance) }
        };
        progress::map_chunks("pairs", &candidates, test, |found| {
            for pair in found.into_iter().flatten() {
                if args.json_lines {
                    report::print(&pair_members(&self.names, &pair).to_string())?;
                }
                listed.push(pair);
            }
            Ok(())
        })?;
        Ok(listed)
    }

    /// Returns the parts that cross themselves.
    fn selves(&self) -> Result<Vec<(usize, SelfReport)>, String> {
        let all: Vec<usize> = (0..self.solids.len()).collect();
        let mut selves: Vec<(usize, SelfReport)> = Vec::new();
        let test = |part: &usize| Some((*part, SelfReport::new(self.solids[*part].mesh()?)));
        progress::map_chunks("parts", &all, test, |found| {
            selves.extend(found.into_iter().flatten().filter(|(_, itself)| !itself.is_clear()));
            Ok(())
        })?;
        Ok(selves)
    }
}

/// Runs the command.
pub fn run(args: &CheckArgs, winding: Winding) -> Result<Outcome, String> {
    let mut remarks = Remarks::default();
    let parts = Parts::read(args, winding, &mut remarks)?;
    let clearance = args.clearance.unwrap_or(0.0);
    if let Some(trajectory) = &parts.trajectory {
        return follow(&parts, trajectory, clearance, args, remarks);
    }
    let listed = parts.listed(args, clearance)?;
    let selves = if args.itself { parts.selves()? } else { Vec::new() };
    let Parts { names, solids, frame, .. } = &parts;
    let unknown = listed.iter().filter(|p| p.contact.relation.is_none());
    note_ambiguity(unknown.flat_map(|p| [p.a, p.b]), solids, &mut remarks);
    remarks.print();
    if let Some(page) = &args.html {
        let crossed: Vec<usize> = selves.iter().map(|(part, _)| *part).collect();
        let html = scene_page::page(names, solids, &listed, clearance, &crossed, &remarks, frame.1)?;
        report::write_file(page, html.as_bytes())?;
    }
    if args.json || args.json_lines {
        let selves = args.itself.then_some(selves.as_slice());
        let mut document = document(names, &listed, selves, *frame, args, &remarks);
        if args.json_lines {
            document.remove("pairs");
            document.insert("n_pairs".to_owned(), json!(listed.len()));
        }
        report::print(&Value::Object(document).to_string())?;
    } else {
        for (part, itself) in &selves {
            report::print(&format!("{} {}", without_controls(&names[*part]), itself.text()))?;
        }
        print_lines(names, &listed, args, *frame, &remarks)?;
    }
    Ok(remarks.outcome(!listed.is_empty() || !selves.is_empty()))
}

/// Adds the reasons why answers about these parts are not known.
fn note_ambiguity(parts: impl IntoIterator<Item = usize>, solids: &[Solid], remarks: &mut Remarks) {
    let mut seen = HashSet::new();
    let parts = parts.into_iter().filter(|part| seen.insert(*part));
    let notes = parts.filter_map(|part| solids[part].ambiguity()).collect();
    remarks.add(&Remarks { notes, ..Remarks::default() });
}

/// Whether all is clear. `None` if something is found, but for none of it is it known whether it
/// collides or comes too close. An answer about some parts does not hold for all.
fn is_clear(is_known: impl IntoIterator<Item = bool>, remarks: &Remarks) -> Option<bool> {
    let found: Vec<bool> = is_known.into_iter().collect();
    let is_unclear = !remarks.unread.is_empty() || found.contains(&true);
    if is_unclear || found.is_empty() { Some(!is_unclear) } else { None }
}

/// Reports when pairs first meet along a trajectory.
fn follow(
    parts: &Parts,
    trajectory: &Trajectory,
    clearance: f64,
    args: &CheckArgs,
    mut remarks: Remarks,
) -> Result<Outcome, String> {
    let Parts { names, solids, robots, attached, ignored, .. } = parts;
    let cell = trajectory::cell_of(robots, attached, solids, trajectory)?;
    let path = JointPath::of_trajectory(&cell, trajectory).map_err(|e| e.to_string())?;
    let still: Vec<usize> = (0..solids.len()).filter(|part| cell.link_of(*part).is_none()).collect();
    let still_pairs = candidates(solids, &still, clearance, args.max_pairs)?;
    let mut pairs: Vec<[usize; 2]> =
        cell.pairs().into_iter().chain(still_pairs.iter().map(|(a, b)| [*a, *b])).collect();
    pairs.retain(|[a, b]| !ignored.contains(&(*a, *b)));
    let contacts = trajectory::follow_all(&path, &pairs, clearance);
    let unknown = contacts.iter().filter(|contact| contact.distance.is_none());
    note_ambiguity(unknown.flat_map(|contact| contact.parts), solids, &mut remarks);
    remarks.print();
    if args.json {
        let mut document = trajectory::document(names, path.times(), &contacts);
        let is_known = contacts.iter().map(|contact| contact.distance.is_some());
        document.insert("clear".to_owned(), json!(is_clear(is_known, &remarks)));
        remarks.add_to(&mut document);
        report::print(&Value::Object(document).to_string())?;
    } else {
        trajectory::print_lines(names, path.times(), &contacts, clearance, &remarks)?;
    }
    Ok(remarks.outcome(!contacts.is_empty()))
}

/// The names and the solids of all parts, and the index of each part of the files among them.
type PlacedParts = (Vec<String>, Vec<Solid>, Vec<Option<usize>>);

/// Returns all parts of all files in world coordinates, with unique names. The last list has the
/// index of each part of the files among them.
///
/// A part that is refused is an error, or with `keep_going` listed as unread.
fn build_solids(
    files: Vec<Loaded>,
    winding: Winding,
    keep_going: bool,
    remarks: &mut Remarks,
) -> Result<PlacedParts, String> {
    let mut parts: Vec<Part> = Vec::new();
    let mut origin = Vec::new();
    for file in files {
        let has_parts = 1 < file.model.parts.len();
        origin.resize(parts.len() + file.model.parts.len(), (file.path, has_parts));
        parts.extend(file.model.parts);
    }
    carom_io::make_names_unique(&mut parts);
    let placed: Vec<_> = parts.iter().zip(&origin).collect();
    let (mut solids, mut numbers) = (Vec::new(), Vec::new());
    let build = |(part, (path, has_parts)): &(&Part, &(PathBuf, bool))| {
        Solid::of_part(part, &load::full_name(path, part, *has_parts), winding)
    };
    progress::map_chunks("parts", &placed, build, |built| {
        for solid in built {
            match solid {
                Ok(solid) => {
                    numbers.push(Some(solids.len()));
                    solids.push(solid);
                }
                Err(e) if keep_going => {
                    numbers.push(None);
                    remarks.unread.push(e);
                }
                Err(e) => return Err(e),
            }
        }
        Ok(())
    })?;
    drop(placed);
    let names = parts.into_iter().zip(&numbers).filter(|(_, number)| number.is_some());
    let names = names.map(|(part, _)| part.name).collect();
    Ok((names, solids, numbers))
}

/// The extensions of octrees and point clouds.
const CLUSTERS: [&str; 3] = ["bt", "xyz", "pcd"];

/// Reads an octree or a point cloud.
fn cluster(file: &Path, radius: Option<f64>, placement: &Placement) -> Result<Solid, String> {
    let spec = match (solid::has_extension(file, &["bt"]), radius) {
        (true, _) => ShapeSpec::Octree(file.to_path_buf()),
        (false, Some(radius)) => ShapeSpec::Points(radius, file.to_path_buf()),
        (false, None) => {
            return Err(format!("{}: --point-radius is needed for a point cloud", file.display()));
        }
    };
    solid::build(&spec, 1.0, placement, Winding::Outwards)
}

/// Returns the name of a file as a part, with a number if another part has it.
fn new_name(file: &Path, names: &[String]) -> String {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let numbered = (2..).map(|n| format!("{stem}#{n}"));
    let mut all = core::iter::once(stem.clone()).chain(numbered);
    all.find(|name| !names.contains(name)).unwrap_or(stem)
}

/// Returns the pairs of part indices, low first, that `--ignore A,B` names.
///
/// Errors: a name that no part has. If something is unread, it may be the name of that; then a note
/// says so instead.
fn ignored_pairs(
    ignore: &[String],
    names: &[String],
    remarks: &mut Remarks,
) -> Result<HashSet<(usize, usize)>, String> {
    let mut pairs = HashSet::new();
    for text in ignore {
        // A name may hold a comma itself: every split is tried.
        let found = text.match_indices(',').find_map(|(at, _)| {
            let find = |name: &str| names.iter().position(|n| n == name);
            Some((find(&text[..at])?, find(&text[at + 1..])?))
        });
        if let Some((a, b)) = found {
            pairs.insert((a.min(b), a.max(b)));
            continue;
        }
        let some: Vec<&str> = names.iter().take(20).map(String::as_str).collect();
        let more = if some.len() < names.len() { ", ..." } else { "" };
        let some = without_controls(&some.join(" "));
        let why = format!("--ignore {text:?}: not two names of parts; parts are: {some}{more}");
        if remarks.unread.is_empty() {
            return Err(why);
        }
        remarks.note(why);
    }
    Ok(pairs)
}

/// Returns the pairs of these parts, sorted, whose boxes come within the clearance; an error if
/// they are more than `max_pairs`. `parts` are indices, sorted.
fn candidates(
    solids: &[Solid],
    parts: &[usize],
    clearance: f64,
    max_pairs: u64,
) -> Result<Vec<(usize, usize)>, String> {
    let bounds: Vec<(DVec3, DVec3)> = parts.iter().map(|part| solids[*part].bounds()).collect();
    let largest = bounds.iter().map(|(min, max)| min.abs().max(max.abs()).max_element()).fold(0.0, f64::max);
    // Boxes are in single precision. If parts lie beyond its range, a power of two scales all of
    // them in.
    let mut scale = 1.0;
    while 1e30 < (largest + clearance) * scale {
        scale *= 0.5;
    }
    let boxes: Vec<(Aabb, Filter)> = bounds
        .iter()
        .map(|(min, max)| (Aabb::around((*min - clearance) * scale, *max * scale), Filter::default()))
        .collect();
    let mut phase = DynamicBvh::new();
    let mut ids = Vec::new();
    phase.insert_batch(&boxes, &mut ids).map_err(|e| e.to_string())?;
    let mut n_touching = 0_u64;
    // Each pair is visited from both sides, and each box visits itself. All visits are counted
    // before any pair is kept.
    let limit = max_pairs.saturating_mul(2).saturating_add(boxes.len() as u64);
    for (aabb, _) in &boxes {
        phase.visit_box(aabb, &mut |_| {
            n_touching += 1;
            if limit < n_touching { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if limit < n_touching {
            let n = parts.len();
            return Err(format!(
                "{n} parts have more than {max_pairs} pairs whose boxes overlap: many parts in one place? \
                 --max-pairs raises the limit"
            ));
        }
    }
    let mut pairs = Vec::new();
    phase.pairs(&mut pairs);
    Ok(pairs.iter().map(|pair| (parts[pair.a as usize], parts[pair.b as usize])).collect())
}

/// Returns the exact answer for one pair; `None` if it need not be listed.
fn examine(a: usize, b: usize, solids: &[Solid], clearance: f64) -> Option<PairReport> {
    let (x, y) = (&solids[a], &solids[b]);
    if x.mesh().is_none() || y.mesh().is_none() {
        return examine_cluster((a, x), (b, y), clearance);
    }
    let n = report::count_pairs(x.mesh()?, y.mesh()?, &mut QueryCost::default());
    let contact_of_solids = Contact::of(x.mesh()?, y.mesh()?);
    if let Some(overlap) = contact_of_solids.overlap {
        let (depth, point) = (Some(overlap.at_most), overlap.point);
        return Some(PairReport {
            a,
            b,
            triangle_pairs: n,
            contact: contact_of_solids,
            intersects: Some(true),
            distance: 0.0,
            depth,
            point,
        });
    }
    if 0 < n {
        let is_touching = contact_of_solids.relation == Some(SolidRelation::Touching);
        let deepest = contact(&x.shape, &x.pose, &y.shape, &y.pose, 0.0);
        let (depth, point) = match &deepest {
            Some(deep) => {
                let c = &deep.contact;
                let depth = if is_touching { 0.0 } else { (-c.distance).max(0.0) };
                (depth, c.middle())
            }
            None => (0.0, distance(&x.shape, &x.pose, &y.shape, &y.pose).point_a),
        };
        let (contact, depth) = (contact_of_solids, Some(depth));
        let intersects = Some(true);
        return Some(PairReport {
            a,
            b,
            triangle_pairs: n,
            contact,
            intersects,
            distance: 0.0,
            depth,
            point,
        });
    }
    let intersects = contact_of_solids.is_nested(x.mesh()?, y.mesh()?);
    if intersects == Some(false) && clearance == 0.0 {
        return None;
    }
    let d = distance(&x.shape, &x.pose, &y.shape, &y.pose);
    (intersects != Some(false) || d.distance < clearance).then_some(PairReport {
        a,
        b,
        triangle_pairs: 0,
        contact: contact_of_solids,
        intersects,
        distance: if intersects == Some(true) { 0.0 } else { d.distance },
        depth: None,
        point: d.point_a,
    })
}

/// Returns the answer for a pair with a point cloud or voxels.
fn examine_cluster((a, x): (usize, &Solid), (b, y): (usize, &Solid), clearance: f64) -> Option<PairReport> {
    let d = distance(&x.shape, &x.pose, &y.shape, &y.pose);
    let report = |relation: Option<SolidRelation>, intersects, distance, depth, point| PairReport {
        a,
        b,
        triangle_pairs: 0,
        contact: Contact { relation, overlap: None },
        intersects,
        distance,
        depth,
        point,
    };
    if d.distance <= 0.0 {
        let deepest = contact(&x.shape, &x.pose, &y.shape, &y.pose, 0.0);
        let (depth, point) = deepest
            .map_or((0.0, d.point_a), |deep| ((-deep.contact.distance).max(0.0), deep.contact.middle()));
        let relation = if 0.0 < depth { SolidRelation::Overlapping } else { SolidRelation::Touching };
        return Some(report(Some(relation), Some(true), 0.0, Some(depth), point));
    }
    match (x.holds_part_of(y), y.holds_part_of(x)) {
        (Some(true), _) | (_, Some(true)) => {
            Some(report(Some(SolidRelation::Overlapping), Some(true), 0.0, None, d.point_a))
        }
        (Some(false), Some(false)) => (d.distance < clearance)
            .then(|| report(Some(SolidRelation::Clear), Some(false), d.distance, None, d.point_a)),
        _ => Some(report(None, None, d.distance, None, d.point_a)),
    }
}

/// Returns the report as JSON.
fn document(
    names: &[String],
    listed: &[PairReport],
    selves: Option<&[(usize, SelfReport)]>,
    (unit, up): (Option<&str>, Option<&str>),
    args: &CheckArgs,
    remarks: &Remarks,
) -> Map<String, Value> {
    let clearance = args.clearance.unwrap_or(0.0);
    let crossed = selves.into_iter().flatten().map(|_| true);
    let is_known = listed.iter().map(|p| p.finding(clearance) != Finding::Undecided);
    let is_clear = is_clear(is_known.chain(crossed), remarks);
    let pairs: Vec<Value> = listed.iter().map(|pair| pair_members(names, pair)).collect();
    let mut document = Map::new();
    document.insert("schema".to_owned(), json!("carom.check.v1"));
    document.insert("parts".to_owned(), json!(names));
    document.insert("pairs".to_owned(), json!(pairs));
    if let Some(selves) = selves {
        let of_part = |(part, itself): &(usize, SelfReport)| {
            let mut members = Map::new();
            members.insert("part".to_owned(), json!(names[*part]));
            members.extend(itself.members());
            members
        };
        document.insert("self".to_owned(), json!(selves.iter().map(of_part).collect::<Vec<_>>()));
    }
    document.insert("clear".to_owned(), json!(is_clear));
    document.insert("unit".to_owned(), json!(unit));
    document.insert("up".to_owned(), json!(up));
    document.insert("time".to_owned(), json!(args.time));
    remarks.add_to(&mut document);
    document
}

/// Returns a pair as JSON.
fn pair_members(names: &[String], p: &PairReport) -> Value {
    let mut pair = json!({
        "a": names[p.a], "b": names[p.b], "intersects": p.intersects, "contact": p.contact.name(),
        "triangle_pairs": p.triangle_pairs, "distance": p.distance, "depth": p.depth,
        "point": report::list(p.point),
    });
    if let (Some(members), Some(overlap)) = (pair.as_object_mut(), &p.contact.overlap) {
        members.extend(report::overlap_members(overlap));
    }
    pair
}

/// Prints the report for people.
fn print_lines(
    names: &[String],
    listed: &[PairReport],
    args: &CheckArgs,
    frame: (Option<&str>, Option<&str>),
    remarks: &Remarks,
) -> Result<(), String> {
    for p in listed {
        let (a, b, at) = (without_controls(&names[p.a]), without_controls(&names[p.b]), spaced(p.point));
        let pairs = || match p.triangle_pairs {
            0 => "as solids".to_owned(),
            n => format!("{} of triangles", counted(n, "pair", "pairs")),
        };
        report::print(&match (p.intersects, p.depth, p.contact.relation, &p.contact.overlap) {
            (.., Some(o)) if number(o.at_least) == number(o.at_most) => {
                format!("{a} and {b} overlap: {} deep, near {at}", number(o.at_most))
            }
            (.., Some(o)) => {
                let (least, most) = (number(o.at_least), number(o.at_most));
                format!("{a} and {b} overlap: {least} to {most} deep, near {at}")
            }
            (_, Some(_), Some(SolidRelation::Touching), _) => {
                format!("{a} and {b} touch: {}, near {at}", pairs())
            }
            (_, Some(depth), ..) => {
                format!("{a} and {b} collide: {}, {} deep, near {at}", pairs(), number(depth))
            }
            (Some(true), ..) => format!("{a} and {b} collide: one lies in the other, near {at}"),
            (Some(false), ..) => format!("{a} and {b} are {} apart, at {at}", number(p.distance)),
            (None, ..) => format!(
                "{a} and {b}: not known whether one lies in the other; surfaces {} apart, at {at}",
                number(p.distance)
            ),
        })?;
    }
    let clearance = args.clearance.unwrap_or(0.0);
    let n_of = |what| listed.iter().filter(|p| p.finding(clearance) == what).count();
    let limit = args
        .clearance
        .map_or(String::new(), |d| format!(", {} closer than {}", n_of(Finding::TooClose), number(d)));
    let (parts, pairs) = (
        counted(names.len(), "part", "parts"),
        counted(n_of(Finding::Collides), "pair collides", "pairs collide"),
    );
    let open = report::open_questions(n_of(Finding::Undecided), remarks);
    let time = args.time.map_or(String::new(), |seconds| format!("; at {} s", number(seconds)));
    report::print(&format!("{parts}: {pairs}{limit}{open}; {}{time}", load::frame_text(frame)))
}
