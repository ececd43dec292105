/* A BLAS for loader tests; without FAKE_CBLAS it has the Fortran interface only. Copyright 2026 the Rondo developers.
 * SPDX-License-Identifier: Apache-2.0 */
void sgemm_(void) {}
#ifdef FAKE_CBLAS
void cblas_sgemm(void) {}
void cblas_dgemm(void) {}
#endif
