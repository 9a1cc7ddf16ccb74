//! URDF robots. Each link with geometry is a part, in the frame of the root link, with all joints
//! at zero until [`Model::set_joints`] moves them.
//!
//! Collision geometry is read if the robot has any, else visual geometry. Cylinders, capsules and
//! spheres become inscribed meshes, with a note. Equal shapes share one mesh.
//!
//! Meshes whose files state a unit are scaled to metres, with a note.
//!
//! The error of a bad shape names the link and the file. With `keep_going` the other shapes are
//! read.
//!
//! Reference: Open Robotics, URDF XML specification, elements link and joint. The crate `quick-xml`
//! parses the XML.
//! Differs: not read by `urdf-rs`. That crate rejects a robot for one unknown geometry and does not
//! name the link.

use crate::error::{Location, ReadError};
use crate::files::Files;
use crate::limits::MAX_XML_DEPTH;
use crate::model::{Model, scale_on_robot};
use crate::part::{Flattening, Part, Piece, Placement, RawMesh, push_note};
use crate::robot::{RawJoint, Robot, USUAL_AXIS};
use crate::ros_package;
use crate::shapes;
use crate::xml::{Attributes, XACRO};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

/// Elements without a surface that robots, links and shapes have.
const NO_GEOMETRY: [&str; 11] = [
    "material",
    "inertial",
    "transmission",
    "gazebo",
    "ros2_control",
    "sensor",
    "contact",
    "verbose",
    "contact_coefficients",
    "safety_controller",
    "disable_collisions",
];

/// A shape of a link.
#[derive(Clone, Debug)]
enum Geometry {
    Box([f64; 3]),
    /// Radius, length.
    Cylinder([f64; 2]),
    /// Radius, length of the straight part.
    Capsule([f64; 2]),
    Sphere(f64),
    /// Name and scale.
    Mesh(String, [f64; 3]),
}

/// A shape with its origin, or the error in it.
#[derive(Debug)]
struct Shape {
    origin: Placement,
    geometry: Result<Geometry, String>,
}

#[derive(Debug, Default)]
struct Link {
    name: String,
    collision: Vec<Shape>,
    visual: Vec<Shape>,
}

impl Link {
    fn shapes(&self, has_collision: bool) -> &[Shape] {
        if has_collision { &self.collision } else { &self.visual }
    }
}

#[derive(Debug, Default)]
struct Document {
    name: String,
    links: Vec<Link>,
    joints: Vec<RawJoint>,
    /// Whether the current shape is visual geometry.
    is_visual: bool,
    /// Names of elements that are not understood.
    unknown: BTreeSet<String>,
}

