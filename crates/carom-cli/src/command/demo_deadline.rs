//! `carom demo deadline`: many pairs of knots, and which of them are known to touch when the time
//! is over.
//!
//! Three searches have the same pairs and the same number of steps in each frame. The first tests
//! all pairs level by level. The second finishes each pair before the next. The third prefers the
//! pairs in the middle. Each frame shows what a program would know if it stopped there.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.6, fig. 25.19.

use crate::args::DemoArgs;
use crate::command::demo_run::{Run, chart, hash};
use crate::player::{BodyState, FrameStats, PlayerMesh, PlayerShape, Recording, View};
use carom_bounds::Obb;
use carom_geom::TriMesh;
use carom_math::{Pose, Vec3};
use carom_query::{
    AnytimeGoal, AnytimeMeshes, AnytimeOrder, AnytimeSettings, Certainty, MeshPair, MeshShape, Undecided,
    Until,
};
use carom_scenes::Rng;
use carom_scenes::mesh::{Knot, torus_knot};
use serde_json::json;

/// Triangles of a knot.
const N_TRIANGLES: usize = 3000;

/// Pairs of a search, and pairs in a row.
const N_PAIRS: usize = 24;
const IN_A_ROW: usize = 12;

/// Metres between neighbouring pairs, rows and searches.
const SPACING: [f32; 3] = [2.6, 2.2, 5.4];

/// Least and greatest distance between the centres of two knots, in metres: those far apart do not
/// touch.
const APART: [f64; 2] = [0.7, 1.3];

/// Steps of a search in a frame.
const STEPS: u64 = 24;

const ORDERS: [(&str, AnytimeOrder); 3] = [
    ("breadth first", AnytimeOrder::BreadthFirst),
    ("depth first", AnytimeOrder::DepthFirst),
    ("the middle first", AnytimeOrder::Priority),
];

/// Returns the distance of a pair from the middle, in columns.
fn from_middle(pair: usize) -> f64 {
    ((pair % IN_A_ROW) as f64 - 0.5 * (IN_A_ROW - 1) as f64).abs()
}

/// Returns the two knots of each pair, in the frame of their search.
fn pairs(seed: u64) -> Vec<MeshPair> {
    let mut rng = Rng::new(seed);
    (0..N_PAIRS)
        .map(|i| {
            let middle = |n: usize| 0.5 * (n - 1) as f32;
            let (column, row) = ((i % IN_A_ROW) as f32, (i / IN_A_ROW) as f32);
            let position = Vec3::new(
                SPACING[0] * (column - middle(IN_A_ROW)),
                SPACING[1] * (middle(N_PAIRS / IN_A_ROW) - row),
                0.0,
            );
            let half = Vec3::X * (0.5 * rng.range(APART[0], APART[1])) as f32;
            let mut pose = |at: Vec3| Pose { rotation: rng.rotation().as_quat(), translation: position + at };
            MeshPair::new(0, pose(-half), 0, pose(half))
        })
        .collect()
}

