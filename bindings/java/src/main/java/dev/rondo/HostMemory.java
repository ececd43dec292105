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
import java.util.Arrays;
import java.util.Objects;

/**
 * Memory of the host that tensors are filled from and read into: an array, a buffer from its position to its limit, or a memory
 * segment. Direct buffers and native segments are used where they are; what lies in Java's heap is copied on the way.
 *
 * <p>Java has no unsigned numbers: elements of U8, U16, U32 and U64 are the byte, short, int or long of the same bits, which
 * {@link Byte#toUnsignedInt}, {@link Short#toUnsignedInt}, {@link Integer#toUnsignedLong} and {@link Long#toUnsignedString(long)}
 * read.
 */
public final class HostMemory {
  private final Object array; // in Java's heap, or null
  private final long start; // bytes into the array, or the address
  private final long bytes;
  private final Class<?> element; // byte.class fits every dtype
  private final boolean readOnly;
  private final Object owner; // keeps the memory alive
  private final HeapView view; // in Java's heap, where the array cannot be had; or null
  private final Object segment; // of an arena that may be closed, whose memory this is; or null

  private HostMemory(Object array, long start, long bytes, Class<?> element, boolean readOnly, Object owner) {
    this(array, start, bytes, element, readOnly, owner, null, null);
  }

  private HostMemory(Object array, long start, long bytes, Class<?> element, boolean readOnly, Object owner, Object segment, HeapView view) {
    this.view = view;
    this.array = array;
    this.start = start;
    this.bytes = bytes;
    this.element = element;
    this.readOnly = readOnly;
    this.owner = owner;
    this.segment = segment;
  }

  private static HostMemory ofArray(Object array, int length, int size, Class<?> element) {
    return new HostMemory(array, 0, (long) length * size, element, false, array);
  }

  /**
   * The elements of an array, for a tensor of {@link DType#F32}.
   *
   * @param array the array
   * @return its memory
   */
  public static HostMemory of(float[] array) {
    return ofArray(array, array.length, Float.BYTES, float.class);
  }

  /**
   * The elements of an array, for a tensor of {@link DType#F64}.
   *
   * @param array the array
   * @return its memory
   */
  public static HostMemory of(double[] array) {
    return ofArray(array, array.length, Double.BYTES, double.class);
  }

  /**
   * The elements of an array, for a tensor of {@link DType#I32} or {@link DType#U32}, whose bits they are.
   *
   * @param array the array
   * @return its memory
   */
  public static HostMemory of(int[] array) {
    return ofArray(array, array.length, Integer.BYTES, int.class);
  }

  /**
   * The elements of an array, for a tensor of {@link DType#I64} or {@link DType#U64}, whose bits they are.
   *
   * @param array the array
   * @return its memory
   */
  public static HostMemory of(long[] array) {
    return ofArray(array, array.length, Long.BYTES, long.class);
  }

  /**
   * The elements of an array, for a tensor of {@link DType#I16}, {@link DType#U16}, {@link DType#F16} or {@link DType#BF16}, whose bits they
   * are.
   *
   * @param array the array
   * @return its memory
   */
  public static HostMemory of(short[] array) {
    return ofArray(array, array.length, Short.BYTES, short.class);
  }

  /**
   * The bytes of an array, for a tensor of any dtype.
   *
   * @param array the array
   * @return its memory
   */
  public static HostMemory of(byte[] array) {
    return ofArray(array, array.length, 1, byte.class);
  }

  /**
   * The elements of an array, for a tensor of {@link DType#BOOL}.
   *
   * @param array the array
   * @return its memory
   */
  public static HostMemory of(boolean[] array) {
    return ofArray(array, array.length, 1, boolean.class);
  }

  /**
   * The elements of a buffer from its position to its limit, which do not change. A buffer of bytes fits every dtype, another one
   * the dtype of its elements. Elements of several bytes must be in the native byte order.
   *
   * @param buffer direct or not
   * @return its memory
   * @throws InvalidArgumentException for the other byte order
   */
  public static HostMemory of(Buffer buffer) {
    final Class<?> element;
    final ByteOrder order;
    final int size;
    if (buffer instanceof ByteBuffer) {
      element = byte.class;
      order = ByteOrder.nativeOrder(); // bytes have none
      size = 1;
    } else if (buffer instanceof FloatBuffer) {
      element = float.class;
      order = ((FloatBuffer) buffer).order();
      size = Float.BYTES;
    } else if (buffer instanceof DoubleBuffer) {
      element = double.class;
      order = ((DoubleBuffer) buffer).order();
      size = Double.BYTES;
    } else if (buffer instanceof IntBuffer) {
      element = int.class;
      order = ((IntBuffer) buffer).order();
      size = Integer.BYTES;
    } else if (buffer instanceof LongBuffer) {
      element = long.class;
      order = ((LongBuffer) buffer).order();
      size = Long.BYTES;
    } else if (buffer instanceof ShortBuffer) {
      element = short.class;
      order = ((ShortBuffer) buffer).order();
      size = Short.BYTES;
    } else {
      throw new InvalidArgumentException("a buffer of bytes, shorts, ints, longs, floats or doubles is needed, not "
          + (buffer == null ? "null" : buffer.getClass().getName()), null);
    }
    if (order != ByteOrder.nativeOrder()) {
      throw new InvalidArgumentException("the buffer has the byte order " + order + "; make it with order(ByteOrder.nativeOrder())", null);
    }
    final long bytes = (long) buffer.remaining() * size;
    if (buffer.isDirect()) {
      NativeLibrary.load();
      return new HostMemory(null, Memory.address(buffer) + (long) buffer.position() * size, bytes, element, buffer.isReadOnly(), buffer,
          Segments.of(buffer), null);
    }
    if (buffer.hasArray()) {
      return new HostMemory(buffer.array(), (long) (buffer.arrayOffset() + buffer.position()) * size, bytes, element, false, buffer);
    }
    return new HostMemory(null, 0, bytes, element, buffer.isReadOnly(), buffer, null, new HeapView(buffer));
  }

