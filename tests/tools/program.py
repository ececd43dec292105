#!/usr/bin/env python3
"""Runs `rondo program` and `rondo run` as a user does and checks what they print and how they exit.

    program.py RONDO SIMULATED CASE

RONDO is the command, SIMULATED the folder of the simulated driver's libraries, and CASE the name of one of the functions below
without its `case_`. The program files are written here, by nothing of Rondo's.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import hashlib
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

RONDO, SIMULATED = (pathlib.Path(path).absolute() for path in sys.argv[1:3])
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="rondo_program_"))
TEXT = """{"rondo_program":1,"needs":"0.1","made_by":"0.1.0","weights":[
["w","f32",[3]],
["count","f32",[],"state"]],"functions":[
{"name":"scale","inputs":[["x","f32",[2,3]]],"weights":[0],"nodes":[
{"kind":"Elementwise","with":{"row":"mul","computed":"f32"},"in":{"operands":[0,3]},"out":{"out":[4,"f32",[2,3]]}}],
"outputs":[["y",4,"f32",[2,3]]]},
{"name":"count","inputs":[],"weights":[1],"nodes":[
{"kind":"Elementwise","with":{"row":"add","computed":"f32","scalar":true,"words":["0x3f800000"]},"in":{"operands":[0]},"out":{"out":0}},
{"kind":"Copy","in":{"a":0},"out":{"out":[1,"f32",[]]}}],
"outputs":[["now",1,"f32",[]]]}]}"""
# An operand is a view that repeats the weight.
TEXT = TEXT.replace('"weights":[0],"nodes":[\n', '"weights":[0],"nodes":[\n{"view":"Broadcast","with":{"shape":[2,3]},"in":1,"out":2},\n') \
           .replace('[0,3]}', '[0,2]}').replace('"out":[4,"f32",[2,3]]', '"out":[3,"f32",[2,3]]').replace('["y",4,', '["y",3,')
W = [1.0, 2.0, -3.0]


def run(*arguments, status=0, **environment):
    """(stdout, stderr) of the command, which must exit with `status`."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("RONDO_", "SIMCUDA_"))}
    done = subprocess.run([RONDO, *arguments], env={**clean, "RONDO_CACHE": "off", "RONDO_CUDA_DRIVER": "none", **environment},
                          capture_output=True, text=True, errors="surrogateescape", timeout=120)
    assert done.returncode == status, f"{arguments} exits {done.returncode}, not {status}:\n{done.stdout}{done.stderr}"
    return done.stdout, done.stderr


def holds(text, *parts):
    for part in parts:
        assert part in text, f"{part!r} is not in:\n{text}"


def write(name, tensors, metadata=None):
    """A safetensors file of f32 tensors: name -> (shape, numbers)."""
    header, data = {"__metadata__": metadata} if metadata else {}, b""
    for key, (shape, numbers) in tensors.items():
        more = struct.pack(f"<{len(numbers)}f", *numbers)
        header[key] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(more)]}
        data += more
    text = json.dumps(header).encode()
    (FOLDER / name).write_bytes(struct.pack("<Q", len(text)) + text + data)
    return FOLDER / name


def read(path):
    content = path.read_bytes()
    size, = struct.unpack("<Q", content[:8])
    header = json.loads(content[8:8 + size])
    header.pop("__metadata__", None)
    return {name: list(struct.unpack(f"<{(to - at) // 4}f", content[8 + size + at:8 + size + to]))
            for name, (at, to) in ((name, each["data_offsets"]) for name, each in header.items())}


def saved(text=TEXT, **metadata):
    return write("program.safetensors", {"w": ([3], W), "count": ([], [5.0])}, {"rondo.program": text, **metadata})


def inputs():
    return write("in.safetensors", {"x": ([2, 3], [1, 2, 3, 4, 5, 6])})


def case_show():
    """Signatures, sizes and the author's texts, without what a terminal would obey."""
    path = saved(labels="cat\ndog \u001b[31m \u202eright to left")
    text, _ = run("program", "show", path)
    holds(text, "needs Rondo 0.1", "2 weights of 12 bytes, states of 4 bytes", "function scale: 2 nodes, 0 parameters, 0 sections",
          "x: f32 [2, 3]", "y: f32 [2, 3]", "function count", "w: f32 [3]", "count: f32 [], a state", "labels: cat")
    assert "\x1b" not in text and "\u202e" not in text, text
    assert run("program", "show", path, "--text")[0] == TEXT + "\n"
    turned = saved(TEXT.replace('"scale"', '"sc\u202eale"'))
    assert "\u202e" not in run("program", "show", turned)[0] + run("run", turned, "--function", "none", "--outputs", FOLDER / "o", status=1)[1]


