// The page: what is typed and dropped goes to the worker, what it finds comes back.
const byId = (id) => document.getElementById(id);
const worker = new Worker("worker.js", { type: "module" });
const PAGE = 100;
const number = new Intl.NumberFormat("en");

let from = 0;
let distinct = 0;
let isFromText = false;
const waiting = new Map();
let asked = 0;

/** Asks the worker and returns its answer. */
function ask(what, rest = {}) {
  asked += 1;
  const id = asked;
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    worker.postMessage({ id, what, ...rest });
  });
}

worker.addEventListener("message", ({ data }) => {
  if (data.id) {
    waiting.get(data.id)?.(data.answer);
    waiting.delete(data.id);
    return;
  }
  if (data.what === "progress") {
    byId("progress").value = data.done;
    say(`${counted(data.distinct, "DOI")} so far, ${megabytes(data.bytes)} read.`);
  }
  if (data.what === "done") show(data);
});

worker.addEventListener("error", (event) => say(`The worker cannot start: ${event.message}`));

const megabytes = (bytes) => `${number.format(Math.round(bytes / 1e5) / 10)} MB`;
const say = (text) => { byId("status").textContent = text; };

function busy(is) {
  byId("progress").hidden = !is;
  byId("stop").hidden = !is;
}

/** Makes a cell, whose text is never markup. */
function cell(row, text, { isNumber = false, link } = {}) {
  const td = row.insertCell();
  if (isNumber) td.className = "number";
  if (link) {
    const a = document.createElement("a");
    a.href = link;
    a.rel = "noreferrer";
    a.textContent = text;
    td.append(a);
  } else {
    td.textContent = text;
  }
}

const counted = (count, unit) => `${number.format(count)} ${unit}${count === 1 ? "" : "s"}`;

/** The address of a DOI: the resolver's, with all but unreserved characters and slashes encoded. */
const address = (doi) => `https://doi.org/${encodeURIComponent(doi).replaceAll("%2F", "/")}`;

async function showRows() {
  const rows = (await ask("rows", { from, len: PAGE, by: byId("order").value })).split("\n").slice(0, -1);
  const body = byId("rows");
  body.replaceChildren();
  for (const line of rows) {
    const [doi, count, inputs, input, part, offset] = line.split("\t");
    const row = body.insertRow();
    cell(row, doi, { link: address(doi) });
    cell(row, number.format(count), { isNumber: true });
    cell(row, number.format(inputs), { isNumber: true });
    cell(row, input);
    cell(row, part);
    cell(row, number.format(offset), { isNumber: true });
  }
  byId("page").textContent = distinct ? `${number.format(from + 1)}–${number.format(from + rows.length)} of ${number.format(distinct)}` : "";
  byId("previous").disabled = from === 0;
  byId("next").disabled = from + PAGE >= distinct;
}

async function show(result) {
  busy(false);
  distinct = result.distinct;
  from = 0;
  const seconds = (result.milliseconds / 1000).toFixed(1);
  const ended = result.isStopped ? "Stopped: " : "";
  say(`${ended}${counted(distinct, "DOI")}, found ${counted(result.accepted, "time")}, in ${megabytes(result.bytes)} of ${counted(result.inputs, "input")}; ${seconds} s.`);
  byId("problems").replaceChildren(...result.problems.map((problem) => {
    const item = document.createElement("li");
    item.textContent = problem;
    return item;
  }));
  for (const id of ["copy", "save-txt", "save-csv"]) byId(id).disabled = distinct === 0;
  const body = byId("rejected");
  body.replaceChildren();
  for (const line of result.rejected.split("\n").slice(0, -1)) {
    const [reason, count, raw, input, part] = line.split("\t");
    const row = body.insertRow();
    cell(row, reason);
    cell(row, number.format(count), { isNumber: true });
    cell(row, raw);
    cell(row, input);
    cell(row, part);
  }
  await showRows();
}

function scanFiles(files) {
  if (!files.length) return;
  isFromText = false;
  busy(true);
  worker.postMessage({ what: "files", files: [...files] });
}

let timer = 0;
byId("text").addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    isFromText = true;
    worker.postMessage({ what: "text", text: byId("text").value });
  }, 150);
});

byId("files").addEventListener("change", (event) => {
  scanFiles(event.target.files);
  event.target.value = "";
});

const drop = document.body;
drop.addEventListener("dragover", (event) => {
  event.preventDefault();
  byId("drop").classList.add("over");
});
drop.addEventListener("dragleave", () => byId("drop").classList.remove("over"));
drop.addEventListener("drop", (event) => {
  event.preventDefault();
  byId("drop").classList.remove("over");
  scanFiles(event.dataTransfer.files);
});

byId("stop").addEventListener("click", () => worker.postMessage({ what: "stop" }));
byId("clear").addEventListener("click", () => {
  byId("text").value = "";
  worker.postMessage({ what: "text", text: "" });
});
byId("order").addEventListener("change", () => {
  from = 0;
  showRows();
});
byId("previous").addEventListener("click", () => {
  from = Math.max(0, from - PAGE);
  showRows();
});
byId("next").addEventListener("click", () => {
  from += PAGE;
  showRows();
});

byId("copy").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(await ask("list"));
    say(`In the clipboard: ${counted(distinct, "DOI")}.`);
  } catch (error) {
    say(`The clipboard cannot be used: ${error.message}. Save the list as TXT instead.`);
  }
});

async function save(what, name, type) {
  const url = URL.createObjectURL(new Blob([await ask(what)], { type }));
  const a = document.createElement("a");
  a.href = url;
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
byId("save-txt").addEventListener("click", () => save("list", "dois.txt", "text/plain"));
byId("save-csv").addEventListener("click", () => save("csv", "dois.csv", "text/csv"));

byId("value").addEventListener("input", async () => {
  const value = byId("value").value;
  const out = byId("verdict");
  if (!value.trim()) {
    out.textContent = "";
    return;
  }
  const { valid, doi, reason, notes } = await ask("judge", { value });
  if (value !== byId("value").value) return;
  out.className = valid ? "good" : "bad";
  const told = notes ? ` (${notes})` : "";
  out.textContent = valid ? `A DOI: ${doi}${told}` : `No DOI: ${reason}${doi ? `. It may mean ${doi}` : ""}${told}`;
});
