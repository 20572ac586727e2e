//! Writes the JavaScript for a WebAssembly module: `doiscan-bindgen MODULE.wasm FOLDER`.

use std::process::ExitCode;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(module), Some(folder)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: doiscan-bindgen MODULE.wasm FOLDER");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    let written = bindgen
        .input_path(module)
        .web(true)
        .and_then(|bindgen| bindgen.typescript(true).generate(folder));
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("doiscan-bindgen: {error:#}");
            ExitCode::FAILURE
        }
    }
}