def case_verify():
    """A program whose nodes do not go together opens, and is found."""
    holds(run("program", "verify", saved())[0], "is whole")
    wrong = saved(TEXT.replace('"shape":[2,3]}', '"shape":[4,3]}'))
    run("program", "show", wrong)
    holds(run("program", "verify", wrong, status=1)[1], "function 'scale'", "node 1 (Elementwise)")
    holds(run("program", "verify", saved(TEXT.replace("Elementwise", "Elementwiser")), status=1)[1], "kind 'Elementwiser' is not known")
    holds(run("program", "verify", inputs(), status=1)[1], "it has tensors and no program")
    holds(run("program", "show", FOLDER / "missing", status=1)[1], "NOT_FOUND")


def case_run():
    """Tensors of one file go in by name, and results come out in another."""
    out = FOLDER / "out.safetensors"
    run("run", saved(), "--function", "scale", "--inputs", inputs(), "--outputs", out)
    assert read(out) == {"y": [1, 4, -9, 4, 10, -18]}, read(out)
    run("run", saved(), "--function", "count", "--outputs", out, "--device", "cpu:0")
    assert read(out) == {"now": [6]}, read(out)
    one = saved(TEXT[:TEXT.index(',\n{"name":"count"')] + "]}")
    run("run", one, "--inputs", inputs(), "--outputs", out)
    assert read(out) == {"y": [1, 4, -9, 4, 10, -18]}


def case_sizes():
    """A function whose sizes vary is shown with names, checked at both bounds, and called at a size between."""
    text = TEXT[:TEXT.index(',\n{"name":"count"')] + "]}"
    text = text.replace("[2,3]", '["n",3]').replace(',"weights":[', ',"dims":[["n",1,9]],"weights":[', 1)
    path, out = saved(text), FOLDER / "out.safetensors"
    holds(run("program", "show", path)[0], "n is from 1 to 9", "x: f32 [n, 3]", "y: f32 [n, 3]", "w: f32 [3]")
    wide = saved(text.replace('["n",3]', '["2*n",3]'))
    holds(run("program", "show", wide)[0], "x: f32 [2*n, 3]", "y: f32 [2*n, 3]")
    path = saved(text)
    holds(run("program", "verify", path)[0], "is whole")
    run("run", path, "--inputs", inputs(), "--outputs", out)
    assert read(out) == {"y": [1, 4, -9, 4, 10, -18]}, read(out)
    many = write("many.safetensors", {"x": ([10, 3], [1] * 30)})
    holds(run("run", path, "--inputs", many, "--outputs", out, status=1)[1], "the size 'n' is 10", "1 to 9")
    holds(run("program", "verify", saved(text.replace('"shape":["n",3]', '"shape":["n*n",3]')), status=1)[1], "function 'scale'", "[81, 3]")


def rows():
    """A program of one function whose first dimension varies."""
    text = TEXT[:TEXT.index(',\n{"name":"count"')] + "]}"
    return text.replace("[2,3]", '["n",3]').replace(',"weights":[', ',"dims":[["n",1,9]],"weights":[', 1)


def case_bind():
    """A program at one size is a file of its own, with the weights and the author's texts."""
    out, bound = FOLDER / "out.safetensors", FOLDER / "bound.safetensors"
    path = saved(rows(), labels="cat")
    run("program", "bind", path, "--sizes", "n=2", "--output", bound)
    expected = TEXT[:TEXT.index(',\n{"name":"count"')] + "]}"
    assert run("program", "show", bound, "--text")[0] == expected + "\n"
    holds(run("program", "show", bound)[0], "x: f32 [2, 3]", "labels: cat")
    first = bound.read_bytes()
    run("program", "bind", path, "--output", bound, "--sizes", "n=2")
    assert bound.read_bytes() == first
    run("run", bound, "--inputs", inputs(), "--outputs", out)
    assert read(out) == {"y": [1, 4, -9, 4, 10, -18]}, read(out)
    for sizes in "n", "m=2", "n=2,n=2", "n=-2", "n=", "":
        holds(run("program", "bind", path, "--output", bound, "--sizes", sizes, status=2)[1], "--sizes")
    holds(run("program", "bind", path, "--output", bound, "--sizes", "n=10", status=1)[1], "the size 'n' is 10")
    holds(run("program", "bind", saved(), "--output", bound, "--sizes", "n=1", status=2)[1], "it has no dimensions")
    holds(run("program", "bind", path, "--sizes", "n=1", status=2)[1], "bind needs a file, --sizes and --output")
    assert bound.read_bytes() == first


