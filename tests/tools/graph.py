#!/usr/bin/env python3
"""Runs `rondo graph` as a user does, on what a program saved, and on files that nobody should have given it.

    graph.py RONDO PROGRAM CASE

PROGRAM records a graph and saves its profile and its picture in the folder that it is given. CASE is the name of one of the
functions below without its `case_`.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import json
import os
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

RONDO, PROGRAM = (pathlib.Path(each).absolute() for each in sys.argv[1:3])
FOLDER = pathlib.Path()  # of the case


def graph(*arguments, status=0, **environment):
    done = subprocess.run([RONDO, "graph", *arguments], env={**os.environ, **environment}, capture_output=True, timeout=60)
    out, err = done.stdout.decode(), done.stderr.decode()
    assert done.returncode == status, f"{arguments} exits {done.returncode}, not {status}:\n{out}{err}"
    if status:
        assert err.startswith("rondo: ") and err.count("\n") == 1, err
    return out, err


def saved():
    """(profile, picture) of a graph."""
    subprocess.run([PROGRAM, FOLDER], check=True, timeout=60)
    return FOLDER / "profile.json", FOLDER / "picture.dot"


def holds(text, *parts):
    for part in parts:
        assert part in text, f"no {part!r} in:\n{text}"


def case_profile():
    """A table with each task, and a picture that any program for SVG reads."""
    profile, _ = saved()
    picture = FOLDER / "picture.svg"
    out, err = graph(profile, "--svg", picture)
    tasks = json.loads(profile.read_text())["tasks"]
    assert len(tasks) >= 3 and err == "", err
    holds(out, "graph 'step'", "critical path", "segment 0 on cpu:0: host tasks", "* on the critical path")
    for task in tasks:
        holds(out, task["name"], task["operands"], f"{task['us']:.3f}", f", recorded at {task['site']}")
    assert [each["site"] for each in tasks[:2]] == ["model.txt:3", "model.txt:7"], tasks
    assert "graph_program" in tasks[2]["site"], tasks
    assert out.count("* ") >= 2, out
    root = xml.parse(picture).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    bars = [each for each in root.iter("{http://www.w3.org/2000/svg}rect")]
    assert len(bars) == len(tasks) + 1, len(bars)
    assert graph(profile)[0] == out


def case_dot():
    """What a DOT picture holds, in text; its picture is Graphviz'."""
    _, picture = saved()
    out, _ = graph(picture)
    holds(out, "3 tasks", "segment 0 on cpu:0: host tasks", "  neg: model.txt:3\n", "  matmul: model.txt:7\n")
    none = FOLDER / "none"
    none.mkdir()
    _, err = graph(picture, "--svg", FOLDER / "x.svg", status=1, PATH=str(none))
    holds(err, "Graphviz", "dot", "not in PATH", "graphviz")
    false = none / "dot"
    false.write_text('#!/bin/sh\nfor each; do echo "$each"; done >"${2#-o}"\n')
    false.chmod(0o755)
    graph(picture, "--svg", FOLDER / "x.svg", PATH=f"{none}:{os.environ['PATH']}")
    assert (FOLDER / "x.svg").read_text().splitlines() == ["-Tsvg", f"-o{FOLDER / 'x.svg'}", str(picture)]
    false.write_text("#!/bin/sh\nexit 3\n")
    holds(graph(picture, "--svg", FOLDER / "y.svg", status=1, PATH=f"{none}:{os.environ['PATH']}")[1], "failed (status 3)")


def case_bodies():
    """Tasks of bodies are counted and told apart, and begin where their `if` does."""
    saved()
    out, _ = graph(FOLDER / "choice.dot")
    holds(out, "4 tasks, 4 edges with a tensor, 1 for order alone", "\nthen\n", "\nelse\n", "\n    fill")
    picture = (FOLDER / "choice.dot").read_text()
    into_if = [line for line in picture.splitlines() if "-> t1" in line or "i0 [" in line or "i1 [" in line]
    assert not any("bytes" in line for line in into_if) and any("bool [1]" in line for line in into_if), into_if
    graph(FOLDER / "choice.json", "--svg", FOLDER / "choice.svg")
    root = xml.parse(FOLDER / "choice.svg").getroot()
    bars = {}
    for each in root.iter("{http://www.w3.org/2000/svg}g"):
        bars[each.find("{http://www.w3.org/2000/svg}text").text] = float(each.find("{http://www.w3.org/2000/svg}rect").get("x"))
    inside = [name for name in bars if name.endswith(" (then of 1)")]
    assert len(inside) == 1 and [name for name in bars if name.endswith(" (else of 1)")], bars
    owner = [x for name, x in bars.items() if name.startswith("1 ")]
    first = [x for name, x in bars.items() if name.startswith("0 ") and "of" not in name]
    assert bars[inside[0]] == owner[0] > first[0], bars
    marks = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text") if each.get("text-anchor") == "middle"]
    assert len(marks) >= 2 and marks[0] == "0 us" and all(mark.endswith(" us") for mark in marks), marks


