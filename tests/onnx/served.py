#!/usr/bin/env python3
"""Two converted models, each behind a service of its own and then both behind one, examples/java-service, which Maven builds against the library of
this tree: threads ask both at the same time, with any number of rows. No answer is lost or another one's, each is that of a call alone, and requests
were joined. A GPU that is not there is an error.

    served.py SOURCE_ROOT BUILD_ROOT
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import contextlib
import http.client
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import networks  # noqa: E402
from embedding import maven  # noqa: E402

numpy = networks.numpy
THREADS, REQUESTS, DIFFERENT = 6, 50, 16  # threads for each model, requests of a thread, different ones of a model
# Of a model: its dimensions, the one along which requests are joined, the sizes that requests have of the other one.
MODELS = {"minilm": ({"batch_size": (1, 16), "sequence_length": (1, 32)}, "batch_size", (5, 9)), "magika": ({"unk__214": (1, 16)}, "unk__214", (1,))}
READY = re.compile(r"http://127\.0\.0\.1:(\d+)/ .* on cpu:0")


class Served:
    """A converted model, and requests, each with its answer."""

    def __init__(self, rondo, folder, name):
        path, (dims, self.batch, sizes) = networks.file_of(name), MODELS[name]
        self.name, self.program, self.requests = name, folder / f"{name}.safetensors", []
        rondo.convert(path, self.program, dims=dims)
        model, wrong = networks.onnx.load(path), 0
        for seed in range(DIFFERENT):
            rows = 1 + seed % 3
            arrays, tensors = networks.inputs_of(model, dict(zip(dims, (rows, sizes[seed % len(sizes)]))), {}, seed)
            if name == "magika":  # bytes that nothing repeats are of no kind of file, all of them
                draw = numpy.random.default_rng(seed)
                arrays["bytes"] = numpy.tile(draw.integers(32, 127, (rows, draw.integers(1, 40))), (1, 2048))[:, :2048].astype(numpy.int32)
                tensors = [(3, [rows, 2048], arrays["bytes"].tobytes())]
            answer = [numpy.frombuffer(data, numpy.float32).reshape(shape) for _, shape, data in rondo.run(self.program, tensors)]
            wrong += any(len(before) == len(answer) and all(one.shape == other.shape and numpy.abs(one - other).max() < 1e-3 for one, other in zip(before, answer))
                         for _, before in self.requests)
            self.requests.append((json.dumps({"inputs": {key: value.tolist() for key, value in arrays.items()}}), answer))
        assert not wrong, f"{name}: {wrong} answers are like another one"


class Service:
    """One for some models: a single one at /call, several at /call and their names."""

    def __init__(self, java, models):
        self.java, self.models = java, models
        self.paths = {each.name: f"/call/{each.name}" if len(models) > 1 else "/call" for each in models}

    def command(self):
        named = {each.name: f"{each.name}=" if len(self.models) > 1 else "" for each in self.models}
        return [*self.java, "--port", "0", *(word for each in self.models for word in ("--program", f"{named[each.name]}{each.program}", "--batch",
                                                                                        f"{named[each.name]}{each.batch}"))]

    @contextlib.contextmanager
    def running(self):
        with tempfile.TemporaryFile("w+") as errors:
            service = subprocess.Popen([*map(str, self.command()), "--device", "cpu"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True)
            late = threading.Timer(300, service.kill)
            late.start()
            try:
                ready = next((found for line in service.stdout if (found := READY.match(line))), None)
                errors.seek(0)
                assert ready, f"the service for {list(self.paths)} does not start: {errors.read()}"
                self.port = int(ready[1])
                yield self
                service.send_signal(signal.SIGTERM)
                assert service.wait(60) in (143, -signal.SIGTERM), service.returncode
            finally:
                late.cancel()
                service.kill()
                service.wait()

    def ask(self, model, number, problems):
        """Sends requests in the order of a random number, and says what is wrong with their answers."""
        try:
            draw, connection = random.Random(number), http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
            for _ in range(REQUESTS):
                body, want = draw.choice(model.requests)
                connection.request("POST", self.paths[model.name], body)
                answer = connection.getresponse()
                text = answer.read()
                assert answer.status == 200, text
                got = [numpy.array(each, numpy.float32) for each in json.loads(text)["outputs"].values()]
                assert [each.shape for each in got] == [each.shape for each in want], [each.shape for each in got]
                worst = max(float(numpy.abs(one - other).max() / numpy.abs(other).max()) for one, other in zip(got, want))
                assert worst < 1e-5, f"an answer differs by {worst:.1e}"
            connection.close()
        except Exception as problem:  # noqa: BLE001: a thread's problems are told by the first one
            problems.append(f"{model.name}: {type(problem).__name__}: {problem}")

    def figures(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        return {key: float(number) for key, number in (line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))}


def ask_all(services):
    """Threads ask all models of services that run."""
    problems = []
    threads = [threading.Thread(target=service.ask, args=(model, i, problems)) for i in range(THREADS) for service in services for model in service.models]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not problems, "\n".join(problems)
    for service in services:
        figures = service.figures()
        for name, path in service.paths.items():
            metrics = f"program_{name}" if len(service.models) > 1 else "program"
            answered, calls = figures[f'digits_requests_total{{path="{path}",status="200"}}'], figures[f"{metrics}_launch_seconds_count"]
            assert answered == THREADS * REQUESTS and calls < answered and figures[f"{metrics}_batch_images_sum"] == answered, (path, answered, calls)
            print(f"{name} at {path}: {answered:.0f} requests in {calls:.0f} calls", flush=True)


def main(root, build):
    if not shutil.which("mvn"):
        print("Maven is not installed")
        return 1
    place = pathlib.Path(build, "examples/java-service/served")
    jar = place / "library/rondo-0.1.0.jar"
    maven(f"{root}/bindings/java", f"-Drondo.build={build}", f"-Drondo.target={jar.parent}", "-Dmaven.test.skip=true", "-Dmaven.javadoc.skip=true",
          "-Dmaven.source.skip=true")
    maven(f"{root}/examples/java-service", f"-Drondo.jar={jar}", f"-Dservice.target={place}/target", "-Dmaven.test.skip=true")
    java = ["java", f"-Ddev.rondo.native.path={build}/bindings/java", "-cp", f"{place}/target/service.jar:{place}/target/lib/*:{jar}",
            "dev.rondo.examples.service.Main"]
    rondo = networks.Rondo(build)
    with tempfile.TemporaryDirectory() as folder:
        models = [Served(rondo, pathlib.Path(folder), name) for name in MODELS]
        rondo.close()
        for services in ([Service(java, [each]) for each in models], [Service(java, models)]):
            with contextlib.ExitStack() as running:
                for each in services:
                    running.enter_context(each.running())
                ask_all(services)
        missing = subprocess.run([*map(str, services[0].command()), "--device", "cuda:0"], capture_output=True, text=True, timeout=120)
        assert missing.returncode == 1 and "cuda:0" in missing.stderr and missing.stdout == "", missing
    return 0


if __name__ == "__main__":
    code = main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(code)