def products(rows):
    """A program of two products of matrices of so many rows, which may be a dimension's name."""
    text = TEXT[:TEXT.index('{"name":"scale"')].replace('["w","f32",[3]],\n["count","f32",[],"state"]', '["m","f32",[3,3]]')
    if isinstance(rows, str):
        text = text.replace(',"weights":[', f',"dims":[["{rows}",1,137438953472]],"weights":[', 1)
    return text + """{"name":"f","inputs":[["x","f32",[ROWS,3]]],"weights":[0],"nodes":[
{"kind":"Matmul","with":{"allow_tf32":true,"activation":"none"},"in":{"a":0,"b":1},"out":{"out":[2,"f32",[ROWS,3]]}},
{"kind":"Matmul","with":{"allow_tf32":true,"activation":"none"},"in":{"a":2,"b":1},"out":{"out":[3,"f32",[ROWS,3]]}}],
"outputs":[["y",3,"f32",[ROWS,3]]]}]}""".replace("ROWS", json.dumps(rows))


def case_large():
    """A program that this machine has no memory to run is bound and copied: only its weights are loaded."""
    path = write("large.safetensors", {"m": ([3, 3], range(9))}, {"rondo.program": products("n")})
    bound, alone = FOLDER / "bound.safetensors", FOLDER / "bound.rondo.json"
    run("program", "bind", path, "--sizes", "n=68719476736", "--output", bound)
    assert run("program", "show", bound, "--text")[0] == products(68719476736) + "\n"
    run("program", "copy", bound, "--output", alone, "--weights", "m.safetensors")
    assert read(FOLDER / "m.safetensors") == read(bound) == {"m": list(range(9))}
    # The allocator of a sanitizer ends the process unless it is told otherwise.
    options = f"{os.environ.get('ASAN_OPTIONS', '')}:allocator_may_return_null=1"
    holds(run("program", "verify", bound, status=1, ASAN_OPTIONS=options)[1], "OUT_OF_MEMORY")


def case_copy():
    """A program becomes JSON beside its weights, and one file again, with the same text, texts of the author and results."""
    out, alone, again = FOLDER / "out.safetensors", FOLDER / "p.rondo.json", FOLDER / "again.safetensors"
    path = saved(labels="cat")
    run("program", "copy", path, "--output", alone, "--weights", "w.safetensors")
    holds(alone.read_text(encoding="utf-8"), '{"rondo.program.file":1,"metadata":{"labels":"cat"},"files":[\n["w.safetensors",',
          hashlib.sha256((FOLDER / "w.safetensors").read_bytes()).hexdigest(), '"program":\n' + TEXT)
    assert run("program", "show", alone) == run("program", "show", path)
    assert run("program", "diff", path, alone) == ("", "")
    holds(run("program", "verify", alone)[0], "is whole")
    run("run", alone, "--function", "scale", "--inputs", inputs(), "--outputs", out)
    assert read(out) == {"y": [1, 4, -9, 4, 10, -18]}, read(out)
    run("program", "copy", path, "--output", out)
    run("program", "copy", alone, "--output", again)
    assert again.read_bytes() == out.read_bytes()
    run("program", "bind", saved(rows()), "--sizes", "n=2", "--output", FOLDER / "b.rondo.json", "--weights", "b.safetensors")
    run("run", FOLDER / "b.rondo.json", "--inputs", inputs(), "--outputs", out)
    weights = bytearray((FOLDER / "w.safetensors").read_bytes())
    weights[-1] ^= 1
    (FOLDER / "w.safetensors").write_bytes(weights)
    holds(run("run", alone, "--function", "scale", "--inputs", inputs(), "--outputs", out, status=1)[1], "its SHA-256 is")
    holds(run("program", "copy", path, "--output", alone, "--weights", "../w", status=1)[1], "the name of a file in the same folder is needed")
    holds(run("program", "copy", path, "--sizes", "n=1", "--output", alone, status=2)[1], "'--sizes' does not follow copy")
    holds(run("program", "copy", path, status=2)[1], "copy needs a file, and --output")


