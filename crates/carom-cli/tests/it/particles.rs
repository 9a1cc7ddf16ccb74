//! Scenes of particles: nothing is lost, and the page draws them.

use crate::run::{carom, error, folder, json, stdout};

#[test]
fn each_scene_loses_nothing() {
    let folder = folder();
    for (scene, n_frames) in [("water", 60), ("sand", 60), ("rain", 60), ("everything", 60)] {
        let page = folder.join(format!("{scene}.html"));
        let arguments =
            format!("demo {scene} --bodies 400 --frames {n_frames} --check --json --html {}", page.display());
        let (report, status) = json(&arguments);
        assert_eq!((status, &report["check"]["faults"]), (0, &0.into()), "{scene}: {report}");
        let html = std::fs::read_to_string(&page).unwrap();
        assert!(html.contains("clouds"), "{scene}");
        // The same bits again, with another number of threads.
        let (again, _) = json(&format!("{arguments} --threads 1"));
        assert_eq!(report["hash"], again["hash"], "{scene}");
    }
}

#[test]
fn water_is_drawn_as_a_surface_on_demand() {
    let page = folder().join("surface.html");
    stdout(&carom(&format!("demo water --surface --bodies 800 --frames 20 --html {}", page.display())));
    assert!(error("demo sand --surface").contains("has no liquid"));
    let blue = |view: &str, name: &str| {
        let picture = crate::player::screenshot(&page, view, &folder().join(name))?;
        Some(crate::player::n_of_hue(&picture, [52.0, 116.0, 190.0]))
    };
    let Some(drawn) = blue("frame=10", "surface.png") else {
        return;
    };
    // The surface at first, and the particles where it is switched off.
    let particles = blue("frame=10&show=", "no_surface.png").unwrap_or_default();
    assert!(2000 < drawn && 500 < particles && drawn != particles, "{drawn}, {particles}");
}
