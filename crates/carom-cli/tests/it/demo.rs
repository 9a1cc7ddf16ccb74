//! The scenes that are built in: the same run every time, and a page that shows it.

use crate::run::{carom, error, folder, json, stdout};
use carom_broad_auto::catalogue::ALGORITHMS;

#[test]
fn report_has_phases_and_energy() {
    let (d, status) = json("demo pile --bodies 60 --frames 40 --json");
    assert_eq!(status, 0);
    assert_eq!(d["schema"], "carom.demo.v1");
    assert_eq!(
        (d["scene"].as_str(), d["frames"].as_u64(), d["bodies"].as_u64()),
        (Some("pile"), Some(40), Some(60))
    );
    for phase in ["broad", "narrow", "response"] {
        assert!(0.0 < d["phases"][phase]["ms"].as_f64().unwrap(), "{phase}");
    }
    assert!(0 < d["phases"]["broad"]["pairs"].as_u64().unwrap());
    assert!(0 < d["phases"]["narrow"]["contacts"].as_u64().unwrap());
    let energy: Vec<f64> = d["energy"].as_array().unwrap().iter().map(|e| e.as_f64().unwrap()).collect();
    assert_eq!(energy.len(), 40);
    // Bodies fall and rub, and do not bounce: lost energy does not come back.
    assert!(energy[39] < energy[0] && energy.iter().all(|e| *e <= energy[0] * 1.001));
}

#[test]
fn the_same_run_with_any_threads_and_any_broad_phase() {
    let hash = |arguments: &str| {
        let (d, _) = json(&format!("demo --bodies 150 --frames 60 --json {arguments}"));
        d["hash"].as_str().unwrap().to_owned()
    };
    let one = hash("--threads 1");
    assert_eq!(one, hash("--threads 1"));
    assert_eq!(one, hash("--threads 3"));
    for listed in ALGORITHMS {
        assert_eq!(one, hash(&format!("--threads 2 --broad-phase {}", listed.name)), "{}", listed.name);
    }
    assert_ne!(one, hash("--seed 2"));
}

#[test]
fn tetrahedra_are_points_until_they_come_near() {
    let text = stdout(&carom("demo tetrahedra --frames 1000 --html tetrahedra.html"));
    // 30 bodies have 435 pairs in each step. Few come near, fewer overlap, and some meet.
    let counts: Vec<u64> = text
        .split("  of ")
        .nth(1)
        .unwrap()
        .split_whitespace()
        .filter_map(|word| word.trim_matches(',').parse().ok())
        .collect();
    let [all, near, overlap, met] = counts[..] else { panic!("{text}") };
    assert_eq!(all, 435 * 1001, "{text}");
    assert!(0 < met && met < overlap && overlap < near && near < all / 50, "{text}");
    let html = std::fs::read_to_string(folder().join("tetrahedra.html")).unwrap();
    assert!(html.contains("are points while they are far from others"));
}

#[test]
fn trees_of_all_constructions_report_what_overlaps() {
    let text = stdout(&carom("demo trees --frames 140 --html trees.html"));
    let counts: Vec<f64> = text
        .lines()
        .filter_map(|line| line.split_once("query, ")?.1.split_whitespace().next()?.parse().ok())
        .collect();
    assert_eq!(counts.len(), 14, "{text}");
    assert!(counts.iter().all(|&n| 10.0 < n && n < 100.0), "{text}");
    let Some(picture) =
        crate::player::screenshot(&folder().join("trees.html"), "frame=5", &folder().join("trees.png"))
    else {
        return;
    };
    // The boxes of the first level, without a word in the address.
    assert!(200 < crate::player::n_of_hue(&picture, [214.0, 40.0, 160.0]), "no tree is seen");
}

