// The renderer of carom's pages: draws bodies, sheets, particles, lines and boxes with WebGL 2, and
// has the camera and its pointer. It uses no outside code, and knows neither recordings nor worlds.
"use strict";

// ---- Colours: by the state of a body (fixed, asleep, awake, in contact, near, colliding), or by
// its index.
const stateColours = [[128, 134, 144], [92, 116, 158], [78, 166, 108], [224, 138, 52], [232, 176, 38], [214, 62, 62]];
const ownColour = i => {
  const h = (i * 0.618034) % 1 * 6, f = k => { const t = (k + h) % 6; return 0.42 + 0.42 * Math.max(0, Math.min(1, Math.abs(t - 3) - 1)); };
  return [f(0) * 255, f(4) * 255, f(2) * 255];
};
// Bodies in the same state differ a little in brightness, so that they can be distinguished.
const shadeOf = i => 0.84 + 0.3 * ((i * 0.7548777) % 1);

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
const capsule = () => {
  const rows = 12, sides = 20, v = [], n = [];
  const ring = row => {
    // Row 6 is the equator of the lower half, row 7 that of the upper.
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


// Returns a renderer on a canvas. Throws an error with a message if the browser cannot draw.
const makeRenderer = canvas => {
const gl = canvas.getContext("webgl2", { alpha: false, antialias: true, preserveDrawingBuffer: true });
if (!gl) throw new Error("This browser has no WebGL 2.");
const compile = (vertex, fragment) => {
  const program = gl.createProgram();
  for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, "#version 300 es\nprecision highp float;\nprecision highp sampler2DShadow;\n" + text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
  const uniforms = {};
  for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i++) {
    const { name } = gl.getActiveUniform(program, i);
    uniforms[name] = gl.getUniformLocation(program, name);
  }
  return { program, uniforms };
};
const solidVertex = `
layout(location = 0) in vec4 vertex;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec3 at;
layout(location = 3) in vec4 turn;
layout(location = 4) in vec4 size;
layout(location = 5) in vec3 colour;
uniform mat4 view;
uniform mat4 light;
out vec3 vNormal; out vec3 vColour; out vec3 vPoint; out vec4 vLight;
vec3 turned(vec3 p) { return p + 2.0 * cross(turn.xyz, cross(turn.xyz, p) + turn.w * p); }
void main() {
  vec3 p = turned(vertex.xyz * size.xyz + vec3(0.0, vertex.w * size.w, 0.0)) + at;
  vNormal = turned(normal / size.xyz);
  vColour = colour; vPoint = p; vLight = light * vec4(p, 1.0);
  gl_Position = view * vec4(p, 1.0);
}`;
const shading = `
uniform sampler2DShadow shadow;
uniform vec3 sun; uniform vec3 eye; uniform vec3 fog; uniform float far;
float lit(vec4 inLight, float slope) {
  vec3 p = inLight.xyz * 0.5 + 0.5;
  if (any(lessThan(p, vec3(0.0))) || any(greaterThan(p, vec3(1.0)))) return 1.0;
  float bias = 0.0006 + 0.0016 * slope, sum = 0.0;
  for (int i = 0; i < 4; i++) {
    vec2 off = vec2(float(i & 1) - 0.5, float(i >> 1) - 0.5) / 1024.0;
    sum += texture(shadow, vec3(p.xy + off * 0.7, p.z - bias));
  }
  return sum * 0.25;
}
vec3 shade(vec3 colour, vec3 normal, vec3 point, vec4 inLight) {
  vec3 n = normalize(normal);
  float d = dot(n, sun);
  float direct = max(d, 0.0) * lit(inLight, 1.0 - max(d, 0.0));
  vec3 ambient = mix(vec3(0.42, 0.41, 0.41), vec3(0.60, 0.63, 0.69), n.y * 0.5 + 0.5);
  vec3 c = colour * (ambient + direct * vec3(0.72, 0.69, 0.64));
  float haze = smoothstep(0.55, 1.0, distance(point, eye) / far);
  return mix(c, fog, haze * 0.75);
}`;
let solid, depth, line, stroke, dot, ground, ball, ballDepth;
try {
  solid = compile(solidVertex, `in vec3 vNormal; in vec3 vColour; in vec3 vPoint; in vec4 vLight; out vec4 pixel;` + shading +
    `void main() { pixel = vec4(shade(vColour, gl_FrontFacing ? vNormal : -vNormal, vPoint, vLight), 1.0); }`);
  depth = compile(solidVertex, `void main() {}`);
  ground = compile(`layout(location = 0) in vec2 corner; uniform mat4 view, light; uniform vec3 middle; uniform float reach;
    out vec3 vPoint; out vec4 vLight;
    void main() { vPoint = middle + vec3(corner.x, 0.0, corner.y) * reach; vLight = light * vec4(vPoint, 1.0); gl_Position = view * vec4(vPoint, 1.0); }`,
    `in vec3 vPoint; in vec4 vLight; uniform vec3 middle, base, ink; uniform float reach, cell; out vec4 pixel;` + shading + `
    float grid(float step) {
      vec2 g = vPoint.xz / step, w = fwidth(g);
      vec2 a = abs(fract(g - 0.5) - 0.5) / w;
      return (1.0 - min(min(a.x, a.y), 1.0)) * clamp(1.5 - 2.0 * max(w.x, w.y), 0.0, 1.0);
    }
    void main() {
      vec3 c = mix(base, ink, max(grid(cell) * 0.35, grid(cell * 10.0) * 0.6));
      float fade = smoothstep(1.0, 0.55, length(vPoint.xz - middle.xz) / reach);
      vec3 s = shade(c, vec3(0.0, 1.0, 0.0), vPoint, vLight);
      pixel = vec4(mix(fog, s, fade), 1.0);
    }`);
  line = compile(`layout(location = 0) in vec3 vertex; layout(location = 2) in vec3 low; layout(location = 3) in vec3 high;
    uniform mat4 view; void main() { gl_Position = view * vec4(mix(low, high, vertex), 1.0); }`,
    `uniform vec4 colour; out vec4 pixel; void main() { pixel = colour; }`);
  stroke = compile(`layout(location = 0) in vec3 vertex; uniform mat4 view; void main() { gl_Position = view * vec4(vertex, 1.0); }`,
    `uniform vec4 colour; out vec4 pixel; void main() { pixel = colour; }`);
  // A particle is drawn as a square. Each pixel computes its point on the ball.
  const ballVertex = `layout(location = 0) in vec3 vertex; layout(location = 5) in vec3 colour;
    uniform mat4 view, light; uniform float radius, size; out vec3 vMiddle; out vec3 vColour;
    void main() {
      vMiddle = vertex; vColour = colour; gl_Position = view * vec4(vertex, 1.0);
      gl_PointSize = max(size * radius / gl_Position.w, 1.0);
    }`;
  const ballPixel = (head, shaded) => `in vec3 vMiddle; in vec3 vColour; uniform mat4 view, light; uniform vec3 right, up, back; uniform float radius;` + head + `
    void main() {
      vec2 d = vec2(2.0, -2.0) * (gl_PointCoord - 0.5); float r = dot(d, d); if (1.0 < r) discard;
      vec3 n = right * d.x + up * d.y + back * sqrt(1.0 - r), p = vMiddle + n * radius;
      vec4 at = view * vec4(p, 1.0);
      gl_FragDepth = at.z / at.w * 0.5 + 0.5;` + shaded + `
    }`;
  ball = compile(ballVertex, ballPixel(`out vec4 pixel;` + shading, `pixel = vec4(shade(vColour, n, p, light * vec4(p, 1.0)), 1.0);`));
  ballDepth = compile(ballVertex, ballPixel("", ""));
  dot = compile(`layout(location = 0) in vec3 vertex; uniform mat4 view; uniform float size;
    void main() { gl_Position = view * vec4(vertex, 1.0); gl_PointSize = clamp(size / gl_Position.w, 3.0, 12.0); }`,
    `out vec4 pixel; void main() { vec2 d = gl_PointCoord - 0.5; float r = dot(d, d); if (0.25 < r) discard;
     pixel = r < 0.12 ? vec4(1.0, 0.92, 0.2, 1.0) : vec4(0.1, 0.1, 0.1, 0.9); }`);
} catch (e) { throw new Error("A shader does not compile: " + e.message); }

const buffer = (data, usage) => { const b = gl.createBuffer(); gl.bindBuffer(gl.ARRAY_BUFFER, b); gl.bufferData(gl.ARRAY_BUFFER, data, usage || gl.STATIC_DRAW); return b; };
const attribute = (at, size, type, normalized, divisor) => {
  gl.enableVertexAttribArray(at); gl.vertexAttribPointer(at, size, type, normalized, 0, 0); gl.vertexAttribDivisor(at, divisor);
};
const upload = (target, data) => { gl.bindBuffer(gl.ARRAY_BUFFER, target); gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW); };
const colourAttribute = divisor => { gl.enableVertexAttribArray(5); gl.vertexAttribPointer(5, 3, gl.UNSIGNED_BYTE, true, 4, 0); gl.vertexAttribDivisor(5, divisor); };

// The state that a page fills, and that is drawn. Positions, rotations and colours have a row for
// each body. Planes are a normal and a point.
const r = {
  shapes: [], bodies: new Uint32Array(0), positions: new Float32Array(0), rotations: new Float32Array(0), colours: new Uint8Array(0),
  drawn: [], surfaces: [], clouds: [], planes: [], sceneRadius: 1, floorY: 0,
  camera: { target: [0, 0, 0], distance: 10, yaw: 0.7, pitch: 0.42 },
  // Whether a body is hidden for now.
  isHidden: () => false,
};

// ---- Bodies: those with the same geometry are drawn in one call.
let groups = [];
const geometries = new Map();
const geometryOf = (key, shape) => {
  if (!geometries.has(key)) {
    const { v, n } = key === "box" ? cube() : key === "capsule" ? capsule() : meshOf(shape);
    geometries.set(key, { n: v.length / 4, vertices: buffer(Float32Array.from(v)), normals: buffer(Float32Array.from(n)) });
  }
  return geometries.get(key);
};
// Sets the shapes, and the shape of each body. A body whose shape is a plane, or has no entry, is
// not drawn.
r.setBodies = (shapes, bodies) => {
  for (const g of groups) {
    for (const b of [g.atBuffer, g.turnBuffer, g.sizeBuffer, g.colourBuffer]) gl.deleteBuffer(b);
    gl.deleteVertexArray(g.array);
  }
  for (const [key, { vertices, normals }] of geometries) {
    if (typeof key !== "string" && !shapes.includes(key)) { gl.deleteBuffer(vertices); gl.deleteBuffer(normals); geometries.delete(key); }
  }
  const nBodies = bodies.length;
  Object.assign(r, { shapes, bodies, positions: new Float32Array(3 * nBodies), rotations: new Float32Array(4 * nBodies), colours: new Uint8Array(4 * nBodies) });
  const members = new Map();
  for (let i = 0; i < nBodies; i++) {
    const shape = shapes[bodies[i]];
    if (!shape || shape.kind === "plane") continue;
    const key = shape.kind === "mesh" ? shape : shape.kind;
    if (!members.has(key)) members.set(key, []);
    members.get(key).push(i);
  }
  groups = [];
  for (const [key, list] of members) {
    const geometry = geometryOf(key, shapes[bodies[list[0]]]), size = new Float32Array(4 * list.length);
    list.forEach((i, k) => {
      const s = shapes[bodies[i]];
      size.set(s.kind === "box" ? [...s.half, 0] : s.kind === "capsule" ? [s.radius, s.radius, s.radius, s.half] : [1, 1, 1, 0], 4 * k);
    });
    const group = { list, nVertices: geometry.n, n: list.length,
      at: new Float32Array(3 * list.length), turn: new Float32Array(4 * list.length), colour: new Uint8Array(4 * list.length) };
    group.array = gl.createVertexArray();
    gl.bindVertexArray(group.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, geometry.vertices); attribute(0, 4, gl.FLOAT, false, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, geometry.normals); attribute(1, 3, gl.FLOAT, false, 0);
    group.atBuffer = buffer(group.at, gl.DYNAMIC_DRAW); attribute(2, 3, gl.FLOAT, false, 1);
    group.turnBuffer = buffer(group.turn, gl.DYNAMIC_DRAW); attribute(3, 4, gl.FLOAT, false, 1);
    group.sizeBuffer = buffer(size); attribute(4, 4, gl.FLOAT, false, 1);
    group.colourBuffer = buffer(group.colour, gl.DYNAMIC_DRAW); colourAttribute(1);
    groups.push(group);
  }
  gl.bindVertexArray(null);
  r.drawn = groups.flatMap(g => g.list);
};
// A hidden body is moved out of every view.
const FAR_AWAY = 1e20;
// Takes over positions, rotations and colours.
r.placeBodies = () => {
  const { positions: p, rotations: q, colours: c } = r;
  for (const g of groups) {
    const { list, at, turn, colour } = g;
    for (let k = 0; k < g.n; k++) {
      const i = list[k], away = r.isHidden(i) ? FAR_AWAY : 0;
      at[3 * k] = p[3 * i] + away; at[3 * k + 1] = p[3 * i + 1] + away; at[3 * k + 2] = p[3 * i + 2] + away;
      for (let j = 0; j < 4; j++) { turn[4 * k + j] = q[4 * i + j]; colour[4 * k + j] = c[4 * i + j]; }
    }
    upload(g.atBuffer, at); upload(g.turnBuffer, turn); upload(g.colourBuffer, colour);
  }
};

// ---- Meshes that change their shape. A surface has `triangles` and `n` vertices; the page fills
// `points`.
r.setSurfaces = surfaces => {
  for (const s of r.surfaces) {
    for (const b of [s.vertexBuffer, s.normalBuffer, s.colourBuffer]) gl.deleteBuffer(b);
    gl.deleteVertexArray(s.array);
  }
  for (const s of surfaces) {
    const n = s.triangles.length;
    s.points ||= new Float32Array(3 * s.n);
    s.nFaces = n / 3; s.normals = new Float32Array(3 * s.n);
    s.vertices = new Float32Array(4 * n); s.turned = new Float32Array(3 * n); s.colour = new Uint8Array(4 * n);
    s.array = gl.createVertexArray();
    gl.bindVertexArray(s.array);
    s.vertexBuffer = buffer(s.vertices, gl.DYNAMIC_DRAW); attribute(0, 4, gl.FLOAT, false, 0);
    s.normalBuffer = buffer(s.turned, gl.DYNAMIC_DRAW); attribute(1, 3, gl.FLOAT, false, 0);
    s.colourBuffer = buffer(s.colour, gl.DYNAMIC_DRAW); colourAttribute(0);
  }
  gl.bindVertexArray(null);
  r.surfaces = surfaces;
};
// Takes over the points; `colourOf` returns the colour of a face of a surface.
r.placeSurfaces = colourOf => {
  r.surfaces.forEach((s, number) => {
    normalsInto(s.normals, s.points, s.triangles);
    for (let i = 0; i < s.triangles.length; i++) {
      const v = 3 * s.triangles[i], c = colourOf(number, i / 3 | 0);
      for (let k = 0; k < 3; k++) {
        s.vertices[4 * i + k] = s.points[v + k]; s.turned[3 * i + k] = s.normals[v + k]; s.colour[4 * i + k] = c[k];
      }
    }
    upload(s.vertexBuffer, s.vertices); upload(s.normalBuffer, s.turned); upload(s.colourBuffer, s.colour);
  });
};

// ---- A skin around the particles of one cloud, with its own vertices and triangles each time.
const skin = { n: 0, colour: [0, 0, 0], array: gl.createVertexArray() };
gl.bindVertexArray(skin.array);
skin.vertexBuffer = buffer(new Float32Array(3), gl.DYNAMIC_DRAW); attribute(0, 3, gl.FLOAT, false, 0);
skin.normalBuffer = buffer(new Float32Array(3), gl.DYNAMIC_DRAW); attribute(1, 3, gl.FLOAT, false, 0);
skin.cornerBuffer = gl.createBuffer();
gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, skin.cornerBuffer);
gl.bindVertexArray(null);
// Sets the skin; without points there is none.
r.setSkin = (points, corners, colour) => {
  skin.n = points ? corners.length : 0;
  if (!skin.n) return;
  const normals = new Float32Array(points.length);
  normalsInto(normals, points, corners);
  skin.colour = colour;
  upload(skin.vertexBuffer, points); upload(skin.normalBuffer, normals);
  gl.bindVertexArray(skin.array);
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, skin.cornerBuffer);
  gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, corners, gl.DYNAMIC_DRAW);
  gl.bindVertexArray(null);
};
const drawSurfaces = isSkinShown => {
  gl.vertexAttrib4f(2, 0, 0, 0, 1); gl.vertexAttrib4f(3, 0, 0, 0, 1); gl.vertexAttrib4f(4, 1, 1, 1, 0);
  if (isSkinShown && skin.n) {
    gl.vertexAttrib4f(5, ...skin.colour.map(c => c / 255), 1);
    gl.bindVertexArray(skin.array);
    gl.drawElements(gl.TRIANGLES, skin.n, gl.UNSIGNED_INT, 0);
  }
  for (const s of r.surfaces) { gl.bindVertexArray(s.array); gl.drawArrays(gl.TRIANGLES, 0, s.triangles.length); }
};

