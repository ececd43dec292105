#!/usr/bin/env python3
"""Kernels that are kept, from one process to the next and from one machine to another, and `rondo cache`.

    cache.py RONDO PROGRAM SIMULATED CASE

PROGRAM is cache_program.cc, SIMULATED the folder of the simulated driver's libraries, and CASE the name of one of the functions below
without its `case_`. What a process is to compile without finding it is compiled by the host compiler, or comes from SIMCUDA_CACHE.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import json
import os
import pathlib
import re
import resource
import shutil
import stat
import subprocess
import sys
import tempfile
import time

RONDO, PROGRAM, SIMULATED = (pathlib.Path(path).absolute() for path in sys.argv[1:4])
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="rondo_cache_"))
KERNELS = FOLDER / "kernels"
SETTINGS = {
    "RONDO_CUDA_DRIVER": str(SIMULATED / "libcuda.so.1"),
    "RONDO_NVRTC": str(SIMULATED / "libnvrtc.so.12"),
    "RONDO_CUBLASLT": "none",
    "RONDO_CUDNN": "none",
    "RONDO_CACHE": str(KERNELS),
}
BEFORE = []  # a command in front of each


def run(*command, status=0, limit=None, **environment):
    """(stdout, stderr) of a command, which must exit with `status`."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("RONDO_")}
    done = subprocess.run([*BEFORE, *command], env={**clean, **SETTINGS, **environment}, capture_output=True, text=True, timeout=110,
                          preexec_fn=limit)
    assert done.returncode == status, f"{command} exits {done.returncode}, not {status}:\n{done.stdout}{done.stderr}"
    return done.stdout, done.stderr


def rondo(*arguments, **more):
    return run(RONDO, "cache", *arguments, **more)


def program(*words, good=True, **more):
    """(counts, the line of each word, stderr)."""
    out, err = run(PROGRAM, *words, status=0 if good else 1, **more)
    *lines, counts = out.splitlines()
    if good:
        assert lines == [f"{word} ok" for word in words], out
    return json.loads(counts), lines, err


def counts(*words, **more):
    return program(*words, **more)[0]


def kept(**environment):
    return json.loads(rondo("show", "--json", **environment)[0])


def holds(text, *parts):
    for part in parts:
        assert part in text, f"{part!r} is not in:\n{text}"


def files(folder=KERNELS):
    return sorted(path for path in pathlib.Path(folder).rglob("*") if path.is_file())


def in_front(command):
    """Puts a command in front of those that follow, if it can be run here."""
    trial = subprocess.run([*command, "true"], capture_output=True, text=True)
    if trial.returncode != 0:
        print(f"{command[0]} may not do that here: " + trial.stderr.strip())
        sys.exit(77)
    BEFORE[:] = command


# ---------------------------------------------------------------------------------------------------------- processes


def case_kept():
    """What one process compiled the next one finds; the table and the counts say so."""
    first = counts("add", "mul", "module", "add")
    assert (first["compiled"], first["disk_hits"], first["files"]) == (3, 0, 3), first
    assert first["memory_hits"] == 1, first
    second = counts("add", "mul", "module")
    assert (second["compiled"], second["disk_hits"], second["without_compiler"]) == (0, 3, 0), second
    everything = kept()
    assert everything["folder"] == str(KERNELS) and everything["limit"] == 256 << 20
    assert len(everything["kernels"]) == 3
    for kernel in everything["kernels"]:
        assert kernel["nvrtc"] == "12.8" and kernel["architecture"].startswith("sm_") and kernel["rondo"] == "0.1.0", kernel
        assert kernel["bytes"] > 1000 and abs(kernel["used"] - time.time()) < 600 and kernel["problem"] == "", kernel
    table, _ = rondo("show")
    holds(table, "kernel", "NVRTC", "12.8", f"{KERNELS}: 3 files, {everything['bytes']} bytes")
    assert len(table.splitlines()) == 5, table
    holds(rondo("verify")[0], "3 files, 0 of them not as they were written")
    for path in files():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700, path


