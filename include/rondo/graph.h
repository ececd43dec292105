/* Recording and graphs: record work once, replay it for almost nothing.
 *
 * Between rondo_record_begin and rondo_record_end, operators and user tasks of the calling thread are kept instead of
 * run. Tensors created inside and still held by the user at the end are the graph's outputs (or those that were named,
 * if the recording says so: RONDO_RECORD_NAMED_OUTPUTS); other tensors created inside are temporaries; tensors from
 * outside are inputs, which the graph keeps alive (it may also write them: parameters). A launch is a task for each
 * segment, in one step of the engine: it orders with everything else by its variables, and may be repeated at once.
 *
 * A graph that is called instead (RONDO_RECORD_CALLABLE) is a function of tensors: each call is given its inputs and
 * leaves outputs that belong to the caller, from any number of threads.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef RONDO_GRAPH_H
#define RONDO_GRAPH_H

#include <rondo/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rondo_record_flags {
  RONDO_RECORD_DEFAULT = 0,
  RONDO_RECORD_NAMED_OUTPUTS = 1,   /* only tensors named by rondo_record_output are outputs, whatever is still held */
  RONDO_RECORD_AS_WRITTEN = 2,      /* no pass changes what was recorded: all of it runs, whether or not it is read */
  RONDO_RECORD_CALLABLE = 4,        /* for rondo_graph_call: inputs are made by rondo_record_input, outputs named by
                                       rondo_record_output */
  RONDO_RECORD_FEWER_ROUNDINGS = 8, /* fused operators hand on what they computed, unrounded; products and
                                      convolutions take in the scale, bias, residual and activation that follow them;
                                      normalisations and attention written as their parts become one operator. Results
                                      differ by roundings, and where those parts overflow or a row of attention sees no
                                      key. The report tells each place */
  RONDO_RECORD_FALL_BACK = 16,      /* a segment whose capture fails is run task by task in each launch, as eager calls
                                       are, with the same results; the graph's report says why. Without it, the
                                       recording fails at its end. Not for want of memory, a lost device or
                                       collectives */
  RONDO_RECORD_SITES = 32,          /* notes where in the program each task comes from: failures,
                                       profiles and pictures of the graph say it */
  RONDO_RECORD_HOST_DECIDES = 64,   /* the host decides all control flow, between segments, also where a CUDA graph
                                       could choose by itself: slower, but a profile times each body,
                                       and what is poisoned and only a body that is not chosen reads does no harm */
  RONDO_RECORD_CHECK_NUMBERS = 128  /* each launch and call looks at what every recorded operator has made. If there is
                                       a NaN or an infinity it fails (RONDO_INVALID_ARGUMENT), and its outputs carry
                                       the error, which names the operator that made the first one, its site if that
                                       was noted, its operands, and the place of the element. An infinity that came in
                                       with a tensor or a number of the program's counts for nobody. Slower */
} rondo_record_flags;

typedef struct rondo_record_options {
  size_t size;          /* set by RONDO_RECORD_OPTIONS_INIT */
  const char* name;     /* for reports and traces; copied; NULL: "graph" */
  int32_t max_branches; /* branches that may run side by side in a CUDA graph, 1 to 32; 0: 8 */
  uint32_t flags;       /* rondo_record_flags */
  const char* arena;    /* a name; graphs of the engine that are recorded with the same one share the memory of their
                           temporaries: record the largest first; copied; NULL: the graph has its own */
  int32_t arenas;       /* of a graph that is called: how many of its calls may overlap, each with temporaries and CUDA
                           graphs of its own, 1 to 64; 0: 1. One that writes tensors from outside has 1 all the same:
                           its report says why */
  int32_t reserved;     /* 0 */
} rondo_record_options;
#define RONDO_RECORD_OPTIONS_INIT \
  { sizeof(rondo_record_options), NULL, 0, RONDO_RECORD_DEFAULT, NULL, 0, 0 }

/* Starts recording on the calling thread. Other threads are not affected. A thread that ends aborts its recording. One
 * recording per thread: RONDO_INVALID_STATE if one is open, or inside a task. One whose engine was destroyed by another
 * thread, or is lost, does not count: it is dropped. options NULL means RONDO_RECORD_OPTIONS_INIT. Since 0.1. */
