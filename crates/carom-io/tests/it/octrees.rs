//! OctoMap `.bt`: trees that a writer of this test wrote, and hostile files.

use carom_io::{Octree, OctreeLeaf, UnknownCells, parse_octree, parse_octree_data};
use carom_testkit::random::Random;
use std::path::Path;

/// A tree of the writer.
enum Node {
    Unknown,
    Free,
    Occupied,
    Inner(Vec<Node>),
}

fn random_node(random: &mut Random, depth: u32) -> Node {
    match random.below(if depth < 16 { 6 } else { 3 }) {
        0 => Node::Unknown,
        1 => Node::Free,
        2 => Node::Occupied,
        _ if depth < 4 || random.below(3) == 0 => inner(random, depth),
        _ => Node::Occupied,
    }
}

fn inner(random: &mut Random, depth: u32) -> Node {
    let mut children: Vec<Node> = (0..8).map(|_| random_node(random, depth + 1)).collect();
    children[random.below(8)] = Node::Occupied;
    Node::Inner(children)
}

/// Writes a node as OctoMap does, and returns the number of nodes.
fn write(node: &Node, out: &mut Vec<u8>) -> u64 {
    let Node::Inner(children) = node else { return 1 };
    let code = |node: &Node| match node {
        Node::Unknown => 0_u16,
        Node::Free => 1,
        Node::Occupied => 2,
        Node::Inner(_) => 3,
    };
    let bits = children.iter().enumerate().fold(0, |bits, (i, child)| bits | code(child) << (2 * i));
    out.extend(bits.to_le_bytes());
    let count = |child: &Node| if matches!(child, Node::Unknown) { 0 } else { write(child, out) };
    1 + children.iter().map(count).sum::<u64>()
}

/// Returns the occupied volume in cells, without and with unknown cells.
fn volume(node: &Node, depth: u32) -> (u128, u128) {
    let all = 1_u128 << (3 * (16 - depth));
    match node {
        Node::Unknown => (0, all),
        Node::Free => (0, 0),
        Node::Occupied => (all, all),
        Node::Inner(children) => children
            .iter()
            .map(|child| volume(child, depth + 1))
            .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1)),
    }
}

/// Whether the cell is occupied in the tree that was written.
fn is_occupied(node: &Node, cell: [u16; 3], depth: u32) -> bool {
    match node {
        Node::Inner(children) => {
            let side = |axis: usize| usize::from(cell[axis] >> (15 - depth) & 1) << axis;
            is_occupied(&children[side(0) | side(1) | side(2)], cell, depth + 1)
        }
        node => matches!(node, Node::Occupied),
    }
}

fn file(size: u64, res: &str, data: &[u8]) -> Vec<u8> {
    let head =
        format!("# Octomap OcTree binary file\n# (a comment)\n#\nid OcTree\nsize {size}\nres {res}\ndata\n");
    [head.as_bytes(), data].concat()
}

fn parse(bytes: &[u8]) -> Result<Octree, String> {
    parse_octree(bytes, Path::new("map.bt"), UnknownCells::Free).map_err(|e| e.to_string())
}

fn cells(tree: &Octree) -> u128 {
    let n = |leaf: &carom_io::OctreeLeaf, k: usize| u128::from(leaf.last[k] - leaf.first[k]) + 1;
    tree.leaves.iter().map(|leaf| n(leaf, 0) * n(leaf, 1) * n(leaf, 2)).sum()
}

#[test]
fn trees_are_read_as_they_were_written() {
    let mut random = Random::new(1);
    let mut n_leaves = 0;
    for _ in 0..60 {
        let root = inner(&mut random, 0);
        let mut data = Vec::new();
        let size = write(&root, &mut data);
        let tree = parse(&file(size, "0.05", &data)).unwrap();
        assert_eq!((tree.resolution, tree.n_nodes, tree.origin()), (0.05, size, -32768.0 * 0.05));
        assert_eq!(cells(&tree), volume(&root, 0).0);
        n_leaves += tree.leaves.len();
        for leaf in &tree.leaves {
            assert!(is_occupied(&root, leaf.first, 0) && is_occupied(&root, leaf.last, 0), "{leaf:?}");
        }
        let alone = parse_octree_data(&data, 0.05, UnknownCells::Occupied).unwrap();
        assert_eq!(cells(&alone), volume(&root, 0).1);
    }
    assert!(1000 < n_leaves);
}

