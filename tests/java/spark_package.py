#!/usr/bin/env python3
"""Apache Spark, as its Python package pyspark has it: fetched once, into the folder RONDO_TEST_MODELS or rondo-test-models in the user's cache
folder.

    spark_package.py             fetches it if it is not there; the last line says what there is; exit 1 if it failed
    spark_package.py --complete  fetches nothing; exit 0 if it is there

The package has no wheel. pip asks a source package for its dependencies, by setuptools: that is fetched as well, and used from where it was
unpacked. Nothing is installed.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import sys
import tarfile
import tempfile

sys.dont_write_bytecode = True  # the source folder stays as it is
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent))
import fetched  # noqa: E402
from fetched import wheels  # noqa: E402

VERSION = "4.3.0"
SUM = "e8c517948eff7088a7aa07449aa8eafa4a15a8d50319de2525a6fd26622476c6"
SETUPTOOLS = fetched.Fetched([("setuptools", "80.9.0", ["062d34222ad13e0cc312a4c02d73f059e86a4acbfbdea8f8f76b28c99f306922"])])


class Spark(fetched.Fetched):
    def unpack(self, new, scratch):
        """The folders of jars and scripts: SPARK_HOME is the folder of both."""
        name, version, sums = self.packages[0]
        with tarfile.open(wheels.download_source(name, version, sums, scratch / name, SETUPTOOLS.folder())) as archive:
            for each in archive:
                folder, _, path = each.name.partition("/deps/")
                if each.isfile() and folder == f"{name}-{version}" and path.startswith(("jars/", "bin/")):
                    each.name = path
                    archive.extract(each, new)

    def fetch(self):
        return (None if SETUPTOOLS.folder().is_dir() else SETUPTOOLS.fetch()) or super().fetch()


PACKAGE = Spark([("pyspark", VERSION, [SUM])])

if __name__ == "__main__":
    sys.exit(PACKAGE.main(sys.argv[1:]))
