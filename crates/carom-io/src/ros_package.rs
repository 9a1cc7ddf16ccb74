//! The files of meshes that a robot names: relative to its own file, or in packages of ROS.
//!
//! A package is a folder with a package.xml. Its name stands there; the folder may have another
//! one, such as that of a clone. Packages are searched upwards from the robot's file.
//!
//! Reference: Open Robotics, REP 149 (package.xml), URDF XML specification, element mesh.
//! Differs: no search path of an installation, so that an answer depends on files around the robot
//! alone.

use crate::files;
use crate::limits::MAX_FILE_BYTES;
use crate::xml_tree::Tree;
use std::path::{Path, PathBuf};

/// The file of a mesh.
pub(crate) struct MeshFile {
    pub(crate) file: PathBuf,
    /// The folder in which it must lie.
    pub(crate) root: PathBuf,
    /// How the file was guessed, if the name does not tell it.
    pub(crate) note: Option<String>,
}

/// Returns the file of a mesh.
///
/// A name is relative to the URDF file, or `package://NAME/...`. Folders named like the package are
/// searched upwards from the URDF file. Such a folder counts if it contains the URDF file or has a
/// package.xml. Otherwise the file is searched in the URDF file's own package, if that has this
/// name or none. If it has none, a note says so.
pub(crate) fn find(name: &str, urdf: &Path, is_free: bool) -> Result<MeshFile, String> {
    let folder = urdf.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    let own = own_package(&absolute);
    let Some(in_package) = name.strip_prefix("package://").or_else(|| name.strip_prefix("model://")) else {
        if let Some((scheme, _)) = name.split_once("://").filter(|(scheme, _)| *scheme != "file") {
            return Err(format!("{name}: {scheme} is not read"));
        }
        let file = folder.join(name.strip_prefix("file://").unwrap_or(name));
        return Ok(MeshFile { file, root: own, note: None });
    };
    let (package, rest) = in_package.split_once('/').unwrap_or(("", in_package));
    if package.is_empty() || package.starts_with('.') {
        return Err(format!("{name}: {package:?} is not the name of a package"));
    }
    for above in absolute.ancestors() {
        let root = above.join(package);
        let is_package = absolute.starts_with(&root) || is_free || root.join("package.xml").is_file();
        if is_package && root.join(rest).is_file() {
            return Ok(MeshFile { file: root.join(rest), root, note: None });
        }
    }
    let own_name = stated_name(&own);
    if let Some(other) = own_name.as_ref().filter(|own_name| *own_name != package) {
        return Err(format!("{name}: there is no such file around the robot, whose package is {other}"));
    }
    for above in absolute.ancestors().filter(|above| is_free || above.starts_with(&own)) {
        if above.join(rest).is_file() {
            let is_guess = own_name.is_none();
            let note = is_guess.then(|| format!("{name} is read from the folder of the robot"));
            return Ok(MeshFile { file: above.join(rest), root: own, note });
        }
    }
    Err(format!("{name}: there is no such file around the robot"))
}

/// Returns the folder of the URDF file's package. It is the nearest one with a package.xml, else
/// the parent of a folder named urdf, else the file's own folder.
fn own_package(folder: &Path) -> PathBuf {
    let with_manifest = folder.ancestors().find(|above| above.join("package.xml").is_file());
    let is_urdf = folder.file_name().is_some_and(|name| name == "urdf");
    let above = folder.parent().filter(|_| is_urdf);
    with_manifest.or(above).unwrap_or(folder).to_path_buf()
}

/// Returns the name that a package states of itself; `None` without a package.xml that does.
fn stated_name(package: &Path) -> Option<String> {
    let bytes = files::read_regular(&package.join("package.xml"), MAX_FILE_BYTES).ok()?;
    let text = core::str::from_utf8(&bytes).ok()?;
    let tree = Tree::parse(text).ok()?;
    let name = tree.root().child("name")?.text().trim().to_owned();
    Some(name).filter(|name| !name.is_empty())
}
