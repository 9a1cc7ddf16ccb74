// The renderer of carom's pages: draws bodies, sheets, particles, lines and boxes with WebGL 2. It
// uses no outside code, and knows neither recordings nor worlds. Geometry, shaders and the camera
// are in files of their own.

// Returns a renderer on a canvas. Throws an error with a message if the browser cannot draw.
const makeRenderer = canvas => {
const gl = canvas.getContext("webgl2", { alpha: false, antialias: true, preserveDrawingBuffer: true });
if (!gl) throw new Error("This browser has no WebGL 2.");
const { solid, depth, line, stroke, dot, ground, ball, ballDepth } = makePrograms(gl);

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
  // Whether pictures are plain: of fewer pixels, with harder shadows. A page sets it if the
  // graphics processor is slow, or none is there.
  isPlain: false,
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
    const group = { list, nVertices: geometry.n, n: list.length, isClosed: typeof key === "string",
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
// Boxes and capsules are closed, so their inner sides are left out. A mesh may be open.
const drawBodies = () => {
  for (const g of groups) {
    if (g.isClosed) gl.enable(gl.CULL_FACE);
    gl.bindVertexArray(g.array);
    gl.drawArraysInstanced(gl.TRIANGLES, 0, g.nVertices, g.n);
    gl.disable(gl.CULL_FACE);
  }
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

// A map of shadows with this many pixels along a side.
const shadowMap = size => {
  const texture = gl.createTexture(), target = gl.createFramebuffer();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, size, size);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
  gl.bindFramebuffer(gl.FRAMEBUFFER, target);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, texture, 0);
  gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  return { size, texture, target };
};
const fineShadow = shadowMap(2048), plainShadow = shadowMap(1024);
addCamera(r, canvas);

// The largest of 1, 2, 5, 10, 20 and so on, and of their tenth parts, that is at most `size`.
const cellBelow = size => {
  const decade = Math.pow(10, Math.floor(Math.log10(size)));
  return decade * [5, 2, 1].find(part => part * decade <= size);
};
// The sides of triangles as lines, from their corners.
const outlines = corners => {
  const ends = new Float32Array(2 * corners.length);
  for (let i = 0; i < corners.length; i += 9) for (let side = 0; side < 3; side++) {
    ends.set(corners.subarray(i + 3 * side, i + 3 * side + 3), 2 * i + 6 * side);
    const next = i + 3 * ((side + 1) % 3);
    ends.set(corners.subarray(next, next + 3), 2 * i + 6 * side + 3);
  }
  return ends;
};

// ---- Drawing. `options`: `isDark`, `sunX` (the side of the sun), `hasFloor` (a floor also without
// a plane), `isSkinShown` and `hiddenCloud`, `boxes` of { low, high, colour }, `marks` of { corners
// of triangles, colour }, `lines` of { ends, colour }, `dots` as points.
r.draw = ({ isDark, sunX = 0.45, hasFloor = false, isSkinShown = false, hiddenCloud = -1, boxes = [], marks = [], lines = [], dots: points = [] }) => {
  const { camera, sceneRadius, planes, clouds } = r;
  const planeFloor = planes.find(p => 0.9 < p.normal[1]), walls = planes.filter(p => Math.abs(p.normal[1]) < 0.1);
  const ratio = Math.min(devicePixelRatio || 1, 2) * (r.isPlain ? 0.7 : 1);
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

  const shadow = r.isPlain ? plainShadow : fineShadow;
  gl.bindFramebuffer(gl.FRAMEBUFFER, shadow.target);
  gl.viewport(0, 0, shadow.size, shadow.size);
  gl.enable(gl.DEPTH_TEST); gl.clear(gl.DEPTH_BUFFER_BIT);
  gl.useProgram(depth.program);
  gl.uniformMatrix4fv(depth.uniforms.view, false, light);
  drawBodies();
  drawSurfaces(isSkinShown);
  if (clouds.length) {
    gl.useProgram(ballDepth.program);
    gl.uniformMatrix4fv(ballDepth.uniforms.view, false, light);
    drawClouds(ballDepth, sunLook, shadow.size / lit, hiddenCloud);
  }

  gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  gl.viewport(0, 0, width, height);
  gl.clearColor(...fog, 1);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  gl.bindTexture(gl.TEXTURE_2D, shadow.texture);
  const common = p => {
    gl.useProgram(p.program);
    gl.uniformMatrix4fv(p.uniforms.view, false, viewMatrix);
    gl.uniformMatrix4fv(p.uniforms.light, false, light);
    gl.uniform1i(p.uniforms.shadow, 0);
    gl.uniform3fv(p.uniforms.sun, sun); gl.uniform3fv(p.uniforms.eye, eye); gl.uniform3fv(p.uniforms.fog, fog);
    gl.uniform1f(p.uniforms.far, far);
    gl.uniform1i(p.uniforms.taps, r.isPlain ? 1 : 4);
  };
  common(solid);
  drawBodies();
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
      gl.uniform1f(ground.uniforms.cell, cellBelow(sceneRadius / 6));
      gl.bindVertexArray(floorArray); gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }
  }

  gl.useProgram(line.program);
  gl.uniformMatrix4fv(line.uniforms.view, false, viewMatrix);
  gl.bindVertexArray(edges);
  gl.enable(gl.BLEND); gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  if (walls.length) {
    // The outline of the pit between the walls, up to the ceiling, or as high as the bodies at the
    // end. It begins a little above the floor, which would hide parts of the lower edges.
    const ceiling = planes.find(p => p.normal[1] < -0.9);
    const low = [-Infinity, (planeFloor ? planeFloor.point[1] : r.floorY) + 0.002 * sceneRadius, -Infinity], high = [Infinity, ceiling ? ceiling.point[1] : camera.target[1] * 2, Infinity];
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
  // Marked triangles are drawn a little nearer to the eye than the surface that they lie on, so
  // that it does not hide them.
  gl.useProgram(stroke.program);
  gl.uniformMatrix4fv(stroke.uniforms.view, false, viewMatrix);
  gl.uniform1f(stroke.uniforms.nearer, 1e-4);
  gl.bindVertexArray(dots);
  for (const { corners, colour } of marks) {
    if (!corners.length) continue;
    upload(dotBuffer, corners);
    gl.uniform4f(stroke.uniforms.colour, ...colour, 0.3);
    gl.drawArrays(gl.TRIANGLES, 0, corners.length / 3);
    upload(dotBuffer, outlines(corners));
    gl.uniform4f(stroke.uniforms.colour, ...colour, 1);
    gl.drawArrays(gl.LINES, 0, 2 * corners.length / 3);
  }
  // Lines and dots are drawn over everything, because most of a joint is inside of its bodies.
  gl.disable(gl.DEPTH_TEST);
  gl.uniform1f(stroke.uniforms.nearer, 0);
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
// Waits until all is drawn: a pixel can be read only then.
r.finish = () => gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
return r;
};
