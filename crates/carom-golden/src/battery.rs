//! Queries about random pairs of shapes of every kind, and pairs of boxes, which are the same for
//! every broad phase, with a hash of all answers.

use crate::Error;
use crate::dice::Dice;
use crate::scenes::turned;
use carom_bounds::Aabb;
use carom_broad::{Filter, Pair};
use carom_broad_auto::catalogue::{ALGORITHMS, CatalogueEntry, WorldHints};
use carom_geom::{Capsule, Cone, ConvexHull, Cuboid, Cylinder, HalfSpace, Sphere, TriMesh};
use carom_math::{Interval, Pose, Ray, Vec3};
use carom_query::{
    ImpactSettings, ManifoldCache, MeshShape, Shape, TimeOfImpact, cast, cast_ray, contact, distance,
    intersects, manifolds, motion_of,
};
use std::sync::Arc;

/// The hash of all answers. It changes only with an intended change of an answer.
pub const QUERIES: u64 = 0xcb2e_962b_03f7_3634;

/// FNV-1a over 64-bit words.
pub(crate) struct Hash(pub(crate) u64);

impl Hash {
    pub(crate) fn new() -> Hash {
        Hash(0xcbf2_9ce4_8422_2325)
    }

    pub(crate) fn add(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3);
    }

    fn number(&mut self, x: f32) {
        self.add(u64::from(x.to_bits()));
    }

    fn vector(&mut self, v: Vec3) {
        v.to_array().into_iter().for_each(|x| self.number(x));
    }
}

fn shapes() -> Result<Vec<Shape>, Error> {
    let mut dice = Dice::new(31);
    let points: Vec<Vec3> = (0..20).map(|_| dice.point(0.7)).collect();
    let hull = ConvexHull::from_points(&points)?;
    let corner = |i: usize| Vec3::new((i % 4) as f32 - 1.5, dice_height(i), (i / 4) as f32 - 1.5);
    let cell = |c: u32| {
        let i = c / 3 * 4 + c % 3;
        [[i, i + 4, i + 1], [i + 1, i + 4, i + 5]]
    };
    let mesh = TriMesh::new((0..16).map(corner).collect(), (0..9).flat_map(cell).collect())?;
    Ok(vec![
        Shape::Sphere(Sphere::new(0.6)?),
        Shape::Capsule(Capsule::new(0.5, 0.3)?),
        Shape::Cuboid(Cuboid::new(Vec3::new(0.5, 0.7, 0.4))?),
        Shape::Cylinder(Cylinder::new(0.5, 0.4)?),
        Shape::Cone(Cone::new(0.6, 0.5)?),
        Shape::HalfSpace(HalfSpace::new(Vec3::Y)?),
        Shape::Hull(Arc::new(hull)),
        Shape::Mesh(Arc::new(MeshShape::new(mesh)?)),
    ])
}

fn dice_height(i: usize) -> f32 {
    0.15 * ((i * 7 % 5) as f32)
}

/// Returns the hash of all answers.
pub fn query_hash() -> Result<u64, Error> {
    let mut hash = Hash::new();
    let shapes = shapes()?;
    let mut dice = Dice::new(32);
    for a in &shapes {
        for b in &shapes {
            for _ in 0..12 {
                let pose_a = Pose::new(turned(&mut dice), dice.point(0.8));
                let pose_b = Pose::new(turned(&mut dice), dice.point(0.8));
                pair(&mut hash, a, &pose_a, b, &pose_b);
                let still = motion_of(&pose_a, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO)?;
                let (velocity, spin) = (dice.point(4.0), dice.point(3.0));
                let moving = motion_of(&pose_b, Vec3::ZERO, velocity, spin)?;
                impact(&mut hash, &cast(a, &still, b, &moving, &ImpactSettings::default()));
            }
        }
        for _ in 0..50 {
            let ray = Ray { origin: dice.point(2.0), direction: dice.point(1.0) };
            let pose = Pose::new(turned(&mut dice), dice.point(0.5));
            ray_hit(&mut hash, a, &pose, &ray);
        }
    }
    broad_phases(&mut hash)?;
    Ok(hash.0)
}

