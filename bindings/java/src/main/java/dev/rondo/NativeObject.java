// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.LongFunction;

/** A wrapper of a handle of C: closed once, by the user or at last by the garbage collector, and never used after. */
abstract class NativeObject implements AutoCloseable {
  final Handle handle;

  NativeObject(String kind, long address, Gate gate, Handle.Destroyer destroyer) {
    handle = new Handle(this, kind, address, gate, destroyer);
  }

  /**
   * Makes a wrapper of what a native call has just made. Where there is no memory for it, that is given back.
   *
   * @param make the constructor: what the call needs is there before it is made, and so nothing but this may fail
   */
  static <T extends NativeObject> T made(LongFunction<T> make, Handle.Destroyer destroyer, long address) {
    try {
      return make.apply(address);
    } catch (Throwable e) {
      giveUp(address, destroyer);
      throw e;
    }
  }

  /** For what has no wrapper for want of memory; with a handle it is the collector's. */
  static void giveUp(long address, Handle.Destroyer destroyer) {
    if (!InUse.current().kept.holds(address)) {
      destroyer.destroy(address);
    }
  }

  /**
   * Gives the object back. Calls that are under way in other threads end first; every later call throws {@link
   * InvalidStateException}. Work that was submitted with it is not affected. Closing twice does nothing.
   *
   * <p>Inside a {@link Task} or a {@link CustomGradient} nothing is waited for: the last call under way gives the object back.
   */
  @Override
  public void close() {
    handle.close();
  }

  /**
   * Whether {@link #close()} was called.
   *
   * @return true if so
   */
  public boolean isClosed() {
    return handle.isClosed();
  }

  /** Begins a use in a native call; release ends it, in the same thread, after those that began later. */
  final long acquire() {
    InUse.current().begin(this);
    return handle.address;
  }

  final void release() {
    InUse.current().end(this);
  }

  /** The address for a native call inside a use. */
  final long address() {
    return handle.address;
  }

  /** The same of an object that may be null. */
  static long addressOf(NativeObject object) {
    return object == null ? 0 : object.handle.address;
  }

  /**
   * What a list holds now. A call that reads a user's list twice, for its uses and for C, would give C what is not in use if another thread
   * writes the list between; arrays are cloned for that.
   */
  static <T> List<T> now(Collection<? extends T> list) {
    return new ArrayList<>(list);
  }

  /** Begins a use of each object; of none if one is closed. */
  static Uses use(NativeObject... objects) {
    return new Uses(objects);
  }

  /** Uses of several objects for one native call. */
  static final class Uses {
    private final NativeObject[] objects;
    private final long[] addresses;

    private Uses(NativeObject[] objects) {
      this.objects = objects.clone();
      addresses = new long[objects.length];
      for (int i = 0; i < addresses.length; ++i) {
        addresses[i] = this.objects[i].address(); // none is null
      }
      InUse.current().begin(this.objects);
    }

    long[] addresses() {
      return addresses;
    }

    void end() {
      InUse.current().end(objects);
    }
  }
}
