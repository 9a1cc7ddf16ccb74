//! The session of a page: commands, answers, and the numbers that are drawn.

use carom_web::scenes::{Request, SCENES, scene};
use carom_web::{Live, NONE, Testbed};
use serde_json::{Value, json};

fn run_command(live: &mut Live, command: &Value) -> Value {
    serde_json::from_str(&live.command(&command.to_string())).unwrap()
}

/// A session with a scene of a chosen count.
fn start(name: &str, count: usize) -> Live {
    let mut live = Live::new().unwrap();
    let state = run_command(&mut live, &json!({"command": "start", "scene": name, "count": count}));
    assert_eq!(state["scene"], name, "{state}");
    live
}

fn run(live: &mut Live, n_steps: usize) -> Value {
    (0..n_steps).for_each(|_| live.step().unwrap());
    live.update_picture().unwrap();
    run_command(live, &json!({"command": "state"}))["hash"].clone()
}

fn draw_all() -> Value {
    json!({
        "command": "draw", "contacts": true, "joints": true, "boxes": true, "volumes": true, "islands": true,
        "triangles": true,
    })
}

/// The buffers fit together in each scene: a pose and a state for each thing, vertices for each
/// sheet, positions for each cloud, and a description for each shape.
#[test]
fn pictures_of_all_scenes_fit_together() {
    let (mut n_sheets, mut n_clouds, mut n_wheels) = (0, 0, 0);
    for scene in SCENES {
        let mut live = start(scene.name, scene.count.usual.min(30));
        run_command(&mut live, &draw_all());
        run(&mut live, 3);
        let layout = run_command(&mut live, &json!({"command": "layout", "first": 0}));
        let picture = live.picture();
        let n = picture.bodies.len() / 2;
        assert_eq!((picture.poses.len(), picture.states.len()), (7 * n, n), "{}", scene.name);
        let n_shapes = layout["shapes"].as_array().unwrap().len() as u32;
        for row in picture.bodies.chunks_exact(2) {
            assert!(row[1] < n_shapes || row[1] == NONE, "{}: shape {}", scene.name, row[1]);
            n_wheels += usize::from(row[0] == NONE);
        }
        let n_vertices = |sheet: &Value| {
            sheet["triangles"]
                .as_array()
                .unwrap()
                .iter()
                .map(|v| v.as_u64().unwrap() as usize + 1)
                .max()
                .unwrap()
        };
        let sheets = layout["sheets"].as_array().unwrap();
        assert_eq!(picture.sheets.len(), 3 * sheets.iter().map(n_vertices).sum::<usize>(), "{}", scene.name);
        let clouds = layout["clouds"].as_array().unwrap();
        let n_particles: u64 = clouds.iter().map(|cloud| cloud["n"].as_u64().unwrap()).sum();
        assert_eq!(picture.particles.len() as u64, 3 * n_particles, "{}", scene.name);
        assert_eq!(picture.islands.len(), n, "{}", scene.name);
        assert!(
            picture.contacts.len().is_multiple_of(7)
                && picture.volumes.len().is_multiple_of(7)
                && picture.joints.len().is_multiple_of(6)
                && picture.boxes.len().is_multiple_of(7)
        );
        let numbers = [&picture.poses, &picture.contacts, &picture.joints, &picture.boxes, &picture.sheets];
        assert!(numbers.iter().all(|list| list.iter().all(|x| x.is_finite())), "{}", scene.name);
        n_sheets += sheets.len();
        n_clouds += clouds.len();
    }
    assert_eq!((n_sheets, n_clouds, n_wheels), (4, 3, 16));
}

