//! Every tolerance of carom: its unit, the reason for its size, and its consequences.
//!
//! No tolerance is an absolute length, except the limits of sizes. A tolerance is multiplied by
//! the size of the data, and the comment states which power of the length it uses.
//!
//! There are three kinds.
//!
//! A rounding tolerance follows from a count of the roundings of one computation. Each is at most
//! u = 2^-53 in `f64` (2^-24 in `f32`). The tolerance must exceed the largest difference from a
//! better computation. An `f32` computation is compared with its `f64` version, an `f64`
//! computation with 106-bit numbers or rationals.
//!
//! A stopping rule trades accuracy for time. Its derivation is its effect on the result.
//!
//! A convention has only the reasoning given with it.
//!
//! `cargo xtask truth tolerances` measures the first two kinds. The cases are turned poses,
//! needles, plates, sizes from 1e-4 to 1e4 and offsets up to 1e5. It fails if a constant is below
//! the need of a case. It also fails if a constant is more than a thousand times above all needs
//! without a reason in its table. "Needed" below is the largest need of any case of such a run.
//! The command also prints the differences between the `f32` and `f64` results. A test of
//! carom-query covers a part of the cases each time.

/// Pure number. The largest deviation of a quaternion's length from 1 that counts as rounding.
///
/// Files print rotations with few digits. 1 % accepts four-digit data, and still rejects a scale.
/// Accepted quaternions are normalised in `f64`.
///
/// Four digits after the point leave sqrt(4) * 0.5e-4 = 1e-4 at most. Needed: 9.3e-5 (1,000,000
/// cases, factor 108).
pub const QUATERNION_LENGTH: f64 = 1e-2;

/// A length. The largest absolute coordinate or size of a shape: 2^150, about 1.4e45.
///
/// It is beyond any `f32`. In `f64` it keeps products of six lengths finite, so that no query
/// overflows into NaN.
pub const MAX_LENGTH: f64 = f64::from_bits((1023 + 150) << 52);

/// A length. A radius or half extent is zero or at least this: 2^-149, the least positive `f32`.
///
/// In `f64` it keeps quotients of lengths finite.
pub const MIN_LENGTH: f64 = f64::from_bits((1023 - 149) << 52);

/// Pure number, the sine of an angle (about 6 degrees). A face counts as resting on a plane if its
/// normal is within this angle of the plane's. An edge does if it is within this angle of the
/// plane itself.
///
/// With a smaller value, a slightly tilted box stands on an edge instead of on its face. With a
/// larger one, crossing edges are clipped as faces, and contact points are off the contact.
pub const FEATURE_SINE: f64 = 0.1;

/// Pure number, the sine of an angle (about 44 degrees). A face that leans by less than this
/// against a flat one is clipped against it. So the corners of a tipping body are contacts before
/// they touch.
///
/// With a smaller value, a wobbling disc has one contact per step, which lags behind its lowest
/// point. The value must be below sin 45, or two sides of a box could qualify.
pub const INCIDENT_SINE: f64 = 0.7;

/// Relative to the sum of two bodies' sizes, a length. The overlap of an axis must be smaller by
/// this to be preferred over that of a face axis tested earlier.
///
/// It is far above the rounding of an overlap. Edges parallel to the other body's edges repeat its
/// face normals. The face must win such a tie, or resting boxes would flicker between edge and
/// face contacts. Depths are too large by at most this.
///
/// An overlap is computed from two supports. Each is a corner placed by 3 products and 3 sums,
/// times a normal with 6 roundings. That is 12 u of the size at worst, and two overlaps are
/// compared: 3e-15. Needed for that: 1.3e-15 (31,000 cases, factor 74). A depth may exceed the
/// least overlap by the whole tolerance: 9.7e-14 (31,000 cases, factor 1.03).
pub const SAT_TIE: f64 = 1e-13;

/// Cosine, a pure number: that of [`FEATURE_SINE`]. Faces within this angle of the contact normal
/// are clipped against each other, even if the axis of least overlap comes from two edges.
///
/// A box at rest tilts by far less and keeps its four contacts.
pub const NEARLY_FACING: f64 = 0.994_987_437_106_62;

/// Cosine, a pure number, of 37 degrees. It applies to boxes that overlap at crossing edges. If
/// their faces are within this angle of the contact normal, the clipped face contacts are kept
/// besides the crossing.
///
/// A single contact moves from edge to edge as a box rocks, so a pile would not come to rest. In a
/// pile of 10,000 boxes the mean motion falls to a tenth. A narrower angle helps less, a wider one
/// no more. Disjoint boxes keep one contact, because several contacts stop bodies dead at the foot
/// of a ramp.
pub const SLANTED_FACING: f64 = 0.8;