def case_carried():
    """A machine without NVRTC runs what was compiled elsewhere, and says what to do about what was not."""
    assert counts("add", "mul", "graph", "module")["compiled"] == 4
    there = {"RONDO_CACHE": str(FOLDER / "there"), "RONDO_NVRTC": "none"}
    holds(rondo("export", FOLDER / "carried")[0], "4 kernels written to")
    holds(rondo("import", FOLDER / "carried", **there)[0], "4 kernels taken into", "0 were there")
    holds(rondo("import", FOLDER / "carried", **there)[0], "0 kernels taken into", "4 were there")
    found, _, err = program("add", "mul", "graph", "module", RONDO_LOG="info", **there)
    assert (found["disk_hits"], found["without_compiler"], found["compiled"]) == (4, 4, 0), found
    assert err.count("are used, since none can be compiled") == 1, err
    holds(err, "RONDO_NVRTC=none")
    # An operator that was not among them, on a device that none is for, and code that is never kept.
    SETTINGS.update(there)
    shutil.rmtree(FOLDER / "there")
    counts("add", RONDO_NVRTC=str(SIMULATED / "libnvrtc.so.12"))
    _, lines, _ = program("add", "mul", good=False)
    assert lines[0] == "add ok", lines
    holds(lines[1], "RONDO_LIBRARY_MISSING", "has no image of 'mul", "compute capability", "rondo cache import", "RONDO_NVRTC=none")
    _, lines, _ = program("add", good=False, SIMCUDA_ARCH="80")
    holds(lines[0], "RONDO_LIBRARY_MISSING", "compute capability 8.0 takes")
    _, lines, _ = program("files", good=False)
    holds(lines[0], "RONDO_LIBRARY_MISSING", "a kernel that takes in files is never kept")
    _, lines, _ = program("add", good=False, RONDO_CACHE="off")
    holds(lines[0], "RONDO_LIBRARY_MISSING", "compiled kernels are not kept either: RONDO_CACHE is off")


def case_carried_by_a_program():
    """The same by the functions of the library, and from an older compiler to a newer device."""
    counts("add", f"export={FOLDER / 'carried'}", SIMCUDA_NVRTC="11.8", SIMCUDA_ARCH="90")
    there = {"RONDO_CACHE": str(FOLDER / "there"), "RONDO_NVRTC": "none", "SIMCUDA_ARCH": "90"}
    found = counts(f"import={FOLDER / 'carried'}", "add", **there)
    assert (found["without_compiler"], found["files"]) == (1, 1), found
    # PTX serves what came later; NVRTC 11.8 knows no 10.0, and what it wrote for that is PTX for 9.0.
    counts("mul", f"export={FOLDER / 'carried'}", SIMCUDA_NVRTC="11.8", SIMCUDA_ARCH="100")
    architectures = {kernel["architecture"] for kernel in kept()["kernels"]}
    assert architectures == {"sm_90", "compute_90"}, architectures
    found = counts(f"import={FOLDER / 'carried'}", "mul", **{**there, "SIMCUDA_ARCH": "120"})
    assert found["without_compiler"] == 1, found
    # A compiler that is there, but not for this device, is none; what it could not compile is used all the same.
    old = {**there, "RONDO_NVRTC": str(SIMULATED / "libnvrtc.so.12"), "SIMCUDA_NVRTC": "13.0", "SIMCUDA_ARCH": "70",
           "RONDO_CACHE": str(FOLDER / "old")}
    _, lines, _ = program("add", good=False, **old)
    holds(lines[0], "RONDO_UNSUPPORTED", "compiles for no architecture that the device (compute capability 7.0) can run", "rondo cache import")
    counts("add", f"export={FOLDER / 'volta'}", SIMCUDA_ARCH="70")
    found = counts(f"import={FOLDER / 'volta'}", "add", **old)
    assert (found["without_compiler"], found["compiled"]) == (1, 0), found


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def case_carried_choices():
    """What a program's pack has are the kernels and the choices of cuDNN's engines that a machine needs for it: none is compiled or tried there."""
    text = (pathlib.Path(__file__).parents[1] / "program_files/golden/layers/Convolution.json").read_text().strip()
    header = json.dumps({"__metadata__": {"rondo.program": text}}).encode()
    convolution = FOLDER / "convolution.safetensors"
    convolution.write_bytes(len(header).to_bytes(8, "little") + header)
    SETTINGS["RONDO_CUDNN"] = str(SIMULATED.parent / "simcudnn/v9")
    # Of a file that is not trusted neither is kept; what is there is used.
    strange = counts(f"stranger={convolution}", RONDO_CACHE=str(FOLDER / "alone"))
    assert strange["trials"] > 0 and strange["compiled"] > 0 and strange["files"] == 0, strange
    alone = counts(f"program={convolution}", RONDO_CACHE=str(FOLDER / "alone"))
    strange = counts(f"stranger={convolution}", RONDO_CACHE=str(FOLDER / "alone"))
    assert (strange["trials"], strange["compiled"], strange["files"]) == (0, 0, alone["files"]), (strange, alone)
    assert alone["trials"] > 0 and alone["compiled"] > 0, alone
    counts("add", "mul")  # kernels that the pack lacks
    said = rondo("export", FOLDER / "pack", "--program", convolution)[0]
    found = re.fullmatch(r"(\d+) kernels and (\d+) choices written to .*\n", said)
    assert found and int(found[1]) < len(kept()["kernels"]) - int(found[2]), (said, kept())
    there = {"RONDO_CACHE": str(FOLDER / "there")}
    holds(rondo("import", FOLDER / "pack", **there)[0], f"{found[1]} kernels and {found[2]} choices taken into", "0 were there")
    first = counts(f"program={convolution}", **there)
    assert (first["compiled"], first["trials"], first["disk_hits"]) == (0, 0, int(found[1])), (first, said)
    assert first["files"] == int(found[1]) + int(found[2]), (first, said)
    # Another version of the library has engines of its own.
    assert counts(f"program={convolution}", **there, SIMCUDNN_VERSION="9.28")["trials"] > 0
    # Choices that were made there give way to the imported ones, which have the bits of where they come from.
    own, pure = {"RONDO_CACHE": str(FOLDER / "own")}, {"RONDO_CACHE": str(FOLDER / "pure")}
    assert counts(f"program={convolution}", **own, RONDO_TRIAL_MS="0")["trials"] > 0
    found = contents(FOLDER / "own")
    rondo("import", FOLDER / "pack", **pure)
    packed = contents(FOLDER / "pure")
    assert any(found[name] != packed[name] for name in found.keys() & packed.keys()), "the choices are the same anyway"
    rondo("import", FOLDER / "pack", **own)
    assert contents(FOLDER / "own").items() >= packed.items()


