//! Collision detection: which bodies might touch, which do, where, how deep, when, and what happens
//! next.
//!
//! This crate re-exports the others, and this page is the guide. Each crate answers one question
//! and can be used alone. The folder `examples` has a program for each common task, such as a
//! character, a car, a bullet, a joint, a snapshot.
//!
//! | question | module |
//! |---|---|
//! | any shape against any shape: touch, distance, contact, ray, point | [`query`] |
//! | a world of bodies that fall, pile up and come to rest | [`world`] |
//! | which boxes overlap, as they move | [`broad`], [`broad_tree`], [`broad_grid`], [`broad_sap`], [`broad_auto`] |
//! | shapes, hulls, meshes, exact triangles, mass | [`geom`] |
//! | trees over boxes | [`bvh`] |
//! | convex shapes: distance and depth, contact manifolds | [`gjk`], [`sat`] |
//! | when moving bodies touch, with a proof that includes rotation | [`ccd`] |
//! | levels of brushes, and bodies that are swept through them | [`bsp`] |
//! | characters that walk, and cars on rays | [`character`] |
//! | impulses, friction, joints, sleep | [`response`] |
//! | meshes that change their shape: cloth, soft bodies | [`deform`] |
//! | liquids, grains, rain; points near each other | [`particles`], [`neighbours`] |
//! | distance fields of shapes, sampled on a grid | [`sdf`] |
//! | coarser meshes with a proven error bound; convex decomposition | [`simplify`](mod@simplify) |
//! | volumes that contain given points; poses, rays, exact signs; SIMD | [`bounds`], [`math`], [`lanes`] |
//!
//! # Do these two touch?
//!
//! A [`Shape`] has a frame of its own. A primitive has its centre at the origin, and a round one
//! has its axis along y. A [`Pose`] places it in the world. Shapes that only touch count as
//! intersecting.
//!
//! ```
//! use carom::{Pose, Quat, Shape, Vec3};
//!
//! let brick = Shape::cuboid(Vec3::new(1.0, 0.5, 0.5))?;
//! let ball = Shape::sphere(0.5)?;
//! let there = Pose::from_translation(Vec3::new(0.0, 1.0, 0.0));
//! assert!(carom::intersects(&brick, &Pose::IDENTITY, &ball, &there));
//!
//! // Stood on end, the brick is too high for a ball at 1.75.
//! let upright = Pose::from_rotation(Quat::from_rotation_z(core::f32::consts::FRAC_PI_2));
//! let above = Pose::from_translation(Vec3::new(0.0, 1.75, 0.0));
//! let gap = carom::distance(&brick, &upright, &ball, &above);
//! assert!((gap.distance - 0.25).abs() < 1e-6);
//! assert!((gap.point_a - Vec3::Y).length() < 1e-6, "the nearest point of the brick is in the world frame");
//!
//! // How deep, and which way out: B moved by -distance along the normal is free. The last argument
//! // is the largest distance of a contact. At 0.0, shapes that are apart have none.
//! let deep = carom::contact(&brick, &Pose::IDENTITY, &ball, &Pose::from_translation(Vec3::Y * 0.9), 0.0);
//! let contact = deep.ok_or("no contact: they are apart")?.contact;
//! assert!((contact.distance + 0.1).abs() < 1e-6 && contact.normal == Vec3::Y);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Meshes, hulls and compounds are shapes too. Every pair of shapes has every query (test:
//! `matrix::every_pair_answers_every_question`, carom-query).
//!
//! ```
//! use carom::{Interval, Pose, Ray, Shape, Vec3};
//!
//! let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
//! let hull = Shape::hull(&corners)?;
//! let square = [Vec3::ZERO, Vec3::X, Vec3::X + Vec3::Z, Vec3::Z].map(|p| (p - Vec3::splat(0.25)) * 10.0);
//! let floor = Shape::mesh(square.to_vec(), vec![[0, 2, 1], [0, 3, 2]])?;
//!
//! let down = Ray::new(Vec3::new(1.0, 9.0, 1.0), Vec3::NEG_Y);
//! let hit = carom::cast_ray(&floor, &Pose::IDENTITY, &down, Interval::FORWARD).ok_or("the ray misses")?;
//! assert!((hit.t - 11.5).abs() < 1e-5 && hit.normal == Vec3::Y);
//!
//! let resting = Pose::from_translation(Vec3::Y * -2.5);
//! assert!(carom::intersects(&hull, &resting, &floor, &Pose::IDENTITY));
//!
//! // Twice as long, and mirrored. A ball would refuse that, for it would be none.
//! let long = hull.scaled(Vec3::new(-2.0, 1.0, 1.0))?;
//! assert!(carom::intersects(&long, &Pose::IDENTITY, &Shape::sphere(0.5)?, &Pose::from_translation(Vec3::X * -2.0)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # When do they touch?
//!
//! [`cast`] takes shapes that move and turn, and proves its answer (test:
//! `casts::every_pair_of_shapes_is_cast`, carom-query). If they meet, the answer is a bracket
//! around the first contact. If they do not, it is a lower bound of their distance. If neither is
//! proved, it is a time before which nothing touches, with the reason.
//!
//! [`motion_of`] takes the pose at time 0 and a point of the body, in its own frame. Then follow
//! the velocity of this point and the angular velocity about it.
//!
//! ```
//! use carom::ccd::{ImpactSettings, TimeOfImpact};
//! use carom::{Pose, Shape, Vec3};
//!
//! let wall = Shape::cuboid(Vec3::new(0.05, 2.0, 2.0))?;
//! let plank = Shape::cuboid(Vec3::new(1.0, 0.1, 0.1))?;
//! let still = carom::motion_of(&Pose::IDENTITY, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO)?;
//! // From five metres away, at ten metres and three turns a second.
//! let from = Pose::from_translation(Vec3::X * -5.0);
//! let flight = carom::motion_of(&from, Vec3::ZERO, Vec3::X * 10.0, Vec3::Y * 19.0)?;
//! let answer = carom::cast(&wall, &still, &plank, &flight, &ImpactSettings::default());
//! let TimeOfImpact::Hit(hit) = answer else { return Err("no impact was proved".into()) };
//! // Nothing touches before `t_lo`, and they surely do at `t_hi`.
//! assert!(0.39 < hit.t_lo && hit.t_lo <= hit.t_hi && hit.t_hi < hit.t_lo + 1e-3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Candidates among many bodies
//!
//! A broad phase knows only boxes. It returns all overlapping pairs, each once, in a fixed order,
//! and the pairs that began and ended. Every broad phase returns the same pairs (test:
//! `golden::with_any_broad_phase`, carom-world). [`broad::BruteForce`] is the specification, and
//! [`DynamicBvh`] the recommended default. [`broad_grid`] and [`broad_sap`] have others, and
//! [`broad_auto::Auto`] chooses between several.
//!
//! ```
//! use carom::{Aabb, BroadPhase, DynamicBvh, Vec3};
//! use carom::broad::Filter;
//!
//! let cube = |x: f32| Aabb { min: Vec3::new(x, 0.0, 0.0), max: Vec3::new(x + 1.0, 1.0, 1.0) };
//! let mut broad = DynamicBvh::new();
//! let a = broad.insert(cube(0.0), Filter::default())?;
//! let b = broad.insert(cube(5.0), Filter::default())?;
//! let (mut begun, mut ended) = (Vec::new(), Vec::new());
//! broad.update(&[(b, cube(0.5))])?;
//! broad.events(&mut begun, &mut ended);
//! assert_eq!((begun[0].a, begun[0].b), (a.index(), b.index()));
//! # Ok::<(), carom::broad::BroadPhaseError>(())
//! ```
//!
//! # A world of bodies
//!
//! A [`World`] combines these phases: boxes, pairs, contacts, response. [`World::detect`] runs
//! only the first three.
//!
//! By default a ball on a level floor rolls and spins on, and stays awake. The rolling and spinning
//! friction of a [`Material`](world::Material) stop it.
//!
//! ```
//! use carom::world::EventKind;
//! use carom::{BodyDesc, Shape, Vec3, World};
//!
//! let mut world = World::new();
//! world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y)?))?;
//! let mut tower = Vec::new();
//! for i in 0..5 {
//!     let block = Shape::cuboid(Vec3::new(0.5, 0.25, 0.5))?;
//!     let at = Vec3::new(0.0, 0.3 + 0.55 * i as f32, 0.0);
//!     tower.push(world.insert(BodyDesc::dynamic(block).with_position(at).with_friction(0.6))?);
//! }
//! let mut n_landings = 0;
//! for _ in 0..600 {
//!     world.step(1.0 / 60.0)?;
//!     n_landings += world.events().iter().filter(|event| event.kind == EventKind::Began).count();
//! }
//! assert!(5 <= n_landings);
//! let top = world.body(tower[4])?.position();
//! assert!((top - Vec3::new(0.0, 2.25, 0.0)).length() < 0.05, "{top}");
//! assert!(world.body(tower[4])?.is_sleeping());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Queries of a world
//!
//! A world answers rays, sweeps of shapes, overlaps, and the nearest body. A filter selects the
//! colliders: by group, mobility, sensors, a list or a closure. Each answer names the body and its
//! collider. A batch of rays, points or poses has the answers of single queries (test:
//! `queries::batches_are_like_questions_one_by_one_on_any_threads`, carom-world).
//!
//! ```
//! use carom::query::ImpactSettings;
//! use carom::world::Answers;
//! use carom::{BodyDesc, Interval, Pose, QueryFilter, Ray, Shape, Vec3, World, motion_of};
//!
//! let mut world = World::new();
//! let floor = world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y)?))?;
//! let ball = Shape::sphere(0.5)?;
//! let other = world.insert(BodyDesc::dynamic(ball.clone()).with_position(Vec3::new(4.0, 0.5, 0.0)))?;
//!
//! // A ball flies along the floor for a second. It is proved free until it meets the other.
//! let path = motion_of(&Pose::from_translation(Vec3::Y * 0.6), Vec3::ZERO, Vec3::X * 6.0, Vec3::ZERO)?;
//! let mut query = world.query(&QueryFilter::SOLID);
//! let met = query.cast_motion(&ball, &path, &ImpactSettings::default()).ok_or("nothing is met")?;
//! assert_eq!(met.body, other);
//! assert!((met.safe_until() - 0.500_84).abs() < 1e-4, "{}", met.safe_until());
//!
//! let rays = [0.0, 4.0].map(|x| (Ray::new(Vec3::new(x, 9.0, 0.0), Vec3::NEG_Y), Interval::FORWARD));
//! let mut hits = Answers::new();
//! world.query(&QueryFilter::SOLID).cast_ray_batch(&rays, &mut hits);
//! assert_eq!([hits.of(0)[0].body, hits.of(1)[0].body], [floor, other]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Joints
//!
//! A joint connects two bodies. [`JointDesc`] shows the twelve kinds with pictures, from welds and
//! hinges to gears. A joint may have limits, motors and a force at which it breaks. Without an
//! anchor it is at the origin of body B; a rope then connects both origins.
//!
//! ```
//! use carom::prelude::*;
//!
//! let mut world = World::new();
//! let frame = world.insert(BodyDesc::fixed(Shape::cuboid(Vec3::new(0.1, 1.0, 0.1))?))?;
//! let door = BodyDesc::dynamic(Shape::cuboid(Vec3::new(0.4, 0.9, 0.03))?).with_density(600.0);
//! let door = world.insert(door.with_position(Vec3::X * 0.5))?;
//! // From shut to a quarter turn, at one radian per second, with at most 200 Nm.
//! let hinge = JointDesc::revolute(frame, door).with_anchor(Vec3::X * 0.1).with_axis(Vec3::Y);
//! let hinge = hinge
//!     .with_limits(0.0, 1.57)
//!     .with_motor(Motor::velocity(1.0).with_max_force(200.0));
//! let hinge = world.insert_joint(hinge)?;
//! for _ in 0..150 {
//!     world.step(1.0 / 60.0)?;
//! }
//! let angle = world.joint(hinge)?.angle().ok_or("the joint has no angle")?;
//! assert!((angle - 1.57).abs() < 0.02);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Terrain
//!
//! [`Shape::height_field`] makes the ground from a grid of heights. It is an open surface, with two
//! triangles in each cell. The example `terrain` has a valley.
//!
//! ```
//! use carom::prelude::*;
//!
//! // Nine by nine heights, one metre apart: a ridge along z, 1 m high.
//! let heights = (0..81).map(|k| 1.0 - 0.25 * (k % 9 - 4_i32).abs() as f32).collect();
//! let mut world = World::new();
//! world.insert(BodyDesc::fixed(Shape::height_field([9, 9], [1.0, 1.0], heights)?))?;
//! let down = Ray::new(Vec3::new(2.0, 9.0, 0.5), Vec3::NEG_Y);
//! let hit = world.query(&QueryFilter::SOLID).cast_ray(&down, Interval::FORWARD).ok_or("no ground")?;
//! assert!((hit.hit.t - 8.5).abs() < 1e-5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Ground of several materials
//!
//! Triangles of a mesh or height field, and parts of a compound, may have materials of their own:
//! [`world::ColliderDesc::part_materials`]. Each has a number for the caller, found by the part of
//! a hit. The example `icy_road` of carom-world has a road of ice and asphalt.
//!
//! # Several colliders on a body
//!
//! A body may have several shapes, each with its own pose, density, material, filter and number.
//! Each may be a sensor. The mass follows from those that are not sensors. The default density of
//! a collider is that of water, 1000 kg/m3.
//!
//! ```
//! use carom::prelude::*;
//!
//! let mut world = World::new();
//! world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y)?).with_friction(1.0))?;
//! // A table that slides on feet of ice and of rubber.
//! let foot = |x: f32, z: f32, friction: f32| -> Result<ColliderDesc, ShapeError> {
//!     let pose = Pose::from_translation(Vec3::new(x, -0.05, z));
//!     let material = Material::new(friction, 0.0);
//!     Ok(ColliderDesc::new(Shape::sphere(0.05)?).with_pose(pose).with_material(material))
//! };
//! let mut table = BodyDesc::dynamic(Shape::cuboid(Vec3::new(0.6, 0.02, 0.5))?);
//! for x in [-0.6, 0.6] {
//!     table = table.with_collider(foot(x, -0.5, 0.0)?).with_collider(foot(x, 0.5, 0.5)?);
//! }
//! let table = table.with_position(Vec3::Y * 0.1).with_linear_velocity(Vec3::X * 4.0);
//! let table = world.insert(table)?;
//! for _ in 0..20 {
//!     world.step(1.0 / 60.0)?;
//! }
//! // It turns to the side of the rubber, which is at +z.
//! assert!(world.body(table)?.angular_velocity().y < -0.5);
//!
//! // A leg comes off, and the centre of mass moves away from it.
//! let leg = world.body(table)?.colliders().nth(1).ok_or("no leg")?.id();
//! world.remove_collider(leg)?;
//! assert!(0.0 < world.body(table)?.motion().center_of_mass.x);
//! assert!(world.collider(leg).is_err());
//!
//! // A given mass stays, until the colliders are its source again.
//! let own = world.body(table)?.mass();
//! world.body_mut(table)?.set_mass(5.0)?;
//! world.body_mut(table)?.set_mass_source(carom::world::BodyMass::Colliders)?;
//! assert_eq!(world.body(table)?.mass(), own);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Events, contacts, hits of rays and hooks name the collider. The example `hammer` has a sensor at
//! its head.
//!
//! # Hooks
//!
//! A hook changes contacts within the step. It is called for the pairs of bodies with hooks. It
//! may change their friction and restitution, or let them pass through each other.
//!
//! ```
//! use carom::prelude::*;
//!
//! /// A glove that catches: what touches it sticks to it by friction and does not bounce.
//! struct Glove;
//!
//! impl Hooks for Glove {
//!     fn modify_contact(&self, contact: &mut ContactMut<'_>) {
//!         contact.set_friction(5.0);
//!         contact.set_restitution(0.0);
//!     }
//! }
//!
//! let mut world = World::new();
//! let slope = Pose::from_rotation(Quat::from_rotation_z(0.7));
//! let glove = BodyDesc::fixed(Shape::half_space(Vec3::Y)?).with_pose(slope);
//! world.insert(glove.with_hooks(ActiveHooks::MODIFY))?;
//! let block = BodyDesc::dynamic(Shape::cuboid(Vec3::splat(0.3))?).with_restitution(0.8);
//! let block = world.insert(block.with_pose(slope * Pose::from_translation(Vec3::Y * 0.31)))?;
//! for _ in 0..120 {
//!     world.step_with(1.0 / 60.0, StepOptions::new().with_hooks(&Glove))?;
//! }
//! // It stays on a slope of 40 degrees.
//! assert!(world.body(block)?.position().length() < 0.35);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`ContactMut::make_one_way`](world::ContactMut::make_one_way) makes a platform that bodies from
//! below pass through.
//!
//! # Force fields
//!
//! A force field is a region in which another gravity, a wind, a pull or a drag acts on bodies.
//!
//! ```
//! use carom::prelude::*;
//!
//! let mut world = World::new();
//! // Below the height 0 there is a lift against gravity, with drag.
//! let sea = ForceRegion::Cuboid { pose: Pose::from_translation(Vec3::Y * -50.0), half_extents: Vec3::splat(50.0) };
//! world.insert_force_field(ForceFieldDesc::inside(sea, ForceKind::Acceleration(Vec3::Y * 15.0)))?;
//! let drag = ForceKind::Drag { linear: 2.0, angular: 2.0, flow: Vec3::X };
//! world.insert_force_field(ForceFieldDesc::inside(sea, drag))?;
//! let buoy = world.insert(BodyDesc::dynamic(Shape::sphere(0.5)?).with_position(Vec3::Y * 3.0))?;
//! for _ in 0..900 {
//!     world.step(1.0 / 60.0)?;
//! }
//! // It floats, and the flow takes it along.
//! let at = world.body(buoy)?.position();
//! assert!(at.y.abs() < 0.3 && 2.0 < at.x, "{at}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Characters
//!
//! Your program moves a character. The bodies that the character pushes are moved only by forces.
//! It slides along walls, climbs steps, and is carried by its ground. Positions are in `f64`.
//! Bodies push it as a body of its mass. On a planet
//! [`Character::set_up`](character::Character::set_up) turns it. It has a gravity of its own:
//! see [`CharacterBody`](character::CharacterBody). To crouch,
//! [`CharacterBody::set_figure`](character::CharacterBody::set_figure) gives it another figure.
//!
//! Walk after the step: the character then meets bodies where the step left them. A car drives
//! before the step, because its wheels act by forces.
//!
//! ```
//! use carom::prelude::*;
//!
//! let dt = 1.0 / 60.0;
//! let mut world = World::new();
//! world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y)?))?;
//! // From x = 2 m on, the ground is 20 cm higher.
//! let terrace = BodyDesc::fixed(Shape::cuboid(Vec3::new(4.0, 0.1, 2.0))?);
//! world.insert(terrace.with_position(Vec3::new(6.0, 0.1, 0.0)))?;
//! // 1.8 m tall, 0.3 m wide on each side.
//! let character = Character::new(Figure::capsule(1.8, 0.3)?, CharacterSettings::default(), DVec3::Y * 0.91)?;
//! let mut hero = CharacterBody::insert(&mut world, character, Filter::default())?;
//! // It falls by its own setting, not by the world's. Here both are the same.
//! let gravity = world.body(hero.body())?.step_forces(dt).gravity;
//! hero.character_mut().set_gravity(f64::from(gravity.length()))?;
//! for _ in 0..180 {
//!     world.step(dt)?;
//!     hero.walk(&mut world, DVec3::X * 1.5, f64::from(dt))?;
//! }
//! let feet = hero.character().feet();
//! assert!((feet.y - 0.2).abs() < 0.05 && 4.0 < feet.x, "{feet}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Cars
//!
//! A car is a body, the chassis, with wheels on springs. The x axis points ahead, and z to the
//! right. Call [`Vehicle::drive`](character::Vehicle::drive) before each step. With
//! [`Vehicle::drive_each`](character::Vehicle::drive_each) each wheel has its own controls.
//!
//! ```
//! use carom::prelude::*;
//!
//! let dt = 1.0 / 60.0;
//! let mut world = World::new();
//! world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y)?).with_friction(0.8))?;
//! // 1200 kg.
//! let half = Vec3::new(1.9, 0.4, 0.8);
//! let chassis = BodyDesc::dynamic(Shape::cuboid(half)?).with_density(1200.0 / (8.0 * half.element_product()));
//! let chassis = world.insert(chassis.with_position(Vec3::Y * 0.9))?;
//! let mut car = Vehicle::new(chassis);
//! for side in [-0.75, 0.75] {
//!     car.add_wheel(WheelDesc::new(0.35).with_mount(DVec3::new(1.3, -0.4, side)).with_max_steer(0.6))?;
//!     car.add_wheel(WheelDesc::new(0.35).with_mount(DVec3::new(-1.3, -0.4, side)).with_max_drive_force(3000.0))?;
//! }
//! for _ in 0..180 {
//!     car.drive(&mut world, &Controls::new().with_throttle(0.5).with_steer(0.1), f64::from(dt))?;
//!     world.step(dt)?;
//! }
//! assert!(3.0 < car.speed());
//! assert!(world.body(chassis)?.position().z < -0.5, "it turns left");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Cloth, ropes and water in a world
//!
//! Soft bodies and particles are in the same world as bodies. They push bodies, and bodies push
//! them. A body floats if water gets below it; one that lies flat on the floor does not: see
//! [`ParticlePhase::Liquid`](world::ParticlePhase::Liquid). Characters and wheels stand on cloth and
//! on soft bodies, which sag and carry them. They pass through ropes and particles.
//!
//! ```
//! use carom::prelude::*;
//!
//! let mut world = World::new();
//! world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y)?))?;
//! // A cloth of 1 m by 1 m hangs from a row of vertices.
//! let top: Vec<u32> = (0..=10).collect();
//! let sheet = SoftBodyDesc::grid([1.0, 1.0], [10, 10], ClothSettings::default()).with_pinned(&top);
//! let sheet = world.insert_soft_body(sheet.with_position(Vec3::Y * 2.0))?;
//! // Drops of 6 cm.
//! let pool = Shape::cuboid(Vec3::new(0.2, 0.1, 0.2))?;
//! let water = ParticlesDesc::new(ParticlePhase::Liquid(Liquid::default()), 0.03);
//! let water = world.insert_particles(water.with_filling(&pool, &Pose::from_translation(Vec3::X * 3.0 + Vec3::Y)))?;
//! for _ in 0..90 {
//!     world.step(1.0 / 60.0)?;
//! }
//! // The cloth hangs down by its length, and the water lies on the floor.
//! let lowest = world.soft_body(sheet)?.positions().iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
//! assert!(lowest < 1.5, "{lowest}");
//! assert!(world.particles(water)?.positions().iter().all(|p| 0.0 < p.y && p.y < 0.5));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Large worlds
//!
//! Poses, contacts and rays are `f32` numbers in the frame of the world, so they are coarse far
//! from its origin. [`World::set_origin`] moves this origin to the player. All bodies keep their
//! positions in `f64`, which `wide_position` returns. The example `large_world` of carom-world
//! follows a train over 100 km.
//!
//! ```
//! use carom::prelude::*;
//!
//! let mut world = World::new();
//! world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y)?))?;
//! let unit = Shape::cuboid(Vec3::splat(0.5))?;
//! let home = BodyDesc::dynamic(unit.clone()).with_position(Vec3::new(0.1, 0.5, 0.0));
//! let home = world.insert(home)?;
//! let before = world.body(home)?.wide_position();
//!
//! // A player in a city, 100 km away: from here on, poses are relative to the city.
//! let city = DVec3::X * 100_000.0;
//! world.set_origin(city)?;
//! let at = city + DVec3::new(0.3, 0.6, 0.0);
//! let tower = world.insert(BodyDesc::dynamic(unit).with_wide_position(at))?;
//! for _ in 0..180 {
//!     world.step(1.0 / 60.0)?;
//! }
//! let tower = world.body(tower)?;
//! assert!((tower.position() - Vec3::new(0.3, 0.5, 0.0)).length() < 0.01);
//! assert!((tower.wide_position() - at).length() < 0.11);
//! // The box at home lies where it was.
//! assert!((world.body(home)?.wide_position() - before).length() < 0.01);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Snapshots
//!
//! The same input gives the same bits on each target of `cargo xtask golden`, so a hash identifies
//! a state. A world returns to a snapshot in place, and handles stay valid.
//!
//! With the feature `serde` a snapshot is stored as text, and another process goes on with the same
//! bits. The text has the shapes of a few numbers, such as balls and boxes. Hulls and meshes are
//! assets: [`World::restore_with`] calls a closure for each collider that has one. The example
//! `save_and_load` has the whole of it.
//!
//! Characters and vehicles are not in a snapshot. Keep a clone of each
//! [`CharacterBody`](character::CharacterBody) and each [`Vehicle`](character::Vehicle) with it,
//! and return to both.
//!
//! ```
//! use carom::prelude::*;
//!
//! let mut world = World::new();
//! world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y)?))?;
//! let stone = world.insert(BodyDesc::dynamic(Shape::cuboid(Vec3::splat(0.3))?).with_position(Vec3::Y))?;
//! let saved = world.snapshot();
//! // The player's push arrives late: back to the saved state, and once more with it.
//! world.step(1.0 / 60.0)?;
//! let without = world.state_hash();
//! world.restore(&saved)?;
//! world.step(1.0 / 60.0)?;
//! assert_eq!(world.state_hash(), without);
//! world.restore(&saved)?;
//! world.body_mut(stone)?.apply_impulse(Vec3::X)?;
//! world.step(1.0 / 60.0)?;
//! assert_ne!(world.state_hash(), without);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A broad phase of your own
//!
//! One function takes boxes and adds the pairs that overlap. The world has the same bits as with
//! any other broad phase.
//!
//! ```
//! use carom::bounds::BoundingVolume;
//! use carom::broad::{PairBuffer, FromFinder, PairFinder, ProxyTable};
//! use carom::prelude::*;
//! use carom::BroadPhase;
//!
//! /// Tests each box against each.
//! #[derive(Default)]
//! struct Mine;
//!
//! impl PairFinder for Mine {
//!     fn find(&mut self, proxies: &ProxyTable, slots: &[u32], found: &mut PairBuffer) {
//!         let boxes = proxies.boxes();
//!         for (i, &a) in slots.iter().enumerate() {
//!             for &b in slots[i + 1..].iter().filter(|&&b| boxes[a as usize].overlaps(&boxes[b as usize])) {
//!                 found.push(a, b);
//!             }
//!         }
//!     }
//! }
//!
//! fn run<B: BroadPhase>(mut world: World<B>) -> Result<u64, Box<dyn std::error::Error>> {
//!     world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y)?))?;
//!     for i in 0..5 {
//!         let at = Vec3::Y * (0.4 + 0.7 * i as f32);
//!         world.insert(BodyDesc::dynamic(Shape::cuboid(Vec3::splat(0.3))?).with_position(at))?;
//!     }
//!     for _ in 0..30 {
//!         world.step(1.0 / 60.0)?;
//!     }
//!     Ok(world.state_hash())
//! }
//!
//! let own = World::with_broad_phase(FromFinder::<Mine>::default(), WorldSettings::default());
//! assert_eq!(run(own)?, run(World::new())?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Meshes that change their shape
//!
//! If your program moves the vertices itself, use a [`deform`]`::DeformableMesh`. Its triangles,
//! segments or tetrahedra stay the same. It finds what touches or will touch, and how far the
//! vertices may move.
//!
//! ```
//! use carom::Vec3;
//! use carom::deform::{DeformableMesh, FeatureSearch};
//!
//! // A sheet of 8 by 8 squares, 1 mm thick, above a square table.
//! let n = 9;
//! let mut now: Vec<Vec3> =
//!     (0..n * n).map(|v| Vec3::new((v % n) as f32 * 0.1, 0.02, (v / n) as f32 * 0.1)).collect();
//! let corners = (0..n * (n - 1)).filter(|v| v % n < n - 1);
//! let faces = corners.flat_map(|v| [[v, v + n, v + 1], [v + 1, v + n, v + n + 1]]).collect();
//! let mut sheet = DeformableMesh::from_triangles(&now, faces)?.with_thickness(0.001)?;
//! let table = [(0.2, 0.2), (0.2, 0.6), (0.6, 0.2), (0.6, 0.6)].map(|(x, z)| Vec3::new(x, 0.0, z));
//! let mut table = DeformableMesh::from_triangles(&table, vec![[0, 1, 2], [1, 3, 2]])?;
//! let mut search = FeatureSearch::default();
//!
//! // All vertices want to fall by 5 cm.
//! let wanted: Vec<Vec3> = now.iter().map(|p| *p - Vec3::Y * 0.05).collect();
//! sheet.set_positions(&wanted)?;
//! let step = search.impacts((&mut sheet, &mut table)).finish().free_step();
//! // Half of the thickness counts against another mesh: 19.5 mm of 50 are free.
//! assert!((step.fraction - 0.39).abs() < 1e-5);
//! for (p, q) in now.iter_mut().zip(&wanted) {
//!     *p += (*q - *p) * (0.9 * step.fraction as f32);
//! }
//! sheet.set_positions(&now)?;
//!
//! // What is near: pairs of vertices and faces and of two edges, with the points in between.
//! let near = search.within((&mut sheet, &mut table), 0.003).finish();
//! assert!(!near.pairs.is_empty());
//! // And the sheet with itself: what shares a vertex is left out.
//! assert!(search.within(&mut sheet, 0.003).finish().pairs.is_empty());
//! # Ok::<(), carom::deform::DeformError>(())
//! ```
//!
//! Meshes can be torn and remeshed in place. If a step has few queries, the trees compute only the
//! boxes near them. Morph targets and skins need no pass over their vertices. Push-outs store on
//! which side a vertex was. The head of [`deform`] explains all of this.
//!
//! # Very many points
//!
//! Particles and scans are points. A [`neighbours`]`::NeighbourGrid` finds those within a radius
//! of each other. If a search finds too many pairs, it ends with an error.
//!
//! ```
//! use carom::Vec3;
//! use carom::neighbours::{NeighbourGrid, NeighbourLists, NeighbourSearch};
//!
//! let drops: Vec<Vec3> = (0..500).map(|i| Vec3::new(i as f32 * 0.05, 0.0, 0.0)).collect();
//! let mut grid = NeighbourGrid::new(0.12)?;
//! let mut lists = NeighbourLists::default(); // Both are kept from step to step.
//! grid.set_points(&drops)?;
//! grid.collect_lists(&mut lists)?;
//! assert_eq!(lists.of(100), [98, 99, 101, 102]);
//! # Ok::<(), carom::neighbours::NeighbourError>(())
//! ```
//!
//! Rain and sparks bounce off the surfaces that a camera sees. A [`particles`]`::DepthBuffer`
//! draws the scene, or takes the depths of a renderer, and moves the particles. With a distance
//! field, [`particles`]`::advance_in_field` handles hidden surfaces too. In a
//! [`particles`]`::ParticleSolver`, water, gas, sand and solids push each other and rigid bodies.
//!
//! # Distance fields
//!
//! An [`sdf`]`::SdfGrid` stores the signed distance to a shape at the nodes of a grid, and a
//! `sdf::SparseSdf` only near the surface. Points, rays and particles read it in nanoseconds.
//! Bounds hold between the nodes (test: `bounds::the_distance_is_between_its_bounds`, carom-sdf).
//!
//! ```
//! use carom::sdf::{BakeSettings, Field, SdfGrid};
//! use carom::{Ray, Vec3};
//!
//! // A tetrahedron; 32 cells along its longest side.
//! let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
//! let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
//! let settings = BakeSettings::default().with_resolution(32);
//! let field = SdfGrid::from_triangles(&corners, &faces, &settings)?;
//!
//! let found = field.sample(Vec3::new(0.25, 0.25, -1.0));
//! assert!((found.distance - 1.0).abs() < 0.03 && found.gradient.z < -0.99);
//! let hit = field.cast_ray(&Ray::new(Vec3::new(0.25, 0.25, -1.0), Vec3::Z), 2.0).hit();
//! assert!(hit.is_some_and(|hit| (hit.t - 1.0).abs() < 0.03));
//! # Ok::<(), carom::sdf::SdfError>(())
//! ```
//!
//! Fields on the same grid can be combined: union, intersection, difference. The head of [`sdf`]
//! explains all of this.
//!
//! # Forces and bounces by hand
//!
//! Without a world, a force can follow from the depth alone. A [`Penalty`] is a spring and a
//! damper that push and never pull (test: `penalty::never_pulls_and_keeps_momentum`,
//! carom-response).
//!
//! ```
//! use carom::{Penalty, Vec3};
//!
//! let spring = Penalty::critical(2000.0, 1.5).with_friction(0.4);
//! // B is 1 cm deep in A, and slides along x.
//! let force = spring.force(Vec3::Y * 0.01, Vec3::X);
//! assert!((force.y - 20.0).abs() < 1e-3);
//! assert!(force.x < 0.0 && -force.x <= 0.4 * force.y * 1.0001);
//! ```
//!
//! [`response::bounce::reflect`] returns the velocity of a body after a bounce, and
//! `remaining_move` its motion in the rest of the step:
//!
//! ```
//! use carom::Vec3;
//! use carom::response::bounce::{reflect, remaining_move};
//!
//! // Met a floor after 0.4 of a step of 0.1 s; half of what went into it comes back, and nothing rubs.
//! let velocity = reflect(Vec3::new(3.0, -4.0, 0.0), Vec3::Y, 0.5, 0.0);
//! assert_eq!(velocity, Vec3::new(3.0, 2.0, 0.0));
//! assert!((remaining_move(velocity, 0.1, 0.4) - Vec3::new(0.18, 0.12, 0.0)).length() < 1e-6);
//! ```
//!
//! # A world of your own
//!
//! The three phases can be called by hand. Boxes go to a broad phase, its pairs to [`manifolds`],
//! and the manifolds to a solver. Each phase can be replaced or left out. A [`World`] is this loop
//! with sleep, events, sweeps, budgets and snapshots.
//!
//! ```
//! use carom::broad::{Filter, Mobility};
//! use carom::query::ManifoldCache;
//! use carom::response::{Body, ContactPair, Sleepers, Solver, SolverSettings};
//! use carom::{BroadPhase, DynamicBvh, Pose, Shape, Vec3, manifolds};
//! use std::collections::HashMap;
//!
//! let mut broad = DynamicBvh::new();
//! let (mut shapes, mut bodies, mut proxies) = (Vec::new(), Vec::new(), Vec::new());
//! let mut add = |shape: Shape, position: Vec3, density: f32| {
//!     let pose = Pose::from_translation(position);
//!     let mass = shape.mass_properties(density);
//!     let (body, mobility) = if density == 0.0 {
//!         (Body::fixed(pose), Mobility::Fixed)
//!     } else {
//!         (Body::dynamic(pose, mass.mass, mass.center, mass.inertia), Mobility::Dynamic)
//!     };
//!     // A little larger, so that what is about to touch is known.
//!     proxies.push(broad.insert(shape.aabb(&pose).inflated(0.02), Filter::new(mobility))?);
//!     shapes.push(shape);
//!     bodies.push(body);
//!     Ok::<(), carom::broad::BroadPhaseError>(())
//! };
//! add(Shape::cuboid(Vec3::new(5.0, 0.5, 5.0))?, Vec3::NEG_Y * 0.5, 0.0)?;
//! add(Shape::cuboid(Vec3::splat(0.5))?, Vec3::Y * 1.0, 1.0)?;
//! add(Shape::sphere(0.5)?, Vec3::Y * 2.5, 1.0)?;
//!
//! let mut solver = Solver::new(SolverSettings::default());
//! let mut sleepers = Sleepers::default();
//! let mut caches: HashMap<(u32, u32), ManifoldCache> = HashMap::new();
//! let (mut pairs, mut found) = (Vec::new(), Vec::new());
//! for _ in 0..240 {
//!     // Broad phase: which boxes overlap.
//!     let boxes = |i: usize| shapes[i].aabb(&bodies[i].pose).inflated(0.02);
//!     let moves: Vec<_> = (0..bodies.len()).map(|i| (proxies[i], boxes(i))).collect();
//!     broad.update(&moves)?;
//!     broad.pairs(&mut pairs);
//!     // Narrow phase: which shapes touch, and where. Bodies have the numbers of their boxes.
//!     let mut contacts = Vec::new();
//!     for pair in &pairs {
//!         let (a, b) = (pair.a as usize, pair.b as usize);
//!         let cache = caches.entry((pair.a, pair.b)).or_default();
//!         found.clear();
//!         manifolds(&shapes[a], &bodies[a].pose, &shapes[b], &bodies[b].pose, 0.02, cache, &mut found);
//!         contacts.extend(found.iter().map(|m| ContactPair::new(pair.a, pair.b, *m, 0.5, 0.0)));
//!     }
//!     // Response: what happens next. First, what is hit wakes.
//!     sleepers.wake_touched(&mut bodies, &contacts, &[], solver.settings());
//!     solver.step(&mut bodies, &contacts, &mut [], 1.0 / 60.0)?;
//!     sleepers.fall_asleep(&mut bodies, &solver);
//! }
//! // The ball lies on the box, which lies on the ground.
//! assert!((bodies[1].pose.translation.y - 0.5).abs() < 0.01);
//! assert!((bodies[2].pose.translation.y - 1.5).abs() < 0.02);
//! assert!(bodies[2].is_sleeping);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Conventions
//!
//! - Constructors check their input and return an error that names the fault (test:
//!   `support::constructors_name_what_is_wrong`, carom-geom). Distances, contacts, rays and casts
//!   of checked shapes return no error. Fuzzing searches for panics and wrong answers (test:
//!   `main::every_body_is_run`, carom-fuzz).
//! - Lengths have no fixed unit, and tolerances are relative to the data. Only a world has a unit
//!   of length: [`SolverSettings::length_unit`](response::SolverSettings::length_unit) is the
//!   length of a metre.
//! - Normals go from A to B. All points and normals of a query are in the world frame. A contact's
//!   distance is negative if bodies overlap.
//! - With the feature `parallel`, a batch of queries or a step uses rayon's current thread pool,
//!   or else the global one. Make the thread that steps a member of its pool
//!   (`rayon::ThreadPoolBuilder::use_current_thread`). Then the data of the last step are in the
//!   caches of the cores, and a step is a little faster.
//! - Features are additive: `std` (default), `libm` for builds without it, and `serde`. The
//!   feature `f64` adds all narrow-phase queries in double precision, in [`query`]`::f64`. With
//!   `parallel` the bits are the same on any number of threads (test:
//!   `golden::with_one_two_and_seven_threads`, carom-world).
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

