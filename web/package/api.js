// The functions of the package, over the WebAssembly module.
import { find_all, judge as judgeValue } from "./doiscan_module.js";

/** Returns every DOI in `text` with its position, in order. */
export function findAll(text, { strict = false } = {}) {
  const found = find_all(String(text), strict);
  const { names, places } = found;
  found.free();
  const all = [];
  let at = 0;
  for (let i = 0; i < places.length; i += 2) {
    const end = names.indexOf("\n", at);
    all.push({ doi: names.slice(at, end), start: places[i], end: places[i + 1] });
    at = end + 1;
  }
  return all;
}

/** Returns the canonical names in `text`, each once, in the order of their first occurrence. */
export function find(text, { strict = false } = {}) {
  const found = find_all(String(text), strict);
  const { names } = found;
  found.free();
  return names ? [...new Set(names.slice(0, -1).split("\n"))] : [];
}

/** Judges one value: whether it is a DOI, its canonical name, and why it is none. */
export function judge(value, { strict = false } = {}) {
  const verdict = judgeValue(String(value), strict);
  const { valid, doi, reason, notes } = verdict;
  verdict.free();
  return { valid, doi: doi ?? null, reason: reason ?? null, notes: notes ? notes.split(" ") : [] };
}

/** Returns the canonical name of the one DOI that `value` means, or null. */
export function normalize(value) {
  return judge(value).doi;
}
