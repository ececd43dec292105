#!/usr/bin/env python3
"""Writes what the crates have from the C headers: the declarations (by bindgen), the initial values of structs, the lists
of operators and of other enums, and what C names are called in Rust.

    generate.py           writes rondo-sys/src/bindings.rs and the folder rondo/src/generated
    generate.py --check   compares instead; exits 77 with a sentence when bindgen or rustfmt is not there

bindgen is the one of Debian 12, so that everybody's output is the same: apt-get install bindgen rustfmt.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import difflib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from names import names_text
from operators import generated_texts

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
INCLUDE = ROOT / "include"
BINDGEN = "0.60.1"  # its output differs from version to version
NAMES = "(rondo|RONDO|DLManaged).*"
SKIPPED = 77
LICENCE = "Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0"

class Missing(Exception):
    """A tool is not there."""


def tool(name, wanted=""):
    path = shutil.which(name)
    version = subprocess.run([path, "--version"], capture_output=True, text=True).stdout.strip() if path else ""
    if not version.startswith(f"{name} {wanted}"):
        raise Missing(f"{name} {wanted} is needed and {version or 'none'} is there; on Debian 12: apt-get install {name}")
    return path


def formatted(text):
    done = subprocess.run([tool("rustfmt"), "--edition", "2021", "--config-path", HERE / "rustfmt.toml"], input=text,
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"rustfmt refuses what was generated:\n{done.stderr}")
    return done.stdout


def declarations():
    """The headers in Rust, by bindgen."""
    # The C compiler's own headers: Debian's libclang comes without any.
    own = subprocess.run(["cc", "-print-file-name=include"], capture_output=True, text=True, check=True).stdout.strip()
    command = [tool("bindgen", BINDGEN), INCLUDE / "rondo/rondo.h", "--rust-target", "1.47", "--no-rustfmt-bindings",
               "--default-enum-style", "consts", "--no-prepend-enum-name", "--size_t-is-usize", "--disable-header-comment",
               "--ctypes-prefix", "::std::os::raw",
               "--allowlist-function", NAMES, "--allowlist-type", NAMES, "--allowlist-var", NAMES,
               "--", f"-I{INCLUDE}", f"-I{own}", "-fparse-all-comments"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"bindgen fails:\n{done.stderr}")
    return re.sub(r'# \[doc = " ---[^"]*"\] ?', "", done.stdout)  # a heading of the header is not about one item


def described():
    """The C interface as JSON (docs/abi.md)."""
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "abi.json"
        subprocess.run([sys.executable, ROOT / "packaging/abi/describe.py", "--version", "0", "--include", INCLUDE,
                        "--output", output, "--", *os.environ.get("CC", "cc").split()], check=True)
        return json.loads(output.read_text())


def rust_value(field):
    """What a field of a struct begins with."""
    default, pointers, count = field["default"], field["pointers"], field.get("count")
    if default == "size":
        return "::std::mem::size_of::<Self>()"
    if field["kind"] == "callback":
        return "None"
    if pointers:
        assert default is None, f"{field['name']} begins with an address: {default}"
        return "::std::ptr::null()" if field["const"] else "::std::ptr::null_mut()"
    if count:
        assert len(set(default)) == 1, f"{field['name']} begins with different numbers: {default}"
        assert not default[0] or len(default) == count, f"{field['name']} begins with {default} and then zeros"
        return f"[{default[0]}; {count}]"
    if field["base"] == "rondo_device":
        kind, index = (default + [0, 0])[:2]
        return f"rondo_device {{ kind: {kind}, index: {index} }}"
    return repr(float(default)) if field["base"] == "double" else str(default)


def initial_values(description):
    """The *_INIT macros as constants, which bindgen cannot see."""
    for struct in description["structs"]:
        if struct.get("initializer"):
            name = struct["name"]
            fields = ", ".join(f"{field['name']}: {rust_value(field)}" for field in struct["fields"])
            value = f"{name} {{ {fields} }}".replace("<Self>", f"<{name}>")
            yield f"/// What a `{name}` begins with.\npub const {struct['initializer']}: {name} = {value};\n"


def bindings_text(description):
    return formatted(f"// Written by generate.py from the C headers.\n//\n// {LICENCE}\n\n{declarations()}\n" +
                     "\n".join(initial_values(description)))


def main(arguments):
    description = described()
    try:
        files = {HERE / "rondo-sys/src/bindings.rs": bindings_text(description)}
        for name, text in {**generated_texts(description), "names.rs": names_text(description)}.items():
            files[HERE / "rondo/src/generated" / name] = formatted(text)
    except Missing as missing:
        print(missing)
        return SKIPPED if "--check" in arguments else 1
    left_over = [file for file in (HERE / "rondo/src/generated").glob("*.rs") if file not in files]
    if "--check" not in arguments:
        for file, text in files.items():
            file.parent.mkdir(exist_ok=True)
            file.write_text(text)
        for file in left_over:
            file.unlink()
        return 0
    different = [line for file, text in files.items() for line in difflib.unified_diff(
        (file.read_text() if file.exists() else "").splitlines(), text.splitlines(), str(file.relative_to(HERE)), "as generated", lineterm="")]
    different += [f"{file.relative_to(HERE)} is no longer generated" for file in left_over]
    print("\n".join(different[:100]) or "the generated files are as the headers have it")
    if different:
        print("bindings/rust/generate.py writes them anew")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