// ---- Particles. A cloud has `n` of them and a `radius`; the page fills `points` and `tint`.
r.setClouds = clouds => {
  for (const c of r.clouds) { gl.deleteBuffer(c.pointBuffer); gl.deleteBuffer(c.tintBuffer); gl.deleteVertexArray(c.array); }
  for (const c of clouds) {
    c.points ||= new Float32Array(3 * c.n);
    c.tint = new Uint8Array(4 * c.n);
    c.array = gl.createVertexArray();
    gl.bindVertexArray(c.array);
    c.pointBuffer = buffer(c.points, gl.DYNAMIC_DRAW); attribute(0, 3, gl.FLOAT, false, 0);
    c.tintBuffer = buffer(c.tint, gl.DYNAMIC_DRAW); colourAttribute(0);
  }
  gl.bindVertexArray(null);
  r.clouds = clouds;
};
r.placeClouds = () => { for (const c of r.clouds) { upload(c.pointBuffer, c.points); upload(c.tintBuffer, c.tint); } };
// Draws the particles as balls, seen along `look.z`. A ball of radius 1 at depth 1 is `size` pixels
// wide.
const drawClouds = (program, look, size, hidden) => {
  gl.uniform3fv(program.uniforms.right, look.x); gl.uniform3fv(program.uniforms.up, look.y); gl.uniform3fv(program.uniforms.back, look.z);
  for (const [number, c] of r.clouds.entries()) {
    if (number === hidden) continue;
    gl.uniform1f(program.uniforms.radius, c.radius); gl.uniform1f(program.uniforms.size, size);
    gl.bindVertexArray(c.array); gl.drawArrays(gl.POINTS, 0, c.n);
  }
};

