//! An XML document as a tree of elements, for formats whose elements refer to each other.
//!
//! 1. Elements lie in one list in the order of the document. Each knows its first child and its
//!    next sibling.
//! 2. Names are those without prefix. Texts are borrowed from the document unless they have several
//!    pieces.
//!
//! Reference: none needed. The crate `quick-xml` parses the XML.
//! Differs: not `roxmltree`, whose search for duplicate attributes and name spaces takes quadratic
//! time.

use crate::limits::MAX_COLLADA_DEPTH;
use crate::xml::Attributes;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::borrow::Cow;

/// The elements of a document; the first is the root.
pub(crate) struct Tree<'a>(Vec<Element<'a>>);

struct Element<'a> {
    name: Cow<'a, str>,
    attributes: Attributes,
    text: Cow<'a, str>,
    /// Index; 0 for none, because the root is neither a child nor a sibling.
    first_child: u32,
    next: u32,
}

/// An element of a tree.
#[derive(Clone, Copy)]
pub(crate) struct Node<'t, 'a> {
    tree: &'t Tree<'a>,
    index: u32,
}

impl<'a> Tree<'a> {
    /// Parses a document. An error has its place in it.
    pub(crate) fn parse(text: &'a str) -> Result<Tree<'a>, String> {
        let mut reader = Reader::from_str(text);
        let mut tree = Tree(Vec::new());
        // Each open element, with its last child so far; 0 for none.
        let mut open: Vec<(u32, u32)> = Vec::new();
        loop {
            let event = reader.read_event();
            let position = reader.buffer_position();
            let at_byte = |e: String| format!("byte {position}: {e}");
            match event.map_err(|e| at_byte(e.to_string()))? {
                Event::Start(element) => {
                    if MAX_COLLADA_DEPTH <= open.len() {
                        return Err(at_byte(format!("elements are nested deeper than {MAX_COLLADA_DEPTH}")));
                    }
                    let index = tree.push(&element, &mut open).map_err(at_byte)?;
                    open.push((index, 0));
                }
                Event::Empty(element) => {
                    tree.push(&element, &mut open).map_err(at_byte)?;
                }
                Event::End(_) => {
                    open.pop();
                }
                Event::Text(piece) => match piece.into_inner() {
                    Cow::Borrowed(bytes) => tree.add_text(&open, String::from_utf8_lossy(bytes)),
                    Cow::Owned(bytes) => {
                        tree.add_text(&open, String::from_utf8_lossy(&bytes).into_owned().into());
                    }
                },
                Event::CData(piece) => {
                    tree.add_text(&open, String::from_utf8_lossy(&piece.into_inner()).into_owned().into());
                }
                // A reference to an entity is kept as `&`. No number and no name that is used
                // contains one.
                Event::GeneralRef(_) => tree.add_text(&open, Cow::Borrowed("&")),
                Event::Eof => break,
                _ => {}
            }
        }
        if !open.is_empty() {
            return Err("the text ends inside of an element".to_owned());
        }
        if tree.0.is_empty() {
            return Err("no element".to_owned());
        }
        Ok(tree)
    }

    fn push(&mut self, element: &BytesStart<'_>, open: &mut [(u32, u32)]) -> Result<u32, String> {
        let index = u32::try_from(self.0.len()).map_err(|_| "too many elements".to_owned())?;
        match open.last_mut() {
            Some((parent, last)) => {
                let link = match *last {
                    0 => &mut self.0[*parent as usize].first_child,
                    last => &mut self.0[last as usize].next,
                };
                *link = index;
                *last = index;
            }
            None if index != 0 => return Err("a second root".to_owned()),
            None => {}
        }
        self.0.push(Element {
            name: Cow::Owned(String::from_utf8_lossy(element.local_name().as_ref()).into_owned()),
            attributes: Attributes::plain(element)?,
            text: Cow::Borrowed(""),
            first_child: 0,
            next: 0,
        });
        Ok(index)
    }

    fn add_text(&mut self, open: &[(u32, u32)], piece: Cow<'a, str>) {
        let Some((index, _)) = open.last() else { return };
        let text = &mut self.0[*index as usize].text;
        if piece.trim().is_empty() {
            return;
        }
        if text.is_empty() {
            *text = piece;
        } else {
            // A comment separates two numbers.
            text.to_mut().push(' ');
            text.to_mut().push_str(&piece);
        }
    }

    /// Returns the root.
    pub(crate) fn root(&self) -> Node<'_, 'a> {
        Node { tree: self, index: 0 }
    }

    /// Returns the number of elements.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns all elements, in the order of the document.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = Node<'_, 'a>> {
        (0..self.0.len() as u32).map(|index| Node { tree: self, index })
    }
}

impl<'t, 'a> Node<'t, 'a> {
    fn element(self) -> &'t Element<'a> {
        &self.tree.0[self.index as usize]
    }

    /// Returns a number that no other element of the tree has.
    pub(crate) fn index(self) -> u32 {
        self.index
    }

    pub(crate) fn name(self) -> &'t str {
        &self.element().name
    }

    pub(crate) fn get(self, name: &str) -> Option<&'t str> {
        self.element().attributes.get(name)
    }

    pub(crate) fn text(self) -> &'t str {
        &self.element().text
    }

    pub(crate) fn children(self) -> impl Iterator<Item = Node<'t, 'a>> {
        let tree = self.tree;
        let some = move |index: u32| (index != 0).then_some(Node { tree, index });
        core::iter::successors(some(self.element().first_child), move |node| some(node.element().next))
    }

    /// Returns the children of this name.
    pub(crate) fn all(self, name: &'static str) -> impl Iterator<Item = Node<'t, 'a>> {
        self.children().filter(move |child| child.name() == name)
    }

    /// Returns the first child of this name.
    pub(crate) fn child(self, name: &'static str) -> Option<Node<'t, 'a>> {
        self.all(name).next()
    }
}
