#!/usr/bin/env bash
# Runs a test and says last what processor time it took, for the table of tests/run (cases.py reads it): `meson test --wrap`.
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
"$@"
status=$?
LC_ALL=C # a point in numbers
printf '\nprocessor time: ' >&2
times >&2
exit $status
