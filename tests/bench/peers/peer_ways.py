"""PyTorch does a row of the table in several ways: as written, captured as a CUDA graph, by its compiler and then captured. All
are measured, each is named with its time, and the fastest is the peer. What a way cannot do is said and ends no other.

Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
"""

import concurrent.futures
import contextlib
import fcntl
import gc
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

CALLS = 10
# Ways by the compiler, and its modes. Each is captured afterwards, as the others are, so the compiler makes no graphs of its own.
MODES = {"compiled": "default", "max-autotune": "max-autotune-no-cudagraphs"}
COMPILE_SECONDS = 120  # of one way of one row; main() changes it
START_SECONDS = 120  # until a process has loaded PyTorch and made what it compiles
MEASURE_SECONDS = 90
WHY_MOST = 300  # characters of a reason


def short(text):
    return " ".join(str(text).split())[:WHY_MOST] or "no reason was given"


def captured(torch, call, count, stream):
    """A graph of so many calls. Gradients keep to the stream of what they are of, so it is captured there."""
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for _ in range(count):
            call()

    def replay(_needed=call):  # what the graph reads goes with what `call` holds
        graph.replay()

    return replay


class TooLong(BaseException):
    """Not an Exception, which the compiler would take for its own failure."""


@contextlib.contextmanager
def limited(seconds):
    """Ends what runs inside after so many seconds."""
    def stop(_signal, _frame):
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    except TooLong:
        raise RuntimeError(f"compiling took more than {seconds} s") from None
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


class Told:
    """What is said of one row: the time of each way in microseconds, how long it compiled for, and why others have none."""

    def __init__(self, row, times=None, seconds=None, failed=None):
        self.row, self.times, self.seconds, self.failed = row, dict(times or {}), dict(seconds or {}), dict(failed or {})

    def fastest(self):
        return min(self.times.values(), default=None)

    def lines(self, peer):
        """Of the protocol with `bench`: `way PEER ROW MICROSECONDS SECONDS NAME`, `left PEER ROW NAME: WHY`, `row PEER ROW MICROSECONDS`."""
        for name, value in self.times.items():
            if name:
                yield f"way {peer} {self.row} {value:.4f} {self.seconds.get(name, 0):.1f} {name}"
        for name, why in self.failed.items():
            yield f"left {peer} {self.row} {name}: {short(why)}"
        if self.times:
            yield f"row {peer} {self.row} {self.fastest():.4f}"


class Ways:
    """The calls of one row in this process. A GPU's are captured, `CALLS` of them where the row says so."""

    def __init__(self, torch, row, device, compiles):
        self.torch, self.large, self.compiles = torch, device.type == "cuda", compiles
        self.calls, self.told, self._seconds = {}, Told(row), 0.0
        if compiles:
            torch._dynamo.reset()

    def add(self, name, make):
        """make(stream) makes the call on that stream, with its first steps: gradients keep to the stream of what they are of."""
        torch, self._seconds = self.torch, 0.0
        try:
            if self.large:
                side = torch.cuda.Stream()
                side.wait_stream(torch.cuda.current_stream())
                with torch.cuda.stream(side):
                    self.calls[name] = make(side)
                torch.cuda.synchronize()
            else:
                self.calls[name] = make(None)
        except Exception as error:
            self.told.failed[name] = short(error)
            if self.large:
                torch.cuda.synchronize()
            return
        if self._seconds:
            self.told.seconds[name] = self._seconds

    def compiled(self, function, first, way="compiled"):
        """The function by the compiler; first(it) calls it for the first time, gradients too, which compiles. For `make` of `add`."""
        from torch._inductor import config

        config.compile_threads = 1  # no processes that stay
        begin = time.perf_counter()
        result = self.torch.compile(function, dynamic=False, mode=MODES[way])
        with limited(COMPILE_SECONDS):
            first(result)
        self._seconds = time.perf_counter() - begin
        return result

    def add_function(self, call, count, arguments=()):
        """`call` of these arguments as written, and of a GPU captured so many times, then compiled and captured."""
        def times(of):
            def run():
                for _ in range(count):
                    of(*arguments)

            return run

        self.add("as written", lambda _: times(call))
        if self.large:
            self.add("captured", lambda stream: captured(self.torch, lambda: call(*arguments), count, stream))
        if self.compiles:
            def make(stream):
                made = self.compiled(call, lambda of: of(*arguments))
                return captured(self.torch, lambda: made(*arguments), count, stream) if self.large else times(made)

            self.add("compiled", make)

    def measured(self, time_of):
        """What is said of the row; time_of(call) measures one of the calls, of which the others' memory goes at the end."""
        for name, call in self.calls.items():
            try:
                self.told.times[name] = time_of(call)
            except Exception as error:
                self.told.failed[name] = short(error)
        self.calls.clear()
        gc.collect()  # what they held, in cycles
        return self.told


