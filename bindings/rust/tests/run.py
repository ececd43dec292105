#!/usr/bin/env python3
"""Runs one kind of test of the Rust crates on a build folder of Meson.

    run.py KIND BUILD_FOLDER

    cpu         cargo test, with every feature, on the library of the build folder
    simulated   the same; the environment names a driver, and the tests must find a device
    address     the tests on a library that was built under AddressSanitizer, but for the one that measures memory
    documents   the examples in the documentation
    lints       clippy, rustfmt, rustdoc; documentation built where there is no library
    generated   what generate.py writes from the headers is what is in the tree
    sentences   examples/rust, a package of its own: it finds what the C example finds, with the same bits
    examples    each of them; digits, digits_parallel, dlrm and bert train to the same bits as the C examples; a program file goes from C
                to Rust and back
    networks    the whole networks of the examples in C, written as program files, have the bits of C++ in Rust
    ocr         the example of that name reads a page as onnxruntime does, with models that tests/onnx/others.py fetched
    complete    every function of the C interface is used, or listed with the reason why not, and has a name here; every public one
                here has an example; the unsafe ones say what they ask of the caller, and docs/rust.md lists just them
    library     cargo finds librondo to run with, that of a checkout's build too; the sources that Meson has are compiled once, when code
                is made, and never to check it
    carried     the crates packed, and a program built with the library that they carry; a damaged one is refused
    package     the crates packed, and a program built from the packed files alone, the sources among them
    msrv        the oldest Rust that is promised builds the crates

A test that cannot run exits 77; its last line says what is missing.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent.parent
ROOT = HERE.parent.parent
SKIPPED = 77


def skip(reason):
    print(reason)
    sys.exit(SKIPPED)


def call(command, folder=HERE, **environment):
    """Runs a command; its failure ends the test."""
    print("+", *command, flush=True)
    done = subprocess.run(command, cwd=folder, env={**os.environ, **environment})
    if done.returncode != 0:
        sys.exit(f"{command[0]} ends with {done.returncode}")


def settings(build):
    """The environment of cargo: the build folder's library, and a target folder in it."""
    library = build / "src"
    path = os.pathsep.join(filter(None, [str(library), str(library / "onnx"), os.environ.get("LD_LIBRARY_PATH")]))
    # What a later build could take over is not kept: a sixth of the time from nothing, and each change here is compiled as a whole anyway.
    return {"RONDO_LIB_DIR": str(library), "LD_LIBRARY_PATH": path, "CARGO_TARGET_DIR": str(build / "rust"), "CARGO_INCREMENTAL": "0"}


def require_crates():
    """Cargo, and the crates that Cargo.lock names: in cargo's own store, else from the network."""
    if not shutil.which("cargo"):
        skip("cargo is not installed")
    fetched = subprocess.run(["cargo", "fetch", "--locked", "--quiet"], cwd=HERE, capture_output=True, text=True)
    if fetched.returncode != 0:
        print(fetched.stderr)
        if "lock file" in fetched.stderr and "--locked" in fetched.stderr:
            sys.exit("bindings/rust/Cargo.lock is not what the manifests need: cargo update -w writes it anew")
        skip("the crates that Cargo.lock names are neither stored nor to be fetched: " + fetched.stderr.strip().splitlines()[-1])


def cpu(build):
    require_crates()
    call(["cargo", "test", "--locked", "--all-features", "--lib", "--bins", "--tests"], **settings(build))