/// Runs the searches.
pub(crate) fn play(args: &DemoArgs) -> Result<Run, String> {
    let knot = torus_knot(&Knot::new(2, 3), N_TRIANGLES);
    let mesh = TriMesh::new(knot.vertices_f32(), knot.triangles.clone()).map_err(|e| e.to_string())?;
    let mesh = MeshShape::new(mesh).map_err(|e| e.to_string())?;
    let pairs = pairs(args.seed);
    let settings = AnytimeSettings::touching().with_goal(AnytimeGoal::Any);
    let mut searches: Vec<AnytimeMeshes> = ORDERS
        .iter()
        .map(|(_, order)| {
            let mut search = AnytimeMeshes::default();
            search.start(N_PAIRS, &settings.with_order(*order));
            search
        })
        .collect();
    let positions = [1.0, 0.0, -1.0].map(|row: f32| Vec3::Y * (SPACING[2] * row));
    let n_bodies = 2 * N_PAIRS * ORDERS.len();
    let shape = PlayerShape::Mesh(PlayerMesh { vertices: knot.vertices_f32(), triangles: knot.triangles });
    let lines = ORDERS.map(|(name, _)| name);
    let names =
        ORDERS.iter().flat_map(|(name, _)| (0..2 * N_PAIRS).map(move |i| format!("{name}, pair {}", i / 2)));
    let mut recording = Recording::new(
        "deadline: what is known when the time is over",
        1.0 / 30.0,
        vec![shape],
        vec![0; n_bodies],
    )
    .with_names(names.collect())
    .with_state_names([
        "",
        "",
        "knots that are surely apart",
        "",
        "knots of which nothing is sure yet",
        "knots that surely touch",
    ])
    .with_shown(&["contacts"])
    .with_view(View { target: Vec3::ZERO, distance: 24.0, yaw: 0.0, pitch: 0.1, speed: 1.0 })
    .with_charts(vec![
        chart("pairs that are decided", "", &lines),
        chart("levels of the trees that are settled, least of all pairs", "", &lines),
    ]);
    let (mut contacts, mut hashed, mut rows) = (Vec::new(), 0, vec![None; ORDERS.len()]);
    let n_frames = args.n_frames();
    for frame in 0..=n_frames {
        let (mut poses, mut states, mut points) = (Vec::new(), Vec::new(), Vec::new());
        let (mut decided, mut levels) = (Vec::new(), Vec::new());
        for ((search, position), first) in searches.iter_mut().zip(&positions).zip(&mut rows) {
            if 0 < frame {
                let until = Until::done().with_steps(STEPS);
                // Within one pair, nodes deeper in the trees come first.
                let urgency = |undecided: &Undecided<Obb>| {
                    f64::from(undecided.level) - 100.0 * from_middle(undecided.pair as usize)
                };
                search.run_by(&[&mesh], &pairs, until, urgency).map_err(|e| e.to_string())?;
            }
            search.contacts(&[&mesh], &pairs, &mut contacts).map_err(|e| e.to_string())?;
            let (mut n, mut least) = (0, u32::MAX);
            for (i, pair) in pairs.iter().enumerate() {
                let answer = search.answer(i);
                let state = match answer.certainty {
                    Certainty::Apart => BodyState::Awake,
                    Certainty::Touching => BodyState::Colliding,
                    _ => BodyState::Near,
                };
                if answer.certainty == Certainty::Unknown {
                    least = least.min(answer.level);
                    // A point at which they may touch, by their boxes.
                    points
                        .extend(contacts.get(i).copied().flatten().map(|contact| contact.point + *position));
                } else {
                    n += 1;
                }
                for pose in [pair.pose_a, pair.pose_b] {
                    poses.push(Pose { translation: pose.translation + *position, ..pose });
                    states.push(state);
                }
            }
            decided.push(n as f64);
            levels.push(f64::from(if least == u32::MAX { 0 } else { least }));
            if n == N_PAIRS && first.is_none() {
                *first = Some(frame);
            }
            hashed = hash([hashed, n as u64]);
        }
        decided.extend(levels);
        recording.push(poses, states, &points, FrameStats { values: decided });
        recording.push_caption(&format!("from above: {}", lines.join(", ")));
    }
    let ends = ORDERS.iter().zip(&rows).map(|((name, _), end)| {
        let steps = end.map_or_else(|| "not all".to_owned(), |frame| (u64::from(frame) * STEPS).to_string());
        (name, steps)
    });
    let table: Vec<_> = ends.clone().map(|(name, steps)| json!([name, steps])).collect();
    let summary: Vec<String> = ends.map(|(name, steps)| format!("{name}: {steps}")).collect();
    let recording = recording
        .with_table(json!({ "columns": ["order", "steps until all pairs are decided"], "rows": table }));
    let mut run = Run::of(hashed, n_bodies, [0.0; 3], 0, Vec::new(), recording);
    run.summary = Some(format!(
        "{N_PAIRS} pairs of knots of {N_TRIANGLES} triangles, three orders\n  steps until all pairs are decided: {}",
        summary.join(", ")
    ));
    Ok(run)
}
