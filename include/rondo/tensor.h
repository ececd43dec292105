/* Tensors: storage (memory and one variable), dtype, shape, strides, offset. Views share storage.
 *
 * Shapes and strides are int64_t, strides in elements (they may be 0 or negative in views). At most RONDO_MAX_DIMS
 * dimensions; a tensor of 0 dimensions has one element; dimensions of size 0 are allowed. Memory that tensors are
 * created with is row-major contiguous and aligned to at least 64 bytes (cpu) or 256 bytes (cuda).
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef RONDO_TENSOR_H
#define RONDO_TENSOR_H

#include <rondo/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RONDO_MAX_DIMS 8

/* Size of one element in bytes; 0 for a number that is no dtype. Since 0.1. */
RONDO_API size_t rondo_dtype_size(rondo_dtype dtype);
/* "f32", "bool" ...; "unknown" for a number that is no dtype. Static. Since 0.1. */
RONDO_API const char* rondo_dtype_name(rondo_dtype dtype);

/* Creates a tensor without contents: until something is written to it, a part of it is enough, whoever reads it is told
 * RONDO_INVALID_STATE (rondo_tensor_accept has the details). shape may be NULL when ndim is 0. The caller owns *tensor.
 * Memory is taken at the first write to it, unless a recording is open, which plans it. RONDO_NOT_FOUND if the device
 * does not exist, RONDO_LIBRARY_MISSING if its driver does not. Since 0.1. */
RONDO_API rondo_status rondo_tensor_create(rondo_engine* engine, rondo_device device, rondo_dtype dtype, int32_t ndim,
                                           const int64_t* shape, rondo_tensor** tensor);
/* Creates a tensor with a copy of row-major host data (as many bytes as the tensor has). The data may be reused as soon
 * as the call returns. Not recorded: inside a recording it makes an ordinary tensor, an input of the graph. Since 0.1.
 */
RONDO_API rondo_status rondo_tensor_from_host(rondo_engine* engine, rondo_device device, rondo_dtype dtype,
                                              int32_t ndim, const int64_t* shape, const void* data,
                                              rondo_tensor** tensor);
/* Destroys the handle. Never blocks; safe with tasks in flight; memory goes back when the last task, view and graph
 * that uses it is done. NULL is allowed. Since 0.1. */
RONDO_API void rondo_tensor_destroy(rondo_tensor* tensor);

/* Replaces the contents with row-major host data of exactly `bytes` bytes (the size of the tensor). Ordered like any
 * task that writes the tensor; the data may be reused as soon as the call returns. Not allowed while recording. Since
 * 0.1. */
RONDO_API rondo_status rondo_tensor_write(rondo_tensor* tensor, const void* data, size_t bytes);
/* Waits for the tensor's contents, as rondo_tensor_wait does, and copies them to data, row-major host memory of exactly
 * `bytes` bytes. Views are gathered. Returns the tensor's error if it is poisoned, RONDO_INVALID_STATE if it was never
 * written. Not allowed while recording or inside a task. Since 0.1. */
RONDO_API rondo_status rondo_tensor_read(rondo_tensor* tensor, void* data, size_t bytes);
/* From here on what is in the memory of the tensor's storage, of all its views, counts as written, whatever it is: an
 * error is cleared, and a tensor that was never written may be read, as zeros. Changes no byte that was written.
 * Ordered like any task that writes the tensor, and kept by a recording like one. For whoever salvages what a failed
 * task left, and for memory that is filled behind Rondo's back.
 *
 * As written counts a tensor that a task was submitted to write (from the host, by an operator, by a user task that
 * names it among its writes, by a graph's launch, in whole or through a view of a part), one from
 * rondo_tensor_from_host or DLPack, and one whose address was asked for with rondo_tensor_data. Of any other these
 * return RONDO_INVALID_STATE: rondo_tensor_read, the exports to DLPack, operators that have it as input or add to it,
 * and, for what the graph reads before it writes it, rondo_graph_launch. A user task that names its variable among its
 * reads runs. Since 0.1. */
