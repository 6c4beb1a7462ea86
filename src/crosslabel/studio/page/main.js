// The page starts here: views, keys, paste, and the line that says how things stand.
import { by, pictures } from "./dom.js";
import { listen, onChange, open, redo, state, undo } from "./store.js";
import { startShelves } from "./shelves.js";
import { ask, startAsk } from "./ask.js";
import { bring, onShelf, pasted } from "./bring.js";
import { startDoubts } from "./doubts.js";
import { startMeasure } from "./measure.js";
import { startTake } from "./take.js";

const VIEWS = ["teach", "doubts", "measure", "take"];

function showView(focus = true) {
  const wanted = VIEWS.includes(location.hash.slice(1)) ? location.hash.slice(1) : "teach";
  document.body.dataset.view = wanted;
  for (const view of document.querySelectorAll(".view")) view.hidden = view.id !== wanted;
  for (const link of document.querySelectorAll(".views a")) {
    if (link.hash === `#${wanted}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (focus) { by("main").focus({ preventScroll: true }); scrollTo(0, 0); }
}

function showStatus(what) {
  const all = state.order.reduce((sum, name) => sum + state.shelves[name].length, 0);
  const classes = state.order.length === 1 ? "1 class" : `${state.order.length} classes`;
  const looking = state.waiting ? ` · looking at ${state.waiting} more` : "";
  by("status").textContent = what === "lost" ? "The studio does not answer; trying again …" : `${classes}, ${pictures(all)}${looking}`;
  by("title").textContent = state.folder.split(/[\\/]/).filter(Boolean).pop() ?? "Studio";
  document.title = `${by("title").textContent} · crosslabel studio`;
  for (const [name, last] of [["undo", state.undo], ["redo", state.redo]]) {
    by(name).disabled = !last;
    by(name).title = last ?? "";
  }
}

const isTyping = (place) => place.matches?.("input:not([type=radio]), textarea, select");

function onKey(event) {
  if (isTyping(event.target) || !(event.ctrlKey || event.metaKey)) return;
  const key = event.key.toLowerCase();
  if (key === "z" || key === "y") {
    event.preventDefault();
    if (key === "y" || event.shiftKey) redo();
    else undo();
  }
}

// A pasted picture goes to the shelf with the focus or under the pointer; else it is asked about.
let pointed = null;
function onPaste(event) {
  const found = pasted(event);
  if (!found.length || isTyping(event.target)) return;
  event.preventDefault();
  const shelf = document.activeElement.closest?.(".shelf") ?? (pointed?.isConnected ? pointed : null);
  if (shelf) bring(onShelf(found.map((file) => ({ file })), shelf.dataset.class));
  else ask(found[0]);
}

startShelves();
startAsk();
startDoubts();
startMeasure();
startTake();
onChange(showStatus);
by("undo").addEventListener("click", undo);
by("redo").addEventListener("click", redo);
addEventListener("hashchange", () => showView());
addEventListener("keydown", onKey);
addEventListener("paste", onPaste);
addEventListener("pointerover", (event) => { pointed = event.target.closest?.(".shelf") ?? null; });
// A picture dropped beside a shelf must not replace the page.
for (const kind of ["dragover", "drop"]) addEventListener(kind, (event) => event.preventDefault());
showView(false);
await open();
listen();
document.documentElement.dataset.ready = "";
