// Geometry of carom's pages: colours, triangles of shapes, vectors and matrices.
"use strict";

// ---- Colours: by the state of a body (fixed, asleep, awake, in contact, near, colliding), or by
// its index.
const stateColours = [[128, 134, 144], [92, 116, 158], [78, 166, 108], [224, 138, 52], [232, 176, 38], [214, 62, 62]];
// What is fixed is darker on a dark page: a large floor would dazzle.
const stateColour = (state, isDark) => state === 0 && isDark ? [100, 107, 120] : stateColours[state];
const ownColour = i => {
  const h = (i * 0.618034) % 1 * 6, f = k => { const t = (k + h) % 6; return 0.42 + 0.42 * Math.max(0, Math.min(1, Math.abs(t - 3) - 1)); };
  return [f(0) * 255, f(4) * 255, f(2) * 255];
};
// Bodies in the same state differ a little in brightness, so that they can be distinguished.
const shadeOf = i => 0.84 + 0.3 * ((i * 0.7548777) % 1);
// Colours of meshes that change their shape, in turn.
const sheetColours = [[86, 138, 190], [104, 166, 150]];
// Levels of a tree: magenta, violet, teal and brown, which no state of a body has. The top level is
// the most opaque.
const levelColours = [[214, 40, 160], [124, 58, 237], [13, 148, 136], [146, 84, 32]];
const levelColour = depth => [...levelColours[depth % levelColours.length].map(c => c / 255), 1 / (1 + 0.35 * depth)];

// ---- Normals of the vertices of a mesh: the sum over the faces around, weighted by area.
const normalsInto = (m, p, triangles) => {
  m.fill(0);
  for (let i = 0; i < triangles.length; i += 3) {
    const [u, v, w] = [3 * triangles[i], 3 * triangles[i + 1], 3 * triangles[i + 2]];
    const e = [p[v] - p[u], p[v + 1] - p[u + 1], p[v + 2] - p[u + 2]], h = [p[w] - p[u], p[w + 1] - p[u + 1], p[w + 2] - p[u + 2]];
    const c = [e[1] * h[2] - e[2] * h[1], e[2] * h[0] - e[0] * h[2], e[0] * h[1] - e[1] * h[0]];
    for (const at of [u, v, w]) for (let k = 0; k < 3; k++) m[at + k] += c[k];
  }
};
// ---- Geometry: a vertex has x, y, z and a factor of the half height of a capsule; normals are
// flat or smooth.
const cube = () => {
  const v = [], n = [];
  for (let axis = 0; axis < 3; axis++) for (const side of [-1, 1]) {
    const u = (axis + 1) % 3, w = (axis + 2) % 3;
    const corner = (a, b) => { const p = [0, 0, 0, 0]; p[axis] = side; p[u] = a * side; p[w] = b; return p; };
    for (const [a, b] of [[-1, -1], [1, -1], [1, 1], [-1, -1], [1, 1], [-1, 1]]) {
      v.push(...corner(a, b));
      const m = [0, 0, 0]; m[axis] = side; n.push(...m);
    }
  }
  return { v, n };
};
// A capsule of so many rows of squares, an even number, and sides.
const capsule = (rows, sides) => {
  const v = [], n = [];
  const ring = row => {
    // The row in the middle is the equator of the lower half, the next one that of the upper.
    const upper = rows / 2 < row, a = Math.PI * ((upper ? row - 1 : row) / rows - 0.5);
    return [Math.cos(a), Math.sin(a), upper ? 1 : -1];
  };
  const point = (row, side) => {
    const [r, y, w] = ring(row), b = 2 * Math.PI * side / sides;
    return [r * Math.cos(b), y, r * Math.sin(b), w];
  };
  for (let row = 0; row <= rows; row++) for (let side = 0; side < sides; side++) {
    const quad = [point(row, side), point(row, side + 1), point(row + 1, side + 1), point(row + 1, side)];
    for (const k of [0, 2, 1, 0, 3, 2]) { v.push(...quad[k]); n.push(quad[k][0], quad[k][1], quad[k][2]); }
  }
  return { v, n };
};
const meshOf = ({ points, corners }) => {
  const nIndices = corners.length;
  const v = new Float32Array(4 * nIndices), n = new Float32Array(3 * nIndices);
  corners.forEach((index, i) => { for (let k = 0; k < 3; k++) v[4 * i + k] = points[3 * index + k]; });
  for (let i = 0; i + 2 < nIndices; i += 3) {
    const e = [0, 0, 0], f = [0, 0, 0];
    for (let k = 0; k < 3; k++) { e[k] = v[4 * i + 4 + k] - v[4 * i + k]; f[k] = v[4 * i + 8 + k] - v[4 * i + k]; }
    const c = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
    const s = 1 / (Math.hypot(...c) || 1);
    for (let j = 0; j < 3; j++) for (let k = 0; k < 3; k++) n[3 * (i + j) + k] = c[k] * s;
  }
  return { v, n };
};
// A shape of triangles, with its box.
const meshShape = (points, corners) => {
  const min = points.length ? [Infinity, Infinity, Infinity] : [0, 0, 0], max = min.map(x => -x);
  for (let i = 0; i < points.length; i++) { min[i % 3] = Math.min(min[i % 3], points[i]); max[i % 3] = Math.max(max[i % 3], points[i]); }
  return { kind: "mesh", points, corners, min, extent: max.map((x, k) => x - min[k]) };
};

// ---- Matrices, column by column.
const multiply = (a, b) => {
  const m = new Float32Array(16);
  for (let c = 0; c < 4; c++) for (let r = 0; r < 4; r++) {
    let s = 0; for (let k = 0; k < 4; k++) s += a[4 * k + r] * b[4 * c + k];
    m[4 * c + r] = s;
  }
  return m;
};
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const inner = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const outer = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = a => { const s = 1 / (Math.hypot(...a) || 1); return a.map(x => x * s); };
const looking = (eye, target, up) => {
  const z = unit(sub(eye, target)), x = unit(outer(up, z)), y = outer(z, x);
  return { x, y, z, m: [x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -inner(x, eye), -inner(y, eye), -inner(z, eye), 1] };
};
// Vertical field of view, in radians.
const FIELD_OF_VIEW = 0.75;
const perspective = (fov, aspect, near, far) => {
  const f = 1 / Math.tan(fov / 2), d = 1 / (near - far);
  return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) * d, -1, 0, 0, 2 * far * near * d, 0];
};
const parallel = (r, near, far) => [1 / r, 0, 0, 0, 0, 1 / r, 0, 0, 0, 0, -2 / (far - near), 0, 0, 0, -(far + near) / (far - near), 1];
