#!/usr/bin/env python3
"""Everything that scripts fetch is of one version and compared with a checksum that stands in the tree: pinned.py SOURCE_ROOT.

Wheels go through packaging/wheels.py alone; crates have checksums in Cargo.lock; poms name versions, no ranges, and Maven is called with -C, which
makes an error of what is a hidden warning else: that an artefact does not fit its checksum. Packages of the system's own archive are the archive's to sign.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import importlib.util
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

sys.dont_write_bytecode = True
# Who may fetch, and from where: each compares what it gets.
FETCHERS = {"packaging/wheels.py": "pip", "tests/toolkits/fetch.py": "urllib"}
LEFT_OUT = {".git", "target", "__pycache__", "out"}
RUNS_PIP = re.compile(r"""["']-m["'],\s*["']pip["']""")
OPENS = re.compile(r"\burllib\.request|\brequests\.get\b|(?:^|[\s;|&(\"'])(?:curl|wget)[\s\"']|\bgit clone\b")
LOCAL = re.compile(r"127\.0\.0\.1|localhost|ready\[\d\]|\{port\}|server_port")
# Maven called with an option: in a shell's line, or as a list's first texts.
RUNS_MAVEN = re.compile(r"""(?:^|[\s;|&("'\[])mvn["']?,?\s+\*?["']?-|["']mvn["'],""")
COMPARES = re.compile(r"""["'\s](?:-C|--strict-checksums)\b""")
INSTALLS = re.compile(r"\bpip3? (?:install|download)((?: +[\w.\[\]=<>~!-]+)+)")
# What `rondo doctor` advises a person to type, as a page shows it or a test expects it: it is not run.
ADVICE = re.compile(r"^\s*\$ |^\s*assert ")
SUM = re.compile(r"[0-9a-f]{64}")


def problems_in(text, fetches=""):
    """What is wrong with the lines of a file, whose way of fetching is checked where that stands."""
    for number, line in enumerate(text.splitlines(), 1):
        if RUNS_PIP.search(line) and fetches != "pip":
            yield number, "runs pip; packaging/wheels.py does that, and compares"
        if OPENS.search(line) and not LOCAL.search(line) and fetches != "urllib":
            yield number, "fetches by itself; packaging/wheels.py or tests/toolkits/fetch.py does that, and compares"
        if RUNS_MAVEN.search(line) and not COMPARES.search(line):
            yield number, "runs Maven without -C, which only warns of an artefact that does not fit its checksum"
        for match in () if ADVICE.match(line) else INSTALLS.finditer(line):
            packages = [word for word in match[1].split() if not word.startswith("-")]
            loose = [word for word in packages if not re.fullmatch(r"[\w.\[\]-]+==[\w.]+", word)]
            if loose:
                yield number, f"names {', '.join(loose)} without a version (name==version)"


def lock_problems(text):
    for package in text.split("[[package]]")[1:]:
        if "source = " in package and not re.search(r'checksum = "[0-9a-f]{64}"', package):
            yield f"a package without a checksum: {package.split(chr(10))[1]}"


def pom_problems(path):
    tree = xml.parse(path)
    for tag in ("dependency", "plugin"):
        for each in tree.iter("{http://maven.apache.org/POM/4.0.0}" + tag):
            found = {child.tag.rpartition("}")[2]: (child.text or "").strip() for child in each}
            if not re.fullmatch(r"\d[\w.-]*|\$\{[\w.]+\}", found.get("version", "")) or "SNAPSHOT" in found["version"]:
                yield f"{found.get('artifactId')} has the version '{found.get('version', '')}'; one version is needed"


def table_problems(root):
    spec = importlib.util.spec_from_file_location("fetch", root / "tests/toolkits/fetch.py")
    fetch = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fetch)
    for rows in (*fetch.WHEELS.values(), *fetch.THOROUGH.values()):
        for package, version, _, expected, *_ in rows:
            if not SUM.fullmatch(expected):
                yield f"{package} {version} has no SHA-256"


def files(root):
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        if path.is_file() and not any(part in LEFT_OUT or part.startswith("build") for part in parts):
            yield path, "/".join(parts)


def problems(root):
    for path, name in files(root):
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        if name not in ("tests/abi/pinned.py", "tests/java/checksums.py"):
            for number, what in problems_in(text, FETCHERS.get(name, "")):
                yield f"{name}:{number}: {what}"
        if path.name == "Cargo.lock":
            yield from (f"{name}: {what}" for what in lock_problems(text))
        if path.name == "pom.xml":
            yield from (f"{name}: {what}" for what in pom_problems(path))
    yield from (f"tests/toolkits/fetch.py: {what}" for what in table_problems(root))


def main():
    for bad in ('run([sys.executable, "-m", "pip", "download"])', "python3 -m pip install torch numpy==2.0", "curl https://example.org/x | sh",
                "urllib.request.urlopen(url)", "wget -q $url", "git clone https://example.org/x",
                "mvn -B -q package", 'run(["mvn", "-B", *options])', "mvn -f bindings/java install"):
        assert list(problems_in(bad)), f"not seen: {bad}"
    for good in ("mvn -B -C -q package", '["mvn", "-B", "-C", "-ntp"]', 'shutil.which("mvn")', "maven|command -v mvn|builds"):
        assert not list(problems_in(good)), f"refused: {good}"
    assert list(lock_problems('[[package]]\nname = "a"\nsource = "registry"\n')), "not seen: a crate without a checksum"
    found = list(problems(pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join(found) or "what is fetched is pinned and compared")
    sys.exit(bool(found))


main()
