/* The engine: owns devices' streams, pools and workers; orders tasks by the variables they read and write.
 *
 * Order: for each variable, tasks that read it run together, a task that writes it runs alone, in the order of
 * submission. Errors: a task that fails poisons what it writes; tasks that read a poisoned variable are skipped and
 * poison what they write; a wait on any of them reports the first cause, as often as asked; a task that overwrites the
 * variable without reading it clears it. (docs/errors.md)
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef RONDO_ENGINE_H
#define RONDO_ENGINE_H

#include <rondo/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rondo_engine_mode {
  RONDO_ENGINE_DEFAULT = 0,  /* the setting RONDO_ENGINE (async, threaded, naive), else async */
  RONDO_ENGINE_ASYNC = 1,    /* device tasks are issued by the calling thread as soon as host dependencies are done */
  RONDO_ENGINE_THREADED = 2, /* one issuing worker per device: the caller pays a queue insertion */
  RONDO_ENGINE_NAIVE = 3     /* each task is finished before the call returns; its error is the call's status */
} rondo_engine_mode;

typedef struct rondo_engine_options {
  size_t size; /* set by RONDO_ENGINE_OPTIONS_INIT */
  rondo_engine_mode mode;
  int32_t workers;      /* threads for host functions and cpu operators; 0: one per usable processor, at most 8 */
  int32_t streams;      /* compute streams per cuda device, 1 to 16; 0: 1 */
  int64_t max_tasks;    /* tasks in flight before a submitter blocks; 0: 4096 */
  int64_t memory_limit; /* bytes a device's pool may hold, each device; 0: no limit but the device's */
  uint64_t seed;        /* of random numbers; see rondo_engine_seed */
  /* 1: an operator with an index outside fails, and its message names operator, place and index; -1: such an index
   * gives what the operator says of it; 0: the setting RONDO_CHECK_INDICES decides, which is off by default. When on, a
   * host task looks at the indices of each operator first. */
  int32_t check_indices;
  int32_t reserved; /* 0 */
} rondo_engine_options;
#define RONDO_ENGINE_OPTIONS_INIT \
  { sizeof(rondo_engine_options), RONDO_ENGINE_DEFAULT, 0, 0, 0, 0, 0, 0, 0 }

/* Creates an engine. Usable are the processors that the calling thread may run on (an affinity, a container's set), but
 * no more than a quota of the process's cgroup pays for. options NULL means RONDO_ENGINE_OPTIONS_INIT. Touches no
 * device: a cuda device is opened by its first use. The caller owns *engine and destroys it. Since 0.1. */
RONDO_API rondo_status rondo_engine_create(const rondo_engine_options* options, rondo_engine** engine);

/* Waits for all work but completions (rondo_task_defer), then releases streams, pools and workers. NULL is allowed.
 * Objects of the engine that are still alive stay valid handles: they must still be destroyed, and every other call on
 * them returns RONDO_INVALID_STATE. Which they were (kind, dtype, shape, device, the task that wrote them first) is
 * logged as a warning and is this thread's rondo_last_error(). A recording still open on it is abandoned. In a child of
 * fork() it does nothing. Must not be called inside a task. Since 0.1. */
RONDO_API void rondo_engine_destroy(rondo_engine* engine);

/* The mode the engine runs in (never RONDO_ENGINE_DEFAULT). Since 0.1. */
RONDO_API rondo_status rondo_engine_get_mode(rondo_engine* engine, rondo_engine_mode* mode);

/* Blocks until every task submitted before has finished, on the devices too. Returns the first cause among failures of
 * tasks since the last wait_all that reported one, or RONDO_OK. Inside a task: RONDO_INVALID_STATE. Since 0.1. */
RONDO_API rondo_status rondo_engine_wait_all(rondo_engine* engine);
/* The same, but blocks so many milliseconds at most; 0 asks only, -1 is no limit. RONDO_TIMED_OUT where some have not
 * finished by then: they go on, no failure was reported, and they may be waited for again. Since 0.1. */
RONDO_API rondo_status rondo_engine_wait_all_for(rondo_engine* engine, int64_t milliseconds);

/* Seeds the engine's random numbers (Philox4x32-10) on all devices with `seed` and restarts their sequence. Takes
 * effect for operators submitted after it. Since 0.1. */
