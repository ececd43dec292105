// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** What of java.lang.foreign.MemorySegment is needed, by reflection: these classes run on Java 11, which has none. */
final class Segments {
  private static final Class<?> SEGMENT = find();

  private Segments() {}

  private static Class<?> find() {
    try {
      return Class.forName("java.lang.foreign.MemorySegment");
    } catch (ClassNotFoundException e) {
      return null;
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

  private static Object call(Object segment, String name) {
    try {
      final Method method = SEGMENT.getMethod(name);
      return method.invoke(segment);
    } catch (NoSuchMethodException | IllegalAccessException e) {
      throw new UnsupportedException("this version of Java has memory segments only as a preview: " + e, e);
    } catch (InvocationTargetException e) {
      throw new InvalidArgumentException("the memory segment: " + e.getCause(), e.getCause());
    }
  }
}
