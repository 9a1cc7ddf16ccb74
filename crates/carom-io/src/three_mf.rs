//! 3MF: packages of a printer's models. Each mesh that the build needs is a part, once for each
//! item and component that names its object.
//!
//! 1. The XML is read while it is unpacked, element by element.
//! 2. The transforms of items and components are multiplied. Components of components are followed
//!    up to a depth; each visit counts against the limit on triangles, so that a small file cannot
//!    expand to billions of them (test: `three_mf::instances_of_instances_are_limited`).
//! 3. Models in other entries of the package (`p:path`) are read. An extension that the model
//!    requires and that is not understood is an error.
//! 4. Lattices of beams and other shapes beside the mesh of an object are listed as unread.
//!
//! Reference: 3MF Consortium, 3D Manufacturing Format Core Specification 1.3, chapters 3 and 4;
//! Production Extension 1.1.

use crate::error::{Location, ReadError};
use crate::files::Files;
use crate::limits::{MAX_NAME_CHARS, MAX_XML_DEPTH, TRIANGLES_PER_PART, UNPACKED_BYTES_PER_COUNTED};
use crate::model::{Model, StatedFrames};
use crate::package::{EventInput, Package, key};
use crate::part::{Flattening, Part, Piece, Placement, RawMesh, push_note};
use crate::xml::Attributes;
use glam::DVec3;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::collections::HashMap;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

/// The model of a package that does not say which one it is.
const USUAL_MODEL: &str = "3d/3dmodel.model";

/// Ends of the names of extensions that are read, or have no influence on the surfaces.
const UNDERSTOOD: [&str; 5] = [
    "/3dmanufacturing/production/2015/06",
    "/3dmanufacturing/material/2015/02",
    "/3dmanufacturing/trianglesets/2021/07",
    "/3dmanufacturing/slice/2015/07",
    "/3dmanufacturing/core/2015/02",
];

/// Resources without a surface.
const NO_GEOMETRY: [&str; 10] = [
    "basematerials",
    "colorgroup",
    "texture2d",
    "texture2dgroup",
    "compositematerials",
    "multiproperties",
    "pbspecularfdisplayproperties",
    "pbspeculardisplayproperties",
    "pbmetallicdisplayproperties",
    "slicestack",
];

/// The units of length: the name in the file, that of the model, and metres.
const UNITS: [(&str, &str, f64); 6] = [
    ("micron", "um", 1e-6),
    ("millimeter", "mm", 1e-3),
    ("centimeter", "cm", 1e-2),
    ("inch", "in", 0.0254),
    ("foot", "ft", 0.3048),
    ("meter", "m", 1.0),
];

/// A reference to an object: the key of its entry, and its number there.
type Id = (Arc<str>, u32);

/// An object that is placed, by an item of the build or as a component.
struct Instance {
    object: Id,
    placement: Placement,
}

#[derive(Default)]
struct Object {
    name: String,
    mesh: RawMesh,
    components: Vec<Instance>,
    /// Shapes and instances that are not read, with the reasons.
    unread: Vec<String>,
    /// The first error of its mesh.
    error: Option<String>,
}

/// An object that was read.
struct ParsedObject {
    name: String,
    mesh: Option<Arc<RawMesh>>,
    components: Vec<Instance>,
    unread: Vec<String>,
    error: Option<String>,
}

/// A model: an entry of the package.
#[derive(Default)]
struct Entry {
    unit: Option<&'static (&'static str, &'static str, f64)>,
    objects: HashMap<u32, ParsedObject>,
    /// The items of the build, or the errors of those that cannot be.
    items: Vec<Result<Instance, String>>,
    notes: Vec<String>,
}

