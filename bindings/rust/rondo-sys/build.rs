//! Makes librondo available to the linker: the one that the environment names, else one that pkg-config knows, else the
//! sources that come along, which the macro of `rondo-sys-build` compiles with a C++ compiler and nothing more.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

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
        compile(&sources);
    } else if let Err(problem) = probe() {
        if !vendor_allowed {
            fail(&format!(
                "librondo was not found, and {} forbids to compile it.\n{}\nSet {} to the folder that has it, or \
                 PKG_CONFIG_PATH to the folder of rondo.pc.",
                NO_VENDOR, problem, LIB_DIR
            ));
        }
        compile(&sources);
    }
}

/// Has the macro compile the sources, if rustc is asked for code. Nothing is done here: this runs for `cargo check` too.
fn compile(sources: &Path) {
    for part in ["src", "include"] {
        println!("cargo:rerun-if-changed={}", sources.join(part).display());
    }
    println!("cargo:vendored=1");
    println!("cargo:rustc-link-search=native={}", out_folder().display());
    println!("cargo:rustc-env=RONDO_SYS_SOURCES={}", sources.display());
    for name in ["TARGET", "HOST"] {
        println!("cargo:rustc-env=RONDO_SYS_{}={}", name, env::var(name).expect("cargo sets it"));
    }
    println!("cargo:rustc-env=RONDO_SYS_COMPILER={}", compiler().replace('\n', " "));
}

/// What chooses the compiler and how it is called, as the crate `cc` looks for it.
fn compiler() -> String {
    let target = env::var("TARGET").expect("cargo sets TARGET");
    let mut found = String::new();
    for name in ["CXX", "CXXFLAGS", "AR", "ARFLAGS", "CXXSTDLIB"] {
        let of_target = [format!("{}_{}", name, target), format!("{}_{}", name, target.replace('-', "_"))];
        for name in
            of_target.into_iter().chain([format!("TARGET_{}", name), format!("HOST_{}", name), name.to_string()])
        {
            println!("cargo:rerun-if-env-changed={}", name);
            if let Ok(value) = env::var(&name) {
                found += &format!("{}={} ", name, value);
            }
        }
    }
    found
}

fn out_folder() -> PathBuf {
    PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"))
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
    } else {
        let_cargo_run_find(folder);
    }
}

/// `cargo run` and `cargo test` look for shared libraries in the folders that build scripts name, if those are in the
/// target folder: so the library gets a link there.
fn let_cargo_run_find(folder: &Path) {
    let out = out_folder();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with("librondo.so") {
            let link = out.join(entry.file_name());
            let _ = fs::remove_file(&link);
            if let Err(problem) = std::os::unix::fs::symlink(entry.path(), &link) {
                fail(&format!("{}: {}", link.display(), problem));
            }
        }
    }
    println!("cargo:rustc-link-search=native={}", out.display());
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
    pkg_config::Config::new().range_version(&from[..]..&to[..]).statik(cfg!(feature = "static")).probe("rondo").map(
        |found| {
            if !cfg!(feature = "static") {
                found.link_paths.iter().for_each(|folder| let_cargo_run_find(folder));
            }
        },
    )
}
