//! `carom check` of robots: joints that are set, links that may touch, and trajectories between
//! whose rows nothing is missed.

use crate::run::{carom, error, folder, json, stdout};
use carom_testkit::data;
use carom_testkit::meshes::BOX_TRIANGLES;
use serde_json::Value;

/// An arm of 2 m that turns about z, and a hand at its end that slides along it.
const ARM: &str = r#"<robot name="arm">
<link name="base"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
<link name="arm"><collision><origin xyz="1 0 0"/><geometry><box size="2 0.2 0.2"/></geometry></collision></link>
<link name="hand"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
  <limit lower="-1" upper="4"/></joint>
<joint name="slide" type="prismatic"><parent link="arm"/><child link="hand"/><origin xyz="2.1 0 0"/>
  <limit lower="0" upper="1"/></joint></robot>"#;

/// A plate of 0.2 x 0.01 x 0.2 m above the arm, from y = 1 on.
const PLATE: &str = r#"<robot name="plate"><link name="plate"><collision><origin xyz="1 1.005 0"/>
<geometry><box size="0.2 0.01 0.2"/></geometry></collision></link></robot>"#;

fn write(name: &str, text: &str) {
    std::fs::write(folder().join(name), text).unwrap();
}

/// Writes the robots once: tests that run beside each other read them.
fn write_robots() {
    static WRITTEN: std::sync::Once = std::sync::Once::new();
    WRITTEN.call_once(|| {
        write("arm.urdf", ARM);
        write("plate.urdf", PLATE);
    });
}

fn pairs(document: &Value) -> Vec<(String, String)> {
    let name = |pair: &Value, key: &str| pair[key].as_str().unwrap().to_owned();
    document["pairs"].as_array().unwrap().iter().map(|pair| (name(pair, "a"), name(pair, "b"))).collect()
}

