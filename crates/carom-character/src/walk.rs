//! A character. On the ground it moves with the velocity of its wish, along slopes, steps and
//! walls. In the air it falls.
//!
//! A call has phases on the ground and in the air, and a phase is divided into substeps. On the
//! ground a substep is at most a quarter of the figure's width long, in the air at most a sixtieth
//! of a second. Substeps are longer if a phase would have more than 64. On the ground each substep
//! slides along obstacles within the plane of the ground. Gentle slopes become the ground, and
//! steep ones are walls. A wall is first tried as a step. Then the figure settles.
//!
//! If the ground is lost within a substep, bisection finds the moment, and the fall begins then.
//! So a landing does not depend on the division of time. A fall is a parabola for any substeps.
//!
//! Degenerate: a call with a NaN, or whose result is not finite, changes nothing and reports that.
//! A figure that starts in an obstacle is moved to the nearest free position. Without one it
//! stays.
//!
//! Reference: K. Fauerby, Improved Collision Detection and Response, 2003; J. Rouwe, Jolt Physics,
//! CharacterVirtual, 2022. Differs: sliding gains no speed, and slopes do not change the speed
//! along them. The world moves first, and then its ground carries the character.

use crate::cone::nearest_allowed;
use crate::figure::Figure;
use crate::ground::{Ground, GroundKind, Mover};
use crate::settings::{CharacterSettings, SettingsError};
use crate::slide::{Contact, MAX_CONTACTS, TouchedPlanes, advance, flattened, slide_along};
use crate::sweep::{CarriedSweep, NO_OBJECT, RaySweep, Sweep, SweepHit};
use alloc::vec::Vec;
use carom_geom::SupportMap;
use carom_math::{WidePose, scaling};
use glam::DVec3;

/// The longest substep of a fall, in seconds.
const MAX_FALL_SUBSTEP_SECONDS: f64 = 1.0 / 60.0;

/// The maximum number of substeps in a phase. Substeps get longer instead.
const MAX_SUBSTEPS: f64 = 64.0;

/// The maximum number of phases, on ground or in air, of a call. The rest of its time is given up.
const MAX_PHASES: usize = 8;

/// The number of bisections for the moment at which the ground was lost.
const HALVINGS: usize = 8;

/// The position at which the figure stood on an object at the end of a call.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Stand {
    /// The pose of the object then.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::stored::pose"))]
    pose: WidePose,
    /// The middle of the figure then.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::stored::finite"))]
    position: DVec3,
    /// The point of the ground's plane under the middle, in the frame of the object.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::stored::finite"))]
    anchor: DVec3,
    /// The contact point and the normal of the ground then.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::stored::finite"))]
    point: DVec3,
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::stored::unit"))]
    normal: DVec3,
}

impl Stand {
    fn new(pose: WidePose, position: DVec3, up: DVec3, ground: &Ground) -> Stand {
        // The normal of a wedge is `up`, however steep its sides are.
        let height = (position - ground.point).dot(ground.normal) / ground.normal.dot(up).max(LEAST_UP);
        let anchor = pose.inverse_transform_point(position - up * height);
        Stand { pose, position, anchor, point: ground.point, normal: ground.normal }
    }
}

/// A lower bound of a cosine: a steeper plane has no near point under the figure.
const LEAST_UP: f64 = 0.25;

/// The result of a call.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Walked {
    /// Whether the call did nothing, because its input or its result is not finite.
    pub was_refused: bool,
    /// Whether the character is in an obstacle and no free position is near. Then it stays, except
    /// for [`Walked::carried`]. This also happens if its ground presses it against something.
    pub is_stuck: bool,
    /// The displacement out of obstacles: at the start, and in a `World` at the end out of bodies
    /// that press.
    pub freed: DVec3,
    /// The displacement by the ground.
    pub carried: DVec3,
    /// The number of climbed steps. A round figure walks over a low edge as over a slope, which is
    /// no step. For a ball of radius r at the feet and an edge of height h, the slope is
    /// acos(1 - h / r). It has to be within the limit.
    pub steps: u32,
    /// The total height of these steps, a length.
    pub climbed: f64,
    /// The part of the wished displacement that obstacles prevented.
    pub left: DVec3,
    /// Contacts with walls, ceilings and steep slopes. A wall may occur more than once.
    pub contacts: Vec<Contact>,
}

