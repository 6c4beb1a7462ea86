// Short messages: seen at the foot of the page, and heard by screen readers.
import { by, el } from "./dom.js";

let leaving;

export function say(text, { bad = false, action = null } = {}) {
  const box = by("says");
  const button = action && el("button", { type: "button", onclick: () => { box.replaceChildren(); action.act(); } }, action.name);
  box.classList.toggle("bad", bad);
  box.replaceChildren(el("p", {}, text), ...(button ? [button] : []));
  clearTimeout(leaving);
  leaving = setTimeout(() => box.replaceChildren(), bad ? 12000 : 7000);
}