/// Cosine, a pure number. A supporting face farther from the contact normal than this is seen
/// edge-on, and its extreme edge replaces it. Moving points along the normal to its plane would
/// magnify errors twentyfold.
pub const FACE_SEEN_EDGE_ON: f64 = 0.05;

/// Squared sine, a pure number, of one degree. Segments at a smaller angle touch along a stretch,
/// with two contacts instead of one.
pub const PARALLEL_EDGES_SQ: f64 = 3e-4;

/// Sine, a pure number. It applies to two nearly parallel disjoint segments. If they are offset
/// along the contact normal by a smaller angle, one counts as over the other.
///
/// The normal of a distance search is known to some 1e-6, and that of `f32` to 1e-7. Distances are
/// too small by half the square of this, relative to themselves. Needed for boxes and an `f32`
/// normal: 4.5e-8 (63,000 cases, factor 89). Normals of curved shapes are known to 1e-6 only.
pub const OVER_EACH_OTHER: f64 = 4e-6;

/// Squared ratio of areas, a pure number: twice a polygon's area over its squared length. Below a
/// ratio of a thousandth the polygon is thin, and is clipped at its ends as well as at its sides.
///
/// With [`CLIP_ON_PLANE`], a clip overshoots a corner of such an angle by a thousand times that
/// tolerance, about 4e-12.
pub const THIN_POLYGON_SQ: f64 = 1e-6;

/// Relative to the sum of two bodies' radii, a length. A clipped contact this close to the depth
/// replaces the witness of the depth. A clipped contact that is deeper by more than this is
/// discarded.
///
/// The witness is in `f32`, and faces of hulls are flat only up to `f32` rounding. This covers
/// both. Each of the three coordinates of a unit normal is off by at most 2^-25, over a length of
/// the size. The distance is off by 2^-24. Together that is 1.1e-7. Needed for boxes: 5.2e-8
/// (63,000 cases, factor 19).
pub const WITNESS_KEPT: f64 = 1e-6;

/// Like [`WITNESS_KEPT`], if bodies and witness are in `f64`.
///
/// It is some thousand roundings. Needed for boxes: 9.9e-13 (63,000 cases, factor 1.005). Nearly
/// parallel faces use all of it; a contact that differs by more is replaced by the witness.
pub const WITNESS_KEPT_F64: f64 = 1e-12;

/// Relative to the size of two features, a length. A point this close to a clipping plane lies on
/// it.
///
/// A polygon that is no wider counts as a segment. A placed corner takes 3 products and 3 sums,
/// and its height one more: 6 u of four lengths below the size, 2.7e-15. Needed for a corner:
/// 5.6e-16 (1,000,000 cases, factor 7.2). Needed for a corner that was cut before: 2.9e-16
/// (1,000,000 cases, factor 14).
pub const CLIP_ON_PLANE: f64 = 4e-15;
/// Pure number, times the size of the figure. The least possible improvement of a closest distance
/// that justifies double-double arithmetic. A larger number saves time and costs accuracy. It is a
/// stopping rule, and adds less than itself to [`CLOSEST_POINTS_ERROR`], whose measurement
/// includes it.
pub const CLOSEST_POINTS_GAIN: f64 = 4.0e-16;

/// Squared sine, a pure number, of half a degree. Closest points of segments at a larger angle are
/// computed in plain `f64`, if the segments are also farther apart than [`PLAIN_DISTANCE_SQ`]. So
/// are those of a point and a triangle with a larger angle between its first two edges.
///
/// Closest points are quotients of numbers with some ten roundings by the squared sine. So they
/// are displaced by 10 u / sine^2, which is 1e-11. Needed for that, from the limit up to thirty
/// times the sine: 4.8e-5 (1,000,000 cases, factor 2.1).
pub const PLAIN_SINE_SQ: f64 = 1e-4;

/// Squared fraction of the extent of two segments. Segments farther apart do not meet. Closest
/// points displaced by 1e-11 of the extent, as [`PLAIN_SINE_SQ`] allows, change their distance by
/// less than 1e-16 of the extent.
///
/// A displacement e across the shortest line changes a distance d by e^2 / (2 d). With e = 1e-11
/// that is 1e-16 for d = 5e-7, whose square is 2.5e-13. Needed for the measured displacements:
/// 2.5e-15 (1,000,000 cases, factor 401).
pub const PLAIN_DISTANCE_SQ: f64 = 1e-12;