#[test]
fn joints_move_the_links() {
    write_robots();
    let (d, status) = json("check arm.urdf plate.urdf --json --ignore-adjacent");
    assert_eq!((status, d["clear"].as_bool()), (0, Some(true)), "{d}");
    // Without `--ignore-adjacent`, the arm overlaps its base, and the hand touches the arm.
    assert_eq!(json("check arm.urdf --json").1, 1);
    let (d, status) = json("check arm.urdf plate.urdf --json --ignore-adjacent --joint shoulder=0.8");
    assert_eq!((status, pairs(&d)), (1, vec![("arm".to_owned(), "plate".to_owned())]), "{d}");
    write("joints.json", r#"{"shoulder": 0.8, "slide": 0.5}"#);
    assert_eq!(json("check arm.urdf plate.urdf --json --ignore-adjacent --joints joints.json").1, 1);
    // The value on the command line counts.
    let both = "check arm.urdf plate.urdf --json --ignore-adjacent --joints joints.json --joint shoulder=0";
    assert_eq!(json(both).1, 0);
    write(
        "arm.srdf",
        r#"<robot name="arm"><disable_collisions link1="arm" link2="base" reason="Adjacent"/>
        <disable_collisions link1="hand" link2="arm"/><disable_collisions link1="lost" link2="arm"/></robot>"#,
    );
    let (d, status) = json("check arm.urdf plate.urdf --json --srdf arm.srdf");
    assert_eq!((status, &d["notes"][0]), (0, &Value::from("arm.srdf: no robot has the links lost")), "{d}");
    write(
        "moveit.srdf",
        r#"<robot name="arm"><disable_default_collisions link="hand"/><disable_collisions link1="arm" link2="base"/></robot>"#,
    );
    let (d, status) = json("check arm.urdf plate.urdf --json --srdf moveit.srdf");
    let note = "moveit.srdf: the element disable_default_collisions of hand is not read";
    assert_eq!((status, &d["notes"][0]), (0, &Value::from(note)), "{d}");
}

/// Things that are fixed to one link may not touch, and neither may what moves on one of them.
#[test]
fn things_on_one_root_may_not_touch() {
    write(
        "cell.urdf",
        r#"<robot name="cell"><link name="world"/>
 <link name="base"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
 <link name="table"><collision><origin xyz="0 3 0"/><geometry><box size="1 1 1"/></geometry></collision></link>
 <link name="arm"><collision><origin xyz="1.5 0 0"/><geometry><box size="3 .2 .2"/></geometry></collision></link>
 <joint name="b" type="fixed"><parent link="world"/><child link="base"/></joint>
 <joint name="t" type="fixed"><parent link="world"/><child link="table"/></joint>
 <joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint></robot>"#,
    );
    let table_and_arm = vec![("table".to_owned(), "arm".to_owned())];
    let (d, status) = json("check cell.urdf --json --ignore-adjacent --joint j=1.57");
    assert_eq!((status, d["clear"].as_bool(), pairs(&d)), (1, Some(false), table_and_arm.clone()), "{d}");
    assert_eq!(json("check cell.urdf --json --ignore-adjacent").1, 0);
    write("turn.csv", "time,j\n0,0\n1,1.57\n");
    let (d, _) = json("check cell.urdf --json --ignore-adjacent --trajectory turn.csv");
    assert_eq!(pairs(&d), table_and_arm, "{d}");
    let text = stdout(&carom("srdf cell.urdf --samples 500"));
    assert!(text.starts_with("base and table: Never\nbase and arm: Adjacent\n"), "{text}");
    assert!(text.contains("1 to check"), "{text}");
}

#[test]
fn joints_that_cannot_be_set_are_named() {
    write_robots();
    assert!(
        error("check arm.urdf --joint elbow=1")
            .contains("no joint elbow; joints that move are: shoulder slide")
    );
    assert!(
        error("check arm.urdf --joint shoulder=5")
            .contains("arm.urdf: joint shoulder: 5 is not between its limits")
    );
    assert!(error("check cube.obj --joint shoulder=1").contains("joint shoulder: no file is a robot"));
    assert!(error("check cube.obj --srdf arm.srdf").contains("no file is a robot"));
    write("words.json", r#"{"shoulder": "up"}"#);
    assert!(error("check arm.urdf --joints words.json").contains("words.json: not an object of numbers"));
    write("other.csv", "time,elbow\n0,1\n");
    assert!(error("check arm.urdf --trajectory other.csv").contains("no joint elbow"));
    write("far.csv", "time,shoulder\n0,1\n1,9\n");
    assert!(error("check arm.urdf --trajectory far.csv").contains("row 2: joint shoulder: 9 is not between"));
}

/// A corner of the plate meets the side of the arm at an angle in closed form, between two rows at
/// which all is clear.
#[test]
fn contacts_between_rows_are_found_at_their_time() {
    write_robots();
    write("swing.csv", "time,shoulder\n10,0\n12,3.2\n");
    let first_contact = |extra: &str| {
        let (d, status) = json(&format!(
            "check arm.urdf plate.urdf --json --ignore-adjacent --trajectory swing.csv{extra}"
        ));
        assert_eq!(d["schema"], "carom.trajectory.v1");
        assert_eq!((status, d["clear"].as_bool()), (1, Some(false)), "{d}");
        assert_eq!(pairs(&d), [("arm".to_owned(), "plate".to_owned())]);
        assert_eq!(d["pairs"][0]["row"], 1);
        d["pairs"][0]["time"].as_f64().unwrap()
    };
    let (angle, distance) = (1.0_f64.atan2(1.1), 1.0_f64.hypot(1.1));
    let turned = |side: f64| 10.0 + (angle - (side / distance).asin()) * 2.0 / 3.2;
    let time = first_contact("");
    assert!(time <= turned(0.1) && turned(0.1) - time < 1e-5, "{time} {}", turned(0.1));
    let time = first_contact(" --clearance 0.05");
    assert!(time <= turned(0.15) && turned(0.15) - time < 1e-5, "{time} {}", turned(0.15));
    let text = stdout(&carom("check arm.urdf plate.urdf --ignore-adjacent --trajectory swing.csv"));
    assert!(text.starts_with("arm and plate meet at 10.41"), "{text}");
    assert!(text.ends_with("2 rows from 10 to 12 s: 1 pair meets\n"), "{text}");
    // The arm passes below the plate.
    write("low.csv", "time,shoulder,slide\n0,0,0\n1,0.3,0.5\n2,-0.5,0.1\n");
    let (d, status) = json("check arm.urdf plate.urdf --json --ignore-adjacent --trajectory low.csv");
    assert_eq!((status, d["clear"].as_bool(), d["rows"].as_u64()), (0, Some(true), Some(3)), "{d}");
    // A robot that begins in contact meets at the first row.
    write("in.csv", "time,shoulder\n5,0.8\n6,0\n");
    let (d, _) = json("check arm.urdf plate.urdf --json --ignore-adjacent --trajectory in.csv");
    assert_eq!((d["pairs"][0]["time"].as_f64(), d["pairs"][0]["row"].as_u64()), (Some(5.0), Some(1)));
}

/// `check --srdf` reads the file. The other pairs can collide, and do in some pose.
#[test]
fn allowed_collisions_are_written_and_read_back() {
    write_robots();
    // The hand slides away from the base, and the base is a neighbour of the arm.
    let text = stdout(&carom("srdf arm.urdf --samples 200 -o found.srdf"));
    assert_eq!(
        text,
        "base and arm: Adjacent\nbase and hand: Never\narm and hand: Adjacent\n\
         3 links, 3 pairs: 2 adjacent, 0 default, 0 always, 1 never; 0 to check\nwritten to found.srdf\n"
    );
    assert_eq!(json("check arm.urdf plate.urdf --json --srdf found.srdf").1, 0);
    assert!(error("srdf cube.obj").contains("cube.obj: not a robot"));
    assert!(error("srdf arm.urdf --always-share 2").contains("arm.urdf: a share of 2"));
    for name in ["widowx", "so101", "fanuc_m10ia"] {
        let Some(file) = data::find(&format!("robots/{name}/{name}.urdf")) else { continue };
        let run = |seed: u32| {
            let (d, _) =
                json(&format!("srdf {} --samples 100 --seed {seed} --json -o {name}.srdf", file.display()));
            d
        };
        let (first, again) = (run(5), run(5));
        assert_eq!(first, again, "{name}");
        let n_links = first["links"].as_array().unwrap().len();
        let n_listed = first["pairs"].as_array().unwrap().len();
        assert_eq!(first["to_check"].as_u64().unwrap() as usize, n_links * (n_links - 1) / 2 - n_listed);
        // All pairs that touch in the default pose are allowed.
        assert_eq!(json(&format!("check {} --json --srdf {name}.srdf", file.display())).1, 0, "{name}");
    }
}

/// A part inside of another one meets it at the first row, although no surface is near.
#[test]
fn a_part_inside_of_another_meets_it() {
    write(
        "cave.urdf",
        r#"<robot name="cave"><link name="rock"><collision><geometry><box size="9 9 9"/></geometry>
        </collision></link><link name="bat"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
        <joint name="fly" type="prismatic"><parent link="rock"/><child link="bat"/><limit lower="-1" upper="1"/>
        </joint></robot>"#,
    );
    write("fly.csv", "time,fly\n2,0\n3,1\n");
    let (d, status) = json("check cave.urdf --json --trajectory fly.csv");
    assert_eq!((status, d["pairs"][0]["time"].as_f64()), (1, Some(2.0)), "{d}");
}

/// A cube from `low` to `high`, without its last `n_missing` triangles.
fn cube(low: [f64; 3], high: [f64; 3], n_missing: usize) -> String {
    let corner = |i: usize| [0, 1, 2].map(|axis| if i >> axis & 1 == 0 { low[axis] } else { high[axis] });
    let corners = (0..8).map(corner).map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect::<String>();
    let faces = BOX_TRIANGLES[..12 - n_missing].iter().map(|t| t.map(|v| v + 1));
    corners + &faces.map(|[a, b, c]| format!("f {a} {b} {c}\n")).collect::<String>()
}

/// A mesh with a hole has no inside, so it is not known whether a robot in it collides.
#[test]
fn a_trajectory_in_an_open_mesh_is_not_known() {
    write_robots();
    write("hall.obj", &cube([-10.0; 3], [10.0; 3], 1));
    write("stay.csv", "time,shoulder\n3,0\n4,0.1\n");
    let command = "check arm.urdf hall.obj --ignore-adjacent --trajectory stay.csv";
    let (d, status) = json(&format!("{command} --json"));
    assert_eq!((status, &d["clear"]), (1, &Value::Null), "{d}");
    let hall = |name: &str| (name.to_owned(), "hall".to_owned());
    assert_eq!(pairs(&d), [hall("base"), hall("arm"), hall("hand")]);
    for pair in d["pairs"].as_array().unwrap() {
        assert_eq!((&pair["distance"], &pair["time"], &pair["row"]), (&Value::Null, &3.0.into(), &1.into()));
    }
    assert!(d["notes"][0].as_str().unwrap().starts_with("hall.obj: inside and outside cannot"), "{d}");
    let text = stdout(&carom(command));
    assert!(text.starts_with("base and hall: not known from 3 s on, after row 1\n"), "{text}");
    assert!(text.ends_with("\n2 rows from 3 to 4 s: 0 pairs meet, 3 not known\n"), "{text}");
    // A pair that meets makes it certain.
    write("swing.csv", "time,shoulder\n10,0\n12,3.2\n");
    let (d, _) = json("check arm.urdf hall.obj plate.urdf --ignore-adjacent --trajectory swing.csv --json");
    assert_eq!(d["clear"], false, "{d}");
    // Beside the mesh, nothing depends on an inside.
    write("next.obj", &cube([30.0; 3], [40.0; 3], 1));
    assert_eq!(json("check arm.urdf next.obj --ignore-adjacent --trajectory stay.csv --json").1, 0);
}

/// The arm turns in an open mesh and into its wall. That is certain, though nothing is known before
/// it.
#[test]
fn a_way_out_of_an_open_mesh_meets_it() {
    write_robots();
    write("room.obj", &cube([-10.0, -10.0, -10.0], [10.0, 1.0, 10.0], 2));
    write("out.csv", "time,shoulder\n10,0\n12,1\n");
    let command = "check arm.urdf room.obj --ignore-adjacent --trajectory out.csv";
    let (d, status) = json(&format!("{command} --json"));
    assert_eq!((status, &d["clear"]), (1, &false.into()), "{d}");
    let pair = |name: &str| d["pairs"].as_array().unwrap().iter().find(|pair| pair["a"] == name).unwrap();
    let (base, arm) = (pair("base"), pair("arm"));
    assert_eq!(
        (&base["time"], &base["distance"], &base["undecided_from"]),
        (&10.0.into(), &Value::Null, &Value::Null)
    );
    // A corner of the arm is 2 m along it and 0.1 m beside it.
    let time = 10.0 + 2.0 * ((1.0 / 2.0_f64.hypot(0.1)).asin() - 0.1_f64.atan2(2.0));
    let found = arm["time"].as_f64().unwrap();
    assert!(found <= time && time - found < 1e-5, "{found} {time}");
    assert_eq!((&arm["row"], &arm["undecided_from"]), (&1.into(), &10.0.into()));
    assert!(arm["distance"].is_number(), "{d}");
    let text = stdout(&carom(command));
    assert!(text.contains("arm and room meet at 10.9"), "{text}");
    assert!(text.contains(" s, after row 1; not known from 10 s on\n"), "{text}");
    assert!(text.ends_with("2 rows from 10 to 12 s: 2 pairs meet, 1 not known\n"), "{text}");
    let text = stdout(&carom(&format!("{command} --clearance 0.05")));
    assert!(text.contains("arm and room come within 0.05 at "), "{text}");
    // A part that is missing is named in the last line too.
    let output = carom(&format!("{command} no.obj --keep-going"));
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stdout(&output).ends_with("1 not known; not clear: 1 thing was not read\n"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn rows_without_times_are_a_second_apart() {
    write_robots();
    write("timed.csv", "time,shoulder\n0,0.5\n1,-0.5\n2,1.5\n");
    write("plain.csv", "shoulder\n0.5\n-0.5\n1.5\n");
    let answer = |file: &str| {
        json(&format!("check arm.urdf plate.urdf --json --ignore-adjacent --trajectory {file}")).0
    };
    let timed = answer("timed.csv");
    assert_eq!((answer("plain.csv"), &timed["times"]), (timed.clone(), &serde_json::json!([0.0, 2.0])));
}

/// Parts that do not move are tested once, and their pairs come with the first row.
#[test]
fn parts_that_stand_still_are_tested_along_a_trajectory() {
    write_robots();
    write("fixture.obj", &cube([50.0; 3], [52.0; 3], 0));
    write("shelf.obj", &cube([51.0; 3], [53.0; 3], 0));
    write("rack.obj", &cube([53.5, 51.0, 51.0], [54.0, 52.0, 52.0], 0));
    write("low.csv", "time,shoulder,slide\n2,0,0\n3,0.3,0.5\n");
    let check = |extra: &str| {
        let files = "arm.urdf fixture.obj shelf.obj rack.obj";
        json(&format!("check {files} --json --ignore-adjacent --trajectory low.csv{extra}"))
    };
    let named = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    let (d, status) = check("");
    assert_eq!((status, &d["clear"], pairs(&d)), (1, &false.into(), vec![named("fixture", "shelf")]), "{d}");
    let pair = &d["pairs"][0];
    assert_eq!((&pair["time"], &pair["row"], &pair["distance"]), (&2.0.into(), &1.into(), &0.0.into()));
    let (d, status) = check(" --ignore fixture,shelf");
    assert_eq!((status, &d["clear"]), (0, &true.into()), "{d}");
    let (d, _) = check(" --ignore fixture,shelf --clearance 1");
    assert_eq!(pairs(&d), [named("shelf", "rack")], "{d}");
}

/// A file on a link is scaled to metres by the unit that it states, as a mesh of the robot is.
#[test]
fn attached_files_are_scaled_by_their_unit() {
    write_robots();
    write("tool.dae", &crate::unread::triangle_dae("0.001"));
    write("post.obj", &cube([2.4, 0.2, -1.0], [2.5, 0.3, 1.0], 0));
    let (d, status) = json("check arm.urdf post.obj --ignore-adjacent --attach hand=tool.dae --json");
    assert_eq!((status, &d["clear"]), (0, &true.into()), "{d}");
    let has = |text: &str| d["notes"].as_array().unwrap().contains(&format!("tool.dae: {text}").into());
    assert!(has("scaled by its unit of 0.001 metres"), "{d}");
    assert!(has("its y axis is not turned up, as in RViz and MoveIt"), "{d}");
    // The same triangle in metres reaches the post.
    write("tool.dae", &crate::unread::triangle_dae("1"));
    assert_eq!(json("check arm.urdf post.obj --ignore-adjacent --attach hand=tool.dae --json").1, 1);
}

/// The pairs of a real robot that meet on random ways, against poses between the rows: no pose
/// before the time is in contact, and one just after it is close.
#[test]
fn a_real_robot_meets_itself_when_poses_say_so() {
    let Some(file) = data::find("robots/widowx/widowx.urdf") else { return };
    let file = file.display();
    let joints = ["joint_1", "joint_2", "joint_3", "joint_4"];
    let rows = [[0.0, 0.0, 0.0, 0.0], [0.5, -1.2, 1.5, -1.6], [-0.6, 1.4, -1.5, 1.7], [0.2, 0.4, 1.5, 1.0]];
    let text: Vec<String> = rows.iter().map(|row| row.map(|x| x.to_string()).join(",")).collect();
    write("widowx.csv", &format!("{}\n{}\n", joints.join(","), text.join("\n")));
    let (d, status) = json(&format!("check {file} --json --ignore-adjacent --trajectory widowx.csv"));
    assert_eq!(status, 1, "{d}");
    let contacts = d["pairs"].as_array().unwrap();
    let pose_at = |time: f64| -> String {
        let row = (time as usize).min(rows.len() - 2);
        let value = |k: usize| rows[row][k] + (rows[row + 1][k] - rows[row][k]) * (time - row as f64);
        (0..4).map(|k| format!(" --joint {}={}", joints[k], value(k))).collect()
    };
    let mut n_poses = 0;
    for step in 0..=30 {
        let time = f64::from(step) * 0.1;
        let (here, _) = json(&format!("check {file} --json --ignore-adjacent{}", pose_at(time)));
        for (a, b) in pairs(&here) {
            let meets = |pair: &&Value| pair["a"] == a.as_str() && pair["b"] == b.as_str();
            let first = contacts.iter().find(meets).unwrap_or_else(|| panic!("{a} and {b} at {time}: {d}"));
            assert!(first["time"].as_f64().unwrap() <= time + 1e-9, "{a} and {b} at {time}: {first}");
            n_poses += 1;
        }
    }
    assert!(5 < n_poses, "{n_poses}");
}

/// A recorded state of a whole robot has columns of joints that follow others or are fixed, and
/// values a little outside of the limits.
#[test]
fn recorded_states_are_read() {
    let gripper = ARM.replace(
        "</joint></robot>",
        r#"</joint><link name="finger"/><link name="tool"/>
        <joint name="finger" type="prismatic"><parent link="arm"/><child link="finger"/>
        <limit lower="0" upper="1"/><mimic joint="slide" multiplier="2" offset="0.1"/></joint>
        <joint name="mount" type="fixed"><parent link="hand"/><child link="tool"/></joint></robot>"#,
    );
    write("gripper.urdf", &gripper);
    write("recorded.csv", "time,slide,finger,shoulder,mount\n0,0,0.1,0,0\n1,0.5,1.2,0.5,0\n");
    let command = "check gripper.urdf plate.urdf --json --ignore-adjacent --trajectory recorded.csv";
    write_robots();
    let (d, status) = json(command);
    assert_eq!(status, 0, "{d}");
    let notes = d["notes"].to_string();
    let follows = "the values of joint finger are not read: it follows joint slide, from which it differs by up to 1.00e-1";
    assert!(notes.contains(follows), "{notes}");
    assert!(notes.contains("the values of joint mount are not read: it does not move"), "{notes}");
    write("state.json", r#"{"slide": 0.25, "finger": 0.6, "shoulder": 0, "mount": 0}"#);
    let (d, status) = json("check gripper.urdf --json --ignore-adjacent --joints state.json");
    assert_eq!(status, 0, "{d}");
    assert!(d["notes"].to_string().contains("it follows joint slide\""), "{d}");
    // One value alone is a mistake.
    assert!(error("check gripper.urdf --joint mount=0").contains("joint mount does not move"));
    write("recorded.csv", "time,slide\n0,-0.0002\n1,0.5\n");
    assert!(error(command).contains("-0.0002 is not between its limits"));
    assert_eq!(json(&format!("{command} --ignore-limits")).1, 0);
}

/// A joint that follows another is compared with what it gets, wherever its leader's value is from.
#[test]
fn followers_differ_only_from_what_they_get() {
    let follower = |name: &str, leader: &str, multiplier: f64| {
        format!(
            r#"<link name="{name}_link"/><joint name="{name}" type="prismatic"><parent link="base"/>
            <child link="{name}_link"/><limit lower="-9" upper="9"/>
            <mimic joint="{leader}" multiplier="{multiplier}"/></joint>"#
        )
    };
    // The chain c follows b follows a, and d follows a joint that does not move.
    let robot = format!(
        r#"<robot name="r"><link name="base"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
        <link name="a_link"/><joint name="a" type="prismatic"><parent link="base"/><child link="a_link"/>
        <limit lower="-9" upper="9"/></joint>
        <link name="f_link"/><joint name="f" type="fixed"><parent link="base"/><child link="f_link"/></joint>
        {}{}{}</robot>"#,
        follower("b", "a", 1.0),
        follower("c", "b", 2.0),
        follower("d", "f", 1.0)
    );
    std::fs::write(folder().join("chain.urdf"), robot).unwrap();
    let notes = |arguments: &str| {
        let (d, status) = json(&format!("check chain.urdf --json {arguments}"));
        assert_eq!(status, 0, "{d}");
        let notes = d["notes"].as_array().unwrap().iter();
        notes.map(|note| note.as_str().unwrap().to_owned()).filter(|note| note.contains("not read")).collect()
    };
    let follows = |name: &str, leader: &str, off: &str| {
        let differs =
            if off.is_empty() { String::new() } else { format!(", from which it differs by up to {off}") };
        format!("the values of joint {name} are not read: it follows joint {leader}{differs}")
    };
    let none: Vec<String> = Vec::new();
    let write = |name: &str, text: &str| std::fs::write(folder().join(name), text).unwrap();
    write("chain.json", r#"{"b": 0.5}"#);
    let found: Vec<String> = notes("--joints chain.json --joint a=0.5");
    assert_eq!(found, [follows("b", "a", "")]);
    assert_eq!(notes("--joints chain.json --joint a=0.25"), [follows("b", "a", "2.50e-1")]);
    assert!(error("check chain.urdf --joint a=0.5 --joint a=0.25").contains("joint a has two values"));
    assert_eq!(notes("--joints chain.json"), [follows("b", "a", "5.00e-1")]);
    assert_eq!(notes("--joint a=0.5"), none);
    // The value of --joint counts, and not that of the file.
    write("chain.json", r#"{"a": 0.1, "b": 0.5, "c": 1.0, "d": 0.0}"#);
    let all = |off_b: &str, off_c: &str| {
        [follows("b", "a", off_b), follows("c", "b", off_c), follows("d", "f", "")]
    };
    assert_eq!(notes("--joints chain.json --joint a=0.5"), all("", ""));
    assert_eq!(notes("--joints chain.json"), all("4.00e-1", "8.00e-1"));
    // Columns in each order, and a leader without a column.
    for header in ["time,a,b,c", "time,a,c,b", "time,c,b,a", "time,b,c,a"] {
        let row = |a: f64| {
            let value = |name| match name {
                "time" | "a" | "b" => a.to_string(),
                _ => (2.0 * a).to_string(),
            };
            header.split(',').map(value).collect::<Vec<_>>().join(",") + "\n"
        };
        write("chain.csv", &format!("{header}\n{}{}", row(0.25), row(0.5)));
        let mut found: Vec<String> = notes("--trajectory chain.csv");
        found.sort_unstable();
        assert_eq!(found, [follows("b", "a", ""), follows("c", "b", "")], "{header}");
    }
    write("chain.csv", "time,a,c\n0,0.25,0.5\n1,0.5,1.5\n");
    assert_eq!(notes("--trajectory chain.csv"), [follows("c", "b", "5.00e-1")]);
    // A byte order mark stands before the text of a file.
    write("chain.json", "\u{feff}{\"b\": 0.5}");
    assert_eq!(notes("--joints chain.json --joint a=0.5"), [follows("b", "a", "")]);
}