class Process:
    """Another process, of which lines are read; what it says on standard error is kept for when it fails."""

    def __init__(self, command):
        self.errors, self.late = tempfile.TemporaryFile(), False
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True,
                                        start_new_session=True)  # of its own, so that its helpers end with it

    def line(self, seconds):
        """(first word, the others) of the next line; ("", []) if it ends or says none in time, and then it is ended."""
        timer = threading.Timer(seconds, self.end_late)
        timer.start()
        try:
            words = self.process.stdout.readline().split()
        finally:
            timer.cancel()
        return (words[0], words[1:]) if words else ("", [])

    def go(self):
        with contextlib.suppress(OSError):
            self.process.stdin.write("go\n")
            self.process.stdin.flush()

    def end_late(self):
        self.late = True
        self.end()

    def end(self):
        with contextlib.suppress(OSError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def why(self):
        self.errors.seek(0)
        lines = [each for each in self.errors.read().decode(errors="replace").splitlines() if each.strip()]
        return short(lines[-1]) if lines else f"the process ended with status {self.process.poll()}"

    def close(self):
        self.end()
        self.process.wait()
        for each in self.process.stdin, self.process.stdout, self.errors:
            with contextlib.suppress(OSError):
                each.close()


def in_processes(jobs, at_once, compile_seconds=None):
    """Each job is (row, way, command), and its command a process that says `begin` when it has made what it compiles, `ready
    SECONDS` when it is compiled, waits for a line, measures, and says `time MICROSECONDS`. So many compile side by side; when they
    are done they are measured one after the other, while nothing else runs. Yields (row, way, microseconds or None, seconds, why not)."""
    compile_seconds = compile_seconds or COMPILE_SECONDS

    def prepared(process):
        """Seconds, or None and, where the process cannot say it itself, why not."""
        if process.line(START_SECONDS)[0] != "begin":
            return None, f"nothing was there to compile after {START_SECONDS} s" if process.late else None
        word, rest = process.line(compile_seconds)
        if word == "ready":
            return float(rest[0]), None
        return None, f"compiling took more than {compile_seconds} s" if process.late else None

    for first in range(0, len(jobs), at_once):
        batch = jobs[first:first + at_once]
        processes = [Process(command) for _, _, command in batch]
        try:
            with concurrent.futures.ThreadPoolExecutor(len(batch)) as pool:
                ready = list(pool.map(prepared, processes))
            for (row, way, _), process, (seconds, why) in zip(batch, processes, ready):
                value = None
                if seconds is not None:
                    process.go()
                    word, rest = process.line(MEASURE_SECONDS)
                    value = float(rest[0]) if word == "time" else None
                    why = f"measuring took more than {MEASURE_SECONDS} s" if process.late else None
                if value is None:
                    process.end()
                    process.process.wait()
                    why = why or process.why()
                yield row, way, value, seconds or 0.0, why if value is None else ""
        finally:
            for process in processes:
                process.close()


def say_to_starter():
    """A function that says a line to the process that reads them; what else is printed goes to standard error."""
    out = os.fdopen(os.dup(1), "w")  # which the compiler's helpers do not have, so that it ends with this process
    os.dup2(2, 1)
    return lambda *words: print(*words, file=out, flush=True)


def take_turns(name):
    """The compiler times candidates on the card. Processes that share it do so one at a time, each while it holds this file."""
    file = open(name, "w")  # open as long as the process is

    def alone(timed):
        def run(*arguments, **named):
            fcntl.flock(file, fcntl.LOCK_EX)
            try:
                return timed(*arguments, **named)
            finally:
                fcntl.flock(file, fcntl.LOCK_UN)

        return run

    from torch._inductor import select_algorithm
    from torch._inductor.runtime import triton_heuristics

    for owner, method in ((select_algorithm.AlgorithmSelectorCache, "benchmark_choice"), (triton_heuristics.CachingAutotuner, "bench")):
        if method not in vars(owner):
            print(f"this PyTorch has no {owner.__name__}.{method}: what it times may be disturbed by other processes", file=sys.stderr)
            continue
        inner = vars(owner)[method]
        setattr(owner, method, classmethod(alone(inner.__func__)) if isinstance(inner, classmethod) else alone(inner))