/// Reads the bytes of a URDF file and the meshes that it names.
pub(crate) fn parse(bytes: &[u8], path: &Path, files: &mut Files<'_>) -> Result<Model, ReadError> {
    let whole = |reason: String| ReadError::at(path, Location::File, reason);
    let text = core::str::from_utf8(bytes).map_err(|e| whole(format!("not text: {e}")))?;
    let robot = read_robot(text).map_err(whole)?;
    if robot.links.is_empty() {
        return Err(whole("no link: not a URDF file".to_owned()));
    }
    let names = robot.links.iter().map(|link| link.name.clone()).collect();
    let mut notes = Vec::new();
    let mut tree = Robot::new(robot.name.clone(), names, &robot.joints, path, &mut notes)?;
    let has_collision = robot.links.iter().any(|l| !l.collision.is_empty());
    let mut model = Model { unit: Some("m"), metres: Some(1.0), up: Some("z"), ..Model::new(Vec::new()) };
    notes.into_iter().for_each(|note| push_note(&mut model.notes, note));
    let limit = files.options.triangle_limit(files.n_bytes());
    let mut meshes = Meshes::new(&robot.links, has_collision, limit);
    let mut n_repeated = 0;
    for (number, link) in robot.links.iter().enumerate() {
        let mut pieces = Vec::new();
        let mut known = HashSet::new();
        for (solid, shape) in (0..).zip(link.shapes(has_collision)) {
            match meshes.pieces(shape, path, files, &mut model.notes) {
                Ok((placed, unread)) => {
                    for what in unread {
                        push_note(&mut model.unread, format!("link {}: {what}", link.name));
                    }
                    // Shapes with the same first piece have the same file, and thus the same
                    // pieces.
                    let key = placed.first().map(|piece| {
                        let bits = (piece.scale.map(f64::to_bits), piece.placement.0.map(f64::to_bits));
                        (Arc::as_ptr(&piece.mesh), bits)
                    });
                    if !known.insert(key) {
                        n_repeated += 1;
                        continue;
                    }
                    let n = placed.iter().map(|piece| piece.mesh.triangles.len()).sum();
                    let counted = files.count_placed(n);
                    counted.map_err(|e| ReadError::at(path, Location::File, e))?;
                    pieces.extend(placed.into_iter().map(|piece| Piece { solid, ..piece }));
                }
                Err(e) if files.options.keep_going => {
                    push_note(&mut model.unread, format!("link {}: {e}", link.name));
                }
                Err(e) => return Err(ReadError::at(path, Location::Item(format!("link {}", link.name)), e)),
            }
        }
        if has_collision && link.collision.is_empty() && !link.visual.is_empty() {
            let note = format!(
                "link {} has visual geometry alone and is left out, as others have collision geometry",
                link.name
            );
            push_note(&mut model.notes, note);
        }
        if !pieces.is_empty() {
            tree.push_part(number, pieces.iter().map(|piece| piece.placement).collect());
            model.parts.push(Part { name: link.name.clone(), pieces });
        }
    }
    if 0 < meshes.n_round {
        let percent = 100.0 * shapes::inset(meshes.sides);
        let n = meshes.n_round;
        let what = if n == 1 {
            "1 round shape is read as a mesh inside it"
        } else {
            "round shapes are read as meshes inside them"
        };
        let number = if n == 1 { String::new() } else { format!("{n} ") };
        model.notes.push(format!("{number}{what}, by up to {percent:.2} % of the radius"));
    }
    if 0 < n_repeated {
        model.notes.push(format!("{n_repeated} shapes repeat others of their link and are read once"));
    }
    if !robot.unknown.is_empty() {
        let names: Vec<String> = robot.unknown.into_iter().collect();
        model.notes.push(format!("elements that are not understood: {}", names.join(", ")));
    }
    if model.parts.is_empty() {
        let why = model.unread.first().map_or(String::new(), |why| format!(": {why}"));
        return Err(whole(format!("no link has geometry{why}")));
    }
    let values = tree.values(&[]).map_err(|e| whole(e.to_string()))?;
    model.robot = Some(tree);
    model.set_joints(&values).map_err(|e| whole(e.to_string()))?;
    Ok(model)
}

/// Meshes that shapes share.
struct Meshes {
    /// The sides of a circle.
    sides: usize,
    n_round: usize,
    unit_box: Option<Arc<RawMesh>>,
    unit_cylinder: Option<Arc<RawMesh>>,
    /// Keyed by the bits of radius and length. A sphere is a scaled capsule of radius 1 and length
    /// 0.
    capsules: HashMap<[u64; 2], Arc<RawMesh>>,
}

