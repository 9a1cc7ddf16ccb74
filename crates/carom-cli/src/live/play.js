// Playing: steps, keys, frames; what tests read; the address that the page is opened with.
// One of the parts of the script of the live page, which share one scope; see live_page.rs.

// ---- Playing.
const setPlaying = on => { isPlaying = on; due = 0; before = null; frameTimes.length = 0; quality.rest(); $("play").textContent = on ? "Pause" : "Play"; document.body.dataset.state = on ? "playing" : "paused"; };
const makeStep = () => {
  const from = performance.now(), failed = guarded(() => exported.carom_step());
  const ms = performance.now() - from;
  if (failed) {
    if (!failed.error) hint(answerOf(failed).error);
    setPlaying(false);
    return false;
  }
  keep(history.step, ms);
  noteTimes(ms);
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
prefersDark.addEventListener("change", showTheme);
addEventListener("resize", () => { needsDraw = true; });
addEventListener("keydown", e => {
  if (["SELECT", "TEXTAREA"].includes(e.target.tagName) || e.target.type === "range" || e.ctrlKey || e.metaKey || e.altKey || $("keys").open) return;
  const click = id => () => $(id).click(), tools = { 1: "drag", 2: "shoot", 3: "spawn", 4: "why" };
  const key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
  const does = { " ": click("play"), ArrowRight: oneStep, r: restart, Home: home, n: () => nextScene(1), p: () => nextScene(-1), t: click("theme"), "?": click("help"), h: click("help"),
    f: () => shoot(...pointer), g: () => spawn(...pointer), s: click("save"), l: click("load"), c: click("contacts"), j: click("joints"), b: click("boxes"), m: click("triangles"), Escape: () => choose([]) }[key]
    ?? (tools[key] && (() => setTool(tools[key])));
  if (does) { e.preventDefault(); does(); }
});

const frameRate = () => frameTimes.length < 2 ? 0 : 1000 * (frameTimes.length - 1) / (frameTimes.at(-1) - frameTimes[0]);
let clock = 0, lastShown = 0, lastCharted = 0;
const tick = now => {
  const seconds = Math.min((now - clock) / 1000, 0.1);
  clock = now;
  if (isPlaying && !hasStopped) {
    recent(frameTimes, now);
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
  quality.note(now, needsDraw && !hasStopped, isPlaying ? mean(times.step) : 0);
  if (needsDraw && !hasStopped) {
    needsDraw = false;
    const from = performance.now();
    draw();
    recent(times.drawing, performance.now() - from);
    // Ten times a second is often enough for what is read, and spares a page that is drawn without
    // a graphics processor.
    if (!isPlaying || 100 < now - lastCharted) { lastCharted = now; showCharts(); showFigures(); }
  }
  requestAnimationFrame(tick);
};
// What tests read: the state, the pixel of a body, and figures.
globalThis.testbed = {
  camera,
  state: () => ({ ...ask({ command: "state" }), isPlaying, tool, chosen, why, yaw: camera.yaw, distance: camera.distance, hint: $("hint").textContent, isDark: isDark(), picture: renderer.picture.name, pictureWish: quality.wish }),
  pixelOf: body => { const i = rowOf(body), box = canvas.getBoundingClientRect(), [x, y] = renderer.pixelOf([...read("poses").subarray(7 * i, 7 * i + 3)]); return [x + box.left, y + box.top]; },
  // The pixel of a point of the world, and what is drawn besides bodies.
  pixelAt: point => { const box = canvas.getBoundingClientRect(), [x, y] = renderer.pixelOf(point); return [x + box.left, y + box.top]; },
  sheets: () => read("sheets"), particles: () => read("particles"), triangles: () => read("triangles"),
  // The canvas with the picture.
  shown: () => renderer.shown(),
  placeOf: body => [...read("poses").subarray(7 * rowOf(body), 7 * rowOf(body) + 3)],
  // Makes steps without drawing. Returns the milliseconds of each.
  steps: n => { setPlaying(false); const times = []; for (let i = 0; i < n && makeStep(); i++) times.push(history.step.at(-1)); look(); refresh(); return times; },
  // Draws n pictures. Returns the milliseconds of each until the graphics processor has drawn it.
  pictures: n => Array.from({ length: n }, () => { const from = performance.now(); draw(); renderer.finish(); return performance.now() - from; }),
  figures: () => ({ step: mean(times.step), draw: mean(times.drawing), phases: times.phases.map(mean), frames: frameRate(), picture: renderer.picture.name }),
};

// ---- An address that ends in #scene=arch&steps=60&show=contacts opens the page in that state.
if (wish.has("bare")) document.body.dataset.bare = "yes";
quality.show(wish.get("picture"));
setTool(wish.get("tool") ?? "drag");
showTheme();
for (const id of (wish.get("show") ?? "").split(",").filter(id => FLAGS.includes(id))) $(id).checked = true;
for (const id of ["colours", "volumes"]) if (wish.has(id)) $(id).value = wish.get(id);
const wishedCount = Math.floor(Number(wish.get("count")));
start(wish.get("scene") ?? document.body.dataset.scene, 0 < wishedCount ? Math.min(wishedCount, 1e6) : undefined);
$("message").hidden = true;
setPlaying(!wish.has("steps"));
if (wish.has("steps")) testbed.steps(Number(wish.get("steps")) || 0);
requestAnimationFrame(now => { clock = now; tick(now); document.body.dataset.ready = "yes"; });
