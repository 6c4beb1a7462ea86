// The camera: frames as JPEG files, whoever asks for them.
import { by, el, pictures } from "./dom.js";
import { bring } from "./bring.js";
import { say } from "./says.js";

export async function opened(video) {
  try {
    const stream = await navigator.mediaDevices.getUserMedia({ video: { width: 640, height: 480 } });
    video.srcObject = stream;
    await video.play();
    return () => { for (const track of stream.getTracks()) track.stop(); video.srcObject = null; };
  } catch (problem) {
    say(`The camera cannot be used: ${problem.message}`, { bad: true });
    return null;
  }
}

export function frame(video, name) {
  const canvas = el("canvas", { width: video.videoWidth, height: video.videoHeight });
  canvas.getContext("2d").drawImage(video, 0, 0);
  return new Promise((done) => canvas.toBlob((blob) => done(new File([blob], name, { type: "image/jpeg" })), "image/jpeg", 0.9));
}

export async function openCamera(shelf) {
  const dialog = by("camera");
  const video = el("video", { muted: true, playsInline: true, "aria-label": "Camera" });
  const taken = el("p.soft", { "aria-live": "polite" }, "Hold it at something and take a few, from all sides.");
  let count = 0;
  const shoot = async () => {
    const file = await frame(video, `camera ${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}.jpg`);
    if (await bring([{ file, to: shelf }])) taken.textContent = `${pictures(++count)} taken.`;
  };
  dialog.replaceChildren(
    el("h2", { id: "camera-title" }, `Pictures of ${shelf}`), video, taken,
    el("div.row", {}, el("button.main", { type: "button", onclick: shoot, autofocus: true }, "Take a picture"),
      el("button", { type: "button", onclick: () => dialog.close() }, "Close")));
  dialog.showModal();
  const stop = await opened(video);
  if (!stop) { dialog.close(); return; }
  dialog.addEventListener("close", stop, { once: true });
}