RONDO_API rondo_status rondo_engine_seed(rondo_engine* engine, uint64_t seed);

/* --- variables: order, version and error, no data ------------------------------------------------------------------
 */

/* Creates a variable. The caller owns it; destroying it never blocks and is safe with tasks in flight. Since 0.1. */
RONDO_API rondo_status rondo_variable_create(rondo_engine* engine, rondo_variable** variable);
RONDO_API void rondo_variable_destroy(rondo_variable* variable);
/* Blocks until every task submitted before that reads or writes the variable has finished, on the device too; returns
 * its error if it is poisoned. Of a tensor's variable (rondo_tensor_variable) it says that nobody uses the memory any
 * more, where rondo_tensor_wait says that the contents are there. Inside a task: RONDO_INVALID_STATE. Since 0.1. */
RONDO_API rondo_status rondo_variable_wait(rondo_variable* variable);
/* The same, but blocks so many milliseconds at most; 0 asks only, -1 is no limit. RONDO_TIMED_OUT where one of the
 * tasks has not finished by then, with its name: it goes on, and may be waited for again. Since 0.1. */
RONDO_API rondo_status rondo_variable_wait_for(rondo_variable* variable, int64_t milliseconds);
/* Called once when what was waited for is done: `status` is what the wait would have returned, and while the call lasts
 * rondo_last_error, rondo_last_error_operator and rondo_last_error_cause tell what failed. On a thread of the engine,
 * or on one of the program's that is in a call of Rondo: it must be short, must not wait (RONDO_INVALID_STATE) and must
 * not throw. */
typedef void (*rondo_done_fn)(void* arg, rondo_status status);
/* rondo_variable_wait without a thread that waits: calls fn(arg, status) when every task submitted before that reads or
 * writes the variable has finished, on the device too; in this call if that is so already. What is submitted later
 * neither delays it nor changes its status. `contents` not 0: of what rondo_tensor_wait waits for instead, tasks that
 * only read may go on. Notices do not count among the engine's max_tasks. When the engine is destroyed first, all that
 * can still be done is done before fn is called; after fork() it never is. Any error: fn is not called. Allowed inside
 * tasks; RONDO_INVALID_STATE for temporaries and tensors of an open recording. Since 0.1. */
RONDO_API rondo_status rondo_variable_notify(rondo_variable* variable, int32_t contents, rondo_done_fn fn, void* arg);
/* rondo_engine_wait_all likewise: the status is that of the first task that failed since the last such wait or notice
 * that told. Since 0.1. */
RONDO_API rondo_status rondo_engine_notify(rondo_engine* engine, rondo_done_fn fn, void* arg);

/* Number of completed or issued writes. Reads do not count. Never blocks. Since 0.1. */
RONDO_API rondo_status rondo_variable_version(rondo_variable* variable, uint64_t* version);

/* --- user tasks --- */

/* What a task function may ask about its run. Valid during the call only. */
typedef struct rondo_task_context rondo_task_context;

/* Body of a task. Return RONDO_OK, or any other status to fail; rondo_task_fail gives the message. A device task must
 * only enqueue work on the stream and return; it must not synchronise. Must not wait for Rondo objects
 * (RONDO_INVALID_STATE) and must not throw. May be called again when it was recorded into a graph. In a device task the
 * device's primary context is current, for calls of the driver, cudart and libraries on them; a context of the thread's
 * own is current again afterwards. */
typedef rondo_status (*rondo_task_fn)(void* arg, rondo_task_context* context);

/* Native stream (a CUstream, which cudart's cudaStream_t equals) of a device task; NULL for host functions. Since 0.1.
 */
RONDO_API void* rondo_task_stream(rondo_task_context* context);
/* Native stream `index`, from 0, of the auxiliary streams that the options asked for; NULL for any other number. It
 * begins where rondo_task_stream is when the function is called, and rondo_task_stream waits for it when the function
 * has returned, also with an error. While the task is captured into a graph that holds conditional nodes
 * (rondo/control.h) each of them is rondo_task_stream itself: there nothing runs side by side. Valid during the call
 * only. Since 0.1. */
