// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A view of memory on a device: dtype, shape, strides, offset. Methods that compute submit a task and return at once with a new
 * tensor; views share memory, order and error with their tensor. Reading waits. {@link Operators} has every operator, with outputs
 * to write into too.
 *
 * <p>Close tensors that are no longer needed, or make them in a {@link Scope}: a tensor is small for the garbage collector, which
 * does not see its memory. Closing does not wait for work in flight.
 */
public final class Tensor extends TensorAliases implements Dependency {
  /** Made with the class: where a wrapper finds no memory there is none for making it either. */
  private static final Handle.Destroyer DESTROYER = NativeTensor::tensorDestroy;

  private final Engine engine;
  private volatile TensorInfo info; // never changes, asked for once

  Tensor(Engine engine, long address) {
    this(engine, address, DESTROYER);
  }

  private Tensor(Engine engine, long address, Handle.Destroyer destroyer) {
    super(address, engine.gate(), destroyer);
    this.engine = engine;
    Scope.add(this);
  }

  /** What an operator gives back: the output that was given, else the tensor that was made. */
  static Tensor result(Engine engine, long address, Tensor out) {
    return out == null ? made(engine, address) : out;
  }

  /** What a native call has made; given back where there is no memory for its wrapper. */
  static Tensor made(Engine engine, long address) {
    try {
      return new Tensor(engine, address);
    } catch (Throwable e) {
      giveUp(address, DESTROYER);
      throw e;
    }
  }

  /** The same of several: all or none. */
  static List<Tensor> made(Engine engine, long[] addresses) {
    final List<Tensor> all = new ArrayList<>(addresses.length);
    int done = 0;
    try {
      for (; done < addresses.length; ++done) {
        all.add(made(engine, addresses[done]));
      }
      return all;
    } finally {
      for (int i = done + 1; i < addresses.length; ++i) { // the one that failed is given back already
        giveUp(addresses[i], DESTROYER);
      }
    }
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
   * @see "ONNX Runtime: OnnxTensor.getInfo"
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
    return info().shape();
  }

  /**
   * The size of one dimension.
   *
   * @param axis which; negative counts from the end
   * @return the size
   */
  public long size(int axis) {
    final long[] shape = shape();
    if (axis < -shape.length || axis >= shape.length) {
      throw new InvalidArgumentException("size: axis " + axis + " of a tensor of " + shape.length + " dimensions", null);
    }
    return shape[axis < 0 ? axis + shape.length : axis];
  }

  /**
   * The number of its elements.
   *
   * @return the number
   */
  public long elements() {
    return info().elements();
  }

  /**
   * The facts and the values, as NumPy writes them: of more than a thousand elements the first and last three along each axis. Waits a
   * second at most for the values; where they cannot be had, as inside a recording or a task, it says so or leaves them out.
   *
   * @return the text
   */
  @Override
  public String toString() {
    return Shown.of(this);
  }

  // --- waiting

  @Override
  public void await() {
    final long address = acquire();
    try {
      Waits.await(limit -> NativeTensor.tensorWaitFor(address, limit), () -> Engine.watch(this));
    } finally {
      release();
    }
  }

  @Override
  public boolean await(Duration limit) {
    final long address = acquire();
    try {
      return Waits.await(milliseconds -> NativeTensor.tensorWaitFor(address, milliseconds), () -> Engine.watch(this), limit);
    } finally {
      release();
    }
  }

  /**
   * Waits without blocking. What is chained to the future runs on threads for that, unless it is given an executor ({@code
   * thenRunAsync} and the like); there it may wait for other futures, and holds up no other wait.
   *
   * @return completed when every task submitted before that writes this tensor has finished; exceptionally with a {@link
   *     RondoException} if the tensor is poisoned
   */
  public CompletableFuture<Void> awaitAsync() {
    return Continuations.of(Engine.watch(this));
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
   * was never written may be read, as zeros.
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
   * @see "DJL: NDArray.toDevice"
   */
  public Tensor to(Device device) {
    return Operators.copyTo(this, device);
  }

  /**
   * The elements in another dtype.
   *
   * @param dtype which
   * @return a new tensor
   * @see "DJL: NDArray.toType"
   */
  public Tensor cast(DType dtype) {
    return Operators.cast(this, dtype);
  }

  /**
   * The matrix product of this tensor and another; leading axes broadcast.
   *
   * @param b the second operand
   * @return a new tensor
   * @see "DJL: NDArray.dot, NDArray.matMul"
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
  public Tensor matmul(Tensor b, @Nullable MatmulOptions options) {
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
