// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static dev.rondo.Devices.fails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Closing: once, after the uses under way, from any thread; scopes; what is called on closed objects and with null. */
class CloseTest {
  private static List<Thread> start(int count, Runnable work, AtomicReference<Throwable> failure) {
    final List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < count; ++i) {
      final Thread thread = new Thread(() -> {
        try {
          work.run();
        } catch (Throwable e) {
          failure.set(e);
        }
      });
      thread.start();
      threads.add(thread);
    }
    return threads;
  }

  private static void join(List<Thread> threads, AtomicReference<Throwable> failure) throws Exception {
    for (final Thread thread : threads) {
      thread.join();
    }
    assertNull(failure.get(), () -> String.valueOf(failure.get()));
  }

  /** Until each thread waits inside a call of the library, however long it takes to come there. */
  private static void awaitNative(List<Thread> threads) throws InterruptedException {
    for (final Thread thread : threads) {
      while (!isWaiting(thread.getStackTrace())) {
        assertTrue(thread.isAlive());
        Thread.sleep(1);
      }
    }
  }

  /** In the native part, or parked for the future of a wait. */
  private static boolean isWaiting(StackTraceElement[] trace) {
    return Arrays.stream(trace).anyMatch(frame -> frame.getClassName().startsWith("dev.rondo.") && (frame.isNativeMethod()
        || frame.getClassName().equals("dev.rondo.Waits")));
  }

  @Test
  void waitsForACallUnderWay() throws Exception {
    try (Engine engine = Engine.create()) {
      final Tensor x = engine.tensor(Device.CPU, new float[] {1, 2});
      final CountDownLatch go = new CountDownLatch(1);
      engine.submit(context -> go.await(), List.of(), List.of(x));
      final AtomicReference<Throwable> failure = new AtomicReference<>();
      final AtomicReference<float[]> result = new AtomicReference<>();
      final List<Thread> reader = start(1, () -> result.set(x.toFloatArray()), failure);
      awaitNative(reader);
      final List<Thread> closers = start(3, x::close, failure);
      while (!x.isClosed()) {
        Thread.sleep(1);
      }
      Thread.sleep(50);
      fails(InvalidStateException.class, x::await, "tensor is closed");
      closers.forEach(closer -> assertTrue(closer.isAlive()));
      go.countDown();
      join(reader, failure);
      join(closers, failure);
      assertArrayEquals(new float[] {1, 2}, result.get());
    }
  }

  @Test
  void thirtyTwoThreadsMayCloseAndUse() throws Exception {
    try (Engine engine = Engine.create()) {
      for (int round = 0; round < 200; ++round) {
        final Tensor x = engine.tensor(Device.CPU, new float[] {1, 2});
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        final AtomicInteger number = new AtomicInteger();
        join(start(8, () -> {
          try {
            if (number.incrementAndGet() % 2 == 0) {
              x.close();
            } else {
              x.add(1).close();
            }
          } catch (InvalidStateException e) {
            assertTrue(e.getMessage().contains("is closed"), e.getMessage());
          }
        }, failure), failure);
        assertTrue(x.isClosed());
      }
    }
  }

  @Test
  void anEngineMayBeClosedUnderOthersHands() throws Exception {
    for (int round = 0; round < 50; ++round) {
      final Engine engine = Engine.create();
      final Tensor x = engine.tensor(Device.CPU, new float[] {1, 2});
      final AtomicReference<Throwable> failure = new AtomicReference<>();
      final CountDownLatch running = new CountDownLatch(4);
      final List<Thread> threads = start(4, () -> {
        try {
          for (int i = 0;; ++i) {
            try (Tensor y = x.add(i)) {
              y.await();
            }
            if (i == 0) {
              running.countDown();
            }
          }
        } catch (InvalidStateException e) {
          return; // as it should
        }
      }, failure);
      running.await();
      engine.close();
      join(threads, failure);
      x.close();
    }
  }

  @Test
  void anEngineWaitsForCallsOfItsObjects() throws Exception {
    final Engine engine = Engine.create();
    final Tensor x = engine.tensor(Device.CPU, new float[] {1, 2});
    final CountDownLatch go = new CountDownLatch(1);
    engine.submit(context -> go.await(), List.of(), List.of(x));
    final AtomicReference<Throwable> failure = new AtomicReference<>();
    final List<Thread> readers = start(2, () -> assertArrayEquals(new float[] {1, 2}, x.toFloatArray()), failure);
    awaitNative(readers);
    final List<Thread> closers = start(2, engine::close, failure);
    closers.get(0).interrupt(); // waits all the same
    for (boolean open = true; open;) {
      try {
        engine.memory(Device.CPU);
        Thread.sleep(1);
      } catch (InvalidStateException e) {
        open = false;
      }
    }
    Thread.sleep(50);
    closers.forEach(closer -> assertTrue(closer.isAlive()));
    fails(InvalidStateException.class, () -> x.add(1), "engine of this tensor is closed");
    go.countDown();
    join(readers, failure);
    join(closers, failure);
    x.close();
  }

  @Test
  void scopesFreeWhatIsNotKept() {
    try (Engine engine = Engine.create()) {
      final Tensor outside = engine.tensor(Device.CPU, new float[] {1});
      final Tensor kept;
      final Tensor keptTwice;
      final Tensor inner;
      final Tensor early;
      try (Scope scope = Scope.open()) {
        try (Scope nested = Scope.open()) {
          inner = outside.add(1);
          keptTwice = nested.keep(outside.add(2));
          assertSame(outside, nested.keep(outside));
          fails(InvalidStateException.class, () -> scope.keep(inner), "inside this one");
          fails(InvalidStateException.class, scope::close, "inside this one");
        }
        assertTrue(inner.isClosed());
        assertFalse(keptTwice.isClosed());
        scope.keep(keptTwice);
        kept = scope.keep(outside.add(3));
        early = outside.add(4);
        early.close();
      }
      assertFalse(outside.isClosed());
      assertEquals(4, kept.item());
      assertEquals(3, keptTwice.item());
      kept.close();
      keptTwice.close();
      outside.close();
      final Scope twice = Scope.open();
      twice.close();
      twice.close();
      fails(InvalidStateException.class, () -> twice.keep(outside), "scope is closed");
    }
  }

  @Test
  void aScopeBelongsToItsThread() throws Exception {
    try (Scope scope = Scope.open()) {
      final AtomicReference<Throwable> failure = new AtomicReference<>();
      start(1, scope::close, failure).get(0).join();
      assertTrue(failure.get() instanceof InvalidStateException, String.valueOf(failure.get()));
    }
  }

  /** A value of a type that a method takes. */
  private static Object some(Class<?> type, Engine engine, Tensor tensor) {
    if (type == Tensor.class) {
      return tensor;
    }
    if (type == Engine.class) {
      return engine;
    }
    if (type == int.class) {
      return 0;
    }
    if (type == long.class) {
      return 1L;
    }
    if (type == double.class) {
      return 0.5;
    }
    if (type == boolean.class) {
      return false;
    }
    if (type.isArray()) {
      return Array.newInstance(type.getComponentType(), 0);
    }
    if (type.isEnum()) {
      return type.getEnumConstants()[0];
    }
    if (type == Device.class) {
      return Device.CPU;
    }
    if (type == HostMemory.class) {
      return HostMemory.of(new byte[0]);
    }
    if (type == Path.class) {
      return Path.of("never written");
    }
    if (type == String.class) {
      return "text";
    }
    if (type == MatmulOptions.class) {
      return new MatmulOptions();
    }
    return null;
  }

  private static Throwable call(Method method, Object self, Object... arguments) throws IllegalAccessException {
    try {
      method.invoke(self, arguments);
      return null;
    } catch (InvocationTargetException e) {
      return e.getCause();
    }
  }

  @Test
  void everyMethodRefusesAClosedTensor() throws Exception {
    final Set<String> allowed = Set.of("close", "isClosed", "engine", "toString", "equals", "hashCode", "getClass", "notify", "notifyAll", "wait");
    try (Engine engine = Engine.create()) {
      final Tensor tensor = engine.tensor(Device.CPU, new float[] {1});
      tensor.close();
      assertEquals("Tensor[closed]", tensor.toString());
      int methods = 0;
      for (final Method method : Tensor.class.getMethods()) {
        if (!allowed.contains(method.getName())) {
          final Object[] arguments = new Object[method.getParameterCount()];
          for (int i = 0; i < arguments.length; ++i) {
            arguments[i] = some(method.getParameterTypes()[i], engine, tensor);
          }
          final Throwable thrown = call(method, tensor, arguments);
          assertTrue(thrown instanceof InvalidStateException, method + " on a closed tensor: " + thrown);
          ++methods;
        }
      }
      assertTrue(methods > 80, methods + " methods");
      for (final Method method : Operators.class.getMethods()) {
        if (Modifier.isStatic(method.getModifiers())) {
          final Object[] arguments = new Object[method.getParameterCount()];
          boolean takes = false;
          for (int i = 0; i < arguments.length; ++i) {
            arguments[i] = some(method.getParameterTypes()[i], engine, tensor);
            takes |= arguments[i] == tensor;
          }
          final Throwable thrown = call(method, null, arguments);
          assertTrue(thrown instanceof InvalidStateException || !takes, method + " with a closed tensor: " + thrown);
        }
      }
    }
  }

  @Test
  void nullIsRefusedEverywhereAndNothingCrashes() throws Exception {
    try (Engine engine = Engine.create(); Tensor tensor = engine.tensor(Device.CPU, new float[] {1, 2}); Scope scope = Scope.open()) {
      for (final Class<?> type : List.of(Operators.class, Tensor.class, Engine.class, Device.class, HostMemory.class, Rondo.class)) {
        for (final Method method : type.getDeclaredMethods()) {
          if (!Modifier.isPublic(method.getModifiers()) || method.isSynthetic() || method.getName().equals("close")) {
            continue;
          }
          for (int missing = 0; missing < method.getParameterCount(); ++missing) {
            if (method.getParameterTypes()[missing].isPrimitive()) {
              continue;
            }
            final Object[] arguments = new Object[method.getParameterCount()];
            for (int i = 0; i < arguments.length; ++i) {
              arguments[i] = i == missing ? null : some(method.getParameterTypes()[i], engine, tensor);
            }
            final Object self = type == Tensor.class ? tensor : type == Engine.class ? engine : Device.CPU;
            final Throwable thrown = call(method, Modifier.isStatic(method.getModifiers()) ? null : self, arguments);
            assertTrue(thrown == null || thrown instanceof NullPointerException || thrown instanceof RondoException, method + ": " + thrown);
          }
        }
      }
      assertEquals(2, tensor.toFloatArray().length, "it goes on");
    } finally {
      Rondo.setLog(LogLevel.OFF, null);
    }
  }
}
