/* A library that others need. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
int fake_needed(void) {
  return 1;
}
