//! The compiler for other targets, which `.ci/run` unpacks beside the installed one.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Arguments of cargo that compile a program of the profile `golden` and glam with `simd128` for
/// wasm, and leave the standard library as it is: modules with and without it share that.
pub(crate) const WITH_SIMD128: &str = "-Zprofile-rustflags \
    --config profile.golden.rustflags=[\"-Ctarget-feature=+simd128\"] \
    --config profile.golden.package.\"*\".rustflags=[] \
    --config profile.golden.package.glam.rustflags=[\"-Ctarget-feature=+simd128\"]";

/// The folder of all builds of the profile `golden` for wasm, below that of the workspace.
pub(crate) const WASM_FOLDER: &str = "target/golden/wasm32";

/// A compiler whose package has the sources of the standard library, so that cargo can build it for
/// any target.
#[derive(Clone)]
pub(crate) struct CrossCompiler {
    folder: PathBuf,
    /// The linker of the installed toolchain, for wasm.
    pub(crate) linker: PathBuf,
}

impl CrossCompiler {
    /// Finds the compiler. The error says what is missing.
    pub(crate) fn find(root: &Path) -> Result<CrossCompiler, String> {
        let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
        let folder =
            std::env::var_os("CAROM_CROSS").map_or_else(|| home.join(".cache/carom-cross"), PathBuf::from);
        if !folder.join("usr/bin/rustc").is_file() {
            return Err("no compiler with the sources of std; .ci/run unpacks one".to_string());
        }
        let sysroot = Command::new("rustc").current_dir(root).args(["--print", "sysroot"]).output();
        let sysroot = sysroot.map_err(|error| format!("rustc: {error}"))?;
        let sysroot = PathBuf::from(String::from_utf8_lossy(&sysroot.stdout).trim());
        Ok(CrossCompiler {
            folder,
            linker: sysroot.join("lib/rustlib/x86_64-unknown-linux-gnu/bin/rust-lld"),
        })
    }

    /// Returns what cargo's environment must have to use the compiler.
    pub(crate) fn environment(&self) -> [(&'static str, String); 3] {
        let library = self.folder.join("usr/lib");
        [
            ("RUSTC", self.folder.join("usr/bin/rustc").display().to_string()),
            ("RUSTC_BOOTSTRAP", "1".to_string()),
            ("LD_LIBRARY_PATH", format!("{0}/x86_64-linux-gnu:{0}/llvm-22/lib", library.display())),
        ]
    }
}