/// Reads the bytes of a 3MF file.
pub(crate) fn parse(bytes: &[u8], path: &Path, files: &mut Files<'_>) -> Result<Model, ReadError> {
    let whole = |reason: String| ReadError::at(path, Location::File, reason);
    let mut package = Package::new(bytes).map_err(whole)?;
    let start = start_of(&mut package).map_err(whole)?;
    let model = Model::new(Vec::new());
    let mut scene = Scene { package, files, entries: HashMap::new(), order: Vec::new(), model };
    let root: Arc<str> = key(&start).into();
    scene.load(&root).map_err(whole)?;
    let Some(entry) = scene.entries.get_mut(&root) else { return Err(whole("no model".to_owned())) };
    let items = core::mem::take(&mut entry.items);
    if let Some(&(_, unit, metres)) = entry.unit {
        (scene.model.unit, scene.model.metres) = (Some(unit), Some(metres));
    }
    scene.model.up = Some("z");
    for (number, item) in items.into_iter().enumerate() {
        let named = format!("item {number} of the build");
        let placed = item.and_then(|item| scene.add_parts(&item.object, &item.placement, &mut Vec::new()));
        match placed {
            Ok(()) => {}
            Err(e) if scene.files.options.keep_going => {
                push_note(&mut scene.model.unread, format!("{named}: {e}"));
            }
            Err(e) => return Err(ReadError::at(path, Location::Item(named), e)),
        }
    }
    let mut model = scene.model;
    if model.parts.is_empty() {
        let why = model.unread.first().map_or(String::new(), |why| format!(": {why}"));
        return Err(whole(format!("the build has no item with triangles{why}")));
    }
    let mut frames = StatedFrames::default();
    for name in &scene.order {
        let Some(entry) = scene.entries.get_mut(name) else { continue };
        if let Some(&(_, unit, metres)) = entry.unit {
            frames.add_unit(name, Some(unit), metres);
        }
        for note in entry.notes.drain(..) {
            push_note(&mut model.notes, note);
        }
    }
    frames.notes().into_iter().for_each(|note| push_note(&mut model.notes, note));
    Ok(model)
}

/// Returns the name of the package's model.
fn start_of(package: &mut Package<'_>) -> Result<String, String> {
    let mut start = None;
    if package.has("_rels/.rels") {
        package.read("_rels/.rels", |input| {
            each_element(input, |element, _, _| {
                if element.local_name().as_ref() == b"Relationship" {
                    let attributes = Attributes::plain(element)?;
                    if attributes.get("Type").is_some_and(|kind| kind.ends_with("/3dmodel")) {
                        start.get_or_insert(attributes.text("Target")?);
                    }
                }
                Ok(())
            })
        })?;
    }
    match start {
        Some(start) => Ok(start),
        None if package.has(USUAL_MODEL) => Ok(USUAL_MODEL.to_owned()),
        None => Err("no model in the package: not a 3MF file".to_owned()),
    }
}

