//! Collision detection by priority: pairs of meshes are tested in the order of their noticeability
//! to a viewer, with a search that ends before all are decided.

use carom_geom::TriMesh;
use carom_math::{Pose, Quat, Vec3};
use carom_query::{
    AnytimeGoal, AnytimeMeshes, AnytimeOrder, AnytimeSettings, Certainty, MeshPair, MeshShape, Until,
};
use carom_scenes::mesh::{Knot, torus_knot};
use carom_world::Viewer;
use std::error::Error;

/// The steps of the search: too few for all pairs.
const STEPS: u64 = 900;

fn main() -> Result<(), Box<dyn Error>> {
    let knot = torus_knot(&Knot::new(2, 3), 2_000);
    let mesh = MeshShape::new(TriMesh::new(knot.vertices_f32(), knot.triangles)?)?;
    let radius = 3.0;

    // A view of 60 degrees with pixels of a milliradian, along a street of pairs.
    let viewer = Viewer::new(Vec3::new(0.0, 2.0, 0.0), Vec3::NEG_Z, 0.52, 0.001)?;
    let mut scene = Vec::new();
    for row in -4..16 {
        for (side, speed) in [(-1.0, 0.0), (1.0, 15.0)] {
            let center = Vec3::new(8.0 * side, 0.0, -12.0 * row as f32);
            let beside = center + Vec3::X * 1.2;
            let pair = MeshPair::new(
                0,
                Pose::from_translation(center),
                0,
                Pose::new(Quat::from_rotation_y(0.3 * row as f32), beside),
            );
            let velocity = Vec3::X * speed;
            // An overlap is no larger than the less noticeable of its two bodies.
            let noticed = viewer
                .noticeability(center, radius, velocity)
                .min(viewer.noticeability(beside, radius, velocity));
            scene.push((pair, noticed));
        }
    }
    let pairs: Vec<MeshPair> = scene.iter().map(|(pair, _)| *pair).collect();

    let mut search = AnytimeMeshes::default();
    let settings = AnytimeSettings::touching().with_goal(AnytimeGoal::Any).with_order(AnytimeOrder::Priority);
    search.start(pairs.len(), &settings);
    search.run_by(&[&mesh], &pairs, Until::done().with_steps(STEPS), |undecided| {
        // In one pair the deeper part comes first: it is nearer to an answer.
        1000.0 * f64::from(scene[undecided.pair as usize].1) + f64::from(undecided.level)
    })?;

    let mut order: Vec<usize> = (0..pairs.len()).collect();
    order.sort_by(|a, b| scene[*b].1.total_cmp(&scene[*a].1));
    println!("noticed   ahead  decided");
    for &pair in &order {
        let certainty = search.answer(pair).certainty;
        let ahead = -pairs[pair].pose_a.translation.z;
        println!("{:7.1} {ahead:5.0} m  {certainty:?}", scene[pair].1);
    }
    let n_waiting = |is_visible: bool| {
        let waits = |pair: &usize| search.answer(*pair).certainty == Certainty::Unknown;
        (0..pairs.len()).filter(|pair| (0.0 < scene[*pair].1) == is_visible).filter(waits).count()
    };
    println!("undecided: {} pairs in the view, {} out of it", n_waiting(true), n_waiting(false));
    let is_decided = |pair: &usize| search.answer(*pair).certainty != Certainty::Unknown;
    let n_decided = order.iter().filter(|pair| is_decided(pair)).count();
    assert!(10 < n_decided && n_decided < pairs.len(), "{n_decided} are decided");
    assert!(order[..n_decided].iter().all(is_decided), "what is noticed more is decided first");
    Ok(())
}
