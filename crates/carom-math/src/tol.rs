//! Every tolerance of carom: its unit, the reason for its size, and its consequences.
//!
//! No tolerance is an absolute length. A tolerance is multiplied by the size of the data; the
//! comment states which power of the length it uses.
//!
//! There are three kinds.
//!
//! A rounding tolerance follows from a count of the roundings of one computation. Each is at most u
//! = 2^-53 in `f64` (2^-24 in `f32`). The tolerance must exceed the largest difference from a
//! better computation. That is the `f64` version of an `f32` computation, and 106-bit numbers or
//! rationals for `f64`.
//!
//! A stopping rule trades accuracy for time. Its derivation is its effect on the result.
//!
//! A convention has only the reasoning given with it.
//!
//! `cargo xtask truth tolerances` measures the first two kinds. The cases are turned poses,
//! needles, plates, sizes from 1e-4 to 1e4 and offsets up to 1e5. It fails if a constant is below
//! the need of a case. It also fails if a constant is more than a thousand times above all needs
//! without a reason in its table. "Needed" below is the largest need of any case of such a run. The
//! command also prints the differences between the `f32` and `f64` results. A test of carom-query
//! covers a part of the cases each time.

/// Pure number. The largest deviation of a quaternion's length from 1 that counts as rounding.
///
/// Files print rotations with few digits; 1 % accepts four-digit data and still refuses a scale.
/// Accepted quaternions are normalised in `f64`.
///
/// Four digits after the point leave sqrt(4) * 0.5e-4 = 1e-4 at most. Needed: 9.3e-5 (1,000,000
/// cases, factor 108).
pub const QUATERNION_LENGTH: f64 = 1e-2;

/// A length. The largest absolute coordinate or size of a shape: 2^150, about 1.4e45.
///
/// Beyond any `f32`. In `f64` it keeps products of six lengths finite, so that no query overflows
/// into NaN.
pub const MAX_LENGTH: f64 = f64::from_bits((1023 + 150) << 52);

/// A length. A radius or half extent is zero or at least this: 2^-149, the least positive `f32`.
///
/// In `f64` it keeps quotients of lengths finite.
pub const MIN_LENGTH: f64 = f64::from_bits((1023 - 149) << 52);

/// Pure number, the sine of an angle (about 6 degrees). A face counts as resting on a plane when
/// its normal is within this angle of the plane's, an edge when it is within this angle of the
/// plane itself.
///
/// With a smaller value, a slightly tilted box stands on an edge instead of on its face. With a
/// larger one, crossing edges are clipped as faces, with contact points off the contact.
pub const FEATURE_SINE: f64 = 0.1;

/// Pure number, the sine of an angle (about 44 degrees). A face that leans from a flat one by less
/// is clipped against it. The corners of a tipping body are then contacts before they touch.
///
/// With a smaller value, a wobbling disc has one contact per step, which is behind its rim. It must
/// be below sin 45, or two sides of a box could qualify.
pub const INCIDENT_SINE: f64 = 0.7;

/// Relative to the sum of two bodies' sizes, a length. The overlap of an axis must be smaller by
/// this to be preferred over that of a face axis tested earlier.
///
/// Far above the rounding of an overlap. Edges parallel to the other body's edges repeat its face
/// normals. The face must win such a tie, or resting boxes would flicker between edge and face
/// contacts. Depths are too large by at most this.
///
/// An overlap is two supports, each a corner placed by 3 products and 3 sums, times a normal with 6
/// roundings of its own: some 12 u of the size, at worst, and two are compared: 3e-15. Needed for
/// that: 1.3e-15 (31,000 cases, factor 74). The depth above the least overlap, which may be all of
/// it: 9.7e-14 (31,000 cases, factor 1.03).
pub const SAT_TIE: f64 = 1e-13;

/// Cosine, a pure number: that of [`FEATURE_SINE`]. Faces within this angle of the contact normal
/// are clipped against each other, even if the axis of least overlap comes from two edges.
///
/// A box at rest tilts by far less and keeps its four contacts.
pub const NEARLY_FACING: f64 = 0.994_987_437_106_62;

/// Cosine, a pure number, of 37 degrees. Applies to boxes that overlap at crossing edges. If their
/// faces are within this angle of the contact normal, the clipped face contacts are kept besides
/// the crossing.
///
/// A single contact moves from edge to edge as a box rocks, and a pile never comes to rest. Of
/// 10,000 boxes each went 3.1 mm in the fifth second, and one 340 mm; with this 0.3 mm and 70 mm. A
/// narrower angle helps less (26 degrees a quarter of it), a wider one no more. Disjoint boxes keep
/// one contact: several contacts stop bodies dead at the foot of a ramp (November 2026).
pub const SLANTED_FACING: f64 = 0.8;

