//! Loads: bodies that carry many times their own weight, and how the solver stays stable with them.
//!
//! With one iteration per substep, the contact of a light body m under a heavy one M acts as a
//! spring of stiffness m / h^2. This has four effects, each with its remedy:
//!
//! 1. The push-out speed stays in the impulse from substep to substep, so it is integrated. With
//!    w^2 = m / (M h^2) and the push-out rate b: s^3 + w^2 s + w^2 b = 0. From a load of about 2 /
//!    (b h) on, this oscillates and grows. A loaded impulse therefore leaks at the rate b, which
//!    damps it.
//! 2. The heavy body sinks by (M / m) g h^2, and a column buckles at a load of about 1 / (4 g h^2).
//!    The next step of a loaded world has more and shorter substeps.
//! 3. The springs of a stack are softer in a long step than in a short one. If long and short
//!    steps alternate, the stack swings until it falls. So a short step after a long one has fewer
//!    substeps, of about the same length (test:
//!    `stacks::a_stack_sleeps_under_steps_of_two_lengths`).
//! 4. Joints are springs of that kind, too. A chain whose links carry 300 times their mass counts
//!    as loaded from the start, because a spring that becomes stiffer later gives energy
//!    (test: `chains::a_heavy_load_stretches_a_chain_little_at_any_rate`).
//!
//! Reference: E. Catto, Solver2D, box2d.org, 2024 (soft contacts leak).
//! Differs: only loaded contacts leak. If all contacts leaked, a pile would keep creeping.
//! Tried: pushing a loaded contact more slowly instead. A stack of 1:1000 rests in 0.3 s, but boxes
//! in a press do not share what it takes, and a body deep in several blocks stays there.

use crate::impulses::group::Group;
use crate::joints::mass::MAX_RATIO;
use crate::settings::SolverSettings;
use crate::sleep::island::Islands;
use alloc::collections::BTreeMap;
use carom_lanes::{F32Lanes, MaskLanes, Simd};
use carom_math::{Real, ops};

/// The part of the stability limit at which leaking begins. It is complete at twice this load.
const LEAK_FROM: f32 = 2.0 / 3.0;

/// The part of the stability limit from which a body counts as loaded.
const LOADED_FROM: f32 = 0.5;

/// The least stability limit: the load of an ordinary pile, for any number of substeps.
const MIN_LOAD_LIMIT: f32 = 30.0;

/// The least acceleration that is used as the unit of loads, in units of length.
const MIN_GRAVITY: f32 = 0.1;

/// The depth by which a loaded body may sink, in units of length. It determines the number of
/// substeps.
const SINK_DEPTH: f32 = 0.007;

/// A large island is loaded if at least one in this many of its bodies is.
const LOADED_BODY_SPACING: usize = 4;

/// An island of at most this many bodies is loaded if any of its bodies is.
const SMALL_ISLAND: usize = 16;

/// The upper bound of a load.
const MAX_LOAD: Real = 1e9;

/// Factor by which the load decays in a step without it.
const LOAD_DECAY: Real = 0.98;

/// Factor by which the longest length decays in a step. So a single long step matters only for a
/// few steps.
const LENGTH_DECAY: Real = 0.8;

/// The rounding of a ratio of lengths, times the number of substeps.
const LENGTH_ROUNDING: Real = 1e-3;

/// The scale of loads for the substeps of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoadScale {
    /// The inverse of the impulse of gravity on a unit mass in a substep.
    unit: f32,
    /// The load at the stability limit, as a multiple of the body's own weight.
    limit: f32,
    /// The part of its impulse that a fully loaded contact loses in a substep.
    most_leak: f32,
}

/// Returns the acceleration that is the unit of loads.
fn gravity_of(settings: &SolverSettings) -> f32 {
    settings.gravity.length().max(MIN_GRAVITY * settings.length_unit)
}

impl LoadScale {
    /// Returns the scale for substeps of length `h`.
    pub(crate) fn new(settings: &SolverSettings, h: f32) -> LoadScale {
        let rate = settings.push_out_rate.min(0.25 / h);
        LoadScale {
            unit: 1.0 / (gravity_of(settings) * h),
            limit: (2.0 / (rate * h).max(f32::MIN_POSITIVE)).max(MIN_LOAD_LIMIT),
            most_leak: rate * h,
        }
    }

    /// Writes the load of the lanes into a group. `carried` are their impulses of a substep.
    #[inline(always)]
    pub(crate) fn write<S: Simd>(&self, simd: S, group: &mut Group, carried: S::F32x8) {
        let splat = S::F32x8::splat;
        let (zero, one) = (splat(simd, 0.0), splat(simd, 1.0));
        let mass_a = S::F32x8::load(simd, &group.inverse_mass_a);
        let mass_b = S::F32x8::load(simd, &group.inverse_mass_b);
        let load = carried * mass_a.max(mass_b) * splat(simd, self.unit / self.limit);
        group.is_loaded = splat(simd, LOADED_FROM).lt(load).any();
        // Contacts with a body that cannot move do not leak.
        let of_two = S::F32x8::select(zero.lt(mass_a.min(mass_b)), load, zero);
        let share = (of_two * splat(simd, 1.0 / LEAK_FROM) - one).max(zero).min(one);
        (share * splat(simd, self.most_leak)).store(&mut group.leak);
    }

