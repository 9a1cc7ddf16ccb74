//! The actions of a user on a scene.

use carom_broad::Mobility;
use carom_broad_auto::catalogue::ALGORITHMS;
use carom_math::Vec3;
use carom_web::scenes::{Request, scene};
use carom_web::{Action, ReplayOutcome, Setting, SpawnShape, Testbed};

fn start(name: &str, count: usize) -> Testbed {
    Testbed::start(scene(name).unwrap(), Request { count, seed: 3 }, "dynamic-bvh").unwrap()
}

fn run(bed: &mut Testbed, n_steps: usize) -> u64 {
    (0..n_steps).for_each(|_| bed.step().unwrap());
    bed.state_hash()
}

/// A ray that meets the box on top of a pyramid of five rows.
const AT_TOP: Action = Action::Grab { origin: [0.0, 4.5, 9.0], direction: [0.0, 0.0, -1.0] };

#[test]
fn restart_gives_the_same_hash() {
    for (name, count) in [("pile", 40), ("vehicle", 12), ("characters", 8), ("waves", 20), ("raft", 1)] {
        let mut bed = start(name, count);
        let hash = run(&mut bed, 25);
        bed.restart().unwrap();
        assert_eq!(bed.n_steps(), 0);
        assert_eq!(run(&mut bed, 25), hash, "{name}");
    }
}

#[test]
fn each_broad_phase_can_take_over_at_any_time() {
    let (mut bed, mut other) = (start("pile", 40), start("pile", 40));
    for listed in ALGORITHMS {
        bed.set_broad_phase(listed.name).unwrap();
        assert_eq!(bed.broad_phase(), listed.name);
        assert_eq!(run(&mut bed, 5), run(&mut other, 5), "{}", listed.name);
    }
    assert!(bed.set_broad_phase("none").is_err());
}

#[test]
fn broad_phases_change_in_scenes_with_actors() {
    for (name, count) in [("vehicle", 12), ("characters", 8), ("waves", 20), ("cloth", 8), ("joints", 12)] {
        let (mut bed, mut other) = (start(name, count), start(name, count));
        run(&mut bed, 10);
        run(&mut other, 10);
        bed.set_broad_phase("sweep-and-prune").unwrap();
        assert_eq!(run(&mut bed, 15), run(&mut other, 15), "{name}");
    }
}

#[test]
fn a_saved_state_goes_on_with_the_same_hash() {
    let mut bed = start("characters", 8);
    assert!(bed.load().is_err());
    run(&mut bed, 12);
    bed.save();
    let hash = run(&mut bed, 12);
    bed.act(&Action::Spawn { shape: SpawnShape::Box, at: [0.0, 3.0, 0.0], size: 0.4 }).unwrap();
    run(&mut bed, 7);
    bed.load().unwrap();
    assert_eq!((bed.n_steps(), run(&mut bed, 12)), (12, hash));
}

#[test]
fn a_drag_moves_one_body_to_the_target() {
    let mut bed = start("pyramid", 5);
    run(&mut bed, 5);
    bed.act(&AT_TOP).unwrap();
    bed.act(&Action::Drag { to: [0.0, 8.0, 0.5] }).unwrap();
    run(&mut bed, 120);
    let top = bed
        .world()
        .body_ids()
        .map(|id| bed.world().body(id).unwrap().pose().translation.y)
        .fold(0.0, f32::max);
    assert!((top - 8.0).abs() < 0.6, "{top}");
    bed.act(&Action::Release).unwrap();
    run(&mut bed, 20);
    let falls = bed
        .world()
        .body_ids()
        .map(|id| bed.world().body(id).unwrap().pose().translation.y)
        .fold(0.0, f32::max);
    assert!(falls < top - 0.1, "{falls}");
    // Nothing is held where the ray meets the floor, or nothing.
    run(&mut bed, 60);
    bed.act(&Action::Grab { origin: [50.0, 4.5, 9.0], direction: [0.0, -1.0, 0.0] }).unwrap();
    bed.act(&Action::Drag { to: [0.0, 9.0, 0.0] }).unwrap();
    let before = bed.state_hash();
    bed.save();
    let after = run(&mut bed, 1);
    bed.load().unwrap();
    bed.act(&Action::Release).unwrap();
    assert_eq!((bed.state_hash(), run(&mut bed, 1)), (before, after));
}

