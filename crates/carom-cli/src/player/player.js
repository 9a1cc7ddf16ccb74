// The player of carom: decodes a recording and draws it with WebGL 2. It uses no outside code and
// loads nothing from an outside address.
"use strict";
(async () => {
const $ = id => document.getElementById(id);
const fail = text => { $("message").hidden = false; $("message").textContent = text; document.body.dataset.state = "failed"; };

// ---- Decoding: deflated { length, description, sections }; see player.rs.
const decode = async () => {
  const text = $("data").textContent;
  const packed = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  $("data").textContent = "";
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const description = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const section = ([start, n]) => bytes.slice(4 + length + start, 4 + length + start + n);
  return { description, section };
};
const unzigzag = r => (r >>> 1) ^ -(r & 1);

let recording;
try { recording = await decode(); } catch (e) { fail("The recording cannot be read: " + e.message); return; }
const { description: scene, section } = recording;
const bodies = new Uint32Array(section(scene.bodies).buffer);
const nBodies = bodies.length, nFrames = scene.frames.length;

// Frames: six words for each body (three of position, three of rotation) and a state.
const words = [], states = [];
{
  let last = new Uint16Array(6 * nBodies), before = new Uint16Array(6 * nBodies), state = new Uint8Array(nBodies);
  for (const frame of scene.frames) {
    const bytes = section(frame.poses), now = new Uint16Array(6 * nBodies);
    for (let channel = 0; channel < 6; channel++) {
      const low = 2 * channel * nBodies, high = low + nBodies;
      for (let i = 0, at = channel; i < nBodies; i++, at += 6) {
        now[at] = 2 * last[at] - before[at] + unzigzag(bytes[low + i] | bytes[high + i] << 8);
      }
    }
    const next = new Uint8Array(nBodies);
    for (let i = 0; i < nBodies; i++) next[i] = bytes[12 * nBodies + i] ^ state[i];
    words.push(now); states.push(next);
    before = last; last = now; state = next;
  }
}
// Decodes vertices and states of faces, frame by frame: three words for each vertex, and a byte for
// each face.
const unfold = (n, nFaces, stored) => {
  const frames = [], faces = [];
  let last = new Uint16Array(3 * n), before = new Uint16Array(3 * n), state = new Uint8Array(nFaces);
  for (const at of stored) {
    const bytes = section(at), now = new Uint16Array(3 * n), next = new Uint8Array(nFaces);
    for (let axis = 0; axis < 3; axis++) for (let i = 0, low = 2 * axis * n, to = axis; i < n; i++, to += 3) {
      now[to] = 2 * last[to] - before[to] + unzigzag(bytes[low + i] | bytes[low + n + i] << 8);
    }
    for (let i = 0; i < nFaces; i++) next[i] = bytes[6 * n + i] ^ state[i];
    frames.push(now); faces.push(next);
    before = last; last = now; state = next;
  }
  return { frames, faces, points: new Float32Array(3 * n) };
};
// Meshes that change their shape.
const surfaces = scene.surfaces.map((surface, at) => {
  const triangles = new Uint32Array(section(surface.triangles).buffer), n = surface.nVertices, nFaces = triangles.length / 3;
  return { triangles, n, nFaces, normals: new Float32Array(3 * n), ...unfold(n, nFaces, scene.frames.map(f => f.surfaces[at])) };
});
// Particles.
const clouds = scene.clouds.map((cloud, at) => ({ ...cloud, ...unfold(cloud.n, 0, scene.frames.map(f => f.clouds[at])) }));
// Positions at a moment, interpolated linearly between two frames.
const pointsAt = (s, time) => {
  const f = Math.min(Math.floor(time), nFrames - 1), g = Math.min(f + 1, nFrames - 1), t = time - f;
  const a = s.frames[f], b = s.frames[g], p = s.points;
  for (let k = 0; k < 3; k++) {
    const low = scene.min[k], scale = scene.extent[k] / 65535;
    for (let i = k; i < p.length; i += 3) p[i] = low + scale * (a[i] + (b[i] - a[i]) * t);
  }
  return p;
};
// Vertices of a surface at a moment, and their normals: the sum over the faces around, weighted by
// area.
const surfaceAt = (s, time) => normalsInto(s.normals, pointsAt(s, time), s.triangles);
const normalsInto = (m, p, triangles) => {
  m.fill(0);
  for (let i = 0; i < triangles.length; i += 3) {
    const [u, v, w] = [3 * triangles[i], 3 * triangles[i + 1], 3 * triangles[i + 2]];
    const e = [p[v] - p[u], p[v + 1] - p[u + 1], p[v + 2] - p[u + 2]], h = [p[w] - p[u], p[w + 1] - p[u + 1], p[w + 2] - p[u + 2]];
    const c = [e[1] * h[2] - e[2] * h[1], e[2] * h[0] - e[0] * h[2], e[0] * h[1] - e[1] * h[0]];
    for (const at of [u, v, w]) for (let k = 0; k < 3; k++) m[at + k] += c[k];
  }
};
// Points of a frame: its contacts, or the ends of lines.
const pointsOf = stored => {
  const w = new Uint16Array(section(stored).buffer), out = new Float32Array(w.length);
  for (let i = 0; i < w.length; i++) out[i] = scene.min[i % 3] + scene.extent[i % 3] * w[i] / 65535;
  return out;
};

// Poses at a moment between two recorded frames: linear interpolation, normalised for rotations.
const positions = new Float32Array(3 * nBodies), rotations = new Float32Array(4 * nBodies);
const qa = new Float64Array(4), qb = new Float64Array(4);
const readRotation = (w, at, q) => {
  const largest = w[at + 3] >> 12;
  let rest = 1;
  for (let i = 0; i < 3; i++) {
    const x = ((w[at + 3 + i] & 4095) / scene.quatSteps * 2 - 1) * Math.SQRT1_2;
    q[(largest + 1 + i) & 3] = x;
    rest -= x * x;
  }
  q[largest] = Math.sqrt(Math.max(0, rest));
};
const poseAt = time => {
  const f = Math.min(Math.floor(time), nFrames - 1), g = Math.min(f + 1, nFrames - 1), t = time - f;
  const a = words[f], b = words[g];
  for (let i = 0; i < nBodies; i++) {
    const at = 6 * i;
    for (let k = 0; k < 3; k++) {
      positions[3 * i + k] = scene.min[k] + scene.extent[k] * (a[at + k] + (b[at + k] - a[at + k]) * t) / 65535;
    }
    readRotation(a, at, qa);
    if (0 < t) {
      readRotation(b, at, qb);
      const sign = qa[0] * qb[0] + qa[1] * qb[1] + qa[2] * qb[2] + qa[3] * qb[3] < 0 ? -1 : 1;
      for (let k = 0; k < 4; k++) qa[k] += (sign * qb[k] - qa[k]) * t;
    }
    const s = 1 / Math.hypot(qa[0], qa[1], qa[2], qa[3]);
    for (let k = 0; k < 4; k++) rotations[4 * i + k] = qa[k] * s;
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
// The vertices of a mesh, and the indices of the corners of its triangles.
const unpacked = shape => {
  const packed = section(shape.vertices), count = packed.length / 6, points = new Float32Array(3 * count);
  const last = [0, 0, 0];
  for (let i = 0; i < count; i++) for (let k = 0; k < 3; k++) {
    last[k] = last[k] + unzigzag(packed[2 * k * count + i] | packed[(2 * k + 1) * count + i] << 8) & 65535;
    points[3 * i + k] = shape.min[k] + shape.extent[k] * last[k] / 65535;
  }
  const raw = section(shape.triangles), nIndices = raw.length / 4, corners = new Uint32Array(nIndices);
  let index = 0;
  for (let i = 0; i < nIndices; i++) {
    const r = raw[i] | raw[nIndices + i] << 8 | raw[2 * nIndices + i] << 16 | raw[3 * nIndices + i] << 24;
    index = index + unzigzag(r) | 0;
    corners[i] = index;
  }
  return { points, corners };
};
const meshOf = shape => {
  const { points, corners } = unpacked(shape), nIndices = corners.length;
  const v = new Float32Array(4 * nIndices), n = new Float32Array(3 * nIndices);
  corners.forEach((index, i) => { for (let k = 0; k < 3; k++) v[4 * i + k] = points[3 * index + k]; });
  for (let i = 0; i + 2 < nIndices; i += 3) {
    const e = [0, 0, 0], f = [0, 0, 0];
    for (let k = 0; k < 3; k++) { e[k] = v[4 * i + 4 + k] - v[4 * i + k]; f[k] = v[4 * i + 8 + k] - v[4 * i + k]; }
    const c = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
    const s = 1 / (Math.hypot(...c) || 1);
    for (let j = 0; j < 3; j++) for (let k = 0; k < 3; k++) n[3 * (i + j) + k] = c[k] * s;
  }
  return { v, n, min: shape.min, max: shape.min.map((x, k) => x + shape.extent[k]), points };
};

// ---- WebGL.
const canvas = $("view");
const gl = canvas.getContext("webgl2", { alpha: false, antialias: true, preserveDrawingBuffer: true });
if (!gl) { fail("This browser has no WebGL 2."); return; }
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
} catch (e) { fail("A shader does not compile: " + e.message); return; }

// Bodies with the same geometry are drawn in one call.
const buffer = (data, usage) => { const b = gl.createBuffer(); gl.bindBuffer(gl.ARRAY_BUFFER, b); gl.bufferData(gl.ARRAY_BUFFER, data, usage || gl.STATIC_DRAW); return b; };
const attribute = (at, size, type, normalized, divisor) => {
  gl.enableVertexAttribArray(at); gl.vertexAttribPointer(at, size, type, normalized, 0, 0); gl.vertexAttribDivisor(at, divisor);
};
const groups = [];
{
  const members = new Map();
  for (let i = 0; i < nBodies; i++) {
    const { kind } = scene.shapes[bodies[i]];
    if (kind === "plane") continue;
    const key = kind === "mesh" ? bodies[i] : kind;
    if (!members.has(key)) members.set(key, []);
    members.get(key).push(i);
  }
  for (const [key, list] of members) {
    const shape = scene.shapes[bodies[list[0]]];
    const geometry = key === "box" ? cube() : key === "capsule" ? capsule() : meshOf(shape);
    const size = new Float32Array(4 * list.length);
    list.forEach((i, k) => {
      const s = scene.shapes[bodies[i]];
      size.set(s.kind === "box" ? [...s.half, 0] : s.kind === "capsule" ? [s.radius, s.radius, s.radius, s.half] : [1, 1, 1, 0], 4 * k);
    });
    const group = { list, geometry, nVertices: geometry.v.length / 4, n: list.length,
      at: new Float32Array(3 * list.length), turn: new Float32Array(4 * list.length), colour: new Uint8Array(4 * list.length) };
    group.array = gl.createVertexArray();
    gl.bindVertexArray(group.array);
    buffer(Float32Array.from(geometry.v)); attribute(0, 4, gl.FLOAT, false, 0);
    buffer(Float32Array.from(geometry.n)); attribute(1, 3, gl.FLOAT, false, 0);
    group.atBuffer = buffer(group.at, gl.DYNAMIC_DRAW); attribute(2, 3, gl.FLOAT, false, 1);
    group.turnBuffer = buffer(group.turn, gl.DYNAMIC_DRAW); attribute(3, 4, gl.FLOAT, false, 1);
    buffer(size); attribute(4, 4, gl.FLOAT, false, 1);
    group.colourBuffer = buffer(group.colour, gl.DYNAMIC_DRAW);
    gl.enableVertexAttribArray(5); gl.vertexAttribPointer(5, 3, gl.UNSIGNED_BYTE, true, 4, 0); gl.vertexAttribDivisor(5, 1);
    delete geometry.v; delete geometry.n;
    groups.push(group);
  }
}
for (const s of surfaces) {
  const n = s.triangles.length;
  s.vertices = new Float32Array(4 * n); s.turned = new Float32Array(3 * n); s.colour = new Uint8Array(4 * n);
  s.array = gl.createVertexArray();
  gl.bindVertexArray(s.array);
  s.vertexBuffer = buffer(s.vertices, gl.DYNAMIC_DRAW); attribute(0, 4, gl.FLOAT, false, 0);
  s.normalBuffer = buffer(s.turned, gl.DYNAMIC_DRAW); attribute(1, 3, gl.FLOAT, false, 0);
  s.colourBuffer = buffer(s.colour, gl.DYNAMIC_DRAW);
  gl.enableVertexAttribArray(5); gl.vertexAttribPointer(5, 3, gl.UNSIGNED_BYTE, true, 4, 0);
}
// A skin for the particles of one cloud, with its own vertices and triangles in each frame.
const skin = { n: 0, frame: -1, array: gl.createVertexArray() };
gl.bindVertexArray(skin.array);
skin.vertexBuffer = buffer(new Float32Array(3), gl.DYNAMIC_DRAW); attribute(0, 3, gl.FLOAT, false, 0);
skin.normalBuffer = buffer(new Float32Array(3), gl.DYNAMIC_DRAW); attribute(1, 3, gl.FLOAT, false, 0);
skin.cornerBuffer = gl.createBuffer();
gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, skin.cornerBuffer);
gl.bindVertexArray(null);
for (const c of clouds) {
  c.tint = new Uint8Array(4 * c.n);
  c.array = gl.createVertexArray();
  gl.bindVertexArray(c.array);
  c.pointBuffer = buffer(c.points, gl.DYNAMIC_DRAW); attribute(0, 3, gl.FLOAT, false, 0);
  c.tintBuffer = buffer(c.tint, gl.DYNAMIC_DRAW);
  gl.enableVertexAttribArray(5); gl.vertexAttribPointer(5, 3, gl.UNSIGNED_BYTE, true, 4, 0);
}
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

// ---- Boxes of bodies along the axes of the world, for drawing, the camera and the pointer.
const boxOf = (i, out) => {
  const shape = scene.shapes[bodies[i]], q = rotations, r = 4 * i, p = 3 * i;
  const x = q[r], y = q[r + 1], z = q[r + 2], w = q[r + 3];
  const m = [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),
    2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
    2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)];
  for (let k = 0; k < 3; k++) {
    let middle = positions[p + k], half;
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
const drawn = groups.flatMap(g => g.list);
const wholeBox = () => {
  const all = [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity], one = new Float64Array(6);
  for (const i of drawn) {
    boxOf(i, one);
    for (let k = 0; k < 3; k++) { all[k] = Math.min(all[k], one[k]); all[k + 3] = Math.max(all[k + 3], one[k + 3]); }
  }
  for (const s of [...surfaces, ...clouds]) for (let i = 0; i < s.points.length; i++) {
    all[i % 3] = Math.min(all[i % 3], s.points[i]); all[i % 3 + 3] = Math.max(all[i % 3 + 3], s.points[i]);
  }
  return all[0] <= all[3] ? all : [-1, -1, -1, 1, 1, 1];
};

// The distance from which a box around the target is in view, with some room around it.
const distanceThatShows = size => {
  const unitEye = [Math.cos(camera.pitch) * Math.sin(camera.yaw), Math.sin(camera.pitch), Math.cos(camera.pitch) * Math.cos(camera.yaw)];
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

// ---- Camera: shows the bodies at the end, and also those at the start if the view does not grow
// much.
const camera = { target: [0, 0, 0], distance: 10, yaw: 0.7, pitch: 0.42 };
let sceneRadius = 1, floorY = 0;
// Position of the followed body when it was last drawn.
let followed = null;
const home = () => {
  followed = null;
  poseAt(nFrames - 1);
  for (const s of surfaces) surfaceAt(s, nFrames - 1);
  for (const c of clouds) pointsAt(c, nFrames - 1);
  const b = wholeBox();
  poseAt(0);
  for (const s of surfaces) surfaceAt(s, 0);
  for (const c of clouds) pointsAt(c, 0);
  const a = wholeBox();
  // The bodies at the start are included if the view does not grow much.
  const sizeOf = c => [0, 1, 2].map(k => c[k + 3] - c[k]), diagonal = c => Math.hypot(...sizeOf(c));
  const both = [0, 1, 2, 3, 4, 5].map(k => k < 3 ? Math.min(a[k], b[k]) : Math.max(a[k], b[k]));
  const seen = diagonal(both) < 2.5 * diagonal(b) ? both : b;
  camera.target = [0, 1, 2].map(k => (seen[k] + seen[k + 3]) / 2);
  camera.yaw = 0.7; camera.pitch = 0.42;
  camera.distance = Math.max(distanceThatShows(sizeOf(seen)), diagonal(seen) * 1e-6, 1e-6);
  sceneRadius = Math.hypot(...[0, 1, 2].map(k => Math.max(a[k + 3], b[k + 3]) - Math.min(a[k], b[k]))) / 2 || 1;
  floorY = b[1];
  if (scene.view) {
    ({ distance: camera.distance, yaw: camera.yaw, pitch: camera.pitch } = scene.view);
    camera.target = [...scene.view.target];
    sceneRadius = 3 * camera.distance;
  }
};
const follow = () => {
  const f = scene.follow;
  if (!f) return;
  const p = [0, 1, 2].map(k => positions[3 * f.body + k]);
  if (followed) {
    for (let k = 0; k < 3; k++) camera.target[k] += p[k] - followed[k];
  } else {
    camera.target = p.slice();
    [camera.distance, camera.yaw, camera.pitch] = f.view;
  }
  followed = p;
};
const eyeOf = () => {
  const c = Math.cos(camera.pitch);
  return [camera.target[0] + camera.distance * c * Math.sin(camera.yaw),
    camera.target[1] + camera.distance * Math.sin(camera.pitch),
    camera.target[2] + camera.distance * c * Math.cos(camera.yaw)];
};
home();

// ---- Colours: by the state of the body, or by its index.
const phaseColours = [[128, 134, 144], [92, 116, 158], [78, 166, 108], [224, 138, 52], [232, 176, 38], [214, 62, 62]];
const phaseNames = scene.stateNames.length ? scene.stateNames : [scene.names.length ? "clear" : scene.surfaces.length ? "rigid" : "fixed", "asleep", "awake, touching nothing", "in contact", "closer than the clearance", "colliding"];
const ownColour = i => {
  const h = (i * 0.618034) % 1 * 6, f = k => { const t = (k + h) % 6; return 0.42 + 0.42 * Math.max(0, Math.min(1, Math.abs(t - 3) - 1)); };
  return [f(0) * 255, f(4) * 255, f(2) * 255];
};
const isFixed = i => phaseNames[0] === "fixed" && nFrames && states[0][i] === 0;
const own = Array.from({ length: nBodies }, (_, i) => isFixed(i) ? phaseColours[0] : ownColour(i));
// Colours of the faces of meshes that change their shape, by state. Free faces of every second mesh
// have another colour.
const faceColours = [[86, 138, 190], [168, 80, 190], [236, 140, 40], [214, 50, 50]], secondColour = [104, 166, 150];
const faceNames = scene.faceNames.length ? scene.faceNames
  : ["faces that touch nothing", "faces that touch their own mesh", "faces that touch another body", "faces that cross"];
// A face state that occurs in any frame is listed in the legend of all frames.
const comes = faceNames.map((_, k) => surfaces.some(s => s.faces.some(f => f.includes(k))));
// Bodies in the same state differ a little in brightness, so that they can be distinguished.
const shade = Array.from({ length: nBodies }, (_, i) => 0.84 + 0.3 * ((i * 0.7548777) % 1));
let chosen = new Set();

// ---- Drawing.
let time = 0, isPlaying = false, needsDraw = true, lastUploaded = -1;
const planeFloor = scene.planes.find(p => 0.9 < p.normal[1]);
const walls = scene.planes.filter(p => Math.abs(p.normal[1]) < 0.1);
const isDark = () => matchMedia("(prefers-color-scheme: dark)").matches;
const upload = (target, data) => { gl.bindBuffer(gl.ARRAY_BUFFER, target); gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW); };
const place = () => {
  poseAt(time);
  const state = states[Math.min(Math.round(time), nFrames - 1)], byPhase = $("phases").checked;
  for (const g of groups) {
    for (let k = 0; k < g.n; k++) {
      const i = g.list[k];
      g.at.set(positions.subarray(3 * i, 3 * i + 3), 3 * k);
      g.turn.set(rotations.subarray(4 * i, 4 * i + 4), 4 * k);
      g.colour.set(chosen.size && !chosen.has(i) ? [150, 154, 160] : byPhase ? phaseColours[state[i]].map(c => Math.min(255, c * shade[i])) : own[i], 4 * k);
    }
    upload(g.atBuffer, g.at); upload(g.turnBuffer, g.turn); upload(g.colourBuffer, g.colour);
  }
};
// Colours and names of the lines of joints and of normals.
const lineColours = [[37, 99, 235], [225, 29, 29]], lineNames = scene.lineNames.length ? scene.lineNames : ["lines of joints", "normals"];
const placeSurfaces = () => {
  const at = Math.min(Math.round(time), nFrames - 1), byState = $("phases").checked;
  surfaces.forEach((s, number) => {
    surfaceAt(s, time);
    const free = number % 2 ? secondColour : faceColours[0];
    for (let i = 0; i < s.triangles.length; i++) {
      const v = 3 * s.triangles[i], state = byState ? s.faces[at][i / 3 | 0] : 0, c = state ? faceColours[state] : free;
      for (let k = 0; k < 3; k++) {
        s.vertices[4 * i + k] = s.points[v + k]; s.turned[3 * i + k] = s.normals[v + k]; s.colour[4 * i + k] = c[k];
      }
    }
    upload(s.vertexBuffer, s.vertices); upload(s.normalBuffer, s.turned); upload(s.colourBuffer, s.colour);
  });
};
const isSkinShown = () => scene.skinned !== null && $("skin").checked;
const placeSkin = () => {
  const at = frameAt(), stored = scene.frames[at].skin;
  if (!isSkinShown() || skin.frame === at) return;
  skin.frame = at; skin.n = 0;
  if (!stored) return;
  const { points, corners } = unpacked(stored), normals = new Float32Array(points.length);
  normalsInto(normals, points, corners);
  skin.n = corners.length;
  upload(skin.vertexBuffer, points); upload(skin.normalBuffer, normals);
  gl.bindVertexArray(skin.array);
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, skin.cornerBuffer);
  gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, corners, gl.DYNAMIC_DRAW);
  gl.bindVertexArray(null);
};
const drawSkin = () => {
  if (!isSkinShown() || !skin.n) return;
  gl.vertexAttrib4f(2, 0, 0, 0, 1); gl.vertexAttrib4f(3, 0, 0, 0, 1); gl.vertexAttrib4f(4, 1, 1, 1, 0);
  const [red, green, blue] = clouds[scene.skinned].colour;
  gl.vertexAttrib4f(5, red / 255, green / 255, blue / 255, 1);
  gl.bindVertexArray(skin.array);
  gl.drawElements(gl.TRIANGLES, skin.n, gl.UNSIGNED_INT, 0);
};
const drawSurfaces = () => {
  drawSkin();
  gl.vertexAttrib4f(2, 0, 0, 0, 1); gl.vertexAttrib4f(3, 0, 0, 0, 1); gl.vertexAttrib4f(4, 1, 1, 1, 0);
  for (const s of surfaces) { gl.bindVertexArray(s.array); gl.drawArrays(gl.TRIANGLES, 0, s.triangles.length); }
};
const placeClouds = () => {
  const f = Math.min(Math.floor(time), Math.max(nFrames - 2, 0)), g = Math.min(f + 1, nFrames - 1);
  for (const c of clouds) {
    pointsAt(c, time);
    // The loops allocate nothing: there are many particles, and each frame has only a few
    // milliseconds.
    const a = c.frames[f], b = c.frames[g], [red, green, blue] = c.colour;
    const [sx, sy, sz] = scene.extent.map(x => c.foamSpeed ? x / 65535 / scene.secondsPerFrame / c.foamSpeed : 0);
    for (let i = 0, v = 0, at = 0; i < c.n; i++, v += 3, at += 4) {
      const x = (b[v] - a[v]) * sx, y = (b[v + 1] - a[v + 1]) * sy, z = (b[v + 2] - a[v + 2]) * sz;
      const part = 0.9 * Math.min(1, x * x + y * y + z * z);
      c.tint[at] = red + (255 - red) * part; c.tint[at + 1] = green + (255 - green) * part; c.tint[at + 2] = blue + (255 - blue) * part;
    }
    upload(c.pointBuffer, c.points); upload(c.tintBuffer, c.tint);
  }
};
// Draws the particles as balls, seen along `look.z`. A ball of radius 1 at depth 1 is `size` pixels
// wide.
const drawClouds = (program, look, size) => {
  gl.uniform3fv(program.uniforms.right, look.x); gl.uniform3fv(program.uniforms.up, look.y); gl.uniform3fv(program.uniforms.back, look.z);
  for (const [number, c] of clouds.entries()) {
    if (isSkinShown() && number === scene.skinned) continue;
    gl.uniform1f(program.uniforms.radius, c.radius); gl.uniform1f(program.uniforms.size, size);
    gl.bindVertexArray(c.array); gl.drawArrays(gl.POINTS, 0, c.n);
  }
};
// Magenta, violet, teal and brown, which no state of a body has.
const levelColours = [[214, 40, 160], [124, 58, 237], [13, 148, 136], [146, 84, 32]];
const isLevelShown = depth => $("level").value === "all" || Number($("level").value) === depth;
const frameAt = () => Math.min(Math.round(time), nFrames - 1);
let viewMatrix;
const draw = () => {
  const ratio = Math.min(devicePixelRatio || 1, 2);
  const width = Math.max(1, Math.round(canvas.clientWidth * ratio)), height = Math.max(1, Math.round(canvas.clientHeight * ratio));
  if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
  place();
  placeSurfaces();
  placeSkin();
  placeClouds();
  follow();
  const eye = eyeOf(), far = camera.distance + 3 * sceneRadius, near = Math.max(camera.distance / 500, far / 20000);
  const look = looking(eye, camera.target, [0, 1, 0]);
  viewMatrix = multiply(perspective(FIELD_OF_VIEW, width / height, near, far), look.m);
  // The sun is on the side of the eye, so that a wall in view is lit.
  const sun = unit([scene.view && Math.sin(scene.view.yaw) < 0 ? -1.2 : 0.45, 1, 0.3]);
  const middle = camera.target, r = Math.min(sceneRadius, camera.distance * 0.9) * 1.15;
  const sunLook = looking(middle.map((x, k) => x + sun[k] * 4 * sceneRadius), middle, [0, 0, 1]);
  const light = multiply(parallel(r, 0, 8 * sceneRadius), sunLook.m);
  const fog = isDark() ? [0.085, 0.1, 0.125] : [0.93, 0.945, 0.965];

  gl.bindFramebuffer(gl.FRAMEBUFFER, shadowTarget);
  gl.viewport(0, 0, SHADOW, SHADOW);
  gl.enable(gl.DEPTH_TEST); gl.clear(gl.DEPTH_BUFFER_BIT);
  gl.useProgram(depth.program);
  gl.uniformMatrix4fv(depth.uniforms.view, false, light);
  for (const g of groups) { gl.bindVertexArray(g.array); gl.drawArraysInstanced(gl.TRIANGLES, 0, g.nVertices, g.n); }
  drawSurfaces();
  if (clouds.length) {
    gl.useProgram(ballDepth.program);
    gl.uniformMatrix4fv(ballDepth.uniforms.view, false, light);
    drawClouds(ballDepth, sunLook, SHADOW / r);
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
  drawSurfaces();
  if (clouds.length) {
    common(ball);
    drawClouds(ball, look, height / Math.tan(FIELD_OF_VIEW / 2));
  }

  if (planeFloor || nFrames === 1) {
    const y = planeFloor ? planeFloor.point[1] : floorY - 0.002 * sceneRadius;
    if (y < eye[1]) {
      common(ground);
      const reach = sceneRadius * 2.2;
      gl.uniform3f(ground.uniforms.middle, middle[0], y, middle[2]);
      gl.uniform3fv(ground.uniforms.base, isDark() ? [0.15, 0.17, 0.205] : [0.73, 0.745, 0.765]);
      gl.uniform3fv(ground.uniforms.ink, isDark() ? [0.5, 0.55, 0.62] : [0.36, 0.4, 0.47]);
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
    const low = [-Infinity, (planeFloor ? planeFloor.point[1] : floorY) + 0.002 * sceneRadius, -Infinity], high = [Infinity, camera.target[1] * 2, Infinity];
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
  if ($("boxes").checked) {
    const low = new Float32Array(3 * drawn.length), high = new Float32Array(3 * drawn.length), one = new Float64Array(6);
    drawn.forEach((i, k) => { boxOf(i, one); low.set(one.subarray(0, 3), 3 * k); high.set(one.subarray(3), 3 * k); });
    upload(lowBuffer, low); upload(highBuffer, high);
    gl.uniform4f(line.uniforms.colour, ...(isDark() ? [0.6, 0.8, 1, 0.55] : [0.05, 0.2, 0.5, 0.5]));
    gl.drawArraysInstanced(gl.LINES, 0, 24, drawn.length);
  }
  if ($("tree").checked) {
    // The boxes of the broad phase's tree. Each level has one colour, and the top level is the most
    // opaque.
    scene.frames[frameAt()].levels.forEach((level, depth) => {
      if (!isLevelShown(depth)) return;
      const w = new Uint16Array(section(level).buffer), n = w.length / 6;
      const low = new Float32Array(3 * n), high = new Float32Array(3 * n);
      for (let i = 0; i < n; i++) for (let k = 0; k < 3; k++) {
        low[3 * i + k] = scene.min[k] + scene.extent[k] * w[6 * i + k] / 65535;
        high[3 * i + k] = scene.min[k] + scene.extent[k] * w[6 * i + 3 + k] / 65535;
      }
      upload(lowBuffer, low); upload(highBuffer, high);
      gl.uniform4f(line.uniforms.colour, ...levelColours[depth % levelColours.length].map(c => c / 255), 1 / (1 + 0.35 * depth));
      gl.drawArraysInstanced(gl.LINES, 0, 24, n);
    });
  }
  if ($("lines").checked) {
    // Lines are drawn over everything, because most of a joint is inside of its bodies.
    gl.disable(gl.DEPTH_TEST);
    gl.useProgram(stroke.program);
    gl.uniformMatrix4fv(stroke.uniforms.view, false, viewMatrix);
    gl.bindVertexArray(dots);
    lineColours.forEach((colour, kind) => {
      const ends = pointsOf(scene.frames[frameAt()].lines[kind]);
      if (!ends.length) return;
      gl.uniform4f(stroke.uniforms.colour, ...colour.map(c => c / 255), 0.9);
      upload(dotBuffer, ends);
      gl.drawArrays(gl.LINES, 0, ends.length / 3);
    });
    gl.enable(gl.DEPTH_TEST);
  }
  if ($("contacts").checked) {
    const points = pointsOf(scene.frames[frameAt()].contacts);
    if (points.length) {
      gl.disable(gl.DEPTH_TEST);
      gl.useProgram(dot.program);
      gl.uniformMatrix4fv(dot.uniforms.view, false, viewMatrix);
      gl.uniform1f(dot.uniforms.size, height * camera.distance / 110);
      gl.bindVertexArray(dots); upload(dotBuffer, points);
      gl.drawArrays(gl.POINTS, 0, points.length / 3);
    }
  }
  gl.disable(gl.BLEND);
  gl.bindVertexArray(null);
};

// ---- Charts.
const chartColours = ["#3b82d6", "#e08a34", "#2fa36b", "#b45fd0"];
const shown = x => {
  const a = Math.abs(x);
  return Number.isInteger(x) && a < 1e12 ? x.toLocaleString("en") : 1e6 <= a || a < 1e-3 ? x.toExponential(2) : 1000 <= a ? Math.round(x).toLocaleString("en") : x.toPrecision(3);
};
// A short form, because there is little room above a chart.
const brief = x => 1e-3 <= Math.abs(x) && Math.abs(x) < 1 ? x.toFixed(3) : shown(x);
const charts = [];
{
  let first = 0;
  for (const chart of scene.charts) {
    const box = document.createElement("div"); box.className = "chart";
    const title = document.createElement("h2"), values = document.createElement("div"), plot = document.createElement("canvas");
    title.textContent = chart.title + (chart.unit ? " (" + chart.unit + ")" : "");
    values.className = "values";
    box.append(title, values, plot); $("charts").append(box);
    const lines = chart.lines.map((name, k) => ({ name, colour: chartColours[k % 4], values: scene.frames.map(f => f.stats[first + k] ?? 0) }));
    first += chart.lines.length;
    const seek = e => { const r = plot.getBoundingClientRect(); setPlaying(false); setTime((e.clientX - r.left) / r.width * (nFrames - 1)); };
    plot.addEventListener("pointerdown", e => { plot.setPointerCapture(e.pointerId); seek(e); });
    plot.addEventListener("pointermove", e => { if (e.buttons) seek(e); });
    charts.push({ lines, values, plot });
  }
}
const drawCharts = () => {
  const style = getComputedStyle(document.documentElement), soft = style.getPropertyValue("--line"), ink = style.getPropertyValue("--soft");
  const at = Math.min(Math.round(time), nFrames - 1);
  for (const { lines, values, plot } of charts) {
    const ratio = Math.min(devicePixelRatio || 1, 2), w = Math.round(plot.clientWidth * ratio), h = Math.round(plot.clientHeight * ratio);
    if (plot.width !== w || plot.height !== h) { plot.width = w; plot.height = h; }
    const c = plot.getContext("2d");
    c.clearRect(0, 0, w, h);
    let top = -Infinity, bottom = 0;
    for (const l of lines) for (const v of l.values) { top = Math.max(top, v); bottom = Math.min(bottom, v); }
    if (!(bottom < top)) top = bottom + 1;
    const x = i => (nFrames < 2 ? 0 : i / (nFrames - 1)) * (w - 2) + 1, y = v => h - 4 - (v - bottom) / (top - bottom) * (h - 18 * ratio);
    c.strokeStyle = soft; c.lineWidth = 1;
    c.beginPath(); c.moveTo(0, y(0)); c.lineTo(w, y(0)); c.moveTo(0, y(top)); c.lineTo(w, y(top)); c.stroke();
    c.fillStyle = ink; c.font = 10 * ratio + "px system-ui, sans-serif"; c.textBaseline = "bottom";
    c.fillText(shown(top), 2, y(top) - 1);
    for (const l of lines) {
      c.strokeStyle = l.colour; c.lineWidth = 1.5 * ratio; c.lineJoin = "round";
      c.beginPath(); l.values.forEach((v, i) => i ? c.lineTo(x(i), y(v)) : c.moveTo(x(i), y(v))); c.stroke();
    }
    c.strokeStyle = ink; c.lineWidth = ratio;
    c.beginPath(); c.moveTo(x(at), 0); c.lineTo(x(at), h); c.stroke();
    values.replaceChildren(...lines.map(l => {
      const s = document.createElement("span"), b = document.createElement("b");
      b.style.color = l.colour; b.textContent = l.name; s.append(b, brief(l.values[at])); return s;
    }));
  }
};

// ---- Legend, table, pointer.
const drawLegend = () => {
  const state = states[Math.min(Math.round(time), nFrames - 1)] || [], count = new Array(6).fill(0);
  for (const i of drawn) count[state[i]]++;
  $("legend").replaceChildren(...phaseNames.flatMap((name, k) => {
    if (!count[k] || !name) return [];
    const d = document.createElement("div"), i = document.createElement("i");
    i.style.background = `rgb(${phaseColours[k]})`; d.append(i, `${count[k].toLocaleString("en")} ${name}`); return [d];
  }));
  const { caption } = scene.frames[frameAt()];
  if (caption) {
    const b = document.createElement("b");
    b.textContent = caption; $("legend").prepend(b);
  }
  clouds.forEach((c, number) => {
    const d = document.createElement("div"), i = document.createElement("i");
    const around = isSkinShown() && number === scene.skinned ? `, within ${(skin.n / 3).toLocaleString("en")} faces` : "";
    i.style.background = `rgb(${c.colour})`; d.append(i, `${c.n.toLocaleString("en")} ${c.name}${around}`); $("legend").append(d);
  });
  const touches = new Array(faceNames.length).fill(0);
  for (const s of surfaces) for (const face of s.faces[frameAt()]) touches[face]++;
  touches.forEach((n, k) => {
    if (!comes[k]) return;
    const d = document.createElement("div"), i = document.createElement("i");
    i.style.background = `rgb(${faceColours[k]})`; d.append(i, `${n.toLocaleString("en")} ${faceNames[k]}`); $("legend").append(d);
  });
  const { nContacts, contacts } = scene.frames[Math.min(Math.round(time), nFrames - 1)], kept = contacts[1] / 6;
  if ($("contacts").checked && kept < nContacts) {
    const d = document.createElement("div");
    d.textContent = `${kept.toLocaleString("en")} of ${nContacts.toLocaleString("en")} contacts shown`;
    $("legend").append(d);
  }
  if ($("lines").checked) lineColours.forEach((colour, kind) => {
    const n = scene.frames[frameAt()].lines[kind][1] / 12;
    if (!n) return;
    const d = document.createElement("div"), i = document.createElement("i");
    i.style.background = `rgb(${colour})`; d.append(i, `${n.toLocaleString("en")} ${lineNames[kind]}`); $("legend").append(d);
  });
  const { levels, nLevels } = scene.frames[frameAt()];
  if ($("tree").checked) {
    levels.forEach((level, depth) => {
      if (!isLevelShown(depth)) return;
      const d = document.createElement("div"), i = document.createElement("i");
      i.style.background = `rgb(${levelColours[depth % levelColours.length]})`;
      d.append(i, `tree level ${depth + 1}: ${(level[1] / 12).toLocaleString("en")} ${level[1] === 12 ? "box" : "boxes"}`); $("legend").append(d);
    });
    const d = document.createElement("div");
    d.textContent = !nLevels ? "no tree in this frame" : levels.length < nLevels ? `levels 1 to ${levels.length} of ${nLevels} recorded` : "";
    if (d.textContent) $("legend").append(d);
  }
  $("legend").hidden = !$("legend").children.length || !$("phases").checked && !$("tree").checked;
  $("level").hidden = !$("tree").checked;
};
if (scene.table) {
  const table = document.createElement("table"), head = table.createTHead().insertRow(), body = table.createTBody();
  for (const c of scene.table.columns) { const th = document.createElement("th"); th.textContent = c; head.append(th); }
  for (const row of scene.table.rows) {
    const tr = body.insertRow();
    for (const cell of row) tr.insertCell().textContent = typeof cell === "number" ? shown(cell) : String(cell);
    const pair = row.slice(0, 2).map(name => scene.names.indexOf(name));
    tr.addEventListener("click", () => {
      const was = tr.classList.contains("chosen");
      for (const other of body.rows) other.classList.remove("chosen");
      chosen = new Set(was ? [] : pair);
      tr.classList.toggle("chosen", !was);
      needsDraw = true;
    });
  }
  $("table").append(table);
}
for (const note of scene.notes) { const p = document.createElement("p"); p.textContent = note; $("notes").append(p); }
const bodyUnder = (px, py) => {
  // Casts the pointer's ray against the boxes of all bodies. Returns the nearest body, or -1.
  const eye = eyeOf(), l = looking(eye, camera.target, [0, 1, 0]), f = Math.tan(FIELD_OF_VIEW / 2), a = canvas.clientWidth / canvas.clientHeight;
  const sx = (2 * px / canvas.clientWidth - 1) * f * a, sy = (1 - 2 * py / canvas.clientHeight) * f;
  const d = [0, 1, 2].map(k => l.x[k] * sx + l.y[k] * sy - l.z[k]), one = new Float64Array(6);
  let best = Infinity, hit = -1;
  for (const i of drawn) {
    boxOf(i, one);
    let t0 = 0, t1 = best;
    for (let k = 0; k < 3; k++) {
      const u = (one[k] - eye[k]) / d[k], v = (one[k + 3] - eye[k]) / d[k];
      t0 = Math.max(t0, Math.min(u, v)); t1 = Math.min(t1, Math.max(u, v));
    }
    if (t0 <= t1 && t0 < best) { best = t0; hit = i; }
  }
  return hit;
};
let hovered = -1;
const drawUnder = () => {
  if (hovered < 0) { $("under").textContent = ""; return; }
  const state = states[Math.min(Math.round(time), nFrames - 1)][hovered];
  const name = scene.names[hovered] || `${scene.shapes[bodies[hovered]].kind} ${hovered}`;
  $("under").textContent = `${name}: ${phaseNames[state]}`;
};
const pointers = new Map();
canvas.addEventListener("pointerdown", e => { canvas.setPointerCapture(e.pointerId); pointers.set(e.pointerId, e); });
canvas.addEventListener("pointerup", e => pointers.delete(e.pointerId));
canvas.addEventListener("pointercancel", e => pointers.delete(e.pointerId));
const pan = (dx, dy) => {
  const l = looking(eyeOf(), camera.target, [0, 1, 0]), s = camera.distance * 2 * Math.tan(FIELD_OF_VIEW / 2) / canvas.clientHeight;
  for (let k = 0; k < 3; k++) camera.target[k] += (-dx * l.x[k] + dy * l.y[k]) * s;
};
canvas.addEventListener("pointermove", e => {
  const last = pointers.get(e.pointerId);
  if (!last) {
    const r = canvas.getBoundingClientRect();
    hovered = bodyUnder(e.clientX - r.left, e.clientY - r.top);
    drawUnder();
    return;
  }
  const dx = e.clientX - last.clientX, dy = e.clientY - last.clientY;
  if (pointers.size === 2) {
    const [other] = [...pointers.values()].filter(p => p.pointerId !== e.pointerId);
    const d = p => Math.hypot(p.clientX - other.clientX, p.clientY - other.clientY) || 1;
    camera.distance *= d(last) / d(e);
    pan(dx / 2, dy / 2);
  } else if (e.shiftKey || e.buttons & 6) pan(dx, dy);
  else {
    camera.yaw -= dx * 0.006;
    camera.pitch = Math.max(-1.5, Math.min(1.5, camera.pitch + dy * 0.006));
  }
  pointers.set(e.pointerId, e);
  needsDraw = true;
});
canvas.addEventListener("contextmenu", e => e.preventDefault());
canvas.addEventListener("wheel", e => {
  e.preventDefault();
  camera.distance = Math.max(sceneRadius * 1e-3, Math.min(sceneRadius * 20, camera.distance * Math.exp(e.deltaY * 0.001)));
  needsDraw = true;
}, { passive: false });

// ---- Playing.
const setTime = t => { time = Math.max(0, Math.min(nFrames - 1, t)); needsDraw = true; };
const setPlaying = on => {
  isPlaying = on && 1 < nFrames;
  if (isPlaying && nFrames - 1 <= time) time = 0;
  $("play").textContent = isPlaying ? "Pause" : "Play";
};
const step = by => { setPlaying(false); setTime(Math.round(time) + by); };
$("play").addEventListener("click", () => setPlaying(!isPlaying));
$("back").addEventListener("click", () => step(-1));
$("forth").addEventListener("click", () => step(1));
$("scrub").max = nFrames - 1;
$("scrub").addEventListener("input", () => { setPlaying(false); setTime(Number($("scrub").value)); });
$("home").addEventListener("click", () => { home(); needsDraw = true; });
for (const id of ["phases", "contacts", "lines", "boxes", "tree", "level", "skin"]) $(id).addEventListener("change", () => { needsDraw = true; });
addEventListener("keydown", e => {
  if (e.target.tagName === "SELECT" || e.ctrlKey || e.metaKey || e.altKey) return;
  const act = { " ": () => setPlaying(!isPlaying), ArrowLeft: () => step(-1), ArrowRight: () => step(1),
    c: () => $("contacts").click(), j: () => $("lines").click(), b: () => $("boxes").click(), t: () => $("tree").click(), Home: () => setTime(0), End: () => setTime(nFrames - 1) }[e.key];
  if (act) { e.preventDefault(); act(); }
});
addEventListener("resize", () => { needsDraw = true; });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { needsDraw = true; });
const depths = Math.max(0, ...scene.frames.map(f => f.levels.length));
$("level").append(new Option("all levels", "all"), ...Array.from({ length: depths }, (_, k) => new Option(`level ${k + 1}`, k)));
if (!depths) $("trees").style.display = "none";
if (!scene.frames.some(f => f.lines.some(([, n]) => n))) $("strokes").style.display = "none";
if (!scene.frames.some(f => f.nContacts)) $("contacts").parentElement.style.display = "none";
if (scene.lineNames.length) $("lines").nextSibling.textContent = "lines";
if (scene.skinned === null) $("skin").parentElement.style.display = "none";
if (surfaces.length) $("phases").nextSibling.textContent = "colour what touches";
$("playback").hidden = nFrames < 2;
if (nFrames < 2) $("playback").style.display = "none";
const nFacesDrawn = surfaces.reduce((sum, s) => sum + s.nFaces, 0);
const counted = (n, one, many) => n ? [`${n.toLocaleString("en")} ${n === 1 ? one : many}`] : [];
const nParticles = clouds.reduce((sum, c) => sum + c.n, 0);
$("summary").textContent = [...counted(nParticles, "particle", "particles"), ...counted(nFacesDrawn, "moving face", "moving faces"),
  ...(scene.names.length ? counted(drawn.length, "part", "parts") : counted(drawn.length, "body", "bodies"))].join(", ") +
  (1 < nFrames ? `, ${nFrames} frames recorded, ${(scene.secondsPerFrame * (nFrames - 1)).toFixed(1)} s` : "");
const showTime = () => {
  const at = Math.min(Math.round(time), nFrames - 1);
  $("scrub").value = at;
  $("time").textContent = `${(time * scene.secondsPerFrame).toFixed(2)} s, frame ${at + 1} of ${nFrames}`;
};
if (scene.view) $("speed").value = String(scene.view.speed);
let clock = 0;
const tick = now => {
  const seconds = Math.min((now - clock) / 1000, 0.1);
  clock = now;
  if (isPlaying) {
    setTime(time + seconds * Number($("speed").value) / scene.secondsPerFrame);
    if (nFrames - 1 <= time) setPlaying(false);
  }
  if (needsDraw) {
    needsDraw = false;
    draw(); drawCharts(); drawLegend(); showTime(); drawUnder();
    document.body.dataset.state = "drawn";
  }
  requestAnimationFrame(tick);
};
if (!nFrames) { fail("The recording has no frame."); return; }
// An address that ends in #frame=12&show=contacts,boxes&play=1 opens the page in that state.
const wish = new URLSearchParams(location.hash.slice(1));
const shownFirst = wish.has("show") ? wish.get("show").split(",") : scene.shown;
for (const id of ["contacts", "lines", "boxes", "tree", "skin"]) if (shownFirst.includes(id)) $(id).checked = true;
if (shownFirst.includes("bodies")) $("phases").checked = false;
if (wish.has("level")) $("level").value = String(Number(wish.get("level")) - 1);
if (wish.has("frame")) setTime(Number(wish.get("frame")) || 0);
$("message").hidden = true;
if (!wish.has("frame") || wish.has("play")) setPlaying(true);
requestAnimationFrame(now => { clock = now; tick(now); });
})();
