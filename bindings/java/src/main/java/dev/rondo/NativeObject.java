// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.lang.ref.Cleaner;

/** A wrapper of a handle of C: closed once, by the user or at last by the cleaner, and never used after. */
abstract class NativeObject implements AutoCloseable {
  private static final Cleaner CLEANER = Cleaner.create();

  private final Handle handle;
  private final Cleaner.Cleanable cleanable;

  NativeObject(Handle handle) {
    this.handle = handle;
    this.cleanable = CLEANER.register(this, handle);
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
    cleanable.clean();
  }

  /**
   * Whether {@link #close()} was called.
   *
   * @return true if so
   */
  public boolean isClosed() {
    return handle.isClosed();
  }

  /** Begins a use in a native call; release ends it. */
  final long acquire() {
    return handle.acquire();
  }

  final void release() {
    handle.release();
  }

  /** Begins a use beside another one of the same call, which lasts longer. */
  final long acquireBeside(NativeObject other) {
    return handle.acquireBeside(other.handle);
  }

  final void releaseBeside(NativeObject other) {
    handle.releaseBeside(other.handle);
  }

  static void release(NativeObject object) {
    if (object != null) {
      object.release();
    }
  }

  static void release(NativeObject object, NativeObject other) {
    if (object != null) {
      object.releaseBeside(other);
    }
  }

  /** The address for a native call inside a use. */
  final long address() {
    return handle.address();
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
      int done = 0;
      try {
        for (; done < objects.length; ++done) {
          addresses[done] = this.objects[done].acquire();
        }
      } finally {
        for (int i = 0; done < objects.length && i < done; ++i) {
          this.objects[i].release();
        }
      }
    }

    long[] addresses() {
      return addresses;
    }

    void end() {
      for (final NativeObject object : objects) {
        object.release();
      }
    }
  }
}
