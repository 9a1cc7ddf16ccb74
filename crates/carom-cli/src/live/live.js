// The live page of carom: a module in WebAssembly simulates, the renderer of carom-stage draws. The
// page uses no outside code and loads nothing from an outside address.
(async () => {
const $ = id => document.getElementById(id);
const fail = text => { $("message").hidden = false; $("message").textContent = text; document.body.dataset.state = "failed"; };
const element = (name, text, parts = []) => { const e = document.createElement(name); if (text !== undefined) e.textContent = text; e.append(...parts); return e; };

// ---- The module: commands and answers are JSON, poses are read from its memory. Its exports are
// described in crates/carom-web/src/wasm.rs.
let exported;
try {
  const packed = Uint8Array.from(atob($("module").textContent), c => c.charCodeAt(0));
  $("module").textContent = "";
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  exported = (await WebAssembly.instantiate(await new Response(stream).arrayBuffer(), {})).instance.exports;
} catch (e) { fail("The module cannot be started: " + e.message); return; }
const put = bytes => {
  const at = exported.carom_inbox(bytes.length);
  new Uint8Array(exported.memory.buffer, at, bytes.length).set(bytes);
};
const answerOf = length => JSON.parse(new TextDecoder().decode(new Uint8Array(exported.memory.buffer, exported.carom_outbox(), length)));
// A module that trapped cannot go on.
let hasStopped = false;
const guarded = work => {
  if (hasStopped) return { error: "the module has stopped" };
  try { return work(); } catch (e) {
    hasStopped = true;
    fail("The simulation has stopped: " + e.message + ". Load the page again.");
    return { error: e.message };
  }
};
const ask = command => guarded(() => { put(new TextEncoder().encode(JSON.stringify(command))); return answerOf(exported.carom_command()); });
const buffers = { bodies: [0, Uint32Array], poses: [1, Float32Array], states: [2, Uint8Array], contacts: [3, Float32Array], joints: [4, Float32Array], boxes: [5, Float32Array], sheets: [6, Float32Array], particles: [7, Float32Array], volumes: [8, Float32Array], islands: [9, Uint32Array] };
const read = name => { const [number, type] = buffers[name]; return new type(exported.memory.buffer, exported.carom_buffer(number), exported.carom_buffer_length(number)); };

const { scenes, broad_phases: broadPhases, step: STEP, error } = ask({ command: "list" });
if (error) { fail(error); return; }
let renderer;
const canvas = $("view");
try { renderer = makeRenderer(canvas); } catch (e) { fail(e.message); return; }
const { camera } = renderer;

// ---- State of the page.
let scene = scenes[0], state, version = -1, shapes = [], isPlaying = true, tool = "drag", due = 0, needsDraw = true;
// Bodies that were chosen for the question why, by index, and the answer.
let chosen = [], why = null;
let pointer = [0, 0];
const spawnedShapes = ["box", "ball", "capsule", "cylinder", "cone", "hull", "ring"];
const CHART_LENGTH = 240, N_KEPT = 60;
const keep = (list, value) => { list.push(value); if (CHART_LENGTH < list.length) list.shift(); };
const history = { step: [], pairs: [], touching: [] }, stepTimes = [], frameTimes = [];

const theme = new URLSearchParams(location.hash.slice(1)).get("theme");
if (theme) document.documentElement.dataset.theme = theme;
const isDark = () => (document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
const showTheme = () => { $("theme").textContent = isDark() ? "Light" : "Dark"; needsDraw = true; };

let hintTimer = 0;
const hint = text => {
  $("hint").textContent = text;
  clearTimeout(hintTimer);
  hintTimer = setTimeout(() => { $("hint").textContent = toolHint(); }, 4000);
};
const toolHint = () => ({ drag: "", shoot: "Click to shoot a ball.", spawn: "Click to drop a body there.",
  why: chosen.length === 0 ? "Click a body." : chosen.length === 1 ? "Click a second body." : "Click another body to start again." })[tool];

// Sends a command that changes something, and takes the new state. Returns whether it was done.
const act = command => {
  const answer = ask(command);
  if (answer.error) { hint(answer.error); return false; }
  before = null;
  if (answer.hash) take(answer); else refresh();
  return true;
};
const userAct = action => act({ command: "act", action });

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
const cloudColours = [[64, 132, 214], [205, 170, 110]];
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
  const states = read("states"), kind = $("colours").value, byState = kind === "state", islands = read("islands"), { positions, rotations, colours } = renderer;
  const marked = new Set(chosen.map(rowOf));
  for (let i = 0, n = states.length; i < n; i++) {
    for (let k = 0; k < 3; k++) positions[3 * i + k] = poses[7 * i + k];
    for (let k = 0; k < 4; k++) rotations[4 * i + k] = poses[7 * i + 3 + k];
    const s = states[i], base = marked.size && !marked.has(i) ? [150, 154, 160] : byState || !s ? stateColours[s] : ownColour(islands[i] ?? i), shade = kind !== "body" && !marked.size ? shadeOf(i) : 1;
    for (let k = 0; k < 3; k++) colours[4 * i + k] = Math.min(255, base[k] * shade);
  }
  renderer.placeBodies();
  const sheets = read("sheets");
  let at = 0;
  for (const s of renderer.surfaces) { s.points.set(sheets.subarray(at, at + 3 * s.n)); at += 3 * s.n; }
  renderer.placeSurfaces(number => number % 2 ? [104, 166, 150] : [86, 138, 190]);
  const particles = read("particles");
  at = 0;
  renderer.clouds.forEach((c, number) => {
    c.points.set(particles.subarray(at, at + 3 * c.n)); at += 3 * c.n;
    const colour = cloudColours[number % 2];
    for (let i = 0; i < c.n; i++) { const shade = shadeOf(i); for (let k = 0; k < 3; k++) c.tint[4 * i + k] = Math.min(255, colour[k] * shade); }
  });
  renderer.placeClouds();
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
    camera.distance *= Math.max(1, 1.25 / (canvas.clientWidth / canvas.clientHeight));
    renderer.sceneRadius = Math.max(3 * scene.camera.distance, diagonal(seen) / 2);
  }
  needsDraw = true;
};

// ---- Drawing.
const drawnLines = () => {
  const lines = [];
  if ($("joints").checked) lines.push({ ends: read("joints").slice(), colour: [0.145, 0.388, 0.922, 0.9] });
  if ($("contacts").checked) {
    // Normals have one length; impulses are as long as the strongest allows.
    const rows = read("contacts"), n = rows.length / 7, normals = new Float32Array(6 * n), impulses = new Float32Array(6 * n);
    let most = 0;
    for (let i = 0; i < n; i++) most = Math.max(most, rows[7 * i + 6]);
    const length = 0.02 * camera.distance, scale = most ? 0.1 * camera.distance / most : 0;
    for (let i = 0; i < n; i++) for (let k = 0; k < 3; k++) {
      const p = rows[7 * i + k], d = rows[7 * i + 3 + k];
      normals[6 * i + k] = impulses[6 * i + k] = p;
      normals[6 * i + 3 + k] = p + d * length; impulses[6 * i + 3 + k] = p + d * scale * rows[7 * i + 6];
    }
    lines.push({ ends: impulses, colour: [0.93, 0.6, 0.1, 0.95] }, { ends: normals, colour: [0.88, 0.11, 0.11, 0.9] });
  }
  if (state.held) lines.push({ ends: Float32Array.from(state.held.flat()), colour: isDark() ? [1, 1, 1, 0.9] : [0.1, 0.1, 0.1, 0.9] });
  if (why?.witness) lines.push({ ends: Float32Array.from(why.witness.flat()), colour: [0.84, 0.16, 0.63, 1] });
  return lines;
};
const drawnDots = () => {
  const rows = $("contacts").checked ? read("contacts") : [], points = [];
  for (let i = 0; i + 6 < rows.length; i += 7) points.push(rows[i], rows[i + 1], rows[i + 2]);
  if (why) points.push(...(why.contacts.length ? why.contacts.flatMap(c => c.point) : why.witness.flat()));
  return Float32Array.from(points);
};
// Each level of the broad phase has one colour, and the top level is the most visible.
const levelColours = [[214, 40, 160], [124, 58, 237], [13, 148, 136], [146, 84, 32]];
const drawnVolumes = () => {
  const rows = read("volumes"), levels = [], wished = $("volumes").value;
  for (let i = 0; i < rows.length; i += 7) {
    const { low, high } = levels[rows[i + 6]] ??= { low: [], high: [] };
    low.push(...rows.subarray(i, i + 3)); high.push(...rows.subarray(i + 3, i + 6));
  }
  while ($("volumes").length < levels.length + 2) $("volumes").append(new Option(`level ${$("volumes").length - 1}`, $("volumes").length - 2));
  return levels.flatMap(({ low, high }, level) => wished !== "all" && Number(wished) !== level ? [] : [{
    low: Float32Array.from(low), high: Float32Array.from(high),
    colour: [...levelColours[level % levelColours.length].map(c => c / 255), 1 / (1 + 0.35 * level)],
  }]);
};
const drawnBoxes = () => {
  if (!$("boxes").checked) return [];
  const rows = read("boxes"), of = isAwake => {
    const low = [], high = [];
    for (let i = 0; i < rows.length; i += 7) if ((rows[i + 6] === 1) === isAwake) { low.push(...rows.subarray(i, i + 3)); high.push(...rows.subarray(i + 3, i + 6)); }
    return { low: Float32Array.from(low), high: Float32Array.from(high) };
  };
  return [{ ...of(true), colour: isDark() ? [0.6, 0.8, 1, 0.6] : [0.05, 0.2, 0.5, 0.55] }, { ...of(false), colour: [0.5, 0.55, 0.62, 0.5] }];
};
const draw = () => {
  place();
  renderer.draw({ isDark: isDark(), sunX: Math.sin(camera.yaw) < 0 ? -0.9 : 0.45, boxes: [...drawnBoxes(), ...drawnVolumes()], lines: drawnLines(), dots: drawnDots() });
};

// ---- Panels.
const mean = list => list.length ? list.reduce((sum, x) => sum + x, 0) / list.length : 0;
const stateNames = ["fixed, or moved by a rule", "asleep", "awake, touching nothing", "in contact", "characters"];
const showState = () => {
  $("hash").textContent = state.hash;
  $("counters").replaceChildren(...Object.entries(state.counters).filter(([name, n]) => n || !["swept", "joints", "particles"].includes(name)).map(([name, n]) =>
    element("tr", undefined, [element("td", name), element("td", n.toLocaleString("en"))])));
  const counts = stateNames.map(() => 0);
  for (const s of read("states")) counts[s]++;
  $("legend").hidden = $("colours").value !== "state";
  $("legend").replaceChildren(...stateNames.flatMap((name, k) => {
    if (!counts[k]) return [];
    const i = element("i"); i.style.background = `rgb(${stateColours[k]})`;
    return [element("div", undefined, [i, `${counts[k].toLocaleString("en")} ${name}`])];
  }));
  $("load").disabled = !state.has_saved;
  $("replay").disabled = !state.has_recording || state.is_recording;
  $("record").textContent = state.is_recording ? "Stop recording" : "Record";
  $("record").setAttribute("aria-pressed", state.is_recording);
  $("kept").textContent = { running: "Replaying ...", same: "The replay ended with the same bits.", different: "The replay ended with other bits." }[state.replay]
    ?? (state.is_recording ? "Recording what you do ..." : "");
  if (chosen.length === 2) explain();
};
const showFigures = () => {
  const rate = frameTimes.length < 2 ? 0 : 1000 * (frameTimes.length - 1) / (frameTimes.at(-1) - frameTimes[0]);
  $("figures").textContent = `${state.seconds.toFixed(2)} s, step ${state.steps.toLocaleString("en")}` + (isPlaying && rate ? `, ${rate.toFixed(0)} frames/s` : "");
};
const showCharts = () => {
  const chart = (plot, values, lines) => {
    drawChart(plot, lines, -1);
    values.replaceChildren(...lines.map(l => { const b = element("b", l.name); b.style.color = l.colour; return element("span", undefined, [b, brief(l.values.at(-1) ?? 0)]); }));
  };
  const times = [{ name: "step", colour: chartColours[0], values: history.step }];
  chart($("step-chart"), $("step-values"), times);
  chart($("pair-chart"), $("pair-values"), [{ name: "boxes", colour: chartColours[2], values: history.pairs }, { name: "touching", colour: chartColours[1], values: history.touching }]);
};
const explain = () => {
  const answer = ask({ command: "explain", a: chosen[0], b: chosen[1] });
  if (answer.error) { choose([]); return; }
  why = answer;
  const length = x => Math.abs(x) < 0.01 ? `${(1000 * x).toFixed(3)} mm` : `${x.toFixed(3)} m`;
  const parts = [element("h3", `${why.a.shape} ${why.a.body} and ${why.b.shape} ${why.b.body} ${why.touching ? "touch" : "do not touch"}`),
    element("p", `Decided by the ${why.phase}: ${why.reason}.`)];
  if (Number.isFinite(why.distance) && !why.contacts.length) parts.push(element("p", why.distance < 0 ? `They overlap by ${length(-why.distance)}.` : `Distance ${length(why.distance)}.`));
  if (why.contacts.length) {
    const head = element("tr", undefined, ["depth", "impulse", "features"].map(name => element("th", name)));
    const rows = why.contacts.slice(0, 8).map(c => element("tr", undefined, [element("td", length(-c.distance)), element("td", `${brief(c.impulse ?? 0)} N s`), element("td", c.features.join(" on "))]));
    parts.push(element("table", undefined, [head, ...rows]));
  }
  parts.push(element("p", "Cost of the test: " + (Object.entries(why.cost).map(([name, n]) => `${n} ${name}`).join(", ") || "a closed form") + "."));
  $("answer").replaceChildren(...parts);
  $("answer").hidden = false;
};
const choose = bodies => {
  chosen = bodies; why = null;
  $("answer").hidden = true;
  if (bodies.length === 2) explain();
  $("hint").textContent = toolHint();
  needsDraw = true;
};

// ---- Scenes and settings.
const showSlider = (id, value, text) => { const input = $(id); input.value = value; input.parentElement.querySelector("output").textContent = text ?? String(value); };
// Scenes that begin in slow motion, or with their joints drawn.
const SLOW = { bullets: "0.02" }, JOINTED = ["joints", "trampoline"];
const start = (name, count) => {
  scene = scenes.find(s => s.name === name) ?? scenes[0];
  shapes = []; version = -1; due = 0; choose([]);
  for (const list of Object.values(history)) list.length = 0;
  stepTimes.length = 0;
  if (!act({ command: "start", scene: scene.name, count })) return;
  $("name").textContent = scene.title + ".";
  $("about-text").textContent = scene.about;
  $("scene").value = scene.name;
  for (const button of $("scenes").querySelectorAll("button")) button.setAttribute("aria-current", button.dataset.scene === scene.name);
  $("count-row").hidden = scene.most <= scene.usual;
  $("count-of").textContent = $("count-of").title = scene.of;
  $("count").max = scene.most;
  showSlider("count", state.count);
  showSlider("gravity", state.gravity, state.gravity.toFixed(1));
  showSlider("friction", 0.5, "scene's");
  showSlider("restitution", 0, "scene's");
  showSlider("substeps", state.substeps);
  $("sleeping").checked = state.sleeping;
  $("ccd").checked = false;
  if (scene.name !== shownScene) {
    home();
    $("speed").value = SLOW[scene.name] ?? "1";
    if (!wish.has("show")) $("joints").checked = JOINTED.includes(scene.name);
  }
  shownScene = scene.name;
  showFlags();
  location.replace("#" + new URLSearchParams({ ...Object.fromEntries(new URLSearchParams(location.hash.slice(1))), scene: scene.name }));
};
let shownScene = "";
const wish = new URLSearchParams(location.hash.slice(1));
const restart = () => { shapes = []; version = -1; due = 0; choose([]); act({ command: "restart" }); };
const nextScene = by => start(scenes[(scenes.indexOf(scene) + by + scenes.length) % scenes.length].name);
{
  let group = "";
  for (const s of scenes) {
    if (s.group !== group) {
      group = s.group;
      $("scenes").append(element("h2", group));
      $("scene").append(Object.assign(element("optgroup"), { label: group }));
    }
    const button = element("button", s.title);
    button.dataset.scene = s.name; button.title = s.about;
    button.addEventListener("click", () => start(s.name));
    $("scenes").append(button);
    $("scene").lastChild.append(new Option(s.title, s.name));
  }
  $("scene").addEventListener("change", () => start($("scene").value));
  $("spawned").append(...spawnedShapes.map(name => new Option(name)));
  $("broad-phase").append(...broadPhases.map(name => new Option(name)));
}
const set = (setting, value) => userAct({ do: "set", setting, value });
for (const [id, digits] of [["gravity", 1], ["friction", 2], ["restitution", 2], ["substeps", 0]]) {
  $(id).addEventListener("input", () => {
    const value = Number($(id).value);
    if (set(id, value)) showSlider(id, value, value.toFixed(digits));
  });
}
for (const id of ["sleeping", "ccd"]) $(id).addEventListener("change", () => set(id, $(id).checked ? 1 : 0));
$("count").addEventListener("input", () => showSlider("count", $("count").value));
$("count").addEventListener("change", () => start(scene.name, Number($("count").value)));
$("broad-phase").addEventListener("change", () => act({ command: "broad-phase", name: $("broad-phase").value }));
const showFlags = () => act({ command: "draw", contacts: $("contacts").checked, joints: $("joints").checked, boxes: $("boxes").checked, volumes: $("volumes").value !== "", islands: $("colours").value === "island" });
for (const id of ["contacts", "joints", "boxes", "volumes", "colours"]) $(id).addEventListener("change", showFlags);
$("save").addEventListener("click", () => act({ command: "save" }) && hint(`Saved at step ${state.steps}.`));
$("load").addEventListener("click", () => act({ command: "load" }) && hint(`Back at step ${state.steps}.`));
$("record").addEventListener("click", () => act({ command: state.is_recording ? "end-recording" : "record" }));
$("replay").addEventListener("click", () => { if (act({ command: "replay" })) setPlaying(true); });

// ---- What a pointer does.
const pick = (px, py) => {
  const { origin, direction } = renderer.rayAt(px, py), hit = ask({ command: "pick", origin, direction });
  return hit && !hit.error ? hit : null;
};
const shoot = (px, py) => {
  const { origin, direction } = renderer.rayAt(px, py), speed = 2.5 * camera.distance, norm = Math.hypot(...direction);
  // It starts a little before the eye.
  const from = origin.map((x, k) => x + direction[k] * 0.1 * camera.distance);
  userAct({ do: "shoot", origin: from, velocity: direction.map(d => d / norm * speed), radius: 0.018 * camera.distance });
};
// The place above what the pointer is on, for a body of half size `size`.
const placeAbove = (px, py, size) => {
  const hit = pick(px, py), { origin, direction } = renderer.rayAt(px, py);
  const at = hit ? hit.at : origin.map((x, k) => x + direction[k] * camera.distance);
  return [at[0], at[1] + 3 * size, at[2]];
};
const spawn = (px, py) => {
  const size = 0.025 * camera.distance;
  userAct({ do: "spawn", shape: $("spawned").value, at: placeAbove(px, py, size), size });
};
const askWhy = (px, py) => {
  const hit = pick(px, py);
  if (!hit) { choose([]); return; }
  choose(chosen.length === 1 && chosen[0] !== hit.body ? [chosen[0], hit.body] : [hit.body]);
};
const setTool = name => {
  tool = name;
  for (const button of $("tools").children) button.setAttribute("aria-pressed", button.dataset.tool === name);
  $("spawned").hidden = name !== "spawn";
  if (name !== "why") choose([]);
  $("hint").textContent = toolHint();
};
for (const button of $("tools").children) button.addEventListener("click", () => setTool(button.dataset.tool));
renderer.control({
  press: (e, px, py) => {
    if (tool !== "drag") return null;
    const hit = pick(px, py);
    if (!hit?.can_be_dragged) return null;
    const { origin, direction, forward } = renderer.rayAt(px, py);
    if (!userAct({ do: "grab", origin, direction })) return null;
    // The point moves in the plane through it that faces the eye.
    return {
      move: (x, y) => {
        const ray = renderer.rayAt(x, y), t = inner(sub(hit.at, ray.origin), forward) / inner(ray.direction, forward);
        userAct({ do: "drag", to: ray.origin.map((o, k) => o + ray.direction[k] * t) });
      },
      end: () => userAct({ do: "release" }),
    };
  },
  hover: (x, y) => { pointer = [x, y]; },
  tap: (e, x, y) => ({ shoot, spawn, why: askWhy })[tool]?.(x, y),
  changed: () => { needsDraw = true; },
});
// A mesh file, dropped on the stage or opened.
const addFile = async (file, px, py) => {
  const name = new TextEncoder().encode(file.name), bytes = new Uint8Array(await file.arrayBuffer()), both = new Uint8Array(name.length + bytes.length);
  both.set(name); both.set(bytes, name.length);
  const answer = guarded(() => { put(both); return answerOf(exported.carom_read_file(name.length)); });
  if (answer.error) { hint(answer.error); return; }
  const size = 0.06 * camera.distance;
  if (act({ command: "drop", at: placeAbove(px, py, size), size })) hint(`${file.name}: ${answer.triangles.toLocaleString("en")} triangles.`);
};
const stage = $("stage");
for (const name of ["dragenter", "dragover"]) stage.addEventListener(name, e => { e.preventDefault(); stage.classList.add("dropping"); });
stage.addEventListener("dragleave", () => stage.classList.remove("dropping"));
stage.addEventListener("drop", async e => {
  e.preventDefault();
  stage.classList.remove("dropping");
  const box = canvas.getBoundingClientRect();
  // A copy: the list is empty after the event.
  for (const file of [...e.dataTransfer.files]) await addFile(file, e.clientX - box.left, e.clientY - box.top);
});
$("open").addEventListener("click", () => $("file").click());
$("file").addEventListener("change", async () => {
  for (const file of $("file").files) await addFile(file, canvas.clientWidth / 2, canvas.clientHeight / 2);
  $("file").value = "";
});

// ---- Playing.
const setPlaying = on => { isPlaying = on; due = 0; before = null; frameTimes.length = 0; $("play").textContent = on ? "Pause" : "Play"; document.body.dataset.state = on ? "playing" : "paused"; };
const makeStep = () => {
  const from = performance.now(), failed = guarded(() => exported.carom_step());
  const ms = performance.now() - from;
  if (failed) {
    if (!failed.error) hint(answerOf(failed).error);
    setPlaying(false);
    return false;
  }
  keep(history.step, ms);
  stepTimes.push(ms); if (N_KEPT < stepTimes.length) stepTimes.shift();
  return true;
};
const look = () => { guarded(() => exported.carom_look()); if (!hasStopped && exported.carom_version() !== version) refresh(); };
const oneStep = () => { setPlaying(false); if (makeStep()) { look(); refresh(); } };
$("play").addEventListener("click", () => setPlaying(!isPlaying));
$("step").addEventListener("click", oneStep);
$("restart").addEventListener("click", restart);
$("home").addEventListener("click", home);
$("theme").addEventListener("click", () => { document.documentElement.dataset.theme = isDark() ? "light" : "dark"; showTheme(); });
$("help").addEventListener("click", () => $("keys").showModal());
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showTheme);
addEventListener("resize", () => { needsDraw = true; });
addEventListener("keydown", e => {
  if (["SELECT", "TEXTAREA"].includes(e.target.tagName) || e.target.type === "range" || e.ctrlKey || e.metaKey || e.altKey || $("keys").open) return;
  const click = id => () => $(id).click(), tools = { 1: "drag", 2: "shoot", 3: "spawn", 4: "why" };
  const key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
  const does = { " ": click("play"), ArrowRight: oneStep, r: restart, Home: home, n: () => nextScene(1), p: () => nextScene(-1), t: click("theme"), "?": click("help"), h: click("help"),
    f: () => shoot(...pointer), g: () => spawn(...pointer), s: click("save"), l: click("load"), c: click("contacts"), j: click("joints"), b: click("boxes"), Escape: () => choose([]) }[key]
    ?? (tools[key] && (() => setTool(tools[key])));
  if (does) { e.preventDefault(); does(); }
});