def case_race():
    """Eight processes want the same kernels at once, in a folder that is not there yet."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("RONDO_")}
    for words in ["add", "mul"], ["graph", "module"]:
        running = [subprocess.Popen([PROGRAM, *words], env={**clean, **SETTINGS}, stdout=subprocess.PIPE, text=True) for _ in range(8)]
        for each in running:
            out, _ = each.communicate(timeout=110)
            found = json.loads(out.splitlines()[-1])
            assert each.returncode == 0 and found["compiled"] + found["disk_hits"] >= 2, out
            assert (found["damaged"], found["refused"], found["failed_writes"]) == (0, 0, 0), out
    holds(rondo("verify")[0], "4 files, 0 of them")
    assert len(files()) == 4, files()


def case_another_compiler():
    """Images of another version of NVRTC, and of another build under the same path, are not taken for its own."""
    shutil.copy(SIMULATED / "libnvrtc.so.12", FOLDER / "libnvrtc.so.12")
    mine = {"RONDO_NVRTC": str(FOLDER / "libnvrtc.so.12")}
    assert counts("add", **mine)["compiled"] == 1
    assert counts("add", **mine)["disk_hits"] == 1
    assert counts("add", **mine, SIMCUDA_NVRTC="12.4")["compiled"] == 1
    with open(FOLDER / "libnvrtc.so.12", "ab") as library:
        library.write(b"an update that did not change its version")
    assert counts("add", **mine)["compiled"] == 1
    assert counts("add", **mine)["disk_hits"] == 1
    assert sorted(kernel["nvrtc"] for kernel in kept()["kernels"]) == ["12.4", "12.8", "12.8"]
    # And of another device.
    assert counts("add", **mine, SIMCUDA_ARCH="80")["compiled"] == 1
    holds(rondo("clear", "--nvrtc", "12.4")[0], "1 files with")
    holds(rondo("clear", "--architecture", "sm_80")[0], "1 files with")
    assert counts("add", **mine)["disk_hits"] == 1


# ------------------------------------------------------------------------------------------------------------ troubles


def case_damage():
    """What is cut off, changed, exchanged, or may have been put there by others is told of once, and compiled again."""
    counts("add", "mul")
    first, second = files()

    def again(damage, count, say):
        damage()
        out, _ = rondo("verify", status=1)
        holds(out, "1 of them")
        holds(" ".join(run(RONDO, "doctor")[0].split()), "`rondo cache verify`") if count == "cut" else None
        found, _, err = program("add", "mul", RONDO_LOG="warning")
        assert (found["compiled"], found["disk_hits"], found[count if count != "cut" else "damaged"]) == (1, 1, 1), found
        assert err.count("rondo: the kept kernel") == 1, err
        holds(err, say)
        assert counts("add", "mul")["disk_hits"] == 2

    def flip(at):
        data = bytearray(first.read_bytes())
        data[at] ^= 1
        first.write_bytes(data)

    size = first.stat().st_size
    again(lambda: os.truncate(first, size // 2), "cut", "cut off" if False else "its header says")
    again(lambda: os.truncate(first, 0), "damaged", "it ends after 0 bytes")
    again(lambda: flip(size - 1), "damaged", "its checksum does not fit")
    again(lambda: flip(20), "damaged", "damaged and will be compiled again")
    again(lambda: shutil.copy(second, first), "damaged", "another kernel than its name says")
    again(lambda: first.chmod(0o666), "refused", "others can write to it")

    def link():
        first.rename(FOLDER / "elsewhere")
        first.symlink_to(FOLDER / "elsewhere")
    again(link, "refused", "it is a link")


def case_file_limit():
    """A limit on the size of files stops no program."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    # The simulated compiler writes files of its own, so the kernels are there first, for another folder.
    counts("add")
    rondo("export", FOLDER / "carried")
    there = {"RONDO_CACHE": str(FOLDER / "there")}
    _, err = rondo("import", FOLDER / "carried", status=1, limit=limit, **there)
    holds(err, "cannot be kept in", "File too large")
    assert files(FOLDER / "there") == []
    _, err = rondo("export", FOLDER / "again", status=1, limit=limit)
    holds(err, "it cannot be written: File too large")
    assert not (FOLDER / "again").exists()


