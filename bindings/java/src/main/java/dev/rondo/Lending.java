// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Memory that a function of the user is lent for a time, as buffers that do not reach it afterwards, whoever kept them. From Java 22 on they
 * lie in the memory, in an arena that is closed at the end. Before that nothing takes a direct buffer back: there a buffer is a copy in
 * Java's heap, and what may be written goes back at the end. So it is where the virtual machine has lost its classes of arenas.
 */
final class Lending {
  private static final class Copy {
    final long address;
    final byte[] contents;
    boolean writable;

    Copy(long address, int bytes) {
      this.address = address;
      contents = new byte[bytes];
      Memory.copy(address, contents, 0, bytes);
    }
  }

  private final String over; // what is said afterwards
  private final List<Copy> copies = new ArrayList<>();
  private AutoCloseable arena; // of Java 22 and later, once something was lent
  private boolean ended;

  Lending(String over) {
    this.over = over;
  }

  /** The same address and size give the same memory, or copy, each time. In any thread. */
  synchronized ByteBuffer lend(long address, int bytes, boolean writable) {
    if (ended) {
      throw new InvalidStateException(over, null);
    }
    final ByteBuffer lent;
    if (bytes == 0) {
      lent = ByteBuffer.allocateDirect(0);
    } else if (Segments.canLend()) {
      arena = arena == null ? Segments.arena() : arena;
      lent = Segments.lent(arena, address, bytes);
    } else {
      lent = copied(address, bytes, writable);
    }
    return (writable ? lent : lent.asReadOnlyBuffer()).order(ByteOrder.nativeOrder());
  }

  private ByteBuffer copied(long address, int bytes, boolean writable) {
    Copy found = copies.stream().filter(each -> each.address == address && each.contents.length == bytes).findAny().orElse(null);
    if (found == null) {
      found = new Copy(address, bytes);
      copies.add(found);
    }
    found.writable |= writable;
    return ByteBuffer.wrap(found.contents);
  }

  /** Before the memory is used by others. Waits for input and output of channels that use a buffer in other threads. */
  synchronized void end() {
    if (ended) {
      return;
    }
    ended = true;
    for (final Copy each : copies) {
      if (each.writable) {
        Memory.copy(each.contents, 0, each.address, each.contents.length);
      }
    }
    while (arena != null) {
      try {
        arena.close();
        arena = null;
      } catch (IllegalStateException | OutOfMemoryError e) {
        Threads.pause();
      } catch (Exception e) {
        throw new IllegalStateException(e); // closing an arena throws no other
      }
    }
  }
}