/// Cosine, a pure number. A supporting face farther from the contact normal than this is seen
/// edge-on; its extreme edge replaces it. Moving points along the normal to its plane would magnify
/// errors twentyfold.
pub const FACE_SEEN_EDGE_ON: f64 = 0.05;

/// Squared sine, a pure number. Segments at a smaller angle, one degree, touch along a stretch with
/// two contacts instead of one.
pub const PARALLEL_EDGES_SQ: f64 = 3e-4;

/// Sine, a pure number. Applies to two nearly parallel disjoint segments. If they are offset along
/// the contact normal by a smaller angle, one counts as over the other.
///
/// The normal of a distance search is known to some 1e-6, that of `f32` to 1e-7. Distances come out
/// too small by half the square of this, relative to themselves. Needed for boxes and an `f32`
/// normal: 4.5e-8 (63,000 cases, factor 89); curved shapes stop at 1e-6.
pub const OVER_EACH_OTHER: f64 = 4e-6;

/// Squared ratio of areas, a pure number: twice a polygon's area over its squared length. Below a
/// ratio of a thousandth the polygon is thin; it is clipped at its ends as well as at its sides.
///
/// Clipping at [`CLIP_ON_PLANE`] overshoots a corner of such an angle by a thousand times that
/// tolerance, about 4e-12.
pub const THIN_POLYGON_SQ: f64 = 1e-6;

/// Relative to the sum of two bodies' radii, a length. A clipped contact this close to the depth
/// replaces the witness of the depth. A clipped contact that is deeper by more than this is
/// discarded.
///
/// The witness comes in `f32`, and faces of hulls are as flat as `f32` knows: this covers the
/// rounding of both. Of the three coordinates of a unit normal that is 2^-25 each at most, over a
/// length of the size, and of the distance, 2^-24: 1.1e-7. Needed for boxes: 5.2e-8 (63,000 cases,
/// factor 19).
pub const WITNESS_KEPT: f64 = 1e-6;

/// The same where bodies and witness are in `f64`.
///
/// Some thousand roundings. Needed for boxes: 9.9e-13 (63,000 cases, factor 1.005): faces nearly
/// parallel use all of it, and what differs by more is given the witness.
pub const WITNESS_KEPT_F64: f64 = 1e-12;

/// Relative to the size of two features, a length. A point this close to a clipping plane lies on
/// it.
///
/// A polygon that is no wider counts as a segment. A placed corner is 3 products and 3 sums, its
/// height one more, 6 u of four lengths that are each below the size: 2.7e-15. Needed for a corner:
/// 5.6e-16 (1,000,000 cases, factor 7.2); for one that was cut before: 2.9e-16 (1,000,000 cases,
/// factor 14).
pub const CLIP_ON_PLANE: f64 = 4e-15;
/// Pure number, times the size of the figure. The least possible improvement of a closest distance
/// that justifies double-double arithmetic. A larger number saves time and costs accuracy.
/// A stopping rule: it adds less than itself to [`CLOSEST_POINTS_ERROR`], whose measurement
/// includes it.
pub const CLOSEST_POINTS_GAIN: f64 = 4.0e-16;

/// Squared sine, a pure number. Closest points of segments at a larger angle, some half a degree,
/// are computed without more digits, if the segments are also farther apart than
/// [`PLAIN_DISTANCE_SQ`] says. So are those of a point and a triangle with a larger angle between
/// its first two edges.
///
/// Closest points are quotients by the squared sine of numbers with some ten roundings: displaced
/// by 10 u / sine^2, which is 1e-11. Needed for that, measured at the limit and up to thirty times
/// the sine: 4.8e-5 (1,000,000 cases, factor 2.1).
pub const PLAIN_SINE_SQ: f64 = 1e-4;

/// Squared fraction of the extent of two segments. Those farther apart surely do not meet, and
/// closest points displaced by 1e-11 of the extent, as [`PLAIN_SINE_SQ`] allows, change their
/// distance by less than 1e-16 of it.
///
/// A displacement e across the shortest line changes a distance d by e^2 / 2 d: with e = 1e-11 that
/// is 1e-16 for d = 5e-7, whose square is 2.5e-13. Needed for the displacements that were seen:
/// 2.5e-15 (1,000,000 cases, factor 401).
pub const PLAIN_DISTANCE_SQ: f64 = 1e-12;

