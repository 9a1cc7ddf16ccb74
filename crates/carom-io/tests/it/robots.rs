//! Robots whose joints move. Forward kinematics is compared with closed forms and with products of
//! affine maps. Limits, mimic joints and SRDF files are tested as well.

use crate::{folder, parse, refusal};
use carom_io::{Format, Model, RobotError, RobotJointKind};
use carom_scenes::Rng;
use carom_testkit::data;
use glam::{DAffine3, DMat3, DQuat, DVec3};

/// A robot whose links are a ball each at the origin of their frames.
fn robot(links: &[&str], joints: &str) -> String {
    let ball = |name: &&str| {
        format!(
            r#"<link name="{name}"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>"#
        )
    };
    format!("<robot>{}{joints}</robot>", links.iter().map(ball).collect::<String>())
}

fn joint(name: &str, kind: &str, [above, below]: [&str; 2], inside: &str) -> String {
    format!(
        r#"<joint name="{name}" type="{kind}"><parent link="{above}"/><child link="{below}"/>{inside}</joint>"#
    )
}

/// An arm in the plane: two turns about z, then a hand that slides along x.
fn arm() -> Model {
    let joints = [
        joint(
            "shoulder",
            "revolute",
            ["base", "upper"],
            r#"<axis xyz="0 0 2"/><limit lower="-2" upper="2.5"/>"#,
        ),
        joint("elbow", "continuous", ["upper", "lower"], r#"<origin xyz="2 0 0"/><axis xyz="0 0 1"/>"#),
        joint(
            "slide",
            "prismatic",
            ["lower", "hand"],
            r#"<origin xyz="1 0 0"/><limit lower="0" upper="0.5"/>"#,
        ),
        joint(
            "finger",
            "prismatic",
            ["hand", "tip"],
            r#"<axis xyz="0 1 0"/><mimic joint="slide" multiplier="-2" offset="0.25"/>"#,
        ),
        joint(
            "nail",
            "prismatic",
            ["tip", "end"],
            r#"<axis xyz="0 1 0"/><mimic joint="finger" multiplier="3"/>"#,
        ),
    ];
    let links = ["base", "upper", "lower", "hand", "tip", "end"];
    parse(robot(&links, &joints.concat()).as_bytes(), Format::Urdf).unwrap()
}

/// The middle of the ball of a part.
fn middle(model: &Model, part: &str) -> DVec3 {
    let mesh = model.parts.iter().find(|p| p.name == part).unwrap().world_mesh().unwrap();
    let bounds = mesh
        .vertices
        .iter()
        .fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[low, high], v| [low.min(*v), high.max(*v)]);
    (bounds[0] + bounds[1]) * 0.5
}

#[test]
fn an_arm_stands_as_in_closed_form() {
    let mut model = arm();
    let (a, b, s) = (0.7_f64, -1.9_f64, 0.4_f64);
    let robot = model.robot.clone().unwrap();
    let values = robot.values(&[("shoulder", a), ("elbow", b), ("slide", s)]).unwrap();
    model.set_joints(&values).unwrap();
    let along = DVec3::new((a + b).cos(), (a + b).sin(), 0.0);
    let aside = DVec3::new(-along.y, along.x, 0.0);
    let hand = 2.0 * DVec3::new(a.cos(), a.sin(), 0.0) + along * (1.0 + s);
    let finger = 0.25 - 2.0 * s;
    let near = |part: &str, point: DVec3| assert!((middle(&model, part) - point).length() < 1e-9, "{part}");
    near("lower", 2.0 * DVec3::new(a.cos(), a.sin(), 0.0));
    near("hand", hand);
    near("tip", hand + aside * finger);
    near("end", hand + aside * (4.0 * finger));
    // In the frames of the links nothing moves.
    for part in model.parts_on_links() {
        assert!(part.pieces.iter().all(|piece| piece.placement == carom_io::Placement::IDENTITY));
    }
    assert_eq!(robot.free_joints().collect::<Vec<_>>(), [0, 1, 2]);
    // At zero, all is as before.
    let mut still = arm();
    still.set_joints(&robot.values(&[]).unwrap()).unwrap();
    assert_eq!(still, arm());
    assert_eq!(middle(&still, "tip"), middle(&still, "hand") + DVec3::Y * 0.25);
}

