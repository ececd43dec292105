// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.program;

import dev.rondo.Engine;
import dev.rondo.Tensor;
import java.util.concurrent.CountDownLatch;

/** A program that runs out of stack in calls, in a package of its own: the library knows its own calls by their package. */
public final class Overflow {
  private Overflow() {}

  private static void recur(Engine engine, Tensor x, int pad) {
    x.add(1.0).close();
    engine.mode();
    padded(pad, pad, engine, x);
  }

  private static void padded(int left, int pad, Engine engine, Tensor x) {
    if (left > 0) {
      padded(left - 1, pad, engine, x);
    } else {
      recur(engine, x, pad);
    }
  }

  /**
   * A thread with a small stack that runs out of it in every place that there is. Then it says so and goes on until it is interrupted, in no
   * call of the library.
   */
  public static Thread thread(Engine engine, Tensor x, int times, CountDownLatch overflowed) {
    return new Thread(null, () -> {
      for (int i = 0; i < times; ++i) {
        try {
          recur(engine, x, i % 13);
        } catch (StackOverflowError e) {
          continue;
        }
      }
      overflowed.countDown();
      while (!Thread.currentThread().isInterrupted()) {
        Thread.onSpinWait();
      }
    }, "overflows", 256 << 10);
  }
}