RONDO_API rondo_status rondo_record_begin(rondo_engine* engine, const rondo_record_options* options);
/* Ends the thread's recording and compiles it: kernels are compiled and loaded, library calls are tried out on scratch
 * memory, temporaries are placed in one arena, and what can be captured becomes a CUDA graph. Operators whose results
 * nobody reads are left out, and elementwise ones that follow each other become one kernel with the same bits
 * (docs/program.md), unless RONDO_RECORD_AS_WRITTEN. Nothing that was recorded runs, no tensor of the user is changed.
 * The caller owns *graph. On failure, the recording is dropped, the message names the operator, tensors created inside
 * carry the error until they are written, and engine and streams are usable as before. Since 0.1. */
RONDO_API rondo_status rondo_record_end(rondo_engine* engine, rondo_graph** graph);
/* Drops the thread's recording, if there is one. Tensors created inside carry an error that says so. Since 0.1. */
RONDO_API rondo_status rondo_record_abort(rondo_engine* engine);

/* Names an output of the calling thread's recording, which was begun with RONDO_RECORD_NAMED_OUTPUTS; any view names
 * its whole storage. For callers that cannot say what is still held at the end, such as garbage-collected languages. A
 * tensor from outside keeps its contents anyway and may be named; the same tensor may be named twice. After the end,
 * whatever was created inside and not named is a temporary: a handle of it that is still held must be destroyed, can be
 * queried, and everything that would use its contents is RONDO_INVALID_STATE. RONDO_INVALID_STATE without such a
 * recording; RONDO_INVALID_ARGUMENT for a tensor of another engine.
 *
 * Of a recording begun with RONDO_RECORD_CALLABLE, the i-th call names what rondo_graph_call gives as outputs[i], with
 * the tensor's dtype and shape. The tensor must be made in the recording, neither be an input nor share memory with an
 * output, and hold all of its memory, row-major: else RONDO_INVALID_ARGUMENT, and a copy (rondo_copy) can be named.
 * Since 0.1. */
RONDO_API rondo_status rondo_record_output(rondo_engine* engine, rondo_tensor* tensor);
/* Makes an input of the calling thread's recording, which was begun with RONDO_RECORD_CALLABLE: a tensor that stands
 * for what each rondo_graph_call is given, the i-th for inputs[i]. The recording may read it, not write it
 * (rondo_record_end fails and names the task). The caller owns *input, and may destroy it at once; after the end it can
 * be queried, and everything that would use its contents is RONDO_INVALID_STATE. RONDO_INVALID_STATE without such a
 * recording; other errors as of rondo_tensor_create. Since 0.1. */
RONDO_API rondo_status rondo_record_input(rondo_engine* engine, rondo_device device, rondo_dtype dtype, int32_t ndim,
                                          const int64_t* shape, rondo_tensor** input);
/* Records a parameter: a number that launches are given, such as a learning rate or the number of a step. *parameter is
 * a new tensor without axes on `device`, which operators take as any other (it broadcasts); each launch writes into it
 * what rondo_graph_set said last, and `value` before that. The caller owns it, and may destroy it at once. name:
 * copied, one of its own in the recording. value: integers and bool must hold it exactly. RONDO_INVALID_STATE without a
 * recording on the calling thread; RONDO_INVALID_ARGUMENT for a name that is empty or taken, or a value that the dtype
 * does not hold; other errors as of rondo_tensor_create. Since 0.1. */
RONDO_API rondo_status rondo_record_parameter(rondo_engine* engine, const char* name, rondo_device device,
                                              rondo_dtype dtype, double value, rondo_tensor** parameter);
/* What the calling thread records until rondo_record_section_end is a section, which rondo_graph_enable switches. In
 * launches where it is off, none of it runs, and all that it would write stays as it was, tensors made in the recording
 * too; those are zero before the section has run for the first time. Passes make no kernel of what is inside and what
 * is outside. on: whether it is on before rondo_graph_enable says otherwise, 0 or 1. Several parts of a recording may
 * be one section, with the same name and `on`. A section is not opened in another. RONDO_INVALID_STATE without a
 * recording on the calling thread, or in a section; RONDO_INVALID_ARGUMENT for an empty name, or another `on` than
 * before. Since 0.1. */
