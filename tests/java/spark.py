#!/usr/bin/env python3
"""The example spark: a table is scored on two executors while one of them is killed, and each row comes out once, with the numbers that one
process gives.

    spark.py SOURCE_ROOT BUILD_ROOT CASE

Built against the library's jars as users do it, and started by spark-submit. CASE: cpu, or simulated, on cards of the simulated driver that the environment names, or
mutations: an executor that loses rows, doubles them or mixes them up has to be found out.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import collections
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # the source folder stays as it is
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent))
from jars import jars  # noqa: E402
from spark_package import PACKAGE  # noqa: E402

ROWS, FILES = 48000, 12  # a file is a partition, which ends with part of a call
CALL = 64
PROGRAM = """{"rondo_program":1,"needs":"0.1","made_by":"0.1.0","dims":[["rows",1,65536]],"weights":[
["w","f32",[3,4]]],"functions":[
{"name":"score","inputs":[["features","f32",["rows",3]]],"weights":[0],"nodes":[
{"kind":"Matmul","in":{"a":0,"b":1},"out":{"out":[2,"f32",["rows",4]]}}],
"outputs":[["vector",2,"f32",["rows",4]]]}]}"""
# Functions that have no inputs, and rows of 2^31 numbers.
NO_INPUTS = """{"rondo_program":1,"needs":"0.1","made_by":"0.1.0","weights":[
["w","f32",[3,4]]],"functions":[
{"name":"score","inputs":[],"weights":[0],"nodes":[
{"kind":"Elementwise","with":{"row":"neg","computed":"f32"},"in":{"operands":[0]},"out":{"out":[1,"f32",[3,4]]}}],
"outputs":[["vector",1,"f32",[3,4]]]}]}"""
LONG = """{"rondo_program":1,"needs":"0.1","made_by":"0.1.0","dims":[["rows",1,64]],"weights":[],"functions":[
{"name":"score","inputs":[["features","f32",["rows",2147483648]]],"weights":[],"nodes":[
{"kind":"Elementwise","with":{"row":"neg","computed":"f32"},"in":{"operands":[0]},"out":{"out":[1,"f32",["rows",2147483648]]}}],
"outputs":[["vector",1,"f32",["rows",2147483648]]]}]}"""
# Of short runs Java's second compiler costs more than it gains.
SHORT = [word for where in ("executor", "driver") for word in ("--conf", f"spark.{where}.extraJavaOptions=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")]
WEIGHTS = [1, -2, 3, 0, 5, -1, 2, 7, -3, 4, 1, 6]  # whole numbers: products and sums are exact on each device


def write(path, tensors, metadata=None):
    """A safetensors file of f32 tensors: name -> (shape, numbers)."""
    header, data = {"__metadata__": metadata} if metadata else {}, b""
    for key, (shape, numbers) in tensors.items():
        more = struct.pack(f"<{len(numbers)}f", *numbers)
        header[key] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(more)]}
        data += more
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def features(row):
    return [row % 251, row // 251 % 241, row % 127 - 63]


def make_table(folder):
    """Lines of JSON, a row each, in files."""
    folder.mkdir()
    for i in range(FILES):
        rows = range(i * ROWS // FILES, (i + 1) * ROWS // FILES)
        (folder / f"part-{i:02}.json").write_text("".join(json.dumps({"id": each, "features": features(each)}) + "\n" for each in rows))


def of_one_process(build, folder, program):
    """The vectors that `rondo run` makes of the whole table in one call."""
    out = folder / "expected.safetensors"
    write(folder / "rows.safetensors", {"features": ([ROWS, 3], [value for row in range(ROWS) for value in features(row)])})
    subprocess.run([f"{build}/src/rondo", "run", program, "--inputs", folder / "rows.safetensors", "--outputs", out], check=True, capture_output=True)
    content = out.read_bytes()
    size, = struct.unpack("<Q", content[:8])
    numbers = struct.unpack(f"<{ROWS * 4}f", content[8 + size:])
    return [list(numbers[4 * row:4 * row + 4]) for row in range(ROWS)]


def differences(result, expected):
    """What is wrong with a scored table, in a sentence; empty if nothing is."""
    rows = [json.loads(line) for file in result.glob("part-*") for line in file.read_text().splitlines()]
    times = collections.Counter(row["id"] for row in rows)
    lost = [row for row in range(len(expected)) if row not in times]
    doubled = [row for row, count in times.items() if count > 1]
    strange = [row for row in times if not 0 <= row < len(expected)]
    wrong = [row["id"] for row in rows if row["id"] not in strange and row["vector"] != expected[row["id"]]]
    found = ((lost, "are lost"), (doubled, "are doubled"), (strange, "are of no table"), (wrong, "have other numbers"))
    return ", ".join(f"{len(each)} rows {what} ({each[0]} first)" for each, what in found if each)


def executors(driver):
    """Process identifiers of the executors that a driver's workers have started."""
    parents, found = {}, []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if b"org.apache.spark.executor.CoarseGrainedExecutorBackend" in (folder / "cmdline").read_bytes().split(b"\0"):
                found.append(int(folder.name))
        except OSError:
            pass  # it has ended

    def below(pid):
        while pid in parents and pid != driver:
            pid = parents[pid]
        return pid == driver
    return [pid for pid in found if below(pid)]


