#!/usr/bin/env python3
"""The example java-embedding, built by Maven against the library of this tree: its vectors are those of onnxruntime for the words that BERT's
tokenizer makes of the texts, and a GPU that is not there is an error.

    embedding.py SOURCE_ROOT BUILD_ROOT
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import json
import os
import pathlib
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import networks  # noqa: E402
import others  # noqa: E402

numpy = networks.numpy
TEXTS = {
    "Hello, world!": ["hello", ",", "world", "!"],
    "  Zürich:\t東京 3.14": ["zurich", ":", "東", "京", "3", ".", "14"],
    "Embeddings": ["em", "##bed", "##ding", "##s"],
    "a " + "b" * 101 + " c": ["a", "[UNK]", "c"],
    "word " * 600: ["word"] * 510,
}


def maven(project, *arguments):
    done = subprocess.run(["mvn", "-B", "-C", "-q", "-ntp", "-f", project, *arguments, "package"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, (done.stdout + done.stderr)[-5000:]


def expected(pieces, vocabulary, session):
    numbers = [vocabulary[each] for each in ["[CLS]", *pieces, "[SEP]"]]
    ids = numpy.array([numbers])
    hidden = session.run(None, {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": numpy.zeros_like(ids)})[0][0]
    return hidden.mean(0) / numpy.linalg.norm(hidden.mean(0))


def main(root, build):
    if not shutil.which("mvn"):
        print("Maven is not installed")
        return 1
    place = pathlib.Path(build, "bindings/java/embedding")
    jar = place / "target/rondo-0.1.0.jar"
    maven(f"{root}/bindings/java", f"-Drondo.build={build}", f"-Drondo.target={jar.parent}", f"-Drondo.natives={place}/natives", "-DskipTests")
    maven(f"{root}/examples/java-embedding", f"-Drondo.jar={jar}", f"-Dembedding.target={place}/example")
    model, tokenizer = networks.file_of("minilm"), next(others.sentences().rglob("all-minilm-l6-v2-tokenizer.json"))
    environment = {**os.environ, "LD_LIBRARY_PATH": f"{build}/src/onnx"}

    def run(text, *words):
        command = ["java", f"-Ddev.rondo.native.path={build}/bindings/java", "-cp", f"{place}/example/embedding.jar:{jar}:{place}/example/libraries/*",
                   "dev.rondo.examples.embedding.Main", *map(str, words)]
        return subprocess.run(command, input=text, capture_output=True, text=True, env=environment, timeout=300)
    lines = [*TEXTS, *["Hello, world!"] * 64]  # more than a batch
    done = run("\n".join(lines), model, tokenizer)
    assert done.returncode == 0, done
    vectors = [numpy.array(json.loads(line)) for line in done.stdout.splitlines()]
    assert len(vectors) == len(lines), len(vectors)
    sys.path.insert(1, str(others.RUNTIME.folder()))
    import onnxruntime
    session, vocabulary = onnxruntime.InferenceSession(model, networks.runtime_options()), json.loads(tokenizer.read_text())["model"]["vocab"]
    wanted = {text: expected(pieces, vocabulary, session) for text, pieces in TEXTS.items()}
    for line, vector in zip(lines, vectors):
        assert numpy.abs(vector - wanted[line]).max() < 1e-5, (line[:40], numpy.abs(vector - wanted[line]).max())
    missing = run("text", model, tokenizer, "cuda:0")
    assert missing.returncode == 1 and "cuda:0" in missing.stderr and missing.stdout == "", missing
    print(f"{len(vectors)} vectors of {len(vectors[0])} numbers")
    return 0


if __name__ == "__main__":
    code = main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(code)