/// Calls `start` with each element, the names around it, and whether it is empty. The names are
/// those without prefix.
fn each_element(
    input: &mut EventInput<'_>,
    mut start: impl FnMut(&BytesStart<'_>, &[String], bool) -> Result<(), String>,
) -> Result<(), String> {
    walk(input, |step, around| match step {
        Step::Start(element, is_empty) => start(element, around, is_empty),
        Step::End(_) => Ok(()),
    })
}

/// A step of the walk through a document.
enum Step<'s, 'e> {
    /// The start of an element, and whether it is empty; `End` follows for an empty one too.
    Start(&'s BytesStart<'e>, bool),
    /// The end of the element of this name.
    End(&'s str),
}

/// Calls `step` for each start and each end of an element, with the names around it.
fn walk(
    input: &mut EventInput<'_>,
    mut step: impl FnMut(Step<'_, '_>, &[String]) -> Result<(), String>,
) -> Result<(), String> {
    let mut reader = Reader::from_reader(input);
    let mut buffer = Vec::new();
    let mut open: Vec<String> = Vec::new();
    let mut n_elements = 0_usize;
    loop {
        reader.get_mut().begin_event();
        buffer.clear();
        let event = reader.read_event_into(&mut buffer);
        let position = reader.buffer_position();
        let at_byte = |e: String| format!("byte {position}: {e}");
        match event.map_err(|e| at_byte(e.to_string()))? {
            Event::Start(element) => {
                if MAX_XML_DEPTH <= open.len() {
                    return Err(at_byte(format!("elements are nested deeper than {MAX_XML_DEPTH}")));
                }
                n_elements += 1;
                step(Step::Start(&element, false), &open).map_err(at_byte)?;
                open.push(String::from_utf8_lossy(element.local_name().as_ref()).into_owned());
            }
            Event::Empty(element) => {
                n_elements += 1;
                step(Step::Start(&element, true), &open).map_err(at_byte)?;
                let name = String::from_utf8_lossy(element.local_name().as_ref()).into_owned();
                step(Step::End(&name), &open).map_err(at_byte)?;
            }
            Event::End(_) => {
                let name = open.pop().unwrap_or_default();
                step(Step::End(&name), &open).map_err(at_byte)?;
            }
            Event::Eof => break,
            _ => {}
        }
    }
    if !open.is_empty() || n_elements == 0 {
        return Err("the XML ends inside of an element".to_owned());
    }
    Ok(())
}

/// The models of a package, and what was placed so far.
struct Scene<'a, 'f, 'o> {
    package: Package<'a>,
    files: &'f mut Files<'o>,
    entries: HashMap<Arc<str>, Entry>,
    /// The names of the entries, in the order in which they were read.
    order: Vec<Arc<str>>,
    model: Model,
}

impl Scene<'_, '_, '_> {
    /// Reads a model of the package, if it is not known.
    fn load(&mut self, name: &Arc<str>) -> Result<(), String> {
        if self.entries.contains_key(name) {
            return Ok(());
        }
        let before = self.package.unpacked();
        let files = &mut *self.files;
        let mut builder = Builder {
            name: name.clone(),
            entry: Entry::default(),
            object: None,
            n_triangles: 0,
            n_listed: 0,
        };
        self.package.read(name, |input| {
            walk(input, |step, around| match step {
                Step::Start(element, _) => builder.start(element, around, files),
                Step::End(element) => builder.end(element, around),
            })
        })?;
        let unpacked = self.package.unpacked() - before;
        let counted = usize::try_from(unpacked / UNPACKED_BYTES_PER_COUNTED).unwrap_or(usize::MAX);
        self.files.count_bytes(counted);
        self.files.count_triangles(builder.n_triangles + builder.n_listed)?;
        self.entries.insert(name.clone(), builder.entry);
        self.order.push(name.clone());
        Ok(())
    }

    /// Adds the parts of an object. `around` are the objects that it is a component of.
    fn add_parts(&mut self, id: &Id, placement: &Placement, around: &mut Vec<Id>) -> Result<(), String> {
        let (file, number) = id;
        if around.contains(id) {
            return Err(format!("object {number} is a component of itself"));
        }
        if MAX_XML_DEPTH <= around.len() {
            return Err(format!("components are nested deeper than {MAX_XML_DEPTH}"));
        }
        self.load(file)?;
        let known = self.entries.get_mut(file).and_then(|entry| entry.objects.get_mut(number));
        let known = known.ok_or_else(|| format!("there is no object {number}"))?;
        // A visit counts like an empty part, so that empty objects have their limit too.
        let n_triangles = known.mesh.as_ref().map_or(0, |mesh| mesh.triangles.len());
        self.files.count_placed(n_triangles + TRIANGLES_PER_PART as usize)?;
        if let Some(e) = &known.error {
            return Err(format!("object {number}: {e}"));
        }
        for what in &known.unread {
            push_note(&mut self.model.unread, format!("object {number}: {what}"));
        }
        if let Some(mesh) = &known.mesh {
            let piece = Piece { mesh: mesh.clone(), scale: [1.0; 3], placement: *placement, solid: 0 };
            match piece.flattening() {
                Flattening::None => {}
                Flattening::Harmless => push_note(
                    &mut self.model.notes,
                    format!("object {number}: a flat mesh is scaled by 0 across its plane"),
                ),
                Flattening::Collapses(t) => {
                    return Err(format!("the transform of object {number} takes the area from triangle {t}"));
                }
            }
            self.model.parts.push(Part { name: known.name.clone(), pieces: vec![piece] });
        } else if known.components.is_empty() && known.unread.is_empty() {
            return Err(format!("object {number} has neither a mesh nor components"));
        }
        let n_components = known.components.len();
        around.push(id.clone());
        for i in 0..n_components {
            let component = self.entries.get(file).and_then(|e| e.objects.get(number)?.components.get(i));
            let Some(component) = component else { break };
            let (object, inner) = (component.object.clone(), placement.after(&component.placement));
            let placed = Placement::affine(inner.0);
            let placed = placed.and_then(|placement| self.add_parts(&object, &placement, around));
            match placed {
                Ok(()) => {}
                Err(e) if self.files.options.keep_going => {
                    push_note(&mut self.model.unread, format!("component {i} of object {number}: {e}"));
                }
                Err(e) => return Err(e),
            }
        }
        around.pop();
        Ok(())
    }
}