def writes(pid, folder):
    """True if the process has a file below the folder open."""
    try:
        for each in os.listdir(f"/proc/{pid}/fd"):
            try:
                if os.readlink(f"/proc/{pid}/fd/{each}").startswith(f"{folder}/"):
                    return True
            except OSError:
                pass  # it is closed
    except OSError:
        pass  # it has ended
    return False


def kill_one(driver, result, ended):
    """Kills an executor that is writing a partition, when some are written: it is stopped first, so that it is still writing when it is killed."""
    running, written = [], result / "_temporary"
    while not ended():
        time.sleep(0.005)
        if len(list(written.glob("0/task_*"))) < 2:
            continue
        running = running or executors(driver)
        for pid in running:
            if not writes(pid, written):
                continue
            os.kill(pid, signal.SIGSTOP)
            if writes(pid, written):
                os.kill(pid, signal.SIGKILL)
                return pid
            os.kill(pid, signal.SIGCONT)
    return None


class Spark:
    def __init__(self, root, build, jars, folder, simulated):
        self.root, self.build, self.jars, self.folder, self.simulated = root, build, jars, folder, simulated
        self.home = folder / "spark"  # Spark writes into its own folder
        self.home.mkdir()
        for each in "bin", "jars":
            (self.home / each).symlink_to(PACKAGE.folder() / each)
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith(("SPARK_", "HADOOP_"))}
        self.environment.update(SPARK_HOME=str(self.home), SPARK_LOCAL_IP="127.0.0.1", SPARK_LOCAL_DIRS=str(folder / "local"),
                                PATH=f"{build}/src:{os.environ['PATH']}")
        self.options = ["--conf", "spark.ui.enabled=false", "--conf", "spark.eventLog.enabled=true", "--conf", f"spark.eventLog.dir=file://{folder}/events",
                        "--conf", "spark.eventLog.rolling.enabled=false", "--conf", "spark.eventLog.compress=false", *SHORT,
                        "--conf", "spark.sql.files.openCostInBytes=134217728"]  # each file is a partition
        (folder / "events").mkdir()
        if simulated:
            # Both workers are on this machine, and its script finds two cards for each: one of them each.
            mine = folder / "one_of_the_gpus"
            mine.write_text(f"""#!/bin/sh
set -eu
mkdir '{folder}/first' 2> /dev/null && mine=1 || mine=2
'{root}/examples/spark/gpus' | sed -E "s/\\[(\\"0\\"),(\\"1\\")\\]/[\\\\$mine]/"
""")
            mine.chmod(0o755)
            for option in ("worker.resource.gpu.amount=1", f"worker.resource.gpu.discoveryScript={mine}", "executor.resource.gpu.amount=1",
                           "task.resource.gpu.amount=1"):
                self.options += ["--conf", f"spark.{option}"]

    def build_example(self, name, source):
        """A jar of the example, as docs/spark.md says."""
        place = self.folder / name
        place.mkdir()
        (place / "ScoreTable.java").write_text(source)
        subprocess.run(["javac", "--release", "17", "-Xlint:all,-classfile,-path,-try", "-Werror", "-d", place / "classes",
                        "-cp", f"{PACKAGE.folder()}/jars/*:{self.jars[0]}", place / "ScoreTable.java"], check=True)
        subprocess.run(["jar", "cf", place / "score-table.jar", "-C", place / "classes", "."], check=True)
        return place / "score-table.jar"

    def score(self, jar, program, table, result, *options, kills):
        """Runs it; the events that Spark noted, and the process that was killed."""
        if (self.folder / "first").exists():
            (self.folder / "first").rmdir()
        before = set((self.folder / "events").iterdir())
        with open(self.folder / "log", "w+") as log:
            driver = subprocess.Popen([self.home / "bin/spark-submit", "--master", "local-cluster[2,1,1024]", "--class", "ScoreTable",
                                       "--jars", ",".join(map(str, self.jars)), *self.options, jar, program, table, result, "--format", "json", *options],
                                      env=self.environment, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd=self.folder)
            try:
                killed = kill_one(driver.pid, result, lambda: driver.poll() is not None) if kills else None
                status = driver.wait(timeout=300)
            finally:
                driver.kill()
            log.seek(0)
            said = log.read()
        written, = set((self.folder / "events").iterdir()) - before
        events = [json.loads(line) for line in written.read_text().splitlines()]
        return status, said, events, killed

    def loaded(self):
        """Where each executor that had a task has loaded the program, which it does once."""
        said = [[line for line in each.read_text().splitlines() if line.startswith("ScoreTable: ")] for each in self.home.glob("work/*/*/stderr")]
        assert all(len(each) <= 1 for each in said), said
        return sorted(line.rpartition(" ")[2] for each in said for line in each)


