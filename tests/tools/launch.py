#!/usr/bin/env python3
"""Runs `rondo launch` as a user does: what its processes are told, how it ends, and what it says.

    launch.py RONDO CASE

RONDO is the program, CASE the name of one of the functions below without its `case_`.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

RONDO = pathlib.Path(sys.argv[1]).absolute()
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("RONDO_")}


def launch(*arguments, status=0, **options):
    done = subprocess.run([RONDO, "launch", *arguments], env=CLEAN, capture_output=True, text=True, timeout=60, **options)
    assert done.returncode == status, f"{arguments} exits {done.returncode}, not {status}:\n{done.stdout}{done.stderr}"
    return done.stdout, done.stderr


def shell(text):
    return ["sh", "-c", text]


def hear_signals():
    """Whoever runs the tests may ignore some, as nohup does, and a shell cannot trap what was ignored when it began."""
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        signal.signal(number, signal.SIG_DFL)


def start(*arguments):
    return subprocess.Popen([RONDO, "launch", *arguments], env=CLEAN, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            preexec_fn=hear_signals)


def gone(process):
    """Whether the process has ended; one that was ended may stay a moment."""
    for _ in range(200):
        try:
            os.kill(process, 0)
            if pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.05)
    return False


def case_environment():
    """Each process knows its rank, and all the same address, job and secret, which another launch does not have."""
    names = "RANK", "SIZE", "LOCAL_RANK", "LOCAL_SIZE", "ADDRESS", "JOB", "SECRET", "LAUNCHER"
    show = shell("echo " + " ".join(f"$RONDO_{name}" for name in names))
    rows = sorted(line.split() for line in launch("-n", "3", *show)[0].splitlines())
    assert [row[0] for row in rows] == ["0", "1", "2"], rows
    for row in rows:
        assert row[1:4] == ["3", row[0], "3"] and row[4:] == rows[0][4:] and row[7] == "rondo", row
        assert re.fullmatch(r"127\.0\.0\.1:\d+", row[4]) and len(row[6]) == 64, row
    other = launch("-n", "1", "--", *show)[0].split()
    assert not set(other[5:7]) & set(rows[0]), other


def case_port():
    """Nobody else can sit at the port that is kept for rank 0: not even this user, by what other users may ask for as well."""
    program = """
import os, socket
host, port = os.environ["RONDO_ADDRESS"].split(":")
for option in socket.SO_REUSEADDR, None:
    sitter = socket.socket()
    if option is not None:
        sitter.setsockopt(socket.SOL_SOCKET, option, 1)
    try:
        sitter.bind((host, int(port)))
        raise SystemExit("the port is free to be taken")
    except OSError:
        pass
if os.geteuid() == 0:
    os.setresuid(65534, 65534, 65534)
    for option in socket.SO_REUSEADDR, socket.SO_REUSEPORT:
        sitter = socket.socket()
        sitter.setsockopt(socket.SOL_SOCKET, option, 1)
        try:
            sitter.bind((host, int(port)))
            raise SystemExit("another user can take the port")
        except OSError:
            pass