def case_diff():
    """What differs is told by function and node, whatever numbers values have."""
    def named(name, text):
        return write(name, {"w": ([3], W), "count": ([], [5.0])}, {"rondo.program": text})
    a = named("a", TEXT)
    assert run("program", "diff", a, named("b", TEXT)) == ("", "")
    # One node more, so that all values after it have other numbers.
    relu = '{"kind":"Elementwise","with":{"row":"relu","computed":"f32"},"in":{"operands":[0]},"out":{"out":[2,"f32",[2,3]]}},\n'
    more = TEXT.replace('"nodes":[\n{"view":"Broadcast"', '"nodes":[\n' + relu + '{"view":"Broadcast"').replace('"in":1,"out":2}', '"in":1,"out":3}') \
               .replace('[0,2]},"out":{"out":[3,', '[2,3]},"out":{"out":[4,').replace('["y",3,', '["y",4,')
    run("program", "verify", named("b", more))
    text, _ = run("program", "diff", a, named("b", more), status=1)
    holds(text, "function scale\n+ " + relu.strip().rstrip(","), '- {"kind":"Elementwise","with":{"row":"mul"')
    assert "count" not in text and "Broadcast" not in text, text
    text, _ = run("program", "diff", a, named("b", TEXT.replace('"row":"add"', '"row":"sub"')), status=1)
    holds(text, "function count\n- ", '"row":"add"', '+ {"kind":"Elementwise","with":{"row":"sub"')
    assert "scale" not in text, text
    text, _ = run("program", "diff", named("b", TEXT[:TEXT.index(',\n{"name":"count"')] + "]}"), a, status=1)
    assert text == "+ function count\n", text
    text, _ = run("program", "diff", saved(rows()), saved(rows()), status=0)
    text, _ = run("program", "diff", named("b", rows()), named("c", rows().replace('["n",1,9]', '["n",1,8]')), status=1)
    assert text == '  dims: [["n",1,9]] -> [["n",1,8]]\n', text
    holds(run("program", "diff", a, status=2)[1], "diff needs two files")
    holds(run("program", "diff", a, FOLDER / "none", status=1)[1], "NOT_FOUND")


def kept(cache):
    return sorted(str(path.relative_to(cache)) for path in cache.rglob("*") if path.is_file())


def case_compile():
    """Kernels for a GPU that is only described are those that a GPU of the kind then looks for; a pack has these alone."""
    cache, out, pack = FOLDER / "kernels", FOLDER / "out.safetensors", FOLDER / "pack"
    compiler = {"RONDO_NVRTC": str(SIMULATED / "libnvrtc.so.12"), "RONDO_CACHE": str(cache),
                **{key: value for key, value in os.environ.items() if key == "SIMCUDA_CACHE"}}
    gpu = {**compiler, "RONDO_CUDA_DRIVER": str(SIMULATED / "libcuda.so.1"), "RONDO_CUBLASLT": "none", "RONDO_CUDNN": "none", "RONDO_NCCL": "none"}
    device = FOLDER / "gpu.json"
    device.write_text(run("info", "--describe", **gpu)[0])
    assert json.loads(device.read_text())["capability"] == 90
    path = saved(rows())
    text, _ = run("program", "compile", path, "--for", device, "--sizes", "n=2", "--sizes", "n=9", **compiler)
    holds(text, " kernels compiled, ", str(cache))
    files = kept(cache)
    assert files and not text.startswith("0 kernels"), text
    holds(run("program", "compile", path, "--for", device, "--sizes", "n=2", **compiler)[0], "0 kernels compiled, ")
    run("run", path, "--inputs", inputs(), "--outputs", out, "--device", "cuda:0", "--trust", **gpu)
    assert read(out) == {"y": [1, 4, -9, 4, 10, -18]}
    assert kept(cache) == files, "a GPU of the described kind compiled more"
    # Another program's kernels are not in the pack of the first.
    run("program", "compile", saved(TEXT.replace('"row":"mul"', '"row":"atan2"')), "--for", device, **compiler)
    assert len(kept(cache)) > len(files)
    everything = run("cache", "export", pack, **compiler)[0]
    packed = run("cache", "export", pack, "--program", saved(rows()), "--for", device, "--sizes", "n=2", **compiler)[0]
    assert int(packed.split()[0]) < int(everything.split()[0]), (packed, everything)
    other = FOLDER / "other"
    run("cache", "import", pack, **{**gpu, "RONDO_CACHE": str(other)})
    run("run", saved(rows()), "--inputs", inputs(), "--outputs", out, "--device", "cuda:0", "--trust", **{**gpu, "RONDO_CACHE": str(other)})
    assert len(kept(other)) == int(packed.split()[0]), "the pack lacks a kernel"
    # What a stranger's file makes is not kept; what is there is used.
    strange = ["run", saved(TEXT.replace('"row":"mul"', '"row":"minimum"')), "--function", "scale", "--inputs", inputs(), "--outputs", out, "--device", "cuda:0"]
    before = kept(cache)
    run(*strange, **gpu)
    assert kept(cache) == before, "a stranger's kernels were kept"
    run(*strange, "--trust", **gpu)
    assert len(kept(cache)) > len(before), "a trusted program's kernels were not kept"
    saved(rows())
    holds(run("program", "compile", path, "--sizes", "n=2", status=2, **compiler)[1], "compile needs --for")
    holds(run("program", "compile", path, "--for", device, status=2, **compiler)[1], "--sizes is needed")
    holds(run("program", "compile", path, "--for", device, "--sizes", "n=2", status=1, **{**compiler, "RONDO_CACHE": "off"})[1], "no kernels are kept")
    for wrong, part in ("[]", "is not the description"), ('{"rondo_device":"1"}', "is not the description"), ('{"rondo_device":1}', '"capability"'), ("", "cannot be read"), \
            (device.read_text().replace('"processors": ', '"processors": -'), '"processors"'):
        (FOLDER / "wrong.json").write_text(wrong)
        holds(run("program", "compile", path, "--for", FOLDER / "wrong.json", "--sizes", "n=2", status=1, **compiler)[1], part)


