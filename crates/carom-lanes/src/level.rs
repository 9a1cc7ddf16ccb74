//! The names of the instruction sets.

/// The instruction sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Level {
    /// Plain Rust, on any machine.
    Generic,
    /// The baseline of x86-64: four lanes in one register.
    Sse2,
    /// AVX2 with BMI1, BMI2, LZCNT and POPCNT: eight lanes in one register.
    Avx2,
    /// The baseline of AArch64: four lanes in one register.
    Neon,
    /// The vectors of WebAssembly, if the build has the feature `simd128`: four lanes.
    Simd128,
}
