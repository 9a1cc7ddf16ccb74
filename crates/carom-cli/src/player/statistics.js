// The charts under the picture: a click or a drag on one goes to that frame.
// One of the parts of the script of the player, which share one scope; see player.rs.

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