RONDO_API void* rondo_task_auxiliary_stream(rondo_task_context* context, int32_t index);
/* Device the task runs on. Since 0.1. */
RONDO_API rondo_device rondo_task_device(rondo_task_context* context);
/* 1 while the task is being captured into a CUDA graph (it must then only enqueue capturable work). Since 0.1. */
RONDO_API int32_t rondo_task_is_capturing(rondo_task_context* context);
/* An operand of a task pushed by rondo_engine_push_tensors: reads first, then writes, both in the order given, so
 * writes begin at n_reads. *address is of its first element, in the address space of the device that it is on; *info
 * (NULL: not wanted) is what rondo_tensor_query says of the view given. Valid during the call only, but for tensors the
 * program holds itself. RONDO_INVALID_ARGUMENT for an index beyond the operands. Never blocks. Since 0.1. */
RONDO_API rondo_status rondo_task_operand(rondo_task_context* context, size_t index, void** address,
                                          rondo_tensor_info* info);
/* Sets the message that goes with the error the function is about to return. Copied. Since 0.1. */
RONDO_API void rondo_task_fail(rondo_task_context* context, const char* message);
/* Sets an object that goes with the error the function is about to return, for rondo_last_error_cause on whichever
 * thread is told of it. Takes `cause` in every case: `destroy` (may be NULL) is called with it once, when no error
 * holds it any more, in a later call of Rondo on any thread; it must not wait. Since 0.1. */
RONDO_API void rondo_task_fail_cause(rondo_task_context* context, void* cause, void (*destroy)(void* cause));

typedef enum rondo_task_flags {
  RONDO_TASK_DEFAULT = 0,
  RONDO_TASK_NO_CAPTURE =
      1 /* a device task that cannot be captured: it splits a graph, as host functions in a row do */
} rondo_task_flags;

typedef struct rondo_task_options {
  size_t size;               /* set by RONDO_TASK_OPTIONS_INIT */
  rondo_device device;       /* {RONDO_CPU, 0}: a host function on a worker; {RONDO_CUDA, i}: issues work on a stream */
  int32_t priority;          /* > 0 runs before others that are ready, and on a high-priority stream; default 0 */
  int32_t stream;            /* cuda: compute stream index, modulo the engine's streams; -1: the engine picks */
  uint32_t flags;            /* rondo_task_flags */
  const char* name;          /* for errors, traces and graph reports; copied; NULL: "user" */
  int32_t auxiliary_streams; /* cuda: streams beside the task's, for work side by side, 0 to 8; default 0 */
  int32_t reserved;          /* 0 */
} rondo_task_options;
#define RONDO_TASK_OPTIONS_INIT \
  { sizeof(rondo_task_options), {RONDO_CPU, 0}, 0, -1, RONDO_TASK_DEFAULT, NULL, 0, 0 }

/* Submits fn(arg) to run once the reads and writes allow it. The same variable may be given twice, and as read and
 * write. `destroy` (may be NULL) is called with arg exactly once, when the task will never run again (also if push
 * fails), and before any wait for the task returns; like the task it must not wait for Rondo objects. options NULL
 * means RONDO_TASK_OPTIONS_INIT. Variables of another engine: RONDO_INVALID_ARGUMENT. Blocks only while max_tasks are
 * in flight, and in naive mode. While the thread records, the task is kept instead of run. Since 0.1. */
RONDO_API rondo_status rondo_engine_push(rondo_engine* engine, rondo_task_fn fn, void* arg, void (*destroy)(void* arg),
                                         rondo_variable* const* reads, size_t n_reads, rondo_variable* const* writes,
                                         size_t n_writes, const rondo_task_options* options);

/* The same with tensors: the task reads and writes their contents, and holds them, so their handles may be destroyed
 * (and reused) as soon as the call returns, inside a recording too. fn asks rondo_task_operand where they are; only
 * there have temporaries of a recording an address. A tensor that has no memory yet gets it before fn runs, and a write
 * of all of it starts without an error of what was there.
 *
 * Any view may be read, also one that shows elements twice (rondo_tensor_broadcast). A written view must not, and must
 * not be read-only memory. A view of a part is written without touching the rest. An accumulator view is refused,
 * because only operators add; to add, give the tensor as read and as write. What overlaps is fn's business: the same
 * tensor may be given more than once, and as read and write. A tensor may be on another device than the task
 * (info->device says where). RONDO_INVALID_ARGUMENT for all that and for tensors of another engine; RONDO_INVALID_STATE
 * for tensors of an open recording in a task pushed outside it. Everything else as rondo_engine_push. Since 0.1. */
