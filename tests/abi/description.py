#!/usr/bin/env python3
"""The description of the C interface (packaging/abi) says what the headers say, as the compiler understands them.

    description.py ABI_JSON INCLUDE_FOLDER SYMBOLS_FILE C_COMPILER...

- It has the functions of symbols.txt, each with a text and a version, each parameter with a line of text.
- The compiler accepts every function and callback declared again from the description, and agrees on each enum's values, each
  struct's size, alignment and offsets, and the defaults of the _INIT macros.
- A parameter may be NULL where its text says so.
- Out-parameters come last, lengths name parameters, and handles have their destroy function, as docs/conventions.md says.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import json
import pathlib
import re
import subprocess
import sys
import tempfile


def listed(file):
    return {line.split()[1] for line in pathlib.Path(file).read_text().splitlines() if line and not line.startswith("#")}


def type_of(parameter, name=""):
    """A parameter as C spells it."""
    if "(*)" in parameter["type"]:
        return parameter["type"].replace("(*)", f"(*{name})")
    return f"{parameter['type']} {name}".strip()


def check_words(abi, symbols):
    names = {function["name"] for function in abi["functions"]}
    yield from (f"{name} is not in the description" for name in sorted(symbols - names))
    yield from (f"{name} is not in symbols.txt" for name in sorted(names - symbols))
    for function in abi["functions"] + abi["callbacks"]:
        name, parameters = function["name"], function["parameters"]
        if not function["text"]:
            yield f"{name} has no text"
        if function in abi["functions"] and not function["since"]:
            yield f"{name} says not since which version"
        own = {parameter["name"] for parameter in parameters}
        last_in = max((i for i, p in enumerate(parameters) if p["direction"] == "in" and p["name"] not in ("capacity", "bytes")),
                      default=-1)
        for i, parameter in enumerate(parameters):
            where = f"{name}: parameter {parameter['name']}"
            if not parameter["text"]:
                yield f"{where} has no text: name it in the comment of the function (or in MEANINGS of packaging/abi/describe.py)"
            allowed = re.search(rf"(?<![\w*]){parameter['name']}(?: and \w+)? \(?(?:may be )?NULL|NULL is allowed|NULL means the defaults",
                                parameter["brief"] or parameter["text"])
            if parameter.get("nullable") is False and allowed:
                yield f"{where}: '{allowed.group()}' stands in its text, and it is not nullable"
            length = parameter.get("length")
            if length and length not in own and not re.search(r" of \w+$", length):
                yield f"{where}: its length '{length}' is no parameter"
            if length and length not in own and length.split()[-1] not in own:
                yield f"{where}: its length '{length}' is of no parameter"
            if parameter["direction"] == "out" and i < last_in:
                yield f"{where} is an out-parameter before an in-parameter"
            if (parameter["kind"] == "memory" or "char" in parameter["type"]) and parameter["direction"] == "out" \
                    and parameter["pointers"] == 1 and not length:
                yield f"{where} is filled and has no length"
    for handle in abi["handles"]:
        owned = any(p["base"] == handle["name"] and p.get("ownership") == "owned"
                    for function in abi["functions"] for p in function["parameters"])
        if owned and not handle["destroy"]:
            yield f"{handle['name']} is owned by the caller and has no {handle['name']}_destroy"
    for table in ("enums", "structs", "functions", "callbacks", "handles"):
        if not abi[table]:
            yield f"the description has no {table}"


def claims(abi):
    """C that compiles only if the description is right."""
    yield from (f"#include <{header['name']}>" for header in abi["headers"])
    yield "#include <stddef.h>"
    yield "#define IS(name, what, value) typedef char name[(what) == (value) ? 1 : -1]"
    for function in abi["functions"]:
        parameters = ", ".join(type_of(parameter, parameter["name"]) for parameter in function["parameters"]) or "void"
        yield f"{function['returns']['type']} {function['name']}({parameters});"
    for callback in abi["callbacks"]:
        parameters = ", ".join(type_of(parameter, parameter["name"]) for parameter in callback["parameters"])
        yield f"typedef {callback['returns']['type']} (*{callback['name']})({parameters});"
    for i, constant in enumerate(abi["constants"]):
        yield f"IS(constant{i}, {constant['name']}, {constant['value']});"
    for enum in abi["enums"]:
        yield from (f"IS(is_{value['name']}, {value['name']}, {value['value']});" for value in enum["values"])
        # One that the description lacks: -Werror=switch-enum finds it here.
        cases = " ".join(f"case {value['name']}: return 1;" for value in enum["values"])
        yield f"int all_of_{enum['name']}({enum['name']} value); int all_of_{enum['name']}({enum['name']} value) " \
              f"{{ switch (value) {{ {cases} }} return 0; }}"
    for struct in abi["structs"]:
        name = struct["name"]
        yield f"IS(size_{name}, sizeof({name}), {struct['size']});"
        yield f"IS(align_{name}, __alignof__({name}), {struct['align']});"
        end = 0
        for field in struct["fields"]:
            yield f"IS(offset_{name}_{field['name']}, offsetof({name}, {field['name']}), {field['offset']});"
            yield f"IS(size_{name}_{field['name']}, sizeof((({name}*)0)->{field['name']}), {field['size']});"
            # No field between: nothing but what aligns the next one.
            assert 0 <= field["offset"] - end < struct["align"], f"{name}.{field['name']}: a field before it is not described"
            end = field["offset"] + field["size"]
        assert 0 <= struct["size"] - end < struct["align"], f"{name}: its last field is not described"


def value_of(field, default):
    if default == "size":
        return "sizeof described"
    if isinstance(default, list):
        return "{" + ", ".join(value_of(field, part) for part in default) + "}"
    return "NULL" if default is None else repr(default)


def defaults(abi):
    """A program that ends with 0 if each _INIT macro gives the described defaults."""
    yield from (f"#include <{header['name']}>" for header in abi["headers"])
    yield from ("#include <stdio.h>", "#include <string.h>", "int main(void) { int wrong = 0;")
    for struct in abi["structs"]:
        if struct["initializer"]:
            values = ", ".join(f".{field['name']} = {value_of(field, field['default'])}" for field in struct["fields"])
            yield f"{{ static const {struct['name']} real = {struct['initializer']};"
            yield f"  static const {struct['name']} described = {{{values}}};"
            for field in struct["fields"]:
                yield f"  if (memcmp(&real.{field['name']}, &described.{field['name']}, sizeof real.{field['name']}) != 0) " \
                      f"{{ puts(\"{struct['initializer']} sets {field['name']} otherwise\"); wrong = 1; }}"
            yield "}"
    yield "return wrong; }"


def compiles(lines, include, compiler, *options):
    return subprocess.run([*compiler, "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Werror=switch-enum", "-Wno-unused",
                           "-Wno-missing-field-initializers", "-I", include, "-x", "c", *options, "-"],
                          input="\n".join(lines) + "\n", text=True, capture_output=True)


def main(description, include, symbols, *compiler):
    abi = json.loads(pathlib.Path(description).read_text(encoding="utf-8"))
    problems = list(check_words(abi, listed(symbols)))
    run = compiles(claims(abi), include, compiler, "-fsyntax-only")
    if run.returncode != 0:
        problems.append(f"the compiler disagrees:\n{run.stderr}")
    for broken in ([f"IS(broken, sizeof({abi['structs'][0]['name']}), {abi['structs'][0]['size'] + 1});"],
                   ["int rondo_last_error(int);"]):
        if compiles([*claims(abi), *broken], include, compiler, "-fsyntax-only").returncode == 0:
            problems.append(f"the compiler takes what is wrong: {broken[0]}")
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/defaults"
        run = compiles(defaults(abi), include, compiler, "-o", program)
        if run.returncode != 0:
            problems.append(f"the defaults do not compile:\n{run.stderr}")
        else:
            run = subprocess.run([program], text=True, capture_output=True)
            if run.returncode != 0:
                problems.append(run.stdout.strip() or f"the program of defaults exits {run.returncode}")
    print("\n".join(problems) or f"{len(abi['functions'])} functions, {len(abi['structs'])} structs, {len(abi['enums'])} enums")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
