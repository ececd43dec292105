#!/usr/bin/env python3
"""Runs the parallel digits example as its users start it, and checks what it prints, draws and how it exits.

    parallel.py EXAMPLE RONDO CASE [DEVICE [REFERENCE]]

CASE is the name of one of the functions below without its `case_`; DEVICE is for --device. EXAMPLE may be several words, as of a shell.
REFERENCE is the same example in another language: what it trains must be the same, bit for bit.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import contextlib
import getpass
import os
import pathlib
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

EXAMPLE, REFERENCE = ([pathlib.Path(shutil.which(words[0]) or words[0]).resolve(), *words[1:]] if words else None
                      for words in map(shlex.split, (sys.argv[1], "".join(sys.argv[5:]))))
RONDO = pathlib.Path(sys.argv[2]).resolve()
DEVICE = sys.argv[4] if len(sys.argv) > 4 else "cpu"
EPOCHS = "2" if DEVICE == "cuda" else "4"
FOREIGN = ("RONDO_RANK", "RONDO_SIZE", "RONDO_LOCAL", "RONDO_ADDRESS", "RONDO_JOB", "RONDO_SECRET", "SLURM_", "OMPI_", "PMI", "MV2_")
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
# What the ranks compute at the same time, they compute with one thread each.
CLEAN["OPENBLAS_NUM_THREADS"] = "1"


def skip(reason):
    print(reason)
    sys.exit(77)


def options(folder):
    return ["--device", DEVICE, "--epochs", EPOCHS, "--batch", "64", "--out", str(folder / "scaling.svg")]


def check(folder, out, ranks, same=True):
    """What rank 0 has printed, of so many ranks."""
    counts = [1, 2, 4][:1 + ranks // 2]
    rows = re.findall(r"^ +(\d+) +([\d.]+) us +(\d+) +([\d.]+) +([\d.]+)   (.*)$", out, re.M)
    assert [int(row[0]) for row in rows] == counts, out
    for count, _, _, _, accuracy, words in rows:
        assert float(accuracy) >= 0.85, out
        if same:
            assert words.startswith("all 9610 agree bit for bit; "), out
    far = [float(re.search(r"; ([\d.e+-]+) from the whole batch", row[5])[1]) for row in rows] if same else []
    assert all(distance < 1e-2 for distance in far) and (not same or far[0] == 0), out
    assert out.count("images to train on") == 1 and f"{ranks} ranks on {DEVICE} devices" in out, out
    picture = ElementTree.parse(folder / "scaling.svg").getroot()
    assert len([each for each in picture.iter() if each.tag.endswith("circle")]) == len(counts)


def run(folder, command, ranks, *more, **environment):
    """Trains; what came out, the same in both languages."""
    trained = set()
    for program in filter(None, (EXAMPLE, REFERENCE)):
        done = subprocess.run([*command, *program, *options(folder), *more, "--parameters", folder / "parameters"],
                              env={**CLEAN, **environment}, cwd=folder, capture_output=True, text=True, timeout=110)
        assert done.returncode == 0, f"{command} {program} exits {done.returncode}:\n{done.stdout}{done.stderr}"
        check(folder, done.stdout, ranks)
        trained.add((folder / "parameters").read_bytes())
        (folder / "parameters").unlink()
    assert len(trained) == 1, f"{EXAMPLE} and {REFERENCE} train other parameters"
    parameters = trained.pop()
    assert len(parameters) > 4 * 9610
    return parameters


def case_alone(folder):
    run(folder, [], 1)


def case_launch_2(folder):
    run(folder, [RONDO, "launch", "-n", "2"], 2)


def case_launch_4(folder):
    run(folder, [RONDO, "launch", "-n", "4"], 4)


def case_adamw(folder):
    """AdamW, clipped: by two ranks as by one with the same slices, and to other parameters than SGD's."""
    assert len({run(folder, [RONDO, "launch", "-n", "2"], 2, "--optimizer", name) for name in ("adamw", "sgd")}) == 2


def case_mpirun(folder):
    """Four ranks by Open MPI's mpirun, which the example does not know."""
    if not shutil.which("mpirun"):
        skip("there is no mpirun (openmpi-bin is not installed)")
    # Without ssh it refuses ranks of this machine too.
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_plm_rsh_agent": "sh"}
    run(folder, ["mpirun", "--oversubscribe", "-n", "4"], 4, **allowed)


def case_slurm(folder):
    """What srun sets, for two tasks on this machine; the allocation is larger, and a batch script's variables are there too."""
    step = {"SLURM_JOB_ID": "4711", "SLURM_NTASKS": "8", "SLURM_STEP_ID": "3", "SLURM_STEP_NUM_TASKS": "2",
            "SLURM_STEP_NODELIST": "localhost", "SLURM_NODELIST": "localhost"}
    tasks = [subprocess.Popen([*EXAMPLE, *options(folder)], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={**CLEAN, **step, "SLURM_PROCID": str(rank), "SLURM_LOCALID": str(rank)}) for rank in range(2)]
    outputs = [task.communicate(timeout=110)[0] for task in tasks]
    assert [task.returncode for task in tasks] == [0, 0], outputs
    assert outputs[1] == "", outputs[1]
    check(folder, outputs[0], 2)