impl Walked {
    fn clear(&mut self) {
        self.contacts.clear();
        *self = Walked { contacts: core::mem::take(&mut self.contacts), ..Walked::default() };
    }
}

/// A character in a world.
///
/// It is plain data, which `serde` stores without the result of the last call. A stored character
/// and a stored world go on with the same bits (test:
/// `kept_state::a_stored_character_goes_on_alike`).
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Character {
    figure: Figure,
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::stored::settings"))]
    settings: CharacterSettings,
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::stored::finite"))]
    position: DVec3,
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::stored::finite"))]
    velocity: DVec3,
    ground: Option<Ground>,
    /// Set at the end of a call on ground with a known pose. Valid while there is ground.
    stand: Option<Stand>,
    /// The generation of the ground's object at the end of a call. Valid while there is ground.
    generation: Option<u32>,
    /// The displacement that steps have gained in advance, a length across `up`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::stored::finite"))]
    ahead: DVec3,
    #[cfg_attr(feature = "serde", serde(skip))]
    walked: Walked,
    #[cfg_attr(feature = "serde", serde(skip))]
    touched: TouchedPlanes,
    #[cfg_attr(feature = "serde", serde(skip))]
    planes: Vec<DVec3>,
}

impl Character {
    /// Returns a character at rest in the air, with its middle at `position`.
    ///
    /// Errors: a setting out of its range, or a position that is not finite.
    pub fn new(
        figure: Figure,
        settings: CharacterSettings,
        position: DVec3,
    ) -> Result<Character, SettingsError> {
        settings.check()?;
        if !position.is_finite() {
            return Err(SettingsError("place"));
        }
        Ok(Character {
            figure,
            settings,
            position,
            velocity: DVec3::ZERO,
            ground: None,
            stand: None,
            generation: None,
            ahead: DVec3::ZERO,
            walked: Walked::default(),
            touched: TouchedPlanes::default(),
            planes: Vec::new(),
        })
    }

    /// Returns its shape.
    pub fn figure(&self) -> &Figure {
        &self.figure
    }

    /// Returns its settings.
    pub fn settings(&self) -> &CharacterSettings {
        &self.settings
    }

    /// Returns the position of its middle. In a `carom_world::World` it is a wide position: it
    /// stays when the origin of the world moves.
    pub fn position(&self) -> DVec3 {
        self.position
    }

    /// Returns the position of its feet: below its middle, at its lowest height.
    pub fn feet(&self) -> DVec3 {
        self.position - self.figure.up() * self.figure.stature()
    }

    /// Returns its velocity in the world frame, that of the ground included, in length per second.
    pub fn velocity(&self) -> DVec3 {
        self.velocity
    }

    /// Returns its ground; `None` in the air.
    pub fn ground(&self) -> Option<&Ground> {
        self.ground.as_ref()
    }

    /// Returns its ground if that still is in the world. Another object may have its index now.
    pub(crate) fn ground_in(&self, world: &(impl RaySweep + ?Sized)) -> Option<&Ground> {
        self.ground().filter(|ground| world.generation_of(ground.object) == self.generation)
    }

    /// Leaves the ground without a move.
    #[cfg(feature = "world")]
    pub(crate) fn pause(&mut self) {
        self.walked.clear();
        (self.ground, self.ahead) = (None, DVec3::ZERO);
    }

    /// Returns the result of the last call.
    pub fn walked(&self) -> &Walked {
        &self.walked
    }

    /// Moves it to a position, in the air. A position that is not finite changes nothing.
    pub fn set_position(&mut self, position: DVec3) {
        if position.is_finite() {
            (self.position, self.ground) = (position, None);
        }
    }

    /// Sets its velocity in the world frame, that of the ground included, in length per second.
    /// The character leaves the ground if the velocity points away from the ground. A velocity
    /// that is not finite changes nothing.
    pub fn set_velocity(&mut self, velocity: DVec3) {
        if velocity.is_finite() {
            self.velocity = velocity;
            let is_off = |ground: &Ground| 0.0 < (velocity - ground.velocity).dot(ground.normal);
            self.ground = self.ground.filter(|ground| !is_off(ground));
        }
    }

    /// Turns it to another up direction about its feet, as on a planet. It keeps its velocity and
    /// its ground. A vector without a direction changes nothing. The body of a `CharacterBody`
    /// follows in the next call.
    pub fn set_up(&mut self, up: DVec3) {
        let (feet, figure) = (self.feet(), self.figure.with_up(up));
        if figure.up() == self.figure.up() {
            return;
        }
        self.figure = figure;
        self.put(feet + figure.up() * figure.stature());
    }

