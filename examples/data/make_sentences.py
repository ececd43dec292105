#!/usr/bin/env python3
"""Rebuilds what the sentence example is compared with: sentences.safetensors, the vectors of sentences.txt and of some questions, by the
text itself; and tests/examples/sentences_tokens.json, texts with the numbers that the library of the model's authors makes of them.

    python3 -m pip install numpy==2.4.6 tokenizers==0.23.3
    examples/data/make_sentences.py

The network is written out in NumPy, in double precision, each sentence by itself and without filling up, from the weights as they are in
the file that sentences.py fetches; vectors are rounded to f32.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import json
import math
import pathlib
import struct
import sys

import numpy
import tokenizers

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(1, str(HERE))
import sentences  # noqa: E402

QUESTIONS = [
    "Where can I buy something to eat early in the day?",
    "How do I get to the sea by rail?",
    "Which plants attract insects?",
    "Somebody is making music at night.",
    "What should I do when I leave work?",
    "Who fixed the bike?",
    "Does it cost anything to look at the exhibition?",
]
# Of no use but to be taken apart.
TEXTS = [
    "", " ", "a", "Hello, World!", "unaffable", "don't won't I'm", "naïve café RÉSUMÉ", "e\u0301cole E\u0301COLE", "Straße STRASSE ſ",
    "İstanbul ısı", "Ångström Ω Ω K K", "東京 is 東京都", "한국어 조선말", "ｆｕｌｌｗｉｄｔｈ！", "日本語のテキスト", "Привет, как дела?", "Γειά σου Κόσμε ΣΣ",
    "שָׁלוֹם עולם", "مرحبا بالعالم", "नमस्ते दुनिया", "สวัสดีชาวโลก", "🙂 👩‍👩‍👧 🇩🇪", "tab\tnew\nline\r\nend", "nbsp\u00a0and\u2003em\u2028line\u3000wide",
    "zero\u200bwidth\u200djoin\ufeffbom\u00adhyphen", "bell\x07esc\x1b[31mred\x7f\x85next", "replace\ufffdment", "private\ue000use", "a\u0378b",
    "x" * 100, "x" * 101, "é" * 100, "東" * 60, "....", "$5.00 + 10% = <b>`x`^2|y~z</b>", "a_b-c—d–e…f“g”‘h’", "[CLS] [SEP] [MASK] [PAD] [UNK]",
    "in[SEP]side [sep] [ SEP ] [[CLS]]", "##ing ing ## # a##b", "\u037e\u1fef\u2126\u212a", "\U0001d400\U0001d7ce \U0002f800 \uf900 \U00020000",
    "ﬁ ﬂ ㎏ ½ ²", "\u0300\u0301\u0302", "a\u0300\u0301\u0302b", "supercalifragilisticexpialidocious antidisestablishmentarianism",
    "'; DROP TABLE sentences; --", "../../etc/passwd %00 %s %n", "١٢٣ 1234567890 １２３", "ǅ ǈ ŉ ﷺ", "no\u2060break\u180evowel", "𝒜 𐐀 𞤀",
]


def parts(path):
    """{name: array in double precision}"""
    with open(path, "rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(size))
        data = file.read()
    header.pop("__metadata__", None)
    return {name: numpy.frombuffer(data[slice(*each["data_offsets"])], "<f4").reshape(each["shape"]).astype(float)
            for name, each in header.items() if each["dtype"] == "F32"}


ERF = numpy.vectorize(math.erf)


def vector(weights, ids):
    """The network of one sentence."""
    def dense(name, x):
        return x @ weights[name + ".weight"].T + weights[name + ".bias"]

    def norm(name, x):
        centred = x - x.mean(-1, keepdims=True)
        return centred / numpy.sqrt((centred ** 2).mean(-1, keepdims=True) + 1e-12) * weights[name + ".weight"] + weights[name + ".bias"]

    def heads(x):
        return x.reshape(len(ids), -1, 32).transpose(1, 0, 2)

    x = (weights["embeddings.word_embeddings.weight"][ids] + weights["embeddings.position_embeddings.weight"][:len(ids)]
         + weights["embeddings.token_type_embeddings.weight"][0])
    x = norm("embeddings.LayerNorm", x)
    for number in range(6):
        layer = f"encoder.layer.{number}."
        q, k, v = (heads(dense(layer + "attention.self." + each, x)) for each in ("query", "key", "value"))
        scores = q @ k.transpose(0, 2, 1) / math.sqrt(32)
        scores = numpy.exp(scores - scores.max(-1, keepdims=True))
        seen = scores / scores.sum(-1, keepdims=True) @ v
        x = norm(layer + "attention.output.LayerNorm", x + dense(layer + "attention.output.dense", seen.transpose(1, 0, 2).reshape(x.shape)))
        wide = dense(layer + "intermediate.dense", x)
        wide = wide * (1 + ERF(wide / math.sqrt(2))) / 2
        x = norm(layer + "output.LayerNorm", x + dense(layer + "output.dense", wide))
    mean = x.mean(0)
    return mean / numpy.sqrt((mean ** 2).sum())


def main():
    tokenizer = tokenizers.Tokenizer.from_file(str(sentences.folder() / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    weights = parts(sentences.folder() / "model.safetensors")
    found = (HERE / "sentences.txt").read_text().splitlines()
    header = {"__metadata__": {"numpy": numpy.__version__, "network": "all-MiniLM-L6-v2"}}
    data, vectors = b"", {}
    for text in found + QUESTIONS:
        vectors[text] = vector(weights, tokenizer.encode(text).ids)
        each = vectors[text].astype("<f4").tobytes()
        header[text] = {"dtype": "F32", "shape": [len(vectors[text])], "data_offsets": [len(data), len(data) + len(each)]}
        data += each
    for text in QUESTIONS:
        print(text, "->", max((float(vectors[text] @ vectors[each]), each) for each in found))
    head = json.dumps(header, separators=(",", ":")).encode()
    head += b" " * (-len(head) % 8)
    (HERE / "sentences.safetensors").write_bytes(struct.pack("<Q", len(head)) + head + data)
    rows = [json.dumps([text, tokenizer.encode(text).ids]) for text in TEXTS + QUESTIONS]
    (HERE.parent.parent / "tests/examples/sentences_tokens.json").write_text("[\n" + ",\n".join(rows) + "\n]\n")


if __name__ == "__main__":
    main()