def counts(text):
    """(needed, kept, missing) of each line of counts, in order."""
    return [tuple(map(int, numbers)) for numbers in re.findall(r"(\d+) needed, (\d+) kept, (\d+) missing", text)]


def case_kernels():
    """What a program needs is counted before anything is compiled, kept or loaded: random numbers and loops too."""
    cache, out = FOLDER / "kernels", FOLDER / "out.safetensors"
    compiler = {"RONDO_NVRTC": str(SIMULATED / "libnvrtc.so.12"), "RONDO_CACHE": str(cache),
                **{key: value for key, value in os.environ.items() if key == "SIMCUDA_CACHE"}}
    gpu = {**compiler, "RONDO_CUDA_DRIVER": str(SIMULATED / "libcuda.so.1"), "RONDO_CUBLASLT": "none", "RONDO_CUDNN": "none", "RONDO_NCCL": "none"}
    device = FOLDER / "gpu.json"
    device.write_text(run("info", "--describe", **gpu)[0])
    random = '{"kind":"RandomUniform","with":{"low":"0x0p+0","high":"0x1p+0"},"out":{"out":[1,"f32",[4]]}},\n' \
             '{"kind":"Elementwise","with":{"row":"ne","computed":"f32","scalar":true,"words":["0x00000000"]},"in":{"operands":[0]},"out":{"out":[2,"bool",[]]}},\n'
    loop = TEXT.replace('"nodes":[\n{"kind":"Elementwise","with":{"row":"add"', '"nodes":[\n' + random + '{"control":"while","limit":3,"number":2,"bodies":[[\n{"kind":"Elementwise","with":{"row":"add"') \
               .replace('"out":{"out":0}},', '"out":{"out":0}}]]},').replace('"out":[1,"f32",[]]', '"out":[3,"f32",[]]').replace('["now",1,', '["now",3,')
    path = saved(loop)
    show = "program", "show", path, "--for"
    text, _ = run(*show, device, **compiler)
    (needed, kept_ones, missing), = counts(text)
    holds(text, "function count", f"kernels for {device}", "random_advance ", "chooser ")
    assert kept_ones == 0 and missing == needed == len(text.split(" missing\n")[1].splitlines()), text
    assert not cache.exists(), "counting has compiled"
    run("program", "compile", path, "--for", device, **compiler)
    files = kept(cache)
    assert len(files) == needed and counts(run(*show, device, **compiler)[0]) == [(needed, needed, 0)]
    # A GPU of the kind says the same, and compiles nothing.
    assert counts(run(*show, "cuda:0", **gpu)[0]) == [(needed, needed, 0)]
    for function in "scale", "count":
        run("run", path, "--function", function, *(["--inputs", inputs()] if function == "scale" else []), "--outputs", out, "--device", "cuda:0", "--trust", **gpu)
    assert kept(cache) == files, "a kernel was not counted"
    (cache / files[0]).unlink()
    text, _ = run(*show, device, **compiler)
    assert counts(text) == [(needed, needed - 1, 1)], text
    holds(text.split(" missing\n")[1], " " + files[0].split(".")[0])
    damaged = cache / files[1]
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"?")
    assert counts(run(*show, device, **compiler)[0]) == [(needed, needed - 2, 2)]
    assert damaged.exists()
    # Without a compiler what another one made counts; without a folder nothing does.
    assert counts(run(*show, device, **{**compiler, "RONDO_NVRTC": "none"})[0]) == [(needed, needed - 2, 2)]
    assert counts(run(*show, device, **{**compiler, "RONDO_CACHE": "off"})[0]) == [(needed, 0, needed)]
    # At each choice of sizes, and at the smallest, which an instance makes first.
    text, _ = run("program", "show", saved(rows()), "--for", device, "--sizes", "n=2", "--sizes", "n=9", **compiler)
    holds(text, "  n=2: ", "  n=9: ", "  n=1: ")
    assert len(counts(text)) == 3, text
    holds(run("program", "show", saved(rows()), "--for", device, status=2, **compiler)[1], "--sizes is needed")
    holds(run("program", "show", path, "--sizes", "n=1", status=2)[1], "--sizes belong to --for")
    holds(run(*show, device, "--text", status=2, **compiler)[1], "--text and --for")
    path = saved(loop)
    holds(run(*show, "cuda:0", status=1)[1], "cuda:0")
    holds(run(*show, "cpu:0", status=2)[1], "a cpu has no kernels")
    holds(run(*show, FOLDER / "none.json", status=1)[1], "cannot be read")


