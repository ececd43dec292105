//! Compiles the library for the crate `rondo-sys`, once for each target folder.
//!
//! Build scripts run for `cargo check` too, and are not told so. A macro is expanded by the rustc that compiles the crate,
//! whose arguments say whether code is wanted or only what is known of types: so it is a macro that compiles.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::{env, fs, iter};

use proc_macro::TokenStream;

mod compile;

/// Compiles the sources where the build script of `rondo-sys` says so and rustc makes code, and links the result.
#[proc_macro]
pub fn vendored(_: TokenStream) -> TokenStream {
    let sources = match env::var_os("RONDO_SYS_SOURCES") {
        Some(sources) if makes_code(arguments()) => sources,
        _ => return TokenStream::new(),
    };
    let text = match compile::library(sources.as_ref()) {
        Ok(()) => {
            let standard = env::var("CXXSTDLIB").unwrap_or_else(|_| "stdc++".into());
            let others = [&standard[..], "dl", "pthread"].map(|name| format!("#[link(name = {:?})]\n", name)).concat();
            format!("#[link(name = \"rondo\", kind = \"static\")]\n{}extern \"C\" {{}}", others)
        }
        Err(problem) => format!("compile_error!({:?});", problem),
    };
    text.parse().expect("Rust")
}

/// What this rustc was called with; a long command line is in a file.
fn arguments() -> impl Iterator<Item = String> {
    env::args_os().skip(1).flat_map(|argument| {
        let argument = argument.to_string_lossy().into_owned();
        match argument.strip_prefix('@').map(fs::read_to_string) {
            Some(Ok(text)) => text.lines().map(str::to_owned).collect(),
            _ => vec![argument],
        }
    })
}

/// Whether `link` is among what `--emit` names. Cargo always says what it wants; who does not is no compiler but an editor.
fn makes_code(arguments: impl Iterator<Item = String>) -> bool {
    let mut before = String::new();
    arguments.chain(iter::once(String::new())).any(|argument| {
        let kinds = argument.strip_prefix("--emit=").or_else(|| (before == "--emit").then(|| &argument[..]));
        let wanted = kinds.map_or(false, |kinds| kinds.split(',').any(|kind| kind.split('=').next() == Some("link")));
        before = argument;
        wanted
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn code_is_made_where_it_is_asked_for() {
        let makes_code = |line: &str| super::makes_code(line.split(' ').map(str::to_owned));
        assert!(makes_code("--crate-type lib --emit=dep-info,metadata,link -C debuginfo=2"));
        assert!(makes_code("--emit dep-info,link=x.rlib"));
        assert!(!makes_code("--crate-type lib --emit=dep-info,metadata -C linker=link"));
        assert!(!makes_code("--emit metadata link"));
        assert!(!makes_code(""));
    }
}
