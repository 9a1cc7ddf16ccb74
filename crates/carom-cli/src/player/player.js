// The player of carom: decodes a recording, and plays it with the renderer of carom-stage. It uses
// no outside code and loads nothing from an outside address.
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
  return { triangles, n, nFaces, ...unfold(n, nFaces, scene.frames.map(f => f.surfaces[at])) };
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
// Points of a frame: its contacts, or the ends of lines.
const pointsOf = stored => {
  const w = new Uint16Array(section(stored).buffer), out = new Float32Array(w.length);
  for (let i = 0; i < w.length; i++) out[i] = scene.min[i % 3] + scene.extent[i % 3] * w[i] / 65535;
  return out;
};

// Poses at a moment between two recorded frames: linear interpolation, normalised for rotations.
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

// ---- The renderer.
let renderer;
try { renderer = makeRenderer($("view")); } catch (e) { fail(e.message); return; }
const { camera } = renderer, canvas = $("view");
const shapes = scene.shapes.map(shape => {
  if (shape.kind !== "mesh") return shape;
  const { points, corners } = unpacked(shape);
  return meshShape(points, corners);
});
renderer.setBodies(shapes, bodies);
renderer.setSurfaces(surfaces);
renderer.setClouds(clouds);
renderer.planes = scene.planes;
const { positions, rotations, drawn } = renderer;

