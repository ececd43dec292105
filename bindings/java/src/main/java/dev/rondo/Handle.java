// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.PhantomReference;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/**
 * What is left of a wrapper when the garbage collector took it: the address of C, whether it is closed, and how it is given back.
 *
 * <p>Closing forbids new uses; the last use destroys. So an address is never given to C after it was destroyed, and whoever
 * closes needs no lock that a waiting call would hold. Uses are published by their threads ({@link InUse}), or counted here: those
 * that end in another thread than they began in, and those of virtual threads.
 */
final class Handle extends PhantomReference<NativeObject> {
  /** Destroys what is at an address. */
  interface Destroyer {
    void destroy(long address);
  }

  private static final int CLOSED = 1 << 31; // the sign of state
  private static final int CLAIMED = 1 << 30; // one thread destroys it or has done so
  private static final int PINS = CLAIMED - 1; // the uses that are counted
  private static final long POLL_MILLIS = 5;
  private static final int FEW = 8; // so many users are known one by one; of many threads also a part of 1 / FEW
  private static final InUse[] NOBODY = {};
  private static final InUse[] ANYBODY = {null}; // any thread that there is
  private static final VarHandle STATE;
  private static final VarHandle DESTROYED;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(Handle.class, "state", int.class);
      DESTROYED = MethodHandles.lookup().findVarHandle(Handle.class, "destroyed", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final long address;
  final long id;
  final Gate gate; // of the engine
  final int place; // in what the owner keeps
  private final String kind;
  private final Destroyer destroyer;
  private final Throwable site = Leaks.site(); // null unless asked for
  private final InUse owner; // of the thread that made it
  private volatile InUse[] users = NOBODY; // of other threads that used it: a table of InUse; or ANYBODY
  private int userCount; // in the table; guarded by this
  private volatile int state;
  private volatile boolean destroyed;
  private volatile boolean ofRecording; // closed at the end of the recording that made it
  private volatile boolean awaited; // somebody waits for that
  private volatile boolean givenAway; // C destroys what is at the address

  Handle(NativeObject of, String kind, long address, Gate gate, Destroyer destroyer) {
    super(of, Kept.ABANDONED);
    this.kind = kind;
    this.gate = gate;
    this.address = address;
    this.destroyer = destroyer;
    owner = InUse.current();
    id = owner.newId();
    place = owner.kept.add(this);
  }

  // --- uses

  /** Before the use is published. Closers look for it in the owner's thread alone unless they are told of others. */
  void usedBy(InUse thread) {
    if (thread != owner) {
      final InUse[] known = users;
      if (known != ANYBODY && !thread.isIn(known)) {
        addUser(thread);
      }
    }
  }

  private synchronized void addUser(InUse thread) {
    if (users != ANYBODY && 2 * (userCount + 1) > users.length) {
      users = InUse.tableOfLiving(users);
      userCount = (int) Arrays.stream(users).filter(each -> each != null).count();
      if (userCount >= Math.max(FEW, InUse.threads() / FEW)) {
        users = ANYBODY; // they are so large a part of all that a closer may look at all
      }
    }
    if (users != ANYBODY) {
      thread.putIn(users);
      ++userCount;
    }
  }

  /** How many threads a closer looks at: not many more than have used it. */
  int looksAt() {
    final InUse[] known = users;
    return known == ANYBODY ? InUse.threads() : 1 + known.length;
  }

  /** After the use is published. */
  boolean isRefused() {
    return state < 0 || gate.isClosed();
  }

  InvalidStateException refusal() {
    final String what = state < 0 && ofRecording ? "this " + kind + " was closed at the end of the recording that made it: use Recording.keep"
        : state < 0 || kind.equals("engine") ? "this " + kind + " is closed" : "the engine of this " + kind + " is closed";
    return new InvalidStateException(what, null);
  }

  /** Begins a use that may end in another thread. */
  void pin() {
    final boolean open = (int) STATE.getAndAdd(this, 1) >= 0;
    if (!open || !gate.enter()) {
      final InvalidStateException refusal = refusal();
      unpinOwn();
      throw refusal;
    }
  }

  void unpin() {
    gate.exit();
    unpinOwn();
  }

  private void unpinOwn() {
    if ((int) STATE.getAndAdd(this, -1) < 0) {
      destroyIfUnused();
    }
  }

  // --- closing

  boolean isClosed() {
    return state < 0;
  }

  boolean isDestroyed() {
    return destroyed;
  }

  /** Before the end of a recording closes it. */
  void endsWithRecording() {
    ofRecording = true;
  }

  /** Closes the wrapper, and leaves what is at the address to C. False if another thread uses it, which then is closed as usual. */
  boolean giveAway() {
    givenAway = true;
    close();
    if (destroyed) {
      return true;
    }
    givenAway = false;
    return false;
  }

  /** Forbids uses and waits for those under way, except inside a function of the user that Rondo called, where waiting might be for itself. */
  void close() {
    final ThreadState thread = ThreadState.current();
    if (thread.inUse == owner && users == NOBODY && STATE.compareAndSet(this, 0, CLOSED | CLAIMED)) {
      if (!isPublished()) { // as nearly always
        destroy();
        return;
      }
      STATE.getAndBitwiseAnd(this, ~CLAIMED);
    } else {
      STATE.getAndBitwiseOr(this, CLOSED);
    }
    if (!thread.insideMethod()) {
      thread.inUse.forgetAll(); // no call is under way on this thread: what is left was not ended for want of stack or memory
    }
    destroyIfUnused();
    if (!destroyed && !thread.insideCall()) {
      awaitDestroyed();
    }
  }

  /** For whoever forbade uses, and whoever ended one and saw that they are forbidden: the last of them finds no use. */
  void destroyIfUnused() {
    VarHandle.fullFence();
    for (int now = state; (now & (CLAIMED | PINS)) == 0 && !isPublished(); now = state) {
      if (STATE.compareAndSet(this, now, now | CLAIMED)) {
        destroy();
        return;
      }
    }
  }

  private boolean isPublished() {
    final InUse[] known = users;
    return known == ANYBODY ? InUse.anywhere(id) : owner.uses(id) || known != NOBODY && InUse.anyUses(known, id);
  }

  private void destroy() {
    boolean called = false;
    try {
      if (!givenAway) {
        destroyer.destroy(address);
      }
      called = true;
    } finally {
      if (!called) { // no stack or no memory for the call: whoever looks next, the collector's thread at last, tries again
        STATE.getAndBitwiseAnd(this, ~CLAIMED);
      }
    }
    DESTROYED.setRelease(this, true);
    owner.kept.remove(this, InUse.current() == owner);
    if (awaited) {
      synchronized (this) {
        notifyAll();
      }
    }
  }

  /** Asks again after a while: who destroys makes no fence before it asks whether somebody waits. */
  private void awaitDestroyed() {
    boolean interrupted = false;
    awaited = true;
    final boolean inVirtualThread = VirtualThreads.isCurrent();
    final Patience patience = new Patience(id, kind);
    while (!destroyed) {
      if (inVirtualThread) { // which would hold its carrier in a monitor, before Java 24
        LockSupport.parkNanos(this, POLL_MILLIS * 1_000_000);
        interrupted |= Thread.interrupted();
      } else {
        interrupted |= isInterruptedAwhile();
      }
      if (!destroyed && patience.looked()) {
        destroyIfUnused();
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized boolean isInterruptedAwhile() {
    try {
      if (!destroyed) {
        wait(POLL_MILLIS);
      }
      return false;
    } catch (InterruptedException e) {
      return true;
    }
  }

  /** Whether giving it back may take long: an engine waits for its tasks. */
  boolean isEngine() {
    return kind.equals("engine");
  }

  /** The wrapper was collected, so that nobody can use it any more. */
  void abandoned() {
    final boolean unclosed = (int) STATE.getAndBitwiseOr(this, CLOSED) >= 0;
    try {
      destroyIfUnused();
    } finally {
      if (unclosed) {
        Leaks.report(kind, site); // afterwards: a handler of the log decides nothing about memory
      }
    }
  }
}
