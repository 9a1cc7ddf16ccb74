// What is written and plotted: counters, legend, charts, the profile, why two bodies touch.
// One of the parts of the script of the live page, which share one scope; see live_page.rs.

// ---- Panels.
const mean = list => list.length ? list.reduce((sum, x) => sum + x, 0) / list.length : 0;
const stateNames = ["static or kinematic", "asleep", "awake, touching nothing", "in contact", "characters"];
const showState = () => {
  $("hash").textContent = state.hash;
  $("counters").replaceChildren(...Object.entries(state.counters).filter(([name, n]) => n || !["swept", "joints", "particles"].includes(name)).map(([name, n]) =>
    element("tr", undefined, [element("td", name), element("td", n.toLocaleString("en"))])));
  const counts = stateNames.map(() => 0);
  for (const s of read("states")) counts[s]++;
  showProfile();
  showLegend();
  $("legend").replaceChildren(...stateNames.flatMap((name, k) => {
    if (!counts[k]) return [];
    const i = element("i"); i.style.background = `rgb(${stateColour(k, isDark())})`;
    return [element("div", undefined, [i, `${counts[k].toLocaleString("en")} ${name}`])];
  }));
  $("load").disabled = !state.has_saved;
  showSettings();
  $("replay").disabled = !state.has_recording || state.is_recording;
  $("record").textContent = state.is_recording ? "Stop recording" : "Record";
  $("record").setAttribute("aria-pressed", state.is_recording);
  $("kept").textContent = { running: "Replaying ...", same: "The replay ended with the same bits.", different: "The replay ended with other bits." }[state.replay]
    ?? (state.is_recording ? "Recording what you do ..." : "");
  if (chosen.length === 2) explain();
};
// The legend is of states. While bodies are chosen, all others are grey.
const showLegend = () => { $("legend").hidden = $("colours").value !== "state" || 0 < chosen.length; };
const showFigures = () => {
  const rate = frameRate();
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
// ---- The profile: mean times of the last steps, as bars.
const forgetTimes = () => { for (const list of [times.step, ...times.phases, times.drawing]) list.length = 0; };
// Notes the times of a step that took `ms` with all that acts before and after it.
const noteTimes = ms => {
  const now = read("times");
  recent(times.step, ms);
  now.forEach((time, k) => recent(times.phases[k], time));
};
const FRAME_MS = 1000 / 60;
const profileRow = (name, about, className) => {
  const bar = element("i"), value = element("td");
  const row = element("tr", undefined, [element("td", name), element("td", undefined, [bar]), value]);
  row.title = about;
  row.className = className;
  return { row, show: (ms, part) => { bar.style.width = `${(100 * Math.min(1, part)).toFixed(1)}%`; value.textContent = ms.toFixed(2); } };
};
const wholeStep = profileRow("step", "a whole step; a full bar is the sixtieth of a second that a frame has", "whole");
const phaseRows = [...phases, ["other", "what acts between steps: characters, cars, cranes, a drag"]].map(([name, about]) => profileRow(name, about, "phase"));
const drawing = profileRow("drawing", "preparing a picture for the graphics processor; a full bar is the sixtieth of a second that a frame has", "whole");
$("profile").append(wholeStep.row, ...phaseRows.map(line => line.row), drawing.row);
const showProfile = () => {
  const step = mean(times.step);
  wholeStep.show(step, step / FRAME_MS);
  const means = times.phases.map(mean);
  // Clocks of browsers are coarse, so a single step may seem shorter than its phases.
  const other = Math.max(0, step - means.reduce((sum, ms) => sum + ms, 0));
  [...means, other].forEach((ms, k) => {
    phaseRows[k].show(ms, step ? ms / step : 0);
    phaseRows[k].row.hidden = !ms;
  });
  const ms = mean(times.drawing);
  drawing.show(ms, ms / FRAME_MS);
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
    if (rows.length < why.contacts.length) parts.push(element("p", `The ${rows.length} deepest of ${why.contacts.length} contacts.`));
  }
  parts.push(element("p", "Cost of the test: " + (Object.entries(why.cost).map(([name, n]) => `${name} ${n}`).join(", ") || "a closed form") + "."));
  $("answer").replaceChildren(...parts);
  $("answer").hidden = false;
};
const choose = bodies => {
  chosen = bodies; why = null;
  $("answer").hidden = true;
  showLegend();
  if (bodies.length === 2) explain();
  $("hint").textContent = toolHint();
  needsDraw = true;
};
