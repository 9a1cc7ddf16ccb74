// The list of scenes, and the settings of the one that runs.
// One of the parts of the script of the live page, which share one scope; see live_page.rs.

// ---- Scenes and settings.
const showSlider = (id, value, text) => { const input = $(id); input.value = value; input.parentElement.querySelector("output").textContent = text ?? String(value); };
// Scrolls a list, and nothing around it, so that one of its elements is in view.
const scrollToShow = (list, one) => {
  const around = list.getBoundingClientRect(), box = one.getBoundingClientRect();
  if (box.top < around.top) list.scrollTop -= around.top - box.top;
  if (around.bottom < box.bottom) list.scrollTop += box.bottom - around.bottom;
};
// Shows the settings of the state, which a restart, a saved state or a replay may have changed.
const showSettings = () => {
  showSlider("gravity", state.gravity, state.gravity.toFixed(1));
  showSlider("friction", state.friction ?? 0.5, state.friction?.toFixed(2) ?? "scene's");
  showSlider("restitution", state.restitution ?? 0, state.restitution?.toFixed(2) ?? "scene's");
  showSlider("substeps", state.substeps);
  $("sleeping").checked = state.sleeping;
  $("ccd").checked = state.ccd;
};
// Scenes that begin in slow motion, or with their joints drawn.
const SLOW = { bullets: "0.02" }, JOINTED = ["joints", "trampoline", "crane"];
const start = (name, count) => {
  scene = scenes.find(s => s.name === name) ?? scenes[0];
  shapes = []; version = -1; due = 0; choose([]);
  for (const list of Object.values(history)) list.length = 0;
  forgetTimes();
  quality.expectOther();
  if (!act({ command: "start", scene: scene.name, count })) return;
  $("name").textContent = scene.title + ".";
  $("about-text").textContent = scene.about;
  $("scene").value = scene.name;
  for (const button of $("scenes").querySelectorAll("button")) {
    const isCurrent = button.dataset.scene === scene.name;
    button.setAttribute("aria-current", isCurrent);
    if (isCurrent) scrollToShow($("scenes"), button);
  }
  $("count-row").hidden = scene.most <= scene.usual;
  $("count-of").textContent = $("count-of").title = scene.of;
  $("count").max = scene.most;
  showSlider("count", state.count);
  if (scene.name !== shownScene) {
    home();
    $("speed").value = SLOW[scene.name] ?? "1";
    if (!wish.has("show")) $("joints").checked = JOINTED.includes(scene.name);
  }
  showFlags();
  // The address says what the page shows: its steps are those of the link that opened it.
  const address = new URLSearchParams(location.hash.slice(1));
  address.set("scene", scene.name);
  address.delete("count");
  if (state.count !== scene.usual) address.set("count", state.count);
  if (shownScene) address.delete("steps");
  location.replace("#" + address);
  shownScene = scene.name;
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
for (const id of ["gravity", "friction", "restitution", "substeps"]) {
  $(id).addEventListener("input", () => set(id, Number($(id).value)));
}
for (const id of ["sleeping", "ccd"]) $(id).addEventListener("change", () => set(id, $(id).checked ? 1 : 0));
$("count").addEventListener("input", () => showSlider("count", $("count").value));
$("count").addEventListener("change", () => start(scene.name, Number($("count").value)));
$("broad-phase").addEventListener("change", () => act({ command: "broad-phase", name: $("broad-phase").value }));
const FLAGS = ["contacts", "joints", "boxes", "triangles"];
const showFlags = () => act({
  command: "draw", ...Object.fromEntries(FLAGS.map(id => [id, $(id).checked])),
  volumes: $("volumes").value !== "", islands: $("colours").value === "island",
});
for (const id of [...FLAGS, "volumes", "colours"]) $(id).addEventListener("change", showFlags);
$("save").addEventListener("click", () => act({ command: "save" }) && hint(`Saved at step ${state.steps}.`));
$("load").addEventListener("click", () => {
  if (!act({ command: "load" })) return;
  // A state that was saved during a drag comes back without a pointer that holds.
  if (state.held) userAct({ do: "release" });
  hint(`Back at step ${state.steps}.`);
});
$("record").addEventListener("click", () => act({ command: state.is_recording ? "end-recording" : "record" }));
$("replay").addEventListener("click", () => { if (act({ command: "replay" })) setPlaying(true); });
