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
    "RONDO_CUDNN": "none",
    "RONDO_NCCL": "none",
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


def findings(status=0, **environment):
    """(mark, sentence, command) of what the doctor says: one command for all but what is fine. Lines fit a terminal."""
    rows = []
    for line in run("doctor", status=status, **environment)[0].splitlines():
        if line.startswith("      $ "):
            rows[-1][2].append(line.removeprefix("      $ "))
        elif line.startswith("      "):
            assert not rows[-1][2], line
            rows[-1][1] += " " + line.strip()
        else:
            rows.append([*line.split(maxsplit=1), []])
        assert len(line) <= 100 or line.startswith("      $ ") or len(line.split()) == 1, line
    for mark, sentence, commands in rows:
        assert mark in ("ok", "note", "mend") and re.search(r"[^. ]\.$", sentence) and len(commands) == (mark != "ok"), (mark, sentence, commands)
    assert any(mark == "mend" for mark, _, _ in rows) == (status == 1), rows
    return [(mark, sentence, "".join(commands)) for mark, sentence, commands in rows]


def doctor(status=0, **environment):
    """The sentences, a line each."""
    return "\n".join(sentence for _, sentence, _ in findings(status, **environment))


def by_name(rows, name):
    return next(row for row in rows if row["name"] == name)


def holds(text, *parts):
    for part in parts:
        assert part in text, f"{part!r} is not in:\n{text}"


def skip(reason):
    print(reason)
    sys.exit(77)


def driver_answers(node="/dev/nvidiactl"):
    """Whether there is a driver behind the device file, which a libcuda that runs as root makes in any case."""
    try:
        os.close(os.open(node, os.O_RDONLY | os.O_NONBLOCK))
        return True
    except OSError:
        return False


def without_gpu():
    """The rest of the case is about machines without one."""
    cards = pathlib.Path("/sys/bus/pci/devices").glob("*")
    if driver_answers() or any((card / "vendor").read_text().startswith("0x10de") for card in cards):
        skip("this machine has a GPU")


def with_gpu():
    """From here on the command sees a GPU: a folder is put over the system's list of devices, unless there is one."""
    if driver_answers():
        return
    script = ('mount -t tmpfs none /sys/bus/pci && mkdir -p /sys/bus/pci/devices/0000:01:00.0 && cd /sys/bus/pci/devices/0000:01:00.0'
              ' && echo 0x10de >vendor && echo 0x030200 >class && cd / && exec "$@"')
    in_front(["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh"])


def in_front(command):
    """Puts a command in front of those that follow, if it can be run here."""
    try:
        trial = subprocess.run([*command, "true"], capture_output=True, text=True)
    except FileNotFoundError:
        skip(f"this machine has no {command[0]}")
    if trial.returncode != 0:
        skip(f"{command[0]} may not do that here: " + trial.stderr.strip())
    BEFORE[:] = command


# ---------------------------------------------------------------------------------------------------------------- usage


def case_help():
    """--help works everywhere and names every command."""
    for arguments in (["--help"], ["-h"], ["info", "--help"], ["doctor", "--help"], ["completion", "--help"]):
        out, err = run(*arguments)
        holds(out, "usage:", "info [--json|--describe]", "doctor", "launch -n N", "cache show [--json] | verify", "cache export FILE", "graph FILE [--svg FILE]", "completion bash|zsh|fish", "version", "--help")
        assert all(len(line) <= 120 for line in out.splitlines()), out
        assert err == ""


def case_usage():
    """What is not understood exits with 2 and one line that says what would be right."""
    for arguments, part in ([], "a command is needed"), (["inform"], "'inform' is no command"), (["info", "-x"], "--json"), \
            (["doctor", "now"], "no options"), (["completion", "csh"], "bash, zsh or fish"), (["completion"], "a shell"), (["--version", "x"], "no options"), (["info", "--json", "x"], "too many"):
        out, err = run(*arguments, status=2)
        assert out == "" and err.count("\n") == 1 and err.startswith("rondo: "), err
        holds(err, part, "--help")


