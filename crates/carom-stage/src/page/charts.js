// Charts of carom's pages: lines over frames on a canvas, and numbers in a short form.
"use strict";
const chartColours = ["#3b82d6", "#e08a34", "#2fa36b", "#b45fd0"];
const shown = x => {
  const a = Math.abs(x);
  return Number.isInteger(x) && a < 1e12 ? x.toLocaleString("en") : 1e6 <= a || a < 1e-3 ? x.toExponential(2) : 1000 <= a ? Math.round(x).toLocaleString("en") : x.toPrecision(3);
};
// A short form, because there is little room above a chart.
const brief = x => 1e-3 <= Math.abs(x) && Math.abs(x) < 1 ? x.toFixed(3) : shown(x);
// Draws lines of `values`, each in its `colour`; `at` is the marked frame, or -1.
const drawChart = (plot, lines, at) => {
  const style = getComputedStyle(document.documentElement), soft = style.getPropertyValue("--line"), ink = style.getPropertyValue("--soft");
  const n = Math.max(0, ...lines.map(l => l.values.length));
  const ratio = Math.min(devicePixelRatio || 1, 2), w = Math.round(plot.clientWidth * ratio), h = Math.round(plot.clientHeight * ratio);
  if (plot.width !== w || plot.height !== h) { plot.width = w; plot.height = h; }
  const c = plot.getContext("2d");
  c.clearRect(0, 0, w, h);
  let top = -Infinity, bottom = 0;
  for (const l of lines) for (const v of l.values) { top = Math.max(top, v); bottom = Math.min(bottom, v); }
  if (!(bottom < top)) top = bottom + 1;
  const x = i => (n < 2 ? 0 : i / (n - 1)) * (w - 2) + 1, y = v => h - 4 - (v - bottom) / (top - bottom) * (h - 18 * ratio);
  c.strokeStyle = soft; c.lineWidth = 1;
  c.beginPath(); c.moveTo(0, y(0)); c.lineTo(w, y(0)); c.moveTo(0, y(top)); c.lineTo(w, y(top)); c.stroke();
  c.fillStyle = ink; c.font = 10 * ratio + "px system-ui, sans-serif"; c.textBaseline = "bottom";
  if (n) c.fillText(shown(top), 2, y(top) - 1);
  for (const l of lines) {
    c.strokeStyle = l.colour; c.lineWidth = 1.5 * ratio; c.lineJoin = "round";
    c.beginPath(); l.values.forEach((v, i) => i ? c.lineTo(x(i), y(v)) : c.moveTo(x(i), y(v))); c.stroke();
  }
  if (at < 0) return;
  c.strokeStyle = ink; c.lineWidth = ratio;
  c.beginPath(); c.moveTo(x(at), 0); c.lineTo(x(at), h); c.stroke();
};
