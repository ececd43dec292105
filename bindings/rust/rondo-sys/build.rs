//! Makes librondo available to the linker: the one that the environment names, else the one that the checkout built or
//! the package carries, else one that pkg-config knows, else the sources that come along, which the macro of
//! `rondo-sys-build` compiles with a C++ compiler and nothing more.
//!
//! What was decided stays: the script runs again when its own variables, the library it chose or the sources change, and
//! not when the environment would lead it elsewhere.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

mod sha256;

/// A folder with librondo.so or librondo.a; it must have what is asked for.
const LIB_DIR: &str = "RONDO_LIB_DIR";
/// Set to anything: never compile the sources. It wins over the feature `vendored`, because features of a
/// crate add up and the one who builds has the last word.
const NO_VENDOR: &str = "RONDO_NO_VENDOR";

fn main() {
    for name in [LIB_DIR, NO_VENDOR, "DOCS_RS"] {
        println!("cargo:rerun-if-env-changed={}", name);
    }
    for file in ["build.rs", "sha256.rs"] {
        println!("cargo:rerun-if-changed={}", file);
    }
    let root = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
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
    } else if let Some(library) = carried(&sources) {
        link_carried(&library);
    } else if let Some(library) = built(&sources) {
        println!(
            "cargo:warning=links {}, which is built in this checkout; {} names another folder, and the feature \
             `vendored` compiles the sources",
            library.display(),
            LIB_DIR
        );
        link(&library);
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
        println!("cargo:rustc-env=RONDO_SYS_{}={}", name, variable(name));
    }
    println!("cargo:rustc-env=RONDO_SYS_OPTIONS={}", options().replace('\n', " "));
}

/// Options of the compiler, as the crate `cc` looks for them. Which compiler it is does not count: what one has made is
/// not made again for another.
fn options() -> String {
    let target = variable("TARGET");
    let mut found = String::new();
    for name in ["CXXFLAGS", "CXXSTDLIB"] {
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

/// A variable that cargo sets for every build script.
fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|problem| fail(&format!("{}: {}", name, problem)))
}

fn out_folder() -> PathBuf {
    PathBuf::from(variable("OUT_DIR"))
}

/// Ends the build with one text, instead of a panic's.
fn fail(message: &str) -> ! {
    eprintln!("error: {}", message);
    std::process::exit(1)
}

/// The library in the folder that the user named; anything else there than what is wanted is an error, not a reason to
/// look elsewhere.
fn link_from(folder: &Path) {
    let file = if cfg!(feature = "static") { "librondo.a" } else { "librondo.so" };
    if !folder.join(file).exists() {
        fail(&format!("{} is {}, and there is no {} in it", LIB_DIR, folder.display(), file));
    }
    link(&folder.join(file));
}

/// The library that the package carries for this platform, if for any: of the portable build, with its C++ library inside.
fn carried(packaged: &Path) -> Option<PathBuf> {
    let library = packaged.join("lib").join(variable("TARGET")).join("librondo.a");
    library.exists().then_some(library)
}

/// Links what the package carries, if it is what was packed.
fn link_carried(library: &Path) {
    let beside = library.with_extension("a.sha256");
    let read = |file: &Path| fs::read(file).unwrap_or_else(|problem| fail(&format!("{}: {}", file.display(), problem)));
    let (found, text) = (sha256::sha256(&read(library)), read(&beside));
    let text = String::from_utf8_lossy(&text);
    let packed = text.split_whitespace().next().unwrap_or("nothing");
    if found != packed {
        fail(&format!(
            "{} is not the file that was packed: its SHA-256 is {}, and {} says {}. Have cargo fetch the package anew, set \
             {} to a folder with a library, or compile the sources with the feature `vendored`.",
            library.display(),
            found,
            beside.display(),
            packed,
            LIB_DIR
        ));
    }
    println!("cargo:rerun-if-changed={}", beside.display());
    link_archive(library, &["dl", "pthread", "m"]);
}

/// The newest library of this version that Meson has built below the checkout, without a sanitizer.
fn built(checkout: &Path) -> Option<PathBuf> {
    let checkout = checkout.canonicalize().ok()?;
    let builds = fs::read_dir(checkout).into_iter().flatten().flatten().map(|entry| entry.path());
    builds.filter(|build| plain(build)).filter_map(|build| library_of(&build)).max().map(|(_, library)| library)
}

