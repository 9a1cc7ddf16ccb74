// The flat picture of carom's renderer: drawn by the processor on a canvas of its own. Each face has
// one colour, and shadows fall on the floor alone. It is for browsers without a graphics card,
// where WebGL is computed by the processor too: that starts a draw for each instance, and takes
// many times as long. The pixels are filled by raster.js.
//
// Faces are culled and lit in the frame of their body: the eye, the sun and the axes of the view are
// rotated into it once, and the normals of the faces stay as they are.

// A solid has `points`, `faces` of four points (a triangle has its last point twice), `planes` of
// the faces (a normal and the distance from the origin), and the `radius` of a ball around all. A closed
// one has no inner sides that are seen.
const solidOf = (points, faces, isClosed) => {
  const solid = { points: Float64Array.from(points), faces: Uint32Array.from(faces), planes: new Float64Array(faces.length), isClosed, isBox: false, radius: 0 };
  for (let i = 0; i < points.length; i += 3) solid.radius = Math.max(solid.radius, Math.hypot(points[i], points[i + 1], points[i + 2]));
  findPlanes(solid);
  return solid;
};
const findPlanes = ({ points: v, faces, planes }) => {
  for (let f = 0; f < faces.length; f += 4) {
    const a = 3 * faces[f], b = 3 * faces[f + 1], c = 3 * faces[f + 2];
    const ex = v[b] - v[a], ey = v[b + 1] - v[a + 1], ez = v[b + 2] - v[a + 2], hx = v[c] - v[a], hy = v[c + 1] - v[a + 1], hz = v[c + 2] - v[a + 2];
    const x = ey * hz - ez * hy, y = ez * hx - ex * hz, z = ex * hy - ey * hx, s = 1 / (Math.sqrt(x * x + y * y + z * z) || 1);
    planes[f] = x * s; planes[f + 1] = y * s; planes[f + 2] = z * s;
    planes[f + 3] = (x * v[a] + y * v[a + 1] + z * v[a + 2]) * s;
  }
};
const facesOf = triangles => {
  const faces = new Uint32Array(triangles.length / 3 * 4);
  for (let i = 0, f = 0; i < triangles.length; i += 3, f += 4) {
    faces[f] = triangles[i]; faces[f + 1] = triangles[i + 1]; faces[f + 2] = faces[f + 3] = triangles[i + 2];
  }
  return faces;
};
// Corner k of a box is at the high end of an axis if the bit of the axis is set in k.
const BOX_FACES = [1, 3, 7, 5, 0, 4, 6, 2, 2, 6, 7, 3, 0, 1, 5, 4, 4, 5, 7, 6, 0, 2, 3, 1];
// The corners around one corner of a box, as bits that differ.
const AROUND = [1, 3, 2, 6, 4, 5];
const solidOfShape = shape => {
  if (shape.kind === "box") {
    const points = [];
    for (let k = 0; k < 8; k++) for (let axis = 0; axis < 3; axis++) points.push(shape.half[axis] * (k >> axis & 1 ? 1 : -1));
    return Object.assign(solidOf(points, BOX_FACES, true), { isBox: true });
  }
  if (shape.kind === "mesh") return solidOf(shape.points, facesOf(shape.corners), false);
  const { v } = capsule(8, 12), points = [], nPoints = v.length / 4;
  for (let i = 0; i < v.length; i += 4) points.push(v[i] * shape.radius, v[i + 1] * shape.radius + v[i + 3] * shape.half, v[i + 2] * shape.radius);
  return solidOf(points, facesOf(Uint32Array.from({ length: nPoints }, (_, k) => k)), true);
};

