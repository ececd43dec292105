// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * A view of memory on a device: dtype, shape, strides, offset. Methods that compute submit a task and return at once with a new
 * tensor; views share memory, order and error with their tensor. Reading waits. {@link Operators} has every operator, with outputs
 * to write into too.
 *
 * <p>Close tensors that are no longer needed, or make them in a {@link Scope}: a tensor is small for the garbage collector, which
 * does not see its memory. Closing does not wait for work in flight.
 */
public final class Tensor extends TensorOperators implements Dependency {
  private final Engine engine;
  private volatile TensorInfo info; // never changes, asked for once

  Tensor(Engine engine, long address) {
    this(engine, address, NativeTensor::tensorDestroy);
  }

  private Tensor(Engine engine, long address, Handle.Destroyer destroyer) {
    super(address, engine.gate(), destroyer);
    this.engine = engine;
    Scope.add(this);
  }

  /** What an operator gives back: the output that was given, else the tensor that was made. */
  static Tensor result(Engine engine, long address, Tensor out) {
    return out == null ? new Tensor(engine, address) : out;
  }

  /** A tensor that C owns: closing it destroys nothing. */
  static Tensor borrowed(Engine engine, long address) {
    return new Tensor(engine, address, owned -> {});
  }

  /** The engine of the first of several operands; of none the native part says what is wrong. */
  static Engine engineOf(Tensor... tensors) {
    return tensors.length == 0 ? null : tensors[0].engine;
  }

  @Override
  Tensor self() {
    return this;
  }

  // --- facts

  /**
   * The engine it belongs to.
   *
   * @return the engine
   */
  public Engine engine() {
    return engine;
  }

  /**
   * Dtype, device, shape, strides. Does not block.
   *
   * @return the facts
   */
  public TensorInfo info() {
    TensorInfo known = info;
    if (known == null || isClosed()) {
      final long address = acquire();
      try {
        known = NativeTensor.tensorQuery(address);
      } finally {
        release();
      }
      info = known;
    }
    return known;
  }

  /**
   * The type of its elements.
   *
   * @return the dtype
   */
  public DType dtype() {
    return info().dtype();
  }

  /**
   * Where it lies.
   *
   * @return the device
   */
  public Device device() {
    return info().device();
  }

  /**
   * The size of each dimension.
   *
   * @return a new array
   */
  public long[] shape() {
    final TensorInfo known = info();
    return Arrays.copyOf(known.shape(), known.ndim());
  }

  /**
   * The number of its elements.
   *
   * @return the number
   */
  public long elements() {
    return info().elements();
  }

  @Override
  public String toString() {
    return isClosed() ? "Tensor[closed]" : "Tensor[" + dtype() + " " + Arrays.toString(shape()) + " on " + device() + "]";
  }

  // --- contents

