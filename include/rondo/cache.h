/* Compiled kernels: what this process compiled, what is kept on disk for the next one, files that carry kernels to
 * machines without a compiler, and being told of a long time of compiling.
 *
 * Kernels for GPUs are compiled when they are first needed and kept in a folder (the setting RONDO_CACHE), where later
 * processes find them. The folder belongs to the process, not to an engine. All functions may be called from any
 * thread.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef RONDO_CACHE_H
#define RONDO_CACHE_H

#include <rondo/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rondo_cache_info {
  size_t size;              /* set by RONDO_CACHE_INFO_INIT */
  int64_t files;            /* files in the folder now, of every process; 0 where there is none */
  int64_t bytes;            /* of these files */
  int64_t limit;            /* bytes they are kept under (the setting RONDO_CACHE_MB) */
  int64_t memory_hits;      /* uses of kernels that this process had loaded; some may be missed where threads meet */
  int64_t disk_hits;        /* kernels of this process that were found in the folder */
  int64_t without_compiler; /* those of them that could not have been compiled here: without NVRTC, or with one that
                               does not know the device */
  int64_t compiled;         /* kernels of this process that were compiled and are kept, or would be if they could, or
                               if the program file that they are for were trusted */
  double compile_ms;        /* what that took, added up */
  int64_t damaged;          /* files that were not what was written; removed, and the kernels compiled again */
  int64_t refused;          /* files that were not used: others may write them, they are links or cannot be read */
  int64_t failed_writes;    /* kernels that could not be kept; the log says why */
  int64_t evicted;          /* files that this process removed because the folder was too large */
  int64_t trials;           /* choices that this process made by trying and timing, as none was kept: of an engine of
                               cuDNN, whether two of them run side by side, and of the kernel of a product */
} rondo_cache_info;
#define RONDO_CACHE_INFO_INIT \
  { sizeof(rondo_cache_info), 0, 0, 0, 0, 0, 0, 0, 0.0, 0, 0, 0, 0, 0 }

/* Counts since the process began, and the folder as it is now, which is looked through. Since 0.1. */
RONDO_API rondo_status rondo_cache_query(rondo_cache_info* info);

/* Writes the kept kernels into one file, for rondo_cache_import on another machine. `capability` is that of the devices
 * they are for, 90 for 9.0; 0: all, with the choices among engines of cuDNN and among kernels of products. What is
 * damaged or refused is left out. The file takes the place of a former one when it is complete and on the disk.
 * *kernels (may be NULL) receives how many there are in it, choices not counted. Blocks.
 * RONDO_INVALID_STATE where no kernels are kept at all, with the reason; RONDO_NOT_FOUND if there is nothing to write;
 * RONDO_IO_ERROR if the file cannot be written. Since 0.1. */
RONDO_API rondo_status rondo_cache_export(const char* path, int32_t capability, int64_t* kernels);

/* Takes the kernels of such a file into the folder, so that operators use them where there is no NVRTC, or the same
 * one. All of the file is checked before anything is taken: lengths, and a checksum of every kernel. That finds damage,
 * not bad intent: a kernel is code, so import what comes from somebody whose programs you would run. *kernels (may be
 * NULL) receives how many were not there before. Choices that are in it serve devices of the same name with
 * the same driver and libraries, and take the place of those that were made there, so that results have the same bits
 * as where the file comes from. Blocks.
 * RONDO_NOT_FOUND if there is no such file; RONDO_IO_ERROR if it cannot be read or is not valid, with the place and the
 * reason, or if the folder cannot be written; RONDO_INVALID_STATE where no kernels are kept at all, or the file is
 * larger than the folder may become. Since 0.1. */
RONDO_API rondo_status rondo_cache_import(const char* path, int64_t* kernels);

/* Receives that kernels are being compiled, for a second by now or probably for more than one. `kernel`: one that is
 * being compiled, valid during the call; NULL in the last call, when none is any more. `done`: kernels that were
 * compiled since it began; `known`: those and the ones that are known to be needed. A graph knows its tasks, which may
 * share kernels, so it can become less. `seconds`: since it began. Called from a thread of Rondo's own, about once a
 * second, one call at a time; must not call Rondo. */
typedef void (*rondo_compile_progress_fn)(void* arg, const char* kernel, int64_t done, int64_t known, double seconds);

/* Has `fn` told of long times of compiling, in this process, by any engine. fn NULL: nobody. `destroy` (may be NULL) is
 * called with arg when the function is replaced; it is not running any more then. Since 0.1. */
RONDO_API rondo_status rondo_set_compile_progress(rondo_compile_progress_fn fn, void* arg, void (*destroy)(void* arg));

#ifdef __cplusplus
}
#endif
#endif /* RONDO_CACHE_H */
