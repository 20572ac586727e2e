// For Node: reads the module from the disk, so the functions are ready at once.
import { readFileSync } from "node:fs";
import { initSync } from "./doiscan_module.js";

initSync({ module: readFileSync(new URL("./doiscan_module_bg.wasm", import.meta.url)) });

export * from "./api.js";