/// Bodies that touch are one island, and those that fall alone are one each. Levels of the broad
/// phase contain the boxes of the bodies.
#[test]
fn islands_and_levels_are_those_of_the_world() {
    let mut live = start("pyramid", 5);
    run_command(&mut live, &draw_all());
    run(&mut live, 60);
    let moving = |live: &Live| {
        let picture = live.picture();
        let rows = picture.islands.iter().zip(&picture.states).filter(|(_, state)| **state != 0);
        rows.map(|(island, _)| *island).collect::<std::collections::BTreeSet<u32>>()
    };
    assert_eq!(moving(&live).len(), 1, "a pyramid is one island");
    let spawn =
        json!({"command": "act", "action": {"do": "spawn", "shape": "ring", "at": [0, 30, 0], "size": 0.5}});
    run_command(&mut live, &spawn);
    run(&mut live, 1);
    assert_eq!(moving(&live).len(), 2, "and a ring above it another");
    let picture = live.picture();
    let bounds = |rows: &[f32]| {
        rows.chunks_exact(7)
            .fold([f32::INFINITY, f32::NEG_INFINITY], |[low, high], row| [low.min(row[1]), high.max(row[4])])
    };
    let (volumes, boxes) = (bounds(&picture.volumes), bounds(&picture.boxes));
    assert!(volumes[0] <= boxes[0] && boxes[1] <= volumes[1], "{volumes:?} around {boxes:?}");
    run_command(&mut live, &json!({"command": "draw"}));
    assert!(live.picture().volumes.is_empty() && live.picture().islands.is_empty());
}

/// A session has the hash of a testbed, and each command has its stated effect.
#[test]
fn commands_do_what_a_testbed_does() {
    let mut live = start("pyramid", 5);
    let mut bed =
        Testbed::start(scene("pyramid").unwrap(), Request { count: 5, seed: 1 }, "dynamic-bvh").unwrap();
    (0..12).for_each(|_| bed.step().unwrap());
    assert_eq!(run(&mut live, 12), format!("{:016x}", bed.state_hash()));
    let version = live.picture().version();
    let spawn =
        json!({"command": "act", "action": {"do": "spawn", "shape": "ring", "at": [0, 9, 0], "size": 0.5}});
    let n = live.picture().states.len();
    let state = run_command(&mut live, &spawn);
    assert!(state["error"].is_null(), "{state}");
    assert_eq!(live.picture().states.len(), n + 1);
    assert_ne!(live.picture().version(), version, "the shapes changed");
    run_command(&mut live, &json!({"command": "save"}));
    let end = run(&mut live, 10);
    assert_eq!(run_command(&mut live, &json!({"command": "load"}))["steps"], 12);
    let changed = run_command(&mut live, &json!({"command": "broad-phase", "name": "kd-tree"}));
    assert_eq!(changed["broad_phase"], "kd-tree");
    assert_eq!(run(&mut live, 10), end);
    assert_eq!(run_command(&mut live, &json!({"command": "restart"}))["steps"], 0);
    assert_eq!(live.picture().states.len(), n);
}

/// A world that is restored may give the handle of a body to another one: the shape that is drawn
/// is that of the body.
#[test]
fn restored_bodies_are_drawn_as_what_they_are() {
    let mut live = start("pyramid", 3);
    let spawn = |live: &mut Live, shape: &str| {
        let action = json!({"do": "spawn", "shape": shape, "at": [0, 9, 0], "size": 0.5});
        run_command(live, &json!({"command": "act", "action": action}));
        let [.., body, shape] = live.picture().bodies[..] else { panic!() };
        (body, shape)
    };
    let drawn = |live: &Live| *live.picture().bodies.last().unwrap();
    let (body, of_box) = spawn(&mut live, "box");
    run_command(&mut live, &json!({"command": "save"}));
    run_command(&mut live, &json!({"command": "record"}));
    run(&mut live, 3);
    run_command(&mut live, &json!({"command": "end-recording"}));
    for restore in ["load", "replay"] {
        run_command(&mut live, &json!({"command": "restart"}));
        let (other, of_ball) = spawn(&mut live, "ball");
        assert!(other == body && of_ball != of_box, "the handle is the same");
        let version = live.picture().version();
        let state = run_command(&mut live, &json!({"command": restore}));
        assert!(state["error"].is_null(), "{state}");
        assert_eq!(drawn(&live), of_box, "{restore}");
        assert_ne!(live.picture().version(), version);
    }
}

