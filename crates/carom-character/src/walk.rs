//! A character: on the ground it goes where it wants, at the speed that it wants, up and down
//! slopes and steps, along walls; off the ground it falls.
//!
//! A call is cut into pieces: on the ground a piece is at most half the figure's width long, in the
//! air a sixtieth of a second. On the ground each piece slides along what it meets within the plane
//! of the ground; ground that is met becomes the ground, what is too steep is a wall, and a wall is
//! first tried as a step. Then the figure settles. Where the ground is lost within a piece the
//! moment is searched for by halving, and the fall begins then: so where one comes down does not
//! depend on how time was cut. A fall is a parabola whatever its pieces.
//!
//! Degenerate cases: a call with a NaN, or that leads beyond the numbers, changes nothing and says
//! so; who starts in something is put at the nearest free place; who cannot be freed stays.
//!
//! Reference: K. Fauerby, Improved Collision Detection and Response, 2003; J. Rouwe, Jolt Physics,
//! CharacterVirtual, 2022. Differs: speed is never gained by sliding, nor changed by slopes; the
//! world moves first, and the character is taken along by what it stood on.

use crate::cone::nearest_allowed;
use crate::figure::Figure;
use crate::ground::{Ground, GroundKind, Mover};
use crate::settings::{CharacterSettings, SettingsError};
use crate::slide::{Contact, MOST_CONTACTS, Touched, advance, flattened, slide_along};
use crate::sweep::{CarriedSweep, Sweep, SweepHit};
use alloc::vec::Vec;
use carom_geom::SupportMap;
use carom_math::{WidePose, scaling};
use glam::DVec3;

/// The longest piece of a fall, seconds.
const AIR_PIECE: f64 = 1.0 / 60.0;

/// More pieces than this are not made: they get longer.
const MOST_PIECES: f64 = 64.0;

/// How often a call changes between ground and air before the rest of its time is given up.
const MOST_CHANGES: usize = 8;

/// How often the moment at which the ground was lost is halved.
const HALVINGS: usize = 8;

/// The place at which the figure stood on an object at the end of a call.
#[derive(Clone, Copy, Debug)]
struct Stand {
    /// The pose of the object then.
    pose: WidePose,
    /// The middle of the figure then.
    place: DVec3,
    /// The point of the ground's plane under the middle, in the frame of the object.
    anchor: DVec3,
}

impl Stand {
    fn new(pose: WidePose, place: DVec3, up: DVec3, ground: &Ground) -> Stand {
        // A wedge may be far from level, but its normal is `up`.
        let height = (place - ground.point).dot(ground.normal) / ground.normal.dot(up).max(LEAST_UP);
        Stand { pose, place, anchor: pose.inverse_transform_point(place - up * height) }
    }
}

/// A lower bound of a cosine: a steeper plane has no point under the figure that is near.
const LEAST_UP: f64 = 0.25;

/// What a call did.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Walked {
    /// A number was none, or what would be done leads beyond the numbers: nothing was done.
    pub was_refused: bool,
    /// The character is in something and no free place is near: it stays, except for
    /// [`Walked::carried`]. So it is if its ground squeezes it against something.
    pub is_stuck: bool,
    /// By how much it was moved out of something at the start.
    pub freed: DVec3,
    /// By how much the ground took it along.
    pub carried: DVec3,
    /// How many steps were climbed, and the height of all of them.
    pub steps: u32,
    /// A length: how much higher the ground is after these steps.
    pub climbed: f64,
    /// What of the way that was wished for was not gone, because something was in the way.
    pub left: DVec3,
    /// Walls, ceilings and steep slopes that were met; a wall may be there more than once.
    pub contacts: Vec<Contact>,
}

impl Walked {
    fn clear(&mut self) {
        self.contacts.clear();
        *self = Walked { contacts: core::mem::take(&mut self.contacts), ..Walked::default() };
    }
}