/// Relative to the extent of two bodies and their radii, a length. What the distance of two points,
/// segments or triangles may be off by, at most.
///
/// Three differences, a point in each of two sets as a sum of three products, and a length: some 20
/// u, over an extent that is taken along the axes, times sqrt(3): 4e-15. Needed, against rationals:
/// 3.6e-16 (16,000 cases, factor 56). Where a distance is this near to the sum of the radii,
/// whether the bodies touch is decided in exact numbers: a larger number costs time, a smaller one
/// could cost a right answer.
pub const CLOSEST_POINTS_ERROR: f64 = 2e-14;

/// Relative to the extent of two sets, a length: 2^-120, about 7.5e-37. The distance of sets that
/// surely do not meet and whose distance in numbers of 106 bits comes out as less.
///
/// A distance of 0 means that the sets meet.
///
/// A convention: numbers of 106 bits resolve 2^-104 of the extent, so this says no more than that
/// it is not 0.
pub const LEAST_DISTANCE: f64 = f64::from_bits((1023 - 120) << 52);

/// Fraction of the distance. GJK stops when upper minus lower bound is below it.
///
/// Polytopes nearly always end on their features before. A stopping rule: 1e-12 is what `f64` still
/// resolves, below, rounds are spent on noise; it is 2^-16 of what rounding to `f32` does. The
/// difference that it makes to curved shapes, as a part of the distance: 9.9e-13 (16,000 cases,
/// factor 1.00). Boxes as thin as needles beside large ones, where rounding ends the search, as a
/// part of their reach: 2.5e-13 (31,000 cases, factor 4).
pub const GJK_DISTANCE: f64 = 1e-12;

/// Fraction of the size of the pair. Nearer than this to the Minkowski difference the origin counts
/// as touching it.
///
/// The sum of the roundings of one pose and three products, about 9 u of the size, with a factor of
/// about ten; touching is overlap by 0. Needed for distances that nearly vanish: 9.7e-16 (31,000
/// cases, factor 10). The largest gap that was called touching: 9.3e-15 (31,000 cases, factor
/// 1.07).
pub const GJK_TOUCHING: f64 = 1e-14;

/// Fraction of the size of the pair. Rounding of a dot product with a support point: smaller gaps
/// are no gaps.
///
/// A point of the difference is 3 products and 4 sums, its height 3 products and 2 sums: 9 u of
/// lengths that may add up to three sizes is 3e-15 at worst, and 16 u is twice the usual worst.
/// Needed: 1.2e-15 (1,000,000 cases, factor 1.4). A gap above it that is noise costs a round, and
/// no more.
pub const GJK_ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Fraction of the depth. EPA stops when upper minus lower bound is below it.
///
/// Curved shapes only. A stopping rule: each digit costs about 6 rounds. The difference that it
/// makes, as a part of the depth: 8.3e-11 (3,900 cases, factor 1.21); 2^-9 of what rounding to
/// `f32` does.
pub const EPA_DEPTH: f64 = 1e-10;

/// Fraction of the size of the pair. Thinner than this a Minkowski difference is flat, and its
/// depth 0.
///
/// A height over a triangle of the difference: [`GJK_ROUNDING`] for each corner, and for the normal
/// that divided by how thin the triangle is. Needed for plates in one plane, over their largest
/// triangle: 2.1e-15 (1,000,000 cases, factor 48); so triangles fifty times thinner will do.
pub const EPA_FLAT: f64 = 1e-13;

/// Fraction of the size of the pair. A tetrahedron thinner than this is no start for EPA: its
/// faces' normals would be noise; its best triangle is blown up on both sides instead.
///
/// A rule of choice: the height of such a tetrahedron has five digits, and so have its normals. The
/// error of depths of boxes from a thousandth of this to a thousand times as thick, with either
/// start: 7.7e-14 (16,000 cases, factor 1.3e3).
pub const EPA_THIN: f64 = 1e-10;

/// Pure number: times the rounding unit of the points' precision and the sum of the largest |x|,
/// |y| and |z|, a length. Neighbouring faces of a hull whose corners lie within that length of one
/// plane become one polygon.
///
/// Rounding moves each of four corners along the normal by half a unit at most: 2 for corners that
/// are turned exactly and then rounded. Needed: 0.99 (1,000,000 cases, factor 3); for corners
/// turned in `f32`: 1.7 (1,000,000 cases, factor 1.7), in another run 2.3. Larger, and slightly
/// bent faces are merged and the hull moves by that much; smaller, and rounded boxes keep triangles
/// for faces.
pub const HULL_COPLANAR: f64 = 3.0;

