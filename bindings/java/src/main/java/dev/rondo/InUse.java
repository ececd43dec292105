// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The objects that one thread gives to C now, where those who close them see it. A call writes the numbers of its objects here, into
 * memory that no other thread writes, and asks after a fence whether one of them is closed; who closes marks the object, and looks here
 * after a fence. So either the call sees the mark, or the closer sees the call. A call costs two fences, whatever the number of its
 * objects, and threads that use the same objects do not take lines of the cache from each other. Each object knows which threads have
 * used it, so that who closes it looks at those alone.
 *
 * <p>Virtual threads have none, since there may be any number of them: they count in each object.
 */
final class InUse {
  private static final int TOP = 16; // where the first free place is kept; two lines of the cache before it are nobody's
  private static final int FIRST = TOP + 1;
  private static final int ROOM = 14; // places at first: a call with seven objects, or calls inside calls
  private static final int IDS = 1 << 16; // taken at once
  private static final String PACKAGE = "dev.rondo.";
  private static final System.Logger LOG = System.getLogger("dev.rondo");
  private static final int LEAST = 16; // places for threads
  private static final VarHandle PLACE = MethodHandles.arrayElementVarHandle(long[].class);
  private static final VarHandle MEMBER = MethodHandles.arrayElementVarHandle(InUse[].class);
  private static final AtomicLong NEXT_IDS = new AtomicLong(IDS); // from where on nobody took ids; 0 is none
  private static final AtomicInteger NUMBERS = new AtomicInteger();

  private static volatile InUse[] all = new InUse[LEAST]; // of the threads that live, and of some that have ended; null behind them
  private static volatile int count; // of them

  private final int number = NUMBERS.getAndIncrement(); // where tables have it
  final Kept kept; // where what the thread makes is kept
  private final WeakReference<Thread> thread = new WeakReference<>(Thread.currentThread());
  private volatile long[] places; // null in a virtual thread
  private long nextId;

  InUse() {
    if (VirtualThreads.isCurrent()) {
      kept = Kept.OF_VIRTUAL_THREADS;
    } else {
      places = room(ROOM);
      add(this); // which lets go of those that do not matter any more
      kept = Kept.take();
    }
  }

  private static long[] room(int count) {
    final long[] made = new long[FIRST + count + TOP];
    made[TOP] = FIRST;
    return made;
  }

  /** Looks through the others as often as their number has doubled, so that it takes the same time however many there are. */
  private static synchronized void add(InUse made) {
    if (count == all.length) {
      final InUse[] before = all;
      final InUse[] more = new InUse[Math.max(LEAST, 2 * (int) Arrays.stream(before).filter(InUse::matters).count())];
      int kept = 0;
      for (final InUse each : before) {
        if (each.matters()) {
          more[kept++] = each;
        } else {
          each.kept.leave();
        }
      }
      all = more;
      count = kept;
    }
    MEMBER.setRelease(all, count, made);
    ++count;
  }

  /** How many threads a look at all of them takes. */
  static int threads() {
    return count;
  }

  // --- tables of threads: places by their numbers, at least half of them empty

  /** For any thread. */
  boolean isIn(InUse[] table) {
    return table.length != 0 && MEMBER.getAcquire(table, placeIn(table)) == this;
  }

  /** Where it is, or could be. */
  private int placeIn(InUse[] table) {
    int place = number & table.length - 1;
    for (Object there = MEMBER.getAcquire(table, place); there != null && there != this; there = MEMBER.getAcquire(table, place)) {
      place = place + 1 & table.length - 1;
    }
    return place;
  }

  /** One thread at a time. */
  void putIn(InUse[] table) {
    MEMBER.setRelease(table, placeIn(table), this);
  }

