//! Scenes of particles: nothing is lost, and the page draws them.

use crate::run::{folder, json};

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
