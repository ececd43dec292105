// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static dev.rondo.Devices.fails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Gradients from tapes: against finite differences, recorded, of the user's own, and what is refused. */
@Tag("device")
class TapeTest {
  private Engine engine = Engine.create();

  @AfterEach
  void close() {
    engine.close();
  }

  private Tensor random(Random random, Device device, long... shape) {
    return engine.tensor(device, random.doubles(Arrays.stream(shape).reduce(1, (a, b) -> a * b), -1, 1).toArray(), shape);
  }

  private static Tensor loss(Tensor x, List<Tensor> p) {
    return x.matmul(p.get(0)).add(p.get(1)).tanh().matmul(p.get(2)).square().mean();
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#modes")
  void gradientsAreThoseOfFiniteDifferences(Device device, EngineMode mode) {
    engine.close();
    engine = Engine.create(new EngineOptions().mode(mode));
    final double step = 1e-6;
    try (Scope scope = Scope.open()) {
      final Random random = new Random(7);
      final Tensor x = random(random, device, 5, 3);
      final List<Tensor> p = List.of(random(random, device, 3, 4), random(random, device, 4), random(random, device, 4, 2));
      final Tape tape = engine.tape(p.toArray(new Tensor[0]));
      assertSame(engine, tape.engine());
      assertTrue(tape.info().open());
      final List<Tensor> gradients = tape.gradients(loss(x, p), p.get(0), p.get(1), p.get(2));
      assertFalse(tape.info().open());
      for (int i = 0; i < p.size(); ++i) {
        final double[] at = p.get(i).toDoubleArray();
        final double[] numeric = new double[at.length];
        for (int k = 0; k < at.length; ++k) {
          final double[] moved = at.clone();
          moved[k] = at[k] + step;
          p.get(i).write(HostMemory.of(moved));
          final double above = loss(x, p).item();
          moved[k] = at[k] - step;
          p.get(i).write(HostMemory.of(moved));
          numeric[k] = (above - loss(x, p).item()) / (2 * step);
        }
        p.get(i).write(HostMemory.of(at));
        assertArrayEquals(p.get(i).shape(), gradients.get(i).shape());
        assertArrayEquals(numeric, gradients.get(i).toDoubleArray(), 1e-8);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void aTrainingStepIsOneGraph(Device device) {
    try (Scope scope = Scope.open()) {
      final Tensor x = engine.tensor(device, new float[] {1, 2, 3, 4}, 2, 2);
      final Tensor w = engine.tensor(device, new float[] {0.5f, -1, 2, 0.25f}, 2, 2);
      final Tensor sum = engine.full(device, DType.F32, 0, 2, 2);
      final Tensor eager;
      try (Tape tape = engine.tape(w)) {
        eager = tape.gradient(x.matmul(w).relu().sum(), w);
      }
      final Tensor[] made = new Tensor[1];
      final Graph graph = engine.record(recording -> {
        final Tape tape = engine.keepingTape(w);
        final Tensor loss = x.matmul(w).relu().sum();
        made[0] = recording.keep(tape.gradient(loss, w));
        tape.gradients(loss, List.of(w), List.of(sum.accumulator()));
      });
      graph.launch();
      graph.launch();
      assertArrayEquals(eager.toFloatArray(), made[0].toFloatArray());
      assertArrayEquals(eager.mul(2).toFloatArray(), sum.toFloatArray());
      if (device.kind() == DeviceKind.CUDA) {
        assertEquals(1, graph.info().captured());
      }
    }
  }

  @Test
  void outputsSourcesAndPlacesOfAllKinds() {
    try (Scope scope = Scope.open()) {
      final Tensor x = engine.tensor(Device.CPU, new double[] {1, 2, 3});
      final Tensor unused = engine.tensor(Device.CPU, new double[] {1, 2});
      final Tape tape = engine.keepingTape();
      tape.watch(x);
      tape.watch(unused);
      final Tensor y = x.square();
      final Tensor z = x.slice(0, 0, 2, 1).mul(5).sum();
      final Tensor given = engine.tensor(Device.CPU, new double[] {10, 100, 1000});
      final Tensor out = engine.full(Device.CPU, DType.F64, 7, 3);
      final List<Tensor> gradients =
          tape.gradients(List.of(y, z), Arrays.asList(given, null), List.of(x, unused), Arrays.asList(out, null));
      assertSame(out, gradients.get(0));
      assertArrayEquals(new double[] {25, 405, 6000}, out.toDoubleArray());
      assertArrayEquals(new double[] {0, 0}, gradients.get(1).toDoubleArray());
      assertArrayEquals(new double[] {2, 4}, tape.gradient(x.square().sum(), x.slice(0, 0, 2, 1)).toDoubleArray());
      assertTrue(tape.toString().contains("open=true"), tape.toString());
      final int nodes = tape.info().nodes();
      assertTrue(nodes >= 3 && tape.info().keptBytes() > 0, tape.toString());
      tape.end();
      x.exp();
      assertEquals(nodes, tape.info().nodes());
      fails(InvalidStateException.class, () -> tape.watch(x), "Tape.watch");
    }
  }

  @Test
  void gradientsOfGradients() {
    try (Scope scope = Scope.open()) {
      final Tensor x = engine.tensor(Device.CPU, new double[] {3});
      final Tape outer = engine.tape(x);
      final Tape inner = engine.tape(x);
      final Tensor dx = inner.gradient(x.mul(x).mul(x), x);
      assertEquals(27, dx.item());
      assertEquals(18, outer.gradient(dx, x).item());
    }
  }

  @Test
  void whatIsComputedInAPauseIsAConstant() throws Exception {
    try (Scope scope = Scope.open()) {
      final Tensor x = engine.tensor(Device.CPU, new double[] {3});
      final Tape tape = engine.tape(x);
      final Tensor constant;
      try (NoGradients outer = NoGradients.open(); NoGradients inner = NoGradients.open()) {
        inner.close();
        constant = x.square();
      }
      assertEquals(9, tape.gradient(x.mul(constant), x).item());

      final NoGradients pause = NoGradients.open();
      assertTrue(inThread(pause::close).getMessage().contains("belongs to the thread"));
      pause.close();
      pause.close();
    }
  }

  @Test
  void gradientsOfTheUser() {
    try (Scope scope = Scope.open()) {
      final Tensor x = engine.tensor(Device.CPU, new double[] {-1.4, 2.6}, 2);
      final Tensor w = engine.tensor(Device.CPU, new double[] {3, 4}, 2);
      final Thread thread = Thread.currentThread();
      final AtomicReference<Tensor> kept = new AtomicReference<>();
      final Tape tape = engine.keepingTape(x, w);
      final Tensor rounded = x.round();
      Tape.customGradient("straight_through", List.of(x), List.of(rounded), dy -> {
        assertSame(thread, Thread.currentThread());
        kept.set(dy.get(0));
        tape.info();
        fails(InvalidStateException.class, engine::close, "gradient");
        return dy;
      });
      final Tensor y = rounded.mul(w);
      Tape.customGradient("product", List.of(rounded, w), List.of(y), dy -> Arrays.asList(dy.get(0).mul(w), null));
      final Tensor loss = y.sum();
      for (int i = 0; i < 2; ++i) {
        final List<Tensor> gradients = tape.gradients(loss, x, w);
        assertArrayEquals(new double[] {3, 4}, gradients.get(0).toDoubleArray());
        assertArrayEquals(new double[] {0, 0}, gradients.get(1).toDoubleArray());
      }
      assertTrue(kept.get().isClosed());
      assertFalse(engine.isClosed());

      // A gradient may close its tape: that ends when the gradients are there.
      final Tape closing = engine.tape(x);
      final Tensor z = x.round();
      Tape.customGradient("closes", List.of(x), List.of(z), dy -> {
        closing.close();
        return dy;
      });
      assertArrayEquals(new double[] {1, 1}, closing.gradient(z.sum(), x).toDoubleArray());
      fails(InvalidStateException.class, closing::info, "tape is closed");
    }
  }

  private RondoException failing(CustomGradient gradient) {
    try (Scope scope = Scope.open()) {
      final Tensor x = engine.tensor(Device.CPU, new double[] {1, 2});
      final Tape tape = engine.tape(x);
      final Tensor y = x.round();
      Tape.customGradient("mine", List.of(x), List.of(y), gradient);
      final Tensor loss = y.sum();
      final RondoException thrown = fails(RondoException.class, () -> tape.gradient(loss, x), "Tape.gradients", "mine");
      assertEquals(1, engine.tape(x).gradient(x.mul(x.square()).sum(), x).slice(0, 0, 1, 1).item() - 2, "all else goes on");
      return thrown;
    }
  }

  @Test
  void whatAGradientThrowsIsTheCause() {
    final Exception mine = new Exception("mine alone");
    final RondoException thrown = failing(dy -> {
      throw mine;
    });
    assertSame(mine, thrown.getCause());
    assertEquals(Status.USER_ERROR, thrown.status());
    final AssertionError error = new AssertionError();
    assertSame(error, failing(dy -> {
      throw error;
    }).getCause());
    final RondoException refused = failing(dy -> List.of(dy.get(0).reshape(3)));
    assertEquals(Status.INVALID_ARGUMENT, refused.status());
    assertTrue(refused.getCause().getMessage().contains("Tensor.reshape"), refused.getCause().getMessage());
    fails(InvalidArgumentException.class, () -> {
      throw failing(dy -> List.of()).getCause();
    }, "0 tensors for 1 inputs");
    assertEquals(Status.USER_ERROR, failing(dy -> null).status());
    assertTrue(failing(dy -> List.of(dy.get(0).sum())).getMessage().contains("input_gradients[0]"));
    assertTrue(failing(dy -> {
      dy.get(0).close();
      return dy;
    }).getCause().getMessage().contains("closed"));
  }

  private static Throwable inThread(Runnable work) throws InterruptedException {
    final AtomicReference<Throwable> thrown = new AtomicReference<>(new AssertionError("nothing was thrown"));
    final Thread thread = new Thread(() -> {
      try {
        work.run();
      } catch (Throwable e) {
        thrown.set(e);
      }
    });
    thread.start();
    thread.join();
    return thrown.get();
  }

  @Test
  void anOpenTapeBelongsToItsThread() throws Exception {
    try (Scope scope = Scope.open()) {
      final Tensor x = engine.tensor(Device.CPU, new double[] {3});
      final Tape tape = engine.tape(x);
      final Tensor y = x.square();
      for (final Runnable use : List.<Runnable>of(() -> tape.gradient(y, x), () -> tape.watch(x), tape::end, tape::info)) {
        final Throwable thrown = inThread(use);
        assertTrue(thrown instanceof InvalidStateException && thrown.getMessage().contains("thread"), String.valueOf(thrown));
      }
      final AtomicReference<String> text = new AtomicReference<>();
      inThread(() -> text.set(tape.toString()));
      assertTrue(text.get().contains("thread"), text.get());
      tape.end();
      final AtomicReference<Double> gradient = new AtomicReference<>();
      inThread(() -> {
        try (Tensor made = tape.gradient(y, x)) {
          gradient.set(made.item());
        }
      });
      assertEquals(6, gradient.get());
      inThread(engine.tape(x)::close);
    }
  }

  @Test
  void misuseIsRefused() throws Exception {
    final Tensor x = engine.tensor(Device.CPU, new double[] {3, 4});
    final Tensor other = engine.tensor(Device.CPU, new double[] {3, 4});
    final Tensor whole = engine.tensor(Device.CPU, new int[] {3});
    try (Scope scope = Scope.open()) {
      fails(InvalidArgumentException.class, () -> engine.tape(x, whole), "Tape.watch");
      final Tape tape = engine.keepingTape(x);
      final Tensor y = x.square().sum();
      fails(InvalidArgumentException.class, () -> tape.gradient(y, other), "Tape.gradients");
      fails(InvalidArgumentException.class, () -> tape.gradient(other.sum(), x), "Tape.gradients");
      fails(InvalidArgumentException.class, () -> tape.gradient(x.square(), x), "Tape.gradients");
      fails(InvalidArgumentException.class, () -> tape.gradients(y), "n_sources");
      fails(InvalidArgumentException.class, () -> tape.gradients(List.of(y), List.of(), List.of(x), List.of(x, x)), "out has 2");
      fails(InvalidArgumentException.class, () -> tape.gradients(List.of(y), List.of(y, y), List.of(x), List.of()),
          "outputGradients has 2");
      fails(NullPointerException.class, () -> tape.gradient(y, null));
      fails(NullPointerException.class, () -> Tape.customGradient("f", List.of(x), List.of(y), null), "gradient");
      fails(InvalidArgumentException.class, () -> Tape.customGradient("f", List.of(), List.of(y), dy -> dy), "n_inputs");
      final Tensor log = x.log();
      x.fill(1);
      fails(InvalidStateException.class, () -> tape.gradient(log.sum(), x), "'log'", "'fill'");
      tape.close();
      tape.close();
      assertEquals("Tape[closed]", tape.toString());
      fails(InvalidStateException.class, () -> tape.gradient(y, x), "tape is closed");
      fails(InvalidStateException.class, () -> tape.watch(x), "tape is closed");
      fails(InvalidStateException.class, tape::end, "tape is closed");

      final Tape once = engine.tape(x);
      final Tensor z = x.square().sum();
      once.gradient(z, x);
      fails(InvalidStateException.class, () -> once.gradient(z, x), "Tape.gradients");
      engine.submit(context -> fails(InvalidStateException.class, engine::tape, "task"), List.of(x), List.of());
      engine.awaitAll();
    }
    final Tape open = engine.tape(x);
    engine.close();
    fails(InvalidStateException.class, () -> open.gradient(x, x), "engine of this tape is closed");
    fails(InvalidStateException.class, engine::tape, "engine is closed");
    open.close();
    try (Engine next = Engine.create(); Tensor a = next.tensor(Device.CPU, new double[] {2}); Tape tape = next.tape(a)) {
      assertEquals(4, tape.gradient(a.square(), a).item());
    }
    List.of(x, other, whole).forEach(Tensor::close);
  }

  @Test
  void aVirtualThreadHasNoTape() throws Exception {
    assumeTrue(Runtime.version().feature() >= 21, "virtual threads are there from Java 21 on");
    for (final Runnable use : List.<Runnable>of(() -> engine.tape(), NoGradients::open)) {
      final AtomicReference<Throwable> thrown = new AtomicReference<>();
      final Runnable body = () -> thrown.set(fails(InvalidStateException.class, use::run, "virtual"));
      ((Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body)).join();
      assertTrue(thrown.get() != null);
    }
  }
}