/// A model while it is read.
struct Builder {
    name: Arc<str>,
    entry: Entry,
    object: Option<(u32, Object)>,
    n_triangles: usize,
    /// The triangles that the objects and instances so far count as.
    n_listed: usize,
}

impl Builder {
    fn start(
        &mut self,
        element: &BytesStart<'_>,
        around: &[String],
        files: &mut Files<'_>,
    ) -> Result<(), String> {
        let local = element.local_name();
        let name = local.as_ref();
        let inside: &str = around.last().map_or("", String::as_str);
        match (around.len(), inside, name) {
            (0, _, b"model") => self.model(element),
            (0, ..) => Err(format!("{:?}: not a 3MF model", String::from_utf8_lossy(name))),
            (1, _, b"metadata" | b"metadatagroup" | b"resources" | b"build") => Ok(()),
            (1, _, other) => {
                let other = String::from_utf8_lossy(other);
                push_note(&mut self.entry.notes, format!("the element {} is not understood", shown(&other)));
                Ok(())
            }
            (2, "resources", b"object") => self.begin_object(element, files),
            (2, "resources", other) => {
                let other = String::from_utf8_lossy(other);
                if !NO_GEOMETRY.contains(&other.as_ref()) {
                    push_note(
                        &mut self.entry.notes,
                        format!("the resource {} is not understood", shown(&other)),
                    );
                }
                Ok(())
            }
            (2, "build", b"item") => {
                self.count(files)?;
                let item = self.instance(element);
                self.entry.items.push(item);
                Ok(())
            }
            (5.., "vertices", b"vertex") => {
                let position = three::<f64>(element, [b"x", b"y", b"z"]);
                self.mesh(position, |mesh, v| mesh.vertices.push(DVec3::from_array(v)));
                Ok(())
            }
            (5.., "triangles", b"triangle") => {
                let corners = three::<u32>(element, [b"v1", b"v2", b"v3"]);
                self.mesh(corners, |mesh, t| mesh.triangles.push(t));
                self.n_triangles += 1;
                Ok(())
            }
            (4.., "components", b"component") => {
                self.count(files)?;
                let component = self.instance(element);
                if let Some((_, object)) = &mut self.object {
                    match component {
                        Ok(component) => object.components.push(component),
                        Err(e) => {
                            object.error.get_or_insert(e);
                        }
                    }
                }
                Ok(())
            }
            (3, "object", b"mesh" | b"components" | b"metadatagroup")
            | (4, "mesh", b"vertices" | b"triangles" | b"trianglesets") => Ok(()),
            (3, "object", other) | (4, "mesh", other) => {
                let other = String::from_utf8_lossy(other);
                if let Some((_, object)) = &mut self.object {
                    push_note(&mut object.unread, format!("{} is not read", shown(&other)));
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn end(&mut self, element: &str, around: &[String]) -> Result<(), String> {
        if (element, around.len()) != ("object", 2) {
            return Ok(());
        }
        let Some((number, object)) = self.object.take() else { return Ok(()) };
        let Object { name, mesh, components, unread, mut error } = object;
        let has_mesh = !mesh.vertices.is_empty() || !mesh.triangles.is_empty();
        let mesh = match (has_mesh && error.is_none()).then(|| mesh.checked(Path::new(&*self.name))) {
            None => None,
            Some(Ok(mesh)) => Some(Arc::new(mesh)),
            Some(Err(e)) => {
                error = Some(e.to_string());
                None
            }
        };
        let known = ParsedObject { name, mesh, components, unread, error };
        if self.entry.objects.insert(number, known).is_some() {
            return Err(format!("two objects {number}"));
        }
        Ok(())
    }

    fn model(&mut self, element: &BytesStart<'_>) -> Result<(), String> {
        let attributes = Attributes::plain(element)?;
        let unit = attributes.get("unit").unwrap_or("millimeter");
        let known = UNITS.iter().find(|(name, ..)| *name == unit);
        self.entry.unit = Some(known.ok_or_else(|| format!("the unit {unit:?} is not known"))?);
        for prefix in attributes.get("requiredextensions").unwrap_or_default().split_whitespace() {
            let space = attributes.get(&format!("xmlns:{prefix}")).unwrap_or(prefix);
            if !UNDERSTOOD.iter().any(|end| space.ends_with(end)) {
                return Err(format!("the extension {space} is required and not understood"));
            }
        }
        Ok(())
    }

    fn begin_object(&mut self, element: &BytesStart<'_>, files: &mut Files<'_>) -> Result<(), String> {
        self.count(files)?;
        let attributes = Attributes::plain(element)?;
        let number = number(&attributes.text("id")?)?;
        let name = match attributes.get("name") {
            Some(name) if !name.is_empty() => name.chars().take(MAX_NAME_CHARS).collect(),
            _ => format!("object{number}"),
        };
        let mut object = Object { name, ..Object::default() };
        match attributes.get("type").unwrap_or("model") {
            "model" => {}
            kind => push_note(
                &mut self.entry.notes,
                format!("object {number} is of type {}: it is a part like the others", shown(kind)),
            ),
        }
        if attributes.by_local_name("meshresolution") == Some("lowres") {
            object
                .unread
                .push("slices stand for a finer surface than its mesh; they are not read".to_owned());
        }
        self.object = Some((number, object));
        Ok(())
    }

    /// Reads an item or a component.
    fn instance(&self, element: &BytesStart<'_>) -> Result<Instance, String> {
        let attributes = Attributes::plain(element)?;
        let number = number(&attributes.text("objectid")?)?;
        let file =
            attributes.by_local_name("path").map_or_else(|| self.name.clone(), |path| key(path).into());
        let placement = match attributes.get("transform") {
            None => Placement::IDENTITY,
            Some(_) => {
                // Points are rows that are multiplied from the left.
                let m: [f64; 12] = attributes.numbers("transform", None)?;
                let row = |i: usize| [m[i], m[3 + i], m[6 + i], m[9 + i]];
                let rows = [row(0), row(1), row(2), [0.0, 0.0, 0.0, 1.0]];
                Placement::affine(core::array::from_fn(|e| rows[e / 4][e % 4]))?
            }
        };
        Ok(Instance { object: (file, number), placement })
    }

    /// Adds to the mesh of the object, or keeps its first error.
    fn mesh<T>(&mut self, read: Result<T, String>, add: impl FnOnce(&mut RawMesh, T)) {
        let Some((_, object)) = &mut self.object else { return };
        match read {
            Ok(value) => add(&mut object.mesh, value),
            Err(e) => {
                let number = [object.mesh.vertices.len(), object.mesh.triangles.len()];
                object
                    .error
                    .get_or_insert(format!("after {} vertices and {} triangles: {e}", number[0], number[1]));
            }
        }
    }

    /// Counts an object or an instance as a part, so that memory is limited.
    fn count(&mut self, files: &mut Files<'_>) -> Result<(), String> {
        self.n_listed += TRIANGLES_PER_PART as usize;
        files.check_count(self.n_listed)
    }
}

/// Returns a word of the file for a message.
fn shown(word: &str) -> String {
    word.chars().take(40).collect()
}

/// Returns the number of an object.
fn number(text: &str) -> Result<u32, String> {
    text.trim().parse().map_err(|_| format!("{:?} is not the number of an object", shown(text)))
}

/// Returns three attributes of an element. Each must be there once.
fn three<T: FromStr + Copy>(element: &BytesStart<'_>, names: [&[u8]; 3]) -> Result<[T; 3], String> {
    let mut values = [None; 3];
    for attribute in element.attributes().with_checks(false) {
        let attribute = attribute.map_err(|e| e.to_string())?;
        let Some(slot) = names.iter().position(|name| *name == attribute.key.as_ref()) else { continue };
        let text = core::str::from_utf8(&attribute.value).unwrap_or_default().trim();
        let name = String::from_utf8_lossy(names[slot]);
        let value = text.parse().map_err(|_| format!("{name} is {:?}", shown(text)))?;
        if values[slot].replace(value).is_some() {
            return Err(format!("{name} is there twice"));
        }
    }
    match values {
        [Some(a), Some(b), Some(c)] => Ok([a, b, c]),
        _ => Err(format!("an element without {}", names.map(String::from_utf8_lossy).join(", "))),
    }
}
