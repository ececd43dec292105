#!/usr/bin/env python3
"""fetch.py makes whole folders or none, and says in a sentence what went wrong: tried on small wheels of an index on this machine."""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import base64
import contextlib
import functools
import hashlib
import http.server
import importlib.util
import io
import os
import pathlib
import re
import sys
import tempfile
import threading
import zipfile

import fetch

MEMBERS = {
    "toolkit-whole": {"nvidia/a/include/cuda.h": b"int cuda;", "nvidia/a/include/deep/er.hpp": b"int deep;", "nvidia/a/include/x.py": b"",
                      "nvidia/a/lib/libnvrtc.so.1": b"library", "nvidia/a/lib/libnvrtc.alt.so.1": b"other", "../include/evil.h": b"evil"},
    "toolkit-large": {"nvidia/b/lib/libbig.so.1": bytes(range(256)) * 4096, "nvidia/b/lib/libother.so.1": b""},
    "toolkit-parts": {"nvidia/cu1/include/crt/host.h": b"int host;", "nvidia/cu1/include/not.h": b""},
    "toolkit-changed": {"nvidia/cu1/include/crt/host.h": b"int host;"},
}
IN_ITS_PLACE = {"toolkit-changed": b"int guest;"}  # what the file is that the list says something else of
EXPECTED = {"include/cuda.h": b"int cuda;", "include/deep/er.hpp": b"int deep;", "lib/libnvrtc.so.1": b"library",
            "include/crt/host.h": b"int host;"}


@functools.cache  # two would differ in their times
def wheel(package, version):
    data, folder = io.BytesIO(), f"{package.replace('-', '_')}-{version}.dist-info"
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in MEMBERS[package].items():
            file.writestr(name, IN_ITS_PLACE.get(package, content))
        file.writestr(f"{folder}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
        file.writestr(f"{folder}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{folder}/RECORD", record(package))
    return data.getvalue()


def record(package):
    """A wheel's list of its files."""
    return "".join(f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip('=')},{len(content)}\n"
                   for name, content in MEMBERS[package].items())


def sha256(data):
    return hashlib.sha256(data).hexdigest()


WHOLE = ("toolkit-whole", "1.0", "whole", sha256(wheel("toolkit-whole", "1.0")), "include/*.h*", "lib/libnvrtc.so*")
LARGE = ("toolkit-large", "3.0", "large parts", sha256(record("toolkit-large").encode()), "lib/libbig.so.*")
PARTS = ("toolkit-parts", "2.0", "parts", sha256(record("toolkit-parts").encode()), "include/crt/*.h*")
CHANGED = ("toolkit-changed", "1.0", "parts", sha256(record("toolkit-changed").encode()), "include/crt/*.h*")
WRONG = "0" * 64


class Index(http.server.BaseHTTPRequestHandler):
    """A package index. `damaged` says how it misbehaves."""
    wheels = {f"{package.replace('-', '_')}-{version}-py3-none-any.whl": wheel(package, version)
              for package, version, *_ in (WHOLE, PARTS, LARGE, CHANGED)}
    damaged, ranges, requests = False, True, 0

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        Index.requests += 1
        name = self.path.strip("/").split("/")[-1]
        data, kind = self.wheels.get(name), "application/octet-stream"
        if data is None:
            links = [file for file in self.wheels if file.startswith(name.replace("-", "_") + "-")]
            data, kind = "".join(f'<a href="/{file}#sha256={hashlib.sha256(self.wheels[file]).hexdigest()}">{file}</a>'
                                 for file in links).encode(), "text/html"
        elif self.damaged:
            data = data[:60] + b"damage" + data[66:]  # in the first file of a wheel
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        ranged = data and asked and self.ranges
        self.send_response(404 if not data else 206 if ranged else 200)
        if ranged:
            first, last = int(asked[1]), min(int(asked[2]), len(data) - 1)
            self.send_header("Content-Range", f"bytes {first}-{last}/{len(data)}")
            data = data[first:last + 1]
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data)

    def log_message(self, *_):
        pass


def run(folder, rows, damaged=False, ranges=True, thorough=None):
    """(exit code, what was said, {file: content} of the version's folder or None, requests) of one run of fetch.py."""
    fetch.WHEELS, fetch.THOROUGH = {"1.0": rows}, {"cudnn-1": thorough} if thorough else {}
    os.environ["RONDO_TEST_TOOLKITS"] = str(folder)
    Index.damaged, Index.ranges, Index.requests = damaged, ranges, 0
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        code = fetch.main(["--thorough"] if thorough else [])
    version = folder / "1.0"
    files = {path.relative_to(version).as_posix(): path.read_bytes() for path in version.rglob("*") if path.is_file()}
    left = [path.name for path in folder.iterdir() if path.name not in ("1.0", "cudnn-1")]
    assert not left, f"left behind: {left}"
    return code, said.getvalue(), files if version.exists() else None, Index.requests


