// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;

/** A buffer in Java's heap whose array cannot be had: one that is read-only, or a view of one of bytes. Its contents are copied. */
final class HeapView {
  private final Buffer buffer; // from its position to its limit, as they are now

  HeapView(Buffer buffer) {
    this.buffer = buffer.duplicate();
  }

  byte[] contents(long bytes) {
    final ByteBuffer contents = ByteBuffer.allocate(Math.toIntExact(bytes)).order(ByteOrder.nativeOrder());
    put(buffer.duplicate(), like(contents));
    return contents.array();
  }

  void fill(byte[] contents) {
    put(like(ByteBuffer.wrap(contents).order(ByteOrder.nativeOrder())), buffer.duplicate());
  }

  /** Bytes as elements of the buffer's kind. */
  private Buffer like(ByteBuffer bytes) {
    return buffer instanceof FloatBuffer ? bytes.asFloatBuffer() : buffer instanceof DoubleBuffer ? bytes.asDoubleBuffer()
        : buffer instanceof IntBuffer ? bytes.asIntBuffer() : buffer instanceof LongBuffer ? bytes.asLongBuffer()
        : buffer instanceof ShortBuffer ? bytes.asShortBuffer() : bytes;
  }

  private static void put(Buffer from, Buffer to) {
    if (to instanceof FloatBuffer) {
      ((FloatBuffer) to).put((FloatBuffer) from);
    } else if (to instanceof DoubleBuffer) {
      ((DoubleBuffer) to).put((DoubleBuffer) from);
    } else if (to instanceof IntBuffer) {
      ((IntBuffer) to).put((IntBuffer) from);
    } else if (to instanceof LongBuffer) {
      ((LongBuffer) to).put((LongBuffer) from);
    } else if (to instanceof ShortBuffer) {
      ((ShortBuffer) to).put((ShortBuffer) from);
    } else {
      ((ByteBuffer) to).put((ByteBuffer) from);
    }
  }
}
