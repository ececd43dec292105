// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

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
    } catch (RondoException e) {
      keep(String.valueOf(e.getMessage()), e);
      context.fail(String.valueOf(e.getMessage()));
      return e.status().value();
    } catch (Throwable e) { // whatever it is, it must not go on into C
      keep(e.toString(), e);
      context.fail(e.toString());
      return Status.USER_ERROR.value();
    } finally {
      --state.calls;
      state.scope = scope;
      context.end();
    }
  }

  private static void keep(String message, Throwable cause) {
    synchronized (FAILURES) {
      FAILURES.addLast(new Failure(message, cause));
      if (FAILURES.size() > KEPT) {
        FAILURES.removeFirst();
      }
    }
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