#[test]
fn a_ray_picks_a_body_that_can_be_queried() {
    let mut live = start("pyramid", 5);
    run(&mut live, 5);
    let ray = json!({"command": "pick", "origin": [0.0, 4.5, 9.0], "direction": [0.0, 0.0, -1.0]});
    let top = run_command(&mut live, &ray);
    assert_eq!((&top["name"], &top["can_be_dragged"]), (&json!("box"), &json!(true)), "{top}");
    let down = json!({"command": "pick", "origin": [40.0, 5.0, 0.0], "direction": [0.0, -1.0, 0.0]});
    let floor = run_command(&mut live, &down);
    assert_eq!(floor["can_be_dragged"], false, "{floor}");
    let away = json!({"command": "pick", "origin": [0.0, 40.0, 0.0], "direction": [0.0, 1.0, 0.0]});
    assert!(run_command(&mut live, &away).is_null());
    let why = run_command(&mut live, &json!({"command": "explain", "a": top["body"], "b": floor["body"]}));
    assert_eq!(why["touching"], false, "{why}");
}

#[test]
fn files_are_read_and_dropped() {
    let mut live = start("pyramid", 3);
    let drop = json!({"command": "drop", "at": [0.0, 9.0, 0.0], "size": 0.5});
    assert!(run_command(&mut live, &drop)["error"].is_string(), "nothing was read");
    let obj = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    assert_eq!(live.read_file("a.OBJ", obj), r#"{"triangles":4}"#);
    let n = live.picture().states.len();
    assert!(run_command(&mut live, &drop)["error"].is_null());
    assert_eq!(live.picture().states.len(), n + 1);
    for (name, bytes) in
        [("a.obj", &b"v 0 0 0\nf 1 2 3\n"[..]), ("a.stl", b""), ("a.txt", b"hello"), ("", b"")]
    {
        assert!(live.read_file(name, bytes).starts_with(r#"{"error":"#), "{name}");
    }
}

/// Every text of a page gets an answer, and a refused command changes nothing.
#[test]
fn bad_commands_are_refused() {
    let mut live = start("pile", 10);
    let hash = run(&mut live, 3);
    for text in [
        "",
        "{",
        "{}",
        "[]",
        r#"{"command":"none"}"#,
        r#"{"command":"start","scene":"none"}"#,
        r#"{"command":"broad-phase","name":"none"}"#,
        r#"{"command":"load"}"#,
        r#"{"command":"end-recording"}"#,
        r#"{"command":"replay"}"#,
        r#"{"command":"explain","a":0,"b":99999}"#,
        r#"{"command":"act","action":{"do":"spawn","shape":"ball","at":[0,0,0],"size":-1}}"#,
        r#"{"command":"act","action":{"do":"spawn","shape":"ball","at":[0,0,1e40],"size":1}}"#,
        r#"{"command":"act","action":{"do":"shoot","origin":[0,0,0],"velocity":[1e39,0,0],"radius":1}}"#,
        r#"{"command":"act","action":{"do":"set","setting":"substeps","value":-1}}"#,
        r#"{"command":"act","action":{"do":"set","setting":"friction","value":-1}}"#,
    ] {
        let answer: Value = serde_json::from_str(&live.command(text)).unwrap();
        assert!(answer["error"].is_string(), "{text}: {answer}");
    }
    assert_eq!(run(&mut live, 0), hash);
    // Counts are limited by the list.
    let state = run_command(&mut live, &json!({"command": "start", "scene": "pyramid", "count": 100_000}));
    assert_eq!(state["count"], 60);
    assert_eq!(
        run_command(&mut live, &json!({"command": "list"}))["scenes"].as_array().unwrap().len(),
        SCENES.len()
    );
}
