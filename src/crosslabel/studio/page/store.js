// What the page knows of the studio: one value, brought up to date by news, whoever caused them.
import { attempt, get, post } from "./server.js";
import { say } from "./says.js";

export const state = {
  version: -1, order: [], shelves: {}, unreadable: new Set(), undo: null, redo: null, waiting: 0,
  asking: null, folder: "", served: null, sight: "",
};

const listeners = new Set();
export const onChange = (listener) => listeners.add(listener);
const spread = (what) => { for (const listener of listeners) listener(what); };

export async function open() {
  const found = await attempt(() => get("api/state"));
  if (!found) return;
  state.shelves = {};
  take(found);
  Object.assign(state, { folder: found.folder, served: found.served, sight: found.sight });
  spread("all");
}

function take(news) {
  const kept = {};
  for (const name of ["", ...news.order]) kept[name] = news.shelves[name] ?? state.shelves[name] ?? [];
  state.shelves = kept;
  state.order = news.order;
  state.unreadable = new Set(news.unreadable);
  for (const name of ["version", "undo", "redo", "waiting"]) state[name] = news[name];
}

// News follow each other by number; where one is missing, everything is asked for anew.
export function apply(news) {
  if (news.version <= state.version) return;
  if (news.version > state.version + 1) { open(); return; }
  const renamed = news.order.some((name) => !(name in state.shelves) && !(name in news.shelves));
  if (renamed) { open(); return; }
  take(news);
  spread("shelves");
}

export async function change(request, { quiet = false } = {}) {
  const said = await attempt(() => post("api/change", { ...request, asking: state.asking }));
  if (!said) return null;
  apply(said);
  if (said.answer) spread({ answer: said.answer });
  if (!quiet) say(`${said.what}.`, { action: { name: "Undo", act: undo } });
  return said;
}

async function again(address) {
  const said = await attempt(() => post(address, { asking: state.asking }));
  if (!said) return;
  apply(said);
  if (said.answer) spread({ answer: said.answer });
  say(`${said.what}.`);
}

export const undo = () => again("api/undo");
export const redo = () => again("api/redo");

export function listen() {
  const source = new EventSource("api/events");
  let lost = false;
  source.onopen = () => { if (lost) open(); lost = false; };
  source.onerror = () => { lost = true; spread("lost"); };
  source.onmessage = (message) => {
    const said = JSON.parse(message.data);
    if (said.event === "changed") apply(said);
    else if (said.event === "looking") { state.waiting = said.left; spread("looking"); }
    else spread(said.event);
  };
}
