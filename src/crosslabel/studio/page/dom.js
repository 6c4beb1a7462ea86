// Elements from JavaScript. Text is always text: nothing that people or files say becomes markup.

export function el(kind, properties = {}, ...children) {
  const [tag, ...classes] = kind.split(".");
  const made = document.createElement(tag);
  if (classes.length) made.className = classes.join(" ");
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name in made && !name.startsWith("aria") && name !== "list") made[name] = value;
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export const by = (id) => document.getElementById(id);

// Only what is certain is 100 %.
export const percent = (share) => `${share > 0.99 && share < 0.9999 ? 99 : Math.round(100 * share)} %`;

export const pictures = (count) => (count === 1 ? "1 picture" : `${count} pictures`);

export const thumbnail = (key) => `thumbnail/${encodeURIComponent(key)}`;

// A list of elements brought up to date by key: what stays is not touched, focus least of all.
export function update(list, items, key, make) {
  const old = new Map([...list.children].map((child) => [child.dataset.key, child]));
  let at = list.firstElementChild;
  for (const item of items) {
    const name = key(item);
    let child = old.get(name);
    if (child) old.delete(name);
    else {
      child = make(item);
      child.dataset.key = name;
    }
    if (child === at) at = at.nextElementSibling;
    else list.insertBefore(child, at);
  }
  for (const child of old.values()) child.remove();
}