let clock = 0, lastShown = 0;
const tick = now => {
  const seconds = Math.min((now - clock) / 1000, 0.1);
  clock = now;
  if (isPlaying && !hasStopped) {
    frameTimes.push(now); if (N_KEPT < frameTimes.length) frameTimes.shift();
    due += seconds * Number($("speed").value);
    // At most a thirtieth of a second of work: a scene that needs more plays slower.
    const until = performance.now() + 33;
    const isSlow = Number($("speed").value) < 1;
    let hasStepped = false;
    if (isSlow) needsDraw = true;
    while (STEP <= due) {
      before = isSlow ? read("poses").slice() : null;
      if (!makeStep()) break;
      due -= STEP; hasStepped = true;
      if (until < performance.now()) due = Math.min(due, 0);
    }
    if (hasStepped) { look(); needsDraw = true; }
    if (hasStepped && state.held) state.held = ask({ command: "state" }).held;
    if (hasStepped && 100 < now - lastShown) {
      lastShown = now;
      refresh();
    }
  }
  if (needsDraw && !hasStopped) {
    needsDraw = false;
    draw(); showCharts(); showFigures();
  }
  requestAnimationFrame(tick);
};
// What tests read: the state, the pixel of a body, and figures.
globalThis.testbed = {
  camera,
  state: () => ({ ...ask({ command: "state" }), isPlaying, tool, chosen, why, yaw: camera.yaw, distance: camera.distance, hint: $("hint").textContent, isDark: isDark() }),
  pixelOf: body => { const i = rowOf(body), box = canvas.getBoundingClientRect(), [x, y] = renderer.pixelOf([...read("poses").subarray(7 * i, 7 * i + 3)]); return [x + box.left, y + box.top]; },
  placeOf: body => [...read("poses").subarray(7 * rowOf(body), 7 * rowOf(body) + 3)],
  // Makes steps without drawing. Returns the milliseconds of each.
  steps: n => { setPlaying(false); const times = []; for (let i = 0; i < n && makeStep(); i++) times.push(history.step.at(-1)); look(); refresh(); return times; },
  figures: () => ({ step: mean(stepTimes), frames: frameTimes.length < 2 ? 0 : 1000 * (frameTimes.length - 1) / (frameTimes.at(-1) - frameTimes[0]) }),
};

// ---- An address that ends in #scene=arch&steps=60&show=contacts opens the page in that state.
if (wish.has("bare")) document.body.dataset.bare = "yes";
setTool(wish.get("tool") ?? "drag");
showTheme();
for (const id of (wish.get("show") ?? "").split(",").filter(id => ["contacts", "joints", "boxes"].includes(id))) $(id).checked = true;
for (const id of ["colours", "volumes"]) if (wish.has(id)) $(id).value = wish.get(id);
start(wish.get("scene") ?? document.body.dataset.scene, wish.has("count") ? Number(wish.get("count")) : undefined);
$("message").hidden = true;
setPlaying(!wish.has("steps"));
if (wish.has("steps")) testbed.steps(Number(wish.get("steps")) || 0);
requestAnimationFrame(now => { clock = now; tick(now); document.body.dataset.ready = "yes"; });
})();
