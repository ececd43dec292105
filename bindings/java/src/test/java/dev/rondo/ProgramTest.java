// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static dev.rondo.Devices.fails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Program files: functions are saved with their names and called on another engine; what a file says; what is refused. */
@Tag("device")
class ProgramTest {
  private Engine engine = Engine.create();
  @TempDir private Path folder;

  @AfterEach
  void close() {
    engine.close();
  }

  /** A function of vectors of two numbers. */
  private Graph callable(Device device, int inputs, Function<List<Tensor>, Tensor> body) {
    return engine.record(new RecordOptions().flags(RecordFlags.CALLABLE), recording -> {
      final List<Tensor> given = new ArrayList<>();
      for (int i = 0; i < inputs; ++i) {
        given.add(recording.input(device, DType.F32, 2));
      }
      recording.output(body.apply(given));
    });
  }

  /** Two functions that share a weight; one counts in a state. */
  private final class Saved {
    final Tensor w;
    final Tensor total;
    final Graph scale;
    final Graph count;

    Saved(Device device) {
      w = engine.tensor(device, new float[] {2, 3});
      total = engine.tensor(device, new float[] {0, 1});
      scale = callable(device, 2, in -> in.get(0).mul(w).add(in.get(1)));
      count = callable(device, 1, in -> {
        Operators.binary(BinaryOp.ADD, total, in.get(0).mul(w), total);
        return total.mul(1);
      });
    }

    Path write(String name) {
      final Path path = folder.resolve(name);
      new ProgramWriter().function("scale", scale, List.of("x", "y"), List.of("sum")).function("count", count).weight("w", w)
          .weight("total", total).metadata("labels", "cat\ndog").write(path);
      return path;
    }
  }

  @Test
  void whatIsTrustedIsCalledAsBefore() {
    try (Scope scope = Scope.open()) {
      final Path path = new Saved(Device.CPU).write("trusted");
      final Program program = Program.open(path);
      program.trust();
      program.trust();
      final ProgramInstance made = program.instance(engine, Device.CPU);
      final Tensor x = engine.tensor(Device.CPU, new float[] {1, 2});
      assertArrayEquals(new float[] {3, 8}, made.call("scale", x, x).get(0).toFloatArray());
      program.close();
      fails(InvalidStateException.class, program::trust, "closed");
    }
  }

  @Test
  void aFileCanBeChecked() {
    try (Scope scope = Scope.open()) {
      final Path path = new Saved(Device.CPU).write("checked");
      fails(NotFoundException.class, () -> Program.open(path).check(engine, Device.CPU, 0, 0), "no self-check");
      ProgramWriter.addCheck(path, engine, Device.CPU);
      final ProgramCheckInfo checked = Program.open(path).check(engine, Device.CPU, 1 << 20, 60_000);
      assertEquals(2, checked.calls());
      assertEquals(2, checked.outputs());
      assertEquals(2, checked.exact());
      fails(InvalidArgumentException.class, () -> ProgramWriter.addCheck(path, engine, Device.CPU, new long[] {1}), "n_sizes");
      assertThrows(IllegalArgumentException.class, () -> ProgramWriter.addCheck(path, engine, Device.CPU, new long[] {1}, new long[] {}));
    }
  }

  @Test
  void makingHasALimitOfHostMemory() {
    try (Scope scope = Scope.open()) {
      final Graph graph = callable(Device.CPU, 1, in -> in.get(0).neg());
      final Path path = folder.resolve("host");
      new ProgramWriter().function("negative", graph).write(path);
      final Program program = Program.open(path);
      program.limitHostMemory(1);
      fails(OutOfMemoryException.class, () -> program.instance(engine, Device.CPU), "than 1 bytes");
      fails(InvalidArgumentException.class, () -> program.limitHostMemory(-1), "most_bytes is -1");
      program.limitHostMemory(64 << 20);
      program.instance(engine, Device.CPU);
      program.limitHostMemory(0);
      final Tensor x = engine.tensor(Device.CPU, new float[] {1, 10});
      assertArrayEquals(new float[] {-1, -10}, program.instance(engine, Device.CPU).call("negative", x).get(0).toFloatArray());
    }
  }

