//! glTF 2.0, text and binary: each node with a mesh is a part, placed by the nodes above it.
//!
//! Reference: Khronos Group, glTF 2.0 Specification, 2021, 3.5 and 3.6. Parsing of the document by the crate `gltf`.
//! Differs: accessors are read here, because the crate's readers trust counts and offsets; skins and morph
//! targets are not applied.

use crate::error::{Place, ReadError};
use crate::part::{Model, Part, Piece, Placement, RawMesh};
use base64::Engine;
use glam::DVec3;
use gltf::accessor::{DataType, Dimensions};
use gltf::{Accessor, Document, Gltf, Node, Primitive, Semantic};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Reads the bytes of a .gltf or .glb file; buffers in files beside it are read too.
pub fn parse(bytes: &[u8], path: &Path) -> Result<Model, ReadError> {
    let whole = |reason: String| ReadError::at(path, Place::File, reason);
    if bytes.starts_with(b"glTF") {
        check_glb(bytes).map_err(whole)?;
    }
    let invalid = |e: gltf::Error| whole(format!("not a valid glTF file: {e}"));
    let Gltf { document, mut blob } = Gltf::from_slice_without_validation(bytes).map_err(invalid)?;
    let json = document.into_json();
    // The library's validation looks positions up before it has checked their numbers.
    for (i, mesh) in json.meshes.iter().enumerate() {
        let mut accessors = mesh.primitives.iter().flat_map(|p| p.attributes.values());
        if let Some(accessor) = accessors.find(|a| json.accessors.len() <= a.value()) {
            let reason = format!("accessor {} of {}", accessor.value(), json.accessors.len());
            return Err(ReadError::at(path, Place::Item(format!("meshes[{i}]")), reason));
        }
    }
    let document = Document::from_json(json).map_err(invalid)?;
    let mut buffers = Vec::new();
    for buffer in document.buffers() {
        let data = match buffer.source() {
            gltf::buffer::Source::Bin => blob
                .take()
                .ok_or_else(|| whole("no binary chunk, but a buffer that asks for it".to_owned()))?,
            gltf::buffer::Source::Uri(uri) => read_uri(uri, path)?,
        };
        if data.len() < buffer.length() {
            let reason = format!("truncated: {} bytes announced, {} there", buffer.length(), data.len());
            return Err(ReadError::at(path, Place::Item(format!("buffers[{}]", buffer.index())), reason));
        }
        buffers.push(data);
    }
    let scene = document.default_scene().or_else(|| document.scenes().next());
    let roots: Vec<Node<'_>> = match scene {
        Some(scene) => scene.nodes().collect(),
        None => return Err(whole("no scene".to_owned())),
    };
    let mut model = Model { unit: Some("m"), up: Some("y"), ..Model::new(Vec::new()) };
    let mut meshes: HashMap<usize, Arc<RawMesh>> = HashMap::new();
    let mut is_visited = vec![false; document.nodes().len()];
    // Depth first in the order of the file; a node that is met twice would make a cycle or a net.
    let mut stack: Vec<(Node<'_>, Placement)> =
        roots.into_iter().rev().map(|n| (n, Placement::IDENTITY)).collect();
    let mut has_skin = false;
    while let Some((node, parent)) = stack.pop() {
        let place = || Place::Item(format!("nodes[{}]", node.index()));
        if core::mem::replace(&mut is_visited[node.index()], true) {
            return Err(ReadError::at(path, place(), "is the child of two nodes"));
        }
        let local = node.transform().matrix();
        // Column-major there, row-major here.
        let local = Placement(core::array::from_fn(|e| f64::from(local[e % 4][e / 4])));
        let world = parent.after(&local);
        if let Some(mesh) = node.mesh() {
            Placement::checked(world.0).map_err(|e| ReadError::at(path, place(), e))?;
            has_skin |= node.skin().is_some();
            let raw = match meshes.get(&mesh.index()) {
                Some(raw) => raw.clone(),
                None => {
                    let raw = Arc::new(read_mesh(&mesh, &buffers, path)?);
                    meshes.insert(mesh.index(), raw.clone());
                    raw
                }
            };
            // A mesh of points or lines alone has nothing to collide with.
            if !raw.triangles.is_empty() {
                let name = node
                    .name()
                    .or(mesh.name())
                    .map_or_else(|| format!("node{}", node.index()), str::to_owned);
                let piece = Piece { mesh: raw, scale: [1.0; 3], placement: world };
                model.parts.push(Part { name, pieces: vec![piece] });
            }
        }
        let children: Vec<Node<'_>> = node.children().collect();
        stack.extend(children.into_iter().rev().map(|child| (child, world)));
    }
    if has_skin {
        model.notes.push("skinned meshes are read in their rest pose".to_owned());
    }
    if model.parts.is_empty() {
        return Err(whole("no node with triangles".to_owned()));
    }
    Ok(model)
}