RONDO_API rondo_status rondo_tensor_accept(rondo_tensor* tensor);
/* Blocks until the contents are there: every task submitted before that writes the tensor's storage has finished, on
 * the device too. Tasks that read it may go on; rondo_variable_wait on its variable waits for them as well. Returns its
 * error if it is poisoned. Inside a task: RONDO_INVALID_STATE. Since 0.1. */
RONDO_API rondo_status rondo_tensor_wait(rondo_tensor* tensor);
/* The same, but blocks so many milliseconds at most; 0 asks only, -1 is no limit. RONDO_TIMED_OUT where the contents
 * are not there by then, with the name of the task: it goes on, and may be waited for again. Since 0.1. */
RONDO_API rondo_status rondo_tensor_wait_for(rondo_tensor* tensor, int64_t milliseconds);

typedef struct rondo_tensor_info {
  size_t size; /* set by RONDO_TENSOR_INFO_INIT */
  rondo_dtype dtype;
  rondo_device device;
  int32_t ndim;
  int32_t contiguous; /* 1 if row-major without gaps */
  int64_t elements;   /* product of shape */
  int64_t bytes;      /* elements * size of dtype */
  int64_t shape[RONDO_MAX_DIMS];
  int64_t strides[RONDO_MAX_DIMS]; /* in elements */
} rondo_tensor_info;
#define RONDO_TENSOR_INFO_INIT                                       \
  {                                                                  \
    sizeof(rondo_tensor_info), RONDO_F32, {0, 0}, 0, 0, 0, 0, {0}, { \
      0                                                              \
    }                                                                \
  }

/* Facts about a tensor. Never blocks. Since 0.1. */
RONDO_API rondo_status rondo_tensor_query(rondo_tensor* tensor, rondo_tensor_info* info);
/* Address of the first element, in the device's address space, for use in user tasks. Takes memory if the tensor has
 * none yet, which is zeroed first, and counts as a write: who has the address may fill it. Ordering is the caller's
 * duty: use it inside a task that names rondo_tensor_variable(tensor), or give the tensor to the task
 * (rondo_engine_push_tensors), which then asks for the address. Stays valid while the tensor lives. RONDO_INVALID_STATE
 * for a tensor of an open recording and for a graph's temporary. Since 0.1. */
RONDO_API rondo_status rondo_tensor_data(rondo_tensor* tensor, void** address);
/* The variable of the tensor's storage, for rondo_engine_push. Borrowed: lives as long as the tensor; must not be
 * destroyed. Since 0.1. */
RONDO_API rondo_status rondo_tensor_variable(rondo_tensor* tensor, rondo_variable** variable);

/* --- views: share storage, no work is submitted; the caller owns *view
 * ------------------------------------------------- */

/* Same elements in row-major order under another shape; one dimension may be -1. RONDO_INVALID_ARGUMENT if the strides
 * do not allow it without a copy (copy it first with rondo_copy). Since 0.1. */
RONDO_API rondo_status rondo_tensor_reshape(rondo_tensor* tensor, int32_t ndim, const int64_t* shape,
                                            rondo_tensor** view);
/* Elements start, start + step, ... before stop of one axis, as Python's slices: negative start and stop count from the
 * end and are clamped; step may be negative (INT64_MIN / INT64_MAX as stop mean "to the end") but not 0, nor INT64_MIN
 * (its size has no int64_t; -INT64_MAX steps as far). Since 0.1. */
RONDO_API rondo_status rondo_tensor_slice(rondo_tensor* tensor, int32_t axis, int64_t start, int64_t stop, int64_t step,
                                          rondo_tensor** view);
/* Axes in another order; axes has ndim entries, NULL reverses them. Since 0.1. */
RONDO_API rondo_status rondo_tensor_transpose(rondo_tensor* tensor, const int32_t* axes, rondo_tensor** view);
/* The elements of some axes (each once, negative counts from the end) in reverse order, as NumPy's flip; n_axes 0 with
 * axes NULL: of all. Since 0.1. */
