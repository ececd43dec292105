/* See packed_attention.h. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include "packed_attention.h"

#include "check.h"

rondo_tensor* packed_attention(rondo_tensor* packed, int64_t heads, const rondo_attention_options* options) {
  rondo_tensor_info info = RONDO_TENSOR_INFO_INIT;
  rondo_tensor *parts = NULL, *qkv[3] = {NULL, NULL, NULL}, *seen = NULL, *out = NULL;
  int64_t split[5], part[4], joined[3];
  int i;
  CHECK(rondo_tensor_query(packed, &info));
  split[0] = part[0] = joined[0] = info.shape[0];
  split[1] = part[1] = joined[1] = info.shape[1];
  split[2] = 3;
  split[3] = part[2] = heads;
  joined[2] = info.shape[2] / 3;
  split[4] = part[3] = joined[2] / heads;
  CHECK(rondo_tensor_reshape(packed, 5, split, &parts));
  for (i = 0; i < 3; ++i) {
    rondo_tensor* slice = NULL;
    CHECK(rondo_tensor_slice(parts, 2, i, i + 1, 1, &slice));
    CHECK(rondo_tensor_reshape(slice, 4, part, &qkv[i])); /* a view: nothing is copied */
    rondo_tensor_destroy(slice);
  }
  CHECK(rondo_attention(qkv[0], qkv[1], qkv[2], options, &seen, NULL));
  CHECK(rondo_tensor_reshape(seen, 3, joined, &out));
  for (i = 0; i < 3; ++i) rondo_tensor_destroy(qkv[i]);
  rondo_tensor_destroy(parts);
  rondo_tensor_destroy(seen);
  return out;
}
