// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.nio.Buffer;
import java.util.Objects;

/** How an engine makes tensors. */
abstract class EngineTensors extends NativeObject {
  EngineTensors(long address, Gate gate) {
    super("engine", address, gate, NativeEngine::engineDestroy);
  }

  abstract Engine self();

  /**
   * Makes a tensor whose contents are not defined. Memory is taken when it is first written.
   *
   * @param device where
   * @param dtype of what
   * @param shape the size of each dimension; none: one element
   * @return the tensor
   */
  public Tensor empty(Device device, DType dtype, long... shape) {
    final long address = acquire();
    try {
      return Tensor.made(self(), NativeTensor.tensorCreate(address, device, dtype, Objects.requireNonNull(shape, "shape")));
    } finally {
      release();
    }
  }

  /**
   * Makes a tensor with a copy of memory of the host, row-major. The memory may be used again when the call returns.
   *
   * @param device where
   * @param dtype of what
   * @param data exactly as many bytes as the tensor has
   * @param shape the size of each dimension; none: one element
   * @return the tensor
   */
  public Tensor tensor(Device device, DType dtype, HostMemory data, long... shape) {
    final long[] sizes = shape.clone(); // what is checked is what C gets, whatever another thread does to the array
    data.check(dtype, sizes);
    final Tensor[] made = new Tensor[1];
    final long engine = acquire();
    try {
      data.read((address, bytes) -> made[0] = Tensor.made(self(), NativeTensor.tensorFromHost(engine, device, dtype, sizes, address)));
    } finally {
      release();
    }
    return made[0];
  }

  private static long[] shapeOr(long[] shape, int length) {
    return shape.length == 0 ? new long[] {length} : shape;
  }

  /**
   * Makes a tensor of {@link DType#F32} with these elements.
   *
   * @param device where
   * @param data its elements, row-major
   * @param shape the size of each dimension; none: one dimension
   * @return the tensor
   * @see "DJL: NDManager.create; ONNX Runtime: OnnxTensor.createTensor"
   */
  public Tensor tensor(Device device, float[] data, long... shape) {
    return tensor(device, DType.F32, HostMemory.of(data), shapeOr(shape, data.length));
  }

  /**
   * Makes a tensor of {@link DType#F64} with these elements.
   *
   * @param device where
   * @param data its elements, row-major
   * @param shape the size of each dimension; none: one dimension
   * @return the tensor
   */
  public Tensor tensor(Device device, double[] data, long... shape) {
    return tensor(device, DType.F64, HostMemory.of(data), shapeOr(shape, data.length));
  }

  /**
   * Makes a tensor of {@link DType#I16} with these elements.
   *
   * @param device where
   * @param data its elements, row-major
   * @param shape the size of each dimension; none: one dimension
   * @return the tensor
   */
  public Tensor tensor(Device device, short[] data, long... shape) {
    return tensor(device, DType.I16, HostMemory.of(data), shapeOr(shape, data.length));
  }

  /**
   * Makes a tensor of {@link DType#I32} with these elements.
   *
   * @param device where
   * @param data its elements, row-major
   * @param shape the size of each dimension; none: one dimension
   * @return the tensor
   */
  public Tensor tensor(Device device, int[] data, long... shape) {
    return tensor(device, DType.I32, HostMemory.of(data), shapeOr(shape, data.length));
  }

  /**
   * Makes a tensor of {@link DType#I64} with these elements.
   *
   * @param device where
   * @param data its elements, row-major
   * @param shape the size of each dimension; none: one dimension
   * @return the tensor
   */
  public Tensor tensor(Device device, long[] data, long... shape) {
    return tensor(device, DType.I64, HostMemory.of(data), shapeOr(shape, data.length));
  }

  /**
   * Makes a tensor of {@link DType#U8} with these elements.
   *
   * @param device where
   * @param data its elements, row-major
   * @param shape the size of each dimension; none: one dimension
   * @return the tensor
   */
  public Tensor tensor(Device device, byte[] data, long... shape) {
    return tensor(device, DType.U8, HostMemory.of(data), shapeOr(shape, data.length));
  }