/// A character in a world.
#[derive(Clone, Debug)]
pub struct Character {
    figure: Figure,
    settings: CharacterSettings,
    place: DVec3,
    velocity: DVec3,
    ground: Option<Ground>,
    /// Set at the end of a call on ground with a known pose. It counts while there is ground.
    stand: Option<Stand>,
    /// Seconds that steps have taken in advance.
    borrowed: f64,
    walked: Walked,
    touched: Touched,
    planes: Vec<DVec3>,
}

impl Character {
    /// A figure whose middle is at `place`, in the air and at rest.
    pub fn new(
        figure: Figure,
        settings: CharacterSettings,
        place: DVec3,
    ) -> Result<Character, SettingsError> {
        settings.check()?;
        if !place.is_finite() {
            return Err(SettingsError("place"));
        }
        Ok(Character {
            figure,
            settings,
            place,
            velocity: DVec3::ZERO,
            ground: None,
            stand: None,
            borrowed: 0.0,
            walked: Walked::default(),
            touched: Touched::default(),
            planes: Vec::new(),
        })
    }

    /// Its shape.
    pub fn figure(&self) -> &Figure {
        &self.figure
    }

    /// How it walks.
    pub fn settings(&self) -> &CharacterSettings {
        &self.settings
    }

    /// Where its middle is.
    pub fn place(&self) -> DVec3 {
        self.place
    }

    /// Where its feet are: under its middle, at its lowest.
    pub fn feet(&self) -> DVec3 {
        self.place - self.figure.up() * self.figure.stature()
    }

    /// Length per second, that of the ground included.
    pub fn velocity(&self) -> DVec3 {
        self.velocity
    }

    /// What it stands on; `None` in the air.
    pub fn ground(&self) -> Option<&Ground> {
        self.ground.as_ref()
    }

    /// What the last call did.
    pub fn walked(&self) -> &Walked {
        &self.walked
    }

    /// Puts it somewhere, in the air. A place with a NaN changes nothing.
    pub fn set_place(&mut self, place: DVec3) {
        if place.is_finite() {
            (self.place, self.ground) = (place, None);
        }
    }

    /// Gives it a velocity and takes it off the ground, if the velocity leads off it. One with a
    /// NaN changes nothing.
    pub fn set_velocity(&mut self, velocity: DVec3) {
        if velocity.is_finite() {
            self.velocity = velocity;
            let is_off = |ground: &Ground| 0.0 < (velocity - ground.velocity).dot(ground.normal);
            self.ground = self.ground.filter(|ground| !is_off(ground));
        }
    }

    /// Jumps off the ground with this speed; false in the air, where nothing is done.
    pub fn jump(&mut self, speed: f64) -> bool {
        let can_jump = self.ground.is_some() && speed.is_finite();
        if can_jump {
            let up = self.figure.up();
            self.velocity += up * (speed - self.velocity.dot(up)).max(0.0);
            self.ground = None;
        }
        can_jump
    }

    /// What a contact of the last call pushes with: an impulse on what was met, at the point of the
    /// contact. It would stop the character, if that is no more than the greatest push can do in
    /// the time.
    pub fn push(&self, contact: &Contact, dt: f64) -> DVec3 {
        let most = self.settings.max_push * dt.max(0.0);
        -contact.normal * (self.settings.mass * contact.approach).min(most)
    }

    /// Goes on for `dt` seconds, wishing for a velocity, of which the part across `up` counts. On
    /// the ground the velocity is that of the wish at once; in the air it turns to it slowly, if
    /// the wish is not zero.
    ///
    /// The world is as it is at the end of the time: what moves has moved. Then the character is
    /// taken along by its ground.
    pub fn walk(&mut self, world: &mut (impl Sweep + ?Sized), wish: DVec3, dt: f64) -> &Walked {
        self.walked.clear();
        if !(wish.is_finite() && 0.0 <= dt && dt.is_finite()) {
            self.walked.was_refused = true;
            return &self.walked;
        }
        let before = (self.place, self.velocity, self.ground, self.stand, self.borrowed);
        self.go_on(world, wish, dt);
        if !self.is_finite() {
            (self.place, self.velocity, self.ground, self.stand, self.borrowed) = before;
            self.walked.clear();
            self.walked.was_refused = true;
        }
        &self.walked
    }