#[test]
fn values_that_cannot_be_are_refused_by_name() {
    let model = arm();
    let robot = model.robot.as_ref().unwrap();
    let refused = |name: &str, value: f64| {
        let named = [("elbow", 1.0), (name, value)];
        robot.values(&named[usize::from(name == "elbow")..]).unwrap_err().to_string()
    };
    let twice = robot.values(&[("elbow", 1.0), ("slide", 0.1), ("elbow", 1.0)]).unwrap_err();
    assert_eq!(twice.to_string(), "joint elbow has two values");
    assert_eq!(refused("shoulder", 2.6), "joint shoulder: 2.6 is not between its limits -2 and 2.5");
    assert_eq!(refused("slide", -0.1), "joint slide: -0.1 is not between its limits 0 and 0.5");
    assert_eq!(refused("elbow", f64::NAN), "joint elbow: NaN is not finite");
    assert_eq!(refused("wrist", 0.0), "no joint wrist; joints that move are: shoulder elbow slide");
    assert_eq!(refused("finger", 0.0), "joint finger follows joint slide and has no value of its own");
    assert!(robot.values(&[("shoulder", 2.5), ("elbow", 900.0)]).is_ok());
    let mut moved = model.clone();
    assert!(
        matches!(moved.set_joints(&[0.0, f64::INFINITY]), Err(RobotError::Value { name, .. }) if name == "elbow")
    );
    assert_eq!(moved, model, "nothing has moved");
}

