// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import org.jspecify.annotations.Nullable;

/** Hears that kernels are being compiled, for a second by now or probably for more than one: {@link KernelCache#setProgress}. */
@FunctionalInterface
public interface CompileProgress {
  /**
   * Is called about once a second as long as it goes on, and once when it is over.
   *
   * @param kernel one that is being compiled; null in the last call
   * @param done kernels that were compiled since it began
   * @param known those, and the ones that are known to be needed; it can become less
   * @param seconds since it began
   */
  void report(@Nullable String kernel, long done, long known, double seconds);
}
