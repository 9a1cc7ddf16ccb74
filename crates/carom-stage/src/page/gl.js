// The picture by WebGL 2 of carom's renderer: buffers of what is drawn, a map of shadows, and the
// draws themselves. renderer.js has the state and the view.

// Returns what draws the state of a renderer `r` on a canvas; null if the browser has no WebGL 2.
// Throws an error with a message if a shader does not compile.
const makeGl = (r, canvas) => {
const gl = canvas.getContext("webgl2", { alpha: false, antialias: true, preserveDrawingBuffer: true });
if (!gl) return null;
const { solid, depth, line, stroke, dot, ground, ball, ballDepth } = makePrograms(gl);

const buffer = (data, usage) => { const b = gl.createBuffer(); gl.bindBuffer(gl.ARRAY_BUFFER, b); gl.bufferData(gl.ARRAY_BUFFER, data, usage || gl.STATIC_DRAW); return b; };
const attribute = (at, size, type, normalized, divisor) => {
  gl.enableVertexAttribArray(at); gl.vertexAttribPointer(at, size, type, normalized, 0, 0); gl.vertexAttribDivisor(at, divisor);
};
const upload = (target, data) => { gl.bindBuffer(gl.ARRAY_BUFFER, target); gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW); };
const colourAttribute = divisor => { gl.enableVertexAttribArray(5); gl.vertexAttribPointer(5, 3, gl.UNSIGNED_BYTE, true, 4, 0); gl.vertexAttribDivisor(5, divisor); };

// ---- Bodies: those with the same geometry are drawn in one call.
let groups = [];
const geometries = new Map();
const geometryOf = (key, shape) => {
  if (!geometries.has(key)) {
    const { v, n } = key === "box" ? cube() : key === "capsule" ? capsule(12, 20) : meshOf(shape);
    geometries.set(key, { n: v.length / 4, vertices: buffer(Float32Array.from(v)), normals: buffer(Float32Array.from(n)) });
  }
  return geometries.get(key);
};
// Takes over the bodies: lists of those with the same geometry.
const setBodies = members => {
  const { shapes, bodies } = r;
  for (const g of groups) {
    for (const b of [g.atBuffer, g.turnBuffer, g.sizeBuffer, g.colourBuffer]) gl.deleteBuffer(b);
    gl.deleteVertexArray(g.array);
  }
  for (const [key, { vertices, normals }] of geometries) {
    if (typeof key !== "string" && !shapes.includes(key)) { gl.deleteBuffer(vertices); gl.deleteBuffer(normals); geometries.delete(key); }
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
const uploadBodies = () => {
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

// ---- Meshes that change their shape, the skin, particles.
const setSurfaces = (old, surfaces) => {
  for (const s of old) {
    for (const b of [s.vertexBuffer, s.normalBuffer, s.colourBuffer]) gl.deleteBuffer(b);
    gl.deleteVertexArray(s.array);
  }
  for (const s of surfaces) {
    s.array = gl.createVertexArray();
    gl.bindVertexArray(s.array);
    s.vertexBuffer = buffer(s.vertices, gl.DYNAMIC_DRAW); attribute(0, 4, gl.FLOAT, false, 0);
    s.normalBuffer = buffer(s.turned, gl.DYNAMIC_DRAW); attribute(1, 3, gl.FLOAT, false, 0);
    s.colourBuffer = buffer(s.colour, gl.DYNAMIC_DRAW); colourAttribute(0);
  }
  gl.bindVertexArray(null);
};
const skin = { array: gl.createVertexArray(), uploaded: null };
gl.bindVertexArray(skin.array);
skin.vertexBuffer = buffer(new Float32Array(3), gl.DYNAMIC_DRAW); attribute(0, 3, gl.FLOAT, false, 0);
skin.normalBuffer = buffer(new Float32Array(3), gl.DYNAMIC_DRAW); attribute(1, 3, gl.FLOAT, false, 0);
skin.cornerBuffer = gl.createBuffer();
gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, skin.cornerBuffer);
gl.bindVertexArray(null);
const setClouds = (old, clouds) => {
  for (const c of old) { gl.deleteBuffer(c.pointBuffer); gl.deleteBuffer(c.tintBuffer); gl.deleteVertexArray(c.array); }
  for (const c of clouds) {
    c.array = gl.createVertexArray();
    gl.bindVertexArray(c.array);
    c.pointBuffer = buffer(c.points, gl.DYNAMIC_DRAW); attribute(0, 3, gl.FLOAT, false, 0);
    c.tintBuffer = buffer(c.tint, gl.DYNAMIC_DRAW); colourAttribute(0);
  }
  gl.bindVertexArray(null);
};
const uploadRest = () => {
  for (const s of r.surfaces) { upload(s.vertexBuffer, s.vertices); upload(s.normalBuffer, s.turned); upload(s.colourBuffer, s.colour); }
  for (const c of r.clouds) { upload(c.pointBuffer, c.points); upload(c.tintBuffer, c.tint); }
  if (!r.skin.n || skin.uploaded === r.skin) return;
  skin.uploaded = r.skin;
  upload(skin.vertexBuffer, r.skin.points); upload(skin.normalBuffer, r.skin.normals);
  gl.bindVertexArray(skin.array);
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, skin.cornerBuffer);
  gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, r.skin.corners, gl.DYNAMIC_DRAW);
  gl.bindVertexArray(null);
};
const drawSurfaces = isSkinShown => {
  gl.vertexAttrib4f(2, 0, 0, 0, 1); gl.vertexAttrib4f(3, 0, 0, 0, 1); gl.vertexAttrib4f(4, 1, 1, 1, 0);
  if (isSkinShown && r.skin.n) {
    gl.vertexAttrib4f(5, ...r.skin.colour.map(c => c / 255), 1);
    gl.bindVertexArray(skin.array);
    gl.drawElements(gl.TRIANGLES, r.skin.n, gl.UNSIGNED_INT, 0);
  }
  for (const s of r.surfaces) { gl.bindVertexArray(s.array); gl.drawArrays(gl.TRIANGLES, 0, s.triangles.length); }
};

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

