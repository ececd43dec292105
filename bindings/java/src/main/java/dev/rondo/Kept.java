// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.ReferenceQueue;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/**
 * Handles that are not destroyed yet, which must outlive their wrappers, and the thread that destroys those whose wrappers the garbage
 * collector took. A {@link java.lang.ref.Cleaner} does that with one list behind a lock. Here each thread has places of its own for
 * what it makes: it takes them, and gives them back, without atomic operations; another thread that closes an object empties the place,
 * which its owner finds when it has no other one.
 */
final class Kept {
  static final ReferenceQueue<NativeObject> ABANDONED = new ReferenceQueue<>();
  static final Kept OF_VIRTUAL_THREADS = new Kept(); // all of them, one at a time

  private static final int ATTEMPTS = 1000; // with a pause of a millisecond after each
  private static final VarHandle PLACE = MethodHandles.arrayElementVarHandle(Handle[].class);
  private static final List<Kept> ALL = new ArrayList<>(); // guarded by itself, like the next
  private static final Deque<Kept> WITHOUT_THREAD = new ArrayDeque<>();

  static {
    Threads.start("rondo-abandoned", Kept::destroyAbandoned);
  }

  private volatile Handle[] places = {};
  private int[] free = {}; // places that are empty
  private int freeCount;

  private Kept() {}

  /** For a thread that had none. */
  static Kept take() {
    synchronized (ALL) {
      Kept taken = WITHOUT_THREAD.poll();
      if (taken == null) {
        taken = new Kept();
        ALL.add(taken);
      }
      return taken;
    }
  }

  /** Of a thread that has ended. */
  void leave() {
    synchronized (ALL) {
      WITHOUT_THREAD.add(this);
    }
  }

  /** For its thread. Returns the handle's place. */
  int add(Handle handle) {
    if (this != OF_VIRTUAL_THREADS) {
      return put(handle);
    }
    synchronized (this) {
      return put(handle);
    }
  }

  private int put(Handle handle) {
    if (freeCount == 0) {
      findFree();
    }
    final int place = free[--freeCount];
    places[place] = handle;
    return place;
  }

  /** For any thread. */
  void remove(Handle handle, boolean ofThisThread) {
    if (ofThisThread && this != OF_VIRTUAL_THREADS) {
      places[handle.place] = null;
      free[freeCount++] = handle.place;
    } else {
      PLACE.compareAndSet(places, handle.place, handle, null);
    }
  }

  /** For its thread: whether the collector will find what is at an address. */
  boolean holds(long address) {
    for (final Handle each : places) {
      if (each != null && each.address == address && !each.isDestroyed()) {
        return true;
      }
    }
    return false;
  }

  private void findFree() {
    final Handle[] in = places;
    for (int i = 0; i < in.length; ++i) {
      final Handle handle = in[i]; // read once: another thread may empty the place meanwhile
      if (handle != null && handle.isDestroyed()) { // emptied in the places before the last growth
        in[i] = null;
      }
      if (in[i] == null) {
        free[freeCount++] = i;
      }
    }
    if (freeCount <= in.length / 4) {
      final int length = Math.max(64, 2 * in.length);
      final int[] more = Arrays.copyOf(free, length);
      final Handle[] grown = Arrays.copyOf(in, length); // from here on nothing fails for want of memory
      for (int i = in.length; i < length; ++i) {
        more[freeCount++] = i;
      }
      free = more;
      places = grown;
    }
  }

  private static void destroyAbandoned() {
    for (;;) {
      try {
        final Handle handle = (Handle) ABANDONED.remove();
        for (int i = 0; i < ATTEMPTS && !destroyAbandoned(handle); ++i) {
          Threads.pause();
        }
      } catch (InterruptedException | RuntimeException | Error e) {
        // what one object meets is not the others' matter
      }
    }
  }

  /** False where there is no memory, or no thread, at the moment. */
  private static boolean destroyAbandoned(Handle handle) {
    try {
      if (handle.isEngine()) {
        Threads.start("rondo-abandoned-engine", handle::abandoned); // waits for its tasks, and others' memory does not
      } else {
        handle.abandoned();
      }
      return true;
    } catch (OutOfMemoryError e) {
      return false;
    }
  }
}