impl Meshes {
    /// Chooses the most sides for circles with which the round shapes stay within nine tenths of
    /// `limit`.
    fn new(links: &[Link], has_collision: bool, limit: u64) -> Meshes {
        let (mut n_balls, mut n_cylinders) = (0_u64, 0_u64);
        for link in links {
            // A shape that repeats another one of its link is not placed.
            let mut known = HashSet::new();
            for shape in link.shapes(has_collision) {
                let (n, key) = match &shape.geometry {
                    Ok(Geometry::Sphere(radius)) => (&mut n_balls, [*radius, f64::NAN]),
                    Ok(Geometry::Capsule(sizes)) => (&mut n_balls, *sizes),
                    Ok(Geometry::Cylinder(sizes)) => (&mut n_cylinders, *sizes),
                    _ => continue,
                };
                let is_cylinder = matches!(shape.geometry, Ok(Geometry::Cylinder(_)));
                let indices = shape.origin.0.map(f64::to_bits);
                *n += u64::from(known.insert((is_cylinder, key.map(f64::to_bits), indices)));
            }
        }
        let n = |sides: usize| {
            n_balls * shapes::n_capsule_triangles(sides) + n_cylinders * shapes::n_cylinder_triangles(sides)
        };
        let [most, .., fewest] = shapes::SIDES;
        let sides = shapes::SIDES.into_iter().find(|sides| n(*sides) <= limit / 10 * 9).unwrap_or(fewest);
        Meshes {
            sides: if n(most) == 0 { most } else { sides },
            n_round: 0,
            unit_box: None,
            unit_cylinder: None,
            capsules: HashMap::new(),
        }
    }

    /// Returns the pieces of a shape in the frame of its link, and the unread objects of its file.
    fn pieces(
        &mut self,
        shape: &Shape,
        path: &Path,
        files: &mut Files<'_>,
        notes: &mut Vec<String>,
    ) -> Result<(Vec<Piece>, Vec<String>), String> {
        let placement = shape.origin;
        let sides = self.sides;
        let one = |mesh: &Arc<RawMesh>, scale: [f64; 3]| {
            Ok((vec![Piece { mesh: mesh.clone(), scale, placement, solid: 0 }], Vec::new()))
        };
        match shape.geometry.as_ref().map_err(String::clone)? {
            Geometry::Box(size) => {
                positive(size)?;
                one(self.unit_box.get_or_insert_with(|| Arc::new(shapes::cuboid([1.0; 3]))), *size)
            }
            Geometry::Cylinder([radius, length]) => {
                positive(&[*radius, *length])?;
                self.n_round += 1;
                let unit = || Arc::new(shapes::cylinder(1.0, 1.0, sides));
                one(self.unit_cylinder.get_or_insert_with(unit), [*radius, *radius, *length])
            }
            Geometry::Capsule([radius, length]) => {
                positive(&[*radius])?;
                if !(0.0 <= *length && length.is_finite()) {
                    return Err(format!("a length of {length}"));
                }
                self.n_round += 1;
                one(self.capsule(*radius, *length, files)?, [1.0; 3])
            }
            Geometry::Sphere(radius) => {
                positive(&[*radius])?;
                self.n_round += 1;
                one(self.capsule(1.0, 0.0, files)?, [*radius; 3])
            }
            Geometry::Mesh(name, scale) => {
                if let Some(s) = scale.iter().find(|s| !s.is_finite()) {
                    return Err(format!("a scale of {s}"));
                }
                let found = ros_package::find(name, path, files.options.allow_outside)?;
                let file = files.inside(found.file, &found.root)?;
                found.note.into_iter().for_each(|note| note_once(notes, note));
                let mesh = files.mesh(&file)?;
                let (metres, on_frame) = scale_on_robot(mesh.metres, mesh.up);
                let pieces = mesh.placed(scale.map(|s| s * metres), &placement);
                for note in on_frame {
                    note_once(notes, format!("{name}: {note}"));
                }
                for piece in &pieces {
                    match piece.flattening() {
                        Flattening::None => {}
                        Flattening::Harmless => {
                            push_note(notes, format!("{name}: a flat mesh is scaled by 0 across its plane"));
                        }
                        Flattening::Collapses(t) => {
                            return Err(format!(
                                "scale {scale:?} takes the area from triangle {t} of {name}"
                            ));
                        }
                    }
                }
                for note in mesh.take_notes() {
                    push_note(notes, note);
                }
                Ok((pieces, mesh.unread.clone()))
            }
        }
    }

