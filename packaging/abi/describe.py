#!/usr/bin/env python3
"""Describes the C interface as JSON, from the public headers alone: functions, parameters, enums, structs, callbacks, handles,
constants, each with its text. docs/abi.md says what the members mean. Sizes and offsets are the C compiler's.

    describe.py --version VERSION --include FOLDER --output FILE -- C_COMPILER...

What a parameter is follows from docs/conventions.md and from what its function's comment says of it; EXCEPTIONS has the rest.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import parse

# What neither a convention nor a comment's usual words tell: {(function, parameter): members}.
EXCEPTIONS = {
    ("rondo_if", "condition"): {"brief": "Whether the first body runs; bool, one element."},
    ("rondo_if", "then_body"): {"brief": "What runs if the condition is true.", "ownership": "borrowed"},
    ("rondo_if", "else_body"): {"brief": "What runs if it is not; NULL: nothing.", "ownership": "borrowed", "nullable": True},
    ("rondo_while", "condition"): {"brief": "Whether there is another turn; bool, one element."},
    ("rondo_while", "body"): {"brief": "What runs in each turn.", "ownership": "borrowed"},
    ("rondo_switch", "bodies"): {"length": "n_bodies", "brief": "What runs for each index."},
    ("rondo_switch", "arguments"): {"length": "n_bodies", "brief": "What each body is given; NULL: NULL for all.", "nullable": True},
    ("rondo_expression_run_each", "arguments"): {"length": "n_arguments for each of count"},
    ("rondo_expression_run_each", "out"): {"length": "n_out for each of count"},
    ("rondo_expression_run_each", "count"): {"brief": "Number of sets."},
    ("rondo_callable_create", "n_outputs"): {"brief": "How many tensors it leaves."},
    ("rondo_callable_call", "outputs"): {"length": "n_outputs", "direction": "inout", "created": True, "brief": "What it leaves."},
    ("rondo_tensor_transpose", "axes"): {"length": "dimensions of tensor"},
    ("rondo_tensor_from_host", "data"): {"length": "bytes of tensor"},
    ("rondo_model_file_metadata", "value"): {"brief": "The value of the key."},
    ("rondo_model_file_write", "names"): {"length": "n_tensors", "nullable": True},
    ("rondo_model_file_write", "keys"): {"length": "n_metadata", "nullable": True},
    ("rondo_model_file_write", "values"): {"length": "n_metadata", "nullable": True},
    ("rondo_program_call_named", "input_names"): {"length": "n_inputs", "brief": "The name of each input."},
    ("rondo_program_call_named", "output_names"): {"length": "n_outputs", "brief": "The name of each output that is wanted."},
    ("rondo_comm_create_all", "devices"): {"length": "n", "brief": "The device of each end."},
    ("rondo_tape_gradients", "output_gradients"): {"length": "n_outputs"},
    ("rondo_buckets_reduce", "output_gradients"): {"length": "n_outputs", "nullable": True},
    ("rondo_buckets_reduce_with", "output_gradients"): {"length": "n_outputs", "nullable": True},
    ("rondo_buckets_reduce_with", "gradients"): {"length": "n_sources", "direction": "inout", "created": True},
    ("rondo_tape_gradients", "gradients"): {"length": "n_sources", "direction": "inout", "created": True},
}

# Parameters that mean the same wherever they stand: their line in brief, and the whole of it where a comment does not name them.
MEANINGS = {
    "engine": "The engine it is about.",
    "data": "Memory of the host, row-major.",
    "device": "The device it is about.",
    "tensor": "The tensor it is about.",
    "variable": "The variable it is about.",
    "graph": "The graph it is about.",
    "tape": "The tape it is about.",
    "callable": "The callable it is about.",
    "comm": "The end of a group it is about.",
    "buckets": "The buckets it is about.",
    "optimizer": "The optimizer it is about.",
    "scaler": "The loss scaler it is about.",
    "outputs": "What the gradients are of.",
    "output_gradients": "Those of each output; NULL, as a whole or for one: 1.",
    "argument": "What the body is given.",
    "hooks": "The functions by which the ranks reach each other.",
    "comms": "The ends of one group that this process or thread holds, each once.",
    "made": "The new ends, one for each.",
    "input": "What this rank gives.",
    "completion": "The end of a task that it is about.",
    "context": "What the function of the task was given.",
    "dtype": "The dtype of the result.",
    "ndim": "Number of dimensions.",
    "shape": "Size of each dimension; NULL is allowed when ndim is 0.",
    "options": "The options; NULL means the defaults.",
    "info": "Filled in. Its size must be set.",
    "a": "The operand.",
    "x": "The image, or what stands for it: [n, c, spatial...].",
    "w": "The filter, [k, c / groups, kernel...]; transposed, [c, k / groups, kernel...].",
    "kernel_shape": "The filter's size on each spatial axis.",
    "c": "The third operand.",
    "n": "How many there are.",
    "parameters": "The operation's parameters, as many as it has.",
    "tensors": "The operands.",
    "condition": "Which of the two to take, element by element; bool.",
    "value": "The value; it takes the tensor's dtype.",
    "weight": "What the elements are multiplied by then, one per place of the axis; NULL: nothing.",
    "bias": "What is added then, one per place of the axis; NULL: nothing.",
    "epsilon": "What is added under the root; at least 0.",
    "variance": "The variance.",
    "running_mean": "Updated with the batch's mean; NULL: none.",
    "running_variance": "Updated with the batch's variance; NULL: none.",
    "momentum": "The share of the batch in running statistics, 0 to 1.",
    "inverse_deviation": "1 / sqrt(variance + epsilon); out parameter, NULL is allowed.",
    "groups": "In how many parts the channels are.",
    "kernel": "The window's size on each spatial axis.",
    "sizes": "The size of each spatial axis of the result.",
    "origin": "Where an element of the result lies in a.",
    "size": "How many neighbouring channels count.",
    "alpha": "What their mean square is multiplied by.",
    "beta": "The power that is divided by.",
    "k": "What is added.",
    "temperature": "What the elements are divided by first; above 0.",
    "lengths": "How many elements of each row count; NULL: all.",
    "axes": "Which axes, each once; negative counts from the end.",
    "reverse": "Begins with the last element.",
    "keep_dims": "Keeps the reduced axes with size 1.",
    "y": "What the operator gave whose gradient this is.",
    "dy": "The gradient of the result.",
    "logits": "Scores of the classes, [n, classes].",
    "labels": "The right class of each row, [n] of i32 or i64.",
    "scale": "What the gradient is multiplied by.",
    "low": "The lower bound, included.",
    "high": "The upper bound, not included.",
    "mean": "The mean.",
    "deviation": "The standard deviation.",
    "p": "The probability with which an element is dropped, in [0, 1).",
    "mask": "Which elements are kept, 1 or 0; u8.",
    "indices": "Indices of i32 or i64.",
    "depth": "The size of the new last axis.",
    "table": "The rows to choose from.",
    "b": "The second operand.",
    "op": "Which operation.",
    "scalar": "The operand that is a number.",
    "axis": "Which axis; negative counts from the end.",
    "out": "The result. Where it is NULL a tensor is created, else that tensor is written.",
    "view": "The view that is made.",
    "fn": "The function of the user.",
    "arg": "Given to the function, and to destroy.",
    "destroy": "Called with arg exactly once, when the function will never be called again; NULL is allowed.",
    "reads": "What is read.",
    "writes": "What is written.",
    "index": "Which one, from 0.",
    "address": "Where the memory begins.",
    "buffer": "Where the text is written, with its final zero.",
    "capacity": "Bytes the buffer has.",
    "bytes": "Number of bytes.",
    "path": "Name of the file.",
    "file": "The file it is about.",
    "name": "The name of a tensor.",
    "names": "The name of each tensor.",
    "key": "A key of the metadata.",
    "keys": "The keys of the metadata.",
    "values": "The value of each key.",
    "version": "The version.",
    "mode": "The mode.",
    "level": "The level of the message.",
}


class Describer:
    def __init__(self, headers):
        self.headers = headers
        self.enums, self.structs, self.handles, self.foreign = {}, {}, {}, {}
        self.callbacks, self.functions, self.constants, self.initializers = {}, {}, {}, {}
        for header in headers:
            for kind, match, text, line in header.declarations:
                getattr(self, "_" + kind)(header, match, text, f"{header.name}:{line}")
        for function in self.functions.values():
            self._complete(function)
        for callback in self.callbacks.values():
            self._complete(callback)
        for struct in self.structs.values():
            self._complete_struct(struct)
        for name, handle in self.handles.items():
            destroy = name + "_destroy"
            handle["destroy"] = destroy if destroy in self.functions else None

    # --- what the headers say

    def _entry(self, table, name, text, place, **members):
        since = parse.SINCE.search(text)
        entry = {"name": name, **members, "text": parse.SINCE.sub("", text).strip(), "since": since[1] if since else None,
                 "header": place.split(":")[0]}
        if name in table:
            raise parse.Unknown(f"{place}: {name} is declared twice")
        table[name] = entry

    def _define(self, header, match, text, place):
        name, parameters, value = match[1], match[2], " ".join(match[3].replace("\\\n", " ").split())
        if parameters or not value or name in ("RONDO_API",):
            return
        if name.endswith("_INIT"):
            self.initializers[name] = parse.split_list(value.strip("{} ") if value.count("{") == 1 else value[1:-1].strip())
        else:
            self._entry(self.constants, name, text, place, value=int(value, 0))

    def _enum(self, header, match, text, place):
        values, number = [], -1
        for code, behind, shared in header.members(match):
            name, _, value = (part.strip() for part in code.partition("="))
            number = int(value, 0) if value else number + 1
            values.append({"name": name, "value": number, "text": "; ".join(filter(None, (behind, shared)))})
        self._entry(self.enums, match[1], text, place, values=values)

    def _struct(self, header, match, text, place):
        fields = [{**parse.declarator(code), "text": behind} for code, behind, _ in header.members(match)]
        self._entry(self.structs, match[1], text, place, fields=fields)

    def _opaque(self, header, match, text, place):
        self._entry(self.handles, match[1], text, place)

    def _foreign(self, header, match, text, place):
        self._entry(self.foreign, match[1], text, place)

    def _callback(self, header, match, text, place):
        self._entry(self.callbacks, match[2], text, place, returns={"type": parse.spelling(match[1])},
                    parameters=[parse.declarator(part) for part in parse.split_list(match[3])])

    def _function(self, header, match, text, place):
        self._entry(self.functions, match[2], text, place, returns={"type": parse.spelling(match[1])},
                    parameters=[parse.declarator(part) for part in parse.split_list(match[3])])

    # --- what follows from it

    def _type(self, declared):
        """Members that every type has: its spelling, what it is made of, of which kind that is."""
        if "parameters" in declared:
            return {"type": declared["type"], "base": None, "pointers": 1, "kind": "callback"}
        base, pointers, constant = parse.parts(declared["type"])
        kind = ("handle" if base in self.handles else "foreign" if base in self.foreign else "struct" if base in self.structs
                else "enum" if base in self.enums else "callback" if base in self.callbacks
                else "text" if base == "char" else "memory" if base == "void" and pointers else "none" if base == "void"
                else "scalar")
        return {"type": declared["type"], "base": base, "pointers": pointers, "const": constant, "kind": kind}

    def _versioned(self, name):
        return name in self.structs and self.structs[name]["fields"][0]["name"] == "size"

    def _complete_struct(self, struct):
        initializer = struct["name"].upper() + "_INIT"
        struct["initializer"] = initializer if initializer in self.initializers else None
        struct["versioned"] = self._versioned(struct["name"])
        for i, field in enumerate(struct["fields"]):
            field.update(self._type(field))
            if "count" in field:
                count = field["count"]
                field["count"] = int(count) if count.isdigit() else self.constants[count]["value"]
            if field["text"] in self.enums:  # a number of fixed width that holds a value of an enum
                field["enum"] = field["text"]
            if field["kind"] == "enum":
                field["enum"] = field["base"]
            if field["pointers"] or field["kind"] == "callback":
                field["nullable"] = "NULL" in field["text"]
            if struct["initializer"]:
                field["default"] = self._default(self.initializers[initializer][i])

    def _default(self, text):
        if text.startswith("{"):
            return [self._default(part) for part in parse.split_list(text[1:-1])]
        if text.startswith("sizeof"):
            return "size"
        if text == "NULL":
            return None
        for enum in self.enums.values():
            for value in enum["values"]:
                if value["name"] == text:
                    return value["value"]
        return float(text) if "." in text else int(text, 0)

    def _complete(self, function):
        function["returns"] = self._type(function["returns"])  # which any header may have declared
        declared, text = function["parameters"], function["text"]
        names = [parameter["name"] for parameter in declared]
        destroys = function["name"].endswith("_destroy")
        for parameter in declared:
            name = parameter["name"]
            if "parameters" in parameter:  # a function type without a name
                inner = parameter["parameters"]
                for each in inner:
                    each.update(self._type(each))
                parameter["returns"] = self._type({"type": parameter["returns"]})
            parameter.update(self._type(parameter))
            pointers = parameter["pointers"]
            pointer = pointers > 0 or parameter["kind"] == "callback"
            parameter["direction"] = self._direction(parameter, names)
            if pointer:
                length = self._length(parameter, names)
                counted = bool(length) and length != "bytes" and parameter["direction"] == "in"  # NULL where that is 0
                parameter["nullable"] = destroys or name == "arg" or counted or says_null(text, name) or \
                    says_null_of_all(MEANINGS.get(name, ""))
                parameter["ownership"] = self._ownership(parameter, text, destroys)
                if length:
                    parameter["length"] = length
            if parameter["direction"] == "inout" and parameter["kind"] == "handle":
                parameter["created"] = True  # where *parameter is NULL
            counts = f"Number of {name[2:]}." if name.startswith("n_") else ""
            parameter["brief"] = MEANINGS.get(name, counts) or None
            parameter["text"] = sentences(text, name) or MEANINGS.get(name, counts)
            parameter.update(EXCEPTIONS.get((function["name"], name), {}))
        if function["returns"]["pointers"]:
            function["returns"]["ownership"] = "borrowed"

    def _direction(self, parameter, names):
        if parameter["kind"] == "callback" or not parameter["pointers"] or parameter["const"]:
            return "in"
        if parameter["kind"] in ("handle", "foreign", "memory") and parameter["pointers"] == 1:
            return "out" if parameter["name"] == "data" else "in"  # memory called data that is not const is filled
        if parameter["kind"] == "handle" and "out" in names:
            return "inout"
        if parameter["kind"] == "struct" and self._versioned(parameter["base"]):
            return "inout"
        return "out"

    def _ownership(self, parameter, text, destroys):
        name, direction = parameter["name"], parameter["direction"]
        if destroys or re.search(rf"ownership of \*?{name} passes", text):
            return "consumed"
        if name == "arg" or parameter["kind"] == "callback":
            return "kept"  # until destroy is called
        if direction == "in" or parameter["kind"] == "struct":
            return "borrowed"
        if parameter["pointers"] < 2:
            return "borrowed"  # memory of the caller that is filled
        borrowed = parameter["kind"] in ("memory", "text") or re.search(r"\bBorrowed\b", text)
        return "borrowed" if borrowed else "owned"

    @staticmethod
    def _length(parameter, names):
        name = parameter["name"]
        if parameter["kind"] == "struct":
            return None  # one
        if parameter["kind"] == "text" and parameter["const"]:
            return None  # ends with a zero
        if "n_" + name in names:
            return "n_" + name
        for array, length in (("shape", "ndim"), ("data", "bytes"), ("buffer", "capacity")):
            if name == array and length in names:
                return length
        if parameter["direction"] == "inout":
            return None  # one result of n operands
        return "n" if "n" in names and parameter["pointers"] > (parameter["kind"] == "handle") else None

    # --- what the compiler says

    def layout(self, include, compiler):
        """Puts size, alignment and offsets into the structs."""
        wanted = {}
        for struct in self.structs.values():
            name = struct["name"]
            wanted[name, "size"] = f"sizeof({name})"
            wanted[name, "align"] = f"__alignof__({name})"
            for field in struct["fields"]:
                wanted[name, field["name"], "offset"] = f"offsetof({name}, {field['name']})"
                wanted[name, field["name"], "size"] = f"sizeof((({name}*)0)->{field['name']})"
        found = evaluate(list(wanted.values()), [header.name for header in self.headers], include, compiler)
        for key, value in zip(wanted, found):
            struct = self.structs[key[0]]
            if len(key) == 2:
                struct[key[1]] = value
            else:
                next(field for field in struct["fields"] if field["name"] == key[1])[key[2]] = value

    def result(self, version):
        tables = ("constants", "enums", "structs", "handles", "foreign", "callbacks", "functions")
        return {"library": "rondo", "version": version,
                "headers": [{"name": header.name, "text": header.text} for header in self.headers],
                **{table: list(getattr(self, table).values()) for table in tables}}


def says_null(text, name):
    """Whether the text allows NULL for a parameter: `name` (may be NULL), name NULL: ..., name (a CUstream; NULL: ...)."""
    word = rf"(?<!\w)`?{name}`?"
    return bool(re.search(rf"{word}(?: and \w+)? \((?:[^)]*; )?(?:may be )?NULL\b|(?<!\*){word} (?:may be |is )?NULL\b|"
                          rf"{word} has [^.]*, NULL |{word}: [^.]*; NULL, as a whole|{word} is made [^.]*\(NULL: ",
                          " ".join(text.split())))


def says_null_of_all(meaning):
    """Whether the meaning that parameters of a name have everywhere allows NULL."""
    return bool(re.search(r"NULL (?:is allowed|means)", meaning))


def sentences(text, name):
    """The sentences of a text that name a parameter."""
    flat = " ".join(text.split())
    every = re.split(r"(?<=[.:;])(?<!e\.g\.)\s+(?=[A-Z`*\"])", flat)
    return " ".join(sentence for sentence in every if re.search(rf"(?<![\w.]){name}(?!\w)", sentence))


def evaluate(expressions, headers, include, compiler):
    """The values of constant expressions, read from the object that the compiler makes: nothing is run, so it may be another
    machine's."""
    mark = "values of rondo:"
    lines = [f"#include <{header}>" for header in headers]
    lines += ["#include <stddef.h>", f"const struct {{ char mark[16]; long long values[{len(expressions) + 1}]; }} rondo_values =",
              f'  {{"{mark}", {{1']
    lines += [f"    , ({expression})" for expression in expressions]
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder) / "values.o"
        run = subprocess.run([*compiler, "-std=gnu99", "-c", "-x", "c", "-I", include, "-o", made, "-"],
                             input="\n".join(lines + ["}};", ""]), text=True, capture_output=True)
        if run.returncode != 0:
            sys.exit(f"describe.py: the headers do not compile:\n{run.stderr}")
        found = made.read_bytes().partition(mark.encode())[2]
    order = "little" if found[0] == 1 else "big"  # the first value is 1
    return [int.from_bytes(found[8 * i:8 * i + 8], order, signed=True) for i in range(1, len(expressions) + 1)]


def describe(version, include, compiler):
    folder = pathlib.Path(include)
    headers = [parse.Header(path.relative_to(folder).as_posix(), path.read_text(encoding="utf-8"))
               for path in sorted(folder.glob("rondo/*.h"))]
    describer = Describer(headers)
    describer.layout(include, compiler)
    return describer.result(version)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--version", required=True)
    parser.add_argument("--include", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("compiler", nargs="+")
    options = parser.parse_args()
    try:
        description = describe(options.version, options.include, options.compiler)
    except parse.Unknown as unknown:
        sys.exit(f"describe.py: {unknown}")
    pathlib.Path(options.output).write_text(json.dumps(description, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
