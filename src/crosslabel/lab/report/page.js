// What a page does beside being read: themes, sorted tables, confusion matrices to walk in.
"use strict";

const root = document.documentElement;

// A page opened from disk may have no storage; then the choice lasts as long as the page.
const kept = {
  get() { try { return localStorage.getItem("crosslabel-theme"); } catch { return null; } },
  set(value) { try { localStorage.setItem("crosslabel-theme", value); } catch { /* not kept */ } },
};
const system = matchMedia("(prefers-color-scheme: dark)");
const theme = () => root.dataset.theme || (system.matches ? "dark" : "light");

function nameThemeButton(button) {
  const other = theme() === "dark" ? "light" : "dark";
  button.textContent = other === "dark" ? "Dark" : "Light";
  button.setAttribute("aria-label", `Switch to the ${other} theme`);
}

for (const button of document.querySelectorAll("button.theme")) {
  const chosen = kept.get();
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  nameThemeButton(button);
  button.hidden = false;
  button.addEventListener("click", () => {
    root.dataset.theme = theme() === "dark" ? "light" : "dark";
    kept.set(root.dataset.theme);
    nameThemeButton(button);
  });
  system.addEventListener("change", () => nameThemeButton(button));
}

// A header that says data-sort sorts its column: first the best, that is the largest, or for times
// the smallest; then the other way. Places without a value stay at the end.
function sortBy(header, column) {
  const table = header.closest("table");
  const body = table.tBodies[0];
  const first = header.dataset.sort;
  const now = header.getAttribute("aria-sort");
  const other = { ascending: "descending", descending: "ascending" };
  const order = now ? other[now] : first;
  for (const each of table.querySelectorAll("[aria-sort]")) each.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", order);
  const value = (row) => {
    const text = row.cells[column].dataset.value;
    return text === undefined || text === "" ? null : isNaN(text) ? text : Number(text);
  };
  const sign = order === "ascending" ? 1 : -1;
  const rows = [...body.rows];
  rows.sort((a, b) => {
    const [left, right] = [value(a), value(b)];
    if (left === null || right === null) return (left === null) - (right === null);
    return sign * (typeof left === "string" ? left.localeCompare(right) : left - right);
  });
  body.append(...rows);
}

for (const header of document.querySelectorAll("th[data-sort]")) {
  const button = document.createElement("button");
  button.append(...header.childNodes);
  header.append(button);
  button.addEventListener("click", () => sortBy(header, Number(header.dataset.column)));
}

class Matrix {
  constructor(box) {
    this.box = box;
    this.data = JSON.parse(box.querySelector("script").textContent);
    this.svg = box.querySelector("svg");
    this.cursor = box.querySelector(".cursor");
    this.tip = box.querySelector(".tip");
    this.said = box.parentElement.querySelector(".said");
    this.row = 0;
    this.column = 0;
    this.svg.addEventListener("pointermove", (event) => this.point(event));
    this.svg.addEventListener("pointerdown", (event) => this.point(event));
    this.svg.addEventListener("pointerleave", () => this.rest());
    box.addEventListener("keydown", (event) => this.walk(event));
    box.addEventListener("focus", () => { if (box.matches(":focus-visible")) this.show(true); });
    box.addEventListener("blur", () => this.rest());
  }
  rest() {
    if (this.box !== document.activeElement) this.box.classList.remove("active");
  }
  point(event) {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    const { left, top, size, names } = this.data;
    const column = Math.floor((at.x - left) / size);
    const row = Math.floor((at.y - top) / size);
    if (row < 0 || column < 0 || row >= names.length || column >= names.length) return this.rest();
    [this.row, this.column] = [row, column];
    this.show(false);
  }
  walk(event) {
    const last = this.data.names.length - 1;
    const moves = {
      ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
      Home: [0, -last], End: [0, last], PageUp: [-last, 0], PageDown: [last, 0],
    };
    const move = moves[event.key];
    if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const held = (place) => Math.min(last, Math.max(0, place));
    this.row = held(this.row + move[0]);
    this.column = held(this.column + move[1]);
    this.show(true);
  }
  sentence() {
    const { names, counts } = this.data;
    const row = counts[this.row];
    const total = row.reduce((sum, count) => sum + count, 0);
    const count = row[this.column];
    const share = total ? ` (${(100 * count / total).toFixed(1)} %)` : "";
    const of = `${+count.toFixed(2)} of ${+total.toFixed(2)} ${names[this.row]}`;
    return this.row === this.column
      ? `${of} recognised${share}` : `${of} taken for ${names[this.column]}${share}`;
  }
  // Screen readers hear the sentence when keys move the cursor, not at every pointer move.
  show(aloud) {
    const { left, top, size } = this.data;
    this.cursor.setAttribute("x", left + this.column * size);
    this.cursor.setAttribute("y", top + this.row * size);
    this.box.classList.add("active");
    this.tip.textContent = this.sentence();
    this.said.setAttribute("aria-live", aloud ? "polite" : "off");
    this.said.textContent = this.sentence();
    const cell = this.cursor.getBoundingClientRect();
    const box = this.box.getBoundingClientRect();
    const width = this.tip.offsetWidth;
    const from = cell.left - box.left + cell.width / 2 - width / 2;
    this.tip.style.left = `${Math.max(0, Math.min(box.width - width, from))}px`;
    const above = cell.top - box.top - this.tip.offsetHeight - 6;
    this.tip.style.top = `${above < 0 ? cell.bottom - box.top + 6 : above}px`;
  }
}

for (const box of document.querySelectorAll(".matrix")) new Matrix(box);
