// What the layers between Java and C add to a call. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import dev.rondo.BinaryOp;
import dev.rondo.Device;
import dev.rondo.Engine;
import dev.rondo.EngineMode;
import dev.rondo.EngineOptions;
import dev.rondo.Operators;
import dev.rondo.Tensor;
import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * The same calls in Java and, by one native method for many of them, in C, in turns: what the machine does besides, and how fast its clock
 * is now, is the same for both. In naive mode the caller does all of the work, so that no other thread's time is in the figure.
 */
public final class Calls {
  private static final int CALLS = 1000; // in a round, which is shorter than what the system gives a process at once
  private static final int WARM = 200;

  private static native void open();

  private static native void binaryIntoInC(int times);

  private static native void binaryNewInC(int times);

  private static native void viewInC(int times);

  private static native void nothing();

  private static double round(IntConsumer calls) {
    final long begin = System.nanoTime();
    calls.accept(CALLS);
    return (System.nanoTime() - begin) / (double) CALLS;
  }

  /** Prints `name C Java over`: the fastest rounds, and the median of what a round took over the one in C beside it. */
  private static void compare(int rounds, String name, IntConsumer inC, IntConsumer inJava) {
    for (int i = 0; i < WARM; ++i) {
      inJava.accept(CALLS);
    }
    final double[] c = new double[rounds];
    final double[] java = new double[rounds];
    final double[] over = new double[rounds];
    for (int i = 0; i < rounds; ++i) {
      c[i] = round(inC);
      java[i] = round(inJava);
      over[i] = java[i] - c[i];
    }
    Arrays.sort(over);
    System.out.printf("%s %.1f %.1f %.1f%n", name, Arrays.stream(c).min().getAsDouble(), Arrays.stream(java).min().getAsDouble(), over[rounds / 2]);
  }

  public static void main(String[] arguments) {
    System.load(arguments[0]);
    final int rounds = Integer.parseInt(arguments[1]);
    open();
    try (Engine engine = Engine.create(new EngineOptions().mode(EngineMode.NAIVE));
        Tensor a = engine.tensor(Device.CPU, new float[] {1, 2, 3, 4});
        Tensor b = engine.tensor(Device.CPU, new float[] {4, 3, 2, 1});
        Tensor c = a.add(b)) {
      compare(rounds, "binaryInto", Calls::binaryIntoInC, times -> {
        for (int i = 0; i < times; ++i) {
          Operators.binary(BinaryOp.ADD, a, b, c);
        }
      });
      compare(rounds, "binaryNew", Calls::binaryNewInC, times -> {
        for (int i = 0; i < times; ++i) {
          a.add(b).close();
        }
      });
      compare(rounds, "view", Calls::viewInC, times -> {
        for (int i = 0; i < times; ++i) {
          a.reshape(2, 2).close();
        }
      });
      compare(rounds, "nothing", times -> {}, times -> {
        for (int i = 0; i < times; ++i) {
          nothing();
        }
      });
    }
  }
}
