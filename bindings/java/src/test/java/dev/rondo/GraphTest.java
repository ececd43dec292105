// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static dev.rondo.Devices.fails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Recordings as lambdas, and the graphs they become. */
@Tag("device")
class GraphTest {
  private Engine engine = Engine.create();

  @AfterEach
  void close() {
    engine.close();
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#modes")
  void launchesHaveWhatWasSetBeforeThem(Device device, EngineMode mode) {
    engine.close();
    engine = Engine.create(new EngineOptions().mode(mode));
    try (Scope scope = Scope.open()) {
      final Tensor x = engine.tensor(device, new float[] {1, 2}, 2);
      final Tensor[] step = new Tensor[1];
      final Graph graph = engine.record(recording -> {
        final Tensor rate = recording.parameter("rate", device, DType.F32, 1);
        step[0] = recording.keep(recording.parameter("step", device, DType.I64, 0));
        Operators.binary(BinaryOp.ADD, x, rate, x);
        recording.section("double", false, () -> Operators.binary(BinaryOp.ADD, x, x, x));
      });
      graph.launch();
      graph.set("rate", 0.5);
      graph.set("step", Long.MAX_VALUE);
      graph.enable("double", true);
      graph.launch();
      assertArrayEquals(new float[] {5, 7}, x.toFloatArray());
      assertArrayEquals(new long[] {Long.MAX_VALUE}, step[0].toLongArray());
      fails(NotFoundException.class, () -> graph.set("lr", 1), "Graph.set", "rate", "step");
      fails(NotFoundException.class, () -> graph.enable("half", true), "Graph.enable", "double");
      fails(InvalidArgumentException.class, () -> graph.set("step", 0.5), "Graph.set", "value");
    }
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#modes")
  void replaysWhatWasRecorded(Device device, EngineMode mode) {
    engine.close();
    engine = Engine.create(new EngineOptions().mode(mode));
    try (Scope scope = Scope.open()) {
      final Tensor x = engine.tensor(device, new float[] {1, 2, 3, 4}, 2, 2);
      final Tensor total = engine.full(device, DType.F32, 0, 2, 2);
      final Tensor[] y = new Tensor[1];
      final Tensor[] temporary = new Tensor[1];
      final RecordOptions options = new RecordOptions().name("step").arena("steps").maxBranches(2)
          .flags(RecordFlags.AS_WRITTEN, RecordFlags.FALL_BACK);
      final Graph graph = engine.record(options, recording -> {
        assertSame(engine, recording.engine());
        temporary[0] = x.matmul(x);
        y[0] = recording.keep(temporary[0].relu().add(1));
        Operators.binary(BinaryOp.ADD, total, y[0], total);
      });
      assertTrue(temporary[0].isClosed());
      assertFalse(y[0].isClosed());
      assertSame(engine, graph.engine());
      graph.launch();
      graph.launch();
      assertArrayEquals(new float[] {8, 11, 16, 23}, y[0].toFloatArray());
      assertArrayEquals(new float[] {16, 22, 32, 46}, total.toFloatArray());
      x.write(1, 0, 0, 1);
      graph.launch();
      assertArrayEquals(new float[] {2, 1, 1, 2}, y[0].toFloatArray());
      final GraphInfo info = graph.info();
      assertEquals(4, info.tasks());
      assertEquals(1, info.segments());
      assertEquals(3, info.launches());
      assertEquals(device.kind() == DeviceKind.CUDA ? 1 : 0, info.captured());
      assertTrue(graph.report().contains("'step'"), graph.report());
      assertTrue(graph.toString().contains("tasks=4"));
      assertEquals(mode, engine.mode());
    }
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#modes")
  void callsFromThreadsAreNotMixedUp(Device device, EngineMode mode) throws InterruptedException {
    engine.close();
    engine = Engine.create(new EngineOptions().mode(mode));
    try (Scope scope = Scope.open()) {
      final Tensor w = engine.tensor(device, new float[] {0, 1, 1, 0}, 2, 2);
      final Graph swap = engine.record(new RecordOptions().name("swap").flags(RecordFlags.CALLABLE).arenas(2), recording -> {
        final Tensor x = recording.input(device, DType.F32, 1, 2);
        recording.output(x.matmul(w));
        recording.output(x.add(1));
      });
      assertEquals(2, swap.info().arenas());
      fails(InvalidArgumentException.class, () -> engine.record(new RecordOptions().arenas(2), recording -> { }), "arenas",
          "CALLABLE");
      assertEquals(1, swap.info().inputs());
      assertEquals(2, swap.info().outputs());
      final AtomicReference<Throwable> failure = new AtomicReference<>();
      final Thread[] threads = new Thread[4];
      for (int t = 0; t < threads.length; ++t) {
        final int first = 100 * t;
        threads[t] = new Thread(() -> {
          try (Scope inside = Scope.open()) {
            for (int i = first; i < first + 20; ++i) {
              final List<Tensor> answers = swap.call(engine.tensor(device, new float[] {i, -1}, 1, 2));
              assertArrayEquals(new float[] {-1, i}, answers.get(0).toFloatArray());
              assertArrayEquals(new float[] {i + 1, 0}, answers.get(1).toFloatArray());
            }
          } catch (RuntimeException | AssertionError e) {
            failure.set(e);
          }
        });
        threads[t].start();
      }
      for (final Thread each : threads) {
        each.join();
      }
      assertEquals(null, failure.get());
      final Tensor x = engine.tensor(device, new float[] {5, 6}, 1, 2);
      final Tensor y = engine.full(device, DType.F32, 0, 1, 2);
      final Tensor z = engine.full(device, DType.F32, 0, 1, 2);
      swap.callInto(List.of(x), List.of(y, z));
      assertArrayEquals(new float[] {6, 5}, y.toFloatArray());
      assertArrayEquals(new float[] {6, 7}, z.toFloatArray());
      fails(InvalidArgumentException.class, swap::call, "n_inputs");
      fails(InvalidArgumentException.class, () -> swap.callInto(List.of(x), List.of(x, z)), "outputs[0]", "inputs[0]");
      fails(InvalidStateException.class, swap::launch, "Graph.call");
    }
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void aRecordingReturnsWhatItsLaunchesWrite(Device device) {
    try (Scope scope = Scope.open()) {
      final Tensor x = engine.tensor(device, new float[] {1, 2});
      final Recorded<Tensor> one = engine.record(() -> x.add(1).mul(2));
      final Recorded<List<Tensor>> list = engine.record(new RecordOptions().name("list"), () -> List.of(x.neg(), x.exp()));
      final Recorded<Tensor[]> array = engine.record(() -> new Tensor[] {x.square()});
      final Recorded<Map<String, Tensor>> map = engine.record(() -> Map.of("a", x.sub(1)));
      final Recorded<String> other = engine.record(() -> "no tensor");
      final Graph writes = engine.record(() -> {
        x.addInto(1, x);
      });
      final Graph named = engine.record(new RecordOptions().name("named"), () -> {
        x.addInto(1, x);
      });
      for (final Graph each : List.of(one, list, array, map, other, writes, named)) {
        each.launch();
      }
      assertArrayEquals(new float[] {4, 6}, one.value().toFloatArray());
      assertArrayEquals(new float[] {-1, -2}, list.value().get(0).toFloatArray());
      assertArrayEquals(new float[] {1, 4}, array.value()[0].toFloatArray());
      assertArrayEquals(new float[] {0, 1}, map.value().get("a").toFloatArray());
      assertEquals("no tensor", other.value());
      assertArrayEquals(new float[] {3, 4}, x.toFloatArray());
      assertTrue(named.report().contains("'named'"));
      one.launch();
      assertArrayEquals(new float[] {8, 10}, one.value().toFloatArray());
    }
  }

  @Test
  void whatARecordingClosedSaysSo() {
    try (Tensor x = engine.tensor(Device.CPU, new float[] {1})) {
      final Tensor[] inside = new Tensor[2];
      engine.record(() -> {
        inside[0] = x.add(1);
        inside[1] = x.add(1);
        inside[1].close();
      }).close();
      fails(InvalidStateException.class, inside[0]::toFloatArray, "closed at the end of the recording", "use Recording.keep");
      fails(InvalidStateException.class, inside[1]::toFloatArray, "this tensor is closed");
    }
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#modes")
  void profileIsALaunchThatSaysHowLongEachTaskTook(Device device, EngineMode mode, @TempDir Path folder) throws Exception {
    engine.close();
    engine = Engine.create(new EngineOptions().mode(mode));
    try (Scope scope = Scope.open()) {
      final Tensor x = engine.tensor(device, new float[] {1, 2}, 2);
      final Graph graph = engine.record(recording -> x.addInto(1, x));
      graph.launch();
      graph.profile();
      assertArrayEquals(new float[] {3, 4}, x.toFloatArray());
      assertTrue(graph.report().contains("critical path"), graph.report());
      final Path file = folder.resolve("profile.json");
      graph.profile(file);
      assertTrue(Files.readString(file).contains("\"critical_path\":[0"), Files.readString(file));
      assertEquals(3, graph.info().launches());
      fails(IoException.class, () -> graph.profile(folder.resolve("missing/profile.json")), "missing");
      fails(InvalidStateException.class, () -> engine.record(recording -> graph.profile()), "recording");
    }
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#modes")
  void callsAreProfiled(Device device, EngineMode mode, @TempDir Path folder) throws Exception {
    engine.close();
    engine = Engine.create(new EngineOptions().mode(mode));
    try (Scope scope = Scope.open()) {
      final Tensor x = engine.tensor(device, new float[] {1, 2}, 2);
      final Graph graph = engine.record(new RecordOptions().flags(RecordFlags.CALLABLE), recording -> {
        recording.output(recording.input(device, DType.F32, 2).mul(2));
      });
      assertArrayEquals(new float[] {2, 4}, graph.profileCall(x).get(0).toFloatArray());
      assertTrue(graph.report().contains("critical path"), graph.report());
      final Path file = folder.resolve("profile.json");
      assertArrayEquals(new float[] {2, 4}, graph.profileCall(file, x).get(0).toFloatArray());
      assertTrue(Files.readString(file).contains("\"critical_path\":[0"), Files.readString(file));
      fails(IoException.class, () -> graph.profileCall(folder.resolve("missing/profile.json"), x), "missing");
      fails(InvalidArgumentException.class, () -> graph.profileCall(), "Graph.profileCall");
      fails(InvalidStateException.class, () -> graph.profile(), "Graph.profileCall");
    }
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#modes")
  void sitesAreFilesAndLinesOfTheProgram(Device device, EngineMode mode, @TempDir Path folder) throws Exception {
    engine.close();
    engine = Engine.create(new EngineOptions().mode(mode));
    try (Scope scope = Scope.open()) {
      final Tensor x = engine.tensor(device, new float[] {1, 2, 3, 4}, 2, 2);
      final int[] lines = new int[2];
      final Graph graph = engine.record(new RecordOptions().flags(RecordFlags.SITES, RecordFlags.AS_WRITTEN), recording -> {
        lines[0] = line() + 1;
        final Tensor a = x.add(1);
        lines[1] = line() + 1;
        recording.keep(a.matmul(x));
      });
      final Path file = folder.resolve("sites.dot");
      graph.dot(file);
      final String picture = Files.readString(file);
      for (final int line : lines) {
        assertTrue(picture.contains("GraphTest.java:" + line + "\""), line + " in " + picture);
      }
      engine.record(recording -> recording.keep(x.exp())).dot(file);
      assertFalse(Files.readString(file).contains("GraphTest.java"), "nobody asked");
    }
  }

  private static int line() {
    return StackWalker.getInstance().walk(frames -> frames.skip(1).findFirst()).get().getLineNumber();
  }

  @Test
  void writesItselfAsDot(@TempDir Path folder) throws Exception {
    try (Tensor x = engine.tensor(Device.CPU, new float[] {1}); Graph graph = engine.record(recording -> x.exp())) {
      final Path file = folder.resolve("zw\u00f6lf.dot");
      graph.dot(file);
      assertTrue(Files.readString(file).startsWith("digraph"));
      final IoException failure = fails(IoException.class, () -> graph.dot(folder.resolve("missing/graph.dot")), "missing");
      assertEquals(Status.IO_ERROR, failure.status());
    }
  }

  @Test
  void anExceptionDropsTheRecording() {
    try (Scope scope = Scope.open()) {
      final Tensor x = engine.tensor(Device.CPU, new float[] {1, 2});
      final Tensor[] inside = new Tensor[1];
      final IllegalStateException thrown = new IllegalStateException("stop");
      assertSame(thrown, fails(IllegalStateException.class, () -> engine.record(recording -> {
        inside[0] = recording.keep(x.neg());
        throw thrown;
      })));
      fails(RondoException.class, inside[0]::await, "record");
      assertArrayEquals(new float[] {-1, -2}, x.neg().toFloatArray());
      engine.record(recording -> x.neg()).launch(); // the thread can record again
    }
  }

  @Test
  void whatRecordingForbidsIsRefused() {
    try (Scope scope = Scope.open()) {
      final Tensor x = engine.tensor(Device.CPU, new float[] {1, 2});
      engine.record(recording -> {
        fails(InvalidStateException.class, () -> engine.record(inner -> x.neg()), "Engine.record");
        final Tensor y = x.neg();
        fails(InvalidStateException.class, y::await, "Tensor.await");
        fails(InvalidStateException.class, y::toFloatArray, "Tensor.read");
        fails(InvalidStateException.class, () -> x.write(1, 2), "Tensor.write");
        fails(InvalidStateException.class, x::awaitAsync, "recording");
        fails(InvalidStateException.class, engine::close, "inside a recording");
      }).launch();
      fails(NullPointerException.class, () -> engine.record((Runnable) null));
      engine.awaitAll();
    }
  }

  @Test
  void aVirtualThreadCannotRecord() throws Exception {
    assumeTrue(Runtime.version().feature() >= 21, "virtual threads are there from Java 21 on");
    final AtomicReference<Throwable> thrown = new AtomicReference<>();
    final Runnable record = () -> {
      try (Tensor x = engine.tensor(Device.CPU, new float[] {1}); Tensor y = x.add(1)) {
        assertEquals(2, y.item(), "all else works there");
        engine.record(recording -> x.neg());
      } catch (Throwable e) {
        thrown.set(e);
      }
    };
    ((Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, record)).join();
    assertTrue(thrown.get() instanceof InvalidStateException && thrown.get().getMessage().contains("virtual"), String.valueOf(thrown.get()));
  }

  @Test
  void outlivesItsHandlesAndIsRefusedWhenClosed() {
    final Tensor x = engine.tensor(Device.CPU, new float[] {1, 2});
    final Tensor[] y = new Tensor[1];
    final Graph graph = engine.record(recording -> y[0] = recording.keep(x.add(1)));
    graph.launch();
    graph.close();
    graph.close();
    assertTrue(graph.isClosed());
    assertEquals("Graph[closed]", graph.toString());
    fails(InvalidStateException.class, graph::launch, "graph is closed");
    fails(InvalidStateException.class, graph::info, "graph is closed");
    fails(InvalidStateException.class, graph::report, "graph is closed");
    assertArrayEquals(new float[] {2, 3}, y[0].toFloatArray());
    y[0].close();
    x.close();
  }
}