  /** A table with room for as many more as are in another one, without those that have ended. */
  static InUse[] tableOfLiving(InUse[] table) {
    int living = 0;
    for (final InUse each : table) {
      living += each != null && each.isLiving() ? 1 : 0;
    }
    final InUse[] made = new InUse[Integer.highestOneBit(4 * living + 3)];
    for (final InUse each : table) {
      if (each != null && each.isLiving()) {
        each.putIn(made);
      }
    }
    return made;
  }

  private boolean isLiving() {
    final Thread known = thread.get();
    return known != null && known.isAlive();
  }

  /** Not of a thread that has ended, nor of the calling one, which has lost it: pools of threads clear what is local to a thread. */
  private boolean matters() {
    return isLiving() && (thread.get() != Thread.currentThread() || places[TOP] != FIRST);
  }

  static InUse current() {
    return ThreadState.current().inUse;
  }

  /** A number that no other object has. For its own thread. */
  long newId() {
    if (nextId % IDS == 0) {
      nextId = NEXT_IDS.getAndAdd(IDS);
    }
    return nextId++;
  }

  // --- for its own thread

  /** Begins a use of each object that is not null; of none if one is closed. Each begin has its end, the last one first. */
  void begin(NativeObject a, NativeObject b, NativeObject c) {
    final long[] to = places;
    if (to == null) {
      pin(a, b, c);
      return;
    }
    final int top = (int) to[TOP];
    if (top + 6 > to.length - TOP) {
      grow(6);
      begin(a, b, c);
      return;
    }
    publish(to, put(to, put(to, put(to, top, a), b), c));
    if (refused(a) || refused(b) || refused(c)) {
      end(a, b, c);
      refuse(a, b, c);
    }
  }

  void end(NativeObject a, NativeObject b, NativeObject c) {
    final long[] from = places;
    if (from == null) {
      unpin(a, b, c);
      return;
    }
    publish(from, (int) from[TOP] - 2 * (counted(a) + counted(b) + counted(c)));
    ended(a);
    ended(b);
    ended(c);
  }

  void begin(NativeObject a, NativeObject b) {
    begin(a, b, null);
  }

  void end(NativeObject a, NativeObject b) {
    end(a, b, null);
  }

  void begin(NativeObject a) {
    begin(a, null, null);
  }

  void end(NativeObject a) {
    end(a, null, null);
  }

  void begin(NativeObject... objects) {
    final long[] to = places;
    if (to == null) {
      pin(objects);
      return;
    }
    int top = (int) to[TOP];
    if (top + 2 * objects.length > to.length - TOP) {
      grow(2 * objects.length);
      begin(objects);
      return;
    }
    for (final NativeObject each : objects) {
      top = put(to, top, each);
    }
    publish(to, top);
    for (final NativeObject each : objects) {
      if (refused(each)) {
        end(objects);
        refuse(objects);
      }
    }
  }

  void end(NativeObject... objects) {
    final long[] from = places;
    if (from == null) {
      unpin(objects);
      return;
    }
    int top = (int) from[TOP];
    for (final NativeObject each : objects) {
      top -= 2 * counted(each);
    }
    publish(from, top);
    for (final NativeObject each : objects) {
      ended(each);
    }
  }

  private int put(long[] to, int top, NativeObject object) {
    if (object == null) {
      return top;
    }
    final Handle handle = object.handle;
    handle.usedBy(this);
    PLACE.setOpaque(to, top, handle.gate.id);
    PLACE.setOpaque(to, top + 1, handle.id);
    return top + 2;
  }

  private static void publish(long[] to, int top) {
    PLACE.setRelease(to, TOP, (long) Math.max(top, FIRST)); // less only where the beginning was lost with what is local to the thread
    VarHandle.fullFence();
  }

  private static boolean refused(NativeObject object) {
    return object != null && object.handle.isRefused();
  }

  private static int counted(NativeObject object) {
    return object == null ? 0 : 1;
  }

  private static void ended(NativeObject object) {
    if (object != null && object.handle.isClosed()) {
      object.handle.destroyIfUnused();
    }
  }