/// Pure number. The bound of the distance between two surfaces is at most this times the true one,
/// unless both are below [`REACH_ENOUGH`].
///
/// Nearer to 1 costs time: parts of the surface are cut up until their bounds are as good.
///
/// There is no rounding in it: the bounds are proven for any value.
pub const REACH_GAP: f64 = 1.01;

/// Fraction of the size of a mesh: 2^-26, a quarter of what rounding a coordinate to `f32` does.
/// Two surfaces that are nearer than this are not looked at more closely.
pub const REACH_ENOUGH: f64 = f64::from_bits((1023 - 26) << 52);

/// Fraction of the size of a mesh: 2^-12. Hulls that stand off a mesh by less are not measured more
/// closely.
///
/// If a hull's face leaves the solid, there is always a part that is half inside: the rim is cut
/// up to this length.
pub const CONCAVITY_ENOUGH: f64 = f64::from_bits((1023 - 12) << 52);

/// Pure number. While hulls are cut and put together, how much above the truth the bound of how far
/// they stand off may be.
pub const CONCAVITY_GAP: f64 = 1.1;

/// Pure number. A plane is a better cut than one tried before only if it leaves the hulls less than
/// this part of the volume.
///
/// Nearer to 1, and rounding chooses between planes that are alike; the planes near the middle are
/// tried first.
///
/// Volumes are sums of some thousand terms, right to 1e-12.
pub const CUT_GAIN: f64 = 0.9999;

/// Fraction of the largest coordinate: 2^-44. Points where triangles are cut are known to within
/// this, nothing beside one rounding of `f32`.
///
/// A cut is a quotient, a product and a sum on an edge twice as long: 6 u. Cells cut the triangle
/// itself, once, so nothing adds up. Needed after twenty cuts in turn: 7.7e-16 (63,000 cases,
/// factor 74).
pub const CUT_ROUNDING: f64 = f64::from_bits((1023 - 44) << 52);

/// Fraction of a volume: 2^-30. A mesh whose hull has its volume but for the rounding of both sums
/// is convex.
pub const CONVEX_VOLUME: f64 = f64::from_bits((1023 - 30) << 52);

/// Fraction of a length: 2^-30. A translation that should separate two solids is longer than a
/// lower bound by so much, which is above the rounding of the moved corners.
pub const SEPARATING_PART: f64 = f64::from_bits((1023 - 30) << 52);

/// Fraction of the size of a mesh: 2^-16. What is flat becomes a hull by so much on both sides.
pub const FLAT_PART: f64 = f64::from_bits((1023 - 16) << 52);

/// Pure number, of the trace of a quadric: 2^-24. How strongly a new vertex is drawn to the middle
/// of the edge that it replaces, and how much longer edges are put back.
///
/// It decides only where the planes leave the vertex free; where they do not it moves it by a
/// 2^-24th of the way.
pub const COLLAPSE_STIFFNESS: f64 = f64::from_bits((1023 - 24) << 52);

/// Fraction of the largest coordinate: 2^-23. A new vertex that must lie above planes is kept this
/// far above them, so that rounding it to `f32` does not take it below. Each collapse moves the
/// surface out by so much at least, where it is not exactly flat.
///
/// Rounding moves each coordinate by 2^-24 of the largest at most, a point along a normal by
/// sqrt(3) times that: 1.03e-7. Needed: 8.1e-8 (1,000,000 cases, factor 1.5).
pub const COLLAPSE_MARGIN: f64 = f64::from_bits((1023 - 23) << 52);

/// Fraction of the largest coordinate, a length: 2^-44. A plane closer than this to a point passes
/// through it, while polygons are cut up to measure them, and while the best place above planes is
/// sought.
///
/// A unit normal, a difference, a product with it, and the cut itself: some 15 u over lengths twice
/// the coordinate: 3e-15. Needed for a polygon cut at the side of a prism: 6.8e-16 (1,000,000
/// cases, factor 84). Far below [`COLLAPSE_MARGIN`].
pub const SURFACE_TOUCHES: f64 = f64::from_bits((1023 - 44) << 52);

/// Cosine. A triangle may turn by as much when one of its corners moves; more would fold the
/// surface over.
pub const COLLAPSE_TURN: f64 = 0.2;

/// Pure number. While a limit on the error holds, each step keeps to this part of it, so that the
/// bound found at the end, which is above the truth by [`REACH_GAP`], is within the limit.
///
/// Together they are 0.995, which leaves half a percent for rounding.
pub const ERROR_KEPT: f64 = 0.985;