// ---- Camera: shows the bodies at the end, and also those at the start if the view does not grow
// much.
// Position of the followed body when it was last drawn.
let followed = null;
const home = () => {
  followed = null;
  poseAt(nFrames - 1);
  for (const s of surfaces) pointsAt(s, nFrames - 1);
  for (const c of clouds) pointsAt(c, nFrames - 1);
  const b = renderer.wholeBox();
  poseAt(0);
  for (const s of surfaces) pointsAt(s, 0);
  for (const c of clouds) pointsAt(c, 0);
  const a = renderer.wholeBox();
  // The bodies at the start are included if the view does not grow much.
  const sizeOf = c => [0, 1, 2].map(k => c[k + 3] - c[k]), diagonal = c => Math.hypot(...sizeOf(c));
  const both = [0, 1, 2, 3, 4, 5].map(k => k < 3 ? Math.min(a[k], b[k]) : Math.max(a[k], b[k]));
  const seen = diagonal(both) < 2.5 * diagonal(b) ? both : b;
  camera.target = [0, 1, 2].map(k => (seen[k] + seen[k + 3]) / 2);
  camera.yaw = 0.7; camera.pitch = 0.42;
  camera.distance = Math.max(renderer.distanceThatShows(sizeOf(seen)), diagonal(seen) * 1e-6, 1e-6);
  renderer.sceneRadius = Math.hypot(...[0, 1, 2].map(k => Math.max(a[k + 3], b[k + 3]) - Math.min(a[k], b[k]))) / 2 || 1;
  renderer.floorY = b[1];
  if (scene.view) {
    ({ distance: camera.distance, yaw: camera.yaw, pitch: camera.pitch } = scene.view);
    camera.target = [...scene.view.target];
    renderer.sceneRadius = 3 * camera.distance;
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
home();

// ---- Colours: by the state of the body, or by its index.
const phaseNames = scene.stateNames.length ? scene.stateNames : [scene.names.length ? "clear" : scene.surfaces.length ? "rigid" : "fixed", "asleep", "awake, touching nothing", "in contact", "closer than the clearance", "colliding"];
const isFixed = i => phaseNames[0] === "fixed" && nFrames && states[0][i] === 0;
const own = Array.from({ length: nBodies }, (_, i) => isFixed(i) ? stateColours[0] : ownColour(i));
// Colours of the faces of meshes that change their shape, by state. Free faces of every second mesh
// have another colour.
const faceColours = [[86, 138, 190], [168, 80, 190], [236, 140, 40], [214, 50, 50]], secondColour = [104, 166, 150];
const faceNames = scene.faceNames.length ? scene.faceNames
  : ["faces that touch nothing", "faces that touch their own mesh", "faces that touch another body", "faces that cross"];
// A face state that occurs in any frame is listed in the legend of all frames.
const comes = faceNames.map((_, k) => surfaces.some(s => s.faces.some(f => f.includes(k))));
let chosen = new Set();
const pairColours = [[214, 62, 62], [58, 110, 196]];
// The place of the chosen pair, if one is chosen.
let chosenPoint = null;
renderer.isHidden = i => 0 < chosen.size && $("alone").checked && !chosen.has(i);

// ---- Drawing.
let time = 0, isPlaying = false, needsDraw = true;
const isDark = () => matchMedia("(prefers-color-scheme: dark)").matches;
const frameAt = () => Math.min(Math.round(time), nFrames - 1);
const place = () => {
  poseAt(time);
  const state = states[frameAt()], byPhase = $("phases").checked, { colours } = renderer;
  for (const i of drawn) {
    // The two of a chosen pair are told apart by their colours.
    if (chosenPoint && chosen.has(i)) { colours.set(pairColours[[...chosen].indexOf(i)], 4 * i); continue; }
    colours.set(chosen.size && !chosen.has(i) ? [150, 154, 160] : byPhase ? stateColours[state[i]].map(c => Math.min(255, c * shadeOf(i))) : own[i], 4 * i);
  }
  renderer.placeBodies();
};
// Colours and names of the lines of joints and of normals.
const lineColours = [[37, 99, 235], [225, 29, 29]], lineNames = scene.lineNames.length ? scene.lineNames : ["lines of joints", "normals"];
const placeSurfaces = () => {
  const at = frameAt(), byState = $("phases").checked;
  for (const s of surfaces) pointsAt(s, time);
  renderer.placeSurfaces((number, face) => {
    const state = byState ? surfaces[number].faces[at][face] : 0;
    return state ? faceColours[state] : number % 2 ? secondColour : faceColours[0];
  });
};
const isSkinShown = () => scene.skinned !== null && $("skin").checked;
// The frame of the skin that the renderer has, and its number of faces.
let skinFrame = -1, nSkinFaces = 0;
const placeSkin = () => {
  const at = frameAt(), stored = scene.frames[at].skin;
  if (!isSkinShown() || skinFrame === at) return;
  skinFrame = at; nSkinFaces = 0;
  if (!stored) { renderer.setSkin(null); return; }
  const { points, corners } = unpacked(stored);
  nSkinFaces = corners.length / 3;
  renderer.setSkin(points, corners, clouds[scene.skinned].colour);
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
  }
  renderer.placeClouds();
};
// Magenta, violet, teal and brown, which no state of a body has.
const levelColours = [[214, 40, 160], [124, 58, 237], [13, 148, 136], [146, 84, 32]];
const isLevelShown = depth => $("level").value === "all" || Number($("level").value) === depth;
const draw = () => {
  place();
  placeSurfaces();
  placeSkin();
  placeClouds();
  follow();
  const frame = scene.frames[frameAt()], boxes = [], lines = [];
  if ($("boxes").checked) boxes.push({ ...renderer.bodyBoxes(), colour: isDark() ? [0.6, 0.8, 1, 0.55] : [0.05, 0.2, 0.5, 0.5] });
  if ($("tree").checked) {
    // The boxes of the broad phase's tree. Each level has one colour, and the top level is the most
    // opaque.
    frame.levels.forEach((level, depth) => {
      if (!isLevelShown(depth)) return;
      const corners = pointsOf(level), n = corners.length / 6, low = new Float32Array(3 * n), high = new Float32Array(3 * n);
      for (let i = 0; i < n; i++) { low.set(corners.subarray(6 * i, 6 * i + 3), 3 * i); high.set(corners.subarray(6 * i + 3, 6 * i + 6), 3 * i); }
      boxes.push({ low, high, colour: [...levelColours[depth % levelColours.length].map(c => c / 255), 1 / (1 + 0.35 * depth)] });
    });
  }
  if ($("lines").checked) lineColours.forEach((colour, kind) => {
    lines.push({ ends: pointsOf(frame.lines[kind]), colour: [...colour.map(c => c / 255), 0.9] });
  });
  renderer.draw({
    isDark: isDark(), hasFloor: nFrames === 1, isSkinShown: isSkinShown(), hiddenCloud: isSkinShown() ? scene.skinned : -1,
    // The sun is on the side of the eye, so that a wall in view is lit.
    sunX: scene.view && Math.sin(scene.view.yaw) < 0 ? -1.2 : 0.45,
    boxes, lines, dots: chosenPoint ? Float32Array.from(chosenPoint) : $("contacts").checked ? pointsOf(frame.contacts) : [],
  });
};

// ---- Charts.
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
  const at = frameAt();
  for (const { lines, values, plot } of charts) {
    drawChart(plot, lines, at);
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
    i.style.background = `rgb(${stateColours[k]})`; d.append(i, `${count[k].toLocaleString("en")} ${name}`); return [d];
  }));
  const { caption } = scene.frames[frameAt()];
  if (caption) {
    const b = document.createElement("b");
    b.textContent = caption; $("legend").prepend(b);
  }
  clouds.forEach((c, number) => {
    const d = document.createElement("div"), i = document.createElement("i");
    const around = isSkinShown() && number === scene.skinned ? `, within ${nSkinFaces.toLocaleString("en")} faces` : "";
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
// Puts the camera on a place of two bodies, so near that the smaller one fills the view.
const lookAt = (pair, point) => {
  const box = new Float64Array(6);
  const sizes = pair.filter(i => 0 <= i).map(i => { renderer.boxOf(i, box); return [0, 1, 2].map(k => box[k + 3] - box[k]); });
  sizes.sort((a, b) => Math.hypot(...a) - Math.hypot(...b));
  if (!sizes.length) return;
  camera.target = [...point];
  camera.distance = Math.max(1.3 * renderer.distanceThatShows(sizes[0]), 1e-6);
};
let choose = () => {};
if (scene.table) {
  const numbers = new Map(scene.names.map((name, i) => [name, i]));
  const table = document.createElement("table"), head = table.createTHead().insertRow(), body = table.createTBody();
  for (const c of scene.table.columns) { const th = document.createElement("th"); th.textContent = c; head.append(th); }
  // Chooses the pair of a row; the row that is chosen already is given up.
  choose = at => {
    const tr = body.rows[at], was = !tr || tr.classList.contains("chosen");
    for (const other of body.rows) other.classList.remove("chosen");
    const pair = was ? [] : scene.table.rows[at].slice(0, 2).map(name => numbers.get(name) ?? -1);
    chosen = new Set(pair);
    chosenPoint = was ? null : scene.table.points[at];
    if (!was) { tr.classList.add("chosen"); lookAt(pair, chosenPoint); }
    needsDraw = true;
  };
  scene.table.rows.forEach((row, at) => {
    const tr = body.insertRow();
    for (const cell of row) tr.insertCell().textContent = typeof cell === "number" ? shown(cell) : String(cell);
    tr.addEventListener("click", () => { choose(at); scrollTo(0, 0); });
  });
  $("table").append(table);
}
for (const note of scene.notes) { const p = document.createElement("p"); p.textContent = note; $("notes").append(p); }
let hovered = -1;
const drawUnder = () => {
  if (hovered < 0) { $("under").textContent = ""; return; }
  const state = states[Math.min(Math.round(time), nFrames - 1)][hovered];
  const name = scene.names[hovered] || `${scene.shapes[bodies[hovered]].kind} ${hovered}`;
  $("under").textContent = `${name}: ${phaseNames[state]}`;
};
renderer.control({
  hover: (x, y) => { hovered = renderer.bodyUnder(x, y); drawUnder(); },
  changed: () => { needsDraw = true; },
});

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
for (const id of ["alone", "phases", "contacts", "lines", "boxes", "tree", "level", "skin"]) $(id).addEventListener("change", () => { needsDraw = true; });
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
if (!scene.table) $("lone").style.display = "none";
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
// An address that ends in #frame=12&show=contacts,boxes&play=1 opens the page in that state;
// #pair=1 chooses the first row of the table.
const wish = new URLSearchParams(location.hash.slice(1));
const shownFirst = wish.has("show") ? wish.get("show").split(",") : scene.shown;
for (const id of ["contacts", "lines", "boxes", "tree", "skin"]) if (shownFirst.includes(id)) $(id).checked = true;
if (shownFirst.includes("bodies")) $("phases").checked = false;
if (wish.has("level")) $("level").value = String(Number(wish.get("level")) - 1);
if (wish.has("pair")) choose(Number(wish.get("pair")) - 1);
if (wish.has("frame")) setTime(Number(wish.get("frame")) || 0);
$("message").hidden = true;
if (!wish.has("frame") || wish.has("play")) setPlaying(true);
requestAnimationFrame(now => { clock = now; tick(now); });
})();
