// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** Whether a thread is a virtual one; no version of Java before 21 has them. */
final class VirtualThreads {
  private static final MethodHandle IS_VIRTUAL = find();

  static {
    isCurrent(); // the first call takes memory of Java's, later ones none
  }

  private VirtualThreads() {}

  private static MethodHandle find() {
    try {
      return MethodHandles.publicLookup().findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  /** What belongs to a thread of the system in the native part cannot be had by a virtual one. */
  static void refuse(String what) {
    if (isCurrent()) {
      throw new InvalidStateException("a " + what + " belongs to a thread of the system: a virtual thread may change it on the way", null);
    }
  }

  static boolean isCurrent() {
    try {
      return IS_VIRTUAL != null && (boolean) IS_VIRTUAL.invokeExact(Thread.currentThread());
    } catch (Error e) { // no memory for the first call
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e); // isVirtual throws nothing
    }
  }
}
