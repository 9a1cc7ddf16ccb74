//! Floors: a crate depends only on crates of strictly lower floors, so crates of one floor do not
//! depend on each other.

use super::Complaint;
use crate::metadata::{Floor, Package};

/// Checks the normal dependencies of every package.
pub(super) fn check(packages: &[Package]) -> Vec<Complaint> {
    let mut found = Vec::new();
    for package in packages {
        let mut complain = |text: String| {
            found.push(Complaint {
                path: format!("{}/Cargo.toml", package.name),
                line: 0,
                rule: "floors",
                text,
            });
        };
        let Some(floor) = package.floor else {
            complain("states no floor under [package.metadata.carom]".to_string());
            continue;
        };
        for name in &package.dependencies {
            // A package of another workspace has no floor.
            let Some(below) = packages.iter().find(|other| other.name == *name).and_then(|other| other.floor)
            else {
                continue;
            };
            if !may_depend(floor, below) {
                complain(format!("{floor:?} may not depend on {name}, which is {below:?}"));
            }
        }
    }
    found
}

fn may_depend(floor: Floor, below: Floor) -> bool {
    match (floor, below) {
        (Floor::Level(floor), Floor::Level(below)) => below < floor,
        (Floor::Level(_), Floor::App | Floor::Dev) | (Floor::App, Floor::Dev) => false,
        (Floor::App, Floor::Level(_) | Floor::App) | (Floor::Dev, _) => true,
    }
}