  /** Throws what the first closed one says. */
  private static void refuse(NativeObject... objects) {
    for (final NativeObject each : objects) {
      if (refused(each)) {
        throw each.handle.refusal();
      }
    }
  }

  /** What is published stays so: a closer that still sees the old places sees what was in use when they were left. */
  private void grow(int more) {
    final long[] old = places;
    final long[] made = room(2 * (old.length + more));
    System.arraycopy(old, TOP, made, TOP, (int) old[TOP] - TOP);
    places = made;
  }

  private static void pin(NativeObject... objects) {
    int done = 0;
    try {
      for (; done < objects.length; ++done) {
        if (objects[done] != null) {
          objects[done].handle.pin();
        }
      }
    } finally {
      if (done < objects.length) {
        unpin(Arrays.copyOf(objects, done));
      }
    }
  }

  private static void unpin(NativeObject... objects) {
    for (final NativeObject each : objects) {
      if (each != null) {
        each.handle.unpin();
      }
    }
  }

  // --- for those who close

  /**
   * For its own thread, where no call is under way: forgets what an Error kept from being ended. A call that is ended where there is no
   * stack left, or that begins where there is no memory, may leave its objects here.
   */
  void forgetAll() {
    final long[] own = places;
    if (own != null && (long) PLACE.getOpaque(own, TOP) != FIRST) {
      publish(own, FIRST);
    }
  }

  /**
   * What has the id is waited for since long. A thread that seems to use it and is in no call of this library has lost the end of that
   * use to an Error: it is forgotten. Of the others the first is named in the log.
   */
  static void lookAfter(long id, String kind) {
    for (final InUse each : snapshot()) {
      final Thread user = each.thread.get();
      if (user == null || user == Thread.currentThread() || !each.has(id)) {
        continue;
      }
      final boolean calling = Arrays.stream(user.getStackTrace()).anyMatch(frame -> isOurs(frame.getClassName()));
      if (!calling) {
        each.forget(id); // a call that begins from now on sees that it is closed
      } else {
        try {
          LOG.log(System.Logger.Level.WARNING, "closing a " + kind + " waits for a call of the thread " + user.getName() + " that uses it");
        } catch (Throwable e) { // a handler's matter
          return;
        }
        return;
      }
    }
  }

  /** Whether a class is of this package: programs may be in packages below it. */
  private static boolean isOurs(String name) {
    return name.startsWith(PACKAGE) && name.indexOf('.', PACKAGE.length()) < 0;
  }

  private void forget(long id) {
    final long[] seen = places;
    for (int i = FIRST; seen != null && i < seen.length - TOP; ++i) {
      if ((long) PLACE.getOpaque(seen, i) == id) {
        PLACE.setOpaque(seen, i, 0L);
      }
    }
  }

  /** Whether this thread uses what has the id. */
  boolean has(long id) {
    final long[] seen = places;
    if (seen == null) {
      return false;
    }
    for (int i = (int) (long) PLACE.getAcquire(seen, TOP) - 1; i >= FIRST; --i) {
      if ((long) PLACE.getOpaque(seen, i) == id) {
        return true;
      }
    }
    return false;
  }

  /** The same of what an ended thread, which left it behind, uses no more. */
  boolean uses(long id) {
    return has(id) && isLiving();
  }

  /** Whether any thread does. */
  static boolean anywhere(long id) {
    return anyUses(all, id);
  }

  /** Whether any of a table does, or of the places for all threads. */
  static boolean anyUses(InUse[] of, long id) {
    for (int i = 0; i < of.length; ++i) {
      final InUse each = (InUse) MEMBER.getAcquire(of, i);
      if (each != null && each.uses(id)) {
        return true;
      }
    }
    return false;
  }

  private static InUse[] snapshot() {
    return Arrays.stream(all).filter(each -> each != null).toArray(InUse[]::new);
  }
}