def without_stamp(files):
    return {name: content for name, content in files.items() if name != "wheels"}


def check(folder):
    code, said, files, _ = run(folder / "right", [WHOLE, PARTS])
    assert code == 0 and without_stamp(files) == EXPECTED, (code, said, files)
    assert fetch.main(["--complete"]) == 0

    code, said, files, requests = run(folder / "right", [WHOLE, PARTS])
    assert code == 0 and requests == 0 and without_stamp(files) == EXPECTED, (said, requests)

    code, said, files, requests = run(folder / "right", [WHOLE])  # another table: made again, nothing of the old one stays
    assert code == 0 and requests > 0 and "include/crt/host.h" not in files, said

    code, said, files, _ = run(folder / "whole-only", [WHOLE, PARTS], ranges=False)
    assert code == 0 and "include/crt/host.h" not in files and fetch.main(["--complete"]) == 0, said
    assert b"without toolkit-parts: the server gives files as a whole only" in files["wheels"], files["wheels"]

    code, said, files, _ = run(folder / "other-version", [WHOLE, ("toolkit-parts", "2.1", *PARTS[2:])])
    assert code == 0 and b"without toolkit-parts: pip could not find toolkit-parts 2.1" in files["wheels"], said

    code, said, files, _ = run(folder / "other-list", [WHOLE, (*PARTS[:3], WRONG, *PARTS[4:])])
    assert code == 0 and "include/crt/host.h" not in files and b"without toolkit-parts: the list of files" in files["wheels"], said
    code, said, files, _ = run(folder / "other-file", [WHOLE, CHANGED])
    assert code == 0 and b"is not what its wheel's list says" in files["wheels"], files["wheels"]

    place = folder / "thorough"
    code, said, files, _ = run(place, [WHOLE])
    fetch.THOROUGH = {"cudnn-1": [LARGE]}
    assert code == 0 and fetch.main(["--complete"]) == 0 and fetch.main(["--complete", "--thorough"]) == 1, said
    code, said, *_ = run(place, [WHOLE], thorough=[LARGE])
    assert code == 0 and fetch.main(["--complete", "--thorough"]) == 0, said
    assert sorted(path.name for path in (place / "cudnn-1").rglob("*")) == ["lib", "libbig.so.1", "wheels"], said
    assert (place / "cudnn-1" / "lib" / "libbig.so.1").read_bytes() == MEMBERS["toolkit-large"]["nvidia/b/lib/libbig.so.1"]
    assert list(fetch.folders()) == ["1.0"], "only CUDA's folders have headers"
    code, said, *_ = run(folder / "no-ranges", [WHOLE], thorough=[LARGE], ranges=False)  # nothing is worth having without
    assert code == 1 and "cuDNN 1 was not fetched: the server gives files as a whole only" in said, said
    assert not (folder / "no-ranges" / "cudnn-1").exists()

    for name, rows, damaged, expected in (
            ("damaged", [WHOLE], True, "pip could not download toolkit-whole 1.0: "),
            ("other", [(*WHOLE[:3], WRONG, *WHOLE[4:])], False, "pip could not download toolkit-whole 1.0: "),
            ("unpinned", [(*WHOLE[:3], "", *WHOLE[4:])], False, "toolkit-whole has no SHA-256 to compare with"),
            ("absent", [("toolkit-none", *WHOLE[1:])], False, "pip could not download toolkit-none 1.0: "),
            ("empty", [(*WHOLE[:4], "include/none/*")], False, "toolkit-whole 1.0 holds nothing of that")):
        code, said, files, _ = run(folder / name, rows, damaged=damaged)
        assert code == 1 and files is None and expected in said, (name, code, said, files)
        assert fetch.main(["--complete"]) == 1 and not fetch.folders(), name


def main():
    if not importlib.util.find_spec("pip"):
        print("python3 has no pip (on Debian: the package python3-pip)")
        return 77
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Index)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for name in [name for name in os.environ if name.startswith("PIP_") or name.lower().endswith("_proxy")]:
        del os.environ[name]
    os.environ.update(PIP_INDEX_URL=f"http://127.0.0.1:{server.server_port}/", PIP_CONFIG_FILE=os.devnull, PIP_RETRIES="0",
                      PIP_DISABLE_PIP_VERSION_CHECK="1", PIP_ROOT_USER_ACTION="ignore")
    with tempfile.TemporaryDirectory() as folder:
        check(pathlib.Path(folder))
    print("whole folders or none")
    return 0


if __name__ == "__main__":
    sys.exit(main())
