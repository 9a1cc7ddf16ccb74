//! URDF robots at zero joint values: each link with geometry is a part, in the frame of the root link.
//!
//! Collision geometry is read where the robot has any, else visual geometry. Shapes other than meshes and boxes become
//! fine meshes, which is noted.
//!
//! Reference: Open Robotics, URDF XML specification, elements link and joint. Parsing by the crate `urdf-rs`.

use crate::error::{Place, ReadError};
use crate::part::{Model, Part, Piece, Placement, RawMesh};
use crate::{plain_xml, shapes};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use urdf_rs::{Geometry, Pose};

/// Reads the bytes of a URDF file and the meshes that it names.
pub fn parse(bytes: &[u8], path: &Path) -> Result<Model, ReadError> {
    let whole = |reason: String| ReadError::at(path, Place::File, reason);
    let text = core::str::from_utf8(bytes).map_err(|e| whole(format!("not text: {e}")))?;
    let text = plain_xml::plain(text).map_err(|e| whole(format!("not a valid URDF file: {e}")))?;
    let robot = urdf_rs::read_from_string(&text).map_err(|e| whole(format!("not a valid URDF file: {e}")))?;
    if robot.links.is_empty() {
        return Err(whole("no link: not a URDF file".to_owned()));
    }
    let poses = link_placements(&robot, path)?;
    let has_collision = robot.links.iter().any(|l| !l.collision.is_empty());
    let mut model = Model { unit: Some("m"), up: Some("z"), ..Model::new(Vec::new()) };
    let mut meshes: HashMap<PathBuf, Arc<RawMesh>> = HashMap::new();
    let mut n_approximated = 0;
    for (link, link_pose) in robot.links.iter().zip(&poses) {
        let at = |reason: String| ReadError::at(path, Place::Item(format!("link {}", link.name)), reason);
        let geometries: Vec<(&Pose, &Geometry)> = if has_collision {
            link.collision.iter().map(|c| (&c.origin, &c.geometry)).collect()
        } else {
            link.visual.iter().map(|v| (&v.origin, &v.geometry)).collect()
        };
        let mut pieces = Vec::new();
        for (origin, geometry) in geometries {
            let mut scale = [1.0; 3];
            let positive = |values: &[f64]| match values.iter().find(|v| !(0.0 < **v && v.is_finite())) {
                Some(v) => Err(at(format!("a size of {v}"))),
                None => Ok(()),
            };
            let mesh = match geometry {
                Geometry::Box { size } => {
                    positive(&size.0)?;
                    Arc::new(shapes::cuboid(size.0))
                }
                Geometry::Cylinder { radius, length } => {
                    positive(&[*radius, *length])?;
                    n_approximated += 1;
                    Arc::new(shapes::cylinder(*radius, *length))
                }
                Geometry::Capsule { radius, length } => {
                    positive(&[*radius])?;
                    if !(0.0 <= *length && length.is_finite()) {
                        return Err(at(format!("a length of {length}")));
                    }
                    n_approximated += 1;
                    Arc::new(shapes::capsule(*radius, *length))
                }
                Geometry::Sphere { radius } => {
                    positive(&[*radius])?;
                    n_approximated += 1;
                    Arc::new(shapes::capsule(*radius, 0.0))
                }
                Geometry::Mesh { filename, scale: factor } => {
                    if let Some(factor) = factor {
                        scale = factor.0;
                    }
                    if scale.iter().any(|s| *s == 0.0 || !s.is_finite()) {
                        return Err(at(format!("scale {scale:?}")));
                    }
                    let file = resolve(filename, path);
                    match meshes.get(&file) {
                        Some(mesh) => mesh.clone(),
                        None => {
                            let mesh = Arc::new(crate::read_mesh(&file)?);
                            meshes.insert(file, mesh.clone());
                            mesh
                        }
                    }
                }
            };
            let placement = link_pose.after(&placement(origin));
            Placement::checked(placement.0).map_err(at)?;
            pieces.push(Piece { mesh, scale, placement });
        }
        if !pieces.is_empty() {
            model.parts.push(Part { name: link.name.clone(), pieces });
        }
    }
    if 0 < n_approximated {
        model.notes.push(format!("{n_approximated} round shapes are read as fine meshes inside them"));
    }
    if model.parts.is_empty() {
        return Err(whole("no link has geometry".to_owned()));
    }
    Ok(model)
}

