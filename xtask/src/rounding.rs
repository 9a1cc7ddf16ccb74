//! Checks that the library crates call no operation whose rounding differs between targets.
//!
//! Operators are calls of trait methods. Neither the source text nor clippy gives their types. The
//! compiler's intermediate form has both, so it is written for every library crate and searched.

use crate::Error;
use crate::metadata::Package;
use crate::step::{End, cargo};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

/// Functions of glam's SIMD types that only store or convert, the same on all targets.
const EXACT: [&str; 14] = [
    "Quat::from_xyzw",
    "Quat::from_array",
    "Quat::to_array",
    "Quat::from_mat3",
    "Quat::conjugate",
    "Quat::is_finite",
    "Quat::as_dquat",
    "Quat::xyz",
    "Mat4::col",
    "Mat4::row",
    "Vec4::as_dvec4",
    "Vec4::is_finite",
    "Vec4::to_array",
    "Affine3A::is_finite",
];

/// Operators of glam's SIMD types whose rounding differs: products of rotations, but not sums of
/// vectors.
const OPERATORS: [&str; 4] = ["Mul<", "Mul>", "MulAssign<", "MulAssign>"];

/// glam's types that have SIMD code.
const SIMD: [&str; 7] = ["Quat", "Vec3A", "Vec4", "Mat2", "Mat3A", "Mat4", "Affine3A"];

/// Functions of the platform's mathematical library, which differ in the last digit.
const PLATFORM: [&str; 22] = [
    "sin", "cos", "tan", "sin_cos", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "exp2",
    "exp_m1", "ln", "ln_1p", "log", "log2", "log10", "powf", "cbrt", "hypot",
];

/// Functions of glam's `f64` rotations that take sines from the platform.
const SINES: [&str; 9] = [
    "from_axis_angle",
    "from_scaled_axis",
    "from_rotation_",
    "from_euler",
    "from_scale_rotation",
    "slerp",
    "to_axis_angle",
    "to_euler",
    "rotate_towards",
];

/// Compiles the library crates to the compiler's intermediate form and searches it.
pub(crate) fn check(root: &Path, packages: &[Package]) -> Result<End, Error> {
    let target = root.join("target").join("rounding");
    let libraries: Vec<&Package> = packages.iter().filter(|package| package.is_library()).collect();
    let names: String = libraries.iter().map(|package| format!(" -p {}", package.name)).collect();
    let plain = "--config profile.dev.opt-level=0 --config profile.dev.package.\"*\".opt-level=0";
    let environment = [
        ("CARGO_TARGET_DIR", target.to_string_lossy().into_owned()),
        ("RUSTFLAGS", "--emit=mir".to_string()),
    ];
    let environment = environment.each_ref().map(|(key, value)| (*key, value.as_str()));
    if let End::Failed(report) =
        cargo(root, &format!("check --quiet --all-features {plain}{names}"), &environment)?
    {
        return Ok(End::Failed(report));
    }
    let newest = newest(&target.join("debug/deps"))?;
    let mut found = Vec::new();
    for package in &libraries {
        let name = package.name.replace('-', "_");
        let Some((_, path)) = newest.get(&name) else {
            return Ok(End::Failed(format!("{} was not compiled", package.name)));
        };
        let text = std::fs::read_to_string(path)?;
        found.extend(offenders(&text).into_iter().map(|call| format!("{}: {call}", package.name)));
    }
    Ok(if found.is_empty() {
        End::Passed(format!("{} crates", libraries.len()))
    } else {
        End::Failed(format!("use carom_math::rotation or carom_math::ops in place of\n{}", found.join("\n")))
    })
}

type Written = (SystemTime, std::path::PathBuf);

/// Returns the latest file of each crate.
fn newest(folder: &Path) -> Result<BTreeMap<String, Written>, Error> {
    let mut newest = BTreeMap::<String, Written>::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let file = entry.file_name().to_string_lossy().into_owned();
        let Some((name, _)) = file.strip_suffix(".mir").and_then(|stem| stem.rsplit_once('-')) else {
            continue;
        };
        let written = (entry.metadata()?.modified()?, entry.path());
        let last = newest.entry(name.to_string()).or_insert_with(|| written.clone());
        if last.0 < written.0 {
            *last = written;
        }
    }
    Ok(newest)
}