def address(build):
    """Programs without the sanitizer's own code: its runtime, which the library needs, has to come before all others."""
    require_crates()
    environment = settings(build)
    needed = subprocess.run(["ldd", build / "src/librondo.so"], capture_output=True, text=True, check=True).stdout
    runtime = re.search(r"=> (\S*/lib(?:clang_rt\.)?asan\S*)", needed)
    if not runtime:
        sys.exit(f"{build / 'src/librondo.so'} was not built under AddressSanitizer:\n{needed}")
    host = re.search(r"^host: (.+)$", subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout, re.MULTILINE)[1]
    runner = f"CARGO_TARGET_{host.upper().replace('-', '_')}_RUNNER"
    # A test program ends with threads and texts of Rust's own that nobody frees; one test asks for more memory than there is.
    options = ":".join(filter(None, [os.environ.get("ASAN_OPTIONS"), "detect_leaks=0", "allocator_may_return_null=1"]))
    programs = [word for file in sorted((HERE / "rondo/tests").glob("*.rs")) if file.stem != "leaks" for word in ("--test", file.stem)]
    features = "half,log,ndarray,serde,tracing"  # without `static`: the linker of rustc knows nothing of the sanitizer
    call(["cargo", "test", "--locked", "--features", features, "-p", "rondo", "--lib", *programs],
         **environment, **{runner: f"env LD_PRELOAD={runtime[1]}"}, ASAN_OPTIONS=options)


def documents(build):
    require_crates()
    folder = HERE
    version = re.search(r"(\d+)\.(\d+)", subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout)
    if (int(version[1]), int(version[2])) >= (1, 85):
        # From the edition 2024 on all examples are one program, where each is one otherwise: a copy of the crates says so.
        folder = build / "rust-documents"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(HERE, folder)
        manifest = folder / "rondo/Cargo.toml"
        text, changed = re.subn(r'^edition = "2021"\nrust-version = "[\d.]+"', 'edition = "2024"\nrust-version = "1.85"', manifest.read_text(),
                                flags=re.MULTILINE)
        assert changed == 1, f"{manifest} does not say edition and rust-version one after the other"
        manifest.write_text(text)
    call(["cargo", "test", "--locked", "--all-features", "--doc"], folder, **settings(build))


def lints(build):
    require_crates()
    target = {"CARGO_TARGET_DIR": str(build / "rust")}
    lacks = []
    for tool, command in (("rustfmt", ["cargo", "fmt", "--check"]),
                          ("clippy", ["cargo", "clippy", "--locked", "--workspace", "--all-targets", "--all-features",
                                      "--quiet", "--", "-D", "warnings"])):
        if subprocess.run(["cargo", command[1], "--version"], capture_output=True).returncode != 0:
            lacks.append(tool)
        else:
            call(command, **settings(build))
    # As docs.rs does: nothing is found, nothing compiled, nothing linked.
    call(["cargo", "doc", "--locked", "--no-deps", "--all-features", "--quiet"], RUSTDOCFLAGS="-D warnings", DOCS_RS="1",
         RONDO_NO_VENDOR="1", PKG_CONFIG="false", **target)
    if lacks:
        skip(f"cargo has no {' and no '.join(lacks)}; the rest was checked")


def generated(build):
    done = subprocess.run([sys.executable, HERE / "generate.py", "--check"])
    sys.exit(done.returncode)


def built_examples(build):
    call(["cargo", "build", "--locked", "--examples", "--features", "onnx", "--quiet"], **settings(build))
    return build / "rust/debug/examples"