#[test]
fn impacts_are_those_of_closed_forms() {
    let text = stdout(&carom("demo impacts --frames 30 --html impacts.html"));
    let of = |scene: &str| {
        let line =
            text.lines().find(|line| line.contains(scene)).unwrap_or_else(|| panic!("{scene}: {text}"));
        let answer = line.rsplit_once(": ").unwrap().1;
        answer.split([',', ' ']).filter_map(|word| word.parse().ok()).collect::<Vec<f64>>()
    };
    let is = |scene: &str, times: &[f64]| {
        let printed = of(scene);
        assert_eq!(printed.len(), times.len(), "{text}");
        for (found, time) in printed.iter().zip(times) {
            assert!((found - time).abs() < 1e-6, "{scene}: {found}, not {time}");
        }
    };
    // 1.5 m at 2.4 m/s; then as far to the face of a polygon, and a little more to its edge and its
    // corner.
    is("a ball and a plane", &[1.5 / 2.4]);
    let edge = 1.2 * (0.75_f64).sqrt();
    let past = |out: f64| (1.7 - (0.3 * 0.3 - out * out).sqrt()) / 2.4;
    is("face, edge, corner", &[1.4 / 2.4, past(1.2 - edge), past(0.2)]);
    // The second ball falls through the notch.
    is("not convex", &[1.4 / 2.4]);
    assert!(text.contains("not convex: 0.583333 s, never"), "{text}");
    // (2.7 - 0.8) / 3.4 until they meet along x, and (2.7 + 0.8) / 3.4 until they are apart.
    is("begin and end to overlap", &[1.9 / 3.4, 3.5 / 3.4]);
    let html = std::fs::read_to_string(folder().join("impacts.html")).unwrap();
    assert!(html.contains("when bodies that move touch"));
}

#[test]
fn a_deadline_leaves_pairs_open_in_one_order_only() {
    let text = stdout(&carom("demo deadline --frames 60 --html deadline.html"));
    let decided = text.split("decided: ").nth(1).unwrap();
    let steps = |order: &str| {
        decided.split(order).nth(1).unwrap().split([',', ';']).next().unwrap().trim().to_owned()
    };
    assert_eq!(steps("breadth first:"), "not all", "{text}");
    for order in ["depth first:", "the middle first:"] {
        let n: u64 = steps(order).parse().unwrap_or_else(|_| panic!("{order} {text}"));
        assert!(24 < n && n < 1440, "{text}");
    }
    let html = std::fs::read_to_string(folder().join("deadline.html")).unwrap();
    assert!(html.contains("what is known when the time is over"));
}

#[test]
fn boxes_are_looser_if_they_use_less_data() {
    let text = stdout(&carom("demo boxes --frames 40 --html boxes.html"));
    let volume = |name: &str| -> f64 {
        let line = text.lines().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{name}: {text}"));
        line.rsplit_once(": ").unwrap().1.split(';').next().unwrap().parse().unwrap()
    };
    let along = ["around all corners", "around the turned box", "around every orientation"].map(volume);
    assert!(along[0] < along[1] && along[1] < along[2], "{text}");
    let fitted = volume("own axes, fitted");
    for own in ["covariance of the corners", "covariance of the surface", "centres of regions"] {
        assert!(fitted <= volume(own) && volume(own) < along[0], "{text}");
    }
    let html = std::fs::read_to_string(folder().join("boxes.html")).unwrap();
    assert!(html.contains("boxes around a body that tumbles"));
}

#[test]
fn rays_find_vertices_in_the_other_knot() {
    let text = stdout(&carom("demo rays --frames 20 --html rays.html"));
    let numbers: Vec<u64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [triangles, frames, most, cast, followed] = numbers[..] else { panic!("{text}") };
    assert_eq!((triangles, frames), (6000, 20));
    assert!(100 < most && most < 6000 && 0 < followed && followed < cast, "{text}");
    let html = std::fs::read_to_string(folder().join("rays.html")).unwrap();
    assert!(html.contains("how deep two knots are in each other"));
}

#[test]
fn an_arm_moves_through_a_scanned_room() {
    let text = stdout(&carom("demo scan --frames 60 --html scan.html"));
    let words = text.split(|c: char| !c.is_ascii_digit() && c != '.');
    let numbers: Vec<f64> = words.filter_map(|word| word.parse().ok()).collect();
    let [_, n_points, n_boxes, frames, n_touching, least, tested, tested_boxes, ..] = numbers[..] else {
        panic!("{text}")
    };
    assert_eq!(frames, 60.0);
    assert!(5000.0 < n_points && 300.0 < n_boxes && n_boxes < n_points, "{text}");
    assert!(0.0 < n_touching && n_touching < 40.0 && least == 0.0, "{text}");
    // Few of the parts are tested.
    assert!(50.0 * tested < n_points && tested_boxes < n_boxes, "{text}");
    let html = std::fs::read_to_string(folder().join("scan.html")).unwrap();
    assert!(html.contains("a robot arm in a room of points") && html.len() < 3_000_000, "{}", html.len());
    assert!(error("demo scan --check").contains("no dynamic bodies"));
}