def case_slurm_hosts(folder):
    """What srun sets, for tasks of two hosts that share a home folder: a secret is handed over there, and nothing is left."""
    step = {"SLURM_JOB_ID": "4711", "SLURM_STEP_ID": "3", "SLURM_STEP_NUM_TASKS": "2", "SLURM_STEP_NODELIST": "one,two", "HOME": str(folder)}
    tasks = [subprocess.Popen([*EXAMPLE, *options(folder)], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={**CLEAN, **step, "SLURM_PROCID": str(rank), "SLURM_LOCALID": "0"}) for rank in range(2)]
    outputs = [task.communicate(timeout=110)[0] for task in tasks]
    assert [task.returncode for task in tasks] == [0, 0], outputs
    check(folder, outputs[0], 2)
    meetings = folder / ".local/state/rondo/meetings"
    assert meetings.stat().st_mode & 0o777 == 0o700 and not list(meetings.iterdir()), list(meetings.iterdir())


SLURM = """\
ClusterName=rondo
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmdPort={port_of_node}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
MailProg=/bin/true
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
NodeName={host} NodeAddr=127.0.0.1 CPUs=4
PartitionName=tests Nodes={host} Default=YES
"""


@contextlib.contextmanager
def slurm(folder):
    """A Slurm of this machine alone, of this user, without munge; what it sets for srun."""
    def program(name):
        return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")

    if not all(map(program, ("srun", "slurmctld", "slurmd"))):
        skip("there is no Slurm (slurm-wlm is not installed)")
    for name in "state", "spool":
        (folder / name).mkdir()
    with socket.socket() as one, socket.socket() as two:
        one.bind(("127.0.0.1", 0))
        two.bind(("127.0.0.1", 0))
        ports = one.getsockname()[1], two.getsockname()[1]
    conf = folder / "slurm.conf"
    conf.write_text(SLURM.format(host=socket.gethostname().split(".")[0], port=ports[0], port_of_node=ports[1],
                                 user=getpass.getuser(), folder=folder))
    environment = {**CLEAN, "SLURM_CONF": str(conf)}
    with open(folder / "slurm.log", "w") as log:
        daemons = [subprocess.Popen([program(name), "-D", *more], env=environment, stdout=log, stderr=log, cwd=folder)
                   for name, more in (("slurmctld", ["-c"]), ("slurmd", []))]
        try:
            for _ in range(300):
                state = subprocess.run(["sinfo", "-h", "-o", "%T"], env=environment, capture_output=True, text=True, timeout=30)
                if state.stdout.strip() == "idle":
                    break
                assert all(each.poll() is None for each in daemons), (folder / "slurm.log").read_text()
                time.sleep(0.1)
            else:
                raise AssertionError((folder / "slurm.log").read_text())
            yield {"SLURM_CONF": str(conf)}
        finally:
            for each in daemons:
                each.terminate()
            for each in daemons:
                each.wait(30)


def case_srun(folder):
    """By srun of a real Slurm, which this test starts on this machine."""
    with slurm(folder) as settings:
        run(folder, ["srun", "-n", "4", "--overcommit"], 4, **settings)


def case_rank_lost(folder):
    """A rank that is killed ends the others with a message that names it, long before any time limit."""
    script = 'if [ $RONDO_RANK = 1 ]; then (sleep 1; kill -KILL $$) & fi; exec "$0" "$@"'
    done = subprocess.run([RONDO, "launch", "-n", "3", "--grace", "20", "--prefix", "sh", "-c", script, *EXAMPLE, "--device", DEVICE,
                           "--epochs", "1000", "--batch", "63", "--out", "x.svg"],
                          env=CLEAN, cwd=folder, capture_output=True, text=True, timeout=110)
    assert done.returncode == 137, (done.returncode, done.stdout, done.stderr)
    assert "rank 1 (process" in done.stderr and "ended by signal 9" in done.stderr, done.stderr


def case_misuse(folder):
    for arguments, status, part in (["--fast", "1"], 2, "unknown option '--fast'"), (["--epochs"], 2, "needs a value"), \
            (["--epochs", "0"], 2, "from 1 to 1000"), (["--device", "tpu"], 2, "cpu, cuda or auto"), \
            (["--optimizer", "lion"], 2, "sgd or adamw, not 'lion'"), (["--batch", "1025"], 2, "from 1 to 1024"), \
            (["--data", "nothing.bin"], 1, "nothing.bin"):
        done = subprocess.run([*EXAMPLE, *arguments], env=CLEAN, cwd=folder, capture_output=True, text=True, timeout=60)
        assert done.returncode == status and part in done.stderr and done.stdout == "", (arguments, done)
    done = subprocess.run([RONDO, "launch", "-n", "2", *EXAMPLE, "--batch", "63"], env=CLEAN, cwd=folder, capture_output=True, text=True,
                          timeout=60)
    assert done.returncode == 2 and "not a multiple of the 2 ranks" in done.stderr, done
    done = subprocess.run([*EXAMPLE, "--help"], env=CLEAN, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "--batch N" in done.stdout, done


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        globals()["case_" + sys.argv[3]](pathlib.Path(name))
