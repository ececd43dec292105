#!/usr/bin/env python3
"""Which kernel makes a product: chosen once, kept, and the same for eager calls and graphs.

    choices.py RONDO PROGRAM SIMULATED CASE
    choices.py PROGRAM --time [M,K,N...]

PROGRAM is choices_program.cc, RONDO the command, SIMULATED the folder of the simulated driver's libraries, and CASE the name of one of
the functions below without its `case_`. With --time it asks the GPU that is there what choices take and bring: a table goes to stdout.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="rondo_choices_"))
TIMED = sys.argv[2:3] == ["--time"]
PROGRAM = pathlib.Path(sys.argv[1 if TIMED else 2]).absolute()
KERNELS = FOLDER / "kernels"
SETTINGS = {"RONDO_CACHE": str(KERNELS)}
if not TIMED:
    SIMULATED = pathlib.Path(sys.argv[3]).absolute()
    SETTINGS |= {
        "RONDO_CUDA_DRIVER": str(SIMULATED / "libcuda.so.1"),
        "RONDO_NVRTC": str(SIMULATED / "libnvrtc.so.12"),
        "RONDO_CUBLASLT": "none",
        "RONDO_CUDNN": "none",
        "SIMCUDA_SEED": "3",
    }
SMALL, ROWS = "32,64,64", "4,64,64,bf16,gelu,bias"


def run(*command, **environment):
    clean = {name: value for name, value in os.environ.items() if TIMED or not name.startswith("RONDO_")}
    done = subprocess.run(command, env={**clean, **SETTINGS, **environment}, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, f"{command} exits {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout


def products(*words, **environment):
    """(lines of the products, counts)."""
    *lines, counts = (json.loads(line) for line in run(PROGRAM, *words, **environment).splitlines())
    for line in lines:
        assert line["equal"], f"an eager call and a graph have different bits: {line}"
        assert line["by"].startswith("by "), line
    return lines, counts


def rondo(*arguments, **environment):
    return run(sys.argv[1], "cache", *arguments, **environment)


def entries(folder=KERNELS):
    """The kept choices among products: name of the file to text of the choice."""
    texts = {}
    for path in pathlib.Path(folder).rglob("*.kernel"):
        found = re.search(rb"product\0*((?:[a-z_]+ [0-9.e+-]+\n)+)$", path.read_bytes())
        if found and not re.search(r"\.(sm|compute)_", path.name):
            texts[path] = found[1].decode()
    return texts


# ---------------------------------------------------------------------------------------------------------- cases


def case_kept():
    """What one process has chosen the next one takes from the disk, and a report says by how much it won."""
    first, counts = products(SMALL, ROWS)
    assert counts["trials"] == 2, counts
    for line in first:
        assert re.fullmatch(r"by Rondo's [a-z ]+ \([0-9.]+ us in a chain(, Rondo's [a-z ]+ [0-9.]+)+\)(, may read .*)?", line["by"]), line
    assert len(entries()) == 2, entries()
    second, counts = products(SMALL, ROWS)
    assert (counts["trials"], counts["compiled"]) == (0, 0), counts
    assert [(line["bits"], line["by"]) for line in second] == [(line["bits"], line["by"]) for line in first], (first, second)
    # Recorded before there is a choice, in another folder.
    later, counts = products("graph-first", SMALL, ROWS, RONDO_CACHE=str(FOLDER / "later"))
    assert counts["trials"] == 2, counts
    assert rondo("show").count("\nproduct ") == 2, rondo("show")


def case_threads():
    """Threads that want the same product at once have one choice."""
    lines, counts = products("threads=8", SMALL)
    assert counts["trials"] == 1 and lines[0]["equal"], (lines, counts)


def case_rule():
    """With trials switched off, or their time spent, fixed rules decide, and nothing is kept; a choice that is kept holds all the same."""
    for off in {"RONDO_TRIAL_MS": "0"}, {"RONDO_TRIAL_TOTAL_MS": "0"}:
        lines, counts = products(SMALL, ROWS, **off)
        assert counts["trials"] == 0 and not entries(), (counts, entries())
        assert [line["by"].split(",")[0] for line in lines] == ["by Rondo's small tiles", "by Rondo's kernel for few rows"], lines
    chosen, _ = products(SMALL)
    lines, counts = products(SMALL, RONDO_TRIAL_MS="0")
    assert (lines[0]["by"], lines[0]["bits"]) == (chosen[0]["by"], chosen[0]["bits"]) and counts["trials"] == 0, (lines, chosen)


def case_damaged():
    """A choice that is damaged, or names a kernel that cannot make the product, is made again."""
    products(SMALL)
    (path,) = entries()
    whole = path.read_bytes()
    path.write_bytes(whole[:-3] + bytes([whole[-3] ^ 1]) + whole[-2:])
    _, counts = products(SMALL)
    assert (counts["trials"], counts["damaged"]) == (1, 1), counts
    # Whole files that say what no choice of this product says.
    for text in "", "\n", "tiles 1\n", "few_rows\n", "few_rows x\n", "small_tiles nan\n", "small_tiles -1\n", "library 1\n", "few_rows 1\n", \
            "small_tiles 1\n" * 9, "small_tiles 1\nx 2\n", "x" * 70000:
        run(PROGRAM.parent / "choices_forge", KERNELS, text)
        lines, counts = products(SMALL)
        assert (counts["trials"], counts["damaged"]) == (1, 0), (text[:40], counts, lines)
        assert len(entries()) == 1, entries()
    run(PROGRAM.parent / "choices_forge", KERNELS, "large_tiles 1.5\nsmall_tiles 2.5\n")
    lines, counts = products(SMALL)
    assert counts["trials"] == 0 and lines[0]["by"].startswith("by Rondo's large tiles (1.50 us in a chain, Rondo's small tiles 2.50)"), lines


def case_large_views():
    """Weights that are a part of a large tensor are tried in little memory, or not at all."""
    lines, counts = products("32,64,64,apart=131072", SIMCUDA_MEMORY="192")  # over 16 MiB
    assert counts["trials"] == 1 and len(entries()) == 1, (lines, counts)
    lines, counts = products("32,64,64,apart=1200000", SIMCUDA_MEMORY="4096")  # over 144 MiB
    assert counts["trials"] == 1 and len(entries()) == 1 and "(" not in lines[0]["by"], (lines, counts)


def case_unmakable():
    """A kept choice whose kernel cannot be made leaves a product to the rule."""
    products(SMALL)
    run(PROGRAM.parent / "choices_forge", KERNELS, "large_tiles 1.5\nsmall_tiles 2.5\n")
    (choice,) = entries()
    here = {"RONDO_CACHE": str(FOLDER / "here"), "RONDO_TRIAL_MS": "0"}
    ruled, _ = products(SMALL, **here)  # whose kernels are there, and not that of the choice
    copied = FOLDER / "here" / choice.relative_to(KERNELS)
    copied.parent.mkdir(exist_ok=True)
    shutil.copy(choice, copied)
    lines, counts = products(SMALL, **here, RONDO_NVRTC="none")
    assert (lines[0]["by"], lines[0]["bits"], counts["compiled"]) == (ruled[0]["by"], ruled[0]["bits"], 0), (lines, ruled)
    lines, counts = products(SMALL, **here)
    assert lines[0]["by"].startswith("by Rondo's large tiles (1.50 us"), lines


def case_library_fails():
    """A cuBLASLt whose calls fail takes no product, and does not keep Rondo's kernels from making it."""
    library = {"RONDO_CUBLASLT": str(SIMULATED.parent / "simcudnn/v9/libcublasLt.so.12")}
    lines, counts = products(SMALL, **library)
    assert counts["trials"] == 1 and "cuBLASLt" not in lines[0]["by"], (lines, counts)
    run(PROGRAM.parent / "choices_forge", KERNELS, "library 1.5\nsmall_tiles 2.5\n")
    lines, counts = products(SMALL, **library)
    assert counts["trials"] == 1 and "cuBLASLt" not in lines[0]["by"], (lines, counts)