def case_usage():
    profile, _ = saved()
    for arguments, part in ([], "needs a file"), (["a", "b"], "one file"), (["--svg"], "needs the file"), (["-x", "a"], "no option '-x'"), \
            (["a", "--svg", ""], "needs the file"):
        holds(graph(*arguments, status=2)[1], part, "--help")
    for path, part in (FOLDER / "missing", "cannot be read"), (FOLDER, "is no file"), ("/dev/null", "is no file"):
        holds(graph(path, status=1)[1], part)
    fifo = FOLDER / "fifo"
    os.mkfifo(fifo)
    holds(graph(fifo, status=1)[1], "is no file")
    holds(graph(profile, "--svg", FOLDER / "missing/x.svg", status=1)[1], "cannot be written")


def case_hostile():
    """Damaged and hostile files are told, and nothing of them reaches the terminal as it is."""
    profile, _ = saved()
    good = json.loads(profile.read_text())
    path = FOLDER / "bad"

    def told(content, *parts):
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        holds(graph(path, "--svg", FOLDER / "bad.svg", status=1)[1], *parts)

    told(b"", "neither")
    told(b"hello", "neither")
    told(b"{", "not whole")
    told(b'{"a":"\xff\xfe"}', "not whole")
    told(b"{" * 1000000, "nested deeper")
    told(b'{"a":' * 1000000, "nested deeper")
    told(b'{"a":' + b"[" * 500000 + b"]" * 500000 + b"}", "nested deeper")
    told(b'{"a":' + b"[" * 50 + b"]" * 50 + b"}", "rondo_profile is missing")
    told(b'{"a":"' + b"x" * 2000000 + b'"}', "more than a MiB")
    told({"traceEvents": []}, "trace")
    told({}, "rondo_profile is missing")
    told({**good, "rondo_profile": 2}, "rondo_profile is another")
    for key in good:
        told({each: value for each, value in good.items() if each != key}, f"{key} is missing")
        told({**good, key: None}, key)
    told({**good, "total_us": 1e300}, "total_us is no time")
    told({**good, "critical_path": [99]}, "critical_path[0] is no task")
    first = good["tasks"][0]
    for key, value, part in ("task", -1, "no count"), ("task", 2**60, "larger"), ("us", "x", "no number"), ("us", -1, "negative"), \
            ("name", [1], "no text"), ("after", [0], "no task before"), ("after", {}, "no list"), ("runs", 1.5, "no count"), ("bytes", {}, "no count"):
        told({**good, "tasks": [{**first, key: value}]}, f"tasks[0].{key}", part)
    told({**good, "tasks": [first, first]}, "tasks[1].task is there twice")
    evil = {**good, "graph": "\x1b[31m</text><script>", "tasks": [{**first, "name": "\x1b]0;x\x07<b>&\"", "operands": "\u202e\n"}], "critical_path": []}
    path.write_text(json.dumps(evil))
    out, _ = graph(path, "--svg", FOLDER / "evil.svg")
    assert "\x1b" not in out and "\x07" not in out and "\u202e" not in out, out
    assert not [each for each in xml.parse(FOLDER / "evil.svg").getroot().iter() if each.tag.endswith(("script", "}b"))]