// ---- Lines, boxes, dots, the floor, the shadow.
const edges = gl.createVertexArray();
gl.bindVertexArray(edges);
{
  const v = [];
  for (let axis = 0; axis < 3; axis++) for (const a of [0, 1]) for (const b of [0, 1]) for (const end of [0, 1]) {
    const p = [0, 0, 0]; p[axis] = end; p[(axis + 1) % 3] = a; p[(axis + 2) % 3] = b; v.push(...p);
  }
  buffer(Float32Array.from(v)); attribute(0, 3, gl.FLOAT, false, 0);
}
const lowBuffer = buffer(new Float32Array(3), gl.DYNAMIC_DRAW); attribute(2, 3, gl.FLOAT, false, 1);
const highBuffer = buffer(new Float32Array(3), gl.DYNAMIC_DRAW); attribute(3, 3, gl.FLOAT, false, 1);
const dots = gl.createVertexArray();
gl.bindVertexArray(dots);
const dotBuffer = buffer(new Float32Array(3), gl.DYNAMIC_DRAW); attribute(0, 3, gl.FLOAT, false, 0);
const floorArray = gl.createVertexArray();
gl.bindVertexArray(floorArray);
buffer(new Float32Array([-1, -1, -1, 1, 1, -1, 1, 1])); attribute(0, 2, gl.FLOAT, false, 0);
gl.bindVertexArray(null);

