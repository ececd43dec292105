//! Compiles the library: every `.cc` file of `src` but those of the command, and the one that Meson's build makes by a script.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::collections::hash_map::DefaultHasher;
use std::fmt::Write as _;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{env, fs, io, process};

const FLAGS: &[&str] = &[
    "-std=c++20",
    "-pthread",
    "-fvisibility=hidden",
    "-fvisibility-inlines-hidden",
    // No value depends on the last two, but vectors do.
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
];
const ARCHIVE: &str = "librondo.a";
/// A folder that is being filled, by the process whose number follows.
const MAKING: &str = "rondo-sys-making-";

/// Puts the library into `OUT_DIR`. What was compiled is kept in the target folder for all profiles, features and
/// commands, under a name that says of what and by what it was made.
pub(crate) fn library(root: &Path) -> Result<(), String> {
    let out = PathBuf::from(variable("OUT_DIR")?);
    let target = target_folder(&out)?;
    let mut sources = Vec::new();
    collect(&root.join("src"), &mut sources)?;
    sources.sort();
    let kept = target.join(format!("rondo-sys-{:016x}", key(root)?));
    if !kept.join(ARCHIVE).exists() {
        remove_interrupted(target);
        let making = target.join(format!("{}{}", MAKING, process::id()));
        let made = make(root, &sources, target, &making).and_then(|()| {
            // Whoever was faster has made the same.
            fs::rename(&making, &kept).or_else(|problem| {
                if kept.join(ARCHIVE).exists() {
                    Ok(())
                } else {
                    Err(told(&kept, &problem))
                }
            })
        });
        let _ = fs::remove_dir_all(&making);
        made?;
    }
    let linked = out.join(ARCHIVE);
    let _ = fs::remove_file(&linked);
    let from = kept.join(ARCHIVE);
    fs::hard_link(&from, &linked)
        .or_else(|_| fs::copy(&from, &linked).map(drop))
        .map_err(|problem| told(&linked, &problem))
}

/// The target folder that `OUT_DIR` is in, or that itself. Cargo locks a profile's folder while it builds; the profiles lie
/// side by side, in a folder of the machine's name where `--target` was given.
fn target_folder(out: &Path) -> Result<&Path, String> {
    let machine = variable("RONDO_SYS_TARGET")?;
    let profile = out.ancestors().find(|folder| folder.join(".cargo-lock").exists());
    Ok(match profile.and_then(Path::parent) {
        Some(folder) if folder.ends_with(machine) => folder.parent().unwrap_or(folder),
        Some(folder) => folder,
        None => out,
    })
}

