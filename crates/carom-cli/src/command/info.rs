//! `carom info`: the measures of a mesh, and its faults.

use crate::args::InfoArgs;
use crate::load;
use crate::remarks::Remarks;
use crate::report::{self, Outcome, spaced};
use crate::self_report::SelfReport;
use crate::solid::ambiguity_note;
use carom_geom::Orientation;
use carom_geom::f64::{MeshReport, TriMesh};
use carom_io::{Part, without_controls};
use carom_query::f64::MeshShape;
use serde_json::{Map, Value, json};

/// Runs the command.
pub fn run(args: &InfoArgs) -> Result<Outcome, String> {
    let mut remarks = Remarks::default();
    let files = load::load_all(&args.files, &args.reading.options(args.keep_going), &mut remarks)?;
    remarks.print();
    let mut documents = Vec::new();
    for file in &files {
        let mut parts = Vec::new();
        for part in &file.model.parts {
            let name = load::full_name(&file.path, part, 1 < file.model.parts.len());
            let examined = match examine(part, args.itself) {
                Ok(examined) => examined,
                Err(e) if args.keep_going => {
                    let refused = Remarks { unread: vec![format!("{name}: {e}")], ..Remarks::default() };
                    refused.print();
                    remarks.add(&refused);
                    continue;
                }
                Err(e) => return Err(format!("{name}: {e}")),
            };
            if args.json {
                if let Orientation::Unknown(why) = examined.report.orientation {
                    remarks.note(ambiguity_note(&name, why));
                }
                parts.push(members(&part.name, &examined));
            } else {
                report::print(&text(&file.path.display().to_string(), part, &examined))?;
            }
        }
        let (unit, up) = (file.model.unit, file.model.up);
        if args.json {
            documents.push(
                json!({"file": file.path.display().to_string(), "unit": unit, "up": up, "parts": parts}),
            );
        } else {
            report::print(&format!("  {}", load::frame_text((unit, up))))?;
        }
    }
    if args.json {
        let mut document = Map::new();
        document.insert("schema".to_owned(), json!("carom.info.v1"));
        document.insert("files".to_owned(), json!(documents));
        remarks.add_to(&mut document);
        report::print(&Value::Object(document).to_string())?;
    }
    Ok(remarks.outcome(false))
}

/// The measures of a part.
struct Examined {
    report: MeshReport,
    /// The sum of the areas of all triangles.
    area: f64,
    /// The signed volume, if the triangles have one orientation; else the volume with all turned
    /// outwards. `None` if the mesh has no inside.
    volume: Option<f64>,
    /// The self-intersections, if they are wanted.
    itself: Option<SelfReport>,
}

fn examine(part: &Part, with_self: bool) -> Result<Examined, String> {
    let world = part.world_mesh()?;
    let area_of = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| world.vertices[v as usize]);
        0.5 * (b - a).cross(c - a).length()
    };
    let area = world.triangles.iter().map(area_of).sum();
    let mesh = TriMesh::new(world.vertices, world.triangles).map_err(|e| e.to_string())?;
    let report = MeshReport::new(&mesh);
    let shape = with_self.then(|| MeshShape::new(mesh.clone())).transpose().map_err(|e| e.to_string())?;
    let itself = shape.as_ref().map(SelfReport::new);
    let volume = match report.orientation.turned() {
        _ if report.is_solid() => Some(report.signed_volume),
        None => None,
        Some(_) => Some(MeshReport::new(&mesh.oriented().0).signed_volume),
    };
    Ok(Examined { report, area, volume, itself })
}

/// Returns the report on a part as JSON.
fn members(name: &str, Examined { report: r, area, volume, itself }: &Examined) -> Value {
    let mut members = json!({
        "name": name,
        "triangles": r.n_triangles,
        "vertices": r.n_vertices,
        "min": r.min.to_array(),
        "max": r.max.to_array(),
        "watertight": r.is_watertight(),
        "solid": r.is_solid(),
        "boundary_edges": r.n_boundary_edges,
        "non_manifold_edges": r.n_non_manifold_edges,
        "flipped_edges": r.n_flipped_edges,
        "repeated_corner_triangles": r.n_repeated_corner,
        "zero_area_triangles": r.n_zero_area,
        "duplicate_triangles": r.n_duplicates,
        "components": r.n_components,
        "orientation": orientation_of(r),
        "turned_triangles": r.orientation.turned().map(<[u32]>::len),
        "area": area,
        "volume": volume,
    });
    if let (Some(members), Some(itself)) = (members.as_object_mut(), itself) {
        members.insert("self".to_owned(), Value::Object(itself.members()));
    }
    members
}

/// Returns the side to which the triangles face, in a word.
fn orientation_of(r: &MeshReport) -> &'static str {
    match r.orientation.turned() {
        None => "unknown",
        Some([]) => "outwards",
        Some(turned) if turned.len() + r.n_repeated_corner == r.n_triangles => "inwards",
        Some(_) => "mixed",
    }
}

/// Returns the orientation as text for people.
fn orientation_text(r: &MeshReport) -> String {
    match &r.orientation {
        Orientation::Unknown(why) if r.is_solid() => {
            format!("inside and outside only by the orientation of the file ({why})")
        }
        Orientation::Unknown(why) => format!("inside and outside cannot be told apart ({why})"),
        _ => match (orientation_of(r), r.orientation.turned().map_or(0, <[u32]>::len)) {
            ("outwards", _) => "all triangles face outwards".to_owned(),
            ("inwards", _) => "inside out: all triangles face inwards".to_owned(),
            (_, n) => format!("{n} of {} triangles face inwards", r.n_triangles),
        },
    }
}

/// Returns the report on a part as text for people.
fn text(file: &str, part: &Part, Examined { report: r, area, volume, itself }: &Examined) -> String {
    let seal = match (r.is_watertight(), r.is_solid()) {
        (true, true) => "watertight, with one orientation: a solid",
        (true, false) => "watertight, but neighbours are turned against each other",
        (false, true) => {
            "not watertight edge by edge, but each edge is used equally often in both directions"
        }
        (false, false) => "not watertight",
    };
    format!(
        "{}: {}\n  {} triangles, {} vertices (equal positions counted once), components: {}\n  {seal}; edges: {} open, \
         {} non-manifold, {} flipped\n  {}\n  triangles: {} with a repeated corner, {} without area, {} duplicates\n  \
         box {} to {}\n  area {}, volume {}",
        without_controls(file),
        without_controls(&part.name),
        r.n_triangles,
        r.n_vertices,
        r.n_components,
        r.n_boundary_edges,
        r.n_non_manifold_edges,
        r.n_flipped_edges,
        orientation_text(r),
        r.n_repeated_corner,
        r.n_zero_area,
        r.n_duplicates,
        spaced(r.min),
        spaced(r.max),
        report::number(*area),
        volume.map_or("unknown".to_owned(), report::number),
    ) + &itself.as_ref().map_or(String::new(), |itself| format!("\n  {}", itself.text()))
}