/// Relative to the extent of two bodies and their radii, a length. The error bound of the distance
/// of two points, segments or triangles.
///
/// The distance takes three differences, a point in each set as a sum of three products, and a
/// length. That is 20 u of the extent along the axes, times sqrt(3): 4e-15. Needed, against
/// rationals: 3.6e-16 (16,000 cases, factor 56). If a distance is this near to the sum of the
/// radii, exact numbers decide whether the bodies touch. So a larger number costs time, and a
/// smaller one could give a wrong answer.
pub const CLOSEST_POINTS_ERROR: f64 = 2e-14;

/// Relative to the extent of two sets, a length: 2^-120, about 7.5e-37. The reported distance of
/// sets that do not meet, if 106-bit numbers give a smaller one.
///
/// A distance of 0 would mean that the sets meet.
///
/// It is a convention: 106-bit numbers resolve 2^-104 of the extent, so the value says only that
/// the distance is not 0.
pub const LEAST_DISTANCE: f64 = f64::from_bits((1023 - 120) << 52);

/// Fraction of the distance. GJK stops if the upper bound minus the lower one is below it.
///
/// It is a stopping rule; searches on polytopes nearly always end at features before. `f64` still
/// resolves 1e-12, and a smaller value spends rounds on noise. The value is 2^-16 of a rounding to
/// `f32`. Its effect for curved shapes, as a part of the distance: 9.9e-13 (16,000 cases, factor
/// 1.00). For needle-thin boxes beside large ones rounding ends the search. The effect, as a part
/// of their reach: 2.5e-13 (31,000 cases, factor 4).
pub const GJK_DISTANCE: f64 = 1e-12;

/// Fraction of the size of the pair. If the origin is nearer than this to the Minkowski
/// difference, the bodies touch.
///
/// It is about ten times the roundings of one pose and three products, which are 9 u of the size.
/// Touching is an overlap of 0. Needed for distances near 0: 9.7e-16 (31,000 cases, factor 10).
/// The largest gap reported as touching: 9.3e-15 (31,000 cases, factor 1.07).
pub const GJK_TOUCHING: f64 = 1e-14;

/// Fraction of the size of the pair. The rounding of a dot product with a support point; smaller
/// gaps count as 0.
///
/// A point of the difference takes 3 products and 4 sums, its height 3 products and 2 sums. That
/// is 9 u of lengths that add up to at most three sizes: 3e-15 at worst. The value, 16 u, is twice
/// the usual worst case. Needed: 1.2e-15 (1,000,000 cases, factor 1.4). A larger gap that is only
/// noise costs one round.
pub const GJK_ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Fraction of the depth. EPA stops if the upper bound minus the lower one is below it.
///
/// It is a stopping rule, for curved shapes only: each digit costs about 6 rounds. Its effect, as
/// a part of the depth: 8.3e-11 (3,900 cases, factor 1.21). That is 2^-9 of a rounding to `f32`.
pub const EPA_DEPTH: f64 = 1e-10;

/// Fraction of the size of the pair. A Minkowski difference thinner than this is flat, and its
/// depth is 0.
///
/// The error of a height over a triangle of the difference is [`GJK_ROUNDING`] for each corner.
/// For the normal it is that divided by the ratio of width to length of the triangle. Needed for
/// plates in one plane, over their largest triangle: 2.1e-15 (1,000,000 cases, factor 48). So
/// triangles may be fifty times thinner.
pub const EPA_FLAT: f64 = 1e-13;

/// Fraction of the size of the pair. EPA does not start from a tetrahedron thinner than this,
/// because the normals of its faces would be noise. It starts from its best triangle, extended to
/// both sides.
///
/// The height of such a tetrahedron has five digits, and so have its normals. The error of depths
/// with either start, for boxes from a thousandth of this to a thousand times as thick: 7.7e-14
/// (16,000 cases, factor 1.3e3).
pub const EPA_THIN: f64 = 1e-10;

/// Pure number. Times the rounding unit of the points' precision and the sum of the largest |x|,
/// |y| and |z|, it is a length. Neighbouring faces of a hull whose corners lie within that length
/// of one plane become one polygon.
///
/// Rounding moves each of four corners along the normal by half a unit at most: 2 for corners that
/// are rotated exactly and then rounded. Needed: 0.99 (1,000,000 cases, factor 3). Needed for
/// corners rotated in `f32`: 1.7 (1,000,000 cases, factor 1.7), in another run 2.3. With a larger
/// value slightly bent faces are merged, and the hull moves by that much. With a smaller one
/// rounded boxes have triangles as faces.
pub const HULL_COPLANAR: f64 = 3.0;