    fn capsule(&mut self, radius: f64, length: f64, files: &mut Files<'_>) -> Result<&Arc<RawMesh>, String> {
        let key = [radius.to_bits(), length.to_bits()];
        if !self.capsules.contains_key(&key) {
            files.count_triangles(shapes::n_capsule_triangles(self.sides) as usize)?;
        }
        let made = || Arc::new(shapes::capsule(radius, length, self.sides));
        Ok(self.capsules.entry(key).or_insert_with(made))
    }
}

/// Adds a note that is not there yet.
fn note_once(notes: &mut Vec<String>, note: String) {
    if !notes.contains(&note) {
        push_note(notes, note);
    }
}

fn positive(values: &[f64]) -> Result<(), String> {
    match values.iter().find(|v| !(0.0 < **v && v.is_finite())) {
        Some(v) => Err(format!("a size of {v}")),
        None => Ok(()),
    }
}

/// The error of a shape until its geometry is read.
const NO_SHAPE: &str = "no geometry";

/// The kind of an open element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ElementKind {
    Document,
    Robot,
    Link,
    Joint,
    Shape,
    Geometry,
    /// An element whose content is ignored.
    Other,
}

fn read_robot(text: &str) -> Result<Document, String> {
    let mut reader = Reader::from_str(text);
    let mut robot = Document::default();
    let mut open = vec![ElementKind::Document];
    loop {
        let event = reader
            .read_event()
            .map_err(|e| format!("not a valid URDF file: byte {}: {e}", reader.error_position()))?;
        let inside = open.last().copied().unwrap_or(ElementKind::Document);
        let at_byte =
            |e: String| if e == XACRO { e } else { format!("byte {}: {e}", reader.buffer_position()) };
        match event {
            Event::Start(element) => {
                if MAX_XML_DEPTH < open.len() {
                    return Err(at_byte(format!("elements are nested deeper than {MAX_XML_DEPTH}")));
                }
                open.push(robot.start(&element, inside).map_err(at_byte)?);
            }
            Event::Empty(element) => {
                let kind = robot.start(&element, inside).map_err(at_byte)?;
                robot.end(kind).map_err(at_byte)?;
            }
            Event::End(_) => {
                open.pop();
                robot.end(inside).map_err(at_byte)?;
            }
            Event::Eof => break,
            _ => {}
        }
    }
    if 1 < open.len() {
        return Err("not a valid URDF file: the text ends inside of an element".to_owned());
    }
    Ok(robot)
}

impl Document {
    /// Handles the start of an element. Returns its kind.
    fn start(&mut self, element: &BytesStart<'_>, inside: ElementKind) -> Result<ElementKind, String> {
        let name = String::from_utf8_lossy(element.name().as_ref()).into_owned();
        if name.starts_with("xacro:") {
            return Err(XACRO.to_owned());
        }
        if inside == ElementKind::Other {
            return Ok(ElementKind::Other);
        }
        let attributes = Attributes::new(element)?;
        let kind = match (inside, name.as_str()) {
            (ElementKind::Document, "robot") => {
                self.name = attributes.get("name").unwrap_or_default().to_owned();
                ElementKind::Robot
            }
            (ElementKind::Robot, "link") => {
                self.links.push(Link { name: attributes.text("name")?, ..Link::default() });
                ElementKind::Link
            }
            (ElementKind::Robot, "joint") => {
                let kind = attributes.get("type").unwrap_or_default().to_owned();
                self.joints.push(RawJoint::new(attributes.text("name")?, kind));
                ElementKind::Joint
            }
            (ElementKind::Link, "collision" | "visual") => {
                if let Some(link) = self.links.last_mut() {
                    let list = if name == "visual" { &mut link.visual } else { &mut link.collision };
                    list.push(Shape { origin: Placement::IDENTITY, geometry: Err(NO_SHAPE.to_owned()) });
                }
                self.is_visual = name == "visual";
                ElementKind::Shape
            }
            (ElementKind::Joint, element) => {
                if let Some(joint) = self.joints.last_mut() {
                    let read = read_joint(element, &attributes, joint);
                    read.map_err(|e| format!("joint {}: {e}", joint.name))?;
                }
                ElementKind::Other
            }
            (ElementKind::Shape, "origin") => {
                match attributes.origin() {
                    Ok(origin) => self.change_shape(|shape| shape.origin = origin),
                    Err(e) => self.change_shape(|shape| shape.fail(format!("origin: {e}"))),
                }
                ElementKind::Other
            }
            (ElementKind::Shape, "geometry") => ElementKind::Geometry,
            (ElementKind::Geometry, _) => {
                let geometry = geometry(&name, &attributes);
                self.change_shape(|shape| match (&shape.geometry, geometry) {
                    (Ok(_), _) => shape.fail("two shapes in one geometry".to_owned()),
                    (Err(e), _) if e != NO_SHAPE => {}
                    (Err(_), geometry) => shape.geometry = geometry,
                });
                ElementKind::Other
            }
            (ElementKind::Document, _) => ElementKind::Other,
            (_, other) => {
                if !NO_GEOMETRY.contains(&other) && self.unknown.len() < 20 {
                    self.unknown.insert(other.chars().take(40).collect());
                }
                ElementKind::Other
            }
        };
        Ok(kind)
    }

