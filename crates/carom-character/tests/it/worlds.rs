//! One level as each kind of world, and figures to walk in it.

use carom_bsp::{Bevels, BspSettings, BspTree};
use carom_character::{BspWorld, Character, CharacterSettings, Figure, ShapeWorld, Sweep};
use carom_geom::f64::{ConvexHull, TriMesh};
use carom_math::f64::Pose;
use carom_math::glam::DVec3;
use carom_query::f64::{MeshShape, Shape};
use carom_scenes::Level;
use carom_scenes::mesh::MeshData;
use carom_testkit::walk::brushes_of;
use std::sync::Arc;

/// A level, ready to be walked in.
pub(crate) enum World {
    Bsp(Box<BspTree>),
    Shapes(ShapeWorld),
}

impl World {
    pub(crate) fn bsp(level: &Level, bevels: Bevels) -> World {
        let brushes = brushes_of(level);
        assert_eq!(brushes.len(), level.blocks.len());
        let settings = BspSettings::default().with_bevels(bevels);
        World::Bsp(Box::new(BspTree::from_brushes(&brushes, &settings).unwrap()))
    }

    /// All triangles as one mesh.
    pub(crate) fn mesh(mesh: MeshData) -> World {
        let mesh = TriMesh::new(mesh.vertices, mesh.triangles).unwrap();
        let mut world = ShapeWorld::new();
        world.insert(Shape::Mesh(Arc::new(MeshShape::new(mesh).unwrap())), Pose::IDENTITY);
        World::Shapes(world)
    }

    /// Each block as a hull.
    pub(crate) fn hulls(level: &Level) -> World {
        let mut world = ShapeWorld::new();
        for block in &level.blocks {
            let middle = block.corners.iter().sum::<DVec3>() / block.corners.len() as f64;
            let corners: Vec<DVec3> = block.corners.iter().map(|p| *p - middle).collect();
            let hull = Shape::Hull(Arc::new(ConvexHull::from_points(&corners).unwrap()));
            world.insert(hull, Pose::from_translation(middle));
        }
        World::Shapes(world)
    }

    /// Every kind of world, with its name.
    pub(crate) fn all(level: &Level) -> Vec<(&'static str, World)> {
        vec![
            ("brushes", World::bsp(level, Bevels::All)),
            ("mesh", World::mesh(level.mesh())),
            ("hulls", World::hulls(level)),
        ]
    }

    pub(crate) fn sweep(&self) -> Box<dyn Sweep + '_> {
        match self {
            World::Bsp(tree) => Box::new(BspWorld::new(tree)),
            World::Shapes(world) => Box::new(world.clone()),
        }
    }
}

/// Every kind of figure, with its name: 1.8 metres high, 0.6 wide.
pub(crate) fn figures() -> [(&'static str, Figure); 4] {
    [
        ("cylinder", Figure::cylinder(1.8, 0.3).unwrap()),
        ("capsule", Figure::capsule(1.8, 0.3).unwrap()),
        ("box", Figure::cuboid(DVec3::new(0.6, 1.8, 0.6)).unwrap()),
        ("ellipsoid", Figure::ellipsoid(1.8, 0.3).unwrap()),
    ]
}

/// A character whose feet are a little above the first start of a level.
pub(crate) fn start(level: &Level, figure: Figure, settings: CharacterSettings) -> Character {
    let position = level.starts[0] + DVec3::Y * (figure.stature() + 0.02);
    Character::new(figure, settings, position).unwrap()
}

/// Walks for some seconds at 60 Hz.
pub(crate) fn walk(character: &mut Character, world: &mut dyn Sweep, wish: DVec3, seconds: f64) {
    for _ in 0..(seconds * 60.0).round() as usize {
        character.walk(world, wish, 1.0 / 60.0);
    }
}