RONDO_API rondo_status rondo_tensor_flip(rondo_tensor* tensor, int32_t n_axes, const int32_t* axes,
                                         rondo_tensor** view);
/* The one with number `part`, from 0, of so many parts of an axis as `parts` says. Where the axis does not divide, the
 * first ones have one element more, as NumPy's array_split; parts of chosen sizes are slices. Since 0.1. */
RONDO_API rondo_status rondo_tensor_split(rondo_tensor* tensor, int32_t axis, int64_t parts, int64_t part,
                                          rondo_tensor** view);
/* Shape by NumPy's broadcasting rules, repeated elements at stride 0. Read-only: an operator refuses it as output.
 * Since 0.1. */
RONDO_API rondo_status rondo_tensor_broadcast(rondo_tensor* tensor, int32_t ndim, const int64_t* shape,
                                              rondo_tensor** view);
/* A view that accumulates: an operator whose output it is adds to the elements instead of replacing them (in the
 * compute dtype, one rounding). For gradients that sum. rondo_tensor_read and rondo_tensor_wait on it read and wait for
 * the tensor; as an input of an operator, by rondo_tensor_write and by the export to DLPack it is refused. Tensors of
 * bool and of 8-bit floats do not add: RONDO_INVALID_ARGUMENT. Since 0.1. */
RONDO_API rondo_status rondo_tensor_accumulator(rondo_tensor* tensor, rondo_tensor** view);

/* --- DLPack (https://dmlc.github.io/dlpack, versions 0 and 1) --- */

struct DLManagedTensor;          /* declared in dlpack.h */
struct DLManagedTensorVersioned; /* declared in dlpack.h */

/* `stream` is a CUstream. NULL, which is 0, is no stream here, not the default one: the host waits instead (out), or
 * the data are ready (in). As in the driver and in Python's protocol, (void*)1 is the legacy default stream and
 * (void*)2 the default stream of the calling thread. Python's None is NULL; its -1 ("no synchronisation") is refused
 * with RONDO_INVALID_ARGUMENT. On cpu `stream` is not used. */

/* Hands the tensor out as *managed, without a copy. RONDO_INVALID_STATE if it was never written: fill it, or accept it
 * (rondo_tensor_accept) for a consumer that will. On cuda, `stream` is made to wait on the device for the tasks that
 * use the tensor so far (NULL: the call waits on the host); on cpu the call waits. The consumer may write; of a tensor
 * that goes out as read-only only the tasks that write it are waited for. The consumer calls the deleter when done,
 * from any thread; until then the memory lives. Later Rondo tasks do not wait for the consumer: order them yourself. A
 * broadcast view, and memory that came in as read-only, goes out with the flag for read-only; version 0 has no such
 * flag and refuses them. Since 0.1. */
RONDO_API rondo_status rondo_tensor_to_dlpack(rondo_tensor* tensor, void* stream,
                                              struct DLManagedTensorVersioned** managed);
RONDO_API rondo_status rondo_tensor_to_dlpack_v0(rondo_tensor* tensor, void* stream, struct DLManagedTensor** managed);
/* Wraps foreign memory without a copy; its deleter is called when the last task, view and graph that uses it is done.
 * On success ownership of *managed passes to Rondo; on failure it stays with the caller. cpu, pinned (kDLCUDAHost, used
 * as cpu) and cuda memory. On cuda the first task waits for what is now on `stream` (NULL: the data must be ready).
 * The address must be a multiple of the dtype's size. Strides by which two indices may reach one element make the
 * tensor read-only. Since 0.1. */
RONDO_API rondo_status rondo_tensor_from_dlpack(rondo_engine* engine, struct DLManagedTensorVersioned* managed,
                                                void* stream, rondo_tensor** tensor);
RONDO_API rondo_status rondo_tensor_from_dlpack_v0(rondo_engine* engine, struct DLManagedTensor* managed, void* stream,
                                                   rondo_tensor** tensor);

#ifdef __cplusplus
}
#endif
#endif /* RONDO_TENSOR_H */
