"""Where the library comes from while a program is built and run, without compiling it: a kind of run.py.

Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
"""

import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import run

# A compiler that counts what it is asked to compile; each object is a copy of one of nothing.
COMPILER = """\
#!/bin/sh
case " $* " in
*" -c "*) ;;
*) exec c++ "$@" ;;
esac
echo >> "{count}"
while [ "$1" != -o ]; do shift; done
exec cp "{empty}" "$2"
"""
HELLO = "[ 1.0,  4.0,  7.0, 10.0] f32 on cpu:0"


def library(build):
    run.require_crates()
    target = build / "rust-library"
    names = ("RONDO_LIB_DIR", "RONDO_NO_VENDOR", "LD_LIBRARY_PATH", "DOCS_RS", "CXXFLAGS", "CXXSTDLIB")
    environment = {key: value for key, value in os.environ.items() if key not in names}
    with tempfile.TemporaryDirectory() as name:
        tree = pathlib.Path(name) / "tree"

        def cargo(*arguments, status=0, **more):
            done = subprocess.run(["cargo", *arguments, "--locked"], cwd=tree / "bindings/rust", capture_output=True, text=True,
                                  env={**environment, "CARGO_TARGET_DIR": str(target), "CARGO_INCREMENTAL": "0", "PKG_CONFIG_LIBDIR": name, "PKG_CONFIG_PATH": "", **more})
            assert (done.returncode == 0) == (status == 0), f"cargo {arguments} exits {done.returncode}:\n{done.stdout}{done.stderr}"
            return done.stdout + done.stderr

        lay_out(tree)
        if target.exists():
            shutil.rmtree(target)  # as where nothing was built before
        compiled(build, pathlib.Path(name), target, cargo)
        asked(build, cargo)
        chosen(tree, cargo)
        found(build, tree, cargo)
        # The static library is in the program, which starts without cargo.
        done = subprocess.run([target / "debug/examples/hello"], cwd=name, env=environment, capture_output=True, text=True)
        assert HELLO in done.stdout, done


def lay_out(tree):
    """A checkout that has built nothing."""
    shutil.copytree(run.HERE, tree / "bindings/rust", ignore=shutil.ignore_patterns("target"))
    for part in ("src", "include"):
        (tree / part).symlink_to(run.ROOT / part)


def compiled(build, folder, target, cargo):
    """The sources are compiled once, when code is made, and again for what changes the result alone."""
    count, compiler, empty = folder / "count", folder / "compiler", folder / "empty.o"
    subprocess.run(["c++", "-x", "c++", "-c", os.devnull, "-o", empty], check=True)
    compiler.write_text(COMPILER.format(count=count, empty=empty))
    compiler.chmod(0o755)
    count.touch()
    by = {"CXX": str(compiler)}
    said = cargo("build", "-p", "rondo", **by)
    number = len(count.read_text())
    for part in (f"compiles librondo, {number} C++ files, by {compiler}", f"once for {target}", "pkg-config", "RONDO_LIB_DIR", "ccache"):
        assert part in said, f"{part} is not in:\n{said}"
    pkg_config, tools = str(build / "meson-uninstalled"), f"{folder}{os.pathsep}{os.environ['PATH']}"
    for change in {"PKG_CONFIG_PATH": pkg_config}, {"PATH": tools}, {"CXX": "false"}, {"PKG_CONFIG_PATH": pkg_config, "PATH": tools, "CXX": "c++", "AR": "false"}:
        said = cargo("build", "-p", "rondo", **{**by, **change})
        assert "Compiling" not in said, f"{change} compiles something anew:\n{said}"
    [kept] = target.glob("rondo-sys-*")
    same_sources(build, kept)
    machine = re.search(r"^host: (\S+)", subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout, re.MULTILINE)[1]
    for again in (["--release"], ["--features", "static"], ["--features", "vendored"], ["--target", machine]):
        assert "compiles librondo" not in cargo("build", "-p", "rondo-sys", *again, CXX="false")
    assert len(count.read_text()) == number, "another profile, feature or target compiles the library again"
    shutil.rmtree(kept)
    cargo("check", "--all-features", **by)
    cargo("doc", "-p", "rondo", "--no-deps", **by)
    assert len(count.read_text()) == number, "checking and documenting compile the library"
    cargo("build", "-p", "rondo-sys", **by, CXXFLAGS="-O1")
    assert len(count.read_text()) == 2 * number, "other flags do not compile it again"
    broken = cargo("build", "-p", "rondo-sys", status=1, CXX="false", CXXFLAGS="-O2")
    assert "librondo cannot be compiled" in broken, broken


def meson_sources(build):
    """Sources of librondo as Meson compiles them, beginning with `src/`, and the one it makes."""
    targets = json.loads((build / "meson-info/intro-targets.json").read_text())
    sources = [source for target in targets if target["name"] in ("rondo", "rondo_loops", "rondo_lean") and target["type"] == "static library"
               for source in target["target_sources"]]
    listed = {pathlib.Path(file) for source in sources for file in source.get("sources", [])}
    made = {pathlib.Path(file) for source in sources for file in source.get("generated_sources", [])}
    return {file.relative_to(run.ROOT).as_posix() for each in listed for file in grouped(each, build)}, made


def grouped(file, build):
    """The sources that a file of the build folder has, which Meson compiles in a group (the option `groups`)."""
    if not file.is_relative_to(build):
        return [file]
    return [pathlib.Path(name) for name in re.findall(r'^#include "([^"]+)"$', file.read_text(), re.MULTILINE)]