pub use carom_bounds as bounds;
pub use carom_broad as broad;
pub use carom_broad_auto as broad_auto;
pub use carom_broad_coherent as broad_coherent;
pub use carom_broad_grid as broad_grid;
pub use carom_broad_sap as broad_sap;
pub use carom_broad_tree as broad_tree;
pub use carom_bsp as bsp;
pub use carom_bvh as bvh;
pub use carom_ccd as ccd;
pub use carom_character as character;
pub use carom_deform as deform;
pub use carom_geom as geom;
pub use carom_gjk as gjk;
pub use carom_lanes as lanes;
pub use carom_math as math;
pub use carom_neighbours as neighbours;
pub use carom_particles as particles;
pub use carom_query as query;
pub use carom_response as response;
pub use carom_sat as sat;
pub use carom_sdf as sdf;
pub use carom_simplify as simplify;
pub use carom_world as world;

pub mod prelude;

pub use carom_bounds::Aabb;
pub use carom_broad::{BroadPhase, SpatialIndex};
pub use carom_broad_tree::DynamicBvh;
pub use carom_math::{Interval, Pose, Quat, Ray, Vec3, glam};
pub use carom_query::{
    Shape, cast, cast_ray, cast_ray_all, contact, distance, intersects, manifolds, motion_of, project_point,
};
pub use carom_response::Penalty;
pub use carom_world::{BodyDesc, BodyId, JointDesc, LockedAxes, Motor, QueryFilter, World};

/// The example of the README, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct ReadMe;
