/* Model files: named tensors with metadata in the format safetensors, which the tools of other frameworks read and
 * write.
 *
 * A file is opened once and its tensors are then loaded to any device of any engine, one by one. Nothing of it is
 * trusted: whatever stands in it, opening and loading end with a tensor or with a status. Its data are read when a
 * tensor is loaded, never mapped into memory, so that a file which shrinks meanwhile gives an error and no signal.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef RONDO_MODELS_H
#define RONDO_MODELS_H

#include <rondo/base.h>
#include <rondo/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A file that is open for reading. Belongs to no engine. What it says of its tensors does not change. */
typedef struct rondo_model_file rondo_model_file;

/* Opens the file `path` and reads and checks its header: names, dtypes, shapes, and that the tensors' data fill the
 * rest of the file without gap and overlap. RONDO_NOT_FOUND if there is no such file; RONDO_IO_ERROR if it cannot be
 * read or is not valid, with the place and the reason; RONDO_UNSUPPORTED if a name or a text of the metadata has a zero
 * character. The caller owns *file. A file that is replaced by another one of its name stays readable. Since 0.1. */
RONDO_API rondo_status rondo_model_file_open(const char* path, rondo_model_file** file);
/* Closes the file and destroys the handle. Never blocks; loads in flight go on. NULL is allowed. Since 0.1. */
RONDO_API void rondo_model_file_destroy(rondo_model_file* file);

typedef struct rondo_model_file_info {
  size_t size;      /* set by RONDO_MODEL_FILE_INFO_INIT */
  int64_t tensors;  /* number of tensors */
  int64_t metadata; /* number of entries of the metadata */
  int64_t bytes;    /* of all tensors */
} rondo_model_file_info;
#define RONDO_MODEL_FILE_INFO_INIT \
  { sizeof(rondo_model_file_info), 0, 0, 0 }

/* Facts about a file. Never blocks. Since 0.1. */
RONDO_API rondo_status rondo_model_file_query(rondo_model_file* file, rondo_model_file_info* info);

typedef struct rondo_model_tensor_info {
  size_t size;                   /* set by RONDO_MODEL_TENSOR_INFO_INIT */
  int32_t loadable;              /* 1 if Rondo has its dtype and as many dimensions */
  rondo_dtype dtype;             /* RONDO_BOOL where Rondo does not have it: see loadable */
  int32_t ndim;                  /* may be more than RONDO_MAX_DIMS */
  int32_t reserved;              /* 0 */
  int64_t bytes;                 /* in the file */
  int64_t shape[RONDO_MAX_DIMS]; /* of more dimensions the first ones */
  char format_dtype[16];         /* as the file spells it: "F32", "F8_E4M3" */
} rondo_model_tensor_info;
#define RONDO_MODEL_TENSOR_INFO_INIT                                \
  {                                                                 \
    sizeof(rondo_model_tensor_info), 0, RONDO_BOOL, 0, 0, 0, {0}, { \
      0                                                             \
    }                                                               \
  }

/* Name and facts of one tensor, by `index`: tensors are in the order of their data. *name lives as long as the file.
 * Never blocks. RONDO_INVALID_ARGUMENT if there are not as many. Since 0.1. */
RONDO_API rondo_status rondo_model_file_tensor(rondo_model_file* file, int64_t index, const char** name,
                                               rondo_model_tensor_info* info);
/* The index of the tensor `name`. Never blocks. RONDO_NOT_FOUND if there is none of this name. Since 0.1. */
RONDO_API rondo_status rondo_model_file_find(rondo_model_file* file, const char* name, int64_t* index);
/* One entry of the metadata, by `index`, in the file's order. *key and *value live as long as the file. Never blocks.
 * RONDO_INVALID_ARGUMENT if there are not as many. Since 0.1. */
RONDO_API rondo_status rondo_model_file_metadata(rondo_model_file* file, int64_t index, const char** key,
                                                 const char** value);

/* Loads the tensor `name`. *out NULL: creates a tensor of its shape and dtype on `device`. Otherwise *out, which must
 * be on that device and have that shape and dtype, is written; it may be a view, and one that accumulates.
 *
 * Asynchronous like rondo_copy_to, but for memory to stage in: a load to a GPU may wait for earlier ones. Workers read
 * the file when the tensor's turn comes. If they cannot, or if the file was changed since it was opened, or a bool is
 * neither 0 nor 1, the tensor gets the error RONDO_IO_ERROR, which waits on it return. Not recorded:
 * RONDO_INVALID_STATE while this thread records on the engine.
 *
 * RONDO_NOT_FOUND if there is no tensor of this name; RONDO_UNSUPPORTED if Rondo does not have its dtype or has fewer
 * dimensions. Since 0.1. */
RONDO_API rondo_status rondo_model_file_load(rondo_model_file* file, const char* name, rondo_engine* engine,
                                             rondo_device device, rondo_tensor** out);

/* Writes `n_tensors` tensors under `names` and `n_metadata` pairs of `keys` and `values` as the file `path`. The
 * tensors may be on any devices of any engines, and views. Waits for each of them; another thread that writes into one
 * meanwhile may leave a mixture of old and new.
 *
 * The file appears under its name when it is complete and on the disk; until then, and after a failure, there is the
 * former one or none. It is written beside it under another name and takes over its permissions; a symbolic link is
 * replaced. Equal contents give equal bytes: tensors are sorted by dtype and name, metadata stay in order.
 *
 * RONDO_INVALID_ARGUMENT for a name or key that comes twice or is not UTF-8; RONDO_IO_ERROR if the file cannot be
 * written; a poisoned tensor's error, RONDO_INVALID_STATE for one that was never written. Not allowed while recording
 * or inside a task. Since 0.1. */
RONDO_API rondo_status rondo_model_file_write(const char* path, const char* const* names, rondo_tensor* const* tensors,
                                              size_t n_tensors, const char* const* keys, const char* const* values,
                                              size_t n_metadata);

#ifdef __cplusplus
}
#endif
#endif /* RONDO_MODELS_H */
