/* Memory that a program gives back when a pool has none left: for languages whose garbage collector finds late what
 * nobody uses any more, and for programs with caches of tensors.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef RONDO_RECLAIM_H
#define RONDO_RECLAIM_H

#include <rondo/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Frees what the program holds and does not need. `bytes`: how much was asked for, of which a pool has none left within
 * its limit or its device. `attempt`: 0 when a request asks the first time, then 1, 2 and so on. Returns 1 for the
 * request to be tried again, 0 for it to fail with RONDO_OUT_OF_MEMORY.
 * Called from the thread that needs the memory, a caller's or a worker's, and from several at once. It may destroy
 * handles, and wait a while for other threads to do so; it must call nothing else of Rondo. */
typedef int32_t (*rondo_reclaim_fn)(void* arg, int64_t bytes, int32_t attempt);

/* Has `fn` called before a request for memory fails, in this process, by any engine. A request that its pool's limit
 * can never hold fails at once. fn NULL: nobody is asked. `host_limit`: the limit of the pools of the cpu that begin
 * from here on in engines without a limit of their own (rondo_engine_options.memory_limit), so that memory runs out for
 * the program before it does for the machine; 0: none. rondo_memory_set_limit changes it for one pool.
 * `destroy` (may be NULL) is called with arg when the function is replaced and no call of it runs any more.
 * RONDO_INVALID_ARGUMENT for a negative host_limit. Any thread. Does not block. Since 0.1. */
RONDO_API rondo_status rondo_set_reclaim(rondo_reclaim_fn fn, void* arg, void (*destroy)(void* arg),
                                         int64_t host_limit);

#ifdef __cplusplus
}
#endif
#endif /* RONDO_RECLAIM_H */