def case_host_memory():
    """Kernels that are only tried take nothing of the host's memory that making a program may take."""
    program = program_file()
    command = PROGRAM.parent / "cache_program"
    run(command, f"program={program}")
    (chosen,) = entries().values()
    sizes = [path.stat().st_size for path in KERNELS.rglob("*.sm_*")]
    enough = 2 * max(sizes) + (32 << 10)
    assert enough < 2 * sum(sizes), sizes
    run(command, f"host_memory={enough}", f"program={program}", RONDO_CACHE=str(FOLDER / "enough"))
    (text,) = entries(FOLDER / "enough").values()
    assert len(text.splitlines()) == len(chosen.splitlines()) > 1, (text, chosen)
    # The rule's kernel is what a program is charged for.
    few = {**os.environ, **SETTINGS, "RONDO_CACHE": str(FOLDER / "few")}
    done = subprocess.run([command, f"host_memory={2 * max(sizes) - 1}", f"program={program}"], env=few, capture_output=True, text=True, timeout=280, check=False)
    assert "RONDO_OUT_OF_MEMORY" in done.stdout and not entries(FOLDER / "few"), done


def case_faults():
    """A trial that fails leaves a product to the rule, and nothing is kept; one kernel that fails leaves it to the others."""
    for fault in "cuMemAlloc_v2:2:2", "cuMemAlloc_v2:4:2", "cuEventElapsedTime:1:1", "cuStreamBeginCapture_v2:1:2", "cuGraphInstantiateWithFlags:1:2", "cuGraphLaunch:2:1":
        lines, counts = products(SMALL, SIMCUDA_FAULT=fault)
        assert counts["trials"] == 1 and not entries(), (fault, counts, entries())
        assert lines[0]["by"].split(",")[0] == "by Rondo's small tiles", (fault, lines)
    lines, counts = products(SMALL, SIMCUDA_NVRTC_FAULT="nvrtcCompileProgram:2:6")
    assert counts["trials"] <= 1, (counts, lines)


