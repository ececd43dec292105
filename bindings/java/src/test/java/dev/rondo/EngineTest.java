// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static dev.rondo.Devices.fails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Engines, devices, the library: options, figures, random numbers, memory, traces, log. */
@Tag("device")
class EngineTest {
  @Test
  void optionsAreTakenAndChecked() {
    final EngineOptions options = new EngineOptions().mode(EngineMode.THREADED).workers(2).streams(3).maxTasks(64).memoryLimit(1 << 20).seed(7);
    assertEquals(EngineMode.THREADED, options.mode());
    assertEquals(List.of(2, 3), List.of(options.workers(), options.streams()));
    assertEquals(List.of(64L, 1L << 20, 7L), List.of(options.maxTasks(), options.memoryLimit(), options.seed()));
    try (Engine engine = Engine.create(options)) {
      assertEquals(EngineMode.THREADED, engine.mode());
      assertEquals(1 << 20, engine.memory(Device.CPU).limit());
    }
    fails(NullPointerException.class, () -> new EngineOptions().mode(null), "mode");
    fails(NullPointerException.class, () -> Engine.create(null), "options");
    fails(InvalidArgumentException.class, () -> Engine.create(new EngineOptions().streams(99)), "Engine.create", "streams");
    final TaskOptions task = new TaskOptions();
    assertEquals(-1, task.stream());
    assertEquals(Device.CPU, task.device());
    assertNull(task.name());
    assertEquals(Set.of(TaskFlag.NO_CAPTURE), task.flags(TaskFlag.NO_CAPTURE).flags());
    assertEquals(8, new RecordOptions().maxBranches(8).maxBranches());
    assertFalse(new MatmulOptions().transposeA());
    assertTrue(new MatmulOptions().transposeA(true).transposeA());
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#modes")
  void indicesAreCheckedWhereThatIsAskedFor(Device device, EngineMode mode) {
    final EngineOptions options = new EngineOptions().mode(mode).checkIndices(1);
    assertEquals(1, options.checkIndices());
    try (Engine engine = Engine.create(options); Scope scope = Scope.open()) {
      final Tensor table = engine.full(device, DType.F32, 2, 4, 3);
      final Tensor indices = engine.tensor(device, new long[] {0, -4, 9}, 3);
      final String[] words = {"take on " + device, "indices[2] is 9", "axis 0 of a has size 4: -4 to 3 are possible"};
      fails(InvalidArgumentException.class, () -> Operators.take(table, indices, 0).await(), words);
      if (mode != EngineMode.NAIVE) {
        fails(InvalidArgumentException.class, engine::awaitAll, words);
      }
      final Tensor inside = engine.tensor(device, new long[] {3, -4}, 2);
      assertArrayEquals(new float[] {2, 2, 2, 2, 2, 2}, Operators.take(table, inside, 0).toFloatArray());
    }
    try (Engine engine = Engine.create(options.checkIndices(-1)); Scope scope = Scope.open()) {
      final Tensor outside = engine.tensor(device, new long[] {9}, 1);
      assertArrayEquals(new float[] {0}, Operators.take(engine.full(device, DType.F32, 2, 4), outside, 0).toFloatArray());
    }
    fails(InvalidArgumentException.class, () -> Engine.create(new EngineOptions().checkIndices(2)), "checkIndices");
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void memoryIsLimitedCountedAndReturned(Device device) {
    try (Engine engine = Engine.create(); Scope scope = Scope.open()) {
      engine.setMemoryLimit(device, 1 << 20);
      final Tensor large = engine.empty(device, DType.F32, 1 << 20);
      large.fill(1);
      final OutOfMemoryException failure = fails(OutOfMemoryException.class, large::await, "limit");
      assertEquals(Status.OUT_OF_MEMORY, failure.status());
      assertTrue(failure.operator().isPresent(), failure.getMessage());
      engine.setMemoryLimit(device, 0);
      large.fill(1);
      large.await();
      assertTrue(engine.memory(device).inUse() >= 4 << 20, engine.memory(device).toString());
      large.close();
      fails(OutOfMemoryException.class, engine::awaitAll); // the failed task of before
      engine.awaitAll();
      engine.trimMemory(device);
      assertEquals(0, engine.memory(device).inUse());
      assertTrue(engine.memory(device).peakInUse() >= 4 << 20);
    }
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void randomNumbersDependOnTheSeed(Device device) {
    try (Engine engine = Engine.create(); Scope scope = Scope.open()) {
      engine.seed(5);
      final float[] first = Operators.randomUniform(engine, device, DType.F32, new long[] {100}, 0, 1).toFloatArray();
      final float[] second = Operators.randomNormal(engine, device, DType.F32, new long[] {100}, 0, 1).toFloatArray();
      engine.seed(5);
      final Tensor out = engine.empty(device, DType.F32, 100);
      Operators.randomUniform(engine, device, DType.F32, null, 0, 1, out);
      assertArrayEquals(first, out.toFloatArray());
      assertArrayEquals(second, Operators.randomNormal(engine, device, DType.F32, new long[] {100}, 0, 1).toFloatArray());
      for (final float value : first) {
        assertTrue(value >= 0 && value < 1);
      }
    }
  }

  @Test
  void tracesAreWritten(@TempDir Path folder) throws Exception {
    try (Engine engine = Engine.create(); Tensor x = engine.tensor(Device.CPU, new float[] {1})) {
      fails(InvalidStateException.class, () -> engine.endTrace(null), "Engine.endTrace");
      engine.beginTrace();
      fails(InvalidStateException.class, engine::beginTrace, "Engine.beginTrace");
      x.exp().close();
      final Path file = folder.resolve("trace.json");
      engine.endTrace(file);
      assertTrue(Files.readString(file).contains("exp"));
      engine.beginTrace();
      engine.endTrace(null);
    }
  }

  @Test
  void aClosedEngineRefusesAndItsTensorsToo() {
    final Engine engine = Engine.create();
    final Tensor x = engine.tensor(Device.CPU, new float[] {1});
    engine.close();
    engine.close();
    assertTrue(engine.isClosed());
    fails(InvalidStateException.class, () -> engine.empty(Device.CPU, DType.F32), "engine is closed");
    fails(InvalidStateException.class, engine::awaitAll, "engine is closed");
    fails(InvalidStateException.class, engine::awaitAllAsync, "engine is closed");
    fails(InvalidStateException.class, engine::mode, "engine is closed");
    fails(InvalidStateException.class, () -> engine.record(recording -> {}), "engine is closed");
    fails(InvalidStateException.class, () -> x.add(1), "the engine of this tensor is closed");
    fails(InvalidStateException.class, x::await, "the engine of this tensor is closed");
    fails(InvalidStateException.class, x::awaitAsync, "the engine of this tensor is closed");
    fails(InvalidStateException.class, () -> NativeTensor.tensorWait(x.address()), "Tensor.await");
    x.close();
    fails(InvalidStateException.class, x::await, "tensor is closed");
  }

  @Test
  void devicesAreNamedCountedAndDescribed() {
    assertEquals(Device.CPU, Device.parse("cpu"));
    assertEquals(Device.cuda(3), Device.parse("cuda:3"));
    assertEquals(Device.of(DeviceKind.CUDA, 3).hashCode(), Device.cuda(3).hashCode());
    assertNotEquals(Device.cuda(0), Device.cuda(1));
    for (final Device device : List.of(Device.CPU, Device.cuda(12))) {
      assertEquals(device, Device.parse(device.toString()), "toString says what parse takes");
    }
    fails(InvalidArgumentException.class, () -> Device.parse("gpu"), "gpu");
    assertEquals(1, Device.count(DeviceKind.CPU));
    assertTrue(Device.CPU.info().totalMemory() > 0);
    assertTrue(Device.CPU.info().processors() > 0);
    assertFalse(Device.CPU.info().name().isEmpty());
    fails(RondoException.class, () -> Device.cuda(999).info(), "Device.info");
    fails(NullPointerException.class, () -> Device.of(null, 0), "kind");
  }

  @Test
  void theLibraryTellsWhatItIs() {
    assertTrue(Rondo.version().startsWith(Fingerprint.VERSION), Rondo.version());
    final Feature feature = Rondo.feature("cuda");
    assertEquals("cuda", feature.name());
    assertEquals(Device.count(DeviceKind.CUDA) > 0, feature.available());
    assertFalse(feature.reason().isEmpty());
    assertTrue(feature.toString().startsWith("cuda: "));
    fails(InvalidArgumentException.class, () -> Rondo.feature("steam"), "steam");
    for (final Status status : Status.values()) {
      assertEquals("RONDO_" + status.name(), NativeStatus.statusName(status));
      assertEquals(status, Status.of(status.value()));
      if (status != Status.OK) {
        assertEquals(status, Exceptions.of(status.value(), "", null).status());
      }
    }
    assertEquals(Status.INTERNAL, Exceptions.of(9999, "of tomorrow", null).status());
    fails(IllegalArgumentException.class, () -> Status.of(-1), "-1");
    for (final DType dtype : DType.values()) {
      assertEquals(dtype.name().toLowerCase(), NativeTensor.dtypeName(dtype));
    }
    for (final UnaryOp op : UnaryOp.values()) {
      assertEquals(op.name().toLowerCase(), NativeOps.unaryOpName(op));
    }
    for (final BinaryOp op : BinaryOp.values()) {
      assertEquals(op.name().toLowerCase(), NativeOps.binaryOpName(op));
    }
    for (final TernaryOp op : TernaryOp.values()) {
      assertEquals(op.name().toLowerCase(), NativeOps.ternaryOpName(op));
    }
  }

  @Test
  void theLogReachesJava() throws Exception {
    final List<String> messages = Collections.synchronizedList(new ArrayList<>());
    Rondo.setLog(LogLevel.DEBUG, (level, message) -> {
      messages.add(level + " " + Thread.currentThread().getName() + " " + message);
      if (messages.size() == 1) {
        throw new IllegalStateException("a test's log function throws once, which must not matter");
      }
    });
    try {
      final Engine engine = Engine.create();
      final Tensor open = engine.tensor(Device.CPU, new float[] {1});
      engine.close(); // warns of the tensor
      for (int i = 0; i < 6000 && messages.stream().noneMatch(text -> text.startsWith("WARNING")); ++i) {
        Thread.sleep(10);
      }
      assertTrue(messages.stream().anyMatch(text -> text.startsWith("WARNING rondo-messages ")), messages.toString());
      open.close();
    } finally {
      Rondo.setLog(LogLevel.OFF, null);
    }
  }

  @Test
  void keptKernels(@TempDir Path folder) {
    assertTrue(KernelCache.info().limit() >= 0);
    // Where no kernels are kept the state is wrong, else the file.
    final RondoException refused = assertThrows(RondoException.class, () -> KernelCache.load(folder.resolve("none")));
    assertTrue(refused instanceof NotFoundException || refused instanceof InvalidStateException, refused.toString());
    assertThrows(InvalidArgumentException.class, () -> KernelCache.save(folder.resolve("kernels"), -1));
    KernelCache.setProgress((kernel, done, known, seconds) -> {
      throw new IllegalStateException("nothing takes long here");
    });
    KernelCache.setProgress(null);
  }
}
