// What is written on the picture: the caption, the meaning and number of each colour, and the name
// of the body under the pointer.
// One of the parts of the script of the player, which share one scope; see player.rs.

const grouped = n => n.toLocaleString("en");
// A line of the legend. Without a colour it is text alone.
const legendLine = (text, colour) => {
  const line = document.createElement("div");
  if (colour) {
    const swatch = document.createElement("i");
    swatch.style.background = `rgb(${colour})`;
    line.append(swatch);
  }
  line.append(text);
  return line;
};
const colouredByState = () => $("phases").checked;

const captionLines = ({ caption }) => {
  if (!caption) return [];
  const b = document.createElement("b");
  b.textContent = caption;
  return [b];
};
// The names of the two parts of a chosen pair.
const pairLines = () => [...chosen].flatMap((i, k) => 0 <= i ? [legendLine(scene.names[i], pairColours[k])] : []);
const bodyLines = at => {
  if (chosen.size) return pairLines();
  if (!colouredByState()) return [];
  const count = bodyStateNames.map(() => 0);
  for (const i of drawn) count[states[at][i]]++;
  return bodyStateNames.flatMap((name, k) => count[k] && name ? [legendLine(`${grouped(count[k])} ${name}`, stateColour(k, isOnDark()))] : []);
};
const cloudLines = () => clouds.map((c, number) => {
  const skin = isSkinShown() && number === scene.skinned ? `, within ${grouped(nSkinFaces)} faces` : "";
  return legendLine(`${grouped(c.n)} ${c.name}${skin}`, c.colour);
});
// A face state that occurs in any frame is listed in the legend of all frames.
const isListed = faceStateNames.map((_, k) => surfaces.some(s => s.faces.some(f => f.includes(k))));
const faceLines = at => {
  if (!colouredByState()) return [];
  const count = faceStateNames.map(() => 0);
  for (const s of surfaces) for (const state of s.faces[at]) count[state]++;
  return faceStateNames.flatMap((name, k) => isListed[k] ? [legendLine(`${grouped(count[k])} ${name}`, faceColours[k])] : []);
};
const contactLines = ({ nContacts, contacts }) => {
  const kept = contacts[1] / 6;
  return $("contacts").checked && kept < nContacts ? [legendLine(`${grouped(kept)} of ${grouped(nContacts)} contacts shown`)] : [];
};
const lineLines = ({ lines }) => !$("lines").checked ? [] : lineColours.flatMap((colour, kind) => {
  const n = lines[kind][1] / 12;
  return n ? [legendLine(`${grouped(n)} ${lineNames[kind]}`, colour)] : [];
});
const treeLines = ({ levels, nLevels }) => {
  if (!$("tree").checked) return [];
  const lines = levels.flatMap(([, length], depth) => {
    if (!isLevelShown(depth)) return [];
    const n = length / 12;
    return [legendLine(`tree level ${depth + 1}: ${grouped(n)} ${n === 1 ? "box" : "boxes"}`, levelColours[depth % levelColours.length])];
  });
  if (!nLevels) lines.push(legendLine("no tree in this frame"));
  else if (levels.length < nLevels) lines.push(legendLine(`levels 1 to ${levels.length} of ${nLevels} recorded`));
  return lines;
};
const drawLegend = () => {
  const at = frameAt(), frame = scene.frames[at];
  $("legend").replaceChildren(...captionLines(frame), ...bodyLines(at), ...cloudLines(), ...faceLines(at),
    ...contactLines(frame), ...lineLines(frame), ...treeLines(frame));
  $("legend").hidden = !$("legend").children.length;
};

// The body under the pointer, or -1.
let hovered = -1;
const drawHovered = () => {
  if (hovered < 0) { $("under").textContent = ""; return; }
  const name = scene.names[hovered] || `${scene.shapes[bodies[hovered]].kind} ${hovered}`;
  $("under").textContent = `${name}: ${bodyStateNames[states[frameAt()][hovered]]}`;
};
