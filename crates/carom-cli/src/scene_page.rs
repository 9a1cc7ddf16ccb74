//! The page of `check`: the parts as they stand, those that collide in red, those too close in
//! yellow.

use crate::cluster_picture::{PictureBox, few_boxes};
use crate::command::check::{Finding, PairReport};
use crate::player::{BodyState, FrameStats, PlayerMesh, PlayerShape, Recording};
use crate::remarks::Remarks;
use crate::report::counted;
use crate::solid::Solid;
use carom_io::without_controls;
use carom_math::{Pose, Vec3};
use carom_query::f64::ShapeKind;
use glam::DVec3;
use serde_json::{Value, json};

/// Rows of the table; a browser is slow with more. A note says how many are left out.
const MAX_ROWS: usize = 5000;

/// Returns the pairs in this order: those that collide, the deepest first; those that are too
/// close, the nearest first; those for which it is not known whether they collide.
fn by_depth(listed: &[PairReport], clearance: f64) -> Vec<&PairReport> {
    let mut sorted: Vec<&PairReport> = listed.iter().collect();
    let key = |pair: &PairReport| match pair.finding(clearance) {
        // A part inside of another one with unknown depth comes before all known depths.
        Finding::Collides => (0, -pair.depth.unwrap_or(f64::INFINITY)),
        Finding::TooClose => (1, pair.distance),
        Finding::Undecided => (2, pair.distance),
    };
    sorted.sort_by(|p, q| {
        let ((kind_p, value_p), (kind_q, value_q)) = (key(p), key(q));
        kind_p.cmp(&kind_q).then(value_p.total_cmp(&value_q))
    });
    sorted
}

/// Boxes of clusters on a page. It bounds the size of the page (test:
/// `clusters::a_page_draws_clusters_with_few_boxes`).
const MAX_BOXES: usize = 8192;

/// Half the least size of a box of a cluster, on a page of size 10: about a pixel.
const LEAST_HALF: f64 = 0.008;

/// Returns the boxes of a point cloud or of voxels as a mesh, at most `max_boxes`. Adds a note if
/// there are fewer boxes than parts.
fn drawn_cluster(
    solid: &Solid,
    name: &str,
    max_boxes: usize,
    factor: f64,
    shown: &impl Fn(DVec3) -> Vec3,
    notes: &mut Vec<String>,
) -> PlayerMesh {
    let ShapeKind::Cluster(cluster) = solid.shape.kind() else { return PlayerMesh::default() };
    let boxes: Vec<PictureBox> =
        (0..cluster.n_parts()).map(|number| PictureBox::of(&cluster.part_box(number))).collect();
    let few = few_boxes(&boxes, max_boxes);
    if few.len() < boxes.len() {
        let (parts, n) = (counted(boxes.len(), "part", "parts"), counted(few.len(), "box", "boxes"));
        notes.push(format!("{}: {parts} are drawn as {n}", without_controls(name)));
    }
    let mut mesh = PlayerMesh::default();
    for one in few {
        let half = one.half.max(DVec3::splat(LEAST_HALF / factor));
        let one = PictureBox { half, ..one };
        one.push_to(&mut mesh, |corner| shown(solid.pose.transform_point(corner)));
    }
    mesh
}

