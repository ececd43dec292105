/* Communicators: collectives between devices, of one process or of many.
 *
 * A communicator is one rank's end of a group: it belongs to an engine and a device, and every rank of the group holds
 * one. On cuda NCCL moves the data (opened at run time, 2.9 or newer), on cpu sockets between the processes do. A
 * collective is a task like any operator: it returns when it is ordered, reads and writes its tensors, can be recorded
 * into a graph, and its failure poisons what it writes. The communicators of a device have a stream of their own there,
 * so they run beside computing.
 *
 * Rules that hold across ranks: every rank submits the same collectives on a communicator in the same order, with the
 * same dtype, sizes and root; what one rank records, every rank records, and launches in the same order. Communicators
 * of one device are ordered among each other as well: what one rank submits first there, every rank does. With
 * RONDO_COMM_CHECK=on Rondo compares what the ranks submit, and a difference is a failure that names both sides.
 *
 * Failures: when a rank dies, leaves, or does not come within the time limit, the communicator fails on every other
 * rank: what was under way ends, waits on what it would have written return the cause (RONDO_RANK_LOST,
 * RONDO_TIMED_OUT), and so does every later call on it. Other tensors keep their contents. rondo_comm_reform makes a
 * communicator of the ranks that are left.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef RONDO_COMM_H
#define RONDO_COMM_H

#include <rondo/ops.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One rank's end of a group. */
typedef struct rondo_comm rondo_comm;

typedef struct rondo_comm_options {
  size_t size;         /* set by RONDO_COMM_OPTIONS_INIT */
  int32_t rank;        /* of this end, from 0; used where `ranks` is given */
  int32_t ranks;       /* ends in the group; 0: rank and ranks are taken from the environment */
  const char* address; /* where they meet: "host:port" (rank 0 listens there), "file:/path"; NULL: the environment's */
  const char* secret;  /* that all ranks know, and nobody else; "none"; NULL: the setting RONDO_SECRET */
  const char* name;    /* for messages; copied; NULL: "comm" */
  int64_t time_limit_ms; /* for meeting, and for each collective once it is issued; 0: 600000; -1: none */
  int64_t max_blocks;    /* cuda: most blocks (thus multiprocessors) a collective may take; 0: the library's choice */
} rondo_comm_options;
#define RONDO_COMM_OPTIONS_INIT \
  { sizeof(rondo_comm_options), 0, 0, NULL, NULL, NULL, 0, 0 }

/* Creates the ends of a group for n devices of this process, one each, in one call: rank i is on devices[i]. Either all
 * are cuda devices, no two the same, or all are cpu:0. Of the options only time_limit_ms, name and max_blocks may be
 * set. The caller owns comms[0..n). Blocks until all are connected. RONDO_LIBRARY_MISSING without NCCL.
 *
 * Each rank should have a thread. A thread that submits for several cuda ranks in an engine of RONDO_ENGINE_ASYNC may
 * stall where a kernel is used for the first time between their calls: loading it waits for a GPU whose collective
 * waits for the next rank's call, until the time limit ends it. RONDO_ENGINE_THREADED has no such wait. Since 0.1. */
RONDO_API rondo_status rondo_comm_create_all(rondo_engine* engine, const rondo_device* devices, int32_t n,
                                             const rondo_comm_options* options, rondo_comm** comms);

/* Gives up the caller's end; NULL is allowed. Never blocks: work in flight is finished first, graphs that hold
 * collectives of it stay valid and keep it until they are destroyed. Other ranks see that this one has left only when
 * they use the group further. Since 0.1. */
RONDO_API void rondo_comm_destroy(rondo_comm* comm);

/* Splits a group by colour: ends that give the same colour form a new group, ranked by key, then by rank. colours[i]
 * and keys[i] (NULL: all 0) are for comms[i]; a negative colour joins none, and made[i] becomes NULL. All ends of the
 * group must call it, those of one process or thread that were made together in one call (n = 1 where each has its
 * own). Blocks until all have. The caller owns made[0..n). Inside a task or a recording: RONDO_INVALID_STATE. Since
 * 0.1. */
RONDO_API rondo_status rondo_comm_split(rondo_comm* const* comms, int32_t n, const int32_t* colours,
                                        const int32_t* keys, rondo_comm** made);

/* Makes a group of the ranks that are left of a failed one, in their order. All of them must call it, as for
 * rondo_comm_split. A rank that does not come within the time limit counts as lost. The old ends are the caller's
 * still. RONDO_INVALID_STATE where nothing has failed. Since 0.1. */
RONDO_API rondo_status rondo_comm_reform(rondo_comm* const* comms, int32_t n, rondo_comm** made);

/* Ends what is under way on the group, here and on every other rank, where it fails with `reason` (copied; NULL:
 * "aborted"). Never blocks. Since 0.1. */
RONDO_API rondo_status rondo_comm_abort(rondo_comm* comm, const char* reason);

typedef enum rondo_comm_state {
  RONDO_COMM_WORKING = 0,
  RONDO_COMM_FAILED = 1 /* a rank lost, a time limit over, aborted, or an error of the library */
} rondo_comm_state;