def examples(build):
    require_crates()
    programs = built_examples(build)
    environment = settings(build)
    device = "cuda:0" if os.environ.get("RONDO_TEST_NEEDS_CUDA") else "cpu"
    shown = subprocess.run([programs / "hello"], capture_output=True, text=True, env={**os.environ, **environment}, check=True)
    assert shown.stdout == "[ 1.0,  4.0,  7.0, 10.0] f32 on cpu:0\n", shown.stdout
    for name, expected in ("callable", "callable"), ("branch", "branch" if device == "cpu" else "branch_simulated"):
        call([sys.executable, ROOT / "tests/examples/small.py", programs / name, expected, device], **environment)
    call([sys.executable, ROOT / "tests/examples/program.py", device, build / "examples/c/program", "--", programs / "program"], **environment)
    call([sys.executable, ROOT / "tests/examples/sequences.py", device, build / "examples/cpp/sequences_cpp", programs / "sequences"], **environment)
    call([sys.executable, ROOT / "tests/examples/networks.py", device, build, programs / "run_file"], **environment)
    if (build / "src/onnx/librondo_onnx.so").exists():  # it is built where protozero is
        call([sys.executable, ROOT / "tests/examples/onnx.py", programs / "onnx"], **environment)
    call([programs / "serve", device, "50" if device == "cpu" else "2"], **environment)
    call([programs / "cuda_task", device], **environment)
    call([sys.executable, ROOT / "tests/examples/tutorial.py", programs / "tutorial_train", "--", programs / "tutorial_serve"], **environment)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for precision in ("f32", "f16"):
            same = ["--device", device, "--epochs", "2", "--batch", "32", "--precision", precision]
            call([build / "examples/c/digits", *same, "--parameters", folder / "c"], folder, **environment)
            call([programs / "digits", *same, "--parameters", folder / "rust"], folder, **environment)
            in_c, in_rust = (folder / "c").read_bytes(), (folder / "rust").read_bytes()
            assert len(in_c) > 4 * (64 * 128 + 128 + 128 * 10 + 10), "the C example wrote other parameters than it has"
            assert in_c == in_rust, f"the Rust example trains in {precision} to other bits than the C example"
        for status, *arguments in [(2, "--fast"), (2, "--epochs"), (2, "--epochs", "0"), (2, "--engine", "eager"),
                                   (1, "--data", "missing.bin"), (1, "--device", "gpu"), (0, "--help")]:
            done = subprocess.run([programs / "digits", *arguments], cwd=folder, capture_output=True, text=True,
                                  env={**os.environ, **environment})
            assert done.returncode == status, f"{arguments} exits {done.returncode}, not {status}:\n{done.stderr}"
    for name in ("dlrm", "bert") if device == "cpu" else ("dlrm",):  # a simulated device takes its time
        call([sys.executable, ROOT / "tests/examples/same_training.py", name, device, build / "examples/c" / name, programs / name], **environment)
    tool = build / "src/rondo"
    if device == "cpu" and tool.exists():  # it is built where nlohmann-json is
        for case in ("launch_2", "adamw", "misuse"):
            call([sys.executable, ROOT / "tests/examples/parallel.py", programs / "digits_parallel", tool, case, "cpu",
                  build / "examples/c/digits_parallel"], **environment)
    photographs(build, programs / "photographs", device, environment)


def networks(build):
    require_crates()
    call([sys.executable, ROOT / "tests/examples/networks.py", "--whole", "cpu", build, built_examples(build) / "run_file"], **settings(build))


def ocr(build):
    require_crates()
    call([sys.executable, ROOT / "tests/onnx/ocr.py", built_examples(build) / "ocr"], **settings(build))


def photographs(build, program, device, environment):
    """The Rust example says of two photographs what the C example says, where the pretrained network was fetched."""
    environment = {**os.environ, **environment}
    for arguments, part in ((), "usage"), (("missing", "cpu", "missing.ppm"), "missing.ppm"), (("missing", "gpu", "x"), "gpu"):
        done = subprocess.run([program, *arguments], capture_output=True, text=True, env=environment)
        assert done.returncode == 1 and part in done.stderr and done.stdout == "", (arguments, done)
    fetched = subprocess.run([sys.executable, HERE.parent.parent / "examples/data/photographs.py", "--complete"], capture_output=True, text=True)
    if fetched.returncode != 0 or device != "cpu":
        return
    files = pathlib.Path(fetched.stdout.strip())
    model, pictures = files / "efficientnet-lite0.safetensors", [files / "china.ppm", files / "flower.ppm"]
    with tempfile.TemporaryDirectory() as name:
        in_c = subprocess.run([build / "examples/c/photographs", "--model", model, "--device", device, *pictures], cwd=name, check=True,
                              capture_output=True, text=True, env=environment).stdout
    in_rust = subprocess.run([program, model, device, *pictures], check=True, capture_output=True, text=True, env=environment).stdout
    rows = [[line.split(" %  ") for line in text.splitlines() if " %  " in line] for text in (in_c, in_rust)]
    assert len(rows[0]) == len(rows[1]) == 10, (in_c, in_rust)
    for (one, name), (other, same) in zip(*rows):
        assert name == same and abs(float(one) - float(other)) < 0.15, (in_c, in_rust)


