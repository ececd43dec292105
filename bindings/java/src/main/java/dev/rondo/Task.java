// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

/** The function of a user task. */
@FunctionalInterface
public interface Task {
  /**
   * Runs the task. On {@link Device#CPU} it runs on a worker thread of the engine and may submit tasks. On a CUDA device it runs
   * while its stream is locked: it only enqueues work on {@link TaskContext#stream()}. It must not wait for objects of Rondo. It
   * may run again when it was recorded into a graph.
   *
   * @param context what the task may ask about its run
   * @throws Exception fails the task: what it writes is poisoned, and waits for that throw {@link UserException} with this cause
   */
  void run(TaskContext context) throws Exception;
}