/// Removes what processes have begun that have ended since.
fn remove_interrupted(target: &Path) {
    for entry in fs::read_dir(target).into_iter().flatten().flatten() {
        let ended = |process: &str| !Path::new("/proc").join(process).exists();
        if entry.file_name().to_str().and_then(|name| name.strip_prefix(MAKING)).map_or(false, ended) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Everything that the archive depends on, but the compiler's own version.
fn key(root: &Path) -> Result<u64, String> {
    let mut key = DefaultHasher::new();
    (env!("CARGO_PKG_VERSION"), FLAGS, variable("RONDO_SYS_TARGET")?, variable("RONDO_SYS_OPTIONS")?).hash(&mut key);
    let mut files = Vec::new();
    for part in ["src", "include"] {
        walk(&root.join(part), &mut |path| files.push(path))?;
    }
    files.sort();
    for file in files {
        (file.strip_prefix(root).unwrap_or(&file), fs::read(&file).map_err(|problem| told(&file, &problem))?)
            .hash(&mut key);
    }
    Ok(key.finish())
}

fn make(root: &Path, sources: &[PathBuf], target: &Path, folder: &Path) -> Result<(), String> {
    let objects = folder.join("objects");
    fs::create_dir_all(&objects).map_err(|problem| told(&objects, &problem))?;
    let names: Vec<_> =
        sources.iter().map(|path| path.strip_prefix(root).unwrap_or(path).display().to_string()).collect();
    write(&folder.join("sources.txt"), &(names.join("\n") + "\n"))?; // for the test that compares it with Meson's list
    let texts = folder.join("device_texts.cc");
    write(&texts, &device_text(&root.join("src/rtc/device"))?)?;

    let mut build = cc::Build::new();
    build
        .cpp(true)
        .target(&variable("RONDO_SYS_TARGET")?)
        .host(&variable("RONDO_SYS_HOST")?)
        .out_dir(&objects)
        .cargo_metadata(false)
        .files(sources)
        .file(&texts)
        .include(root.join("include"))
        .include(root.join("src"))
        .pic(true)
        .warnings(false)
        .define("NDEBUG", None)
        // What the library computes must not depend on whether a Rust program is built for debugging, and its loops over
        // elements are vectors at this level only.
        .opt_level(3)
        .debug(false);
    for flag in FLAGS {
        build.flag(flag);
    }
    let compiler = build.try_get_compiler().map_err(|problem| problem.to_string())?;
    eprintln!(
        "rondo-sys: compiles librondo, {} C++ files, by {}: minutes, once for {}. To save them, install librondo where \
         pkg-config finds it, or set RONDO_LIB_DIR to its folder; CXX=\"ccache c++\" saves them next time.",
        sources.len() + 1,
        compiler.path().display(),
        target.display()
    );
    let start = Instant::now();
    build.try_compile("rondo").map_err(|problem| format!("librondo cannot be compiled: {}", problem))?;
    fs::rename(objects.join(ARCHIVE), folder.join(ARCHIVE)).map_err(|problem| told(folder, &problem))?;
    fs::remove_dir_all(&objects).map_err(|problem| told(&objects, &problem))?;
    eprintln!("rondo-sys: compiled librondo in {} s", start.elapsed().as_secs());
    Ok(())
}

fn variable(name: &str) -> Result<String, String> {
    env::var(name)
        .map_err(|_| format!("{} is not set: this macro is for the crate rondo-sys, whose build script sets it", name))
}

fn told(path: &Path, problem: &io::Error) -> String {
    format!("{}: {}", path.display(), problem)
}

/// All `.cc` files below a folder, without those of the command and of the converter of ONNX models.
fn collect(folder: &Path, sources: &mut Vec<PathBuf>) -> Result<(), String> {
    walk(folder, &mut |path| {
        let of_another =
            path.strip_prefix(folder).map_or(false, |inside| inside.starts_with("tools") || inside.starts_with("onnx"));
        if path.extension().map_or(false, |extension| extension == "cc") && !of_another {
            sources.push(path);
        }
    })
}

fn walk(folder: &Path, file: &mut dyn FnMut(PathBuf)) -> Result<(), String> {
    for entry in fs::read_dir(folder).map_err(|problem| told(folder, &problem))? {
        let path = entry.map_err(|problem| told(folder, &problem))?.path();
        if path.is_dir() {
            walk(&path, file)?;
        } else {
            file(path);
        }
    }
    Ok(())
}

/// What `src/rtc/embed.py` writes: the device's sources as C++ strings, without what only people need. They are not packed,
/// which takes time; one that is not is read as it is.
fn device_text(folder: &Path) -> Result<String, String> {
    let mut file =
        String::from("// Generated by embed.py.\n#include \"rtc/device_text.h\"\n\nnamespace rondo::rtc {\n\n");
    for row in read(&folder.join("texts.list"))?.lines().filter(|row| !row.starts_with('#')) {
        let mut words = row.split_whitespace();
        let name = words.next().expect("each row of texts.list begins with a name");
        writeln!(file, "const char {}[] =", name).expect("writing to a string");
        let text = words.map(|each| Ok(kept(&read(&folder.join(each))?))).collect::<Result<String, String>>()?;
        let characters: Vec<char> = text.chars().collect();
        for piece in characters.chunks(8000) {
            // compilers limit the length of one literal
            let piece: String = piece.iter().collect();
            writeln!(file, "    R\"RONDO({})RONDO\"", piece).expect("writing to a string");
        }
        file.push_str("    ;\n\n");
    }
    file.push_str("}  // namespace rondo::rtc\n");
    Ok(file)
}

/// The lines of a device source that its text has.
fn kept(source: &str) -> String {
    let dropped = |line: &str| {
        let start = line.trim();
        start.is_empty() || ["//", "#pragma once", "#include \""].iter().any(|with| start.starts_with(with))
    };
    source.lines().filter(|line| !dropped(line)).map(|line| line.trim_end().to_string() + "\n").collect()
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|problem| told(path, &problem))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|problem| told(path, &problem))
}
