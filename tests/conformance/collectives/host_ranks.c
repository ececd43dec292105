/* A rank of two on cpu devices, started by `rondo launch -n 2`:
 *
 *   host_ranks late      rank 1 comes to a collective when rank 0's time limit is over
 *   host_ranks leaves    rank 1 gives up its end while rank 0 is in the next collective
 *   host_ranks gone      the same, and rank 1's process ends
 *
 * Ends with 0 where both are told, and where they form a group again that adds up.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <rondo/rondo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COUNT = 8 };

static rondo_engine* engine = NULL;
static const rondo_device device = {RONDO_CPU, 0};
static rondo_comm_info info = RONDO_COMM_INFO_INIT;

static void fail(const char* what, rondo_status status) {
  fprintf(stderr, "host_ranks: rank %d: %s: %s: %s\n", (int)info.rank, what, rondo_status_name(status),
          status == RONDO_OK ? "no failure" : rondo_last_error());
  exit(1);
}
static void expect(rondo_status status, rondo_status right, const char* what) {
  if (status != right) fail(what, status);
}
static void must(rondo_status status, const char* what) {
  expect(status, RONDO_OK, what);
}

/* An all-reduce of ones, and a wait for it. */
static rondo_status add_up(rondo_comm* comm, float* sum) {
  const int64_t count = COUNT;
  float values[COUNT];
  rondo_tensor *input = NULL, *output = NULL;
  rondo_status status;
  int i;
  for (i = 0; i < COUNT; ++i) values[i] = 1;
  must(rondo_tensor_from_host(engine, device, RONDO_F32, 1, &count, values, &input), "a tensor");
  status = rondo_comm_all_reduce(comm, input, RONDO_SUM, &output);
  if (status == RONDO_OK) status = rondo_tensor_read(output, values, sizeof values);
  *sum = values[0];
  rondo_tensor_destroy(input);
  rondo_tensor_destroy(output);
  return status;
}

/* Until the group has failed here, for a minute at most. */
static rondo_status until_failed(rondo_comm* comm) {
  const struct timespec pause = {0, 5000000};
  rondo_status status = RONDO_OK;
  int i;
  for (i = 0; i < 12000 && status == RONDO_OK; ++i) {
    status = rondo_comm_check(comm);
    if (status == RONDO_OK) nanosleep(&pause, NULL);
  }
  return status;
}

static void comes_late(rondo_comm* comm) {
  rondo_comm* again = NULL;
  float sum = 0;
  if (info.rank == 0)
    expect(add_up(comm, &sum), RONDO_TIMED_OUT, "a collective to which rank 1 does not come in time");
  else
    expect(until_failed(comm), RONDO_TIMED_OUT, "what a rank hears that is late");
  expect(rondo_comm_check(comm), RONDO_TIMED_OUT, "the state of the group");
  expect(add_up(comm, &sum), RONDO_TIMED_OUT, "a collective of a failed group");
  must(rondo_comm_reform(&comm, 1, &again), "forming a group again");
  must(add_up(again, &sum), "a collective of the new group");
  if (sum != 2) fail("a wrong sum", RONDO_OK);
  rondo_comm_destroy(again);
}

int main(int argc, char** argv) {
  rondo_comm_options options = RONDO_COMM_OPTIONS_INIT;
  rondo_comm* comm = NULL;
  const int late = argc == 2 && strcmp(argv[1], "late") == 0;
  const int gone = argc == 2 && strcmp(argv[1], "gone") == 0;
  float sum = 0;
  must(rondo_engine_create(NULL, &engine), "an engine");
  options.time_limit_ms = late ? 5000 : 60000;
  must(rondo_comm_create(engine, device, &options, &comm), "a group");
  must(rondo_comm_query(comm, &info), "the group's facts");
  must(add_up(comm, &sum), "a collective");
  if (late) {
    comes_late(comm);
  } else if (info.rank == 0) {
    expect(add_up(comm, &sum), RONDO_RANK_LOST, "a collective without rank 1");
    expect(rondo_comm_check(comm), RONDO_RANK_LOST, "the state of the group");
  } else if (gone) {
    _Exit(0);
  }
  rondo_comm_destroy(comm);
  rondo_engine_destroy(engine);
  return 0;
}