const SHADOW = 2048;
const shadowTexture = gl.createTexture(), shadowTarget = gl.createFramebuffer();
gl.bindTexture(gl.TEXTURE_2D, shadowTexture);
gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW, SHADOW);
gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
gl.bindFramebuffer(gl.FRAMEBUFFER, shadowTarget);
gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, shadowTexture, 0);
gl.bindFramebuffer(gl.FRAMEBUFFER, null);

// ---- Boxes of bodies along the axes of the world, for drawing, the camera and the pointer.
r.boxOf = (i, out) => {
  const shape = r.shapes[r.bodies[i]], q = r.rotations, at = 4 * i, p = 3 * i;
  const x = q[at], y = q[at + 1], z = q[at + 2], w = q[at + 3];
  const m = [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),
    2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
    2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)];
  for (let k = 0; k < 3; k++) {
    let middle = r.positions[p + k], half;
    if (shape.kind === "box") {
      half = Math.abs(m[3 * k]) * shape.half[0] + Math.abs(m[3 * k + 1]) * shape.half[1] + Math.abs(m[3 * k + 2]) * shape.half[2];
    } else if (shape.kind === "capsule") {
      half = Math.abs(m[3 * k + 1]) * shape.half + shape.radius;
    } else {
      half = 0;
      for (let j = 0; j < 3; j++) {
        middle += m[3 * k + j] * (shape.min[j] + shape.extent[j] / 2);
        half += Math.abs(m[3 * k + j]) * shape.extent[j] / 2;
      }
    }
    out[k] = middle - half; out[k + 3] = middle + half;
  }
  return out;
};
// The boxes of all bodies that are drawn, as least and greatest corners.
r.bodyBoxes = () => {
  const low = new Float32Array(3 * r.drawn.length), high = new Float32Array(3 * r.drawn.length), one = new Float64Array(6);
  r.drawn.forEach((i, k) => { r.boxOf(i, one); low.set(one.subarray(0, 3), 3 * k); high.set(one.subarray(3), 3 * k); });
  return { low, high };
};
// The box around all that is drawn; `among` chooses bodies.
r.wholeBox = (among = () => true) => {
  const all = [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity], one = new Float64Array(6);
  for (const i of r.drawn) {
    if (!among(i)) continue;
    r.boxOf(i, one);
    for (let k = 0; k < 3; k++) { all[k] = Math.min(all[k], one[k]); all[k + 3] = Math.max(all[k + 3], one[k + 3]); }
  }
  for (const s of [...r.surfaces, ...r.clouds]) for (let i = 0; i < s.points.length; i++) {
    all[i % 3] = Math.min(all[i % 3], s.points[i]); all[i % 3 + 3] = Math.max(all[i % 3 + 3], s.points[i]);
  }
  return all[0] <= all[3] ? all : [-1, -1, -1, 1, 1, 1];
};

