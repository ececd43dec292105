//! Makes librondo available to the linker: the one that the environment names, else one that pkg-config knows, else the
//! sources that come along, compiled here with a C++ compiler and nothing more.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::env;
use std::path::{Path, PathBuf};

#[path = "build/vendored.rs"]
mod vendored;

/// A folder with librondo.so or librondo.a; it must have what is asked for.
const LIB_DIR: &str = "RONDO_LIB_DIR";
/// Set to anything: never compile the sources. It wins over the feature `vendored`, because features of a
/// crate add up and the one who builds has the last word.
const NO_VENDOR: &str = "RONDO_NO_VENDOR";

fn main() {
    for name in [LIB_DIR, NO_VENDOR, "DOCS_RS"] {
        println!("cargo:rerun-if-env-changed={}", name);
    }
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=build");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    // In the package they are in `vendor`; in Rondo's own tree where they belong.
    let packaged = root.join("vendor");
    let sources = if packaged.exists() { packaged } else { root.join("../../..") };
    println!("cargo:include={}", sources.join("include").display());
    if env::var_os("DOCS_RS").is_some() {
        return; // documentation needs the declarations only
    }

    let vendor_allowed = env::var_os(NO_VENDOR).is_none();
    if let Some(folder) = env::var_os(LIB_DIR).filter(|folder| !folder.is_empty()) {
        link_from(Path::new(&folder));
    } else if cfg!(feature = "vendored") && vendor_allowed {
        vendored::compile(&sources);
    } else if let Err(problem) = probe() {
        if !vendor_allowed {
            fail(&format!(
                "librondo was not found, and {} forbids to compile it.\n{}\nSet {} to the folder that has it, or \
                 PKG_CONFIG_PATH to the folder of rondo.pc.",
                NO_VENDOR, problem, LIB_DIR
            ));
        }
        vendored::compile(&sources);
    }
}

/// Ends the build with one text, instead of a panic's.
fn fail(message: &str) -> ! {
    eprintln!("error: {}", message);
    std::process::exit(1)
}

/// Links the library in the folder that the user named; anything else there than what is wanted is an error, not a
/// reason to look elsewhere.
fn link_from(folder: &Path) {
    let (file, kind) = if cfg!(feature = "static") { ("librondo.a", "static") } else { ("librondo.so", "dylib") };
    if !folder.join(file).exists() {
        fail(&format!("{} is {}, and there is no {} in it", LIB_DIR, folder.display(), file));
    }
    println!("cargo:rerun-if-changed={}", folder.join(file).display());
    println!("cargo:rustc-link-search=native={}", folder.display());
    println!("cargo:rustc-link-lib={}=rondo", kind);
    if kind == "static" {
        link_what_the_archive_needs();
    }
}

fn link_what_the_archive_needs() {
    for library in ["stdc++", "dl", "pthread", "m"] {
        println!("cargo:rustc-link-lib=dylib={}", library);
    }
}

/// Asks pkg-config for a library from this version to before the next one that may change the interface.
fn probe() -> Result<(), pkg_config::Error> {
    let number = |name: &str| -> u32 { env::var(name).expect(name).parse().expect(name) };
    let (major, minor) = (number("CARGO_PKG_VERSION_MAJOR"), number("CARGO_PKG_VERSION_MINOR"));
    let from = format!("{}.{}.{}", major, minor, env::var("CARGO_PKG_VERSION_PATCH").expect("cargo sets it"));
    let to = if major == 0 { format!("0.{}.0", minor + 1) } else { format!("{}.0.0", major + 1) };
    pkg_config::Config::new()
        .range_version(&from[..]..&to[..])
        .statik(cfg!(feature = "static"))
        .probe("rondo")
        .map(|_| ())
}
