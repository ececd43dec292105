// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the library tells of devices, memory, tensors, graphs, tapes, model files, programs and kernels: each fact can be asked for, and is what the text of all of them says. */
@Tag("device")
class FactsTest {
  private static final List<String> OF_OBJECT = List.of("toString", "hashCode");
  static final List<Class<?>> KINDS = List.of(DeviceInfo.class, MemoryInfo.class, TensorInfo.class, GraphInfo.class, TapeInfo.class,
      ModelFileInfo.class, ModelTensorInfo.class, RanksInfo.class, CommInfo.class, BucketsInfo.class, OptimizerInfo.class, CacheInfo.class,
      ProgramInfo.class, ProgramFunctionInfo.class, ProgramTensorInfo.class);

  private static String text(Object value) {
    if (!value.getClass().isArray()) {
      return value.toString();
    }
    final List<Object> elements = new ArrayList<>();
    for (int i = 0; i < Array.getLength(value); ++i) {
      elements.add(Array.get(value, i));
    }
    return elements.toString();
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void eachIsThere(Device device, @TempDir Path folder) throws Exception {
    try (Engine engine = Engine.create(); Scope scope = Scope.open()) {
      final Tensor x = engine.full(device, DType.F32, 1, 2, 3);
      final Graph graph = engine.record(recording -> recording.keep(x.exp().neg()));
      graph.launch();
      engine.awaitAll();
      ModelFile.write(folder.resolve("x"), Map.of("x", x));
      final ModelFile file = ModelFile.open(folder.resolve("x"));
      final Graph called = engine.record(new RecordOptions().flags(RecordFlags.CALLABLE),
          recording -> recording.output(recording.input(device, DType.F32, 2).exp()));
      new ProgramWriter().function("f", called).write(folder.resolve("program"));
      final Program program = Program.open(folder.resolve("program"));
      final Comm end = Comm.create(engine, Device.CPU);
      final List<Object> all = List.of(device.info(), engine.memory(device), x.info(), graph.info(), engine.tape(x).info(),
          file.info(), file.tensor("x").info(), Comm.ranks(), end.info(), Buckets.create(end, engine.full(Device.CPU, DType.F32, 0)).info(),
          Optimizer.create(new OptimizerOptions(), engine.full(Device.CPU, DType.F32, 0)).info(),
          KernelCache.info(), program.info(), program.function("f").info(), program.function("f").inputs().get(0).info());
      for (int i = 0; i < KINDS.size(); ++i) {
        final Object facts = all.get(i);
        assertEquals(KINDS.get(i), facts.getClass());
        for (final Method get : KINDS.get(i).getDeclaredMethods()) {
          if (Modifier.isPublic(get.getModifiers()) && get.getParameterCount() == 0 && !OF_OBJECT.contains(get.getName()) && !get.getName().equals("getShape")) {
            assertTrue(facts.toString().contains(get.getName() + "=" + text(get.invoke(facts))), () -> get.getName() + ": " + facts);
          }
        }
      }
      assertEquals(24, x.info().bytes());
      assertEquals(2, x.info().ndim());
      assertEquals(1, graph.info().launches());
      assertTrue(graph.info().outputBytes() >= 24, graph.toString());
      assertTrue(engine.memory(device).allocations() >= 2);
      assertTrue(device.info().capability() == 0 || device.kind() == DeviceKind.CUDA);
    }
  }

  @Test
  void argumentsAndDevicesTellWhatTheyAre() {
    assertEquals(3, Device.cuda(3).index());
    assertEquals(0.5, Argument.of("a", 0.5).scalar());
    assertEquals(Long.MAX_VALUE, Argument.of("n", Long.MAX_VALUE).integer());
  }
}
