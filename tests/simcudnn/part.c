/* A part of the simulated cuDNN that is nothing but there, as the real ones must be.
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
int simcudnn_part(void);
int simcudnn_part(void) {
  return 1;
}
