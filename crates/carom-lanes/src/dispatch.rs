//! Chooses the instruction set once per call of a whole loop.
//!
//! The processor is queried once, and the result is kept in one atomic byte. So the choice is a
//! load and a jump.
//!
//! Reference: RFC 2045 of the Rust language (`target_feature`). A function compiled with a feature
//! may be called only if the processor has it. It inlines functions that are `#[inline(always)]`.

use crate::imp;
use crate::kernel::Kernel;
use crate::lanes::Simd;
use crate::level::Level;
use core::sync::atomic::{AtomicU8, Ordering};

/// The level is not yet known, or none is forced.
const UNKNOWN: u8 = u8::MAX;

/// The best instruction set of this machine.
static DETECTED: AtomicU8 = AtomicU8::new(UNKNOWN);

/// The instruction set forced by a caller.
static FORCED: AtomicU8 = AtomicU8::new(UNKNOWN);

const ALL: [Level; 5] = [Level::Generic, Level::Sse2, Level::Avx2, Level::Neon, Level::Simd128];

/// Returns the best instruction set of this machine. Without the standard library it is the best
/// for which the build was compiled.
#[inline]
pub fn detected() -> Level {
    match DETECTED.load(Ordering::Relaxed) {
        known if (known as usize) < ALL.len() => ALL[known as usize],
        _ => detect(),
    }
}

/// Returns the instruction set that [`dispatch`] uses: the detected one, or the one set by
/// [`force_level`].
#[inline]
pub fn level() -> Level {
    match FORCED.load(Ordering::Relaxed) {
        forced if (forced as usize) < ALL.len() => ALL[forced as usize],
        _ => detected(),
    }
}

/// Makes [`dispatch`] use this instruction set in the whole process, or the detected one for
/// `None`. Returns false, without a change, if the machine lacks it. It also returns false for
/// [`Level::Generic`] without the feature `generic`, unless the build needs that level. It is for
/// tests and timing; results do not depend on the level.
pub fn force_level(wanted: Option<Level>) -> bool {
    match wanted {
        None => FORCED.store(UNKNOWN, Ordering::Relaxed),
        Some(Level::Generic) if !HAS_GENERIC => return false,
        Some(level) if has(level) => FORCED.store(level as u8, Ordering::Relaxed),
        Some(_) => return false,
    }
    true
}

/// Whether [`dispatch`] can choose the generic level, whose loops are the larger half of all code.
const HAS_GENERIC: bool = cfg!(any(
    feature = "generic",
    not(any(
        target_arch = "x86_64",
        all(target_arch = "aarch64", target_feature = "neon"),
        all(target_arch = "wasm32", target_feature = "simd128")
    ))
));

/// Runs the kernel with the instruction set of [`level`].
#[inline]
pub fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(feature = "generic")]
    return run_on(level(), kernel);
    #[cfg(not(feature = "generic"))]
    run_better(level(), kernel)
}

/// Runs the kernel with this instruction set, or the generic one if the machine lacks it.
#[inline]
pub fn dispatch_on<K: Kernel>(level: Level, kernel: K) -> K::Output {
    run_on(if has(level) { level } else { Level::Generic }, kernel)
}

/// Whether the machine has this instruction set.
fn has(level: Level) -> bool {
    level == Level::Generic || level == detected() || (level == Level::Sse2 && detected() == Level::Avx2)
}

#[cold]
fn detect() -> Level {
    let level = imp::best();
    DETECTED.store(level as u8, Ordering::Relaxed);
    level
}

/// Runs the kernel with this level. The caller has checked `has(level)`.
#[inline(always)]
fn run_on<K: Kernel>(level: Level, kernel: K) -> K::Output {
    if level == Level::Generic { run_apart(kernel, imp::generic::Generic) } else { run_better(level, kernel) }
}

/// Runs the kernel with this level, or the baseline of the build for [`Level::Generic`]. The
/// caller has checked `has(level)`.
#[inline(always)]
fn run_better<K: Kernel>(level: Level, kernel: K) -> K::Output {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => {
            // SAFETY: `has(Level::Avx2)` is true only after `Avx2::new` has returned a token.
            unsafe { imp::avx2::run(kernel) }
        }
        _ => run_apart(kernel, imp::BASELINE),
    }
}

/// Runs the kernel in a function of its own. Without optimization each loop keeps its values on
/// the stack. So without this function the caller would reserve stack for the loops of all levels.
#[inline(never)]
fn run_apart<K: Kernel, S: Simd>(kernel: K, simd: S) -> K::Output {
    kernel.run(simd)
}