/// Returns the page. Its table has the deepest pairs first; a click on a row puts the camera on the
/// place of the pair (test: `many_parts::the_page_lists_by_depth_and_shows_the_pair`).
///
/// Coordinates are moved and scaled to a box of size 10 around the origin,
/// because single precision is finer there.
///
/// Its title says clear only if no pair is listed, no part crosses itself, and nothing is unread.
/// `crossed` are the parts that cross themselves. Remarks stand below the table. The page shows y
/// up; parts whose `up` is z are turned.
pub(crate) fn page(
    names: &[String],
    solids: &[Solid],
    listed: &[PairReport],
    clearance: f64,
    crossed: &[usize],
    remarks: &Remarks,
    up: Option<&str>,
) -> Result<String, String> {
    let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for (low, high) in solids.iter().map(Solid::bounds) {
        (min, max) = (min.min(low), max.max(high));
    }
    let middle = min * 0.5 + max * 0.5;
    let size = (max - min).max_element();
    let factor = if 0.0 < size { 10.0 / size } else { 1.0 };
    let shown = |p: DVec3| -> Vec3 {
        let p = ((p - middle) * factor).as_vec3();
        if up == Some("z") { Vec3::new(p.x, p.z, -p.y) } else { p }
    };
    let n_clusters = solids.iter().filter(|solid| solid.mesh().is_none()).count();
    let max_boxes = MAX_BOXES / n_clusters.max(1);
    let mut notes = Vec::new();
    let shapes = solids
        .iter()
        .zip(names)
        .map(|(solid, name)| {
            let Some(shape) = solid.mesh() else {
                let mesh = drawn_cluster(solid, name, max_boxes, factor, &shown, &mut notes);
                return PlayerShape::Mesh(mesh);
            };
            let mesh = shape.mesh();
            PlayerShape::Mesh(PlayerMesh {
                vertices: mesh.vertices().iter().map(|v| shown(*v)).collect(),
                triangles: mesh.indices().to_vec(),
            })
        })
        .collect();
    let mut states = vec![BodyState::Fixed; solids.len()];
    for pair in listed {
        let is_hit = pair.finding(clearance) == Finding::Collides;
        for part in [pair.a, pair.b] {
            states[part] = match (states[part], is_hit) {
                (_, true) | (BodyState::Colliding, _) => BodyState::Colliding,
                _ => BodyState::Near,
            };
        }
    }
    crossed.iter().for_each(|part| states[*part] = BodyState::Colliding);
    let points: Vec<Vec3> = listed.iter().map(|p| shown(p.point)).collect();
    let sorted = by_depth(listed, clearance);
    let n_rows = sorted.len().min(MAX_ROWS);
    let positions: Vec<[f32; 3]> = sorted[..n_rows].iter().map(|p| shown(p.point).to_array()).collect();
    let rows: Vec<Value> = sorted[..n_rows]
        .iter()
        .map(|p| {
            let depth = p.depth.map_or(json!(""), |d| json!(d));
            let contact = p.contact.name().unwrap_or("not known");
            json!([names[p.a], names[p.b], contact, p.triangle_pairs, p.distance, depth])
        })
        .collect();
    let columns = ["part", "and part", "contact", "triangle pairs", "distance", "depth"];
    let title = title(listed, clearance, crossed.len(), remarks.unread.len());
    let bodies = (0..solids.len() as u32).collect();
    let mut recording = Recording::new(&title, 1.0, shapes, bodies)
        .with_names(names.to_vec())
        .with_notes(remarks.lines().chain(notes).chain(left_out(listed.len() - n_rows)).collect());
    if listed.is_empty() && crossed.is_empty() {
        // There is no state to show, so each part has a colour of its own.
        recording = recording.with_shown(&["bodies"]);
    }
    if !rows.is_empty() {
        recording = recording.with_table(json!({"columns": columns, "rows": rows, "points": positions}));
    }
    recording.push(vec![Pose::IDENTITY; solids.len()], states, &points, FrameStats::default());
    recording.to_html()
}

/// Returns a note on rows that the table does not have.
fn left_out(n: usize) -> Option<String> {
    (0 < n)
        .then(|| format!("{} less deep or farther apart are not in the table", counted(n, "pair", "pairs")))
}

/// Returns the result in a few words.
fn title(listed: &[PairReport], clearance: f64, n_crossed: usize, n_unread: usize) -> String {
    let n_of = |finding| listed.iter().filter(|pair| pair.finding(clearance) == finding).count();
    let words = [
        (n_of(Finding::Collides), "pair collides", "pairs collide"),
        (n_of(Finding::TooClose), "pair too close", "pairs too close"),
        (n_of(Finding::Undecided), "pair not known", "pairs not known"),
        (n_crossed, "part crosses itself", "parts cross themselves"),
        (n_unread, "thing not read", "things not read"),
    ];
    let found: Vec<String> =
        words.iter().filter(|(n, ..)| 0 < *n).map(|(n, one, many)| counted(*n, one, many)).collect();
    match (found.is_empty(), listed.is_empty() && n_crossed == 0) {
        (true, _) => "All clear".to_owned(),
        (false, true) => format!("Not clear: {}", found.join(", ")),
        _ => found.join(", "),
    }
}