    /// What it is and what it did are numbers.
    fn is_finite(&self) -> bool {
        let Walked { carried, left, climbed, contacts, .. } = &self.walked;
        let is_number = |contact: &Contact| contact.velocity.is_finite() && contact.approach.is_finite();
        [self.place, self.velocity, *carried, *left].iter().all(|v| v.is_finite())
            && self.ground.is_none_or(|ground| ground.point.is_finite() && ground.velocity.is_finite())
            && climbed.is_finite()
            && self.borrowed.is_finite()
            && contacts.iter().all(is_number)
    }

    fn go_on(&mut self, world: &mut (impl Sweep + ?Sized), wish: DVec3, dt: f64) {
        let (figure, settings) = (self.figure, self.settings);
        let mover = &mut Mover::new(world, &figure, &settings);
        let is_blocked = self.ride(mover, dt);
        if !self.free(mover, is_blocked) {
            self.walked.is_stuck = true;
            return;
        }
        let heading = wish - mover.up * wish.dot(mover.up);
        let mut time = (dt - self.borrowed).max(0.0);
        self.borrowed -= dt - time;
        for _ in 0..MOST_CHANGES {
            time = match self.ground {
                Some(_) => self.go(mover, heading, time),
                None if 0.0 < time => self.fall(mover, heading, time),
                None => 0.0,
            };
            if time <= 0.0 {
                break;
            }
        }
        if let Some(ground) = &mut self.ground {
            if let Some(velocity) = mover.velocity_under(self.place, ground) {
                ground.velocity = velocity;
            }
            self.velocity += ground.velocity;
        }
        self.stand = self.ground.and_then(|ground| {
            let pose = mover.world.pose_of(ground.object)?;
            Some(Stand::new(pose, self.place, mover.up, &ground))
        });
    }

    /// Moves the figure out of what it overlaps; false if it stays there. If the ground could not
    /// carry it all the way, its middle passes no surface.
    fn free<W: Sweep + ?Sized>(&mut self, mover: &mut Mover<'_, W>, is_blocked: bool) -> bool {
        if mover.world.is_free(&self.figure, self.place) {
            return true;
        }
        let Some(place) = mover.world.nearest_free(&self.figure, self.place) else { return false };
        let way = place - self.place;
        let is_near = scaling::length(way) <= self.settings.max_push_out;
        let is_through =
            is_blocked && mover.world.ray(self.place, way, None).is_some_and(|hit| hit.normal != DVec3::ZERO);
        if is_near && !is_through {
            (self.walked.freed, self.place) = (way, place);
        }
        is_near && !is_through
    }

    /// Carries the figure along with its ground, which has already moved; true if something blocks
    /// it.
    ///
    /// The point of the ground under the figure's middle stays under it. The height follows: if the
    /// ground turned, or a part of it rose more, the figure is raised and lowered on to it.
    fn ride<W: Sweep + ?Sized>(&mut self, mover: &mut Mover<'_, W>, dt: f64) -> bool {
        let Some(ground) = &mut self.ground else { return false };
        let (start, skin, up) = (self.place, self.settings.skin, mover.up);
        let mut rise = 2.0 * skin;
        let way = match (self.stand, mover.world.pose_of(ground.object)) {
            (Some(stand), Some(pose)) => {
                if stand.pose == pose && stand.place == start {
                    return false;
                }
                let carry = |point: DVec3| pose.transform_point(stand.pose.inverse_transform_point(point));
                let turned = pose.transform_vector(stand.pose.inverse_transform_vector(ground.normal));
                rise += 2.0 * self.figure.radius() * scaling::length(turned - ground.normal);
                let anchor = stand.pose.transform_point(stand.anchor);
                let target = stand.place + (pose.transform_point(stand.anchor) - anchor);
                ground.point = carry(ground.point);
                if ground.kind != GroundKind::Wedge {
                    ground.normal = turned;
                }
                target - start
            }
            _ => {
                let way = ground.velocity * dt;
                // The mean of the velocities at both ends: with the first alone, a figure on a
                // turntable moves outwards.
                let then = mover.velocity_under(start + way, ground).unwrap_or(ground.velocity);
                let way = (ground.velocity + then) * (0.5 * dt);
                ground.point += way;
                way
            }
        };
        if way == DVec3::ZERO {
            return false;
        }
        rise += scaling::length(way);
        let (contacts, touched) = (&mut self.walked.contacts, &mut self.touched);
        let carried = &mut CarriedSweep { world: &mut *mover.world, carrier: ground.object };
        let slide = slide_along(carried, &self.figure, start, way, skin, contacts, touched);
        self.place = slide.place;
        if !mover.world.is_free(&self.figure, self.place) {
            let carried = &mut CarriedSweep { world: &mut *mover.world, carrier: ground.object };
            let (raised, _) = advance(carried, &self.figure, self.place, up * rise, skin);
            if mover.world.is_free(&self.figure, raised) {
                let (lowered, _) = mover.advance(raised, self.place - raised);
                self.place = lowered;
            }
        }
        self.walked.carried = self.place - start;
        slide.place != start + way
    }