def case_stranger():
    """For a program that is not trusted nothing is tried; what is kept is used."""
    program = program_file()
    command = PROGRAM.parent / "cache_program"
    counts = json.loads(run(command, f"stranger={program}").splitlines()[-1])
    assert (counts["trials"], counts["files"]) == (0, 0), counts
    counts = json.loads(run(command, f"program={program}").splitlines()[-1])
    assert counts["trials"] == 1 and len(entries()) == 1, counts
    files = counts["files"]
    counts = json.loads(run(command, f"stranger={program}").splitlines()[-1])
    assert (counts["trials"], counts["compiled"], counts["files"]) == (0, 0, files), counts


def case_carried():
    """The pack of a program has its choices: a machine that takes it tries nothing and compiles nothing."""
    program = program_file()
    command = PROGRAM.parent / "cache_program"
    said = rondo("export", FOLDER / "pack", "--program", program)
    found = re.fullmatch(r"(\d+) kernels and 1 choices written to .*\n", said)
    assert found, said
    there = {"RONDO_CACHE": str(FOLDER / "there")}
    rondo("import", FOLDER / "pack", **there)
    assert list(entries(FOLDER / "there").values()) == list(entries().values())
    counts = json.loads(run(command, f"program={program}", **there, RONDO_NVRTC="none").splitlines()[-1])
    assert (counts["trials"], counts["compiled"]) == (0, 0), counts
    # Of a device that is only described nothing is tried.
    described = {"RONDO_CACHE": str(FOLDER / "described")}
    (FOLDER / "gpu.json").write_text(run(sys.argv[1], "info", "--describe"))
    said = rondo("export", FOLDER / "other", "--program", program, "--for", FOLDER / "gpu.json", **described)
    assert re.fullmatch(r"\d+ kernels written to .*\n", said), said


