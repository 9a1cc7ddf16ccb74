//! Budgets in time: kept with a clock, refused without one.

use crate::Error;
use crate::scenes::{DT, scenes};
use carom_broad_tree::DynamicBvh;
use carom_bvh::{AnytimeSettings, Ended, Until};
use carom_geom::TriMesh;
use carom_math::{Budget, Pose, Vec3, clock};
use carom_query::{AnytimeMeshes, MeshPair, MeshShape};
use carom_world::{World, WorldError};
use core::time::Duration;

/// Times that suffice for each step here, and no time.
const TIMES: [Duration; 3] = [Duration::from_secs(3600), Duration::ZERO, Duration::MAX];

/// Tries budgets in time on each scene and on a search in two meshes. The error says which answer
/// is wrong.
pub fn time_budgets() -> Result<(), Error> {
    for scene in scenes::<DynamicBvh>() {
        let (mut timed, mut other) = (World::new(), World::new());
        (scene.fill)(&mut timed)?;
        (scene.fill)(&mut other)?;
        for time in TIMES {
            step(&mut timed, time).map_err(|why| format!("{}, {time:?}: {why}", scene.name))?;
            timed.step(DT)?;
            other.step(DT)?;
        }
        // With a clock the steps were made, so the states may differ.
        if !clock::IS_AVAILABLE && timed.state_hash() != other.state_hash() {
            return Err(format!("{}: a refused step left something", scene.name).into());
        }
    }
    TIMES.into_iter().try_for_each(search)
}

/// Makes one step with a budget in time. Without a clock it must be refused and change nothing.
fn step(world: &mut World<DynamicBvh>, time: Duration) -> Result<(), Error> {
    let before = world.state_hash();
    let stepped = world.step_with_budget(DT, Budget::Time(time)).map(|_| ());
    match stepped {
        Ok(()) if clock::IS_AVAILABLE => Ok(()),
        Err(WorldError::NoClock) if !clock::IS_AVAILABLE && world.state_hash() == before => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}

/// Searches the distance of two meshes with a budget in time. The search can continue after a
/// refusal.
fn search(time: Duration) -> Result<(), Error> {
    let points = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].to_vec();
    let mesh = TriMesh::new(points, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
    let meshes = [MeshShape::new(mesh)?];
    let pairs = [MeshPair::new(0, Pose::IDENTITY, 0, Pose::from_translation(Vec3::X * 3.0))];
    let mut search = AnytimeMeshes::default();
    search.start(pairs.len(), &AnytimeSettings::distance());
    let run = search.run(&meshes, &pairs, Until::from(Budget::Time(time)))?;
    let is_right = match run.ended {
        Ended::NoClock => !clock::IS_AVAILABLE && run.steps == 0,
        Ended::Done => clock::IS_AVAILABLE && !time.is_zero(),
        Ended::Deadline => clock::IS_AVAILABLE && time.is_zero(),
        _ => false,
    };
    if !is_right {
        return Err(format!("a search within {time:?} ended with {:?}", run.ended).into());
    }
    let run = search.run(&meshes, &pairs, Until::done())?;
    let bounds = search.answer(0).bounds;
    let is_narrow = bounds.min <= 2.0 && 2.0 <= bounds.max && bounds.max - bounds.min < 1e-3;
    if !(run.is_done() && is_narrow) {
        return Err(format!("the search did not go on to its end: {run:?}, {bounds:?}").into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    /// Built without default features, with `libm`, there is no clock.
    #[test]
    fn budgets_in_time_are_kept_with_a_clock_and_refused_without() {
        assert_eq!(carom_math::clock::IS_AVAILABLE, cfg!(feature = "std"));
        super::time_budgets().unwrap();
    }
}