def sentences(build):
    """The Rust example with the tokenizer of the model's authors makes the vectors of the C example, bit for bit."""
    folder = ROOT / "examples/rust"
    if not shutil.which("cargo"):
        skip("cargo is not installed")
    if subprocess.run(["cargo", "fetch", "--locked", "--quiet"], cwd=folder, capture_output=True).returncode != 0:
        skip("the crates that examples/rust/Cargo.lock names are neither stored nor to be fetched")
    environment = {**settings(build), "CARGO_TARGET_DIR": str(build / "rust-sentences")}
    if subprocess.run(["cargo", "fmt", "--version"], capture_output=True).returncode == 0:
        call(["cargo", "fmt", "--check"], folder)
    call(["cargo", "build", "--locked", "--quiet"], folder, **environment)
    program = build / "rust-sentences/debug/sentences"
    environment = {**os.environ, **environment}
    searched = ROOT / "examples/data/sentences.txt"
    for arguments, part in ((), "usage"), (("missing", "cpu", searched, "Who?"), "missing/tokenizer.json"), (("missing", "gpu", searched, "Who?"), "gpu"), (
            ("missing", "cpu", "missing.txt", "Who?"), "missing.txt"):
        done = subprocess.run([program, *arguments], capture_output=True, text=True, env=environment)
        assert done.returncode == 1 and part in done.stderr and done.stdout == "", (arguments, done)
    fetched = subprocess.run([sys.executable, ROOT / "examples/data/sentences.py", "--complete"], capture_output=True, text=True)
    in_c = build / "examples/c/sentences"
    if fetched.returncode != 0:
        skip("the pretrained network is not there: examples/data/sentences.py fetches it")
    if not in_c.exists():
        skip("the C example was not built: ICU (libicu-dev) is missing")
    files = pathlib.Path(fetched.stdout.strip())
    questions = ["How do I get to the sea by rail?", "Who fixed the bike?", "Na\u00efve \u6771\u4eac? " * 12]  # of 16 pieces, and of more
    with tempfile.TemporaryDirectory() as name:
        rust, c = pathlib.Path(name) / "rust", pathlib.Path(name) / "c"
        out = subprocess.run([program, "--vectors", rust, files, "cpu", searched, *questions], check=True, capture_output=True, text=True, env=environment).stdout
        subprocess.run([in_c, "--model", files / "model.safetensors", "--vocabulary", files / "vocab.txt", "--device", "cpu", "--vectors", c, *questions],
                       check=True, capture_output=True, env=environment)
        assert rust.read_bytes() == c.read_bytes(), "the Rust example makes other vectors than the C example"
    assert "  0.507  The train to the coast leaves from platform four.\n" in out and out.count("  0.") == 9, out
    done = subprocess.run([program, files, "cpu", searched, "word " * 255], capture_output=True, text=True, env=environment)
    assert done.returncode == 1 and "257 pieces of words, and at most 256" in done.stderr, done


def without_example():
    """Public functions whose documentation shows no use of them; the kind `documents` runs what it shows."""
    for file in sorted((HERE / "rondo/src").rglob("*.rs")):
        lines = file.read_text().splitlines()
        for number, line in enumerate(lines):
            function = re.match(r"\s*pub (?:unsafe |const )*fn (\w+)", line)
            above = itertools.takewhile(lambda text: text.strip().startswith(("///", "#[")), reversed(lines[:number]))
            if function and file != HERE / "rondo/src/enums.rs" and not any("```" in text for text in above):  # enums.rs: one macro
                yield f"{file.name}:{number + 1}", function[1]


