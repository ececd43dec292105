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

  // The bare call by JNI, without what the library does around it.
  private static native void binaryIntoByJni(long first, long second, long out);

  private static native void viewByJni(long tensor);

  /** The addresses of the tensors in C. */
  static native long address(int which);

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

  public static void main(String[] arguments) throws ReflectiveOperationException, InterruptedException {
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
      layers(rounds);
      if (Runtime.version().feature() >= 21) {
        counted(rounds, a, b, c);
      }
    }
  }

  /** One call by each of the two layers that Java has: JNI, and from 22 on the foreign-function interface. */
  private static void layers(int rounds) throws ReflectiveOperationException {
    final long first = address(0);
    final long second = address(1);
    final long out = address(2);
    compare(rounds, "jni.into", Calls::binaryIntoInC, times -> {
      for (int i = 0; i < times; ++i) {
        binaryIntoByJni(first, second, out);
      }
    });
    compare(rounds, "jni.view", Calls::viewInC, times -> {
      for (int i = 0; i < times; ++i) {
        viewByJni(first);
      }
    });
    if (Runtime.version().feature() >= 22) {
      final Class<?> foreign = Class.forName("ForeignCalls"); // compiled where there are classes for it
      compare(rounds, "foreign.into", Calls::binaryIntoInC, (IntConsumer) foreign.getMethod("binaryInto").invoke(null));
      compare(rounds, "foreign.view", Calls::viewInC, (IntConsumer) foreign.getMethod("view").invoke(null));
    }
  }

  /** The same operator where objects count their uses, as for virtual threads, instead of each thread saying what it uses. */
  private static void counted(int rounds, Tensor a, Tensor b, Tensor c) throws ReflectiveOperationException, InterruptedException {
    final Runnable work = () -> compare(rounds, "counted.into", Calls::binaryIntoInC, times -> {
      for (int i = 0; i < times; ++i) {
        Operators.binary(BinaryOp.ADD, a, b, c);
      }
    });
    ((Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, work)).join();
  }
}
