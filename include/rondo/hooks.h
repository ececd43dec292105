/* Communicators over functions of the program's own: whoever has an MPI, or another way to move bytes between
 * processes, bridges it with one function. librondo_mpi (rondo_mpi.h) does that for MPI.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef RONDO_HOOKS_H
#define RONDO_HOOKS_H

#include <rondo/comm.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes to or from another rank. Since 0.1. */
typedef struct rondo_message {
  int32_t rank;
  void* data; /* of a message that is sent, only read */
  size_t bytes;
} rondo_message;

/* What one exchange does: all of these messages, in any order but that those between the same two ranks stay in theirs.
 * Since 0.1. */
typedef struct rondo_exchange_step {
  size_t size;     /* of this struct */
  int32_t channel; /* steps of other channels may be under way at the same time, and do not meet this one's; from 0 */
  int32_t n_sends;
  int32_t n_receives;
  const rondo_message* sends;
  const rondo_message* receives;
  int32_t (*stop)(void* arg); /* asked now and then while it waits: not 0 when it is to give up and return an error */
  void* stop_arg;
  char* why; /* room for a sentence, where it fails */
  size_t why_capacity;
} rondo_exchange_step;

/* Does a step: returns when the memory of all its messages is Rondo's again. Called from threads of Rondo's, several at
 * once for different channels. Must not throw. Since 0.1. */
typedef rondo_status (*rondo_exchange_fn)(void* arg, rondo_exchange_step* step);

typedef struct rondo_comm_hooks {
  size_t size;   /* set by RONDO_COMM_HOOKS_INIT */
  int32_t rank;  /* of this process, from 0 */
  int32_t ranks; /* all of them */
  rondo_exchange_fn exchange;
  void* arg;                  /* for both functions */
  void (*destroy)(void* arg); /* called once when exchange will not be called any more; NULL: nothing to do */
} rondo_comm_hooks;
#define RONDO_COMM_HOOKS_INIT \
  { sizeof(rondo_comm_hooks), 0, 0, NULL, NULL, NULL }

/* Creates this process's end of a group whose ranks know each other by `hooks`. On cpu devices collectives are made of
 * exchanges; on cuda devices NCCL moves the data, and exchanges only bring the ranks together. Of the options only
 * time_limit_ms, name and max_blocks may be set; NULL means RONDO_COMM_OPTIONS_INIT. The caller owns *comm. Blocks
 * until all ranks have come. destroy(arg) is called also if this call fails. Whether a rank is lost, exchange finds
 * out; rondo_comm_reform is RONDO_UNSUPPORTED. Inside a task or a recording: RONDO_INVALID_STATE. Since 0.1. */
RONDO_API rondo_status rondo_comm_create_with_hooks(rondo_engine* engine, rondo_device device,
                                                    const rondo_comm_hooks* hooks, const rondo_comm_options* options,
                                                    rondo_comm** comm);

#ifdef __cplusplus
}
#endif
#endif /* RONDO_HOOKS_H */