  /**
   * Replaces the contents, ordered like any task that writes the tensor. The memory may be used again when the call returns. Not
   * allowed while recording.
   *
   * @param data exactly as many bytes as the tensor has, row-major
   */
  public void write(HostMemory data) {
    data.check(dtype());
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
   */
  public void read(HostMemory data) {
    data.check(dtype());
    final long tensor = acquire();
    try {
      data.write((address, bytes) -> NativeTensor.tensorRead(tensor, address, bytes));
    } finally {
      release();
    }
  }

  /**
   * Waits and gives the elements of a tensor of {@link DType#F32}.
   *
   * @return a new array, row-major
   */
  public float[] toFloatArray() {
    final float[] array = new float[HostMemory.length(info(), DType.F32)];
    read(HostMemory.of(array));
    return array;
  }

  /**
   * Waits and gives the elements of a tensor of {@link DType#F64}.
   *
   * @return a new array, row-major
   */
  public double[] toDoubleArray() {
    final double[] array = new double[HostMemory.length(info(), DType.F64)];
    read(HostMemory.of(array));
    return array;
  }

  /**
   * Waits and gives the elements of a tensor of {@link DType#I16}, or the bits of one of U16, F16 or BF16.
   *
   * @return a new array, row-major
   */
  public short[] toShortArray() {
    final short[] array = new short[HostMemory.length(info(), DType.I16, DType.U16, DType.F16, DType.BF16)];
    read(HostMemory.of(array));
    return array;
  }

  /**
   * Waits and gives the elements of a tensor of {@link DType#I32}, or the bits of one of {@link DType#U32}.
   *
   * @return a new array, row-major
   */
  public int[] toIntArray() {
    final int[] array = new int[HostMemory.length(info(), DType.I32, DType.U32)];
    read(HostMemory.of(array));
    return array;
  }

  /**
   * Waits and gives the elements of a tensor of {@link DType#I64}, or the bits of one of {@link DType#U64}.
   *
   * @return a new array, row-major
   */
  public long[] toLongArray() {
    final long[] array = new long[HostMemory.length(info(), DType.I64, DType.U64)];
    read(HostMemory.of(array));
    return array;
  }

  /**
   * Waits and gives the elements of a tensor of {@link DType#I8}, or the bits of one of U8, F8_E4M3 or F8_E5M2.
   *
   * @return a new array, row-major
   */
  public byte[] toByteArray() {
    final byte[] array = new byte[HostMemory.length(info(), DType.U8, DType.I8, DType.F8_E4M3, DType.F8_E5M2)];
    read(HostMemory.of(array));
    return array;
  }

  /**
   * Waits and gives the elements of a tensor of {@link DType#BOOL}.
   *
   * @return a new array, row-major
   */
  public boolean[] toBooleanArray() {
    final boolean[] array = new boolean[HostMemory.length(info(), DType.BOOL)];
    read(HostMemory.of(array));
    return array;
  }

  /**
   * Waits and gives the only element of a tensor of any dtype.
   *
   * @return the element; rounded, where a double does not hold it
   */
  public double item() {
    if (elements() != 1) {
      throw new InvalidArgumentException("the tensor has " + elements() + " elements, not one", null);
    }
    if (dtype() == DType.F64) {
      return toDoubleArray()[0];
    }
    try (Tensor wide = cast(DType.F64)) {
      return wide.toDoubleArray()[0];
    }
  }

  @Override
  public void await() {
    final long address = acquire();
    try {
      NativeTensor.tensorWait(address);
    } finally {
      release();
    }
  }

  /**
   * Waits without blocking. What is chained to the future runs on the thread that all futures of Rondo are completed on, unless it
   * is given an executor ({@code thenRunAsync} and the like), and should be short there.
   *
   * @return completed when every task submitted before that writes this tensor has finished; exceptionally with a {@link
   *     RondoException} if the tensor is poisoned
   */
  public CompletableFuture<Void> awaitAsync() {
    return engine.watch(this, this);
  }

  /**
   * The address of the first element, in the address space of the device, for user tasks that are submitted with this tensor.
   *
   * @return the address; valid while the tensor is open
   */
  public long data() {
    final long address = acquire();
    try {
      return NativeTensor.tensorData(address);
    } finally {
      release();
    }
  }

  // --- views

  /**
   * The same elements in row-major order under another shape.
   *
   * @param shape the size of each dimension; one may be -1
   * @return a view
   * @throws InvalidArgumentException if that needs a copy: {@link #copy} first
   */
  public Tensor reshape(long... shape) {
    final long address = acquire();
    try {
      return new Tensor(engine, NativeTensor.tensorReshape(address, Objects.requireNonNull(shape, "shape")));
    } finally {
      release();
    }
  }

  /**
   * A part of one axis, as slices in Python.
   *
   * @param axis which
   * @param start the first element; negative counts from the end
   * @param stop the element that ends it; {@link Long#MAX_VALUE}: to the end
   * @param step from one element to the next; not 0
   * @return a view
   */
  public Tensor slice(int axis, long start, long stop, long step) {
    final long address = acquire();
    try {
      return new Tensor(engine, NativeTensor.tensorSlice(address, axis, start, stop, step));
    } finally {
      release();
    }
  }

  /**
   * Writes values where indices say, as {@link Operators#take} with them then gives; into a
   * {@linkplain #accumulator() view that accumulates} they are added.
   *
   * @param indices of i32 or i64
   * @param values what is written, of this dtype
   * @param axis which
   */
  public void put(Tensor indices, Tensor values, int axis) {
    putInto(indices, values, axis, NativeShapes::put);
  }

  /**
   * Writes values of each line along an axis where its line of the indices says; into a
   * {@linkplain #accumulator() view that accumulates} they are added.
   *
   * @param indices of i32 or i64
   * @param values what is written, of this dtype
   * @param axis which
   */
  public void putAlongAxis(Tensor indices, Tensor values, int axis) {
    putInto(indices, values, axis, NativeShapes::putAlongAxis);
  }

  private interface Put {
    void call(long tensor, long indices, long values, int axis);
  }

  private void putInto(Tensor indices, Tensor values, int axis, Put put) {
    final NativeObject.Uses uses = NativeObject.use(new Tensor[] {this, indices, values});
    try {
      put.call(uses.addresses()[0], uses.addresses()[1], uses.addresses()[2], axis);
    } finally {
      uses.end();
    }
  }

  /**
   * The elements of some axes in reverse order.
   *
   * @param axes each axis once; none: all of them
   * @return a view
   */
  public Tensor flip(int... axes) {
    final long address = acquire();
    try {
      return new Tensor(engine, NativeTensor.tensorFlip(address, Objects.requireNonNull(axes, "axes")));
    } finally {
      release();
    }
  }

  /**
   * One of so many parts of an axis; the first ones have an element more where it does not divide.
   *
   * @param axis which
   * @param parts how many there are
   * @param part which of them, from 0
   * @return a view
   */
  public Tensor split(int axis, long parts, long part) {
    final long address = acquire();
    try {
      return new Tensor(engine, NativeTensor.tensorSplit(address, axis, parts, part));
    } finally {
      release();
    }
  }

  /**
   * The axes in another order.
   *
   * @param axes each axis once; none: reversed
   * @return a view
   */
  public Tensor transpose(int... axes) {
    final int ndim = info().ndim();
    if (axes.length != 0 && axes.length != ndim) { // C takes as many as there are dimensions
      throw new InvalidArgumentException("transpose: " + axes.length + " axes given for a tensor of " + ndim + " dimensions", null);
    }
    final long address = acquire();
    try {
      return new Tensor(engine, NativeTensor.tensorTranspose(address, axes.length == 0 ? null : axes));
    } finally {
      release();
    }
  }

  /**
   * Elements repeated to a shape by NumPy's rules.
   *
   * @param shape the size of each dimension
   * @return a view that can only be read
   */
  public Tensor broadcast(long... shape) {
    final long address = acquire();
    try {
      return new Tensor(engine, NativeTensor.tensorBroadcast(address, Objects.requireNonNull(shape, "shape")));
    } finally {
      release();
    }
  }

  /**
   * A view to which an operator that writes it adds, for gradients that sum.
   *
   * @return a view that can only be an output
   */
  public Tensor accumulator() {
    final long address = acquire();
    try {
      return new Tensor(engine, NativeTensor.tensorAccumulator(address));
    } finally {
      release();
    }
  }

  // --- common operators; the elementwise ones and the reductions are inherited

  /**
   * Writes a value into every element.
   *
   * @param value the value; it takes the tensor's dtype
   * @return this
   */
  public Tensor fill(double value) {
    final long address = acquire();
    try {
      NativeOps.fill(address, value);
    } finally {
      release();
    }
    return this;
  }

  /**
   * Writes a whole number into every element, exactly even where a double does not hold it.
   *
   * @param value the value; it takes the tensor's dtype
   * @return this
   */
  public Tensor fill(long value) {
    final long address = acquire();
    try {
      NativeOps.fillI64(address, value);
    } finally {
      release();
    }
    return this;
  }

  /**
   * From here on what is in the tensor's memory counts as written, whatever it is: an error is cleared, and a tensor that
   * was never written may be read.
   *
   * @return this
   */
  public Tensor accept() {
    final long address = acquire();
    try {
      NativeTensor.tensorAccept(address);
    } finally {
      release();
    }
    return this;
  }

  /**
   * A contiguous copy.
   *
   * @return a new tensor
   */
  public Tensor copy() {
    return Operators.copy(this);
  }

  /**
   * A contiguous copy on a device.
   *
   * @param device where; this tensor's own is allowed
   * @return a new tensor
   */
  public Tensor to(Device device) {
    return Operators.copyTo(this, device);
  }

  /**
   * The elements in another dtype.
   *
   * @param dtype which
   * @return a new tensor
   */
  public Tensor cast(DType dtype) {
    return Operators.cast(this, dtype);
  }

  /**
   * The matrix product of this tensor and another; leading axes broadcast.
   *
   * @param b the second operand
   * @return a new tensor
   */
  public Tensor matmul(Tensor b) {
    return Operators.matmul(this, b, null);
  }

  /**
   * The matrix product with transposes, bias, activation.
   *
   * @param b the second operand
   * @param options what else to do
   * @return a new tensor
   */
  public Tensor matmul(Tensor b, MatmulOptions options) {
    return Operators.matmul(this, b, options);
  }

  /**
   * Softmax over an axis.
   *
   * @param axis which; negative counts from the end
   * @return a new tensor
   */
  public Tensor softmax(int axis) {
    return Operators.softmax(this, axis);
  }

  /**
   * Zeroes elements with a probability and scales the others.
   *
   * @param p the probability
   * @return what is left, and which
   */
  public Dropout dropout(double p) {
    final Tensor[] results = Operators.dropout(this, p);
    return new Dropout(results[0], results[1]);
  }

  // --- DLPack

  /**
   * Hands the tensor out without a copy.
   *
   * @param stream on cuda: the {@code CUstream} that is made to wait for the tasks submitted so far; 0: the call waits
   * @return the address of a {@code DLManagedTensorVersioned}, whose deleter the consumer calls
   */
  public long toDlpack(long stream) {
    final long address = acquire();
    try {
      return NativeTensor.tensorToDlpack(address, stream);
    } finally {
      release();
    }
  }

  /**
   * As {@link #toDlpack}, for version 0 of DLPack.
   *
   * @param stream as there
   * @return the address of a {@code DLManagedTensor}
   */
  public long toDlpackV0(long stream) {
    final long address = acquire();
    try {
      return NativeTensor.tensorToDlpackV0(address, stream);
    } finally {
      release();
    }
  }
}