/// Pure number. The bound of the distance between two surfaces is at most this times the true one,
/// unless both are below [`REACH_ENOUGH`].
///
/// A value nearer to 1 costs time, because parts of the surface are divided until their bounds are
/// this good.
///
/// It does not depend on rounding: the bounds are proven for any value.
pub const REACH_GAP: f64 = 1.01;

/// Fraction of the size of a mesh: 2^-26, a quarter of the rounding of a coordinate to `f32`. The
/// distance of two surfaces that are nearer than this is not refined.
pub const REACH_ENOUGH: f64 = f64::from_bits((1023 - 26) << 52);

/// Fraction of the size of a mesh: 2^-12. The distance by which hulls extend beyond a mesh is not
/// refined below this.
///
/// If a face of a hull leaves the solid, some part of the face is half inside. So parts at the
/// border are divided down to this length.
pub const CONCAVITY_ENOUGH: f64 = f64::from_bits((1023 - 12) << 52);

/// Pure number. It applies while hulls are cut and merged. The bound of the distance by which they
/// extend beyond the mesh is at most this times the true distance.
pub const CONCAVITY_GAP: f64 = 1.1;

/// Pure number. A plane is a better cut than an earlier one only if it leaves less than this part
/// of the earlier volume to the hulls.
///
/// With a value nearer to 1, rounding would choose between similar planes. Planes near the middle
/// are tried first.
///
/// Volumes are sums of some thousand terms, accurate to 1e-12.
pub const CUT_GAIN: f64 = 0.9999;

/// Fraction of the largest coordinate: 2^-44. The error bound of points at which triangles are
/// cut. It is negligible beside a rounding of `f32`.
///
/// A cut takes a quotient, a product and a sum on an edge twice as long: 6 u. Cells cut the
/// original triangle once, so errors do not add up. Needed after twenty successive cuts: 7.7e-16
/// (63,000 cases, factor 74).
pub const CUT_ROUNDING: f64 = f64::from_bits((1023 - 44) << 52);

/// Fraction of a volume: 2^-30, which covers the rounding of both sums. A mesh is convex if its
/// hull has the same volume up to this.
pub const CONVEX_VOLUME: f64 = f64::from_bits((1023 - 30) << 52);

/// Fraction of a length: 2^-30. A translation that should separate two solids is longer by this
/// than its lower bound. That is above the rounding of the moved corners.
pub const SEPARATING_PART: f64 = f64::from_bits((1023 - 30) << 52);

/// Fraction of the size of a mesh: 2^-16. A flat part is thickened by this on both sides, so that
/// it has a hull.
pub const FLAT_PART: f64 = f64::from_bits((1023 - 16) << 52);

/// Pure number, relative to the trace of a quadric: 2^-24. The weight by which a new vertex is
/// drawn to the middle of its edge. It also raises the cost of longer edges, so that they are
/// collapsed later.
///
/// It decides only if the planes leave the vertex free. Otherwise it moves the vertex by 2^-24 of
/// the distance.
pub const COLLAPSE_STIFFNESS: f64 = f64::from_bits((1023 - 24) << 52);

/// Fraction of the largest coordinate: 2^-23. A new vertex that must lie above planes is kept this
/// far above them, so that rounding it to `f32` does not bring it below. Each collapse moves a
/// surface that is not exactly flat outwards by at least this.
///
/// Rounding moves each coordinate by at most 2^-24 of the largest. It moves a point along a normal
/// by at most sqrt(3) times that: 1.03e-7. Needed: 8.1e-8 (1,000,000 cases, factor 1.5).
pub const COLLAPSE_MARGIN: f64 = f64::from_bits((1023 - 23) << 52);

/// Fraction of the largest coordinate, a length: 2^-44. A plane closer than this to a point passes
/// through it. It applies when polygons are divided to measure them, and in the search for the
/// best position above planes.
///
/// A unit normal, a difference, their product and the cut itself round by 15 u of twice the
/// coordinate: 3e-15. Needed for a polygon cut at the side of a prism: 6.8e-16 (1,000,000 cases,
/// factor 84). It is far below [`COLLAPSE_MARGIN`].
pub const SURFACE_TOUCHES: f64 = f64::from_bits((1023 - 44) << 52);

/// Cosine, a pure number. A triangle may rotate by at most this angle if one of its corners moves.
/// A larger rotation would fold the surface over.
pub const COLLAPSE_TURN: f64 = 0.2;

/// Pure number. Each step of a simplification keeps to this part of the limit on the error. The
/// final bound may exceed the true error by [`REACH_GAP`], and is still within the limit.
///
/// The product of both is 0.995, which leaves half a percent for rounding.
pub const ERROR_KEPT: f64 = 0.985;

