#!/usr/bin/env python3
"""Completes the `rondo` command in real shells, by the scripts that it prints for them.

    completion.py RONDO CASE

RONDO is the program, and CASE the name of one of the functions below without its `case_`.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

RONDO = pathlib.Path(sys.argv[1]).absolute()


def skip(reason):
    print(reason)
    sys.exit(77)


def case_bash():
    """The script completes commands and their options in a real bash."""
    def complete(*words):
        script = 'source <("$0" completion bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rondo; echo "${COMPREPLY[*]}"'
        return subprocess.run(["bash", "-c", script, RONDO, *words], capture_output=True, text=True, check=True).stdout.split()

    assert complete("rondo", "in") == ["info"]
    assert complete("rondo", "info", "--j") == ["--json"]
    assert complete("rondo", "completion", "") == ["bash", "zsh", "fish", "--help"]
    assert complete("rondo", "--v") == ["--version"]
    assert complete("rondo", "info", "--json", "") == []
    assert complete("rondo", "launch", "--p") == ["--prefix"]
    assert complete("rondo", "cache", "ex") == ["export"]
    assert complete("rondo", "cache", "show", "-") == ["--json"]
    assert complete("rondo", "cache", "clear", "--n") == ["--nvrtc"]
    assert complete("rondo", "cache", "export", "--arch") == ["--architecture"]
    assert complete("rondo", "cache", "import", "/etc/host") != []
    assert complete("rondo", "graph", "/etc/host") != [] and complete("rondo", "graph", "x.json", "--s") == ["--svg"]
    assert complete("rondo", "program", "v") == ["verify"] and complete("rondo", "program", "show", "--t") == ["--text"]
    assert complete("rondo", "program", "add") == ["add-check"] and complete("rondo", "program", "add-check", "--c") == ["--calls"]
    assert complete("rondo", "run", "--o") == ["--outputs"] and complete("rondo", "run", "x", "--dev") == ["--device"]
    assert "printf" in complete("rondo", "launch", "-n", "2", "printf")
    assert {"info", "doctor", "launch", "cache", "completion", "version"} <= set(complete("rondo", ""))


def case_fish():
    """The same in a real fish."""
    if not shutil.which("fish"):
        skip("fish is not installed")

    def complete(line):
        with tempfile.TemporaryDirectory() as home:
            script = 'source (command $argv[1] completion fish | psub); complete -C $argv[2]'
            out = subprocess.run(["fish", "--no-config", "-c", script, RONDO, line], capture_output=True, text=True, check=True,
                                 env={**os.environ, "HOME": home}).stdout
        return [row.split("\t")[0] for row in out.splitlines()]

    assert complete("rondo in") == ["info"]
    assert complete("rondo info --j") == ["--json"]
    assert {"bash", "zsh", "fish"} <= set(complete("rondo completion "))
    assert {"show", "verify", "clear", "export", "import"} <= set(complete("rondo cache "))
    assert complete("rondo cache show --j") == ["--json"]
    assert complete("rondo cache clear --n") == ["--nvrtc"]
    assert complete("rondo program add") == ["add-check"] and complete("rondo program add-check --c") == ["--calls"]
    assert {"info", "doctor", "completion", "version"} <= set(complete("rondo "))
    assert "doctor" not in complete("rondo info ")


def case_zsh():
    """The same in a real zsh, once as a file of its search path and once sourced; what is added is read from the builtins it calls."""
    if not shutil.which("zsh"):
        skip("zsh is not installed")
    made = subprocess.run([RONDO, "completion", "zsh"], capture_output=True, text=True, check=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "_rondo").write_text(made)
        stubs = ('_describe() { print -rl -- "${(@)${(P)4}%%:*}"; }; compadd() { shift; print -rl -- "$@"; };'
                 'compdef() { print -rl -- "registered $*"; };')
        ways = {"autoload": 'fpath=("$1" $fpath); autoload -Uz _rondo;', "source": 'source "$1/_rondo" >/dev/null;'}

        def complete(way, *words):
            script = stubs + ways[way] + 'shift; words=("$@"); CURRENT=$#; _rondo'
            return subprocess.run(["zsh", "-f", "-c", script, "zsh", folder, *words], capture_output=True, text=True,
                                  check=True).stdout.split("\n")[:-1]

        for way in ways:
            assert {"info", "doctor", "completion", "version", "--version"} <= set(complete(way, "rondo", "")), way
            assert complete(way, "rondo", "info", "") == ["--json", "--describe", "--help"], way
            assert complete(way, "rondo", "cache", "") == ["show", "verify", "clear", "export", "import", "--help"], way
            assert complete(way, "rondo", "cache", "show", "") == ["--json"], way
            assert complete(way, "rondo", "cache", "clear", "") == ["--older-than", "--architecture", "--nvrtc", "--rondo"], way
            assert "add-check" in complete(way, "rondo", "program", ""), way
            assert complete(way, "rondo", "completion", "") == ["bash", "zsh", "fish", "--help"], way
        registered = subprocess.run(["zsh", "-f", "-c", stubs + 'source "$1/_rondo"', "zsh", folder], capture_output=True, text=True)
        assert registered.stdout == "registered _rondo rondo\n", registered


cases = {name.removeprefix("case_"): case for name, case in globals().copy().items() if name.startswith("case_")}
cases[sys.argv[2]]()