    /// Gives it another figure, such as a lower one to crouch. Feet, up direction, velocity and
    /// ground stay. Returns false, and changes nothing, if the figure would overlap an obstacle. A
    /// figure that lies within the present one is always accepted. On a ground that has moved
    /// since the last call of [`Character::walk`], the figure needs room where the ground carries
    /// it.
    ///
    /// On a slope a wider figure overlaps the ground. For a character in a `carom_world::World`
    /// use `CharacterBody::set_figure`.
    pub fn set_figure(&mut self, world: &mut (impl Sweep + ?Sized), figure: Figure) -> bool {
        let figure = figure.with_up(self.figure.up());
        let position = self.feet() + figure.up() * figure.stature();
        let is_free =
            figure.lies_within(&self.figure) || world.is_free(&figure, position + self.carry_of(world));
        if is_free {
            self.figure = figure;
            self.put(position);
        }
        is_free
    }

    /// Returns the displacement by its ground since the last call, without obstacles.
    fn carry_of(&self, world: &(impl Sweep + ?Sized)) -> DVec3 {
        let pose = self.ground.and_then(|ground| world.pose_of(ground.object, ground.part));
        let carry = |(stand, pose): (&Stand, WidePose)| {
            pose.transform_point(stand.anchor) - stand.pose.transform_point(stand.anchor)
        };
        self.stand.as_ref().zip(pose).map_or(DVec3::ZERO, carry)
    }

    /// Gives it other settings, from the next call on. The body of a `CharacterBody` gets another
    /// skin with its next figure.
    ///
    /// Errors: a number out of its range; then nothing changes.
    pub fn set_settings(&mut self, settings: CharacterSettings) -> Result<(), SettingsError> {
        settings.check()?;
        self.settings = settings;
        Ok(())
    }

    /// Sets the gravity, in length per second squared.
    ///
    /// Errors: it is negative or not finite; then nothing changes.
    pub fn set_gravity(&mut self, gravity: f64) -> Result<(), SettingsError> {
        self.set_settings(self.settings.with_gravity(gravity))
    }

    /// Jumps off the ground: sets the upward speed relative to the ground to at least `speed`, in
    /// length per second. Returns false, and does nothing, in the air or for a speed that is not
    /// finite.
    pub fn jump(&mut self, speed: f64) -> bool {
        let Some(ground) = self.ground.filter(|_| speed.is_finite()) else { return false };
        let up = self.figure.up();
        self.velocity += up * (speed - (self.velocity - ground.velocity).dot(up)).max(0.0);
        self.ground = None;
        true
    }

    /// Leaves the ground with its present velocity.
    #[cfg(feature = "soft")]
    pub(crate) fn leave_ground(&mut self) {
        self.ground = None;
    }

    /// Changes the velocity of its ground; in the air, nothing. Its own velocity changes with it.
    #[cfg(feature = "world")]
    pub(crate) fn set_ground_velocity(&mut self, velocity: DVec3) {
        if let Some(ground) = &mut self.ground {
            self.velocity += velocity - ground.velocity;
            ground.velocity = velocity;
        }
    }

    /// Returns the impulse with which a contact of the last call pushes the object at the contact
    /// point. It is the impulse that stops the character, limited to the largest force times `dt`.
    pub fn push(&self, contact: &Contact, dt: f64) -> DVec3 {
        let most = self.settings.max_push * dt.max(0.0);
        -contact.normal * (self.settings.mass * contact.approach).min(most)
    }

    /// Advances by `dt` seconds with a wish for a velocity, in length per second. Only its
    /// component across `up` counts. On the ground the velocity becomes the wish at once, measured
    /// along the ground. So the speed across `up` is lower on a slope, and so it is for a round
    /// figure on stairs. In the air it accelerates toward a wish that is not zero.
    ///
    /// The world must be in its state at the end of the time, with moving objects already moved.
    /// The ground then carries the character along.
    pub fn walk(&mut self, world: &mut (impl Sweep + ?Sized), wish: DVec3, dt: f64) -> &Walked {
        self.walked.clear();
        if !(wish.is_finite() && 0.0 <= dt && dt.is_finite()) {
            self.walked.was_refused = true;
            return &self.walked;
        }
        let before = (self.position, self.velocity, self.ground, self.stand, self.generation, self.ahead);
        self.advance(world, wish, dt);
        if !self.is_finite() {
            (self.position, self.velocity, self.ground, self.stand, self.generation, self.ahead) = before;
            self.walked.clear();
            self.walked.was_refused = true;
        }
        &self.walked
    }

