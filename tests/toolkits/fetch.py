#!/usr/bin/env python3
"""Fetches the real headers of CUDA and the real NVRTC, once: a folder per version of CUDA, made of NVIDIA's wheels.

    fetch.py             fetches the versions that are not there; the last line says what there is; exit 1 if something failed
    fetch.py --complete  fetches nothing; exit 0 if every version is there
    fetch.py --thorough  with what only the longest run takes: the libraries of cuDNN (with --complete as well)

<root>/<major.minor>/include has headers and <root>/<major.minor>/lib libraries; <root>/cudnn-<major.minor>/lib those of cuDNN. The root is the setting RONDO_TEST_TOOLKITS or
rondo-test-toolkits in the user's cache folder. A version's folder appears when it is complete; its file `wheels` says what
it was made of, so that a changed table below makes it again. `pip download` does everything on the network, with its own settings
for index, proxy and certificates, and what it downloads is compared with the table below. Wheels of hundreds of megabytes, of which a few headers are wanted, are
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
import ssl
import sys
import tempfile
import urllib.request
import zipfile

sys.dont_write_bytecode = True  # the source folder stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "packaging"))
import wheels  # noqa: E402
from wheels import Problem  # noqa: E402

# Version of CUDA: (package, its version, whole, parts or large parts, a SHA-256, what is taken of it). The SHA-256 is the wheel's, or, of parts,
# that of the list of files in the wheel, which has those of the files (packaging/wheels.py).
WHEELS = {
    "11.8": [
        ("nvidia-cuda-runtime-cu11", "11.8.89", "whole",
         "92d04069a987e1fbc9213f8376d265df0f7bb42617d44f5eda1f496acea7f2d1",
         "include/*.h*"),
        ("nvidia-cuda-nvrtc-cu11", "11.8.89", "whole",
         "a8d02f3cba345be56b1ffc3e74d8f61f02bb758dd31b0f20e12277a5a244f756",
         "include/*.h*", "lib/libnvrtc.so*", "lib/libnvrtc-builtins.so*"),
        ("nvidia-cuda-nvcc-cu11", "11.8.89", "whole",
         "f8e1e995166c884f2f5bf94975d7abb89175363b8712f7f81cd38d0df1b2cd85",
         "include/crt/*.h*"),
        ("nvidia-cublas-cu11", "11.11.3.6", "parts",
         "1e59978dc2568cb0388ebd540d257e0ccc4f1bdf246ea972db63894f5b65589c",
         "include/*.h*"),
        ("nvidia-cudnn-cu11", "8.9.6.50", "parts",
         "2afbea8bf6c077bda29cee460d5c3ec4a9c548a5c0be8b4fe72b1fab4b90eece",
         "include/*.h"),
        ("nvidia-nccl-cu11", "2.21.5", "parts",
         "d4ee7960449df56656ee3ae8f5d33f29a3f5cd1af09799d842f42cc9edd886b6",
         "include/nccl.h"),
    ],
    "12.9": [
        ("nvidia-cuda-runtime-cu12", "12.9.79", "whole",
         "25bba2dfb01d48a9b59ca474a1ac43c6ebf7011f1b0b8cc44f54eb6ac48a96c3",
         "include/*.h*"),
        ("nvidia-cuda-nvrtc-cu12", "12.9.86", "whole",
         "210cf05005a447e29214e9ce50851e83fc5f4358df8b453155d5e1918094dcb4",
         "include/*.h*", "lib/libnvrtc.so*", "lib/libnvrtc-builtins.so*"),
        ("nvidia-cuda-nvcc-cu12", "12.9.86", "whole",
         "5d6a0d32fdc7ea39917c20065614ae93add6f577d840233237ff08e9a38f58f0",
         "include/crt/*.h*"),
        ("nvidia-cuda-cccl-cu12", "12.9.27", "whole",
         "37869e17ce2e1ecec6eddf1927cca0f8c34e64fd848d40453df559091e2d7117",
         "include/nv/*"),
        ("nvidia-cublas-cu12", "12.9.1.4", "parts",
         "22e6465298f300a8b1bfcfdd6d5e8449d9b8120fccecc09a573e3a3625ccdd08",
         "include/*.h*"),
        ("nvidia-cudnn-cu12", "9.8.0.87", "parts",
         "72b5f0a3da0561cbe7af176a489d2c27c073b0e08b4b29cab8376e6e08838184",
         "include/*.h"),
        ("nvidia-nccl-cu12", "2.27.7", "parts",
         "a991349bfac25be4a6aa4d564ab04dd4a33ea6f41208166df43ad99a138fdcd9",
         "include/nccl.h"),
    ],
    "13.5": [
        ("nvidia-cuda-runtime", "13.5.37", "whole",
         "df2b79a8852f10d1fef8c848489c49eebb5754051bf870202a862831412b179d",
         "include/*.h*"),
        ("nvidia-cuda-nvrtc", "13.5.37", "whole",
         "86b4d68058807988b7d9af5b44917a0601e9c337f35ccd657bfb3c759ff8d8bc",
         "include/*.h*", "lib/libnvrtc.so*", "lib/libnvrtc-builtins.so*"),
        ("nvidia-cuda-crt", "13.5.37", "whole",
         "e898b7f73d3035fa89915a3f7bf3b54a73e90249746111aed295822c4729bb29",
         "include/*.h*"),
        ("nvidia-cuda-cccl", "13.3.5.0.6", "whole",
         "d5230098fa2df5021e1a00c0c4eee41797671a91119d31e892463e5ccf3ee326",
         "include/nv/*"),
        ("nvidia-cublas", "13.10.0.20", "parts",
         "be878bf8a76eb1e4254d46d81c3f0b73f7aa093a5956616960bed8854850185b",
         "include/*.h*"),
        ("nvidia-cudnn-cu13", "9.28.1.4", "parts",
         "a5fbccfc84b1b62db5c087b6a353fec33b317edc4ae833805a4926b96b258339",
         "include/*.h"),
        ("nvidia-nccl-cu13", "2.30.7", "parts",
         "6647a0fa7332d6b42a27b7cf1e8c0e0d37a9c93f06b134cf781db2f188479424",
         "include/nccl.h"),
    ],
}
# What makes plans of convolutions. It takes long to fetch and is a gigabyte, so only the longest run has it.
CUDNN = ("lib/libcudnn.so.9", "lib/libcudnn_graph.so.9", "lib/libcudnn_heuristic.so.9", "lib/libcudnn_engines_precompiled.so.9",
         "lib/libcudnn_engines_runtime_compiled.so.9", "lib/libcudnn_engines_tensor_ir.so.9")
THOROUGH = {
    "cudnn-9.8": [("nvidia-cudnn-cu12", "9.8.0.87", "large parts", "72b5f0a3da0561cbe7af176a489d2c27c073b0e08b4b29cab8376e6e08838184", *CUDNN)],
    "cudnn-9.28": [("nvidia-cudnn-cu13", "9.28.1.4", "large parts", "a5fbccfc84b1b62db5c087b6a353fec33b317edc4ae833805a4926b96b258339", *CUDNN)],
}


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


def take(wheel, read, into, patterns):
    """Unpacks what the patterns name from an open wheel, whose files `read` gives; returns how many files that were."""
    count = 0
    for member in wheel.infolist():
        path = place(member.filename, patterns)
        if member.is_dir() or not path:
            continue
        (into / path).parent.mkdir(parents=True, exist_ok=True)
        (into / path).write_bytes(read(member.filename))
        count += 1
    return count


@contextlib.contextmanager
def whole(package, version, expected, scratch):
    with zipfile.ZipFile(wheels.download(package, version, [expected], scratch)) as wheel:
        yield wheel, wheel.read  # which checks the CRC


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
def parts(package, version, expected, _, step=1 << 18):
    report = wheels.pip("find", package, version, "install", "--dry-run", "--ignore-installed", "--report", "-", f"{package}=={version}")
    url = json.loads(report)["install"][0]["download_info"]["url"]
    with zipfile.ZipFile(io.BufferedReader(Ranges(url), step)) as wheel:
        yield wheel, wheels.Members(package, wheel, expected).read


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
        for package, package_version, way, expected, *patterns in rows(version):
            say(f"{title(version)}: {' and '.join(patterns)} of {package} {package_version}")
            download = pathlib.Path(scratch) / package
            try:
                with WAYS[way](package, package_version, expected, download) as (wheel, read):
                    if take(wheel, read, new, patterns) == 0:
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
