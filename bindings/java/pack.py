#!/usr/bin/env python3
"""Lays the native files out as the jar of one kind of machine has them, with their hashes.

    pack.py LIBRONDO_JNI LIBRONDO PLATFORM FOLDER [LIBRONDO_ONNX]

writes FOLDER/dev/rondo/native/PLATFORM/{librondo_jni.so,librondo.so.0,librondo_onnx.so.0,natives.sha256}, the converter where it is given, and which class of the jar (Maven adds it) provides
them: FOLDER/META-INF/services/dev.rondo.NativeFiles. The name of a library's file in the build, or
of what a link to it leads to, does not matter.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import hashlib
import pathlib
import shutil
import sys


def main(jni, core, platform, folder, onnx=None):
    target = pathlib.Path(folder, "dev/rondo/native", platform)
    shutil.rmtree(folder, ignore_errors=True)
    target.mkdir(parents=True)
    sums = ""
    for source, name in ((core, "librondo.so.0"), (onnx, "librondo_onnx.so.0"), (jni, "librondo_jni.so")):
        if source is None:
            continue
        data = pathlib.Path(source).read_bytes()
        (target / name).write_bytes(data)
        sums += f"{hashlib.sha256(data).hexdigest()}  {name}\n"
    (target / "natives.sha256").write_text(sums)
    services = pathlib.Path(folder, "META-INF/services")
    services.mkdir(parents=True)
    (services / "dev.rondo.NativeFiles").write_text("dev.rondo.natives.NativeJar\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