def scored(spark, jar, files, expected, number, *options, kills=True):
    """Runs an example's jar and says what is wrong with its result; the run itself must be what it should."""
    result = spark.folder / f"scored-{number}"
    status, said, events, killed = spark.score(jar, *files, result, *options, kills=kills)
    assert status == 0, said[-5000:]
    assert (result / "_SUCCESS").exists(), said[-5000:]
    ends = [event for event in events if event["Event"] == "SparkListenerTaskEnd"]
    good = [event for event in ends if event["Task End Reason"]["Reason"] == "Success"]
    lost = [event for event in ends if event["Task End Reason"]["Reason"] == "ExecutorLostFailure"]
    removed = [event for event in events if event["Event"] == "SparkListenerExecutorRemoved" and "idle" not in event["Removed Reason"]]
    assert len({event["Task Info"]["Executor ID"] for event in ends}) >= 2, "one executor did all of it"
    if kills:
        assert killed and len(lost) == 1 and removed, (killed, lost, removed)
        retried = [event for event in good if event["Task Info"]["Attempt"] > 0]
        assert len(retried) == 1, "the partition of the killed executor was not scored again"
    else:
        assert not lost, lost
    return differences(result, expected)


MUTATIONS = {
    "an executor loses the rest of a partition": ("if (!ready.hasNext() && rows.hasNext()) {", "if (!ready.hasNext() && rows.hasNext() && ++calls <= 62) {", False),
    "an executor doubles a call's rows": ("return scored.iterator();", "if (++calls == 3) scored.addAll(List.copyOf(scored));\n        return scored.iterator();", False),
    "an executor gives a row another's numbers": ("outputs, i, batch.size())", "outputs, ++calls == 3 ? 0 : i, batch.size())", False),
    "a retry begins where the killed executor may have stopped": (
        "if (!ready.hasNext() && rows.hasNext()) {",
        "for (; TaskContext.get().attemptNumber() > 0 && calls < 100 && rows.hasNext(); ++calls) rows.next();\n      if (!ready.hasNext() && rows.hasNext()) {", True),
}


def mutations(spark, source, files, expected):
    for number, (what, (part, instead, kills)) in enumerate(MUTATIONS.items()):
        assert source.count(part) == 1, part
        changed = source.replace(part, instead).replace("private Iterator<Row> ready =", "private int calls;\n    private Iterator<Row> ready =")
        found = scored(spark, spark.build_example(f"mutation-{number}", changed), files, expected, f"mutation-{number}", "--rows", str(CALL), kills=kills)
        assert found, f"it is not found out that {what}"
        print(f"{what}: {found}", flush=True)


def refused(spark, jar, folder, table):
    """What does not fit is told before a partition is read."""
    write(folder / "fixed.safetensors", {"w": ([3, 4], WEIGHTS)}, {"rondo.program": PROGRAM.replace('"dims":[["rows",1,65536]],', "").replace('"rows"', "8")})
    write(folder / "none.safetensors", {"w": ([3, 4], WEIGHTS)}, {"rondo.program": NO_INPUTS})
    write(folder / "long.safetensors", {}, {"rondo.program": LONG})
    for name, text in (("fixed", "with a first size that varies"), ("none", "has no inputs, and so no rows"), ("long", "more numbers in a row than an array of Java holds")):
        status, said, _, _ = spark.score(jar, folder / f"{name}.safetensors", table, folder / "refused", kills=False)
        assert status != 0 and text in said and not (folder / "refused").exists(), said[-3000:]


def check(root, build, made, case):
    source = pathlib.Path(root, "examples/spark/ScoreTable.java").read_text()
    with tempfile.TemporaryDirectory(prefix="rondo_spark_") as name:
        folder = pathlib.Path(name)
        program, table = folder / "score.safetensors", folder / "table"
        write(program, {"w": ([3, 4], WEIGHTS)}, {"rondo.program": PROGRAM})
        make_table(table)
        expected = of_one_process(build, folder, program)
        spark = Spark(root, build, made, folder, case == "simulated")
        if case == "mutations":
            return mutations(spark, source, (program, table), expected)
        jar = spark.build_example("example", source)
        found = scored(spark, jar, (program, table), expected, 0, "--rows", str(CALL))
        assert not found, found
        # Two executors, each on its own card, and the one in the killed one's place, unless the other one was faster.
        loaded = spark.loaded()
        assert len(loaded) in (2, 3) and set(loaded) == ({"cuda:0", "cuda:1"} if case == "simulated" else {"cpu:0"}), loaded
        refused(spark, jar, folder, table)
        print(f"{ROWS} rows on {', '.join(loaded)}; one executor killed")


def main(root, build, case):
    if not PACKAGE.folder().is_dir():
        print("pyspark is not there: tests/java/spark_package.py fetches it")
        return 77
    if not shutil.which("mvn") or not shutil.which("javac"):
        print("Maven or a JDK is not installed")
        return 77
    check(root, build, jars(root, build, "spark"), case)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