/// A value for the name of two joints would move one of them alone.
#[test]
fn two_joints_of_one_name_are_refused() {
    let arms = |names: [&str; 2], kind: &str| {
        let joints = [
            joint(names[0], kind, ["base", "left"], r#"<axis xyz="0 0 1"/>"#),
            joint(names[1], kind, ["base", "right"], r#"<axis xyz="0 0 1"/>"#),
        ];
        robot(&["base", "left", "right"], &joints.concat())
    };
    for kind in ["continuous", "fixed"] {
        let message = refusal(arms(["elbow", "elbow"], kind).as_bytes(), Format::Urdf);
        assert_eq!(message, "file.x: joint elbow: is there twice");
        assert!(parse(arms(["elbow", "other"], kind).as_bytes(), Format::Urdf).is_ok());
    }
}

#[test]
fn joints_that_make_no_sense_are_refused_or_noted() {
    let two = |inside: &str, kind: &str| robot(&["a", "b"], &joint("j", kind, ["a", "b"], inside));
    let no_axis = refusal(two(r#"<axis xyz="0 0 0"/>"#, "revolute").as_bytes(), Format::Urdf);
    assert!(no_axis.contains("joint j") && no_axis.contains("no direction"), "{no_axis}");
    // The same axis of a joint that does not turn is no fault: the SolidWorks exporter writes it.
    for (kind, axis) in [("fixed", "0 0 0"), ("floating", "0 0 0"), ("planar", "nan 0 0"), ("", "0 0 0")] {
        let model = parse(two(&format!(r#"<axis xyz="{axis}"/>"#), kind).as_bytes(), Format::Urdf).unwrap();
        assert_eq!(model.robot.as_ref().unwrap().joints()[0].axis, [1.0, 0.0, 0.0], "{kind}");
        assert_eq!(model, model.clone());
    }
    let no_number = refusal(two(r#"<limit lower="low"/>"#, "revolute").as_bytes(), Format::Urdf);
    assert!(no_number.contains("joint j: lower"), "{no_number}");
    let circle = [
        joint("j", "revolute", ["a", "b"], r#"<mimic joint="k"/>"#),
        joint("k", "revolute", ["b", "c"], r#"<mimic joint="j"/>"#),
    ];
    assert!(refusal(robot(&["a", "b", "c"], &circle.concat()).as_bytes(), Format::Urdf).contains("cycle"));
    for (kind, inside, note) in [
        ("floating", "", "joint j is floating and stays at its origin"),
        ("", "", "joint j is without a type and stays at its origin"),
        ("revolute", r#"<mimic joint="x"/>"#, "joint j mimics x, which is not there"),
    ] {
        let model = parse(two(inside, kind).as_bytes(), Format::Urdf).unwrap();
        assert!(model.notes.iter().any(|said| said == note), "{:?}", model.notes);
    }
    for (key, value) in [("multiplier", "nan"), ("multiplier", "inf"), ("offset", "-inf")] {
        let text = two(&format!(r#"<mimic joint="j" {key}="{value}"/>"#), "revolute");
        let message = refusal(text.as_bytes(), Format::Urdf);
        assert!(message.contains("joint j") && message.contains("is not finite"), "{message}");
    }
}

/// Limits that are no range are noted, and the joint has none.
#[test]
fn limits_that_are_no_range_are_noted() {
    for (lower, upper, shown) in [
        ("2", "-2", "2 and -2"),
        ("nan", "1", "NaN and 1"),
        ("0", "nan", "0 and NaN"),
        ("0", "inf", "0 and inf"),
    ] {
        for kind in ["revolute", "prismatic"] {
            let limit = format!(r#"<limit lower="{lower}" upper="{upper}"/>"#);
            let text = robot(&["a", "b"], &joint("j", kind, ["a", "b"], &limit));
            let model = parse(text.as_bytes(), Format::Urdf).unwrap();
            let note = format!("joint j: its limits {shown} are no range and do not count");
            assert!(model.notes.contains(&note), "{:?}", model.notes);
            let robot = model.robot.as_ref().unwrap();
            assert_eq!(robot.joints()[0].limits, None);
            assert!(robot.values(&[("j", 1.5)]).is_ok());
            assert_eq!(model, model.clone());
        }
    }
    // The limits of a joint without values say nothing.
    let text = robot(&["a", "b"], &joint("j", "fixed", ["a", "b"], r#"<limit lower="2" upper="1"/>"#));
    assert!(parse(text.as_bytes(), Format::Urdf).unwrap().notes.iter().all(|note| !note.contains("limits")));
}

#[test]
fn neighbours_are_links_of_one_joint() {
    let joints = [
        joint("1", "revolute", ["a", "b"], ""),
        joint("2", "fixed", ["b", "c"], ""),
        joint("3", "revolute", ["c", "d"], ""),
        joint("4", "revolute", ["a", "e"], ""),
    ];
    let model = parse(robot(&["a", "b", "c", "d", "e"], &joints.concat()).as_bytes(), Format::Urdf).unwrap();
    assert_eq!(model.robot.unwrap().adjacent_parts(), [[0, 1], [0, 4], [1, 2], [2, 3]]);
}

/// Two things on one root are not adjacent, nor is one of them and a link that moves on the other.
/// A thing that floats, or that slides in a plane, is adjacent to nothing.
#[test]
fn things_on_one_root_are_not_adjacent() {
    let cell = |links: &[&str], joints: &[String]| {
        let text = robot(links, &joints.concat()).replace("</robot>", r#"<link name="world"/></robot>"#);
        let model = parse(text.as_bytes(), Format::Urdf).unwrap();
        let links: Vec<String> = model.parts.iter().map(|part| part.name.clone()).collect();
        let pairs = model.robot.unwrap().adjacent_parts();
        pairs.iter().map(|pair| pair.map(|part| links[part].as_str()).join("-")).collect::<Vec<_>>()
    };
    let fixed = |name: &str, ends| joint(name, "fixed", ends, "");
    let base = fixed("b", ["world", "base"]);
    let arm = joint("j", "continuous", ["base", "arm"], r#"<axis xyz="0 0 1"/>"#);
    let pairs = cell(&["base", "table", "arm"], &[base.clone(), fixed("t", ["world", "table"]), arm.clone()]);
    assert_eq!(pairs, ["base-arm"]);
    // The table has geometry, and all stands on it.
    let on_table = [fixed("b", ["table", "base"]), fixed("v", ["table", "vice"]), arm.clone()];
    let pairs = cell(&["base", "table", "vice", "arm"], &on_table);
    assert_eq!(pairs, ["base-table", "base-arm", "table-vice"]);
    for kind in ["floating", "planar", "spherical"] {
        let on_floor = [
            joint("m", kind, ["floor", "base"], ""),
            joint("o", kind, ["base", "object"], ""),
            fixed("l", ["object", "label"]),
            arm.clone(),
        ];
        let pairs = cell(&["floor", "base", "object", "label", "arm"], &on_floor);
        assert_eq!(pairs, ["base-arm", "object-label"], "{kind}");
    }
}

/// A link without a part is passed through: a universal joint is two joints with such a link
/// between them. Two fingers on such a link are no neighbours.
#[test]
fn links_without_a_part_are_passed_through() {
    let ball = |name: &str| {
        format!(
            r#"<link name="{name}"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>"#
        )
    };
    let links =
        ["arm", "left", "right", "tip"].map(ball).concat() + r#"<link name="cross"/><link name="fork"/>"#;
    let joints = [
        joint("1", "revolute", ["arm", "cross"], ""),
        joint("2", "revolute", ["cross", "fork"], ""),
        joint("3", "revolute", ["fork", "left"], ""),
        joint("4", "prismatic", ["fork", "right"], ""),
        joint("5", "fixed", ["right", "tip"], ""),
    ];
    let text = format!("<robot>{links}{}</robot>", joints.concat());
    let robot = parse(text.as_bytes(), Format::Urdf).unwrap().robot.unwrap();
    // The parts are arm, left, right, tip.
    assert_eq!(robot.adjacent_parts(), [[0, 1], [0, 2], [2, 3]]);
    assert_eq!(robot.part_links().collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert_eq!((robot.link("fork"), robot.joint("5"), robot.joint("fork")), (Some(5), Some(4), None));
}

/// Thousands of links, each joint of which mimics the one below it: linear work.
#[test]
fn long_chains_take_no_time() {
    const N: usize = 4000;
    let names: Vec<String> = (0..=N).map(|i| format!("l{i}")).collect();
    let links: Vec<&str> = names.iter().map(String::as_str).collect();
    let joints: String = (0..N)
        .map(|i| {
            let follows = if i + 1 < N {
                format!(r#"<mimic joint="j{}" multiplier="-1"/>"#, i + 1)
            } else {
                String::new()
            };
            joint(&format!("j{i}"), "prismatic", [links[i], links[i + 1]], &follows)
        })
        .collect();
    let cube = r#"<collision><geometry><box size="1 1 1"/></geometry></collision>"#;
    let links: String = links.iter().map(|name| format!(r#"<link name="{name}">{cube}</link>"#)).collect();
    let text = format!("<robot>{links}{joints}</robot>");
    let start = std::time::Instant::now();
    let mut model = parse(text.as_bytes(), Format::Urdf).unwrap();
    let robot = model.robot.clone().unwrap();
    let last = format!("j{}", N - 1);
    for _ in 0..100 {
        let values = robot.values(&[(&last, 1.0)]).unwrap();
        assert_eq!((values[0], values[N - 1]), (-1.0, 1.0));
    }
    model.set_joints(&robot.values(&[(&last, 0.5)]).unwrap()).unwrap();
    assert_eq!(robot.adjacent_parts(), (0..N).map(|i| [i, i + 1]).collect::<Vec<_>>());
    let seconds = start.elapsed().as_secs_f64();
    // Quadratic and cubic work took minutes. The bound is wide because machines may be busy.
    assert!(seconds < 10.0, "{seconds} s");
    println!("{seconds} s");
}

/// Compares with affine maps of glam, multiplied from the root to each link by recursion.
#[test]
fn real_robots_stand_as_affine_maps_say() {
    let mut n_poses = 0;
    for name in
        ["robots/so101/so101.urdf", "robots/widowx/widowx.urdf", "robots/fanuc_m10ia/fanuc_m10ia.urdf"]
    {
        let Some(file) = data::find(name) else { continue };
        let model = carom_io::read(&file).unwrap();
        let robot = model.robot.as_ref().unwrap();
        let mut rng = Rng::new(5);
        for _ in 0..200 {
            let moving =
                robot.joints().iter().filter(|j| j.kind != RobotJointKind::Fixed && j.mimic.is_none());
            let named: Vec<(&str, f64)> = moving
                .map(|j| {
                    let [low, high] = j.limits.unwrap_or([-3.0, 3.0]);
                    (j.name.as_str(), rng.range(low, high))
                })
                .collect();
            let values = robot.values(&named).unwrap();
            let placed = robot.link_placements(&values);
            for (link, placement) in placed.iter().enumerate() {
                let mut map = DAffine3::IDENTITY;
                let mut at = link;
                while let Some(k) = robot.joint_above(at) {
                    let j = &robot.joints()[k];
                    let m = j.origin.0;
                    let turn =
                        DMat3::from_cols_array(&[m[0], m[4], m[8], m[1], m[5], m[9], m[2], m[6], m[10]]);
                    let origin = DAffine3::from_mat3_translation(turn, DVec3::new(m[3], m[7], m[11]));
                    let axis = DVec3::from_array(j.axis);
                    let motion = match j.kind {
                        RobotJointKind::Revolute => {
                            DAffine3::from_quat(DQuat::from_axis_angle(axis, values[k]))
                        }
                        RobotJointKind::Prismatic => DAffine3::from_translation(axis * values[k]),
                        _ => DAffine3::IDENTITY,
                    };
                    map = origin * motion * map;
                    at = j.links[0];
                }
                for point in [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z] {
                    let (ours, theirs) = (placement.apply(point), map.transform_point3(point));
                    assert!((ours - theirs).length() < 1e-12, "{name}, link {link}: {ours} {theirs}");
                }
            }
            n_poses += 1;
        }
    }
    println!("{n_poses} poses");
}

#[test]
fn pairs_of_srdf_files_are_read() {
    let path = folder("srdf").join("robot.srdf");
    let read = |text: &str| {
        std::fs::write(&path, text).unwrap();
        carom_io::read_srdf(&path)
    };
    let text = r#"<?xml version="1.0"?><robot name="r"><group name="g"><joint name="j"/></group>
        <disable_collisions link1="a" link2="b" reason="Adjacent"/><disable_collisions link1="c" link2="a"/></robot>"#;
    let pairs = read(text).unwrap();
    let found: Vec<_> =
        pairs.iter().map(|p| (p.links[0].as_str(), p.links[1].as_str(), p.reason.as_str())).collect();
    assert_eq!(found, [("a", "b", "Adjacent"), ("c", "a", "")]);
    for (text, why) in [
        (r#"<robot><disable_collisions link1="a"/></robot>"#, "no attribute link2"),
        ("<scene/>", "not an SRDF file"),
        ("<robot><a></b></robot>", "not a valid SRDF file"),
        (r#"<robot><disable_collisions link1="a" link2="b"/>"#, "ends inside of an element"),
        (r#"<robot><group name="g"><disable_collisions link1="a" link2="b"/></group>"#, "ends inside of"),
        (&format!("<robot>{}", "<a>".repeat(100)), "nested deeper"),
        (r#"<robot><disable_collisions link1="${side}_a" link2="b"/></robot>"#, "xacro"),
        (r#"<robot><xacro:include filename="pairs.xacro"/></robot>"#, "xacro"),
        (r#"<robot><disable_collisions link1="a" link1="c" link2="b"/></robot>"#, "is there twice"),
    ] {
        let message = read(text).unwrap_err().to_string();
        assert!(message.contains(why) && message.contains("robot.srdf"), "{message}");
    }
}

/// Elements that may change which collisions count, but are not read, are noted.
#[test]
fn other_elements_of_srdf_files_are_noted() {
    let path = folder("srdf-notes").join("robot.srdf");
    let read = |inside: &str| {
        std::fs::write(&path, format!(r#"<robot name="r">{inside}</robot>"#)).unwrap();
        carom_io::read_whole_srdf(&path).unwrap()
    };
    let usual = r#"<group name="g"><joint name="j"/><link name="l"/><chain base_link="a" tip_link="b"/></group>
        <group_state name="s" group="g"><joint name="j" value="0"/></group_state><virtual_joint name="v"/>
        <end_effector name="e"/><passive_joint name="p"/><disable_collisions link1="a" link2="b"/>"#;
    assert_eq!(read(usual).notes, [""; 0]);
    let srdf = read(
        r#"<disable_default_collisions link="tool"/><enable_collisions link1="tool" link2="base"/>
        <disable_collision link1="a" link2="b"/><disable_collisions link1="a" link2="b"/><other/>"#,
    );
    assert_eq!(
        srdf.notes,
        [
            "the element disable_default_collisions of tool is not read",
            "the element enable_collisions of tool and base is not read",
            "the element disable_collision of a and b is not read",
            "the element other is not read"
        ]
    );
    assert_eq!((srdf.pairs.len(), carom_io::read_srdf(&path).unwrap()), (1, srdf.pairs));
    assert!(read(&"<other/>".repeat(1000)).notes.len() < 60);
    // Their attributes may have any form.
    for element in [
        r#"contact_managers_plugin_config filename="$(find my_robot)/cm.yaml""#,
        r#"other value="${x}""#,
        r#"other a="1" a="2""#,
        r#"other a="&nothing;""#,
        &format!("other{}", (0..300).map(|i| format!(r#" a{i}="""#)).collect::<String>()),
    ] {
        let srdf = read(&format!(r#"<{element}/><disable_collisions link1="a" link2="b"/>"#));
        let name = element.split(' ').next().unwrap();
        assert_eq!(srdf.notes, [format!("the element {name} is not read")]);
        assert_eq!(srdf.pairs.len(), 1, "{element}");
    }
}

#[test]
fn trajectories_are_read_row_by_row() {
    let path = folder("trajectory").join("path.csv");
    let read = |text: &str| {
        std::fs::write(&path, text).unwrap();
        carom_io::read_trajectory(&path)
    };
    let good = read("elbow, time ,wrist\n# a remark\n1,0.5,-2e-3\n1.5,0.75,0\n").unwrap();
    assert_eq!(good.joints, ["elbow", "wrist"]);
    assert_eq!((good.times, good.rows), (vec![0.5, 0.75], vec![vec![1.0, -2e-3], vec![1.5, 0.0]]));
    assert_eq!(read("a\n1\n2\n").unwrap().times, [0.0, 1.0]);
    for (text, why) in [
        ("a,a\n1,2\n", "joint a has two columns"),
        ("time\n1\n", "no column of a joint"),
        ("a\n", "no row"),
        ("a,time\n1,1\n2,1\n", "line 3: the time 1 is not after 1"),
        ("a,time\n1,1\nx,2\n", "line 3: a \"x\" is not a finite number"),
        ("a,time\n1,1\nnan,2\n", "is not a finite number"),
        ("a,time\n1,1\n2\n", "line 3"),
    ] {
        let message = read(text).unwrap_err().to_string();
        assert!(message.contains(why) && message.contains("path.csv"), "{message}");
    }
}
