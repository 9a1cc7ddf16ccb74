//! `carom demo everything`: a cloth bag of water falls on jelly; a rigid block and sand lie beside
//! it.

use super::{DT, Scene, energy_of, view};
use crate::command::demo_run::chart;
use crate::player::{Chart, PlayerCloud, PlayerMesh, PlayerShape, View};
use crate::report::text;
use crate::skins::Skin;
use carom_math::{Pose, Vec3};
use carom_particles::{
    Cloth, ClothSettings, Grains, Liquid, ParticleBody, ParticleError, ParticleSettings, ParticleSolver,
    ShapeMatching, SoftBody, SoftBodySettings, Solid, SolidPass, Surface, Surroundings,
};
use std::collections::BTreeMap;

/// The bag is a ball of cloth: radius in metres, opening in radii above the centre, and height of
/// the centre in metres.
const BAG_RADIUS: f32 = 0.42;
const BAG_OPENING: f32 = 0.55;
const BAG_HEIGHT: f32 = 1.0;

pub(super) struct Everything {
    solver: ParticleSolver,
    positions: Vec<Vec3>,
    clouds: Vec<PlayerCloud>,
    surfaces: Vec<PlayerMesh>,
    /// The ids of the particles, in the order in which they are drawn.
    order: Vec<u32>,
    bodies: Vec<Box<dyn ParticleBody + Send>>,
    skin: Skin,
}

/// Returns the positions of a block of particles, from its lowest corner on.
fn block(from: Vec3, [x, y, z]: [u32; 3], spacing: f32) -> Vec<Vec3> {
    let position_of = |i: u32| Vec3::new((i % x) as f32, (i / (x * z)) as f32, (i / x % z) as f32);
    (0..x * y * z).map(|i| from + (position_of(i) + 0.5) * spacing).collect()
}

/// Returns five tetrahedra for each cell of such a block, mirrored from cell to cell.
fn tetrahedra_of([x, y, z]: [u32; 3]) -> Vec<[u32; 4]> {
    const CELL: [[u32; 4]; 5] = [[0, 3, 5, 6], [0, 3, 5, 1], [0, 3, 6, 2], [0, 5, 6, 4], [3, 5, 6, 7]];
    let cells = (0..y - 1).flat_map(|j| (0..z - 1).flat_map(move |k| (0..x - 1).map(move |i| [i, j, k])));
    let in_cell = |[i, j, k]: [u32; 3]| {
        let flip = (i + j + k) % 2;
        CELL.map(|corners| {
            corners.map(|c| {
                let [a, b, d] = [c & 1, c >> 1 & 1, c >> 2];
                (j + b) * x * z + (k + d) * x + i + (a ^ flip)
            })
        })
    };
    cells.flat_map(in_cell).collect()
}

/// Returns the faces that belong to one tetrahedron alone, counter-clockwise seen from outside.
fn skin_of(tetrahedra: &[[u32; 4]], positions: &[Vec3]) -> Vec<[u32; 3]> {
    let mut faces = BTreeMap::new();
    for &[a, b, c, d] in tetrahedra {
        for [p, q, r, inside] in [[a, b, c, d], [a, b, d, c], [a, c, d, b], [b, c, d, a]] {
            let [o, u, v, w] = [p, q, r, inside].map(|i| positions[i as usize]);
            let is_outward = (u - o).cross(v - o).dot(w - o) < 0.0;
            let mut key = [p, q, r];
            key.sort_unstable();
            let face = if is_outward { [p, q, r] } else { [p, r, q] };
            faces.entry(key).and_modify(|twice| *twice = None).or_insert(Some(face));
        }
    }
    faces.into_values().flatten().collect()
}

