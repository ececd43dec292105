"""Where the library comes from while a program is built and run, without compiling it: a kind of run.py.

Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import run

# A compiler that counts what it is asked to compile and makes objects of nothing.
COMPILER = """\
#!/bin/sh
case " $* " in
*" -c "*) ;;
*) exec c++ "$@" ;;
esac
echo >> "{count}"
while [ "$1" != -o ]; do shift; done
exec c++ -x c++ -c /dev/null -o "$2"
"""


def library(build):
    run.require_crates()
    target = build / "rust-library"
    environment = {key: value for key, value in os.environ.items() if key not in ("RONDO_LIB_DIR", "LD_LIBRARY_PATH", "DOCS_RS", "CXXFLAGS")}

    def cargo(*arguments, status=0, **more):
        done = subprocess.run(["cargo", *arguments, "--locked"], cwd=run.HERE, capture_output=True, text=True,
                              env={**environment, "CARGO_TARGET_DIR": str(target), **more})
        assert (done.returncode == 0) == (status == 0), f"cargo {arguments} exits {done.returncode}:\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    # From a folder that no loader knows: the program is found its library by cargo.
    found = {"RONDO_LIB_DIR": str(build / "src")}
    assert "[ 1.0,  4.0,  7.0, 10.0] f32 on cpu:0" in cargo("run", "--example", "hello", **found)

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        count, compiler = folder / "count", folder / "compiler"
        compiler.write_text(COMPILER.format(count=count))
        compiler.chmod(0o755)
        count.touch()
        none = {"PKG_CONFIG_LIBDIR": name, "PKG_CONFIG_PATH": "", "CXX": str(compiler)}
        shutil.rmtree(target)  # as where nothing was built before
        said = cargo("build", "-p", "rondo", **none)
        compiled = len(count.read_text())
        for part in (f"compiles librondo, {compiled} C++ files, by {compiler}", f"once for {target}", "pkg-config", "RONDO_LIB_DIR", "ccache"):
            assert part in said, f"{part} is not in:\n{said}"
        machine = re.search(r"^host: (\S+)", subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout, re.MULTILINE)[1]
        for again in (["--release"], ["--features", "static"], ["--features", "vendored"], ["--target", machine]):
            assert "compiles librondo" not in cargo("build", "-p", "rondo-sys", *again, **none)
        assert len(count.read_text()) == compiled, "another profile, feature or target compiles the library again"
        [kept] = target.glob("rondo-sys-*")
        shutil.rmtree(kept)
        cargo("check", "--all-features", **none)
        cargo("doc", "-p", "rondo", "--no-deps", **none)
        assert len(count.read_text()) == compiled, "checking and documenting compile the library"
        cargo("build", "-p", "rondo-sys", **{**none, "CXXFLAGS": "-O1"})
        assert len(count.read_text()) == 2 * compiled, "other flags do not compile it again"
        broken = cargo("build", "-p", "rondo", status=1, **{**none, "CXX": "false"})
        assert "librondo cannot be compiled" in broken, broken
        refused = cargo("check", status=1, RONDO_NO_VENDOR="1", **none)
        assert "RONDO_NO_VENDOR forbids to compile it" in refused, refused
        refused = cargo("check", status=1, RONDO_LIB_DIR=name)
        assert "there is no librondo.so in it" in refused, refused