    /// Returns, for each lane, how many times its own weight the lighter body carries.
    fn loads(&self, group: &Group) -> [f32; 8] {
        core::array::from_fn(|lane| {
            let points = &group.points[..usize::from(group.n_points)];
            let carried: f32 = points.iter().map(|point| point.impulse[lane]).sum();
            let are_both_movable = 0.0 < group.inverse_mass_a[lane].min(group.inverse_mass_b[lane]);
            let carried = if are_both_movable { carried } else { 0.0 };
            carried * group.inverse_mass_a[lane].max(group.inverse_mass_b[lane]) * self.unit
        })
    }
}

/// The load of the world and the length of its steps, from step to step.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct WorldLoad {
    /// The load of the last step.
    last: Real,
    /// The load that is used. It was present in two steps in a row, and decays slowly.
    held: Real,
    /// The length of the longest of the last steps, which decays.
    longest: Real,
}

impl WorldLoad {
    /// Updates the load after a step. It is the largest load of an island that is small, or in
    /// which many bodies are loaded. So a few loaded bodies in a large pile do not count.
    ///
    /// `jointed` has the root of the island of each body whose joints carry [`MAX_RATIO`] times its
    /// mass.
    pub(crate) fn note(
        &mut self,
        groups: &[Group],
        jointed: impl Iterator<Item = u32>,
        scale: &LoadScale,
        islands: &Islands,
    ) {
        let mut islands_loaded: BTreeMap<u32, (usize, Real)> = BTreeMap::new();
        let mut add = |root: u32, load: Real| {
            let (n, max_load) = islands_loaded.entry(root).or_default();
            (*n, *max_load) = (*n + 1, max_load.max(load));
        };
        jointed.for_each(|root| add(root, MAX_RATIO));
        for group in groups.iter().filter(|group| group.is_loaded) {
            for (lane, load) in scale.loads(group).into_iter().enumerate() {
                if LOADED_FROM * scale.limit < load {
                    let sides = [(group.movable_a, group.body_a), (group.movable_b, group.body_b)];
                    let movable = sides.into_iter().find(|(bits, _)| bits >> lane & 1 == 1);
                    let Some(root) = movable.map(|(_, body)| islands.roots()[body[lane] as usize]) else {
                        continue;
                    };
                    add(root, load);
                }
            }
        }
        let counts = |(&root, &(n, max_load)): (&u32, &(usize, Real))| {
            let size = islands.size(root);
            (size <= SMALL_ISLAND || size <= LOADED_BODY_SPACING * n).then_some(max_load)
        };
        let load = islands_loaded.iter().filter_map(counts).fold(0.0, Real::max).min(MAX_LOAD);
        self.held = (LOAD_DECAY * self.held).max(load.min(self.last));
        self.last = load;
    }

    /// Whether all numbers are in the range that a step can produce.
    pub(crate) fn is_sound(&self) -> bool {
        [self.last, self.held].iter().all(|load| (0.0..=MAX_LOAD).contains(load))
            && 0.0 <= self.longest
            && self.longest < Real::INFINITY
    }

    /// Returns the number of substeps for a step of `dt`.
    pub(crate) fn substeps(&self, settings: &SolverSettings, dt: Real) -> u32 {
        let SolverSettings { substeps, max_load_factor, length_unit, .. } = *settings;
        let wanted =
            dt * ops::sqrt(f64::from(self.held * gravity_of(settings) / (SINK_DEPTH * length_unit))) as f32;
        let fewest = ops::ceil(f64::from(dt / self.longest_until(dt) * substeps as Real - LENGTH_ROUNDING));
        // The casts saturate: NaN and values out of range become the nearest bound.
        let fewest = (fewest as u32).clamp(1, substeps);
        (ops::ceil(f64::from(wanted)) as u32).clamp(fewest, substeps.saturating_mul(max_load_factor))
    }

    /// Begins a step of `dt`. Returns its number of substeps.
    pub(crate) fn begin(&mut self, settings: &SolverSettings, dt: Real) -> u32 {
        let n_substeps = self.substeps(settings, dt);
        self.longest = self.longest_until(dt);
        n_substeps
    }

    /// Returns the length of the longest of the last steps and a step of `dt`.
    fn longest_until(&self, dt: Real) -> Real {
        (LENGTH_DECAY * self.longest).max(dt)
    }
}
