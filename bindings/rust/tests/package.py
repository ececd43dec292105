"""Packing the crates and building from the packed files alone; building with the oldest Rust. Kinds of run.py.

Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

import run

CRATES = ("rondo-sys-build", "rondo-sys", "rondo")
# The newest of what the build of rondo-sys needs that the oldest promised Rust compiles; docs/rust.md tells users.
OLDER = (("cc", "1.0.90"), ("jobserver", "0.1.31"), ("libc", "0.2.155"))

PROGRAM = """\
use rondo::{Device, Engine, Tensor};

fn main() -> Result<(), rondo::Error> {
    let engine = Engine::new()?;
    let a = Tensor::from_slice(&engine, Device::CPU, 3, &[1.0f32, 2.0, 3.0])?;
    assert_eq!((&a * &a)?.sum(..)?.item::<f32>()?, 14.0);
    println!("rondo {}", rondo::version_text());
    Ok(())
}
"""


def packed(build, folder):
    """The crates as cargo packs them, unpacked in the folder: nothing else is there."""
    with tempfile.TemporaryDirectory() as output:
        run.call([run.HERE / "package", build, output])
        for crate in CRATES:
            [file] = pathlib.Path(output).glob(f"{crate}-[0-9]*.crate")
            with tarfile.open(file) as archive:
                archive.extractall(folder)
            (folder / file.stem).rename(folder / crate)
            size = file.stat().st_size
            assert size < 5_000_000, f"{file.name} has {size} bytes: does it hold what it should not?"


def meson_sources(build):
    """Sources of librondo as Meson compiles them, beginning with `src/`, and the one it makes."""
    targets = json.loads((build / "meson-info/intro-targets.json").read_text())
    sources = [source for target in targets if target["name"] in ("rondo", "rondo_loops", "rondo_lean") and target["type"] == "static library"
               for source in target["target_sources"]]
    listed = {pathlib.Path(file) for source in sources for file in source.get("sources", [])}
    made = {pathlib.Path(file) for source in sources for file in source.get("generated_sources", [])}
    return {file.relative_to(run.ROOT).as_posix() for file in listed}, made


def package(build):
    """A program built in an empty folder from what cargo packs, with the C++ sources compiled by cargo alone."""
    run.require_crates()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        packed(build, folder)
        (folder / "program/src").mkdir(parents=True)
        (folder / "program/src/main.rs").write_text(PROGRAM)
        (folder / "program/Cargo.toml").write_text(
            '[package]\nname = "program"\nversion = "1.0.0"\nedition = "2021"\n\n[dependencies]\nrondo = "0.1.0"\n\n'
            '[patch.crates-io]\n' + "".join(f'{crate} = {{ path = "../{crate}" }}\n' for crate in CRATES))
        environment = {key: value for key, value in os.environ.items() if key not in ("RONDO_LIB_DIR", "DOCS_RS")}
        # No installed librondo; the compiler alone, without optimisation, because this is about what is there.
        environment.update(PKG_CONFIG_LIBDIR=str(folder), PKG_CONFIG_PATH="", PATH=path_without(folder, "meson", "ninja", "python3"),
                           CARGO_TARGET_DIR=str(folder / "target"), CXXFLAGS="-O0",
                           CXX=f"{'ccache ' if shutil.which('ccache') else ''}{os.environ.get('CXX', 'c++')}")
        done = subprocess.run(["cargo", "run", "--quiet"], cwd=folder / "program", env=environment, capture_output=True, text=True)
        assert done.returncode == 0 and done.stdout.startswith("rondo 0."), done.stdout + done.stderr
        [made] = (folder / "target").glob("rondo-sys-*/sources.txt")
        ours = set(made.read_text().splitlines())
        listed, generated = meson_sources(build)
        assert ours == listed, f"only cargo compiles {sorted(ours - listed)}, only Meson {sorted(listed - ours)}"
        assert {file.name for file in generated} == {"device_text.cc"}, f"cargo does not make {generated}"
        for file in generated:
            assert file.read_text() == (made.parent / file.name).read_text(), f"cargo makes another {file.name} than Meson"
        print(f"{len(ours)} sources, as Meson has them")
        environment.update(RONDO_LIB_DIR=str(folder))
        done = subprocess.run(["cargo", "build", "--quiet"], cwd=folder / "program", env=environment, capture_output=True, text=True)
        assert done.returncode != 0 and "there is no librondo.so in it" in done.stderr, done.stderr


def path_without(folder, *programs):
    """A PATH on which these programs fail."""
    shadow = folder / "shadow"
    shadow.mkdir()
    for program in programs:
        (shadow / program).write_text("#!/bin/sh\nexit 1\n")
        (shadow / program).chmod(0o755)
    return f"{shadow}{os.pathsep}{os.environ['PATH']}"


def oldest():
    """The oldest Rust that the manifests promise, as (version, cargo, rustc), or None."""
    promised = {re.search(r'^rust-version = "(.*?)"', (run.HERE / crate / "Cargo.toml").read_text(), re.MULTILINE)[1]
                for crate in CRATES}
    [version] = promised
    folders = [os.environ.get("RONDO_TEST_MSRV", ""), "/usr/bin", *map(str, pathlib.Path.home().glob(f".rustup/toolchains/{version}*/bin"))]
    for folder in filter(None, folders):
        rustc, cargo = pathlib.Path(folder) / "rustc", pathlib.Path(folder) / "cargo"
        if rustc.exists() and cargo.exists():
            told = subprocess.run([rustc, "--version"], capture_output=True, text=True).stdout
            if told.startswith(f"rustc {version}."):
                return version, cargo, rustc
    return version, None, None


def msrv(build):
    """The crates, without what is optional, by the oldest Rust; what they depend on is laid beside them by today's."""
    run.require_crates()
    version, cargo, rustc = oldest()
    if cargo is None:
        run.skip(f"there is no Rust {version} (RONDO_TEST_MSRV: the folder of its rustc and cargo; on Debian 12 apt's rustc and cargo)")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for crate in CRATES:
            shutil.copytree(run.HERE / crate, folder / crate)
        (folder / "Cargo.toml").write_text(f"[workspace]\nmembers = {json.dumps(CRATES)}\n")
        shutil.copy(run.HERE / "Cargo.lock", folder)
        for crate, older in OLDER:
            run.call(["cargo", "update", "--quiet", "-p", crate, "--precise", older], folder)
        (folder / ".cargo").mkdir()
        configuration = subprocess.run(["cargo", "vendor"], cwd=folder, capture_output=True, text=True)
        if configuration.returncode != 0:
            sys.exit(configuration.stderr)
        (folder / ".cargo/config.toml").write_text(configuration.stdout)
        settings = run.settings(build)
        settings.update(CARGO_TARGET_DIR=str(folder / "target"), RUSTC=str(rustc), RUSTUP_TOOLCHAIN="")
        run.call([cargo, "test", "--offline", "--lib", "--tests"], folder, **settings)
