//! Each scene of the list.

use carom_web::Testbed;
use carom_web::scenes::{Request, SCENES, scene};

/// Each scene, with the count and seed that the list has, steps and stays consistent.
#[test]
fn each_scene_runs() {
    for scene in SCENES {
        let request = Request { count: scene.count.usual.min(200), seed: 1 };
        let mut bed = Testbed::start(scene, request, "dynamic-bvh").unwrap();
        let hash = bed.state_hash();
        for step in 0..20 {
            bed.step().unwrap_or_else(|error| panic!("{}, step {step}: {error}", scene.name));
        }
        bed.world().validate().unwrap_or_else(|error| panic!("{}: {error}", scene.name));
        assert_ne!(bed.state_hash(), hash, "{}: something moves", scene.name);
    }
}

#[test]
fn names_are_unique_and_are_found() {
    for (k, one) in SCENES.iter().enumerate() {
        assert!(SCENES[k + 1..].iter().all(|other| other.name != one.name), "{}", one.name);
        assert_eq!(scene(one.name).unwrap().title, one.title);
        assert!(0 < one.count.usual && one.count.usual <= one.count.most, "{}", one.name);
    }
    assert!(scene("none").is_none());
}

/// The count of a scene changes its bodies, if the list says that it can be chosen.
#[test]
fn counts_count() {
    for scene in SCENES.iter().filter(|scene| scene.count.usual < scene.count.most) {
        let n = |count| {
            let bed = Testbed::start(scene, Request { count, seed: 1 }, "dynamic-bvh").unwrap();
            let vertices: usize = bed
                .world()
                .soft_things()
                .map(|thing| match thing {
                    carom_world::SoftThing::Body(id) => bed.world().soft_body(id).unwrap().positions().len(),
                    _ => 0,
                })
                .sum();
            bed.world().len() + vertices
        };
        let (few, many) = (n(scene.count.usual / 2), n(scene.count.usual));
        assert!(few < many, "{}: {few} and {many}", scene.name);
    }
}
