// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every method of every kind of object says that it is closed, or that its engine is; tensors have CloseTest. */
class ClosedObjectsTest {
  /** What works on a closed object as well. */
  private static final Set<String> ALLOWED = Set.of("close", "engine", "toString");

  private final Engine engine = Engine.create();
  private final Tensor x = engine.tensor(Device.CPU, new float[] {1, 2});
  private final Comm end = Comm.createAll(engine, Device.CPU).get(0);

  /** One of each kind, by its name in messages. */
  private Map<String, NativeObject> objects(Path folder) {
    final Path file = folder.resolve("model.safetensors");
    ModelFile.write(file, Map.of("x", x));
    final Map<String, NativeObject> all = new LinkedHashMap<>();
    all.put("variable", engine.variable());
    all.put("graph", engine.record(recording -> Operators.binary(BinaryOp.ADD, x, x, x)));
    all.put("model file", ModelFile.open(file));
    final Graph called = engine.record(new RecordOptions().flags(RecordFlags.CALLABLE),
        recording -> recording.output(recording.input(Device.CPU, DType.F32, 2).exp()));
    new ProgramWriter().function("x", called).write(folder.resolve("program.safetensors"));
    final Program program = Program.open(folder.resolve("program.safetensors"));
    all.put("program instance", program.instance(engine, Device.CPU));
    all.put("program", program);
    all.put("expression", new Expression("y = a + 1", "add"));
    all.put("graph function", engine.graphFunction(1, in -> in));
    all.put("tape", engine.tape(x));
    all.put("buckets", Buckets.create(end, x));
    all.put("optimizer", Optimizer.create(new OptimizerOptions(), x));
    all.put("loss scaler", LossScaler.create(engine, Device.CPU, new LossScalerOptions()));
    all.put("communicator", end);
    return all;
  }

  private Tape tape; // of this thread

  /** A value of a type that a method takes. */
  private Object some(Class<?> type) {
    final Map<Class<?>, Object> known = Map.of(Tensor.class, x, Engine.class, engine, Device.class, Device.CPU, String.class, "x", Path.class,
        Path.of("never written"), Runnable.class, (Runnable) () -> {}, Task.class, (Task) context -> {}, Consumer.class,
        (Consumer<Recording>) recording -> {}, Supplier.class, (Supplier<Object>) () -> null, HostMemory.class, HostMemory.of(new byte[1]));
    final Map<Class<?>, Object> options = Map.of(TaskOptions.class, new TaskOptions(), RecordOptions.class, new RecordOptions(), int.class, 0,
        long.class, 1L, double.class, 0.5, boolean.class, true, Tape.class, tape, GraphFunctionOptions.class, new GraphFunctionOptions(), TensorFunction.class,
        (TensorFunction) given -> given, ProgramInstanceOptions.class, new ProgramInstanceOptions());
    if (type == float.class) {
      return 1f;
    }
    if (type == Buffer.class) {
      return ByteBuffer.allocate(1);
    }
    if (type == Object[].class) {
      return new float[1][1];
    }
    if (type == Map.class) {
      return Map.of();
    }
    if (type == Duration.class) {
      return Duration.ofSeconds(1);
    }
    if (type.isArray()) {
      return Array.newInstance(type.getComponentType(), 0);
    }
    if (type.isEnum()) {
      return type.getEnumConstants()[0];
    }
    return type.isAssignableFrom(List.class) ? List.of() : known.getOrDefault(type, options.get(type));
  }

  /** Its own, and those it has from classes that are only there to share them. */
  private static List<Method> methodsOf(Class<?> kind) {
    final List<Method> methods = new ArrayList<>();
    for (Class<?> each = kind; each != NativeObject.class; each = each.getSuperclass()) {
      methods.addAll(List.of(each.getDeclaredMethods()));
    }
    return methods;
  }

  private int everyMethodSays(Object self, String words) throws IllegalAccessException {
    int methods = 0;
    for (final Method method : methodsOf(self.getClass())) {
      if (!Modifier.isPublic(method.getModifiers()) || Modifier.isStatic(method.getModifiers()) || method.isSynthetic()
          || ALLOWED.contains(method.getName())) {
        continue;
      }
      final Object[] arguments = new Object[method.getParameterCount()];
      for (int i = 0; i < arguments.length; ++i) {
        arguments[i] = some(method.getParameterTypes()[i]);
      }
      Throwable thrown = null;
      try {
        method.invoke(self, arguments);
      } catch (InvocationTargetException e) {
        thrown = e.getCause();
      }
      final Throwable found = thrown;
      assertTrue(found instanceof InvalidStateException && found.getMessage().contains(words), () -> method + ": " + found);
      ++methods;
    }
    return methods;
  }

  @Test
  void everyMethodRefuses(@TempDir Path folder) throws Exception {
    final Map<String, NativeObject> all = objects(folder);
    try (Tape other = engine.tape()) {
      tape = other; // what is asked with a tape meets an open one
      int methods = 0;
      for (final var each : all.entrySet()) {
        each.getValue().close();
        methods += everyMethodSays(each.getValue(), each.getKey() + " is closed");
        assertTrue(each.getValue().isClosed() && !each.getValue().toString().isEmpty());
      }
      assertTrue(methods >= 50, methods + " methods");
    }
    x.close();
    engine.close();
    assertTrue(everyMethodSays(engine, "engine is closed") > 25);
  }

  @Test
  void everyMethodRefusesOnceTheEngineIsClosed(@TempDir Path folder) throws Exception {
    final Map<String, NativeObject> all = objects(folder);
    all.remove("model file").close(); // these three have no engine
    all.remove("program").close();
    all.remove("expression").close();
    tape = (Tape) all.get("tape");
    engine.close();
    for (final var each : all.entrySet()) {
      final int methods = everyMethodSays(each.getValue(), "is closed");
      assertTrue(methods > 2, () -> each.getKey() + " has " + methods);
      assertFalse(each.getValue().isClosed());
      each.getValue().close();
      each.getValue().close();
    }
    x.close();
    assertEquals("Tensor[closed]", x.toString());
  }
}
