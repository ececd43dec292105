#!/usr/bin/env python3
"""Makes the portable build and the packages, and uses each where nothing else of Rondo is.

    shipped.py FOLDER CASE CONFORMANCE_PROGRAM...

CASE is the name of one of the functions below without its `case_`. The build is made in FOLDER by the first case that runs, and again when a source
has changed.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

from consumer import Installed, ROOT, about, placeholders, run, skip, version

sys.path.insert(0, str(ROOT / "bindings/rust/tests"))
import package as crates  # noqa: E402 - what is packed is tried there with a stand-in, too

FOLDER, PROGRAMS = pathlib.Path(sys.argv[1]).absolute(), sys.argv[3:]
TREE, PACKAGES = FOLDER / "tree/usr", FOLDER / "packages"


def old():
    """The folder of the older system: `sysroot` to compile against, `root` to run in."""
    made = subprocess.run([ROOT / "packaging/portable/sysroot"], capture_output=True, text=True)
    if made.returncode != 0:
        skip(made.stderr.strip().splitlines()[-1].removeprefix("error: "))
    return pathlib.Path(made.stdout.strip())


def make():
    """What is shipped. Without the older system it cannot be made here, which is no failure."""
    old()
    made = subprocess.run([ROOT / "packaging/packages", FOLDER], stderr=subprocess.STDOUT, stdout=subprocess.PIPE, text=True)
    assert made.returncode == 0, made.stdout


def old_compiler():
    sysroot = old() / "sysroot"
    folders = sysroot / "usr/lib/x86_64-linux-gnu", sysroot / "lib/x86_64-linux-gnu"
    return "cc", f"--sysroot={sysroot}", f"-B{folders[0]}/", *(f"-L{folder}" for folder in folders)


def in_old_system(program, libraries, *arguments):
    """What a program prints that runs with the older system's loader and C library."""
    system = old() / "root"
    folder = system / "lib/x86_64-linux-gnu"
    environment = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    return run(system / folder / "ld-linux-x86-64.so.2", "--library-path", f"{folder}:{libraries}", program, *arguments,
               env={**environment, "RONDO_CACHE": "off"}).strip()


def temporary():
    return tempfile.TemporaryDirectory(prefix="rondo-shipped-")


def use(installed, folder):
    installed.command_works()
    for kind in installed.links_shared, installed.links_static, installed.found_by_cmake:
        (folder / kind.__name__).mkdir()
        kind(folder / kind.__name__)


def case_elf():
    """Versions needed, exports, hardening and sizes of what is shipped."""
    library = TREE / f"lib/librondo.so.{version()}"
    print(run(sys.executable, ROOT / "tests/packaging/elf.py", "--released", library, TREE / "bin/rondo"))
    print(run(sys.executable, ROOT / "tests/abi/symbols.py", library, ROOT / "include", ROOT / "tests/abi/symbols.txt"))
    # The static library needs no C++ library.
    wanted = {line.split()[-1] for line in run("nm", "--undefined-only", TREE / "lib/librondo.a").splitlines() if line.split()[:1] == ["U"]}
    assert not any(name.startswith("_ZSt") or name.startswith("_ZNSt") for name in wanted), sorted(wanted)


def case_old_system():
    """Linked, opened as a plugin's library, and as the command, with the C library of an older system."""
    with temporary() as name:
        folder = pathlib.Path(name)
        installed = Installed(TREE, compiler=old_compiler())
        flags = ["-std=c99", ROOT / "tests/packaging/use.c", f"-I{TREE}/include", f"-L{installed.libraries}", "-lrondo", "-lpthread"]
        run(*old_compiler(), *flags, "-o", folder / "use")
        run(*old_compiler(), "-std=c99", ROOT / "examples/c/hello.c", *flags[2:], "-o", folder / "hello")
        assert in_old_system(folder / "hello", installed.libraries) == "1 4 7 10"
        run(*old_compiler(), "-DPLUGIN", "-shared", "-fPIC", *flags, "-o", folder / "plugin.so")
        run(*old_compiler(), "-std=c99", ROOT / "tests/packaging/open.c", "-ldl", "-lpthread", "-o", folder / "open")
        assert in_old_system(folder / "use", installed.libraries) == version()
        assert in_old_system(folder / "open", installed.libraries, folder / "plugin.so", "librondo.so.0").split() == [version()] * 2
    assert in_old_system(TREE / "bin/rondo", installed.libraries, "--version") == version()
    assert "cpu:0" in in_old_system(TREE / "bin/rondo", installed.libraries, "info")