RONDO_API rondo_status rondo_engine_push_tensors(rondo_engine* engine, rondo_task_fn fn, void* arg,
                                                 void (*destroy)(void* arg), rondo_tensor* const* reads, size_t n_reads,
                                                 rondo_tensor* const* writes, size_t n_writes,
                                                 const rondo_task_options* options);

/* --- tasks that end later than their function --- */

/* The end of a task, which its function has left to somebody else. Belongs to one run of one task. */
typedef struct rondo_completion rondo_completion;

/* Called inside a host function: the task does not end when the function returns, but when *completion is completed.
 * Meanwhile it holds no worker, and what it reads and writes stays as it is and where it is: operands may be used, and
 * so may arg, until then. For libraries that have threads of their own. In naive mode the call that submitted the task
 * goes on until then. A recorded task is given one at each launch. The caller owns *completion.
 *
 * If the function returns an error nevertheless, that is the task's, and the task ends when *completion is completed or
 * destroyed. rondo_engine_destroy does not wait for completions: tasks that miss theirs fail with RONDO_INVALID_STATE,
 * and only their memory and their arg stay, until *completion is destroyed. The same goes for each task behind them
 * that uses what they use. RONDO_UNSUPPORTED in a device task, which ends when its stream is done; RONDO_INVALID_STATE
 * if the run has its completion already. Since 0.1. */
RONDO_API rondo_status rondo_task_defer(rondo_task_context* context, rondo_completion** completion);
/* Ends the task: with RONDO_OK, or it fails with any other `status` and with `message` (copied; NULL: none), as if its
 * function had returned that. What the task was given must not be used any more. From any thread, in or outside tasks,
 * of any engine's; never blocks, and runs neither tasks nor functions of the user's on the calling thread.
 * RONDO_INVALID_STATE if it was completed already, or if the engine was destroyed before. Since 0.1. */
RONDO_API rondo_status rondo_completion_complete(rondo_completion* completion, rondo_status status,
                                                 const char* message);
/* Sets the object `cause` that goes with the error *completion is about to be completed with, as rondo_task_fail_cause
 * does, and takes it likewise. Since 0.1. */
RONDO_API void rondo_completion_fail_cause(rondo_completion* completion, void* cause, void (*destroy)(void* cause));
/* Destroys the handle. If it was not completed, the task fails with RONDO_USER_ERROR. Never blocks. NULL is allowed.
 * Since 0.1. */
RONDO_API void rondo_completion_destroy(rondo_completion* completion);

/* --- memory --- */

typedef struct rondo_memory_info {
  size_t size;                 /* set by RONDO_MEMORY_INFO_INIT */
  int64_t in_use;              /* bytes handed out now */
  int64_t cached;              /* bytes held by the pool and free for reuse */
  int64_t peak_in_use;         /* highest in_use so far */
  int64_t limit;               /* bytes in_use + cached may reach; 0: none */
  int64_t allocations;         /* requests served so far */
  int64_t system_allocations;  /* of which went to the system or driver */
  int64_t cross_stream_reuses; /* blocks reused on another stream after a device-side wait */
  int64_t retries;             /* times the pool had to return cached blocks or wait because memory ran out */
} rondo_memory_info;
#define RONDO_MEMORY_INFO_INIT \
  { sizeof(rondo_memory_info), 0, 0, 0, 0, 0, 0, 0, 0 }

/* Figures of the engine's pool on a device. Zeros if the device was not used yet. Since 0.1. */
RONDO_API rondo_status rondo_memory_query(rondo_engine* engine, rondo_device device, rondo_memory_info* info);
/* Sets the pool's limit in bytes (0: none). Does not free anything in use. Since 0.1. */
RONDO_API rondo_status rondo_memory_set_limit(rondo_engine* engine, rondo_device device, int64_t bytes);
/* Returns cached memory that no stream still uses to the system. Since 0.1. */
RONDO_API rondo_status rondo_memory_trim(rondo_engine* engine, rondo_device device);

#ifdef __cplusplus
}
#endif
#endif /* RONDO_ENGINE_H */