/// Pure number. Times the size of a shape and its distance from the ray's origin, it is a length.
/// A ray that comes this near to a convex shape with only a support map touches it.
///
/// It is a stopping rule: the steps of the cast converge to the surface from outside. 1e-12 is
/// some thousand roundings of `f64`, and 2^-16 of one of `f32`. Its effect, across the surface:
/// 1.0e-12 (16,000 cases, factor 1.00).
pub const RAY_REACHES: f64 = 1e-12;

/// The most steps of a ray cast by support map. Polytopes need a step per face that the ray
/// passes, curved shapes about twenty. Only a ray that grazes a curved surface needs more, and
/// then counts as touching.
pub const RAY_ROUNDS: u32 = 200;

/// Pure number, compared with permanents over determinants. Above it, the parameter of a ray on a
/// sliver is computed with twice the digits.
///
/// Below it, the error of the parameter is at most 1e-15 times this number, relative to the
/// distance of the triangle. A height and a speed are products of three differences each, off by 8
/// u of their permanents, 0.9e-15. Needed: 82 (250,000 cases, factor 12), in another run 870.
pub const RAY_PARAMETER_CONDITION: f64 = 1.0e3;
/// Pure numbers, radius over distance. The winding number of a part of a surface whose ratio is
/// smaller is computed from sums. The largest number is tried first, and the next if the error
/// bound is too large.
///
/// A larger first number wastes an attempt on most points. A smaller one visits more parts than
/// needed.
pub const WINDING_RATIOS: [f64; 3] = [0.35, 0.12, 0.04];

/// A winding number. The error bound of a query.
pub const WINDING: f64 = 1e-3;

/// Pure number. A matrix counts as a rounded rotation if the largest entry of R^T R - 1 is at most
/// this.
///
/// Files print direction cosines with six digits, which leaves a few 1e-6. A scale of 0.1 % gives
/// 2e-3, and is rejected.
///
/// With six digits after the point, the square of a unit column is off by up to 2 sqrt(3) * 0.5e-6
/// = 1.73e-6. Needed: 1.7e-6 (1,000,000 cases, factor 59).
pub const MATRIX_RIGIDITY: f64 = 1e-4;

/// Sine, a pure number. If the longest axis of the points is nearer than this to the normal of a
/// patch, it gives no direction in the patch. The oriented box then keeps the axes of the
/// covariance, which affects only its tightness.
///
/// The error of the direction is the rounding of two vectors, 10 u, over this sine: 1e-9 radians,
/// which is negligible.
pub const FRAME_SINE: f64 = 1e-6;

/// Fraction of a squared radius. In the search for the smallest ball, a point outside by at most
/// this counts as inside. So rounding does not cause an endless loop. The radius is measured from
/// the final centre.
///
/// The centre is a quotient by a volume, whose rounding grows as the four points become flatter:
/// 20 u for good ones. Needed for volumes above a hundredth of the product of the edges: 4.7e-14
/// (1,000,000 cases, factor 21). Flatter ones may be visited twice, and affect at worst the
/// tightness.
pub const BALL_HOLDS: f64 = 1e-12;

/// Fraction of the product of squared edges. If a squared area or volume is below it, the points
/// are dependent, and no ball goes through them.
///
/// It is the square of 1e-12. That is a thousand times the rounding of a volume, which is 10 u of
/// the product of its edges.
pub const BALL_DEPENDENT: f64 = 1e-24;

/// Fraction of an inertia. If the inverse inertia of a body differs from that of a sphere by less,
/// the body counts as a sphere. It then has no gyroscopic torque.
///
/// The moments of a cube whose corners were rotated and then rounded to `f32` are off by a few
/// times 2^-24. Needed: 2.3e-7 (63,000 cases, factor 4.3).
pub const INERTIA_ROUND: f32 = 1e-6;

/// Pure number. The axis of a joint counts as a rounded unit vector if its squared length differs
/// from 1 by at most this.
///
/// With four digits after the point it is off by up to 2 sqrt(3) * 0.5e-4 = 1.74e-4. Needed:
/// 1.7e-4 (1,000,000 cases, factor 6).
pub const AXIS_LENGTH: f32 = 1e-3;

/// Fraction of a box's volume. In the fit of an oriented box, a rotation must gain more than this.
///
/// With a smaller value, the search spends rounds on negligible gains. With a larger one, the box
/// stays larger by a few such steps.
///
/// It does not depend on rounding: a volume has only some ten roundings.
pub const BOX_GAIN: f64 = 1e-5;

