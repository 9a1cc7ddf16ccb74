// The picture: shapes are read when they change, poses always. The first view of a scene.
// One of the parts of the script of the live page, which share one scope; see live_page.rs.

// ---- Picture: shapes when they change, poses always.
const turned = (q, v) => {
  const [x, y, z, w] = q, t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])];
  return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2], v[2] + w * t[2] + x * t[1] - y * t[0]];
};
const takeLayout = () => {
  const layout = ask({ command: "layout", first: shapes.length });
  if (layout.error) return;
  version = layout.version;
  for (const shape of layout.shapes) {
    shapes.push(shape.kind === "mesh" ? meshShape(Float32Array.from(shape.points), Uint32Array.from(shape.corners)) : shape);
  }
  const rows = read("bodies"), numbers = new Uint32Array(rows.length / 2);
  for (let i = 0; i < numbers.length; i++) numbers[i] = rows[2 * i + 1];
  renderer.setBodies(shapes, numbers);
  renderer.setSurfaces(layout.sheets.map(sheet => {
    const triangles = Uint32Array.from(sheet.triangles);
    return { triangles, n: triangles.reduce((most, v) => Math.max(most, v + 1), 0) };
  }));
  renderer.setClouds(layout.clouds);
  const poses = read("poses");
  renderer.planes = [...numbers].flatMap((number, i) => shapes[number]?.kind === "plane"
    ? [{ normal: turned(poses.subarray(7 * i + 3, 7 * i + 7), shapes[number].normal), point: [...poses.subarray(7 * i, 7 * i + 3)] }] : []);
};
const rowOf = index => { const rows = read("bodies"); for (let i = 0; 2 * i < rows.length; i++) if (rows[2 * i] === index) return i; return -1; };
const WATER = [64, 132, 214], ROPE = [176, 140, 92];
// In slow motion: poses before the last step. What is drawn lies between the two.
let before = null;
const place = () => {
  let poses = read("poses");
  if (before?.length === poses.length) {
    const part = Math.max(0, Math.min(1, due / STEP)), now = poses;
    poses = before.map((x, i) => x + (now[i] - x) * part);
    for (let i = 3; i < poses.length; i += 7) {
      let dot = 0, norm = 0;
      for (let k = i; k < i + 4; k++) dot += before[k] * now[k];
      for (let k = i; k < i + 4; k++) { poses[k] = before[k] + ((dot < 0 ? -now[k] : now[k]) - before[k]) * part; norm += poses[k] * poses[k]; }
      for (let k = i; k < i + 4; k++) poses[k] /= Math.sqrt(norm) || 1;
    }
  }
  const states = read("states"), kind = $("colours").value, byState = kind === "state", islands = read("islands"), onDark = isDark(), { positions, rotations, colours } = renderer;
  const marked = new Set(chosen.map(rowOf));
  for (let i = 0, n = states.length; i < n; i++) {
    for (let k = 0; k < 3; k++) positions[3 * i + k] = poses[7 * i + k];
    for (let k = 0; k < 4; k++) rotations[4 * i + k] = poses[7 * i + 3 + k];
    const s = states[i], base = marked.size && !marked.has(i) ? [150, 154, 160] : byState || !s ? stateColour(s, onDark) : ownColour(islands[i] ?? i), shade = kind !== "body" && !marked.size ? shadeOf(i) : 1;
    for (let k = 0; k < 3; k++) colours[4 * i + k] = Math.min(255, base[k] * shade);
  }
  const sheets = read("sheets");
  let at = 0;
  for (const s of renderer.surfaces) { s.points.set(sheets.subarray(at, at + 3 * s.n)); at += 3 * s.n; }
  renderer.placeSurfaces(number => sheetColours[number % 2]);
  const particles = read("particles");
  at = 0;
  renderer.clouds.forEach(c => {
    c.points.set(particles.subarray(at, at + 3 * c.n)); at += 3 * c.n;
    const colour = c.rope ? ROPE : WATER;
    for (let i = 0; i < c.n; i++) { const shade = shadeOf(i); for (let k = 0; k < 3; k++) c.tint[4 * i + k] = Math.min(255, colour[k] * shade); }
  });
};
const refresh = () => { if (!hasStopped) take(ask({ command: "state" })); };
const take = answer => {
  if (answer.error) return;
  if (answer.steps !== state?.steps) { keep(history.pairs, answer.counters["pairs of boxes"]); keep(history.touching, answer.counters.touching); }
  state = answer;
  if (state.version !== version) takeLayout();
  showState();
  needsDraw = true;
};

// ---- Camera.
// Moves the scene up and away from a legend that is as wide as the picture, as on a telephone.
const showAboveLegend = () => {
  const legend = $("legend");
  if (legend.offsetWidth < 0.6 * canvas.clientWidth) return;
  const covered = legend.offsetHeight / canvas.clientHeight;
  camera.distance /= 1 - covered;
  renderer.pan(0, -covered / 2 * canvas.clientHeight);
};
const home = () => {
  place();
  const states = read("states"), all = renderer.wholeBox();
  const moving = renderer.wholeBox(i => states[i] !== 0);
  const sizeOf = b => [0, 1, 2].map(k => b[k + 3] - b[k]), diagonal = b => Math.hypot(...sizeOf(b));
  renderer.floorY = all[1];
  camera.yaw = 0.7; camera.pitch = 0.32;
  // All that moves, the floor below it, and what is fixed if it is not much larger.
  const seen = diagonal(all) < 1.8 * diagonal(moving) ? all : moving;
  const plane = renderer.planes.find(p => 0.9 < p.normal[1]);
  if (plane && seen[1] - plane.point[1] < diagonal(seen)) seen[1] = Math.min(seen[1], plane.point[1]);
  camera.target = [0, 1, 2].map(k => (seen[k] + seen[k + 3]) / 2);
  camera.distance = Math.max(renderer.distanceThatShows(sizeOf(seen)), 1e-3);
  renderer.sceneRadius = Math.max(diagonal(seen) / 2, 1e-3);
  if (scene.camera) {
    Object.assign(camera, { ...scene.camera, target: [...scene.camera.target] });
    // A narrow picture is wide enough from farther away.
    camera.distance *= Math.max(1, 1.4 / (canvas.clientWidth / canvas.clientHeight));
    renderer.sceneRadius = Math.max(3 * scene.camera.distance, diagonal(seen) / 2);
  }
  showAboveLegend();
  needsDraw = true;
};