    /// Handles the end of an element.
    fn end(&mut self, kind: ElementKind) -> Result<(), String> {
        if kind == ElementKind::Joint
            && let Some(joint) = self.joints.last()
            && (joint.parent.is_empty() || joint.child.is_empty())
        {
            return Err(format!("joint {} lacks parent or child", joint.name));
        }
        Ok(())
    }

    /// Changes the current shape.
    fn change_shape(&mut self, change: impl FnOnce(&mut Shape)) {
        let is_visual = self.is_visual;
        let shapes = self.links.last_mut().map(|l| if is_visual { &mut l.visual } else { &mut l.collision });
        if let Some(shape) = shapes.and_then(|shapes| shapes.last_mut()) {
            change(shape);
        }
    }
}

impl Shape {
    fn fail(&mut self, reason: String) {
        self.geometry = Err(reason);
    }
}

/// Reads an element of a joint.
fn read_joint(element: &str, attributes: &Attributes, joint: &mut RawJoint) -> Result<(), String> {
    let one = |key: &str, usual: f64| attributes.numbers::<1>(key, Some([usual])).map(|[x]| x);
    match element {
        "origin" => joint.origin = attributes.origin()?,
        "parent" => joint.parent = attributes.text("link")?,
        "child" => joint.child = attributes.text("link")?,
        "axis" => joint.axis = attributes.numbers("xyz", Some(USUAL_AXIS))?,
        "limit" => joint.limits = Some([one("lower", 0.0)?, one("upper", 0.0)?]),
        "mimic" => {
            let followed = attributes.text("joint")?;
            let finite = |key: &str, usual: f64| match one(key, usual)? {
                x if x.is_finite() => Ok(x),
                x => Err(format!("{key}: {x} is not finite")),
            };
            joint.mimic = Some((followed, finite("multiplier", 1.0)?, finite("offset", 0.0)?));
        }
        _ => {}
    }
    Ok(())
}

fn geometry(name: &str, attributes: &Attributes) -> Result<Geometry, String> {
    let one = |key: &str| attributes.numbers::<1>(key, None).map(|[x]| x);
    let made = match name {
        "box" => attributes.numbers("size", None).map(Geometry::Box),
        "cylinder" => one("radius").and_then(|r| Ok(Geometry::Cylinder([r, one("length")?]))),
        "capsule" => one("radius").and_then(|r| Ok(Geometry::Capsule([r, one("length")?]))),
        "sphere" => one("radius").map(Geometry::Sphere),
        "mesh" => attributes
            .text("filename")
            .and_then(|file| Ok(Geometry::Mesh(file, attributes.numbers("scale", Some([1.0; 3]))?))),
        _ => return Err(format!("the geometry {name} is not read")),
    };
    made.map_err(|e| format!("{name}: {e}"))
}
