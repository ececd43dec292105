#!/usr/bin/env python3
"""Every `unsafe` of the Rust crate and every native method of the Java library is of a kind that docs/rust.md or docs/java.md lists, with what
makes it sound. What is more than a plain call has its own comment.

    unsafe.py SOURCE_ROOT             checks
    unsafe.py SOURCE_ROOT --print     prints the rows of both tables, as far as they are counted
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import collections
import pathlib
import re
import sys

UNSAFE = re.compile(r"\bunsafe\b")
# A call of C with nothing else in the block: what it is given was made by safe code.
PLAIN = re.compile(r"\(?sys::rondo_\w+\([^{}]*\)\)?(?: as \w+| != 0)?;?")
NOT_PLAIN = re.compile(r"from_raw|(?<![&\w])\*[a-z(]|unchecked|transmute|from_ptr|\.read\(|\.write\(")
NEAR = 6  # lines above in which a comment counts
NATIVE = re.compile(r"^\s*(?:private |static )*native [^;(]+ (\w+)\(", re.MULTILINE)

KINDS = {
    "call": "plain calls of C",
    "more": "calls of C and uses of memory with a `SAFETY` comment",
    "called": "functions that C calls",
    "threads": "`Send` and `Sync`",
    "offered": "functions and the trait that are `unsafe` themselves",
}


def block_at(text, start):
    """What stands between the brace at start and the one that ends it, on one line."""
    depth = 0
    for end in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        if depth == 0:
            return " ".join(text[start + 1:end].split())
    return text[start + 1:]


def kind_of(text, lines, number, after):
    """The kind of the `unsafe` on a line, with what follows it; None: none of them."""
    above = lines[max(0, number - NEAR):number + 1]
    said = any("SAFETY:" in line for line in above)
    rest = text[after:].lstrip()
    if rest.startswith("{"):
        block = block_at(text, text.index("{", after))
        if said:
            return "more"
        return "call" if PLAIN.fullmatch(block) and not NOT_PLAIN.search(block) else None
    if rest.startswith("extern"):
        return "called"
    if re.match(r"impl\b.*\b(Send|Sync) for\b", rest.split("\n")[0]):
        return "threads" if said else None
    documented = number
    while documented > 0 and re.match(r"\s*(///|#\[|//)", lines[documented - 1]):
        documented -= 1
    if re.match(r"(fn|trait)\b", rest):
        return "offered" if any("# Safety" in line for line in lines[documented:number]) else None
    return "offered" if said and re.match(r"impl\b", rest) else None


def rust(root):
    """How many of each kind, and what is of none."""
    counts, problems = collections.Counter(), []
    for path in sorted((root / "bindings/rust/rondo/src").rglob("*.rs")):
        text = path.read_text()
        lines = text.split("\n")
        for match in UNSAFE.finditer(text):
            number = text.count("\n", 0, match.start())
            code = lines[number][:match.start() - text.rfind("\n", 0, match.start()) - 1]
            if "//" in code or lines[number].lstrip().startswith(("#!", "#[", "type ")):  # a name for a type does nothing
                continue
            kind = kind_of(text, lines, number, match.end())
            if kind:
                counts[kind] += 1
            else:
                problems.append(f"{path.relative_to(root)}:{number + 1}: an unsafe that is no plain call of C has a comment above it, "
                                "'// SAFETY: ...', which says what makes it sound (of a function, a section '# Safety')")
    return counts, problems


def java(root):
    """The native methods that are written by hand, by class."""
    natives = {}
    for path in sorted((root / "bindings/java/src/main/java").rglob("*.java")):
        if names := NATIVE.findall(path.read_text()):
            natives[path.stem] = names
    return natives


def rows(page, heading):
    """The cells of the table below a heading, by the first one."""
    text = page.read_text()
    if heading not in text:
        return {}
    table = text.split(heading, 1)[1].split("\n## ", 1)[0]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines() if line.startswith("|")]
    return {row[0].strip("| "): row[1:] for row in cells[2:]}


SAMPLES = {  # what the first unsafe of a text is
    "check(unsafe { sys::rondo_fill(self.as_ptr(), value) })": "call",
    "unsafe { Box::from_raw(given) }": None,
    "unsafe { sys::rondo_fill(*handle, value) }": None,
    "// SAFETY: given back once.\nunsafe { Box::from_raw(given) }": "more",
    "unsafe impl Send for Graph {}": None,
    "// SAFETY: any thread may.\nunsafe impl Send for Graph {}": "threads",
    "/// Does it.\npub unsafe fn go(&self) {}": None,
    "/// Does it.\n///\n/// # Safety\n///\n/// Nobody else does.\n#[inline]\npub unsafe fn go(&self) {}": "offered",
    "unsafe extern \"C\" fn run(arg: *mut c_void) {}": "called",
}


def selftest():
    for text, kind in SAMPLES.items():
        match = UNSAFE.search(text)
        found = kind_of(text, text.split("\n"), text.count("\n", 0, match.start()), match.end())
        if found != kind:
            yield f"this script takes for '{found}' what is '{kind}': {text}"


def check(root):
    counts, problems = rust(root)
    table = rows(root / "docs/rust.md", "## What makes it sound")
    for kind, text in KINDS.items():
        row = table.get(text)
        if not row or row[0] != str(counts[kind]) or len(row) < 2 or not row[1].strip("| "):
            problems.append(f"docs/rust.md, What makes it sound: the row '{text}' needs the number {counts[kind]} and what makes them sound")
    natives, table = java(root), rows(root / "docs/java.md", "## Native methods")
    for name, methods in natives.items():
        row = table.get(f"`{name}`")
        if not row or row[0] != str(len(methods)) or len(row) < 2 or not row[1].strip("| "):
            problems.append(f"docs/java.md, Native methods: the row '`{name}`' needs the number {len(methods)} ({', '.join(methods)}) and "
                            "what makes them sound")
    for name in table:
        if name.strip("`") not in natives and name.startswith("`"):
            problems.append(f"docs/java.md, Native methods: {name} has none")
    return [*selftest(), *problems]


def main():
    root = pathlib.Path(sys.argv[1])
    if "--print" in sys.argv:
        counts, _ = rust(root)
        for kind, text in KINDS.items():
            print(f"| {text} | {counts[kind]} |")
        for name, methods in java(root).items():
            print(f"| `{name}` | {len(methods)} | {', '.join(methods)}")
    problems = check(root)
    print("\n".join(problems), file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