def program_file():
    """A program of one product of f16."""
    text = ('{"rondo_program":1,"needs":"0.1","made_by":"0.1.0","weights":[["x","f16",[32,64]],["w","f16",[64,64]]],"functions":['
            '{"name":"f","inputs":[],"weights":[0,1],"nodes":[{"kind":"Matmul","in":{"a":0,"b":1},"out":{"out":[2,"f16",[32,64]]}}],'
            '"outputs":[["y",2,"f16",[32,64]]]}]}')
    header = {"__metadata__": {"rondo.program": text},
              "x": {"dtype": "F16", "shape": [32, 64], "data_offsets": [0, 4096]},
              "w": {"dtype": "F16", "shape": [64, 64], "data_offsets": [4096, 12288]}}
    encoded = json.dumps(header).encode()
    path = FOLDER / "product.safetensors"
    path.write_bytes(len(encoded).to_bytes(8, "little") + encoded + bytes(12288))
    return path


# ----------------------------------------------------------------------------------------------------------- a GPU


def times(problems):
    """A table of what the rule's kernels take, what those take that were chosen, and how long choosing takes."""
    problems = problems or [f"{m},{k},{n},f16{gelu}" for m in (1, 8, 16, 32, 128, 512)
                            for k, n in ((64, 256), (384, 384), (384, 1536), (768, 768), (768, 3072), (1024, 4096), (3072, 768))
                            for gelu in ("", ",gelu")]
    rule, _ = products("time", *problems, RONDO_TRIAL_MS="0", RONDO_CACHE=str(FOLDER / "rule"))
    warm = str(FOLDER / "warm")  # kernels are there, choices are not: what the first use of a product takes then
    chosen, counts = products("time", *problems, RONDO_CACHE=str(FOLDER / "chosen"))
    kept, again_counts = products(*problems, RONDO_CACHE=str(FOLDER / "chosen"))
    shutil.copytree(FOLDER / "chosen", warm)
    for path in entries(warm):
        path.unlink()
    plain, _ = products(*problems, RONDO_TRIAL_MS="0", RONDO_CACHE=warm)
    again, _ = products("time", *problems, RONDO_CACHE=warm)
    print(f"{counts['trials']} trials, and {again_counts['trials']} in the next process. In the first columns microseconds of one product in a chain: by rule, as\n"
          "chosen, as chosen anew. Then milliseconds of a first call, its kernels compiled: by rule, with a trial, with a choice from the disk.\n")
    print("product                       rule us  chosen us  again us  rule ms  trial ms  kept ms  same  chosen by")
    for a, b, c, d, e in zip(rule, chosen, again, plain, kept):
        same = b["by"].split(" (")[0] == c["by"].split(" (")[0]
        print(f"{a['product']:28} {a['chain_us']:8.2f} {b['chain_us']:10.2f} {c['chain_us']:9.2f} {d['first_ms']:8.2f} {c['first_ms']:9.2f} {e['first_ms']:8.2f}"
              f"  {'yes' if same else 'no ':4}  {b['by']}")
    worst = max(max(b["chain_us"], c["chain_us"]) / min(b["chain_us"], c["chain_us"]) for b, c in zip(chosen, again))
    slower = max(b["chain_us"] / a["chain_us"] for a, b in zip(rule, chosen))
    print(f"\nThe largest of chosen to chosen anew is {worst:.3f}, of chosen to rule {slower:.3f}.")


try:
    if TIMED:
        times(sys.argv[3:])
    else:
        {name.removeprefix("case_"): case for name, case in globals().copy().items() if name.startswith("case_")}[sys.argv[4]]()
finally:
    shutil.rmtree(FOLDER, ignore_errors=True)
