/* The smallest whole program: two tensors, an addition, the same addition recorded and launched twice.
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

int main(void) {
  const rondo_device device = {RONDO_CPU, 0}; /* {RONDO_CUDA, 0}: the first GPU; nothing else changes */
  const int64_t shape[1] = {4};
  const float ones[4] = {1, 1, 1, 1}, steps[4] = {0, 1, 2, 3};
  float sum[4];
  rondo_engine* engine = NULL;
  rondo_tensor *a = NULL, *b = NULL, *c = NULL;
  rondo_graph* graph = NULL;

  CHECK(rondo_engine_create(NULL, &engine));
  CHECK(rondo_tensor_from_host(engine, device, RONDO_F32, 1, shape, ones, &a));
  CHECK(rondo_tensor_from_host(engine, device, RONDO_F32, 1, shape, steps, &b));
  CHECK(rondo_binary(RONDO_ADD, a, b, &c)); /* c is NULL: the operator creates it. Returns before the work is done */

  CHECK(rondo_record_begin(engine, NULL));
  CHECK(rondo_binary(RONDO_ADD, c, b, &c)); /* kept, not run: c += b */
  CHECK(rondo_record_end(engine, &graph));
  CHECK(rondo_graph_launch(graph)); /* ordered after the first addition, because it reads and writes c */
  CHECK(rondo_graph_launch(graph));

  CHECK(rondo_tensor_read(c, sum, sizeof sum)); /* waits for whatever writes c: 1 + 3 b */
  printf("%g %g %g %g\n", sum[0], sum[1], sum[2], sum[3]);

  rondo_graph_destroy(graph);
  rondo_tensor_destroy(c);
  rondo_tensor_destroy(b);
  rondo_tensor_destroy(a);
  rondo_engine_destroy(engine);
  return 0;
}
