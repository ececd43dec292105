// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** What a task may ask about its run, in its thread, while it runs. */
public final class TaskContext {
  /** Instead of a number of inputs: the task names a variable, and so has no operands. */
  static final int NO_OPERANDS = -1;

  private long address; // 0 when the task has ended
  private final int inputs;
  private final Thread thread = Thread.currentThread();
  private final Lending operands = new Lending("the task has ended, and its buffers with it");
  private Lending others = operands; // of tensors that are no operands: until the function returns
  private final List<long[]> views = new ArrayList<>(); // of those that a buffer was asked of: they keep the memory if one is closed

  TaskContext(long address, int inputs) {
    this.address = address;
    this.inputs = inputs;
  }

  /** The function has returned. */
  void end() {
    address = 0;
    others.end();
    for (int i = 0; i < views.size(); ++i) { // takes no memory
      NativeTensor.tensorDestroy(views.get(i)[0]);
    }
  }

  private long address() {
    if (address == 0 || Thread.currentThread() != thread) {
      throw new InvalidStateException("a task's context is valid in the task's thread while the task runs", null);
    }
    return address;
  }

  /**
   * The native stream of a task on a CUDA device, a {@code CUstream}.
   *
   * @return its address; 0 on the cpu
   */
  public long stream() {
    return NativeEngine.taskStream(address());
  }

  /**
   * One of the streams beside it that {@link TaskOptions#auxiliaryStreams(int)} asked for. It begins where {@link #stream()} is when
   * the task is called, and {@link #stream()} waits for it when the task has returned. Captured into a graph with conditional nodes,
   * each is {@link #stream()}.
   *
   * @param index its number, from 0
   * @return its address, a {@code CUstream}
   * @throws InvalidArgumentException if the task has asked for fewer
   */
  public long auxiliaryStream(int index) {
    final long found = NativeEngine.taskAuxiliaryStream(address(), index);
    if (found == 0) {
      throw new InvalidArgumentException("auxiliary stream " + index + ": the task's options asked for fewer", null);
    }
    return found;
  }

  /** The end of the task, which from here on is what is done with that. Whoever does it ends the lending of the operands before. */
  long defer() {
    final long completion = NativeEngine.taskDefer(address());
    others = new Lending("the task's function has returned, and its buffers have ended");
    return completion;
  }

  Lending operands() {
    return operands;
  }

  /**
   * The device the task runs on.
   *
   * @return the device
   */
  public Device device() {
    return NativeEngine.taskDevice(address());
  }

  /**
   * Whether the task is being captured into a CUDA graph. It must then only enqueue work that can be captured.
   *
   * @return true if so
   */
  public boolean isCapturing() {
    return NativeEngine.taskIsCapturing(address()) != 0;
  }

  /**
   * A tensor that the task reads. It is there also if the tensor was closed after the submission, and in each launch of a graph.
   *
   * @param index its number among those read
   * @return the tensor as it is now; its {@linkplain Operand#buffer() buffer} is read-only
   * @throws InvalidArgumentException if the task reads fewer
   * @throws InvalidStateException if the task names a variable too
   */
  public Operand input(int index) {
    if (index < 0 || index >= inputs()) {
      throw new InvalidArgumentException("input " + index + ": the task reads " + inputs + " tensors", null);
    }
    return operand(index, false);
  }

  /**
   * A tensor that the task writes, likewise.
   *
   * @param index its number among those written
   * @return the tensor as it is now
   * @throws InvalidArgumentException if the task writes fewer
   * @throws InvalidStateException if the task names a variable too
   */
  public Operand output(int index) {
    if (index < 0) {
      throw new InvalidArgumentException("output " + index + ": numbers begin with 0", null);
    }
    return operand((long) inputs() + index, true);
  }

  private int inputs() {
    if (inputs == NO_OPERANDS) {
      throw new InvalidStateException("the task names a variable, and so has no operands: only tasks that name tensors alone do", null);
    }
    return inputs;
  }

  private Operand operand(long number, boolean writable) {
    final long[] where = new long[1];
    final TensorInfo info = NativeEngine.taskOperand(address(), number, where);
    return new Operand(where[0], info, stream() == 0, writable, operands);
  }

  /**
   * Where a tensor's first element lies, in the address space of its device. The task must have been submitted with the tensor,
   * which must be open; {@link #input} and {@link #output} do not ask for that.
   *
   * @param tensor the tensor
   * @return the address
   */
  public long address(Tensor tensor) {
    address();
    return tensor.data();
  }

  /**
   * A tensor's memory on the cpu, until the task's function returns, as {@link Operand#buffer()}. The task must have been submitted with the
   * tensor, which must be open.
   *
   * @param tensor a contiguous tensor on the cpu, of at most 2 GiB
   * @return its elements in native byte order
   */
  public ByteBuffer buffer(Tensor tensor) {
    address();
    final long of = tensor.acquire();
    try {
      final long[] view = {0};
      views.add(view); // its place first: there may be no memory for that
      view[0] = TensorCallback.view(of);
      return new Operand(NativeTensor.tensorData(view[0]), tensor.info(), true, true, others).buffer();
    } finally {
      tensor.release();
    }
  }

  void fail(String message) {
    NativeEngine.taskFail(address(), message);
  }
}