/// Relative to the sum of the largest |x|, |y| and |z| of a mesh, a length: 2^-22. Neighbouring
/// triangles are one facet if their corners lie within this of the plane of one of them.
///
/// Rounding to `f32` moves each of four corners by at most 2^-25 of that sum. Corners that were
/// rotated in `f32` before move by twice as much. With a larger value, small bumps count as flat.
/// With a smaller one, flat floors have internal edges.
pub const FACET_THICK: f64 = f64::from_bits((1023 - 22) << 52);

/// Cosine, a pure number, of five degrees. Contacts of two meshes whose normals differ by less are
/// one manifold, with the normal of the deepest contact.
///
/// It is below the angle up to which a face counts as resting on another, [`FEATURE_SINE`]. With a
/// larger angle, the normal of a manifold is wrong for some of its faces. With a smaller one, a
/// curved surface has a manifold for every triangle.
pub const PATCH_COSINE: f64 = 0.996_194_698_091_746;

/// Relative to the size of a triangle, a length. A corner this near to the edge between two
/// triangles counts as over both.
///
/// Positions in `f32` are off by 6e-8 of the size of a body, which may be ten triangles long.
/// Duplicate points are removed.
pub const OVER_FACE: f64 = 1e-6;

/// Relative to an edge, a length. If a corner is nearer than this to an edge or another corner,
/// the direction between the two is not used as a normal.
///
/// Positions in `f32` are off by 1e-7, so at this distance the direction is known to a thousandth.
pub const DIRECTION_KNOWN: f64 = 1e-4;

/// An angle, in radians. If a body rests on several others at once, contact normals that differ by
/// at most this count as equal.
///
/// Normals in `f32` are off by 1e-7. In a solver, this angle causes a force of 1e-5 of the weight.
pub const SAME_NORMAL: f64 = 1e-5;

/// Fraction of the radius of the smaller of two bodies. At the start of the bracket of a time of
/// impact they are at most this far apart. At its end they overlap by at most this.
///
/// It is a stopping rule: 1e-6 costs a quarter more, 1e-2 a seventh less. If bodies approach
/// slowly, the bracket is wide in time, but still correct.
pub const IMPACT_BRACKET: f64 = 1e-4;

/// Fraction of the radius of the smaller of two bodies, as [`IMPACT_BRACKET`], for single queries
/// with accurate results.
///
/// It is a stopping rule: nine digits cost a third more than four. With a smaller value, rounding
/// ends more searches undecided.
pub const SWEEP_BRACKET: f64 = 1e-9;

/// Fraction of a distance. The accuracy of nearest points in the search for a time of impact. They
/// only propose an axis, and the proof does not depend on them.
pub const IMPACT_PROPOSAL: f64 = 1e-3;

/// Fraction of the query time. The search ends after three successive steps that are smaller.
pub const IMPACT_STALL: f64 = 1e-13;

/// Fraction of the smallest distance found between two moving bodies. A lower bound of this
/// fraction is proved if the query wants a good bound.
///
/// With a value nearer to 1 the search takes shorter steps. 0.7 costs a quarter more for all
/// queries, and the bounds are nine tenths of the true distance.
pub const IMPACT_DISTANCE: f64 = 0.7;

/// Relative to the largest difference of two vertices, a length: 2^-43, about 1e-13. The search
/// for the time of contact of a moving vertex and triangle, or of two edges, ends within this of
/// the queried distance. It ends with a proof of contact, or undecided.
///
/// Rounding takes 32 u, 2^-48, off a separation along an axis. A quarter of this number must be
/// larger, so that the search can continue. With a larger value, features that pass each other
/// below it are not distinguished from those that touch.
pub const ELEMENT_GAP: f64 = f64::from_bits((1023 - 43) << 52);

/// Relative to the size of a body, a length: 2^-16. Corners that are lower by at most this than
/// the highest along a direction belong to the touching feature.
///
/// It decides which points of a contact are given, not whether there is a contact. The direction
/// may be that of nearly parallel edges, and then differs a little from the normal of the touching
/// face.
pub const TOUCHING_CORNER: f64 = f64::from_bits((1023 - 16) << 52);

/// Fraction of the largest coordinate of a polygon's corners, a length: 2^-20. Corners this near
/// to a plane are in it.
///
/// Corners that were rotated and rounded to `f32` are off by 2^-24 of each of three coordinates:
/// 2^-22.4. With a smaller value, polygons of files are rejected. With a larger one, bent polygons
/// count as flat; their surface is that of their triangles.
pub const POLYGON_FLAT: f64 = f64::from_bits((1023 - 20) << 52);