def case_version():
    out, _ = run("version")
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*\n", out), out
    assert run("--version")[0] == out
    assert facts(**WITHOUT_DRIVER)["version"] == out.strip()


def case_lost_output():
    """What could not be written is a failure, whatever would have been said: a full disk, a closed stdout."""
    if not os.path.exists("/dev/full"):
        skip("this machine has no /dev/full")
    environment = {**os.environ, **WITHOUT_DRIVER, "RONDO_CACHE": "off"}
    for arguments in ["info"], ["info", "--json"], ["doctor"], ["version"], ["--help"], ["completion", "bash"]:
        for redirection in ">/dev/full", ">&-":
            done = subprocess.run(["sh", "-c", f'exec "$@" {redirection}', "sh", RONDO, *arguments], env=environment,
                                  stderr=subprocess.PIPE, text=True)
            assert done.returncode == 1, f"{arguments} {redirection} exits {done.returncode}"
            holds(done.stderr, "rondo: the output could not be written")


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
        said = doctor(status=1, **{name: invalid[name]}, **WITH_SIMULATED)
        holds(said, f"{name}={invalid[name]} is ", problem)
        assert "can be used" not in said, said
    assert not any(row["problem"] for row in listed if row["name"] not in invalid), listed
    # Every setting of the table that has choices, or a number.
    rows = re.findall(r'^RONDO_SETTING\(\w+, "(\w+)", "([^"]*)", "([^"]+)"', SETTINGS.read_text(), re.M)
    wrong = {name: "nonsense" for name, _, values in rows if values != "a folder"}
    listed = facts(**wrong, **WITHOUT_DRIVER)["settings"]
    said = " ".join(doctor(status=1, **wrong, **WITH_SIMULATED).split())
    for name, fallback, values in ((*row,) for row in rows if row[0] in wrong):
        number = re.fullmatch(r"\d+ to \d+", values)
        problem = f"not a number from {values}; {fallback} is used" if number else f"none of {values}; "
        effect = problem if number else problem + ("warning is used" if name == "RONDO_LOG" else "no engine can be made")
        assert by_name(listed, name)["problem"].startswith(effect), by_name(listed, name)
        holds(said, f"{name}=nonsense is {effect}")
    assert len(wrong) >= 15, wrong
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


def case_escapes():
    """Nothing of a setting controls the terminal that it is shown on, wherever it is shown."""
    evil = "\x1b]0;x\x07\x1b[31m\x7f\u009b"
    for row in facts(**WITHOUT_DRIVER)["settings"]:
        for command in "info", "doctor":
            done = subprocess.run([RONDO, command], env={"PATH": os.environ["PATH"], "RONDO_CACHE": "off", **WITHOUT_DRIVER, row["name"]: evil},
                                  capture_output=True, text=True, errors="surrogateescape", timeout=120)
            assert not re.search("[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]", done.stdout + done.stderr), (row["name"], command, done)


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
        assert feature["name"] in ("blas", "onednn") or not feature["available"], feature
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