fn pair(hash: &mut Hash, a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) {
    hash.add(u64::from(intersects(a, pose_a, b, pose_b)));
    let gap = distance(a, pose_a, b, pose_b);
    hash.number(gap.distance);
    [gap.point_a, gap.point_b, gap.normal].into_iter().for_each(|v| hash.vector(v));
    if let Some(found) = contact(a, pose_a, b, pose_b, 0.1) {
        let c = found.contact;
        hash.number(c.distance);
        [c.point_a, c.point_b, c.normal].into_iter().for_each(|v| hash.vector(v));
    }
    let (mut cache, mut found) = (ManifoldCache::default(), Vec::new());
    manifolds(a, pose_a, b, pose_b, 0.1, &mut cache, &mut found);
    for manifold in &found {
        hash.vector(manifold.normal());
        for c in manifold.contacts() {
            hash.number(c.distance);
            [c.point_a, c.point_b].into_iter().for_each(|v| hash.vector(v));
        }
    }
}

fn impact(hash: &mut Hash, found: &TimeOfImpact) {
    match found {
        TimeOfImpact::Hit(hit) => {
            [hit.t_lo, hit.t_hi].into_iter().for_each(|t| hash.add(t.to_bits()));
            let positions = [hit.point_a, hit.point_b, hit.normal];
            positions.iter().flat_map(|v| v.to_array()).for_each(|x| hash.add(x.to_bits()));
        }
        TimeOfImpact::Clear(_) => hash.add(1),
        _ => hash.add(2),
    }
}

fn ray_hit(hash: &mut Hash, shape: &Shape, pose: &Pose, ray: &Ray) {
    match cast_ray(shape, pose, ray, Interval::FORWARD) {
        Some(hit) => {
            hash.number(hit.t);
            hash.vector(hit.normal);
        }
        None => hash.add(3),
    }
}

/// Adds the pairs of boxes that move for some frames. Every broad phase gives the same ones, so
/// one more does not change the hash.
fn broad_phases(hash: &mut Hash) -> Result<(), Error> {
    let mut expected = Vec::new();
    for (k, listed) in ALGORITHMS.iter().enumerate() {
        let words = pairs_of(listed)?;
        if k == 0 {
            expected = words;
        } else if words != expected {
            return Err(format!("{} gives other pairs than {}", listed.name, ALGORITHMS[0].name).into());
        }
    }
    expected.into_iter().for_each(|word| hash.add(word));
    Ok(())
}

/// Returns the numbers of pairs in four frames, each with its pairs.
fn pairs_of(listed: &CatalogueEntry) -> Result<Vec<u64>, Error> {
    const N_BOXES: usize = 300;
    let hints = WorldHints::of(&[Aabb { min: Vec3::splat(-12.0), max: Vec3::splat(12.0) }; N_BOXES]);
    let mut dice = Dice::new(33);
    let mut any_box = || {
        let (center, half) = (dice.point(10.0), dice.range(0.2, 1.5));
        Aabb { min: center - half, max: center + half }
    };
    let mut broad = listed.make(&hints);
    let mut ids = Vec::new();
    for _ in 0..N_BOXES {
        ids.push(broad.insert(any_box(), Filter::default())?);
    }
    let (mut pairs, mut words): (Vec<Pair>, Vec<u64>) = (Vec::new(), Vec::new());
    for frame in 0..4 {
        broad.pairs(&mut pairs);
        words.push(pairs.len() as u64);
        words.extend(pairs.iter().map(|pair| u64::from(pair.a) << 32 | u64::from(pair.b)));
        let moves: Vec<_> = ids.iter().skip(frame).step_by(3).map(|&id| (id, any_box())).collect();
        broad.update(&moves)?;
    }
    Ok(words)
}
