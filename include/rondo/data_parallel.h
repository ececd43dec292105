/* Data-parallel training: every rank computes the gradients of its part of a batch, and all end with the mean of them.
 *
 * Gradients are kept in buckets: blocks of memory, each reduced as a whole over all ranks. Parameters are put into them
 * in reverse order, since that is how gradients become ready; a bucket's all-reduce is submitted as soon as the last of
 * its gradients is, beside the rest of the way back. In a recording the whole step is one graph.
 *
 *   rondo_buckets_create(comm, 4, parameters, NULL, &buckets);
 *   ... per step: the tape watches the parameters, the loss is computed ...
 *   rondo_buckets_reduce(buckets, tape, 1, &loss, NULL);
 *   ... the gradients of rondo_buckets_gradient are now those of all ranks ...
 *
 * docs/collectives.md explains, and says which bits agree with what.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef RONDO_DATA_PARALLEL_H
#define RONDO_DATA_PARALLEL_H

#include <rondo/comm.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Buckets of gradients. Belongs to the communicator's engine; used by one thread at a time. */
typedef struct rondo_buckets rondo_buckets;

typedef struct rondo_buckets_options {
  size_t size;          /* set by RONDO_BUCKETS_OPTIONS_INIT */
  int64_t bucket_bytes; /* most bytes of a bucket, unless one gradient alone is larger; 0: 25 MiB */
  int64_t edge_bytes;   /* the same of the first and of the last bucket: the first starts the network early, and nothing
                         * hides the last; 0: 1 MiB, or bucket_bytes if that is less */
  int32_t sum;          /* 1: gradients are added up over the ranks; 0: their mean */
  int32_t reserved;     /* 0 */
} rondo_buckets_options;
#define RONDO_BUCKETS_OPTIONS_INIT \
  { sizeof(rondo_buckets_options), 0, 0, 0, 0 }

/* Makes buckets for the gradients of n_parameters `parameters`, in the order in which the model uses them; the same on
 * every rank. Float dtypes, contiguous, on the communicator's device; each once. Each gradient starts on 256 bytes of
 * its bucket. The gradients are zero. options NULL means RONDO_BUCKETS_OPTIONS_INIT. The caller owns *buckets, which
 * keeps the communicator. In a recording: RONDO_INVALID_STATE. Since 0.1. */
RONDO_API rondo_status rondo_buckets_create(rondo_comm* comm, int32_t n_parameters, rondo_tensor* const* parameters,
                                            const rondo_buckets_options* options, rondo_buckets** buckets);
/* Destroys the buckets. Never blocks; work in flight and graphs go on. NULL is allowed. Since 0.1. */
RONDO_API void rondo_buckets_destroy(rondo_buckets* buckets);

/* As rondo_tape_gradients with respect to the parameters, which the tape watches, into the buckets; each bucket is
 * reduced over all ranks as soon as it is complete. Every rank does it alike. Does not wait: the gradients are ordered
 * as any tensor. Errors as of rondo_tape_gradients and rondo_comm_all_reduce; when it fails on one rank only, abort the
 * communicator, since the others wait. Since 0.1. */
RONDO_API rondo_status rondo_buckets_reduce(rondo_buckets* buckets, rondo_tape* tape, int32_t n_outputs,
                                            rondo_tensor* const* outputs, rondo_tensor* const* output_gradients);

/* The same, with the gradients of n_sources `sources` more from the same way back: tensors that the tape watches
 * besides the parameters, such as what was looked up in tables, whose gradients the ranks gather (docs/collectives.md).
 * They stay this rank's own, and are in no bucket. gradients[i] is in and out as of rondo_tape_gradients: NULL for a
 * new tensor that the caller owns, or one to be written. Since 0.1. */
RONDO_API rondo_status rondo_buckets_reduce_with(rondo_buckets* buckets, rondo_tape* tape, int32_t n_outputs,
                                                 rondo_tensor* const* outputs, rondo_tensor* const* output_gradients,
                                                 int32_t n_sources, rondo_tensor* const* sources,
                                                 rondo_tensor** gradients);

/* The gradient of parameter `index`: a view of its bucket, of the parameter's shape and dtype. The caller owns
 * *gradient. Since 0.1. */
RONDO_API rondo_status rondo_buckets_gradient(rondo_buckets* buckets, int32_t index, rondo_tensor** gradient);

typedef struct rondo_buckets_info {
  size_t size;        /* set by RONDO_BUCKETS_INFO_INIT */
  int32_t parameters; /* gradients in all buckets */
  int32_t buckets;
  int64_t bytes;         /* of all buckets, with what lies between gradients */
  int64_t largest_bytes; /* of the largest */
} rondo_buckets_info;
#define RONDO_BUCKETS_INFO_INIT \
  { sizeof(rondo_buckets_info), 0, 0, 0, 0 }

/* Figures of the buckets. Never blocks. Since 0.1. */
RONDO_API rondo_status rondo_buckets_query(rondo_buckets* buckets, rondo_buckets_info* info);

#ifdef __cplusplus
}
#endif
#endif /* RONDO_DATA_PARALLEL_H */