#[test]
fn page_shows_the_pile() {
    let page = folder().join("pile.html");
    let text = stdout(&carom("demo --bodies 200 --frames 90 --html pile.html"));
    assert!(text.contains("200 bodies, 90 steps") && text.contains("open pile.html in a browser"), "{text}");
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(!html.contains("https://") && !html.contains("http://"));
    let picture = folder().join("pile.png");
    let Some(picture) = crate::player::screenshot(&page, "frame=88&show=contacts,boxes", &picture) else {
        return;
    };
    let tree = crate::player::screenshot(&page, "frame=88&show=tree", &folder().join("tree.png"));
    assert!(
        tree.is_none_or(|tree| 500 < crate::player::n_of_hue(&tree, [214.0, 40.0, 160.0])),
        "no tree is seen"
    );
    let lines = crate::player::screenshot(&page, "frame=88&show=lines", &folder().join("lines.png"));
    assert!(
        lines.is_none_or(|lines| 100 < crate::player::n_of_hue(&lines, [225.0, 29.0, 29.0])),
        "no normal is seen"
    );
    assert!(3000 < crate::player::n_of_hue(&picture, [224.0, 138.0, 52.0]), "no body in contact is seen");
    assert!(100 < crate::player::n_of_hue(&picture, [255.0, 235.0, 51.0]), "no contact is seen");
}

#[test]
fn wrong_wishes() {
    assert!(error("demo juggling").contains("juggling"));
    assert!(error("demo --bodies 0").contains("0"));
    assert!(error("demo --broad-phase none").contains("none"));
    assert!(error("demo --bodies 20 --frames 2 --json --html no/such/folder/a.html").contains("a.html"));
}

#[test]
fn a_budget_is_kept_and_reported() {
    let run = |budget: &str| json(&format!("demo --bodies 150 --frames 90 --json {budget}")).0;
    let free = run("");
    assert!(free.get("budget").is_none());
    let d = run("--budget-steps 300 --threads 1");
    let count = |name: &str| d["budget"][name].as_u64().unwrap();
    assert_eq!((d["budget"]["ms"].is_null(), count("steps")), (true, 300));
    assert!(0 < count("pairs_put_off") && 0 < count("contacts_carried") && 0 < count("substeps_left_out"));
    assert!(count("pairs_unknown") <= count("pairs_put_off"));
    let less = run("--budget-steps 60 --threads 1");
    assert!(0 < less["budget"]["bodies_suspended"].as_u64().unwrap());
    // The same steps, the same bits; nothing is gained by leaving work out.
    assert_eq!(d["hash"], run("--budget-steps 300 --threads 3 --broad-phase brute-force")["hash"]);
    assert_ne!(d["hash"], free["hash"]);
    let energy: Vec<f64> = d["energy"].as_array().unwrap().iter().map(|e| e.as_f64().unwrap()).collect();
    assert!(energy.iter().all(|e| *e <= energy[0] * 1.001));

    let d = run("--budget-ms 0.05");
    // The machine decides which work is left out. With so little time, some is.
    let left_out = ["pairs_put_off", "substeps_left_out"].map(|name| d["budget"][name].as_u64().unwrap());
    assert!(0 < left_out[0] + left_out[1]);
    assert!(d["budget"]["late"].as_u64().unwrap() <= 90 && 0.0 < d["budget"]["worst_ms"].as_f64().unwrap());
    let text = stdout(&carom("demo --bodies 50 --frames 30 --budget-ms 0.02 --html budget.html"));
    assert!(text.contains("budget of a step 0.02 ms") && text.contains("pairs not tested"), "{text}");
    assert!(error("demo --budget-ms 0").contains("above 0"));
    assert!(error("demo --budget-ms 1 --budget-steps 9").contains("cannot be used with"));
}

