#!/usr/bin/env python3
"""Calls every function that takes a handle with objects of an engine that is destroyed, and in a child of fork().

    handles.py LIBRARY DESCRIPTION

DESCRIPTION is the library's abi.json. engine.h promises RONDO_INVALID_STATE for the first, threads.md RONDO_FORKED for the second.
Whatever else is wrong with a call, which is made of zeros and ones, may be told first; that it is OK, or that it ends the process, may not be.
What only asks about an object must say what is promised.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import ctypes
import json
import os
import sys
import tempfile

LIBRARY = ctypes.CDLL(sys.argv[1])
with open(sys.argv[2], encoding="utf-8") as file:
    ABI = json.load(file)
CODES = {value["name"]: value["value"] for each in ABI["enums"] if each["name"] == "rondo_status" for value in each["values"]}
NAMES = {code: name for name, code in CODES.items()}
STRUCTS = {each["name"]: each for each in ABI["structs"]}
FUNCTIONS = {each["name"]: each for each in ABI["functions"]}
# Objects that belong to no engine, or to a task's run.
FREE = {"rondo_expression", "rondo_model_file", "rondo_program", "rondo_task_context"}
# They look at a struct of functions first, which is one of zeros here.
OTHERWISE = {"rondo_comm_create_with_hooks"}


def pointer(value=None):
    return ctypes.c_void_p(value)


def call(name, *arguments):
    function = getattr(LIBRARY, name)
    function.restype = ctypes.c_int if FUNCTIONS[name]["returns"]["base"] == "rondo_status" else None
    return function(*arguments)


def last_error():
    LIBRARY.rondo_last_error.restype = ctypes.c_char_p
    return LIBRARY.rondo_last_error().decode(errors="replace")


def must(name, *arguments):
    status = call(name, *arguments)
    assert status == 0, f"{name}: {NAMES[status]}: {last_error()}"


class Device(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("index", ctypes.c_int32)]


CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 6)(lambda *_: 1)
CPU = Device(0, 0)
F32 = next(value["value"] for each in ABI["enums"] for value in each["values"] if value["name"] == "RONDO_F32")

PROGRAM = b"""{"rondo_program":1,"needs":"0.1","made_by":"0.1.0","weights":[],"functions":[{"name":"x","inputs":[["a","f32",[4]]],"weights":[],"nodes":[
{"kind":"Elementwise","with":{"row":"neg","computed":"f32"},"in":{"operands":[0]},"out":{"out":[1,"f32",[4]]}}],"outputs":[["y",1,"f32",[4]]]}]}"""


def options(name):
    """A struct as its _INIT macro leaves it, but for what stands in `fields`."""
    struct = STRUCTS[name]
    buffer = ctypes.create_string_buffer(struct["size"] + 64)
    if struct.get("versioned"):
        ctypes.memmove(buffer, ctypes.byref(ctypes.c_size_t(struct["size"])), ctypes.sizeof(ctypes.c_size_t))
    return buffer


class Objects:
    """An engine with an object of each kind."""

    def __init__(self):
        self.engine = pointer()
        must("rondo_engine_create", None, ctypes.byref(self.engine))
        one, two = (ctypes.c_int64 * 1)(4), (ctypes.c_float * 4)(1, 2, 3, 4)
        self.tensor, self.variable, self.graph, self.tape = pointer(), pointer(), pointer(), pointer()
        must("rondo_tensor_from_host", self.engine, CPU, F32, 1, one, two, ctypes.byref(self.tensor))
        must("rondo_variable_create", self.engine, ctypes.byref(self.variable))
        must("rondo_record_begin", self.engine, None)
        negated = pointer()
        must("rondo_unary", 0, self.tensor, ctypes.byref(negated))
        must("rondo_record_end", self.engine, ctypes.byref(self.graph))
        must("rondo_tape_begin", self.engine, 0, ctypes.byref(self.tape))
        self.others = {}
        made = pointer()
        record = CALLBACK
        must("rondo_callable_create", self.engine, 1, None, record, None, None, ctypes.byref(made))
        self.others["rondo_callable"] = made
        made = pointer()
        parameters = (ctypes.c_void_p * 1)(self.tensor.value)
        must("rondo_optimizer_create", 1, parameters, None, ctypes.byref(made))
        self.others["rondo_optimizer"] = made
        made = pointer()
        must("rondo_loss_scaler_create", self.engine, CPU, None, ctypes.byref(made))
        self.others["rondo_loss_scaler"] = made
        made = (ctypes.c_void_p * 1)()
        devices = (Device * 1)(CPU)
        must("rondo_comm_create_all", self.engine, devices, 1, None, made)
        self.others["rondo_comm"] = pointer(made[0])
        made = pointer()
        must("rondo_buckets_create", self.others["rondo_comm"], 1, parameters, None, ctypes.byref(made))
        self.others["rondo_buckets"] = made
        # The function has the name that all texts have here.
        key, text = (ctypes.c_char_p * 1)(b"rondo.program"), (ctypes.c_char_p * 1)(PROGRAM)
        program, made = pointer(), pointer()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.safetensors").encode()
            must("rondo_model_file_write", path, None, None, ctypes.c_size_t(0), key, text, ctypes.c_size_t(1))
            must("rondo_program_open", path, ctypes.byref(program))
            must("rondo_program_create_instance", program, self.engine, CPU, ctypes.byref(made))
        self.others["rondo_program"], self.others["rondo_program_instance"] = program, made

    def of(self, base):
        return {"rondo_engine": self.engine, "rondo_tensor": self.tensor, "rondo_variable": self.variable, "rondo_graph": self.graph,
                "rondo_tape": self.tape, **self.others}.get(base)


def argument(parameter, objects, kept):
    """Something for a parameter; what it points to is put to `kept`."""
    base, pointers, kind = parameter["base"], parameter["pointers"], parameter["kind"]
    if kind == "handle":
        handle = objects.of(base)
        if pointers == 1:
            return handle if handle is not None else pointer()
        inner = handle.value if parameter["direction"] == "in" and handle is not None else None
        kept.append((ctypes.c_void_p * 4)(*[inner] * 4))
        return kept[-1]
    if kind == "callback":
        return CALLBACK if not parameter.get("nullable") else None
    if kind == "struct" and pointers == 0:
        return CPU if base == "rondo_device" else options(base)
    if kind == "struct":
        kept.append(options(base))
        return kept[-1]
    if kind == "text" and pointers == 1:
        kept.append(ctypes.create_string_buffer(b"x", 64))
        return kept[-1]
    if pointers:
        kept.append((ctypes.c_int64 * 64)(*[1] * 64) if kind == "scalar" else ctypes.create_string_buffer(4096))
        return kept[-1]
    if base in ("double", "float"):
        return ctypes.c_double(1) if base == "double" else ctypes.c_float(1)
    return ctypes.c_int64(1)


def wrong_answers(objects, promised):
    """Names and answers of functions that do not answer as promised."""
    wrong, called = [], 0
    for name, function in FUNCTIONS.items():
        handles = [each for each in function["parameters"] if each["kind"] == "handle" and each["base"] not in FREE
                   and each["direction"] == "in" and objects.of(each["base"]) is not None]
        if not handles or function["returns"]["base"] != "rondo_status":
            continue
        kept = []
        status = call(name, *[argument(each, objects, kept) for each in function["parameters"]])
        called += 1
        # The handle of a destroyed engine is none itself, and ends of groups are asked for in other ways, too.
        gone = promised == "RONDO_INVALID_STATE" and any(each["base"] == "rondo_engine" for each in handles)
        asks = name not in OTHERWISE and not gone and all(
            each["kind"] == "struct" or each["kind"] == "handle" and each["direction"] != "inout" for each in function["parameters"])
        if status == 0 or asks and NAMES[status] != promised:
            wrong.append(f"{name} answers {NAMES[status]}" + (f": {last_error()}" if status else ""))
    return wrong, called


def in_child(body):
    """What a child of fork() finds; a signal is a finding too."""
    with tempfile.TemporaryFile("w+") as found:
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            try:
                json.dump(body(), found)
                found.flush()
            except BaseException as problem:  # pylint: disable=broad-except
                print(repr(problem), file=sys.stderr)
                os._exit(1)
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        if status:
            return [f"the child ends with {status}"], 0
        found.seek(0)
        return json.load(found)


def main():
    forked = Objects()
    results = {"in a child of fork()": in_child(lambda: wrong_answers(forked, "RONDO_FORKED"))}

    # In a process of its own, so that one that crashes is told; made before any engine is.
    results["of a destroyed engine"] = DESTROYED
    bad = 0
    for where, (wrong, called) in results.items():
        print(f"{where}: {called} functions, {len(wrong)} wrong")
        for each in wrong:
            print(f"  {each}")
        bad += len(wrong) + (called < 150)
    return 1 if bad else 0


def destroyed_first():
    objects = Objects()
    call("rondo_engine_destroy", objects.engine)
    return wrong_answers(objects, "RONDO_INVALID_STATE")


if __name__ == "__main__":
    os.environ["RONDO_LOG"] = "off"
    DESTROYED = in_child(destroyed_first)
    sys.exit(main())
