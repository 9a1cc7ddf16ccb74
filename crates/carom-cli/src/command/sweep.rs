//! `carom sweep`: when a shape that moves first meets one that stays, with a proof.
//!
//! The reported time is the safe end of a proved bracket: nothing touches before it. A contact that
//! cannot be proved, as of shapes that only graze each other, is reported as a hit that is not
//! certified, and not as a miss.

use crate::args::SweepArgs;
use crate::command::distance;
use crate::report::{self, Outcome, spaced};
use crate::solid::{Solid, Winding};
use carom_math::f64::Pose;
use carom_math::tol;
use carom_query::f64::{cast, cast_counted, contact, motion_of};
use carom_query::{ImpactCounters, ImpactSettings, Motion, TimeOfImpact, Workspace};
use glam::{DQuat, DVec3};
use serde_json::{Map, Value, json};

/// Runs the command.
pub fn run(args: &SweepArgs, winding: Winding) -> Result<Outcome, String> {
    let ([a, b], remarks) = distance::read_pair(&args.pair, winding)?;
    let angular = match &args.rotate_by {
        None => DVec3::ZERO,
        Some(turn) => angular(&turn.0).map_err(|e| format!("--rotate-by: {e}"))?,
    };
    let mut document = Map::new();
    document.insert("schema".to_owned(), json!("carom.sweep.v1"));
    document.extend(members(&a, &b, DVec3::from_array(args.by.0), angular, args.cost, args.proof)?);
    remarks.add_to(&mut document);
    let is_hit = document["hit"] == json!(true);
    if args.json {
        report::print(&Value::Object(document).to_string())?;
    } else {
        report::print(&sentence(&document))?;
    }
    Ok(remarks.outcome(is_hit))
}

/// Returns the axis times the angle, in radians, of a turn by a unit quaternion x, y, z, w, the
/// short way.
pub fn angular(quaternion: &[f64; 4]) -> Result<DVec3, String> {
    let (still, turned) = (DQuat::IDENTITY, DQuat::from_array(*quaternion));
    let motion = Motion::between((still, DVec3::ZERO), (turned, DVec3::ZERO), DVec3::ZERO, 1.0);
    motion.map(|motion| motion.angular()).map_err(|e| e.to_string())
}

/// Returns the answer of `sweep` as JSON members, without the schema. A moves by a vector and turns
/// about the origin of its frame; B stays. The cost is added if it is wanted. So is the proof, a
/// lower bound of the distance, if they do not meet.
pub fn members(
    a: &Solid,
    b: &Solid,
    by: DVec3,
    angular: DVec3,
    wants_cost: bool,
    wants_proof: bool,
) -> Result<Map<String, Value>, String> {
    let largest = by.abs().max_element();
    if tol::MAX_LENGTH < largest {
        return Err(format!("a way of {largest} is longer than any length may be"));
    }
    let motion_a = motion_of(&a.pose, a.origin, by, angular).map_err(|e| format!("A: {e}"))?;
    let motion_b =
        motion_of(&b.pose, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO).map_err(|e| format!("B: {e}"))?;
    let settings = ImpactSettings::default().with_tolerance(tol::SWEEP_BRACKET).with_distance(wants_proof);
    let (mut memory, mut counters) = (Workspace::default(), ImpactCounters::default());
    let answer = if wants_cost {
        cast_counted(&a.shape, &motion_a, &b.shape, &motion_b, &settings, &mut memory, &mut counters)
    } else {
        cast(&a.shape, &motion_a, &b.shape, &motion_b, &settings)
    };
    let point_and_normal = match &answer {
        TimeOfImpact::Hit(impact) => Some((impact.point_a, impact.normal)),
        TimeOfImpact::Undecided(undecided) => {
            // The points at which they are nearest at the end of the safe time.
            let then = motion_a.pose_at(undecided.t_safe);
            let pose = Pose::new(DQuat::from_mat3(&then.rotation).normalize(), then.translation);
            contact(&a.shape, &pose, &b.shape, &b.pose, f64::INFINITY)
                .map(|found| (found.contact.point_a, found.contact.normal))
        }
        TimeOfImpact::Clear(_) => None,
    };
    let mut members = time_members(&answer);
    if let TimeOfImpact::Clear(clear) = &answer
        && wants_proof
    {
        members.insert("distance_at_least".to_owned(), json!(clear.distance));
    }
    members
        .insert("point".to_owned(), point_and_normal.map_or(Value::Null, |(point, _)| report::list(point)));
    members.insert(
        "normal".to_owned(),
        point_and_normal.map_or(Value::Null, |(_, normal)| report::list(normal)),
    );
    if wants_cost {
        members.insert("cost".to_owned(), Value::Object(cost_members(&counters)));
    }
    Ok(members)
}

/// Returns the cost of a sweep as JSON members.
fn cost_members(counters: &ImpactCounters) -> Map<String, Value> {
    let members = [
        ("nodes", counters.nodes),
        ("volume_tests", counters.volume_tests),
        ("leaves", counters.leaves),
        ("primitives", counters.primitives),
        ("volume_updates", counters.volume_updates),
        ("searches", counters.searches),
        ("proposals", counters.proposals),
        ("iterations", counters.iterations),
        ("supports", counters.supports),
        ("separations", counters.separations),
    ];
    members.into_iter().map(|(name, count)| (name.to_owned(), json!(count))).collect()
}

/// Returns whether there is a hit, the bracket of its time, and whether the answer is proved.
pub fn time_members(answer: &TimeOfImpact) -> Map<String, Value> {
    let (time, time_end, is_certified) = match answer {
        TimeOfImpact::Hit(impact) => (Some(impact.t_lo), Some(impact.t_hi), true),
        TimeOfImpact::Undecided(undecided) => (Some(undecided.t_safe), None, false),
        TimeOfImpact::Clear(_) => (None, None, true),
    };
    let mut members = Map::new();
    members.insert("hit".to_owned(), json!(time.is_some()));
    members.insert("time".to_owned(), json!(time));
    members.insert("time_end".to_owned(), json!(time_end));
    members.insert("certified".to_owned(), json!(is_certified));
    members
}

/// Returns the answer as text for people; the proof and the cost have lines of their own.
fn sentence(d: &Map<String, Value>) -> String {
    let mut text = answer_sentence(d);
    if let Some(bound) = d.get("distance_at_least").and_then(Value::as_f64) {
        text.push_str(&format!("\nproof: they are never nearer than {}", report::number(bound)));
    }
    if let Some(line) = report::cost_line(d) {
        text.push('\n');
        text.push_str(&line);
    }
    text
}

fn answer_sentence(d: &Map<String, Value>) -> String {
    if d["hit"] != json!(true) {
        return "no hit".to_owned();
    }
    let vector = |key: &str| {
        let x = |i: usize| d[key][i].as_f64().unwrap_or(f64::NAN);
        spaced(DVec3::new(x(0), x(1), x(2)))
    };
    let location = if d["point"].is_null() {
        String::new()
    } else {
        format!(", at {}, normal {}", vector("point"), vector("normal"))
    };
    let time = |key: &str| report::number(d[key].as_f64().unwrap_or(f64::NAN));
    match &d["time_end"] {
        Value::Null => format!("perhaps a hit, not before {}{location}", time("time")),
        _ => format!("hit between {} and {}{location}", time("time"), time("time_end")),
    }
}
