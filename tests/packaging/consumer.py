"""Looks at an installed Rondo as a stranger does: what lies where, and whether programs find it, are linked with it and run.

Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True  # the source folder stays as it is
HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
SKIPPED = 77  # what meson takes for skipped
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
sys.path.insert(0, str(ROOT / "packaging"))
from about import about, placeholders


def skip(reason):
    print(reason)
    sys.exit(SKIPPED)


def run(*command, **options):
    """What a command that must succeed prints."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{' '.join(map(str, command))} exits {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout


def version():
    return run(sys.executable, ROOT / "packaging/version.py", ROOT / "include/rondo/base.h").strip()


def the_only(folder, pattern):
    found = [path for path in pathlib.Path(folder).rglob(pattern) if not path.is_symlink() or path.exists()]
    assert len(found) == 1, f"{folder} has {[str(path) for path in found]} for {pattern}"
    return found[0]


class Installed:
    """`prefix` is a folder with include, lib and share. With `sysroot`, paths of the pkg-config file are below that folder."""

    def __init__(self, prefix, sysroot=None, compiler=("cc",)):
        self.prefix = pathlib.Path(prefix)
        self.compiler = compiler
        config = the_only(self.prefix, "rondo.pc")
        self.libraries = config.parent.parent
        self.environment = {**os.environ, "PKG_CONFIG_PATH": str(config.parent), "LD_LIBRARY_PATH": str(self.libraries),
                            "RONDO_CACHE": "off", **({"PKG_CONFIG_SYSROOT_DIR": str(sysroot)} if sysroot else {})}

    def files(self, *paths):
        for path in paths:
            assert (self.prefix / path).is_file(), f"{path} is not installed in {self.prefix}"

    def flags(self, *options, package="rondo"):
        # pkg-config leaves out what it takes for the system's own folders, and these may be in an empty root.
        environment = {**self.environment, "PKG_CONFIG_ALLOW_SYSTEM_LIBS": "1", "PKG_CONFIG_ALLOW_SYSTEM_CFLAGS": "1"}
        return run("pkg-config", *options, package, env=environment).split()

    def runs(self, program):
        said = run(program, env=self.environment).strip()
        assert said == version(), f"{program} prints {said!r}"

    def opens(self, folder, plugin, staying):
        """A program that opens this plugin twice; after the first time the library `staying` is still there."""
        opener = self.compile(folder / "opener", HERE / "open.c", "-ldl", "-pthread")
        said = run(opener, plugin, staying, env=self.environment).split()
        assert said == [version()] * 2, f"{opener} prints {said}"

    def compile(self, output, *words):
        run(*self.compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", *words, "-o", output)
        return output

    def links_shared(self, folder):
        program = self.compile(folder / "shared", HERE / "use.c", *self.flags("--cflags", "--libs"), "-pthread")
        assert "librondo.so.0" in run("readelf", "--dynamic", program)
        self.runs(program)
        plugin = self.compile(folder / "plugin.so", "-DPLUGIN", "-shared", "-fPIC", HERE / "use.c", *self.flags("--cflags", "--libs"), "-pthread")
        self.opens(folder, plugin, "librondo.so.0")

    def links_converter(self, folder):
        """The library that reads ONNX models, and its command; where it was built."""
        if not list(self.libraries.glob("librondo_onnx.so*")):
            print("librondo_onnx was not built (libprotozero-dev is not installed)")
            return
        program = self.compile(folder / "converter", HERE / "use_onnx.c", *self.flags("--cflags", "--libs", package="rondo_onnx"))
        assert "librondo_onnx.so.0" in run("readelf", "--dynamic", program)
        self.runs(program)
        assert "MatMul" in run(self.prefix / "bin/rondo-convert", "--operators", env=self.environment).split()

    def links_static(self, folder):
        """With what pkg-config says and nothing else, from a folder that has no shared library."""
        alone = folder / "alone"
        alone.mkdir()
        shutil.copy(self.libraries / "librondo.a", alone)
        flags = [word for word in self.flags("--static", "--cflags", "--libs") if word != f"-L{self.libraries}"]
        program = self.compile(folder / "static", HERE / "use.c", f"-L{alone}", *flags)
        assert "librondo" not in run("readelf", "--dynamic", program)
        self.runs(program)
        self.exports_the_c_interface_alone()
        # Where both libraries lie in one folder, rondo-static takes the archive. The C++ wrapper's functions keep their own names without
        # optimisation, and a plugin stays when it is closed.
        flags = self.flags("--cflags", "--libs", package="rondo-static")
        program = folder / "wrapper"
        run("c++", "-std=c++17", "-O0", "-fkeep-inline-functions", HERE / "use.cc", *flags, "-o", program)
        assert "librondo" not in run("readelf", "--dynamic", program)
        self.runs(program)
        plugin = self.compile(folder / "plugin.so", "-DPLUGIN", "-shared", "-fPIC", HERE / "use.c", *flags)
        assert "NODELETE" in run("readelf", "--dynamic", plugin)
        self.opens(folder, plugin, plugin)
        # What is linked statically as a whole opens no library, and says so.
        said = run(self.compile(folder / "whole", "-static", "-DFEATURES", HERE / "use.c", *flags), env=self.environment)
        assert said.count("is linked statically as a whole") == 2 and said.endswith(version() + "\n"), said

    def exports_the_c_interface_alone(self):
        names = {line.split()[-1] for line in run("nm", "--defined-only", "--extern-only", self.libraries / "librondo.a").splitlines()
                 if len(line.split()) == 3}
        assert names and all(name.startswith("rondo_") for name in names), sorted(names)[:5]

    def found_by_cmake(self, folder, kinds=("rondo", "rondo_static")):
        def configure(wanted):
            return subprocess.run(["cmake", "-S", str(HERE), "-B", str(folder / f"cmake-{wanted}"), f"-DWANTED={wanted}", "-DCMAKE_BUILD_TYPE=Release",
                                   f"-DCMAKE_PREFIX_PATH={self.prefix}"], capture_output=True, text=True)

        if not shutil.which("cmake"):
            skip("cmake is not installed")
        major, minor, _ = map(int, version().split("."))
        for wanted in version(), f"{major}.{minor}":
            good = configure(wanted)
            assert good.returncode == 0 and f"found version {version()}" in good.stdout, good.stdout + good.stderr
        for wanted in f"{major}.{minor + 1}", f"{major + 1}":
            assert "considered but not accepted" in configure(wanted).stderr, wanted
        run("cmake", "--build", folder / f"cmake-{version()}")
        assert {path.name for path in (folder / f"cmake-{version()}").glob("use_*")} == {f"use_{kind}" for kind in kinds}
        for kind in kinds:
            program = folder / f"cmake-{version()}" / f"use_{kind}"
            assert ("librondo.so.0" in run("readelf", "--dynamic", program)) == (kind == "rondo")
            self.runs(program)

    def command_works(self):
        """The command, and the completion of three shells that belongs to it."""
        command = self.prefix / "bin/rondo"
        assert run(command, "--version", env=self.environment).strip() == version()
        for shell, path in ("bash", "bash-completion/completions/rondo"), ("zsh", "zsh/site-functions/_rondo"), \
                ("fish", "fish/vendor_completions.d/rondo.fish"):
            assert (self.prefix / "share" / path).read_text() == run(command, "completion", shell, env=self.environment)

    def documents(self):
        """README, pages and examples are there, and each link of a page leads to a file or to where the tree can be read."""
        folder = self.prefix / "share/doc/rondo"
        self.files(*(f"share/doc/rondo/{name}" for name in ("LICENSE", "README.md", "CHANGELOG.md", "docs/README.md", "docs/tutorial.md", "docs/speed.svg",
                                                            "examples/c/hello.c", "examples/cpp/hello.cc", "examples/rust/hello.rs", "examples/java/Hello.java")))
        links = [(page, link) for page in folder.rglob("*.md") for link in re.findall(r"\]\(([^)\s#]+)", CODE.sub("", page.read_text()))]
        dead = [f"{page.relative_to(folder)}: {link}" for page, link in links if ":" not in link and not (page.parent / link).exists()]
        assert len(links) > 100 and not dead, dead
        elsewhere = {link for _, link in links if link.startswith(about(ROOT)["files"])}
        lost = [link for link in elsewhere if not (ROOT / link.removeprefix(about(ROOT)["files"] + "/")).exists()]
        assert elsewhere and not lost, lost

    def describes_itself(self):
        """The pkg-config files say what about.py says."""
        for package, more in ("rondo", ""), ("rondo-static", " Linked statically."):
            text = the_only(self.prefix, f"{package}.pc").read_text()
            assert f"\nDescription: {about(ROOT)['description']}{more}\n" in text and f"\nURL: {about(ROOT)['homepage']}\n" in text, text

    def manual_page(self):
        if not shutil.which("man"):
            skip("man is not installed")
        page = the_only(self.prefix / "share/man/man1", "rondo.1*")
        environment = {**os.environ, "MANWIDTH": "100", "MAN_KEEP_FORMATTING": "", "LC_ALL": "C.UTF-8"}
        shown = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", str(page)], capture_output=True, text=True, env=environment)
        assert shown.returncode == 0 and not shown.stderr, shown.stderr
        for part in "SYNOPSIS", "--json", "EXIT STATUS", "RONDO_CACHE", version():
            assert part in shown.stdout, f"the manual page lacks {part}:\n{shown.stdout}"
