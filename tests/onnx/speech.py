#!/usr/bin/env python3
"""The example speech on a recording that is drawn here: its probabilities are onnxruntime's, and a GPU that is not there is an error.

    speech.py PROGRAM
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import wave

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import networks  # noqa: E402
import others  # noqa: E402

numpy = networks.numpy
PART, BEFORE = 512, 64


def recording():
    """Vowels, as far as formants over a pulse are such, between silences; 16 bits."""
    draw, rate = numpy.random.default_rng(3), 16000
    time = numpy.arange(3 * rate) / rate
    voice = sum(numpy.sin(2 * numpy.pi * 120 * k * time) * numpy.exp(-((120 * k - 700) / 300) ** 2) for k in range(1, 30))
    loud = (time > 0.8) & (time < 2.2)
    return numpy.clip((0.3 * voice * loud + 0.002 * draw.normal(size=time.shape)) * 20000, -32768, 32767).astype(numpy.int16)


def expected(model, samples):
    import onnxruntime
    session = onnxruntime.InferenceSession(model, networks.runtime_options())
    state, padded, probabilities = numpy.zeros((2, 1, 128), numpy.float32), numpy.zeros(BEFORE + -(-len(samples) // PART) * PART, numpy.float32), []
    padded[BEFORE:BEFORE + len(samples)] = samples / 32768
    for at in range(0, len(samples), PART):
        result, state = session.run(None, {"input": padded[None, at:at + BEFORE + PART], "state": state, "sr": numpy.array(16000)})
        probabilities.append(float(result[0, 0]))
    return probabilities


def main(program):
    sys.path.insert(1, str(others.RUNTIME.folder()))
    model, samples = networks.file_of("silero"), recording()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "recording.wav")
        with wave.open(str(path), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(16000)
            file.writeframes(samples.tobytes())

        def run(*words):
            return subprocess.run([program, *map(str, words)], capture_output=True, text=True, timeout=120)
        done = run(model, path, "--all")
        assert done.returncode == 0, done
        got, want = [float(line.split(": ")[1]) for line in done.stdout.splitlines()], expected(model, samples)
        assert len(got) == len(want) and max(abs(a - b) for a, b in zip(got, want)) < 1e-4, (got, want)
        assert max(want) - min(want) > 0.01, "all parts are alike"
        missing = run(model, path, "--device", "cuda:0")
        assert missing.returncode == 1 and "cuda:0" in missing.stderr and missing.stdout == "", missing
        whole = path.read_bytes()
        for damaged in (b"", whole[:40], whole[:44], b"RIFX" + whole[4:], whole[:22] + struct.pack("<H", 2) + whole[24:]):
            path.write_bytes(damaged)
            done = run(model, path)
            assert done.returncode == 1 and "recording.wav: it" in done.stderr, (damaged[:44], done)
        assert run(model).returncode == 2
    print(f"{len(want)} parts, probabilities from {min(want):.3f} to {max(want):.3f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)
