// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.AbstractList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Lists, arrays and options that change during a call: what is kept open for it is what C gets. */
@Timeout(120)
class ChangingArgumentsTest {
  private final Scope scope = Scope.open();
  private final Engine engine = Engine.create();
  private final Tensor closed = engine.ones(Device.CPU, 2);

  @AfterEach
  void close() {
    scope.close();
  }

  /** A list of one tensor that gives a closed one when it is read again. */
  private final class Once extends AbstractList<Tensor> {
    private final Tensor tensor;
    private boolean read;

    Once(Tensor tensor) {
      this.tensor = tensor;
      closed.close();
    }

    @Override
    public Tensor get(int index) {
      final Tensor given = read ? closed : tensor;
      read = true;
      return given;
    }

    @Override
    public int size() {
      return 1;
    }
  }

  private Tensor twos() {
    return engine.full(Device.CPU, DType.F32, 2, 2);
  }

  private static void is(Tensor tensor, float... values) {
    assertArrayEquals(values, tensor.toFloatArray());
  }

  @Test
  void tapesReadListsOnce() {
    final Tensor x = twos();
    final Tensor out = twos();
    try (Tape tape = engine.keepingTape(x)) {
      final Tensor y = x.mul(1);
      Tape.customGradient("mine", new Once(x), new Once(y), gradients -> new Once(gradients.get(0).mul(5)));
      is(tape.gradients(new Once(y), new Once(twos()), new Once(x), new Once(out)).get(0), 10, 10);
      is(out, 10, 10);
    }
  }

  @Test
  void optimizersAndScalersReadListsOnce() {
    final Tensor w = twos();
    try (Optimizer optimizer = Optimizer.create(new OptimizerOptions().kind(OptimizerKind.SGD).rate(0.5), w);
        LossScaler scaler = LossScaler.create(engine, Device.CPU, new LossScalerOptions().initialScale(1))) {
      optimizer.step(new Once(twos()));
      is(w, 1, 1);
      assertEquals(1, scaler.finite(new Once(twos()))[0].elements());
      scaler.step(optimizer, new Once(twos()));
      is(w, 0, 0);
    }
  }

  @Test
  void bucketsAndCommsReadListsOnce() {
    final Tensor x = twos();
    final Comm comm = Comm.createAll(engine, Device.CPU).get(0);
    try (Buckets buckets = Buckets.create(comm, x); Tape tape = engine.keepingTape(x)) {
      final Tensor y = x.mul(3);
      buckets.reduce(tape, new Once(y), new Once(twos()));
      is(buckets.gradient(0), 6, 6);
      is(buckets.reduceWith(tape, new Once(y), new Once(twos()), new Once(x), List.of()).get(0), 6, 6);
    }
  }

  @Test
  void graphsAndTasksReadListsOnce() {
    final Tensor x = twos();
    final Tensor out = twos();
    try (GraphFunction doubled = engine.graphFunction(1, in -> new Once(in.get(0).mul(2)))) {
      doubled.callInto(new Once(x), new Once(out));
      is(out, 4, 4);
    }
    try (Graph called = engine.record(new RecordOptions().flags(RecordFlags.CALLABLE),
        recording -> recording.output(recording.input(Device.CPU, DType.F32, 2).mul(3)))) {
      called.callInto(new Once(x), new Once(out));
      is(out, 6, 6);
    }
    engine.submit(context -> context.output(0).buffer().putFloat(0, context.input(0).buffer().getFloat(0)), new Once(x), new Once(out));
    is(out, 2, 6);
  }

  @Test
  void expressionsAndBagsReadListsOnce() {
    final Tensor out = twos();
    try (Expression expression = new Expression("y = 3 * x")) {
      expression.run(new Once(out), Argument.of("x", twos()));
      is(out, 6, 6);
    }
    final Tensor table = engine.ones(Device.CPU, 2, 2);
    EmbeddingBag.descend(new Once(table), engine.tensor(Device.CPU, new int[] {1}).reshape(1, 1, 1), null, BagMode.SUM,
        engine.ones(Device.CPU, 1, 1, 2), engine.tensor(Device.CPU, 1f));
    is(table.flatten(), 1, 1, 0, 0);
  }

  /** Another thread puts tensors there that it closes at once. */
  @Test
  void arraysAndOptionsThatChangeGiveWhatIsOpen() throws Exception {
    final Tensor x = engine.ones(Device.CPU, 2, 2);
    final Tensor[] array = {x, x};
    final MatmulOptions options = new MatmulOptions();
    final AtomicBoolean stop = new AtomicBoolean();
    final AtomicReference<Throwable> failure = new AtomicReference<>();
    final Thread changes = new Thread(() -> {
      try {
        while (!stop.get()) {
          try (Tensor row = engine.ones(Device.CPU, 2); Tensor square = engine.ones(Device.CPU, 2, 2)) {
            options.bias(row);
            array[1] = square;
          }
          options.bias(null);
          array[1] = x;
        }
      } catch (Throwable e) {
        failure.set(e);
      }
    });
    changes.start();
    try {
      for (int i = 0; i < 20_000; ++i) {
        try (Tensor joined = Operators.concat(array, 0); Tensor product = x.matmul(x, options)) {
          assertEquals(8, joined.elements());
          assertEquals(4, product.elements());
        } catch (InvalidStateException e) {
          Thread.onSpinWait(); // closed when it was read
        }
      }
    } finally {
      stop.set(true);
      changes.join();
    }
    assertNull(failure.get());
  }
}
