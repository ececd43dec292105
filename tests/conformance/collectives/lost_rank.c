/* A rank that works until another is lost, for lost.py:
 *
 *   lost_rank cpu|cuda    with what `rondo launch` sets
 *
 * Ends with 0 if it was told in order: by a status with a cause, with its data as they were, and then in a new group of
 * those left, which adds up. Ends with 3 if nobody was lost.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <rondo/rondo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COUNT = 48, ROUNDS = 60 }; /* a multiple of 2 and 3 */

static rondo_engine* engine = NULL;
static rondo_device device = {RONDO_CPU, 0};

static void fail(const char* what) {
  fprintf(stderr, "lost_rank: %s: %s\n", what, rondo_last_error());
  exit(1);
}
static void must(rondo_status status, const char* what) {
  if (status != RONDO_OK) fail(what);
}

static rondo_tensor* ones(void) {
  const int64_t count = COUNT;
  float values[COUNT];
  rondo_tensor* tensor = NULL;
  int i;
  for (i = 0; i < COUNT; ++i) values[i] = 1;
  must(rondo_tensor_from_host(engine, device, RONDO_F32, 1, &count, values, &tensor), "making a tensor");
  must(rondo_tensor_wait(tensor), "waiting for a tensor");
  return tensor;
}
/* A read that is issued while a group's end is on its way may be behind the lost collective, and fails with it; the
 * data are there. */
static void expect(rondo_tensor* tensor, float value, const char* what) {
  const struct timespec pause = {0, 20000000};
  float values[COUNT];
  int i;
  rondo_status status = rondo_tensor_read(tensor, values, sizeof values);
  for (i = 0; i < 100 && status == RONDO_RANK_LOST; ++i) {
    nanosleep(&pause, NULL);
    status = rondo_tensor_read(tensor, values, sizeof values);
  }
  must(status, what);
  for (i = 0; i < COUNT; ++i)
    if (values[i] != value) {
      fprintf(stderr, "lost_rank: %s: %g where %g is right\n", what, (double)values[i], (double)value);
      exit(1);
    }
}

/* Whether a status says that a rank is gone. */
static int told(rondo_status status, const char* what) {
  if (status == RONDO_OK) return 0;
  printf("%s: %s: %s\n", what, rondo_status_name(status), rondo_last_error());
  if (status != RONDO_RANK_LOST && status != RONDO_TIMED_OUT) fail("another status than of a lost rank");
  return 1;
}

/* One of each kind, and a graph; the first failure. */
static rondo_status work(rondo_comm* comm, const rondo_comm_info* info, rondo_tensor* input, rondo_graph* graph) {
  rondo_tensor *sum = NULL, *all = NULL, *part = NULL, *turned = NULL;
  rondo_status status = rondo_comm_all_reduce(comm, input, RONDO_SUM, &sum);
  if (status == RONDO_OK) status = rondo_comm_all_gather(comm, input, &all);
  if (status == RONDO_OK) status = rondo_comm_reduce_scatter(comm, input, RONDO_SUM, &part);
  if (status == RONDO_OK) status = rondo_comm_all_to_all(comm, input, &turned);
  if (status == RONDO_OK && graph) status = rondo_graph_launch(graph);
  if (status == RONDO_OK) status = rondo_comm_broadcast(comm, sum, info->ranks - 1);
  if (status == RONDO_OK) status = rondo_comm_barrier(comm);
  if (status == RONDO_OK) status = rondo_comm_wait(comm);
  if (status == RONDO_OK) expect(sum, (float)info->ranks, "a sum");
  rondo_tensor_destroy(sum);
  rondo_tensor_destroy(all);
  rondo_tensor_destroy(part);
  rondo_tensor_destroy(turned);
  return status;
}

int main(int argc, char** argv) {
  rondo_engine_options engine_options = RONDO_ENGINE_OPTIONS_INIT;
  rondo_comm_options options = RONDO_COMM_OPTIONS_INIT;
  rondo_comm_info info = RONDO_COMM_INFO_INIT;
  rondo_ranks_info place = RONDO_RANKS_INFO_INIT;
  rondo_tensor *kept, *input, *most = NULL;
  rondo_graph* graph = NULL;
  rondo_comm *comm = NULL, *again = NULL;
  int round, lost = 0;
  must(rondo_ranks_query(&place), "asking for the rank");
  if (argc == 2 && strcmp(argv[1], "cuda") == 0) {
    device.kind = RONDO_CUDA;
    device.index = place.rank;
  }
  must(rondo_engine_create(&engine_options, &engine), "making an engine");
  kept = ones();
  input = ones();
  options.time_limit_ms = 20000;
  lost = told(rondo_comm_create(engine, device, &options, &comm), "making a group");
  if (!lost) {
    rondo_status status;
    must(rondo_comm_query(comm, &info), "asking about the group");
    must(rondo_record_begin(engine, NULL), "recording");
    status = rondo_comm_all_reduce(comm, input, RONDO_MAX, &most);
    if (status != RONDO_OK) {
      lost = told(status, "recording");
      must(rondo_record_abort(engine), "giving up a recording");
    } else {
      lost = told(rondo_record_end(engine, &graph), "the end of recording");
    }
    for (round = 0; round < ROUNDS && !lost; ++round) lost = told(work(comm, &info, input, graph), "working");
  }
  expect(kept, 1, "what was there before");
  if (lost && comm) {
    /* An eager failure may be of the call; the group's is told a little later at most. */
    (void)rondo_comm_abort(comm, "a rank is lost");
    if (!told(rondo_comm_reform(&comm, 1, &again), "forming a group again")) {
      must(rondo_comm_query(again, &info), "asking about the new group");
      if (!told(work(again, &info, kept, NULL), "working again")) printf("again %d\n", (int)info.ranks);
    }
  }
  rondo_comm_destroy(comm);
  rondo_comm_destroy(again);
  rondo_graph_destroy(graph);
  rondo_tensor_destroy(most);
  rondo_tensor_destroy(input);
  rondo_tensor_destroy(kept);
  rondo_engine_destroy(engine);
  return lost ? 0 : 3;
}