    /// On the ground; the time that is left where it is lost.
    fn go<W: Sweep + ?Sized>(&mut self, mover: &mut Mover<'_, W>, heading: DVec3, time: f64) -> f64 {
        let speed = scaling::length(heading);
        let longest = (0.5 * mover.figure.half_width() / speed).max(time / MOST_PIECES);
        let mut left = time;
        self.touched.clear();
        // Once also for no time, for the ground may have gone.
        while let Some(ground) = self.ground {
            let piece = left.min(longest);
            left -= self.piece(mover, heading, ground, piece);
            if !(0.0 < left) {
                break;
            }
        }
        left
    }

    /// A short time on the ground; the part of it after which the ground was lost, or all.
    fn piece<W: Sweep + ?Sized>(
        &mut self,
        mover: &mut Mover<'_, W>,
        heading: DVec3,
        ground: Ground,
        time: f64,
    ) -> f64 {
        let (start, mut ground) = (self.place, ground);
        let mut rest = time;
        let mut is_straight = true;
        self.velocity = DVec3::ZERO;
        for _ in 0..MOST_CONTACTS {
            self.touched.forget(self.place, mover.settings.skin);
            let velocity = self.velocity_on(&ground, heading, mover.up);
            self.velocity = velocity;
            if velocity == DVec3::ZERO || rest <= 0.0 {
                break;
            }
            let (place, hit) = mover.advance(self.place, velocity * rest);
            self.place = place;
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
            // The velocity of a hit is that in the world. The walk is relative to the ground.
            self.walked.contacts.push(Contact::of(&hit, velocity + ground.velocity));
            let second = flattened(hit.normal, mover.up).filter(|_| 0.0 <= hit.normal.dot(mover.up));
            self.touched.add(&hit, second, self.place);
        }
        self.walked.left += heading * rest.max(0.0);
        self.ground = Some(ground);
        self.stay(mover, heading, start, is_straight, time)
    }

    /// The velocity in the plane of the ground, into nothing that is touched.
    fn velocity_on(&mut self, ground: &Ground, heading: DVec3, up: DVec3) -> DVec3 {
        self.planes.clear();
        self.planes.extend(&self.touched.normals);
        // What it is wedged in was left out of these.
        self.planes.extend([ground.normal, -ground.normal]);
        nearest_allowed(ground.along(heading, up), &self.planes)
    }

