//! `carom demo`: a scene that is built in, the cost of each phase, and a page that plays the run.

use crate::args::DemoArgs;
use crate::command::demo_world::simulate;
use crate::command::{
    demo_actors, demo_boxes, demo_deadline, demo_figure, demo_impacts, demo_model, demo_particles, demo_rays,
    demo_scan, demo_soft, demo_surfaces, demo_tetrahedra, demo_trees,
};
use crate::live_page;
use crate::report::Outcome;
use carom_scenes::scoreboard;

/// Runs the command.
pub fn run(args: &DemoArgs) -> Result<Outcome, String> {
    if let Some(first) = &args.live {
        return live_page::run(args, first);
    }
    if args.over.is_some() && args.scene != "cloth" {
        return Err(format!("--over: the scene {:?} has no cloth", args.scene));
    }
    if args.row.is_some() && args.scene != "physics" {
        return Err(format!("--row: the scene {:?} has no rows", args.scene));
    }
    if args.file.is_some() && args.scene != "walk" {
        return Err(format!("--file: the scene {:?} plays no file", args.scene));
    }
    if args.surface && !matches!(args.scene.as_str(), "water" | "everything") {
        return Err(format!("--surface: the scene {:?} has no liquid", args.scene));
    }
    let run = match args.scene.as_str() {
        "morph" | "walk" | "tetrahedra" | "trees" | "impacts" | "deadline" | "boxes" | "rays" | "scan"
            if args.check =>
        {
            return Err(format!("--check: the scene {:?} has no dynamic bodies", args.scene));
        }
        "level" | "car" | "vehicle" | "platforms" | "characters" | "crane" | "bridge" | "playground" => {
            demo_actors::play(args)?
        }
        "cloth" | "jelly" | "shatter" => demo_soft::play(args)?,
        "water" | "sand" | "rain" | "everything" => demo_particles::play(args)?,
        "conveyor" | "waves" => demo_surfaces::play(args)?,
        "tetrahedra" => demo_tetrahedra::play(args)?,
        "trees" => demo_trees::play(args)?,
        "impacts" => demo_impacts::play(args)?,
        "deadline" => demo_deadline::play(args)?,
        "boxes" => demo_boxes::play(args)?,
        "rays" => demo_rays::play(args)?,
        "scan" => demo_scan::play(args)?,
        "morph" | "walk" => match &args.file {
            Some(file) => demo_model::play(args, file)?,
            None => demo_figure::play(args)?,
        },
        "clock" => {
            let n_movements = args.n_bodies().div_ceil(carom_scenes::MOVEMENT_BODIES);
            simulate(&carom_scenes::clockwork(n_movements), None, args)?
        }
        "bullets" => simulate(&carom_scenes::bullets(args.n_bodies(), args.seed), None, args)?,
        "stick" => simulate(&carom_scenes::stick(args.n_bodies(), args.seed), None, args)?,
        "ants" => {
            // Three crumbs for four ants.
            let hill = carom_scenes::ants(args.n_bodies() * 4 / 7, args.seed);
            simulate(&hill.scene, Some(&hill), args)?
        }
        "stairs" => {
            let n_dolls = args.n_bodies().div_ceil(carom_scenes::RAGDOLL_BODIES);
            simulate(&carom_scenes::stairs(n_dolls, args.seed), None, args)?
        }
        "physics" => {
            let row = scoreboard::row(args.row()).ok_or_else(|| {
                let names: Vec<String> = scoreboard::rows().into_iter().map(|row| row.name).collect();
                format!("--row: there is no {:?}; there are {}", args.row(), names.join(", "))
            })?;
            simulate(&row.scene, None, args)?
        }
        _ => simulate(&carom_scenes::pile(args.n_bodies(), args.seed), None, args)?,
    };
    run.report(args)?;
    Ok(Outcome::Nothing)
}
