/* The builtins library that goes with a fake NVRTC. Copyright 2026 the Rondo developers. SPDX-License-Identifier:
 * Apache-2.0 */
int fake_builtins(void) {
  return 1;
}
