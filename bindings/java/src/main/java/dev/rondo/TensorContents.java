// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

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
   * Replaces the contents of a tensor of {@link DType#F32}.
   *
   * @param data as many elements as the tensor has, row-major
   */
  public void write(float... data) {
    write(HostMemory.of(data));
  }

  /**
   * Waits for the tensor and copies it out, row-major. Not allowed while recording or inside a task.
   *
   * @param data exactly as many bytes as the tensor has
   * @throws RondoException the first cause, if the tensor is poisoned; nothing is copied then
   * @throws WaitInterruptedException if the thread is interrupted before; nothing is copied then
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
      Waits.await(limit -> NativeTensor.tensorWaitFor(tensor, limit), self()::awaitAsync);
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

  /**
   * Waits and gives the only element of a tensor of any dtype.
   *
   * @return the element; rounded, where a double does not hold it
   */
  public double item() {
    if (self().elements() != 1) {
      throw new InvalidArgumentException("the tensor has " + self().elements() + " elements, not one", null);
    }
    if (self().dtype() == DType.F64) {
      return toDoubleArray()[0];
    }
    try (Tensor wide = self().cast(DType.F64)) {
      return wide.toDoubleArray()[0];
    }
  }
}