  /**
   * Makes a tensor of {@link DType#BOOL} with these elements.
   *
   * @param device where
   * @param data its elements, row-major
   * @param shape the size of each dimension; none: one dimension
   * @return the tensor
   */
  public Tensor tensor(Device device, boolean[] data, long... shape) {
    return tensor(device, DType.BOOL, HostMemory.of(data), shapeOr(shape, data.length));
  }

  /**
   * Makes a tensor with the elements of a buffer from its position to its limit: of {@link DType#F32} for floats, F64 for doubles, I16 for
   * shorts, I32 for ints, I64 for longs, U8 for bytes.
   *
   * @param device where
   * @param data its elements, row-major, in the native byte order
   * @param shape the size of each dimension; none: one dimension
   * @return the tensor
   * @throws InvalidArgumentException for a buffer of chars, or in the other byte order
   */
  public Tensor tensor(Device device, Buffer data, long... shape) {
    final HostMemory memory = HostMemory.of(data);
    return tensor(device, memory.dtype(), memory, shapeOr(shape, data.remaining()));
  }

  /**
   * Makes a tensor of {@link DType#F32} without axes.
   *
   * @param device where
   * @param value its element
   * @return the tensor
   */
  public Tensor tensor(Device device, float value) {
    return tensor(device, DType.F32, HostMemory.of(new float[] {value}));
  }

  /**
   * Makes a tensor of {@link DType#F64} without axes.
   *
   * @param device where
   * @param value its element
   * @return the tensor
   */
  public Tensor tensor(Device device, double value) {
    return tensor(device, DType.F64, HostMemory.of(new double[] {value}));
  }

  /**
   * Makes a tensor of {@link DType#I32} without axes.
   *
   * @param device where
   * @param value its element
   * @return the tensor
   */
  public Tensor tensor(Device device, int value) {
    return tensor(device, DType.I32, HostMemory.of(new int[] {value}));
  }

  /**
   * Makes a tensor of {@link DType#I64} without axes.
   *
   * @param device where
   * @param value its element
   * @return the tensor
   */
  public Tensor tensor(Device device, long value) {
    return tensor(device, DType.I64, HostMemory.of(new long[] {value}));
  }

  /**
   * Makes a tensor of {@link DType#BOOL} without axes.
   *
   * @param device where
   * @param value its element
   * @return the tensor
   */
  public Tensor tensor(Device device, boolean value) {
    return tensor(device, DType.BOOL, HostMemory.of(new boolean[] {value}));
  }

  /**
   * Makes a tensor filled with one value.
   *
   * @param device where
   * @param dtype of what
   * @param value of each element
   * @param shape the size of each dimension; none: one element
   * @return the tensor
   */
  public Tensor full(Device device, DType dtype, double value, long... shape) {
    return filled("Engine.full", device, dtype, value, shape);
  }

  /** The same for a function whose name messages have. */
  private Tensor filled(String function, Device device, DType dtype, double value, long... shape) {
    Tensor tensor = null;
    try {
      tensor = empty(device, dtype, shape);
      return tensor.fill(value);
    } catch (RuntimeException e) {
      if (tensor != null) {
        tensor.close();
      }
      throw e instanceof RondoException ? ((RondoException) e).toldBy(function, "Engine.empty", "Tensor.fill") : e;
    }
  }

  /**
   * Makes a tensor of {@link DType#F32} filled with zeros.
   *
   * @param device where
   * @param shape the size of each dimension; none: one element
   * @return the tensor
   */
  public Tensor zeros(Device device, long... shape) {
    return filled("Engine.zeros", device, DType.F32, 0, shape);
  }

  /**
   * Makes a tensor of {@link DType#F32} filled with ones.
   *
   * @param device where
   * @param shape the size of each dimension; none: one element
   * @return the tensor
   */
  public Tensor ones(Device device, long... shape) {
    return filled("Engine.ones", device, DType.F32, 1, shape);
  }

