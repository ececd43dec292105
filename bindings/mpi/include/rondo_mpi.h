/* Communicators of Rondo from communicators of an MPI: the library librondo_mpi, built where an MPI is found. librondo
 * itself knows no MPI.
 *
 *   MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
 *   rondo_mpi_comm_create(engine, device, MPI_COMM_WORLD, NULL, &comm);
 *
 * On cpu devices the collectives' data go through the MPI. On cuda devices NCCL moves them, and the ranks meet through
 * the MPI.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef RONDO_MPI_H
#define RONDO_MPI_H

#include <mpi.h>
#include <rondo/hooks.h>

#ifdef __cplusplus
extern "C" {
#endif

/* This process's end of a group of the ranks of `mpi`, which all of them make; ranks are the same. `mpi` is duplicated:
 * the program's messages and Rondo's do not meet. MPI must be initialised with MPI_THREAD_MULTIPLE, since Rondo calls
 * it from its own threads; it must not be finalised before the communicator, the graphs that hold its collectives, and
 * the engine are destroyed. Of the options only time_limit_ms, name and max_blocks may be set. The caller owns *comm.
 * Blocks until all ranks have come. RONDO_INVALID_STATE where MPI is not initialised so. A rank that dies is the MPI's
 * business, which as a rule ends all others. Since 0.1. */
RONDO_API rondo_status rondo_mpi_comm_create(rondo_engine* engine, rondo_device device, MPI_Comm mpi,
                                             const rondo_comm_options* options, rondo_comm** comm);

#ifdef __cplusplus
}
#endif
#endif /* RONDO_MPI_H */