def case_nccl():
    """Which NCCL there is, and what is missing without one, which matters where there are several GPUs."""
    def of(folder, **environment):
        found = facts(**{**WITH_SIMULATED, "RONDO_NCCL": str(folder), **environment})
        return by_name(found["libraries"], "NCCL (libnccl)"), by_name(found["features"], "nccl")

    simulated = SIMULATED.parent / "simnccl"
    for version in "2.9.9", "2.28.9":
        library, feature = of(simulated / f"v{version}")
        assert library["version"] == version and feature["available"], (library, feature)
    library, feature = of("none")
    assert not library["path"] and not feature["available"], (library, feature)
    holds(feature["reason"], "hidden by the setting RONDO_NCCL=none")
    with tempfile.TemporaryDirectory() as folder:
        holds(of(folder)[1]["reason"], "was not found", "install NCCL", "nvidia-nccl-cu13")
        (pathlib.Path(folder) / "libnccl.so.2").symlink_to(SIMULATED / "libnvrtc.so.12")
        library, feature = of(folder)
        assert not feature["available"], feature
        holds(feature["reason"], "has no ncclGetVersion: not NCCL")
    several = {**WITH_SIMULATED, "SIMCUDA_DEVICES": "2"}
    holds(doctor(**several), "Of collectives between GPUs there is at most all-reduce", "RONDO_NCCL=none")
    for settings in WITH_SIMULATED, {**several, "RONDO_NCCL": str(simulated / "v2.28.9")}:
        assert "Of collectives" not in doctor(**settings)


def case_cache():
    """The folder of compiled kernels, its size, and why there is none."""
    with tempfile.TemporaryDirectory() as folder:
        shard = pathlib.Path(folder) / "ab"
        shard.mkdir(mode=0o700)
        (shard / "one.kernel").write_bytes(b"x" * 100)
        (shard / "two.kernel").write_bytes(b"x" * 23)
        (shard / "other").write_bytes(b"not a kernel's")
        expected = {"folder": folder, "files": 2, "bytes": 123, "limit": 256 << 20, "architectures": [], "unusable": 2, "reason": "",
                    "refused": False}
        assert facts(RONDO_CACHE=folder, **WITHOUT_DRIVER)["cache"] == expected
        holds(run("info", RONDO_CACHE=folder, **WITHOUT_DRIVER)[0], f"{folder}: 2 files, 123 bytes of at most {256 << 20}")
        holds(doctor(RONDO_CACHE=folder, **WITH_SIMULATED), "2 files of kept kernels are not as they were written: `rondo cache verify`")
        # Looking leaves nothing behind, neither here nor in a home.
        absent = pathlib.Path(folder) / "absent"
        assert facts(RONDO_CACHE=str(absent), **WITH_SIMULATED)["cache"] == {**expected, "folder": str(absent), "files": 0, "bytes": 0,
                                                                             "unusable": 0}
        run("doctor", RONDO_CACHE=str(absent), **WITH_SIMULATED)
        run("doctor", RONDO_CACHE="", XDG_CACHE_HOME="", HOME=str(absent.parent), **WITH_SIMULATED)
        assert sorted(entry.name for entry in absent.parent.iterdir()) == ["ab"]
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
    out = doctor(**WITH_SIMULATED)
    holds(out, "The GPU can be used.", "RONDO_CUBLASLT", "Compiled kernels are not kept")


def case_doctor_unusable():
    """A GPU whose operators cannot be compiled: exit 1, and what to install or set."""
    out = doctor(status=1, **{**WITH_SIMULATED, "RONDO_NVRTC": "none"})
    holds(out, "cannot be compiled", "RONDO_NVRTC")
    assert "can be used" not in out


def case_doctor_compiler():
    """NVRTC that opens but compiles nothing for the device: found by compiling."""
    def found(*parts, **environment):
        out = doctor(status=1, **{**WITH_SIMULATED, **environment})
        holds(out, "Operators cannot run on cuda:0: ", *parts)
        assert "can be used" not in out, out
        return out

    found("compiles for no architecture", "6.1", "only for 7.5 to 12.1", "NVRTC of CUDA 12 (PyPI: nvidia-cuda-nvrtc-cu12)", SIMCUDA_ARCH="61",
          SIMCUDA_NVRTC="13.0")
    found("cannot open its builtins", "libnvrtc-builtins.so.12.8", SIMCUDA_NVRTC_FAULT="nvrtcCompileProgram:1:7")
    both = found("nvrtcCreateProgram failed with 1", SIMCUDA_NVRTC_FAULT="nvrtcCreateProgram:1:1", SIMCUDA_DEVICES="2")
    assert "cuda:1" not in both, both
    # What is compiled is loaded too: as a cubin, and if the driver refuses that, as PTX.
    found("cuModuleLoadDataEx on cuda:0 failed with 222", SIMCUDA_FAULT="cuModuleLoadDataEx:1:209,cuModuleLoadDataEx:2:222")
    run("doctor", SIMCUDA_FAULT="cuModuleLoadDataEx:1:209", **WITH_SIMULATED)