/// Pure number, relative to the largest coordinate of a level: 2^-33. Cells thinner than this
/// count as empty, and planes nearer to each other are one. It is a hundredth of a millimetre in a
/// level of 80 km, and a millionth of a unit in one of 8,192.
///
/// Corners of brushes are off by 2^-50 of that coordinate, over the sine of the sharpest angle
/// between planes. With a smaller value, planes that were meant to be equal leave cells between
/// them. With a larger one, a body may sink in by as much.
pub const BSP_THIN: f64 = f64::from_bits((1023 - 33) << 52);

/// The sine of an angle. Planes whose normals differ by less are parallel.
///
/// Over the size of a level, two such planes diverge by less than ten times [`BSP_THIN`].
pub const BSP_SAME_NORMAL: f64 = 1e-9;

/// The sine of an angle: 2^-10. It applies to a point on several planes of a cell of a level. The
/// cell has room there if some direction leaves all these planes at this angle or more. A wedge of
/// 0.11 degrees has no room.
///
/// Planes from `f32` that were meant to be equal differ by up to 1e-7, and leave slivers between
/// them. Two spokes of a wheel of 64 differ by 0.05. A wedge without room is thinner than twice
/// the tolerance at that point.
///
/// The measured cases are faces of a hundredth to a five hundredth of the level, with corners
/// rounded to `f32`. They leave cones between planes that were meant to be equal, or to meet in
/// one line. Needed: 2.7e-5 (400,000 cases, factor 36).
pub const BSP_ROOM: f64 = f64::from_bits((1023 - 10) << 52);

/// Fraction of an area. If the back of more than this part of the surface of a mesh faces empty
/// space, the mesh is open.
///
/// Level editors leave cracks of 1/50 of a unit along the edges of triangles of 32 units. Through
/// these a thousandth is visible.
pub const BSP_OPEN: f64 = 0.004;

/// The cosine of an angle, 30 degrees. The edge between two faces of a cell of a level is not
/// bevelled if their normals differ by less.
///
/// At such an edge a ball stops too early by at most 4 % of its radius.
pub const BSP_BLUNT: f64 = 0.866_025_403_784_438_6;

/// Pure number, relative to the size of two segments times the sine of the angle between them:
/// 2^-10. If they pass each other nearer than this, the direction from one to the other is the
/// cross product of both.
///
/// The difference of the nearest points is off by 4 u of the size, so its direction is off by 4 u
/// over the distance. The cross product is off by 4 u over the sine. Near the limit, both agree to
/// 2^-40.
pub const CROSSING_AXES: f64 = f64::from_bits((1023 - 10) << 52);

/// Pure number, relative to the size of two segments: 2^-4. If they are farther apart than this,
/// the direction between their nearest points is accurate enough.
///
/// The difference of the nearest points is off by 4 u of the size, so its direction is off by at
/// most 64 u. A segment leans towards the other by that part of its length, which is below
/// [`GJK_TOUCHING`].
pub const AXES_APART: f64 = f64::from_bits((1023 - 4) << 52);

/// Pure number, the sine of an angle: 2^-40. A character moves along a plane if at most this part
/// of its speed is towards the plane.
///
/// Over a metre it comes nearer by a millionth of a micrometre, which is negligible beside the
/// skin. Projections on planes and creases are off by 2^-50.
pub const CHARACTER_INTO: f64 = f64::from_bits((1023 - 40) << 52);

/// Pure number, the sine of an angle: 2^-20. Two contacts of a character whose normals differ by
/// less are one.
///
/// With a larger value, sliding along the second would push the character into the first. With a
/// smaller one, the noise between two normals of one wall, 1e-9, counts as a crease.
pub const CHARACTER_SAME: f64 = f64::from_bits((1023 - 20) << 52);

/// Fraction of the figure's reach: 2^-20, two micrometres for a person. A step that is higher than
/// the limit by at most this is climbed.
///
/// Heights of contacts have the error of the distance search, 1e-9 of the figure.
pub const CHARACTER_STEP: f64 = f64::from_bits((1023 - 20) << 52);

/// A difference of cosines: 2^-30. A slope is climbed if its cosine is below that of the limit by
/// at most this.
///
/// At 45 degrees that is an angle of 1e-9 radians. Normals of faces are off by 1e-15.
pub const CHARACTER_SLOPE: f64 = f64::from_bits((1023 - 30) << 52);

/// Pure number. The sum of the bone weights of a vertex may differ from 1 by at most this.
///
/// Files store weights in bytes. Four of them are off by at most four halves of 1/255, which is
/// 0.8 %. Accepted weights are divided by their sum.
pub const WEIGHT_SUM: f64 = 1e-2;

