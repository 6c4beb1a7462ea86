// Doubts: pictures that a model without them takes for another class; and pictures without a class.
import { by, el, percent, thumbnail, update } from "./dom.js";
import { attempt, get } from "./server.js";
import { change, onChange, state } from "./store.js";
import { classChoice, openCard } from "./card.js";

const place = (key, shelf) => {
  const found = (state.shelves[shelf] ?? []).find((one) => one[1] === key);
  return found && { class: shelf, name: found[0] };
};

function doubt(one) {
  const act = (request) => async () => {
    const where = place(one.key, one.class);
    if (where) await change({ ...request, pictures: [where] });
  };
  return el("li.case", {},
    el("img", { src: thumbnail(one.key), alt: `A picture on the shelf ${one.class}`, width: 120, height: 120 }),
    el("div", {},
      el("p", {}, "On the shelf ", el("strong", {}, one.class), ", but looks like ", el("strong", {}, one.other), "."),
      el("p.soft", {}, `${one.other} ${percent(one.other_probability)}, ${one.class} ${percent(one.probability)}`),
      el("div.row", {},
        el("button", { type: "button", onclick: act({ do: "confirm" }) }, `Yes, it is ${one.class}`),
        el("button.main", { type: "button", onclick: act({ do: "move", to: one.other }) }, `Move it to ${one.other}`))));
}

function unsorted(one) {
  const where = () => [{ class: "", name: one.name }];
  const choice = classChoice(`Class of ${one.name}`, one.guess);
  const guess = one.guess && el("button.main", {
    type: "button", onclick: () => change({ do: "move", to: one.guess, pictures: where() }),
  }, `It is ${one.guess}`);
  return el("li.case", {},
    el("button.picture", { type: "button", "aria-label": one.name, onclick: () => openCard("", one.name, one.key) },
      el("img", { src: thumbnail(one.key), alt: one.name, width: 120, height: 120 })),
    el("div", {},
      el("p", {}, one.guess ? `Perhaps ${one.guess} (${percent(one.probability)}).` : "Not known yet."),
      el("p.soft", {}, one.teaches === undefined ? one.name : `A label would teach ${percent(one.teaches)} of what one can.`),
      el("div.row", {}, ...(guess ? [guess] : []), ...(state.order.length ? [choice, el("button", {
        type: "button", onclick: () => change({ do: "move", to: choice.value, pictures: where() }),
      }, "Put it there")] : []))));
}

async function showDoubts() {
  const found = await attempt(() => get("api/doubts"));
  if (!found) return;
  const there = found.filter((one) => place(one.key, one.class));
  update(by("doubt-list"), there, (one) => `${one.key} ${one.class} ${one.other} ${percent(one.other_probability)}`, doubt);
  by("no-doubts").hidden = there.length > 0;
  const count = by("doubt-count");
  count.hidden = !there.length;
  count.textContent = there.length;
}

async function showUnsorted() {
  by("unsorted").hidden = !(state.shelves[""] ?? []).length;
  if (by("unsorted").hidden) return;
  const found = await attempt(() => get("api/unsorted"));
  if (found) update(by("unsorted-list"), found, (one) => `${one.key} ${one.guess} ${percent(one.teaches ?? 0)} ${state.order.join()}`, unsorted);
}

export function startDoubts() {
  onChange((what) => {
    if (["all", "shelves", "study"].includes(what)) showDoubts();
    if (["all", "shelves", "settled", "looking"].includes(what)) showUnsorted();
  });
}