def case_doctor_device():
    """A device that the driver shows and that cannot be opened: exit 1, its name and the driver's text, the others not."""
    out = doctor(status=1, SIMCUDA_DEVICES="2", SIMCUDA_FAULT="cuDevicePrimaryCtxRetain:1:2", **WITH_SIMULATED)
    holds(out, "The device cuda:0 cannot be used", "cuDevicePrimaryCtxRetain failed with 2", "CUDA_ERROR_OUT_OF_MEMORY")
    assert "cuda:1" not in out and "can be used" not in out, out


def case_doctor_driver():
    """A driver that is there and fails is a finding, unless all it says is that there is no device."""
    without_gpu()
    for fault in "cuInit:1:999", "cuDeviceGetCount:1:999", "cuDriverGetVersion:1:999":
        out = doctor(status=1, SIMCUDA_FAULT=fault, **WITH_SIMULATED)
        holds(out, "RONDO_CUDA_DRIVER=" if fault.startswith("cuDriver") else "is there but fails", WITH_SIMULATED["RONDO_CUDA_DRIVER"],
              fault.split(":")[0] + " failed with 999")
        assert "No NVIDIA GPU" not in out, out
        # Found by the system's loader as well, without a setting.
        out = doctor(status=1, SIMCUDA_FAULT=fault, LD_LIBRARY_PATH=str(SIMULATED))
        holds(out, str(SIMULATED / "libcuda.so.1"), fault.split(":")[0] + " failed with 999")
    for nothing in {"SIMCUDA_FAULT": "cuInit:1:100"}, {"SIMCUDA_DEVICES": "0"}:
        holds(doctor(**nothing, **WITH_SIMULATED), "No NVIDIA GPU is visible")


def case_doctor_setting():
    """A driver that was asked for by name and is not to be had is a finding; so is one that was found and rejected."""
    without_gpu()
    for value in "/dev/null/nowhere/libcuda.so.1", "libcuda.so.1", "/":
        out = doctor(status=1, RONDO_CUDA_DRIVER=value)
        holds(out, f"RONDO_CUDA_DRIVER={value} leads nowhere, and nothing else is tried")
    with tempfile.TemporaryDirectory() as folder:
        other = pathlib.Path(folder) / "libcuda.so.1"
        other.symlink_to(SIMULATED / "libnvrtc.so.12")
        out = doctor(status=1, LD_LIBRARY_PATH=folder)
        holds(out, "A CUDA driver was found but cannot be used", f"{other} (system loader)", "not a CUDA driver")
    for name in "RONDO_NVRTC", "RONDO_CUBLASLT", "RONDO_CUDNN", "RONDO_NCCL", "RONDO_BLAS", "RONDO_ONEDNN":
        for driver in WITHOUT_DRIVER, WITH_SIMULATED:
            out = doctor(status=1, **{**driver, name: "/dev/null/nowhere/to/be/found"})
            holds(out, f"{name}=/dev/null/nowhere/to/be/found leads nowhere, and nothing else is tried")
            assert "The GPU can be used" not in out, out
        run("doctor", **{**WITHOUT_DRIVER, name: "none"})