/// The chunk lengths of a binary file fit into it, so that nothing is allocated on their word alone.
fn check_glb(bytes: &[u8]) -> Result<(), String> {
    let word =
        |at: usize| bytes.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize);
    let total = word(8).ok_or("truncated header")?;
    if bytes.len() < total {
        return Err(format!("truncated: {total} bytes announced, {} there", bytes.len()));
    }
    let json = word(12).ok_or("truncated header")?;
    if total < 20 || total - 20 < json {
        return Err(format!("the JSON chunk of {json} bytes does not fit into {total}"));
    }
    Ok(())
}

/// A buffer beside the file, or in its text.
fn read_uri(uri: &str, path: &Path) -> Result<Vec<u8>, ReadError> {
    if let Some(data) = uri.strip_prefix("data:") {
        let (_, encoded) = data
            .split_once(";base64,")
            .ok_or_else(|| ReadError::at(path, Place::File, "a data URI that is not base64"))?;
        return base64::engine::general_purpose::STANDARD
            .decode(encoded)
            .map_err(|e| ReadError::at(path, Place::File, format!("a data URI: {e}")));
    }
    let file = path.with_file_name("").join(percent_decoded(uri));
    std::fs::read(&file).map_err(|error| ReadError::Open { path: file, error })
}

/// `%20` and the like replaced by what they stand for.
fn percent_decoded(uri: &str) -> String {
    let bytes = uri.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let code = bytes.get(i + 1..i + 3).and_then(|hex| core::str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) if bytes[i] == b'%' => {
                out.push(byte);
                i += 3;
            }
            _ => {
                out.push(bytes[i]);
                i += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// All primitives of a mesh that are triangles, as one mesh; empty when there are none.
fn read_mesh(mesh: &gltf::Mesh<'_>, buffers: &[Vec<u8>], path: &Path) -> Result<RawMesh, ReadError> {
    let mut all = RawMesh::default();
    for primitive in mesh.primitives() {
        let item = format!("meshes[{}].primitives[{}]", mesh.index(), primitive.index());
        let part = read_primitive(&primitive, buffers)
            .map_err(|e| ReadError::at(path, Place::Item(item.clone()), e))?;
        let Some(part) = part else { continue };
        let part = part.checked_at(path, &item)?;
        let first = all.vertices.len() as u32;
        all.vertices.extend(part.vertices);
        all.triangles.extend(part.triangles.iter().map(|t| t.map(|v| v + first)));
    }
    Ok(all)
}

/// The triangles of a primitive, `None` for points and lines.
fn read_primitive(primitive: &Primitive<'_>, buffers: &[Vec<u8>]) -> Result<Option<RawMesh>, String> {
    use gltf::mesh::Mode;
    if !matches!(primitive.mode(), Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan) {
        return Ok(None);
    }
    let positions = primitive.get(&Semantic::Positions).ok_or("no POSITION")?;
    if (positions.data_type(), positions.dimensions()) != (DataType::F32, Dimensions::Vec3) {
        return Err("POSITION is not three floats".to_owned());
    }
    let mut mesh = RawMesh::default();
    for bytes in read_accessor(&positions, buffers)?.chunks_exact(12) {
        let at =
            |i: usize| f64::from(f32::from_le_bytes([bytes[i], bytes[i + 1], bytes[i + 2], bytes[i + 3]]));
        mesh.vertices.push(DVec3::new(at(0), at(4), at(8)));
    }
    let corners: Vec<u32> = match primitive.indices() {
        None => (0..mesh.vertices.len() as u32).collect(),
        Some(indices) => {
            let bytes = read_accessor(&indices, buffers)?;
            match (indices.data_type(), indices.dimensions()) {
                (DataType::U8, Dimensions::Scalar) => bytes.iter().map(|b| u32::from(*b)).collect(),
                (DataType::U16, Dimensions::Scalar) => {
                    bytes.chunks_exact(2).map(|b| u32::from(u16::from_le_bytes([b[0], b[1]]))).collect()
                }
                (DataType::U32, Dimensions::Scalar) => {
                    bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
                }
                _ => return Err("indices are not whole numbers".to_owned()),
            }
        }
    };
    match primitive.mode() {
        Mode::TriangleStrip => {
            for (i, t) in corners.windows(3).enumerate() {
                // Every second triangle of a strip runs the other way round.
                mesh.triangles.push(if i % 2 == 0 { [t[0], t[1], t[2]] } else { [t[1], t[0], t[2]] });
            }
        }
        Mode::TriangleFan => mesh.push_polygon(&corners),
        _ => {
            if !corners.len().is_multiple_of(3) {
                return Err(format!("{} corners are no whole number of triangles", corners.len()));
            }
            mesh.triangles.extend(corners.chunks_exact(3).map(|t| [t[0], t[1], t[2]]));
        }
    }
    Ok(Some(mesh))
}

/// The elements of an accessor, packed, sparse replacements applied; every range is checked.
fn read_accessor(accessor: &Accessor<'_>, buffers: &[Vec<u8>]) -> Result<Vec<u8>, String> {
    let size = accessor.size();
    let mut out = match accessor.view() {
        Some(view) => gather(&view, accessor.offset(), accessor.count(), size, buffers)?,
        None => {
            // All zeros, to be replaced by sparse values: no buffer vouches for the count.
            let sparse = accessor.sparse().map_or(0, |s| s.count());
            if sparse.saturating_mul(1024).saturating_add(1 << 20) < accessor.count() {
                return Err(format!(
                    "accessor {} has {} elements and no data",
                    accessor.index(),
                    accessor.count()
                ));
            }
            vec![0; accessor.count() * size]
        }
    };
    if let Some(sparse) = accessor.sparse() {
        let indices = sparse.indices();
        let index_size = indices.index_type().size();
        let numbers = gather(&indices.view(), indices.offset(), sparse.count(), index_size, buffers)?;
        let values = sparse.values();
        let values = gather(&values.view(), values.offset(), sparse.count(), size, buffers)?;
        for (number, value) in numbers.chunks_exact(index_size).zip(values.chunks_exact(size)) {
            let number = number.iter().rev().fold(0usize, |n, b| n << 8 | usize::from(*b));
            let target = number
                .checked_mul(size)
                .and_then(|start| out.get_mut(start..start + size))
                .ok_or_else(|| format!("sparse index {number} is out of range"))?;
            target.copy_from_slice(value);
        }
    }
    Ok(out)
}

/// `count` elements of `size` bytes from a view, packed.
fn gather(
    view: &gltf::buffer::View<'_>,
    offset: usize,
    count: usize,
    size: usize,
    buffers: &[Vec<u8>],
) -> Result<Vec<u8>, String> {
    let outside = || format!("bufferViews[{}] reaches beyond its buffer", view.index());
    let buffer = buffers.get(view.buffer().index()).ok_or_else(outside)?;
    let data = view
        .offset()
        .checked_add(view.length())
        .and_then(|end| buffer.get(view.offset()..end))
        .ok_or_else(outside)?;
    let stride = view.stride().unwrap_or(size);
    let short = || format!("an accessor reaches beyond bufferViews[{}]", view.index());
    if count == 0 {
        return Ok(Vec::new());
    }
    let end = (count - 1)
        .checked_mul(stride)
        .and_then(|n| n.checked_add(offset))
        .and_then(|n| n.checked_add(size))
        .ok_or_else(short)?;
    if data.len() < end || stride < size {
        return Err(short());
    }
    let mut out = Vec::with_capacity(count * size);
    for i in 0..count {
        let start = offset + i * stride;
        out.extend_from_slice(&data[start..start + size]);
    }
    Ok(out)
}