// ---- Camera.
// The distance from which a box around the target is in view, with some room around it.
r.distanceThatShows = size => {
  const { pitch, yaw } = r.camera;
  const unitEye = [Math.cos(pitch) * Math.sin(yaw), Math.sin(pitch), Math.cos(pitch) * Math.cos(yaw)];
  const { x, y, z } = looking(unitEye, [0, 0, 0], [0, 1, 0]), up = Math.tan(FIELD_OF_VIEW / 2);
  const aside = up * (canvas.clientWidth || 1) / (canvas.clientHeight || 1);
  let distance = 0;
  for (let corner = 0; corner < 8; corner++) {
    const p = [0, 1, 2].map(k => size[k] * (corner >> k & 1 ? 0.5 : -0.5));
    const [a, b, c] = [x, y, z].map(axis => p[0] * axis[0] + p[1] * axis[1] + p[2] * axis[2]);
    distance = Math.max(distance, c + 1.08 * Math.max(Math.abs(a) / aside, Math.abs(b) / up));
  }
  return distance;
};
r.eye = () => {
  const { target, distance, yaw, pitch } = r.camera, c = Math.cos(pitch);
  return [target[0] + distance * c * Math.sin(yaw), target[1] + distance * Math.sin(pitch), target[2] + distance * c * Math.cos(yaw)];
};
// The ray through a pixel of the canvas. The direction has length 1 along the view.
r.rayAt = (px, py) => {
  const eye = r.eye(), l = looking(eye, r.camera.target, [0, 1, 0]), f = Math.tan(FIELD_OF_VIEW / 2), a = canvas.clientWidth / canvas.clientHeight;
  const sx = (2 * px / canvas.clientWidth - 1) * f * a, sy = (1 - 2 * py / canvas.clientHeight) * f;
  return { origin: eye, direction: [0, 1, 2].map(k => l.x[k] * sx + l.y[k] * sy - l.z[k]), forward: l.z.map(x => -x) };
};
// The pixel at which a point of the world is seen.
r.pixelOf = point => {
  const l = looking(r.eye(), r.camera.target, [0, 1, 0]), f = Math.tan(FIELD_OF_VIEW / 2), a = canvas.clientWidth / canvas.clientHeight;
  const d = sub(point, r.eye()), depth = -inner(d, l.z);
  return [(inner(d, l.x) / depth / f / a + 1) / 2 * canvas.clientWidth, (1 - inner(d, l.y) / depth / f) / 2 * canvas.clientHeight];
};
// Casts the pointer's ray against the boxes of all bodies. Returns the nearest body, or -1.
r.bodyUnder = (px, py) => {
  const { origin: eye, direction: d } = r.rayAt(px, py), one = new Float64Array(6);
  let best = Infinity, hit = -1;
  for (const i of r.drawn) {
    if (r.isHidden(i)) continue;
    r.boxOf(i, one);
    let t0 = 0, t1 = best;
    for (let k = 0; k < 3; k++) {
      const u = (one[k] - eye[k]) / d[k], v = (one[k + 3] - eye[k]) / d[k];
      t0 = Math.max(t0, Math.min(u, v)); t1 = Math.min(t1, Math.max(u, v));
    }
    if (t0 <= t1 && t0 < best) { best = t0; hit = i; }
  }
  return hit;
};
// Lets pointers turn, move and zoom the camera: one pointer turns, two move and zoom, the wheel
// zooms. `press` may return `{ move, end }` to take a pointer over. `hover` follows a pointer that
// is not pressed, `tap` is a press without motion, `changed` is called after each change.
r.control = ({ press = () => null, hover = () => {}, tap = () => {}, changed }) => {
  const pointers = new Map(), place = e => { const b = canvas.getBoundingClientRect(); return [e.clientX - b.left, e.clientY - b.top]; };
  const TAP_PIXELS = 6;
  const pan = (dx, dy) => {
    const l = looking(r.eye(), r.camera.target, [0, 1, 0]), s = r.camera.distance * 2 * Math.tan(FIELD_OF_VIEW / 2) / canvas.clientHeight;
    for (let k = 0; k < 3; k++) r.camera.target[k] += (-dx * l.x[k] + dy * l.y[k]) * s;
  };
  canvas.addEventListener("pointerdown", e => {
    canvas.setPointerCapture(e.pointerId);
    const taken = e.button === 0 && !e.shiftKey && !pointers.size ? press(e, ...place(e)) : null;
    pointers.set(e.pointerId, { last: e, start: e, taken, isStill: !pointers.size });
  });
  const release = e => {
    const p = pointers.get(e.pointerId);
    if (!p) return;
    pointers.delete(e.pointerId);
    if (p.taken) p.taken.end();
    if (p.isStill && e.type === "pointerup" && p.start.button === 0) tap(e, ...place(e));
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointermove", e => {
    const p = pointers.get(e.pointerId);
    if (!p) { hover(...place(e)); return; }
    if (TAP_PIXELS < Math.hypot(e.clientX - p.start.clientX, e.clientY - p.start.clientY)) p.isStill = false;
    const last = p.last, dx = e.clientX - last.clientX, dy = e.clientY - last.clientY;
    p.last = e;
    if (p.taken) { p.taken.move(...place(e)); return; }
    if (pointers.size === 2) {
      const [other] = [...pointers].filter(([id]) => id !== e.pointerId).map(([, q]) => q);
      other.isStill = p.isStill = false;
      if (other.taken) return;
      const d = q => Math.hypot(q.clientX - other.last.clientX, q.clientY - other.last.clientY) || 1;
      r.camera.distance *= d(last) / d(e);
      pan(dx / 2, dy / 2);
    } else if (e.shiftKey || e.buttons & 6) pan(dx, dy);
    else {
      r.camera.yaw -= dx * 0.006;
      r.camera.pitch = Math.max(-1.5, Math.min(1.5, r.camera.pitch + dy * 0.006));
    }
    changed();
  });
  canvas.addEventListener("contextmenu", e => e.preventDefault());
  canvas.addEventListener("wheel", e => {
    e.preventDefault();
    r.camera.distance = Math.max(r.sceneRadius * 1e-3, Math.min(r.sceneRadius * 20, r.camera.distance * Math.exp(e.deltaY * 0.001)));
    changed();
  }, { passive: false });
};

