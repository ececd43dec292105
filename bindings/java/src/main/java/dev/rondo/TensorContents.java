// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.lang.reflect.Array;
import java.util.Arrays;

/** The elements of a tensor, to and from the host. */
abstract class TensorContents extends TensorViews {
  TensorContents(long address, Gate gate, Handle.Destroyer destroyer) {
    super(address, gate, destroyer);
  }

  /**
   * Replaces the contents, ordered like any task that writes the tensor. The memory may be used again when the call returns. Not
   * allowed while recording.
   *
   * @param data exactly as many bytes as the tensor has, row-major
   */
  public void write(HostMemory data) {
    data.check(self().dtype());
    final long tensor = acquire();
    try {
      data.read((address, bytes) -> NativeTensor.tensorWrite(tensor, address, bytes));
    } finally {
      release();
    }
  }

  /**
   * Replaces the contents of a tensor of {@link DType#F32}, or of F64.
   *
   * @param data as many elements as the tensor has, row-major
   */
  public void write(float... data) {
    if (self().dtype() == DType.F64) {
      final double[] wide = new double[data.length];
      Arrays.setAll(wide, i -> data[i]);
      write(HostMemory.of(wide));
    } else {
      write(HostMemory.of(data));
    }
  }

  /**
   * Replaces the contents of a tensor of {@link DType#F64}, or, rounded, of F32.
   *
   * @param data as many elements as the tensor has, row-major
   */
  public void write(double... data) {
    if (self().dtype() == DType.F32) {
      final float[] rounded = new float[data.length];
      for (int i = 0; i < data.length; ++i) {
        rounded[i] = (float) data[i];
      }
      write(HostMemory.of(rounded));
    } else {
      write(HostMemory.of(data));
    }
  }

  /**
   * Replaces the contents of a tensor of {@link DType#I32}, of I64, F32 or F64, or of {@link DType#U32} by its bits.
   *
   * @param data as many elements as the tensor has, row-major
   */
  public void write(int... data) {
    switch (self().dtype()) {
      case F32:
      case F64:
        write(Arrays.stream(data).asDoubleStream().toArray());
        break;
      case I64:
        write(Arrays.stream(data).asLongStream().toArray());
        break;
      default:
        write(HostMemory.of(data));
    }
  }

  /**
   * Replaces the contents of a tensor of {@link DType#I64}, or of {@link DType#U64} by its bits.
   *
   * @param data as many elements as the tensor has, row-major
   */
  public void write(long... data) {
    write(HostMemory.of(data));
  }

  /**
   * Replaces the contents of a tensor of {@link DType#I16}, or of U16, F16 or BF16 by their bits.
   *
   * @param data as many elements as the tensor has, row-major
   */
  public void write(short... data) {
    write(HostMemory.of(data));
  }

  /**
   * Replaces the contents of a tensor of any dtype by its bytes.
   *
   * @param data as many bytes as the tensor has, row-major
   */
  public void write(byte... data) {
    write(HostMemory.of(data));
  }

  /**
   * Replaces the contents of a tensor of {@link DType#BOOL}.
   *
   * @param data as many elements as the tensor has, row-major
   */
  public void write(boolean... data) {
    write(HostMemory.of(data));
  }

  /**
   * Waits for the tensor and copies it out, row-major. Not allowed while recording or inside a task.
   *
   * @param data exactly as many bytes as the tensor has
   * @throws RondoException the first cause, if the tensor is poisoned; nothing is copied then
   * @throws WaitInterruptedException if the thread is interrupted before; nothing is copied then
   * @see "ONNX Runtime: OnnxTensor.getFloatBuffer; DJL: NDArray.toByteBuffer"
   */
  public void read(HostMemory data) {
    data.check(self().dtype());
    final long tensor = acquire();
    try {
      awaitQuietly(tensor);
      data.write((address, bytes) -> NativeTensor.tensorRead(tensor, address, bytes));
    } finally {
      release();
    }
  }

  /** So that reading can be interrupted, and holds no carrier. What failed the native part says when it reads. */
  private void awaitQuietly(long tensor) {
    try {
      Waits.await(limit -> NativeTensor.tensorWaitFor(tensor, limit), () -> Engine.watch(self()));
    } catch (RondoException e) {
      return;
    }
  }

  /**
   * Waits and gives the elements of a tensor of {@link DType#F32}.
   *
   * @return a new array, row-major
   */
  public float[] toFloatArray() {
    final float[] array = new float[HostMemory.length(self().info(), DType.F32)];
    read(HostMemory.of(array));
    return array;
  }

  /**
   * Waits and gives the elements of a tensor of {@link DType#F64}.
   *
   * @return a new array, row-major
   */
  public double[] toDoubleArray() {
    final double[] array = new double[HostMemory.length(self().info(), DType.F64)];
    read(HostMemory.of(array));
    return array;
  }

  /**
   * Waits and gives the elements of a tensor of {@link DType#I16}, or the bits of one of U16, F16 or BF16.
   *
   * @return a new array, row-major
   */
  public short[] toShortArray() {
    final short[] array = new short[HostMemory.length(self().info(), DType.I16, DType.U16, DType.F16, DType.BF16)];
    read(HostMemory.of(array));
    return array;
  }

