// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.Objects;
import java.util.concurrent.CompletionException;

/** Where native threads enter Java: the functions of tasks. Their exceptions end here. */
final class Tasks {
  /** A task that has tensors as operands, the first of which it reads. */
  static final class WithOperands implements Task {
    private final Task task;
    final int inputs;

    WithOperands(Task task, int inputs) {
      this.task = task;
      this.inputs = inputs;
    }

    @Override
    public void run(TaskContext context) throws Exception {
      task.run(context);
    }
  }

  /** A task that ends when a stage is completed. */
  static final class Async implements Task {
    private final AsyncTask task;

    Async(AsyncTask task) {
      this.task = Objects.requireNonNull(task, "task");
    }

    @Override
    public void run(TaskContext context) throws Exception {
      final long completion = context.defer();
      boolean started = false;
      try {
        Objects.requireNonNull(task.run(context), "the task returned null, not a stage")
            .whenComplete((nothing, failure) -> complete(completion, failure));
        started = true;
      } finally {
        if (!started) {
          NativeEngine.completionDestroy(completion);
        }
      }
    }

    private static void complete(long completion, Throwable failure) {
      try {
        if (failure == null) {
          NativeEngine.completionComplete(completion, Status.OK, null);
          return;
        }
        final Throwable cause = failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        failCompletion0(completion, cause);
        NativeEngine.completionComplete(completion, statusOf(cause), textOf(cause));
      } finally {
        NativeEngine.completionDestroy(completion);
      }
    }
  }

  private Tasks() {}

  /** Runs a task. Called by the native part, in any thread; returns a status. */
  static int run(Task task, long address) {
    final ThreadState state = ThreadState.current();
    final TaskContext context = new TaskContext(address, task instanceof WithOperands ? ((WithOperands) task).inputs : TaskContext.NO_OPERANDS);
    final Scope scope = state.scope;
    state.scope = null; // what the task makes is no business of a scope around the submission
    ++state.calls;
    try {
      task.run(context);
      return Status.OK.value();
    } catch (Throwable e) { // whatever it is, it must not go on into C
      context.fail(textOf(e));
      failTask0(address, e);
      return statusOf(e).value();
    } finally {
      --state.calls;
      state.scope = scope;
      context.end();
    }
  }

  private static Status statusOf(Throwable cause) {
    return cause instanceof RondoException ? ((RondoException) cause).status() : Status.USER_ERROR;
  }

  private static String textOf(Throwable cause) {
    return (cause instanceof RondoException ? String.valueOf(cause.getMessage()) : cause.toString()).replace('\0', '?');
  }

  // What a task threw goes with its failure, to whoever is told of it.

  private static native void failTask0(long context, Throwable cause);

  private static native void failCompletion0(long completion, Throwable cause);
}
