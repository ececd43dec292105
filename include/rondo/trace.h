/* Timeline of an engine's tasks as Chrome trace JSON (chrome://tracing, Perfetto): one row per thread and per stream,
 * by name; a span per task, with the dtypes and shapes of what it works on. Operators of a graph's segment that the
 * host runs have spans within the launch's.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef RONDO_TRACE_H
#define RONDO_TRACE_H

#include <rondo/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Starts to keep times: when each task was issued and, on cuda, when it began and ended on the device (by events, which
 * costs about 2 microseconds a task while the trace is on). RONDO_INVALID_STATE if a trace is on. Since 0.1. */
RONDO_API rondo_status rondo_trace_begin(rondo_engine* engine);
/* Waits for all work, writes the trace to a file and stops. path NULL: stops and drops it. RONDO_INVALID_STATE if none
 * is on or inside a task; RONDO_IO_ERROR if the file cannot be written. Since 0.1. */
RONDO_API rondo_status rondo_trace_end(rondo_engine* engine, const char* path);

#ifdef __cplusplus
}
#endif
#endif /* RONDO_TRACE_H */