/// The cosine of half an angle. If the rotations of two bones differ by more than 106 degrees,
/// there is no control point between them. Vertices with both bones are then bounded by a ball.
///
/// The proof needs a value above 1/2, and this is above it by far more than rounding. Control
/// points are up to 1 / 0.6 times as far from the joint as the skin. A smaller value makes boxes
/// larger, a larger one makes more balls.
pub const PAIR_COSINE: f64 = 0.6;

/// Pure number, times the reach of a skin: 2^-44, which is 512 u in `f64`. The boxes of a skin
/// grow by this times the largest number of bones of a vertex, cubed for dual quaternions.
///
/// The roundings are counted in the heads of linear_skin.rs and dual_quaternion.rs of
/// carom-deform: (2 m + 2) u and 448 m^3 u.
pub const SKIN_ROUNDING: f64 = f64::from_bits((1023 - 44) << 52);

/// Pure number: 2^-50, which is 8 u in `f64`. Times the reach of a mesh and the number of modes
/// plus 4, it is a length. Spheres of reduced coordinates and k-DOPs of morph targets grow by it.
///
/// The vertex and the centre are sums with one product for each mode, each off by sqrt(3) u, and
/// the radius by u. That is 4.5 u for each mode, and 10 u for the last sums.
pub const MODAL_ROUNDING: f64 = f64::from_bits((1023 - 50) << 52);

/// Pure number, times the square of a radius: 2^-20, which is 16 u in `f32`. If the square of a
/// distance in `f32` differs from that of the radius by more, it decides whether two points are
/// within the radius.
///
/// A square is off by 5 u: 2 for the difference, 1 for the product, and 2 for the sums. The limit
/// is rounded once more. Pairs inside the band are decided in `f64`. They are rare.
pub const NEIGHBOUR_BAND: f64 = f64::from_bits((1023 - 20) << 52);

/// Pure number: 2^-24. A cell is longer than its radius by this part.
///
/// The number of a cell is a product in `f64`, at most 2^24, and off by 2^-28. The numbers of two
/// points within the radius differ by at most 1 - 2^-24. So the points are in one cell or in
/// adjacent ones.
pub const NEIGHBOUR_CELL: f64 = f64::from_bits((1023 - 24) << 52);

/// A length in cells: 2^-10. A point is on the surface of a sampled distance field if the
/// interpolated distance is at most this.
///
/// The field itself is off by more, up to half the diagonal of a cell. So a smaller number would
/// cost steps and gain nothing.
pub const FIELD_SURFACE: f64 = f64::from_bits((1023 - 10) << 52);

/// Pure number, times the size of a cell: the accuracy of the least value of a field in another
/// shape.
///
/// The field itself is off by more, up to half the diagonal of a cell. A smaller number costs more
/// than it gains.
pub const FIELD_SEARCH: f64 = 0.125;

/// Pure number, the square of a slope. If a sampled distance field is flatter at a point, the
/// direction to the surface is unknown there.
///
/// The slope is near 1 in most of space, and falls to 0 at ridges: between two walls, or in the
/// middle of a ball.
pub const FIELD_SLOPE_SQ: f64 = 0.0625;

/// A ratio: the weight of the last rotation of a cluster of particles beside its present moments,
/// relative to their largest possible value.
///
/// Moments of `f32` positions are off by about 1e-7. With a weight above that, rounding does not
/// make particles on a line spin about it. The error of the rotation is at most this part of its
/// change in a step, times the ratio of the extreme moments.
pub const ROTATION_MEMORY: f64 = 1e-6;

/// A volume, relative to the cube of the longest edge. A tetrahedron with a smaller volume is
/// flat, and has no rest shape.
///
/// It is a convention: above the rounding of `f32` coordinates, and below the slivers of meshing
/// tools. The inverse of the edge matrix is then at most 2^20 times that of a regular tetrahedron.
pub const TETRAHEDRON_FLAT: f64 = f64::from_bits((1023 - 20) << 52);

/// Pure number, times the reach of a liquid's kernel: 2^-12. If two particles are nearer to each
/// other, their direction is unknown. They then separate along a direction that follows from their
/// numbers.
pub const COINCIDENT_PARTICLES: f32 = f32::from_bits((127 - 12) << 23);

/// Pure number, times the sum of the squares of gradients in a lattice at rest. It is the softness
/// of the density constraint of a liquid, so that particles with few neighbours do not get large
/// corrections.
pub const DENSITY_SOFTNESS: f32 = 0.01;

/// Pure number, times the radius of a particle. A particle that moves farther in a substep is
/// traced along its path, so that it does not pass through a thin wall.
pub const PARTICLE_TRACE: f32 = 0.5;
