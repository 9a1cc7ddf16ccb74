//! Accessors of glTF: typed elements of buffers, with a stride. They may be normalized, and sparse
//! values may replace some of them.
//!
//! Nothing is copied: an element is decoded on access. All ranges are checked before.
//!
//! Reference: Khronos Group, glTF 2.0 Specification, 2021, 3.6.2; KHR_mesh_quantization.

use serde::Deserialize;
use std::collections::HashMap;
use std::sync::Arc;

/// An accessor as it is written in the document.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Accessor<'a> {
    buffer_view: Option<usize>,
    #[serde(default)]
    byte_offset: usize,
    component_type: u32,
    #[serde(default)]
    normalized: bool,
    count: usize,
    #[serde(rename = "type")]
    shape: &'a str,
    sparse: Option<Sparse>,
}

#[derive(Clone, Deserialize)]
struct Sparse {
    count: usize,
    indices: SparseIndices,
    values: SparseValues,
}

#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SparseIndices {
    buffer_view: usize,
    #[serde(default)]
    byte_offset: usize,
    component_type: u32,
}

#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SparseValues {
    buffer_view: usize,
    #[serde(default)]
    byte_offset: usize,
}

/// A range of a buffer.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BufferView {
    pub(crate) buffer: usize,
    #[serde(default)]
    byte_offset: usize,
    byte_length: usize,
    byte_stride: Option<usize>,
}

/// The type of a number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn of(code: u32) -> Result<Component, String> {
        Ok(match code {
            5120 => Component::I8,
            5121 => Component::U8,
            5122 => Component::I16,
            5123 => Component::U16,
            5125 => Component::U32,
            5126 => Component::F32,
            _ => return Err(format!("componentType {code} is not known")),
        })
    }

    fn size(self) -> usize {
        match self {
            Component::I8 | Component::U8 => 1,
            Component::I16 | Component::U16 => 2,
            Component::U32 | Component::F32 => 4,
        }
    }

    /// Returns the number in these little-endian bytes, and the largest value of its type (1 for
    /// floats).
    fn number(self, b: &[u8]) -> (f64, f64) {
        match self {
            Component::I8 => (f64::from(b[0] as i8), 127.0),
            Component::U8 => (f64::from(b[0]), 255.0),
            Component::I16 => (f64::from(i16::from_le_bytes([b[0], b[1]])), 32767.0),
            Component::U16 => (f64::from(u16::from_le_bytes([b[0], b[1]])), 65535.0),
            Component::U32 => (f64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]])), 4294967295.0),
            Component::F32 => (f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])), 1.0),
        }
    }
}

/// An accessor whose types were checked.
pub(crate) struct AccessorItem {
    view: Option<usize>,
    offset: usize,
    component: Component,
    is_normalized: bool,
    count: usize,
    n_components: usize,
    sparse: Option<(Sparse, Component)>,
}

impl Accessor<'_> {
    /// Returns the accessor. An error if one of its types is unknown or not supported.
    pub(crate) fn checked(self, number: usize) -> Result<AccessorItem, String> {
        let named = |e: String| format!("accessors[{number}]: {e}");
        let n_components = match self.shape {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            "MAT4" => 16,
            other => return Err(named(format!("the type {other:?} is not read"))),
        };
        let sparse = match self.sparse {
            None => None,
            Some(sparse) => {
                let component = Component::of(sparse.indices.component_type).map_err(named)?;
                if !matches!(component, Component::U8 | Component::U16 | Component::U32) {
                    return Err(named("sparse indices are not whole numbers".to_owned()));
                }
                Some((sparse, component))
            }
        };
        Ok(AccessorItem {
            view: self.buffer_view,
            offset: self.byte_offset,
            component: Component::of(self.component_type).map_err(named)?,
            is_normalized: self.normalized,
            count: self.count,
            n_components,
            sparse,
        })
    }
}

/// A function that returns a buffer view and its buffer, by the index of the view.
type FindView<'v> = dyn FnMut(usize) -> Result<(Arc<Vec<u8>>, BufferView), String> + 'v;

impl AccessorItem {
    /// Returns the number of sparse values.
    pub(crate) fn n_sparse(&self) -> usize {
        self.sparse.as_ref().map_or(0, |(sparse, _)| sparse.count)
    }