def case_devices():
    """Each device that is shipped is one that compiles."""
    compiler = {"RONDO_NVRTC": str(SIMULATED / "libnvrtc.so.12"), "RONDO_CACHE": str(FOLDER / "kernels"), "SIMCUDA_NVRTC": "12.8",
                **{key: value for key, value in os.environ.items() if key == "SIMCUDA_CACHE"}}
    shipped = sorted((pathlib.Path(__file__).parents[2] / "packaging/devices").glob("*.json"))
    assert len(shipped) == 7, shipped
    for each in shipped:
        assert f"sm_{json.loads(each.read_text())['capability']}.json" == each.name
        holds(run("program", "compile", saved(), "--for", each, **compiler)[0], " kernels compiled, 0 were there")


def case_check():
    """What a file's self-check says is compared, within its bounds; a file without one says so; options of calls do not go with it."""
    asked = {"rondo_check": 1, "made_by": "0.0.9", "on": "cpu", "calls": [
        {"function": "scale", "sizes": [], "seed": 1, "outputs": [["", "0x1p+9", ["0x0p+0"] * 6]]}]}
    text, _ = run("run", saved(**{"rondo.check": json.dumps(asked)}), "--check")
    holds(text, "passes its self-check: 1 calls, 1 outputs, 0 of them with the same bits")
    shown, _ = run("program", "show", saved(**{"rondo.check": json.dumps(asked)}))
    assert "rondo.check" not in shown, shown
    copy = FOLDER / "copy.safetensors"
    run("program", "copy", saved(**{"rondo.check": json.dumps(asked)}), "--output", copy)
    holds(run("run", copy, "--check", "--memory", "1MiB")[0], "passes its self-check")
    asked["calls"][0]["outputs"][0][1] = "0x0p+0"
    _, said = run("run", saved(**{"rondo.check": json.dumps(asked)}), "--check", status=1)
    holds(said, "function 'scale': output 'y': the element [0, 0] is ", ", and was 0 where the check was made")
    holds(run("run", saved(), "--check", status=1)[1], "NOT_FOUND", "has no self-check")
    # The command adds one too, in place of one that is there.
    sized = saved(rows()).rename(FOLDER / "sized")
    path = saved(labels="cat", **{"rondo.check": json.dumps(asked)})
    assert run("program", "add-check", path)[0] == f"{path} has a self-check now: 1 calls of each function, made on cpu:0\n"
    run("program", "add-check", path, "--calls", "2", "--device", "cpu:0", "--memory", "1MiB")
    holds(run("run", path, "--check")[0], "4 calls, 4 outputs, 4 of them with the same bits")
    holds(run("program", "show", path)[0], "labels: cat")
    content = path.read_bytes()
    path.write_bytes(content[:-1] + b"?")  # of a weight
    holds(run("run", path, "--check", status=1)[1], "function 'scale': output 'y'")
    run("program", "add-check", sized, "--sizes", "n=2", "--sizes", "n=9")
    holds(run("run", sized, "--check")[0], "2 calls, 2 outputs, 2 of them with the same bits")
    content = sized.read_bytes()
    for wrong, part in ([], "add-check needs a file"), ([sized, "b"], "'b' does not follow add-check"), ([sized, "--text"], "'--text' does not follow add-check"), \
            ([sized], "--sizes is needed"), ([sized, "--sizes", "m=2"], "--sizes needs n=..."), ([sized, "--sizes"], "--sizes needs a value"), \
            ([sized, "--sizes", "n=2", "--calls", "2"], "do not go together"), ([path, "--calls", "two"], "--calls needs a number"), \
            ([path, "--sizes", "n=2"], "it has no dimensions"), ([path, "--calls", "1", "--calls", "1"], "--calls needs one value"), \
            ([path, "--device", "gpu"], "--device needs one like"), ([path, "--memory", "much"], "--memory needs a size"):
        holds(run("program", "add-check", *wrong, status=2)[1], part)
    holds(run("program", "add-check", sized, "--sizes", "n=10", status=1)[1], "the size 'n' is 10")
    holds(run("program", "add-check", path, "--calls", "0", status=1)[1], "n_calls is 0")
    holds(run("program", "add-check", path, "--calls", "65", status=1)[1], "n_calls is 65")
    assert sized.read_bytes() == content
    for wrong in (["--function", "scale"], ["--check-numbers"]):
        holds(run("run", saved(), "--check", *wrong, status=2)[1], "--check calls what the file says")