    /// Whether the state and the result are finite.
    fn is_finite(&self) -> bool {
        let Walked { carried, left, climbed, contacts, .. } = &self.walked;
        let is_number = |contact: &Contact| contact.velocity.is_finite() && contact.approach.is_finite();
        [self.position, self.velocity, self.ahead, *carried, *left].iter().all(|v| v.is_finite())
            && self.ground.is_none_or(|ground| ground.point.is_finite() && ground.velocity.is_finite())
            && climbed.is_finite()
            && contacts.iter().all(is_number)
    }

    fn advance(&mut self, world: &mut (impl Sweep + ?Sized), wish: DVec3, dt: f64) {
        let (figure, settings) = (self.figure, self.settings);
        // Its own velocity contains that of the ground, so it keeps that if the ground is gone.
        self.ground = self.ground_in(world).copied();
        let mover = &mut Mover::new(world, &figure, &settings);
        self.ride(mover, dt);
        let is_moving_ledge =
            |ground: &Ground| ground.kind == GroundKind::Ledge && ground.velocity != DVec3::ZERO;
        mover.held_by = self.ground.filter(is_moving_ledge).map(|ground| ground.object);
        if !self.free(mover) {
            self.walked.is_stuck = true;
            return;
        }
        let was_in_air = self.ground.is_none();
        let heading = wish - mover.up * wish.dot(mover.up);
        let mut time = dt - self.wait(heading, dt);
        for _ in 0..MAX_PHASES {
            time = match self.ground {
                Some(_) => self.walk_on_ground(mover, heading, time),
                None if 0.0 < time => self.fall(mover, heading, time),
                None => 0.0,
            };
            if time <= 0.0 {
                break;
            }
        }
        // An obstacle that rises under a flying figure has moved first, and has lifted it. The
        // flight began below: a jump from a lift is as high as from the floor.
        let lifted = self.walked.freed.dot(mover.up);
        if was_in_air && self.ground.is_none() && 0.0 < lifted {
            let (lowered, _) = mover.advance(self.position, mover.up * -lifted);
            self.walked.freed += lowered - self.position;
            self.position = lowered;
        }
        if let Some(ground) = &mut self.ground {
            if let Some(velocity) = mover.velocity_under(self.position, ground) {
                ground.velocity = velocity;
            }
            self.velocity += ground.velocity;
        }
        self.stand = self.ground.and_then(|ground| {
            let pose = mover.world.pose_of(ground.object, ground.part)?;
            Some(Stand::new(pose, self.position, mover.up, &ground))
        });
        self.generation = self.ground.and_then(|ground| mover.world.generation_of(ground.object));
    }

    /// Returns the time, at most `dt`, in which the heading catches up with the displacement that
    /// steps gained in advance. A heading away from it and a figure in the air do not wait.
    fn wait(&mut self, heading: DVec3, dt: f64) -> f64 {
        // NaN without a heading.
        let needed = heading.dot(self.ahead) / heading.length_squared();
        if self.ground.is_none() || !(0.0 < needed) {
            self.ahead = DVec3::ZERO;
            return 0.0;
        }
        let waited = needed.min(dt);
        self.ahead *= 1.0 - waited / needed;
        waited
    }

    /// Moves it out of an overlap that `world` has, by at most `most`, a length. It stays if no
    /// free position is that near, or if its middle would pass a surface of `walls`.
    #[cfg(feature = "world")]
    pub(crate) fn leave_overlap(&mut self, world: &mut impl Sweep, walls: &mut impl RaySweep, most: f64) {
        if world.is_free(&self.figure, self.position) {
            return;
        }
        let Some(position) = world.nearest_free(&self.figure, self.position) else { return };
        let offset = position - self.position;
        let is_through = walls.ray(self.position, offset, None).is_some();
        if scaling::length(offset) <= most && !is_through {
            self.walked.freed += offset;
            self.put(position);
        }
    }

    /// Puts it at a position at which it keeps its ground.
    fn put(&mut self, position: DVec3) {
        self.position = position;
        let (up, stand) = (self.figure.up(), self.stand.zip(self.ground));
        self.stand = stand.map(|(stand, ground)| Stand::new(stand.pose, position, up, &ground));
    }