  /**
   * The memory of a {@code java.lang.foreign.MemorySegment}, for a tensor of any dtype. For Java 22 and later. A call with a segment whose
   * arena is closed throws {@link InvalidStateException}; of an arena that another thread may close meanwhile the contents are copied on the way.
   *
   * @param segment a native segment
   * @return its memory
   * @throws InvalidArgumentException if it is no segment, or lies in Java's heap: take {@code segment.asByteBuffer()} then
   * @throws InvalidStateException if its arena is closed already
   */
  public static HostMemory ofSegment(Object segment) {
    Objects.requireNonNull(segment, "segment");
    final long address = Segments.address(segment);
    Segments.checkOpen(segment);
    return new HostMemory(null, address, Segments.bytes(segment), byte.class, Segments.isReadOnly(segment), segment, segment, null);
  }

  /**
   * How many bytes it has.
   *
   * @return the number of bytes
   */
  public long bytes() {
    return bytes;
  }

  /** The dtype of a tensor with these elements, unless another one is asked for. */
  DType dtype() {
    return element == float.class ? DType.F32 : element == double.class ? DType.F64 : element == short.class ? DType.I16
        : element == int.class ? DType.I32 : element == long.class ? DType.I64 : element == boolean.class ? DType.BOOL : DType.U8;
  }

  /** Refuses what is not exactly the contents of a tensor. */
  void check(DType dtype, long[] shape) {
    check(dtype);
    final long needed = bytesOf(dtype, shape);
    if (needed >= 0 && needed != bytes) { // below 0: the native part says what is wrong with the shape
      throw new InvalidArgumentException("a tensor of " + dtype + " " + Arrays.toString(shape) + " has " + needed + " bytes, the data "
          + bytes, null);
    }
  }

  /** The bytes a tensor has; -1 for a shape that is none. */
  private static long bytesOf(DType dtype, long[] shape) {
    long bytes = Rondo.elementSize(dtype);
    for (final long size : shape) {
      if (size < 0) {
        return -1;
      }
    }
    try {
      for (final long size : shape) {
        bytes = Math.multiplyExact(bytes, size);
      }
    } catch (ArithmeticException e) {
      return -1;
    }
    return bytes;
  }

  /** Refuses what has elements of another kind than a dtype. */
  void check(DType dtype) {
    final boolean fits;
    switch (dtype) {
      case F32:
        fits = element == float.class;
        break;
      case F64:
        fits = element == double.class;
        break;
      case I32:
      case U32:
        fits = element == int.class;
        break;
      case I64:
      case U64:
        fits = element == long.class;
        break;
      case F16:
      case BF16:
      case I16:
      case U16:
        fits = element == short.class;
        break;
      case BOOL:
        fits = element == boolean.class;
        break;
      default:
        fits = false;
    }
    if (!fits && element != byte.class) {
      throw new InvalidArgumentException("memory of " + element + "s does not fit a tensor of " + dtype + ": take bytes, or cast", null);
    }
  }

  /** How long an array must be for all elements of a tensor; refuses one of other dtypes. */
  static int length(TensorInfo tensor, DType... dtypes) {
    if (!Arrays.asList(dtypes).contains(tensor.dtype())) {
      throw new InvalidArgumentException("the tensor has dtype " + tensor.dtype() + ", not " + dtypes[0] + ": cast it first", null);
    }
    if (tensor.elements() > Integer.MAX_VALUE - 8) {
      throw new InvalidArgumentException("an array cannot hold " + tensor.elements() + " elements: read into a memory segment", null);
    }
    return (int) tensor.elements();
  }

  /** A call with an address and a number of bytes. */
  interface Call {
    void with(long address, long bytes);
  }

  /** Whether C may have the address for a call. */
  private boolean isDirect() {
    return array == null && view == null && (segment == null || Segments.staysForThisCall(segment));
  }

  /** Makes a call that reads this memory. */
  void read(Call call) {
    if (isDirect()) {
      call.with(start, bytes);
    } else {
      final long copy = Memory.allocate(bytes);
      try {
        if (view != null) {
          Memory.copy(view.contents(bytes), 0, copy, bytes);
        } else if (array == null) {
          Segments.copy(segment, copy, bytes, true);
        } else {
          Memory.copy(array, start, copy, bytes);
        }
        call.with(copy, bytes);
      } finally {
        Memory.free(copy);
      }
    }
    java.lang.ref.Reference.reachabilityFence(owner);
  }

  /** Makes a call that writes this memory; where it throws nothing was written. */
  void write(Call call) {
    if (readOnly) {
      throw new InvalidArgumentException("the buffer that is to be filled is read-only", null);
    }
    if (isDirect()) {
      call.with(start, bytes);
    } else {
      final long copy = Memory.allocate(bytes);
      try {
        call.with(copy, bytes);
        if (view != null) {
          final byte[] contents = new byte[Math.toIntExact(bytes)];
          Memory.copy(copy, contents, 0, bytes);
          view.fill(contents);
        } else if (array == null) {
          Segments.copy(segment, copy, bytes, false);
        } else {
          Memory.copy(copy, array, start, bytes);
        }
      } finally {
        Memory.free(copy);
      }
    }
    java.lang.ref.Reference.reachabilityFence(owner);
  }
}
