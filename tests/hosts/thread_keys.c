/* A host that has taken every thread key of the process: calls fail with a status, and ask for what failed in vain.
   Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <string.h>

#include "check.h"

int main(void) {
  pthread_key_t key;
  while (pthread_key_create(&key, NULL) == 0) {
  }
  CHECK(rondo_last_error() != NULL);
  CHECK(rondo_last_error_operator(NULL) == NULL);
  rondo_engine* engine = NULL;
  const rondo_status made = rondo_engine_create(NULL, &engine);
  printf("rondo_engine_create: %s: %s\n", rondo_status_name(made), rondo_last_error());
  if (made == RONDO_OK) {
    rondo_tensor* tensor = NULL;
    const int64_t negative = -1;
    CHECK(rondo_tensor_create(engine, host_cpu, RONDO_F32, 1, &negative, &tensor) != RONDO_OK);
    CHECK(strlen(rondo_last_error()) > 0);
    const rondo_status recorded = rondo_record_begin(engine, NULL);
    printf("rondo_record_begin: %s: %s\n", rondo_status_name(recorded), rondo_last_error());
    rondo_tape* tape = NULL;
    const rondo_status taped = rondo_tape_begin(engine, 0, &tape);
    printf("rondo_tape_begin: %s: %s\n", rondo_status_name(taped), rondo_last_error());
    rondo_engine_destroy(engine);
  }
  return 0;
}