def case_memory():
    """A program that asks for more than it may take is told so, with the limit."""
    large = saved(TEXT.replace('[3,"f32",[2,3]]', '[3,"f32",[1048576,2,3]]').replace('["y",3,"f32",[2,3]]', '["y",3,"f32",[1048576,2,3]]')
                  .replace('{"shape":[2,3]}', '{"shape":[1048576,2,3]}'))
    out = FOLDER / "out.safetensors"
    arguments = "run", large, "--function", "scale", "--inputs", inputs(), "--outputs", out
    holds(run(*arguments, "--memory", "1MiB", status=1)[1], "OUT_OF_MEMORY")
    run(*arguments, "--memory", "100MiB")
    run("program", "verify", saved(), "--memory", "1MiB")


def case_host_memory():
    """A program whose nodes take more of the host than it may is told so, by what opens it too, and nothing is written."""
    def chain(length):
        nodes = ",\n".join('{"kind":"Elementwise","with":{"row":"neg","computed":"f32"},"in":{"operands":[%d]},"out":{"out":[%d,"f32",[2,3]]}}' % (i, i + 1)
                           for i in range(length))
        return ('{"rondo_program":1,"needs":"0.1","made_by":"0.1.0","weights":[],"functions":[\n{"name":"f","inputs":[["x","f32",[2,3]]],"weights":[],'
                '"nodes":[\n%s],\n"outputs":[["y",%d,"f32",[2,3]]]}]}' % (nodes, length))
    out = FOLDER / "out.safetensors"
    for length, opens in (100, True), (2000, False):
        file = write("host.safetensors", {}, {"rondo.program": chain(length)})
        arguments = "run", file, "--inputs", inputs(), "--outputs", out
        out.unlink(missing_ok=True)
        too_little = "500KiB" if opens else "1MiB"
        told = "more of the host's memory than %d bytes" % (512000 if opens else 1 << 20)
        holds(run(*arguments, "--host-memory", too_little, status=1)[1], "OUT_OF_MEMORY", told)
        holds(run("program", "verify", file, "--host-memory", too_little, status=1)[1], "OUT_OF_MEMORY", told)
        assert not out.exists()
        run(*arguments, "--host-memory", "64MiB")
        run("program", "verify", file, "--host-memory", "64MiB")
        assert out.exists()
    for wrong in "0", "much", "-1", "2TiB", "1025GiB":
        holds(run(*arguments, "--host-memory", wrong, status=2)[1], "--host-memory needs a size like 2GiB")
        holds(run("program", "verify", file, "--host-memory", wrong, status=2)[1], "--host-memory needs a size like 2GiB")
    holds(run("program", "show", file, "--host-memory", "1MiB", status=2)[1], "'--host-memory' does not follow show")


def case_seconds():
    """A program that takes longer to make than it may is told so, and so is one whose call takes longer."""
    nodes = ",\n".join('{"kind":"Elementwise","with":{"row":"neg","computed":"f32"},"in":{"operands":[%d]},"out":{"out":[%d,"f32",[2,3]]}}' % (i, i + 1)
                       for i in range(5000))
    text = ('{"rondo_program":1,"needs":"0.1","made_by":"0.1.0","weights":[],"functions":[\n{"name":"f","inputs":[["x","f32",[2,3]]],"weights":[],'
            '"nodes":[\n%s],\n"outputs":[["y",5000,"f32",[2,3]]]}]}' % nodes)
    long = write("long.safetensors", {}, {"rondo.program": text})
    out = FOLDER / "out.safetensors"
    arguments = "run", long, "--inputs", inputs(), "--outputs", out
    out.unlink(missing_ok=True)
    holds(run(*arguments, "--seconds", "0.001", status=1)[1], "TIMED_OUT", "has had 1 ms")
    holds(run("program", "verify", long, "--seconds", "0.001", status=1)[1], "TIMED_OUT", "has had 1 ms")
    assert not out.exists()
    run(*arguments, "--seconds", "600")
    run("program", "verify", long, "--seconds", "600")
    assert out.exists()
    for wrong in "0", "soon", "-1", "1e9", "0.0001", "1.2.3":
        holds(run(*arguments, "--seconds", wrong, status=2)[1], "--seconds needs a number like 30 or 0.5")
        holds(run("program", "verify", long, "--seconds", wrong, status=2)[1], "--seconds needs a number like 30 or 0.5")
    holds(run("program", "show", long, "--seconds", "1", status=2)[1], "'--seconds' does not follow show")