RONDO_API rondo_status rondo_record_section_begin(rondo_engine* engine, const char* name, int32_t on);
/* Ends the section; rondo_record_end fails while one is open. RONDO_INVALID_STATE if none is. Since 0.1. */
RONDO_API rondo_status rondo_record_section_end(rondo_engine* engine);
/* Says where in the program the calling thread has recorded what it recorded since the last call of this: "train.c:42",
 * or a name. Failures, profiles and pictures of the graph then have it beside the task. site: copied; NULL: nothing is
 * said. *notes: whether the thread has a recording that notes it (RONDO_RECORD_SITES, or the setting of that name), 0
 * or 1; without one nothing happens, and that is no failure. notes may be NULL. What nobody says anything about has the
 * function that called Rondo, with its file and place in it, where Rondo is a shared library. Never blocks.
 * RONDO_INVALID_ARGUMENT for an empty site, and where both are NULL. Since 0.1. */
RONDO_API rondo_status rondo_record_site(const char* site, int32_t* notes);
/* *open: 1 if the calling thread has a recording of this engine open, else 0. Never blocks. Since 0.1. */
RONDO_API rondo_status rondo_record_is_open(rondo_engine* engine, int32_t* open);

/* Submits one run of the graph. Does not wait. RONDO_INVALID_STATE for a graph that is called. Since 0.1. */
RONDO_API rondo_status rondo_graph_launch(rondo_graph* graph);
/* Submits one run of a graph that was recorded with RONDO_RECORD_CALLABLE: its inputs are the given tensors, its
 * results go into `outputs`. Does not wait. From any thread, any number of them at once: calls of one graph run one
 * after the other, in the order of submission, each as one step that no other task comes between, and no answer is
 * mixed up. If the recording was given several arenas (rondo_record_options), so many calls in a row may overlap, each
 * with the results that it would have alone; random numbers are drawn in the order of submission.
 *
 * inputs: n_inputs tensors, in the order of rondo_record_input. Each has the recorded device, dtype and shape, is
 * row-major, and was written. They are only read, may be the same, and may be destroyed right after the call.
 * outputs: n_outputs slots, in the order of rondo_record_output. A slot that holds NULL gets a new tensor, which the
 * caller owns. One that holds a tensor is written: it has the device, dtype and shape of the result, is row-major, and
 * shares no memory with an input, another output or a tensor that the graph uses. The first element of a tensor lies
 * at a multiple of 16 bytes (cpu) or 256 (cuda): kernels count on it. On failure no slot is changed.
 *
 * An input that carries an error leaves it on the outputs that depend on it, as operators do. In a recording of another
 * graph the call is kept, as a launch is. If an open tape follows an input, or a tensor from outside that the graph
 * uses, the call is one operator with a gradient, as that of a callable is: the graph is recorded once more, with what
 * its gradient needs, the first time that it is called so; such calls count among no launches. Where that cannot be, it
 * is a task without gradient, and rondo_tape_gradients says why. docs/graphs.md explains.
 * RONDO_INVALID_STATE for a graph that is launched; RONDO_INVALID_ARGUMENT names the tensor that does not fit, and what
 * would. Since 0.1. */
RONDO_API rondo_status rondo_graph_call(rondo_graph* graph, int32_t n_inputs, rondo_tensor* const* inputs,
                                        int32_t n_outputs, rondo_tensor** outputs);
/* Gives a parameter another value, for launches and calls that are submitted from now on; those before have the old
 * one, wherever they are. From any thread. Costs no device work: a launch with another value than the last one changes
 * one node of its CUDA graph. Submitted in a recording of another graph, a launch keeps the values that it has then.
 * RONDO_NOT_FOUND if the graph has no parameter of that name, and names those it has; RONDO_INVALID_ARGUMENT for a
 * value that the parameter's dtype does not hold exactly (integers and bool). Since 0.1. */
RONDO_API rondo_status rondo_graph_set(rondo_graph* graph, const char* name, double value);
/* The same with an integer, exact beyond 2^53. Since 0.1. */
RONDO_API rondo_status rondo_graph_set_i64(rondo_graph* graph, const char* name, int64_t value);
/* Switches a section on or off (1, 0), for launches and calls that are submitted from now on. From any thread.
 * RONDO_NOT_FOUND if the graph has no section of that name, and names those it has. Since 0.1. */
RONDO_API rondo_status rondo_graph_enable(rondo_graph* graph, const char* name, int32_t on);
/* Destroys the handle. Never blocks; launches in flight finish first. NULL is allowed. Since 0.1. */
RONDO_API void rondo_graph_destroy(rondo_graph* graph);