    /// Moves the figure out of overlaps. Returns false if it stays in one. The middle of the figure
    /// does not pass into an obstacle, so walls that close do not push it through a wall.
    fn free<W: Sweep + ?Sized>(&mut self, mover: &mut Mover<'_, W>) -> bool {
        if mover.world.is_free(&self.figure, self.position) {
            return true;
        }
        let Some(position) = mover.world.nearest_free(&self.figure, self.position) else { return false };
        let offset = position - self.position;
        let is_near = scaling::length(offset) <= self.settings.max_push_out;
        let is_through =
            mover.world.ray(self.position, offset, None).is_some_and(|hit| hit.normal != DVec3::ZERO);
        if is_near && !is_through {
            (self.walked.freed, self.position) = (offset, position);
        }
        is_near && !is_through
    }

    /// Carries the figure along with its ground, which has already moved.
    ///
    /// The point of the ground under the figure's middle stays under it. If the ground turned, or
    /// a part of it rose more, the figure is raised and lowered onto it. If another object rises
    /// beside it, as the next step of an escalator does, the figure is lifted onto its edge. A
    /// steep part of a round figure would otherwise slide off the edge.
    fn ride<W: Sweep + ?Sized>(&mut self, mover: &mut Mover<'_, W>, dt: f64) {
        let Some(ground) = &mut self.ground else { return };
        let (start, skin, up) = (self.position, self.settings.skin, mover.up);
        let mut rise = 2.0 * skin;
        let mut carrier = ground.object;
        let displacement = match (self.stand, mover.world.pose_of(ground.object, ground.part)) {
            (Some(stand), Some(pose)) => {
                if stand.pose == pose && stand.position == start {
                    (ground.point, ground.normal) = (stand.point, stand.normal);
                    return;
                }
                let turned = pose.transform_vector(stand.pose.inverse_transform_vector(stand.normal));
                rise += 2.0 * self.figure.radius() * scaling::length(turned - stand.normal);
                let anchor = stand.pose.transform_point(stand.anchor);
                let target = stand.position + (pose.transform_point(stand.anchor) - anchor);
                ground.point = pose.transform_point(stand.pose.inverse_transform_point(stand.point));
                if ground.kind != GroundKind::Wedge {
                    ground.normal = turned;
                }
                target - start
            }
            _ => {
                let displacement = ground.velocity * dt;
                // The mean of the velocities at both ends. With the first alone, a figure on a
                // turntable drifts outwards.
                let then = mover.velocity_under(start + displacement, ground).unwrap_or(ground.velocity);
                let displacement = (ground.velocity + then) * (0.5 * dt);
                ground.point += displacement;
                // The rest of an object with a belt stays where it is, such as a wall at its end.
                if mover.world.is_free(&self.figure, start) {
                    carrier = NO_OBJECT;
                }
                displacement
            }
        };
        if displacement == DVec3::ZERO {
            return;
        }
        rise += scaling::length(displacement);
        let (ground, n_contacts) = (*ground, self.walked.contacts.len());
        let (contacts, touched) = (&mut self.walked.contacts, &mut self.touched);
        let carried = &mut CarriedSweep { world: &mut *mover.world, carrier };
        let slide =
            slide_along(carried, &self.figure, start, displacement, Some(dt), skin, contacts, touched);
        let is_blocked = slide.position != start + displacement;
        let is_free = mover.world.is_free(&self.figure, slide.position);
        if is_blocked || !is_free {
            let carried = mover.carry_over_edge(start, displacement, carrier, &ground);
            let rises = |edge: &Ground| {
                let relative = edge.velocity - displacement / dt;
                let rise = relative.dot(up);
                scaling::length(relative - up * rise) < rise
            };
            if let Some((position, edge)) = carried.filter(|(_, edge)| rises(edge)) {
                self.walked.contacts.truncate(n_contacts);
                self.walked.carried = position - start;
                (self.position, self.ground) = (position, Some(edge));
                return;
            }
        }
        self.position = slide.position;
        if !is_free {
            let carried = &mut CarriedSweep { world: &mut *mover.world, carrier };
            let (raised, _) = advance(carried, &self.figure, self.position, up * rise, skin);
            if mover.world.is_free(&self.figure, raised) {
                let (lowered, _) = mover.advance(raised, self.position - raised);
                self.position = lowered;
            }
        }
        self.walked.carried = self.position - start;
    }

