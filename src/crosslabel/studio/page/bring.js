// Pictures that people bring: by drop, paste, file chooser or camera; files or whole folders.
import { change, state } from "./store.js";
import { post, Refused } from "./server.js";
import { say } from "./says.js";
import { el, pictures } from "./dom.js";

const AT_ONCE = 4;

// Upload each picture, then put all on their shelves in one change, which one undo takes back.
export async function bring(items) {
  const staged = [];
  const refused = [];
  let next = 0;
  async function work() {
    while (next < items.length) {
      const item = items[next++];
      try {
        const found = await post("api/staged", item.file);
        staged.push({ staged: found.staged, name: item.file.name, to: item.to });
      } catch (problem) {
        if (!(problem instanceof Refused)) throw problem;
        refused.push(`${item.file.name}: ${problem.message}`);
      }
      if (items.length > 5) say(`Looking at ${staged.length + refused.length} of ${items.length} …`);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const said = staged.length ? await change({ do: "add", pictures: staged }) : null;
  if (refused.length) {
    const rest = refused.length > 1 ? ` And ${pictures(refused.length - 1)} more.` : "";
    say(`Left out: ${refused[0]}${rest}`, { bad: true });
  }
  return said;
}

const isHidden = (name) => name.startsWith(".");

function entries(folder) {
  const reader = folder.createReader();
  const found = [];
  return new Promise((done, fail) => {
    const more = () => reader.readEntries((some) => {
      if (!some.length) done(found);
      else { found.push(...some); more(); }
    }, fail);
    more();
  });
}

async function walked(entry, path, found) {
  if (isHidden(entry.name)) return;
  if (entry.isFile) {
    found.push({ file: await new Promise((done, fail) => entry.file(done, fail)), path });
  } else {
    for (const inner of await entries(entry)) await walked(inner, [...path, entry.name], found);
  }
}

// Files of a drop with the folders they lie in. What is asked of the drop must be asked at once.
export function dropped(transfer) {
  const items = [...transfer.items].filter((item) => item.kind === "file");
  const roots = items.map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!roots.length) return Promise.resolve([...transfer.files].map((file) => ({ file, path: [] })));
  return (async () => {
    const found = [];
    for (const root of roots) await walked(root, [], found);
    return found;
  })();
}

// The class of a picture in dropped folders is the innermost folder it lies in.
export const byFolder = (found) => found.map(({ file, path }) => ({ file, to: path.at(-1) ?? "" }));

export const onShelf = (found, shelf) => found.map(({ file }) => ({ file, to: shelf }));

export function choose(then, { folder = false, several = true } = {}) {
  const input = el("input", { type: "file", multiple: several, accept: folder ? "" : "image/*" });
  if (folder) input.webkitdirectory = true;
  input.addEventListener("change", () => {
    const files = [...input.files].filter((file) => !isHidden(file.name));
    then(files.map((file) => ({ file, path: (file.webkitRelativePath || "").split("/").slice(0, -1) })));
  });
  input.click();
}

// A place that takes files, and shows that it does.
export function dropZone(place, onFiles, onPictures = null) {
  const takes = (transfer) => transfer.types.includes("Files") || (onPictures && transfer.types.includes(OURS));
  place.addEventListener("dragover", (event) => {
    if (!takes(event.dataTransfer)) return;
    event.preventDefault();
    event.stopPropagation();
    place.classList.add("over");
  });
  place.addEventListener("dragleave", (event) => {
    if (!place.contains(event.relatedTarget)) place.classList.remove("over");
  });
  place.addEventListener("drop", async (event) => {
    place.classList.remove("over");
    if (!takes(event.dataTransfer)) return;
    event.preventDefault();
    event.stopPropagation();
    const ours = event.dataTransfer.getData(OURS);
    if (ours) onPictures(JSON.parse(ours));
    else onFiles(await dropped(event.dataTransfer));
  });
}

export const OURS = "application/x-crosslabel-picture";

export const pasted = (event) => [...(event.clipboardData?.files ?? [])].filter((file) => file.type.startsWith("image/"));

export const knows = (name) => state.order.includes(name);