/// Whether it is a folder of Meson's that was set up without a sanitizer, whose runtime a Rust program has not.
fn plain(build: &Path) -> bool {
    let options = fs::read_to_string(build.join("meson-info/intro-buildoptions.json")).unwrap_or_default();
    let sanitizer = options.split("\"name\": ").find(|option| option.starts_with("\"b_sanitize\""));
    sanitizer.map_or(false, |option| option.contains("\"value\": \"none\""))
}

/// What one build has, and since when: the static library, with which a program starts anywhere, unless it is older than
/// what it is made of.
fn library_of(build: &Path) -> Option<(SystemTime, PathBuf)> {
    let dated = |file: PathBuf| Some((fs::metadata(&file).ok()?.modified().ok()?, file));
    let version = variable("CARGO_PKG_VERSION");
    dated(build.join(format!("src/librondo.so.{}", version)))?; // the archives do not tell theirs
    let parts = dated(build.join("src/librondo.a"));
    let archive = dated(build.join("packaging/portable/librondo.a"))
        .filter(|(made, _)| parts.map_or(false, |(changed, _)| changed <= *made));
    let shared = || dated(build.join("src/librondo.so")).filter(|_| !cfg!(feature = "static"));
    archive.or_else(shared)
}

/// Links this file: librondo.a, else librondo.so.
fn link(library: &Path) {
    if library.extension().map_or(false, |extension| extension == "a") {
        return link_archive(library, &["stdc++", "dl", "pthread", "m"]);
    }
    let folder = look_in_folder_of(library);
    println!("cargo:rustc-link-lib=dylib=rondo");
    let_cargo_run_find(folder);
}

/// Links librondo.a and what it needs.
fn link_archive(library: &Path, needed: &[&str]) {
    look_in_folder_of(library);
    println!("cargo:rustc-link-lib=static=rondo");
    for name in needed {
        println!("cargo:rustc-link-lib=dylib={}", name);
    }
}

/// Has the linker look where the library is, and this script run again when it changes.
fn look_in_folder_of(library: &Path) -> &Path {
    let folder = library.parent().expect("a file is in a folder");
    println!("cargo:rerun-if-changed={}", library.display());
    println!("cargo:rustc-link-search=native={}", folder.display());
    folder
}

/// `cargo run` and `cargo test` look for shared libraries in the folders that build scripts name, if those are in the
/// target folder: so the library gets a link there.
fn let_cargo_run_find(folder: &Path) {
    let out = out_folder();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        // Meson keeps a folder of objects beside it.
        if name.to_string_lossy().starts_with("librondo.so") && !name.to_string_lossy().ends_with(".p") {
            let link = out.join(name);
            let _ = fs::remove_file(&link);
            if let Err(problem) = std::os::unix::fs::symlink(entry.path(), &link) {
                fail(&format!("{}: {}", link.display(), problem));
            }
        }
    }
    println!("cargo:rustc-link-search=native={}", out.display());
}

/// Asks pkg-config for a library from this version to before the next one that may change the interface. It is asked again
/// when the library is gone, not when its variables change.
fn probe() -> Result<(), pkg_config::Error> {
    let number = |name: &str| -> u32 { variable(name).parse().expect(name) };
    let (major, minor) = (number("CARGO_PKG_VERSION_MAJOR"), number("CARGO_PKG_VERSION_MINOR"));
    let from = format!("{}.{}.{}", major, minor, variable("CARGO_PKG_VERSION_PATCH"));
    let to = if major == 0 { format!("0.{}.0", minor + 1) } else { format!("{}.0.0", major + 1) };
    let found = pkg_config::Config::new()
        .range_version(&from[..]..&to[..])
        .statik(cfg!(feature = "static"))
        .env_metadata(false)
        .probe("rondo")?;
    let file = if cfg!(feature = "static") { "librondo.a" } else { "librondo.so" };
    for folder in found.link_paths.iter().filter(|folder| folder.join(file).exists()) {
        println!("cargo:rerun-if-changed={}", folder.join(file).display());
        if !cfg!(feature = "static") {
            let_cargo_run_find(folder);
        }
    }
    Ok(())
}
