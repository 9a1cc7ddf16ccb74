//! The algorithm that answers each pair of shapes: the two tables of this crate.
//!
//! Each query matches on [`Method`], so a missing pair does not compile. A pair of kinds stands in
//! one order only. For the other order the caller swaps the shapes and mirrors the answer.
//!
//! The second table, [`ConvexMethod`], is for two convex shapes: pairs with formulas of their own,
//! and the general search for all others.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 4.1 (one test per pair of kinds).

use super::super::num::geom::{Capsule, ConvexHull, Cuboid, HalfSpace, Sphere, TriMesh};
use super::cluster::Cluster;
use super::compound::Compound;
use super::mesh_shape::MeshShape;
use super::shape::{Shape, ShapeKind};
use crate::field_pair::FieldOther;
use carom_geom::{DistanceField, SupportMap};

/// Two convex shapes, with their support maps.
#[derive(Clone, Copy)]
pub(super) struct ConvexShapes<'a> {
    pub(super) a: &'a Shape,
    pub(super) map_a: &'a dyn SupportMap,
    pub(super) b: &'a Shape,
    pub(super) map_b: &'a dyn SupportMap,
}

/// The algorithm for a pair of shapes A and B.
pub(super) enum Method<'a> {
    /// Two convex shapes: see [`ConvexMethod`].
    Convex(ConvexShapes<'a>),
    /// One support along the normal of the plane.
    PlaneConvex(&'a HalfSpace, &'a dyn SupportMap),
    /// A comparison of two normals.
    Planes(&'a HalfSpace, &'a HalfSpace),
    /// The lowest vertex.
    PlaneMesh(&'a HalfSpace, &'a MeshShape),
    /// Descent into the tree of the mesh; each triangle that is near is a convex shape.
    MeshConvex(&'a MeshShape, &'a dyn SupportMap),
    /// Descent into both trees; pairs of triangles.
    Meshes(&'a MeshShape, &'a MeshShape),
    /// Branch and bound over the box of the field.
    Field(&'a dyn DistanceField, FieldOther<'a, TriMesh>),
    /// Descent into the tree of the cluster; each part that is near against B.
    Cluster(&'a dyn Cluster),
    /// Each part of A against B.
    Parts(&'a Compound),
    /// The method of B and A.
    Swapped,
}

/// Returns the method for a pair of shapes.
#[inline]
pub(super) fn method<'a>(a: &'a Shape, b: &'a Shape) -> Method<'a> {
    use ShapeKind::{Cluster, Compound, Convex, Field, HalfSpace, Mesh};
    match (a.kind(), b.kind()) {
        (Convex(map_a), Convex(map_b)) => Method::Convex(ConvexShapes { a, map_a, b, map_b }),
        (HalfSpace(a), Convex(b)) => Method::PlaneConvex(a, b),
        (HalfSpace(a), HalfSpace(b)) => Method::Planes(a, b),
        (HalfSpace(a), Mesh(b)) => Method::PlaneMesh(a, b),
        (Mesh(a), Convex(b)) => Method::MeshConvex(a, b),
        (Mesh(a), Mesh(b)) => Method::Meshes(a, b),
        (Field(a), Convex(b)) => Method::Field(a, FieldOther::Convex(b)),
        (Field(a), HalfSpace(b)) => Method::Field(a, FieldOther::HalfSpace(b.normal_wide())),
        (Field(a), Mesh(b)) => Method::Field(a, FieldOther::Mesh(b)),
        (Field(a), Field(b)) => Method::Field(a, FieldOther::Field(b)),
        (Compound(a), _) => Method::Parts(a),
        (Cluster(a), Convex(_) | HalfSpace(_) | Mesh(_) | Field(_) | Cluster(_)) => Method::Cluster(a),
        (Convex(_), HalfSpace(_) | Mesh(_) | Field(_) | Cluster(_) | Compound(_))
        | (HalfSpace(_), Field(_) | Cluster(_) | Compound(_))
        | (Mesh(_), HalfSpace(_) | Field(_) | Cluster(_) | Compound(_))
        | (Field(_), Cluster(_) | Compound(_))
        | (Cluster(_), Compound(_)) => Method::Swapped,
    }
}

/// The algorithm for two convex shapes.
pub(super) enum ConvexMethod<'a> {
    /// Two boxes: fifteen axes.
    Boxes(&'a Cuboid, &'a Cuboid),
    /// Two hulls: a walk over the features from the last answer, and GJK.
    Hulls(&'a ConvexHull, &'a ConvexHull),
    /// Formulas for balls, capsules and a box.
    ClosedForm {
        /// The pair, in the order that has formulas.
        pair: RoundPair<'a>,
        /// Whether A is the second shape of the pair.
        is_swapped: bool,
    },
    /// GJK, and EPA if the shapes overlap.
    Search,
}

/// The pairs with formulas, apart from two boxes.
pub(super) enum RoundPair<'a> {
    Spheres(&'a Sphere, &'a Sphere),
    CuboidSphere(&'a Cuboid, &'a Sphere),
    CapsuleSphere(&'a Capsule, &'a Sphere),
    Capsules(&'a Capsule, &'a Capsule),
    CuboidCapsule(&'a Cuboid, &'a Capsule),
}