/// Returns the calls whose rounding differs, with the functions that contain them.
fn offenders(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut function = "";
    for line in text.lines() {
        if line.starts_with("fn ") || line.starts_with("const ") || line.starts_with("static ") {
            function = line.split('(').next().unwrap_or(line);
        }
        let Some((_, call)) = line.split_once(" = ") else { continue };
        if call.contains(") -> [") && differs(call) {
            found.push(format!("{} in {function}", call.split(") -> [").next().unwrap_or(call)));
        }
    }
    found
}

fn differs(call: &str) -> bool {
    // The called function, without its arguments.
    let name = call.split(['(']).next().unwrap_or(call);
    let rounds = |word: &str| {
        let of_type = format!("{word}::");
        let is_exact = EXACT.iter().any(|exact| at_word(name, exact).next().is_some());
        let is_method = name.starts_with(|c: char| c != '<') && at_word(name, &of_type).next().is_some();
        let as_operator = format!("{word} as ");
        let is_operator = at_word(name, &as_operator)
            .any(|at| OPERATORS.iter().any(|operator| name[at + as_operator.len()..].starts_with(operator)));
        (is_method && !is_exact && !is_plain(name, &of_type)) || is_operator
    };
    let is_platform = PLATFORM.iter().any(|function| {
        ["<impl f32>", "<impl f64>"].iter().any(|number| name.ends_with(&format!("{number}::{function}")))
    });
    let is_sine = ["DQuat::", "DMat3::", "DMat4::", "DVec3::", "Mat3::", "Vec3::", "Vec2::", "DVec2::"]
        .iter()
        .flat_map(|word| at_word(name, word).map(|at| &name[at + word.len()..]))
        .any(|method| {
            method.starts_with("rotate_")
                || SINES.iter().any(|sine| method.starts_with(sine)) && method != "from_rotation_axes"
        });
    is_platform || is_sine || SIMD.iter().any(|word| rounds(word))
}

/// Whether the type is only an argument of another one, as in `Vec::<Quat>::push`.
fn is_plain(name: &str, of_type: &str) -> bool {
    at_word(name, of_type).all(|at| name[..at].ends_with('<'))
}

/// Returns the places at which `word` begins and is not the end of a longer name.
fn at_word<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.match_indices(word)
        .map(|(at, _)| at)
        .filter(|at| !text[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_offender(call: &str) -> bool {
        !offenders(&format!("fn f(_1: Quat) -> Quat {{\n    _2 = {call}(copy _1) -> [return: bb1];\n"))
            .is_empty()
    }

    #[test]
    fn sees_operators_methods_and_sines() {
        for call in [
            "<carom_math::Quat as Mul<carom_math::Vec3>>::mul",
            "<Quat as Mul>::mul",
            "<glam::Quat as MulAssign>::mul_assign",
            "carom_math::Quat::normalize",
            "Quat::from_rotation_arc",
            "Quat::dot",
            "Vec3A::normalize",
            "Vec4::dot",
            "glam::Mat4::inverse",
            "<Mat3A as Mul<Vec3A>>::mul",
            "std::f64::<impl f64>::sin",
            "core::f32::<impl f32>::powf",
            "DQuat::from_scaled_axis",
            "glam::Mat3::from_rotation_x",
        ] {
            assert!(is_offender(call), "{call}");
        }
    }

    #[test]
    fn lets_exact_and_scalar_operations_pass() {
        for call in [
            "carom_math::Quat::from_xyzw",
            "<carom_math::Quat as PartialEq>::eq",
            "<carom_math::Quat as Deref>::deref",
            "<DQuat as Mul<DVec3>>::mul",
            "DQuat::normalize",
            "<Mat3 as Mul<Vec3>>::mul",
            "Vec3::normalize_or",
            "std::f64::<impl f64>::sqrt",
            "libm::sin",
            "rotation::mul",
            "std::option::Option::<Quat>::Some",
        ] {
            assert!(!is_offender(call), "{call}");
        }
    }
}
