// What a pointer does: drag, shoot, add, ask why; and files that are dropped.
// One of the parts of the script of the live page, which share one scope; see live_page.rs.

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
  if (hit.body === null) { hint("Cloth and particles have no answer. Click a rigid body."); return; }
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
  let bytes;
  // A folder is among the dropped files, and has no bytes.
  try { bytes = new Uint8Array(await file.arrayBuffer()); } catch { hint(`${file.name} is a folder, or cannot be read. Drop the mesh file itself.`); return; }
  const name = new TextEncoder().encode(file.name), both = new Uint8Array(name.length + bytes.length);
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
  const files = [...e.dataTransfer.files];
  if (!files.length) hint("Nothing was added: drop a mesh file.");
  for (const file of files) await addFile(file, e.clientX - box.left, e.clientY - box.top);
});
$("open").addEventListener("click", () => $("file").click());
$("file").addEventListener("change", async () => {
  for (const file of $("file").files) await addFile(file, canvas.clientWidth / 2, canvas.clientHeight / 2);
  $("file").value = "";
});
