#!/usr/bin/env python3
"""Runs the `rondo` command as a user does and checks what it prints and how it exits.

    command.py RONDO SETTINGS SIMULATED CASE

RONDO is the program, SETTINGS the table of settings, SIMULATED the folder of the simulated driver's libraries, and CASE the name of
one of the functions below without its `case_`. Nothing on the machine but cpu:0 is relied on: the driver is hidden or simulated.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

RONDO, SETTINGS, SIMULATED = (pathlib.Path(path) for path in sys.argv[1:4])
WITHOUT_DRIVER = {"RONDO_CUDA_DRIVER": "none"}
WITH_SIMULATED = {
    "RONDO_CUDA_DRIVER": str(SIMULATED / "libcuda.so.1"),
    "RONDO_NVRTC": str(SIMULATED / "libnvrtc.so.12"),
    "RONDO_CUBLASLT": "none",
}


def run(*arguments, status=0, **environment):
    """(stdout, stderr) of the command, which must exit with `status`. Settings of the caller do not reach it."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("RONDO_", "SIMCUDA_"))}
    done = subprocess.run([RONDO, *arguments], env={**clean, "RONDO_CACHE": "off", **environment},
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == status, f"{arguments} exits {done.returncode}, not {status}:\n{done.stdout}{done.stderr}"
    return done.stdout, done.stderr


def facts(**environment):
    return json.loads(run("info", "--json", **environment)[0])


def by_name(rows, name):
    return next(row for row in rows if row["name"] == name)


def holds(text, *parts):
    for part in parts:
        assert part in text, f"{part!r} is not in:\n{text}"


# ---------------------------------------------------------------------------------------------------------------- usage


def case_help():
    """--help works everywhere and names every command."""
    for arguments in (["--help"], ["-h"], ["info", "--help"], ["doctor", "--help"], ["completion", "--help"]):
        out, err = run(*arguments)
        holds(out, "usage:", "info", "--json", "doctor", "completion", "version")
        assert err == ""


def case_usage():
    """What is not understood exits with 2 and one line that says what would be right."""
    for arguments, part in ([], "a command is needed"), (["inform"], "'inform' is no command"), (["info", "-x"], "--json"), \
            (["doctor", "now"], "no options"), (["completion", "fish"], "bash"), (["info", "--json", "x"], "too many"):
        out, err = run(*arguments, status=2)
        assert out == "" and err.count("\n") == 1 and err.startswith("rondo: "), err
        holds(err, part, "--help")


def case_version():
    out, _ = run("version")
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*\n", out), out
    assert facts(**WITHOUT_DRIVER)["version"] == out.strip()


def case_completion():
    """The script completes commands and their options in a real bash."""
    def complete(*words):
        script = 'source <("$0" completion bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rondo; echo "${COMPREPLY[*]}"'
        return subprocess.run(["bash", "-c", script, RONDO, *words], capture_output=True, text=True, check=True).stdout.split()

    assert complete("rondo", "in") == ["info"]
    assert complete("rondo", "info", "--j") == ["--json"]
    assert complete("rondo", "completion", "") == ["bash"]
    assert {"info", "doctor", "completion", "version"} <= set(complete("rondo", ""))


# ----------------------------------------------------------------------------------------------------------------- info


def case_settings():
    """Every setting of the table is listed with value and origin."""
    names = re.findall(r'^RONDO_SETTING\(\w+, "(\w+)"', SETTINGS.read_text(), re.M)
    assert len(names) > 5
    listed = facts(RONDO_ENGINE="naive", **WITHOUT_DRIVER)["settings"]
    assert [row["name"] for row in listed] == names
    assert by_name(listed, "RONDO_ENGINE") | {"doc": ""} == {"name": "RONDO_ENGINE", "value": "naive", "origin": "environment", "doc": ""}
    assert by_name(listed, "RONDO_LOG")["origin"] == "default"
    holds(run("info", **WITHOUT_DRIVER)[0], *names)


def case_without_driver():
    """No GPU is no error: exit 0, the cpu is there, every probe and every reason is told, and said once in the text."""
    found = facts(**WITHOUT_DRIVER)
    assert [row["device"] for row in found["devices"]] == ["cpu:0"]
    assert found["devices"][0]["total_memory"] > 0
    driver = found["libraries"][0]
    assert not driver["found"] and driver["setting"] == "RONDO_CUDA_DRIVER" and driver["probes"]
    for feature in found["features"]:
        assert len(feature["reason"]) > 10, feature
        assert feature["name"] == "blas" or not feature["available"], feature
    out, _ = run("info", **WITHOUT_DRIVER)
    holds(out, "cpu:0", "needs cuda", "RONDO_CUDA_DRIVER=none: hidden by the setting")


def case_probes():
    """Where a library was looked for is told, place by place, with what was met there."""
    with tempfile.TemporaryDirectory() as folder:
        broken = pathlib.Path(folder) / "libcuda.so.1"
        broken.write_bytes(b"\x7fELF but not for long")
        driver = facts(RONDO_CUDA_DRIVER=folder)["libraries"][0]
    assert not driver["found"]
    assert any(probe["place"].startswith(str(broken)) and probe["result"] != "ok" for probe in driver["probes"]), driver


def case_simulated():
    """With a driver: devices with memory and capability, paths and versions of what was chosen, features with reasons."""
    found = facts(SIMCUDA_DEVICES="2", SIMCUDA_ARCH="90", SIMCUDA_MEMORY="512", **WITH_SIMULATED)
    assert [row["device"] for row in found["devices"]] == ["cpu:0", "cuda:0", "cuda:1"]
    for device in found["devices"][1:]:
        assert device["capability"] == "9.0" and device["total_memory"] == 512 << 20, device
    driver, nvrtc = found["libraries"][:2]
    assert driver["found"] and driver["path"] == WITH_SIMULATED["RONDO_CUDA_DRIVER"] and driver["version"] == "CUDA 13.0"
    assert nvrtc["found"] and nvrtc["path"] == WITH_SIMULATED["RONDO_NVRTC"]
    for name in "cuda", "nvrtc", "graphs", "memory_pools", "conditional_nodes", "programmatic_launch":
        assert by_name(found["features"], name)["available"], name
    cublaslt = by_name(found["features"], "cublaslt")
    assert not cublaslt["available"] and "RONDO_CUBLASLT" in cublaslt["reason"]
    holds(run("info", **WITH_SIMULATED)[0], "cuda:0", "compute capability 9.0", WITH_SIMULATED["RONDO_CUDA_DRIVER"])


def case_features():
    """What an older driver or device lacks is off, and the reason names what is there and what would do."""
    def feature(name, **environment):
        return by_name(facts(**{**WITH_SIMULATED, **environment})["features"], name)

    old = {"RONDO_CUDA_DRIVER": str(SIMULATED / "v12.0" / "libcuda.so.1")}
    for name, needed in ("conditional_nodes", "12.4"), ("programmatic_launch", "12.3"):
        row = feature(name, **old)
        assert not row["available"]
        holds(row["reason"], needed, "12.0")
    between = feature("conditional_nodes", RONDO_CUDA_DRIVER=str(SIMULATED / "v12.4" / "libcuda.so.1"))
    assert between["available"]
    holds(between["reason"], "SWITCH", "12.8")
    ampere = feature("programmatic_launch", SIMCUDA_ARCH="80")
    assert not ampere["available"]
    holds(ampere["reason"], "9.0")


def case_cache():
    """The folder of compiled kernels, its size, and why there is none."""
    with tempfile.TemporaryDirectory() as folder:
        shard = pathlib.Path(folder) / "ab"
        shard.mkdir()
        (shard / "one").write_bytes(b"x" * 100)
        (shard / "two").write_bytes(b"x" * 23)
        cache = facts(RONDO_CACHE=folder, **WITHOUT_DRIVER)["cache"]
        assert cache == {"folder": folder, "files": 2, "bytes": 123, "reason": ""}, cache
        holds(run("info", RONDO_CACHE=folder, **WITHOUT_DRIVER)[0], f"{folder}: 2 files, 123 bytes")
        os.chmod(folder, 0o777)
        cache = facts(RONDO_CACHE=folder, **WITHOUT_DRIVER)["cache"]
        assert cache["folder"] == ""
        holds(cache["reason"], folder, "others can write to it", "RONDO_CACHE")
    holds(run("info", RONDO_CACHE="off", **WITHOUT_DRIVER)[0], "off: RONDO_CACHE is off")


# --------------------------------------------------------------------------------------------------------------- doctor


def case_doctor_usable():
    """A GPU that works: exit 0, one line a finding, and what would make it faster."""
    out, _ = run("doctor", **WITH_SIMULATED)
    holds(out, "The GPU can be used.", "RONDO_CUBLASLT", "Compiled kernels are not kept")
    assert all(line.endswith(".") for line in out.splitlines()), out


def case_doctor_unusable():
    """A GPU whose operators cannot be compiled: exit 1, and what to install or set."""
    out, _ = run("doctor", status=1, **{**WITH_SIMULATED, "RONDO_NVRTC": "none"})
    holds(out, "cannot be compiled", "RONDO_NVRTC")
    assert "can be used" not in out


def case_doctor_without_gpu():
    """No GPU is no defect: exit 0."""
    if os.path.exists("/dev/nvidiactl"):
        print("this machine has a GPU")
        sys.exit(77)
    out, _ = run("doctor", **WITHOUT_DRIVER)
    holds(out, "No NVIDIA GPU is visible")


cases = {name.removeprefix("case_"): case for name, case in globals().copy().items() if name.startswith("case_")}
cases[sys.argv[4]]()