/// Times the size of a shape and its distance from the ray's origin: a length. How near a ray must
/// come to a convex shape, given by its support map alone, to touch it.
///
/// A stopping rule: the steps of the cast converge to the surface from outside; 1e-12 is some
/// thousand roundings of `f64`, and 2^-16 of one of `f32`. The difference that it makes, across the
/// surface: 1.0e-12 (16,000 cases, factor 1.00).
pub const RAY_REACHES: f64 = 1e-12;

/// Most steps of a ray cast by support map. Polytopes need a step per face that the ray looks past,
/// curved shapes about twenty; only a ray that grazes a curved surface uses more, and then counts
/// as touching.
pub const RAY_ROUNDS: u32 = 200;

/// Pure number, compared with permanents over determinants. Above it, the parameter of a ray on a
/// sliver is computed with twice the digits.
///
/// The parameter is then right to 1e-15 times this number, relative to the distance of the
/// triangle: a height and a speed are products of three differences each, with 8 u of their
/// permanents, 0.9e-15. Needed: 82 (250,000 cases, factor 12), in another run 870.
pub const RAY_PARAMETER_CONDITION: f64 = 1.0e3;
/// Pure numbers, radius over distance. Parts of a surface so small from where they are seen that
/// their winding number is taken from sums: first with the largest number, and with the next where
/// the bound on the error is not good enough.
///
/// A larger first number wastes an attempt on most points; a smaller one asks more parts than
/// needed.
pub const WINDING_RATIOS: [f64; 3] = [0.35, 0.12, 0.04];

/// A winding number. What the answer of a query may leave out of it.
pub const WINDING: f64 = 1e-3;

/// Pure number. How far a matrix may be from a rotation, in the largest entry of R^T R - 1, and
/// still be a rounded one.
///
/// Files print direction cosines with six digits, which leaves a few 1e-6; a scale of 0.1 % is 2e-3
/// and is refused.
///
/// Six digits after the point leave 2 sqrt(3) * 0.5e-6 of the square of a unit column: 1.73e-6.
/// Needed: 1.7e-6 (1,000,000 cases, factor 59).
pub const MATRIX_RIGIDITY: f64 = 1e-4;

/// Sine. Nearer than this to the normal of a patch the longest axis of its points says nothing
/// about a direction in the patch, and an oriented box keeps the axes of the covariance. It costs
/// tightness only.
///
/// The direction has the rounding of the two vectors, some 10 u, over this sine: 1e-9 of a turn,
/// and no box shows it.
pub const FRAME_SINE: f64 = 1e-6;

/// Fraction of a squared radius. A point this little outside a ball counts as in it while the
/// smallest ball is sought, so that rounding does not send the search in circles; the ball is grown
/// by what lies outside at the end.
///
/// The centre is a quotient by a volume, whose rounding grows as the four points get flatter: 20 u
/// for good ones. Needed for volumes above a hundredth of the product of the edges: 4.7e-14
/// (1,000,000 cases, factor 21). Flatter ones may be looked at twice, and cost tightness at worst.
pub const BALL_HOLDS: f64 = 1e-12;

/// Fraction of the product of squared edges. A squared area or volume below it is that of dependent
/// points, which have no ball through them.
///
/// It is the square of 1e-12, a thousand times the rounding of a volume, which is some 10 u of the
/// product of its edges.
pub const BALL_DEPENDENT: f64 = 1e-24;

/// Fraction of an inertia. A body whose inverse inertia differs from a sphere's by less turns about
/// every axis alike, to `f32`, and has no gyroscopic torque.
///
/// A cube, turned before its corners were rounded to `f32`, has moments with a few roundings of
/// 2^-24. Needed: 2.3e-7 (63,000 cases, factor 4.3).
pub const INERTIA_ROUND: f32 = 1e-6;

/// Pure number. How far the squared length of a joint's axis may be from 1 and still count as a
/// rounded unit vector.
///
/// Four digits after the point leave 2 sqrt(3) * 0.5e-4: 1.74e-4. Needed: 1.7e-4 (1,000,000 cases,
/// factor 6).
pub const AXIS_LENGTH: f32 = 1e-3;

/// Fraction of a box's volume. While an oriented box is fitted, a turn that gains less is no gain.
///
/// Smaller, and the search spends rounds on invisible gains; larger, and the box stays larger by a
/// few such steps.
///
/// A volume has some ten roundings; this is ten thousand million times more, and no matter of
/// rounding.
pub const BOX_GAIN: f64 = 1e-5;

