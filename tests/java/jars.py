"""Makes the jars of the Java library as users have them, for tests that run programs with them.

Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
"""

import pathlib
import subprocess
import sys


def jars(root, build, name):
    """The library's jar and that of its natives, made by Maven in a folder of that name."""
    place = pathlib.Path(build, "bindings/java", name)
    subprocess.run([sys.executable, f"{root}/bindings/java/pack.py", f"{build}/bindings/java/librondo_jni.so", f"{build}/src/librondo.so.0", "linux-x86_64",
                    place / "natives"], check=True)
    subprocess.run(["mvn", "-B", "-C", "-q", "-ntp", "-f", f"{root}/bindings/java", f"-Drondo.build={build}", f"-Drondo.target={place}/target",
                    f"-Drondo.natives={place}/natives", "-DskipTests", "package"], check=True, stdin=subprocess.DEVNULL)
    library = min((place / "target").glob("rondo-*.jar"), key=lambda path: len(path.name))  # the others have a word more
    return library, library.with_name(f"{library.stem}-linux-x86_64.jar")