impl Everything {
    pub(super) fn new(n: usize) -> Result<Everything, String> {
        // About a half of the particles are water in the bag.
        let spacing =
            (4.19 * BAG_RADIUS * BAG_RADIUS * BAG_RADIUS / (0.5 * n as f32)).cbrt().clamp(0.01, 0.12);
        let mut solver = ParticleSolver::new(ParticleSettings::new(0.5 * spacing)).map_err(text)?;
        solver.add_plane(Vec3::Y, 0.0, &Surface::default()).map_err(text)?;
        for normal in [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z] {
            solver.add_plane(normal, -1.5, &Surface::default()).map_err(text)?;
        }
        let mass = 1000.0 * spacing * spacing * spacing;
        let mut bodies: Vec<Box<dyn ParticleBody + Send>> = Vec::new();

        // The bag: the faces of a ball without those at the top. Edges are about 0.7 of the
        // spacing.
        let area = 4.0 * core::f32::consts::PI * BAG_RADIUS * BAG_RADIUS;
        let ball = carom_scenes::mesh::icosphere((area / (0.43 * 0.5 * spacing * spacing)) as usize);
        let is_kept = |i: u32| ball.vertices[i as usize].y < f64::from(BAG_OPENING);
        let mut number = vec![u32::MAX; ball.vertices.len()];
        let mut bag = Vec::new();
        for (i, vertex) in ball.vertices.iter().enumerate().filter(|(i, _)| is_kept(*i as u32)) {
            number[i] = bag.len() as u32;
            bag.push(vertex.as_vec3() * BAG_RADIUS + Vec3::Y * BAG_HEIGHT);
        }
        let faces = ball.triangles.iter().filter(|t| t.iter().all(|&i| is_kept(i)));
        let bag_faces: Vec<[u32; 3]> = faces.map(|t| t.map(|i| number[i as usize])).collect();
        let held = solver.add_solid(&Solid::default(), &bag, &vec![1.0 / mass; bag.len()]).map_err(text)?;
        let cloth = Cloth::new(held.indices.start as usize, &bag, &bag_faces, &ClothSettings::default());
        bodies.push(Box::new(cloth.map_err(text)?));

        let cells = (0.7 / spacing).ceil().max(2.0) as u32;
        let size = [cells, cells / 2 + 1, cells];
        let jelly = block(Vec3::new(-0.35, 0.0, -0.35), size, spacing);
        let jelly_held =
            solver.add_solid(&Solid::default(), &jelly, &vec![1.0 / mass; jelly.len()]).map_err(text)?;
        let tetrahedra = tetrahedra_of(size);
        let settings = SoftBodySettings::default().with_youngs_modulus(1e5);
        let soft = SoftBody::new(jelly_held.indices.start as usize, &jelly, &tetrahedra, &settings);
        bodies.push(Box::new(soft.map_err(text)?));

        let mut order: Vec<u32> = Vec::new();
        let mut clouds = Vec::new();
        let mut cloud = |name: &str, ids: core::ops::Range<u32>, colour: [u8; 3], foam_speed: f32| {
            clouds.push(PlayerCloud {
                name: name.to_owned(),
                n: ids.len(),
                radius: 0.5 * spacing,
                colour,
                foam_speed,
            });
            order.extend(ids);
        };
        let side = (2.0 * BAG_RADIUS / spacing) as u32;
        let inside = (BAG_RADIUS - spacing) * (BAG_RADIUS - spacing);
        let mut water = block(Vec3::splat(-BAG_RADIUS), [side; 3], spacing);
        water.retain(|p| p.length_squared() < inside && p.y < 0.3 * BAG_RADIUS);
        water.iter_mut().for_each(|p| p.y += BAG_HEIGHT);
        let ids = solver.add_liquid(&Liquid::default(), &water).map_err(text)?;
        cloud("particles of water", ids, [64, 184, 214], 4.0);
        let heap = (0.45 / spacing).ceil() as u32;
        let sand = block(Vec3::new(0.6, 0.0, -0.2), [heap, heap, heap], spacing);
        cloud(
            "grains",
            solver.add_grains(&Grains::default(), &sand).map_err(text)?,
            [214, 176, 104],
            f32::INFINITY,
        );
        let stone = block(Vec3::new(-1.1, 0.0, -0.2), [heap, heap, heap], spacing);
        let stone_held =
            solver.add_solid(&Solid::default(), &stone, &vec![1.0 / mass; stone.len()]).map_err(text)?;
        let rigid = ShapeMatching::rigid(stone_held.indices.start as usize, &stone);
        bodies.push(Box::new(rigid.map_err(text)?));
        cloud("particles of a rigid block", stone_held.ids, [128, 134, 144], f32::INFINITY);

        order.extend(jelly_held.ids.chain(held.ids));
        let jelly_faces = skin_of(&tetrahedra, &jelly);
        let skin = Skin::new([&bag, &jelly], [&bag_faces, &jelly_faces], spacing)?;
        let surfaces = vec![
            PlayerMesh { vertices: jelly, triangles: jelly_faces },
            PlayerMesh { vertices: bag, triangles: bag_faces },
        ];
        let mut scene = Everything { solver, positions: Vec::new(), clouds, surfaces, order, bodies, skin };
        scene.collect_positions();
        Ok(scene)
    }

    fn collect_positions(&mut self) {
        let Everything { solver, positions, order, .. } = self;
        positions.clear();
        positions.extend(order.iter().filter_map(|&id| solver.position(id)));
    }
}

impl Scene for Everything {
    fn picture(&self) -> (&'static str, Vec<PlayerShape>, View) {
        let shapes = [Vec3::Y, Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z].map(PlayerShape::Plane);
        ("a bag of water falls on jelly", shapes.into(), view([0.0, 0.55, 0.0], 4.7, 0.35, 0.3))
    }

    fn liquid_radius(&self) -> Option<f32> {
        Some(0.5 * self.solver.spacing())
    }

    fn clouds(&self) -> Vec<PlayerCloud> {
        self.clouds.clone()
    }

    fn surfaces(&self) -> Vec<PlayerMesh> {
        self.surfaces.clone()
    }

    fn chart(&self) -> Chart {
        chart("denser than at rest", "%", &["mean of the water"])
    }

    fn step(&mut self) -> Result<(), String> {
        let last = self.solver.settings().iterations - 1;
        let Everything { bodies, skin, .. } = self;
        let mut failed = None;
        let mut constraints = |pass: &mut SolidPass<'_>| {
            for body in bodies.iter_mut() {
                failed = failed.take().or(pass.project(&mut **body).err().map(text));
            }
            let is_last = pass.iteration == last;
            failed = failed.take().or(skin.project(pass, is_last).err());
        };
        let mut around = Surroundings { constraints: Some(&mut constraints), ..Surroundings::default() };
        self.solver.step_in(DT, &mut around).map_err(text)?;
        self.collect_positions();
        failed.map_or(Ok(()), Err)
    }

    fn poses(&self) -> Vec<Pose> {
        let corner = Vec3::new(1.5, 0.0, 1.5);
        [Vec3::ZERO, -corner, corner, -corner, corner].map(Pose::from_translation).into()
    }

    fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    fn value(&mut self) -> Result<f64, ParticleError> {
        Ok(100.0 * f64::from(self.solver.compression()?.mean))
    }

    fn energy(&mut self) -> Option<f64> {
        Some(energy_of(&self.solver))
    }

    fn is_elastic(&self) -> bool {
        true
    }

    fn outside(&self, p: Vec3) -> f32 {
        (-p.y).max(p.x.abs() - 1.5).max(p.z.abs() - 1.5)
    }
}
