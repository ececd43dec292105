/* A BLAS for loader tests; without FAKE_CBLAS it has the Fortran interface only. With FAKE_OPENBLAS, which is what it
 * takes the processor for, it has kernels to choose and eight threads, and its configuration says which. Copyright 2026
 * the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
void sgemm_(void) {}
#ifdef FAKE_CBLAS
void cblas_sgemm(void) {}
void cblas_dgemm(void) {}
void cblas_sgemv(void) {}
void cblas_dgemv(void) {}
#endif
#ifdef FAKE_OPENBLAS
#include <stdio.h>
#include <stdlib.h>
static const char* core = NULL;
static int threads = 8;
void gotoblas_dynamic_init(void) {
  if (core) return;
  const char* named = getenv("OPENBLAS_CORETYPE");
  core = named ? named : FAKE_OPENBLAS;
}
void gotoblas_dynamic_quit(void) {
  core = NULL;
}
__attribute__((constructor)) static void loaded(void) {
  gotoblas_dynamic_init();
}
const char* openblas_get_corename(void) {
  return core;
}
int openblas_get_parallel(void) {
  return 1;
}
void openblas_set_num_threads(int count) {
  threads = count;
}
const char* openblas_get_config(void) {
  static char text[64];
  snprintf(text, sizeof text, "%s, %d threads", core, threads);
  return text;
}
#endif
