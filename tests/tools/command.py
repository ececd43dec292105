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

RONDO, SETTINGS, SIMULATED = (pathlib.Path(path).absolute() for path in sys.argv[1:4])
BEFORE = []  # a command in front of it
WITHOUT_DRIVER = {"RONDO_CUDA_DRIVER": "none"}
WITH_SIMULATED = {
    "RONDO_CUDA_DRIVER": str(SIMULATED / "libcuda.so.1"),
    "RONDO_NVRTC": str(SIMULATED / "libnvrtc.so.12"),
    "RONDO_CUBLASLT": "none",
}


def run(*arguments, status=0, **environment):
    """(stdout, stderr) of the command, which must exit with `status`. Settings of the caller do not reach it."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("RONDO_", "SIMCUDA_"))}
    done = subprocess.run([*BEFORE, RONDO, *arguments], env={**clean, "RONDO_CACHE": "off", **environment},
                          capture_output=True, text=True, errors="surrogateescape", timeout=120)
    assert done.returncode == status, f"{arguments} exits {done.returncode}, not {status}:\n{done.stdout}{done.stderr}"
    return done.stdout, done.stderr


def facts(**environment):
    return json.loads(run("info", "--json", **environment)[0])


def by_name(rows, name):
    return next(row for row in rows if row["name"] == name)


def holds(text, *parts):
    for part in parts:
        assert part in text, f"{part!r} is not in:\n{text}"


def skip(reason):
    print(reason)
    sys.exit(77)


def without_gpu():
    """The rest of the case is about machines without one."""
    cards = pathlib.Path("/sys/bus/pci/devices").glob("*")
    if os.path.exists("/dev/nvidiactl") or any((card / "vendor").read_text().startswith("0x10de") for card in cards):
        skip("this machine has a GPU")


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
    assert by_name(listed, "RONDO_ENGINE") | {"doc": ""} == {"name": "RONDO_ENGINE", "value": "naive", "origin": "environment", "problem": "",
                                                              "doc": ""}
    assert by_name(listed, "RONDO_LOG")["origin"] == "default"
    holds(run("info", **WITHOUT_DRIVER)[0], *names)


def case_invalid_settings():
    """A value that cannot be meant is shown with what holds instead, and is a finding."""
    invalid = {"RONDO_CACHE_MB": "abc", "RONDO_ENGINE": "fast", "RONDO_LOG": "loud"}
    problems = {"RONDO_CACHE_MB": "not a number from 0 to 1048576; 256 is used", "RONDO_ENGINE": "none of async, threaded, naive",
                "RONDO_LOG": "warning is used"}
    listed = facts(**invalid, **WITHOUT_DRIVER)["settings"]
    out, err = run("info", **invalid, **WITHOUT_DRIVER)
    for name, problem in problems.items():
        holds(by_name(listed, name)["problem"], problem)
        holds(next(line for line in out.splitlines() if name in line), invalid[name], problem)
        said, _ = run("doctor", status=1, **{name: invalid[name]}, **WITH_SIMULATED)
        holds(said, f"{name}={invalid[name]} is ", problem)
        assert "can be used" not in said, said
    assert not any(row["problem"] for row in listed if row["name"] not in invalid), listed
    # What is said is what happens.
    holds(err, "RONDO_CACHE_MB=abc is not a number from 0 to 1048576; using 256", "using warning")
    for value in "-1", "1048577", "12x":
        assert by_name(facts(RONDO_CACHE_MB=value, **WITHOUT_DRIVER)["settings"], "RONDO_CACHE_MB")["problem"], value
    for name, value in ("RONDO_CACHE_MB", "0"), ("RONDO_CACHE_MB", "1048576"), ("RONDO_ENGINE", "threaded"), ("RONDO_LOG", "error"):
        assert not by_name(facts(**{name: value}, **WITHOUT_DRIVER)["settings"], name)["problem"], value


def case_not_utf8():
    """A value that is no UTF-8 is no reason to say nothing."""
    with tempfile.TemporaryDirectory() as folder:
        name = os.fsdecode(os.fsencode(folder) + b"/\xe9")
        found = facts(RONDO_CACHE=name, **WITHOUT_DRIVER)
        assert by_name(found["settings"], "RONDO_CACHE")["value"] == folder + "/\ufffd"
        assert found["cache"]["folder"] == folder + "/\ufffd", found["cache"]
        holds(run("info", RONDO_CACHE=name, **WITHOUT_DRIVER)[0], name)


def case_build():
    """The compiler by its own name, and how it was told to build."""
    build = facts(**WITHOUT_DRIVER)["build"]
    assert re.fullmatch(r"(GCC|Clang) \d+\.\d+\.\d+", build["compiler"]), build
    assert build["kind"] in ("optimised", "not optimised", "with the address sanitizer", "with the thread sanitizer"), build
    holds(run("info", **WITHOUT_DRIVER)[0].splitlines()[0], build["compiler"], build["kind"])


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
    assert any(probe["place"].startswith(str(broken)) and "damaged" in probe["result"] and probe["rejected"] for probe in driver["probes"]), driver


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
    # A question that is not answered is no "no": the device's four questions come first, then one of each feature.
    for call, name in (5, "memory_pools"), (6, "programmatic_launch"):
        row = feature(name, SIMCUDA_FAULT=f"cuDeviceGetAttribute:{call}:999")
        assert not row["available"], row
        holds(row["reason"], "cuDeviceGetAttribute failed with 999")


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
    homeless = {"RONDO_CACHE": "", "HOME": "", "XDG_CACHE_HOME": "", **WITHOUT_DRIVER}
    holds(run("info", **homeless)[0], "off: there is no home folder", "XDG_CACHE_HOME", "HOME", "RONDO_CACHE")


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


def case_doctor_compiler():
    """NVRTC that opens but compiles nothing for the device: found by compiling."""
    def found(*parts, **environment):
        out, _ = run("doctor", status=1, **{**WITH_SIMULATED, **environment})
        holds(out, "Operators cannot be compiled for cuda:0", *parts)
        assert "can be used" not in out and all(line.endswith(".") for line in out.splitlines()), out
        return out

    found("compiles for no architecture", "6.1", SIMCUDA_ARCH="61", SIMCUDA_NVRTC="13.0")
    found("cannot open its builtins", "libnvrtc-builtins.so.12.8", SIMCUDA_NVRTC_FAULT="nvrtcCompileProgram:1:7")
    both = found("nvrtcCreateProgram failed with 1", SIMCUDA_NVRTC_FAULT="nvrtcCreateProgram:1:1", SIMCUDA_DEVICES="2")
    holds(both, "Operators cannot be compiled for cuda:1")


def case_doctor_device():
    """A device that the driver shows and that cannot be opened: exit 1, its name and the driver's text, the others not."""
    out, _ = run("doctor", status=1, SIMCUDA_DEVICES="2", SIMCUDA_FAULT="cuDevicePrimaryCtxRetain:1:2", **WITH_SIMULATED)
    holds(out, "The device cuda:0 cannot be used", "cuDevicePrimaryCtxRetain failed with 2", "CUDA_ERROR_OUT_OF_MEMORY")
    assert "cuda:1" not in out and "can be used" not in out, out


