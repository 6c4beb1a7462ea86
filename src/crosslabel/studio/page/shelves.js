// Classes as shelves of thumbnails.
import { by, el, pictures, thumbnail, update } from "./dom.js";
import { change, onChange, state } from "./store.js";
import { bring, byFolder, choose, dropZone, onShelf, OURS } from "./bring.js";
import { openCard } from "./card.js";
import { openCamera } from "./camera.js";

function picture(shelf, [name, key]) {
  const button = el("button.picture", {
    type: "button", draggable: true, "aria-label": name, title: name, tabIndex: -1,
    onclick: () => openCard(shelf(), name, key),
    ondragstart: (event) => event.dataTransfer.setData(OURS, JSON.stringify({ class: shelf(), name })),
  }, el("img", { src: thumbnail(key), alt: name, loading: "lazy", width: 96, height: 96 }));
  if (state.unreadable.has(key)) button.classList.add("unreadable");
  return el("li", {}, button);
}

// One of a shelf's pictures is in the order of the Tab key; arrows lead to the others.
function walk(event, list) {
  const all = [...list.querySelectorAll("button")];
  const at = all.indexOf(document.activeElement);
  const steps = { ArrowRight: 1, ArrowLeft: -1, Home: -at, End: all.length - 1 - at };
  if (at < 0) return;
  if (event.key === "Delete" || event.key === "Backspace") {
    event.preventDefault();
    const shelf = list.closest(".shelf").dataset.class;
    const next = all[at + 1] ?? all[at - 1];
    change({ do: "remove", pictures: [{ class: shelf, name: all[at].getAttribute("aria-label") }] });
    next?.focus();
  } else if (event.key in steps) {
    event.preventDefault();
    all[Math.max(0, Math.min(all.length - 1, at + steps[event.key]))].focus();
  }
}

function renaming(shelf, heading) {
  const old = shelf.dataset.class;
  const done = () => { form.replaceWith(heading); heading.parentElement.querySelector(".rename").focus(); };
  const input = el("input", { value: old, maxLength: 80, "aria-label": `New name of ${old}` });
  const form = el("form.row", {
    onsubmit: async (event) => {
      event.preventDefault();
      if (input.value.trim() === old || await change({ do: "rename", class: old, name: input.value })) done();
    },
    onkeydown: (event) => { if (event.key === "Escape") done(); },
  }, input, el("button.main", { type: "submit" }, "Rename"));
  heading.replaceWith(form);
  input.focus();
  input.select();
}

function shelfElement(name) {
  const list = el("ul.pictures", { onkeydown: (event) => walk(event, list) });
  const count = el("span.soft");
  const heading = el("h3", {}, el("span.name"), " ", count);
  const made = el("section.shelf.drop", { tabIndex: -1 });
  const own = () => made.dataset.class;
  const button = (text, kind, act) => el(`button.${kind}`, { type: "button", onclick: act }, text);
  made.append(
    el("div.over", {}, heading, el("div.row", {},
      button("Add", "add", () => choose((found) => bring(onShelf(found, own())))),
      button("Camera", "shoot", () => openCamera(own())),
      button("Rename", "rename", () => renaming(made, heading)),
      button("Remove", "remove", () => change({ do: "remove-class", class: own() })))),
    list, el("p.soft.empty", {}, "Nothing here yet: drop pictures, or paste one."));
  dropZone(made, (found) => bring(onShelf(found, own())),
    (ours) => { if (ours.class !== own()) change({ do: "move", to: own(), pictures: [ours] }); });
  return made;
}

function fill(shelf, name) {
  shelf.dataset.class = name;
  shelf.setAttribute("aria-label", `Class ${name}`);
  shelf.querySelector(".name") && (shelf.querySelector(".name").textContent = name);
  for (const [kind, word] of [["add", "Add pictures to"], ["shoot", "Take pictures for"], ["rename", "Rename"], ["remove", "Remove"]]) {
    shelf.querySelector(`.over .${kind}`)?.setAttribute("aria-label", `${word} ${name}`);
  }
  const all = state.shelves[name] ?? [];
  const list = shelf.querySelector(".pictures");
  update(list, all, ([file, key]) => `${file}\n${key}`, (item) => picture(() => shelf.dataset.class, item));
  const first = list.querySelector("button");
  if (first && !list.querySelector('button[tabindex="0"]')) first.tabIndex = 0;
  const soft = shelf.querySelector("h3 .soft");
  if (soft) soft.textContent = pictures(all.length);
  shelf.querySelector(".empty").hidden = all.length > 0;
}

function show() {
  const box = by("shelves");
  by("nothing").hidden = state.order.length > 0;
  update(box, state.order, (name) => name, shelfElement);
  for (const shelf of box.children) fill(shelf, shelf.dataset.key);
}

export function startShelves() {
  onChange((what) => { if (what === "all" || what === "shelves") show(); });
  by("new-class").addEventListener("submit", async (event) => {
    event.preventDefault();
    const input = by("new-name");
    if (await change({ do: "new-class", name: input.value })) input.value = "";
    input.focus();
  });
  by("add-folder").addEventListener("click", () => choose((found) => bring(byFolder(found)), { folder: true }));
  dropZone(by("main"), (found) => bring(byFolder(found)),
    (ours) => { if (ours.class) change({ do: "move", to: "", pictures: [ours] }); });
}