def case_full_disk():
    """A full disk: the program goes on, says so once and counts; nothing half written stays."""
    small = FOLDER / "small"
    small.mkdir(mode=0o700)
    script = 'mount -t tmpfs -o size=8k,mode=700 none "$0" && exec "$@"'
    in_front(["unshare", "--map-root-user", "--mount", "sh", "-c", script, str(small)])
    found, _, err = program("add", "mul", RONDO_CACHE=str(small), RONDO_LOG="warning")
    assert found["compiled"] == 2 and found["failed_writes"] == 2 and found["files"] == 0, found
    assert err.count("could not be kept") == 1, err
    holds(err, "No space left on device")


def case_read_only():
    """A folder that can only be read is read."""
    counts("add")
    in_front(["unshare", "--map-root-user", "--mount", "sh", "-c",
              'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"', str(KERNELS)])
    found, _, err = program("add", "mul", RONDO_LOG="warning")
    assert (found["disk_hits"], found["compiled"], found["failed_writes"]) == (1, 1, 1), found
    holds(err, "could not be kept", "Read-only file system")
    _, err = rondo("clear", status=1)
    holds(err, "cannot be removed", "Read-only file system")


def case_size_cap():
    """The folder is kept under its size; a file that is larger is not taken in at all."""
    counts("add", "mul")
    rondo("export", FOLDER / "carried")
    _, err = rondo("import", FOLDER / "carried", status=1, RONDO_CACHE_MB="0")
    holds(err, "RONDO_CACHE_MB")
    assert counts("neg", RONDO_CACHE_MB="0")["files"] == 0
    assert files() == []


def case_progress():
    """A stretch of compiling is told of when it is long, and not when there is none."""
    def told(*words, **environment):
        return [line for line in program("slowly", *words, **environment)[2].splitlines() if line.startswith("progress")]

    counts("add")
    assert told("add") == []
    # Kernels that are not in the cache of the simulated compiler take as long as the host compiler does, under half a second or
    # more than one: whoever is told is told of the end.
    lines = told("graph", "module", SIMCUDA_CACHE="")
    if lines:
        holds(lines[-1], "progress '' ")
        done, known = lines[-1].split()[2:5:2]
        assert done == known, lines


# ------------------------------------------------------------------------------------------------------------- command


