"""Names of the C interface and what the crate `rondo` has for them, so that messages speak Rust.

An item of the crate says which C names it stands for by `#[doc(alias = "...")]`, by which rustdoc's search finds it too; enums are
generated with theirs. What destroys a handle is called by the type's drop.

Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
"""

import pathlib
import re

from operators import ENUMS, FAMILIES, METHODS, camel, enums_of, head_of, normalisation_names

SOURCES = pathlib.Path(__file__).resolve().parent / "rondo/src"
ALIAS = re.compile(r'\s*#\[doc\(alias = "((?:rondo|RONDO)_\w+)"\)\]')  # others are what other crates call it
ITEM = re.compile(r"\s*pub (?:const )?(?:unsafe )?(fn|struct) (\w+)")


def public_modules():
    """{file: how programs write what is public in it}; a file that is no public module has its functions in another one."""
    front = (SOURCES / "lib.rs").read_text()
    public = re.findall(r"^pub mod (\w+);", front, re.MULTILINE)
    modules = {module: module for module in public}
    for outer in public:
        for inner, names in re.findall(r"pub use crate::(\w+)::(\w+|{[^}]*});", (SOURCES / f"{outer}.rs").read_text()):
            if re.search(r"\b[a-z]", names):  # a function
                modules.setdefault(inner, outer)
    return modules


def aliases(file, module):
    """(C name, Rust name) of each item of a file that has an alias."""
    kind, waiting = None, []
    for line in file.read_text().splitlines():
        block = re.match(r"impl\b(?:<.*?>)? (\w+)", line)
        kind = block[1] if block else None if line.startswith("}") else kind
        alias, item = ALIAS.match(line), ITEM.match(line)
        if alias:
            waiting.append(alias[1])
        elif item and waiting:
            name = item[2] if item[1] == "struct" else f"{kind or module}::{item[2]}"
            yield from ((each, name) for each in waiting)
            waiting = []
    assert not waiting, f"{file.name}: {waiting} are aliases of no function or struct"


def names_of(description):
    """{C name: Rust name}."""
    modules, found = public_modules(), []
    for file in sorted(SOURCES.glob("*.rs")):
        found += aliases(file, modules.get(file.stem, "rondo"))
    for enum, values in enums_of(description).items():
        if enum in ENUMS:
            rust, prefix, _, left_out = ENUMS[enum]
            found += [(enum, rust), *((name, f"{rust}::{camel(name[len(prefix):])}") for name, _, _ in values if name not in left_out)]
    found += [(f"rondo_{name}", f"ops::{name}") for name in normalisation_names()]
    names = dict(found)
    assert len(names) == len(found), f"two items have the alias {[name for name, _ in found if [each for each, _ in found].count(name) > 1]}"
    for handle in description["handles"]:
        if handle["destroy"]:
            names[handle["destroy"]] = names[handle["name"]]
    return names


def unnamed(description, names):
    """Functions whose failures would be told by a name that no Rust program knows."""
    return [function["name"] for function in description["functions"]
            if function["returns"]["base"] == "rondo_status" and function["name"] not in names]


def names_text(description):
    names = names_of(description)
    operators = {f"rondo_{family}_op": f"ops::{family}" for family, *_ in FAMILIES}
    by_operator = [function["name"] for function in description["functions"] for parameter in function["parameters"]
                   if names.get(function["name"], "").startswith(operators.get(parameter["base"], "none"))]
    rows = "\n".join(f'("{name}", "{names[name]}"),' for name in sorted(names))
    return head_of("What the names of the C interface are called here.") + f"""
/// In the order of the bytes of the first.
pub(crate) const NAMES: &[(&str, &str)] = &[
{rows}
];

/// Functions for many operators, each of which is a method of `Tensor`.
pub(crate) const BY_OPERATOR: &[&str] = &[{", ".join(f'"{name}"' for name in sorted(by_operator))}];

/// Operators whose methods have other names.
pub(crate) const METHODS: &[(&str, &str)] = &[{", ".join(f'("{name}", "{method}")' for name, method in METHODS.items())}];
"""