/// Collects the occupied leaves of the written tree.
fn leaves_of(node: &Node, first: [u16; 3], depth: u32, out: &mut Vec<([u16; 3], u32)>) {
    match node {
        Node::Occupied => out.push((first, depth)),
        Node::Inner(children) => {
            let half = 1_u16 << (15 - depth);
            for (child, node) in children.iter().enumerate() {
                let start = core::array::from_fn(|axis| first[axis] + half * (child as u16 >> axis & 1));
                leaves_of(node, start, depth + 1, out);
            }
        }
        Node::Unknown | Node::Free => {}
    }
}

/// Merges leaves by rounds over all of them, the smallest first.
fn merged(mut leaves: Vec<([u16; 3], u32)>) -> Vec<([u16; 3], u32)> {
    for depth in (1..=16_u32).rev() {
        let parent = |first: [u16; 3]| first.map(|k| (u32::from(k) >> (17 - depth) << (17 - depth)) as u16);
        let mut counts = std::collections::HashMap::new();
        for (first, _) in leaves.iter().filter(|leaf| leaf.1 == depth) {
            *counts.entry(parent(*first)).or_insert(0) += 1;
        }
        let is_full = |leaf: &([u16; 3], u32)| leaf.1 == depth && counts[&parent(leaf.0)] == 8;
        let mut full: Vec<[u16; 3]> =
            leaves.iter().filter(|leaf| is_full(leaf)).map(|leaf| parent(leaf.0)).collect();
        full.sort_unstable();
        full.dedup();
        leaves.retain(|leaf| !is_full(leaf));
        leaves.extend(full.into_iter().map(|first| (first, depth - 1)));
    }
    leaves.sort_unstable();
    leaves
}

/// Returns a node that is nearly all occupied, so that many cubes are full.
fn dense_node(random: &mut Random, depth: u32) -> Node {
    match random.below(40) {
        0 => Node::Free,
        1 => Node::Unknown,
        n if n < 26 && depth < 5 => Node::Inner((0..8).map(|_| dense_node(random, depth + 1)).collect()),
        _ => Node::Occupied,
    }
}

#[test]
fn full_cubes_are_one_leaf() {
    let mut random = Random::new(7);
    let (mut n_before, mut n_after) = (0, 0);
    for round in 0..60 {
        let children =
            (0..8).map(|_| if round < 50 { dense_node(&mut random, 1) } else { random_node(&mut random, 1) });
        let root = Node::Inner(children.collect());
        let (mut data, mut leaves) = (Vec::new(), Vec::new());
        write(&root, &mut data);
        leaves_of(&root, [0; 3], 0, &mut leaves);
        n_before += leaves.len();
        let tree = parse_octree_data(&data, 0.5, UnknownCells::Free).unwrap();
        let depth = |leaf: &OctreeLeaf| 16 - (u32::from(leaf.last[0] - leaf.first[0]) + 1).trailing_zeros();
        let mut found: Vec<_> = tree.leaves.iter().map(|leaf| (leaf.first, depth(leaf))).collect();
        found.sort_unstable();
        n_after += found.len();
        assert_eq!(found, merged(leaves));
        assert_eq!(cells(&tree), volume(&root, 0).0);
    }
    assert!(1000 < n_after && 3 * n_after < 2 * n_before, "{n_before} leaves became {n_after}");
    // All cells of all levels: the root is one leaf.
    let full = [&[0b1111_1111_1111_1111_u16][..], &[0b1010_1010_1010_1010; 8]].concat();
    let data: Vec<u8> = full.iter().flat_map(|word| word.to_le_bytes()).collect();
    let tree = parse_octree_data(&data, 1.0, UnknownCells::Free).unwrap();
    assert_eq!(tree.leaves, [OctreeLeaf { first: [0; 3], last: [65535; 3] }]);
    // Unknown cells complete a full cube, too.
    let tree = parse_octree_data(&[2, 0], 1.0, UnknownCells::Occupied).unwrap();
    assert_eq!((tree.leaves.len(), tree.n_nodes), (1, 2));
}

