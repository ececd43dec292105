// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * Frees all that its thread makes while it is open, except what is kept:
 *
 * <pre>{@code
 * try (Scope scope = Scope.open()) {
 *   Tensor hidden = x.matmul(w1).relu();
 *   return scope.keep(hidden.matmul(w2));
 * }
 * }</pre>
 *
 * <p>Scopes nest; an object belongs to the innermost one. A scope is closed by the thread that opened it, after the scopes inside
 * it.
 */
public final class Scope implements AutoCloseable {
  private final Thread thread = Thread.currentThread();
  private final ThreadState state = ThreadState.current();
  private final Scope outer = state.scope;
  private List<NativeObject> objects = new ArrayList<>();
  private Set<NativeObject> kept;

  private final boolean ofRecording;

  private Scope(boolean ofRecording) {
    this.ofRecording = ofRecording;
    state.scope = this;
  }

  /** The scope of a recording: what it closes says so when it is used. */
  static Scope ofRecording() {
    return new Scope(true);
  }

  /**
   * Opens a scope of the calling thread.
   *
   * @return the scope
   * @see "DJL: NDManager.newSubManager"
   */
  public static Scope open() {
    return new Scope(false);
  }

  /** The innermost scope of the calling thread takes the object, if there is one. */
  static <T extends NativeObject> T add(T object) {
    final Scope scope = ThreadState.current().scope;
    if (scope != null) {
      scope.objects.add(object);
    }
    return object;
  }

  /**
   * Keeps an object beyond this scope: the scope around takes it, or if there is none, the caller.
   *
   * @param <T> its class
   * @param object a tensor, variable, graph or engine; one that was not made in this scope is not affected
   * @return the object
   */
  public <T extends AutoCloseable> T keep(T object) {
    check();
    if (object instanceof NativeObject) {
      if (kept == null) {
        kept = Collections.newSetFromMap(new IdentityHashMap<>());
      }
      kept.add((NativeObject) object);
    }
    return object;
  }

  /** Closes what was made and not kept, the last one first. */
  @Override
  public void close() {
    if (objects == null) {
      return;
    }
    check();
    state.scope = outer;
    final List<NativeObject> made = objects;
    objects = null;
    RuntimeException failure = null;
    for (int i = made.size() - 1; i >= 0; --i) {
      final NativeObject object = made.get(i);
      if (kept == null || !kept.contains(object)) {
        if (ofRecording && !object.isClosed()) {
          object.handle.endsWithRecording();
        }
        try {
          object.close();
        } catch (RuntimeException e) { // the others are closed all the same
          if (failure == null) {
            failure = e;
          } else {
            failure.addSuppressed(e);
          }
        }
      } else if (outer != null) {
        outer.objects.add(object);
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private void check() {
    if (objects == null) {
      throw new InvalidStateException("this scope is closed", null);
    }
    if (Thread.currentThread() != thread) {
      throw new InvalidStateException("this scope belongs to the thread " + thread.getName(), null);
    }
    if (state.scope != this) {
      throw new InvalidStateException("a scope inside this one is still open", null);
    }
  }
}