// ---- Drawing: the parameters are the view, a picture of PICTURES, the number of pixels along a pixel of
// the page, and what renderer.js says of `draw`.
const draw = ({ eye, middle, look, sun, far, near, fog, floor, pit }, picture, ratio, { isSkinShown, hiddenCloud, boxes, marks, lines, dots: points }) => {
  const { camera, sceneRadius, clouds } = r, isPlain = picture.name === "plain";
  const width = Math.max(1, Math.round(canvas.clientWidth * ratio)), height = Math.max(1, Math.round(canvas.clientHeight * ratio));
  if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
  uploadBodies();
  uploadRest();
  const viewMatrix = multiply(perspective(FIELD_OF_VIEW, width / height, near, far), look.m);
  const lit = Math.min(sceneRadius, camera.distance * 0.9) * 1.15;
  const sunLook = looking(middle.map((x, k) => x + sun[k] * 4 * sceneRadius), middle, [0, 0, 1]);
  const light = multiply(parallel(lit, 0, 8 * sceneRadius), sunLook.m);

  const shadow = isPlain ? plainShadow : fineShadow;
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
    gl.uniform1i(p.uniforms.taps, isPlain ? 1 : 4);
  };
  common(solid);
  drawBodies();
  drawSurfaces(isSkinShown);
  if (clouds.length) {
    common(ball);
    drawClouds(ball, look, height / Math.tan(FIELD_OF_VIEW / 2), hiddenCloud);
  }

  if (floor && floor.y < eye[1]) {
    common(ground);
    gl.uniform3f(ground.uniforms.middle, middle[0], floor.y, middle[2]);
    gl.uniform3fv(ground.uniforms.base, floor.base);
    gl.uniform3fv(ground.uniforms.ink, floor.ink);
    gl.uniform1f(ground.uniforms.reach, floor.reach);
    gl.uniform1f(ground.uniforms.cell, floor.cell);
    gl.bindVertexArray(floorArray); gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }

  gl.useProgram(line.program);
  gl.uniformMatrix4fv(line.uniforms.view, false, viewMatrix);
  gl.bindVertexArray(edges);
  gl.enable(gl.BLEND); gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  if (pit) {
    upload(lowBuffer, pit.low); upload(highBuffer, pit.high);
    gl.uniform4f(line.uniforms.colour, 0.45, 0.5, 0.58, 0.7);
    gl.drawArraysInstanced(gl.LINES, 0, 24, 1);
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
const finish = () => gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
return { setBodies, setSurfaces, setClouds, draw, finish };
};