/// The largest child along x is number 1, along y number 2, along z number 4.
#[test]
fn sides_are_in_their_order() {
    for (child, axis) in [(1, 0), (2, 1), (4, 2)] {
        let tree = parse(&file(2, "1", &(2_u16 << (2 * child)).to_le_bytes())).unwrap();
        let first: [u16; 3] = core::array::from_fn(|k| if k == axis { 32768 } else { 0 });
        assert_eq!((tree.leaves.len(), tree.leaves[0].first), (1, first));
        assert_eq!(tree.leaves[0].last[axis], 65535);
    }
    // A root without children is one occupied leaf; no node at all is an empty map.
    assert_eq!(cells(&parse(&file(1, "1", &[0, 0])).unwrap()), 1 << 48);
    assert_eq!(parse(&file(0, "1", &[])).unwrap().leaves, []);
}

#[test]
fn refusals_name_the_reason() {
    let deep = [[0b11, 0]; 16].concat();
    let deeper = [[0b11, 0]; 17].concat();
    let cases: [(Vec<u8>, &str); 14] = [
        (file(2, "0", &[2, 0]), "line 6: res \"0\" is no length above 0"),
        (file(2, "NaN", &[2, 0]), "line 6: res \"NaN\" is no length above 0"),
        (file(2, "inf", &[2, 0]), "is no length above 0"),
        (file(2, "-1", &[2, 0]), "is no length above 0"),
        (file(3, "1", &[2, 0]), "3 nodes announced, 2 there"),
        (file(2, "1", &[2]), "truncated: the data ends within node 1"),
        (file(2, "1", &[3, 0]), "truncated"),
        (file(2, "1", &[2, 0, 0]), "1 bytes behind the tree"),
        (file(0, "1", &[2, 0]), "0 nodes announced, 2 there"),
        (file(2, "1", &[3, 0, 0, 0]), "a node at depth 1 has no children"),
        (file(17, "1", &[deep.as_slice(), &[2, 0]].concat()), "deeper than 16"),
        (file(18, "1", &deeper), "deeper than 16"),
        (b"# Octomap OcTree file\n".to_vec(), "ot2bt"),
        (b"v 0 0 0\nf 1 2 3\n".to_vec(), "line 1: not an octree"),
    ];
    for (bytes, reason) in cases {
        let error = parse(&bytes).unwrap_err();
        assert!(error.starts_with("map.bt: ") && error.contains(reason), "{error} | {reason}");
    }
    let head = |text: &str| parse(text.as_bytes()).unwrap_err();
    assert!(head("# Octomap OcTree binary file\nid OcTree\nsize 1\n").contains("no line \"data\""));
    assert!(head("# Octomap OcTree binary file\nid Other\n").contains("is not OcTree"));
    assert!(head("# Octomap OcTree binary file\nsize -4\n").contains("is no count"));
    assert!(head("# Octomap OcTree binary file\nsize 1\nres 1\ndata\n").contains("no id"));
    assert!(head("# Octomap OcTree binary file\nid OcTree\nres 1\ndata\n").contains("no size"));
    assert!(head("# Octomap OcTree binary file\nid OcTree\nsize 1\ndata\n").contains("no res"));
    assert!(head("").contains("no line"));
    for bad in [0.0, f64::NAN, -1.0, f64::INFINITY] {
        assert!(parse_octree_data(&[2, 0], bad, UnknownCells::Free).is_err());
    }
}

/// Every prefix of a file is refused, and changed bytes do not panic.
#[test]
fn cut_and_changed_files_do_no_harm() {
    let mut random = Random::new(8);
    let mut data = Vec::new();
    let size = write(&inner(&mut random, 0), &mut data);
    let whole = file(size, "0.1", &data);
    for end in 0..whole.len() {
        assert!(parse(&whole[..end]).is_err(), "{end}");
    }
    for _ in 0..2000 {
        let mut bytes = whole.clone();
        let index = random.below(bytes.len());
        bytes[index] = random.below(256) as u8;
        if let Ok(tree) = parse(&bytes) {
            assert!(tree.leaves.len() <= 8 * whole.len());
        }
    }
}
