"""A file that a script writes: `--write` renews it, otherwise it is compared.

Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
"""


def outcome(root, name, wanted, options, how, fine, by_line=False):
    """The script's exit code. how: what --write does, for the message; fine: what is said where the file is as wanted; by_line: the
    lines that differ are named."""
    file = root / name
    if options == ("--write",):
        file.write_text(wanted)
        return 0
    found = file.read_text() if file.is_file() else ""
    if found == wanted:
        print(fine)
        return 0
    if by_line:
        old, new = set(found.splitlines()), set(wanted.splitlines())
        print("\n".join([f"{name}: lacks {line}" for line in sorted(new - old)] + [f"{name}: no table gives {line}" for line in sorted(old - new)]))
    print(f"{name}: is not what {how}")
    return 1