def unpacked(packed, before=b""):
    """A text of kernels that follows another one, from the bytes that src/rtc/device_text.h states."""
    rest, text = iter(packed), bytearray(before)
    for byte in rest:
        if byte < 128:
            text.append(byte)
            continue
        near = byte < 192
        count = byte % 16 + 3 if near else byte - 192 + 4
        high = (byte - 128) // 16 if near else next(rest) - 1
        back = high * 255 + next(rest)
        for _ in range(count):
            text.append(text[-back])
    return bytes(text[len(before):])


def texts(file):
    """{name: text} of a source that was made of kernels' texts."""
    found = {}
    for name, value in re.findall(r"^const char (\w+)\[\] =\n(.*?)^    ;$", file.read_text(), re.MULTILINE | re.DOTALL):
        raw, escaped = re.findall(r'R"RONDO\((.*?)\)RONDO"', value, re.DOTALL), re.findall(r'^    "(.*)"$', value, re.MULTILINE)
        found[name] = "".join(raw).encode() or re.sub(rb"\\(\d{3})", lambda octal: bytes([int(octal[1], 8)]), "".join(escaped).encode())
    shared = unpacked(found["kReduceText"])
    return {name: (unpacked(packed[1:], shared) if packed[:1] == b"\1" else unpacked(packed)).decode() for name, packed in found.items()}


def same_sources(build, kept):
    """Cargo compiles what Meson compiles, and makes the same texts of kernels."""
    ours = set((kept / "sources.txt").read_text().splitlines())
    listed, generated = meson_sources(build)
    assert ours == listed, f"only cargo compiles {sorted(ours - listed)}, only Meson {sorted(listed - ours)}"
    [file] = generated
    assert (kept / file.name).exists(), f"cargo does not make {file.name}"
    assert texts(file) and texts(file) == texts(kept / file.name), f"cargo makes another {file.name} than Meson"
    print(f"{len(ours)} sources, as Meson has them")


def asked(build, cargo):
    """What the environment names is taken, or the build says what is missing."""
    refused = cargo("check", status=1, RONDO_NO_VENDOR="1")
    assert "RONDO_NO_VENDOR forbids to compile it" in refused, refused
    refused = cargo("check", status=1, RONDO_LIB_DIR=str(build))
    assert "there is no librondo.so in it" in refused, refused
    # From a folder that no loader knows: the program is found its library by cargo.
    assert HELLO in cargo("run", "--example", "hello", RONDO_LIB_DIR=str(build / "src"))


def chosen(tree, cargo):
    """Of what Meson has built in a checkout, the newest that fits is linked, and a warning says so."""
    version = re.search(r'^version = "(.*?)"', (run.HERE / "rondo-sys/Cargo.toml").read_text(), re.MULTILINE)[1]
    times = itertools.count(1_000_000_000)
    runs = itertools.count()

    def make(path):
        file = tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
        os.utime(file, times=(next(times),) * 2)

    def make_build(folder, *, archive=True, sanitizer="none", version=version):
        for file in (f"src/librondo.so.{version}", "src/librondo.so", "src/librondo.a", *(["packaging/portable/librondo.a"] if archive else [])):
            make(f"{folder}/{file}")
        options = tree / folder / "meson-info/intro-buildoptions.json"
        options.parent.mkdir()
        options.write_text(f'[{{"name": "b_pch", "value": true}}, {{"name": "b_sanitize", "value": "{sanitizer}", "choices": ["none", "address"]}}]')

    def links(*features, **environment):
        # Another value runs the script again, as a change of what it decided from would not.
        said = cargo("check", "-p", "rondo-sys", *features, **{"RONDO_NO_VENDOR": str(next(runs)), **environment})
        warned = re.findall(r"warning: rondo-sys@\S+ links (\S+), which is built in this checkout", said)
        return [str(pathlib.Path(file).relative_to(tree.resolve())) for file in warned]

    make_build("build", archive=False)
    assert links() == ["build/src/librondo.so"]
    make_build("build-release")
    assert links() == ["build-release/packaging/portable/librondo.a"]
    make_build("build-address", sanitizer="address,undefined")
    make_build("build-next", version="99.0.0")
    assert links() == ["build-release/packaging/portable/librondo.a"], "one with a sanitizer or of another version is linked"
    make("build-release/src/librondo.a")
    assert links() == ["build-release/src/librondo.so"], "an archive is linked that is older than its parts"
    make("build/src/librondo.so")
    assert links() == ["build/src/librondo.so"], "the older one is linked"
    make("build-release/packaging/portable/librondo.a")
    make("build/src/librondo.so")
    assert links("--features", "static") == ["build-release/packaging/portable/librondo.a"]
    assert links(RONDO_LIB_DIR=str(tree / "build-next/src")) == []
    said = cargo("check", "-p", "rondo-sys", "--features", "vendored")
    assert "which is built in this checkout" not in said, said
    for folder in tree.glob("build*"):
        shutil.rmtree(folder)


def found(build, tree, cargo):
    """What is built in a checkout is linked with a program of the checkout."""
    (tree / "build").symlink_to(build)
    said = cargo("run", "--example", "hello")
    assert HELLO in said and f"links {tree.resolve()}/build/packaging/portable/librondo.a, which is built in this checkout" in said, said