    /// Walks on the ground. Returns the time that is left when the ground is lost.
    fn walk_on_ground<W: Sweep + ?Sized>(
        &mut self,
        mover: &mut Mover<'_, W>,
        heading: DVec3,
        time: f64,
    ) -> f64 {
        let speed = scaling::length(heading);
        let longest = (0.5 * mover.figure.half_width() / speed).max(time / MAX_SUBSTEPS);
        let mut left = time;
        self.touched.clear();
        // Runs at least once, even without time, because the ground may have moved away.
        while let Some(ground) = self.ground {
            let substep = left.min(longest);
            left -= self.ground_substep(mover, heading, ground, substep);
            if !(0.0 < left) {
                break;
            }
        }
        left
    }

    /// Walks for a short time on the ground. Returns the time until the ground was lost, or all of
    /// it.
    fn ground_substep<W: Sweep + ?Sized>(
        &mut self,
        mover: &mut Mover<'_, W>,
        heading: DVec3,
        ground: Ground,
        time: f64,
    ) -> f64 {
        let (start, mut ground) = (self.position, ground);
        let mut rest = time;
        let mut is_straight = true;
        self.velocity = DVec3::ZERO;
        for _ in 0..MAX_CONTACTS {
            self.touched.forget(self.position, mover.settings.skin);
            let velocity = self.velocity_on(&ground, heading, mover.up);
            self.velocity = velocity;
            if velocity == DVec3::ZERO || rest <= 0.0 {
                break;
            }
            let (position, hit) = mover.advance(self.position, velocity * rest);
            self.position = position;
            let Some(hit) = hit else {
                rest = 0.0;
                break;
            };
            is_straight = false;
            if hit.starts_inside {
                break;
            }
            rest *= 1.0 - hit.t;
            if mover.is_next_ground(&hit, &ground) {
                ground = Ground::of(&hit, GroundKind::Slope, hit.normal);
                continue;
            }
            if self.step(mover, &hit, &mut ground, heading, &mut rest) {
                continue;
            }
            // The velocity of a hit is in the world; the walk is relative to the ground.
            self.walked.contacts.push(Contact::of(&hit, velocity + ground.velocity - hit.velocity));
            let second = flattened(hit.normal, mover.up).filter(|_| 0.0 <= hit.normal.dot(mover.up));
            self.touched.add(&hit, second, self.position);
        }
        self.walked.left += heading * rest.max(0.0);
        self.ground = Some(ground);
        self.settle_on_ground(mover, heading, start, is_straight, time)
    }

    /// Returns the velocity in the plane of the ground that goes into no touched plane.
    fn velocity_on(&mut self, ground: &Ground, heading: DVec3, up: DVec3) -> DVec3 {
        self.planes.clear();
        self.planes.extend(&self.touched.normals);
        // Surfaces of a wedge are not among these.
        self.planes.extend([ground.normal, -ground.normal]);
        nearest_allowed(ground.along(heading, up), &self.planes)
    }

    /// Steps over a hit. Returns false if the hit is no step.
    fn step<W: Sweep + ?Sized>(
        &mut self,
        mover: &mut Mover<'_, W>,
        hit: &SweepHit,
        ground: &mut Ground,
        heading: DVec3,
        rest: &mut f64,
    ) -> bool {
        self.planes.clear();
        self.planes.extend(self.touched.normals.iter().filter_map(|n| flattened(*n, mover.up)));
        let heading = nearest_allowed(heading, &self.planes);
        let speed = scaling::length(heading);
        if !(hit.normal.dot(heading) < 0.0) {
            return false;
        }
        let Some(step) = mover.step_up(self.position, ground, hit, heading, speed * *rest) else {
            return false;
        };
        *rest -= step.forward / speed;
        self.ahead += heading * (-*rest).max(0.0);
        // A step on a ledge may take several calls.
        if mover.slack < step.climbed {
            self.walked.steps += 1;
            self.walked.climbed += step.climbed;
        }
        (self.position, *ground) = (step.position, step.ground);
        true
    }

