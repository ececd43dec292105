#!/usr/bin/env python3
"""Runs the sentences example as a user does and checks what it prints and how it exits.

    sentences.py EXAMPLE DATA small DEVICE        a small network with random weights, against one written in Python
    sentences.py EXAMPLE DATA tokens DEVICE       odd texts, taken apart as the library of the model's authors does it
    sentences.py EXAMPLE DATA pretrained DEVICE   the real one, against vectors that NumPy made
    sentences.py EXAMPLE DATA misuse DEVICE

DATA is examples/data. The pretrained network is what its sentences.py fetched; where that is not there, the tests that need it are
skipped (77).
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import array
import json
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # the source folder stays as it is
EXAMPLE, DATA = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
sys.path.insert(0, str(DATA))
import minilm_reference as reference  # noqa: E402
import sentences as fetched  # noqa: E402 (examples/data/sentences.py: this file is __main__)

WIDTH, INNER, PLACES = 64, 48, 256
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"the a cat dog sat on mat house is red blue where what ? . , ##s ##ing run".split()]
SENTENCES = ["The cat sat on the mat.", "A dog is running", "the houses is red, the house is blue.", "Where?"]
QUESTIONS = ["what is RED", "a cat, a dog, a cat, a dog, a cat, a dog, a cat, a dog, a cat?"]  # the second fills more than 16 places
PIECES = {"The cat sat on the mat.": "the cat sat on the mat .", "A dog is running": "a dog is [UNK]", "Where?": "where ?",
          "the houses is red, the house is blue.": "the house ##s is red , the house is blue .", "what is RED": "what is red",
          QUESTIONS[1]: QUESTIONS[1].replace(",", " ,").replace("?", " ?")}


def run(folder, *arguments, status=0):
    """(stdout, stderr) of the example, which must exit with `status`."""
    done = subprocess.run([EXAMPLE, *arguments], cwd=folder, capture_output=True, timeout=100)
    out, err = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    assert done.returncode == status, f"{arguments} exits {done.returncode}, not {status}:\n{out}{err}"
    return out, err


def small_weights(rng):
    """Of the real structure: {name: rows, or one row}, exact in f32."""
    def row(count, limit, middle=0.0):
        return list(array.array("f", (rng.uniform(middle - limit, middle + limit) for _ in range(count))))

    def matrix(name, rows, columns, limit):
        weights[name] = [row(columns, limit) for _ in range(rows)]

    def dense(name, rows, columns):
        matrix(name + ".weight", rows, columns, (6 / columns) ** 0.5)
        weights[name + ".bias"] = row(rows, 0.5)

    def norm(name):
        weights[name + ".weight"], weights[name + ".bias"] = row(WIDTH, 0.5, 1.0), row(WIDTH, 0.5)

    weights = {}
    matrix("embeddings.word_embeddings.weight", len(WORDS), WIDTH, 1)
    matrix("embeddings.position_embeddings.weight", PLACES, WIDTH, 0.5)
    matrix("embeddings.token_type_embeddings.weight", 2, WIDTH, 0.5)
    norm("embeddings.LayerNorm")
    for number in range(reference.LAYERS):
        layer = f"encoder.layer.{number}."
        for part in ("query", "key", "value"):
            dense(layer + "attention.self." + part, WIDTH, WIDTH)
        dense(layer + "attention.output.dense", WIDTH, WIDTH)
        norm(layer + "attention.output.LayerNorm")
        dense(layer + "intermediate.dense", INNER, WIDTH)
        dense(layer + "output.dense", WIDTH, INNER)
        norm(layer + "output.LayerNorm")
    return weights


def write(path, tensors):
    """{name: rows, or one row} as safetensors."""
    header, data = {}, bytearray()
    for name, rows in tensors.items():
        matrix = bool(rows) and isinstance(rows[0], list)
        flat = array.array("f", (each for row in rows for each in row) if matrix else rows)
        shape = [len(rows), len(rows[0])] if matrix else [len(rows)]
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + 4 * len(flat)]}
        data += flat.tobytes()
    text = json.dumps(header, ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def answers(out):
    """{question: [(cosine, sentence)]} of what was printed."""
    found, rows = {}, None
    for before, line in zip([""] + out.splitlines(), out.splitlines()):
        if match := re.fullmatch(r"  (-?\d\.\d{3})  (.*)", line):
            rows.append((float(match[1]), match[2]))
        elif before == "":
            found[line] = rows = []
    return {question: rows for question, rows in found.items() if rows}


def small_files(folder):
    """The command's first arguments, and the weights."""
    weights = small_weights(random.Random(29))
    write(folder / "model", weights)
    (folder / "words").write_text("\n".join(WORDS) + "\n")
    (folder / "searched").write_text("\n".join(SENTENCES[:2]) + "\n\n" + "\r\n".join(SENTENCES[2:]))
    return ["--model", "model", "--vocabulary", "words", "--sentences", "searched", "--reference", "vectors"], weights


