"""What C++, Rust and Java add to tensors by themselves: public methods and functions that make tensors, by name and what their comments say first.

Each function gives {name in lower case with underscores: (the language's name, sentence)}.

Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
"""

import re

from parts import cpp_names

RUST_METHOD = re.compile(r"((?:^ *(?:///|#\[).*\n)*)^    pub fn (\w+)", re.MULTILINE)
RUST_FREE = re.compile(r"((?:^(?:///|#\[).*\n)*)^pub fn (\w+)", re.MULTILINE)
RUST_BLOCK = re.compile(r"^impl Tensor \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
RUST_SYNONYM = re.compile(r'^    "[\w ,]+" calls "(.*?)"\s+(\w+)(?:<[^>]*>)?\(self', re.MULTILINE)
JAVA_METHOD = re.compile(r"/\*\*(?P<text>(?:(?!\*/).)*)\*/\s+(?:@\w+(?:\([^)]*\))?\s+)*public (?:static |final |synchronized )*(?:<[^>]*> )?[\w<>\[\]?., ]+? (?P<name>\w+)\(", re.DOTALL)
# Java's classes with what a tensor has, and with what makes tensors.
JAVA = {"Tensor": ["Tensor", "TensorViews", "TensorContents", "TensorAliases"], "Engine": ["EngineTensors"]}
# The header of C++ whose free functions make tensors, and those with a tensor's methods.
CPP_FREE = ["create", "shapes", "elementwise", "operators"]
# What every object has, or a language asks for.
EVERYWHERE = {"to_string", "hash_code", "equals", "close", "as_ptr", "get", "release", "swap", "made", "self", "bool", "reset", "made_by"}
# What rows say where no language has a sentence that stands alone.
OWN_WORDS = {"astype": "The elements in another dtype", "dim": "How many axes there are", "ndim": "How many axes there are", "sizes": "The sizes of the axes",
             "index": "The part that an index names: a view, but for indices in a tensor, which are copied", "clone": "A contiguous copy with memory of its own",
             "is_contiguous": "Whether it is row-major without gaps", "strides": "How far apart neighbours are along each axis, in elements",
             "t": "The last two axes exchanged; fewer than two stay as they are", "swap_axes": "Two axes exchanged", "set": "Writes numbers or a tensor into a part",
             "reduce": "A reduction over axes, by default over all", "squeeze": "Without the axes of size 1, or without those that are named",
             "from_dlpack": "Wraps memory of another library without a copy", "notify": "A function to be called when the contents are there",
             "attention_with_lse": "Attention, and the logarithms of the sums", "empty": "A tensor without contents, to be written before it is read",
             "embedding_bag_descend_with": "A step of the rows that a bag read, skipped where a bool is false", "get_value": "The elements as a new array, or a number",
             "matmul_with": "A matrix product with operands transposed, a bias, an activation", "rotary_in_place": "Rotary positions, written where the rows are",
             "choose": "Elements of one tensor where a bool tensor is true, else those of another", "variable": "What orders tasks over the tensor's memory"}


def first_sentence(text):
    flat = " ".join(text.split())
    end = re.search(r"\.(?= |$)|;", flat)
    return flat[:end.start()] if end else flat


def snake(name):
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda m: "_" + m[1].lower(), name).lower()


def cpp(root):
    found = {}
    for header in sorted((root / "include/rondo/hpp").glob("*.hpp")):
        text = header.read_text()
        functions, _ = cpp_names.functions_of(text)
        for kind, private, name, body in functions:
            method = kind == "Tensor" and not name.startswith(("~", "operator", "Tensor"))
            free = kind is None and header.stem in CPP_FREE and not name.startswith("operator") and "::" not in name
            if private or not (method or free):
                continue
            head = body.splitlines()[0]
            comment = re.search(r"((?:^ *//.*\n)+)" + re.escape(head), text, re.MULTILINE)
            said = first_sentence(re.sub(r"^ *// ?(---.*)?", "", comment[1], flags=re.MULTILINE)) if comment else ""
            found.setdefault(name, (f"Tensor::{name}" if method else name, said))
    return found


def rust_text(block):
    said = " ".join(line.strip()[3:].strip() for line in block.partition("///\n")[0].splitlines() if line.strip().startswith("///"))
    return first_sentence(re.sub(r"\[(`[^`]*`)\](?:\([^)]*\))?", r"\1", said).replace("`self`", "the tensor"))


def rust(root):
    found = {}
    folder = root / "bindings/rust/rondo/src"
    for file in sorted(folder.glob("*.rs")):
        text = file.read_text()
        for block in RUST_BLOCK.findall(text):
            for about, name in RUST_METHOD.findall(block):
                found.setdefault(name, (f"Tensor::{name}", rust_text(re.sub(r"^ +", "", about, flags=re.MULTILINE))))
        for about, name in RUST_SYNONYM.findall(text):
            found.setdefault(name, (f"Tensor::{name}", first_sentence(re.sub(r"\[(`[^`]*`)\]", r"\1", about))))
    return found


def java_text(text):
    said = re.sub(r"\{@\w+ #?([^}]*)\}", r"`\1`", re.sub(r"\{@link [^} ]+ ([^}]+)\}", r"`\1`", re.sub(r"^\s*\* ?", "", text, flags=re.MULTILINE))).replace("#", ".")
    said = re.sub(r"`DType\.(\w+)`", r"\1", said)
    return first_sentence(re.split(r"^\s*(?:@|<p>)", said, maxsplit=1, flags=re.MULTILINE)[0])


def java(root):
    found = {}
    for owner, classes in JAVA.items():
        for name in classes:
            text = (root / f"bindings/java/src/main/java/dev/rondo/{name}.java").read_text()
            for match in JAVA_METHOD.finditer(text):
                found.setdefault(snake(match["name"]), (f"{owner}.{match['name']}", java_text(match["text"])))
    return found


def by_name(root):
    """[(name, sentence, C++, Rust, Java)], sorted."""
    languages = [language(root) for language in (cpp, rust, java)]
    for name in sorted(set().union(*languages) - EVERYWHERE):
        if name.endswith(("_into", "_defaults")) or name[:1].isupper():
            continue
        of = [language.get(name, ("", "")) for language in languages]
        said = OWN_WORDS.get(name) or next((said for _, said in (of[1], of[2], of[0]) if said), "")
        yield name, said[:1].upper() + said[1:], *(shown for shown, _ in of)
