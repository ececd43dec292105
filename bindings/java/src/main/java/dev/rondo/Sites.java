// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

/** Where in the program the tasks of a recording come from, if that is noted: the native part asks after each call. */
final class Sites {
  private static final StackWalker STACK = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

  private Sites() {}

  /** A recording has been begun on this thread. */
  static void begun() {
    if (NativeGraph.recordSite(null) != 0) {
      note();
    }
  }

  private static synchronized void note() {
    note0();
  }

  /** File and line of the first caller that is neither of this library nor of Java's; null if nobody can say. */
  private static byte[] here() {
    return STACK
        .walk(frames -> frames.filter(each -> !isOwn(each.getDeclaringClass())).findFirst())
        .map(each -> Memory.bytes((each.getFileName() == null ? each.getClassName() : each.getFileName()) + ":" + each.getLineNumber()))
        .orElse(null);
  }

  private static boolean isOwn(Class<?> of) {
    return of.getClassLoader() == null || of.getProtectionDomain().equals(Sites.class.getProtectionDomain());
  }

  private static native void note0();
}
