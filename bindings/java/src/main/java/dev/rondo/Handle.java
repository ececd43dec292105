// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What a wrapper of a handle of C shares with the cleaner: the address, how many calls use it now, and how it is given back. It
 * has no reference to the wrapper, so the wrapper can be collected.
 *
 * <p>Closing forbids new uses; the last use destroys. So an address is never given to C after it was destroyed, and whoever
 * closes needs no lock that a waiting call would hold.
 */
final class Handle implements Runnable {
  /** Destroys what is at an address. */
  interface Destroyer {
    void destroy(long address);
  }

  private static final int CLOSED = Integer.MIN_VALUE; // the sign bit of uses
  private static final VarHandle USES;

  static {
    try {
      USES = MethodHandles.lookup().findVarHandle(Handle.class, "uses", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final long address;
  private final String kind;
  private final Destroyer destroyer;
  private final Gate gate; // of the engine
  private final Throwable site = Leaks.site(); // null unless asked for
  private volatile int uses;
  private boolean destroyed; // guarded by this

  Handle(String kind, long address, Gate gate, Destroyer destroyer) {
    this.kind = kind;
    this.gate = gate;
    this.address = address;
    this.destroyer = destroyer;
  }

  /** Begins a use: the address stays valid until release. */
  long acquire() {
    acquireOwn();
    if (!gate.enter()) {
      releaseOwn();
      throw new InvalidStateException(kind.equals("engine") ? "this engine is closed" : "the engine of this " + kind + " is closed", null);
    }
    return address;
  }

  /** Ends a use. */
  void release() {
    gate.exit();
    releaseOwn();
  }

  /** Begins a use inside one of another handle, which keeps the engine open if both are of the same. */
  long acquireBeside(Handle other) {
    if (gate != other.gate) {
      return acquire();
    }
    acquireOwn();
    return address;
  }

  /** Ends it, with the same other handle. */
  void releaseBeside(Handle other) {
    if (gate != other.gate) {
      gate.exit();
    }
    releaseOwn();
  }

  private void acquireOwn() {
    if ((int) USES.getAndAdd(this, 1) < 0) {
      releaseOwn();
      throw new InvalidStateException("this " + kind + " is closed", null);
    }
  }

  private void releaseOwn() {
    if ((int) USES.getAndAdd(this, -1) == CLOSED + 1) {
      destroy();
    }
  }

  boolean isClosed() {
    return uses < 0;
  }

  /** For a caller inside a use. */
  long address() {
    return address;
  }

  /** Forbids uses and waits for those under way, except inside a function of the user that Rondo called, where waiting might be for itself. */
  void close() {
    if ((int) USES.getAndBitwiseOr(this, CLOSED) == 0) {
      destroy();
    } else if (!ThreadState.current().insideCall()) {
      awaitDestroyed();
    }
  }

  private synchronized void destroy() {
    if (!destroyed) { // a use that was refused counts too for a moment, so this may be the second time
      destroyed = true;
      destroyer.destroy(address);
      notifyAll();
    }
  }

  private synchronized void awaitDestroyed() {
    boolean interrupted = false;
    while (!destroyed) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Called by the cleaner: nobody can use the wrapper any more. */
  @Override
  public void run() {
    if (!isClosed()) {
      Leaks.report(kind, site);
      close();
    }
  }
}