// Returns a function that draws the state of a renderer `r` on a canvas. Its parameters are the view,
// a picture of PICTURES, the number of pixels along a pixel of the page, and what renderer.js says of
// `draw`.
const makeFlat = (r, canvas) => {
const context = canvas.getContext("2d", { alpha: false });
const raster = makeRaster();
const solids = new Map();
const solidFor = shape => { if (!solids.has(shape)) solids.set(shape, solidOfShape(shape)); return solids.get(shape); };
r.forgetSolids = () => solids.clear();

// ---- The view: pixels that a unit at distance 1 takes up, the middle of the picture, the axes.
let focal, middleX, middleY, near, look, eye, sun, fog, far;
// A polygon that is drawn: pixels of its corners. Corners in the frame of the view, for clipping.
const xs = new Float64Array(8), ys = new Float64Array(8);
const clipX = new Float64Array(8), clipY = new Float64Array(8), clipW = new Float64Array(8);
// The points of a solid: pixels, and places along the axes of the view.
let px = new Float64Array(64), py = new Float64Array(64), vx = new Float64Array(64), vy = new Float64Array(64), vw = new Float64Array(64);
// Cuts a face off in front of the near plane. Returns how many corners are left, in xs and ys.
const clip = (faces, f, n) => {
  let m = 0;
  for (let k = 0; k < n; k++) {
    const a = faces[f + k], b = faces[f + (k + 1) % n];
    if (near <= vw[a]) { clipX[m] = vx[a]; clipY[m] = vy[a]; clipW[m++] = vw[a]; }
    if (near <= vw[a] !== near <= vw[b]) {
      const t = (near - vw[a]) / (vw[b] - vw[a]);
      clipX[m] = vx[a] + (vx[b] - vx[a]) * t; clipY[m] = vy[a] + (vy[b] - vy[a]) * t; clipW[m++] = near;
    }
  }
  for (let k = 0; k < m; k++) { xs[k] = middleX + focal * clipX[k] / clipW[k]; ys[k] = middleY - focal * clipY[k] / clipW[k]; }
  return m;
};
// Finds the pixels of points of a solid. Along the right, up and forward axes of the view, its origin
// is at x0, y0 and w0, and each of its own axes has the three parts that follow.
const projectPoints = (points, isNear, x0, xx, xy, xz, y0, yx, yy, yz, w0, wx, wy, wz) => {
  const nPoints = points.length / 3;
  if (px.length < nPoints) [px, py, vx, vy, vw] = [0, 0, 0, 0, 0].map(() => new Float64Array(2 * nPoints));
  for (let k = 0, v = 0; k < nPoints; k++, v += 3) {
    const a = points[v], b = points[v + 1], c = points[v + 2];
    const right = x0 + xx * a + xy * b + xz * c, up = y0 + yx * a + yy * b + yz * c, along = w0 + wx * a + wy * b + wz * c;
    if (isNear) { vx[k] = right; vy[k] = up; vw[k] = along; }
    const s = focal / along;
    px[k] = middleX + right * s; py[k] = middleY - up * s;
  }
};
// Whether all of the rectangle around the first points is behind what was drawn, although it is as
// near as `depth`. Most bodies of a heap are.
const isHiddenBehind = (nPoints, depth) => {
  let left = Infinity, right = -Infinity, top = Infinity, bottom = -Infinity;
  for (let k = 0; k < nPoints; k++) {
    const x = px[k], y = py[k];
    if (x < left) left = x;
    if (right < x) right = x;
    if (y < top) top = y;
    if (bottom < y) bottom = y;
  }
  const { width, height, depths } = raster;
  const from = Math.max(0, Math.floor(left)) | 0, to = Math.min(width, Math.ceil(right)) | 0, first = Math.max(0, Math.floor(top)) | 0, end = Math.min(height, Math.ceil(bottom)) | 0;
  for (let row = first; row < end; row++) for (let p = row * width + from, last = row * width + to; p < last; p++) if (depths[p] < depth) return false;
  return true;
};
// Draws the shadow of a body on the floor: its points slide along the sun's rays, a shear.
const drawShadow = (solid, i, floorY) => {
  const { points, faces, planes } = solid, { positions: at, rotations: turn } = r, { x: lx, y: ly, z: lz } = look;
  const p = 3 * i, q = 4 * i, x = turn[q], y = turn[q + 1], z = turn[q + 2], w = turn[q + 3], kx = sun[0] / sun[1], kz = sun[2] / sun[1];
  // The parts of the body's axes along y, and the axes after the shear.
  const ay = 2 * (x * y + z * w), by = 1 - 2 * (x * x + z * z), cy = 2 * (y * z - x * w);
  const ax = 1 - 2 * (y * y + z * z), az = 2 * (x * z - y * w), bx = 2 * (x * y - z * w), bz = 2 * (y * z + x * w), cx = 2 * (x * z + y * w), cz = 1 - 2 * (x * x + y * y);
  const sax = ax - kx * ay, saz = az - kz * ay, sbx = bx - kx * by, sbz = bz - kz * by, scx = cx - kx * cy, scz = cz - kz * cy;
  const height = at[p + 1] - floorY, dx = at[p] - kx * height - eye[0], dy = floorY - eye[1], dz = at[p + 2] - kz * height - eye[2];
  const x0 = lx[0] * dx + lx[1] * dy + lx[2] * dz, y0 = ly[0] * dx + ly[1] * dy + ly[2] * dz, w0 = -(lz[0] * dx + lz[1] * dy + lz[2] * dz);
  // The shadow of a ball is at most so long.
  const reach = solid.radius / sun[1];
  if (height + solid.radius < 0 || w0 - reach < near || Math.abs(x0) > middleX * (w0 + reach) / focal + reach || Math.abs(y0) > middleY * (w0 + reach) / focal + reach) return;
  projectPoints(points, false, x0, lx[0] * sax + lx[2] * saz, lx[0] * sbx + lx[2] * sbz, lx[0] * scx + lx[2] * scz,
    y0, ly[0] * sax + ly[2] * saz, ly[0] * sbx + ly[2] * sbz, ly[0] * scx + ly[2] * scz,
    w0, -(lz[0] * sax + lz[2] * saz), -(lz[0] * sbx + lz[2] * sbz), -(lz[0] * scx + lz[2] * scz));
  if (isHiddenBehind(points.length / 3, Number.MIN_VALUE)) return;
  const sx = sun[0] * ax + sun[1] * ay + sun[2] * az, sy = sun[0] * bx + sun[1] * by + sun[2] * bz, sz = sun[0] * cx + sun[1] * cy + sun[2] * cz;
  if (solid.isBox) {
    // Around the corner that is nearest to the sun lie six others.
    const first = (0 < sx ? 1 : 0) | (0 < sy ? 2 : 0) | (0 < sz ? 4 : 0);
    for (let k = 0; k < 6; k++) { xs[k] = px[first ^ AROUND[k]]; ys[k] = py[first ^ AROUND[k]]; }
    raster.copyPolygon(6, xs, ys, shaded);
    return;
  }
  for (let f = 0; f < faces.length; f += 4) {
    if (planes[f] * sx + planes[f + 1] * sy + planes[f + 2] * sz <= 0 && solid.isClosed) continue;
    const n = faces[f + 2] === faces[f + 3] ? 3 : 4;
    for (let k = 0; k < n; k++) { xs[k] = px[faces[f + k]]; ys[k] = py[faces[f + k]]; }
    raster.copyPolygon(n, xs, ys, shaded);
  }
};
// Draws a solid at a position and a rotation. Face f has the colour at `first + step * f` in
// `colours`.
const drawSolid = (solid, at, p, turn, q, colours, first, step) => {
  const { points, faces, planes } = solid;
  const x = turn[q], y = turn[q + 1], z = turn[q + 2], w = turn[q + 3];
  // The columns of the rotation.
  const ax = 1 - 2 * (y * y + z * z), ay = 2 * (x * y + z * w), az = 2 * (x * z - y * w);
  const bx = 2 * (x * y - z * w), by = 1 - 2 * (x * x + z * z), bz = 2 * (y * z + x * w);
  const cx = 2 * (x * z + y * w), cy = 2 * (y * z - x * w), cz = 1 - 2 * (x * x + y * y);
  const { x: lx, y: ly, z: lz } = look;
  const dx = at[p] - eye[0], dy = at[p + 1] - eye[1], dz = at[p + 2] - eye[2];
  const x0 = lx[0] * dx + lx[1] * dy + lx[2] * dz, y0 = ly[0] * dx + ly[1] * dy + ly[2] * dz, w0 = -(lz[0] * dx + lz[1] * dy + lz[2] * dz);
  // Outside of the view?
  const reach = solid.radius;
  if (w0 + reach < near) return;
  if (Math.abs(x0) > middleX * (w0 + reach) / focal + reach || Math.abs(y0) > middleY * (w0 + reach) / focal + reach) return;
  // The axes of the view, the eye and the sun in the frame of the body.
  const xx = lx[0] * ax + lx[1] * ay + lx[2] * az, xy = lx[0] * bx + lx[1] * by + lx[2] * bz, xz = lx[0] * cx + lx[1] * cy + lx[2] * cz;
  const yx = ly[0] * ax + ly[1] * ay + ly[2] * az, yy = ly[0] * bx + ly[1] * by + ly[2] * bz, yz = ly[0] * cx + ly[1] * cy + ly[2] * cz;
  const wx = -(lz[0] * ax + lz[1] * ay + lz[2] * az), wy = -(lz[0] * bx + lz[1] * by + lz[2] * bz), wz = -(lz[0] * cx + lz[1] * cy + lz[2] * cz);
  const ex = -(dx * ax + dy * ay + dz * az), ey = -(dx * bx + dy * by + dz * bz), ez = -(dx * cx + dy * cy + dz * cz);
  const sx = sun[0] * ax + sun[1] * ay + sun[2] * az, sy = sun[0] * bx + sun[1] * by + sun[2] * bz, sz = sun[0] * cx + sun[1] * cy + sun[2] * cz;
  const isNear = w0 - reach < near;
  projectPoints(points, isNear, x0, xx, xy, xz, y0, yx, yy, yz, w0, wx, wy, wz);
  if (!isNear && isHiddenBehind(points.length / 3, 1 / (w0 - reach))) return;
  // Far things fade into the background, as in shaders.js.
  const dim = Math.min(1, Math.max(0, (Math.sqrt(dx * dx + dy * dy + dz * dz) / far - 0.55) / 0.45)), haze = 0.75 * dim * dim * (3 - 2 * dim), clear = 1 - haze;
  const hazeR = 255 * haze * fog[0], hazeG = 255 * haze * fog[1], hazeB = 255 * haze * fog[2];
  for (let f = 0; f < faces.length; f += 4) {
    let nx = planes[f], ny = planes[f + 1], nz = planes[f + 2], away = planes[f + 3] - (nx * ex + ny * ey + nz * ez);
    if (0 <= away) {
      if (solid.isClosed || away === 0) continue;
      nx = -nx; ny = -ny; nz = -nz; away = -away;
    }
    let n = faces[f + 2] === faces[f + 3] ? 3 : 4;
    if (isNear) n = clip(faces, f, n);
    else for (let k = 0; k < n; k++) { xs[k] = px[faces[f + k]]; ys[k] = py[faces[f + k]]; }
    // A ray through a pixel meets the plane of the face where its normal part reaches `away`.
    const scale = 1 / (away * focal), zx = (nx * xx + ny * xy + nz * xz) * scale, zy = -(nx * yx + ny * yy + nz * yz) * scale;
    const z = (nx * wx + ny * wy + nz * wz) / away - zx * middleX - zy * middleY;
    const d = Math.max(0, nx * sx + ny * sy + nz * sz), h = 0.5 + 0.5 * (nx * ay + ny * by + nz * cy), c = first + step * (f >> 2);
    raster.polygon(n, xs, ys, z, zx, zy, raster.colour(
      colours[c] * clear * (0.42 + 0.18 * h + 0.72 * d) + hazeR,
      colours[c + 1] * clear * (0.41 + 0.22 * h + 0.69 * d) + hazeG,
      colours[c + 2] * clear * (0.41 + 0.28 * h + 0.64 * d) + hazeB));
  }
};

// ---- The background: the floor with its grid, and the same in shadow. It is kept while neither the
// camera nor the size changes.
let background = new Uint32Array(0), shaded = new Uint32Array(0), backgroundKey = "";
const smooth = x => { const t = 1 < x ? 1 : x < 0 ? 0 : x; return t * t * (3 - 2 * t); };
// How much of a pixel is on a line: the distance to the next line along two axes, in pixels. Where
// lines are denser than pixels there are none.
const onLine = (a, wa, b, wb) => {
  const da = Math.abs(a - Math.floor(a + 0.5)) / wa, db = Math.abs(b - Math.floor(b + 0.5)) / wb, near = da < db ? da : db;
  const room = 1.5 - 2 * (wa < wb ? wb : wa);
  return 1 <= near || room <= 0 ? 0 : (1 - near) * (room < 1 ? room : 1);
};
const makeBackground = view => {
  const { width, height } = raster, { floor, middle } = view;
  const key = JSON.stringify([width, height, eye, middle, sun, fog, floor]);
  if (key === backgroundKey) return;
  backgroundKey = key;
  if (background.length !== width * height) { background = new Uint32Array(width * height); shaded = new Uint32Array(width * height); }
  const sky = raster.colour(255 * fog[0], 255 * fog[1], 255 * fog[2]);
  background.fill(sky); shaded.fill(sky);
  if (!floor || eye[1] <= floor.y) return;
  const { base, ink, cell, reach } = floor, fine = 1 / cell, wide = 0.1 / cell;
  // A colour is that of the fog, and a part of two differences: of the floor, and of a line on it.
  const [fr, fg, fb] = fog.map(c => 255 * c), lights = [[0.6, 0.63, 0.69], [0.6 + 0.72 * sun[1], 0.63 + 0.69 * sun[1], 0.69 + 0.64 * sun[1]]];
  const [[sr, sg, sb], [lr, lg, lb]] = lights.map(light => light.map((l, k) => 255 * (l * base[k] - fog[k])));
  const [[isr, isg, isb], [ilr, ilg, ilb]] = lights.map(light => light.map((l, k) => 255 * l * (ink[k] - base[k])));
  // The view does not roll, so all pixels of a row have the same distance along it, and the points of
  // the floor below them lie in a line: (a, b) + x (da, db), seen from the eye.
  const { x: lx, y: ly, z: lz } = look, drop = eye[1] - floor.y, side = eye[0] - middle[0], front = eye[2] - middle[2];
  const rowAt = y => {
    const up = (middleY - y) / focal, down = lz[1] - up * ly[1], t = 0 < down ? drop / down : Infinity, left = (0.5 - middleX) / focal;
    return { t, a: t * (lx[0] * left + ly[0] * up - lz[0]), b: t * (lx[2] * left + ly[2] * up - lz[2]), da: t * lx[0] / focal, db: t * lx[2] / focal };
  };
  for (let row = 0; row < height; row++) {
    const { t, a: a0, b: b0, da, db } = rowAt(row + 0.5), next = rowAt(row + 1.5);
    if (!(t < 4 * far)) continue;
    const slantA = next.a - a0, slantB = next.b - b0, turnA = next.da - da, turnB = next.db - db, ada = Math.abs(da), adb = Math.abs(db);
    for (let x = 0, p = row * width; x < width; x++, p++) {
      const a = a0 + da * x, b = b0 + db * x, u = a + side, v = b + front, away = u * u + v * v;
      if (reach * reach <= away) continue;
      const wa = ada + Math.abs(slantA + turnA * x), wb = adb + Math.abs(slantB + turnB * x), wx = a + eye[0], wz = b + eye[2];
      const few = 0.35 * onLine(wx * fine, wa * fine, wz * fine, wb * fine), tens = 0.6 * onLine(wx * wide, wa * wide, wz * wide, wb * wide), line = few < tens ? tens : few;
      let part = away < 0.3025 * reach * reach ? 1 : smooth((1 - Math.sqrt(away) / reach) / 0.45);
      const distance = a * a + b * b + drop * drop;
      if (0.3025 * far * far < distance) part *= 1 - 0.75 * smooth((Math.sqrt(distance) / far - 0.55) / 0.45);
      background[p] = raster.colour(fr + part * (lr + line * ilr), fg + part * (lg + line * ilg), fb + part * (lb + line * ilb));
      shaded[p] = raster.colour(fr + part * (sr + line * isr), fg + part * (sg + line * isg), fb + part * (sb + line * isb));
    }
  }
};

// ---- Particles: balls that are lit, each at one depth.
const drawClouds = hidden => {
  const side = inner(sun, look.x), up = inner(sun, look.y), toward = inner(sun, look.z);
  for (const [number, c] of r.clouds.entries()) {
    if (number === hidden) continue;
    for (let i = 0; i < c.n; i++) {
      const d = [0, 1, 2].map(k => c.points[3 * i + k] - eye[k]), along = -inner(d, look.z);
      if (along < near) continue;
      const s = focal / along, t = 4 * i;
      raster.disc(middleX + inner(d, look.x) * s, middleY - inner(d, look.y) * s, Math.max(0.6, c.radius * s), 1 / along, (x, y) => {
        const light = 0.5 + 0.68 * Math.max(0, x * side + y * up + Math.sqrt(Math.max(0, 1 - x * x - y * y)) * toward) + 0.08 * y;
        return raster.colour(c.tint[t] * light, c.tint[t + 1] * light, c.tint[t + 2] * light);
      });
    }
  }
};

// ---- What is drawn over the bodies.
const project = (p, i) => {
  const d = [p[i] - eye[0], p[i + 1] - eye[1], p[i + 2] - eye[2]], along = -inner(d, look.z), s = focal / along;
  return [middleX + inner(d, look.x) * s, middleY - inner(d, look.y) * s, 1 / along, along];
};
const colourOf = c => raster.colour(255 * c[0], 255 * c[1], 255 * c[2]);
// A line between two points of the world. One that comes too near the eye is left out.
const drawLine = (p, i, q, k, colour, isOver, nearer = 0) => {
  const [ax, ay, az, a] = project(p, i), [bx, by, bz, b] = project(q, k);
  if (a < near || b < near) return;
  const lift = 1 + nearer;
  raster.line(ax, ay, isOver ? Infinity : az * lift, bx, by, isOver ? Infinity : bz * lift, colourOf(colour), colour[3] ?? 1);
};
const drawBoxes = ({ low, high, colour }) => {
  const a = [0, 0, 0], b = [0, 0, 0];
  for (let i = 0; i < low.length; i += 3) for (let axis = 0; axis < 3; axis++) for (let ends = 0; ends < 4; ends++) {
    const u = (axis + 1) % 3, v = (axis + 2) % 3;
    a[axis] = low[i + axis]; b[axis] = high[i + axis];
    a[u] = b[u] = (ends & 1 ? high : low)[i + u]; a[v] = b[v] = (ends & 2 ? high : low)[i + v];
    drawLine(a, 0, b, 0, colour, false);
  }
};
// Marked triangles are a little nearer to the eye than the surface that they lie on.
const NEARER = 2e-3;
const drawMarks = ({ corners, colour }) => {
  for (let i = 0; i + 8 < corners.length; i += 9) {
    const p = [0, 3, 6].map(k => project(corners, i + k));
    if (p.some(([, , , along]) => along < near)) continue;
    p.forEach(([x, y], k) => { xs[k] = x; ys[k] = y; });
    const x1 = xs[1] - xs[0], y1 = ys[1] - ys[0], x2 = xs[2] - xs[0], y2 = ys[2] - ys[0], area = x1 * y2 - x2 * y1;
    const z1 = p[1][2] - p[0][2], z2 = p[2][2] - p[0][2], zx = area ? (z1 * y2 - z2 * y1) / area : 0, zy = area ? (x1 * z2 - x2 * z1) / area : 0;
    raster.veil(3, xs, ys, (p[0][2] - zx * xs[0] - zy * ys[0]) * (1 + NEARER), zx, zy, colourOf(colour), 0.3);
    for (let k = 0; k < 3; k++) drawLine(corners, i + 3 * k, corners, i + 3 * ((k + 1) % 3), colour, false, NEARER);
  }
};

// The bodies that are drawn, the nearest first: what they hide is not drawn. They are sorted by
// counting, into so many layers.
const N_LAYERS = 1024, starts = new Uint32Array(N_LAYERS + 1);
let sorted = new Uint32Array(0), layers = new Uint16Array(0);
const nearestFirst = () => {
  const { drawn, positions: p } = r, n = drawn.length, { z } = look;
  if (sorted.length !== n) { sorted = new Uint32Array(n); layers = new Uint16Array(n); }
  const nearness = i => z[0] * p[3 * i] + z[1] * p[3 * i + 1] + z[2] * p[3 * i + 2];
  let low = Infinity, high = -Infinity;
  for (let k = 0; k < n; k++) { const d = nearness(drawn[k]); low = Math.min(low, d); high = Math.max(high, d); }
  const scale = (N_LAYERS - 1) / (high - low || 1);
  starts.fill(0);
  for (let k = 0; k < n; k++) { layers[k] = (high - nearness(drawn[k])) * scale; starts[layers[k] + 1]++; }
  for (let k = 0; k < N_LAYERS; k++) starts[k + 1] += starts[k];
  for (let k = 0; k < n; k++) sorted[starts[layers[k]]++] = drawn[k];
  return sorted;
};

const ORIGIN = [0, 0, 0], NO_TURN = [0, 0, 0, 1];
return (view, picture, ratio, { isSkinShown, hiddenCloud, boxes, marks, lines, dots }) => {
  const width = Math.max(1, Math.round(canvas.clientWidth * ratio)), height = Math.max(1, Math.round(canvas.clientHeight * ratio));
  if (canvas.width !== width || canvas.height !== height || !raster.image) {
    canvas.width = width; canvas.height = height;
    raster.resize(width, height);
  }
  ({ eye, look, sun, fog, far, near } = view);
  focal = height / 2 / Math.tan(FIELD_OF_VIEW / 2); middleX = width / 2; middleY = height / 2;
  makeBackground(view);
  raster.pixels.set(background);
  raster.depths.fill(0);
  for (const i of nearestFirst()) {
    if (!r.isHidden(i)) drawSolid(solidFor(r.shapes[r.bodies[i]]), r.positions, 3 * i, r.rotations, 4 * i, r.colours, 4 * i, 0);
  }
  for (const s of r.surfaces) {
    s.solid ??= solidOf(s.points, facesOf(s.triangles), false);
    s.solid.points.set(s.points); s.solid.radius = Infinity;
    findPlanes(s.solid);
    drawSolid(s.solid, ORIGIN, 0, NO_TURN, 0, s.colour, 0, 12);
  }
  if (isSkinShown && r.skin.n) {
    const solid = solidOf(r.skin.points, facesOf(r.skin.corners), false);
    drawSolid({ ...solid, radius: Infinity }, ORIGIN, 0, NO_TURN, 0, r.skin.colour, 0, 0);
  }
  if (view.floor && view.floor.y < eye[1]) {
    for (const i of r.drawn) if (!r.isHidden(i)) drawShadow(solidFor(r.shapes[r.bodies[i]]), i, view.floor.y);
  }
  drawClouds(hiddenCloud);
  if (view.pit) drawBoxes({ ...view.pit, colour: [0.45, 0.5, 0.58, 0.7] });
  boxes.forEach(drawBoxes);
  marks.forEach(drawMarks);
  for (const { ends, colour } of lines) for (let i = 0; i + 5 < ends.length; i += 6) drawLine(ends, i, ends, i + 3, colour, true);
  for (let i = 0; i + 2 < dots.length; i += 3) {
    const [x, y, , along] = project(dots, i), radius = Math.min(6, Math.max(1.5, height * r.camera.distance / 220 / along));
    if (along < near) continue;
    raster.disc(x, y, radius, 1e30, (a, b) => a * a + b * b < 0.48 ? raster.colour(255, 235, 51) : raster.colour(26, 26, 26));
  }
  context.putImageData(raster.image, 0, 0);
};
};
