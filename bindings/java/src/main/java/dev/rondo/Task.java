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

  /**
   * A task that ends when the stage which its function returns is completed. Until then it holds no worker, and what it reads and
   * writes stays in its hands. If the stage is completed exceptionally, the task fails, as if its function had thrown that.
   *
   * <pre>{@code
   * engine.submit(Task.async(context -> {
   *   ByteBuffer to = context.output(0).buffer();
   *   return fetch("layer1").thenAccept(bytes -> to.put(bytes)); // a CompletableFuture<byte[]>
   * }), List.of(), List.of(x));
   * }</pre>
   *
   * <p>{@link Engine#close} does not wait for such stages: tasks that miss theirs fail. With {@link EngineMode#NAIVE} the
   * submission blocks until the stage is completed. A task on a CUDA device cannot end later: it is done when its stream is.
   *
   * @param task starts the work
   * @return the task, to be submitted
   */
  static Task async(AsyncTask task) {
    return new Tasks.Async(task);
  }
}