def case_doctor_commands():
    """Each finding has the one command that is next; where libraries were looked for stands in `info`, once."""
    def commands(**environment):
        status = environment.pop("status", 0)
        return {sentence.split(":")[0]: command for _, sentence, command in findings(status, **environment)}

    with tempfile.TemporaryDirectory() as folder:
        nowhere = {**WITH_SIMULATED, "RONDO_CUDNN": folder, "RONDO_CACHE": folder, "VIRTUAL_ENV": "", "CONDA_PREFIX": ""}
        assert commands(status=1, **nowhere)["Convolutions on the GPU use Rondo's own slower kernels"] == "unset RONDO_CUDNN"
        del nowhere["RONDO_CUDNN"]
        said = commands(**nowhere)
        assert said["Matrix products on the GPU use Rondo's own slower kernel"] == "unset RONDO_CUBLASLT", said
        if not facts(**nowhere)["libraries"][3]["found"]:
            install = said["Convolutions on the GPU use Rondo's own slower kernels"]
            assert install == "python3 -m venv ~/.venv && . ~/.venv/bin/activate && pip install nvidia-cudnn-cu13", install
            active = commands(**{**nowhere, "VIRTUAL_ENV": folder})
            assert active["Convolutions on the GPU use Rondo's own slower kernels"] == "pip install nvidia-cudnn-cu13", active
            out = doctor(**nowhere)
            assert "already in the process" not in out and "cannot open shared object" not in out, out
            out, _ = run("info", **nowhere)
            assert out.count("libcudnn.so.9 (already in the process)") == 1, out
        assert commands(status=1, **{**nowhere, "RONDO_LOG": "loud"})["RONDO_LOG=loud is none of off, error, warning, info, debug; warning is used."] \
            == "unset RONDO_LOG"
        (pathlib.Path(folder) / "kept").mkdir(mode=0o777)
        (pathlib.Path(folder) / "kept").chmod(0o777)
        said = commands(status=1, **{**nowhere, "RONDO_CACHE": f"{folder}/kept"})
        assert said["Compiled kernels cannot be kept"] == f"chmod go-w '{folder}/kept'", said
    assert commands(status=1, **{**WITH_SIMULATED, "RONDO_NVRTC": "none"})["Operators cannot be compiled for the GPU"] == "unset RONDO_NVRTC"


def case_columns():
    """Names and values of any length leave the columns of `info` as they are."""
    lines = run("info", RONDO_NCCL="/a/path/that/is/longer/than/any/column/would/be/of/this/list", **WITHOUT_DRIVER)[0].splitlines()
    for heading, second in ("Settings", r"default|environment"), ("Features", "yes|no"):
        start = lines.index(heading) + 1
        rows = lines[start:lines.index("", start)]
        places = {re.match(rf"  \w+ +({second}) +(?=\S)", row).span(1)[0] for row in rows}
        after = {re.match(rf"  \w+ +(?:{second}) +(?=\S)", row).end() for row in rows}
        assert len(places) == len(after) == 1, "\n".join(rows)


def case_doctor_cache():
    """A folder of kernels that cannot be used is a finding, whether it was named or is the default; none at all is a remark."""
    with tempfile.TemporaryDirectory() as folder:
        run("doctor", RONDO_CACHE=folder, **WITH_SIMULATED)
        assert not os.listdir(folder), "what was written for a trial is left there"
        os.chmod(folder, 0o777)
        for chosen in {"RONDO_CACHE": folder}, {"RONDO_CACHE": "/dev/null/folder"}, {"RONDO_CACHE": "folder"}, \
                {"RONDO_CACHE": "", "XDG_CACHE_HOME": "/dev/null"}:
            out = doctor(status=1, **chosen, **WITHOUT_DRIVER)
            holds(out, "Compiled kernels cannot be kept: ", "RONDO_CACHE")
        os.chmod(folder, 0o700)
        # A file system that can only be read.
        in_front(["unshare", "--map-root-user", "--mount", "sh", "-c", f'mount -t tmpfs -o ro,mode=700 none "{folder}" && exec "$@"', "sh"])
        out = doctor(status=1, RONDO_CACHE=folder, **WITHOUT_DRIVER)
        holds(out, "Compiled kernels cannot be kept: nothing can be written to", folder, "Read-only file system")


