/* Collectives of cpu devices through an MPI: each rank checks what it gets, eager and in a graph, on a split too.
 *
 *   mpirun -n N ranks            0 if all is right
 *   mpirun -n N ranks mismatch   another size on each rank: a status on all, no hang
 *   ranks unprepared             MPI not initialised, then without threads: statuses that say what to call
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include <rondo/rondo.h>
#include <rondo_mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const rondo_device cpu = {RONDO_CPU, 0};

#define EXPECT(condition)                                                                     \
  do {                                                                                        \
    if (!(condition)) {                                                                       \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, rondo_last_error()); \
      exit(1);                                                                                \
    }                                                                                         \
  } while (0)
#define MUST(call) EXPECT((call) == RONDO_OK)

enum { COUNT = 5000 };

static rondo_tensor* tensor_of(rondo_engine* engine, int64_t count, float first) {
  float* values = malloc((size_t)count * sizeof *values + 1);
  rondo_tensor* tensor = NULL;
  int64_t i;
  for (i = 0; i < count; ++i) values[i] = first + (float)(i % 7);
  MUST(rondo_tensor_from_host(engine, cpu, RONDO_F32, 1, &count, values, &tensor));
  free(values);
  return tensor;
}

static void expect_sum(rondo_tensor* tensor, int ranks) {
  static float values[COUNT];
  int i;
  MUST(rondo_tensor_read(tensor, values, sizeof values));
  for (i = 0; i < COUNT; ++i)
    EXPECT(values[i] == (float)(ranks * (ranks - 1) / 2 + ranks * (i % 7))); /* the ranks' numbers, and ranks times i */
}

static void collectives(rondo_engine* engine, rondo_comm* comm) {
  rondo_comm_info info = RONDO_COMM_INFO_INIT;
  rondo_tensor *input, *sum = NULL, *all = NULL, *recorded = NULL;
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  rondo_graph* graph = NULL;
  float values[64];
  int i;
  MUST(rondo_comm_query(comm, &info));
  EXPECT(strcmp(info.transport, "host") == 0);
  input = tensor_of(engine, COUNT, (float)info.rank);
  MUST(rondo_comm_all_reduce(comm, input, RONDO_SUM, &sum));
  expect_sum(sum, info.ranks);
  MUST(rondo_record_begin(engine, &options));
  MUST(rondo_comm_all_reduce(comm, input, RONDO_SUM, &recorded));
  MUST(rondo_record_end(engine, &graph));
  for (i = 0; i < 10; ++i) MUST(rondo_graph_launch(graph));
  expect_sum(recorded, info.ranks);
  rondo_graph_destroy(graph);
  rondo_tensor_destroy(recorded);
  rondo_tensor_destroy(sum);
  rondo_tensor_destroy(input);

  input = tensor_of(engine, 2, (float)(10 * info.rank));
  MUST(rondo_comm_all_gather(comm, input, &all));
  MUST(rondo_tensor_read(all, values, (size_t)info.ranks * 2 * sizeof *values));
  for (i = 0; i < 2 * info.ranks; ++i) EXPECT(values[i] == (float)(10 * (i / 2) + i % 2));
  rondo_tensor_destroy(all);
  rondo_tensor_destroy(input);
  MUST(rondo_comm_barrier(comm));
  MUST(rondo_comm_wait(comm));
}

static int run(int mismatch) {
  rondo_engine* engine = NULL;
  rondo_comm_options options = RONDO_COMM_OPTIONS_INIT;
  rondo_comm *world = NULL, *half = NULL;
  int rank = 0;
  int32_t colour;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  options.time_limit_ms = 20000;
  MUST(rondo_engine_create(NULL, &engine));
  MUST(rondo_mpi_comm_create(engine, cpu, MPI_COMM_WORLD, &options, &world));
  if (mismatch) {
    rondo_tensor *input = tensor_of(engine, rank == 0 ? 100 : 60, 0), *sum = NULL;
    MUST(rondo_comm_all_reduce(world, input, RONDO_SUM, &sum));
    EXPECT(rondo_engine_wait_all(engine) != RONDO_OK);
    rondo_tensor_destroy(sum);
    rondo_tensor_destroy(input);
  } else {
    collectives(engine, world);
    colour = rank % 2;
    MUST(rondo_comm_split(&world, 1, &colour, NULL, &half));
    collectives(engine, half);
    collectives(engine, world);
  }
  rondo_comm_destroy(half);
  rondo_comm_destroy(world);
  rondo_engine_destroy(engine);
  return 0;
}

static int unprepared(void) {
  int provided = 0;
  rondo_engine* engine = NULL;
  rondo_comm* comm = NULL;
  MUST(rondo_engine_create(NULL, &engine));
  EXPECT(rondo_mpi_comm_create(engine, cpu, MPI_COMM_SELF, NULL, &comm) == RONDO_INVALID_STATE);
  EXPECT(strstr(rondo_last_error(), "MPI is not initialised") != NULL);
  EXPECT(comm == NULL);
  MPI_Init_thread(NULL, NULL, MPI_THREAD_SINGLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) { /* an MPI may give more than was asked for */
    EXPECT(rondo_mpi_comm_create(engine, cpu, MPI_COMM_SELF, NULL, &comm) == RONDO_INVALID_STATE);
    EXPECT(strstr(rondo_last_error(), "MPI_THREAD_MULTIPLE") != NULL);
  }
  EXPECT(rondo_mpi_comm_create(engine, cpu, MPI_COMM_NULL, NULL, &comm) == RONDO_INVALID_STATE);
  EXPECT(comm == NULL);
  rondo_engine_destroy(engine);
  MPI_Finalize();
  return 0;
}

int main(int argc, char** argv) {
  int provided = 0, result;
  if (argc > 1 && strcmp(argv[1], "unprepared") == 0) return unprepared();
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) {
    fprintf(stderr, "this MPI has no MPI_THREAD_MULTIPLE\n");
    return 77;
  }
  result = run(argc > 1 && strcmp(argv[1], "mismatch") == 0);
  MPI_Finalize();
  return result;
}
