// The state of the page, and the commands that change it.
// One of the parts of the script of the live page, which share one scope; see live_page.rs.

// ---- State of the page.
let scene = scenes[0], state, version = -1, shapes = [], isPlaying = true, tool = "drag", due = 0, needsDraw = true;
// Bodies that were chosen for the question why, by index, and the answer.
let chosen = [], why = null;
let pointer = [0, 0];
const spawnedShapes = ["box", "ball", "capsule", "cylinder", "cone", "hull", "ring"];
const CHART_LENGTH = 240, N_KEPT = 60;
const keep = (list, value) => { list.push(value); if (CHART_LENGTH < list.length) list.shift(); };
const history = { step: [], pairs: [], touching: [] }, frameTimes = [];
// Milliseconds of the last steps, of each of their phases, and of the last drawings.
const times = { step: [], phases: phases.map(() => []), drawing: [] };
const recent = (list, value) => { list.push(value); if (N_KEPT < list.length) list.shift(); };

const theme = new URLSearchParams(location.hash.slice(1)).get("theme");
if (theme) document.documentElement.dataset.theme = theme;
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (document.documentElement.dataset.theme || (prefersDark.matches ? "dark" : "light")) === "dark";
const showTheme = () => { $("theme").textContent = isDark() ? "Light" : "Dark"; needsDraw = true; if (state) showState(); };

// The choice of the picture; see quality.js.
const quality = addPictureChoice($("picture"), renderer, picture => draw(picture), () => { needsDraw = true; });

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