/// Relative to the sum of the largest |x|, |y| and |z| of a mesh, a length: 2^-22. Neighbouring
/// triangles whose corners lie within it of the plane of one of them are one facet.
///
/// Rounding to `f32` moves each of four corners by 2^-25 of that at most, and what was turned in
/// `f32` before by twice as much. Larger, and small bumps are ironed out; smaller, and floors keep
/// edges inside.
pub const FACET_THICK: f64 = f64::from_bits((1023 - 22) << 52);

/// Cosine, a pure number: that of five degrees. Contacts of two meshes whose normals differ by less
/// are one manifold, along the normal of the deepest.
///
/// Below the angle at which a face no longer counts as resting on another, [`FEATURE_SINE`];
/// larger, and a manifold presses across the faces that it is made of; smaller, and a curved
/// surface has a manifold for every triangle.
pub const PATCH_COSINE: f64 = 0.996_194_698_091_746;

/// Relative to the size of a triangle, a length. A corner over the edge between two triangles is
/// over either, so far beyond the edge.
///
/// Places in `f32` are off by 6e-8 of the size of a body, which may be some ten triangles long. Of
/// points that count twice one is left out.
pub const OVER_FACE: f64 = 1e-6;

/// Relative to an edge, a length. The direction between an edge or a corner and a corner that is
/// nearer to it than this is not one to push along.
///
/// Places in `f32` are off by 1e-7, so that direction is known to a thousandth.
pub const DIRECTION_KNOWN: f64 = 1e-4;

/// An angle, in radians. Normals of contacts that differ by no more are one and the same where a
/// body rests on several things at once.
///
/// Normals stored in `f32` are some 1e-7 off; what a solver makes of this angle is a push of 1e-5
/// of the weight.
pub const SAME_NORMAL: f64 = 1e-5;

/// Fraction of the radius of the smaller of two bodies. At the start of the bracket of a time of
/// impact they are at most so far apart, and at the end overlap by so much at most.
///
/// A stopping rule: 1e-6 costs a quarter more, 1e-2 a seventh less. Where bodies approach slowly
/// the bracket is wide in time, and right.
pub const IMPACT_BRACKET: f64 = 1e-4;

/// Fraction of the radius of the smaller of two bodies, as [`IMPACT_BRACKET`], for whoever asks
/// once and reads the digits.
///
/// A stopping rule: nine digits cost a third more than four. Finer, and the bracket ends in
/// rounding, with more left undecided.
pub const SWEEP_BRACKET: f64 = 1e-9;

/// Fraction of a distance. How well nearest points are found while a time of impact is searched
/// for: they propose an axis, and what is proved does not rest on them.
pub const IMPACT_PROPOSAL: f64 = 1e-3;

/// Fraction of the query time. Three steps in a row that are smaller lead nowhere.
pub const IMPACT_STALL: f64 = 1e-13;

/// Fraction of the nearest that two moving bodies were seen: the bound of their distance that is
/// proved where a good one is asked for.
///
/// Nearer to 1, and the search takes shorter steps: 0.7 costs a quarter more for all queries and
/// leaves nine tenths of the truth.
pub const IMPACT_DISTANCE: f64 = 0.7;

/// Relative to the largest difference of two vertices, a length: 2^-43, about 1e-13. Once a vertex
/// and a triangle, or two edges, that move are so near the distance asked about, the search for the
/// time ends: with a proof of contact, or undecided.
///
/// Rounding takes 32 u, 2^-48, off a separation along an axis; a quarter of this number must be
/// above it for the search to go on. Larger, and features that pass each other at a distance below
/// it are not distinguished from those that touch.
pub const ELEMENT_GAP: f64 = f64::from_bits((1023 - 43) << 52);

/// Relative to the size of a body, a length: corners that are so little lower than its highest
/// along a direction belong to what it turns that way.
///
/// Decides which points of a contact are shown, and never whether there is one. The direction may
/// be that of nearly parallel edges, a little off the face that touches.
pub const TOUCHING_CORNER: f64 = f64::from_bits((1023 - 16) << 52);

/// Fraction of the largest coordinate of a polygon's corners, a length: 2^-20. Corners so near one
/// plane are in it.
///
/// Corners that were turned and rounded to `f32` are off by 2^-24 of each coordinate, three of
/// which count: 2^-22.4. Smaller, and polygons out of files are refused; larger, and what is bent
/// is taken for flat, and is the surface of its triangles.
pub const POLYGON_FLAT: f64 = f64::from_bits((1023 - 20) << 52);