"""
    launch("-n", "1", sys.executable, "-c", program)


def case_arguments():
    """The program gets its own arguments as they are."""
    out, err = launch("-n", "1", "--", "printf", "%s|", "-n", "a b", "", "--prefix")
    assert out == "-n|a b||--prefix|" and err == "", (out, err)
    assert launch("-n", "1", "echo", "--", "-n")[0] == "-- -n\n"


def case_misuse():
    """What is not understood exits with 2 and says what would be right."""
    for arguments, part in ([], "-n N says how many"), (["true"], "-n N says how many"), (["-n", "0", "true"], "from 1 to 1024"), \
            (["-n", "two", "true"], "not 'two'"), (["-n", "1.5", "true"], "not '1.5'"), (["-n"], "not ''"), (["-n", "2"], "a program"), \
            (["-n", "2", "--"], "a program"), (["-n", "1", "--fast", "true"], "'--fast' is no option"), \
            (["-n", "1", "--grace", "soon", "true"], "--grace needs seconds"):
        out, err = launch(*arguments, status=2)
        assert out == "" and err.count("\n") == 1 and err.startswith("rondo: launch: ") and part in err, (arguments, err)


def case_not_started():
    with tempfile.TemporaryDirectory() as folder:
        out, err = launch("-n", "3", f"{folder}/program", status=127)
        assert out == "" and err == f"rondo: launch: '{folder}/program' cannot be started: No such file or directory\n", err
    with tempfile.NamedTemporaryFile() as file:
        assert "Permission denied" in launch("-n", "2", file.name, status=126)[1]


def case_first_failure():
    """The status is that of the first process that fails; the others are ended, with what they have started."""
    with tempfile.TemporaryDirectory() as folder:
        body = f'if [ $RONDO_RANK = 1 ]; then while [ $(ls {folder} | wc -l) -lt 2 ]; do sleep 0.05; done; exit 7; fi; ' \
               f'sleep 100 & echo $! > {folder}/$RONDO_RANK; wait'
        begin = time.monotonic()
        _, err = launch("-n", "3", *shell(body), status=7)
        assert time.monotonic() - begin < 20
        assert re.fullmatch(r"rondo: launch: rank 1 \(process \d+\) exited with status 7; ending the others\n", err), err
        for rank in 0, 2:
            assert gone(int((pathlib.Path(folder) / str(rank)).read_text())), rank


def case_killed():
    """A process that a signal ends counts 128 and its number, and is said to have been."""
    _, err = launch("-n", "2", *shell("if [ $RONDO_RANK = 0 ]; then kill -KILL $$; fi; sleep 100"), status=137)
    assert re.search(r"rank 0 \(process \d+\) was ended by signal 9 \(Killed\); ending the others", err), err


def case_grace():
    """Who does not end when asked to is ended."""
    stubborn = "trap '' TERM; if [ $RONDO_RANK = 0 ]; then sleep 0.5; exit 3; fi; while :; do sleep 0.1; done"
    begin = time.monotonic()
    launch("-n", "2", "--grace", "0.3", *shell(stubborn), status=3)
    assert 0.8 <= time.monotonic() - begin < 20


def case_signals():
    """Signals reach the processes; the launcher's status tells of the one that ended it."""
    for number, status in (signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129):
        run = start("-n", "2", *shell("trap 'echo caught by $RONDO_RANK; exit 5' INT TERM HUP; echo ready; while :; do sleep 0.05; done"))
        for _ in range(2):
            assert run.stdout.readline() == "ready\n"
        run.send_signal(number)
        out, err = run.communicate(timeout=30)
        # The first that ends has the launcher end the others, who may be at their trap: then they say it twice.
        assert run.returncode == status and set(out.splitlines()) == {"caught by 0", "caught by 1"}, (number, run.returncode, out, err)
    run = start("-n", "1", *shell("trap 'echo one; exit 0' USR1; echo ready; while :; do sleep 0.05; done"))
    assert run.stdout.readline() == "ready\n"
    run.send_signal(signal.SIGUSR1)
    assert run.communicate(timeout=30)[0] == "one\n" and run.returncode == 0


def case_launcher_killed():
    """When the launcher itself is ended by force, its processes are not left behind."""
    run = start("-n", "2", *shell("echo $$; exec sleep 100"))
    processes = [int(run.stdout.readline()) for _ in range(2)]
    run.kill()
    run.wait()
    assert all(gone(process) for process in processes)


def case_prefix():
    """Each line of either output begins with its rank, also the last without an end; lines are not mixed."""
    body = 'for i in 1 2 3; do printf "a%s" $i; sleep 0.01; echo " b"; done; echo e >&2; printf end'
    out, err = launch("-n", "3", "--prefix", *shell(body))
    assert sorted(out.splitlines()) == sorted(f"[{rank}] {line}" for rank in range(3) for line in ("a1 b", "a2 b", "a3 b", "end")), out
    assert sorted(err.splitlines()) == [f"[{rank}] e" for rank in range(3)], err


def case_input():
    """Rank 0 reads what is piped in, the others nothing."""
    out, _ = launch("-n", "2", "--prefix", "cat", input="one\ntwo\n")
    assert out == "[0] one\n[0] two\n", out


if __name__ == "__main__":
    globals()["case_" + sys.argv[2]]()
