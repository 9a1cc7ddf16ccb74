// The moment that is shown, in frames; play, pause and step.
// One of the parts of the script of the player, which share one scope; see player.rs.

let time = 0, isPlaying = false, needsDraw = true;
// The recorded frame that is nearest to the moment.
const frameAt = () => Math.min(Math.round(time), nFrames - 1);
const setTime = t => { time = Math.max(0, Math.min(nFrames - 1, t)); needsDraw = true; };
const setPlaying = on => {
  isPlaying = on && 1 < nFrames;
  if (isPlaying && nFrames - 1 <= time) time = 0;
  $("play").textContent = isPlaying ? "Pause" : "Play";
};
const step = by => { setPlaying(false); setTime(Math.round(time) + by); };
