// The table of pairs under the picture, and the notes below it. A click on a row puts the camera on
// the place of the pair.
// One of the parts of the script of the player, which share one scope; see player.rs.

// The indices of the chosen two parts, and their place; without a chosen pair, none.
const hasPairs = scene.table?.points !== undefined;
let chosen = new Set(), chosenPoint = null;
renderer.isHidden = i => 0 < chosen.size && $("alone").checked && !chosen.has(i);
// Chooses the pair of a row; the row that is chosen already is given up. In a table without points
// no row is a pair.
let choose = () => {};
if (scene.table) {
  const numbers = new Map(scene.names.map((name, i) => [name, i]));
  const table = document.createElement("table"), head = table.createTHead().insertRow(), body = table.createTBody();
  for (const c of scene.table.columns) { const th = document.createElement("th"); th.textContent = c; head.append(th); }
  if (hasPairs) choose = at => {
    const tr = body.rows[at], isGivenUp = !tr || tr.classList.contains("chosen");
    for (const other of body.rows) other.classList.remove("chosen");
    const pair = isGivenUp ? [] : scene.table.rows[at].slice(0, 2).map(name => numbers.get(name) ?? -1);
    chosen = new Set(pair);
    chosenPoint = isGivenUp ? null : scene.table.points[at];
    if (!isGivenUp) { tr.classList.add("chosen"); lookAt(pair, chosenPoint); }
    needsDraw = true;
  };
  scene.table.rows.forEach((row, at) => {
    const tr = body.insertRow();
    for (const cell of row) tr.insertCell().textContent = typeof cell === "number" ? shown(cell) : String(cell);
    if (hasPairs) tr.addEventListener("click", () => { choose(at); scrollTo(0, 0); });
  });
  if (hasPairs) table.className = "pairs";
  $("table").append(table);
}
for (const note of scene.notes) { const p = document.createElement("p"); p.textContent = note; $("notes").append(p); }