  @Test
  void makingEndsWithItsTime() {
    try (Scope scope = Scope.open()) {
      final Graph graph = callable(Device.CPU, 1, in -> {
        Tensor x = in.get(0);
        for (int i = 0; i < 3000; ++i) {
          x = x.neg();
        }
        return x;
      });
      final Path path = folder.resolve("long");
      new ProgramWriter().function("long", graph).write(path);
      final Program program = Program.open(path);
      program.limitMaking(Duration.ofNanos(1)); // a millisecond
      fails(TimedOutException.class, () -> program.instance(engine, Device.CPU), "1 ms");
      fails(InvalidArgumentException.class, () -> program.limitMaking(Duration.ofNanos(-1)), "most_ms");
      program.limitMaking(Duration.ofMinutes(10));
      program.instance(engine, Device.CPU);
      program.limitMaking(Duration.ZERO);
      final Tensor x = engine.tensor(Device.CPU, new float[] {1, 10});
      assertArrayEquals(new float[] {1, 10}, program.instance(engine, Device.CPU).call("long", x).get(0).toFloatArray());
    }
  }

  @Test
  void readerIsAVersionThatThisOneKnows() {
    try (Scope scope = Scope.open()) {
      final Graph graph = new Saved(Device.CPU).scale;
      final Path path = folder.resolve("reader.safetensors");
      new ProgramWriter().function("scale", graph).reader("0.1").write(path);
      assertTrue(Files.exists(path));
      fails(InvalidArgumentException.class, () -> new ProgramWriter().function("scale", graph).reader("9.0").write(path),
          "options.reader is '9.0'");
    }
  }

