#!/usr/bin/env python3
"""The C++ wrapper calls every function of the C interface, or says here why not: wrapper.py HEADERS SYMBOLS."""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import re
import sys

NOT_WRAPPED = {
    "rondo_comm_create_with_hooks": "takes functions of the program's own, used as it is",
    "rondo_dtype_name": "used as it is",
    "rondo_dtype_size": "used as it is",
    "rondo_completion_fail_cause": "takes an object and its destructor, used as it is",
    "rondo_last_error_cause": "gives what these took, used as it is",
    "rondo_task_fail_cause": "takes an object and its destructor, used as it is",
    "rondo_set_log": "takes a callback for the whole process, used as it is",
    "rondo_version": "used as it is",
    "rondo_version_string": "used as it is",
    "rondo_unary_op_name": "used as it is",
    "rondo_binary_op_name": "used as it is",
    "rondo_ternary_op_name": "used as it is",
    "rondo_reduce_op_name": "used as it is",
}


def main():
    headers = sorted(pathlib.Path(sys.argv[1]).glob("**/*.hpp"))
    header = set(re.findall(r"\brondo_\w+", "\n".join(each.read_text() for each in headers)))
    lines = pathlib.Path(sys.argv[2]).read_text().splitlines()
    exported = {line.split()[1] for line in lines if line and not line.startswith("#")}
    problems = [f"rondo.hpp: {name} is not called" for name in sorted(exported - header - NOT_WRAPPED.keys())]
    problems += [f"wrapper.py: {name} is no function" for name in sorted(NOT_WRAPPED.keys() - exported)]
    print("\n".join(problems) or f"{len(exported)} functions, {len(NOT_WRAPPED)} used as they are")
    sys.exit(bool(problems))


main()
