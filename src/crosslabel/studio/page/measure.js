// How good is it: accuracy with its interval, the confusion matrix, accuracy against pictures.
import { by, el, percent, svg } from "./dom.js";
import { attempt, get } from "./server.js";
import { onChange } from "./store.js";

const tenth = (share) => `${(100 * share).toFixed(1)} %`;

function headline(found) {
  const [low, high] = found.interval;
  return el("div.headline", {},
    el("p.figure", {}, tenth(found.accuracy)),
    el("p", {}, `${found.right} of ${found.total} pictures were recognised by a model that had not seen them. `,
      `With other pictures of the same kind, expect between ${percent(low)} and ${percent(high)}.`));
}

function matrix({ names, confusion }) {
  const cell = (row, column) => {
    const count = confusion[row][column];
    const total = confusion[row].reduce((sum, one) => sum + one, 0);
    const made = el("td", { title: `${count} of ${total} ${names[row]} taken for ${names[column]}` }, count ? String(count) : "·");
    made.className = row === column ? "hit" : count ? "miss" : "none";
    made.style.setProperty("--part", total ? count / total : 0);
    return made;
  };
  const head = el("tr", {}, el("th", { scope: "col" }, "is ↓  taken for →"),
    ...names.map((name) => el("th", { scope: "col" }, el("span", {}, name))));
  const rows = names.map((name, row) => el("tr", {}, el("th", { scope: "row" }, name), ...names.map((_, column) => cell(row, column))));
  return el("div.scroll", { tabIndex: 0, role: "region", "aria-label": "Confusion matrix" },
    el("table.confusion", {}, el("caption", {}, el("span", {}, "What was taken for what")), el("thead", {}, head), el("tbody", {}, ...rows)));
}

function mistakes({ names, confusion }) {
  const found = [];
  confusion.forEach((row, is) => row.forEach((count, as) => { if (is !== as && count) found.push([count, names[is], names[as]]); }));
  found.sort((a, b) => b[0] - a[0]);
  if (!found.length) return null;
  return el("ul.reasons", {}, ...found.slice(0, 8).map(([count, is, as]) => el("li", {}, `${is} taken for ${as}: ${count}`)));
}

function curve(points) {
  const [left, top, width, height] = [44, 12, 420, 220];
  const most = Math.log(Math.max(2, points.at(-1).size));
  const least = Math.min(...points.map(({ accuracy, error }) => accuracy - error));
  const floor = Math.max(0, Math.floor(10 * least - 0.5) / 10);
  const x = (size) => left + (width - left - 12) * (most ? Math.log(size) / most : 0);
  const y = (share) => top + (height - top - 34) * (1 - (share - floor) / (1 - floor));
  const text = (content, attributes) => { const made = svg("text", attributes); made.textContent = content; return made; };
  const parts = [];
  const step = floor < 0.5 ? 0.2 : floor < 0.8 ? 0.1 : 0.05;
  for (let share = 1; share >= floor - 1e-9; share -= step) {
    parts.push(svg("path", { class: "rule", d: `M${left} ${y(share)}H${width - 12}` }), text(percent(share), { class: "end", x: left - 6, y: y(share) + 4 }));
  }
  for (const { size } of points) parts.push(text(String(size), { class: "middle", x: x(size), y: height - 16 }));
  parts.push(text("pictures of each class", { class: "middle axis", x: (left + width) / 2, y: height - 1 }));
  const line = points.map(({ size, accuracy }, place) => `${place ? "L" : "M"}${x(size)} ${y(accuracy)}`).join("");
  const series = svg("g", { class: "series" }, svg("path", { class: "line", d: line }));
  for (const { size, accuracy, error } of points) {
    series.append(svg("path", { class: "spread", d: `M${x(size)} ${y(Math.min(1, accuracy + error))}V${y(accuracy - error)}` }),
      svg("circle", { class: "mark", cx: x(size), cy: y(accuracy), r: 3.5 }));
  }
  const told = points.map(({ size, accuracy }) => `${size}: ${tenth(accuracy)}`).join("; ");
  return el("figure", {}, svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Accuracy by pictures of each class: ${told}` }, ...parts, series),
    el("figcaption", {}, "Accuracy against the number of pictures of each class. Where the line still climbs, more pictures help."));
}

async function show() {
  const found = await attempt(() => get("api/study"));
  if (!found) return;
  const box = by("measured");
  if (!found.ready) {
    box.replaceChildren(el("p.soft", {}, "There is nothing to measure yet: give two classes two pictures each."));
    return;
  }
  box.replaceChildren(headline(found), ...(found.curve.length > 1 ? [curve(found.curve)] : []), matrix(found), mistakes(found) ?? "");
}

export function startMeasure() {
  onChange((what) => { if (what === "all" || what === "study") show(); });
}
