//! Bodies that bend: cloth, jelly and pieces of a plate, as plain data with a small integrator.

mod integrate;
mod scenes;

pub use integrate::{SoftBody, SoftContact, SoftLink, Tetrahedron};
pub use scenes::{Air, ObstacleSpec, Over, Path, SoftScene, cloth_over, flag, jelly, shatter};
