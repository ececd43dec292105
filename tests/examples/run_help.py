#!/usr/bin/env python3
"""examples/run says what the programs say of their options, at once: run_help.py SOURCE_ROOT PROGRAM..."""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import re
import subprocess
import sys


def help_of(*command):
    return subprocess.run([*command, "--help"], capture_output=True, text=True, check=True, timeout=50).stdout


def main(root, *programs):
    run = f"{root}/examples/run"
    expected = {pathlib.Path(program).name: help_of(program) for program in programs}
    for name, text in expected.items():
        text = text.replace(f"usage: {name}", f"usage: examples/run {name}", 1).replace(f"({name}.svg)", f"(examples/out/{name}.svg)")
        # The script gives a program the files of its network.
        text = re.sub(r"^  --(?:model|vocabulary) FILE .*\n", "", text, flags=re.MULTILINE)
        expected[name] = re.sub(r"\A(.*?)(?: --model FILE)?(?: --vocabulary FILE)? \[options\](?: (.*))?$", lambda found: f"{found[1]} [options]" + (f" [{found[2]}]" if found[2] else ""),
                                text, count=1, flags=re.MULTILINE)
        assert len(text.splitlines()) > 5 and help_of(run, name) == expected[name], help_of(run, name)
    assert help_of(run) == "".join(expected.values()), help_of(run)
    # A reader that has read enough ends it without a word.
    cut = subprocess.run(["bash", "-c", f'"{run}" --help | true'], capture_output=True, text=True, timeout=50, check=False)
    assert (cut.stdout, cut.stderr) == ("", ""), cut


main(*sys.argv[1:])
