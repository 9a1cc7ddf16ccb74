// The controls: buttons, keys, pointer. Controls of what the recording does not have are hidden.
// One of the parts of the script of the player, which share one scope; see player.rs.

$("play").addEventListener("click", () => setPlaying(!isPlaying));
$("back").addEventListener("click", () => step(-1));
$("forth").addEventListener("click", () => step(1));
$("scrub").max = nFrames - 1;
$("scrub").addEventListener("input", () => { setPlaying(false); setTime(Number($("scrub").value)); });
$("home").addEventListener("click", () => { home(); needsDraw = true; });
for (const id of ["alone", "phases", "contacts", "lines", "boxes", "tree", "level", "skin"]) $(id).addEventListener("change", () => { needsDraw = true; });
addEventListener("keydown", e => {
  if (e.target.tagName === "SELECT" || e.ctrlKey || e.metaKey || e.altKey) return;
  const act = { " ": () => setPlaying(!isPlaying), ArrowLeft: () => step(-1), ArrowRight: () => step(1),
    c: () => $("contacts").click(), j: () => $("lines").click(), b: () => $("boxes").click(), t: () => $("tree").click(), Home: () => setTime(0), End: () => setTime(nFrames - 1) }[e.key];
  if (act) { e.preventDefault(); act(); }
});
addEventListener("resize", () => { needsDraw = true; });
prefersDark.addEventListener("change", () => { needsDraw = true; });
renderer.control({
  hover: (x, y) => { hovered = renderer.bodyUnder(x, y); drawHovered(); },
  changed: () => { needsDraw = true; },
});

const nLevels = Math.max(0, ...scene.frames.map(f => f.levels.length));
$("level").append(new Option("all levels", "all"), ...Array.from({ length: nLevels }, (_, k) => new Option(`level ${k + 1}`, k)));
const showIf = (id, isThere) => { $(id).hidden = !isThere; };
showIf("playback", 1 < nFrames);
showIf("lone", hasPairs);
showIf("trees", nLevels);
showIf("strokes", scene.frames.some(f => f.lines.some(([, n]) => n)));
showIf("touches", scene.frames.some(f => f.nContacts));
showIf("skins", scene.skinned !== null);
if (scene.lineNames.length) $("lines").nextSibling.textContent = "lines";
if (surfaces.length) $("phases").nextSibling.textContent = "colour what touches";

// The line beside the title: what the recording has.
const counted = (n, one, many) => n ? [`${grouped(n)} ${n === 1 ? one : many}`] : [];
const sumOf = (list, key) => list.reduce((sum, x) => sum + x[key], 0);
const isOfParts = 0 < scene.names.length;
$("summary").textContent = [
  ...counted(sumOf(clouds, "n"), "particle", "particles"), ...counted(sumOf(surfaces, "nFaces"), "moving face", "moving faces"),
  ...counted(drawn.length, isOfParts ? "part" : "body", isOfParts ? "parts" : "bodies"),
  ...(1 < nFrames ? [`${nFrames} frames recorded`, `${(scene.secondsPerFrame * (nFrames - 1)).toFixed(1)} s`] : []),
].join(", ");
const showTime = () => {
  const at = frameAt();
  $("scrub").value = at;
  $("time").textContent = `${(time * scene.secondsPerFrame).toFixed(2)} s, frame ${at + 1} of ${nFrames}`;
};