def case_usage():
    """What is not understood exits with 2 and one line that says what would be right."""
    for arguments, part in ([], "show, verify, clear, export or import"), (["shine"], "'shine' is none of"), (["show", "x"], "does not follow show"), \
            (["show", "--nvrtc", "12.8"], "does not follow"), (["verify", "--json"], "does not follow"), (["clear", "x"], "does not follow"), \
            (["clear", "--nvrtc"], "a version like 12.8"), (["clear", "--nvrtc", "12"], "a version like 12.8"), (["clear", "--rondo", "0.1"], "0.1.0"), \
            (["clear", "--older-than", "-1"], "days from 0"), (["clear", "--older-than", "nan"], "days from 0"), \
            (["clear", "--architecture", "sm"], "90 or sm_90"), (["export"], "export needs a file"), (["import", "a", "b"], "'b' does not follow"), \
            (["import", "--nvrtc", "12.8", "a"], "does not follow"):
        out, err = rondo(*arguments, status=2)
        assert out == "" and err.count("\n") == 1 and err.startswith("rondo: cache: "), err
        holds(err, part, "--help")
    for arguments in ["--help"], ["show", "--help"], ["export", "-h"]:
        holds(rondo(*arguments)[0], "usage:", "cache export FILE")


def case_nothing():
    """A folder that is not there, is off, or is not to be trusted."""
    out, _ = rondo("show")
    holds(out, f"{KERNELS}: 0 files, 0 bytes of at most")
    assert not KERNELS.exists(), "looking makes no folder"
    holds(rondo("verify")[0], "0 files")
    holds(rondo("clear")[0], "0 files")
    _, err = rondo("export", FOLDER / "none", status=1)
    holds(err, "there is no such kernel in", str(KERNELS))
    for setting, part in ("off", "RONDO_CACHE is off"), ("relative", "is not an absolute path"):
        holds(rondo("show", RONDO_CACHE=setting)[0], "No kernels are kept", part)
        assert part in json.loads(rondo("show", "--json", RONDO_CACHE=setting)[0])["reason"]
        for arguments in ["verify"], ["clear"], ["export", "x"], ["import", "x"]:
            _, err = rondo(*arguments, status=1, RONDO_CACHE=setting)
            holds(err, "no kernels are kept", part)


def case_clear():
    """All, those not used for long, those of a version."""
    counts("add", "mul")
    first, second = files()
    os.utime(first, (time.time() - 10 * 86400, time.time()))
    holds(rondo("clear", "--rondo", "0.0.9")[0], "0 files")
    holds(rondo("clear", "--architecture", "80")[0], "0 files")
    holds(rondo("clear", "--older-than", "9.5")[0], "1 files with")
    assert files() == [second]
    second.write_bytes(b"damaged")
    holds(rondo("show")[0], "not used")
    holds(rondo("clear", "--older-than", "0")[0], "1 files with 7 bytes")
    assert files() == []


def case_import_of_anything():
    """Files that are none, damaged, cut off or not there."""
    counts("add")
    rondo("export", FOLDER / "carried")
    data = (FOLDER / "carried").read_bytes()
    there = {"RONDO_CACHE": str(FOLDER / "there")}
    for name, content, part in ("text", b"text", "not a file of kernels"), ("cut", data[:-1], "cut off"), \
            ("flip", data[:-1] + bytes([data[-1] ^ 1]), "kernel 1 of 1, at byte 48"), ("long", data + b"x", "something follows"):
        (FOLDER / name).write_bytes(content)
        _, err = rondo("import", FOLDER / name, status=1, **there)
        holds(err, str(FOLDER / name), part)
        assert not (FOLDER / "there").exists()
    _, err = rondo("import", FOLDER / "absent", status=1, **there)
    holds(err, "No such file")
    _, err = rondo("export", FOLDER / "no" / "folder", status=1)
    holds(err, "No such file")


def case_lost_output():
    """What could not be written is a failure."""
    if not os.path.exists("/dev/full"):
        print("this machine has no /dev/full")
        sys.exit(77)
    for arguments in ["show"], ["show", "--json"], ["verify"], ["clear"]:
        _, err = run("sh", "-c", 'exec "$@" >/dev/full', "sh", RONDO, "cache", *arguments, status=1)
        holds(err, "rondo: the output could not be written")


cases = {name.removeprefix("case_"): case for name, case in globals().copy().items() if name.startswith("case_")}
try:
    cases[sys.argv[4]]()
finally:
    shutil.rmtree(FOLDER, ignore_errors=True)