def small(folder, device):
    command, weights = small_files(folder)
    ids = {text: [WORDS.index(each) for each in f"[CLS] {pieces} [SEP]".split()] for text, pieces in PIECES.items()}
    out, err = run(folder, "--vocabulary", "words", "--tokens", *PIECES)
    assert err == "" and out.splitlines() == [" ".join(map(str, ids[text])) for text in PIECES], out + err

    vectors = {text: reference.vector(weights, each) for text, each in ids.items()}
    write(folder / "vectors", vectors)
    out, err = run(folder, *command, "--device", device, *QUESTIONS)
    assert err == "" and "eager and graph agree bit for bit" in out, out + err
    assert re.search(r"6 are up to [\d.e-]+ from the reference's", out), out
    graphs = re.findall(r"graph of (\d+) x (\d+): \d+ tasks in (\d+) segments?, (\d+) captured", out)
    captured = str(int(device != "cpu"))
    assert graphs == [("4", "16", "1", captured), ("1", "16", "1", captured), ("1", "32", "1", captured)], out
    found = answers(out)
    assert list(found) == QUESTIONS, out
    for question, rows in found.items():
        expected = sorted(((sum(a * b for a, b in zip(vectors[question], vectors[each])), each) for each in SENTENCES), reverse=True)[:3]
        assert [each for _, each in rows] == [each for _, each in expected], (rows, expected)
        assert all(abs(a - b) < 6e-4 for (a, _), (b, _) in zip(rows, expected)), (rows, expected)

    vectors[SENTENCES[2]][3] += 0.01  # what is not the same is told
    write(folder / "vectors", vectors)
    out, err = run(folder, *command, "--device", device, QUESTIONS[0], status=1)
    assert re.search(r"5 are up to 0\.01 from the reference's; 1e-06 is allowed", out), out


def real():
    """Where the pretrained network is."""
    files = fetched.folder()
    if not files.is_dir():
        print("the pretrained network is not there: examples/data/sentences.py fetches it")
        sys.exit(77)
    return files


def tokens(folder, device):
    """Texts of all kinds become the same numbers as in the library of the model's authors, and broken ones are refused."""
    kept = json.loads(pathlib.Path(__file__).with_name("sentences_tokens.json").read_text())
    command = ["--vocabulary", real() / "vocab.txt", "--tokens"]
    assert len(kept) > 50, len(kept)
    lines = []
    for begin in range(0, len(kept), 50):
        out, err = run(folder, *command, *(text for text, _ in kept[begin:begin + 50]))
        assert err == "", err
        lines += out.splitlines()
    for (text, expected), line in zip(kept, lines):
        assert line == " ".join(map(str, expected)), f"{text!a} becomes {line}, not {expected}"
    assert len(lines) == len(kept), lines
    for text, part in (b"broken \xff", "UTF-8"), (b"cut \xe6\x9d", "UTF-8"), (b"\xed\xa0\x80", "UTF-8"), (b"\xc0\x80", "UTF-8"), (
            b"word " * 255, "257 pieces of words, and at most 256"):
        out, err = run(folder, *command, text, status=1)
        assert out == "" and part in err and err.count("\n") == 1, out + err
    out, err = run(folder, *command, b"word " * 254)
    assert len(out.split()) == 256, out
    print(f"{len(kept)} texts")


def pretrained(folder, device):
    files = real()
    command = ["--model", files / "model.safetensors", "--vocabulary", files / "vocab.txt", "--device", device]
    out, err = run(folder, *command, *BEST)
    assert err == "" and "eager and graph agree bit for bit" in out, out + err
    print(re.search(r"(\d+) are up to .*", out)[0])  # NumPy's
    print(*re.findall(r"graph of .*", out), sep="\n")
    assert f"{24 + len(BEST)} are up to" in out and set(re.findall(r"tasks in (\d+) segment", out)) == {"1"}, out
    for question, part in BEST.items():
        assert part in answers(out)[question][0][1], out


BEST = {
    "Where can I buy something to eat early in the day?": "bakery",
    "How do I get to the sea by rail?": "platform four",
    "Which plants attract insects?": "lavender",
    "Somebody is making music at night.": "violin",
    "What should I do when I leave work?": "lock the office",
    "Who fixed the bike?": "repaired the bicycle",
    "Does it cost anything to look at the exhibition?": "museum",
}