/// Returns the method for two convex shapes.
#[inline]
pub(super) fn convex_method<'a>(a: &'a Shape, b: &'a Shape) -> ConvexMethod<'a> {
    use RoundPair::{CapsuleSphere, Capsules, CuboidCapsule, CuboidSphere, Spheres};
    let (pair, is_swapped) = match (a, b) {
        (Shape::Cuboid(a), Shape::Cuboid(b)) => return ConvexMethod::Boxes(a, b),
        (Shape::Hull(a), Shape::Hull(b)) => return ConvexMethod::Hulls(a, b),
        (Shape::Sphere(a), Shape::Sphere(b)) => (Spheres(a, b), false),
        (Shape::Cuboid(a), Shape::Sphere(b)) => (CuboidSphere(a, b), false),
        (Shape::Sphere(a), Shape::Cuboid(b)) => (CuboidSphere(b, a), true),
        (Shape::Capsule(a), Shape::Sphere(b)) => (CapsuleSphere(a, b), false),
        (Shape::Sphere(a), Shape::Capsule(b)) => (CapsuleSphere(b, a), true),
        (Shape::Capsule(a), Shape::Capsule(b)) => (Capsules(a, b), false),
        (Shape::Cuboid(a), Shape::Capsule(b)) => (CuboidCapsule(a, b), false),
        (Shape::Capsule(a), Shape::Cuboid(b)) => (CuboidCapsule(b, a), true),
        _ => return ConvexMethod::Search,
    };
    ConvexMethod::ClosedForm { pair, is_swapped }
}

impl<'a> ConvexShapes<'a> {
    /// Returns the method for the two.
    #[inline]
    pub(super) fn method(self) -> ConvexMethod<'a> {
        convex_method(self.a, self.b)
    }
}

/// Returns the name of the algorithm that answers a pair, in either order, for docs and tools.
pub fn method_name(a: &Shape, b: &Shape) -> &'static str {
    match method(a, b) {
        Method::Convex(shapes) => match shapes.method() {
            ConvexMethod::Boxes(..) => "separating axes",
            ConvexMethod::Hulls(..) => "feature walk",
            ConvexMethod::ClosedForm { .. } => "closed form",
            ConvexMethod::Search => "GJK and EPA",
        },
        Method::PlaneConvex(..) => "support along the normal",
        Method::Planes(..) => "normals",
        Method::PlaneMesh(..) => "lowest vertex",
        Method::MeshConvex(..) => "tree of triangles",
        Method::Meshes(..) => "two trees of triangles",
        Method::Field(..) => "branch and bound",
        Method::Cluster(_) => "tree of parts",
        Method::Parts(_) => "part by part",
        Method::Swapped => method_name(b, a),
    }
}