// ---- Drawing. `options`: `isDark`, `sunX` (the side of the sun), `hasFloor` (a floor also without
// a plane), `isSkinShown` and `hiddenCloud`, `boxes` of { low, high, colour }, `lines` of { ends,
// colour }, `dots` as points.
r.draw = ({ isDark, sunX = 0.45, hasFloor = false, isSkinShown = false, hiddenCloud = -1, boxes = [], lines = [], dots: points = [] }) => {
  const { camera, sceneRadius, planes, clouds } = r;
  const planeFloor = planes.find(p => 0.9 < p.normal[1]), walls = planes.filter(p => Math.abs(p.normal[1]) < 0.1);
  const ratio = Math.min(devicePixelRatio || 1, 2);
  const width = Math.max(1, Math.round(canvas.clientWidth * ratio)), height = Math.max(1, Math.round(canvas.clientHeight * ratio));
  if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
  const eye = r.eye(), far = camera.distance + 3 * sceneRadius, near = Math.max(camera.distance / 500, far / 20000);
  const look = looking(eye, camera.target, [0, 1, 0]);
  const viewMatrix = multiply(perspective(FIELD_OF_VIEW, width / height, near, far), look.m);
  const sun = unit([sunX, 1, 0.3]);
  const middle = camera.target, lit = Math.min(sceneRadius, camera.distance * 0.9) * 1.15;
  const sunLook = looking(middle.map((x, k) => x + sun[k] * 4 * sceneRadius), middle, [0, 0, 1]);
  const light = multiply(parallel(lit, 0, 8 * sceneRadius), sunLook.m);
  const fog = isDark ? [0.085, 0.1, 0.125] : [0.93, 0.945, 0.965];

  gl.bindFramebuffer(gl.FRAMEBUFFER, shadowTarget);
  gl.viewport(0, 0, SHADOW, SHADOW);
  gl.enable(gl.DEPTH_TEST); gl.clear(gl.DEPTH_BUFFER_BIT);
  gl.useProgram(depth.program);
  gl.uniformMatrix4fv(depth.uniforms.view, false, light);
  for (const g of groups) { gl.bindVertexArray(g.array); gl.drawArraysInstanced(gl.TRIANGLES, 0, g.nVertices, g.n); }
  drawSurfaces(isSkinShown);
  if (clouds.length) {
    gl.useProgram(ballDepth.program);
    gl.uniformMatrix4fv(ballDepth.uniforms.view, false, light);
    drawClouds(ballDepth, sunLook, SHADOW / lit, hiddenCloud);
  }

  gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  gl.viewport(0, 0, width, height);
  gl.clearColor(...fog, 1);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  gl.bindTexture(gl.TEXTURE_2D, shadowTexture);
  const common = p => {
    gl.useProgram(p.program);
    gl.uniformMatrix4fv(p.uniforms.view, false, viewMatrix);
    gl.uniformMatrix4fv(p.uniforms.light, false, light);
    gl.uniform1i(p.uniforms.shadow, 0);
    gl.uniform3fv(p.uniforms.sun, sun); gl.uniform3fv(p.uniforms.eye, eye); gl.uniform3fv(p.uniforms.fog, fog);
    gl.uniform1f(p.uniforms.far, far);
  };
  common(solid);
  for (const g of groups) { gl.bindVertexArray(g.array); gl.drawArraysInstanced(gl.TRIANGLES, 0, g.nVertices, g.n); }
  drawSurfaces(isSkinShown);
  if (clouds.length) {
    common(ball);
    drawClouds(ball, look, height / Math.tan(FIELD_OF_VIEW / 2), hiddenCloud);
  }

  if (planeFloor || hasFloor) {
    const y = planeFloor ? planeFloor.point[1] : r.floorY - 0.002 * sceneRadius;
    if (y < eye[1]) {
      common(ground);
      const reach = sceneRadius * 2.2;
      gl.uniform3f(ground.uniforms.middle, middle[0], y, middle[2]);
      gl.uniform3fv(ground.uniforms.base, isDark ? [0.15, 0.17, 0.205] : [0.73, 0.745, 0.765]);
      gl.uniform3fv(ground.uniforms.ink, isDark ? [0.5, 0.55, 0.62] : [0.36, 0.4, 0.47]);
      gl.uniform1f(ground.uniforms.reach, reach);
      gl.uniform1f(ground.uniforms.cell, Math.pow(10, Math.floor(Math.log10(sceneRadius / 4))));
      gl.bindVertexArray(floorArray); gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }
  }

  gl.useProgram(line.program);
  gl.uniformMatrix4fv(line.uniforms.view, false, viewMatrix);
  gl.bindVertexArray(edges);
  gl.enable(gl.BLEND); gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  if (walls.length) {
    // The outline of the pit between the walls, as high as the bodies at the end. It begins a
    // little above the floor, which would hide parts of the lower edges.
    const low = [-Infinity, (planeFloor ? planeFloor.point[1] : r.floorY) + 0.002 * sceneRadius, -Infinity], high = [Infinity, camera.target[1] * 2, Infinity];
    for (const wall of walls) for (const k of [0, 2]) {
      if (0.9 < wall.normal[k]) low[k] = Math.max(low[k], wall.point[k]);
      if (wall.normal[k] < -0.9) high[k] = Math.min(high[k], wall.point[k]);
    }
    if ([...low, ...high].every(Number.isFinite)) {
      upload(lowBuffer, Float32Array.from(low)); upload(highBuffer, Float32Array.from(high));
      gl.uniform4f(line.uniforms.colour, 0.45, 0.5, 0.58, 0.7);
      gl.drawArraysInstanced(gl.LINES, 0, 24, 1);
    }
  }
  for (const { low, high, colour } of boxes) {
    upload(lowBuffer, low); upload(highBuffer, high);
    gl.uniform4f(line.uniforms.colour, ...colour);
    gl.drawArraysInstanced(gl.LINES, 0, 24, low.length / 3);
  }
  // Lines and dots are drawn over everything, because most of a joint is inside of its bodies.
  gl.disable(gl.DEPTH_TEST);
  gl.useProgram(stroke.program);
  gl.uniformMatrix4fv(stroke.uniforms.view, false, viewMatrix);
  gl.bindVertexArray(dots);
  for (const { ends, colour } of lines) {
    if (!ends.length) continue;
    gl.uniform4f(stroke.uniforms.colour, ...colour);
    upload(dotBuffer, ends);
    gl.drawArrays(gl.LINES, 0, ends.length / 3);
  }
  if (points.length) {
    gl.useProgram(dot.program);
    gl.uniformMatrix4fv(dot.uniforms.view, false, viewMatrix);
    gl.uniform1f(dot.uniforms.size, height * camera.distance / 110);
    upload(dotBuffer, points);
    gl.drawArrays(gl.POINTS, 0, points.length / 3);
  }
  gl.enable(gl.DEPTH_TEST);
  gl.disable(gl.BLEND);
  gl.bindVertexArray(null);
};
return r;
};
