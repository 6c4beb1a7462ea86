// Ask: which class, how sure, whether it is any of them, and because of which pictures.
import { by, el, percent, thumbnail } from "./dom.js";
import { attempt, get, post } from "./server.js";
import { onChange, state } from "./store.js";
import { bring, choose, dropZone } from "./bring.js";
import { frame, opened } from "./camera.js";
import { classChoice } from "./card.js";

let file = null; // what was asked about last, so that it can be taught
let stopCamera = null;

const served = () => document.querySelector('input[name="whom"]:checked')?.value === "served";

function showPicture(blob) {
  const image = by("query-picture");
  if (image.src) URL.revokeObjectURL(image.src);
  image.src = URL.createObjectURL(blob);
  image.hidden = false;
  image.alt = "The picture that you ask about";
  by("query-hint").hidden = true;
}

export async function ask(picture) {
  file = picture;
  if (!stopCamera) showPicture(picture);
  const said = await attempt(() => post(served() ? "api/served" : "api/ask", picture));
  if (!said) return;
  state.asking = said.asked ?? null;
  showAnswer(said);
}

export async function askAbout(address) {
  const response = await fetch(address);
  await ask(new File([await response.blob()], "picture.webp"));
}

function bar({ name, probability }, isBest) {
  const meter = el("span.meter", { "aria-hidden": "true" }, el("span"));
  meter.firstChild.style.inlineSize = `${100 * probability}%`;
  return el(isBest ? "li.best" : "li", {}, el("span.name", {}, name), meter, el("span.share", {}, percent(probability)));
}

function teaching(best) {
  const choice = classChoice("Class of this picture", best);
  return el("div.row.teach", {}, choice, el("button", {
    type: "button", onclick: () => file && bring([{ file, to: choice.value }]),
  }, "Teach it"));
}

export function showAnswer(said) {
  const box = by("answer");
  if (!said.ready) {
    box.replaceChildren(el("p.soft", {}, "It cannot answer yet: give two classes a picture or two each."));
    return;
  }
  const [first] = said.classes;
  const verdict = said.stranger
    ? el("p.found.stranger", {}, el("strong", {}, "None of these"), el("span.soft", {}, ` nearest: ${first.name}`))
    : el("p.found", {}, el("strong", {}, first.name), " ", el("span.soft", {}, percent(first.probability)));
  const behind = said.behind.length ? [
    el("h3", {}, "Because of"),
    el("ul.pictures.behind", {}, ...said.behind.map(({ key, share }) => el("li", {},
      el("img", { src: thumbnail(key), alt: `A picture of ${first.name}`, width: 72, height: 72 }), el("span", {}, percent(share))))),
  ] : [];
  box.replaceChildren(verdict, el("ol.bars", {}, ...said.classes.map((one, place) => bar(one, place === 0 && !said.stranger))),
    ...behind, ...(state.order.length ? [teaching(first.name)] : []));
}

async function toggleCamera() {
  const button = by("ask-camera");
  const video = by("query-video");
  if (stopCamera) {
    stopCamera();
    stopCamera = null;
  } else {
    stopCamera = await opened(video);
    if (stopCamera) watch(video);
  }
  const isOn = Boolean(stopCamera);
  button.setAttribute("aria-pressed", isOn);
  // A voice that reads three answers a second helps nobody.
  by("answer").setAttribute("aria-live", isOn ? "off" : "polite");
  video.hidden = !isOn;
  by("query-picture").hidden = isOn || !by("query-picture").src;
  by("query-hint").hidden = isOn || !by("query-picture").hidden;
}

// While the camera is held at something, one question follows the other.
async function watch(video) {
  while (stopCamera) {
    await ask(await frame(video, "camera.jpg"));
    await new Promise((done) => setTimeout(done, 300));
  }
}

async function again() {
  if (!state.asking || served()) return;
  const said = await get(`api/asked/${state.asking}`).catch(() => null);
  if (said) showAnswer(said);
}

export function startAsk() {
  dropZone(by("ask"), (found) => found.length && ask(found[0].file),
    (ours) => {
      const [, key] = state.shelves[ours.class].find(([name]) => name === ours.name) ?? [];
      if (key) askAbout(thumbnail(key));
    });
  by("ask-file").addEventListener("click", () => choose((found) => ask(found[0].file), { several: false }));
  by("ask-camera").addEventListener("click", toggleCamera);
  for (const radio of document.querySelectorAll('input[name="whom"]')) {
    radio.addEventListener("change", () => file && ask(file));
  }
  onChange((what) => {
    if (what.answer) showAnswer(what.answer);
    else if (what === "shelves" || what === "settled" || what === "study") again();
    else if (what === "all") by("whom").hidden = !state.served;
  });
}