    /// Settles on the ground, or finds the moment at which it was lost. Returns the time that was
    /// spent on the ground.
    fn settle_on_ground<W: Sweep + ?Sized>(
        &mut self,
        mover: &mut Mover<'_, W>,
        heading: DVec3,
        start: DVec3,
        is_straight: bool,
        time: f64,
    ) -> f64 {
        let distance = mover.settings.snap_distance;
        let last = self.ground.map_or(self.position, |ground| ground.point);
        if let Some((position, ground)) = mover.settle(self.position, distance, heading, last) {
            (self.position, self.ground) = (position, Some(ground));
            return time;
        }
        let mut spent = 1.0;
        let offset = self.position - start;
        if is_straight && offset != DVec3::ZERO {
            let mut safe = 0.0;
            for _ in 0..HALVINGS {
                let middle = 0.5 * (safe + spent);
                match mover.settle(start + offset * middle, distance, heading, last) {
                    Some(_) => safe = middle,
                    None => spent = middle,
                }
            }
            self.position = start + offset * spent;
        }
        // A character that walks off the ground keeps the ground's velocity.
        self.velocity += self.ground.take().map_or(DVec3::ZERO, |ground| ground.velocity);
        time * spent
    }

    /// Falls. Returns the time that is left when ground is met.
    fn fall<W: Sweep + ?Sized>(&mut self, mover: &mut Mover<'_, W>, wish: DVec3, time: f64) -> f64 {
        let longest = MAX_FALL_SUBSTEP_SECONDS.max(time / MAX_SUBSTEPS);
        let mut left = time;
        self.touched.clear();
        while 0.0 < left && self.ground.is_none() {
            let substep = left.min(longest);
            left -= self.air_substep(mover, wish, substep);
        }
        left
    }

    /// Falls for a short time. Returns the time until ground was met, or all of it.
    fn air_substep<W: Sweep + ?Sized>(&mut self, mover: &mut Mover<'_, W>, wish: DVec3, time: f64) -> f64 {
        let up = mover.up;
        let (displacement, mut velocity) = self.flight(wish, up, mover.settings, time);
        if !displacement.is_finite() {
            // The position becomes infinite or NaN too, and the call is refused.
            self.position += displacement;
            return time;
        }
        let (start, mut rest) = (self.position, 1.0);
        for _ in 0..MAX_CONTACTS {
            self.touched.forget(self.position, mover.settings.skin);
            let along = nearest_allowed(displacement, &self.touched.normals) * rest;
            velocity = nearest_allowed(velocity, &self.touched.normals);
            if along == DVec3::ZERO {
                break;
            }
            let (position, hit) = mover.advance(self.position, along);
            self.position = position;
            let Some(hit) = hit.filter(|hit| !hit.starts_inside) else { break };
            rest *= 1.0 - hit.t;
            self.walked.contacts.push(Contact::of(&hit, velocity - hit.velocity));
            if mover.is_gentle(hit.normal) && (velocity - hit.velocity).dot(hit.normal) <= 0.0 {
                // The fall is over; the wish sets the speed on the ground.
                self.velocity = DVec3::ZERO;
                self.ground = Some(Ground::of(&hit, GroundKind::Slope, hit.normal));
                return time * (1.0 - rest);
            }
            self.touched.add(&hit, mover.wall(hit.normal), self.position);
        }
        self.velocity = velocity;
        // Steep surfaces hold it on all sides.
        let is_held = scaling::length(self.position - start) <= mover.settings.skin
            && velocity.dot(up) <= 0.0
            && nearest_allowed(-up, &self.touched.normals) == DVec3::ZERO;
        if is_held
            && let Some((position, ground)) = mover.settle(self.position, 0.0, DVec3::ZERO, self.position)
        {
            (self.position, self.velocity, self.ground) = (position, DVec3::ZERO, Some(ground));
        }
        time
    }

    /// Returns the displacement of a free flight, and the velocity at its end.
    fn flight(&self, wish: DVec3, up: DVec3, settings: &CharacterSettings, time: f64) -> (DVec3, DVec3) {
        let falling = self.velocity.dot(up);
        let level = self.velocity - up * falling;
        let end = (falling - settings.gravity * time).max(-settings.max_fall_speed).min(falling.max(0.0));
        let mut displacement = level * time + up * (0.5 * (falling + end) * time);
        let mut velocity = level + up * end;
        let change = wish - level;
        let needed = scaling::length(change) / settings.air_acceleration;
        if wish != DVec3::ZERO && 0.0 < needed && needed < f64::INFINITY {
            let turned = time.min(needed);
            displacement += change * (turned / needed * (time - 0.5 * turned));
            velocity += change * (turned / needed);
        }
        (displacement, velocity)
    }
}
