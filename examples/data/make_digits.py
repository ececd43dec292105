#!/usr/bin/env python3
"""Rebuilds digits.bin from the handwritten digits that scikit-learn carries in its package.

    examples/data/make_digits.py            writes digits.bin beside this script
    examples/data/make_digits.py --check    compares what it would write with the file that is there

Downloads the wheel of one fixed scikit-learn version with `pip download` (nothing is installed, scikit-learn is not run),
takes the table of digits out of it, packs it and verifies checksums of both. README.md describes the format and the source.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import argparse
import gzip
import hashlib
import pathlib
import struct
import sys
import tempfile
import zipfile

sys.dont_write_bytecode = True  # the source folder stays as it is
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent.parent / "packaging"))
import wheels  # noqa: E402

PACKAGE = ("scikit-learn", "1.5.2", ["f8b0ccd4a902836493e026c03256e8b206656f91fbcc4fde28c57a5b752561f1"])
# Any wheel of that version carries the same table; naming one makes the download work on every machine.
WHEEL = ["--platform=manylinux2014_x86_64", "--python-version=3.11", "--implementation=cp"]
MEMBER = "sklearn/datasets/data/digits.csv.gz"
TABLE_SHA256 = "6ebb3d2fee246a4e99363262ddf8a00a3c41bee6014c373ed9d9216ba7f651b8"  # of the table, unpacked
DIGITS_SHA256 = "3364cbbc736865d74ae93ba07ba40f3860c48db4610fdb64b3cbe791d5d9b0f1"  # of digits.bin

MAGIC = b"RDIGITS1"
PIXELS = 64
DIGITS = pathlib.Path(__file__).resolve().parent / "digits.bin"


def verify(what, data, expected):
    found = hashlib.sha256(data).hexdigest()
    if found != expected:
        sys.exit(f"make_digits: {what} has SHA-256 {found}, expected {expected}")


def download_table():
    """The comma-separated table: 64 pixels and the label in each row."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            wheel = wheels.download(*PACKAGE, folder, *WHEEL)
        except wheels.Problem as problem:
            sys.exit(f"make_digits: {problem}")
        with zipfile.ZipFile(wheel) as archive:
            table = gzip.decompress(archive.read(MEMBER))
    verify(f"{MEMBER} of {PACKAGE[0]} {PACKAGE[1]}", table, TABLE_SHA256)
    return table.decode("ascii")


def pack(table):
    rows = [[int(float(value)) for value in line.split(",")] for line in table.splitlines()]
    assert all(len(row) == PIXELS + 1 for row in rows)
    assert all(0 <= pixel <= 16 for row in rows for pixel in row[:PIXELS])
    assert all(0 <= row[PIXELS] <= 9 for row in rows)
    return MAGIC + struct.pack("<II", len(rows), PIXELS) + b"".join(bytes(row) for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with the file that is there, write nothing")
    check = parser.parse_args().check
    data = pack(download_table())
    verify("the packed data", data, DIGITS_SHA256)
    if not check:
        DIGITS.write_bytes(data)
        print(f"wrote {DIGITS.name}: {len(data)} bytes")
    elif not DIGITS.exists() or DIGITS.read_bytes() != data:
        sys.exit(f"make_digits: {DIGITS.name} is not what the script would write")
    else:
        print(f"{DIGITS.name} is what the script writes")


if __name__ == "__main__":
    main()