  @Test
  void checkedNumbersNameTheOperator() {
    try (Scope scope = Scope.open()) {
      final Graph roots = engine.record(new RecordOptions().flags(RecordFlags.CALLABLE, RecordFlags.CHECK_NUMBERS),
          recording -> recording.output(recording.input(Device.CPU, DType.F32, 2).sqrt().mul(2)));
      final Tensor x = engine.tensor(Device.CPU, new float[] {4, -1});
      fails(InvalidArgumentException.class, () -> roots.call(x).get(0).await(), "operator 'sqrt' (node 0)");
    }
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#modes")
  void savedFunctionsAreCalledOnAnotherEngine(Device device, EngineMode mode) {
    engine.close();
    engine = Engine.create(new EngineOptions().mode(mode));
    try (Scope scope = Scope.open(); Engine other = Engine.create(new EngineOptions().mode(mode))) {
      final Saved saved = new Saved(device);
      final Path path = saved.write("pr\u00f6gram.safetensors");
      final Program program = Program.open(path);
      final ProgramInstance instance = program.instance(other, device);
      program.close();
      assertEquals(other, instance.engine());
      final Tensor x = other.tensor(device, new float[] {1, 10});
      final Tensor y = other.tensor(device, new float[] {5, 5});
      assertArrayEquals(new float[] {7, 35}, instance.call("scale", x, y).get(0).toFloatArray());
      assertArrayEquals(new float[] {2, 31}, instance.call("count", x).get(0).toFloatArray());
      final Tensor out = other.full(device, DType.F32, 0, 2);
      instance.callInto("count", List.of(x), List.of(out));
      assertArrayEquals(new float[] {4, 61}, out.toFloatArray());
      assertArrayEquals(new float[] {4, 61}, instance.weight("total").toFloatArray());
      assertArrayEquals(new float[] {0, 1}, saved.total.toFloatArray()); // each instance has its own state
      final Graph graph = instance.graph("scale");
      assertTrue(instance.toString().contains("scale"), instance.toString());
      instance.close();
      assertArrayEquals(new float[] {11, 25}, graph.call(y, x).get(0).toFloatArray());
      graph.close(); // of an engine that is closed before the scope
    }
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void bytesAndNamesStandForFileAndOrder(Device device) throws Exception {
    try (Scope scope = Scope.open()) {
      final byte[] bytes = Files.readAllBytes(new Saved(device).write("bytes.safetensors"));
      final String text = Program.open(bytes).text();
      final byte[] more = new byte[bytes.length + 7];
      System.arraycopy(bytes, 0, more, 3, bytes.length);
      final ByteBuffer heap = ByteBuffer.wrap(more, 3, bytes.length).slice();
      final ByteBuffer direct = ByteBuffer.allocateDirect(more.length).put(more);
      direct.position(3).limit(3 + bytes.length);
      for (final ByteBuffer each : List.of(heap, heap.asReadOnlyBuffer(), direct, direct.asReadOnlyBuffer())) {
        final int position = each.position();
        assertEquals(text, Program.open(each).text());
        assertEquals(position, each.position());
      }
      final Program program = Program.open(new ByteArrayInputStream(bytes));
      Arrays.fill(bytes, (byte) '?'); // the program has a copy
      final ProgramInstance instance = program.instance(engine, device);
      final Tensor x = engine.tensor(device, new float[] {1, 10});
      final Tensor y = engine.tensor(device, new float[] {5, 5});
      final Map<String, Tensor> sum = instance.callNamed("scale", Map.of("y", y, "x", x), List.of("sum"));
      assertArrayEquals(new float[] {7, 35}, sum.get("sum").toFloatArray());
      assertArrayEquals(new float[] {7, 35},
          instance.callNamedWithin(Duration.ofMinutes(1), "scale", Map.of("x", x, "y", y), List.of("sum")).get("sum").toFloatArray());
      assertEquals(Map.of(), instance.callNamed("scale", Map.of("y", y, "x", x), List.of()));
      fails(InvalidArgumentException.class, () -> instance.callNamed("scale", Map.of("x", x), List.of("sum")), "the function has 2");
      fails(NotFoundException.class, () -> instance.callNamed("scale", Map.of("x", x, "z", y), List.of("sum")), "'z'");
      fails(NotFoundException.class, () -> instance.callNamed("scale", Map.of("x", x, "y", y), List.of("none")), "'none'");
      fails(InvalidArgumentException.class, () -> instance.callNamed("scale", Map.of("x", x, "y", y), List.of("sum", "sum")), "n_outputs is 2");
      for (final Duration none : List.of(Duration.ZERO, Duration.ofNanos(-1))) {
        fails(InvalidArgumentException.class,
            () -> instance.callNamedWithin(none, "scale", Map.of("x", x, "y", y), List.of("sum")), "more than 0 is needed");
      }
    }
    fails(IoException.class, () -> Program.open(new byte[0]), "it has 0 bytes");
    fails(IoException.class, () -> Program.open(ByteBuffer.allocateDirect(0)), "it has 0 bytes");
  }

  @Test
  void jsonBesideItsWeightsIsTheSameProgram() throws Exception {
    final Path json = folder.resolve("p.rondo.json");
    try (Scope scope = Scope.open()) {
      final Saved saved = new Saved(Device.CPU);
      final Path one = saved.write("one.safetensors");
      final ProgramWriter writer = new ProgramWriter().function("scale", saved.scale, List.of("x", "y"), List.of("sum"))
          .function("count", saved.count).weight("w", saved.w).weight("total", saved.total).metadata("labels", "cat\ndog");
      writer.weightsInto("w.safetensors").write(json);
      final Program program = Program.open(json);
      assertEquals(Program.open(one).text(), program.text());
      assertEquals(Map.of("labels", "cat\ndog"), program.metadata());
      final ProgramInstance instance = program.instance(engine, Device.CPU);
      assertArrayEquals(new float[] {2, 31}, instance.call("count", engine.tensor(Device.CPU, new float[] {1, 10})).get(0).toFloatArray());
      instance.save(one);
      assertArrayEquals(new float[] {2, 31}, Program.open(one).instance(engine, Device.CPU).weight("total").toFloatArray());
      fails(InvalidArgumentException.class, () -> instance.saveAsJson(json, null, List.of("w.safetensors")), "shape or contents");
      final byte[] before = Files.readAllBytes(json);
      fails(InvalidArgumentException.class, () -> instance.saveAsJson(json, null, List.of()), "into is null and from is empty");
      assertArrayEquals(before, Files.readAllBytes(json));
      instance.saveAsJson(json, "now.safetensors", List.of());
      assertArrayEquals(new float[] {2, 31}, Program.open(json).instance(engine, Device.CPU).weight("total").toFloatArray());
      writer.weightsInto("rest.safetensors").weightsFrom("w.safetensors").write(json); // nothing is left for the former
      assertTrue(Files.notExists(folder.resolve("rest.safetensors")));
      fails(NotFoundException.class, () -> writer.weightsFrom("none.safetensors").write(json), "none.safetensors");
      final byte[] bytes = Files.readAllBytes(folder.resolve("w.safetensors"));
      bytes[bytes.length - 1] ^= 1;
      Files.write(folder.resolve("w.safetensors"), bytes);
      fails(IoException.class, () -> Program.open(json).instance(engine, Device.CPU), "its SHA-256 is");
    }
  }

  @Test
  void threadsCallOneInstance() {
    try (Scope scope = Scope.open()) {
      final ProgramInstance instance = Program.open(new Saved(Device.CPU).write("program")).instance(engine, Device.CPU);
      final List<CompletableFuture<Void>> threads = new ArrayList<>();
      for (int i = 0; i < 4; ++i) {
        final float number = i;
        threads.add(CompletableFuture.runAsync(() -> {
          try (Scope own = Scope.open()) {
            final Tensor x = engine.tensor(Device.CPU, new float[] {number, 1});
            final Tensor y = engine.tensor(Device.CPU, new float[] {1, 1});
            for (int k = 0; k < 50; ++k) {
              assertArrayEquals(new float[] {2 * number + 1, 4}, instance.call("scale", x, y).get(0).toFloatArray());
            }
          }
        }));
      }
      threads.forEach(CompletableFuture::join);
    }
  }

  private static List<String> names(List<Program.Value> values) {
    return values.stream().map(Program.Value::name).collect(Collectors.toList());
  }

  @Test
  void aFileSaysWhatIsInIt() {
    try (Scope scope = Scope.open()) {
      final Saved saved = new Saved(Device.CPU);
      final Program program = Program.open(saved.write("program"));
      assertEquals(2, program.info().functions());
      assertEquals("0.1", program.info().needs());
      assertEquals(8, program.info().weightBytes());
      assertEquals(8, program.info().stateBytes());
      final List<Program.Function> functions = program.functions();
      assertEquals(List.of("scale", "count"), functions.stream().map(Program.Function::name).collect(Collectors.toList()));
      assertEquals(List.of("x", "y"), names(functions.get(0).inputs()));
      assertEquals(List.of("sum"), names(functions.get(0).outputs()));
      assertEquals(List.of("input0"), names(functions.get(1).inputs()));
      assertEquals(List.of("output0"), names(functions.get(1).outputs()));
      assertEquals("scale[x: F32 [2], y: F32 [2]] -> [sum: F32 [2]]", functions.get(0).toString());
      assertEquals(2, functions.get(0).info().inputs());
      assertEquals(functions.get(1), program.function("count"));
      assertEquals(functions.get(1).hashCode(), program.function("count").hashCode());
      assertNotEquals(functions.get(0), functions.get(1));
      final List<Program.Value> weights = program.weights();
      assertEquals(2, weights.size());
      for (final Program.Value each : weights) {
        assertEquals(each.name().equals("total"), each.info().state(), each.toString());
        assertArrayEquals(new long[] {2}, each.info().shape());
      }
      assertEquals(weights, program.weights());
      assertEquals(Map.of("labels", "cat\ndog"), program.metadata());
      assertTrue(program.text().startsWith("{\"rondo_program\":1"), program.text());
      program.close();
      assertEquals("Program[closed]", program.toString());
    }
  }

  @Test
  void whatIsWrongIsRefused() throws Exception {
    final Path path = folder.resolve("program");
    try (Scope scope = Scope.open()) {
      final Saved saved = new Saved(Device.CPU);
      final ProgramWriter few = new ProgramWriter().function("scale", saved.scale, List.of("x"), List.of("sum"));
      fails(InvalidArgumentException.class, () -> few.write(path), "ProgramWriter.write", "function 'scale' has 2 inputs, not 1");
      final ProgramWriter twice = new ProgramWriter().function("f", saved.scale).function("f", saved.count);
      fails(InvalidArgumentException.class, () -> twice.write(path), "ProgramWriter.write", "'f'");
      final ProgramWriter unused = new ProgramWriter().function("scale", saved.scale).weight("unused", saved.w.copy());
      fails(InvalidArgumentException.class, () -> unused.write(path), "unused");
      final ProgramWriter zero = new ProgramWriter().function("a\0b", saved.scale);
      fails(InvalidArgumentException.class, () -> zero.write(path), "character 0");
      fails(NullPointerException.class, () -> new ProgramWriter().function(null, saved.scale), "name");
      fails(NullPointerException.class, () -> new ProgramWriter().metadata("key", null), "value");
      assertTrue(Files.notExists(path));
      fails(NotFoundException.class, () -> Program.open(path), "program");
      Files.write(path, new byte[] {3, 0, 0, 0, 0, 0, 0, 0, '{'});
      fails(IoException.class, () -> Program.open(path), "header");

      final Program program = Program.open(saved.write("program"));
      fails(NotFoundException.class, () -> program.function("none"), "'scale', 'count'");
      final ProgramInstance instance = program.instance(engine, Device.CPU);
      fails(NotFoundException.class, () -> instance.call("none", saved.w), "'scale', 'count'");
      fails(NotFoundException.class, () -> instance.graph("none"), "'scale', 'count'");
      fails(NotFoundException.class, () -> instance.weight("none"), "'none'");
      fails(InvalidArgumentException.class, () -> instance.call("scale", saved.w), "ProgramInstance.call");
      fails(NullPointerException.class, () -> instance.call(null));
      saved.scale.close();
      fails(InvalidStateException.class, () -> new ProgramWriter().function("scale", saved.scale).write(path), "graph is closed");
    }
  }

  /** Rows times a weight, for any number of them. */
  private Graph rows(Device device, Tensor w, long n) {
    return engine.record(new RecordOptions().flags(RecordFlags.CALLABLE),
        recording -> recording.output(recording.input(device, DType.F32, n, 2).mul(w).reshape(2 * n)));
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void functionsWhoseSizesVary(Device device) {
    try (Scope scope = Scope.open()) {
      final Path path = folder.resolve("sizes.safetensors");
      final Tensor w = engine.tensor(device, new float[] {2, 3});
      new ProgramWriter().dim("n", 1, 100).function("rows", sizes -> rows(device, w, sizes[0]), List.of("x"), List.of("y")).weight("w", w)
          .write(path);
      final Program program = Program.open(path);
      assertEquals("[n: 1 to 100]", program.dims().toString());
      assertTrue(program.function("rows").info().varies());
      assertArrayEquals(new int[] {1, 0}, program.function("rows").inputs().get(0).info().dims());
      final Tensor given = engine.tensor(device, new float[] {1, 2});
      final ProgramInstance plain = program.instance(engine, device);
      final ProgramInstance other = program.instance(engine, device,
          new ProgramInstanceOptions().weight("w", given).extra("rows", 0).mostTurns(9).mostBytes(1 << 30).functions(new GraphFunctionOptions().limitBytes(1 << 20)));
      for (final int n : new int[] {1, 3, 100}) {
        final float[] values = new float[2 * n];
        for (int i = 0; i < values.length; ++i) {
          values[i] = i;
        }
        final Tensor x = engine.tensor(device, values, n, 2);
        assertArrayEquals(rows(device, w, n).call(x).get(0).toFloatArray(), plain.call("rows", x).get(0).toFloatArray());
        assertEquals(values[1] * 2, other.call("rows", x).get(0).toFloatArray()[1]);
        assertArrayEquals(values, other.call("rows", x).get(1).toFloatArray());
      }
      assertEquals(3, plain.function("rows").info().recordings());
      final ProgramMemoryInfo memory = program.memory(engine, device, 100);
      assertEquals(8, memory.weightBytes());
      assertTrue(program.memory(engine, device, 1).graphBytes() <= memory.graphBytes());
      assertThrows(InvalidArgumentException.class, () -> program.memory(engine, device, 101));
      final ProgramKernelsInfo kernels = program.kernels(engine, device, 100);
      assertEquals(kernels.needed(), kernels.kept() + kernels.missing());
      assertEquals(device.kind() == DeviceKind.CPU, kernels.needed() == 0);
      assertEquals(kernels.missing(), program.missingKernels(engine, device, 100).lines().count());
      assertThrows(InvalidArgumentException.class, () -> program.kernels(engine, device, 101));
      assertThrows(OutOfMemoryException.class, () -> program.instance(engine, device, new ProgramInstanceOptions().mostBytes(7)));
      final Tensor timed = engine.tensor(device, new float[] {1, 1}, 1, 2);
      assertEquals(2, plain.callWithin(Duration.ofMinutes(1), "rows", timed).get(0).toFloatArray()[0]);
      for (final Duration none : List.of(Duration.ZERO, Duration.ofNanos(-1), Duration.ofSeconds(Long.MIN_VALUE))) {
        fails(InvalidArgumentException.class, () -> plain.callWithin(none, "rows", timed), "timeout_ms is " + (none.isZero() ? 0 : -1));
      }
      assertThrows(NotFoundException.class, () -> plain.callWithin(Duration.ofNanos(1), "none", timed));
      assertThrows(NotFoundException.class, () -> plain.callWithin(Duration.ofSeconds(Long.MAX_VALUE), "none", timed));
      final Tensor two = engine.tensor(device, new float[] {1, 1, 1, 1}, 2, 2);
      assertArrayEquals(new float[] {2, 3, 2, 3}, program.bind(2).instance(engine, device).graph("rows").call(two).get(0).toFloatArray());
      final Tensor large = engine.tensor(device, new float[202], 101, 2);
      fails(InvalidArgumentException.class, () -> plain.call("rows", large), "'n' is 101");
      fails(UnsupportedException.class, () -> plain.graph("rows"), "rows");
      fails(InvalidArgumentException.class,
          () -> program.instance(engine, device, new ProgramInstanceOptions().weight("none", given)), "'none'");
      fails(InvalidArgumentException.class,
          () -> new ProgramWriter().dim("n", 1, 9).function("f", sizes -> rows(device, w, sizes[0])).reader("9.0").write(path),
          "options.reader is '9.0'");
      // What a function throws comes to who writes.
      final RondoException failure = fails(RondoException.class, () -> new ProgramWriter().dim("n", 1, 9).function("f", sizes -> {
        throw new IllegalStateException("no such layer");
      }).write(path));
      assertEquals("no such layer", failure.getCause().getMessage());
      final RondoException names = fails(InvalidArgumentException.class, () -> new ProgramWriter().dim("n", 1, 9)
          .function("f", sizes -> rows(device, w, sizes[0]), List.of("x", "more"), List.of("y")).write(path), "at n = 2");
      assertTrue(names.getCause().getMessage().contains("has 1 inputs, not 2"));
      final Graph fixed = rows(device, w, 2);
      fails(InvalidArgumentException.class, () -> new ProgramWriter().dim("n", 1, 9).function("f", fixed).write(path), "ProgramWriter.dim");
    }
  }
}