  /**
   * Waits and gives the elements of a tensor of {@link DType#I32}, or the bits of one of {@link DType#U32}.
   *
   * @return a new array, row-major
   */
  public int[] toIntArray() {
    final int[] array = new int[HostMemory.length(self().info(), DType.I32, DType.U32)];
    read(HostMemory.of(array));
    return array;
  }

  /**
   * Waits and gives the elements of a tensor of {@link DType#I64}, or the bits of one of {@link DType#U64}.
   *
   * @return a new array, row-major
   */
  public long[] toLongArray() {
    final long[] array = new long[HostMemory.length(self().info(), DType.I64, DType.U64)];
    read(HostMemory.of(array));
    return array;
  }

  /**
   * Waits and gives the elements of a tensor of {@link DType#I8}, or the bits of one of U8, F8_E4M3 or F8_E5M2.
   *
   * @return a new array, row-major
   */
  public byte[] toByteArray() {
    final byte[] array = new byte[HostMemory.length(self().info(), DType.U8, DType.I8, DType.F8_E4M3, DType.F8_E5M2)];
    read(HostMemory.of(array));
    return array;
  }

  /**
   * Waits and gives the elements of a tensor of {@link DType#BOOL}.
   *
   * @return a new array, row-major
   */
  public boolean[] toBooleanArray() {
    final boolean[] array = new boolean[HostMemory.length(self().info(), DType.BOOL)];
    read(HostMemory.of(array));
    return array;
  }

  /** The elements in an array of the primitive that has their bits. */
  final Object toFlatArray() {
    switch (self().dtype()) {
      case F32:
        return toFloatArray();
      case F64:
        return toDoubleArray();
      case I32:
      case U32:
        return toIntArray();
      case I64:
      case U64:
        return toLongArray();
      case BOOL:
        return toBooleanArray();
      case I8:
      case U8:
      case F8_E4M3:
      case F8_E5M2:
        return toByteArray();
      default:
        return toShortArray();
    }
  }

  /**
   * Waits and gives the elements as arrays in arrays: a {@code float[][]} for a tensor of F32 with two dimensions, a {@code Float} for
   * one with none.
   *
   * @return a new array, or a number
   * @see "ONNX Runtime: OnnxTensor.getValue"
   */
  public Object toArray() {
    return nested(toFlatArray(), self().shape(), 0, new int[1]);
  }

  private static Object nested(Object flat, long[] shape, int axis, int[] from) {
    if (axis == shape.length) {
      return Array.get(flat, from[0]++);
    }
    if (shape[axis] > Integer.MAX_VALUE - 8) { // where another size is 0: the tensor has no elements
      throw new InvalidArgumentException("an array cannot have " + shape[axis] + " rows, the size of axis " + axis, null);
    }
    final int size = (int) shape[axis];
    final int[] sizes = new int[shape.length - axis];
    sizes[0] = size;
    if (axis == shape.length - 1) {
      final Object row = Array.newInstance(flat.getClass().getComponentType(), size);
      System.arraycopy(flat, from[0], row, 0, size);
      from[0] += size;
      return row;
    }
    final Object made = Array.newInstance(flat.getClass().getComponentType(), sizes);
    for (int i = 0; i < size; ++i) {
      Array.set(made, i, nested(flat, shape, axis + 1, from));
    }
    return made;
  }

  /**
   * Waits and gives the only element of a tensor of any dtype.
   *
   * @return the element; rounded, where a double does not hold it
   */
  public double item() {
    if (self().elements() != 1) {
      throw new InvalidArgumentException("Tensor.item: the tensor has " + self().elements() + " elements; it must have one", null);
    }
    if (self().dtype() == DType.F64) {
      return toDoubleArray()[0];
    }
    try (Tensor wide = self().cast(DType.F64)) {
      return wide.toDoubleArray()[0];
    }
  }

  /**
   * Waits and gives one element of a tensor of {@link DType#F32}.
   *
   * @param index its place along each axis; negative counts from the end
   * @return the element
   */
  public float getFloat(long... index) {
    try (Tensor element = element(index)) {
      return element.toFloatArray()[0];
    }
  }

  /**
   * Waits and gives one element of a tensor of {@link DType#F64}.
   *
   * @param index its place along each axis; negative counts from the end
   * @return the element
   */
  public double getDouble(long... index) {
    try (Tensor element = element(index)) {
      return element.toDoubleArray()[0];
    }
  }

  /**
   * Waits and gives one element of a tensor of {@link DType#I32}.
   *
   * @param index its place along each axis; negative counts from the end
   * @return the element
   */
  public int getInt(long... index) {
    try (Tensor element = element(index)) {
      return element.toIntArray()[0];
    }
  }

  /**
   * Waits and gives one element of a tensor of {@link DType#I64}.
   *
   * @param index its place along each axis; negative counts from the end
   * @return the element
   */
  public long getLong(long... index) {
    try (Tensor element = element(index)) {
      return element.toLongArray()[0];
    }
  }

  /**
   * Waits and gives one element of a tensor of {@link DType#BOOL}.
   *
   * @param index its place along each axis; negative counts from the end
   * @return the element
   */
  public boolean getBoolean(long... index) {
    try (Tensor element = element(index)) {
      return element.toBooleanArray()[0];
    }
  }

  private Tensor element(long[] index) {
    if (index.length != self().info().ndim()) {
      throw new InvalidArgumentException("an element of a tensor of " + self().info().ndim() + " dimensions has as many numbers, not "
          + index.length, null);
    }
    return get(index);
  }
}
