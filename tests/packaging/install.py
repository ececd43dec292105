#!/usr/bin/env python3
"""Installs a build into an empty folder and uses it from there.

    install.py BUILD CASE

CASE is the name of one of the functions below without its `case_`.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import json
import os
import pathlib
import re
import shutil
import sys
import tempfile

from consumer import Installed, ROOT, run, the_only, version


def case_linked(installed, folder):
    """Programs find it with pkg-config and are linked with the shared library, as a plugin of a program, and with the static library; so they find the converter of ONNX models."""
    for use in installed.links_shared, installed.links_converter, installed.links_static:
        (folder / use.__name__).mkdir()
        use(folder / use.__name__)


def case_uninstalled(build, folder):
    """Programs are built with what is in the build folder, by the files that Meson writes there for pkg-config."""
    for package, shared in ("rondo", True), ("rondo-static", False):
        environment = {**os.environ, "PKG_CONFIG_LIBDIR": f"{build}/meson-uninstalled", "LD_LIBRARY_PATH": f"{build}/src"}
        flags = run("pkg-config", "--cflags", "--libs", package, env=environment).split()
        program = folder / package
        run("cc", "-std=c99", ROOT / "tests/packaging/use.c", *flags, "-pthread", "-o", program, cwd=folder)
        assert ("librondo.so.0" in run("readelf", "--dynamic", program)) == shared, flags
        assert run(program, env=environment).strip() == version()


def case_cmake(installed, folder):
    """find_package finds it, also when the installed tree was moved, and refuses other versions."""
    installed.found_by_cmake(folder)
    moved, again = folder / "elsewhere", folder / "again"
    shutil.move(installed.prefix, moved)
    again.mkdir()
    Installed(moved).found_by_cmake(again)
    Installed(moved).links_shared(again)
    the_only(moved, "librondo.a").unlink()
    (folder / "shared_only").mkdir()
    Installed(moved).found_by_cmake(folder / "shared_only", kinds=("rondo",))


def case_subproject(installed, folder):
    """A Meson project that has no installed Rondo takes the sources as a subproject."""
    (folder / "subprojects").mkdir()
    (folder / "subprojects/rondo").symlink_to(ROOT)
    (folder / "meson.build").write_text("project('user', 'c')\nexecutable('use', 'use.c', dependencies: [dependency('rondo', fallback: 'rondo'), "
                                        "dependency('threads')])\n")
    shutil.copy(ROOT / "tests/packaging/use.c", folder)
    environment = {**os.environ, "PKG_CONFIG_LIBDIR": str(folder)}
    run("meson", "setup", folder / "build", folder, "--force-fallback-for=rondo", "-Drondo:tests=false", "-Drondo:examples=false", env=environment)
    run("ninja", "-C", folder / "build", "-n", "use", env=environment)
    print("Meson takes it as a subproject")


def case_cpp(installed, folder):
    """A program in C++ is built as docs/cpp.md says, by CMake, by Meson and by hand."""
    by_hand = re.search(r"^    (c\+\+ .*)$", (ROOT / "docs/cpp.md").read_text(), re.MULTILINE)[1]
    environment = {**installed.environment, "PKG_CONFIG_ALLOW_SYSTEM_LIBS": "1", "PKG_CONFIG_ALLOW_SYSTEM_CFLAGS": "1"}
    ways = {"cmake": [["cmake", "-S", ".", "-B", "made", f"-DCMAKE_PREFIX_PATH={installed.prefix}"], ["cmake", "--build", "made"]],
            "meson": [["meson", "setup", "made"], ["ninja", "-C", "made"]], "c++": [["mkdir", "made"], ["sh", "-c", by_hand], ["mv", "program", "made"]]}
    for tool, commands in ways.items():
        if not shutil.which(tool):
            print(f"{tool} is not installed")
            continue
        there = folder / tool
        shutil.copytree(ROOT / "tests/packaging/cpp", there)
        shutil.copy(ROOT / "examples/cpp/hello.cc", there / "main.cc")
        for command in commands:
            run(*command, cwd=there, env=environment)
        said = run(there / "made/program", env=installed.environment)
        assert said == "1 4 7 10 \n", f"{tool}: {said}"


def case_files(installed, folder):
    """What belongs to the library and to the command lies in its place."""
    installed.files("include/rondo/rondo.h", "share/rondo/abi.json")
    installed.documents()
    installed.describes_itself()
    assert (installed.prefix / "share/doc/rondo/LICENSE").read_text() == (ROOT / "LICENSE").read_text()
    installed.command_works()
    installed.manual_page()


def main(build, case):
    options = {each["name"]: each["value"] for each in json.loads(run("meson", "introspect", "--buildoptions", build))}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if case == "uninstalled":
            return case_uninstalled(build, folder)
        run("meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", folder / "root")
        (folder / "used").mkdir()
        globals()["case_" + case](Installed(folder / "root" / options["prefix"].lstrip("/"), folder / "root"), folder / "used")


if __name__ == "__main__":
    main(*sys.argv[1:])