typedef struct rondo_comm_info {
  size_t size; /* set by RONDO_COMM_INFO_INIT */
  int32_t rank;
  int32_t ranks;
  rondo_device device;
  rondo_comm_state state;
  int32_t version;   /* of the library that moves the data: NCCL's number (23007 is 2.30.7); 0: Rondo's own sockets */
  int64_t submitted; /* collectives ordered so far, a graph's launch counting its own */
  const char* transport; /* "nccl", "peer" (kernels of Rondo's own), "peer, nccl" (both), "host"; static */
} rondo_comm_info;
#define RONDO_COMM_INFO_INIT \
  { sizeof(rondo_comm_info), 0, 0, {RONDO_CPU, 0}, RONDO_COMM_WORKING, 0, 0, NULL }

/* Facts. Never blocks. Since 0.1. */
RONDO_API rondo_status rondo_comm_query(rondo_comm* comm, rondo_comm_info* info);
/* RONDO_OK while the group works, else the cause of its failure. Never blocks: a thread of Rondo's looks. Since 0.1. */
RONDO_API rondo_status rondo_comm_check(rondo_comm* comm);
/* Blocks until all collectives submitted on this end are done, on the device too; their first failure. Inside a task:
 * RONDO_INVALID_STATE. Since 0.1. */
RONDO_API rondo_status rondo_comm_wait(rondo_comm* comm);

/* --- collectives -----------------------------------------------------------------------------------------------------
 *
 * `out` is in and out as for operators (docs/conventions.md): NULL makes a tensor on the communicator's device, a
 * tensor is written. dtypes: bool and 8-bit floats are moved and not reduced; integers, f16, bf16 (NCCL 2.10), f32 and
 * f64 are both. Reductions: RONDO_SUM, RONDO_PROD, RONDO_MIN, RONDO_MAX, RONDO_MEAN; others RONDO_UNSUPPORTED.
 * RONDO_MEAN is for floating dtypes. Tensors are on the communicator's device and of its engine; an input that is not
 * contiguous is copied, an output must be contiguous. Each returns when the task is ordered. */

/* *out = the reduction of all ranks' inputs, the same on every rank; it may be input itself. Since 0.1. */
RONDO_API rondo_status rondo_comm_all_reduce(rondo_comm* comm, rondo_tensor* input, rondo_reduce_op reduction,
                                             rondo_tensor** out);
/* *out = the inputs of all ranks one after the other along the first dimension; of a tensor of 0 dimensions, a vector.
 * Since 0.1. */
RONDO_API rondo_status rondo_comm_all_gather(rondo_comm* comm, rondo_tensor* input, rondo_tensor** out);
/* *out = this rank's part of the reduction; parts divide the first dimension, which must be a multiple of the number of
 * ranks. Since 0.1. */
RONDO_API rondo_status rondo_comm_reduce_scatter(rondo_comm* comm, rondo_tensor* input, rondo_reduce_op reduction,
                                                 rondo_tensor** out);
/* tensor becomes what it is on rank `root`. Since 0.1. */
RONDO_API rondo_status rondo_comm_broadcast(rondo_comm* comm, rondo_tensor* tensor, int32_t root);
/* On rank `root`, *out = the reduction of all ranks' inputs; it may be input itself. On the others out may be NULL, and
 * *out is untouched. Since 0.1. */
RONDO_API rondo_status rondo_comm_reduce(rondo_comm* comm, rondo_tensor* input, rondo_reduce_op reduction, int32_t root,
                                         rondo_tensor** out);
/* Part i of input (along the first dimension, a multiple of the number of ranks) goes to rank i; *out = the parts that
 * came, in the order of ranks. Must not be input itself. Since 0.1. */
RONDO_API rondo_status rondo_comm_all_to_all(rondo_comm* comm, rondo_tensor* input, rondo_tensor** out);
/* Sends the contents of tensor to rank `peer`, which must receive as many elements of the dtype. Since 0.1. */
RONDO_API rondo_status rondo_comm_send(rondo_comm* comm, rondo_tensor* tensor, int32_t peer);
/* tensor becomes what rank `peer` sends. Since 0.1. */
RONDO_API rondo_status rondo_comm_receive(rondo_comm* comm, rondo_tensor* tensor, int32_t peer);
/* A collective without data: done when every rank's is. The host waits for it by rondo_comm_wait. Since 0.1. */
RONDO_API rondo_status rondo_comm_barrier(rondo_comm* comm);

/* From here to rondo_comm_group_end the calling thread's collectives on comm are kept, and become one task there, whose
 * parts run together: sends and receives that cross need it. What one of them writes, no other of the group may use.
 * Since 0.1. */
RONDO_API rondo_status rondo_comm_group_begin(rondo_comm* comm);
/* Submits the group. If one of its calls had failed, none is submitted, and that status comes back. Since 0.1. */
RONDO_API rondo_status rondo_comm_group_end(rondo_comm* comm);

#ifdef __cplusplus
}
#endif
#endif /* RONDO_COMM_H */