/// Pure number, relative to the largest coordinate of a level: what is thinner counts as nothing,
/// and planes nearer to each other are one. 2^-33: a hundredth of a millimetre in a level of 80 km,
/// a millionth of a unit in one of 8,192.
///
/// Corners of brushes are off by some 2^-50 of that, over the sine of the sharpest angle between
/// planes. Smaller, and planes that were meant to be one leave cells between them; larger, and a
/// body may sink in by as much.
pub const BSP_THIN: f64 = f64::from_bits((1023 - 33) << 52);

/// The sine of an angle. Planes whose normals differ by less are parallel.
///
/// Over the size of a level two such planes part by less than ten times [`BSP_THIN`].
pub const BSP_SAME_NORMAL: f64 = 1e-9;

/// The sine of an angle: how steeply a way must lead off the planes of a cell of a level, so that
/// the cell has room about a place that is in all of them. 2^-10: a wedge of 0.11 degrees has none.
///
/// Planes that were meant to be one differ by up to 1e-7 where they come of `f32`, and leave
/// slivers between them; a wheel of 64 spokes has 0.05 between two. Where a wedge has no room, it
/// is thinner than twice the tolerance at the place.
///
/// Faces of a hundredth to a five hundredth of the level, their corners rounded to `f32`, leave
/// cones between planes that were meant to be one, or to meet in one line. Needed: 2.7e-5 (400,000
/// cases, factor 36).
pub const BSP_ROOM: f64 = f64::from_bits((1023 - 10) << 52);

/// A part of an area. Where more of the surface of a mesh than this shows its back to empty space,
/// the mesh is open.
///
/// Cracks of 1/50 of a unit along all edges of triangles of 32 units, as editors of levels leave
/// them, show a thousandth.
pub const BSP_OPEN: f64 = 0.004;

/// The cosine of an angle, 30 degrees. Where two faces of a cell of a level turn by less from one
/// to the other their edge is not bevelled.
///
/// There a ball is stopped early by 4 % of its radius at most.
pub const BSP_BLUNT: f64 = 0.866_025_403_784_438_6;

/// Pure number, relative to the size of two segments times the sine of the angle between them:
/// where they pass each other nearer than this, the direction from one to the other is that across
/// both.
///
/// 2^-10. The difference of the nearest points is rounded by some 4 u of the size, so its direction
/// by 4 u over the distance; the product of the axes is rounded by 4 u over the sine. Where both
/// serve they agree to 2^-40.
pub const CROSSING_AXES: f64 = f64::from_bits((1023 - 10) << 52);

/// Pure number, relative to the size of two segments: where they are farther apart than this, the
/// direction from one to the other is good as it comes.
///
/// 2^-4. The difference of the nearest points is rounded by some 4 u of the size, so its direction
/// by 64 u at most: by that much of its length a segment leans towards the other, which stays below
/// [`GJK_TOUCHING`].
pub const AXES_APART: f64 = f64::from_bits((1023 - 4) << 52);

/// Pure number, the sine of an angle: 2^-40. A character that moves towards a plane at no more than
/// this part of its speed moves along it.
///
/// Over a metre it comes nearer by a millionth of a micrometre, which the skin takes a thousand
/// million times. Projections on planes and creases are off by some 2^-50.
pub const CHARACTER_INTO: f64 = f64::from_bits((1023 - 40) << 52);

/// Pure number, the sine of an angle: 2^-20. Two contacts of a character whose normals differ by
/// less are one.
///
/// Larger, and the character would be pushed into the first by sliding along the second; smaller,
/// and the noise of two normals of one wall, some 1e-9, is taken for a crease.
pub const CHARACTER_SAME: f64 = f64::from_bits((1023 - 20) << 52);

/// Fraction of the figure's reach. A step that is higher than the limit by no more than this is
/// climbed: 2^-20, two micrometres.
///
/// Heights of contacts are off by what the distance search leaves, some 1e-9 of the figure.
pub const CHARACTER_STEP: f64 = f64::from_bits((1023 - 20) << 52);

/// The cosine of an angle: 2^-30. A slope whose cosine is below that of the limit by no more than
/// this is climbed.
///
/// At 45 degrees that is an angle of 1e-9; normals of faces are off by some 1e-15.
pub const CHARACTER_SLOPE: f64 = f64::from_bits((1023 - 30) << 52);

/// Pure number. How far the sum of the weights of a vertex's bones may be from 1 and still count as
/// rounded.
///
/// Files store weights in bytes: four of them are off by four halves of 1/255, which is 0.8 %. What
/// is let in is divided by its sum.
pub const WEIGHT_SUM: f64 = 1e-2;

