/* Rondo's exchange by MPI's messages without waiting. Copyright 2026 the Rondo developers.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <rondo_mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* MPI counts in ints: what is longer goes in pieces. */
#define PIECE ((size_t)1 << 30)

struct bridge {
  MPI_Comm mpi; /* the duplicate; MPI_COMM_NULL: there is none, and `problem` says why */
  int tags;     /* how many MPI has */
  const char* problem;
};

static rondo_status mpi_failed(rondo_exchange_step* step, const char* function, int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  snprintf(step->why, step->why_capacity, "%s failed: %s", function, text);
  return RONDO_IO_ERROR;
}

static size_t pieces_of(int32_t n, const rondo_message* messages) {
  size_t count = 0;
  int32_t i;
  for (i = 0; i < n; ++i) count += messages[i].bytes / PIECE + 1;
  return count;
}

/* Whether as many bytes came as were expected, piece by piece. */
static rondo_status check_sizes(rondo_exchange_step* step, const MPI_Status* statuses) {
  int32_t i;
  int at = 0;
  for (i = 0; i < step->n_receives; ++i) {
    size_t left = step->receives[i].bytes;
    do {
      const size_t expected = left < PIECE ? left : PIECE;
      int came = 0;
      MPI_Get_count(&statuses[at++], MPI_BYTE, &came);
      if ((size_t)came != expected) {
        snprintf(step->why, step->why_capacity, "rank %d sends %d bytes where %lu are expected",
                 (int)step->receives[i].rank, came, (unsigned long)expected);
        return RONDO_INVALID_STATE;
      }
      left -= expected;
    } while (left > 0);
  }
  return RONDO_OK;
}

/* Waits for all, looking now and then whether it is to give up. */
static rondo_status complete(rondo_exchange_step* step, int count, MPI_Request* requests, MPI_Status* statuses,
                             int receives) {
  unsigned turn = 0;
  int done = 0, i;
  for (;;) {
    const int code = MPI_Testall(count, requests, &done, statuses);
    if (code != MPI_SUCCESS) return mpi_failed(step, "MPI_Testall", code);
    if (done) return check_sizes(step, statuses);
    if (++turn < 2000) continue;
    if (step->stop(step->stop_arg)) break;
    {
      const struct timespec pause = {0, 20000};
      nanosleep(&pause, NULL);
    }
  }
  /* What is received must not be written later; what is sent may go its way. */
  for (i = 0; i < count; ++i) {
    if (requests[i] == MPI_REQUEST_NULL) continue;
    if (i < receives) {
      MPI_Cancel(&requests[i]);
      MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    } else {
      MPI_Request_free(&requests[i]);
    }
  }
  snprintf(step->why, step->why_capacity, "given up");
  return RONDO_TIMED_OUT;
}

static rondo_status exchange(void* arg, rondo_exchange_step* step) {
  const struct bridge* bridge = arg;
  const size_t most = pieces_of(step->n_sends, step->sends) + pieces_of(step->n_receives, step->receives);
  MPI_Request* requests;
  MPI_Status* statuses;
  rondo_status status = RONDO_OK;
  int tag, count = 0, receives = 0, pass;
  if (bridge->mpi == MPI_COMM_NULL) {
    snprintf(step->why, step->why_capacity, "%s", bridge->problem);
    return RONDO_INVALID_STATE;
  }
  tag = step->channel % bridge->tags;
  requests = malloc(most * sizeof *requests + 1);
  statuses = malloc(most * sizeof *statuses + 1);
  if (requests == NULL || statuses == NULL) status = RONDO_OUT_OF_MEMORY;
  for (pass = 0; pass < 2 && status == RONDO_OK; ++pass) {
    const rondo_message* messages = pass == 0 ? step->receives : step->sends;
    const int32_t n = pass == 0 ? step->n_receives : step->n_sends;
    int32_t i;
    for (i = 0; i < n && status == RONDO_OK; ++i) {
      char* data = messages[i].data;
      size_t left = messages[i].bytes;
      do {
        const int bytes = (int)(left < PIECE ? left : PIECE);
        const int code = pass == 0
                             ? MPI_Irecv(data, bytes, MPI_BYTE, messages[i].rank, tag, bridge->mpi, &requests[count])
                             : MPI_Isend(data, bytes, MPI_BYTE, messages[i].rank, tag, bridge->mpi, &requests[count]);
        if (code != MPI_SUCCESS) {
          status = mpi_failed(step, pass == 0 ? "MPI_Irecv" : "MPI_Isend", code);
          break;
        }
        ++count;
        receives += pass == 0;
        if (data != NULL) data += bytes;
        left -= (size_t)bytes;
      } while (left > 0);
    }
  }
  if (status == RONDO_OK) status = complete(step, count, requests, statuses, receives);
  free(statuses);
  free(requests);
  return status;
}

static void destroy(void* arg) {
  struct bridge* bridge = arg;
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (bridge->mpi != MPI_COMM_NULL && !finalized) MPI_Comm_free(&bridge->mpi);
  free(bridge);
}

/* Duplicates the communicator, and makes its errors statuses. */
static void open_bridge(struct bridge* bridge, MPI_Comm mpi, rondo_comm_hooks* hooks) {
  int initialized = 0, finalized = 0, level = 0, flag = 0, *bound = NULL, rank = 0, ranks = 1;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  bridge->problem = "MPI is not initialised; call MPI_Init_thread first";
  if (!initialized || finalized) return;
  MPI_Query_thread(&level);
  bridge->problem = "MPI was initialised without MPI_THREAD_MULTIPLE; call MPI_Init_thread with it";
  if (level < MPI_THREAD_MULTIPLE) return;
  bridge->problem = "mpi is MPI_COMM_NULL, or cannot be duplicated";
  if (mpi == MPI_COMM_NULL || MPI_Comm_dup(mpi, &bridge->mpi) != MPI_SUCCESS) {
    bridge->mpi = MPI_COMM_NULL;
    return;
  }
  MPI_Comm_set_errhandler(bridge->mpi, MPI_ERRORS_RETURN);
  MPI_Comm_rank(bridge->mpi, &rank);
  MPI_Comm_size(bridge->mpi, &ranks);
  MPI_Comm_get_attr(bridge->mpi, MPI_TAG_UB, &bound, &flag);
  bridge->tags = flag && *bound < 2147483647 ? *bound + 1 : flag ? *bound : 32768;
  hooks->rank = rank;
  hooks->ranks = ranks;
}

rondo_status rondo_mpi_comm_create(rondo_engine* engine, rondo_device device, MPI_Comm mpi,
                                   const rondo_comm_options* options, rondo_comm** comm) {
  rondo_comm_hooks hooks = RONDO_COMM_HOOKS_INIT;
  struct bridge* bridge = malloc(sizeof *bridge);
  if (bridge == NULL) return RONDO_OUT_OF_MEMORY;
  bridge->mpi = MPI_COMM_NULL;
  bridge->tags = 32768;
  hooks.ranks = 2; /* where there is no MPI to ask: the first exchange says so */
  open_bridge(bridge, mpi, &hooks);
  hooks.exchange = exchange;
  hooks.arg = bridge;
  hooks.destroy = destroy;
  return rondo_comm_create_with_hooks(engine, device, &hooks, options, comm);
}
