// One picture, large: ask about it, move it, remove it.
import { by, el, thumbnail } from "./dom.js";
import { change, state } from "./store.js";
import { askAbout } from "./ask.js";

export function classChoice(label, chosen) {
  const options = state.order.map((name) => el("option", { value: name, selected: name === chosen }, name));
  return el("select", { "aria-label": label }, ...options);
}

export function openCard(shelf, name, key) {
  const dialog = by("card");
  const close = () => dialog.close();
  const choice = classChoice("Class to move it to", shelf);
  const one = [{ class: shelf, name }];
  const act = (request) => async () => { close(); await change(request()); };
  dialog.replaceChildren(
    el("h2", { id: "card-title" }, name),
    el("p.soft", {}, shelf || "Without a class"),
    el("img", { src: thumbnail(key), alt: `The picture ${name}`, width: 192, height: 192 }),
    el("div.row", {}, choice, el("button", { type: "button", onclick: act(() => ({ do: "move", to: choice.value, pictures: one })) }, "Move")),
    el("div.row", {},
      el("button", { type: "button", onclick: () => { close(); askAbout(thumbnail(key)); } }, "Ask about it"),
      el("button.remove", { type: "button", onclick: act(() => ({ do: "remove", pictures: one })) }, "Remove"),
      el("button.main", { type: "button", onclick: close, autofocus: true }, "Close")));
  dialog.showModal();
}
