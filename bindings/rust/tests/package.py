"""Packing the crates and building from the packed files alone, with the library that they carry and without; building with the oldest Rust. Kinds
of run.py.

Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
"""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

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


# Made of the standard alone, for lengths around which a block ends.
SUMS = """\
#[path = {file}]
mod sha256;

fn main() {{
    for length in (0..=130).chain([1000]) {{
        println!("{{}}", sha256::sha256(&(0..length).map(|at| (at * 7) as u8).collect::<Vec<u8>>()));
    }}
}}
"""


def stand_in(build, folder):
    """A folder as the portable build leaves it, with this build's library, which brings this machine's C++ library along."""
    (folder / "packaging/portable").mkdir(parents=True)
    run.call([sys.executable, run.ROOT / "packaging/portable/merge.py", build / "src/librondo.a", folder / "packaging/portable/librondo.a",
              *os.environ.get("CXX", "c++").split()])
    return folder


def unpack(crates, folder):
    """Unpacks the crates there, as they came from cargo: nothing else is there. The library may be most of one, and no crate is larger than promised."""
    for crate in CRATES:
        [file] = crates.glob(f"{crate}-[0-9]*.crate")
        with tarfile.open(file) as archive:
            archive.extractall(folder)
        (folder / file.stem).rename(folder / crate)
        size, most = file.stat().st_size, 8_000_000 if crate == "rondo-sys" else 500_000
        assert size <= most, f"{file.name} has {size} bytes, more than {most}: does it hold what it should not?"


def packed(build, folder):
    """The crates of a portable build, unpacked in the folder."""
    with tempfile.TemporaryDirectory() as output:
        run.call([run.HERE / "package", build, output])
        unpack(pathlib.Path(output), folder)


def write_program(folder):
    """A program that depends on the crates beside it."""
    (folder / "program/src").mkdir(parents=True)
    (folder / "program/src/main.rs").write_text(PROGRAM)
    (folder / "program/Cargo.toml").write_text(
        '[package]\nname = "program"\nversion = "1.0.0"\nedition = "2021"\n\n[features]\nvendored = ["rondo/vendored"]\n\n'
        '[dependencies]\nrondo = "0.1.0"\n\n[patch.crates-io]\n' + "".join(f'{crate} = {{ path = "../{crate}" }}\n' for crate in CRATES))


def settings_without(folder, *tools):
    """The environment of a user who has no librondo and whose PATH has none of these tools."""
    names = ("RONDO_LIB_DIR", "RONDO_NO_VENDOR", "DOCS_RS", "LD_LIBRARY_PATH", "PKG_CONFIG_PATH")
    environment = {key: value for key, value in os.environ.items() if key not in names}
    return {**environment, "PKG_CONFIG_LIBDIR": str(folder), "PATH": path_without(folder, *tools), "CARGO_TARGET_DIR": str(folder / "target")}


def build_program(folder, environment, *arguments):
    """What cargo says, and whether it built the program."""
    done = subprocess.run(["cargo", "build", *arguments], cwd=folder / "program", env=environment, capture_output=True, text=True)
    return done.returncode == 0, done.stdout + done.stderr


def carried(build):
    """A program is built from the packed crates with the library that they carry, and with no other that they might."""
    run.require_crates()
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory() as elsewhere:
        folder = pathlib.Path(name)
        refused = subprocess.run([run.HERE / "package", folder, name], capture_output=True, text=True)
        assert refused.returncode == 1 and f"{folder}/packaging/portable/librondo.a is not there" in refused.stderr, refused
        refused = subprocess.run([run.HERE / "package", build, name], capture_output=True, text=True)
        assert refused.returncode == 1 and "librondo.a needs a C++ library" in refused.stderr, refused
        packed(stand_in(build, folder / "portable"), folder)
        write_program(folder)
        environment = {**settings_without(folder, "meson", "ninja", "python3", "pkg-config", "c++", "g++"), "CXX": "false"}
        start = time.monotonic()
        built, said = build_program(folder, environment)
        assert built, said
        print(f"built in {time.monotonic() - start:.0f} s")
        program = shutil.copy(folder / "target/debug/program", elsewhere)
        needed = subprocess.run(["readelf", "--dynamic", program], capture_output=True, text=True, check=True).stdout
        assert "NEEDED" in needed and "librondo" not in needed and "libstdc++" not in needed, needed
        started(program, elsewhere, environment)
        for change in {"PKG_CONFIG_PATH": str(build / "meson-uninstalled")}, {"CXX": "c++"}, {"PATH": os.environ["PATH"]}:
            built, said = build_program(folder, {**environment, **change})
            assert built and "Compiling" not in said, f"{change} compiles something anew:\n{said}"
        damaged(folder, environment)
        sums(folder)


def started(program, elsewhere, environment):
    """The program starts where nothing of Rondo is."""
    done = subprocess.run([program], cwd=elsewhere, env={**environment, "RONDO_CACHE": "off"}, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("rondo 0."), done


def damaged(folder, environment):
    """A carried library that is not the packed one is refused, by name and with both sums."""
    [library] = (folder / "rondo-sys/vendor/lib").glob("*/librondo.a")
    beside = library.with_name("librondo.a.sha256")
    whole = library.read_bytes()
    packed = hashlib.sha256(whole).hexdigest()
    assert beside.read_text() == f"{packed}  librondo.a\n", beside.read_text()
    for bytes_now in whole[:-1] + bytes([whole[-1] ^ 1]), whole[:4096]:
        library.write_bytes(bytes_now)
        built, said = build_program(folder, environment)
        for part in (f"{library} is not the file that was packed", hashlib.sha256(bytes_now).hexdigest(), f"{beside} says {packed}"):
            assert not built and part in said, f"{part} is not in:\n{said}"
    library.write_bytes(whole)
    beside.unlink()
    built, said = build_program(folder, environment)
    assert not built and f"{beside}: No such file" in said, said


def sums(folder):
    """The build script's own SHA-256 is the standard's."""
    (folder / "sums.rs").write_text(SUMS.format(file=json.dumps(str(run.HERE / "rondo-sys/sha256.rs"))))
    run.call(["rustc", "--edition", "2021", folder / "sums.rs", "-o", folder / "sums"])
    ours = subprocess.run([folder / "sums"], capture_output=True, text=True, check=True).stdout.split()
    assert ours == [hashlib.sha256(bytes(at * 7 % 256 for at in range(length))).hexdigest() for length in (*range(131), 1000)], ours


def package(build):
    """A program built in an empty folder from what cargo packs, with the C++ sources compiled by cargo alone."""
    run.require_crates()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        packed(stand_in(build, folder / "portable"), folder)
        write_program(folder)
        # No installed librondo; the compiler alone, without optimisation, because this is about what is there.
        environment = {**settings_without(folder, "meson", "ninja", "python3"), "CXXFLAGS": "-O0",
                       "CXX": f"{'ccache ' if shutil.which('ccache') else ''}{os.environ.get('CXX', 'c++')}"}
        built, said = build_program(folder, environment, "--features", "vendored")
        assert built, said
        started(folder / "target/debug/program", folder, environment)
        built, said = build_program(folder, {**environment, "RONDO_LIB_DIR": name})
        assert not built and "there is no librondo.so in it" in said, said


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