    /// Over what was met; false where it is no step.
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
        let Some(step) = mover.step_up(self.place, ground, hit, heading, speed * *rest) else { return false };
        *rest -= step.forward / speed;
        self.borrowed += (-*rest).max(0.0);
        // On a ledge one step may take several calls.
        if mover.slack < step.climbed {
            self.walked.steps += 1;
            self.walked.climbed += step.climbed;
        }
        (self.place, *ground) = (step.place, step.ground);
        true
    }

    /// Settles on the ground, or finds out when it was lost: the time that was spent on it.
    fn stay<W: Sweep + ?Sized>(
        &mut self,
        mover: &mut Mover<'_, W>,
        heading: DVec3,
        start: DVec3,
        is_straight: bool,
        time: f64,
    ) -> f64 {
        let distance = mover.settings.snap_distance;
        if let Some((place, ground)) = mover.settle(self.place, distance, heading) {
            (self.place, self.ground) = (place, Some(ground));
            return time;
        }
        let mut spent = 1.0;
        let way = self.place - start;
        if is_straight && way != DVec3::ZERO {
            let mut safe = 0.0;
            for _ in 0..HALVINGS {
                let middle = 0.5 * (safe + spent);
                match mover.settle(start + way * middle, distance, heading) {
                    Some(_) => safe = middle,
                    None => spent = middle,
                }
            }
            self.place = start + way * spent;
        }
        // Whoever walks off the ground keeps its velocity.
        self.velocity += self.ground.take().map_or(DVec3::ZERO, |ground| ground.velocity);
        time * spent
    }

    /// In the air; the time that is left where ground was met.
    fn fall<W: Sweep + ?Sized>(&mut self, mover: &mut Mover<'_, W>, wish: DVec3, time: f64) -> f64 {
        let longest = AIR_PIECE.max(time / MOST_PIECES);
        let mut left = time;
        self.touched.clear();
        while 0.0 < left && self.ground.is_none() {
            let piece = left.min(longest);
            left -= self.air_piece(mover, wish, piece);
        }
        left
    }

    /// A short time in the air; the part of it after which ground was met, or all.
    fn air_piece<W: Sweep + ?Sized>(&mut self, mover: &mut Mover<'_, W>, wish: DVec3, time: f64) -> f64 {
        let up = mover.up;
        let (way, mut velocity) = self.flight(wish, up, mover.settings, time);
        if !way.is_finite() {
            // So is the place then, and the call is refused.
            self.place += way;
            return time;
        }
        let (start, mut rest) = (self.place, 1.0);
        for _ in 0..MOST_CONTACTS {
            self.touched.forget(self.place, mover.settings.skin);
            let along = nearest_allowed(way, &self.touched.normals) * rest;
            velocity = nearest_allowed(velocity, &self.touched.normals);
            if along == DVec3::ZERO {
                break;
            }
            let (place, hit) = mover.advance(self.place, along);
            self.place = place;
            let Some(hit) = hit.filter(|hit| !hit.starts_inside) else { break };
            rest *= 1.0 - hit.t;
            self.walked.contacts.push(Contact::of(&hit, velocity));
            if mover.is_gentle(hit.normal) && (velocity - hit.velocity).dot(hit.normal) <= 0.0 {
                // What was the fall is over; how fast it goes on the ground the wish says.
                self.velocity = DVec3::ZERO;
                self.ground = Some(Ground::of(&hit, GroundKind::Slope, hit.normal));
                return time * (1.0 - rest);
            }
            self.touched.add(&hit, mover.wall(hit.normal), self.place);
        }
        self.velocity = velocity;
        // Held by what is too steep on all sides.
        let is_held = scaling::length(self.place - start) <= mover.settings.skin
            && velocity.dot(up) <= 0.0
            && nearest_allowed(-up, &self.touched.normals) == DVec3::ZERO;
        if is_held && let Some((place, ground)) = mover.settle(self.place, 0.0, DVec3::ZERO) {
            (self.place, self.velocity, self.ground) = (place, DVec3::ZERO, Some(ground));
        }
        time
    }

    /// The way and the velocity at its end of a flight that meets nothing.
    fn flight(&self, wish: DVec3, up: DVec3, settings: &CharacterSettings, time: f64) -> (DVec3, DVec3) {
        let falling = self.velocity.dot(up);
        let level = self.velocity - up * falling;
        let end = (falling - settings.gravity * time).max(-settings.max_fall_speed).min(falling.max(0.0));
        let mut way = level * time + up * (0.5 * (falling + end) * time);
        let mut velocity = level + up * end;
        let change = wish - level;
        let needed = scaling::length(change) / settings.air_acceleration;
        if wish != DVec3::ZERO && 0.0 < needed && needed < f64::INFINITY {
            let turned = time.min(needed);
            way += change * (turned / needed * (time - 0.5 * turned));
            velocity += change * (turned / needed);
        }
        (way, velocity)
    }
}
