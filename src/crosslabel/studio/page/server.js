// What the page asks of the studio. Addresses are relative: they carry the token of the page's own.
import { say } from "./says.js";

export class Refused extends Error {}

async function answered(response) {
  const found = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(found.error || `The studio answered ${response.status}.`);
  return found;
}

async function reached(address, options) {
  try {
    return await fetch(address, options);
  } catch {
    throw new Refused("The studio does not answer. Is it still running?");
  }
}

export async function get(address) {
  return answered(await reached(address));
}

export async function post(address, value) {
  const isBytes = value instanceof Blob;
  const body = isBytes ? value : JSON.stringify(value ?? {});
  const type = isBytes ? "application/octet-stream" : "application/json";
  return answered(await reached(address, { method: "POST", body, headers: { "Content-Type": type } }));
}

// Do something that may be refused, and say why if it is.
export async function attempt(act) {
  try {
    return await act();
  } catch (problem) {
    if (!(problem instanceof Refused)) throw problem;
    say(problem.message, { bad: true });
    return null;
  }
}