def case_conformance():
    """The conformance suite on the shipped library: C++ programs with another C++ library than the one inside, whose exceptions pass through."""
    environment = {**os.environ, "LD_LIBRARY_PATH": str(TREE / "lib"), "RONDO_TEST_QUICK": "1", "RONDO_CUDA_DRIVER": "none"}
    for program in PROGRAMS:
        loaded = run("ldd", program, env=environment)
        assert f"librondo.so.0 => {TREE}/lib/librondo.so.0" in loaded, loaded
        done = subprocess.run([program, "--gtest_brief=1"], env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert done.returncode == 0, done.stdout
        print(pathlib.Path(program).name, done.stdout.splitlines()[-1])


def case_tarball():
    """Unpacked anywhere, it is found by pkg-config and CMake, and linked in both ways."""
    with temporary() as name:
        folder = pathlib.Path(name)
        archive = PACKAGES / f"rondo-{version()}-linux-x86_64.tar.gz"
        with tarfile.open(archive) as packed:
            assert all(member.uid == 0 and member.name.startswith(archive.name.removesuffix(".tar.gz")) for member in packed)
            packed.extractall(folder)
        installed = Installed(folder / archive.name.removesuffix(".tar.gz"))
        installed.files("share/rondo/abi.json", "bin/rondo")
        installed.documents()
        installed.describes_itself()
        use(installed, folder)


def package(name):
    return PACKAGES / f"{name}_{version()}_amd64.deb"


def case_debs():
    """Installed by dpkg in an empty root that has an older C library, they are complete there; removed, they leave nothing."""
    names = ["librondo0", "librondo-onnx0", "librondo-dev", "rondo"]
    with temporary() as name:
        folder = pathlib.Path(name)
        root = folder / "root"
        shutil.copytree(old() / "root", root, symlinks=True)
        database = root / "var/lib/dpkg"
        (database / "info").mkdir(parents=True)
        (database / "updates").mkdir()
        (database / "status").write_text("".join(
            f"Package: {package}\nStatus: install ok installed\nMaintainer: none\nArchitecture: amd64\nVersion: {number}\nDescription: part of the root\n\n"
            for package, number in (("libc6", "2.28-10"), ("libgcc1", "1:8.3.0-6"))))
        dpkg = ["dpkg", f"--root={root}", "--force-not-root", "--force-script-chrootless", "--force-bad-path", f"--log={folder}/log"]
        before = sorted(path for path in (root / "usr").rglob("*") if path.is_file())
        if os.geteuid() != 0:
            for each in names:
                run("dpkg-deb", "-x", package(each), root)
        else:
            run(*dpkg, "--install", *map(package, names))
            assert "not installed" not in run(*dpkg, "--status", *names)
        installed = Installed(root / "usr")
        installed.files(*(f"share/doc/{each}/copyright" for each in names), "share/rondo/abi.json")
        installed.documents()
        for each in names:
            fields = {name: run("dpkg-deb", "-f", package(each), name).strip() for name in ("Maintainer", "Homepage", "Description")}
            told = about(ROOT)
            assert fields["Maintainer"] == f"{told['maintainer']} <{told['address']}>" and fields["Homepage"] == told["homepage"], fields
            assert told["description"] in fields["Description"], fields
        print(f"packaging/about.json: placeholders are {', '.join(placeholders(ROOT)) or 'none'}")
        use(installed, folder)
        assert in_old_system(root / "usr/bin/rondo", root / "usr/lib", "--version") == version()
        assert "MatMul" in in_old_system(root / "usr/bin/rondo-convert", root / "usr/lib", "--operators").split()
        if os.geteuid() == 0:
            run(*dpkg, "--purge", *names)
            assert sorted(path for path in (root / "usr").rglob("*") if path.is_file()) == before


# What docs/install.md shows of a program's pom.xml.
SHOWN = re.search(r"^```xml\n(.*?)^```", (ROOT / "docs/install.md").read_text(), re.MULTILINE | re.DOTALL)[1]
PROJECT = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>example</groupId>
  <artifactId>example</artifactId>
  <version>1</version>
  <repositories><repository><id>shipped</id><url>file://{shipped}</url></repository></repositories>
{shown}  <build><plugins>
    <plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.1</version></plugin>
    <plugin><artifactId>maven-compiler-plugin</artifactId><version>3.13.0</version></plugin>
  </plugins></build>
</project>
"""
# Maven's plugins come from the user's repository, where making the jars has put them; nothing else of it is seen.
SETTINGS = """<settings><localRepository>{local}</localRepository>
  <mirrors><mirror><id>stored</id><mirrorOf>central</mirrorOf><url>file://{stored}</url></mirror></mirrors>
</settings>
"""


def case_jars():
    """A project of Maven's that knows nothing but their names compiles and runs with them, on the class path and as modules."""
    if not shutil.which("mvn"):
        skip("Maven is not installed")
    with temporary() as name:
        folder = pathlib.Path(name)
        artifact = folder / "shipped/dev/rondo/rondo" / version()
        artifact.mkdir(parents=True)
        files = {path.name.removeprefix(f"rondo-{version()}"): path for path in PACKAGES.glob("rondo-*") if path.suffix in (".jar", ".pom")}
        assert set(files) == {".jar", "-linux-x86_64.jar", "-sources.jar", "-javadoc.jar", ".pom"}, sorted(files)
        for path in files.values():
            shutil.copy(path, artifact)
            (artifact / f"{path.name}.sha1").write_text(hashlib.sha1(path.read_bytes()).hexdigest())
        project = folder / "project"
        (project / "src/main/java").mkdir(parents=True)
        shutil.copy(ROOT / "examples/java/Hello.java", project / "src/main/java")
        (project / "pom.xml").write_text(PROJECT.format(shipped=folder / "shipped", shown=SHOWN))
        (folder / "settings.xml").write_text(SETTINGS.format(local=folder / "local", stored=pathlib.Path.home() / ".m2/repository"))
        print(run("mvn", "-B", "-C", "-q", "-s", folder / "settings.xml", "-f", project, "test-compile"))
        jars = sorted((folder / "local/dev/rondo/rondo" / version()).glob("*.jar"))
        assert len(jars) == 2, jars
        path, classes = ":".join(map(str, jars)), project / "target/classes"
        environment = {key: value for key, value in os.environ.items() if key not in ("LD_LIBRARY_PATH", "CLASSPATH")}
        for placed in (["-cp", f"{classes}:{path}"], ["-p", path, "--add-modules", "dev.rondo,dev.rondo.natives", "-cp", classes]):
            out = run("java", *placed, "Hello", env={**environment, "RONDO_CUDA_DRIVER": "none"})
            assert out == "Tensor[F32 [4] on cpu:0\n[ 1.0,  4.0,  7.0, 10.0]]\n", out
        with zipfile.ZipFile(files["-linux-x86_64.jar"]) as natives:
            natives.extractall(folder)
        print(run(sys.executable, ROOT / "tests/packaging/elf.py", "--portable", *(folder / "dev/rondo/native/linux-x86_64").glob("*.so*")))


def case_crates():
    """They carry the library that their sources make, and a program is built with it in seconds, that starts in an older system."""
    if not shutil.which("cargo"):
        skip("cargo is not installed")
    with temporary() as name:
        folder = pathlib.Path(name)
        crates.unpack(PACKAGES, folder)
        [carried] = (folder / "rondo-sys/vendor/lib").glob("*/librondo.a")
        # The folder has as many parents as the first: paths in the objects are the same.
        again = FOLDER.with_name("shipped-again")
        run(ROOT / "packaging/portable/build", again)
        made = (again / "packaging/portable/librondo.a").read_bytes()
        sums = [hashlib.sha256(data).hexdigest() for data in (carried.read_bytes(), made)]
        assert sums[0] == sums[1], f"the crate carries a library whose SHA-256 is {sums[0]}, and the sources make one of {sums[1]}"
        assert carried.with_name("librondo.a.sha256").read_text() == f"{sums[1]}  librondo.a\n"

        crates.write_program(folder)
        environment = {**crates.settings_without(folder, "pkg-config", "c++", "g++"), "CXX": "false", "RONDO_CUDA_DRIVER": "none"}
        start = time.monotonic()
        built, said = crates.build_program(folder, environment)
        seconds = time.monotonic() - start
        assert built and seconds <= 30, f"{seconds:.0f} s\n{said}"
        crates.started(shutil.copy(folder / "target/debug/program", folder / "moved"), folder, environment)
        # A program asks for the C library that it was linked with: for that of the older system if it is linked as the portable build is.
        target = carried.parent.name
        flags = " ".join(f"-Clink-arg={flag}" for flag in (*old_compiler()[1:], "-Wl,--allow-shlib-undefined"))
        built, said = crates.build_program(folder, {**environment, f"CARGO_TARGET_{target.upper().replace('-', '_')}_RUSTFLAGS": flags}, "--target", target)
        assert built, said
        program = folder / "target" / target / "debug/program"
        print(run(sys.executable, ROOT / "tests/packaging/elf.py", "--portable", program))
        assert in_old_system(program, folder) == f"rondo {version()}"


def case_repeated():
    """Made again from the same sources, the packages have the same bytes."""
    first = (PACKAGES / "SHA256SUMS").read_text()
    with temporary() as name:
        run(ROOT / "packaging/packages", FOLDER, name + "/again")
        assert (pathlib.Path(name) / "again/SHA256SUMS").read_text() == first


make()
cases = {name.removeprefix("case_"): case for name, case in globals().copy().items() if name.startswith("case_")}
cases[sys.argv[2]]()