#[test]
fn what_is_added_is_there() {
    let mut bed = start("pyramid", 3);
    let n = bed.world().len();
    for shape in [
        SpawnShape::Box,
        SpawnShape::Ball,
        SpawnShape::Capsule,
        SpawnShape::Cylinder,
        SpawnShape::Cone,
        SpawnShape::Hull,
        SpawnShape::Ring,
    ] {
        let x = 3.0 * f32::from(shape as u8);
        bed.act(&Action::Spawn { shape, at: [x, 5.0, 4.0], size: 0.5 }).unwrap();
    }
    bed.act(&Action::Shoot { origin: [0.0, 1.0, 20.0], velocity: [0.0, 0.0, -40.0], radius: 0.3 }).unwrap();
    // A closed mesh, then an open one.
    let vertices = vec![[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [0.0, 9.0, 0.0], [0.0, 0.0, 9.0]];
    let closed = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    for triangles in [closed.clone(), closed[..3].to_vec()] {
        let vertices = vertices.clone();
        bed.act(&Action::Drop { vertices, triangles, at: [-4.0, 3.0, 3.0], size: 0.7 }).unwrap();
    }
    assert_eq!(bed.world().len(), n + 10);
    run(&mut bed, 90);
    bed.world().validate().unwrap();
    let flat =
        Action::Drop { vertices: vec![[1.0; 3]; 3], triangles: vec![[0, 1, 2]], at: [0.0; 3], size: 1.0 };
    assert!(
        bed.act(&flat).is_err()
            && bed.act(&Action::Spawn { shape: SpawnShape::Ball, at: [0.0; 3], size: -1.0 }).is_err()
    );
    assert_eq!(bed.world().len(), n + 10);
}

#[test]
fn settings_act_and_outlive_a_restart() {
    let mut bed = start("pyramid", 4);
    for (setting, value) in [
        (Setting::Gravity, 0.0),
        (Setting::Friction, 0.9),
        (Setting::Restitution, 0.5),
        (Setting::Substeps, 9.0),
        (Setting::Sleeping, 0.0),
        (Setting::Ccd, 1.0),
    ] {
        bed.act(&Action::Set { setting, value }).unwrap();
    }
    for _ in 0..2 {
        let solver = bed.world().settings().solver;
        assert_eq!((solver.gravity, solver.substeps, solver.sleep), (-Vec3::ZERO, 9, false));
        run(&mut bed, 60);
        let highest = bed.world().body_ids().map(|id| bed.world().body(id).unwrap().pose().translation.y);
        assert!(highest.fold(0.0, f32::max) < 4.6, "nothing flies away or falls");
        bed.restart().unwrap();
    }
    assert!(bed.act(&Action::Set { setting: Setting::Substeps, value: 0.0 }).is_err());
    assert!(bed.act(&Action::Set { setting: Setting::Friction, value: -1.0 }).is_err());
}

#[test]
fn a_recording_is_replayed_to_the_same_bits() {
    let mut bed = start("pyramid", 5);
    assert!(bed.end_recording().is_err() && bed.start_replay().is_err());
    run(&mut bed, 7);
    bed.record().unwrap();
    bed.act(&AT_TOP).unwrap();
    for step in 0..40 {
        bed.act(&Action::Drag { to: [0.1 * step as f32, 6.0, 0.0] }).unwrap();
        run(&mut bed, 1);
    }
    bed.act(&Action::Release).unwrap();
    let origin = [0.0, 2.0, 12.0];
    bed.act(&Action::Shoot { origin, velocity: [0.0, 0.0, -30.0], radius: 0.4 }).unwrap();
    let hash = run(&mut bed, 30);
    assert_eq!(bed.end_recording().unwrap(), 70);
    run(&mut bed, 11);
    bed.start_replay().unwrap();
    assert_eq!((bed.n_steps(), bed.replay()), (7, Some(ReplayOutcome::Running)));
    assert!(bed.act(&Action::Release).is_err(), "a replay is not disturbed");
    assert_eq!(run(&mut bed, 70), hash);
    assert_eq!(bed.replay(), Some(ReplayOutcome::Same));
    bed.act(&Action::Release).unwrap();
}

#[test]
fn a_pair_is_explained() {
    let mut bed = start("pyramid", 3);
    run(&mut bed, 30);
    let ids: Vec<_> = bed.world().body_ids().collect();
    // The floor, and the first box of the lowest row.
    let found = bed.explain(ids[1], ids[0]).unwrap();
    assert_eq!(
        (found["a"]["shape"].as_str(), found["b"]["shape"].as_str()),
        (Some("half-space"), Some("box"))
    );
    assert_eq!((found["touching"].as_bool(), found["phase"].as_str()), (Some(true), Some("narrow phase")));
    assert_eq!(found["contacts"].as_array().unwrap().len(), 4);
    assert!(found["contacts"][0]["features"][1].as_str().is_some_and(|feature| !feature.is_empty()));
    // A floor of several parts touches with several manifolds: the deepest contact is the first.
    let mut n_unsorted = 0;
    for scene in ["pyramid", "playground", "pile"] {
        let mut bed = start(scene, 8);
        run(&mut bed, 40);
        let pairs: Vec<_> = bed.world().contacts().map(|view| (view.a, view.b)).collect();
        for (a, b) in pairs {
            let found = bed.explain(a, b).unwrap();
            let distances: Vec<f64> = found["contacts"]
                .as_array()
                .unwrap()
                .iter()
                .map(|c| c["distance"].as_f64().unwrap())
                .collect();
            assert!(distances.is_sorted(), "{scene}: {found}");
            let view = bed.world().contacts().find(|view| (view.a, view.b) == (a, b)).unwrap();
            let own: Vec<f32> =
                view.manifolds.iter().flat_map(|m| m.contacts()).map(|contact| contact.distance).collect();
            n_unsorted += usize::from(!own.is_sorted());
        }
    }
    assert!(0 < n_unsorted, "no pair had another order");
    // The first box and the third one, which are two metres apart.
    let apart = bed.explain(ids[1], ids[3]).unwrap();
    assert_eq!((apart["touching"].as_bool(), apart["phase"].as_str()), (Some(false), Some("broad phase")));
    assert!((apart["distance"].as_f64().unwrap() - 1.1).abs() < 0.01, "{apart}");
    // Two ends of a joint, and two limbs of a family.
    let mut bed = start("joints", 12);
    run(&mut bed, 2);
    let joint = bed.world().joints().next().unwrap().bodies();
    let held = bed.explain(joint[0], joint[1]).unwrap();
    assert_eq!(held["phase"].as_str(), Some("filter"), "{held}");
}

/// Actions after the last step of a recording belong to its end.
#[test]
fn a_recording_may_end_with_an_action() {
    let spawn = Action::Spawn { shape: SpawnShape::Box, at: [0.0, 5.0, 0.0], size: 0.5 };
    let origin = [0.0, 2.0, 12.0];
    let shoot = Action::Shoot { origin, velocity: [0.0, 0.0, -30.0], radius: 0.4 };
    for actions in [vec![], vec![spawn.clone()], vec![spawn, shoot], vec![AT_TOP]] {
        let mut bed = start("pyramid", 5);
        run(&mut bed, 3);
        bed.record().unwrap();
        run(&mut bed, 2);
        actions.iter().for_each(|action| bed.act(action).unwrap());
        let hash = bed.state_hash();
        bed.end_recording().unwrap();
        run(&mut bed, 4);
        bed.start_replay().unwrap();
        run(&mut bed, 1);
        assert_eq!(bed.replay(), Some(ReplayOutcome::Running), "{actions:?}");
        run(&mut bed, 1);
        assert_eq!(bed.replay(), Some(ReplayOutcome::Same), "{actions:?}");
        assert_eq!(bed.state_hash(), hash, "{actions:?}");
    }
}

/// A recording and a saved state have their own settings: later changes do not reach them.
#[test]
fn settings_belong_to_a_state() {
    let spawn = Action::Spawn { shape: SpawnShape::Box, at: [0.3, 6.0, 0.0], size: 0.4 };
    for setting in [Setting::Friction, Setting::Gravity] {
        let later = Action::Set { setting, value: 0.0 };
        let mut bed = start("pyramid", 4);
        bed.record().unwrap();
        bed.act(&spawn).unwrap();
        run(&mut bed, 60);
        bed.end_recording().unwrap();
        bed.act(&later).unwrap();
        bed.start_replay().unwrap();
        run(&mut bed, 60);
        assert_eq!(bed.replay(), Some(ReplayOutcome::Same), "{setting:?}");
        bed.save();
        bed.act(&spawn).unwrap();
        let hash = run(&mut bed, 60);
        bed.load().unwrap();
        bed.act(&later).unwrap();
        bed.load().unwrap();
        bed.act(&spawn).unwrap();
        assert_eq!(run(&mut bed, 60), hash, "{setting:?}");
    }
}

/// A ball passes a gate by a hook, and that is the reason, in the gate too.
#[test]
fn a_ball_in_a_gate_is_explained() {
    let mut bed = start("playground", 1);
    let (mut n_at_gate, mut n) = (0, 0);
    for _ in 0..120 {
        run(&mut bed, 1);
        let ids: Vec<_> = bed.world().body_ids().collect();
        let is_of =
            |id: &&carom_world::BodyId, name: &str| bed.world().body(**id).unwrap().shape().name() == name;
        let gates = ids.iter().filter(|id| bed.world().body(**id).unwrap().user_data() == 3);
        for gate in gates {
            for ball in ids.iter().filter(|id| is_of(id, "ball")) {
                let found = bed.explain(*gate, *ball).unwrap();
                n += 1;
                if found["distance"].as_f64().unwrap() <= 0.0 {
                    n_at_gate += 1;
                    assert_eq!(found["phase"].as_str(), Some("filter"), "{found}");
                    assert!(found["reason"].as_str().unwrap().contains("hook"), "{found}");
                }
            }
        }
    }
    assert!(0 < n_at_gate && n_at_gate < n, "{n_at_gate} {n}");
}

/// The switch of CCD gives back what it took: switched on and off, bullets are swept as before, and
/// so are balls that are shot.
#[test]
fn switched_off_ccd_is_that_of_the_scene() {
    let mut bed = start("bullets", 4);
    let swept = |bed: &Testbed| -> Vec<bool> {
        let world = bed.world();
        world.body_ids().map(|id| world.body(id).unwrap().ccd()).collect()
    };
    let before = swept(&bed);
    assert!(before.contains(&true) && before.contains(&false));
    bed.act(&Action::Spawn { shape: SpawnShape::Box, at: [0.0, 9.0, 0.0], size: 0.2 }).unwrap();
    bed.act(&Action::Set { setting: Setting::Ccd, value: 1.0 }).unwrap();
    bed.act(&Action::Spawn { shape: SpawnShape::Ball, at: [0.0, 12.0, 0.0], size: 0.2 }).unwrap();
    let world = bed.world();
    let is_dynamic = |id: &carom_world::BodyId| world.body(*id).unwrap().mobility() == Mobility::Dynamic;
    assert!(world.body_ids().filter(is_dynamic).all(|id| world.body(id).unwrap().ccd()));
    bed.act(&Action::Set { setting: Setting::Ccd, value: 0.0 }).unwrap();
    let shoot = Action::Shoot { origin: [0.0, 20.0, 0.0], velocity: [0.0; 3], radius: 0.1 };
    bed.act(&shoot).unwrap();
    let mut expected = before.clone();
    expected.extend([false, false, true]);
    assert_eq!(swept(&bed), expected);
    bed.restart().unwrap();
    assert_eq!(swept(&bed), before);
}

/// A body that is added wakes no others, whatever the user changed before.
#[test]
fn an_added_body_wakes_no_others() {
    let mut bed = start("pyramid", 4);
    bed.act(&Action::Set { setting: Setting::Friction, value: 0.7 }).unwrap();
    run(&mut bed, 300);
    let n_awake = |bed: &Testbed| bed.world().active_bodies().count();
    assert_eq!(n_awake(&bed), 0);
    bed.act(&Action::Spawn { shape: SpawnShape::Box, at: [0.0, 50.0, 0.0], size: 0.2 }).unwrap();
    run(&mut bed, 1);
    assert_eq!(n_awake(&bed), 1);
}
