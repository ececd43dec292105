// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;

/** Where native threads enter Java: the functions of tasks. Their exceptions end here. */
final class Tasks {
  /** A task as it is submitted: it runs with the class loader of the thread that submitted it, as what that thread would run itself. */
  static final class Submitted implements Task {
    private final Task task;
    private final ClassLoader loader = Thread.currentThread().getContextClassLoader();
    final int inputs;

    /** inputs: how many of its operands it reads, or {@link TaskContext#NO_OPERANDS}. */
    Submitted(Task task, int inputs) {
      this.task = task;
      this.inputs = inputs;
    }

    @Override
    public void run(TaskContext context) throws Exception {
      final Thread thread = Thread.currentThread();
      final ClassLoader before = thread.getContextClassLoader();
      thread.setContextClassLoader(loader);
      try {
        task.run(context);
      } finally {
        thread.setContextClassLoader(before);
      }
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
      final AtomicBoolean completed = new AtomicBoolean(); // a stage of the user's may complete twice, or throw afterwards
      boolean started = false;
      try {
        Objects.requireNonNull(task.run(context), "the task returned null, not a stage").whenComplete((nothing, failure) -> {
          if (completed.compareAndSet(false, true)) {
            complete(context.operands(), completion, failure);
          }
        });
        started = true;
      } finally {
        if (!started && completed.compareAndSet(false, true)) {
          context.operands().end();
          NativeEngine.completionDestroy(completion);
        }
      }
    }

    private static void complete(Lending operands, long completion, Throwable failure) {
      try {
        operands.end();
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
    final TaskContext context = new TaskContext(address, task instanceof Submitted ? ((Submitted) task).inputs : TaskContext.NO_OPERANDS);
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
      if (!state.insideCall()) {
        Thread.interrupted(); // what interrupted this task is not the next one's matter
      }
    }
  }

  private static Status statusOf(Throwable cause) {
    return cause instanceof RondoException ? ((RondoException) cause).status() : Status.USER_ERROR;
  }

  /** What a failure says of what was thrown. */
  static String textOf(Throwable cause) {
    try {
      return (cause instanceof RondoException ? String.valueOf(cause.getMessage()) : String.valueOf(cause)).replace('\0', '?');
    } catch (Throwable e) { // of the user's toString or getMessage; the cause goes with the failure all the same
      return cause.getClass().getName();
    }
  }

  // What a task threw goes with its failure, to whoever is told of it.

  private static native void failTask0(long context, Throwable cause);

  private static native void failCompletion0(long completion, Throwable cause);
}
