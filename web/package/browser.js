// For browsers and bundlers, which resolve the address of the module.
import init from "./doiscan_module.js";

await init({ module_or_path: new URL("./doiscan_module_bg.wasm", import.meta.url) });

export * from "./api.js";
