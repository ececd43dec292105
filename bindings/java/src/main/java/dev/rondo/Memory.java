// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.LongBinaryOperator;

/** Memory outside Java's heap, and texts. */
final class Memory {
  private Memory() {}

  static byte[] bytes(String text) {
    if (text == null) {
      return null;
    }
    if (text.indexOf('\0') >= 0) {
      throw new InvalidArgumentException("a text may not hold the character 0: " + text.replace('\0', '?'), null);
    }
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** What the system calls a file; null for null. A path of another file system, such as one in a zip archive, names none of the system's. */
  static String nameOf(Path path) {
    if (path != null && path.getFileSystem() != FileSystems.getDefault()) {
      throw new InvalidArgumentException("the path " + path + " is of " + path.getFileSystem().provider().getScheme()
          + ": one of the default file system is needed", null);
    }
    return path == null ? null : path.toString();
  }

  static byte[][] bytes(String[] texts) {
    final byte[][] all = new byte[texts.length][];
    for (int i = 0; i < texts.length; ++i) {
      all[i] = bytes(Objects.requireNonNull(texts[i]));
    }
    return all;
  }

  /** The text at an address; null for 0. */
  static String text(long address) {
    return address == 0 ? null : new String(text0(address), StandardCharsets.UTF_8);
  }

  /** The text that a function of C writes into memory of so many bytes; it gives the length that there is, whatever the capacity. */
  static String text(LongBinaryOperator write) {
    for (long capacity = 4096;;) {
      final long buffer = allocate(capacity);
      try {
        final long length = write.applyAsLong(buffer, capacity);
        if (length < capacity) {
          return text(buffer);
        }
        capacity = length + 1;
      } finally {
        free(buffer);
      }
    }
  }

  /** The text in a field of a struct. */
  static String text(byte[] data, int offset, int capacity) {
    int length = 0;
    while (length < capacity && data[offset + length] != 0) {
      ++length;
    }
    return new String(data, offset, length, StandardCharsets.UTF_8);
  }

  static long[] longs(ByteBuffer bytes, int offset, int count) {
    final long[] values = new long[count];
    for (int i = 0; i < count; ++i) {
      values[i] = bytes.getLong(offset + 8 * i);
    }
    return values;
  }

  static int[] ints(ByteBuffer bytes, int offset, int count) {
    final int[] values = new int[count];
    for (int i = 0; i < count; ++i) {
      values[i] = bytes.getInt(offset + 4 * i);
    }
    return values;
  }

  static double[] doubles(ByteBuffer bytes, int offset, int count) {
    final double[] values = new double[count];
    for (int i = 0; i < count; ++i) {
      values[i] = bytes.getDouble(offset + 8 * i);
    }
    return values;
  }

  static float[] floats(ByteBuffer bytes, int offset, int count) {
    final float[] values = new float[count];
    for (int i = 0; i < count; ++i) {
      values[i] = bytes.getFloat(offset + 4 * i);
    }
    return values;
  }

  /** The address of a direct buffer's first byte, whatever its position. */
  static long address(Buffer direct) {
    return address0(direct);
  }

  /** Memory of the C library. */
  static long allocate(long bytes) {
    return allocate0(bytes);
  }

  static void free(long address) {
    free0(address);
  }

  /** Copies bytes of an array of numbers out of Java's heap. */
  static void copy(Object array, long offset, long address, long bytes) {
    copyOut0(array, offset, address, bytes);
  }

  /** Copies bytes into an array of numbers. */
  static void copy(long address, Object array, long offset, long bytes) {
    copyIn0(address, array, offset, bytes);
  }

  private static native long address0(Buffer buffer);

  private static native byte[] text0(long address);

  private static native long allocate0(long bytes);

  private static native void free0(long address);

  private static native void copyOut0(Object array, long offset, long address, long bytes);

  private static native void copyIn0(long address, Object array, long offset, long bytes);
}
