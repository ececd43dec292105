#!/usr/bin/env python3
"""What the service does in a second, how long a request takes, and what it costs the processor, measured with wrk on this machine: with
batches and one by one, with ONNX Runtime in Rondo's place, with the JDK's server in Jetty's. Of these the processor's time for a request
holds best on a machine that does other things as well.

    run.py BUILD_FOLDER [DEVICE] [--json FILE] [--seconds N]

BUILD_FOLDER is what `examples/java-service/run` built (build-release) or tests/java/service.py used; it has the jars, the model and the natives.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
WARM = 100_000  # requests
UNITS = {"us": 1e-3, "ms": 1.0, "s": 1e3}
VARIANTS = {  # name: model, server, largest batch, microseconds that the first waits
    "Rondo": ("{device}", "jetty", 256, 0),
    "Rondo, waiting 200 us": ("{device}", "jetty", 256, 200),
    "Rondo, one by one": ("{device}", "jetty", 1, 0),
    "ONNX Runtime": ("ort", "jetty", 256, 0),
    "ONNX Runtime, one by one": ("ort", "jetty", 1, 0),
    "Rondo behind the JDK's server": ("{device}", "jdk", 256, 0),
}


def wrk(port, connections, seconds, script):
    """Requests per second, milliseconds that half and 99 % of them took at most, and how many failed."""
    out = subprocess.run(["wrk", "-t", str(min(2, connections)), "-c", str(connections), "-d", f"{seconds}s", "--latency", "--timeout", "10s", "-s", script,
                          f"http://127.0.0.1:{port}/classify"], text=True, capture_output=True, check=True).stdout
    figures = {"per_second": float(re.search(r"Requests/sec:\s*([\d.]+)", out)[1])}
    for share in (50, 99):
        value, unit = re.search(rf"{share}%\s*([\d.]+)(us|ms|s)", out).groups()
        figures[f"p{share}_ms"] = round(float(value) * UNITS[unit], 3)
    failed = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", out)
    refused = re.search(r"Non-2xx or 3xx responses: (\d+)", out)
    figures["failed"] = sum(map(int, failed.groups())) if failed else 0
    figures["failed"] += int(refused[1]) if refused else 0
    return figures


def processor_seconds(process):
    """What the process used so far, of all cores."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def processor():
    return next((line.partition(":")[2].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "unknown")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("device", nargs="?", default="cpu")
    parser.add_argument("--json")
    parser.add_argument("--seconds", type=int, default=8)
    parser.add_argument("--connections", type=int, nargs="*", default=[1, 64])
    options = parser.parse_args()
    build = pathlib.Path(options.build).resolve()
    service = build / "examples/java-service"
    rondo = min((service / "library").glob("rondo-*.jar"), key=lambda path: len(path.name))  # not the one with natives
    target = service / "bench"
    if not (target / "bench.jar").exists() or os.environ.get("REBUILD"):
        subprocess.run(["mvn", "-B", "-C", "-q", "-ntp", "-f", HERE, f"-Drondo.jar={rondo}", f"-Dservice.jar={service}/target/service.jar",
                        f"-Dbench.target={target}", "package"], check=True)
    java = ["java", "-Xmx1g", f"-Ddev.rondo.native.path={build}/bindings/java", "-cp",
            f"{target}/bench.jar:{service}/target/service.jar:{target}/lib/*:{service}/target/lib/*:{rondo}",
            "dev.rondo.examples.service.Bench"]
    model = service / "model.safetensors"
    result = {"date": time.strftime("%Y-%m-%d"), "processor": processor(), "cores": len(os.sched_getaffinity(0)), "device": options.device,
              "direct_us": {}, "service": {}}
    out = subprocess.run([*java, "direct", model, options.device], text=True, stdout=subprocess.PIPE, check=True).stdout
    print(f"{'microseconds of a call':<32}{'Rondo':>10}{'ONNX Runtime':>14}")
    for line in out.splitlines():
        size, ours, theirs = line.split()
        result["direct_us"][size] = {"rondo": float(ours), "onnxruntime": float(theirs)}
        print(f"{'batch of ' + size:<32}{float(ours):>10.1f}{float(theirs):>14.1f}")
    print(f"\n{'service':<32}{'connections':>12}{'per second':>12}{'p50 ms':>10}{'p99 ms':>10}{'processor us':>14}{'failed':>8}")
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        digits = pathlib.Path(HERE, "../../data/digits.bin").read_bytes()
        bodies = [json.dumps({"image": [value / 16 for value in digits[at:at + 64]]}) for at in range(16, 16 + 65 * 1000, 65)]
        script.write("local bodies = {" + ",".join(f"'{body}'" for body in bodies) + "}\nlocal at = 0\nfunction request()\n  at = at % #bodies + 1\n"
                     "  return wrk.format('POST', nil, nil, bodies[at])\nend\n")
        script.flush()
        for name, (where, server, largest, wait) in VARIANTS.items():
            with subprocess.Popen([*java, "serve", model, where.format(device=options.device), server, str(largest), str(wait)],
                                  stdout=subprocess.PIPE, text=True) as process:
                try:
                    port = int(process.stdout.readline())
                    warm = 0
                    while warm < WARM:  # until what is hot is compiled, however slow the machine is
                        warm += 2 * wrk(port, 64, 2, script.name)["per_second"]
                    for connections in options.connections:
                        before = processor_seconds(process)
                        figures = wrk(port, connections, options.seconds, script.name)
                        used = processor_seconds(process) - before
                        figures["processor_us"] = round(1e6 * used / figures["per_second"] / options.seconds, 1)
                        result["service"].setdefault(name, {})[str(connections)] = figures
                        print(f"{name:<32}{connections:>12}{figures['per_second']:>12.0f}{figures['p50_ms']:>10.3f}{figures['p99_ms']:>10.3f}"
                              f"{figures['processor_us']:>14.1f}{figures['failed']:>8}", flush=True)
                finally:
                    process.kill()
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