/// The cosine of half an angle. Two bones whose rotations differ by more, 106 degrees, have no
/// control point between them, and the vertices that have both are bounded by a ball.
///
/// The proof needs more than 1/2, and this is above it by far more than rounding. Control points
/// are up to 1 / 0.6 times as far from the joint as the skin. A smaller number makes boxes larger;
/// a larger one makes more balls.
pub const PAIR_COSINE: f64 = 0.6;

/// Pure number, times the reach of a skin, a length: 2^-44, which is 512 u in `f64`. By so much
/// times the most bones of a vertex, cubed for dual quaternions, the boxes of a skin grow.
///
/// The counts of roundings stand in the heads of linear_skin.rs and dual_quaternion.rs of
/// carom-deform: (2 m + 2) u and 448 m^3 u.
pub const SKIN_ROUNDING: f64 = f64::from_bits((1023 - 44) << 52);

/// Pure number, times the reach of a mesh and the number of modes plus 4, a length: 2^-50, which is
/// 8 u in `f64`. By so much the spheres of reduced coordinates grow, and the k-DOPs of morph
/// targets.
///
/// The vertex and the centre are sums of one product for each mode, off by sqrt(3) u for each, and
/// the radius by u: 4.5 u for each mode, and 10 u for the last sums.
pub const MODAL_ROUNDING: f64 = f64::from_bits((1023 - 50) << 52);

/// Pure number, times the square of a radius: 2^-20, which is 16 u in `f32`. Squares of distances
/// in `f32` that differ from it by more decide whether two points are within the radius.
///
/// A square is off by 5 u: 2 for the difference and 1 for the product, 2 for the sums. The limit is
/// rounded once more. Pairs inside the band are decided in `f64`; they are rare at any such width.
pub const NEIGHBOUR_BAND: f64 = f64::from_bits((1023 - 20) << 52);

/// Pure number: 2^-24. By so much a cell is longer than the radius for which it is made.
///
/// The number of a cell is a product in `f64`, at most 2^24 and off by 2^-28. So two points within
/// the radius, whose numbers differ by 1 - 2^-24 at most, are in cells side by side.
pub const NEIGHBOUR_CELL: f64 = f64::from_bits((1023 - 24) << 52);

/// In cells. A point is on the surface of a sampled distance field if the interpolated distance is
/// no larger: 2^-10.
///
/// The field itself is off by more, up to half the diagonal of a cell; a smaller number costs steps
/// and gains nothing.
pub const FIELD_SURFACE: f64 = f64::from_bits((1023 - 10) << 52);

/// A pure number, times the size of a cell: how well the least value of a field in another shape is
/// found.
///
/// The field itself is off by more, up to half the diagonal of a cell. A smaller number costs more
/// than it gains: half of it took half as long again.
pub const FIELD_SEARCH: f64 = 0.125;

/// A pure number, the square of a slope. At a place where a sampled distance field is flatter, the
/// way to the surface is not known.
///
/// The slope is near 1 elsewhere, and falls to 0 at ridges: between two walls, or at the middle of
/// a ball.
pub const FIELD_SLOPE_SQ: f64 = 0.0625;

/// A ratio: how much the last rotation of a cluster of particles counts beside its present
/// moments, relative to the largest that these can be.
///
/// Moments of `f32` positions are off by about 1e-7 of themselves. Above that, particles on a line
/// do not spin about it by rounding. The rotation is off by at most this part of how far it turns
/// in a step, times the ratio of the largest to the least moment.
pub const ROTATION_MEMORY: f64 = 1e-6;

/// A volume, relative to the cube of the longest edge. A tetrahedron with less is flat, and has no
/// shape at rest.
///
/// A convention: above the rounding of `f32` coordinates, and below the slivers of meshers. The
/// inverse of the edges is then at most 2^20 of what it is for a regular one.
pub const TETRAHEDRON_FLAT: f64 = f64::from_bits((1023 - 20) << 52);

/// Pure number, times the reach of a liquid's kernel: 2^-12. Particles that are nearer to each
/// other have no direction in which to part, and part along one that their numbers give.
pub const COINCIDENT_PARTICLES: f32 = f32::from_bits((127 - 12) << 23);

/// Pure number, times the sum of the squares of gradients in a lattice at rest: 0.01. By so much
/// the density constraint of a liquid is soft, so that few neighbours do not give large
/// corrections.
pub const DENSITY_SOFTNESS: f32 = 0.01;

/// Pure number, times the radius of a particle: 0.5. A particle that moves farther in a substep is
/// traced along its way, so that it passes no thin wall.
pub const PARTICLE_TRACE: f32 = 0.5;
