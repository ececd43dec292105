#!/usr/bin/env python3
"""Maven refuses a jar that its repository's checksum does not fit, as the builds here call it: checksums.py.

A repository on this machine serves one artefact: a right pom, and a jar whose bytes are not those of its checksum. Without `-C` Maven
only warns, and `-q` hides that; tests/abi/pinned.py sees to it that each call has it.

Skipped (77) where there is no Maven, or where what it needs to compile has not been fetched yet.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import functools
import hashlib
import http.server
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile

ARTEFACT = "example/served/1.0/served-1.0"
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
  <groupId>example</groupId><artifactId>served</artifactId><version>1.0</version></project>
"""
PROJECT = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
  <groupId>example</groupId><artifactId>user</artifactId><version>1</version>
  <repositories><repository><id>served</id><url>http://127.0.0.1:{port}/</url></repository></repositories>
  <dependencies><dependency><groupId>example</groupId><artifactId>served</artifactId><version>1.0</version></dependency></dependencies>
  <build><plugins>
    <plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.1</version></plugin>
    <plugin><artifactId>maven-compiler-plugin</artifactId><version>3.13.0</version></plugin>
  </plugins></build>
</project>
"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def serve(folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def put(path, data, checksum_of):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    path.with_name(path.name + ".sha1").write_text(hashlib.sha1(checksum_of).hexdigest())


def compile_with(project, local, *options):
    return subprocess.run(["mvn", "-B", *options, "-q", "-ntp", f"-Dmaven.repo.local={local}", "-f", project, "compile"], text=True,
                          capture_output=True, stdin=subprocess.DEVNULL)


def main():
    stored = pathlib.Path(os.environ.get("MAVEN_REPOSITORY", pathlib.Path.home() / ".m2/repository"))
    if not shutil.which("mvn"):
        print("Maven is not installed")
        return 77
    if not (stored / "org/apache/maven/plugins/maven-compiler-plugin/3.13.0").is_dir():
        print(f"Maven's compiler plugin 3.13.0 is not in {stored}: the test `java` fetches it")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        jar = folder / "right.jar"
        with zipfile.ZipFile(jar, "w") as made:
            made.writestr("right.txt", "right")
        right = jar.read_bytes()
        put(folder / f"served/{ARTEFACT}.pom", POM.encode(), POM.encode())
        server = serve(folder / "served")
        (folder / "user").mkdir()
        (folder / "user/pom.xml").write_text(PROJECT.format(port=server.server_port))
        for what, data, options, taken in (("the right jar", right, ["-C"], True), ("a wrong jar", right + b"wrong", ["-C"], False),
                                           ("a wrong jar, without -C", right + b"wrong", [], True)):
            put(folder / f"served/{ARTEFACT}.jar", data, right)
            local = folder / what
            shutil.copytree(stored, local, copy_function=os.link if os.stat(stored).st_dev == os.stat(folder).st_dev else shutil.copy2)
            done = compile_with(folder / "user", local, *options)
            said = done.stdout + done.stderr
            assert (done.returncode == 0) == taken, f"{what}: Maven exits {done.returncode}\n{said}"
            assert (local / f"{ARTEFACT}.jar").exists() == taken, what
            assert taken or "hecksum" in said, said
            print(f"{what}: {'taken' if taken else 'refused'}")
        server.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
