// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.lang.ref.Reference;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** What of java.lang.foreign.MemorySegment is needed, by reflection: these classes run on Java 11, which has none. */
final class Segments {
  private static final Class<?> SEGMENT = find();
  private static final Class<?> ARENA = SEGMENT == null ? null : arenas();
  private static final Thread ANOTHER = new Thread(() -> {}); // asks for what any thread may do; never started
  private static volatile Boolean lends; // null: nobody has asked

  private Segments() {}

  private static Class<?> find() {
    try {
      final Class<?> found = Class.forName("java.lang.foreign.MemorySegment");
      return found.getMethod("scope").getReturnType().getName().equals("java.lang.foreign.MemorySegment$Scope") ? found : null;
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  private static Class<?> arenas() {
    try {
      return Class.forName("java.lang.foreign.Arena");
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e); // where there are segments there are arenas
    }
  }

  static long address(Object segment) {
    if (SEGMENT == null || !SEGMENT.isInstance(segment)) {
      throw new InvalidArgumentException("a java.lang.foreign.MemorySegment of Java 22 or later is needed, not "
          + segment.getClass().getName(), null);
    }
    if (!(Boolean) call(segment, "isNative")) {
      throw new InvalidArgumentException("the segment lies in Java's heap: take its asByteBuffer()", null);
    }
    return (Long) call(segment, "address");
  }

  static long bytes(Object segment) {
    return (Long) call(segment, "byteSize");
  }

  static boolean isReadOnly(Object segment) {
    return (Boolean) call(segment, "isReadOnly");
  }

  /** The segment of a direct buffer whose memory an arena may give back; null for any other buffer. */
  static Object of(Buffer direct) {
    if (SEGMENT == null) {
      return null;
    }
    final Object segment = invoke("ofBuffer", new Class<?>[] {Buffer.class}, null, direct);
    return isKept(segment) ? null : segment;
  }

  /**
   * Refuses a segment whose arena is closed, or that another thread owns. True if the memory stays until the call that follows returns; false
   * where another thread may close the arena meanwhile: then what is wanted of it is copied, which Java checks.
   */
  static boolean staysForThisCall(Object segment) {
    checkOpen(segment);
    if (!isAccessibleBy(segment, Thread.currentThread())) {
      throw new InvalidStateException("the memory segment belongs to another thread", null);
    }
    return isKept(segment) || !isAccessibleBy(segment, ANOTHER);
  }

  /** Refuses a segment whose arena is closed. */
  static void checkOpen(Object segment) {
    if (!isAlive(segment)) {
      throw new InvalidStateException("the memory segment's arena is closed", null);
    }
  }

  /** Whether nothing gives the memory back while the segment is reachable: Java tells by the class of its scope alone. */
  private static boolean isKept(Object segment) {
    final String scope = call(segment, "scope").getClass().getName();
    return scope.contains("GlobalSession") || scope.contains("ImplicitSession");
  }

  private static boolean isAlive(Object segment) {
    final Object scope = call(segment, "scope");
    try {
      return (Boolean) Class.forName("java.lang.foreign.MemorySegment$Scope").getMethod("isAlive").invoke(scope);
    } catch (ReflectiveOperationException e) {
      throw new UnsupportedException("this version of Java does not tell whether an arena is open: " + e, e);
    }
  }

  private static boolean isAccessibleBy(Object segment, Thread thread) {
    return (Boolean) invoke("isAccessibleBy", new Class<?>[] {Thread.class}, segment, thread);
  }

  /** Copies the bytes of a segment to an address, or from there; throws where the arena is closed before it is done. */
  static void copy(Object segment, long address, long bytes, boolean out) {
    final Object memory = invoke("reinterpret", new Class<?>[] {long.class}, invoke("ofAddress", new Class<?>[] {long.class}, null, address), bytes);
    final Class<?>[] types = {SEGMENT, long.class, SEGMENT, long.class, long.class};
    invoke("copy", types, null, out ? segment : memory, 0L, out ? memory : segment, 0L, bytes);
  }

  /** Whether Java has arenas, whose memory nobody reaches any more when they are closed. In Java 21 they are a preview. */
  static boolean canLend() {
    if (lends == null) {
      lends = SEGMENT != null && Runtime.version().feature() >= 22 && lendsAndTakesBack();
    }
    return lends;
  }

  /** Where the heap is full at their first use, the virtual machine gives the classes of arenas up for good. */
  private static boolean lendsAndTakesBack() {
    final ByteBuffer own = ByteBuffer.allocateDirect(Long.BYTES);
    final Object segment = invoke("ofBuffer", new Class<?>[] {Buffer.class}, null, own);
    try (AutoCloseable arena = arena()) {
      lent(arena, address(segment), bytes(segment)).asReadOnlyBuffer().get(0);
      return true;
    } catch (LinkageError e) {
      return false;
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e); // closing an arena throws no other
    } finally {
      Reference.reachabilityFence(own);
    }
  }

  /** An arena that any thread may use and close. */
  static AutoCloseable arena() {
    try {
      return (AutoCloseable) ARENA.getMethod("ofShared").invoke(null);
    } catch (InvocationTargetException e) {
      throw errorOf(e, "this version of Java does not give an arena: ");
    } catch (ReflectiveOperationException e) {
      throw new UnsupportedException("this version of Java does not give an arena: " + e, e);
    }
  }

  /** Memory of somebody else, until the arena is closed. */
  static ByteBuffer lent(AutoCloseable arena, long address, long bytes) {
    final Class<?>[] types = {long.class, ARENA, Consumer.class};
    final Object memory = invoke("reinterpret", types, invoke("ofAddress", new Class<?>[] {long.class}, null, address), bytes, arena, null);
    return (ByteBuffer) call(memory, "asByteBuffer");
  }

  private static Object call(Object segment, String name) {
    return invoke(name, new Class<?>[0], segment);
  }

  private static Object invoke(String name, Class<?>[] types, Object segment, Object... arguments) {
    try {
      final Method method = SEGMENT.getMethod(name, types);
      return method.invoke(segment, arguments);
    } catch (NoSuchMethodException | IllegalAccessException e) {
      throw new UnsupportedException("this version of Java has memory segments only as a preview: " + e, e);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof IllegalStateException) {
        throw new InvalidStateException("the memory segment: " + e.getCause().getMessage(), e.getCause());
      }
      if (e.getCause() instanceof RuntimeException) {
        throw new InvalidArgumentException("the memory segment: " + e.getCause(), e.getCause());
      }
      throw errorOf(e, "the memory segment: ");
    }
  }

  /** What the virtual machine throws, such as for want of memory, goes on as it is. */
  private static RuntimeException errorOf(InvocationTargetException thrown, String what) {
    if (thrown.getCause() instanceof Error) {
      throw (Error) thrown.getCause();
    }
    return new UnsupportedException(what + thrown.getCause(), thrown.getCause());
  }
}