def case_memory():
    """However much a file says, and whatever it repeats, no more than four times its size is needed."""
    if b"__asan_init" in RONDO.read_bytes():
        print("the address sanitizer keeps memory of its own, more than this limit")
        sys.exit(77)
    head = '{"rondo_profile":1,"graph":"g","total_us":1,"critical_us":1,"segments":[{"device":"cpu:0","kind":"host tasks","tasks":1}],"tasks":['
    least = ',"name":"","device":"","segment":0,"branch":0,"runs":0'
    usual = ',"name":"binary","operators":"add, mul","operands":"f32 [32, 64], f32 [32, 64] -> f32 [32, 64]","device":"cpu:0","segment":0,' \
            '"branch":0,"runs":1,"start_us":12.5,"us":3.25,"kernels":1,"bytes":24576'
    tail = '],"critical_path":[%s]}'
    size = 8 << 20
    files = {
        "usual": head + ",".join(f'{{"task":{i}{usual},"after":[{i - 1 if i else ""}]}}' for i in range(36000)) + tail % "0,1",
        "least": head + ",".join(f'{{"task":{i}{least},"after":[]}}' for i in range(100000)) + tail % "",
        "edges": head + ",".join(f'{{"task":{i}{least},"after":[{",".join(map(str, range(i)))}]}}' for i in range(2200)) + tail % "",
        "path": head + f'{{"task":0{least},"after":[]}}' + tail % ",".join("0" * (size // 2)),
        "unknown": head + (tail % "")[:-1] + ',"more":[' + ",".join("0" * (size // 2)) + "]}",
        "wrong": head[:-1] + ",".join(["{}"] * (size // 3)) + tail % "",
        "after": head + f'{{"task":0{least},"after":[{",".join("0" * (size // 2))}]}}' + tail % "",
    }
    files["picture"] = "digraph \"g\" {\n" + "  t1 [label=\"binary\\nf32\"];\n" * (3 * size // 30) + "}\n"

    def exits(path, times):
        most = int(times * path.stat().st_size) + (16 << 20)  # and what any program has
        return subprocess.run([RONDO, "graph", path], preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (most, most)),
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=60)

    for name, text in files.items():
        path = FOLDER / name
        path.write_text(text)
        done = exits(path, 4)
        assert done.returncode == (1 if name in ("wrong", "after") else 0) and "alloc" not in done.stderr, (name, done)
        # Where there is no memory for it, that is said.
        done = exits(path, 0)
        assert done.returncode == 1 and re.fullmatch("rondo: .+\n", done.stderr), (name, done)
        path.unlink()


def case_folders():
    """A setting that files are written by names a folder: its last part is made, and what cannot be one is told."""
    names = ["RONDO_TRACE", "RONDO_GRAPH_REPORT", "RONDO_GRAPH_DOT", "RONDO_GRAPH_PROFILE", "RONDO_LAST_TASKS"]
    file = FOLDER / "a_file"
    file.touch()

    def run(name, value, **environment):
        given = {key: text for key, text in os.environ.items() if key != "RONDO_LOG"}
        program = subprocess.run([PROGRAM, FOLDER], env={**given, name: str(value), **environment}, capture_output=True, text=True, timeout=60)
        assert program.returncode == 0, program
        doctor = subprocess.run([RONDO, "doctor"], env={**given, name: str(value), **environment}, capture_output=True, text=True, timeout=60)
        return program.stderr, doctor.stdout

    def asked(value):
        given = {key: text for key, text in os.environ.items() if key != "RONDO_LOG"}
        return subprocess.run([RONDO, "doctor"], env={**given, **dict.fromkeys(names, str(value))}, cwd=FOLDER, capture_output=True, text=True, timeout=60).stdout

    # The doctor judges and makes nothing.
    (FOLDER / "leads_nowhere").symlink_to(FOLDER / "missing")
    for value in FOLDER / "wanted", f"{FOLDER}/wanted//", "wanted":
        said = asked(value)
        assert not any(f"{name}=" in said for name in names) and not (FOLDER / "wanted").exists(), (value, said)
    for value in file, FOLDER / "missing" / "folder", FOLDER / "leads_nowhere", file / "folder":
        said = " ".join(asked(value).split())
        assert all(f"{name}={value} is " in said for name in names) and "; nothing is written" in said, (value, said)
    assert not (FOLDER / "missing").exists()

    for name in names:
        for wrong in (file, FOLDER / "missing" / "folder"):
            told, found = run(name, wrong)
            assert re.fullmatch(f"rondo: .*setting {name}={wrong} is .*nothing is written\n", told), (name, told)
            assert f"{name}={wrong} is " in found, (name, found)
            assert not run(name, wrong, RONDO_LOG="off")[0], name
        folder = FOLDER / name
        told, found = run(name, folder)
        assert not told and f"{name}=" not in found, (told, found)
        assert folder.stat().st_mode & 0o777 == 0o700 and (name == "RONDO_GRAPH_PROFILE" or list(folder.iterdir())), name


def case_fuzz():
    """A file that is cut short anywhere, or has bytes changed, is shown or told, and ends nothing."""
    chance = random.Random(28)
    for whole in (each.read_bytes() for each in saved()):
        path = FOLDER / "changed"
        for _ in range(150):
            content = bytearray(whole[:chance.randrange(len(whole) + 1)] if chance.random() < 0.3 else whole)
            for _ in range(chance.randrange(6)):
                if content:
                    content[chance.randrange(len(content))] = chance.choice(b'\x00\xff"\\{}[]-9e.,:\n1 a')
            path.write_bytes(content)
            arguments = [] if whole.startswith(b"digraph") else ["--svg", FOLDER / "changed.svg"]
            done = subprocess.run([RONDO, "graph", path, *arguments], capture_output=True, timeout=60)
            assert done.returncode in (0, 1), (done.returncode, bytes(content))
            assert b"\x00" not in done.stdout + done.stderr


with tempfile.TemporaryDirectory() as folder:
    FOLDER = pathlib.Path(folder)
    globals()["case_" + sys.argv[3]]()
