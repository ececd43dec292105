#!/usr/bin/env python3
"""The Java service on a device, asked for all images of the example: in batches, and one by one from many threads. Every answer is compared
with the cpu's; prints accuracy, what was replayed, and how long a request took.

    service.py DEVICE MODEL COMMAND...

COMMAND starts the service (a Java virtual machine with its class path and Main). Exits 1 if an answer differs.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import concurrent.futures
import http.client
import json
import pathlib
import re
import subprocess
import sys
import threading
import time

BATCH = 200
THREADS = 64
DATA = pathlib.Path(__file__).resolve().parents[2] / "examples/data/digits.bin"


class Service:
    def __init__(self, command, model, device):
        self.process = subprocess.Popen([*command, "--model", model, "--device", device, "--port", "0"], text=True, stdout=subprocess.PIPE)
        for line in self.process.stdout:
            ready = re.match(r"http://([^:]+):(\d+)/ classifies digits on (\S+)", line)
            if ready:
                self.address, self.device = (ready[1], int(ready[2])), ready[3]
                return
        raise SystemExit("the service did not start")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(20)

    connections = threading.local()

    def ask(self, method, path, body=None):
        """The body of an answer; each thread has a connection of its own to each service."""
        kept = self.connections.__dict__.setdefault(self.address, http.client.HTTPConnection(*self.address))
        kept.request(method, path, body)
        reply = kept.getresponse()
        text = reply.read()
        if reply.status != 200:
            raise SystemExit(f"{path}: status {reply.status}: {text.decode()}")
        return text

    def classify(self, images):
        """Probabilities, and the microseconds until they were there."""
        body = json.dumps({"images": images})
        begin = time.perf_counter()
        answer = json.loads(self.ask("POST", "/classify", body))
        return [each["probabilities"] for each in answer["results"]], 1e6 * (time.perf_counter() - begin)


def largest_difference(a, b):
    return max(abs(x - y) for one, other in zip(a, b, strict=True) for x, y in zip(one, other, strict=True))


def main(device, model, *command):
    data = DATA.read_bytes()
    rows = [data[at:at + 65] for at in range(16, len(data), 65)]
    images = [[value / 16 for value in row[:64]] for row in rows]
    with Service(command, model, "cpu") as cpu, Service(command, model, device) as service:
        expected = [answer for at in range(0, len(images), BATCH) for answer in cpu.classify(images[at:at + BATCH])[0]]
        batches = [answer for at in range(0, len(images), BATCH) for answer in service.classify(images[at:at + BATCH])[0]]
        alone = [service.classify([image]) for image in images[:300]]
        with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
            together = list(pool.map(lambda image: service.classify([image]), images))
        differences = [largest_difference(batches, expected), largest_difference([answer[0][0] for answer in together], expected)]
        right = sum(answer.index(max(answer)) == row[64] for answer, row in zip(batches, rows, strict=True))
        for name, asked in (("one at a time", alone), (f"{THREADS} at a time", together)):
            took = sorted(microseconds for _, microseconds in asked)
            print(f"service   {name}: p50 {took[len(took) // 2]:.0f} us, p99 {took[len(took) * 99 // 100]:.0f} us")
        metrics = service.ask("GET", "/metrics").decode()
        print("service   " + ", ".join(re.findall(r"^digits_graph_replays_total(.*)\.0$", metrics, re.MULTILINE)) + " replays")
        print("service   " + ", ".join(re.findall(r"^digits_device_memory_bytes(.*)$", metrics, re.MULTILINE)) + " bytes")
        print(f"service   on {service.device}: {right} of {len(rows)} right, furthest from cpu {max(differences):.2g}")
    return 0 if max(differences) < 1e-3 and right > 0.9 * len(rows) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