    /// Returns the elements. `number` is the index of the accessor, and `n_bytes` the size of all
    /// files.
    pub(crate) fn elements(
        &self,
        number: usize,
        n_bytes: u64,
        view: &mut FindView<'_>,
    ) -> Result<Elements, String> {
        let size = self.component.size() * self.n_components;
        if self.count == 0 {
            return Err(format!("accessors[{number}] has no element"));
        }
        let base = match self.view {
            Some(base) => Some(Strided::new(base, self.offset, self.count, size, view)?),
            None if n_bytes < self.count as u64 => {
                // All zeros, to be replaced by sparse values. No buffer bounds the count, so the
                // size of the files does.
                return Err(format!("accessors[{number}] has {} elements and no data", self.count));
            }
            None => None,
        };
        let mut replaced = HashMap::new();
        let mut values = None;
        if let Some((sparse, component)) = &self.sparse {
            let (at, of) = (&sparse.indices, &sparse.values);
            if self.count < sparse.count {
                return Err(format!("accessors[{number}] replaces {} of {}", sparse.count, self.count));
            }
            if 0 < sparse.count {
                let indices =
                    Strided::new(at.buffer_view, at.byte_offset, sparse.count, component.size(), view)?;
                values = Some(Strided::new(of.buffer_view, of.byte_offset, sparse.count, size, view)?);
                for i in 0..sparse.count {
                    let target = component.number(indices.bytes(i)).0 as usize;
                    if self.count <= target {
                        return Err(format!("sparse index {target} is out of range"));
                    }
                    replaced.insert(target, i);
                }
            }
        }
        Ok(Elements {
            component: self.component,
            is_normalized: self.is_normalized,
            n_components: self.n_components,
            count: self.count,
            base,
            values,
            replaced,
        })
    }
}

/// Elements at equal distances in a buffer.
struct Strided {
    buffer: Arc<Vec<u8>>,
    start: usize,
    stride: usize,
    size: usize,
}

impl Strided {
    /// Takes `count` elements, at least one. An error if they reach beyond the view or its buffer.
    fn new(
        number: usize,
        offset: usize,
        count: usize,
        size: usize,
        view: &mut FindView<'_>,
    ) -> Result<Strided, String> {
        let (buffer, view) = view(number)?;
        let end = view.byte_offset.checked_add(view.byte_length);
        if end.is_none_or(|end| buffer.len() < end) {
            return Err(format!("bufferViews[{number}] reaches beyond its buffer"));
        }
        let stride = view.byte_stride.unwrap_or(size);
        let end = (count - 1)
            .checked_mul(stride)
            .and_then(|n| n.checked_add(offset))
            .and_then(|n| n.checked_add(size));
        if stride < size || end.is_none_or(|end| view.byte_length < end) {
            return Err(format!("an accessor reaches beyond bufferViews[{number}]"));
        }
        Ok(Strided { buffer, start: view.byte_offset + offset, stride, size })
    }

    fn bytes(&self, i: usize) -> &[u8] {
        let start = self.start + i * self.stride;
        &self.buffer[start..start + self.size]
    }
}

/// The elements of an accessor.
pub(crate) struct Elements {
    component: Component,
    is_normalized: bool,
    n_components: usize,
    count: usize,
    /// `None` if all elements are zeros.
    base: Option<Strided>,
    values: Option<Strided>,
    /// From the index of an element to its index in `values`.
    replaced: HashMap<usize, usize>,
}

impl Elements {
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Returns the count of numbers in an element: one to four, or 16 for a matrix.
    pub(crate) fn n_components(&self) -> usize {
        self.n_components
    }

    /// Whether the numbers are indices: whole and not negative.
    pub(crate) fn is_whole(&self) -> bool {
        matches!(self.component, Component::U8 | Component::U16 | Component::U32)
    }

    /// Whether the numbers are floats.
    pub(crate) fn is_float(&self) -> bool {
        self.component == Component::F32
    }

    /// Treats integers as fractions of the largest value of their type, whatever the accessor says.
    pub(crate) fn normalized(self) -> Elements {
        Elements { is_normalized: true, ..self }
    }

    /// Returns the indices of the elements that sparse values replace, ascending. `None` if a
    /// buffer holds the elements.
    pub(crate) fn replaced_zeros(&self) -> Option<Vec<usize>> {
        if self.base.is_some() {
            return None;
        }
        let mut replaced: Vec<usize> = self.replaced.keys().copied().collect();
        replaced.sort_unstable();
        Some(replaced)
    }

    /// Returns element `i`, which must be below the count. Missing numbers are 0. For a matrix,
    /// returns its first four numbers.
    pub(crate) fn get(&self, i: usize) -> [f64; 4] {
        self.numbers(i)
    }

    /// Returns the first `N` numbers of element `i`, which must be below the count. Missing numbers
    /// are 0.
    pub(crate) fn numbers<const N: usize>(&self, i: usize) -> [f64; N] {
        let bytes = match (self.replaced.get(&i), &self.values, &self.base) {
            (Some(k), Some(values), _) => values.bytes(*k),
            (_, _, Some(base)) => base.bytes(i),
            _ => return [0.0; N],
        };
        let size = self.component.size();
        let mut element = [0.0; N];
        for (x, bytes) in element.iter_mut().zip(bytes.chunks_exact(size)) {
            let (number, largest) = self.component.number(bytes);
            // Signed types have one more value below zero than above.
            *x = if self.is_normalized { (number / largest).max(-1.0) } else { number };
        }
        element
    }
}
