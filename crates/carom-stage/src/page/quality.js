// The choice of the picture: the first and most beautiful one that the browser draws fast enough, or
// the one that the user chose.
//
// - The third picture of a page is measured. If it is far too slow, the flat picture follows at once.
// - A page that shows too few frames measures a picture. If drawing is what is slow, the next
//   faster picture is taken, and the flat one at once if this one is very slow.
// - A page that shows enough frames tries the next more beautiful picture after a while, unseen:
//   WebGL draws behind the cover of the flat picture. It is taken if it is fast enough. If not, the
//   wait for the next try doubles, so pictures do not alternate.
// - Nothing is measured while a page rests: a still picture is not slow.

const SECOND = 1000, FRAME = SECOND / 60;
// Fewer frames a second than this are too few.
const ENOUGH_FRAMES = 45;
// A rate is that of so many frames, over at least this time.
const MIN_FRAMES = 4, MIN_TIME = 0.3 * SECOND;
// A page that has drawn nothing for so long rests.
const IDLE = 0.1 * SECOND;
// A picture that takes longer than this many frames is replaced by the flat one; the first that is
// measured, if it takes longer than the second number. Shaders are compiled for the first picture.
const VERY_SLOW = 2, FAR_TOO_SLOW = 5, FIRST_MEASURED = 3;
// A picture that takes less than this part of the time between two frames is not what is slow. None
// is measured again before this time has passed: the first pictures of a kind are slower.
const SLOW_PART = 0.25, CHECK_WAIT = 2 * SECOND;
// A picture that takes less than this part of a frame, together with a step, is fast enough.
const SURE = 0.7;
// The waits for the first try of a more beautiful picture, and for the last.
const FIRST_WAIT = 4 * SECOND, LONGEST_WAIT = 120 * SECOND;
const AUTOMATIC = "automatic";

// Returns the choice for a renderer. `measure` draws with a picture, waits until it is drawn, and
// returns the milliseconds; `changed` is called when another picture is taken.
const makeQuality = (renderer, { measure, changed }) => {
  const { pictures } = renderer, quality = { wish: AUTOMATIC };
  let times = [], wait = FIRST_WAIT, nextTry = Infinity, nextCheck = 0, isNew = true;
  const take = picture => {
    if (picture === renderer.picture) return;
    renderer.picture = picture;
    times = [];
    changed();
  };
  // The frames a second of late; 0 if there are too few to say.
  quality.rate = () => {
    const time = times.at(-1) - times[0];
    return MIN_FRAMES <= times.length && MIN_TIME <= time ? SECOND * (times.length - 1) / time : 0;
  };
  // Begins anew, as after a pause: the time between two frames says nothing then.
  quality.rest = () => { times = []; nextTry = Infinity; nextCheck = 0; };
  // Another scene may be faster to draw.
  quality.expectOther = () => { quality.rest(); wait = FIRST_WAIT; };
  // Takes a picture by its name, or the best one that is fast enough. Returns whether there is one.
  quality.choose = name => {
    const picture = pictures.find(p => p.name === name);
    if (!picture && name !== AUTOMATIC) return false;
    quality.wish = name;
    if (picture) take(picture);
    quality.expectOther();
    return true;
  };
  // Notes what a page did at `now`: whether it draws, and how many milliseconds of each frame other
  // work takes, such as a step.
  quality.note = (now, isDrawn, busy) => {
    if (!isDrawn) { if (IDLE < now - times.at(-1)) quality.rest(); return; }
    times.push(now);
    while (2 * MIN_FRAMES < times.length && SECOND < now - times[0]) times.shift();
    if (quality.wish !== AUTOMATIC) return;
    if (isNew && times.length === FIRST_MEASURED) judgeFirst(now);
    const rate = quality.rate();
    if (!rate) return;
    if (nextTry === Infinity) nextTry = now + wait;
    if (rate < ENOUGH_FRAMES) goDown(now, rate, busy); else if (nextTry <= now) goUp(now, busy);
  };
  // The slower a picture was, the longer it is not tried again.
  const delay = (now, ms) => {
    wait = Math.min(Math.max(2 * wait, FIRST_WAIT * ms / FRAME), LONGEST_WAIT);
    nextTry = now + wait;
  };
  const judgeFirst = now => {
    isNew = false;
    if (renderer.picture.isFlat) return;
    const ms = measure(renderer.picture);
    times = [];
    if (ms < FAR_TOO_SLOW * FRAME) return;
    nextCheck = now + CHECK_WAIT;
    take(pictures.find(p => p.isFlat));
    delay(now, ms);
  };
  const goDown = (now, rate, busy) => {
    const at = pictures.indexOf(renderer.picture), next = pictures[at + 1];
    if (!next || now < nextCheck) return;
    nextCheck = now + CHECK_WAIT;
    const ms = measure(renderer.picture);
    times = [];
    if (ms < SLOW_PART * SECOND / rate || ms + busy < SURE * FRAME) return;
    take(VERY_SLOW * FRAME < ms && !next.isFlat ? pictures.find(p => p.isFlat) : next);
    delay(now, ms);
  };
  const goUp = (now, busy) => {
    const better = pictures[pictures.indexOf(renderer.picture) - 1];
    if (!better) return;
    const ms = measure(better);
    times = [];
    delay(now, ms);
    if (ms + busy < SURE * FRAME) take(better);
  };
  return quality;
};
// Fills a list with the pictures of a renderer, and returns the choice between them. `draw` draws with
// a picture; `changed` is called when another picture is taken. `quality.show` chooses a picture by
// its name, as a user does in the list.
const addPictureChoice = (select, renderer, draw, changed) => {
  const measure = picture => { const from = performance.now(); draw(picture); renderer.finish(); return performance.now() - from; };
  const quality = makeQuality(renderer, { measure, changed });
  const of = (name, about) => Object.assign(new Option(name, name), { title: about });
  select.append(of(AUTOMATIC, "the best one that is fast enough"), ...renderer.pictures.map(p => of(p.name, p.about)));
  select.addEventListener("change", () => quality.choose(select.value));
  quality.show = name => { if (quality.choose(name)) select.value = name; };
  return quality;
};
