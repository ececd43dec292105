/* DLPack: a tensor goes out without a copy, as a NumPy or PyTorch would take it, and foreign memory comes in the same
 * way. Whoever takes memory calls its deleter once, when it is done with it. Copyright 2026 the Rondo developers.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check.h"

/* As in dlpack.h (https://dmlc.github.io/dlpack, version 1), which a program would include instead. */
typedef struct {
  int32_t device_type, device_id; /* 1: cpu */
} DLDevice;
typedef struct {
  uint8_t code, bits; /* code 2: float */
  uint16_t lanes;
} DLDataType;
typedef struct {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} DLTensor;
typedef struct DLManagedTensorVersioned {
  struct {
    uint32_t major, minor;
  } version;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned* self);
  uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;

/* Memory that belongs to this program, not to Rondo. */
static float samples[6] = {1, 2, 3, 4, 5, 6};
static int64_t samples_shape[2] = {2, 3};

static void give_back(DLManagedTensorVersioned* self) {
  printf("Rondo is done with the samples\n");
  free(self);
}

int main(void) {
  rondo_engine* engine = NULL;
  rondo_tensor *in = NULL, *doubled = NULL;
  DLManagedTensorVersioned *mine = malloc(sizeof *mine), *theirs = NULL;
  if (!mine) return 1;

  /* In: Rondo takes over `mine` and calls its deleter; on failure it would stay ours. */
  memset(mine, 0, sizeof *mine);
  mine->version.major = 1;
  mine->deleter = give_back;
  mine->dl_tensor.data = samples;
  mine->dl_tensor.device.device_type = 1;
  mine->dl_tensor.ndim = 2;
  mine->dl_tensor.dtype.code = 2;
  mine->dl_tensor.dtype.bits = 32;
  mine->dl_tensor.dtype.lanes = 1;
  mine->dl_tensor.shape = samples_shape; /* strides NULL: row-major */
  CHECK(rondo_engine_create(NULL, &engine));
  CHECK(rondo_tensor_from_dlpack(engine, mine, NULL, &in));

  /* An operator reads the foreign memory where it lies, and may write it. */
  CHECK(rondo_binary(RONDO_ADD, in, in, &doubled));
  CHECK(rondo_binary_scalar(RONDO_MUL, in, -1, &in));

  /* Out: the call waits until what was submitted is done, then the memory is the consumer's to read. */
  CHECK(rondo_tensor_to_dlpack(doubled, NULL, &theirs));
  rondo_tensor_destroy(doubled); /* the exported memory stays */
  for (int64_t i = 0; i < 6; ++i) printf("%g ", ((const float*)theirs->dl_tensor.data)[i]);
  printf("\n");
  theirs->deleter(theirs);

  CHECK(rondo_tensor_wait(in));
  printf("in place: %g ... %g\n", samples[0], samples[5]);
  rondo_tensor_destroy(in); /* nobody else uses it: give_back is called here, or by the engine's end */
  rondo_engine_destroy(engine);
  return 0;
}
