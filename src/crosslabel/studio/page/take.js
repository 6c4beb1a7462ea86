// Take it away: the model file, ONNX, the card, and the lines that use it.
import { by, el } from "./dom.js";

const THINGS = [
  ["model.skops", "Model file", "All of it: crosslabel opens it without trusting whoever wrote it."],
  ["model.onnx", "ONNX", "For other languages and runtimes: rows of features in, labels and scores out."],
  ["card.html", "Model card", "What it was taught, how it was measured, what it is not good for."],
];
const PYTHON = 'import crosslabel\nmodel = crosslabel.load("model.skops")\nprint(model.predict(["new.jpg"]))';
const SERVE = "crosslabel serve model.skops\ncurl -F image=@new.jpg http://127.0.0.1:8080/v2/models/model/classify";

export function startTake() {
  const links = THINGS.map(([file, name, about]) => el("li", {},
    el("a.button", { href: `take/${file}`, download: file }, name), el("p.soft", {}, about)));
  by("taken").replaceChildren(el("ul.things", {}, ...links),
    el("h3", {}, "In Python"), el("pre.scroll", { tabIndex: 0, role: "region", "aria-label": "Commands" }, el("code", {}, PYTHON)),
    el("h3", {}, "As a service"), el("pre.scroll", { tabIndex: 0, role: "region", "aria-label": "Commands" }, el("code", {}, SERVE)));
}
