//! Tests of the choice of the instruction set.

use carom_lanes::{Kernel, Level, Simd, detected, dispatch, dispatch_on, force_level, level};

struct Which;

impl Kernel for Which {
    type Output = Level;
    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> Level {
        S::LEVEL
    }
}

#[test]
fn a_forced_level_holds_until_it_is_taken_back() {
    assert_eq!(dispatch(Which), detected());
    let has_generic = cfg!(feature = "generic") || detected() == Level::Generic;
    assert_eq!(force_level(Some(Level::Generic)), has_generic);
    let expected = if has_generic { Level::Generic } else { detected() };
    assert_eq!((level(), dispatch(Which)), (expected, expected));
    assert!(force_level(None));
    assert_eq!(dispatch(Which), detected());
}

#[test]
fn what_the_machine_has_not_is_refused_or_generic() {
    let foreign = if cfg!(target_arch = "aarch64") { Level::Sse2 } else { Level::Neon };
    assert!(!force_level(Some(foreign)));
    assert_eq!(dispatch_on(foreign, Which), Level::Generic);
    assert_eq!(dispatch_on(detected(), Which), detected());
}

#[test]
#[cfg(target_arch = "x86_64")]
fn the_baseline_of_x86_is_always_there() {
    assert_eq!(dispatch_on(Level::Sse2, Which), Level::Sse2);
}