typedef struct rondo_graph_info {
  size_t size;             /* set by RONDO_GRAPH_INFO_INIT */
  int32_t tasks;           /* tasks of a launch: those recorded, less what nobody reads */
  int32_t segments;        /* pieces the graph was split in; 1: nothing split it */
  int32_t captured;        /* of which are CUDA graphs */
  int32_t nodes;           /* nodes of all CUDA graphs, in bodies of conditional nodes too */
  int32_t edges;           /* edges of all CUDA graphs, alike */
  int32_t branches;        /* most branches side by side in a CUDA graph (1 for a linear one, 0 without) */
  int64_t arena_bytes;     /* memory of all temporaries together, on all devices */
  int64_t temporary_bytes; /* what they would take without sharing, rounded alike: never less than arena_bytes */
  int64_t output_bytes;    /* memory of outputs */
  int64_t launches;        /* so far, calls too */
  double record_ms;        /* from begin to end */
  double prepare_ms;       /* compile, tune, warm */
  double capture_ms;       /* capture, instantiate, upload */
  int32_t inputs;          /* that a call is given */
  int32_t outputs;         /* that a call leaves */
  int64_t call_bytes;      /* memory through which calls copy inputs and outputs; 0: kernels work on the caller's */
  int32_t call_kernels; /* of CUDA graphs, that are given the caller's addresses by a call with others than the last */
  int32_t conditional_nodes; /* if, while and switch that CUDA graphs decide themselves, without the host */
  int32_t programmatic;      /* edges of CUDA graphs by which a kernel starts before the one before it has ended */
  int32_t arenas;            /* so many calls may overlap; the bytes above are those of all arenas together, tasks,
                                segments, nodes and edges those of one */
  int32_t reserved;          /* 0 */
} rondo_graph_info;
#define RONDO_GRAPH_INFO_INIT \
  { sizeof(rondo_graph_info), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0, 0.0, 0.0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Figures of a graph. Since 0.1. */
RONDO_API rondo_status rondo_graph_query(rondo_graph* graph, rondo_graph_info* info);
/* Writes a report for people: what was captured, what split the graph, where and why, memory and times. Writes at
 * most capacity bytes with the final zero; *length is the whole length without it (buffer may be NULL with capacity 0).
 * Since 0.1. */
RONDO_API rondo_status rondo_graph_report(rondo_graph* graph, char* buffer, size_t capacity, size_t* length);
/* Writes the graph (tasks, data flow, segments) as Graphviz DOT. Since 0.1. */
RONDO_API rondo_status rondo_graph_dot(rondo_graph* graph, const char* path);
/* Launches the graph once and measures each of its tasks, those inside CUDA graphs too: all run one after the other,
 * each by itself, a host's timed by its clock, a device's by events of the device around it. The results have the bits
 * of a launch, and the run counts as one; it draws as many random numbers, and a user task's function is called, for
 * what was captured as well. A captured segment with collectives runs as a whole, as on other ranks. Waits for the run.
 *
 * rondo_graph_report then has the total, the critical path (the longest way through the data flow, below which more
 * branches cannot bring a launch) and the tasks that took longest. path: a file for all of it as JSON, which
 * `rondo graph FILE` shows (docs/graphs.md); NULL: none. A failure of the run is the call's status.
 * RONDO_INVALID_STATE for a graph that is called, in a recording and in a task; RONDO_IO_ERROR if the file cannot be
 * written: the run took place. Since 0.1. */
RONDO_API rondo_status rondo_graph_profile(rondo_graph* graph, const char* path);
/* The same of a graph that is called: a call each of whose tasks is measured. inputs: n_inputs tensors, outputs:
 * n_outputs slots, both as rondo_graph_call takes them. On failure, of the run or the file too, no slot is changed. For
 * an open tape it is a task without gradient.
 * RONDO_INVALID_STATE for a graph that is launched, in a recording and in a task; other errors as of rondo_graph_call
 * and rondo_graph_profile. Since 0.1. */
RONDO_API rondo_status rondo_graph_profile_call(rondo_graph* graph, const char* path, int32_t n_inputs,
                                                rondo_tensor* const* inputs, int32_t n_outputs, rondo_tensor** outputs);

#ifdef __cplusplus
}
#endif
#endif /* RONDO_GRAPH_H */