/// The same run with every broad phase, in which the wall takes what the bullets bring.
#[test]
fn bullets_are_stopped_by_a_thin_wall() {
    let (d, status) = json("demo bullets --bodies 200 --frames 20 --json");
    assert_eq!((status, d["scene"].as_str(), d["bodies"].as_u64()), (0, Some("bullets"), Some(200)));
    let energy: Vec<f64> = d["energy"].as_array().unwrap().iter().map(|e| e.as_f64().unwrap()).collect();
    // The wall takes nearly all of their energy. A body that passed it would keep its own.
    assert!(energy[19] < 0.3 * energy[0], "{energy:?}");
    let hash = |arguments: &str| {
        let (d, _) = json(&format!("demo bullets --bodies 100 --frames 20 --json {arguments}"));
        d["hash"].as_str().unwrap().to_owned()
    };
    let one = hash("--threads 1");
    for listed in ["auto", "sweep-and-prune", "brute-force"] {
        assert_eq!(one, hash(&format!("--threads 2 --broad-phase {listed}")), "{listed}");
    }
}

/// Twelve more bodies move: the boxes and their darts. All runs are the same.
#[test]
fn darts_and_balls_stick() {
    let run = |arguments: &str| {
        let (d, status) = json(&format!("demo stick --bodies 20 --frames 120 --json {arguments}"));
        assert_eq!((status, d["scene"].as_str(), d["bodies"].as_u64()), (0, Some("stick"), Some(32)));
        d
    };
    let d = run("--threads 1");
    let energy: Vec<f64> = d["energy"].as_array().unwrap().iter().map(|e| e.as_f64().unwrap()).collect();
    // Impacts take most of the energy, and none is added.
    let most = energy.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    assert!(most <= energy[0] * 1.001 && energy[119] < 0.7 * energy[0], "{energy:?}");
    for listed in ["auto", "brute-force"] {
        assert_eq!(d["hash"], run(&format!("--threads 2 --broad-phase {listed}"))["hash"], "{listed}");
    }
}

/// Whole ragdolls, none of which gains energy on its way down.
#[test]
fn ragdolls_fall_down_the_stairs() {
    let (d, status) = json("demo stairs --bodies 60 --frames 120 --json");
    assert_eq!((status, d["scene"].as_str(), d["bodies"].as_u64()), (0, Some("stairs"), Some(66)));
    let energy: Vec<f64> = d["energy"].as_array().unwrap().iter().map(|e| e.as_f64().unwrap()).collect();
    let most = energy.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    assert!(most <= energy[0] * 1.0001 && energy[119] < 0.8 * energy[0], "{energy:?}");
    assert!(0 < d["phases"]["narrow"]["contacts"].as_u64().unwrap());

    // With the debug drawing of the world.
    let page = folder().join("stairs.html");
    carom(&format!("demo stairs --bodies 60 --frames 60 --html {}", page.display()));
    let Some(picture) = crate::player::screenshot(&page, "frame=55&show=lines", &folder().join("stairs.png"))
    else {
        return;
    };
    assert!(60 < crate::player::n_of_hue(&picture, [37.0, 99.0, 235.0]), "no joint is seen");
}

/// Ants act on what their rays and contacts find in the world. The run is the same with any number
/// of threads and any broad phase, and they bring crumbs home.
#[test]
fn ants_carry_crumbs_home() {
    let run = |arguments: &str| {
        let (d, status) = json(&format!("demo ants --bodies 70 --json {arguments}"));
        assert_eq!((status, d["scene"].as_str(), d["bodies"].as_u64()), (0, Some("ants"), Some(71)));
        (
            d["hash"].as_str().unwrap().to_owned(),
            [&d["crumbs"]["brought"], &d["crumbs"]["carried"]].map(|n| n.as_u64().unwrap()),
        )
    };
    let one = run("--frames 150 --threads 1");
    for listed in ["auto", "sweep-and-prune", "uniform-grid", "brute-force"] {
        assert_eq!(one, run(&format!("--frames 150 --threads 2 --broad-phase {listed}")), "{listed}");
    }
    let (_, [brought, carried]) = run("--frames 900");
    println!("of 40 ants {carried} carry a crumb after 15 s, and {brought} were brought home");
    assert!(5 < brought && 5 < carried);
    let text = stdout(&carom("demo ants --bodies 400 --frames 60 --html ants.html"));
    assert!(text.contains("crumbs were brought to the hill"), "{text}");
    let picture = folder().join("ants.png");
    let Some(picture) = crate::player::screenshot(&folder().join("ants.html"), "frame=20", &picture) else {
        return;
    };
    assert!(2000 < crate::player::n_of_hue(&picture, [76.0, 175.0, 110.0]), "no ant is seen");
}

