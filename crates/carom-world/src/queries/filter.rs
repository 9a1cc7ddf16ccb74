//! The filter of queries.
//!
//! Reference: E. Catto, Box2D 3.1, `b2QueryFilter`, 2025; rapier 0.36, `QueryFilter`.

use crate::bodies::traits::Traits;
use crate::{BodyId, ColliderId, ColliderRef, Filter};
use carom_broad::{BroadPhase, Groups, Mobility};

/// A selection of colliders for [`World::query`](crate::World::query). Each collider is tested
/// separately, so a body is found if any of its colliders passes (test:
/// `filters::each_collider_by_itself`).
///
/// ```
/// use carom_world::{BodyId, QueryFilter, Groups};
///
/// let players = Groups::from_bits_retain(2);
/// let mine: [BodyId; 0] = [];
/// let targets = QueryFilter::DYNAMIC.with_mask(players).without(&mine);
/// # let _ = targets;
/// ```
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct QueryFilter<'a> {
    /// Colliders that collide with this filter are found. The default is in all groups, and its
    /// mask has all groups. A collider without a group, or with an empty mask, is not found.
    pub filter: Filter,
    /// The mobilities of bodies that are found.
    pub mobilities: &'a [Mobility],
    /// Whether colliders that are not sensors are found.
    pub solids: bool,
    /// Whether sensors are found.
    pub sensors: bool,
    /// Bodies that are not found.
    pub excluded_bodies: &'a [BodyId],
    /// Colliders that are not found.
    pub excluded_colliders: &'a [ColliderId],
    /// Called last. If it returns false, the collider is not found.
    pub predicate: Option<&'a (dyn Fn(ColliderId) -> bool + Sync)>,
}

impl<'a> QueryFilter<'a> {
    /// All colliders except sensors. This is the default.
    pub const SOLID: QueryFilter<'static> = QueryFilter { sensors: false, ..QueryFilter::ALL };
    /// Solid colliders of fixed bodies.
    pub const FIXED: QueryFilter<'static> =
        QueryFilter { mobilities: &[Mobility::Fixed], ..QueryFilter::SOLID };
    /// Solid colliders of dynamic bodies.
    pub const DYNAMIC: QueryFilter<'static> =
        QueryFilter { mobilities: &[Mobility::Dynamic], ..QueryFilter::SOLID };
    /// Sensors alone.
    pub const SENSORS: QueryFilter<'static> = QueryFilter { solids: false, ..QueryFilter::ALL };
    /// All colliders.
    pub const ALL: QueryFilter<'static> = QueryFilter {
        filter: Filter::new(Groups::all(), Groups::all()),
        mobilities: &[Mobility::Fixed, Mobility::Kinematic, Mobility::Dynamic],
        solids: true,
        sensors: true,
        excluded_bodies: &[],
        excluded_colliders: &[],
        predicate: None,
    };

    /// Restricts the selection to the colliders with which a collider with this filter collides.
    #[must_use]
    pub const fn with_filter(self, filter: Filter) -> QueryFilter<'a> {
        QueryFilter { filter, ..self }
    }

    /// Restricts the selection to colliders in one of these groups.
    #[must_use]
    pub const fn with_mask(self, mask: Groups) -> QueryFilter<'a> {
        QueryFilter { filter: Filter { mask, ..self.filter }, ..self }
    }

    /// Excludes these bodies.
    #[must_use]
    pub const fn without(self, bodies: &'a [BodyId]) -> QueryFilter<'a> {
        QueryFilter { excluded_bodies: bodies, ..self }
    }

    /// Excludes these colliders.
    #[must_use]
    pub const fn without_colliders(self, colliders: &'a [ColliderId]) -> QueryFilter<'a> {
        QueryFilter { excluded_colliders: colliders, ..self }
    }

    /// Restricts the selection to colliders for which `predicate` is true. It may read the queried
    /// world, and may be called several times for a collider.
    #[must_use]
    pub const fn with_predicate(self, predicate: &'a (dyn Fn(ColliderId) -> bool + Sync)) -> QueryFilter<'a> {
        QueryFilter { predicate: Some(predicate), ..self }
    }

    /// Whether the collider passes.
    pub fn passes<B: BroadPhase>(&self, collider: &ColliderRef<'_, B>) -> bool {
        let id = collider.id();
        let body = collider.body();
        body.is_enabled() && self.may_find(id.body, body.mobility()) && self.finds(id, collider.traits())
    }

    /// Whether colliders of an enabled body may pass.
    pub(crate) fn may_find(&self, body: BodyId, mobility: Mobility) -> bool {
        self.mobilities.contains(&mobility) && !self.excluded_bodies.contains(&body)
    }

    /// Whether a collider passes, if its body may.
    pub(crate) fn finds(&self, id: ColliderId, traits: &Traits) -> bool {
        (if traits.is_sensor { self.sensors } else { self.solids })
            && self.filter.meets(&traits.user_filter())
            && !self.excluded_colliders.contains(&id)
            && self.predicate.is_none_or(|predicate| predicate(id))
    }
}

impl Default for QueryFilter<'_> {
    fn default() -> Self {
        QueryFilter::SOLID
    }
}

impl core::fmt::Debug for QueryFilter<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let QueryFilter { filter, mobilities, solids, sensors, .. } = self;
        f.debug_struct("QueryFilter")
            .field("filter", filter)
            .field("mobilities", mobilities)
            .field("solids", solids)
            .field("sensors", sensors)
            .field("excluded_bodies", &self.excluded_bodies)
            .field("excluded_colliders", &self.excluded_colliders)
            .finish_non_exhaustive()
    }
}