def unsafe_items():
    """What a program needs `unsafe` for: its name, where it is, and whether its documentation says what is asked of the caller."""
    for file in sorted((HERE / "rondo/src").rglob("*.rs")):
        lines, of = file.read_text().splitlines(), None
        for number, line in enumerate(lines):
            block = re.match(r"impl(?:<.*?>)? (\w+)", line)
            of = block[1] if block else of
            item = re.match(r"( *)pub unsafe (?:fn|trait) (\w+)", line)
            if item:
                above = itertools.takewhile(lambda text: text.strip().startswith(("///", "#[")), reversed(lines[:number]))
                told = any(text.strip() == "/// # Safety" for text in above)
                yield f"{of}::{item[2]}" if item[1] else item[2], f"{file.name}:{number + 1}", told


def unsafe_unlisted():
    """Where docs/rust.md does not list just the items that are unsafe, or one of them has no section on safety."""
    items = {name: (place, told) for name, place, told in unsafe_items()}
    table = re.search(r"^\| unsafe \| because \|\n\|---\|---\|\n((?:\|.*\n)+)", (ROOT / "docs/rust.md").read_text(), re.MULTILINE)
    listed = {name for row in table[1].splitlines() for name in re.findall(r"`([\w:]+)`", row.split("|")[1])} if table else set()
    yield from (f"{place}: {name} is unsafe, and docs/rust.md does not list it" for name, (place, _) in items.items() if name not in listed)
    yield from (f"{place}: {name} is unsafe, and its documentation has no section Safety" for name, (place, told) in items.items() if not told)
    yield from (f"docs/rust.md lists {name} as unsafe, which it is not" for name in sorted(listed - items.keys()))


def complete(build):
    description = json.loads((build / "packaging/abi/abi.json").read_text())
    symbols = [function["name"] for function in description["functions"]]
    used = set()
    for file in (HERE / "rondo/src").rglob("*.rs"):
        used |= set(re.findall(r"(?:\bsys::|Op by )(rondo_\w+)[(),]", file.read_text()))
    listed = dict(re.findall(r"^(rondo_\w+): (.+)$", (HERE / "tests/not_wrapped.txt").read_text(), re.MULTILINE))
    problems = [f"{name} is neither called in rondo/src nor listed in tests/not_wrapped.txt with the reason"
                for name in symbols if name not in used and name not in listed]
    problems += [f"tests/not_wrapped.txt lists {name}, which {'is called' if name in used else 'does not exist'}"
                 for name in listed if name in used or name not in symbols]
    problems += [f"{place}: {name} has no example in its documentation" for place, name in without_example()]
    problems += unsafe_unlisted()
    sys.path.insert(0, str(HERE))
    from names import names_of, unnamed  # the generator's

    problems += [f"{name} has no item with #[doc(alias = \"{name}\")] in rondo/src: its messages would not say what failed"
                 for name in unnamed(description, names_of(description))]
    bindings = (HERE / "rondo-sys/src/bindings.rs").read_text()
    sizes = {name: int(size) for name, size in re.findall(r"size_of::<(\w+)>\(\),\s+(\d+)usize", bindings)}
    problems += [f"{struct['name']} has {struct['size']} bytes in C and {sizes.get(struct['name'])} in rondo-sys"
                 for struct in description["structs"] if sizes.get(struct["name"]) != struct["size"]]
    numbers = {name: int(number) for name, number in re.findall(r"pub const (RONDO_\w+): \w+ = (\d+);", bindings)}
    problems += [f"{value['name']} is {value['value']} in C and {numbers.get(value['name'])} in rondo-sys"
                 for enum in description["enums"] for value in enum["values"] if numbers.get(value["name"]) != value["value"]]
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(symbols)} functions, {len(listed)} of them listed as not wrapped")


if __name__ == "__main__":
    from library import library  # beside this file: subjects of their own
    from package import carried, msrv, package

    kinds = {"cpu": cpu, "simulated": cpu, "address": address, "documents": documents, "lints": lints, "generated": generated, "sentences": sentences,
             "examples": examples, "networks": networks, "ocr": ocr, "complete": complete, "library": library, "carried": carried, "package": package, "msrv": msrv}
    kinds[sys.argv[1]](pathlib.Path(sys.argv[2]).resolve())