/// Characters in the castle, and the car on the road, with boxes to push: the same run every time,
/// to the last bit on every machine, and a page of each.
#[test]
fn level_and_car_are_walked_and_driven() {
    let hash_of = |arguments: &str| {
        let (d, status) = json(&format!("demo {arguments} --check --json"));
        assert_eq!((status, d["schema"].as_str()), (0, Some("carom.demo.v1")));
        assert_eq!(d["check"]["faults"].as_u64(), Some(0), "{d}");
        assert!(0.0 < d["phases"]["narrow"]["ms"].as_f64().unwrap());
        assert!(0 < d["phases"]["narrow"]["contacts"].as_u64().unwrap(), "{arguments}");
        d["hash"].as_str().unwrap().to_owned()
    };
    let level = "level --bodies 12 --frames 200";
    assert_eq!(hash_of(level), "82d544c08309db6b");
    assert_eq!(hash_of(level), hash_of(level));
    assert_ne!(hash_of(level), hash_of(&format!("{level} --seed 2")));
    assert_eq!(hash_of("car --frames 300"), "4222700942923973");

    let text = stdout(&carom("demo level --bodies 12 --frames 120 --html level.html"));
    assert!(text.contains("of 12 characters stand on something"), "{text}");
    let text = stdout(&carom("demo car --frames 120 --html car.html"));
    assert!(text.contains("the car drives at "), "{text}");
    for name in ["level", "car"] {
        let page = folder().join(format!("{name}.html"));
        let html = std::fs::read_to_string(&page).unwrap();
        assert!(!html.contains("https://") && !html.contains("http://"));
        let picture = folder().join(format!("{name}.png"));
        let Some(picture) = crate::player::screenshot(&page, "frame=60&show=contacts", &picture) else {
            return;
        };
        // Characters that push, and wheels on the ground.
        assert!(
            20 < crate::player::n_of_hue(&picture, [232.0, 176.0, 38.0]),
            "{name}: nothing in contact is seen"
        );
    }
}

/// Both scenes have the same bits in each run, and nothing falls through.
#[test]
fn surfaces_that_move_are_played_and_checked() {
    for scene in ["conveyor", "waves"] {
        let arguments = format!("demo {scene} --bodies 24 --frames 90 --check --json");
        let (d, status) = json(&arguments);
        assert_eq!((status, d["check"]["faults"].as_u64()), (0, Some(0)), "{scene}: {d}");
        assert!(20 < d["phases"]["narrow"]["contacts"].as_u64().unwrap(), "{scene}: {d}");
        assert_eq!(d["hash"], json(&arguments).0["hash"]);
        let page = folder().join(format!("{scene}.html"));
        carom(&format!("demo {scene} --frames 120 --html {}", page.display()));
        let picture = folder().join(format!("{scene}.png"));
        let Some(picture) = crate::player::screenshot(&page, "frame=50&show=", &picture) else {
            continue;
        };
        let n_pixels = crate::player::n_of_hue(&picture, [224.0, 138.0, 52.0]);
        assert!(500 < n_pixels, "{scene}: nothing in contact is seen: {n_pixels}");
    }
}

/// Each scene has the same bits in each run, and is seen.
#[test]
fn vehicles_and_characters_are_played_and_checked() {
    for scene in ["vehicle", "platforms", "characters", "crane", "bridge", "playground"] {
        let arguments = format!("demo {scene} --frames 90 --check --json");
        let (d, status) = json(&arguments);
        assert_eq!((status, d["check"]["faults"].as_u64()), (0, Some(0)), "{scene}: {d}");
        assert_eq!(d["hash"], json(&format!("{arguments} --threads 1")).0["hash"]);
        let page = folder().join(format!("{scene}.html"));
        let text = stdout(&carom(&format!("demo {scene} --frames 400 --html {}", page.display())));
        assert!(text.contains("0 bodies are more than 40 m away"), "{text}");
        if matches!(scene, "platforms" | "characters") {
            let n: Vec<&str> = text.split("at the end ").nth(1).unwrap().split(' ').collect();
            let [standing, all] = [n[0], n[2]].map(|word| word.parse::<u32>().unwrap());
            assert!(all <= standing + 3 && 10 < all, "{text}");
        }
        let picture = folder().join(format!("{scene}.png"));
        let Some(picture) = crate::player::screenshot(&page, "frame=100&show=", &picture) else {
            continue;
        };
        let moving = [[78.0, 166.0, 108.0], [224.0, 138.0, 52.0], [232.0, 178.0, 35.0]];
        let n_pixels: usize = moving.map(|hue| crate::player::n_of_hue(&picture, hue)).iter().sum();
        assert!(300 < n_pixels, "{scene}: nothing that moves is seen: {n_pixels}");
    }
}

