//! `carom distance`: the distance of two shapes, or how they overlap.

use crate::args::{DistanceArgs, Numbers, PairArgs};
use crate::remarks::Remarks;
use crate::report::{self, Outcome, counted, spaced};
use crate::shape_arg::ShapeArg;
use crate::solid::{self, Solid, Winding};
use carom_io::Placement;
use carom_query::QueryCost;
use glam::DVec3;
use serde_json::{Map, Value, json};

/// Runs the command.
pub fn run(args: &DistanceArgs, winding: Winding) -> Result<Outcome, String> {
    let ([a, b], remarks) = read_pair(&args.pair, winding)?;
    let mut document = Map::new();
    document.insert("schema".to_owned(), json!("carom.distance.v1"));
    let mut cost = QueryCost::default();
    document.extend(report::distance_members(&a, &b, false, &mut cost));
    if let Some(plane) = report::plane_members(&a, &b) {
        document.insert("plane".to_owned(), plane);
    }
    if args.cost {
        document.insert("cost".to_owned(), report::cost_members(&cost));
    }
    remarks.add_to(&mut document);
    let is_intersecting = document["intersects"] == json!(true);
    if args.json {
        report::print(&Value::Object(document).to_string())?;
    } else {
        report::print(&sentence(&document))?;
        if let Some(line) = proof_line(&document).filter(|_| args.proof) {
            report::print(&line)?;
        }
        if let Some(line) = report::cost_line(&document) {
            report::print(&line)?;
        }
    }
    Ok(remarks.outcome(is_intersecting))
}

/// Reads the two shapes of a command line in their places. Prints the remarks on them, and returns
/// both.
pub fn read_pair(args: &PairArgs, winding: Winding) -> Result<([Solid; 2], Remarks), String> {
    let pair = [
        read("A", &args.a, args.scale_a, args.pose_a, args.matrix_a, args, winding)?,
        read("B", &args.b, args.scale_b, args.pose_b, args.matrix_b, args, winding)?,
    ];
    let mut remarks = Remarks::default();
    pair.iter().for_each(|solid| remarks.add(&solid.remarks));
    remarks.print();
    Ok((pair, remarks))
}

fn read(
    which: &str,
    shape: &ShapeArg,
    scale: f64,
    pose: Option<Numbers<7>>,
    matrix: Option<Numbers<16>>,
    args: &PairArgs,
    winding: Winding,
) -> Result<Solid, String> {
    let placement = match (pose, matrix) {
        (Some(pose), _) => solid::placement_of_pose(&pose.0),
        (None, Some(matrix)) => solid::rigid_placement(&matrix.0),
        (None, None) => Ok(Placement::IDENTITY),
    };
    let placement = placement.map_err(|e| format!("{which}: {e}"))?;
    solid::build_with(&shape.0, scale, &placement, winding, &args.reading.options(false))
}

/// Returns the proof that the shapes are apart as text; `None` if they meet or no proof was found.
fn proof_line(d: &Map<String, Value>) -> Option<String> {
    if let Some(plane) = d.get("plane") {
        let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
        let normal = spaced(DVec3::from_array([0, 1, 2].map(|i| number(&plane["normal"][i]))));
        let [end, start] = ["end_of_a", "start_of_b"].map(|name| report::number(number(&plane[name])));
        return Some(format!("proof: along {normal} A ends at {end}, and B begins at {start}"));
    }
    let bound = d.get("distance_at_least")?.as_f64().filter(|bound| 0.0 < *bound)?;
    Some(format!("proof: no plane was found; they are apart by at least {}", report::number(bound)))
}

/// Returns the answer as text for people.
fn sentence(d: &Map<String, Value>) -> String {
    let vector = |key: &str| {
        let x = |i: usize| d[key][i].as_f64().unwrap_or(f64::NAN);
        spaced(DVec3::new(x(0), x(1), x(2)))
    };
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    if d["intersects"] != json!(true) {
        let distance = report::number(number(&d["distance"]));
        return format!("apart by {distance}, from {} to {}", vector("point_a"), vector("point_b"));
    }
    match (d.get("triangle_pairs"), d.get("depth")) {
        (Some(n), _) => {
            let pairs = counted(number(n) as usize, "pair", "pairs");
            format!("intersecting: {pairs} of triangles, one of them at {}", vector("point_a"))
        }
        (None, Some(depth)) => {
            let depth = report::number(number(depth));
            format!("overlapping by {depth}; B comes free along {}", vector("normal"))
        }
        (None, None) => format!("intersecting, at {}", vector("point_a")),
    }
}
