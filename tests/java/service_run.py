"""Starts the service as its users do, by examples/java-service/run: it builds the jars, trains the model, serves, and stops when it is told."""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import threading
import time

READY = re.compile(r"http://127\.0\.0\.1:(\d+)/ classifies digits (?:and photographs )?(?:and embeds sentences )?on cpu:0")
PIXELS, HEADER = 64, 16  # of an image, and of the file of images; a label follows each image
START_S, STOP_S = 600, 4  # the second is less than a connection that nobody uses may live else


def digits(root, count):
    """The first images of the example as the service takes them, and their labels."""
    file = pathlib.Path(root, "examples/data/digits.bin").read_bytes()
    each = [file[at:at + PIXELS + 1] for at in range(HEADER, HEADER + count * (PIXELS + 1), PIXELS + 1)]
    return [[pixel / 16 for pixel in image[:PIXELS]] for image in each], [image[PIXELS] for image in each]


def ask(port, method, path, body=None, connection=None):
    """Status and text of an answer."""
    connection = connection or http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, body)
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def visit(root, port):
    """What a visitor sees: the page, whether it lives, digits that are recognised, figures, and what is wrong with a request."""
    status, page = ask(port, "GET", "/")
    assert status == 200 and "<canvas" in page, (status, page[:200])
    for path, word in (("/healthz", "alive"), ("/readyz", "cpu:0")):
        status, text = ask(port, "GET", path)
        assert status == 200 and word in text, (path, status, text)
    images, labels = digits(root, 100)
    status, text = ask(port, "POST", "/classify", json.dumps({"images": images}))
    assert status == 200, text
    right = sum(result["digit"] == label for result, label in zip(json.loads(text)["results"], labels))
    assert right >= 90, f"{right} of 100 are recognised"
    status, text = ask(port, "POST", "/classify", json.dumps({"image": images[0]}))
    assert status == 200 and json.loads(text)["results"][0]["digit"] == labels[0], text
    status, text = ask(port, "POST", "/classify", "{}")
    assert status == 400, (status, text)
    status, text = ask(port, "POST", "/sketch", json.dumps({"image": [0] * 784}))
    assert status == 200 and json.loads(text)["results"][0]["digit"] is None, text
    status, text = ask(port, "POST", "/embed", json.dumps({"sentence": "A cat sat on the mat."}))
    assert (status, len(json.loads(text).get("vectors", [[]])[0])) in ((200, 384), (404, 0)), (status, text)  # 404: it was not fetched
    status, text = ask(port, "GET", "/metrics")
    figures = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    counted = [float(figures.get(f'digits_requests_total{{path="/classify",status="{code}"}}', 0)) for code in (200, 400)]
    assert status == 200 and counted == [2, 1], text
    return right


def check(root, build, environment):
    """Leaves the jars and the model in the build folder."""
    here = pathlib.Path(build, "examples/java-service")
    here.mkdir(parents=True, exist_ok=True)
    (here / "model.safetensors").unlink(missing_ok=True)
    environment = {**environment, "RONDO_EXAMPLE_BUILD": str(build), "PIP_NO_INDEX": "1"}  # photographs only if they are there
    log = here / "run.log"
    with tempfile.TemporaryDirectory() as folder, open(log, "w", encoding="utf-8") as errors:
        service = subprocess.Popen([f"{root}/examples/java-service/run", "--port", "0", "--device", "cpu"], cwd=folder, env=environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True)
        late = threading.Timer(START_S, service.kill)
        late.start()
        try:
            ready = next((found for line in service.stdout if (found := READY.match(line))), None)
            assert ready, f"the service does not start:\n{log.read_text()[-10000:]}"
            assert "Training the model" in log.read_text(), log.read_text()
            port = int(ready[1])
            right = visit(root, port)
            kept = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            assert ask(port, "GET", "/healthz", connection=kept)[0] == 200  # a connection that stays, which nobody must wait for
            begin = time.monotonic()
            service.send_signal(signal.SIGTERM)
            status, took = service.wait(60), time.monotonic() - begin
            kept.close()
            assert status in (143, -signal.SIGTERM) and took < STOP_S, f"it ends with {status} after {took:.1f} s\n{log.read_text()[-10000:]}"
        finally:
            late.cancel()
            if service.poll() is None:
                service.kill()
                service.wait()
        assert not os.listdir(folder), os.listdir(folder)
    print(f"run: {right} of 100 digits are recognised, it stops in {took:.1f} s")