/// The picture is of the side of the wall from which they come.
#[test]
fn bullets_are_drawn_at_the_wall() {
    let page = folder().join("bullets.html");
    carom(&format!("demo bullets --bodies 1500 --frames 4 --html {}", page.display()));
    let Some(picture) = crate::player::screenshot(&page, "frame=1.7", &folder().join("bullets.png")) else {
        return;
    };
    let (wall, bullets) = ([128.0, 134.0, 144.0], [78.0, 166.0, 108.0]);
    assert!(100_000 < crate::player::n_of_hue(&picture, wall), "no wall is seen");
    assert!(100 < crate::player::n_of_hue(&picture, bullets), "no bullet is seen");
}

/// Scenes that move bodies have no faults. The others are refused.
#[test]
fn check_audits_each_step_of_each_scene() {
    for arguments in [
        "pile --bodies 120 --frames 90",
        "clock --bodies 6 --frames 60",
        "stairs --bodies 22 --frames 120",
        "ants --bodies 70 --frames 60",
        "bullets --bodies 100 --frames 30",
    ] {
        let (document, status) = json(&format!("demo {arguments} --check --json"));
        assert_eq!((status, document["check"]["faults"].as_u64()), (0, Some(0)), "{arguments}: {document}");
    }
    let text = stdout(&carom("demo pile --bodies 20 --frames 10 --check --html checked.html"));
    assert!(text.contains("checked each step: no fault"), "{text}");
    for scene in ["trees", "morph"] {
        let said = error(&format!("demo {scene} --check"));
        assert!(said.contains("has no dynamic bodies"), "{said}");
    }
}

/// Rows of the scoreboard are played with their kinematic bodies and without gravity if they have
/// none.
#[test]
fn physics_plays_a_row_of_the_scoreboard() {
    for (row, n_bodies) in [("arch", 15), ("pressed-10", 3), ("gas-balls", 125)] {
        let (document, status) = json(&format!("demo physics --row {row} --frames 60 --check --json"));
        assert_eq!((status, document["bodies"].as_u64()), (0, Some(n_bodies)), "{row}: {document}");
        assert_eq!(document["check"]["faults"].as_u64(), Some(0), "{row}: {document}");
        let energy: Vec<f64> =
            document["energy"].as_array().unwrap().iter().map(|energy| energy.as_f64().unwrap()).collect();
        let is_weightless = row == "gas-balls";
        // 125 balls of 33.5 g at 3 m/s, most of whose energy stays.
        assert!(!is_weightless || (15.0..=18.86).contains(energy.last().unwrap()), "{energy:?}");
    }
    let said = error("demo physics --row tower-11");
    assert!(said.contains("there is no \"tower-11\"; there are stacked-10, "), "{said}");
    let said = error("demo pile --row arch");
    assert!(said.contains("--row: the scene \"pile\" has no rows"), "{said}");
}

/// Each movement has five bodies and six gears, and its mainspring runs down.
#[test]
fn clock_reports_its_gears_and_how_far_the_barrels_turned() {
    let text = stdout(&carom("demo clock --bodies 10 --frames 120 --html movements.html"));
    assert!(text.contains("clock: 10 bodies, 120 steps"), "{text}");
    assert!(text.contains("12 gears, "), "{text}");
    let (_, behind) = text.split_once("the barrels have turned by ").unwrap();
    let turned: f64 = behind.split(' ').next().unwrap().parse().unwrap();
    // Two seconds are 1.6 to 2.5 periods of 0.0268 radians, and the backlash at the start.
    assert!((0.03..0.12).contains(&turned), "{text}");
}
