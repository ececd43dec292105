#!/usr/bin/env python3
"""Makes sources of the Java library from the description of the C interface (docs/abi.md): native methods and their C bodies,
enums, exceptions, options, facts and operators.

    generate.py ABI_JSON OUTPUT_FOLDER
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import hashlib
import json
import os
import pathlib
import sys

import api
import names
import natives

NOTE = "// Made by bindings/java/generate from the C headers. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0\n"
# Structs that Java has a class of its own for, written by hand: it may have another name.
BY_HAND = {"rondo_device", "rondo_argument", "rondo_message", "rondo_exchange_step", "rondo_comm_hooks",
           "rondo_program_save_options", "rondo_program_instance_options"}

# Java's part and the native part are made for each other: the layout of structs is in both.
FINGERPRINT_JAVA = """package dev.rondo;

/** What tells whether librondo_jni was made from the same headers as these classes. */
final class Fingerprint {{
  static final String VERSION = "{version}";
  static final int NUMBER = {number};
  static final String VALUE = "{value}";

  private Fingerprint() {{}}

  static native boolean is(byte[] value);
}}
"""
FINGERPRINT_C = """#include <string.h>

#include "support.h"

JNIEXPORT jboolean JNICALL Java_dev_rondo_Fingerprint_is(JNIEnv* env, jclass self, jbyteArray value) {{
  rondo_jni_text text = {{0}};
  jboolean same = JNI_FALSE;
  (void)self;
  if (rondo_jni_text_get(env, value, &text)) same = strcmp(text.text, "{value}") == 0;
  rondo_jni_text_put(&text);
  return same;
}}
"""


def number(version):
    major, minor, patch = (int(part) for part in version.split("."))
    return major * 10000 + minor * 100 + patch


def files(abi):
    """{path: text} of all that is made."""
    print_of = hashlib.sha256(json.dumps(abi, sort_keys=True).encode()).hexdigest()
    texts = names.Texts(abi, [function["name"] for function in abi["functions"] if api.Operator.is_one(function)])
    made, c = {}, {}

    def java(named):
        made[f"dev/rondo/{named[0]}.java"] = NOTE + named[1]

    found, by_hand = natives.natives(abi)
    for header, methods in found.items():
        java(natives.java_file(header, methods))
        c[f"native_{pathlib.PurePath(header).stem}.c"] = NOTE.replace("// ", "/* ").replace("\n", " */\n") + natives.c_file(header, methods)
    for enum in abi["enums"]:
        java(api.enum_file(texts, enum))
    for named in api.exception_files(texts, next(enum for enum in abi["enums"] if enum["name"] == "rondo_status")):
        java(named)
    for struct in abi["structs"]:
        if struct["name"] not in BY_HAND:
            java((api.options_file if struct["name"].endswith("_options") else api.facts_file)(texts, struct))
    java(("Fingerprint", FINGERPRINT_JAVA.format(version=abi["version"], number=number(abi["version"]), value=print_of)))
    c["native_fingerprint.c"] = NOTE.replace("// ", "/* ").replace("\n", " */\n") + FINGERPRINT_C.format(value=print_of)
    java(api.words_file(abi))
    operators = [api.Operator(abi, texts, method) for methods in found.values() for method in methods
                 if api.Operator.is_one(method.function)]
    java(api.operators_file(texts, operators))
    java(api.methods_file(texts, abi))
    lines = [f"{function['name']} operator" for function in (operator.function for operator in operators)]
    lines += [f"{name} by hand: {why}" for name, why in by_hand.items()]
    lines += [f"{method.function['name']} {names.native_class(header)}.{method.name}" for header, methods in found.items()
              for method in methods if not api.Operator.is_one(method.function)]
    made["functions.txt"] = "\n".join(sorted(lines)) + "\n"
    return made, c


def main(description, output):
    abi = json.loads(pathlib.Path(description).read_text(encoding="utf-8"))
    output = pathlib.Path(output)
    made, c = files(abi)
    sources = output / "generated"
    for old in sources.rglob("*") if sources.exists() else []:
        if old.is_file() and old.relative_to(sources).as_posix() not in made:
            old.unlink()  # of a header that declares less now
    for path, text in [*((sources / name, text) for name, text in made.items()), *((output / name, text) for name, text in c.items())]:
        os.makedirs(path.parent, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