def misuse(folder, device):
    """Wrong options end with 2, what is missing or is no network with 1; each says so in one line and prints nothing else."""
    good, weights = small_files(folder)
    write(folder / "vectors", {"none": [1.0]})
    whole = (folder / "model").read_bytes()
    (folder / "cut").write_bytes(whole[:-100])
    (folder / "text").write_text("no numbers here")
    (folder / "few").write_text("\n".join(WORDS[:-1]))
    (folder / "nameless").write_text("\n".join(each for each in WORDS if each != "[SEP]"))
    (folder / "empty").write_text("\n\n")
    (folder / "many").write_text("a cat\n" * 257)
    (folder / "latin").write_bytes(b"a caf\xe9\n")
    for name in ("embeddings.word_embeddings.weight", "encoder.layer.5.output.LayerNorm.bias"):
        write(folder / f"without {name}", {each: rows for each, rows in weights.items() if each != name})
    write(folder / "flat", {**weights, "encoder.layer.3.attention.self.key.weight": [[1.0] * WIDTH]})
    write(folder / "narrow", {**weights, "embeddings.position_embeddings.weight": [[1.0] * WIDTH] * 128})
    good += ["--device", device]
    for status, part, *arguments in [
        (2, "--fast", *good, "--fast", "a cat"),
        (2, "--reference", *good, "a cat", "--reference"),
        (2, "--device", *good, "--device", "gpu", "a cat"),
        (2, "--model FILE", "--vocabulary", "words", "a cat"),
        (2, "--vocabulary FILE", "--model", "model", "a cat"),
        (2, "QUESTION", *good),
        (2, "at most 64", *good, *["a cat"] * 65),
        (1, "cuda:63", *good, "--device", "cuda:63", "a cat"),
        (1, "missing: No such file", *good, "--vocabulary", "missing", "a cat"),
        (1, "no line [SEP]", *good, "--vocabulary", "nameless", "a cat"),
        (1, f"knows {len(WORDS)} pieces and sentences of 256; the vocabulary has {len(WORDS) - 1}", *good, "--vocabulary", "few", "a cat"),
        (1, "missing: No such file", *good, "--sentences", "missing", "a cat"),
        (1, "1 to 256 lines", *good, "--sentences", "empty", "a cat"),
        (1, "1 to 256 lines", *good, "--sentences", "many", "a cat"),
        (1, "not UTF-8", *good, "--sentences", "latin", "a cat"),
        (1, "not UTF-8", *good, b"a caf\xe9"),
        (1, "302 pieces of words, and at most 256 may be", *good, "cat " * 300),
        (1, "missing", *good, "--model", "missing", "a cat"),
        (1, "cut", *good, "--model", "cut", "a cat"),
        (1, "text", *good, "--model", "text", "a cat"),
        (1, "'embeddings.word_embeddings.weight'", *good, "--model", "without embeddings.word_embeddings.weight", "a cat"),
        (1, "encoder.layer.5.output.LayerNorm.bias", *good, "--model", "without encoder.layer.5.output.LayerNorm.bias", "a cat"),
        (1, "'encoder.layer.3.attention.self.key.weight' has another shape", *good, "--model", "flat", "a cat"),
        (1, "sentences of 128", *good, "--model", "narrow", "a cat"),
    ]:
        out, err = run(folder, *arguments, status=status)
        assert out == "", f"{arguments} prints:\n{out}"
        assert err.count("\n") == 1 and err.endswith("\n") and part in err, f"{arguments} says:\n{err}"
    out, err = run(folder, *good, "--reference", "missing", "a cat", status=1)
    assert err.count("\n") == 1 and "missing" in err, err
    out, err = run(folder, *good, "--vectors", "missing/vectors", "a cat", status=1)
    assert err.count("\n") == 1 and "--vectors" in err and "missing" in err and "a cat" in answers(out), out + err
    out, err = run(folder, *good, "a cat")  # nothing to compare with is no fault
    assert err == "" and "reference's" not in out and len(answers(out)["a cat"]) == 3, out + err
    out, err = run(folder, "--help")
    assert err == "" and out.startswith("usage: sentences"), out + err


if __name__ == "__main__":
    os.environ.setdefault("LC_ALL", "C.UTF-8")
    with tempfile.TemporaryDirectory() as name:
        {"small": small, "tokens": tokens, "pretrained": pretrained, "misuse": misuse}[sys.argv[3]](pathlib.Path(name), *sys.argv[4:])
