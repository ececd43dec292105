// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Objects;
import java.util.concurrent.CompletionException;

/** Where native threads enter Java: the functions of tasks. Their exceptions end here. */
final class Tasks {
  private static final int KEPT = 64;

  /** What the last failed tasks threw, for the exceptions of waits to have it as cause. The native part knows their text alone. */
  private static final Deque<Failure> FAILURES = new ArrayDeque<>();

  private static final class Failure {
    final String message;
    final Throwable cause;

    Failure(String message, Throwable cause) {
      this.message = message;
      this.cause = cause;
    }
  }

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
        NativeEngine.completionComplete(completion, statusOf(cause), keep(cause).replace('\0', '?'));
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
      context.fail(keep(e));
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

  /** Keeps what a task has failed with, and gives its text. */
  private static String keep(Throwable cause) {
    final String message = cause instanceof RondoException ? String.valueOf(cause.getMessage()) : cause.toString();
    synchronized (FAILURES) {
      FAILURES.addLast(new Failure(message, cause));
      if (FAILURES.size() > KEPT) {
        FAILURES.removeFirst();
      }
    }
    return message;
  }

  /** What the task threw that a message tells of; null if it is not known any more. */
  static Throwable failure(String message) {
    synchronized (FAILURES) {
      for (final Iterator<Failure> each = FAILURES.descendingIterator(); each.hasNext();) {
        final Failure failure = each.next();
        if (message.endsWith(failure.message)) {
          return failure.cause;
        }
      }
    }
    return null;
  }
}
