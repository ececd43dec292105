// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.Objects;

/**
 * Control flow: what runs is decided by a number on a device. Outside of a recording a call waits for the number and runs what it
 * chooses. In a recording each function is called once, what it submits becomes a body of the graph, and each launch decides anew,
 * without blocking the calling thread.
 *
 * <pre>{@code
 * Graph step = engine.record(() -> {
 *   Tensor positive = x.sum().gt(0);
 *   Control.ifElse(positive, () -> x.mulInto(2, x), () -> x.addInto(1, x));
 * });
 * }</pre>
 *
 * <p>What a body is to leave behind it writes into tensors that were made before it. What it makes is closed at its end, as in a
 * {@link Scope}. What it throws goes on to the caller; a recording is then as if the call had not been made.
 */
public final class Control {
  private Control() {}

  /**
   * Runs {@code then} if the condition is true, else {@code otherwise}.
   *
   * @param condition one element of dtype bool
   * @param then what to do if it is true
   * @param otherwise what to do if it is not
   * @throws InvalidArgumentException for another condition
   * @throws UnsupportedException in a recording while a tape is open on the thread
   */
  public static void ifElse(Tensor condition, Runnable then, Runnable otherwise) {
    Objects.requireNonNull(otherwise, "otherwise");
    choose(condition, then, otherwise);
  }

  /**
   * Runs {@code then} if the condition is true.
   *
   * @param condition one element of dtype bool
   * @param then what to do
   * @throws InvalidArgumentException for another condition
   * @throws UnsupportedException in a recording while a tape is open on the thread
   */
  public static void ifTrue(Tensor condition, Runnable then) {
    choose(condition, then, null);
  }

  private static void choose(Tensor condition, Runnable then, Runnable otherwise) {
    Objects.requireNonNull(then, "then");
    final Runnable scoped = otherwise == null ? null : scoped(otherwise);
    call(condition, (engine, tensor) -> if0(engine, tensor, scoped(then), scoped));
  }

  /**
   * Runs the body as long as the condition is true, which the body writes.
   *
   * @param condition one element of dtype bool
   * @param body what to do in each turn
   * @throws InvalidArgumentException for another condition, and in a recording if the body does not write it
   * @throws UnsupportedException in a recording while a tape is open on the thread
   */
  public static void whileTrue(Tensor condition, Runnable body) {
    whileTrue(condition, 0, body);
  }

  /**
   * The same, at most {@code limit} times.
   *
   * @param condition one element of dtype bool
   * @param limit the most turns; 0: without a limit
   * @param body what to do in each turn
   * @throws InvalidArgumentException for another condition or a negative limit
   * @throws UnsupportedException in a recording while a tape is open on the thread
   */
  public static void whileTrue(Tensor condition, long limit, Runnable body) {
    Objects.requireNonNull(body, "body");
    call(condition, (engine, tensor) -> while0(engine, tensor, limit, scoped(body)));
  }

  /**
   * Runs the body that the index chooses, or none if there is no such body.
   *
   * @param index one element of dtype i32 or i64
   * @param bodies what to do for 0, 1, and so on
   * @throws InvalidArgumentException for another index, or without bodies
   * @throws UnsupportedException in a recording while a tape is open on the thread
   */
  public static void switchTo(Tensor index, Runnable... bodies) {
    final Runnable[] scoped = new Runnable[bodies.length];
    for (int i = 0; i < bodies.length; i++) {
      scoped[i] = scoped(Objects.requireNonNull(bodies[i], "bodies"));
    }
    call(index, (engine, tensor) -> switch0(engine, tensor, scoped));
  }

  private interface Called {
    void with(long engine, long tensor);
  }

  private static void call(Tensor number, Called called) {
    final Engine of = number.engine();
    final long engine = of.acquire();
    try {
      final long tensor = number.acquire();
      try {
        called.with(engine, tensor);
      } finally {
        number.release();
      }
    } finally {
      of.release();
    }
  }

  /** The body, which closes what it makes; an engine cannot be closed in it. */
  @SuppressWarnings("try") // the scope is open, that is all
  private static Runnable scoped(Runnable body) {
    return () -> {
      final ThreadState state = ThreadState.current();
      state.calls++;
      try (Scope scope = Scope.open()) {
        body.run();
      } finally {
        state.calls--;
      }
    };
  }

  private static native void if0(long engine, long condition, Runnable then, Runnable otherwise);

  private static native void while0(long engine, long condition, long limit, Runnable body);

  private static native void switch0(long engine, long index, Runnable[] bodies);
}