def case_numbers():
    """The node of the file that makes the first NaN is named, and nothing is written."""
    out = FOLDER / "out.safetensors"
    roots = saved(TEXT.replace('"row":"mul","computed":"f32"},"in":{"operands":[0,2]}', '"row":"log","computed":"f32"},"in":{"operands":[0]}'))
    given = write("in.safetensors", {"x": ([2, 3], [1, 2, 3, 4, -5, 6])})
    arguments = "run", roots, "--function", "scale", "--inputs", given, "--outputs", out, "--device", "cpu:0"
    run(*arguments)
    out.unlink()
    holds(run(*arguments, "--check-numbers", status=1)[1], "operator 'log'", "node 1 (Elementwise) of function 'scale'", "made the first NaN",
          "element [1, 1] of its result f32 [2, 3]")
    assert not out.exists()
    write("in.safetensors", {"x": ([2, 3], [1] * 6)})
    run(*arguments, "--check-numbers")
    assert read(out) == {"y": [0] * 6}, read(out)


def case_device():
    """A device that is asked for is taken, or told to be missing."""
    out = FOLDER / "out.safetensors"
    arguments = "run", saved(), "--function", "scale", "--inputs", inputs(), "--outputs", out, "--device"
    holds(run(*arguments, "cuda:0", status=1)[1], "cuda:0")
    holds(run(*arguments, "cpu:9", status=1)[1], "cpu:9")
    assert not out.exists()
    simulated = {"RONDO_CUDA_DRIVER": str(SIMULATED / "libcuda.so.1"), "RONDO_NVRTC": str(SIMULATED / "libnvrtc.so.12"),
                 "RONDO_CUBLASLT": "none", "RONDO_CUDNN": "none", "RONDO_NCCL": "none"}
    for device in ["--device", "cuda:0"], []:
        run(*arguments[:-1], *device, **simulated, **{k: v for k, v in os.environ.items() if k == "SIMCUDA_CACHE"})
        assert read(out) == {"y": [1, 4, -9, 4, 10, -18]}
        out.unlink()


def case_usage():
    path, out = saved(), FOLDER / "out.safetensors"
    for arguments, part in ([], "bind, diff, compile or add-check is needed"), (["other"], "bind, diff, compile or add-check is needed"), (["show"], "needs a file"), \
            (["verify", "--text", "a"], "'--text' does not follow verify"), (["show", "a", "b"], "'b' does not follow show"):
        holds(run("program", *arguments, status=2)[1], part, "--help")
    for arguments, part in ([], "a program file is needed"), ([path], "--outputs is needed"), (["a", "b"], "one program file"), \
            (["-x"], "no option '-x'"), (["--inputs"], "--inputs needs a value"), ([path, "--device", "gpu", "--outputs", out], "cpu:0 or cuda:0"), \
            ([path, "--function", "scale", "--inputs", inputs(), "--outputs", out, "--memory", "2 pounds"], "like 2GiB"), \
            (["--device", "cpu:0", "--device", "cpu:0"], "given twice"), ([path, "--function", "scale", "--outputs", out], "--inputs is needed"), \
            ([path, "--function", "count", "--inputs", inputs(), "--outputs", out], "has no inputs"):
        holds(run("run", *arguments, status=2)[1], part, "--help")
    holds(run("run", path, "--outputs", out, status=1)[1], "--function is needed", "'scale', 'count'")
    holds(run("run", path, "--function", "none", "--outputs", out, status=1)[1], "no function 'none'")
    other = write("other.safetensors", {"z": ([2, 3], [0] * 6)})
    holds(run("run", path, "--function", "scale", "--inputs", other, "--outputs", out, status=1)[1], "'x'")
    short = write("short.safetensors", {"x": ([3], [0] * 3)})
    holds(run("run", path, "--function", "scale", "--inputs", short, "--outputs", out, status=1)[1], "[2, 3]")
    holds(run("run", path, "--function", "scale", "--inputs", inputs(), "--outputs", FOLDER / "missing/out", status=1)[1], "missing/out")
    holds(run("program", "--help")[0], "rondo <command>", "calls a function of a program file")
    holds(run("run", path, "--help")[0], "rondo <command>")


if __name__ == "__main__":
    globals()["case_" + sys.argv[3]]()
