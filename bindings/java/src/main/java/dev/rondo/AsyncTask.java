// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.concurrent.CompletionStage;

/** The function of a user task that ends later than the function returns; see {@link Task#async}. */
@FunctionalInterface
public interface AsyncTask {
  /**
   * Starts the work and returns.
   *
   * @param context what the task may ask about its run, during the call; {@linkplain Operand#buffer() buffers} of its operands stay
   *     valid until the stage is completed
   * @return what is completed, by any thread, when the work is done; exceptionally if it failed
   * @throws Exception fails the task, as with {@link Task#run}
   */
  CompletionStage<?> run(TaskContext context) throws Exception;
}
