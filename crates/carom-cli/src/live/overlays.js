// What is drawn over the bodies: contacts, joints, boxes, levels of the broad phase, triangles.
// One of the parts of the script of the live page, which share one scope; see live_page.rs.

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
const drawnVolumes = () => {
  const rows = read("volumes"), levels = [], wished = $("volumes").value;
  for (let i = 0; i < rows.length; i += 7) {
    const { low, high } = levels[rows[i + 6]] ??= { low: [], high: [] };
    low.push(...rows.subarray(i, i + 3)); high.push(...rows.subarray(i + 3, i + 6));
  }
  while ($("volumes").length < levels.length + 2) $("volumes").append(new Option(`level ${$("volumes").length - 1}`, $("volumes").length - 2));
  return levels.flatMap(({ low, high }, level) => wished !== "all" && Number(wished) !== level ? [] : [{
    low: Float32Array.from(low), high: Float32Array.from(high),
    colour: levelColour(level),
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
// Triangles of meshes and height fields that contacts of the step were found with.
const drawnTriangles = () => $("triangles").checked ? [{ corners: read("triangles"), colour: isDark() ? [0.2, 0.95, 0.95] : [0, 0.35, 0.75] }] : [];
// Draws with one of the renderer's pictures; without one, with that of the moment.
const draw = picture => {
  place();
  renderer.draw({ isDark: isDark(), sunX: Math.sin(camera.yaw) < 0 ? -0.9 : 0.45, boxes: [...drawnBoxes(), ...drawnVolumes()], marks: drawnTriangles(), lines: drawnLines(), dots: drawnDots() }, picture);
};
