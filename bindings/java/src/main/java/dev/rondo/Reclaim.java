// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the native part asks before a request for memory fails: tensors that nobody closed may be garbage that the collector, which does
 * not see their memory, had no reason to look for. As {@link java.nio.ByteBuffer#allocateDirect} does, it collects, and gives the thread
 * that frees them time, longer at each attempt.
 */
final class Reclaim {
  private static final String LIMIT = "dev.rondo.memoryLimit";
  private static final Pattern SIZE = Pattern.compile("(\\d{1,15})([kmg]?)");
  private static final int ATTEMPTS = 9; // half a second in all
  private static final int COLLECTS_AGAIN = 5; // what became garbage while others were waited for

  private Reclaim() {}

  /** Has the native part ask from now on, and limits the pools of the cpu. */
  static void start() {
    start0(limit(System.getProperty(LIMIT)));
  }

  /** The bytes that the property says, or half of those that the process may use. */
  static long limit(String property) {
    if (property == null) {
      return NativeDevice.deviceQuery(Device.CPU).totalMemory() / 2;
    }
    final Matcher size = SIZE.matcher(property.toLowerCase(Locale.ROOT));
    if (!size.matches()) {
      throw new InvalidArgumentException("the property " + LIMIT + " is '" + property + "'; a number of bytes is needed, as 512m or 8g; 0: none",
          null);
    }
    final int shift = size.group(2).isEmpty() ? 0 : 10 * ("kmg".indexOf(size.group(2)) + 1);
    final long number = Long.parseLong(size.group(1));
    return number > Long.MAX_VALUE >> shift ? Long.MAX_VALUE : number << shift;
  }

  /** Whether the request should be tried again. Called by the native part, in the thread that needs the memory. */
  static boolean reclaim(int attempt) {
    if (attempt >= ATTEMPTS) {
      return false;
    }
    final boolean interrupted = Thread.interrupted(); // the sleep would end at once
    try {
      if (attempt == 0 || attempt == COLLECTS_AGAIN) {
        System.gc();
      }
      Thread.sleep(1L << attempt);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return true;
  }

  private static native void start0(long hostLimit);
}