/// Where each link is in the frame of the root, all joints at zero.
fn link_placements(robot: &urdf_rs::Robot, path: &Path) -> Result<Vec<Placement>, ReadError> {
    let mut number: HashMap<&str, usize> = HashMap::new();
    for (i, link) in robot.links.iter().enumerate() {
        if number.insert(&link.name, i).is_some() {
            let place = Place::Item(format!("link {}", link.name));
            return Err(ReadError::at(path, place, "is there twice"));
        }
    }
    // For each link, its parent and the joint's origin.
    let mut parent: Vec<Option<(usize, Placement)>> = vec![None; robot.links.len()];
    for joint in &robot.joints {
        let at = |reason: String| ReadError::at(path, Place::Item(format!("joint {}", joint.name)), reason);
        let find =
            |name: &str| number.get(name).copied().ok_or_else(|| at(format!("there is no link {name}")));
        let (above, below) = (find(&joint.parent.link)?, find(&joint.child.link)?);
        if parent[below].replace((above, placement(&joint.origin))).is_some() {
            return Err(at(format!("link {} hangs on two joints", joint.child.link)));
        }
    }
    let mut placed: Vec<Option<Placement>> = vec![None; robot.links.len()];
    for start in 0..robot.links.len() {
        // Up to a link that is placed or the root, then down again.
        let mut chain = vec![];
        let mut link = start;
        let mut above = loop {
            match (placed[link], parent[link]) {
                (Some(placement), _) => break placement,
                (None, None) => {
                    placed[link] = Some(Placement::IDENTITY);
                    break Placement::IDENTITY;
                }
                (None, Some((next, _))) => {
                    if robot.links.len() <= chain.len() {
                        let place = Place::Item(format!("link {}", robot.links[start].name));
                        return Err(ReadError::at(path, place, "the joints form a cycle"));
                    }
                    chain.push(link);
                    link = next;
                }
            }
        };
        for link in chain.into_iter().rev() {
            if let Some((_, joint)) = parent[link] {
                above = above.after(&joint);
                placed[link] = Some(above);
            }
        }
    }
    Ok(placed.into_iter().map(|p| p.unwrap_or(Placement::IDENTITY)).collect())
}

/// Roll about x, then pitch about y, then yaw about z, then the translation.
fn placement(pose: &Pose) -> Placement {
    let [roll, pitch, yaw] = pose.rpy.0;
    let ((sr, cr), (sp, cp), (sy, cy)) = (roll.sin_cos(), pitch.sin_cos(), yaw.sin_cos());
    let [x, y, z] = pose.xyz.0;
    #[rustfmt::skip]
    let matrix = [
        cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, x,
        sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, y,
        -sp, cp * sr, cp * cr, z,
        0.0, 0.0, 0.0, 1.0,
    ];
    Placement(matrix)
}

/// A mesh's file name: relative to the URDF file, or `package://NAME/...` found in a folder above it.
fn resolve(name: &str, urdf: &Path) -> PathBuf {
    let folder = urdf.parent().unwrap_or(Path::new(""));
    let Some(in_package) = name.strip_prefix("package://") else {
        return folder.join(name.strip_prefix("file://").unwrap_or(name));
    };
    let (package, rest) = in_package.split_once('/').unwrap_or(("", in_package));
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    for above in absolute.ancestors() {
        // The folder above the package's, or the package's own under another name.
        for candidate in [above.join(package).join(rest), above.join(rest)] {
            if candidate.is_file() {
                return candidate;
            }
        }
    }
    folder.join(rest)
}
