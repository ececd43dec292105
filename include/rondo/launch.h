/* Ranks that were started as processes: which one this is, and the way to the others. `rondo launch -n 2 program`
 * starts them on one machine; mpirun, srun and torchrun do as well. docs/collectives.md has the variables they are
 * known by.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef RONDO_LAUNCH_H
#define RONDO_LAUNCH_H

#include <rondo/comm.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rondo_ranks_info {
  size_t size;         /* set by RONDO_RANKS_INFO_INIT */
  int32_t rank;        /* of this process, from 0 */
  int32_t ranks;       /* all of them; 1 where nobody says that there are others */
  int32_t local_rank;  /* among those of this machine; -1 where nobody says */
  int32_t local_ranks; /* those of this machine; 0 where nobody says */
} rondo_ranks_info;
#define RONDO_RANKS_INFO_INIT \
  { sizeof(rondo_ranks_info), 0, 0, 0, 0 }

/* What the environment says of this process, as rondo_comm_create will take it: so that a program can choose its device
 * by the local rank. RONDO_INVALID_ARGUMENT names a variable that is wrong or missing. Never blocks. Since 0.1. */
RONDO_API rondo_status rondo_ranks_query(rondo_ranks_info* info);

/* Creates this process's (or thread's) end of a group whose other ends are made elsewhere by the same call. With
 * options->ranks 0, or options NULL, the environment says which rank this is, and where they meet; without a launcher
 * the group is this process alone. options->address and options->secret are used instead of the environment's if they
 * are given. Blocks until all ranks have come: RONDO_TIMED_OUT names who has not. The caller owns *comm.
 * RONDO_INVALID_ARGUMENT for what does not fit: a rank that is there already, another number of ranks, another secret,
 * or none where other machines could come. Inside a task or a recording: RONDO_INVALID_STATE. Since 0.1. */
RONDO_API rondo_status rondo_comm_create(rondo_engine* engine, rondo_device device, const rondo_comm_options* options,
                                         rondo_comm** comm);

#ifdef __cplusplus
}
#endif
#endif /* RONDO_LAUNCH_H */
