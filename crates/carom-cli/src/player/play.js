// Playing: draws again if something has changed. The address that the page is opened with.
// One of the parts of the script of the player, which share one scope; see player.rs.

// The moment of the last tick, in milliseconds.
let clock = 0;
const tick = now => {
  const seconds = Math.min((now - clock) / 1000, 0.1);
  clock = now;
  if (isPlaying) {
    setTime(time + seconds * Number($("speed").value) / scene.secondsPerFrame);
    if (nFrames - 1 <= time) setPlaying(false);
  }
  quality.note(now, needsDraw, 0);
  if (needsDraw) {
    needsDraw = false;
    draw(); drawCharts(); drawLegend(); showTime(); drawHovered();
    $("level").hidden = !$("tree").checked;
    document.body.dataset.state = "drawn";
  }
  requestAnimationFrame(tick);
};
if (scene.view) $("speed").value = String(scene.view.speed);
// An address that ends in #frame=12&show=contacts,boxes&play=1 opens the page in that state;
// #pair=1 chooses the first row of the table.
const wish = new URLSearchParams(location.hash.slice(1));
const shownFirst = wish.has("show") ? wish.get("show").split(",") : scene.shown;
for (const id of ["contacts", "lines", "boxes", "tree", "skin"]) if (shownFirst.includes(id)) $(id).checked = true;
if (shownFirst.includes("bodies")) $("phases").checked = false;
quality.show(wish.get("picture"));
if (wish.has("level")) $("level").value = String(Number(wish.get("level")) - 1);
if (wish.has("pair")) choose(Number(wish.get("pair")) - 1);
if (wish.has("frame")) setTime(Number(wish.get("frame")) || 0);
$("message").hidden = true;
if (!wish.has("frame") || wish.has("play")) setPlaying(true);
requestAnimationFrame(now => { clock = now; tick(now); });