def case_doctor_driver():
    """A driver that is there and fails is a finding, unless all it says is that there is no device."""
    without_gpu()
    for fault in "cuInit:1:999", "cuDeviceGetCount:1:999", "cuDriverGetVersion:1:999":
        out, _ = run("doctor", status=1, SIMCUDA_FAULT=fault, **WITH_SIMULATED)
        holds(out, WITH_SIMULATED["RONDO_CUDA_DRIVER"], fault.split(":")[0] + " failed with 999")
        assert "No NVIDIA GPU" not in out, out
        # Found by the system's loader as well, without a setting.
        out, _ = run("doctor", status=1, SIMCUDA_FAULT=fault, LD_LIBRARY_PATH=str(SIMULATED))
        holds(out, str(SIMULATED / "libcuda.so.1"), fault.split(":")[0] + " failed with 999")
    for nothing in {"SIMCUDA_FAULT": "cuInit:1:100"}, {"SIMCUDA_DEVICES": "0"}:
        holds(run("doctor", **nothing, **WITH_SIMULATED)[0], "No NVIDIA GPU is visible")


def case_doctor_setting():
    """A driver that was asked for by name and is not to be had is a finding; so is one that was found and rejected."""
    without_gpu()
    for value in "/nowhere/libcuda.so.1", "libcuda.so.1", "/":
        out, _ = run("doctor", status=1, RONDO_CUDA_DRIVER=value)
        holds(out, f"RONDO_CUDA_DRIVER={value} leads to no CUDA driver that works")
    with tempfile.TemporaryDirectory() as folder:
        other = pathlib.Path(folder) / "libcuda.so.1"
        other.symlink_to(SIMULATED / "libnvrtc.so.12")
        out, _ = run("doctor", status=1, LD_LIBRARY_PATH=folder)
        holds(out, "A CUDA driver was found but cannot be used", f"libcuda.so.1 => {other}", "not a CUDA driver")


def case_doctor_gpu_without_driver():
    """A GPU whose driver does not work: exit 1, and why. The GPU is a folder that is put over the system's list of devices."""
    if not os.path.exists("/dev/nvidiactl"):
        script = ('mount -t tmpfs none /sys/bus/pci && mkdir -p /sys/bus/pci/devices/0000:01:00.0 && cd /sys/bus/pci/devices/0000:01:00.0'
                  ' && echo 0x10de >vendor && echo 0x030200 >class && cd / && exec "$@"')
        BEFORE[:] = ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh"]
        try:
            trial = subprocess.run([*BEFORE, "true"], capture_output=True, text=True)
        except FileNotFoundError:
            skip("this machine has no unshare")
        if trial.returncode != 0:
            skip("no list of devices can be put over the system's: " + trial.stderr.strip())
    for environment, why in (WITHOUT_DRIVER, "hidden by the setting"), ({"RONDO_CUDA_DRIVER": "/nowhere"}, "No such file"), \
            ({**WITH_SIMULATED, "SIMCUDA_FAULT": "cuInit:1:999"}, "cuInit failed with 999"), ({**WITH_SIMULATED, "SIMCUDA_DEVICES": "0"}, "no device"):
        out, _ = run("doctor", status=1, **environment)
        holds(out, "A GPU is there but cannot be used: ", why)
        assert "No NVIDIA GPU" not in out, out


def case_doctor_without_gpu():
    """No GPU is no defect: exit 0."""
    without_gpu()
    out, _ = run("doctor", **WITHOUT_DRIVER)
    holds(out, "No NVIDIA GPU is visible")


cases = {name.removeprefix("case_"): case for name, case in globals().copy().items() if name.startswith("case_")}
cases[sys.argv[4]]()