def case_doctor_next_step():
    """What to do next depends on the driver's answer."""
    steps = {"34": "the toolkit's stub", "3": "a child that was forked", "100": "CUDA_VISIBLE_DEVICES=7 decides which", "802": "nvidia-fabricmanager",
             "803": "different versions: reboot", "804": "cuda-compat", "999": "often the kernel module nvidia_uvm", "46": "`nvidia-smi`"}
    with_gpu()
    for code, step in steps.items():
        for call in "cuInit", "cuDeviceGetCount":
            out = doctor(status=1, SIMCUDA_FAULT=f"{call}:1:{code}", CUDA_VISIBLE_DEVICES="7", **WITH_SIMULATED)
            holds(out, "A GPU is there but cannot be used: ", "Next: ", step)
            known = facts(SIMCUDA_FAULT=f"{call}:1:{code}", CUDA_VISIBLE_DEVICES="7", **WITH_SIMULATED)
            holds(by_name(known["features"], "cuda")["reason"], "Next: ", step)
            assert not any(other in out for number, other in steps.items() if number != code), out
    assert "CUDA_VISIBLE_DEVICES" not in doctor(status=1, SIMCUDA_DEVICES="0", **WITH_SIMULATED)


def case_doctor_old_driver():
    """A driver that is too old is said to be that, and to be updated."""
    without_gpu()
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "old.c"
        source.write_text("int cuDriverGetVersion(int *version) { *version = 11000; return 0; } int cuInit(unsigned flags) { return 100; }")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", pathlib.Path(folder) / "libcuda.so.1", source], check=True)
        for where in {"LD_LIBRARY_PATH": folder}, {"RONDO_CUDA_DRIVER": folder}:
            out = doctor(status=1, **where)
            line = next(line for line in out.splitlines() if "driver" in line)  # the others are of what else may be missing here
            holds(line, "driver is for CUDA 11.0; CUDA 11.2 (driver 460) or newer is needed", "update the NVIDIA driver")
            assert "was not found" not in line and "install" not in line, line
        reason = by_name(facts(RONDO_CUDA_DRIVER=folder)["features"], "cuda")["reason"]
        holds(reason, "the CUDA driver (libcuda.so.1) is too old", "update the NVIDIA driver")


def case_doctor_node_without_driver():
    """A device file with no driver behind it is no GPU."""
    without_gpu()
    in_front(["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /dev && mknod /dev/nvidiactl c 195 255 && mknod /dev/null c 1 3 && exec "$@"', "sh"])
    out = doctor(**WITHOUT_DRIVER)
    holds(out, "No NVIDIA GPU is visible: there is a device file /dev/nvidiactl, but no driver behind it")


def case_doctor_gpu_without_driver():
    """A GPU whose driver does not work: exit 1, and why."""
    with_gpu()
    for environment, why in (WITHOUT_DRIVER, "hidden by the setting"), ({"RONDO_CUDA_DRIVER": "/dev/null/nowhere"}, "Not a directory"), \
            ({**WITH_SIMULATED, "SIMCUDA_FAULT": "cuInit:1:999"}, "cuInit failed with 999"), ({**WITH_SIMULATED, "SIMCUDA_DEVICES": "0"}, "no device"):
        out = doctor(status=1, **environment)
        holds(out, "A GPU is there but cannot be used: ", why)
        assert "No NVIDIA GPU" not in out, out


def case_doctor_without_gpu():
    """No GPU is no defect: exit 0."""
    without_gpu()
    out = doctor(**WITHOUT_DRIVER)
    holds(out, "No NVIDIA GPU is visible")


cases = {name.removeprefix("case_"): case for name, case in globals().copy().items() if name.startswith("case_")}
cases[sys.argv[4]]()
