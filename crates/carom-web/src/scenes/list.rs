//! The list of scenes.

use super::{Actors, Camera, Count, Error, Request, Scene, Source};
use super::{bridge, car, crane, joint_kinds, level, platforms, playground, soft, stacks, surfaces, walkers};
use carom_math::Vec3;

/// All scenes, in the order of the list.
pub const SCENES: &[Scene] = &[
    Scene {
        name: "playground",
        title: "Playground",
        about: "Joints, hooks, belts, water, cloth, wind, a planet, characters and a car. Pull at anything.",
        group: "All in one",
        count: Count { usual: 48, most: 400, of: "loose bodies" },
        camera: Some(camera([1.0, 0.0, 3.0], 44.0, 0.5, 0.6)),
        source: Source::Fill(playground),
    },
    Scene {
        name: "pile",
        title: "Pile",
        about: "Boxes, tori and a ragdoll fall into a pit. Drag one out of the heap.",
        group: "Stacks and heaps",
        count: Count { usual: 250, most: 5000, of: "bodies" },
        camera: None,
        source: Source::Spec(|request| carom_scenes::pile(request.count, request.seed)),
    },
    Scene {
        name: "boxes",
        title: "Falling boxes",
        about: "Boxes fall into a heap, two thousand at first. Watch the time of a step.",
        group: "Stacks and heaps",
        count: Count { usual: 2000, most: 10_000, of: "boxes" },
        camera: None,
        source: Source::Fill(|world, request| passive(stacks::boxes(world, request), request)),
    },
    Scene {
        name: "pyramid",
        title: "Pyramid",
        about: "A pyramid of boxes stands and sleeps. Shoot at it.",
        group: "Stacks and heaps",
        count: Count { usual: 14, most: 60, of: "boxes in the lowest row" },
        camera: None,
        source: Source::Fill(|world, request| passive(stacks::pyramid(world, request), request)),
    },
    row("tower", "Tower", "Twenty boxes stand on each other.", "Stacks and heaps", "tower-20"),
    row(
        "card-house",
        "House of cards",
        "Forty cards lean on each other. Pull one.",
        "Stacks and heaps",
        "cards",
    ),
    row("arch", "Arch", "Wedges without mortar carry each other.", "Stacks and heaps", "arch"),
    Scene {
        camera: Some(camera([0.0, 1.0, -1.5], 13.0, 1.05, 0.3)),
        ..row("wall", "Wall", "A wall of bricks is hit by a ball.", "Stacks and heaps", "wall")
    },
    Scene {
        camera: Some(camera([2.4, 0.1, 0.0], 6.5, -1.1, 0.35)),
        ..row("dominoes", "Dominoes", "Each one knocks over the next.", "Stacks and heaps", "dominoes")
    },
    Scene {
        name: "ragdolls",
        title: "Ragdolls on stairs",
        about: "Ragdolls fall down stairs. Drag one by a limb.",
        group: "Joints",
        count: Count { usual: 8, most: 60, of: "ragdolls" },
        camera: Some(camera([2.2, 1.6, 0.0], 18.0, 0.9, 0.35)),
        source: Source::Spec(|request| carom_scenes::stairs(request.count, request.seed)),
    },
    Scene {
        name: "bridge",
        title: "Chain bridge",
        about: "A car drives to and fro over planks in hinges. Hang on to one.",
        group: "Joints",
        count: Count { usual: 40, most: 100, of: "planks" },
        camera: Some(camera([0.0, -1.0, 0.0], 28.0, 0.25, 0.3)),
        source: Source::Fill(bridge),
    },
    Scene {
        name: "crane",
        title: "Crane",
        about: "A crane with motors and ropes carries crates to a stack and back. Pull at its hook.",
        group: "Joints",
        count: Count { usual: 6, most: 9, of: "crates" },
        camera: Some(camera([3.0, 3.5, 0.0], 24.0, 0.7, 0.35)),
        source: Source::Fill(crane),
    },
    Scene {
        name: "joints",
        title: "A joint of each kind",
        about: "Weld, door, lift, sleeve, jack, shaft, shoulder, plate, rod, rope, pulley, gears, rack. Pull them.",
        group: "Joints",
        count: Count { usual: 13, most: 13, of: "joints" },
        camera: Some(camera([0.9, 1.8, 0.0], 12.5, 0.25, 0.3)),
        source: Source::Fill(|world, request| passive(joint_kinds(world, request), request)),
    },
    Scene {
        name: "links",
        title: "Chain of rings",
        about: "Rings hang in each other, without a joint. Pull at the last one.",
        group: "Joints",
        count: Count { usual: 12, most: 60, of: "rings" },
        camera: None,
        source: Source::Fill(|world, request| passive(stacks::links(world, request), request)),
    },
    Scene {
        name: "clock",
        title: "Clockwork",
        about: "Gears and escapements that touch tooth by tooth.",
        group: "Joints",
        count: Count { usual: 4, most: 40, of: "movements" },
        camera: None,
        source: Source::Spec(|request| carom_scenes::clockwork(request.count)),
    },
    row("trampoline", "Trampoline", "A net of ropes throws a ball of 100 kg.", "Joints", "trampoline"),
    Scene {
        name: "stick",
        title: "Darts that stick",
        about: "Sticky darts and balls fly at a row of boxes and a wall, and stick.",
        group: "Fast and sticky",
        count: Count { usual: 60, most: 300, of: "balls" },
        camera: Some(camera([0.5, 1.8, 1.5], 18.0, -0.9, 0.25)),
        source: Source::Spec(|request| carom_scenes::stick(request.count, request.seed)),
    },
    Scene {
        name: "bullets",
        title: "Bullets at a thin wall",
        about: "Bullets at a kilometre per second hit a wall of a millimetre. None gets through.",
        group: "Fast and sticky",
        count: Count { usual: 400, most: 3000, of: "bullets" },
        camera: Some(camera([-0.5, 0.9, 0.0], 2.4, -0.55, 0.35)),
        source: Source::Spec(|request| carom_scenes::bullets(request.count, request.seed)),
    },
    Scene {
        camera: Some(camera([14.0, -7.0, 9.0], 54.0, 0.75, 0.4)),
        ..row(
            "slopes",
            "Friction on slopes",
            "Ten slopes, each steeper than the last. Five boxes stay, five slide.",
            "Rub and bounce",
            "slopes",
        )
    },
    row("bounce", "Bounces", "Balls bounce and lose no speed.", "Rub and bounce", "bounce-1"),
    row("gas", "Gas of balls", "Balls fly about in a room without gravity.", "Rub and bounce", "gas-balls"),
    Scene {
        name: "vehicle",
        title: "Car on hills",
        about: "A car drives in a circle over hills and through walls of boxes. Its wheels are rays.",
        group: "Cars, characters, belts",
        count: Count { usual: 48, most: 300, of: "boxes" },
        camera: Some(camera([0.0, 0.0, 0.0], 46.0, -0.7, 0.6)),
        source: Source::Fill(walkers::vehicle),
    },
    Scene {
        name: "car",
        title: "Car on a road",
        about: "Over bumps and a bridge, through a tunnel and five walls of boxes.",
        group: "Cars, characters, belts",
        count: Count { usual: 30, most: 30, of: "boxes" },
        camera: Some(camera([30.0, 1.0, 0.0], 60.0, 0.3, 0.5)),
        source: Source::Fill(car),
    },
    Scene {
        name: "level",
        title: "Castle",
        about: "One character follows a path through the castle, others roam, and all push crates.",
        group: "Cars, characters, belts",
        count: Count { usual: 20, most: 80, of: "characters" },
        camera: Some(camera([0.0, 1.0, 0.0], 54.0, -0.6, 0.75)),
        source: Source::Fill(level),
    },
    Scene {
        name: "platforms",
        title: "Platforms",
        about: "Characters and boxes on a lift, an escalator, discs that turn and tilt, a seesaw and a belt.",
        group: "Cars, characters, belts",
        count: Count { usual: 14, most: 60, of: "characters" },
        camera: Some(camera([0.0, 1.0, 0.0], 24.0, 0.5, 0.5)),
        source: Source::Fill(platforms::platforms),
    },
    Scene {
        name: "characters",
        title: "Characters in a crowd",
        about: "Two crowds walk through each other and push boxes.",
        group: "Cars, characters, belts",
        count: Count { usual: 32, most: 120, of: "characters" },
        camera: Some(camera([0.0, 0.5, 0.0], 22.0, 0.4, 0.6)),
        source: Source::Fill(walkers::characters),
    },
    Scene {
        name: "conveyor",
        title: "Conveyor belts",
        about: "Parcels go round on belts that do not move.",
        group: "Cars, characters, belts",
        count: Count { usual: 48, most: 400, of: "parcels" },
        camera: Some(camera([0.0, 0.0, 0.0], 16.5, 0.5, 0.65)),
        source: Source::Fill(surfaces::conveyor),
    },
    Scene {
        name: "waves",
        title: "A mesh that deforms",
        about: "Waves carry bodies, and a membrane throws them up.",
        group: "Cars, characters, belts",
        count: Count { usual: 81, most: 400, of: "bodies" },
        camera: Some(camera([0.0, 0.0, 0.0], 19.0, 0.6, 0.5)),
        source: Source::Fill(surfaces::waves),
    },
    Scene {
        name: "cloth",
        title: "Cloth on a ball",
        about: "A cloth falls on a ball. Pull the ball out from under it.",
        group: "Soft bodies and water",
        count: Count { usual: 32, most: 60, of: "cells along a side" },
        camera: Some(camera([0.0, 0.5, 0.0], 4.6, 0.6, 0.45)),
        source: Source::Fill(|world, request| passive(soft::cloth_on_ball(world, request), request)),
    },
    Scene {
        name: "raft",
        title: "Water with rafts",
        about: "Boxes of half the density of water fall in and float. Push one under.",
        group: "Soft bodies and water",
        count: Count { usual: 4, most: 12, of: "rafts" },
        camera: Some(camera([0.0, 0.3, 0.0], 2.6, 0.6, 0.45)),
        source: Source::Fill(|world, request| passive(soft::raft(world, request), request)),
    },
];

/// Returns the scene with this name.
pub fn scene(name: &str) -> Option<&'static Scene> {
    SCENES.iter().find(|scene| scene.name == name)
}

/// Returns no actors, for a scene that was filled.
fn passive(filled: Result<(), Error>, request: &Request) -> Result<Actors, Error> {
    filled.map(|()| Actors::new(request.seed))
}

const fn camera(target: [f32; 3], distance: f32, yaw: f32, pitch: f32) -> Camera {
    Camera { target: Vec3::from_array(target), distance, yaw, pitch }
}

/// Returns a scene that is a row of the scoreboard.
const fn row(
    name: &'static str,
    title: &'static str,
    about: &'static str,
    group: &'static str,
    row: &'static str,
) -> Scene {
    let count = Count { usual: 1, most: 1, of: "scenes" };
    Scene { name, title, about, group, count, camera: None, source: Source::Row(row) }
}