  /**
   * Makes a tensor of the whole numbers from 0 on.
   *
   * @param device where
   * @param dtype of what
   * @param stop how many
   * @return the tensor
   */
  public Tensor arange(Device device, DType dtype, long stop) {
    return arange(device, dtype, 0, stop, 1);
  }

  /**
   * Makes a tensor of numbers at equal steps.
   *
   * @param device where
   * @param dtype of what
   * @param start the first
   * @param stop what ends them
   * @param step from one to the next
   * @return the tensor
   */
  public Tensor arange(Device device, DType dtype, double start, double stop, double step) {
    return Operators.arange(self(), device, dtype, start, stop, step);
  }

  /**
   * Makes a tensor of {@link DType#F32} of so many numbers between two, both included.
   *
   * @param device where
   * @param start the first
   * @param stop the last
   * @param count how many
   * @return the tensor
   */
  public Tensor linspace(Device device, double start, double stop, long count) {
    return Operators.linspace(self(), device, DType.F32, start, stop, count, true);
  }

  /**
   * Makes a square matrix of {@link DType#F32} with ones on its diagonal.
   *
   * @param device where
   * @param rows how many, and as many columns
   * @return the tensor
   */
  public Tensor eye(Device device, long rows) {
    return Operators.eye(self(), device, DType.F32, rows, rows, 0);
  }

  /**
   * Makes a tensor of {@link DType#F32} of random numbers between two; {@link Engine#seed} says which.
   *
   * @param device where
   * @param low the least
   * @param high what all are below
   * @param shape the size of each dimension; none: one element
   * @return the tensor
   * @see "DJL: NDManager.randomUniform"
   */
  public Tensor uniform(Device device, double low, double high, long... shape) {
    return Operators.randomUniform(self(), device, DType.F32, shape, low, high);
  }

  /**
   * Makes a tensor of {@link DType#F32} of random numbers of the normal distribution; {@link Engine#seed} says which.
   *
   * @param device where
   * @param mean around which
   * @param deviation how far
   * @param shape the size of each dimension; none: one element
   * @return the tensor
   * @see "DJL: NDManager.randomNormal"
   */
  public Tensor normal(Device device, double mean, double deviation, long... shape) {
    return Operators.randomNormal(self(), device, DType.F32, shape, mean, deviation);
  }

  /**
   * Makes a tensor with the elements of arrays in arrays, such as a {@code float[][]}. Its dtype is that of {@link #tensor} with the
   * innermost ones.
   *
   * @param device where
   * @param nested arrays of one length at each level
   * @return the tensor
   * @throws InvalidArgumentException if lengths differ, or the innermost arrays are none of numbers or booleans
   */
  public Tensor tensor(Device device, Object[] nested) {
    final Nested flat = Nested.of(nested);
    return tensor(device, flat.memory.dtype(), flat.memory, flat.shape);
  }

  /**
   * Wraps memory of somebody else without a copy. Its deleter is called when the last use is over. If the call fails, the memory
   * stays the caller's.
   *
   * @param managed the address of a {@code DLManagedTensorVersioned}
   * @param stream on cuda: the {@code CUstream} whose work the first use waits for; 0: the data is ready
   * @return the tensor
   */
  public Tensor fromDlpack(long managed, long stream) {
    final long address = acquire();
    try {
      return Tensor.made(self(), NativeTensor.tensorFromDlpack(address, managed, stream));
    } finally {
      release();
    }
  }

  /**
   * As {@link #fromDlpack}, for version 0 of DLPack.
   *
   * @param managed the address of a {@code DLManagedTensor}
   * @param stream as there
   * @return the tensor
   */
  public Tensor fromDlpackV0(long managed, long stream) {
    final long address = acquire();
    try {
      return Tensor.made(self(), NativeTensor.tensorFromDlpackV0(address, managed, stream));
    } finally {
      release();
    }
  }
}
